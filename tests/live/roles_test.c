/* tests/live/roles_test.c — every kind of message from every role, against a table written by hand.
 *
 * The table stands here a second time, in other words than in live/core/message_schema.h, so that a
 * slip in one of them is seen.  A message is refused when the controller counts it so; whether what
 * it asks can be done is another matter. */
#include <string.h>

#include "engine/accounts_change.h"
#include "live/core/controller_private.h"
#include "live/core/record.h"
#include "tests/dst/cluster.h"

/* A anonymous, U another user, O the owner, C a coordinator of the job's account, P an operator, D
 * an administrator, R root, G the agent of the node, H of another, M a controller, S a standby.
 * Of processes in jobs see peer_in_job. */
#define ALL_ROLES "AUOCPDRGHMS"
#define JOB_ROLES "JKLNQT"

typedef struct {
  LkMessageKind kind;
  const char *allowed;
} Row;

static const Row rows[] = {
  { LK_MESSAGE_SUBMIT, "ODR" },
  { LK_MESSAGE_UPDATE, "OCPDR" },
  { LK_MESSAGE_CANCEL, "OCPDR" },
  { LK_MESSAGE_HOLD, "OCPDR" },
  { LK_MESSAGE_RELEASE, "OCPDR" },
  { LK_MESSAGE_REQUEUE, "OCPDR" },
  { LK_MESSAGE_SIGNAL, "OCPDR" },
  { LK_MESSAGE_SUSPEND, "PDR" },
  { LK_MESSAGE_RESUME, "PDR" },
  { LK_MESSAGE_NODE_UP, "PDR" },
  { LK_MESSAGE_NODE_DOWN, "PDR" },
  { LK_MESSAGE_NODE_DRAIN, "PDR" },
  { LK_MESSAGE_NODE_RESUME, "PDR" },
  { LK_MESSAGE_RESERVATION_CREATE, "PDR" },
  { LK_MESSAGE_RESERVATION_UPDATE, "PDR" },
  { LK_MESSAGE_RESERVATION_DELETE, "PDR" },
  { LK_MESSAGE_PARTITION, "PDR" },
  { LK_MESSAGE_ASSOCIATION, "PDR" },
  { LK_MESSAGE_QOS, "DR" },
  { LK_MESSAGE_JOB_QUERY, "UOCPDRJK" },
  { LK_MESSAGE_STATE_QUERY, "UOCPDRJKL" },
  { LK_MESSAGE_RECONFIGURE, "PDR" },
  { LK_MESSAGE_STEP_CREATE, "ODRJ" },
  { LK_MESSAGE_STEP_SIGNAL, "OCPDRJ" },
  { LK_MESSAGE_STEP_UPDATE, "OCPDRJ" },
  { LK_MESSAGE_STEP_ATTACH, "ODRJ" },
  { LK_MESSAGE_JOB_NOTIFY, "OPDR" },
  { LK_MESSAGE_JOB_COMPLETE, "OCPDR" },
  { LK_MESSAGE_STATISTICS_RESET, "PDR" },
  { LK_MESSAGE_ADMIN_COMMENT, "PDR" },
  { LK_MESSAGE_LOG_LEVEL, "DR" },
  { LK_MESSAGE_LOG_LEVEL_SET, "M" },
  { LK_MESSAGE_TOKEN_SIGN, "UOCPDR" },
  { LK_MESSAGE_TOKEN_SIGNED, "M" },
  { LK_MESSAGE_STATISTICS_WERE_RESET, "M" },
  { LK_MESSAGE_STEP_CREATED, "M" },
  { LK_MESSAGE_STEP_REPLY, "M" },
  { LK_MESSAGE_STATE_PAGE, "M" },
  { LK_MESSAGE_RECONFIGURED, "M" },
  { LK_MESSAGE_REPLY, "M" },
  { LK_MESSAGE_JOB_INFO, "M" },
  { LK_MESSAGE_REGISTER, "G" },
  { LK_MESSAGE_HEARTBEAT, "G" },
  { LK_MESSAGE_RUN_STARTED, "G" },
  { LK_MESSAGE_RUN_ENDED, "G" },
  { LK_MESSAGE_SCRIPT_ENDED, "G" },
  { LK_MESSAGE_RUN_HEARD, "G" },
  { LK_MESSAGE_STEP_STARTED, "G" },
  { LK_MESSAGE_STEP_ENDED, "G" },
  { LK_MESSAGE_STEP_HEARD, "G" },
  { LK_MESSAGE_STEP_USAGE, "G" },
  { LK_MESSAGE_REPORT, "G" },
  { LK_MESSAGE_REGISTERED, "M" },
  { LK_MESSAGE_LAUNCH, "M" },
  { LK_MESSAGE_TERMINATE, "M" },
  { LK_MESSAGE_RUN_SIGNAL, "M" },
  { LK_MESSAGE_RUN_SUSPEND, "M" },
  { LK_MESSAGE_RUN_FORGET, "M" },
  { LK_MESSAGE_RUN_NOTIFY, "M" },
  { LK_MESSAGE_STEP_LAUNCH, "M" },
  { LK_MESSAGE_STEP_KILL, "M" },
  { LK_MESSAGE_STEP_LISTEN, "M" },
  { LK_MESSAGE_STEP_FORGET, "M" },
  { LK_MESSAGE_REPORTED, "M" },
  { LK_MESSAGE_RELOAD, "M" },
  { LK_MESSAGE_FOLLOW, "S" },
  { LK_MESSAGE_JOURNAL, "M" },
  { LK_MESSAGE_FOLLOWED, "S" },
  { LK_MESSAGE_DIVERGED, "S" },
  { LK_MESSAGE_HELLO, "" },
  { LK_MESSAGE_CHALLENGE, "" },
  { LK_MESSAGE_PROOF, "" },
  { LK_MESSAGE_WELCOME, "" },
  { LK_MESSAGE_FAREWELL, "" },
  { LK_MESSAGE_KEPT_START, "" },
  { LK_MESSAGE_KEPT_REQUEST, "" },
  { LK_MESSAGE_KEPT_STATE, "" },
  { LK_MESSAGE_KEPT_NODE, "" },
  { LK_MESSAGE_KEPT_PAYLOAD, "" },
  { LK_MESSAGE_KEPT_RUN, "" },
  { LK_MESSAGE_KEPT_RUN_NODE, "" },
  { LK_MESSAGE_KEPT_ORDER, "" },
  { LK_MESSAGE_KEPT_SESSION, "" },
  { LK_MESSAGE_KEPT_STANDBY, "" },
  { LK_MESSAGE_KEPT_USAGE, "" },
  { LK_MESSAGE_KEPT_GPU_USAGE, "" },
  { LK_MESSAGE_KEPT_BEGUN, "" },
  { LK_MESSAGE_KEPT_STEP, "" },
  { LK_MESSAGE_KEPT_STEP_ENDED, "" },
  { LK_MESSAGE_KEPT_STEP_ORDER, "" },
  { LK_MESSAGE_KEPT_STEP_HEARD, "" },
  { LK_MESSAGE_KEPT_STEP_LIMIT, "" },
  { LK_MESSAGE_KEPT_COMPLETE, "" },
  { LK_MESSAGE_KEPT_ADMIN_COMMENT, "" },
};

