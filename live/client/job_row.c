/* live/client/job_row.c — see the header. */
#include "live/client/job_row.h"

#include <string.h>

#include "engine/hostlist.h"
#include "engine/job_shown.h"
#include "live/client/names.h"
#include "live/client/words.h"

/* ---------------------------------------------------------------- rows */

#define LENGTH_u8(value) 0u
#define LENGTH_u32(value) 0u
#define LENGTH_u64(value) 0u
#define LENGTH_i64(value) 0u
#define LENGTH_text(value) (value).length_bytes
#define LENGTH_long_text(value) (value).length_bytes
#define LENGTH_bytes(value) (value).length_bytes
#define ADD_LENGTH(type, name, help) length_bytes += LENGTH_##type (job->name);

#define KEEP_u8(value) ((void)0)
#define KEEP_u32(value) ((void)0)
#define KEEP_u64(value) ((void)0)
#define KEEP_i64(value) ((void)0)
#define KEEP_text(value)                                                                           \
  (value).bytes = (const char *)keep (&at, (value).bytes, (value).length_bytes)
#define KEEP_long_text KEEP_text
#define KEEP_bytes(value) (value).bytes = keep (&at, (value).bytes, (value).length_bytes)
#define KEEP_FIELD(type, name, help) KEEP_##type (row->job.name);

static guint8 *
keep (guint8 **at, gconstpointer bytes, gsize length_bytes)
{
  guint8 *kept = *at;
  if (length_bytes > 0)
    memcpy (kept, bytes, length_bytes);
  *at += length_bytes;
  return kept;
}

static const LkBatch no_batch;

static LkJobRow *
row_new (const LkRecord_job *job)
{
  gsize batch_bytes = job->payload.length_bytes > 0 ? sizeof (LkBatch) : 0;
  gsize length_bytes = batch_bytes;
  LK_RECORD_JOB_FIELDS (ADD_LENGTH)
  LkJobRow *row = g_malloc (sizeof (LkJobRow) + length_bytes);
  LkBatch *batch = (LkBatch *)(gpointer)row->bytes;
  guint8 *at = row->bytes + batch_bytes;
  row->job = *job;
  row->het_last = 0;
  row->partition_tier = 0;
  LK_RECORD_JOB_FIELDS (KEEP_FIELD)
  const LkBytes payload = row->job.payload;
  gboolean has_batch =
      batch_bytes > 0 && lk_batch_decode (payload.bytes, payload.length_bytes, batch);
  row->batch = has_batch ? batch : &no_batch;
  return row;
}

typedef struct {
  GPtrArray *rows;
  LkNames names;
} Gather;

static void
take (gpointer user, const LkRecord *record)
{
  Gather *self = user;
  LkJobRow *row = row_new (&record->job);
  row->user = lk_names_user (&self->names, row->job.user_id);
  row->group = lk_names_group (&self->names, row->job.group_id);
  g_ptr_array_add (self->rows, row);
}

/* The components of a heterogeneous job have numbers that follow each other. */
static void
note_components (const GPtrArray *rows)
{
  g_autoptr (GHashTable) last_offsets = g_hash_table_new (NULL, NULL);
  for (guint i = 0; i < rows->len; i++) {
    const LkRecord_job *job = &((const LkJobRow *)g_ptr_array_index (rows, i))->job;
    gpointer leader = GUINT_TO_POINTER (job->het_leader);
    guint32 last = GPOINTER_TO_UINT (g_hash_table_lookup (last_offsets, leader));
    if (job->het_leader != 0 && job->het_offset >= last)
      g_hash_table_insert (last_offsets, leader, GUINT_TO_POINTER (job->het_offset));
  }
  for (guint i = 0; i < rows->len; i++) {
    LkJobRow *row = g_ptr_array_index (rows, i);
    gpointer leader = GUINT_TO_POINTER (row->job.het_leader);
    row->het_last = GPOINTER_TO_UINT (g_hash_table_lookup (last_offsets, leader));
  }
}

/* Of "2-5%2", the tasks that wait together: 2; 0 without a limit. */
static guint32
array_limit_of (const LkRecord_job *job)
{
  const LkLongText list = job->array_tasks;
  const char *sign = list.length_bytes > 0 ? memchr (list.bytes, '%', list.length_bytes) : NULL;
  g_autofree char *digits =
      sign != NULL ? g_strndup (sign + 1, (gsize)(list.bytes + list.length_bytes - sign - 1))
                   : NULL;
  return digits != NULL ? (guint32)g_ascii_strtoull (digits, NULL, 10) : 0;
}

