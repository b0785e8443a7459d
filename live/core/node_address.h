/* live/core/node_address.h — where nodes are in the network, as SLURM_TOPOLOGY_ADDR has it.
 *
 * Of a tree the switches from the top down and the node, "root.sw1.n1", of blocks the block and the
 * node; without a topology, and of a node that no switch has, the node alone.  The pattern says
 * what the parts are: "switch.switch.node".
 *
 * Source: srun(1), OUTPUT ENVIRONMENT VARIABLES. */
#ifndef LK_LIVE_CORE_NODE_ADDRESS_H
#define LK_LIVE_CORE_NODE_ADDRESS_H

#include "engine/cluster.h"

typedef struct _LkNodeAddresses LkNodeAddresses;

/* Of all nodes of a cluster that was checked; NULL: of a counted pool, which has none.  Keeps
 * nothing of it. O(nodes + switches). */
LkNodeAddresses *lk_node_addresses_new (const LkCluster *cluster);
void lk_node_addresses_free (LkNodeAddresses *self);
/* Appends address and pattern of a node. */
void lk_node_address (const LkNodeAddresses *self, const char *node, GString *out_address,
                      GString *out_pattern);

#endif
