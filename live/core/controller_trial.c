/* live/core/controller_trial.c — when would a job start, if it were submitted now?
 *
 * It is submitted to a copy of the engine, which runs on until the job starts or its start is
 * planned.  Nothing stays behind, and nothing is in the journal.  The copy runs on for a short time
 * only, by the clock: the controller has other things to do, and trials have a part of its time
 * (controller_turn.c). */
#include "engine/assert.h"
#include "engine/course.h"
#include "engine/job_shown.h"
#include "live/core/controller_query.h"

#define EVENTS_MAX 10000u
#define HORIZON_US (G_GINT64_CONSTANT (366) * 86400 * 1000000)
#define PATIENCE_US (G_GINT64_CONSTANT (100) * 1000)

typedef struct {
  LkController *controller;
  gint64 from_us; /* of the clock that measures work */
  guint16 error;  /* why it is refused */
} Trial;

/* A clock that was set back ends it too: the time used so far is then unknown. */
static gboolean
goes_on (gpointer user)
{
  const Trial *self = user;
  gint64 used_us = lk_controller_work_clock_us (self->controller) - self->from_us;
  return used_us >= 0 && used_us < PATIENCE_US;
}

static void
on_decision (void *user, const LkEvent *cause, const LkDecision *decision)
{
  Trial *self = user;
  (void)cause;
  if (decision->kind == LK_DECISION_REJECT)
    self->error = decision->reject.error;
}

static LkEngine *
copy_new (const LkController *self)
{
  LkStatus status;
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  lk_engine_save (self->engine, bytes);
  LkEngine *copy = lk_engine_load (self->config.engine, bytes->data, bytes->len, &status);
  LK_ASSERT (copy != NULL); /* what an engine saves, it loads */
  return copy;
}

/* Where it started, or is planned to; the texts are those of the copy, and of `nodes`. */
static void
tell_place (const LkEngine *copy, guint32 job_id, GString *nodes, LkRecord_trial *out)
{
  LkJobShown shown;
  LkJobIndex job = lk_engine_job_index (copy, job_id);
  const LkJobColumns *jobs = lk_engine_view (copy)->jobs;
  if (job == LK_JOB_NONE)
    return;
  lk_job_shown (copy, job, lk_engine_view (copy)->now_us, &shown, nodes);
  if (nodes->len == 0)
    lk_job_planned_list (copy, job, nodes);
  out->cpus = shown.cpus;
  out->reason = (guint8)shown.info.reason_shown;
  out->node_names = (LkLongText){ nodes->str, (guint32)nodes->len };
  out->partition = lk_query_text (lk_partition_name (copy, jobs->partition[job]));
}

/* A record for each component, made while the copy is there: a partition may be known to it alone,
 * as it has a configuration of its own once one has been read anew. */
static void
tell_all (const LkEngine *copy, const GArray *events, const LkRecord *first, GByteArray *out)
{
  for (guint i = 0; i < events->len; i++) {
    LkRecord record = *first;
    g_autoptr (GString) nodes = g_string_new (NULL);
    record.trial.job_id += i;
    tell_place (copy, record.trial.job_id, nodes, &record.trial);
    lk_record_append (&record, out);
  }
}

/* A plan that says where does for an answer; else the copy runs on until the job starts. */
static gboolean
plans_places (const LkEngine *copy)
{
  const LkBackfillPolicy *backfill = lk_engine_config (copy)->backfill;
  return backfill != NULL && backfill->planned_nodes != NULL;
}

