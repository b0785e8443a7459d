/* tests/traces/reader_sacct_test.c — sacct -P text: columns, rows that are cut wrong, values, rows
 * that are one job, and what a job asks for. */
#include "tests/traces/record_text.h"
#include "traces/sacct_values.h"

/* Enough columns for a job; times in seconds. */
#define HEADER "JobID|User|State|Submit|Start|End|ElapsedRaw|ReqCPUS"

static void
expect_with (const char *log, const LkReaderOptions *options, gboolean with_requests,
             const char *expected)
{
  g_autofree char *seen = log_text ("x.txt", log, strlen (log), options, with_requests, NULL);
  g_assert_cmpstr (seen, ==, expected);
}

static void
expect (const char *log, const char *expected)
{
  expect_with (log, NULL, FALSE, expected);
}

/* ---------------------------------------------------------------- columns */

static void
test_columns (void)
{
  const char *one = "7 submit=10 start=20 end=50 run=30 procs=4 completed\n";
  expect (HEADER "\n7|u|COMPLETED|10|20|50|30|4\n", one);
  /* Any order, any case, widths, a separator at the end, other separators, Windows, a mark. */
  expect ("reqcpus|SUBMIT|Start|State%20|End|Elapsed|JobIDRaw\n"
          "4|10|20|COMPLETED|50|00:00:30|7\n",
          one);
  expect ("JobID|Submit|Start|End|ElapsedRaw|NCPUS|State|\n7|10|20|50|30|4|COMPLETED|\n", one);
  expect ("JobID;Submit;Start;End;ElapsedRaw;NCPUS;State\n7;10;20;50;30;4;COMPLETED\n", one);
  expect ("\xef\xbb\xbfJobID|Submit|Start|End|ElapsedRaw|NCPUS|State\r\n7|10|20|50|30|4|CD\r\n",
          one);
  /* The header again, where two outputs were joined; blank lines. */
  expect (HEADER "\n\n7|u|COMPLETED|10|20|50|30|4\n" HEADER "\n8|u|FAILED|11|21|51|30|2\n",
          "7 submit=10 start=20 end=50 run=30 procs=4 completed\n"
          "8 submit=11 start=21 end=51 run=30 procs=2 failed\n");
}

static void
test_columns_given (void)
{
  LkReaderOptions options = { .columns = HEADER };
  const char *one = "7 submit=10 start=20 end=50 run=30 procs=4 completed\n";
  expect_with ("7|u|COMPLETED|10|20|50|30|4\n", &options, FALSE, one);
  /* They count more than a header, which is passed over then. */
  options.columns = "JobID|User|State|Submit|Start|End|ElapsedRaw|NTasks|ReqCPUS";
  expect_with ("JobID|User|State|Submit|Start|End|ElapsedRaw|ReqCPUS|NTasks\n"
               "7|u|COMPLETED|10|20|50|30|9|4\n",
               &options, FALSE, one);
  options.columns = "a|b";
  expect_with (
      "7|u\n", &options, FALSE,
      "error: trace 'x.txt': the columns given are none of sacct's; expected names such as "
      "JobID|Submit|Start|End|ReqTRES, of which one is JobID or JobIDRaw\n");
}

static void
test_columns_guessed (void)
{
  const char *row =
      "163485|163485|phillips|focaccia|chestnut|chaff|chaff|45789|noror|380693|2016-12-22T07:15:12|"
      "2016-12-22T07:15:12|2016-12-22T07:15:13|2017-01-01T20:42:19|10-13:27:06|0:0|"
      "CANCELLED by 380693|1|12|12|31000Mn|cpu=12,node=1|"
      "billing=12,cpu=12,gres/gpu=2,mem=31000M,node=1|37-14:00:00|cpn-f11-31|name|with|pipes\n";
  expect_with (row, NULL, TRUE,
               "163485 submit=1.48239e+09 start=1.48239e+09 end=1.4833e+09 run=912426 "
               "limit=3.2472e+06 procs=12 cancelled present=1 nodes_min=1 nodes_max=1 tasks=12 "
               "memory_per_node_bytes=32505856000 gres=gpu:2 partition=focaccia account=chaff "
               "group=chaff qos=chestnut\n");
}

static void
test_columns_missing (void)
{
  LkReaderOptions options = { .format = LK_FORMAT_SACCT };
  expect ("JobID|Start|End|NCPUS\n1|1|2|3\n",
          "error: trace 'x.txt': there is no column Submit; expected it in sacct --format\n");
  expect (
      "JobID|Submit|NCPUS\n1|1|3\n",
      "error: trace 'x.txt': there is no column Elapsed, ElapsedRaw or End; expected one of them "
      "in sacct --format\n");
  expect (
      "JobID|Submit|Start|End\n1|1|3|4\n",
      "error: trace 'x.txt': there is no column ReqTRES, AllocTRES, ReqCPUS, AllocCPUS or NCPUS; "
      "expected one of them in sacct --format\n");
  expect ("JobID           JobName  Partition\n------------ ---------- ----------\n",
          "error: trace 'x.txt': this is sacct's table for people, which cuts values off; expected "
          "the output of sacct -P\n");
  expect_with (
      "1|2|3\n", &options, FALSE,
      "error: trace 'x.txt': there is no header with JobID, and the first line is in no "
      "known order of columns; expected sacct -P without -n, or the names with --columns\n");
  expect (HEADER "\n",
          "error: trace 'x.txt' has no jobs: it was read as sacct, with 0 job steps and "
          "0 rows skipped\n");
}

/* ---------------------------------------------------------------- rows */

