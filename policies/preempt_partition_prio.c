/* policies/preempt_partition_prio.c — Slurm's preempt/partition_prio: jobs of a partition may
 * displace those of partitions of a lower PriorityTier that have nodes in common with it.
 *
 * Partitions of one tier never displace each other.  How a victim goes, and its notice, are its
 * partition's; the victim's class is the tier.  Source: Slurm, slurm.conf(5),
 * PreemptType=preempt/partition_prio; src/plugins/preempt/partition_prio. */
#include "policies/preempt_common.h"
#include "policies/preempts.h"

static uint32_t
tier_of (const LkView *view, LkJobIndex job)
{
  return view->partitions[view->jobs->partition[job]].priority_tier;
}

static uint32_t
partition_mode (void *user, const LkView *view, LkJobIndex victim)
{
  const LkPreempt *self = user;
  LkPreemptTerms terms = lk_preempt_partition_terms (view, victim);
  return terms.mode != LK_PREEMPT_UNSET ? terms.mode : self->mode;
}

static int32_t
partition_may_preempt (void *user, const LkView *view, LkJobIndex preemptor, LkJobIndex victim)
{
  const LkPreempt *self = user;
  if (tier_of (view, preemptor) <= tier_of (view, victim)
      || partition_mode (user, view, victim) == LK_PREEMPT_OFF
      || !view->host->partitions_meet (view, view->jobs->partition[preemptor],
                                       view->jobs->partition[victim]))
    return 0;
  return !self->by_priority
         || view->host->priority (view, preemptor) >= view->host->priority (view, victim);
}

static int32_t
partition_may_preempt_any (void *user, const LkView *view, LkJobIndex preemptor)
{
  uint32_t tier = tier_of (view, preemptor);
  (void)user;
  for (uint32_t i = 0; i < view->partition_count; i++)
    if (view->partitions[i].priority_tier < tier)
      return 1;
  return 0;
}

static uint32_t
partition_victim_class (void *user, const LkView *view, LkJobIndex victim)
{
  (void)user;
  return tier_of (view, victim);
}

static int64_t
partition_grace_us (void *user, const LkView *view, LkJobIndex victim)
{
  (void)user;
  return lk_preempt_partition_terms (view, victim).grace_us;
}

static uint32_t
partition_level (void *user, const LkView *view, LkJobIndex job)
{
  (void)user;
  return tier_of (view, job);
}

const LkPreemptPolicy lk_preempt_partition_prio = {
  .base = { .abi = LK_POLICY_ABI,
            .size = sizeof (LkPreemptPolicy),
            .seam = LK_SEAM_PREEMPT,
            .version = 1,
            .name = "partition_prio",
            .summary = "jobs preempt those of partitions of a lower tier (Slurm's "
                       "preempt/partition_prio)",
            .params = lk_preempt_params,
            .create = lk_preempt_create,
            .destroy = lk_preempt_destroy },
  .may_preempt = partition_may_preempt,
  .settings = lk_preempt_settings,
  .mode = partition_mode,
  .may_preempt_any = partition_may_preempt_any,
  .victim_class = partition_victim_class,
  .grace_us = partition_grace_us,
  .exempt_us = lk_preempt_exempt_us,
  .level = partition_level,
};
