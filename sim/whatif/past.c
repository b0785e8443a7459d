/* sim/whatif/past.c — see the header. */
#include "sim/whatif/past.h"

#include <string.h>

/* A run that has begun. */
typedef struct {
  guint64 key;
  guint32 user_id;
  gint64 start_us;
  gint64 limit_us;
  gint64 stopped_us; /* since when it is suspended; LK_TIME_NEVER: it is not */
  gint64 paused_us;  /* how long it was, before */
  gint64 killed_us;  /* when it was told to end; LK_TIME_NEVER: it was not */
} Active;

void
lk_past_init (LkWhatifPast *self)
{
  *self = (LkWhatifPast){ .runs = g_array_new (FALSE, FALSE, sizeof (LkPastRun)),
                          .submits = g_array_new (FALSE, FALSE, sizeof (LkPastSubmit)),
                          .bytes = g_byte_array_new (),
                          .active = g_hash_table_new_full (NULL, NULL, NULL, g_free),
                          .first_us = LK_TIME_NEVER,
                          .pass_last_us = G_MININT64 };
}

void
lk_past_clear (LkWhatifPast *self)
{
  g_clear_pointer (&self->runs, g_array_unref);
  g_clear_pointer (&self->submits, g_array_unref);
  g_clear_pointer (&self->bytes, g_byte_array_unref);
  g_clear_pointer (&self->active, g_hash_table_unref);
}

guint64
lk_past_key_of (guint32 job_id, guint32 task)
{
  return (guint64)job_id << 32 | (task == LK_TASK_NONE ? 0 : task + 1);
}

guint64
lk_past_key (const LkEngine *engine, LkJobIndex job)
{
  const LkJobColumns *jobs = lk_engine_view (engine)->jobs;
  if (jobs->array_job_id[job] != 0)
    return lk_past_key_of (jobs->array_job_id[job], jobs->array_task[job]);
  return lk_past_key_of (jobs->id[job], LK_TASK_NONE);
}

guint
lk_past_key_hash (gconstpointer key)
{
  guint64 value = *(const guint64 *)key;
  return (guint)((value ^ value >> 32) * G_GUINT64_CONSTANT (0x9E3779B97F4A7C15) >> 32);
}

static Active *
active_of (const LkWhatifPast *self, guint32 job_id)
{
  return g_hash_table_lookup (self->active, GUINT_TO_POINTER (job_id));
}

static void
run_ended (LkWhatifPast *self, const LkEvent_job_ended *ended, gint64 end_us)
{
  guint32 job_id = ended->job_id;
  const Active *active = active_of (self, job_id);
  if (active == NULL || active->start_us == LK_TIME_NEVER)
    return;
  gint64 until_us = active->stopped_us != LK_TIME_NEVER ? active->stopped_us : end_us;
  LkPastRun run = { .key = active->key,
                    .user_id = active->user_id,
                    .run_us = MAX (until_us - active->start_us - active->paused_us, 0),
                    .end_us = end_us,
                    .limit_us = active->limit_us,
                    .lag_us = active->killed_us != LK_TIME_NEVER ? end_us - active->killed_us : -1,
                    .ended = *ended };
  g_array_append_val (self->runs, run);
  g_hash_table_remove (self->active, GUINT_TO_POINTER (job_id));
}

void
lk_past_event (LkWhatifPast *self, const LkEvent *event)
{
  self->first_us = MIN (self->first_us, event->time_us);
  self->is_news = event->kind != LK_EVENT_PASS;
  if (event->kind == LK_EVENT_PASS)
    self->pass_last_us = event->time_us;
  else if (event->kind == LK_EVENT_JOB_ENDED)
    run_ended (self, &event->job_ended, event->time_us);
  else if (event->kind == LK_EVENT_SUBMIT)
    self->job_id_last = MAX (self->job_id_last, event->submit.job_id);
}

static void
submitted (LkWhatifPast *self, const LkEvent *event)
{
  LkPastSubmit submit = { .key = lk_past_key_of (event->submit.job_id, LK_TASK_NONE),
                          .time_us = event->time_us,
                          .offset_bytes = self->bytes->len };
  lk_event_encode (event, self->bytes);
  submit.length_bytes = self->bytes->len - submit.offset_bytes;
  g_array_append_val (self->submits, submit);
}

