/* traces/writer.c — see writer.h. */
#include "traces/writer.h"

#include <string.h>

#include "engine/assert.h"
#include "traces/output.h"
#include "traces/record_columns.h"

struct _LkTraceWriter {
  LkOutput *output;
  LkWriteFormat format;
  GString *line;
  GString *cell;
};

static const char *const format_names[] = { "swf", "csv", "jsonl" };

const char *
lk_write_format_name (LkWriteFormat format)
{
  return (guint)format < G_N_ELEMENTS (format_names) ? format_names[format] : NULL;
}

LkWriteFormat
lk_write_format_of_path (const char *path)
{
  gsize length_bytes = strlen (path);
  if (g_str_has_suffix (path, ".gz"))
    length_bytes -= strlen (".gz");
  else if (g_str_has_suffix (path, ".zst"))
    length_bytes -= strlen (".zst");
  g_autofree char *stem = g_strndup (path, length_bytes);
  const char *dot = strrchr (stem, '.');
  guint format = 0;
  while (dot != NULL && format < LK_WRITE_LIMIT && strcmp (dot + 1, format_names[format]) != 0)
    format++;
  return dot != NULL ? (LkWriteFormat)format : LK_WRITE_LIMIT;
}

/* ---------------------------------------------------------------- headers */

static void
note_append (GString *out, const char *note)
{
  if (note != NULL)
    g_string_append_printf (out, "; Note: %s\n", note);
}

static void
swf_head (const LkTraceWriterOptions *options, GString *out)
{
  g_string_append (out, "; Version: 2.2\n");
  if (options->computer != NULL)
    g_string_append_printf (out, "; Computer: %s\n", options->computer);
  if (options->max_procs > 0)
    g_string_append_printf (out, "; MaxProcs: %" G_GINT64_FORMAT "\n", options->max_procs);
  if (options->unix_start_s >= 0)
    g_string_append_printf (out, "; UnixStartTime: %" G_GINT64_FORMAT "\n", options->unix_start_s);
  note_append (out, options->note);
  note_append (out, options->other_note);
}

static void
csv_head (GString *out)
{
  for (guint i = 0; i < lk_record_column_count (); i++) {
    const LkRecordColumn *column = lk_record_column (i);
    g_string_append_printf (out, "%s%s%s", i > 0 ? "," : "",
                            lk_record_column_is_request (column) ? "req_" : "",
                            lk_record_column_name (column));
  }
  g_string_append_c (out, '\n');
}

/* ---------------------------------------------------------------- lines */

static void
csv_quote (const char *text, GString *out)
{
  if (text[strcspn (text, ",\"\r\n")] == '\0' && !g_ascii_isspace (*text)) {
    g_string_append (out, text);
    return;
  }
  g_string_append_c (out, '"');
  for (; *text != '\0'; text++) {
    if (*text == '"')
      g_string_append_c (out, '"');
    g_string_append_c (out, *text);
  }
  g_string_append_c (out, '"');
}

static void
csv_line (LkTraceWriter *self, const LkTraceRecord *record)
{
  for (guint i = 0; i < lk_record_column_count (); i++) {
    if (i > 0)
      g_string_append_c (self->line, ',');
    g_string_truncate (self->cell, 0);
    if (lk_record_cell (record, lk_record_column (i), self->cell) != LK_CELL_EMPTY)
      csv_quote (self->cell->str, self->line);
  }
  g_string_append_c (self->line, '\n');
}

/* Readers hand out valid UTF-8; what a caller made otherwise becomes U+FFFD. */
static void
json_quote (const char *text, GString *out)
{
  g_autofree char *valid = g_utf8_make_valid (text, -1);
  g_string_append_c (out, '"');
  for (const char *at = valid; *at != '\0'; at++) {
    if (*at == '"' || *at == '\\')
      g_string_append_printf (out, "\\%c", *at);
    else if ((guchar)*at < 0x20 || *at == 0x7f)
      g_string_append_printf (out, "\\u%04x", (guint)(guchar)*at);
    else
      g_string_append_c (out, *at);
  }
  g_string_append_c (out, '"');
}

static void
json_line (LkTraceWriter *self, const LkTraceRecord *record)
{
  gboolean is_inside = FALSE;
  for (guint i = 0; i < lk_record_column_count (); i++) {
    const LkRecordColumn *column = lk_record_column (i);
    gboolean is_first = i == 0;
    if (!is_inside && lk_record_column_is_request (column)) {
      g_string_append (self->line, ",\"request\":{");
      is_inside = TRUE;
      is_first = TRUE;
    } else if (is_first)
      g_string_append_c (self->line, '{');
    g_string_append_printf (self->line, "%s\"%s\":", is_first ? "" : ",",
                            lk_record_column_name (column));
    g_string_truncate (self->cell, 0);
    LkCellKind kind = lk_record_cell (record, column, self->cell);
    if (kind == LK_CELL_TEXT)
      json_quote (self->cell->str, self->line);
    else
      g_string_append (self->line, kind == LK_CELL_NUMBER ? self->cell->str : "null");
  }
  g_string_append (self->line, "}}\n");
}

/* ---------------------------------------------------------------- SWF */

#define KIB 1024

