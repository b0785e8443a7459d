/* policies/ljf.c — longest job first, by the estimate. */
#include "policies/order_util.h"
#include "policies/orders.h"

static const LkParam params[] = {
  LK_ORDER_PARAM_THRESHOLD,
  LK_ORDER_PARAM_END,
};

static int64_t
key (void *self, const LkView *view, LkJobIndex job)
{
  return lk_order_key (self, view, job, view->jobs->estimate_us[job]);
}

const LkOrderPolicy lk_order_ljf = {
  .base = LK_ORDER_BASE ("ljf", params, "Longest estimate first (LJF, LPT)"),
  .key = key,
  .is_dynamic = lk_order_has_threshold,
};
