/* live/core/step_schema.h — the one table of what is said about steps of a job: what is asked for,
 * what they were given, what they have used, and what their tasks need to run.
 *
 * From these X-macros are made fields of messages (live/core/message_schema.h), of records
 * (live/core/record_schema.h), and the payload of a STEP_CREATE and of a STEP_LAUNCH: u8 version,
 * then LK_STEP_TASK_FIELDS (live/core/step_task.h).  Into the payload the controller does not look;
 * it is not written to any disk by it.
 *
 * Field types are those of messages and of batch jobs (live/core/batch_schema.h).  Fields of the
 * payload may be added at the end, with a new version. */
#ifndef LK_LIVE_CORE_STEP_SCHEMA_H
#define LK_LIVE_CORE_STEP_SCHEMA_H

#include "live/core/batch_schema.h"

/* How tasks lie on nodes: X (NAME, number, what it is). Source: srun(1), --distribution. */
#define LK_STEP_DISTRIBUTIONS(X)                                                                   \
  X (DEFAULT, 0, "block; cyclic where there are no more tasks than nodes, which is the same")      \
  X (BLOCK, 1, "consecutive tasks share a node; nodes get as equal numbers as their CPUs allow")   \
  X (CYCLIC, 2, "consecutive tasks are on consecutive nodes, round and round")                     \
  X (PLANE, 3, "blocks of plane_size tasks, round and round")                                      \
  X (ARBITRARY, 4, "as `nodelist` names the nodes, once for each task")                            \
  X (PACK, 5, "block, and each node is filled before the next one")

/* What is wanted beside amounts: X (NAME, bit, what it is). */
#define LK_STEP_FLAGS(X)                                                                           \
  X (OVERLAP, 0, "its CPUs and devices may be those of other steps that say so, too")              \
  X (EXACT, 1, "it gets what it asks for, not all CPUs of the nodes that it uses")                 \
  X (OVERCOMMIT, 2, "more tasks on a node than it has CPUs for")                                   \
  X (PTY, 3, "one of its tasks has a terminal")                                                    \
  X (NO_KILL, 4, "it goes on when a node of it is lost")                                           \
  X (INTERACTIVE, 5, "the step that a user of salloc works in")                                    \
  X (NO_DEVICES, 6, "--gres=none: it gets none of the devices of its job")

/* Why a step is refused: X (NAME, Slurm's number, Slurm's text). */
#define LK_STEP_ERRORS(X)                                                                          \
  X (NONE, 0, "No error")                                                                          \
  X (ACCESS_DENIED, 2002, "Access/permission denied")                                              \
  X (TOO_MANY_CPUS, 2005, "More processors requested than permitted")                              \
  X (NODE_COUNT, 2006, "Node count specification invalid")                                         \
  X (TOO_LONG, 2012, "Pathname of a file, directory or other parameter too long")                  \
  X (NODE_CONFIG, 2014, "Requested node configuration is not available")                           \
  X (NODES_BUSY, 2016, "Requested nodes are busy")                                                 \
  X (INVALID_JOB_ID, 2017, "Invalid job id specified")                                             \
  X (NODE_NAME, 2018, "Invalid node name specified")                                               \
  X (ALREADY_DONE, 2021, "Job/step already completing or completed")                               \
  X (BAD_DISTRIBUTION, 2023, "Task distribution specification invalid")                            \
  X (JOB_PENDING, 2024, "Job is pending execution")                                                \
  X (BAD_TASK_COUNT, 2025, "Task count specification invalid")                                     \
  X (DISABLED, 2037, "Requested operation is presently disabled")                                  \
  X (JOB_SUSPENDED, 2041, "Job is suspended")                                                      \
  X (TASK_MEMORY, 2044, "Memory required by task is not available")                                \
  X (INVALID_GRES, 2072, "Invalid generic resource (gres) specification")                          \
  X (STEP_LIMIT, 2079, "Step limit reached for this job")                                          \
  X (INVALID_STEP_ID, 2085, "Invalid job step id specified")                                       \
  X (INVALID_REQUEST, 2096, "Invalid job or step request")