/* Only the record of the pending tasks tells the limit; it holds for the other tasks, too. */
static void
note_array_limits (GPtrArray *rows)
{
  g_autoptr (GHashTable) limits = g_hash_table_new (NULL, NULL); /* by id of the array */
  for (guint i = 0; i < rows->len; i++) {
    const LkJobRow *row = g_ptr_array_index (rows, i);
    guint32 limit = row->job.array_job_id != 0 ? array_limit_of (&row->job) : 0;
    if (limit != 0)
      g_hash_table_insert (limits, GUINT_TO_POINTER (row->job.array_job_id),
                           GUINT_TO_POINTER (limit));
  }
  for (guint i = 0; i < rows->len; i++) {
    LkJobRow *row = g_ptr_array_index (rows, i);
    row->array_limit =
        GPOINTER_TO_UINT (g_hash_table_lookup (limits, GUINT_TO_POINTER (row->job.array_job_id)));
  }
}

GPtrArray *
lk_job_rows (const LkClient *client, const LkClientQuery *query, GError **error)
{
  Gather gather = { .rows = g_ptr_array_new_with_free_func (g_free) };
  lk_names_init (&gather.names);
  gboolean is_told = lk_client_query (client, query, take, &gather, error);
  lk_names_clear (&gather.names);
  if (is_told) {
    note_components (gather.rows);
    note_array_limits (gather.rows);
    return gather.rows;
  }
  g_ptr_array_unref (gather.rows);
  return NULL;
}

/* ---------------------------------------------------------------- in which order */

static gint
by_place (gconstpointer a, gconstpointer b, gpointer user)
{
  GHashTable *places = user;
  const LkJobRow *x = *(LkJobRow *const *)a;
  const LkJobRow *y = *(LkJobRow *const *)b;
  guint p = GPOINTER_TO_UINT (g_hash_table_lookup (places, x));
  guint q = GPOINTER_TO_UINT (g_hash_table_lookup (places, y));
  return p != q ? (p > q) - (p < q)
                : (x->job.job_id > y->job.job_id) - (x->job.job_id < y->job.job_id);
}

void
lk_job_rows_sort_as_created (GPtrArray *rows)
{
  g_autoptr (GHashTable) places = g_hash_table_new (NULL, NULL);
  g_autoptr (GHashTable) last = g_hash_table_new (NULL, NULL); /* of an array: the newest number */
  for (guint i = 0; i < rows->len; i++) {
    LkJobRow *row = g_ptr_array_index (rows, i);
    gpointer array = GUINT_TO_POINTER (row->job.array_job_id);
    if (row->job.array_job_id == 0 || row->job.job_id == row->job.array_job_id) {
      g_hash_table_insert (places, row, GUINT_TO_POINTER (row->job.job_id));
      continue;
    }
    gpointer before = g_hash_table_lookup (last, array);
    g_hash_table_insert (places, row, before != NULL ? before : array);
    g_hash_table_insert (last, array, GUINT_TO_POINTER (row->job.job_id));
  }
  for (guint i = 0; i < rows->len; i++) {
    LkJobRow *row = g_ptr_array_index (rows, i);
    gpointer newest = g_hash_table_lookup (last, GUINT_TO_POINTER (row->job.array_job_id));
    if (row->job.job_id == row->job.array_job_id && newest != NULL)
      g_hash_table_insert (places, row, newest);
  }
  g_ptr_array_sort_with_data (rows, by_place, places);
}

LkJobRow *
lk_job_row_copy (const LkJobRow *row)
{
  LkJobRow *copy = row_new (&row->job);
  copy->user = row->user;
  copy->group = row->group;
  copy->partition_tier = row->partition_tier;
  copy->het_last = row->het_last;
  copy->array_limit = row->array_limit;
  return copy;
}

/* ---------------------------------------------------------------- what it says */

void
lk_job_row_label (const LkJobRow *row, GString *out)
{
  const LkRecord_job *job = &row->job;
  if (job->het_leader != 0)
    g_string_append_printf (out, "%u+%u", job->het_leader, job->het_offset);
  else if (job->array_job_id == 0)
    lk_word_number (job->job_id, out);
  else if (job->array_task != G_MAXUINT32)
    g_string_append_printf (out, "%u_%u", job->array_job_id, job->array_task);
  else
    g_string_append_printf (out, "%u_[%.*s]", job->array_job_id, (int)job->array_tasks.length_bytes,
                            job->array_tasks.bytes);
}

