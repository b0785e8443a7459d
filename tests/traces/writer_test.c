/* tests/traces/writer_test.c — what a record becomes as SWF, CSV and JSON lines, and that CSV reads
 * back. */
#include "traces/writer.h"

#include <glib/gstdio.h>
#include <string.h>

#include "traces/reader.h"
#include "traces/record_columns.h"

#define S G_GINT64_CONSTANT (1000000)
#define GIB (G_GINT64_CONSTANT (1) << 30)

static LkTraceRecord
full_record (void)
{
  return (LkTraceRecord){
    .number = 123,
    .name = "123_4",
    .submit_us = 100500000,
    .eligible_us = 101 * S,
    .start_us = 160 * S,
    .end_us = 220 * S,
    .run_us = 60 * S,
    .limit_us = LK_TIME_NEVER,
    .procs = 16,
    .suspended_us = 250000,
    .attempts = 2,
    .state = LK_RECORD_TIMEOUT,
    .exit_code = 3,
    .exit_signal = 9,
    .user_id = 7,
    .group_id = 8,
    .partition_id = 9,
    .user = "ada",
    .group = "people",
    .job_name = "a \"b\", c\nd",
    .node_list = "n[1-2]",
    .request = { .present = LK_REQUEST_HAS_MEMORY_PER_NODE,
                 .flags = LK_REQUEST_EXCLUSIVE | LK_REQUEST_NO_REQUEUE,
                 .nodes_min = 2,
                 .nodes_max = 4,
                 .tasks = 16,
                 .memory_per_node_bytes = 8 * GIB,
                 .switches_wait_us = 5 * S,
                 .gres = lk_text ("gpu:a100:4"),
                 .constraint = lk_text ("ib&[x|y]"),
                 .node_list = lk_text ("n1,n[5-6]"),
                 .partition = lk_text ("batch"),
                 .account = lk_text ("phys"),
                 .group = lk_text ("people") },
  };
}

static LkTraceRecord
empty_record (void)
{
  return (LkTraceRecord){ .number = 1,
                          .submit_us = 0,
                          .eligible_us = -1,
                          .start_us = -1,
                          .end_us = -1,
                          .run_us = -1,
                          .limit_us = -1,
                          .procs = -1,
                          .attempts = 1 };
}

typedef struct {
  char *folder;
  char *path;
} Place;

static void
place_make (Place *self)
{
  self->folder = g_dir_make_tmp ("lk-writer-XXXXXX", NULL);
  self->path = g_build_filename (self->folder, "log", NULL);
}

static void
place_remove (Place *self)
{
  g_unlink (self->path);
  g_assert_cmpint (g_rmdir (self->folder), ==, 0);
  g_free (self->folder);
  g_free (self->path);
}

/* Returns: (transfer full) what was written. */
static char *
written (const LkTraceWriterOptions *options, const LkTraceRecord *records, guint count)
{
  Place place;
  g_autoptr (GError) error = NULL;
  char *contents = NULL;
  place_make (&place);
  g_autoptr (LkTraceWriter) writer = lk_trace_writer_new (place.path, options, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < count; i++)
    g_assert_true (lk_trace_writer_add (writer, &records[i], &error));
  g_assert_true (lk_trace_writer_close (writer, &error));
  g_assert_true (g_file_get_contents (place.path, &contents, NULL, NULL));
  place_remove (&place);
  return contents;
}

/* ---------------------------------------------------------------- the formats */

static void
test_swf (void)
{
  const LkTraceRecord records[] = { full_record (), empty_record () };
  const LkTraceWriterOptions options = { .format = LK_WRITE_SWF,
                                         .unix_start_s = 1000,
                                         .max_procs = 64,
                                         .computer = "synthetic",
                                         .note = "one",
                                         .other_note = "two" };
  g_autofree char *text = written (&options, records, 2);
  g_assert_cmpstr (text, ==,
                   "; Version: 2.2\n; Computer: synthetic\n; MaxProcs: 64\n"
                   "; UnixStartTime: 1000\n; Note: one\n; Note: two\n"
                   "  123    100.5   59.5     60   16     -1    -1   16     -1 1048576  0   7   8"
                   "  -1  1  9 -1 -1\n"
                   "    1        0     -1     -1   -1     -1    -1   -1     -1    -1 -1  -1  -1"
                   "  -1 -1 -1 -1 -1\n");
  const LkTraceWriterOptions bare = { .format = LK_WRITE_SWF, .unix_start_s = -1 };
  g_autofree char *head = written (&bare, NULL, 0);
  g_assert_cmpstr (head, ==, "; Version: 2.2\n");
}

