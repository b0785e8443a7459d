/* tests/policies/backfill_slurm_partitions_test.c — jobs that name several partitions, under the
 * backfill policy `slurm`.
 *
 * Each has a record in each partition, with that partition's tier, priority and limits, and runs
 * where one of them is started first.  Source: sbatch(1) --partition; slurm.conf(5),
 * PriorityTier and bf_one_resv_per_job. */
#include "tests/engine/limits_site.h"
#include "tests/policies/backfill_slurm_fixture.h"

static LkPartitionSpec *
add_part (LkCluster *cluster, const char *name, const char *nodes)
{
  LkPartitionSpec *partition = lk_cluster_add_partition (cluster, name);
  g_free (partition->nodes);
  partition->nodes = g_strdup (nodes);
  return partition;
}

/* n1 and n2 of tier 2, n3 and n4 of tier 1. */
static LkCluster *
two_tiers (void)
{
  LkCluster *cluster = slurm_cluster (4);
  LkPartitionSpec *low = add_part (cluster, "low", "n[3-4]");
  low->is_default = TRUE;
  add_part (cluster, "high", "n[1-2]")->priority_tier = 2;
  cluster->requeue_delay_us = G_USEC_PER_SEC;
  return cluster;
}

static void
assert_runs_in (LkFixture *self, guint32 id, const char *partition)
{
  slurm_assert_runs (self, id);
  const LkRequest *request = lk_engine_job_request (self->engine, id);
  const LkMachine *machine = lk_engine_machine (self->engine);
  g_assert_cmpstr (machine->partitions[request->partition].spec->name, ==, partition);
}

/* ---------------------------------------------------------------- where it starts */

static void
run_choice (const char *params, const char *names)
{
  LkFixture self;
  g_autoptr (LkCluster) cluster = two_tiers ();
  g_autofree char *line = g_strconcat ("-N1 --exclusive -p ", names, NULL);
  slurm_init (&self, cluster, params);
  node_fixture_submit (&self, 0, 1, 600, "-N1 --exclusive -p high");
  for (guint32 id = 2; id <= 5; id++)
    node_fixture_submit (&self, 0, id, 600, line);
  slurm_run (&self, 30);
  assert_runs_in (&self, 2, "high");
  assert_runs_in (&self, 3, "low");
  assert_runs_in (&self, 4, "low");
  g_assert_cmpint (slurm_job (&self, 5).state, ==, LK_JOB_PENDING);
  fixture_ended (&self, 40, 1);
  slurm_run (&self, 100);
  assert_runs_in (&self, 5, "high");
  fixture_clear (&self);
}

/* The partition of the higher tier comes first, however they are named. */
static void
test_choice (void)
{
  static const char *const loops[] = { "bf_interval=-1", "sched_interval=-1" };
  static const char *const names[] = { "high,low", "low,high", "low,high,low" };
  for (guint i = 0; i < G_N_ELEMENTS (loops); i++)
    for (guint k = 0; k < G_N_ELEMENTS (names); k++)
      run_choice (loops[i], names[k]);
}

/* Goes on with the engine that a snapshot gives. */
static void
reload (LkFixture *self)
{
  LkStatus status;
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  lk_engine_save (self->engine, bytes);
  LkEngine *other =
      lk_engine_load (lk_setup_config (self->setup), bytes->data, bytes->len, &status);
  g_assert_cmpint (status, ==, LK_STATUS_OK);
  lk_engine_free (self->engine);
  self->engine = other;
  lk_engine_check (self->engine);
}

/* A requeued job has its choice again. */
static void
test_requeue (void)
{
  LkFixture self;
  g_autoptr (LkCluster) cluster = two_tiers ();
  slurm_init (&self, cluster, "bf_interval=-1");
  node_fixture_submit (&self, 0, 1, 600, "-N2 --exclusive -p high");
  node_fixture_submit (&self, 0, 2, 600, "-N2 --exclusive -p low,high");
  slurm_run (&self, 30);
  reload (&self);
  assert_runs_in (&self, 2, "low");
  fixture_ended (&self, 40, 1);
  fixture_event (&self, 41, LK_EVENT_REQUEUE, 2);
  slurm_run (&self, 60);
  assert_runs_in (&self, 2, "high");
  fixture_ended (&self, 61, 2);
  fixture_clear (&self);
}

/* Its time limit is beyond what low allows. */
static void
test_partition_limits (void)
{
  LkFixture self;
  g_autoptr (LkCluster) cluster = two_tiers ();
  LkPartitionSpec *low = g_ptr_array_index (cluster->partitions, 0);
  low->time_max_us = 300 * G_USEC_PER_SEC;
  slurm_init (&self, cluster, "bf_interval=-1");
  node_fixture_submit (&self, 0, 1, 600, "-N2 --exclusive -p high");
  node_fixture_submit (&self, 0, 2, 600, "-N1 --exclusive -p high,low");
  node_fixture_submit (&self, 0, 3, 300, "-N1 --exclusive -p high,low");
  slurm_run (&self, 30);
  slurm_assert_waits (&self, 2, "Resources");
  assert_runs_in (&self, 3, "low");
  fixture_clear (&self);
}

/* high has the highest tier and only one node for the job. The job waits in the best of the others,
 * whether the policy tries partitions or not, also after a snapshot and a requeue. */