#define ANN 1001u
#define ANNS_GROUP 77u
#define PEER_ID 77777u

static LkPeer
peer_of (char role)
{
  static const struct {
    char role;
    LkPeer peer;
  } peers[] = {
    { 'A', { .kind = LK_PEER_ANONYMOUS } },
    { 'U', { .kind = LK_PEER_USER, .user_id = 1002, .name = "bob" } },
    { 'O', { .kind = LK_PEER_USER, .user_id = ANN, .name = "ann" } },
    { 'C', { .kind = LK_PEER_USER, .user_id = 1003, .name = "carl" } },
    { 'P', { .kind = LK_PEER_USER, .user_id = 1004, .name = "olga" } },
    { 'D', { .kind = LK_PEER_USER, .user_id = 1005, .name = "adam" } },
    { 'R', { .kind = LK_PEER_USER, .user_id = 0, .name = "root" } },
    { 'G', { .kind = LK_PEER_AGENT, .name = "n1" } },
    { 'H', { .kind = LK_PEER_AGENT, .name = "n2" } },
    { 'M', { .kind = LK_PEER_CONTROLLER, .name = "controller1" } },
    { 'S', { .kind = LK_PEER_STANDBY, .name = "controller2" } },
  };
  for (guint i = 0; i < G_N_ELEMENTS (peers); i++)
    if (peers[i].role == role) {
      LkPeer peer = peers[i].peer;
      peer.id = PEER_ID;
      return peer;
    }
  g_assert_not_reached ();
}

