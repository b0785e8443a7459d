/* live/core/message_schema.h — the one table of what crosses the wire, and who may send it.
 *
 * From these X-macros are made the structs, the encoder, the decoder, the JSON view, the page
 * docs/formats-wire.md, and the check of who may send.  Field types are those of engine/schema.h,
 * and bytes (u32 length, then that many bytes of any kind), runs (u32 length, then a list of
 * LK_RUN_REPORT_FIELDS) and components (likewise, of LK_RUN_COMPONENT_FIELDS).  A message is u8
 * kind and its fields.  The port frames messages and attests their senders.
 *
 * Of steps there are also places (u32 length, then a list of LK_STEP_PLACE_FIELDS) and step_reports
 * (likewise, of LK_STEP_REPORT_FIELDS).
 *
 * The kinds, and who may send each, are in live/core/message_kinds.h. */
#ifndef LK_LIVE_CORE_MESSAGE_SCHEMA_H
#define LK_LIVE_CORE_MESSAGE_SCHEMA_H

#include "live/core/message_kinds.h"
#include "live/core/port_term.h"
#include "live/core/step_schema.h"

/* A request carries a session that its client has drawn, and a number in it: the same request sent
 * again gets the same reply, and is carried out once. */
#define LK_REQUEST_FIELDS(F)                                                                       \
  F (u64, session, "drawn by the client at its start; not 0")                                      \
  F (u64, request, "number of the request in the session, rising from 1")                          \
  F (bytes, event, "the event as engine/schema.h writes it; number, time and id are filled in")
#define LK_MESSAGE_SUBMIT_FIELDS(F)                                                                \
  LK_REQUEST_FIELDS (F)                                                                            \
  F (bytes, payload, "what the agents need to run it: script, environment, files")                 \
  F (text, host, "where it is submitted, as AllocNodes of partitions names hosts; empty: unknown")
#define LK_MESSAGE_UPDATE_FIELDS(F) LK_REQUEST_FIELDS (F)
#define LK_MESSAGE_CANCEL_FIELDS(F) LK_REQUEST_FIELDS (F)
#define LK_MESSAGE_HOLD_FIELDS(F) LK_REQUEST_FIELDS (F)
#define LK_MESSAGE_RELEASE_FIELDS(F) LK_REQUEST_FIELDS (F)
#define LK_MESSAGE_REQUEUE_FIELDS(F) LK_REQUEST_FIELDS (F)
#define LK_MESSAGE_SIGNAL_FIELDS(F) LK_REQUEST_FIELDS (F)
#define LK_MESSAGE_SUSPEND_FIELDS(F) LK_REQUEST_FIELDS (F)
#define LK_MESSAGE_RESUME_FIELDS(F) LK_REQUEST_FIELDS (F)
#define LK_MESSAGE_NODE_UP_FIELDS(F) LK_REQUEST_FIELDS (F)
#define LK_MESSAGE_NODE_DOWN_FIELDS(F) LK_REQUEST_FIELDS (F)
#define LK_MESSAGE_NODE_DRAIN_FIELDS(F) LK_REQUEST_FIELDS (F)
#define LK_MESSAGE_NODE_RESUME_FIELDS(F) LK_REQUEST_FIELDS (F)
#define LK_MESSAGE_RESERVATION_CREATE_FIELDS(F) LK_REQUEST_FIELDS (F)
#define LK_MESSAGE_RESERVATION_UPDATE_FIELDS(F) LK_REQUEST_FIELDS (F)
#define LK_MESSAGE_RESERVATION_DELETE_FIELDS(F) LK_REQUEST_FIELDS (F)
#define LK_MESSAGE_PARTITION_FIELDS(F) LK_REQUEST_FIELDS (F)
#define LK_MESSAGE_ASSOCIATION_FIELDS(F) LK_REQUEST_FIELDS (F)
#define LK_MESSAGE_QOS_FIELDS(F) LK_REQUEST_FIELDS (F)

#define LK_MESSAGE_JOB_QUERY_FIELDS(F)                                                             \
  F (u64, request, "comes back in the answer")                                                     \
  F (u32, job_id, "the job")
/* Answers come in pages; for the next one its client asks again from where the last has ended. */
#define LK_MESSAGE_STATE_QUERY_FIELDS(F)                                                           \
  F (u64, request, "comes back in the answer")                                                     \
  F (u8, record, "number of LkRecordKind: which records")                                          \
  F (u32, from, "where to begin: 0, or the `next` of a page")                                      \
  F (u32, from_step, "of steps: where in that job to begin: 0, or the `next_step` of the page")    \
  F (u32, job_id, "of jobs: this one, and all of its array or of its components; 0: all")          \
  F (u8, by_user, "1: of jobs those of `user_id`")                                                 \
  F (u32, user_id, "see there")                                                                    \
  F (u8, with_ended, "1: jobs that have ended, too")                                               \
  F (u8, with_payload,                                                                             \
     "1: with what was submitted, script and environment only of jobs of the asker; of staff, of " \
     "all; 2: without script and environment")                                                     \
  F (bytes, event, "of a TRIAL: the submit, as engine/schema.h writes it")
