/* tests/engine/request_fixture.h — a machine against which requests are resolved.
 *
 * c[1-4] have 16 CPUs (2 sockets of 4 cores of 2 threads), 64 GiB, 100 GiB of disk and the features
 * cpu and fast; g[1-2] 8 CPUs (2 sockets of 4 cores), 32 GiB, two a100 and two v100, 4096 NICs and
 * the feature gpu; s1 4 CPUs, 16 GiB, four GPUs without a type and 32 shards.  All are in the
 * partition main, g[1-2] in gpu too; there are licences, 5 matlab and 2 ansys. */
#ifndef LK_TESTS_ENGINE_REQUEST_FIXTURE_H
#define LK_TESTS_ENGINE_REQUEST_FIXTURE_H

#include "engine/machine.h"

#define GIB (G_GINT64_CONSTANT (1) << 30)
#define TEXT(string)                                                                               \
  {                                                                                                \
    string, sizeof (string) - 1                                                                    \
  }
#define PER_NODE LK_REQUEST_HAS_MEMORY_PER_NODE
#define PER_CPU LK_REQUEST_HAS_MEMORY_PER_CPU
#define PER_GPU LK_REQUEST_HAS_MEMORY_PER_GPU

/* A test for each row of a table, named by its rule. */
#define REQUEST_ADD_ROWS(path_start, rows, function)                                               \
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {                                                \
    g_autofree char *path = g_strdup_printf ("/request/" path_start "/%s", rows[i].rule);          \
    g_test_add_data_func (path, &rows[i], function);                                               \
  }

static inline LkNodeSpec *
request_fixture_add (LkCluster *cluster, const char *names, guint32 sockets, guint32 cores,
                     guint32 threads, gint64 memory_gib)
{
  LkNodeSpec *nodes = lk_cluster_add_nodes (cluster, names);
  nodes->sockets = sockets;
  nodes->cores_per_socket = cores;
  nodes->threads_per_core = threads;
  nodes->cpus = sockets * cores * threads;
  nodes->memory_bytes = memory_gib * GIB;
  return nodes;
}

static inline LkCluster *
request_fixture_cluster (void)
{
  LkCluster *cluster = lk_cluster_new ("requests");
  LkNodeSpec *c = request_fixture_add (cluster, "c[1-4]", 2, 4, 2, 64);
  c->tmp_bytes = 100 * GIB;
  lk_node_spec_add_feature (c, "cpu");
  lk_node_spec_add_feature (c, "fast");
  LkNodeSpec *g = request_fixture_add (cluster, "g[1-2]", 2, 4, 1, 32);
  lk_node_spec_add_feature (g, "gpu");
  lk_node_spec_add_gres (g, "gpu", "a100", 2);
  lk_node_spec_add_gres (g, "gpu", "v100", 2);
  lk_node_spec_add_gres (g, "nic", NULL, 4096);
  LkNodeSpec *s = request_fixture_add (cluster, "s1", 1, 4, 1, 16);
  lk_node_spec_add_gres (s, "gpu", NULL, 4);
  lk_node_spec_add_gres (s, "shard", NULL, 32);
  lk_cluster_add_partition (cluster, "main");
  LkPartitionSpec *gpu = lk_cluster_add_partition (cluster, "gpu");
  g_free (gpu->nodes);
  gpu->nodes = g_strdup ("g[1-2]");
  lk_cluster_add_license (cluster, "matlab", 5);
  lk_cluster_add_license (cluster, "ansys", 2);
  return cluster;
}

static inline LkPartitionSpec *
request_fixture_main (const LkCluster *cluster)
{
  return g_ptr_array_index (cluster->partitions, 0);
}

typedef struct {
  LkCluster *cluster;
  LkMachine *machine;
} RequestFixture;

/* Takes the cluster over. */
static inline void
request_fixture_init (RequestFixture *self, LkCluster *cluster)
{
  LkClusterError error;
  if (!lk_cluster_check (cluster, &error))
    g_error ("%s %s", error.member, error.text);
  self->cluster = cluster;
  self->machine = lk_machine_new (cluster, /* whole_nodes= */ FALSE);
}

static inline void
request_fixture_clear (RequestFixture *self)
{
  lk_machine_free (self->machine);
  lk_cluster_free (self->cluster);
}

static inline const LkRequest *
request_fixture_resolve (const RequestFixture *self, const LkJobRequest *asked, guint32 procs)
{
  guint32 index;
  g_assert_cmpint (lk_machine_resolve (self->machine, asked, procs, &index), ==, 0);
  return lk_machine_request (self->machine, index);
}

#endif
