/* policies/fair_tree.c — see fair_tree.h.
 *
 * The walk keeps, instead of a recursion, one array of all lists on the way from the root, each
 * behind that of the level above it. */
#include "policies/fair_tree.h"

#include <glib.h>

/* An association in a sorted list. */
typedef struct {
  double level_fairshare;
  uint32_t index;
  uint32_t is_user;
} Place;

/* A list that is being walked: places [begin, end) of the array. */
typedef struct {
  guint begin;
  guint end;
  guint at;
  gboolean is_tied; /* its first place has the rank of whoever came before */
} Level;

typedef struct {
  LkShares *shares;
  const LkAccountsView *accounts;
  LkFairTreeTies ties;
  GArray *places; /* of Place */
  GArray *levels; /* of Level */
  uint32_t user_count;
  uint32_t left; /* users that have not come yet */
  uint32_t rank;
} Walk;

/* ---------------------------------------------------------------- shares and use */

static void
measure_root (LkShare *root)
{
  root->shares_norm = 0.0;
  root->usage_norm = 1.0;
  root->usage_effective = 1.0;
  root->level_fairshare = 0.0;
}

/* FairShare=parent takes over those of the level. */
static double
shares_norm (const LkShares *self, const LkAccountsView *accounts, uint32_t index)
{
  const LkShare *share = &self->items[index];
  if (!lk_share_is_parents (accounts, index))
    return lk_shares_of_level (self, accounts, index);
  return share->parent == 0 ? 1.0 : self->items[share->parent].shares_norm;
}

void
lk_fair_tree_norm (LkShares *self, const LkAccountsView *accounts)
{
  for (uint32_t i = lk_shares_next (accounts, 0); i != LK_INDEX_NONE;
       i = lk_shares_next (accounts, i))
    self->items[i].shares_norm = shares_norm (self, accounts, i);
}

/* Slurm calculates in long doubles what is a double here. */
static void
measure (LkShares *self, const LkAccountsView *accounts, uint32_t index)
{
  LkShare *share = &self->items[index];
  double usage = accounts->associations[index].use.usage;
  double usage_all = accounts->associations[0].use.usage;
  double usage_level = accounts->associations[share->parent].use.usage;
  share->usage_norm = usage_all > 0.0 ? MIN (usage / usage_all, 1.0) : 0.0;
  share->usage_effective = usage_level > 0.0 ? usage / usage_level : 0.0;
  share->shares_norm = shares_norm (self, accounts, index);
  if (lk_share_is_parents (accounts, index)) {
    share->level_fairshare = __builtin_inf ();
    return;
  }
  share->level_fairshare = share->shares_norm / share->usage_effective;
  if (share->shares_norm <= 0.0)
    share->level_fairshare = 0.0;
  else if (share->usage_effective <= 0.0)
    share->level_fairshare = __builtin_inf ();
}

static uint32_t
measure_all (LkShares *self, const LkAccountsView *accounts)
{
  uint32_t user_count = 0;
  measure_root (&self->items[0]);
  for (uint32_t i = lk_shares_next (accounts, 0); i != LK_INDEX_NONE;
       i = lk_shares_next (accounts, i)) {
    measure (self, accounts, i);
    user_count += accounts->associations[i].is_user ? 1u : 0u;
  }
  return user_count;
}

/* ---------------------------------------------------------------- the walk */

/* Highest level fairshare first, then users, then by index. */
static gint
compare_places (gconstpointer a_pointer, gconstpointer b_pointer, gpointer user)
{
  const Place *a = a_pointer;
  const Place *b = b_pointer;
  (void)user;
  if (a->level_fairshare > b->level_fairshare)
    return -1;
  if (a->level_fairshare < b->level_fairshare)
    return 1;
  if (a->is_user != b->is_user)
    return a->is_user ? -1 : 1;
  return (a->index > b->index) - (a->index < b->index);
}

static Place *
place_at (const Walk *walk, guint at)
{
  return &g_array_index (walk->places, Place, at);
}

static void
append_children (Walk *walk, uint32_t account)
{
  const LkShare *items = walk->shares->items;
  for (uint32_t i = items[account].first; i != LK_INDEX_NONE; i = items[i].next) {
    Place place = { items[i].level_fairshare, i, walk->accounts->associations[i].is_user };
    g_array_append_val (walk->places, place);
  }
}

/* Goes on with the places from `begin` to the end of the array. */
static void
descend (Walk *walk, guint begin, gboolean is_tied)
{
  Level level = { begin, walk->places->len, begin, is_tied };
  g_array_append_val (walk->levels, level);
  if (level.end > begin)
    g_qsort_with_data (place_at (walk, begin), (gint)(level.end - begin), sizeof (Place),
                       compare_places, NULL);
}

/* How many accounts from `at` on are walked as one. */
static guint
merged_count (const Walk *walk, guint at, guint end)
{
  guint count = 1;
  if (walk->ties == LK_FAIR_TREE_DOCUMENTED)
    while (at + count < end
           && place_at (walk, at + count)->level_fairshare == place_at (walk, at)->level_fairshare)
      count++;
  return count;
}

/* Takes the next place of the innermost list. */
static void
step (Walk *walk)
{
  Level *level = &g_array_index (walk->levels, Level, walk->levels->len - 1);
  guint at = level->at;
  Place place = *place_at (walk, at);
  gboolean is_tied = at == level->begin
                         ? level->is_tied
                         : place.level_fairshare == place_at (walk, at - 1)->level_fairshare;
  if (place.is_user) {
    level->at++;
    if (!is_tied)
      walk->rank = walk->left;
    walk->shares->items[place.index].factor = (double)walk->rank / (double)walk->user_count;
    walk->left--;
    return;
  }
  guint merged = merged_count (walk, at, level->end);
  guint begin = walk->places->len;
  level->at += merged;
  for (guint i = 0; i < merged; i++)
    append_children (walk, place_at (walk, at + i)->index);
  descend (walk, begin, is_tied);
}

void
lk_fair_tree_walk (LkShares *self, const LkAccountsView *accounts, LkFairTreeTies ties)
{
  lk_shares_link (self, accounts);
  uint32_t user_count = measure_all (self, accounts);
  Walk walk = { .shares = self,
                .accounts = accounts,
                .ties = ties,
                .places = g_array_new (FALSE, FALSE, sizeof (Place)),
                .levels = g_array_new (FALSE, FALSE, sizeof (Level)),
                .user_count = user_count,
                .left = user_count,
                .rank = user_count };
  append_children (&walk, 0);
  descend (&walk, 0, FALSE);
  while (walk.levels->len > 0) {
    const Level *level = &g_array_index (walk.levels, Level, walk.levels->len - 1);
    if (level->at < level->end) {
      step (&walk);
      continue;
    }
    g_array_set_size (walk.places, level->begin);
    g_array_set_size (walk.levels, walk.levels->len - 1);
  }
  g_array_unref (walk.places);
  g_array_unref (walk.levels);
}
