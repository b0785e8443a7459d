/* policies/node_pick.h — choosing nodes from offers: the books of one choice, shared by the select
 * policies.
 *
 * An attempt (policies/node_fit.h) takes one offer after the other until what the demand asks of
 * all nodes together is met.  What an offer gives is its CPUs, but no more than is still needed,
 * less the least of every other node that is still needed.  When an attempt fails, a smaller
 * machine may do: the offer with the least CPUs (times GPUs, for who asks for GPUs) is left out,
 * and so on, so that few large nodes are found where many small ones were in the way.  At the end
 * tasks, CPUs and GPUs are dealt out among the nodes that were taken.
 *
 * Invariants: an offer is taken at most once in an attempt; a required one is never left out; picks
 * come in order of node index. Source: Slurm's choice of nodes, docs/policy-select.md. */
#ifndef LK_POLICIES_NODE_PICK_H
#define LK_POLICIES_NODE_PICK_H

#include <glib.h>

#include "engine/policy.h"

/* Of so few offers so many are left out one at a time, as Slurm does.  Of more, and behind these,
 * all that are at most a quarter larger than the smallest go together (of those that were taken,
 * all that are as small), so that a large machine does not cost an attempt for each of its
 * nodes. */
#define LK_NODE_FEW_MAX 1000u
#define LK_NODE_SINGLE_MAX 100u

typedef enum {
  LK_NODE_DONE,         /* the demand is met */
  LK_NODE_NEVER,        /* no part of these offers will do */
  LK_NODE_RETRY,        /* perhaps without the smallest */
  LK_NODE_RETRY_TAKEN,  /* perhaps without the smallest of those that were taken */
  LK_NODE_RETRY_MARKED, /* perhaps without all that are marked */
} LkNodeResult;

/* State of an offer: bits. */
#define LK_NODE_OUT 1u      /* left out of this choice */
#define LK_NODE_TAKEN 2u    /* by this attempt */
#define LK_NODE_MARKED 4u   /* what an attempt wants to remember: within reach */
#define LK_NODE_LIGHT 8u    /* likewise: of the lowest weights that suffice */
#define LK_NODE_SETTLED 16u /* likewise: taken for a part of the job that is complete */

typedef struct LkNodePick LkNodePick;
typedef LkNodeResult (*LkNodeAttempt) (LkNodePick *self);
/* Does offer `a` come before offer `b`?  A total order. */
typedef gboolean (*LkNodeBefore) (const LkNodePick *self, uint32_t a, uint32_t b);

/* A binary heap of numbers of offers, or of other things; the first of the order is `items[0]`. */
typedef struct {
  uint32_t *items;
  uint32_t count;
  LkNodeBefore before;
} LkNodeHeap;

/* Neighbouring nodes of one weight: offers `first` to `last`. */
typedef struct {
  uint32_t first;
  uint32_t last;
  uint32_t required;   /* the first offer in it that the job names; LK_NODE_NONE */
  uint32_t node_count; /* without required ones; 0: none, or used up */
  uint64_t weight;     /* LK_NODE_WEIGHT_UNSET: of no node yet */
  uint32_t cpus_max;   /* of one node */
  int64_t cpus;
  int64_t gpus;
  int64_t tasks;
} LkNodeSet;

#define LK_NODE_WEIGHT_UNSET UINT64_MAX

/* A switch, or a base block, with the offers on it that count. */
typedef struct {
  uint32_t first;      /* offer; the others follow in LkNodePick.next; LK_NODE_NONE */
  uint32_t node_count; /* on it, and below it */
  int64_t cpus;
  uint64_t weight;   /* the lowest; LK_NODE_WEIGHT_UNSET without nodes */
  uint64_t distance; /* to the leafs in use, all of them; LK_NODE_WEIGHT_UNSET: no way */
  gboolean is_used;
} LkNodeSwitch;

struct LkNodePick {
  const LkClusterView *cluster; /* NULL: no topology */
  const LkDemand *demand;
  const LkOffer *offers;
  uint32_t offer_count;
  uint32_t usable_count; /* offers not left out */
  uint32_t required_count;
  gboolean counts_tasks; /* every task has its own CPUs */
  gboolean only_tasks;   /* and no CPU is needed but for tasks */
  gboolean gives_all;    /* a node gives all it has; it is dealt out at the end */
  LkNodeBefore before;   /* the order, of lk_node_fit_ordered */

