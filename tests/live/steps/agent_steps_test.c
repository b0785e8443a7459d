/* tests/live/steps/agent_steps_test.c — steps as an agent keeps them: begun once, signalled, told
 * until somebody may forget them. */
#include <string.h>

#include "tests/live/agent_play.h"

/* Run 5 lives, in epoch 1. */
static void
begin_run (AgentSite *site)
{
  site->is_instant = TRUE;
  play_one (site, "start");
  play_one (site, "registered 1");
  play_one (site, "reported 1");
  play_one (site, "launch 5");
  g_string_truncate (site->log, 0);
}

static void
expect (AgentSite *site, const char *does)
{
  g_assert_cmpstr (site->log->str, ==, does);
  g_string_truncate (site->log, 0);
  if (site->agent != NULL)
    lk_agent_check (site->agent);
}

static void
launch (AgentSite *site, guint64 run_id, guint32 step_id, guint64 epoch)
{
  LkMessage message = { .kind = LK_MESSAGE_STEP_LAUNCH };
  message.step_launch =
      (LkMessage_step_launch){ .term = 1, .epoch = epoch, .run_id = run_id, .step_id = step_id };
  site_message (site, &message);
}

static void
kill_within (AgentSite *site, guint32 step_id, guint64 seq, guint8 signal, gint64 wait_us)
{
  LkMessage message = { .kind = LK_MESSAGE_STEP_KILL };
  message.step_kill = (LkMessage_step_kill){ .term = 1,
                                             .epoch = 1,
                                             .run_id = 5,
                                             .step_id = step_id,
                                             .seq = seq,
                                             .signal = signal,
                                             .kill_wait_us = wait_us };
  site_message (site, &message);
}

static void
kill_step (AgentSite *site, guint32 step_id, guint64 seq, guint8 signal)
{
  kill_within (site, step_id, seq, signal, 30 * G_USEC_PER_SEC);
}

static void
forget (AgentSite *site, guint32 step_id)
{
  LkMessage message = { .kind = LK_MESSAGE_STEP_FORGET };
  message.step_forget = (LkMessage_step_forget){ .term = 1, .run_id = 5, .step_id = step_id };
  site_message (site, &message);
}

static void
ends (AgentSite *site, guint32 step_id, guint8 exit_code)
{
  LkStepFound how = { .run_id = 5, .step_id = step_id, .exit_code = exit_code };
  site_step_ends (site, &how);
}

static void
test_life (void)
{
  g_autoptr (AgentSite) site = site_new ();
  begin_run (site);
  launch (site, 5, 0, 1);
  expect (site, "step 5.0; step_started 5.0");
  launch (site, 5, 0, 1);
  expect (site, "step_started 5.0");
  launch (site, 5, 1, 2);
  expect (site, "");
  ends (site, 0, 3);
  expect (site, "step_ended 5.0 3:0");
  launch (site, 5, 0, 1);
  expect (site, "step_ended 5.0 3:0");
  forget (site, 0);
  expect (site, "forget 5.0");
  /* It has come late. */
  launch (site, 5, 0, 1);
  expect (site, "");
}

static void
test_told_again (void)
{
  g_autoptr (AgentSite) site = site_new ();
  begin_run (site);
  launch (site, 5, 0, 1);
  ends (site, 0, 0);
  g_string_truncate (site->log, 0);
  site_wait (site, SITE_RETRY_US);
  g_assert_nonnull (strstr (site->log->str, "step_ended 5.0 0:0"));
  forget (site, 0);
  g_string_truncate (site->log, 0);
  site_wait (site, 3 * SITE_RETRY_US);
  g_assert_null (strstr (site->log->str, "step_ended"));
}

static void
test_signals (void)
{
  g_autoptr (AgentSite) site = site_new ();
  begin_run (site);
  launch (site, 5, 0, 1);
  g_string_truncate (site->log, 0);
  kill_step (site, 0, 7, 10);
  expect (site, "kill 5.0 10; step_heard 5.0 #7");
  kill_step (site, 0, 7, 10);
  expect (site, "step_heard 5.0 #7");
  kill_step (site, 0, 0, 0);
  expect (site, "kill 5.0 18; kill 5.0 15");
  kill_step (site, 0, 0, 0);
  expect (site, "");
  site_wait (site, 31 * G_USEC_PER_SEC);
  g_assert_nonnull (strstr (site->log->str, "kill 5.0 9"));
}

