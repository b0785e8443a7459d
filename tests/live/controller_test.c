/* tests/live/controller_test.c — what a controller promises: replies, requests, the order of an
 * instant, fences, nodes, terms and clocks.  What it finds again behind a crash is in
 * controller_recovery_test.c. */
#include "engine/engine.h"
#include "tests/live/controller_site.h"

#define ALL 7u

static ControlSite *
site_new (void)
{
  static const ControlOptions options = { .snapshot_events = 1000, .session_count_max = 100 };
  return control_site_new (&options);
}

static ControlSite *
site_started (void)
{
  ControlSite *site = site_new ();
  control_start_all (site);
  return site;
}

static guint
user_replies (const ControlSite *site)
{
  return control_sent_count (site, CONTROL_USER_PEER (CONTROL_USER), LK_MESSAGE_REPLY);
}

static LkMessage_reply
user_reply (const ControlSite *site, guint number)
{
  LkMessage message;
  gboolean is_there =
      control_sent (site, CONTROL_USER_PEER (CONTROL_USER), LK_MESSAGE_REPLY, number, &message);
  g_assert_true (is_there);
  return message.reply;
}

/* Runs whose launch has been sent to a node, lowest number first by the order of sending. */
static guint64
launched (const ControlSite *site, guint node, guint number)
{
  LkMessage message;
  if (!control_sent (site, CONTROL_AGENT_PEER (node), LK_MESSAGE_LAUNCH, number, &message))
    return 0;
  return message.launch.run_id;
}

static guint
launches (const ControlSite *site)
{
  guint count = 0;
  for (guint node = 0; node < CONTROL_NODES; node++)
    count += control_sent_count (site, CONTROL_AGENT_PEER (node), LK_MESSAGE_LAUNCH);
  return count;
}

static void
run_started (ControlSite *site, guint node, guint64 run_id)
{
  LkPeer peer = control_agent (node);
  LkMessage message = { .kind = LK_MESSAGE_RUN_STARTED };
  message.run_started.node = lk_text (peer.name);
  message.run_started.epoch = control_epoch (site, node);
  message.run_started.run_id = run_id;
  control_message (site, &peer, &message);
  control_settle (site);
}

static void
run_ended (ControlSite *site, guint node, guint64 run_id)
{
  LkRunReport how = { .run_id = run_id, .job_id = 1 };
  control_run_ended (site, node, &how, "");
}

static LkJobState
job_state (const ControlSite *site, guint32 job_id)
{
  LkJobInfo info;
  return lk_engine_job (lk_controller_engine (site->core), job_id, &info) ? info.state
                                                                          : LK_JOB_COMPLETED;
}

static guint32
node_flags (const ControlSite *site, guint node)
{
  return lk_engine_nodes (lk_controller_engine (site->core))->flags[node];
}

static const char *
node_reason (const ControlSite *site, guint node)
{
  return lk_engine_nodes (lk_controller_engine (site->core))->reasons[node];
}

static void
assert_events (const ControlSite *site, guint64 seq, const char *expected)
{
  g_autofree char *events = control_events (site, seq);
  g_assert_cmpstr (events, ==, expected);
}

/* ---------------------------------------------------------------- durability */

static void
test_reply_waits (void)
{
  g_autoptr (ControlSite) site = site_started ();
  site->disk_waits = TRUE;
  control_submit (site, 1, 1, 0);
  g_assert_cmpuint (user_replies (site), ==, 0);
  control_disk_done (site, TRUE);
  g_assert_cmpuint (user_replies (site), ==, 1);
  g_assert_cmpuint (user_reply (site, 0).job_id, ==, 1);
  /* The pass was in no append yet. */
  g_assert_cmpuint (launches (site), ==, 0);
  control_disk_done (site, TRUE);
  g_assert_cmpuint (launches (site), ==, 1);
}

static void
test_query_waits (void)
{
  g_autoptr (ControlSite) site = site_started ();
  LkPeer ann = control_user (CONTROL_USER);
  LkMessage message = { .kind = LK_MESSAGE_JOB_QUERY };
  message.job_query.job_id = 1;
  site->disk_waits = TRUE;
  control_submit (site, 1, 1, 0);
  control_message (site, &ann, &message);
  g_assert_cmpuint (control_sent_count (site, ann.id, LK_MESSAGE_JOB_INFO), ==, 0);
  control_disk_done (site, TRUE);
  control_disk_done (site, TRUE);
  g_assert_true (control_sent (site, ann.id, LK_MESSAGE_JOB_INFO, 0, &message));
  g_assert_cmpuint (message.job_info.state, ==, LK_JOB_RUNNING);
}

static void
test_disk_fails (void)
{
  g_autoptr (ControlSite) site = site_started ();
  site->disk_waits = TRUE;
  control_submit (site, 1, 1, 0);
  control_forget_sent (site);
  control_disk_done (site, FALSE);
  g_assert_cmpint (lk_controller_failure (site->core), ==, LK_CONTROLLER_DISK_FAILED);
  control_submit (site, 2, 1, 0);
  control_register (site, 0, 2, NULL, 0);
  lk_controller_woken (site->core);
  g_assert_false (lk_controller_settle (site->core));
  g_assert_cmpuint (site->sent->len, ==, 0);
  g_assert_cmpuint (site->writes->len, ==, 0);
}

