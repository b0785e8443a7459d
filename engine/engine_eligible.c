/* engine/engine_eligible.c — what keeps a pending job out of the queue, whatever is free.
 *
 * Whoever changes one of the things that can keep a job calls lk_engine_settle: it finds the first
 * one in a fixed order, which is also the reason that users see, and moves the job into the queue
 * or out of it.  Limits are another matter (engine_accounts.c): a job that they hold has passed
 * here.
 *
 * Source of the order: semantics of Slurm's queue construction (a held job before one that is not
 * independent). */
#include "engine/assert.h"
#include "engine/engine_array.h"
#include "engine/engine_het.h"
#include "engine/engine_life.h"

LkReason
lk_engine_kept_by (LkEngine *self, LkJobIndex job)
{
  const LkJobTable *jobs = &self->jobs;
  static const LkReason holds[] = { [LK_HELD_BY_USER] = LK_REASON_HELD_USER,
                                    [LK_HELD_BY_ADMIN] = LK_REASON_HELD_ADMIN,
                                    [LK_HELD_FOR_FAILURES] = LK_REASON_HOLD_MAX_REQUEUE,
                                    [LK_HELD_FOR_CONSTRAINTS] = LK_REASON_BAD_CONSTRAINTS };
  if (jobs->held_by[job] != LK_HELD_BY_NOBODY)
    return holds[jobs->held_by[job]];
  LkReason stuck = (LkReason)jobs->stuck_reason[job];
  if (stuck != LK_REASON_NONE && stuck != LK_REASON_BAD_CONSTRAINTS)
    return stuck;
  LkReason dependency = lk_engine_dependency_reason (self, job);
  if (dependency != LK_REASON_NONE)
    return dependency;
  if (jobs->begin_us[job] > self->view.now_us)
    return LK_REASON_BEGIN_TIME;
  LkReason partition = lk_engine_partition_keeps (self, job);
  if (partition != LK_REASON_NONE)
    return partition;
  if (jobs->array_job_id[job] != 0 && lk_array_is_full (lk_engine_array_of (self, job)))
    return LK_REASON_ARRAY_TASK_LIMIT;
  LkReason reservation = LK_REASON_NONE;
  if (jobs->in_reservation[job] != 0)
    reservation = lk_engine_reservation_keeps (self, job);
  if (reservation != LK_REASON_NONE)
    return reservation;
  /* That no nodes will ever do is seen when they are looked at. */
  if (stuck != LK_REASON_NONE && !self->config.backfill->notes_reasons)
    return stuck;
  return lk_engine_is_het (self, job) ? lk_engine_het_reason (self, job) : LK_REASON_NONE;
}

void
lk_engine_hold_stuck (LkEngine *self, LkJobIndex job)
{
  LK_ASSERT (self->jobs.stuck_reason[job] == LK_REASON_BAD_CONSTRAINTS);
  self->jobs.held_by[job] = LK_HELD_FOR_CONSTRAINTS;
  lk_engine_settle (self, job);
}

/* May it have its stuck_reason where it is? */
gboolean
lk_engine_may_be_stuck (const LkEngine *self, LkJobIndex job)
{
  guint8 stuck = self->jobs.stuck_reason[job];
  if (self->jobs.phase[job] == LK_PHASE_HELD)
    return stuck < LK_REASON_LIMIT;
  return stuck == LK_REASON_NONE
         || (stuck == LK_REASON_BAD_CONSTRAINTS && lk_engine_is_in_line (self, job)
             && self->config.backfill->notes_reasons);
}

/* Its reason is another one from here on. */
static void
set_reason (LkEngine *self, LkJobIndex job, LkReason reason)
{
  if (self->jobs.hold_reason[job] == LK_REASON_BEGIN_TIME)
    lk_engine_unwait (self, job);
  self->jobs.hold_reason[job] = (guint8)reason;
  if (reason == LK_REASON_BEGIN_TIME)
    lk_engine_wait (self, job);
}

