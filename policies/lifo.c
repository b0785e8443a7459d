/* policies/lifo.c — last come, first served: the latest submit goes first. */
#include "policies/order_util.h"
#include "policies/orders.h"

static const LkParam params[] = {
  LK_ORDER_PARAM_END,
};

static int64_t
key (void *self, const LkView *view, LkJobIndex job)
{
  (void)self;
  return view->jobs->submit_us[job];
}

const LkOrderPolicy lk_order_lifo = {
  .base = LK_ORDER_BASE ("lifo", params, "Last come, first served"),
  .key = key,
  .is_dynamic = NULL,
};
