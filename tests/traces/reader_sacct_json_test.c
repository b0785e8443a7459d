/* tests/traces/reader_sacct_json_test.c — sacct --json of every shape, its errors, and the same
 * job out of both forms of sacct's output. */
#include "tests/traces/record_text.h"

static void
expect_log (const char *log, gsize length_bytes, const LkReaderOptions *options,
            const char *expected)
{
  g_autofree char *seen = log_text ("x.json", log, length_bytes, options, TRUE, NULL);
  g_assert_cmpstr (seen, ==, expected);
}

static void
expect (const char *log, const char *expected)
{
  expect_log (log, strlen (log), NULL, expected);
}

/* A log of one job with these members, in which ' stands for ". */
static char *
job_log (const char *members)
{
  g_autofree char *log = g_strdup_printf ("{'jobs': [{'job_id': 7, %s}]}", members);
  return g_strdelimit (g_steal_pointer (&log), "'", '"');
}

static void
expect_job (const char *members, const char *expected)
{
  g_autofree char *log = job_log (members);
  expect (log, expected);
}

#define TIMES "'time': {'submission': 10, 'start': 20, 'end': 50, 'elapsed': 30}"

static void
test_numbers (void)
{
  const char *expected =
      "7 submit=10 start=20 end=50 run=30 limit=3600 procs=4 completed tasks=4\n";
  expect_job ("'time': {'submission': 10, 'start': 20, 'end': 50, 'elapsed': 30, 'limit': 60}, "
              "'required': {'CPUs': 4}, 'state': {'current': 'COMPLETED'}",
              expected);
  expect_job (
      "'time': {'submission': '10', 'start': {'set': true, 'infinite': false, 'number': 20}, "
      "'end': {'set': true, 'number': '50'}, 'elapsed': 30.0, "
      "'limit': {'set': true, 'infinite': false, 'number': 60}}, "
      "'required': {'CPUs': {'number': 4}}, 'state': {'current': ['COMPLETED']}",
      expected);
  /* No number, in every way there is. */
  static const char *const none[] = {
    "null",
    "{'set': false, 'infinite': false, 'number': 0}",
    "4294967294",
    "0",
    "''",
    "{'set': false}",
    "{'set': true, 'number': null}",
  };
  for (gsize i = 0; i < G_N_ELEMENTS (none); i++) {
    g_autofree char *members =
        g_strdup_printf ("'time': {'submission': 10, 'start': 20, 'end': 50, 'elapsed': 30, "
                         "'limit': %s}, 'required': {'CPUs': 4}",
                         none[i]);
    expect_job (members, "7 submit=10 start=20 end=50 run=30 procs=4 unknown tasks=4\n");
  }
  static const char *const unlimited[] = { "4294967295",
                                           "{'set': false, 'infinite': true, 'number': 0}" };
  for (gsize i = 0; i < G_N_ELEMENTS (unlimited); i++) {
    g_autofree char *members =
        g_strdup_printf ("'time': {'submission': 10, 'start': 20, 'end': 50, 'elapsed': 30, "
                         "'limit': %s}, 'required': {'CPUs': 4}",
                         unlimited[i]);
    expect_job (members,
                "7 submit=10 start=20 end=50 run=30 limit=never procs=4 unknown tasks=4\n");
  }
}

static void
test_states (void)
{
  static const struct {
    const char *state;
    const char *seen;
  } states[] = {
    { "'COMPLETED'", "completed" },
    { "['COMPLETED']", "completed" },
    { "['PENDING', 'REQUEUED']", "requeued" },
    { "'CANCELLED by 5'", "cancelled" },
    { "['OUT_OF_MEMORY']", "failed" },
    { "[]", "unknown" },
    { "null", "unknown" },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (states); i++) {
    g_autofree char *members =
        g_strdup_printf (TIMES ", 'nodes': 'n1', 'required': {'CPUs': 4}, 'state': {'current': %s}",
                         states[i].state);
    g_autofree char *expected =
        g_strdup_printf ("7 submit=10 start=20 end=50 run=30 procs=4 %s tasks=4\n", states[i].seen);
    expect_job (members, expected);
  }
}

