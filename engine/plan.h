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
  guint32 place;       /* in LkPlan.reserved; LK_PLAN_ASIDE */
  guint32 stray_at;    /* in LkPlan.strays, if it is one */
  gboolean is_stray;   /* its pieces are listed, though it does not count, or not, though it does */
  gboolean is_listed;  /* its pieces are on the lists of their nodes */
  gboolean is_bundle;  /* one piece stands for those of all its nodes, which are known */
  gboolean is_hollow;  /* its units are not in the profile: see lk_plan_load_hollow */
  guint64 made;        /* number of the reservation; while it is set aside, the last one before */
  LkSlotsWords nodes;  /* of its pieces, owned; without words: not known */
} LkReservation;

#define LK_PLAN_ASIDE G_MAXUINT32

/* A request that no nodes can serve now for so long, as long as nothing is given back. */
typedef struct {
  guint64 serial;
  guint32 inside;  /* number of the advance reservation in which it would run; 0: none */
  guint64 version; /* of LkPlan.ready */
  gint64 now_us;
  gint64 duration_us;
} LkPlanFailure;

/* What is known of a request for idle nodes. */
typedef struct {
  guint64 serial;
  gboolean all_serve; /* all eligible nodes serve it while they are idle */
  guint32 class; /* number of an equal set of nodes, from 1; 0: not known, or one of its kind */
} LkPlanEligible;

/* Whom what was given back could be of use: engine/plan_gain.c. */
typedef struct _LkPlanGain LkPlanGain;

typedef struct {
  LkEngine *engine;
  LkReservation *reservations; /* by job index */
  guint32 limit;
  GArray *reserved;         /* LkJobIndex of jobs that have one that counts; no order */
  guint32 aside_count;      /* those whose does not count */
  guint64 made_count;       /* reservations made */
  LkProfile *profile;       /* counted; NULL on a machine of nodes */
  guint32 *planned_first;   /* by node; see lk_plan_pieces_settle */
  GArray *strays;           /* LkJobIndex of those whose pieces are not where they should be */
  guint32 hidden_count;     /* strays that do not count */
  guint32 user_piece_count; /* reserved, that want no other user beside them */
  LkReadyIndex *ready;      /* of nodes */
  LkTimelines *timelines;   /* of nodes */
  LkJobIndex found_job;     /* what `earliest` found last; LK_JOB_NONE: nothing */
  gint64 found_us;
  guint32 found_piece;
  gboolean found_bundle; /* it stands for those of all these nodes */
  guint64 *found_nodes;
  guint64 *own_nodes; /* of the reservation with this number, of this job */
  LkJobIndex own_job;
  guint64 own_made;
  GArray *failures;       /* of LkPlanFailure, by request: what is known not to fit now */
  LkPlacer *placer;       /* the engine's; NULL on a counted pool */
  gint64 floating_us;     /* when the moments in `ready` were last made to follow what floats */
  LkSlots *slots;         /* for jobs that take nodes whole; NULL until one is searched for */
  gboolean slots_overlap; /* a node was taken that was not idle: pieces may lie beside others */
  guint slots_unused;     /* changes since they were last asked */
  guint64 *slots_among;
  guint64 *slots_set;
  GArray *slots_words;      /* of LkSlotWord, scratch */
  GArray *slots_beside;     /* what others hold, scratch */
  GArray *slots_known;      /* of LkPlanEligible, by request */
  GPtrArray *slots_classes; /* of guint64*, sets of nodes */
  guint64 *given;           /* see LkPlanOps; NULL on a counted pool */
  LkPlanGain *gain;         /* of nodes; NULL on a counted pool */
} LkPlan;

extern const LkPlanOps lk_plan_ops;

/* What the engine does when a job is started out of a plan: the pieces that it gets, on no node's
 * list any more (LK_PIECE_NONE on a counted pool). */
guint32 lk_plan_take (LkPlan *self, const LkView *view, LkJobIndex job);

