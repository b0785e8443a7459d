/* tests/live/controller_reconfigure_test.c — a controller whose configuration is read anew: what
 * comes into force, who hears of it, and what is behind a crash. */
#include <string.h>

#include "engine/assert.h"
#include "live/core/record.h"
#include "tests/live/controller_site.h"

#define QUESTION 44u

/* What would be read. */
typedef struct {
  LkPortSite port;
  LkRegistry *registry;
  const char *nodes; /* hostlist */
  const char *order;
  const char *fault; /* NULL: the files are good */
  gboolean keeps_silent_down;
  guint64 settings;
  LkSetup *setup; /* as read last */
  LkJournalHeader header;
  guint settled_count;
  gboolean is_in_force;
} Files;

static LkSetup *
make_setup (const Files *self)
{
  g_autoptr (LkCluster) machine = lk_cluster_new ("site");
  g_autoptr (GError) error = NULL;
  LkClusterError fault;
  LkNodeSpec *spec = lk_cluster_add_nodes (machine, self->nodes);
  LkSetupOptions options = {
    .order = self->order, .backfill = "easy", .select = "cons_tres", .cluster = machine
  };
  spec->cores_per_socket = spec->cpus = CONTROL_CPUS;
  spec->memory_bytes = CONTROL_MEMORY_BYTES;
  lk_node_spec_add_gres (spec, "gpu", "a", 1);
  lk_node_spec_add_gres (spec, "gpu", "b", 1);
  lk_node_spec_add_gres (spec, "bandwidth", "", 8);
  gboolean is_good = lk_cluster_check (machine, &fault);
  LK_ASSERT (is_good);
  LkSetup *setup = lk_setup_new (self->registry, &options, &error);
  g_assert_no_error (error);
  return setup;
}

static gboolean
files_read (void *data, const LkAccounts *accounts, LkPortSiteRead *out_read, GPtrArray *problems)
{
  Files *self = data;
  g_assert_null (accounts);
  if (self->fault != NULL) {
    g_ptr_array_add (problems, g_strdup (self->fault));
    g_ptr_array_add (problems, g_strdup ("and another"));
    return FALSE;
  }
  lk_setup_free (self->setup);
  self->setup = make_setup (self);
  lk_setup_header (self->setup, "files", &self->header);
  *out_read = (LkPortSiteRead){ .header = &self->header,
                                .engine = lk_setup_config (self->setup),
                                .ways = { .heartbeat_us = 7 * CONTROL_SECOND_US,
                                          .node_timeout_us = 30 * CONTROL_SECOND_US,
                                          .registration_wait_us = 20 * CONTROL_SECOND_US,
                                          .kill_wait_us = 3 * CONTROL_SECOND_US,
                                          .keeps_silent_down = self->keeps_silent_down },
                                .settings = self->settings };
  return TRUE;
}

static void
files_settled (void *data, gboolean is_in_force, const GPtrArray *problems)
{
  Files *self = data;
  self->settled_count++;
  self->is_in_force = is_in_force;
  g_assert_cmpint (is_in_force, ==, problems->len == 0);
}

static const LkPortSiteOps files_ops = { .size = sizeof (LkPortSiteOps),
                                         .read = files_read,
                                         .settled = files_settled };

static ControlSite *
site_new (Files *files, guint64 snapshot_events)
{
  ControlOptions options = { .snapshot_events = snapshot_events, .session_count_max = 100 };
  ControlSite *site = control_site_new (&options);
  *files = (Files){ .registry = lk_registry_new (), .nodes = "n[1-3]", .order = "fifo" };
  site->site = (LkPortSite){ &files_ops, files };
  control_start_all (site);
  return site;
}

static void
files_clear (Files *self)
{
  lk_setup_free (self->setup);
  lk_registry_free (self->registry);
}

/* What a user is told. Texts are valid until the next message. */
static LkMessage_reconfigured
ask (ControlSite *site, guint32 user_id)
{
  LkPeer peer = control_user (user_id);
  LkMessage question = { .kind = LK_MESSAGE_RECONFIGURE };
  LkMessage answer;
  question.reconfigure.request = QUESTION;
  control_forget_sent (site);
  control_message (site, &peer, &question);
  control_settle (site);
  gboolean is_sent = control_sent (site, peer.id, LK_MESSAGE_RECONFIGURED, 0, &answer);
  g_assert_true (is_sent);
  g_assert_cmpuint (answer.reconfigured.request, ==, QUESTION);
  return answer.reconfigured;
}

