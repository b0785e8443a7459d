/* live/step/child.h — a child of the keeper becomes what it is to run.
 *
 * Everything that is the user's is done as the user: switched for good, and looked at whether that
 * holds, before a path of his is touched.  So no symbolic link, and no race for one, reaches what
 * he could not reach himself.  The script is put, by us, where he can read it and not replace it.
 *
 * None of these returns.  What keeps a script from being run is written to `fault` as an LkExit. */
#ifndef LK_LIVE_STEP_CHILD_H
#define LK_LIVE_STEP_CHILD_H

#include "live/step/step.h"

/* A script whose output cannot be opened ends so, in Slurm. */
#define LK_SIGNAL_NO_OUTPUT 53u
/* What had no memory left ends with 0:125 (SIG_OOM of Slurm), whatever its processes made of it. */
#define LK_SIGNAL_OUT_OF_MEMORY 125u

G_NORETURN void lk_child_script (LkStep *step, int fault);
/* TaskEpilog, behind the script: as the user, in his working directory. */
G_NORETURN void lk_child_task_epilog (LkStep *step, int fault);
/* On a node without the script: it waits for its end. */
G_NORETURN void lk_child_wait (LkStep *step, int fault);
/* A prolog or epilog. */
G_NORETURN void lk_child_program (LkStep *step, const char *program, const char *context,
                                  const LkExit *how);
/* job_prolog and job_epilog of the plugins of the site, with the environment of a prolog. */
G_NORETURN void lk_child_plugins (LkStep *step, gboolean is_prolog, const LkExit *how);
/* The folder of the script, and of PMIx servers, goes. */
void lk_child_clean (const LkStep *step);

#endif
