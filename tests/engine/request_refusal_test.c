/* tests/engine/request_refusal_test.c — requests that a machine refuses, that can never run on it,
 * and the nodes that could serve those that can. */
#include "tests/engine/request_fixture.h"

static char *
eligible_nodes (const RequestFixture *self, const LkRequest *request)
{
  GString *out = g_string_new (NULL);
  for (guint32 node = 0; node < self->machine->nodes.node_count; node++)
    if (lk_bits_has (request->eligible, node))
      g_string_append_printf (out, "%s%s", out->len > 0 ? " " : "",
                              self->machine->nodes.names[node]);
  return g_string_free (out, FALSE);
}

/* ---------------------------------------------------------------- refusals */

typedef struct {
  const char *rule;
  LkJobRequest asked;
  guint32 procs; /* 0: 1 */
  LkReject reject;
} RefusalCase;

static const RefusalCase refusal_cases[] = {
  { "a partition that there is not",
    { .partition = TEXT ("debug") },
    0,
    LK_REJECT_PARTITION_UNKNOWN },
  { "a longer name than a partition has",
    { .partition = TEXT ("mainly") },
    0,
    LK_REJECT_PARTITION_UNKNOWN },
  { "the beginning of a partition's name",
    { .partition = TEXT ("mai") },
    0,
    LK_REJECT_PARTITION_UNKNOWN },
  { "a node that there is not", { .node_list = TEXT ("c[1-5]") }, 0, LK_REJECT_NODE_UNKNOWN },
  { "a node to avoid that there is not", { .exclude = TEXT ("x1") }, 0, LK_REJECT_NODE_UNKNOWN },
  { "a node that is named and avoided",
    { .node_list = TEXT ("g1"), .exclude = TEXT ("g1") },
    0,
    LK_REJECT_NODE_UNKNOWN },
  { "a list of nodes that is none", { .node_list = TEXT ("c[1-") }, 0, LK_REJECT_REQUEST_INVALID },
  { "a list of nodes to avoid that is none",
    { .exclude = TEXT ("c[1-") },
    0,
    LK_REJECT_REQUEST_INVALID },
  { "a feature that there is not",
    { .constraint = TEXT ("cpu&slow") },
    0,
    LK_REJECT_FEATURE_UNKNOWN },
  { "a constraint that is none", { .constraint = TEXT ("cpu&") }, 0, LK_REJECT_REQUEST_INVALID },
  { "a licence that there is not", { .licenses = TEXT ("nastran") }, 0, LK_REJECT_LICENSE_UNKNOWN },
  { "one of two licences", { .licenses = TEXT ("ansys|matlab") }, 0, LK_REJECT_LICENSE_UNKNOWN },
  { "licences without a name", { .licenses = TEXT ("matlab,") }, 0, LK_REJECT_LICENSE_UNKNOWN },
  { "licences that are no number",
    { .licenses = TEXT ("matlab:few") },
    0,
    LK_REJECT_REQUEST_INVALID },
  { "licences without their number",
    { .licenses = TEXT ("matlab:") },
    0,
    LK_REJECT_REQUEST_INVALID },
  { "more licences than there are", { .licenses = TEXT ("matlab:6") }, 0, LK_REJECT_LICENSE_TOTAL },
  { "more licences than there are, in parts",
    { .licenses = TEXT ("matlab:3,ansys,matlab:3") },
    0,
    LK_REJECT_LICENSE_TOTAL },
  { "GPUs of a type that there is not", { .gpus = TEXT ("h100:1") }, 0, LK_REJECT_NODE_CONFIG },
  { "GPUs of a resource's name", { .gpus = TEXT ("gpu:1") }, 0, LK_REJECT_NODE_CONFIG },
  { "GPUs of tasks that are no number",
    { .gpus_per_task = TEXT ("a100:x") },
    0,
    LK_REJECT_REQUEST_INVALID },
  { "GPUs of several types in all",
    { .gpus = TEXT ("a100:1,v100:1") },
    0,
    LK_REJECT_REQUEST_INVALID },
  { "GPUs of sockets without sockets",
    { .gpus_per_socket = TEXT ("1") },
    0,
    LK_REJECT_REQUEST_INVALID },
  { "GPUs of sockets and of nodes",
    { .gpus_per_socket = TEXT ("1"), .sockets_per_node_min = 2, .gres = TEXT ("gpu:2") },
    0,
    LK_REJECT_REQUEST_INVALID },
  { "GPUs of sockets beyond all numbers",
    { .gpus_per_socket = TEXT ("2g"), .sockets_per_node_min = 2 },
    0,
    LK_REJECT_REQUEST_INVALID },
  { "GPUs in all that nodes do not divide",
    { .gpus = TEXT ("3"), .gres = TEXT ("gpu:2") },
    0,
    LK_REJECT_REQUEST_INVALID },
  { "GPUs of nodes that tasks do not divide",
    { .gpus_per_task = TEXT ("2"), .gres = TEXT ("gpu:3") },
    0,
    LK_REJECT_REQUEST_INVALID },
  { "GPUs of nodes of another type than those in all",
    { .gpus = TEXT ("a100:2"), .gres = TEXT ("gpu:v100:2") },
    0,
    LK_REJECT_REQUEST_INVALID },
  { "GPUs of nodes of another type than those of tasks",
    { .gpus_per_task = TEXT ("a100:1"), .gres = TEXT ("gpu:v100:2") },
    0,
    LK_REJECT_REQUEST_INVALID },
  { "more nodes than the GPUs say",
    { .gpus = TEXT ("2"), .gres = TEXT ("gpu:2"), .nodes_min = 2 },
    0,
    LK_REJECT_REQUEST_INVALID },
  { "fewer nodes than the GPUs say",
    { .gpus = TEXT ("4"), .gres = TEXT ("gpu:2"), .nodes_max = 1 },
    0,
    LK_REJECT_REQUEST_INVALID },
  { "memory in two ways",
    { .present = PER_NODE | PER_CPU, .memory_per_node_bytes = GIB },
    0,
    LK_REJECT_REQUEST_INVALID },
  { "memory in all ways",
    { .present = PER_NODE | PER_CPU | PER_GPU },
    0,
    LK_REJECT_REQUEST_INVALID },
  { "memory below none",
    { .present = PER_CPU, .memory_per_cpu_bytes = -1 },
    0,
    LK_REJECT_REQUEST_INVALID },
  { "memory in a way that there is not", { .present = 8 }, 0, LK_REJECT_REQUEST_INVALID },
  { "fewer nodes at most than at least",
    { .nodes_min = 3, .nodes_max = 2 },
    0,
    LK_REJECT_REQUEST_INVALID },
  { "tasks beyond all numbers", { .tasks = G_MAXUINT32 }, 0, LK_REJECT_REQUEST_INVALID },
  { "processors beyond all numbers", { 0 }, G_MAXUINT32, LK_REJECT_REQUEST_INVALID },
  { "CPUs of a task beyond all numbers",
    { .cpus_per_task = G_MAXUINT32 },
    0,
    LK_REJECT_REQUEST_INVALID },
  { "tasks of nodes beyond all numbers",
    { .nodes_min = 65536, .tasks_per_node = 65536 },
    0,
    LK_REJECT_REQUEST_INVALID },
  { "tasks of GPUs beyond all numbers",
    { .gpus = TEXT ("65536"), .tasks_per_gpu = 65536 },
    0,
    LK_REJECT_REQUEST_INVALID },
};

