/* policies/xfactor.c — the largest expansion factor goes first: (wait + estimate) / estimate. */
#include "policies/order_util.h"
#include "policies/orders.h"

static const LkParam params[] = {
  LK_ORDER_PARAM_THRESHOLD,
  LK_ORDER_PARAM_END,
};

double
lk_order_xfactor_score (const LkView *view, LkJobIndex job)
{
  double estimate_s = lk_order_estimate_s (view, job);
  return (lk_order_wait_s (view, job) + estimate_s) / estimate_s;
}

static int64_t
key (void *self, const LkView *view, LkJobIndex job)
{
  return lk_order_key_highest (self, view, job, lk_order_xfactor_score (view, job));
}

const LkOrderPolicy lk_order_xfactor = {
  .base = LK_ORDER_BASE ("xfactor", params, "Largest (wait + estimate) / estimate first (XFactor)"),
  .key = key,
  .is_dynamic = lk_order_always_dynamic,
};
