/* tests/property/machine_plan_private.h — the naive scheduler's state, shared by its sources. */
#ifndef LK_TESTS_PROPERTY_MACHINE_PLAN_PRIVATE_H
#define LK_TESTS_PROPERTY_MACHINE_PLAN_PRIVATE_H

#include "engine/place.h"
#include "tests/property/machine_plan.h"

typedef struct {
  gboolean is_running;
  gboolean is_held; /* by what the engine has said */
  gboolean is_queued;
  gboolean has_arrived; /* conservative: since the last pass */
  gint64 submit_us;
  gint64 estimate_us;
  gint64 end_us;      /* expected; of a running one */
  gint64 reserved_us; /* LK_TIME_NEVER: no reservation */
  guint32 reserved_piece;
  guint reserved_number; /* of the reservation */
  guint32 running_piece;
} LkNaiveJob;

struct _LkNaive {
  const LkMachineWorkload *workload;
  LkNaiveOptions options;
  gint64 unit_us;
  LkSetup *setup;
  void *select_self;
  LkMachine *machine;
  LkView view;
  LkPlacer placer;
  guint32 *planned_first; /* by node */
  guint32 *requests;      /* by job; LK_JOB_NONE: refused */
  LkNaiveJob jobs[LK_MACHINE_JOBS_MAX];
  GArray *queue;    /* of guint: jobs that wait, in the order of the engine's queue */
  GArray *arrivals; /* of guint */
  GArray *starts;   /* of Start */
  guint start_next;
  gint64 now_us;
  gboolean compress;
  gboolean rebuild;
  gboolean has_lost;         /* full: among the arrivals are some that had a reservation */
  gboolean is_nodes_changed; /* full: by this event */
  gboolean is_deferred;      /* full: what was given back is not offered to all in this pass */
  gint64 credit;             /* full: offers that may be made */
  gint64 horizon_us;         /* full: who is without a place has none before this */
  guint reserved_number;     /* of the last reservation made */
  GString *report;
};

/* Where the job would go at a moment, beside everything; LK_PIECE_NONE: nowhere. */
guint32 lk_naive_place_at (LkNaive *self, guint place, gint64 at_us);
/* The first moment in [from, before) at which it finds a place, and that place. */
gint64 lk_naive_earliest_us (LkNaive *self, guint place, gint64 from_us, gint64 before_us,
                             guint32 *out_piece);
void lk_naive_reserve (LkNaive *self, guint place, gint64 start_us, guint32 first_piece);
/* Takes a reservation out of the plan; its pieces are the caller's. */
guint32 lk_naive_take_reserved (LkNaive *self, guint place);
void lk_naive_release (LkNaive *self, guint place);
void lk_naive_release_all (LkNaive *self);
gboolean lk_naive_has_licenses (const LkNaive *self, guint place, gint64 from_us);
gboolean lk_naive_has_overdue (const LkNaive *self);
/* Is there one that has not just arrived and has no reservation? */
gboolean lk_naive_has_unplaced (const LkNaive *self);
void lk_naive_add_arrival (LkNaive *self, guint place);
/* Starts who is due. */
void lk_naive_start_due (LkNaive *self);

/* machine_plan_full.c */
void lk_naive_pass_full (LkNaive *self);
/* The flags of nodes are as after the event. */
void lk_naive_nodes_full (LkNaive *self, gboolean came_back);

#endif