static void
test_memory (void)
{
  static const struct {
    const char *required;
    const char *asks;
  } cases[] = {
    { "'memory': 4096", "present=1 tasks=4 memory_per_node_bytes=4294967296" },
    { "'memory': 9223372036854778808", "present=2 tasks=4 memory_per_cpu_bytes=3145728000" },
    { "'memory_per_node': {'set': true, 'number': 4096}, 'memory_per_cpu': {'set': false, "
      "'number': 0}, 'memory': 77",
      "present=1 tasks=4 memory_per_node_bytes=4294967296" },
    { "'memory_per_node': {'set': false}, 'memory_per_cpu': {'set': true, 'number': 3000}",
      "present=2 tasks=4 memory_per_cpu_bytes=3145728000" },
    { "'memory': null", "tasks=4" },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *members =
        g_strdup_printf (TIMES ", 'required': {'CPUs': 4, %s}", cases[i].required);
    g_autofree char *expected =
        g_strdup_printf ("7 submit=10 start=20 end=50 run=30 procs=4 unknown %s\n", cases[i].asks);
    expect_job (members, expected);
  }
}

static void
test_resources (void)
{
  expect_job (
      TIMES ", 'allocation_nodes': 2, 'tres': {'requested': ["
            "{'type': 'cpu', 'name': null, 'count': 8}, "
            "{'type': 'mem', 'name': '', 'count': 4096}, "
            "{'type': 'gres', 'name': 'gpu', 'count': 4}, "
            "{'type': 'gres', 'name': 'gpu:a100', 'count': 4}, "
            "{'type': 'energy', 'name': '', 'count': -2}, "
            "{'type': 'license', 'name': 'matlab', 'count': 1}]}",
      "7 submit=10 start=20 end=50 run=30 procs=8 unknown present=1 nodes_min=2 nodes_max=2 "
      "tasks=8 memory_per_node_bytes=2147483648 gres=gpu:a100:2 licenses=matlab:1\n");
  expect_job (TIMES ", 'required': {'CPUs': 4}, 'user': 'u', 'group': 'g', 'account': 'a', "
                    "'qos': 'q', 'partition': 'p', 'constraints': 'c', 'submit_line': "
                    "'sbatch --exclusive a.sh'",
              "7 submit=10 start=20 end=50 run=30 procs=4 unknown flags=1 tasks=4 constraint=c "
              "partition=p account=a group=g qos=q\n");
}

static void
test_ids (void)
{
  static const struct {
    const char *members;
    const char *names;
  } cases[] = {
    { "'array': {'job_id': 5, 'task_id': 0, 'task': null}", "5_0" },
    { "'array': {'job_id': 5, 'task_id': {'set': true, 'number': 3}, 'task': ''}", "5_3" },
    { "'array': {'job_id': 7, 'task_id': {'set': false, 'number': 0}, 'task': ''}", "7" },
    { "'array': {'job_id': 0, 'task_id': null, 'task': null}", "7" },
    { "'het': {'job_id': 6, 'job_offset': {'set': true, 'number': 1}}", "6+1" },
    { "'het': {'job_id': 0, 'job_offset': null}", "7" },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *members =
        g_strdup_printf (TIMES ", 'required': {'CPUs': 4}, %s", cases[i].members);
    g_autofree char *expected = g_strdup_printf (
        "%s submit=10 start=20 end=50 run=30 procs=4 unknown tasks=4\n", cases[i].names);
    expect_job (members, expected);
  }
  expect_job (
      "'time': {'submission': 10}, 'required': {'CPUs': 4}, 'state': {'current': 'PENDING'}, "
      "'array': {'job_id': 5, 'task_id': null, 'task': '1-2%1'}",
      "5_1 submit=10 procs=4 pending tasks=4\n5_2 submit=10 procs=4 pending tasks=4\n");
}

