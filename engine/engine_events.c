/* engine/engine_events.c — what each kind of event does.
 *
 * A handler checks the request in a fixed order that reads as a list, and either returns why it is
 * refused, having changed nothing, or carries it out and returns ALLOWED.  Jobs are never started
 * here: that is engine_pass.c. */
#include "engine/assert.h"
#include "engine/engine_array.h"
#include "engine/engine_het.h"
#include "engine/limits.h"

/* What a handler returns when the request was carried out: no number of LK_REJECTS. */
#define ALLOWED ((LkReject)0)

#define UPDATE_PROCS (1u << 0)
#define UPDATE_ESTIMATE (1u << 1)

void
lk_engine_accept (LkEngine *self, LkJobIndex job)
{
  if (!self->is_accepted) {
    LkDecision decision = { .kind = LK_DECISION_ACCEPT, .job = job };
    guint32 id = lk_event_job_id (self->event);
    decision.accept.job_id =
        id == 0 && self->event->kind == LK_EVENT_SUBMIT ? self->jobs.id[job] : id;
    lk_engine_emit (self, &decision);
    self->is_accepted = TRUE;
  }
  if (self->split_task != LK_JOB_NONE)
    lk_engine_array_tell_split (self);
}

static void
reject (LkEngine *self, LkReject error)
{
  LkDecision decision = { .kind = LK_DECISION_REJECT, .job = LK_JOB_NONE };
  decision.reject.job_id = lk_event_job_id (self->event);
  decision.reject.error = (guint16)error;
  lk_engine_emit (self, &decision);
}

void
lk_engine_kill (LkEngine *self, LkJobIndex job, LkKillWhy why)
{
  LkDecision decision = { .kind = LK_DECISION_KILL, .job = job };
  decision.kill.job_id = self->jobs.id[job];
  decision.kill.why = (guint8)why;
  self->jobs.kill_why[job] = (guint8)why;
  lk_engine_emit (self, &decision);
}

/* LK_JOB_NONE: no such job. */
static LkJobIndex
find_job (const LkEngine *self, guint32 job_id)
{
  return lk_id_map_find (&self->jobs.index_by_id, job_id);
}

/* Units that the job would take if it asked for `procs`; 0: more than the machine has. */
static guint32
units_for (LkEngine *self, LkJobIndex job, guint32 procs)
{
  guint32 procs_before = self->jobs.procs[job];
  self->jobs.procs[job] = procs;
  guint32 units = lk_engine_units (self, job);
  self->jobs.procs[job] = procs_before;
  return units;
}

/* ---------------------------------------------------------------- update */

static LkReject
handle_update (LkEngine *self, const LkEvent_update *update)
{
  LkJobTable *jobs = &self->jobs;
  LkJobIndex job = find_job (self, update->job_id);
  if (job == LK_JOB_NONE)
    return LK_REJECT_JOB_UNKNOWN;
  if (!lk_engine_is_pending (self, job))
    return LK_REJECT_NOT_PENDING;
  if (update->changes == 0 || (update->changes & ~(UPDATE_PROCS | UPDATE_ESTIMATE)) != 0)
    return LK_REJECT_PRESENT_INVALID;
  if ((update->changes & UPDATE_PROCS) != 0 && update->procs < 1)
    return LK_REJECT_PROCS_ZERO;
  if ((update->changes & UPDATE_ESTIMATE) != 0 && update->estimate_us <= 0)
    return LK_REJECT_ESTIMATE_INVALID;

  /* On nodes a job asks for more than a number: it is submitted anew instead. */
  if (self->machine != NULL && (update->changes & UPDATE_PROCS) != 0)
    return LK_REJECT_REQUEST_INVALID;

  guint32 procs = (update->changes & UPDATE_PROCS) != 0 ? update->procs : jobs->procs[job];
  guint32 units = units_for (self, job, procs);
  if (units == 0)
    return LK_REJECT_TOO_LARGE;

  gboolean in_line = lk_engine_is_in_line (self, job);
  if (in_line)
    lk_engine_dequeue (self, job);
  jobs->procs[job] = procs;
  jobs->units[job] = units;
  if (self->book != NULL)
    lk_engine_account_asked (self, job);
  if ((update->changes & UPDATE_ESTIMATE) != 0)
    jobs->estimate_us[job] = update->estimate_us;
  if (in_line)
    lk_engine_enqueue (self, job);
  else if (lk_engine_is_het (self, job))
    self->changed = TRUE; /* it may fit now */
  lk_engine_accept (self, job);
  return ALLOWED;
}