/* ---------------------------------------------------------------- requests */

static void
hold (ControlSite *site, guint64 request)
{
  LkEvent event = { .kind = LK_EVENT_HOLD };
  event.hold.job_id = 1;
  control_ask (site, CONTROL_USER, 1, request, &event);
  control_settle (site);
}

static void
test_repeated (void)
{
  g_autoptr (ControlSite) site = site_started ();
  LkControllerCounts counts;
  control_submit (site, 1, 1, LK_REQUEST_HOLD);
  LkMessage_reply first = user_reply (site, 0);
  control_submit (site, 1, 1, LK_REQUEST_HOLD);
  LkMessage_reply again = user_reply (site, 1);
  g_assert_cmpuint (first.job_id, ==, 1);
  g_assert_cmpuint (again.job_id, ==, 1);
  g_assert_cmpuint (again.seq, ==, first.seq);
  assert_events (site, 1, "submit");
  /* One that is below the last is dropped, one that is above it carried out. */
  hold (site, 3);
  g_assert_cmpuint (user_replies (site), ==, 3);
  hold (site, 2);
  g_assert_cmpuint (user_replies (site), ==, 3);
  lk_controller_counts (site->core, &counts);
  g_assert_cmpuint (counts.repeated_count, ==, 2);
}

static void
test_sessions_are_bounded (void)
{
  static const ControlOptions options = { .snapshot_events = 1000, .session_count_max = 2 };
  g_autoptr (ControlSite) site = control_site_new (&options);
  LkControllerCounts counts;
  control_start_all (site);
  for (guint64 session = 1; session <= 3; session++)
    control_submit (site, session, 1, LK_REQUEST_HOLD);
  lk_controller_counts (site->core, &counts);
  g_assert_cmpuint (counts.session_count, ==, 2);
  /* The first is forgotten; the others are not. */
  control_submit (site, 3, 1, LK_REQUEST_HOLD);
  g_assert_cmpuint (user_reply (site, 3).job_id, ==, 3);
  control_submit (site, 1, 1, LK_REQUEST_HOLD);
  g_assert_cmpuint (user_reply (site, 4).job_id, ==, 4);
}

/* The job is gone, and with it what says whose it was: the reply stays the same. */
static void
test_repeated_of_gone (void)
{
  g_autoptr (ControlSite) site = site_started ();
  LkEvent cancel = { .kind = LK_EVENT_CANCEL };
  LkPeer ann = control_user (CONTROL_USER);
  LkMessage message = { .kind = LK_MESSAGE_HOLD };
  cancel.cancel.job_id = 1;
  control_submit (site, 1, 1, LK_REQUEST_HOLD);
  control_ask (site, CONTROL_USER, 1, 2, &cancel);
  control_settle (site);
  LkMessage_reply first = user_reply (site, 1);
  g_assert_cmpuint (first.error, ==, 0);
  for (guint i = 0; i < 2; i++) {
    control_ask (site, CONTROL_USER, 1, 2, &cancel);
    control_settle (site);
    LkMessage_reply again = user_reply (site, 2);
    g_assert_cmpuint (again.error, ==, 0);
    g_assert_cmpuint (again.seq, ==, first.seq);
    control_crash (site, 0, 0);
    control_forget_sent (site);
    control_start_all (site);
    control_submit (site, 2, 1, LK_REQUEST_HOLD);
    control_submit (site, 3, 1, LK_REQUEST_HOLD);
  }
  /* Another request about it is one of a stranger. */
  message.hold.session = 1;
  message.hold.request = 3;
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  cancel.kind = LK_EVENT_HOLD;
  lk_event_encode (&cancel, bytes);
  message.hold.event = (LkBytes){ bytes->data, bytes->len };
  control_forget_sent (site);
  control_message (site, &ann, &message);
  g_assert_cmpuint (user_reply (site, 0).error, ==, LK_REJECT_PERMISSION);
}

/* ---------------------------------------------------------------- the order of an instant */

static void
say_over (ControlSite *site, guint node, guint64 run_id, guint32 job_id)
{
  LkPeer peer = control_agent (node);
  LkMessage message = { .kind = LK_MESSAGE_RUN_ENDED };
  message.run_ended.node = lk_text (peer.name);
  message.run_ended.epoch = control_epoch (site, node);
  message.run_ended.run_id = run_id;
  message.run_ended.job_id = job_id;
  message.run_ended.state = LK_RUN_ENDED;
  control_message (site, &peer, &message);
}

/* As the agent does of a run that it does not know. */
static void
say_gone (ControlSite *site, guint node, guint64 run_id)
{
  say_over (site, node, run_id, /* job_id= */ 0);
}

