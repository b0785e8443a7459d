/* sim/tune/nelder_mead.c — GSL's simplex on the unit cube. See search.h.
 *
 * Outside of the cube a point stands for its mirror image inside, so that the simplex needs no
 * bounds. */
#include <gsl/gsl_errno.h>
#include <gsl/gsl_multimin.h>

#include "sim/tune/search_private.h"

#define SIMPLEX_STEP 0.2
#define SIMPLEX_SIZE_MIN 1e-3

typedef struct {
  const LkSearch *search;
  guint call_count;
  gboolean is_over;
} Simplex;

static double
value_at (const gsl_vector *x, void *user)
{
  Simplex *self = user;
  LkSearchPoint point = { { 0 } };
  LkScore score;
  for (guint i = 0; i < self->search->dimension; i++)
    point.at[i] = lk_search_mirror (gsl_vector_get (x, i));
  self->is_over = self->is_over || ++self->call_count > lk_search_calls_max (self->search)
                  || !self->search->evaluate (self->search->user, &point, 1, &score);
  return self->is_over ? LK_SEARCH_WORST : lk_score_single (&score);
}

static void
walk (Simplex *self, const LkSearchPoint *start)
{
  guint dimension = self->search->dimension;
  gsl_multimin_function function = { .f = value_at, .n = dimension, .params = self };
  gsl_vector *x = gsl_vector_alloc (dimension);
  gsl_vector *steps = gsl_vector_alloc (dimension);
  gsl_multimin_fminimizer *minimizer =
      gsl_multimin_fminimizer_alloc (gsl_multimin_fminimizer_nmsimplex2, dimension);
  for (guint i = 0; i < dimension; i++) {
    gsl_vector_set (x, i, start->at[i]);
    /* Inward, so that the first simplex is no mirror image of itself. */
    gsl_vector_set (steps, i, start->at[i] > 0.5 ? -SIMPLEX_STEP : SIMPLEX_STEP);
  }
  int status = gsl_multimin_fminimizer_set (minimizer, &function, x, steps);
  while (status == GSL_SUCCESS && !self->is_over) {
    status = gsl_multimin_fminimizer_iterate (minimizer);
    if (gsl_multimin_fminimizer_size (minimizer) < SIMPLEX_SIZE_MIN)
      break;
  }
  gsl_multimin_fminimizer_free (minimizer);
  gsl_vector_free (x);
  gsl_vector_free (steps);
}

void
lk_search_nelder_mead (const LkSearch *self, const GArray *starts)
{
  Simplex simplex = { .search = self };
  g_autoptr (GArray) order = lk_search_starts (self, starts);
  for (guint i = 0; i < order->len && !simplex.is_over; i++)
    walk (&simplex, &g_array_index (order, LkSearchPoint, i));
}
