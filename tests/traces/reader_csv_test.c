/* tests/traces/reader_csv_test.c — tables by a column map: the built-in ones on extracts of the
 * logs that they are for, what the rules make of a row, every message, Lockstep's own table and
 * back. */
#include "tests/traces/record_text.h"

#include <glib/gstdio.h>

#include "traces/record_columns.h"

/* A table under a page of YAML. `map` may be NULL. */
static char *
table_text (const char *page, const char *table, gboolean is_lenient, char **map)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *folder = g_dir_make_tmp ("lk-csv-XXXXXX", &error);
  g_assert_no_error (error);
  g_autofree char *path = g_build_filename (folder, "m.yaml", NULL);
  g_assert_true (g_file_set_contents (path, page, -1, &error));
  LkReaderOptions options = { .csv_map = path, .lenient = is_lenient, .map = map };
  g_autofree char *text = log_text ("x.csv", table, strlen (table), &options, TRUE, NULL);
  g_unlink (path);
  g_rmdir (folder);
  /* The folder has another name every time. */
  char **parts = g_strsplit (text, path, -1);
  char *shown = g_strjoinv ("m.yaml", parts);
  g_strfreev (parts);
  return shown;
}

static void
expect (const char *page, const char *table, const char *expected)
{
  g_autofree char *seen = table_text (page, table, FALSE, NULL);
  g_assert_cmpstr (seen, ==, expected);
}

/* ---------------------------------------------------------------- built-in maps */

static void
expect_fixture (const char *name, const char *csv_map, const char *const *lines)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path = g_build_filename (LK_SOURCE_DIR, "tests", "fixtures", "csv", name, NULL);
  g_autofree char *table = NULL;
  gsize length_bytes;
  g_assert_true (g_file_get_contents (path, &table, &length_bytes, &error));
  LkReaderOptions options = { .csv_map = csv_map };
  g_autofree char *text = log_text (name, table, length_bytes, &options, TRUE, NULL);
  g_auto (GStrv) seen = g_strsplit (text, "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++)
    if (!g_strv_contains ((const char *const *)seen, lines[i]))
      g_error ("'%s' is not in:\n%s", lines[i], text);
}

static void
test_philly (void)
{
  static const char *const lines[] = {
    "1 submit=1.50753e+09 run=66 procs=1 unknown nodes_min=1 nodes_max=1 gres=gpu:1 account=11cb48",
    "7 submit=1.50733e+09 run=197281 procs=4 unknown nodes_min=1 nodes_max=1 gres=gpu:4 "
    "account=103959",
    "8 submit=1.50911e+09 run=1257 procs=12 unknown gpus=12 account=e13805",
    "10 submit=1.51311e+09 run=7673 procs=128 unknown gpus=128 account=ee9e8c",
    NULL,
  };
  expect_fixture ("philly.csv", NULL, lines);
}

static void
test_openb (void)
{
  static const char *const lines[] = {
    "openb-pod-0000 submit=0 start=0 end=1.25375e+07 run=1.25375e+07 procs=12 running present=1 "
    "nodes_min=1 nodes_max=1 tasks=1 cpus_per_task=12 memory_per_node_bytes=17179869184 gres=gpu:1 "
    "qos=LS",
    /* A part of a GPU. */
    "openb-pod-0001 submit=427061 start=427061 end=1.2903e+07 run=1.24759e+07 procs=6 running "
    "present=1 nodes_min=1 nodes_max=1 tasks=1 cpus_per_task=6 memory_per_node_bytes=12884901888 "
    "gres=shard:460 qos=LS",
    /* None. */
    "openb-pod-0005 submit=2.75967e+06 start=2.75968e+06 end=1.2903e+07 run=1.01433e+07 procs=20 "
    "running present=1 nodes_min=1 nodes_max=1 tasks=1 cpus_per_task=20 "
    "memory_per_node_bytes=68719476736 qos=LS",
    /* Eight. */
    "openb-pod-0017 submit=9.4375e+06 start=9.4375e+06 end=1.07699e+07 run=1.33236e+06 procs=88 "
    "completed present=1 nodes_min=1 nodes_max=1 tasks=1 cpus_per_task=88 "
    "memory_per_node_bytes=343597383680 gres=gpu:8 qos=Burstable",
    /* Never scheduled; CPUs are rounded up. */
    "openb-pod-0061 submit=1.00013e+07 end=1.00014e+07 run=125 procs=12 unknown present=1 "
    "nodes_min=1 nodes_max=1 tasks=1 cpus_per_task=12 memory_per_node_bytes=49392123904 gres=gpu:1 "
    "qos=BE",
    "openb-pod-0033 submit=9.96546e+06 start=9.96546e+06 end=9.96564e+06 run=182 procs=4 failed "
    "present=1 nodes_min=1 nodes_max=1 tasks=1 cpus_per_task=4 memory_per_node_bytes=5872025600 "
    "gres=gpu:1 qos=BE",
    NULL,
  };
  expect_fixture ("openb.csv", NULL, lines);
}

