/* sim/trace_rewrite.c — see trace_rewrite.h. */
#include "sim/trace_rewrite.h"

#include "sim/decimal.h"
#include "sim/json_out.h"
#include "sim/trace_census.h"
#include "traces/clean.h"
#include "traces/output.h"

#define US_PER_S G_GINT64_CONSTANT (1000000)
#define FIELD_COUNT 18u

typedef struct {
  const char *name; /* in CSV and JSON; with the unit */
  gboolean is_time;
} Column;

/* In field order. */
static const Column columns[FIELD_COUNT] = {
  { "job_id", FALSE },        { "submit_s", TRUE },
  { "wait_s", TRUE },         { "run_s", TRUE },
  { "procs_used", FALSE },    { "cpu_s", TRUE },
  { "memory_kib", FALSE },    { "procs", FALSE },
  { "requested_s", TRUE },    { "memory_requested_kib", FALSE },
  { "status", FALSE },        { "user", FALSE },
  { "group", FALSE },         { "application", FALSE },
  { "queue", FALSE },         { "partition", FALSE },
  { "preceding_job", FALSE }, { "think_s", TRUE },
};

G_STATIC_ASSERT (sizeof (LkSwfJob) == FIELD_COUNT * sizeof (gint64));

typedef struct {
  const LkTraceRewrite *options;
  LkSwfReader *reader;
  LkOutput *output; /* NULL until the first job */
  const char *path;
  GString *text;  /* the line that is being made */
  gint64 base_us; /* subtracted from submits */
  gint64 next_number;
  GHashTable *numbers; /* old to new, when renumbering */
} Run;

typedef struct {
  LkSwfJob job;
  guint64 place;
} PlacedJob;

void
lk_trace_rewrite_init (LkTraceRewrite *self)
{
  *self = (LkTraceRewrite){
    .jobs_last = G_MAXINT64,
    .time_begin_us = G_MININT64,
    .time_end_us = G_MAXINT64,
    .procs_min_count = G_MININT64,
    .procs_max_count = G_MAXINT64,
  };
}

/* ---------------------------------------------------------------- selection */

static gboolean
is_among (const GArray *values, gint64 value)
{
  if (!values)
    return TRUE;
  for (guint i = 0; i < values->len; i++)
    if (g_array_index (values, gint64, i) == value)
      return TRUE;
  return FALSE;
}

gboolean
lk_trace_rewrite_selects (const LkTraceRewrite *self, const LkSwfJob *job)
{
  gint64 procs = lk_swf_job_procs (job);
  if (!self->is_selecting)
    return TRUE;
  return job->number >= self->jobs_first && job->number <= self->jobs_last
         && job->submit_us >= self->time_begin_us && job->submit_us < self->time_end_us
         && procs >= self->procs_min_count && procs <= self->procs_max_count
         && is_among (self->users, job->user_id) && is_among (self->groups, job->group_id)
         && is_among (self->partitions, job->partition_id)
         && is_among (self->statuses, job->status);
}

/* As lk_swf_reader_next, of the selected ones. */
static int
selected_next (Run *run, LkSwfJob *out_job, GError **error)
{
  int got;
  while ((got = lk_swf_reader_next (run->reader, out_job, error)) == 1)
    if (lk_trace_rewrite_selects (run->options, out_job))
      return 1;
  return got;
}

/* ---------------------------------------------------------------- lines */

static void
csv_format (const LkSwfJob *job, GString *out)
{
  const gint64 *values = (const gint64 *)job;
  for (guint i = 0; i < FIELD_COUNT; i++) {
    char text[LK_DECIMAL_MAX_BYTES];
    if (i > 0)
      g_string_append_c (out, ',');
    if (values[i] == (columns[i].is_time ? -US_PER_S : -1))
      continue;
    char *end = columns[i].is_time ? lk_decimal_seconds (text, values[i])
                                   : lk_decimal_i64 (text, values[i]);
    g_string_append_len (out, text, end - text);
  }
  g_string_append_c (out, '\n');
}

