/* live/client/step/guardian.h — who cancels a job without a script when its client is gone.
 *
 * A job of srun, and one that salloc still waits for, ends with its client; one that was killed by
 * SIGKILL cannot say so.  A process of its own waits meanwhile for the end of a pipe that the
 * client alone holds open.  So does Slurm's srun (_shepherd_spawn of
 * src/srun/libsrun/srun_job.c).  Where the client dies between its submit and the answer, so that
 * it knows no job yet, the process asks the controller what became of the submit. */
#ifndef LK_LIVE_CLIENT_STEP_GUARDIAN_H
#define LK_LIVE_CLIENT_STEP_GUARDIAN_H

#include <sys/types.h>

#include "live/client/client.h"

/* All zero: there is none. */
typedef struct {
  pid_t pid;
  int pipe;
} LkGuardian;

/* Before the client asks for its job: its next request is the submit.  There is none behind it
 * where no process can be made, or where the way to the controller cannot be opened twice. */
void lk_guardian_begin (LkGuardian *self, const LkClient *client);
/* This job it is that is cancelled. */
void lk_guardian_watch (const LkGuardian *self, guint32 job_id);
/* Nothing is cancelled any more. Harmless when there is none. */
void lk_guardian_end (LkGuardian *self);

#endif
