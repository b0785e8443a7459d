/* tests/property/machine_plan.h — a naive scheduler for machines of nodes, to compare the engine's
 * plans with.
 *
 * It looks on: what runs, and in which order jobs wait, it takes from the engine; which of them
 * start at a pass, and where, it finds by itself, and aborts when the engine decides otherwise.  A
 * plan is a list of reservations.  The earliest start of a job is the first of these moments at
 * which the placement succeeds: now, and every end of what runs or is reserved (and the one at
 * which the job's limit of switches falls).  Where a job goes at a moment it asks engine/place.h,
 * over a machine of its own; nothing else is shared: not the plan, not the search, not the
 * policies.
 *
 * Knows the backfill policies none, easy (with any parameters), conservative, full (for orders that
 * do not change) and replan. */
#ifndef LK_TESTS_PROPERTY_MACHINE_PLAN_H
#define LK_TESTS_PROPERTY_MACHINE_PLAN_H

#include <glib.h>

#include "tests/property/machine_run.h"

typedef enum {
  LK_NAIVE_NONE,
  LK_NAIVE_EASY,
  LK_NAIVE_CONSERVATIVE,
  LK_NAIVE_FULL,
  LK_NAIVE_REPLAN,
} LkNaiveBackfill;

typedef struct {
  LkNaiveBackfill backfill;
  guint reservation_count;    /* of easy */
  gboolean is_shortest_first; /* easy tries jobs behind its reservations by time limit */
  gint64 window_us;           /* of full; 0: no limit */
  guint offers;               /* of full; 0: no limit */
  gint64 credit_max;          /* of full */
} LkNaiveOptions;

typedef struct _LkNaive LkNaive;

/* For runs of `workload` under `options`; both outlive self. Returns: (transfer full). */
LkNaive *lk_naive_new (const LkMachineWorkload *workload, const LkMachineOptions *options,
                       const LkNaiveOptions *naive_options);
void lk_naive_free (LkNaive *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkNaive, lk_naive_free)

/* Valid as long as self. */
LkMachineWatch lk_naive_watch (LkNaive *self);
/* FALSE once the engine has decided otherwise; then self says nothing more. */
gboolean lk_naive_agrees (const LkNaive *self);
/* What was different, for people; empty while the two agree. */
const char *lk_naive_report (const LkNaive *self);

#endif
