/* tests/engine/nodes_test.c — nodes that go down, are drained and come back, and what becomes of
 * their jobs; jobs that go back to the queue; plans on nodes.
 *
 * Times, states and node lists of drain, down and resume are those of Slurm 26.05 in the run that
 * tests/oracle/cases/slurm2605-drain.case is taken from. */
#include "tests/engine/node_fixture.h"

/* n1 to n4 with 4 cores each; memory is not handed out. */
static LkCluster *
four_nodes (void)
{
  LkCluster *cluster = lk_cluster_new ("four");
  node_fixture_add (cluster, "n[1-4]", 4, 8000);
  cluster->memory = FALSE;
  return cluster;
}

static LkNodeFlags
flags_of (const LkFixture *self, guint node)
{
  return (LkNodeFlags)lk_engine_nodes (self->engine)->flags[node];
}

static void
assert_reason (const LkFixture *self, guint32 id, LkReason reason)
{
  LkJobInfo info;
  g_assert_true (lk_engine_job (self->engine, id, &info));
  g_assert_cmpint (info.state, ==, LK_JOB_PENDING);
  g_assert_cmpstr (lk_reason_name (info.reason), ==, lk_reason_name (reason));
}

/* ---------------------------------------------------------------- drain, down, resume */

static void
test_drain_and_down (void)
{
  LkFixture self;
  g_autoptr (LkCluster) cluster = four_nodes ();
  node_fixture_init (&self, cluster, "easy", "cons_tres");
  node_fixture_submit (&self, 0, 1, 300, "-w n1 --exclusive");
  node_fixture_pass (&self, 0);
  fixture_assert_log (&self, "accept 1; start 1 n1; wake 300");
  node_fixture_node (&self, 1, LK_EVENT_NODE_DRAIN, "n1");
  node_fixture_node (&self, 1, LK_EVENT_NODE_DRAIN, "n2");
  node_fixture_submit (&self, 1, 2, 60, "-w n1 -n1");
  node_fixture_submit (&self, 1, 3, 60, "-N4");
  node_fixture_submit (&self, 1, 4, 300, "-w n3 -n1");
  node_fixture_submit (&self, 1, 5, 300, "-w n3 -n1 --no-requeue");
  node_fixture_pass (&self, 1);
  fixture_assert_log (&self, "accept 0; accept 0; accept 2; accept 3; accept 4; accept 5; "
                             "start 4 backfilled n3; start 5 backfilled n3");
  assert_reason (&self, 2, LK_REASON_REQ_NODE_NOT_AVAIL);
  /* One goes back to the queue, the other has failed. */
  node_fixture_node (&self, 3, LK_EVENT_NODE_DOWN, "n3");
  fixture_assert_log (&self, "accept 0; requeue 4; NODE_FAIL 4 NodeDown; PENDING 4 BeginTime; "
                             "NODE_FAIL 5 NodeDown; wake 124");
  node_fixture_pass (&self, 3);
  fixture_assert_log (&self, "");
  assert_reason (&self, 4, LK_REASON_BEGIN_TIME);
  node_fixture_node (&self, 5, LK_EVENT_NODE_RESUME, "n3");
  /* Job 1 finishes on its drained node. */
  fixture_ended (&self, 9, 1);
  node_fixture_pass (&self, 9);
  fixture_assert_log (&self, "accept 0; COMPLETED 1");
  node_fixture_node (&self, 12, LK_EVENT_NODE_RESUME, "n1,n2");
  node_fixture_pass (&self, 12);
  fixture_assert_log (&self, "accept 0; start 2 n1; start 3 n[1-4]; wake 72");
  fixture_ended (&self, 14, 2);
  fixture_ended (&self, 14, 3);
  node_fixture_skip (&self);
  /* 121 seconds behind the failure. */
  fixture_event (&self, 72, LK_EVENT_TIMER, 0);
  fixture_assert_log (&self, "wake 124");
  fixture_event (&self, 124, LK_EVENT_TIMER, 0);
  node_fixture_pass (&self, 124);
  fixture_assert_log (&self, "PENDING 4 Priority; start 4 n3; wake 424");
  fixture_clear (&self);
}

