/* policies/node_pick.c — see node_pick.h. */
#include "policies/node_pick.h"

#include <string.h>

#include "engine/assert.h"

/* ---------------------------------------------------------------- life */

void
lk_node_pick_init (LkNodePick *self)
{
  memset (self, 0, sizeof *self);
}

void
lk_node_pick_clear (LkNodePick *self)
{
  g_free (self->state);
  g_free (self->weight);
  g_free (self->cpus);
  g_free (self->count);
  g_free (self->product);
  g_free (self->heap.items);
  g_free (self->smallest.items);
  g_free (self->next);
  g_free (self->sets);
  g_free (self->switches);
  g_free (self->group_counts);
  memset (self, 0, sizeof *self);
}

static void
make_room (LkNodePick *self, uint32_t offer_count, uint32_t switch_count)
{
  if (offer_count > self->room) {
    uint32_t room = MAX (offer_count, MIN (self->room, UINT32_MAX / 2) * 2);
    self->state = g_renew (uint8_t, self->state, room);
    self->weight = g_renew (uint64_t, self->weight, room);
    self->cpus = g_renew (uint32_t, self->cpus, room);
    self->count = g_renew (uint32_t, self->count, room);
    self->product = g_renew (uint64_t, self->product, room);
    self->heap.items = g_renew (uint32_t, self->heap.items, room);
    self->smallest.items = g_renew (uint32_t, self->smallest.items, room);
    self->next = g_renew (uint32_t, self->next, room);
    self->sets = g_renew (LkNodeSet, self->sets, room);
    self->room = room;
  }
  if (switch_count > self->switch_room) {
    self->switches = g_renew (LkNodeSwitch, self->switches, switch_count);
    self->group_counts = g_renew (uint32_t, self->group_counts, switch_count);
    self->switch_room = switch_count;
  }
}

/* ---------------------------------------------------------------- begin */

static gboolean
asks_for_gpus (const LkDemand *demand)
{
  return demand->gpus_total > 0 || demand->gpus_per_node > 0;
}

/* A node's weight counts first; of equal ones, more GPUs near to free cores go first. */
static uint64_t
weight_of (const LkDemand *demand, const LkOffer *offer)
{
  uint32_t near = asks_for_gpus (demand) ? MIN (offer->gpus_near, 0xff) : 0;
  return ((uint64_t)offer->weight << 8) | (0xff - near);
}

static void
begin (LkNodePick *self, const LkView *view, const LkDemand *demand, const LkOffer *offers,
       uint32_t offer_count)
{
  LK_ASSERT (demand->nodes_min >= 1);
  LK_ASSERT (demand->nodes_max >= demand->nodes_min);
  self->cluster = view->cluster;
  make_room (self, offer_count, self->cluster == NULL ? 0 : self->cluster->switch_count);
  self->demand = demand;
  self->offers = offers;
  self->offer_count = offer_count;
  self->usable_count = offer_count;
  self->required_count = 0;
  self->single_count = 0;
  self->has_products = FALSE;
  self->gives_all = (demand->flags & LK_DEMAND_WHOLE_NODES) != 0;
  self->before = NULL;
  uint64_t task_cpus = (uint64_t)demand->tasks * MAX (demand->cpus_per_task, 1);
  self->counts_tasks = demand->tasks > 0 && demand->cpus_min >= task_cpus;
  self->only_tasks = demand->tasks > 0 && demand->cpus_min == task_cpus;
}

void
lk_node_pick_begin (LkNodePick *self, const LkView *view, const LkDemand *demand,
                    const LkOffer *offers, uint32_t offer_count)
{
  begin (self, view, demand, offers, offer_count);
  for (uint32_t i = 0; i < offer_count; i++) {
    self->state[i] = 0;
    self->weight[i] = weight_of (demand, &offers[i]);
    self->required_count += offers[i].is_required != 0;
    /* When there is a GPU for every node, a node without one has no part in the job. */
    if (demand->gpus_total >= demand->nodes_min && offers[i].gpus == 0)
      lk_node_pick_leave_out (self, i);
  }
}

