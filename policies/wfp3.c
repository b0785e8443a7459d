/* policies/wfp3.c — the largest (wait / estimate)^3 * procs goes first. */
#include "policies/order_util.h"
#include "policies/orders.h"

static const LkParam params[] = {
  LK_ORDER_PARAM_THRESHOLD,
  LK_ORDER_PARAM_END,
};

double
lk_order_wfp3_score (const LkView *view, LkJobIndex job)
{
  double ratio = lk_order_wait_s (view, job) / lk_order_estimate_s (view, job);
  return ratio * ratio * ratio * lk_order_procs (view, job);
}

static int64_t
key (void *self, const LkView *view, LkJobIndex job)
{
  return lk_order_key_highest (self, view, job, lk_order_wfp3_score (view, job));
}

const LkOrderPolicy lk_order_wfp3 = {
  .base = LK_ORDER_BASE ("wfp3", params,
                         "Largest (wait / estimate)^3 * procs first (Tang et al., Cluster 2009)"),
  .key = key,
  .is_dynamic = lk_order_always_dynamic,
};
