/* tests/engine/cluster_test.c — descriptions of machines: made, copied, checked, written and read.
 * Most errors are made in the canonical text of one sample machine, so that the reader and the
 * check are tested together; what no text can say is broken by hand. */
#include "engine/cluster.h"

#include <stdio.h>
#include <string.h>

#include "tests/engine/seed.h"

#define MIB G_GINT64_CONSTANT (1048576)
#define HOUR_US (3600 * G_GINT64_CONSTANT (1000000))

/* ---------------------------------------------------------------- samples */

static void
sample_nodes (LkCluster *cluster)
{
  LkNodeSpec *gpu_nodes = lk_cluster_add_nodes (cluster, "gpu[01-04]");
  gpu_nodes->sockets = 2;
  gpu_nodes->cores_per_socket = 8;
  gpu_nodes->threads_per_core = 2;
  gpu_nodes->cpus = 32;
  gpu_nodes->cores_reserved = 1;
  gpu_nodes->memory_bytes = 65536 * MIB;
  gpu_nodes->memory_reserved_bytes = 1024 * MIB;
  lk_node_spec_add_feature (gpu_nodes, "a100");
  lk_node_spec_add_feature (gpu_nodes, "ib=hdr");
  LkGresSpec *gpus = lk_node_spec_add_gres (gpu_nodes, "gpu", "a100", 2);
  gpus->memory_bytes = 40960 * MIB;
  gpus->device_sockets = g_new0 (guint32, 2);
  gpus->device_sockets[0] = 1;
  gpus->device_sockets[1] = 2;
  gpus->links = g_new0 (guint16, 4);
  gpus->links[1] = gpus->links[2] = 4;
  lk_node_spec_add_gres (gpu_nodes, "shard", NULL, 8);
  LkNodeSpec *plain_nodes = lk_cluster_add_nodes (cluster, "n[1-3],login");
  plain_nodes->sockets = 1;
  plain_nodes->cores_per_socket = 4;
  plain_nodes->threads_per_core = 2;
  plain_nodes->cpus = 4;
  plain_nodes->weight = 10;
  plain_nodes->flags = LK_NODE_DRAIN;
  g_free (plain_nodes->reason);
  plain_nodes->reason = g_strdup ("disk \"sda\"\nis full\\");
}

static LkCluster *
sample_new (void)
{
  LkCluster *cluster = lk_cluster_new ("a machine");
  cluster->topology = LK_TOPOLOGY_TREE;
  cluster->memory_per_cpu_default_bytes = 1024 * MIB;
  sample_nodes (cluster);
  LkPartitionSpec *batch = lk_cluster_add_partition (cluster, "batch");
  batch->is_default = TRUE;
  batch->time_default_us = HOUR_US;
  batch->time_max_us = 24 * HOUR_US;
  batch->nodes_max = 4;
  LkPartitionSpec *gpu = lk_cluster_add_partition (cluster, "gpu");
  g_free (gpu->nodes);
  gpu->nodes = g_strdup ("gpu[01-03]");
  gpu->state = LK_PARTITION_DRAIN;
  gpu->oversubscribe = LK_OVERSUBSCRIBE_FORCE;
  lk_cluster_add_license (cluster, "matlab", 5);
  lk_cluster_add_switch (cluster, "s1", "gpu[01-04]", NULL);
  lk_cluster_add_switch (cluster, "s2", "n[1-3]", NULL);
  lk_cluster_add_switch (cluster, "top", NULL, "s[1-2]");
  return cluster;
}

static const char sample_text[] =
    "cluster \"a machine\" topology=tree block_sizes=\"\" consume=core memory=1 cores_block=0 "
    "pack_nodes=0 least_loaded=0 enforce_limits=0 memory_per_cpu_default_bytes=1073741824 "
    "memory_per_node_default_bytes=0 memory_per_gpu_default_bytes=0 memory_per_cpu_max_bytes=0 "
    "memory_per_node_max_bytes=0 cpus_per_gpu_default=0 reservation_over_run_us=0 "
    "switches_wait_max_us=300000000 requeue_delay_us=121000000 requeue=1 requeue_exit=\"\" "
    "requeue_exit_hold=\"\" max_batch_requeue=5 hold_prolog_failure=1 kill_wait_us=30000000 "
    "time_scan_us=0 job_age_min_us=300000000 kill_invalid_depend=0 array_size_max=1001 "
    "compat=slurm-26.05\n"
    "nodes gpu[01-04] sockets=2 cores_per_socket=8 threads_per_core=2 cpus=32 cores_reserved=1 "
    "memory_bytes=68719476736 memory_reserved_bytes=1073741824 tmp_bytes=0 weight=1 flags=0 "
    "reason=\"\" features=\"a100,ib=hdr\"\n"
    "gres gpu type=a100 count=2 no_consume=0 memory_bytes=42949672960 device_sockets=1,2 "
    "links=0,4,4,0\n"
    "gres shard type=\"\" count=8 no_consume=0 memory_bytes=0 device_sockets=\"\" links=\"\"\n"
    "nodes n[1-3],login sockets=1 cores_per_socket=4 threads_per_core=2 cpus=4 cores_reserved=0 "
    "memory_bytes=1048576 memory_reserved_bytes=0 tmp_bytes=0 weight=10 flags=2 "
    "reason=\"disk \\\"sda\\\"\\nis full\\\\\" features=\"\"\n"
    "partition batch nodes=ALL is_default=1 state=up root_only=0 time_default_us=3600000000 "
    "time_max_us=86400000000 nodes_min=0 nodes_max=4 cpus_per_node_max=4294967295 "
    "cpus_per_socket_max=4294967295 priority_tier=1 priority_job_factor=1 oversubscribe=no "
    "oversubscribe_jobs=4 exclusive_user=0 exclusive_topo=0 least_loaded=inherit qos=\"\" "
    "preempt_mode=\"\" grace_us=0 over_time_limit_us=0 allow_accounts=\"\" deny_accounts=\"\" "
    "allow_groups=\"\" allow_qos=\"\" deny_qos=\"\" memory_per_cpu_default_bytes=0 "
    "memory_per_node_default_bytes=0 memory_per_gpu_default_bytes=0 memory_per_cpu_max_bytes=0 "
    "memory_per_node_max_bytes=0 cpus_per_gpu_default=0 tres_billing_weights=\"\" hidden=0 "
    "reservation_required=0 alloc_nodes=\"\"\n"
    "partition gpu nodes=gpu[01-03] is_default=0 state=drain root_only=0 "
    "time_default_us=9223372036854775807 time_max_us=9223372036854775807 nodes_min=0 "
    "nodes_max=4294967295 cpus_per_node_max=4294967295 cpus_per_socket_max=4294967295 "
    "priority_tier=1 priority_job_factor=1 oversubscribe=force oversubscribe_jobs=4 "
    "exclusive_user=0 exclusive_topo=0 least_loaded=inherit qos=\"\" preempt_mode=\"\" grace_us=0 "
    "over_time_limit_us=0 allow_accounts=\"\" deny_accounts=\"\" allow_groups=\"\" allow_qos=\"\" "
    "deny_qos=\"\" memory_per_cpu_default_bytes=0 memory_per_node_default_bytes=0 "
    "memory_per_gpu_default_bytes=0 memory_per_cpu_max_bytes=0 memory_per_node_max_bytes=0 "
    "cpus_per_gpu_default=0 tres_billing_weights=\"\" hidden=0 reservation_required=0 "
    "alloc_nodes=\"\"\nlicense matlab count=5\n"
    "switch s1 nodes=gpu[01-04] switches=\"\"\n"
    "switch s2 nodes=n[1-3] switches=\"\"\n"
    "switch top nodes=\"\" switches=s[1-2]\n";

