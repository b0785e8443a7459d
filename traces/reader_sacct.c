/* traces/reader_sacct.c — logs that sacct -P (or -p) printed, with any --format.
 *
 * The whole log is read before the first record is handed out: rows of one job may stand anywhere
 * in it.  Job steps are counted and passed over.
 *
 * Invariant: `fold` has taken in every row exactly when `is_read`.
 *
 * Not here: which columns there are (sacct_fields.h), rows that are cut wrong (sacct_rows.h), what
 * the columns of a job become (sacct_job.h). */
#include <string.h>

#include "traces/job_fold.h"
#include "traces/reader_map.h"
#include "traces/sacct_rows.h"

typedef struct {
  LkReaderBase *base;
  LkSacctRules rules;
  LkSacctColumns columns;
  guint id_column;
  LkSacctRows *rows;
  LkJobFold *fold;
  gboolean is_read;
} Sacct;

static const char *const map_keys[] = { "delimiter", LK_SACCT_MAP_KEYS, NULL };

/* ---------------------------------------------------------------- columns */

/* The first line that is not blank. */
static LkSpan
first_line (const char *head, gsize length_bytes)
{
  LkSpan rest = { head, length_bytes };
  LkSpan line = { NULL, 0 };
  gboolean is_first = TRUE;
  while (lk_span_part (&rest, '\n', &line)) {
    line = lk_sacct_line (line, is_first);
    is_first = FALSE;
    if (lk_span_strip (line).length_bytes > 0)
      break;
  }
  return line;
}

/* sacct without -P: names under which dashes stand. */
static gboolean
is_table (LkSpan line)
{
  line = lk_span_strip (line);
  return line.length_bytes > 5 && g_ascii_strncasecmp (line.bytes, "JobID", 5) == 0
         && g_ascii_isspace (line.bytes[5]);
}

static gboolean
is_mine (const char *head, gsize length_bytes)
{
  LkSacctColumns columns = { 0 };
  LkSpan line = first_line (head, length_bytes);
  gboolean is_sacct = lk_sacct_columns_parse (&columns, line, '\0')
                      || lk_sacct_columns_guess (&columns, line) || is_table (line);
  lk_sacct_columns_clear (&columns);
  return is_sacct;
}

static gboolean
log_fail (const Sacct *self, GError **error, const char *what)
{
  g_set_error (error, LK_TRACE_ERROR, LK_TRACE_ERROR_SYNTAX, "trace '%s': %s",
               lk_input_name (self->base->input), what);
  return FALSE;
}

static gboolean
has_column (const Sacct *self, const LkSacctUse *uses, gsize count)
{
  for (guint i = 0; i < self->columns.count; i++)
    for (gsize k = 0; k < count; k++)
      if (self->columns.fields[i]->use == uses[k])
        return TRUE;
  return FALSE;
}

/* Without these there is no job to be made. */
static gboolean
columns_check (const Sacct *self, GError **error)
{
  static const LkSacctUse submit[] = { LK_SACCT_SUBMITTED };
  static const LkSacctUse run[] = { LK_SACCT_ELAPSED, LK_SACCT_ELAPSED_RAW, LK_SACCT_END };
  static const LkSacctUse cpus[] = { LK_SACCT_REQ_CPUS, LK_SACCT_ALLOC_CPUS, LK_SACCT_REQ_TRES,
                                     LK_SACCT_ALLOC_TRES };
  if (!has_column (self, submit, G_N_ELEMENTS (submit)))
    return log_fail (self, error, "there is no column Submit; expected it in sacct --format");
  if (!has_column (self, run, G_N_ELEMENTS (run)))
    return log_fail (self, error,
                     "there is no column Elapsed, ElapsedRaw or End; expected one of them in "
                     "sacct --format");
  if (!has_column (self, cpus, G_N_ELEMENTS (cpus)))
    return log_fail (self, error,
                     "there is no column ReqTRES, AllocTRES, ReqCPUS, AllocCPUS or NCPUS; expected "
                     "one of them in sacct --format");
  return TRUE;
}

/* The column that tells steps from jobs. */
static guint
id_column_find (const LkSacctColumns *columns)
{
  guint raw = 0;
  for (guint i = 0; i < columns->count; i++) {
    if (columns->fields[i]->use == LK_SACCT_ID)
      return i;
    if (columns->fields[i]->use == LK_SACCT_ID_RAW)
      raw = i;
  }
  return raw;
}

static gboolean
delimiter_read (const Sacct *self, char *out_delimiter, GError **error)
{
  const char *value = lk_reader_map_value (self->base, "delimiter");
  *out_delimiter = value ? value[0] : '\0';
  if (!value || (strlen (value) == 1 && !g_ascii_isalnum (value[0])))
    return TRUE;
  return log_fail (self, error,
                   "mapping 'delimiter': expected one character that is no letter or "
                   "digit");
}