/* What is asked for. 0 and empty: not given. */
#define LK_STEP_WANT_FIELDS(F)                                                                     \
  F (text, name, "name of the step")                                                               \
  F (u32, node_min, "fewest nodes")                                                                \
  F (u32, node_max, "most nodes")                                                                  \
  F (u32, tasks, "how many; not given: as tasks_per_node says, else one on each node")             \
  F (u32, cpus_per_task, "CPUs for each task")                                                     \
  F (u32, tasks_per_node, "most tasks on a node")                                                  \
  F (i64, memory_per_node_bytes, "memory on each node; not given: the job's, with other steps")    \
  F (i64, memory_per_cpu_bytes, "memory for each CPU")                                             \
  F (i64, memory_per_gpu_bytes, "memory for each GPU")                                             \
  F (u32, gpus, "GPUs in all")                                                                     \
  F (u32, gpus_per_node, "GPUs on each node; nothing of these: all of the job")                    \
  F (u32, gpus_per_task, "GPUs for each task")                                                     \
  F (long_text, nodelist, "nodes that it must have; ARBITRARY: one name for each task")            \
  F (long_text, exclude, "nodes that it must not have")                                            \
  F (u32, relative, "which node of the job is its first one, from 1")                              \
  F (u8, distribution, "number of LkStepDistribution")                                             \
  F (u32, plane_size, "of PLANE")                                                                  \
  F (i64, limit_us, "time limit of the step")                                                      \
  F (u32, flags, "set of LkStepFlag")                                                              \
  F (text, source_host, "where its srun is")                                                       \
  F (u32, source_pid, "process of its srun")                                                       \
  F (long_text, submit_line, "its command line, for people")

/* What a step has on one of its nodes, in the order of the nodes in the step. */
#define LK_STEP_PLACE_FIELDS(F)                                                                    \
  F (text, node, "name of the node")                                                               \
  F (u32, task_count, "so many tasks")                                                             \
  F (long_text, tasks, "which: 0-3 or 0,4,8; 0-1+8*3 is 0-1,8-9,16-17")                            \
  F (u32, cpus, "CPUs here")                                                                       \
  F (long_text, cores, "core indices, as 0-3,8; empty: they are not counted")                      \
  F (i64, memory_bytes, "memory here; where it asked for none what its job has; 0: not managed")   \
  F (text, gres, "devices as in a start decision, without the node: gpu:0-1,...; empty: none")

/* What the tasks of a step have used on a node, or on all. All 0: nobody knows.  A task is its
 * number in the step. */
#define LK_STEP_USAGE_FIELDS(F)                                                                    \
  F (u32, counted_tasks, "so many tasks have been looked at")                                      \
  F (i64, user_cpu_us, "CPU time of their processes")                                              \
  F (i64, system_cpu_us, "CPU time of the system on their behalf")                                 \
  F (i64, cpu_min_us, "least CPU time of a task, of both kinds")                                   \
  F (u32, cpu_min_task, "which")                                                                   \
  F (u64, rss_sum_bytes, "memory, of each task at its most, all together")                         \
  F (u64, rss_max_bytes, "most of a task")                                                         \
  F (u32, rss_max_task, "which")                                                                   \
  F (u64, vm_sum_bytes, "likewise of address space")                                               \
  F (u64, vm_max_bytes, "most of a task")                                                          \
  F (u32, vm_max_task, "which")                                                                    \
  F (u64, read_sum_bytes, "read from files and disks")                                             \
  F (u64, read_max_bytes, "most of a task")                                                        \
  F (u32, read_max_task, "which")                                                                  \
  F (u64, write_sum_bytes, "written")                                                              \
  F (u64, write_max_bytes, "most of a task")                                                       \
  F (u32, write_max_task, "which")                                                                 \
  F (u64, page_sum_count, "major page faults")                                                     \
  F (u64, page_max_count, "most of a task")                                                        \
  F (u32, page_max_task, "which")                                                                  \
  F (u64, gpu_memory_max_bytes, "most memory of GPUs at any one time")                             \
  F (u32, gpu_percent_max, "most that GPUs were busy, of a whole one")

/* Where the greatest and the least was, of all nodes of a step: indices of nodes in the step. */
#define LK_STEP_USAGE_NODE_FIELDS(F)                                                               \
  F (u32, cpu_min_node, "where the least CPU time was: place of the node in the step")             \
  F (u32, rss_max_node, "where the most memory was; so of the next ones")                          \
  F (u32, vm_max_node, "address space")                                                            \
  F (u32, read_max_node, "read")                                                                   \
  F (u32, write_max_node, "written")                                                               \
  F (u32, page_max_node, "page faults")