static void
test_shapes (void)
{
  const char *one = "7 submit=10 start=20 procs=4 running tasks=4\n"
                    "7 submit=90 start=95 procs=4 running tasks=4\n";
  const char *jobs =
      "[{\"job_id\": 7, \"user\": \"u\", \"time\": {\"submission\": 10, \"start\": 20},"
      " \"required\": {\"CPUs\": 4}, \"state\": {\"current\": \"RUNNING\"}}\n,\n"
      "{\"job_id\": 7, \"user\": \"v\", \"time\": {\"submission\": 90, \"start\": 95},"
      " \"required\": {\"CPUs\": 4}, \"state\": {\"current\": \"RUNNING\"}}]";
  g_autofree char *first = g_strdup_printf ("{\"jobs\": %s, \"meta\": {\"a\": [1, \"}\"]}}", jobs);
  g_autofree char *last =
      g_strdup_printf ("\n {\"errors\": [], \"\\\"\": \"\\\\\", \"jobs\": %s}\n\n", jobs);
  expect (first, one);
  expect (last, one);
  expect (jobs, one);
}

static void
test_errors (void)
{
  static const struct {
    const char *log;
    const char *error;
  } cases[] = {
    { "{}", "line 1: there is no list 'jobs'; expected JSON as sacct --json prints it" },
    { "{'jobs': 5}", "line 1: there is no list 'jobs'; expected JSON as sacct --json prints it" },
    { "{'jobs': [",
      "line 1: a bracket that is not closed: the text ends too early; expected JSON as "
      "sacct --json prints it" },
    { "{'jobs': [\n{'a': 1\n]}\n",
      "line 3: a bracket that closes another kind of bracket; expected JSON as sacct --json prints "
      "it" },
    { "{'jobs': ['a\n]}", "line 2: a string without an end; expected JSON as sacct --json prints "
                          "it" },
    { "{'jobs': []} x", "line 1: something behind the last bracket; expected JSON as sacct --json "
                        "prints it" },
    { "{'jobs' []}", "line 1: no colon behind the name of a member; expected JSON as sacct --json "
                     "prints it" },
    { "{jobs: []}",
      "line 1: no name where a member should be; expected JSON as sacct --json prints "
      "it" },
    { "{'jobs': [5]}", "job 1: it is no object; expected one" },
    { "{'jobs': [{}]}", "job 1: job_id is not there; expected a number of at least 1" },
    { "{'jobs': [{'job_id': 7}]}",
      "job 1: time.submission is not a time; expected seconds since 1970" },
    { "{'jobs': [{'job_id': 7, 'time': {'submission': 'soon'}}]}",
      "job 1: time.submission is not a number; expected one, plain or as {set, infinite, number}" },
    { "{'jobs': [{'job_id': 7, 'time': {'submission': 1}, 'user': 5}]}",
      "job 1: user is not a string; expected one" },
    { "{'jobs': [{'job_id': 7, 'time': {'submission': 1}, 'tres': {'allocated': 5}}]}",
      "job 1: tres.allocated is not a list; expected one of {type, name, count}" },
    { "{'jobs': [{'job_id': 7, 'time': {'submission': 1}, 'state': {'current': '4711'}}]}",
      "job 1: state.current is not a state; expected one such as COMPLETED" },
    { "{'jobs': [], 'errors': [{'error': 'down', 'description': 'cannot reach slurmdbd'}]}",
      "has no jobs, and sacct reported an error in it: cannot reach slurmdbd" },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *log = g_strdelimit (g_strdup (cases[i].log), "'", '"');
    g_autofree char *what = g_strdup (cases[i].error);
    if (strstr (what, "'jobs'"))
      g_strdelimit (what, "'", '"');
    g_autofree char *expected = g_strdup_printf ("error: trace 'x.json' %s\n", what);
    expect (log, expected);
  }
  expect ("{\"jobs\": []}",
          "error: trace 'x.json' has no jobs: it was read as sacct-json, with 0 job "
          "steps and 0 rows skipped\n");
}

static void
test_errors_inside (void)
{
  g_autoptr (GString) deep = g_string_new ("{\"jobs\": [");
  for (guint i = 0; i < 100000; i++)
    g_string_append_c (deep, '[');
  expect_log (deep->str, deep->len, NULL,
              "error: trace 'x.json' line 1: brackets that are nested too deep; expected JSON as "
              "sacct --json prints it\n");
  /* What json-glib finds has the line in the file. */
  const char *bad = "{\"jobs\": [\n{\"job_id\": 7,\n \"a\" 5}]}";
  g_autofree char *seen = log_text ("x.json", bad, strlen (bad), NULL, FALSE, NULL);
  g_assert_true (g_str_has_prefix (seen, "error: trace 'x.json' line 3: unexpected "));
  g_assert_true (g_str_has_suffix (seen, "; expected JSON as sacct --json prints it\n"));
}