static void
test_muri (void)
{
  static const char *const lines[] = {
    "0 submit=0 run=1.45351e+06 procs=16 unknown gpus=16",
    "1 submit=27069 run=2.68361e+06 procs=1 unknown nodes_min=1 nodes_max=1 gres=gpu:1",
    NULL,
  };
  expect_fixture ("muri.csv", NULL, lines);
}

static void
test_helios (void)
{
  static const char *const lines[] = {
    "1425511 submit=1.59173e+09 start=1.59173e+09 end=1.59176e+09 run=36848 procs=1 completed "
    "nodes_min=1 nodes_max=1 tasks=1 cpus_per_task=1 gres=gpu:1 account=vcJkd",
    "1425512 submit=1.59173e+09 start=1.59173e+09 end=1.59173e+09 run=249 procs=16 failed "
    "nodes_min=1 nodes_max=1 tasks=1 cpus_per_task=16 gres=gpu:4 account=vchbv",
    "1425513 submit=1.59173e+09 start=1.59173e+09 end=1.5924e+09 run=675233 procs=1 cancelled "
    "nodes_min=1 nodes_max=1 tasks=1 cpus_per_task=1 gres=gpu:1 account=vcpDC",
    NULL,
  };
  expect_fixture ("helios.csv", NULL, lines);
}

static void
test_alibaba_2020 (void)
{
  static const char *const lines[] = {
    /* Half a GPU. */
    "4f057009a5d481acec67b088 submit=1.73916e+06 end=1.7392e+06 run=38 procs=6 completed present=1 "
    "nodes_min=1 nodes_max=1 tasks=1 cpus_per_task=6 memory_per_node_bytes=31457280000 "
    "gres=shard:500",
    /* Two instances of two GPUs each. */
    "af724763f4f5d0beef445849 submit=2.08134e+06 end=2.08389e+06 run=2553 procs=12 failed "
    "present=2 "
    "tasks=2 cpus_per_task=6 memory_per_cpu_bytes=5242880000 gpus_per_task=2",
    /* Still running. */
    "4b3f04b66a525d2df903eb16 submit=4.55088e+06 procs=15 running present=2 tasks=3 "
    "cpus_per_task=5 "
    "memory_per_cpu_bytes=858993460",
    /* Two instances, each with a part of a GPU on a node of its own. */
    "a9449d475665e3bf0512520b submit=4.55088e+06 end=4.55142e+06 run=537 procs=8 completed "
    "present=1 nodes_min=2 nodes_max=2 tasks=2 cpus_per_task=4 tasks_per_node=1 "
    "memory_per_node_bytes=8589934592 gres=shard:250",
    NULL,
  };
  expect_fixture ("pai.csv", "alibaba-2020", lines);
}

