/* engine/rank.h — jobs in order of a key, with summaries that let a search skip what cannot match.
 *
 * The order is total: higher level first where jobs have levels, then lower key, earlier submit,
 * lower id; of tasks of an array the id of the array, then their index.  Jobs lie in blocks of
 * at most LK_RANK_BLOCK_JOBS; for each block the least units, the least estimate and the sum of
 * units are known, so that "first job that fits" and "when will k units be free" look at blocks,
 * not at jobs.  With n jobs, insert, remove and search cost O(log n + block) and O(n / block) on
 * the summaries.
 *
 * The key, units and estimate of a job must not change while it is in a rank (but see
 * lk_rank_rekey). */
#ifndef LK_ENGINE_RANK_H
#define LK_ENGINE_RANK_H

#include <glib.h>

#include "engine/job_table.h"
#include "engine/policy.h"

#define LK_RANK_BLOCK_JOBS 128u

typedef struct _LkRank LkRank;

/* An empty rank over jobs of `table`, ordered by the column that `key_column` points to (the column
 * may move). Both must outlive it. Returns: (transfer full). */
LkRank *lk_rank_new (const LkJobTable *table, gint64 *const *key_column);
void lk_rank_free (LkRank *self);
/* From here on higher levels come first, whatever their keys, by the column that `level_column`
 * points to (the column may move). The rank is empty; a job's level does not change while it is in
 * it. */
void lk_rank_set_levels (LkRank *self, guint32 *const *level_column);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkRank, lk_rank_free)

void lk_rank_insert (LkRank *self, LkJobIndex job);
/* The job is in the rank. */
void lk_rank_remove (LkRank *self, LkJobIndex job);
guint32 lk_rank_count (const LkRank *self);
/* Fewest units of any job; G_MAXUINT32 when empty. Remembered until a job of that size leaves. */
guint32 lk_rank_units_min (LkRank *self);

LkJobIndex lk_rank_first (const LkRank *self);
/* First job behind `after` (LK_JOB_NONE: from the front) that passes `filter` (NULL: any), or
 * LK_JOB_NONE. `after` need not be in the rank any more, but its columns must be as they were. */
LkJobIndex lk_rank_next (const LkRank *self, LkJobIndex after, const LkQueueFilter *filter);

/* Does `a` come before `b`? Both are in the rank. */
gboolean lk_rank_before (const LkRank *self, LkJobIndex a, LkJobIndex b);

/* First job at which the units of it and of all before it add up to `units`, or LK_JOB_NONE; and
 * the sum of all jobs whose key is not above its key, or of all jobs. */
LkJobIndex lk_rank_reach (const LkRank *self, guint64 units, guint64 *out_units_sum);

/* Gives every job a new key and puts them in order again. Cost O(n) when the order stays as it was,
 * else O(n log runs) where runs is the number of stretches still in order. Returns whether the
 * order is another than before. */
gboolean lk_rank_rekey (LkRank *self, gint64 (*key) (gpointer user, LkJobIndex job), gpointer user);

/* Aborts unless every invariant holds. */
void lk_rank_check (const LkRank *self);

#endif
