/* engine/engine_ending.c — how a job ended, and what follows: it leaves, or goes back to the queue.
 *
 * Why the scheduler told it to end comes before how it ended by itself, unless it was complete
 * before.  Source: semantics of exit codes, RequeueExit and RequeueExitHold, launch and prolog
 * failures. */
#include "engine/assert.h"
#include "engine/bits.h"
#include "engine/engine_life.h"

typedef struct {
  LkJobState state;
  LkReason reason;
} Ending;

/* What the scheduler had to do with it. FALSE: nothing. */
static gboolean
ended_by_order (const LkEngine *self, LkJobIndex job, gboolean cancelled, Ending *out)
{
  switch ((LkKillWhy)self->jobs.kill_why[job]) {
  case LK_KILL_TIME_LIMIT:
  case LK_KILL_USAGE_LIMIT:
  case LK_KILL_RESERVATION_ENDED:
    *out = (Ending){ LK_JOB_TIMEOUT, LK_REASON_TIME_LIMIT };
    return TRUE;
  case LK_KILL_CANCELLED:
    *out = (Ending){ LK_JOB_CANCELLED, LK_REASON_NONE };
    return TRUE;
  case LK_KILL_DEADLINE:
    *out = (Ending){ LK_JOB_DEADLINE, LK_REASON_DEADLINE };
    return TRUE;
  case LK_KILL_PREEMPTED:
    *out = (Ending){ LK_JOB_PREEMPTED, LK_REASON_NONE };
    return TRUE;
  default:
    *out = (Ending){ LK_JOB_CANCELLED, LK_REASON_NONE };
    return cancelled;
  }
}

/* 22.05 knows one reason for all that is not 0. */
static LkReason
signal_reason (const LkEngine *self)
{
  gboolean is_old =
      self->config.accounts != NULL && self->config.accounts->compat == LK_COMPAT_SLURM_22_05;
  return is_old ? LK_REASON_NON_ZERO_EXIT : LK_REASON_RAISED_SIGNAL;
}

static Ending
ended_by_itself (const LkEngine *self, LkJobIndex job, const LkEvent_job_ended *ended)
{
  switch ((LkTrouble)ended->trouble) {
  case LK_TROUBLE_OUT_OF_MEMORY:
    return (Ending){ LK_JOB_OUT_OF_MEMORY, LK_REASON_OUT_OF_MEMORY };
  case LK_TROUBLE_BOOT_FAILURE:
    return (Ending){ LK_JOB_BOOT_FAIL, LK_REASON_NODE_DOWN };
  case LK_TROUBLE_LAUNCH_FAILURE:
  case LK_TROUBLE_PROLOG_FAILURE:
  case LK_TROUBLE_LAUNCH_TOO_LONG:
  case LK_TROUBLE_LAUNCH_SKIPPED:
    return (Ending){ LK_JOB_FAILED, LK_REASON_LAUNCH_FAILURE };
  default:
    break;
  }
  if (ended->trouble != LK_TROUBLE_COMPLETE_BEFORE && lk_engine_is_overdue (self, job))
    return (Ending){ LK_JOB_TIMEOUT, LK_REASON_TIME_LIMIT };
  if (ended->signal != 0)
    return (Ending){ LK_JOB_FAILED, signal_reason (self) };
  if (ended->exit_code != 0)
    return (Ending){ LK_JOB_FAILED, LK_REASON_NON_ZERO_EXIT };
  return (Ending){ LK_JOB_COMPLETED, LK_REASON_NONE };
}

/* ---------------------------------------------------------------- back to the queue */

static LkRequeueHow
requeue_launch (LkEngine *self, LkJobIndex job)
{
  const LkCluster *cluster = self->config.cluster;
  LkLife *life = lk_engine_own_life (self, job);
  LkRequeueHow how = { .state = LK_JOB_REQUEUED, .reason = LK_REASON_LAUNCH_FAILURE };
  if (life->launch_failures < G_MAXUINT32)
    life->launch_failures++;
  if (cluster != NULL && life->launch_failures > cluster->max_batch_requeue)
    how.held_by = LK_HELD_FOR_FAILURES;
  return how;
}

