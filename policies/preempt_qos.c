/* policies/preempt_qos.c — Slurm's preempt/qos: a QOS names those whose jobs its jobs may displace.
 *
 * The lists are not transitive.  Within one QOS a job of higher priority may displace another where
 * WITHIN is said, of the QOS or of the cluster.  Where victims are suspended, a job of a higher
 * tier may displace any.  Only the job's own QOS counts, not that of its partition.  How a victim
 * goes, and its notice, are its QOS's; the victim's class is the QOS's priority.
 * Source: Slurm, slurm.conf(5), PreemptType=preempt/qos; src/plugins/preempt/qos. */
#include "policies/preempt_common.h"
#include "policies/preempts.h"

static uint32_t
qos_mode (void *user, const LkView *view, LkJobIndex victim)
{
  const LkPreempt *self = user;
  LkPreemptTerms terms = lk_preempt_qos_terms (view, victim);
  return terms.mode != LK_PREEMPT_UNSET ? terms.mode : self->mode;
}

/* Where jobs take turns those of a higher tier have theirs before, whatever lists say: so Slurm's
 * gang scheduler. */
static int32_t
qos_is_above (void *user, const LkView *view, LkJobIndex preemptor, LkJobIndex victim)
{
  const LkPreempt *self = user;
  const LkPartitionView *partitions = view->partitions;
  return self->settings.slice_us > 0 && qos_mode (user, view, victim) == LK_PREEMPT_SUSPEND
         && partitions[view->jobs->partition[preemptor]].priority_tier
                > partitions[view->jobs->partition[victim]].priority_tier;
}

static int32_t
qos_may_preempt (void *user, const LkView *view, LkJobIndex preemptor, LkJobIndex victim)
{
  const LkPreempt *self = user;
  if (qos_is_above (user, view, preemptor, victim))
    return 1;
  if (view->accounts == NULL)
    return 0;
  uint32_t qos = view->jobs->qos[preemptor];
  uint32_t other = view->jobs->qos[victim];
  if (qos == LK_INDEX_NONE || other == LK_INDEX_NONE)
    return 0;
  int within = qos == other;
  if (within && !self->within && !lk_preempt_qos_terms (view, victim).within)
    return 0;
  if (!within && !view->host->qos_preempts (view, qos, other))
    return 0;
  if (qos_mode (user, view, victim) == LK_PREEMPT_SUSPEND
      && !lk_preempt_is_over (view, preemptor, victim))
    return 0;
  return (!within && !self->by_priority)
         || view->host->priority (view, preemptor) > view->host->priority (view, victim);
}

static int32_t
qos_may_preempt_any (void *user, const LkView *view, LkJobIndex preemptor)
{
  const LkPreempt *self = user;
  if (self->settings.slice_us > 0)
    return 1;
  if (view->accounts == NULL || view->jobs->qos[preemptor] == LK_INDEX_NONE)
    return 0;
  LkPreemptTerms terms = lk_preempt_qos_terms (view, preemptor);
  return terms.level > 0 || terms.within || self->within;
}

static uint32_t
qos_victim_class (void *user, const LkView *view, LkJobIndex victim)
{
  (void)user;
  if (view->accounts == NULL || view->jobs->qos[victim] == LK_INDEX_NONE)
    return 0;
  return view->accounts->qos[view->jobs->qos[victim]].priority;
}

static int64_t
qos_grace_us (void *user, const LkView *view, LkJobIndex victim)
{
  (void)user;
  return lk_preempt_qos_terms (view, victim).grace_us;
}

static uint32_t
qos_level (void *user, const LkView *view, LkJobIndex job)
{
  (void)user;
  return lk_preempt_qos_terms (view, job).level;
}

const LkPreemptPolicy lk_preempt_qos = {
  .base = { .abi = LK_POLICY_ABI,
            .size = sizeof (LkPreemptPolicy),
            .seam = LK_SEAM_PREEMPT,
            .version = 1,
            .name = "qos",
            .summary = "jobs preempt those of the QOS that theirs names (Slurm's preempt/qos)",
            .params = lk_preempt_params,
            .create = lk_preempt_create,
            .destroy = lk_preempt_destroy },
  .may_preempt = qos_may_preempt,
  .settings = lk_preempt_settings,
  .mode = qos_mode,
  .may_preempt_any = qos_may_preempt_any,
  .victim_class = qos_victim_class,
  .grace_us = qos_grace_us,
  .exempt_us = lk_preempt_exempt_us,
  .level = qos_level,
};
