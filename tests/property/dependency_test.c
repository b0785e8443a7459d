/* tests/property/dependency_test.c — random graphs of jobs that wait for each other, against a page
 * of rules.
 *
 * Jobs with random conditions on earlier jobs, on later ones and on jobs that never were, names,
 * outcomes, cancels, holds and requeues go through the engine on a machine with room for all, so
 * that a job starts as soon as nothing keeps it.  After each instant every pending job must stand
 * as the model says; restarts from snapshots at random events change nothing. */
#include <glib.h>
#include <string.h>

#include "engine/engine.h"
#include "policies/registry.h"
#include "tests/engine/seed.h"
#include "tests/property/dependency_model.h"

#define ROUNDS 400u
#define EVENTS_MAX 5000u

typedef struct {
  LkSetup *setup;
  LkEngine *engine;
  Model model;
  Seed seed;
  GArray *events; /* of LkEvent that are to come, in no order */
  guint32 job_count;
  gint64 now_s;
  gint64 wake_s;
  gint64 run_s[MODEL_JOBS_MAX + 1];
  guint8 exit_codes[MODEL_JOBS_MAX + 1];
  char *texts[MODEL_JOBS_MAX + 1];
  guint event_count;
  guint restart_every; /* 0: never */
  GByteArray *log;
  guint8 started[MODEL_JOBS_MAX + 1]; /* in the pass being applied */
} Run;

static const char *const names[] = { "", "a", "b" };

/* ---------------------------------------------------------------- a workload */

static const char *const types[] = { "",        "after",      "afterany",  "afterok",
                                     "afterok", "afternotok", "aftercorr", "singleton" };
static const LkDependencyType type_numbers[] = {
  LK_DEPENDENCY_AFTER_ANY,  LK_DEPENDENCY_AFTER,    LK_DEPENDENCY_AFTER_ANY,
  LK_DEPENDENCY_AFTER_OK,   LK_DEPENDENCY_AFTER_OK, LK_DEPENDENCY_AFTER_NOT_OK,
  LK_DEPENDENCY_AFTER_CORR, LK_DEPENDENCY_SINGLETON
};

static void
make_condition (Run *self, guint32 id, ModelJob *job, GString *text)
{
  guint which = seed_below (&self->seed, G_N_ELEMENTS (types));
  ModelCondition *condition = &job->conditions[job->condition_count++];
  *condition = (ModelCondition){ .type = type_numbers[which] };
  if (text->len > 0)
    g_string_append_c (text, job->is_any ? '?' : ',');
  g_string_append (text, types[which]);
  if (condition->type == LK_DEPENDENCY_SINGLETON)
    return;
  /* Now and then a later job, or itself. */
  guint32 awaited_limit = seed_below (&self->seed, 12) == 0 ? id + 3 : id;
  condition->job_id = 1 + seed_below (&self->seed, MAX (awaited_limit - 1, 1));
  if (id > 6 && seed_below (&self->seed, 2) == 0)
    condition->job_id = id - 1 - seed_below (&self->seed, 5);
  g_string_append_printf (text, "%s%u", types[which][0] != '\0' ? ":" : "", condition->job_id);
  if (condition->type == LK_DEPENDENCY_AFTER && seed_below (&self->seed, 2) == 0) {
    condition->minutes = seed_below (&self->seed, 4);
    g_string_append_printf (text, "+%u", condition->minutes);
  }
}

static void
push (Run *self, gint64 at_s, LkEvent event)
{
  event.time_us = at_s * G_USEC_PER_SEC;
  g_array_append_val (self->events, event);
}

