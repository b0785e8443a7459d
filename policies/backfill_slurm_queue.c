/* policies/backfill_slurm_queue.c — in which order the main loop and the backfill cycle look at
 * jobs.
 *
 * Source: Slurm's sort_job_queue2: jobs that ask for an advance reservation first, then by the
 * partition's PriorityTier, then priority, submit time, id.
 * The last three are the queue's own order; tiers matter only where they differ. */
#include "policies/backfill_slurm.h"

static gboolean
has_tiers (const LkView *view)
{
  for (uint32_t i = 1; i < view->partition_count; i++)
    if (view->partitions[i].priority_tier != view->partitions[0].priority_tier)
      return TRUE;
  return FALSE;
}

static uint32_t
tier_of (const LkView *view, LkJobIndex job)
{
  return view->partition_count > 1 ? view->partitions[view->jobs->partition[job]].priority_tier : 0;
}

/* The one order of records. What comes before the priority of the queue is compared here. */
static gint
compare_records (gconstpointer a, gconstpointer b, gpointer user)
{
  const LkSlurmCall *call = user;
  LkJobIndex job_a = ((const LkSlurmRecord *)a)->job;
  LkJobIndex job_b = ((const LkSlurmRecord *)b)->job;
  uint8_t inside_a = call->view->jobs->in_reservation[job_a];
  uint8_t inside_b = call->view->jobs->in_reservation[job_b];
  if (inside_a != inside_b)
    return inside_a > inside_b ? -1 : 1;
  uint32_t tier_a = tier_of (call->view, job_a);
  uint32_t tier_b = tier_of (call->view, job_b);
  if (tier_a != tier_b)
    return tier_a > tier_b ? -1 : 1;
  if (job_a == job_b)
    return 0;
  return call->ops->queue_before (call->pass, LK_QUEUE_PRIORITY, job_a, job_b) ? -1 : 1;
}

static void
collect (LkSlurmQueue *self)
{
  const LkSlurmCall *call = self->call;
  const LkJobColumns *jobs = call->view->jobs;
  self->records = g_array_new (FALSE, FALSE, sizeof (LkSlurmRecord));
  for (LkJobIndex job = call->ops->queue_first (call->pass, LK_QUEUE_PRIORITY); job != LK_JOB_NONE;
       job = call->ops->queue_next (call->pass, LK_QUEUE_PRIORITY, job, NULL)) {
    LkSlurmRecord record = { job, FALSE };
    g_array_append_val (self->records, record);
  }
  for (LkJobIndex job = 0;
       call->self->settings.assoc_limit_stop && job < call->view->job_index_limit; job++) {
    LkSlurmRecord record = { job, TRUE };
    if (jobs->phase[job] == LK_PHASE_BLOCKED)
      g_array_append_val (self->records, record);
  }
  g_array_sort_with_data (self->records, compare_records, (gpointer)call);
}

void
lk_slurm_queue_init (LkSlurmQueue *self, const LkSlurmCall *call)
{
  *self = (LkSlurmQueue){ .call = call, .last = LK_JOB_NONE };
  if (call->self->settings.assoc_limit_stop || has_tiers (call->view))
    collect (self);
}

void
lk_slurm_queue_clear (LkSlurmQueue *self)
{
  if (self->records != NULL)
    g_array_unref (self->records);
}

gboolean
lk_slurm_queue_next (LkSlurmQueue *self, LkSlurmRecord *out_record)
{
  const LkSlurmCall *call = self->call;
  if (self->records == NULL) {
    self->last = call->ops->queue_next (call->pass, LK_QUEUE_PRIORITY, self->last, NULL);
    *out_record = (LkSlurmRecord){ self->last, FALSE };
    return self->last != LK_JOB_NONE;
  }
  /* An array of which a task has started: its next one. */
  if (self->last != LK_JOB_NONE && call->view->jobs->phase[self->last] == LK_PHASE_QUEUED
      && call->view->host->job_tasks (call->view, self->last) < self->task_count) {
    self->task_count--;
    *out_record = (LkSlurmRecord){ self->last, FALSE };
    return TRUE;
  }
  self->last = LK_JOB_NONE;
  while (self->at < self->records->len) {
    *out_record = g_array_index (self->records, LkSlurmRecord, self->at++);
    if (out_record->is_limited)
      return TRUE;
    if (call->view->jobs->phase[out_record->job] != LK_PHASE_QUEUED)
      continue;
    self->last = out_record->job;
    self->task_count = call->view->host->job_tasks (call->view, self->last);
    return TRUE;
  }
  return FALSE;
}

/* ---------------------------------------------------------------- who may keep others back */

/* MinPrioThreshold among limits. FALSE: it is not set. */
static gboolean
threshold_in (const LkAccountsView *accounts, LkLimitRun run, uint64_t *out_threshold)
{
  for (uint32_t i = run.first; i < run.first + run.count; i++)
    if (accounts->limits[i].kind == LK_LIMIT_MIN_PRIO_THRESHOLD) {
      *out_threshold = accounts->limits[i].value;
      return TRUE;
    }
  return FALSE;
}

/* Of the job's QOS, then of its association, then of all jobs. */
static uint64_t
threshold_of (const LkSlurmCall *call, LkJobIndex job)
{
  const LkAccountsView *accounts = call->view->accounts;
  const LkJobColumns *jobs = call->view->jobs;
  uint64_t threshold = (uint64_t)call->self->settings.bf_min_prio_reserve;
  if (accounts == NULL)
    return threshold;
  if (jobs->qos[job] != LK_INDEX_NONE
      && threshold_in (accounts, accounts->qos[jobs->qos[job]].limits, &threshold))
    return threshold;
  if (jobs->association[job] != LK_INDEX_NONE)
    threshold_in (accounts, accounts->associations[jobs->association[job]].job_limits, &threshold);
  return threshold;
}

gboolean
lk_slurm_may_reserve (const LkSlurmCall *call, LkJobIndex job)
{
  const LkView *view = call->view;
  int64_t age_us = view->now_us - view->jobs->submit_us[job];
  if (age_us < call->self->settings.bf_min_age_reserve_us)
    return FALSE;
  uint64_t threshold = threshold_of (call, job);
  return threshold == 0 || call->ops->priority (call->pass, job) >= threshold;
}
