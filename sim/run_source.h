/* sim/run_source.h — the log of a run, and the size of its machine. */
#ifndef LK_SIM_RUN_SOURCE_H
#define LK_SIM_RUN_SOURCE_H

#include "sim/settings.h"
#include "sim/verb_sim.h"

/* Opens the log that the settings name, or the bytes that the hooks have.  The machine is as large
 * as the settings, the cluster (NULL: a counted pool) or the log's header say, else as large as the
 * log's jobs need (sim/machine_guess.h): of this the user is warned, unless there are hooks.
 * Returns: (transfer full). */
LkTraceSource *lk_run_source (const LkSettings *settings, const LkSimHooks *hooks,
                              const LkCluster *cluster, GError **error);

#endif
