/* sim/statistics/shake.h — runs with shaken input.
 *
 * Each submit is moved by a random whole number of seconds, evenly from -BY to +BY, and the log is
 * put in order again (Tsafrir, Ouaknine and Feitelson, MASCOTS 2007: see interval.h).  How far a
 * job moves depends on the seed and on its place in the log alone: two runs that are shaken after
 * one seed see the same jobs, whatever their policies. */
#ifndef LK_SIM_STATISTICS_SHAKE_H
#define LK_SIM_STATISTICS_SHAKE_H

#include "sim/settings.h"

#define LK_SHAKE_COUNT_MAX 1000
#define LK_SHAKE_BY_DEFAULT_US (60 * G_USEC_PER_SEC)

typedef struct {
  guint64 seed;
  gint64 by_us; /* from 1 s on */
} LkShake;

/* LkTraceOptions.move_us, of an LkShake. */
gint64 lk_shake_move_us (gconstpointer shake, guint64 place);

/* The runs that settings with a shake_count ask for, when the main one is done; writes their
 * summaries beside its results. */
gboolean lk_shake_run_all (const LkSettings *settings, GError **error);

#endif
