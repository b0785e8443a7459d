/* policies/sexp.c — smallest expansion: the least estimate per processor goes first. */
#include "policies/order_util.h"
#include "policies/orders.h"

static const LkParam params[] = {
  LK_ORDER_PARAM_THRESHOLD,
  LK_ORDER_PARAM_END,
};

double
lk_order_sexp_score (const LkView *view, LkJobIndex job)
{
  return lk_order_estimate_s (view, job) / lk_order_procs (view, job);
}

static int64_t
key (void *self, const LkView *view, LkJobIndex job)
{
  return lk_order_key_lowest (self, view, job, lk_order_sexp_score (view, job));
}

const LkOrderPolicy lk_order_sexp = {
  .base = LK_ORDER_BASE (
      "sexp", params,
      "Smallest estimate / procs first (SRF, SEXP: Carastan-Santos et al., CCGrid 2019)"),
  .key = key,
  .is_dynamic = lk_order_has_threshold,
};
