/* tests/engine/engine_refusal_test.c — what the engine refuses, and that a refusal changes nothing.
 *
 * That nothing has changed is seen in the snapshot, which holds the whole state. */
#include <string.h>

#include "engine/engine.h"
#include "tests/engine/engine_fixture.h"

#define PASS(self, time_s) fixture_event (self, time_s, LK_EVENT_PASS, 0)

static const char *const backfills[] = { "none",         "easy", "easy:reservations=2",
                                         "conservative", "full", "full:window=5",
                                         "replan" };

/* The snapshot without what a refusal changes: the digest, for the decision, and the CRC. */
static GByteArray *
state_bytes (const LkFixture *self)
{
  const guint digest_at = 8 + 4 + 16 + 8 + 8;
  GByteArray *bytes = g_byte_array_new ();
  lk_engine_save (self->engine, bytes);
  memset (bytes->data + digest_at, 0, 5 * 8);
  g_byte_array_set_size (bytes, bytes->len - 4);
  return bytes;
}

static void
assert_same_state (const LkFixture *a, const LkFixture *b)
{
  g_autoptr (GByteArray) a_bytes = state_bytes (a);
  g_autoptr (GByteArray) b_bytes = state_bytes (b);
  g_assert_cmpuint (a_bytes->len, ==, b_bytes->len);
  g_assert_true (memcmp (a_bytes->data, b_bytes->data, a_bytes->len) == 0);
  g_assert_cmpint (lk_engine_pass_wanted (a->engine), ==, lk_engine_pass_wanted (b->engine));
}

/* Job 1 runs, 2 and 3 wait, 4 is held; 5 has gone. */
static void
refusal_scene (LkFixture *self, const char *backfill)
{
  fixture_init (self, 4, "fifo", backfill);
  for (guint32 id = 1; id <= 5; id++)
    fixture_submit (self, 0, id, 3, 10);
  fixture_event (self, 0, LK_EVENT_CANCEL, 5);
  fixture_event (self, 0, LK_EVENT_HOLD, 4);
  PASS (self, 0);
  g_string_truncate (self->log, 0);
}

static LkEvent
submit_event (guint32 id, guint32 procs, gint64 estimate_us)
{
  LkEvent event = { .kind = LK_EVENT_SUBMIT };
  event.submit.job_id = id;
  event.submit.procs = procs;
  event.submit.estimate_us = estimate_us;
  return event;
}

static LkEvent
update_event (guint32 id, guint64 present, guint32 procs, gint64 estimate_us)
{
  LkEvent event = { .kind = LK_EVENT_UPDATE };
  event.update.job_id = id;
  event.update.changes = present;
  event.update.procs = procs;
  event.update.estimate_us = estimate_us;
  return event;
}

static LkEvent
job_event (LkEventKind kind, guint32 id)
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
  case LK_EVENT_JOB_ENDED:
    event.job_ended.job_id = id;
    break;
  case LK_EVENT_REQUEUE:
    event.requeue.job_id = id;
    break;
  case LK_EVENT_SIGNAL:
    event.signal.job_id = id;
    break;
  default:
    break;
  }
  return event;
}

/* The event is answered with this refusal, and all else is as if a cancel of no job had come. */
static void
assert_refused (const char *backfill, LkEvent event, const char *wanted)
{
  LkFixture self, other;
  LkEvent nothing = job_event (LK_EVENT_CANCEL, 77);
  refusal_scene (&self, backfill);
  refusal_scene (&other, backfill);
  g_assert_cmpint (fixture_apply (&self, 3, &event), ==, LK_STATUS_OK);
  g_assert_cmpint (fixture_apply (&other, 3, &nothing), ==, LK_STATUS_OK);
  fixture_assert_log (&self, wanted);
  fixture_assert_log (&other, "reject 77 2");
  assert_same_state (&self, &other);
  fixture_clear (&self);
  fixture_clear (&other);
}

