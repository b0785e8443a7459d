/* policies/backfill_slurm_main.c — Slurm's main scheduling loop.
 *
 * Jobs are tried in order; one that lacks room closes its partition, and takes all nodes of the
 * partition from those that partitions with jobs behind it may still use.  A job that a limit or
 * licences keep is passed freely; with bf_licenses the loop ends at one that lacks licences.  A
 * partial loop ends behind default_queue_depth jobs.  Source: job_scheduler.c, _schedule;
 * docs/policy-backfill-slurm.md. */
#include "policies/backfill_slurm.h"

#include <string.h>

typedef struct {
  const LkSlurmCall *call;
  guint64 *avail;        /* nodes that may still be used */
  gboolean is_cut;       /* some were taken from them */
  gboolean *is_failed;   /* by partition */
  uint32_t *tried_count; /* by partition */
  uint32_t started_count;
  gboolean is_stopped;
  LkJobIndex started_job; /* the last one */
  gboolean is_silent;     /* a job was tried, and nothing noted */
  uint32_t het_place;     /* of the next heterogeneous job */
} MainLoop;

static uint32_t
bits_count (const guint64 *a, const guint64 *b, uint32_t words)
{
  uint32_t count = 0;
  for (uint32_t word = 0; word < words; word++)
    for (guint64 rest = a[word] & b[word]; rest != 0; rest &= rest - 1)
      count++;
  return count;
}

static uint32_t
partition_of (const LkView *view, LkJobIndex job)
{
  return view->partition_count > 1 ? view->jobs->partition[job] : 0;
}

static void
take_nodes (MainLoop *self, const guint64 *nodes)
{
  for (uint32_t word = 0; word < self->call->words; word++)
    self->avail[word] &= ~nodes[word];
  self->is_cut = TRUE;
}

/* A job lacks room: who has to wait for it? */
static void
block (MainLoop *self, LkJobIndex job)
{
  const LkSlurmCall *call = self->call;
  uint32_t partition = partition_of (call->view, job);
  const guint64 *required = call->ops->nodes_required (call->pass, job);
  LkDemand demand;
  /* A job that lacks room in its reservation is in nobody's way. */
  if (call->view->jobs->in_reservation[job])
    return;
  if (required != NULL && call->view->host->job_demand (call->view, job, &demand)
      && bits_count (required, required, call->words) >= demand.nodes_min) {
    take_nodes (self, required);
    return;
  }
  if (!lk_slurm_may_reserve (call, job))
    return;
  self->is_failed[partition] = TRUE;
  if (call->words > 0)
    take_nodes (self, call->ops->nodes_of_partition (call->pass, partition));
}

/* Are fewer nodes of the partition left than the job needs at least? */
static gboolean
lacks_nodes (const MainLoop *self, LkJobIndex job)
{
  const LkSlurmCall *call = self->call;
  LkDemand demand;
  if (!call->view->host->job_demand (call->view, job, &demand))
    return FALSE;
  const guint64 *nodes = call->ops->nodes_of_partition (call->pass, partition_of (call->view, job));
  return bits_count (self->avail, nodes, call->words) < demand.nodes_min;
}

/* What is told of a job with several partitions is why it waits in the first that is looked at. */
static void
note_reason (const MainLoop *self, const LkSlurmRecord *record, uint32_t reason)
{
  if (!record->is_later)
    self->call->ops->note_reason (self->call->pass, record->job, reason);
}

static void
try_job (MainLoop *self, const LkSlurmRecord *record)
{
  const LkSlurmCall *call = self->call;
  LkJobIndex job = record->job;
  if (call->words > 0 && self->is_cut && lacks_nodes (self, job)) {
    note_reason (self, record, LK_WAIT_NODES);
    block (self, job);
    return;
  }
  switch (call->ops->try_start (call->pass, job, self->is_cut ? self->avail : NULL)) {
  case LK_TRY_STARTED:
    self->started_count++;
    self->started_job = job;
    break;
  case LK_TRY_BUSY:
    /* Of an array of which a task has just started nothing is noted, as recordings show. */
    if (job == self->started_job)
      self->is_silent = TRUE;
    else
      note_reason (self, record,
                   call->words > 0 && lacks_nodes (self, job) ? LK_WAIT_NODES : LK_WAIT_RESOURCES);
    block (self, job);
    break;
  case LK_TRY_LIMIT:
    if (call->self->settings.assoc_limit_stop)
      block (self, job);
    break;
  case LK_TRY_LICENSES:
    /* What is behind it is for the cycle, which plans licences. */
    self->is_stopped = call->self->settings.bf_licenses;
    break;
  default: /* nodes that are not there: the engine tells that reason, and that of licences */
    break;
  }
}

/* Heterogeneous jobs that stand before the job hold up their partitions; they are for the cycle.
 * FALSE: the job waits no more for its partition. */
static gboolean
block_hets (MainLoop *self, const LkSlurmRecord *record)
{
  const LkSlurmCall *call = self->call;
  const LkJobIndex *jobs;
  uint32_t count;
  if (self->het_place >= call->ops->het_count (call->pass))
    return TRUE;
  while ((count = lk_slurm_het_components (call, &self->het_place, record->job, &jobs)) > 0)
    for (uint32_t i = 0; i < count; i++)
      block (self, jobs[i]);
  return record->is_limited || lk_slurm_queue_visit (call, record);
}

/* FALSE: the loop is over. */
static gboolean
look_at (MainLoop *self, const LkSlurmRecord *record, gboolean is_full, uint32_t *tested_count)
{
  const LkSlurmCall *call = self->call;
  const LkSlurmSettings *settings = &call->self->settings;
  uint32_t partition = partition_of (call->view, record->job);
  if (!block_hets (self, record))
    return TRUE;
  if (settings->sched_max_job_start > 0 && self->started_count >= settings->sched_max_job_start)
    return FALSE;
  if (settings->partition_job_depth > 0
      && self->tried_count[partition]++ >= settings->partition_job_depth) {
    note_reason (self, record, LK_WAIT_PRIORITY);
    return TRUE;
  }
  /* One more than the depth, as Slurm does. */
  if (!is_full && (*tested_count)++ > settings->default_queue_depth)
    return FALSE;
  if (self->is_failed[partition])
    note_reason (self, record, LK_WAIT_PRIORITY);
  else if (record->is_limited)
    block (self, record->job);
  else
    try_job (self, record);
  return !self->is_stopped;
}

uint32_t
lk_slurm_main_loop (const LkSlurmCall *call, gboolean is_full, gboolean *out_says_all)
{
  gboolean is_whole = TRUE;
  uint32_t tested_count = 0;
  MainLoop self = { .call = call, .started_job = LK_JOB_NONE };
  LkSlurmQueue queue;
  LkSlurmRecord record;
  if (call->words > 0)
    self.avail = g_memdup2 (call->ops->nodes_usable (call->pass), call->words * sizeof *self.avail);
  self.is_failed = g_new0 (gboolean, call->view->partition_count);
  self.tried_count = g_new0 (uint32_t, call->view->partition_count);
  lk_slurm_queue_init (&queue, call);
  while (is_whole && lk_slurm_queue_next (&queue, &record))
    is_whole = look_at (&self, &record, is_full, &tested_count);
  *out_says_all = (is_full || is_whole) && !self.is_silent;
  lk_slurm_queue_clear (&queue);
  g_free (self.avail);
  g_free (self.is_failed);
  g_free (self.tried_count);
  return self.started_count;
}
