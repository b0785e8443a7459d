/* policies/backfill_full.c — a reservation for every job in queue order, kept and repaired.
 *
 * The promise of conservative backfilling in the order of the queue: each job that waits has a
 * reservation at the earliest time at which what it needs is free beside what runs and beside the
 * reservations of all jobs before it.  The plan is kept from pass to pass, and an event changes
 * only what it can change:
 *
 * - what a job gives back (an early end, a cancelled reservation) is offered to all in queue order;
 *   a job with a reservation moves only to an earlier time, and no job is displaced; in a deep
 *   queue that waits, and until then only jobs that can start at once use it (see
 *   policies/backfill_full_offer.c);
 * - a job that comes is placed as if the jobs behind it in the queue had no reservations; those
 *   whose place it takes are placed anew, in queue order, in the same way;
 * - with a window, reservations begin before a horizon that moves on minute by minute; where it
 *   moves, the jobs that had no place are asked in queue order, again before those behind them.
 *
 * So a reservation is never put off because of a job further behind.  Only when the plan is untrue
 * (nodes came or went, a job is past its expected end), or when the order of the queue has changed
 * and the plan is older than `reorder`, it is made anew as a whole, in queue order.
 *
 * Sources: Mu'alem & Feitelson 2001, section 3.1; the order and the window are those of Slurm's
 * sched/backfill (sched_config.html). */
#include "policies/backfill_full.h"

/* The moment before which reservations begin: between the window's end and a minute after it, so
 * that it moves on once a minute. */
static int64_t
horizon_at (const LkFull *self, int64_t now_us)
{
  if (self->window_us == LK_TIME_NEVER
      || now_us > LK_TIME_NEVER - self->window_us - LK_FULL_MINUTE_US)
    return LK_TIME_NEVER;
  int64_t window_end_us = now_us + self->window_us;
  return window_end_us > self->horizon_us ? window_end_us + LK_FULL_MINUTE_US : self->horizon_us;
}

void
lk_full_ready (LkFull *self, const LkView *view)
{
  if (self->plan == NULL) {
    uint64_t *given;
    self->plan = self->plan_ops->create (view);
    self->given_words = self->plan_ops->given (self->plan, &given);
    self->given = g_new0 (uint64_t, self->given_words);
  }
  if (self->limit >= view->job_index_limit)
    return;
  uint32_t limit = MAX (view->job_index_limit, 2 * self->limit);
  self->start_us = g_renew (int64_t, self->start_us, limit);
  self->stand = g_renew (uint8_t, self->stand, limit);
  for (uint32_t job = self->limit; job < limit; job++) {
    self->start_us[job] = LK_TIME_NEVER;
    self->stand[job] = LK_FULL_NONE;
  }
  self->limit = limit;
}

/* ---------------------------------------------------------------- the whole plan */

static void
make_anew (LkFullPass *p)
{
  LkFull *self = p->self;
  self->plan_ops->reset (self->plan, p->view);
  g_array_set_size (self->due.entries, 0);
  g_array_set_size (self->arrivals, 0);
  g_array_set_size (self->planned, 0);
  lk_start_bounds_reset (self->bounds);
  lk_wait_list_clear (self->unplaced);
  self->is_sorted = self->is_unplaced_sorted = TRUE;
  self->unplaced_count = 0;
  self->given_from_us = self->given_to_us = 0;
  lk_full_take_given (self);
  self->order_changed = self->compress = self->is_deferred = FALSE;
  self->made_us = p->view->now_us;
  self->horizon_us = horizon_at (self, p->view->now_us);
  for (LkJobIndex job = p->ops->queue_first (p->handle, LK_QUEUE_PRIORITY); job != LK_JOB_NONE;
       job = p->ops->queue_next (p->handle, LK_QUEUE_PRIORITY, job, NULL)) {
    self->start_us[job] = LK_TIME_NEVER;
    self->stand[job] = LK_FULL_ARRIVED;
    p->ops->plan_hets (p->handle, self->plan, job, UINT32_MAX);
    int64_t start_us = lk_full_look (p, job, p->view->now_us, self->horizon_us);
    if (start_us != LK_TIME_NEVER)
      lk_full_reserve (p, job, start_us);
    else
      lk_full_leave_unplaced (p, job);
  }
  p->ops->plan_hets (p->handle, self->plan, LK_JOB_NONE, UINT32_MAX);
}

static void
offer_given (LkFullPass *p)
{
  LkFull *self = p->self;
  if (self->compress && !self->rebuild)
    lk_full_compress (p);
  self->compress = self->is_deferred;
}

/* ---------------------------------------------------------------- placing before others */

/* Sets planned jobs aside as well, from place `at` on, whose reservations hold anything in
 * [from, to). */
