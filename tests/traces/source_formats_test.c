/* tests/traces/source_formats_test.c — selection, order and cleaning of logs that are not SWF, and
 * of SWF with overrides. */
#include <string.h>

#include "traces/source.h"

#define US 1000000
#define HEADER "JobID|State|Submit|Eligible|Start|End|ElapsedRaw|TimelimitRaw|ReqCPUS|NodeList\n"

/* "name@submit_us:run_us/estimate_us*procs" a job, or "error: ..."; `out_counts` may be NULL. */
static char *
source_run (const char *text, const LkTraceOptions *options, LkTraceCounts *out_counts)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GString) seen = g_string_new (NULL);
  g_autoptr (LkTraceSource) source =
      lk_trace_source_new_from_bytes ("x", (const guint8 *)text, strlen (text), options, &error);
  if (!source)
    return g_strdup_printf ("error: %s", error->message);
  LkTraceJob job;
  int got;
  while ((got = lk_trace_source_next (source, &job, &error)) == 1) {
    g_autofree char *number = g_strdup_printf ("%" G_GINT64_FORMAT, job.number);
    g_string_append_printf (seen, "%s%s@%g:%g/%g*%u", seen->len ? " " : "",
                            job.name ? job.name : number, (double)job.submit_us / US,
                            (double)job.run_us / US, (double)job.estimate_us / US, job.procs);
    if (job.request->gpus.length_bytes > 0)
      g_string_append_printf (seen, " gpus=%s", job.request->gpus.bytes);
    if (job.request->tasks > 0 && job.request->nodes_min > 0)
      g_string_append_printf (seen, " nodes=%u", job.request->nodes_min);
    if (job.terms != NULL)
      g_string_append_printf (seen, " {%.*s %.*s %g %g %u/%u}", job.terms->name.length_bytes,
                              job.terms->name.bytes, job.terms->dependency.length_bytes,
                              job.terms->dependency.bytes, (double)job.terms->begin_us / US,
                              (double)job.terms->deadline_us / US, job.terms->het_offset,
                              job.terms->het_count);
  }
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

#define EVENT(at, words) "-dt " #at " -e submit_batch_job | -sim-walltime 9 -t 1 " words " x\n"

static void
test_terms (void)
{
  LkTraceOptions options = options_default ();
  /* Names are there only when somebody waits for those of one. */
  expect (EVENT (10, "-J a -d afterany:1") EVENT (20, "-J b"), &options,
          "1@10:9/60*1 { afterany:1 0 0 0/0} 2@20:9/60*1");
  expect (EVENT (10, "-J a -d singleton") EVENT (20, "-J b"), &options,
          "1@10:9/60*1 {a singleton 0 0 0/0} 2@20:9/60*1 {b  0 0 0/0}");
  /* A component that is not replayed leaves the others a job, or the only other one alone. */
  const char *components = EVENT (10, "-jid 5 -n1 : -n2 : -n9") EVENT (10, "-jid 6 -n9 : -n1");
  options.procs = 4;
  expect (components, &options,
          "5+0@10:9/60*1 {  0 0 0/2} 5+1@10:9/60*2 {  0 0 1/2} 6+1@10:9/60*1");
  /* Moments stay as far from the submission as they were. */
  options.load_scale_ratio = 2;
  expect (EVENT (10, "") EVENT (30, "-b now+5 --deadline=now+100"), &options,
          "1@10:9/60*1 2@20:9/60*1 {  25 120 0/0}");
}

