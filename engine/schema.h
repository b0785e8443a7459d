/* engine/schema.h — the one table of what crosses the waist: events in, decisions out, and the
 * journal's header.
 *
 * From these X-macros are made the structs, the encoder, the decoder, the JSON view and
 * docs/formats-schema.md.  A field is F (type, name, what it is); types are u8 u16 u32 u64 i64
 * (little-endian, fixed width), text (u16 length, then that many bytes of UTF-8, no terminator) and
 * long_text (the same with a u32 length).  A request is u8 0 when all of LK_JOB_REQUEST_FIELDS are
 * zero and empty, else u8 1 and those fields; as C its fields are members of the event itself.
 * Terms are the same of LK_JOB_TERMS_FIELDS.
 * Kind numbers are for ever: a kind may be added, never renumbered.
 *
 * An event kind is X (NAME, number, rank, acted, lower_name, what it is).  `rank` is its place
 * among the events of one instant; `acted` is 1 when this engine acts on it and 0 when it answers
 * with a reject decision. */
#ifndef LK_ENGINE_SCHEMA_H
#define LK_ENGINE_SCHEMA_H

#include "engine/limit_reasons.h"

/* ---------------------------------------------------------------- events */

#define LK_EVENT_KINDS(X)                                                                          \
  X (JOB_ENDED, 1, 1, 1, job_ended, "a running job has ended and freed what it held")              \
  X (JOB_STARTED, 2, 1, 1, job_started, "a start decision was carried out")                        \
  X (NODE_UP, 3, 2, 1, node_up, "a node came into service")                                        \
  X (NODE_DOWN, 4, 2, 1, node_down, "a node went out of service")                                  \
  X (NODE_DRAIN, 5, 2, 1, node_drain, "a node takes no new job")                                   \
  X (NODE_RESUME, 6, 2, 1, node_resume, "a drained node takes jobs again")                         \
  X (RESERVATION_CREATE, 7, 3, 1, reservation_create, "capacity is set aside for a time")          \
  X (RESERVATION_UPDATE, 8, 3, 1, reservation_update, "a reservation changes")                     \
  X (RESERVATION_DELETE, 9, 3, 1, reservation_delete, "a reservation is given up")                 \
  X (SUBMIT, 10, 4, 1, submit, "a job is submitted")                                               \
  X (UPDATE, 11, 5, 1, update, "what a job asks for changes")                                      \
  X (CANCEL, 12, 5, 1, cancel, "a job is cancelled, pending or running")                           \
  X (HOLD, 13, 5, 1, hold, "a pending job may not start until it is released")                     \
  X (RELEASE, 14, 5, 1, release, "a held job may start again")                                     \
  X (REQUEUE, 15, 5, 1, requeue, "a running job goes back to the queue")                           \
  X (SIGNAL, 16, 5, 1, signal, "a signal for a running job")                                       \
  X (ASSOCIATION, 17, 5, 1, association, "an association is added, changed or deleted")            \
  X (QOS, 18, 5, 1, qos, "a QOS is added, changed or deleted")                                     \
  X (RECONFIGURE, 19, 5, 1, reconfigure, "machine, policies or their parameters change")           \
  X (TIMER, 20, 6, 1, timer, "the moment that a wake decision asked for has come")                 \
  X (PASS, 21, 7, 1, pass, "run the scheduler: start decisions are made only here")                \
  X (SUSPEND, 22, 5, 1, suspend, "a running job is stopped and gives its CPUs to others")          \
  X (RESUME, 23, 5, 1, resume, "a suspended job goes on")                                          \
  X (PARTITION, 24, 3, 1, partition, "a partition opens or closes")

#define LK_EVENT_JOB_ENDED_FIELDS(F)                                                               \
  F (u32, job_id, "the job")                                                                       \
  F (u8, exit_code, "exit code of the batch script")                                               \
  F (u8, signal, "signal that ended it; 0 none")                                                   \
  F (u8, cancelled, "1: ended because someone outside the scheduler cancelled it")                 \
  F (u8, trouble, "number of LkTrouble; 0: none")
#define LK_EVENT_JOB_STARTED_FIELDS(F) F (u32, job_id, "the job")
#define LK_EVENT_NODE_UP_FIELDS(F) F (text, node, "node name")
#define LK_EVENT_NODE_DOWN_FIELDS(F)                                                               \
  F (text, node, "node name")                                                                      \
  F (text, reason, "why")
#define LK_EVENT_NODE_DRAIN_FIELDS(F)                                                              \
  F (text, node, "node name")                                                                      \
  F (text, reason, "why")
#define LK_EVENT_NODE_RESUME_FIELDS(F) F (text, node, "node name")
#define LK_EVENT_RESERVATION_CREATE_FIELDS(F)                                                      \
  F (text, name, "reservation name; empty: made from the first user or account")                   \
  LK_RESERVATION_FIELDS (F)