/* ---------------------------------------------------------------- the cluster */

static void
set (char **field, const char *text)
{
  g_free (*field);
  *field = g_strdup (text);
}

static LkAccounts *
accounts_new (void)
{
  LkAccounts *accounts = lk_accounts_new ("roles");
  LkAccountsError error;
  lk_accounts_add_account (accounts, "phys", NULL);
  lk_accounts_add_user (accounts, "ann", "phys", NULL);
  lk_accounts_add_user (accounts, "bob", "phys", NULL);
  set (&lk_accounts_add_user (accounts, "carl", "phys", NULL)->coordinates, "phys");
  set (&lk_accounts_add_user (accounts, "olga", "phys", NULL)->admin_level, "Operator");
  set (&lk_accounts_add_user (accounts, "adam", "phys", NULL)->admin_level, "Administrator");
  g_assert_true (lk_accounts_check (accounts, &error));
  return accounts;
}

static LkSetup *
setup_new (const LkRegistry *registry)
{
  g_autoptr (LkAccounts) accounts = accounts_new ();
  g_autoptr (LkCluster) machine = lk_cluster_new ("roles");
  g_autoptr (GError) error = NULL;
  LkClusterError fault;
  LkNodeSpec *spec = lk_cluster_add_nodes (machine, "n[1-5]");
  spec->sockets = spec->cores_per_socket = spec->threads_per_core = spec->cpus = 1;
  g_assert_true (lk_cluster_check (machine, &fault));
  LkSetupOptions options = { .origin_us = 0,
                             .order = "fifo",
                             .backfill = "easy",
                             .select = "cons_tres",
                             .cluster = machine,
                             .accounts = accounts,
                             .requeues_ended = TRUE };
  LkSetup *setup = lk_setup_new (registry, &options, &error);
  g_assert_no_error (error);
  return setup;
}

/* Scripts that begin a second time take a while. */
static void
plan_again (gpointer user, const LkMessage_launch *launch, LkProcessSimPlan *plan)
{
  (void)user;
  if (launch->restarts > 0)
    plan->script_us = 100 * G_USEC_PER_SEC;
}

static DstCluster *
cluster_new (const LkSetup *setup)
{
  static const DstIdentity people[] = {
    { .user_id = ANN, .group_id = ANNS_GROUP, .name = "ann" },
    { .user_id = 1005, .group_id = 1005, .name = "adam" },
  };
  DstOptions options = { .seed = 1,
                         .start_us = G_USEC_PER_SEC,
                         .setup = setup,
                         .source = "roles",
                         .controller = { .administrator_user_id = 990,
                                         .heartbeat_us = G_USEC_PER_SEC,
                                         .node_timeout_us = 300 * G_USEC_PER_SEC,
                                         .registration_wait_us = 300 * G_USEC_PER_SEC,
                                         .retry_us = G_USEC_PER_SEC,
                                         .snapshot_events = 1000,
                                         .session_count_max = 1000 },
                         .agent_retry_us = G_USEC_PER_SEC,
                         .client_retry_us = G_USEC_PER_SEC,
                         .client_count = 2,
                         .plan = plan_again,
                         .identities = people,
                         .identity_count = 2 };
  return dst_cluster_new (&options);
}

