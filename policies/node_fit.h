/* policies/node_fit.h — which nodes: the algorithms that know no topology, and those that do.
 *
 * Each is an attempt in the sense of policies/node_pick.h.  All of them take the nodes that the job
 * names first.  docs/policy-select.md tells what each does; their source is Slurm's behaviour. */
#ifndef LK_POLICIES_NODE_FIT_H
#define LK_POLICIES_NODE_FIT_H

#include "policies/node_pick.h"

/* Consecutive best fit: the tightest set of neighbouring nodes of equal weight that holds the job,
 * or else the largest sets one after the other. */
LkNodeResult lk_node_fit_consecutive (LkNodePick *self);
/* Only nodes with consecutive indices. */
LkNodeResult lk_node_fit_contiguous (LkNodePick *self);
/* The first ones in the order `self->before`. */
LkNodeResult lk_node_fit_ordered (LkNodePick *self);
/* For a job of one node: the first node of the lowest weight that holds all of it. GPUs do not
 * count in the weight. */
LkNodeResult lk_node_fit_first (LkNodePick *self);
/* As many nodes as may be, each with as few CPUs as will do. */
LkNodeResult lk_node_fit_spread (LkNodePick *self);

/* On the fewest leaf switches of a tree. */
LkNodeResult lk_node_fit_tree (LkNodePick *self);
/* In one block, or each segment in one. */
LkNodeResult lk_node_fit_block (LkNodePick *self);

/* Orders, all by weight first: nodes with the greatest share of free CPUs, nodes in use before idle
 * ones, nodes from the last to the first. */
gboolean lk_node_before_least_loaded (const LkNodePick *self, uint32_t a, uint32_t b);
gboolean lk_node_before_busy (const LkNodePick *self, uint32_t a, uint32_t b);
gboolean lk_node_before_last (const LkNodePick *self, uint32_t a, uint32_t b);

/* What a policy's parameters want instead of the best fit. */
typedef struct {
  gboolean busy;          /* nodes in use first */
  gboolean serial_at_end; /* jobs of one CPU on the last nodes */
  gboolean first_fit;     /* jobs of one node by lk_node_fit_first, before all else */
} LkNodeHabits;

/* The algorithm that the demand or the habits ask for, whatever the topology; NULL: none.  Sets
 * `self->before`. */
LkNodeAttempt lk_node_fit_asked (LkNodePick *self, LkNodeHabits habits);

/* The same of nodes that all offer the same and give all of it; see LkSelectPolicy.choose_alike. */
int32_t lk_node_choose_alike (LkNodePick *self, const LkView *view, const LkDemand *demand,
                              const LkAlikeNodes *nodes);
/* The same for lk_node_fit_first. */
int32_t lk_node_choose_first_alike (LkNodePick *self, const LkView *view, const LkDemand *demand,
                                    const LkAlikeNodes *nodes);

/* ---------------------------------------------------------------- sets of neighbours */

/* The sets are made. */
void lk_node_sets_order (LkNodePick *self);
/* The set to be emptied next; NULL: there is none.  Who has emptied one sets its `node_count` to
 * 0. */
LkNodeSet *lk_node_sets_best (LkNodePick *self);

/* ---------------------------------------------------------------- for topologies */

/* Of the marked usable offers makes those light that have the lowest weights, as many weights as
 * suffice, and takes those below the last of these weights: weight goes before topology.
 * LK_NODE_RETRY: more is needed; LK_NODE_RETRY_MARKED: not even all suffice. */
LkNodeResult lk_node_fit_lightest (LkNodePick *self);

/* Counts the usable offers that have all the bits `only` on their leafs or base blocks, and, of a
 * tree, on all switches above.  Distances and use stay. */
void lk_node_switches_count (LkNodePick *self, uint8_t only);

/* The leaf or base block of an offer, or LK_NODE_NONE. */
static inline uint32_t
lk_node_switch_of (const LkNodePick *self, uint32_t offer)
{
  return self->cluster->node_switch[self->offers[offer].node];
}

#endif
