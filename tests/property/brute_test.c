/* tests/property/brute_test.c — is the reference itself right?
 *
 * The worked examples of the literature's definitions, by hand, and two identities between
 * policies that are written separately in brute.c: one reservation is EASY, and as many
 * reservations as jobs is a plan made anew at each pass. */
#include <glib.h>
#include <math.h>

#include "tests/property/brute.h"
#include "tests/property/workload.h"

#define ROUNDS 400u

static LkBruteJob
job (int id, int procs, int64_t submit_s, int64_t estimate_s)
{
  return (LkBruteJob){ .id = id,
                       .procs = procs,
                       .submit_s = submit_s,
                       .run_s = estimate_s,
                       .estimate_s = estimate_s,
                       .cancel_s = LK_BRUTE_NEVER_S };
}

static void
assert_starts (const LkBruteOptions *options, const LkBruteJob *jobs, int job_count,
               const int64_t *starts_s)
{
  LkBruteResult results[LK_BRUTE_JOBS_MAX];
  g_assert_true (lk_brute_schedule (options, jobs, job_count, results));
  for (int i = 0; i < job_count; i++)
    g_assert_cmpint (results[i].start_s, ==, starts_s[i]);
}

static void
easy_example (void)
{
  LkBruteOptions options = { .procs = 10, .backfill = LK_BRUTE_EASY };
  /* R1, R2, the blocked head, a, b, c. */
  LkBruteJob jobs[] = { job (1, 6, 0, 100), job (2, 2, 0, 50),  job (3, 7, 0, 10),
                        job (4, 2, 0, 60),  job (5, 1, 0, 200), job (6, 1, 0, 100) };
  /* a fills the machine; at 50 R2 gives 2 back, and b and c may keep one each of e = 3. */
  int64_t starts_s[] = { 0, 0, 100, 0, 50, 50 };
  assert_starts (&options, jobs, 6, starts_s);
  /* With a of 1: b starts beside it, on the extra processors. */
  jobs[3].procs = 1;
  int64_t narrow_starts_s[] = { 0, 0, 100, 0, 0, 50 };
  assert_starts (&options, jobs, 6, narrow_starts_s);
}

static void
conservative_example (void)
{
  LkBruteOptions options = { .procs = 4, .backfill = LK_BRUTE_CONSERVATIVE };
  LkBruteJob jobs[] = { job (1, 3, 0, 10), job (2, 4, 0, 10), job (3, 1, 0, 10),
                        job (4, 1, 0, 11) };
  int64_t starts_s[] = { 0, 10, 0, 20 };
  assert_starts (&options, jobs, 4, starts_s);
  options.backfill = LK_BRUTE_REPLAN;
  assert_starts (&options, jobs, 4, starts_s);
}

/* The first ends at 4 instead of 10: the head moves up, and the one behind it follows. */
static void
compression_example (void)
{
  LkBruteOptions options = { .procs = 4, .backfill = LK_BRUTE_CONSERVATIVE };
  LkBruteJob jobs[] = { job (1, 3, 0, 10), job (2, 4, 0, 10), job (3, 1, 0, 11) };
  jobs[0].run_s = 4;
  int64_t starts_s[] = { 0, 4, 14 };
  assert_starts (&options, jobs, 3, starts_s);
}

/* A job that runs past its estimate is ended at it; one that needs all of it completes. */
static void
limit_example (void)
{
  LkBruteOptions options = { .procs = 1, .backfill = LK_BRUTE_NONE };
  LkBruteJob jobs[] = { job (1, 1, 0, 10), job (2, 1, 0, 5) };
  LkBruteResult results[2];
  jobs[0].run_s = 11;
  g_assert_true (lk_brute_schedule (&options, jobs, 2, results));
  g_assert_cmpint (results[0].end_s, ==, 10);
  g_assert_cmpint (results[0].state, ==, LK_BRUTE_TIMEOUT);
  g_assert_cmpint (results[1].start_s, ==, 10);
  g_assert_cmpint (results[1].end_s, ==, 15);
  g_assert_cmpint (results[1].state, ==, LK_BRUTE_COMPLETED);
}