#define LK_EVENT_RESERVATION_UPDATE_FIELDS(F)                                                      \
  F (text, name, "reservation name")                                                               \
  F (u32, changes, "which of the fields change: bit i for the i-th behind this one")               \
  LK_RESERVATION_FIELDS (F)
/* What a reservation is, in Slurm's words (scontrol create reservation). */
#define LK_RESERVATION_FIELDS(F)                                                                   \
  F (i64, start_us, "start; with TIME_FLOAT from now on")                                          \
  F (i64, duration_us, "length; the largest i64: a year")                                          \
  F (text, nodes, "hostlist, or ALL; empty: by count")                                             \
  F (u32, node_count, "how many nodes; 0: not by count")                                           \
  F (u32, core_count, "how many cores in all; 0: whole nodes")                                     \
  F (text, tres, "cpu=, node=, gres/gpu=, license/x=")                                             \
  F (text, licenses, "name[:count],...")                                                           \
  F (text, features, "features that its nodes must have")                                          \
  F (text, partition, "partition of its nodes; empty: the default one")                            \
  F (text, users, "comma-separated list of who may use it, or with - in front may not")            \
  F (text, accounts, "the same of accounts")                                                       \
  F (text, groups, "the same of groups")                                                           \
  F (text, qos, "the same of QOS")                                                                 \
  F (text, partitions, "the same of partitions of the job")                                        \
  F (text, flags, "MAINT, IGNORE_JOBS, OVERLAP, DAILY, ...")                                       \
  F (i64, max_start_delay_us, "MaxStartDelay: 0 none")                                             \
  F (i64, purge_us, "PURGE_COMP=: after so long unused; 0: the usual time")
#define LK_EVENT_RESERVATION_DELETE_FIELDS(F) F (text, name, "reservation name")
/* What a job asks for on a machine of nodes, in Slurm's words; a counted pool reads none of it.
 * All zero and empty asks for nothing but tasks: then `procs` of them, one CPU each, on any nodes.
 * `present` says which of the fields that have no neutral value were given: bit 0
 * memory_per_node_bytes, 1 memory_per_cpu_bytes, 2 memory_per_gpu_bytes.  `flags` is a set of
 * LK_REQUEST_FLAGS. */
#define LK_JOB_REQUEST_FIELDS(F)                                                                   \
  F (u32, present, "which of the memory fields were given")                                        \
  LK_JOB_REQUEST_MORE_FIELDS (F)
#define LK_JOB_REQUEST_MORE_FIELDS(F)                                                              \
  F (u32, flags, "set of LkRequestFlag")                                                           \
  F (u32, nodes_min, "fewest nodes; 0: 1")                                                         \
  F (u32, nodes_max, "most nodes; 0: no limit")                                                    \
  F (u32, tasks, "tasks; 0: not given")                                                            \
  F (u32, cpus_per_task, "CPUs for each task; 0: not given")                                       \
  F (u32, tasks_per_node, "most tasks on a node; 0: no limit")                                     \
  F (u32, tasks_per_socket, "most tasks on a socket; 0: no limit")                                 \
  F (u32, tasks_per_gpu, "tasks for each GPU; 0: not given")                                       \
  F (u32, cpus_per_gpu, "CPUs for each GPU; 0: not given")                                         \
  F (u32, cpus_per_node_min, "fewest CPUs of a usable node; 0: no limit")                          \
  F (u32, sockets_per_node_min, "fewest sockets of a usable node; 0: no limit")                    \
  F (u32, cores_per_socket_min, "fewest cores of a socket of a usable node; 0: no limit")          \
  F (u32, threads_per_core, "CPUs of a core that tasks may use; 0: all")                           \
  F (i64, memory_per_node_bytes, "memory on each node; 0: all of it")                              \
  F (i64, memory_per_cpu_bytes, "memory for each CPU")                                             \
  F (i64, memory_per_gpu_bytes, "memory for each GPU")                                             \
  F (i64, tmp_per_node_bytes, "temporary disk of a usable node; 0: no limit")                      \
  F (u32, switches, "most leaf switches; 0: no limit")                                             \
  F (i64, switches_wait_us, "how long to wait for that; 0: as long as the cluster allows")         \
  F (u32, segment_nodes, "nodes that must lie in one block; 0: all of them")                       \
  F (text, gres, "on each node: name[:type][:count],...")                                          \
  F (text, gpus, "on all nodes together: [type:]count,...")                                        \
  F (text, gpus_per_task, "for each task: [type:]count,...")                                       \
  F (text, gpus_per_socket, "on each socket: [type:]count,...")                                    \
  F (text, constraint, "features that nodes must have: &, |, [], name*count")                      \
  F (text, node_list, "hostlist of nodes that must be among the job's")                            \
  F (text, exclude, "hostlist of nodes that must not")                                             \
  F (text, licenses, "name[:count],...")                                                           \
  F (text, partition, "partitions to choose from, in this order; empty: the default one")          \
  F (text, account, "account")                                                                     \
  F (text, group, "name of the user's group")                                                      \
  F (text, qos, "QOS; empty: the default one")                                                     \
  F (text, user, "name of the user")                                                               \
  F (i64, nice, "subtracted from its priority")                                                    \
  F (i64, site_factor, "added to its priority")                                                    \
  F (u32, priority, "its priority, set by an administrator; 0: calculated")

