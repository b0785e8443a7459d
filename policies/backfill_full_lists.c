/* policies/backfill_full_lists.c — lists of waiting jobs of `full`, and what it reserves for them.
 *
 * Jobs with a reservation are sorted when their order matters.  Jobs without one are in blocks that
 * a search skips when no job of the block can start (policies/wait_list.h). */
#include "policies/backfill_full.h"

/* ---------------------------------------------------------------- order */

gboolean
lk_full_goes_before (const LkFullPass *p, LkJobIndex a, LkJobIndex b)
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
  return lk_full_goes_before (user, x, y) ? -1 : 1;
}

void
lk_full_sort_jobs (LkFullPass *p, GArray *jobs)
{
  for (guint i = 1; i < jobs->len; i++)
    if (!lk_full_goes_before (p, lk_full_job_at (jobs, i - 1), lk_full_job_at (jobs, i))) {
      g_array_sort_with_data (jobs, compare_places, p);
      return;
    }
}

void
lk_full_sort_planned (LkFullPass *p)
{
  if (!p->self->is_sorted)
    lk_full_sort_jobs (p, p->self->planned);
  p->self->is_sorted = TRUE;
}

guint
lk_full_planned_before (const LkFullPass *p, LkJobIndex job)
{
  const GArray *planned = p->self->planned;
  guint low = 0;
  guint high = planned->len;
  /* Mostly the last. */
  if (high > 0 && lk_full_goes_before (p, lk_full_job_at (planned, high - 1), job))
    return high;
  while (low < high) {
    guint middle = low + (high - low) / 2;
    if (lk_full_goes_before (p, lk_full_job_at (planned, middle), job))
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
    if (lk_full_job_at (jobs, i) == job) {
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
  self->longest_us = MAX (self->longest_us, view->jobs->estimate_us[job]);
  lk_due_heap_push (&self->due, (LkDue){ start_us, view->jobs->id[job], job });
}

LkStartKind
lk_full_kind_of (const LkFullPass *p, LkJobIndex job)
{
  LkStartKind kind = { .duration_us = p->view->jobs->estimate_us[job] };
  kind.likeness = p->self->plan_ops->likeness (p->self->plan, p->view, job, &kind.size);
  return kind;
}

LkWaitOrder
lk_full_order_of (const LkFullPass *p)
{
  return (LkWaitOrder){ p->ops, p->handle };
}

static void
list (const LkFullPass *p, LkWaitList *jobs, LkJobIndex job)
{
  LkWaitOrder order = lk_full_order_of (p);
  LkStartKind kind = lk_full_kind_of (p, job);
  lk_wait_list_insert (jobs, &order, job, &kind);
}

/* Lists all of them again if the order has changed. */
void
lk_full_sort_unplaced (const LkFullPass *p)
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
      list (p, self->unplaced, job);
}

void
lk_full_leave_unplaced (const LkFullPass *p, LkJobIndex job)
{
  p->self->stand[job] = LK_FULL_UNPLACED;
  p->self->unplaced_count++;
  if (p->self->is_unplaced_sorted)
    list (p, p->self->unplaced, job);
}

void
lk_full_forget_unplaced (LkFull *self, LkJobIndex job)
{
  if (self->stand[job] != LK_FULL_UNPLACED)
    return;
  self->unplaced_count--;
  lk_wait_list_remove (self->unplaced, job);
}

void
lk_full_reserve (LkFullPass *p, LkJobIndex job, int64_t start_us)
{
  LkFull *self = p->self;
  lk_full_sort_planned (p);
  guint at = lk_full_planned_before (p, job);
  lk_full_forget_unplaced (self, job);
  self->plan_ops->reserve (self->plan, p->view, job, start_us);
  lk_full_note_reserved (self, p->view, job, start_us);
  g_array_insert_val (self->planned, at, job);
}

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

int64_t
lk_full_look (const LkFullPass *p, LkJobIndex job, int64_t from_us, int64_t before_us)
{
  LkFull *self = p->self;
  LkStartKind kind = lk_full_kind_of (p, job);
  from_us = MAX (from_us, lk_start_bounds_us (self->bounds, &kind));
  if (from_us >= before_us)
    return LK_TIME_NEVER;
  int64_t start_us = self->plan_ops->earliest (self->plan, p->view, job, from_us, before_us);
  lk_start_bounds_learn (self->bounds, &kind, MIN (start_us, before_us));
  return start_us;
}

/* ---------------------------------------------------------------- walks */

LkJobIndex
lk_full_walk_on (const LkFullPass *p, LkFullWalk *walk)
{
  LkFull *self = p->self;
  LkWaitOrder order = lk_full_order_of (p);
  LkWaitSearch search = { .bounds = self->bounds,
                          .before_us = walk->before_us,
                          .gain = walk->gain };
  if (!walk->is_known)
    walk->unplaced = lk_wait_list_next (self->unplaced, &order, walk->last, &search);
  walk->is_known = TRUE;
  LkJobIndex job = walk->at < walk->jobs->len ? lk_full_job_at (walk->jobs, walk->at) : LK_JOB_NONE;
  if (walk->unplaced != LK_JOB_NONE
      && (job == LK_JOB_NONE || lk_full_goes_before (p, walk->unplaced, job))) {
    walk->is_known = FALSE;
    walk->last = walk->unplaced;
  } else {
    walk->at++;
    walk->last = job;
  }
  return walk->last;
}
