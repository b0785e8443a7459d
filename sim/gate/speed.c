/* sim/gate/speed.c — see speed.h. */
#include "sim/gate/speed.h"

#include <math.h>
#include <time.h>

#include "engine/event_heap.h"

/* Rounds at a time: so many, but no more once this much time has gone. */
#define ROUNDS 5
#define ROUNDS_MIN 2
#define ENOUGH_S 3.0

typedef struct {
  LkEventHeap heap;
  guint64 count;
} Floor;

static double
cpu_s (void)
{
  struct timespec now;
  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void
floor_drain (Floor *self, gint64 up_to_us)
{
  for (const LkHeapEvent *first = lk_event_heap_first (&self->heap);
       first != NULL && first->time_us <= up_to_us; first = lk_event_heap_first (&self->heap))
    lk_event_heap_pop (&self->heap);
}

static gboolean
floor_take (gpointer user, const LkTraceJob *job)
{
  Floor *self = user;
  LkHeapEvent submit = { .time_us = job->submit_us, .rank = self->count++ };
  LkHeapEvent end = { .time_us = job->submit_us + job->run_us, .rank = self->count++ };
  lk_event_heap_push (&self->heap, submit);
  floor_drain (self, job->submit_us);
  lk_event_heap_push (&self->heap, end);
  return TRUE;
}

static gboolean
time_floor (LkGateSpeed *self, LkStudyRunner *runner, char *const *arguments, GError **error)
{
  Floor floor = { .count = 0 };
  double begin_s = cpu_s ();
  lk_event_heap_init (&floor.heap);
  gboolean good = lk_study_runner_each (runner, arguments, floor_take, &floor, error);
  floor_drain (&floor, G_MAXINT64);
  lk_event_heap_clear (&floor.heap);
  double took_s = cpu_s () - begin_s;
  self->floor_s = self->floor_s > 0 ? MIN (self->floor_s, took_s) : took_s;
  return good;
}

static gboolean
time_run (LkGateSpeed *self, LkStudyRunner *runner, char *const *arguments, GError **error)
{
  double begin_s = cpu_s ();
  g_autoptr (LkStudyResult) result = lk_study_runner_run (runner, arguments, NULL, error);
  double took_s = cpu_s () - begin_s;
  self->run_s = self->run_s > 0 ? MIN (self->run_s, took_s) : took_s;
  return result != NULL;
}

gboolean
lk_gate_speed_measure (LkGateSpeed *self, LkStudyRunner *runner, char *const *arguments,
                       GError **error)
{
  double begin_s = cpu_s ();
  for (guint round = 0; round < ROUNDS && (round < ROUNDS_MIN || cpu_s () - begin_s < ENOUGH_S);
       round++)
    if (!time_floor (self, runner, arguments, error) || !time_run (self, runner, arguments, error))
      return FALSE;
  return TRUE;
}

double
lk_gate_speed_ratio (const LkGateSpeed *self)
{
  return self->floor_s > 0 ? self->run_s / self->floor_s : NAN;
}