static void
test_refusal (gconstpointer data)
{
  const RefusalCase *row = data;
  guint32 index = 77;
  RequestFixture self;
  request_fixture_init (&self, request_fixture_cluster ());
  LkReject reject = lk_machine_resolve (self.machine, &row->asked, MAX (1, row->procs), &index);
  g_assert_cmpint (reject, ==, row->reject);
  g_assert_cmpuint (index, ==, 77);
  g_assert_cmpuint (self.machine->requests->len, ==, 0);
  request_fixture_clear (&self);
}

static void
test_no_gpus (void)
{
  LkCluster *cluster = lk_cluster_new ("plain");
  static const LkJobRequest asked[] = { { .gpus = TEXT ("1") },
                                        { .gpus_per_task = TEXT ("1") },
                                        { .gpus_per_socket = TEXT ("1"),
                                          .sockets_per_node_min = 1 },
                                        { .gres = TEXT ("gpu:1") } };
  RequestFixture self;
  lk_cluster_add_nodes (cluster, "n1");
  request_fixture_init (&self, cluster);
  for (guint i = 0; i < G_N_ELEMENTS (asked); i++) {
    guint32 index;
    g_assert_cmpint (lk_machine_resolve (self.machine, &asked[i], 1, &index), ==,
                     LK_REJECT_GRES_UNKNOWN);
  }
  request_fixture_clear (&self);
}

