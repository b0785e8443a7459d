/* tests/property/engine_run.c — a minimal driver: one workload through the real engine.
 *
 * Events wait in an unsorted array; the least by lk_event_compare is next, the one put in first
 * among equals.  The wake that the engine asked for last takes part as a timer event. */
#include "tests/property/engine_run.h"

#include <string.h>

#define SNAPSHOT_PERCENT 15u
/* More events than this for so few jobs means that the engine keeps itself busy. */
#define EVENTS_MAX 20000u

typedef struct {
  const LkWorkload *workload;
  const LkRunOptions *options;
  LkRun *run;
  LkEngine *engine;
  GArray *waiting; /* LkEvent */
  gint64 wake_us;
  LkSeed seed;
} Driver;

LkRegistry *
lk_run_registry (void)
{
  static LkRegistry *registry = NULL;
  if (registry == NULL)
    registry = lk_registry_new ();
  return registry;
}

static LkSetup *
setup_new (guint32 units_total, const LkRunOptions *options)
{
  g_autoptr (GError) error = NULL;
  LkSetupOptions setup_options = { .units_total = units_total,
                                   .origin_us = LK_TIME_NEVER,
                                   .order = options->order,
                                   .backfill = options->backfill,
                                   .select = options->select != NULL ? options->select : "pool",
                                   .cluster = options->cluster };
  LkSetup *setup = lk_setup_new (lk_run_registry (), &setup_options, &error);
  g_assert_no_error (error);
  g_assert_nonnull (setup);
  return setup;
}

LkSetup *
lk_run_setup (guint32 units_total, const char *order, const char *backfill)
{
  return setup_new (units_total, &(LkRunOptions){ .order = order, .backfill = backfill });
}

void
lk_run_log (GByteArray *log, const LkEvent *cause, const LkDecision *decision)
{
  guint64 seq = GUINT64_TO_LE (cause->seq);
  g_byte_array_append (log, (const guint8 *)&seq, sizeof seq);
  lk_decision_encode (decision, log);
}

void
lk_run_assert_bytes (const GByteArray *a, const GByteArray *b)
{
  g_assert_cmpuint (a->len, ==, b->len);
  g_assert_true (a->len == 0 || memcmp (a->data, b->data, a->len) == 0);
}

static gint64
moment_us (const Driver *self, gint64 at_s)
{
  return at_s * G_USEC_PER_SEC + self->options->shift_us;
}

static guint
job_place (const Driver *self, guint32 job_id)
{
  for (guint i = 0; i < self->workload->job_count; i++)
    if (self->workload->jobs[i].id == job_id)
      return i;
  g_error ("the engine speaks of job %u, which is not in the workload", job_id);
}

/* ---------------------------------------------------------------- events that wait */

static void
push_submits (Driver *self)
{
  guint32 size = MAX (self->options->size_factor, 1);
  guint32 label = MAX (self->options->label_factor, 1);
  for (guint i = 0; i < self->workload->job_count; i++) {
    const LkWorkloadJob *job = &self->workload->jobs[i];
    LkEvent event = { .time_us = moment_us (self, job->submit_s), .kind = LK_EVENT_SUBMIT };
    event.submit.job_id = job->id;
    event.submit.user_id = job->user_id * label;
    event.submit.group_id = job->group_id * label;
    event.submit.partition_id = job->partition_id * label;
    event.submit.procs = job->procs * size;
    event.submit.estimate_us = job->estimate_s * G_USEC_PER_SEC;
    g_array_append_val (self->waiting, event);
  }
}

static void
push_change (Driver *self, const LkWorkloadChange *change)
{
  LkEvent event = { .time_us = moment_us (self, change->at_s) };
  switch (change->kind) {
  case LK_WORKLOAD_CANCEL:
    event.kind = LK_EVENT_CANCEL;
    event.cancel.job_id = change->job_id;
    break;
  case LK_WORKLOAD_HOLD:
    event.kind = LK_EVENT_HOLD;
    event.hold.job_id = change->job_id;
    event.hold.by_admin = change->present & 1;
    break;
  case LK_WORKLOAD_RELEASE:
    event.kind = LK_EVENT_RELEASE;
    event.release.job_id = change->job_id;
    break;
  case LK_WORKLOAD_UPDATE:
    event.kind = LK_EVENT_UPDATE;
    event.update.job_id = change->job_id;
    event.update.changes = change->present;
    event.update.by_admin = 1;
    event.update.procs = change->procs;
    event.update.estimate_us = change->estimate_s * G_USEC_PER_SEC;
    break;
  }
  g_array_append_val (self->waiting, event);
}

