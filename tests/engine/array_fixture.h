/* tests/engine/array_fixture.h — arrays of jobs, and events that name their tasks. */
#ifndef LK_TESTS_ENGINE_ARRAY_FIXTURE_H
#define LK_TESTS_ENGINE_ARRAY_FIXTURE_H

#include <string.h>

#include "tests/engine/engine_fixture.h"

static inline void
array_submit (LkFixture *self, gint64 time_s, guint32 id, guint32 procs, gint64 estimate_s,
              const char *array)
{
  LkEvent event = { .kind = LK_EVENT_SUBMIT };
  event.submit.job_id = id;
  event.submit.procs = procs;
  event.submit.estimate_us = estimate_s * G_USEC_PER_SEC;
  event.submit.array = lk_text (array);
  g_assert_cmpint (fixture_apply (self, time_s, &event), ==, LK_STATUS_OK);
}

/* `tasks` "": all. */
static inline void
array_event (LkFixture *self, gint64 time_s, LkEventKind kind, guint32 id, const char *tasks)
{
  LkEvent event = { .kind = kind };
  LkText list = lk_text (tasks);
  switch (kind) {
  case LK_EVENT_CANCEL:
    event.cancel.job_id = id;
    event.cancel.task_list = list;
    break;
  case LK_EVENT_HOLD:
    event.hold.job_id = id;
    event.hold.task_list = list;
    break;
  case LK_EVENT_RELEASE:
    event.release.job_id = id;
    event.release.task_list = list;
    break;
  case LK_EVENT_REQUEUE:
    event.requeue.job_id = id;
    event.requeue.task_list = list;
    break;
  default:
    g_assert_not_reached ();
  }
  g_assert_cmpint (fixture_apply (self, time_s, &event), ==, LK_STATUS_OK);
}

static inline void
array_throttle (LkFixture *self, gint64 time_s, guint32 id, const char *throttle)
{
  LkEvent_update update = { .job_id = id,
                            .changes = G_GUINT64_CONSTANT (1) << LK_CHANGE_array,
                            .array = lk_text (throttle) };
  fixture_update (self, time_s, &update);
}

#endif
