/* engine/timeline.h — what is free on each node from now on, as steps in time: a cache.
 *
 * For each node the pieces that run on it and that a plan has reserved there, put together into
 * steps between which nothing changes.  What is free over a window is what is free in all of its
 * steps; so a window is answered without looking at pieces, and a search for the first moment at
 * which a node can serve walks along the steps.  A node's steps are made when they are asked for
 * and thrown away when something changes on it; a reservation that comes or goes is worked into
 * them.  The free cores of all nodes together are counted as well, to end a search before any node
 * is looked at.
 *
 * The answers are those of engine/window.h, to the bit.  It does not answer for jobs that share
 * cores. */
#ifndef LK_ENGINE_TIMELINE_H
#define LK_ENGINE_TIMELINE_H

#include <glib.h>

#include "engine/machine.h"
#include "engine/window.h"

typedef struct _LkTimelines LkTimelines;

/* `planned_first` as in LkWindow; borrowed, may be NULL. */
LkTimelines *lk_timelines_new (const LkMachine *machine, const guint32 *planned_first);
void lk_timelines_free (LkTimelines *self);

/* Something on the node has changed. */
void lk_timelines_change (LkTimelines *self, guint32 node);
/* Nothing has but that a reservation has come or gone, the piece of which is now on the list of the
 * node, or is no more. O(log steps + steps between this change and the one before it). */
void lk_timelines_add (LkTimelines *self, const LkPiece *piece);
void lk_timelines_remove (LkTimelines *self, const LkPiece *piece);

/* The same of a job that runs: its piece, with its expected end, is now on the list of the node, or
 * is no more. */
void lk_timelines_start (LkTimelines *self, const LkPiece *piece, gint64 now_us);
void lk_timelines_end (LkTimelines *self, const LkPiece *piece, gint64 now_us);

/* While a reservation is hidden, the answers are as if its pieces, from this one on, were not
 * there, on each node that hides one.  Nothing may change meanwhile. */
void lk_timelines_hide (LkTimelines *self, guint32 first_piece, gint64 now_us);
void lk_timelines_show (LkTimelines *self, guint32 first_piece);
gboolean lk_timelines_hides (const LkTimelines *self, LkJobIndex job, guint32 node);

/* Steps and pieces that were visited up to now: what searches cost, on whatever machine. */
guint64 lk_timelines_work (const LkTimelines *self);
/* So many were visited elsewhere, for a search. */
void lk_timelines_add_work (LkTimelines *self, guint64 count);

/* As lk_window_node. FALSE: it cannot answer, and has filled nothing. */
gboolean lk_timelines_window (LkTimelines *self, const LkWindow *window, guint32 node,
                              LkNodeFree *out_free);

/* Does nobody have anything of the node at any time of the window?  FALSE: it may yet be so. */
gboolean lk_timelines_is_idle (LkTimelines *self, const LkWindow *window, guint32 node);

/* A search on one node. */
typedef struct {
  const LkRequest *request;
  gint64 now_us;
  gint64 from_us;
  gint64 before_us;
  gint64 duration_us;
} LkTimelineSearch;

/* The first moment in [from, before) at which the node can serve the request for so long, whoever's
 * jobs are on it; else a moment that is not before `before_us` nor behind the truth. */
gint64 lk_timelines_ready_us (LkTimelines *self, const LkTimelineSearch *search, guint32 node);

/* The first moment not before `from_us` at which something on the node ends; LK_TIME_NEVER. */
gint64 lk_timelines_end_us (LkTimelines *self, guint32 node, gint64 now_us, gint64 from_us);

/* So many cores, whosever nodes they are on. */
typedef struct {
  guint32 core_count;
  gint64 now_us;
  gint64 from_us;
  gint64 before_us;
  gint64 duration_us;
  gint64 stop_us; /* from here on there are enough; LK_TIME_NEVER */
} LkTimelineNeed;

/* A moment in [from, before) before which fewer cores than needed are free on all nodes together
 * for so long; LK_TIME_NEVER: there are too few at each.  Says nothing of cores that are shared.
 * O(log steps + nodes on which something has changed). */
gint64 lk_timelines_enough_us (LkTimelines *self, const LkTimelineNeed *need);
/* The first moment, not before now, at which no core is free on any node; LK_TIME_NEVER: there is
 * none.  Says nothing of cores that are shared. */
gint64 lk_timelines_full_us (LkTimelines *self, gint64 now_us);

#endif
