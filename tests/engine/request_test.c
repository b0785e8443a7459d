/* tests/engine/request_test.c — what jobs ask for, resolved against a machine: memory, tasks,
 * nodes, GPUs and their texts, and that equal requests are one.
 *
 * Rules: slurm.conf(5) DefMemPer*, MaxMemPer*, DefCpuPerGPU; sbatch(1). */
#include <string.h>

#include "tests/engine/request_fixture.h"

/* ---------------------------------------------------------------- memory */

typedef struct {
  gint64 per_cpu_gib;
  gint64 per_node_gib;
  gint64 per_gpu_gib;
  gint64 per_cpu_max_gib;
  gint64 per_node_max_gib;
} Limits;

typedef struct {
  const char *rule;
  Limits cluster;
  Limits partition;
  LkJobRequest asked;
  LkMemoryDemand memory;
  gint64 memory_gib;
  guint32 cpus_per_task;
  guint32 cpus_per_node_min;
} MemoryCase;

static const MemoryCase memory_cases[] = {
  /* semantics: no option and no default is all memory of the node */
  { "without any default all of a node", .memory = LK_MEMORY_ALL },
  { "the cluster's default for a CPU", .cluster = { .per_cpu_gib = 2 }, .memory = LK_MEMORY_PER_CPU,
    .memory_gib = 2 },
  { "the cluster's default for a node", .cluster = { .per_node_gib = 4 },
    .memory = LK_MEMORY_PER_NODE, .memory_gib = 4 },
  { "the partition's default for a CPU goes first", .cluster = { .per_cpu_gib = 2 },
    .partition = { .per_cpu_gib = 3 }, .memory = LK_MEMORY_PER_CPU, .memory_gib = 3 },
  { "the partition's default for a node goes first", .cluster = { .per_cpu_gib = 2 },
    .partition = { .per_node_gib = 8 }, .memory = LK_MEMORY_PER_NODE, .memory_gib = 8 },
  { "a default for a GPU is for jobs with GPUs", .cluster = { .per_gpu_gib = 2 },
    .memory = LK_MEMORY_ALL },
  { "GPUs of each node count", .cluster = { .per_gpu_gib = 2 }, .asked = { .gres = TEXT ("gpu:2") },
    .memory = LK_MEMORY_PER_GPU, .memory_gib = 2 },
  { "GPUs of the job count", .cluster = { .per_gpu_gib = 2 }, .asked = { .gpus = TEXT ("2") },
    .memory = LK_MEMORY_PER_GPU, .memory_gib = 2 },
  { "GPUs of tasks count", .cluster = { .per_gpu_gib = 2 },
    .asked = { .gpus_per_task = TEXT ("1") }, .memory = LK_MEMORY_PER_GPU, .memory_gib = 2 },
  { "shares are no GPUs here", .cluster = { .per_gpu_gib = 2 },
    .asked = { .gres = TEXT ("shard:2") }, .memory = LK_MEMORY_ALL },
  { "a partition's default goes before the cluster's for GPUs", .cluster = { .per_gpu_gib = 2 },
    .partition = { .per_cpu_gib = 3 }, .asked = { .gpus = TEXT ("2") }, .memory = LK_MEMORY_PER_CPU,
    .memory_gib = 3 },

  { "for a node, as asked", .cluster = { .per_cpu_gib = 2 },
    .asked = { .present = PER_NODE, .memory_per_node_bytes = 5 * GIB },
    .memory = LK_MEMORY_PER_NODE, .memory_gib = 5 },
  { "for a CPU, as asked", .cluster = { .per_cpu_gib = 2 },
    .asked = { .present = PER_CPU, .memory_per_cpu_bytes = 5 * GIB }, .memory = LK_MEMORY_PER_CPU,
    .memory_gib = 5 },
  { "for a GPU, as asked", .cluster = { .per_cpu_gib = 2 },
    .asked = { .present = PER_GPU, .memory_per_gpu_bytes = 5 * GIB, .gpus = TEXT ("1") },
    .memory = LK_MEMORY_PER_GPU, .memory_gib = 5 },
  { "none for a node is all of it", .cluster = { .per_cpu_gib = 2 },
    .asked = { .present = PER_NODE }, .memory = LK_MEMORY_ALL },
  { "a field that is not said to be given is not", .cluster = { .per_cpu_gib = 2 },
    .asked = { .memory_per_node_bytes = 5 * GIB }, .memory = LK_MEMORY_PER_CPU, .memory_gib = 2 },

  { "as much for a CPU as is allowed", .cluster = { .per_cpu_max_gib = 2 },
    .asked = { .present = PER_CPU, .memory_per_cpu_bytes = 2 * GIB }, .memory = LK_MEMORY_PER_CPU,
    .memory_gib = 2, .cpus_per_task = 1 },
  { "twice as much is paid with a second CPU", .cluster = { .per_cpu_max_gib = 2 },
    .asked = { .present = PER_CPU, .memory_per_cpu_bytes = 4 * GIB }, .memory = LK_MEMORY_PER_CPU,
    .memory_gib = 2, .cpus_per_task = 2, .cpus_per_node_min = 2 },
  { "CPUs are rounded up, memory is split", .cluster = { .per_cpu_max_gib = 2 },
    .asked = { .present = PER_CPU, .memory_per_cpu_bytes = 3 * GIB, .cpus_per_task = 3 },
    .memory = LK_MEMORY_PER_CPU, .memory_gib = -1536, .cpus_per_task = 6, .cpus_per_node_min = 6 },
  { "the partition's limit goes before the cluster's", .cluster = { .per_cpu_max_gib = 1 },
    .partition = { .per_cpu_max_gib = 4 },
    .asked = { .present = PER_CPU, .memory_per_cpu_bytes = 4 * GIB }, .memory = LK_MEMORY_PER_CPU,
    .memory_gib = 4, .cpus_per_task = 1 },
  { "a default above the limit is split too", .cluster = { .per_cpu_gib = 4, .per_cpu_max_gib = 2 },
    .memory = LK_MEMORY_PER_CPU, .memory_gib = 2, .cpus_per_task = 2, .cpus_per_node_min = 2 },
  { "memory of a node needs as many CPUs of it", .cluster = { .per_cpu_max_gib = 2 },
    .asked = { .present = PER_NODE, .memory_per_node_bytes = 9 * GIB },
    .memory = LK_MEMORY_PER_NODE, .memory_gib = 9, .cpus_per_task = 1, .cpus_per_node_min = 5 },
  { "memory of a GPU is not limited by CPUs", .cluster = { .per_cpu_max_gib = 2 },
    .asked = { .present = PER_GPU, .memory_per_gpu_bytes = 9 * GIB, .gpus = TEXT ("1") },
    .memory = LK_MEMORY_PER_GPU, .memory_gib = 9, .cpus_per_task = 1, .cpus_per_node_min = 1 },
};

