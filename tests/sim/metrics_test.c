/* tests/sim/metrics_test.c — worked numbers, and random schedules against sorting everything. */
#include <glib.h>
#include <math.h>
#include <stdlib.h>

#include "sim/error.h"
#include "sim/metrics.h"

#define S G_GINT64_CONSTANT (1000000)

static void
add (LkSpool *spool, gint64 submit_us, gint64 start_us, gint64 run_us, guint32 procs)
{
  LkSpoolRecord record = {
    .start_us = start_us, .wait_us = start_us - submit_us, .run_us = run_us, .procs = procs
  };
  g_assert_true (lk_spool_add (spool, &record, NULL));
}

/* Four jobs on ten processors; waits 0 90 80 0; bounded slowdowns 1, 140/50, 85/10, 1. */
static LkSpool *
worked_spool (void)
{
  LkSpool *spool = lk_spool_new (LK_SPOOL_LIMIT_DEFAULT_BYTES, NULL);
  add (spool, 0, 0, 100 * S, 10);
  add (spool, 20 * S, 100 * S, 5 * S, 6);
  add (spool, 10 * S, 100 * S, 50 * S, 4);
  add (spool, 200 * S, 200 * S, 100 * S, 5);
  return spool;
}

static void
test_worked (void)
{
  g_autoptr (LkSpool) spool = worked_spool ();
  LkMetricsOptions options = { .procs = 10 };
  LkMetrics m;
  g_assert_true (lk_metrics_compute (spool, &options, &m, NULL));
  g_assert_cmpuint (m.jobs, ==, 4);
  g_assert_cmpuint (m.jobs_measured, ==, 4);
  g_assert_cmpfloat (m.mean_wait_s, ==, 42.5);
  g_assert_cmpfloat (m.median_wait_s, ==, 0.0);
  g_assert_cmpfloat (m.p95_wait_s, ==, 90.0);
  g_assert_cmpfloat (m.max_wait_s, ==, 90.0);
  g_assert_cmpfloat_with_epsilon (m.mean_bounded_slowdown, 3.325, 1e-11);
  g_assert_cmpfloat (m.median_bounded_slowdown, ==, 1.0);
  g_assert_cmpfloat (m.p95_bounded_slowdown, ==, 8.5);
  g_assert_cmpint (m.makespan_us, ==, 300 * S);
  g_assert_cmpfloat_with_epsilon (m.utilization, 1730.0 / 3000.0, 1e-15);
}

static void
test_window (void)
{
  g_autoptr (LkSpool) spool = worked_spool ();
  LkMetricsOptions options = { .procs = 10, .warmup_us = 50 * S, .cooldown_us = 120 * S };
  LkMetrics m;
  g_assert_true (lk_metrics_compute (spool, &options, &m, NULL));
  g_assert_cmpint (m.window_begin_us, ==, 50 * S);
  g_assert_cmpint (m.window_end_us, ==, 180 * S);
  g_assert_cmpuint (m.jobs, ==, 4);
  g_assert_cmpuint (m.jobs_measured, ==, 2);
  g_assert_cmpfloat (m.mean_wait_s, ==, 85.0);
  g_assert_cmpfloat (m.median_wait_s, ==, 80.0);
  g_assert_cmpfloat (m.p95_wait_s, ==, 90.0);
  /* The first job is clipped to its last 50 s; the last one starts behind the window. */
  g_assert_cmpfloat_with_epsilon (m.utilization, (500.0 + 200.0 + 30.0) / 1300.0, 1e-15);
  g_assert_cmpint (m.makespan_us, ==, 300 * S);
}

static void
test_window_empty (void)
{
  g_autoptr (LkSpool) spool = worked_spool ();
  LkMetricsOptions options = { .procs = 10, .warmup_us = 200 * S, .cooldown_us = 100 * S };
  LkMetrics m;
  g_autoptr (GError) error = NULL;
  g_assert_false (lk_metrics_compute (spool, &options, &m, &error));
  g_assert_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE);
}