/* The bundled log, whole. */
static void
test_bundled (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path =
      g_build_filename (LK_SOURCE_DIR, "traces", "data", "philly-2017-jobs.csv.gz", NULL);
  g_autoptr (LkTraceReader) reader = lk_trace_reader_new (path, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (lk_trace_reader_format (reader), ==, LK_FORMAT_CSV);
  g_assert_cmpint (lk_trace_reader_unix_start_s (reader), ==, 0);
  gint64 jobs = 0;
  gint64 gpus = 0;
  gint64 total_only = 0;
  LkTraceRecord record;
  while (lk_trace_reader_next (reader, &record, &error) == 1) {
    jobs++;
    gpus += record.procs;
    total_only += record.request.gpus.length_bytes > 0 ? 1 : 0;
  }
  g_assert_no_error (error);
  g_assert_cmpint (jobs, ==, 82247);
  g_assert_cmpint (gpus, ==, 107235);
  g_assert_cmpint (total_only, ==, 289);
}

/* ---------------------------------------------------------------- maps of one's own */

/* The same 20 jobs as tests/fixtures/events/small.events. */
static void
test_own_map (void)
{
  static const char page[] = "separator: \";\"\n"
                             "columns:\n"
                             "  number: job_id\n"
                             "  submit: dt\n"
                             "  run: {column: wall_time, unknown: [\"-1\"]}\n"
                             "  limit: wall_limit\n"
                             "  user: user\n"
                             "  tasks: n_tasks\n"
                             "  tasks_per_node: ntasks_per_node\n"
                             "  account: account\n"
                             "  partition: partition\n"
                             "  qos: qos\n"
                             "  constraint: constraint\n"
                             "  memory: {column: mem, unit: MiB}\n"
                             "  gres: gres\n"
                             "rules: {run_to_limit: true}\n";
  g_autoptr (GError) error = NULL;
  g_autofree char *path =
      g_build_filename (LK_SOURCE_DIR, "tests", "fixtures", "csv", "small.csv", NULL);
  g_autofree char *table = NULL;
  g_assert_true (g_file_get_contents (path, &table, NULL, &error));
  g_autofree char *rows = table_text (page, table, FALSE, NULL);
  g_autofree char *list_path =
      g_build_filename (LK_SOURCE_DIR, "tests", "fixtures", "events", "small.events", NULL);
  g_autofree char *list = NULL;
  gsize length_bytes;
  g_assert_true (g_file_get_contents (list_path, &list, &length_bytes, &error));
  g_autofree char *events = log_text ("e", list, length_bytes, NULL, TRUE, NULL);
  /* A list of events knows that the others ended well. */
  g_auto (GStrv) parts = g_strsplit (events, " completed ", -1);
  g_autofree char *expected = g_strjoinv (" unknown ", parts);
  g_assert_cmpstr (rows, ==, expected);
}

static void
test_rules (void)
{
  static const struct {
    const char *page;
    const char *table;
    const char *request;
  } cases[] = {
    /* GPUs of a job: on its nodes, evenly or in total; up to a number of them on one node. */
    { "gpus: g, nodes: n", "g,n\n8,2", "procs=2 unknown nodes_min=2 nodes_max=2 gres=gpu:4" },
    { "gpus: g, nodes: n", "g,n\n7,2", "procs=2 unknown nodes_min=2 nodes_max=2 gpus=7" },
    { "gpus: g", "g\n3", "procs=1 unknown gpus=3" },
    { "gpus: g, gpu_type: t", "g,t\n3,a100", "procs=1 unknown gpus=a100:3" },
    { "gpus: {column: g, per: node}, nodes: n", "g,n\n8,2",
      "procs=2 unknown nodes_min=2 nodes_max=2 gres=gpu:8" },
    { "gpus: {column: g, per: task}, gpu_type: t", "g,t\n2,v100",
      "procs=1 unknown tasks=1 gpus_per_task=v100:2" },
    { "gpus: {column: g, unit: percent}", "g\n50",
      "procs=1 unknown nodes_min=1 nodes_max=1 gres=shard:500" },
    { "gpus: {column: g, unit: percent}", "g\n150", "procs=1 unknown gpus=2" },
    { "gpus: g", "g\n0", "procs=1 unknown" },
    /* A part of a GPU counts for jobs with one. */
    { "gpus: g, gpu_shares: {column: m, unit: milli}", "g,m\n1,250",
      "procs=1 unknown nodes_min=1 nodes_max=1 gres=shard:250" },
    { "gpus: g, gpu_shares: {column: m, unit: milli}", "g,m\n2,250", "procs=1 unknown gpus=2" },
    { "gpus: g, gpu_shares: {column: m, unit: milli}", "g,m\n1,1000", "procs=1 unknown gpus=1" },
    /* CPUs. */
    { "cpus: c", "c\n4", "procs=4 unknown tasks=4 cpus_per_task=1" },
    { "cpus: c, nodes: n", "c,n\n7,2",
      "procs=8 unknown nodes_min=2 nodes_max=2 tasks=2 cpus_per_task=4 tasks_per_node=1" },
    { "cpus: c, tasks: n", "c,n\n7,2", "procs=8 unknown tasks=2 cpus_per_task=4" },
    { "cpus: {column: c, per: node}, nodes: n", "c,n\n7,2",
      "procs=14 unknown nodes_min=2 nodes_max=2 tasks=2 cpus_per_task=7 tasks_per_node=1" },
    { "cpus: {column: c, per: task}, tasks: n", "c,n\n7,2",
      "procs=14 unknown tasks=2 cpus_per_task=7" },
    { "cpus: {column: c, unit: milli}", "c\n1500", "procs=2 unknown tasks=2 cpus_per_task=1" },
    /* Memory. */
    { "memory: {column: m, unit: MiB}", "m\n2",
      "procs=1 unknown present=1 memory_per_node_bytes=2097152" },
    { "memory: {column: m, unit: MiB}", "m\n0",
      "procs=1 unknown present=1 memory_per_node_bytes=1048576" },
    { "memory: {column: m, unit: B, per: job}, nodes: n", "m,n\n7,2",
      "procs=2 unknown present=1 nodes_min=2 nodes_max=2 memory_per_node_bytes=4" },
    { "memory: {column: m, unit: B, per: job}, cpus: n", "m,n\n7,2",
      "procs=2 unknown present=2 tasks=2 cpus_per_task=1 memory_per_cpu_bytes=4" },
    { "memory: {column: m, unit: B, per: cpu}", "m\n7",
      "procs=1 unknown present=2 memory_per_cpu_bytes=7" },
    { "memory: {column: m, unit: B, per: gpu}, gpus: g", "m,g\n7,1",
      "procs=1 unknown present=4 memory_per_gpu_bytes=7 gpus=1" },
    { "memory: {column: m, unit: B, per: gpu}, gpus: g", "m,g\n7,0", "procs=1 unknown" },
    /* Fields of a request as they are. */
    { "nodes_min: a, flags: b, licenses: c, cpus_per_gpu: d", "a,b,c,d\n3.0,exclusive+hold,x:2,",
      "procs=3 unknown flags=8193 nodes_min=3 licenses=x:2" },
    { "memory_per_cpu_bytes: a", "a\n0", "procs=1 unknown present=2" },
    { "group: a", "a\nstaff", "procs=1 unknown group=staff" },
    { "procs: a, cpus: b", "a,b\n9,2", "procs=9 unknown tasks=2 cpus_per_task=1" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *page = g_strdup_printf ("columns: {submit: s, %s}\n", cases[i].page);
    g_auto (GStrv) rows = g_strsplit (cases[i].table, "\n", 2);
    g_autofree char *table = g_strdup_printf ("s,%s\n5,%s\n", rows[0], rows[1]);
    g_autofree char *expected = g_strdup_printf ("1 submit=5 %s\n", cases[i].request);
    expect (page, table, expected);
  }
}

static void
test_given_rules (void)
{
  static const struct {
    const char *rules;
    const char *expected;
  } cases[] = {
    { "procs: gpus", "procs=4 unknown gpus=4" },
    { "procs: nodes", "procs=1 unknown gpus=4" },
    { "nodes: 2", "procs=2 unknown nodes_min=2 nodes_max=2 gres=gpu:2" },
    { "gpus_per_node_max: 4", "procs=1 unknown nodes_min=1 nodes_max=1 gres=gpu:4" },
    { "gpus_per_node_max: 3", "procs=1 unknown gpus=4" },
    { "cpus_per_gpu: 3", "procs=12 unknown cpus_per_gpu=3 gpus=4" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *page =
        g_strdup_printf ("columns: {submit: s, gpus: g}\nrules: {%s}\n", cases[i].rules);
    g_autofree char *expected = g_strdup_printf ("1 submit=5 %s\n", cases[i].expected);
    expect (page, "s,g\n5,4\n", expected);
  }
}

static void
test_overrides (void)
{
  static const char page[] = "columns: {submit: s, limit: l, gpus: {column: g, unit: milli}}\n";
  char *max[] = { (char *)"gpus_per_node_max=4", NULL };
  char *shares[] = { (char *)"shares_per_gpu=4", (char *)"run_to_limit=true", NULL };
  char *bad[] = { (char *)"gpus_per_node_max=0", NULL };
  char *bad_switch[] = { (char *)"run_from_submit=1", NULL };
  g_autofree char *on_one = table_text (page, "s,l,g\n5,,4000\n", FALSE, max);
  g_assert_cmpstr (on_one, ==, "1 submit=5 procs=1 unknown nodes_min=1 nodes_max=1 gres=gpu:4\n");
  g_autofree char *quarters = table_text (page, "s,l,g\n5,60,400\n", FALSE, shares);
  g_assert_cmpstr (quarters, ==,
                   "1 submit=5 run=60 limit=60 procs=1 timeout nodes_min=1 nodes_max=1 "
                   "gres=shard:2\n");
  g_autofree char *refused = table_text (page, "s,l,g\n5,,4000\n", FALSE, bad);
  g_assert_cmpstr (refused, ==,
                   "error: trace 'x.csv': mapping 'gpus_per_node_max=0': expected a "
                   "whole number of at least 1\n");
  g_autofree char *unclear = table_text (page, "s,l,g\n5,,4000\n", FALSE, bad_switch);
  g_assert_cmpstr (unclear, ==,
                   "error: trace 'x.csv': mapping 'run_from_submit=1': expected one of false, "
                   "true\n");
}

static void
test_times (void)
{
  static const struct {
    const char *columns;
    const char *table;
    const char *expected;
  } cases[] = {
    { "submit: a, wait: b, run: c", "a,b,c\n1,2,3", "submit=1 start=3 run=3 procs=1 unknown" },
    { "start: a, end: b", "a,b\n1,5", "submit=1 start=1 end=5 run=4 procs=1 unknown" },
    { "submit: a, start: b, end: c, suspended: d", "a,b,c,d\n0,1,9,3",
      "submit=0 start=1 end=9 run=5 procs=1 unknown" },
    { "submit: a, end: b", "a,b\n1,5", "submit=1 end=5 procs=1 unknown" },
    { "submit: a, eligible: b, limit: {column: c, unit: min}", "a,b,c\n1,2,UNLIMITED",
      "submit=1 eligible=2 limit=never procs=1 unknown" },
    { "submit: a, run: b", "a,b\nNA,5", "run=5 procs=1 unknown" },
    { "submit: {column: a, unit: date}, run: b", "a,b\n1970-01-01T00:01:00,5",
      "submit=60 run=5 procs=1 unknown" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *page = g_strdup_printf ("columns: {%s}\n", cases[i].columns);
    g_autofree char *expected = g_strdup_printf ("1 %s\n", cases[i].expected);
    expect (page, cases[i].table, expected);
  }
}

static void
test_names (void)
{
  static const char page[] =
      "names: [id, who, when, what]\n"
      "columns: {number: id, user: who, submit: when, job_name: what, name: what}\n";
  static const char table[] = "7,bob,1,\"a \"\"b\"\", c\"\n"
                              "x,al,2,d\n"
                              "8,bob,3,\n";
  static const struct {
    gint64 number;
    guint32 user_id;
    const char *job_name;
  } jobs[] = { { 7, 1, "a \"b\", c" }, { 2, 2, "d" }, { 8, 1, NULL } };
  g_autoptr (GError) error = NULL;
  g_autofree char *path = NULL;
  int fd = g_file_open_tmp ("lk-map-XXXXXX.yaml", &path, &error);
  g_assert_no_error (error);
  g_close (fd, NULL);
  g_assert_true (g_file_set_contents (path, page, -1, &error));
  LkReaderOptions options = { .csv_map = path };
  /* The names may stand in the first row or be missing. */
  for (guint with_header = 0; with_header < 2; with_header++) {
    g_autofree char *text = g_strdup_printf ("%s%s", with_header ? "who,id,when,what\n" : "",
                                             with_header ? "bob,7,1,\"a \"\"b\"\", c\"\n"
                                                           "al,x,2,d\nbob,8,3,\n"
                                                         : table);
    g_autoptr (LkTraceReader) reader = lk_trace_reader_new_from_bytes (
        "x.csv", (const guint8 *)text, strlen (text), &options, &error);
    g_assert_no_error (error);
    for (guint i = 0; i < G_N_ELEMENTS (jobs); i++) {
      LkTraceRecord record;
      g_assert_cmpint (lk_trace_reader_next (reader, &record, &error), ==, 1);
      g_assert_cmpint (record.number, ==, jobs[i].number);
      g_assert_cmpuint (record.user_id, ==, jobs[i].user_id);
      g_assert_cmpstr (record.job_name, ==, jobs[i].job_name);
      g_assert_cmpstr (record.name, ==, jobs[i].job_name);
      g_assert_cmpuint (lk_trace_reader_line_number (reader), ==, i + 1 + with_header);
    }
  }
  g_unlink (path);
}

/* ---------------------------------------------------------------- messages */

static void
test_errors (void)
{
  static const char page[] = "columns:\n"
                             "  submit: when\n"
                             "  gpus: gpus\n"
                             "  gpu_type: {column: type, optional: true}\n"
                             "  state: {column: state, optional: true, values: {ok: completed}}\n"
                             "  exit_code: {column: code, optional: true}\n"
                             "  user_id: {column: uid, optional: true}\n"
                             "  start: {column: start, optional: true}\n"
                             "  end: {column: end, optional: true}\n"
                             "  tasks: {column: tasks, optional: true}\n"
                             "  flags: {column: flags, optional: true}\n"
                             "  memory: {column: mem, unit: MiB, optional: true}\n";
  static const struct {
    const char *table;
    const char *message;
  } cases[] = {
    { "when,gpu\n1,2\n",
      "line 1: no column 'gpus', which is 'gpus' in the column map m.yaml; did you mean 'gpu'?" },
    { "when,gpus\n1\n",
      "line 2: 1 cell; expected 2, one for each column (--lenient takes rows that "
      "are shorter or longer)" },
    { "when,gpus\n\n1,2,3\n", "line 3: 3 cells; expected 2, one for each column (--lenient takes "
                              "rows that are shorter or longer)" },
    { "when,gpus\nx,2\n", "line 2: column 'when' (submit) is 'x'; expected a number" },
    { "when,gpus\n-1,2\n",
      "line 2: column 'when' (submit) is '-1'; expected a time from 0 to 1000000000000 seconds" },
    { "when,gpus\n1,-2\n",
      "line 2: column 'gpus' (gpus) is '-2'; expected a number from 0 to 2147483647" },
    { "when,gpus\n1,2147483648\n",
      "line 2: column 'gpus' (gpus) is '2147483648'; expected a number from 0 to 2147483647" },
    { "when,gpus,type\n1,2,a:b\n",
      "line 2: column 'type' (gpu_type) is 'a:b'; expected one type of GPU" },
    { "when,gpus,state\n1,2,good\n",
      "line 2: column 'state' (state) is 'good'; expected one of the values in the column map" },
    { "when,gpus,code\n1,2,256\n",
      "line 2: column 'code' (exit_code) is '256'; expected a whole number from 0 to 255" },
    { "when,gpus,uid\n1,2,0.5\n",
      "line 2: column 'uid' (user_id) is '0.5'; expected a whole number from 0 to 4294967295" },
    { "when,gpus,start,end\n1,2,5,4\n",
      "line 2: the job ends before it starts; expected an end behind the start" },
    { "when,gpus,tasks\n1,2,-1\n",
      "line 2: column 'tasks' (tasks) is '-1'; expected a whole number of at least 0" },
    { "when,gpus,tasks\n1,2,1.5\n",
      "line 2: column 'tasks' (tasks) is '1.5'; expected a whole number of at least 0" },
    { "when,gpus,flags\n1,2,exclusiv\n",
      "line 2: column 'flags' (flags) is 'exclusiv'; expected options such as exclusive, joined by "
      "+" },
    { "when,gpus,mem\n1,2,-1\n",
      "line 2: column 'mem' (memory) is '-1'; expected a size of at least 0" },
    { "when,gpus\n\"1\n", "line 2: a quote is opened and never closed; expected another one" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *seen = table_text (page, cases[i].table, FALSE, NULL);
    g_autofree char *expected = g_strdup_printf ("error: trace 'x.csv' %s\n", cases[i].message);
    g_assert_cmpstr (seen, ==, expected);
  }
}

static void
test_states_of_slurm (void)
{
  static const char page[] = "columns: {submit: s, state: e}\n";
  expect (page, "s,e\n1,TIMEOUT\n2,CANCELLED by 7\n",
          "1 submit=1 procs=1 timeout\n2 submit=2 procs=1 cancelled\n");
  expect (page, "s,e\n1,Passed\n",
          "error: trace 'x.csv' line 2: column 'e' (state) is 'Passed'; expected one of Slurm's "
          "states, such as COMPLETED\n");
}

static void
test_lenient (void)
{
  g_autofree char *seen = table_text ("columns: {submit: s, gpus: g, state: e}\n",
                                      "s,g,e\n1\n2,1,bad,more\n", TRUE, NULL);
  g_assert_cmpstr (seen, ==, "1 submit=1 procs=1 unknown\n2 submit=2 procs=1 unknown gpus=1\n");
}

static void
test_detection (void)
{
  static const struct {
    const char *log;
    const char *text;
  } cases[] = {
    { "a,b,c\n1,2,3\n",
      "error: trace 'x' line 1: the columns fit no built-in map; expected the columns of one of "
      "alibaba-2020, helios, lockstep, muri, openb, philly, or a page that says what they are "
      "(--csv-map FILE)\n" },
    { "a;b;c\n1;2;3\n",
      "error: trace 'x' line 1: the columns fit no built-in map; expected the columns of one of "
      "alibaba-2020, helios, lockstep, muri, openb, philly, or a page that says what they are "
      "(--csv-map FILE)\n" },
    /* Both of these maps: nothing tells which. */
    { "timestamp,duration,num_gpus,cluster,job_id,num_gpu,submit_time,model_name\n",
      "error: trace 'x' line 1: the columns fit several built-in maps; expected the columns of one "
      "of alibaba-2020, helios, lockstep, muri, openb, philly, or a page that says what they are "
      "(--csv-map FILE)\n" },
    { "cluster,num_gpus,duration,timestamp\nv,1,2,1970-01-01 00:00:03\n",
      "1 submit=3 run=2 procs=1 unknown nodes_min=1 nodes_max=1 gres=gpu:1 account=v\n" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *seen = log_text ("x", cases[i].log, strlen (cases[i].log), NULL, TRUE, NULL);
    g_assert_cmpstr (seen, ==, cases[i].text);
  }
  LkReaderOptions options = { .format = LK_FORMAT_CSV };
  g_autofree char *blank = log_text ("x", "\n\n", 2, &options, TRUE, NULL);
  g_assert_true (g_str_has_prefix (blank, "error: trace 'x' line 2: no row; expected the columns"));
  options.csv_map = "phily";
  g_autofree char *unknown = log_text ("x", "a\n", 2, &options, TRUE, NULL);
  g_assert_cmpstr (unknown, ==,
                   "error: column map 'phily': No such file or directory; did you mean "
                   "'philly'?\n");
}

/* ---------------------------------------------------------------- Lockstep's own table */

static void
cell_put (GString *table, const LkTraceRecord *record, guint column)
{
  g_autoptr (GString) cell = g_string_new (NULL);
  lk_record_cell (record, lk_record_column (column), cell);
  g_string_append (table, column > 0 ? "," : "");
  g_auto (GStrv) parts = g_strsplit (cell->str, "\"", -1);
  g_autofree char *doubled = g_strjoinv ("\"\"", parts);
  g_string_append_printf (table, "\"%s\"", doubled);
}

/* A record in which every part has a value. */
static LkTraceRecord
record_full (void)
{
  LkTraceRecord record = {
    .number = 12,
    .name = "12_3",
    .submit_us = 1500000,
    .eligible_us = 2000000,
    .start_us = 3000000,
    .end_us = 9000000,
    .run_us = 5000000,
    .limit_us = LK_TIME_NEVER,
    .procs = 8,
    .suspended_us = 1000000,
    .attempts = 2,
    .state = LK_RECORD_NODE_FAIL,
    .exit_code = 3,
    .exit_signal = 9,
    .user_id = 1001,
    .group_id = 1002,
    .partition_id = 7,
    .user = "bob",
    .group = "staff",
    .job_name = "a \"name\", with\nlines",
    .node_list = "n[1-2]",
  };
  guint32 number = 3;
  record.request.flags = LK_REQUEST_EXCLUSIVE | LK_REQUEST_HOLD;
#define FILL_u32(name)                                                                             \
  if (record.request.name == 0)                                                                    \
    record.request.name = number++;
#define FILL_i64(name) record.request.name = number++;
#define FILL_text(name) record.request.name = lk_text (#name ":2");
#define FILL(type, name, help) FILL_##type (name)
  LK_JOB_REQUEST_FIELDS (FILL)
  record.request.present = LK_REQUEST_HAS_MEMORY_PER_NODE | LK_REQUEST_HAS_MEMORY_PER_CPU
                           | LK_REQUEST_HAS_MEMORY_PER_GPU;
  return record;
}

static void
test_own_table (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GString) table = g_string_new (NULL);
  LkTraceRecord empty = { .number = 1,
                          .submit_us = 0,
                          .eligible_us = -1,
                          .start_us = -1,
                          .end_us = -1,
                          .run_us = -1,
                          .limit_us = -1,
                          .procs = 1,
                          .attempts = 1 };
  const LkTraceRecord records[] = { record_full (), empty };
  guint count = lk_record_column_count ();
  for (guint i = 0; i < count; i++)
    g_string_append_printf (table, "%s%s%s", i > 0 ? "," : "",
                            lk_record_column_is_request (lk_record_column (i)) ? "req_" : "",
                            lk_record_column_name (lk_record_column (i)));
  for (guint row = 0; row < G_N_ELEMENTS (records); row++)
    for (guint i = 0; i < count; i++) {
      g_string_append (table, i == 0 ? "\n" : "");
      cell_put (table, &records[row], i);
    }
  g_autoptr (LkTraceReader) reader = lk_trace_reader_new_from_bytes (
      "x.csv", (const guint8 *)table->str, table->len, NULL, &error);
  g_assert_no_error (error);
  for (guint row = 0; row < G_N_ELEMENTS (records); row++) {
    LkTraceRecord again;
    g_assert_cmpint (lk_trace_reader_next (reader, &again, &error), ==, 1);
    for (guint i = 0; i < count; i++) {
      g_autoptr (GString) before = g_string_new (NULL);
      g_autoptr (GString) behind = g_string_new (NULL);
      lk_record_cell (&records[row], lk_record_column (i), before);
      lk_record_cell (&again, lk_record_column (i), behind);
      if (strcmp (before->str, behind->str) != 0)
        g_error ("%s is '%s', not '%s'", lk_record_column_name (lk_record_column (i)), behind->str,
                 before->str);
    }
    g_assert_cmpuint (again.request.present, ==, records[row].request.present);
  }
}

/* As of Slurm's database and of sacct: by number, by name, with and without types. */
static void
test_tres (void)
{
  static const char by_number[] = "columns:\n  submit: t\n  run: r\n"
                                  "  cpus: {column: tres, tres: 1}\n"
                                  "  memory: {column: tres, tres: 2, unit: MiB, per: job}\n"
                                  "  nodes: {column: tres, tres: 4}\n"
                                  "  gpus: {column: tres, tres: 1002}\n";
  static const char by_name[] = "columns:\n  submit: t\n  run: r\n"
                                "  gpus: {column: tres, tres: gres/gpu}\n";
  expect (by_number,
          "t,r,tres\n"
          "0,5,\"1=20,2=4096,4=2,5=20,1002=2\"\n"
          "1,5,\"1=1,1001=7\"\n"
          "2,5,\n",
          "1 submit=0 run=5 procs=20 unknown present=1 nodes_min=2 nodes_max=2 tasks=2 "
          "cpus_per_task=10 tasks_per_node=1 memory_per_node_bytes=2147483648 gres=gpu:1\n"
          "2 submit=1 run=5 procs=1 unknown tasks=1 cpus_per_task=1\n"
          "3 submit=2 run=5 procs=1 unknown\n");
  expect (by_name,
          "t,r,tres\n"
          "0,5,\"cpu=4,gres/gpu=3,gres/gpu:a100=3\"\n"
          "1,5,\"gres/gpu:a100=1, gres/gpu:v100=1,gres/gpumem=9\"\n"
          "2,5,cpu=4\n",
          "1 submit=0 run=5 procs=1 unknown gpus=3\n"
          "2 submit=1 run=5 procs=1 unknown gpus=2\n"
          "3 submit=2 run=5 procs=1 unknown\n");
  expect (
      by_name, "t,r,tres\n0,5,4\n",
      "error: trace 'x.csv' line 2: column 'tres' (gpus) is '4'; expected a list of TRES, such as "
      "1=4,1001=2 or cpu=4,gres/gpu=2\n");
  expect (by_name, "t,r,tres\n0,5,gres/gpu=x\n",
          "error: trace 'x.csv' line 2: column 'tres' (gpus) is 'gres/gpu=x'; expected a number\n");
  expect ("columns:\n  submit: {column: t, tres: 1}\n", "t\n0\n",
          "error: m.yaml:2:29: 'submit' has 'tres'; expected that of a count or of memory\n");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/reader_csv/philly counts GPUs on one node or in total", test_philly);
  g_test_add_func ("/reader_csv/openb shares GPUs", test_openb);
  g_test_add_func ("/reader_csv/muri is in milliseconds", test_muri);
  g_test_add_func ("/reader_csv/helios says nodes", test_helios);
  g_test_add_func ("/reader_csv/alibaba-2020 has instances and no first row", test_alibaba_2020);
  g_test_add_func ("/reader_csv/the bundled log of Philly is read whole", test_bundled);
  g_test_add_func ("/reader_csv/a page of one's own reads the same jobs as a list of events",
                   test_own_map);
  g_test_add_func ("/reader_csv/how much becomes what is asked for", test_rules);
  g_test_add_func ("/reader_csv/rules fill in what a table does not say", test_given_rules);
  g_test_add_func ("/reader_csv/overrides count more than the rules of the map", test_overrides);
  g_test_add_func ("/reader_csv/times follow from each other", test_times);
  g_test_add_func ("/reader_csv/columns go by their names, or by their order", test_names);
  g_test_add_func ("/reader_csv/errors name line and column and what was expected", test_errors);
  g_test_add_func ("/reader_csv/states are Slurm's if the map has none", test_states_of_slurm);
  g_test_add_func ("/reader_csv/lenient takes rows of any length", test_lenient);
  g_test_add_func ("/reader_csv/the first row tells the map", test_detection);
  g_test_add_func ("/reader_csv/lists of TRES hold several of a job's counts", test_tres);
  g_test_add_func ("/reader_csv/Lockstep's own table comes back as it was", test_own_table);
  return g_test_run ();
}
