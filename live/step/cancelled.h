/* live/step/cancelled.h — what a job's standard error says when it is ended from outside.
 *
 * "*** JOB 5 ON n1 CANCELLED AT 2026-11-23T15:20:36 DUE TO TIME LIMIT ***", as slurmstepd writes
 * it (_handle_signal_container of src/slurmd/slurmstepd/req.c).
 *
 * The file is the user's: a terminal, a pipe that nobody reads, or a file of a network server that
 * does not answer.  So a child process writes to it, with the user's rights, and the keeper never
 * waits for that child without a bound. */
#ifndef LK_LIVE_STEP_CANCELLED_H
#define LK_LIVE_STEP_CANCELLED_H

#include <glib.h>
#include <sys/types.h>

#include "live/step/step.h"

/* The process that writes; all zero: none does. */
typedef struct {
  pid_t pid;        /* 0: none */
  GString *waiting; /* lines that came while it wrote; NULL: none */
} LkCancelledWriter;

/* `what`: "JOB 5", "STEP 5.0"; `why`: number of LkEndWhy, 0: no reason.  The time is now, in the
 * time zone of this machine. Returns: (transfer full). */
char *lk_cancelled_line (const char *what, const char *node, guint8 why);
/* Starts a process that writes a line to `file` as the user, after all earlier lines.  Returns at
 * once; what the file does not accept at once is lost, as are lines beyond 64 KiB that wait. */
void lk_cancelled_write (LkCancelledWriter *self, const LkStep *step, int file, const char *line);
/* The caller has reaped `pid`: if it was the writer, the next one starts. */
void lk_cancelled_reaped (LkCancelledWriter *self, const LkStep *step, int file, pid_t pid);

#endif
