/* tests/policies/backfill_slurm_reasons_test.c — the reasons that squeue shows under the backfill
 * policy `slurm`: what the last look has found; and what Slurm finds only when it looks.
 *
 * Source: tests/oracle/sched, situations 14, 16, 51, 55, 59 and 76. */
#include "engine/schema.h"
#include "tests/policies/backfill_slurm_fixture.h"

#define assert_shows(self, id, why)                                                                \
  g_assert_cmpstr (lk_reason_name (slurm_job (self, id).reason_shown), ==, why)

/* One node, a main loop each ten seconds, or two behind the last when there is something new. */
#define LOOPS "bf_interval=-1,sched_interval=10,batch_sched_delay=2"

static void
start_full (LkFixture *self, LkCluster *cluster)
{
  slurm_init (self, cluster, LOOPS);
  self->reloads = TRUE;
  slurm_submit (self, 0, 1, 1, 600);
  slurm_run (self, 0);
  slurm_assert_runs (self, 1);
}

/* "Nodes" of tasks of an array, or a begin time. */
static void
submit_with (LkFixture *self, gint64 time_s, guint32 id, const char *array, gint64 begin_s)
{
  LkEvent event = { .kind = LK_EVENT_SUBMIT };
  LkJobRequest request = node_fixture_request ("-N1 --exclusive");
  LkJobTerms terms = { .array = lk_text (array), .begin_us = begin_s * G_USEC_PER_SEC };
  event.submit.job_id = id;
  event.submit.user_id = 1;
  event.submit.procs = 1;
  event.submit.estimate_us = 600 * G_USEC_PER_SEC;
  lk_submit_set_request (&event.submit, &request);
  lk_submit_set_terms (&event.submit, &terms);
  g_assert_cmpint (fixture_apply (self, time_s, &event), ==, LK_STATUS_OK);
}

static void
change_nice (LkFixture *self, gint64 time_s, guint32 id, guint8 by_admin)
{
  LkEvent event = { .kind = LK_EVENT_UPDATE };
  event.update.job_id = id;
  event.update.changes = G_GUINT64_CONSTANT (1) << LK_CHANGE_nice;
  event.update.nice = 5;
  event.update.by_admin = by_admin;
  g_assert_cmpint (fixture_apply (self, time_s, &event), ==, LK_STATUS_OK);
}

static void
set_partition (LkFixture *self, gint64 time_s, const char *name, LkPartitionState state)
{
  LkEvent event = { .kind = LK_EVENT_PARTITION };
  event.partition.name = lk_text (name);
  event.partition.state = (guint8)state;
  g_assert_cmpint (fixture_apply (self, time_s, &event), ==, LK_STATUS_OK);
}

/* ---------------------------------------------------------------- submit and update */

static void
test_submit (void)
{
  LkFixture self;
  g_autoptr (LkCluster) cluster = slurm_cluster (1);
  start_full (&self, cluster);
  slurm_submit (&self, 1, 2, 1, 60);
  slurm_submit (&self, 1, 3, 1, 60);
  assert_shows (&self, 2, "None");
  assert_shows (&self, 3, "Priority");
  /* A loop comes more than two seconds behind the last one. */
  slurm_run (&self, 2);
  assert_shows (&self, 2, "None");
  slurm_run (&self, 3);
  assert_shows (&self, 2, "Resources");
  assert_shows (&self, 3, "Priority");
  fixture_clear (&self);
}

/* 22.05 wants a higher priority, not only a place further behind. */
static void
test_submit_old (void)
{
  LkFixture self;
  g_autoptr (LkCluster) cluster = slurm_cluster (1);
  cluster->compat = LK_COMPAT_SLURM_22_05;
  LkSetupOptions options = { .origin_us = LK_TIME_NEVER,
                             .order = "multifactor",
                             .backfill = "slurm:" LOOPS,
                             .select = "cons_tres",
                             .cluster = cluster };
  node_fixture_check (cluster);
  fixture_init_with (&self, &options);
  slurm_submit (&self, 0, 1, 1, 600);
  slurm_run (&self, 0);
  slurm_submit (&self, 1, 2, 1, 60);
  slurm_submit (&self, 1, 3, 1, 60);
  assert_shows (&self, 2, "None");
  assert_shows (&self, 3, "None");
  fixture_clear (&self);
}

/* Jobs of partitions that share no node are in nobody's way. */
static void
test_submit_elsewhere (void)
{
  LkFixture self;
  g_autoptr (LkCluster) cluster = slurm_cluster (2);
  LkPartitionSpec *a = lk_cluster_add_partition (cluster, "a");
  LkPartitionSpec *b = lk_cluster_add_partition (cluster, "b");
  g_free (a->nodes);
  g_free (b->nodes);
  a->nodes = g_strdup ("n1");
  b->nodes = g_strdup ("n2");
  a->is_default = TRUE;
  slurm_init (&self, cluster, LOOPS);
  node_fixture_submit (&self, 0, 1, 600, "-N1 --exclusive -p a");
  node_fixture_submit (&self, 0, 2, 600, "-N1 --exclusive -p b");
  slurm_run (&self, 0);
  node_fixture_submit (&self, 1, 3, 600, "-N1 --exclusive -p a");
  node_fixture_submit (&self, 1, 4, 600, "-N1 --exclusive -p b");
  node_fixture_submit (&self, 1, 5, 600, "-N1 --exclusive -p b");
  assert_shows (&self, 3, "None");
  assert_shows (&self, 4, "None");
  assert_shows (&self, 5, "Priority");
  fixture_clear (&self);
}