static void
test_lenient (void)
{
  LkReaderOptions options = { .lenient = TRUE };
  const char *log =
      "{\"jobs\": [{\"job_id\": -1}, 5, {\"job_id\": 7, \"time\": {\"submission\": 10}, "
      "\"steps\": [{}, {}]}]}";
  LkReaderCounts counts;
  g_autofree char *seen = log_text ("x", log, strlen (log), &options, FALSE, &counts);
  g_assert_cmpstr (seen, ==, "7 submit=10 unknown\n");
  g_assert_cmpuint (counts.skipped_count, ==, 2);
  g_assert_cmpuint (counts.step_count, ==, 2);
}

static void
check_file (const char *name, const char *expected)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path = g_build_filename (LK_SOURCE_DIR, "traces/data/sacct", name, NULL);
  g_autoptr (LkTraceReader) reader = lk_trace_reader_new (path, NULL, &error);
  g_assert_no_error (error);
  g_autoptr (GString) out = g_string_new (NULL);
  LkTraceRecord record;
  g_assert_cmpint (lk_trace_reader_next (reader, &record, &error), ==, 1);
  g_assert_no_error (error);
  text_put_record (out, &record);
  text_put_request (out, &record.request);
  while (lk_trace_reader_next (reader, &record, &error) == 1)
    continue;
  g_assert_no_error (error);
  LkReaderCounts counts;
  lk_trace_reader_counts (reader, &counts);
  g_string_append_printf (out, "; %u records, %u steps", (guint)counts.record_count,
                          (guint)counts.step_count);
  g_assert_cmpstr (out->str, ==, expected);
}

static void
test_real_logs (void)
{
  check_file (
      "mila-sacct-json-slurm_21_8_8.json",
      "55978384 submit=1.67328e+09 start=1.67328e+09 end=1.67337e+09 run=86301 limit=86400 "
      "procs=4 requeued present=1 nodes_min=1 nodes_max=1 tasks=4 "
      "memory_per_node_bytes=42949672960 gres=gpu:1 constraint=[p100|p100l|v100l] "
      "partition=gpubackfill account=rrg-bengioy-ad_gpu group=purah qos=normal; 1 records, 0 "
      "steps");
  check_file ("mila-sacct-json-slurm_22_5_9.json",
              "20247445_100 submit=1.69216e+09 eligible=1.69216e+09 start=1.69374e+09 "
              "end=1.69387e+09 run=124403 limit=172800 procs=96 failed present=1 nodes_min=4 "
              "nodes_max=4 tasks=96 memory_per_node_bytes=68719476736 gres=gpu:4 constraint=[a100] "
              "partition=gpubase_bynode_b4 account=rrg-bengioy-ad_gpu group=hudson qos=normal; 1 "
              "records, 0 steps");
  check_file ("mila-sacct-json-slurm_23_2_6.json",
              "4 submit=1.61373e+09 start=1.61373e+09 run=8.38533e+07 limit=432000 procs=4 running "
              "present=1 nodes_min=1 nodes_max=1 tasks=4 memory_per_node_bytes=34359738368 "
              "gres=gpu:2 constraint=x86_64&(32gb|48gb) partition=main account=mila "
              "group=masterkohga qos=normal; 1 records, 0 steps");
  check_file ("mila-sacct-openapi-0.0.37.json",
              "1_7 submit=1.68019e+09 eligible=1.68019e+09 start=1.68019e+09 run=20615 limit=86400 "
              "procs=4 node_fail present=1 nodes_min=1 nodes_max=1 tasks=4 "
              "memory_per_node_bytes=42949672960 gres=gpu:1 constraint=[p100|p100l|v100l] "
              "partition=partition1 account=def-cerise-rrg group=nobody qos=normal; 2 records, 0 "
              "steps");
  check_file (
      "sarc-fake-fromage_1714003200.json.gz",
      "6 submit=1.70615e+09 start=1.70615e+09 run=7.85078e+06 limit=14400 procs=2 running "
      "present=1 nodes_min=1 nodes_max=1 tasks=2 memory_per_node_bytes=4294967296 "
      "gres=gpu:v100:1 partition=gpu account=rrg-bonhomme-ad_cpu group=fanbak qos=normal; 13 "
      "records, 26 steps");
  check_file ("sarc-fake-mila_1714003200.json.gz",
              "12 submit=1.70876e+09 start=1.70876e+09 run=5.24278e+06 limit=3600 procs=4 running "
              "present=1 nodes_min=1 nodes_max=1 tasks=4 memory_per_node_bytes=8589934592 "
              "gres=gpu:rtx8000:1 constraint=x86_64 partition=main account=def-bonhomme_cpu "
              "group=farcher qos=normal; 8 records, 16 steps");
}

