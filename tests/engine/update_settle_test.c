/* tests/engine/update_settle_test.c — what follows from an update of a job beside what it says. */
#include "engine/update_settle.h"

#include "engine/request_cpus.h"
#include "tests/engine/node_fixture.h"

#define CHANGE(name) (G_GUINT64_CONSTANT (1) << LK_CHANGE_##name)

static void
fixture_open (LkFixture *self, const char *line)
{
  LkCluster *cluster = lk_cluster_new ("test");
  node_fixture_add (cluster, "n[1-8]", 4, 1000);
  lk_cluster_add_partition (cluster, "main");
  node_fixture_init (self, cluster, "easy", "cons_tres");
  lk_cluster_free (cluster);
  node_fixture_submit (self, 0, 1, 100, line);
}

static void
test_cpus (void)
{
  static const struct {
    const char *line;
    LkEvent_update update;
    guint32 procs;
  } cases[] = {
    { "-n2 -c3", { .changes = CHANGE (tasks) | CHANGE (procs), .tasks = 4 }, 12 },
    { "-n2 -c3", { .changes = CHANGE (cpus_per_task) | CHANGE (procs), .cpus_per_task = 1 }, 2 },
    { "-N3", { .changes = CHANGE (tasks) | CHANGE (procs), .tasks = 2 }, 3 },
    /* Where it does not change, what is said is not looked at. */
    { "-n2 -c3", { .changes = CHANGE (tasks), .tasks = 4, .procs = 9 }, 9 },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    LkFixture fixture;
    fixture_open (&fixture, cases[i].line);
    LkEvent_update update = cases[i].update;
    update.job_id = 1;
    lk_update_settle (fixture.engine, &update);
    g_assert_cmpuint (update.procs, ==, cases[i].procs);
    fixture_clear (&fixture);
  }
}

static void
test_nodes (void)
{
  static const struct {
    const char *line;
    guint32 nodes_min;
    guint32 nodes_max;
  } cases[] = { { "-N2-6", 4, 6 }, { "-N2-6", 7, 7 }, { "-N2", 1, 2 }, { "-n1", 3, 3 } };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    LkFixture fixture;
    fixture_open (&fixture, cases[i].line);
    LkEvent_update update = { .job_id = 1,
                              .changes = CHANGE (nodes_min),
                              .nodes_min = cases[i].nodes_min };
    lk_update_settle (fixture.engine, &update);
    g_assert_cmpuint (update.changes, ==, CHANGE (nodes_min) | CHANGE (nodes_max));
    g_assert_cmpuint (update.nodes_max, ==, cases[i].nodes_max);
    fixture_clear (&fixture);
  }
}

static void
test_nothing (void)
{
  LkFixture fixture;
  fixture_open (&fixture, "-n1");
  LkEvent_update update = { .job_id = 7, .changes = CHANGE (procs), .procs = 5 };
  lk_update_settle (fixture.engine, &update);
  g_assert_cmpuint (update.procs, ==, 5);
  fixture_clear (&fixture);
}

static void
test_gpus (void)
{
  static const struct {
    const char *gres;
    const char *gpus;
    const char *gpus_per_task;
    guint32 cpus;
  } cases[] = {
    { "", "", "", 2 },
    { "gpu:3", "", "", 24 },
    { "gres/gpu:a100:2,shard:8,gpu:1", "", "", 24 },
    { "gpu", "", "", 8 },
    { "gpu:a100", "", "", 8 },
    { "shard:8", "", "", 2 },
    { "gpu:3", "a100:1,2", "", 12 },
    { "", "", "2", 16 },
    { "", "4294967295k", "", 4294967295 },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    LkJobRequest request = { .nodes_min = 2,
                             .nodes_max = 2,
                             .cpus_per_gpu = 4,
                             .gres = lk_text (cases[i].gres),
                             .gpus = lk_text (cases[i].gpus),
                             .gpus_per_task = lk_text (cases[i].gpus_per_task) };
    g_assert_cmpuint (lk_job_request_cpus (&request), ==, cases[i].cpus);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/update settle/processors are counted anew", test_cpus);
  g_test_add_func ("/update settle/a least number of nodes leaves the most", test_nodes);
  g_test_add_func ("/update settle/a job that is not there is left to the engine", test_nothing);
  g_test_add_func ("/update settle/GPUs bring CPUs", test_gpus);
  return g_test_run ();
}
