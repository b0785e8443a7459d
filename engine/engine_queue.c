/* engine/engine_queue.c — a job enters and leaves the pending and the running set; the books kept
 * with it.
 *
 * Nothing here decides anything: callers have checked the phase and the capacity. */
#include "engine/assert.h"
#include "engine/checked.h"
#include "engine/engine_private.h"

/* Ranks put the lowest key first, policies the highest: complementing reverses the order without
 * overflow. */
static inline gint64
rank_key (gint64 policy_key)
{
  return ~policy_key;
}

void
lk_engine_enqueue (LkEngine *self, LkJobIndex job)
{
  LkJobTable *jobs = &self->jobs;
  const LkEngineConfig *config = &self->config;
  jobs->phase[job] = LK_PHASE_QUEUED;
  self->view.pending_count++;
  self->view.job_index_limit = jobs->limit;
  jobs->rank_key[job] =
      rank_key (config->order->key (self->instances[LK_INSTANCE_ORDER].self, &self->view, job));
  lk_rank_insert (self->queue, job);
  if (self->backfill_queue != NULL) {
    void *order = self->instances[LK_INSTANCE_BACKFILL_ORDER].self;
    jobs->backfill_rank_key[job] = rank_key (config->backfill_order->key (order, &self->view, job));
    lk_rank_insert (self->backfill_queue, job);
  }
  if (config->backfill->job_queued != NULL)
    config->backfill->job_queued (self->instances[LK_INSTANCE_BACKFILL].self, &self->view, job);
  self->changed = TRUE;
}

static void
take_from_queue (LkEngine *self, LkJobIndex job)
{
  LK_ASSERT (self->jobs.phase[job] == LK_PHASE_QUEUED);
  lk_rank_remove (self->queue, job);
  if (self->backfill_queue != NULL)
    lk_rank_remove (self->backfill_queue, job);
  self->view.pending_count--;
}

void
lk_engine_dequeue (LkEngine *self, LkJobIndex job)
{
  const LkBackfillPolicy *backfill = self->config.backfill;
  if (backfill->job_dequeued != NULL)
    backfill->job_dequeued (self->instances[LK_INSTANCE_BACKFILL].self, &self->view, job);
  take_from_queue (self, job);
  self->changed = TRUE;
}

void
lk_engine_start (LkEngine *self, LkJobIndex job)
{
  LkJobTable *jobs = &self->jobs;
  gint64 now_us = self->view.now_us;
  take_from_queue (self, job);
  self->view.units_free = lk_units_subtract (self->view.units_free, jobs->units[job]);
  self->view.running_count++;
  jobs->phase[job] = LK_PHASE_RUNNING;
  jobs->start_us[job] = now_us;
  jobs->expected_end_us[job] = lk_time_add_us (now_us, jobs->estimate_us[job]);
  lk_rank_insert (self->running, job);
  LkUserUsage *user = lk_engine_user (self, jobs->user_id[job]);
  user->running_procs += jobs->procs[job];
  user->running_start_proc_s += (double)jobs->procs[job] * ((double)now_us / 1e6);
}

void
lk_engine_end (LkEngine *self, LkJobIndex job)
{
  LkJobTable *jobs = &self->jobs;
  const LkBackfillPolicy *backfill = self->config.backfill;
  LK_ASSERT (jobs->phase[job] == LK_PHASE_RUNNING);
  lk_rank_remove (self->running, job);
  self->view.running_count--;
  self->view.units_free += jobs->units[job];
  LK_ASSERT (self->view.units_free <= self->view.units_total);

  LkUserUsage *user = lk_engine_user (self, jobs->user_id[job]);
  double procs = (double)jobs->procs[job];
  gint64 run_us = self->view.now_us - jobs->start_us[job];
  user->running_procs -= jobs->procs[job];
  user->running_start_proc_s -= procs * ((double)jobs->start_us[job] / 1e6);
  if (user->running_procs == 0)
    user->running_start_proc_s = 0.0; /* what rounding left */
  user->ended_proc_s += procs * ((double)run_us / 1e6);

  if (backfill->job_ended != NULL)
    backfill->job_ended (self->instances[LK_INSTANCE_BACKFILL].self, &self->view, job);
  self->changed = TRUE;
}
