/* live/client/squeue_order.c — in which order squeue shows jobs.
 *
 * What a job is sorted by is made once for each job, as numbers: a text is the place that it has
 * among all texts of its column. */
#include <string.h>

#include "live/client/squeue.h"

#define SIGN (G_GUINT64_CONSTANT (1) << 63)

static gboolean
number_of (const LkSqueueReport *report, char letter, const LkJobRow *row, gint64 *out_number)
{
  const LkRecord_job *job = &row->job;
  switch (letter) {
  case 'A':
    *out_number = job->job_id;
    return TRUE;
  case 'C':
    *out_number = job->cpus;
    return TRUE;
  case 'D':
    *out_number = job->nodes;
    return TRUE;
  case 'e':
    *out_number = job->end_us;
    return TRUE;
  case 'l':
    *out_number = job->limit_us;
    return TRUE;
  case 'M':
    *out_number = lk_job_row_used_us (row, report->now_us);
    return TRUE;
  case 'p':
  case 'Q':
    *out_number = job->priority_now;
    return TRUE;
  case 'S':
    *out_number = job->start_us;
    return TRUE;
  case 't':
  case 'T':
    *out_number = job->state;
    return TRUE;
  case 'U':
    *out_number = job->user_id;
    return TRUE;
  case 'V':
    *out_number = job->submit_us;
    return TRUE;
  default:
    return FALSE;
  }
}

static guint64
label_of (const LkRecord_job *job)
{
  guint64 id = job->array_job_id != 0 ? job->array_job_id : job->job_id;
  return id << 32 | job->array_task;
}

/* ---------------------------------------------------------------- keys */

/* Of each row so many keys, the label and the row, one behind the other. */
typedef struct {
  const LkSqueueReport *report;
  const GPtrArray *rows;
  guint64 *entries;
  guint key_count;
} Sorting;

static guint64 *
entry_at (const Sorting *self, guint row)
{
  return self->entries + (gsize)row * (self->key_count + 2);
}

static gint
compare_texts (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *)a, *(const char *const *)b);
}

/* The place of each text among those that differ. */
static void
rank_texts (GHashTable *ranks)
{
  guint count;
  g_autofree char **texts = (char **)g_hash_table_get_keys_as_array (ranks, &count);
  g_autoptr (GPtrArray) sorted = g_ptr_array_sized_new (count);
  for (guint i = 0; i < count; i++)
    g_ptr_array_add (sorted, texts[i]);
  g_ptr_array_sort (sorted, compare_texts);
  for (guint i = 0; i < count; i++)
    *(guint64 *)g_hash_table_lookup (ranks, g_ptr_array_index (sorted, i)) = i;
}

/* First each key is where the place of its text will be. */
static void
fill_texts (const Sorting *self, guint key, char letter)
{
  const LkTableColumn *column = lk_table_column (lk_squeue_columns, letter);
  g_autoptr (GHashTable) ranks = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  g_autoptr (GString) text = g_string_new (NULL);
  for (guint i = 0; i < self->rows->len; i++) {
    g_string_truncate (text, 0);
    column->cell (self->report, g_ptr_array_index (self->rows, i), text);
    guint64 *rank = g_hash_table_lookup (ranks, text->str);
    if (rank == NULL) {
      rank = g_new0 (guint64, 1);
      g_hash_table_insert (ranks, g_strdup (text->str), rank);
    }
    entry_at (self, i)[key] = (guint64)(guintptr)rank;
  }
  rank_texts (ranks);
  for (guint i = 0; i < self->rows->len; i++)
    entry_at (self, i)[key] = *(const guint64 *)(guintptr)entry_at (self, i)[key];
}

static void
fill_key (const Sorting *self, guint key, char letter, gboolean is_falling)
{
  gint64 number;
  if (self->rows->len == 0)
    return;
  gboolean is_number =
      letter == 'i' || number_of (self->report, letter, g_ptr_array_index (self->rows, 0), &number);
  if (!is_number)
    fill_texts (self, key, letter);
  for (guint i = 0; i < self->rows->len; i++) {
    const LkJobRow *row = g_ptr_array_index (self->rows, i);
    if (letter == 'i')
      entry_at (self, i)[key] = label_of (&row->job);
    else if (is_number && number_of (self->report, letter, row, &number))
      entry_at (self, i)[key] = (guint64)number ^ SIGN;
    if (is_falling)
      entry_at (self, i)[key] = ~entry_at (self, i)[key];
  }
}

static gint
compare_entries (gconstpointer a, gconstpointer b, gpointer user)
{
  const guint64 *x = a;
  const guint64 *y = b;
  const Sorting *self = user;
  for (guint i = 0; i <= self->key_count; i++)
    if (x[i] != y[i])
      return x[i] < y[i] ? -1 : 1;
  return 0;
}

/* ---------------------------------------------------------------- the order */

/* Slurm sorts by the last key first, and so tells the last one that is none. */
gboolean
lk_squeue_is_order (const LkClient *client, const char *keys)
{
  for (const char *at = keys + strlen (keys); at-- > keys;)
    if (strchr (",+", *at) == NULL && !(*at == '-' && at[1] != '\0')
        && ((guchar)*at <= ' ' || lk_table_column (lk_squeue_columns, *at) == NULL)) {
      lk_client_error (client, "Invalid sort specification: %c", *at);
      return FALSE;
    }
  return TRUE;
}

void
lk_squeue_sort (const LkSqueueReport *report, const char *keys, GPtrArray *rows)
{
  Sorting self = { .report = report, .rows = rows, .key_count = (guint)strlen (keys) };
  guint key = 0;
  self.entries = g_new0 (guint64, (gsize)rows->len * (self.key_count + 2));
  for (const char *at = keys; *at != '\0'; at++) {
    gboolean is_falling = *at == '-';
    if (*at == ',' || *at == '+')
      continue;
    at += is_falling ? 1 : 0;
    fill_key (&self, key++, *at, is_falling);
  }
  for (guint i = 0; i < rows->len; i++) {
    LkJobRow *row = g_ptr_array_index (rows, i);
    entry_at (&self, i)[self.key_count] = label_of (&row->job);
    entry_at (&self, i)[self.key_count + 1] = (guint64)(guintptr)row;
  }
  g_qsort_with_data (self.entries, (gint)rows->len, (self.key_count + 2) * sizeof (guint64),
                     compare_entries, &self);
  for (guint i = 0; i < rows->len; i++)
    rows->pdata[i] = (gpointer)(guintptr)entry_at (&self, i)[self.key_count + 1];
  g_free (self.entries);
}
