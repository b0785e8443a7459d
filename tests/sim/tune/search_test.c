/* tests/sim/tune/search_test.c — the searches on functions whose best points are known. */
#include <glib.h>
#include <math.h>
#include <string.h>

#include "sim/tune/search.h"

typedef double (*Function) (const double *at, guint dimension, guint objective);

typedef struct {
  Function function;
  guint dimension;
  guint objective_count;
  guint budget;
  guint asked;
  gboolean remembers;      /* every point was run before: the budget is never spent */
  gboolean has_constraint; /* the first coordinate is at least 0.6 */
  LkSearchPoint best;
  double best_value; /* of those without a violation */
  GArray *scores;    /* of LkScore: all of them */
  GString *log;      /* all points asked for */
} Fixture;

static LkScore
score_at (Fixture *self, const LkSearchPoint *point)
{
  LkScore score = { .violation = 0 };
  for (guint i = 0; i < self->objective_count; i++)
    score.objectives[i] = self->function (point->at, self->dimension, i);
  if (self->has_constraint && point->at[0] < 0.6)
    score.violation = 0.6 - point->at[0];
  if (score.violation <= 0 && score.objectives[0] < self->best_value) {
    self->best_value = score.objectives[0];
    self->best = *point;
  }
  return score;
}

static gboolean
evaluate (gpointer user, const LkSearchPoint *points, guint count, LkScore *out_scores)
{
  Fixture *self = user;
  for (guint i = 0; i < count; i++) {
    if (self->asked == self->budget && !self->remembers)
      return FALSE;
    self->asked++;
    g_assert_cmpuint (self->asked, <, 10000);
    for (guint d = 0; d < self->dimension; d++) {
      g_assert_cmpfloat (points[i].at[d], >=, 0);
      g_assert_cmpfloat (points[i].at[d], <=, 1);
      g_string_append_printf (self->log, "%.17g ", points[i].at[d]);
    }
    out_scores[i] = score_at (self, &points[i]);
    g_array_append_val (self->scores, out_scores[i]);
  }
  return TRUE;
}

static Fixture *
search (Function function, guint budget, guint64 seed,
        void (*method) (const LkSearch *self, const GArray *starts), Fixture how)
{
  Fixture *self = g_memdup2 (&how, sizeof how);
  self->function = function;
  self->budget = budget;
  self->best_value = G_MAXDOUBLE;
  self->scores = g_array_new (FALSE, FALSE, sizeof (LkScore));
  self->log = g_string_new (NULL);
  LkSearch search = { .dimension = self->dimension,
                      .objective_count = self->objective_count,
                      .budget = budget,
                      .seed = seed,
                      .population = 20,
                      .evaluate = evaluate,
                      .user = self };
  const LkSearchPoint start_points[] = { { { 0.9, 0.9, 0.9 } }, { { 0.1, 0.8, 0.3 } } };
  g_autoptr (GArray) starts = g_array_new (FALSE, FALSE, sizeof (LkSearchPoint));
  g_array_append_vals (starts, start_points, 2);
  method (&search, starts);
  g_assert_true (self->remembers || self->asked <= budget);
  return self;
}

static void
fixture_free (Fixture *self)
{
  g_array_unref (self->scores);
  g_string_free (self->log, TRUE);
  g_free (self);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Fixture, fixture_free)

/* ---------------------------------------------------------------- functions */

/* Least, 0, at 0.3 everywhere. */
static double
bowl (const double *at, guint dimension, guint objective)
{
  double sum = 0;
  (void)objective;
  for (guint i = 0; i < dimension; i++)
    sum += (at[i] - 0.3) * (at[i] - 0.3);
  return sum;
}

/* Rosenbrock's valley (1960), with (1, 1) at (0.75, 0.75). */
static double
valley (const double *at, guint dimension, guint objective)
{
  double x = at[0] * 4 - 2;
  double y = at[1] * 4 - 2;
  (void)dimension;
  (void)objective;
  return 100 * (y - x * x) * (y - x * x) + (1 - x) * (1 - x);
}

/* ZDT1 (Zitzler, Deb and Thiele 2000): the front is f2 = 1 - sqrt (f1). */
static double
zdt1 (const double *at, guint dimension, guint objective)
{
  double g = 1;
  if (objective == 0)
    return at[0];
  for (guint i = 1; i < dimension; i++)
    g += 9 * at[i] / (dimension - 1);
  return g * (1 - sqrt (at[0] / g));
}

/* ---------------------------------------------------------------- tests */

static void
test_nelder_mead (void)
{
  const Fixture two = { .dimension = 2, .objective_count = 1 };
  g_autoptr (Fixture) in_bowl = search (bowl, 150, 1, lk_search_nelder_mead, two);
  g_assert_cmpfloat (in_bowl->best_value, <, 1e-5);
  g_autoptr (Fixture) in_valley = search (valley, 400, 1, lk_search_nelder_mead, two);
  g_assert_cmpfloat (in_valley->best_value, <, 1e-3);
  g_assert_cmpfloat (fabs (in_valley->best.at[0] - 0.75), <, 0.02);
}

static void
test_annealing (void)
{
  const Fixture two = { .dimension = 2, .objective_count = 1 };
  g_autoptr (Fixture) in_bowl = search (bowl, 500, 1, lk_search_annealing, two);
  g_assert_cmpfloat (in_bowl->best_value, <, 3e-3);
  /* Another seed walks elsewhere, the same one does not. */
  g_autoptr (Fixture) again = search (bowl, 500, 1, lk_search_annealing, two);
  g_autoptr (Fixture) other = search (bowl, 500, 2, lk_search_annealing, two);
  g_assert_cmpstr (in_bowl->log->str, ==, again->log->str);
  g_assert_cmpstr (in_bowl->log->str, !=, other->log->str);
}

