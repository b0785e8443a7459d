/* tests/sim/verb_trace_test.c — what `lockstep trace` tells about logs, and what it writes. */
#include "sim/verb_trace.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "sim/trace_census.h"
#include "sim/trace_info.h"
#include "sim/verb.h"
#include "traces/input.h"

#define US 1000000
#define BUNDLED_LOG LK_SOURCE_DIR "/traces/data/KTH-SP2-1996-2.1-cln.swf.gz"

static const char small_log[] = "; MaxProcs: 8\n"
                                "; MaxJobs: 5\n"
                                "; UnixStartTime: 1000\n"
                                "; Note: small\n"
                                "10 100.5 0 10 1 -1 -1 1 20 -1 1 3 1 -1 1 1 -1 -1\n"
                                "11 120 0 30 2 -1 -1 -1 20 -1 0 4 1 -1 1 2 10 5\n"
                                "10 110 0 0 4 -1 -1 16 -1 -1 5 3 1 -1 1 1 99 -1\n"
                                "13 130 -1 -1 -1 -1 -1 3 40 -1 -1 -1 1 -1 1 1 11 -1\n";

typedef struct {
  char *folder;
  char *input;
  char *output;
} Files;

static void
files_make (Files *self, const void *data)
{
  (void)data;
  self->folder = g_dir_make_tmp ("lk-trace-XXXXXX", NULL);
  self->input = g_build_filename (self->folder, "in.swf", NULL);
  self->output = g_build_filename (self->folder, "out", NULL);
  g_assert_true (g_file_set_contents (self->input, small_log, -1, NULL));
}

static void
files_remove (Files *self, const void *data)
{
  (void)data;
  g_unlink (self->input);
  g_unlink (self->output);
  g_assert_cmpint (g_rmdir (self->folder), ==, 0);
  g_free (self->folder);
  g_free (self->input);
  g_free (self->output);
}

/* Runs with words parted by spaces and --output and the input behind them. */
static int
verb_run (const Files *files, const char *words)
{
  g_autofree char *line =
      g_strdup_printf ("trace %s --output %s %s", words, files->output, files->input);
  g_auto (GStrv) argv = g_strsplit (line, " ", -1);
  /* The parser moves the pointers about; the strings stay ours. */
  g_autofree char **borrowed = g_new0 (char *, g_strv_length (argv) + 1);
  for (guint i = 0; argv[i]; i++)
    borrowed[i] = argv[i];
  return lk_verb_trace ((int)g_strv_length (argv), borrowed);
}

static void
expect_output (const Files *files, const char *words, const char *expected)
{
  g_autofree char *contents = NULL;
  g_assert_cmpint (verb_run (files, words), ==, 0);
  g_assert_true (g_file_get_contents (files->output, &contents, NULL, NULL));
  g_assert_cmpstr (contents, ==, expected);
}

static void
test_convert_swf (Files *files, const void *data)
{
  (void)data;
  expect_output (files, "convert",
                 "; MaxProcs: 8\n; MaxJobs: 5\n; UnixStartTime: 1000\n; Note: small\n"
                 "   10    100.5      0     10    1     -1    -1    1     20    -1  1   3   1  -1"
                 "  1  1 -1 -1\n"
                 "   11      120      0     30    2     -1    -1   -1     20    -1  0   4   1  -1"
                 "  1  2 10  5\n"
                 "   10      110      0      0    4     -1    -1   16     -1    -1  5   3   1  -1"
                 "  1  1 99 -1\n"
                 "   13      130     -1     -1   -1     -1    -1    3     40    -1 -1  -1   1  -1"
                 "  1  1 11 -1\n");
}

static void
test_convert_all (Files *files, const void *data)
{
  (void)data;
  expect_output (files, "convert --sort --renumber --rebase",
                 "; MaxProcs: 8\n; MaxJobs: 5\n; UnixStartTime: 1100\n; Note: small\n"
                 "    1      0.5      0     10    1     -1    -1    1     20    -1  1   3   1  -1"
                 "  1  1 -1 -1\n"
                 "    2       10      0      0    4     -1    -1   16     -1    -1  5   3   1  -1"
                 "  1  1 -1 -1\n"
                 "    3       20      0     30    2     -1    -1   -1     20    -1  0   4   1  -1"
                 "  1  2  2  5\n"
                 "    4       30     -1     -1   -1     -1    -1    3     40    -1 -1  -1   1  -1"
                 "  1  1  3 -1\n");
}

