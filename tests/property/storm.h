/* tests/property/storm.h — any sequence of well-formed events, with every feature on.
 *
 * A storm draws events from a source of numbers (a seed, or a fuzzer's bytes): submits with random
 * requests and terms, updates, cancels, holds, requeues, suspensions, signals, nodes and partitions
 * that come and go, reservations, and ends of what runs; timers and passes come as a driver gives
 * them.  Behind each event the engine's invariants are walked; another engine that comes out of its
 * snapshots decides beside it; now and then the engine itself is replaced by what its snapshot
 * gives; the journal is replayed on a fresh engine, and checked by the program that shares no code
 * with it. */
#ifndef LK_TESTS_STORM_H
#define LK_TESTS_STORM_H

#include <glib.h>

/* The next number in [0, limit); sets `*out_is_over` when there are no more. */
typedef guint32 (*LkStormDraw) (gpointer user, guint32 limit, gboolean *out_is_over);

typedef struct {
  LkStormDraw draw;
  gpointer user;
  guint event_max;     /* drawn ones; then what runs ends and the storm is over */
  GByteArray *journal; /* gets the whole journal; NULL: not wanted */
  gboolean is_late;    /* time goes on by jumps, timers and passes are late, and the engine is never
                          replaced */
  gboolean is_changing; /* the configuration changes now and then */
  gboolean is_mixed;    /* mostly heterogeneous jobs of several partitions, whose states change */
} LkStormOptions;

/* How many configurations there are. */
guint lk_storm_site_count (void);
/* How many there are behind these, for storms that are late. */
guint lk_storm_late_site_count (void);

/* Under configuration `site`. Aborts when anything does not hold; returns what happened, for a
 * message. (transfer full) */
char *lk_storm_run (guint site, const LkStormOptions *options);

#endif