static void
assert_refused (const LkMessage_reconfigured *answer, LkReject error, const char *problems)
{
  g_autofree char *text = g_strndup (answer->problems.bytes, answer->problems.length_bytes);
  g_assert_cmpstr (text, ==, problems);
  g_assert_cmpuint (answer->error, ==, error);
}

static void
assert_told (const LkMessage_reconfigured *answer, const char *problems)
{
  assert_refused (answer, problems[0] != '\0' ? LK_REJECT_CONFIGURATION : 0, problems);
}

static guint32
node_count (const ControlSite *site)
{
  return lk_engine_nodes (lk_controller_engine (site->core))->node_count;
}

/* A node that comes is down until its agent is there; it may stand before others. */
static void
test_node (void)
{
  Files files;
  g_autoptr (ControlSite) site = site_new (&files, 1000);
  control_submit (site, 1, 2, 0);
  g_autofree char *before = control_events (site, 1);
  files.nodes = "n[0-3]";
  LkMessage_reconfigured answer = ask (site, CONTROL_ADMIN);
  assert_told (&answer, "");
  g_assert_true (files.is_in_force);
  g_autofree char *events = control_events (site, 1);
  g_assert_true (g_str_has_prefix (events, before));
  g_assert_cmpstr (events + strlen (before), ==, " reconfigure node_down");
  const LkNodeTable *nodes = lk_engine_nodes (lk_controller_engine (site->core));
  g_assert_cmpuint (nodes->flags[0], ==, LK_NODE_DOWN);
  g_assert_cmpstr (nodes->reasons[0], ==, "Not registered");
  lk_controller_check (site->core);
  /* All agents that are there hear of it. */
  for (guint i = 0; i < CONTROL_NODES; i++)
    g_assert_cmpuint (control_sent_count (site, CONTROL_AGENT_PEER (i), LK_MESSAGE_RELOAD), ==, 1);
  /* The run is known where it was; its agent goes on as before. */
  LkMessage launch;
  control_register (site, 0, 1, NULL, 0);
  g_assert_true (control_sent (site, CONTROL_AGENT_PEER (0), LK_MESSAGE_LAUNCH, 0, &launch)
                 || control_epoch (site, 0) != 0);
  lk_controller_check (site->core);
  files_clear (&files);
}

/* A node that is new comes up when its agent registers, also where those that were silent stay
 * down: it has never been away.  So it is behind a crash, with a snapshot and without. */
static void
test_new_node_comes (gconstpointer snapshot_events)
{
  Files files;
  g_autoptr (ControlSite) site = site_new (&files, GPOINTER_TO_UINT (snapshot_events));
  site->config.keeps_silent_down = files.keeps_silent_down = TRUE;
  files.nodes = "n[2-3]";
  LkMessage_reconfigured answer = ask (site, CONTROL_ADMIN);
  assert_told (&answer, "");
  files.nodes = "n[1-3]";
  answer = ask (site, CONTROL_ADMIN);
  assert_told (&answer, "");
  control_submit (site, 1, 1, 0);
  control_crash (site, 0, 0);
  g_assert_true (control_start (site, 0));
  const LkNodeTable *nodes = lk_engine_nodes (lk_controller_engine (site->core));
  g_assert_cmpuint (nodes->flags[0], ==, LK_NODE_DOWN);
  control_register (site, 0, 2, NULL, 0);
  g_assert_cmpuint (nodes->flags[0], ==, 0);
  /* From then on it is as any. */
  control_wait_beating (site, 400 * CONTROL_SECOND_US, 0);
  g_assert_cmpuint (nodes->flags[0], ==, LK_NODE_DOWN);
  control_register (site, 0, 3, NULL, 0);
  g_assert_cmpuint (nodes->flags[0], ==, LK_NODE_DOWN);
  lk_controller_check (site->core);
  files_clear (&files);
}

