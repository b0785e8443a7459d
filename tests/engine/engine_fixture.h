/* tests/engine/engine_fixture.h — an engine under named policies, a log of its decisions, and
 * short ways to feed it.
 *
 * Times are given in seconds.  A test reads as a scenario: submit, ended, pass, and what was
 * logged. */
#ifndef LK_TESTS_ENGINE_FIXTURE_H
#define LK_TESTS_ENGINE_FIXTURE_H

#include <string.h>

#include <glib.h>

#include "engine/engine.h"
#include "policies/registry.h"

typedef struct {
  LkRegistry *registry;
  LkSetup *setup;
  LkEngine *engine;
  GString *log;           /* "start 3; kill 2; ..." since the last lk_fixture_log */
  gboolean reloads;       /* the engine is replaced by a copy from its bytes after each event */
  gboolean tells_places;  /* the nodes of a start, and reasons */
  gboolean tells_details; /* cores, generic resources and memory of a start too */
} LkFixture;

static void
fixture_log_place (LkFixture *self, const LkDecision_start *start)
{
  if (self->tells_places && start->nodes.length_bytes > 0)
    g_string_append_printf (self->log, " %.*s", (int)start->nodes.length_bytes, start->nodes.bytes);
  if (!self->tells_details)
    return;
  g_string_append_printf (self->log, " %.*s", (int)start->cores.length_bytes, start->cores.bytes);
  if (start->gres.length_bytes > 0)
    g_string_append_printf (self->log, " %.*s", (int)start->gres.length_bytes, start->gres.bytes);
  if (start->memory_bytes > 0)
    g_string_append_printf (self->log, " %" G_GINT64_FORMAT "M", start->memory_bytes >> 20);
}

static void
fixture_log_reservation (LkFixture *self, const LkDecision_reservation *reservation)
{
  static const char *const states[] = { "inactive", "active", "gone" };
  g_string_append_printf (self->log, "%.*s %s %.*s %" G_GINT64_FORMAT "-%" G_GINT64_FORMAT,
                          (int)reservation->name.length_bytes, reservation->name.bytes,
                          states[reservation->state], (int)reservation->nodes.length_bytes,
                          reservation->nodes.bytes, reservation->start_us / G_USEC_PER_SEC,
                          reservation->end_us / G_USEC_PER_SEC);
}

static void
fixture_decide (void *user, const LkEvent *cause, const LkDecision *decision)
{
  LkFixture *self = user;
  (void)cause;
  if (self->log->len > 0)
    g_string_append (self->log, "; ");
  switch (decision->kind) {
  case LK_DECISION_ACCEPT:
    g_string_append_printf (self->log, "accept %u", decision->accept.job_id);
    break;
  case LK_DECISION_REJECT:
    g_string_append_printf (self->log, "reject %u %u", decision->reject.job_id,
                            decision->reject.error);
    break;
  case LK_DECISION_START:
    g_string_append_printf (self->log, "start %u%s", decision->start.job_id,
                            decision->start.backfilled ? " backfilled" : "");
    fixture_log_place (self, &decision->start);
    break;
  case LK_DECISION_KILL:
    g_string_append_printf (self->log, "kill %u %u", decision->kill.job_id, decision->kill.why);
    break;
  case LK_DECISION_WAKE:
    g_string_append_printf (self->log, "wake %" G_GINT64_FORMAT,
                            decision->wake.at_us / G_USEC_PER_SEC);
    break;
  case LK_DECISION_NOTICE:
    g_string_append_printf (self->log, "%s %u", lk_job_state_name (decision->notice.state),
                            decision->notice.job_id);
    if (self->tells_places && decision->notice.reason != LK_REASON_NONE)
      g_string_append_printf (self->log, " %s", lk_reason_name (decision->notice.reason));
    break;
  case LK_DECISION_PREEMPT:
    g_string_append_printf (self->log, "preempt %u %u", decision->preempt.job_id,
                            decision->preempt.mode);
    break;
  case LK_DECISION_ROOM:
    g_string_append_printf (self->log, "room %u", decision->room.job_id);
    break;
  case LK_DECISION_REQUEUE_JOB:
    g_string_append_printf (self->log, "requeue %u", decision->requeue_job.job_id);
    break;
  case LK_DECISION_SUSPEND_JOB:
    g_string_append_printf (self->log, "suspend %u", decision->suspend_job.job_id);
    break;
  case LK_DECISION_RESUME_JOB:
    g_string_append_printf (self->log, "resume %u", decision->resume_job.job_id);
    break;
  case LK_DECISION_SIGNAL_JOB:
    g_string_append_printf (self->log, "signal %u %u%s", decision->signal_job.job_id,
                            decision->signal_job.signal,
                            decision->signal_job.batch_only != 0 ? " batch" : "");
    break;
  case LK_DECISION_TASK:
    g_string_append_printf (self->log, "task %u %u_%u", decision->task.job_id,
                            decision->task.array_job_id, decision->task.task);
    break;
  case LK_DECISION_STANDING:
    g_string_append_printf (self->log, "standing %u level %u", decision->standing.job_id,
                            decision->standing.level);
    break;
  case LK_DECISION_RESERVATION:
    fixture_log_reservation (self, &decision->reservation);
    break;
  default:
    g_assert_not_reached ();
  }
}