/* Something on a node was taken, or with `given_back` given back. */
void lk_plan_node_changed (LkPlan *self, guint32 node, gboolean given_back);

/* A piece of a job that runs has come to its node, or has gone from it. */
void lk_plan_piece_started (LkPlan *self, const LkPiece *piece, gint64 now_us);
void lk_plan_piece_ended (LkPlan *self, const LkPiece *piece, gint64 now_us);

/* The node can be used again. */
void lk_plan_node_back (LkPlan *self, guint32 node);
/* Its index may be another job's from now on: what a plan that is to be made anew still reserves
 * for it goes. The units of a pool stay taken until then. */
void lk_plan_forget_job (LkPlan *self, LkJobIndex job);

/* Advance reservations have come, changed or gone. */
void lk_plan_reservations_changed (LkPlan *self);

/* Pieces of one job, and their time, are in the plan or among what runs from now on; or are no
 * more, and on no node's list. */
void lk_plan_taken (LkPlan *self, guint32 first_piece);
void lk_plan_given (LkPlan *self, guint32 first_piece);
/* The same of a job that ran; what it gives back is to be offered. */
void lk_plan_gave_back (LkPlan *self, guint32 first_piece);

/* The job of a counted pool has a reservation that takes nothing of it: it did not fit beside the
 * others any more when an untrue plan was saved.  The plan will be made anew before it is used. */
void lk_plan_load_hollow (LkPlan *self, const LkView *view, LkJobIndex job, gint64 start_us);

/* A reservation no longer counts, is counted again, or is given up while it does not count. */
void lk_plan_hide (LkPlan *self, const LkView *view, LkJobIndex job);
void lk_plan_show (LkPlan *self, const LkView *view, LkJobIndex job);
void lk_plan_drop_aside (LkPlan *self, LkJobIndex job);

/* Adds the nodes of a job's reservation. */
void lk_plan_add_nodes (const LkPlan *self, LkJobIndex job, guint64 *nodes);

/* engine/plan_aside.c: see LkPlanOps. */
void lk_plan_set_aside (void *plan, const LkView *view, LkJobIndex job);
int32_t lk_plan_put_back (void *plan, const LkView *view, LkJobIndex job);
uint64_t lk_plan_likeness (void *plan, const LkView *view, LkJobIndex job,
                           uint32_t *out_size_count);
uint32_t lk_plan_size_max (void *plan, const LkView *view, int64_t from_us, int64_t to_us);

int32_t lk_plan_is_lost (void *plan, const LkView *view, LkJobIndex job);
uint32_t lk_plan_nodes_given (void *plan, uint64_t **out_nodes);
void lk_plan_note_given (void *plan, const LkView *view, LkJobIndex job);

/* Is so much of each licence that the job needs free from the window's beginning for as long as its
 * time limit? */
gboolean lk_plan_has_licenses (const LkPlan *self, const LkView *view, LkJobIndex job,
                               const LkWindow *window);

/* engine/plan_search.c: the earliest start on nodes; leaves what it found in self. */
gint64 lk_plan_search (LkPlan *self, const LkView *view, LkJobIndex job, gint64 from_us,
                       gint64 before_us);
int32_t lk_plan_may_gain (void *plan, const LkView *view, LkJobIndex job, const uint64_t *nodes,
                          int64_t from_us, int64_t before_us);
/* Could there be enough nodes now? */
gboolean lk_plan_may_start (LkPlan *self, const LkView *view, LkJobIndex job);
/* Tries one moment, on nodes `among` (NULL: all). */
gboolean lk_plan_try (LkPlan *self, const LkView *view, LkJobIndex job, gint64 at_us,
                      const guint64 *among);
/* The two, as if there were no advance reservations and no licences. */
gboolean lk_plan_may_start_beside_jobs (LkPlan *self, const LkView *view, LkJobIndex job);
gboolean lk_plan_try_beside_jobs (LkPlan *self, const LkView *view, LkJobIndex job, gint64 at_us,
                                  const guint64 *among);
