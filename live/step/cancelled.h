/* live/step/cancelled.h — what is said to the user when his job or step is ended from outside.
 *
 * "*** JOB 5 ON n1 CANCELLED AT 2026-11-23T15:20:36 DUE TO TIME LIMIT ***", as slurmstepd writes
 * it (_handle_signal_container of src/slurmd/slurmstepd/req.c). */
#ifndef LK_LIVE_STEP_CANCELLED_H
#define LK_LIVE_STEP_CANCELLED_H

#include <glib.h>

/* `what`: "JOB 5", "STEP 5.0"; `why`: number of LkEndWhy, 0: nothing that is told. As of now, in
 * the time of this machine. Returns: (transfer full). */
char *lk_cancelled_line (const char *what, const char *node, guint8 why);
/* Writes a line to a file of the user's, if that takes it at once: whoever does not read it holds
 * nobody up. */
void lk_cancelled_write (int file, const char *line);

#endif