/* Blocks of two nodes, one with a spare. */
static LkCluster *
blocks_new (void)
{
  LkCluster *cluster = lk_cluster_new ("pods");
  cluster->topology = LK_TOPOLOGY_BLOCK;
  lk_cluster_add_nodes (cluster, "n[1-7]");
  lk_cluster_add_switch (cluster, "b1", "n[1-2]", NULL);
  lk_cluster_add_switch (cluster, "b2", "n[3-4]", NULL);
  lk_cluster_add_switch (cluster, "b3", "n[5-7]", NULL);
  return cluster;
}

static void
sizes_add (LkCluster *cluster, guint32 size)
{
  g_array_append_val (cluster->block_sizes, size);
}

static char *
text_of (const LkCluster *cluster)
{
  GString *text = g_string_new (NULL);
  lk_cluster_text (cluster, text);
  return g_string_free (text, FALSE);
}

/* Reads an exact copy, so that a sanitizer sees a byte read behind the end. */
static LkCluster *
read_bytes (const char *text, gsize length_bytes, LkClusterError *error)
{
  g_autofree char *copy = g_memdup2 (text, length_bytes);
  return lk_cluster_from_text (copy, length_bytes, error);
}

/* `text` with the first `from` replaced. */
static char *
replaced (const char *text, const char *from, const char *to)
{
  const char *at = strstr (text, from);
  g_assert_nonnull (at);
  g_autofree char *front = g_strndup (text, (gsize)(at - text));
  return g_strconcat (front, to, at + strlen (from), NULL);
}

/* ---------------------------------------------------------------- making and copying */

static void
test_defaults (void)
{
  g_autoptr (LkCluster) cluster = lk_cluster_new ("c");
  const LkNodeSpec *nodes = lk_cluster_add_nodes (cluster, "n1");
  const LkPartitionSpec *partition = lk_cluster_add_partition (cluster, "p");
  g_assert_cmpuint (cluster->consume, ==, LK_CONSUME_CORE);
  g_assert_true (cluster->memory && cluster->requeue);
  g_assert_cmpint (cluster->switches_wait_max_us, ==, 300000000);
  g_assert_cmpint (cluster->requeue_delay_us, ==, 121000000);
  g_assert_cmpuint (cluster->max_batch_requeue, ==, 5);
  g_assert_true (cluster->hold_prolog_failure);
  g_assert_cmpint (cluster->kill_wait_us, ==, 30000000);
  g_assert_cmpuint (nodes->cpus, ==, 1);
  g_assert_cmpuint (nodes->weight, ==, 1);
  g_assert_cmpint (nodes->memory_bytes, ==, MIB);
  g_assert_cmpint (partition->time_default_us, ==, LK_TIME_NEVER);
  g_assert_cmpint (partition->time_max_us, ==, LK_TIME_NEVER);
  g_assert_cmpuint (partition->nodes_max, ==, LK_COUNT_UNLIMITED);
  g_assert_cmpuint (partition->priority_tier, ==, 1);
  g_assert_cmpuint (partition->oversubscribe_jobs, ==, 4);
  g_assert_cmpuint (partition->least_loaded, ==, LK_SWITCH_INHERIT);
  g_assert_cmpstr (partition->nodes, ==, "ALL");
  g_assert_true (lk_cluster_check (cluster, NULL));
  lk_cluster_free (NULL);
  lk_node_spec_free (NULL);
  lk_partition_spec_free (NULL);
  lk_gres_spec_free (NULL);
}

