/* traces/command_cluster.h — from the pairs of a scontrol command about a partition or nodes to the
 * change of the machine's description that says the same.
 *
 * Values are read as on the lines of slurm.conf, by the same reader.  A key of Slurm's that nothing
 * here acts on is an error, but for the value that it has all the same (PowerDownOnIdle=NO).
 *
 * Source: scontrol(1), PARTITIONS and NODES. */
#ifndef LK_TRACES_COMMAND_CLUSTER_H
#define LK_TRACES_COMMAND_CLUSTER_H

#include <glib.h>

#include "engine/cluster_change.h"
#include "traces/command_script.h"

/* Is it about the description: more than the state of a partition or of nodes? */
gboolean lk_command_changes_cluster (const LkCommand *command);
/* Does it say how nodes stand, too? They are changed first. */
gboolean lk_command_sets_node_state (const LkCommand *command);
/* Of one that is. Texts are put into `texts`, or borrowed from the command; State and Reason of
 * nodes are left to lk_command_node_event. FALSE with an LK_TRACE_ERROR_SYNTAX. */
gboolean lk_command_cluster_change (const LkCommand *command, GStringChunk *texts,
                                    LkClusterChange *out_change, GError **error);

#endif
