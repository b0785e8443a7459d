/* tests/engine/offer_test.c — what jobs get of nodes, in worked numbers: rounding to cores, memory,
 * sharing, cores of sockets, GPUs, shares, counts, licences; and how a start decision tells it.
 *
 * Each scene is a machine and jobs that come one behind the other.  More rules, with what Slurm
 * did, are in place_rules_test.c. */
#include <string.h>

#include "tests/engine/node_fixture.h"

#define JOBS_MAX 6

typedef struct {
  const char *options;  /* of the job; "@2 ..." of user 2 */
  const char *expected; /* "NODES CORES [GRES] [MEMORY]"; "-": it waits; "!N": refused with N */
} Job;

typedef struct {
  const char *what;
  LkCluster *(*machine) (void);
  Job jobs[JOBS_MAX];
} Scene;

/* ---------------------------------------------------------------- machines */

/* 2 sockets of 2 cores of 2 threads, 8000 MiB. */
static LkCluster *
threads (void)
{
  LkCluster *cluster = lk_cluster_new ("threads");
  node_fixture_add_sockets (cluster, "n[1-2]", 2, 2, 2);
  return cluster;
}

static LkCluster *
sockets (void)
{
  LkCluster *cluster = lk_cluster_new ("sockets");
  node_fixture_add_sockets (cluster, "n1", 2, 4, 1);
  cluster->memory = FALSE;
  return cluster;
}

static LkCluster *
sockets_in_blocks (void)
{
  LkCluster *cluster = sockets ();
  cluster->cores_block = TRUE;
  return cluster;
}

static LkCluster *
whole_sockets (void)
{
  LkCluster *cluster = sockets ();
  cluster->memory = TRUE;
  cluster->memory_per_cpu_default_bytes = 1500 * MIB;
  cluster->consume = LK_CONSUME_SOCKET;
  return cluster;
}

static LkCluster *
memory_only (void)
{
  LkCluster *cluster = lk_cluster_new ("memory");
  node_fixture_add (cluster, "n[1-2]", 4, 8000);
  return cluster;
}

static LkCluster *
memory_by_default (void)
{
  LkCluster *cluster = memory_only ();
  cluster->memory_per_cpu_default_bytes = 1000 * MIB;
  cluster->memory_per_cpu_max_bytes = 4000 * MIB;
  return cluster;
}

static LkCluster *
memory_as_filter (void)
{
  LkCluster *cluster = memory_only ();
  cluster->memory = FALSE;
  return cluster;
}

static LkCluster *
reserved (void)
{
  LkCluster *cluster = sockets ();
  LkNodeSpec *node = g_ptr_array_index (cluster->nodes, 0);
  node->cores_reserved = 1;
  return cluster;
}

static LkCluster *
shared_by (LkOversubscribe oversubscribe)
{
  LkCluster *cluster = lk_cluster_new ("shared");
  node_fixture_add (cluster, "n[1-2]", 2, 8000);
  cluster->memory = FALSE;
  LkPartitionSpec *partition = lk_cluster_add_partition (cluster, "main");
  partition->is_default = TRUE;
  partition->oversubscribe = oversubscribe;
  partition->oversubscribe_jobs = 2;
  return cluster;
}

static LkCluster *
shared_never (void)
{
  return shared_by (LK_OVERSUBSCRIBE_NO);
}

static LkCluster *
shared_always (void)
{
  return shared_by (LK_OVERSUBSCRIBE_FORCE);
}

static LkCluster *
shared_on_request (void)
{
  return shared_by (LK_OVERSUBSCRIBE_YES);
}

static LkCluster *
shared_by_nobody (void)
{
  return shared_by (LK_OVERSUBSCRIBE_EXCLUSIVE);
}

static LkCluster *
one_user (void)
{
  LkCluster *cluster = shared_by (LK_OVERSUBSCRIBE_NO);
  LkPartitionSpec *partition = g_ptr_array_index (cluster->partitions, 0);
  partition->exclusive_user = TRUE;
  return cluster;
}

