/* tests/traces/lublin_test.c — shares, moments and the daily cycle of the model. */
#include <glib.h>
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
    g_autoptr (LkLublin) model = lk_lublin_new (procs, 1);
    for (guint i = 0; i < 2000; i++) {
      LkLublinJob job;
      lk_lublin_next (model, &job);
      g_assert_cmpuint (job.procs, >=, 1);
      g_assert_cmpuint (job.procs, <=, procs);
    }
  }
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
  return g_test_run ();
}