static void
test_cleaning (void)
{
  LkTraceOptions options = options_default ();
  const char *log = HEADER "1|COMPLETED|10|10|20|50|30|1|4|n1\n"
                           "2|PENDING|10|10|Unknown|Unknown|0|1|4|None assigned\n"
                           "3|RUNNING|10|10|20|Unknown|30|1|4|n1\n"
                           "4|CANCELLED by 7|10|10|50|50|0|1|4|None assigned\n"
                           "5|FAILED|10|10|20|20|0|1|4|n1\n"
                           "6|FAILED|10|10|20|50|30|1||n1\n"
                           "7|CANCELLED by 7|10|10|20|50|30|1|3000000000|n1\n"
                           "8_[1-3]|PENDING|10|10|Unknown|Unknown|0|1|4|None assigned\n"
                           "9|TIMEOUT|12|11|20|50|30|UNLIMITED|4|n1\n"
                           "10|COMPLETED|13|Unknown|20|50|30||4|n1\n";
  LkTraceCounts counts;
  g_autofree char *seen = source_run (log, &options, &counts);
  g_assert_cmpstr (seen, ==, "1@10:30/60*4 5@10:0/60*4 9@12:30/3.1536e+07*4 10@13:30/30*4");
  g_assert_cmpuint (counts.kept, ==, 4);
  g_assert_cmpuint (counts.dropped.not_started, ==, 4);
  g_assert_cmpuint (counts.dropped.not_ended, ==, 1);
  g_assert_cmpuint (counts.dropped.cancelled, ==, 1);
  g_assert_cmpuint (counts.dropped.no_run, ==, 0);
  g_assert_cmpuint (counts.dropped.no_procs, ==, 1);
  g_assert_cmpuint (counts.dropped.too_large, ==, 1);
  g_assert_cmpuint (lk_clean_counts_total (&counts.dropped), ==, 8);
  g_assert_cmpuint (counts.log.job_count, ==, 12);
  g_assert_cmpuint (counts.log.line_count, ==, 11);
  g_assert_cmpuint (counts.reader.record_count, ==, 12);
}

static void
test_order (void)
{
  /* By id, not by time; eligible counts when it is later. */
  const char *log = HEADER "1|CD|30|30|40|50|10||1|n\n2|CD|10|25|40|50|10||1|n\n"
                           "3|CD|20|20|40|50|10||1|n\n4|CD|30|Unknown|40|50|10||1|n\n"
                           "5|CD|20|5|40|50|10||1|n\n";
  LkTraceOptions options = options_default ();
  expect (log, &options, "3@20:10/10*1 5@20:10/10*1 2@25:10/10*1 1@30:10/10*1 4@30:10/10*1");
  char *map[] = { "submit=submit", NULL };
  options.reader.map = map;
  expect (log, &options, "2@10:10/10*1 3@20:10/10*1 5@20:10/10*1 1@30:10/10*1 4@30:10/10*1");
  options.load_scale_ratio = 2;
  expect (log, &options, "2@10:10/10*1 3@15:10/10*1 5@15:10/10*1 1@20:10/10*1 4@20:10/10*1");
}

static void
test_selection (void)
{
  const char *log = HEADER "1|CD|30|30|40|50|10||1|n\n2|CD|10|25|40|50|10||1|n\n"
                           "3|CD|20|20|40|50|10||1|n\n";
  LkTraceOptions options = options_default ();
  options.jobs_first = 2;
  expect (log, &options, "3@20:10/10*1 2@25:10/10*1");
  options.time_begin_us = 25 * US;
  expect (log, &options, "2@25:10/10*1");
  options.time_begin_us = 100 * US;
  expect (log, &options,
          "error: trace 'x': the selection holds none of its 3 jobs, which have numbers 1 to 3 and "
          "submit times 20 to 30 s");
}