/* How a step stands on a node: X (NAME, number, what it is). */
#define LK_STEP_STATES(X)                                                                          \
  X (RUNNING, 1, "its tasks run, or are about to")                                                 \
  X (ENDED, 2, "nothing of it is left")

/* A step as an agent knows it. */
#define LK_STEP_REPORT_FIELDS(F)                                                                   \
  F (u64, run_id, "the run")                                                                       \
  F (u32, step_id, "its step")                                                                     \
  F (u8, state, "number of LkStepState")                                                           \
  F (u8, exit_code, "the highest of any task here")                                                \
  F (u8, signal, "that ended a task; 0: none")                                                     \
  F (u8, trouble, "number of LkTrouble")                                                           \
  LK_STEP_USAGE_FIELDS (F)

/* ---------------------------------------------------------------- what tasks need */

#define LK_STEP_TASK_VERSION 1u

#define LK_STEP_TASK_FIELDS(F)                                                                     \
  F (strings, arguments, "the program and its arguments; of a multi-prog: what stands behind it")  \
  F (strings, environment, "NAME=VALUE, already as --export and the options say")                  \
  F (path, work_dir, "working directory: an absolute path")                                        \
  F (u16, umask, "file mode creation mask")                                                        \
  F (u32, limits, "set of 1 << LkBatchLimit: which of the limits were given")                      \
  LK_BATCH_LIMITS (LK_BATCH_LIMIT_FIELD, F)                                                        \
  F (path, std_in, "file of standard input, a pattern that names tasks or nodes; empty: srun")     \
  F (path, std_out, "likewise of standard output")                                                 \
  F (path, std_err, "likewise of standard error; empty: where standard output goes")               \
  F (u8, input, "number of LkStepInput")                                                           \
  F (u32, input_task, "of ONE: which")                                                             \
  F (u8, open_mode, "number of LkBatchOpen: how output files are opened")                          \
  F (bytes, multi_prog, "the file of --multi-prog; empty: none")                                   \
  F (u8, mpi, "number of LkStepMpi")                                                               \
  F (text, cpu_bind, "--cpu-bind; empty: as the site says")                                        \
  F (text, gpu_bind, "--gpu-bind; empty: none")                                                    \
  F (text, mem_bind, "--mem-bind; empty: none")                                                    \
  F (u32, gpus_per_task, "so many devices for each task alone; 0: all of the step for each")       \
  F (u8, kill_on_bad_exit, "1: a task that ends badly ends the step")                              \
  F (i64, wait_us, "behind the first end of a task the others have so long; 0: for ever")          \
  F (path, task_prolog, "--task-prolog; empty: none")                                              \
  F (path, task_epilog, "--task-epilog; empty: none")                                              \
  F (u8, is_labelled, "1: output in files of the node is labelled")                                \
  F (u8, is_unbuffered, "1: output is passed on as it comes, not line by line")                    \
  F (u8, has_terminal, "1: task `input_task` has a terminal, the others have /dev/null")           \
  F (u16, rows, "of the terminal")                                                                 \
  F (u16, columns, "likewise")                                                                     \
  F (u8, is_forsaken, "1: the step goes on without its srun (--no-kill of the connection)")        \
  F (text, addresses, "where its srun listens: host:port,... in the order of trying")              \
  F (path, socket, "likewise, on its own machine; empty: not there")                               \
  F (bytes, key, "of the stream between node and srun")

/* Who reads what srun reads: X (NAME, number, what it is). */
#define LK_STEP_INPUTS(X)                                                                          \
  X (ALL, 0, "all tasks")                                                                          \
  X (ONE, 1, "task `input_task`")                                                                  \
  X (NOBODY, 2, "nobody: /dev/null, or files")

/* --mpi: X (NAME, number, what it is). */
#define LK_STEP_MPIS(X)                                                                            \
  X (NONE, 0, "none")                                                                              \
  X (PMIX, 1, "pmix")                                                                              \
  X (PMI2, 2, "pmi2, and version 1 of it")

#endif