#define NAMED "JobID|JobName|Submit|Start|ElapsedRaw|NCPUS|State"

/* The names, which tell how the rows were cut: "7=a b". */
static void
expect_names (const char *log, const LkReaderOptions *options, const char *expected)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GString) out = g_string_new (NULL);
  g_autoptr (LkTraceReader) reader =
      lk_trace_reader_new_from_bytes ("x.txt", (const guint8 *)log, strlen (log), options, &error);
  g_assert_no_error (error);
  LkTraceRecord record;
  int got;
  while ((got = lk_trace_reader_next (reader, &record, &error)) == 1)
    g_string_append_printf (out, "%" G_GINT64_FORMAT "=%s;", record.number,
                            record.job_name ? record.job_name : "");
  if (got < 0)
    g_string_append (out, error->message);
  g_assert_cmpstr (out->str, ==, expected);
}

static void
test_separators (void)
{
  expect_names (NAMED "\n7|a|1|2|3|4|CD\n8|a|b|1|2|3|4|CD\n9||a||b||1|2|3|4|CD\n", NULL,
                "7=a;8=a|b;9=|a||b|;");
  /* A name that looks like other columns. */
  expect_names (NAMED "\n7|1|2|3|4|CD|1|2|3|4|CD\n", NULL, "7=1|2|3|4|CD;");
  /* The command line is a likelier place than the name. */
  expect_names ("JobID|JobName|SubmitLine|Submit|Start|ElapsedRaw|NCPUS\n"
                "7|a|sbatch --wrap=a|b|1|2|3|4\n",
                NULL, "7=a;");
  /* The column beside it is of a kind: what fits it is not text. */
  expect_names ("JobID|Constraints|AllocNodes|JobName|Submit|Start|ElapsedRaw|NCPUS\n"
                "7|x|y|1|a|b|1|2|3|4\n",
                NULL, "7=a|b;");
}

static void
test_newlines (void)
{
  expect_names (NAMED "\n7|a\nb|1|2|3|4|CD\n8|c|1|2|3|4|CD\n", NULL, "7=a\nb;8=c;");
  expect_names (NAMED "\n7|a\n\nb|x\n|1|2|3|4|CD\n", NULL, "7=a\n\nb|x\n;");
  /* At the end of the row, where only its successor's look tells. */
  expect_names ("JobID|Submit|Start|ElapsedRaw|NCPUS|JobName\n"
                "7|1|2|3|4|a\n  if [ 1 ]\n  fi\n8|1|2|3|4|b\n",
                NULL, "7=a\n  if [ 1 ]\n  fi;8=b;");
}

static void
test_broken_rows (void)
{
  const char *log = NAMED "\n7|a|1|2|3\n8|b|1|2|3|4|CD\n9|c|1|2|3|4|5|6\n10|d|1|2|3|4|CD\n";
  LkReaderOptions lenient = { .lenient = TRUE };
  expect_names (
      log, NULL,
      "trace 'x.txt' line 2: 5 cells; expected 7, as the header has (--lenient skips such "
      "rows)");
  expect_names (log, &lenient, "8=b;10=d;");
  LkReaderCounts counts;
  g_autofree char *text = log_text ("x", log, strlen (log), &lenient, FALSE, &counts);
  g_assert_nonnull (strstr (text, "10 submit=1 "));
  g_assert_cmpuint (counts.skipped_count, ==, 2);
  g_assert_cmpuint (counts.record_count, ==, 2);
  g_assert_cmpuint (counts.line_count, ==, 5);
  expect_names (NAMED "\n9|c|1|2|3|4|5|6\n10|d|1|2|3|4|CD\n", NULL,
                "trace 'x.txt' line 2: 8 cells; expected 7, as the header has, and no way to join "
                "some fits their columns (--lenient skips such rows)");
}

/* ---------------------------------------------------------------- values */

static void
test_wrong_values (void)
{
  static const struct {
    const char *row;
    const char *error;
  } rows[] = {
    { "x|u|CD|1|2|3|4|5", "field 1 (JobID) is 'x'; expected a job id such as 123, 123_4 or 123+1" },
    { "1|u|CD|1.5|2|3|4|5", "field 4 (Submit) is '1.5'; expected a time such as "
                            "2024-01-31T07:15:12, or seconds since 1970" },
    { "1|u|CD|Unknown|2|3|4|5", "job 1 has no time in Submit; expected one" },
    { "1|u|CD|1|2016-13-01T00:00:00|3|4|5",
      "field 5 (Start) is '2016-13-01T00:00:00'; expected a time such as 2024-01-31T07:15:12, or "
      "seconds since 1970" },
    { "1|u|CD|1|2|3|4s|5", "field 7 (ElapsedRaw) is '4s'; expected a whole number" },
    { "1|u|CD|1|2|3|4|many", "field 8 (ReqCPUS) is 'many'; expected a whole number" },
    { "1|u|4711|1|2|3|4|5", "field 3 (State) is '4711'; expected a state such as COMPLETED" },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autofree char *log = g_strdup_printf (HEADER "\n%s\n2|u|CD|1|2|3|4|5\n", rows[i].row);
    g_autofree char *expected =
        g_strdup_printf ("error: trace 'x.txt' line 2: %s\n", rows[i].error);
    expect (log, expected);
    LkReaderOptions lenient = { .lenient = TRUE };
    expect_with (log, &lenient, FALSE, "2 submit=1 start=2 end=3 run=4 procs=5 completed\n");
  }
}

