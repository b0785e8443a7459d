/* traces/reader.c — see reader.h: which format, and what all of them share (reader_private.h). */
#include "traces/reader.h"

#include <string.h>

#include "engine/assert.h"
#include "traces/reader_map.h"
#include "traces/reader_private.h"
#include "traces/reader_swf.h"

struct _LkTraceReader {
  LkReaderBase base;
  const LkReaderOps *ops;
  gpointer format;
  LkReaderMap *map;
};

/* In the order in which they are asked; what nobody wants is the first one's, whose messages tell
 * what a log should look like. */
static const LkReaderOps *const formats[] = {
  &lk_reader_swf, &lk_reader_sacct_json, &lk_reader_sacct, &lk_reader_events, &lk_reader_csv,
};

static const char *const format_names[] = {
  [LK_FORMAT_AUTO] = "auto",     [LK_FORMAT_SWF] = "swf",
  [LK_FORMAT_SACCT] = "sacct",   [LK_FORMAT_SACCT_JSON] = "sacct-json",
  [LK_FORMAT_EVENTS] = "events", [LK_FORMAT_CSV] = "csv",
};

const char *
lk_trace_format_name (LkTraceFormat format)
{
  return (gsize)format < G_N_ELEMENTS (format_names) ? format_names[format] : NULL;
}

/* ---------------------------------------------------------------- shared by the formats */

void
lk_record_init (LkTraceRecord *record)
{
  memset (record, 0, sizeof *record);
  record->number = record->submit_us = record->eligible_us = -1;
  record->start_us = record->end_us = record->run_us = record->limit_us = record->procs = -1;
  record->attempts = 1;
}

/* Valid, without NUL, short enough; NULL for an empty text. Returns: (transfer full). */
static char *
text_make_valid (const char *bytes, gsize length_bytes)
{
  const char *end;
  length_bytes = MIN (length_bytes, LK_READER_TEXT_MAX_BYTES);
  if (length_bytes > 0 && memchr (bytes, '\0', length_bytes))
    length_bytes = strnlen (bytes, length_bytes);
  if (length_bytes == 0)
    return NULL;
  char *text = g_utf8_make_valid (bytes, (gssize)length_bytes);
  /* Replacing a broken character makes it longer; a text that was cut may end in one. */
  if (strlen (text) > LK_READER_TEXT_MAX_BYTES) {
    text[LK_READER_TEXT_MAX_BYTES] = '\0';
    if (!g_utf8_validate (text, -1, &end))
      text[end - text] = '\0';
  }
  return text;
}

const char *
lk_reader_text (LkReaderBase *base, const char *bytes, gsize length_bytes)
{
  g_autofree char *text = text_make_valid (bytes, length_bytes);
  return text ? g_string_chunk_insert_const (base->texts, text) : NULL;
}

const char *
lk_reader_string (LkReaderBase *base, const char *string)
{
  return string ? lk_reader_text (base, string, strlen (string)) : NULL;
}

const char *
lk_reader_text_once (LkReaderBase *base, const char *bytes, gsize length_bytes)
{
  g_autofree char *text = text_make_valid (bytes, length_bytes);
  return text ? g_string_chunk_insert (base->texts, text) : NULL;
}

const LkJobTerms *
lk_reader_terms (LkReaderBase *base, const LkJobTerms *terms)
{
  if (lk_job_terms_are_empty (terms))
    return NULL;
  if (base->terms == NULL)
    base->terms = g_ptr_array_new_with_free_func (g_free);
  LkJobTerms *kept = g_memdup2 (terms, sizeof *terms);
  g_ptr_array_add (base->terms, kept);
  return kept;
}

guint32
lk_reader_number (LkReaderBase *base, LkNames names, const char *name)
{
  if (!name || *name == '\0')
    return 0;
  GHashTable *numbers = base->numbers[names];
  guint number = GPOINTER_TO_UINT (g_hash_table_lookup (numbers, name));
  if (number == 0) {
    number = g_hash_table_size (numbers) + 1;
    g_hash_table_insert (numbers, (gpointer)name, GUINT_TO_POINTER (number));
  }
  return number;
}

char *
lk_reader_one_line (const char *text)
{
  char *line = g_utf8_make_valid (text, -1);
  for (char *at = line; *at; at++)
    if (g_ascii_iscntrl (*at))
      *at = ' ';
  return line;
}

int
lk_reader_fail (const LkReaderBase *base, GError **error, const char *format, ...)
{
  va_list arguments;
  va_start (arguments, format);
  g_autofree char *what = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  g_autofree char *line = lk_reader_one_line (what);
  g_set_error (error, LK_TRACE_ERROR, LK_TRACE_ERROR_SYNTAX,
               "trace '%s' %s %" G_GUINT64_FORMAT ": %s", lk_input_name (base->input),
               base->element ? base->element : "line", base->line_number, line);
  return -1;
}

/* ---------------------------------------------------------------- opening */

static const LkReaderOps *
format_find (LkTraceFormat format)
{
  for (gsize i = 0; i < G_N_ELEMENTS (formats); i++)
    if (formats[i]->format == format)
      return formats[i];
  g_return_val_if_reached (NULL);
}

/* What only makes sense for one format says which it is. */
static LkTraceFormat
format_given (const LkReaderOptions *options)
{
  if (options->format == LK_FORMAT_AUTO && options->columns)
    return LK_FORMAT_SACCT;
  if (options->format == LK_FORMAT_AUTO && options->csv_map)
    return LK_FORMAT_CSV;
  return options->format;
}

