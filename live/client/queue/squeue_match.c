/* live/client/queue/squeue_match.c — see the header. */
#include "live/client/queue/squeue_match.h"

#include <string.h>

#include "engine/hostlist.h"
#include "engine/task_set.h"

gboolean
lk_squeue_parse_job (const char *text, guint32 *out_id, char **out_behind)
{
  guint64 value = g_ascii_strtoull (text, out_behind, 10);
  *out_id = (guint32)value;
  return *out_behind != text && value > 0 && value < G_MAXUINT32
         && (**out_behind == '\0' || **out_behind == '_' || **out_behind == '+');
}

gboolean
lk_squeue_tasks (const LkRecord_job *job, LkTaskSet *out_tasks)
{
  LkLongText list = job->array_tasks;
  gsize length = 0;
  *out_tasks = (LkTaskSet){ 0 };
  while (length < list.length_bytes && list.bytes[length] != '%')
    length++;
  LkText text = { list.bytes, (guint16)MIN (length, G_MAXUINT16) };
  return length <= G_MAXUINT16 && lk_task_set_parse (text, LK_LIMIT_TASKS, out_tasks);
}

static gboolean
waits_together (const LkRecord_job *job)
{
  return job->array_job_id != 0 && job->array_task == G_MAXUINT32;
}

/* Of tasks that wait together: is one of them meant? Of those of which only so much can be told,
 * each may be. */
static gboolean
has_common (const LkRecord_job *job, const LkTaskSet *meant)
{
  LkTaskSet waiting;
  gboolean has = !lk_squeue_tasks (job, &waiting) || lk_task_set_count_common (&waiting, meant) > 0;
  lk_task_set_clear (&waiting);
  return has;
}

static gboolean
is_job (const char *word, const LkRecord_job *job)
{
  char *behind;
  guint32 id;
  LkTaskSet tasks = { 0 };
  if (!lk_squeue_parse_job (word, &id, &behind))
    return FALSE;
  if (*behind == '\0')
    return job->job_id == id || job->array_job_id == id || job->het_leader == id;
  if (*behind == '+')
    return job->het_leader == id && job->het_offset == g_ascii_strtoull (behind + 1, NULL, 10);
  if (job->array_job_id != id || !lk_task_set_parse (lk_text (behind + 1), LK_LIMIT_TASKS, &tasks))
    return FALSE;
  gboolean is_in =
      waits_together (job) ? has_common (job, &tasks) : lk_task_set_has (&tasks, job->array_task);
  lk_task_set_clear (&tasks);
  return is_in;
}

GPtrArray *
lk_squeue_split_jobs (const char *list)
{
  GPtrArray *words = g_ptr_array_new_with_free_func (g_free);
  const char *begin = list;
  gboolean is_inside = FALSE;
  for (const char *at = list;; at++) {
    is_inside = *at == '[' || (is_inside && *at != ']');
    if (*at != '\0' && (*at != ',' || is_inside))
      continue;
    if (at > begin)
      g_ptr_array_add (words, g_strndup (begin, (gsize)(at - begin)));
    begin = at + 1;
    if (*at == '\0')
      return words;
  }
}

gboolean
lk_squeue_wants_job (const GPtrArray *jobs, const LkRecord_job *job)
{
  for (guint i = 0; jobs != NULL && i < jobs->len; i++)
    if (is_job (g_ptr_array_index (jobs, i), job))
      return TRUE;
  return jobs == NULL;
}

/* Adds those of the tasks that a word names. FALSE: it means the whole array. */
static gboolean
add_named (const char *word, const LkRecord_job *job, LkTaskSet *waiting, LkTaskSet *named)
{
  LkTaskSet meant = { 0 };
  if (!is_job (word, job))
    return TRUE;
  const char *behind = strchr (word, '_');
  if (behind == NULL || !lk_task_set_parse (lk_text (behind + 1), LK_LIMIT_TASKS, &meant))
    return FALSE;
  guint32 task = lk_task_set_first (&meant);
  for (; task != LK_TASK_NONE; task = lk_task_set_next (&meant, task))
    if (lk_task_set_has (waiting, task) && !lk_task_set_has (named, task))
      lk_task_set_add (named, task);
  lk_task_set_clear (&meant);
  return TRUE;
}

/* A row of its own for some of the tasks. */
static LkJobRow *
row_of_tasks (const LkJobRow *row, LkTaskSet *tasks)
{
  g_autoptr (GString) text = g_string_new (NULL);
  LkJobRow one = *row;
  if (tasks->count == 1)
    one.job.array_task = lk_task_set_first (tasks);
  else
    lk_task_set_text (tasks, text);
  one.job.array_tasks = (LkLongText){ text->str, (guint32)text->len };
  return lk_job_row_copy (&one);
}

LkJobRow *
lk_squeue_narrow (const GPtrArray *jobs, const LkJobRow *row)
{
  LkTaskSet waiting = { 0 };
  LkTaskSet named = { 0 };
  LkJobRow *narrow = NULL;
  gboolean is_part =
      jobs != NULL && waits_together (&row->job) && lk_squeue_tasks (&row->job, &waiting);
  for (guint i = 0; is_part && i < jobs->len; i++)
    is_part = add_named (g_ptr_array_index (jobs, i), &row->job, &waiting, &named);
  if (is_part && named.count > 0 && named.count < waiting.count)
    narrow = row_of_tasks (row, &named);
  lk_task_set_clear (&waiting);
  lk_task_set_clear (&named);
  return narrow;
}

gboolean
lk_squeue_wants_node (GHashTable *nodes, const LkRecord_job *job)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  if (nodes == NULL)
    return TRUE;
  lk_hostlist_expand (job->node_names.bytes, job->node_names.length_bytes, names, NULL);
  for (guint i = 0; i < names->len; i++)
    if (g_hash_table_contains (nodes, g_ptr_array_index (names, i)))
      return TRUE;
  return FALSE;
}

static void
node_take (gpointer user, const LkRecord *record)
{
  const LkText name = record->node.name;
  g_hash_table_add (user, g_strndup (name.bytes, name.length_bytes));
}

/* NULL: nobody tells; told. */
static GHashTable *
known_nodes (const LkClient *client)
{
  const LkClientQuery query = { .kind = LK_RECORD_NODE };
  g_autoptr (GHashTable) names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GError) error = NULL;
  if (lk_client_query (client, &query, node_take, names, &error))
    return g_steal_pointer (&names);
  lk_client_error (client, "%s", error->message);
  return NULL;
}

GHashTable *
lk_squeue_node_set (const LkClient *client, const char *list, int *out_code)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GHashTable) set = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GHashTable) known = known_nodes (client);
  const char *fault;
  *out_code = 1;
  if (known == NULL)
    return NULL;
  if (!lk_hostlist_expand (list, strlen (list), names, &fault)) {
    lk_client_error (client, "Invalid node name specified: %s", list);
    return NULL;
  }
  for (guint i = 0; i < names->len; i++) {
    const char *name = g_ptr_array_index (names, i);
    const char *meant = strcmp (name, "localhost") == 0 ? g_get_host_name () : name;
    if (!g_hash_table_contains (known, meant)) {
      lk_client_error (client, "Invalid node name %s", name);
      return NULL;
    }
    g_hash_table_add (set, g_strdup (meant));
  }
  *out_code = -1;
  return g_steal_pointer (&set);
}