static void
test_order (void)
{
  g_autoptr (ControlSite) site = site_started ();
  LkEvent submit = { .kind = LK_EVENT_SUBMIT };
  LkEvent drain = { .kind = LK_EVENT_NODE_DRAIN };
  LkEvent release = { .kind = LK_EVENT_HOLD };
  submit.submit.user_id = CONTROL_USER;
  submit.submit.procs = 1;
  submit.submit.estimate_us = 60 * CONTROL_SECOND_US;
  drain.node_drain.node = lk_text ("n3");
  drain.node_drain.reason = lk_text ("maintenance");
  release.hold.job_id = 4;
  control_submit (site, 1, 2, 0);
  control_submit (site, 2, 2, 0);
  control_ask (site, CONTROL_USER, 3, 1, &submit);
  control_settle (site);
  control_submit (site, 4, 6, LK_REQUEST_HOLD);
  guint64 seq = lk_controller_durable_seq (site->core) + 1;
  /* The third job reaches its limit: a timer. */
  site->monotonic_us += 60 * CONTROL_SECOND_US;
  site->realtime_us += 60 * CONTROL_SECOND_US;
  control_ask (site, CONTROL_USER, 5, 1, &release);
  control_ask (site, CONTROL_USER, 6, 1, &submit);
  control_ask (site, CONTROL_ADMIN, 7, 1, &drain);
  say_over (site, 1, 2, 2);
  say_over (site, 0, 1, 1);
  control_settle (site);
  assert_events (site, seq, "job_ended job_ended node_drain submit hold timer pass");
  const GByteArray *journal = control_file (site, LK_CONTROLLER_JOURNAL);
  LkJournalHeader header;
  LkEvent event;
  const char *fault;
  g_autoptr (LkJournalReader) reader =
      lk_journal_reader_new (journal->data, journal->len, &header, &fault);
  while (lk_journal_reader_next (reader, &event) == LK_JOURNAL_EVENT && event.seq < seq)
    ;
  g_assert_cmpuint (event.job_ended.job_id, ==, 1);
}

/* ---------------------------------------------------------------- fences */

/* A TERMINATE of the controller before comes late: the agent knows of no such run, and begins none
 * of this number in this epoch.  In the next one it does. */
static void
test_late_terminate (void)
{
  g_autoptr (ControlSite) site = site_started ();
  control_submit (site, 1, 1, 0);
  guint64 run_id = launched (site, 0, 0);
  guint64 epoch = control_epoch (site, 0);
  g_assert_cmpuint (run_id, ==, 1);
  control_forget_sent (site);
  say_gone (site, 0, run_id);
  control_settle (site);
  g_assert_cmpuint (control_epoch (site, 0), >, epoch);
  g_assert_cmpint (job_state (site, 1), ==, LK_JOB_RUNNING);
  control_register (site, 0, 1, NULL, 0);
  g_assert_cmpuint (launched (site, 0, 0), ==, run_id);
  /* Where its end is wanted, that is the end; but of no script that has ended well. */
  control_order (site, 2, LK_EVENT_CANCEL, 1);
  say_gone (site, 0, run_id);
  control_settle (site);
  g_assert_cmpint (job_state (site, 1), ==, LK_JOB_COMPLETED); /* there is none */
}

/* A job that goes back to the queue, and starts again. */
static void
test_fence_of_job (void)
{
  g_autoptr (ControlSite) site = site_started ();
  control_submit (site, 1, 2, 0);
  g_assert_cmpuint (launched (site, 0, 0), ==, 1);
  run_started (site, 0, 1);
  control_order (site, 2, LK_EVENT_REQUEUE, 1);
  g_assert_cmpuint (control_sent_count (site, CONTROL_AGENT_PEER (0), LK_MESSAGE_TERMINATE), ==, 1);
  /* Its node is drained, so that it starts on another. */
  control_order_node (site, 3, LK_EVENT_NODE_DRAIN, 0, "maintenance");
  control_wait_beating (site, 300 * CONTROL_SECOND_US, ALL);
  g_assert_cmpint (job_state (site, 1), ==, LK_JOB_RUNNING);
  control_forget_sent (site);
  control_wait_beating (site, 10 * CONTROL_SECOND_US, ALL);
  g_assert_cmpuint (launches (site), ==, 0);
  run_ended (site, 0, 1);
  g_assert_cmpuint (launched (site, 1, 0), ==, 2);
}

/* Another job gets the nodes of one that was requeued. */
static void
test_fence_of_node (void)
{
  g_autoptr (ControlSite) site = site_started ();
  control_submit (site, 1, 6, 0);
  control_submit (site, 2, 6, 0);
  for (guint node = 0; node < CONTROL_NODES; node++)
    run_started (site, node, 1);
  control_forget_sent (site);
  control_order (site, 3, LK_EVENT_REQUEUE, 1);
  g_assert_cmpint (job_state (site, 2), ==, LK_JOB_RUNNING);
  g_assert_cmpuint (launches (site), ==, 0);
  run_ended (site, 1, 1);
  g_assert_cmpuint (launches (site), ==, 1);
  g_assert_cmpuint (launched (site, 1, 0), ==, 2);
}

