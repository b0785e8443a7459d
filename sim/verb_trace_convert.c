/* sim/verb_trace_convert.c — `lockstep trace convert` and `anonymize`: options, and which way a log
 * goes.
 *
 * SWF to SWF, and to tables of its 18 fields, goes line by line (sim/trace_rewrite.h), so that
 * nothing of it is lost; everything else goes by way of records (sim/trace_convert.h). */
#include <string.h>

#include "engine/suggest.h"
#include "sim/error.h"
#include "sim/trace_convert.h"
#include "sim/trace_input.h"
#include "sim/trace_rewrite.h"
#include "sim/verb.h"
#include "sim/verb_trace_verbs.h"
#include "traces/reader_private.h"

#define NOTE "lockstep trace anonymize"

static const char output_help[] =
    "Write here, compressed when it ends in .gz or .zst (default: -, standard output)";

/* Formats of --format; those of SWF's own fields only for an SWF log. */
static const struct {
  const char *name;
  gboolean is_rewrite;
  LkRewriteFormat rewrite;
  LkWriteFormat write;
} formats[] = {
  { "swf", FALSE, LK_REWRITE_SWF, LK_WRITE_SWF },
  { "csv", FALSE, LK_REWRITE_SWF, LK_WRITE_CSV },
  { "jsonl", FALSE, LK_REWRITE_SWF, LK_WRITE_JSONL },
  { "swf-csv", TRUE, LK_REWRITE_CSV, LK_WRITE_LIMIT },
  { "swf-jsonl", TRUE, LK_REWRITE_JSONL, LK_WRITE_LIMIT },
};

static gboolean
format_find (const char *text, gboolean may_rewrite, guint *out_index, GError **error)
{
  const char *names[G_N_ELEMENTS (formats) + 1] = { NULL };
  for (guint i = 0; i < G_N_ELEMENTS (formats) && (may_rewrite || !formats[i].is_rewrite); i++) {
    names[i] = formats[i].name;
    if (strcmp (text, names[i]) == 0) {
      *out_index = i;
      return TRUE;
    }
  }
  g_autofree char *phrase = lk_suggest_phrase (text, names);
  g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE, "--format is '%s'%s", text, phrase);
  return FALSE;
}

gboolean
lk_trace_write_format (const char *text, const char *path, LkWriteFormat fallback,
                       LkWriteFormat *out_format, GError **error)
{
  guint index = 0;
  LkWriteFormat by_path = lk_write_format_of_path (path);
  if (text != NULL && !format_find (text, /* may_rewrite= */ FALSE, &index, error))
    return FALSE;
  if (text != NULL)
    *out_format = formats[index].write;
  else
    *out_format = by_path != LK_WRITE_LIMIT ? by_path : fallback;
  return TRUE;
}

/* ---------------------------------------------------------------- convert */

typedef struct {
  LkTraceInput input;
  char *output;
  char *format;
  gboolean sort;
  gboolean renumber;
  gboolean rebase;
} ConvertOptions;

static void
convert_options_clear (ConvertOptions *self)
{
  lk_trace_input_clear (&self->input);
  g_free (self->output);
  g_free (self->format);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (ConvertOptions, convert_options_clear)

static gboolean
rewrite (const ConvertOptions *options, LkRewriteFormat format, LkSwfReader *swf, GError **error)
{
  LkTraceRewrite run;
  lk_trace_rewrite_init (&run);
  run.format = format;
  run.sort = options->sort;
  run.renumber = options->renumber;
  run.rebase = options->rebase;
  return lk_trace_rewrite_run (&run, swf, options->output, error);
}

/* `reader` stands before the first job. */
static gboolean
convert (const ConvertOptions *options, guint format, LkTraceReader *reader, GError **error)
{
  LkSwfReader *swf = lk_trace_input_swf (reader);
  if (swf != NULL && (formats[format].is_rewrite || formats[format].write == LK_WRITE_SWF))
    return rewrite (options, formats[format].rewrite, swf, error);
  if (formats[format].is_rewrite) {
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE,
                 "--format %s is for SWF logs without --map; '%s' was read as %s; expected swf, "
                 "csv or jsonl",
                 formats[format].name, lk_trace_reader_name (reader),
                 lk_trace_format_name (lk_trace_reader_format (reader)));
    return FALSE;
  }
  LkTraceConvert run = { .format = formats[format].write,
                         .sort = options->sort,
                         .renumber = options->renumber,
                         .rebase = options->rebase };
  return lk_trace_convert_run (&run, reader, options->output, error);
}

