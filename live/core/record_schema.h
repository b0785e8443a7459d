/* live/core/record_schema.h — the one table of what a controller tells of its state.
 *
 * Records go in pages (STATE_PAGE), one behind the other, of one kind each.  From these X-macros
 * are made the structs, the encoder, the decoder and the JSON view.  Field types are those of
 * live/core/message_schema.h, and real (the bits of an IEEE double).  Times are microseconds since
 * 1970, and the largest i64 is none.
 *
 * A kind is X (NAME, number, lower_name, what it is). Numbers are for ever. */
#ifndef LK_LIVE_CORE_RECORD_SCHEMA_H
#define LK_LIVE_CORE_RECORD_SCHEMA_H

#include "engine/schema.h"
#include "live/core/step_schema.h"

#define LK_RECORD_KINDS(X)                                                                         \
  X (JOB, 1, job, "a job in the system, or one that has ended within MinJobAge")                   \
  X (NODE, 2, node, "a node")                                                                      \
  X (PARTITION, 3, partition, "a partition; all that does not change stands in CLUSTER")           \
  X (RESERVATION, 4, reservation, "an advance reservation")                                        \
  X (LICENSE, 5, license, "a licence")                                                             \
  X (CLUSTER, 6, cluster, "the machine, in its canonical text")                                    \
  X (ACCOUNTS, 7, accounts, "accounts and QOS as they stand, in their canonical text")             \
  X (PRIORITY, 8, priority, "what the priority of a pending job is made of")                       \
  X (SHARE, 9, share, "what the order makes of an association")                                    \
  X (CONTROLLER, 10, controller, "the controller itself")                                          \
  X (TRIAL, 11, trial, "when a job would start that was submitted now, if nothing else came")      \
  X (STEP, 12, step, "a step of a job that runs")                                                  \
  X (RPC, 13, rpc, "messages of a kind, or of a user, that the controller has taken")              \
  X (USE, 14, use, "what counts in an association, a QOS, or for somebody within a QOS")           \
  X (JOURNAL, 15, journal, "a part of the journal without its notes; pages are numbered from 0")

#define LK_RECORD_JOURNAL_FIELDS(F)                                                                \
  F (bytes, content, "whole records as in the file, in the first part behind its magic")

/* By rising job, then step; of a query for a job only its own. */
#define LK_RECORD_STEP_FIELDS(F)                                                                   \
  F (u32, job_id, "its job")                                                                       \
  F (u32, array_job_id, "id of the array of that; 0: of none")                                     \
  F (u32, array_task, "which task of it")                                                          \
  F (u32, het_leader, "first component of the heterogeneous job; 0: it is not one")                \
  F (u32, het_offset, "which component it is")                                                     \
  F (u32, step_id, "its number; the largest u32: the batch script or what waits in its place")     \
  F (u64, run_id, "the run")                                                                       \
  F (u32, user_id, "user")                                                                         \
  F (text, user_name, "as the accounts have it; empty: they do not")                               \
  F (text, partition, "of the job")                                                                \
  F (u8, state, "number of LkJobState: RUNNING, or how it has ended")                              \
  F (u8, is_completing, "1: it is ending")                                                         \
  F (u8, exit_code, "of one that has ended: the highest of any task")                              \
  F (u8, signal, "likewise; 0: none")                                                              \
  F (i64, start_us, "when it was created")                                                         \
  F (i64, end_us, "when it has ended; the largest i64: it has not")                                \
  F (i64, suspended_us, "how long it was suspended, up to the last resume")                        \
  F (i64, suspend_us, "suspended: since when; else the largest i64")                               \
  F (u32, task_count, "its tasks")                                                                 \
  F (u32, cpus_given, "CPUs on all its nodes")                                                     \
  F (u32, node_count, "its nodes")                                                                 \
  F (long_text, node_names, "hostlist of them")                                                    \
  F (text, tres, "cpu=4,mem=500M,node=2,gres/gpu=1")                                               \
  LK_STEP_WANT_FIELDS (F)                                                                          \
  F (bytes, places, "list of LK_STEP_PLACE_FIELDS: what it has on each of its nodes")              \
  LK_STEP_USAGE_FIELDS (F)                                                                         \
  LK_STEP_USAGE_NODE_FIELDS (F)

