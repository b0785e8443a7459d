/* sim/trace_convert.c — see trace_convert.h. */
#include "sim/trace_convert.h"

#include "engine/engine.h"

typedef struct {
  const LkTraceConvert *options;
  LkTraceReader *reader;
  const char *path;
  LkTraceWriter *writer; /* NULL until the first job */
  gint64 base_us;        /* subtracted from times */
  gint64 last_number;
} Run;

typedef struct {
  LkTraceRecord record;
  guint64 place;
} PlacedRecord;

static gint64
machine_procs (const LkTraceReader *reader)
{
  const LkSwfHeader *header = lk_trace_reader_swf_header (reader);
  if (header == NULL)
    return 0;
  return MAX (header->max_procs > 0 ? header->max_procs : header->max_nodes, 0);
}

/* ---------------------------------------------------------------- selection */

static gboolean
is_among (char **words, LkText name, guint32 number)
{
  g_autofree char *text = name.length_bytes > 0 ? g_strndup (name.bytes, name.length_bytes)
                                                : g_strdup_printf ("%u", number);
  return words == NULL || g_strv_contains ((const char *const *)words, text);
}

static gboolean
is_selected (const LkTraceSelection *self, const LkTraceRecord *record)
{
  LkSwfJob job;
  if (self == NULL)
    return TRUE;
  lk_record_swf (record, &job);
  return lk_trace_rewrite_selects (&self->fields, &job)
         && is_among (self->users, lk_text (record->user), record->user_id)
         && is_among (self->groups, lk_text (record->group), record->group_id)
         && is_among (self->partitions, record->request.partition, record->partition_id);
}

/* As lk_trace_reader_next, of those selected. */
static int
selected_next (Run *run, LkTraceRecord *out_record, GError **error)
{
  int got;
  while ((got = lk_trace_reader_next (run->reader, out_record, error)) == 1)
    if (is_selected (run->options->selection, out_record))
      return 1;
  return got;
}

/* ---------------------------------------------------------------- writing */

/* Opens the output; `record` is the first job. */
static gboolean
writer_open (Run *run, const LkTraceRecord *record, GError **error)
{
  gint64 unix_start_s = lk_trace_reader_unix_start_s (run->reader);
  if (run->options->rebase && record->submit_us < 0) {
    g_set_error (error, LK_TRACE_ERROR, LK_TRACE_ERROR_SYNTAX,
                 "trace '%s': the first job has no submit time to rebase to; expected one",
                 lk_trace_reader_name (run->reader));
    return FALSE;
  }
  if (run->options->rebase) {
    gint64 base_s = record->submit_us / G_USEC_PER_SEC;
    run->base_us = base_s * G_USEC_PER_SEC;
    if (unix_start_s >= 0 && __builtin_add_overflow (unix_start_s, base_s, &unix_start_s))
      unix_start_s = -1;
  }
  g_autofree char *note =
      g_strdup_printf ("lockstep %s trace %s, from %s", LK_ENGINE_VERSION,
                       run->options->anonymizer != NULL  ? "anonymize"
                       : run->options->selection != NULL ? "filter"
                                                         : "convert",
                       lk_trace_format_name (lk_trace_reader_format (run->reader)));
  LkTraceWriterOptions options = { .format = run->options->format,
                                   .unix_start_s = unix_start_s,
                                   .max_procs = machine_procs (run->reader),
                                   .note = note,
                                   .other_note = run->options->selection != NULL
                                                     ? run->options->selection->fields.note
                                                     : NULL };
  run->writer = lk_trace_writer_new (run->path, &options, error);
  return run->writer != NULL;
}

static gboolean
rebase (const Run *run, LkTraceRecord *record, GError **error)
{
  gint64 *const times_us[] = { &record->submit_us, &record->eligible_us, &record->start_us,
                               &record->end_us };
  if (record->submit_us >= 0 && record->submit_us < run->base_us) {
    g_set_error (error, LK_TRACE_ERROR, LK_TRACE_ERROR_UNSORTED,
                 "trace '%s' line %" G_GUINT64_FORMAT
                 ": the submit time is before the first job's; expected submits in order "
                 "(--sort puts them in order)",
                 lk_trace_reader_name (run->reader), lk_trace_reader_line_number (run->reader));
    return FALSE;
  }
  for (gsize i = 0; i < G_N_ELEMENTS (times_us); i++)
    if (*times_us[i] >= 0 && *times_us[i] != LK_TIME_NEVER)
      *times_us[i] = MAX (*times_us[i] - run->base_us, 0);
  return TRUE;
}

static gboolean
record_write (Run *run, const LkTraceRecord *original, GError **error)
{
  LkTraceRecord record = *original;
  if (run->writer == NULL && !writer_open (run, &record, error))
    return FALSE;
  if (run->options->rebase && !rebase (run, &record, error))
    return FALSE;
  if (run->options->renumber)
    record.number = ++run->last_number;
  if (run->options->anonymizer != NULL
      && !lk_anonymizer_record (run->options->anonymizer, &record, error))
    return FALSE;
  return lk_trace_writer_add (run->writer, &record, error);
}

static gboolean
stream_write (Run *run, GError **error)
{
  LkTraceRecord record;
  int got;
  while ((got = selected_next (run, &record, error)) == 1)
    if (!record_write (run, &record, error))
      return FALSE;
  return got == 0;
}

static gint
placed_compare (gconstpointer a, gconstpointer b)
{
  const PlacedRecord *x = a;
  const PlacedRecord *y = b;
  if (x->record.submit_us != y->record.submit_us)
    return x->record.submit_us < y->record.submit_us ? -1 : 1;
  return x->place < y->place ? -1 : x->place > y->place;
}

static gboolean
sorted_write (Run *run, GError **error)
{
  g_autoptr (GArray) records = g_array_new (FALSE, FALSE, sizeof (PlacedRecord));
  PlacedRecord entry = { 0 };
  int got;
  while ((got = selected_next (run, &entry.record, error)) == 1) {
    entry.place = records->len;
    g_array_append_val (records, entry);
  }
  if (got < 0)
    return FALSE;
  g_array_sort (records, placed_compare);
  for (guint i = 0; i < records->len; i++)
    if (!record_write (run, &g_array_index (records, PlacedRecord, i).record, error))
      return FALSE;
  return TRUE;
}

gboolean
lk_trace_convert_run (const LkTraceConvert *self, LkTraceReader *reader, const char *path,
                      GError **error)
{
  Run run = { .options = self, .reader = reader, .path = path };
  gboolean is_done = self->sort ? sorted_write (&run, error) : stream_write (&run, error);
  /* A reader without jobs has failed. */
  if (is_done && run.writer == NULL) {
    g_set_error (error, LK_TRACE_ERROR, LK_TRACE_ERROR_EMPTY,
                 "trace '%s': the selection holds none of its jobs; nothing was written",
                 lk_trace_reader_name (reader));
    return FALSE;
  }
  is_done = is_done && lk_trace_writer_close (run.writer, error);
  lk_trace_writer_free (run.writer);
  return is_done;
}
