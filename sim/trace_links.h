/* sim/trace_links.h — what jobs of a log say of each other, in the numbers of a run.
 *
 * A dependency names jobs as the log numbers them, the engine knows them by the ids that they got
 * when they were submitted.  "afterok:1002" becomes "afterok:7"; where the log has each task of
 * array 1002 as a job of its own, it becomes "afterok:7:8:9".  A job that was not replayed, or
 * comes later, is left out of the dependency, and with its last job a condition is; Slurm, too,
 * takes a job that it does not know any more for one that is over. */
#ifndef LK_SIM_TRACE_LINKS_H
#define LK_SIM_TRACE_LINKS_H

#include <glib.h>

#include "traces/clean.h"

typedef struct _LkTraceLinks LkTraceLinks;

/* Returns: (transfer full). */
LkTraceLinks *lk_trace_links_new (void);
void lk_trace_links_free (LkTraceLinks *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkTraceLinks, lk_trace_links_free)

/* The job has been submitted under this id. `name` as in LkTraceJob. */
void lk_trace_links_note (LkTraceLinks *self, gint64 number, const char *name, guint32 job_id);
/* The terms of a job that is about to be submitted, behind all that come before it. NULL: none.
 * Returns: (transfer none), lives as long as self and the job's own terms. */
const LkJobTerms *lk_trace_links_terms (LkTraceLinks *self, const LkJobTerms *terms);
/* "1002_3". Returns: (transfer none), lives as long as self. */
const char *lk_trace_links_task_name (LkTraceLinks *self, gint64 number, guint32 task);

#endif
