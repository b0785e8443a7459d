/* engine/plan_search.h — a search for the earliest start on nodes, shared by its sources. */
#ifndef LK_ENGINE_PLAN_SEARCH_H
#define LK_ENGINE_PLAN_SEARCH_H

#include "engine/offer.h"
#include "engine/plan.h"

struct _LkAdvanceReservation;

typedef struct {
  LkPlan *plan;
  const LkView *view;
  LkJobIndex job;
  const LkRequest *request;
  gint64 duration_us;
  gint64 from_us;                             /* where the search begins */
  const struct _LkAdvanceReservation *inside; /* in which it is to run; NULL: in none */
  gboolean is_beside_jobs;                    /* no advance reservations, and no licences */
} LkPlanSearch;

/* engine/plan_search.c */
LkWindow lk_plan_window (const LkPlanSearch *self, gint64 from_us, gint64 duration_us);
/* FALSE: the node alone, or as one of several, is of no use then. */
gboolean lk_plan_node_serves (const LkPlanSearch *self, guint32 node, gint64 at_us,
                              gint64 duration_us, LkOffer *out_offer);
/* The nodes that need to be looked at: Slurm's choice also counts those that are too poor by a
 * floor. */
const guint64 *lk_plan_offered (const LkRequest *request, const guint64 *serving);
/* Tries one moment, on nodes `among` (NULL: all); `is_idle`: these are known to be idle then. */
gboolean lk_plan_try_at (const LkPlanSearch *self, gint64 at_us, const guint64 *among,
                         gboolean is_idle);

/* engine/plan_walk.c: a moment in [from, before) before which the free cores of all nodes together
 * are too few; LK_TIME_NEVER: they are at each.  The lists of pieces are settled. */
gint64 lk_plan_enough_us (const LkPlanSearch *self, gint64 from_us, gint64 before_us);
/* The first moment of [from, before) at which the placement succeeds, found by trial. */
gint64 lk_plan_walk (const LkPlanSearch *self, gint64 from_us, gint64 before_us);

#endif