#define LK_MESSAGE_STATE_PAGE_FIELDS(F)                                                            \
  F (u64, request, "of the query")                                                                 \
  F (u8, record, "number of LkRecordKind")                                                         \
  F (u32, next, "where the next page begins; 0: this is the last")                                 \
  F (u32, next_step, "of steps: where in that job it begins")                                      \
  F (i64, now_us, "the engine's time")                                                             \
  F (u64, seq, "number of the event behind which this holds")                                      \
  F (u16, error, "number of LkReject; 0: the records follow")                                      \
  F (bytes, records, "one behind the other, see live/core/record_schema.h")
/* All but `request` are those of an LkClusterChange (engine/cluster_change.h). */
#define LK_MESSAGE_RECONFIGURE_FIELDS(F)                                                           \
  F (u64, request, "comes back in the answer")                                                     \
  F (u8, operation,                                                                                \
     "0: the files are read anew; 1: a partition is added, 2 changed, 3 deleted; 4: nodes change") \
  F (text, name, "of the partition; hostlist of nodes, or ALL")                                    \
  F (u64, changes, "bit i for the i-th member of a line of its kind, which changes")               \
  F (long_text, record, "a line of the canonical text of the cluster; empty of a deletion")
#define LK_MESSAGE_RECONFIGURED_FIELDS(F)                                                          \
  F (u64, request, "of the question")                                                              \
  F (u16, error, "number of LkReject; 0: the configuration as it was read is in force")            \
  F (u64, seq, "number of the last event then")                                                    \
  F (long_text, problems, "all that keeps it from that, a line each")
#define LK_MESSAGE_STATISTICS_RESET_FIELDS(F) F (u64, request, "comes back in the answer")
#define LK_MESSAGE_STATISTICS_WERE_RESET_FIELDS(F)                                                 \
  F (u64, request, "of the question")                                                              \
  F (u16, error, "number of LkReject; 0: counts are 0")
#define LK_MESSAGE_LOG_LEVEL_FIELDS(F)                                                             \
  F (u64, request, "comes back in the answer")                                                     \
  F (u8, level, "0 quiet, 1 fatal, 2 error, 3 info, 4 verbose, 5 debug, 6 to 9 debug2 to debug5")
#define LK_MESSAGE_LOG_LEVEL_SET_FIELDS(F)                                                         \
  F (u64, request, "of the question")                                                              \
  F (u16, error, "number of LkReject; 0: the level holds until the configuration is read again")
#define LK_MESSAGE_TOKEN_SIGN_FIELDS(F)                                                            \
  F (u64, request, "comes back in the answer")                                                     \
  F (text, user, "for whom; empty: who asks")                                                      \
  F (u64, life_s, "for how long; 0: for ever")
#define LK_MESSAGE_TOKEN_SIGNED_FIELDS(F)                                                          \
  F (u64, request, "of the question")                                                              \
  F (u16, error, "number of LkReject; 0: here it is")                                              \
  F (text, token, "HEAD.BODY.SIGNATURE")
#define LK_MESSAGE_REPLY_FIELDS(F)                                                                 \
  F (u64, session, "of the request")                                                               \
  F (u64, request, "of the request")                                                               \
  F (u16, error, "number of LkReject; 0: it was carried out")                                      \
  F (u32, job_id, "the job; of a submit its new id; 0: of no job")                                 \
  F (u64, seq, "number of its event; 0: refused before it became one")                             \
  F (u8, limit, "what a policy limit refuses: number of LkReason; 0: something else, or not known")
#define LK_MESSAGE_JOB_INFO_FIELDS(F)                                                              \
  F (u64, request, "of the query")                                                                 \
  F (u32, job_id, "the job")                                                                       \
  F (u8, known, "0: there is no such job in the system")                                           \
  F (u8, state, "number of LkJobState")                                                            \
  F (u8, reason, "number of LkReason")                                                             \
  F (i64, start_us, "its start, planned or real; the largest i64: none")

/* What a run has used on a node; all 0: nobody knows, or nothing. */
#define LK_RUN_USAGE_FIELDS(F)                                                                     \
  F (i64, user_cpu_us, "CPU time of its processes")                                                \
  F (i64, system_cpu_us, "CPU time of the system on their behalf")                                 \
  F (u64, max_rss_bytes, "most memory at any one time: of all its processes, or of the largest")
/* The same of GPUs, where NVML tells. */
#define LK_RUN_GPU_FIELDS(F)                                                                       \
  F (u64, max_gpu_memory_bytes, "most memory of GPUs at any one time")                             \
  F (u32, max_gpu_percent, "most that GPUs were busy, of a whole one")

/* One run as an agent knows it. */
#define LK_RUN_REPORT_FIELDS(F)                                                                    \
  F (u64, run_id, "the run")                                                                       \
  F (u32, job_id, "its job; 0: the agent knows of no such run")                                    \
  F (u8, state, "number of LkRunState")                                                            \
  F (u8, exit_code, "of the batch script")                                                         \
  F (u8, signal, "that ended it; 0: none")                                                         \
  F (u8, cancelled, "1: ended because its user asked for that on the node")                        \
  F (u8, trouble, "number of LkTrouble")                                                           \
  LK_RUN_USAGE_FIELDS (F)                                                                          \
  LK_RUN_GPU_FIELDS (F)
#define LK_MESSAGE_REGISTER_FIELDS(F)                                                              \
  F (text, node, "node name")                                                                      \
  F (u64, agent_id, "drawn at the start of the agent")                                             \
  F (u64, term, "highest term that the agent has seen") LK_TERM_PROOF_FIELDS (F)
