/* engine/engine_queue.c — a job enters and leaves the pending and the running set; the books kept
 * with it.
 *
 * Nothing here decides anything: callers have checked the phase and the capacity. */
#include "engine/assert.h"
#include "engine/checked.h"
#include "engine/engine_array.h"
#include "engine/engine_gang.h"
#include "engine/engine_het.h"
#include "engine/engine_life.h"

/* Keys of jobs that ask for a reservation lie below this. */
#define RESERVED_BELOW (G_MININT64 + (G_GINT64_CONSTANT (1) << 57))
#define RESERVED_EXACT (G_GINT64_CONSTANT (1) << 55)

/* Small keys, such as those of priorities, keep every bit; of large ones the last nine go. */
static gint64
reserved_key (gint64 key)
{
  gint64 middle = G_MININT64 + (G_GINT64_CONSTANT (1) << 56);
  if (key >= RESERVED_EXACT)
    return middle + RESERVED_EXACT + ((key - RESERVED_EXACT) >> 9);
  if (key < -RESERVED_EXACT)
    return middle - RESERVED_EXACT - ((-RESERVED_EXACT - key) >> 9);
  return middle + key;
}

/* Ranks put the lowest key first, policies the highest: complementing reverses the order without
 * overflow. */
gint64
lk_engine_rank_key (const LkEngine *self, LkJobIndex job, gint64 policy_key)
{
  return self->jobs.in_reservation[job] != 0 ? reserved_key (~policy_key) : ~policy_key;
}

/* When a limit of switches falls, the job may start although nothing else has happened. */
static void
add_deadline (LkEngine *self, LkJobIndex job)
{
  const LkRequest *request = lk_machine_request (self->machine, self->jobs.request[job]);
  if (request->demand.switches_max == 0)
    return;
  gint64 at_us = lk_time_add_us (self->jobs.submit_us[job], request->switches_wait_us);
  guint at = self->deadlines->len;
  if (at_us <= self->view.now_us)
    return;
  while (at > 0 && g_array_index (self->deadlines, gint64, at - 1) > at_us)
    at--;
  g_array_insert_val (self->deadlines, at, at_us);
}

/* Into the queue, with the keys that it has. */
static void
insert (LkEngine *self, LkJobIndex job)
{
  const LkEngineConfig *config = &self->config;
  self->jobs.phase[job] = LK_PHASE_QUEUED;
  self->view.pending_count++;
  lk_rank_insert (self->queue, job);
  if (self->backfill_queue != NULL)
    lk_rank_insert (self->backfill_queue, job);
  if (self->machine != NULL)
    add_deadline (self, job);
  if (config->backfill->job_queued != NULL)
    config->backfill->job_queued (self->instances[LK_INSTANCE_BACKFILL].self, &self->view, job);
  if (self->hets->len > 0)
    lk_engine_het_queued (self, job);
  self->changed = TRUE;
}

void
lk_engine_enqueue (LkEngine *self, LkJobIndex job)
{
  LkJobTable *jobs = &self->jobs;
  const LkEngineConfig *config = &self->config;
  self->view.job_index_limit = jobs->limit;
  lk_engine_accrue (self, job);
  if (self->preemption != NULL)
    lk_engine_set_level (self, job);
  jobs->rank_key[job] = lk_engine_rank_key (
      self, job, config->order->key (self->instances[LK_INSTANCE_ORDER].self, &self->view, job));
  if (self->backfill_queue != NULL) {
    void *order = self->instances[LK_INSTANCE_BACKFILL_ORDER].self;
    jobs->backfill_rank_key[job] =
        lk_engine_rank_key (self, job, config->backfill_order->key (order, &self->view, job));
  }
  lk_engine_requeue_blocked (self, job);
}

void
lk_engine_requeue_blocked (LkEngine *self, LkJobIndex job)
{
  if (lk_engine_is_blocked (self, job))
    lk_engine_park (self, job);
  else
    insert (self, job);
}

void
lk_engine_leave_queue (LkEngine *self, LkJobIndex job)
{
  LK_ASSERT (self->jobs.phase[job] == LK_PHASE_QUEUED);
  lk_rank_remove (self->queue, job);
  if (self->backfill_queue != NULL)
    lk_rank_remove (self->backfill_queue, job);
  self->jobs.wait_noted[job] = LK_WAIT_NONE;
  lk_engine_drop_reason (self, job);
  if (self->preemption != NULL)
    lk_engine_preempt_forget (self, job);
  self->view.pending_count--;
}

void
lk_engine_dequeue (LkEngine *self, LkJobIndex job)
{
  const LkBackfillPolicy *backfill = self->config.backfill;
  if (self->jobs.phase[job] == LK_PHASE_BLOCKED) {
    lk_engine_unpark (self, job);
    return;
  }
  if (backfill->job_dequeued != NULL)
    backfill->job_dequeued (self->instances[LK_INSTANCE_BACKFILL].self, &self->view, job);
  lk_engine_leave_queue (self, job);
  self->changed = TRUE;
}

