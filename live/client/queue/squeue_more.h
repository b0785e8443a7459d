/* live/client/queue/squeue_more.h — columns of squeue that are asked for by name only, but for %s.
 *
 * X (code, NAME of -O, heading, cell): codes are no letters. Source: squeue(1), --Format. */
#ifndef LK_LIVE_CLIENT_QUEUE_SQUEUE_MORE_H
#define LK_LIVE_CLIENT_QUEUE_SQUEUE_MORE_H

#include <glib.h>

#define LK_SQUEUE_MORE(X)                                                                          \
  X (0x80, "AccrueTime", "ACCRUE_TIME", lk_squeue_eligible_cell)                                   \
  X (0x81, "admin_comment", "ADMIN_COMMENT", lk_squeue_admin_comment_cell)                         \
  X (0x82, "AllocNodes", "ALLOC_NODES", lk_squeue_submit_host_cell)                                \
  X (0x83, "BatchFlag", "BATCH_FLAG", lk_squeue_batch_flag_cell)                                   \
  X (0x84, "BoardsPerNode", "BOARDS_PER_NODE", lk_squeue_zero_cell)                                \
  X (0x85, "BurstBuffer", "BURST_BUFFER", lk_squeue_null_cell)                                     \
  X (0x86, "BurstBufferState", "BURST_BUFFER_STATE", lk_squeue_null_cell)                          \
  X (0x87, "ClusterFeature", "CLUSTER_FEATURES", lk_squeue_null_cell)                              \
  X (0x88, "Container", "CONTAINER", lk_squeue_null_cell)                                          \
  X (0x89, "ContainerId", "CONTAINERID", lk_squeue_null_cell)                                      \
  X (0x8a, "ContainerType", "CONTAINERTYPE", lk_squeue_null_cell)                                  \
  X (0x8b, "CPUsPerTask", "CPUS_PER_TASK", lk_squeue_cpus_per_task_cell)                           \
  X (0x8c, "cpus-per-task", "CPUS_PER_TASK", lk_squeue_cpus_per_task_cell)                         \
  X (0x8d, "cpus-per-tres", "CPUS_PER_TRES", lk_squeue_cpus_per_tres_cell)                         \
  X (0x8e, "CronJob", "CRON_JOB", lk_squeue_no_cell)                                               \
  X (0x8f, "Deadline", "DEADLINE", lk_squeue_deadline_cell)                                        \
  X (0x90, "DerivedEC", "DERIVED_EC", lk_squeue_derived_cell)                                      \
  X (0x91, "EligibleTime", "ELIGIBLE_TIME", lk_squeue_eligible_cell)                               \
  X (0x92, "Exclusive", "EXCLUSIVE", lk_squeue_exclusive_cell)                                     \
  X (0x93, "HetJobId", "HET_JOB_ID", lk_squeue_het_id_cell)                                        \
  X (0x94, "HetJobOffset", "HET_JOB_OFFSET", lk_squeue_het_offset_cell)                            \
  X (0x95, "LicensesAlloc", "LICENSES_ALLOC", lk_squeue_licenses_held_cell)                        \
  X (0x96, "MaxCPUs", "MAX_CPUS", lk_squeue_cpus_max_cell)                                         \
  X (0x97, "MaxNodes", "MAX_NODES", lk_squeue_nodes_max_cell)                                      \
  X (0x98, "mem-per-tres", "MEM_PER_TRES", lk_squeue_memory_per_tres_cell)                         \
  X (0x99, "MCSLabel", "MCSLABEL", lk_squeue_null_cell)                                            \
  X (0x9a, "MinTime", "TIME_MIN", lk_squeue_time_min_cell)                                         \
  X (0x9b, "Network", "NETWORK", lk_squeue_null_cell)                                              \
  X (0x9c, "NTPerCore", "NTASKS_PER_CORE", lk_squeue_not_cell)                                     \
  X (0x9d, "NTPerNode", "NTASKS_PER_NODE", lk_squeue_tasks_per_node_cell)                          \
  X (0x9e, "NTPerSocket", "NTASKS_PER_SOCKET", lk_squeue_tasks_per_socket_cell)                    \
  X (0x9f, "NTPerBoard", "NTASKS_PER_BOARD", lk_squeue_zero_cell)                                  \
  X (0xa0, "NumTasks", "TASKS", lk_squeue_tasks_cell)                                              \
  X (0xa1, "Origin", "ORIGIN", lk_squeue_na_cell)                                                  \
  X (0xa2, "OriginRaw", "ORIGIN_RAW", lk_squeue_na_cell)                                           \
  X (0xa3, "PackJobId", "HET_JOB_ID", lk_squeue_het_id_cell)                                       \
  X (0xa4, "PackJobOffset", "HET_JOB_OFFSET", lk_squeue_het_offset_cell)                           \
  X (0xa5, "PendingTime", "PENDING_TIME", lk_squeue_pending_cell)                                  \
  X (0xa6, "Prefer", "PREFER", lk_squeue_null_cell)                                                \
  X (0xa7, "Reboot", "REBOOT", lk_squeue_zero_cell)                                                \
  X (0xa8, "ReqSwitch", "REQ_SWITCH", lk_squeue_switches_cell)                                     \
  X (0xa9, "SegmentSize", "SEGMENT_SIZE", lk_squeue_segment_cell)                                  \
  X (0xaa, "SiblingsActive", "ACTIVE_SIBLINGS", lk_squeue_na_cell)                                 \
  X (0xab, "SiblingsActiveRaw", "ACTIVE_SIBLINGS_RAW", lk_squeue_na_cell)                          \
  X (0xac, "SiblingsViable", "VIABLE_SIBLINGS", lk_squeue_na_cell)                                 \
  X (0xad, "SiblingsViableRaw", "VIALBLE_SIBLINGS_RAW", lk_squeue_na_cell)                         \
  X (0xae, "system_comment", "SYSTEM_COMMENT", lk_squeue_null_cell)                                \
  X (0xaf, "tres-bind", "TRES_BIND", lk_squeue_not_cell)                                           \
  X (0xb0, "tres-freq", "TRES_FREQ", lk_squeue_not_cell)                                           \
  X (0xb1, "tres-per-job", "TRES_PER_JOB", lk_squeue_tres_per_job_cell)                            \
  X (0xb2, "tres-per-socket", "TRES_PER_SOCKET", lk_squeue_tres_per_socket_cell)                   \
  X (0xb3, "tres-per-task", "TRES_PER_TASK", lk_squeue_tres_per_task_cell)                         \
  X (0xb4, "Wait4Switch", "WAIT4SWITCH", lk_squeue_switches_wait_cell)                             \
  X (0xb5, "Cluster", "CLUSTER", lk_squeue_cluster_cell)                                           \
  X (0xb6, "AllocSID", "ALLOC_SID", lk_squeue_zero_cell)                                           \
  X (0xb7, "AssocID", "ASSOC_ID", lk_squeue_association_cell)                                      \
  X (0xb8, "DelayBoot", "DELAY_BOOT", lk_squeue_no_time_cell)                                      \
  X (0xb9, "HetJobIDSet", "HET_JOB_ID_SET", lk_squeue_het_set_cell)                                \
  X (0xba, "PackJobIDSet", "HET_JOB_ID_SET", lk_squeue_het_set_cell)                               \
  X (0xbb, "LastSchedEval", "LAST_SCHED_EVAL", lk_squeue_looked_cell)                              \
  X (0xbc, "PreemptTime", "PREEMPT_TIME", lk_squeue_not_cell)                                      \
  X (0xbd, "Profile", "PROFILE", lk_squeue_profile_cell)                                           \
  X (0xbe, "Requeue", "REQUEUE", lk_squeue_requeue_cell)                                           \
  X (0xbf, "ResizeTime", "RESIZE_TIME", lk_squeue_not_cell)                                        \
  X (0xc0, "SPerBoard", "SOCKETS_PER_BOARD", lk_squeue_zero_cell)                                  \
  X ('s', "SLUID", "SLUID", lk_squeue_sluid_cell)

#define LK_SQUEUE_CLUSTER ((char)0xb5)
/* Of these what was submitted has to be asked for. */
#define LK_SQUEUE_MORE_SUBMITTED "\x82"

#define LK_SQUEUE_CELL(code, name, heading, cell)                                                  \
  void cell (gconstpointer report, gconstpointer row, GString *out);
LK_SQUEUE_MORE (LK_SQUEUE_CELL)

#endif