static void
make_job (Run *self, guint32 id, gint64 at_s)
{
  ModelJob *job = &self->model.jobs[id];
  GString *text = g_string_new (NULL);
  job->user_id = seed_below (&self->seed, 2);
  job->name = names[seed_below (&self->seed, G_N_ELEMENTS (names))];
  job->is_any = seed_below (&self->seed, 3) == 0;
  job->kills = seed_below (&self->seed, 4) == 0;
  guint count = id == 1 ? 0 : seed_below (&self->seed, MODEL_CONDITIONS_MAX);
  while (job->condition_count < count)
    make_condition (self, id, job, text);
  self->texts[id] = g_string_free (text, FALSE);
  self->run_s[id] = seed_between (&self->seed, 1, 200);
  self->exit_codes[id] = seed_below (&self->seed, 3) == 0;
  LkEvent event = { .kind = LK_EVENT_SUBMIT };
  event.submit.job_id = id;
  event.submit.user_id = job->user_id;
  event.submit.procs = 1;
  event.submit.estimate_us = 1000 * G_USEC_PER_SEC;
  event.submit.dependency = lk_text (self->texts[id]);
  event.submit.name = lk_text (job->name);
  event.submit.term_flags = job->kills ? LK_TERM_KILL_INVALID_DEP : 0;
  push (self, at_s, event);
}

/* Cancels, holds, releases and requeues, of jobs that may not be there. */
static void
disturb (Run *self, gint64 end_s)
{
  for (guint i = seed_below (&self->seed, 12); i > 0; i--) {
    guint32 id = 1 + seed_below (&self->seed, self->job_count);
    gint64 at_s = seed_between (&self->seed, 0, end_s);
    LkEvent event = { .kind = LK_EVENT_CANCEL };
    event.cancel.job_id = id;
    switch (seed_below (&self->seed, 3)) {
    case 0:
      break;
    case 1:
      event = (LkEvent){ .kind = LK_EVENT_REQUEUE };
      event.requeue.job_id = id;
      break;
    default:
      event = (LkEvent){ .kind = LK_EVENT_HOLD };
      event.hold.job_id = id;
      push (self, at_s, event);
      event = (LkEvent){ .kind = LK_EVENT_RELEASE };
      event.release.job_id = id;
      at_s += seed_between (&self->seed, 0, 300);
    }
    push (self, at_s, event);
  }
}

static void
make_workload (Run *self)
{
  gint64 at_s = 0;
  self->job_count = 5 + seed_below (&self->seed, MODEL_JOBS_MAX - 4);
  for (guint32 id = 1; id <= self->job_count; id++) {
    make_job (self, id, at_s);
    at_s += seed_below (&self->seed, 3) == 0 ? 0 : seed_between (&self->seed, 1, 60);
  }
  disturb (self, at_s + 200);
}

/* ---------------------------------------------------------------- the driver */

/* The job's end does not come any more, or at once. */
static void
forget_end (Run *self, guint32 id)
{
  for (guint i = 0; i < self->events->len; i++) {
    const LkEvent *event = &g_array_index (self->events, LkEvent, i);
    if (event->kind == LK_EVENT_JOB_ENDED && event->job_ended.job_id == id) {
      g_array_remove_index (self->events, i);
      return;
    }
  }
}

static void
push_end (Run *self, guint32 id, gint64 at_s, guint8 cancelled)
{
  LkEvent event = { .kind = LK_EVENT_JOB_ENDED };
  event.job_ended.job_id = id;
  event.job_ended.cancelled = cancelled;
  event.job_ended.exit_code = self->exit_codes[id];
  push (self, at_s, event);
}