static void
assert_near (double value, double expected)
{
  if (isinf (expected))
    g_assert_true (value == expected);
  else
    g_assert_cmpfloat_with_epsilon (value, expected, 1e-9 * fabs (expected));
}

static void
score_example (void)
{
  LkBruteJob jobs[] = { job (1, 4, 100, 100), job (2, 1, 400, 1000), job (3, 64, 900, 10) };
  static const struct {
    LkBruteOrder order;
    double scores[3];
  } table[] = {
    { LK_BRUTE_WFP3, { -2916, -0.216, -64000 } },
    { LK_BRUTE_UNICEF, { -4.5, -INFINITY, -100.0 / 60.0 } },
    { LK_BRUTE_SAF, { 400, 1000, 640 } },
    { LK_BRUTE_XFACTOR, { -10, -1.6, -11 } },
    { LK_BRUTE_F1, { 1748, 2266.79219246, 2634.19098321 } },
    { LK_BRUTE_F2, { 51240, 66644.3585546, 75830.9940119 } },
    { LK_BRUTE_F3, { 13720400, 17851131.5405, 20266743.6148 } },
    { LK_BRUTE_F4, { 1060200, 1380091.7954, 1565828.5300 } },
  };
  for (guint row = 0; row < G_N_ELEMENTS (table); row++)
    for (int i = 0; i < 3; i++)
      assert_near (lk_brute_score (table[row].order, &jobs[i], 1000, 0), table[row].scores[i]);
}

static void
assert_same_schedule (const LkWorkload *workload, const LkBruteOptions *a, const LkBruteOptions *b)
{
  LkBruteJob jobs[LK_BRUTE_JOBS_MAX];
  LkBruteResult results_a[LK_BRUTE_JOBS_MAX], results_b[LK_BRUTE_JOBS_MAX];
  int job_count = lk_workload_brute_jobs (workload, jobs);
  lk_brute_schedule (a, jobs, job_count, results_a);
  lk_brute_schedule (b, jobs, job_count, results_b);
  for (int i = 0; i < job_count; i++) {
    g_assert_cmpint (results_a[i].start_s, ==, results_b[i].start_s);
    g_assert_cmpint (results_a[i].end_s, ==, results_b[i].end_s);
    g_assert_cmpint (results_a[i].backfilled, ==, results_b[i].backfilled);
  }
}

static void
reservation_identities (void)
{
  for (guint64 seed = 1; seed <= ROUNDS; seed++) {
    LkWorkload workload;
    lk_workload_generate (seed, &workload);
    LkBruteOrder order = (LkBruteOrder)(seed % LK_BRUTE_ORDER_COUNT);
    LkBruteOptions a = { .procs = (int)workload.procs, .order = order };
    a.backfill_order = seed % 2 ? order : (LkBruteOrder)(seed / 2 % LK_BRUTE_ORDER_COUNT);
    LkBruteOptions b = a;
    a.backfill = LK_BRUTE_EASY;
    b.backfill = LK_BRUTE_RESERVATIONS;
    b.reservations = 1;
    assert_same_schedule (&workload, &a, &b);
    a.backfill = LK_BRUTE_REPLAN;
    b.reservations = LK_BRUTE_JOBS_MAX;
    assert_same_schedule (&workload, &a, &b);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/brute/easy gives the worked example", easy_example);
  g_test_add_func ("/brute/conservative gives the worked example", conservative_example);
  g_test_add_func ("/brute/conservative compresses after an early end", compression_example);
  g_test_add_func ("/brute/a job is ended at its estimate", limit_example);
  g_test_add_func ("/brute/scores are those of the worked example", score_example);
  g_test_add_func ("/brute/one reservation is EASY and all reservations are a replan",
                   reservation_identities);
  return g_test_run ();
}
