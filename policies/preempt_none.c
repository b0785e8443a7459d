/* policies/preempt_none.c — nobody is displaced. */
#include "policies/preempts.h"

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

static const LkParam none_params[] = { { 0 } };

const LkPreemptPolicy lk_preempt_none = {
  .base = { .abi = LK_POLICY_ABI,
            .size = sizeof (LkPreemptPolicy),
            .seam = LK_SEAM_PREEMPT,
            .version = 1,
            .name = "none",
            .summary = "no job is preempted",
            .params = none_params,
            .create = none_create,
            .destroy = none_destroy },
};
