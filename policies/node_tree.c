/* policies/node_tree.c — see node_fit.h: nodes on the fewest leaf switches of a tree.
 *
 * Nodes come from below one switch, the top: of the switches that hold the job the highest one
 * whose lightest node is the lightest.  Leafs in use are filled first; then leafs are added one by
 * one. Which, is found in order of index: a leaf nearer to those in use is better when it holds
 * the rest; of equally near ones that with the fewest nodes that holds it, or else that with the
 * most.  A job that bounds its leaf switches and would get more of them is refused, unless fewer
 * nodes than it wants are also enough.
 *
 * Invariant: the counts of a switch are those of the offers below it that can still be taken. */
#include "policies/node_fit.h"

#include "engine/assert.h"

#define NO_WAY LK_NODE_WEIGHT_UNSET

static gboolean
is_leaf (const LkNodePick *self, uint32_t s)
{
  return self->cluster->switch_level[s] == 0;
}

static gboolean
is_below (const LkNodePick *self, uint32_t s, uint32_t top)
{
  const LkClusterView *cluster = self->cluster;
  while (s != top && s != LK_NODE_NONE && cluster->switch_level[s] < cluster->switch_level[top])
    s = cluster->switch_parent[s];
  return s == top;
}

/* Links between two switches, or NO_WAY. */
static uint64_t
distance_between (const LkNodePick *self, uint32_t a, uint32_t b)
{
  const uint32_t *parents = self->cluster->switch_parent;
  const uint32_t *levels = self->cluster->switch_level;
  uint64_t links = 0;
  while (a != b) {
    gboolean lift_a = levels[a] <= levels[b], lift_b = levels[b] <= levels[a];
    links += (lift_a ? 1u : 0u) + (lift_b ? 1u : 0u);
    a = lift_a ? parents[a] : a;
    b = lift_b ? parents[b] : b;
    if (a == LK_NODE_NONE || b == LK_NODE_NONE)
      return NO_WAY;
  }
  return links;
}

/* ---------------------------------------------------------------- the top */

/* The highest switch above nodes that the job names, when it is above all of them. */
static uint32_t
top_of_required (const LkNodePick *self)
{
  uint32_t top = LK_NODE_NONE;
  for (uint32_t i = 0; i < self->offer_count; i++) {
    if (self->offers[i].is_required == 0)
      continue;
    uint32_t s = lk_node_switch_of (self, i);
    if (s == LK_NODE_NONE)
      return LK_NODE_NONE;
    while (self->cluster->switch_parent[s] != LK_NODE_NONE)
      s = self->cluster->switch_parent[s];
    if (top != LK_NODE_NONE && s != top)
      return LK_NODE_NONE;
    top = s;
  }
  return top;
}

static uint32_t
top_of_lightest (const LkNodePick *self)
{
  const uint32_t *levels = self->cluster->switch_level;
  uint32_t top = LK_NODE_NONE;
  for (uint32_t s = 0; s < self->cluster->switch_count; s++) {
    const LkNodeSwitch *sum = &self->switches[s];
    if (sum->node_count == 0 || sum->node_count < self->nodes_min_left
        || sum->cpus < self->cpus_left)
      continue;
    if (top == LK_NODE_NONE
        || (levels[s] >= levels[top] && sum->weight <= self->switches[top].weight))
      top = s;
  }
  return top;
}

static void
mark_below (LkNodePick *self, uint32_t top)
{
  for (uint32_t s = 0; s < self->cluster->switch_count; s++) {
    if (!is_leaf (self, s) || !is_below (self, s, top))
      continue;
    for (uint32_t i = self->switches[s].first; i != LK_NODE_NONE; i = self->next[i])
      self->state[i] |= LK_NODE_MARKED;
  }
}

/* ---------------------------------------------------------------- leafs */

/* Takes the offer's node from the counts of its leaf and all above. */
static void
take_on_switch (LkNodePick *self, uint32_t offer)
{
  for (uint32_t s = lk_node_switch_of (self, offer); s != LK_NODE_NONE;
       s = self->cluster->switch_parent[s]) {
    self->switches[s].node_count--;
    self->switches[s].cpus -= self->offers[offer].cpus;
  }
  lk_node_pick_take (self, offer);
}

/* LK_NODE_RETRY: more is needed. */
static LkNodeResult
take_leaf (LkNodePick *self, uint32_t leaf)
{
  for (uint32_t i = self->switches[leaf].first; i != LK_NODE_NONE; i = self->next[i]) {
    if (!lk_node_is_usable (self, i))
      continue;
    take_on_switch (self, i);
    if (lk_node_is_done (self))
      return LK_NODE_DONE;
    if (self->nodes_max_left <= 0)
      return LK_NODE_RETRY_TAKEN;
  }
  return LK_NODE_RETRY;
}

static void
use_leaf (LkNodePick *self, uint32_t leaf)
{
  self->switches[leaf].is_used = TRUE;
  for (uint32_t s = 0; s < self->cluster->switch_count; s++) {
    LkNodeSwitch *other = &self->switches[s];
    if (!is_leaf (self, s) || other->is_used || other->distance == NO_WAY)
      continue;
    uint64_t links = distance_between (self, s, leaf);
    other->distance = links == NO_WAY ? NO_WAY : other->distance + links;
  }
}

