/* live/accounting/step_schema.h — the one table of what is kept of each step of a run.
 *
 * From this X-macro are made the columns of the table `steps`, the struct that one row is, and what
 * writes and reads it, as from live/accounting/job_schema.h.  Fields are F (type, name, help);
 * those of the first list are told when a step begins, the others when it ends. */
#ifndef LK_LIVE_ACCOUNTING_STEP_SCHEMA_H
#define LK_LIVE_ACCOUNTING_STEP_SCHEMA_H

#include "live/accounting/job_schema.h"

#define LK_ACCOUNTING_STEP_BEGIN_FIELDS(F)                                                         \
  F (integer, run_id, "its run")                                                                   \
  F (integer, step_id, "its number, from 0 in each run")                                           \
  F (integer, job_id, "its job")                                                                   \
  F (integer, user_id, "who asked for it")                                                         \
  F (text, name, "its name")                                                                       \
  F (integer, start_us, "when it was created")                                                     \
  F (integer, limit_us, "its time limit; 0: none")                                                 \
  F (integer, tasks, "so many tasks")                                                              \
  F (integer, nodes, "so many nodes")                                                              \
  F (integer, cpus, "so many CPUs")                                                                \
  F (text, node_list, "hostlist of its nodes")                                                     \
  F (text, allocated_tres, "cpu=4,gres/gpu=1,mem=500M,node=2")                                     \
  F (integer, distribution, "number of LkStepDistribution")                                        \
  F (text, submit_line, "its command line")

#define LK_ACCOUNTING_STEP_END_FIELDS(F)                                                           \
  F (integer, end_us, "when it ended; 0: it has not")                                              \
  F (integer, state, "number of LkJobState; of one that has not ended that of running ones")       \
  F (integer, exit_code, "the highest of any task")                                                \
  F (integer, signal, "that ended a task; 0: none")                                                \
  F (integer, counted_tasks, "tasks of which it is known what they have used; 0: nothing is")      \
  F (integer, user_cpu_us, "CPU time of all tasks")                                                \
  F (integer, system_cpu_us, "CPU time of the system on their behalf")                             \
  F (integer, cpu_min_us, "least CPU time of a task")                                              \
  F (integer, cpu_min_node, "place of its node in the list of nodes")                              \
  F (integer, cpu_min_task, "which task")                                                          \
  F (integer, rss_sum_bytes, "memory, of each task at its most")                                   \
  F (integer, rss_max_bytes, "most of a task")                                                     \
  F (integer, rss_max_node, "where")                                                               \
  F (integer, rss_max_task, "which")                                                               \
  F (integer, vm_sum_bytes, "address space, likewise")                                             \
  F (integer, vm_max_bytes, "most of a task")                                                      \
  F (integer, vm_max_node, "where")                                                                \
  F (integer, vm_max_task, "which")                                                                \
  F (integer, read_sum_bytes, "read")                                                              \
  F (integer, read_max_bytes, "most of a task")                                                    \
  F (integer, read_max_node, "where")                                                              \
  F (integer, read_max_task, "which")                                                              \
  F (integer, write_sum_bytes, "written")                                                          \
  F (integer, write_max_bytes, "most of a task")                                                   \
  F (integer, write_max_node, "where")                                                             \
  F (integer, write_max_task, "which")                                                             \
  F (integer, page_sum_count, "major page faults")                                                 \
  F (integer, page_max_count, "most of a task")                                                    \
  F (integer, page_max_node, "where")                                                              \
  F (integer, page_max_task, "which")                                                              \
  F (integer, gpu_memory_max_bytes, "most memory of GPUs at any one time")                         \
  F (integer, gpu_percent_max, "most that GPUs were busy, of a whole one")

#define LK_ACCOUNTING_STEP_FIELDS(F)                                                               \
  LK_ACCOUNTING_STEP_BEGIN_FIELDS (F)                                                              \
  LK_ACCOUNTING_STEP_END_FIELDS (F)

#define LK_ACCOUNTING_STEP_MEMBER(type, name, help) LK_ACCOUNTING_TYPE_##type name;
typedef struct {
  LK_ACCOUNTING_STEP_FIELDS (LK_ACCOUNTING_STEP_MEMBER)
} LkAccountingStep;

#endif