#define SET_LIMITS(spec, limits)                                                                   \
  do {                                                                                             \
    (spec)->memory_per_cpu_default_bytes = (limits).per_cpu_gib * GIB;                             \
    (spec)->memory_per_node_default_bytes = (limits).per_node_gib * GIB;                           \
    (spec)->memory_per_gpu_default_bytes = (limits).per_gpu_gib * GIB;                             \
    (spec)->memory_per_cpu_max_bytes = (limits).per_cpu_max_gib * GIB;                             \
    (spec)->memory_per_node_max_bytes = (limits).per_node_max_gib * GIB;                           \
  } while (0)

static void
test_memory (gconstpointer data)
{
  const MemoryCase *row = data;
  LkCluster *cluster = request_fixture_cluster ();
  RequestFixture self;
  SET_LIMITS (cluster, row->cluster);
  SET_LIMITS (request_fixture_main (cluster), row->partition);
  request_fixture_init (&self, cluster);
  const LkRequest *request = request_fixture_resolve (&self, &row->asked, 1);
  /* Below 0: in MiB. */
  gint64 memory_bytes = row->memory_gib < 0 ? -row->memory_gib << 20 : row->memory_gib * GIB;
  g_assert_cmpint (request->never, ==, LK_REASON_NONE);
  g_assert_cmpint (request->memory, ==, row->memory);
  g_assert_cmpint (request->memory_bytes, ==, memory_bytes);
  g_assert_cmpint (request->demand.memory_per_node_bytes, ==,
                   row->memory == LK_MEMORY_PER_NODE ? memory_bytes : 0);
  g_assert_cmpuint (request->demand.cpus_per_task, ==, MAX (1, row->cpus_per_task));
  g_assert_cmpuint (request->demand.cpus_per_node_min, ==, MAX (1, row->cpus_per_node_min));
  request_fixture_clear (&self);
}

static void
test_memory_free (void)
{
  LkCluster *cluster = request_fixture_cluster ();
  LkJobRequest nothing = { 0 };
  RequestFixture self;
  cluster->memory = FALSE;
  request_fixture_init (&self, cluster);
  g_assert_cmpint (request_fixture_resolve (&self, &nothing, 1)->memory, ==, LK_MEMORY_NONE);
  request_fixture_clear (&self);
}