/* A machine of copies has the text of the first one, and lives longer. */
static void
test_copies (void)
{
  LkCluster *first = sample_new ();
  g_autoptr (LkCluster) second = sample_new ();
  g_ptr_array_set_size (second->nodes, 0);
  g_ptr_array_set_size (second->partitions, 0);
  for (guint i = 0; i < first->nodes->len; i++)
    g_ptr_array_add (second->nodes, lk_node_spec_copy (g_ptr_array_index (first->nodes, i)));
  for (guint i = 0; i < first->partitions->len; i++)
    g_ptr_array_add (second->partitions,
                     lk_partition_spec_copy (g_ptr_array_index (first->partitions, i)));
  lk_cluster_free (first);
  g_autofree char *text = text_of (second);
  g_assert_cmpstr (text, ==, sample_text);
}

static void
test_counts (void)
{
  g_autoptr (LkCluster) cluster = sample_new ();
  g_assert_cmpuint (lk_cluster_node_count (cluster), ==, 8);
  g_assert_cmpuint (lk_cluster_cpu_count (cluster), ==, 4 * 32 + 4 * 4);
  g_assert_cmpuint (lk_cluster_gres_count (cluster, "gpu"), ==, 8);
  g_assert_cmpuint (lk_cluster_gres_count (cluster, "shard"), ==, 32);
  g_assert_cmpuint (lk_cluster_gres_count (cluster, "tpu"), ==, 0);
}

/* ---------------------------------------------------------------- text */

static void
test_text (void)
{
  g_autoptr (LkCluster) cluster = sample_new ();
  g_assert_true (lk_cluster_check (cluster, NULL));
  g_autofree char *text = text_of (cluster);
  g_assert_cmpstr (text, ==, sample_text);
}

static void
read_check (const char *text)
{
  LkClusterError error;
  g_autoptr (LkCluster) cluster = read_bytes (text, strlen (text), &error);
  if (cluster == NULL)
    g_error ("%s: %s", error.member, error.text);
  g_autofree char *again = text_of (cluster);
  g_assert_cmpstr (again, ==, text);
}

static void
test_there_and_back (void)
{
  g_autoptr (LkCluster) blocks = blocks_new ();
  g_assert_true (lk_cluster_check (blocks, NULL));
  g_autofree char *blocks_text = text_of (blocks);
  read_check (blocks_text);
  read_check (sample_text);
}

/* Cut anywhere it is no description; the lines of switches, at the end, may be fewer. */
static void
test_cut (void)
{
  gsize length_bytes = strlen (sample_text);
  for (gsize i = 0; i < length_bytes; i++) {
    LkClusterError error = { NULL, NULL, "" };
    g_autoptr (LkCluster) cluster = read_bytes (sample_text, i, &error);
    if (cluster == NULL)
      g_assert_true (error.text[0] != '\0' && error.member != NULL && error.spec == NULL);
    else
      g_assert_true (i > 0 && sample_text[i - 1] == '\n');
  }
}

/* What is taken in spite of another letter is a description of its own. */
static void
test_flipped (void)
{
  gsize length_bytes = strlen (sample_text);
  static const char letters[] = "\n \"\\=,09[]-x\x01\xff";
  for (gsize i = 0; i < length_bytes; i++)
    for (gsize j = 0; j < sizeof letters; j++) {
      g_autofree char *text = g_strdup (sample_text);
      text[i] = letters[j];
      g_autoptr (LkCluster) cluster = read_bytes (text, length_bytes, NULL);
      if (cluster == NULL)
        continue;
      g_autofree char *again = text_of (cluster);
      g_assert_cmpstr (again, ==, text);
    }
}

/* ---------------------------------------------------------------- errors */

