/* tests/live/steps/controller_step_orders_test.c — what is asked of steps that run: signals, their
 * end, another time limit; and what a crash leaves of that. */
#include "tests/live/steps/job_site.h"

/* Asks, as a request of that number; the answer may wait. */
static void
ask_signal (ControlSite *site, guint64 request, guint32 step_id, guint8 signal)
{
  LkPeer user = control_user (CONTROL_USER);
  LkMessage message = { .kind = LK_MESSAGE_STEP_SIGNAL };
  message.step_signal = (LkMessage_step_signal){
    .session = 7, .request = request, .job_id = 1, .step_id = step_id, .signal = signal
  };
  control_forget_sent (site);
  control_message (site, &user, &message);
  control_settle (site);
}

static void
signal_step (ControlSite *site, guint32 step_id, guint8 signal, guint16 error)
{
  static guint64 request = 99;
  LkMessage message;
  ask_signal (site, request++, step_id, signal);
  g_assert_true (control_sent (site, JOB_SITE_PEER, LK_MESSAGE_STEP_REPLY, 0, &message));
  g_assert_cmpuint (message.step_reply.error, ==, error);
}

/* The number of the order that node 0 was sent last; its signal has to be this one. */
static guint64
order_sent (const ControlSite *site, guint8 signal)
{
  LkMessage kill;
  g_assert_cmpuint (job_site_sent (site, 0, LK_MESSAGE_STEP_KILL), ==, 1);
  g_assert_true (control_sent (site, CONTROL_AGENT_PEER (0), LK_MESSAGE_STEP_KILL, 0, &kill));
  g_assert_cmpuint (kill.step_kill.signal, ==, signal);
  return kill.step_kill.seq;
}

static void
step_hears (ControlSite *site, guint64 seq)
{
  LkMessage heard = job_site_message (site, 0, LK_MESSAGE_STEP_HEARD);
  heard.step_heard.run_id = 1;
  heard.step_heard.seq = seq;
  control_forget_sent (site);
  job_site_say (site, 0, &heard);
}

static void
test_signals (void)
{
  g_autoptr (ControlSite) site = job_site_new (&job_site_seldom, 1);
  LkMessage kill;
  job_site_ask (site, CONTROL_USER, 1, &job_site_any);
  job_site_step_starts (site, 0, 0);
  signal_step (site, 5, 10, LK_STEP_ERROR_INVALID_STEP_ID);
  signal_step (site, 0, 10, 0);
  g_assert_true (control_sent (site, CONTROL_AGENT_PEER (0), LK_MESSAGE_STEP_KILL, 0, &kill));
  g_assert_cmpuint (kill.step_kill.signal, ==, 10);
  step_hears (site, kill.step_kill.seq);
  control_wait (site, 11 * CONTROL_SECOND_US);
  g_assert_cmpuint (job_site_sent (site, 0, LK_MESSAGE_STEP_KILL), ==, 0);
  signal_step (site, G_MAXUINT32, 0, 0);
  g_assert_true (control_sent (site, CONTROL_AGENT_PEER (0), LK_MESSAGE_STEP_KILL, 0, &kill));
  g_assert_cmpuint (kill.step_kill.seq, ==, 0);
  job_site_step_ends (site, 0, &(LkStepReport){ .signal = 15 });
  signal_step (site, 0, 10, LK_STEP_ERROR_ALREADY_DONE);
  job_site_assert_notes (site, "+0 -0:CANCELLED:0:15");
}

/* SIGKILL is the end at once, with nothing before it. */
static void
test_killed (void)
{
  g_autoptr (ControlSite) site = job_site_new (&job_site_seldom, 1);
  LkMessage kill;
  job_site_ask (site, CONTROL_USER, 1, &job_site_any);
  job_site_step_starts (site, 0, 0);
  signal_step (site, 0, 9, 0);
  g_assert_true (control_sent (site, CONTROL_AGENT_PEER (0), LK_MESSAGE_STEP_KILL, 0, &kill));
  g_assert_cmpuint (kill.step_kill.seq, ==, 0);
  g_assert_cmpint (kill.step_kill.kill_wait_us, ==, 0);
  job_site_step_ends (site, 0, &(LkStepReport){ .signal = 9 });
  job_site_assert_notes (site, "+0 -0:CANCELLED:0:9");
}

/* With the last order to a node to end a step. */
static guint8
why_sent (const ControlSite *site, guint node)
{
  LkMessage kill;
  g_assert_true (control_sent (site, CONTROL_AGENT_PEER (node), LK_MESSAGE_STEP_KILL, 0, &kill));
  return kill.step_kill.why;
}

