/* traces/job_fold.c — see job_fold.h.
 *
 * A kept row is the head of its record, up to the request, as bytes, and a pointer to the request
 * in a pool: requests are the largest part of a record and repeat. */
#include "traces/job_fold.h"

#include <stddef.h>
#include <string.h>

#include "engine/limits.h"
#include "traces/request_pool.h"

#define HEAD_BYTES offsetof (LkTraceRecord, request)

typedef struct {
  guint8 head[HEAD_BYTES];
  const LkJobRequest *request;
  gint64 last_submit_us; /* of the last run; the record has that of the first */
  guint64 line_number;
  const char *cluster; /* NULL: not known */
  const char *tasks;   /* NULL: one job */
  gboolean is_resizing;
} Entry;

struct _LkJobFold {
  LkReaderBase *base;
  LkRequestPool *requests;
  GArray *entries;   /* of Entry */
  GHashTable *by_id; /* "cluster/name" to index + 1; looked up only */
  GStringChunk *ids;

  guint entry_next;
  LkSpan tasks_rest; /* of the entry before entry_next, when is_expanding */
  LkTaskRange range;
  guint64 task_next;
  gboolean is_expanding;
};

LkJobFold *
lk_job_fold_new (LkReaderBase *base)
{
  LkJobFold *self = g_new0 (LkJobFold, 1);
  self->base = base;
  self->requests = lk_request_pool_new ();
  self->entries = g_array_new (FALSE, FALSE, sizeof (Entry));
  self->by_id = g_hash_table_new (g_str_hash, g_str_equal);
  self->ids = g_string_chunk_new (4096);
  return self;
}

void
lk_job_fold_free (LkJobFold *self)
{
  if (!self)
    return;
  lk_request_pool_free (self->requests);
  g_array_unref (self->entries);
  g_hash_table_unref (self->by_id);
  g_string_chunk_free (self->ids);
  g_free (self);
}

/* ---------------------------------------------------------------- entries */

static void
entry_load (const Entry *entry, LkTraceRecord *out_record)
{
  memcpy (out_record, entry->head, HEAD_BYTES);
  out_record->request = *entry->request;
}

static void
entry_store (LkJobFold *self, const LkTraceRecord *record, Entry *entry)
{
  memcpy (entry->head, record, HEAD_BYTES);
  entry->request = lk_request_pool_intern (self->requests, &record->request);
}

/* Long enough for every id; a cluster name that is longer still is cut, the same way each time. */
typedef struct {
  char text[256];
} Id;

/* `task` < 0: as the record is named. */
static Id
id_make (const char *cluster, const LkTraceRecord *record, gint64 array_number, gint64 task)
{
  Id id;
  char number[64];
  if (task >= 0)
    g_snprintf (number, sizeof number, "%" G_GINT64_FORMAT "_%" G_GINT64_FORMAT, array_number,
                task);
  else if (record->name)
    g_strlcpy (number, record->name, sizeof number);
  else
    g_snprintf (number, sizeof number, "%" G_GINT64_FORMAT, record->number);
  g_snprintf (id.text, sizeof id.text, "%s/%s", number, cluster ? cluster : "");
  return id;
}

/* ---------------------------------------------------------------- one job out of two rows */

static gint
compare_i64 (gint64 a, gint64 b)
{
  return a < b ? -1 : a > b;
}

/* By submit, start and end of the runs: which row tells of a later time? */
static gint
compare_runs (const LkTraceRecord *a, gint64 a_submit_us, const LkTraceRecord *b,
              gint64 b_submit_us)
{
  gint order = compare_i64 (a_submit_us, b_submit_us);
  if (order == 0)
    order = compare_i64 (a->start_us, b->start_us);
  return order != 0 ? order : compare_i64 (a->end_us, b->end_us);
}

/* `last` becomes the whole job; it follows `first`, which knows when the job came. */
static void
join_runs (const LkTraceRecord *first, gboolean is_first_resizing, LkTraceRecord *last)
{
  gboolean ran_both = first->start_us >= 0 && last->start_us >= 0;
  guint attempts = first->attempts;
  last->submit_us = first->submit_us;
  last->eligible_us = first->eligible_us;
  last->terms = first->terms;
  if (ran_both && is_first_resizing) {
    last->start_us = first->start_us;
    last->run_us = MAX (last->run_us, 0) + MAX (first->run_us, 0);
    last->suspended_us += first->suspended_us;
    last->request = first->request;
    last->procs = first->procs;
  } else if (ran_both && last->start_us != first->start_us) {
    attempts += last->attempts;
  }
  last->attempts = attempts;
}