static void
test_update (void)
{
  LkFixture self;
  g_autoptr (LkCluster) cluster = slurm_cluster (1);
  start_full (&self, cluster);
  slurm_submit (&self, 1, 2, 1, 60);
  slurm_submit (&self, 1, 3, 1, 60);
  slurm_submit (&self, 1, 4, 1, 60);
  change_nice (&self, 1, 3, /* by_admin= */ 1);
  change_nice (&self, 1, 4, /* by_admin= */ 2);
  assert_shows (&self, 3, "None");
  assert_shows (&self, 4, "Priority");
  slurm_run (&self, 3);
  assert_shows (&self, 3, "Priority");
  fixture_clear (&self);
}

/* A release leaves no reason, a hold its own. */
static void
test_release (void)
{
  LkFixture self;
  g_autoptr (LkCluster) cluster = slurm_cluster (1);
  start_full (&self, cluster);
  slurm_submit (&self, 1, 2, 1, 60);
  slurm_submit (&self, 1, 3, 1, 60);
  fixture_event (&self, 1, LK_EVENT_HOLD, 3);
  assert_shows (&self, 3, "JobHeldUser");
  fixture_event (&self, 1, LK_EVENT_RELEASE, 3);
  assert_shows (&self, 3, "None");
  fixture_clear (&self);
}

/* ---------------------------------------------------------------- what comes between looks */

static void
test_begin (void)
{
  LkFixture self;
  g_autoptr (LkCluster) cluster = slurm_cluster (1);
  start_full (&self, cluster);
  submit_with (&self, 1, 2, "", 11);
  slurm_submit (&self, 1, 3, 1, 60);
  slurm_run (&self, 10);
  assert_shows (&self, 2, "BeginTime");
  slurm_run (&self, 11);
  assert_shows (&self, 2, "BeginTime");
  slurm_assert_waits (&self, 2, "None");
  slurm_run (&self, 14);
  assert_shows (&self, 2, "Resources");
  fixture_clear (&self);
}

static void
test_partition (void)
{
  LkFixture self;
  g_autoptr (LkCluster) cluster = slurm_cluster (2);
  LkPartitionSpec *a = lk_cluster_add_partition (cluster, "a");
  lk_cluster_add_partition (cluster, "b");
  a->is_default = TRUE;
  slurm_init (&self, cluster, LOOPS);
  self.reloads = TRUE;
  node_fixture_submit (&self, 0, 1, 600, "-N2 --exclusive -p a");
  slurm_run (&self, 0);
  node_fixture_submit (&self, 1, 2, 600, "-N2 --exclusive -p a");
  node_fixture_submit (&self, 1, 3, 600, "-N2 --exclusive -p b");
  slurm_run (&self, 3);
  set_partition (&self, 3, "a", LK_PARTITION_DOWN);
  assert_shows (&self, 2, "Resources");
  slurm_assert_waits (&self, 2, "PartitionDown");
  slurm_run (&self, 10);
  assert_shows (&self, 2, "PartitionDown");
  set_partition (&self, 10, "a", LK_PARTITION_UP);
  assert_shows (&self, 2, "PartitionDown");
  slurm_run (&self, 13);
  assert_shows (&self, 2, "Resources");
  fixture_clear (&self);
}

static void
drain (LkFixture *self, gint64 time_s, const char *node)
{
  LkEvent event = { .kind = LK_EVENT_NODE_DRAIN };
  event.node_drain.node = lk_text (node);
  event.node_drain.reason = lk_text ("disk");
  g_assert_cmpint (fixture_apply (self, time_s, &event), ==, LK_STATUS_OK);
}

/* Of one partition the first lacks room; for another partition on its nodes too few are left then,
 * or are up: what is decided is the same. */
static void
test_nodes (void)
{
  LkFixture self;
  g_autoptr (LkCluster) cluster = slurm_cluster (3);
  LkPartitionSpec *a = lk_cluster_add_partition (cluster, "a");
  lk_cluster_add_partition (cluster, "b");
  a->is_default = TRUE;
  g_free (a->nodes);
  a->nodes = g_strdup ("n[1-2]");
  slurm_init (&self, cluster, LOOPS);
  self.reloads = TRUE;
  node_fixture_submit (&self, 0, 1, 600, "-N3 --exclusive -p b");
  slurm_run (&self, 0);
  node_fixture_submit (&self, 1, 2, 600, "-N1 --exclusive -p a");
  node_fixture_submit (&self, 1, 3, 600, "-N2 --exclusive -p b");
  slurm_run (&self, 3);
  assert_shows (&self, 2, "Resources");
  assert_shows (&self, 3, "NodesNotLeft");
  slurm_assert_waits (&self, 3, "Resources");
  fixture_event (&self, 3, LK_EVENT_CANCEL, 2);
  slurm_run (&self, 13);
  assert_shows (&self, 3, "Resources");
  drain (&self, 14, "n[2-3]");
  slurm_run (&self, 23);
  assert_shows (&self, 3, "NodesNotLeft");
  fixture_clear (&self);
}

