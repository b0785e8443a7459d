/* sim/statistics/paired.c — see paired.h; the ways to show it are in paired_show.c. */
#include "sim/statistics/paired.h"

#include <math.h>
#include <string.h>

#include "engine/assert.h"
#include "engine/suggest.h"
#include "sim/error.h"
#include "sim/statistics/join.h"
#include "sim/statistics/paired_private.h"

#define DAY_US (G_GINT64_CONSTANT (86400) * G_USEC_PER_SEC)
#define WEEK_US (7 * DAY_US)
#define WEEKS_FOR_WEEKS 20
#define BLOCK_COUNT_MAX 1000000

static const char *const by_names[] = {
  "user", "group", "account", "qos", "partition", "size", NULL
};

/* A job in both runs. */
typedef struct {
  gint64 submit_us; /* in the first */
  double wait_first_s;
  double wait_here_s;
  double slowdown_first;
  double slowdown_here;
  guint32 groups[LK_BY_COUNT]; /* places in `names`; of what is not wanted 0 */
} Entry;

typedef struct {
  GHashTable *places; /* char * to place + 1; looked up only */
  GPtrArray *names;
} Names;

typedef struct {
  const LkPairedOptions *options;
  gint64 begin_us;
  gint64 end_us;
  gint64 last_submit_us;
  GArray *entries; /* of Entry */
  Names names[LK_BY_COUNT];
} Collector;

/* ---------------------------------------------------------------- what is wanted */

const char *
lk_by_name (LkBy by)
{
  LK_ASSERT (by < LK_BY_COUNT);
  return by_names[by];
}

static void
set_by_error (const char *option, const char *word, gboolean is_twice, GError **error)
{
  g_autofree char *phrase = lk_suggest_phrase (word, by_names);
  if (is_twice)
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE, "%s has '%s' twice", option, word);
  else
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE,
                 "%s is '%s'; expected user, group, account, qos, partition, size, or several of "
                 "them with commas%s",
                 option, word, phrase);
}

gboolean
lk_by_parse (const char *option, const char *text, guint32 *out_by, GError **error)
{
  guint32 by = 0;
  g_auto (GStrv) words = g_strsplit (text, ",", -1);
  for (guint i = 0; words[i] != NULL; i++) {
    guint at = 0;
    while (by_names[at] != NULL && strcmp (by_names[at], words[i]) != 0)
      at++;
    if (by_names[at] != NULL && (by & 1u << at) == 0) {
      by |= 1u << at;
      continue;
    }
    set_by_error (option, words[i], by_names[at] != NULL, error);
    return FALSE;
  }
  if (by == 0) {
    set_by_error (option, "", FALSE, error);
    return FALSE;
  }
  *out_by = by;
  return TRUE;
}

/* ---------------------------------------------------------------- collecting */

static guint32
place_of (Names *names, const char *name)
{
  guint place = GPOINTER_TO_UINT (g_hash_table_lookup (names->places, name));
  if (place == 0) {
    char *copy = g_strdup (name);
    g_ptr_array_add (names->names, copy);
    place = names->names->len;
    g_hash_table_insert (names->places, copy, GUINT_TO_POINTER (place));
  }
  return place - 1;
}

/* The class of a size begins behind a power of two and ends with the next. */
static void
size_name (guint64 procs, char *out, gsize out_bytes)
{
  guint64 last = 1;
  while (last < procs)
    last *= 2;
  if (last <= 2)
    g_snprintf (out, out_bytes, "%" G_GUINT64_FORMAT, last);
  else
    g_snprintf (out, out_bytes, "%" G_GUINT64_FORMAT "-%" G_GUINT64_FORMAT, last / 2 + 1, last);
}

