/* live/step/task_usage.h — what the processes of a task use, as /proc says, and at their end as
 * wait4(2) does.
 *
 * Source: proc(5); Slurm's jobacct_gather/linux, which counts the same. */
#ifndef LK_LIVE_STEP_TASK_USAGE_H
#define LK_LIVE_STEP_TASK_USAGE_H

#include <sys/resource.h>
#include <sys/types.h>

#include "live/core/message.h"

/* The most that was seen; CPU time, what was read and written, and faults only rise. */
typedef struct {
  gint64 user_cpu_us;
  gint64 system_cpu_us;
  guint64 rss_bytes;
  guint64 vm_bytes;
  guint64 read_bytes;
  guint64 write_bytes;
  guint64 page_count;
} LkTaskUse;

/* Now, of a process and all below it, as lk_process_all has just found them. */
void lk_task_use_look (LkTaskUse *self, const GArray *all, pid_t pid);
/* Of a process that has ended, with those that it has waited for. */
void lk_task_use_end (LkTaskUse *self, const struct rusage *use);
/* Takes a task into what a step has used. */
void lk_task_use_add (LkStepReport *report, const LkTaskUse *use, guint32 task);

#endif
