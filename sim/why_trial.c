/* sim/why_trial.c — see the header. */
#include "sim/why_trial.h"

#include "engine/assert.h"
#include "engine/checked.h"
#include "sim/event_heap.h"

/* How far a copy is run on: events, and time.  Use that decays goes on for ever. */
#define EVENTS_MAX 100000u
#define HORIZON_US (G_GINT64_CONSTANT (90) * 86400 * 1000000)

void
lk_why_trial_init (LkWhyTrial *self, const LkEngineConfig *config, const LkEngine *engine,
                   const LkEvent_submit *asked)
{
  LkJobInfo info;
  gboolean is_there = lk_engine_job (engine, asked->job_id, &info);
  LK_ASSERT (is_there);
  *self = (LkWhyTrial){ .config = config, .snapshot = g_byte_array_new (), .asked = *asked };
  self->asked.procs = info.procs;
  self->asked.estimate_us = info.estimate_us;
  lk_engine_save (engine, self->snapshot);
}

void
lk_why_trial_clear (LkWhyTrial *self)
{
  g_clear_pointer (&self->snapshot, g_byte_array_unref);
  g_clear_pointer (&self->scratch, lk_engine_free);
}

LkEngine *
lk_why_trial_copy (const LkWhyTrial *self)
{
  LkStatus status;
  LkEngine *copy =
      lk_engine_load (self->config, self->snapshot->data, self->snapshot->len, &status);
  LK_ASSERT (copy != NULL); /* the bytes are our own */
  return copy;
}

/* ---------------------------------------------------------------- events on a copy */

static void
apply (LkEngine *copy, LkEvent *event, gint64 at_us, const LkSink *sink)
{
  LkEngineCounts counts;
  lk_engine_counts (copy, &counts);
  event->seq = counts.event_count + 1;
  event->time_us = at_us;
  LkStatus status = lk_engine_apply (copy, event, sink);
  LK_ASSERT (status == LK_STATUS_OK);
}

static gboolean
is_running (const LkEngine *copy, guint32 job_id)
{
  LkJobInfo info;
  return lk_engine_job (copy, job_id, &info) && info.state != LK_JOB_PENDING
         && info.state != LK_JOB_SPECIAL_EXIT;
}

/* Frees the copy. */
static gboolean
starts (LkWhyTrial *self, LkEngine *copy)
{
  LkEvent pass = { .kind = LK_EVENT_PASS };
  apply (copy, &pass, lk_engine_view (copy)->now_us, NULL);
  gboolean started = is_running (copy, self->asked.job_id);
  lk_engine_free (copy);
  self->count++;
  return started;
}

/* ---------------------------------------------------------------- does it fit? */

gboolean
lk_why_trial_fits (LkEngine *copy, guint32 job_id)
{
  const LkView *view = lk_engine_view (copy);
  const LkPlanOps *ops = lk_host ()->plan;
  LkJobIndex job = lk_engine_job_index (copy, job_id);
  if (view->cluster == NULL)
    return view->jobs->units[job] <= view->units_free;
  void *plan = ops->create (view);
  ops->reset (plan, view);
  gint64 at_us = ops->earliest (plan, view, job, view->now_us, view->now_us + 1);
  ops->destroy (plan);
  return at_us == view->now_us;
}

/* Spares the copy and the pass where it does not. */
static gboolean
could_start (LkWhyTrial *self, const LkEvent_submit *asked)
{
  if (self->scratch == NULL)
    self->scratch = lk_why_trial_copy (self);
  if (lk_engine_amend (self->scratch, asked) == 0)
    return lk_why_trial_fits (self->scratch, asked->job_id);
  g_clear_pointer (&self->scratch, lk_engine_free);
  return FALSE;
}

/* ---------------------------------------------------------------- trials */

gboolean
lk_why_trial_as_it_is (LkWhyTrial *self)
{
  return starts (self, lk_why_trial_copy (self));
}

gboolean
lk_why_trial_released (LkWhyTrial *self)
{
  LkEngine *copy = lk_why_trial_copy (self);
  LkEvent release = { .kind = LK_EVENT_RELEASE };
  release.release.job_id = self->asked.job_id;
  apply (copy, &release, lk_engine_view (copy)->now_us, NULL);
  return starts (self, copy);
}

gboolean
lk_why_trial_asking (LkWhyTrial *self, const LkEvent_submit *asked)
{
  g_autoptr (LkEngine) copy = could_start (self, asked) ? lk_why_trial_copy (self) : NULL;
  if (copy != NULL && lk_engine_amend (copy, asked) == 0)
    return starts (self, g_steal_pointer (&copy));
  self->count++;
  return FALSE;
}

/* A job that is held gives up its place and what was reserved for it, as one that goes behind. */
gboolean
lk_why_trial_before (LkWhyTrial *self, const GArray *queue_ids, guint first)
{
  LkEngine *copy = lk_why_trial_copy (self);
  for (guint i = first; i < queue_ids->len; i++) {
    LkEvent hold = { .kind = LK_EVENT_HOLD };
    hold.hold.job_id = g_array_index (queue_ids, guint32, i);
    if (hold.hold.job_id == self->asked.job_id)
      break;
    apply (copy, &hold, lk_engine_view (copy)->now_us, NULL);
  }
  return starts (self, copy);
}

/* ---------------------------------------------------------------- running on */

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
    if (is_running (self->copy, event.job_ended.job_id))
      apply (self->copy, &event, self->now_us, sink);
  }
}

static void
deliver_instant (Course *self, const LkSink *sink)
{
  LkEvent timer = { .kind = LK_EVENT_TIMER };
  LkEvent pass = { .kind = LK_EVENT_PASS };
  deliver_ends (self, sink);
  if (lk_engine_wake_us (self->copy) <= self->now_us) {
    apply (self->copy, &timer, self->now_us, sink);
    deliver_ends (self, sink);
  }
  if (lk_engine_pass_wanted (self->copy))
    apply (self->copy, &pass, self->now_us, sink);
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

gint64
lk_why_trial_start_us (LkWhyTrial *self, gboolean *out_is_known)
{
  LkEngineCounts counts;
  Course course;
  gint64 start_us = LK_TIME_NEVER;
  course_init (&course, lk_why_trial_copy (self), self->asked.job_id);
  LkSink sink = { on_decision, &course };
  lk_engine_counts (course.copy, &counts);
  guint64 event_max = counts.event_count + EVENTS_MAX;
  gint64 last_us = lk_time_add_us (course.now_us, HORIZON_US);
  gint64 at_us = lk_engine_pass_wanted (course.copy) ? course.now_us : next_us (&course);
  while (start_us == LK_TIME_NEVER && at_us < last_us && counts.event_count < event_max) {
    course.now_us = at_us;
    deliver_instant (&course, &sink);
    if (course.is_started || is_running (course.copy, self->asked.job_id))
      start_us = at_us;
    lk_engine_counts (course.copy, &counts);
    at_us = next_us (&course);
  }
  *out_is_known = start_us != LK_TIME_NEVER || at_us == LK_TIME_NEVER;
  lk_event_heap_clear (&course.ends);
  lk_engine_free (course.copy);
  self->count++;
  return start_us;
}
