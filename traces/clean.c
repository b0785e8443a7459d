/* traces/clean.c — see traces/clean.h, which states the rules. */
#include "traces/clean.h"

#include "engine/assert.h"
#include "engine/limits.h"
#include "engine/policy.h"

const LkJobRequest lk_no_request;

/* What Slurm plans with for a job without a time limit. */
#define UNLIMITED_US (G_GINT64_CONSTANT (365) * 24 * 3600 * G_USEC_PER_SEC)

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
    .wait_us = job->wait_us >= 0 ? job->wait_us : -1,
    .preceding_number = job->preceding_number > 0 ? job->preceding_number : -1,
    .think_us = job->think_us >= 0 ? job->think_us : -1,
    .has_limit = TRUE, /* by the rule of the format, the run time if there is none */
    .procs = (guint32)procs,
    .user_id = id_narrow (job->user_id),
    .group_id = id_narrow (job->group_id),
    .partition_id = id_narrow (job->partition_id),
    .status = job->status,
    .request = &lk_no_request,
  };
  return TRUE;
}

/* ---------------------------------------------------------------- records */

/* Why the record is no job to replay, or NULL. */
static guint64 *
record_cause (const LkTraceRecord *record, guint32 machine_procs, LkCleanCounts *counts)
{
  gint64 procs_max = machine_procs > 0 ? machine_procs : LK_LIMIT_UNITS;
  if (record->state == LK_RECORD_PENDING)
    return &counts->not_started;
  if (record->state == LK_RECORD_RUNNING && record->end_us < 0)
    return &counts->not_ended;
  if (record->state == LK_RECORD_CANCELLED && record->run_us < 0)
    return &counts->cancelled;
  /* Unlike in an SWF log, a length of 0 is a job that ended in the second in which it began. */
  if (record->run_us < 0)
    return &counts->no_run;
  if (record->procs <= 0)
    return &counts->no_procs;
  if (record->procs > procs_max)
    return &counts->too_large;
  return record->submit_us < 0 ? &counts->negative_submit : NULL;
}

static gint64
record_estimate_us (const LkTraceRecord *record)
{
  if (record->limit_us == LK_TIME_NEVER)
    return MAX (UNLIMITED_US, record->run_us);
  return record->limit_us > 0 ? record->limit_us : MAX (record->run_us, G_USEC_PER_SEC);
}

static gint64
record_wait_us (const LkTraceRecord *record)
{
  gint64 from_us = MAX (record->submit_us, record->eligible_us);
  return record->start_us >= from_us ? record->start_us - from_us : -1;
}

/* In the codes of SWF. */
static gint64
record_status (const LkTraceRecord *record)
{
  switch (record->state) {
  case LK_RECORD_COMPLETED:
    return 1;
  case LK_RECORD_FAILED:
  case LK_RECORD_TIMEOUT:
  case LK_RECORD_NODE_FAIL:
    return 0;
  case LK_RECORD_CANCELLED:
    return 5;
  default:
    return -1;
  }
}

gboolean
lk_record_clean (const LkTraceRecord *record, guint32 machine_procs, LkCleanCounts *counts,
                 LkTraceJob *out_job)
{
  guint64 *cause = record_cause (record, machine_procs, counts);
  if (cause) {
    *cause += 1;
    return FALSE;
  }
  *out_job = (LkTraceJob){
    .number = record->number,
    .submit_us = MAX (record->submit_us, record->eligible_us),
    .run_us = record->run_us,
    .estimate_us = record_estimate_us (record),
    .wait_us = record_wait_us (record),
    .preceding_number = -1,
    .think_us = -1,
    .has_limit = record->limit_us > 0,
    .procs = (guint32)record->procs,
    .user_id = record->user_id,
    .group_id = record->group_id,
    .partition_id = record->partition_id,
    .status = record_status (record),
    .request = &record->request,
    .name = record->name,
    .job_name = record->job_name,
    .terms = record->terms,
  };
  return TRUE;
}

guint64
lk_clean_counts_total (const LkCleanCounts *counts)
{
  return counts->no_run + counts->no_procs + counts->too_large + counts->negative_submit
         + counts->not_started + counts->not_ended + counts->cancelled;
}
