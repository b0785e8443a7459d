/* tests/property/machine_run.c — see the header.
 *
 * Events wait in an unsorted array; the least by lk_event_compare is next, the one put in first
 * among equals.  The wake that the engine asked for last takes part as a timer event. */
#include "tests/property/machine_run.h"

#include "tests/property/engine_run.h"

#define SNAPSHOT_PERCENT 15u
/* More events than this for so few jobs means that the engine keeps itself busy. */
#define EVENTS_MAX 20000u

typedef struct {
  const LkMachineWorkload *workload;
  const LkMachineOptions *options;
  LkMachineRun *run;
  LkEngine *engine;
  GArray *waiting; /* LkEvent */
  gint64 wake_us;
  gint64 unit_us;
  LkSeed seed;
  gint64
      left_us[LK_MACHINE_JOBS_MAX]; /* of suspended jobs: how long they would still run; else 0 */
} Driver;

LkSetup *
lk_machine_setup (const LkCluster *cluster, const LkMachineOptions *options)
{
  g_autoptr (GError) error = NULL;
  LkSetupOptions setup_options = { .origin_us = LK_TIME_NEVER,
                                   .order = options->order,
                                   .backfill = options->backfill,
                                   .select = options->select,
                                   .units_total = options->units_total,
                                   .cluster = options->units_total > 0 ? NULL : cluster,
                                   .accounts = options->accounts,
                                   .limits = options->limits,
                                   .preempt = options->preempt,
                                   .tells_standing = options->tells_standing };
  LkSetup *setup = lk_setup_new (lk_run_registry (), &setup_options, &error);
  g_assert_no_error (error);
  return setup;
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

static gint64
moment_us (const Driver *self, gint64 workload_s)
{
  return self->options->origin_us + workload_s * self->unit_us;
}

static void
push_submit (Driver *self, const LkMachineJob *job)
{
  LkEvent event = { .time_us = moment_us (self, job->submit_s), .kind = LK_EVENT_SUBMIT };
  event.submit.job_id = job->id;
  event.submit.user_id = job->user_id;
  event.submit.procs = job->procs;
  event.submit.estimate_us = job->estimate_s * self->unit_us;
  lk_submit_set_request (&event.submit, &job->request);
  if (job->reservation != NULL)
    event.submit.reservation = lk_text (job->reservation);
  if (event.submit.switches_wait_us > 0)
    event.submit.switches_wait_us = event.submit.switches_wait_us / G_USEC_PER_SEC * self->unit_us;
  g_array_append_val (self->waiting, event);
}

static void
push_change (Driver *self, const LkMachineChange *change)
{
  LkEvent event = { .time_us = moment_us (self, change->at_s) };
  switch (change->kind) {
  case LK_MACHINE_CANCEL:
    event.kind = LK_EVENT_CANCEL;
    event.cancel.job_id = change->job_id;
    break;
  case LK_MACHINE_HOLD:
    event.kind = LK_EVENT_HOLD;
    event.hold.job_id = change->job_id;
    event.hold.by_admin = change->flag != FALSE;
    break;
  case LK_MACHINE_RELEASE:
    event.kind = LK_EVENT_RELEASE;
    event.release.job_id = change->job_id;
    break;
  case LK_MACHINE_REQUEUE:
    event.kind = LK_EVENT_REQUEUE;
    event.requeue.job_id = change->job_id;
    event.requeue.hold = change->flag != FALSE;
    break;
  case LK_MACHINE_UPDATE:
    event.kind = LK_EVENT_UPDATE;
    event.update.job_id = change->job_id;
    event.update.changes = 1 << LK_CHANGE_estimate_us;
    event.update.by_admin = 1;
    event.update.estimate_us = change->estimate_s * self->unit_us;
    break;
  case LK_MACHINE_NODE_UP:
    event.kind = LK_EVENT_NODE_UP;
    event.node_up.node = lk_text (change->nodes);
    break;
  case LK_MACHINE_NODE_DOWN:
    event.kind = LK_EVENT_NODE_DOWN;
    event.node_down.node = lk_text (change->nodes);
    event.node_down.reason = lk_text ("power");
    break;
  case LK_MACHINE_NODE_DRAIN:
    event.kind = LK_EVENT_NODE_DRAIN;
    event.node_drain.node = lk_text (change->nodes);
    event.node_drain.reason = lk_text ("disk");
    break;
  default:
    event.kind = LK_EVENT_NODE_RESUME;
    event.node_resume.node = lk_text (change->nodes);
  }
  g_array_append_val (self->waiting, event);
}

static void
push_more (Driver *self, LkEvent event)
{
  event.time_us = moment_us (self, event.time_us);
  if (event.kind == LK_EVENT_RESERVATION_CREATE) {
    event.reservation_create.start_us = moment_us (self, event.reservation_create.start_us);
    event.reservation_create.duration_us *= self->unit_us;
    event.reservation_create.purge_us *= self->unit_us;
  } else if (event.kind == LK_EVENT_RESERVATION_UPDATE) {
    event.reservation_update.start_us = moment_us (self, event.reservation_update.start_us);
    event.reservation_update.duration_us *= self->unit_us;
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

/* FALSE when the end of the job was not awaited. */
static gboolean
remove_end (Driver *self, guint32 job_id)
{
  gint64 *left_us = &self->left_us[job_place (self, job_id)];
  if (*left_us != 0) {
    *left_us = 0;
    return TRUE;
  }
  for (guint i = 0; i < self->waiting->len; i++) {
    const LkEvent *event = &g_array_index (self->waiting, LkEvent, i);
    if (event->kind == LK_EVENT_JOB_ENDED && event->job_ended.job_id == job_id) {
      g_array_remove_index (self->waiting, i);
      return TRUE;
    }
  }
  return FALSE;
}

/* A job that is stopped ends so much later as it is. */
static void
suspend (Driver *self, gint64 now_us, guint32 job_id)
{
  for (guint i = 0; i < self->waiting->len; i++) {
    const LkEvent *event = &g_array_index (self->waiting, LkEvent, i);
    if (event->kind == LK_EVENT_JOB_ENDED && event->job_ended.job_id == job_id) {
      self->left_us[job_place (self, job_id)] = MAX (1, event->time_us - now_us);
      g_array_remove_index (self->waiting, i);
      return;
    }
  }
  g_assert_not_reached ();
}

static void
resume (Driver *self, gint64 now_us, guint32 job_id)
{
  gint64 *left_us = &self->left_us[job_place (self, job_id)];
  g_assert_cmpint (*left_us, >, 0);
  push_end (self, now_us + *left_us, job_id, 0);
  *left_us = 0;
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
  gint64 end_us = self->options->end_us;
  if (least == NULL || least->time_us >= limit_us || (end_us != 0 && least->time_us > end_us))
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
  const LkMachineJob *job = &self->workload->jobs[place];
  g_assert_cmpint (cause->kind, ==, LK_EVENT_PASS);
  self->run->start_us[place] = cause->time_us;
  self->run->start_count++;
  push_end (self, cause->time_us + job->run_s * self->unit_us, start->job_id, 0);
}

static void
carry_out (Driver *self, const LkEvent *cause, const LkDecision *decision)
{
  guint32 id;
  switch (decision->kind) {
  case LK_DECISION_START:
    carry_out_start (self, cause, &decision->start);
    break;
  case LK_DECISION_KILL:
    id = decision->kill.job_id;
    g_assert_true (remove_end (self, id));
    push_end (self,
              cause->time_us + self->workload->jobs[job_place (self, id)].late_s * self->unit_us,
              id, /* signal= */ 9);
    break;
  case LK_DECISION_REQUEUE_JOB:
    /* A victim that ends by itself is requeued, too. */
    g_assert_true (remove_end (self, decision->requeue_job.job_id)
                   || cause->kind == LK_EVENT_JOB_ENDED);
    self->run->requeue_count++;
    break;
  case LK_DECISION_SUSPEND_JOB:
    suspend (self, cause->time_us, decision->suspend_job.job_id);
    break;
  case LK_DECISION_RESUME_JOB:
    resume (self, cause->time_us, decision->resume_job.job_id);
    break;
  case LK_DECISION_WAKE:
    self->wake_us = MAX (decision->wake.at_us, cause->time_us);
    break;
  case LK_DECISION_NOTICE:
    if (decision->notice.state == LK_JOB_NODE_FAIL)
      remove_end (self, decision->notice.job_id);
    break;
  case LK_DECISION_REJECT:
    self->run->reject_count++;
    break;
  default:
    break;
  }
}

static void
decide (void *user, const LkEvent *cause, const LkDecision *decision)
{
  Driver *self = user;
  lk_run_log (self->run->log, cause, decision);
  carry_out (self, cause, decision);
  for (guint i = 0; i < self->options->watch_count; i++)
    if (self->options->watches[i].decided != NULL)
      self->options->watches[i].decided (self->options->watches[i].user, self->engine, cause,
                                         decision);
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
  g_assert_cmpint (status, ==, LK_STATUS_OK);
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
  const LkMachineWatch *watches = self->options->watches;
  if (self->options->snapshot_seed != 0 && lk_seed_chance (&self->seed, SNAPSHOT_PERCENT))
    restart_from_snapshot (self);
  event->seq = self->run->events->len + 1;
  for (guint i = 0; i < self->options->watch_count; i++)
    if (watches[i].before != NULL)
      watches[i].before (watches[i].user, self->engine, event);
  g_assert_cmpint (lk_engine_apply (self->engine, event, &sink), ==, LK_STATUS_OK);
  lk_engine_check (self->engine);
  for (guint i = 0; i < self->options->watch_count; i++)
    if (watches[i].after != NULL)
      watches[i].after (watches[i].user, self->engine, event);
  g_array_append_val (self->run->events, *event);
  g_assert_cmpuint (self->run->events->len, <, EVENTS_MAX);
}

static void
run_all (Driver *self)
{
  LkEvent event;
  gint64 now_us = G_MININT64;
  for (;;) {
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

LkMachineRun *
lk_machine_run_new (const LkMachineWorkload *workload, const LkMachineOptions *options)
{
  LkMachineRun *run = g_new0 (LkMachineRun, 1);
  Driver self = { .workload = workload, .options = options, .run = run, .wake_us = LK_TIME_NEVER };
  LkPolicyError error = { "" };
  run->setup = lk_machine_setup (workload->cluster, options);
  run->events = g_array_new (FALSE, FALSE, sizeof (LkEvent));
  run->log = g_byte_array_new ();
  run->bytes = g_byte_array_new ();
  for (guint i = 0; i < LK_MACHINE_JOBS_MAX; i++)
    run->start_us[i] = LK_TIME_NEVER;
  self.seed.state = options->snapshot_seed;
  self.unit_us = options->unit_us > 0 ? options->unit_us : G_USEC_PER_SEC;
  self.waiting = g_array_new (FALSE, FALSE, sizeof (LkEvent));
  self.engine = lk_engine_new (lk_setup_config (run->setup), &error);
  g_assert_nonnull (self.engine);
  for (guint i = 0; i < workload->job_count; i++)
    push_submit (&self, &workload->jobs[i]);
  for (guint i = 0; i < workload->change_count; i++)
    push_change (&self, &workload->changes[i]);
  for (guint i = 0; options->more != NULL && i < options->more->len; i++)
    push_more (&self, g_array_index (options->more, LkEvent, i));
  run_all (&self);
  for (guint i = 0; i < options->watch_count; i++)
    if (options->watches[i].ended != NULL)
      options->watches[i].ended (options->watches[i].user, self.engine);
  run->digest = lk_engine_digest (self.engine);
  lk_engine_save (self.engine, run->bytes);
  lk_engine_free (self.engine);
  g_array_unref (self.waiting);
  return run;
}

void
lk_machine_run_free (LkMachineRun *self)
{
  lk_setup_free (self->setup);
  g_array_unref (self->events);
  g_byte_array_unref (self->log);
  g_byte_array_unref (self->bytes);
  g_free (self);
}

/* ---------------------------------------------------------------- comparing */

static void
only_log (void *user, const LkEvent *cause, const LkDecision *decision)
{
  lk_run_log (user, cause, decision);
}

void
lk_machine_run_assert_replays (const LkMachineRun *run)
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
lk_machine_run_assert_same (const LkMachineRun *a, const LkMachineRun *b)
{
  g_assert_cmpuint (a->events->len, ==, b->events->len);
  lk_run_assert_bytes (a->log, b->log);
  g_assert_true (lk_digest_value_equal (a->digest, b->digest));
  lk_run_assert_bytes (a->bytes, b->bytes);
}