static void
test_fence_of_stray (void)
{
  g_autoptr (ControlSite) site = site_new ();
  LkRunReport stray = { .run_id = 77, .job_id = 9, .state = LK_RUN_RUNNING };
  control_start (site, 0);
  control_register (site, 0, 1, &stray, 1);
  control_register (site, 1, 1, NULL, 0);
  control_register (site, 2, 1, NULL, 0);
  control_submit (site, 1, 6, 0);
  g_assert_cmpuint (launches (site), ==, 2);
  g_assert_cmpuint (launched (site, 0, 0), ==, 0);
  control_wait (site, 6 * CONTROL_SECOND_US);
  g_assert_cmpuint (control_sent_count (site, CONTROL_AGENT_PEER (0), LK_MESSAGE_TERMINATE), ==, 1);
  control_forget_sent (site);
  run_ended (site, 0, 77);
  g_assert_cmpuint (control_sent_count (site, CONTROL_AGENT_PEER (0), LK_MESSAGE_RUN_FORGET), ==,
                    1);
  g_assert_cmpuint (launched (site, 0, 0), ==, 1);
}

/* A job whose node is silent goes to another, but only when somebody says that it is dead. */
static void
test_fence_of_silent_node (void)
{
  g_autoptr (ControlSite) site = site_started ();
  control_submit (site, 1, 1, 0);
  run_started (site, 0, 1);
  control_wait_beating (site, 400 * CONTROL_SECOND_US, ALL & ~1u);
  g_assert_cmpuint (node_flags (site, 0) & LK_NODE_DOWN, !=, 0);
  g_assert_cmpint (job_state (site, 1), ==, LK_JOB_RUNNING);
  control_forget_sent (site);
  control_wait_beating (site, 10 * CONTROL_SECOND_US, ALL & ~1u);
  g_assert_cmpuint (launches (site), ==, 0);
  control_order_node (site, 2, LK_EVENT_NODE_DOWN, 0, "it burns");
  g_assert_cmpuint (launched (site, 1, 0), ==, 2);
}

/* What was said to be dead is there after all: the node takes runs again when it has ended. */
static void
test_fence_of_revenant (void)
{
  g_autoptr (ControlSite) site = site_started ();
  LkRunReport alive = { .run_id = 1, .job_id = 1, .state = LK_RUN_RUNNING };
  control_submit (site, 1, 4, 0);
  run_started (site, 0, 1);
  run_started (site, 1, 1);
  control_wait_beating (site, 60 * CONTROL_SECOND_US, 4);
  control_order_node (site, 2, LK_EVENT_NODE_DOWN, 0, "it burns");
  control_register (site, 0, 1, &alive, 1);
  control_order_node (site, 3, LK_EVENT_NODE_UP, 0, "");
  control_order_node (site, 4, LK_EVENT_NODE_DRAIN, 2, "maintenance");
  control_submit (site, 5, 2, 0);
  g_assert_cmpuint (launches (site), ==, 0);
  run_ended (site, 0, 1);
  g_assert_cmpuint (launched (site, 0, 0), ==, 2);
}

/* What a stray leaves on its node is heeded, and its agent may forget it when that is durable. */
static void
test_stray_drains (void)
{
  g_autoptr (ControlSite) site = site_new ();
  LkRunReport stray = { .run_id = 77, .job_id = 9, .state = LK_RUN_EPILOG };
  control_start (site, 0);
  for (guint node = 0; node < CONTROL_NODES; node++)
    control_register (site, node, 1, &stray, node == 0 ? 1 : 0);
  control_forget_sent (site);
  site->disk_waits = TRUE;
  for (guint i = 0; i < 2; i++) {
    control_run_ended (site, 0, &stray, "Supervisor lost");
    g_assert_cmpuint (control_sent_count (site, CONTROL_AGENT_PEER (0), LK_MESSAGE_RUN_FORGET), ==,
                      0);
  }
  g_assert_cmpuint (node_flags (site, 0) & LK_NODE_DRAIN, !=, 0);
  g_assert_cmpstr (node_reason (site, 0), ==, "Supervisor lost");
  control_disk_done (site, TRUE);
  guint64 seq = lk_controller_durable_seq (site->core);
  control_run_ended (site, 0, &stray, "Supervisor lost");
  g_assert_cmpuint (control_sent_count (site, CONTROL_AGENT_PEER (0), LK_MESSAGE_RUN_FORGET), ==,
                    1);
  g_assert_cmpuint (lk_controller_durable_seq (site->core), ==, seq); /* it is told of once */
}

/* An agent between two epochs is there: it was heard, and has not reported yet. So is any that has
 * had no time to be heard. */