static guint32
group_of (Collector *self, LkBy by, const LkResultsStart *job)
{
  char number[48];
  const char *name = number;
  if (by == LK_BY_ACCOUNT || by == LK_BY_QOS)
    name = by == LK_BY_ACCOUNT ? job->account : job->qos;
  else if (by == LK_BY_SIZE)
    size_name (job->procs, number, sizeof number);
  else
    g_snprintf (number, sizeof number, "%" G_GINT64_FORMAT,
                by == LK_BY_USER    ? job->user
                : by == LK_BY_GROUP ? job->group
                                    : job->partition);
  return place_of (&self->names[by], name[0] != '\0' ? name : "(none)");
}

static double
slowdown_of (const LkResultsStart *job)
{
  return lk_bounded_slowdown (job->start_us - job->submit_us, job->end_us - job->start_us,
                              LK_METRICS_TAU_US);
}

static void
collect (gpointer user, const LkResultsStart *first, const LkResultsStart *here)
{
  Collector *self = user;
  if (first == NULL || here == NULL || first->submit_us < self->begin_us
      || first->submit_us >= self->end_us)
    return;
  Entry entry = { .submit_us = first->submit_us,
                  .wait_first_s = (double)(first->start_us - first->submit_us) / 1e6,
                  .wait_here_s = (double)(here->start_us - here->submit_us) / 1e6,
                  .slowdown_first = slowdown_of (first),
                  .slowdown_here = slowdown_of (here) };
  for (guint by = 0; by < LK_BY_COUNT; by++)
    if ((self->options->by & 1u << by) != 0)
      entry.groups[by] = group_of (self, (LkBy)by, first);
  self->last_submit_us = MAX (self->last_submit_us, first->submit_us);
  g_array_append_val (self->entries, entry);
}

static void
collector_init (Collector *self, const LkPairedOptions *options, const LkPairedSource *source)
{
  *self = (Collector){ .options = options,
                       .begin_us = source->begin_us,
                       .end_us = source->end_us,
                       .last_submit_us = source->begin_us,
                       .entries = g_array_new (FALSE, FALSE, sizeof (Entry)) };
  for (guint by = 0; by < LK_BY_COUNT; by++) {
    self->names[by].places = g_hash_table_new (g_str_hash, g_str_equal);
    self->names[by].names = g_ptr_array_new_with_free_func (g_free);
  }
}

static void
collector_clear (Collector *self)
{
  g_array_unref (self->entries);
  for (guint by = 0; by < LK_BY_COUNT; by++) {
    g_hash_table_unref (self->names[by].places);
    g_ptr_array_unref (self->names[by].names);
  }
}

/* ---------------------------------------------------------------- counting */

static LkPair
pair_of (const Entry *entry, LkPairedMeasure measure, guint32 block)
{
  gboolean is_wait = measure == LK_PAIRED_WAIT_MEAN || measure == LK_PAIRED_WAIT_P95;
  return (LkPair){ .block = block,
                   .first = is_wait ? entry->wait_first_s : entry->slowdown_first,
                   .here = is_wait ? entry->wait_here_s : entry->slowdown_here };
}

static LkPairedRow
row_of (const LkPaired *self, const Collector *collector, const GArray *members,
        LkPairedMeasure measure)
{
  LkPairedRow row;
  gboolean is_same = TRUE;
  gboolean is_mean = measure == LK_PAIRED_WAIT_MEAN || measure == LK_PAIRED_SLOWDOWN_MEAN;
  g_autofree LkPair *pairs = g_new (LkPair, members->len);
  for (guint i = 0; i < members->len; i++) {
    const Entry *entry =
        &g_array_index (collector->entries, Entry, g_array_index (members, guint, i));
    gint64 offset_us = entry->submit_us - collector->begin_us;
    pairs[i] = pair_of (entry, measure, (guint32)(offset_us / self->options.block_us));
    is_same = is_same && pairs[i].first <= pairs[i].here && pairs[i].first >= pairs[i].here;
  }
  lk_interval_bootstrap (&self->options.interval, is_mean ? LK_STATISTIC_MEAN : LK_STATISTIC_P95,
                         pairs, members->len, self->block_count, &row.interval);
  row.verdict = lk_interval_verdict (&row.interval, is_same);
  return row;
}

