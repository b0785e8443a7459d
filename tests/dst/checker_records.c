/* tests/dst/checker_records.c — see the header. */
#include "tests/dst/checker_records.h"

static void
look_at_job (const DstHistoryJob *job, DstFindings *findings)
{
  if (job->again_count > 0)
    dst_find (findings, "job %u has ended once more", job->job_id);
  /* An array is no job once its last task is one; then the id is that of the task. */
  if (!job->is_final && (job->is_accepted || job->start_count > 0))
    dst_find (findings, "job %u has not ended", job->job_id);
  /* Each run ended with the job, or with its going back to the queue; what was told to start may
   * be sent back before, too. */
  if (job->start_count > job->requeue_count + 1)
    dst_find (findings, "job %u was started %u times, and went back %u times", job->job_id,
              job->start_count, job->requeue_count);
}

void
dst_checker_records_look (const DstHistory *history, DstFindings *findings)
{
  for (guint i = 0; i < history->jobs->len; i++)
    look_at_job (&g_array_index (history->jobs, DstHistoryJob, i), findings);
  for (guint i = 0; i < history->runs->len; i++) {
    const DstHistoryRun *run = &g_array_index (history->runs, DstHistoryRun, i);
    if (run->end_seq == 0)
      dst_find (findings, "run %" G_GUINT64_FORMAT " of job %u has not ended", run->run_id,
                run->job_id);
  }
}