static void
test_window_without_starts (void)
{
  g_autoptr (LkSpool) spool = worked_spool ();
  LkMetricsOptions options = { .procs = 10, .warmup_us = 210 * S };
  LkMetrics m;
  g_assert_true (lk_metrics_compute (spool, &options, &m, NULL));
  g_assert_cmpuint (m.jobs_measured, ==, 0);
  g_assert_true (isnan (m.mean_wait_s));
  g_assert_cmpfloat_with_epsilon (m.utilization, 0.5, 1e-15);
}

static void
test_no_jobs (void)
{
  g_autoptr (LkSpool) spool = lk_spool_new (0, NULL);
  LkMetricsOptions options = { .procs = 10, .warmup_us = S };
  LkMetrics m;
  g_assert_true (lk_metrics_compute (spool, &options, &m, NULL));
  g_assert_cmpuint (m.jobs, ==, 0);
  g_assert_cmpint (m.makespan_us, ==, 0);
  g_assert_true (isnan (m.utilization));
}

static int
compare_doubles (const void *a, const void *b)
{
  double x = *(const double *)a;
  double y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Every quantity again, by sorting and by sums of long doubles. */
static void
check_against_sorting (const LkMetrics *m, GArray *waits, GArray *slowdowns)
{
  guint n = waits->len;
  long double wait_sum = 0;
  long double slowdown_sum = 0;
  for (guint i = 0; i < n; i++) {
    wait_sum += g_array_index (waits, double, i);
    slowdown_sum += g_array_index (slowdowns, double, i);
  }
  qsort (waits->data, n, sizeof (double), compare_doubles);
  qsort (slowdowns->data, n, sizeof (double), compare_doubles);
  guint middle = (n + 1) / 2 - 1;
  guint high = (guint)ceil (0.95 * n - 1e-9) - 1;
  g_assert_cmpuint (m->jobs_measured, ==, n);
  g_assert_cmpfloat (m->median_wait_s, ==, g_array_index (waits, double, middle));
  g_assert_cmpfloat (m->p95_wait_s, ==, g_array_index (waits, double, high));
  g_assert_cmpfloat (m->max_wait_s, ==, g_array_index (waits, double, n - 1));
  g_assert_cmpfloat (m->median_bounded_slowdown, ==, g_array_index (slowdowns, double, middle));
  g_assert_cmpfloat (m->p95_bounded_slowdown, ==, g_array_index (slowdowns, double, high));
  double mean_wait_s = (double)(wait_sum / n);
  double mean_slowdown = (double)(slowdown_sum / n);
  g_assert_cmpfloat_with_epsilon (m->mean_wait_s, mean_wait_s, 1e-9 * (1 + mean_wait_s));
  g_assert_cmpfloat_with_epsilon (m->mean_bounded_slowdown, mean_slowdown, 1e-9 * mean_slowdown);
}

typedef struct {
  guint job_count;
  gsize limit_bytes; /* of the spool */
  gboolean fractions;
  gint64 wait_least_us;
  double wait_range_s;
} Shape;

static void
random_schedule (GRand *random, const Shape *shape)
{
  g_autoptr (LkSpool) spool = lk_spool_new (shape->limit_bytes, NULL);
  g_autoptr (GArray) waits = g_array_new (FALSE, FALSE, sizeof (double));
  g_autoptr (GArray) slowdowns = g_array_new (FALSE, FALSE, sizeof (double));
  gint64 first_us = G_MAXINT64;
  gint64 last_us = G_MININT64;
  for (guint i = 0; i < shape->job_count; i++) {
    gint64 unit_us = shape->fractions ? 1 : S;
    gint64 submit_us = g_rand_int_range (random, 0, 1000000) * S;
    gint64 wait_us = (gint64)g_rand_double_range (random, 0, shape->wait_range_s) * S;
    wait_us +=
        shape->wait_least_us + (shape->fractions ? g_rand_int_range (random, 0, 1000000) : 0);
    gint64 run_us = (1 + g_rand_int_range (random, 0, 100000)) * unit_us;
    double wait_s = (double)wait_us / 1e6;
    double slowdown = lk_bounded_slowdown (wait_us, run_us, 10 * S);
    add (spool, submit_us, submit_us + wait_us, run_us, 1);
    g_array_append_val (waits, wait_s);
    g_array_append_val (slowdowns, slowdown);
    first_us = MIN (first_us, submit_us);
    last_us = MAX (last_us, submit_us + wait_us + run_us);
  }
  LkMetricsOptions options = { .procs = 4 };
  LkMetrics m;
  g_assert_true (lk_metrics_compute (spool, &options, &m, NULL));
  g_assert_cmpint (m.makespan_us, ==, last_us - first_us);
  check_against_sorting (&m, waits, slowdowns);
}

static void
test_random (void)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (20240);
  for (guint i = 0; i < 400; i++) {
    Shape shape = { .job_count = 1 + (guint)g_rand_int_range (random, 0, 300),
                    .limit_bytes = LK_SPOOL_LIMIT_DEFAULT_BYTES,
                    .fractions = g_rand_boolean (random),
                    .wait_range_s = exp (g_rand_double_range (random, 0, 18)) };
    random_schedule (random, &shape);
  }
  Shape spilled = { .job_count = 50000, .fractions = TRUE, .wait_range_s = 1e6 };
  random_schedule (random, &spilled);
  spilled.job_count++;
  spilled.limit_bytes = 1 << 20;
  random_schedule (random, &spilled);
}

