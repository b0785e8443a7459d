/* policies/priority_factors.h — the factors of Slurm's multifactor priority, each by itself.
 *
 * Source: Slurm, "Multifactor Priority Plugin".  Factors are mostly in [0, 1]; what weighs them and
 * adds them up is multifactor.c. */
#ifndef LK_POLICIES_PRIORITY_FACTORS_H
#define LK_POLICIES_PRIORITY_FACTORS_H

#include "engine/policy.h"

/* Jobs go by the tier of their partition, then by priority. */
static inline int64_t
lk_priority_key (uint32_t tier, uint32_t priority)
{
  return ((int64_t)tier << 32) | (int64_t)priority;
}

/* The partition of a job; NULL: the host knows none, which counts as one with Slurm's defaults. */
const LkPartitionView *lk_priority_partition (const LkView *view, uint32_t partition);
uint32_t lk_priority_partition_of (const LkView *view, LkJobIndex job);
uint32_t lk_priority_tier_of (const LkView *view, LkJobIndex job);

/* How long it has waited since `accrue_us` (LK_TIME_NEVER: not yet), relative to `max_age_us`; at
 * most 1. */
double lk_priority_age (int64_t now_us, int64_t accrue_us, int64_t max_age_us);

/* A number relative to the largest there is; 0 where that is 0. */
double lk_priority_relative (uint32_t value, uint32_t maximum);

#define LK_JOB_SIZE_FAVOR_SMALL (1u << 0)
#define LK_JOB_SIZE_RELATIVE_TO_TIME (1u << 1)

/* What the factor of its size is made of. */
typedef struct {
  double nodes; /* least */
  double procs;
  double limit_min; /* time limit in minutes */
  double nodes_all; /* of the machine */
  double procs_all;
} LkJobSize;

/* A pool is taken for nodes of one processor each. A job without a time limit has that of the
 * partition. */
LkJobSize lk_priority_job_size (const LkView *view, LkJobIndex job,
                                const LkPartitionView *partition);
double lk_priority_size (const LkJobSize *size, uint32_t flags);

#endif
