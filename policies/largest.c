/* policies/largest.c — most processors first. */
#include "policies/order_util.h"
#include "policies/orders.h"

static const LkParam params[] = {
  LK_ORDER_PARAM_THRESHOLD,
  LK_ORDER_PARAM_END,
};

static int64_t
key (void *self, const LkView *view, LkJobIndex job)
{
  return lk_order_key (self, view, job, (int64_t)view->jobs->procs[job]);
}

const LkOrderPolicy lk_order_largest = {
  .base = LK_ORDER_BASE ("largest", params, "Most processors first (LQF)"),
  .key = key,
  .is_dynamic = lk_order_has_threshold,
};
