/* policies/node_fit.c — see node_fit.h: the algorithms that know no topology.
 *
 * Consecutive best fit, as Slurm does it: usable nodes that stand beside each other and have equal
 * weight form a set.  The best set is looked for (best_set) and emptied, until the job has enough.
 * A job that needs one more node gets the smallest of the set that holds all it needs. */
#include "policies/node_fit.h"

#include "engine/assert.h"

/* ---------------------------------------------------------------- sets of neighbours */

static LkNodeSet *
open_set (LkNodePick *self, uint64_t weight)
{
  LK_ASSERT (self->set_count < self->room);
  LkNodeSet *set = &self->sets[self->set_count++];
  *set = (LkNodeSet){ .first = LK_NODE_NONE, .required = LK_NODE_NONE, .weight = weight };
  return set;
}

static void
add_to_set (LkNodePick *self, LkNodeSet *set, uint32_t i)
{
  const LkOffer *offer = &self->offers[i];
  if (set->first == LK_NODE_NONE)
    set->first = i;
  set->last = i;
  if ((self->state[i] & LK_NODE_TAKEN) != 0) {
    if (set->required == LK_NODE_NONE)
      set->required = i;
    return;
  }
  set->node_count++;
  set->weight = self->weight[i];
  set->cpus_max = MAX (set->cpus_max, offer->cpus);
  set->cpus += offer->cpus;
  set->gpus += offer->gpus;
  set->tasks += offer->tasks;
}

/* A weight that no node has: the set that a node of another weight has begun. */
#define WEIGHT_BROKEN 0u

/* Required nodes are taken already; they tell which set is near to them.  As in Slurm, one that
 * breaks off a set by its weight is near to none. */
static void
make_sets (LkNodePick *self)
{
  LkNodeSet *set = NULL;
  uint32_t last = LK_NODE_NONE;
  self->set_count = 0;
  for (uint32_t i = 0; i < self->offer_count; i++) {
    if ((self->state[i] & LK_NODE_OUT) != 0)
      continue;
    gboolean is_neighbour =
        last != LK_NODE_NONE && self->offers[i].node == self->offers[last].node + 1;
    if (!is_neighbour)
      set = open_set (self, LK_NODE_WEIGHT_UNSET);
    else if (set->weight != LK_NODE_WEIGHT_UNSET && set->weight != self->weight[i])
      set = open_set (self, WEIGHT_BROKEN);
    add_to_set (self, set, i);
    last = i;
  }
}

static gboolean
is_sufficient (const LkNodePick *self, const LkNodeSet *set)
{
  return set->cpus >= self->cpus_left && set->node_count >= self->nodes_min_left
         && set->gpus >= self->gpus_left && set->tasks >= self->tasks_left;
}

static gboolean
is_better_set (const LkNodePick *self, const LkNodeSet *set, const LkNodeSet *best)
{
  if (best == NULL || (best->required == LK_NODE_NONE && set->required != LK_NODE_NONE)
      || set->weight < best->weight)
    return TRUE;
  if (set->weight != best->weight)
    return FALSE;
  if (!is_sufficient (self, set))
    return set->cpus > best->cpus;
  return !is_sufficient (self, best) || set->cpus < best->cpus;
}

/* Has it a node that may be taken?  The last one that may be must hold the rest, unless it is near
 * to one that the job names. */
static gboolean
is_of_use (const LkNodePick *self, const LkNodeSet *set)
{
  return set->node_count > 0
         && (self->nodes_max_left > 1 || set->required != LK_NODE_NONE
             || set->cpus_max >= self->cpus_left);
}

/* Of equal ones the first. */
static LkNodeSet *
best_set (LkNodePick *self)
{
  LkNodeSet *best = NULL;
  for (uint32_t s = 0; s < self->set_count; s++) {
    LkNodeSet *set = &self->sets[s];
    if (is_of_use (self, set) && is_better_set (self, set, best))
      best = set;
  }
  return best;
}