#define LK_RECORD_JOB_FIELDS(F)                                                                    \
  F (u32, job_id, "its id")                                                                        \
  F (u32, array_job_id, "id of its array; 0: of none")                                             \
  F (u32, array_task, "which task of it; the largest u32: those of `array_tasks`")                 \
  F (long_text, array_tasks, "tasks that wait, with %limit")                                       \
  F (u32, het_leader, "id of the first component of a heterogeneous job; 0: it is not one")        \
  F (u32, het_offset, "which component it is")                                                     \
  F (u32, user_id, "user")                                                                         \
  F (u32, group_id, "group")                                                                       \
  F (text, user_name, "as the accounts have it; empty: they do not")                               \
  F (text, account_name, "its account")                                                            \
  F (text, qos_name, "its QOS")                                                                    \
  F (text, name, "name of the job")                                                                \
  F (text, comment, "for people")                                                                  \
  F (text, admin_comment, "what staff say of it")                                                  \
  F (long_text, partitions, "that it may have, with commas between; of a running one its own")     \
  F (text, reservations, "those that it asked for")                                                \
  F (long_text, dependency_left, "what is left of its dependency")                                 \
  F (u8, state, "number of LkJobState")                                                            \
  F (u8, reason, "number of LkReason")                                                             \
  F (u8, exit_code, "of one that has ended")                                                       \
  F (u8, signal, "likewise; 0: none")                                                              \
  F (u8, derived_exit_code, "the highest of its steps that have ended")                            \
  F (u8, derived_signal, "likewise, among those of that exit code; 0: none")                       \
  F (u8, is_completing, "1: over, and not yet gone from all its nodes")                            \
  F (i64, submit_us, "when it was submitted")                                                      \
  F (i64, eligible_us, "since when it could have started; the largest i64: not yet")               \
  F (i64, start_us, "its start, planned or real")                                                  \
  F (i64, end_us, "its end: real, or when its time limit comes")                                   \
  F (i64, limit_us, "time limit; the largest i64: none")                                           \
  F (i64, time_min_us, "least time limit that will do; 0: the time limit")                         \
  F (i64, deadline_us, "to be ended by then")                                                      \
  F (i64, suspended_us, "how long its run was suspended, up to its last resume")                   \
  F (i64, suspend_us, "when it was last suspended or resumed; the largest i64: not in its run")    \
  F (u8, is_suspended, "1: it is now, also one that is being killed")                              \
  F (u8, is_sigstopped, "1: SIGSTOP was sent to it, and neither SIGCONT nor a suspend since")      \
  F (u8, has_priority, "0: the order knows no priorities")                                         \
  F (u32, priority_now, "its priority")                                                            \
  F (u32, nodes, "so many nodes, held or asked for")                                               \
  F (u32, cpus, "so many CPUs, held or asked for")                                                 \
  F (u32, restarts, "earlier runs that ended with a requeue")                                      \
  F (u32, requested_cpus, "processors asked for")                                                  \
  F (long_text, node_names, "hostlist of where it runs, or ran")                                   \
  F (long_text, planned_nodes, "hostlist of where it is planned to start")                         \
  F (long_text, cores, "cores there, as in a start decision")                                      \
  F (long_text, devices, "devices there, as in a start decision")                                  \
  F (u64, run_id, "its run; 0: none")                                                              \
  F (text, asked_tres, "as cpu=1,mem=500M,node=1; empty unless asked with payload")                \
  F (text, held_tres, "likewise, of one that runs")                                                \
  F (text, held_gres, "likewise, as gpu:a100:2,nic:1")                                             \
  F (long_text, gres_details, "likewise, by nodes: n[5-6]=gpu:a100:1(IDX:0);...")                  \
  F (i64, held_memory_bytes, "likewise")                                                           \
  F (u32, cpus_per_task_now, "likewise; with what memory makes of it")                             \
  F (u32, cpus_per_node_now, "likewise")                                                           \
  F (i64, memory_now_bytes, "likewise; of each CPU or node")                                       \
  F (u8, is_memory_per_cpu, "likewise")                                                            \
  F (u8, is_whole_nodes, "likewise; 1: it has its nodes alone")                                    \
  F (u8, is_whole_user, "likewise; 1: with other jobs of its user only")                           \
  F (u8, may_share, "likewise; 1: others may be on its cores")                                     \
  F (u32, association_id, "number of its association, from 1; 0: it has none")                     \
  F (u8, is_hidden, "1: all its partitions are hidden")                                            \
  LK_JOB_REQUEST_FIELDS (F)                                                                        \
  F (bytes, payload, "as it was submitted; empty unless asked for by its owner or by staff")