/* When, and under which conditions, a job may run; all zero and empty: none. */
#define LK_JOB_TERMS_FIELDS(F)                                                                     \
  F (u32, term_flags, "set of LkTermFlag")                                                         \
  LK_JOB_TERMS_MORE_FIELDS (F)
#define LK_JOB_TERMS_MORE_FIELDS(F)                                                                \
  F (text, name, "name of the job")                                                                \
  F (text, comment, "for people")                                                                  \
  F (i64, begin_us, "not before this moment; 0: no such moment")                                   \
  F (i64, deadline_us, "to be ended by this moment; 0: no such moment")                            \
  F (i64, time_min_us, "least time limit that will do; 0: the time limit")                         \
  F (text, dependency, "type:id[:id...][,type:...] or with ? between alternatives")                \
  F (text, array, "tasks of an array: list, ranges, steps, and %limit; empty: no array")           \
  F (text, reservation, "reservations to choose from; empty: none")                                \
  F (u32, warn_signal, "signal before the time limit; 0: none")                                    \
  F (i64, warn_before_us, "how long before")                                                       \
  F (u32, het_leader, "id of the first component of a heterogeneous job; 0: it is not one")        \
  F (u32, het_offset, "which component it is, from 0")                                             \
  F (u32, het_count, "of how many components")

/* Bits of LkJobTerms.term_flags: X (NAME, bit, option as users write it). */
#define LK_TERM_FLAGS(X)                                                                           \
  X (KILL_INVALID_DEP, 0, "kill-on-invalid-dep=yes")                                               \
  X (KEEP_INVALID_DEP, 1, "kill-on-invalid-dep=no")                                                \
  X (INTERACTIVE, 2, "interactive")                                                                \
  X (WARN_BATCH, 3, "signal=B:")                                                                   \
  X (WARN_RESERVATION, 4, "signal=R:")

/* Bits of LkJobRequest.flags: X (NAME, bit, option as users write it). */
#define LK_REQUEST_FLAGS(X)                                                                        \
  X (EXCLUSIVE, 0, "exclusive")                                                                    \
  X (EXCLUSIVE_USER, 1, "exclusive=user")                                                          \
  X (OVERSUBSCRIBE, 2, "oversubscribe")                                                            \
  X (CONTIGUOUS, 3, "contiguous")                                                                  \
  X (SPREAD_JOB, 4, "spread-job")                                                                  \
  X (ENFORCE_BINDING, 5, "gres-flags=enforce-binding")                                             \
  X (DISABLE_BINDING, 6, "gres-flags=disable-binding")                                             \
  X (NO_REQUEUE, 7, "no-requeue")                                                                  \
  X (NO_KILL, 8, "no-kill")                                                                        \
  X (USE_MIN_NODES, 9, "use-min-nodes")                                                            \
  X (PACK, 10, "distribution=pack")                                                                \
  X (CORES_BLOCK, 11, "distribution=*:block")                                                      \
  X (CORES_CYCLIC, 12, "distribution=*:cyclic")                                                    \
  X (HOLD, 13, "hold")

#define LK_EVENT_SUBMIT_FIELDS(F)                                                                  \
  F (u32, job_id, "new id, above every earlier one")                                               \
  F (u32, user_id, "user")                                                                         \
  F (u32, group_id, "group")                                                                       \
  F (u32, partition_id, "partition, where partitions have numbers")                                \
  F (u32, procs, "processors asked for, at least 1")                                               \
  F (i64, estimate_us, "time limit; 0: the partition's default")                                   \
  F (request, present, "what it asks for on a machine of nodes")                                   \
  F (terms, term_flags, "when and under which conditions it may run")
/* Whom an event about a job means: the job, and of an array all its tasks, or those of
 * `task_list`. */
#define LK_JOB_TARGET_FIELDS(F)                                                                    \
  F (u32, job_id, "the job")                                                                       \
  F (text, task_list, "of the array of this id, these tasks: list and ranges; empty: all")
#define LK_EVENT_UPDATE_FIELDS(F)                                                                  \
  LK_JOB_TARGET_FIELDS (F)                                                                         \
  F (u64, changes, "set of LkChange: which of the fields change")                                  \
  F (u8, by_admin,                                                                                 \
     "1: by an administrator, who may raise what the user may only lower; 2: likewise, by "        \
     "scontrol "                                                                                   \
     "top, which leaves the reason that is shown")                                                 \
  F (u32, flags_mask, "which bits of `flags` change; 0: all of them")                              \
  F (u32, term_flags_mask, "the same of `term_flags`")                                             \
  F (i64, end_us, "of a job that has started: its time limit ends then; 0: as `estimate_us`")      \
  F (u32, procs, "processors asked for")                                                           \
  F (i64, estimate_us, "time limit")                                                               \
  F (request, present, "what it asks for on a machine of nodes")                                   \
  F (terms, term_flags, "when and under which conditions it may run")