/* It may have been called a task before. */
static void
started (LkWhatifPast *self, const LkEvent *event, const LkDecision *decision,
         const LkEngine *engine)
{
  guint32 id = decision->start.job_id;
  Active *active = active_of (self, id);
  if (active == NULL) {
    active = g_new (Active, 1);
    *active = (Active){ .key = lk_past_key_of (id, LK_TASK_NONE) };
    g_hash_table_insert (self->active, GUINT_TO_POINTER (id), active);
  }
  active->start_us = event->time_us;
  active->stopped_us = LK_TIME_NEVER;
  active->paused_us = 0;
  active->killed_us = LK_TIME_NEVER;
  active->limit_us = LK_TIME_NEVER;
  if (engine == NULL)
    return;
  const LkJobColumns *jobs = lk_engine_view (engine)->jobs;
  active->key = lk_past_key (engine, decision->job);
  active->limit_us = jobs->estimate_us[decision->job];
  active->user_id = jobs->user_id[decision->job];
}

static void
became_task (LkWhatifPast *self, const LkDecision_task *task)
{
  Active *active = g_new (Active, 1);
  *active = (Active){ .key = lk_past_key_of (task->array_job_id, task->task),
                      .start_us = LK_TIME_NEVER,
                      .stopped_us = LK_TIME_NEVER,
                      .killed_us = LK_TIME_NEVER,
                      .limit_us = LK_TIME_NEVER };
  g_hash_table_insert (self->active, GUINT_TO_POINTER (task->job_id), active);
}

static void
suspended (LkWhatifPast *self, guint32 job_id, gint64 now_us)
{
  Active *active = active_of (self, job_id);
  if (active != NULL && active->stopped_us == LK_TIME_NEVER)
    active->stopped_us = now_us;
}

static void
resumed (LkWhatifPast *self, guint32 job_id, gint64 now_us)
{
  Active *active = active_of (self, job_id);
  if (active == NULL || active->stopped_us == LK_TIME_NEVER)
    return;
  active->paused_us += now_us - active->stopped_us;
  active->stopped_us = LK_TIME_NEVER;
}

void
lk_past_decision (LkWhatifPast *self, const LkEvent *event, const LkDecision *decision,
                  const LkEngine *engine)
{
  switch (decision->kind) {
  case LK_DECISION_ACCEPT:
    if (event->kind == LK_EVENT_SUBMIT)
      submitted (self, event);
    break;
  case LK_DECISION_START:
    started (self, event, decision, engine);
    break;
  case LK_DECISION_TASK:
    became_task (self, &decision->task);
    break;
  case LK_DECISION_KILL:
    if (active_of (self, decision->kill.job_id) != NULL)
      active_of (self, decision->kill.job_id)->killed_us = event->time_us;
    break;
  case LK_DECISION_REQUEUE_JOB:
    /* How long it would have run nobody knows. */
    if (active_of (self, decision->requeue_job.job_id) != NULL)
      active_of (self, decision->requeue_job.job_id)->start_us = LK_TIME_NEVER;
    break;
  case LK_DECISION_SUSPEND_JOB:
    suspended (self, decision->suspend_job.job_id, event->time_us);
    break;
  case LK_DECISION_RESUME_JOB:
    resumed (self, decision->resume_job.job_id, event->time_us);
    break;
  default:
    break;
  }
}

gint64
lk_past_killed_us (const LkWhatifPast *self, guint32 job_id)
{
  const Active *active = active_of (self, job_id);
  return active != NULL ? active->killed_us : LK_TIME_NEVER;
}

static void
copy_active (gpointer id, gpointer value, gpointer user)
{
  LkWhatifPast *self = user;
  Active *copy = g_new (Active, 1);
  *copy = *(const Active *)value;
  g_hash_table_insert (self->active, id, copy);
}

void
lk_past_go_on (LkWhatifPast *self, const LkWhatifPast *from)
{
  self->job_id_last = from->job_id_last;
  g_hash_table_foreach (from->active, copy_active, self);
}
