/* bench/driver.c — see bench/driver.h. */
#include <time.h>

#include "bench/driver.h"

void
driver_init (Driver *self, LkEngine *engine, guint64 seed)
{
  *self = (Driver){ .engine = engine,
                    .random = seed,
                    .running = g_array_new (FALSE, FALSE, sizeof (guint32)) };
}

void
driver_clear (Driver *self)
{
  lk_engine_free (self->engine);
  g_array_unref (self->running);
}

guint32
driver_draw (Driver *self, guint32 limit)
{
  self->random += 0x9e3779b97f4a7c15u;
  guint64 z = self->random;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return (guint32)((z ^ (z >> 31)) % limit);
}

static void
on_decision (void *user, const LkEvent *cause, const LkDecision *decision)
{
  Driver *self = user;
  (void)cause;
  if (decision->kind == LK_DECISION_START)
    g_array_append_val (self->running, decision->start.job_id);
}

gint64
driver_cpu_ns (void)
{
  struct timespec now;
  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &now);
  return (gint64)now.tv_sec * 1000000000 + now.tv_nsec;
}

gint64
driver_apply (Driver *self, LkEvent *event)
{
  LkEngineCounts counts;
  LkSink sink = { on_decision, self };
  lk_engine_counts (self->engine, &counts);
  event->seq = counts.event_count + 1;
  event->time_us = self->now_us;
  gint64 begin_ns = driver_cpu_ns ();
  LkStatus status = lk_engine_apply (self->engine, event, &sink);
  gint64 cost_ns = driver_cpu_ns () - begin_ns;
  if (status != LK_STATUS_OK)
    g_error ("refused: %s", lk_status_text (status));
  return cost_ns;
}

gint64
driver_pass (Driver *self)
{
  LkEvent event = { .kind = LK_EVENT_PASS };
  return driver_apply (self, &event);
}

gint64
driver_submit (Driver *self, LkEvent *event)
{
  event->submit.job_id = ++self->job_id_last;
  return driver_apply (self, event);
}

gint64
driver_end_one (Driver *self)
{
  guint32 at = driver_draw (self, self->running->len);
  LkEvent event = { .kind = LK_EVENT_JOB_ENDED };
  event.job_ended.job_id = g_array_index (self->running, guint32, at);
  g_array_remove_index_fast (self->running, at);
  return driver_apply (self, &event);
}

static gint
compare (gconstpointer a, gconstpointer b)
{
  gint64 x = *(const gint64 *)a;
  gint64 y = *(const gint64 *)b;
  return (x > y) - (x < y);
}

gint64
driver_median (GArray *costs)
{
  g_array_sort (costs, compare);
  return costs->len > 0 ? g_array_index (costs, gint64, costs->len / 2) : 0;
}
