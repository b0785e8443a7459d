/* live/step/login.h — what a user finds in his environment when he logs in on this node.
 *
 * As root by `su - USER -c env`, as Slurm has it, so that PAM and his shell's profile say it; else
 * by his shell as a login shell.  What his profile does is his own: it is done as him, in the
 * control group of his run, and for so long only. */
#ifndef LK_LIVE_STEP_LOGIN_H
#define LK_LIVE_STEP_LOGIN_H

#include "live/step/step.h"

/* NAME=VALUE, without NULL behind the last. Returns: (transfer full); NULL: it is not to be had. */
GPtrArray *lk_login_environment (const LkStep *step);

#endif