static void
test_flags (void)
{
  LkFixture self;
  g_autoptr (LkCluster) cluster = four_nodes ();
  node_fixture_init (&self, cluster, "none", "cons_tres");
  node_fixture_node (&self, 0, LK_EVENT_NODE_DOWN, "n[1-2]");
  node_fixture_node (&self, 0, LK_EVENT_NODE_DRAIN, "n2");
  g_assert_cmpint (flags_of (&self, 0), ==, LK_NODE_DOWN);
  g_assert_cmpint (flags_of (&self, 1), ==, LK_NODE_DOWN | LK_NODE_DRAIN);
  g_assert_cmpstr (lk_engine_nodes (self.engine)->reasons[1], ==, "disk");
  /* A node that comes up stays drained. */
  node_fixture_node (&self, 1, LK_EVENT_NODE_UP, "n[1-2]");
  g_assert_cmpint (flags_of (&self, 0), ==, 0);
  g_assert_cmpint (flags_of (&self, 1), ==, LK_NODE_DRAIN);
  node_fixture_node (&self, 2, LK_EVENT_NODE_RESUME, "n2");
  g_assert_cmpint (flags_of (&self, 1), ==, 0);
  g_assert_cmpstr (lk_engine_nodes (self.engine)->reasons[1], ==, "");
  node_fixture_skip (&self);
  node_fixture_node (&self, 3, LK_EVENT_NODE_DOWN, "n5");
  node_fixture_node (&self, 3, LK_EVENT_NODE_DOWN, "n[1-5]");
  node_fixture_node (&self, 3, LK_EVENT_NODE_UP, "n[1");
  node_fixture_node (&self, 3, LK_EVENT_NODE_UP, "");
  fixture_assert_log (&self, "reject 0 15; reject 0 15; reject 0 15; reject 0 15");
  for (guint node = 0; node < 4; node++)
    g_assert_cmpint (flags_of (&self, node), ==, 0);
  fixture_clear (&self);
}

/* Nodes may be out of service from the start. */
static void
test_flags_at_first (void)
{
  LkFixture self;
  g_autoptr (LkCluster) cluster = lk_cluster_new ("first");
  node_fixture_add (cluster, "n1", 4, 8000)->flags = LK_NODE_DRAIN;
  node_fixture_add (cluster, "n2", 4, 8000)->flags = LK_NODE_DOWN;
  node_fixture_add (cluster, "n3", 4, 8000);
  cluster->memory = FALSE;
  node_fixture_init (&self, cluster, "easy", "cons_tres");
  node_fixture_submit (&self, 0, 1, 100, "-N3");
  node_fixture_submit (&self, 0, 2, 100, "-n1");
  node_fixture_pass (&self, 0);
  /* What cannot run as the machine stands holds up nobody. */
  fixture_assert_log (&self, "accept 1; accept 2; start 2 backfilled n3; wake 100");
  node_fixture_node (&self, 5, LK_EVENT_NODE_RESUME, "n[1-2]");
  node_fixture_pass (&self, 5);
  fixture_assert_log (&self, "accept 0; start 1 n[1-3]");
  fixture_clear (&self);
}

/* ---------------------------------------------------------------- jobs that lose a node */

static void
test_shrink (void)
{
  LkFixture self;
  LkJobInfo info;
  g_autoptr (LkCluster) cluster = four_nodes ();
  node_fixture_init (&self, cluster, "none", "cons_tres");
  node_fixture_submit (&self, 0, 1, 100, "-N3 --no-kill");
  node_fixture_submit (&self, 0, 2, 100, "-N4");
  node_fixture_pass (&self, 0);
  node_fixture_skip (&self);
  node_fixture_node (&self, 5, LK_EVENT_NODE_DOWN, "n2");
  /* The first goes on with two nodes, the second begins anew later. */
  fixture_assert_log (&self, "accept 0; requeue 2; NODE_FAIL 2 NodeDown; PENDING 2 BeginTime");
  g_assert_true (lk_engine_job (self.engine, 1, &info));
  g_assert_cmpint (info.state, ==, LK_JOB_RUNNING);
  g_assert_cmpuint (info.units, ==, 2);
  node_fixture_node (&self, 6, LK_EVENT_NODE_DOWN, "n1");
  g_assert_true (lk_engine_job (self.engine, 1, &info));
  g_assert_cmpuint (info.units, ==, 1);
  node_fixture_skip (&self);
  /* Its last node is one too many. */
  node_fixture_node (&self, 7, LK_EVENT_NODE_DOWN, "n3");
  fixture_assert_log (&self, "accept 0; requeue 1; NODE_FAIL 1 NodeDown; PENDING 1 BeginTime");
  LkEngineCounts counts;
  lk_engine_counts (self.engine, &counts);
  g_assert_cmpuint (counts.units_free, ==, 16);
  fixture_clear (&self);
}