/* What the messages are about. */
static guint32 asked_job = 1;

/* Job 1: it waits for ever, so that it is there for everybody. */
static LkEvent
submit_of_ann (void)
{
  LkEvent event = { .kind = LK_EVENT_SUBMIT };
  event.submit.user_id = ANN;
  event.submit.procs = 1;
  event.submit.nodes_min = 1;
  event.submit.estimate_us = 60 * G_USEC_PER_SEC;
  event.submit.flags = LK_REQUEST_HOLD;
  return event;
}

/* ---------------------------------------------------------------- the messages */

static LkEvent
event_of (LkEventKind kind)
{
  LkEvent event = { .kind = kind };
  switch (kind) {
  case LK_EVENT_SUBMIT:
    return submit_of_ann ();
  case LK_EVENT_UPDATE:
    event.update.job_id = asked_job;
    break;
  case LK_EVENT_CANCEL:
    /* A task that it has not: the job stays. */
    event.cancel.job_id = asked_job;
    event.cancel.task_list = lk_text ("7");
    break;
  case LK_EVENT_HOLD:
    event.hold.job_id = asked_job;
    break;
  case LK_EVENT_RELEASE:
    event.release.job_id = asked_job;
    event.release.task_list = lk_text ("7");
    break;
  case LK_EVENT_REQUEUE:
  case LK_EVENT_SIGNAL:
  case LK_EVENT_SUSPEND:
  case LK_EVENT_RESUME:
    event.requeue.job_id = asked_job;
    break;
  default:
    break;
  }
  return event;
}

static void
encode (const Row *row, guint64 session, GByteArray *out)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  LkMessage message = { .kind = row->kind };
  guint event_kind = lk_message_event_kind (row->kind);
  if (event_kind != 0) {
    LkEvent event = event_of ((LkEventKind)event_kind);
    lk_event_encode (&event, bytes);
    LkRequestHead *head = (LkRequestHead *)(gpointer)lk_message_request (&message);
    *head = (LkRequestHead){ session, 1, { bytes->data, bytes->len } };
  } else if (strchr (row->allowed, 'G') != NULL) {
    /* All that agents send begins with the node. */
    message.heartbeat.node = lk_text ("n1");
    if (row->kind == LK_MESSAGE_RUN_ENDED)
      message.run_ended.state = LK_RUN_ENDED;
  }
  if (row->kind == LK_MESSAGE_STEP_CREATE || row->kind == LK_MESSAGE_STEP_SIGNAL
      || row->kind == LK_MESSAGE_STEP_UPDATE || row->kind == LK_MESSAGE_STEP_ATTACH
      || row->kind == LK_MESSAGE_JOB_NOTIFY || row->kind == LK_MESSAGE_JOB_COMPLETE) {
    /* All that is about steps begins with whose request it is, and the job. */
    message.step_create.session = session;
    message.step_create.request = 1;
    message.step_create.job_id = asked_job;
  }
  if (row->kind == LK_MESSAGE_JOB_QUERY)
    message.job_query.job_id = asked_job;
  if (row->kind == LK_MESSAGE_STATE_QUERY)
    message.state_query.record = LK_RECORD_JOB;
  if (row->kind == LK_MESSAGE_STEP_ENDED)
    message.step_ended.state = LK_STEP_ENDED;
  lk_message_encode (&message, out);
}

