/* tests/traces/reader_events_test.c — event lists of the simulator of Buffalo: values, numbers,
 * runs until the limit, every message, extracts of real lists. */
#include "tests/traces/record_text.h"

#define SUBMIT "-dt 10 -e submit_batch_job | "

static char *
list_text (const char *list, gboolean is_lenient, LkReaderCounts *out_counts)
{
  LkReaderOptions options = { .format = LK_FORMAT_EVENTS, .lenient = is_lenient };
  return log_text ("x.events", list, strlen (list), &options, TRUE, out_counts);
}

static void
expect (const char *list, const char *expected)
{
  g_autofree char *seen = list_text (list, FALSE, NULL);
  g_assert_cmpstr (seen, ==, expected);
}

static void
test_values (void)
{
  expect (SUBMIT "-jid 7 -sim-walltime 15 --uid=user5 -t 00:07:00 -n 12 --ntasks-per-node=12 "
                 "-A account2 -p normal -q high pseudo.job\n",
          "7 submit=10 run=15 limit=420 procs=12 completed tasks=12 tasks_per_node=12 "
          "partition=normal account=account2 qos=high\n");
  /* The other order, fractions, blanks, Windows, quotes. */
  expect ("  -e   submit_batch_job -dt 0.25 |-sim-walltime 1.5 -J 'jobid_00042' -t 1 "
          "--constraint=\"a|b\" --exclusive x.job\r\n",
          "42 submit=0.25 run=1.5 limit=60 procs=1 completed flags=1 constraint=a|b\n");
  /* What the script gets may say how long it runs. */
  expect (SUBMIT "-J job_3 -t 1 pseudo.job -sleep 20\n",
          "3 submit=10 run=20 limit=60 procs=1 completed\n");
}

static void
test_processors (void)
{
  expect (SUBMIT "-sim-walltime 1 -N2 -c3 x\n" SUBMIT "-sim-walltime 1 -n2 -c3 x\n",
          "1 submit=10 run=1 procs=6 completed nodes_min=2 nodes_max=2 cpus_per_task=3\n"
          "2 submit=10 run=1 procs=6 completed tasks=2 cpus_per_task=3\n");
}