static inline void
fixture_init_with (LkFixture *self, const LkSetupOptions *options)
{
  g_autoptr (GError) error = NULL;
  LkPolicyError policy_error;
  *self = (LkFixture){ .registry = lk_registry_new () };
  self->setup = lk_setup_new (self->registry, options, &error);
  g_assert_no_error (error);
  self->engine = lk_engine_new (lk_setup_config (self->setup), &policy_error);
  g_assert_nonnull (self->engine);
  self->log = g_string_new (NULL);
}

static inline void
fixture_init (LkFixture *self, guint32 units, const char *order, const char *backfill)
{
  LkSetupOptions options = { .units_total = units,
                             .origin_us = LK_TIME_NEVER,
                             .order = order,
                             .backfill = backfill,
                             .select = "pool" };
  fixture_init_with (self, &options);
}

static inline void
fixture_clear (LkFixture *self)
{
  lk_engine_check (self->engine);
  lk_engine_free (self->engine);
  lk_setup_free (self->setup);
  lk_registry_free (self->registry);
  g_string_free (self->log, TRUE);
}

/* Goes on with a copy of the engine that is made from its bytes, which are those of the copy. */
static inline void
fixture_reload (LkFixture *self)
{
  LkStatus status;
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  g_autoptr (GByteArray) again = g_byte_array_new ();
  lk_engine_save (self->engine, bytes);
  LkEngine *copy = lk_engine_load (lk_setup_config (self->setup), bytes->data, bytes->len, &status);
  g_assert_cmpint (status, ==, LK_STATUS_OK);
  lk_engine_check (copy);
  lk_engine_save (copy, again);
  g_assert_cmpuint (bytes->len, ==, again->len);
  g_assert_true (memcmp (bytes->data, again->data, bytes->len) == 0);
  lk_engine_free (self->engine);
  self->engine = copy;
}

static inline LkStatus
fixture_apply (LkFixture *self, gint64 time_s, LkEvent *event)
{
  LkEngineCounts counts;
  LkSink sink = { fixture_decide, self };
  lk_engine_counts (self->engine, &counts);
  event->seq = counts.event_count + 1;
  event->time_us = time_s * G_USEC_PER_SEC;
  LkStatus status = lk_engine_apply (self->engine, event, &sink);
  lk_engine_check (self->engine);
  if (self->reloads)
    fixture_reload (self);
  return status;
}

static inline void
fixture_submit (LkFixture *self, gint64 time_s, guint32 id, guint32 procs, gint64 estimate_s)
{
  LkEvent event = { .kind = LK_EVENT_SUBMIT };
  event.submit.job_id = id;
  event.submit.user_id = id % 3;
  event.submit.procs = procs;
  event.submit.estimate_us = estimate_s * G_USEC_PER_SEC;
  g_assert_cmpint (fixture_apply (self, time_s, &event), ==, LK_STATUS_OK);
}

static inline void
fixture_ended (LkFixture *self, gint64 time_s, guint32 id)
{
  LkEvent event = { .kind = LK_EVENT_JOB_ENDED };
  event.job_ended.job_id = id;
  g_assert_cmpint (fixture_apply (self, time_s, &event), ==, LK_STATUS_OK);
}

/* An event that has no fields but a job, or none. */
static inline void
fixture_event (LkFixture *self, gint64 time_s, LkEventKind kind, guint32 id)
{
  LkEvent event = { .kind = kind };
  switch (kind) {
  case LK_EVENT_CANCEL:
    event.cancel.job_id = id;
    break;
  case LK_EVENT_HOLD:
    event.hold.job_id = id;
    break;
  case LK_EVENT_RELEASE:
    event.release.job_id = id;
    break;
  case LK_EVENT_JOB_STARTED:
    event.job_started.job_id = id;
    break;
  case LK_EVENT_REQUEUE:
    event.requeue.job_id = id;
    break;
  case LK_EVENT_SUSPEND:
    event.suspend.job_id = id;
    break;
  case LK_EVENT_RESUME:
    event.resume.job_id = id;
    break;
  default:
    break;
  }
  g_assert_cmpint (fixture_apply (self, time_s, &event), ==, LK_STATUS_OK);
}

static inline void
fixture_update (LkFixture *self, gint64 time_s, const LkEvent_update *update)
{
  LkEvent event = { .kind = LK_EVENT_UPDATE };
  event.update = *update;
  g_assert_cmpint (fixture_apply (self, time_s, &event), ==, LK_STATUS_OK);
}

/* Compares what was logged since the last call. */
#define fixture_assert_log(self, expected)                                                         \
  do {                                                                                             \
    g_assert_cmpstr ((self)->log->str, ==, expected);                                              \
    g_string_truncate ((self)->log, 0);                                                            \
  } while (0)

#endif