static LkNodeSpec *
add_gpu_nodes (LkCluster *cluster, const char *names)
{
  LkNodeSpec *node = node_fixture_add (cluster, names, 8, 8000);
  cluster->memory = FALSE;
  lk_node_spec_add_gres (node, "gpu", "", 2);
  return node;
}

static LkCluster *
gpus (void)
{
  LkCluster *cluster = lk_cluster_new ("gpus");
  add_gpu_nodes (cluster, "g[1-2]");
  return cluster;
}

static LkCluster *
gpus_with_cpus (void)
{
  LkCluster *cluster = gpus ();
  cluster->cpus_per_gpu_default = 4;
  return cluster;
}

static LkCluster *
gpu_types (void)
{
  LkCluster *cluster = lk_cluster_new ("types");
  LkNodeSpec *node = node_fixture_add (cluster, "g1", 8, 8000);
  cluster->memory = FALSE;
  lk_node_spec_add_gres (node, "gpu", "a100", 1);
  lk_node_spec_add_gres (node, "gpu", "v100", 1);
  return cluster;
}

static LkCluster *
shares (void)
{
  LkCluster *cluster = lk_cluster_new ("shares");
  LkNodeSpec *node = add_gpu_nodes (cluster, "g1");
  lk_node_spec_add_gres (node, "shard", "", 8);
  return cluster;
}

/* GPUs 0 and 1 linked to 3 and 2. */
static LkCluster *
links (void)
{
  static const guint16 table[16] = { 0, 1, 1, 4, 1, 0, 4, 1, 1, 4, 0, 1, 4, 1, 1, 0 };
  LkCluster *cluster = lk_cluster_new ("links");
  LkNodeSpec *node = node_fixture_add (cluster, "g1", 8, 8000);
  cluster->memory = FALSE;
  LkGresSpec *gres = lk_node_spec_add_gres (node, "gpu", "", 4);
  gres->links = g_memdup2 (table, sizeof table);
  return cluster;
}

static LkCluster *
counts (void)
{
  LkCluster *cluster = lk_cluster_new ("counts");
  LkNodeSpec *node = node_fixture_add (cluster, "n[1-3]", 2, 8000);
  cluster->memory = FALSE;
  lk_node_spec_add_gres (node, "nic", "", 3);
  lk_node_spec_add_gres (node, "log", "", 1)->no_consume = TRUE;
  lk_cluster_add_license (cluster, "matlab", 3);
  return cluster;
}

static LkCluster *
features (void)
{
  LkCluster *cluster = lk_cluster_new ("features");
  lk_node_spec_add_feature (node_fixture_add (cluster, "n[1-2]", 2, 8000), "a");
  lk_node_spec_add_feature (node_fixture_add (cluster, "n[3-5]", 2, 8000), "b");
  cluster->memory = FALSE;
  return cluster;
}

/* ---------------------------------------------------------------- scenes */

