/* tests/engine/plan_work_test.c — what it costs to keep a reservation for every job on nodes, in
 * steps and pieces that are visited.
 *
 * A few nodes are full, jobs of some tasks wait for them, and all that run end early: each early
 * end is offered to the whole queue.  Most of the queue moves with it, so the work of an event
 * grows with the queue; it must not grow with the square of it. */
#include "engine/engine_private.h"
#include "engine/plan.h"
#include "tests/engine/node_fixture.h"

#define ENDS 40u

/* Of all plans. */
static guint64
work_done (const LkFixture *self)
{
  guint64 work = 0;
  for (guint i = 0; i < self->engine->plans->len; i++) {
    const LkPlan *plan = g_ptr_array_index (self->engine->plans, i);
    work += lk_timelines_work (plan->timelines);
  }
  return work;
}

/* The running job of the lowest number. */
static guint32
first_running (const LkFixture *self)
{
  LkJobInfo info;
  guint32 job_id = 1;
  while (!lk_engine_job (self->engine, job_id, &info) || info.state != LK_JOB_RUNNING)
    job_id++;
  return job_id;
}

/* The work of ENDS early ends with their passes, with so many jobs of one to six tasks and of 10 to
 * 90 minutes. */
static guint64
work_of_ends (const char *backfill, guint32 job_count)
{
  LkFixture self;
  LkCluster *cluster = lk_cluster_new ("work");
  node_fixture_add (cluster, "n[0-3]", 4, 4000);
  cluster->memory = FALSE;
  node_fixture_init (&self, cluster, backfill, "cons_tres");
  for (guint32 job_id = 1; job_id <= job_count; job_id++) {
    g_autofree char *line = g_strdup_printf ("-n %u", 1 + job_id * 7 % 6);
    node_fixture_submit (&self, 0, job_id, (10 + job_id * 37 % 81) * 60, line);
  }
  node_fixture_pass (&self, 0);
  guint64 before = work_done (&self);
  for (guint i = 1; i <= ENDS; i++) {
    fixture_ended (&self, 7 * i, first_running (&self));
    node_fixture_pass (&self, 7 * i);
  }
  guint64 work = work_done (&self) - before;
  lk_engine_check (self.engine);
  fixture_clear (&self);
  lk_cluster_free (cluster);
  return work;
}

/* The work of ENDS ends on time, each with the arrival of one more job, on one node that is planned
 * for so many jobs. */
static guint64
work_of_ends_on_time (const char *backfill, guint32 job_count)
{
  LkFixture self;
  LkCluster *cluster = lk_cluster_new ("work");
  node_fixture_add (cluster, "n0", 4, 4000);
  cluster->memory = FALSE;
  node_fixture_init (&self, cluster, backfill, "cons_tres");
  for (guint32 job_id = 1; job_id <= job_count; job_id++)
    node_fixture_submit (&self, 0, job_id, 60, "-n 4");
  node_fixture_pass (&self, 0);
  guint64 before = work_done (&self);
  for (guint i = 1; i <= ENDS; i++) {
    fixture_ended (&self, 60 * i, i);
    node_fixture_submit (&self, 60 * i, job_count + i, 60, "-n 4");
    node_fixture_pass (&self, 60 * i);
  }
  guint64 work = work_done (&self) - before;
  lk_engine_check (self.engine);
  fixture_clear (&self);
  lk_cluster_free (cluster);
  return work;
}

/* Of a node's plan an end and a start change little. */
static void
test_ends_on_time (gconstpointer backfill)
{
  guint64 few = work_of_ends_on_time (backfill, 100);
  guint64 many = work_of_ends_on_time (backfill, 400);
  g_test_message ("%s: %" G_GUINT64_FORMAT " with 100 jobs, %" G_GUINT64_FORMAT " with 400",
                  (const char *)backfill, few, many);
  g_assert_cmpuint (few, >, 0);
  g_assert_cmpuint (many, <, 2 * few);
}

/* Where the queue is deep, an offer to all of it waits for credit. */
static void
test_deep_queue (void)
{
  guint64 few = work_of_ends ("full:offers=2,credit=0", 100);
  guint64 many = work_of_ends ("full:offers=2,credit=0", 400);
  g_test_message ("%" G_GUINT64_FORMAT " with 100 jobs, %" G_GUINT64_FORMAT " with 400", few, many);
  g_assert_cmpuint (few, >, 0);
  g_assert_cmpuint (many, <, 2 * few);
}

static void
test_early_ends (gconstpointer backfill)
{
  guint64 few = work_of_ends (backfill, 100);
  guint64 many = work_of_ends (backfill, 400);
  g_test_message ("%s: %" G_GUINT64_FORMAT " with 100 jobs, %" G_GUINT64_FORMAT " with 400",
                  (const char *)backfill, few, many);
  g_assert_cmpuint (few, >, 0);
  g_assert_cmpuint (many, <, 8 * few);
  g_assert_cmpuint (many / ENDS, <, 400 * 100);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/plan-work/an early end costs full by the jobs, not by their square",
                        "full", test_early_ends);
  g_test_add_data_func ("/plan-work/an early end costs conservative by the jobs, too",
                        "conservative", test_early_ends);
  g_test_add_data_func ("/plan-work/an end on time does not cost full by the plan of the node",
                        "full", test_ends_on_time);
  g_test_add_data_func ("/plan-work/an end on time does not cost conservative by the plan either",
                        "conservative", test_ends_on_time);
  g_test_add_func ("/plan-work/an early end costs full no more by a deeper queue", test_deep_queue);
  return g_test_run ();
}
