/* engine/engine_amend.c — what if a pending job had asked for something else?
 *
 * The job is cancelled and submitted anew under its own id, which no event may do, and then given
 * back what made its place in the queue: its submit time, its age, its hold. */
#include "engine/assert.h"
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

LkReject
lk_engine_amend (LkEngine *self, const LkEvent_submit *asked)
{
  LkEvent cancel = { .kind = LK_EVENT_CANCEL };
  LkEvent submit = { .kind = LK_EVENT_SUBMIT, .submit = *asked };
  LkJobIndex job = lk_id_map_find (&self->jobs.index_by_id, asked->job_id);
  if (job == LK_JOB_NONE)
    return LK_REJECT_JOB_UNKNOWN;
  if (lk_engine_has_started (self, job))
    return LK_REJECT_NOT_PENDING;
  Kept kept = keep (self, job);
  gpointer hidden = lk_engine_dependency_hide (self, job);
  guint32 job_id_last = self->job_id_last;
  cancel.cancel.job_id = asked->job_id;
  submit.submit.flags |= LK_REQUEST_HOLD;
  submit.submit.dependency = lk_text ("");
  apply_now (self, &cancel);
  self->job_id_last = asked->job_id - 1;
  LkReject reject = apply_now (self, &submit);
  self->job_id_last = job_id_last;
  lk_engine_dependency_show (self, lk_id_map_find (&self->jobs.index_by_id, asked->job_id), hidden);
  if (reject == 0)
    give_back (self, lk_id_map_find (&self->jobs.index_by_id, asked->job_id), &kept);
  return reject;
}
