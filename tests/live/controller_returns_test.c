/* tests/live/controller_returns_test.c — nodes that come back by themselves, or do not, and nodes
 * that are drained as long as their agents say so. */
#include "tests/live/controller_site.h"

#define ALL ((1u << CONTROL_NODES) - 1)

static guint32
node_flags (const ControlSite *site, guint32 node)
{
  return lk_engine_nodes (lk_controller_engine (site->core))->flags[node];
}

static gboolean
is_down (const ControlSite *site)
{
  return (node_flags (site, 0) & LK_NODE_DOWN) != 0;
}

/* By ReturnToService. */
static ControlSite *
site_started (guint returns)
{
  static const ControlOptions options = { .snapshot_events = 1000, .session_count_max = 100 };
  ControlSite *site = control_site_new (&options);
  site->config.keeps_silent_down = returns == 0;
  site->config.keeps_rebooted_down = returns != 2;
  site->config.returns_all = returns == 2;
  control_start_all (site);
  return site;
}

/* ---------------------------------------------------------------- coming back */

static void
test_silent (void)
{
  static const struct {
    guint returns;
    gboolean comes_back;
  } cases[] = { { 0, FALSE }, { 1, TRUE }, { 2, TRUE } };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (ControlSite) site = site_started (cases[i].returns);
    control_wait_beating (site, 400 * CONTROL_SECOND_US, ALL & ~1u);
    g_assert_true (is_down (site));
    control_register (site, 0, 2, NULL, 0);
    g_assert_cmpint (is_down (site), ==, !cases[i].comes_back);
    control_order_node (site, 1, LK_EVENT_NODE_UP, 0, "");
    g_assert_false (is_down (site));
  }
}

static void
test_booted (void)
{
  static const struct {
    guint returns;
    gboolean comes_back;
  } cases[] = { { 0, FALSE }, { 1, FALSE }, { 2, TRUE } };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (ControlSite) site = site_started (cases[i].returns);
    control_submit (site, 1, 1, 0);
    LkRunReport lost = { .run_id = 1, .job_id = 1, .state = LK_RUN_LOST };
    control_register (site, 0, 2, &lost, 1);
    g_assert_cmpint (is_down (site), ==, !cases[i].comes_back);
  }
}

static void
test_taken_down (void)
{
  static const struct {
    guint returns;
    gboolean comes_back;
  } cases[] = { { 0, FALSE }, { 1, FALSE }, { 2, TRUE } };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (ControlSite) site = site_started (cases[i].returns);
    control_order_node (site, 1, LK_EVENT_NODE_DOWN, 0, "it burns");
    g_assert_true (is_down (site));
    control_register (site, 0, 2, NULL, 0);
    g_assert_cmpint (is_down (site), ==, !cases[i].comes_back);
  }
}

/* ---------------------------------------------------------------- drained by heartbeats */

static void
beat (ControlSite *site, const char *drain)
{
  LkPeer agent = control_agent (0);
  LkMessage message = { .kind = LK_MESSAGE_HEARTBEAT };
  message.heartbeat = (LkMessage_heartbeat){ .node = lk_text (agent.name),
                                             .agent_id = 1,
                                             .epoch = control_epoch (site, 0),
                                             .drain = lk_text (drain) };
  control_message (site, &agent, &message);
  control_settle (site);
}

static void
test_heartbeat_drains (void)
{
  g_autoptr (ControlSite) site = site_started (1);
  beat (site, "");
  g_assert_cmpuint (node_flags (site, 0) & LK_NODE_DRAIN, ==, 0);
  beat (site, "Kill task failed");
  g_assert_cmpuint (node_flags (site, 0) & LK_NODE_DRAIN, !=, 0);
  guint64 seq = lk_controller_durable_seq (site->core);
  beat (site, "Kill task failed");
  g_assert_cmpuint (lk_controller_durable_seq (site->core), ==, seq);
  /* It is still so. */
  control_order_node (site, 1, LK_EVENT_NODE_RESUME, 0, "");
  g_assert_cmpuint (node_flags (site, 0) & LK_NODE_DRAIN, ==, 0);
  beat (site, "Kill task failed");
  g_assert_cmpuint (node_flags (site, 0) & LK_NODE_DRAIN, !=, 0);
  control_order_node (site, 2, LK_EVENT_NODE_RESUME, 0, "");
  beat (site, "");
  g_assert_cmpuint (node_flags (site, 0) & LK_NODE_DRAIN, ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/returns/of a node that was silent", test_silent);
  g_test_add_func ("/returns/of a node that has booted", test_booted);
  g_test_add_func ("/returns/of a node that somebody has taken down", test_taken_down);
  g_test_add_func ("/returns/a heartbeat drains as long as it says so", test_heartbeat_drains);
  return g_test_run ();
}