/* By job id, however they lie on the node; who was told to end has ended. */
static void
test_order_of_loss (void)
{
  LkFixture self;
  g_autoptr (LkCluster) cluster = four_nodes ();
  cluster->requeue = FALSE;
  node_fixture_init (&self, cluster, "easy", "cons_tres");
  for (guint32 id = 1; id <= 3; id++)
    node_fixture_submit (&self, 0, id, 100 + id, "-w n1 -n1");
  node_fixture_pass (&self, 0);
  fixture_event (&self, 1, LK_EVENT_CANCEL, 2);
  node_fixture_skip (&self);
  node_fixture_node (&self, 1, LK_EVENT_NODE_DOWN, "n1");
  fixture_assert_log (&self, "accept 0; NODE_FAIL 1 NodeDown; NODE_FAIL 2 NodeDown; "
                             "NODE_FAIL 3 NodeDown");
  fixture_ended (&self, 2, 1);
  fixture_assert_log (&self, "reject 1 2");
  fixture_clear (&self);
}

/* ---------------------------------------------------------------- requeue */

static void
test_requeue (void)
{
  LkFixture self;
  LkEvent hold = { .kind = LK_EVENT_REQUEUE };
  g_autoptr (LkCluster) cluster = four_nodes ();
  node_fixture_init (&self, cluster, "easy", "cons_tres");
  node_fixture_submit (&self, 0, 1, 100, "-n4");
  node_fixture_submit (&self, 0, 2, 100, "-n4");
  node_fixture_pass (&self, 0);
  node_fixture_skip (&self);
  fixture_event (&self, 10, LK_EVENT_REQUEUE, 1);
  fixture_assert_log (&self, "requeue 1; REQUEUED 1; PENDING 1 BeginTime");
  hold.requeue.job_id = 2;
  hold.requeue.hold = 1;
  fixture_apply (&self, 20, &hold);
  fixture_assert_log (&self, "requeue 2; REQUEUED 2; PENDING 2 JobHeldUser");
  /* What waits for its time is not held by anybody. */
  fixture_event (&self, 30, LK_EVENT_RELEASE, 1);
  fixture_assert_log (&self, "reject 1 9");
  /* What was held waits for its time too. */
  fixture_event (&self, 40, LK_EVENT_RELEASE, 2);
  fixture_assert_log (&self, "accept 2; PENDING 2 BeginTime");
  fixture_event (&self, 100, LK_EVENT_TIMER, 0);
  fixture_assert_log (&self, "wake 131");
  fixture_event (&self, 131, LK_EVENT_TIMER, 0);
  fixture_assert_log (&self, "PENDING 1 Priority; wake 141");
  node_fixture_pass (&self, 131);
  fixture_assert_log (&self, "start 1 n1");
  fixture_event (&self, 141, LK_EVENT_TIMER, 0);
  node_fixture_pass (&self, 141);
  fixture_assert_log (&self, "PENDING 2 Priority; wake 231; start 2 n2");
  fixture_clear (&self);
}

static void
test_hold_while_waiting (void)
{
  LkFixture self;
  g_autoptr (LkCluster) cluster = four_nodes ();
  node_fixture_init (&self, cluster, "easy", "cons_tres");
  node_fixture_submit (&self, 0, 1, 100, "-n4");
  node_fixture_pass (&self, 0);
  fixture_event (&self, 10, LK_EVENT_REQUEUE, 1);
  node_fixture_skip (&self);
  fixture_event (&self, 20, LK_EVENT_HOLD, 1);
  fixture_assert_log (&self, "accept 1; PENDING 1 JobHeldUser");
  fixture_event (&self, 131, LK_EVENT_TIMER, 0);
  fixture_assert_log (&self, "");
  assert_reason (&self, 1, LK_REASON_HELD_USER);
  fixture_event (&self, 140, LK_EVENT_RELEASE, 1);
  node_fixture_pass (&self, 140);
  fixture_assert_log (&self, "accept 1; PENDING 1 Priority; start 1 n1; wake 240");
  fixture_event (&self, 150, LK_EVENT_REQUEUE, 1);
  node_fixture_skip (&self);
  fixture_event (&self, 160, LK_EVENT_CANCEL, 1);
  fixture_assert_log (&self, "accept 1; CANCELLED 1");
  fixture_event (&self, 300, LK_EVENT_TIMER, 0);
  fixture_assert_log (&self, "");
  fixture_clear (&self);
}