#define LK_RECORD_NODE_FIELDS(F)                                                                   \
  F (text, name, "its name")                                                                       \
  F (text, state, "IDLE, MIXED, ALLOCATED, DOWN, ...")                                             \
  F (u32, flags, "set of LkNodeFlags")                                                             \
  F (u8, is_responding, "0: its agent is silent")                                                  \
  F (u8, is_completing, "1: something that is over may still live there")                          \
  F (u8, is_planned, "1: a job is planned to start there")                                         \
  F (u8, is_reserved, "1: a reservation that has begun has it")                                    \
  F (u8, is_in_maintenance, "1: one for maintenance has it")                                       \
  F (text, reason, "why it is down or drained")                                                    \
  F (u32, reason_user_id, "who has set that")                                                      \
  F (i64, reason_us, "when; 0: nobody has")                                                        \
  F (u32, sockets, "sockets")                                                                      \
  F (u32, cores_per_socket, "cores of each")                                                       \
  F (u32, cpus, "CPUs for scheduling")                                                             \
  F (u32, cpus_usable, "without reserved cores")                                                   \
  F (u32, cpus_allocated, "held by jobs")                                                          \
  F (i64, memory_bytes, "memory for jobs")                                                         \
  F (i64, memory_allocated_bytes, "held by jobs")                                                  \
  F (i64, tmp_bytes, "temporary disk")                                                             \
  F (u32, weight, "lower is used first")                                                           \
  F (u32, job_count, "pieces of jobs on it")                                                       \
  F (u32, load_hundredths, "processes that run or want to, as its agent said last")                \
  F (u64, free_memory_bytes, "likewise; 0: neither is known")                                      \
  F (text, architecture, "what its machine calls itself; empty: not known")                        \
  F (text, host, "name of its machine; likewise")                                                  \
  F (text, system, "what runs that, and which of it; likewise")                                    \
  F (text, version, "of its agent; likewise")                                                      \
  F (i64, boot_us, "when its machine has booted; 0: not known")                                    \
  F (i64, agent_start_us, "when its agent has begun; likewise")                                    \
  F (text, gres, "what it has: name[:type]:count[(S:sockets)],...")                                \
  F (text, gres_used, "in use of that: name[:type]:count[(IDX:indexes)],...")                      \
  F (long_text, features, "with commas between")                                                   \
  F (long_text, partitions, "it belongs to, with commas between")

#define LK_RECORD_PARTITION_FIELDS(F)                                                              \
  F (text, name, "its name")                                                                       \
  F (u8, state, "number of LkPartitionState")                                                      \
  F (u32, node_count, "its nodes")                                                                 \
  F (u64, cpu_count, "their CPUs")                                                                 \
  F (long_text, node_names, "hostlist")

#define LK_RECORD_RESERVATION_FIELDS(F)                                                            \
  F (text, reservation_name, "its name")                                                           \
  F (i64, from_us, "this occurrence begins")                                                       \
  F (i64, to_us, "and ends")                                                                       \
  F (long_text, node_names, "hostlist")                                                            \
  F (u32, nodes_reserved, "how many")                                                              \
  F (u32, cores_reserved, "how many")                                                              \
  F (u32, cpus_reserved, "those of these cores")                                                   \
  F (u32, flag_bits, "set of LkReservationFlag")                                                   \
  F (text, license_names, "name:count,...")                                                        \
  F (u8, is_active, "1: it has begun")                                                             \
  LK_RESERVATION_FIELDS (F)