static void
set_more_aside (LkFullPass *p, guint at, int64_t from_us, int64_t to_us)
{
  LkFull *self = p->self;
  self->aside_to_us = to_us;
  for (; at < self->planned->len; at++) {
    LkJobIndex job = lk_full_job_at (self->planned, at);
    if (self->stand[job] == LK_FULL_ASIDE || self->start_us[job] >= to_us
        || lk_backfill_end_us (p->view, job, self->start_us[job]) <= from_us)
      continue;
    self->plan_ops->set_aside (self->plan, p->view, job);
    self->stand[job] = LK_FULL_ASIDE;
    g_array_append_val (self->aside, job);
  }
}

static void
set_aside (LkFullPass *p, guint at, int64_t from_us, int64_t to_us)
{
  g_array_set_size (p->self->aside, 0);
  set_more_aside (p, at, from_us, to_us);
}

/* The earliest start of a job that has lost its place, beside those before it: who goes behind it
 * and is in the way is set aside too. */
static int64_t
look_anew (LkFullPass *p, LkJobIndex job)
{
  LkFull *self = p->self;
  int64_t now_us = p->view->now_us;
  int64_t start_us = self->plan_ops->earliest (self->plan, p->view, job, now_us, self->horizon_us);
  int64_t to_us = lk_backfill_end_us (p->view, job, MIN (start_us, self->horizon_us));
  if (start_us == now_us || to_us <= self->aside_to_us)
    return start_us;
  guint aside_before = self->aside->len;
  lk_full_sort_planned (p);
  set_more_aside (p, lk_full_planned_before (p, job), now_us, to_us);
  if (self->aside->len == aside_before)
    return start_us;
  /* All of them go behind this job, so those that are settled keep their places in the list. */
  lk_full_sort_jobs (p, self->aside);
  return self->plan_ops->earliest (self->plan, p->view, job, now_us, self->horizon_us);
}

/* A job that was set aside gets its place back, or another one at the same time, or else is placed
 * anew; what it had is then offered to all. */
static void
settle (LkFullPass *p, LkJobIndex job)
{
  LkFull *self = p->self;
  if (self->plan_ops->put_back (self->plan, p->view, job)) {
    self->stand[job] = LK_FULL_PLANNED;
    return;
  }
  int64_t same_us = MAX (self->start_us[job], p->view->now_us);
  lk_full_give_up (self, p->view, job);
  lk_full_remove_job (self->planned, job);
  self->start_us[job] = LK_TIME_NEVER;
  self->stand[job] = LK_FULL_ARRIVED;
  int64_t start_us = self->plan_ops->earliest (self->plan, p->view, job, same_us, same_us + 1);
  if (start_us == LK_TIME_NEVER) {
    start_us = look_anew (p, job);
    self->compress = TRUE;
  }
  if (start_us != LK_TIME_NEVER)
    lk_full_reserve (p, job, start_us);
  else
    lk_full_leave_unplaced (p, job);
}

/* Places a job beside all others at `start_us` (LK_TIME_NEVER: there is no such place), or earlier
 * where those behind it are in the way. */
static void
place_before (LkFullPass *p, LkJobIndex job, int64_t start_us)
{
  LkFull *self = p->self;
  int64_t now_us = p->view->now_us;
  int64_t better_us =
      self->plan_ops->earliest (self->plan, p->view, job, now_us, MIN (start_us, self->horizon_us));
  if (better_us != LK_TIME_NEVER)
    lk_full_reserve (p, job, better_us);
  for (guint i = 0; i < self->aside->len; i++)
    settle (p, lk_full_job_at (self->aside, i));
  if (better_us == LK_TIME_NEVER && start_us != LK_TIME_NEVER)
    start_us = self->plan_ops->earliest (self->plan, p->view, job, start_us, self->horizon_us);
  if (better_us == LK_TIME_NEVER && start_us != LK_TIME_NEVER)
    lk_full_reserve (p, job, start_us);
  else if (better_us == LK_TIME_NEVER)
    lk_full_leave_unplaced (p, job);
  lk_start_bounds_reset (self->bounds);
}

static void
place_arrival (LkFullPass *p, LkJobIndex job)
{
  LkFull *self = p->self;
  int64_t start_us = lk_full_look (p, job, p->view->now_us, self->horizon_us);
  guint behind = self->planned->len;
  if (start_us != p->view->now_us) {
    lk_full_sort_planned (p);
    behind = lk_full_planned_before (p, job);
  }
  if (behind < self->planned->len) {
    int64_t last_us = MIN (start_us, self->horizon_us);
    set_aside (p, behind, p->view->now_us, lk_backfill_end_us (p->view, job, last_us));
    if (self->aside->len > 0) {
      place_before (p, job, start_us);
      return;
    }
  }
  if (start_us != LK_TIME_NEVER)
    lk_full_reserve (p, job, start_us);
  else
    lk_full_leave_unplaced (p, job);
}