static void
test_fence_between_epochs (void)
{
  LkRunReport alive = { .run_id = 1, .job_id = 1, .state = LK_RUN_RUNNING };
  for (guint restarts = 0; restarts < 2; restarts++) {
    g_autoptr (ControlSite) site = site_started ();
    LkPeer agent = control_agent (0);
    LkMessage message = { .kind = LK_MESSAGE_REGISTER };
    control_submit (site, 1, 1, 0);
    run_started (site, 0, 1);
    if (restarts > 0) {
      control_crash (site, 0, 0);
      g_assert_true (control_start (site, 0));
      control_register (site, 1, 1, NULL, 0);
      control_register (site, 2, 1, NULL, 0);
    } else {
      message.register_node.node = lk_text (agent.name);
      message.register_node.agent_id = 2;
      control_message (site, &agent, &message);
    }
    control_forget_sent (site);
    control_order_node (site, 2, LK_EVENT_NODE_DOWN, 0, "it burns");
    g_assert_cmpint (job_state (site, 1), ==, LK_JOB_PENDING);
    g_assert_cmpuint (launches (site), ==, 0);
    control_register (site, 0, 1, &alive, 1);
    control_wait_beating (site, 400 * CONTROL_SECOND_US, ALL);
    g_assert_cmpuint (launches (site), ==, 0);
    run_ended (site, 0, 1);
    g_assert_cmpuint (launches (site), ==, 1);
  }
}

/* What was said of it holds when it has been silent for long enough. */
static void
test_fence_of_dead_node (void)
{
  g_autoptr (ControlSite) site = site_started ();
  LkPeer agent = control_agent (0);
  LkMessage message = { .kind = LK_MESSAGE_REGISTER };
  control_submit (site, 1, 1, 0);
  run_started (site, 0, 1);
  message.register_node.node = lk_text (agent.name);
  message.register_node.agent_id = 2;
  control_message (site, &agent, &message);
  control_order_node (site, 2, LK_EVENT_NODE_DOWN, 0, "it burns");
  LkControllerCounts counts;
  control_wait_beating (site, 25 * CONTROL_SECOND_US, ALL & ~1u);
  lk_controller_counts (site->core, &counts);
  g_assert_cmpuint (counts.run_count, ==, 1);
  control_wait_beating (site, 20 * CONTROL_SECOND_US, ALL & ~1u);
  lk_controller_counts (site->core, &counts);
  g_assert_cmpuint (counts.run_count, ==, 0);
}

/* ---------------------------------------------------------------- nodes */

static void
test_silence (void)
{
  g_autoptr (ControlSite) site = site_started ();
  control_wait_beating (site, 30 * CONTROL_SECOND_US - 1, ALL & ~1u);
  g_assert_cmpuint (node_flags (site, 0) & LK_NODE_DOWN, ==, 0);
  control_wait_beating (site, 15 * CONTROL_SECOND_US, ALL & ~1u);
  g_assert_cmpuint (node_flags (site, 0) & LK_NODE_DOWN, !=, 0);
  g_assert_cmpstr (node_reason (site, 0), ==, "Not responding");
  g_assert_cmpuint (node_flags (site, 1) & LK_NODE_DOWN, ==, 0);
  control_register (site, 0, 1, NULL, 0);
  g_assert_cmpuint (node_flags (site, 0) & LK_NODE_DOWN, ==, 0);
}

/* It registers again and again, and never reports. */
static void
test_never_ready (void)
{
  g_autoptr (ControlSite) site = site_started ();
  LkPeer agent = control_agent (0);
  for (guint second = 0; second < 45; second += 5) {
    LkMessage message = { .kind = LK_MESSAGE_REGISTER };
    message.register_node.node = lk_text (agent.name);
    message.register_node.agent_id = 2 + second / 20; /* another one now and then */
    g_assert_cmpuint (node_flags (site, 0) & LK_NODE_DOWN, ==, 0);
    control_message (site, &agent, &message);
    control_wait_beating (site, 5 * CONTROL_SECOND_US, ALL & ~1u);
    if ((node_flags (site, 0) & LK_NODE_DOWN) != 0)
      break;
  }
  g_assert_cmpuint (node_flags (site, 0) & LK_NODE_DOWN, !=, 0);
  g_assert_cmpstr (node_reason (site, 0), ==, "Not responding");
  control_register (site, 0, 9, NULL, 0);
  g_assert_cmpuint (node_flags (site, 0) & LK_NODE_DOWN, ==, 0);
}

/* What an administrator has taken out comes back when he says so. */
static void
test_down_by_admin (void)
{
  g_autoptr (ControlSite) site = site_started ();
  control_order_node (site, 1, LK_EVENT_NODE_DOWN, 0, "maintenance");
  control_register (site, 0, 2, NULL, 0);
  g_assert_cmpuint (node_flags (site, 0) & LK_NODE_DOWN, !=, 0);
  control_order_node (site, 2, LK_EVENT_NODE_UP, 0, "");
  g_assert_cmpuint (node_flags (site, 0) & LK_NODE_DOWN, ==, 0);
}

static void
test_reboot (void)
{
  g_autoptr (ControlSite) site = site_started ();
  LkRunReport lost = { .run_id = 1, .job_id = 1, .state = LK_RUN_LOST };
  control_submit (site, 1, 1, 0);
  run_started (site, 0, 1);
  guint64 seq = lk_controller_durable_seq (site->core) + 1;
  control_forget_sent (site);
  control_register (site, 0, 2, &lost, 1);
  g_autofree char *events = control_events (site, seq);
  g_assert_true (g_str_has_prefix (events, "node_down node_up"));
  g_assert_cmpuint (node_flags (site, 0) & LK_NODE_DOWN, ==, 0);
  g_assert_cmpint (job_state (site, 1), ==, LK_JOB_PENDING);
  g_assert_cmpuint (control_sent_count (site, CONTROL_AGENT_PEER (0), LK_MESSAGE_RUN_FORGET), ==,
                    1);
}