static void
test_convert_csv (Files *files, const void *data)
{
  (void)data;
  expect_output (files, "convert --format swf-csv",
                 "job_id,submit_s,wait_s,run_s,procs_used,cpu_s,memory_kib,procs,requested_s,"
                 "memory_requested_kib,status,user,group,application,queue,partition,"
                 "preceding_job,think_s\n"
                 "10,100.5,0,10,1,,,1,20,,1,3,1,,1,1,,\n"
                 "11,120,0,30,2,,,,20,,0,4,1,,1,2,10,5\n"
                 "10,110,0,0,4,,,16,,,5,3,1,,1,1,99,\n"
                 "13,130,,,,,,3,40,,,,1,,1,1,11,\n");
}

static void
test_convert_json (Files *files, const void *data)
{
  (void)data;
  g_autofree char *contents = NULL;
  g_assert_cmpint (verb_run (files, "convert --format swf-jsonl"), ==, 0);
  g_assert_true (g_file_get_contents (files->output, &contents, NULL, NULL));
  g_auto (GStrv) lines = g_strsplit (contents, "\n", -1);
  g_assert_cmpuint (g_strv_length (lines), ==, 5);
  g_assert_cmpstr (lines[0], ==,
                   "{\"job_id\":10,\"submit_s\":100.5,\"wait_s\":0,\"run_s\":10,\"procs_used\":1,"
                   "\"cpu_s\":null,\"memory_kib\":null,\"procs\":1,\"requested_s\":20,"
                   "\"memory_requested_kib\":null,\"status\":1,\"user\":3,\"group\":1,"
                   "\"application\":null,\"queue\":1,\"partition\":1,\"preceding_job\":null,"
                   "\"think_s\":null}");
}

/* Job numbers of a filter's result. */
static void
test_filter (Files *files, const void *data)
{
  (void)data;
  const struct {
    const char *words;
    const char *submits;
  } cases[] = {
    { "filter --jobs 10:10", "100.5 110 " },     { "filter --time 110:2m", "110 " },
    { "filter --user 4,-1", "120 130 " },        { "filter --partition 2", "120 " },
    { "filter --group 1 --status 1", "100.5 " }, { "filter --min-procs 3", "110 130 " },
    { "filter --max-procs 2", "100.5 120 " },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GString) submits = g_string_new (NULL);
    g_assert_cmpint (verb_run (files, cases[i].words), ==, 0);
    g_autoptr (LkSwfReader) reader = lk_swf_reader_new (files->output, LK_SWF_STRICT, NULL);
    LkSwfJob job;
    while (lk_swf_reader_next (reader, &job, NULL) == 1) {
      lk_swf_seconds_format (job.submit_us, submits);
      g_string_append_c (submits, ' ');
    }
    g_assert_cmpstr (submits->str, ==, cases[i].submits);
    g_assert_cmpint (lk_swf_reader_header (reader)->max_procs, ==, 8);
    g_assert_cmpint (lk_swf_reader_header (reader)->max_jobs, ==, -1);
  }
}

static void
test_failures (Files *files, const void *data)
{
  (void)data;
  const struct {
    const char *words;
    int code;
  } cases[] = {
    { "filter --user 77", LK_EXIT_FAILURE }, /* nothing selected */
    { "convert --rebase", LK_EXIT_FAILURE }, /* goes back before the first, below */
    { "filter --jobs 2:1", LK_EXIT_USAGE },
    { "filter --time x", LK_EXIT_USAGE },
    { "convert --format xml", LK_EXIT_USAGE },
    { "convert --nonsense", LK_EXIT_USAGE },
    { "nonsense", LK_EXIT_USAGE },
    { "info", LK_EXIT_USAGE }, /* has no --output */
  };
  static const char back[] = "1 9 0 1 1 -1 -1 1 1 -1 1 1 1 -1 1 1 -1 -1\n"
                             "2 8 0 1 1 -1 -1 1 1 -1 1 1 1 -1 1 1 -1 -1\n";
  g_assert_true (g_file_set_contents (files->input, back, -1, NULL));
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_assert_cmpint (verb_run (files, cases[i].words), ==, cases[i].code);
    g_assert_false (g_file_test (files->output, G_FILE_TEST_EXISTS));
  }
}

