/* policies/smallest.c — fewest processors first. */
#include "policies/order_util.h"
#include "policies/orders.h"

static const LkParam params[] = {
  LK_ORDER_PARAM_THRESHOLD,
  LK_ORDER_PARAM_END,
};

static int64_t
key (void *self, const LkView *view, LkJobIndex job)
{
  return lk_order_key (self, view, job, -(int64_t)view->jobs->procs[job]);
}

const LkOrderPolicy lk_order_smallest = {
  .base = LK_ORDER_BASE ("smallest", params, "Fewest processors first (SQF)"),
  .key = key,
  .is_dynamic = lk_order_has_threshold,
};