static void
test_times (void)
{
  static const struct {
    const char *cell;
    gint64 time_s;
  } times[] = {
    { "1970-01-01T00:00:00", 0 },
    { "2016-12-22T07:15:12", 1482390912 },
    { "2016-12-22 07:15:12", 1482390912 },
    { "2016-02-29T23:59:59", 1456790399 },
    { "2016-12-22T07:15:12+01:00", 1482387312 },
    { "2016-12-22T07:15:12Z", 1482390912 },
    { "1482390912", 1482390912 },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (times); i++) {
    gint64 time_us = -7;
    g_assert_true (lk_sacct_time_us (lk_span (times[i].cell), &time_us));
    g_assert_cmpint (time_us, ==, times[i].time_s * 1000000);
  }
  static const char *const none[] = { "", "Unknown", "None", "N/A", "0" };
  for (gsize i = 0; i < G_N_ELEMENTS (none); i++) {
    gint64 time_us = 7;
    g_assert_true (lk_sacct_time_us (lk_span (none[i]), &time_us));
    g_assert_cmpint (time_us, ==, -1);
  }
  static const char *const wrong[] = {
    "2016-12-22", "2016-00-22T07:15:12", "2016-12-22T24:00:00", "1600-12-22T07:15:12",
    "-5",         "9999999999999999",    "2016-12-22T07:15:12x"
  };
  for (gsize i = 0; i < G_N_ELEMENTS (wrong); i++) {
    gint64 time_us = 7;
    g_assert_false (lk_sacct_time_us (lk_span (wrong[i]), &time_us));
    g_assert_cmpint (time_us, ==, 7);
  }
}

static void
test_lengths (void)
{
  static const struct {
    const char *cell;
    gint64 length_us;
  } lengths[] = {
    { "00:00:17", 17000000 },
    { "10-13:27:06", 912426000000 },
    { "00:01.277", 1277000 },
    { "1-02", 93600000000 },
    { "INVALID", -1 },
    { "", -1 },
    { "1000:00:00", 3600000000000 },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (lengths); i++) {
    gint64 length_us = -7;
    g_assert_true (lk_sacct_duration_us (lk_span (lengths[i].cell), &length_us));
    g_assert_cmpint (length_us, ==, lengths[i].length_us);
  }
  gint64 length_us = -7;
  g_assert_false (lk_sacct_duration_us (lk_span ("17"), &length_us));
  g_assert_false (lk_sacct_duration_us (lk_span ("1:2:3:4"), &length_us));
  g_assert_false (lk_sacct_duration_us (lk_span ("99999999999999999999:00"), &length_us));
  g_assert_true (lk_sacct_limit_us (lk_span ("UNLIMITED"), FALSE, &length_us));
  g_assert_cmpint (length_us, ==, LK_TIME_NEVER);
  g_assert_true (lk_sacct_limit_us (lk_span ("Partition_Limit"), FALSE, &length_us));
  g_assert_cmpint (length_us, ==, -1);
  g_assert_true (lk_sacct_limit_us (lk_span ("1440"), TRUE, &length_us));
  g_assert_cmpint (length_us, ==, G_GINT64_CONSTANT (86400000000));
}

static void
test_memory (void)
{
  static const struct {
    const char *cell;
    LkMemoryKind kind;
    gint64 mib;
  } sizes[] = {
    { "31000Mn", LK_MEMORY_PER_NODE, 31000 },
    { "2800Mc", LK_MEMORY_PER_CPU, 2800 },
    { "4Gc", LK_MEMORY_PER_CPU, 4096 },
    { "62.50G", LK_MEMORY_TOTAL, 64000 },
    { "4000M", LK_MEMORY_TOTAL, 4000 },
    { "1T", LK_MEMORY_TOTAL, 1048576 },
    { "500", LK_MEMORY_TOTAL, 500 },
    /* The mark for memory per CPU, printed as a part of the number. */
    { "2147486648Mn", LK_MEMORY_PER_CPU, 3000 },
    { "9223372036854778808M", LK_MEMORY_PER_CPU, 3000 },
    { "0n", LK_MEMORY_PER_NODE, 0 },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (sizes); i++) {
    LkMemoryKind kind = LK_MEMORY_UNKNOWN;
    gint64 bytes = -7;
    g_assert_true (lk_sacct_memory (lk_span (sizes[i].cell), &kind, &bytes));
    g_assert_cmpint (kind, ==, sizes[i].kind);
    g_assert_cmpint (bytes, ==, sizes[i].mib * 1024 * 1024);
  }
  LkMemoryKind kind = LK_MEMORY_TOTAL;
  gint64 bytes = -7;
  g_assert_true (lk_sacct_memory (lk_span (""), &kind, &bytes));
  g_assert_cmpint (kind, ==, LK_MEMORY_UNKNOWN);
  g_assert_true (lk_sacct_memory (lk_span ("1.33Gn"), &kind, &bytes));
  g_assert_cmpint (bytes, ==, 1428076626); /* 1.33 GiB is 1428076625.92 bytes */
  static const char *const wrong[] = {
    "M", "5X", "5GG", "-5M", "99999999999999999999M", "9000000P"
  };
  for (gsize i = 0; i < G_N_ELEMENTS (wrong); i++)
    g_assert_false (lk_sacct_memory (lk_span (wrong[i]), &kind, &bytes));
}