static const Scene scenes[] = {
  { "a CPU is rounded up to its core, and pays its memory",
    threads,
    { { "-n1 --mem-per-cpu=1G", "n1 n1=0 2048M" },
      { "-n3 --mem-per-cpu=1G", "n1 n1=1-2 4096M" },
      { "-n3 --mem-per-cpu=1G", "n2 n2=0,2 4096M" } } },
  { "cores come from the sockets in turn", sockets, { { "-n2", "n1 n1=0,4" } } },
  { "or fill one socket after the other", sockets_in_blocks, { { "-n2", "n1 n1=0-1" } } },
  { "as the job says",
    sockets,
    { { "-n2 -m block:block", "n1 n1=0-1" }, { "-n2 -m block:cyclic", "n1 n1=2,4" } } },
  { "whole sockets are handed out, with memory for all of them",
    whole_sockets,
    { { "-n1", "n1 n1=0-3 6000M" }, { "-n1 --mem-per-cpu=500", "n1 n1=4-7 2000M" } } },
  { "no more sockets than there is memory for",
    whole_sockets,
    { { "-n5 --mem-per-cpu=1000", "n1 n1=0-7 8000M" } } },
  { "who asks for no memory gets all of the node",
    memory_only,
    { { "-n1", "n1 n1=0 8000M" }, { "-n1 --mem=1", "n2 n2=0 1M" }, { "-n1", "-" } } },
  { "memory blocks before cores do",
    memory_by_default,
    { { "-n1 --mem=6000", "n1 n1=0-1 6000M" },
      { "-n2", "n1 n1=2-3 2000M" },
      { "-n1 --mem=3000", "n2 n2=0 3000M" },
      { "-n2 --mem-per-cpu=1500", "n2 n2=1-2 3000M" },
      { "-N1 -n1 --mem=0", "-" } } },
  { "more memory than a CPU may have is paid with CPUs",
    memory_by_default,
    { { "-n1 --mem-per-cpu=6000", "n1 n1=0-1 6000M" } } },
  { "where memory is not handed out, nodes must have it",
    memory_as_filter,
    { { "-n1 --mem=8000", "n1 n1=0" },
      { "-n1 --mem=8000", "n1 n1=1" },
      { "-n1 --mem=8001", "!21" } } },
  { "reserved cores are not handed out", reserved, { { "-n7", "n1 n1=0-6" }, { "-n1", "-" } } },

  { "jobs share a node, not its cores",
    shared_never,
    { { "-n1", "n1 n1=0" },
      { "-n1", "n1 n1=1" },
      { "-n1 --exclusive", "n2 n2=0-1" },
      { "-n1", "-" } } },
  { "asking to share does not help there",
    shared_never,
    { { "-n4 -s", "n[1-2] n[1-2]=0-1" }, { "-n1 -s", "-" } } },
  { "two jobs on a core where sharing is forced, free ones first",
    shared_always,
    { { "-n2", "n1 n1=0-1" },
      { "-n2", "n2 n2=0-1" },
      { "-n2 --exclusive", "n1 n1=0-1" },
      { "-n2", "n2 n2=0-1" },
      { "-n1", "-" } } },
  { "who shares and who does not are not on one node",
    shared_on_request,
    { { "-n1 -s", "n1 n1=0" },
      { "-n1", "n2 n2=0" },
      { "-n2 -s", "n1 n1=0-1" },
      { "-n2 -s", "-" } } },
  { "whole nodes where nobody shares",
    shared_by_nobody,
    { { "-n1", "n1 n1=0-1" }, { "-n1 -s", "n2 n2=0-1" }, { "-n1", "-" } } },
  { "a node of one user at a time, by the partition",
    one_user,
    { { "@1 -n1", "n1 n1=0" },
      { "@2 -n1", "n2 n2=0" },
      { "@1 -n1", "n1 n1=1" },
      { "@3 -n1", "-" } } },
  { "a node of one user at a time, by the job",
    shared_never,
    { { "@1 -n1", "n1 n1=0" },
      { "@2 -n1 --exclusive=user", "n2 n2=0" },
      { "@1 -n1 --exclusive=user", "n1 n1=1" },
      { "@1 -n1", "-" } } },

  { "GPUs in all are spread over nodes",
    gpus,
    { { "--gpus=3", "g[1-2] g[1-2]=0 g1=gpu:0-1;g2=gpu:0" } } },
  { "GPUs of tasks go where the tasks go",
    gpus,
    { { "--gpus-per-task=1 -n3", "g[1-2] g1=0-1;g2=0 g1=gpu:0-1;g2=gpu:0" } } },
  { "GPUs of each node",
    gpus,
    { { "--gres=gpu:1", "g1 g1=0 g1=gpu:0" },
      { "-N2 --gpus-per-node=1", "g[1-2] g1=1;g2=0 g1=gpu:1;g2=gpu:0" },
      { "--gres=gpu:1", "g2 g2=1 g2=gpu:1" },
      { "--gres=gpu:1", "-" } } },
  { "a GPU without a type is any",
    gpu_types,
    { { "--gres=gpu:a100:1", "g1 g1=0 g1=gpu:0" },
      { "--gres=gpu:1", "g1 g1=1 g1=gpu:1" },
      { "--gres=gpu:v100:1", "-" } } },
  { "CPUs come with GPUs", gpus_with_cpus, { { "--gpus=2", "g1 g1=0-7 g1=gpu:0-1" } } },
  { "unless the job says how many",
    gpus_with_cpus,
    { { "--gpus=2 -c1 -n1", "g1 g1=0 g1=gpu:0-1" } } },
  { "the best linked of the GPUs go together",
    links,
    { { "--gres=gpu:2", "g1 g1=0 g1=gpu:0,3" }, { "--gres=gpu:2", "g1 g1=1 g1=gpu:1-2" } } },
  { "shares lie on one GPU, the first with room",
    shares,
    { { "--gres=shard:3", "g1 g1=0 g1=shard*3@0" },
      { "--gres=shard:3", "g1 g1=1 g1=shard*3@1" },
      { "--gres=shard:1", "g1 g1=2 g1=shard*1@0" },
      { "--gres=shard:2", "-" } } },
  { "a GPU with shares in use is not handed out",
    shares,
    { { "--gres=shard:1", "g1 g1=0 g1=shard*1@0" },
      { "--gres=gpu:1", "g1 g1=1 g1=gpu:1" },
      { "--gres=shard:3", "g1 g1=2 g1=shard*3@0" },
      { "--gres=shard:1", "-" } } },
  { "counts of other resources, and what is not used up",
    counts,
    { { "--gres=nic:2,log:1 -w n1", "n1 n1=0 n1=nic*2" },
      { "--gres=nic:2,log -N2", "n[2-3] n[2-3]=0 n[2-3]=nic*2" },
      { "--gres=nic:1", "n1 n1=1 n1=nic*1" },
      { "--gres=nic:2", "-" } } },
  { "licences are of the whole machine",
    counts,
    { { "-n1 -L matlab:2", "n1 n1=0" },
      { "-n1 -L matlab", "n1 n1=1" },
      { "-n1 -L matlab", "-" } } },
  { "a licence named twice is asked for twice",
    counts,
    { { "-n1 -L matlab:2,matlab:1", "n1 n1=0" }, { "-n1 -L matlab", "-" } } },

  { "all nodes from one alternative",
    features,
    { { "-N3 -C [a|b]", "n[3-5] n[3-5]=0" },
      { "-N2 -C [a|b]", "n[1-2] n[1-2]=0" },
      { "-N2 -C [b|a]", "n[3-4] n[3-4]=1" } } },
  { "at least so many with a feature",
    features,
    { { "-N3 -C a*1", "n[1-3] n[1-3]=0" }, { "-N4 -C [a*1&b*3]", "n[1,3-5] n[1,3]=1;n[4-5]=0" } } },
  { "nodes that are named, and one that is not wanted",
    features,
    { { "-N2 -w n4", "n[4-5] n[4-5]=0" }, { "-N2 -x n[1-4]", "!21" } } },
};