/* With `filter` 0 one job; else all jobs that agree in all the fields named by its bits: 0 job_id,
 * 1 user_id, 2 name, 3 partition, 4 account, 5 qos, 6 reservation, 7 state, 8 node_list. */
#define LK_EVENT_CANCEL_FIELDS(F)                                                                  \
  LK_JOB_TARGET_FIELDS (F)                                                                         \
  F (u32, filter, "which of the following fields a job must agree in; 0: the job of this id")      \
  F (u32, user_id, "user")                                                                         \
  F (text, name, "name of the job")                                                                \
  F (text, partition, "partition")                                                                 \
  F (text, account, "account")                                                                     \
  F (text, qos, "QOS")                                                                             \
  F (text, reservation, "reservation")                                                             \
  F (u8, state, "number of LkJobState")                                                            \
  F (text, node_list, "runs on any of these")
#define LK_EVENT_HOLD_FIELDS(F)                                                                    \
  LK_JOB_TARGET_FIELDS (F)                                                                         \
  F (u8, by_admin, "1: held by an administrator, 0: by its user")
#define LK_EVENT_RELEASE_FIELDS(F)                                                                 \
  LK_JOB_TARGET_FIELDS (F)                                                                         \
  F (u8, by_user, "1: asked for by the user, who may not release what an administrator holds")
#define LK_EVENT_REQUEUE_FIELDS(F)                                                                 \
  LK_JOB_TARGET_FIELDS (F)                                                                         \
  F (u8, hold, "1: requeue and hold; 2: the same as SPECIAL_EXIT")
#define LK_EVENT_SIGNAL_FIELDS(F)                                                                  \
  LK_JOB_TARGET_FIELDS (F)                                                                         \
  F (u8, signal, "signal number")                                                                  \
  F (u8, batch_only, "0: to all steps; 1: to the batch script only; 2: to both")
#define LK_EVENT_SUSPEND_FIELDS(F) LK_JOB_TARGET_FIELDS (F)
#define LK_EVENT_RESUME_FIELDS(F) LK_JOB_TARGET_FIELDS (F)
#define LK_EVENT_PARTITION_FIELDS(F)                                                               \
  F (text, name, "partition")                                                                      \
  F (u8, state, "0 UP, 1 DOWN, 2 DRAIN, 3 INACTIVE")
/* How an association or a QOS changes.  `record` is its line of the canonical text of accounts
 * (docs/formats.md); of a change only those of its members are looked at that `changes`
 * names, and of limits those that it has are set, the others stay.  A member that says what was
 * used can only be set to 0, which forgets all that was used there. */
#define LK_ACCOUNTS_CHANGE_FIELDS(F)                                                               \
  F (u32, changes, "of a change: bit i for the i-th member of a line of its kind")                 \
  F (long_text, record, "its line of the canonical text of accounts; empty: it is deleted")        \
  F (text, unset, "of a change: limits that are taken away: KIND or KIND:TRES with commas between")
#define LK_EVENT_ASSOCIATION_FIELDS(F)                                                             \
  F (u8, operation, "0: it is added, 1: changed, 2: deleted, with all that is below it")           \
  F (text, account, "account")                                                                     \
  F (text, user, "user; empty for the account itself")                                             \
  F (text, partition, "partition; empty for any")                                                  \
  LK_ACCOUNTS_CHANGE_FIELDS (F)
#define LK_EVENT_QOS_FIELDS(F)                                                                     \
  F (u8, operation, "0: it is added, 1: changed, 2: deleted, and taken out of all lists")          \
  F (text, name, "QOS name")                                                                       \
  LK_ACCOUNTS_CHANGE_FIELDS (F)
/* The configuration from here on, as the header of a journal that began with it would have it. Of
 * its accounts only the settings count: associations and QOS stay as they are. */
#define LK_EVENT_RECONFIGURE_FIELDS(F) LK_JOURNAL_HEADER_FIELDS (F)
#define LK_EVENT_TIMER_FIELDS(F)
#define LK_EVENT_PASS_FIELDS(F)

/* ---------------------------------------------------------------- decisions: X (NAME, number,
 * lower_name, what) */

