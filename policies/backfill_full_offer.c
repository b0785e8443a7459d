/* policies/backfill_full_offer.c — to which jobs `full` offers what was given back.
 *
 * An offer to all jobs in queue order costs a search for each, and in a queue that is thousands
 * deep an early end moves most of the plan by seconds.  So each pass earns credit for some offers,
 * and an offer to all jobs is made while the credit is not used up.  Otherwise what was given back
 * is kept until there is credit again, and only the jobs that can start in it now are moved, in
 * queue order.  No job loses its reservation by that, and none gets a later one. */
#include "policies/backfill_full.h"

#include <string.h>

/* ---------------------------------------------------------------- a job takes an earlier time */

/* Where a search for a start near [from, ...) begins. */
static int64_t
first_start_us (const LkFullPass *p, LkJobIndex job, int64_t from_us)
{
  int64_t estimate_us = p->view->jobs->estimate_us[job];
  int64_t first_us = from_us > INT64_MIN + estimate_us ? from_us - estimate_us : from_us;
  return MAX (first_us, p->view->now_us);
}

/* Moves a planned job to the start that the plan has just found for it. */
static void
move_to (const LkFullPass *p, LkJobIndex job, int64_t start_us)
{
  LkFull *self = p->self;
  self->plan_ops->note_given (self->plan, p->view, job);
  self->plan_ops->reserve (self->plan, p->view, job, start_us);
  lk_full_give_up (self, p->view, job);
  lk_full_note_reserved (self, p->view, job, start_us);
}

/* Moves a planned job to an earlier time if there is one near [from, to). */
static void
move_earlier (const LkFullPass *p, LkJobIndex job, int64_t from_us, int64_t to_us)
{
  LkFull *self = p->self;
  int64_t current_us = self->start_us[job];
  int64_t before_us = MIN (to_us, current_us);
  int64_t first_us = first_start_us (p, job, from_us);
  if (first_us >= before_us)
    return;
  /* What holds for others does so for itself only where it would end before its own reservation. */
  LkStartKind kind = lk_full_kind_of (p, job);
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
  if (start_us != LK_TIME_NEVER)
    move_to (p, job, start_us);
}

static void
offer (LkFullPass *p, LkJobIndex job, int64_t from_us, int64_t to_us)
{
  LkFull *self = p->self;
  if (self->stand[job] == LK_FULL_PLANNED) {
    move_earlier (p, job, from_us, to_us);
  } else if (self->stand[job] == LK_FULL_UNPLACED) {
    int64_t first_us = first_start_us (p, job, from_us);
    int64_t before_us = MIN (to_us, self->horizon_us);
    if (!self->plan_ops->may_gain (self->plan, p->view, job, self->given, first_us, before_us))
      return;
    int64_t start_us = lk_full_look (p, job, first_us, before_us);
    if (start_us != LK_TIME_NEVER)
      lk_full_reserve (p, job, start_us);
  }
}

/* ---------------------------------------------------------------- to all */

void
lk_full_take_given (LkFull *self)
{
  uint64_t *nodes;
  if (self->plan_ops->given (self->plan, &nodes) == 0)
    return;
  memcpy (self->given, nodes, self->given_words * sizeof *nodes);
  memset (nodes, 0, self->given_words * sizeof *nodes);
}

/* Offers what was given back in [from, to) to all in queue order.  What a job gives up by moving is
 * offered to those after it now, and by give_back to all the next time. */