static GOptionContext *
convert_context (ConvertOptions *options)
{
  const GOptionEntry entries[] = {
    { "output", 'o', 0, G_OPTION_ARG_FILENAME, &options->output, output_help, "FILE" },
    { "format", 0, 0, G_OPTION_ARG_STRING, &options->format,
      "swf, csv or jsonl (a JSON object a line) with all that is known of a job; of SWF logs also "
      "swf-csv and swf-jsonl, their 18 fields (default: by the end of the output's name, else swf)",
      "FORMAT" },
    { "sort", 0, 0, G_OPTION_ARG_NONE, &options->sort,
      "Order by submit time, then by place in the log", NULL },
    { "renumber", 0, 0, G_OPTION_ARG_NONE, &options->renumber,
      "Number the jobs 1, 2, 3 ...; field 17 of SWF follows", NULL },
    { "rebase", 0, 0, G_OPTION_ARG_NONE, &options->rebase,
      "Count times from the first job's submit; UnixStartTime follows", NULL },
    G_OPTION_ENTRY_NULL,
  };
  GOptionContext *context = g_option_context_new ("FILE - rewrites a workload log");
  g_option_context_add_main_entries (context, entries, NULL);
  lk_trace_input_add_options (&options->input, context);
  g_option_context_set_description (
      context, LK_TRACE_FORMATS_HELP
      "Jobs pass uncleaned. A file appears whole or not at all.\n\n"
      "Examples:\n"
      "  lockstep trace convert --sort --rebase -o log.swf.zst log.swf.gz\n"
      "  lockstep trace convert --map procs=gpus --rebase -o gpus.swf sacct.txt\n"
      "  lockstep trace convert -o jobs.jsonl.zst sacct.json\n");
  return context;
}

gboolean
lk_trace_convert_verb (int argc, char **argv, GError **error)
{
  g_auto (ConvertOptions) options = { 0 };
  g_autoptr (GOptionContext) context = convert_context (&options);
  g_auto (GStrv) arguments = lk_verb_parse (context, argc, argv, 1, 1, error);
  guint format = 0;
  LkWriteFormat by_path = LK_WRITE_SWF;
  if (arguments == NULL)
    return FALSE;
  if (options.output == NULL)
    options.output = g_strdup ("-");
  if (options.format != NULL && !format_find (options.format, TRUE, &format, error))
    return FALSE;
  if (options.format == NULL
      && !lk_trace_write_format (NULL, options.output, LK_WRITE_SWF, &by_path, error))
    return FALSE;
  while (options.format == NULL && formats[format].write != by_path)
    format++;
  if (!lk_trace_input_check_output (&options.input, arguments[0], options.output, error))
    return FALSE;
  g_autoptr (LkTraceReader) reader = lk_trace_input_open (&options.input, arguments[0], error);
  return reader != NULL && convert (&options, format, reader, error);
}

/* ---------------------------------------------------------------- anonymize */

typedef struct {
  LkTraceInput input;
  char *output;
  char *format;
  char *key;
  char *keep;
} AnonymizeOptions;

static void
anonymize_options_clear (AnonymizeOptions *self)
{
  lk_trace_input_clear (&self->input);
  g_free (self->output);
  g_free (self->format);
  g_free (self->key);
  g_free (self->keep);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (AnonymizeOptions, anonymize_options_clear)

#define X(NAME, word, letter) word,
static const char *const kind_names[] = { LK_ANONYMIZE_KINDS (X) NULL };
#undef X

static gboolean
keep_parse (const char *text, guint *out_kept, GError **error)
{
  g_auto (GStrv) words = g_strsplit (text != NULL ? text : "", ",", -1);
  guint kept = 0;
  for (guint i = 0; words[i] != NULL; i++) {
    guint kind = 0;
    while (kind_names[kind] != NULL && strcmp (words[i], kind_names[kind]) != 0)
      kind++;
    if (kind_names[kind] == NULL) {
      g_autofree char *phrase = lk_suggest_phrase (words[i], kind_names);
      g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE, "--keep has '%s'%s", words[i], phrase);
      return FALSE;
    }
    kept |= 1u << kind;
  }
  *out_kept = kept;
  return TRUE;
}