/* Of an array of which a task starts the rest has no reason until the next full loop. */
static void
test_array (void)
{
  LkFixture self;
  g_autoptr (LkCluster) cluster = slurm_cluster (1);
  slurm_init (&self, cluster, LOOPS);
  self.reloads = TRUE;
  submit_with (&self, 0, 1, "1-3", 0);
  slurm_run (&self, 9);
  assert_shows (&self, 1, "None");
  slurm_run (&self, 10);
  assert_shows (&self, 1, "Resources");
  fixture_clear (&self);
}

/* ---------------------------------------------------------------- what can never run */

static void
test_hopeless (void)
{
  LkFixture self;
  g_autoptr (LkCluster) cluster = slurm_cluster (1);
  LkPartitionSpec *a = lk_cluster_add_partition (cluster, "a");
  a->is_default = TRUE;
  slurm_init (&self, cluster, LOOPS);
  self.reloads = TRUE;
  set_partition (&self, 0, "a", LK_PARTITION_DOWN);
  node_fixture_submit (&self, 0, 1, 600, "-N1 --mem=9000");
  node_fixture_submit (&self, 0, 2, 600, "-N1 --exclusive");
  assert_shows (&self, 1, "PartitionDown");
  set_partition (&self, 1, "a", LK_PARTITION_UP);
  slurm_run (&self, 4);
  assert_shows (&self, 1, "BadConstraints");
  slurm_assert_runs (&self, 2);
  /* While the partition is up it is refused. */
  node_fixture_skip (&self);
  node_fixture_submit (&self, 5, 3, 600, "-N1 --mem=9000");
  g_assert_cmpstr (self.log->str, ==, "reject 3 21");
  /* Whoever releases it learns the same. */
  fixture_event (&self, 6, LK_EVENT_RELEASE, 1);
  assert_shows (&self, 1, "None");
  slurm_run (&self, 20);
  assert_shows (&self, 1, "BadConstraints");
  fixture_clear (&self);
}

/* Other policies look at all jobs in each pass. */
static void
test_hopeless_at_once (void)
{
  LkFixture self;
  g_autoptr (LkCluster) cluster = slurm_cluster (1);
  LkPartitionSpec *a = lk_cluster_add_partition (cluster, "a");
  a->is_default = TRUE;
  node_fixture_init (&self, cluster, "easy", "cons_tres");
  self.reloads = TRUE;
  set_partition (&self, 0, "a", LK_PARTITION_DOWN);
  node_fixture_submit (&self, 0, 1, 600, "-N1 --mem=9000");
  slurm_assert_waits (&self, 1, "PartitionDown");
  set_partition (&self, 1, "a", LK_PARTITION_UP);
  slurm_assert_waits (&self, 1, "BadConstraints");
  assert_shows (&self, 1, "BadConstraints");
  fixture_clear (&self);
}

/* 22.05 refuses it, whatever its partition's state. */
static void
test_hopeless_old (void)
{
  LkFixture self;
  g_autoptr (LkCluster) cluster = slurm_cluster (1);
  LkPartitionSpec *a = lk_cluster_add_partition (cluster, "a");
  a->is_default = TRUE;
  cluster->compat = LK_COMPAT_SLURM_22_05;
  slurm_init (&self, cluster, LOOPS);
  set_partition (&self, 0, "a", LK_PARTITION_DOWN);
  node_fixture_skip (&self);
  node_fixture_submit (&self, 0, 1, 600, "-N1 --mem=9000");
  g_assert_cmpstr (self.log->str, ==, "reject 1 21");
  fixture_clear (&self);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/slurm reasons/a job behind another has Priority", test_submit);
  g_test_add_func ("/slurm reasons/equal priorities are none before", test_submit_old);
  g_test_add_func ("/slurm reasons/other nodes do not count", test_submit_elsewhere);
  g_test_add_func ("/slurm reasons/an update leaves none", test_update);
  g_test_add_func ("/slurm reasons/a release leaves none", test_release);
  g_test_add_func ("/slurm reasons/a begin time stands until a look", test_begin);
  g_test_add_func ("/slurm reasons/a partition's state is seen with a look", test_partition);
  g_test_add_func ("/slurm reasons/nodes that are not left are told of", test_nodes);
  g_test_add_func ("/slurm reasons/the rest of an array has none", test_array);
  g_test_add_func ("/slurm reasons/what can never run is held when tried", test_hopeless);
  g_test_add_func ("/slurm reasons/other policies hold it at once", test_hopeless_at_once);
  g_test_add_func ("/slurm reasons/22.05 refuses it", test_hopeless_old);
  return g_test_run ();
}