static void
test_states (void)
{
  static const struct {
    const char *cell;
    LkRecordState state;
  } states[] = {
    { "COMPLETED", LK_RECORD_COMPLETED },   { "CANCELLED by 1001", LK_RECORD_CANCELLED },
    { "CANCELLED+", LK_RECORD_CANCELLED },  { "OUT_OF_ME+", LK_RECORD_FAILED },
    { "CD", LK_RECORD_COMPLETED },          { "TIMEOUT", LK_RECORD_TIMEOUT },
    { "DEADLINE", LK_RECORD_TIMEOUT },      { "NODE_FAIL", LK_RECORD_NODE_FAIL },
    { "BOOT_FAIL", LK_RECORD_FAILED },      { "SUSPENDED", LK_RECORD_RUNNING },
    { "PENDING", LK_RECORD_PENDING },       { "RESIZING", LK_RECORD_REQUEUED },
    { "SOMETHING_NEW", LK_RECORD_UNKNOWN },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (states); i++) {
    LkRecordState state = LK_RECORD_PREEMPTED;
    gboolean is_resizing = FALSE;
    g_assert_true (lk_sacct_state (lk_span (states[i].cell), &state, &is_resizing));
    g_assert_cmpint (state, ==, states[i].state);
    g_assert_cmpint (is_resizing, ==, strcmp (states[i].cell, "RESIZING") == 0);
  }
}

static void
test_ids (void)
{
  static const struct {
    const char *cell;
    gint64 number;
    gint64 task;
    gint64 het;
    const char *tasks;
    gboolean is_step;
  } ids[] = {
    { "123", 123, -1, -1, "", FALSE },
    { "123_4", 123, 4, -1, "", FALSE },
    { "123_[5-9%2]", 123, -1, -1, "5-9%2", FALSE },
    { "123+1", 123, -1, 1, "", FALSE },
    { "123.batch", 123, -1, -1, "", TRUE },
    { "123_4.extern", 123, 4, -1, "", TRUE },
    { "123+0.0", 123, -1, 0, "", TRUE },
    { "123_[1,3,5...]", 123, -1, -1, "1,3,5...", FALSE },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (ids); i++) {
    LkSacctId id;
    g_assert_true (lk_sacct_id (lk_span (ids[i].cell), &id));
    g_assert_cmpint (id.number, ==, ids[i].number);
    g_assert_cmpint (id.array_task, ==, ids[i].task);
    g_assert_cmpint (id.het_offset, ==, ids[i].het);
    g_assert_cmpint (id.is_step, ==, ids[i].is_step);
    g_assert_cmpuint (id.tasks.length_bytes, ==, strlen (ids[i].tasks));
  }
  static const char *const wrong[] = { "",      "0",      "x",
                                       "123_",  "123_[]", "123_[9-5]",
                                       "123 4", "123.",   "123_[0-4000000,0-4000000]" };
  for (gsize i = 0; i < G_N_ELEMENTS (wrong); i++) {
    LkSacctId id;
    g_assert_false (lk_sacct_id (lk_span (wrong[i]), &id));
  }
}

/* ---------------------------------------------------------------- rows that are one job */

static void
test_steps (void)
{
  const char *log =
      HEADER "\n7|u|CD|10|20|50|30|4\n7.batch||CD|20|20|50|30|4\n7.extern||CD|20|20|50|"
             "30|4\n7.0||FAILED|21|21|22|1|2\n8|u|CD|11|20|50|30|4\n";
  LkReaderCounts counts;
  g_autofree char *text = log_text ("x", log, strlen (log), NULL, FALSE, &counts);
  g_assert_cmpstr (text, ==,
                   "7 submit=10 start=20 end=50 run=30 procs=4 completed\n"
                   "8 submit=11 start=20 end=50 run=30 procs=4 completed\n");
  g_assert_cmpuint (counts.step_count, ==, 3);
  g_assert_cmpuint (counts.duplicate_count, ==, 0);
}

static void
test_arrays (void)
{
  /* Task 6 has a row of its own, which comes in its place. */
  expect ("JobID|JobIDRaw|State|Submit|Start|End|ElapsedRaw|ReqCPUS\n"
          "5_[1-2,6-10:2%4]|5|PENDING|10|Unknown|Unknown|0|1\n5_6|9|COMPLETED|10|20|50|30|1\n",
          "5_1 submit=10 procs=1 pending\n5_2 submit=10 procs=1 pending\n"
          "5_8 submit=10 procs=1 pending\n5_10 submit=10 procs=1 pending\n"
          "5_6 submit=10 start=20 end=50 run=30 procs=1 completed\n");
  expect (HEADER "\n5+0|u|CD|10|20|50|30|4\n5+1|u|CD|10|20|50|30|8\n",
          "5+0 submit=10 start=20 end=50 run=30 procs=4 completed\n"
          "5+1 submit=10 start=20 end=50 run=30 procs=8 completed\n");
}

static void
test_requeues (void)
{
  /* The submit of a later run is the time of the requeue. */
  expect (HEADER "\n7|u|NODE_FAIL|10|20|50|30|4\n7|u|PREEMPTED|50|60|70|10|4\n"
                 "7|u|COMPLETED|70|80|180|100|4\n",
          "7 submit=10 start=80 end=180 run=100 procs=4 attempts=3 completed\n");
  /* Newest first, as some extracts are. */
  expect (HEADER "\n7|u|COMPLETED|70|80|180|100|4\n7|u|PREEMPTED|50|60|70|10|4\n"
                 "7|u|NODE_FAIL|10|20|50|30|4\n",
          "7 submit=10 start=80 end=180 run=100 procs=4 attempts=3 completed\n");
  /* Seen twice in the same run is one run; the state that came later counts. */
  expect (HEADER "\n7|u|PENDING|10|Unknown|Unknown|0|4\n7|u|RUNNING|10|20|Unknown|5|4\n"
                 "7|u|COMPLETED|10|20|50|30|4\n7|u|RUNNING|10|20|Unknown|9|4\n",
          "7 submit=10 start=20 end=50 run=30 procs=4 completed\n");
  /* Another user: another job, which got the id when it was free again. */
  expect (HEADER "\n7|u|COMPLETED|10|20|50|30|4\n7|v|COMPLETED|90|91|92|1|4\n",
          "7 submit=10 start=20 end=50 run=30 procs=4 completed\n"
          "7 submit=90 start=91 end=92 run=1 procs=4 completed\n");
  /* Another cluster too. */
  expect ("Cluster|" HEADER "\na|7|u|COMPLETED|10|20|50|30|4\nb|7|u|COMPLETED|90|91|92|1|4\n",
          "7 submit=10 start=20 end=50 run=30 procs=4 completed\n"
          "7 submit=90 start=91 end=92 run=1 procs=4 completed\n");
}

