/* sim/trace_input.c — see trace_input.h. */
#include "sim/trace_input.h"

#include <string.h>

#include "engine/suggest.h"
#include "sim/error.h"
#include "sim/verb.h"
#include "traces/reader_private.h"
#include "traces/writer.h"

#define FORMAT_MAX_COUNT 32u

void
lk_trace_input_clear (LkTraceInput *self)
{
  g_clear_pointer (&self->from, g_free);
  g_clear_pointer (&self->csv_map, g_free);
  g_clear_pointer (&self->columns, g_free);
  g_clear_pointer (&self->map, g_strfreev);
}

void
lk_trace_input_add_options (LkTraceInput *self, GOptionContext *context)
{
  const GOptionEntry entries[] = {
    { "from", 0, 0, G_OPTION_ARG_STRING, &self->from,
      "Format of the log: swf, sacct, sacct-json, events or csv (default: told by its content)",
      "FORMAT" },
    { "csv-map", 0, 0, G_OPTION_ARG_FILENAME, &self->csv_map,
      "What the columns of a CSV log mean: a built-in map or a YAML file", "NAME|FILE" },
    { "columns", 0, 0, G_OPTION_ARG_STRING, &self->columns,
      "Columns of sacct text that has no header", "A|B|..." },
    { "map", 0, 0, G_OPTION_ARG_STRING_ARRAY, &self->map,
      "Take a part of the jobs' requests otherwise, as procs=gpus (may be repeated)", "KEY=VALUE" },
    { "lenient", 0, 0, G_OPTION_ARG_NONE, &self->is_lenient,
      "Accept what the format's own reader can pass over, and count it", NULL },
    G_OPTION_ENTRY_NULL,
  };
  g_option_context_add_main_entries (context, entries, NULL);
}

gboolean
lk_trace_input_is_given (const LkTraceInput *self)
{
  return self->from != NULL || self->csv_map != NULL || self->columns != NULL || self->map != NULL
         || self->is_lenient;
}

static gboolean
format_parse (const char *text, LkTraceFormat *out_format, GError **error)
{
  const char *names[FORMAT_MAX_COUNT + 1] = { NULL };
  for (guint i = 0; i < FORMAT_MAX_COUNT; i++) {
    names[i] = lk_trace_format_name ((LkTraceFormat)i);
    if (names[i] == NULL)
      break;
    if (strcmp (text, names[i]) == 0) {
      *out_format = (LkTraceFormat)i;
      return TRUE;
    }
  }
  g_autofree char *phrase = lk_suggest_phrase (text, names);
  g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE, "--from is '%s'%s", text, phrase);
  return FALSE;
}

gboolean
lk_trace_input_check_output (const LkTraceInput *self, const char *path, const char *output,
                             GError **error)
{
  const LkVerbFile files[] = {
    { "the log", path, NULL, FALSE },
    { "--csv-map", self->csv_map, NULL, FALSE },
    { "--output", output, NULL, TRUE },
  };
  return lk_verb_check_files (files, G_N_ELEMENTS (files), error);
}

LkTraceReader *
lk_trace_input_open (const LkTraceInput *self, const char *path, GError **error)
{
  LkReaderOptions options = { .format = LK_FORMAT_AUTO,
                              .csv_map = self->csv_map,
                              .map = self->map,
                              .columns = self->columns,
                              .lenient = self->is_lenient };
  if (self->from != NULL && !format_parse (self->from, &options.format, error))
    return NULL;
  return lk_trace_reader_new (path, &options, error);
}

LkSwfReader *
lk_trace_input_swf (LkTraceReader *reader)
{
  return lk_trace_reader_has_map (reader) ? NULL : lk_trace_reader_swf (reader);
}

int
lk_trace_input_next (LkTraceReader *reader, LkSwfJob *out_job, GError **error)
{
  LkTraceRecord record;
  LkSwfReader *swf = lk_trace_input_swf (reader);
  if (swf != NULL)
    return lk_swf_reader_next (swf, out_job, error);
  int got = lk_trace_reader_next (reader, &record, error);
  if (got == 1)
    lk_record_swf (&record, out_job);
  return got;
}

LkSwfHeader
lk_trace_input_header (const LkTraceReader *reader)
{
  const LkSwfHeader *header = lk_trace_reader_swf_header (reader);
  return header != NULL ? *header
                        : (LkSwfHeader){ .max_procs = -1,
                                         .max_nodes = -1,
                                         .max_jobs = -1,
                                         .unix_start_s = lk_trace_reader_unix_start_s (reader) };
}
