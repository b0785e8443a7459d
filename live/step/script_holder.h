/* live/step/script_holder.h — where the site has SPANK plugins, a batch script has a process above
 * it that calls them behind its end, and ends as it has ended.
 *
 * A signal that is for the script alone comes to the holder, which hands it on; it does not end
 * by any other one but SIGKILL, as those of the whole run reach the script themselves. */
#ifndef LK_LIVE_STEP_SCRIPT_HOLDER_H
#define LK_LIVE_STEP_SCRIPT_HOLDER_H

#include "live/step/step_plugins.h"

/* Sends a signal that is for the script alone to the process that holds it, or to the script. */
void lk_script_signal (pid_t pid, int signal);
/* Returns in the process that is to become the script: as the user for good, with what plugins made
 * of its environment. */
void lk_script_hold (LkStepPlugins *plugins, char **arguments, GPtrArray *environment, int fault);

#endif
