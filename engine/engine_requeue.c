/* engine/engine_requeue.c — a job that has started goes back to the queue.
 *
 * It keeps its id, counts as submitted now, and may start again after the cluster's delay; its age
 * begins anew.  A hold that was asked for while it ran comes into force.  Sources: scontrol(1)
 * requeue, requeuehold; slurm.conf(5) JobRequeue, MaxBatchRequeue; semantics of requeue. */
#include "engine/assert.h"
#include "engine/checked.h"
#include "engine/engine_het.h"
#include "engine/engine_life.h"
#include "engine/in_partition.h"

gboolean
lk_engine_may_requeue (const LkEngine *self, LkJobIndex job)
{
  const LkJobTerms *terms = lk_terms_asked (self->jobs.terms[job]);
  if ((terms->term_flags & LK_TERM_INTERACTIVE) != 0)
    return FALSE;
  return self->machine == NULL
         || !lk_machine_request (self->machine, self->jobs.request[job])->no_requeue;
}

/* What its run has left behind. */
static void
forget_run (LkEngine *self, LkJobIndex job)
{
  LkJobTable *jobs = &self->jobs;
  LkLife *life = lk_engine_own_life (self, job);
  if (life->limit_asked_us > 0)
    jobs->estimate_us[job] = life->limit_asked_us;
  *life = (LkLife){ .restarts = life->restarts < G_MAXUINT32 ? life->restarts + 1 : G_MAXUINT32,
                    .launch_failures = life->launch_failures,
                    .stopped_piece = LK_PIECE_NONE };
  jobs->kill_why[job] = 0;
  jobs->start_us[job] = jobs->expected_end_us[job] = 0;
  jobs->units[job] = lk_engine_units (self, job);
  if (!jobs->is_plain)
    jobs->accrue_us[job] = LK_TIME_NEVER;
  if (self->book != NULL)
    lk_engine_account_asked (self, job);
}

void
lk_engine_requeue (LkEngine *self, LkJobIndex job, const LkRequeueHow *how)
{
  LkJobTable *jobs = &self->jobs;
  gint64 delay_us = self->config.cluster != NULL ? self->config.cluster->requeue_delay_us : 0;
  LkDecision decision = { .kind = LK_DECISION_REQUEUE_JOB, .job = job };
  decision.requeue_job.job_id = jobs->id[job];
  lk_engine_emit (self, &decision);
  lk_engine_emit_notice (self, job, how->state, how->reason);
  lk_engine_end (self, job);
  lk_engine_return_home (self, job);
  if (self->preemption != NULL)
    lk_engine_preempt_forget (self, job);
  forget_run (self, job);
  jobs->submit_us[job] = self->view.now_us;
  jobs->begin_us[job] = lk_time_add_us (self->view.now_us, delay_us);
  jobs->phase[job] = LK_PHASE_HELD;
  /* While it ran the machine may have become one on which it could not begin. */
  if (self->described != NULL && self->machine != NULL)
    jobs->stuck_reason[job] = (guint8)lk_engine_stuck_reason (self, job);
  lk_engine_choose_home (self, job);
  if (how->held_by != LK_HELD_BY_NOBODY)
    jobs->held_by[job] = how->held_by;
  if (how->is_special) {
    jobs->lives[job]->is_special = 1;
    lk_engine_dependency_special_exit (self, job);
  }
  lk_engine_watch_deadline (self, job);
  LkReason kept_by = lk_engine_kept_by (self, job);
  /* It waits for its moment even where there is no delay. */
  lk_engine_keep (self, job, kept_by != LK_REASON_NONE ? kept_by : LK_REASON_BEGIN_TIME);
  lk_engine_emit_notice (self, job, how->is_special ? LK_JOB_SPECIAL_EXIT : LK_JOB_PENDING,
                         (LkReason)jobs->hold_reason[job]);
  lk_engine_begin_waiting (self);
  if (lk_engine_is_het (self, job))
    lk_engine_het_requeued (self, job);
}

/* What is to become of the job is kept where it would have it while it runs, and in why it was
 * killed. */
void
lk_engine_send_back (LkEngine *self, LkJobIndex job, const LkRequeueHow *how, LkKillWhy why)
{
  if (!self->config.requeues_at_end) {
    lk_engine_requeue (self, job, how);
    return;
  }
  if (how->held_by != LK_HELD_BY_NOBODY)
    self->jobs.held_by[job] = how->held_by;
  if (how->is_special)
    lk_engine_own_life (self, job)->is_special = 1;
  lk_engine_kill (self, job, why);
}

gboolean
lk_engine_goes_back (const LkEngine *self, LkJobIndex job, LkRequeueHow *out_how)
{
  LkRequeueHow how = { .is_special = lk_engine_life (self, job)->is_special != 0 };
  if (!self->config.requeues_at_end)
    return FALSE;
  switch ((LkKillWhy)self->jobs.kill_why[job]) {
  case LK_KILL_REQUEUED:
    how.state = LK_JOB_REQUEUED;
    break;
  case LK_KILL_NODE_FAILED:
    how.state = LK_JOB_NODE_FAIL;
    how.reason = LK_REASON_NODE_DOWN;
    break;
  case LK_KILL_PREEMPTED:
    how.state = LK_JOB_PREEMPTED;
    if (!lk_engine_preempt_requeues (self, job))
      return FALSE;
    break;
  default:
    return FALSE;
  }
  if (out_how != NULL)
    *out_how = how;
  return TRUE;
}

/* A job that somebody has suspended is held, as Slurm does it. */
LkReject
lk_engine_requeue_event (LkEngine *self, const LkEvent_requeue *event)
{
  LkRequeueHow how = { .state = LK_JOB_REQUEUED };
  LkJobIndex job = lk_id_map_find (&self->jobs.index_by_id, event->job_id);
  if (job == LK_JOB_NONE)
    return lk_engine_return_event (self, event);
  if (!lk_engine_has_started (self, job))
    return LK_REJECT_NOT_RUNNING;
  if (event->hold > 2)
    return LK_REJECT_REQUEST_INVALID;
  if (!lk_engine_may_requeue (self, job))
    return LK_REJECT_DISABLED;
  if (event->hold != 0
      || (self->jobs.phase[job] == LK_PHASE_SUSPENDED && !lk_engine_is_stopped (self, job)))
    how.held_by = LK_HELD_BY_USER;
  how.is_special = event->hold == 2;
  lk_engine_send_back (self, job, &how, LK_KILL_REQUEUED);
  lk_engine_ask_wake (self);
  return 0;
}
