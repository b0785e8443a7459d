/* sim/cluster_show.h — a machine as tables for people and as JSON for programs. */
#ifndef LK_SIM_CLUSTER_SHOW_H
#define LK_SIM_CLUSTER_SHOW_H

#include <glib.h>

#include "engine/cluster.h"

/* A summary, then tables of nodes, partitions, licences and topology, where there are any. Groups
 * of nodes that differ in their names only are one row. `cluster` is checked. */
void lk_cluster_show (const LkCluster *cluster, GString *out);

/* One object with every member under the name that it has in engine/cluster.h; what has no limit is
 * null, flags are 0 or 1. */
void lk_cluster_json (const LkCluster *cluster, GString *out);

/* "64 nodes, 8192 CPUs, 512 GPUs, 2 partitions" */
void lk_cluster_counts (const LkCluster *cluster, GString *out);

#endif