static void
test_census_small (void)
{
  g_autoptr (GError) error = NULL;
  LkTraceCensus census;
  g_autoptr (LkTraceReader) reader = lk_trace_reader_new_from_bytes (
      "x", (const guint8 *)small_log, strlen (small_log), NULL, &error);
  g_assert_true (lk_trace_census_take (reader, &census, &error));
  g_assert_cmpuint (census.job_count, ==, 4);
  g_assert_cmpuint (census.duplicate_numbers, ==, 1);
  g_assert_cmpuint (census.unsorted_submits, ==, 1);
  g_assert_cmpuint (census.unsorted_line_number, ==, 7);
  g_assert_cmpuint (census.zero_runs, ==, 1);
  g_assert_cmpuint (census.overruns, ==, 1);
  g_assert_cmpuint (census.too_large, ==, 1);
  g_assert_cmpuint (census.users, ==, 2);
  g_assert_cmpuint (census.partitions, ==, 2);
  g_assert_cmpuint (census.unknown[2], ==, 1);
  g_assert_cmpuint (census.unknown[5], ==, 4);
  g_assert_cmpint (census.submit_min_us, ==, 100500000);
  g_assert_cmpint (census.submit_max_us, ==, 130 * US);
  g_assert_cmpint (census.procs.median, ==, 2);
  g_assert_cmpint (census.procs.max, ==, 16);
  g_assert_true (census.power_of_two_ratio == 0.75);
  g_assert_true (census.work_s == 70);
  g_assert_true (fabs (census.offered_load_ratio - 70 / (8 * 29.5)) < 1e-12);
}

/* The numbers that traces/data/README.md states. */
static void
test_census_bundled (void)
{
  g_autoptr (GError) error = NULL;
  LkTraceCensus census;
  g_autoptr (LkTraceReader) reader = lk_trace_reader_new (BUNDLED_LOG, NULL, &error);
  g_assert_true (lk_trace_census_take (reader, &census, &error));
  g_assert_cmpuint (census.job_count, ==, 28476);
  g_assert_cmpuint (census.users, ==, 214);
  g_assert_cmpuint (census.zero_runs, ==, 8);
  g_assert_cmpuint (census.overruns, ==, 475);
  g_assert_cmpuint (census.unknown[7], ==, 1);
  g_assert_cmpuint (census.statuses[1], ==, 20530);
  g_assert_cmpuint (census.unsorted_submits, ==, 0);
  g_assert_cmpint (census.machine_procs, ==, 100);
  g_assert_true (census.work_s == 2011271357.0);
  g_autoptr (GString) text = g_string_new (NULL);
  lk_trace_info_text ("log", &census, text);
  g_assert_nonnull (strstr (text->str, "dates             1996-09-30 10:38:01 to 1997-08-29 "
                                       "08:34:09 UTC\n"));
  g_assert_nonnull (strstr (text->str, "       475  run past the requested time\n"));
  g_autoptr (GString) json = g_string_new (NULL);
  lk_trace_info_json ("log", &census, json);
  g_assert_nonnull (strstr (json->str, "\"zero_runs\": 8"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/verb_trace/info counts what is odd in a small log", test_census_small);
  g_test_add_func ("/verb_trace/info has the bundled log's numbers", test_census_bundled);
#define ADD(name, test) g_test_add (name, Files, NULL, files_make, test, files_remove)
  ADD ("/verb_trace/convert keeps a log as it is", test_convert_swf);
  ADD ("/verb_trace/convert sorts, renumbers and rebases", test_convert_all);
  ADD ("/verb_trace/convert writes the fields of SWF as CSV with empty unknowns", test_convert_csv);
  ADD ("/verb_trace/convert writes the fields of SWF as JSON lines with null unknowns",
       test_convert_json);
  ADD ("/verb_trace/filter selects by each of its options", test_filter);
  ADD ("/verb_trace/failures write nothing and exit 1, wrong usage 2", test_failures);
#undef ADD
  return g_test_run ();
}
