/* tests/traces/source_test.c — selection, order, load scaling and the errors of an empty result. */
#include "traces/source.h"

#include <string.h>

#define US 1000000

/* Lines of "number submit run procs", made into a log. */
static char *
log_make (const char *header, const char *jobs)
{
  GString *text = g_string_new (header);
  g_auto (GStrv) lines = g_strsplit (jobs, ",", -1);
  for (guint i = 0; lines[i]; i++) {
    g_auto (GStrv) words = g_strsplit (g_strstrip (lines[i]), " ", -1);
    g_assert_cmpuint (g_strv_length (words), ==, 4);
    g_string_append_printf (text, "%s %s -1 %s -1 -1 -1 %s -1 -1 1 1 1 -1 1 1 -1 -1\n", words[0],
                            words[1], words[2], words[3]);
  }
  return g_string_free (text, FALSE);
}

/* "number@submit_us number@submit_us", or "error: ..."; `out_counts` may be NULL. */
static char *
source_run (const char *text, const LkTraceOptions *options, LkTraceCounts *out_counts)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GString) seen = g_string_new (NULL);
  g_autoptr (LkTraceSource) source = lk_trace_source_new_from_bytes (
      "x.swf", (const guint8 *)text, strlen (text), options, &error);
  if (!source)
    return g_strdup_printf ("error: %s", error->message);
  LkTraceJob job;
  int got;
  while ((got = lk_trace_source_next (source, &job, &error)) == 1)
    g_string_append_printf (seen, "%s%" G_GINT64_FORMAT "@%" G_GINT64_FORMAT, seen->len ? " " : "",
                            job.number, job.submit_us);
  if (got < 0)
    return g_strdup_printf ("error: %s", error->message);
  if (out_counts)
    lk_trace_source_counts (source, out_counts);
  return g_string_free (g_steal_pointer (&seen), FALSE);
}

static void
expect (const char *text, const LkTraceOptions *options, const char *expected)
{
  g_autofree char *seen = source_run (text, options, NULL);
  g_assert_cmpstr (seen, ==, expected);
}

static LkTraceOptions
options_default (void)
{
  LkTraceOptions options;
  lk_trace_options_init (&options);
  return options;
}

static void
test_stream (void)
{
  LkTraceOptions options = options_default ();
  g_autofree char *text =
      log_make ("; MaxProcs: 8\n", "1 0 10 1, 2 0 0 1, 3 4 10 9, 4 4 10 0, 5 -1 10 1, 6 4 1 8");
  LkTraceCounts counts;
  g_autofree char *seen = source_run (text, &options, &counts);
  g_assert_cmpstr (seen, ==, "1@0 6@4000000");
  g_assert_cmpuint (counts.kept, ==, 2);
  g_assert_cmpuint (counts.not_selected, ==, 0);
  g_assert_cmpuint (counts.dropped.no_run, ==, 1);
  g_assert_cmpuint (counts.dropped.too_large, ==, 1);
  g_assert_cmpuint (counts.dropped.no_procs, ==, 1);
  g_assert_cmpuint (counts.dropped.negative_submit, ==, 1);
  g_assert_cmpuint (counts.log.job_count, ==, 6);
}

static void
test_machine (void)
{
  LkTraceOptions options = options_default ();
  g_autofree char *nodes = log_make ("; MaxNodes: 4\n; MaxProcs: -1\n", "1 0 10 4, 2 0 10 5");
  expect (nodes, &options, "1@0");
  options.procs = 5;
  expect (nodes, &options, "1@0 2@0");
  options.procs = 3;
  expect (nodes, &options,
          "error: trace 'x.swf': a machine of 3 processors is smaller than every job; the smallest "
          "asks for 4 (set the machine with --procs)");
  options.procs = 0;
  g_autofree char *none = log_make ("", "1 0 10 4");
  expect (
      none, &options,
      "error: trace 'x.swf': the size of the machine is unknown: no usable MaxProcs or MaxNodes in "
      "the header; give it with --procs");
  g_autofree char *huge = log_make ("; MaxProcs: 2147483648\n", "1 0 10 4");
  expect (huge, &options,
          "error: trace 'x.swf': a machine of 2147483648 processors; expected at most 2147483647 "
          "(set it with --procs)");
}

