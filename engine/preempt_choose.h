/* engine/preempt_choose.h — which running jobs must go, so that a waiting one can start now?
 *
 * Candidates are taken away one by one, in an order, until the job fits; then they are put in a
 * better order, and it is tried anew, so often as the settings allow.  Those before the last one
 * that share a node with the place that was found are the victims.  If it does not fit when all are
 * away, nobody goes.
 *
 * Jobs that are to be suspended only give their cores; with them the job can start at once, and
 * whoever of them has a core of its place stops.  Those of partitions of high tiers are spared as
 * far as that goes; where there are such jobs at all, victims of lower tiers are chosen in the same
 * way first.  Source: Slurm's _job_test and _run_now (select/cons_tres/job_test.c) and the
 * order of src/interfaces/preempt.c. */
#ifndef LK_ENGINE_PREEMPT_CHOOSE_H
#define LK_ENGINE_PREEMPT_CHOOSE_H

#include "engine/engine.h"

/* What was found for a job. */
typedef struct {
  guint32 outcome;     /* LK_MADE_* */
  GArray *victims;     /* of LkJobIndex, in the order in which they go; the caller's */
  guint32 first_piece; /* the place, on no node's list; LK_PIECE_NONE on a pool */
  gint64 again_us;     /* when a candidate is no longer exempt; LK_TIME_NEVER: none is */
} LkPreemptRoom;

/* Does the job fit when those have gone that are going?  The place is left in `room`. */
gboolean lk_preempt_wait (LkEngine *engine, LkJobIndex job, const guint64 *nodes,
                          LkPreemptRoom *room);
/* Does the job fit now, beside what is set aside for others?  The place is left in `room`. */
gboolean lk_preempt_beside (LkEngine *engine, LkJobIndex job, LkPreemptRoom *room);
/* Does the job fit now on cores of jobs that may be stopped, or are?  The place is left in
 * `room`. */
gboolean lk_preempt_stop (LkEngine *engine, LkJobIndex job, const guint64 *nodes,
                          LkPreemptRoom *room);
/* Fills `room`, whose `victims` is empty. `nodes` NULL: any. */
void lk_preempt_choose (LkEngine *engine, LkJobIndex job, const guint64 *nodes,
                        LkPreemptRoom *room);

#endif
