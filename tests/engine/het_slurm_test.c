/* tests/engine/het_slurm_test.c — heterogeneous jobs in Slurm's backfill cycle: where they stand
 * with bf_hetjob_prio, what their components count for, the partitions that they named; and where
 * it is told that components are to run. */
#include "engine/engine_private.h"
#include "tests/engine/het_fixture.h"

/* ---------------------------------------------------------------- where it stands */

static void
submit_nice (Site *site, guint32 leader, guint32 offset, gint64 estimate_s, gint64 nice,
             const char *line)
{
  LkEvent event = { .kind = LK_EVENT_SUBMIT };
  LkJobRequest request = node_fixture_request (line);
  event.submit.job_id = leader + offset;
  event.submit.user_id = 1;
  event.submit.procs = lk_job_request_cpus (&request);
  event.submit.estimate_us = estimate_s * G_USEC_PER_SEC;
  if (leader == 2) {
    event.submit.het_leader = leader;
    event.submit.het_offset = offset;
    event.submit.het_count = 2;
  }
  request.user = lk_text ("alice");
  lk_submit_set_request (&event.submit, &request);
  event.submit.nice = nice;
  g_assert_cmpint (fixture_apply (&site->fixture, 1, &event), ==, LK_STATUS_OK);
}

/* Components with nice values of 0 and 100 beside a job with one between: who is planned first? */
static gboolean
is_first (const char *backfill, gint64 nice)
{
  Site site;
  site_prepare (&site, "");
  site.order = "basic";
  site_start (&site, backfill);
  submit_nice (&site, 1, 0, 50, 0, "-N 5 --exclusive");
  PASS (&site.fixture, 1);
  submit_nice (&site, 2, 0, 100, 0, "-N 2 --exclusive");
  submit_nice (&site, 2, 1, 110, 100, "-N 2 --exclusive");
  PASS (&site.fixture, 1);
  submit_nice (&site, 4, 0, 30, nice, "-N 6 --exclusive");
  PASS (&site.fixture, 31);
  fixture_reload (&site.fixture);
  gboolean is_het_first = planned_s (&site.fixture, 2) == 51;
  g_assert_cmpint (planned_s (&site.fixture, 3), ==, is_het_first ? 51 : 81);
  g_assert_cmpint (planned_s (&site.fixture, 4), ==, is_het_first ? 151 : 51);
  site_clear (&site);
  return is_het_first;
}

static void
test_prio (void)
{
  g_assert_true (is_first ("slurm:bf_resolution=1", 40));
  g_assert_false (is_first ("slurm:bf_resolution=1,bf_hetjob_prio=1", 60));
  g_assert_true (is_first ("slurm:bf_resolution=1,bf_hetjob_prio=1", 110));
  g_assert_true (is_first ("slurm:bf_resolution=1,bf_hetjob_prio=2", 60));
  g_assert_false (is_first ("slurm:bf_resolution=1,bf_hetjob_prio=2", 40));
  g_assert_true (is_first ("slurm:bf_resolution=1,bf_hetjob_prio=3", 40));
  /* With this one it stands where the least does, if nothing else is said. */
  g_assert_false (is_first ("slurm:bf_resolution=1,bf_hetjob_immediate=1", 60));
  g_assert_true (is_first ("slurm:bf_resolution=1,bf_hetjob_immediate=1,bf_hetjob_prio=3", 60));
}

/* ---------------------------------------------------------------- what it counts for */

static gint64
planned_with (const char *backfill)
{
  LkFixture self;
  fixture_init (&self, 10, "fifo", backfill);
  fixture_submit (&self, 0, 1, 6, 50);
  PASS (&self, 0);
  submit_two (&self, 1, 2);
  PASS (&self, 30);
  gint64 at_s = planned_s (&self, 2);
  fixture_clear (&self);
  return at_s;
}

static void
test_counts (void)
{
  g_assert_cmpint (planned_with ("slurm:bf_resolution=1,bf_max_job_user=2"), ==, 50);
  g_assert_cmpint (planned_with ("slurm:bf_resolution=1,bf_max_job_user=1"), ==, -1);
  g_assert_cmpint (planned_with ("slurm:bf_resolution=1,bf_max_job_part=1"), ==, -1);
  g_assert_cmpint (planned_with ("slurm:bf_resolution=1,bf_job_part_count_reserve=1"), ==, 50);
}

/* ---------------------------------------------------------------- on nodes */

static void
set_nodes (Site *site, guint partition, const char *nodes)
{
  LkPartitionSpec *spec = g_ptr_array_index (site->cluster->partitions, partition);
  g_free (spec->nodes);
  spec->nodes = g_strdup (nodes);
}

static guint64
nodes_planned (const Site *site, guint32 job_id)
{
  guint64 nodes = 0;
  LkJobIndex job = lk_id_map_find (&site->fixture.engine->jobs.index_by_id, job_id);
  lk_engine_planned_nodes (site->fixture.engine, job, &nodes);
  return nodes;
}

