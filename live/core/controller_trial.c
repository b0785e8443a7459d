/* live/core/controller_trial.c — when would a job start, if it were submitted now?
 *
 * It is submitted to a copy of the engine, which runs on until the job starts or its start is
 * planned.  Nothing stays behind, and nothing is in the journal.  The copy runs on for a short time
 * only, by the clock: the controller has other things to do. */
#include "engine/assert.h"
#include "engine/checked.h"
#include "engine/course.h"
#include "engine/job_shown.h"
#include "live/core/controller_query.h"

#define EVENTS_MAX 10000u
#define HORIZON_US (G_GINT64_CONSTANT (366) * 86400 * 1000000)
#define PATIENCE_US (G_GINT64_CONSTANT (100) * 1000)

typedef struct {
  LkController *controller;
  gint64 until_us; /* monotonic */
  guint16 error;   /* why it is refused */
} Trial;

static gint64
monotonic_us (const LkController *self)
{
  return self->ports.clock.ops->monotonic_us (self->ports.clock.self);
}

static gboolean
goes_on (gpointer user)
{
  const Trial *self = user;
  return monotonic_us (self->controller) < self->until_us;
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

/* Where it started, or is planned to. */
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

static void
try_submit (LkController *self, LkEvent *event, LkRecord_trial *out, GString *nodes)
{
  Trial trial = { .controller = self,
                  .until_us = lk_time_add_us (monotonic_us (self), PATIENCE_US) };
  const LkCourseBounds bounds = { .event_max = EVENTS_MAX,
                                  .horizon_us = HORIZON_US,
                                  .takes_plan = TRUE,
                                  .goes_on = goes_on,
                                  .user = &trial };
  LkSink sink = { on_decision, &trial };
  gboolean is_known = TRUE;
  g_autoptr (LkEngine) copy = copy_new (self);
  lk_course_apply (copy, event, MAX (self->engine_us, lk_engine_view (copy)->now_us), &sink);
  out->error = trial.error;
  if (trial.error != 0)
    return;
  out->start_us = lk_course_start_us (copy, out->job_id, &bounds, &is_known);
  out->is_known = is_known ? 1 : 0;
  tell_place (copy, out->job_id, nodes, out);
}

gboolean
lk_query_trial (LkController *self, const LkPeer *peer, LkBytes submit, guint32 roles,
                GByteArray *out)
{
  LkEvent event;
  LkRecord record = { .kind = LK_RECORD_TRIAL };
  g_autoptr (GString) nodes = g_string_new (NULL);
  gsize used = lk_event_decode (submit.bytes, submit.length_bytes, &event);
  if (used == 0 || used != submit.length_bytes || event.kind != LK_EVENT_SUBMIT
      || event.submit.het_count > 0)
    return FALSE;
  gboolean is_admin = (roles & LK_ROLE_ADMINISTRATOR) != 0;
  if (peer->kind != LK_PEER_USER || (!is_admin && event.submit.user_id != peer->user_id))
    return FALSE;
  lk_controller_trim (peer, roles, &event);
  event.submit.job_id = MAX (self->job_id_last + 1, lk_engine_job_id_next (self->engine));
  record.trial.job_id = event.submit.job_id;
  record.trial.start_us = LK_TIME_NEVER;
  if (event.submit.nice < 0 && (roles & LK_FROM_STAFF) == 0)
    record.trial.error = LK_REJECT_PERMISSION;
  else
    try_submit (self, &event, &record.trial, nodes);
  lk_record_append (&record, out);
  return TRUE;
}