static void
try_submit (LkController *self, GArray *events, LkRecord *record, GByteArray *out)
{
  Trial trial = { .controller = self, .from_us = lk_controller_work_clock_us (self) };
  LkSink sink = { on_decision, &trial };
  gboolean is_known = TRUE;
  g_autoptr (LkEngine) copy = copy_new (self);
  const LkCourseBounds bounds = { .event_max = EVENTS_MAX,
                                  .horizon_us = HORIZON_US,
                                  .takes_plan = plans_places (copy),
                                  .goes_on = goes_on,
                                  .user = &trial };
  for (guint i = 0; i < events->len && trial.error == 0; i++)
    lk_course_apply (copy, &g_array_index (events, LkEvent, i),
                     MAX (self->engine_us, lk_engine_view (copy)->now_us), &sink);
  record->trial.error = trial.error;
  if (trial.error != 0) {
    lk_record_append (record, out);
    return;
  }
  record->trial.start_us = lk_course_start_us (copy, record->trial.job_id, &bounds, &is_known);
  record->trial.is_known = is_known ? 1 : 0;
  tell_all (copy, events, record, out);
}

/* ---------------------------------------------------------------- what is asked */

/* May this one be tried, as component so and so? */
static gboolean
is_triable (const LkPeer *peer, guint32 roles, const LkEvent *event, guint offset)
{
  const LkEvent_submit *submit = &event->submit;
  gboolean is_admin = (roles & LK_ROLE_ADMINISTRATOR) != 0;
  if (event->kind != LK_EVENT_SUBMIT || (!is_admin && submit->user_id != peer->user_id))
    return FALSE;
  return submit->het_count == 0 ? offset == 0 : submit->het_offset == offset;
}

/* Takes the submits of all components, numbered as they would be. NULL: they are not what they
 * should be. Returns: (transfer full). */
static GArray *
take_events (const LkController *self, const LkPeer *peer, LkBytes submits, guint32 roles)
{
  guint32 first_id = MAX (self->job_id_last + 1, lk_engine_job_id_next (self->engine));
  g_autoptr (GArray) events = g_array_new (FALSE, FALSE, sizeof (LkEvent));
  for (guint32 at = 0; at < submits.length_bytes;) {
    LkEvent event;
    gsize used = lk_event_decode (submits.bytes + at, submits.length_bytes - at, &event);
    if (used == 0 || !is_triable (peer, roles, &event, events->len))
      return NULL;
    lk_controller_trim (peer, roles, &event);
    event.submit.job_id = first_id + events->len;
    if (event.submit.het_count > 0)
      event.submit.het_leader = first_id;
    else if (events->len > 0)
      return NULL;
    g_array_append_val (events, event);
    at += (guint32)used;
  }
  /* All components, and no more: a job that is not whole would not start. */
  if (events->len == 0
      || MAX (1, g_array_index (events, LkEvent, 0).submit.het_count) != events->len)
    return NULL;
  return g_steal_pointer (&events);
}

/* As a submit would be refused before it becomes an event; 0: it would not. */
static LkReject
refusal_of (const LkController *self, const GArray *events, guint32 roles)
{
  for (guint i = 0; i < events->len; i++) {
    const LkEvent *event = &g_array_index (events, LkEvent, i);
    LkReject error = lk_controller_refusal_of_event (self, event);
    if (error == 0 && event->submit.nice < 0 && (roles & LK_FROM_STAFF) == 0)
      error = LK_REJECT_PERMISSION;
    if (error != 0)
      return error;
  }
  return (LkReject)0;
}

gboolean
lk_query_trial (LkController *self, const LkPeer *peer, LkBytes submits, guint32 roles,
                GByteArray *out)
{
  LkRecord record = { .kind = LK_RECORD_TRIAL };
  if (peer->kind != LK_PEER_USER)
    return FALSE;
  g_autoptr (GArray) events = take_events (self, peer, submits, roles);
  if (events == NULL)
    return FALSE;
  record.trial.job_id = g_array_index (events, LkEvent, 0).submit.job_id;
  record.trial.start_us = LK_TIME_NEVER;
  record.trial.error = (guint16)refusal_of (self, events, roles);
  if (record.trial.error != 0) {
    lk_record_append (&record, out);
    return TRUE;
  }
  try_submit (self, events, &record, out);
  return TRUE;
}
