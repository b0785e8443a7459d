/* tests/engine/engine_test.c — what the engine decides, event by event.
 *
 * Each test is a scenario: what comes in, and the log of what goes out.  The worked examples are
 * those of docs/policy-backfill.md (Mu'alem & Feitelson 2001). */
#include "engine/engine.h"

#include <string.h>

#include "tests/engine/engine_fixture.h"

#define PASS(self, time_s) fixture_event (self, time_s, LK_EVENT_PASS, 0)
#define TIMER(self, time_s) fixture_event (self, time_s, LK_EVENT_TIMER, 0)

static const char *const backfills[] = { "none",         "easy", "easy:reservations=2",
                                         "conservative", "full", "full:window=5",
                                         "replan" };

static LkJobInfo
job_info (const LkFixture *self, guint32 id)
{
  LkJobInfo info;
  g_assert_true (lk_engine_job (self->engine, id, &info));
  return info;
}

static void
assert_planned (const LkFixture *self, guint32 id, gint64 start_s)
{
  LkJobInfo info = job_info (self, id);
  g_assert_cmpint (info.state, ==, LK_JOB_PENDING);
  g_assert_cmpint (info.start_us, ==, start_s * G_USEC_PER_SEC);
}

static void
assert_reason (const LkFixture *self, guint32 id, const char *reason)
{
  g_assert_cmpstr (lk_reason_name (job_info (self, id).reason), ==, reason);
}

/* "3 1 2" */
static void
assert_queue (const LkFixture *self, const char *wanted)
{
  g_autoptr (GArray) ids = lk_engine_queue_ids (self->engine);
  g_autoptr (GString) text = g_string_new (NULL);
  for (guint i = 0; i < ids->len; i++)
    g_string_append_printf (text, "%s%u", i > 0 ? " " : "", g_array_index (ids, guint32, i));
  g_assert_cmpstr (text->str, ==, wanted);
}

/* ---------------------------------------------------------------- the worked examples */

/* N=10; R1 q=6 ends at 100, R2 q=2 at 50; then h q=7, a, b q=1 p=200, c q=1 p=100. */
static void
easy_example (LkFixture *self, guint32 a_procs)
{
  fixture_init (self, 10, "fifo", "easy");
  fixture_submit (self, 0, 1, 6, 100);
  fixture_submit (self, 0, 2, 2, 50);
  PASS (self, 0);
  fixture_assert_log (self, "accept 1; accept 2; start 1; start 2; wake 50");
  fixture_submit (self, 0, 3, 7, 10);
  fixture_submit (self, 0, 4, a_procs, 60);
  fixture_submit (self, 0, 5, 1, 200);
  fixture_submit (self, 0, 6, 1, 100);
  fixture_assert_log (self, "accept 3; accept 4; accept 5; accept 6");
  PASS (self, 0);
}

static void
test_easy (void)
{
  LkFixture self;
  easy_example (&self, 2);
  fixture_assert_log (&self, "start 4 backfilled");
  assert_queue (&self, "3 5 6");
  fixture_clear (&self);
}

/* With a of one processor, b takes one of the three that are left over at the shadow time. */
static void
test_easy_extra (void)
{
  LkFixture self;
  easy_example (&self, 1);
  fixture_assert_log (&self, "start 4 backfilled; start 5 backfilled");
  assert_queue (&self, "3 6");
  fixture_clear (&self);
}

/* A job may end just at the shadow time, and not a microsecond later. */
static void
test_easy_shadow (void)
{
  LkFixture self;
  fixture_init (&self, 4, "fifo", "easy");
  fixture_submit (&self, 0, 1, 3, 100);
  PASS (&self, 0);
  fixture_submit (&self, 10, 2, 4, 10);
  fixture_submit (&self, 10, 3, 1, 91);
  fixture_submit (&self, 10, 4, 1, 90);
  fixture_assert_log (&self, "accept 1; start 1; wake 100; accept 2; accept 3; accept 4");
  PASS (&self, 10);
  fixture_assert_log (&self, "start 4 backfilled");
  fixture_clear (&self);
}

