/* tests/traces/lublin_test.c — shares, moments and the daily cycle of the model. */
#include <glib.h>
#include <gsl/gsl_cdf.h>
#include <math.h>

#include "traces/lublin.h"

#define JOB_COUNT 200000

static void
test_weights (void)
{
  g_autoptr (LkLublin) model = lk_lublin_new (128, 1);
  double sum = 0;
  guint highest = 0;
  guint lowest = 0;
  for (guint i = 0; i < LK_LUBLIN_BUCKET_COUNT; i++) {
    double weight = lk_lublin_bucket_weight (model, i);
    sum += weight;
    highest = weight > lk_lublin_bucket_weight (model, highest) ? i : highest;
    lowest = weight < lk_lublin_bucket_weight (model, lowest) ? i : lowest;
  }
  g_assert_cmpfloat_with_epsilon (sum, 48.0, 1e-9);
  g_assert_cmpuint (highest, ==, 27);
  g_assert_cmpuint (lowest, ==, 10);
  g_assert_cmpfloat_with_epsilon (lk_lublin_bucket_weight (model, 27), 1.8331139, 1e-6);
  g_assert_cmpfloat_with_epsilon (lk_lublin_bucket_weight (model, 10), 0.1649179, 1e-6);
}

static gboolean
is_power_of_two (guint32 n)
{
  return (n & (n - 1)) == 0;
}

static void
test_sizes (void)
{
  g_autoptr (LkLublin) model = lk_lublin_new (128, 42);
  guint serial_count = 0;
  guint power_count = 0;
  guint half_count = 0;
  for (guint i = 0; i < JOB_COUNT; i++) {
    LkLublinJob job;
    lk_lublin_next (model, &job);
    g_assert_cmpuint (job.procs, >=, 1);
    g_assert_cmpuint (job.procs, <=, 128);
    serial_count += job.procs == 1;
    power_count += is_power_of_two (job.procs) ? 1 : 0;
    half_count += job.procs > 32;
  }
  g_assert_cmpfloat_with_epsilon (serial_count / (double)JOB_COUNT, 0.244, 0.01);
  g_assert_cmpfloat (power_count / (double)JOB_COUNT, >=, 0.82);
  g_assert_cmpfloat (half_count / (double)JOB_COUNT, >, 0.02);
  g_assert_cmpfloat (half_count / (double)JOB_COUNT, <, 0.15);
}

/* Means of the two gamma distributions, 4.2 * 0.94 and 312 * 0.03, mixed by the size. The first
 * one's tail above 12 is cut, which takes 0.03 off its mean. */
static void
test_run_times (void)
{
  g_autoptr (LkLublin) model = lk_lublin_new (128, 43);
  double sum = 0;
  double expected = 0;
  for (guint i = 0; i < JOB_COUNT; i++) {
    LkLublinJob job;
    lk_lublin_next (model, &job);
    g_assert_cmpint (job.run_s, >=, 1);
    g_assert_cmpint (job.run_s, <=, 162754); /* e^12 */
    double p = CLAMP (0.78 - 0.0054 * job.procs, 0.0, 1.0);
    sum += log ((double)job.run_s);
    expected += p * 3.92 + (1 - p) * 9.36;
  }
  g_assert_cmpfloat_with_epsilon (sum / JOB_COUNT, expected / JOB_COUNT, 0.05);
}

static void
test_arrivals (void)
{
  g_autoptr (LkLublin) model = lk_lublin_new (128, 44);
  guint bucket_counts[LK_LUBLIN_BUCKET_COUNT] = { 0 };
  gint64 last_s = 0;
  for (guint i = 0; i < JOB_COUNT; i++) {
    LkLublinJob job;
    lk_lublin_next (model, &job);
    g_assert_cmpint (job.submit_s, >=, last_s);
    last_s = job.submit_s;
    bucket_counts[job.submit_s / 1800 % LK_LUBLIN_BUCKET_COUNT]++;
  }
  for (guint i = 0; i < LK_LUBLIN_BUCKET_COUNT; i++) {
    double share = bucket_counts[i] * (double)LK_LUBLIN_BUCKET_COUNT / JOB_COUNT;
    g_assert_cmpfloat_with_epsilon (share, lk_lublin_bucket_weight (model, i), 0.1);
  }
}

