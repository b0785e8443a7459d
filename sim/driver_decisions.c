/* sim/driver_decisions.c — what decisions do to the virtual cluster. */
#include <string.h>

#include "engine/billing.h"
#include "sim/driver_private.h"

static LkSimSlot *
slot_of (LkSimDriver *self, LkJobIndex job)
{
  if (job >= self->slot_count) {
    guint32 count = MAX (job + 1, MAX (256, 2 * self->slot_count));
    self->slots = g_renew (LkSimSlot, self->slots, count);
    memset (self->slots + self->slot_count, 0, (count - self->slot_count) * sizeof (LkSimSlot));
    self->slot_count = count;
  }
  return &self->slots[job];
}

static void
ends_at (LkSimDriver *self, LkSimSlot *slot, LkJobIndex job, gint64 end_us)
{
  slot->end_us = end_us;
  slot->end_rank = self->options->tie_rule == LK_TIE_INSTANT ? slot->id : self->start_count;
  lk_event_heap_push (&self->ends, (LkHeapEvent){ end_us, slot->end_rank, job });
}

static gint64
run_end_us (gint64 start_us, gint64 run_us)
{
  gint64 end_us;
  return __builtin_add_overflow (start_us, run_us, &end_us) ? G_MAXINT64 : end_us;
}

/* When a job that starts now ends, unless it is told to before. One that reaches its time limit
 * ends when the limit is looked at. */
static gint64
planned_end_us (const LkSimDriver *self, const LkSimSlot *slot)
{
  const LkSimLatency *latency = &self->options->latency;
  const LkSimJob *job = &slot->job;
  if (latency->check_us > 0 && job->run_us >= job->estimate_us)
    return lk_sim_latency_check_us (latency, lk_engine_view (self->engine)->origin_us,
                                    run_end_us (self->now_us, job->estimate_us));
  return run_end_us (run_end_us (self->now_us, job->run_us),
                     lk_sim_latency_us (latency, self->start_count));
}

/* A job is told to end: at once, or, for its time limit, when that is looked at, if it has not
 * ended by itself by then. */
static void
on_kill (LkSimDriver *self, const LkDecision *decision)
{
  const LkSimLatency *latency = &self->options->latency;
  LkSimSlot *slot = slot_of (self, decision->job);
  gint64 end_us = self->now_us;
  if (decision->kill.why == LK_KILL_TIME_LIMIT)
    end_us =
        lk_sim_latency_check_us (latency, lk_engine_view (self->engine)->origin_us, self->now_us);
  end_us = run_end_us (end_us, latency->kill_wait_us);
  ends_at (self, slot, decision->job, MIN (end_us, slot->end_us));
}

static char *
long_text (LkLongText text)
{
  return g_strndup (text.bytes, text.length_bytes);
}

static void
on_placed (LkSimDriver *self, LkSimSlot *slot, const LkDecision_start *start)
{
  const LkNodeTable *nodes = lk_engine_nodes (self->engine);
  if (nodes == NULL)
    return;
  slot->nodes = long_text (start->nodes);
  slot->cores = long_text (start->cores);
  slot->gres = long_text (start->gres);
  guint32 first_piece = lk_engine_job_pieces (self->engine, start->job_id);
  slot->holding = lk_holding_of (nodes, first_piece);
  slot->billing = lk_billing_of (lk_engine_machine (self->engine),
                                 lk_engine_job_request (self->engine, start->job_id), first_piece);
  if (self->series != NULL)
    lk_cluster_series_started (self->series, &slot->holding);
}

static void
slot_leave_nodes (LkSimDriver *self, LkSimSlot *slot)
{
  if (slot->nodes != NULL && self->series != NULL)
    lk_cluster_series_ended (self->series, &slot->holding);
  g_clear_pointer (&slot->nodes, g_free);
  g_clear_pointer (&slot->cores, g_free);
  g_clear_pointer (&slot->gres, g_free);
}

