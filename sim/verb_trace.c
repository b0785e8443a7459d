/* sim/verb_trace.c — see verb_trace.h.
 *
 * One function a sub-verb: options, reader, then the work of sim/trace_census.h, trace_info.h or
 * trace_rewrite.h; some in files of their own (verb_trace_verbs.h). */
#include "sim/verb_trace.h"

#include <stdio.h>
#include <string.h>

#include "engine/suggest.h"
#include "sim/arguments.h"
#include "sim/decimal.h"
#include "sim/duration.h"
#include "sim/error.h"
#include "sim/trace_census.h"
#include "sim/trace_convert.h"
#include "sim/trace_info.h"
#include "sim/trace_input.h"
#include "sim/trace_rewrite.h"
#include "sim/verb.h"
#include "sim/verb_trace_verbs.h"
#include "traces/clean.h"

#define US_PER_S G_GINT64_CONSTANT (1000000)
#define HEAD_DEFAULT_COUNT 10
#define HEAD_COLUMN_COUNT 11u

/* ---------------------------------------------------------------- info */

static gboolean
info_run (int argc, char **argv, GError **error)
{
  gboolean is_json = FALSE;
  g_auto (LkTraceInput) input = { 0 };
  const GOptionEntry entries[] = {
    { "json", 0, 0, G_OPTION_ARG_NONE, &is_json, "Print one JSON object", NULL },
    LK_DURATION_ENTRY,
    G_OPTION_ENTRY_NULL,
  };
  g_auto (GStrv) arguments = NULL;
  g_autoptr (GOptionContext) context =
      g_option_context_new ("FILE - what a workload log holds, and what is missing or odd");
  g_option_context_add_main_entries (context, entries, NULL);
  lk_trace_input_add_options (&input, context);
  g_option_context_set_description (
      context, LK_TRACE_FORMATS_HELP
      "Other formats count as 'lockstep trace convert' would\n"
      "write them. Percentiles are nearest-rank. Nothing is cleaned before it is counted.\n");
  arguments = lk_verb_parse (context, argc, argv, 1, 1, error);
  if (!arguments || !lk_duration_check (is_json, error))
    return FALSE;
  g_autoptr (LkTraceReader) reader = lk_trace_input_open (&input, arguments[0], error);
  LkTraceCensus census;
  if (!reader || !lk_trace_census_take (reader, &census, error))
    return FALSE;
  g_autoptr (GString) text = g_string_new (NULL);
  if (is_json)
    lk_trace_info_json (lk_trace_reader_name (reader), &census, text);
  else
    lk_trace_info_text (lk_trace_reader_name (reader), &census, text);
  fwrite (text->str, 1, text->len, stdout);
  return TRUE;
}

/* ---------------------------------------------------------------- filter */

typedef struct {
  char *output;
  char *jobs;
  char *time;
  char *users;
  char *groups;
  char *partitions;
  char *statuses;
  char *procs_min;
  char *procs_max;
  LkTraceInput input;
} FilterOptions;

