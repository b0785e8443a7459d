/* policies/backfill_full.c — a reservation for every job in queue order, kept and repaired.
 *
 * The promise of conservative backfilling in the order of the queue: each job that waits has a
 * reservation at the earliest time at which what it needs is free beside what runs and beside the
 * reservations of all jobs before it.  The plan is kept from pass to pass, and an event changes
 * only what it can change:
 *
 * - what a job gives back (an early end, a cancelled reservation) is offered to all in queue order;
 *   who has a reservation moves only to an earlier time, and nobody is displaced;
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

#include <string.h>

/* One pass. */
typedef struct {
  LkFull *self;
  const LkView *view;
  const LkPassOps *ops;
  void *handle;
} Pass;

/* ---------------------------------------------------------------- small things */

static inline LkJobIndex
job_at (const GArray *jobs, guint index)
{
  return g_array_index (jobs, LkJobIndex, index);
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

/* The moment before which reservations begin: between the window's end and a minute behind it, so
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

static gboolean
goes_before (const Pass *p, LkJobIndex a, LkJobIndex b)
{
  return a != b && p->ops->queue_before (p->handle, LK_QUEUE_PRIORITY, a, b);
}

static gint
compare_places (gconstpointer a, gconstpointer b, gpointer user)
{
  LkJobIndex x = *(const LkJobIndex *)a;
  LkJobIndex y = *(const LkJobIndex *)b;
  if (x == y)
    return 0;
  return goes_before (user, x, y) ? -1 : 1;
}

static void
sort_jobs (Pass *p, GArray *jobs)
{
  for (guint i = 1; i < jobs->len; i++)
    if (!goes_before (p, job_at (jobs, i - 1), job_at (jobs, i))) {
      g_array_sort_with_data (jobs, compare_places, p);
      return;
    }
}

static void
sort_planned (Pass *p)
{
  if (!p->self->is_sorted)
    sort_jobs (p, p->self->planned);
  p->self->is_sorted = TRUE;
}

/* How many planned jobs go before this one. */
static guint
planned_before (const Pass *p, LkJobIndex job)
{
  const GArray *planned = p->self->planned;
  guint low = 0;
  guint high = planned->len;
  /* Mostly the last. */
  if (high > 0 && goes_before (p, job_at (planned, high - 1), job))
    return high;
  while (low < high) {
    guint middle = low + (high - low) / 2;
    if (goes_before (p, job_at (planned, middle), job))
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

void
lk_full_remove_job (GArray *jobs, LkJobIndex job)
{
  for (guint i = 0; i < jobs->len; i++)
    if (job_at (jobs, i) == job) {
      g_array_remove_index (jobs, i);
      return;
    }
}

/* ---------------------------------------------------------------- reservations */

void
lk_full_give_back (LkFull *self, int64_t from_us, int64_t to_us)
{
  gboolean empty = self->given_from_us >= self->given_to_us;
  self->given_from_us = empty ? from_us : MIN (self->given_from_us, from_us);
  self->given_to_us = empty ? to_us : MAX (self->given_to_us, to_us);
}

void
lk_full_note_reserved (LkFull *self, const LkView *view, LkJobIndex job, int64_t start_us)
{
  self->start_us[job] = start_us;
  self->stand[job] = LK_FULL_PLANNED;
  lk_due_heap_push (&self->due, (LkDue){ start_us, view->jobs->id[job], job });
}

static LkStartKind
kind_of (const Pass *p, LkJobIndex job)
{
  LkStartKind kind = { .duration_us = p->view->jobs->estimate_us[job] };
  kind.likeness = p->self->plan_ops->likeness (p->self->plan, p->view, job, &kind.size);
  return kind;
}

static LkWaitOrder
order_of (const Pass *p)
{
  return (LkWaitOrder){ p->ops, p->handle };
}

static void
list_unplaced (const Pass *p, LkJobIndex job)
{
  LkWaitOrder order = order_of (p);
  LkStartKind kind = kind_of (p, job);
  lk_wait_list_insert (p->self->unplaced, &order, job, &kind);
}

/* Lists all of them anew if the order has changed. */
static void
sort_unplaced (const Pass *p)
{
  LkFull *self = p->self;
  if (self->is_unplaced_sorted)
    return;
  lk_wait_list_clear (self->unplaced);
  self->is_unplaced_sorted = TRUE;
  if (self->unplaced_count == 0)
    return;
  for (LkJobIndex job = p->ops->queue_first (p->handle, LK_QUEUE_PRIORITY); job != LK_JOB_NONE;
       job = p->ops->queue_next (p->handle, LK_QUEUE_PRIORITY, job, NULL))
    if (self->stand[job] == LK_FULL_UNPLACED)
      list_unplaced (p, job);
}

static void
leave_unplaced (const Pass *p, LkJobIndex job)
{
  p->self->stand[job] = LK_FULL_UNPLACED;
  p->self->unplaced_count++;
  if (p->self->is_unplaced_sorted)
    list_unplaced (p, job);
}

void
lk_full_forget_unplaced (LkFull *self, LkJobIndex job)
{
  if (self->stand[job] != LK_FULL_UNPLACED)
    return;
  self->unplaced_count--;
  lk_wait_list_remove (self->unplaced, job);
}

/* Reserves what the plan has just found for a job that had nothing. */
static void
reserve (Pass *p, LkJobIndex job, int64_t start_us)
{
  LkFull *self = p->self;
  sort_planned (p);
  guint at = planned_before (p, job);
  lk_full_forget_unplaced (self, job);
  self->plan_ops->reserve (self->plan, p->view, job, start_us);
  lk_full_note_reserved (self, p->view, job, start_us);
  g_array_insert_val (self->planned, at, job);
}

/* The nodes of what was given back: what was noted is now in self->given, and noted no more. */
static void
take_given (LkFull *self)
{
  uint64_t *nodes;
  if (self->plan_ops->given (self->plan, &nodes) == 0)
    return;
  memcpy (self->given, nodes, self->given_words * sizeof *nodes);
  memset (nodes, 0, self->given_words * sizeof *nodes);
}

/* Notes what the job's reservation gives back, but for its nodes. */
void
lk_full_give_up (LkFull *self, const LkView *view, LkJobIndex job)
{
  int64_t start_us = MAX (self->start_us[job], view->now_us);
  int64_t end_us = lk_backfill_end_us (view, job, self->start_us[job]);
  if (start_us >= end_us)
    return;
  lk_full_give_back (self, start_us, end_us);
  lk_start_bounds_give (self->bounds, start_us,
                        self->plan_ops->size_max (self->plan, view, start_us, end_us));
}

/* The earliest start in [from, before) of a job that has no reservation and is known to have no
 * start before; the place is the plan's to reserve. */
static int64_t
look (const Pass *p, LkJobIndex job, int64_t from_us, int64_t before_us)
{
  LkFull *self = p->self;
  LkStartKind kind = kind_of (p, job);
  from_us = MAX (from_us, lk_start_bounds_us (self->bounds, &kind));
  if (from_us >= before_us)
    return LK_TIME_NEVER;
  int64_t start_us = self->plan_ops->earliest (self->plan, p->view, job, from_us, before_us);
  lk_start_bounds_learn (self->bounds, &kind, MIN (start_us, before_us));
  return start_us;
}

/* ---------------------------------------------------------------- the whole plan */

static void
make_anew (Pass *p)
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
  take_given (self);
  self->order_changed = FALSE;
  self->made_us = p->view->now_us;
  self->horizon_us = horizon_at (self, p->view->now_us);
  for (LkJobIndex job = p->ops->queue_first (p->handle, LK_QUEUE_PRIORITY); job != LK_JOB_NONE;
       job = p->ops->queue_next (p->handle, LK_QUEUE_PRIORITY, job, NULL)) {
    self->start_us[job] = LK_TIME_NEVER;
    self->stand[job] = LK_FULL_ARRIVED;
    p->ops->plan_hets (p->handle, self->plan, job, UINT32_MAX);
    int64_t start_us = look (p, job, p->view->now_us, self->horizon_us);
    if (start_us != LK_TIME_NEVER)
      reserve (p, job, start_us);
    else
      leave_unplaced (p, job);
  }
  p->ops->plan_hets (p->handle, self->plan, LK_JOB_NONE, UINT32_MAX);
}

/* ---------------------------------------------------------------- what was given back */

/* Where a search for a start near [from, ...) begins. */
static int64_t
first_start_us (const Pass *p, LkJobIndex job, int64_t from_us)
{
  int64_t estimate_us = p->view->jobs->estimate_us[job];
  int64_t first_us = from_us > INT64_MIN + estimate_us ? from_us - estimate_us : from_us;
  return MAX (first_us, p->view->now_us);
}

/* Moves a planned job to an earlier time if there is one near [from, to). */
static void
move_earlier (const Pass *p, LkJobIndex job, int64_t from_us, int64_t to_us)
{
  LkFull *self = p->self;
  int64_t current_us = self->start_us[job];
  int64_t before_us = MIN (to_us, current_us);
  int64_t first_us = first_start_us (p, job, from_us);
  if (first_us >= before_us)
    return;
  /* What holds for others does so for itself only where it would end before its own reservation. */
  LkStartKind kind = kind_of (p, job);
  int64_t apart_us =
      current_us > INT64_MIN + kind.duration_us ? current_us - kind.duration_us : INT64_MIN;
  int64_t known_us = lk_start_bounds_us (self->bounds, &kind);
  first_us = MAX (first_us, MIN (known_us, apart_us));
  if (first_us >= before_us)
    return;
  int64_t start_us = LK_TIME_NEVER;
  if (self->plan_ops->may_gain (self->plan, p->view, job, self->given, first_us, before_us))
    start_us = self->plan_ops->earliest (self->plan, p->view, job, first_us, before_us);
  lk_start_bounds_learn (self->bounds, &kind, MIN (start_us, before_us));
  if (start_us == LK_TIME_NEVER)
    return;
  self->plan_ops->note_given (self->plan, p->view, job);
  self->plan_ops->reserve (self->plan, p->view, job, start_us);
  lk_full_give_up (self, p->view, job);
  lk_full_note_reserved (self, p->view, job, start_us);
}

static void
offer (Pass *p, LkJobIndex job, int64_t from_us, int64_t to_us)
{
  LkFull *self = p->self;
  if (self->stand[job] == LK_FULL_PLANNED) {
    move_earlier (p, job, from_us, to_us);
  } else if (self->stand[job] == LK_FULL_UNPLACED) {
    int64_t first_us = first_start_us (p, job, from_us);
    int64_t before_us = MIN (to_us, self->horizon_us);
    if (!self->plan_ops->may_gain (self->plan, p->view, job, self->given, first_us, before_us))
      return;
    int64_t start_us = look (p, job, first_us, before_us);
    if (start_us != LK_TIME_NEVER)
      reserve (p, job, start_us);
  }
}

/* Two lists merged, in queue order. */
typedef struct {
  const GArray *jobs; /* sorted */
  guint at;
  LkJobIndex last;     /* that was visited */
  LkJobIndex unplaced; /* the next of those that may start before `before_us` */
  gboolean is_known;   /* `unplaced` is still that */
  int64_t before_us;
  const LkWaitGain *gain; /* see LkWaitSearch */
} Walk;

/* The next of the jobs and of those without a place that are worth a search. */
static LkJobIndex
walk_on (const Pass *p, Walk *walk)
{
  LkFull *self = p->self;
  LkWaitOrder order = order_of (p);
  LkWaitSearch search = { self->bounds, walk->before_us, walk->gain };
  if (!walk->is_known)
    walk->unplaced = lk_wait_list_next (self->unplaced, &order, walk->last, &search);
  walk->is_known = TRUE;
  LkJobIndex job = walk->at < walk->jobs->len ? job_at (walk->jobs, walk->at) : LK_JOB_NONE;
  if (walk->unplaced != LK_JOB_NONE
      && (job == LK_JOB_NONE || goes_before (p, walk->unplaced, job))) {
    walk->is_known = FALSE;
    walk->last = walk->unplaced;
  } else {
    walk->at++;
    walk->last = job;
  }
  return walk->last;
}

/* Offers what was given back to all in queue order.  What a job gives up by moving is offered to
 * those behind it now, and by give_back to all the next time. */
static void
compress (Pass *p)
{
  LkFull *self = p->self;
  int64_t from_us = MAX (self->given_from_us, p->view->now_us);
  int64_t to_us = self->given_to_us;
  self->given_from_us = self->given_to_us = 0;
  if (from_us >= to_us)
    return;
  sort_planned (p);
  sort_unplaced (p);
  take_given (self);
  self->plan_ops->offer_begin (self->plan, p->view, self->horizon_us);
  LkWaitGain gain = { self->plan_ops, self->plan, p->view };
  Walk walk = { self->planned, 0, LK_JOB_NONE, LK_JOB_NONE, FALSE, 0, &gain };
  for (;;) {
    walk.before_us = MIN (to_us, self->horizon_us);
    LkJobIndex job = walk_on (p, &walk);
    if (job == LK_JOB_NONE)
      return;
    int64_t before_us = self->start_us[job];
    offer (p, job, from_us, to_us);
    if (self->start_us[job] == before_us)
      continue;
    /* It now stands among the planned, before the next of them, or has given back what it had. */
    if (before_us == LK_TIME_NEVER)
      walk.at++;
    else
      walk.is_known = FALSE;
    if (self->given_from_us < self->given_to_us) {
      from_us = MIN (from_us, self->given_from_us);
      to_us = MAX (to_us, self->given_to_us);
    }
  }
}

static void
offer_given (Pass *p)
{
  if (p->self->compress && !p->self->rebuild)
    compress (p);
  p->self->compress = FALSE;
}

/* ---------------------------------------------------------------- placing before others */

/* Sets planned jobs aside as well, from place `at` on, whose reservations hold anything in
 * [from, to). */
static void
set_more_aside (Pass *p, guint at, int64_t from_us, int64_t to_us)
{
  LkFull *self = p->self;
  self->aside_to_us = to_us;
  for (; at < self->planned->len; at++) {
    LkJobIndex job = job_at (self->planned, at);
    if (self->stand[job] == LK_FULL_ASIDE || self->start_us[job] >= to_us
        || lk_backfill_end_us (p->view, job, self->start_us[job]) <= from_us)
      continue;
    self->plan_ops->set_aside (self->plan, p->view, job);
    self->stand[job] = LK_FULL_ASIDE;
    g_array_append_val (self->aside, job);
  }
}

static void
set_aside (Pass *p, guint at, int64_t from_us, int64_t to_us)
{
  g_array_set_size (p->self->aside, 0);
  set_more_aside (p, at, from_us, to_us);
}

/* The earliest start of a job that has lost its place, beside those before it: who goes behind it
 * and is in the way is set aside too. */
static int64_t
look_anew (Pass *p, LkJobIndex job)
{
  LkFull *self = p->self;
  int64_t now_us = p->view->now_us;
  int64_t start_us = self->plan_ops->earliest (self->plan, p->view, job, now_us, self->horizon_us);
  int64_t to_us = lk_backfill_end_us (p->view, job, MIN (start_us, self->horizon_us));
  if (start_us == now_us || to_us <= self->aside_to_us)
    return start_us;
  guint aside_before = self->aside->len;
  sort_planned (p);
  set_more_aside (p, planned_before (p, job), now_us, to_us);
  if (self->aside->len == aside_before)
    return start_us;
  /* All of them go behind this job, so those that are settled keep their places in the list. */
  sort_jobs (p, self->aside);
  return self->plan_ops->earliest (self->plan, p->view, job, now_us, self->horizon_us);
}

/* A job that was set aside gets its place back, or another one at the same time, or else is placed
 * anew; what it had is then offered to all. */
static void
settle (Pass *p, LkJobIndex job)
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
    reserve (p, job, start_us);
  else
    leave_unplaced (p, job);
}

/* Places a job beside all others at `start_us` (LK_TIME_NEVER: there is no such place), or earlier
 * where those behind it are in the way. */
static void
place_before (Pass *p, LkJobIndex job, int64_t start_us)
{
  LkFull *self = p->self;
  int64_t now_us = p->view->now_us;
  int64_t better_us =
      self->plan_ops->earliest (self->plan, p->view, job, now_us, MIN (start_us, self->horizon_us));
  if (better_us != LK_TIME_NEVER)
    reserve (p, job, better_us);
  for (guint i = 0; i < self->aside->len; i++)
    settle (p, job_at (self->aside, i));
  if (better_us == LK_TIME_NEVER && start_us != LK_TIME_NEVER)
    start_us = self->plan_ops->earliest (self->plan, p->view, job, start_us, self->horizon_us);
  if (better_us == LK_TIME_NEVER && start_us != LK_TIME_NEVER)
    reserve (p, job, start_us);
  else if (better_us == LK_TIME_NEVER)
    leave_unplaced (p, job);
  lk_start_bounds_reset (self->bounds);
}

static void
place_arrival (Pass *p, LkJobIndex job)
{
  LkFull *self = p->self;
  int64_t start_us = look (p, job, p->view->now_us, self->horizon_us);
  guint behind = self->planned->len;
  if (start_us != p->view->now_us) {
    sort_planned (p);
    behind = planned_before (p, job);
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
    reserve (p, job, start_us);
  else
    leave_unplaced (p, job);
}

static void
place_arrivals (Pass *p)
{
  LkFull *self = p->self;
  sort_jobs (p, self->arrivals);
  for (guint i = 0; i < self->arrivals->len; i++)
    place_arrival (p, job_at (self->arrivals, i));
  g_array_set_size (self->arrivals, 0);
}

/* ---------------------------------------------------------------- the horizon */

/* Those who have come, among them who has lost a reservation, and all behind the first of them in
 * one walk: each as if those behind it had none. */
static void
place_lost (Pass *p)
{
  LkFull *self = p->self;
  guint settled = 0;
  if (self->arrivals->len == 0)
    return;
  sort_planned (p);
  sort_jobs (p, self->arrivals);
  set_aside (p, planned_before (p, job_at (self->arrivals, 0)), p->view->now_us, LK_TIME_NEVER);
  lk_start_bounds_reset (self->bounds);
  for (guint i = 0; i < self->arrivals->len; i++) {
    LkJobIndex job = job_at (self->arrivals, i);
    while (settled < self->aside->len && goes_before (p, job_at (self->aside, settled), job))
      settle (p, job_at (self->aside, settled++));
    int64_t start_us = look (p, job, p->view->now_us, self->horizon_us);
    if (start_us != LK_TIME_NEVER)
      reserve (p, job, start_us);
    else
      leave_unplaced (p, job);
  }
  while (settled < self->aside->len)
    settle (p, job_at (self->aside, settled++));
  g_array_set_size (self->arrivals, 0);
  lk_start_bounds_reset (self->bounds);
}

/* The horizon has moved on from `from_us`: jobs without a place look for one behind that. */
static void
extend (Pass *p, int64_t from_us)
{
  LkFull *self = p->self;
  sort_unplaced (p);
  LkJobIndex first = lk_wait_list_first (self->unplaced);
  if (first == LK_JOB_NONE)
    return;
  from_us = MAX (from_us, p->view->now_us);
  sort_planned (p);
  set_aside (p, planned_before (p, first), from_us, LK_TIME_NEVER);
  lk_start_bounds_reset (self->bounds);
  Walk walk = { self->aside, 0, LK_JOB_NONE, LK_JOB_NONE, FALSE, self->horizon_us, NULL };
  for (LkJobIndex job = walk_on (p, &walk); job != LK_JOB_NONE; job = walk_on (p, &walk)) {
    if (self->stand[job] == LK_FULL_ASIDE) {
      settle (p, job);
      walk.is_known = FALSE;
    } else {
      int64_t start_us = look (p, job, from_us, self->horizon_us);
      if (start_us != LK_TIME_NEVER)
        reserve (p, job, start_us);
    }
  }
  lk_start_bounds_reset (self->bounds);
}

/* ---------------------------------------------------------------- the pass */

static gboolean
has_overdue (const Pass *p)
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
bring_up_to_date (Pass *p)
{
  LkFull *self = p->self;
  gboolean is_untrue = has_overdue (p);
  if (self->made_us == INT64_MIN) {
    self->made_us = p->view->now_us;
    take_given (self);
  }
  self->plan_ops->advance (self->plan, p->view);
  lk_start_bounds_reset (self->bounds);
  if (self->rebuild || is_untrue || is_outdated (self, p->view->now_us)) {
    make_anew (p);
    /* Still untrue when that job is reported ended. */
    self->rebuild = is_untrue;
    self->has_lost = FALSE;
    self->compress = FALSE;
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
start_due (Pass *p)
{
  LkFull *self = p->self;
  g_autoptr (GArray) jobs =
      lk_due_heap_take (&self->due, p->view, p->ops, p->handle, self->start_us);
  gboolean all_started = TRUE;
  for (guint i = 0; i < jobs->len; i++) {
    LkJobIndex job = job_at (jobs, i);
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
start_all (Pass *p)
{
  LkFull *self = p->self;
  gboolean all_started = start_due (p);
  while (self->compress || self->arrivals->len > 0) {
    offer_given (p);
    place_arrivals (p);
    all_started &= start_due (p);
  }
  return all_started;
}

static void
full_pass (void *user, const LkView *view, const LkPassOps *ops, void *handle)
{
  Pass p = { user, view, ops, handle };
  LkFull *self = user;
  lk_full_ready (self, view);
  bring_up_to_date (&p);
  /* Where jobs take turns, one of a higher tier may start over a place that is due. */
  if (!start_all (&p)) {
    make_anew (&p);
    self->rebuild = has_overdue (&p);
    (void)start_all (&p);
  }
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
  { NULL, 0, NULL, NULL, 0, 0, NULL },
};

const LkBackfillPolicy lk_backfill_full = {
  .base = { .abi = LK_POLICY_ABI,
            .size = sizeof (LkBackfillPolicy),
            .seam = LK_SEAM_BACKFILL,
            .version = 1,
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