static gboolean
is_refused_to (LkController *core, const Row *row, const LkPeer *peer)
{
  static guint64 session = 1000;
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  LkControllerCounts before;
  LkControllerCounts after;
  encode (row, ++session, bytes);
  lk_controller_counts (core, &before);
  lk_controller_message (core, peer, bytes->data, bytes->len);
  lk_controller_counts (core, &after);
  g_assert_cmpuint (after.malformed_count, ==, before.malformed_count);
  return after.refused_count != before.refused_count;
}

static gboolean
is_refused (LkController *core, const Row *row, char role)
{
  LkPeer peer = peer_of (role);
  return is_refused_to (core, row, &peer);
}

static void
test_matrix (void)
{
  g_autoptr (LkRegistry) registry = lk_registry_new ();
  g_autoptr (LkSetup) setup = setup_new (registry);
  g_autoptr (DstCluster) cluster = cluster_new (setup);
  LkEvent event = submit_of_ann ();
  dst_submit (cluster, 0, &event, 1, &(LkProcessSimPlan){ 0 });
  dst_run_for (cluster, G_USEC_PER_SEC);
  LkController *core = dst_controller (cluster);
  g_assert_cmpuint (dst_open_count (cluster), ==, 0);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    for (const char *role = ALL_ROLES; *role != '\0'; role++) {
      gboolean may = strchr (rows[i].allowed, *role) != NULL;
      if (is_refused (core, &rows[i], *role) == may)
        g_error ("%s from %c: %s", lk_message_kind_name (rows[i].kind), *role,
                 may ? "refused" : "allowed");
    }
  dst_run_for (cluster, G_USEC_PER_SEC);
  lk_controller_check (core);
}

/* ---------------------------------------------------------------- inside jobs */

/* Jobs 1 and 2 are ann's, on n1 and n2; job 3, adam's, who is an administrator, is over; job 4 is
 * adam's, on n3.  Jobs 5 and 6 are one job of ann's of two components, on n4 and n5. */
static DstCluster *
busy_cluster_new (const LkSetup *setup)
{
  static const guint32 users[] = { ANN, ANN, 1005, 1005 };
  DstCluster *cluster = cluster_new (setup);
  for (guint i = 0; i < G_N_ELEMENTS (users); i++) {
    LkEvent event = submit_of_ann ();
    LkProcessSimPlan plan = { .script_us = i == 2 ? G_USEC_PER_SEC / 100 : 100 * G_USEC_PER_SEC };
    event.submit.flags = 0;
    event.submit.user_id = users[i];
    dst_submit (cluster, users[i] == ANN ? 0 : 1, &event, 1, &plan);
    dst_run_for (cluster, 3 * G_USEC_PER_SEC);
  }
  LkEvent parts[] = { submit_of_ann (), submit_of_ann () };
  for (guint i = 0; i < G_N_ELEMENTS (parts); i++) {
    parts[i].submit.flags = 0;
    parts[i].submit.het_count = G_N_ELEMENTS (parts);
    parts[i].submit.het_offset = i;
  }
  dst_submit (cluster, 0, parts, G_N_ELEMENTS (parts),
              &(LkProcessSimPlan){ .script_us = 100 * G_USEC_PER_SEC });
  dst_run_for (cluster, 3 * G_USEC_PER_SEC);
  return cluster;
}

static void
ask_ann (DstCluster *cluster, LkMessageKind kind, const LkEvent *event)
{
  const DstRequest request = { .kind = kind, .events = event, .event_count = 1 };
  dst_client_ask (dst_client (cluster, 0), &request);
}

static guint64
run_of (const LkController *core, guint32 job_id)
{
  const LkRun *run = lk_run_of_job (core, job_id);
  g_assert_nonnull (run);
  g_assert_cmpuint (run->end_seq, ==, 0);
  return run->run_id;
}

/* J: in the job that is asked about, 1. K: in another one of its user. L: in one of another user.
 * N: in a run that does not exist any more. Q: another user, in the run. T: on a node that the run
 * does not have. */
