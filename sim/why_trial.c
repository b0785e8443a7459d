/* sim/why_trial.c — see the header. */
#include "sim/why_trial.h"

#include "engine/assert.h"
#include "engine/course.h"

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

/* Frees the copy. */
static gboolean
starts (LkWhyTrial *self, LkEngine *copy)
{
  LkEvent pass = { .kind = LK_EVENT_PASS };
  lk_course_apply (copy, &pass, lk_engine_view (copy)->now_us, NULL);
  gboolean started = lk_course_is_started (copy, self->asked.job_id);
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
  const LkRequest *request = lk_engine_job_request (copy, job_id);
  if (view->cluster == NULL)
    return view->jobs->units[job] <= view->units_free;
  /* A plan is never asked about more nodes than there are. */
  if (request != NULL && request->demand.nodes_min > lk_engine_nodes (copy)->node_count)
    return FALSE;
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
  lk_course_apply (copy, &release, lk_engine_view (copy)->now_us, NULL);
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
    lk_course_apply (copy, &hold, lk_engine_view (copy)->now_us, NULL);
  }
  return starts (self, copy);
}

/* ---------------------------------------------------------------- running on */

gint64
lk_why_trial_start_us (LkWhyTrial *self, gboolean *out_is_known)
{
  const LkCourseBounds bounds = { .event_max = EVENTS_MAX, .horizon_us = HORIZON_US };
  g_autoptr (LkEngine) copy = lk_why_trial_copy (self);
  self->count++;
  return lk_course_start_us (copy, self->asked.job_id, &bounds, out_is_known);
}
