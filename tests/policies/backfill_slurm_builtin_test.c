/* tests/policies/backfill_slurm_builtin_test.c — when jobs may be expected to start under
 * sched/builtin.
 *
 * The first is a run of Slurm 26.05 (tests/oracle/sched/recorded/02-fifo-builtin). */
#include "tests/policies/backfill_slurm_fixture.h"

/* Recorded (02-fifo-builtin): each job begins when the one before it ends by its limit; where is
 * not told.  Two nodes are idle, but nobody passes the first. */
static void
test_builtin (void)
{
  static const gint64 starts_s[] = { 300, 420, 900, 1080, 1200 };
  LkFixture self;
  g_autoptr (LkCluster) cluster = slurm_cluster (4);
  slurm_init (&self, cluster, "builtin=1,bf_interval=2,bf_max_job_test=4");
  node_fixture_submit (&self, 0, 1, 300, "-N2 --exclusive");
  slurm_run (&self, 0);
  node_fixture_submit (&self, 1, 2, 120, "-N4 --exclusive");
  node_fixture_submit (&self, 1, 3, 480, "-N1 --exclusive");
  node_fixture_submit (&self, 1, 4, 180, "-N1 --exclusive");
  node_fixture_submit (&self, 1, 5, 120, "-N1 --exclusive");
  node_fixture_submit (&self, 1, 6, 240, "-N1 --exclusive");
  node_fixture_submit (&self, 1, 7, 240, "-N1 --exclusive");
  slurm_run (&self, 100);
  for (guint32 id = 2; id <= 6; id++) {
    guint64 nodes = 0;
    slurm_assert_waits (&self, id, id == 2 ? "Resources" : "Priority");
    g_assert_cmpint (slurm_start_s (&self, id), ==, starts_s[id - 2]);
    lk_engine_planned_nodes (self.engine, lk_engine_job_index (self.engine, id), &nodes);
    g_assert_cmpuint (nodes, ==, 0);
  }
  g_assert_cmpint (slurm_start_s (&self, 7), ==, -1); /* the test of the count comes first */
  fixture_clear (&self);
}

/* Nodes on which no job before it is to be are had before these end. */
static void
test_builtin_apart (void)
{
  LkFixture self;
  g_autoptr (LkCluster) cluster = slurm_cluster (4);
  slurm_init (&self, cluster, "builtin=1,bf_interval=2");
  node_fixture_submit (&self, 0, 1, 300, "-w n1 --exclusive");
  node_fixture_submit (&self, 0, 2, 500, "-w n2 --exclusive");
  slurm_run (&self, 0);
  node_fixture_submit (&self, 1, 3, 1000, "-w n1 --exclusive");
  node_fixture_submit (&self, 1, 4, 100, "-w n2 --exclusive");
  slurm_run (&self, 100);
  g_assert_cmpint (slurm_start_s (&self, 3), ==, 300);
  g_assert_cmpint (slurm_start_s (&self, 4), ==, 500);
  fixture_clear (&self);
}

/* On a counted pool all units overlap. */
static void
test_builtin_pool (void)
{
  LkFixture self;
  fixture_init (&self, 4, "fifo", "slurm:builtin=1,bf_interval=2");
  fixture_submit (&self, 0, 1, 3, 300);
  slurm_run (&self, 0);
  fixture_submit (&self, 1, 2, 2, 100);
  fixture_submit (&self, 1, 3, 1, 50);
  slurm_run (&self, 100);
  g_assert_cmpint (slurm_start_s (&self, 2), ==, 300);
  g_assert_cmpint (slurm_start_s (&self, 3), ==, 400);
  fixture_clear (&self);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/slurm/builtin/one job behind the other", test_builtin);
  g_test_add_func ("/slurm/builtin/nodes of their own", test_builtin_apart);
  g_test_add_func ("/slurm/builtin/a counted pool", test_builtin_pool);
  return g_test_run ();
}