static void
json_format (const LkSwfJob *job, GString *out)
{
  const gint64 *values = (const gint64 *)job;
  g_string_append_c (out, '{');
  for (guint i = 0; i < FIELD_COUNT; i++) {
    char text[LK_DECIMAL_MAX_BYTES];
    g_string_append_printf (out, "%s\"%s\":", i > 0 ? "," : "", columns[i].name);
    if (values[i] == (columns[i].is_time ? -US_PER_S : -1)) {
      g_string_append (out, "null");
      continue;
    }
    char *end = columns[i].is_time ? lk_decimal_seconds (text, values[i])
                                   : lk_decimal_i64 (text, values[i]);
    g_string_append_len (out, text, end - text);
  }
  g_string_append (out, "}\n");
}

/* The log's header, or what may be seen of it. Returns: (transfer container). */
static GPtrArray *
comments_of (const Run *run)
{
  const GPtrArray *all = lk_swf_reader_comments (run->reader);
  GPtrArray *comments = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < all->len; i++) {
    const char *comment = g_ptr_array_index (all, i);
    g_autofree char *kept =
        run->options->anonymizer != NULL ? lk_anonymize_comment (comment) : NULL;
    if (kept != NULL)
      g_ptr_array_add (comments, g_strdup_printf (" %s", kept));
    else if (run->options->anonymizer == NULL)
      g_ptr_array_add (comments, g_strdup (comment));
  }
  return comments;
}

static void
head_format (Run *run, gint64 unix_start_s)
{
  const LkTraceRewrite *options = run->options;
  LkSwfHeaderChange change = { .unix_start_s = unix_start_s,
                               .without_job_counts = options->is_selecting };
  switch (options->format) {
  case LK_REWRITE_SWF: {
    g_autoptr (GPtrArray) comments = comments_of (run);
    lk_swf_header_format (comments, &change, options->note, run->text);
    break;
  }
  case LK_REWRITE_CSV:
    for (guint i = 0; i < FIELD_COUNT; i++)
      g_string_append_printf (run->text, "%s%s", i > 0 ? "," : "", columns[i].name);
    g_string_append_c (run->text, '\n');
    break;
  case LK_REWRITE_JSONL:
    break;
  }
}

static gboolean
text_write (Run *run, GError **error)
{
  gboolean is_written = lk_output_write (run->output, run->text->str, run->text->len, error);
  g_string_truncate (run->text, 0);
  return is_written;
}

/* ---------------------------------------------------------------- changes */

/* Opens the output and writes what stands above the jobs; `job` is the first one. */
static gboolean
output_begin (Run *run, const LkSwfJob *job, GError **error)
{
  gint64 unix_start_s = -1;
  if (run->options->rebase) {
    const LkSwfHeader *header = lk_swf_reader_header (run->reader);
    if (job->submit_us < 0) {
      g_set_error (error, LK_TRACE_ERROR, LK_TRACE_ERROR_SYNTAX,
                   "trace '%s': the first job, number %" G_GINT64_FORMAT
                   ", has no submit time to rebase to; expected one ("
                   "lockstep trace filter --time 0: drops such jobs)",
                   lk_swf_reader_name (run->reader), job->number);
      return FALSE;
    }
    gint64 base_s = job->submit_us / US_PER_S;
    gint64 log_start_s = lk_trace_unix_start_s (header, job->submit_us);
    run->base_us = base_s * US_PER_S;
    if (log_start_s >= 0 && __builtin_add_overflow (log_start_s, base_s, &unix_start_s))
      unix_start_s = -1;
  }
  run->output = lk_output_new (run->path, error);
  if (!run->output)
    return FALSE;
  head_format (run, unix_start_s);
  return text_write (run, error);
}

