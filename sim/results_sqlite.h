/* sim/results_sqlite.h — results as a database: one row a run, one row a job.
 *
 * Table `run` holds the summary, table `job_record` the jobs with times in integer microseconds,
 * view `job` the same jobs under the names and in the units of jobs.csv, with the run's `run_id`.
 * A file written by a simulation holds one run; a merged one holds several; the schema is the
 * same.  See docs/results.md for joining files with ATTACH. */
#ifndef LK_SIM_RESULTS_SQLITE_H
#define LK_SIM_RESULTS_SQLITE_H

#include <glib.h>

#include "sim/results.h"

/* ---------------------------------------------------------------- writing one run */

typedef struct _LkResultsSqlite LkResultsSqlite;

/* Replaces the file. Returns: (transfer full). */
LkResultsSqlite *lk_results_sqlite_new (const char *path, GError **error);
/* Closes; does not remove. Without commit the file is not a database of results. */
void lk_results_sqlite_free (LkResultsSqlite *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkResultsSqlite, lk_results_sqlite_free)

gboolean lk_results_sqlite_add (LkResultsSqlite *self, const LkJobRecord *record, GError **error);
/* Makes the indexes; to be called once behind the last job. */
gboolean lk_results_sqlite_index (LkResultsSqlite *self, GError **error);
/* Adds the run and completes the file. */
gboolean lk_results_sqlite_commit (LkResultsSqlite *self, const LkSummary *summary, GError **error);

/* Adds all runs and jobs of another file of results; a run_id that is taken gets "#2", "#3" ...
 * appended. */
gboolean lk_results_sqlite_merge (LkResultsSqlite *self, const char *path, GError **error);
/* Completes a merged file. */
gboolean lk_results_sqlite_merge_end (LkResultsSqlite *self, GError **error);

/* ---------------------------------------------------------------- reading one run */

typedef struct _LkResultsReader LkResultsReader;

/* Fails when the file cannot be opened or is not what lk_results_sqlite_commit writes. Returns:
 * (transfer full). */
LkResultsReader *lk_results_reader_new (const char *path, GError **error);
void lk_results_reader_free (LkResultsReader *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkResultsReader, lk_results_reader_free)

/* Texts are valid as long as self. (transfer none). */
const LkSummary *lk_results_reader_summary (const LkResultsReader *self);

typedef struct {
  gint64 job_id;
  char name[LK_JOB_NAME_MAX_BYTES + 1]; /* "": its id is the number */
  gint64 user;
  gint64 group;
  gint64 partition;
  guint64 procs;
  gint64 submit_us;
  gint64 start_us;
  gint64 end_us;
  const char *account; /* "": none; lives as long as the reader, and so does the next one */
  const char *qos;
} LkResultsStart;

/* Jobs by job id, those with a name behind all others, submit time, and order of completion. 1:
 * filled, 0: no more, -1: error. */
int lk_results_reader_next (LkResultsReader *self, LkResultsStart *out_start, GError **error);
/* Back to the first job. */
void lk_results_reader_rewind (LkResultsReader *self);

#endif
