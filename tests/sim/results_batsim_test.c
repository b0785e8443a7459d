/* tests/sim/results_batsim_test.c — Batsim's table of jobs, and the processors that it gives
 * them. */
#include "sim/results_batsim.h"

#include <glib/gstdio.h>
#include <string.h>

#define S G_GINT64_CONSTANT (1000000)

static void
add (LkResultsBatsim *batsim, gint64 job_id, gint64 start_s, gint64 end_s, guint32 procs)
{
  LkJobRecord record = {
    .job_id = job_id,
    .procs = procs,
    .submit_us = 0,
    .start_us = start_s * S,
    .end_us = end_s * S,
    .estimate_us = 100 * S,
    .state = "COMPLETED",
  };
  lk_results_batsim_add (batsim, &record, NULL);
}

static char **
lines_of (LkResultsBatsim *batsim)
{
  g_autoptr (GString) text = g_string_new (NULL);
  lk_results_batsim_format (batsim, text);
  g_assert_cmpint (text->str[text->len - 1], ==, '\n');
  g_string_truncate (text, text->len - 1);
  return g_strsplit (text->str, "\n", -1);
}

/* Field number `index`, from 0, of lines without quotes. */
static char *
field_of (const char *line, guint index)
{
  g_auto (GStrv) fields = g_strsplit (line, ",", -1);
  g_assert_cmpuint (g_strv_length (fields), ==, 17);
  return g_strdup (fields[index]);
}

static void
test_lines (void)
{
  g_autoptr (LkResultsBatsim) batsim = lk_results_batsim_new ("w0");
  const struct {
    const char *state;
    const char *allocated;
    const char *line;
  } cases[] = {
    { "COMPLETED", NULL,
      "7,w0,delay,10.5,3,60,1,COMPLETED_SUCCESSFULLY,20.5,30,50.5,10,40,1.333333,0-2,-1," },
    { "FAILED", "5", "7,w0,delay,10.5,3,60,0,COMPLETED_FAILED,20.5,30,50.5,10,40,1.333333,5,-1," },
    { "TIMEOUT", "1-2 9",
      "7,w0,delay,10.5,3,60,0,COMPLETED_WALLTIME_REACHED,20.5,30,50.5,10,40,1.333333,1-2 9,-1," },
    { "NODE_FAIL", "0",
      "7,w0,delay,10.5,3,60,0,COMPLETED_KILLED,20.5,30,50.5,10,40,1.333333,0,-1," },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    LkJobRecord record = { .job_id = 7,
                           .procs = 3,
                           .submit_us = 10500000,
                           .start_us = 20500000,
                           .end_us = 50500000,
                           .estimate_us = 60 * S,
                           .state = cases[i].state };
    lk_results_batsim_add (batsim, &record, cases[i].allocated);
  }
  g_auto (GStrv) lines = lines_of (batsim);
  g_assert_cmpuint (g_strv_length (lines), ==, 1 + G_N_ELEMENTS (cases));
  g_assert_cmpstr (lines[0], ==,
                   "job_id,workload_name,profile,submission_time,requested_number_of_resources,"
                   "requested_time,success,final_state,starting_time,execution_time,finish_time,"
                   "waiting_time,turnaround_time,stretch,allocated_resources,consumed_energy,"
                   "metadata");
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    g_assert_cmpstr (lines[i + 1], ==, cases[i].line);
}

/* Given in the order of their ends, as a run gives them. */
static void
test_lowest_first (void)
{
  g_autoptr (LkResultsBatsim) batsim = lk_results_batsim_new ("a,b");
  add (batsim, 2, 0, 10, 2);
  add (batsim, 4, 10, 10, 3); /* no time at all */
  add (batsim, 5, 10, 20, 1);
  add (batsim, 3, 5, 30, 2);
  add (batsim, 1, 0, 40, 1);
  add (batsim, 6, 20, 50, 4);
  g_auto (GStrv) lines = lines_of (batsim);
  static const char *const expected[] = {
    "2 0-1", "1 2", "3 3-4", "4 0-1 5", "5 0", "6 0-1 5-6",
  };
  for (gsize i = 0; i < G_N_ELEMENTS (expected); i++) {
    char *at = strstr (lines[i + 1], ",\"a,b\",");
    g_assert_nonnull (at);
    *at = '\0';
    g_auto (GStrv) fields = g_strsplit (at + strlen (",\"a,b\","), ",", -1);
    g_autofree char *found = g_strdup_printf ("%s %s", lines[i + 1], fields[12]);
    g_assert_cmpstr (found, ==, expected[i]);
  }
  g_assert_nonnull (strstr (lines[4] + 8, ",10,10,,0-1 5,-1,"));
}

enum { JOBS = 300, MOMENTS = 200, PROCS = 3000 };

/* Marks the processors of an interval as taken from start to end; none may be taken already.
 * Returns: how many they are. */
static guint64
interval_take (const char *text, gint64 start_s, gint64 end_s, gint64 *last, guint8 *taken)
{
  char *rest;
  gint64 from = (gint64)g_ascii_strtoull (text, &rest, 10);
  gint64 to = *rest == '-' ? (gint64)g_ascii_strtoull (rest + 1, NULL, 10) : from;
  g_assert_cmpint (from, >, *last + 1); /* rising, and never touching */
  g_assert_cmpint (to, >=, from);
  g_assert_cmpint (to, <, PROCS);
  for (gint64 p = from; p <= to; p++)
    for (gint64 s = start_s; s < end_s; s++)
      g_assert_cmpuint (taken[s * PROCS + p]++, ==, 0);
  *last = to;
  return (guint64)(to - from + 1);
}

