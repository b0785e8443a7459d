/* engine/engine_pass.c — one scheduling pass: what the backfill policy may ask and do, and the next
 * wake-up.
 *
 * This is the only place from which a job is started. */
#include "engine/assert.h"
#include "engine/checked.h"
#include "engine/engine_array.h"
#include "engine/engine_dependency.h"
#include "engine/engine_gang.h"
#include "engine/engine_het.h"
#include "engine/engine_life.h"
#include "engine/engine_time_min.h"
#include "engine/in_partition.h"
#include "engine/pass_nodes.h"
#include "engine/plan.h"

/* ---------------------------------------------------------------- the policy's handle */

static void
start (LkEngine *self, LkJobIndex job, guint32 first_piece)
{
  gboolean backfilled = lk_rank_first (self->queue) != job;
  LkJobIndex record = job;
  if (lk_engine_is_record (self, record))
    job = lk_engine_array_next (self, record);
  lk_engine_stay_away (self, record, job);
  lk_engine_tell_start (self, job);
  lk_engine_start (self, job, first_piece);
  lk_engine_started_short (self, record, job);
  LkDecision decision = { .kind = LK_DECISION_START, .job = job };
  decision.start.job_id = self->jobs.id[job];
  decision.start.units = self->jobs.units[job];
  decision.start.backfilled = (guint8)backfilled;
  if (self->machine != NULL)
    lk_engine_place_text (self, job, &decision.start);
  lk_engine_emit (self, &decision);
  if (job != record && lk_engine_array_goes_on (self, record)) {
    self->again = record;
    lk_engine_note_changed (self, record);
  }
}

static void
check_startable (const LkEngine *self, LkJobIndex job)
{
  LK_ASSERT (self->in_pass);
  LK_ASSERT (job < self->jobs.limit);
  LK_ASSERT (self->jobs.phase[job] == LK_PHASE_QUEUED);
}

/* A limit keeps the job from starting now: it leaves the queue. */
gboolean
lk_engine_block (LkEngine *self, LkJobIndex job)
{
  if (self->jobs.array_job_id[job] != 0 && lk_array_is_full (lk_engine_array_of (self, job))) {
    lk_engine_settle (self, job);
    self->parked_in_pass = TRUE;
    return TRUE;
  }
  if (self->book == NULL || !lk_engine_is_blocked (self, job))
    return FALSE;
  lk_engine_dequeue (self, job);
  lk_engine_park (self, job);
  self->parked_in_pass = TRUE;
  return TRUE;
}

/* What it would be given is more than it asked for, and too much. */
static gboolean
is_blocked_there (LkEngine *self, LkJobIndex job, guint32 first_piece)
{
  return self->book != NULL && self->machine != NULL
         && lk_engine_is_blocked_there (self, job, first_piece);
}

static void
park_in_pass (LkEngine *self, LkJobIndex job)
{
  lk_engine_go_home (self);
  lk_engine_dequeue (self, job);
  lk_engine_park (self, job);
  self->parked_in_pass = TRUE;
}

/* It could start in a place that was found for it now. */
static gboolean
block_there (LkEngine *self, LkJobIndex job, guint32 first_piece)
{
  if (!is_blocked_there (self, job, first_piece))
    return FALSE;
  lk_placer_discard (&self->placer, first_piece);
  park_in_pass (self, job);
  return TRUE;
}

/* It could start in the place that a kept plan has for it, and gives that back, to be offered. */
static gboolean
block_reserved (LkEngine *self, LkPlan *plan, LkJobIndex job, guint32 first_piece)
{
  const LkBackfillPolicy *backfill = self->config.backfill;
  if (!is_blocked_there (self, job, first_piece))
    return FALSE;
  gint64 to_us = lk_piece (&self->machine->nodes, first_piece)->to_us;
  lk_plan_ops.note_given (plan, &self->view, job);
  lk_plan_ops.release (plan, &self->view, job);
  park_in_pass (self, job);
  backfill->given_back (self->instances[LK_INSTANCE_BACKFILL].self, &self->view, self->view.now_us,
                        to_us);
  return TRUE;
}

gboolean
lk_engine_start_there (LkEngine *self, LkJobIndex job, guint32 first_piece)
{
  const LkBackfillPolicy *backfill = self->config.backfill;
  if (block_there (self, job, first_piece))
    return FALSE;
  /* A policy that keeps a plan gives up what it has reserved for it. */
  if (backfill->job_dequeued != NULL)
    backfill->job_dequeued (self->instances[LK_INSTANCE_BACKFILL].self, &self->view, job);
  lk_engine_gang_make_way (self, job, first_piece);
  start (self, job, first_piece);
  return TRUE;
}

