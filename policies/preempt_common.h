/* policies/preempt_common.h — what Slurm's two preempt plugins have in common: their parameters,
 * and what is the same for the jobs of both.
 *
 * Source: Slurm, slurm.conf(5), PreemptMode, PreemptParameters, PreemptExemptTime; semantics of
 * src/interfaces/preempt.c. */
#ifndef LK_POLICIES_PREEMPT_COMMON_H
#define LK_POLICIES_PREEMPT_COMMON_H

#include "engine/policy.h"

typedef struct {
  LkPreemptSettings settings;
  uint32_t mode;       /* of the cluster */
  int64_t exempt_us;   /* of the cluster; below 0: none */
  int32_t within;      /* jobs of one QOS may preempt each other */
  int32_t by_priority; /* only jobs of lower priority */
  const LkHost *host;
} LkPreempt;

extern const LkParam lk_preempt_params[];

/* Slots of LkPolicy and LkPreemptPolicy. */
void *lk_preempt_create (const LkParamValues *values, LkPolicyError *error);
void lk_preempt_destroy (void *self);
void lk_preempt_settings (void *self, LkPreemptSettings *out_settings);
/* The first defined of the QOS that count for the job, then the cluster's. */
int64_t lk_preempt_exempt_us (void *self, const LkView *view, LkJobIndex victim);

/* What its QOS says; a job without one: nothing. */
LkPreemptTerms lk_preempt_qos_terms (const LkView *view, LkJobIndex job);
LkPreemptTerms lk_preempt_partition_terms (const LkView *view, LkJobIndex job);

/* Is the first in the same or a higher partition? Jobs that are to be suspended want that. */
int32_t lk_preempt_is_over (const LkView *view, LkJobIndex preemptor, LkJobIndex victim);

#endif