void
lk_node_pick_begin_alike (LkNodePick *self, const LkView *view, const LkDemand *demand,
                          const LkOffer *offer, uint32_t node_count)
{
  begin (self, view, demand, offer, node_count);
  self->nodes_target = MAX (demand->nodes_min, demand->nodes_wanted);
  self->nodes_max = demand->nodes_max;
  lk_node_pick_need_all (self);
}

void
lk_node_pick_leave_out (LkNodePick *self, uint32_t offer)
{
  if ((self->state[offer] & LK_NODE_OUT) != 0)
    return;
  self->state[offer] |= LK_NODE_OUT;
  self->usable_count--;
}

void
lk_node_pick_ignore_weights (LkNodePick *self)
{
  for (uint32_t i = 0; i < self->offer_count; i++)
    self->weight[i] = 0;
}

/* ---------------------------------------------------------------- taking */

void
lk_node_pick_need_all (LkNodePick *self)
{
  const LkDemand *demand = self->demand;
  self->nodes_left = MIN (self->nodes_target, self->nodes_max);
  self->nodes_min_left = demand->nodes_min;
  self->nodes_max_left = self->nodes_max;
  self->cpus_left = demand->cpus_min;
  self->tasks_left = self->counts_tasks ? demand->tasks : 0;
  self->gpus_left = demand->gpus_total;
}

void
lk_node_pick_restart (LkNodePick *self)
{
  for (uint32_t i = 0; i < self->offer_count; i++)
    self->state[i] &= LK_NODE_OUT;
  lk_node_pick_need_all (self);
}

/* CPUs of an offer that are of use: not more than its tasks have, where no more is needed. */
static uint32_t
cpus_of_use (const LkNodePick *self, const LkOffer *offer)
{
  uint64_t task_cpus = (uint64_t)offer->tasks * MAX (self->demand->cpus_per_task, 1);
  if (!self->only_tasks)
    return offer->cpus;
  return (uint32_t)MIN (offer->cpus, MAX (task_cpus, lk_node_cpus_least (self->demand)));
}

/* CPUs that the offer would give now. */
static uint32_t
cpus_to_give (const LkNodePick *self, const LkOffer *offer)
{
  const LkDemand *demand = self->demand;
  uint32_t least = MIN (lk_node_cpus_least (demand), offer->cpus);
  uint32_t task_cpus = self->counts_tasks ? MAX (demand->cpus_per_task, 1) : 1;
  if (self->gives_all)
    return offer->cpus;
  uint32_t cpus = cpus_of_use (self, offer);
  int64_t others = MAX (self->nodes_min_left, 1) - 1;
  int64_t kept = others * MAX (lk_node_cpus_least (demand), task_cpus);
  int64_t most = self->cpus_left - kept;
  if ((int64_t)cpus <= most)
    return cpus;
  /* No more than needed; and when something is kept for others, whole tasks. */
  uint32_t give = most > (int64_t)least ? (uint32_t)most : least;
  uint32_t whole = give - give % task_cpus;
  return kept > 0 && whole >= least ? whole : give;
}

void
lk_node_pick_take (LkNodePick *self, uint32_t offer)
{
  const LkOffer *taken = &self->offers[offer];
  LK_ASSERT (lk_node_is_usable (self, offer));
  uint32_t cpus = cpus_to_give (self, taken);
  self->state[offer] |= LK_NODE_TAKEN;
  self->cpus[offer] = cpus;
  self->cpus_left -= cpus;
  if (self->counts_tasks)
    self->tasks_left -= MIN (taken->tasks, cpus / MAX (self->demand->cpus_per_task, 1));
  self->gpus_left -= taken->gpus;
  self->nodes_left--;
  self->nodes_min_left--;
  self->nodes_max_left--;
}

