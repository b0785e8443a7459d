/* sim/metrics.h — the numbers that describe a schedule, from the records of its jobs.
 *
 * Definitions (semantics of the field: Feitelson & Rudolph 1998; Feitelson 2001 for bounded
 * slowdown):
 *   wait              start - submit
 *   bounded slowdown  max (1, (wait + run) / max (run, tau)), tau = 10 s
 *   makespan          last end - first submit, over all jobs
 *   window            [first submit + warmup, last end - cooldown)
 *   utilization       busy processor-seconds inside the window / (processors * window)
 * Waits and slowdowns are taken over the jobs that started in the window.  Percentiles are
 * nearest-rank: the p-th is the value at place ceil (p * n / 100) of n sorted ones; the median is
 * the 50th.
 *
 * Exact, in memory that does not depend on the number of jobs: percentiles come from counting
 * digits in several passes over the spool.  Sums are integers, so that no result depends on the
 * order of the records. */
#ifndef LK_SIM_METRICS_H
#define LK_SIM_METRICS_H

#include <glib.h>

#include "sim/spool.h"

#define LK_METRICS_TAU_US (10 * G_USEC_PER_SEC)

typedef struct {
  guint64 procs; /* of the machine */
  gint64 warmup_us;
  gint64 cooldown_us;
} LkMetricsOptions;

/* Where `jobs_measured` is 0 the waits and slowdowns are NaN; without any job all times are 0 and
 * utilization is NaN. */
typedef struct {
  guint64 jobs;          /* that ran */
  guint64 jobs_measured; /* of them, those that started in the window */
  double mean_wait_s;
  double median_wait_s;
  double p95_wait_s;
  double max_wait_s;
  double mean_bounded_slowdown;
  double median_bounded_slowdown;
  double p95_bounded_slowdown;
  gint64 makespan_us;
  gint64 window_begin_us;
  gint64 window_end_us;
  double utilization;
} LkMetrics;

/* Fails when the spool cannot be read back, or when warm-up and cool-down leave no window. */
gboolean lk_metrics_compute (LkSpool *spool, const LkMetricsOptions *options,
                             LkMetrics *out_metrics, GError **error);

/* One job's bounded slowdown. `run_us` >= 0, `wait_us` >= 0, `tau_us` > 0. */
static inline double
lk_bounded_slowdown (gint64 wait_us, gint64 run_us, gint64 tau_us)
{
  double slowdown = ((double)wait_us + (double)run_us) / (double)MAX (run_us, tau_us);
  return MAX (slowdown, 1.0);
}

/* What to say of a run in which no job waits: policies make no difference in it. */
#define LK_NOBODY_WAITS                                                                            \
  "No job waits: the machine is large enough for this load, so policies make no difference.\n"     \
  "--scale-load 1.5 of lockstep sim submits the jobs in two thirds of the time."

#endif