/* ---------------------------------------------------------------- tasks, nodes, GPUs */

typedef struct {
  const char *rule;
  LkJobRequest asked;
  guint32 procs;
  const char *told;
} SizeCase;

static const SizeCase size_cases[] = {
  { "one task", { 0 }, 1, "tasks 1 cpus 1 least 1 nodes 1-1 wanted 1" },
  { "tasks as processors were asked", { 0 }, 6, "tasks 6 cpus 6 least 1 nodes 1-6 wanted 1" },
  { "tasks go before processors", { .tasks = 3 }, 9, "tasks 3 cpus 3 least 1 nodes 1-3 wanted 1" },
  { "CPUs of a task are of one, where no tasks are given",
    { .cpus_per_task = 4 },
    4,
    "tasks 1 cpus 4 least 4 nodes 1-1 wanted 1" },
  { "tasks of several CPUs",
    { .tasks = 3, .cpus_per_task = 4 },
    1,
    "tasks 3 cpus 12 least 4 nodes 1-3 wanted 1" },
  { "nodes alone have a task each",
    { .nodes_min = 2, .nodes_max = 2 },
    1,
    "tasks 2 cpus 2 least 1 nodes 2-2 wanted 2" },
  { "a range of nodes takes as many as there are",
    { .nodes_min = 2, .nodes_max = 4 },
    1,
    "tasks 2 cpus 2 least 1 nodes 2-4 wanted 4" },
  { "unless as few as possible are wanted",
    { .nodes_min = 2, .nodes_max = 4, .flags = LK_REQUEST_USE_MIN_NODES },
    1,
    "tasks 2 cpus 2 least 1 nodes 2-4 wanted 2" },
  { "no more nodes than tasks that are given",
    { .nodes_min = 2, .nodes_max = 4, .tasks = 3 },
    1,
    "tasks 3 cpus 3 least 1 nodes 2-3 wanted 3" },
  { "every node has a task at least",
    { .nodes_min = 3, .nodes_max = 3, .tasks = 2 },
    1,
    "tasks 3 cpus 3 least 1 nodes 3-3 wanted 3" },
  { "tasks of each node",
    { .nodes_min = 2, .nodes_max = 2, .tasks_per_node = 3 },
    1,
    "tasks 6 cpus 6 least 3 nodes 2-2 wanted 2 node-tasks 3" },
  { "tasks of each node of several CPUs",
    { .nodes_min = 2, .tasks_per_node = 2, .cpus_per_task = 3 },
    1,
    "tasks 4 cpus 12 least 6 nodes 2-4 wanted 2 node-tasks 2" },
  { "tasks that are given go before those of a node",
    { .tasks = 4, .tasks_per_node = 3 },
    1,
    "tasks 4 cpus 4 least 3 nodes 1-4 wanted 1 node-tasks 3" },
  { "nodes of so many CPUs",
    { .cpus_per_node_min = 6 },
    1,
    "tasks 1 cpus 6 least 6 nodes 1-1 wanted 1" },
  { "all nodes that are named",
    { .node_list = TEXT ("c[1-3]") },
    1,
    "tasks 3 cpus 3 least 1 nodes 3-3 wanted 3" },
  { "any of the nodes that are named",
    { .node_list = TEXT ("c[1-4]"), .nodes_min = 2, .nodes_max = 2 },
    1,
    "tasks 2 cpus 2 least 1 nodes 2-2 wanted 2" },
  { "as many of the nodes that are named as may be",
    { .node_list = TEXT ("c[1-3]"), .nodes_min = 2, .nodes_max = 3 },
    1,
    "tasks 2 cpus 2 least 1 nodes 2-3 wanted 3" },
  { "named nodes and others",
    { .node_list = TEXT ("c[1-2]"), .nodes_min = 3, .nodes_max = 3 },
    1,
    "tasks 3 cpus 3 least 1 nodes 3-3 wanted 3" },
  { "nodes that are named twice are named",
    { .node_list = TEXT ("c1,c[1-2]") },
    1,
    "tasks 2 cpus 2 least 1 nodes 2-2 wanted 2" },

  { "GPUs of each node",
    { .nodes_min = 2, .nodes_max = 2, .gres = TEXT ("gpu:3") },
    1,
    "tasks 2 cpus 2 least 1 nodes 2-2 wanted 2 node-gpus 3" },
  { "GPUs of the job, each node has one",
    { .gpus = TEXT ("3") },
    1,
    "tasks 1 cpus 1 least 1 nodes 1-3 wanted 1 gpus 3" },
  { "nodes by GPUs of the job and of each node",
    { .gpus = TEXT ("4"), .gres = TEXT ("gpu:2") },
    1,
    "tasks 2 cpus 2 least 1 nodes 2-2 wanted 2 node-gpus 2" },
  { "GPUs of each task",
    { .tasks = 3, .gpus_per_task = TEXT ("1") },
    1,
    "tasks 3 cpus 3 least 1 nodes 1-3 wanted 1 gpus 3" },
  { "tasks by GPUs of the job and of each task",
    { .gpus = TEXT ("6"), .gpus_per_task = TEXT ("2") },
    1,
    "tasks 3 cpus 3 least 1 nodes 1-3 wanted 1 gpus 6" },
  { "tasks of a node by its GPUs and those of each task",
    { .tasks = 4, .gres = TEXT ("gpu:4"), .gpus_per_task = TEXT ("2") },
    1,
    "tasks 4 cpus 4 least 1 nodes 1-4 wanted 1 node-tasks 2 node-gpus 4" },
  { "tasks for each GPU of the job",
    { .gpus = TEXT ("2"), .tasks_per_gpu = 3 },
    1,
    "tasks 6 cpus 6 least 1 nodes 1-2 wanted 1 gpus 2" },
  { "tasks for each GPU of each node",
    { .nodes_min = 2, .nodes_max = 2, .gres = TEXT ("gpu:2"), .tasks_per_gpu = 3 },
    1,
    "tasks 12 cpus 12 least 1 nodes 2-2 wanted 2 node-gpus 2" },
  { "tasks that are given go before those of GPUs",
    { .tasks = 2, .gpus = TEXT ("2"), .tasks_per_gpu = 3 },
    1,
    "tasks 2 cpus 2 least 1 nodes 1-2 wanted 1 gpus 2" },
  { "GPUs of each socket",
    { .gpus_per_socket = TEXT ("1"), .sockets_per_node_min = 2 },
    1,
    "tasks 1 cpus 1 least 1 nodes 1-1 wanted 1 node-gpus 2" },
  { "nodes by GPUs of the job and of each socket",
    { .gpus = TEXT ("4"), .gpus_per_socket = TEXT ("1"), .sockets_per_node_min = 2 },
    1,
    "tasks 2 cpus 2 least 1 nodes 2-2 wanted 2 node-gpus 2" },
  { "tasks of a node by GPUs of its sockets and those of each task",
    { .tasks = 4,
      .gpus_per_socket = TEXT ("2"),
      .sockets_per_node_min = 2,
      .gpus_per_task = TEXT ("1") },
    1,
    "tasks 4 cpus 4 least 1 nodes 1-4 wanted 1 node-tasks 4 node-gpus 4" },
  { "CPUs of each GPU",
    { .gpus = TEXT ("3"), .cpus_per_gpu = 2 },
    1,
    "tasks 1 cpus 6 least 2 nodes 1-3 wanted 1 gpus 3 gpu-cpus 2" },
  { "CPUs of each GPU of a node",
    { .gres = TEXT ("gpu:3"), .cpus_per_gpu = 2 },
    1,
    "tasks 1 cpus 6 least 6 nodes 1-1 wanted 1 node-gpus 3 gpu-cpus 2" },
  { "CPUs of GPUs without GPUs are nothing",
    { .cpus_per_gpu = 2 },
    1,
    "tasks 1 cpus 1 least 1 nodes 1-1 wanted 1" },
  { "shares are of one device",
    { .gres = TEXT ("shard:5") },
    1,
    "tasks 1 cpus 1 least 1 nodes 1-1 wanted 1 shares 5" },
};

