/* engine/engine_return.c — a job that has ended goes back to the queue, while it is remembered.
 *
 * When a job leaves, what it asked for is kept as the submit event that would ask for it now: for
 * MinJobAge, beside what others may depend on (ended.h), and only where the configuration says so.
 * To requeue it is to submit it again under its id: it is checked as then, counts as submitted now,
 * has one run more behind it, and may start after the cluster's delay.  What it depended on is
 * over, and its begin time has come.
 *
 * A task comes back into its array, which is there again if it was over; the id of an array means
 * all of them.  Components of a heterogeneous job come back together when the first is named, or
 * none does.  Not here: tasks that were cancelled while the record of their array stood for them.
 * Source: scontrol(1) requeue, requeuehold; slurm.conf(5) MinJobAge. */
#include "engine/assert.h"
#include "engine/checked.h"
#include "engine/engine_array.h"
#include "engine/engine_het.h"
#include "engine/engine_life.h"
#include "engine/limits.h"

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
  terms.array = lk_text ("");
  out->procs = procs;
  lk_submit_set_request (out, &request);
  lk_submit_set_terms (out, &terms);
}

LkEndedAsk *
lk_engine_ask_of (const LkEngine *self, LkJobIndex job)
{
  if (!keeps_ended (self) || lk_engine_is_record (self, job) || !lk_engine_may_requeue (self, job))
    return NULL;
  const LkLife *life = lk_engine_life (self, job);
  LkEvent event = { .kind = LK_EVENT_SUBMIT };
  fill_submit (self, job, &event.submit);
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  lk_event_encode (&event, bytes);
  LkEndedAsk *ask = g_new (LkEndedAsk, 1);
  *ask = (LkEndedAsk){ .restarts = life->restarts,
                       .launch_failures = life->launch_failures,
                       .array_job_id = self->jobs.array_job_id[job],
                       .submit = g_memdup2 (bytes->data, bytes->len),
                       .submit_bytes = bytes->len };
  if (ask->array_job_id != 0)
    ask->task = self->jobs.array_task[job];
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

/* ---------------------------------------------------------------- tasks of arrays */

/* Has the task ended, as far as its array knows? */
static gboolean
task_has_ended (LkEngine *self, guint32 array_job_id, guint32 task)
{
  const LkArray *array = lk_arrays_find (&self->arrays, array_job_id);
  if (array != NULL)
    return lk_task_set_has (&array->ended, task);
  const LkEndedJob *whole = lk_engine_dependency_ended (self, array_job_id);
  return whole != NULL && whole->tasks != NULL && lk_task_set_has (&whole->tasks->ended, task);
}

static LkReject
return_task (LkEngine *self, const LkEndedAsk *ask, guint8 hold)
{
  LkEvent event;
  LkJobIndex job = LK_JOB_NONE;
  decode_ask (ask, &event);
  if (lk_id_map_find (&self->jobs.index_by_id, event.submit.job_id) != LK_JOB_NONE
      || !task_has_ended (self, ask->array_job_id, ask->task))
    return LK_REJECT_TASK_UNKNOWN;
  LkReject reject = lk_engine_take_in (self, &event.submit, &job);
  if (reject != 0)
    return reject;
  lk_engine_array_return (self, job, ask->array_job_id, ask->task);
  lk_engine_tell_submitted (self, job);
  put_back (self, job, ask, hold);
  return 0;
}

static gint
compare_asks (gconstpointer a, gconstpointer b)
{
  const LkEndedAsk *ask_a = *(LkEndedAsk *const *)a;
  const LkEndedAsk *ask_b = *(LkEndedAsk *const *)b;
  return (ask_a->task > ask_b->task) - (ask_a->task < ask_b->task);
}

/* The last run of each task that may come back, by rising task. Returns: (transfer full). */
static GPtrArray *
asks_of (LkEngine *self, guint32 array_job_id, const LkTaskSet *tasks)
{
  GPtrArray *asks = g_ptr_array_new ();
  LkTaskSet seen = { 0 };
  guint count = 0;
  lk_engine_dependency_tasks (self, array_job_id, asks);
  for (guint i = 0; i < asks->len; i++) {
    const LkEndedAsk *ask = g_ptr_array_index (asks, i);
    if (lk_task_set_has (&seen, ask->task) || (tasks != NULL && !lk_task_set_has (tasks, ask->task))
        || !task_has_ended (self, array_job_id, ask->task))
      continue;
    lk_task_set_add (&seen, ask->task);
    asks->pdata[count++] = asks->pdata[i];
  }
  lk_task_set_clear (&seen);
  g_ptr_array_set_size (asks, (gint)count);
  g_ptr_array_sort (asks, compare_asks);
  return asks;
}

LkReject
lk_engine_return_tasks (LkEngine *self, const LkEvent_requeue *event, const LkTaskSet *tasks)
{
  LkReject first_reject = 0;
  gboolean is_done = FALSE;
  if (!keeps_ended (self)
      || (lk_arrays_find (&self->arrays, event->job_id) == NULL
          && lk_engine_dependency_ended (self, event->job_id) == NULL))
    return LK_REJECT_JOB_UNKNOWN;
  if (event->hold > 2)
    return LK_REJECT_REQUEST_INVALID;
  g_autoptr (GPtrArray) asks = asks_of (self, event->job_id, tasks);
  for (guint i = 0; i < asks->len; i++) {
    LkReject reject = return_task (self, g_ptr_array_index (asks, i), event->hold);
    is_done |= reject == 0;
    if (first_reject == 0)
      first_reject = reject;
  }
  if (asks->len == 0)
    return tasks != NULL ? LK_REJECT_TASK_UNKNOWN : LK_REJECT_DISABLED;
  if (is_done)
    lk_engine_ask_wake (self);
  return is_done ? 0 : first_reject;
}

/* ---------------------------------------------------------------- heterogeneous jobs */

typedef struct {
  guint32 leader_id;
  guint32 count;
  const LkEndedAsk *asks[LK_LIMIT_HET_COMPONENTS];
  LkJobIndex jobs[LK_LIMIT_HET_COMPONENTS];
} Components;

/* Finds what all components asked for; they are not in the system. */
static LkReject
find_components (LkEngine *self, Components *components)
{
  for (guint32 i = 0; i < components->count; i++) {
    LkEvent event;
    const LkEndedJob *ended = lk_engine_dependency_ended (self, components->leader_id + i);
    if (ended == NULL)
      return LK_REJECT_JOB_UNKNOWN;
    if (ended->ask == NULL)
      return LK_REJECT_DISABLED;
    decode_ask (ended->ask, &event);
    /* One that was never submitted left its id to somebody else. */
    if (event.submit.het_leader != components->leader_id || event.submit.het_offset != i
        || event.submit.het_count != components->count)
      return LK_REJECT_JOB_UNKNOWN;
    components->asks[i] = ended->ask;
  }
  return 0;
}

/* All of them are taken in, or none is. */
static LkReject
take_components (LkEngine *self, Components *components)
{
  lk_engine_het_open (self, components->leader_id, components->count);
  for (guint32 i = 0; i < components->count; i++) {
    LkEvent event;
    decode_ask (components->asks[i], &event);
    LkReject reject = lk_engine_take_in (self, &event.submit, &components->jobs[i]);
    if (reject == 0) {
      lk_engine_het_count (self, components->leader_id);
      continue;
    }
    while (i-- > 0) {
      if (self->book != NULL)
        lk_engine_account_unsubmitted (self, components->jobs[i]);
      lk_engine_dependency_rejoin (self, components->jobs[i]);
      lk_engine_forget_job (self, components->jobs[i]);
    }
    lk_engine_het_close (self, components->leader_id);
    return reject;
  }
  return 0;
}

static LkReject
return_components (LkEngine *self, const LkEvent_submit *leader, guint8 hold)
{
  Components components = { .leader_id = leader->job_id, .count = leader->het_count };
  if (leader->het_leader != leader->job_id)
    return LK_REJECT_HET_COMPONENT;
  LkReject reject = find_components (self, &components);
  if (reject == 0)
    reject = take_components (self, &components);
  if (reject != 0)
    return reject;
  for (guint32 i = 0; i < components.count; i++)
    lk_engine_tell_submitted (self, components.jobs[i]);
  for (guint32 i = 0; i < components.count; i++)
    put_back (self, components.jobs[i], components.asks[i], hold);
  self->changed = TRUE;
  return 0;
}

/* ---------------------------------------------------------------- the event */

gboolean
lk_engine_ended_user (LkEngine *self, guint32 job_id, guint32 *out_user_id)
{
  LkEvent event;
  const LkEndedJob *ended = keeps_ended (self) ? lk_engine_dependency_ended (self, job_id) : NULL;
  if (ended == NULL)
    return FALSE;
  const LkEndedAsk *ask = ended->ask;
  if (ended->tasks != NULL) {
    g_autoptr (GPtrArray) asks = g_ptr_array_new ();
    lk_engine_dependency_tasks (self, job_id, asks);
    ask = asks->len > 0 ? g_ptr_array_index (asks, 0) : NULL;
  }
  if (ask == NULL)
    return FALSE;
  decode_ask (ask, &event);
  *out_user_id = event.submit.user_id;
  return TRUE;
}

static LkReject
return_one (LkEngine *self, const LkEndedAsk *ask, guint8 hold)
{
  LkEvent event;
  LkJobIndex job = LK_JOB_NONE;
  if (ask->array_job_id != 0)
    return return_task (self, ask, hold);
  decode_ask (ask, &event);
  if (event.submit.het_leader != 0)
    return return_components (self, &event.submit, hold);
  LkReject reject = lk_engine_take_in (self, &event.submit, &job);
  if (reject != 0)
    return reject;
  lk_engine_tell_submitted (self, job);
  put_back (self, job, ask, hold);
  return 0;
}

LkReject
lk_engine_return_event (LkEngine *self, const LkEvent_requeue *requeue)
{
  const LkEndedJob *ended =
      keeps_ended (self) ? lk_engine_dependency_ended (self, requeue->job_id) : NULL;
  if (ended == NULL)
    return LK_REJECT_JOB_UNKNOWN;
  if (requeue->hold > 2)
    return LK_REJECT_REQUEST_INVALID;
  if (ended->tasks != NULL)
    return lk_engine_return_tasks (self, requeue, NULL);
  if (ended->ask == NULL)
    return LK_REJECT_DISABLED;
  LkReject reject = return_one (self, ended->ask, requeue->hold);
  if (reject == 0)
    lk_engine_ask_wake (self);
  return reject;
}