static void
test_swf_fields (void)
{
  const struct {
    LkRecordState state;
    gint64 status;
  } states[] = {
    { LK_RECORD_UNKNOWN, -1 },  { LK_RECORD_COMPLETED, 1 }, { LK_RECORD_FAILED, 0 },
    { LK_RECORD_CANCELLED, 5 }, { LK_RECORD_TIMEOUT, 0 },   { LK_RECORD_NODE_FAIL, 0 },
    { LK_RECORD_PREEMPTED, 0 }, { LK_RECORD_REQUEUED, -1 }, { LK_RECORD_RUNNING, -1 },
    { LK_RECORD_PENDING, -1 },
  };
  LkSwfJob job;
  for (gsize i = 0; i < G_N_ELEMENTS (states); i++) {
    LkTraceRecord record = full_record ();
    record.state = states[i].state;
    lk_record_swf (&record, &job);
    g_assert_cmpint (job.status, ==, states[i].status);
  }
  const struct {
    LkJobRequest request;
    gint64 kib;
  } memories[] = {
    { { .present = 0 }, -1 },
    { { .present = LK_REQUEST_HAS_MEMORY_PER_CPU, .memory_per_cpu_bytes = 2 * GIB }, 2097152 },
    { { .present = LK_REQUEST_HAS_MEMORY_PER_GPU, .memory_per_gpu_bytes = 8 * GIB }, -1 },
    { { .present = LK_REQUEST_HAS_MEMORY_PER_GPU,
        .memory_per_gpu_bytes = 8 * GIB,
        .cpus_per_gpu = 4 },
      2097152 },
    { { .present = LK_REQUEST_HAS_MEMORY_PER_NODE, .memory_per_node_bytes = 0 }, -1 },
    { { .present = LK_REQUEST_HAS_MEMORY_PER_NODE, .memory_per_node_bytes = 16 * GIB }, 1048576 },
    { { .present = LK_REQUEST_HAS_MEMORY_PER_NODE,
        .memory_per_node_bytes = G_MAXINT64,
        .nodes_min = G_MAXUINT32 },
      -1 },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (memories); i++) {
    LkTraceRecord record = full_record ();
    record.request = memories[i].request;
    lk_record_swf (&record, &job);
    g_assert_cmpint (job.memory_requested_kib, ==, memories[i].kib);
  }
  const struct {
    const char *partition;
    gint64 queue;
  } queues[] = { { "interactive", 0 }, { "batch", 1 }, { "long", -1 }, { "", -1 } };
  for (gsize i = 0; i < G_N_ELEMENTS (queues); i++) {
    LkTraceRecord record = full_record ();
    record.request.partition = lk_text (queues[i].partition);
    lk_record_swf (&record, &job);
    g_assert_cmpint (job.queue_id, ==, queues[i].queue);
  }
}

static void
test_csv (void)
{
  const LkTraceRecord records[] = { full_record (), empty_record () };
  const LkTraceWriterOptions options = { .format = LK_WRITE_CSV };
  g_autofree char *text = written (&options, records, 2);
  static const char head[] =
      "number,name,submit_s,eligible_s,start_s,end_s,run_s,limit_s,procs,suspended_s,attempts,"
      "state,exit_code,exit_signal,user_id,user,group_id,group,partition_id,job_name,node_list,"
      "req_flags,req_nodes_min,req_nodes_max,req_tasks,";
  static const char first[] =
      "\n123,123_4,100.5,101,160,220,60,UNLIMITED,16,0.25,2,TIMEOUT,3,9,7,ada,8,people,9,"
      "\"a \"\"b\"\", c\nd\",n[1-2],exclusive+no-requeue,2,4,16,";
  g_assert_true (g_str_has_prefix (text, head));
  g_assert_nonnull (strstr (text, first));
  g_assert_nonnull (strstr (text, ",8589934592,"));
  g_assert_nonnull (strstr (text, ",ib&[x|y],\"n1,n[5-6]\","));
  g_assert_nonnull (strstr (text, "\n1,,0,,,,,,,0,1,,0,0,,,"));
  g_assert_true (g_str_has_suffix (text, ",,,,,\n"));
}