static void
test_same (void)
{
  Files files;
  g_autoptr (ControlSite) site = site_new (&files, 1000);
  LkMessage_reconfigured answer = ask (site, CONTROL_ADMIN);
  assert_told (&answer, "");
  g_autofree char *events = control_events (site, 1);
  g_assert_null (strstr (events, "reconfigure"));
  /* The files of the agents may be others: who asks asks them, too. */
  g_assert_cmpuint (control_sent_count (site, CONTROL_AGENT_PEER (0), LK_MESSAGE_RELOAD), ==, 1);
  /* Nobody has asked. */
  control_forget_sent (site);
  lk_controller_reconfigure (site->core);
  control_settle (site);
  g_assert_cmpuint (control_sent_count (site, CONTROL_AGENT_PEER (0), LK_MESSAGE_RELOAD), ==, 0);
  /* Settings of the agents alone. */
  files.settings = 5;
  lk_controller_reconfigure (site->core);
  control_settle (site);
  g_assert_cmpuint (control_sent_count (site, CONTROL_AGENT_PEER (0), LK_MESSAGE_RELOAD), ==, 1);
  g_autofree char *later = control_events (site, 1);
  g_assert_null (strstr (later, "reconfigure"));
  control_settle (site);
  g_assert_cmpuint (files.settled_count, ==, 3);
  files_clear (&files);
}

static void
test_refused (void)
{
  Files files;
  g_autoptr (ControlSite) site = site_new (&files, 1000);
  control_submit (site, 1, 2, 0);
  files.fault = "slurm.conf:3: it is wrong";
  LkMessage_reconfigured answer = ask (site, CONTROL_ADMIN);
  assert_refused (&answer, LK_REJECT_CONFIGURATION_WRONG, "slurm.conf:3: it is wrong\nand another");
  files.fault = NULL;
  files.nodes = "n[2-3]";
  answer = ask (site, CONTROL_ADMIN);
  assert_told (&answer, "node 'n1' cannot go: job 1 runs there");
  g_assert_false (files.is_in_force);
  g_assert_cmpuint (node_count (site), ==, 3);
  /* A run that is over, and that its agent has not seen end. */
  control_order (site, 2, LK_EVENT_CANCEL, 1);
  control_order_node (site, 3, LK_EVENT_NODE_DOWN, 0, "broken");
  answer = ask (site, CONTROL_ADMIN);
  assert_told (&answer, "node 'n1' cannot go: a run of job 1 has not ended there for its agent");
  answer = ask (site, CONTROL_USER);
  g_assert_cmpuint (answer.error, ==, LK_REJECT_PERMISSION);
  g_assert_cmpuint (files.settled_count, ==, 3);
  g_autofree char *events = control_events (site, 1);
  g_assert_null (strstr (events, "reconfigure"));
  files_clear (&files);
}

/* What was told is in force behind a crash, also where a snapshot was taken in between, and numbers
 * of nodes are those of the machine as it is. */
static void
test_crash (gconstpointer snapshot_events)
{
  Files files;
  g_autoptr (ControlSite) site = site_new (&files, GPOINTER_TO_UINT (snapshot_events));
  control_submit (site, 1, 2, 0);
  files.nodes = "n[0-3]";
  files.order = "sjf";
  LkMessage_reconfigured answer = ask (site, CONTROL_ADMIN);
  assert_told (&answer, "");
  control_submit (site, 2, 2, 0);
  files.nodes = "n[0-4]";
  answer = ask (site, CONTROL_ADMIN);
  assert_told (&answer, "");
  control_submit (site, 3, 2, 0);
  LkDigestValue digest = lk_engine_digest (lk_controller_engine (site->core));
  control_crash (site, 0, 0);
  g_assert_true (control_start (site, 0));
  g_assert_cmpuint (node_count (site), ==, 5);
  g_assert_true (
      lk_digest_value_equal (digest, lk_engine_digest (lk_controller_engine (site->core))));
  g_assert_cmpstr (lk_engine_config (lk_controller_engine (site->core))->order->base.name, ==,
                   "sjf");
  lk_controller_check (site->core);
  answer = ask (site, CONTROL_ADMIN);
  assert_told (&answer, "");
  g_assert_cmpuint (answer.seq, ==, lk_controller_durable_seq (site->core));
  lk_controller_check (site->core);
  files_clear (&files);
}

