/* sim/results.h — what a simulation leaves behind: jobs.csv, results.sqlite and summary.json in
 * one directory; and batsim_jobs.csv, if wanted.
 *
 * All are written under temporary names and renamed when everything is complete,
 * summary.json last: a directory with a summary.json holds one whole run.  On an error, or when
 * the writer is freed before its end, the temporary files are removed and older results stay as
 * they were.  Two runs cannot write to one directory at the same time.
 *
 * Use: lk_results_new, lk_results_add for each job as it ends, lk_results_finish, lk_results_free.
 * Formats: docs/results.md. */
#ifndef LK_SIM_RESULTS_H
#define LK_SIM_RESULTS_H

#include <glib.h>

#include "sim/summary.h"

#define LK_JOB_NAME_MAX_BYTES 63u

typedef struct {
  gint64 job_id; /* its number in the trace */
  gint64 user;   /* -1: unknown, here and below */
  gint64 group;
  gint64 partition;
  guint32 procs;
  gboolean backfilled;
  gboolean killed; /* at its time limit */
  gint64 submit_us;
  gint64 start_us;
  gint64 end_us;
  gint64 estimate_us;
  const char *state;   /* Slurm's word, under 32 bytes; borrowed for the call, as the next two */
  const char *account; /* "" or NULL: none */
  const char *qos;     /* likewise */
  /* What the job ran on, as an interval set of resource numbers ("0-3 7"), for batsim_jobs.csv;
   * NULL: processors of a counted pool. Borrowed for the call. */
  const char *allocated;
  /* As Slurm writes the id of a task or component: "123_4", "123+1"; NULL: the number. Borrowed for
   * the call, at most LK_JOB_NAME_MAX_BYTES. */
  const char *name;
  gboolean requeued; /* a run that ended with a requeue: a row of its own, which counts nowhere */
} LkJobRecord;

typedef struct _LkResults LkResults;

/* `directory` is created if it is missing (its parent is not); NULL: nothing is written, only the
 * summary is made. Texts of `info` are copied. Fails when the directory or a file in it cannot be
 * created. Returns: (transfer full). */
LkResults *lk_results_new (const LkRunInfo *info, const char *directory, GError **error);

/* Writes batsim_jobs.csv too (sim/results_batsim.h), which keeps every job in memory until the end.
 * Before the first job; only where there is a directory. */
void lk_results_want_batsim (LkResults *self);

/* Ends without results unless finish has succeeded. */
void lk_results_free (LkResults *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkResults, lk_results_free)

/* Is it the id of a task or component, as Slurm writes it, and not too long? Others are no ids. */
gboolean lk_job_name_is_id (const char *name);

/* In order of completion. submit <= start <= end. Fails when a file cannot be written. */
gboolean lk_results_add (LkResults *self, const LkJobRecord *record, GError **error);

/* Computes the metrics, completes the files and names them. Texts of `out_summary` are valid as
 * long as self. Fails when a file cannot be written, or warm-up and cool-down leave nothing to
 * measure. */
gboolean lk_results_finish (LkResults *self, const LkRunTotals *totals, LkSummary *out_summary,
                            GError **error);

/* Names of the files in a directory of results. */
#define LK_RESULTS_CSV "jobs.csv"
#define LK_RESULTS_SQLITE "results.sqlite"
#define LK_RESULTS_SUMMARY "summary.json"
#define LK_RESULTS_BATSIM "batsim_jobs.csv"

#endif
