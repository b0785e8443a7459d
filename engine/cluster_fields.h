/* engine/cluster_fields.h — the one table of the members of an LkCluster.
 *
 * From these X-macros are made the writer and the reader of its canonical text, the page that
 * describes that text, the copies, and the check that every text member satisfies.  A field is
 * F (type, member, what it is).  The line of a thing is its kind, its first field, and all others
 * in this order as member=value.
 *
 * Types: text (char *), u32, i64 (decimal), flag (gboolean, 0 or 1), names (GPtrArray of char *)
 * and sizes (GArray of guint32), both with commas between, sockets and links (arrays of LkGresSpec,
 * likewise; empty for NULL).  The rest are enumerations, written as the words of
 * LK_CLUSTER_ENUMS. */
#ifndef LK_ENGINE_CLUSTER_FIELDS_H
#define LK_ENGINE_CLUSTER_FIELDS_H

#define LK_CLUSTER_FIELDS(F)                                                                       \
  F (text, name, "its name")                                                                       \
  F (topology, topology, "how nodes are connected")                                                \
  F (sizes, block_sizes, "planning sizes of blocks, in nodes")                                     \
  F (consume, consume, "what is handed out")                                                       \
  F (flag, memory, "1: memory is handed out too")                                                  \
  F (flag, cores_block, "1: cores of a job fill one socket after another; 0: in turn")             \
  F (flag, pack_nodes, "1: tasks fill a node before the next one is used")                         \
  F (flag, least_loaded, "1: the least loaded nodes are used first")                               \
  F (flag, enforce_limits, "1: what can never run is refused at submit; 0: it waits")              \
  F (i64, memory_per_cpu_default_bytes, "memory of jobs that ask for none, for each CPU; 0: none") \
  F (i64, memory_per_node_default_bytes, "the same for each node")                                 \
  F (i64, memory_per_gpu_default_bytes, "the same for each GPU")                                   \
  F (i64, memory_per_cpu_max_bytes, "most memory for each CPU; 0: no limit")                       \
  F (i64, memory_per_node_max_bytes, "most memory on a node; 0: no limit")                         \
  F (u32, cpus_per_gpu_default, "CPUs for each GPU of jobs that do not say; 0: none")              \
  F (i64, reservation_over_run_us, "how long jobs may run past the end of their reservation")      \
  F (i64, switches_wait_max_us, "longest wait for few switches")                                   \
  F (i64, requeue_delay_us, "before a requeued job may start again")                               \
  F (flag, requeue, "1: jobs may be requeued if they do not say otherwise")                        \
  F (text, requeue_exit, "exit codes with which a job goes back to the queue: 1,5-10")             \
  F (text, requeue_exit_hold, "the same, and is held as SPECIAL_EXIT")                             \
  F (u32, max_batch_requeue, "how often a job may fail to be launched before it is held")          \
  F (flag, hold_prolog_failure, "1: a job whose prolog failed is requeued and held")               \
  F (i64, kill_wait_us, "how long a job that is told to end may take to")                          \
  F (i64, time_scan_us, "time limits are looked at so often; 0: the moment they come")             \
  F (i64, job_age_min_us, "jobs that ended are remembered so long; 0: for ever")                   \
  F (flag, kill_invalid_depend, "1: jobs whose dependency has failed are cancelled")               \
  F (u32, array_size_max, "indices of tasks of an array are below it; 0: no arrays")               \
  F (compat, compat, "whose rules hold where versions of Slurm differ; those of accounts go before")

#define LK_NODE_SPEC_FIELDS(F)                                                                     \
  F (text, names, "hostlist")                                                                      \
  F (u32, sockets, "sockets of each node")                                                         \
  F (u32, cores_per_socket, "cores of each socket")                                                \
  F (u32, threads_per_core, "threads of each core")                                                \
  F (u32, cpus, "CPUs for scheduling: one for each thread, or one for each core")                  \
  F (u32, cores_reserved, "cores that jobs do not get")                                            \
  F (i64, memory_bytes, "memory")                                                                  \
  F (i64, memory_reserved_bytes, "memory that jobs do not get")                                    \
  F (i64, tmp_bytes, "temporary disk")                                                             \
  F (u32, weight, "lower is used first")                                                           \
  F (u32, flags, "1 down, 2 drained, 4 failed, 8 in maintenance: their sum")                       \
  F (text, reason, "of these flags")                                                               \
  F (names, features, "features")

#define LK_GRES_SPEC_FIELDS(F)                                                                     \
  F (text, name, "what it is: gpu, shard, mps or any other name")                                  \
  F (text, type, "its type")                                                                       \
  F (u32, count, "devices, shares or units on each node")                                          \
  F (flag, no_consume, "1: always available, however many use it")                                 \
  F (i64, memory_bytes, "memory of one device; 0: unknown")                                        \
  F (sockets, device_sockets, "for each device the set of sockets near it, bit i for socket i")    \
  F (links, links, "for each device how well it is connected with each device")

