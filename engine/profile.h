/* engine/profile.h — free capacity of one pool as a step function of time.
 *
 * Invariants: steps strictly increase in time; neighbours differ; free is in [0, capacity]; the
 * last step extends to infinity, where everything is free again unless something was reserved for
 * ever.  Intervals are half open, so that one reservation may begin where another ends. Steps lie
 * in blocks that know their least and most free units, so that a search passes over a block that
 * cannot hold, or cannot end, a gap, and a long reservation changes whole blocks at once. Source:
 * Mu'alem & Feitelson 2001, section 3.1.  Not here: which nodes are free. */
#ifndef LK_ENGINE_PROFILE_H
#define LK_ENGINE_PROFILE_H

#include <glib.h>

#include "engine/policy.h"

typedef struct _LkProfile LkProfile;

/* `capacity` units free for ever, from time 0. Returns: (transfer full). */
LkProfile *lk_profile_new (guint32 capacity);
void lk_profile_free (LkProfile *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkProfile, lk_profile_free)

/* All free again, from `now_us` on. */
void lk_profile_reset (LkProfile *self, gint64 now_us);
/* Forgets the steps that end at or before `now_us`; no later call may name an earlier time. */
void lk_profile_advance (LkProfile *self, gint64 now_us);

/* Takes or gives back units in [from_us, to_us); `to_us` may be LK_TIME_NEVER. An empty interval
 * changes nothing. The units must be free, or taken, for all of it. Cost O(log steps + blocks in
 * the interval). */
void lk_profile_reserve (LkProfile *self, gint64 from_us, gint64 to_us, guint32 units);
void lk_profile_release (LkProfile *self, gint64 from_us, gint64 to_us, guint32 units);

/* Earliest t in [from_us, before_us) at which `units` are free for all of [t, min (t + duration_us,
 * stop_us)).  Returns LK_TIME_NEVER when there is none. */
gint64 lk_profile_earliest_us (const LkProfile *self, guint32 units, gint64 duration_us,
                               gint64 from_us, gint64 before_us, gint64 stop_us);

guint32 lk_profile_units_free (const LkProfile *self, gint64 at_us);
/* Most and fewest units free at any moment of the non-empty interval [from_us, to_us). */
guint32 lk_profile_units_max (const LkProfile *self, gint64 from_us, gint64 to_us);
guint32 lk_profile_units_min (const LkProfile *self, gint64 from_us, gint64 to_us);

/* The first moment from `from_us` on at which nothing is free; LK_TIME_NEVER: there is none. */
gint64 lk_profile_full_us (const LkProfile *self, gint64 from_us);

guint32 lk_profile_step_count (const LkProfile *self);
/* Aborts unless every invariant holds. */
void lk_profile_check (const LkProfile *self);

#endif
