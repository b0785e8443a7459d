/* policies/backfill_full.h — the state of the backfill policy `full`, shared by its sources. */
#ifndef LK_POLICIES_BACKFILL_FULL_H
#define LK_POLICIES_BACKFILL_FULL_H

#include <glib.h>

#include "policies/backfills.h"
#include "policies/due_heap.h"
#include "policies/start_bounds.h"
#include "policies/wait_list.h"

#define LK_FULL_MINUTE_US (INT64_C (60) * 1000000)

/* Places of its parameters. */
enum { LK_FULL_AT_WINDOW, LK_FULL_AT_REORDER, LK_FULL_AT_OFFERS, LK_FULL_AT_CREDIT };

/* What a job that waits is to the policy. */
#define LK_FULL_NONE 0u     /* it does not wait */
#define LK_FULL_ARRIVED 1u  /* came into the queue since the last pass */
#define LK_FULL_UNPLACED 2u /* has found no place within the window */
#define LK_FULL_PLANNED 3u  /* has a reservation */
#define LK_FULL_ASIDE 4u    /* its reservation does not count for the moment; within a pass only */

typedef struct {
  const LkPlanOps *plan_ops;
  int64_t window_us;  /* LK_TIME_NEVER: no limit */
  int64_t reorder_us; /* a plan this old is made anew when the order has changed */
  uint32_t offers;    /* that a pass earns; 0: no limit */
  int64_t credit_max;
  int64_t credit;    /* offers to a job that may be made; below 0: too many were */
  void *plan;        /* running jobs and reservations; NULL before the first event */
  int64_t *start_us; /* by job: the reservation; LK_TIME_NEVER none */
  uint8_t *stand;    /* by job: LK_FULL_* */
  uint32_t limit;    /* entries of both */
  GArray *arrivals;  /* of LkJobIndex */
  GArray *planned;   /* of LkJobIndex; in queue order when `is_sorted` */
  gboolean is_sorted;
  uint32_t unplaced_count;
  LkWaitList *unplaced; /* when `is_unplaced_sorted`, all of them */
  gboolean is_unplaced_sorted;
  LkDueHeap due;
  int64_t given_from_us; /* [from, to): where something was given back and not yet offered to all */
  int64_t given_to_us;
  uint64_t *given;      /* nodes of which that is; NULL on a counted pool; within a pass only */
  uint32_t given_words; /* of it */
  int64_t horizon_us;   /* who is unplaced has no place before this */
  int64_t made_us;      /* when the whole plan was made */
  gboolean compress;    /* something was given back and not offered to all */
  gboolean rebuild;     /* the plan is untrue */
  gboolean is_deferred; /* what was given back was not offered to all; within a pass only */
  gboolean has_lost;    /* among the arrivals are jobs whose reservations were lost */
  gboolean order_changed;
  LkStartBounds *bounds; /* of this pass */
  int64_t longest_us;    /* no planned job has a longer time limit */
  GArray *near;          /* of LkJobIndex, in queue order; scratch */
  GArray *aside;         /* of LkJobIndex, in queue order; within a pass only */
  int64_t aside_to_us;   /* who goes behind and begins before this is among them */
} LkFull;

/* One pass. */
typedef struct {
  LkFull *self;
  const LkView *view;
  const LkPassOps *ops;
  void *handle;
} LkFullPass;

/* Two lists merged, in queue order. */
typedef struct {
  const GArray *jobs; /* sorted */
  guint at;
  LkJobIndex last;     /* that was visited */
  LkJobIndex unplaced; /* the next of those that may start before `before_us` */
  gboolean is_known;   /* `unplaced` is still that */
  int64_t before_us;
  const LkWaitGain *gain; /* see LkWaitSearch */
} LkFullWalk;

static inline LkJobIndex
lk_full_job_at (const GArray *jobs, guint index)
{
  return g_array_index (jobs, LkJobIndex, index);
}

/* Makes room for every job there is, and the plan. */
void lk_full_ready (LkFull *self, const LkView *view);
/* The reservation is in the plan. */
void lk_full_note_reserved (LkFull *self, const LkView *view, LkJobIndex job, int64_t start_us);

/* Something in [from, to) is to be offered. */
void lk_full_give_back (LkFull *self, int64_t from_us, int64_t to_us);
/* Notes what the job's reservation gives back, but for its nodes. */
void lk_full_give_up (LkFull *self, const LkView *view, LkJobIndex job);
void lk_full_remove_job (GArray *jobs, LkJobIndex job);
/* If it was without a place, it is none of these any more. */
void lk_full_forget_unplaced (LkFull *self, LkJobIndex job);

/* policies/backfill_full_lists.c */
gboolean lk_full_goes_before (const LkFullPass *p, LkJobIndex a, LkJobIndex b);
void lk_full_sort_jobs (LkFullPass *p, GArray *jobs);
void lk_full_sort_planned (LkFullPass *p);
void lk_full_sort_unplaced (const LkFullPass *p);
/* How many planned jobs go before this one. */
guint lk_full_planned_before (const LkFullPass *p, LkJobIndex job);
LkStartKind lk_full_kind_of (const LkFullPass *p, LkJobIndex job);
LkWaitOrder lk_full_order_of (const LkFullPass *p);
void lk_full_leave_unplaced (const LkFullPass *p, LkJobIndex job);
/* Reserves what the plan has just found for a job that had nothing. */
void lk_full_reserve (LkFullPass *p, LkJobIndex job, int64_t start_us);
/* The earliest start in [from, before) of a job that has no reservation and is known to have no
 * start before; the place is the plan's to reserve. */
int64_t lk_full_look (const LkFullPass *p, LkJobIndex job, int64_t from_us, int64_t before_us);
/* The next of the jobs and of those without a place that are worth a search. */
LkJobIndex lk_full_walk_on (const LkFullPass *p, LkFullWalk *walk);

/* policies/backfill_full_offer.c */
/* The nodes of what was given back: what was noted is now in self->given, and noted no more. */
void lk_full_take_given (LkFull *self);
/* Offers what was given back to all jobs if there is credit for that; else sets `is_deferred`. */
void lk_full_compress (LkFullPass *p);
/* If that was deferred, gives jobs that can start now places that begin now.  Returns whether there
 * are any. */
gboolean lk_full_offer_now (LkFullPass *p);

/* policies/backfill_full_events.c: see LkBackfillPolicy. */
void lk_full_job_queued (void *user, const LkView *view, LkJobIndex job);
void lk_full_job_dequeued (void *user, const LkView *view, LkJobIndex job);
void lk_full_job_ended (void *user, const LkView *view, LkJobIndex job);
void lk_full_machine_changed (void *user, const LkView *view);
void lk_full_nodes_changed (void *user, const LkView *view, int32_t came_back);
void lk_full_order_changed (void *user, const LkView *view);
void lk_full_given_back (void *user, const LkView *view, int64_t from_us, int64_t to_us);
int64_t lk_full_planned_start_us (void *user, const LkView *view, LkJobIndex job);
void lk_full_planned_nodes (void *user, const LkView *view, LkJobIndex job, uint64_t *nodes);

/* policies/backfill_full_life.c */
void *lk_full_create (const LkParamValues *values, LkPolicyError *error);
void lk_full_destroy (void *user);

/* policies/backfill_full_bytes.c */
void lk_full_save (void *user, const LkView *view, LkPut put, void *sink);
int32_t lk_full_load (void *user, const LkView *view, const uint8_t *bytes, uint32_t byte_count);

#endif
