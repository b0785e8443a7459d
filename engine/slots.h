/* engine/slots.h — which nodes are idle when, as steps of time: for jobs that take nodes whole.
 *
 * Each step has the set of nodes that nobody holds during it, and their number.  The earliest
 * moment at which so many nodes are idle together for so long is found by numbers first, and by
 * sets only where the numbers leave it open: the sets of a window are put together from its end
 * backwards, so that a step at which too few are left rules out every window that begins before it
 * and reaches as far.  Steps lie in blocks that know their least and most idle nodes, and the nodes
 * that are idle in all of them.
 *
 * Invariants: steps strictly increase in time; the last extends to infinity.  Not here: what is
 * free on a node that somebody has a part of (see timeline.h).
 * Source: semantics of node_space in Slurm's sched/backfill, without its rounding. */
#ifndef LK_ENGINE_SLOTS_H
#define LK_ENGINE_SLOTS_H

#include <glib.h>

typedef struct _LkSlots LkSlots;

/* One word of a set of nodes. */
typedef struct {
  guint32 word;
  guint64 mask;
} LkSlotWord;

/* A set of nodes by the words that are not empty; borrowed. */
typedef struct {
  const LkSlotWord *words;
  guint count;
} LkSlotsWords;

/* So many nodes are idle for so long: at every moment, not the same ones all the time. */
typedef struct {
  guint32 node_count;
  gint64 from_us;
  gint64 duration_us;
} LkSlotsRun;

/* All nodes are idle from `now_us` on. Returns: (transfer full). */
LkSlots *lk_slots_new (guint32 node_count, gint64 now_us);
void lk_slots_free (LkSlots *self);

/* Forgets what was before `now_us`. */
void lk_slots_advance (LkSlots *self, gint64 now_us);

/* Somebody holds these nodes in [from_us, to_us), or holds them no more; what lies before the first
 * step is left out. lk_slots_take returns whether all of them were idle for all of that time. */
gboolean lk_slots_take (LkSlots *self, const LkSlotsWords *words, gint64 from_us, gint64 to_us);
void lk_slots_give (LkSlots *self, const LkSlotsWords *words, gint64 from_us, gint64 to_us);

typedef struct {
  guint32 node_count; /* at least so many */
  gint64 duration_us;
  const guint64 *among; /* of these */
} LkSlotsDemand;

/* Earliest t in [from_us, before_us) at which the demand is met for all of [t, t + duration_us);
 * `out_set` gets all nodes that are idle then. LK_TIME_NEVER: there is none, and the set is
 * undefined. */
gint64 lk_slots_earliest_us (LkSlots *self, const LkSlotsDemand *demand, gint64 from_us,
                             gint64 before_us, guint64 *out_set);

/* Nodes idle at a moment. */
guint32 lk_slots_idle_count (const LkSlots *self, gint64 at_us);
/* Most nodes idle at any moment of the non-empty interval, or more. */
guint32 lk_slots_idle_max (const LkSlots *self, gint64 from_us, gint64 to_us);

/* The first moment since when any of these nodes has been idle up to `from_us`, or `from_us`; and
 * the last until which any of those that are idle at `to_us` stays so, or `to_us`. */
void lk_slots_extent (LkSlots *self, const LkSlotsWords *words, gint64 from_us, gint64 to_us,
                      gint64 *out_from_us, gint64 *out_to_us);
/* Appends the runs of [from_us, to_us) that lie in no longer one of as many nodes. */
void lk_slots_runs (const LkSlots *self, gint64 from_us, gint64 to_us, GArray *runs);
/* Are all of these nodes idle for all of that time, from the first step on? */
gboolean lk_slots_are_idle (const LkSlots *self, const LkSlotsWords *words, gint64 from_us,
                            gint64 to_us);

guint32 lk_slots_step_count (const LkSlots *self);
/* Is the node idle at a moment? For checks. */
gboolean lk_slots_is_idle (const LkSlots *self, guint32 node, gint64 at_us);
/* Aborts unless every invariant holds. */
void lk_slots_check (const LkSlots *self);

#endif
