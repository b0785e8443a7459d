/* policies/select_linear.c — whole nodes, one after the other.
 *
 * Nodes of the lowest weight are tried alone; when they do not satisfy the job those of the next
 * weight join them, and so on.  Among the nodes that are tried weight no longer counts: they are
 * taken in the order of their indices until they are enough, the smallest being given back for each
 * one beyond the most that the job may have, and at the end as long as the others are enough.  All
 * CPUs of a node are the job's.  Source: behaviour of select/linear of Slurm 22.05
 * (docs/fidelity.md). */
#include "policies/node_fit.h"
#include "policies/selects.h"

static void *
linear_create (const LkParamValues *values, LkPolicyError *error)
{
  LkNodePick *self = g_new (LkNodePick, 1);
  (void)values;
  (void)error;
  lk_node_pick_init (self);
  return self;
}

static void
linear_destroy (void *user)
{
  LkNodePick *self = user;
  if (self != NULL)
    lk_node_pick_clear (self);
  g_free (self);
}

/* The lowest weight that is above `above`; LK_NODE_WEIGHT_UNSET at the end. */
static uint64_t
next_weight (const LkOffer *offers, uint32_t offer_count, int64_t above)
{
  uint64_t next = LK_NODE_WEIGHT_UNSET;
  for (uint32_t i = 0; i < offer_count; i++)
    if ((int64_t)offers[i].weight > above && offers[i].weight < next)
      next = offers[i].weight;
  return next;
}

/* ---------------------------------------------------------------- in order */

/* The smallest is given back first, of equal ones the first. */
static gboolean
before_smaller (const LkNodePick *self, uint32_t a, uint32_t b)
{
  uint32_t cpus_a = self->offers[a].cpus, cpus_b = self->offers[b].cpus;
  return cpus_a != cpus_b ? cpus_a < cpus_b : a < b;
}

static void
heap_push (LkNodePick *self, uint32_t offer)
{
  uint32_t *items = self->heap.items;
  uint32_t at = self->heap.count++;
  for (; at > 0 && before_smaller (self, offer, items[(at - 1) / 2]); at = (at - 1) / 2)
    items[at] = items[(at - 1) / 2];
  items[at] = offer;
}

/* As if the offer had never been taken. */
static void
give_back (LkNodePick *self, uint32_t offer)
{
  const LkOffer *given = &self->offers[offer];
  lk_node_pick_put_back (self, offer);
  self->cpus_left += self->cpus[offer];
  if (self->counts_tasks)
    self->tasks_left +=
        MIN (given->tasks, self->cpus[offer] / MAX (self->demand->cpus_per_task, 1));
  self->gpus_left += given->gpus;
  self->nodes_left++;
  self->nodes_min_left++;
  self->nodes_max_left++;
}

static void
give_back_surplus (LkNodePick *self)
{
  while (self->heap.count > 0) {
    uint32_t offer = lk_node_heap_pop (self, &self->heap);
    give_back (self, offer);
    if (lk_node_is_done (self))
      continue;
    lk_node_pick_take (self, offer);
    return;
  }
}

static LkNodeResult
fit_in_order (LkNodePick *self)
{
  LkNodeResult result = lk_node_pick_take_required (self);
  if (result != LK_NODE_RETRY)
    return result;
  self->heap.count = 0;
  lk_node_heap_order (self, &self->heap, before_smaller);
  for (uint32_t i = 0; i < self->offer_count && !lk_node_is_done (self); i++) {
    if (!lk_node_is_usable (self, i))
      continue;
    lk_node_pick_take (self, i);
    heap_push (self, i);
    if (self->nodes_max_left < 0)
      give_back (self, lk_node_heap_pop (self, &self->heap));
  }
  if (lk_node_is_done (self))
    give_back_surplus (self);
  return lk_node_is_enough (self) ? LK_NODE_DONE : LK_NODE_RETRY;
}

/* ---------------------------------------------------------------- the policy */

static int32_t
linear_choose (void *user, const LkView *view, const LkDemand *asked, const LkOffers *offers,
               LkPick *picks, uint32_t *out_pick_count)
{
  LkNodePick *self = user;
  LkDemand demand = *asked;
  demand.flags |= LK_DEMAND_WHOLE_NODES;
  gboolean is_contiguous = (demand.flags & LK_DEMAND_CONTIGUOUS) != 0;
  LkNodeAttempt attempt = is_contiguous ? lk_node_fit_contiguous : fit_in_order;
  for (uint64_t weight = next_weight (offers->items, offers->count, -1);
       weight != LK_NODE_WEIGHT_UNSET;
       weight = next_weight (offers->items, offers->count, (int64_t)weight)) {
    lk_node_pick_begin (self, view, &demand, offers->items, offers->count);
    lk_node_pick_ignore_weights (self);
    for (uint32_t i = 0; i < offers->count; i++)
      if (offers->items[i].weight > weight && offers->items[i].is_required == 0)
        lk_node_pick_leave_out (self, i);
    if (lk_node_pick_run (self, attempt, picks, out_pick_count))
      return 1;
  }
  return 0;
}

static const LkParam linear_params[] = { { 0 } };

const LkSelectPolicy lk_select_linear = {
  .base = { .abi = LK_POLICY_ABI,
            .size = sizeof (LkSelectPolicy),
            .seam = LK_SEAM_SELECT,
            .version = 1,
            .name = "linear",
            .summary = "whole nodes, one after the other (Slurm's select/linear)",
            .params = linear_params,
            .create = linear_create,
            .destroy = linear_destroy },
  .flags = LK_SELECT_WHOLE_NODES,
  .choose = linear_choose,
};
