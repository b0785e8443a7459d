/* policies/shares.c — see shares.h. */
#include "policies/shares.h"

#include <glib.h>

void
lk_shares_resize (LkShares *self, const LkAccountsView *accounts)
{
  uint32_t count = accounts->association_count;
  self->items = g_renew (LkShare, self->items, count);
  for (uint32_t i = self->count; i < count; i++)
    self->items[i] = (LkShare){ .parent = LK_INDEX_NONE,
                                .first = LK_INDEX_NONE,
                                .next = LK_INDEX_NONE,
                                .usage_norm = LK_SHARE_USAGE_UNKNOWN };
  self->count = count;
}

void
lk_shares_clear (LkShares *self)
{
  g_free (self->items);
  *self = (LkShares){ 0 };
}

uint32_t
lk_shares_next (const LkAccountsView *accounts, uint32_t index)
{
  const LkAssociationView *associations = accounts->associations;
  if (associations[index].first_child != LK_INDEX_NONE)
    return associations[index].first_child;
  while (index != 0 && associations[index].next_sibling == LK_INDEX_NONE)
    index = associations[index].parent;
  return index == 0 ? LK_INDEX_NONE : associations[index].next_sibling;
}

void
lk_shares_link (LkShares *self, const LkAccountsView *accounts)
{
  LkShare *items = self->items;
  g_autofree uint32_t *last = g_new (uint32_t, self->count);
  for (uint32_t i = 0; i < self->count; i++) {
    items[i].first = items[i].next = last[i] = LK_INDEX_NONE;
    items[i].level_shares = 0;
  }
  for (uint32_t i = lk_shares_next (accounts, 0); i != LK_INDEX_NONE;
       i = lk_shares_next (accounts, i)) {
    const LkAssociationView *association = &accounts->associations[i];
    uint32_t above = association->parent;
    uint32_t level = lk_share_is_parents (accounts, above) ? items[above].parent : above;
    items[i].parent = level;
    if (association->shares != LK_SHARES_PARENT)
      items[level].level_shares += association->shares;
    else if (!association->is_user)
      continue;
    if (last[level] == LK_INDEX_NONE)
      items[level].first = i;
    else
      items[last[level]].next = i;
    last[level] = i;
  }
}

double
lk_shares_of_level (const LkShares *self, const LkAccountsView *accounts, uint32_t index)
{
  uint64_t level_shares = self->items[self->items[index].parent].level_shares;
  if (level_shares == 0)
    return 0.0;
  return (double)accounts->associations[index].shares / (double)level_shares;
}