static gint
compare_groups (gconstpointer a, gconstpointer b)
{
  const LkPairedGroup *x = a;
  const LkPairedGroup *y = b;
  if (x->jobs != y->jobs)
    return x->jobs > y->jobs ? -1 : 1;
  return strcmp (x->name, y->name);
}

static void
group_clear (gpointer data)
{
  LkPairedGroup *group = data;
  g_free (group->name);
}

static void
table_clear (gpointer data)
{
  LkPairedTable *table = data;
  g_array_unref (table->groups);
}

/* The groups with the most jobs: their names and sizes. */
static LkPairedTable
table_of (const Collector *collector, LkBy by)
{
  const GPtrArray *names = collector->names[by].names;
  LkPairedTable table = { .by = by,
                          .groups = g_array_new (FALSE, TRUE, sizeof (LkPairedGroup)),
                          .group_count = names->len };
  g_array_set_clear_func (table.groups, group_clear);
  g_array_set_size (table.groups, names->len);
  for (guint i = 0; i < names->len; i++)
    g_array_index (table.groups, LkPairedGroup, i).name = g_strdup (g_ptr_array_index (names, i));
  for (guint i = 0; i < collector->entries->len; i++) {
    const Entry *entry = &g_array_index (collector->entries, Entry, i);
    g_array_index (table.groups, LkPairedGroup, entry->groups[by]).jobs++;
  }
  g_array_sort (table.groups, compare_groups);
  if (table.groups->len > collector->options->group_limit)
    g_array_set_size (table.groups, collector->options->group_limit);
  return table;
}

/* Each job goes to the list of its group: one pass over the jobs for all groups. */
static void
table_fill (const LkPaired *self, Collector *collector, LkPairedTable *table)
{
  guint count = table->groups->len;
  guint name_count = collector->names[table->by].names->len;
  g_autofree gint *told = g_new (gint, MAX (name_count, 1)); /* by place: its group, -1: not told */
  g_autoptr (GPtrArray) members = g_ptr_array_new_with_free_func ((GDestroyNotify)g_array_unref);
  for (guint i = 0; i < name_count; i++)
    told[i] = -1;
  for (guint i = 0; i < count; i++) {
    const LkPairedGroup *group = &g_array_index (table->groups, LkPairedGroup, i);
    told[place_of (&collector->names[table->by], group->name)] = (gint)i;
    g_ptr_array_add (members, g_array_new (FALSE, FALSE, sizeof (guint)));
  }
  for (guint i = 0; i < collector->entries->len; i++) {
    gint at = told[g_array_index (collector->entries, Entry, i).groups[table->by]];
    if (at >= 0)
      g_array_append_val ((GArray *)g_ptr_array_index (members, (guint)at), i);
  }
  for (guint i = 0; i < count; i++) {
    LkPairedGroup *group = &g_array_index (table->groups, LkPairedGroup, i);
    const GArray *of_group = g_ptr_array_index (members, i);
    group->wait = row_of (self, collector, of_group, LK_PAIRED_WAIT_MEAN);
    group->slowdown = row_of (self, collector, of_group, LK_PAIRED_SLOWDOWN_MEAN);
  }
}

static gboolean
choose_blocks (LkPaired *self, const Collector *collector, GError **error)
{
  gint64 span_us = collector->last_submit_us - collector->begin_us;
  if (self->options.block_us == 0)
    self->options.block_us = span_us >= WEEKS_FOR_WEEKS * WEEK_US ? WEEK_US : DAY_US;
  if (span_us / self->options.block_us >= BLOCK_COUNT_MAX) {
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE,
                 "--block makes more than %d blocks of time of this log; expected a longer one",
                 BLOCK_COUNT_MAX);
    return FALSE;
  }
  self->block_count = (guint)(span_us / self->options.block_us) + 1;
  return TRUE;
}

