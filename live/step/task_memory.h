/* live/step/task_memory.h — a task's memory comes from the NUMA nodes that --mem-bind says. */
#ifndef LK_LIVE_STEP_TASK_MEMORY_H
#define LK_LIVE_STEP_TASK_MEMORY_H

#include "live/step/tasks_private.h"

/* By the process that becomes the task, which has its CPUs. What cannot be done it tells on
 * standard error, and exits: memory that was to be near is not silently far. */
void lk_task_memory_bind (const LkTasks *self, const LkTask *task);

#endif