static void
test_easy_shortest (void)
{
  LkFixture self;
  fixture_init (&self, 4, "fifo", "easy:order=sjf");
  fixture_submit (&self, 0, 1, 3, 100);
  PASS (&self, 0);
  fixture_submit (&self, 10, 2, 4, 10);
  fixture_submit (&self, 10, 3, 1, 50);
  fixture_submit (&self, 10, 4, 1, 40);
  fixture_assert_log (&self, "accept 1; start 1; wake 100; accept 2; accept 3; accept 4");
  PASS (&self, 10);
  /* Job 4 will end before job 1 does. */
  fixture_assert_log (&self, "start 4 backfilled; wake 50");
  fixture_clear (&self);
}

/* N=4; R1 q=3 ends at 10; A q=4 p=10, B q=1 p=10, C q=1 p=11. */
static void
test_conservative (void)
{
  LkFixture self;
  fixture_init (&self, 4, "fifo", "conservative");
  fixture_submit (&self, 0, 1, 3, 10);
  PASS (&self, 0);
  fixture_assert_log (&self, "accept 1; start 1; wake 10");
  fixture_submit (&self, 0, 2, 4, 10);
  fixture_submit (&self, 0, 3, 1, 10);
  fixture_submit (&self, 0, 4, 1, 11);
  PASS (&self, 0);
  fixture_assert_log (&self, "accept 2; accept 3; accept 4; start 3 backfilled");
  assert_planned (&self, 2, 10);
  assert_planned (&self, 4, 20);
  fixture_ended (&self, 10, 1);
  fixture_ended (&self, 10, 3);
  PASS (&self, 10);
  fixture_assert_log (&self, "COMPLETED 1; COMPLETED 3; start 2");
  assert_planned (&self, 4, 20);
  fixture_clear (&self);
}

/* An early end lets the plan move forward, in queue order. */
static void
test_conservative_compresses (void)
{
  LkFixture self;
  fixture_init (&self, 4, "fifo", "conservative");
  fixture_submit (&self, 0, 1, 3, 10);
  fixture_submit (&self, 0, 2, 4, 10);
  fixture_submit (&self, 0, 3, 4, 5);
  PASS (&self, 0);
  assert_planned (&self, 2, 10);
  assert_planned (&self, 3, 20);
  fixture_ended (&self, 6, 1);
  PASS (&self, 6);
  assert_planned (&self, 3, 16);
  fixture_assert_log (&self,
                      "accept 1; accept 2; accept 3; start 1; wake 10; COMPLETED 1; start 2");
  fixture_clear (&self);
}

/* Nobody passes the head without backfilling. */
static void
test_none (void)
{
  LkFixture self;
  fixture_init (&self, 4, "fifo", "none");
  fixture_submit (&self, 0, 1, 3, 10);
  fixture_submit (&self, 0, 2, 2, 10);
  fixture_submit (&self, 0, 3, 1, 1);
  PASS (&self, 0);
  fixture_assert_log (&self, "accept 1; accept 2; accept 3; start 1; wake 10");
  fixture_ended (&self, 10, 1);
  TIMER (&self, 10);
  PASS (&self, 10);
  fixture_assert_log (&self, "COMPLETED 1; start 2; start 3; wake 11");
  fixture_clear (&self);
}

/* ---------------------------------------------------------------- starting */

/* Submits of one instant keep the order of their ids; jobs start only in a pass. */
static void
test_same_instant (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (backfills); i++) {
    LkFixture self;
    fixture_init (&self, 4, "fifo", backfills[i]);
    g_assert_false (lk_engine_pass_wanted (self.engine));
    fixture_submit (&self, 7, 3, 2, 100);
    fixture_submit (&self, 7, 4, 2, 100);
    fixture_submit (&self, 7, 5, 2, 100);
    fixture_assert_log (&self, "accept 3; accept 4; accept 5");
    g_assert_true (lk_engine_pass_wanted (self.engine));
    assert_queue (&self, "3 4 5");
    PASS (&self, 7);
    fixture_assert_log (&self, "start 3; start 4; wake 107");
    assert_queue (&self, "5");
    g_assert_false (lk_engine_pass_wanted (self.engine));
    fixture_clear (&self);
  }
}

