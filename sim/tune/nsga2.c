/* sim/tune/nsga2.c — NSGA-II. See search.h.
 *
 * Elitist: children and parents compete for the places of the next generation, by front, then by
 * crowding.  Deb et al. 2002 for the whole; Deb and Agrawal 1995 for the crossover; Deb and Goyal
 * 1996 for the mutation. */
#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdlib.h>

#include "engine/assert.h"
#include "sim/tune/search_private.h"

#define CROSSOVER_RATIO 0.9
#define CROSSOVER_ETA 15.0
#define MUTATION_ETA 20.0
/* A generation that finds nothing new is no reason to stop, many are. */
#define IDLE_GENERATIONS_MAX 50u

typedef struct {
  LkSearchPoint point;
  LkScore score;
  guint front;
  double crowding;
  guint index; /* where it was: the last word in a comparison */
} Member;

typedef struct {
  const LkSearch *search;
  gsl_rng *random;
  Member *members; /* parents, then children: twice the population */
  guint count;     /* of the population */
} Generation;

/* ---------------------------------------------------------------- ranks */

static gint
compare_members (gconstpointer a, gconstpointer b)
{
  const Member *x = a;
  const Member *y = b;
  if (x->front != y->front)
    return x->front < y->front ? -1 : 1;
  if (x->crowding < y->crowding || x->crowding > y->crowding)
    return x->crowding > y->crowding ? -1 : 1;
  return x->index < y->index ? -1 : x->index > y->index;
}

/* Puts the best of `count` members in front. */
static void
sort_members (Generation *self, guint count)
{
  g_autofree LkScore *scores = g_new (LkScore, count);
  g_autofree guint *fronts = g_new (guint, count);
  g_autofree double *crowding = g_new (double, count);
  for (guint i = 0; i < count; i++)
    scores[i] = self->members[i].score;
  lk_score_fronts (scores, count, self->search->objective_count, fronts, crowding);
  for (guint i = 0; i < count; i++) {
    self->members[i].front = fronts[i];
    self->members[i].crowding = crowding[i];
    self->members[i].index = i;
  }
  qsort (self->members, count, sizeof (Member), compare_members);
}

/* ---------------------------------------------------------------- children */

static const Member *
tournament (const Generation *self)
{
  const Member *a = &self->members[gsl_rng_uniform_int (self->random, self->count)];
  const Member *b = &self->members[gsl_rng_uniform_int (self->random, self->count)];
  if (a->front != b->front)
    return a->front < b->front ? a : b;
  return a->crowding >= b->crowding ? a : b;
}

/* Spreads two values about their mean as far as their parents were apart, mostly. */
static void
cross (const Generation *self, double *a, double *b)
{
  double draw = gsl_rng_uniform (self->random);
  double power = 1 / (CROSSOVER_ETA + 1);
  double beta = draw <= 0.5 ? pow (2 * draw, power) : pow (1 / (2 * (1 - draw)), power);
  double first = 0.5 * ((1 + beta) * *a + (1 - beta) * *b);
  double second = 0.5 * ((1 - beta) * *a + (1 + beta) * *b);
  *a = CLAMP (first, 0, 1);
  *b = CLAMP (second, 0, 1);
}

static double
mutated (const Generation *self, double value)
{
  double draw = gsl_rng_uniform (self->random);
  double power = 1 / (MUTATION_ETA + 1);
  double delta = draw < 0.5 ? pow (2 * draw, power) - 1 : 1 - pow (2 * (1 - draw), power);
  return CLAMP (value + delta, 0, 1);
}

static void
mutate (const Generation *self, LkSearchPoint *point)
{
  guint dimension = self->search->dimension;
  for (guint i = 0; i < dimension; i++)
    if (gsl_rng_uniform (self->random) * dimension < 1)
      point->at[i] = mutated (self, point->at[i]);
}

static void
make_children (const Generation *self, LkSearchPoint *children)
{
  for (guint c = 0; c < self->count; c += 2) {
    children[c] = tournament (self)->point;
    children[c + 1] = tournament (self)->point;
    gboolean is_crossed = gsl_rng_uniform (self->random) < CROSSOVER_RATIO;
    for (guint i = 0; i < self->search->dimension && is_crossed; i++)
      if (gsl_rng_uniform (self->random) < 0.5)
        cross (self, &children[c].at[i], &children[c + 1].at[i]);
    mutate (self, &children[c]);
    mutate (self, &children[c + 1]);
  }
}

/* ---------------------------------------------------------------- the search */

/* The starts, and random points for the places that are left. */
static gboolean
first_generation (Generation *self, const GArray *starts)
{
  guint count = MAX (self->count, starts->len);
  g_autofree LkSearchPoint *points = g_new0 (LkSearchPoint, count);
  g_autofree LkScore *scores = g_new0 (LkScore, count);
  for (guint i = 0; i < count; i++)
    for (guint d = 0; d < self->search->dimension; d++)
      points[i].at[d] = i < starts->len ? g_array_index (starts, LkSearchPoint, i).at[d]
                                        : gsl_rng_uniform (self->random);
  if (!self->search->evaluate (self->search->user, points, count, scores))
    return FALSE;
  self->members = g_new0 (Member, MAX (count, 2 * self->count));
  for (guint i = 0; i < count; i++)
    self->members[i] = (Member){ .point = points[i], .score = scores[i] };
  sort_members (self, count);
  return TRUE;
}

static gboolean
next_generation (Generation *self, gboolean *out_is_new)
{
  g_autofree LkSearchPoint *children = g_new0 (LkSearchPoint, self->count);
  g_autofree LkScore *scores = g_new0 (LkScore, self->count);
  make_children (self, children);
  if (!self->search->evaluate (self->search->user, children, self->count, scores))
    return FALSE;
  for (guint i = 0; i < self->count; i++)
    self->members[self->count + i] = (Member){ .point = children[i], .score = scores[i] };
  sort_members (self, 2 * self->count);
  *out_is_new = FALSE;
  for (guint i = 0; i < self->count; i++)
    *out_is_new = *out_is_new || self->members[i].index >= self->count;
  return TRUE;
}

void
lk_search_nsga2 (const LkSearch *self, const GArray *starts)
{
  Generation generation = { .search = self, .count = self->population };
  guint idle_count = 0;
  guint generation_count = 0;
  LK_ASSERT (self->population >= 4);
  LK_ASSERT (self->population % 2 == 0);
  generation.random = gsl_rng_alloc (gsl_rng_mt19937);
  gsl_rng_set (generation.random, (gulong)self->seed);
  gboolean is_on = first_generation (&generation, starts);
  guint generations_max = lk_search_calls_max (self) / self->population;
  while (is_on && idle_count < IDLE_GENERATIONS_MAX && generation_count < generations_max) {
    gboolean is_new;
    is_on = next_generation (&generation, &is_new);
    if (!is_on)
      break;
    idle_count = is_new ? 0 : idle_count + 1;
    generation_count++;
  }
  g_free (generation.members);
  gsl_rng_free (generation.random);
}
