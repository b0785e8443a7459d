/* policies/preempt_gang.c — jobs take turns on cores that they share, and those of higher tiers
 * have theirs before: Slurm's PreemptMode=GANG with PreemptType=preempt/none.
 *
 * Nobody is killed or requeued.  What a partition says of preemption does not count, but that with
 * PreemptMode=OFF its jobs keep their cores.  Source: Slurm, gang_scheduling.html; steps 2 and 3 of
 * src/plugins/select/cons_common/job_test.c. */
#include <glib.h>

#include "policies/preempt_common.h"
#include "policies/preempts.h"

#define US_PER_S INT64_C (1000000)

static void *
gang_create (const LkParamValues *values, LkPolicyError *error)
{
  LkPreempt *self = g_new0 (LkPreempt, 1);
  (void)error;
  self->host = values->host;
  self->mode = LK_PREEMPT_SUSPEND;
  self->exempt_us = -1;
  self->settings = (LkPreemptSettings){
    .size = sizeof (LkPreemptSettings),
    .exempt_priority = LK_TIME_NEVER,
    .slice_us = values->values[0].integer * US_PER_S,
  };
  return self;
}

static uint32_t
tier_of (const LkView *view, LkJobIndex job)
{
  return view->partitions[view->jobs->partition[job]].priority_tier;
}

static uint32_t
gang_mode (void *user, const LkView *view, LkJobIndex victim)
{
  (void)user;
  return lk_preempt_partition_terms (view, victim).mode == LK_PREEMPT_OFF ? LK_PREEMPT_OFF
                                                                          : LK_PREEMPT_SUSPEND;
}

static int32_t
gang_may_preempt (void *user, const LkView *view, LkJobIndex preemptor, LkJobIndex victim)
{
  return tier_of (view, preemptor) > tier_of (view, victim)
         && gang_mode (user, view, victim) != LK_PREEMPT_OFF;
}

static int32_t
gang_may_preempt_any (void *user, const LkView *view, LkJobIndex preemptor)
{
  uint32_t tier = tier_of (view, preemptor);
  (void)user;
  for (uint32_t i = 0; i < view->partition_count; i++)
    if (view->partitions[i].priority_tier < tier)
      return 1;
  return 0;
}

static uint32_t
gang_level (void *user, const LkView *view, LkJobIndex job)
{
  (void)user;
  return tier_of (view, job);
}

static const LkParam gang_params[] = {
  { .name = "slice_s",
    .type = LK_PARAM_INTEGER,
    .unit = "s",
    .default_value = "30",
    .minimum = 5,
    .maximum = 65533,
    .help = "how long a turn is (SchedulerTimeSlice)" },
  { 0 },
};

const LkPreemptPolicy lk_preempt_gang = {
  .base = { .abi = LK_POLICY_ABI,
            .size = sizeof (LkPreemptPolicy),
            .seam = LK_SEAM_PREEMPT,
            .version = 1,
            .name = "gang",
            .summary = "jobs take turns on cores that they share, higher tiers first (Slurm's "
                       "PreemptMode=GANG alone)",
            .params = gang_params,
            .create = gang_create,
            .destroy = lk_preempt_destroy },
  .may_preempt = gang_may_preempt,
  .settings = lk_preempt_settings,
  .mode = gang_mode,
  .may_preempt_any = gang_may_preempt_any,
  .level = gang_level,
};
