/* sim/audit_promises.c — promises of starts: who holds one, and who broke it.
 *
 * A promise is the first planned start of a job.  It may be broken by what has a better right: a
 * job that goes before it and came, or came to the front, or came free of a limit, after the
 * promise; nodes that were lost;
 * jobs that run longer than they may, or were started late; tasks of an array that goes before it;
 * changes that someone asked for.  When none of that happened since, and a job that goes behind it
 * was started since and still runs, that is the cause. */
#include "sim/audit_promises.h"

/* ---------------------------------------------------------------- who holds one */

static gint
compare (gconstpointer a, gconstpointer b, gpointer unused)
{
  (void)unused;
  return lk_audit_goes_before (a, b) ? -1 : lk_audit_goes_before (b, a);
}

void
lk_audit_promise_give (LkAudit *self, LkAuditJob *job, gint64 at_us)
{
  lk_audit_promise_take (job);
  job->promised_us = at_us;
  job->promised_seq = self->event->seq;
  job->promise = g_sequence_insert_sorted (self->promises, job, compare, NULL);
}

void
lk_audit_promise_take (LkAuditJob *job)
{
  job->promised_us = LK_AUDIT_NEVER;
  if (job->promise != NULL)
    g_sequence_remove (job->promise);
  job->promise = NULL;
}

void
lk_audit_promise_moved (LkAudit *self, LkAuditJob *job)
{
  if (job->promise == NULL)
    return;
  g_sequence_remove (job->promise);
  job->promise = g_sequence_insert_sorted (self->promises, job, compare, NULL);
}

void
lk_audit_promise_take_behind (LkAudit *self, LkAuditJob *newcomer)
{
  lk_audit_promise_take (newcomer);
  GSequenceIter *at = g_sequence_search (self->promises, newcomer, compare, NULL);
  while (!g_sequence_iter_is_end (at)) {
    LkAuditJob *job = g_sequence_get (at);
    at = g_sequence_iter_next (at);
    lk_audit_promise_take (job);
  }
}

/* ---------------------------------------------------------------- who broke it */

/* It runs at the end of its time, and may for longer. */
static gboolean
is_overdue (const LkAudit *self, const LkAuditJob *job)
{
  return lk_audit_is_running (job) && job->limit_us > 0
         && self->event->time_us - job->start_us >= lk_audit_job_least_us (job);
}

/* Will it have ended, as long as it runs in one piece and for no longer than it may? */
static gboolean
is_over_by (const LkAuditJob *job, gint64 at_us)
{
  return job->limit_us > 0 && lk_audit_later_us (job->start_us, job->limit_us) <= at_us;
}

/* A job that was started since the promise, runs, was not to end before what was promised, and goes
 * behind. NULL: there is none. */
static const LkAuditJob *
culprit_of (const LkAudit *self, const LkAuditJob *job)
{
  for (guint i = 0; i < self->in_system->len; i++) {
    const LkAuditJob *other = g_ptr_array_index (self->in_system, i);
    if (lk_audit_is_running (other) && other->standing_seq > 0 && lk_audit_goes_before (job, other)
        && other->start_seq > job->promised_seq && !is_over_by (other, job->promised_us))
      return other;
  }
  return NULL;
}

/* A job was started behind its time, or one that goes before behind that of this job, as no pass
 * came, and holds up who comes next to what it has; or a task of an array was, behind which the
 * next one came. */
static gboolean
is_held_up (const LkAudit *self, const LkAuditJob *job)
{
  for (guint i = 0; i < self->in_system->len; i++) {
    const LkAuditJob *other = g_ptr_array_index (self->in_system, i);
    gboolean is_since = other->start_seq > job->promised_seq;
    if (!lk_audit_is_running (other) || other->start_seq < job->promised_seq)
      continue;
    if (is_since
        && (other->is_late
            || ((other->start_us > job->promised_us || other->array_id != 0)
                && lk_audit_goes_before (other, job))))
      return TRUE;
    /* A place that is told in the very pass that starts late ones may not yet be behind them. */
    if (!is_since && other->is_late && lk_audit_goes_before (other, job))
      return TRUE;
  }
  return FALSE;
}

/* Has it come to be planned later in this event?  Where no pass came at the moment for which it was
 * planned, the plan is made anew, and that is its cause. */
static gboolean
is_put_off (const LkAudit *self, const LkAuditJob *job)
{
  return job->standing_seq == self->event->seq && job->planned_us > job->planned_before_us
         && job->planned_before_us >= self->event->time_us;
}

gboolean
lk_audit_has_freed_before (LkAudit *self, const LkAuditJob *job)
{
  for (guint i = 0; i < self->in_system->len; i++) {
    const LkAuditJob *other = g_ptr_array_index (self->in_system, i);
    if (other->phase == LK_AUDIT_PENDING && other->standing_seq > 0 && lk_audit_is_limited (other)
        && lk_audit_goes_before (other, job) && !lk_audit_was_limited (self, other))
      return TRUE;
  }
  return FALSE;
}

/* Has one that goes before come forward in this event to where the job was to run, or been started
 * there? */
