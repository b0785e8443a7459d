/* null_policy.c — exports the symbol, but has nothing to say. */
#include "engine/policy.h"

const LkPolicy *lk_policy_v1 (void);

__attribute__ ((visibility ("default"))) const LkPolicy *
lk_policy_v1 (void)
{
  return NULL;
}