static gint64
memory_per_proc_kib (const LkTraceRecord *record)
{
  const LkJobRequest *request = &record->request;
  if ((request->present & LK_REQUEST_HAS_MEMORY_PER_CPU) != 0)
    return request->memory_per_cpu_bytes / KIB;
  if ((request->present & LK_REQUEST_HAS_MEMORY_PER_GPU) != 0 && request->cpus_per_gpu > 0)
    return request->memory_per_gpu_bytes / request->cpus_per_gpu / KIB;
  /* 0 is all the memory of a node, however much that is. */
  gint64 total_kib = request->memory_per_node_bytes / KIB;
  gint64 nodes = MAX (request->nodes_min, 1);
  if ((request->present & LK_REQUEST_HAS_MEMORY_PER_NODE) == 0 || record->procs <= 0
      || total_kib <= 0 || __builtin_mul_overflow (total_kib, nodes, &total_kib))
    return -1;
  return total_kib / record->procs;
}

static gint64
swf_status (LkRecordState state)
{
  switch (state) {
  case LK_RECORD_COMPLETED:
    return 1;
  case LK_RECORD_FAILED:
  case LK_RECORD_TIMEOUT:
  case LK_RECORD_NODE_FAIL:
  case LK_RECORD_PREEMPTED:
    return 0;
  case LK_RECORD_CANCELLED:
    return 5;
  case LK_RECORD_UNKNOWN:
  case LK_RECORD_REQUEUED:
  case LK_RECORD_RUNNING:
  case LK_RECORD_PENDING:
  default:
    return -1;
  }
}

static gboolean
is_text (LkText text, const char *word)
{
  return text.length_bytes == strlen (word) && memcmp (text.bytes, word, text.length_bytes) == 0;
}

static gint64
swf_queue (LkText partition)
{
  if (is_text (partition, "interactive"))
    return 0;
  return is_text (partition, "batch") ? 1 : -1;
}

static gint64
id_or_unknown (guint32 id)
{
  return id > 0 ? (gint64)id : -1;
}

void
lk_record_swf (const LkTraceRecord *record, LkSwfJob *out_job)
{
  gboolean is_wait_known = record->start_us >= record->submit_us && record->submit_us >= 0;
  *out_job = (LkSwfJob){
    .number = record->number,
    .submit_us = record->submit_us >= 0 ? record->submit_us : -G_USEC_PER_SEC,
    .wait_us = is_wait_known ? record->start_us - record->submit_us : -G_USEC_PER_SEC,
    .run_us = record->run_us >= 0 ? record->run_us : -G_USEC_PER_SEC,
    .procs_used = record->run_us >= 0 ? record->procs : -1,
    .cpu_us = -G_USEC_PER_SEC,
    .memory_kib = -1,
    .procs = record->procs,
    .estimate_us = record->limit_us >= 0 && record->limit_us != LK_TIME_NEVER ? record->limit_us
                                                                              : -G_USEC_PER_SEC,
    .memory_requested_kib = memory_per_proc_kib (record),
    .status = swf_status (record->state),
    .user_id = id_or_unknown (record->user_id),
    .group_id = id_or_unknown (record->group_id),
    .application_id = -1,
    .queue_id = swf_queue (record->request.partition),
    .partition_id = id_or_unknown (record->partition_id),
    .preceding_number = -1,
    .think_us = -G_USEC_PER_SEC,
  };
}

/* ---------------------------------------------------------------- the writer */

static gboolean
line_write (LkTraceWriter *self, GError **error)
{
  gboolean is_written = lk_output_write (self->output, self->line->str, self->line->len, error);
  g_string_truncate (self->line, 0);
  return is_written;
}

LkTraceWriter *
lk_trace_writer_new (const char *path, const LkTraceWriterOptions *options, GError **error)
{
  LkOutput *output = lk_output_new (path, error);
  if (output == NULL)
    return NULL;
  LkTraceWriter *self = g_new0 (LkTraceWriter, 1);
  self->output = output;
  self->format = options->format;
  self->line = g_string_new (NULL);
  self->cell = g_string_new (NULL);
  if (self->format == LK_WRITE_SWF)
    swf_head (options, self->line);
  else if (self->format == LK_WRITE_CSV)
    csv_head (self->line);
  if (!line_write (self, error)) {
    lk_trace_writer_free (self);
    return NULL;
  }
  return self;
}

void
lk_trace_writer_free (LkTraceWriter *self)
{
  if (self == NULL)
    return;
  lk_output_free (self->output);
  g_string_free (self->line, TRUE);
  g_string_free (self->cell, TRUE);
  g_free (self);
}

gboolean
lk_trace_writer_add (LkTraceWriter *self, const LkTraceRecord *record, GError **error)
{
  LkSwfJob job;
  switch (self->format) {
  case LK_WRITE_SWF:
    lk_record_swf (record, &job);
    lk_swf_job_format (&job, self->line);
    break;
  case LK_WRITE_CSV:
    csv_line (self, record);
    break;
  case LK_WRITE_JSONL:
    json_line (self, record);
    break;
  case LK_WRITE_LIMIT:
  default:
    g_assert_not_reached ();
  }
  return line_write (self, error);
}

gboolean
lk_trace_writer_close (LkTraceWriter *self, GError **error)
{
  return lk_output_close (self->output, error);
}
