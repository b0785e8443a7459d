/* live/core/step_layout.h — on which nodes of its job a step runs, what it gets there, and which
 * task runs where.
 *
 * A pure function of what is asked for and of what the nodes of the job can give.  A step has the
 * CPUs that it gets for itself, unless it overlaps.  Without EXACT, and without CPUs given for each
 * task, it gets all CPUs of its job on each node that it uses.  So it is with GPUs: one that asks
 * for none has all of the job's, for itself, unless it wants none (NO_DEVICES).  Memory it has for
 * itself only where it has asked for some; else it uses that of its job, as others do.
 *
 * Not here: which cores and devices these are (controller_step_place.c).
 * Source: srun(1); Slurm's dist_plane.html and step_mgr.c, dist_tasks.c. */
#ifndef LK_LIVE_CORE_STEP_LAYOUT_H
#define LK_LIVE_CORE_STEP_LAYOUT_H

#include <glib.h>

#include "live/core/message.h"

/* Most tasks of a step, and of a step on one node. Source: slurm.conf(5), MaxTasksPerNode. */
#define LK_STEP_TASKS_MAX 1000000u
#define LK_STEP_NODE_TASKS_MAX 512u

/* What a node of the job can give: all that the job has there, and what no step has for itself. */
typedef struct {
  const char *name; /* borrowed */
  guint32 cpus;
  guint32 cpus_free;
  guint32 cpus_per_core; /* they are given by cores; 1 where cores are not counted */
  gint64 memory_bytes;   /* 0: not managed */
  gint64 memory_free_bytes;
  guint32 gpus;
  guint32 gpus_free;
} LkStepOffer;

/* A node of the step. */
typedef struct {
  guint32 offer; /* which of the offers */
  guint32 task_count;
  guint32 cpus;
  gint64 memory_bytes; /* that it has asked for; 0: nothing */
  guint32 gpus;        /* for itself */
} LkStepShare;

typedef struct {
  guint32 tasks;
  GArray *shares;   /* of LkStepShare, in the order of the step's nodes */
  GArray *share_of; /* of guint32: for each task which of them */
} LkStepLayout;

void lk_step_layout_init (LkStepLayout *self);
void lk_step_layout_clear (LkStepLayout *self);

/* Lays a step out, into an empty layout. Anything but LK_STEP_ERROR_NONE: it is as it was;
 * NODES_BUSY when it could be had of what the job has, if other steps had nothing.
 * O(tasks + nodes * (tasks of a node + log nodes)). */
LkStepError lk_step_layout_make (LkStepLayout *self, const LkStepWant *want,
                                 const LkStepOffer *offers, guint32 offer_count);
/* For each share its tasks as a list of ranges: 0-3,8.  A range that is repeated at equal distances
 * is written once: 0-1+8*100 is 0-1,8-9,16-17 and so on, a hundred ranges.  O(tasks).
 * Returns: (transfer full), of char *. */
GPtrArray *lk_step_layout_tasks (const LkStepLayout *self);
/* Does a step get only what it asks for? */
gboolean lk_step_want_is_exact (const LkStepWant *want);
/* Does it say how many GPUs it wants? */
gboolean lk_step_want_asks_gpus (const LkStepWant *want);

#endif
