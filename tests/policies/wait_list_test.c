/* tests/policies/wait_list_test.c — the list of jobs that wait against a plain array.
 *
 * Random jobs come and go in a random order of the queue; the next one that is worth a search must
 * be the one that asking everyone finds. */
#include "policies/wait_list.h"

#include "policies/start_bounds.h"
#include "tests/engine/seed.h"

#define JOBS 700u

typedef struct {
  uint32_t rank[JOBS];
  LkStartKind kinds[JOBS];
  gboolean waits[JOBS];
  LkPassOps ops;
  LkPlanOps plan_ops;
  LkWaitOrder order;
  LkWaitList *list;
  LkStartBounds *bounds;
  uint32_t gain_size; /* jobs up to this size may gain */
} Queue;

static int32_t
queue_before (void *pass, uint32_t queue, LkJobIndex a, LkJobIndex b)
{
  const Queue *self = pass;
  g_assert_cmpuint (queue, ==, LK_QUEUE_PRIORITY);
  return self->rank[a] < self->rank[b];
}

static int32_t
may_gain_like (void *plan, const LkView *view, uint64_t likeness, uint32_t size_count,
               int64_t duration_us)
{
  const Queue *self = plan;
  (void)view;
  (void)likeness;
  (void)duration_us;
  return size_count <= self->gain_size;
}

static Queue *
queue_new (Seed *seed)
{
  Queue *self = g_new0 (Queue, 1);
  self->ops.queue_before = queue_before;
  self->plan_ops.may_gain_like = may_gain_like;
  self->order = (LkWaitOrder){ &self->ops, self };
  self->list = lk_wait_list_new ();
  self->bounds = lk_start_bounds_new ();
  for (uint32_t i = 0; i < JOBS; i++) {
    uint32_t other = seed_below (seed, i + 1);
    self->rank[i] = self->rank[other];
    self->rank[other] = i;
    self->kinds[i] = (LkStartKind){ 1 + seed_below (seed, 4), 1 + seed_below (seed, 20),
                                    1 + seed_below (seed, 50) };
  }
  return self;
}

static void
queue_free (Queue *self)
{
  lk_wait_list_free (self->list);
  lk_start_bounds_free (self->bounds);
  g_free (self);
}

static void
toggle (Queue *self, LkJobIndex job)
{
  if (self->waits[job])
    lk_wait_list_remove (self->list, job);
  else
    lk_wait_list_insert (self->list, &self->order, job, &self->kinds[job]);
  self->waits[job] = !self->waits[job];
}

/* Asks everyone. */
static LkJobIndex
plain_next (Queue *self, LkJobIndex after, const LkWaitSearch *search)
{
  LkJobIndex found = LK_JOB_NONE;
  for (LkJobIndex job = 0; job < JOBS; job++)
    if (self->waits[job] && (after == LK_JOB_NONE || self->rank[job] > self->rank[after])
        && (found == LK_JOB_NONE || self->rank[job] < self->rank[found])
        && (search == NULL
            || ((search->gain == NULL || self->kinds[job].size <= self->gain_size)
                && lk_start_bounds_us (self->bounds, &self->kinds[job]) < search->before_us)))
      found = job;
  return found;
}

static void
learn (Queue *self, Seed *seed)
{
  LkStartKind kind = { 1 + seed_below (seed, 4), 1 + seed_below (seed, 20),
                       1 + seed_below (seed, 50) };
  if ((seed_below (seed, 100) < 5))
    lk_start_bounds_reset (self->bounds);
  else if ((seed_below (seed, 100) < 30))
    lk_start_bounds_give (self->bounds, seed_below (seed, 200), seed_below (seed, 20));
  else
    lk_start_bounds_learn (self->bounds, &kind, seed_below (seed, 200));
}

static void
test_random (void)
{
  Seed seed = { .state = 11 };
  Queue *self = queue_new (&seed);
  LkWaitGain gain = { .ops = &self->plan_ops, .plan = self };
  for (guint step = 0; step < 3000; step++) {
    LkWaitSearch search = { .bounds = self->bounds,
                            .before_us = seed_below (&seed, 200),
                            .gain = (seed_below (&seed, 100) < 50) ? &gain : NULL };
    toggle (self, seed_below (&seed, JOBS));
    learn (self, &seed);
    self->gain_size = seed_below (&seed, 22);
    LkJobIndex after = (seed_below (&seed, 100) < 30) ? LK_JOB_NONE : seed_below (&seed, JOBS);
    g_assert_cmpuint (lk_wait_list_next (self->list, &self->order, after, &search), ==,
                      plain_next (self, after, &search));
    g_assert_cmpuint (lk_wait_list_first (self->list), ==, plain_next (self, LK_JOB_NONE, NULL));
  }
  queue_free (self);
}

static void
test_edges (void)
{
  Seed seed = { .state = 12 };
  Queue *self = queue_new (&seed);
  LkWaitSearch search = { .bounds = self->bounds, .before_us = 1 };
  g_assert_cmpuint (lk_wait_list_first (self->list), ==, LK_JOB_NONE);
  g_assert_cmpuint (lk_wait_list_next (self->list, &self->order, 3, &search), ==, LK_JOB_NONE);
  lk_wait_list_remove (self->list, 5); /* it is not there */
  for (LkJobIndex job = 0; job < JOBS; job++)
    toggle (self, job);
  for (LkJobIndex job = 0; job < JOBS; job++)
    g_assert_cmpuint (lk_wait_list_next (self->list, &self->order, job, &search), ==,
                      plain_next (self, job, NULL));
  lk_wait_list_clear (self->list);
  g_assert_cmpuint (lk_wait_list_first (self->list), ==, LK_JOB_NONE);
  lk_wait_list_insert (self->list, &self->order, 5, &self->kinds[5]);
  g_assert_cmpuint (lk_wait_list_first (self->list), ==, 5);
  queue_free (self);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/wait-list/finds whom asking everyone finds", test_random);
  g_test_add_func ("/wait-list/empty, full and cleared", test_edges);
  return g_test_run ();
}