void
lk_node_pick_put_back (LkNodePick *self, uint32_t offer)
{
  self->state[offer] &= (uint8_t)~LK_NODE_TAKEN;
}

LkNodeResult
lk_node_pick_take_required (LkNodePick *self)
{
  for (uint32_t i = 0; i < self->offer_count && self->required_count > 0; i++) {
    if (self->offers[i].is_required == 0 || !lk_node_is_usable (self, i))
      continue;
    if (self->nodes_max_left <= 0)
      return LK_NODE_NEVER;
    lk_node_pick_take (self, i);
  }
  if (self->required_count > 0 && lk_node_is_done (self))
    return LK_NODE_DONE;
  if (self->nodes_max_left > 0)
    return LK_NODE_RETRY;
  return lk_node_is_enough (self) ? LK_NODE_DONE : LK_NODE_NEVER;
}

/* ---------------------------------------------------------------- orders */

static void
sift_down (const LkNodePick *self, LkNodeHeap *heap, uint32_t at)
{
  uint32_t *items = heap->items;
  uint32_t moved = items[at];
  for (uint32_t child = 2 * at + 1; child < heap->count; child = 2 * at + 1) {
    if (child + 1 < heap->count && heap->before (self, items[child + 1], items[child]))
      child++;
    if (!heap->before (self, items[child], moved))
      break;
    items[at] = items[child];
    at = child;
  }
  items[at] = moved;
}

void
lk_node_heap_fill (LkNodePick *self, LkNodeHeap *heap, LkNodeBefore before)
{
  heap->count = 0;
  for (uint32_t i = 0; i < self->offer_count; i++)
    if (lk_node_is_usable (self, i))
      heap->items[heap->count++] = i;
  lk_node_heap_order (self, heap, before);
}

void
lk_node_heap_order (LkNodePick *self, LkNodeHeap *heap, LkNodeBefore before)
{
  heap->before = before;
  for (uint32_t at = heap->count / 2; at > 0; at--)
    sift_down (self, heap, at - 1);
}

uint32_t
lk_node_heap_pop (LkNodePick *self, LkNodeHeap *heap)
{
  if (heap->count == 0)
    return LK_NODE_NONE;
  uint32_t first = heap->items[0];
  heap->items[0] = heap->items[--heap->count];
  if (heap->count > 0)
    sift_down (self, heap, 0);
  return first;
}

/* ---------------------------------------------------------------- could it be met at all? */

/* All offers together. */
static gboolean
all_would_do (const LkNodePick *self)
{
  const LkDemand *demand = self->demand;
  uint64_t cpus = 0, tasks = 0, gpus = 0;
  for (uint32_t i = 0; i < self->offer_count; i++) {
    if (!lk_node_is_usable (self, i)) {
      if (self->offers[i].is_required != 0)
        return FALSE;
      continue;
    }
    cpus += self->offers[i].cpus;
    tasks += self->offers[i].tasks;
    gpus += self->offers[i].gpus;
  }
  return self->usable_count >= demand->nodes_min && self->required_count <= demand->nodes_max
         && cpus >= demand->cpus_min && gpus >= demand->gpus_total
         && (!self->counts_tasks || tasks >= demand->tasks);
}

static gboolean
more_cpus (const LkNodePick *self, uint32_t a, uint32_t b)
{
  uint32_t cpus_a = self->offers[a].cpus, cpus_b = self->offers[b].cpus;
  return cpus_a != cpus_b ? cpus_a > cpus_b : a < b;
}

static gboolean
more_gpus (const LkNodePick *self, uint32_t a, uint32_t b)
{
  uint32_t gpus_a = self->offers[a].gpus, gpus_b = self->offers[b].gpus;
  return gpus_a != gpus_b ? gpus_a > gpus_b : a < b;
}