static void
test_refusals (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (backfills); i++) {
    const char *backfill = backfills[i];
    assert_refused (backfill, job_event (LK_EVENT_CANCEL, 9), "reject 9 2");
    assert_refused (backfill, job_event (LK_EVENT_CANCEL, 5), "reject 5 2");
    assert_refused (backfill, job_event (LK_EVENT_HOLD, 9), "reject 9 2");
    assert_refused (backfill, job_event (LK_EVENT_RELEASE, 9), "reject 9 2");
    assert_refused (backfill, job_event (LK_EVENT_JOB_STARTED, 9), "reject 9 2");
    assert_refused (backfill, job_event (LK_EVENT_JOB_ENDED, 0), "reject 0 2");
    assert_refused (backfill, update_event (9, 1, 1, 1), "reject 9 2");
    assert_refused (backfill, submit_event (5, 1, 1), "reject 5 3");
    assert_refused (backfill, submit_event (6, 0, 1), "reject 6 4");
    assert_refused (backfill, update_event (2, 1, 0, 1), "reject 2 4");
    assert_refused (backfill, submit_event (6, 1, 0), "reject 6 5");
    assert_refused (backfill, submit_event (6, 1, G_MININT64), "reject 6 5");
    assert_refused (backfill, update_event (2, 2, 1, 0), "reject 2 5");
    assert_refused (backfill, submit_event (6, 5, 1), "reject 6 6");
    assert_refused (backfill, submit_event (6, G_MAXUINT32, 1), "reject 6 6");
    assert_refused (backfill, update_event (1, 1, 1, 1), "reject 1 7");
    assert_refused (backfill, job_event (LK_EVENT_JOB_ENDED, 2), "reject 2 8");
    assert_refused (backfill, job_event (LK_EVENT_JOB_STARTED, 2), "reject 2 8");
    assert_refused (backfill, job_event (LK_EVENT_RELEASE, 2), "reject 2 9");
    assert_refused (backfill, job_event (LK_EVENT_RELEASE, 1), "reject 1 9");
    assert_refused (backfill, update_event (2, 0, 1, 1), "reject 2 11");
    /* The user of a job, and a bit that stands for nothing. */
    assert_refused (backfill, update_event (2, G_GUINT64_CONSTANT (1) << LK_CHANGE_user, 1, 1),
                    "reject 2 11");
    assert_refused (backfill, update_event (2, G_GUINT64_CONSTANT (1) << 63, 1, 1), "reject 2 11");
    assert_refused (backfill, job_event (LK_EVENT_REQUEUE, 9), "reject 9 2");
    assert_refused (backfill, job_event (LK_EVENT_REQUEUE, 2), "reject 2 8");
    assert_refused (backfill, job_event (LK_EVENT_REQUEUE, 4), "reject 4 8");
  }
}

/* The job was looked at in the queue; it must stand there as before, plan and all. */
static void
test_refused_update (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (backfills); i++) {
    assert_refused (backfills[i], update_event (2, 1, 5, 1), "reject 2 6");
    assert_refused (backfills[i], update_event (3, 3, 5, 1), "reject 3 6");
    assert_refused (backfills[i], update_event (4, 1, 5, 1), "reject 4 6");
  }
}

/* A counted pool has no nodes. */
static gboolean
is_supported (guint kind)
{
  gboolean is_of_nodes = kind == LK_EVENT_NODE_UP || kind == LK_EVENT_NODE_DOWN
                         || kind == LK_EVENT_NODE_DRAIN || kind == LK_EVENT_NODE_RESUME;
  return lk_event_kind_acted (kind) && !is_of_nodes;
}