/* Without a delay the job stands in the queue at once. */
static void
test_requeue_at_once (void)
{
  LkFixture self;
  g_autoptr (LkCluster) cluster = four_nodes ();
  cluster->requeue_delay_us = 0;
  node_fixture_init (&self, cluster, "easy", "cons_tres");
  node_fixture_submit (&self, 0, 1, 100, "-n4 -w n1");
  node_fixture_pass (&self, 0);
  node_fixture_submit (&self, 1, 2, 100, "-n4 -w n1");
  node_fixture_skip (&self);
  fixture_event (&self, 10, LK_EVENT_REQUEUE, 1);
  node_fixture_pass (&self, 10);
  /* It counts as submitted now. */
  fixture_assert_log (&self, "requeue 1; REQUEUED 1; PENDING 1 BeginTime; PENDING 1 Priority; "
                             "start 2 n1");
  fixture_clear (&self);
}

/* On a counted pool a job may be requeued, too. */
static void
test_requeue_on_pool (void)
{
  LkFixture self;
  fixture_init (&self, 4, "fifo", "easy");
  fixture_submit (&self, 0, 1, 4, 100);
  fixture_submit (&self, 0, 2, 4, 100);
  node_fixture_pass (&self, 0);
  node_fixture_skip (&self);
  fixture_event (&self, 10, LK_EVENT_REQUEUE, 1);
  node_fixture_pass (&self, 10);
  fixture_assert_log (&self, "requeue 1; REQUEUED 1; PENDING 1; PENDING 1; start 2");
  fixture_clear (&self);
}

/* ---------------------------------------------------------------- what can never run */

static void
test_never (void)
{
  static const struct {
    const char *options;
    const char *held;
    const char *refused;
  } rows[] = {
    { "-N5", "accept 1; PENDING 1 PartitionNodeLimit", "reject 1 19" },
    { "-n1 --mem=9000", "reject 1 21", "reject 1 21" },
    { "-n17", "accept 1; PENDING 1 PartitionConfig", "reject 1 6" },
    { "-n1 -c5", "reject 1 21", "reject 1 21" },
    { "-n1 -p q -t 9", "accept 1; PENDING 1 PartitionTimeLimit", "reject 1 20" },
    { "-n1 -p down", "accept 1; PENDING 1 PartitionDown", "accept 1; PENDING 1 PartitionDown" },
    { "-n1 -p drain", "reject 1 14", "reject 1 14" },
    { "-n1 -p inactive", "reject 1 14", "reject 1 14" },
    { "-n1 -p none", "reject 1 13", "reject 1 13" },
    { "-n1 -H", "accept 1; PENDING 1 JobHeldUser", "accept 1; PENDING 1 JobHeldUser" },
  };
  for (guint i = 0; i < 2 * G_N_ELEMENTS (rows); i++) {
    LkFixture self;
    g_autoptr (LkCluster) cluster = four_nodes ();
    cluster->enforce_limits = i % 2 == 1;
    lk_cluster_add_partition (cluster, "p")->is_default = TRUE;
    lk_cluster_add_partition (cluster, "q")->time_max_us = 300 * G_USEC_PER_SEC;
    lk_cluster_add_partition (cluster, "down")->state = LK_PARTITION_DOWN;
    lk_cluster_add_partition (cluster, "drain")->state = LK_PARTITION_DRAIN;
    lk_cluster_add_partition (cluster, "inactive")->state = LK_PARTITION_INACTIVE;
    node_fixture_init (&self, cluster, "easy", "cons_tres");
    node_fixture_submit (&self, 0, 1, 540, rows[i / 2].options);
    fixture_assert_log (&self, i % 2 == 1 ? rows[i / 2].refused : rows[i / 2].held);
    node_fixture_pass (&self, 0);
    fixture_assert_log (&self, "");
    fixture_clear (&self);
  }
}