/* The same among sets none of which holds the job, in the order of the heap. */
static gboolean
is_larger_set (const LkNodePick *self, uint32_t a, uint32_t b)
{
  const LkNodeSet *set = &self->sets[a], *other = &self->sets[b];
  if (set->weight != other->weight)
    return set->weight < other->weight;
  return set->cpus != other->cpus ? set->cpus > other->cpus : a < b;
}

void
lk_node_sets_order (LkNodePick *self)
{
  LkNodeHeap *heap = &self->heap;
  heap->count = 0;
  for (uint32_t s = 0; s < self->set_count; s++)
    if (self->sets[s].node_count > 0)
      heap->items[heap->count++] = s;
  lk_node_heap_order (self, heap, is_larger_set);
}

/* The best set, found without looking at all of them: NULL when one of its weight could hold the
 * job.  Not for jobs that name nodes. */
static LkNodeSet *
best_of_too_small (LkNodePick *self)
{
  LkNodeHeap *heap = &self->heap;
  while (heap->count > 0 && self->sets[heap->items[0]].node_count == 0)
    lk_node_heap_pop (self, heap);
  if (heap->count == 0 || self->nodes_max_left <= 1)
    return NULL;
  LkNodeSet *best = &self->sets[heap->items[0]];
  return best->cpus < self->cpus_left ? best : NULL;
}

LkNodeSet *
lk_node_sets_best (LkNodePick *self)
{
  LkNodeSet *set = self->required_count == 0 ? best_of_too_small (self) : NULL;
  return set != NULL ? set : best_set (self);
}

/* ---------------------------------------------------------------- consecutive best fit */

static gboolean
goes_on (const LkNodePick *self)
{
  return self->nodes_max_left > 0 && !lk_node_is_done (self);
}

/* From the first node that the job names upward, then downward. */
static void
take_around_required (LkNodePick *self, const LkNodeSet *set)
{
  for (uint32_t i = set->required; i <= set->last && goes_on (self); i++)
    if (lk_node_is_usable (self, i))
      lk_node_pick_take (self, i);
  for (uint32_t i = set->required; i > set->first && goes_on (self); i--)
    if (lk_node_is_usable (self, i - 1))
      lk_node_pick_take (self, i - 1);
}

/* Does the node hold all that is still needed? */
static gboolean
holds_rest (const LkNodePick *self, uint32_t i)
{
  const LkOffer *offer = &self->offers[i];
  return offer->cpus >= self->cpus_left && offer->gpus >= self->gpus_left
         && offer->tasks >= self->tasks_left;
}

/* The node with the fewest CPUs that holds all that is needed; of equal ones the first. */
static uint32_t
smallest_that_holds (const LkNodePick *self, const LkNodeSet *set)
{
  uint32_t best = LK_NODE_NONE;
  for (uint32_t i = set->first; i <= set->last; i++) {
    if (!lk_node_is_usable (self, i) || !holds_rest (self, i))
      continue;
    if (best == LK_NODE_NONE || self->offers[i].cpus < self->offers[best].cpus)
      best = i;
    if (self->offers[best].cpus == self->cpus_left)
      break;
  }
  return best;
}

static void
take_from_first (LkNodePick *self, const LkNodeSet *set)
{
  for (uint32_t i = set->first; i <= set->last && goes_on (self); i++) {
    if (!lk_node_is_usable (self, i))
      continue;
    /* See is_of_use. */
    if (self->nodes_max_left > 1 || self->offers[i].cpus >= self->cpus_left)
      lk_node_pick_take (self, i);
  }
}