/* It had ended: the slot is that of another job, if of any. */
static void
on_return (LkSimDriver *self, LkSimSlot *slot, guint32 job_id)
{
  LkJobInfo info;
  *slot = (LkSimSlot){ 0 };
  if (self->client->returned != NULL)
    self->client->returned (self->client->user, job_id, &slot->job);
  if (lk_engine_job (self->engine, job_id, &info))
    slot->restarts = info.restarts;
}

static void
on_requeue (LkSimDriver *self, const LkDecision *decision)
{
  LkSimSlot *slot = slot_of (self, decision->job);
  if (!slot->started) {
    on_return (self, slot, decision->requeue_job.job_id);
    return;
  }
  slot->id = 0; /* its end does not come */
  slot->requeued = TRUE;
  slot->started = FALSE;
  self->requeued_count++;
}

static void
on_accept (LkSimDriver *self, const LkDecision *decision)
{
  LkDemand demand;
  if (self->submitting == NULL || decision->job == LK_JOB_NONE)
    return;
  LkSimSlot *slot = slot_of (self, decision->job);
  *slot = (LkSimSlot){ .job = *self->submitting };
  if (self->series != NULL
      && lk_host ()->job_demand (lk_engine_view (self->engine), decision->job, &demand))
    lk_cluster_series_submitted (self->series, &demand);
}

/* Counted are submits only: a request of ours that comes too late is no job. */
static void
on_reject (LkSimDriver *self, const LkDecision *decision)
{
  self->refused = (LkReject)decision->reject.error;
  if (self->submitting == NULL)
    return;
  self->rejected_count++;
  if (decision->reject.error < LK_REJECT_LIMIT)
    self->rejected[decision->reject.error]++;
}

/* Accounts may change while the job runs. */
static void
note_account (const LkSimDriver *self, LkSimSlot *slot, LkJobIndex job)
{
  const LkAccounts *accounts = lk_engine_accounts (self->engine);
  const LkJobColumns *jobs = lk_engine_view (self->engine)->jobs;
  slot->account = slot->qos = "";
  if (accounts == NULL)
    return;
  if (jobs->association[job] != LK_INDEX_NONE) {
    const LkAssociationSpec *spec =
        g_ptr_array_index (accounts->associations, jobs->association[job]);
    slot->account = g_intern_string (spec->account);
  }
  if (jobs->qos[job] != LK_INDEX_NONE) {
    const LkQosSpec *spec = g_ptr_array_index (accounts->qos, jobs->qos[job]);
    slot->qos = g_intern_string (spec->name);
  }
}

static void
on_start (LkSimDriver *self, const LkDecision *decision)
{
  LkSimSlot *slot = slot_of (self, decision->job);
  on_placed (self, slot, &decision->start);
  slot->id = decision->start.job_id;
  if (slot->job.estimate_us == 0)
    slot->job.estimate_us = lk_engine_view (self->engine)->jobs->estimate_us[decision->job];
  slot->start_us = self->now_us;
  slot->started = TRUE;
  slot->is_signalled = FALSE;
  slot->is_killed = FALSE;
  self->start_count++;
  self->moved_us = self->now_us;
  slot->backfilled = decision->start.backfilled != 0;
  note_account (self, slot, decision->job);
  ends_at (self, slot, decision->job, planned_end_us (self, slot));
}

/* Its end is as far away when it goes on as it was when it was stopped. */
static void
on_suspend (LkSimDriver *self, const LkDecision *decision)
{
  LkSimSlot *slot = slot_of (self, decision->job);
  slot->left_us = slot->end_us - self->now_us;
  slot->end_us = LK_TIME_NEVER;
}

static void
on_resume (LkSimDriver *self, const LkDecision *decision)
{
  LkSimSlot *slot = slot_of (self, decision->job);
  ends_at (self, slot, decision->job, run_end_us (self->now_us, slot->left_us));
}

