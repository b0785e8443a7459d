/* policies/unicef.c — the largest wait / (log2 (procs) * estimate) goes first.
 *
 * A job of one processor divides by log2 (1) = 0 and so goes before all others once it has waited;
 * before that its score is 0 as everyone's.  The order is computed anew at each pass, hence a table
 * for the logarithms that nearly all jobs need.
 *
 * Source: Tang, Lan, Desai, Buettner, Cluster 2009. */
#include <glib.h>

#include "engine/assert.h"
#include "policies/order_util.h"
#include "policies/orders.h"

#define TABLE_COUNT 1024

typedef struct {
  LkOrder order;
  double log2_procs[TABLE_COUNT];
} Unicef;

static const LkParam params[] = {
  LK_ORDER_PARAM_THRESHOLD,
  LK_ORDER_PARAM_END,
};

static void *
create (const LkParamValues *values, LkPolicyError *error)
{
  Unicef *self = g_new0 (Unicef, 1);
  int32_t taken = lk_order_init (&self->order, values, error);
  LK_ASSERT (taken); /* a threshold alone is never refused */
  for (uint32_t procs = 0; procs < TABLE_COUNT; procs++)
    self->log2_procs[procs] = values->host->log2 ((double)procs);
  return self;
}

double
lk_order_unicef_score (const void *self, const LkView *view, LkJobIndex job)
{
  double wait_s = lk_order_wait_s (view, job);
  if (wait_s <= 0.0)
    return 0.0;
  uint32_t procs = view->jobs->procs[job];
  double log2_procs = procs < TABLE_COUNT ? ((const Unicef *)self)->log2_procs[procs]
                                          : view->host->log2 ((double)procs);
  return wait_s / (log2_procs * lk_order_estimate_s (view, job));
}

static int64_t
key (void *self, const LkView *view, LkJobIndex job)
{
  return lk_order_key_highest (self, view, job, lk_order_unicef_score (self, view, job));
}

const LkOrderPolicy lk_order_unicef = {
  .base = { .abi = LK_POLICY_ABI,
            .size = sizeof (LkOrderPolicy),
            .seam = LK_SEAM_ORDER,
            .version = 1,
            .name = "unicef",
            .summary = "Largest wait / (log2(procs) * estimate) first (Tang et al., Cluster 2009)",
            .params = params,
            .create = create,
            .destroy = lk_order_destroy },
  .key = key,
  .is_dynamic = lk_order_always_dynamic,
};