#define LK_DECISION_KINDS(X)                                                                       \
  X (ACCEPT, 1, accept, "the event's request was taken")                                           \
  X (REJECT, 2, reject, "the event's request was refused; nothing changed")                        \
  X (START, 3, start, "start this job now")                                                        \
  X (PREEMPT, 4, preempt, "take the job's resources away")                                         \
  X (KILL, 5, kill, "end this running job")                                                        \
  X (REQUEUE_JOB, 6, requeue_job, "the job goes back to the queue")                                \
  X (WAKE, 7, wake, "deliver a timer event at this moment; replaces the earlier request")          \
  X (NOTICE, 8, notice, "a job's state or reason has changed")                                     \
  X (SIGNAL_JOB, 9, signal_job, "send this signal to the job's processes")                         \
  X (SUSPEND_JOB, 10, suspend_job, "stop the job's processes")                                     \
  X (RESUME_JOB, 11, resume_job, "let the job's processes go on")                                  \
  X (TASK, 12, task, "a task of an array is a job of its own from here")                           \
  X (STANDING, 13, standing, "how a pending job stands; told only when a run is to be checked")    \
  X (RESERVATION, 14, reservation, "an advance reservation has begun, ended or changed")           \
  X (ROOM, 15, room, "jobs are taken away so that this one can start there, in a later pass")

#define LK_DECISION_ACCEPT_FIELDS(F) F (u32, job_id, "the job; 0 when the event names none")
#define LK_DECISION_REJECT_FIELDS(F)                                                               \
  F (u32, job_id, "the job; 0 when the event names none")                                          \
  F (u16, error, "number of LkReject")
#define LK_DECISION_START_FIELDS(F)                                                                \
  F (u32, job_id, "the job")                                                                       \
  F (u32, units, "capacity it takes")                                                              \
  F (u8, backfilled, "1: a job that deserves to run before it is still waiting")                   \
  F (i64, memory_bytes, "memory granted; 0 where memory is not managed")                           \
  F (long_text, nodes, "hostlist of the nodes granted; empty for a counted pool")                  \
  F (long_text, cores, "core indices on them: nodes=cores;... as n[1-2]=0-3;n3=0")                 \
  F (long_text, gres, "devices and counts on them: nodes=name:indices|name*count;...")
#define LK_DECISION_PREEMPT_FIELDS(F)                                                              \
  F (u32, job_id, "the job")                                                                       \
  F (u8, mode, "1 cancel, 2 requeue, 3 suspend")                                                   \
  F (u32, for_job_id, "the job for which it goes")
/* Tells the place, in the words of a start, before the preempt decisions. */
#define LK_DECISION_ROOM_FIELDS(F)                                                                 \
  F (u32, job_id, "the job")                                                                       \
  F (u32, units, "capacity it will take")                                                          \
  F (i64, memory_bytes, "memory that it will be granted; 0 where memory is not managed")           \
  F (long_text, nodes, "hostlist of the nodes; empty for a counted pool")                          \
  F (long_text, cores, "core indices on them")                                                     \
  F (long_text, gres, "devices and counts on them")
#define LK_DECISION_KILL_FIELDS(F)                                                                 \
  F (u32, job_id, "the job")                                                                       \
  F (u8, why, "number of LkKillWhy")
#define LK_DECISION_REQUEUE_JOB_FIELDS(F) F (u32, job_id, "the job")
#define LK_DECISION_WAKE_FIELDS(F) F (i64, at_us, "the moment")
#define LK_DECISION_NOTICE_FIELDS(F)                                                               \
  F (u32, job_id, "the job")                                                                       \
  F (u8, state, "number of LkJobState")                                                            \
  F (u8, reason, "number of LkReason")
#define LK_DECISION_SIGNAL_JOB_FIELDS(F)                                                           \
  F (u32, job_id, "the job")                                                                       \
  F (u8, signal, "signal number")                                                                  \
  F (u8, batch_only, "0: to all steps; 1: to the batch script only; 2: to both")
#define LK_DECISION_SUSPEND_JOB_FIELDS(F) F (u32, job_id, "the job")
#define LK_DECISION_RESUME_JOB_FIELDS(F) F (u32, job_id, "the job")
#define LK_DECISION_STANDING_FIELDS(F)                                                             \
  F (u32, job_id, "the job")                                                                       \
  F (i64, key, "its place in the queue: the lowest is first, ties by submit time, then id")        \
  F (i64, planned_us, "its planned start; the largest i64: none")                                  \
  F (u8, reason, "why it waits: number of LkReason")                                               \
  F (u32, level, "by whom it may displace: jobs of a higher level go first, whatever their key")
#define LK_DECISION_TASK_FIELDS(F)                                                                 \
  F (u32, job_id, "the job that it is now: a new id, or that of the array for its last task")      \
  F (u32, array_job_id, "the array")                                                               \
  F (u32, task, "index of the task")

#define LK_DECISION_RESERVATION_FIELDS(F)                                                          \
  F (text, name, "its name")                                                                       \
  F (long_text, nodes, "hostlist of its nodes; empty: it has only licences")                       \
  F (u32, core_count, "cores set aside on them")                                                   \
  F (i64, start_us, "start of this occurrence")                                                    \
  F (i64, end_us, "its end")                                                                       \
  F (u8, state, "0 INACTIVE: before its start, 1 ACTIVE, 2: it is no more")