static gboolean
is_displaced_by_right (const LkAudit *self, const LkAuditJob *job)
{
  gint64 end_us = lk_audit_later_us (job->promised_us, job->limit_us);
  for (guint i = 0; i < self->in_system->len; i++) {
    const LkAuditJob *other = g_ptr_array_index (self->in_system, i);
    gboolean is_there = other->phase == LK_AUDIT_PENDING
                        || (lk_audit_is_running (other) && other->start_seq == self->event->seq);
    if (is_there && other->standing_seq == self->event->seq && other->planned_us < end_us
        && other->planned_before_us >= end_us
        && lk_audit_later_us (other->planned_us, other->limit_us) > job->promised_us
        && lk_audit_goes_before (other, job))
      return TRUE;
  }
  return FALSE;
}

/* Is it put off beyond what was promised in a pass that started a job that goes behind it? It may
 * come to be planned earlier again. */
static void
note_delay (LkAudit *self, LkAuditJob *job)
{
  if (!lk_audit_waits_for_room (job) || job->promised_us == LK_AUDIT_NEVER
      || job->planned_us == LK_AUDIT_NEVER || job->planned_us <= job->promised_us
      || !is_put_off (self, job) || job->promised_seq <= self->last_disturbed)
    return;
  const LkAuditJob *culprit = culprit_of (self, job);
  if (culprit == NULL || culprit->start_seq != self->event->seq || is_held_up (self, job)
      || is_displaced_by_right (self, job) || lk_audit_has_freed_before (self, job))
    return;
  job->delayed_by = culprit->id;
  job->delayed_seq = self->event->seq;
}

/* Of those that came to be planned for an earlier time in this event, and tasks of arrays that were
 * started, behind which the next one comes: the first of the queue.  NULL: there is none. */
static const LkAuditJob *
first_forward (const LkAudit *self)
{
  const LkAuditJob *first = NULL;
  for (guint i = 0; i < self->in_system->len; i++) {
    const LkAuditJob *job = g_ptr_array_index (self->in_system, i);
    gboolean is_forward = job->planned_us < job->planned_before_us
                          || (job->array_id != 0 && job->start_seq == self->event->seq);
    if (job->standing_seq == self->event->seq && is_forward
        && (first == NULL || lk_audit_goes_before (job, first)))
      first = job;
  }
  return first;
}

/* Where a plan is made anew, a job that goes before may come to the front of it; who is put off by
 * that is promised what it is told now. */
static void
renew_promise (LkAudit *self, LkAuditJob *job, const LkAuditJob *forward)
{
  if (job->promised_us != LK_AUDIT_NEVER && job->planned_us != LK_AUDIT_NEVER
      && job->standing_seq == self->event->seq && job->planned_us > job->promised_us
      && job->planned_us > job->planned_before_us && job->delayed_seq != self->event->seq
      && ((forward != NULL && lk_audit_goes_before (forward, job))
          || lk_audit_has_freed_before (self, job)))
    lk_audit_promise_give (self, job, job->planned_us);
}

/* No pass need have come at the moment that was promised. */
static void
check_late_start (LkAudit *self, LkAuditJob *job)
{
  if (job->start_seq != self->event->seq || job->promised_us >= job->start_us
      || job->delayed_seq <= job->promised_seq || job->promised_seq <= self->last_disturbed)
    return;
  lk_audit_find (self, LK_AUDIT_PROMISE, job,
                 "it was to start at %" G_GINT64_FORMAT " s, and later since job %u was started, "
                 "which goes behind it",
                 job->promised_us / G_USEC_PER_SEC, job->delayed_by);
}

static void
check_promise (LkAudit *self, LkAuditJob *job)
{
  if (job->phase != LK_AUDIT_PENDING || job->promised_us >= self->event->time_us
      || job->promised_seq <= self->last_disturbed
      || !(lk_audit_waits_for_room (job) || lk_audit_waits_with_others (self, job)))
    return;
  const LkAuditJob *culprit = culprit_of (self, job);
  if (culprit != NULL && !is_held_up (self, job) && !lk_audit_any_floats (self))
    lk_audit_find (self, LK_AUDIT_PROMISE, job,
                   "it was to start at %" G_GINT64_FORMAT " s and waits, and job %u, which goes "
                   "behind it, was started since",
                   job->promised_us / G_USEC_PER_SEC, culprit->id);
  lk_audit_promise_take (job);
}

/* It was started behind its time, and runs for longer than the plan has it until that is made anew:
 * what is told in the same pass may be too early. */
static gboolean
is_started_late (const LkAudit *self, const LkAuditJob *job)
{
  return job->is_late && lk_audit_is_running (job) && job->start_seq == self->event->seq;
}

void
lk_audit_check_promises (LkAudit *self)
{
  for (guint i = 0; i < self->in_system->len; i++)
    if (is_overdue (self, g_ptr_array_index (self->in_system, i))
        || is_started_late (self, g_ptr_array_index (self->in_system, i)))
      self->last_disturbed = self->event->seq;
  const LkAuditJob *forward = first_forward (self);
  for (guint i = 0; i < self->in_system->len; i++) {
    LkAuditJob *job = g_ptr_array_index (self->in_system, i);
    if (lk_audit_is_running (job))
      check_late_start (self, job);
    if (job->phase != LK_AUDIT_PENDING)
      continue;
    note_delay (self, job);
    renew_promise (self, job, forward);
    check_promise (self, job);
  }
}
