/* live/step/tasks_setup.h — what the process of a step's tasks makes of what it was told: which
 * tasks, on which CPUs, with what, from where (tasks_private.h). */
#ifndef LK_LIVE_STEP_TASKS_SETUP_H
#define LK_LIVE_STEP_TASKS_SETUP_H

#include "live/step/tasks_private.h"

/* Before anything else. FALSE: it cannot be read. */
gboolean lk_tasks_read (LkTasks *self, const LkTasksPlan *plan);
/* What the whole run is signalled is for its tasks: this process outlives them. */
void lk_tasks_ignore_signals (void);
/* With the rights of the keeper: a part of the run's control group is confined to what the step
 * has; (transfer full). NULL: it is where the script is. */
void lk_tasks_take_group (LkTasks *self, LkCgroup *group);
/* All CPUs of the step, and no others, where they are known. */
void lk_tasks_enter_cpus (LkTasks *self);
/* With the rights of the keeper: a folder of the user's, for PMIx and what tasks share, where one
 * is wanted.  It goes with the run. FALSE: see errno. */
gboolean lk_tasks_make_folder (LkTasks *self);
/* As the user, before the first task. NULL, or why none can be begun. Returns: (transfer full). */
char *lk_tasks_set_up (LkTasks *self);
/* The socket first, if it is there. NULL behind the last. Returns: (transfer full). */
char **lk_tasks_addresses (LkPath socket, LkText list);

/* The plugins of the site begin, with the rights that we have now; that they have failed counts
 * when the step begins.  Then these rights are given up: for now, where there are plugins. NULL,
 * or what cannot be; see errno. */
const char *lk_tasks_enter_user (LkTasks *self);

#endif