/* In the sample, `from` becomes `to`. */
static const struct {
  const char *from;
  const char *to;
  const char *member;
  const char *error;
} text_errors[] = {
  { "cluster", "machine", "name", "line 1: expected the line of the cluster" },
  { "cluster ", "cluster  ", "name", "line 1: expected text" },
  { "\"a machine\"", "\"\"", "name", "line 1: is 0; expected 1 to 255" },
  { "\"a machine\"", "\"machine\"", "name", "line 1: expected text" },
  { "\"a machine\"", "\"a\\tmachine\"", "name", "line 1: expected text" },
  { "\"a machine\"", "\"a\x01machine\"", "name", "line 1: holds the control character 1" },
  { "\"a machine\"", "\"a\xff machine\"", "name", "line 1: is not UTF-8" },
  { "\"a machine\"", "\"a machine\n", "name", "line 1: expected text" },
  { "topology=tree", "topology=ring", "topology", "line 1: expected one of its words" },
  { "topology=tree", "topology=\"tree\"", "topology", "line 1: expected one of its words" },
  { "topology=tree", "consume=core", "topology", "line 1: expected topology" },
  { "topology=tree ", "", "topology", "line 1: expected topology" },
  { "topology=tree", "topology=tree topology=tree", "block_sizes", "line 1: expected block_sizes" },
  { "topology=tree", "topology=flat", "name", "line 9: is a switch of a flat topology" },
  { "block_sizes=\"\"", "block_sizes=4", "block_sizes", "line 1: is given for a tree" },
  { "block_sizes=\"\"", "block_sizes=4,", "block_sizes", "expected numbers with commas" },
  { "memory=1", "memory=2", "memory", "line 1: expected 0 or 1" },
  { "memory=1", "memory=01", "memory", "line 1: expected 0 or 1" },
  { "cpus_per_gpu_default=0", "cpus_per_gpu_default=-1", "cpus_per_gpu_default",
    "expected a number below 2^32" },
  { "cpus_per_gpu_default=0", "cpus_per_gpu_default=4294967296", "cpus_per_gpu_default",
    "expected a number below 2^32" },
  { "=300000000", "=9223372036854775808", "switches_wait_max_us", "expected a number below 2^63" },
  { "=300000000", "=99999999999999999999", "switches_wait_max_us", "expected a number below 2^63" },
  { "memory_per_gpu_default_bytes=0", "memory_per_gpu_default_bytes=1",
    "memory_per_gpu_default_bytes", "line 1: is one of 2 defaults for memory" },
  { "compat=slurm-26.05\n", "compat=slurm-26.05 \n", "cluster",
    "line 1: expected the end of the line" },
  { "compat=slurm-26.05\n", "compat=slurm-26.05\n\n", "nodes",
    "line 2: expected nodes, gres, partition" },
  { "compat=slurm-26.05\n", "compat=slurm-26.05\nnode x\n", "nodes",
    "line 2: expected nodes, gres, partition" },
  { "compat=slurm-26.05\n", "compat=slurm-26.05\ncluster x\n", "nodes",
    "line 2: expected nodes, gres, partition" },
  { "compat=slurm-26.05\n", "compat=slurm-26.05\ngres gpu\n", "nodes",
    "line 2: expected nodes, gres, partition" },
  { "compat=slurm-26.05\n", "compat=slurm-26.05\nlicense x count=1\n", "nodes",
    "line 3: expected nodes, gres" },
  { "gpu[01-04]", "gpu[01-04", "names", "line 2: is no list of nodes: a bracket is not closed" },
  { "gpu[01-04]", "\"\"", "names", "line 2: is empty" },
  { "gpu[01-04]", "gpu[01-04],ALL", "names", "line 2: holds ALL" },
  { "gpu[01-04]", "gpu:[01-04]", "names", "line 2: holds a letter that names may not have" },
  { "gpu[01-04]", "gpu[01-04],n2", "names", "line 5: holds 'n2', which is there already" },
  { "n[1-3],login", "n[1-3],n1", "names", "line 5: holds 'n1', which is there already" },
  { "n[1-3],login", "n[1-3],n1,n2", "names", "line 5: holds 'n1', which is there already" },
  { "n[1-3],login", "n[0-999999]", "names", "line 5: leads to more than 1000000 nodes" },
  { "sockets=2", "sockets=0", "sockets", "line 2: is 0; expected 1 to 32" },
  { "cores_per_socket=8", "cores_per_socket=513", "cores_per_socket", "expected 1 to 512" },
  { "threads_per_core=2", "threads_per_core=257", "threads_per_core", "is 257; expected 1 to 256" },
  { "cpus=32", "cpus=24", "cpus", "is 24; expected 16, one for each core, or 32, one for each" },
  { "cores_reserved=1", "cores_reserved=16", "cores_reserved", "is 16; expected 0 to 15" },
  { "=68719476736", "=1073741824", "memory_reserved_bytes", "expected 0 to 1073741823" },
  { "=68719476736", "=4611686018427387904", "memory_bytes", "leads to more than 8 EiB" },
  { "flags=0", "flags=16", "flags", "is 16; expected 0 to 15" },
  { "a100,ib=hdr", "a100,a100", "features", "expected names with commas" },
  { "\"a100,ib=hdr\"", "a100,x,a100", "features", "line 2: holds 'a100' twice" },
  { "\"a100,ib=hdr\"", "a100,,x", "features", "line 2: has 0 letters; expected 1 to 255" },
  { "\"a100,ib=hdr\"", "a100,x&y", "features", "line 2: holds a letter that names may not have" },
  { "gres gpu", "gres gp*", "name", "line 3: holds a letter that names may not have" },
  { "type=a100", "type=a100:x", "type", "line 3: holds a letter that names may not have" },
  { "gres gpu", "gres tpu", "name", "line 4: is shard without GPUs" },
  { "count=8", "count=7", "count", "line 4: adds up to 7 for 2 GPUs; expected as many for each" },
  { "gres shard type=\"\"", "gres gpu type=a100", "type", "line 4: is there twice" },
  { "count=8", "count=0", "count", "line 4: is 0; expected 1 to 2147483647" },
  { "gres shard type=\"\" count=8", "gres gpu type=\"\" count=63", "count",
    "is 65; expected 1 to 64" },
  { "device_sockets=1,2", "device_sockets=1,4", "device_sockets",
    "line 3: names a socket that is" },
  { "device_sockets=1,2", "device_sockets=1", "device_sockets", "one set of sockets for each" },
  { "device_sockets=1,2", "device_sockets=1,2,3", "links", "line 3: expected links" },
  { "device_sockets=1,2", "device_sockets=0,0", "device_sockets", "one set of sockets for each" },
  { "device_sockets=\"\"", "device_sockets=0", "device_sockets", "one set of sockets for each" },
  { "count=2 no_consume=0 memory_bytes=42949672960 ", "count=65 no_consume=0 memory_bytes=0 ",
    "device_sockets", "line 3: expected one set of sockets" },
  { "count=8 no_consume=0 memory_bytes=0 device_sockets=\"\" links=\"\"",
    "count=65 no_consume=0 memory_bytes=0 device_sockets=\"\" links=1", "links",
    "line 4: expected one number for each pair" },
  { "links=0,4,4,0", "links=0,4,4", "links", "one number for each pair" },
  { "links=0,4,4,0", "links=0,4,4,65536", "links", "one number for each pair" },
  { "links=0,4,4,0", "links=0,4,4,0,0", "gres", "line 3: expected the end of the line" },
  { "partition gpu", "partition batch", "name", "line 7: is there twice" },
  { "partition gpu", "partition a,b", "name", "line 7: holds a letter that names may not have" },
  { "nodes=gpu[01-03]", "nodes=gpu[01-05]", "nodes", "line 7: holds 'gpu05'; expected names of" },
  { "nodes=gpu[01-03]", "nodes=gpu]", "nodes", "line 7: is no list of names: a bracket is closed" },
  { "is_default=0", "is_default=1", "is_default", "line 7: is set for 'batch' and 'gpu'" },
  { "is_default=1", "is_default=0", "partitions", "expected a default partition" },
  { "time_default_us=3600000000", "time_default_us=86400000001", "time_default_us",
    "line 6: is 86400000001; expected 1 to 86400000000" },
  { "time_max_us=86400000000", "time_max_us=0", "time_max_us", "line 6: is 0; expected 1 or more" },
  { "nodes_min=0 nodes_max=4 ", "nodes_min=5 nodes_max=4 ", "nodes_max",
    "line 6: is 4; expected 5 to 4294967295" },
  { "nodes_max=4 ", "nodes_max=0 ", "nodes_max", "line 6: is 0; expected 1 to 4294967295" },
  { "cpus_per_node_max=4294967295", "cpus_per_node_max=0", "cpus_per_node_max", "is 0; expected" },
  { "oversubscribe_jobs=4", "oversubscribe_jobs=0", "oversubscribe_jobs",
    "is 0; expected 1 to 32" },
  { "license matlab", "license mat:lab", "name", "line 8: holds a letter that names may not have" },
  { "license matlab count=5\n", "license matlab count=5\nlicense matlab count=6\n", "name",
    "line 9: is there twice" },
  { "switch s1", "switch s2", "name", "line 10: is there twice" },
  { "switch s1", "switch s/1,", "name", "line 9: holds a letter that names may not have" },
  { "nodes=n[1-3]", "nodes=n[1-4]", "nodes", "line 10: holds 'n4'; expected names of nodes" },
  { "nodes=n[1-3]", "nodes=n[1-3],gpu01", "nodes",
    "line 10: holds 'gpu01', which 's1' has already" },
  { "nodes=n[1-3]", "nodes=\"\"", "nodes", "line 10: is empty, and so is switches" },
  { "nodes=n[1-3] switches=\"\"", "nodes=n[1-3] switches=s1", "switches",
    "line 10: is there beside nodes" },
  { "switches=s[1-2]", "switches=s[1-3]", "switches", "line 11: holds 's3'; expected names of sw" },
  { "nodes=n[1-3] switches=\"\"", "nodes=\"\" switches=s1", "switches",
    "line 11: holds 's1', which 's2' has already" },
  { "switches=s[1-2]", "switches=s[1-2],top", "switches", "line 11: leads back to the switch" },
  { "switches=s[1-2]", "switches=s[1-2]\nx", "nodes", "line 12: expected nodes, gres" },
};