/* CPUs (GPUs) of the required offers and the best others, of as many as may be taken. */
static uint64_t
sum_of_best (LkNodePick *self, LkNodeBefore before)
{
  gboolean of_cpus = before == more_cpus;
  uint64_t sum = 0;
  LkNodeHeap *heap = &self->heap;
  heap->count = 0;
  for (uint32_t i = 0; i < self->offer_count; i++) {
    if (self->offers[i].is_required != 0)
      sum += of_cpus ? self->offers[i].cpus : self->offers[i].gpus;
    else if ((self->state[i] & LK_NODE_OUT) == 0)
      heap->items[heap->count++] = i;
  }
  lk_node_heap_order (self, heap, before);
  for (uint32_t left = self->nodes_max - self->required_count; left > 0; left--) {
    uint32_t i = lk_node_heap_pop (self, heap);
    LK_ASSERT (i != LK_NODE_NONE);
    sum += of_cpus ? self->offers[i].cpus : self->offers[i].gpus;
  }
  return sum;
}

/* As many as may be taken, the best of them: what cannot be met so needs no further attempt. */
static gboolean
best_would_do (LkNodePick *self)
{
  if (self->nodes_max >= self->usable_count)
    return TRUE;
  return sum_of_best (self, more_cpus) >= self->demand->cpus_min
         && (self->demand->gpus_total == 0
             || sum_of_best (self, more_gpus) >= self->demand->gpus_total);
}

/* ---------------------------------------------------------------- leaving out */

static uint32_t
gpus_free (const LkOffer *offer)
{
  uint32_t count = 0;
  for (uint32_t i = 0; i < offer->device_count; i++)
    count += offer->device_shares_free[i] >= MAX (offer->shares_per_device, 1);
  return count;
}

static gboolean
is_smaller (const LkNodePick *self, uint32_t a, uint32_t b)
{
  return self->product[a] != self->product[b] ? self->product[a] < self->product[b] : a < b;
}

static gboolean
may_leave_out (const LkNodePick *self, uint32_t offer)
{
  return (self->state[offer] & LK_NODE_OUT) == 0 && self->offers[offer].is_required == 0;
}

static void
order_smallest (LkNodePick *self)
{
  LkNodeHeap *heap = &self->smallest;
  if (self->has_products)
    return;
  self->has_products = TRUE;
  heap->count = 0;
  for (uint32_t i = 0; i < self->offer_count; i++) {
    const LkOffer *offer = &self->offers[i];
    uint64_t gpus = 1;
    if (self->demand->gpus_total > 0)
      gpus = offer->gpus;
    else if (self->demand->gpus_per_node > 0)
      gpus = gpus_free (offer);
    self->product[i] = offer->cpus * gpus;
    if (may_leave_out (self, i))
      heap->items[heap->count++] = i;
  }
  lk_node_heap_order (self, heap, is_smaller);
}

/* The smallest that may be left out, or LK_NODE_NONE. */
static uint32_t
smallest_of_all (LkNodePick *self)
{
  while (self->smallest.count > 0 && !may_leave_out (self, self->smallest.items[0]))
    lk_node_heap_pop (self, &self->smallest);
  return self->smallest.count > 0 ? self->smallest.items[0] : LK_NODE_NONE;
}

static uint32_t
smallest_of_taken (const LkNodePick *self)
{
  uint32_t smallest = LK_NODE_NONE;
  for (uint32_t i = 0; i < self->offer_count; i++)
    if (may_leave_out (self, i) && (self->state[i] & LK_NODE_TAKEN) != 0
        && (smallest == LK_NODE_NONE || is_smaller (self, i, smallest)))
      smallest = i;
  return smallest;
}

/* One at a time; FALSE: they are to be left out together. */
static gboolean
leave_out_single (LkNodePick *self, uint32_t offer)
{
  if (self->offer_count > LK_NODE_FEW_MAX || self->single_count == LK_NODE_SINGLE_MAX)
    return FALSE;
  self->single_count++;
  lk_node_pick_leave_out (self, offer);
  return TRUE;
}

