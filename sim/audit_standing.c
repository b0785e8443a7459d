/* sim/audit_standing.c — rules about how pending jobs stand: nobody passed who could start, and
 * reasons that are true.
 *
 * What was promised is looked at in audit_promises.c; policies that make no promise (none, replan,
 * slurm) are not held to one. */
#include <string.h>

#include "sim/audit.h"
#include "sim/audit_promises.h"

/* Tasks by index; behind them the job that stands for those that wait, unless only one does. */
static guint32
rank_in_array (const LkAuditJob *job)
{
  if (job->waiting.count == 0)
    return job->task;
  guint32 task = 0;
  while (job->waiting.count == 1 && task < job->waiting.limit && job->waiting.has[task] == 0)
    task++;
  return job->waiting.count == 1 ? task : G_MAXUINT32;
}

gboolean
lk_audit_goes_before (const LkAuditJob *a, const LkAuditJob *b)
{
  if (a->level != b->level)
    return a->level > b->level;
  if (a->key != b->key)
    return a->key < b->key;
  if (a->submit_us != b->submit_us)
    return a->submit_us < b->submit_us;
  guint32 id_a = a->array_id != 0 ? a->array_id : a->id;
  guint32 id_b = b->array_id != 0 ? b->array_id : b->id;
  if (id_a != id_b)
    return id_a < id_b;
  return rank_in_array (a) < rank_in_array (b);
}

static gboolean
policy_is (const LkAudit *self, const char *name)
{
  return strcmp (self->backfill, name) == 0;
}

static gboolean
makes_promises (const LkAudit *self)
{
  return policy_is (self, "easy") || policy_is (self, "conservative") || policy_is (self, "full");
}

gboolean
lk_audit_waits_for_room (const LkAuditJob *job)
{
  /* A component waits for the others, too. */
  return job->phase == LK_AUDIT_PENDING && job->standing_seq > 0 && job->het_leader == 0
         && (job->reason == AUDIT_REASON_PRIORITY || job->reason == AUDIT_REASON_RESOURCES);
}

gboolean
lk_audit_waits_with_others (const LkAudit *self, const LkAuditJob *job)
{
  if (job->het_leader == 0)
    return FALSE;
  for (guint i = 0; i < self->in_system->len; i++) {
    const LkAuditJob *other = g_ptr_array_index (self->in_system, i);
    if (other->het_leader == job->het_leader
        && (other->phase != LK_AUDIT_PENDING || other->standing_seq == 0
            || other->reason != AUDIT_REASON_RESOURCES))
      return FALSE;
  }
  return TRUE;
}

/* Nothing but others keeps it from starting: it waits for resources, or starts now. */
static gboolean
is_in_line (const LkAuditJob *job)
{
  return lk_audit_waits_for_room (job)
         || (job->standing_seq > 0 && job->reason == AUDIT_REASON_NONE);
}

static gboolean
has_started_any (const LkAudit *self)
{
  for (guint i = 0; i < self->in_system->len; i++)
    if (((const LkAuditJob *)g_ptr_array_index (self->in_system, i))->start_seq == self->event->seq)
      return TRUE;
  return FALSE;
}

gboolean
lk_audit_is_limited (const LkAuditJob *job)
{
  switch (job->reason) {
#define X(NAME, number, text) case number:
    LK_LIMIT_REASONS (X)
#undef X
    return TRUE;
  default:
    return FALSE;
  }
}

/* Behind the pass a limit may keep it that those who started in the pass have used up. */
gboolean
lk_audit_may_have_stood (const LkAudit *self, const LkAuditJob *job)
{
  return job->phase == LK_AUDIT_PENDING && job->standing_seq > 0
         && (job->reason == AUDIT_REASON_NONE || job->reason == AUDIT_REASON_PRIORITY
             || job->reason == AUDIT_REASON_RESOURCES || job->reason == AUDIT_REASON_LICENSES
             || job->het_leader != 0
             || ((lk_audit_is_limited (job) || job->reason == AUDIT_REASON_ARRAY_TASK_LIMIT)
                 && has_started_any (self)));
}

/* ---------------------------------------------------------------- how they stand */

void
lk_audit_take_standing (LkAudit *self, const LkAuditDecided_standing *standing)
{
  LkAuditJob *job = lk_audit_job (self, standing->job_id);
  if (job == NULL || job->phase != LK_AUDIT_PENDING) {
    lk_audit_find (self, LK_AUDIT_JOB, job, "standing of job %u, which is not pending",
                   standing->job_id);
    return;
  }
  gboolean is_new =
      job->standing_seq == 0 || job->key != standing->key || job->level != standing->level;
  gboolean was_in_line = is_in_line (job);
  job->is_late = job->planned_us != LK_AUDIT_NEVER && job->planned_us < self->event->time_us;
  if (is_new)
    lk_audit_promise_take (job);
  if (job->standing_seq != self->event->seq)
    job->planned_before_us = job->planned_us;
  job->key = standing->key;
  job->level = standing->level;
  job->reason = standing->reason;
  job->planned_us = standing->planned_us;
  job->standing_seq = self->event->seq;
  /* Those who were promised something before the job came to stand before them have a worse right
   * than it. */
  if (is_new || was_in_line != is_in_line (job))
    lk_audit_promise_take_behind (self, job);
  /* What keeps one component takes the place of all. */
  if (job->het_leader != 0 && job->planned_us == LK_AUDIT_NEVER)
    lk_audit_promise_take (job);
  if (job->promised_us == LK_AUDIT_NEVER && job->planned_us != LK_AUDIT_NEVER)
    lk_audit_promise_give (self, job, job->planned_us);
}