static void
test_seed (void)
{
  g_autoptr (LkLublin) a = lk_lublin_new (64, 5);
  g_autoptr (LkLublin) b = lk_lublin_new (64, 5);
  g_autoptr (LkLublin) c = lk_lublin_new (64, 6);
  guint differ_count = 0;
  for (guint i = 0; i < 1000; i++) {
    LkLublinJob x;
    LkLublinJob y;
    LkLublinJob z;
    lk_lublin_next (a, &x);
    lk_lublin_next (b, &y);
    lk_lublin_next (c, &z);
    lk_lublin_uniform (b);
    g_assert_cmpint (x.submit_s, ==, y.submit_s);
    g_assert_cmpint (x.run_s, ==, y.run_s);
    g_assert_cmpuint (x.procs, ==, y.procs);
    differ_count += x.run_s != z.run_s;
  }
  g_assert_cmpuint (differ_count, >, 900);
}

static void
test_small_machine (void)
{
  for (guint32 procs = 2; procs < 20; procs++) {
    g_autoptr (LkLublin) model =
        procs % 2 == 0 ? lk_lublin_new (procs, 1) : lk_lublin_new_typed (procs - 1, 1);
    for (guint i = 0; i < 2000; i++) {
      LkLublinJob job;
      lk_lublin_next (model, &job);
      g_assert_cmpuint (job.procs, >=, 1);
      g_assert_cmpuint (job.procs, <=, procs);
    }
  }
}

/* ---------------------------------------------------------------- batch and interactive jobs */

typedef struct {
  guint count;
  guint serial_count;
  guint power_count;
  guint procs_max_count;
  double log_run_sum;
  double log_run_expected_sum;
  guint bucket_counts[LK_LUBLIN_BUCKET_COUNT];
} TypeSums;

/* Means of the gamma distributions as in the table of constants, mixed by the size. */
static double
typed_log_run_expected (LkLublinType type, guint32 procs)
{
  gboolean is_batch = type == LK_LUBLIN_BATCH;
  double p = is_batch ? 0.6986 - 0.003 * procs : 0.9156 - 0.0118 * procs;
  double first = is_batch ? 6.57 * 0.823 : 3.8351 * 0.6605;
  double second = is_batch ? 639.1 * 0.0156 : 7.073 * 0.6856;
  p = CLAMP (p, 0.0, 1.0);
  return p * first + (1 - p) * second;
}

static void
take_typed (guint32 procs, guint64 seed, TypeSums sums[3])
{
  g_autoptr (LkLublin) model = lk_lublin_new_typed (procs, seed);
  gint64 last_s = 0;
  for (guint i = 0; i < JOB_COUNT; i++) {
    LkLublinJob job;
    lk_lublin_next (model, &job);
    TypeSums *own = &sums[job.type];
    g_assert_cmpint (job.submit_s, >=, last_s);
    last_s = job.submit_s;
    own->count++;
    own->serial_count += job.procs == 1;
    own->power_count += is_power_of_two (job.procs) ? 1 : 0;
    own->procs_max_count = MAX (own->procs_max_count, job.procs);
    own->log_run_sum += log ((double)job.run_s);
    own->log_run_expected_sum += typed_log_run_expected (job.type, job.procs);
    own->bucket_counts[job.submit_s / 1800 % LK_LUBLIN_BUCKET_COUNT]++;
  }
}

static void
test_typed_sizes (void)
{
  const struct {
    LkLublinType type;
    double serial_ratio;
    /* Serial, powers of two, and what of the other sizes rounds to one: 18 % and 30 % of them. */
    double power_ratio;
    guint procs_max_count;
  } cases[] = {
    { LK_LUBLIN_BATCH, 0.2927, 0.9613 + 0.182 * 0.0387, 128 },
    { LK_LUBLIN_INTERACTIVE, 0.1541, 0.7791 + 0.301 * 0.2209, 45 }, /* 2^5.5 */
  };
  TypeSums sums[3] = { 0 };
  take_typed (128, 45, sums);
  g_assert_cmpuint (sums[LK_LUBLIN_TYPELESS].count, ==, 0);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    const TypeSums *own = &sums[cases[i].type];
    double count = own->count;
    g_assert_cmpfloat_with_epsilon (own->serial_count / count, cases[i].serial_ratio, 0.01);
    g_assert_cmpfloat_with_epsilon (own->power_count / count, cases[i].power_ratio, 0.005);
    g_assert_cmpuint (own->procs_max_count, ==, cases[i].procs_max_count);
  }
}

