/* live/client/jobs.c — see the header. */
#include "live/client/jobs.h"

#include <string.h>

#include "engine/hostlist.h"
#include "engine/policy.h"

static void
job_free (gpointer data)
{
  LkClientJob *self = data;
  g_free (self->name);
  g_free (self->partitions);
  g_free (self->account);
  g_free (self->qos);
  g_free (self->reservations);
  g_free (self->nodes);
  g_free (self);
}

static char *
text_of (LkText text)
{
  return g_strndup (text.length_bytes > 0 ? text.bytes : "", text.length_bytes);
}

static char *
long_text_of (LkLongText text)
{
  return g_strndup (text.length_bytes > 0 ? text.bytes : "", text.length_bytes);
}

static void
job_take (gpointer user, const LkRecord *record)
{
  const LkRecord_job *job = &record->job;
  LkClientJob *kept = g_new (LkClientJob, 1);
  *kept = (LkClientJob){ .id = job->job_id,
                         .user_id = job->user_id,
                         .array_job_id = job->array_job_id,
                         .array_task = job->array_task,
                         .het_leader = job->het_leader,
                         .het_offset = job->het_offset,
                         .limit_us = job->limit_us,
                         .state = job->state,
                         .name = text_of (job->name),
                         .partitions = long_text_of (job->partitions),
                         .account = text_of (job->account_name),
                         .qos = text_of (job->qos_name),
                         .reservations = text_of (job->reservations),
                         .nodes = long_text_of (job->node_names) };
  g_ptr_array_add (user, kept);
}

static gint
job_compare (gconstpointer a, gconstpointer b)
{
  const LkClientJob *left = *(const LkClientJob *const *)a;
  const LkClientJob *right = *(const LkClientJob *const *)b;
  return left->id < right->id ? -1 : left->id > right->id;
}

GPtrArray *
lk_client_jobs (const LkClient *self, const LkClientFilter *filter, guint32 job_id, GError **error)
{
  g_autoptr (GPtrArray) jobs = g_ptr_array_new_with_free_func (job_free);
  LkClientQuery query = {
    .kind = LK_RECORD_JOB, .job_id = job_id, .by_user = filter->has_user, .user_id = filter->user_id
  };
  if (!lk_client_query (self, &query, job_take, jobs, error))
    return NULL;
  g_ptr_array_sort (jobs, job_compare);
  return g_steal_pointer (&jobs);
}

/* ---------------------------------------------------------------- the filter */

/* Has a list with commas (NULL: everything) one of the words of another? */
static gboolean
is_listed (const char *list, const char *words)
{
  if (list == NULL)
    return TRUE;
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
nodes_meet (const char *list, const char *nodes)
{
  g_autoptr (GPtrArray) wanted = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) found = g_ptr_array_new_with_free_func (g_free);
  if (list == NULL)
    return TRUE;
  if (!lk_hostlist_expand (list, strlen (list), wanted, NULL)
      || !lk_hostlist_expand (nodes, strlen (nodes), found, NULL))
    return FALSE;
  g_autoptr (GHashTable) names = g_hash_table_new (g_str_hash, g_str_equal);
  for (guint i = 0; i < found->len; i++)
    g_hash_table_add (names, g_ptr_array_index (found, i));
  for (guint i = 0; i < wanted->len; i++)
    if (g_hash_table_contains (names, g_ptr_array_index (wanted, i)))
      return TRUE;
  return FALSE;
}

gboolean
lk_client_job_passes (const LkClientJob *job, const LkClientFilter *filter)
{
  const LkCommandFilter *lists = &filter->lists;
  return (!filter->has_user || job->user_id == filter->user_id)
         && is_listed (lists->names, job->name) && is_listed (lists->partitions, job->partitions)
         && is_listed (lists->accounts, job->account) && is_listed (lists->qos, job->qos)
         && is_listed (lists->reservations, job->reservations)
         && state_is_listed (lists->states, job->state)
         && (lists->nodes == NULL || nodes_meet (lists->nodes, job->nodes));
}

char *
lk_client_job_name (const LkClientJob *job)
{
  if (job->array_job_id != 0 && job->array_task != G_MAXUINT32)
    return g_strdup_printf ("%u_%u", job->array_job_id, job->array_task);
  if (job->het_leader != 0)
    return g_strdup_printf ("%u+%u", job->het_leader, job->het_offset);
  return g_strdup_printf ("%u", job->id);
}