/* ---------------------------------------------------------------- order */

/* Units of a pool that are taken at the moment by those that run, and those that are planned. */
static guint64
units_planned_at (const LkAudit *self, const LkAuditJob *except, gint64 at_us)
{
  guint64 units = 0;
  for (guint i = 0; i < self->in_system->len; i++) {
    const LkAuditJob *job = g_ptr_array_index (self->in_system, i);
    if (job == except)
      continue;
    if (job->phase == LK_AUDIT_RUNNING && at_us < lk_audit_later_us (job->start_us, job->limit_us))
      units += job->units;
    else if (job->phase == LK_AUDIT_PENDING && job->planned_us <= at_us
             && at_us < lk_audit_later_us (job->planned_us, job->limit_us))
      units += job->procs;
  }
  return units;
}

/* Where every job keeps what it was promised: could one start now for sure, and delay nobody? */
static gboolean
leaves_promises (const LkAudit *self, const LkAuditJob *job)
{
  gint64 end_us = lk_audit_later_us (self->event->time_us, job->limit_us);
  for (guint i = 0; i < self->in_system->len; i++) {
    const LkAuditJob *other = g_ptr_array_index (self->in_system, i);
    if (other == job || other->phase != LK_AUDIT_PENDING || other->planned_us >= end_us)
      continue;
    /* Which nodes it is to have, and when tasks that come behind it are to start, is not known. */
    if (self->site.nodes->len > 0 || other->waiting.count > 0
        || units_planned_at (self, job, MAX (other->planned_us, self->event->time_us)) + job->procs
               > self->units_total)
      return FALSE;
  }
  return TRUE;
}

/* Something else than others is in its way, whatever it is. */
static gboolean
is_kept (const LkAuditJob *job)
{
  return job->is_held || job->reason == AUDIT_REASON_BEGIN_TIME
         || job->reason == AUDIT_REASON_DEPENDENCY
         || job->reason == AUDIT_REASON_DEPENDENCY_NEVER_SATISFIED
         || job->reason == AUDIT_REASON_ARRAY_TASK_LIMIT
         || job->reason == AUDIT_REASON_PARTITION_DOWN
         || job->reason == AUDIT_REASON_PARTITION_INACTIVE || lk_audit_is_limited (job);
}

/* Of all that wait and may stand in line, the first. */
static LkAuditJob *
first_in_line (const LkAudit *self)
{
  LkAuditJob *first = NULL;
  for (guint i = 0; i < self->in_system->len; i++) {
    LkAuditJob *job = g_ptr_array_index (self->in_system, i);
    if (job->phase == LK_AUDIT_PENDING && job->standing_seq > 0
        && (job->het_leader == 0 || lk_audit_waits_with_others (self, job)) && !is_kept (job)
        && (first == NULL || lk_audit_goes_before (job, first)))
      first = job;
  }
  return first;
}

/* Did a job that goes behind it start in this pass? */
static gboolean
is_passed (const LkAudit *self, const LkAuditJob *job)
{
  for (guint i = 0; i < self->in_system->len; i++) {
    const LkAuditJob *other = g_ptr_array_index (self->in_system, i);
    if (other->start_seq == self->event->seq && lk_audit_is_running (other)
        && other->standing_seq > 0 && lk_audit_goes_before (job, other))
      return TRUE;
  }
  return FALSE;
}

/* The first of those that wait for resources could start: nobody may be waiting for it. Slurm's own
 * loop may not have come to it yet; and a plan that is kept need not be the tightest one, as long
 * as that is nobody's gain. */
static void
check_order (LkAudit *self)
{
  if (policy_is (self, "slurm"))
    return;
  LkAuditJob *first = first_in_line (self);
  gboolean promises = policy_is (self, "conservative") || policy_is (self, "full");
  if (first != NULL && lk_audit_waits_for_room (first) && lk_audit_could_start (self, first)
      && !lk_audit_has_freed_before (self, first)
      && (!promises
          || ((is_passed (self, first) || first->planned_us <= self->event->time_us
               || first->planned_us == LK_AUDIT_NEVER)
              && leaves_promises (self, first))))
    lk_audit_find (self, LK_AUDIT_ORDER, first,
                   "it is the first of the queue, could start, and "
                   "does not");
}