static void
test_machine (void)
{
  const char *log = HEADER "1|CD|30|30|40|50|10||8|n\n2|CD|30|30|40|50|10||4|n\n";
  LkTraceOptions options = options_default ();
  g_autoptr (GError) error = NULL;
  g_autoptr (LkTraceSource) source =
      lk_trace_source_new_from_bytes ("x", (const guint8 *)log, strlen (log), &options, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (lk_trace_source_procs (source), ==, 0);
  g_assert_cmpint (lk_trace_source_format (source), ==, LK_FORMAT_SACCT);
  g_assert_cmpint (lk_trace_source_header (source)->unix_start_s, ==, 0);
  g_assert_cmpint (lk_trace_source_header (source)->max_procs, ==, -1);
  expect (log, &options, "1@30:10/10*8 2@30:10/10*4");
  options.procs = 4;
  expect (log, &options, "2@30:10/10*4");
  options.procs = 3;
  expect (
      log, &options,
      "error: trace 'x': a machine of 3 processors is smaller than every job; the smallest asks "
      "for 4 (set the machine with --procs)");
}

static void
test_nothing_left (void)
{
  LkTraceOptions options = options_default ();
  expect (HEADER "2|PENDING|10|10|Unknown|Unknown|0|1|4|None assigned\n"
                 "4|CANCELLED|10|10|None|50|0|1|4|None assigned\n",
          &options,
          "error: trace 'x': no job is left to replay: 1 had not started, 0 had not ended, 1 "
          "cancelled before the start, 0 without a run time, 0 without processors, 0 too large, 0 "
          "without a submit time");
  expect (HEADER "4|CD|10|10|20|999999999999|5000000000000|1|4|n\n", &options,
          "error: trace 'x' line 2: run time is 5000000000000 s; expected at most 1000000000000");
  expect (HEADER "4|CD|x|10|20|50|30|1|4|n\n", &options,
          "error: trace 'x' line 2: field 3 (Submit) is 'x'; expected a time such as "
          "2024-01-31T07:15:12, or seconds since 1970");
  /* --lenient of a replay is that of the reader. */
  options.lenient = TRUE;
  expect (HEADER "4|CD|x|10|20|50|30|1|4|n\n5|CD|1|1|20|50|30|1|4|n\n", &options, "5@1:30/60*4");
}

static void
test_json (void)
{
  LkTraceOptions options = options_default ();
  expect (
      "{\"jobs\": [{\"job_id\": 7, \"time\": {\"submission\": 20, \"start\": 30, \"elapsed\": 9}, "
      "\"required\": {\"CPUs\": 4}},\n {\"job_id\": 9, \"time\": {\"submission\": 10, \"start\": "
      "30, \"elapsed\": 9}, \"required\": {\"CPUs\": 2}}]}",
      &options, "9@10:9/9*2 7@20:9/9*4");
}

static void
test_swf_overrides (void)
{
  const char *log = "; MaxProcs: 8\n1 0 -1 10 -1 -1 -1 4 20 -1 1 1 1 -1 1 1 -1 -1\n"
                    "2 5 -1 10 -1 -1 -1 9 20 -1 1 1 1 -1 1 1 -1 -1\n";
  LkTraceOptions options = options_default ();
  LkTraceCounts counts;
  g_autofree char *plain = source_run (log, &options, &counts);
  g_assert_cmpstr (plain, ==, "1@0:10/20*4");
  g_assert_cmpuint (counts.dropped.too_large, ==, 1);
  static const struct {
    const char *map;
    const char *seen;
  } cases[] = {
    { "procs=cpus", "1@0:10/20*4" },
    { "procs=gpus", "1@0:10/20*4 gpus=4" },
    { "procs=nodes", "1@0:10/20*4 nodes=4" },
    { "limit=none", "1@0:10/10*4" },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    char *map[] = { (char *)cases[i].map, NULL };
    options.reader.map = map;
    g_autofree char *seen = source_run (log, &options, &counts);
    g_assert_cmpstr (seen, ==, cases[i].seen);
    g_assert_cmpuint (counts.dropped.too_large, ==, 1);
    g_assert_cmpuint (counts.log.job_count, ==, 2);
  }
}

/* What SWF can say of a job. */
static void
expect_same (const LkTraceJob *a, const LkTraceJob *b)
{
  g_assert_cmpint (a->number, ==, b->number);
  g_assert_cmpint (a->submit_us, ==, b->submit_us);
  g_assert_cmpint (a->run_us, ==, b->run_us);
  g_assert_cmpint (a->estimate_us, ==, b->estimate_us);
  g_assert_cmpuint (a->procs, ==, b->procs);
  g_assert_cmpuint (a->user_id, ==, b->user_id);
  g_assert_cmpuint (a->group_id, ==, b->group_id);
  g_assert_cmpuint (a->partition_id, ==, b->partition_id);
  g_assert_cmpint (a->status, ==, b->status);
  g_assert_cmpuint (b->request->tasks + b->request->present + b->request->gpus.length_bytes, ==, 0);
}

/* Every job of the bundled log, read in both ways. */
static void
test_swf_two_ways (void)
{
  const char *path = LK_SOURCE_DIR "/traces/data/KTH-SP2-1996-2.1-cln.swf.gz";
  g_autoptr (GError) error = NULL;
  char *map[] = { "procs=log", NULL };
  LkTraceOptions options = options_default ();
  g_autoptr (LkTraceSource) lines = lk_trace_source_new (path, &options, &error);
  options.reader.map = map;
  g_autoptr (LkTraceSource) records = lk_trace_source_new (path, &options, &error);
  options.sort = TRUE;
  g_autoptr (LkTraceSource) sorted = lk_trace_source_new (path, &options, &error);
  g_assert_no_error (error);
  LkTraceJob a;
  LkTraceJob b;
  LkTraceJob c;
  guint count = 0;
  while (lk_trace_source_next (lines, &a, &error) == 1) {
    g_assert_cmpint (lk_trace_source_next (records, &b, &error), ==, 1);
    g_assert_cmpint (lk_trace_source_next (sorted, &c, &error), ==, 1);
    expect_same (&a, &b);
    expect_same (&a, &c);
    count++;
  }
  g_assert_no_error (error);
  g_assert_cmpint (lk_trace_source_next (records, &b, &error), ==, 0);
  g_assert_cmpuint (count, ==, 28467);
}

static void
test_bundled_sacct (void)
{
  g_autoptr (GError) error = NULL;
  LkTraceOptions options = options_default ();
  g_autoptr (LkTraceSource) source = lk_trace_source_new (
      LK_SOURCE_DIR "/traces/data/sacct/xdmod-phillips.sacct.gz", &options, &error);
  g_assert_no_error (error);
  LkTraceJob job;
  gint64 last_us = 0;
  guint gpu_jobs = 0;
  while (lk_trace_source_next (source, &job, &error) == 1) {
    g_assert_cmpint (job.submit_us, >=, last_us);
    last_us = job.submit_us;
    gpu_jobs += job.request->gres.length_bytes > 0 ? 1 : 0;
  }
  g_assert_no_error (error);
  LkTraceCounts counts;
  lk_trace_source_counts (source, &counts);
  g_assert_cmpuint (gpu_jobs, ==, 2);
  g_assert_cmpuint (counts.kept + lk_clean_counts_total (&counts.dropped), ==, 4285);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/source formats/what cannot be replayed is dropped by cause", test_cleaning);
  g_test_add_func ("/source formats/terms come along with their jobs", test_terms);
  g_test_add_func ("/source formats/jobs come by the time they were eligible", test_order);
  g_test_add_func ("/source formats/jobs are selected by number and by time", test_selection);
  g_test_add_func ("/source formats/the machine is not known unless given", test_machine);
  g_test_add_func ("/source formats/an empty result says why", test_nothing_left);
  g_test_add_func ("/source formats/sacct json is a format like the others", test_json);
  g_test_add_func ("/source formats/overrides say what SWF's processors are", test_swf_overrides);
  g_test_add_func ("/source formats/SWF is the same read as lines and as records",
                   test_swf_two_ways);
  g_test_add_func ("/source formats/the bundled sacct log is replayed in order",
                   test_bundled_sacct);
  return g_test_run ();
}