static void
test_time_limits (void)
{
  LkFixture self;
  LkJobInfo info;
  g_autoptr (LkCluster) cluster = four_nodes ();
  LkPartitionSpec *p = lk_cluster_add_partition (cluster, "p");
  p->is_default = TRUE;
  p->time_max_us = 300 * G_USEC_PER_SEC;
  p->time_default_us = 60 * G_USEC_PER_SEC;
  lk_cluster_add_partition (cluster, "q")->time_max_us = 300 * G_USEC_PER_SEC;
  lk_cluster_add_partition (cluster, "r");
  node_fixture_init (&self, cluster, "easy", "cons_tres");
  node_fixture_submit (&self, 0, 1, 0, "-n1");
  node_fixture_submit (&self, 0, 2, 0, "-n1 -p q");
  node_fixture_submit (&self, 0, 3, 0, "-n1 -p r");
  node_fixture_submit (&self, 0, 4, 300, "-n1");
  const gint64 limits_us[] = { 60 * G_USEC_PER_SEC, 300 * G_USEC_PER_SEC, LK_TIME_NEVER,
                               300 * G_USEC_PER_SEC };
  for (guint32 id = 1; id <= 4; id++) {
    g_assert_true (lk_engine_job (self.engine, id, &info));
    g_assert_cmpint (info.estimate_us, ==, limits_us[id - 1]);
  }
  node_fixture_pass (&self, 0);
  fixture_clear (&self);
}

/* ---------------------------------------------------------------- plans */

/* The reservation is on real nodes: who is not in its way goes on. */
static void
test_easy_on_nodes (void)
{
  LkFixture self;
  g_autoptr (LkCluster) cluster = four_nodes ();
  node_fixture_init (&self, cluster, "easy", "cons_tres");
  node_fixture_submit (&self, 0, 1, 100, "-w n1 -n4");
  node_fixture_pass (&self, 0);
  node_fixture_submit (&self, 0, 2, 100, "-w n[1-2] --exclusive -N2");
  node_fixture_submit (&self, 0, 3, 101, "-w n2 -n1");
  node_fixture_submit (&self, 0, 4, 100, "-w n2 -n1");
  node_fixture_submit (&self, 0, 5, 500, "-n1");
  node_fixture_skip (&self);
  node_fixture_pass (&self, 0);
  fixture_assert_log (&self, "start 4 backfilled n2; start 5 backfilled n3");
  fixture_clear (&self);
}

/* A job with the same request and another user may fit where the first did not. */
static void
test_one_user_in_plan (void)
{
  LkFixture self;
  g_autoptr (LkCluster) cluster = lk_cluster_new ("user");
  node_fixture_add (cluster, "n1", 4, 8000);
  cluster->memory = FALSE;
  node_fixture_init (&self, cluster, "easy", "cons_tres");
  node_fixture_submit_of (&self, 0, 1, 3, 10, "-n1");
  node_fixture_pass (&self, 0);
  node_fixture_submit_of (&self, 0, 2, 2, 10, "-n1 --exclusive=user");
  node_fixture_submit_of (&self, 0, 3, 1, 15, "-n1");
  node_fixture_submit_of (&self, 0, 4, 2, 15, "-n1");
  node_fixture_skip (&self);
  node_fixture_pass (&self, 0);
  fixture_assert_log (&self, "start 4 backfilled n1");
  fixture_clear (&self);
}

/* A second that is a microsecond: a job moves to now although one like it could not, which stands
 * in the way of its own reservation. */