static gboolean
holds_rest (const LkNodePick *self, uint32_t s)
{
  return self->switches[s].node_count >= self->nodes_left
         && self->switches[s].cpus >= self->cpus_left;
}

/* Does `a` fit better than `b`?  Where neither holds the rest, what is above them decides.
 * `out_a_fits`: the one looked at last above `a` holds the rest. */
static gboolean
fits_better (const LkNodePick *self, uint32_t a, uint32_t b, gboolean *out_a_fits)
{
  const uint32_t *parents = self->cluster->switch_parent;
  const uint32_t *levels = self->cluster->switch_level;
  gboolean a_fits = holds_rest (self, a), b_fits = holds_rest (self, b);
  while (!a_fits && !b_fits && parents[a] != parents[b] && parents[a] != LK_NODE_NONE
         && parents[b] != LK_NODE_NONE) {
    a = parents[a];
    b = parents[b];
    a_fits = holds_rest (self, a);
    b_fits = holds_rest (self, b);
  }
  *out_a_fits = a_fits;
  if (a_fits != b_fits)
    return a_fits;
  uint32_t count_a = self->switches[a].node_count, count_b = self->switches[b].node_count;
  if (count_a != count_b)
    return a_fits ? count_a < count_b : count_a > count_b;
  return levels[a] < levels[b];
}

static uint32_t
best_leaf (const LkNodePick *self)
{
  uint32_t best = LK_NODE_NONE;
  for (uint32_t s = 0; s < self->cluster->switch_count; s++) {
    const LkNodeSwitch *leaf = &self->switches[s];
    if (!is_leaf (self, s) || leaf->is_used || leaf->node_count == 0 || leaf->distance == NO_WAY)
      continue;
    if (best == LK_NODE_NONE) {
      best = s;
      continue;
    }
    gboolean fits;
    gboolean is_better = fits_better (self, s, best, &fits);
    uint64_t distance_best = self->switches[best].distance;
    if ((leaf->distance < distance_best && fits) || (leaf->distance == distance_best && is_better))
      best = s;
  }
  return best;
}

/* ---------------------------------------------------------------- the attempt */

/* Leafs that hold something already. LK_NODE_RETRY: more is needed. */
static LkNodeResult
fill_used_leafs (LkNodePick *self)
{
  for (uint32_t i = 0; i < self->offer_count; i++) {
    uint32_t s = lk_node_switch_of (self, i);
    if ((self->state[i] & LK_NODE_TAKEN) != 0 && !self->switches[s].is_used)
      use_leaf (self, s);
  }
  for (uint32_t s = 0; s < self->cluster->switch_count; s++) {
    LkNodeResult result = self->switches[s].is_used ? take_leaf (self, s) : LK_NODE_RETRY;
    if (result != LK_NODE_RETRY)
      return result;
  }
  return LK_NODE_RETRY;
}

/* With as many nodes as `nodes_target`. */
static LkNodeResult
fit_target (LkNodePick *self)
{
  lk_node_pick_restart (self);
  lk_node_switches_count (self, 0);
  for (uint32_t s = 0; s < self->cluster->switch_count; s++) {
    self->switches[s].is_used = FALSE;
    self->switches[s].distance = 0;
  }
  uint32_t top = self->required_count > 0 ? top_of_required (self) : top_of_lightest (self);
  if (top == LK_NODE_NONE)
    return LK_NODE_NEVER;
  mark_below (self, top);
  LkNodeResult result = lk_node_pick_take_required (self);
  if (result == LK_NODE_RETRY)
    result = lk_node_fit_lightest (self);
  if (result != LK_NODE_RETRY)
    return result;
  lk_node_switches_count (self, LK_NODE_LIGHT);
  result = fill_used_leafs (self);
  while (result == LK_NODE_RETRY) {
    uint32_t leaf = best_leaf (self);
    if (leaf == LK_NODE_NONE)
      return lk_node_is_enough (self) ? LK_NODE_DONE : LK_NODE_RETRY_TAKEN;
    result = take_leaf (self, leaf);
    use_leaf (self, leaf);
  }
  return result;
}

static uint32_t
leafs_taken (LkNodePick *self)
{
  uint32_t count = 0;
  for (uint32_t s = 0; s < self->cluster->switch_count; s++)
    self->switches[s].is_used = FALSE;
  for (uint32_t i = 0; i < self->offer_count; i++) {
    uint32_t s = lk_node_switch_of (self, i);
    if ((self->state[i] & LK_NODE_TAKEN) == 0 || s == LK_NODE_NONE || self->switches[s].is_used)
      continue;
    self->switches[s].is_used = TRUE;
    count++;
  }
  return count;
}

LkNodeResult
lk_node_fit_tree (LkNodePick *self)
{
  uint32_t target = self->nodes_target;
  LkNodeResult result = fit_target (self);
  while (result == LK_NODE_DONE && self->demand->switches_max > 0
         && leafs_taken (self) > self->demand->switches_max) {
    result = LK_NODE_NEVER;
    if (self->nodes_target > self->demand->nodes_min) {
      self->nodes_target--;
      result = fit_target (self);
    }
  }
  self->nodes_target = target;
  return result;
}