/* Offers are not left out past the point where all that are left may be taken: what is needed is
 * found there if there are CPUs enough at all. */
static uint32_t
kept_count (const LkNodePick *self)
{
  return self->usable_count > self->nodes_max ? self->nodes_max : self->demand->nodes_min;
}

static gboolean
leave_out_smallest (LkNodePick *self)
{
  uint32_t kept = kept_count (self);
  order_smallest (self);
  uint32_t offer = smallest_of_all (self);
  if (offer == LK_NODE_NONE)
    return FALSE;
  if (leave_out_single (self, offer))
    return TRUE;
  uint64_t most = self->product[offer] + self->product[offer] / 4;
  for (; offer != LK_NODE_NONE && self->product[offer] <= most && self->usable_count > kept;
       offer = smallest_of_all (self))
    lk_node_pick_leave_out (self, offer);
  return TRUE;
}

static gboolean
leave_out_smallest_taken (LkNodePick *self)
{
  uint32_t kept = kept_count (self);
  order_smallest (self);
  uint32_t smallest = smallest_of_taken (self);
  if (smallest == LK_NODE_NONE)
    return FALSE;
  if (leave_out_single (self, smallest))
    return TRUE;
  for (uint32_t i = smallest; i < self->offer_count && self->usable_count > kept; i++)
    if (may_leave_out (self, i) && (self->state[i] & LK_NODE_TAKEN) != 0
        && self->product[i] == self->product[smallest])
      lk_node_pick_leave_out (self, i);
  return TRUE;
}

static gboolean
leave_out_marked (LkNodePick *self)
{
  uint32_t before_count = self->usable_count;
  for (uint32_t i = 0; i < self->offer_count; i++)
    if (may_leave_out (self, i) && (self->state[i] & LK_NODE_MARKED) != 0)
      lk_node_pick_leave_out (self, i);
  return self->usable_count < before_count;
}

static gboolean
leave_out_some (LkNodePick *self, LkNodeResult result)
{
  if (self->usable_count <= self->demand->nodes_min)
    return FALSE;
  if (result == LK_NODE_RETRY_MARKED)
    return leave_out_marked (self);
  if (result == LK_NODE_RETRY_TAKEN && leave_out_smallest_taken (self))
    return TRUE;
  return leave_out_smallest (self);
}

/* ---------------------------------------------------------------- dealing out */

/* GPUs: the first node fills first, but every node that has one gets one. */
static void
deal_gpus (const LkNodePick *self, LkPick *picks, uint32_t pick_count)
{
  int64_t left = self->demand->gpus_total;
  int64_t later_count = 0;
  for (uint32_t k = 0; k < pick_count; k++)
    later_count += self->offers[picks[k].offer].gpus > 0;
  for (uint32_t k = 0; k < pick_count && left > 0; k++) {
    int64_t has = self->offers[picks[k].offer].gpus;
    if (has == 0)
      continue;
    later_count--;
    picks[k].gpus = (uint32_t)MIN (has, MAX (left - later_count, 1));
    left -= picks[k].gpus;
  }
  LK_ASSERT (left <= 0);
}

/* Most tasks on a node that gives so many CPUs; at least one. */
static uint32_t
tasks_most (const LkNodePick *self, const LkPick *pick, uint32_t task_cpus)
{
  uint32_t tasks = pick->cpus / task_cpus;
  if (self->counts_tasks)
    tasks = MIN (tasks, self->offers[pick->offer].tasks);
  return MAX (tasks, 1);
}