/* Under `none` nobody passes anybody. */
static void
check_passing (LkAudit *self)
{
  if (!policy_is (self, "none"))
    return;
  for (guint i = 0; i < self->in_system->len; i++) {
    const LkAuditJob *started = g_ptr_array_index (self->in_system, i);
    /* Components start where the first one stands. */
    if (!lk_audit_is_running (started) || started->start_seq != self->event->seq
        || started->standing_seq == 0
        || (started->het_leader != 0 && started->het_leader != started->id))
      continue;
    for (guint j = 0; j < self->in_system->len; j++) {
      const LkAuditJob *job = g_ptr_array_index (self->in_system, j);
      /* Who waits for room in a reservation is in nobody's way. */
      if (lk_audit_waits_for_room (job) && job->reservation[0] == '\0'
          && job->standing_seq < self->event->seq && lk_audit_goes_before (job, started))
        lk_audit_find (self, LK_AUDIT_ORDER, started, "it starts before job %u", job->id);
    }
  }
}

/* ---------------------------------------------------------------- reasons */

static gboolean
has_other_waiting (const LkAudit *self, const LkAuditJob *job)
{
  for (guint i = 0; i < self->in_system->len; i++) {
    const LkAuditJob *other = g_ptr_array_index (self->in_system, i);
    if (other != job && other->phase == LK_AUDIT_PENDING)
      return TRUE;
  }
  return FALSE;
}

/* One that goes in a pass, because it is displaced, makes room behind it. */
static gboolean
has_lost_task (const LkAudit *self, const LkAuditJob *job)
{
  for (guint i = 0; i < self->tasks->len; i++) {
    const LkAuditJob *task = g_ptr_array_index (self->tasks, i);
    if (task->array_id == job->array_id && task->left_seq == self->event->seq)
      return TRUE;
  }
  return FALSE;
}

static gboolean
array_is_full (const LkAudit *self, const LkAuditJob *job)
{
  guint32 running = 0;
  for (guint i = 0; i < self->in_system->len; i++) {
    const LkAuditJob *other = g_ptr_array_index (self->in_system, i);
    running += other->array_id == job->array_id && lk_audit_is_running (other);
  }
  return job->array_id != 0 && job->array_limit > 0
         && (running >= job->array_limit || has_lost_task (self, job));
}

/* NULL: the reason holds, or cannot be told. */
static const char *
what_is_wrong (const LkAudit *self, const LkAuditJob *job)
{
  switch (job->reason) {
  case AUDIT_REASON_NONE:
    /* A component that has started goes back behind the pass when another one could not stay. */
    return policy_is (self, "slurm") || job->left_seq == self->event->seq ? NULL : "it has none";
  case AUDIT_REASON_HELD_USER:
  case AUDIT_REASON_HELD_ADMIN:
    return job->is_held ? NULL : "nobody holds it";
  case AUDIT_REASON_BEGIN_TIME:
    /* The time of one that came back, to wait for a pass that is late, may have come meanwhile: the
     * pass leaves it to a timer at once. */
    return job->begin_us > self->event->time_us || self->wakes_at_once ? NULL : "its time has come";
  case AUDIT_REASON_DEPENDENCY:
    return lk_audit_has_met (self, job) ? "all has come that it depends on" : NULL;
  case AUDIT_REASON_ARRAY_TASK_LIMIT:
    return array_is_full (self, job) ? NULL : "its array has room";
  case AUDIT_REASON_LICENSES:
    return lk_audit_lacked_license (self, job) || lk_audit_any_licenses (self)
               ? NULL
               : "there are enough licences";
  case AUDIT_REASON_PRIORITY:
    /* Slurm leaves it until its next loop, though the others may have gone. */
    return policy_is (self, "slurm") || has_other_waiting (self, job) ? NULL
                                                                      : "there is no other job";
  default:
    return NULL;
  }
}

static void
check_reason (LkAudit *self, const LkAuditJob *job)
{
  /* It ran when the pass told how jobs stand, as a component whose job goes back behind it. */
  if (job->left_seq == self->event->seq && job->standing_seq != self->event->seq)
    return;
  if (job->standing_seq == 0) {
    lk_audit_find (self, LK_AUDIT_REASON, job, "it waits, and no pass told why");
    return;
  }
  /* Of who comes back behind a pass, the next one tells it. */
  const char *wrong = job->left_seq < self->event->seq ? what_is_wrong (self, job) : NULL;
  if (wrong != NULL)
    lk_audit_find (self, LK_AUDIT_REASON, job, "its reason is %s, and %s",
                   lk_audit_reason_text (job->reason), wrong);
}

/* ---------------------------------------------------------------- behind a pass */

void
lk_audit_check_pass (LkAudit *self)
{
  if (self->header.tells_standing == 0)
    return;
  if (makes_promises (self))
    lk_audit_check_promises (self);
  for (guint i = 0; i < self->in_system->len; i++) {
    const LkAuditJob *job = g_ptr_array_index (self->in_system, i);
    if (job->phase == LK_AUDIT_PENDING)
      check_reason (self, job);
  }
  /* What a pass leaves to another one at its very moment is not left to wait. */
  if (!self->wakes_at_once)
    check_order (self);
  check_passing (self);
}