static void
submit (LkFixture *self, guint32 id, const char *options)
{
  guint32 user_id = 1;
  if (options[0] == '@') {
    user_id = (guint32)(options[1] - '0');
    options += 2;
  }
  node_fixture_submit_of (self, 0, id, user_id, /* estimate_s= */ 100, options);
}

static void
test_scene (gconstpointer data)
{
  const Scene *scene = data;
  LkFixture self;
  g_autoptr (LkCluster) cluster = scene->machine ();
  cluster->enforce_limits = TRUE;
  node_fixture_init (&self, cluster, "none", "cons_tres");
  self.tells_details = TRUE;
  for (guint32 i = 0; i < JOBS_MAX && scene->jobs[i].options != NULL; i++) {
    const char *expected = scene->jobs[i].expected;
    submit (&self, i + 1, scene->jobs[i].options);
    if (expected[0] == '!') {
      g_autofree char *refused = g_strdup_printf ("reject %u %s", i + 1, expected + 1);
      fixture_assert_log (&self, refused);
      continue;
    }
    g_autofree char *accepted = g_strdup_printf ("accept %u", i + 1);
    fixture_assert_log (&self, accepted);
    node_fixture_pass (&self, 0);
    g_autofree char *started = g_strdup_printf ("start %u %s", i + 1, expected);
    char *wake = strstr (self.log->str, "; wake");
    if (wake != NULL)
      g_string_truncate (self.log, (gsize)(wake - self.log->str));
    fixture_assert_log (&self, strcmp (expected, "-") == 0 ? "" : started);
  }
  fixture_clear (&self);
}