/* Points of the first front lie near the true one, and from end to end of it. */
static void
test_nsga2 (void)
{
  const Fixture three = { .dimension = 3, .objective_count = 2 };
  g_autoptr (Fixture) found = search (zdt1, 1500, 1, lk_search_nsga2, three);
  guint count = found->scores->len;
  g_autofree guint *fronts = g_new (guint, count);
  g_autofree double *crowding = g_new (double, count);
  const LkScore *scores = &g_array_index (found->scores, LkScore, 0);
  double least = 1;
  double most = 0;
  guint front_count = 0;
  lk_score_fronts (scores, count, 2, fronts, crowding);
  for (guint i = 0; i < count; i++) {
    if (fronts[i] != 0)
      continue;
    front_count++;
    g_assert_cmpfloat (scores[i].objectives[1], <, 1 - sqrt (scores[i].objectives[0]) + 0.1);
    least = MIN (least, scores[i].objectives[0]);
    most = MAX (most, scores[i].objectives[0]);
  }
  g_assert_cmpuint (front_count, >=, 10);
  g_assert_cmpfloat (least, <, 0.05);
  g_assert_cmpfloat (most, >, 0.8);
  g_autoptr (Fixture) again = search (zdt1, 1500, 1, lk_search_nsga2, three);
  g_assert_cmpstr (found->log->str, ==, again->log->str);
}

/* The best point that keeps the constraint is at 0.6, 0.3. */
static void
test_constraints (void)
{
  const Fixture two = { .dimension = 2, .objective_count = 1, .has_constraint = TRUE };
  g_autoptr (Fixture) simplex = search (bowl, 300, 1, lk_search_nelder_mead, two);
  g_autoptr (Fixture) annealed = search (bowl, 500, 1, lk_search_annealing, two);
  g_autoptr (Fixture) bred = search (bowl, 600, 1, lk_search_nsga2, two);
  g_assert_cmpfloat (simplex->best_value, <, 0.1);
  g_assert_cmpfloat (annealed->best_value, <, 0.1);
  g_assert_cmpfloat (bred->best_value, <, 0.1);
  g_assert_cmpfloat (simplex->best.at[0], >=, 0.6);
}

static double
flat (const double *at, guint dimension, guint objective)
{
  (void)at;
  (void)dimension;
  (void)objective;
  return 5;
}

/* Where every point is as good as every other, and none costs anything, the search ends anyway. */
static void
test_ends (void)
{
  const Fixture two = { .dimension = 2, .objective_count = 1 };
  const Fixture free_of_charge = { .dimension = 2, .objective_count = 1, .remembers = TRUE };
  g_autoptr (Fixture) simplex = search (flat, 10, 1, lk_search_nelder_mead, free_of_charge);
  g_autoptr (Fixture) annealed = search (flat, 10, 1, lk_search_annealing, free_of_charge);
  g_autoptr (Fixture) bred = search (flat, 40, 1, lk_search_nsga2, free_of_charge);
  guint most = 10 * LK_SEARCH_CALLS_PER_POINT + 10;
  g_assert_cmpuint (simplex->asked, <=, most);
  g_assert_cmpuint (annealed->asked, <=, most);
  g_assert_cmpuint (bred->asked, <=, 4 * most);
  g_autoptr (Fixture) one = search (bowl, 1, 1, lk_search_annealing, two);
  g_autoptr (Fixture) seven = search (bowl, 7, 1, lk_search_nsga2, two);
  g_assert_cmpuint (one->asked, ==, 1);
  g_assert_cmpuint (seven->asked, ==, 7);
}

/* By hand: 1 and 2 are not beaten, 3 only by 1, 4 by all, and 5 breaks a constraint. Of the first
 * front of three the one in the middle has (4 - 1) / 3 + (3 - 0) / 3. */
static void
test_fronts (void)
{
  const LkScore scores[] = {
    { { 1, 2 }, 0 }, { { 2, 1 }, 0 }, { { 1, 3 }, 0 }, { { 4, 4 }, 0 }, { { 0, 0 }, 0.1 },
  };
  const LkScore line[] = { { { 1, 3 }, 0 }, { { 2, 1 }, 0 }, { { 4, 0 }, 0 } };
  guint fronts[5];
  double crowding[5];
  lk_score_fronts (scores, 5, 2, fronts, crowding);
  const guint expected[] = { 0, 0, 1, 2, 3 };
  for (guint i = 0; i < 5; i++)
    g_assert_cmpuint (fronts[i], ==, expected[i]);
  lk_score_fronts (line, 3, 2, fronts, crowding);
  g_assert_cmpfloat (crowding[0], ==, G_MAXDOUBLE);
  g_assert_cmpfloat (fabs (crowding[1] - 2), <, 1e-12);
  g_assert_cmpfloat (crowding[2], ==, G_MAXDOUBLE);
  g_assert_true (lk_score_dominates (&scores[0], &scores[2], 2));
  g_assert_false (lk_score_dominates (&scores[0], &scores[0], 2));
  g_assert_cmpfloat (lk_score_single (&scores[4]), >, lk_score_single (&scores[3]));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/search/nelder-mead", test_nelder_mead);
  g_test_add_func ("/search/annealing", test_annealing);
  g_test_add_func ("/search/nsga2", test_nsga2);
  g_test_add_func ("/search/constraints", test_constraints);
  g_test_add_func ("/search/ends", test_ends);
  g_test_add_func ("/search/fronts", test_fronts);
  return g_test_run ();
}