static void
tell (GString *out, const char *word, guint32 value)
{
  if (value > 0)
    g_string_append_printf (out, " %s %u", word, value);
}

static char *
told_size (const LkRequest *request)
{
  const LkDemand *demand = &request->demand;
  GString *out = g_string_new (NULL);
  g_string_append_printf (out, "tasks %u cpus %u least %u nodes %u-%u wanted %u", demand->tasks,
                          demand->cpus_min, demand->cpus_per_node_min, demand->nodes_min,
                          demand->nodes_max, demand->nodes_wanted);
  tell (out, "node-tasks", request->tasks_per_node_max);
  tell (out, "gpus", demand->gpus_total);
  tell (out, "node-gpus", demand->gpus_per_node);
  tell (out, "gpu-cpus", request->cpus_per_gpu);
  tell (out, "shares", demand->shares_per_node);
  return g_string_free (out, FALSE);
}

static void
test_size (gconstpointer data)
{
  const SizeCase *row = data;
  RequestFixture self;
  request_fixture_init (&self, request_fixture_cluster ());
  const LkRequest *request = request_fixture_resolve (&self, &row->asked, row->procs);
  g_autofree char *told = told_size (request);
  g_assert_cmpstr (told, ==, row->told);
  g_assert_cmpint (request->never, ==, LK_REASON_NONE);
  request_fixture_clear (&self);
}

