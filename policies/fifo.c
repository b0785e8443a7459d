/* policies/fifo.c — first come, first served: the earliest submit goes first.
 *
 * All keys are equal, so that the tie-break of every order, submit then id, is the order. */
#include "policies/order_util.h"
#include "policies/orders.h"

static const LkParam params[] = {
  LK_ORDER_PARAM_END,
};

static int64_t
key (void *self, const LkView *view, LkJobIndex job)
{
  (void)self;
  (void)view;
  (void)job;
  return 0;
}

const LkOrderPolicy lk_order_fifo = {
  .base = LK_ORDER_BASE ("fifo", params, "First come, first served"),
  .key = key,
  .is_dynamic = NULL,
};