#define LK_RECORD_LICENSE_FIELDS(F)                                                                \
  F (text, name, "its name")                                                                       \
  F (u32, total, "how many there are")                                                             \
  F (u32, used, "how many jobs hold")

#define LK_RECORD_CLUSTER_FIELDS(F) F (bytes, canonical, "see docs/formats.md")
#define LK_RECORD_ACCOUNTS_FIELDS(F)                                                               \
  F (u64, hash, "of the whole text: pieces of different texts do not fit together")                \
  F (bytes, canonical, "a piece of it; see docs/formats.md")

/* As the order last calculated them (LkPriorityParts): factors from 0 to 1, and what they give. */
#define LK_RECORD_PRIORITY_FIELDS(F)                                                               \
  F (u32, job_id, "the job")                                                                       \
  F (u32, array_job_id, "id of its array; 0: of none")                                             \
  F (u32, user_id, "user")                                                                         \
  F (text, user_name, "as the accounts have it")                                                   \
  F (text, account_name, "its account")                                                            \
  F (text, qos_name, "its QOS")                                                                    \
  F (text, partition, "its partition")                                                             \
  F (u32, priority, "the sum")                                                                     \
  F (real, age_factor, "age")                                                                      \
  F (real, association_factor, "association")                                                      \
  F (real, fairshare_factor, "fairshare")                                                          \
  F (real, job_size_factor, "size of the job")                                                     \
  F (real, partition_factor, "partition")                                                          \
  F (real, qos_factor, "QOS")                                                                      \
  F (real, age_term, "weight times factor; so are those below")                                    \
  F (real, association_term, "association")                                                        \
  F (real, fairshare_term, "fairshare")                                                            \
  F (real, job_size_term, "size of the job")                                                       \
  F (real, partition_term, "partition")                                                            \
  F (real, qos_term, "QOS")                                                                        \
  F (real, tres_term, "all TRES together")                                                         \
  F (text, tres_names, "TRES that have weights, with commas between")                              \
  F (bytes, tres_factors, "a real for each of them")                                               \
  F (bytes, tres_weights, "likewise")                                                              \
  F (u8, is_direct, "1: somebody has set the priority, and none of this counts")                   \
  F (i64, nice, "subtracted")                                                                      \
  F (i64, site_factor, "added")

/* In the order of ACCOUNTS (LkShareParts). */
#define LK_RECORD_SHARE_FIELDS(F)                                                                  \
  F (u32, association, "its place among the associations")                                         \
  F (u8, has_parts, "0: the order makes nothing of it")                                            \
  F (u8, is_fair_tree, "0: classic fairshare")                                                     \
  F (real, shares_norm, "NormShares")                                                              \
  F (real, usage_raw, "RawUsage, in seconds")                                                      \
  F (real, usage_norm, "NormUsage")                                                                \
  F (real, usage_effective, "EffectvUsage")                                                        \
  F (real, fairshare, "FairShare; below 0: none")                                                  \
  F (real, level_fairshare, "LevelFS; below 0: none")                                              \
  F (long_text, tres_run_s, "TRES-seconds that running jobs may still use: cpu=60,mem=500,...")

/* Whose use it is: X (NAME, number, meaning). */
#define LK_USE_SCOPES(X)                                                                           \
  X (ASSOCIATION, 0, "an association's, and of all below it")                                      \
  X (QOS, 1, "a QOS's")                                                                            \
  X (USER_IN_QOS, 2, "a user's within a QOS")                                                      \
  X (ACCOUNT_IN_QOS, 3, "an account's within a QOS")

/* In the order of ACCOUNTS, associations before QOS; then those within a QOS, in the order in which
 * they have first used it.  TRES are cpu=60,mem=500,... */