static int32_t
pass_is_allowed (void *pass, LkJobIndex job)
{
  LkEngine *self = pass;
  check_startable (self, job);
  return !lk_engine_block (self, job);
}

gboolean
lk_engine_can_start (LkEngine *self, LkJobIndex job)
{
  if (self->machine == NULL)
    return self->jobs.units[job] <= self->view.units_free;
  return lk_plan_ops.earliest (self->bare, &self->view, job, self->view.now_us,
                               self->view.now_us + 1)
         == self->view.now_us;
}

static int32_t
pass_can_start (void *pass, LkJobIndex job)
{
  check_startable (pass, job);
  return lk_engine_can_start (pass, job);
}

static void
pass_start (void *pass, LkJobIndex job)
{
  LkEngine *self = pass;
  guint32 first_piece = LK_PIECE_NONE;
  check_startable (self, job);
  if (lk_engine_block (self, job))
    return;
  if (self->machine != NULL) {
    const LkPlan *bare = self->bare;
    if (bare->found_job != job) {
      gboolean fits = pass_can_start (pass, job);
      LK_ASSERT (fits);
    }
    first_piece = lk_plan_take (self->bare, &self->view, job);
  }
  if (!block_there (self, job, first_piece))
    start (self, job, first_piece);
}

/* A job that named several partitions leaves the queue only when it is limited in all of them,
 * which was looked at when the queue handed it out. */
static gboolean
is_limited (LkEngine *self, LkJobIndex job)
{
  gboolean is_full =
      self->jobs.array_job_id[job] != 0 && lk_array_is_full (lk_engine_array_of (self, job));
  if (is_full || !self->config.backfill->tries_partitions
      || lk_engine_partition_count (self, job) == 1)
    return lk_engine_block (self, job);
  return self->book != NULL && lk_engine_limit_reason (self, job) != LK_REASON_NONE;
}

/* The nodes that the plan without reservations has just found are taken. */
static uint32_t
pass_try_start (void *pass, LkJobIndex job, const uint64_t *nodes)
{
  LkEngine *self = pass;
  check_startable (self, job);
  if (is_limited (self, job))
    return LK_TRY_LIMIT;
  if (self->jobs.stuck_reason[job] != LK_REASON_NONE) {
    lk_engine_hold_stuck (self, job);
    return LK_TRY_UNAVAILABLE;
  }
  uint32_t outcome = lk_pass_find_now (self, job, nodes);
  /* Else the policy notes why. */
  if (outcome != LK_TRY_BUSY)
    lk_engine_drop_reason (self, job);
  if (outcome != LK_TRY_STARTED)
    return outcome;
  guint32 first_piece = LK_PIECE_NONE;
  if (self->machine != NULL)
    first_piece = lk_plan_take (self->bare, &self->view, job);
  if (block_there (self, job, first_piece))
    return LK_TRY_LIMIT;
  start (self, job, first_piece);
  return LK_TRY_STARTED;
}

static void
pass_start_planned (void *pass, void *plan, LkJobIndex job)
{
  LkEngine *self = pass;
  check_startable (self, job);
  if (lk_engine_block (self, job))
    return;
  guint32 reserved_piece =
      self->config.backfill->given_back != NULL ? lk_plan_place (plan, job) : LK_PIECE_NONE;
  if (reserved_piece != LK_PIECE_NONE && block_reserved (self, plan, job, reserved_piece))
    return;
  guint32 first_piece = lk_plan_take (plan, &self->view, job);
  if (reserved_piece != LK_PIECE_NONE || !block_there (self, job, first_piece))
    start (self, job, first_piece);
}

static const LkRank *
queue_of (const LkEngine *self, guint32 queue)
{
  gboolean own = queue == LK_QUEUE_BACKFILL && self->backfill_queue != NULL;
  return own ? self->backfill_queue : self->queue;
}

/* Of a job that has started a task: is it in the queue, and such as the filter lets through? */
static gboolean
stays (const LkEngine *self, LkJobIndex job, const LkQueueFilter *filter)
{
  const LkJobTable *jobs = &self->jobs;
  if (job == LK_JOB_NONE || jobs->phase[job] != LK_PHASE_QUEUED)
    return FALSE;
  return filter == NULL
         || (jobs->units[job] <= filter->units_max
             && (jobs->estimate_us[job] <= filter->short_us
                 || jobs->units[job] <= filter->units_long_max));
}

