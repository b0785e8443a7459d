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
  gboolean is_in = job->array_task == G_MAXUINT32 || lk_task_set_has (&tasks, job->array_task);
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