/* Returns: the highest processor of the job. */
static gint64
line_take (const char *line, guint8 *taken)
{
  g_autofree char *start = field_of (line, 8);
  g_autofree char *end = field_of (line, 10);
  g_autofree char *procs = field_of (line, 4);
  g_autofree char *allocated = field_of (line, 14);
  g_auto (GStrv) intervals = g_strsplit (allocated, " ", -1);
  guint64 count = 0;
  gint64 last = -2;
  for (guint k = 0; intervals[k] != NULL; k++)
    count += interval_take (intervals[k], g_ascii_strtoll (start, NULL, 10),
                            g_ascii_strtoll (end, NULL, 10), &last, taken);
  g_assert_cmpuint (count, ==, g_ascii_strtoull (procs, NULL, 10));
  return last;
}

/* No processor twice at one moment, none beyond the most that were ever held, and as many as were
 * asked for: on random schedules. */
static void
test_random (void)
{
  for (guint seed = 1; seed <= 20; seed++) {
    g_autoptr (GRand) random = g_rand_new_with_seed (seed);
    g_autoptr (LkResultsBatsim) batsim = lk_results_batsim_new ("w");
    guint held[MOMENTS] = { 0 };
    guint held_max = 0;
    for (gint64 i = 0; i < JOBS; i++) {
      gint64 start_s = g_rand_int_range (random, 0, MOMENTS - 1);
      gint64 end_s = g_rand_int_range (random, (gint32)start_s + 1, MOMENTS);
      guint32 procs = (guint32)g_rand_int_range (random, 1, 9);
      add (batsim, i, start_s, end_s, procs);
      for (gint64 s = start_s; s < end_s; s++)
        held_max = MAX (held_max, held[s] += procs);
    }
    g_auto (GStrv) lines = lines_of (batsim);
    g_autofree guint8 *taken = g_new0 (guint8, MOMENTS * PROCS);
    for (guint i = 1; lines[i] != NULL; i++)
      g_assert_cmpint (line_take (lines[i], taken), <, held_max);
  }
}

static void
test_file (void)
{
  g_autofree char *folder = g_dir_make_tmp ("lk-batsim-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "batsim_jobs.csv", NULL);
  g_autofree char *missing = g_build_filename (folder, "none", "batsim_jobs.csv", NULL);
  g_autofree char *contents = NULL;
  g_autoptr (GString) expected = g_string_new (NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (LkResultsBatsim) batsim = lk_results_batsim_new ("w");
  g_autoptr (LkResultsBatsim) again = lk_results_batsim_new ("w");
  for (gint64 i = 0; i < 3000; i++) {
    add (batsim, i, i, i + 50, 3);
    add (again, i, i, i + 50, 3);
  }
  g_assert_true (lk_results_batsim_write (batsim, path, &error));
  g_assert_no_error (error);
  lk_results_batsim_format (again, expected);
  g_assert_true (g_file_get_contents (path, &contents, NULL, NULL));
  g_assert_cmpstr (contents, ==, expected->str);
  g_assert_false (lk_results_batsim_write (again, missing, &error));
  g_assert_nonnull (error);
  g_unlink (path);
  g_rmdir (folder);
}

/* One run into a directory, with the table or without. */
static void
run (const char *directory, gboolean is_wanted)
{
  const LkRunInfo info = { .trace = "some/log.swf",
                           .order = "fifo",
                           .backfill = "easy",
                           .select = "pool",
                           .limit = "kill",
                           .tie_rule = "instant",
                           .estimates = "trace",
                           .procs = 8 };
  LkJobRecord record = { .job_id = 1,
                         .procs = 3,
                         .end_us = 5 * S,
                         .estimate_us = 9 * S,
                         .state = "COMPLETED",
                         .allocated = "4 6-7" };
  LkRunTotals totals = { .events = 1 };
  LkSummary summary;
  g_autoptr (GError) error = NULL;
  g_autoptr (LkResults) results = lk_results_new (&info, directory, &error);
  g_assert_no_error (error);
  if (is_wanted)
    lk_results_want_batsim (results);
  g_assert_true (lk_results_add (results, &record, &error));
  record.allocated = NULL;
  g_assert_true (lk_results_add (results, &record, &error));
  g_assert_true (lk_results_finish (results, &totals, &summary, &error));
  g_assert_no_error (error);
}

static void
test_in_results (void)
{
  static const char *const names[] = { LK_RESULTS_CSV, LK_RESULTS_SQLITE, LK_RESULTS_SUMMARY };
  g_autofree char *folder = g_dir_make_tmp ("lk-batsim-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, LK_RESULTS_BATSIM, NULL);
  g_autofree char *contents = NULL;
  run (folder, TRUE);
  g_assert_true (g_file_get_contents (path, &contents, NULL, NULL));
  g_assert_nonnull (strstr (contents, "\n1,log.swf,delay,0,3,9,1,COMPLETED_SUCCESSFULLY,0,5,5,0,5,"
                                      "1.000000,4 6-7,-1,\n"));
  g_assert_nonnull (strstr (contents, ",0-2,-1,\n"));
  run (folder, FALSE);
  g_assert_false (g_file_test (path, G_FILE_TEST_EXISTS));
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++) {
    g_autofree char *result = g_build_filename (folder, names[i], NULL);
    g_assert_cmpint (g_unlink (result), ==, 0);
  }
  g_assert_cmpint (g_rmdir (folder), ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/sim/results_batsim/writes the columns that Batsim has", test_lines);
  g_test_add_func ("/sim/results_batsim/gives a job the lowest free processors", test_lowest_first);
  g_test_add_func ("/sim/results_batsim/gives no processor to two jobs at a time", test_random);
  g_test_add_func ("/sim/results_batsim/writes a file that appears whole or not at all", test_file);
  g_test_add_func ("/sim/results_batsim/stands beside the results of its own run only",
                   test_in_results);
  return g_test_run ();
}