  /* The attempt: limits, and what is still needed; 0 or less is met. */
  uint32_t nodes_max;
  uint32_t nodes_target; /* as many as this, or nodes_min if there are no more */
  int64_t nodes_left;    /* to the target */
  int64_t nodes_min_left;
  int64_t nodes_max_left;
  int64_t cpus_left;
  int64_t tasks_left;
  int64_t gpus_left;

  /* By offer, with room for `room` of them. */
  uint32_t room;
  uint8_t *state;
  uint64_t *weight; /* for scheduling: the node's, then more free GPUs first */
  uint32_t *cpus;   /* given */
  uint32_t *count;  /* of tasks, while they are dealt out */
  uint64_t *product;
  gboolean has_products;
  LkNodeHeap heap;     /* for attempts */
  LkNodeHeap smallest; /* what may be left out, when `has_products` */
  uint32_t *next;      /* on the same switch */
  LkNodeSet *sets;
  uint32_t set_count;
  uint32_t single_count; /* offers that were left out one at a time */

  uint32_t switch_room;
  LkNodeSwitch *switches;
  uint32_t *group_counts; /* nodes of groups of base blocks */
};

void lk_node_pick_init (LkNodePick *self);
void lk_node_pick_clear (LkNodePick *self);

/* Begins a choice. All that is handed in is borrowed until it ends. */
void lk_node_pick_begin (LkNodePick *self, const LkView *view, const LkDemand *demand,
                         const LkOffer *offers, uint32_t offer_count);
/* The same among at most so many nodes that offer the same: numbers of nodes stand for offers in
 * sets, and nothing is known by offer. */
void lk_node_pick_begin_alike (LkNodePick *self, const LkView *view, const LkDemand *demand,
                               const LkOffer *offer, uint32_t node_count);
/* Leaves out an offer for the whole choice. */
void lk_node_pick_leave_out (LkNodePick *self, uint32_t offer);
/* All nodes count as equally heavy. */
void lk_node_pick_ignore_weights (LkNodePick *self);
/* Attempts, on less and less of the offers, until the demand is met. Returns FALSE when it never
 * is. `picks` has room for all offers. */
gboolean lk_node_pick_run (LkNodePick *self, LkNodeAttempt attempt, LkPick *picks,
                           uint32_t *out_pick_count);

/* ---------------------------------------------------------------- for attempts */

/* Takes back everything taken in this attempt. */
void lk_node_pick_restart (LkNodePick *self);
/* Sets what is needed to the whole demand again; what is taken stays. */
void lk_node_pick_need_all (LkNodePick *self);
void lk_node_pick_take (LkNodePick *self, uint32_t offer);
/* The offer is as if it had not been taken; what is needed is not changed. */
void lk_node_pick_put_back (LkNodePick *self, uint32_t offer);
/* Takes all that the job names. LK_NODE_RETRY: more is needed. */
LkNodeResult lk_node_pick_take_required (LkNodePick *self);

static inline gboolean
lk_node_is_usable (const LkNodePick *self, uint32_t offer)
{
  return (self->state[offer] & (LK_NODE_OUT | LK_NODE_TAKEN)) == 0;
}

/* All that the demand wants, and as many nodes as it wants. */
static inline gboolean
lk_node_is_done (const LkNodePick *self)
{
  return self->nodes_left <= 0 && self->cpus_left <= 0 && self->tasks_left <= 0
         && self->gpus_left <= 0;
}

/* All that the demand must have. */
static inline gboolean
lk_node_is_enough (const LkNodePick *self)
{
  return self->nodes_min_left <= 0 && self->cpus_left <= 0 && self->tasks_left <= 0
         && self->gpus_left <= 0;
}

/* Fills a heap with the usable offers. */
void lk_node_heap_fill (LkNodePick *self, LkNodeHeap *heap, LkNodeBefore before);
/* Puts what stands in a heap in order. */
void lk_node_heap_order (LkNodePick *self, LkNodeHeap *heap, LkNodeBefore before);
/* Takes the first out; LK_NODE_NONE at the end. */
uint32_t lk_node_heap_pop (LkNodePick *self, LkNodeHeap *heap);

/* Least CPUs that each node gives. */
static inline uint32_t
lk_node_cpus_least (const LkDemand *demand)
{
  return MAX (demand->cpus_per_node_min, 1);
}

#endif