/* ---------------------------------------------------------------- what can never run */

/* main takes jobs of 2 to 5 nodes, of account physics or chem but not chem, of QOS but slow, of
 * the group staff, and 20 GiB of a node. */
static LkCluster *
limited_cluster (void)
{
  LkCluster *cluster = request_fixture_cluster ();
  LkPartitionSpec *partition = request_fixture_main (cluster);
  partition->nodes_min = 2;
  partition->nodes_max = 5;
  partition->memory_per_node_max_bytes = 20 * GIB;
  g_free (partition->allow_accounts);
  partition->allow_accounts = g_strdup ("physics,chem");
  g_free (partition->deny_accounts);
  partition->deny_accounts = g_strdup ("chem");
  g_free (partition->allow_groups);
  partition->allow_groups = g_strdup ("staff");
  g_free (partition->allow_qos);
  partition->allow_qos = g_strdup ("all");
  g_free (partition->deny_qos);
  partition->deny_qos = g_strdup ("slow");
  return cluster;
}

typedef struct {
  const char *rule;
  LkJobRequest asked;
  guint32 procs;
  LkReason never;
  LkReject reject;
} NeverCase;

#define GPU_PARTITION .partition = TEXT ("gpu")
#define NODE_LIMIT LK_REASON_PARTITION_NODE_LIMIT, LK_REJECT_PARTITION_NODE_LIMIT
#define NO_ACCOUNT LK_REASON_ACCOUNT_NOT_ALLOWED, LK_REJECT_ACCOUNT_DENIED
#define NO_GROUP LK_REASON_ACCOUNT_NOT_ALLOWED, LK_REJECT_GROUP_DENIED
#define NO_QOS LK_REASON_QOS_NOT_ALLOWED, LK_REJECT_ACCOUNT_DENIED
#define NO_NODES LK_REASON_BAD_CONSTRAINTS, LK_REJECT_NODE_CONFIG
#define GOOD LK_REASON_NONE, 0

