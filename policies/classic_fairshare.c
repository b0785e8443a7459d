/* policies/classic_fairshare.c — see classic_fairshare.h. */
#include "policies/classic_fairshare.h"

#include <glib.h>

#define LN_2 0.69314718055994530942

/* Shares of the whole: of the level, times those of the account above. */
static double
shares_norm (const LkShares *self, const LkAccountsView *accounts, uint32_t index)
{
  if (index == 0)
    return 1.0;
  double above = self->items[self->items[index].parent].shares_norm;
  if (lk_share_is_parents (accounts, index))
    return above;
  return above * lk_shares_of_level (self, accounts, index);
}

static double
usage_norm (const LkAccountsView *accounts, uint32_t index)
{
  double all = accounts->associations[0].use.usage;
  return all > 0.0 ? MIN (accounts->associations[index].use.usage / all, 1.0) : 0.0;
}

/* ---------------------------------------------------------------- effective use */

/* Use between its own and what its part of the account's would be. */
static double
effective (const LkShares *self, const LkAccountsView *accounts, uint32_t index, double usage)
{
  const LkShare *above = &self->items[self->items[index].parent];
  if (above->level_shares == 0)
    return above->usage_effective;
  return usage
         + (above->usage_effective - usage) * (double)accounts->associations[index].shares
               / (double)above->level_shares;
}

/* Of the siblings, as last looked at, and of `index` itself. */
static double
usage_of_level (const LkShares *self, const LkAccountsView *accounts, uint32_t index, double usage)
{
  double sum = 0.0;
  for (uint32_t i = self->items[self->items[index].parent].first; i != LK_INDEX_NONE;
       i = self->items[i].next)
    if (!lk_share_is_parents (accounts, i))
      sum += i == index ? usage : self->items[i].usage_norm;
  return sum;
}

/* The ratio of use to shares of the account above, times that of the association to its level to
 * the power of k. */
static double
effective_oblivious (const LkShares *self, const LkView *view, uint32_t index, double usage)
{
  const LkShare *share = &self->items[index];
  const LkShare *above = &self->items[share->parent];
  if (share->shares_norm <= 0.0 || above->shares_norm <= 0.0 || above->usage_effective <= 0.0
      || usage <= 0.0)
    return usage;
  double ratio_above = above->usage_effective / above->shares_norm;
  double ratio_level = usage_of_level (self, view->accounts, index, usage) / above->shares_norm;
  double ratio_own = usage / share->shares_norm / ratio_level;
  if (ratio_own <= 0.0)
    return 0.0;
  double log2_above = view->host->log2 (ratio_above);
  double log2_own = view->host->log2 (ratio_own);
  double k = 1.0;
  if (log2_above * log2_own < 0.0) {
    double weight = 5.0 * (log2_above * LN_2);
    k = 1.0 / (1.0 + weight * weight);
  }
  return ratio_above * view->host->exp2 (k * log2_own) * share->shares_norm;
}

/* ---------------------------------------------------------------- looking */

LkShare
lk_classic_look (const LkShares *self, const LkView *view, const LkClassicRule *rule,
                 uint32_t index)
{
  const LkAccountsView *accounts = view->accounts;
  LkShare share = self->items[index];
  share.usage_norm = usage_norm (accounts, index);
  if (index == 0)
    share.usage_effective = 1.0;
  else if (lk_share_is_parents (accounts, index))
    share.usage_effective = self->items[share.parent].usage_effective;
  else if (share.parent == 0)
    share.usage_effective = share.usage_norm;
  else if (rule->depth_oblivious)
    share.usage_effective = effective_oblivious (self, view, index, share.usage_norm);
  else
    share.usage_effective = effective (self, accounts, index, share.usage_norm);
  share.factor = 0.0;
  if (share.shares_norm > 0.0)
    share.factor =
        view->host->exp2 (-(share.usage_effective / share.shares_norm) / (double)rule->dampening);
  share.is_evaluated = 1;
  return share;
}

void
lk_classic_evaluate (LkShares *self, const LkView *view, const LkClassicRule *rule, uint32_t index)
{
  if (!self->items[index].is_evaluated)
    self->items[index] = lk_classic_look (self, view, rule, index);
}

void
lk_classic_begin (LkShares *self, const LkView *view, const LkClassicRule *rule)
{
  const LkAccountsView *accounts = view->accounts;
  lk_shares_link (self, accounts);
  for (uint32_t i = 0; i != LK_INDEX_NONE; i = lk_shares_next (accounts, i)) {
    self->items[i].shares_norm = shares_norm (self, accounts, i);
    self->items[i].level_fairshare = 0.0;
    if (accounts->associations[i].is_user)
      self->items[i].is_evaluated = 0;
    else
      self->items[i] = lk_classic_look (self, view, rule, i);
  }
}
