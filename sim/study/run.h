/* sim/study/run.h — runs simulations inside the program, many at a time.
 *
 * A runner holds what runs share: each log is read and decompressed once.  Everything else is a
 * run's own, so that any number of threads may call lk_study_runner_run at once; the same arguments
 * give the same result whatever else runs.
 *
 * A result has the fields of summary.json by their names there ("mean_wait_s",
 * "p95_bounded_slowdown", "utilization", "decision_digest" ...; docs/results.md).  Who needs more
 * than that, such as waits by class, takes each job as it ends (LkStudyJobs).
 *
 *   LkStudyRunner *runner = lk_study_runner_new ();
 *   char **arguments = lk_study_arguments (plan, &choice, &error);
 *   LkStudyResult *result = lk_study_runner_run (runner, arguments, NULL, &error);
 *   double wait_s = lk_study_result_number (result, "mean_wait_s"); */
#ifndef LK_SIM_STUDY_RUN_H
#define LK_SIM_STUDY_RUN_H

#include <glib.h>

#include "sim/results.h"
#include "sim/study/plan.h"
#include "sim/verb_sim.h"

typedef struct _LkStudyRunner LkStudyRunner;
typedef struct _LkStudyResult LkStudyResult;

LkStudyRunner *lk_study_runner_new (void);
/* No run may be under way. */
void lk_study_runner_free (LkStudyRunner *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkStudyRunner, lk_study_runner_free)

/* What a caller wants of a run beside its result; called in the thread of the run. */
typedef struct {
  /* Each run of a job, as it ends (also `record->requeued`, which counts nowhere); NULL: none. */
  void (*job_ended) (gpointer user, const LkJobRecord *record, const LkSimResult *result);
  /* Is the run to be given up? NULL: never. */
  gboolean (*is_stopped) (gpointer user);
  gpointer user;
} LkStudyJobs;

/* Runs a command line of lk_study_arguments. `jobs` may be NULL. Returns: (transfer full). */
LkStudyResult *lk_study_runner_run (LkStudyRunner *self, char *const *arguments,
                                    const LkStudyJobs *jobs, GError **error);

/* Are the options, machine, accounts and policies of a command line such that it could run? */
gboolean lk_study_check (char *const *arguments, GError **error);

/* Hands out the jobs that a command line selects from its log, until `take` says FALSE. */
gboolean lk_study_runner_each (LkStudyRunner *self, char *const *arguments,
                               gboolean (*take) (gpointer user, const LkTraceJob *job),
                               gpointer user, GError **error);

/* When the first job of the choice's log comes, whatever its window; for LkStudyChoice. The log is
 * looked at once. 0 where the window is not in weeks. */
gboolean lk_study_runner_first_submit (LkStudyRunner *self, const LkStudyPlan *plan,
                                       LkStudyChoice *choice, GError **error);

/* The digest of a run's configuration: its arguments, in order of their names, the content of the
 * files that they name, and the version of the engine. */
gboolean lk_study_runner_key (LkStudyRunner *self, char *const *arguments,
                              char out_key[LK_DIGEST_TEXT_BYTES], GError **error);

void lk_study_result_free (LkStudyResult *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkStudyResult, lk_study_result_free)

/* Counts, reals and times (in seconds) of the summary; NaN where a run has none. */
double lk_study_result_number (const LkStudyResult *self, const char *name);
/* Texts of the summary; NULL: no such field. (transfer none). */
const char *lk_study_result_text (const LkStudyResult *self, const char *name);
/* Is there a field of this name, and is it a number? */
gboolean lk_study_result_has_number (const char *name);
/* All names of numbers, NULL-terminated, for messages and suggestions. (transfer container). */
const char **lk_study_result_names (void);
/* What the run took, on the clock; no part of the result, which is the same each time. */
double lk_study_result_wall_s (const LkStudyResult *self);
/* All of it, as lk_summary_fields describe it; texts live as long as self. */
const LkSummary *lk_study_result_summary (const LkStudyResult *self);

/* The fields of a result that are the same each time: all but what the run cost. */
typedef struct {
  const char *name;
  LkSummaryFieldType type;
} LkStudyColumn;
/* (transfer none), `out_count` of them. */
const LkStudyColumn *lk_study_columns (guint *out_count);
/* Their values as text, numbers with as many digits as read back to the same bits; "" where there
 * is none. NULL-terminated, (transfer full). */
char **lk_study_result_texts (const LkStudyResult *self);

/* ---------------------------------------------------------------- all runs of a plan */

/* A run of the plan's product. */
typedef struct {
  guint index; /* in the plan, from 0 */
  LkStudyChoice choice;
  char *point_text; /* "order.weight_age=1000 lead=1d"; "" for none */
  char **arguments;
  char key[LK_DIGEST_TEXT_BYTES];
} LkStudyRun;

/* All of them, by trace, window, policy, point, load, seed, each checked as far as that goes
 * without running it. `plan` must outlive them. Returns: (transfer full) of LkStudyRun; frees its
 * elements. */
GPtrArray *lk_study_runs_new (const LkStudyPlan *plan, LkStudyRunner *runner, GError **error);

/* An argument as a shell takes it. Returns: (transfer full). */
char *lk_study_quote (const char *argument);

#endif