static void
decide (void *user, const LkEvent *cause, const LkDecision *decision)
{
  Run *self = user;
  guint64 seq = cause->seq;
  g_byte_array_append (self->log, (const guint8 *)&seq, sizeof seq);
  lk_decision_encode (decision, self->log);
  switch (decision->kind) {
  case LK_DECISION_START:
    self->started[decision->start.job_id] = TRUE;
    push_end (self, decision->start.job_id, self->now_s + self->run_s[decision->start.job_id], 0);
    break;
  case LK_DECISION_KILL:
    forget_end (self, decision->kill.job_id);
    push_end (self, decision->kill.job_id, self->now_s, 1);
    break;
  case LK_DECISION_REQUEUE_JOB:
    forget_end (self, decision->requeue_job.job_id);
    model_requeue (&self->model, decision->requeue_job.job_id);
    break;
  case LK_DECISION_WAKE:
    self->wake_s = decision->wake.at_us / G_USEC_PER_SEC;
    break;
  case LK_DECISION_REJECT:
    if (cause->kind == LK_EVENT_SUBMIT)
      g_assert_false (model_submit (&self->model, cause->submit.job_id));
    break;
  case LK_DECISION_ACCEPT:
    if (cause->kind == LK_EVENT_SUBMIT)
      g_assert_true (model_submit (&self->model, cause->submit.job_id));
    else if (cause->kind == LK_EVENT_CANCEL
             && self->model.jobs[cause->cancel.job_id].phase == MODEL_PENDING)
      model_end (&self->model, cause->cancel.job_id, FALSE);
    break;
  default:
    break;
  }
}

static void
restart (Run *self)
{
  LkStatus status;
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  g_autoptr (GByteArray) again = g_byte_array_new ();
  lk_engine_save (self->engine, bytes);
  LkEngine *loaded =
      lk_engine_load (lk_setup_config (self->setup), bytes->data, bytes->len, &status);
  g_assert_nonnull (loaded);
  lk_engine_save (loaded, again);
  g_assert_cmpuint (again->len, ==, bytes->len);
  g_assert_true (memcmp (again->data, bytes->data, bytes->len) == 0);
  lk_engine_free (self->engine);
  self->engine = loaded;
}

static void
apply (Run *self, LkEvent *event)
{
  LkSink sink = { decide, self };
  event->seq = ++self->event_count;
  event->time_us = self->now_s * G_USEC_PER_SEC;
  self->model.now_s = self->now_s;
  g_assert_cmpuint (self->event_count, <, EVENTS_MAX);
  memset (self->started, 0, sizeof self->started);
  g_assert_cmpint (lk_engine_apply (self->engine, event, &sink), ==, LK_STATUS_OK);
  if (event->kind == LK_EVENT_JOB_ENDED)
    model_end (&self->model, event->job_ended.job_id,
               event->job_ended.exit_code == 0 && !event->job_ended.cancelled);
  for (guint32 id = 1; id <= self->job_count; id++)
    if (self->started[id]) {
      g_assert_cmpint (model_stand (&self->model, id), ==, MODEL_FREE);
      model_start (&self->model, id);
    }
  model_look (&self->model);
  lk_engine_check (self->engine);
  if (self->restart_every > 0 && self->event_count % self->restart_every == 0)
    restart (self);
}

/* Every job stands as the rules say. */
static void
compare (const Run *self)
{
  for (guint32 id = 1; id <= self->job_count; id++) {
    LkJobInfo info;
    ModelPhase phase = self->model.jobs[id].phase;
    gboolean is_there = lk_engine_job (self->engine, id, &info);
    g_assert_cmpint (is_there, ==, phase == MODEL_PENDING || phase == MODEL_RUNNING);
    if (!is_there)
      continue;
    g_assert_cmpint (info.state == LK_JOB_RUNNING, ==, phase == MODEL_RUNNING);
    if (info.state == LK_JOB_RUNNING || info.reason == LK_REASON_HELD_USER)
      continue;
    ModelStand stand = model_stand (&self->model, id);
    g_assert_cmpint (info.reason, ==,
                     stand == MODEL_WAITS   ? LK_REASON_DEPENDENCY
                     : stand == MODEL_NEVER ? LK_REASON_DEPENDENCY_NEVER_SATISFIED
                                            : LK_REASON_RESOURCES);
  }
}

