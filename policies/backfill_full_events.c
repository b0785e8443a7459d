/* policies/backfill_full_events.c — what `full` is told of between passes.
 *
 * Nothing is looked for here: what is given back is noted and taken out of the plan, who comes is
 * listed, and what makes the plan untrue is remembered. */
#include "policies/backfill_full.h"

void
lk_full_job_queued (void *user, const LkView *view, LkJobIndex job)
{
  LkFull *self = user;
  lk_full_ready (self, view);
  self->start_us[job] = LK_TIME_NEVER;
  self->stand[job] = LK_FULL_ARRIVED;
  g_array_append_val (self->arrivals, job);
}

/* Gives a reservation back, to be offered. */
static void
leave_plan (LkFull *self, const LkView *view, LkJobIndex job)
{
  self->compress = TRUE;
  if (!self->rebuild) {
    self->plan_ops->note_given (self->plan, view, job);
    self->plan_ops->release (self->plan, view, job);
    lk_full_give_up (self, view, job);
  }
  self->start_us[job] = LK_TIME_NEVER;
}

void
lk_full_job_dequeued (void *user, const LkView *view, LkJobIndex job)
{
  LkFull *self = user;
  lk_full_ready (self, view);
  uint8_t stand = self->stand[job];
  lk_full_forget_unplaced (self, job);
  self->stand[job] = LK_FULL_NONE;
  if (stand == LK_FULL_ARRIVED)
    lk_full_remove_job (self->arrivals, job);
  if (stand != LK_FULL_PLANNED)
    return;
  lk_full_remove_job (self->planned, job);
  leave_plan (self, view, job);
}

/* Who loses a reservation is placed as one that comes. */
void
lk_full_nodes_changed (void *user, const LkView *view, int32_t came_back)
{
  LkFull *self = user;
  guint kept = 0;
  lk_full_ready (self, view);
  if (self->rebuild)
    return;
  if (came_back) {
    lk_full_give_back (self, view->now_us, LK_TIME_NEVER);
    self->compress = TRUE;
  }
  for (guint i = 0; i < self->planned->len; i++) {
    LkJobIndex job = g_array_index (self->planned, LkJobIndex, i);
    if (!self->plan_ops->is_lost (self->plan, view, job)) {
      g_array_index (self->planned, LkJobIndex, kept++) = job;
      continue;
    }
    leave_plan (self, view, job);
    self->stand[job] = LK_FULL_ARRIVED;
    g_array_append_val (self->arrivals, job);
    self->has_lost = TRUE;
  }
  g_array_set_size (self->planned, kept);
}

void
lk_full_job_ended (void *user, const LkView *view, LkJobIndex job)
{
  LkFull *self = user;
  int64_t expected_us = view->jobs->expected_end_us[job];
  lk_full_ready (self, view);
  if (expected_us <= view->now_us || self->rebuild)
    return;
  self->plan_ops->job_ended (self->plan, view, job);
  lk_full_give_back (self, view->now_us, expected_us);
  self->compress = TRUE;
}

void
lk_full_machine_changed (void *user, const LkView *view)
{
  LkFull *self = user;
  lk_full_ready (self, view);
  self->rebuild = TRUE;
}

void
lk_full_order_changed (void *user, const LkView *view)
{
  LkFull *self = user;
  (void)view;
  self->order_changed = TRUE;
  self->is_sorted = self->is_unplaced_sorted = FALSE;
}

void
lk_full_given_back (void *user, const LkView *view, int64_t from_us, int64_t to_us)
{
  LkFull *self = user;
  lk_full_ready (self, view);
  if (self->rebuild)
    return;
  lk_full_give_back (self, from_us, to_us);
  lk_start_bounds_give (self->bounds, from_us,
                        self->plan_ops->size_max (self->plan, view, from_us, to_us));
  self->compress = TRUE;
}

int64_t
lk_full_planned_start_us (void *user, const LkView *view, LkJobIndex job)
{
  const LkFull *self = user;
  (void)view;
  return job < self->limit ? self->start_us[job] : LK_TIME_NEVER;
}

void
lk_full_planned_nodes (void *user, const LkView *view, LkJobIndex job, uint64_t *nodes)
{
  const LkFull *self = user;
  if (self->plan != NULL)
    self->plan_ops->nodes_reserved (self->plan, view, job, nodes);
}
