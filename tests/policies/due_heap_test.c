/* tests/policies/due_heap_test.c — reservations by the moment at which they are due. */
#include "policies/due_heap.h"

#include "tests/engine/seed.h"

#define JOBS 300u

/* A queue in the order of `rank`, the least first. */
typedef struct {
  uint32_t ids[JOBS];
  uint8_t phases[JOBS];
  int64_t starts_us[JOBS];
  uint32_t rank[JOBS];
  LkJobColumns columns;
  LkView view;
  LkPassOps ops;
  LkDueHeap heap;
} Queue;

static int32_t
queue_before (void *pass, uint32_t queue, LkJobIndex a, LkJobIndex b)
{
  const Queue *self = pass;
  g_assert_cmpuint (queue, ==, LK_QUEUE_PRIORITY);
  return self->rank[a] < self->rank[b];
}

static Queue *
queue_new (void)
{
  Queue *self = g_new0 (Queue, 1);
  self->columns = (LkJobColumns){ .id = self->ids, .phase = self->phases };
  self->view.jobs = &self->columns;
  self->ops.queue_before = queue_before;
  lk_due_heap_init (&self->heap);
  for (uint32_t i = 0; i < JOBS; i++) {
    self->ids[i] = 1000 + i;
    self->phases[i] = LK_PHASE_QUEUED;
    self->rank[i] = i;
  }
  return self;
}

static void
queue_free (Queue *self)
{
  lk_due_heap_clear (&self->heap);
  g_free (self);
}

/* From now on its reservation is there. */
static void
reserve (Queue *self, LkJobIndex job, int64_t start_us)
{
  self->starts_us[job] = start_us;
  lk_due_heap_push (&self->heap, (LkDue){ start_us, self->ids[job], job });
}

static int64_t
first_us (Queue *self)
{
  const LkDue *first = lk_due_heap_first (&self->heap, &self->view, self->starts_us);
  return first != NULL ? first->start_us : LK_TIME_NEVER;
}

static void
test_stale (void)
{
  Queue *self = queue_new ();
  g_assert_cmpint (first_us (self), ==, LK_TIME_NEVER);
  reserve (self, 0, 50);
  reserve (self, 1, 20);
  reserve (self, 2, 30);
  reserve (self, 3, 40);
  g_assert_cmpint (first_us (self), ==, 20);
  reserve (self, 1, 60); /* moved */
  g_assert_cmpint (first_us (self), ==, 30);
  self->phases[2] = LK_PHASE_QUEUED + 1; /* left the queue */
  g_assert_cmpint (first_us (self), ==, 40);
  self->ids[3] = 77; /* the index is another job's */
  g_assert_cmpint (first_us (self), ==, 50);
  queue_free (self);
}

/* Those due by now, in the order of the queue, each once. */
static void
test_take (void)
{
  Queue *self = queue_new ();
  static const int64_t starts_us[] = { 10, 30, 20, 40, 25 };
  static const uint32_t ranks[] = { 5, 1, 3, 0, 2 };
  for (uint32_t i = 0; i < G_N_ELEMENTS (ranks); i++) {
    self->rank[i] = ranks[i];
    reserve (self, i, starts_us[i]);
  }
  reserve (self, 2, 21);
  reserve (self, 2, 20); /* once more, as before */
  self->view.now_us = 30;
  g_autoptr (GArray) jobs =
      lk_due_heap_take (&self->heap, &self->view, &self->ops, self, self->starts_us);
  static const LkJobIndex expected[] = { 1, 4, 2, 0 };
  g_assert_cmpuint (jobs->len, ==, G_N_ELEMENTS (expected));
  for (guint i = 0; i < jobs->len; i++)
    g_assert_cmpuint (g_array_index (jobs, LkJobIndex, i), ==, expected[i]);
  g_assert_cmpint (first_us (self), ==, 40);
  queue_free (self);
}

/* The jobs with a reservation before a moment, each once or more often. */
static void
test_list (void)
{
  Queue *self = queue_new ();
  Seed seed = { .state = 5 };
  g_autoptr (GArray) jobs = g_array_new (FALSE, FALSE, sizeof (LkJobIndex));
  for (guint count = 0; count < JOBS; count++) {
    int64_t before_us = seed_below (&seed, 1100);
    reserve (self, seed_below (&seed, JOBS), 1 + seed_below (&seed, 1000));
    lk_due_heap_list (&self->heap, &self->view, self->starts_us, before_us, jobs);
    gboolean is_listed[JOBS] = { FALSE };
    for (guint i = 0; i < jobs->len; i++)
      is_listed[g_array_index (jobs, LkJobIndex, i)] = TRUE;
    for (guint job = 0; job < JOBS; job++)
      g_assert_cmpint (is_listed[job], ==,
                       self->starts_us[job] > 0 && self->starts_us[job] < before_us);
  }
  queue_free (self);
}

static void
test_random (void)
{
  Queue *self = queue_new ();
  Seed seed = { .state = 3 };
  guint standing = 0;
  for (guint step = 0; step < 5000; step++) {
    LkJobIndex job = seed_below (&seed, JOBS);
    standing += self->starts_us[job] == 0;
    reserve (self, job, 1 + seed_below (&seed, 1000));
    lk_due_heap_shrink (&self->heap, &self->view, self->starts_us, standing);
    g_assert_cmpuint (self->heap.entries->len, <=, MAX (64, 4 * standing + 4));
  }
  int64_t least_us = LK_TIME_NEVER;
  for (guint i = 0; i < JOBS; i++)
    if (self->starts_us[i] > 0)
      least_us = MIN (least_us, self->starts_us[i]);
  g_assert_cmpint (first_us (self), ==, least_us);
  self->view.now_us = 1000;
  g_autoptr (GArray) jobs =
      lk_due_heap_take (&self->heap, &self->view, &self->ops, self, self->starts_us);
  g_assert_cmpuint (jobs->len, ==, standing);
  for (guint i = 1; i < jobs->len; i++)
    g_assert_cmpuint (g_array_index (jobs, LkJobIndex, i - 1), <,
                      g_array_index (jobs, LkJobIndex, i));
  queue_free (self);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/due-heap/entries that do not stand any more are passed over", test_stale);
  g_test_add_func ("/due-heap/those due are taken in the order of the queue", test_take);
  g_test_add_func ("/due-heap/those before a moment are listed", test_list);
  g_test_add_func ("/due-heap/it stays small, and loses nobody", test_random);
  return g_test_run ();
}