/* Made only when a REGISTERED has come, so that it tells how things are after that. */
#define LK_MESSAGE_REPORT_FIELDS(F)                                                                \
  F (text, node, "node name")                                                                      \
  F (u64, agent_id, "drawn at the start of the agent")                                             \
  F (u64, epoch, "of the REGISTERED that it answers")                                              \
  F (u64, boot_id, "changes when the node boots: then nothing of before runs")                     \
  F (u32, cpus, "CPUs found")                                                                      \
  F (u64, memory_bytes, "memory found")                                                            \
  F (text, gres, "devices found: name[:type]:count,...")                                           \
  F (text, architecture, "what the machine calls itself; empty: not told")                         \
  F (text, host, "its name; likewise")                                                             \
  F (text, system, "what runs it, and which of it; likewise")                                      \
  F (text, version, "of the agent")                                                                \
  F (i64, boot_us, "when the machine has booted; 0: not told")                                     \
  F (i64, start_us, "when the agent has begun; likewise")                                          \
  F (u32, load_hundredths, "processes that run or want to, over a minute")                         \
  F (u64, free_memory_bytes, "memory that nobody uses; 0: neither is told")                        \
  F (u64, reload, "number of the last RELOAD that it has heeded; 0: none")                         \
  F (runs, runs, "all runs that live, and those whose end is not acknowledged")                    \
  F (step_reports, steps, "likewise all steps of these runs")
#define LK_MESSAGE_HEARTBEAT_FIELDS(F)                                                             \
  F (text, node, "node name")                                                                      \
  F (u64, agent_id, "drawn at the start of the agent")                                             \
  F (u64, epoch, "the registration that it knows; 0: none")                                        \
  F (u64, term, "highest term that the agent has seen")                                            \
  F (u32, load_hundredths, "processes that run or want to, over a minute")                         \
  F (u64, free_memory_bytes, "memory that nobody uses; 0: neither is told")                        \
  F (u64, reload, "number of the last RELOAD that it has heeded; 0: none")                         \
  F (text, drain, "why the node should take no new job as long as this is so; empty: it is well")  \
  LK_TERM_PROOF_FIELDS (F)
#define LK_MESSAGE_RUN_STARTED_FIELDS(F)                                                           \
  F (text, node, "node name")                                                                      \
  F (u64, epoch, "the registration")                                                               \
  F (u64, run_id, "the run")
#define LK_MESSAGE_RUN_ENDED_FIELDS(F)                                                             \
  F (text, node, "node name")                                                                      \
  F (u64, epoch, "the registration")                                                               \
  LK_RUN_REPORT_FIELDS (F)                                                                         \
  F (text, drain, "why the node should take no new job; empty: it is well")
#define LK_MESSAGE_SCRIPT_ENDED_FIELDS(F)                                                          \
  F (text, node, "node name")                                                                      \
  F (u64, epoch, "the registration")                                                               \
  F (u64, run_id, "the run")
#define LK_MESSAGE_RUN_HEARD_FIELDS(F)                                                             \
  F (text, node, "node name")                                                                      \
  F (u64, epoch, "the registration")                                                               \
  F (u64, run_id, "the run")                                                                       \
  F (u64, seq, "which order for the run")
#define LK_MESSAGE_REGISTERED_FIELDS(F)                                                            \
  F (u64, term, "fencing token of the controller: who has a lower one is not listened to")         \
  F (u64, agent_id, "of the agent that is meant")                                                  \
  F (u64, epoch, "of this registration; rises")                                                    \
  F (i64, heartbeat_us, "how often to send a heartbeat") LK_TERM_PROOF_FIELDS (F)
#define LK_MESSAGE_REPORTED_FIELDS(F)                                                              \
  F (u64, term, "fencing token")                                                                   \
  F (u64, epoch, "of the report")
/* What a run is told of its job, as that stood when the run was started. */
#define LK_RUN_FACTS_FIELDS(F)                                                                     \
  F (text, job_name, "name of the job")                                                            \
  F (text, partition, "in which it runs")                                                          \
  F (text, account, "empty: none")                                                                 \
  F (text, qos, "empty: none")                                                                     \
  F (text, reservation, "as it was asked for; empty: none")                                        \
  F (text, comment, "for people; empty: none")                                                     \
  F (text, constraint, "features that were asked for; empty: none")                                \
  F (text, licenses, "as they were asked for; empty: none")                                        \
  F (i64, start_us, "when the run was started")                                                    \
  F (i64, end_us, "when its time limit comes; 0: it has none")                                     \
  F (u32, tasks, "tasks that were asked for; 0: not given; so are the following")                  \
  F (u32, cpus_per_task, "CPUs for each task")                                                     \
  F (u32, tasks_per_node, "most tasks on a node")                                                  \
  F (i64, memory_per_node_bytes, "memory on each node")                                            \
  F (i64, memory_per_cpu_bytes, "memory for each CPU")                                             \
  F (i64, memory_per_gpu_bytes, "memory for each GPU")                                             \
  F (u32, array_count, "tasks of the array; 0: of none")                                           \
  F (u32, array_min, "its lowest task")                                                            \
  F (u32, array_max, "its highest task")                                                           \
  F (u32, array_step, "between its first two tasks; 1: it has one")                                \
  F (u32, het_leader, "first component of the heterogeneous job; 0: it is not one")                \
  F (u32, het_offset, "which component it is")                                                     \
  F (u32, het_count, "of how many")                                                                \
  F (long_text, cpus, "CPUs on each of the nodes, in their order: 8(x2),4; empty: not counted so") \
  F (long_text, memory, "bytes of memory on each of them, likewise; 0 where it is not managed")