static void
place_arrivals (LkFullPass *p)
{
  LkFull *self = p->self;
  lk_full_sort_jobs (p, self->arrivals);
  for (guint i = 0; i < self->arrivals->len; i++)
    place_arrival (p, lk_full_job_at (self->arrivals, i));
  g_array_set_size (self->arrivals, 0);
}

/* ---------------------------------------------------------------- the horizon */

/* Those who have come, among them who has lost a reservation, and all behind the first of them in
 * one walk: each as if those behind it had none. */
static void
place_lost (LkFullPass *p)
{
  LkFull *self = p->self;
  guint settled = 0;
  if (self->arrivals->len == 0)
    return;
  lk_full_sort_planned (p);
  lk_full_sort_jobs (p, self->arrivals);
  set_aside (p, lk_full_planned_before (p, lk_full_job_at (self->arrivals, 0)), p->view->now_us,
             LK_TIME_NEVER);
  lk_start_bounds_reset (self->bounds);
  for (guint i = 0; i < self->arrivals->len; i++) {
    LkJobIndex job = lk_full_job_at (self->arrivals, i);
    while (settled < self->aside->len
           && lk_full_goes_before (p, lk_full_job_at (self->aside, settled), job))
      settle (p, lk_full_job_at (self->aside, settled++));
    int64_t start_us = lk_full_look (p, job, p->view->now_us, self->horizon_us);
    if (start_us != LK_TIME_NEVER)
      lk_full_reserve (p, job, start_us);
    else
      lk_full_leave_unplaced (p, job);
  }
  while (settled < self->aside->len)
    settle (p, lk_full_job_at (self->aside, settled++));
  g_array_set_size (self->arrivals, 0);
  lk_start_bounds_reset (self->bounds);
}

/* The horizon has moved on from `from_us`: jobs without a place look for one behind that. */
static void
extend (LkFullPass *p, int64_t from_us)
{
  LkFull *self = p->self;
  lk_full_sort_unplaced (p);
  LkJobIndex first = lk_wait_list_first (self->unplaced);
  if (first == LK_JOB_NONE)
    return;
  from_us = MAX (from_us, p->view->now_us);
  lk_full_sort_planned (p);
  set_aside (p, lk_full_planned_before (p, first), from_us, LK_TIME_NEVER);
  lk_start_bounds_reset (self->bounds);
  LkFullWalk walk = { self->aside, 0, LK_JOB_NONE, LK_JOB_NONE, FALSE, self->horizon_us, NULL };
  for (LkJobIndex job = lk_full_walk_on (p, &walk); job != LK_JOB_NONE;
       job = lk_full_walk_on (p, &walk)) {
    if (self->stand[job] == LK_FULL_ASIDE) {
      settle (p, job);
      walk.is_known = FALSE;
    } else {
      int64_t start_us = lk_full_look (p, job, from_us, self->horizon_us);
      if (start_us != LK_TIME_NEVER)
        lk_full_reserve (p, job, start_us);
    }
  }
  lk_start_bounds_reset (self->bounds);
}

/* ---------------------------------------------------------------- the pass */

static gboolean
has_overdue (const LkFullPass *p)
{
  LkJobIndex first = p->ops->running_next (p->handle, LK_JOB_NONE);
  return first != LK_JOB_NONE && p->view->jobs->expected_end_us[first] <= p->view->now_us;
}

/* Is the plan older than may be, for the order in which the jobs stand now? */
static gboolean
is_outdated (const LkFull *self, int64_t now_us)
{
  return self->order_changed && self->reorder_us > 0 && now_us - self->made_us >= self->reorder_us;
}

static void
bring_up_to_date (LkFullPass *p)
{
  LkFull *self = p->self;
  gboolean is_untrue = has_overdue (p);
  if (self->made_us == INT64_MIN) {
    self->made_us = p->view->now_us;
    lk_full_take_given (self);
  }
  self->plan_ops->advance (self->plan, p->view);
  lk_start_bounds_reset (self->bounds);
  if (self->rebuild || is_untrue || is_outdated (self, p->view->now_us)) {
    make_anew (p);
    /* Still untrue when that job is reported ended. */
    self->rebuild = is_untrue;
    self->has_lost = FALSE;
    return;
  }
  /* What the lost ones had is for them first. */
  if (!self->has_lost)
    offer_given (p);
  int64_t from_us = self->horizon_us;
  self->horizon_us = horizon_at (self, p->view->now_us);
  gboolean had_unplaced = self->unplaced_count > 0;
  if (self->has_lost)
    place_lost (p);
  else
    place_arrivals (p);
  self->has_lost = FALSE;
  if (had_unplaced && self->unplaced_count > 0 && from_us < self->horizon_us)
    extend (p, from_us);
  offer_given (p);
}