gboolean
lk_state_parse (const char *word, LkJobState *out_state)
{
  for (guint state = 0; state < LK_JOB_STATE_LIMIT; state++)
    if (g_ascii_strcasecmp (word, lk_job_state_short (state)) == 0
        || g_ascii_strcasecmp (word, lk_job_state_name (state)) == 0) {
      *out_state = (LkJobState)state;
      return TRUE;
    }
  return FALSE;
}

static LkJobState
state_of (const LkJobRow *row)
{
  return row->job.is_completing != 0 && lk_job_state_is_end (row->job.state)
             ? LK_JOB_COMPLETING
             : lk_job_state_shown (row->job.state, row->job.is_sigstopped != 0);
}

const char *
lk_job_row_state (const LkJobRow *row)
{
  return lk_job_state_name (state_of (row));
}

const char *
lk_job_row_state_short (const LkJobRow *row)
{
  return lk_job_state_short (state_of (row));
}

gboolean
lk_job_row_has_started (const LkJobRow *row)
{
  return row->job.run_id != 0;
}

gint64
lk_job_row_ran_before_suspend_us (const LkJobRow *row)
{
  const LkRecord_job *job = &row->job;
  if (!lk_job_row_has_started (row) || job->suspend_us == G_MAXINT64)
    return 0;
  return MAX (job->suspend_us - job->start_us - job->suspended_us, 0);
}

/* Of one that has ended: its end. */
static gint64
run_until_us (const LkJobRow *row, gint64 now_us)
{
  return lk_job_state_is_end (row->job.state) ? row->job.end_us : now_us;
}

gint64
lk_job_row_suspended_us (const LkJobRow *row, gint64 now_us)
{
  const LkRecord_job *job = &row->job;
  if (job->is_suspended == 0)
    return job->suspended_us;
  return job->suspended_us + MAX (run_until_us (row, now_us) - job->suspend_us, 0);
}

gint64
lk_job_row_used_us (const LkJobRow *row, gint64 now_us)
{
  const LkRecord_job *job = &row->job;
  if (!lk_job_row_has_started (row) || job->start_us == G_MAXINT64)
    return 0;
  if (job->is_suspended != 0)
    return lk_job_row_ran_before_suspend_us (row);
  return MAX (run_until_us (row, now_us) - job->start_us - job->suspended_us, 0);
}

void
lk_job_row_batch_host (const LkJobRow *row, GString *out)
{
  const LkLongText list = row->job.node_names;
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  if (lk_hostlist_expand (list.bytes, list.length_bytes, names, NULL) && names->len > 0)
    g_string_append (out, g_ptr_array_index (names, 0));
}

gint64
lk_job_row_looked_us (const LkJobRow *row, gint64 now_us)
{
  const LkRecord_job *job = &row->job;
  if (job->run_id != 0 || job->node_names.length_bytes > 0)
    return job->start_us;
  return job->planned_nodes.length_bytes > 0 ? now_us : job->submit_us;
}

gboolean
lk_job_row_may_requeue (const LkJobRow *row)
{
  return (row->job.flags & LK_REQUEST_NO_REQUEUE) == 0;
}

void
lk_job_row_components (const LkJobRow *row, GString *out)
{
  lk_word_number (row->job.het_leader, out);
  if (row->het_last > 0)
    g_string_append_printf (out, "-%u", row->job.het_leader + row->het_last);
}

GHashTable *
lk_job_row_gres (const LkJobRow *row)
{
  GHashTable *found = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  const LkLongText *details = &row->job.gres_details;
  g_autofree char *text = g_strndup (details->bytes, details->length_bytes);
  g_auto (GStrv) pieces = g_strsplit (text, ";", -1);
  for (guint i = 0; pieces[i] != NULL; i++) {
    const char *sign = strchr (pieces[i], '=');
    g_autoptr (GPtrArray) names = g_ptr_array_new ();
    if (sign != NULL)
      lk_hostlist_expand (pieces[i], (gsize)(sign - pieces[i]), names, NULL);
    for (guint j = 0; j < names->len; j++)
      g_hash_table_replace (found, g_ptr_array_index (names, j), g_strdup (sign + 1));
  }
  return found;
}