/* ---------------------------------------------------------------- enumerations: X (NAME, number,
 * text) */

/* Slurm's words for states and reasons. */
#define LK_JOB_STATES(X)                                                                           \
  X (PENDING, 0, "PENDING")                                                                        \
  X (RUNNING, 1, "RUNNING")                                                                        \
  X (COMPLETED, 2, "COMPLETED")                                                                    \
  X (FAILED, 3, "FAILED")                                                                          \
  X (TIMEOUT, 4, "TIMEOUT")                                                                        \
  X (CANCELLED, 5, "CANCELLED")                                                                    \
  X (NODE_FAIL, 6, "NODE_FAIL")                                                                    \
  X (REQUEUED, 7, "REQUEUED")                                                                      \
  X (SUSPENDED, 8, "SUSPENDED")                                                                    \
  X (PREEMPTED, 9, "PREEMPTED")                                                                    \
  X (DEADLINE, 10, "DEADLINE")                                                                     \
  X (OUT_OF_MEMORY, 11, "OUT_OF_MEMORY")                                                           \
  X (BOOT_FAIL, 12, "BOOT_FAIL")                                                                   \
  X (COMPLETING, 13, "COMPLETING")                                                                 \
  X (SPECIAL_EXIT, 14, "SPECIAL_EXIT")                                                             \
  X (REQUEUE_HOLD, 15, "REQUEUE_HOLD")                                                             \
  X (STOPPED, 16, "STOPPED")

#define LK_REASONS(X)                                                                              \
  X (NONE, 0, "None")                                                                              \
  X (PRIORITY, 1, "Priority")                                                                      \
  X (RESOURCES, 2, "Resources")                                                                    \
  X (HELD_USER, 3, "JobHeldUser")                                                                  \
  X (HELD_ADMIN, 4, "JobHeldAdmin")                                                                \
  X (TIME_LIMIT, 5, "TimeLimit")                                                                   \
  X (NON_ZERO_EXIT, 6, "NonZeroExitCode")                                                          \
  X (BEGIN_TIME, 7, "BeginTime")                                                                   \
  X (BAD_CONSTRAINTS, 8, "BadConstraints")                                                         \
  X (PARTITION_NODE_LIMIT, 9, "PartitionNodeLimit")                                                \
  X (PARTITION_TIME_LIMIT, 10, "PartitionTimeLimit")                                               \
  X (PARTITION_CONFIG, 11, "PartitionConfig")                                                      \
  X (PARTITION_DOWN, 12, "PartitionDown")                                                          \
  X (PARTITION_INACTIVE, 13, "PartitionInactive")                                                  \
  X (MAX_MEM_PER_LIMIT, 14, "MaxMemPerLimit")                                                      \
  X (ACCOUNT_NOT_ALLOWED, 15, "AccountNotAllowed")                                                 \
  X (QOS_NOT_ALLOWED, 16, "QOSNotAllowed")                                                         \
  X (REQ_NODE_NOT_AVAIL, 17, "ReqNodeNotAvail")                                                    \
  X (LICENSES, 18, "Licenses")                                                                     \
  X (NODE_DOWN, 19, "NodeDown")                                                                    \
  X (DEPENDENCY, 37, "Dependency")                                                                 \
  X (DEPENDENCY_NEVER_SATISFIED, 38, "DependencyNeverSatisfied")                                   \
  X (ARRAY_TASK_LIMIT, 39, "JobArrayTaskLimit")                                                    \
  X (RESERVATION, 40, "Reservation")                                                               \
  X (RESERVATION_DELETED, 41, "ReservationDeleted")                                                \
  X (RESERVATION_INVALID, 42, "ReservationInvalid")                                                \
  X (DEADLINE, 43, "DeadLine")                                                                     \
  X (HOLD_MAX_REQUEUE, 44, "JobHoldMaxRequeue")                                                    \
  X (RAISED_SIGNAL, 45, "RaisedSignal")                                                            \
  X (OUT_OF_MEMORY, 46, "OutOfMemory")                                                             \
  X (CLEANING, 47, "Cleaning")                                                                     \
  X (LAUNCH_FAILURE, 48, "JobLaunchFailure")                                                       \
  X (SYSTEM_FAILURE, 49, "SystemFailure")                                                          \
  X (CONSTRAINTS, 50, "Constraints")                                                               \
  X (NODES_NOT_LEFT, 51, "NodesNotLeft")                                                           \
  X (NODES_IN_MAINTENANCE, 52, "NodesInMaintenance")                                               \
  LK_LIMIT_REASONS (X)