static void
filter_options_clear (FilterOptions *self)
{
  g_free (self->output);
  g_free (self->jobs);
  g_free (self->time);
  g_free (self->users);
  g_free (self->groups);
  g_free (self->partitions);
  g_free (self->statuses);
  g_free (self->procs_min);
  g_free (self->procs_max);
  lk_trace_input_clear (&self->input);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (FilterOptions, filter_options_clear)

static void
rewrite_clear (LkTraceRewrite *self)
{
  g_clear_pointer (&self->users, g_array_unref);
  g_clear_pointer (&self->groups, g_array_unref);
  g_clear_pointer (&self->partitions, g_array_unref);
  g_clear_pointer (&self->statuses, g_array_unref);
}

/* "3,5,8" to an array; NULL text leaves it alone. */
static gboolean
list_parse (const char *option, const char *text, GArray **out_values, GError **error)
{
  if (!text)
    return TRUE;
  g_auto (GStrv) words = g_strsplit (text, ",", -1);
  g_autoptr (GArray) values = g_array_new (FALSE, FALSE, sizeof (gint64));
  for (guint i = 0; words[i]; i++) {
    gint64 value;
    if (!lk_argument_number (option, words[i], -1, G_MAXINT64, &value, error))
      return FALSE;
    g_array_append_val (values, value);
  }
  if (values->len == 0)
    return lk_argument_number (option, "", -1, G_MAXINT64, &(gint64){ 0 }, error);
  *out_values = g_steal_pointer (&values);
  return TRUE;
}

/* Of all but the users, groups and partitions of a log whose lines are no SWF. */
static gboolean
filter_options_apply (const FilterOptions *self, gboolean is_swf, LkTraceRewrite *out,
                      GError **error)
{
  out->is_selecting = TRUE;
  return (!self->jobs
          || lk_argument_range ("--jobs", self->jobs, &out->jobs_first, &out->jobs_last, error))
         && (!self->time
             || lk_argument_duration_range_us ("--time", self->time, &out->time_begin_us,
                                               &out->time_end_us, error))
         && (!self->procs_min
             || lk_argument_number ("--min-procs", self->procs_min, 0, G_MAXINT64,
                                    &out->procs_min_count, error))
         && (!self->procs_max
             || lk_argument_number ("--max-procs", self->procs_max, 0, G_MAXINT64,
                                    &out->procs_max_count, error))
         && (!is_swf
             || (list_parse ("--user", self->users, &out->users, error)
                 && list_parse ("--group", self->groups, &out->groups, error)
                 && list_parse ("--partition", self->partitions, &out->partitions, error)))
         && list_parse ("--status", self->statuses, &out->statuses, error);
}

/* The options as they were given, for the header of the result. Returns: (transfer full). */
static char *
filter_note (const FilterOptions *self)
{
  const struct {
    const char *option;
    const char *value;
  } given[] = {
    { "--jobs", self->jobs },
    { "--time", self->time },
    { "--user", self->users },
    { "--group", self->groups },
    { "--partition", self->partitions },
    { "--status", self->statuses },
    { "--min-procs", self->procs_min },
    { "--max-procs", self->procs_max },
  };
  GString *note = g_string_new ("lockstep trace filter");
  for (gsize i = 0; i < G_N_ELEMENTS (given); i++)
    if (given[i].value)
      g_string_append_printf (note, " %s %s", given[i].option, given[i].value);
  return g_string_free (note, FALSE);
}

static gboolean
filter_parse (int argc, char **argv, FilterOptions *out, char ***out_arguments, GError **error)
{
  const GOptionEntry entries[] = {
    { "output", 'o', 0, G_OPTION_ARG_FILENAME, &out->output,
      "Write here, compressed when it ends in .gz or .zst (default: -, standard output)", "FILE" },
    { "jobs", 0, 0, G_OPTION_ARG_STRING, &out->jobs, "Job numbers, both included", "A:B" },
    { "time", 0, 0, G_OPTION_ARG_STRING, &out->time,
      "Submit times on the log's clock, B excluded; in seconds or with s, m, h, d, w", "A:B" },
    { "user", 0, 0, G_OPTION_ARG_STRING, &out->users,
      "Users by name, of SWF logs by number; -1 is unknown", "USER,..." },
    { "group", 0, 0, G_OPTION_ARG_STRING, &out->groups, "Groups, likewise", "GROUP,..." },
    { "partition", 0, 0, G_OPTION_ARG_STRING, &out->partitions, "Partitions, likewise",
      "PARTITION,..." },
    { "status", 0, 0, G_OPTION_ARG_STRING, &out->statuses,
      "0 failed, 1 completed, 2 to 4 partial, 5 cancelled", "N,..." },
    { "min-procs", 0, 0, G_OPTION_ARG_STRING, &out->procs_min,
      "Least processors, requested or else allocated", "N" },
    { "max-procs", 0, 0, G_OPTION_ARG_STRING, &out->procs_max, "Most processors", "N" },
    G_OPTION_ENTRY_NULL,
  };
  g_autoptr (GOptionContext) context =
      g_option_context_new ("FILE - the jobs of a workload log that meet all conditions");
  g_option_context_add_main_entries (context, entries, NULL);
  lk_trace_input_add_options (&out->input, context);
  g_option_context_set_description (
      context, LK_TRACE_FORMATS_HELP
      "Jobs pass uncleaned and in their order. Of an SWF log the header says what was selected;\n"
      "other logs are written as CSV, or as the end of the output's name says.\n\n"
      "Examples:\n"
      "  lockstep trace filter --time 0:30d --max-procs 64 -o part.swf log.swf\n"
      "  lockstep trace filter --user alice,bob -o part.csv.gz sacct.txt\n");
  *out_arguments = lk_verb_parse (context, argc, argv, 1, 1, error);
  return *out_arguments != NULL;
}

static char **
words_of (const char *list)
{
  return list != NULL ? g_strsplit (list, ",", -1) : NULL;
}

/* By way of records, which keep all that is known of a job. */
static gboolean
filter_records (const FilterOptions *options, const LkTraceRewrite *fields, LkTraceReader *reader,
                GError **error)
{
  g_auto (GStrv) users = words_of (options->users);
  g_auto (GStrv) groups = words_of (options->groups);
  g_auto (GStrv) partitions = words_of (options->partitions);
  LkTraceSelection selection = {
    .fields = *fields, .users = users, .groups = groups, .partitions = partitions
  };
  LkTraceConvert run = { .selection = &selection };
  LkWriteFormat fallback =
      lk_trace_reader_format (reader) == LK_FORMAT_SWF ? LK_WRITE_SWF : LK_WRITE_CSV;
  return lk_trace_write_format (NULL, options->output, fallback, &run.format, error)
         && lk_trace_convert_run (&run, reader, options->output, error);
}

static gboolean
filter_run (int argc, char **argv, GError **error)
{
  g_auto (FilterOptions) options = { 0 };
  g_auto (GStrv) arguments = NULL;
  LkTraceRewrite rewrite;
  lk_trace_rewrite_init (&rewrite);
  if (!filter_parse (argc, argv, &options, &arguments, error))
    return FALSE;
  if (options.output == NULL)
    options.output = g_strdup ("-");
  if (!lk_trace_input_check_output (&options.input, arguments[0], options.output, error))
    return FALSE;
  g_autofree char *note = filter_note (&options);
  rewrite.note = note;
  g_autoptr (LkTraceReader) reader = lk_trace_input_open (&options.input, arguments[0], error);
  LkSwfReader *swf = reader != NULL ? lk_trace_input_swf (reader) : NULL;
  gboolean is_done = reader != NULL && filter_options_apply (&options, swf != NULL, &rewrite, error)
                     && (swf != NULL ? lk_trace_rewrite_run (&rewrite, swf, options.output, error)
                                     : filter_records (&options, &rewrite, reader, error));
  rewrite_clear (&rewrite);
  return is_done;
}

/* ---------------------------------------------------------------- head */

static const char *const head_titles[HEAD_COLUMN_COUNT] = { "JOB",         "SUBMIT_S", "DATE_UTC",
                                                            "WAIT_S",      "RUN_S",    "PROCS",
                                                            "REQUESTED_S", "STATUS",   "USER",
                                                            "GROUP",       "PARTITION" };

/* Appends the cells of one job, "-" for what is unknown. */
static void
head_cells (const LkTraceReader *reader, const LkSwfJob *job, GPtrArray *cells)
{
  const struct {
    gint64 value;
    gboolean is_time;
  } numbers[HEAD_COLUMN_COUNT] = {
    { job->number, FALSE },     { job->submit_us, TRUE },     { -1, FALSE },
    { job->wait_us, TRUE },     { job->run_us, TRUE },        { lk_swf_job_procs (job), FALSE },
    { job->estimate_us, TRUE }, { job->status, FALSE },       { job->user_id, FALSE },
    { job->group_id, FALSE },   { job->partition_id, FALSE },
  };
  for (guint i = 0; i < HEAD_COLUMN_COUNT; i++) {
    char text[LK_DECIMAL_MAX_BYTES];
    char *end = numbers[i].is_time ? lk_decimal_seconds (text, numbers[i].value)
                                   : lk_decimal_i64 (text, numbers[i].value);
    gboolean is_unknown = numbers[i].value == (numbers[i].is_time ? -US_PER_S : -1);
    g_ptr_array_add (cells, is_unknown ? g_strdup ("-") : g_strndup (text, (gsize)(end - text)));
  }
  LkSwfHeader header = lk_trace_input_header (reader);
  gint64 unix_start_s = lk_trace_unix_start_s (&header, job->submit_us);
  char *date = unix_start_s >= 0 && job->submit_us >= 0
                   ? lk_trace_date_text (unix_start_s + job->submit_us / US_PER_S)
                   : NULL;
  if (date) {
    guint date_index = cells->len - HEAD_COLUMN_COUNT + 2;
    g_free (g_ptr_array_index (cells, date_index));
    g_ptr_array_index (cells, date_index) = date;
  }
}

static void
head_print (const GPtrArray *cells)
{
  gsize widths[HEAD_COLUMN_COUNT] = { 0 };
  for (guint i = 0; i < cells->len; i++) {
    gsize width = strlen (g_ptr_array_index (cells, i));
    widths[i % HEAD_COLUMN_COUNT] = MAX (widths[i % HEAD_COLUMN_COUNT], width);
  }
  for (guint i = 0; i < cells->len; i++) {
    guint column = i % HEAD_COLUMN_COUNT;
    printf ("%s%*s%s", column > 0 ? "  " : "", (int)widths[column],
            (const char *)g_ptr_array_index (cells, i),
            column + 1 == HEAD_COLUMN_COUNT ? "\n" : "");
  }
}

/* Prints the first jobs, in the log's own format or as a table. */
static gboolean
head_jobs (LkTraceReader *reader, gint64 count, gboolean is_raw, GError **error)
{
  g_autoptr (GPtrArray) cells = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GString) raw = g_string_new (NULL);
  for (guint i = 0; i < HEAD_COLUMN_COUNT && !is_raw; i++)
    g_ptr_array_add (cells, g_strdup (head_titles[i]));
  for (gint64 i = 0; i < count; i++) {
    LkSwfJob job;
    int got = lk_trace_input_next (reader, &job, error);
    if (got < 0)
      return FALSE;
    if (got == 0)
      break;
    if (is_raw)
      lk_swf_job_format (&job, raw);
    else
      head_cells (reader, &job, cells);
  }
  fwrite (raw->str, 1, raw->len, stdout);
  head_print (cells);
  return TRUE;
}