/* A pool has no node that could be down: there the job has failed. */
static void
test_reboot_of_pool (void)
{
  static const ControlOptions options = { .is_pool = TRUE,
                                          .snapshot_events = 1000,
                                          .session_count_max = 100 };
  g_autoptr (ControlSite) site = control_site_new (&options);
  LkRunReport lost = { .run_id = 1, .job_id = 1, .state = LK_RUN_LOST };
  control_start (site, 0);
  control_register (site, 0, 1, NULL, 0);
  control_submit (site, 1, 1, 0);
  g_assert_cmpint (job_state (site, 1), ==, LK_JOB_RUNNING);
  guint64 seq = lk_controller_durable_seq (site->core) + 1;
  control_register (site, 0, 2, &lost, 1);
  assert_events (site, seq, "job_ended");
}

/* A disk that cannot be read for a standby is a disk that has failed. */
static void
test_standby_unread (void)
{
  g_autoptr (ControlSite) site = site_started ();
  LkPeer standby = { .id = CONTROL_STANDBY_PEER, .kind = LK_PEER_STANDBY, .name = "standby" };
  LkMessage message = { .kind = LK_MESSAGE_FOLLOW };
  message.follow.offset_bytes = control_file (site, LK_CONTROLLER_JOURNAL)->len;
  control_message (site, &standby, &message);
  site->disk_waits = TRUE;
  control_submit (site, 1, 1, 0);
  control_forget_sent (site);
  site->reads_fail = TRUE;
  control_disk_done (site, TRUE);
  g_assert_cmpint (lk_controller_failure (site->core), ==, LK_CONTROLLER_DISK_FAILED);
  g_assert_cmpuint (site->sent->len, ==, 0);
}

static void
say_followed (ControlSite *site, guint64 epoch)
{
  LkPeer peer = { .id = CONTROL_STANDBY_PEER, .kind = LK_PEER_STANDBY, .name = "standby" };
  LkMessage message = { .kind = LK_MESSAGE_FOLLOWED };
  LkDigestValue digest = lk_engine_digest (lk_controller_engine (site->core));
  message.followed = (LkMessage_followed){ .term = 1,
                                           .epoch = epoch,
                                           .seq = lk_controller_durable_seq (site->core),
                                           .digest_low = digest.low,
                                           .digest_high = digest.high };
  message.followed.offset_bytes = control_file (site, LK_CONTROLLER_JOURNAL)->len;
  control_message (site, &peer, &message);
}

static void
say_follow (ControlSite *site)
{
  LkPeer peer = { .id = CONTROL_STANDBY_PEER, .kind = LK_PEER_STANDBY, .name = "standby" };
  LkMessage message = { .kind = LK_MESSAGE_FOLLOW };
  control_message (site, &peer, &message);
}

/* It has lost its disk and comes back as the same peer: what it has said before, also what is still
 * on its way, tells of a disk that is no more. */
static void
test_standby_remade (void)
{
  static const ControlOptions options = { .waits_for_standby = TRUE,
                                          .snapshot_events = 1000,
                                          .session_count_max = 100 };
  g_autoptr (ControlSite) site = control_site_new (&options);
  LkControllerCounts counts;
  control_start_all (site);
  control_submit (site, 1, 1, LK_REQUEST_HOLD);
  g_assert_cmpuint (user_replies (site), ==, 0);
  say_follow (site);
  guint64 epoch = site->standby_epoch;
  say_followed (site, epoch);
  g_assert_cmpuint (user_replies (site), ==, 1);
  say_follow (site);
  g_assert_cmpuint (site->standby_epoch, >, epoch);
  lk_controller_counts (site->core, &counts);
  g_assert_cmpuint (counts.standby_seq, ==, 0);
  control_submit (site, 2, 1, LK_REQUEST_HOLD);
  say_followed (site, epoch);
  g_assert_cmpuint (user_replies (site), ==, 1);
  say_followed (site, site->standby_epoch);
  g_assert_cmpuint (user_replies (site), ==, 2);
}

static void
test_prolog_fails (void)
{
  g_autoptr (ControlSite) site = site_started ();
  LkRunReport failed = { .run_id = 1, .job_id = 1, .trouble = LK_TROUBLE_PROLOG_FAILURE };
  control_submit (site, 1, 1, 0);
  control_run_ended (site, 0, &failed, "Prolog error");
  g_assert_cmpuint (node_flags (site, 0) & LK_NODE_DRAIN, !=, 0);
  g_assert_cmpstr (node_reason (site, 0), ==, "Prolog error");
}

