/* engine/engine_time_min.h — jobs that can do with less than their time limit (--time-min).
 *
 * A policy may look at a pending job as if its limit was the least that will do, start it with
 * that, and then give it more, up to what it asked for.  What the job asked for is kept in its
 * life, for the next run.  Source: sbatch(1) --time-min; Slurm's sched/backfill,
 * _reset_job_time_limit, and job_time_adj_resv. */
#ifndef LK_ENGINE_ENGINE_TIME_MIN_H
#define LK_ENGINE_ENGINE_TIME_MIN_H

#include "engine/engine_private.h"

/* The job that is looked at so, if any, has its own limit again. */
void lk_engine_end_short (LkEngine *self);
/* It, or a task of it, has just been started. */
void lk_engine_started_short (LkEngine *self, LkJobIndex record, LkJobIndex job);

/* The slots of LkPassOps. */
int32_t lk_pass_visit_least_limit (void *pass, LkJobIndex job);
void lk_pass_nodes_of_short (void *pass, uint64_t *nodes);
int64_t lk_pass_lengthen_short (void *pass, int64_t limit_us);

#endif