static void
test_limit (void)
{
  g_autoptr (ControlSite) site = job_site_new (&job_site_seldom, 1);
  LkMessage_step_create want = { .limit_us = 20 * CONTROL_SECOND_US };
  job_site_ask (site, CONTROL_USER, 1, &want);
  job_site_step_starts (site, 0, 0);
  control_forget_sent (site);
  control_wait_beating (site, 15 * CONTROL_SECOND_US, 7);
  g_assert_cmpuint (job_site_sent (site, 0, LK_MESSAGE_STEP_KILL), ==, 0);
  control_wait_beating (site, 6 * CONTROL_SECOND_US, 7);
  control_forget_sent (site);
  control_wait (site, 6 * CONTROL_SECOND_US);
  g_assert_cmpuint (why_sent (site, 0), ==, LK_END_TIME_LIMIT);
  job_site_step_ends (site, 0, &(LkStepReport){ .signal = 15 });
  job_site_assert_notes (site, "+0 -0:TIMEOUT:0:15");
}

/* The answer to a request for another time limit of step 0. */
static guint16
limit_as (ControlSite *site, guint32 user_id, gint64 limit_us)
{
  static guint64 request = 500;
  LkPeer user = control_user (user_id);
  LkMessage message = { .kind = LK_MESSAGE_STEP_UPDATE };
  message.step_update = (LkMessage_step_update){
    .session = 7, .request = request++, .job_id = 1, .limit_us = limit_us
  };
  control_forget_sent (site);
  control_message (site, &user, &message);
  control_settle (site);
  g_assert_true (
      control_sent (site, CONTROL_USER_PEER (user_id), LK_MESSAGE_STEP_REPLY, 0, &message));
  return message.step_reply.error;
}

/* The answer to words for step 0, or the job. */
static guint16
notify_as (ControlSite *site, guint32 user_id, guint32 step_id, const char *words)
{
  static guint64 request = 800;
  LkPeer user = control_user (user_id);
  LkMessage message = { .kind = LK_MESSAGE_JOB_NOTIFY };
  message.job_notify = (LkMessage_job_notify){
    .session = 7, .request = request++, .job_id = 1, .step_id = step_id, .words = lk_text (words)
  };
  control_forget_sent (site);
  control_message (site, &user, &message);
  control_settle (site);
  g_assert_true (
      control_sent (site, CONTROL_USER_PEER (user_id), LK_MESSAGE_STEP_REPLY, 0, &message));
  return message.step_reply.error;
}

static void
assert_notified (const ControlSite *site, guint32 step_id, const char *words)
{
  LkMessage sent;
  g_assert_true (control_sent (site, CONTROL_AGENT_PEER (0), LK_MESSAGE_RUN_NOTIFY, 0, &sent));
  g_assert_cmpuint (sent.run_notify.run_id, ==, 1);
  g_assert_cmpuint (sent.run_notify.step_id, ==, step_id);
  g_autofree char *told =
      g_strndup (sent.run_notify.words.bytes, sent.run_notify.words.length_bytes);
  g_assert_cmpstr (told, ==, words);
}

/* The node of the script, or the first one of the step, is sent what owner and staff say. */
static void
test_notified (void)
{
  g_autoptr (ControlSite) site = job_site_new (&job_site_seldom, 1);
  g_autofree char *long_words = g_strnfill (LK_NOTIFY_MAX_BYTES + 1, 'w');
  job_site_ask (site, CONTROL_USER, 1, &job_site_any);
  g_assert_cmpuint (notify_as (site, CONTROL_USER, 0, "early"), ==, LK_STEP_ERROR_DISABLED);
  job_site_step_starts (site, 0, 0);
  g_assert_cmpuint (notify_as (site, CONTROL_USER, G_MAXUINT32, "a b\n\tc \xc3\xa4"), ==, 0);
  assert_notified (site, G_MAXUINT32, "a b\n\tc \xc3\xa4");
  g_assert_cmpuint (notify_as (site, CONTROL_ADMIN, 0, "of staff"), ==, 0);
  assert_notified (site, 0, "of staff");
  g_assert_cmpuint (notify_as (site, 1002, 0, "no"), ==, LK_STEP_ERROR_ACCESS_DENIED);
  g_assert_cmpuint (notify_as (site, CONTROL_USER, 1, "no"), ==, LK_STEP_ERROR_INVALID_STEP_ID);
  g_assert_cmpuint (notify_as (site, CONTROL_ADMIN, 0, "\x1b[2J"), ==,
                    LK_STEP_ERROR_INVALID_REQUEST);
  g_assert_cmpuint (notify_as (site, CONTROL_ADMIN, 0, "\xc2\x9b"), ==,
                    LK_STEP_ERROR_INVALID_REQUEST);
  g_assert_cmpuint (notify_as (site, CONTROL_ADMIN, 0, ""), ==, LK_STEP_ERROR_INVALID_REQUEST);
  g_assert_cmpuint (notify_as (site, CONTROL_ADMIN, 0, long_words), ==,
                    LK_STEP_ERROR_INVALID_REQUEST);
  g_assert_cmpuint (job_site_sent (site, 0, LK_MESSAGE_RUN_NOTIFY), ==, 0);
  job_site_step_ends (site, 0, &(LkStepReport){ .exit_code = 0 });
  g_assert_cmpuint (notify_as (site, CONTROL_USER, 0, "late"), ==, LK_STEP_ERROR_ALREADY_DONE);
}