/* A component of a heterogeneous job, as the script hears of it, which runs in the first one. */
#define LK_RUN_COMPONENT_FIELDS(F)                                                                 \
  F (u32, offset, "which one it is, from 0")                                                       \
  F (u32, job_id, "its job")                                                                       \
  F (text, job_name, "name of that")                                                               \
  F (text, partition, "in which it runs")                                                          \
  F (text, account, "empty: none")                                                                 \
  F (text, qos, "empty: none")                                                                     \
  F (text, reservation, "as it was asked for; empty: none")                                        \
  F (u32, tasks, "tasks that were asked for; 0: not given; so are the following")                  \
  F (u32, cpus_per_task, "CPUs for each task")                                                     \
  F (u32, tasks_per_node, "most tasks on a node")                                                  \
  F (i64, memory_per_node_bytes, "memory on each node")                                            \
  F (i64, memory_per_cpu_bytes, "memory for each CPU")                                             \
  F (long_text, nodes, "its nodes")                                                                \
  F (long_text, cpus, "CPUs on each of them, in their order: 8(x2),4; empty: not counted so")

#define LK_MESSAGE_LAUNCH_FIELDS(F)                                                                \
  F (u64, term, "fencing token")                                                                   \
  F (u64, epoch, "the registration: a launch for an earlier one is dropped")                       \
  F (u64, run_id, "the run")                                                                       \
  F (u32, job_id, "its job")                                                                       \
  F (u32, user_id, "user")                                                                         \
  F (u32, group_id, "group")                                                                       \
  F (u32, array_job_id, "the array; 0: of none")                                                   \
  F (u32, array_task, "task of the array")                                                         \
  F (u32, restarts, "earlier runs of the job")                                                     \
  F (u8, runs_script, "1: the batch script runs on this node")                                     \
  F (i64, memory_bytes, "memory granted; 0 where memory is not managed")                           \
  F (long_text, nodes, "nodes of the run")                                                         \
  F (long_text, cores, "cores on them, as in a start decision")                                    \
  F (long_text, gres, "devices on them, as in a start decision")                                   \
  F (text, cluster, "name of the cluster; empty: it has none")                                     \
  F (text, address, "of the node in the network, root.sw1.n1; empty: it has none")                 \
  F (text, address_pattern, "what that is made of, switch.switch.node")                            \
  LK_RUN_FACTS_FIELDS (F)                                                                          \
  F (components, components, "of a heterogeneous job, where the script runs: all; else none")      \
  F (bytes, payload, "as it was submitted")
/* Why a run or a step is told to end, as far as slurmstepd tells it: X (NAME, number, meaning, what
 * it says).  The first numbers are those of LkKillWhy up to RESERVATION_ENDED; those of the others
 * are in controller_decisions.c.  Source: slurmstepd's _handle_signal_container. */
#define LK_END_WHYS(X)                                                                             \
  X (TIME_LIMIT, 1, "time limit reached", " DUE TO TIME LIMIT")                                    \
  X (CANCELLED, 2, "cancelled", "")                                                                \
  X (USAGE_LIMIT, 3, "usage limit reached", " DUE TO TIME LIMIT")                                  \
  X (DEADLINE, 4, "cannot meet its deadline", "")                                                  \
  X (PREEMPTED, 5, "preempted", " DUE TO PREEMPTION")                                              \
  X (RESERVATION_ENDED, 6, "its reservation has ended", " DUE TO TIME LIMIT")                      \
  X (NODE_FAILURE, 32, "a node of it has failed",                                                  \
     " DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS")                                        \
  X (REQUEUED, 33, "its job goes back to the queue", " DUE TO JOB REQUEUE")
#define LK_MESSAGE_TERMINATE_FIELDS(F)                                                             \
  F (u64, term, "fencing token")                                                                   \
  F (u64, run_id, "the run")                                                                       \
  F (i64, kill_wait_us, "between SIGTERM and SIGKILL")                                             \
  F (u8, why, "number of LkEndWhy; 0: nothing that is told")
/* Orders for a run are counted from 1; the next comes when the one before is acknowledged. */
#define LK_MESSAGE_RUN_SIGNAL_FIELDS(F)                                                            \
  F (u64, term, "fencing token")                                                                   \
  F (u64, epoch, "the registration: an order of an earlier one is dropped")                        \
  F (u64, run_id, "the run")                                                                       \
  F (u64, seq, "which order for the run: it is carried out once")                                  \
  F (u8, signal, "signal number")                                                                  \
  F (u8, batch_only, "0: to all steps; 1: to the batch script only; 2: to both")
#define LK_MESSAGE_RUN_SUSPEND_FIELDS(F)                                                           \
  F (u64, term, "fencing token")                                                                   \
  F (u64, epoch, "the registration: an order of an earlier one is dropped")                        \
  F (u64, run_id, "the run")                                                                       \
  F (u64, seq, "which order for the run: it is carried out once")                                  \
  F (u8, suspended, "1: stop, 0: continue")
#define LK_MESSAGE_RUN_FORGET_FIELDS(F)                                                            \
  F (u64, term, "fencing token")                                                                   \
  F (u64, run_id, "the run")