/* Test vectors of another reader of sacct: JSON, but none of sacct's; and its kinds of bad output.
 * */
static void
test_bad_outputs (void)
{
  g_autoptr (GError) error = NULL;
  g_assert_null (lk_trace_reader_new (LK_SOURCE_DIR "/traces/data/sacct/xdmod-helper-sacct.json",
                                      NULL, &error));
  g_assert_nonnull (strstr (error->message, "there is no list \"jobs\""));
  g_clear_error (&error);
  g_assert_null (lk_trace_reader_new_from_bytes ("x", (const guint8 *)"", 0, NULL, &error));
  g_assert_cmpstr (error->message, ==, "trace 'x' is empty (0 bytes)");
  LkReaderOptions options = { .format = LK_FORMAT_SACCT_JSON };
  expect_log ("Malformed Slurm sacct line\n", 27, &options,
              "error: trace 'x.json' line 1: no object and no list; expected JSON as sacct --json "
              "prints it\n");
}

static void
test_same_as_text (void)
{
  const char *text =
      "JobID|JobIDRaw|User|State|Submit|Eligible|Start|End|ElapsedRaw|TimelimitRaw|ReqCPUS|"
      "AllocNodes|ReqMem|AllocTRES|Partition|NodeList\n"
      "5_2|7|u|COMPLETED|10|15|20|50|30|60|8|2|4096Mn|cpu=8,gres/gpu:a100=4|p|n[1-2]\n";
  g_autofree char *from_text = log_text ("x", text, strlen (text), NULL, TRUE, NULL);
  g_autofree char *log = job_log (
      "'user': 'u', 'array': {'job_id': 5, 'task_id': 2}, 'state': {'current': 'COMPLETED'}, "
      "'time': {'submission': 10, 'eligible': 15, 'start': 20, 'end': 50, 'elapsed': 30, 'limit': "
      "60}, 'required': {'CPUs': 8, 'memory_per_node': {'set': true, 'number': 4096}}, "
      "'allocation_nodes': 2, 'partition': 'p', 'nodes': 'n[1-2]', 'tres': {'allocated': [{'type': "
      "'gres', 'name': 'gpu:a100', 'count': 4}]}");
  expect (log, from_text);
  g_assert_nonnull (strstr (from_text, "5_2 submit=10 eligible=15 "));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/sacct json/numbers are plain, in objects or in strings", test_numbers);
  g_test_add_func ("/sacct json/states are one or a list", test_states);
  g_test_add_func ("/sacct json/memory has three forms", test_memory);
  g_test_add_func ("/sacct json/resources and names are taken", test_resources);
  g_test_add_func ("/sacct json/ids of arrays and heterogeneous jobs are told apart", test_ids);
  g_test_add_func ("/sacct json/the list of jobs may stand anywhere, or alone", test_shapes);
  g_test_add_func ("/sacct json/errors name the line, or the job and the member", test_errors);
  g_test_add_func ("/sacct json/errors inside are bounded and placed", test_errors_inside);
  g_test_add_func ("/sacct json/bad jobs are skipped when lenient", test_lenient);
  g_test_add_func ("/sacct json/real logs of five versions are read whole", test_real_logs);
  g_test_add_func ("/sacct json/what is no sacct output is called so", test_bad_outputs);
  g_test_add_func ("/sacct json/a job is the same as out of sacct -P", test_same_as_text);
  return g_test_run ();
}