/* A header counts before what the options say, unless they say something. */
static gboolean
columns_find (Sacct *self, GError **error)
{
  const char *head;
  gsize length_bytes;
  char delimiter;
  if (!delimiter_read (self, &delimiter, error)
      || !lk_input_peek (self->base->input, LK_READER_SNIFF_BYTES, &head, &length_bytes, error))
    return FALSE;
  LkSpan line = first_line (head, length_bytes);
  gboolean has_header = lk_sacct_columns_parse (&self->columns, line, delimiter);
  const char *given = self->base->options.columns;
  if (given) {
    g_autofree char *header = g_steal_pointer (&self->columns.header);
    if (!lk_sacct_columns_parse (&self->columns, lk_span (given), delimiter))
      return log_fail (self, error,
                       "the columns given are none of sacct's; expected names such as "
                       "JobID|Submit|Start|End|ReqTRES, of which one is JobID or JobIDRaw");
    g_free (self->columns.header);
    self->columns.header = g_steal_pointer (&header);
    return TRUE;
  }
  if (has_header || lk_sacct_columns_guess (&self->columns, line))
    return TRUE;
  if (is_table (line))
    return log_fail (self, error,
                     "this is sacct's table for people, which cuts values off; expected the output "
                     "of sacct -P");
  return log_fail (self, error,
                   "there is no header with JobID, and the first line is in no known order of "
                   "columns; expected sacct -P without -n, or the names with --columns");
}

/* ---------------------------------------------------------------- rows */

static void
sacct_close (gpointer data)
{
  Sacct *self = data;
  g_clear_pointer (&self->rows, lk_sacct_rows_free);
  g_clear_pointer (&self->fold, lk_job_fold_free);
  lk_sacct_columns_clear (&self->columns);
  g_free (self);
}

static gpointer
sacct_open (LkReaderBase *base, GError **error)
{
  Sacct *self = g_new0 (Sacct, 1);
  self->base = base;
  base->has_dates = TRUE;
  if (!lk_sacct_rules_init (&self->rules, base, error) || !columns_find (self, error)
      || !columns_check (self, error)) {
    sacct_close (self);
    return NULL;
  }
  self->id_column = id_column_find (&self->columns);
  self->rows = lk_sacct_rows_new (base, &self->columns);
  self->fold = lk_job_fold_new (base);
  return self;
}

/* Fills the job from the cells. -1: one makes no sense. */
static int
cells_take (const Sacct *self, const LkSpan *cells, LkSacctJob *job, GError **error)
{
  const char *expected;
  for (guint i = 0; i < self->columns.count; i++)
    if (!lk_sacct_field_take (self->columns.fields[i], cells[i], job, &expected))
      return lk_reader_fail (self->base, error, "field %u (%s) is '%.*s'; expected %s", i + 1,
                             self->columns.fields[i]->name, (int)MIN (cells[i].length_bytes, 60),
                             cells[i].bytes, expected);
  if (job->submit_us < 0)
    return lk_reader_fail (self->base, error,
                           "job %" G_GINT64_FORMAT " has no time in Submit; expected one",
                           job->id.number);
  return 1;
}

/* 1: taken in; -1: an error. */
static int
row_take (Sacct *self, const LkSpan *cells, GError **error)
{
  LkSacctJob job;
  LkFoldRow row;
  const char *expected;
  lk_sacct_job_init (&job);
  if (lk_sacct_field_take (self->columns.fields[self->id_column], cells[self->id_column], &job,
                           &expected)
      && job.id.is_step) {
    self->base->counts.step_count++;
    return 1;
  }
  if (cells_take (self, cells, &job, error) < 0)
    return -1;
  lk_record_init (&row.record);
  lk_sacct_job_record (&job, &self->rules, self->base, &row.record);
  row.cluster = job.cluster;
  row.tasks = job.id.tasks;
  row.is_resizing = job.is_resizing;
  return lk_job_fold_add (self->fold, &row, error) ? 1 : -1;
}

static gboolean
log_read (Sacct *self, GError **error)
{
  const LkSpan *cells;
  int got;
  while ((got = lk_sacct_rows_next (self->rows, &cells, error)) == 1) {
    g_autoptr (GError) row_error = NULL;
    if (row_take (self, cells, &row_error) == 1)
      continue;
    if (!self->base->options.lenient) {
      g_propagate_error (error, g_steal_pointer (&row_error));
      return FALSE;
    }
    self->base->counts.skipped_count++;
  }
  return got == 0;
}

static int
sacct_next (gpointer data, LkTraceRecord *out_record, GError **error)
{
  Sacct *self = data;
  if (!self->is_read && !log_read (self, error))
    return -1;
  self->is_read = TRUE;
  return lk_job_fold_next (self->fold, out_record) ? 1 : 0;
}

const LkReaderOps lk_reader_sacct = {
  .format = LK_FORMAT_SACCT,
  .is_mine = is_mine,
  .map_keys = map_keys,
  .open = sacct_open,
  .next = sacct_next,
  .close = sacct_close,
};
