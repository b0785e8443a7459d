/* tests/live/controller_het_test.c — heterogeneous jobs on a live cluster: the script runs once, in
 * the first component, hears of all of them, and takes the others with it when it ends. */
#include "engine/engine.h"
#include "tests/live/controller_site.h"

#define ALL 7u
/* Two components, of two CPUs each: on n1 and on n2. */
#define LEADER 1u
#define OTHER 2u

static ControlSite *
site_new (guint64 snapshot_events)
{
  const ControlOptions options = { .snapshot_events = snapshot_events, .session_count_max = 100 };
  ControlSite *site = control_site_new (&options);
  control_start_all (site);
  return site;
}

static void
submit (ControlSite *site, guint32 flags)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  LkPeer peer = control_user (CONTROL_USER);
  LkMessage message = { .kind = LK_MESSAGE_SUBMIT };
  for (guint i = 0; i < 2; i++) {
    LkEvent event = { .kind = LK_EVENT_SUBMIT };
    event.submit.user_id = CONTROL_USER;
    event.submit.procs = CONTROL_CPUS;
    event.submit.estimate_us = 3600 * CONTROL_SECOND_US;
    event.submit.flags = flags;
    event.submit.term_flags = 1;
    event.submit.het_offset = i;
    event.submit.het_count = 2;
    event.submit.name = i == 0 ? lk_text ("first") : lk_text ("second");
    lk_event_encode (&event, bytes);
  }
  message.submit.session = message.submit.request = 1;
  message.submit.event = (LkBytes){ bytes->data, bytes->len };
  control_message (site, &peer, &message);
  control_settle (site);
}

static LkMessage_launch
launch_on (const ControlSite *site, guint node)
{
  LkMessage message;
  gboolean is_there =
      control_sent (site, CONTROL_AGENT_PEER (node), LK_MESSAGE_LAUNCH, 0, &message);
  g_assert_true (is_there);
  return message.launch;
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

/* Both components run. */
static ControlSite *
site_running (guint64 snapshot_events, guint32 flags)
{
  ControlSite *site = site_new (snapshot_events);
  submit (site, flags);
  run_started (site, 0, 1);
  run_started (site, 1, 2);
  control_forget_sent (site);
  return site;
}

static void
ended (ControlSite *site, guint node, guint32 job_id, guint8 exit_code, guint8 signal)
{
  LkRunReport how = {
    .run_id = node + 1u, .job_id = job_id, .exit_code = exit_code, .signal = signal
  };
  control_run_ended (site, node, &how, "");
}

static gboolean
is_running (const ControlSite *site, guint32 job_id)
{
  LkJobInfo info;
  return lk_engine_job (lk_controller_engine (site->core), job_id, &info)
         && info.state == LK_JOB_RUNNING;
}

/* How a job has ended, last. */
static LkEvent_job_ended
end_of (const ControlSite *site, guint32 job_id)
{
  const GByteArray *journal = control_file (site, LK_CONTROLLER_JOURNAL);
  LkEvent_job_ended end = { .exit_code = 255 };
  LkJournalHeader header;
  LkEvent event;
  const char *fault;
  g_autoptr (LkJournalReader) reader =
      lk_journal_reader_new (journal->data, journal->len, &header, &fault);
  while (lk_journal_reader_next (reader, &event) == LK_JOURNAL_EVENT)
    if (event.kind == LK_EVENT_JOB_ENDED && event.job_ended.job_id == job_id)
      end = event.job_ended;
  return end;
}

static guint
terminates (const ControlSite *site, guint node)
{
  return control_sent_count (site, CONTROL_AGENT_PEER (node), LK_MESSAGE_TERMINATE);
}

/* ---------------------------------------------------------------- */

static void
test_launch (void)
{
  g_autoptr (ControlSite) site = site_new (1000);
  submit (site, 0);
  LkMessage_launch first = launch_on (site, 0);
  LkMessage_launch second = launch_on (site, 1);
  g_assert_cmpuint (first.job_id, ==, LEADER);
  g_assert_cmpuint (first.runs_script, ==, 1);
  g_assert_cmpuint (second.job_id, ==, OTHER);
  g_assert_cmpuint (second.runs_script, ==, 0);
  g_assert_cmpuint (second.components.length_bytes, ==, 0);
  for (guint i = 0; i < 2; i++) {
    LkRunComponent component;
    g_assert_true (lk_run_component_next (&first.components, &component));
    g_autofree char *name = g_strndup (component.job_name.bytes, component.job_name.length_bytes);
    g_autofree char *nodes = g_strndup (component.nodes.bytes, component.nodes.length_bytes);
    g_assert_cmpuint (component.offset, ==, i);
    g_assert_cmpuint (component.job_id, ==, LEADER + i);
    g_assert_cmpstr (name, ==, i == 0 ? "first" : "second");
    g_assert_cmpstr (nodes, ==, i == 0 ? "n1" : "n2");
  }
  g_assert_cmpuint (first.components.length_bytes, ==, 0);
}

/* As the script has, whatever the agent says of what waited. */
static void
test_others_end_with_it (void)
{
  static const guint8 cases[][2] = { { 0, 0 }, { 3, 0 }, { 0, 11 } };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (ControlSite) site = site_running (1000, 0);
    g_assert_cmpuint (terminates (site, 1), ==, 0);
    ended (site, 0, LEADER, cases[i][0], cases[i][1]);
    g_assert_false (is_running (site, LEADER));
    g_assert_true (is_running (site, OTHER));
    g_assert_cmpuint (terminates (site, 1), ==, 1);
    ended (site, 1, OTHER, 0, 15);
    g_assert_false (is_running (site, OTHER));
    LkEvent_job_ended end = end_of (site, OTHER);
    g_assert_cmpuint (end.exit_code, ==, cases[i][0]);
    g_assert_cmpuint (end.signal, ==, cases[i][1]);
  }
}