static LkPeer
peer_in_job (const LkController *core, char role)
{
  LkPeer peer = { .id = PEER_ID,
                  .kind = LK_PEER_JOB,
                  .user_id = role == 'L' || role == 'N' || role == 'Q' ? 1005 : ANN,
                  .name = role == 'L' || role == 'N' || role == 'Q' ? "adam" : "ann",
                  .run_id = run_of (core, role == 'K'   ? 2
                                          : role == 'L' ? 4
                                                        : 1),
                  .node = role == 'K' ? "n2" : "n1" };
  if (role == 'L')
    peer.node = "n3";
  if (role == 'N')
    peer.run_id = run_of (core, 4) - 1;
  if (role == 'T')
    peer.node = "n2";
  return peer;
}

/* The user of L is an administrator: his jobs are not. */
static void
test_job_matrix (void)
{
  g_autoptr (LkRegistry) registry = lk_registry_new ();
  g_autoptr (LkSetup) setup = setup_new (registry);
  g_autoptr (DstCluster) cluster = busy_cluster_new (setup);
  LkController *core = dst_controller (cluster);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    for (const char *role = JOB_ROLES; *role != '\0'; role++) {
      LkPeer peer = peer_in_job (core, *role);
      gboolean may = strchr (rows[i].allowed, *role) != NULL;
      if (is_refused_to (core, &rows[i], &peer) == may)
        g_error ("%s from %c: %s", lk_message_kind_name (rows[i].kind), *role,
                 may ? "refused" : "allowed");
    }
  lk_controller_check (core);
}

/* A key is good for the other components, and for nothing once the job is over. */
static void
test_job_ends (void)
{
  static const Row create = { LK_MESSAGE_STEP_CREATE, "" };
  static const Row query = { LK_MESSAGE_STATE_QUERY, "" };
  g_autoptr (LkRegistry) registry = lk_registry_new ();
  g_autoptr (LkSetup) setup = setup_new (registry);
  g_autoptr (DstCluster) cluster = busy_cluster_new (setup);
  LkController *core = dst_controller (cluster);
  LkPeer peer = peer_in_job (core, 'J');
  peer.run_id = run_of (core, 5);
  peer.node = "n4";
  asked_job = 6;
  g_assert_false (is_refused_to (core, &create, &peer));
  asked_job = 5;
  g_assert_false (is_refused_to (core, &create, &peer));
  asked_job = 1;
  g_assert_true (is_refused_to (core, &create, &peer));
  asked_job = 5;
  LkEvent cancel = { .kind = LK_EVENT_CANCEL, .cancel = { .job_id = 5 } };
  ask_ann (cluster, LK_MESSAGE_CANCEL, &cancel);
  dst_run_for (cluster, 20 * G_USEC_PER_SEC);
  g_assert_null (lk_run_of_job (core, 5));
  g_assert_true (is_refused_to (core, &create, &peer));
  g_assert_true (is_refused_to (core, &query, &peer));
  asked_job = 1;
}

/* Behind a requeue the job has another run, with another key. */
static void
test_job_requeued (void)
{
  static const Row create = { LK_MESSAGE_STEP_CREATE, "" };
  g_autoptr (LkRegistry) registry = lk_registry_new ();
  g_autoptr (LkSetup) setup = setup_new (registry);
  g_autoptr (DstCluster) cluster = busy_cluster_new (setup);
  LkController *core = dst_controller (cluster);
  LkPeer peer = peer_in_job (core, 'J');
  g_assert_false (is_refused_to (core, &create, &peer));
  LkEvent requeue = { .kind = LK_EVENT_REQUEUE, .requeue = { .job_id = 1 } };
  ask_ann (cluster, LK_MESSAGE_REQUEUE, &requeue);
  /* It begins again behind the delay of the cluster. */
  dst_run_for (cluster, 20 * G_USEC_PER_SEC);
  g_assert_true (is_refused_to (core, &create, &peer));
  const LkRun *run = NULL;
  for (guint i = 0; run == NULL && i < 60; i++) {
    dst_run_for (cluster, 10 * G_USEC_PER_SEC);
    run = lk_run_of_job (core, 1);
  }
  g_assert_nonnull (run);
  g_assert_cmpuint (run->job_id, ==, 1);
  g_assert_cmpuint (run->restarts, ==, 1);
  g_assert_true (is_refused_to (core, &create, &peer));
  peer.run_id = run->run_id;
  peer.node = lk_engine_nodes (lk_controller_engine (core))->names[run->nodes[0].node];
  g_assert_false (is_refused_to (core, &create, &peer));
}

