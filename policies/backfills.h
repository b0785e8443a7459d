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

/* Starts jobs from the head of the queue while they fit. Returns the first that does not, or
 * LK_JOB_NONE. */
static inline LkJobIndex
lk_backfill_start_heads (const LkView *view, const LkPassOps *ops, void *pass)
{
  LkJobIndex job = ops->queue_first (pass, LK_QUEUE_PRIORITY);
  while (job != LK_JOB_NONE && view->jobs->units[job] <= view->units_free
         && (view->cluster == NULL || ops->can_start (pass, job))) {
    ops->start (pass, job);
    job = ops->queue_first (pass, LK_QUEUE_PRIORITY);
  }
  return job;
}

/* End of a job that would start at `start_us`. */
static inline int64_t
lk_backfill_end_us (const LkView *view, LkJobIndex job, int64_t start_us)
{
  int64_t estimate_us = view->jobs->estimate_us[job];
  return start_us > LK_TIME_NEVER - estimate_us ? LK_TIME_NEVER : start_us + estimate_us;
}

#endif
