/* policies/classic_fairshare.h — Slurm's fairshare before Fair Tree, and its DEPTH_OBLIVIOUS form.
 *
 * A factor is 2^(-(UE / S) / dampening): S the shares of the whole that an association has, UE its
 * effective use, which mixes its own use with that of the accounts above it.
 *
 * Accounts are looked at once in each cycle, before use decays; a user when the first of its jobs
 * is met afterwards.  With DEPTH_OBLIVIOUS that shows: effective use depends on the use of
 * siblings as it was when these were last looked at, and is next to nothing beside a sibling that
 * never was, because Slurm then takes its use for 4294967294 times that of the cluster.
 * Source: Slurm, "Classic Fairshare Algorithm"; DEPTH_OBLIVIOUS as observed on 26.05. */
#ifndef LK_POLICIES_CLASSIC_FAIRSHARE_H
#define LK_POLICIES_CLASSIC_FAIRSHARE_H

#include "policies/shares.h"

typedef struct {
  uint32_t depth_oblivious;
  uint32_t dampening; /* FairShareDampeningFactor, >= 1 */
} LkClassicRule;

/* Begins a cycle: takes the tree from the view, looks at all accounts, and at no user. */
void lk_classic_begin (LkShares *self, const LkView *view, const LkClassicRule *rule);

/* Looks at a user, unless that was done in this cycle. */
void lk_classic_evaluate (LkShares *self, const LkView *view, const LkClassicRule *rule,
                          uint32_t index);

/* What an association would be if it were looked at now. */
LkShare lk_classic_look (const LkShares *self, const LkView *view, const LkClassicRule *rule,
                         uint32_t index);

#endif
