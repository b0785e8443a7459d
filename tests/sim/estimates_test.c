/* tests/sim/estimates_test.c — where estimates come from, and the models' shares. */
#include <glib.h>

#include "sim/error.h"
#include "sim/estimates.h"
#include "traces/user_estimate.h"

#define S G_GINT64_CONSTANT (1000000)
#define JOB_COUNT 100000

static LkEstimates *
parse (const char *text, guint64 seed)
{
  LkEstimates *estimates = NULL;
  g_autoptr (GError) error = NULL;
  lk_estimates_parse (text, seed, &estimates, &error);
  g_assert_no_error (error);
  return estimates;
}

static void
test_plain (void)
{
  g_autoptr (LkEstimates) trace = parse ("trace", 0);
  g_autoptr (LkEstimates) exact = parse ("exact", 0);
  g_assert_cmpint (lk_estimates_apply (trace, 7 * S, 3 * S), ==, 3 * S);
  g_assert_cmpint (lk_estimates_apply (exact, 7 * S + 1, 3 * S), ==, 7 * S + 1);
}

static void
test_factor (void)
{
  g_autoptr (LkEstimates) one = parse ("factor:0", 1);
  g_assert_cmpint (lk_estimates_apply (one, 7 * S, 3), ==, 7 * S);
  g_assert_cmpint (lk_estimates_apply (one, 7 * S + 1, 3), ==, 8 * S);
  g_autoptr (LkEstimates) three = parse ("factor:3", 1);
  double sum = 0;
  gint64 low_us = G_MAXINT64;
  gint64 high_us = 0;
  for (guint i = 0; i < JOB_COUNT; i++) {
    gint64 estimate_us = lk_estimates_apply (three, 1000 * S, 0);
    g_assert_cmpint (estimate_us % S, ==, 0);
    low_us = MIN (low_us, estimate_us);
    high_us = MAX (high_us, estimate_us);
    sum += (double)estimate_us / 1e6;
  }
  g_assert_cmpint (low_us, >=, 1000 * S);
  g_assert_cmpint (low_us, <, 1010 * S);
  g_assert_cmpint (high_us, <=, 4000 * S);
  g_assert_cmpint (high_us, >, 3990 * S);
  g_assert_cmpfloat_with_epsilon (sum / JOB_COUNT, 2500.5, 15);
  g_assert_cmpint (lk_estimates_apply (three, G_MAXINT64 / 4, 0), >=, G_MAXINT64 / 4);
}

static gboolean
is_mode (gint64 estimate_us)
{
  guint count;
  const LkUserEstimateMode *modes = lk_user_estimate_modes (&count);
  for (guint i = 0; i < count; i++)
    if (modes[i].value_s * S == estimate_us)
      return TRUE;
  return FALSE;
}

static void
test_tsafrir (void)
{
  g_autoptr (LkEstimates) model = parse ("tsafrir", 7);
  g_autoptr (GRand) random = g_rand_new_with_seed (3);
  guint maximum_count = 0;
  for (guint i = 0; i < JOB_COUNT; i++) {
    gint64 estimate_us = lk_estimates_apply (model, 1, 0);
    maximum_count += estimate_us == 36 * 3600 * S;
    g_assert_true (is_mode (estimate_us));
    gint64 run_us = 1 + (gint64)g_rand_double_range (random, 0, 200000.0 * 1e6);
    estimate_us = lk_estimates_apply (model, run_us, 0);
    g_assert_cmpint (estimate_us, >=, run_us);
    if (run_us <= 36 * 3600 * S)
      g_assert_true (is_mode (estimate_us));
    else
      g_assert_cmpint (estimate_us % (12 * 3600 * S), ==, 0);
  }
  g_assert_cmpfloat_with_epsilon ((double)maximum_count / JOB_COUNT, 0.2, 0.005);
  /* Exactly a mode is not below it. */
  g_assert_cmpint (lk_user_estimate_us (0, 300 * S), ==, 300 * S);
  g_assert_cmpint (lk_user_estimate_us (0, 300 * S + 1), ==, 600 * S);
  g_assert_cmpint (lk_user_estimate_us (0.999999999, 1), ==, 36 * 3600 * S);
}

static void
test_modes (void)
{
  guint count;
  guint weight_sum = 0;
  const LkUserEstimateMode *modes = lk_user_estimate_modes (&count);
  g_assert_cmpuint (count, ==, 20);
  for (guint i = 0; i < count; i++) {
    weight_sum += modes[i].weight;
    if (i > 0)
      g_assert_cmpint (modes[i].value_s, >, modes[i - 1].value_s);
    if (i + 1 < count)
      g_assert_cmpuint (modes[i].weight, <, modes[count - 1].weight);
  }
  g_assert_cmpuint (weight_sum, ==, 1000);
}

static void
test_seed (void)
{
  static const char *const models[] = { "factor:5", "tsafrir" };
  for (gsize m = 0; m < G_N_ELEMENTS (models); m++) {
    g_autoptr (LkEstimates) a = parse (models[m], 11);
    g_autoptr (LkEstimates) b = parse (models[m], 11);
    g_autoptr (LkEstimates) c = parse (models[m], G_GUINT64_CONSTANT (11) << 32);
    guint differ_count = 0;
    for (guint i = 0; i < 1000; i++) {
      gint64 run_us = (1 + i * 7919 % 50000) * S;
      gint64 first_us = lk_estimates_apply (a, run_us, 0);
      g_assert_cmpint (first_us, ==, lk_estimates_apply (b, run_us, 0));
      differ_count += first_us != lk_estimates_apply (c, run_us, 0);
    }
    g_assert_cmpuint (differ_count, >, 500);
  }
}

static void
test_bad (void)
{
  static const char *const bad[] = { "",           "exactly",  "factor",     "factor:",
                                     "factor:-1",  "factor:x", "factor:1,5", "factor:nan",
                                     "factor:1e9", "Trace" };
  for (gsize i = 0; i < G_N_ELEMENTS (bad); i++) {
    LkEstimates *estimates = NULL;
    g_autoptr (GError) error = NULL;
    g_assert_false (lk_estimates_parse (bad[i], 0, &estimates, &error));
    g_assert_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE);
    g_assert_null (estimates);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/sim/estimates/takes the log's or the run time", test_plain);
  g_test_add_func ("/sim/estimates/stretches the run time by a uniform factor", test_factor);
  g_test_add_func ("/sim/estimates/asks for round values, mostly the maximum", test_tsafrir);
  g_test_add_func ("/sim/estimates/has modes whose most popular is the maximum", test_modes);
  g_test_add_func ("/sim/estimates/is the same for one seed", test_seed);
  g_test_add_func ("/sim/estimates/refuses a model that does not exist", test_bad);
  return g_test_run ();
}