static void
test_counts (void)
{
  LkFixture self;
  LkEngineCounts counts;
  fixture_init (&self, 4, "fifo", "easy");
  lk_engine_counts (self.engine, &counts);
  g_assert_cmpint (counts.now_us, ==, G_MININT64);
  fixture_submit (&self, 5, 1, 3, 10);
  fixture_submit (&self, 5, 2, 3, 20);
  fixture_submit (&self, 5, 3, 3, 20);
  fixture_event (&self, 5, LK_EVENT_HOLD, 3);
  PASS (&self, 6);
  lk_engine_counts (self.engine, &counts);
  g_assert_cmpuint (counts.event_count, ==, 5);
  g_assert_cmpuint (counts.decision_count, ==, 7);
  g_assert_cmpint (counts.now_us, ==, 6 * G_USEC_PER_SEC);
  g_assert_cmpuint (counts.units_free, ==, 1);
  g_assert_cmpuint (counts.pending_count, ==, 2);
  g_assert_cmpuint (counts.running_count, ==, 1);
  fixture_clear (&self);
}

static void
test_job_info (void)
{
  LkFixture self;
  LkEvent submit = { .kind = LK_EVENT_SUBMIT };
  submit.submit = (LkEvent_submit){ .job_id = 9,
                                    .user_id = 2,
                                    .group_id = 3,
                                    .partition_id = 4,
                                    .procs = 5,
                                    .estimate_us = 6 * G_USEC_PER_SEC };
  fixture_init (&self, 8, "fifo", "easy");
  g_assert_cmpint (fixture_apply (&self, 1, &submit), ==, LK_STATUS_OK);
  LkJobInfo info = job_info (&self, 9);
  g_assert_cmpuint (info.id, ==, 9);
  g_assert_cmpuint (info.user_id, ==, 2);
  g_assert_cmpuint (info.group_id, ==, 3);
  g_assert_cmpuint (info.partition_id, ==, 4);
  g_assert_cmpuint (info.procs, ==, 5);
  g_assert_cmpuint (info.units, ==, 5);
  g_assert_cmpint (info.submit_us, ==, G_USEC_PER_SEC);
  g_assert_cmpint (info.estimate_us, ==, 6 * G_USEC_PER_SEC);
  g_assert_cmpint (info.start_us, ==, LK_TIME_NEVER);
  g_assert_cmpint (info.expected_end_us, ==, LK_TIME_NEVER);
  PASS (&self, 2);
  info = job_info (&self, 9);
  g_assert_cmpint (info.state, ==, LK_JOB_RUNNING);
  g_assert_cmpint (info.reason, ==, LK_REASON_NONE);
  g_assert_cmpint (info.start_us, ==, 2 * G_USEC_PER_SEC);
  g_assert_cmpint (info.expected_end_us, ==, 8 * G_USEC_PER_SEC);
  fixture_ended (&self, 5, 9);
  g_assert_false (lk_engine_job (self.engine, 9, &info));
  g_assert_false (lk_engine_job (self.engine, 0, &info));
  fixture_clear (&self);
}

static void
test_reasons (void)
{
  LkFixture self;
  fixture_init (&self, 4, "fifo", "easy");
  for (guint32 id = 1; id <= 5; id++)
    fixture_submit (&self, 0, id, 3, 10);
  PASS (&self, 0);
  LkEvent hold = { .kind = LK_EVENT_HOLD };
  hold.hold.job_id = 4;
  hold.hold.by_admin = 1;
  g_assert_cmpint (fixture_apply (&self, 0, &hold), ==, LK_STATUS_OK);
  fixture_event (&self, 0, LK_EVENT_HOLD, 5);
  assert_reason (&self, 1, "None");
  assert_reason (&self, 2, "Resources");
  assert_reason (&self, 3, "Priority");
  assert_reason (&self, 4, "JobHeldAdmin");
  assert_reason (&self, 5, "JobHeldUser");
  assert_queue (&self, "2 3 4 5");
  fixture_clear (&self);
}

