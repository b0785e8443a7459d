/* policies/node_block.c — see node_fit.h: nodes in one block, or each segment of a job in one.
 *
 * Base blocks stand in a row.  A job of k nodes lies in one block: an aligned group of 2^level base
 * blocks, of the lowest level that has a planning size and holds k nodes; all base blocks are one
 * block when none does.  Of the blocks that hold it the one with the lightest node is used, of
 * those the one with the fewest free nodes, of those the last.  Inside it base blocks are used up
 * one after the other: the one that holds the rest with the fewest nodes, else that with the most,
 * of equal ones the last.  A block is made of inner blocks of the next lower planning size, and a
 * job takes part in no more of them than it would need if they were free: base blocks of inner
 * blocks in use go first.
 *
 * A job never lies in two blocks, and the least number of nodes is what it gets. */
#include "policies/node_fit.h"

#include "engine/assert.h"

/* How base blocks are grouped for a job. Counts are of base blocks. */
typedef struct {
  uint32_t block_count; /* in a block */
  uint32_t inner_count; /* in an inner block */
  uint32_t inner_max;   /* inner blocks that the job may be in */
  gboolean has_inner;   /* that limit matters */
} Grouping;

/* ---------------------------------------------------------------- levels */

static uint64_t
level_nodes (const LkClusterView *cluster, uint32_t level)
{
  return (uint64_t)cluster->block_sizes[0] << level;
}

static gboolean
is_planned (const LkClusterView *cluster, uint32_t level)
{
  for (uint32_t i = 0; i < cluster->block_size_count; i++)
    if (cluster->block_sizes[i] == level_nodes (cluster, level))
      return TRUE;
  return FALSE;
}

#define LEVEL_MAX 31u

static Grouping
grouping_for (const LkClusterView *cluster, uint32_t nodes)
{
  uint32_t fits = 0;
  while (fits < LEVEL_MAX && level_nodes (cluster, fits) < nodes)
    fits++;
  uint32_t inner = fits == 0 ? 0 : fits - 1;
  while (inner > 0 && !is_planned (cluster, inner))
    inner--;
  uint32_t level = fits;
  while (level <= LEVEL_MAX && !is_planned (cluster, level))
    level++;
  Grouping grouping = { .inner_count = 1u << inner };
  grouping.block_count = level > LEVEL_MAX ? cluster->switch_count : 1u << level;
  uint64_t inner_nodes = level_nodes (cluster, inner);
  grouping.inner_max = (uint32_t)((nodes + inner_nodes - 1) / inner_nodes);
  grouping.has_inner = grouping.block_count != (uint64_t)grouping.inner_count * grouping.inner_max;
  return grouping;
}

/* ---------------------------------------------------------------- the block */

/* Nodes of the fullest inner blocks of the base blocks [from, to), of as many as the job may be
 * in. */
static uint64_t
nodes_within_reach (LkNodePick *self, const Grouping *grouping, uint32_t from, uint32_t to)
{
  uint32_t group_count = 0;
  uint64_t sum = 0;
  for (uint32_t s = from; s < to; s++) {
    uint32_t group = (s - from) / grouping->inner_count;
    if (group == group_count)
      self->group_counts[group_count++] = 0;
    self->group_counts[group] += self->switches[s].node_count;
  }
  uint32_t groups_left = grouping->has_inner ? grouping->inner_max : group_count;
  for (; groups_left > 0; groups_left--) {
    uint32_t most = 0;
    for (uint32_t group = 1; group < group_count; group++)
      if (self->group_counts[group] > self->group_counts[most])
        most = group;
    if (self->group_counts[most] == 0)
      break;
    sum += self->group_counts[most];
    self->group_counts[most] = 0;
  }
  return sum;
}

static LkNodeSwitch
sum_of_block (const LkNodePick *self, uint32_t from, uint32_t to)
{
  LkNodeSwitch sum = { .weight = LK_NODE_WEIGHT_UNSET };
  for (uint32_t s = from; s < to; s++) {
    sum.node_count += self->switches[s].node_count;
    sum.cpus += self->switches[s].cpus;
    sum.weight = MIN (sum.weight, self->switches[s].weight);
  }
  return sum;
}

/* The first base block of the block to use, or LK_NODE_NONE. */
static uint32_t
choose_block (LkNodePick *self, const Grouping *grouping)
{
  uint32_t switch_count = self->cluster->switch_count;
  uint32_t best = LK_NODE_NONE;
  LkNodeSwitch best_sum = { .weight = LK_NODE_WEIGHT_UNSET };
  for (uint32_t from = 0; from < switch_count; from += MIN (grouping->block_count, switch_count)) {
    uint32_t to = MIN (switch_count - from, grouping->block_count) + from;
    LkNodeSwitch sum = sum_of_block (self, from, to);
    if (sum.node_count == 0 || sum.cpus < self->cpus_left
        || (int64_t)nodes_within_reach (self, grouping, from, to) < self->nodes_min_left)
      continue;
    if (best == LK_NODE_NONE || sum.weight < best_sum.weight
        || (sum.weight == best_sum.weight && sum.node_count <= best_sum.node_count)) {
      best = from;
      best_sum = sum;
    }
  }
  return best;
}