static const LkReaderOps *
format_detect (LkReaderBase *base, GError **error)
{
  const char *head;
  gsize length_bytes;
  LkTraceFormat given = format_given (&base->options);
  if (given != LK_FORMAT_AUTO)
    return format_find (given);
  if (!lk_input_peek (base->input, LK_READER_SNIFF_BYTES, &head, &length_bytes, error))
    return NULL;
  length_bytes = MIN (length_bytes, LK_READER_SNIFF_BYTES);
  for (gsize i = 0; i < G_N_ELEMENTS (formats); i++)
    if (formats[i]->is_mine && formats[i]->is_mine (head, length_bytes))
      return formats[i];
  return formats[0];
}

static gboolean
reader_open (LkTraceReader *self, GError **error)
{
  self->ops = format_detect (&self->base, error);
  if (!self->ops)
    return FALSE;
  self->map = lk_reader_map_new (&self->base, self->ops->map_keys, error);
  if (!self->map)
    return FALSE;
  self->format = self->ops->open (&self->base, error);
  return self->format != NULL;
}

/* Takes over `input`; NULL passes an error on. */
static LkTraceReader *
reader_new (LkInput *input, const LkReaderOptions *options, GError **error)
{
  if (!input)
    return NULL;
  LkTraceReader *self = g_new0 (LkTraceReader, 1);
  self->base.input = input;
  if (options) {
    self->base.options = *options;
    self->base.options.csv_map = g_strdup (options->csv_map);
    self->base.options.columns = g_strdup (options->columns);
    self->base.options.map = g_strdupv (options->map);
  }
  self->base.texts = g_string_chunk_new (4096);
  for (guint i = 0; i < LK_NAMES_COUNT; i++)
    self->base.numbers[i] = g_hash_table_new (g_str_hash, g_str_equal);
  if (reader_open (self, error))
    return self;
  lk_trace_reader_free (self);
  return NULL;
}

LkTraceReader *
lk_trace_reader_new (const char *path, const LkReaderOptions *options, GError **error)
{
  return reader_new (lk_input_new (path, error), options, error);
}

LkTraceReader *
lk_trace_reader_new_from_bytes (const char *name, const guint8 *bytes, gsize length_bytes,
                                const LkReaderOptions *options, GError **error)
{
  LkInput *input = lk_input_new_from_bytes (name, bytes, length_bytes, error);
  return reader_new (input, options, error);
}

void
lk_trace_reader_free (LkTraceReader *self)
{
  if (!self)
    return;
  if (self->format)
    self->ops->close (self->format);
  lk_reader_map_free (self->map);
  for (guint i = 0; i < LK_NAMES_COUNT; i++)
    g_hash_table_unref (self->base.numbers[i]);
  if (self->base.terms != NULL)
    g_ptr_array_unref (self->base.terms);
  g_string_chunk_free (self->base.texts);
  g_free ((char *)self->base.options.csv_map);
  g_free ((char *)self->base.options.columns);
  g_strfreev (self->base.options.map);
  lk_input_free (self->base.input);
  g_free (self);
}

/* ---------------------------------------------------------------- records */

static int
end_check (const LkTraceReader *self, GError **error)
{
  const LkReaderCounts *counts = &self->base.counts;
  if (counts->record_count > 0)
    return 0;
  g_set_error (error, LK_TRACE_ERROR, LK_TRACE_ERROR_EMPTY,
               "trace '%s' has no jobs: it was read as %s, with %" G_GUINT64_FORMAT
               " job step%s and %" G_GUINT64_FORMAT " row%s skipped",
               lk_trace_reader_name (self), lk_trace_format_name (self->ops->format),
               counts->step_count, counts->step_count == 1 ? "" : "s", counts->skipped_count,
               counts->skipped_count == 1 ? "" : "s");
  return -1;
}

int
lk_trace_reader_next (LkTraceReader *self, LkTraceRecord *out_record, GError **error)
{
  LkTraceRecord record;
  lk_record_init (&record);
  int got = self->ops->next (self->format, &record, error);
  if (got < 0)
    return -1;
  if (got == 0)
    return end_check (self, error);
  self->base.counts.record_count++;
  lk_reader_map_apply (self->map, self->ops == &lk_reader_swf, &record);
  *out_record = record;
  return 1;
}

LkTraceFormat
lk_trace_reader_format (const LkTraceReader *self)
{
  return self->ops->format;
}

const char *
lk_trace_reader_name (const LkTraceReader *self)
{
  return lk_input_name (self->base.input);
}

guint64
lk_trace_reader_line_number (const LkTraceReader *self)
{
  return self->base.line_number;
}

void
lk_trace_reader_counts (const LkTraceReader *self, LkReaderCounts *out_counts)
{
  *out_counts = self->base.counts;
  out_counts->line_count = lk_input_line_number (self->base.input);
  out_counts->bytes_read = lk_input_bytes_read (self->base.input);
  out_counts->bytes_total = lk_input_bytes_total (self->base.input);
}

LkSwfReader *
lk_trace_reader_swf (LkTraceReader *self)
{
  if (self->ops != &lk_reader_swf)
    return NULL;
  return ((LkReaderSwf *)self->format)->swf;
}

gboolean
lk_trace_reader_has_map (const LkTraceReader *self)
{
  return !lk_reader_map_is_empty (self->map);
}

const LkSwfHeader *
lk_trace_reader_swf_header (const LkTraceReader *self)
{
  LkSwfReader *swf = lk_trace_reader_swf ((LkTraceReader *)self);
  return swf ? lk_swf_reader_header (swf) : NULL;
}

gint64
lk_trace_reader_unix_start_s (const LkTraceReader *self)
{
  const LkSwfHeader *header = lk_trace_reader_swf_header (self);
  if (header)
    return header->unix_start_s;
  return self->base.has_dates ? 0 : -1;
}
