/* live/step/task_gpus.h — which GPUs a task sees, as --gpu-bind and --gpus-per-task say. */
#ifndef LK_LIVE_STEP_TASK_GPUS_H
#define LK_LIVE_STEP_TASK_GPUS_H

#include "live/step/tasks_private.h"

/* What is asked for, and which CPUs are near to each GPU. */
void lk_task_gpus_read (LkTasks *self);
/* Numbers on the node. Returns: (transfer full), of guint32. */
GArray *lk_task_gpus (const LkTasks *self, const LkTask *task);
/* By the process that becomes the task: a line on standard error, where it was asked for, or where
 * the task does not see what was. */
void lk_task_gpus_tell (const LkTasks *self, const LkTask *task);

#endif
