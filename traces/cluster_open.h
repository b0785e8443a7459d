/* traces/cluster_open.h — the machine that a word of a command line means.
 *
 * A file goes first: a page of YAML, or a slurm.conf with what lies beside it, told by the first
 * line that is neither empty nor a comment.  Else it is the name of a preset. */
#ifndef LK_TRACES_CLUSTER_OPEN_H
#define LK_TRACES_CLUSTER_OPEN_H

#include <glib.h>

#include "engine/cluster.h"

/* Returns: (transfer full), checked; NULL on failure. */
LkCluster *lk_cluster_open (const char *name, GError **error);
/* Is it a slurm.conf? FALSE also for what cannot be read. */
gboolean lk_cluster_is_slurm_conf (const char *name);

#endif