/* The same when the job names nodes: the block that they are all in. */
static uint32_t
block_of_required (const LkNodePick *self, const Grouping *grouping)
{
  uint32_t block = LK_NODE_NONE;
  for (uint32_t i = 0; i < self->offer_count; i++) {
    if (self->offers[i].is_required == 0)
      continue;
    uint32_t s = lk_node_switch_of (self, i);
    if (s == LK_NODE_NONE)
      return LK_NODE_NONE;
    uint32_t from = s - s % grouping->block_count;
    if (block != LK_NODE_NONE && block != from)
      return LK_NODE_NONE;
    block = from;
  }
  return block;
}

/* ---------------------------------------------------------------- base blocks */

/* One block in use. */
typedef struct {
  const Grouping *grouping;
  uint32_t from; /* base blocks [from, to) */
  uint32_t to;
  int64_t inner_left; /* inner blocks that may yet come into use */
} Block;

static uint32_t
inner_of (const Block *block, uint32_t s)
{
  return (s - block->from) / block->grouping->inner_count;
}

/* Is a base block of the same inner block in use? */
static gboolean
inner_is_used (const LkNodePick *self, const Block *block, uint32_t s)
{
  uint32_t first = block->from + inner_of (block, s) * block->grouping->inner_count;
  for (uint32_t at = first; at < block->to && inner_of (block, at) == inner_of (block, s); at++)
    if (self->switches[at].is_used)
      return TRUE;
  return FALSE;
}

/* Nodes in unused base blocks of the same inner block. */
static uint32_t
inner_nodes (const LkNodePick *self, const Block *block, uint32_t s)
{
  uint32_t first = block->from + inner_of (block, s) * block->grouping->inner_count;
  uint32_t sum = 0;
  for (uint32_t at = first; at < block->to && inner_of (block, at) == inner_of (block, s); at++)
    sum += self->switches[at].is_used ? 0 : self->switches[at].node_count;
  return sum;
}

static void
use_base (LkNodePick *self, Block *block, uint32_t s)
{
  if (block->grouping->has_inner && !inner_is_used (self, block, s))
    block->inner_left--;
  self->switches[s].is_used = TRUE;
}

/* Of two counts of nodes: one that holds the rest before one that does not; of two that do the
 * smaller, of two that do not the larger one. Above 0: `a` is better. */
static int
compare_counts (const LkNodePick *self, uint32_t a, uint32_t b)
{
  gboolean a_fits = a >= self->nodes_left, b_fits = b >= self->nodes_left;
  if (a_fits != b_fits)
    return a_fits ? 1 : -1;
  if (a == b)
    return 0;
  return (a < b) == a_fits ? 1 : -1;
}

static gboolean
is_better_base (const LkNodePick *self, const Block *block, uint32_t s, uint32_t best)
{
  if (best == LK_NODE_NONE)
    return TRUE;
  if (block->grouping->has_inner && inner_of (block, s) != inner_of (block, best)) {
    gboolean used = inner_is_used (self, block, s), best_used = inner_is_used (self, block, best);
    if (used != best_used)
      return used;
    int better =
        compare_counts (self, inner_nodes (self, block, s), inner_nodes (self, block, best));
    if (better != 0)
      return better > 0;
  }
  return compare_counts (self, self->switches[s].node_count, self->switches[best].node_count) >= 0;
}

static uint32_t
best_base (const LkNodePick *self, const Block *block)
{
  uint32_t best = LK_NODE_NONE;
  for (uint32_t s = block->from; s < block->to; s++)
    if (!self->switches[s].is_used && self->switches[s].node_count > 0
        && is_better_base (self, block, s, best))
      best = s;
  return best;
}

/* TRUE: the job has enough. */
static gboolean
take_base (LkNodePick *self, uint32_t s)
{
  for (uint32_t i = self->switches[s].first; i != LK_NODE_NONE && self->nodes_max_left > 0;
       i = self->next[i]) {
    if (!lk_node_is_usable (self, i))
      continue;
    lk_node_pick_take (self, i);
    if (lk_node_is_done (self))
      return TRUE;
  }
  return FALSE;
}

/* ---------------------------------------------------------------- one segment */

static void
mark_candidates (LkNodePick *self, gboolean only_required)
{
  for (uint32_t i = 0; i < self->offer_count; i++) {
    self->state[i] &= (uint8_t) ~(LK_NODE_MARKED | LK_NODE_LIGHT);
    if (lk_node_is_usable (self, i) && (!only_required || self->offers[i].is_required != 0))
      self->state[i] |= LK_NODE_MARKED;
  }
}

static void
unmark_outside (LkNodePick *self, const Block *block)
{
  for (uint32_t i = 0; i < self->offer_count; i++) {
    uint32_t s = lk_node_switch_of (self, i);
    if (s == LK_NODE_NONE || s < block->from || s >= block->to)
      self->state[i] &= (uint8_t)~LK_NODE_MARKED;
  }
}