/* That the others are to end is durable before they hear of it, and they hear of it again. */
static void
test_told_when_durable (void)
{
  g_autoptr (ControlSite) site = site_running (1000, 0);
  site->disk_waits = TRUE;
  ended (site, 0, LEADER, 0, 0);
  g_assert_cmpuint (terminates (site, 1), ==, 0);
  control_disk_done (site, TRUE);
  control_settle (site);
  g_assert_cmpuint (terminates (site, 1), ==, 1);
  site->disk_waits = FALSE;
  control_forget_sent (site);
  control_wait_beating (site, 10 * CONTROL_SECOND_US, ALL);
  g_assert_true (is_running (site, OTHER));
  guint64 seq = lk_controller_durable_seq (site->core);
  ended (site, 1, OTHER, 0, 15);
  g_assert_cmpuint (lk_controller_durable_seq (site->core), >, seq);
}

/* One that ends by itself leaves the others to run. */
static void
test_one_ends_alone (void)
{
  g_autoptr (ControlSite) site = site_running (1000, 0);
  ended (site, 1, OTHER, 0, 9);
  g_assert_false (is_running (site, OTHER));
  g_assert_cmpuint (end_of (site, OTHER).signal, ==, 9);
  g_assert_true (is_running (site, LEADER));
  g_assert_cmpuint (terminates (site, 0), ==, 0);
  ended (site, 0, LEADER, 0, 0);
  g_assert_false (is_running (site, LEADER));
}

static void
test_cancel (void)
{
  for (guint32 job_id = LEADER; job_id <= OTHER; job_id++) {
    g_autoptr (ControlSite) site = site_running (1000, 0);
    control_order (site, 9, LK_EVENT_CANCEL, job_id);
    g_assert_cmpuint (terminates (site, 0), ==, 1);
    g_assert_cmpuint (terminates (site, 1), ==, 1);
    ended (site, 1, OTHER, 0, 15);
    ended (site, 0, LEADER, 0, 15);
    g_assert_false (is_running (site, LEADER));
    g_assert_false (is_running (site, OTHER));
  }
}