static void
test_errors (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (text_errors); i++) {
    LkClusterError error = { NULL, NULL, "" };
    g_autofree char *text = replaced (sample_text, text_errors[i].from, text_errors[i].to);
    g_autoptr (LkCluster) cluster = read_bytes (text, strlen (text), &error);
    if (cluster != NULL)
      g_error ("taken: %s", text_errors[i].to);
    if (strstr (error.text, text_errors[i].error) == NULL)
      g_error ("%s: %s: %s", text_errors[i].to, error.member, error.text);
    g_assert_cmpstr (error.member, ==, text_errors[i].member);
    g_assert_null (error.spec);
  }
}

static void
test_sizes (void)
{
  LkClusterError error;
  g_assert_null (lk_cluster_from_text ("", 0, &error));
  g_assert_cmpstr (error.text, ==, "has 0 bytes; expected a description of 1 to 33554432");
  g_autofree char *text = g_strnfill (LK_LIMIT_CLUSTER_TEXT_BYTES + 1, 'x');
  g_assert_null (lk_cluster_from_text (text, LK_LIMIT_CLUSTER_TEXT_BYTES + 1, &error));
  g_assert_cmpstr (error.text, ==, "has 33554433 bytes; expected a description of 1 to 33554432");
  g_autoptr (LkCluster) cluster = sample_new ();
  LkPartitionSpec *partition = cluster->partitions->pdata[0];
  g_free (partition->deny_qos);
  partition->deny_qos = g_steal_pointer (&text);
  g_assert_false (lk_cluster_check (cluster, &error));
  g_assert_nonnull (strstr (error.text, "expected at most 33554432"));
}

/* ---------------------------------------------------------------- what no text can say */

/* Fails for `member` of `spec`, which is part of it. */
static void
refuse (LkCluster *cluster, const void *spec, const char *member, const char *text)
{
  LkClusterError error = { NULL, NULL, "" };
  g_assert_false (lk_cluster_check (cluster, &error));
  g_assert_cmpstr (error.member, ==, member);
  g_assert_true (error.spec == spec);
  if (strstr (error.text, text) == NULL)
    g_error ("%s: %s", error.member, error.text);
  g_assert_false (lk_cluster_check (cluster, NULL));
}

