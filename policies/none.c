/* policies/none.c — no backfilling: strict queue order.
 *
 * Starts the head of the queue while it fits and stops at the first job that does not.  Source:
 * Mu'alem & Feitelson 2001, section 2 (FCFS, when the order is fifo). */
#include "policies/backfills.h"

static void *
none_create (const LkParamValues *values, LkPolicyError *error)
{
  static const char stateless;
  (void)values;
  (void)error;
  return (void *)&stateless;
}

static void
none_destroy (void *self)
{
  (void)self;
}

static void
none_pass (void *self, const LkView *view, const LkPassOps *ops, void *pass)
{
  (void)self;
  lk_backfill_start_heads (view, ops, pass);
}

static const LkParam none_params[] = { { 0 } };

const LkBackfillPolicy lk_backfill_none = {
  .base = { .abi = LK_POLICY_ABI,
            .size = sizeof (LkBackfillPolicy),
            .seam = LK_SEAM_BACKFILL,
            .version = 1,
            .name = "none",
            .summary = "strict queue order: nobody passes a job that waits for room",
            .params = none_params,
            .create = none_create,
            .destroy = none_destroy },
  .head_only = 1,
  .pass = none_pass,
  .plans_hets = 1,
};