static void
push_end (Driver *self, gint64 at_us, guint32 job_id, guint8 signal)
{
  LkEvent event = { .time_us = at_us, .kind = LK_EVENT_JOB_ENDED };
  event.job_ended.job_id = job_id;
  event.job_ended.signal = signal;
  g_array_append_val (self->waiting, event);
}

static void
remove_end (Driver *self, guint32 job_id)
{
  for (guint i = 0; i < self->waiting->len; i++) {
    const LkEvent *event = &g_array_index (self->waiting, LkEvent, i);
    if (event->kind == LK_EVENT_JOB_ENDED && event->job_ended.job_id == job_id) {
      g_array_remove_index (self->waiting, i);
      return;
    }
  }
  g_error ("the engine kills job %u, which does not run", job_id);
}

/* Takes the next event out. FALSE when there is none before `limit_us`. */
static gboolean
pop_next (Driver *self, gint64 limit_us, LkEvent *out_event)
{
  LkEvent timer = { .kind = LK_EVENT_TIMER, .time_us = self->wake_us };
  const LkEvent *least = self->wake_us == LK_TIME_NEVER ? NULL : &timer;
  guint place = 0;
  for (guint i = 0; i < self->waiting->len; i++) {
    const LkEvent *event = &g_array_index (self->waiting, LkEvent, i);
    if (least == NULL || lk_event_compare (event, least) < 0) {
      least = event;
      place = i;
    }
  }
  if (least == NULL || least->time_us >= limit_us)
    return FALSE;
  *out_event = *least;
  if (least == &timer)
    self->wake_us = LK_TIME_NEVER;
  else
    g_array_remove_index (self->waiting, place);
  return TRUE;
}

/* ---------------------------------------------------------------- decisions */

static void
carry_out_start (Driver *self, const LkEvent *cause, const LkDecision_start *start)
{
  guint place = job_place (self, start->job_id);
  LkRunJob *job = &self->run->jobs[place];
  g_assert_cmpint (cause->kind, ==, LK_EVENT_PASS);
  g_assert_true (job->start_us == LK_TIME_NEVER);
  job->start_us = cause->time_us;
  job->backfilled = start->backfilled != 0;
  gint64 run_us = self->workload->jobs[place].run_s * G_USEC_PER_SEC;
  push_end (self, cause->time_us + run_us, start->job_id, 0);
  if (!self->options->confirms_starts)
    return;
  LkEvent event = { .time_us = cause->time_us, .kind = LK_EVENT_JOB_STARTED };
  event.job_started.job_id = start->job_id;
  g_array_append_val (self->waiting, event);
}

static void
decide (void *user, const LkEvent *cause, const LkDecision *decision)
{
  Driver *self = user;
  lk_run_log (self->run->log, cause, decision);
  switch (decision->kind) {
  case LK_DECISION_START:
    carry_out_start (self, cause, &decision->start);
    break;
  case LK_DECISION_KILL:
    remove_end (self, decision->kill.job_id);
    push_end (self, cause->time_us, decision->kill.job_id, /* signal= */ 9);
    break;
  case LK_DECISION_WAKE:
    self->wake_us = MAX (decision->wake.at_us, cause->time_us);
    break;
  case LK_DECISION_NOTICE:
    self->run->jobs[job_place (self, decision->notice.job_id)].state = decision->notice.state;
    break;
  case LK_DECISION_REJECT:
    self->run->reject_count++;
    break;
  default:
    break;
  }
}

/* ---------------------------------------------------------------- the run */

static void
restart_from_snapshot (Driver *self)
{
  g_autoptr (GByteArray) saved = g_byte_array_new ();
  g_autoptr (GByteArray) again = g_byte_array_new ();
  LkStatus status = LK_STATUS_OK;
  lk_engine_save (self->engine, saved);
  LkEngine *loaded =
      lk_engine_load (lk_setup_config (self->run->setup), saved->data, saved->len, &status);
  g_assert_nonnull (loaded);
  lk_engine_check (loaded);
  lk_engine_save (loaded, again);
  lk_run_assert_bytes (again, saved);
  g_assert_cmpint (lk_engine_pass_wanted (loaded), ==, lk_engine_pass_wanted (self->engine));
  lk_engine_free (self->engine);
  self->engine = loaded;
  self->run->snapshot_count++;
}

