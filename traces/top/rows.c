/* traces/top/rows.c — which jobs, nodes and lines are shown, in which order, and what cells say.
 *
 * A filter is words with blanks between, which must all fit: user=, account=, qos=, partition=,
 * state= and reason= (or as much of these names as is clear) look at one thing; a bare word may be
 * anywhere in the row. */
#include <string.h>

#include "traces/top/model_private.h"

enum {
  JOB_ID = 1,
  JOB_PARTITION,
  JOB_NAME,
  JOB_USER,
  JOB_STATE,
  JOB_TIME,
  JOB_LIMIT,
  JOB_NODES,
  JOB_CPUS,
  JOB_PRIORITY,
  JOB_ACCOUNT,
  JOB_QOS,
  JOB_WHERE,
};
static const LkTopColumn job_columns[] = {
  { .heading = "" },
  [JOB_ID] = { "JOBID", 8, 14, 0, TRUE },
  [JOB_PARTITION] = { "PARTITION", 9, 12, 0, FALSE },
  [JOB_NAME] = { "NAME", 9, 20, 0, FALSE },
  [JOB_USER] = { "USER", 8, 12, 0, FALSE },
  [JOB_STATE] = { "ST", 2, 2, 0, FALSE },
  [JOB_TIME] = { "TIME", 10, 11, 0, TRUE },
  [JOB_LIMIT] = { "LIMIT", 10, 11, 130, TRUE },
  [JOB_NODES] = { "NODES", 5, 5, 70, TRUE },
  [JOB_CPUS] = { "CPUS", 4, 6, 0, TRUE },
  [JOB_PRIORITY] = { "PRIORITY", 10, 10, 145, TRUE },
  [JOB_ACCOUNT] = { "ACCOUNT", 10, 12, 160, FALSE },
  [JOB_QOS] = { "QOS", 8, 8, 175, FALSE },
  [JOB_WHERE] = { "NODELIST(REASON)", 0, 0, 0, FALSE },
};

enum {
  NODE_NAME = 1,
  NODE_STATE,
  NODE_CPU,
  NODE_MEMORY,
  NODE_GPU,
  NODE_JOBS,
  NODE_REST,
};
static const LkTopColumn node_columns[] = {
  { .heading = "" },
  [NODE_NAME] = { "NODE", 12, 20, 0, FALSE },
  [NODE_STATE] = { "STATE", 9, 10, 0, FALSE },
  [NODE_CPU] = { "CPU", 13, 26, 0, FALSE },
  [NODE_MEMORY] = { "MEMORY", 12, 26, 0, FALSE },
  [NODE_GPU] = { "GPU", 8, 16, 0, FALSE },
  [NODE_JOBS] = { "JOBS", 4, 6, 0, TRUE },
  [NODE_REST] = { "PARTITION(REASON)", 0, 0, 0, FALSE },
};

const LkTopColumn *
lk_top_columns (LkTopPane pane, guint *out_count)
{
  *out_count = pane == LK_TOP_PANE_QUEUE   ? G_N_ELEMENTS (job_columns)
               : pane == LK_TOP_PANE_NODES ? G_N_ELEMENTS (node_columns)
                                           : 0;
  return pane == LK_TOP_PANE_QUEUE ? job_columns : pane == LK_TOP_PANE_NODES ? node_columns : NULL;
}

/* ---------------------------------------------------------------- cells */

static void
where_cell (const LkTopJob *job, GString *out)
{
  if (job->is_pending)
    g_string_append_printf (out, "(%s)", job->reason);
  else
    g_string_append (out, job->where);
}