static void
test_runs (void)
{
  static const struct {
    const char *arguments;
    const char *expected;
  } cases[] = {
    { "-sim-walltime 0 -t 1", "run=0 limit=60 procs=1 completed" },
    { "-sim-walltime 60 -t 1", "run=60 limit=60 procs=1 completed" },
    { "-sim-walltime 61 -t 1", "run=61 limit=60 procs=1 timeout" },
    { "-sim-walltime -1 -t 1", "run=60 limit=60 procs=1 timeout" },
    { "-sim-walltime 31536000 -t 1", "run=60 limit=60 procs=1 timeout" },
    { "-t 1", "run=60 limit=60 procs=1 timeout" },
    { "-sim-walltime 5", "run=5 procs=1 completed" },
    { "-sim-walltime 5 -t UNLIMITED", "run=5 limit=never procs=1 completed" },
    { "-sim-walltime 300 -t 5 -cancel-in 10.5", "end=20.5 run=300 limit=300 procs=1 cancelled" },
    /* There is no event that would release it. */
    { "-sim-walltime 5 -H", "run=5 procs=1 completed" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *list = g_strdup_printf (SUBMIT "%s x.job\n", cases[i].arguments);
    g_autofree char *expected = g_strdup_printf ("1 submit=10 %s\n", cases[i].expected);
    expect (list, expected);
  }
}

static void
test_names (void)
{
  static const char list[] = "# users\n"
                             "\n" SUBMIT "-sim-walltime 1 --uid=bob -J a -p p1 --gid=g x\n"
                             "-dt 5 -e submit_batch_job | -sim-walltime 1 --uid=al -p p2 x\n" SUBMIT
                             "-sim-walltime 1 --uid=bob -J jobid_x -p p1 x";
  static const struct {
    gint64 number;
    guint32 user_id;
    guint32 partition_id;
    guint32 group_id;
    const char *user;
    const char *job_name;
    guint64 line_number;
  } jobs[] = { { 1, 1, 1, 1, "bob", "a", 3 },
               { 2, 2, 2, 0, "al", NULL, 4 },
               { 3, 1, 1, 0, "bob", "jobid_x", 5 } };
  g_autoptr (GError) error = NULL;
  /* Told by its first event, behind comments. */
  g_autoptr (LkTraceReader) reader = lk_trace_reader_new_from_bytes (
      "x.events", (const guint8 *)list, strlen (list), NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (lk_trace_reader_format (reader), ==, LK_FORMAT_EVENTS);
  g_assert_cmpint (lk_trace_reader_unix_start_s (reader), ==, -1);
  for (guint i = 0; i < G_N_ELEMENTS (jobs); i++) {
    LkTraceRecord record;
    g_assert_cmpint (lk_trace_reader_next (reader, &record, &error), ==, 1);
    g_assert_cmpint (record.number, ==, jobs[i].number);
    g_assert_null (record.name);
    g_assert_cmpuint (record.user_id, ==, jobs[i].user_id);
    g_assert_cmpuint (record.partition_id, ==, jobs[i].partition_id);
    g_assert_cmpuint (record.group_id, ==, jobs[i].group_id);
    g_assert_cmpstr (record.user, ==, jobs[i].user);
    g_assert_cmpstr (record.job_name, ==, jobs[i].job_name);
    g_assert_cmpuint (lk_trace_reader_line_number (reader), ==, jobs[i].line_number);
  }
}

static void
test_errors (void)
{
  static const struct {
    const char *list;
    const char *message;
  } cases[] = {
    { "hello\n", "'hello' has no '|'; expected -dt SECONDS -e submit_batch_job | ARGUMENTS" },
    { "-dt 1 | x\n", "no -e before '|'; expected -dt SECONDS -e submit_batch_job" },
    { "-e submit_batch_job | x\n", "no -dt before '|'; expected -dt SECONDS -e submit_batch_job" },
    { "-dt x -e y | z\n", "-dt is 'x'; expected seconds from 0 to 1000000000000" },
    { "-dt -1 -e y | z\n", "-dt is '-1'; expected seconds from 0 to 1000000000000" },
    { "-e y -dt | z\n",
      "-dt is the last word; expected seconds from 0 to 1000000000000 behind it" },
    { "-dt 1 -t 2 -e y | z\n",
      "a word before '|' is '-t'; expected -dt SECONDS or -e submit_batch_job" },
    { "-dt 1 -e | z\n", "a word before '|' is '-e'; expected -dt SECONDS or -e submit_batch_job" },
    { "-dt 1 -e cancel_job | z\n",
      "the event is 'cancel_job'; expected submit_batch_job (--lenient passes over others)" },
    { "-dt 1 -e 'x | z\n",
      "a quote or a backslash has nothing behind it; expected every quote to be closed" },
    { SUBMIT "-J 'x\n",
      "a quote or a backslash has nothing behind it; expected every quote to be closed" },
    { SUBMIT "-sim-walltime\n",
      "-sim-walltime is the last word; expected seconds, or -1 for a run until the time limit "
      "behind it" },
    { SUBMIT "-sim-walltime 1x x\n",
      "-sim-walltime is '1x'; expected seconds, or -1 for a run until the time limit" },
    { SUBMIT "-jid 0 x\n", "-jid is '0'; expected a number from 1 to 9223372036854775807" },
    { SUBMIT "-cancel-in -1 x\n", "-cancel-in is '-1'; expected seconds after the submission" },
    { SUBMIT "x\n", "the job runs until its time limit and has none; expected -sim-walltime "
                    "SECONDS or -t TIME" },
    { SUBMIT "-t UNLIMITED x\n",
      "the job runs until its time limit and has none; expected -sim-walltime SECONDS or -t TIME" },
    { SUBMIT "-sim-walltime 1 --bb=level x\n",
      "nothing acts on --bb; expected jobs without it (--lenient passes over it)" },
    { SUBMIT "-sim-walltime 1 -b tea x\n",
      "--begin is 'tea'; expected now, now+COUNT[UNIT] or a date" },
    { SUBMIT "-sim-walltime 1 --ntask-per-node=1 x\n",
      "option '--ntask-per-node' is unknown; did you mean '--ntasks-per-node'?" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *list = g_strdup_printf ("# a comment\n%s", cases[i].list);
    g_autofree char *expected =
        g_strdup_printf ("error: trace 'x.events' line 2: %s\n", cases[i].message);
    expect (list, expected);
  }
  static const char binary[] = SUBMIT "-sim-walltime 1 \0 x\n";
  LkReaderOptions options = { .format = LK_FORMAT_EVENTS };
  g_autofree char *seen = log_text ("b", binary, sizeof binary - 1, &options, TRUE, NULL);
  g_assert_cmpstr (seen, ==, "error: trace 'b' line 1: a NUL byte; expected text\n");
}

static void
test_terms (void)
{
  expect (SUBMIT "-sim-walltime 1 -d afterok:7:8_2,singleton --array=0-9%2 -n1 x\n",
          "1 submit=10 run=1 procs=1 completed tasks=1 dependency=afterok:7:8_2,singleton "
          "array=0-9%2\n");
  expect (SUBMIT
          "-sim-walltime 1 -b now+1minute --deadline=1970-01-01T01:00:00 --reservation=r x\n",
          "1 submit=10 run=1 procs=1 completed begin_us=70000000 deadline_us=3600000000 "
          "reservation=r\n");
  /* Components come one behind the other; each asks for its own. */
  expect (SUBMIT "-jid 5 -sim-walltime 1 -p a -n1 : -n2 x\n",
          "5+0 submit=10 run=1 procs=1 completed tasks=1 partition=a het_count=1\n"
          "5+1 submit=10 run=1 procs=2 completed tasks=2 het_count=1\n");
  char *none[] = { "terms=none", NULL };
  LkReaderOptions options = { .format = LK_FORMAT_EVENTS, .map = none };
  const char *list = SUBMIT "-sim-walltime 1 -d afterok:7 x\n";
  g_autofree char *seen = log_text ("x.events", list, strlen (list), &options, TRUE, NULL);
  g_assert_cmpstr (seen, ==, "1 submit=10 run=1 procs=1 completed\n");
}

static void
test_lenient (void)
{
  LkReaderCounts counts;
  g_autofree char *seen =
      list_text ("-dt 1 -e cancel_job | 7\n" SUBMIT "-sim-walltime 1 --bb=level x\n"
                 "-dt 12 -e node_down | n1\n",
                 TRUE, &counts);
  g_assert_cmpstr (seen, ==, "1 submit=10 run=1 procs=1 completed\n");
  g_assert_cmpuint (counts.skipped_count, ==, 2);
  g_assert_cmpuint (counts.record_count, ==, 1);
}

/* The line that docs/trace-formats.md shows. */
static void
test_documented (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path = g_build_filename (LK_SOURCE_DIR, "docs", "trace-formats.md", NULL);
  g_autofree char *text = NULL;
  g_assert_true (g_file_get_contents (path, &text, NULL, &error));
  const char *begin = strstr (text, "\n    -dt ");
  g_assert_nonnull (begin);
  g_autofree char *line = g_strndup (begin, strcspn (begin + 1, "\n") + 1);
  expect (line, "1002 submit=49 run=1201 limit=1800 procs=1 completed tasks=1 partition=normal "
                "account=account1\n");
}

/* Sums over the jobs of a file. */
typedef struct {
  gint64 jobs, procs, run_s, gres, timeouts, cancelled, to_limit;
} Sums;

static Sums
file_sums (const char *name)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path =
      g_build_filename (LK_SOURCE_DIR, "tests", "fixtures", "events", name, NULL);
  g_autoptr (LkTraceReader) reader = lk_trace_reader_new (path, NULL, &error);
  g_assert_no_error (error);
  Sums sums = { 0 };
  LkTraceRecord record;
  while (lk_trace_reader_next (reader, &record, &error) == 1) {
    sums.jobs++;
    sums.procs += record.procs;
    sums.run_s += record.run_us / G_USEC_PER_SEC;
    sums.gres += record.request.gres.length_bytes > 0 ? 1 : 0;
    sums.timeouts += record.state == LK_RECORD_TIMEOUT ? 1 : 0;
    sums.cancelled += record.state == LK_RECORD_CANCELLED ? 1 : 0;
    sums.to_limit += record.run_us == record.limit_us ? 1 : 0;
  }
  g_assert_no_error (error);
  return sums;
}

static void
test_real_lists (void)
{
  Sums small = file_sums ("small.events");
  g_assert_cmpint (small.jobs, ==, 20);
  g_assert_cmpint (small.procs, ==, 350);
  g_assert_cmpint (small.timeouts, ==, 3);
  g_assert_cmpint (small.to_limit, ==, 3);
  g_assert_cmpint (small.gres, ==, 3);
  g_assert_cmpint (small.run_s, ==, 318);
  Sums site = file_sums ("ubhpc.events");
  g_assert_cmpint (site.jobs, ==, 35);
  g_assert_cmpint (site.cancelled, ==, 1);
  g_assert_cmpint (site.gres, ==, 3);
  g_assert_cmpint (site.timeouts, ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/reader_events/a line is a job", test_values);
  g_test_add_func ("/reader_events/processors are the CPUs that the job asks for", test_processors);
  g_test_add_func ("/reader_events/jobs run as long as told or until their limit", test_runs);
  g_test_add_func ("/reader_events/names get numbers in the order of their appearance", test_names);
  g_test_add_func ("/reader_events/errors name the line and what was expected", test_errors);
  g_test_add_func ("/reader_events/options say when and under which conditions a job may run",
                   test_terms);
  g_test_add_func ("/reader_events/lenient passes over what nothing acts on", test_lenient);
  g_test_add_func ("/reader_events/the line in the documentation is a job", test_documented);
  g_test_add_func ("/reader_events/extracts of real lists have the sums they had", test_real_lists);
  return g_test_run ();
}