static void
test_moves_by_one (void)
{
  LkFixture self;
  LkJobInfo info;
  g_autoptr (LkCluster) cluster = lk_cluster_new ("move");
  node_fixture_add (cluster, "n1", 2, 8000);
  cluster->memory = FALSE;
  LkSetupOptions options = { .origin_us = LK_TIME_NEVER,
                             .order = "sjf",
                             .backfill = "conservative",
                             .select = "linear",
                             .cluster = cluster };
  static const gint64 estimates_us[] = { 5, 6, 3 };
  node_fixture_check (cluster);
  fixture_init_with (&self, &options);
  LkEvent pass = { .kind = LK_EVENT_PASS };
  for (guint32 id = 1; id <= 3; id++) {
    LkEvent submit = { .kind = LK_EVENT_SUBMIT };
    submit.submit.job_id = id;
    submit.submit.procs = 2;
    submit.submit.estimate_us = estimates_us[id - 1];
    fixture_apply (&self, 0, &submit);
    fixture_apply (&self, 0, &pass);
  }
  LkEvent ended = { .kind = LK_EVENT_JOB_ENDED, .time_us = 4 };
  LkEngineCounts counts;
  lk_engine_counts (self.engine, &counts);
  ended.seq = counts.event_count + 1;
  ended.job_ended.job_id = 1;
  g_assert_cmpint (lk_engine_apply (self.engine, &ended, NULL), ==, LK_STATUS_OK);
  pass.seq = ended.seq + 1;
  pass.time_us = 4;
  g_assert_cmpint (lk_engine_apply (self.engine, &pass, NULL), ==, LK_STATUS_OK);
  g_assert_true (lk_engine_job (self.engine, 2, &info));
  g_assert_cmpint (info.state, ==, LK_JOB_RUNNING);
  fixture_clear (&self);
}

/* A limit of switches that is waited for long enough falls, though nothing else happens; a restart
 * in between forgets nothing. */
static void
test_switches (void)
{
  LkFixture self;
  LkStatus status;
  g_autoptr (LkCluster) cluster = four_nodes ();
  cluster->topology = LK_TOPOLOGY_TREE;
  lk_cluster_add_switch (cluster, "s1", "n[1-2]", "");
  lk_cluster_add_switch (cluster, "s2", "n[3-4]", "");
  lk_cluster_add_switch (cluster, "s3", "", "s[1-2]");
  node_fixture_init (&self, cluster, "easy", "topology");
  node_fixture_submit (&self, 0, 1, 500, "-N1 --exclusive -w n1");
  node_fixture_submit (&self, 0, 2, 500, "-N1 --exclusive -w n3");
  node_fixture_pass (&self, 0);
  node_fixture_submit (&self, 5, 3, 100, "-N2 --switches=1@1:00");
  node_fixture_skip (&self);
  node_fixture_pass (&self, 5);
  fixture_assert_log (&self, "wake 65");
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  lk_engine_save (self.engine, bytes);
  lk_engine_free (self.engine);
  self.engine = lk_engine_load (lk_setup_config (self.setup), bytes->data, bytes->len, &status);
  g_assert_cmpint (status, ==, LK_STATUS_OK);
  fixture_event (&self, 65, LK_EVENT_TIMER, 0);
  g_assert_true (lk_engine_pass_wanted (self.engine));
  node_fixture_pass (&self, 65);
  fixture_assert_log (&self, "wake 500; start 3 n[2,4]; wake 165");
  fixture_clear (&self);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/nodes/drain, down and resume go as in Slurm", test_drain_and_down);
  g_test_add_func ("/nodes/flags come and go with reasons", test_flags);
  g_test_add_func ("/nodes/may be out of service at first", test_flags_at_first);
  g_test_add_func ("/nodes/a job that asked to goes on without a lost node", test_shrink);
  g_test_add_func ("/nodes/jobs are lost by id", test_order_of_loss);
  g_test_add_func ("/nodes/a requeued job waits for its time", test_requeue);
  g_test_add_func ("/nodes/a waiting job may be held and cancelled", test_hold_while_waiting);
  g_test_add_func ("/nodes/a requeued job may start at once", test_requeue_at_once);
  g_test_add_func ("/nodes/jobs of a pool are requeued", test_requeue_on_pool);
  g_test_add_func ("/nodes/what can never run is held or refused", test_never);
  g_test_add_func ("/nodes/time limits are the partition's by default", test_time_limits);
  g_test_add_func ("/nodes/a reservation is on real nodes", test_easy_on_nodes);
  g_test_add_func ("/nodes/one user's failure is not another's", test_one_user_in_plan);
  g_test_add_func ("/nodes/a job is not in the way of itself", test_moves_by_one);
  g_test_add_func ("/nodes/a limit of switches falls in time", test_switches);
  return g_test_run ();
}