static void
test_planned_nodes (gconstpointer backfill)
{
  Site site;
  site_prepare (&site, "");
  site_start (&site, backfill);
  submit_as (&site, 0, 1, 0, "-N 5 --exclusive");
  submit_as (&site, 0, 1, 1, "-N 3 --exclusive");
  PASS (&site.fixture, 0);
  submit_as (&site, 1, 3, 0, "-N 1 --exclusive -w n6");
  submit_as (&site, 1, 3, 1, "-N 2 --exclusive -w n[1-2]");
  PASS (&site.fixture, 30);
  g_assert_cmpint (planned_s (&site.fixture, 3), ==, 100);
  fixture_reload (&site.fixture);
  g_assert_cmphex (nodes_planned (&site, 3), ==, 0x20);
  g_assert_cmphex (nodes_planned (&site, 4), ==, 0x03);
  /* Who is held is planned no more. */
  fixture_event (&site.fixture, 31, LK_EVENT_HOLD, 3);
  g_assert_cmphex (nodes_planned (&site, 4), ==, 0);
  fixture_event (&site.fixture, 32, LK_EVENT_CANCEL, 3);
  fixture_reload (&site.fixture);
  site_clear (&site);
}

/* Each component has that of its partitions in which it starts first. */
static void
test_partitions (void)
{
  Site site;
  site_prepare (&site, "");
  set_nodes (&site, 0, "n[1-4]");
  set_nodes (&site, 1, "n[5-8]");
  site_start (&site, "slurm:bf_resolution=1");
  submit_as (&site, 0, 1, 0, "-p main -N 2 --exclusive");
  submit_as (&site, 0, 1, 1, "-p main -N 1 --exclusive");
  PASS (&site.fixture, 0);
  forget (&site.fixture);
  submit_as (&site, 1, 3, 0, "-p main,small -N 2 --exclusive");
  submit_as (&site, 1, 3, 1, "-p small,main -N 1 --exclusive");
  submit_as (&site, 1, 5, 0, "-p main,small -N 1 --exclusive");
  submit_as (&site, 1, 5, 1, "-p small -N 1 --exclusive");
  PASS (&site.fixture, 30);
  g_assert_nonnull (strstr (site.fixture.log->str, "start 3 n[5-6]; start 4 n7"));
  g_assert_nonnull (strstr (site.fixture.log->str, "start 5 n4; start 6 n8"));
  fixture_reload (&site.fixture);
  /* They wait again where they deserve most. */
  fixture_event (&site.fixture, 31, LK_EVENT_REQUEUE, 3);
  fixture_reload (&site.fixture);
  fixture_event (&site.fixture, 31, LK_EVENT_CANCEL, 3);
  site_clear (&site);
}

static void
set_partition (Site *site, gint64 time_s, const char *name, guint8 state)
{
  LkEvent event = { .kind = LK_EVENT_PARTITION };
  event.partition.name = lk_text (name);
  event.partition.state = state;
  g_assert_cmpint (fixture_apply (&site->fixture, time_s, &event), ==, LK_STATUS_OK);
}

/* A job behind it is looked at in the partition whose turn it is, not where it waits. */
static void
test_behind (gconstpointer backfill)
{
  Site site;
  site_prepare (&site, "");
  set_nodes (&site, 1, "n[1-4]");
  LkPartitionSpec *small = g_ptr_array_index (site.cluster->partitions, 1);
  small->priority_tier = 10;
  add_partition (site.cluster, "rest", "");
  set_nodes (&site, 2, "n[5-8]");
  LkPartitionSpec *rest = g_ptr_array_index (site.cluster->partitions, 2);
  rest->is_default = FALSE;
  site_start (&site, backfill);
  submit_nice (&site, 1, 0, 300, 0, "-p main -N 4 --exclusive -w n[5-8]");
  PASS (&site.fixture, 1);
  submit_as (&site, 1, 2, 0, "-p main,small -N 1 --exclusive -w n1");
  submit_as (&site, 1, 2, 1, "-p main -N 1 --exclusive -w n5");
  set_partition (&site, 1, "small", LK_PARTITION_DOWN);
  forget (&site.fixture);
  submit_nice (&site, 4, 0, 60, 0, "-p rest,small -N 1");
  PASS (&site.fixture, 100);
  g_assert_null (strstr (site.fixture.log->str, "start 4"));
  fixture_reload (&site.fixture);
  g_assert_false (lk_engine_pass_wanted (site.fixture.engine));
  set_partition (&site, 110, "small", LK_PARTITION_UP);
  g_assert_true (lk_engine_pass_wanted (site.fixture.engine));
  PASS (&site.fixture, 110);
  PASS (&site.fixture, 121);
  g_assert_nonnull (strstr (site.fixture.log->str, "start 4"));
  site_clear (&site);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/het-slurm/bf_hetjob_prio", test_prio);
  g_test_add_func ("/het-slurm/components count", test_counts);
  g_test_add_data_func ("/het-slurm/planned nodes, slurm", "slurm:bf_resolution=1",
                        test_planned_nodes);
  g_test_add_data_func ("/het-slurm/planned nodes, conservative", "conservative",
                        test_planned_nodes);
  g_test_add_data_func ("/het-slurm/planned nodes, full", "full", test_planned_nodes);
  g_test_add_func ("/het-slurm/any of several partitions", test_partitions);
  g_test_add_data_func ("/het-slurm/a job behind it", "slurm:bf_resolution=1", test_behind);
  return g_test_run ();
}