static void
test_resizing (void)
{
  expect (HEADER "\n7|u|RESIZING|10|20|50|30|4\n7|u|COMPLETED|10|50|60|10|2\n",
          "7 submit=10 start=20 end=60 run=40 procs=4 completed\n");
  expect (HEADER "\n7|u|COMPLETED|10|50|60|10|2\n7|u|RESIZING|10|20|50|30|4\n",
          "7 submit=10 start=20 end=60 run=40 procs=4 completed\n");
}

static void
test_never_started (void)
{
  expect (HEADER "|NodeList\n7|u|CANCELLED by 5|10|None|50|0|4|None assigned\n"
                 "8|u|CANCELLED by 5|10|50|50|0|4|None assigned\n"
                 "9|u|CANCELLED by 5|10|50|50|0|4|n1\n"
                 "10|u|RUNNING|10|50|Unknown|70|4|n1\n",
          "7 submit=10 end=50 procs=4 cancelled\n8 submit=10 end=50 procs=4 cancelled\n"
          "9 submit=10 start=50 end=50 run=0 procs=4 cancelled\n"
          "10 submit=10 start=50 run=70 procs=4 running\n");
}

static void
test_run_time (void)
{
  const char *names = "JobID|State|Submit|Start|End|Suspended|NCPUS\n";
  g_autofree char *log = g_strconcat (names, "7|CD|10|20|50|00:00:05|4\n", NULL);
  expect (log, "7 submit=10 start=20 end=50 run=25 procs=4 completed\n");
  /* Raw and readable columns help each other out. */
  expect ("JobID|State|Submit|Start|ElapsedRaw|Elapsed|TimelimitRaw|Timelimit|NCPUS\n"
          "7|CD|10|20||00:00:09|60||4\n8|CD|10|20|9|||01:00:00|4\n9|CD|10|20|9|||UNLIMITED|4\n",
          "7 submit=10 start=20 run=9 limit=3600 procs=4 completed\n"
          "8 submit=10 start=20 run=9 limit=3600 procs=4 completed\n"
          "9 submit=10 start=20 run=9 limit=never procs=4 completed\n");
}

/* ---------------------------------------------------------------- requests */

#define ASKED "JobID|Submit|Start|ElapsedRaw|ReqCPUS|AllocCPUS|NNodes|ReqMem|ReqTRES|AllocTRES"

static void
expect_request (const char *cells, const char *expected)
{
  g_autofree char *log = g_strdup_printf (ASKED "\n7|1|2|3|%s\n", cells);
  g_autofree char *line = g_strdup_printf ("7 submit=1 start=2 run=3 %s%s\n", "procs=", expected);
  expect_with (log, NULL, TRUE, line);
}

static void
test_resources (void)
{
  expect_request ("8|16|2|8Gn||", "8 unknown present=1 nodes_min=2 nodes_max=2 tasks=8 "
                                  "memory_per_node_bytes=8589934592");
  expect_request ("8|16|2|2Gc||", "8 unknown present=2 nodes_min=2 nodes_max=2 tasks=8 "
                                  "memory_per_cpu_bytes=2147483648");
  /* Totals are spread over the nodes, rounded up. */
  expect_request ("8|16|3|4M||", "8 unknown present=1 nodes_min=3 nodes_max=3 tasks=8 "
                                 "memory_per_node_bytes=1398102");
  /* What was asked for in TRES comes first, what was given last; 0 of memory is nothing. */
  expect_request ("8|16|2|0n|cpu=4,mem=2G,node=2|cpu=16,mem=9G,node=2",
                  "4 unknown present=1 nodes_min=2 nodes_max=2 tasks=4 "
                  "memory_per_node_bytes=1073741824");
  expect_request ("|16|2|||cpu=16,mem=8G,node=2",
                  "16 unknown present=1 nodes_min=2 nodes_max=2 tasks=16 "
                  "memory_per_node_bytes=4294967296");
}

static void
test_gpus (void)
{
  /* On each node when they divide, in total when not. */
  expect_request ("8||2||cpu=8,gres/gpu=4|",
                  "8 unknown nodes_min=2 nodes_max=2 tasks=8 gres=gpu:2");
  expect_request ("8||2||cpu=8,gres/gpu=3|", "8 unknown nodes_min=2 nodes_max=2 tasks=8 gpus=3");
  /* With and without its type it is one count. */
  expect_request ("8||2||gres/gpu:a100=4,gres/gpu=4,cpu=8|",
                  "8 unknown nodes_min=2 nodes_max=2 tasks=8 gres=gpu:a100:2");
  expect_request ("8||2||gres/gpu=4,cpu=8,gres/gpu:a100=2,gres/gpu:v100=2|",
                  "8 unknown nodes_min=2 nodes_max=2 tasks=8 gres=gpu:a100:1,gpu:v100:1");
  expect_request ("8||2||gres/gpu=4,cpu=8,gres/gpu:a100=2|",
                  "8 unknown nodes_min=2 nodes_max=2 tasks=8 gres=gpu:2");
  /* Old Slurm has them in AllocTRES only. */
  expect_request ("8||1||cpu=8|cpu=8,gres/gpu=2",
                  "8 unknown nodes_min=1 nodes_max=1 tasks=8 gres=gpu:2");
  expect_request ("8||2||cpu=8,gres/shard=3,license/matlab=2,billing=9,gres/gpumem=5,energy=-2|",
                  "8 unknown nodes_min=2 nodes_max=2 tasks=8 gres=shard:2 licenses=matlab:2");
}

