/* sim/statistics/shaken.h — the summaries of runs with shaken input, beside the main one.
 *
 * `lockstep sim --shake N` leaves them as shaken.csv in its directory of results: a line a run with
 * its number, the seed of its shaking, how far jobs were moved at most, and all numbers of its
 * summary.  Two directories are comparable when they were shaken alike. */
#ifndef LK_SIM_STATISTICS_SHAKEN_H
#define LK_SIM_STATISTICS_SHAKEN_H

#include "sim/statistics/interval.h"
#include "sim/summary.h"

#define LK_SHAKEN_CSV "shaken.csv"

typedef struct _LkShaken LkShaken;

/* Empty. Returns: (transfer full). */
LkShaken *lk_shaken_new (void);
void lk_shaken_free (LkShaken *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkShaken, lk_shaken_free)

/* The next run. Its numbers are copied. */
void lk_shaken_add (LkShaken *self, guint64 seed, gint64 by_us, const LkSummary *summary);
guint lk_shaken_count (const LkShaken *self);

/* Writes `directory`/shaken.csv, under a temporary name first. */
gboolean lk_shaken_write (const LkShaken *self, const char *directory, GError **error);
/* An empty one where the directory has no such file. Fails, with file, line and field, when it is
 * not what lk_shaken_write leaves. Returns: (transfer full). */
LkShaken *lk_shaken_read (const char *directory, GError **error);

/* The same shakings, from the first run to the last? */
gboolean lk_shaken_is_alike (const LkShaken *self, const LkShaken *other);
/* Of LkPair: the values of a column of the summary in both. `is_alike` holds. Returns: (transfer
 * full). */
GArray *lk_shaken_pairs (const LkShaken *first, const LkShaken *here, const char *column);

#endif
