/* policies/limits_none.c — limits are recorded but hold nobody: what a workload would do without
 * them. */
#include "policies/limits.h"

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

static int32_t
none_check (void *self, const LkView *view, const LkLimitCheck *check, LkLimitFound found,
            void *sink)
{
  (void)self;
  (void)view;
  (void)check;
  (void)found;
  (void)sink;
  return 1;
}

static const LkParam none_params[] = { { 0 } };

const LkLimitsPolicy lk_limits_none = {
  .base = { .abi = LK_POLICY_ABI,
            .size = sizeof (LkLimitsPolicy),
            .seam = LK_SEAM_LIMITS,
            .version = 1,
            .name = "none",
            .summary = "no limit of an association or QOS holds a job",
            .params = none_params,
            .create = none_create,
            .destroy = none_destroy },
  .check = none_check,
};
