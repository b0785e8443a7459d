/* traces/clean.c — see traces/clean.h, which states the rules. */
#include "traces/clean.h"

#include "engine/assert.h"

static guint32
id_narrow (gint64 id)
{
  return id > 0 && id <= G_MAXUINT32 ? (guint32)id : 0;
}

gint64
lk_swf_job_procs (const LkSwfJob *job)
{
  return job->procs > 0 ? job->procs : job->procs_used;
}

gboolean
lk_swf_job_clean (const LkSwfJob *job, guint32 machine_procs, LkCleanCounts *counts,
                  LkTraceJob *out_job)
{
  LK_ASSERT (machine_procs >= 1);
  gint64 procs = lk_swf_job_procs (job);
  guint64 *cause = NULL;
  if (job->run_us <= 0)
    cause = &counts->no_run;
  else if (procs <= 0)
    cause = &counts->no_procs;
  else if (procs > machine_procs)
    cause = &counts->too_large;
  else if (job->submit_us < 0)
    cause = &counts->negative_submit;
  if (cause) {
    *cause += 1;
    return FALSE;
  }
  *out_job = (LkTraceJob){
    .number = job->number,
    .submit_us = job->submit_us,
    .run_us = job->run_us,
    .estimate_us = job->estimate_us > 0 ? job->estimate_us : job->run_us,
    .procs = (guint32)procs,
    .user_id = id_narrow (job->user_id),
    .group_id = id_narrow (job->group_id),
    .partition_id = id_narrow (job->partition_id),
    .status = job->status,
  };
  return TRUE;
}

guint64
lk_clean_counts_total (const LkCleanCounts *counts)
{
  return counts->no_run + counts->no_procs + counts->too_large + counts->negative_submit;
}