#define LK_MESSAGE_RELOAD_FIELDS(F)                                                                \
  F (u64, term, "fencing token")                                                                   \
  F (u64, number, "of this time: sent until a report or a heartbeat tells that it was heeded")

#define LK_MESSAGE_FOLLOW_FIELDS(F)                                                                \
  F (u64, term, "highest term that the standby has seen")                                          \
  F (u64, offset_bytes, "the bytes that it wants begin there")
#define LK_MESSAGE_JOURNAL_FIELDS(F)                                                               \
  F (u64, term, "fencing token")                                                                   \
  F (u64, epoch, "of this following: its answers carry it")                                        \
  F (u64, offset_bytes, "where the bytes begin in the journal")                                    \
  F (u64, durable_bytes, "length of the journal, as far as it is durable")                         \
  F (bytes, content, "as in the file; may be empty, and may end within a record")
#define LK_MESSAGE_FOLLOWED_FIELDS(F)                                                              \
  F (u64, term, "of the controller that is followed")                                              \
  F (u64, epoch, "of the following")                                                               \
  F (u64, offset_bytes, "the bytes that it wants begin there")                                     \
  F (u64, seq, "number of the last event that is durable there and agrees; 0: none")               \
  F (u64, digest_low, "digest of all decisions up to it, low half")                                \
  F (u64, digest_high, "high half")
#define LK_MESSAGE_DIVERGED_FIELDS(F)                                                              \
  F (u64, term, "highest term that the standby has seen")                                          \
  F (u64, seq, "number of the first event that was decided otherwise")                             \
  F (u32, decision, "which of its decisions, from 0")

#define LK_MESSAGE_HELLO_FIELDS(F)                                                                 \
  F (u16, version, "of what is spoken here")                                                       \
  F (u8, peer, "number of LkPeerKind that it wants to be")                                         \
  F (u8, method, "number of LkAuthMethod by which it will prove that")                             \
  F (u32, user_id, "of a user, or the user of a job, who proves it by a key")                      \
  F (text, node, "of an agent; of a process in a job RUN/NODE")                                    \
  F (bytes, nonce, "drawn for this connection")
#define LK_MESSAGE_CHALLENGE_FIELDS(F) F (bytes, nonce, "drawn for this connection")
#define LK_MESSAGE_PROOF_FIELDS(F)                                                                 \
  F (bytes, credential, "of MUNGE; empty with a key")                                              \
  F (bytes, mac, "of all that was said so far")
#define LK_MESSAGE_WELCOME_FIELDS(F)                                                               \
  F (bytes, mac, "of all that was said so far, by the other end; empty on a local socket")         \
  F (u32, user_id, "whose the token is; else 0")                                                   \
  F (u32, group_id, "his first group")
#define LK_MESSAGE_FAREWELL_FIELDS(F) F (u8, why, "number of LkFarewell")

#define LK_MESSAGE_KEPT_START_FIELDS(F)                                                            \
  F (u64, term, "fencing token")                                                                   \
  F (u64, incarnation, "counts the starts in the term")
#define LK_MESSAGE_KEPT_REQUEST_FIELDS(F)                                                          \
  F (u64, seq, "number of its last event")                                                         \
  F (u32, event_count, "how many it has")                                                          \
  F (u32, user_id, "who asked")                                                                    \
  F (u64, session, "of the request")                                                               \
  F (u64, request, "of the request")                                                               \
  F (bytes, payload, "of a submit; empty when it was refused")
#define LK_MESSAGE_KEPT_STATE_FIELDS(F)                                                            \
  F (u64, offset_bytes, "length of the journal then")                                              \
  F (u64, seq, "number of the last event")                                                         \
  F (u64, decision_count, "decisions so far")                                                      \
  F (u64, digest_low, "their digest, low half")                                                    \
  F (u64, digest_high, "high half")                                                                \
  F (u64, run_id_last, "number of the last run")                                                   \
  F (u64, term, "of the controller that wrote the last event")                                     \
  F (u32, job_id_last, "the last job id that was given out")                                       \
  F (bytes, engine, "the engine's snapshot")
#define LK_MESSAGE_KEPT_NODE_FIELDS(F)                                                             \
  F (u32, node, "its index")                                                                       \
  F (u8, down_by_us, "1: it is down because its agent was silent; 2: has never come yet")          \
  F (u32, reason_user_id, "who has last set it down or drained")                                   \
  F (i64, reason_us, "when; 0: nobody has")
#define LK_MESSAGE_KEPT_PAYLOAD_FIELDS(F)                                                          \
  F (u32, job_id, "the job")                                                                       \
  F (u32, shared_with, "a job before it that has the same; 0: none")                               \
  F (u32, script_of, "a job before it that has the same script, which is left out; 0: none")       \
  F (u32, environment_of, "likewise of its environment")                                           \
  F (i64, end_us, "when the job has ended; 0: it has not")                                         \
  F (bytes, payload, "as it was submitted; empty when it is shared")