static void
renumber (Run *run, LkSwfJob *job)
{
  gint64 old_number = job->number;
  const gint64 *preceding = g_hash_table_lookup (run->numbers, &job->preceding_number);
  job->number = run->next_number++;
  job->preceding_number = preceding ? *preceding : -1;
  gint64 *pair = g_new (gint64, 2);
  pair[0] = old_number;
  pair[1] = job->number;
  /* The pair is both key and value; a number that occurs again means its last job. */
  g_hash_table_replace (run->numbers, pair, pair + 1);
}

static gboolean
rebase (Run *run, LkSwfJob *job, GError **error)
{
  if (job->submit_us < 0)
    return TRUE;
  if (job->submit_us < run->base_us) {
    g_set_error (error, LK_TRACE_ERROR, LK_TRACE_ERROR_UNSORTED,
                 "trace '%s' line %" G_GUINT64_FORMAT
                 ": field 2 (submit time) is before the first job's; expected submits in order "
                 "(--sort puts them in order)",
                 lk_swf_reader_name (run->reader), lk_swf_reader_line_number (run->reader));
    return FALSE;
  }
  job->submit_us -= run->base_us;
  return TRUE;
}

static gboolean
job_write (Run *run, const LkSwfJob *original, GError **error)
{
  LkSwfJob job = *original;
  if (!run->output && !output_begin (run, &job, error))
    return FALSE;
  if (run->options->rebase && !rebase (run, &job, error))
    return FALSE;
  if (run->options->renumber)
    renumber (run, &job);
  if (run->options->anonymizer != NULL
      && !lk_anonymizer_swf (run->options->anonymizer, &job, error))
    return FALSE;
  switch (run->options->format) {
  case LK_REWRITE_SWF:
    lk_swf_job_format (&job, run->text);
    break;
  case LK_REWRITE_CSV:
    csv_format (&job, run->text);
    break;
  case LK_REWRITE_JSONL:
    json_format (&job, run->text);
    break;
  }
  return text_write (run, error);
}

/* ---------------------------------------------------------------- the two passes */

static gboolean
stream_write (Run *run, GError **error)
{
  LkSwfJob job;
  int got;
  while ((got = selected_next (run, &job, error)) == 1)
    if (!job_write (run, &job, error))
      return FALSE;
  return got == 0;
}

static gint
placed_compare (gconstpointer a, gconstpointer b)
{
  const PlacedJob *x = a;
  const PlacedJob *y = b;
  if (x->job.submit_us != y->job.submit_us)
    return x->job.submit_us < y->job.submit_us ? -1 : 1;
  return x->place < y->place ? -1 : x->place > y->place;
}

static gboolean
sorted_write (Run *run, GError **error)
{
  g_autoptr (GArray) jobs = g_array_new (FALSE, FALSE, sizeof (PlacedJob));
  PlacedJob entry;
  int got;
  while ((got = selected_next (run, &entry.job, error)) == 1) {
    entry.place = jobs->len;
    g_array_append_val (jobs, entry);
  }
  if (got < 0)
    return FALSE;
  g_array_sort (jobs, placed_compare);
  for (guint i = 0; i < jobs->len; i++)
    if (!job_write (run, &g_array_index (jobs, PlacedJob, i).job, error))
      return FALSE;
  return TRUE;
}

gboolean
lk_trace_rewrite_run (const LkTraceRewrite *self, LkSwfReader *reader, const char *path,
                      GError **error)
{
  Run run = { .options = self, .reader = reader, .path = path, .next_number = 1 };
  run.text = g_string_new (NULL);
  run.numbers = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  gboolean is_done = self->sort ? sorted_write (&run, error) : stream_write (&run, error);
  if (is_done && !run.output) {
    g_set_error (error, LK_TRACE_ERROR, LK_TRACE_ERROR_EMPTY,
                 "trace '%s': the selection holds none of its jobs; nothing was written",
                 lk_swf_reader_name (reader));
    is_done = FALSE;
  }
  is_done = is_done && lk_output_close (run.output, error);
  lk_output_free (run.output);
  g_string_free (run.text, TRUE);
  g_hash_table_unref (run.numbers);
  return is_done;
}