/* The next event of this instant; FALSE: there is none. */
static gboolean
next_event (Run *self, LkEvent *out_event)
{
  guint least = G_MAXUINT;
  for (guint i = 0; i < self->events->len; i++) {
    const LkEvent *event = &g_array_index (self->events, LkEvent, i);
    if (event->time_us == self->now_s * G_USEC_PER_SEC
        && (least == G_MAXUINT
            || lk_event_compare (event, &g_array_index (self->events, LkEvent, least)) < 0))
      least = i;
  }
  if (least != G_MAXUINT) {
    *out_event = g_array_index (self->events, LkEvent, least);
    g_array_remove_index (self->events, least);
    return TRUE;
  }
  *out_event = (LkEvent){ .kind = LK_EVENT_TIMER };
  if (self->wake_s > self->now_s)
    return FALSE;
  self->wake_s = G_MAXINT64;
  return TRUE;
}

static gint64
next_instant_s (const Run *self)
{
  gint64 next_s = self->wake_s;
  for (guint i = 0; i < self->events->len; i++)
    next_s = MIN (next_s, g_array_index (self->events, LkEvent, i).time_us / G_USEC_PER_SEC);
  return next_s;
}

static Run *
run_new (guint64 seed, guint restart_every, LkRegistry *registry)
{
  g_autoptr (GError) error = NULL;
  LkPolicyError policy_error;
  LkSetupOptions options = { .units_total = 1000,
                             .origin_us = LK_TIME_NEVER,
                             .order = "fifo",
                             .backfill = seed % 2 == 0 ? "easy" : "conservative",
                             .select = "pool" };
  Run *self = g_new0 (Run, 1);
  self->setup = lk_setup_new (registry, &options, &error);
  g_assert_no_error (error);
  self->engine = lk_engine_new (lk_setup_config (self->setup), &policy_error);
  self->events = g_array_new (FALSE, FALSE, sizeof (LkEvent));
  self->log = g_byte_array_new ();
  self->seed.state = seed;
  self->restart_every = restart_every;
  self->wake_s = G_MAXINT64;
  make_workload (self);
  for (self->now_s = next_instant_s (self); self->now_s < 1000000;
       self->now_s = next_instant_s (self)) {
    LkEvent event;
    do {
      while (next_event (self, &event))
        apply (self, &event);
      event = (LkEvent){ .kind = LK_EVENT_PASS };
      if (lk_engine_pass_wanted (self->engine))
        apply (self, &event);
    } while (self->wake_s <= self->now_s || lk_engine_pass_wanted (self->engine));
    compare (self);
  }
  return self;
}

static void
run_free (Run *self)
{
  lk_engine_free (self->engine);
  lk_setup_free (self->setup);
  g_array_unref (self->events);
  g_byte_array_unref (self->log);
  for (guint i = 0; i <= MODEL_JOBS_MAX; i++)
    g_free (self->texts[i]);
  g_free (self);
}

static void
test_rules (void)
{
  LkRegistry *registry = lk_registry_new ();
  guint kill_count = 0, never_count = 0;
  for (guint64 seed = 1; seed <= ROUNDS; seed++) {
    Run *straight = run_new (seed, 0, registry);
    Run *restarted = run_new (seed, 1 + (guint)(seed % 5), registry);
    g_assert_cmpuint (restarted->log->len, ==, straight->log->len);
    g_assert_true (memcmp (restarted->log->data, straight->log->data, straight->log->len) == 0);
    kill_count += straight->model.kill_count;
    for (guint32 id = 1; id <= straight->job_count; id++)
      never_count += straight->model.jobs[id].phase == MODEL_PENDING
                             && model_stand (&straight->model, id) == MODEL_NEVER
                         ? 1
                         : 0;
    run_free (straight);
    run_free (restarted);
  }
  g_assert_cmpuint (kill_count, >, ROUNDS / 10);
  g_assert_cmpuint (never_count, >, ROUNDS / 2);
  lk_registry_free (registry);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/property/jobs wait for others as the rules say", test_rules);
  return g_test_run ();
}
