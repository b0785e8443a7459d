/* traces/submit_line.h — what the command line of sbatch, srun or salloc asks for beyond what the
 * accounting records in columns of its own.
 *
 * Taken are where nodes must or must not be, sharing, contiguity, switches, features, licenses,
 * tasks and limits of them per node and socket.  How much (CPUs, memory, GPUs, nodes, time) is not:
 * the accounting has what was made of it.  --hold is not either: a log has no release, and the
 * eligible time says when the job could first run.  Options in the script itself (#SBATCH) do not
 * show here.
 *
 * Not here: what the options mean (traces/job_options.h). */
#ifndef LK_TRACES_SUBMIT_LINE_H
#define LK_TRACES_SUBMIT_LINE_H

#include "traces/reader_private.h"
#include "traces/sacct_values.h"

/* What the line says about tasks; 0 where it does not. */
typedef struct {
  guint32 tasks;
  guint32 cpus_per_task;
} LkSubmitTasks;

/* Adds to `request`. A line that is no such command, or that sbatch would not take, adds
 * nothing. */
void lk_submit_line_apply (LkSpan line, LkReaderBase *base, LkJobRequest *request,
                           LkSubmitTasks *out_tasks);

/* When and under which conditions the line lets the job run: --dependency, --begin, --deadline,
 * --reservation, --time-min, --signal.  --array is not taken: each task is a job of its own in the
 * accounting.  A moment that cannot be read counts as not given. */
void lk_submit_line_terms (LkSpan line, LkReaderBase *base, gint64 submit_us,
                           LkJobTerms *out_terms);

#endif
