/* sim/results_batsim.h — the jobs of a run as Batsim writes them, for Evalys and other tools that
 * plot Batsim's results.
 *
 * One line a job, by start, under Batsim's header (docs/output-jobs.rst of Batsim).  `profile` is
 * always "delay", `consumed_energy` -1 and `metadata` empty, which is what Batsim writes without
 * them.
 *
 * `allocated_resources` is an interval set as "0-3 7".  Where a run knows the resources (nodes), it
 * gives them with the job.  A counted pool does not know which of its processors a job had; any
 * assignment in which no two jobs share one is as good, and the one that is written takes the
 * lowest free numbers in the order of the starts.  For that all jobs have to be known: they are
 * kept, 80 bytes and its resources for each, and the file is written at the end. */
#ifndef LK_SIM_RESULTS_BATSIM_H
#define LK_SIM_RESULTS_BATSIM_H

#include <glib.h>

#include "sim/results.h"

typedef struct _LkResultsBatsim LkResultsBatsim;

/* `workload_name` is copied. Returns: (transfer full). */
LkResultsBatsim *lk_results_batsim_new (const char *workload_name);
void lk_results_batsim_free (LkResultsBatsim *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkResultsBatsim, lk_results_batsim_free)

/* A job that ran. `allocated` is its interval set, copied; NULL: processors of a counted pool. */
void lk_results_batsim_add (LkResultsBatsim *self, const LkJobRecord *record,
                            const char *allocated);

/* Writes all jobs to a new file at `path`, replacing an older one. Call once. */
gboolean lk_results_batsim_write (LkResultsBatsim *self, const char *path, GError **error);

/* The same into memory, for tests. */
void lk_results_batsim_format (LkResultsBatsim *self, GString *out);

#endif