/* ---------------------------------------------------------------- cancel, hold, release */

static LkReject
handle_cancel (LkEngine *self, const LkEvent_cancel *cancel)
{
  LkJobIndex job = find_job (self, cancel->job_id);
  if (job == LK_JOB_NONE)
    return LK_REJECT_JOB_UNKNOWN;
  lk_engine_accept (self, job);
  if (self->jobs.phase[job] == LK_PHASE_RUNNING) {
    if (self->jobs.kill_why[job] == 0)
      lk_engine_kill (self, job, LK_KILL_CANCELLED);
    return ALLOWED;
  }
  if (lk_engine_is_in_line (self, job))
    lk_engine_dequeue (self, job);
  else
    lk_engine_let_go (self, job);
  lk_engine_emit_notice (self, job, LK_JOB_CANCELLED, LK_REASON_NONE);
  lk_engine_remove_job (self, job);
  return ALLOWED;
}

static LkReject
handle_hold (LkEngine *self, const LkEvent_hold *hold)
{
  LkJobIndex job = find_job (self, hold->job_id);
  if (job == LK_JOB_NONE)
    return LK_REJECT_JOB_UNKNOWN;
  if (!lk_engine_is_pending (self, job))
    return LK_REJECT_NOT_PENDING;
  self->jobs.held_by[job] = hold->by_admin != 0 ? LK_HELD_BY_ADMIN : LK_HELD_BY_USER;
  lk_engine_accept (self, job);
  lk_engine_settle (self, job);
  return ALLOWED;
}

static LkReject
handle_release (LkEngine *self, const LkEvent_release *release)
{
  LkJobIndex job = find_job (self, release->job_id);
  if (job == LK_JOB_NONE)
    return LK_REJECT_JOB_UNKNOWN;
  /* A job that has lost its reservation goes on without. */
  guint8 *stuck_reason = &self->jobs.stuck_reason[job];
  gboolean has_lost = *stuck_reason == LK_REASON_RESERVATION_DELETED
                      || *stuck_reason == LK_REASON_RESERVATION_INVALID;
  /* What waits for its time, or can never run, is not held by anybody. */
  if (self->jobs.held_by[job] == LK_HELD_BY_NOBODY && !has_lost)
    return LK_REJECT_NOT_HELD;
  if (release->by_user != 0 && self->jobs.held_by[job] == LK_HELD_BY_ADMIN)
    return LK_REJECT_PERMISSION;
  self->jobs.held_by[job] = LK_HELD_BY_NOBODY;
  if (has_lost)
    *stuck_reason = LK_REASON_NONE;
  lk_engine_accept (self, job);
  lk_engine_settle (self, job);
  return ALLOWED;
}

/* ---------------------------------------------------------------- start and end, timer */

static LkReject
handle_job_started (LkEngine *self, const LkEvent_job_started *started)
{
  LkJobIndex job = find_job (self, started->job_id);
  if (job == LK_JOB_NONE)
    return LK_REJECT_JOB_UNKNOWN;
  return self->jobs.phase[job] == LK_PHASE_RUNNING ? ALLOWED : LK_REJECT_NOT_RUNNING;
}

static void
notice_end (LkEngine *self, LkJobIndex job, const LkEvent_job_ended *ended)
{
  guint8 why = self->jobs.kill_why[job];
  if (why == LK_KILL_PREEMPTED || (why == 0 && lk_engine_is_preempted (self, job)))
    lk_engine_emit_notice (self, job, LK_JOB_PREEMPTED, LK_REASON_NONE);
  else if (why == LK_KILL_TIME_LIMIT || why == LK_KILL_USAGE_LIMIT
           || why == LK_KILL_RESERVATION_ENDED)
    lk_engine_emit_notice (self, job, LK_JOB_TIMEOUT, LK_REASON_TIME_LIMIT);
  else if (why == LK_KILL_CANCELLED || ended->cancelled != 0)
    lk_engine_emit_notice (self, job, LK_JOB_CANCELLED, LK_REASON_NONE);
  else if (ended->exit_code != 0 || ended->signal != 0)
    lk_engine_emit_notice (self, job, LK_JOB_FAILED, LK_REASON_NON_ZERO_EXIT);
  else
    lk_engine_emit_notice (self, job, LK_JOB_COMPLETED, LK_REASON_NONE);
}

