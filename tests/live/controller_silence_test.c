/* tests/live/controller_silence_test.c — agents that say little: what may live on their nodes, and
 * who is believed about it. */
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

/* ---------------------------------------------------------------- who is believed */

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

/* ---------------------------------------------------------------- what an agent does not say */

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

/* ---------------------------------------------------------------- ReturnToService */

/* A node that somebody has set down though its agent is well; all come back, or it stays. */
static void
test_return_of_all (void)
{
  for (guint returns = 0; returns < 2; returns++) {
    g_autoptr (ControlSite) site = site_new ();
    site->config.returns_all = returns != 0;
    control_start_all (site);
    control_order_node (site, 1, LK_EVENT_NODE_DRAIN, 2, "disk");
    control_order_node (site, 2, LK_EVENT_NODE_DOWN, 1, "psu");
    control_order_node (site, 3, LK_EVENT_NODE_DOWN, 2, "psu");
    g_assert_cmpuint (node_flags (site, 1), ==, LK_NODE_DOWN);
    guint64 before = control_epoch (site, 1);
    control_wait (site, 2 * CONTROL_SECOND_US);
    g_assert_cmpuint (control_epoch (site, 1) > before ? 1 : 0, ==, returns);
    control_register (site, 1, 1, NULL, 0);
    control_register (site, 2, 1, NULL, 0);
    g_assert_cmpuint (node_flags (site, 1), ==, returns != 0 ? 0 : LK_NODE_DOWN);
    g_assert_cmpuint (node_flags (site, 2) & LK_NODE_DRAIN, ==, LK_NODE_DRAIN);
    g_assert_cmpuint (node_flags (site, 2) & LK_NODE_DOWN, ==, returns != 0 ? 0 : LK_NODE_DOWN);
  }
}

/* One that was silent comes back, or stays down until somebody resumes it. */
static void
test_return_of_silent (void)
{
  for (guint keeps = 0; keeps < 2; keeps++) {
    g_autoptr (ControlSite) site = site_new ();
    site->config.keeps_silent_down = keeps != 0;
    control_start_all (site);
    control_wait_beating (site, 400 * CONTROL_SECOND_US, ALL & ~2u);
    g_assert_cmpuint (node_flags (site, 1), ==, LK_NODE_DOWN);
    control_register (site, 1, 1, NULL, 0);
    g_assert_cmpuint (node_flags (site, 1), ==, keeps != 0 ? LK_NODE_DOWN : 0);
    control_order_node (site, 1, LK_EVENT_NODE_RESUME, 1, NULL);
    g_assert_cmpuint (node_flags (site, 1), ==, 0);
  }
}

/* So does one that has booted, under what ran on it. */
static void
test_return_of_booted (void)
{
  for (guint keeps = 0; keeps < 2; keeps++) {
    g_autoptr (ControlSite) site = site_new ();
    LkRunReport lost = { .run_id = 1, .job_id = 1, .state = LK_RUN_LOST };
    site->config.keeps_rebooted_down = keeps != 0;
    control_start_all (site);
    control_submit (site, 1, 1, 0);
    run_started (site, 0, 1);
    control_register (site, 0, 2, &lost, 1);
    g_assert_cmpuint (node_flags (site, 0), ==, keeps != 0 ? LK_NODE_DOWN : 0);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/silence/does not take an agent between two epochs for dead",
                   test_fence_between_epochs);
  g_test_add_func ("/silence/takes a node for dead in time", test_fence_of_dead_node);
  g_test_add_func ("/silence/takes an agent that never reports for silent", test_never_ready);
  g_test_add_func ("/silence/drains a node for what a stray has left", test_stray_drains);
  g_test_add_func ("/silence/a node that was set down may come back", test_return_of_all);
  g_test_add_func ("/silence/one that was silent may stay down", test_return_of_silent);
  g_test_add_func ("/silence/one that has booted may stay down", test_return_of_booted);
  return g_test_run ();
}