void
lk_top_job_cell (const LkTopFacts *facts, const LkTopJob *job, guint column, GString *out)
{
  const char *const texts[] = {
    [JOB_ID] = job->label,  [JOB_PARTITION] = job->partition, [JOB_NAME] = job->name,
    [JOB_USER] = job->user, [JOB_STATE] = job->state_short,   [JOB_ACCOUNT] = job->account,
    [JOB_QOS] = job->qos
  };
  (void)facts;
  switch (column) {
  case JOB_TIME:
    lk_top_duration (job->used_us, out);
    break;
  case JOB_LIMIT:
    lk_top_duration (job->limit_us, out);
    break;
  case JOB_NODES:
    g_string_append_printf (out, "%u", job->node_count);
    break;
  case JOB_CPUS:
    g_string_append_printf (out, "%u", job->cpu_count);
    break;
  case JOB_PRIORITY:
    if (job->has_priority)
      g_string_append_printf (out, "%u", job->priority);
    else
      g_string_append_c (out, '-');
    break;
  case JOB_WHERE:
    where_cell (job, out);
    break;
  default:
    g_string_append (out, texts[column]);
  }
}

void
lk_top_node_cell (const LkTopNode *node, guint column, GString *out)
{
  switch (column) {
  case NODE_NAME:
    g_string_append (out, node->name);
    break;
  case NODE_STATE:
    g_string_append (out, node->state);
    break;
  case NODE_CPU:
    g_string_append_printf (out, "%u/%u", node->cpus_used_count, node->cpu_count);
    break;
  case NODE_MEMORY:
    g_string_append_printf (out, "%.0f%%",
                            node->memory_bytes > 0 ? 100.0 * (double)node->memory_used_bytes
                                                         / (double)node->memory_bytes
                                                   : 0.0);
    break;
  case NODE_GPU:
    if (node->gpu_count > 0)
      g_string_append_printf (out, "%u/%u", node->gpus_used_count, node->gpu_count);
    else
      g_string_append_c (out, '-');
    break;
  case NODE_JOBS:
    g_string_append_printf (out, "%u", node->job_count);
    break;
  default:
    g_string_append (out, node->partitions);
    if (node->reason[0] != '\0')
      g_string_append_printf (out, " (%s)", node->reason);
  }
}

/* ---------------------------------------------------------------- filters */

/* The things of a row that a filter can name. */
typedef struct {
  const char *key;
  const char *values[2]; /* one of them must have it; NULL: none */
} Named;
#define NAMED_COUNT 6u

/* Both in the case of neither. */
static gboolean
has_text (const char *text, const char *wanted)
{
  g_autofree char *valid = g_utf8_make_valid (text, -1);
  g_autofree char *folded = g_utf8_casefold (valid, -1);
  return strstr (folded, wanted) != NULL;
}

static gboolean
is_value (const char *text, const char *wanted)
{
  g_autofree char *valid = g_utf8_make_valid (text, -1);
  g_autofree char *folded = g_utf8_casefold (valid, -1);
  return strcmp (folded, wanted) == 0;
}

/* Is `word` one of a list with commas between? */
static gboolean
is_listed (const char *list, const char *wanted)
{
  g_auto (GStrv) words = g_strsplit (list, ",", -1);
  for (guint i = 0; words[i] != NULL; i++)
    if (is_value (words[i], wanted))
      return TRUE;
  return FALSE;
}

static gboolean
named_fits (const Named *named, const char *wanted)
{
  for (guint i = 0; i < G_N_ELEMENTS (named->values); i++)
    if (named->values[i] != NULL && is_listed (named->values[i], wanted))
      return TRUE;
  return FALSE;
}

/* One word of a filter against a row. */
static gboolean
word_fits (const char *word, const Named *named, const char *all)
{
  const char *equals = strchr (word, '=');
  for (guint i = 0; equals != NULL && equals > word && i < NAMED_COUNT; i++)
    if (named[i].key != NULL && strncmp (named[i].key, word, (gsize)(equals - word)) == 0)
      return named_fits (&named[i], equals + 1);
  return has_text (all, word);
}