static void
entry_merge (LkJobFold *self, Entry *entry, const LkFoldRow *row)
{
  LkTraceRecord old;
  LkTraceRecord joined = row->record;
  entry_load (entry, &old);
  gint64 submit_us = row->record.submit_us;
  if (compare_runs (&old, entry->last_submit_us, &row->record, submit_us) <= 0) {
    gint64 first_us = MIN (old.submit_us, submit_us);
    join_runs (&old, entry->is_resizing, &joined);
    joined.submit_us = first_us;
    entry->last_submit_us = submit_us;
    entry->is_resizing = row->is_resizing;
    entry_store (self, &joined, entry);
    return;
  }
  /* The row is of an earlier run than the one that is known; but not of an earlier submit, if a
   * third row was there before. */
  joined = old;
  LkTraceRecord first = row->record;
  if (old.submit_us < submit_us) {
    first.submit_us = old.submit_us;
    first.eligible_us = old.eligible_us;
  }
  join_runs (&first, row->is_resizing, &joined);
  entry_store (self, &joined, entry);
}

/* A cluster wraps its ids around in the end; then they come back, for other users as a rule. */
static gboolean
is_same_job (const Entry *entry, const LkTraceRecord *record)
{
  LkTraceRecord known;
  memcpy (&known, entry->head, HEAD_BYTES);
  return known.user_id == record->user_id || known.user_id == 0 || record->user_id == 0;
}

gboolean
lk_job_fold_add (LkJobFold *self, const LkFoldRow *row, GError **error)
{
  const char *cluster = lk_reader_text (self->base, row->cluster.bytes, row->cluster.length_bytes);
  const char *tasks = lk_reader_text (self->base, row->tasks.bytes, row->tasks.length_bytes);
  Id id = id_make (cluster, &row->record, 0, -1);
  guint index = tasks ? 0 : GPOINTER_TO_UINT (g_hash_table_lookup (self->by_id, id.text));
  if (index > 0) {
    Entry *known = &g_array_index (self->entries, Entry, index - 1);
    if (is_same_job (known, &row->record)) {
      entry_merge (self, known, row);
      self->base->counts.duplicate_count++;
      return TRUE;
    }
  }
  if (self->entries->len >= LK_LIMIT_JOBS) {
    lk_reader_fail (self->base, error, "more than %u jobs; expected fewer", LK_LIMIT_JOBS);
    return FALSE;
  }
  Entry entry = { .last_submit_us = row->record.submit_us,
                  .line_number = self->base->line_number,
                  .cluster = cluster,
                  .tasks = tasks,
                  .is_resizing = row->is_resizing };
  entry_store (self, &row->record, &entry);
  g_array_append_val (self->entries, entry);
  if (!tasks)
    g_hash_table_insert (self->by_id, g_string_chunk_insert (self->ids, id.text),
                         GUINT_TO_POINTER (self->entries->len));
  return TRUE;
}

/* ---------------------------------------------------------------- handing out */

/* The next task of the row that is being taken apart; FALSE at its end. */
static gboolean
task_step (LkJobFold *self, gint64 *out_task)
{
  if (self->task_next > self->range.last) {
    if (!lk_sacct_task_range (&self->tasks_rest, &self->range))
      return FALSE;
    self->task_next = self->range.first;
  }
  *out_task = (gint64)self->task_next;
  self->task_next += self->range.step;
  return TRUE;
}

/* The array's number: the digits that its rows are named by. */
static gboolean
task_next (LkJobFold *self, const Entry *entry, LkTraceRecord *out_record)
{
  gint64 task;
  entry_load (entry, out_record);
  gint64 array_number = out_record->number;
  while (task_step (self, &task)) {
    Id id = id_make (entry->cluster, out_record, array_number, task);
    if (g_hash_table_contains (self->by_id, id.text))
      continue;
    char name[64];
    int length = g_snprintf (name, sizeof name, "%" G_GINT64_FORMAT "_%" G_GINT64_FORMAT,
                             array_number, task);
    out_record->name = lk_reader_text_once (self->base, name, (gsize)length);
    return TRUE;
  }
  return FALSE;
}

static void
expand_begin (LkJobFold *self, const Entry *entry)
{
  self->is_expanding = TRUE;
  self->tasks_rest = lk_span (entry->tasks);
  self->range = (LkTaskRange){ 0, 0, 1 };
  self->task_next = 1;
}

gboolean
lk_job_fold_next (LkJobFold *self, LkTraceRecord *out_record)
{
  for (;;) {
    if (self->is_expanding) {
      const Entry *entry = &g_array_index (self->entries, Entry, self->entry_next - 1);
      if (task_next (self, entry, out_record))
        return TRUE;
      self->is_expanding = FALSE;
    }
    if (self->entry_next == self->entries->len)
      return FALSE;
    const Entry *entry = &g_array_index (self->entries, Entry, self->entry_next);
    self->entry_next++;
    self->base->line_number = entry->line_number;
    if (entry->tasks) {
      expand_begin (self, entry);
      continue;
    }
    entry_load (entry, out_record);
    return TRUE;
  }
}
