/* tests/sim/report_array_test.c — how squeue names tasks of arrays, as the recording 11-array-limit
 * of a real cluster has it. */
#include "sim/report.h"
#include "tests/engine/array_fixture.h"

/* The two arrays of the recording, a second behind their start. */
static void
init (LkFixture *self)
{
  fixture_init (self, 24, "fifo", "easy");
  array_submit (self, 0, 1, 1, 120, "0-9%3");
  array_submit (self, 0, 2, 1, 120, "1-7:2,10");
  fixture_event (self, 0, LK_EVENT_PASS, 0);
}

static char *
squeue (const LkFixture *self, LkReportOptions *options)
{
  GString *text = g_string_new (NULL);
  LkReportState state = { .engine = self->engine,
                          .config = lk_setup_config (self->setup),
                          .at_us = G_USEC_PER_SEC,
                          .unix_start_s = -1 };
  options->kind = LK_REPORT_SQUEUE;
  options->no_heading = TRUE;
  lk_report_write (&state, options, text);
  return g_string_free (text, FALSE);
}

static void
test_compact (void)
{
  LkFixture f;
  LkReportOptions options = { .format = (char *)"%.18i %.2t %.10M %r", .sort = (char *)"i" };
  init (&f);
  g_autofree char *text = squeue (&f, &options);
  g_assert_cmpstr (text, ==,
                   "               1_0  R       0:01 None\n"
                   "               1_1  R       0:01 None\n"
                   "               1_2  R       0:01 None\n"
                   "         1_[3-9%3] PD       0:00 JobArrayTaskLimit\n"
                   "               2_1  R       0:01 None\n"
                   "               2_3  R       0:01 None\n"
                   "               2_5  R       0:01 None\n"
                   "               2_7  R       0:01 None\n"
                   "              2_10  R       0:01 None\n");
  fixture_clear (&f);
}

static void
test_by_task (void)
{
  LkFixture f;
  char *jobs[] = { (char *)"1", NULL };
  LkReportOptions options = {
    .format = (char *)"%i %t %A %F %K", .sort = (char *)"i", .by_task = TRUE, .jobs = jobs
  };
  init (&f);
  array_event (&f, 1, LK_EVENT_CANCEL, 1, "[5-9]");
  g_autofree char *text = squeue (&f, &options);
  g_assert_cmpstr (text, ==, "1_0 R 3 1 0\n1_1 R 4 1 1\n1_2 R 5 1 2\n1_3 PD 1 1 3\n1_4 PD 1 1 4\n");
  options.by_task = FALSE;
  g_autofree char *compact = squeue (&f, &options);
  g_assert_cmpstr (compact, ==, "1_0 R 3 1 0\n1_1 R 4 1 1\n1_2 R 5 1 2\n1_[3-4%3] PD 1 1 3-4\n");
  fixture_clear (&f);
}

/* A job of no array beside them, and the record when it is the last task. */
static void
test_plain (void)
{
  LkFixture f;
  LkReportOptions options = { .format = (char *)"%i %A %F %K", .sort = (char *)"i" };
  fixture_init (&f, 3, "fifo", "easy");
  array_submit (&f, 0, 1, 1, 120, "4-5");
  fixture_submit (&f, 0, 7, 1, 120);
  fixture_event (&f, 0, LK_EVENT_PASS, 0);
  g_autofree char *text = squeue (&f, &options);
  g_assert_cmpstr (text, ==, "1_4 8 1 4\n1_5 1 1 5\n7 7 7 N/A\n");
  fixture_clear (&f);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/report/tasks that wait are one row", test_compact);
  g_test_add_func ("/report/each task is a row", test_by_task);
  g_test_add_func ("/report/the last task has the id of its array", test_plain);
  return g_test_run ();
}