static gboolean
row_fits (char **words, const Named *named, const char *all)
{
  for (guint i = 0; words[i] != NULL; i++)
    if (words[i][0] != '\0' && !word_fits (words[i], named, all))
      return FALSE;
  return TRUE;
}

static gboolean
job_fits (const LkTopFacts *facts, const LkTopJob *job, char **words)
{
  const Named named[NAMED_COUNT] = { { "user", { job->user } },
                                     { "account", { job->account } },
                                     { "qos", { job->qos } },
                                     { "partition", { job->partition } },
                                     { "state", { job->state, job->state_short } },
                                     { "reason", { job->reason } } };
  g_autoptr (GString) all = g_string_new (NULL);
  for (guint column = 1; column < G_N_ELEMENTS (job_columns); column++) {
    lk_top_job_cell (facts, job, column, all);
    g_string_append_c (all, '\n');
  }
  g_string_append (all, job->state);
  return row_fits (words, named, all->str);
}

static gboolean
node_fits (const LkTopNode *node, char **words)
{
  const Named named[NAMED_COUNT] = { { "partition", { node->partitions } },
                                     { "state", { node->state } },
                                     { "reason", { node->reason } },
                                     { "node", { node->name } } };
  g_autoptr (GString) all = g_string_new (NULL);
  g_string_append_printf (all, "%s\n%s\n%s\n%s", node->name, node->state, node->partitions,
                          node->reason);
  return row_fits (words, named, all->str);
}

static gboolean
fits (const LkTopModel *self, LkTopPane pane, guint index, char **words)
{
  static const Named none[NAMED_COUNT];
  const LkTopFacts *facts = self->facts;
  if (words[0] == NULL)
    return TRUE;
  if (pane == LK_TOP_PANE_QUEUE)
    return job_fits (facts, &g_array_index (facts->jobs, LkTopJob, index), words);
  if (pane == LK_TOP_PANE_NODES)
    return node_fits (&g_array_index (facts->nodes, LkTopNode, index), words);
  return row_fits (words, none, g_ptr_array_index (facts->log, index));
}

/* ---------------------------------------------------------------- order */

typedef struct {
  const LkTopFacts *facts;
  LkTopPane pane;
  guint column;
  gboolean is_falling;
} Order;

static double
ratio_of (double part, double whole)
{
  return whole > 0 ? part / whole : -1.0;
}

/* FALSE: the column is sorted as text. */
static gboolean
job_number (const LkTopJob *job, guint column, double *out_number)
{
  switch (column) {
  case JOB_ID:
    *out_number = job->id;
    return TRUE;
  case JOB_TIME:
    *out_number = (double)job->used_us;
    return TRUE;
  case JOB_LIMIT:
    *out_number = (double)job->limit_us;
    return TRUE;
  case JOB_NODES:
    *out_number = job->node_count;
    return TRUE;
  case JOB_CPUS:
    *out_number = job->cpu_count;
    return TRUE;
  case JOB_PRIORITY:
    *out_number = job->has_priority ? job->priority : -1.0;
    return TRUE;
  default:
    return FALSE;
  }
}

static gboolean
node_number (const LkTopNode *node, guint column, double *out_number)
{
  switch (column) {
  case NODE_CPU:
    *out_number = ratio_of (node->cpus_used_count, node->cpu_count);
    return TRUE;
  case NODE_MEMORY:
    *out_number = ratio_of ((double)node->memory_used_bytes, (double)node->memory_bytes);
    return TRUE;
  case NODE_GPU:
    *out_number = ratio_of (node->gpus_used_count, node->gpu_count);
    return TRUE;
  case NODE_JOBS:
    *out_number = node->job_count;
    return TRUE;
  default:
    return FALSE;
  }
}

static gboolean
number_of (const Order *order, guint index, double *out_number)
{
  return order->pane == LK_TOP_PANE_QUEUE
             ? job_number (&g_array_index (order->facts->jobs, LkTopJob, index), order->column,
                           out_number)
             : node_number (&g_array_index (order->facts->nodes, LkTopNode, index), order->column,
                            out_number);
}

