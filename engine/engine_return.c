/* engine/engine_return.c — a job that has ended goes back to the queue, while it is remembered.
 *
 * When a job leaves, what it asked for is kept as the submit event that would ask for it now: for
 * MinJobAge, beside what others may depend on (ended.h), and only where the configuration says so.
 * To requeue it is to submit it again under its id: it is checked as then, counts as submitted now,
 * has one run more behind it, and may start after the cluster's delay.  What it depended on is
 * over, and its begin time has come.
 *
 * Not here: tasks of arrays and components of heterogeneous jobs, which do not come back.  Source:
 * scontrol(1) requeue, requeuehold; slurm.conf(5) MinJobAge. */
#include "engine/assert.h"
#include "engine/checked.h"
#include "engine/engine_het.h"
#include "engine/engine_life.h"

/* Without an age they would be kept for ever. */
static gboolean
keeps_ended (const LkEngine *self)
{
  return self->config.requeues_ended
         && (self->config.cluster == NULL || self->config.cluster->job_age_min_us > 0);
}

/* What the job asks for, as an event that was not sent. */
static void
fill_submit (const LkEngine *self, LkJobIndex job, LkEvent_submit *out)
{
  const LkJobTable *jobs = &self->jobs;
  const LkLife *life = lk_engine_life (self, job);
  LkJobTerms terms = *lk_terms_asked (jobs->terms[job]);
  LkJobRequest request = { 0 };
  guint32 procs = jobs->procs[job];
  *out = (LkEvent_submit){ .job_id = jobs->id[job],
                           .user_id = jobs->user_id[job],
                           .group_id = jobs->group_id[job],
                           .partition_id = jobs->partition_id[job],
                           .estimate_us = life->limit_asked_us > 0 ? life->limit_asked_us
                                                                   : jobs->estimate_us[job] };
  if (self->machine != NULL)
    lk_request_asked (lk_machine_request (self->machine, jobs->request[job]), &request, &procs);
  if (self->book != NULL)
    lk_engine_name_account (self, job, &request);
  request.flags &= ~(guint32)LK_REQUEST_HOLD;
  if (!jobs->is_plain) {
    request.nice = jobs->nice[job];
    request.site_factor = jobs->site_factor[job];
    request.priority = jobs->direct_priority[job];
  }
  terms.begin_us = 0;
  terms.dependency = lk_text ("");
  out->procs = procs;
  lk_submit_set_request (out, &request);
  lk_submit_set_terms (out, &terms);
}

LkEndedAsk *
lk_engine_ask_of (const LkEngine *self, LkJobIndex job)
{
  if (!keeps_ended (self) || self->jobs.array_job_id[job] != 0 || lk_engine_is_het (self, job)
      || !lk_engine_may_requeue (self, job))
    return NULL;
  const LkLife *life = lk_engine_life (self, job);
  LkEvent event = { .kind = LK_EVENT_SUBMIT };
  fill_submit (self, job, &event.submit);
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  lk_event_encode (&event, bytes);
  LkEndedAsk *ask = g_new (LkEndedAsk, 1);
  *ask = (LkEndedAsk){ .restarts = life->restarts,
                       .launch_failures = life->launch_failures,
                       .submit = g_memdup2 (bytes->data, bytes->len),
                       .submit_bytes = bytes->len };
  return ask;
}

/* On the list of those that are kept, with what its runs have left behind. */
static void
put_back (LkEngine *self, LkJobIndex job, const LkEndedAsk *ask, guint8 hold)
{
  LkJobTable *jobs = &self->jobs;
  LkLife *life = lk_engine_own_life (self, job);
  gint64 delay_us = self->config.cluster != NULL ? self->config.cluster->requeue_delay_us : 0;
  life->restarts = ask->restarts < G_MAXUINT32 ? ask->restarts + 1 : G_MAXUINT32;
  life->launch_failures = ask->launch_failures;
  life->is_special = hold == 2;
  jobs->begin_us[job] = lk_time_add_us (self->view.now_us, delay_us);
  if (hold != 0)
    jobs->held_by[job] = LK_HELD_BY_USER;
  lk_engine_forget_standing (self, job);
  LkDecision decision = { .kind = LK_DECISION_REQUEUE_JOB, .job = job };
  decision.requeue_job.job_id = jobs->id[job];
  lk_engine_emit (self, &decision);
  lk_engine_watch_deadline (self, job);
  LkReason kept_by = lk_engine_kept_by (self, job);
  /* It waits for its moment even where there is no delay. */
  lk_engine_keep (self, job, kept_by != LK_REASON_NONE ? kept_by : LK_REASON_BEGIN_TIME);
  lk_engine_emit_notice (self, job, hold == 2 ? LK_JOB_SPECIAL_EXIT : LK_JOB_PENDING,
                         (LkReason)jobs->hold_reason[job]);
  lk_engine_begin_waiting (self);
}

/* What such a job asked for. */
static void
decode_ask (const LkEndedAsk *ask, LkEvent *out_event)
{
  gsize used_bytes = lk_event_decode (ask->submit, ask->submit_bytes, out_event);
  LK_ASSERT (used_bytes == ask->submit_bytes);
}

gboolean
lk_engine_ended_user (LkEngine *self, guint32 job_id, guint32 *out_user_id)
{
  LkEvent event;
  const LkEndedJob *ended = keeps_ended (self) ? lk_engine_dependency_ended (self, job_id) : NULL;
  if (ended == NULL || ended->ask == NULL)
    return FALSE;
  decode_ask (ended->ask, &event);
  *out_user_id = event.submit.user_id;
  return TRUE;
}

LkReject
lk_engine_return_event (LkEngine *self, const LkEvent_requeue *requeue)
{
  LkEvent event;
  LkJobIndex job = LK_JOB_NONE;
  const LkEndedJob *ended =
      keeps_ended (self) ? lk_engine_dependency_ended (self, requeue->job_id) : NULL;
  if (ended == NULL)
    return LK_REJECT_JOB_UNKNOWN;
  if (requeue->hold > 2)
    return LK_REJECT_REQUEST_INVALID;
  if (ended->ask == NULL)
    return LK_REJECT_DISABLED;
  decode_ask (ended->ask, &event);
  LkReject reject = lk_engine_submit_again (self, &event.submit, &job);
  if (reject != 0)
    return reject;
  put_back (self, job, ended->ask, requeue->hold);
  lk_engine_ask_wake (self);
  return 0;
}