/* ---------------------------------------------------------------- ending */

static void
test_run_equals_limit (void)
{
  LkFixture self;
  fixture_init (&self, 4, "fifo", "easy");
  fixture_submit (&self, 0, 1, 4, 100);
  fixture_submit (&self, 0, 2, 4, 50);
  PASS (&self, 0);
  fixture_assert_log (&self, "accept 1; accept 2; start 1; wake 100");
  /* The documented order of one instant: ends, timer, pass. */
  fixture_ended (&self, 100, 1);
  TIMER (&self, 100);
  PASS (&self, 100);
  fixture_assert_log (&self, "COMPLETED 1; start 2; wake 150");
  fixture_clear (&self);
}

static void
test_limit_kills (void)
{
  LkFixture self;
  fixture_init (&self, 4, "fifo", "easy");
  fixture_submit (&self, 0, 1, 1, 100);
  fixture_submit (&self, 0, 2, 1, 100);
  fixture_submit (&self, 0, 3, 1, 150);
  PASS (&self, 0);
  fixture_assert_log (&self, "accept 1; accept 2; accept 3; start 1; start 2; start 3; wake 100");
  TIMER (&self, 99);
  fixture_assert_log (&self, "");
  TIMER (&self, 100);
  fixture_assert_log (&self, "kill 1 1; kill 2 1; wake 150");
  TIMER (&self, 100); /* once is enough */
  fixture_assert_log (&self, "");
  g_assert_cmpint (job_info (&self, 1).state, ==, LK_JOB_COMPLETING);
  fixture_ended (&self, 101, 1);
  fixture_ended (&self, 102, 2);
  fixture_assert_log (&self, "TIMEOUT 1; TIMEOUT 2");
  TIMER (&self, 200); /* late */
  fixture_assert_log (&self, "kill 3 1");
  fixture_clear (&self);
}

static LkEvent
ended_event (guint32 id, guint8 exit_code, guint8 signal, guint8 cancelled)
{
  LkEvent event = { .kind = LK_EVENT_JOB_ENDED };
  event.job_ended.job_id = id;
  event.job_ended.exit_code = exit_code;
  event.job_ended.signal = signal;
  event.job_ended.cancelled = cancelled;
  return event;
}

static void
test_end_states (void)
{
  LkFixture self;
  LkEvent events[] = { ended_event (1, 0, 0, 0), ended_event (2, 1, 0, 0), ended_event (3, 0, 9, 0),
                       ended_event (4, 0, 0, 1), ended_event (5, 1, 9, 1) };
  fixture_init (&self, 8, "fifo", "easy");
  for (guint32 id = 1; id <= G_N_ELEMENTS (events); id++)
    fixture_submit (&self, 0, id, 1, 10);
  PASS (&self, 0);
  fixture_event (&self, 0, LK_EVENT_JOB_STARTED, 1);
  g_string_truncate (self.log, 0);
  for (guint i = 0; i < G_N_ELEMENTS (events); i++)
    g_assert_cmpint (fixture_apply (&self, 5, &events[i]), ==, LK_STATUS_OK);
  fixture_assert_log (&self, "COMPLETED 1; FAILED 2; FAILED 3; CANCELLED 4; CANCELLED 5");
  fixture_clear (&self);
}

/* ---------------------------------------------------------------- cancel, hold, update */

static void
test_cancel (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (backfills); i++) {
    LkFixture self;
    fixture_init (&self, 4, "fifo", backfills[i]);
    fixture_submit (&self, 0, 1, 4, 100);
    fixture_submit (&self, 0, 2, 4, 100);
    fixture_submit (&self, 0, 3, 4, 100);
    PASS (&self, 0);
    fixture_event (&self, 5, LK_EVENT_HOLD, 3);
    g_string_truncate (self.log, 0);
    fixture_event (&self, 10, LK_EVENT_CANCEL, 2);
    fixture_event (&self, 10, LK_EVENT_CANCEL, 3);
    fixture_assert_log (&self, "accept 2; CANCELLED 2; accept 3; CANCELLED 3");
    fixture_event (&self, 10, LK_EVENT_CANCEL, 1);
    fixture_event (&self, 11, LK_EVENT_CANCEL, 1);
    fixture_assert_log (&self, "accept 1; kill 1 2; accept 1");
    TIMER (&self, 100); /* it has been told already */
    fixture_assert_log (&self, "");
    fixture_ended (&self, 101, 1);
    fixture_assert_log (&self, "CANCELLED 1");
    PASS (&self, 101);
    fixture_assert_log (&self, "");
    fixture_clear (&self);
  }
}