/* An answer waits for the disk. */
static void
test_durable (void)
{
  Files files;
  g_autoptr (ControlSite) site = site_new (&files, 1000);
  LkPeer peer = control_user (CONTROL_ADMIN);
  LkMessage question = { .kind = LK_MESSAGE_RECONFIGURE };
  files.order = "sjf";
  control_forget_sent (site);
  site->disk_waits = TRUE;
  control_message (site, &peer, &question);
  control_settle (site);
  g_assert_cmpuint (control_sent_count (site, peer.id, LK_MESSAGE_RECONFIGURED), ==, 0);
  g_assert_cmpuint (control_sent_count (site, CONTROL_AGENT_PEER (0), LK_MESSAGE_RELOAD), ==, 0);
  control_disk_done (site, TRUE);
  control_settle (site);
  g_assert_cmpuint (control_sent_count (site, peer.id, LK_MESSAGE_RECONFIGURED), ==, 1);
  g_assert_cmpuint (control_sent_count (site, CONTROL_AGENT_PEER (0), LK_MESSAGE_RELOAD), ==, 1);
  while (site->writes->len > 0)
    control_disk_done (site, TRUE);
  files_clear (&files);
}

static guint
reloads (const ControlSite *site, guint node)
{
  return control_sent_count (site, CONTROL_AGENT_PEER (node), LK_MESSAGE_RELOAD);
}

static guint64
reload_number (const ControlSite *site, guint node)
{
  LkMessage message;
  gboolean is_sent = control_sent (site, CONTROL_AGENT_PEER (node), LK_MESSAGE_RELOAD, 0, &message);
  g_assert_true (is_sent);
  return message.reload.number;
}

static void
beat (ControlSite *site, guint node, guint64 reload)
{
  LkPeer peer = control_agent (node);
  LkMessage message = { .kind = LK_MESSAGE_HEARTBEAT };
  message.heartbeat = (LkMessage_heartbeat){ .node = lk_text (peer.name),
                                             .agent_id = 1,
                                             .epoch = control_epoch (site, node),
                                             .reload = reload };
  control_message (site, &peer, &message);
  control_settle (site);
}

/* Until one is sent again, or it is clear that none will be. */
static void
wait_for_retry (ControlSite *site)
{
  guint step_count = 50;
  control_forget_sent (site);
  for (guint i = 0; i < step_count && reloads (site, 0) + reloads (site, 1) == 0; i++)
    control_wait (site, 2 * site->config.retry_us / step_count);
}

/* A RELOAD that is lost comes again, until its agent has heard that one. */
static void
test_reload_again (void)
{
  Files files;
  g_autoptr (ControlSite) site = site_new (&files, 1000);
  ask (site, CONTROL_ADMIN);
  guint64 number = reload_number (site, 0);
  g_assert_cmpuint (number, !=, 0);
  for (guint i = 0; i < 2; i++) {
    wait_for_retry (site);
    g_assert_cmpuint (reload_number (site, 0), ==, number);
    g_assert_cmpuint (reload_number (site, 1), ==, number);
  }
  beat (site, 0, number);
  wait_for_retry (site);
  g_assert_cmpuint (reloads (site, 0), ==, 0);
  g_assert_cmpuint (reloads (site, 1), ==, 1);
  /* Another time is another number. */
  beat (site, 1, number);
  ask (site, CONTROL_ADMIN);
  guint64 second = reload_number (site, 0);
  g_assert_cmpuint (second, >, number);
  beat (site, 0, number);
  wait_for_retry (site);
  g_assert_cmpuint (reload_number (site, 0), ==, second);
  files_clear (&files);
}

/* An agent that comes later, and has heeded none, is told; one that has begun anew is not. */
static void
test_reload_late (void)
{
  Files files;
  g_autoptr (ControlSite) site = site_new (&files, 1000);
  ask (site, CONTROL_ADMIN);
  guint64 number = reload_number (site, 0);
  for (guint node = 0; node < CONTROL_NODES; node++)
    beat (site, node, number);
  control_forget_sent (site);
  control_register (site, 0, 2, NULL, 0);
  g_assert_cmpuint (reload_number (site, 0), ==, number);
  control_forget_sent (site);
  LkPeer peer = control_agent (0);
  LkMessage message = { .kind = LK_MESSAGE_REPORT };
  message.report = (LkMessage_report){
    .node = lk_text (peer.name), .agent_id = 2, .epoch = control_epoch (site, 0), .reload = number
  };
  control_message (site, &peer, &message);
  wait_for_retry (site);
  g_assert_cmpuint (reloads (site, 0), ==, 0);
  files_clear (&files);
}

