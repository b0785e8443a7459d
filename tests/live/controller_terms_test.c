/* tests/live/controller_terms_test.c — terms of a controller, and clocks that jump. */
#include <string.h>

#include "engine/engine.h"
#include "live/port/port_term_sim.h"
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

static LkJobState
job_state (const ControlSite *site, guint32 job_id)
{
  LkJobInfo info;
  return lk_engine_job (lk_controller_engine (site->core), job_id, &info) ? info.state
                                                                          : LK_JOB_COMPLETED;
}

/* As the controller of this term proves it. */
static LkMessage
register_message (guint64 term)
{
  LkPortTerm port = lk_term_sim_port ();
  LkTermProof proof = port.ops->prove (port.self, term);
  LkMessage message = { .kind = LK_MESSAGE_REGISTER };
  message.register_node =
      (LkMessage_register_node){ lk_text ("n1"), 1, term, proof.low, proof.high };
  return message;
}

/* What one agent reports without a proof, or with that of another term, stops no controller: its
 * connection is cut and its node drained. */
static void
test_false_term (void)
{
  g_autoptr (ControlSite) site = site_started ();
  LkPeer peer = control_agent (0);
  LkMessage forged[4] = { register_message (1), register_message (2), register_message (2) };
  forged[0].register_node.term = 2;
  forged[1].register_node.proof_high ^= 1;
  forged[2].register_node.proof_low = forged[2].register_node.proof_high = 0;
  forged[3].kind = LK_MESSAGE_HEARTBEAT;
  forged[3].heartbeat.node = lk_text ("n1");
  forged[3].heartbeat.term = G_MAXUINT64;
  for (guint i = 0; i < G_N_ELEMENTS (forged); i++) {
    site->cut_peer = 0;
    control_forget_sent (site);
    control_message (site, &peer, &forged[i]);
    control_settle (site);
    g_assert_cmpint (lk_controller_failure (site->core), ==, LK_CONTROLLER_OK);
    g_assert_cmpuint (site->cut_peer, ==, peer.id);
    g_assert_cmpuint (site->sent->len, ==, 0);
  }
  const LkNodeTable *nodes = lk_engine_nodes (lk_controller_engine (site->core));
  g_assert_cmpuint (nodes->flags[0] & LK_NODE_DRAIN, !=, 0);
  g_assert_cmpuint (nodes->flags[1] & LK_NODE_DRAIN, ==, 0);
  g_autofree char *events = control_events (site, 1);
  g_assert_nonnull (strstr (events, "node_drain"));
  g_assert_null (strstr (strstr (events, "node_drain") + 1, "node_drain"));
}

static void
test_fenced (void)
{
  g_autoptr (ControlSite) site = site_started ();
  LkPeer peer = control_agent (0);
  LkMessage message = register_message (1);
  control_submit (site, 1, 1, 0);
  control_message (site, &peer, &message);
  g_assert_cmpint (lk_controller_failure (site->core), ==, LK_CONTROLLER_OK);
  message = register_message (2);
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
  g_autofree char *events = control_events (site, 1);
  g_assert_cmpstr (events, ==, "submit");
}

int
main (int argc, char **argv)
{
  static const gint64 ahead_us = 24 * 3600 * CONTROL_SECOND_US;
  static const gint64 back_us = -24 * 3600 * CONTROL_SECOND_US;
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/controller/stops when another has a higher term", test_fenced);
  g_test_add_func ("/controller/drains a node that reports a false term", test_false_term);
  g_test_add_func ("/controller/takes a higher term only", test_promotion);
  g_test_add_data_func ("/controller/ends no job when the clock jumps ahead", &ahead_us,
                        test_clock_jumps);
  g_test_add_data_func ("/controller/ends no job when the clock jumps back", &back_us,
                        test_clock_jumps);
  g_test_add_func ("/controller/sleeps as long as it waits for agents", test_sleeps);
  return g_test_run ();
}
