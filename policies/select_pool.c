/* policies/select_pool.c — the machine as one pool of equal processors: a job takes as many as it
 * asks for. */
#include "policies/selects.h"

static void *
pool_create (const LkParamValues *values, LkPolicyError *error)
{
  static const char stateless;
  (void)values;
  (void)error;
  return (void *)&stateless;
}

static void
pool_destroy (void *self)
{
  (void)self;
}

static uint32_t
pool_demand (void *self, const LkView *view, LkJobIndex job)
{
  (void)self;
  return view->jobs->procs[job];
}

static const LkParam pool_params[] = { { 0 } };

const LkSelectPolicy lk_select_pool = {
  .base = { .abi = LK_POLICY_ABI,
            .size = sizeof (LkSelectPolicy),
            .seam = LK_SEAM_SELECT,
            .version = 1,
            .name = "pool",
            .summary = "one counted pool of equal processors",
            .params = pool_params,
            .create = pool_create,
            .destroy = pool_destroy },
  .demand = pool_demand,
};