static void
text_of (const Order *order, guint index, GString *out)
{
  if (order->pane == LK_TOP_PANE_QUEUE)
    lk_top_job_cell (order->facts, &g_array_index (order->facts->jobs, LkTopJob, index),
                     order->column, out);
  else
    lk_top_node_cell (&g_array_index (order->facts->nodes, LkTopNode, index), order->column, out);
}

static gint
compare_texts (const Order *order, guint a, guint b)
{
  g_autoptr (GString) text_a = g_string_new (NULL);
  g_autoptr (GString) text_b = g_string_new (NULL);
  text_of (order, a, text_a);
  text_of (order, b, text_b);
  return strcmp (text_a->str, text_b->str);
}

static gint
compare_rows (gconstpointer a, gconstpointer b, gpointer user)
{
  const Order *order = user;
  guint index_a = *(const guint *)a;
  guint index_b = *(const guint *)b;
  double number_a;
  double number_b;
  gint result;
  if (number_of (order, index_a, &number_a) && number_of (order, index_b, &number_b))
    result = (number_a > number_b) - (number_a < number_b);
  else
    result = compare_texts (order, index_a, index_b);
  if (result != 0)
    return order->is_falling ? -result : result;
  return (index_a > index_b) - (index_a < index_b);
}

static guint
count_of (const LkTopModel *self, LkTopPane pane)
{
  switch (pane) {
  case LK_TOP_PANE_QUEUE:
    return self->facts->jobs->len;
  case LK_TOP_PANE_NODES:
    return self->facts->nodes->len;
  case LK_TOP_PANE_LOG:
    return self->facts->log->len;
  default:
    return 0;
  }
}

/* The selected job may be in another row now; where it is gone the row stays. */
static void
follow_job (LkTopModel *self)
{
  LkTopList *list = &self->lists[LK_TOP_PANE_QUEUE];
  for (guint i = 0; self->job_id != 0 && i < list->rows->len; i++) {
    guint index = g_array_index (list->rows, guint, i);
    if (g_array_index (self->facts->jobs, LkTopJob, index).id == self->job_id) {
      list->row = i;
      return;
    }
  }
}

void
lk_top_rows_update (LkTopModel *self, LkTopPane pane)
{
  LkTopList *list = &self->lists[pane];
  gboolean was_at_end = list->row + 1 >= list->rows->len;
  g_array_set_size (list->rows, 0);
  if (self->facts == NULL)
    return;
  g_autofree char *valid = g_utf8_make_valid (list->filter, -1);
  g_autofree char *folded = g_utf8_casefold (valid, -1);
  g_auto (GStrv) words = g_strsplit (g_strstrip (folded), " ", -1);
  guint count = count_of (self, pane);
  for (guint i = 0; i < count; i++)
    if (fits (self, pane, i, words))
      g_array_append_val (list->rows, i);
  Order order = { self->facts, pane, list->sort, list->is_falling };
  if (list->sort > 0)
    g_array_sort_with_data (list->rows, compare_rows, &order);
  if (pane == LK_TOP_PANE_QUEUE)
    follow_job (self);
  /* Who reads the end of the log goes on reading it. */
  if (pane == LK_TOP_PANE_LOG && was_at_end)
    list->row = list->rows->len;
  list->row = list->rows->len > 0 ? MIN (list->row, list->rows->len - 1) : 0;
}

const LkTopJob *
lk_top_selected_job (const LkTopModel *self)
{
  const LkTopList *list = &self->lists[LK_TOP_PANE_QUEUE];
  if (self->facts == NULL || list->row >= list->rows->len)
    return NULL;
  guint index = g_array_index (list->rows, guint, list->row);
  return &g_array_index (self->facts->jobs, LkTopJob, index);
}