static void
offer_to_all (LkFullPass *p, int64_t from_us, int64_t to_us)
{
  LkFull *self = p->self;
  self->plan_ops->offer_begin (self->plan, p->view, self->horizon_us);
  LkWaitGain gain = { self->plan_ops, self->plan, p->view };
  LkFullWalk walk = { self->planned, 0, LK_JOB_NONE, LK_JOB_NONE, FALSE, 0, &gain };
  for (;;) {
    walk.before_us = MIN (to_us, self->horizon_us);
    LkJobIndex job = lk_full_walk_on (p, &walk);
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

void
lk_full_compress (LkFullPass *p)
{
  LkFull *self = p->self;
  int64_t from_us = MAX (self->given_from_us, p->view->now_us);
  int64_t to_us = self->given_to_us;
  self->is_deferred = self->offers > 0 && self->credit < 0;
  if (self->is_deferred)
    return;
  if (self->offers > 0)
    self->credit -= self->planned->len;
  self->given_from_us = self->given_to_us = 0;
  if (from_us >= to_us)
    return;
  lk_full_sort_planned (p);
  lk_full_sort_unplaced (p);
  lk_full_take_given (self);
  offer_to_all (p, from_us, to_us);
}

/* ---------------------------------------------------------------- to those who can start now */

/* A job must find room from now until it ends; its own reservation is not in its way. */
static LkStartKind
kind_now (const LkFullPass *p, LkJobIndex job)
{
  const LkFull *self = p->self;
  LkStartKind kind = lk_full_kind_of (p, job);
  if (self->stand[job] == LK_FULL_PLANNED)
    kind.duration_us = MIN (kind.duration_us, self->start_us[job] - p->view->now_us);
  return kind;
}

static gboolean
is_known_to_fail (const LkFullPass *p, LkJobIndex job)
{
  LkStartKind kind = kind_now (p, job);
  return lk_start_bounds_us (p->self->bounds, &kind) > p->view->now_us;
}

/* Does the plan find a place for the job that begins now? */
static gboolean
finds_place_now (const LkFullPass *p, LkJobIndex job)
{
  LkFull *self = p->self;
  int64_t now_us = p->view->now_us;
  if (self->start_us[job] <= now_us || is_known_to_fail (p, job))
    return FALSE;
  int64_t start_us = self->plan_ops->earliest (self->plan, p->view, job, now_us, now_us + 1);
  LkStartKind kind = lk_full_kind_of (p, job);
  if (start_us == LK_TIME_NEVER)
    lk_start_bounds_learn (self->bounds, &kind, now_us + 1);
  return start_us != LK_TIME_NEVER;
}

/* Lists the jobs, in queue order, whose reservation begins before they would end if they started
 * now: what holds for others does not hold for them.  They need something free until then. */
static void
list_near (LkFullPass *p, int64_t free_for_us)
{
  LkFull *self = p->self;
  int64_t now_us = p->view->now_us;
  int64_t near_us = MIN (self->longest_us, free_for_us);
  int64_t before_us = now_us >= LK_TIME_NEVER - near_us ? LK_TIME_NEVER : now_us + near_us + 1;
  guint kept = 0;
  lk_due_heap_list (&self->due, p->view, self->start_us, before_us, self->near);
  for (guint i = 0; i < self->near->len; i++) {
    LkJobIndex job = lk_full_job_at (self->near, i);
    if (self->start_us[job] > now_us
        && self->start_us[job] < lk_backfill_end_us (p->view, job, now_us))
      g_array_index (self->near, LkJobIndex, kept++) = job;
  }
  g_array_set_size (self->near, kept);
  lk_full_sort_jobs (p, self->near);
}

static LkJobIndex
first_of (const LkFullPass *p, LkJobIndex a, LkJobIndex b)
{
  if (a == LK_JOB_NONE || b == LK_JOB_NONE)
    return a == LK_JOB_NONE ? b : a;
  return lk_full_goes_before (p, b, a) ? b : a;
}

/* A walk in queue order over the jobs that may start now. */
typedef struct {
  LkQueueFilter filter;
  LkJobIndex queued; /* the next that passes the filter and is not known to fail */
  gboolean is_known; /* `queued` is still that */
  guint near_at;     /* in self->near */
} Search;

/* What is free now, and for how long, bounds the jobs that can start. */
static Search
new_search (LkFullPass *p)
{
  const LkFull *self = p->self;
  int64_t now_us = p->view->now_us;
  uint32_t units_max = UINT32_MAX;
  int64_t free_for_us = self->plan_ops->free_for_us (self->plan, p->view);
  if (p->view->cluster == NULL)
    units_max = self->plan_ops->units_max (self->plan, p->view, now_us, now_us + 1);
  list_near (p, free_for_us);
  return (Search){ .filter = { .units_max = units_max, .short_us = free_for_us } };
}

static gboolean
may_start_now (const LkFullPass *p, const Search *search, LkJobIndex job)
{
  const LkFull *self = p->self;
  return p->view->jobs->units[job] <= search->filter.units_max
         && self->start_us[job] > p->view->now_us && !is_known_to_fail (p, job);
}

static LkJobIndex
next_queued (const LkFullPass *p, const Search *search, LkJobIndex after)
{
  LkJobIndex job = after;
  do
    job = p->ops->queue_next (p->handle, LK_QUEUE_PRIORITY, job, &search->filter);
  while (job != LK_JOB_NONE && !may_start_now (p, search, job));
  return job;
}

static LkJobIndex
next_near (const LkFullPass *p, Search *search, LkJobIndex after)
{
  const GArray *near = p->self->near;
  while (after != LK_JOB_NONE && search->near_at < near->len
         && !lk_full_goes_before (p, after, lk_full_job_at (near, search->near_at)))
    search->near_at++;
  for (guint i = search->near_at; i < near->len; i++)
    if (may_start_now (p, search, lk_full_job_at (near, i)))
      return lk_full_job_at (near, i);
  return LK_JOB_NONE;
}

static LkJobIndex
next_startable (const LkFullPass *p, Search *search, LkJobIndex after)
{
  if (!search->is_known)
    search->queued = next_queued (p, search, after);
  LkJobIndex job = first_of (p, search->queued, next_near (p, search, after));
  search->is_known = job != search->queued;
  return job;
}

gboolean
lk_full_offer_now (LkFullPass *p)
{
  LkFull *self = p->self;
  gboolean has_moved = FALSE;
  LkJobIndex job = LK_JOB_NONE;
  if (!self->is_deferred || self->rebuild)
    return FALSE;
  self->is_deferred = FALSE;
  Search search = new_search (p);
  while (search.filter.short_us > 0 && (job = next_startable (p, &search, job)) != LK_JOB_NONE) {
    if (!finds_place_now (p, job))
      continue;
    has_moved = TRUE;
    if (self->stand[job] == LK_FULL_PLANNED)
      move_to (p, job, p->view->now_us);
    else
      lk_full_reserve (p, job, p->view->now_us);
    search = new_search (p);
  }
  return has_moved;
}