static void
test_hold (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (backfills); i++) {
    LkFixture self;
    fixture_init (&self, 4, "fifo", backfills[i]);
    fixture_submit (&self, 0, 1, 4, 100);
    fixture_submit (&self, 0, 2, 4, 100);
    fixture_event (&self, 0, LK_EVENT_HOLD, 1);
    fixture_event (&self, 0, LK_EVENT_HOLD, 1);
    PASS (&self, 0);
    fixture_assert_log (&self, "accept 1; accept 2; accept 1; PENDING 1; accept 1; "
                               "start 2; wake 100");
    fixture_event (&self, 50, LK_EVENT_RELEASE, 1);
    fixture_assert_log (&self, "accept 1; PENDING 1");
    assert_reason (&self, 1, "Resources");
    fixture_ended (&self, 60, 2);
    PASS (&self, 60);
    fixture_assert_log (&self, "COMPLETED 2; start 1");
    fixture_clear (&self);
  }
}

static void
test_update (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (backfills); i++) {
    LkFixture self;
    fixture_init (&self, 4, "sjf", backfills[i]);
    fixture_submit (&self, 0, 1, 4, 100);
    fixture_submit (&self, 0, 2, 4, 50);
    fixture_submit (&self, 0, 3, 4, 70);
    assert_queue (&self, "2 3 1");
    fixture_update (&self, 1, &(LkEvent_update){ .job_id = 1, .changes = 2, .estimate_us = 1 });
    assert_queue (&self, "1 2 3");
    fixture_update (&self, 2, &(LkEvent_update){ .job_id = 1, .changes = 1, .procs = 3 });
    g_assert_cmpuint (job_info (&self, 1).procs, ==, 3);
    g_assert_cmpuint (job_info (&self, 1).units, ==, 3);
    g_assert_cmpint (job_info (&self, 1).estimate_us, ==, 1);
    fixture_event (&self, 3, LK_EVENT_HOLD, 3);
    fixture_update (
        &self, 4,
        &(LkEvent_update){ .job_id = 3, .changes = 3, .procs = 2, .estimate_us = 5000000 });
    g_assert_cmpuint (job_info (&self, 3).procs, ==, 2);
    g_assert_cmpint (job_info (&self, 3).estimate_us, ==, 5000000);
    assert_queue (&self, "1 2 3");
    fixture_assert_log (&self, "accept 1; accept 2; accept 3; accept 1; accept 1; accept 3; "
                               "PENDING 3; accept 3");
    fixture_event (&self, 5, LK_EVENT_RELEASE, 3);
    assert_queue (&self, "1 3 2");
    fixture_clear (&self);
  }
}

/* ---------------------------------------------------------------- overdue */

/* Job 1 was told to end at 10 and has not; job 2 waits for all of the machine. */
static void
overdue_scene (LkFixture *self, const char *backfill)
{
  fixture_init (self, 4, "fifo", backfill);
  fixture_submit (self, 0, 1, 3, 10);
  fixture_submit (self, 0, 2, 4, 10);
  PASS (self, 0);
  TIMER (self, 10);
  fixture_assert_log (self, "accept 1; accept 2; start 1; wake 10; kill 1 1");
  fixture_submit (self, 20, 3, 1, 5);
  fixture_submit (self, 20, 4, 1, 1);
  fixture_assert_log (self, "accept 3; accept 4");
  PASS (self, 20);
}

static void
overdue_ends (LkFixture *self, const char *wanted)
{
  fixture_ended (self, 22, 1);
  PASS (self, 22);
  fixture_assert_log (self, wanted);
  fixture_clear (self);
}