static void
test_home_has_nodes (void)
{
  static const char *const policies[] = { "easy", "slurm:bf_interval=-1" };
  static const char *const rows[][2] = { { "-N2 --exclusive -x n2 -p high,low", "low" },
                                         { "-N2 --exclusive -x n2 -p high,three,low", "three" } };
  for (guint i = 0; i < 4; i++) {
    LkFixture self;
    g_autoptr (LkCluster) cluster = slurm_cluster (8);
    add_part (cluster, "high", "n[1-2]")->priority_tier = 2;
    add_part (cluster, "low", "n[3-5]");
    add_part (cluster, "three", "n[6-8]");
    cluster->requeue_delay_us = G_USEC_PER_SEC;
    node_fixture_init (&self, cluster, policies[i / 2], "cons_tres");
    node_fixture_submit (&self, 0, 1, 600, "-N2 --exclusive -p high");
    node_fixture_submit (&self, 0, 2, 600, rows[i % 2][0]);
    reload (&self);
    slurm_run (&self, 30);
    assert_runs_in (&self, 2, rows[i % 2][1]);
    reload (&self);
    fixture_event (&self, 41, LK_EVENT_REQUEUE, 2);
    reload (&self);
    slurm_run (&self, 100);
    assert_runs_in (&self, 2, rows[i % 2][1]);
    fixture_clear (&self);
  }
}

/* ---------------------------------------------------------------- priorities */

/* Of one tier: in p job 2 has priority 1000, and in q 100. n1 of p is in use; n2 of q goes to
 * who has more there. */
static void
test_priorities (void)
{
  static const char *const others[] = { "-p q --priority=500", "-p q --priority=50" };
  for (guint i = 0; i < G_N_ELEMENTS (others); i++) {
    LkFixture self;
    g_autoptr (LkCluster) cluster = slurm_cluster (2);
    add_part (cluster, "p", "n1")->priority_job_factor = 10;
    add_part (cluster, "q", "n2")->priority_job_factor = 1;
    LkSetupOptions options = { .origin_us = LK_TIME_NEVER,
                               .order = "multifactor:weight_partition=1000",
                               .backfill = "slurm:bf_interval=-1",
                               .select = "cons_tres",
                               .cluster = cluster };
    node_fixture_check (cluster);
    fixture_init_with (&self, &options);
    node_fixture_submit (&self, 0, 1, 600, "-N1 --exclusive -p p");
    slurm_run (&self, 0);
    node_fixture_submit (&self, 1, 2, 600, "-N1 --exclusive -p p,q");
    g_autofree char *line = g_strconcat ("-N1 --exclusive ", others[i], NULL);
    node_fixture_submit (&self, 1, 3, 600, line);
    slurm_run (&self, 30);
    slurm_assert_runs (&self, i == 0 ? 3 : 2);
    slurm_assert_waits (&self, i == 0 ? 2 : 3, "Resources");
    fixture_clear (&self);
  }
}

/* ---------------------------------------------------------------- limits */

/* A limit of one partition's QOS keeps a job from that alone; told is that where it waits. */
static void
test_limits (void)
{
  Site self;
  LkFixture *fixture = &self.fixture;
  site_prepare (&self, "modify qos few set MaxJobsPerUser=1;modify user alice set MaxJobs=2");
  LkPartitionSpec *small = g_ptr_array_index (self.cluster->partitions, 1);
  small->priority_tier = 2;
  site_start (&self, "slurm");
  for (guint32 id = 1; id <= 3; id++)
    submit (&self, id, "alice -p main,small");
  submit (&self, 4, "bob -p main,small");
  slurm_run (fixture, 60);
  assert_runs_in (fixture, 1, "small");
  assert_runs_in (fixture, 2, "main");
  assert_runs_in (fixture, 4, "small");
  slurm_assert_waits (fixture, 3, "QOSMaxJobsPerUserLimit");
  fixture_ended (fixture, 61, 2);
  slurm_run (fixture, 120);
  assert_runs_in (fixture, 3, "main");
  for (guint32 id = 1; id <= 4; id++)
    if (id != 2)
      fixture_ended (fixture, 130, id);
  site_clear (&self);
}

/* ---------------------------------------------------------------- reservations */

/* High is full until 600 s, low until 300 s. Job 3 reserves in both, or only in high. */
static void
test_reservations (void)
{
  static const struct {
    const char *params;
    gint64 starts_s[3]; /* of jobs 3 to 5 */
  } rows[] = {
    { SLURM_CYCLES, { 300, 1200, 900 } },
    { SLURM_CYCLES ",bf_one_resv_per_job=1", { 600, 1200, 300 } },
  };
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    LkFixture self;
    g_autoptr (LkCluster) cluster = two_tiers ();
    slurm_init (&self, cluster, rows[i].params);
    node_fixture_submit (&self, 0, 1, 600, "-N2 --exclusive -p high");
    node_fixture_submit (&self, 0, 2, 300, "-N2 --exclusive -p low");
    slurm_run (&self, 0);
    node_fixture_submit (&self, 1, 3, 600, "-N2 --exclusive -p low,high");
    node_fixture_submit (&self, 1, 4, 600, "-N2 --exclusive -p high");
    node_fixture_submit (&self, 1, 5, 600, "-N2 --exclusive -p low");
    slurm_run (&self, 30);
    for (guint32 k = 0; k < 3; k++)
      g_assert_cmpint (slurm_start_s (&self, 3 + k), ==, rows[i].starts_s[k]);
    fixture_clear (&self);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/slurm/a job waits where there are nodes for it", test_home_has_nodes);
  g_test_add_func ("/slurm/a job starts in the first of its partitions that has room", test_choice);
  g_test_add_func ("/slurm/a requeued job has all its partitions again", test_requeue);
  g_test_add_func ("/slurm/a partition's longest time keeps a job from it alone",
                   test_partition_limits);
  g_test_add_func ("/slurm/a job has a priority in each partition", test_priorities);
  g_test_add_func ("/slurm/a limit of a partition keeps a job from it alone", test_limits);
  g_test_add_func ("/slurm/a job reserves in each partition", test_reservations);
  return g_test_run ();
}