static void
test_typed_run_times (void)
{
  TypeSums sums[3] = { 0 };
  take_typed (128, 46, sums);
  for (guint type = LK_LUBLIN_BATCH; type <= LK_LUBLIN_INTERACTIVE; type++) {
    const TypeSums *own = &sums[type];
    /* Redrawing what is above 12 takes up to 0.1 off the mean of batch jobs. */
    g_assert_cmpfloat (own->log_run_sum / own->count, >,
                       own->log_run_expected_sum / own->count - 0.12);
    g_assert_cmpfloat (own->log_run_sum / own->count, <,
                       own->log_run_expected_sum / own->count + 0.03);
  }
  g_assert_cmpfloat (sums[LK_LUBLIN_BATCH].log_run_sum / sums[LK_LUBLIN_BATCH].count, >,
                     sums[LK_LUBLIN_INTERACTIVE].log_run_sum / sums[LK_LUBLIN_INTERACTIVE].count
                         + 2);
}

/* The mean of exp (g), g being Gamma (shape, scale) cut at 13: exp turns one gamma distribution
 * into another of scale / (1 - scale). */
static double
mean_gap_s (double shape, double scale)
{
  return pow (1 - scale, -shape) * gsl_cdf_gamma_P (13, shape, scale / (1 - scale))
         / gsl_cdf_gamma_P (13, shape, scale);
}

static void
test_typed_arrivals (void)
{
  TypeSums sums[3] = { 0 };
  take_typed (128, 47, sums);
  double batch_gap_s = mean_gap_s (6.0415 * 1.0519, 0.8531);
  double interactive_gap_s = mean_gap_s (6.5510 * 0.9797, 0.6621);
  g_assert_cmpfloat_with_epsilon ((double)sums[LK_LUBLIN_BATCH].count
                                      / sums[LK_LUBLIN_INTERACTIVE].count,
                                  interactive_gap_s / batch_gap_s, 0.01);
  /* Interactive jobs come by day more than batch jobs do. */
  double night_ratios[3];
  for (guint type = LK_LUBLIN_BATCH; type <= LK_LUBLIN_INTERACTIVE; type++) {
    guint night_count = 0;
    for (guint bucket = 0; bucket < 14; bucket++)
      night_count += sums[type].bucket_counts[bucket];
    night_ratios[type] = night_count / (double)sums[type].count;
  }
  g_assert_cmpfloat (night_ratios[LK_LUBLIN_INTERACTIVE], <, night_ratios[LK_LUBLIN_BATCH] - 0.01);
  g_assert_cmpfloat (night_ratios[LK_LUBLIN_INTERACTIVE], >, 0.05);
  g_assert_cmpfloat (night_ratios[LK_LUBLIN_BATCH], <, 14 / 48.0 - 0.05);
}

static void
test_gap_scale (void)
{
  g_autoptr (LkLublin) plain = lk_lublin_new (64, 9);
  g_autoptr (LkLublin) wide = lk_lublin_new (64, 9);
  LkLublinJob x = { 0 };
  LkLublinJob y = { 0 };
  guint bucket_counts[LK_LUBLIN_BUCKET_COUNT] = { 0 };
  lk_lublin_set_gap_scale (wide, 2.5);
  for (guint i = 0; i < JOB_COUNT; i++) {
    lk_lublin_next (plain, &x);
    lk_lublin_next (wide, &y);
    g_assert_cmpuint (x.procs, ==, y.procs);
    g_assert_cmpint (x.run_s, ==, y.run_s);
    bucket_counts[y.submit_s / 1800 % LK_LUBLIN_BUCKET_COUNT]++;
  }
  g_assert_cmpfloat_with_epsilon ((double)y.submit_s / (double)x.submit_s, 2.5, 0.01);
  for (guint i = 0; i < LK_LUBLIN_BUCKET_COUNT; i++)
    g_assert_cmpfloat_with_epsilon (bucket_counts[i] * (double)LK_LUBLIN_BUCKET_COUNT / JOB_COUNT,
                                    lk_lublin_bucket_weight (plain, i), 0.1);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/traces/lublin/has the published daily cycle", test_weights);
  g_test_add_func ("/traces/lublin/draws serial and power-of-two sizes in their shares",
                   test_sizes);
  g_test_add_func ("/traces/lublin/draws run times of the published mean", test_run_times);
  g_test_add_func ("/traces/lublin/spreads arrivals over the day by the cycle", test_arrivals);
  g_test_add_func ("/traces/lublin/is the same for one seed", test_seed);
  g_test_add_func ("/traces/lublin/fits jobs to a small machine", test_small_machine);
  g_test_add_func ("/traces/lublin/draws sizes of batch and interactive jobs in their shares",
                   test_typed_sizes);
  g_test_add_func ("/traces/lublin/draws run times of batch and interactive jobs of their means",
                   test_typed_run_times);
  g_test_add_func ("/traces/lublin/merges the arrivals of both types by time", test_typed_arrivals);
  g_test_add_func ("/traces/lublin/stretches gaps and keeps the day and the jobs", test_gap_scale);
  return g_test_run ();
}
