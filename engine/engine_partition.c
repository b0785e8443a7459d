/* engine/engine_partition.c — a partition opens or closes while the machine runs.
 *
 * DOWN takes jobs and starts none, DRAIN takes none and starts those it has, INACTIVE does neither;
 * what runs goes on.  Source: scontrol(1) update PartitionName State. */
#include <string.h>

#include "engine/assert.h"
#include "engine/engine_life.h"
#include "engine/in_partition.h"

void
lk_engine_init_partitions (LkEngine *self)
{
  self->partition_states = g_new0 (guint8, self->view.partition_count);
  for (guint32 i = 0; self->machine != NULL && i < self->machine->partition_count; i++)
    self->partition_states[i] = (guint8)self->machine->partitions[i].spec->state;
}

LkPartitionState
lk_engine_partition_state (const LkEngine *self, guint32 partition)
{
  return (LkPartitionState)self->partition_states[partition];
}

LkReason
lk_engine_partition_keeps (const LkEngine *self, LkJobIndex job)
{
  if (lk_engine_has_open_partition (self, job))
    return LK_REASON_NONE;
  switch (self->partition_states[self->jobs.partition[job]]) {
  case LK_PARTITION_DOWN:
    return LK_REASON_PARTITION_DOWN;
  case LK_PARTITION_INACTIVE:
    return LK_REASON_PARTITION_INACTIVE;
  default:
    return LK_REASON_NONE;
  }
}

/* What is shown of the job follows with the next look. */
static void
settle (LkEngine *self, LkJobIndex job)
{
  LkJobInfo before;
  LkJobInfo after;
  lk_engine_job (self, self->jobs.id[job], &before);
  lk_engine_choose_home (self, job);
  lk_engine_settle (self, job);
  lk_engine_job (self, self->jobs.id[job], &after);
  if (before.reason != after.reason)
    lk_engine_leave_reason (self, job, before.reason_shown);
}

/* By rising id. */
static void
settle_jobs (LkEngine *self, guint32 partition)
{
  g_autoptr (GArray) jobs = lk_job_table_sorted (&self->jobs);
  for (guint i = 0; i < jobs->len; i++) {
    LkJobIndex job = g_array_index (jobs, LkJobIndex, i);
    if (lk_engine_has_started (self, job) || !lk_engine_names_partition (self, job, partition))
      continue;
    settle (self, job);
    /* It has waited for another of its partitions, and may run in this one now. */
    self->changed |= self->jobs.phase[job] == LK_PHASE_QUEUED
                     && lk_engine_partition_count (self, job) > 1
                     && self->config.backfill->tries_partitions;
  }
}

LkReject
lk_engine_partition_event (LkEngine *self, const LkEvent_partition *event)
{
  guint32 count = self->machine != NULL ? self->machine->partition_count : 0;
  guint32 partition = 0;
  for (; partition < count; partition++) {
    const char *name = self->machine->partitions[partition].spec->name;
    if (strlen (name) == event->name.length_bytes
        && memcmp (name, event->name.bytes, event->name.length_bytes) == 0)
      break;
  }
  if (partition == count)
    return LK_REJECT_PARTITION_UNKNOWN;
  if (event->state > LK_PARTITION_INACTIVE)
    return LK_REJECT_REQUEST_INVALID;
  lk_engine_accept (self, LK_JOB_NONE);
  self->partition_states[partition] = event->state;
  settle_jobs (self, partition);
  return 0;
}

void
lk_engine_save_partitions (const LkEngine *self, GByteArray *out)
{
  g_byte_array_append (out, self->partition_states, self->view.partition_count);
}

gboolean
lk_engine_load_partitions (LkEngine *self, LkBytesReader *reader)
{
  const guint8 *states = lk_take (reader, self->view.partition_count);
  if (states == NULL)
    return FALSE;
  memcpy (self->partition_states, states, self->view.partition_count);
  for (guint32 i = 0; i < self->view.partition_count; i++)
    if (states[i] > LK_PARTITION_INACTIVE)
      return FALSE;
  return TRUE;
}