#define LK_MESSAGE_KEPT_RUN_FIELDS(F)                                                              \
  F (u64, run_id, "the run")                                                                       \
  F (u64, start_seq, "the event that started it")                                                  \
  F (u64, end_seq, "the event after which the engine has it no more; 0: it has it")                \
  F (u64, kill_seq, "the event that wants its end; 0: none")                                       \
  F (u32, job_id, "its job")                                                                       \
  F (u32, user_id, "user")                                                                         \
  F (u32, group_id, "group")                                                                       \
  F (u32, array_job_id, "the array; 0: of none")                                                   \
  F (u32, array_task, "task of the array")                                                         \
  F (u32, restarts, "earlier runs of the job")                                                     \
  F (u8, kill_why, "number of LkEndWhy")                                                           \
  F (i64, memory_bytes, "memory granted")                                                          \
  F (long_text, nodes, "nodes of the run")                                                         \
  F (long_text, cores, "cores on them")                                                            \
  F (long_text, gres, "devices on them")                                                           \
  LK_RUN_FACTS_FIELDS (F)                                                                          \
  F (components, components, "of the first one of a heterogeneous job: all that started with it")  \
  F (u64, leader_seq, "the event after which the engine has the first one no more; 0: it has")     \
  F (u8, exit_code, "behind that: how the script of the first one has ended")                      \
  F (u8, signal, "likewise")                                                                       \
  F (u8, cancelled, "likewise")                                                                    \
  F (u8, trouble, "likewise")                                                                      \
  F (u8, derived_exit_code, "the highest of its steps that have ended")                            \
  F (u8, derived_signal, "likewise, among those of that exit code; 0: none")                       \
  F (bytes, payload, "what it runs")                                                               \
  F (u32, node_count, "records of nodes that follow")                                              \
  F (u32, order_count, "records of signals that follow these")                                     \
  F (u32, step_next, "number of its next step")                                                    \
  F (u32, step_count, "records of steps and of signals for them that follow these")
#define LK_MESSAGE_KEPT_RUN_NODE_FIELDS(F)                                                         \
  F (u32, node, "its index")                                                                       \
  F (u8, is_gone, "1: nothing of the run lives there")                                             \
  F (u8, is_dropped, "1: the engine has taken the node from the job")                              \
  F (u8, is_begun, "1: its agent has told that it has begun it")
#define LK_MESSAGE_KEPT_ORDER_FIELDS(F)                                                            \
  F (u64, number, "which order for the run: they rise")                                            \
  F (u64, seq, "the event that asked for it")                                                      \
  F (u8, signal, "signal number; 0: a stop or continue")                                           \
  F (u8, batch_only, "0: to all steps; 1: to the batch script only; 2: to both")                   \
  F (u8, suspended, "1: stop, 0: continue")
#define LK_MESSAGE_KEPT_SESSION_FIELDS(F)                                                          \
  F (u32, user_id, "whose it is")                                                                  \
  F (u64, session, "of its requests")                                                              \
  F (u64, request, "the last one")                                                                 \
  F (u64, seq, "number of its event")                                                              \
  F (u32, job_id, "as in its reply")                                                               \
  F (u16, error, "as in its reply")                                                                \
  F (u8, limit, "as in its reply")
#define LK_MESSAGE_KEPT_STANDBY_FIELDS(F)                                                          \
  F (u64, term, "highest term that was seen")                                                      \
  F (u64, append_from_bytes, "where the last append of several batches to the journal begins")     \
  F (u64, append_to_bytes, "where it ends: if the journal is not longer, it may be torn")          \
  F (u8, is_ahead, "1: a controller had less of the journal than was durable here")                \
  F (u64, diverged_seq, "the first event that was decided otherwise; 0: none")                     \
  F (u32, decision, "which of its decisions, from 0")

#define LK_MESSAGE_KEPT_USAGE_FIELDS(F)                                                            \
  F (u64, run_id, "the run")                                                                       \
  F (u32, job_id, "its job")                                                                       \
  F (u32, node, "index of the node")                                                               \
  LK_RUN_USAGE_FIELDS (F)
#define LK_MESSAGE_KEPT_BEGUN_FIELDS(F)                                                            \
  F (u64, run_id, "the run")                                                                       \
  F (u32, node, "index of the node")

#define LK_MESSAGE_KEPT_GPU_USAGE_FIELDS(F)                                                        \
  F (u64, run_id, "the run")                                                                       \
  F (u32, job_id, "its job")                                                                       \
  F (u32, node, "index of the node")                                                               \
  LK_RUN_GPU_FIELDS (F)

/* ---------------------------------------------------------------- steps */

#define LK_MESSAGE_STEP_CREATE_FIELDS(F)                                                           \
  F (u64, session, "drawn by the client at its start; not 0")                                      \
  F (u64, request, "number of the request in the session, rising from 1")                          \
  F (u32, job_id, "the job")                                                                       \
  LK_STEP_WANT_FIELDS (F)                                                                          \
  F (bytes, payload, "what its tasks need, see live/core/step_schema.h")
/* What is not refused goes on behind a crash, without what was not begun by then. */
#define LK_MESSAGE_STEP_CREATED_FIELDS(F)                                                          \
  F (u64, session, "of the request")                                                               \
  F (u64, request, "of the request")                                                               \
  F (u16, error, "number of LkStepError; 0: it was created")                                       \
  F (u32, job_id, "the job")                                                                       \
  F (u32, step_id, "the step")                                                                     \
  F (u64, run_id, "the run")                                                                       \
  F (u32, tasks, "its tasks")                                                                      \
  F (u32, cpus_per_task, "CPUs for each; 0: not given")                                            \
  F (places, places, "what it has on each of its nodes")
