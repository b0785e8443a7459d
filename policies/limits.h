/* policies/limits.h — the limits policies that are built in; docs/policy-limits.md says what each
 * does. */
#ifndef LK_POLICIES_LIMITS_H
#define LK_POLICIES_LIMITS_H

#include "engine/policy.h"

extern const LkLimitsPolicy lk_limits_none;
extern const LkLimitsPolicy lk_limits_slurm;

#endif