/* One task for each node, then the others in turn, or one node after the other. */
static void
deal_tasks (LkNodePick *self, const LkPick *picks, uint32_t pick_count, uint32_t task_cpus)
{
  uint32_t tasks = self->counts_tasks ? self->demand->tasks : self->demand->cpus_min;
  uint32_t left = tasks > pick_count ? tasks - pick_count : 0;
  gboolean packs = (self->demand->flags & LK_DEMAND_PACK) != 0;
  gboolean goes_on = TRUE;
  for (uint32_t k = 0; k < pick_count; k++)
    self->count[k] = 1;
  while (left > 0 && goes_on) {
    goes_on = FALSE;
    for (uint32_t k = 0; k < pick_count && left > 0; k++) {
      uint32_t room = tasks_most (self, &picks[k], task_cpus) - self->count[k];
      uint32_t more = MIN (MIN (room, packs ? room : 1), left);
      self->count[k] += more;
      left -= more;
      goes_on = goes_on || more > 0;
    }
  }
}

/* CPUs: those of the node's tasks.  A node keeps more only where the job needs more CPUs than its
 * tasks do. */
static void
deal_cpus (LkNodePick *self, LkPick *picks, uint32_t pick_count)
{
  gboolean spreads = (self->demand->flags & LK_DEMAND_SPREAD) != 0;
  if ((self->demand->flags & LK_DEMAND_WHOLE_NODES) != 0 || (!self->counts_tasks && !spreads))
    return;
  uint32_t task_cpus = self->counts_tasks ? MAX (self->demand->cpus_per_task, 1) : 1;
  uint32_t least = lk_node_cpus_least (self->demand);
  int64_t missing = self->demand->cpus_min;
  deal_tasks (self, picks, pick_count, task_cpus);
  for (uint32_t k = 0; k < pick_count; k++) {
    uint64_t cpus = MAX ((uint64_t)self->count[k] * task_cpus, least);
    self->count[k] = (uint32_t)MIN (cpus, picks[k].cpus);
    missing -= self->count[k];
  }
  for (uint32_t k = 0; k < pick_count; k++) {
    int64_t more = MIN (missing, (int64_t)picks[k].cpus - self->count[k]);
    more = MAX (more, 0);
    picks[k].cpus = self->count[k] + (uint32_t)more;
    missing -= more;
  }
}

static uint32_t
finish (LkNodePick *self, LkPick *picks)
{
  uint32_t pick_count = 0;
  for (uint32_t i = 0; i < self->offer_count; i++)
    if ((self->state[i] & LK_NODE_TAKEN) != 0)
      picks[pick_count++] = (LkPick){ .offer = i, .cpus = self->cpus[i] };
  LK_ASSERT (pick_count >= self->demand->nodes_min);
  LK_ASSERT (pick_count <= self->demand->nodes_max);
  deal_gpus (self, picks, pick_count);
  deal_cpus (self, picks, pick_count);
  return pick_count;
}

/* ---------------------------------------------------------------- attempts */

static LkNodeResult
try_once (LkNodePick *self, LkNodeAttempt attempt)
{
  lk_node_pick_restart (self);
  return attempt (self);
}

static gboolean
is_retry (LkNodeResult result)
{
  return result != LK_NODE_DONE && result != LK_NODE_NEVER;
}

gboolean
lk_node_pick_run (LkNodePick *self, LkNodeAttempt attempt, LkPick *picks, uint32_t *out_pick_count)
{
  const LkDemand *demand = self->demand;
  if (!all_would_do (self))
    return FALSE;
  /* Where GPUs are counted in all, more nodes than must be are not sought. */
  self->nodes_target =
      demand->gpus_total > 0 ? demand->nodes_min : MAX (demand->nodes_min, demand->nodes_wanted);
  self->nodes_max = demand->nodes_max;
  LkNodeResult result = try_once (self, attempt);
  gboolean may_help = is_retry (result) && best_would_do (self);
  while (may_help && is_retry (result) && leave_out_some (self, result))
    result = try_once (self, attempt);
  if (result != LK_NODE_DONE)
    return FALSE;
  *out_pick_count = finish (self, picks);
  return TRUE;
}