#define LK_KILL_WHYS(X)                                                                            \
  X (TIME_LIMIT, 1, "time limit reached")                                                          \
  X (CANCELLED, 2, "cancelled")                                                                    \
  X (USAGE_LIMIT, 3, "usage limit reached")                                                        \
  X (DEADLINE, 4, "cannot meet its deadline")                                                      \
  X (PREEMPTED, 5, "preempted")                                                                    \
  X (RESERVATION_ENDED, 6, "its reservation has ended")                                            \
  X (REQUEUED, 7, "requeued")                                                                      \
  X (NODE_FAILED, 8, "a node of it has failed, and it is requeued")

/* What, other than the job's own exit, ended it. */
#define LK_TROUBLES(X)                                                                             \
  X (NONE, 0, "none")                                                                              \
  X (OUT_OF_MEMORY, 1, "it used more memory than it was given")                                    \
  X (LAUNCH_FAILURE, 2, "it could not be launched")                                                \
  X (BOOT_FAILURE, 3, "a node could not be booted for it")                                         \
  X (PROLOG_FAILURE, 4, "the prolog failed")                                                       \
  X (COMPLETE_BEFORE, 5, "none: it was complete before its end was asked for")                     \
  X (LAUNCH_TOO_LONG, 6, "its launch is longer than a message may be")                             \
  X (LAUNCH_SKIPPED, 7, "an administrator has skipped its launch")

#define LK_REJECTS(X)                                                                              \
  X (UNSUPPORTED, 1, "this engine does not act on events of this kind")                            \
  X (JOB_UNKNOWN, 2, "no such job in the system")                                                  \
  X (JOB_ID_USED, 3, "job id is not above every earlier one")                                      \
  X (PROCS_ZERO, 4, "a job needs at least one processor")                                          \
  X (ESTIMATE_INVALID, 5, "the time limit must be above 0")                                        \
  X (TOO_LARGE, 6, "the job needs more than the machine has")                                      \
  X (NOT_PENDING, 7, "the job is not pending")                                                     \
  X (NOT_RUNNING, 8, "the job is not running")                                                     \
  X (NOT_HELD, 9, "the job is not held")                                                           \
  X (TOO_MANY_JOBS, 10, "too many jobs in the system")                                             \
  X (PRESENT_INVALID, 11, "the update names no field, or one that does not exist")                 \
  X (REQUEST_INVALID, 12, "a part of the request cannot be read")                                  \
  X (PARTITION_UNKNOWN, 13, "no such partition")                                                   \
  X (PARTITION_CLOSED, 14, "the partition takes no jobs")                                          \
  X (NODE_UNKNOWN, 15, "no such node")                                                             \
  X (FEATURE_UNKNOWN, 16, "no node has this feature")                                              \
  X (GRES_UNKNOWN, 17, "no node has this generic resource")                                        \
  X (LICENSE_UNKNOWN, 18, "no such licence")                                                       \
  X (PARTITION_NODE_LIMIT, 19, "the job needs more or fewer nodes than the partition allows")      \
  X (PARTITION_TIME_LIMIT, 20, "the time limit is above the partition's")                          \
  X (NODE_CONFIG, 21, "no nodes of the partition can ever satisfy the request")                    \
  X (MEMORY_LIMIT, 22, "the memory asked for is above the partition's limit")                      \
  X (ACCOUNT_DENIED, 23, "the account, group or QOS may not use the partition")                    \
  X (NODE_STATE, 24, "the node is not in a state from which this can be done")                     \
  X (ACCOUNT_INVALID, 25, "invalid account or account/partition combination specified")            \
  X (QOS_INVALID, 26, "invalid QOS specification")                                                 \
  X (POLICY_LIMIT, 27,                                                                             \
     "job violates accounting/QOS policy (job submit limit, user's size and/or time limits)")      \
  X (RESERVATION_UNKNOWN, 28, "requested reservation is invalid")                                  \
  X (RESERVATION_DENIED, 29, "access denied to requested reservation")                             \
  X (RESERVATION_BUSY, 30, "requested nodes are busy")                                             \
  X (RESERVATION_IN_USE, 31, "requested reservation is in use")                                    \
  X (RESERVATION_EXISTS, 32, "there is a reservation of this name")                                \
  X (RESERVATION_BAD, 33, "a part of the reservation cannot be read, or is missing")               \
  X (ARRAY_INVALID, 34, "invalid job array specification")                                         \
  X (TASK_UNKNOWN, 35, "no such task of the array")                                                \
  X (DEPENDENCY_INVALID, 36, "job dependency problem")                                             \
  X (PERMISSION, 37, "access/permission denied")                                                   \
  X (NOT_SUSPENDED, 38, "the job is not suspended")                                                \
  X (TIME_INVALID, 39, "a time is not valid")                                                      \
  X (DISABLED, 40, "requested operation is presently disabled")                                    \
  X (GROUP_DENIED, 41, "user's group not permitted to use this partition")                         \
  X (PARTITION_UNAVAILABLE, 42, "requested partition configuration not available now")             \
  X (RESERVATION_FLAGS, 43, "a flag of the reservation is none, or does not go with another")      \
  X (RESERVATION_ACCESS, 44, "nobody may use the reservation, or a list of who may is wrong")      \
  X (RESERVATION_EMPTY, 45, "the reservation has neither nodes nor cores nor licences")            \
  X (RESERVATION_TRES, 46, "a TRES of the reservation cannot be read")                             \
  X (RESERVATION_FEATURES, 47, "features of a reservation are names with & between them")          \
  X (ACCOUNTS_UNKNOWN, 48, "no such account, user or QOS")                                         \
  X (ACCOUNTS_EXISTS, 49, "the account, user or QOS is there already")                             \
  X (ACCOUNTS_BAD, 50, "a part of the account, user or QOS cannot be read, or does not fit")       \
  X (ACCOUNTS_IN_USE, 51,                                                                          \
     "jobs of the account, user or QOS are active, a partition has it, or one may use no other")   \
  X (HET_COMPONENT, 52, "only the first component of a heterogeneous job stands for all of them")  \
  X (LICENSE_TOTAL, 53, "more of a licence is asked for than there is")                            \
  X (CONFIGURATION, 54, "the configuration cannot come into force while things are as they are")   \
  X (CONFIGURATION_WRONG, 55, "the configuration as it was read is wrong; the old one stays")      \
  X (TIME_MIN_INVALID, 56, "the least time limit is above the time limit or behind the deadline")  \
  X (PARTITION_IN_USE, 57, "jobs are in the partition")                                            \
  X (TOO_LONG, 58, "a text of the request, or the answer to it, is longer than allowed")           \
  X (USER_UNKNOWN, 59, "the controller's machine does not know the user id")                       \
  X (QUEUE_FULL, 60, "too many jobs in the system: MaxJobCount in slurm.conf is the limit")        \
  X (SCRIPT_TOO_LONG, 61,                                                                          \
     "script too long: max_script_size of SchedulerParameters in slurm.conf is the limit")         \
  X (USER_PAYLOADS_FULL, 62,                                                                       \
     "the user's jobs have too long scripts and environments in all: user_payload_mib of "         \
     "SlurmctldParameters in slurm.conf is the limit")                                             \
  X (PAYLOADS_FULL, 63,                                                                            \
     "jobs have too long scripts and environments in all: payload_mib of SlurmctldParameters in "  \
     "slurm.conf is the limit")                                                                    \
  X (RATE_LIMITED, 64,                                                                             \
     "too many requests of the user: rl_bucket_size and rl_refill_rate of SlurmctldParameters in " \
     "slurm.conf are the limit")                                                                   \
  X (BUSY, 65, "too many queries of the user are waiting; retry later")                            \
  X (NOT_NOW, 66, "pending and suspended jobs get no signals")