static void
report_hardware (ControlSite *site, guint node, guint32 cpus, guint64 memory_bytes,
                 const char *gres)
{
  LkPeer peer = control_agent (node);
  LkMessage message = { .kind = LK_MESSAGE_REGISTER };
  message.register_node.node = lk_text (peer.name);
  message.register_node.agent_id = 1;
  control_message (site, &peer, &message);
  message.kind = LK_MESSAGE_REPORT;
  message.report = (LkMessage_report){ .node = lk_text (peer.name),
                                       .agent_id = 1,
                                       .epoch = control_epoch (site, node),
                                       .cpus = cpus,
                                       .memory_bytes = memory_bytes,
                                       .gres = lk_text (gres) };
  control_message (site, &peer, &message);
  control_settle (site);
}

static void
test_low_hardware (void)
{
  g_autoptr (ControlSite) site = site_new ();
  control_start (site, 0);
  report_hardware (site, 0, CONTROL_CPUS - 1, CONTROL_MEMORY_BYTES, CONTROL_GRES);
  report_hardware (site, 1, CONTROL_CPUS, CONTROL_MEMORY_BYTES - 1, CONTROL_GRES);
  report_hardware (site, 2, CONTROL_CPUS, CONTROL_MEMORY_BYTES, CONTROL_GRES);
  g_assert_cmpstr (node_reason (site, 0), ==, "Low CPUs");
  g_assert_cmpstr (node_reason (site, 1), ==, "Low RealMemory");
  g_assert_cmpuint (node_flags (site, 0) & LK_NODE_DRAIN, !=, 0);
  g_assert_cmpuint (node_flags (site, 1) & LK_NODE_DRAIN, !=, 0);
  g_assert_cmpuint (node_flags (site, 2) & LK_NODE_DRAIN, ==, 0);
}

/* GPUs of whatever type count; an agent need not find anything else. */
static void
test_low_gpus (void)
{
  static const struct {
    const char *gres;
    guint count;
  } cases[] = {
    { "", 0 },
    { "gpu:1", 1 },
    { "bandwidth:8,gpu:x:1", 1 },
    { "gpu:a:1,gpus:b:1", 1 },
    { "gpu:two", 0 },
    { "gpu:", 0 },
    { ",gpu:1,,", 1 },
    { "gpu:99999999999999999999", 0 },
    { "gpu:2", 2 },
    { "gpu:a:1,gpu:1", 2 },
    { "gpu:x:y:7", 7 },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (ControlSite) site = site_new ();
    g_autofree char *expected =
        g_strdup_printf ("gres/gpu count reported lower than configured (%u < 2)", cases[i].count);
    control_start (site, 0);
    report_hardware (site, 0, CONTROL_CPUS, CONTROL_MEMORY_BYTES, cases[i].gres);
    gboolean is_drained = (node_flags (site, 0) & LK_NODE_DRAIN) != 0;
    g_assert_cmpint (is_drained, ==, cases[i].count < 2);
    if (is_drained)
      g_assert_cmpstr (node_reason (site, 0), ==, expected);
  }
}

/* A job that outlives its nodes: what is left of it goes on. */
static void
test_no_kill (void)
{
  g_autoptr (ControlSite) site = site_started ();
  control_submit (site, 1, 6, LK_REQUEST_NO_KILL);
  for (guint node = 0; node < CONTROL_NODES; node++)
    run_started (site, node, 1);
  control_wait_beating (site, 60 * CONTROL_SECOND_US, ALL & ~4u);
  g_assert_cmpuint (node_flags (site, 2) & LK_NODE_DOWN, !=, 0);
  g_assert_cmpint (job_state (site, 1), ==, LK_JOB_RUNNING);
  /* Its agent is back, without the run. */
  control_forget_sent (site);
  control_register (site, 2, 1, NULL, 0);
  control_wait_beating (site, 20 * CONTROL_SECOND_US, ALL);
  g_assert_cmpuint (control_sent_count (site, CONTROL_AGENT_PEER (0), LK_MESSAGE_TERMINATE), ==, 0);
  g_assert_cmpint (job_state (site, 1), ==, LK_JOB_RUNNING);
}

/* ---------------------------------------------------------------- terms and clocks */

static void
test_fenced (void)
{
  g_autoptr (ControlSite) site = site_started ();
  LkPeer peer = control_agent (0);
  LkMessage message = { .kind = LK_MESSAGE_REGISTER };
  message.register_node = (LkMessage_register_node){ lk_text ("n1"), 1, 1 };
  control_submit (site, 1, 1, 0);
  control_message (site, &peer, &message);
  g_assert_cmpint (lk_controller_failure (site->core), ==, LK_CONTROLLER_OK);
  message.register_node.term = 2;
  control_forget_sent (site);
  control_message (site, &peer, &message);
  g_assert_cmpint (lk_controller_failure (site->core), ==, LK_CONTROLLER_FENCED);
  control_submit (site, 2, 1, 0);
  g_assert_cmpuint (site->sent->len, ==, 0);
}

static void
test_promotion (void)
{
  g_autoptr (ControlSite) site = site_new ();
  LkMessage message;
  g_assert_true (control_start (site, 5));
  control_register (site, 0, 1, NULL, 0);
  g_assert_true (control_sent (site, CONTROL_AGENT_PEER (0), LK_MESSAGE_REGISTERED, 0, &message));
  g_assert_cmpuint (message.registered.term, ==, 5);
  for (guint64 term = 4; term <= 5; term++) {
    control_crash (site, 0, 0);
    g_assert_false (control_start (site, term));
    g_assert_cmpint (site->failure, ==, LK_CONTROLLER_FENCED);
  }
  g_assert_true (control_start (site, 0));
  g_assert_cmpuint (lk_controller_term (site->core), ==, 5);
  control_crash (site, 0, 0);
  g_assert_true (control_start (site, 6));
  g_assert_cmpuint (lk_controller_term (site->core), ==, 6);
}

