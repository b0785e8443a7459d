/* live/client/sbatch_trial.c — `sbatch --test-only`: when the job would start, if it were submitted
 * now and nothing else came.  Texts as recorded with Slurm 26.05. */
#include <string.h>

#include "engine/engine.h"
#include "live/client/refusal.h"
#include "live/client/sbatch.h"
#include "live/client/words.h"

typedef struct {
  const LkClient *client;
  int code;
} Told;

static void
trial_take (gpointer user, const LkRecord *record)
{
  Told *self = user;
  const LkRecord_trial *told = &record->trial;
  FILE *err = self->client->err;
  self->code = LK_SBATCH_FAILURE;
  if (told->error != 0) {
    fprintf (err, "allocation failure: %s\n", lk_refusal_text (told->error));
    return;
  }
  if (told->start_us == LK_TIME_NEVER) {
    fprintf (err, "allocation failure: %s (%s)\n",
             told->is_known ? "it would not start by itself"
                            : "its start was not found in the time that is spent on it",
             lk_reason_name (told->reason));
    return;
  }
  g_autoptr (GString) start = g_string_new (NULL);
  lk_word_time (self->client, told->start_us, "Unknown", start);
  /* The word behind the time is Slurm's. */
  fprintf (err,
           "sbatch: Job %u to start at %s a using %u processors on nodes %.*s in partition %.*s\n",
           told->job_id, start->str, told->cpus, (int)told->node_names.length_bytes,
           told->node_names.length_bytes > 0 ? told->node_names.bytes : "",
           (int)told->partition.length_bytes, told->partition.bytes);
  self->code = 0;
}

int
lk_sbatch_trial (const LkClient *client, const GArray *events)
{
  Told told = { client, LK_SBATCH_FAILURE };
  LkClientQuery query = { .kind = LK_RECORD_TRIAL, .trial = &g_array_index (events, LkEvent, 0) };
  g_autoptr (GError) error = NULL;
  if (events->len > 1) {
    lk_client_error (client, "--test-only of a heterogeneous job is not implemented");
    return LK_SBATCH_FAILURE;
  }
  if (!lk_client_query (client, &query, trial_take, &told, &error))
    fprintf (client->err, "allocation failure: %s\n", error->message);
  return told.code;
}
