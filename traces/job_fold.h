/* traces/job_fold.h — the rows of an accounting log that are one job, made into one record.
 *
 * Rows of equal id, cluster and user are one job:
 *
 *   the same run twice   (equal submit and start, as when two extracts of the log overlap, or a job
 *                        was seen waiting first): the later state counts
 *   a requeued job       has a row for each run: the first submit and eligible time, everything
 *                        else of the last run; `attempts` counts the runs
 *   a resized job        has a row for each size: their run times add up, the request is the first
 *
 * Waiting tasks of an array stand in one row; they come out as a record each, unless the log has a
 * row of the task's own.  Records come out in the order in which their first rows went in.
 *
 * Memory: about 300 bytes a job, and a request once for all jobs that share it. */
#ifndef LK_TRACES_JOB_FOLD_H
#define LK_TRACES_JOB_FOLD_H

#include "traces/reader_private.h"
#include "traces/sacct_values.h"

typedef struct _LkJobFold LkJobFold;

/* `base` must outlive self. Returns: (transfer full). */
LkJobFold *lk_job_fold_new (LkReaderBase *base);
void lk_job_fold_free (LkJobFold *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkJobFold, lk_job_fold_free)

typedef struct {
  LkTraceRecord record;
  LkSpan cluster;       /* copied */
  LkSpan tasks;         /* of an array, as in LkSacctId; copied */
  gboolean is_resizing; /* the run goes on in another row */
} LkFoldRow;

/* Takes a row of base->line_number in. The record's texts must come from `base`. FALSE: too
 * many. */
gboolean lk_job_fold_add (LkJobFold *self, const LkFoldRow *row, GError **error);

/* After the last row: the next record, and its line number in `base`. FALSE: no more. */
gboolean lk_job_fold_next (LkJobFold *self, LkTraceRecord *out_record);

#endif