/* Its owner may lower it, staff may do either; it counts from the start on, and behind a crash. */
static void
limit_with (const ControlOptions *options)
{
  g_autoptr (ControlSite) site = job_site_new (options, 1);
  LkStepReport there = { .run_id = 1, .state = LK_STEP_RUNNING };
  LkMessage_step_create want = { .limit_us = 1000 * CONTROL_SECOND_US };
  job_site_ask (site, CONTROL_USER, 1, &want);
  job_site_step_starts (site, 0, 0);
  g_assert_cmpuint (limit_as (site, CONTROL_USER, 1001 * CONTROL_SECOND_US), ==,
                    LK_STEP_ERROR_ACCESS_DENIED);
  g_assert_cmpuint (limit_as (site, CONTROL_USER, 0), ==, LK_STEP_ERROR_ACCESS_DENIED);
  g_assert_cmpuint (limit_as (site, CONTROL_USER, -1), ==, LK_STEP_ERROR_INVALID_REQUEST);
  g_assert_cmpuint (limit_as (site, 1002, 5), ==, LK_STEP_ERROR_ACCESS_DENIED);
  g_assert_cmpuint (limit_as (site, CONTROL_USER, 10 * CONTROL_SECOND_US), ==, 0);
  g_assert_cmpuint (limit_as (site, CONTROL_ADMIN, 40 * CONTROL_SECOND_US), ==, 0);
  control_wait_beating (site, 20 * CONTROL_SECOND_US, 7);
  control_forget_sent (site);
  control_wait_beating (site, 6 * CONTROL_SECOND_US, 7);
  g_assert_cmpuint (job_site_sent (site, 0, LK_MESSAGE_STEP_KILL), ==, 0);
  control_crash (site, 0, 0);
  g_assert_true (control_start (site, 0));
  job_site_report (site, &there, 1);
  g_assert_cmpuint (limit_as (site, CONTROL_USER, 41 * CONTROL_SECOND_US), ==,
                    LK_STEP_ERROR_ACCESS_DENIED);
  g_assert_cmpuint (limit_as (site, CONTROL_USER, 20 * CONTROL_SECOND_US), ==, 0);
  control_wait (site, 6 * CONTROL_SECOND_US);
  job_site_step_ends (site, 0, &(LkStepReport){ .signal = 15 });
  job_site_assert_notes (site, "+0 -0:TIMEOUT:0:15");
  g_assert_cmpuint (limit_as (site, CONTROL_USER, 1), ==, LK_STEP_ERROR_ALREADY_DONE);
}

static void
test_other_limit (void)
{
  limit_with (&job_site_seldom);
  limit_with (&job_site_often);
}

/* ---------------------------------------------------------------- signals behind a crash */

/* The controller dies and comes back, and its agent tells that step 0 runs. */
static void
crash_beside_step (ControlSite *site)
{
  LkStepReport there = { .run_id = 1, .state = LK_STEP_RUNNING };
  control_crash (site, 0, 0);
  control_forget_sent (site);
  g_assert_true (control_start (site, 0));
  lk_controller_check (site->core);
  job_site_report (site, &there, 1);
}

/* What was answered is sent again, by its number, until its agent has heard it; and then never. */
static void
signal_with (const ControlOptions *options)
{
  g_autoptr (ControlSite) site = job_site_new (options, 1);
  job_site_ask (site, CONTROL_USER, 1, &job_site_one_task);
  job_site_step_starts (site, 0, 0);
  signal_step (site, 0, 10, 0);
  guint64 usr1 = order_sent (site, 10);
  signal_step (site, 0, 12, 0);
  g_assert_cmpuint (job_site_sent (site, 0, LK_MESSAGE_STEP_KILL), ==, 0); /* one after the other */
  crash_beside_step (site);
  g_assert_cmpuint (order_sent (site, 10), ==, usr1);
  step_hears (site, usr1);
  guint64 usr2 = order_sent (site, 12);
  g_assert_cmpuint (usr2, >, usr1);
  step_hears (site, usr2);
  crash_beside_step (site);
  g_assert_cmpuint (job_site_sent (site, 0, LK_MESSAGE_STEP_KILL), ==, 0);
  signal_step (site, 0, 10, 0);
  g_assert_cmpuint (order_sent (site, 10), >, usr2);
}