void lk_plan_forget_found (LkPlan *self);
/* Do as many nodes as the job needs at least, each with the least it needs of one, satisfy it? */
gboolean lk_plan_is_even (const LkRequest *request);

/* engine/plan_slots.c: moments at which enough nodes are idle. */
gboolean lk_plan_slots_serve (const LkPlan *self, const LkView *view, const LkRequest *request);
/* The first in [from, before), with all nodes that could take part in LkPlan.slots_set; a
 * reservation of the job itself does not count. */
gint64 lk_plan_slots_us (LkPlan *self, const LkView *view, LkJobIndex job, gint64 from_us,
                         gint64 before_us);
void lk_plan_slots_forget (LkPlan *self);
void lk_plan_slots_clear (LkPlan *self);
/* Do requests for idle nodes that differ in nothing but numbers of nodes and time stand to each
 * other as numbers do?  The number of their class; 0: no. */
guint32 lk_plan_slots_class (LkPlan *self, const LkRequest *request, guint32 index);
gboolean lk_plan_is_class (guint64 likeness);
/* FALSE: the slots do not tell. Else `out_idle`: are these nodes idle for all of their time? */
gboolean lk_plan_slots_idle (LkPlan *self, guint32 first_piece, gboolean *out_idle);
/* The words of a set. Returns: (transfer full). */
LkSlotsWords lk_plan_slots_words_of (const LkPlan *self, const guint64 *set);
/* The nodes of a job's pieces; valid until the next call. */
LkSlotsWords lk_plan_slots_words (LkPlan *self, guint32 first_piece);
/* Aborts unless the slots are what the pieces add up to. */
void lk_plan_slots_check (const LkPlan *self, gint64 now_us);

/* engine/plan_pieces.c. Whoever wants to see the pieces of a job one by one, of its reservation or
 * of what was found for it, asks for that first. */
void lk_plan_unbundle (LkPlan *self, LkJobIndex job);
void lk_plan_unbundle_found (LkPlan *self);
/* The pieces of a job's reservation, one for each of its nodes; LK_PIECE_NONE: it has none. */
guint32 lk_plan_place (LkPlan *self, LkJobIndex job);
/* The nodes of a job's reservation, valid until another job's are asked for; NULL: it has none. */
const guint64 *lk_plan_own_nodes (LkPlan *self, LkJobIndex job);
/* A reservation that has been noted counts from now on, though it has not so
 * far; or no longer, though it may again; or is about to be forgotten. */
void lk_plan_pieces_count (LkPlan *self, LkJobIndex job);
void lk_plan_pieces_ignore (LkPlan *self, LkJobIndex job);
void lk_plan_pieces_drop (LkPlan *self, LkJobIndex job);
/* Makes the lists of nodes true; before anybody looks at them. O(1) when they are. */
void lk_plan_pieces_settle (LkPlan *self);

/* engine/plan_gain.c. */
LkPlanGain *lk_plan_gain_new (void);
void lk_plan_gain_free (LkPlanGain *self);
/* What has been given back so far may have been anything, anywhere. */
void lk_plan_gain_reset (LkPlanGain *self);
/* These pieces, on whatever lists they are, are given back now. */
void lk_plan_gain_note (LkPlan *plan, guint32 first_piece);
void lk_plan_gain_note_node (LkPlan *plan, guint32 node);
/* Could the job, for which idle nodes are looked for, use any of it before that moment? */
gboolean lk_plan_gains (LkPlan *self, const LkView *view, LkJobIndex job, gint64 before_us);
void lk_plan_gain_begin (void *plan, const LkView *view, int64_t before_us);
int32_t lk_plan_may_gain_like (void *plan, const LkView *view, uint64_t likeness,
                               uint32_t size_count, int64_t duration_us);

#endif
