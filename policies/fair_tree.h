/* policies/fair_tree.h — the Fair Tree algorithm: users are ranked by a walk of the tree.
 *
 * Among the children of one account the one with the highest level fairshare, shares over use,
 * comes first, with all that is below it.  The walk counts down from the number of user
 * associations; a user's factor is its rank divided by that number, in (0, 1].  Equal level
 * fairshares share a rank. Source: Slurm, "Fair Tree Fairshare Algorithm". */
#ifndef LK_POLICIES_FAIR_TREE_H
#define LK_POLICIES_FAIR_TREE_H

#include "policies/shares.h"

/* What happens to sibling accounts with equal level fairshare. */
typedef enum {
  LK_FAIR_TREE_SLURM, /* as Slurm does: one after the other, and the first user of the second one
                         takes over the last rank of the first one */
  LK_FAIR_TREE_DOCUMENTED, /* as its documentation says: their children are sorted as one list */
} LkFairTreeTies;

/* Fills the shares alone, as they are when associations have changed. Cost: O(n). */
void lk_fair_tree_norm (LkShares *self, const LkAccountsView *accounts);

/* Fills all that was last calculated, from the use as it stands. Cost: O(n log n). */
void lk_fair_tree_walk (LkShares *self, const LkAccountsView *accounts, LkFairTreeTies ties);

#endif
