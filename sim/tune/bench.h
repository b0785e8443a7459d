/* sim/tune/bench.h — runs points of a search in the windows of a plan, and measures them.
 *
 * A case is a log in a window, at a load level, with a seed.  Simulations of many points and cases
 * run at once in threads; what comes out does not depend on how many there are.  Each starts with
 * an empty machine. */
#ifndef LK_SIM_TUNE_BENCH_H
#define LK_SIM_TUNE_BENCH_H

#include "sim/statistics/interval.h"
#include "sim/study/run.h"
#include "sim/tune/goal.h"

typedef struct _LkTuneBench LkTuneBench;
typedef struct _LkTuneOutcome LkTuneOutcome;

/* Both are borrowed for life. Reads the logs as far as that is needed to find the weeks. Returns:
 * (transfer full). */
LkTuneBench *lk_tune_bench_new (const LkStudyPlan *plan, const LkTuneGoals *goals,
                                guint thread_count, GError **error);
void lk_tune_bench_free (LkTuneBench *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkTuneBench, lk_tune_bench_free)

guint lk_tune_bench_case_count (const LkTuneBench *self, gboolean is_training);

/* Runs `count` points, of GPtrArray of LkStudySetting, NULL for the present settings, in all
 * training cases, or in all that are held out. Fills `out_outcomes`, (transfer full) each. Fails
 * with the error of a run that does; the others are then given up. */
gboolean lk_tune_bench_run (LkTuneBench *self, const GPtrArray *const *points, guint count,
                            gboolean is_training, LkTuneOutcome **out_outcomes, GError **error);
/* The command line of `lockstep sim` in the first case. (transfer full). */
char **lk_tune_bench_arguments (const LkTuneBench *self, const GPtrArray *point,
                                gboolean is_training, GError **error);

/* The weighted factors of priorities that were the same for all jobs in every run so far in which
 * they had a weight. */
guint32 lk_tune_bench_constant_factors (const LkTuneBench *self);
gboolean lk_tune_bench_has_accounts (const LkTuneBench *self);

void lk_tune_outcome_free (LkTuneOutcome *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkTuneOutcome, lk_tune_outcome_free)

/* Over all cases; NaN: there is none, as where no job is of the class. */
double lk_tune_outcome_value (const LkTuneOutcome *self, const LkTuneGoal *goal);

typedef struct {
  LkInterval interval;
  LkVerdict verdict;
} LkTuneDifference;

/* How sure the difference of `here` from `present` is, in the same cases: job by job in blocks of
 * time; of measures of whole runs window by window. Cases of one log and window, at other loads or
 * with other seeds, are drawn together. */
void lk_tune_outcome_compare (const LkTuneBench *self, const LkTuneOutcome *present,
                              const LkTuneOutcome *here, const LkTuneGoal *goal,
                              const LkIntervalOptions *options, LkTuneDifference *out_difference);

#endif