static void
test_jsonl (void)
{
  const LkTraceRecord records[] = { full_record (), empty_record () };
  const LkTraceWriterOptions options = { .format = LK_WRITE_JSONL };
  g_autofree char *text = written (&options, records, 2);
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  g_assert_cmpuint (g_strv_length (lines), ==, 3);
  g_assert_true (g_str_has_prefix (lines[0], "{\"number\":123,\"name\":\"123_4\","
                                             "\"submit_s\":100.5,\"eligible_s\":101,"));
  g_assert_nonnull (strstr (lines[0], "\"limit_s\":\"UNLIMITED\",\"procs\":16,"));
  g_assert_nonnull (strstr (lines[0], "\"job_name\":\"a \\\"b\\\", c\\u000ad\",\"node_list\":"
                                      "\"n[1-2]\",\"request\":{\"flags\":"
                                      "\"exclusive+no-requeue\",\"nodes_min\":2,"));
  g_assert_true (g_str_has_suffix (lines[0], "\"group\":\"people\",\"qos\":null,\"user\":null,"
                                             "\"nice\":null,\"site_factor\":null,"
                                             "\"priority\":null}}"));
  g_assert_nonnull (strstr (lines[1], "\"name\":null,\"submit_s\":0,\"eligible_s\":null,"));
}

/* Memory of 0 is all of it; none asked for is something else. */
static void
test_given_zero (void)
{
  static const char *const names[] = { "memory_per_node_bytes", "memory_per_cpu_bytes",
                                       "memory_per_gpu_bytes" };
  for (guint bit = 0; bit < G_N_ELEMENTS (names); bit++) {
    LkTraceRecord record = empty_record ();
    record.request.present = 1u << bit;
    for (guint i = 0; i < lk_record_column_count (); i++) {
      g_autoptr (GString) cell = g_string_new (NULL);
      const LkRecordColumn *column = lk_record_column (i);
      const char *name = lk_record_column_name (column);
      lk_record_cell (&record, column, cell);
      if (g_str_has_prefix (name, "memory_"))
        g_assert_cmpstr (cell->str, ==, strcmp (name, names[bit]) == 0 ? "0" : "");
    }
  }
}