static void
test_submit_line (void)
{
  const char *names = "JobID|Submit|Start|ElapsedRaw|ReqCPUS|SubmitLine\n";
  const char *start = "7 submit=1 start=2 run=3 procs=8 unknown";
  static const struct {
    const char *line;
    const char *asks;
  } lines[] = {
    { "sbatch -n 4 -c2 --exclusive a.sh --contiguous", "flags=1 tasks=4 cpus_per_task=2" },
    { "sbatch --contiguous -w n[1-2] -x 'n3' --switches=1@60 a.sh",
      "flags=8 tasks=8 switches=1 switches_wait_us=3600000000 node_list=n[1-2] exclude=n3" },
    /* They do not make up the CPUs, so they do not hold. */
    { "sbatch -n 5 --ntasks-per-node=5 a.sh", "tasks=8" },
    { "/usr/bin/srun --oversubscribe -C 'a100&ib' hostname", "flags=4 tasks=8 constraint=a100&ib" },
    { "python run.py --exclusive", "tasks=8" },
    { "sbatch --exclusive=nonsense a.sh", "tasks=8" },
    { "sbatch --hold a.sh", "tasks=8" },
    { "sbatch -w ./nodes a.sh", "tasks=8" },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (lines); i++) {
    g_autofree char *log = g_strdup_printf ("%s7|1|2|3|8|%s\n", names, lines[i].line);
    g_autofree char *expected = g_strdup_printf ("%s %s\n", start, lines[i].asks);
    expect_with (log, NULL, TRUE, expected);
  }
  char *none[] = { "submit_line=none", NULL };
  LkReaderOptions options = { .map = none };
  g_autofree char *log = g_strdup_printf ("%s7|1|2|3|8|sbatch --exclusive a.sh\n", names);
  g_autofree char *expected = g_strdup_printf ("%s tasks=8\n", start);
  expect_with (log, &options, TRUE, expected);
}

/* Only when asked for: then the job counts as submitted when it was. */
static void
test_terms (void)
{
  const char *names = "JobID|Submit|Eligible|Start|ElapsedRaw|ReqCPUS|Reservation|SubmitLine\n";
  static const struct {
    const char *row;
    const char *plain;
    const char *terms;
  } rows[] = {
    { "7|10|40|50|3|1||sbatch a.sh", "7 submit=10 eligible=40 start=50",
      "7 submit=10 start=50 run=3 procs=1 unknown tasks=1 begin_us=40000000" },
    { "7|10|10|50|3|1||sbatch a.sh", "7 submit=10 start=50",
      "7 submit=10 start=50 run=3 procs=1 unknown tasks=1" },
    /* What it became eligible by is known: not by which moment. */
    { "7|10|40|50|3|1||sbatch -d afterok:5 a.sh", "7 submit=10 eligible=40 start=50",
      "7 submit=10 start=50 run=3 procs=1 unknown tasks=1 dependency=afterok:5" },
    { "7|10|40|50|3|1||sbatch -b now+20 a.sh", "7 submit=10 eligible=40 start=50",
      "7 submit=10 start=50 run=3 procs=1 unknown tasks=1 begin_us=30000000" },
    { "7|10|40|50|3|1||sbatch --begin=tomorrow a.sh", "7 submit=10 eligible=40 start=50",
      "7 submit=10 start=50 run=3 procs=1 unknown tasks=1 begin_us=40000000" },
    { "7_3|10|10|50|3|1|maint|sbatch -a 0-9%2 a.sh", "7_3 submit=10 start=50",
      "7_3 submit=10 start=50 run=3 procs=1 unknown tasks=1 reservation=maint" },
    { "7+1|10|10|50|3|1||sbatch -n1 : -n1 a.sh", "7+1 submit=10 start=50",
      "7+1 submit=10 start=50 run=3 procs=1 unknown tasks=1 het_count=1" },
  };
  char *map[] = { "terms=log", NULL };
  LkReaderOptions options = { .map = map };
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autofree char *log = g_strdup_printf ("%s%s\n", names, rows[i].row);
    g_autofree char *plain = g_strdup_printf ("%s run=3 procs=1 unknown tasks=1\n", rows[i].plain);
    g_autofree char *expected = g_strdup_printf ("%s\n", rows[i].terms);
    expect_with (log, NULL, TRUE, plain);
    expect_with (log, &options, TRUE, expected);
  }
  char *outside[] = { "terms=log", "reservation=none", NULL };
  options.map = outside;
  g_autofree char *log = g_strdup_printf ("%s%s\n", names, rows[5].row);
  expect_with (log, &options, TRUE, "7_3 submit=10 start=50 run=3 procs=1 unknown tasks=1\n");
}

/* ---------------------------------------------------------------- overrides */

