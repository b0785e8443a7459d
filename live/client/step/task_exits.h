/* live/client/step/task_exits.h — how the tasks of a step have ended: what is told of it, and the
 * exit code of srun.
 *
 * Tasks that end alike within a moment are told together: "n[1-2]: tasks 0-3: Exited with exit code
 * 3".  Source: _task_finish of Slurm's src/srun/launch.c. */
#ifndef LK_LIVE_CLIENT_STEP_TASK_EXITS_H
#define LK_LIVE_CLIENT_STEP_TASK_EXITS_H

#include <glib.h>

typedef struct _LkTaskExits LkTaskExits;

/* `nodes`: of const char*, on which node each task is; borrowed. Returns: (transfer full). */
LkTaskExits *lk_task_exits_new (const GPtrArray *nodes);
void lk_task_exits_free (LkTaskExits *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkTaskExits, lk_task_exits_free)

void lk_task_exits_started (LkTaskExits *self, guint32 task);
/* `status` is as of wait(2). What is no task, or has ended before, is nothing. */
void lk_task_exits_add (LkTaskExits *self, guint32 task, int status, gboolean is_oom);
/* Appends a line for each kind of end that was bad and is not told yet, without what it begins
 * with: "n1: task 0: Exited with exit code 3".  Without `tells_signals` those that a signal ended
 * are not told: it was ours. */
void lk_task_exits_tell (LkTaskExits *self, gboolean tells_signals, GPtrArray *out_lines);
/* Is something there that _tell would tell? */
gboolean lk_task_exits_has_news (const LkTaskExits *self);
gboolean lk_task_exits_ended_by_signal (const LkTaskExits *self, int number);
guint32 lk_task_exits_count (const LkTaskExits *self);
gboolean lk_task_exits_has_bad (const LkTaskExits *self);
/* The highest of all tasks; of one that a signal has ended 128 and its number. */
int lk_task_exits_code (const LkTaskExits *self);
/* Appends "tasks 0-3: running" and the like, a line for each state that there is. */
void lk_task_exits_states (const LkTaskExits *self, GPtrArray *out_lines);

/* Appends numbers that rise: "0-3,5". */
void lk_task_ranges (const GArray *tasks, GString *out);

#endif