#define LK_MESSAGE_STEP_SIGNAL_FIELDS(F)                                                           \
  F (u64, session, "drawn by the client at its start; not 0")                                      \
  F (u64, request, "number of the request in the session, rising from 1")                          \
  F (u32, job_id, "the job")                                                                       \
  F (u32, step_id, "the step; the largest u32: all steps of the job")                              \
  F (u8, signal,                                                                                   \
     "signal number; 0: it is ended, by SIGTERM and after KillWait by SIGKILL;"                    \
     " 9: by that at once")
/* It is answered when it is durable. Only staff may raise it. */
#define LK_MESSAGE_STEP_UPDATE_FIELDS(F)                                                           \
  F (u64, session, "drawn by the client at its start; not 0")                                      \
  F (u64, request, "number of the request in the session, rising from 1")                          \
  F (u32, job_id, "the job")                                                                       \
  F (u32, step_id, "the step")                                                                     \
  F (i64, limit_us, "time limit from its start on; 0: none but that of the job")
/* It is answered when it is on its way, once: whoever does not hear it then does not hear it. */
#define LK_MESSAGE_JOB_NOTIFY_FIELDS(F)                                                            \
  F (u64, session, "drawn by the client at its start; not 0")                                      \
  F (u64, request, "number of the request in the session, rising from 1")                          \
  F (u32, job_id, "the job")                                                                       \
  F (u32, step_id, "the step; the largest u32: the script, or where there is none all steps")      \
  F (text, words, "at most 4000 bytes of UTF-8, without control characters but tab and newline")
#define LK_MESSAGE_STEP_ATTACH_FIELDS(F)                                                           \
  F (u64, session, "drawn by the client at its start; not 0")                                      \
  F (u64, request, "number of the request in the session, rising from 1")                          \
  F (u32, job_id, "the job")                                                                       \
  F (u32, step_id, "the step")                                                                     \
  LK_STEP_LISTENER_FIELDS (F)
/* It is answered when it is durable; the end of the job follows. */
#define LK_MESSAGE_JOB_COMPLETE_FIELDS(F)                                                          \
  F (u64, session, "drawn by the client at its start; not 0")                                      \
  F (u64, request, "number of the request in the session, rising from 1")                          \
  F (u32, job_id, "the job")                                                                       \
  F (u8, exit_code, "with which it has ended")                                                     \
  F (u8, signal, "that has ended it; 0: none")
/* Whether there is such a job only accounting knows. */
#define LK_MESSAGE_ADMIN_COMMENT_FIELDS(F)                                                         \
  F (u64, session, "drawn by the client at its start; not 0")                                      \
  F (u64, request, "number of the request in the session, rising from 1")                          \
  F (u32, job_id, "the job")                                                                       \
  F (long_text, comment, "at most 65535 bytes")
#define LK_MESSAGE_KEPT_ADMIN_COMMENT_FIELDS(F)                                                    \
  F (u32, job_id, "the job")                                                                       \
  F (u32, user_id, "who has said so")                                                              \
  F (long_text, comment, "at most 65535 bytes")
#define LK_MESSAGE_STEP_REPLY_FIELDS(F)                                                            \
  F (u64, session, "of the request")                                                               \
  F (u64, request, "of the request")                                                               \
  F (u16, error, "number of LkStepError; 0: it is carried out")

/* Who wants to hear and see a step, beside its srun. */
#define LK_STEP_LISTENER_FIELDS(F)                                                                 \
  F (text, addresses, "where it listens: host:port,... in the order of trying")                    \
  F (path, socket, "likewise, on its own machine; empty: not there")                               \
  F (bytes, key, "of the stream")                                                                  \
  F (u8, may_write, "1: what it sends is input of the tasks")

#define LK_MESSAGE_STEP_STARTED_FIELDS(F)                                                          \
  F (text, node, "node name")                                                                      \
  F (u64, epoch, "the registration")                                                               \
  F (u64, run_id, "the run")                                                                       \
  F (u32, step_id, "the step")
#define LK_MESSAGE_STEP_ENDED_FIELDS(F)                                                            \
  F (text, node, "node name")                                                                      \
  F (u64, epoch, "the registration")                                                               \
  LK_STEP_REPORT_FIELDS (F)
#define LK_MESSAGE_STEP_HEARD_FIELDS(F)                                                            \
  F (text, node, "node name")                                                                      \
  F (u64, epoch, "the registration")                                                               \
  F (u64, run_id, "the run")                                                                       \
  F (u32, step_id, "the step")                                                                     \
  F (u64, seq, "which order for the step")
#define LK_MESSAGE_STEP_USAGE_FIELDS(F)                                                            \
  F (text, node, "node name")                                                                      \
  F (u64, epoch, "the registration")                                                               \
  F (u64, run_id, "the run")                                                                       \
  F (u32, step_id, "the step")                                                                     \
  LK_STEP_USAGE_FIELDS (F)
#define LK_MESSAGE_STEP_LAUNCH_FIELDS(F)                                                           \
  F (u64, term, "fencing token")                                                                   \
  F (u64, epoch, "the registration: a launch for an earlier one is dropped")                       \
  F (u64, run_id, "the run")                                                                       \
  F (u32, job_id, "its job")                                                                       \
  F (u32, step_id, "the step")                                                                     \
  F (text, name, "name of the step")                                                               \
  F (u32, place, "which of the places is this node, from 0")                                       \
  F (u32, tasks, "tasks of the step")                                                              \
  F (u32, cpus_per_task, "CPUs for each; 0: not given")                                            \
  F (u32, tasks_per_node, "most tasks on a node; 0: not given")                                    \
  F (u8, distribution, "number of LkStepDistribution")                                             \
  F (u32, flags, "set of LkStepFlag")                                                              \
  F (places, places, "what the step has on each of its nodes")                                     \
  F (i64, kill_wait_us, "between SIGTERM and SIGKILL, when the node ends it")                      \
  F (bytes, payload, "as it was sent")