static void
test_values (void)
{
  g_autoptr (LkCluster) cluster = sample_new ();
  LkNodeSpec *nodes = cluster->nodes->pdata[0];
  LkPartitionSpec *partition = cluster->partitions->pdata[1];
  LkGresSpec *gres = nodes->gres->pdata[1];
  cluster->consume = (LkConsume)4;
  refuse (cluster, NULL, "consume", "is 4; expected 0 to 3");
  cluster->consume = LK_CONSUME_CPU;
  cluster->requeue_delay_us = -1;
  refuse (cluster, NULL, "requeue_delay_us", "is -1; expected 0 or more");
  cluster->requeue_delay_us = 0;
  static const char *const codes[] = { "256", "1,", "5-1", "-1", "x", "1 2", "1-2-3" };
  for (guint i = 0; i < G_N_ELEMENTS (codes); i++) {
    g_autofree char *text =
        g_strdup_printf ("is '%s'; expected exit codes such as 1,5-10", codes[i]);
    g_free (cluster->requeue_exit_hold);
    cluster->requeue_exit_hold = g_strdup (codes[i]);
    refuse (cluster, NULL, "requeue_exit_hold", text);
  }
  g_free (cluster->requeue_exit_hold);
  cluster->requeue_exit_hold = g_strdup ("0,255,7-9");
  cluster->requeue_delay_us = 0;
  nodes->memory_bytes = -1;
  refuse (cluster, nodes, "memory_bytes", "is -1; expected 0 or more");
  nodes->memory_bytes = 65536 * MIB;
  gres->memory_bytes = G_MININT64;
  refuse (cluster, gres, "memory_bytes", "is -9223372036854775808; expected 0 or more");
  gres->memory_bytes = 0;
  partition->state = (LkPartitionState)4;
  refuse (cluster, partition, "state", "is 4; expected 0 to 3");
  partition->state = LK_PARTITION_INACTIVE;
  g_assert_true (lk_cluster_check (cluster, NULL));
}

static void
test_many_devices (void)
{
  g_autoptr (LkCluster) cluster = sample_new ();
  LkNodeSpec *nodes = cluster->nodes->pdata[1];
  LkGresSpec *gres = lk_node_spec_add_gres (nodes, "nic", "", 65);
  g_assert_true (lk_cluster_check (cluster, NULL));
  gres->device_sockets = g_new0 (guint32, 65);
  refuse (cluster, gres, "count", "is 65, of single devices; expected at most 64");
}

static void
test_many (void)
{
  g_autoptr (LkCluster) cluster = sample_new ();
  LkNodeSpec *nodes = cluster->nodes->pdata[1];
  /* Two names are there. */
  for (guint i = 0; i < LK_LIMIT_GRES_NAMES - 2; i++) {
    g_autofree char *name = g_strdup_printf ("g%u", i);
    lk_node_spec_add_gres (nodes, name, "", 1);
  }
  g_assert_true (lk_cluster_check (cluster, NULL));
  LkGresSpec *last = lk_node_spec_add_gres (nodes, "last", "", 1);
  refuse (cluster, last, "name", "is name 17 of a generic resource");
  g_ptr_array_set_size (nodes->gres, 0);
  for (guint i = 0; i < 65; i++)
    lk_node_spec_add_gres (nodes, "gpu", "", 1);
  refuse (cluster, nodes, "gres", "has 65 entries; expected at most 64");
  g_ptr_array_set_size (nodes->gres, 0);
  for (guint i = 0; i < 5000; i++) {
    g_autofree char *name = g_strdup_printf ("f%u", i);
    lk_node_spec_add_feature (nodes, name);
  }
  refuse (cluster, NULL, "features", "are 5002 in all; expected at most 4096");
  g_ptr_array_set_size (nodes->features, 0);
  while (cluster->partitions->len <= LK_LIMIT_PARTITIONS)
    lk_cluster_add_partition (cluster, "p");
  refuse (cluster, NULL, "partitions", "are 4097; expected at most 4096");
}

static void
test_types (void)
{
  g_autoptr (LkCluster) cluster = lk_cluster_new ("c");
  LkNodeSpec *nodes = NULL;
  for (guint i = 0; i <= 1024; i++) {
    g_autofree char *text = g_strdup_printf ("t%u", i);
    if (i % 64 == 0)
      nodes = lk_cluster_add_nodes (cluster, text);
    lk_node_spec_add_gres (nodes, "gpu", text, 1);
  }
  refuse (cluster, nodes->gres->pdata[0], "type", "is one of more than 1024 types");
  g_ptr_array_set_size (nodes->gres, 0);
  g_assert_true (lk_cluster_check (cluster, NULL));
}

/* Shares of both kinds would be shares of the same GPUs. */
static void
test_shares (void)
{
  g_autoptr (LkCluster) cluster = sample_new ();
  LkNodeSpec *nodes = cluster->nodes->pdata[0];
  lk_node_spec_add_gres (nodes, "mps", "", 200);
  refuse (cluster, nodes->gres->pdata[1], "name", "is shard beside mps");
  g_ptr_array_set_size (nodes->gres, 1);
  lk_node_spec_add_gres (nodes, "mps", "", 200);
  g_assert_true (lk_cluster_check (cluster, NULL));
}

static void
test_large (void)
{
  g_autoptr (LkCluster) cluster = lk_cluster_new ("large");
  LkNodeSpec *nodes = lk_cluster_add_nodes (cluster, "n[1-1000000]");
  nodes->cores_per_socket = 64;
  nodes->threads_per_core = 64;
  nodes->cpus = 4096;
  refuse (cluster, nodes, "cpus", "leads to more than 2147483647 CPUs in all");
  nodes->cpus = 64;
  g_assert_true (lk_cluster_check (cluster, NULL));
  g_assert_cmpuint (lk_cluster_cpu_count (cluster), ==, 64000000);
  for (guint i = 0; i < 5; i++) {
    g_autofree char *name = g_strdup_printf ("p%u", i);
    LkPartitionSpec *partition = lk_cluster_add_partition (cluster, name);
    g_free (partition->nodes);
    partition->nodes = g_strdup ("n[1-1000000]");
  }
  LkClusterError error;
  g_assert_false (lk_cluster_check (cluster, &error));
  g_assert_nonnull (strstr (error.text, "leads to more than 4000000 names"));
}

/* ---------------------------------------------------------------- what goes without saying */