/* The controller dies between the end of the first component and that of the other. */
static void
test_controller_dies (void)
{
  static const guint64 snapshots[] = { 1000, 1 };
  for (guint i = 0; i < G_N_ELEMENTS (snapshots); i++) {
    g_autoptr (ControlSite) site = site_running (snapshots[i], 0);
    LkRunReport waits = { .run_id = 2, .job_id = OTHER, .state = LK_RUN_RUNNING };
    ended (site, 0, LEADER, 3, 0);
    control_crash (site, 0, 0);
    control_forget_sent (site);
    g_assert_true (control_start (site, 0));
    g_assert_true (is_running (site, OTHER));
    control_register (site, 0, 1, NULL, 0);
    control_register (site, 1, 1, &waits, 1);
    g_assert_cmpuint (terminates (site, 1), ==, 1);
    ended (site, 1, OTHER, 0, 15);
    g_assert_false (is_running (site, OTHER));
    g_assert_cmpuint (end_of (site, OTHER).exit_code, ==, 3);
  }
}

/* And before the launch of the first one was heard: it is launched again, and told the same. */
static void
test_controller_dies_at_launch (void)
{
  static const guint64 snapshots[] = { 1000, 1 };
  for (guint i = 0; i < G_N_ELEMENTS (snapshots); i++) {
    g_autoptr (ControlSite) site = site_new (snapshots[i]);
    submit (site, 0);
    LkMessage_launch first = launch_on (site, 0);
    g_autoptr (GBytes) told = g_bytes_new (first.components.bytes, first.components.length_bytes);
    control_crash (site, 0, 0);
    control_forget_sent (site);
    g_assert_true (control_start (site, 0));
    control_register (site, 0, 1, NULL, 0);
    control_register (site, 1, 1, NULL, 0);
    first = launch_on (site, 0);
    g_autoptr (GBytes) again = g_bytes_new (first.components.bytes, first.components.length_bytes);
    g_assert_cmpuint (first.runs_script, ==, 1);
    g_assert_true (g_bytes_equal (told, again));
    g_assert_cmpuint (launch_on (site, 1).runs_script, ==, 0);
  }
}

/* The first one's node is gone, and the job is not requeued: nobody knows how its script ended. */
static void
test_leader_is_lost (void)
{
  g_autoptr (ControlSite) site = site_running (1000, LK_REQUEST_NO_REQUEUE);
  control_wait_beating (site, 60 * CONTROL_SECOND_US, ALL & ~1u);
  g_assert_false (is_running (site, LEADER));
  ended (site, 1, OTHER, 0, 15);
  g_assert_false (is_running (site, OTHER));
  g_assert_cmpuint (end_of (site, OTHER).signal, ==, 9);
}

/* The other comes back to the queue when the first one has ended: there is nothing left to run. */
static void
test_comes_back_alone (void)
{
  g_autoptr (ControlSite) site = site_running (1000, 0);
  ended (site, 0, LEADER, 0, 0);
  control_order_node (site, 9, LK_EVENT_NODE_DOWN, 1, "it burns");
  control_forget_sent (site);
  control_register (site, 1, 1, NULL, 0);
  control_wait_beating (site, 400 * CONTROL_SECOND_US, ALL);
  g_assert_false (is_running (site, OTHER));
  g_assert_cmpuint (end_of (site, OTHER).signal, ==, 9);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/het/the script is launched once, and told of all", test_launch);
  g_test_add_func ("/het/the others end as the first one", test_others_end_with_it);
  g_test_add_func ("/het/the others hear of it when it is durable", test_told_when_durable);
  g_test_add_func ("/het/one that ends by itself ends alone", test_one_ends_alone);
  g_test_add_func ("/het/cancel is for all", test_cancel);
  g_test_add_func ("/het/the controller dies between the ends", test_controller_dies);
  g_test_add_func ("/het/the controller dies at the launch", test_controller_dies_at_launch);
  g_test_add_func ("/het/the node of the first one is lost", test_leader_is_lost);
  g_test_add_func ("/het/one that comes back alone has nothing to run", test_comes_back_alone);
  return g_test_run ();
}