/* Base blocks on which nodes were taken for their sake are in use. */
static void
use_taken_bases (LkNodePick *self, Block *block)
{
  for (uint32_t s = 0; s < self->cluster->switch_count; s++)
    self->switches[s].is_used = FALSE;
  for (uint32_t i = 0; i < self->offer_count; i++) {
    uint32_t s = lk_node_switch_of (self, i);
    if ((self->state[i] & (LK_NODE_TAKEN | LK_NODE_SETTLED)) == LK_NODE_TAKEN
        && !self->switches[s].is_used)
      use_base (self, block, s);
  }
}

static LkNodeResult
fill_bases (LkNodePick *self, Block *block)
{
  for (uint32_t s = block->from; s < block->to; s++)
    if (self->switches[s].is_used && take_base (self, s))
      return LK_NODE_DONE;
  while (self->nodes_max_left > 0) {
    uint32_t s = best_base (self, block);
    if (s == LK_NODE_NONE
        || (block->grouping->has_inner && block->inner_left <= 0
            && !inner_is_used (self, block, s)))
      break;
    use_base (self, block, s);
    if (take_base (self, s))
      return LK_NODE_DONE;
  }
  return lk_node_is_enough (self) ? LK_NODE_DONE : LK_NODE_RETRY_TAKEN;
}

/* `only_required`: of the nodes that the job names, which are then more than one segment. */
static LkNodeResult
fit_segment (LkNodePick *self, const Grouping *grouping, gboolean only_required)
{
  gboolean has_required = self->required_count > 0 && !only_required;
  mark_candidates (self, only_required);
  lk_node_switches_count (self, LK_NODE_MARKED);
  uint32_t from = has_required ? block_of_required (self, grouping) : choose_block (self, grouping);
  if (from == LK_NODE_NONE)
    return LK_NODE_NEVER;
  uint32_t rest = self->cluster->switch_count - from;
  Block block = { .grouping = grouping,
                  .from = from,
                  .to = from + MIN (rest, grouping->block_count),
                  .inner_left = grouping->inner_max };
  unmark_outside (self, &block);
  LkNodeResult result = has_required ? lk_node_pick_take_required (self) : LK_NODE_RETRY;
  if (result == LK_NODE_RETRY)
    result = lk_node_fit_lightest (self);
  if (result != LK_NODE_RETRY)
    return result == LK_NODE_RETRY_MARKED ? LK_NODE_RETRY : result;
  lk_node_switches_count (self, LK_NODE_LIGHT);
  use_taken_bases (self, &block);
  return block.inner_left < 0 ? LK_NODE_RETRY : fill_bases (self, &block);
}

/* ---------------------------------------------------------------- all segments */

static int64_t
share_of (int64_t value, uint32_t parts)
{
  return value <= 0 ? 0 : (value + parts - 1) / parts;
}

static void
settle (LkNodePick *self)
{
  for (uint32_t i = 0; i < self->offer_count; i++)
    if ((self->state[i] & LK_NODE_TAKEN) != 0)
      self->state[i] |= LK_NODE_SETTLED;
}

/* Each segment is a job of its own on what the others leave, with an even part of the rest of what
 * is needed. */
static LkNodeResult
fit_segments (LkNodePick *self, uint32_t segment_nodes, uint32_t segment_count)
{
  Grouping grouping = grouping_for (self->cluster, segment_nodes);
  gboolean only_required = segment_count > 1 && self->required_count > 0;
  int64_t cpus = self->cpus_left, tasks = self->tasks_left, gpus = self->gpus_left;
  for (uint32_t left = segment_count; left > 0; left--) {
    int64_t cpus_share = share_of (cpus, left), tasks_share = share_of (tasks, left);
    int64_t gpus_share = share_of (gpus, left);
    self->cpus_left = cpus_share;
    self->tasks_left = tasks_share;
    self->gpus_left = gpus_share;
    self->nodes_left = self->nodes_min_left = segment_nodes;
    self->nodes_max_left = self->nodes_max / segment_count;
    LkNodeResult result = fit_segment (self, &grouping, only_required);
    if (result != LK_NODE_DONE)
      return result;
    settle (self);
    cpus -= cpus_share - self->cpus_left;
    tasks -= tasks_share - self->tasks_left;
    gpus -= gpus_share - self->gpus_left;
  }
  return LK_NODE_DONE;
}

LkNodeResult
lk_node_fit_block (LkNodePick *self)
{
  uint32_t nodes = self->demand->nodes_min;
  uint32_t segment_nodes = self->demand->segment_nodes;
  LK_ASSERT (self->cluster->block_size_count > 0);
  LK_ASSERT (self->cluster->block_sizes[0] > 0);
  if (segment_nodes == 0 || segment_nodes > nodes)
    segment_nodes = nodes;
  if (nodes % segment_nodes != 0)
    return LK_NODE_NEVER;
  /* Segments of named nodes are of all of them and of no others. */
  if (nodes > segment_nodes && self->required_count > 0 && self->required_count != nodes)
    return LK_NODE_NEVER;
  return fit_segments (self, segment_nodes, nodes / segment_nodes);
}