/* DefCpuPerGPU=4 and --gpus=2 are 8 CPUs; what the job says of CPUs goes before. */
static void
test_cpus_per_gpu_default (void)
{
  static const struct {
    guint32 cluster;
    guint32 partition;
    LkJobRequest asked;
    guint32 cpus;
  } rows[] = {
    { 4, 0, { .gpus = TEXT ("2") }, 8 },
    { 0, 4, { .gpus = TEXT ("2") }, 8 },
    { 4, 3, { .gpus = TEXT ("2") }, 6 },
    { 4, 0, { .gpus = TEXT ("2"), .cpus_per_task = 1 }, 1 },
    { 4, 0, { .gpus = TEXT ("2"), .cpus_per_task = 5 }, 5 },
    { 4, 0, { .gpus = TEXT ("2"), .cpus_per_gpu = 1 }, 2 },
    { 4, 0, { .gpus = TEXT ("2"), .cpus_per_gpu = 3, .cpus_per_task = 1 }, 6 },
    { 4, 0, { .gres = TEXT ("gpu:2") }, 8 },
    { 4, 0, { .gres = TEXT ("nic:2") }, 1 },
    { 4, 0, { .tasks = 2 }, 2 },
  };
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    LkCluster *cluster = request_fixture_cluster ();
    RequestFixture self;
    cluster->cpus_per_gpu_default = rows[i].cluster;
    request_fixture_main (cluster)->cpus_per_gpu_default = rows[i].partition;
    request_fixture_init (&self, cluster);
    g_test_message ("row %u", i);
    g_assert_cmpuint (request_fixture_resolve (&self, &rows[i].asked, 1)->demand.cpus_min, ==,
                      rows[i].cpus);
    request_fixture_clear (&self);
  }
}

/* ---------------------------------------------------------------- texts of resources */

static const struct {
  const char *gres;
  const char *told; /* NULL: refused */
  LkReject reject;
} gres_cases[] = {
  { "gpu", "gpu*1", 0 },
  { "gpu:2", "gpu*2", 0 },
  { "gpu:a100", "gpu:a100*1", 0 },
  { "gpu:a100:2", "gpu:a100*2", 0 },
  { "gres/gpu:a100:2", "gpu:a100*2", 0 },
  { "gres:gpu:2", "gpu*2", 0 },
  { "gpu:a100:1,gpu:v100:2", "gpu:a100*1 gpu:v100*2", 0 },
  { "nic:1k", "nic*1024", 0 },
  { "nic:1K,gpu:1", "nic*1024 gpu*1", 0 },
  { "nic:2m", "nic*2097152", 0 },
  { "nic:3g", "nic*3221225472", 0 },
  { "nic:4294967295", "nic*4294967295", 0 },
  { "nic:0", "", 0 },
  { "gpu:a100:0,gpu:2", "gpu*2", 0 },
  { "", "", 0 },
  { "nic:4g", NULL, LK_REJECT_NODE_CONFIG },
  { "gpu:a100:4g", NULL, LK_REJECT_REQUEST_INVALID },
  { "gpu:a100:4294967296", NULL, LK_REJECT_REQUEST_INVALID },
  { "gpu:a100:1t", NULL, LK_REJECT_REQUEST_INVALID },
  { "gpu:a100:1kk", NULL, LK_REJECT_REQUEST_INVALID },
  { "gpu:a100:k", NULL, LK_REJECT_REQUEST_INVALID },
  { "gpu:a100:-1", NULL, LK_REJECT_REQUEST_INVALID },
  { "gpu:a100:", NULL, LK_REJECT_REQUEST_INVALID },
  { "gpu:a100:1:2", NULL, LK_REJECT_REQUEST_INVALID },
  { "gpu:1:2", NULL, LK_REJECT_REQUEST_INVALID },
  { "gpu:1:a100", NULL, LK_REJECT_REQUEST_INVALID },
  { "gpu:", NULL, LK_REJECT_REQUEST_INVALID },
  { "gpu::2", NULL, LK_REJECT_REQUEST_INVALID },
  { ":2", NULL, LK_REJECT_REQUEST_INVALID },
  { ",", NULL, LK_REJECT_REQUEST_INVALID },
  { "gpu:1,", NULL, LK_REJECT_REQUEST_INVALID },
  { ",gpu:1", NULL, LK_REJECT_REQUEST_INVALID },
  { "gpu:1,gpu:1", NULL, LK_REJECT_REQUEST_INVALID },
  { "gpu:1,gpu:a100:1", NULL, LK_REJECT_REQUEST_INVALID },
  { "gpu:a100:1,gpu:1", NULL, LK_REJECT_REQUEST_INVALID },
  { "gpu:a100:1,gpu:a100:1", NULL, LK_REJECT_REQUEST_INVALID },
  { "fpga:1", NULL, LK_REJECT_GRES_UNKNOWN },
  { "gpus:1", NULL, LK_REJECT_GRES_UNKNOWN },
  { "GPU:1", NULL, LK_REJECT_GRES_UNKNOWN },
  { "gpu:h100:1", NULL, LK_REJECT_NODE_CONFIG },
  { "gpu:a10", NULL, LK_REJECT_NODE_CONFIG },
  { "gres/", NULL, LK_REJECT_GRES_UNKNOWN },
};