/* EASY: an overdue job counts as ending now, so nothing may pass the head. */
static void
test_overdue_easy (void)
{
  LkFixture self;
  overdue_scene (&self, "easy");
  fixture_assert_log (&self, "");
  overdue_ends (&self, "TIMEOUT 1; start 2; wake 32");
}

/* All that is overdue counts, so that more is left over than the first of them frees. */
static void
test_overdue_extra (void)
{
  LkFixture self;
  fixture_init (&self, 6, "fifo", "easy");
  fixture_submit (&self, 0, 1, 2, 10);
  fixture_submit (&self, 0, 2, 3, 12);
  fixture_submit (&self, 0, 3, 3, 10);
  PASS (&self, 0);
  TIMER (&self, 15);
  fixture_assert_log (&self, "accept 1; accept 2; accept 3; start 1; start 2; wake 10; "
                             "kill 1 1; kill 2 1");
  fixture_submit (&self, 20, 4, 1, 500);
  PASS (&self, 20);
  fixture_assert_log (&self, "accept 4; start 4 backfilled; wake 520");
  fixture_clear (&self);
}

/* Who plans ahead gives it one second more, into which job 4 fits. */
static void
test_overdue_planned (void)
{
  LkFixture self;
  overdue_scene (&self, "conservative");
  fixture_assert_log (&self, "start 4 backfilled; wake 21");
  assert_planned (&self, 2, 21);
  assert_planned (&self, 3, 31);
  fixture_ended (&self, 21, 4);
  TIMER (&self, 21);
  g_assert_true (lk_engine_pass_wanted (self.engine));
  PASS (&self, 21);
  fixture_assert_log (&self, "COMPLETED 4; wake 22");
  assert_planned (&self, 2, 22);
  overdue_ends (&self, "TIMEOUT 1; start 2");
}

static void
test_overdue_replan (void)
{
  LkFixture self;
  overdue_scene (&self, "replan");
  fixture_assert_log (&self, "start 4 backfilled; wake 21");
  fixture_ended (&self, 21, 4);
  overdue_ends (&self, "COMPLETED 4; TIMEOUT 1; start 2");
}

/* ---------------------------------------------------------------- usage */

/* User 1 runs 2 processors from 0 to 30 and 1 from 10 to 50.  Behind `until_s`, is its usage just
 * `usage`?  Then its job 7 goes before job 5 of user 2. */
static gboolean
usage_is (gint64 until_s, const char *usage)
{
  LkFixture self;
  g_autofree char *order = g_strdup_printf ("expr:user == 1 ? user_usage == %s : 0.5", usage);
  fixture_init (&self, 4, order, "none");
  fixture_submit (&self, 0, 1, 2, 100);
  fixture_submit (&self, 0, 3, 1, 100);
  PASS (&self, 0);
  if (until_s >= 10) {
    fixture_submit (&self, 10, 4, 1, 100);
    PASS (&self, 10);
  }
  if (until_s >= 30)
    fixture_ended (&self, 30, 1);
  if (until_s >= 50)
    fixture_ended (&self, 50, 4);
  fixture_submit (&self, until_s, 5, 4, 10);
  fixture_submit (&self, until_s, 7, 4, 10);
  PASS (&self, until_s);
  g_autoptr (GArray) ids = lk_engine_queue_ids (self.engine);
  guint32 first = g_array_index (ids, guint32, 0);
  fixture_clear (&self);
  return first == 7;
}

static void
test_usage (void)
{
  static const struct {
    gint64 until_s;
    const char *usage;
  } cases[] = { { 0, "0" },   { 5, "10" },  { 10, "20" },  { 20, "50" },
                { 30, "80" }, { 40, "90" }, { 50, "100" }, { 70, "100" } };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_assert_true (usage_is (cases[i].until_s, cases[i].usage));
    g_assert_false (usage_is (cases[i].until_s, "100.001"));
  }
}