static void
test_selection (void)
{
  LkTraceOptions options = options_default ();
  g_autofree char *text =
      log_make ("; MaxProcs: 8\n", "1 0 10 1, 2 5 10 1, 3 10 10 1, 4 15 10 1, 5 20 0 1");
  options.jobs_first = 2;
  options.jobs_last = 3;
  LkTraceCounts counts;
  g_autofree char *seen = source_run (text, &options, &counts);
  g_assert_cmpstr (seen, ==, "2@5000000 3@10000000");
  g_assert_cmpuint (counts.not_selected, ==, 3);
  g_assert_cmpuint (counts.dropped.no_run, ==, 0);
  options = options_default ();
  options.time_begin_us = 5 * US;
  options.time_end_us = 15 * US;
  expect (text, &options, "2@5000000 3@10000000");
  options.time_begin_us = 50 * US;
  options.time_end_us = 60 * US;
  expect (text, &options,
          "error: trace 'x.swf': the selection holds none of its 5 jobs, which have numbers 1 to 5 "
          "and submit times 0 to 20 s");
  options = options_default ();
  options.jobs_first = 5;
  expect (text, &options,
          "error: trace 'x.swf': no job is left to replay: 1 without a run time, 0 without "
          "processors, 0 larger than the machine of 8, 0 without a submit time");
}

static void
test_order (void)
{
  LkTraceOptions options = options_default ();
  g_autofree char *text =
      log_make ("; MaxProcs: 8\n", "5 7 1 1, 4 9 1 1, 3 7 1 1, 2 8 1 1, 1 7 1 1");
  expect (text, &options,
          "error: trace 'x.swf' line 4: field 2 (submit time) is 7, before the 9 of line 3; "
          "expected submits in order (--sort puts them in order)");
  options.sort = TRUE;
  LkTraceCounts counts;
  g_autofree char *seen = source_run (text, &options, &counts);
  g_assert_cmpstr (seen, ==, "5@7000000 3@7000000 1@7000000 2@8000000 4@9000000");
  g_assert_cmpuint (counts.kept, ==, 5);
  /* A job that is dropped may stand anywhere. */
  options.sort = FALSE;
  g_autofree char *dropped = log_make ("; MaxProcs: 8\n", "1 7 1 1, 2 3 0 1, 3 7 1 1");
  expect (dropped, &options, "1@7000000 3@7000000");
}

static void
test_load (void)
{
  LkTraceOptions options = options_default ();
  g_autofree char *text = log_make ("; MaxProcs: 8\n", "1 2 0 1, 2 100 1 1, 3 101 1 1, 4 104 1 1");
  options.load_scale_ratio = 2;
  expect (text, &options, "2@100000000 3@100500000 4@102000000");
  options.load_scale_ratio = 3;
  expect (text, &options, "2@100000000 3@100333333 4@101333333");
  options.load_scale_ratio = 1.5;
  expect (text, &options, "2@100000000 3@100666667 4@102666667");
  options.load_scale_ratio = 0.5;
  expect (text, &options, "2@100000000 3@102000000 4@108000000");
  options.load_scale_ratio = 1e-300;
  expect (text, &options,
          "error: trace 'x.swf' job 3: its submit time divided by the load scale does not fit 64 "
          "bits of microseconds");
  /* Relative to the first in time, also when that stands last in the log. */
  g_autofree char *unsorted = log_make ("; MaxProcs: 8\n", "1 102 1 1, 2 100 1 1");
  options.load_scale_ratio = 2;
  options.sort = TRUE;
  expect (unsorted, &options, "2@100000000 1@101000000");
}

static void
test_bundled_log (void)
{
  g_autoptr (GError) error = NULL;
  LkTraceOptions options = options_default ();
  g_autoptr (LkTraceSource) source = lk_trace_source_new (
      LK_SOURCE_DIR "/traces/data/KTH-SP2-1996-2.1-cln.swf.gz", &options, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (lk_trace_source_procs (source), ==, 100);
  LkTraceJob job;
  while (lk_trace_source_next (source, &job, &error) == 1)
    continue;
  g_assert_no_error (error);
  LkTraceCounts counts;
  lk_trace_source_counts (source, &counts);
  g_assert_cmpuint (counts.log.job_count, ==, 28476);
  g_assert_cmpuint (counts.dropped.no_run, ==, 8);
  g_assert_cmpuint (counts.dropped.no_procs, ==, 1);
  g_assert_cmpuint (counts.kept, ==, 28467);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/source/clean jobs come in order and the others are counted", test_stream);
  g_test_add_func ("/source/the machine is --procs, else MaxProcs, else MaxNodes", test_machine);
  g_test_add_func ("/source/jobs are selected by number and by time", test_selection);
  g_test_add_func ("/source/unsorted submits are an error, or sorted stably", test_order);
  g_test_add_func ("/source/load scaling divides the offsets from the first kept job", test_load);
  g_test_add_func ("/source/the bundled log loses nine jobs that cannot run", test_bundled_log);
  return g_test_run ();
}