static const NeverCase never_cases[] = {
  { "nothing is wrong", { 0 }, 1, GOOD },
  { "as many nodes as are allowed", { .nodes_min = 5, .nodes_max = 5 }, 1, GOOD },
  { "more nodes than are allowed", { .nodes_min = 6 }, 1, NODE_LIMIT },
  { "fewer nodes than are allowed", { .nodes_min = 1, .nodes_max = 1 }, 1, NODE_LIMIT },
  { "more nodes at most than are allowed", { .nodes_min = 2, .nodes_max = 6 }, 1, NODE_LIMIT },
  { "a spread job asks for no more nodes than there are",
    { GPU_PARTITION, .nodes_min = 1, .nodes_max = 9, .flags = LK_REQUEST_SPREAD_JOB },
    1,
    GOOD },
  { "a spread job with more tasks than nodes are allowed",
    { .nodes_min = 2, .nodes_max = 9, .flags = LK_REQUEST_SPREAD_JOB },
    1,
    NODE_LIMIT },
  { "CPUs are counted before nodes",
    { GPU_PARTITION, .nodes_min = 3, .tasks = 17 },
    1,
    LK_REASON_PARTITION_CONFIG,
    LK_REJECT_TOO_LARGE },
  { "more nodes than there are", { GPU_PARTITION, .nodes_min = 3 }, 1, NODE_LIMIT },
  { "an account that may", { .account = TEXT ("physics") }, 1, GOOD },
  { "an account that may not", { .account = TEXT ("bio") }, 1, NO_ACCOUNT },
  { "an account that may and may not", { .account = TEXT ("chem") }, 1, NO_ACCOUNT },
  { "the beginning of an account", { .account = TEXT ("phys") }, 1, NO_ACCOUNT },
  { "an account where all may", { GPU_PARTITION, .account = TEXT ("bio") }, 1, GOOD },
  { "a group that may", { .group = TEXT ("staff") }, 1, GOOD },
  { "a group that may not", { .group = TEXT ("guests") }, 1, NO_GROUP },
  { "a QOS where all may", { .qos = TEXT ("fast") }, 1, GOOD },
  { "a QOS that may not", { .qos = TEXT ("slow") }, 1, NO_QOS },
  { "what is wrong first is told", { .account = TEXT ("bio"), .nodes_min = 6 }, 1, NO_ACCOUNT },
  { "as much memory as is allowed",
    { .present = PER_NODE, .memory_per_node_bytes = 20 * GIB, .nodes_min = 2 },
    1,
    GOOD },
  { "more memory than is allowed",
    { .present = PER_NODE, .memory_per_node_bytes = 20 * GIB + 1, .nodes_min = 2 },
    1,
    LK_REASON_MAX_MEM_PER_LIMIT,
    LK_REJECT_MEMORY_LIMIT },
  { "as many CPUs as there are", { GPU_PARTITION }, 16, GOOD },
  { "more CPUs than there are",
    { GPU_PARTITION },
    17,
    LK_REASON_PARTITION_CONFIG,
    LK_REJECT_TOO_LARGE },
  { "CPUs beyond all numbers",
    { GPU_PARTITION, .cpus_per_task = G_MAXINT32 },
    G_MAXINT32,
    LK_REASON_PARTITION_CONFIG,
    LK_REJECT_TOO_LARGE },
  { "a task larger than a node", { GPU_PARTITION, .cpus_per_task = 9 }, 1, NO_NODES },
  { "more memory than a node has",
    { GPU_PARTITION, .present = PER_NODE, .memory_per_node_bytes = 32 * GIB + 1 },
    1,
    NO_NODES },
  { "a node of another partition", { GPU_PARTITION, .node_list = TEXT ("c1") }, 1, NO_NODES },
  { "a node that is named and has not the feature",
    { .node_list = TEXT ("c1,g1"), .constraint = TEXT ("cpu") },
    1,
    NO_NODES },
  { "all nodes avoided", { GPU_PARTITION, .exclude = TEXT ("g[1-2]") }, 1, NO_NODES },
  { "no node with both features", { .constraint = TEXT ("gpu&cpu") }, 1, NO_NODES },
  { "more GPUs than a node has", { GPU_PARTITION, .gres = TEXT ("gpu:5") }, 1, NO_NODES },
  { "shares that are not on one device", { .gres = TEXT ("shard:9") }, 1, NO_NODES },
  { "more sockets than a node has", { .sockets_per_node_min = 3 }, 1, NO_NODES },
  { "more cores than a socket has", { .cores_per_socket_min = 5 }, 1, NO_NODES },
  { "more threads than a core has",
    { .threads_per_core = 4, .constraint = TEXT ("cpu") },
    1,
    NO_NODES },
  { "more disk than a node has", { .tmp_per_node_bytes = 100 * GIB + 1 }, 1, NO_NODES },
};

static void
test_never (gconstpointer data)
{
  const NeverCase *row = data;
  RequestFixture self;
  request_fixture_init (&self, limited_cluster ());
  const LkRequest *request = request_fixture_resolve (&self, &row->asked, row->procs);
  g_assert_cmpstr (lk_reason_name (request->never), ==, lk_reason_name (row->never));
  g_assert_cmpint (request->never_reject, ==, row->reject);
  request_fixture_clear (&self);
}