/* "@FILE" is what the file holds, without the end of its line. */
static gboolean
key_take (const char *text, char **out_key, gsize *out_key_bytes, GError **error)
{
  g_autofree char *key = g_strdup (text);
  gsize key_bytes = strlen (text);
  g_autoptr (GError) cause = NULL;
  if (*text == '@') {
    g_clear_pointer (&key, g_free);
    if (!g_file_get_contents (text + 1, &key, &key_bytes, &cause)) {
      g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_READ, "cannot read the key: %s",
                   cause->message);
      return FALSE;
    }
    if (key_bytes > 0 && key[key_bytes - 1] == '\n')
      key_bytes--;
  }
  if (key_bytes == 0) {
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE, "--key is empty; expected a secret");
    return FALSE;
  }
  *out_key = g_steal_pointer (&key);
  *out_key_bytes = key_bytes;
  return TRUE;
}

static gboolean
anonymize (const AnonymizeOptions *options, LkTraceReader *reader, LkAnonymizer *anonymizer,
           GError **error)
{
  LkSwfReader *swf = lk_trace_reader_swf (reader);
  gboolean is_plain_swf = swf != NULL && !lk_trace_reader_has_map (reader);
  LkTraceConvert run = { .anonymizer = anonymizer };
  if (!lk_trace_write_format (options->format, options->output,
                              swf != NULL ? LK_WRITE_SWF : LK_WRITE_CSV, &run.format, error))
    return FALSE;
  if (!is_plain_swf || run.format != LK_WRITE_SWF)
    return lk_trace_convert_run (&run, reader, options->output, error);
  LkTraceRewrite rewrite_run;
  lk_trace_rewrite_init (&rewrite_run);
  rewrite_run.anonymizer = anonymizer;
  rewrite_run.note = NOTE;
  return lk_trace_rewrite_run (&rewrite_run, swf, options->output, error);
}

static GOptionContext *
anonymize_context (AnonymizeOptions *options)
{
  const GOptionEntry entries[] = {
    { "output", 'o', 0, G_OPTION_ARG_FILENAME, &options->output, output_help, "FILE" },
    { "format", 0, 0, G_OPTION_ARG_STRING, &options->format,
      "swf, csv or jsonl (default: by the end of the output's name, else swf for SWF and csv for "
      "other logs)",
      "FORMAT" },
    { "key", 0, 0, G_OPTION_ARG_STRING, &options->key,
      "Make pseudonyms from this secret, so that logs with one key agree; @FILE takes it from a "
      "file",
      "TEXT|@FILE" },
    { "keep", 0, 0, G_OPTION_ARG_STRING, &options->keep,
      "Leave these: users, groups, accounts, qos, partitions, jobs, nodes", "KIND,..." },
    G_OPTION_ENTRY_NULL,
  };
  GOptionContext *context = g_option_context_new ("FILE - a log without the names in it");
  g_option_context_add_main_entries (context, entries, NULL);
  lk_trace_input_add_options (&options->input, context);
  g_option_context_set_description (
      context, LK_TRACE_FORMATS_HELP
      "Users, groups, accounts, QOS, partitions, job names and nodes become u1, g1 ... by first\n"
      "appearance. Submit lines, folders and comments are left out, of an SWF header all but\n"
      "numbers. Times, sizes and what hardware was asked for stay.\n\n"
      "Example: lockstep trace anonymize --key @secret -o jobs.csv.gz sacct.txt\n");
  return context;
}

gboolean
lk_trace_anonymize_verb (int argc, char **argv, GError **error)
{
  g_auto (AnonymizeOptions) options = { 0 };
  g_autoptr (GOptionContext) context = anonymize_context (&options);
  g_auto (GStrv) arguments = lk_verb_parse (context, argc, argv, 1, 1, error);
  g_autofree char *key = NULL;
  LkAnonymizeOptions names = { 0 };
  if (arguments == NULL || !keep_parse (options.keep, &names.kept, error)
      || (options.key != NULL && !key_take (options.key, &key, &names.key_bytes, error)))
    return FALSE;
  names.key = (const guint8 *)key;
  if (options.output == NULL)
    options.output = g_strdup ("-");
  if (!lk_trace_input_check_output (&options.input, arguments[0], options.output, error))
    return FALSE;
  g_autoptr (LkAnonymizer) anonymizer = lk_anonymizer_new (&names);
  g_autoptr (LkTraceReader) reader = lk_trace_input_open (&options.input, arguments[0], error);
  return reader != NULL && anonymize (&options, reader, anonymizer, error);
}
