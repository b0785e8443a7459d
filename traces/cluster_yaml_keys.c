/* traces/cluster_yaml_keys.c — see cluster_yaml_keys.h. */
#include "traces/cluster_yaml_keys.h"

#include <stddef.h>
#include <string.h>

#define MEMBER(key, kind, type, member)                                                            \
  {                                                                                                \
    key, #member, kind, offsetof (type, member), NULL, NULL                                        \
  }
#define WORD(key, words, type, member)                                                             \
  {                                                                                                \
    key, #member, LK_KEY_WORD, offsetof (type, member), words, NULL                                \
  }
#define END                                                                                        \
  {                                                                                                \
    NULL, NULL, LK_KEY_TEXT, 0, NULL, NULL                                                         \
  }

const char *const lk_node_state_words[] = { "down", "drain", "fail", "maint", NULL };
const char *const lk_oversubscribe_words[] = { "no", "exclusive", "yes", "force", NULL };

static const char *const compat_words[] = { "slurm-26.05", "slurm-22.05", NULL };
static const char *const consume_words[] = { "cpu", "core", "socket", "node", NULL };
static const char *const distribution_words[] = { "cyclic", "block", NULL };
static const char *const kind_words[] = { "flat", "tree", "block", NULL };
static const char *const partition_state_words[] = { "up", "down", "drain", "inactive", NULL };
static const char *const switch_words[] = { "false", "true", "inherit", NULL };

const LkKey lk_cluster_keys[] = {
  MEMBER ("name", LK_KEY_TEXT, LkCluster, name),
  WORD ("consume", consume_words, LkCluster, consume),
  MEMBER ("memory", LK_KEY_FLAG, LkCluster, memory),
  WORD ("core_distribution", distribution_words, LkCluster, cores_block),
  MEMBER ("pack_nodes", LK_KEY_FLAG, LkCluster, pack_nodes),
  MEMBER ("lln", LK_KEY_FLAG, LkCluster, least_loaded),
  MEMBER ("enforce_limits", LK_KEY_FLAG, LkCluster, enforce_limits),
  MEMBER ("def_mem_per_cpu", LK_KEY_BYTES, LkCluster, memory_per_cpu_default_bytes),
  MEMBER ("def_mem_per_node", LK_KEY_BYTES, LkCluster, memory_per_node_default_bytes),
  MEMBER ("def_mem_per_gpu", LK_KEY_BYTES, LkCluster, memory_per_gpu_default_bytes),
  MEMBER ("max_mem_per_cpu", LK_KEY_BYTES, LkCluster, memory_per_cpu_max_bytes),
  MEMBER ("max_mem_per_node", LK_KEY_BYTES, LkCluster, memory_per_node_max_bytes),
  MEMBER ("cpus_per_gpu", LK_KEY_COUNT, LkCluster, cpus_per_gpu_default),
  MEMBER ("switches_wait_max", LK_KEY_SPAN, LkCluster, switches_wait_max_us),
  MEMBER ("requeue", LK_KEY_FLAG, LkCluster, requeue),
  MEMBER ("requeue_delay", LK_KEY_SPAN, LkCluster, requeue_delay_us),
  MEMBER ("requeue_exit", LK_KEY_TEXT, LkCluster, requeue_exit),
  MEMBER ("requeue_exit_hold", LK_KEY_TEXT, LkCluster, requeue_exit_hold),
  MEMBER ("max_batch_requeue", LK_KEY_COUNT, LkCluster, max_batch_requeue),
  MEMBER ("hold_prolog_failure", LK_KEY_FLAG, LkCluster, hold_prolog_failure),
  MEMBER ("kill_wait", LK_KEY_SPAN, LkCluster, kill_wait_us),
  MEMBER ("time_scan", LK_KEY_SPAN, LkCluster, time_scan_us),
  MEMBER ("max_array_size", LK_KEY_COUNT, LkCluster, array_size_max),
  MEMBER ("reservation_over_run", LK_KEY_SPAN, LkCluster, reservation_over_run_us),
  MEMBER ("min_job_age", LK_KEY_SPAN, LkCluster, job_age_min_us),
  MEMBER ("kill_invalid_depend", LK_KEY_FLAG, LkCluster, kill_invalid_depend),
  WORD ("compat", compat_words, LkCluster, compat),
  MEMBER ("nodes", LK_KEY_NODES, LkCluster, nodes),
  MEMBER ("partitions", LK_KEY_PARTITIONS, LkCluster, partitions),
  MEMBER ("licenses", LK_KEY_LICENSES, LkCluster, licenses),
  MEMBER ("topology", LK_KEY_TOPOLOGY, LkCluster, topology),
  END,
};

