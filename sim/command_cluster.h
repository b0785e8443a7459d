/* sim/command_cluster.h — scontrol of a script that changes the machine: partitions that are made,
 * changed and deleted, and what nodes are. */
#ifndef LK_SIM_COMMAND_CLUSTER_H
#define LK_SIM_COMMAND_CLUSTER_H

#include "policies/registry.h"
#include "sim/driver.h"
#include "traces/command_script.h"

/* A configuration comes into force, as a controller lets it.  `setup`: what the engine began with;
 * NULL: no machine may change. NULL; or why it is refused, put into `texts`. */
const char *lk_command_cluster (const LkCommand *command, const LkSimControl *control,
                                const LkSetup *setup, GStringChunk *texts);

#endif
