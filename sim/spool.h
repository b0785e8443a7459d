/* sim/spool.h — what the metrics need to know of every job, in memory that does not depend on how
 * many there are.
 *
 * An append-only store of fixed-size records.  Up to a limit they stay in memory; what comes after
 * goes to a temporary file that has no name, so that nothing is left behind however the process
 * ends.  It is read from front to back, as often as needed.
 *
 * Invariants: records come back in the order in which they were added; at most the limit and two
 * blocks are in memory. Not here: what the records mean (sim/metrics.h), and what people read
 * (sim/results.h). */
#ifndef LK_SIM_SPOOL_H
#define LK_SIM_SPOOL_H

#include <glib.h>

typedef struct {
  gint64 start_us;
  gint64 wait_us;
  gint64 run_us;
  guint32 procs;
  guint32 flags; /* free for the caller */
} LkSpoolRecord;

#define LK_SPOOL_LIMIT_DEFAULT_BYTES (64u << 20)

typedef struct _LkSpool LkSpool;

/* `directory` holds the temporary file once there is one; NULL: the system's. Copied. Returns:
 * (transfer full). */
LkSpool *lk_spool_new (gsize limit_bytes, const char *directory);
void lk_spool_free (LkSpool *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkSpool, lk_spool_free)

/* Fails when the temporary file cannot be created or written (disk full). */
gboolean lk_spool_add (LkSpool *self, const LkSpoolRecord *record, GError **error);

guint64 lk_spool_count (const LkSpool *self);

/* Some records from `from_index` on, at least one unless `from_index` is the count (then 0 of
 * them). They stay valid until the next call. Fails when the temporary file cannot be read. */
gboolean lk_spool_read (LkSpool *self, guint64 from_index, const LkSpoolRecord **out_records,
                        gsize *out_count, GError **error);

#endif
