/* policies/backfills.h — the built-in backfill policies, and what they share. */
#ifndef LK_POLICIES_BACKFILLS_H
#define LK_POLICIES_BACKFILLS_H

#include "engine/policy.h"

extern const LkBackfillPolicy lk_backfill_none;
extern const LkBackfillPolicy lk_backfill_easy;
extern const LkBackfillPolicy lk_backfill_conservative;
extern const LkBackfillPolicy lk_backfill_full;
extern const LkBackfillPolicy lk_backfill_replan;
extern const LkBackfillPolicy lk_backfill_slurm;

static inline int
lk_backfill_head_fits (const LkView *view, const LkPassOps *ops, void *pass, LkJobIndex job)
{
  return view->jobs->units[job] <= view->units_free
         && (view->cluster == NULL || ops->can_start (pass, job));
}

/* Starts jobs from the head of the queue while they fit, and heterogeneous jobs where they stand;
 * one that waits for room in an advance reservation is passed over.  Returns the first job that
 * does not fit, or LK_JOB_NONE. */
static inline LkJobIndex
lk_backfill_start_heads (const LkView *view, const LkPassOps *ops, void *pass)
{
  LkJobIndex first = LK_JOB_NONE;
  LkJobIndex passed = LK_JOB_NONE;
  LkJobIndex job = ops->queue_first (pass, LK_QUEUE_PRIORITY);
  while (job != LK_JOB_NONE) {
    if (ops->plan_hets (pass, NULL, job, 0) > 0)
      return first == LK_JOB_NONE ? job : first;
    if (lk_backfill_head_fits (view, ops, pass, job)) {
      ops->start (pass, job);
    } else {
      first = first == LK_JOB_NONE ? job : first;
      passed = job;
      if (!view->jobs->in_reservation[job])
        break;
    }
    job = passed == LK_JOB_NONE ? ops->queue_first (pass, LK_QUEUE_PRIORITY)
                                : ops->queue_next (pass, LK_QUEUE_PRIORITY, passed, NULL);
  }
  if (job == LK_JOB_NONE)
    ops->plan_hets (pass, NULL, LK_JOB_NONE, 0);
  return first;
}

/* End of a job that would start at `start_us`. */
static inline int64_t
lk_backfill_end_us (const LkView *view, LkJobIndex job, int64_t start_us)
{
  int64_t estimate_us = view->jobs->estimate_us[job];
  return start_us > LK_TIME_NEVER - estimate_us ? LK_TIME_NEVER : start_us + estimate_us;
}

#endif