static void
test_format_of_path (void)
{
  const struct {
    const char *path;
    LkWriteFormat format;
  } cases[] = {
    { "a.swf", LK_WRITE_SWF },    { "b/a.csv", LK_WRITE_CSV }, { "a.jsonl.zst", LK_WRITE_JSONL },
    { "a.swf.gz", LK_WRITE_SWF }, { "-", LK_WRITE_LIMIT },     { "a.json", LK_WRITE_LIMIT },
    { "a.gz", LK_WRITE_LIMIT },   { "csv", LK_WRITE_LIMIT },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    g_assert_cmpint (lk_write_format_of_path (cases[i].path), ==, cases[i].format);
  g_assert_cmpstr (lk_write_format_name (LK_WRITE_JSONL), ==, "jsonl");
  g_assert_null (lk_write_format_name (LK_WRITE_LIMIT));
}

/* ---------------------------------------------------------------- there and back */

static char *
cells_of (const LkTraceRecord *record)
{
  GString *text = g_string_new (NULL);
  for (guint i = 0; i < lk_record_column_count (); i++) {
    g_string_append_printf (text, " %s=", lk_record_column_name (lk_record_column (i)));
    lk_record_cell (record, lk_record_column (i), text);
  }
  return g_string_free (text, FALSE);
}

/* Not "\r\n", of which the reader keeps the newline only. */
static const char *
random_text (GRand *random)
{
  static const char *const texts[] = {
    "a",    "b,c",      "\"",   "two words", "line\nend", "n[1-3],m",
    "x\ry", "\xc3\xa4", "it's", "a;b\tc",    NULL,        NULL,
  };
  return texts[g_rand_int_range (random, 0, G_N_ELEMENTS (texts))];
}

static gint64
random_time (GRand *random)
{
  if (g_rand_int_range (random, 0, 4) == 0)
    return -1;
  return (gint64)g_rand_int_range (random, 0, 2000000000) * g_rand_int_range (random, 1, 1000);
}

static LkTraceRecord
random_record (GRand *random, gint64 number)
{
  LkTraceRecord record = empty_record ();
  LkJobRequest *request = &record.request;
  guint32 *const counts[] = { &request->nodes_min, &request->tasks,  &request->segment_nodes,
                              &record.user_id,     &record.group_id, &record.partition_id };
  LkText *const texts[] = { &request->gpus, &request->licenses, &request->qos, &request->exclude,
                            &request->partition };
  record.number = number;
  record.submit_us = g_rand_int_range (random, 0, 2000000000);
  record.eligible_us = record.submit_us;
  record.start_us = random_time (random);
  record.run_us = random_time (random);
  record.limit_us = g_rand_boolean (random) ? LK_TIME_NEVER : random_time (random);
  record.procs = g_rand_int_range (random, 1, 100000);
  record.state = (LkRecordState)g_rand_int_range (random, 0, LK_RECORD_PENDING + 1);
  record.exit_code = (guint8)g_rand_int_range (random, 0, 256);
  record.name = random_text (random);
  record.user = random_text (random);
  record.job_name = random_text (random);
  record.node_list = random_text (random);
  request->flags = (guint32)g_rand_int_range (random, 0, 1 << 14);
  for (gsize i = 0; i < G_N_ELEMENTS (counts); i++)
    *counts[i] = (guint32)g_rand_int_range (random, 0, 3) * 77;
  /* Without a number of its own a name gets the next one. */
  record.user_id = record.user != NULL ? 5 : record.user_id;
  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++) {
    const char *text = random_text (random);
    *texts[i] = lk_text (text != NULL ? text : "");
  }
  record.partition_id = request->partition.length_bytes > 0 ? 6 : record.partition_id;
  if (g_rand_boolean (random)) {
    request->present = LK_REQUEST_HAS_MEMORY_PER_CPU;
    request->memory_per_cpu_bytes = g_rand_int_range (random, 0, 3) * GIB;
  }
  return record;
}

static void
test_there_and_back (void)
{
  enum { COUNT = 500 };
  g_autoptr (GRand) random = g_rand_new_with_seed (77);
  g_autofree LkTraceRecord *records = g_new (LkTraceRecord, COUNT + 2);
  const LkTraceWriterOptions options = { .format = LK_WRITE_CSV };
  records[0] = full_record ();
  records[0].eligible_us = records[0].submit_us; /* later, it would become the submit time */
  records[1] = empty_record ();
  records[1].procs = 1;
  for (gint64 i = 0; i < COUNT; i++)
    records[i + 2] = random_record (random, i);
  g_autofree char *text = written (&options, records, COUNT + 2);
  g_autoptr (GError) error = NULL;
  g_autoptr (LkTraceReader) reader =
      lk_trace_reader_new_from_bytes ("back", (const guint8 *)text, strlen (text), NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (lk_trace_reader_format (reader), ==, LK_FORMAT_CSV);
  for (guint i = 0; i < COUNT + 2; i++) {
    LkTraceRecord back;
    g_assert_cmpint (lk_trace_reader_next (reader, &back, &error), ==, 1);
    g_autofree char *expected = cells_of (&records[i]);
    g_autofree char *found = cells_of (&back);
    g_assert_cmpstr (found, ==, expected);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/traces/writer/writes SWF with its header", test_swf);
  g_test_add_func ("/traces/writer/makes status, memory and queue of SWF", test_swf_fields);
  g_test_add_func ("/traces/writer/writes CSV with quotes where they are needed", test_csv);
  g_test_add_func ("/traces/writer/writes an object a line", test_jsonl);
  g_test_add_func ("/traces/writer/tells memory of 0 from none asked for", test_given_zero);
  g_test_add_func ("/traces/writer/tells the format by the end of a path", test_format_of_path);
  g_test_add_func ("/traces/writer/writes CSV that reads back to the same jobs",
                   test_there_and_back);
  return g_test_run ();
}