/* Returns FALSE when a job that is due finds its place taken. */
static gboolean
start_due (LkFullPass *p)
{
  LkFull *self = p->self;
  g_autoptr (GArray) jobs =
      lk_due_heap_take (&self->due, p->view, p->ops, p->handle, self->start_us);
  gboolean all_started = TRUE;
  for (guint i = 0; i < jobs->len; i++) {
    LkJobIndex job = lk_full_job_at (jobs, i);
    if (!p->ops->is_allowed (p->handle, job))
      continue;
    if (!self->plan_ops->is_free (self->plan, p->view, job)) {
      lk_due_heap_push (&self->due, (LkDue){ self->start_us[job], p->view->jobs->id[job], job });
      self->rebuild = TRUE;
      all_started = FALSE;
      continue;
    }
    /* Its place in the plan becomes that of a running job, which is true only if it starts when it
     * was due. */
    if (self->start_us[job] < p->view->now_us)
      self->rebuild = TRUE;
    self->start_us[job] = LK_TIME_NEVER;
    self->stand[job] = LK_FULL_NONE;
    lk_full_remove_job (self->planned, job);
    p->ops->start_planned (p->handle, self->plan, job);
    /* Of an array the next task gets a place of its own. */
    if (p->view->jobs->phase[job] == LK_PHASE_QUEUED) {
      self->stand[job] = LK_FULL_ARRIVED;
      g_array_append_val (self->arrivals, job);
    }
  }
  return all_started;
}

/* All that are due, and those who come to be due by that.  Returns FALSE as start_due. */
static gboolean
start_all (LkFullPass *p)
{
  LkFull *self = p->self;
  gboolean all_started = start_due (p);
  while ((self->compress && !self->is_deferred) || self->arrivals->len > 0) {
    offer_given (p);
    place_arrivals (p);
    all_started &= start_due (p);
  }
  return all_started;
}

static void
full_pass (void *user, const LkView *view, const LkPassOps *ops, void *handle)
{
  LkFullPass p = { user, view, ops, handle };
  LkFull *self = user;
  lk_full_ready (self, view);
  self->credit = MIN (self->credit + self->offers, self->credit_max);
  self->is_deferred = FALSE;
  bring_up_to_date (&p);
  /* Where jobs take turns, one of a higher tier may start over a place that is due.  And what was
   * given back would be offered to nobody until the next pass, where a late start has made the plan
   * untrue. */
  if (!start_all (&p) || (self->is_deferred && self->rebuild)) {
    make_anew (&p);
    self->rebuild = has_overdue (&p);
    (void)start_all (&p);
  }
  /* A start may give back more: of an array whose next task may not start, its reservation. */
  while (lk_full_offer_now (&p))
    (void)start_all (&p);
  lk_due_heap_shrink (&self->due, view, self->start_us, self->planned->len);
  const LkDue *next = lk_due_heap_first (&self->due, view, self->start_us);
  if (next != NULL && next->start_us > view->now_us)
    ops->wake (handle, next->start_us);
}

/* ---------------------------------------------------------------- the policy */

/* In the order of LK_FULL_AT_*. */
static const LkParam full_params[] = {
  { "window", LK_PARAM_INTEGER, "min", "0", 0, 5256000,
    "reservations begin within this time from now; 0: no limit" },
  { "reorder", LK_PARAM_INTEGER, "min", "60", 0, 5256000,
    "a plan this old is made anew when the order of the queue has changed; 0: never" },
  { "offers", LK_PARAM_INTEGER, "jobs", "2", 0, 1000000,
    "to so many jobs a pass, on average, what was given back is offered; 0: no limit" },
  { "credit", LK_PARAM_INTEGER, "jobs", "10000", 0, 1000000000,
    "offers that passes save up at most" },
  { NULL, 0, NULL, NULL, 0, 0, NULL },
};

const LkBackfillPolicy lk_backfill_full = {
  .base = { .abi = LK_POLICY_ABI,
            .size = sizeof (LkBackfillPolicy),
            .seam = LK_SEAM_BACKFILL,
            .version = 2, /* 2: its state has a credit */
            .name = "full",
            .summary = "a reservation for every job in queue order, kept and repaired "
                       "(docs/policy-backfill-full.md)",
            .params = full_params,
            .create = lk_full_create,
            .destroy = lk_full_destroy,
            .save = lk_full_save,
            .load = lk_full_load },
  .pass = full_pass,
  .job_queued = lk_full_job_queued,
  .job_dequeued = lk_full_job_dequeued,
  .job_ended = lk_full_job_ended,
  .planned_start_us = lk_full_planned_start_us,
  .planned_nodes = lk_full_planned_nodes,
  .machine_changed = lk_full_machine_changed,
  .order_changed = lk_full_order_changed,
  .plans_hets = 1,
  .given_back = lk_full_given_back,
  .nodes_changed = lk_full_nodes_changed,
};