static char *
told_gres (const LkMachine *machine, const LkRequest *request)
{
  GString *out = g_string_new (NULL);
  for (guint32 i = 0; i < request->gres_count; i++) {
    const LkGresDemand *demand = &request->gres[i];
    g_string_append_printf (out, "%s%s", i > 0 ? " " : "", machine->nodes.gres[demand->name].name);
    if (demand->type > 0)
      g_string_append_printf (
          out, ":%s", (char *)g_ptr_array_index (machine->nodes.type_names, demand->type - 1));
    g_string_append_printf (out, "*%u", demand->count);
  }
  return g_string_free (out, FALSE);
}

static void
test_gres (void)
{
  RequestFixture self;
  request_fixture_init (&self, request_fixture_cluster ());
  for (guint i = 0; i < G_N_ELEMENTS (gres_cases); i++) {
    guint32 index;
    /* Not terminated, so that a memory checker sees a read past the end. */
    gsize length = strlen (gres_cases[i].gres);
    g_autofree char *bytes = g_memdup2 (gres_cases[i].gres, length);
    LkJobRequest asked = { .gres = { bytes, (guint16)length } };
    g_test_message ("%s", gres_cases[i].gres);
    LkReject reject = lk_machine_resolve (self.machine, &asked, 1, &index);
    g_assert_cmpint (reject, ==, gres_cases[i].reject);
    if (gres_cases[i].told == NULL)
      continue;
    g_autofree char *told = told_gres (self.machine, lk_machine_request (self.machine, index));
    g_assert_cmpstr (told, ==, gres_cases[i].told);
  }
  request_fixture_clear (&self);
}

static void
test_gpu_types (void)
{
  RequestFixture self;
  request_fixture_init (&self, request_fixture_cluster ());
  LkJobRequest per_node = { .gres = TEXT ("gpu:v100:1") };
  LkJobRequest total = { .gpus = TEXT ("v100:2") };
  LkJobRequest per_task = { .tasks = 2, .gpus_per_task = TEXT ("v100:1") };
  LkJobRequest per_node_of_total = { .gpus = TEXT ("v100:2"), .gres = TEXT ("gpu:1") };
  LkJobRequest any = { .gpus = TEXT ("2") };
  guint32 type = lk_node_table_type (&self.machine->nodes, "v100", 4);
  g_assert_cmpuint (type, >, 0);
  g_assert_cmpuint (request_fixture_resolve (&self, &per_node, 1)->demand.gpu_type, ==, type);
  g_assert_cmpuint (request_fixture_resolve (&self, &total, 1)->demand.gpu_type, ==, type);
  g_assert_cmpuint (request_fixture_resolve (&self, &per_task, 1)->demand.gpu_type, ==, type);
  g_assert_cmpuint (request_fixture_resolve (&self, &per_node_of_total, 1)->demand.gpu_type, ==,
                    type);
  g_assert_cmpuint (request_fixture_resolve (&self, &any, 1)->demand.gpu_type, ==, 0);
  request_fixture_clear (&self);
}