static LkReject
handle_job_ended (LkEngine *self, const LkEvent_job_ended *ended)
{
  LkJobIndex job = find_job (self, ended->job_id);
  if (job == LK_JOB_NONE)
    return LK_REJECT_JOB_UNKNOWN;
  if (self->jobs.phase[job] != LK_PHASE_RUNNING)
    return LK_REJECT_NOT_RUNNING;
  if (self->preemption != NULL && lk_engine_preempt_ended (self, job))
    return ALLOWED;
  lk_engine_end (self, job);
  notice_end (self, job, ended);
  lk_engine_remove_job (self, job);
  return ALLOWED;
}

/* Kills the jobs whose time limit has come; they stay in the books until their end is reported. */
static LkReject
handle_timer (LkEngine *self)
{
  if (self->wake_us <= self->view.now_us)
    self->wake_us = LK_TIME_NEVER;
  if (self->preemption != NULL)
    lk_engine_preempt_due (self);
  for (LkJobIndex job = lk_rank_first (self->running);
       job != LK_JOB_NONE && self->jobs.expected_end_us[job] <= self->view.now_us;
       job = lk_rank_next (self->running, job, NULL))
    if (self->jobs.kill_why[job] == 0)
      lk_engine_kill (self, job, LK_KILL_TIME_LIMIT);
  lk_engine_end_over_limit (self);
  lk_engine_dependency_due (self);
  lk_engine_begin_waiting (self);
  lk_engine_turn_reservations (self);
  while (self->deadlines->len > 0
         && g_array_index (self->deadlines, gint64, 0) <= self->view.now_us) {
    g_array_remove_index (self->deadlines, 0);
    self->changed = TRUE;
  }
  if (self->policy_wake_us <= self->view.now_us) {
    self->policy_wake_us = LK_TIME_NEVER;
    self->changed = TRUE;
  }
  lk_engine_ask_wake (self);
  return ALLOWED;
}

LkReject
lk_engine_dispatch (LkEngine *self, const LkEvent *event)
{
  switch (event->kind) {
  case LK_EVENT_SUBMIT:
    return lk_engine_handle_submit (self, &event->submit);
  case LK_EVENT_JOB_ENDED:
    return handle_job_ended (self, &event->job_ended);
  case LK_EVENT_PASS:
    lk_engine_pass (self);
    return ALLOWED;
  case LK_EVENT_TIMER:
    return handle_timer (self);
  case LK_EVENT_JOB_STARTED:
    return handle_job_started (self, &event->job_started);
  case LK_EVENT_UPDATE:
    return handle_update (self, &event->update);
  case LK_EVENT_CANCEL:
    return handle_cancel (self, &event->cancel);
  case LK_EVENT_HOLD:
    return handle_hold (self, &event->hold);
  case LK_EVENT_RELEASE:
    return handle_release (self, &event->release);
  case LK_EVENT_REQUEUE:
    return lk_engine_requeue_event (self, &event->requeue);
  case LK_EVENT_NODE_UP:
  case LK_EVENT_NODE_DOWN:
  case LK_EVENT_NODE_DRAIN:
  case LK_EVENT_NODE_RESUME:
    return lk_engine_node_event (self, event);
  case LK_EVENT_RESERVATION_CREATE:
  case LK_EVENT_RESERVATION_UPDATE:
  case LK_EVENT_RESERVATION_DELETE:
    return lk_engine_reservation_event (self, event);
  default:
    LK_ASSERT (!lk_event_kind_acted (event->kind));
    return LK_REJECT_UNSUPPORTED;
  }
}

void
lk_engine_handle (LkEngine *self, const LkEvent *event)
{
  self->is_accepted = FALSE;
  LkReject error = ALLOWED;
  if (lk_engine_array_is_meant (self, event))
    error = lk_engine_array_event (self, event);
  else if (lk_engine_het_is_meant (self, event))
    error = lk_engine_het_event (self, event);
  else
    error = lk_engine_dispatch (self, event);
  if (error != ALLOWED)
    reject (self, error);
  if (self->arrays.unsettled->len > 0)
    lk_engine_array_settle_all (self);
  do
    lk_engine_settle_dependents (self);
  while (lk_engine_het_settle_all (self));
  lk_arrays_drop_over (&self->arrays);
}