/* Does its age begin anew?  By a hold where limits are enforced. */
static gboolean
forgets_age (const LkEngine *self, LkJobIndex job)
{
  return self->jobs.held_by[job] != LK_HELD_BY_NOBODY && self->book != NULL
         && (self->book->spec->enforce & LK_ENFORCE_LIMITS) != 0;
}

/* For this reason it waits from here on: it goes on ageing only at the limit of running tasks, as
 * Slurm's do. */
static void
age_while_kept (LkEngine *self, LkJobIndex job, LkReason reason)
{
  if (reason != LK_REASON_ARRAY_TASK_LIMIT)
    lk_engine_stop_accruing (self, job, forgets_age (self, job));
}

void
lk_engine_keep (LkEngine *self, LkJobIndex job, LkReason reason)
{
  LK_ASSERT (reason != LK_REASON_NONE);
  if (lk_engine_is_in_line (self, job)) {
    lk_engine_dequeue (self, job);
    age_while_kept (self, job, reason);
    self->jobs.phase[job] = LK_PHASE_HELD;
  }
  self->held_count++;
  set_reason (self, job, reason);
}

void
lk_engine_let_go (LkEngine *self, LkJobIndex job)
{
  LK_ASSERT (self->jobs.phase[job] == LK_PHASE_HELD);
  set_reason (self, job, LK_REASON_NONE);
  self->held_count--;
}

void
lk_engine_settle (LkEngine *self, LkJobIndex job)
{
  gboolean in_line = lk_engine_is_in_line (self, job);
  LkReason reason = lk_engine_kept_by (self, job);
  LK_ASSERT (in_line || self->jobs.phase[job] == LK_PHASE_HELD);
  if (reason == LK_REASON_NONE) {
    if (in_line)
      return;
    /* At the limit of running tasks nothing is eligible. */
    if (self->jobs.hold_reason[job] == LK_REASON_ARRAY_TASK_LIMIT)
      self->jobs.begin_us[job] = self->view.now_us;
    lk_engine_let_go (self, job);
    lk_engine_enqueue (self, job);
    lk_engine_emit_notice (self, job, LK_JOB_PENDING, LK_REASON_PRIORITY);
    return;
  }
  /* Components are tried in passes; to be asked once more is nothing new. */
  self->changed |= self->jobs.hold_reason[job] != reason && lk_engine_is_het (self, job);
  if (in_line)
    lk_engine_keep (self, job, reason);
  else if (self->jobs.hold_reason[job] != reason) {
    if (self->jobs.hold_reason[job] == LK_REASON_ARRAY_TASK_LIMIT)
      age_while_kept (self, job, reason);
    set_reason (self, job, reason);
  } else
    return;
  if (lk_engine_is_het (self, job)) {
    lk_engine_stop_accruing (self, job, forgets_age (self, job));
    lk_engine_het_changed (self, job);
  }
  lk_engine_emit_notice (self, job, LK_JOB_PENDING, reason);
  if (reason == LK_REASON_BEGIN_TIME)
    lk_engine_ask_wake (self);
}

void
lk_engine_take_back (LkEngine *self, LkJobIndex job, LkReason before)
{
  LkReason reason = lk_engine_kept_by (self, job);
  if (reason == LK_REASON_NONE) {
    lk_engine_enqueue (self, job);
    if (before != LK_REASON_NONE)
      lk_engine_emit_notice (self, job, LK_JOB_PENDING, LK_REASON_PRIORITY);
    return;
  }
  if (before == LK_REASON_NONE || before == LK_REASON_ARRAY_TASK_LIMIT)
    age_while_kept (self, job, reason);
  if (reason == LK_REASON_ARRAY_TASK_LIMIT && self->jobs.accrue_us[job] != LK_TIME_NEVER)
    lk_engine_count_accruing (self, job, TRUE);
  lk_engine_keep (self, job, reason);
  if (lk_engine_is_het (self, job))
    lk_engine_het_changed (self, job);
  if (reason != before)
    lk_engine_emit_notice (self, job, LK_JOB_PENDING, reason);
  if (reason == LK_REASON_BEGIN_TIME)
    lk_engine_ask_wake (self);
}
