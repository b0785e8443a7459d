/* policies/f4.c — the nonlinear model F4: the least p*sqrt(q) + 530000*log10(s) goes first.
 *
 * p seconds of estimate, q processors, s seconds from the origin to the submit.  The score does not
 * change with time.  Source: Carastan-Santos and de Camargo, SC17. */
#include "policies/order_util.h"
#include "policies/orders.h"

static const LkParam params[] = {
  LK_ORDER_PARAM_THRESHOLD,
  LK_ORDER_PARAM_ORIGIN,
  LK_ORDER_PARAM_END,
};

double
lk_order_f4_score (const void *self, const LkView *view, LkJobIndex job)
{
  double submit_s = lk_order_submit_s (self, view, job);
  return lk_order_estimate_s (view, job) * __builtin_sqrt (lk_order_procs (view, job))
         + 530000.0 * view->host->log10 (submit_s);
}

static int64_t
key (void *self, const LkView *view, LkJobIndex job)
{
  return lk_order_key_lowest (self, view, job, lk_order_f4_score (self, view, job));
}

const LkOrderPolicy lk_order_f4 = {
  .base = LK_ORDER_BASE (
      "f4", params,
      "Smallest p*sqrt(q) + 530000*log10(s) first (Carastan-Santos and de Camargo, SC17)"),
  .key = key,
  .is_dynamic = lk_order_has_threshold,
};
