/* policies/replan.c — dynamic conservative backfilling: the whole plan is made anew at each pass.
 *
 * From an empty plan with the running jobs until their expected ends, each pending job in queue
 * order gets the earliest time that delays none before it; those at now start.  This is what most
 * simulators, and Slurm's backfill, call conservative.  A job's planned time is no promise: it can
 * move either way. A plan is needed only as far as somebody might start now, so planning stops
 * behind the last job that is small enough for the units free now; what starts is the same. Source:
 * Mu'alem & Feitelson 2001, section 3; semantics of "replan" in docs/policy-backfill.md. */
#include "policies/backfills.h"

#include <glib.h>

typedef struct {
  void *profile; /* made at the first pass */
  const LkProfileOps *profile_ops;
} Replan;

static void *
replan_create (const LkParamValues *values, LkPolicyError *error)
{
  Replan *self = g_new0 (Replan, 1);
  (void)error;
  self->profile_ops = values->host->profile;
  return self;
}

static void
replan_destroy (void *user)
{
  Replan *self = user;
  if (self != NULL && self->profile != NULL)
    self->profile_ops->destroy (self->profile);
  g_free (self);
}

static void
plan_job (const Replan *self, const LkView *view, const LkPassOps *ops, void *pass, LkJobIndex job)
{
  uint32_t units = view->jobs->units[job];
  int64_t start_us =
      self->profile_ops->earliest (self->profile, units, view->jobs->estimate_us[job], view->now_us,
                                   LK_TIME_NEVER, LK_TIME_NEVER);
  self->profile_ops->reserve (self->profile, start_us, lk_backfill_end_us (view, job, start_us),
                              units);
  if (start_us == view->now_us && units <= view->units_free)
    ops->start (pass, job);
}

/* First job behind `after` that is small enough to start now. */
static LkJobIndex
next_candidate (const LkView *view, const LkPassOps *ops, void *pass, LkJobIndex after)
{
  LkQueueFilter filter = { .units_max = view->units_free,
                           .units_long_max = view->units_free,
                           .short_us = LK_TIME_NEVER };
  return ops->queue_next (pass, LK_QUEUE_PRIORITY, after, &filter);
}

static void
replan_pass (void *user, const LkView *view, const LkPassOps *ops, void *pass)
{
  Replan *self = user;
  LkJobIndex job = lk_backfill_start_heads (view, ops, pass);
  LkJobIndex candidate = next_candidate (view, ops, pass, LK_JOB_NONE);
  if (candidate == LK_JOB_NONE)
    return;
  if (self->profile == NULL)
    self->profile = self->profile_ops->create (view->units_total);
  lk_backfill_plan_running (view, ops, pass, self->profile);
  while (candidate != LK_JOB_NONE) {
    LkJobIndex planned = job;
    job = ops->queue_next (pass, LK_QUEUE_PRIORITY, planned, NULL);
    plan_job (self, view, ops, pass, planned);
    if (planned == candidate)
      candidate = next_candidate (view, ops, pass, planned);
  }
}

static const LkParam replan_params[] = { { 0 } };

const LkBackfillPolicy lk_backfill_replan = {
  .base = { .abi = LK_POLICY_ABI,
            .size = sizeof (LkBackfillPolicy),
            .seam = LK_SEAM_BACKFILL,
            .version = 1,
            .name = "replan",
            .summary = "conservative backfilling, planned anew at each pass in queue order "
                       "(Mu'alem & Feitelson 2001)",
            .params = replan_params,
            .create = replan_create,
            .destroy = replan_destroy },
  .pass = replan_pass,
};
