/* tests/traces/clean_test.c — the cleaning rules, one by one and against each other. */
#include "traces/clean.h"

#define US 1000000

static LkSwfJob
job_good (void)
{
  return (LkSwfJob){
    .number = 9,
    .submit_us = 0,
    .run_us = 5 * US,
    .procs_used = 3,
    .procs = 4,
    .estimate_us = 7 * US,
    .status = 1,
    .user_id = 11,
    .group_id = 12,
    .partition_id = 13,
  };
}

static LkTraceJob
expect_kept (const LkSwfJob *job)
{
  LkCleanCounts counts = { 0 };
  LkTraceJob cleaned;
  g_assert_true (lk_swf_job_clean (job, 4, &counts, &cleaned));
  g_assert_cmpuint (lk_clean_counts_total (&counts), ==, 0);
  return cleaned;
}

static LkCleanCounts
expect_dropped (const LkSwfJob *job)
{
  LkCleanCounts counts = { 0 };
  LkTraceJob cleaned = { .number = -99 };
  g_assert_false (lk_swf_job_clean (job, 4, &counts, &cleaned));
  g_assert_cmpuint (lk_clean_counts_total (&counts), ==, 1);
  g_assert_cmpint (cleaned.number, ==, -99);
  return counts;
}

static void
test_good (void)
{
  LkSwfJob job = job_good ();
  LkTraceJob cleaned = expect_kept (&job);
  g_assert_cmpint (cleaned.number, ==, 9);
  g_assert_cmpint (cleaned.submit_us, ==, 0);
  g_assert_cmpint (cleaned.run_us, ==, 5 * US);
  g_assert_cmpint (cleaned.estimate_us, ==, 7 * US);
  g_assert_cmpuint (cleaned.procs, ==, 4);
  g_assert_cmpuint (cleaned.user_id, ==, 11);
  g_assert_cmpuint (cleaned.group_id, ==, 12);
  g_assert_cmpuint (cleaned.partition_id, ==, 13);
  g_assert_cmpint (cleaned.status, ==, 1);
}

static void
test_fallbacks (void)
{
  LkSwfJob job = job_good ();
  job.procs = 0;
  job.estimate_us = 0;
  LkTraceJob cleaned = expect_kept (&job);
  g_assert_cmpuint (cleaned.procs, ==, 3);
  g_assert_cmpint (cleaned.estimate_us, ==, cleaned.run_us);
  job.procs = -1;
  job.estimate_us = -US;
  cleaned = expect_kept (&job);
  g_assert_cmpuint (cleaned.procs, ==, 3);
  g_assert_cmpint (cleaned.estimate_us, ==, cleaned.run_us);
  job.estimate_us = 1;
  cleaned = expect_kept (&job);
  g_assert_cmpint (cleaned.estimate_us, ==, 1);
}

static void
test_unknown_ids (void)
{
  LkSwfJob job = job_good ();
  job.user_id = -1;
  job.group_id = G_GINT64_CONSTANT (4294967296);
  job.partition_id = G_MAXUINT32;
  LkTraceJob cleaned = expect_kept (&job);
  g_assert_cmpuint (cleaned.user_id, ==, 0);
  g_assert_cmpuint (cleaned.group_id, ==, 0);
  g_assert_cmpuint (cleaned.partition_id, ==, G_MAXUINT32);
}

static void
test_causes (void)
{
  LkSwfJob job = job_good ();
  job.submit_us = -1;
  g_assert_cmpuint (expect_dropped (&job).negative_submit, ==, 1);
  job.procs = 5;
  g_assert_cmpuint (expect_dropped (&job).too_large, ==, 1);
  job.procs = 0;
  job.procs_used = 0;
  g_assert_cmpuint (expect_dropped (&job).no_procs, ==, 1);
  job.run_us = 0;
  g_assert_cmpuint (expect_dropped (&job).no_run, ==, 1);
  /* 2^32 + 1 processors are not 1. */
  job = job_good ();
  job.procs = G_GINT64_CONSTANT (4294967297);
  g_assert_cmpuint (expect_dropped (&job).too_large, ==, 1);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/clean/a good job keeps its numbers", test_good);
  g_test_add_func ("/clean/allocated processors and the run time stand in for missing requests",
                   test_fallbacks);
  g_test_add_func ("/clean/ids that are unknown or too large become 0", test_unknown_ids);
  g_test_add_func ("/clean/each cause is counted once, in a fixed order", test_causes);
  return g_test_run ();
}