/* The largest ids that a user can have. */
static void
test_last_users (void)
{
  LkFixture self;
  fixture_init (&self, 4, "fifo", "easy");
  for (guint32 i = 0; i < 3; i++) {
    LkEvent event = { .kind = LK_EVENT_SUBMIT };
    event.submit.job_id = i + 1;
    event.submit.procs = 1;
    event.submit.estimate_us = G_USEC_PER_SEC;
    event.submit.user_id = G_MAXUINT32 - i;
    g_assert_cmpint (fixture_apply (&self, 0, &event), ==, LK_STATUS_OK);
  }
  PASS (&self, 0);
  fixture_assert_log (&self, "accept 1; accept 2; accept 3; start 1; start 2; start 3; wake 1");
  fixture_clear (&self);
}

/* ---------------------------------------------------------------- decided, configuration */

static void
test_decided (void)
{
  LkFixture self;
  fixture_init (&self, 4, "fifo", "easy");
  g_assert_cmpuint (lk_engine_decided (self.engine).count, ==, 0);
  fixture_submit (&self, 0, 1, 4, 10);
  PASS (&self, 0);
  LkDecided decided = lk_engine_decided (self.engine);
  LkDecision decision;
  g_assert_cmpuint (decided.count, ==, 2);
  gsize used_bytes = lk_decision_decode (decided.bytes, decided.length_bytes, &decision);
  g_assert_cmpint (decision.kind, ==, LK_DECISION_START);
  g_assert_cmpuint (decision.start.job_id, ==, 1);
  g_assert_cmpuint (decision.start.units, ==, 4);
  used_bytes +=
      lk_decision_decode (decided.bytes + used_bytes, decided.length_bytes - used_bytes, &decision);
  g_assert_cmpint (decision.kind, ==, LK_DECISION_WAKE);
  g_assert_cmpuint (used_bytes, ==, decided.length_bytes);
  PASS (&self, 1);
  g_assert_cmpuint (lk_engine_decided (self.engine).count, ==, 0);
  fixture_clear (&self);
}

/* Different decisions, and the same decisions at another time, give another digest. */
static void
test_digest (void)
{
  LkDigestValue values[3];
  for (guint i = 0; i < 3; i++) {
    LkFixture self;
    fixture_init (&self, 4, "fifo", "easy");
    fixture_submit (&self, i == 1 ? 1 : 0, i == 2 ? 2 : 1, 4, 10);
    values[i] = lk_engine_digest (self.engine);
    fixture_clear (&self);
  }
  g_assert_false (lk_digest_value_equal (values[0], values[1]));
  g_assert_false (lk_digest_value_equal (values[0], values[2]));
}

#define OPTIONS(units, origin, order_, backfill_)                                                  \
  {                                                                                                \
    .units_total = units, .origin_us = origin, .order = order_, .backfill = backfill_,             \
    .select = "pool"                                                                               \
  }

static void
test_config_digest (void)
{
  static const LkSetupOptions options[] = {
    OPTIONS (4, LK_TIME_NEVER, "fifo", "easy"),
    OPTIONS (5, LK_TIME_NEVER, "fifo", "easy"),
    OPTIONS (4, 0, "fifo", "easy"),
    OPTIONS (4, LK_TIME_NEVER, "sjf", "easy"),
    OPTIONS (4, LK_TIME_NEVER, "fifo", "none"),
    OPTIONS (4, LK_TIME_NEVER, "fifo", "easy:reservations=2"),
    OPTIONS (4, LK_TIME_NEVER, "fifo", "easy:order=sjf"),
    OPTIONS (4, LK_TIME_NEVER, "expr:wait", "easy"),
    OPTIONS (4, LK_TIME_NEVER, "expr:wait+0", "easy"),
    { .units_total = 4,
      .origin_us = LK_TIME_NEVER,
      .order = "fifo",
      .backfill = "easy",
      .select = "pool",
      .tells_standing = TRUE },
    { .units_total = 4,
      .origin_us = LK_TIME_NEVER,
      .order = "fifo",
      .backfill = "easy",
      .select = "pool",
      .requeues_ended = TRUE },
  };
  g_autoptr (LkRegistry) registry = lk_registry_new ();
  LkDigestValue values[G_N_ELEMENTS (options)];
  for (guint i = 0; i < G_N_ELEMENTS (options); i++) {
    g_autoptr (GError) error = NULL;
    g_autoptr (LkSetup) setup = lk_setup_new (registry, &options[i], &error);
    g_assert_no_error (error);
    values[i] = lk_engine_config_digest (lk_setup_config (setup));
    g_assert_true (
        lk_digest_value_equal (values[i], lk_engine_config_digest (lk_setup_config (setup))));
    for (guint j = 0; j < i; j++)
      g_assert_false (lk_digest_value_equal (values[i], values[j]));
  }
}

