/* live/step/keeper.h — who keeps the processes of one stage together: a child of the supervisor.
 *
 * It starts them, passes signals on, waits until the one that counts has ended, and then ends
 * whatever is left: by control group, else as the subreaper of all that descend from it.  Only when
 * nothing is left it says how the stage has ended, and goes.
 *
 * Supervisor and keeper watch each other.  If the supervisor dies, the keeper ends everything; if
 * the keeper does, its orphans are the supervisor's, which does the same.  Both hold the lock of
 * the run, so that this is free only when nothing of it lives. */
#ifndef LK_LIVE_STEP_KEEPER_H
#define LK_LIVE_STEP_KEEPER_H

#include "live/step/step.h"

typedef struct {
  pid_t pid;
  int stream; /* orders there, the line of lk_run_end_print back */
} LkKeeper;

/* `script`: how the script has ended, of an epilog. FALSE: it cannot be started. */
gboolean lk_keeper_start (LkStep *step, LkStage stage, const LkExit *script, LkKeeper *out_keeper);

/* Ends all that descends from the caller, which is a subreaper, or is in its control group, and
 * waits until it is gone. */
void lk_keeper_end_all (const LkStep *step);

#endif