static void
test_unsupported (void)
{
#define X(NAME, number, rank, acted, lower, help) number,
  static const guint kinds[] = { LK_EVENT_KINDS (X) };
#undef X
  guint unsupported_count = 0;
  guint not_acted_count = 0;
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++) {
    not_acted_count += !lk_event_kind_acted (kinds[i]);
    if (is_supported (kinds[i]))
      continue;
    LkEvent event = job_event ((LkEventKind)kinds[i], 2);
    g_autofree char *wanted = g_strdup_printf ("reject %u 1", lk_event_job_id (&event));
    assert_refused ("easy", event, wanted);
    assert_refused ("conservative", event, wanted);
    unsupported_count++;
  }
  /* Those of nodes are for machines of nodes. */
  g_assert_cmpuint (unsupported_count, ==, not_acted_count + 4);
}

/* An id once refused for its size may be used again; one that was taken may not. */
static void
test_id_used (void)
{
  LkFixture self;
  fixture_init (&self, 4, "fifo", "easy");
  fixture_submit (&self, 0, 8, 5, 10);
  fixture_submit (&self, 0, 8, 4, 10);
  fixture_submit (&self, 0, 8, 4, 10);
  fixture_submit (&self, 0, 7, 4, 10);
  fixture_assert_log (&self, "reject 8 6; accept 8; reject 8 3; reject 7 3");
  fixture_clear (&self);
}

/* ---------------------------------------------------------------- statuses */

static void
assert_untouched (LkFixture *self, LkEvent event, LkStatus wanted)
{
  g_autoptr (GByteArray) before = g_byte_array_new ();
  g_autoptr (GByteArray) behind = g_byte_array_new ();
  LkSink sink = { fixture_decide, self };
  LkDigestValue digest = lk_engine_digest (self->engine);
  lk_engine_save (self->engine, before);
  g_assert_cmpint (lk_engine_apply (self->engine, &event, &sink), ==, wanted);
  lk_engine_save (self->engine, behind);
  g_assert_cmpuint (before->len, ==, behind->len);
  g_assert_true (memcmp (before->data, behind->data, before->len) == 0);
  g_assert_true (lk_digest_value_equal (digest, lk_engine_digest (self->engine)));
  lk_engine_check (self->engine);
  fixture_assert_log (self, "");
}

static void
test_statuses (void)
{
  LkFixture self;
  refusal_scene (&self, "conservative");
  LkEngineCounts counts;
  lk_engine_counts (self.engine, &counts);
  LkEvent event = submit_event (6, 1, 1);
  event.seq = counts.event_count + 1;
  event.time_us = counts.now_us - 1;
  assert_untouched (&self, event, LK_STATUS_TIME_BACKWARD);
  event.time_us = counts.now_us;
  event.seq = counts.event_count;
  assert_untouched (&self, event, LK_STATUS_SEQ_WRONG);
  event.seq = counts.event_count + 2;
  assert_untouched (&self, event, LK_STATUS_SEQ_WRONG);
  event.seq = 0;
  assert_untouched (&self, event, LK_STATUS_SEQ_WRONG);
  event.seq = counts.event_count + 1;
  event.kind = LK_EVENT_KIND_LIMIT;
  assert_untouched (&self, event, LK_STATUS_KIND_UNKNOWN);
  event.kind = (LkEventKind)0;
  assert_untouched (&self, event, LK_STATUS_KIND_UNKNOWN);
  event.kind = LK_EVENT_SUBMIT;
  g_assert_cmpint (lk_engine_apply (self.engine, &event, NULL), ==, LK_STATUS_OK);
  for (LkStatus status = LK_STATUS_OK; status <= LK_STATUS_CONFIG_OTHER; status++)
    g_assert_cmpuint (strlen (lk_status_text (status)), >, 0);
  fixture_clear (&self);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/refuses with a reason and changes nothing", test_refusals);
  g_test_add_func ("/engine/answers what it does not support", test_unsupported);
  g_test_add_func ("/engine/takes an id once", test_id_used);
  g_test_add_func ("/engine/takes no event out of turn", test_statuses);
  g_test_add_func ("/engine/an update refused for its size changes nothing", test_refused_update);
  return g_test_run ();
}
