/* live/step/private_folders.h — folders that each run has to itself: /tmp, /dev/shm.
 *
 * In a mount namespace of its own the processes of a run find, in place of each of these, a folder
 * BASE/RUN_ID/N that nobody else can reach and that is removed with the run; in place of /dev/shm
 * memory that goes with the last of them.  What is mounted outside while the run lives comes in.
 * Prolog and epilog see the node as it is.
 *
 * Source: job_container.conf(5), job_container/tmpfs. */
#ifndef LK_LIVE_STEP_PRIVATE_FOLDERS_H
#define LK_LIVE_STEP_PRIVATE_FOLDERS_H

#include "live/step/step.h"

/* Before any process of the run: makes the folders, empty. FALSE: see errno. */
gboolean lk_private_make (const LkStep *step);
/* The process that calls sees them from now on, with all that it will start. FALSE: see errno. */
gboolean lk_private_enter (const LkStep *step);
/* Behind the last process of the run. FALSE: something is left; see errno. */
gboolean lk_private_remove (const LkStep *step);

#endif
