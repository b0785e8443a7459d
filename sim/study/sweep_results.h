/* sim/study/sweep_results.h — the results of a sweep by what its plan varies, for tables and pages.
 *
 * An axis is what has at least two values in the plan.  Policies and parameters are choices: which
 * value is best?  Log and load are conditions: the best choice is told for each of them.  Windows
 * and seeds are repetitions: a point has the mean over them, and is compared with the best point of
 * its condition in pairs of the same window and seed (Student's interval, see
 * sim/statistics/interval.h). */
#ifndef LK_SIM_STUDY_SWEEP_RESULTS_H
#define LK_SIM_STUDY_SWEEP_RESULTS_H

#include <glib.h>

#include "sim/statistics/interval.h"

#define LK_SWEEP_NONE G_MAXUINT /* a value that a point does not have */

/* X (NAME, column of view run, text, is a time in seconds, factor, more is better). */
#define LK_SWEEP_METRICS(X)                                                                        \
  X (WAIT_MEAN, "mean_wait_s", "Mean wait", TRUE, 1, FALSE)                                        \
  X (WAIT_P95, "p95_wait_s", "95th percentile wait", TRUE, 1, FALSE)                               \
  X (SLOWDOWN_MEAN, "mean_bounded_slowdown", "Mean bounded slowdown", FALSE, 1, FALSE)             \
  X (UTILIZATION, "utilization", "Utilization", FALSE, 100, TRUE)

typedef enum {
#define X(NAME, column, text, is_time, factor, is_more_better) LK_SWEEP_##NAME,
  LK_SWEEP_METRICS (X)
#undef X
      LK_SWEEP_METRIC_COUNT
} LkSweepMetric;

typedef struct {
  const char *column;
  const char *text;
  gboolean is_time;
  double factor; /* from the column to what is shown */
  gboolean is_more_better;
} LkSweepMetricInfo;
extern const LkSweepMetricInfo lk_sweep_metrics[LK_SWEEP_METRIC_COUNT];

typedef struct {
  char *name;        /* "policy", "load", "backfill.reservations" */
  GPtrArray *values; /* of char *: numbers by size, else in the order of the plan */
  gboolean is_number;
  gboolean is_condition;
} LkSweepAxis;

typedef struct {
  guint *places;                       /* of its value on each axis, or LK_SWEEP_NONE */
  guint condition;                     /* points with the same conditions have the same number */
  guint run_count;                     /* windows and seeds with a result */
  double means[LK_SWEEP_METRIC_COUNT]; /* as shown, over those; NaN: there is none */
  gboolean is_best[LK_SWEEP_METRIC_COUNT];
  /* Against the best point of its condition: here - best. */
  LkInterval from_best[LK_SWEEP_METRIC_COUNT];
} LkSweepPoint;

typedef struct {
  char *path;
  GPtrArray *axes;   /* of LkSweepAxis */
  GPtrArray *points; /* of LkSweepPoint, in the order of the plan */
  guint condition_count;
  guint repetition_count; /* windows times seeds that the plan has */
  guint plan_count;       /* runs of the plan */
  guint result_count;     /* of them with a result */
  guint high_load_count;  /* open loops at a load at which waits mean little */
} LkSweepResults;

/* Is it a file that `lockstep sweep -o` has written? TRUE also for a file whose content cannot be
 * read at all: lk_sweep_results_open says why. */
gboolean lk_sweep_results_is_file (const char *path);

/* LK_SIM_ERROR_FORMAT when it is something else, or has no result. Returns: (transfer full). */
LkSweepResults *lk_sweep_results_open (const char *path, double level_ratio, GError **error);
void lk_sweep_results_free (LkSweepResults *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkSweepResults, lk_sweep_results_free)

/* "policy sjf, reservations 1"; only choices or only conditions; "" for none. Returns:
 * (transfer full). */
char *lk_sweep_point_text (const LkSweepResults *self, const LkSweepPoint *point,
                           gboolean conditions);

/* A value with its unit: "1 h 53 min", "92.7", "69.7 %". Returns: (transfer full). */
char *lk_sweep_value_text (LkSweepMetric metric, double value);

/* The points of a condition by mean wait, the best first. Returns: (transfer full) of guint. */
GArray *lk_sweep_rank (const LkSweepResults *self, guint condition);

/* How much longer its mean wait is than the best one: "best", "+9 min 16 s to +27 min 2 s", or the
 * difference alone where there is no interval. Returns: (transfer full). */
char *lk_sweep_interval_text (const LkSweepPoint *point);

/* In sentences, without line breaks between them: the point with the least mean wait in each
 * condition, by how much, and how many others are not shown to differ. Appends one string for each.
 * Returns: (transfer full) of char *. */
GPtrArray *lk_sweep_verdicts (const LkSweepResults *self);

/* sweep_show.c: for people, and for programs. */
void lk_sweep_table (const LkSweepResults *self, GString *out);
void lk_sweep_csv (const LkSweepResults *self, GString *out);
void lk_sweep_json (const LkSweepResults *self, GString *out);

#endif