static void
test_overrides (void)
{
  static const struct {
    const char *map;
    const char *asks;
  } cases[] = {
    { "procs=log", "procs=8 unknown present=1 nodes_min=2 nodes_max=2 tasks=8 "
                   "memory_per_node_bytes=1073741824 gres=gpu:a100:2 partition=p" },
    { "procs=gpus", "procs=4 unknown present=1 nodes_min=2 nodes_max=2 tasks=8 "
                    "memory_per_node_bytes=1073741824 gres=gpu:a100:2 partition=p" },
    { "procs=nodes", "procs=2 unknown present=1 nodes_min=2 nodes_max=2 tasks=8 "
                     "memory_per_node_bytes=1073741824 gres=gpu:a100:2 partition=p" },
    { "cpus_per_gpu=3", "procs=12 unknown present=1 nodes_min=2 nodes_max=2 cpus_per_gpu=3 "
                        "memory_per_node_bytes=1073741824 gres=gpu:a100:2 partition=p" },
    { "memory=none",
      "procs=8 unknown nodes_min=2 nodes_max=2 tasks=8 gres=gpu:a100:2 partition=p" },
    { "memory_per_gpu=2GiB", "procs=8 unknown present=4 nodes_min=2 nodes_max=2 tasks=8 "
                             "memory_per_gpu_bytes=2147483648 gres=gpu:a100:2 partition=p" },
    { "nodes=none", "procs=8 unknown present=2 tasks=8 memory_per_cpu_bytes=268435456 gpus=a100:4 "
                    "partition=p" },
    { "nodes=4", "procs=8 unknown present=1 nodes_min=4 nodes_max=4 tasks=8 "
                 "memory_per_node_bytes=1073741824 gres=gpu:a100:2 partition=p" },
    { "gpus=none", "procs=8 unknown present=1 nodes_min=2 nodes_max=2 tasks=8 "
                   "memory_per_node_bytes=1073741824 partition=p" },
    { "gpus=gpu:h100:8", "procs=8 unknown present=1 nodes_min=2 nodes_max=2 tasks=8 "
                         "memory_per_node_bytes=1073741824 gres=gpu:h100:8 partition=p" },
    { "gpu_type=none", "procs=8 unknown present=1 nodes_min=2 nodes_max=2 tasks=8 "
                       "memory_per_node_bytes=1073741824 gres=gpu:2 partition=p" },
    { "gpu_type=h100", "procs=8 unknown present=1 nodes_min=2 nodes_max=2 tasks=8 "
                       "memory_per_node_bytes=1073741824 gres=gpu:h100:2 partition=p" },
    { "partition=none", "procs=8 unknown present=1 nodes_min=2 nodes_max=2 tasks=8 "
                        "memory_per_node_bytes=1073741824 gres=gpu:a100:2" },
    { "partition=gpu", "procs=8 unknown present=1 nodes_min=2 nodes_max=2 tasks=8 "
                       "memory_per_node_bytes=1073741824 gres=gpu:a100:2 partition=gpu" },
    { "exclusive=all", "procs=8 unknown present=1 flags=1 nodes_min=2 nodes_max=2 tasks=8 "
                       "memory_per_node_bytes=1073741824 gres=gpu:a100:2 partition=p" },
    { "resources=allocated", "procs=16 unknown present=1 nodes_min=2 nodes_max=2 tasks=16 "
                             "memory_per_node_bytes=8589934592 gres=gpu:a100:2 partition=p" },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    char *map[] = { (char *)cases[i].map, NULL };
    LkReaderOptions options = { .map = map };
    g_autofree char *expected = g_strdup_printf ("7 submit=1 start=2 run=3 %s\n", cases[i].asks);
    expect_with ("JobID|Submit|Start|ElapsedRaw|Partition|ReqTRES|AllocTRES\n"
                 "7|1|2|3|p|cpu=8,mem=2G,node=2,gres/gpu:a100=4|cpu=16,mem=16G,node=2\n",
                 &options, TRUE, expected);
  }
}

static void
test_override_times (void)
{
  static const struct {
    const char *map;
    const char *expected;
  } cases[] = {
    { "limit=log", "7 submit=10 eligible=15 start=20 end=50 run=30 limit=60 procs=4 completed\n" },
    { "limit=none", "7 submit=10 eligible=15 start=20 end=50 run=30 procs=4 completed\n" },
    { "limit=run", "7 submit=10 eligible=15 start=20 end=50 run=30 limit=30 procs=4 completed\n" },
    { "limit=2h", "7 submit=10 eligible=15 start=20 end=50 run=30 limit=7200 procs=4 completed\n" },
    { "submit=submit", "7 submit=10 start=20 end=50 run=30 limit=60 procs=4 completed\n" },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    char *map[] = { (char *)cases[i].map, NULL };
    LkReaderOptions options = { .map = map };
    expect_with (HEADER "|Eligible|TimelimitRaw\n7|u|COMPLETED|10|20|50|30|4|15|1\n", &options,
                 FALSE, cases[i].expected);
  }
}

static void
test_wrong_overrides (void)
{
  static const struct {
    const char *map;
    const char *error;
  } cases[] = {
    { "proc=gpus", "mapping 'proc=gpus': unknown key; did you mean 'procs'?" },
    { "resource=allocated",
      "mapping 'resource=allocated': unknown key; did you mean 'resources'?" },
    { "procs", "mapping 'procs': expected key=value" },
    { "procs=gpu", "mapping 'procs=gpu': expected one of log, cpus, gpus, nodes" },
    { "cpus_per_gpu=0", "mapping 'cpus_per_gpu=0': expected a number of at least 1" },
    { "nodes=x", "mapping 'nodes=x': expected log, none or a number of at least 1" },
    { "memory_per_cpu=4", "mapping 'memory_per_cpu=4': expected a size with its unit, such as "
                          "512GiB" },
    { "limit=soon", "mapping 'limit=soon': expected log, none, run or a time such as 7-00:00:00, "
                    "12h, 90 (minutes) or unlimited" },
    { "resources=all", "mapping 'resources=all': expected one of requested, allocated" },
    { "delimiter=ab", "mapping 'delimiter': expected one character that is no letter or digit" },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    char *map[] = { (char *)cases[i].map, NULL };
    LkReaderOptions options = { .map = map };
    g_autofree char *expected = g_strdup_printf ("error: trace 'x.txt': %s\n", cases[i].error);
    expect_with (HEADER "\n7|u|COMPLETED|10|20|50|30|4\n", &options, FALSE, expected);
  }
}

