/* engine/engine_events.c — what each kind of event does.
 *
 * A handler checks the request in a fixed order that reads as a list, and either returns why it is
 * refused, having changed nothing, or carries it out and returns ALLOWED.  Jobs are never started
 * here: that is engine_pass.c. */
#include "engine/assert.h"
#include "engine/engine_array.h"
#include "engine/engine_gang.h"
#include "engine/engine_het.h"
#include "engine/engine_life.h"
#include "engine/limits.h"

/* What a handler returns when the request was carried out: no number of LK_REJECTS. */
#define ALLOWED ((LkReject)0)

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
  if (self->jobs.phase[job] == LK_PHASE_RUNNING && self->jobs.kill_why[job] == 0)
    lk_engine_disarm (self, job);
  self->jobs.kill_why[job] = (guint8)why;
  lk_engine_emit (self, &decision);
}

/* LK_JOB_NONE: no such job. */
static LkJobIndex
find_job (const LkEngine *self, guint32 job_id)
{
  return lk_id_map_find (&self->jobs.index_by_id, job_id);
}

/* ---------------------------------------------------------------- hold, release */

static LkReject
handle_hold (LkEngine *self, const LkEvent_hold *hold)
{
  LkJobIndex job = find_job (self, hold->job_id);
  if (job == LK_JOB_NONE)
    return LK_REJECT_JOB_UNKNOWN;
  /* What an administrator holds its user does not take over. */
  if (self->jobs.held_by[job] != LK_HELD_BY_ADMIN)
    self->jobs.held_by[job] = hold->by_admin != 0 ? LK_HELD_BY_ADMIN : LK_HELD_BY_USER;
  lk_engine_accept (self, job);
  /* That of a job that runs comes into force when it is requeued. */
  if (!lk_engine_has_started (self, job)) {
    lk_engine_drop_reason (self, job);
    lk_engine_settle (self, job);
  }
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
  if (self->jobs.lives[job] != NULL) {
    self->jobs.lives[job]->is_special = 0;
    self->jobs.lives[job]->launch_failures = 0;
  }
  if (has_lost)
    *stuck_reason = LK_REASON_NONE;
  lk_engine_accept (self, job);
  if (!lk_engine_has_started (self, job)) {
    lk_engine_settle (self, job);
    lk_engine_note_changed (self, job);
  }
  return ALLOWED;
}

/* ---------------------------------------------------------------- start and end, timer */

static LkReject
handle_job_started (LkEngine *self, const LkEvent_job_started *started)
{
  LkJobIndex job = find_job (self, started->job_id);
  if (job == LK_JOB_NONE)
    return LK_REJECT_JOB_UNKNOWN;
  return lk_engine_has_started (self, job) ? ALLOWED : LK_REJECT_NOT_RUNNING;
}

/* Kills the jobs whose time limit has come; they stay in the books until their end is reported. */
static LkReject
handle_timer (LkEngine *self)
{
  if (self->wake_us <= self->view.now_us)
    self->wake_us = LK_TIME_NEVER;
  if (self->preemption != NULL)
    lk_engine_preempt_due (self);
  for (LkJobIndex job = self->limits_are_exact ? lk_rank_first (self->running) : LK_JOB_NONE;
       job != LK_JOB_NONE && self->jobs.expected_end_us[job] <= self->view.now_us;
       job = lk_rank_next (self->running, job, NULL))
    if (self->jobs.kill_why[job] == 0)
      lk_engine_kill (self, job, LK_KILL_TIME_LIMIT);
  lk_engine_ring_alarms (self);
  lk_engine_end_over_limit (self);
  lk_engine_end_hopeless (self);
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
  lk_engine_gang_due (self);
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
    return lk_engine_job_ended_event (self, &event->job_ended);
  case LK_EVENT_PASS:
    lk_engine_pass (self);
    return ALLOWED;
  case LK_EVENT_TIMER:
    return handle_timer (self);
  case LK_EVENT_JOB_STARTED:
    return handle_job_started (self, &event->job_started);
  case LK_EVENT_UPDATE:
    return lk_engine_update_event (self, &event->update);
  case LK_EVENT_CANCEL:
    return lk_engine_cancel_event (self, &event->cancel);
  case LK_EVENT_HOLD:
    return handle_hold (self, &event->hold);
  case LK_EVENT_RELEASE:
    return handle_release (self, &event->release);
  case LK_EVENT_SIGNAL:
    return lk_engine_signal_event (self, &event->signal);
  case LK_EVENT_PARTITION:
    return lk_engine_partition_event (self, &event->partition);
  case LK_EVENT_SUSPEND:
    return lk_engine_suspend_event (self, &event->suspend);
  case LK_EVENT_RESUME:
    return lk_engine_resume_event (self, &event->resume);
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
  case LK_EVENT_ASSOCIATION:
  case LK_EVENT_QOS:
    return lk_engine_accounts_event (self, event);
  case LK_EVENT_RECONFIGURE:
    return lk_engine_reconfigure_event (self, &event->reconfigure);
  default:
    LK_ASSERT (!lk_event_kind_acted (event->kind));
    return LK_REJECT_UNSUPPORTED;
  }
}

/* What follows for other jobs from what became of some. */
static void
settle_all (LkEngine *self)
{
  do
    lk_engine_settle_dependents (self);
  while (lk_engine_het_settle_all (self));
}

void
lk_engine_handle (LkEngine *self, const LkEvent *event)
{
  self->is_accepted = FALSE;
  LkReject error = ALLOWED;
  if (lk_engine_het_expire (self, event))
    settle_all (self);
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
  settle_all (self);
  if (self->arrays.unranked->len > 0)
    lk_engine_array_rank_all (self);
  lk_engine_gang_settle (self);
  lk_arrays_drop_over (&self->arrays);
}