static gboolean
head_run (int argc, char **argv, GError **error)
{
  g_autofree char *count_text = NULL;
  gint64 count = HEAD_DEFAULT_COUNT;
  gboolean is_raw = FALSE;
  g_auto (LkTraceInput) input = { 0 };
  const GOptionEntry entries[] = {
    { "jobs", 'n', 0, G_OPTION_ARG_STRING, &count_text, "How many (default: 10)", "N" },
    { "raw", 0, 0, G_OPTION_ARG_NONE, &is_raw, "All 18 fields, as a log has them", NULL },
    G_OPTION_ENTRY_NULL,
  };
  g_auto (GStrv) arguments = NULL;
  g_autoptr (GOptionContext) context =
      g_option_context_new ("FILE - the first jobs of a workload log as a table");
  g_option_context_add_main_entries (context, entries, NULL);
  lk_trace_input_add_options (&input, context);
  g_option_context_set_description (
      context, "A dash is an unknown value. PROCS is what was requested, else what was allocated.\n"
               "Dates are shown when the header has UnixStartTime.\n");
  arguments = lk_verb_parse (context, argc, argv, 1, 1, error);
  if (!arguments
      || (count_text && !lk_argument_number ("-n", count_text, 1, G_MAXINT32, &count, error)))
    return FALSE;
  g_autoptr (LkTraceReader) reader = lk_trace_input_open (&input, arguments[0], error);
  return reader && head_jobs (reader, count, is_raw, error);
}

/* ---------------------------------------------------------------- the verb */

static const LkSubverb subverbs[] = {
  { "info", info_run, "what a log holds: users, spans, sizes, load, what is missing or odd" },
  { "convert", lk_trace_convert_verb,
    "any format to SWF, CSV or JSON lines; sort, renumber, rebase, compress" },
  { "filter", filter_run, "select jobs by number, time, user, group, partition, status, size" },
  { "head", head_run, "the first jobs as a table" },
  { "generate", lk_trace_generate_verb, "make a log: from a model, or out of another log" },
  { "anonymize", lk_trace_anonymize_verb, "put pseudonyms in place of names" },
};

int
lk_verb_trace (int argc, char **argv)
{
  static const LkSubverbs self = { .verb = "trace",
                                   .usage = "[OPTIONS] FILE",
                                   .summary = "Looks at, rewrites and makes workload logs.",
                                   .subverbs = subverbs,
                                   .count = G_N_ELEMENTS (subverbs) };
  return lk_verb_dispatch (&self, argc, argv);
}
