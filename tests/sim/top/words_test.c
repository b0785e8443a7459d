/* tests/sim/top/words_test.c — the lines of the log. */
#include "sim/top/words.h"

static void
expect_event (const LkEvent *event, const char *expected)
{
  g_autoptr (GString) out = g_string_new (NULL);
  lk_top_event_words (event, NULL, out);
  g_assert_cmpstr (out->str, ==, expected);
}

static void
expect_decision (const LkEvent *event, const LkDecision *decision, const char *expected)
{
  g_autoptr (GString) out = g_string_new (NULL);
  lk_top_decision_words (event, decision, NULL, out);
  g_assert_cmpstr (out->str, ==, expected);
}

static void
test_events (void)
{
  LkEvent event = { .kind = LK_EVENT_JOB_ENDED };
  event.job_ended = (LkEvent_job_ended){ .job_id = 7 };
  expect_event (&event, "job 7 has ended");
  event.job_ended.exit_code = 3;
  expect_event (&event, "job 7 has ended: exit code 3");
  event.job_ended.signal = 9;
  expect_event (&event, "job 7 has ended: signal 9");
  event.job_ended.cancelled = 1;
  expect_event (&event, "job 7 has ended: cancelled");
  event = (LkEvent){ .kind = LK_EVENT_NODE_DOWN };
  event.node_down.node = lk_text ("n1");
  event.node_down.reason = lk_text ("disk");
  expect_event (&event, "node n1 is down: disk");
  event = (LkEvent){ .kind = LK_EVENT_HOLD };
  event.hold.job_id = 4;
  expect_event (&event, "hold of job 4");
  event = (LkEvent){ .kind = LK_EVENT_PASS };
  expect_event (&event, "");
}

static void
test_decisions (void)
{
  LkEvent submit = { .kind = LK_EVENT_SUBMIT };
  submit.submit.user = lk_text ("ada");
  submit.submit.procs = 2;
  LkDecision decision = { .kind = LK_DECISION_ACCEPT };
  decision.accept.job_id = 5;
  expect_decision (&submit, &decision, "job 5 is submitted by ada, 2 processors");
  decision = (LkDecision){ .kind = LK_DECISION_START };
  decision.start = (LkDecision_start){ .job_id = 5, .units = 2, .backfilled = 1 };
  expect_decision (&submit, &decision, "job 5 starts on 2 processors, backfilled");
  decision.start.nodes = (LkLongText){ "n[1-2]", 6 };
  decision.start.backfilled = 0;
  expect_decision (&submit, &decision, "job 5 starts on n[1-2]");
  decision = (LkDecision){ .kind = LK_DECISION_NOTICE };
  decision.notice = (LkDecision_notice){ .job_id = 5, .state = LK_JOB_PENDING };
  expect_decision (&submit, &decision, "");
  decision.notice.state = LK_JOB_COMPLETED;
  expect_decision (&submit, &decision, "job 5 is COMPLETED");
  decision = (LkDecision){ .kind = LK_DECISION_PREEMPT };
  decision.preempt = (LkDecision_preempt){ .job_id = 5, .for_job_id = 6 };
  expect_decision (&submit, &decision, "job 5 gives way to job 6");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/words/events that people want to know of", test_events);
  g_test_add_func ("/words/decisions", test_decisions);
  return g_test_run ();
}
