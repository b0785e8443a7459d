/* live/port/world_sim.h — the world of the simulated ports: what comes next, in one thread, from
 * one seed.
 *
 * Whatever happens later is a call with a moment; calls come by moment, and those of one moment in
 * the order in which they were asked for.  All chance comes from one generator (Vigna's
 * splitmix64), so that the same seed gives the same run, byte for byte; the digest over what was
 * told to it shows that. */
#ifndef LK_LIVE_PORT_WORLD_SIM_H
#define LK_LIVE_PORT_WORLD_SIM_H

#include <glib.h>

typedef struct _LkWorld LkWorld;

typedef void (*LkWorldCall) (gpointer user, gpointer data);
/* A line of the log, without a line end. */
typedef void (*LkWorldTell) (gpointer user, gint64 now_us, const char *line);

LkWorld *lk_world_new (guint64 seed, gint64 now_us);
void lk_world_free (LkWorld *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkWorld, lk_world_free)

gint64 lk_world_now_us (const LkWorld *self);
/* Asks for a call at a moment, which is now if it has passed. `destroy`, if not NULL, is called on
 * `data` instead if the world ends before. Cost O(log pending). */
void lk_world_at (LkWorld *self, gint64 at_us, LkWorldCall call, gpointer user, gpointer data,
                  GDestroyNotify destroy);
/* Moment of the next call; LK_TIME_NEVER: there is none. */
gint64 lk_world_next_us (const LkWorld *self);
/* Lets it be then, and makes the next call. */
void lk_world_step (LkWorld *self);
/* Calls made so far. */
guint64 lk_world_step_count (const LkWorld *self);

guint64 lk_world_random (LkWorld *self);
/* In [0, limit). */
guint32 lk_world_below (LkWorld *self, guint32 limit);
/* In [low_us, high_us]. */
gint64 lk_world_between_us (LkWorld *self, gint64 low_us, gint64 high_us);
/* TRUE `ppm` times in a million. */
gboolean lk_world_chance (LkWorld *self, guint32 ppm);

/* Adds to the digest of the run. */
void lk_world_mix (LkWorld *self, guint64 value);
void lk_world_mix_bytes (LkWorld *self, const guint8 *bytes, gsize length_bytes);
guint64 lk_world_digest (const LkWorld *self);

/* Who reads the log; NULL: nobody, and then nothing is written. */
void lk_world_tell_to (LkWorld *self, LkWorldTell tell, gpointer user);
gboolean lk_world_is_told (const LkWorld *self);
void lk_world_tell (LkWorld *self, const char *format, ...) G_GNUC_PRINTF (2, 3);

#endif