static gboolean
requeue_by_exit (const LkEngine *self, const Ending *ending, const LkEvent_job_ended *ended,
                 LkRequeueHow *out)
{
  *out = (LkRequeueHow){ .state = LK_JOB_REQUEUED, .reason = ending->reason };
  if (ended->signal != 0 || (ending->state != LK_JOB_FAILED && ending->state != LK_JOB_COMPLETED))
    return FALSE;
  if (lk_bits_has (self->requeue_exit_hold, ended->exit_code)) {
    out->held_by = LK_HELD_BY_USER;
    out->is_special = TRUE;
    return TRUE;
  }
  return lk_bits_has (self->requeue_exit, ended->exit_code);
}

/* FALSE: the job leaves. */
static gboolean
goes_back (LkEngine *self, LkJobIndex job, const Ending *ending, const LkEvent_job_ended *ended,
           LkRequeueHow *out)
{
  const LkCluster *cluster = self->config.cluster;
  const LkJobTerms *terms = lk_terms_asked (self->jobs.terms[job]);
  /* Slurm asks for no leave where the code of a batch script says so. */
  if (ended->trouble == LK_TROUBLE_NONE)
    return (terms->term_flags & LK_TERM_INTERACTIVE) == 0
           && requeue_by_exit (self, ending, ended, out);
  if (!lk_engine_may_requeue (self, job))
    return FALSE;
  switch ((LkTrouble)ended->trouble) {
  case LK_TROUBLE_LAUNCH_FAILURE:
    *out = requeue_launch (self, job);
    return TRUE;
  case LK_TROUBLE_PROLOG_FAILURE:
    *out = (LkRequeueHow){ .state = LK_JOB_REQUEUED, .reason = LK_REASON_LAUNCH_FAILURE };
    if (cluster == NULL || cluster->hold_prolog_failure)
      out->held_by = LK_HELD_BY_USER;
    return TRUE;
  case LK_TROUBLE_LAUNCH_TOO_LONG:
  case LK_TROUBLE_LAUNCH_SKIPPED:
    /* Another try would end as this one has. */
    *out = (LkRequeueHow){ .state = LK_JOB_REQUEUED,
                           .reason = LK_REASON_LAUNCH_FAILURE,
                           .held_by = LK_HELD_FOR_FAILURES };
    return TRUE;
  case LK_TROUBLE_BOOT_FAILURE:
    *out = (LkRequeueHow){ .state = LK_JOB_BOOT_FAIL, .reason = LK_REASON_NODE_DOWN };
    return TRUE;
  default:
    return FALSE;
  }
}

static void
requeue (LkEngine *self, LkJobIndex job, const LkRequeueHow *how)
{
  lk_engine_requeue (self, job, how);
  lk_engine_ask_wake (self);
}

/* ---------------------------------------------------------------- the end */

LkReject
lk_engine_job_ended_event (LkEngine *self, const LkEvent_job_ended *ended)
{
  LkJobIndex job = lk_id_map_find (&self->jobs.index_by_id, ended->job_id);
  Ending ending;
  LkRequeueHow how;
  if (job == LK_JOB_NONE)
    return LK_REJECT_JOB_UNKNOWN;
  if (!lk_engine_has_started (self, job))
    return LK_REJECT_NOT_RUNNING;
  gboolean was_complete = ended->trouble == LK_TROUBLE_COMPLETE_BEFORE;
  if (!was_complete && lk_engine_goes_back (self, job, &how)) {
    requeue (self, job, &how);
    return 0;
  }
  if (was_complete || !ended_by_order (self, job, ended->cancelled != 0, &ending)) {
    ending = ended_by_itself (self, job, ended);
    if (goes_back (self, job, &ending, ended, &how)) {
      requeue (self, job, &how);
      return 0;
    }
  }
  lk_engine_end (self, job);
  lk_engine_emit_notice (self, job, ending.state, ending.reason);
  lk_engine_remove_job (self, job);
  return 0;
}