#define LK_MESSAGE_STEP_KILL_FIELDS(F)                                                             \
  F (u64, term, "fencing token")                                                                   \
  F (u64, epoch, "the registration: an order of an earlier one is dropped")                        \
  F (u64, run_id, "the run")                                                                       \
  F (u32, step_id, "the step")                                                                     \
  F (u64, seq, "which order for the step: it is carried out once; 0: it is to end")                \
  F (u8, signal, "signal number; of an end 0")                                                     \
  F (i64, kill_wait_us, "of an end: between SIGTERM and SIGKILL; 0: SIGKILL at once")              \
  F (u8, why, "of an end: number of LkEndWhy; 0: nothing that is told")
#define LK_MESSAGE_STEP_LISTEN_FIELDS(F)                                                           \
  F (u64, term, "fencing token")                                                                   \
  F (u64, epoch, "the registration: one of an earlier one is dropped")                             \
  F (u64, run_id, "the run")                                                                       \
  F (u32, step_id, "the step")                                                                     \
  LK_STEP_LISTENER_FIELDS (F)
#define LK_MESSAGE_RUN_NOTIFY_FIELDS(F)                                                            \
  F (u64, term, "fencing token")                                                                   \
  F (u64, epoch, "the registration: words of an earlier one are dropped")                          \
  F (u64, run_id, "the run")                                                                       \
  F (u32, step_id, "the step; the largest u32: the script")                                        \
  F (text, words, "for standard error, or the srun of the step")
#define LK_MESSAGE_STEP_FORGET_FIELDS(F)                                                           \
  F (u64, term, "fencing token")                                                                   \
  F (u64, run_id, "the run")                                                                       \
  F (u32, step_id, "the step")

#define LK_MESSAGE_KEPT_STEP_FIELDS(F)                                                             \
  F (u64, run_id, "the run")                                                                       \
  F (u32, job_id, "its job")                                                                       \
  F (u32, step_id, "the step")                                                                     \
  F (u32, user_id, "who asked for it")                                                             \
  F (u64, session, "of the request")                                                               \
  F (u64, request, "of the request")                                                               \
  F (i64, start_us, "when it was created")                                                         \
  F (i64, suspended_us, "how long the run had been suspended by then")                             \
  F (u32, task_count, "its tasks")                                                                 \
  F (u32, given_cpus_per_task, "CPUs for each, as they were given; 0: not given")                  \
  LK_STEP_WANT_FIELDS (F)                                                                          \
  F (places, places, "what it has on each of its nodes")
#define LK_MESSAGE_KEPT_STEP_ENDED_FIELDS(F)                                                       \
  F (u64, run_id, "the run")                                                                       \
  F (u32, job_id, "its job")                                                                       \
  F (u32, step_id, "the step")                                                                     \
  F (i64, end_us, "when it ended")                                                                 \
  F (i64, suspended_us, "how long it was suspended")                                               \
  F (u8, state, "number of LkJobState")                                                            \
  F (u8, exit_code, "the highest of any task")                                                     \
  F (u8, signal, "that ended a task; 0: none")                                                     \
  F (u8, trouble, "number of LkTrouble")                                                           \
  LK_STEP_USAGE_FIELDS (F)                                                                         \
  LK_STEP_USAGE_NODE_FIELDS (F)
#define LK_MESSAGE_KEPT_STEP_ORDER_FIELDS(F)                                                       \
  F (u64, run_id, "the run")                                                                       \
  F (u32, step_id, "the step")                                                                     \
  F (u32, user_id, "who asked for it")                                                             \
  F (u64, session, "of the request")                                                               \
  F (u64, request, "of the request")                                                               \
  F (u64, number, "which order for the step: they rise")                                           \
  F (u8, signal, "as in step_signal")
#define LK_MESSAGE_KEPT_STEP_HEARD_FIELDS(F)                                                       \
  F (u64, run_id, "the run")                                                                       \
  F (u32, step_id, "the step")                                                                     \
  F (u64, number, "of the last order that they have had")
#define LK_MESSAGE_KEPT_STEP_LIMIT_FIELDS(F)                                                       \
  F (u64, run_id, "the run")                                                                       \
  F (u32, step_id, "the step")                                                                     \
  F (u32, user_id, "who asked for it")                                                             \
  F (i64, limit_us, "as in step_update")
#define LK_MESSAGE_KEPT_COMPLETE_FIELDS(F)                                                         \
  F (u64, run_id, "the run")                                                                       \
  F (u32, user_id, "who has said so")                                                              \
  F (u8, exit_code, "with which it has ended")                                                     \
  F (u8, signal, "that has ended it; 0: none")

/* How a run stands on a node: X (NAME, number, what it is). */
#define LK_RUN_STATES(X)                                                                           \
  X (PROLOG, 1, "its prolog runs")                                                                 \
  X (RUNNING, 2, "its processes run")                                                              \
  X (EPILOG, 3, "its processes have ended, its epilog runs")                                       \
  X (ENDED, 4, "all is over")                                                                      \
  X (LOST, 5, "its node has booted since: it is over, and nobody knows how")

#endif