/* Its tasks are told why, once, with the signal that asks them. */
static void
test_why (void)
{
  g_autoptr (AgentSite) site = site_new ();
  LkMessage message = { .kind = LK_MESSAGE_STEP_KILL };
  begin_run (site);
  launch (site, 5, 0, 1);
  g_string_truncate (site->log, 0);
  message.step_kill = (LkMessage_step_kill){ .term = 1,
                                             .epoch = 1,
                                             .run_id = 5,
                                             .kill_wait_us = 30 * G_USEC_PER_SEC,
                                             .why = LK_END_TIME_LIMIT };
  site_message (site, &message);
  expect (site, "kill 5.0 18; kill 5.0 15 why 1");
}

static void
notify (AgentSite *site, guint64 run_id, guint32 step_id)
{
  LkMessage message = { .kind = LK_MESSAGE_RUN_NOTIFY };
  message.run_notify = (LkMessage_run_notify){ 1, 1, run_id, step_id, lk_text ("mind the gap") };
  g_string_truncate (site->log, 0);
  site_message (site, &message);
}

/* What is not there, or not there any more, is told nothing. */
static void
test_notified (void)
{
  g_autoptr (AgentSite) site = site_new ();
  begin_run (site);
  launch (site, 5, 0, 1);
  notify (site, 5, 0);
  expect (site, "notify 5.0 mind the gap");
  notify (site, 5, 1);
  expect (site, "");
  notify (site, 6, 0);
  expect (site, "");
  notify (site, 5, G_MAXUINT32);
  expect (site, "notify 5.4294967295 mind the gap");
  site_step_ends (site, &(LkStepFound){ .run_id = 5 });
  notify (site, 5, 0);
  expect (site, "");
}

/* Without a time to wait it is not asked. */
static void
test_killed (void)
{
  g_autoptr (AgentSite) site = site_new ();
  begin_run (site);
  launch (site, 5, 0, 1);
  g_string_truncate (site->log, 0);
  kill_within (site, 0, 0, 0, 0);
  site_wait (site, SITE_RETRY_US / 2);
  g_assert_cmpstr (site->log->str, ==, "kill 5.0 9");
}

/* One that was to end before it was here begins no more. */
static void
test_unknown (void)
{
  g_autoptr (AgentSite) site = site_new ();
  begin_run (site);
  kill_step (site, 4, 0, 0);
  expect (site, "step_ended 5.4 0:9");
  launch (site, 5, 4, 1);
  expect (site, "");
  launch (site, 77, 0, 1);
  expect (site, "");
  site->steps_fail = TRUE;
  launch (site, 5, 6, 1);
  expect (site, "step 5.6; step_ended 5.6 0:0 trouble=2");
}

/* Steps are over before their run is. */
static void
test_run_ends (void)
{
  g_autoptr (AgentSite) site = site_new ();
  begin_run (site);
  launch (site, 5, 0, 1);
  g_string_truncate (site->log, 0);
  play_one (site, "script 5 exit=0");
  g_assert_true (g_str_has_prefix (site->log->str, "step_ended 5.0 0:9"));
  g_assert_nonnull (strstr (site->log->str, "; ended 5"));
  lk_agent_check (site->agent);
}

static void
test_restart (void)
{
  g_autoptr (AgentSite) site = site_new ();
  begin_run (site);
  launch (site, 5, 0, 1);
  launch (site, 5, 1, 1);
  play_one (site, "crash");
  ends (site, 0, 2);
  play_one (site, "start");
  g_string_truncate (site->log, 0);
  play_one (site, "registered 2");
  expect (site, "report@2 5:running 5.0:ended 5.1:running");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/agent_steps/begin once, and are forgotten when that is said", test_life);
  g_test_add_func ("/agent_steps/are told as ended until that is heard", test_told_again);
  g_test_add_func ("/agent_steps/are signalled once, and ended", test_signals);
  g_test_add_func ("/agent_steps/are told why they end", test_why);
  g_test_add_func ("/agent_steps/are told words for who watches", test_notified);
  g_test_add_func ("/agent_steps/that are not there begin no more", test_unknown);
  g_test_add_func ("/agent_steps/are killed at once where nothing is waited for", test_killed);
  g_test_add_func ("/agent_steps/end before their run", test_run_ends);
  g_test_add_func ("/agent_steps/are found by an agent that comes back", test_restart);
  return g_test_run ();
}
