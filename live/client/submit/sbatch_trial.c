/* live/client/submit/sbatch_trial.c — `sbatch --test-only`: when the job would start, if it were
 * submitted now and nothing else came.  Texts as recorded with Slurm 26.05. */
#include <string.h>

#include "engine/engine.h"
#include "engine/hostlist.h"
#include "live/client/refusal.h"
#include "live/client/submit/sbatch.h"
#include "live/client/words.h"

typedef struct {
  const LkClient *client;
  guint seen_count; /* components that were told */
  gboolean is_refused;
  guint32 job_id; /* of the first */
  gint64 start_us;
  guint64 cpus;
  GString *node_names; /* of all, with commas between */
  char *partition;     /* of the first */
} Told;

static void
refuse (Told *self, const LkRecord_trial *told)
{
  FILE *err = self->client->err;
  if (self->is_refused)
    return;
  self->is_refused = TRUE;
  if (told->error != 0)
    fprintf (err, "allocation failure: %s\n", lk_refusal_text (told->error));
  else
    fprintf (err, "allocation failure: %s (%s)\n",
             told->is_known ? "it would not start by itself"
                            : "its start was not found in the time that is spent on it",
             lk_reason_name (told->reason));
}

static void
trial_take (gpointer user, const LkRecord *record)
{
  Told *self = user;
  const LkRecord_trial *told = &record->trial;
  if (told->error != 0 || told->start_us == LK_TIME_NEVER) {
    refuse (self, told);
    return;
  }
  if (self->seen_count++ == 0) {
    self->job_id = told->job_id;
    self->start_us = told->start_us;
    self->partition = g_strndup (told->partition.bytes, told->partition.length_bytes);
  }
  self->cpus += told->cpus;
  if (self->node_names->len > 0 && told->node_names.length_bytes > 0)
    g_string_append_c (self->node_names, ',');
  if (told->node_names.length_bytes > 0)
    g_string_append_len (self->node_names, told->node_names.bytes, told->node_names.length_bytes);
}

static gint
name_compare (gconstpointer a, gconstpointer b)
{
  g_autofree char *key_a = g_utf8_collate_key_for_filename (*(const char *const *)a, -1);
  g_autofree char *key_b = g_utf8_collate_key_for_filename (*(const char *const *)b, -1);
  return strcmp (key_a, key_b);
}

/* Several components may be on one node: it is named once. Returns: (transfer full). */
static char *
nodes_union (const GString *list)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  GString *out = g_string_new (NULL);
  lk_hostlist_expand (list->str, list->len, names, NULL);
  g_ptr_array_sort (names, name_compare);
  for (guint i = names->len; i > 1; i--)
    if (strcmp (g_ptr_array_index (names, i - 1), g_ptr_array_index (names, i - 2)) == 0)
      g_ptr_array_remove_index (names, i - 1);
  lk_hostlist_compress ((const char *const *)names->pdata, names->len, out);
  return g_string_free (out, FALSE);
}

/* The words of one job and of several components are Slurm's, the odd one behind the time, too. */
static void
start_tell (const Told *self)
{
  g_autoptr (GString) start = g_string_new (NULL);
  g_autofree char *nodes = nodes_union (self->node_names);
  lk_word_time (self->client, self->start_us, "Unknown", start);
  if (self->seen_count == 1)
    fprintf (self->client->err,
             "%s: Job %u to start at %s a using %" G_GUINT64_FORMAT
             " processors on nodes %s in partition %s\n",
             self->client->command, self->job_id, start->str, self->cpus, nodes, self->partition);
  else
    fprintf (self->client->err,
             "%s: Job %u to start at %s using %" G_GUINT64_FORMAT " processors on %s\n",
             self->client->command, self->job_id, start->str, self->cpus, nodes);
}

int
lk_sbatch_trial (const LkClient *client, const GArray *events)
{
  Told told = { .client = client, .node_names = g_string_new (NULL) };
  LkClientQuery query = { .kind = LK_RECORD_TRIAL, .trial = events };
  g_autoptr (GError) error = NULL;
  gboolean is_answered = lk_client_query (client, &query, trial_take, &told, &error);
  if (!is_answered)
    fprintf (client->err, "allocation failure: %s\n", error->message);
  else if (!told.is_refused && told.seen_count > 0)
    start_tell (&told);
  else if (!told.is_refused)
    fprintf (client->err, "allocation failure: the controller has said nothing of it\n");
  g_string_free (told.node_names, TRUE);
  g_free (told.partition);
  return is_answered && !told.is_refused && told.seen_count > 0 ? 0 : LK_SBATCH_FAILURE;
}
