/* live/step/enter.h — a process gives up what is ours and becomes what is a user's, piece by piece.
 *
 * For children of the keeper, before they touch anything of the user: the script, and the process
 * that runs the tasks of a step. */
#ifndef LK_LIVE_STEP_ENTER_H
#define LK_LIVE_STEP_ENTER_H

#include <sys/resource.h>

#include "live/step/step.h"

/* All signals do what they do by default, and none is blocked. */
void lk_enter_default_signals (void);
/* The supervisor is spared when memory runs out, its run is not. */
void lk_enter_reset_oom_score (void);
/* A session of its own, in the control group and with the folders of the run: whatever it starts
 * from now on is of the run. FALSE: it cannot have the folders; see errno. */
gboolean lk_enter_run (LkStep *step);
/* To run on these CPUs only; NULL: any. */
void lk_enter_cpus (const LkStep *step, const char *cpus);
/* A soft limit, not above the hard one; all ones: none. */
void lk_enter_limit (__rlimit_resource_t which, guint64 wanted);
/* For good, and looked at whether that holds. NULL, or what cannot be; see errno. */
const char *lk_enter_user (const LkStep *step);

/* As lk_enter_user, but root may come back, by the next two: for a process that calls plugins of
 * the site.  Who is not root stays who he is. */
const char *lk_enter_user_for_now (const LkStep *step);
void lk_enter_root_again (void);
/* Ends the process when that cannot be. */
void lk_enter_user_again (const LkStep *step);

#endif
