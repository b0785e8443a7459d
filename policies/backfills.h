/* policies/backfills.h — the built-in backfill policies, and what they share. */
#ifndef LK_POLICIES_BACKFILLS_H
#define LK_POLICIES_BACKFILLS_H

#include "engine/policy.h"

extern const LkBackfillPolicy lk_backfill_none;
extern const LkBackfillPolicy lk_backfill_easy;
extern const LkBackfillPolicy lk_backfill_conservative;
extern const LkBackfillPolicy lk_backfill_replan;

/* A running job that is past its expected end is planned to hold its units for this much longer. */
#define LK_BACKFILL_OVERDUE_US INT64_C (1000000)

/* Until when a running job is planned to hold its units. */
static inline int64_t
lk_backfill_held_until_us (const LkView *view, LkJobIndex job)
{
  int64_t end_us = view->jobs->expected_end_us[job];
  if (end_us > view->now_us)
    return end_us;
  return view->now_us > LK_TIME_NEVER - LK_BACKFILL_OVERDUE_US
             ? LK_TIME_NEVER
             : view->now_us + LK_BACKFILL_OVERDUE_US;
}

/* Starts jobs from the head of the queue while they fit. Returns the first that does not, or
 * LK_JOB_NONE. */
static inline LkJobIndex
lk_backfill_start_heads (const LkView *view, const LkPassOps *ops, void *pass)
{
  LkJobIndex job = ops->queue_first (pass, LK_QUEUE_PRIORITY);
  while (job != LK_JOB_NONE && view->jobs->units[job] <= view->units_free) {
    ops->start (pass, job);
    job = ops->queue_first (pass, LK_QUEUE_PRIORITY);
  }
  return job;
}

/* Fills an empty profile with what runs now. */
static inline void
lk_backfill_plan_running (const LkView *view, const LkPassOps *ops, void *pass, void *profile)
{
  const LkProfileOps *profile_ops = view->host->profile;
  profile_ops->reset (profile, view->now_us);
  for (LkJobIndex job = ops->running_next (pass, LK_JOB_NONE); job != LK_JOB_NONE;
       job = ops->running_next (pass, job))
    profile_ops->reserve (profile, view->now_us, lk_backfill_held_until_us (view, job),
                          view->jobs->units[job]);
}

/* End of a job that would start at `start_us`. */
static inline int64_t
lk_backfill_end_us (const LkView *view, LkJobIndex job, int64_t start_us)
{
  int64_t estimate_us = view->jobs->estimate_us[job];
  return start_us > LK_TIME_NEVER - estimate_us ? LK_TIME_NEVER : start_us + estimate_us;
}

#endif
