/* live/step/multi_prog.h — the file of srun --multi-prog: which program each task runs.
 *
 * A line is: tasks, program, arguments.  Tasks are numbers, ranges, and * for all that no line
 * names; %t in arguments is the task, %o its place in the list of the line, from 0.  Words may be
 * in quotes, a backslash takes the next letter as it is, and at the end of a line goes on in the
 * next one; # begins a comment.
 *
 * Source: srun(1), "MULTIPLE PROGRAM CONFIGURATION". */
#ifndef LK_LIVE_STEP_MULTI_PROG_H
#define LK_LIVE_STEP_MULTI_PROG_H

#include <glib.h>

/* Arguments of a task, NULL behind the last. NULL: no line names it, or one cannot be read; then
 * `out_fault` is a text for the user. Returns: (transfer full). */
char **lk_multi_prog_arguments (const char *text, gsize length_bytes, guint32 task,
                                char **out_fault);

/* The first of so many tasks that no line names; `tasks`: all are named. Lines that cannot be read
 * are left to lk_multi_prog_arguments, which says what is wrong with them. */
guint32 lk_multi_prog_first_lacking (const char *text, gsize length_bytes, guint32 tasks);

#endif