static void
test_partitions (void)
{
  g_autoptr (LkCluster) cluster = lk_cluster_new ("c");
  LkClusterError error;
  refuse (cluster, NULL, "nodes", "is empty; expected at least one node");
  lk_cluster_add_nodes (cluster, "n[1-2]");
  g_assert_true (lk_cluster_check (cluster, &error));
  g_assert_cmpuint (cluster->partitions->len, ==, 1);
  const LkPartitionSpec *added = cluster->partitions->pdata[0];
  g_assert_cmpstr (added->name, ==, "main");
  g_assert_cmpstr (added->nodes, ==, "ALL");
  g_assert_true (added->is_default);
  LkPartitionSpec *second = lk_cluster_add_partition (cluster, "second");
  g_assert_true (lk_cluster_check (cluster, &error));
  g_assert_true (added->is_default && !second->is_default);
  g_ptr_array_remove_index (cluster->partitions, 0);
  g_assert_true (lk_cluster_check (cluster, &error));
  g_assert_true (second->is_default);
  g_assert_cmpuint (cluster->partitions->len, ==, 1);
}

static void
test_blocks (void)
{
  g_autoptr (LkCluster) cluster = blocks_new ();
  g_assert_true (lk_cluster_check (cluster, NULL));
  g_assert_cmpuint (cluster->block_sizes->len, ==, 1);
  g_assert_cmpuint (g_array_index (cluster->block_sizes, guint32, 0), ==, 2);
  sizes_add (cluster, 4);
  sizes_add (cluster, 16);
  g_assert_true (lk_cluster_check (cluster, NULL));
  sizes_add (cluster, 16);
  refuse (cluster, NULL, "block_sizes", "has 16 behind 16; expected sizes that rise");
  g_array_index (cluster->block_sizes, guint32, 3) = 24;
  refuse (cluster, NULL, "block_sizes", "has 24; expected 2 times a power of two");
  g_array_index (cluster->block_sizes, guint32, 3) = 33;
  refuse (cluster, NULL, "block_sizes", "has 33; expected 2 times a power of two");
  g_array_index (cluster->block_sizes, guint32, 0) = 0;
  refuse (cluster, NULL, "block_sizes", "has 0 behind 0");
  g_array_set_size (cluster->block_sizes, 0);
  LkSwitchSpec *empty = lk_cluster_add_switch (cluster, "b4", NULL, NULL);
  refuse (cluster, empty, "nodes", "is empty; expected the block's nodes");
  g_free (empty->switches);
  empty->switches = g_strdup ("b1");
  refuse (cluster, empty, "switches", "is given for a block");
  g_ptr_array_set_size (cluster->switches, 3);
  LkSwitchSpec *again = lk_cluster_add_switch (cluster, "b4", "n7", NULL);
  refuse (cluster, again, "nodes", "holds 'n7', which 'b3' has already");
  g_ptr_array_set_size (cluster->switches, 0);
  refuse (cluster, NULL, "switches", "are 0; expected 1 to 1000000");
  cluster->topology = LK_TOPOLOGY_FLAT;
  g_assert_true (lk_cluster_check (cluster, NULL));
  sizes_add (cluster, 4);
  refuse (cluster, NULL, "block_sizes", "is given for a flat topology");
}

/* A loop off the tree, and a deep tree, which takes no longer than a flat one. */
static void
test_loops (void)
{
  g_autoptr (LkCluster) cluster = lk_cluster_new ("c");
  cluster->topology = LK_TOPOLOGY_TREE;
  lk_cluster_add_nodes (cluster, "n1");
  lk_cluster_add_switch (cluster, "s0", "n1", NULL);
  for (guint i = 1; i < 100000; i++) {
    g_autofree char *name = g_strdup_printf ("s%u", i);
    g_autofree char *below = g_strdup_printf ("s%u", i - 1);
    lk_cluster_add_switch (cluster, name, NULL, below);
  }
  g_assert_true (lk_cluster_check (cluster, NULL));
  LkSwitchSpec *a = lk_cluster_add_switch (cluster, "a", NULL, "b");
  lk_cluster_add_switch (cluster, "b", NULL, "c,s99999");
  lk_cluster_add_switch (cluster, "c", NULL, "a");
  refuse (cluster, a, "switches", "leads back to the switch itself; expected a tree");
}

/* ---------------------------------------------------------------- random machines */

static char *
random_text (Seed *seed)
{
  static const char *const texts[] = {
    "", "a", "a,b", "x y", "\"\\=", "two\nlines", "Gr\xc3\xbc\xc3\x9f\x65"
  };
  return g_strdup (texts[seed_below (seed, G_N_ELEMENTS (texts))]);
}

static void
random_gres (Seed *seed, LkNodeSpec *nodes)
{
  static const char *const types[] = { "", "a100", "h100" };
  for (guint i = 0; i < G_N_ELEMENTS (types); i++) {
    LkGresSpec *gres = lk_node_spec_add_gres (nodes, "gpu", types[i], 1 + seed_below (seed, 8));
    gres->memory_bytes = seed_between (seed, 0, 80 * 1024 * MIB);
    if (seed_below (seed, 2) == 0) {
      gres->device_sockets = g_new0 (guint32, gres->count);
      gres->device_sockets[seed_below (seed, gres->count)] = 1 + seed_below (seed, 3);
    }
    if (seed_below (seed, 2) == 0)
      gres->links = g_new0 (guint16, gres->count * gres->count);
    if (gres->links != NULL)
      gres->links[0] = (guint16)seed_below (seed, 65536);
  }
}