const LkKey lk_topology_keys[] = {
  WORD ("kind", kind_words, LkCluster, topology),
  MEMBER ("switches", LK_KEY_SWITCHES, LkCluster, switches),
  MEMBER ("block_sizes", LK_KEY_SIZES, LkCluster, block_sizes),
  MEMBER ("blocks", LK_KEY_BLOCKS, LkCluster, switches),
  END,
};

static const LkKey reserved_keys[] = {
  MEMBER ("cores", LK_KEY_COUNT, LkNodeSpec, cores_reserved),
  MEMBER ("memory", LK_KEY_BYTES, LkNodeSpec, memory_reserved_bytes),
  END,
};

const LkKey lk_node_keys[] = {
  MEMBER ("names", LK_KEY_TEXT, LkNodeSpec, names),
  MEMBER ("sockets", LK_KEY_COUNT, LkNodeSpec, sockets),
  MEMBER ("cores", LK_KEY_COUNT, LkNodeSpec, cores_per_socket),
  MEMBER ("threads", LK_KEY_COUNT, LkNodeSpec, threads_per_core),
  MEMBER ("cpus", LK_KEY_COUNT, LkNodeSpec, cpus),
  MEMBER ("memory", LK_KEY_BYTES, LkNodeSpec, memory_bytes),
  MEMBER ("tmp", LK_KEY_BYTES, LkNodeSpec, tmp_bytes),
  MEMBER ("weight", LK_KEY_COUNT, LkNodeSpec, weight),
  MEMBER ("features", LK_KEY_FEATURES, LkNodeSpec, features),
  MEMBER ("gres", LK_KEY_GRES, LkNodeSpec, gres),
  { "reserved", "", LK_KEY_PART, 0, NULL, reserved_keys },
  MEMBER ("state", LK_KEY_STATE, LkNodeSpec, flags),
  MEMBER ("reason", LK_KEY_TEXT, LkNodeSpec, reason),
  { "topology", "", LK_KEY_SYNTHETIC, 0, NULL, NULL },
  { "hwloc_xml", "", LK_KEY_XML, 0, NULL, NULL },
  END,
};

const LkKey lk_gres_keys[] = {
  MEMBER ("name", LK_KEY_TEXT, LkGresSpec, name),
  MEMBER ("type", LK_KEY_TEXT, LkGresSpec, type),
  MEMBER ("count", LK_KEY_COUNT, LkGresSpec, count),
  MEMBER ("memory", LK_KEY_BYTES, LkGresSpec, memory_bytes),
  MEMBER ("no_consume", LK_KEY_FLAG, LkGresSpec, no_consume),
  MEMBER ("sockets", LK_KEY_SOCKETS, LkGresSpec, device_sockets),
  MEMBER ("nvlink", LK_KEY_NVLINK, LkGresSpec, links),
  MEMBER ("links", LK_KEY_LINKS, LkGresSpec, links),
  END,
};