static gint64
engine_now_us (const ControlSite *site)
{
  LkEngineCounts counts;
  lk_engine_counts (lk_controller_engine (site->core), &counts);
  return counts.now_us;
}

static void
test_clock_jumps (gconstpointer data)
{
  gint64 jump_us = *(const gint64 *)data;
  g_autoptr (ControlSite) site = site_started ();
  control_submit (site, 1, 1, 0);
  gint64 begin_us = engine_now_us (site);
  run_started (site, 0, 1);
  site->realtime_us += jump_us;
  /* The job has an hour; of that, a tenth is what the clock may be off. */
  control_wait_beating (site, 3200 * CONTROL_SECOND_US, ALL);
  g_assert_cmpint (job_state (site, 1), ==, LK_JOB_RUNNING);
  control_submit (site, 2, 1, 0);
  gint64 passed_us = engine_now_us (site) - begin_us;
  gint64 expected_us = (jump_us > 0 ? 3520 : 2880) * CONTROL_SECOND_US;
  g_assert_cmpint (ABS (passed_us - expected_us), <, CONTROL_SECOND_US);
}

static void
test_sleeps (void)
{
  g_autoptr (ControlSite) site = site_new ();
  control_start (site, 0);
  control_submit (site, 1, 1, 0);
  g_assert_cmpint (site->wake_us, ==, 20 * CONTROL_SECOND_US);
  control_wait (site, 19 * CONTROL_SECOND_US);
  assert_events (site, 1, "submit");
}

int
main (int argc, char **argv)
{
  static const gint64 ahead_us = 24 * 3600 * CONTROL_SECOND_US;
  static const gint64 back_us = -24 * 3600 * CONTROL_SECOND_US;
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/controller/replies and launches when that is durable", test_reply_waits);
  g_test_add_func ("/controller/tells of jobs what is durable", test_query_waits);
  g_test_add_func ("/controller/is silent when the disk has failed", test_disk_fails);
  g_test_add_func ("/controller/carries out a request once", test_repeated);
  g_test_add_func ("/controller/answers again whoever may ask no more", test_repeated_of_gone);
  g_test_add_func ("/controller/forgets the quietest sessions", test_sessions_are_bounded);
  g_test_add_func ("/controller/does not take an agent between two epochs for dead",
                   test_fence_between_epochs);
  g_test_add_func ("/controller/takes a node for dead in time", test_fence_of_dead_node);
  g_test_add_func ("/controller/takes an agent that never reports for silent", test_never_ready);
  g_test_add_func ("/controller/drains a node for what a stray has left", test_stray_drains);
  g_test_add_func ("/controller/puts an instant in order", test_order);
  g_test_add_func ("/controller/launches again what its agent was told to end too late",
                   test_late_terminate);
  g_test_add_func ("/controller/launches no job that may run elsewhere", test_fence_of_job);
  g_test_add_func ("/controller/launches nothing where an old run may live", test_fence_of_node);
  g_test_add_func ("/controller/launches nothing beside a stray", test_fence_of_stray);
  g_test_add_func ("/controller/believes that a silent node is dead when told",
                   test_fence_of_silent_node);
  g_test_add_func ("/controller/takes what was said to be dead for a stray",
                   test_fence_of_revenant);
  g_test_add_func ("/controller/has silent nodes down until they are back", test_silence);
  g_test_add_func ("/controller/leaves down what an administrator took out", test_down_by_admin);
  g_test_add_func ("/controller/requeues what a reboot has cut off", test_reboot);
  g_test_add_func ("/controller/ends what a reboot has cut off in a pool", test_reboot_of_pool);
  g_test_add_func ("/controller/is silent when it cannot read for a standby", test_standby_unread);
  g_test_add_func ("/controller/asks a standby anew that has lost its disk", test_standby_remade);
  g_test_add_func ("/controller/drains where a prolog fails", test_prolog_fails);
  g_test_add_func ("/controller/drains nodes with less than they should have", test_low_hardware);
  g_test_add_func ("/controller/drains nodes with fewer GPUs than they should have", test_low_gpus);
  g_test_add_func ("/controller/lets a job go on without a node", test_no_kill);
  g_test_add_func ("/controller/stops when another has a higher term", test_fenced);
  g_test_add_func ("/controller/takes a higher term only", test_promotion);
  g_test_add_data_func ("/controller/ends no job when the clock jumps ahead", &ahead_us,
                        test_clock_jumps);
  g_test_add_data_func ("/controller/ends no job when the clock jumps back", &back_us,
                        test_clock_jumps);
  g_test_add_func ("/controller/sleeps as long as it waits for agents", test_sleeps);
  return g_test_run ();
}