/* A request has room for eight resources. */
static void
test_many_gres (void)
{
  static const char names[] = "r1:1,r2:1,r3:1,r4:1,r5:1,r6:1,r7:1,r8:1,r9:1";
  LkCluster *cluster = request_fixture_cluster ();
  RequestFixture self;
  guint32 index;
  for (guint i = 1; i <= 9; i++) {
    g_autofree char *name = g_strdup_printf ("r%u", i);
    lk_node_spec_add_gres (g_ptr_array_index (cluster->nodes, 0), name, NULL, 1);
  }
  request_fixture_init (&self, cluster);
  LkJobRequest all = { .gres = TEXT (names) };
  LkJobRequest most = { .gres = { names, sizeof (names) - 1 - strlen (",r9:1") } };
  g_assert_cmpuint (request_fixture_resolve (&self, &most, 1)->gres_count, ==, 8);
  g_assert_cmpint (lk_machine_resolve (self.machine, &all, 1, &index), ==,
                   LK_REJECT_REQUEST_INVALID);
  request_fixture_clear (&self);
}

/* What is asked for again adds up. */
static void
test_licenses (void)
{
  RequestFixture self;
  request_fixture_init (&self, request_fixture_cluster ());
  LkJobRequest asked = { .licenses = TEXT ("ansys,matlab:3,matlab:2,ansys:0") };
  const LkRequest *request = request_fixture_resolve (&self, &asked, 1);
  g_assert_cmpuint (request->licenses->len, ==, 2);
  const LkLicenseDemand *ansys = &g_array_index (request->licenses, LkLicenseDemand, 0);
  const LkLicenseDemand *matlab = &g_array_index (request->licenses, LkLicenseDemand, 1);
  g_assert_cmpuint (ansys->license, ==, 1);
  g_assert_cmpuint (ansys->count, ==, 1);
  g_assert_cmpuint (matlab->license, ==, 0);
  g_assert_cmpuint (matlab->count, ==, 5);
  LkJobRequest none = { .licenses = TEXT ("matlab:0") };
  g_assert_null (request_fixture_resolve (&self, &none, 1)->licenses);
  request_fixture_clear (&self);
}

/* ---------------------------------------------------------------- sharing of nodes and cores */

static void
test_sharing (void)
{
  static const struct {
    LkOversubscribe partition;
    guint32 jobs;
    guint32 flags;
    guint32 sharing_jobs;
    gboolean whole_nodes;
  } rows[] = {
    { LK_OVERSUBSCRIBE_NO, 4, 0, 1, FALSE },
    { LK_OVERSUBSCRIBE_NO, 4, LK_REQUEST_OVERSUBSCRIBE, 1, FALSE },
    { LK_OVERSUBSCRIBE_NO, 4, LK_REQUEST_EXCLUSIVE, 1, TRUE },
    { LK_OVERSUBSCRIBE_EXCLUSIVE, 4, 0, 1, TRUE },
    { LK_OVERSUBSCRIBE_EXCLUSIVE, 4, LK_REQUEST_OVERSUBSCRIBE, 1, TRUE },
    { LK_OVERSUBSCRIBE_YES, 4, 0, 1, FALSE },
    { LK_OVERSUBSCRIBE_YES, 4, LK_REQUEST_OVERSUBSCRIBE, 4, FALSE },
    { LK_OVERSUBSCRIBE_YES, 4, LK_REQUEST_EXCLUSIVE, 1, TRUE },
    { LK_OVERSUBSCRIBE_FORCE, 3, 0, 3, FALSE },
    { LK_OVERSUBSCRIBE_FORCE, 3, LK_REQUEST_OVERSUBSCRIBE, 3, FALSE },
    { LK_OVERSUBSCRIBE_FORCE, 3, LK_REQUEST_EXCLUSIVE, 3, FALSE },
    { LK_OVERSUBSCRIBE_FORCE, 1, LK_REQUEST_EXCLUSIVE, 1, TRUE },
  };
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    LkCluster *cluster = request_fixture_cluster ();
    LkJobRequest asked = { .flags = rows[i].flags };
    RequestFixture self;
    request_fixture_main (cluster)->oversubscribe = rows[i].partition;
    request_fixture_main (cluster)->oversubscribe_jobs = rows[i].jobs;
    request_fixture_init (&self, cluster);
    const LkRequest *request = request_fixture_resolve (&self, &asked, 1);
    g_test_message ("row %u", i);
    g_assert_cmpuint (request->sharing_jobs, ==, rows[i].sharing_jobs);
    g_assert_cmpint (request->whole_nodes, ==, rows[i].whole_nodes);
    request_fixture_clear (&self);
  }
}

/* ---------------------------------------------------------------- requests that are shared */

