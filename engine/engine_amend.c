/* engine/engine_amend.c — what if a pending job had asked for something else?
 *
 * The job is cancelled and submitted anew under its own id, which no event may do, and then given
 * back what made its place in the queue: its submit time, its age, its hold.  Of tasks that wait
 * together the next one is asked about, as a job of its own; the others are left out. */
#include "engine/assert.h"
#include "engine/engine_array.h"
#include "engine/engine_life.h"

static void
note_reject (void *user, const LkEvent *cause, const LkDecision *decision)
{
  guint16 *reject = user;
  (void)cause;
  if (decision->kind == LK_DECISION_REJECT)
    *reject = decision->reject.error;
}

static LkReject
apply_now (LkEngine *self, LkEvent *event)
{
  guint16 reject = 0;
  LkSink sink = { note_reject, &reject };
  event->seq = self->event_count + 1;
  event->time_us = self->view.now_us;
  LkStatus status = lk_engine_apply (self, event, &sink);
  LK_ASSERT (status == LK_STATUS_OK);
  return (LkReject)reject;
}

/* What a job keeps of its former self. */
typedef struct {
  gint64 submit_us;
  gint64 begin_us;
  gint64 accrue_us;
  guint8 held_by;
} Kept;

static Kept
keep (const LkEngine *self, LkJobIndex job)
{
  const LkJobTable *jobs = &self->jobs;
  return (Kept){ .submit_us = jobs->submit_us[job],
                 .begin_us = jobs->begin_us[job],
                 .accrue_us = jobs->accrue_us[job],
                 .held_by = jobs->held_by[job] };
}

static void
give_back (LkEngine *self, LkJobIndex job, const Kept *kept)
{
  LkEvent release = { .kind = LK_EVENT_RELEASE };
  release.release.job_id = self->jobs.id[job];
  self->jobs.submit_us[job] = kept->submit_us;
  self->jobs.begin_us[job] = kept->begin_us;
  self->jobs.accrue_us[job] = kept->accrue_us;
  /* A job that can never run stays held for that. */
  if (kept->held_by == LK_HELD_BY_NOBODY)
    apply_now (self, &release);
  else
    self->jobs.held_by[job] = kept->held_by;
}

/* The array keeps none but the next task. Returns which. */
static guint32
leave_next (LkEngine *self, LkArray *array)
{
  guint32 next = lk_task_set_first (&array->waiting);
  LkTaskSet others = { 0 };
  for (guint32 task = lk_task_set_next (&array->waiting, next); task != LK_TASK_NONE;
       task = lk_task_set_next (&array->waiting, task))
    lk_task_set_add (&others, task);
  if (others.count > 0)
    lk_engine_array_lose (self, array, &others);
  lk_task_set_clear (&others);
  return next;
}

/* Of an array only this job goes, not those of its tasks that run. */
static void
cancel_now (LkEngine *self, LkJobIndex job)
{
  char text[16];
  LkEvent cancel = { .kind = LK_EVENT_CANCEL };
  LkArray *array = lk_engine_array_of (self, job);
  cancel.cancel.job_id = self->jobs.id[job];
  if (array != NULL && cancel.cancel.job_id == array->array_job_id) {
    guint32 task =
        lk_engine_is_record (self, job) ? leave_next (self, array) : self->jobs.array_task[job];
    g_snprintf (text, sizeof text, "%u", task);
    cancel.cancel.task_list = lk_text (text);
  }
  apply_now (self, &cancel);
}

LkReject
lk_engine_amend (LkEngine *self, const LkEvent_submit *asked)
{
  LkEvent submit = { .kind = LK_EVENT_SUBMIT, .submit = *asked };
  LkJobIndex job = lk_id_map_find (&self->jobs.index_by_id, asked->job_id);
  if (job == LK_JOB_NONE)
    return LK_REJECT_JOB_UNKNOWN;
  if (lk_engine_has_started (self, job))
    return LK_REJECT_NOT_PENDING;
  Kept kept = keep (self, job);
  gpointer hidden = lk_engine_dependency_hide (self, job);
  guint32 job_id_last = self->job_id_last;
  submit.submit.flags |= LK_REQUEST_HOLD;
  submit.submit.dependency = lk_text ("");
  submit.submit.array = lk_text ("");
  cancel_now (self, job);
  self->job_id_last = asked->job_id - 1;
  LkReject reject = apply_now (self, &submit);
  self->job_id_last = job_id_last;
  lk_engine_dependency_show (self, lk_id_map_find (&self->jobs.index_by_id, asked->job_id), hidden);
  if (reject == 0)
    give_back (self, lk_id_map_find (&self->jobs.index_by_id, asked->job_id), &kept);
  return reject;
}