static void
apply (Driver *self, LkEvent *event)
{
  LkSink sink = { .decide = decide, .user = self };
  if (self->options->snapshot_seed != 0 && lk_seed_chance (&self->seed, SNAPSHOT_PERCENT))
    restart_from_snapshot (self);
  event->seq = self->run->events->len + 1;
  LkStatus status = lk_engine_apply (self->engine, event, &sink);
  if (status != LK_STATUS_OK)
    g_error ("event %" G_GUINT64_FORMAT ": %s", event->seq, lk_status_text (status));
  lk_engine_check (self->engine);
  g_array_append_val (self->run->events, *event);
  if (event->kind == LK_EVENT_JOB_ENDED)
    self->run->jobs[job_place (self, event->job_ended.job_id)].end_us = event->time_us;
  g_assert_cmpuint (self->run->events->len, <, EVENTS_MAX);
}

static void
run_all (Driver *self)
{
  LkEvent event;
  gint64 now_us = G_MININT64;
  for (;;) {
    /* All that happens at this instant, then the pass if it is wanted, then the next instant. */
    gboolean is_wanted = self->run->events->len > 0 && lk_engine_pass_wanted (self->engine);
    if (!pop_next (self, is_wanted ? now_us + 1 : LK_TIME_NEVER, &event)) {
      if (!is_wanted)
        return;
      event = (LkEvent){ .time_us = now_us, .kind = LK_EVENT_PASS };
    }
    now_us = event.time_us;
    apply (self, &event);
  }
}

LkRun *
lk_run_new (const LkWorkload *workload, const LkRunOptions *options)
{
  LkRun *run = g_new0 (LkRun, 1);
  run->setup = setup_new (workload->procs * MAX (options->size_factor, 1), options);
  run->events = g_array_new (FALSE, FALSE, sizeof (LkEvent));
  run->log = g_byte_array_new ();
  run->bytes = g_byte_array_new ();
  for (guint i = 0; i < LK_WORKLOAD_JOBS_MAX; i++)
    run->jobs[i] = (LkRunJob){ .start_us = LK_TIME_NEVER, .end_us = LK_TIME_NEVER };
  Driver self = { .workload = workload, .options = options, .run = run, .wake_us = LK_TIME_NEVER };
  LkPolicyError error = { "" };
  self.seed.state = options->snapshot_seed;
  self.waiting = g_array_new (FALSE, FALSE, sizeof (LkEvent));
  self.engine = lk_engine_new (lk_setup_config (run->setup), &error);
  g_assert_cmpstr (error.text, ==, "");
  g_assert_nonnull (self.engine);
  push_submits (&self);
  for (guint i = 0; i < workload->change_count; i++)
    push_change (&self, &workload->changes[i]);
  run_all (&self);
  run->digest = lk_engine_digest (self.engine);
  lk_engine_save (self.engine, run->bytes);
  lk_engine_free (self.engine);
  g_array_unref (self.waiting);
  return run;
}

void
lk_run_free (LkRun *self)
{
  lk_setup_free (self->setup);
  g_array_unref (self->events);
  g_byte_array_unref (self->log);
  g_byte_array_unref (self->bytes);
  g_free (self);
}

static void
only_log (void *user, const LkEvent *cause, const LkDecision *decision)
{
  lk_run_log (user, cause, decision);
}

void
lk_run_assert_replays (const LkRun *run)
{
  LkPolicyError error;
  g_autoptr (GByteArray) log = g_byte_array_new ();
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  g_autoptr (LkEngine) engine = lk_engine_new (lk_setup_config (run->setup), &error);
  LkSink sink = { .decide = only_log, .user = log };
  for (guint i = 0; i < run->events->len; i++)
    g_assert_cmpint (lk_engine_apply (engine, &g_array_index (run->events, LkEvent, i), &sink), ==,
                     LK_STATUS_OK);
  lk_run_assert_bytes (log, run->log);
  g_assert_true (lk_digest_value_equal (lk_engine_digest (engine), run->digest));
  lk_engine_save (engine, bytes);
  lk_run_assert_bytes (bytes, run->bytes);
}

void
lk_run_assert_same (const LkRun *a, const LkRun *b)
{
  g_assert_cmpuint (a->events->len, ==, b->events->len);
  lk_run_assert_bytes (a->log, b->log);
  g_assert_true (lk_digest_value_equal (a->digest, b->digest));
}