/* ---------------------------------------------------------------- real logs */

static void
check_file (const char *name, gboolean is_lenient, const char *expected)
{
  g_autoptr (GError) error = NULL;
  LkReaderOptions options = { .lenient = is_lenient };
  g_autofree char *path = g_build_filename (LK_SOURCE_DIR, "traces/data/sacct", name, NULL);
  g_autoptr (LkTraceReader) reader = lk_trace_reader_new (path, &options, &error);
  g_assert_no_error (error);
  g_assert_cmpint (lk_trace_reader_format (reader), ==, LK_FORMAT_SACCT);
  LkTraceRecord record;
  guint states[LK_RECORD_PENDING + 1] = { 0 };
  while (lk_trace_reader_next (reader, &record, &error) == 1)
    states[record.state]++;
  g_assert_no_error (error);
  LkReaderCounts counts;
  lk_trace_reader_counts (reader, &counts);
  g_autofree char *seen = g_strdup_printf (
      "%u records, %u steps, %u duplicates, %u skipped; %u completed, %u failed, %u cancelled, %u "
      "timeout",
      (guint)counts.record_count, (guint)counts.step_count, (guint)counts.duplicate_count,
      (guint)counts.skipped_count, states[LK_RECORD_COMPLETED], states[LK_RECORD_FAILED],
      states[LK_RECORD_CANCELLED], states[LK_RECORD_TIMEOUT]);
  g_assert_cmpstr (seen, ==, expected);
}

static void
test_real_logs (void)
{
  check_file ("xdmod-phillips.sacct.gz", FALSE,
              "4285 records, 0 steps, 0 duplicates, 0 skipped; 2324 completed, 1717 failed, 243 "
              "cancelled, 1 timeout");
  check_file ("ubhpc-sacct_simple.log", FALSE,
              "4 records, 0 steps, 0 duplicates, 0 skipped; 4 completed, 0 failed, 0 cancelled, 0 "
              "timeout");
  check_file ("ubhpc-sacct_dump2110.log", FALSE,
              "1 records, 2 steps, 4 duplicates, 0 skipped; 0 completed, 0 failed, 1 cancelled, 0 "
              "timeout");
  check_file ("ubhpc-sacct_submitline_multiline.log", FALSE,
              "2 records, 7 steps, 4 duplicates, 0 skipped; 1 completed, 0 failed, 1 cancelled, 0 "
              "timeout");
  /* Its last row lacks the first half. */
  check_file ("ubhpc-sacct_dump2101.log", TRUE,
              "12 records, 2 steps, 0 duplicates, 1 skipped; 1 completed, 0 failed, 6 cancelled, 5 "
              "timeout");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/sacct/columns are told by the header, in any order", test_columns);
  g_test_add_func ("/sacct/columns may be given", test_columns_given);
  g_test_add_func ("/sacct/the order of XDMoD is known without a header", test_columns_guessed);
  g_test_add_func ("/sacct/a column that is needed and missing is named", test_columns_missing);
  g_test_add_func ("/sacct/separators in free text are found", test_separators);
  g_test_add_func ("/sacct/newlines in free text are found", test_newlines);
  g_test_add_func ("/sacct/a broken row is an error, or skipped", test_broken_rows);
  g_test_add_func ("/sacct/a wrong value is named with its place", test_wrong_values);
  g_test_add_func ("/sacct/times are dates or seconds", test_times);
  g_test_add_func ("/sacct/lengths and limits are read in all their forms", test_lengths);
  g_test_add_func ("/sacct/memory is per node, per CPU or in total", test_memory);
  g_test_add_func ("/sacct/states are read in full, short or cut", test_states);
  g_test_add_func ("/sacct/ids are of jobs, tasks, components and steps", test_ids);
  g_test_add_func ("/sacct/steps are counted, not handed out", test_steps);
  g_test_add_func ("/sacct/a row of waiting tasks becomes a record for each", test_arrays);
  g_test_add_func ("/sacct/rows of a requeued job are one record", test_requeues);
  g_test_add_func ("/sacct/rows of a resized job add up", test_resizing);
  g_test_add_func ("/sacct/a job cancelled while waiting did not run", test_never_started);
  g_test_add_func ("/sacct/the run time is what any column says", test_run_time);
  g_test_add_func ("/sacct/CPUs, nodes and memory are what was asked for", test_resources);
  g_test_add_func ("/sacct/GPUs are on each node or in total", test_gpus);
  g_test_add_func ("/sacct/the command line adds what no column says", test_submit_line);
  g_test_add_func ("/sacct/what a job waited for is in its terms when asked for", test_terms);
  g_test_add_func ("/sacct/overrides change what a job asks for", test_overrides);
  g_test_add_func ("/sacct/overrides change times", test_override_times);
  g_test_add_func ("/sacct/a wrong override is an error with a hint", test_wrong_overrides);
  g_test_add_func ("/sacct/real logs are read whole", test_real_logs);
  return g_test_run ();
}