static void
test_complete (void)
{
  guint count = 0;
  for (guint kind = 0; kind < 256; kind++) {
    guint found = 0;
    if (strcmp (lk_message_kind_name (kind), "?") == 0)
      continue;
    count++;
    for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
      found += (guint)rows[i].kind == kind ? 1 : 0;
    if (found != 1)
      g_error ("%s stands %u times in the table", lk_message_kind_name (kind), found);
  }
  g_assert_cmpuint (count, ==, G_N_ELEMENTS (rows));
}

/* A user cannot make himself another, nor say of himself what only staff may. */
static void
test_trimmed (void)
{
  g_autoptr (LkRegistry) registry = lk_registry_new ();
  g_autoptr (LkSetup) setup = setup_new (registry);
  g_autoptr (DstCluster) cluster = cluster_new (setup);
  LkEvent event = submit_of_ann ();
  LkJobInfo info;
  event.submit.user = lk_text ("adam");
  event.submit.group = lk_text ("wheel");
  event.submit.group_id = 0;
  event.submit.priority = 4000000;
  dst_submit (cluster, 0, &event, 1, &(LkProcessSimPlan){ 0 });
  event.submit.nice = -500;
  dst_submit (cluster, 0, &event, 1, &(LkProcessSimPlan){ 0 });
  event.submit.user_id = 1002;
  dst_submit (cluster, 0, &event, 1, &(LkProcessSimPlan){ 0 });
  dst_run_for (cluster, G_USEC_PER_SEC);
  const LkEngine *engine = lk_controller_engine (dst_controller (cluster));
  g_assert_true (lk_engine_job (engine, 1, &info));
  g_assert_cmpuint (info.group_id, ==, ANNS_GROUP);
  guint32 association = lk_engine_view (engine)->jobs->association[lk_engine_job_index (engine, 1)];
  const LkAssociationSpec *spec =
      g_ptr_array_index (lk_setup_config (setup)->accounts->associations, association);
  g_assert_cmpstr (spec->user, ==, "ann");
  g_assert_false (lk_engine_job (engine, 2, &info));
}

/* ---------------------------------------------------------------- accounts change */

/* `who` sets an AdminLevel of bob. TRUE: he may. */
static gboolean
sets_level (LkController *core, char who, const char *level)
{
  static guint64 session = 5000;
  const LkAccounts *accounts = lk_engine_accounts (lk_controller_engine (core));
  g_autoptr (GString) record = g_string_new (NULL);
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  g_autoptr (GByteArray) whole = g_byte_array_new ();
  lk_accounts_association_text (accounts, lk_accounts_find (accounts, "phys", "bob", ""), record);
  const char *from = strstr (record->str, "admin_level=\"\"") != NULL ? "admin_level=\"\""
                                                                      : "admin_level=Operator";
  g_autofree char *to = g_strconcat ("admin_level=", level, NULL);
  g_assert_cmpuint (g_string_replace (record, from, to, 1), ==, 1);
  LkEvent event = { .kind = LK_EVENT_ASSOCIATION };
  event.association = (LkEvent_association){ .operation = LK_ACCOUNTS_CHANGE,
                                             .account = lk_text ("phys"),
                                             .user = lk_text ("bob"),
                                             .changes = 1u << LK_ASSOCIATION_CHANGE_admin_level,
                                             .record = { record->str, (guint32)record->len } };
  lk_event_encode (&event, bytes);
  LkMessage message = { .kind = LK_MESSAGE_ASSOCIATION };
  LkRequestHead *head = (LkRequestHead *)(gpointer)lk_message_request (&message);
  *head = (LkRequestHead){ ++session, 1, { bytes->data, bytes->len } };
  lk_message_encode (&message, whole);
  LkControllerCounts before;
  LkControllerCounts after;
  LkPeer peer = peer_of (who);
  lk_controller_counts (core, &before);
  lk_controller_message (core, &peer, whole->data, whole->len);
  lk_controller_counts (core, &after);
  g_assert_cmpuint (after.malformed_count, ==, before.malformed_count);
  return after.refused_count == before.refused_count;
}