LkNodeResult
lk_node_fit_consecutive (LkNodePick *self)
{
  LkNodeResult result = lk_node_pick_take_required (self);
  if (result != LK_NODE_RETRY)
    return result;
  make_sets (self);
  lk_node_sets_order (self);
  while (self->nodes_max_left > 0) {
    LkNodeSet *set = lk_node_sets_best (self);
    if (set == NULL)
      break;
    uint32_t single = LK_NODE_NONE;
    if (set->required == LK_NODE_NONE && self->nodes_left <= 1)
      single = smallest_that_holds (self, set);
    if (single != LK_NODE_NONE)
      lk_node_pick_take (self, single);
    else if (set->required != LK_NODE_NONE)
      take_around_required (self, set);
    else
      take_from_first (self, set);
    if (lk_node_is_done (self))
      return LK_NODE_DONE;
    set->node_count = 0;
  }
  return lk_node_is_enough (self) ? LK_NODE_DONE : LK_NODE_RETRY;
}

/* ---------------------------------------------------------------- contiguous */

/* Takes nodes from `first` on until the job has enough. What is taken is put back when they are not
 * enough. */
static gboolean
take_window (LkNodePick *self, uint32_t first, uint32_t last)
{
  uint32_t end = first;
  for (; end <= last && goes_on (self); end++)
    lk_node_pick_take (self, end);
  if (lk_node_is_done (self) || (end > last && lk_node_is_enough (self)))
    return TRUE;
  for (uint32_t i = first; i < end; i++)
    lk_node_pick_put_back (self, i);
  lk_node_pick_need_all (self);
  return FALSE;
}

/* The window that begins first. */
static gboolean
take_free_window (LkNodePick *self, const LkNodeSet *set)
{
  for (uint32_t first = set->first; first <= set->last; first++)
    if (take_window (self, first, set->last))
      return TRUE;
  return FALSE;
}

/* Everything between the nodes that the job names, then upward, then downward. */
static LkNodeResult
take_required_window (LkNodePick *self, const LkNodeSet *set)
{
  uint32_t at = set->first;
  uint32_t required_left = self->required_count;
  while (self->offers[at].is_required == 0)
    at++;
  uint32_t first = at;
  for (; at <= set->last && self->nodes_max_left > 0; at++) {
    if (required_left == 0 && lk_node_is_done (self))
      break;
    required_left -= self->offers[at].is_required != 0;
    lk_node_pick_take (self, at);
  }
  if (required_left > 0)
    return LK_NODE_NEVER;
  for (; first > set->first && goes_on (self); first--)
    lk_node_pick_take (self, first - 1);
  return lk_node_is_enough (self) ? LK_NODE_DONE : LK_NODE_NEVER;
}

static LkNodeSet *
set_of_required (LkNodePick *self)
{
  for (uint32_t s = 0; s < self->set_count; s++)
    for (uint32_t i = self->sets[s].first; i <= self->sets[s].last; i++)
      if (self->offers[i].is_required != 0)
        return &self->sets[s];
  return NULL;
}

LkNodeResult
lk_node_fit_contiguous (LkNodePick *self)
{
  /* Neighbours whatever their weight. */
  lk_node_pick_ignore_weights (self);
  make_sets (self);
  if (self->required_count > 0) {
    const LkNodeSet *set = set_of_required (self);
    return set == NULL ? LK_NODE_NEVER : take_required_window (self, set);
  }
  for (LkNodeSet *set = best_set (self); set != NULL; set = best_set (self)) {
    if (is_sufficient (self, set) && take_free_window (self, set))
      return LK_NODE_DONE;
    set->node_count = 0;
  }
  return LK_NODE_NEVER;
}

/* ---------------------------------------------------------------- in an order */

gboolean
lk_node_before_least_loaded (const LkNodePick *self, uint32_t a, uint32_t b)
{
  if (self->weight[a] != self->weight[b])
    return self->weight[a] < self->weight[b];
  uint64_t free_a = (uint64_t)self->offers[a].cpus_free * self->offers[b].cpus_total;
  uint64_t free_b = (uint64_t)self->offers[b].cpus_free * self->offers[a].cpus_total;
  return free_a != free_b ? free_a > free_b : a < b;
}