static void
take_units (LkEngine *self, guint32 units)
{
  /* Where cores are shared, what is free cannot be told by a number: it stays an upper bound. */
  if (self->machine == NULL || !self->machine->has_sharing)
    self->view.units_free = lk_units_subtract (self->view.units_free, units);
}

void
lk_engine_start (LkEngine *self, LkJobIndex job, guint32 first_piece)
{
  LkJobTable *jobs = &self->jobs;
  gint64 now_us = self->view.now_us;
  lk_engine_unwatch_deadline (self, job);
  if (jobs->phase[job] == LK_PHASE_QUEUED)
    lk_engine_leave_queue (self, job);
  if (self->machine != NULL)
    jobs->units[job] = lk_placer_cpus (&self->placer, first_piece);
  take_units (self, jobs->units[job]);
  self->view.running_count++;
  jobs->phase[job] = LK_PHASE_RUNNING;
  jobs->start_us[job] = now_us;
  jobs->expected_end_us[job] = lk_time_add_us (now_us, jobs->estimate_us[job]);
  lk_rank_insert (self->running, job);
  if (self->machine != NULL)
    lk_engine_attach (self, job, first_piece);
  if (self->book != NULL)
    lk_engine_account_started (self, job);
  LkUserUsage *user = lk_engine_user (self, jobs->user_id[job]);
  user->running_procs += jobs->procs[job];
  user->running_start_proc_s += (double)jobs->procs[job] * ((double)now_us / 1e6);
  if (jobs->array_job_id[job] != 0)
    lk_engine_array_started (self, job);
  lk_engine_dependency_started (self, job);
  lk_engine_gang_started (self, job);
  lk_engine_arm (self, job);
  if (jobs->terms[job] != NULL)
    lk_engine_limit_to_deadline (self, job);
}

void
lk_engine_end (LkEngine *self, LkJobIndex job)
{
  LkJobTable *jobs = &self->jobs;
  const LkBackfillPolicy *backfill = self->config.backfill;
  if (jobs->phase[job] == LK_PHASE_SUSPENDED) {
    lk_engine_end_suspended (self, job);
    return;
  }
  LK_ASSERT (jobs->phase[job] == LK_PHASE_RUNNING);
  if (jobs->kill_why[job] == 0)
    lk_engine_disarm (self, job);
  lk_rank_remove (self->running, job);
  self->view.running_count--;
  if (self->machine == NULL || !self->machine->has_sharing)
    self->view.units_free += jobs->units[job];
  LK_ASSERT (self->view.units_free <= self->view.units_total);

  LkUserUsage *user = lk_engine_user (self, jobs->user_id[job]);
  double procs = (double)jobs->procs[job];
  gint64 since_us = lk_engine_runs_since_us (self, job);
  gint64 run_us = self->view.now_us - since_us;
  user->running_procs -= jobs->procs[job];
  user->running_start_proc_s -= procs * ((double)since_us / 1e6);
  if (user->running_procs == 0)
    user->running_start_proc_s = 0.0; /* what rounding left */
  user->ended_proc_s += procs * ((double)run_us / 1e6);

  if (self->book != NULL)
    lk_engine_account_ended (self, job);
  if (self->machine != NULL)
    lk_engine_detach (self, job);
  if (backfill->job_ended != NULL)
    backfill->job_ended (self->instances[LK_INSTANCE_BACKFILL].self, &self->view, job);
  if (self->book != NULL)
    lk_engine_release_parked (self, job);
  if (jobs->array_job_id[job] != 0)
    lk_engine_array_stopped (self, job);
  lk_engine_dependency_stopped (self, job);
  lk_engine_gang_note (self);
  self->changed = TRUE;
}

GArray *
lk_engine_queue_ids (const LkEngine *self)
{
  GArray *ids = g_array_new (FALSE, FALSE, sizeof (guint32));
  for (LkJobIndex job = lk_rank_first (self->queue); job != LK_JOB_NONE;
       job = lk_rank_next (self->queue, job, NULL))
    g_array_append_val (ids, self->jobs.id[job]);
  g_autoptr (GArray) jobs = lk_job_table_sorted (&self->jobs);
  for (guint i = 0; i < jobs->len; i++) {
    LkJobIndex job = g_array_index (jobs, LkJobIndex, i);
    if (self->jobs.phase[job] == LK_PHASE_HELD || self->jobs.phase[job] == LK_PHASE_BLOCKED)
      g_array_append_val (ids, self->jobs.id[job]);
  }
  return ids;
}
