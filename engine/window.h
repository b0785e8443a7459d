/* engine/window.h — what is free on a node for all of a time.
 *
 * Running jobs hold what they have until their expected end (an overdue one a little longer);
 * reservations of a plan hold theirs for their time.  Cores and devices are free when nobody holds
 * that very core or device at any moment of the window; memory, shares and counts by the most that
 * is held at one moment. */
#ifndef LK_ENGINE_WINDOW_H
#define LK_ENGINE_WINDOW_H

#include <glib.h>

#include "engine/node_table.h"

struct _LkTimelines;
struct _LkReservationTable;
struct _LkAdvanceReservation;

/* A running job that is past its expected end is taken to hold its pieces for this much longer. */
#define LK_OVERDUE_US G_GINT64_CONSTANT (1000000)

/* How a running job is taken to have gone: entirely, or leaving all but its cores behind. */
#define LK_GONE_NOT 0u
#define LK_GONE_CORES 1u
#define LK_GONE_ALL 2u

typedef struct {
  const LkNodeTable *nodes;
  const guint32 *planned_first;   /* by node, pieces of reservations; NULL: there are none */
  struct _LkTimelines *timelines; /* of the same pieces, to answer faster; NULL: none */
  gint64 now_us;
  gint64 from_us; /* not before now */
  gint64 to_us;
  LkJobIndex except;    /* whose reservation does not count; LK_JOB_NONE: all do */
  guint32 user_id;      /* for whom */
  guint32 sharing_jobs; /* most jobs on a core, counting the new one; 1: cores must be free */
  gboolean shares;      /* may the job's cores be others' too? */
  guint32 tier;         /* of its partition; meaningful with sharing_jobs above 1 */
  guint32 partition;    /* meaningful with own_rows */
  gboolean own_rows;    /* of sharing jobs of its tier only those of its partition count on cores */
  gboolean whole_user;  /* wants no other user's jobs beside it */
  gboolean any_user;    /* as if whoever wants its user alone on a node had the same user */
  const guint64 *except_nodes;                    /* where it has one; NULL: not known */
  gboolean idle;                                  /* as if nothing ran and nothing was reserved */
  const struct _LkReservationTable *reservations; /* advance reservations; NULL: there are none */
  const struct _LkAdvanceReservation *inside;     /* in which the job is to run; NULL: in none */
  const guint8 *gone; /* by job index LK_GONE_*: as if these had gone; NULL: nobody has. Then there
                           are no timelines */
  guint8 over;        /* LK_OVER_*: whose cores do not count, besides; then there are none either */
} LkWindow;

/* Whoever's cores are looked over. */
#define LK_OVER_NONE 0u
#define LK_OVER_STOPPED 1u /* of suspended jobs, and of those of other tiers */
#define LK_OVER_ALL 2u     /* all that run */

static inline guint8
lk_window_gone (const LkWindow *self, LkJobIndex job)
{
  return self->gone != NULL ? self->gone[job] : LK_GONE_NOT;
}

typedef struct {
  gboolean open; /* FALSE: whoever is there wants no other beside it */
  gboolean is_idle;
  guint64 cores[LK_NODE_CORE_WORDS_MAX];
  guint64 devices; /* nobody has it or a share of it */
  gint64 memory_bytes;
  guint32 counts[LK_LIMIT_GRES_NAMES];
  guint32 shares[LK_LIMIT_NODE_DEVICES]; /* 0 where the device is held as a whole */
} LkNodeFree;

/* Until when a running piece is taken to hold what it has. */
static inline gint64
lk_held_until_us (gint64 now_us, gint64 expected_end_us)
{
  if (expected_end_us > now_us)
    return expected_end_us;
  return now_us > LK_TIME_NEVER - LK_OVERDUE_US ? LK_TIME_NEVER : now_us + LK_OVERDUE_US;
}

void lk_window_node (const LkWindow *self, guint32 node, LkNodeFree *out_free);

#endif
