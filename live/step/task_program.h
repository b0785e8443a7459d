/* live/step/task_program.h — TaskProlog and TaskEpilog: programs of the site that run as the user,
 * around each task; a batch script is one.
 *
 * What a TaskProlog says changes what its task finds: lines `export NAME=VALUE`, `unset NAME`, and
 * `print TEXT`, which goes to the task's standard output.  All else that it says is dropped.
 * Nothing of this is ever done as root.
 *
 * Source: slurm.conf(5), prolog_epilog.html. */
#ifndef LK_LIVE_STEP_TASK_PROGRAM_H
#define LK_LIVE_STEP_TASK_PROGRAM_H

#include "live/step/step.h"

/* Slurm waits for a TaskEpilog no longer. */
#define LK_TASK_EPILOG_MAX_US (5 * G_GINT64_CONSTANT (1000000))

/* By who is the user already, where the script would begin. `environment`: of the script, NULL
 * behind the last; changed as the program says. Returns: 0, or with which code the task ends. */
int lk_task_prolog (const LkStep *step, const char *path, GPtrArray *environment);

/* What the lines say. `print` gets what is to be printed. */
void lk_task_lines (char *text, GPtrArray *environment, GString *print);

#endif
