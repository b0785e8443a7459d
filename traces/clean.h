/* traces/clean.h — the cleaning that is the same for every policy: from a line of a log to a job
 * that can be replayed.
 *
 * Of an SWF line:
 *
 * processors  field 8 (requested) if > 0, else field 5 (allocated)
 * run time    field 4
 * estimate    field 9 (requested time) if > 0, else the run time
 * dropped     run <= 0; processors <= 0; processors > machine; submit < 0; tested in this order,
 *             one cause a job
 *
 * Of a record of any format:
 *
 * submit      when the job became eligible, if that was after it was submitted: a log does not say
 *             what it waited for before (a dependency, a begin time, a hold)
 * processors, run time   as the record has them
 * estimate    the time limit, else the run time; without limit: 365 days, as Slurm plans, or the
 *             run time if that is more
 * dropped     waiting or running when the log was written; cancelled before it started; run
 * unknown;
 *             processors <= 0; processors > machine, where the machine is known; submit < 0; tested
 *             in this order, one cause a job
 *
 * Not here: which jobs are asked for (traces/source.h), and the limit that ends a job at its
 * estimate. */
#ifndef LK_TRACES_CLEAN_H
#define LK_TRACES_CLEAN_H

#include <glib.h>

#include "traces/record.h"
#include "traces/swf.h"

typedef struct {
  gint64 number;           /* the job's own in its log; need not be unique */
  gint64 submit_us;        /* >= 0 */
  gint64 run_us;           /* > 0 */
  gint64 estimate_us;      /* > 0; may be less than the run time */
  gint64 wait_us;          /* in the log; -1 unknown */
  gint64 preceding_number; /* SWF field 17: the job before it; -1 unknown */
  gint64 think_us;         /* field 18: since that ended; -1 unknown */
  gboolean has_limit;      /* the log gives a time limit; else the estimate is the run time */
  guint32 procs;           /* 1 to the machine's, where that is known, else to LK_LIMIT_UNITS */
  guint32 user_id; /* this and the next two: 0 for unknown, and for what does not fit 32 bits */
  guint32 group_id;
  guint32 partition_id;
  gint64 status; /* as field 11 of SWF; -1 unknown */
  const LkJobRequest
      *request;            /* never NULL; of SWF an empty one. As long-lived as what it is from */
  const char *name;        /* as the log writes it, where it is not the number; else NULL */
  const char *job_name;    /* that its user gave it; NULL: unknown */
  const LkJobTerms *terms; /* as in the record; NULL: none. As long-lived as what it is from */
} LkTraceJob;

/* Asks for nothing. */
extern const LkJobRequest lk_no_request;

/* Jobs dropped, by cause. */
typedef struct {
  guint64 no_run;
  guint64 no_procs;
  guint64 too_large;
  guint64 negative_submit;
  /* These three not in SWF. */
  guint64 not_started; /* was waiting when the log was written */
  guint64 not_ended;   /* was running */
  guint64 cancelled;   /* before it started */
} LkCleanCounts;

/* TRUE: the job is kept and `out_job` filled. FALSE: it is dropped, one of `counts` goes up by one
 * and `out_job` is untouched. `machine_procs` >= 1. */
gboolean lk_swf_job_clean (const LkSwfJob *job, guint32 machine_procs, LkCleanCounts *counts,
                           LkTraceJob *out_job);

/* The same for a record; `machine_procs` 0: not known. */
gboolean lk_record_clean (const LkTraceRecord *record, guint32 machine_procs, LkCleanCounts *counts,
                          LkTraceJob *out_job);

/* Processors that the cleaning goes by; <= 0 when the log does not say. */
gint64 lk_swf_job_procs (const LkSwfJob *job);

guint64 lk_clean_counts_total (const LkCleanCounts *counts);

#endif