#define LK_RECORD_USE_FIELDS(F)                                                                    \
  F (u8, scope, "number of LK_USE_SCOPES")                                                         \
  F (u32, place, "of the association or the QOS")                                                  \
  F (text, name, "of the user or account; else empty")                                             \
  F (u32, running, "jobs that run")                                                                \
  F (u32, submitted, "jobs that wait or run")                                                      \
  F (u32, accruing, "jobs that wait and age")                                                      \
  F (real, usage, "RawUsage, in seconds")                                                          \
  F (real, wall_s, "time of jobs, decayed")                                                        \
  F (long_text, tres, "in use")                                                                    \
  F (long_text, tres_run_s, "TRES-seconds that running jobs may still use")                        \
  F (long_text, tres_s, "TRES-seconds used, decayed")

#define LK_RECORD_CONTROLLER_FIELDS(F)                                                             \
  F (u64, term, "fencing token")                                                                   \
  F (u64, seq, "number of the last event")                                                         \
  F (i64, now_us, "the engine's time")                                                             \
  F (u64, digest_low, "digest of all decisions, low half")                                         \
  F (u64, digest_high, "high half")                                                                \
  F (u32, pending_count, "jobs that wait")                                                         \
  F (u32, running_count, "jobs that run")                                                          \
  F (u32, agent_count, "agents that answer")                                                       \
  F (u64, submit_count, "jobs submitted since `counted_us`; so are the counts below")              \
  F (u64, start_count, "jobs started")                                                             \
  F (u64, backfill_count, "of these, before one that deserves to run before")                      \
  F (u64, end_count, "jobs ended")                                                                 \
  F (u64, pass_count, "scheduling passes")                                                         \
  F (u64, refused_count, "messages that their sender may not send")                                \
  F (u64, malformed_count, "messages that are none")                                               \
  F (text, order, "the policy that puts jobs in order, with its parameters")                       \
  F (i64, began_us, "when the controller began")                                                   \
  F (u64, completed_count, "jobs that ended well")                                                 \
  F (u64, cancelled_count, "jobs that were cancelled")                                             \
  F (u64, failed_count, "jobs that ended in any other way")                                        \
  F (i64, pass_last_us, "how long the last pass took")                                             \
  F (i64, pass_max_us, "how long the longest took")                                                \
  F (i64, pass_sum_us, "how long all took together")                                               \
  F (u32, queue_last, "jobs that waited at the last pass")                                         \
  F (u64, unsent_count, "messages that wait for something to be durable")                          \
  F (text, backfill, "the policy that says who starts when, with its parameters")                  \
  F (text, select, "likewise, on which nodes")                                                     \
  F (text, preempt, "likewise, whom it may displace; empty: nobody")                               \
  F (u64, backfill_before_count, "jobs started like that since it began, before `counted_us`")     \
  F (i64, counted_us, "when it began, or when its counts were last reset")                         \
  F (u8, log_level, "what it logs: 0 quiet to 9 debug5, as SlurmctldDebug")

/* Since `counted_us` of CONTROLLER. */
#define LK_RECORD_RPC_FIELDS(F)                                                                    \
  F (u8, of_user, "1: of a user, of any kind; 0: of a kind, from anybody")                         \
  F (u8, message, "number of LkMessageKind")                                                       \
  F (u8, record, "of a STATE_QUERY: number of LkRecordKind")                                       \
  F (u32, user_id, "the user")                                                                     \
  F (u64, count, "so many messages")                                                               \
  F (i64, last_us, "how long the last one took")                                                   \
  F (i64, max_us, "how long the longest took")                                                     \
  F (i64, sum_us, "how long all took together")

#define LK_RECORD_TRIAL_FIELDS(F)                                                                  \
  F (u32, job_id, "the id that it would have")                                                     \
  F (u16, error, "number of LkReject: it would be refused; 0: it would not")                       \
  F (u8, is_known, "0: its start was not found in the time that is spent on it")                   \
  F (i64, start_us, "its start; the largest i64: none")                                            \
  F (u8, reason, "number of LkReason: why it would wait")                                          \
  F (u32, cpus, "so many CPUs")                                                                    \
  F (text, partition, "in which")                                                                  \
  F (long_text, node_names, "hostlist of where")

#endif