/* A controller that begins asks its files; where they say what they did, agents are left alone. */
static void
test_reload_at_start (void)
{
  Files files;
  g_autoptr (ControlSite) site = site_new (&files, 1000);
  for (guint i = 0; i < 2; i++) {
    control_crash (site, 0, 0);
    control_forget_sent (site);
    files.settings = i + 1;
    files.order = i == 0 ? "fifo" : "sjf";
    g_assert_true (control_start (site, 0));
    lk_controller_reconfigure (site->core);
    control_settle (site);
    control_register (site, 0, 1, NULL, 0);
    g_assert_cmpuint (reloads (site, 0), ==, i);
  }
  files_clear (&files);
}

/* Each trial is told whole: with the name of a partition that only the copy of the engine had,
 * which has gone by the time that its answer is sent. */
static void
test_trial (void)
{
  Files files;
  g_autoptr (ControlSite) site = site_new (&files, 1000);
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  LkEvent event = { .kind = LK_EVENT_SUBMIT };
  LkMessage query = { .kind = LK_MESSAGE_STATE_QUERY };
  LkPeer peer = control_user (CONTROL_USER);
  files.nodes = "n[0-3]";
  LkMessage_reconfigured answer = ask (site, CONTROL_ADMIN);
  assert_told (&answer, "");
  event.submit.user_id = CONTROL_USER;
  event.submit.procs = 1;
  event.submit.estimate_us = 60 * CONTROL_SECOND_US;
  lk_event_encode (&event, bytes);
  query.state_query.record = LK_RECORD_TRIAL;
  query.state_query.event = (LkBytes){ bytes->data, bytes->len };
  for (guint i = 0; i < 50; i++) {
    LkMessage page;
    LkRecord trial;
    control_forget_sent (site);
    control_message (site, &peer, &query);
    control_settle (site);
    g_assert_true (control_sent (site, peer.id, LK_MESSAGE_STATE_PAGE, 0, &page));
    LkBytes left = page.state_page.records;
    g_assert_true (lk_record_next (&left, LK_RECORD_TRIAL, &trial));
    g_assert_cmpuint (left.length_bytes, ==, 0);
    g_autofree char *partition =
        g_strndup (trial.trial.partition.bytes, trial.trial.partition.length_bytes);
    g_assert_cmpstr (partition, ==, "main");
  }
  files_clear (&files);
}

/* Nobody reads anything anew. */
static void
test_none (void)
{
  ControlOptions options = { .snapshot_events = 1000, .session_count_max = 100 };
  g_autoptr (ControlSite) site = control_site_new (&options);
  control_start_all (site);
  LkMessage_reconfigured answer = ask (site, CONTROL_ADMIN);
  assert_told (&answer, "this controller reads its configuration only once");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/controller/a node that comes is down until its agent is there", test_node);
  g_test_add_data_func ("/controller/a node that is new comes up", GUINT_TO_POINTER (1000),
                        test_new_node_comes);
  g_test_add_data_func ("/controller/a snapshot knows which nodes are new", GUINT_TO_POINTER (1),
                        test_new_node_comes);
  g_test_add_func ("/controller/what is as before is no event", test_same);
  g_test_add_func ("/controller/a configuration is refused with all reasons", test_refused);
  g_test_add_data_func ("/controller/a configuration outlives a crash", GUINT_TO_POINTER (1000),
                        test_crash);
  g_test_add_data_func ("/controller/a snapshot knows the configuration", GUINT_TO_POINTER (1),
                        test_crash);
  g_test_add_func ("/controller/a configuration is told when it is durable", test_durable);
  g_test_add_func ("/controller/agents are told to reload until they have heard",
                   test_reload_again);
  g_test_add_func ("/controller/agents that come later are told to reload", test_reload_late);
  g_test_add_func ("/controller/a start has no agent reload for nothing", test_reload_at_start);
  g_test_add_func ("/controller/a configuration need not be read anew", test_none);
  g_test_add_func ("/controller/a trial is told under a configuration read anew", test_trial);
  return g_test_run ();
}