/* So many values so near each other that they are told apart by their last digits only. */
static void
test_narrow (void)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (20241);
  static const gint64 leasts_us[] = { 0, 1000 * S, 1000000 * S, 1000000000 * S };
  for (gsize i = 0; i < G_N_ELEMENTS (leasts_us); i++) {
    Shape shape = { .job_count = 150000,
                    .limit_bytes = LK_SPOOL_LIMIT_DEFAULT_BYTES,
                    .fractions = TRUE,
                    .wait_least_us = leasts_us[i],
                    .wait_range_s = 1 };
    random_schedule (random, &shape);
    shape.fractions = FALSE;
    random_schedule (random, &shape);
  }
}

static void
test_order_free (void)
{
  g_autoptr (LkSpool) forward = lk_spool_new (0, NULL);
  g_autoptr (LkSpool) backward = lk_spool_new (0, NULL);
  guint job_count = 20000;
  for (guint i = 0; i < job_count; i++) {
    guint j = job_count - 1 - i;
    add (forward, i, i + (i * 7919u) % 104729u * 1000, 3 + i % 17 * 1000000, 1 + i % 5);
    add (backward, j, j + (j * 7919u) % 104729u * 1000, 3 + j % 17 * 1000000, 1 + j % 5);
  }
  LkMetricsOptions options = { .procs = 40, .warmup_us = 1000 };
  LkMetrics a;
  LkMetrics b;
  g_assert_true (lk_metrics_compute (forward, &options, &a, NULL));
  g_assert_true (lk_metrics_compute (backward, &options, &b, NULL));
  g_assert_cmpfloat (a.mean_wait_s, ==, b.mean_wait_s);
  g_assert_cmpfloat (a.mean_bounded_slowdown, ==, b.mean_bounded_slowdown);
  g_assert_cmpfloat (a.utilization, ==, b.utilization);
  g_assert_cmpfloat (a.p95_bounded_slowdown, ==, b.p95_bounded_slowdown);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/sim/metrics/agrees with numbers worked by hand", test_worked);
  g_test_add_func ("/sim/metrics/cuts warm-up and cool-down", test_window);
  g_test_add_func ("/sim/metrics/refuses an empty window", test_window_empty);
  g_test_add_func ("/sim/metrics/has no means when nothing started in the window",
                   test_window_without_starts);
  g_test_add_func ("/sim/metrics/accepts a run without jobs", test_no_jobs);
  g_test_add_func ("/sim/metrics/agrees with sorting on random schedules", test_random);
  g_test_add_func ("/sim/metrics/agrees with sorting when all values are near", test_narrow);
  g_test_add_func ("/sim/metrics/does not depend on the order of the jobs", test_order_free);
  return g_test_run ();
}
