/* sim/slurm_state/collected.c — see collected.h. */
#include "sim/slurm_state/collected.h"

#include <string.h>

#include "sim/slurm_state/shares.h"
#include "sim/slurm_state/told.h"

static const char *const none[] = { NULL };
static const char *const no_reservations[] = { "No reservations in the system", NULL };
static const char *const of_cores[] = { "NodeName", "CoreIDs", NULL };
static const LkStateKind node_kind = { "NodeName", "OS", none, none };
static const LkStateKind partition_kind = { "PartitionName", NULL, none, none };
static const LkStateKind reservation_kind = { "ReservationName", "Comment", no_reservations,
                                              of_cores };

/* Returns: (transfer full); empty where there is no such file, NULL on failure. */
static GPtrArray *
records_read (const LkStateFolder *folder, LkStateFile file, const LkStateKind *kind,
              GError **error)
{
  if (folder->bytes[file] == NULL)
    return g_ptr_array_new ();
  return lk_state_records_read (kind, folder->paths[file], folder->bytes[file], error);
}

static gint
job_compare (gconstpointer a, gconstpointer b)
{
  const LkStateJob *one = a;
  const LkStateJob *two = b;
  return one->id < two->id ? -1 : one->id > two->id;
}

static gboolean
jobs_read (LkStateCollected *self, GError **error)
{
  for (guint i = 0; i < self->job_records->len; i++) {
    LkStateJob job;
    if (!lk_state_job_read (&job, g_ptr_array_index (self->job_records, i), &self->folder,
                            self->texts, error))
      return FALSE;
    if (job.phase == LK_STATE_JOB_OVER)
      self->over_count++;
    else
      g_array_append_val (self->jobs, job);
  }
  g_array_sort (self->jobs, job_compare);
  for (guint i = 1; i < self->jobs->len; i++) {
    const LkStateJob *job = &g_array_index (self->jobs, LkStateJob, i);
    if (job->id == g_array_index (self->jobs, LkStateJob, i - 1).id)
      return lk_state_record_fail (job->record, "JobId", "a job that stands there once", error);
  }
  return TRUE;
}

static gboolean
read_all (LkStateCollected *self, GError **error)
{
  const LkStateFolder *folder = &self->folder;
  self->nodes = records_read (folder, LK_STATE_FILE_NODES, &node_kind, error);
  if (self->nodes == NULL)
    return FALSE;
  self->partitions = records_read (folder, LK_STATE_FILE_PARTITIONS, &partition_kind, error);
  if (self->partitions == NULL)
    return FALSE;
  self->reservations = records_read (folder, LK_STATE_FILE_RESERVATIONS, &reservation_kind, error);
  if (self->reservations == NULL)
    return FALSE;
  self->job_records = records_read (folder, LK_STATE_FILE_JOBS, &lk_state_job_kind, error);
  if (self->job_records == NULL)
    return FALSE;
  return lk_state_conf_read (&self->conf, folder, self->nodes, self->partitions, error)
         && lk_state_shares_read (folder, self->conf.accounts, error) && jobs_read (self, error)
         && lk_state_past_read (&self->past, folder, self->nodes, self->jobs, self->texts, error);
}

gboolean
lk_state_collected_open (LkStateCollected *self, const char *path, GTimeZone *zone, GError **error)
{
  *self = (LkStateCollected){ .texts = g_string_chunk_new (4096),
                              .jobs = g_array_new (FALSE, FALSE, sizeof (LkStateJob)) };
  if (lk_state_folder_open (&self->folder, path, zone, error) && read_all (self, error))
    return TRUE;
  lk_state_collected_close (self);
  return FALSE;
}

void
lk_state_collected_close (LkStateCollected *self)
{
  lk_state_past_clear (&self->past);
  g_clear_pointer (&self->nodes, g_ptr_array_unref);
  g_clear_pointer (&self->partitions, g_ptr_array_unref);
  g_clear_pointer (&self->reservations, g_ptr_array_unref);
  g_clear_pointer (&self->job_records, g_ptr_array_unref);
  g_clear_pointer (&self->jobs, g_array_unref);
  g_clear_pointer (&self->texts, g_string_chunk_free);
  lk_state_conf_clear (&self->conf);
  lk_state_folder_close (&self->folder);
}