#define LK_PARTITION_SPEC_FIELDS(F)                                                                \
  F (text, name, "its name")                                                                       \
  F (text, nodes, "hostlist; ALL for all")                                                         \
  F (flag, is_default, "1: of jobs that name none")                                                \
  F (partition_state, state, "which jobs it takes and starts")                                     \
  F (flag, root_only, "1: only root may submit to it")                                             \
  F (i64, time_default_us, "limit of jobs that give none; the largest i64: time_max_us")           \
  F (i64, time_max_us, "longest limit; the largest i64: none")                                     \
  F (u32, nodes_min, "fewest nodes of a job")                                                      \
  F (u32, nodes_max, "most nodes of a job; the largest u32: no limit")                             \
  F (u32, cpus_per_node_max, "most CPUs of a node in use; the largest u32: no limit")              \
  F (u32, cpus_per_socket_max, "most CPUs of a socket in use; the largest u32: no limit")          \
  F (u32, priority_tier, "jobs of higher tiers go first")                                          \
  F (u32, priority_job_factor, "its weight in the priority of a job")                              \
  F (oversubscribe, oversubscribe, "may jobs share cores")                                         \
  F (u32, oversubscribe_jobs, "most jobs on a core")                                               \
  F (flag, exclusive_user, "1: a node runs jobs of one user at a time")                            \
  F (flag, exclusive_topo, "1: a block runs one job at a time")                                    \
  F (inherit, least_loaded, "are the least loaded nodes used first")                               \
  F (text, qos, "QOS of the partition itself")                                                     \
  F (text, preempt_mode, "how its jobs are preempted; empty: as the cluster")                      \
  F (i64, grace_us, "notice before preemption")                                                    \
  F (i64, over_time_limit_us, "how far a job may pass its limit")                                  \
  F (text, allow_accounts, "accounts that may use it; empty or ALL: all")                          \
  F (text, deny_accounts, "accounts that may not")                                                 \
  F (text, allow_groups, "groups that may use it; empty or ALL: all")                              \
  F (text, allow_qos, "QOS that may use it; empty or ALL: all")                                    \
  F (text, deny_qos, "QOS that may not")                                                           \
  F (i64, memory_per_cpu_default_bytes, "memory of jobs that ask for none, for each CPU; 0: none") \
  F (i64, memory_per_node_default_bytes, "the same for each node")                                 \
  F (i64, memory_per_gpu_default_bytes, "the same for each GPU")                                   \
  F (i64, memory_per_cpu_max_bytes, "most memory for each CPU; 0: as the cluster")                 \
  F (i64, memory_per_node_max_bytes, "most memory on a node; 0: as the cluster")                   \
  F (u32, cpus_per_gpu_default, "CPUs for each GPU of jobs that do not say; 0: none")              \
  F (text, tres_billing_weights, "weights of what is billed; empty: CPUs")                         \
  F (flag, hidden, "1: only root, and who asks for all, is told of it")                            \
  F (flag, reservation_required, "1: only jobs with a reservation may use it")                     \
  F (text, alloc_nodes, "hostlist of where jobs are submitted to it; empty or ALL: anywhere")

#define LK_LICENSE_SPEC_FIELDS(F)                                                                  \
  F (text, name, "its name")                                                                       \
  F (u32, count, "how many there are")

#define LK_SWITCH_SPEC_FIELDS(F)                                                                   \
  F (text, name, "its name")                                                                       \
  F (text, nodes, "hostlist of the nodes of a leaf or block")                                      \
  F (text, switches, "hostlist of the switches below")

/* The lines, in the order of their kinds: X (KIND, kind, struct, what it is).  Lines of gres follow
 * the nodes that they belong to. */
#define LK_CLUSTER_LINES(X)                                                                        \
  X (CLUSTER, cluster, LkCluster, "The machine: once, first")                                      \
  X (NODE_SPEC, nodes, LkNodeSpec, "A group of equal nodes")                                       \
  X (GRES_SPEC, gres, LkGresSpec, "A generic resource of each node of the group above")            \
  X (PARTITION_SPEC, partition, LkPartitionSpec, "A partition")                                    \
  X (LICENSE_SPEC, license, LkLicenseSpec, "A licence")                                            \
  X (SWITCH_SPEC, switch, LkSwitchSpec, "A switch of the tree, or a block")

/* Enumerations: X (type, C type, words in the order of their numbers). */
#define LK_CLUSTER_ENUMS(X)                                                                        \
  X (topology, LkTopologyKind, "flat", "tree", "block")                                            \
  X (consume, LkConsume, "cpu", "core", "socket", "node")                                          \
  X (partition_state, LkPartitionState, "up", "down", "drain", "inactive")                         \
  X (oversubscribe, LkOversubscribe, "no", "exclusive", "yes", "force")                            \
  X (inherit, LkSwitch, "no", "yes", "inherit")                                                    \
  X (compat, guint32, "slurm-26.05", "slurm-22.05")

#endif
