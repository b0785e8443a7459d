/* policies/shares.h — the associations as fairshare sees them, and what was last made of each.
 *
 * An account with FairShare=parent has no shares of its own: what is below it stands on the level
 * of the nearest account above that has some.  That account is the `parent` of all on its level
 * (of an association with FairShare=parent it is whose shares and use it takes over).
 *
 * Invariants: index 0 is the root, which is nobody's child; `first` and `next` link each level in
 * the order in which the view's own links give it; accounts without shares are on no level.
 *
 * Not here: the two algorithms (fair_tree.h, classic_fairshare.h). */
#ifndef LK_POLICIES_SHARES_H
#define LK_POLICIES_SHARES_H

#include "engine/policy.h"

/* What Slurm takes for the use of an association whose use it has never looked at (its NO_VAL). */
#define LK_SHARE_USAGE_UNKNOWN 4294967294.0

typedef struct {
  /* The tree; see lk_shares_link. */
  uint32_t parent;       /* LK_INDEX_NONE: of the root */
  uint32_t first;        /* of its level; LK_INDEX_NONE: nobody */
  uint32_t next;         /* on the same level */
  uint64_t level_shares; /* sum of the level that it heads */
  double shares_norm;
  /* As last calculated. */
  double usage_norm;
  double usage_effective;
  double level_fairshare;
  double factor;
  uint32_t is_evaluated; /* classic: effective use is that of this cycle */
} LkShare;

typedef struct {
  LkShare *items;
  uint32_t count;
} LkShares;

/* Makes room for the view's associations; new ones have a factor of 0. */
void lk_shares_resize (LkShares *self, const LkAccountsView *accounts);
void lk_shares_clear (LkShares *self);

/* Takes the tree and the shares from the view; all but `shares_norm`, which the algorithms
 * define. */
void lk_shares_link (LkShares *self, const LkAccountsView *accounts);

/* The association behind `index` when the tree is walked from the root, an account before what is
 * below it; LK_INDEX_NONE behind the last. */
uint32_t lk_shares_next (const LkAccountsView *accounts, uint32_t index);

/* Shares relative to those of its level: 0 where the level has none. */
double lk_shares_of_level (const LkShares *self, const LkAccountsView *accounts, uint32_t index);

static inline uint32_t
lk_share_is_parents (const LkAccountsView *accounts, uint32_t index)
{
  return index != 0 && accounts->associations[index].shares == LK_SHARES_PARENT;
}

#endif
