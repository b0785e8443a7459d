/* live/client/job_filter.c — see the header. */
#include "live/client/job_filter.h"

#include <string.h>

#include "engine/hostlist.h"
#include "engine/policy.h"

GPtrArray *
lk_filtered_jobs (const LkClient *client, const LkClientFilter *filter, guint32 job_id,
                  GError **error)
{
  const LkClientQuery query = { .kind = LK_RECORD_JOB,
                                .job_id = job_id,
                                .by_user = filter->has_user,
                                .user_id = filter->user_id,
                                .with_payload = filter->wckeys != NULL };
  return lk_job_rows (client, &query, error);
}

/* ---------------------------------------------------------------- the filter */

/* Has a list with commas (NULL: everything) one of the words of another? */
static gboolean
is_listed (const char *list, const char *bytes, gsize length_bytes)
{
  if (list == NULL)
    return TRUE;
  g_autofree char *words = g_strndup (bytes != NULL ? bytes : "", length_bytes);
  g_auto (GStrv) wanted = g_strsplit (list, ",", -1);
  g_auto (GStrv) found = g_strsplit (words, ",", -1);
  for (guint i = 0; wanted[i] != NULL; i++)
    for (guint j = 0; found[j] != NULL; j++)
      if (g_ascii_strcasecmp (wanted[i], found[j]) == 0)
        return TRUE;
  return FALSE;
}

static const struct {
  guint8 state;
  const char *brief;
  const char *name;
} states[] = {
  { LK_JOB_PENDING, "PD", "PENDING" },
  { LK_JOB_RUNNING, "R", "RUNNING" },
  { LK_JOB_SUSPENDED, "S", "SUSPENDED" },
};

gboolean
lk_client_state_parse (const char *word, guint8 *out_state)
{
  for (guint i = 0; i < G_N_ELEMENTS (states); i++)
    if (g_ascii_strcasecmp (word, states[i].brief) == 0
        || g_ascii_strcasecmp (word, states[i].name) == 0) {
      *out_state = states[i].state;
      return TRUE;
    }
  return FALSE;
}

static gboolean
state_is_listed (const char *list, guint8 state)
{
  g_auto (GStrv) words = g_strsplit (list != NULL ? list : "", ",", -1);
  guint8 listed;
  for (guint i = 0; words[i] != NULL; i++)
    if (lk_client_state_parse (words[i], &listed) && listed == state)
      return TRUE;
  return list == NULL;
}

/* Do two hostlists have a name in common? */
static gboolean
nodes_meet (const char *list, LkLongText nodes)
{
  g_autoptr (GPtrArray) wanted = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) found = g_ptr_array_new_with_free_func (g_free);
  if (list == NULL)
    return TRUE;
  if (!lk_hostlist_expand (list, strlen (list), wanted, NULL)
      || !lk_hostlist_expand (nodes.bytes, nodes.length_bytes, found, NULL))
    return FALSE;
  g_autoptr (GHashTable) names = g_hash_table_new (g_str_hash, g_str_equal);
  for (guint i = 0; i < found->len; i++)
    g_hash_table_add (names, g_ptr_array_index (found, i));
  for (guint i = 0; i < wanted->len; i++)
    if (g_hash_table_contains (names, g_ptr_array_index (wanted, i)))
      return TRUE;
  return FALSE;
}

#define IN(list, field) is_listed (lists->list, job->field.bytes, job->field.length_bytes)

gboolean
lk_job_row_passes (const LkJobRow *row, const LkClientFilter *filter)
{
  const LkCommandFilter *lists = &filter->lists;
  const LkRecord_job *job = &row->job;
  return (!filter->has_user || job->user_id == filter->user_id) && IN (names, name)
         && IN (partitions, partitions) && IN (accounts, account_name) && IN (qos, qos_name)
         && IN (reservations, reservations) && state_is_listed (lists->states, job->state)
         && is_listed (filter->wckeys, row->batch->wckey.bytes, row->batch->wckey.length_bytes)
         && (lists->nodes == NULL || nodes_meet (lists->nodes, job->node_names));
}

char *
lk_job_row_name (const LkJobRow *row)
{
  const LkRecord_job *job = &row->job;
  if (job->array_job_id != 0 && job->array_task != G_MAXUINT32)
    return g_strdup_printf ("%u_%u", job->array_job_id, job->array_task);
  if (job->het_leader != 0)
    return g_strdup_printf ("%u+%u", job->het_leader, job->het_offset);
  return g_strdup_printf ("%u", job->job_id);
}