static void
test_same_request (void)
{
  RequestFixture self;
  guint32 first, second, other, procs;
  LkJobRequest asked = { .tasks = 2, .gres = TEXT ("gpu:1") };
  LkJobRequest told;
  request_fixture_init (&self, request_fixture_cluster ());
  LkMachine *machine = self.machine;
  g_assert_cmpint (lk_machine_resolve (machine, &asked, 2, &first), ==, 0);
  g_autofree char *copy = g_strdup ("gpu:1");
  LkJobRequest again = { .tasks = 2, .gres = lk_text (copy) };
  g_assert_cmpint (lk_machine_resolve (machine, &again, 2, &second), ==, 0);
  g_assert_cmpuint (second, ==, first);
  g_assert_cmpuint (lk_machine_request (machine, first)->reference_count, ==, 2);
  /* Of other processors, or with another text, it is another one. */
  g_assert_cmpint (lk_machine_resolve (machine, &asked, 3, &other), ==, 0);
  g_assert_cmpuint (other, !=, first);
  LkJobRequest typed = { .tasks = 2, .gres = TEXT ("gpu:a100:1") };
  g_assert_cmpint (lk_machine_resolve (machine, &typed, 2, &other), ==, 0);
  g_assert_cmpuint (other, !=, first);
  lk_request_asked (lk_machine_request (machine, other), &told, &procs);
  g_assert_cmpuint (procs, ==, 2);
  g_assert_cmpuint (told.tasks, ==, 2);
  g_autofree char *gres = g_strndup (told.gres.bytes, told.gres.length_bytes);
  g_assert_cmpstr (gres, ==, "gpu:a100:1");
  request_fixture_clear (&self);
}

static void
test_release (void)
{
  RequestFixture self;
  guint32 first, second, third;
  LkJobRequest asked = { .tasks = 2 };
  LkJobRequest other = { .tasks = 3 };
  request_fixture_init (&self, request_fixture_cluster ());
  LkMachine *machine = self.machine;
  g_assert_cmpint (lk_machine_resolve (machine, &asked, 1, &first), ==, 0);
  g_assert_cmpint (lk_machine_resolve (machine, &asked, 1, &second), ==, 0);
  guint64 serial = lk_machine_request (machine, first)->serial;
  lk_machine_release (machine, first);
  g_assert_nonnull (lk_machine_request (machine, first));
  g_assert_cmpuint (lk_machine_request (machine, first)->reference_count, ==, 1);
  lk_machine_release (machine, first);
  g_assert_null (lk_machine_request (machine, first));
  /* Its place is used again, its serial is not. */
  g_assert_cmpint (lk_machine_resolve (machine, &other, 1, &third), ==, 0);
  g_assert_cmpuint (third, ==, first);
  g_assert_cmpuint (lk_machine_request (machine, third)->serial, >, serial);
  g_assert_cmpint (lk_machine_resolve (machine, &asked, 1, &second), ==, 0);
  g_assert_cmpuint (second, !=, third);
  g_assert_cmpuint (lk_machine_request (machine, second)->demand.tasks, ==, 2);
  request_fixture_clear (&self);
}

/* In 22.05 the list is cut at the most nodes, which any number may be: the work is bounded by the
 * list. */
static void
test_old_list (void)
{
  static const struct {
    guint32 nodes_max;
    guint32 required;
  } cases[] = { { 1, 1 }, { 2, 2 }, { 3, 3 }, { 4, 3 }, { G_MAXUINT32, 3 } };
  RequestFixture self;
  request_fixture_init (&self, request_fixture_cluster ());
  self.machine->is_old = TRUE;
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    const LkJobRequest asked = { .node_list = TEXT ("c[1-3]"),
                                 .nodes_min = 1,
                                 .nodes_max = cases[i].nodes_max };
    g_assert_cmpuint (request_fixture_resolve (&self, &asked, 1)->required_count, ==,
                      cases[i].required);
  }
  request_fixture_clear (&self);
}

/* ---------------------------------------------------------------- all of it */

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  REQUEST_ADD_ROWS ("memory", memory_cases, test_memory)
  REQUEST_ADD_ROWS ("size", size_cases, test_size)
  g_test_add_func ("/request/memory that is not handed out is not asked for", test_memory_free);
  g_test_add_func ("/request/CPUs of GPUs have a default", test_cpus_per_gpu_default);
  g_test_add_func ("/request/resources are read as sbatch writes them", test_gres);
  g_test_add_func ("/request/GPUs have their type in the demand", test_gpu_types);
  g_test_add_func ("/request/resources are at most eight", test_many_gres);
  g_test_add_func ("/request/licences add up", test_licenses);
  g_test_add_func ("/request/partition and job say who shares", test_sharing);
  g_test_add_func ("/request/a list of 22.05 is cut", test_old_list);
  g_test_add_func ("/request/equal requests are one", test_same_request);
  g_test_add_func ("/request/a request goes with its last user", test_release);
  return g_test_run ();
}