gboolean
lk_node_before_busy (const LkNodePick *self, uint32_t a, uint32_t b)
{
  if (self->weight[a] != self->weight[b])
    return self->weight[a] < self->weight[b];
  gboolean idle_a = self->offers[a].is_idle != 0, idle_b = self->offers[b].is_idle != 0;
  return idle_a != idle_b ? idle_b : a < b;
}

gboolean
lk_node_before_last (const LkNodePick *self, uint32_t a, uint32_t b)
{
  return self->weight[a] != self->weight[b] ? self->weight[a] < self->weight[b] : a > b;
}

static gboolean
before_by_weight (const LkNodePick *self, uint32_t a, uint32_t b)
{
  return self->weight[a] != self->weight[b] ? self->weight[a] < self->weight[b] : a < b;
}

LkNodeResult
lk_node_fit_ordered (LkNodePick *self)
{
  LkNodeResult result = lk_node_pick_take_required (self);
  if (result != LK_NODE_RETRY)
    return result;
  lk_node_heap_fill (self, &self->heap, self->before);
  while (goes_on (self)) {
    uint32_t offer = lk_node_heap_pop (self, &self->heap);
    if (offer == LK_NODE_NONE)
      break;
    lk_node_pick_take (self, offer);
  }
  return lk_node_is_enough (self) ? LK_NODE_DONE : LK_NODE_RETRY;
}

LkNodeResult
lk_node_fit_spread (LkNodePick *self)
{
  uint32_t tasks = self->demand->tasks;
  self->nodes_left = self->nodes_max;
  if (tasks > 0)
    self->nodes_left = MIN (self->nodes_max, MAX (tasks, self->demand->nodes_min));
  self->nodes_max_left = self->nodes_left;
  self->before = before_by_weight;
  return lk_node_fit_ordered (self);
}

LkNodeResult
lk_node_fit_first (LkNodePick *self)
{
  uint32_t first = LK_NODE_NONE;
  for (uint32_t i = 0; i < self->offer_count; i++) {
    gboolean may_take = self->required_count == 0 || self->offers[i].is_required != 0;
    if (!may_take || !lk_node_is_usable (self, i) || !holds_rest (self, i))
      continue;
    if (first == LK_NODE_NONE || self->offers[i].weight < self->offers[first].weight)
      first = i;
  }
  if (first == LK_NODE_NONE)
    return LK_NODE_NEVER;
  lk_node_pick_take (self, first);
  return lk_node_is_enough (self) ? LK_NODE_DONE : LK_NODE_NEVER;
}

LkNodeAttempt
lk_node_fit_asked (LkNodePick *self, LkNodeHabits habits)
{
  const LkDemand *demand = self->demand;
  self->before = NULL;
  if (habits.first_fit && demand->nodes_max == 1)
    return lk_node_fit_first;
  if ((demand->flags & LK_DEMAND_CONTIGUOUS) != 0)
    return lk_node_fit_contiguous;
  if ((demand->flags & LK_DEMAND_SPREAD) != 0)
    return lk_node_fit_spread;
  if (habits.busy)
    self->before = lk_node_before_busy;
  else if ((demand->flags & LK_DEMAND_LEAST_LOADED) != 0)
    self->before = lk_node_before_least_loaded;
  else if (habits.serial_at_end && demand->cpus_min == 1 && demand->nodes_wanted <= 1
           && demand->nodes_min == 1)
    self->before = lk_node_before_last;
  return self->before == NULL ? NULL : lk_node_fit_ordered;
}

/* ---------------------------------------------------------------- for topologies */

