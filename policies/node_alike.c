/* policies/node_alike.c — consecutive best fit (node_fit.h) among nodes that all offer the same.
 *
 * Whole nodes of one kind that are idle, which is what large plans are made of: the sets of
 * neighbours are read off the words of a set of nodes, and of each one only its length counts, so
 * that a choice costs the words and the sets, not the nodes.  What is chosen is what
 * lk_node_fit_consecutive would take, on its first attempt; where that fails, nothing is said. */
#include "policies/node_fit.h"

static void
add_run (LkNodePick *self, uint32_t first, uint32_t end)
{
  const LkOffer *offer = &self->offers[0];
  uint32_t count = end - first;
  self->sets[self->set_count++] = (LkNodeSet){ .first = first,
                                               .last = end - 1,
                                               .required = LK_NODE_NONE,
                                               .node_count = count,
                                               .weight = offer->weight,
                                               .cpus_max = offer->cpus,
                                               .cpus = (int64_t)count * offer->cpus,
                                               .gpus = (int64_t)count * offer->gpus,
                                               .tasks = (int64_t)count * offer->tasks };
}

/* The first node from `from` on that is of the set, or with `flip` all ones that is not. */
static uint32_t
next_node (const LkAlikeNodes *nodes, uint32_t from, uint64_t flip)
{
  uint32_t word = from / 64;
  if (word >= nodes->word_count)
    return nodes->word_count * 64;
  uint64_t rest = (nodes->among[word] ^ flip) & (~(uint64_t)0 << (from % 64));
  while (rest == 0) {
    if (++word == nodes->word_count)
      return word * 64;
    rest = nodes->among[word] ^ flip;
  }
  return word * 64 + (uint32_t)__builtin_ctzll (rest);
}

static void
make_sets (LkNodePick *self, const LkAlikeNodes *nodes)
{
  uint32_t limit = nodes->word_count * 64;
  self->set_count = 0;
  self->usable_count = 0;
  for (uint32_t first = next_node (nodes, 0, 0); first < limit;) {
    uint32_t end = next_node (nodes, first, ~(uint64_t)0);
    add_run (self, first, end);
    self->usable_count += end - first;
    first = next_node (nodes, end, 0);
  }
}

static gboolean
all_would_do (const LkNodePick *self)
{
  uint64_t count = self->usable_count;
  return count >= self->demand->nodes_min && count * self->offers[0].cpus >= self->demand->cpus_min
         && (!self->counts_tasks || count * self->offers[0].tasks >= self->demand->tasks);
}

static void
take_one (LkNodePick *self)
{
  const LkOffer *offer = &self->offers[0];
  self->cpus_left -= offer->cpus;
  if (self->counts_tasks)
    self->tasks_left -= MIN (offer->tasks, offer->cpus / MAX (self->demand->cpus_per_task, 1));
  self->nodes_left--;
  self->nodes_min_left--;
  self->nodes_max_left--;
}

/* One node holds all that is still needed. */
static gboolean
is_single (const LkNodePick *self)
{
  const LkOffer *offer = &self->offers[0];
  return self->nodes_left <= 1 && offer->cpus >= self->cpus_left
         && offer->tasks >= self->tasks_left;
}

/* The first nodes of the set, until the job has enough. */
static void
take_run (LkNodePick *self, const LkNodeSet *set, uint64_t *chosen)
{
  uint32_t cpus = self->offers[0].cpus;
  uint32_t last = is_single (self) ? set->first : set->last;
  uint32_t end = set->first;
  for (; end <= last && self->nodes_max_left > 0 && !lk_node_is_done (self); end++) {
    if (self->nodes_max_left == 1 && cpus < self->cpus_left)
      break;
    take_one (self);
  }
  for (uint32_t node = set->first; node < end;) {
    uint32_t count = MIN (64 - node % 64, end - node);
    uint64_t ones = count == 64 ? ~(uint64_t)0 : ((uint64_t)1 << count) - 1;
    chosen[node / 64] |= ones << (node % 64);
    node += count;
  }
}

int32_t
lk_node_choose_alike (LkNodePick *self, const LkView *view, const LkDemand *demand,
                      const LkAlikeNodes *nodes)
{
  if ((demand->flags & LK_DEMAND_WHOLE_NODES) == 0)
    return 0;
  lk_node_pick_begin_alike (self, view, demand, nodes->offer, nodes->word_count * 64);
  make_sets (self, nodes);
  if (!all_would_do (self))
    return 0;
  lk_node_sets_order (self);
  while (self->nodes_max_left > 0) {
    LkNodeSet *set = lk_node_sets_best (self);
    if (set == NULL)
      break;
    take_run (self, set, nodes->chosen);
    if (lk_node_is_done (self))
      return 1;
    set->node_count = 0;
  }
  return lk_node_is_enough (self) ? 1 : 0;
}

int32_t
lk_node_choose_first_alike (LkNodePick *self, const LkView *view, const LkDemand *demand,
                            const LkAlikeNodes *nodes)
{
  if ((demand->flags & LK_DEMAND_WHOLE_NODES) == 0)
    return 0;
  lk_node_pick_begin_alike (self, view, demand, nodes->offer, nodes->word_count * 64);
  uint32_t first = next_node (nodes, 0, 0);
  take_one (self);
  if (first >= nodes->word_count * 64 || !lk_node_is_enough (self))
    return 0;
  nodes->chosen[first / 64] |= (uint64_t)1 << (first % 64);
  return 1;
}