static LkJobIndex
pass_queue_next (void *pass, uint32_t queue, LkJobIndex after, const LkQueueFilter *filter)
{
  LkEngine *self = pass;
  if (after == LK_JOB_NONE)
    lk_engine_drop_reasons (self);
  gboolean is_again = after == self->again && stays (self, after, filter);
  LkJobIndex job = is_again ? after : lk_rank_next (queue_of (self, queue), after, filter);
  self->again = LK_JOB_NONE;
  if ((self->book == NULL && self->arrays.throttled_count == 0)
      || self->config.backfill->job_dequeued != NULL)
    return job;
  while (job != LK_JOB_NONE && lk_engine_block (self, job))
    job = lk_rank_next (queue_of (self, queue), job, filter);
  return job;
}

static LkJobIndex
pass_queue_first (void *pass, uint32_t queue)
{
  return pass_queue_next (pass, queue, LK_JOB_NONE, NULL);
}

static int32_t
pass_queue_before (void *pass, uint32_t queue, LkJobIndex a, LkJobIndex b)
{
  return lk_rank_before (queue_of (pass, queue), a, b);
}

static int64_t
pass_shadow (void *pass, uint32_t units, uint32_t *out_units_free)
{
  const LkEngine *self = pass;
  const LkView *view = &self->view;
  *out_units_free = view->units_free;
  if (units <= view->units_free)
    return view->now_us;
  guint64 released = 0;
  LkJobIndex job = lk_rank_reach (self->running, units - view->units_free, &released);
  if (job == LK_JOB_NONE) {
    *out_units_free = 0;
    return LK_TIME_NEVER;
  }
  gint64 end_us = self->jobs.expected_end_us[job];
  if (end_us < view->now_us) {
    /* Overdue jobs count as ending now, all of them. */
    released = 0;
    for (job = lk_rank_first (self->running);
         job != LK_JOB_NONE && self->jobs.expected_end_us[job] <= view->now_us;
         job = lk_rank_next (self->running, job, NULL))
      released += self->jobs.units[job];
    end_us = view->now_us;
  }
  *out_units_free = view->units_free + (guint32)released;
  return end_us;
}

static LkJobIndex
pass_running_next (void *pass, LkJobIndex after)
{
  const LkEngine *self = pass;
  return lk_rank_next (self->running, after, NULL);
}

static void
pass_wake (void *pass, int64_t at_us)
{
  LkEngine *self = pass;
  LK_ASSERT (at_us > self->view.now_us);
  self->policy_wake_us = MIN (self->policy_wake_us, at_us);
}

static uint32_t
pass_preempt_for (void *pass, LkJobIndex job, const uint64_t *nodes, uint64_t *out_nodes)
{
  LkEngine *self = pass;
  check_startable (self, job);
  LK_ASSERT (self->config.backfill->preempts);
  if (self->preemption == NULL || lk_engine_block (self, job))
    return LK_MADE_NONE;
  return lk_engine_preempt_for (self, job, nodes, out_nodes);
}

static int32_t
pass_can_preempt (void *pass, LkJobIndex a, LkJobIndex b)
{
  const LkEngine *self = pass;
  if (a == LK_JOB_NONE || b == LK_JOB_NONE)
    return self->preemption != NULL;
  return self->preemption != NULL
         && self->config.preempt->may_preempt (self->instances[LK_INSTANCE_PREEMPT].self,
                                               &self->view, a, b);
}

static uint32_t
pass_preempt_mode (void *pass, LkJobIndex job)
{
  const LkEngine *self = pass;
  LK_ASSERT (self->jobs.phase[job] == LK_PHASE_RUNNING);
  return self->preemption != NULL ? self->config.preempt->mode (
             self->instances[LK_INSTANCE_PREEMPT].self, &self->view, job)
                                  : LK_PREEMPT_OFF;
}

static uint32_t
pass_plan_hets (void *pass, void *plan, LkJobIndex before, uint32_t most)
{
  return lk_engine_plan_hets (pass, plan, before, most);
}

static uint32_t
pass_het_count (void *pass)
{
  const LkEngine *self = pass;
  return self->hets->len > 0 ? self->het_order->len : 0;
}

