/* engine/course.c — see the header. */
#include "engine/course.h"

#include "engine/assert.h"
#include "engine/checked.h"
#include "engine/event_heap.h"

void
lk_course_apply (LkEngine *copy, LkEvent *event, gint64 at_us, const LkSink *sink)
{
  LkEngineCounts counts;
  lk_engine_counts (copy, &counts);
  event->seq = counts.event_count + 1;
  event->time_us = at_us;
  LkStatus status = lk_engine_apply (copy, event, sink);
  LK_ASSERT (status == LK_STATUS_OK);
}

gboolean
lk_course_is_started (const LkEngine *copy, guint32 job_id)
{
  LkJobInfo info;
  return lk_engine_job (copy, job_id, &info) && info.state != LK_JOB_PENDING
         && info.state != LK_JOB_SPECIAL_EXIT;
}

typedef struct {
  LkEngine *copy;
  LkEventHeap ends; /* the slot is the job's id, as is the rank */
  gint64 now_us;
  guint32 job_id; /* whose start is looked for */
  gboolean is_started;
} Course;

static void
end_at (Course *self, guint32 job_id, gint64 at_us)
{
  lk_event_heap_push (&self->ends, (LkHeapEvent){ MAX (at_us, self->now_us), job_id, job_id });
}

static void
on_decision (void *user, const LkEvent *cause, const LkDecision *decision)
{
  Course *self = user;
  (void)cause;
  /* Tasks leave an array to start. */
  if (decision->kind == LK_DECISION_TASK && decision->task.array_job_id == self->job_id)
    self->is_started = TRUE;
  if (decision->kind == LK_DECISION_START) {
    const LkJobColumns *jobs = lk_engine_view (self->copy)->jobs;
    end_at (self, decision->start.job_id, jobs->expected_end_us[decision->job]);
  } else if (decision->kind == LK_DECISION_KILL) {
    end_at (self, decision->kill.job_id, self->now_us);
  }
}

static void
course_init (Course *self, LkEngine *copy, guint32 job_id)
{
  const LkView *view = lk_engine_view (copy);
  *self = (Course){ .copy = copy, .now_us = view->now_us, .job_id = job_id };
  lk_event_heap_init (&self->ends);
  for (LkJobIndex job = 0; job < view->job_index_limit; job++)
    if (view->jobs->phase[job] == LK_PHASE_RUNNING)
      end_at (self, view->jobs->id[job], view->jobs->expected_end_us[job]);
}

/* All ends of this moment; a job that was killed has two, of which the second finds it gone. */
static void
deliver_ends (Course *self, const LkSink *sink)
{
  for (const LkHeapEvent *end = lk_event_heap_first (&self->ends);
       end != NULL && end->time_us == self->now_us; end = lk_event_heap_first (&self->ends)) {
    LkEvent event = { .kind = LK_EVENT_JOB_ENDED };
    event.job_ended.job_id = end->slot;
    lk_event_heap_pop (&self->ends);
    if (lk_course_is_started (self->copy, event.job_ended.job_id))
      lk_course_apply (self->copy, &event, self->now_us, sink);
  }
}

static void
deliver_instant (Course *self, const LkSink *sink)
{
  LkEvent timer = { .kind = LK_EVENT_TIMER };
  LkEvent pass = { .kind = LK_EVENT_PASS };
  deliver_ends (self, sink);
  if (lk_engine_wake_us (self->copy) <= self->now_us) {
    lk_course_apply (self->copy, &timer, self->now_us, sink);
    deliver_ends (self, sink);
  }
  if (lk_engine_pass_wanted (self->copy))
    lk_course_apply (self->copy, &pass, self->now_us, sink);
}

/* What happens next; LK_TIME_NEVER: nothing does. */
static gint64
next_us (const Course *self)
{
  const LkHeapEvent *end = lk_event_heap_first (&self->ends);
  gint64 wake_us = lk_engine_wake_us (self->copy);
  gint64 at_us = end != NULL ? MIN (end->time_us, wake_us) : wake_us;
  return at_us == LK_TIME_NEVER ? at_us : MAX (at_us, self->now_us);
}

static gint64
planned_us (const LkEngine *copy, guint32 job_id)
{
  LkJobInfo info;
  return lk_engine_job (copy, job_id, &info) ? info.start_us : LK_TIME_NEVER;
}

/* When it has started at this moment, or is planned to; LK_TIME_NEVER: neither. */
static gint64
found_us (const Course *self, const LkCourseBounds *bounds)
{
  if (self->is_started || lk_course_is_started (self->copy, self->job_id))
    return self->now_us;
  return bounds->takes_plan ? planned_us (self->copy, self->job_id) : LK_TIME_NEVER;
}

gint64
lk_course_start_us (LkEngine *copy, guint32 job_id, const LkCourseBounds *bounds,
                    gboolean *out_is_known)
{
  LkEngineCounts counts;
  Course course;
  gint64 start_us = LK_TIME_NEVER;
  course_init (&course, copy, job_id);
  LkSink sink = { on_decision, &course };
  lk_engine_counts (copy, &counts);
  guint64 event_max = counts.event_count + bounds->event_max;
  gint64 last_us = lk_time_add_us (course.now_us, bounds->horizon_us);
  gint64 at_us = lk_engine_pass_wanted (copy) ? course.now_us : next_us (&course);
  while (start_us == LK_TIME_NEVER && at_us < last_us && counts.event_count < event_max
         && (bounds->goes_on == NULL || bounds->goes_on (bounds->user))) {
    course.now_us = at_us;
    deliver_instant (&course, &sink);
    start_us = found_us (&course, bounds);
    lk_engine_counts (copy, &counts);
    at_us = next_us (&course);
  }
  *out_is_known = start_us != LK_TIME_NEVER || at_us == LK_TIME_NEVER;
  lk_event_heap_clear (&course.ends);
  return start_us;
}