/* ---------------------------------------------------------------- journal header */

/* Bits of `requeues`: LkEngineConfig.requeues_ended, requeues_at_end. */
#define LK_REQUEUES_ENDED 1u
#define LK_REQUEUES_AT_END 2u

#define LK_JOURNAL_HEADER_FIELDS(F)                                                                \
  F (u32, format, "version of this format")                                                        \
  F (text, engine_version, "version of the engine that wrote it")                                  \
  F (u32, units_total, "capacity of the machine: processors of a pool, CPUs of nodes")             \
  F (long_text, cluster, "the machine as canonical cluster text; empty for a counted pool")        \
  F (text, order, "order policy and all its parameters")                                           \
  F (u32, order_version, "its version")                                                            \
  F (text, order_build_id, "build id of the code it came from")                                    \
  F (text, backfill, "backfill policy and all its parameters")                                     \
  F (u32, backfill_version, "its version")                                                         \
  F (text, backfill_build_id, "build id of the code it came from")                                 \
  F (text, select, "select policy and all its parameters")                                         \
  F (u32, select_version, "its version")                                                           \
  F (text, select_build_id, "build id of the code it came from")                                   \
  F (i64, origin_us, "time origin of the policies; the largest i64 when the first submit sets it") \
  F (u64, config_digest_low, "digest of the configuration, low half")                              \
  F (u64, config_digest_high, "high half")                                                         \
  F (text, source, "what was run, for people: trace file and options")                             \
  F (long_text, accounts, "accounts as canonical text; empty: none")                               \
  F (text, limits, "limits policy and all its parameters; empty without accounts")                 \
  F (u32, limits_version, "its version")                                                           \
  F (text, limits_build_id, "build id of the code it came from")                                   \
  F (text, preempt, "preempt policy and all its parameters")                                       \
  F (u32, preempt_version, "its version")                                                          \
  F (text, preempt_build_id, "build id of the code it came from")                                  \
  F (u8, tells_standing, "1: passes tell how each pending job stands")                             \
  F (u8, requeues,                                                                                 \
     "set of LK_REQUEUES_*: 1 jobs that have ended can be requeued as long as they "               \
     "are remembered; 2 a job is requeued when its run has ended")

#endif