static void
fill (LkPaired *self, Collector *collector)
{
  g_autoptr (GArray) all = g_array_new (FALSE, FALSE, sizeof (guint));
  for (guint i = 0; i < collector->entries->len; i++)
    g_array_append_val (all, i);
  self->jobs = collector->entries->len;
  for (guint measure = 0; measure < LK_PAIRED_COUNT; measure++)
    self->rows[measure] = row_of (self, collector, all, (LkPairedMeasure)measure);
  for (guint by = 0; by < LK_BY_COUNT; by++) {
    if ((self->options.by & 1u << by) == 0)
      continue;
    LkPairedTable table = table_of (collector, (LkBy)by);
    table_fill (self, collector, &table);
    g_array_append_val (self->tables, table);
  }
}

LkPaired *
lk_paired_new_from (const LkPairedOptions *options, const LkPairedSource *source, GError **error)
{
  Collector collector;
  g_autoptr (LkPaired) self = g_new0 (LkPaired, 1);
  self->options = *options;
  self->tables = g_array_new (FALSE, FALSE, sizeof (LkPairedTable));
  g_array_set_clear_func (self->tables, table_clear);
  self->shaken = g_array_new (FALSE, FALSE, sizeof (LkShakenRow));
  collector_init (&collector, options, source);
  gboolean fine = source->feed (source->source, collect, &collector, error)
                  && choose_blocks (self, &collector, error);
  if (fine)
    fill (self, &collector);
  collector_clear (&collector);
  return fine ? g_steal_pointer (&self) : NULL;
}

typedef struct {
  LkResultsReader *first;
  LkResultsReader *here;
} Readers;

static gboolean
feed_of_readers (gpointer source, LkJoinFunc joined, gpointer user, GError **error)
{
  const Readers *readers = source;
  return lk_results_join (readers->first, readers->here, joined, user, error);
}

LkPaired *
lk_paired_new (const LkPairedOptions *options, LkResultsReader *first, LkResultsReader *here,
               GError **error)
{
  Readers readers = { first, here };
  const LkMetrics *metrics = &lk_results_reader_summary (first)->metrics;
  const LkPairedSource source = { .feed = feed_of_readers,
                                  .source = &readers,
                                  .begin_us = metrics->window_begin_us,
                                  .end_us = metrics->window_end_us };
  return lk_paired_new_from (options, &source, error);
}

void
lk_paired_free (LkPaired *self)
{
  if (self == NULL)
    return;
  g_array_unref (self->tables);
  g_array_unref (self->shaken);
  g_free (self);
}

/* ---------------------------------------------------------------- shaken input */

void
lk_paired_add_shaken (LkPaired *self, const LkShaken *first, const LkShaken *here)
{
  static const char *const columns[] = {
    "mean_wait_s", "median_wait_s", "p95_wait_s", "mean_bounded_slowdown", "p95_bounded_slowdown",
    "makespan_s",  "utilization",   "gini_users", "gini_accounts",         "gpu_fragmentation",
  };
  self->is_shaken_alone = (lk_shaken_count (first) == 0) != (lk_shaken_count (here) == 0);
  if (lk_shaken_count (first) == 0 || lk_shaken_count (here) == 0)
    return;
  self->is_shaken_apart = !lk_shaken_is_alike (first, here);
  for (guint i = 0; !self->is_shaken_apart && i < G_N_ELEMENTS (columns); i++) {
    g_autoptr (GArray) pairs = lk_shaken_pairs (first, here, columns[i]);
    const LkPair *pair = &g_array_index (pairs, LkPair, 0);
    LkShakenRow row = { .column = columns[i] };
    gboolean is_same = TRUE;
    gboolean is_told = TRUE;
    for (guint k = 0; k < pairs->len; k++) {
      is_same = is_same && pair[k].first <= pair[k].here && pair[k].first >= pair[k].here;
      is_told = is_told && isfinite (pair[k].first) && isfinite (pair[k].here);
    }
    lk_interval_student (self->options.interval.level_ratio, pair, pairs->len, &row.row.interval);
    row.row.verdict = lk_interval_verdict (&row.row.interval, is_same);
    if (is_told)
      g_array_append_val (self->shaken, row);
  }
}
