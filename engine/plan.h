/* engine/plan.h — plans of policies (LkPlanOps of engine/policy.h): over a counted pool on a step
 * function of free units, over a machine of nodes on reserved pieces.
 *
 * A plan over nodes keeps no copy of what runs: running pieces lie on the nodes with their expected
 * ends, and reservations beside them in the plan.  The earliest start is looked for node by node:
 * engine/ready.h knows for each node a moment before which it cannot serve such a job; the least of
 * those that are enough nodes is where the search begins. */
#ifndef LK_ENGINE_PLAN_H
#define LK_ENGINE_PLAN_H

#include <glib.h>

#include "engine/engine.h"
#include "engine/place.h"
#include "engine/policy.h"
#include "engine/profile.h"
#include "engine/ready.h"
#include "engine/slots.h"
#include "engine/timeline.h"

typedef struct {
  gint64 start_us;     /* of the reservation; LK_TIME_NEVER: none */
  guint32 first_piece; /* of nodes; LK_PIECE_NONE on a counted pool */
  guint32 place;       /* in LkPlan.reserved */
} LkReservation;

/* A request that no nodes can serve now for so long, as long as nothing is given back. */
typedef struct {
  guint64 serial;
  guint64 version; /* of LkPlan.ready */
  gint64 now_us;
  gint64 duration_us;
} LkPlanFailure;

/* Can all nodes that are eligible for a request serve it while they are idle? */
typedef struct {
  guint64 serial;
  gboolean all_serve;
} LkPlanEligible;

typedef struct {
  LkEngine *engine;
  LkReservation *reservations; /* by job index */
  guint32 limit;
  GArray *reserved;         /* LkJobIndex of jobs that have one; no order */
  LkProfile *profile;       /* counted; NULL on a machine of nodes */
  guint32 *planned_first;   /* by node */
  guint32 user_piece_count; /* reserved, that want no other user beside them */
  LkReadyIndex *ready;      /* of nodes */
  LkTimelines *timelines;   /* of nodes */
  LkJobIndex found_job;     /* what `earliest` found last; LK_JOB_NONE: nothing */
  gint64 found_us;
  guint32 found_piece;
  GArray *failures;       /* of LkPlanFailure, by request: what is known not to fit now */
  LkPlacer *placer;       /* the engine's; NULL on a counted pool */
  LkSlots *slots;         /* for jobs that take nodes whole; NULL until one is searched for */
  gboolean slots_overlap; /* a node was taken that was not idle: pieces may lie beside others */
  guint64 *slots_among;
  guint64 *slots_set;
  GArray *slots_words; /* of LkSlotWord, scratch */
  GArray *slots_known; /* of LkPlanEligible, by request */
} LkPlan;

extern const LkPlanOps lk_plan_ops;

/* What the engine does when a job is started out of a plan: the pieces that it gets, on no node's
 * list any more (LK_PIECE_NONE on a counted pool). */
guint32 lk_plan_take (LkPlan *self, const LkView *view, LkJobIndex job);

/* Something on a node was taken, or with `given_back` given back. */
void lk_plan_node_changed (LkPlan *self, guint32 node, gboolean given_back);

/* Pieces of one job, and their time, are in the plan or among what runs from now on; or are no
 * more, and on no node's list. */
void lk_plan_taken (LkPlan *self, guint32 first_piece);
void lk_plan_given (LkPlan *self, guint32 first_piece);

/* Is so much of each licence that the job needs free over [from, from + its time limit)? */
gboolean lk_plan_has_licenses (const LkPlan *self, const LkView *view, LkJobIndex job,
                               gint64 from_us);

/* engine/plan_search.c: the earliest start on nodes; leaves what it found in self. */
gint64 lk_plan_search (LkPlan *self, const LkView *view, LkJobIndex job, gint64 from_us,
                       gint64 before_us);
/* Could there be enough nodes now? */
gboolean lk_plan_may_start (LkPlan *self, const LkView *view, LkJobIndex job);
/* Tries one moment, on nodes `among` (NULL: all); `is_idle`: these are known to be idle then. */
gboolean lk_plan_try (LkPlan *self, const LkView *view, LkJobIndex job, gint64 at_us,
                      const guint64 *among, gboolean is_idle);
void lk_plan_forget_found (LkPlan *self);

/* engine/plan_slots.c: moments at which enough nodes are idle. */
gboolean lk_plan_slots_serve (const LkPlan *self, const LkView *view, const LkRequest *request);
/* The first in [from, before), with all nodes that could take part in LkPlan.slots_set; a
 * reservation of the job itself does not count. */
gint64 lk_plan_slots_us (LkPlan *self, const LkView *view, LkJobIndex job, gint64 from_us,
                         gint64 before_us);
void lk_plan_slots_forget (LkPlan *self);
void lk_plan_slots_clear (LkPlan *self);
/* Aborts unless the slots are what the pieces add up to. */
void lk_plan_slots_check (const LkPlan *self, gint64 now_us);

#endif
