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
  void *plan; /* made at the first pass */
  void *bare; /* of nodes: what runs, and never a reservation */
  const LkPlanOps *plan_ops;
} Replan;

static void *
replan_create (const LkParamValues *values, LkPolicyError *error)
{
  Replan *self = g_new0 (Replan, 1);
  (void)error;
  self->plan_ops = values->host->plan;
  return self;
}

static void
replan_destroy (void *user)
{
  Replan *self = user;
  if (self != NULL && self->plan != NULL)
    self->plan_ops->destroy (self->plan);
  if (self != NULL && self->bare != NULL)
    self->plan_ops->destroy (self->bare);
  g_free (self);
}

/* Returns 1 when an array has started a task and may start another. */
static int
plan_job (const Replan *self, const LkView *view, const LkPassOps *ops, void *pass, LkJobIndex job)
{
  /* What has started since it was handed out may have used up a limit of its: then it has left the
   * queue. */
  if (view->jobs->phase[job] != LK_PHASE_QUEUED)
    return 0;
  int64_t start_us = self->plan_ops->earliest (self->plan, view, job, view->now_us, LK_TIME_NEVER);
  if (start_us == LK_TIME_NEVER)
    return 0; /* not as the machine stands: nodes are down */
  if (start_us == view->now_us && view->jobs->units[job] <= view->units_free) {
    ops->start_planned (pass, self->plan, job);
    return view->jobs->phase[job] == LK_PHASE_QUEUED;
  }
  self->plan_ops->reserve (self->plan, view, job, start_us);
  return 0;
}

/* First job behind `after` that could start now if nothing were reserved. */
static LkJobIndex
next_candidate (const Replan *self, const LkView *view, const LkPassOps *ops, void *pass,
                LkJobIndex after)
{
  LkQueueFilter filter = { .units_max = view->units_free,
                           .units_long_max = view->units_free,
                           .short_us = LK_TIME_NEVER };
  LkJobIndex job = ops->queue_next (pass, LK_QUEUE_PRIORITY, after, &filter);
  /* An array that has started tasks, of which the next has a reservation by now. */
  if (job == after && job != LK_JOB_NONE)
    job = ops->queue_next (pass, LK_QUEUE_PRIORITY, after, &filter);
  if (view->cluster == NULL)
    return job;
  while (job != LK_JOB_NONE && !self->plan_ops->may_start (self->bare, view, job))
    job = ops->queue_next (pass, LK_QUEUE_PRIORITY, job, &filter);
  return job;
}

static void
ready (Replan *self, const LkView *view)
{
  if (self->plan != NULL)
    return;
  self->plan = self->plan_ops->create (view);
  if (view->cluster != NULL)
    self->bare = self->plan_ops->create (view);
}

static void
replan_pass (void *user, const LkView *view, const LkPassOps *ops, void *pass)
{
  Replan *self = user;
  LkJobIndex job = lk_backfill_start_heads (view, ops, pass);
  ready (self, view);
  LkJobIndex candidate = next_candidate (self, view, ops, pass, LK_JOB_NONE);
  int has_hets = ops->het_count (pass) > 0;
  if (candidate == LK_JOB_NONE && !has_hets)
    return;
  self->plan_ops->reset (self->plan, view);
  /* Heterogeneous jobs are planned to the last.  A candidate may have left the queue by what was
   * started for them: then the queue ends before it comes. */
  while (job != LK_JOB_NONE && (candidate != LK_JOB_NONE || has_hets)) {
    LkJobIndex planned = job;
    ops->plan_hets (pass, self->plan, planned, UINT32_MAX);
    job = ops->queue_next (pass, LK_QUEUE_PRIORITY, planned, NULL);
    while (plan_job (self, view, ops, pass, planned))
      ;
    if (planned == candidate)
      candidate = next_candidate (self, view, ops, pass, planned);
  }
  ops->plan_hets (pass, self->plan, LK_JOB_NONE, UINT32_MAX);
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
  .plans_hets = 1,
};
