/* engine/timeline.h — what is free on each node from now on, as steps in time: a cache.
 *
 * For each node the pieces that run on it and that a plan has reserved there, put together into
 * steps between which nothing changes.  What is free over a window is what is free in all of its
 * steps; so a window is answered without looking at pieces, and a search for the first moment at
 * which a node can serve walks along the steps.  A node's steps are made when they are asked for
 * and thrown away when something changes on it; a reservation that comes is worked into them.
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
/* Nothing has but that a reservation has come, the pieces of which are on the list of the node.
 * O(steps behind its begin), and mostly it comes last. */
void lk_timelines_add (LkTimelines *self, const LkPiece *piece);

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

#endif