/* A run has ended. */
static void
tell_end (LkSimDriver *self, LkSimSlot *slot, LkJobState state)
{
  LkSimResult result = { .job = slot->job,
                         .start_us = slot->start_us,
                         .end_us = self->now_us,
                         .state = state,
                         .backfilled = slot->backfilled,
                         .requeued = slot->requeued,
                         .restarts = slot->restarts,
                         .nodes = slot->nodes,
                         .cores = slot->cores,
                         .gres = slot->gres,
                         .holding = slot->holding,
                         .billing = slot->billing,
                         .account = slot->account,
                         .qos = slot->qos };
  self->vain_count = slot->requeued ? self->vain_count + 1 : 0;
  self->failed = !self->client->job_ended (self->client->user, &result, self->error);
  slot_leave_nodes (self, slot);
}

static void
on_notice (LkSimDriver *self, const LkDecision *decision)
{
  if (!lk_job_state_is_end (decision->notice.state) || self->failed)
    return;
  LkSimSlot *slot = slot_of (self, decision->job);
  slot->id = 0;
  if (!slot->requeued && (self->giving_up || !slot->started)) {
    self->unstarted_count++;
    return;
  }
  tell_end (self, slot, (LkJobState)decision->notice.state);
  slot->started = FALSE;
  slot->restarts += slot->requeued ? 1 : 0;
  slot->requeued = FALSE;
}

/* A task of an array becomes a job of its own. */
static void
on_task (LkSimDriver *self, const LkDecision *decision)
{
  const LkDecision_task *task = &decision->task;
  LkJobIndex array = lk_engine_job_index (self->engine, task->array_job_id);
  LkSimJob job = array != LK_JOB_NONE ? slot_of (self, array)->job : (LkSimJob){ 0 };
  if (self->client->task != NULL)
    self->client->task (self->client->user, task, &job);
  if (decision->job != array)
    *slot_of (self, decision->job) = (LkSimSlot){ .job = job };
  else
    slot_of (self, array)->job = job;
}

static void
on_signal (LkSimDriver *self, const LkDecision *decision)
{
  LkSimSlot *slot = slot_of (self, decision->job);
  guint8 signal = decision->signal_job.signal;
  if (slot->id == 0 || (signal != SIGNAL_KILL && slot->job.on_signal == 0)
      || (signal != SIGNAL_KILL && slot->job.on_signal != signal))
    return;
  slot->is_killed = signal == SIGNAL_KILL;
  slot->is_signalled = !slot->is_killed;
  ends_at (self, slot, decision->job, self->now_us);
}

void
lk_sim_decide (void *user, const LkEvent *cause, const LkDecision *decision)
{
  LkSimDriver *self = user;
  if (self->client->decided != NULL)
    self->client->decided (self->client->user, cause, decision);
  switch (decision->kind) {
  case LK_DECISION_ACCEPT:
    on_accept (self, decision);
    break;
  case LK_DECISION_REQUEUE_JOB:
    on_requeue (self, decision);
    break;
  case LK_DECISION_PREEMPT:
    self->preempted_count++;
    break;
  case LK_DECISION_REJECT:
    on_reject (self, decision);
    break;
  case LK_DECISION_START:
    on_start (self, decision);
    break;
  case LK_DECISION_KILL:
    on_kill (self, decision);
    break;
  case LK_DECISION_SUSPEND_JOB:
    on_suspend (self, decision);
    break;
  case LK_DECISION_RESUME_JOB:
    on_resume (self, decision);
    break;
  case LK_DECISION_WAKE:
    self->wake_us = decision->wake.at_us;
    break;
  case LK_DECISION_NOTICE:
    on_notice (self, decision);
    break;
  case LK_DECISION_TASK:
    on_task (self, decision);
    break;
  case LK_DECISION_SIGNAL_JOB:
    on_signal (self, decision);
    break;
  default:
    break;
  }
}