static void *
refuse (const LkParamValues *values, LkPolicyError *error)
{
  (void)values;
  g_strlcpy (error->text, "it refuses", sizeof error->text);
  return NULL;
}

static void
test_policy_refuses (void)
{
  g_autoptr (LkRegistry) registry = lk_registry_new ();
  g_autoptr (GError) error = NULL;
  LkSetupOptions options = OPTIONS (4, LK_TIME_NEVER, "fifo", "easy");
  g_autoptr (LkSetup) setup = lk_setup_new (registry, &options, &error);
  LkEngineConfig config = *lk_setup_config (setup);
  LkSelectPolicy select = *config.select;
  LkPolicyError refusal = { "" };
  LkStatus status = LK_STATUS_OK;
  select.base.create = refuse;
  config.select = &select;
  g_assert_null (lk_engine_new (&config, &refusal));
  g_assert_cmpstr (refusal.text, ==, "it refuses");
  g_autoptr (LkEngine) other = lk_engine_new (lk_setup_config (setup), &refusal);
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  lk_engine_save (other, bytes);
  g_assert_null (lk_engine_load (&config, bytes->data, bytes->len, &status));
  g_assert_cmpint (status, ==, LK_STATUS_CONFIG_OTHER);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/easy backfills as in the worked example", test_easy);
  g_test_add_func ("/engine/easy lets a long job take what is left over", test_easy_extra);
  g_test_add_func ("/engine/easy lets a job end just at the shadow time", test_easy_shadow);
  g_test_add_func ("/engine/easy tries in an order of its own", test_easy_shortest);
  g_test_add_func ("/engine/conservative plans as in the worked example", test_conservative);
  g_test_add_func ("/engine/conservative compresses after an early end",
                   test_conservative_compresses);
  g_test_add_func ("/engine/none lets nobody pass the head", test_none);
  g_test_add_func ("/engine/starts jobs of one instant by id and only in a pass",
                   test_same_instant);
  g_test_add_func ("/engine/counts", test_counts);
  g_test_add_func ("/engine/tells all about a job", test_job_info);
  g_test_add_func ("/engine/says why a job waits", test_reasons);
  g_test_add_func ("/engine/a job that runs just its limit completes", test_run_equals_limit);
  g_test_add_func ("/engine/kills at the time limit once", test_limit_kills);
  g_test_add_func ("/engine/says how a job ended", test_end_states);
  g_test_add_func ("/engine/cancels pending and running jobs", test_cancel);
  g_test_add_func ("/engine/holds and releases", test_hold);
  g_test_add_func ("/engine/updates what waits", test_update);
  g_test_add_func ("/engine/easy takes an overdue job for gone", test_overdue_easy);
  g_test_add_func ("/engine/easy takes all overdue jobs for gone", test_overdue_extra);
  g_test_add_func ("/engine/conservative gives an overdue job a second", test_overdue_planned);
  g_test_add_func ("/engine/replan gives an overdue job a second", test_overdue_replan);
  g_test_add_func ("/engine/knows the usage of a user", test_usage);
  g_test_add_func ("/engine/takes the largest user ids", test_last_users);
  g_test_add_func ("/engine/hands out what it decided", test_decided);
  g_test_add_func ("/engine/digests decisions and their time", test_digest);
  g_test_add_func ("/engine/tells configurations apart", test_config_digest);
  g_test_add_func ("/engine/is not made when a policy refuses", test_policy_refuses);
  return g_test_run ();
}