static void
random_nodes (Seed *seed, LkCluster *cluster)
{
  for (guint i = 1 + seed_below (seed, 5); i-- > 0;) {
    g_autofree char *names =
        g_strdup_printf ("n%u-[%02u-%u]", i, 1 + seed_below (seed, 5), 8 + seed_below (seed, 5));
    LkNodeSpec *nodes = lk_cluster_add_nodes (cluster, names);
    nodes->sockets = 2;
    nodes->cores_per_socket = 1 + seed_below (seed, 64);
    nodes->threads_per_core = 1 + seed_below (seed, 4);
    nodes->cpus = nodes->sockets * nodes->cores_per_socket;
    nodes->cores_reserved = seed_below (seed, nodes->cpus);
    nodes->cpus *= seed_below (seed, 2) == 0 ? 1 : nodes->threads_per_core;
    nodes->memory_bytes = seed_between (seed, 1, 1024 * 1024 * MIB);
    nodes->memory_reserved_bytes = seed_between (seed, 0, nodes->memory_bytes - 1);
    nodes->weight = (guint32)seed_next (seed);
    nodes->flags = seed_below (seed, 16);
    g_free (nodes->reason);
    nodes->reason = random_text (seed);
    if (seed_below (seed, 2) == 0)
      lk_node_spec_add_feature (nodes, "big\"\\=");
    if (seed_below (seed, 2) == 0)
      lk_node_spec_add_feature (nodes, "fast");
    if (seed_below (seed, 2) == 0)
      random_gres (seed, nodes);
  }
}

static void
random_partitions (Seed *seed, LkCluster *cluster)
{
  for (guint i = seed_below (seed, 4); i-- > 0;) {
    g_autofree char *name = g_strdup_printf ("p%u", i);
    LkPartitionSpec *partition = lk_cluster_add_partition (cluster, name);
    partition->state = (LkPartitionState)seed_below (seed, 4);
    partition->oversubscribe = (LkOversubscribe)seed_below (seed, 4);
    partition->least_loaded = (LkSwitch)seed_below (seed, 3);
    partition->exclusive_user = seed_below (seed, 2) == 0;
    partition->time_max_us = seed_between (seed, 1, LK_TIME_NEVER);
    partition->time_default_us = seed_between (seed, 1, partition->time_max_us);
    partition->nodes_min = (guint32)seed_between (seed, 0, G_MAXUINT32);
    partition->memory_per_gpu_default_bytes = seed_between (seed, 0, G_MAXINT64 - 1);
    g_free (partition->allow_accounts);
    partition->allow_accounts = random_text (seed);
    g_free (partition->tres_billing_weights);
    partition->tres_billing_weights =
        g_strdup (seed_below (seed, 2) == 0 ? "" : "CPU=1.0,Mem=0.25G,GRES/gpu:a100=2,Node=3");
  }
}

static void
test_random (void)
{
  Seed seed = { 1 };
  for (guint round = 0; round < 500; round++) {
    LkClusterError error;
    g_autoptr (LkCluster) cluster = lk_cluster_new ("random");
    cluster->consume = (LkConsume)seed_below (&seed, 4);
    cluster->memory_per_node_max_bytes = seed_between (&seed, 0, G_MAXINT64 - 1);
    random_nodes (&seed, cluster);
    random_partitions (&seed, cluster);
    lk_cluster_add_license (cluster, "l", (guint32)seed_next (&seed));
    if (!lk_cluster_check (cluster, &error))
      g_error ("%s: %s", error.member, error.text);
    g_autofree char *text = text_of (cluster);
    read_check (text);
  }
}

static void
test_markdown (void)
{
  g_autoptr (GString) page = g_string_new (NULL);
  lk_cluster_markdown (page);
  g_assert_nonnull (strstr (page->str, "| consume | `cpu`, `core`, `socket`, `node` | what is "));
  g_assert_nonnull (strstr (page->str, "| requeue | 0 or 1 | "));
  g_assert_nonnull (strstr (page->str, "## switch\n"));
}

int
main (int argc, char **argv)
{
  if (argc == 2 && strcmp (argv[1], "--members") == 0) {
    g_autoptr (GString) page = g_string_new (NULL);
    lk_cluster_markdown (page);
    return fputs (page->str, stdout) < 0;
  }
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cluster/starts with Slurm's defaults", test_defaults);
  g_test_add_func ("/cluster/copies all that is in it", test_copies);
  g_test_add_func ("/cluster/counts nodes, CPUs and devices", test_counts);
  g_test_add_func ("/cluster/writes the documented text", test_text);
  g_test_add_func ("/cluster/reads what it wrote", test_there_and_back);
  g_test_add_func ("/cluster/refuses a text cut in a line", test_cut);
  g_test_add_func ("/cluster/reads another letter as it is written or not at all", test_flipped);
  g_test_add_func ("/cluster/says what is wrong and where", test_errors);
  g_test_add_func ("/cluster/refuses a text that is too long", test_sizes);
  g_test_add_func ("/cluster/refuses values that are none", test_values);
  g_test_add_func ("/cluster/refuses affinity of more devices than there may be",
                   test_many_devices);
  g_test_add_func ("/cluster/keeps to its limits", test_many);
  g_test_add_func ("/cluster/bounds the types of devices", test_types);
  g_test_add_func ("/cluster/refuses shares of two kinds", test_shares);
  g_test_add_func ("/cluster/bounds the sums over a large machine", test_large);
  g_test_add_func ("/cluster/adds a partition, the first being the default", test_partitions);
  g_test_add_func ("/cluster/checks blocks and their sizes", test_blocks);
  g_test_add_func ("/cluster/finds switches in a loop", test_loops);
  g_test_add_func ("/cluster/reads any machine that it wrote", test_random);
  g_test_add_func ("/cluster/lists its members", test_markdown);
  return g_test_run ();
}