const LkKey lk_partition_keys[] = {
  MEMBER ("name", LK_KEY_TEXT, LkPartitionSpec, name),
  MEMBER ("nodes", LK_KEY_TEXT, LkPartitionSpec, nodes),
  MEMBER ("default", LK_KEY_FLAG, LkPartitionSpec, is_default),
  WORD ("state", partition_state_words, LkPartitionSpec, state),
  MEMBER ("root_only", LK_KEY_FLAG, LkPartitionSpec, root_only),
  MEMBER ("hidden", LK_KEY_FLAG, LkPartitionSpec, hidden),
  MEMBER ("req_resv", LK_KEY_FLAG, LkPartitionSpec, reservation_required),
  MEMBER ("alloc_nodes", LK_KEY_TEXT, LkPartitionSpec, alloc_nodes),
  MEMBER ("default_time", LK_KEY_TIME, LkPartitionSpec, time_default_us),
  MEMBER ("max_time", LK_KEY_TIME, LkPartitionSpec, time_max_us),
  MEMBER ("over_time_limit", LK_KEY_TIME, LkPartitionSpec, over_time_limit_us),
  MEMBER ("min_nodes", LK_KEY_COUNT, LkPartitionSpec, nodes_min),
  MEMBER ("max_nodes", LK_KEY_LIMIT, LkPartitionSpec, nodes_max),
  MEMBER ("max_cpus_per_node", LK_KEY_LIMIT, LkPartitionSpec, cpus_per_node_max),
  MEMBER ("max_cpus_per_socket", LK_KEY_LIMIT, LkPartitionSpec, cpus_per_socket_max),
  MEMBER ("priority_tier", LK_KEY_COUNT, LkPartitionSpec, priority_tier),
  MEMBER ("priority_job_factor", LK_KEY_COUNT, LkPartitionSpec, priority_job_factor),
  MEMBER ("oversubscribe", LK_KEY_OVERSUBSCRIBE, LkPartitionSpec, oversubscribe),
  MEMBER ("exclusive_user", LK_KEY_FLAG, LkPartitionSpec, exclusive_user),
  MEMBER ("exclusive_topo", LK_KEY_FLAG, LkPartitionSpec, exclusive_topo),
  WORD ("lln", switch_words, LkPartitionSpec, least_loaded),
  MEMBER ("qos", LK_KEY_TEXT, LkPartitionSpec, qos),
  MEMBER ("preempt_mode", LK_KEY_TEXT, LkPartitionSpec, preempt_mode),
  MEMBER ("grace_time", LK_KEY_SPAN, LkPartitionSpec, grace_us),
  MEMBER ("allow_accounts", LK_KEY_NAMES, LkPartitionSpec, allow_accounts),
  MEMBER ("deny_accounts", LK_KEY_NAMES, LkPartitionSpec, deny_accounts),
  MEMBER ("allow_groups", LK_KEY_NAMES, LkPartitionSpec, allow_groups),
  MEMBER ("allow_qos", LK_KEY_NAMES, LkPartitionSpec, allow_qos),
  MEMBER ("deny_qos", LK_KEY_NAMES, LkPartitionSpec, deny_qos),
  MEMBER ("def_mem_per_cpu", LK_KEY_BYTES, LkPartitionSpec, memory_per_cpu_default_bytes),
  MEMBER ("def_mem_per_node", LK_KEY_BYTES, LkPartitionSpec, memory_per_node_default_bytes),
  MEMBER ("def_mem_per_gpu", LK_KEY_BYTES, LkPartitionSpec, memory_per_gpu_default_bytes),
  MEMBER ("max_mem_per_cpu", LK_KEY_BYTES, LkPartitionSpec, memory_per_cpu_max_bytes),
  MEMBER ("max_mem_per_node", LK_KEY_BYTES, LkPartitionSpec, memory_per_node_max_bytes),
  MEMBER ("cpus_per_gpu", LK_KEY_COUNT, LkPartitionSpec, cpus_per_gpu_default),
  MEMBER ("tres_billing_weights", LK_KEY_BILLING, LkPartitionSpec, tres_billing_weights),
  END,
};

const LkKey lk_switch_keys[] = {
  MEMBER ("name", LK_KEY_TEXT, LkSwitchSpec, name),
  MEMBER ("nodes", LK_KEY_TEXT, LkSwitchSpec, nodes),
  MEMBER ("switches", LK_KEY_TEXT, LkSwitchSpec, switches),
  END,
};

const LkKey lk_block_keys[] = {
  MEMBER ("name", LK_KEY_TEXT, LkSwitchSpec, name),
  MEMBER ("nodes", LK_KEY_TEXT, LkSwitchSpec, nodes),
  END,
};

guint32
lk_node_cpus_default (const LkNodeSpec *node)
{
  guint64 cpus = (guint64)node->sockets * node->cores_per_socket;
  cpus = MIN (cpus, G_MAXUINT32) * node->threads_per_core;
  return (guint32)MIN (cpus, G_MAXUINT32);
}

gboolean
lk_is_billing_weight (const char *text)
{
  gsize digits = strspn (text, "0123456789");
  gsize length = digits;
  if (text[length] == '.') {
    gsize fraction = strspn (text + length + 1, "0123456789");
    digits += fraction;
    length += fraction + 1;
  }
  if (text[length] != '\0' && strchr ("KMGTPkmgtp", text[length]) != NULL)
    length++;
  return digits > 0 && text[length] == '\0';
}

const LkKey *
lk_key_find (const LkKey *keys, const char *name)
{
  for (; keys->key != NULL; keys++)
    if (strcmp (keys->key, name) == 0)
      return keys;
  return NULL;
}

const char **
lk_key_names (const LkKey *keys)
{
  GPtrArray *names = g_ptr_array_new ();
  for (; keys->key != NULL; keys++)
    g_ptr_array_add (names, (gpointer)keys->key);
  g_ptr_array_add (names, NULL);
  return (const char **)g_ptr_array_free (names, FALSE);
}