/* ---------------------------------------------------------------- nodes that could serve */

typedef struct {
  const char *rule;
  LkJobRequest asked;
  const char *nodes;
} EligibleCase;

static const EligibleCase eligible_cases[] = {
  { "all", { 0 }, "c1 c2 c3 c4 g1 g2 s1" },
  { "of the partition", { GPU_PARTITION }, "g1 g2" },
  { "not those to avoid", { .exclude = TEXT ("c[2-4],s1") }, "c1 g1 g2" },
  { "named ones and others", { .node_list = TEXT ("g1") }, "c1 c2 c3 c4 g1 g2 s1" },
  { "with a feature", { .constraint = TEXT ("fast") }, "c1 c2 c3 c4" },
  { "with enough CPUs", { .cpus_per_task = 5 }, "c1 c2 c3 c4 g1 g2" },
  { "with enough memory",
    { .present = PER_NODE, .memory_per_node_bytes = 32 * GIB },
    "c1 c2 c3 c4 g1 g2" },
  { "with disk", { .tmp_per_node_bytes = GIB }, "c1 c2 c3 c4" },
  { "with sockets", { .sockets_per_node_min = 2 }, "c1 c2 c3 c4 g1 g2" },
  { "with so many GPUs", { .gres = TEXT ("gpu:4") }, "g1 g2 s1" },
  { "with a GPU, where the job counts them", { .gpus = TEXT ("5") }, "g1 g2 s1" },
  { "with a count", { .gres = TEXT ("nic:4k") }, "g1 g2" },
  { "with all shares of a device", { .gres = TEXT ("shard:8") }, "s1" },
};

static void
test_eligible (gconstpointer data)
{
  const EligibleCase *row = data;
  RequestFixture self;
  request_fixture_init (&self, request_fixture_cluster ());
  g_autofree char *nodes = eligible_nodes (&self, request_fixture_resolve (&self, &row->asked, 1));
  g_assert_cmpstr (nodes, ==, row->nodes);
  request_fixture_clear (&self);
}

/* What is reserved on a node is no job's; what is not consumed is always there. */
static void
test_eligible_rest (void)
{
  LkCluster *cluster = lk_cluster_new ("reserved");
  LkNodeSpec *nodes = request_fixture_add (cluster, "n1", 1, 4, 1, 16);
  RequestFixture self;
  nodes->cores_reserved = 1;
  nodes->memory_reserved_bytes = GIB;
  lk_node_spec_add_gres (nodes, "scratch", NULL, 2)->no_consume = TRUE;
  request_fixture_init (&self, cluster);
  LkJobRequest fits = { .cpus_per_task = 3,
                        .present = PER_NODE,
                        .memory_per_node_bytes = 15 * GIB,
                        .gres = TEXT ("scratch:9") };
  LkJobRequest cpus = { .cpus_per_task = 4 };
  LkJobRequest memory = { .present = PER_NODE, .memory_per_node_bytes = 15 * GIB + 1 };
  g_assert_cmpint (request_fixture_resolve (&self, &fits, 1)->never, ==, LK_REASON_NONE);
  g_assert_cmpint (request_fixture_resolve (&self, &cpus, 1)->never, ==, LK_REASON_BAD_CONSTRAINTS);
  g_assert_cmpint (request_fixture_resolve (&self, &memory, 1)->never, ==,
                   LK_REASON_BAD_CONSTRAINTS);
  request_fixture_clear (&self);
}

/* ---------------------------------------------------------------- all of it */

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  REQUEST_ADD_ROWS ("refuses", refusal_cases, test_refusal)
  REQUEST_ADD_ROWS ("never", never_cases, test_never)
  REQUEST_ADD_ROWS ("eligible nodes", eligible_cases, test_eligible)
  g_test_add_func ("/request/GPUs are unknown where there are none", test_no_gpus);
  g_test_add_func ("/request/reserved parts serve no job", test_eligible_rest);
  return g_test_run ();
}