/* The lowest weight above `above` of the marked usable offers, and all that its nodes offer. */
static gboolean
next_group (const LkNodePick *self, const LkNodeSet *above, LkNodeSet *out_group)
{
  LkNodeSet group = { .weight = LK_NODE_WEIGHT_UNSET };
  for (uint32_t i = 0; i < self->offer_count; i++) {
    uint64_t weight = self->weight[i];
    if (!lk_node_is_usable (self, i) || (self->state[i] & LK_NODE_MARKED) == 0
        || weight > group.weight || (above->node_count > 0 && weight <= above->weight))
      continue;
    if (weight < group.weight)
      group = (LkNodeSet){ .weight = weight };
    group.node_count++;
    group.cpus += self->offers[i].cpus;
    group.gpus += self->offers[i].gpus;
    group.tasks += self->offers[i].tasks;
  }
  *out_group = group;
  return group.node_count > 0;
}

LkNodeResult
lk_node_fit_lightest (LkNodePick *self)
{
  LkNodeSet sum = { .weight = 0 }, group;
  gboolean is_complete = FALSE;
  while (!is_complete && next_group (self, &sum, &group)) {
    sum.weight = group.weight;
    sum.node_count += group.node_count;
    sum.cpus += group.cpus;
    sum.gpus += group.gpus;
    sum.tasks += group.tasks;
    is_complete = is_sufficient (self, &sum) && sum.node_count >= self->nodes_left;
  }
  if (!is_sufficient (self, &sum))
    return LK_NODE_RETRY_MARKED;
  for (uint32_t i = 0; i < self->offer_count; i++) {
    if (!lk_node_is_usable (self, i) || (self->state[i] & LK_NODE_MARKED) == 0
        || self->weight[i] > sum.weight)
      continue;
    self->state[i] |= LK_NODE_LIGHT;
    if (self->weight[i] < sum.weight && self->nodes_max_left > 0)
      lk_node_pick_take (self, i);
  }
  return self->nodes_max_left > 0 ? LK_NODE_RETRY : LK_NODE_RETRY_TAKEN;
}

static void
add_to_switch (LkNodeSwitch *sum, uint32_t cpus, uint64_t weight)
{
  sum->node_count++;
  sum->cpus += cpus;
  sum->weight = MIN (sum->weight, weight);
}

static void
add_above (LkNodePick *self, uint32_t leaf)
{
  const LkNodeSwitch *sum = &self->switches[leaf];
  const uint32_t *parents = self->cluster->switch_parent;
  const uint32_t *levels = self->cluster->switch_level;
  for (uint32_t at = leaf; parents[at] != LK_NODE_NONE; at = parents[at]) {
    LkNodeSwitch *above = &self->switches[parents[at]];
    LK_ASSERT (levels[parents[at]] > levels[at]);
    above->node_count += sum->node_count;
    above->cpus += sum->cpus;
    above->weight = MIN (above->weight, sum->weight);
  }
}

void
lk_node_switches_count (LkNodePick *self, uint8_t only)
{
  const LkClusterView *cluster = self->cluster;
  for (uint32_t s = 0; s < cluster->switch_count; s++) {
    self->switches[s].first = LK_NODE_NONE;
    self->switches[s].node_count = 0;
    self->switches[s].cpus = 0;
    self->switches[s].weight = LK_NODE_WEIGHT_UNSET;
  }
  for (uint32_t i = self->offer_count; i > 0; i--) {
    uint32_t offer = i - 1;
    uint32_t s = lk_node_switch_of (self, offer);
    if (!lk_node_is_usable (self, offer) || (self->state[offer] & only) != only
        || s == LK_NODE_NONE)
      continue;
    self->next[offer] = self->switches[s].first;
    self->switches[s].first = offer;
    add_to_switch (&self->switches[s], self->offers[offer].cpus, self->weight[offer]);
  }
  if (cluster->topology != LK_TOPOLOGY_TREE_VIEW)
    return;
  for (uint32_t s = 0; s < cluster->switch_count; s++)
    if (cluster->switch_level[s] == 0 && self->switches[s].node_count > 0)
      add_above (self, s);
}
