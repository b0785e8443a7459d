/* live/client/queue/squeue_order.c — in which order squeue shows jobs.
 *
 * First by start, the last one first, and then by each key, the last key first, where what is alike
 * stays as it was: as Slurm does, so that jobs that agree in all keys stand as there.  What a job
 * is sorted by is made once for each job, as a number: a text is the place that it has among all
 * texts of its column. */
#include <string.h>

#include "live/client/queue/squeue.h"

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
    /* squeue(1), --priority: of lines for each partition that of the partition counts first. */
    *out_number = (gint64)row->partition_tier << 32 | job->priority_now;
    return TRUE;
  case 'S':
    *out_number = job->start_us;
    return TRUE;
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
  guint64 id = job->het_leader != 0     ? job->het_leader
               : job->array_job_id != 0 ? job->array_job_id
                                        : job->job_id;
  return id << 32 | (job->het_leader != 0 ? job->het_offset : job->array_task);
}

/* ---------------------------------------------------------------- keys */

typedef struct {
  guint64 key;
  LkJobRow *row;
} Entry;

typedef struct {
  const LkSqueueReport *report;
  const GPtrArray *rows; /* as the controller tells of them */
  Entry *entries;        /* as they are sorted so far */
  Entry *space;          /* as many, for merging */
} Sorting;

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
fill_texts (const Sorting *self, char letter)
{
  const LkTableColumn *column = lk_table_column (lk_squeue_columns, letter);
  g_autoptr (GHashTable) ranks = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  g_autoptr (GString) text = g_string_new (NULL);
  for (guint i = 0; i < self->rows->len; i++) {
    g_string_truncate (text, 0);
    column->cell (self->report, self->entries[i].row, text);
    guint64 *rank = g_hash_table_lookup (ranks, text->str);
    if (rank == NULL) {
      rank = g_new0 (guint64, 1);
      g_hash_table_insert (ranks, g_strdup (text->str), rank);
    }
    self->entries[i].key = (guint64)(guintptr)rank;
  }
  rank_texts (ranks);
  for (guint i = 0; i < self->rows->len; i++)
    self->entries[i].key = *(const guint64 *)(guintptr)self->entries[i].key;
}

static void
fill_key (const Sorting *self, char letter, gboolean is_falling)
{
  gint64 number;
  if (self->rows->len == 0)
    return;
  gboolean is_number =
      letter == 'i' || number_of (self->report, letter, self->entries[0].row, &number);
  if (!is_number)
    fill_texts (self, letter);
  for (guint i = 0; i < self->rows->len; i++) {
    Entry *entry = &self->entries[i];
    if (letter == 'i')
      entry->key = label_of (&entry->row->job);
    else if (is_number && number_of (self->report, letter, entry->row, &number))
      entry->key = (guint64)number ^ SIGN;
    if (is_falling)
      entry->key = ~entry->key;
  }
}

static gboolean
has_no_start (const Entry *entry)
{
  return entry->row->job.start_us == G_MAXINT64 || entry->row->job.start_us == 0;
}

/* Does `a` come behind `b`, which was behind it until now?  One without a start comes behind all
 * others, and behind its like: so has Slurm's comparison it (src/squeue/sort.c), and so jobs
 * without a start stand in the order that comes of it. */
static gboolean
is_behind (const Entry *a, const Entry *b, gboolean by_start)
{
  if (by_start && has_no_start (a))
    return TRUE;
  if (by_start && has_no_start (b))
    return FALSE;
  return a->key > b->key;
}

/* Sorts [begin, end) by merging halves, as qsort of the GNU library did when Slurm's lists were
 * recorded: what is alike stays as it was. */
static void
merge_sort (const Sorting *self, guint begin, guint end, gboolean by_start)
{
  if (end - begin < 2)
    return;
  guint middle = begin + (end - begin) / 2;
  merge_sort (self, begin, middle, by_start);
  merge_sort (self, middle, end, by_start);
  guint low = begin;
  guint high = middle;
  for (guint to = begin; to < end; to++) {
    gboolean takes_low =
        high == end
        || (low < middle && !is_behind (&self->entries[low], &self->entries[high], by_start));
    self->space[to] = self->entries[takes_low ? low++ : high++];
  }
  memcpy (self->entries + begin, self->space + begin, (end - begin) * sizeof (Entry));
}

static void
sort_by (const Sorting *self, char letter, gboolean is_falling)
{
  fill_key (self, letter, is_falling);
  merge_sort (self, 0, self->rows->len, letter == 'S');
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
  Sorting self = { .report = report, .rows = rows };
  self.entries = g_new0 (Entry, rows->len);
  self.space = g_new0 (Entry, rows->len);
  for (guint i = 0; i < rows->len; i++)
    self.entries[i].row = g_ptr_array_index (rows, i);
  sort_by (&self, 'S', TRUE);
  for (const char *at = keys + strlen (keys); at-- > keys;)
    if (strchr (",+-", *at) == NULL)
      sort_by (&self, *at, at > keys && at[-1] == '-');
  for (guint i = 0; i < rows->len; i++)
    rows->pdata[i] = self.entries[i].row;
  g_free (self.entries);
  g_free (self.space);
}