static void
test_signal_crash (void)
{
  signal_with (&job_site_seldom);
}

static void
test_signal_snapshot (void)
{
  signal_with (&job_site_often);
}

/* So is its end, with the time that it has to it. */
static void
end_with (const ControlOptions *options, guint8 signal, gint64 kill_wait_us)
{
  g_autoptr (ControlSite) site = job_site_new (options, 1);
  LkMessage kill;
  job_site_ask (site, CONTROL_USER, 1, &job_site_one_task);
  job_site_step_starts (site, 0, 0);
  signal_step (site, 0, 10, 0);
  signal_step (site, 0, signal, 0);
  crash_beside_step (site);
  g_assert_cmpuint (order_sent (site, 0), ==, 0);
  g_assert_true (control_sent (site, CONTROL_AGENT_PEER (0), LK_MESSAGE_STEP_KILL, 0, &kill));
  g_assert_cmpint (kill.step_kill.kill_wait_us, ==, kill_wait_us);
  g_assert_cmpuint (kill.step_kill.why, ==, 0);
  job_site_step_ends (site, 0, &(LkStepReport){ .signal = 15 });
  job_site_assert_notes (site, "+0 -0:CANCELLED:0:15");
}

static void
test_end_crash (void)
{
  end_with (&job_site_seldom, 0, 30 * CONTROL_SECOND_US);
  end_with (&job_site_often, 0, 30 * CONTROL_SECOND_US);
  end_with (&job_site_seldom, 9, 0);
  end_with (&job_site_often, 9, 0);
}

/* Neither the answer nor the signal goes out before it is durable. */
static void
test_signal_durable (void)
{
  g_autoptr (ControlSite) site = job_site_new (&job_site_seldom, 1);
  job_site_ask (site, CONTROL_USER, 1, &job_site_one_task);
  job_site_step_starts (site, 0, 0);
  static const guint8 signals[] = { 10, 0 };
  for (guint i = 0; i < G_N_ELEMENTS (signals); i++) {
    site->disk_waits = TRUE;
    ask_signal (site, 10 + i, 0, signals[i]);
    g_assert_cmpuint (job_site_sent (site, 0, LK_MESSAGE_STEP_KILL), ==, 0);
    g_assert_cmpuint (control_sent_count (site, JOB_SITE_PEER, LK_MESSAGE_STEP_REPLY), ==, 0);
    site->disk_waits = FALSE;
    control_settle (site);
    g_assert_cmpuint (job_site_sent (site, 0, LK_MESSAGE_STEP_KILL), ==, 1);
    g_assert_cmpuint (control_sent_count (site, JOB_SITE_PEER, LK_MESSAGE_STEP_REPLY), ==, 1);
  }
}

/* A request that comes again, as its answer was lost, is one signal; behind a crash, too. */
static void
test_signal_again (void)
{
  g_autoptr (ControlSite) site = job_site_new (&job_site_seldom, 1);
  job_site_ask (site, CONTROL_USER, 1, &job_site_one_task);
  job_site_step_starts (site, 0, 0);
  ask_signal (site, 10, 0, 10);
  guint64 usr1 = order_sent (site, 10);
  ask_signal (site, 10, 0, 10);
  g_assert_cmpuint (control_sent_count (site, JOB_SITE_PEER, LK_MESSAGE_STEP_REPLY), ==, 1);
  crash_beside_step (site);
  ask_signal (site, 10, 0, 10);
  g_assert_cmpuint (control_sent_count (site, JOB_SITE_PEER, LK_MESSAGE_STEP_REPLY), ==, 1);
  step_hears (site, usr1);
  g_assert_cmpuint (job_site_sent (site, 0, LK_MESSAGE_STEP_KILL), ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/steps/hear signals", test_signals);
  g_test_add_func ("/steps/are killed at once by SIGKILL", test_killed);
  g_test_add_func ("/steps/end at their time limit", test_limit);
  g_test_add_func ("/steps/have another time limit", test_other_limit);
  g_test_add_func ("/steps/are told words of owner and staff", test_notified);
  g_test_add_func ("/steps/hear a signal behind a crash, and once", test_signal_crash);
  g_test_add_func ("/steps/hear a signal behind a snapshot, and once", test_signal_snapshot);
  g_test_add_func ("/steps/end behind a crash, when that was asked for", test_end_crash);
  g_test_add_func ("/steps/hear no signal before it is durable", test_signal_durable);
  g_test_add_func ("/steps/hear a signal once that is asked for twice", test_signal_again);
  return g_test_run ();
}