static uint32_t
pass_het_components (void *pass, uint32_t place, const LkJobIndex **out_jobs)
{
  return lk_engine_het_components (pass, place, out_jobs);
}

static int32_t
pass_het_start (void *pass, uint32_t place, const uint64_t *const *nodes,
                const uint32_t *partitions)
{
  return lk_engine_het_start (pass, place, nodes, partitions);
}

static void
pass_het_planned (void *pass, uint32_t place, int64_t start_us)
{
  lk_engine_het_set_planned (pass, place, start_us);
}

static const LkPassOps pass_ops = {
  .size = sizeof (LkPassOps),
  .abi = LK_POLICY_ABI,
  .start = pass_start,
  .queue_first = pass_queue_first,
  .queue_next = pass_queue_next,
  .queue_before = pass_queue_before,
  .shadow = pass_shadow,
  .running_next = pass_running_next,
  .wake = pass_wake,
  .can_start = pass_can_start,
  .start_planned = pass_start_planned,
  .is_allowed = pass_is_allowed,
  .nodes_usable = lk_pass_nodes_usable,
  .nodes_of_partition = lk_pass_nodes_of_partition,
  .nodes_eligible = lk_pass_nodes_eligible,
  .nodes_required = lk_pass_nodes_required,
  .nodes_of_job = lk_pass_nodes_of_job,
  .try_start = pass_try_start,
  .will_run = lk_pass_will_run,
  .licenses_free = lk_pass_licenses_free,
  .priority = lk_pass_priority,
  .note_reason = lk_pass_note_reason,
  .preempt_for = pass_preempt_for,
  .can_preempt = pass_can_preempt,
  .leave_out_reserved = lk_pass_leave_out_reserved,
  .partition_count = lk_pass_partition_count,
  .visit_partition = lk_pass_visit_partition,
  .license_count = lk_pass_license_count,
  .licenses_of = lk_pass_licenses_of,
  .licenses_reserved = lk_pass_licenses_reserved,
  .preempt_mode = pass_preempt_mode,
  .plan_hets = pass_plan_hets,
  .het_count = pass_het_count,
  .het_components = pass_het_components,
  .het_start = pass_het_start,
  .het_planned = pass_het_planned,
  .visit_least_limit = lk_pass_visit_least_limit,
  .nodes_of_short = lk_pass_nodes_of_short,
  .lengthen_short = lk_pass_lengthen_short,
  .wants_look = lk_pass_wants_look,
  .begin_look = lk_pass_begin_look,
};

/* ---------------------------------------------------------------- keys that change with time */

static gint64
order_key (gpointer user, LkJobIndex job)
{
  LkEngine *self = user;
  return lk_engine_rank_key (
      self, job,
      self->config.order->key (self->instances[LK_INSTANCE_ORDER].self, &self->view, job));
}

static gint64
backfill_order_key (gpointer user, LkJobIndex job)
{
  LkEngine *self = user;
  void *order = self->instances[LK_INSTANCE_BACKFILL_ORDER].self;
  return lk_engine_rank_key (self, job, self->config.backfill_order->key (order, &self->view, job));
}

static gint64
key_at_hand (gpointer user, LkJobIndex job)
{
  const LkEngine *self = user;
  return self->keys[job];
}

/* Asks for the keys in the order of the job table, which is that of memory, before the queue is
 * looked at. */
static gboolean
refresh_queue (LkEngine *self, LkRank *queue, gint64 *column,
               gint64 (*key) (gpointer user, LkJobIndex job))
{
  for (LkJobIndex job = 0; job < self->jobs.limit; job++) {
    if (self->jobs.phase[job] == LK_PHASE_QUEUED)
      self->keys[job] = key (self, job);
    else if (self->jobs.phase[job] == LK_PHASE_BLOCKED)
      column[job] = key (self, job);
  }
  return lk_rank_rekey (queue, key_at_hand, self);
}

static void
tell_order (LkEngine *self)
{
  const LkBackfillPolicy *backfill = self->config.backfill;
  if (backfill->order_changed != NULL)
    backfill->order_changed (self->instances[LK_INSTANCE_BACKFILL].self, &self->view);
}

void
lk_engine_refresh_order (LkEngine *self)
{
  if (self->key_limit < self->jobs.limit) {
    self->key_limit = self->jobs.capacity;
    self->keys = g_renew (gint64, self->keys, self->key_limit);
  }
  if (refresh_queue (self, self->queue, self->jobs.rank_key, order_key))
    tell_order (self);
  if (self->backfill_queue != NULL)
    refresh_queue (self, self->backfill_queue, self->jobs.backfill_rank_key, backfill_order_key);
}