/* A share of a GPU and a GPU as a whole are not of one job, nor are shares of two. */
static void
test_shares_alone (void)
{
  static const char *const texts[] = { "shard:1,gpu:1", "gpu:1,shard:1", "shard:1,shard:2" };
  LkFixture self;
  g_autoptr (LkCluster) cluster = shares ();
  node_fixture_init (&self, cluster, "none", "cons_tres");
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++) {
    LkEvent event = { .kind = LK_EVENT_SUBMIT };
    LkJobRequest request = { .tasks = 1, .gres = lk_text (texts[i]) };
    event.submit.job_id = 1;
    event.submit.procs = 1;
    event.submit.estimate_us = 1;
    lk_submit_set_request (&event.submit, &request);
    fixture_apply (&self, 0, &event);
    fixture_assert_log (&self, "reject 1 12");
  }
  LkEvent event = { .kind = LK_EVENT_SUBMIT };
  LkJobRequest request = { .gpus = lk_text ("1"), .gres = lk_text ("shard:1") };
  event.submit = (LkEvent_submit){ .job_id = 1, .procs = 1, .estimate_us = 1 };
  lk_submit_set_request (&event.submit, &request);
  fixture_apply (&self, 0, &event);
  fixture_assert_log (&self, "reject 1 12");
  fixture_clear (&self);
}

/* The texts go around in the decision's bytes. */
static void
test_bytes (void)
{
  LkFixture self;
  LkDecision decision;
  g_autoptr (LkCluster) cluster = shares ();
  node_fixture_init (&self, cluster, "none", "cons_tres");
  submit (&self, 1, "--gres=shard:3 -n2");
  node_fixture_pass (&self, 0);
  LkDecided decided = lk_engine_decided (self.engine);
  g_assert_cmpuint (lk_decision_decode (decided.bytes, decided.length_bytes, &decision), >, 0);
  g_assert_cmpint (decision.kind, ==, LK_DECISION_START);
  g_assert_cmpuint (decision.start.units, ==, 2);
  g_autofree char *nodes =
      g_strndup (decision.start.nodes.bytes, decision.start.nodes.length_bytes);
  g_autofree char *gres = g_strndup (decision.start.gres.bytes, decision.start.gres.length_bytes);
  g_assert_cmpstr (nodes, ==, "g1");
  g_assert_cmpstr (gres, ==, "g1=shard*3@0");
  fixture_clear (&self);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (scenes); i++) {
    g_autofree char *path = g_strconcat ("/offer/", scenes[i].what, NULL);
    g_test_add_data_func (path, &scenes[i], test_scene);
  }
  g_test_add_func ("/offer/shares and GPUs are not of one job", test_shares_alone);
  g_test_add_func ("/offer/a start decision holds where the job is", test_bytes);
  return g_test_run ();
}
