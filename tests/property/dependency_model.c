/* tests/property/dependency_model.c — see the header. */
#include "tests/property/dependency_model.h"

#include <string.h>

static gboolean
is_known (const Model *self, guint32 id)
{
  const ModelJob *job = id <= MODEL_JOBS_MAX ? &self->jobs[id] : NULL;
  if (job == NULL || job->phase == MODEL_ABSENT)
    return FALSE;
  return job->phase != MODEL_ENDED || self->now_s - job->end_s < MODEL_AGE_S;
}

/* Is no job of the user and name running, and none before it pending? */
static gboolean
is_alone (const Model *self, guint32 id)
{
  for (guint32 other = 1; other <= MODEL_JOBS_MAX; other++) {
    const ModelJob *job = &self->jobs[other];
    if (other == id || job->user_id != self->jobs[id].user_id
        || g_strcmp0 (job->name, self->jobs[id].name) != 0)
      continue;
    if (job->phase == MODEL_RUNNING || (job->phase == MODEL_PENDING && other < id))
      return FALSE;
  }
  return TRUE;
}

static void
look_at_end (const ModelJob *awaited, ModelCondition *condition)
{
  switch (condition->type) {
  case LK_DEPENDENCY_AFTER_OK:
  case LK_DEPENDENCY_AFTER_CORR:
    *(awaited->ended_well ? &condition->is_satisfied : &condition->has_failed) = TRUE;
    break;
  case LK_DEPENDENCY_AFTER_NOT_OK:
    *(awaited->ended_well ? &condition->has_failed : &condition->is_satisfied) = TRUE;
    break;
  default:
    condition->is_satisfied = TRUE;
  }
}

static void
look_at (const Model *self, guint32 id, ModelCondition *condition)
{
  if (condition->is_satisfied || condition->has_failed)
    return;
  if (condition->type == LK_DEPENDENCY_SINGLETON) {
    condition->is_satisfied = is_alone (self, id);
    return;
  }
  const ModelJob *awaited = &self->jobs[condition->job_id];
  gboolean has_started = awaited->phase == MODEL_RUNNING || awaited->phase == MODEL_ENDED;
  if (condition->type != LK_DEPENDENCY_AFTER && awaited->phase == MODEL_ENDED)
    look_at_end (awaited, condition);
  else if (condition->type == LK_DEPENDENCY_AFTER && has_started)
    condition->is_satisfied = self->now_s >= awaited->start_s + 60 * (gint64)condition->minutes;
}

ModelStand
model_stand (const Model *self, guint32 id)
{
  const ModelJob *job = &self->jobs[id];
  guint failed_count = 0, satisfied_count = 0;
  for (guint i = 0; i < job->condition_count; i++) {
    failed_count += job->conditions[i].has_failed ? 1 : 0;
    satisfied_count += job->conditions[i].is_satisfied ? 1 : 0;
  }
  if (job->was_satisfied || satisfied_count == job->condition_count
      || (job->is_any && satisfied_count > 0))
    return MODEL_FREE;
  if (job->is_any ? failed_count == job->condition_count : failed_count > 0)
    return MODEL_NEVER;
  return MODEL_WAITS;
}

/* Whoever waits for the job sees how, and when, it began and ended. */
static void
leave (Model *self, guint32 id, gboolean well)
{
  ModelJob *left = &self->jobs[id];
  if (left->phase == MODEL_PENDING)
    left->start_s = self->now_s;
  left->phase = MODEL_ENDED;
  left->end_s = self->now_s;
  left->ended_well = well;
  for (guint32 waiter = 1; waiter <= MODEL_JOBS_MAX; waiter++) {
    ModelJob *job = &self->jobs[waiter];
    for (guint i = 0; job->phase == MODEL_PENDING && i < job->condition_count; i++)
      if (job->conditions[i].job_id == id && !job->was_satisfied)
        look_at (self, waiter, &job->conditions[i]);
  }
}

/* Looks at all that are pending, until nothing changes any more. */
static void
look_at_all (Model *self)
{
  for (gboolean changed = TRUE; changed;) {
    changed = FALSE;
    for (guint32 id = 1; id <= MODEL_JOBS_MAX; id++) {
      ModelJob *job = &self->jobs[id];
      if (job->phase != MODEL_PENDING)
        continue;
      for (guint i = 0; i < job->condition_count && !job->was_satisfied; i++)
        look_at (self, id, &job->conditions[i]);
      ModelStand stand = model_stand (self, id);
      job->was_satisfied = stand == MODEL_FREE;
      if (stand == MODEL_NEVER && job->kills) {
        leave (self, id, FALSE);
        self->kill_count++;
        changed = TRUE;
      }
    }
  }
}

gboolean
model_submit (Model *self, guint32 id)
{
  ModelJob *job = &self->jobs[id];
  for (guint i = 0; i < job->condition_count; i++) {
    ModelCondition *condition = &job->conditions[i];
    if (condition->type == LK_DEPENDENCY_SINGLETON)
      continue;
    gboolean known = condition->job_id < id && is_known (self, condition->job_id);
    if (!known
        && (condition->job_id == id || condition->type == LK_DEPENDENCY_AFTER_OK
            || condition->type == LK_DEPENDENCY_AFTER_NOT_OK))
      return FALSE;
    condition->is_satisfied = !known;
    if (known)
      look_at (self, id, condition);
  }
  job->phase = MODEL_PENDING;
  look_at_all (self);
  return TRUE;
}

void
model_start (Model *self, guint32 id)
{
  self->jobs[id].phase = MODEL_RUNNING;
  self->jobs[id].start_s = self->now_s;
  look_at_all (self);
}

void
model_requeue (Model *self, guint32 id)
{
  self->jobs[id].phase = MODEL_PENDING;
  look_at_all (self);
}

void
model_end (Model *self, guint32 id, gboolean well)
{
  leave (self, id, well);
  look_at_all (self);
}

void
model_look (Model *self)
{
  look_at_all (self);
}
