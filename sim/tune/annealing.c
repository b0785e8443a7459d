/* sim/tune/annealing.c — GSL's simulated annealing on the unit cube. See search.h.
 *
 * Energies are parts of the best start's, so that one set of temperatures fits all objectives: at
 * first a point that is worse by a fifth is often taken, at the end one by a thousandth. */
#include <gsl/gsl_rng.h>
#include <gsl/gsl_siman.h>
#include <math.h>

#include "sim/tune/search_private.h"

#define TEMPERATURE_FIRST 0.2
#define TEMPERATURE_LAST 0.001
#define STEP 0.25

typedef struct {
  const LkSearch *search;
  double scale;
  guint call_count;
  gboolean is_over;
} Annealing;

/* GSL copies it as bytes. */
typedef struct {
  Annealing *annealing;
  LkSearchPoint point;
} State;

static double
energy (void *user)
{
  const State *state = user;
  Annealing *self = state->annealing;
  LkScore score;
  self->is_over = self->is_over || ++self->call_count > lk_search_calls_max (self->search)
                  || !self->search->evaluate (self->search->user, &state->point, 1, &score);
  return self->is_over ? LK_SEARCH_WORST : lk_score_single (&score) / self->scale;
}

static void
step (const gsl_rng *random, void *user, double length)
{
  State *state = user;
  for (guint i = 0; i < state->annealing->search->dimension; i++) {
    double by = (2 * gsl_rng_uniform (random) - 1) * length;
    state->point.at[i] = lk_search_mirror (state->point.at[i] + by);
  }
}

/* GSL asks for it; nothing here uses it but siman_solve_many. */
static double
distance (void *a, void *b)
{
  const State *x = a;
  const State *y = b;
  double sum = 0;
  for (guint i = 0; i < x->annealing->search->dimension; i++)
    sum += fabs (x->point.at[i] - y->point.at[i]);
  return sum;
}

void
lk_search_annealing (const LkSearch *self, const GArray *starts)
{
  g_autoptr (GArray) order = lk_search_starts (self, starts);
  Annealing annealing = { .search = self, .scale = 1 };
  if (order->len == 0)
    return;
  State state = { .annealing = &annealing, .point = g_array_index (order, LkSearchPoint, 0) };
  double first = fabs (energy (&state));
  annealing.scale = first > 0 ? first : 1;
  guint step_count = MAX (self->budget, 2);
  gsl_siman_params_t params = {
    .n_tries = 1,
    .iters_fixed_T = 1,
    .step_size = STEP,
    .k = 1,
    .t_initial = TEMPERATURE_FIRST,
    .mu_t = pow (TEMPERATURE_FIRST / TEMPERATURE_LAST, 1.0 / step_count),
    .t_min = TEMPERATURE_LAST,
  };
  gsl_rng *random = gsl_rng_alloc (gsl_rng_mt19937);
  gsl_rng_set (random, (gulong)self->seed);
  gsl_siman_solve (random, &state, energy, step, distance, NULL, NULL, NULL, NULL, sizeof state,
                   params);
  gsl_rng_free (random);
}
