/* policies/limits_measure.h — what a limit says of a job: how much it allows, how much is in use,
 * what the job asks for, and whether that is too much.
 *
 * Times are compared in whole minutes, as Slurm keeps them: a time limit is rounded up, use is
 * rounded down.  The time limit counts times the UsageFactor of the job's QOS when that has the
 * flag UsageFactorSafe.  Sums and products end at UINT64_MAX, which as a limit is none.  Source:
 * Slurm's resource_limits.html and qos.html. */
#ifndef LK_POLICIES_LIMITS_MEASURE_H
#define LK_POLICIES_LIMITS_MEASURE_H

#include "policies/limits_scope.h"

/* A job before its limits. */
typedef struct {
  const LkLimitScope *scope;
  const LkLimitCheck *check;
  uint32_t when;    /* one of LK_CHECK_*; 0: may its age grow? */
  uint64_t minutes; /* of its time limit */
} LkLimitAsk;

void lk_limit_ask_init (LkLimitAsk *self, const LkLimitScope *scope, const LkLimitCheck *check,
                        uint32_t when);

/* The value of a limit that holds here: percentages and LimitFactor are counted in. */
uint64_t lk_limit_value (const LkLimitScope *scope, const LkLimitLevel *level,
                         const LkLimitItem *item);

/* Does it hold the job?  Fills limit, used and asked of `out_finding`, and whose limit it is. */
gboolean lk_limit_holds (const LkLimitAsk *self, const LkLimitLevel *level, const LkLimitItem *item,
                         LkLimitFinding *out_finding);

#endif
