/* engine/in_partition.h — a job that named several partitions, looked at in one after another.
 *
 * A job waits *at home*: in that of its partitions where it deserves most, of those with nodes for
 * it (engine/request_partition.h).  Policies that do not try partitions plan and start it there, so
 * home moves when another partition suits better: one that is open and allows its time limit.
 * A policy that tries partitions
 * (LkBackfillPolicy.tries_partitions) lets it go to another one during a pass: what it asks for is
 * resolved for that, and its columns, limits
 * and demand follow.  There is one such job at a time; it comes home by itself, or starts where it
 * is and stays there until it is requeued.  Source: Slurm's queue records, one for each job and
 * partition (build_job_queue of job_scheduler.c). */
#ifndef LK_ENGINE_IN_PARTITION_H
#define LK_ENGINE_IN_PARTITION_H

#include "engine/engine.h"
#include "engine/policy.h"

/* How many partitions it named, at least 1. */
uint32_t lk_engine_partition_count (const LkEngine *self, LkJobIndex job);

/* Can what is asked for at home, with this time limit, run in another of its partitions, whatever
 * is free?  Only where they are tried. */
gboolean lk_engine_may_run_elsewhere (LkEngine *self, guint32 home_request, gint64 estimate_us);
/* May the job wait in another of its partitions, which allows it?  Only where partitions are not
 * tried. */
gboolean lk_engine_has_better_home (LkEngine *self, guint32 request, guint32 user_id,
                                    gint64 estimate_us);
/* Moves a pending job to the first of its partitions, by priority, that is open and allows it; of
 * none open, to the first that allows it.  Called when the job comes in, changes or is requeued,
 * and when its partitions change. */
void lk_engine_choose_home (LkEngine *self, LkJobIndex job);
/* Did the job name this partition? */
gboolean lk_engine_names_partition (const LkEngine *self, LkJobIndex job, guint32 partition);
/* Does one of its partitions start jobs?  Where they are not tried, that in which it waits. */
gboolean lk_engine_has_open_partition (const LkEngine *self, LkJobIndex job);
/* The one whose priority squeue shows of a waiting job: Slurm looks at it last, of those where the
 * job can run. */
guint32 lk_engine_partition_shown (const LkEngine *self, LkJobIndex job);

/* Lets a queued job go to the partition that it named as the `place`-th, from 1 on. FALSE: it
 * cannot run in that, or named it before; then it is at home. */
gboolean lk_engine_visit_partition (LkEngine *self, LkJobIndex job, uint32_t place);
/* Who is away comes home. */
void lk_engine_go_home (LkEngine *self);
/* The job starts where it is; `job` is itself, or a task that was split off of it. */
void lk_engine_stay_away (LkEngine *self, LkJobIndex away, LkJobIndex job);
/* A job that runs no more waits at home again. */
void lk_engine_return_home (LkEngine *self, LkJobIndex job);

/* Is a limit in the way in each of its partitions? */
gboolean lk_engine_is_limited_everywhere (LkEngine *self, LkJobIndex job);

/* Slots of LkPassOps. */
uint32_t lk_pass_partition_count (void *pass, LkJobIndex job);
int32_t lk_pass_visit_partition (void *pass, LkJobIndex job, uint32_t place);

#endif
