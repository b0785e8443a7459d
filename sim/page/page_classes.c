/* sim/page/page_classes.c — see the header. */
#include "sim/page/page_classes.h"

#include <string.h>

/* While they are counted. */
typedef struct {
  LkPageClass class;
  guint64 rank;                    /* of sizes: their order */
  GArray *waits[LK_PAGE_RUNS_MAX]; /* of gint64; NULL: none */
} Group;

static void
class_free (gpointer user)
{
  LkPageClass *self = user;
  g_free (self->label);
  g_free (self);
}

static void
group_free (gpointer user)
{
  Group *self = user;
  for (guint i = 0; i < LK_PAGE_RUNS_MAX; i++)
    if (self->waits[i] != NULL)
      g_array_unref (self->waits[i]);
  g_free (self->class.label);
  g_free (self);
}

static gboolean
counts (const LkPageJob *job)
{
  return !job->is_requeued && job->start_us != LK_TIME_NEVER;
}

/* 1, 2-3, 4-7, 8-15 ... */
static char *
size_label (guint32 amount, guint64 *out_rank)
{
  if (amount == 0) {
    *out_rank = 0;
    return g_strdup ("none");
  }
  guint bit = g_bit_storage (amount) - 1;
  guint64 low = (guint64)1 << bit;
  *out_rank = low;
  return low == 1 ? g_strdup ("1")
                  : g_strdup_printf ("%" G_GUINT64_FORMAT "-%" G_GUINT64_FORMAT, low, 2 * low - 1);
}

/* Returns: (transfer full), NULL where the job has none. */
static char *
label_of (const LkPageRun *run, const LkPageJob *job, guint by, guint64 *out_rank)
{
  *out_rank = 0;
  if (by == LK_PAGE_BY_SIZE)
    return size_label (job->procs, out_rank);
  if (by == LK_PAGE_BY_GPUS)
    return size_label ((job->gpus_milli + 999) / 1000, out_rank);
  return g_strdup (lk_page_names_text (&run->names, job->fields[by]));
}

static Group *
group_of (GPtrArray *groups, GHashTable *index, const char *label, guint64 rank)
{
  Group *group = g_hash_table_lookup (index, label);
  if (group != NULL)
    return group;
  group = g_new0 (Group, 1);
  group->class.label = g_strdup (label);
  group->rank = rank;
  g_ptr_array_add (groups, group);
  g_hash_table_insert (index, group->class.label, group);
  return group;
}

static void
gather (const LkPage *page, guint run_index, guint by, GPtrArray *groups, GHashTable *index)
{
  const LkPageRun *run = lk_page_run (page, run_index);
  for (guint i = 0; i < run->jobs->len; i++) {
    const LkPageJob *job = lk_page_run_job (run, i);
    guint64 rank;
    g_autofree char *label = counts (job) ? label_of (run, job, by, &rank) : NULL;
    if (label == NULL)
      continue;
    Group *group = group_of (groups, index, label, rank);
    if (group->waits[run_index] == NULL)
      group->waits[run_index] = g_array_new (FALSE, FALSE, sizeof (gint64));
    gint64 wait_us = lk_page_job_wait_us (run, job);
    g_array_append_val (group->waits[run_index], wait_us);
    group->class.job_count++;
  }
}

static gint
compare_groups (gconstpointer a, gconstpointer b)
{
  const Group *x = *(const Group *const *)a;
  const Group *y = *(const Group *const *)b;
  if (x->rank != y->rank)
    return x->rank < y->rank ? -1 : 1;
  if (x->rank == 0 && x->class.job_count != y->class.job_count)
    return x->class.job_count > y->class.job_count ? -1 : 1;
  return strcmp (x->class.label, y->class.label);
}

static gint
compare_waits (gconstpointer a, gconstpointer b)
{
  gint64 x = *(const gint64 *)a;
  gint64 y = *(const gint64 *)b;
  return x < y ? -1 : x > y;
}

gint64
lk_page_percentile (const GArray *waits, guint p)
{
  if (waits->len == 0)
    return 0;
  guint64 place = ((guint64)waits->len * p + 99) / 100;
  return g_array_index (waits, gint64, MAX (place, 1) - 1);
}

static void
describe (GArray *waits, LkPageWaits *out)
{
  gint64 rest_us = 0;
  gint64 mean_us = 0;
  gint64 count = (gint64)waits->len;
  g_array_sort (waits, compare_waits);
  for (guint i = 0; i < waits->len; i++) {
    gint64 wait_us = g_array_index (waits, gint64, i);
    mean_us += wait_us / count; /* in two parts, so that no sum overflows */
    rest_us += wait_us % count;
  }
  out->job_count = waits->len;
  out->p5_us = lk_page_percentile (waits, 5);
  out->p25_us = lk_page_percentile (waits, 25);
  out->median_us = lk_page_percentile (waits, 50);
  out->p75_us = lk_page_percentile (waits, 75);
  out->p95_us = lk_page_percentile (waits, 95);
  out->mean_us = mean_us + rest_us / count;
}

GPtrArray *
lk_page_classes (const LkPage *page, guint by, guint *out_left_count)
{
  g_autoptr (GPtrArray) groups = g_ptr_array_new_with_free_func (group_free);
  g_autoptr (GHashTable) index = g_hash_table_new (g_str_hash, g_str_equal);
  for (guint i = 0; i < page->runs->len; i++)
    gather (page, i, by, groups, index);
  if (groups->len < 2)
    return NULL;
  g_ptr_array_sort (groups, compare_groups);
  guint kept = by < LK_PAGE_FIELD_COUNT ? MIN (groups->len, LK_PAGE_CLASSES_MAX) : groups->len;
  GPtrArray *classes = g_ptr_array_new_with_free_func (class_free);
  for (guint i = 0; i < kept; i++) {
    Group *group = g_ptr_array_index (groups, i);
    LkPageClass *class = g_memdup2 (&group->class, sizeof *class);
    class->label = g_strdup (class->label);
    for (guint run = 0; run < page->runs->len; run++)
      if (group->waits[run] != NULL)
        describe (group->waits[run], &class->waits[run]);
    g_ptr_array_add (classes, class);
  }
  *out_left_count = groups->len - kept;
  return classes;
}

GArray *
lk_page_waits_sorted (const LkPageRun *run)
{
  GArray *waits = g_array_new (FALSE, FALSE, sizeof (gint64));
  for (guint i = 0; i < run->jobs->len; i++) {
    const LkPageJob *job = lk_page_run_job (run, i);
    gint64 wait_us = lk_page_job_wait_us (run, job);
    if (counts (job))
      g_array_append_val (waits, wait_us);
  }
  g_array_sort (waits, compare_waits);
  return waits;
}