/* An operator makes operators, and no administrators; who was made one is one from then on. */
static void
test_levels (void)
{
  static const Row drain = { LK_MESSAGE_NODE_DRAIN, "PDR" };
  g_autoptr (LkRegistry) registry = lk_registry_new ();
  g_autoptr (LkSetup) setup = setup_new (registry);
  g_autoptr (DstCluster) cluster = cluster_new (setup);
  LkController *core = dst_controller (cluster);
  dst_run_for (cluster, G_USEC_PER_SEC);
  g_assert_true (is_refused (core, &drain, 'U'));
  g_assert_false (sets_level (core, 'U', "Operator"));
  g_assert_false (sets_level (core, 'P', "Administrator"));
  g_assert_true (sets_level (core, 'P', "Operator"));
  dst_run_for (cluster, G_USEC_PER_SEC);
  g_assert_false (is_refused (core, &drain, 'U'));
  g_assert_false (sets_level (core, 'U', "Administrator"));
  g_assert_true (sets_level (core, 'D', "Administrator"));
  dst_run_for (cluster, G_USEC_PER_SEC);
  const LkAccounts *accounts = lk_engine_accounts (lk_controller_engine (core));
  g_assert_cmpstr (lk_accounts_find (accounts, "phys", "bob", "")->admin_level, ==,
                   "Administrator");
  lk_controller_check (core);
}

/* Who owned a job that has ended may send it back to the queue, and nobody else may. */
static void
test_ended (void)
{
  static const Row requeue = { LK_MESSAGE_REQUEUE, "" };
  g_autoptr (LkRegistry) registry = lk_registry_new ();
  g_autoptr (LkSetup) setup = setup_new (registry);
  g_autoptr (DstCluster) cluster = cluster_new (setup);
  LkEvent event = submit_of_ann ();
  LkJobInfo info;
  event.submit.flags = 0;
  dst_submit (cluster, 0, &event, 1, &(LkProcessSimPlan){ .script_us = G_USEC_PER_SEC });
  dst_run_for (cluster, 5 * G_USEC_PER_SEC);
  LkController *core = dst_controller (cluster);
  g_assert_false (lk_engine_job (lk_controller_engine (core), 1, &info));
  g_assert_true (is_refused (core, &requeue, 'U'));
  g_assert_false (is_refused (core, &requeue, 'O'));
  dst_run_for (cluster, G_USEC_PER_SEC);
  g_assert_true (lk_engine_job (lk_controller_engine (core), 1, &info));
  g_assert_cmpuint (info.restarts, ==, 1);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/roles/every kind has a row", test_complete);
  g_test_add_func ("/roles/every kind from every role is as the table says", test_matrix);
  g_test_add_func ("/roles/every kind from inside of jobs is as the table says", test_job_matrix);
  g_test_add_func ("/roles/a job's key ends with the job", test_job_ends);
  g_test_add_func ("/roles/a job's key ends with its run", test_job_requeued);
  g_test_add_func ("/roles/what only staff may say is taken from others", test_trimmed);
  g_test_add_func ("/roles/an operator makes no administrator", test_levels);
  g_test_add_func ("/roles/an ended job is still its owner's", test_ended);
  return g_test_run ();
}