static void
refresh_dynamic (LkEngine *self)
{
  if (self->order_dynamic && lk_rank_rekey (self->queue, order_key, self))
    tell_order (self);
  if (self->backfill_order_dynamic)
    lk_rank_rekey (self->backfill_queue, backfill_order_key, self);
}

/* ---------------------------------------------------------------- the pass */

static void
run_policy (LkEngine *self)
{
  const LkBackfillPolicy *backfill = self->config.backfill;
  /* A policy that keeps a plan has got room back where a limit took a job out of it. */
  do {
    self->parked_in_pass = FALSE;
    lk_engine_het_pass_again (self);
    backfill->pass (self->instances[LK_INSTANCE_BACKFILL].self, &self->view, &pass_ops, self);
  } while (self->parked_in_pass && backfill->job_dequeued != NULL);
  lk_engine_end_short (self);
  lk_engine_go_home (self);
}

/* Behind the policy: whom a limit takes out of a kept plan there has given room back, and the next
 * pass, at once, offers it. */
static void
end_preemption (LkEngine *self)
{
  self->parked_in_pass = FALSE;
  lk_engine_preempt_end (self);
  if (self->parked_in_pass && self->config.backfill->job_dequeued != NULL)
    self->preemption->wake_us = self->view.now_us;
}

void
lk_engine_pass (LkEngine *self)
{
  lk_engine_end_hopeless (self);
  if (self->view.pending_count == 0)
    lk_engine_drop_reasons (self);
  refresh_dynamic (self);
  self->changed = FALSE;
  self->policy_wake_us = LK_TIME_NEVER;
  self->in_pass = TRUE;
  self->node_ends.is_valid = FALSE;
  if (self->preemption != NULL)
    lk_engine_preempt_begin (self);
  lk_engine_het_pass_begin (self);
  if (self->preemption != NULL)
    lk_engine_preempt_first (self);
  run_policy (self);
  /* Once more where a heterogeneous job has left room. */
  if (lk_engine_het_pass_end (self)) {
    run_policy (self);
    lk_engine_het_pass_end (self);
  }
  if (self->preemption != NULL)
    end_preemption (self);
  self->in_pass = FALSE;
  self->again = LK_JOB_NONE;
  if (self->machine != NULL)
    lk_plan_forget_found (self->bare);
  lk_engine_tell_standing (self);
  lk_engine_ask_wake (self);
}

gint64
lk_engine_next_limit_us (const LkEngine *self)
{
  LkJobIndex job = self->limits_are_exact ? lk_rank_first (self->running) : LK_JOB_NONE;
  while (job != LK_JOB_NONE && self->jobs.kill_why[job] != 0)
    job = lk_rank_next (self->running, job, NULL);
  return job != LK_JOB_NONE ? self->jobs.expected_end_us[job] : LK_TIME_NEVER;
}

void
lk_engine_ask_wake (LkEngine *self)
{
  gint64 at_us = MIN (lk_engine_next_limit_us (self), self->policy_wake_us);
  at_us = MIN (at_us, lk_engine_next_begin_us (self));
  at_us = MIN (at_us, lk_engine_next_dependency_us (self));
  at_us = MIN (at_us, lk_engine_next_cycle_us (self));
  at_us = MIN (at_us, lk_engine_next_alarm_us (self));
  at_us = MIN (at_us, lk_engine_next_reservation_us (self));
  at_us = MIN (at_us, lk_engine_next_preempt_us (self));
  at_us = MIN (at_us, lk_engine_next_turn_us (self));
  at_us = MIN (at_us, lk_engine_next_het_us (self));
  if (self->deadlines->len > 0)
    at_us = MIN (at_us, g_array_index (self->deadlines, gint64, 0));
  /* A time limit that was lowered may have passed already. */
  at_us = MAX (at_us, self->view.now_us);
  /* An earlier request stands: when it comes, this is asked again.  That costs fewer decisions than
   * taking every request back. */
  if (at_us >= self->wake_us)
    return;
  self->wake_us = at_us;
  LkDecision decision = { .kind = LK_DECISION_WAKE, .job = LK_JOB_NONE };
  decision.wake.at_us = at_us;
  lk_engine_emit (self, &decision);
}
