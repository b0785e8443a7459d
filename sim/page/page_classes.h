/* sim/page/page_classes.h — waits by class of job: size, GPUs, user, account, QOS, partition.
 *
 * Of each class and run the distribution of the waits of the jobs that have started, requeued runs
 * aside: nearest-rank percentiles, as in sim/metrics.h. */
#ifndef LK_SIM_PAGE_CLASSES_H
#define LK_SIM_PAGE_CLASSES_H

#include "sim/page/page.h"

/* What classes are made by: the fields of a job, and: */
#define LK_PAGE_BY_SIZE LK_PAGE_FIELD_COUNT
#define LK_PAGE_BY_GPUS (LK_PAGE_FIELD_COUNT + 1)
#define LK_PAGE_BY_COUNT (LK_PAGE_FIELD_COUNT + 2)

#define LK_PAGE_CLASSES_MAX 10u /* of users and the like: those with most jobs */

/* Waits of a class in one run. */
typedef struct {
  guint64 job_count; /* 0: all others are 0 */
  gint64 p5_us;
  gint64 p25_us;
  gint64 median_us;
  gint64 p75_us;
  gint64 p95_us;
  gint64 mean_us;
} LkPageWaits;

typedef struct {
  char *label;
  guint64 job_count; /* of all runs */
  LkPageWaits waits[LK_PAGE_RUNS_MAX];
} LkPageClass;

/* Sizes in order; others by falling number of jobs, then by name. Returns: (transfer full) of
 * LkPageClass*; NULL where there are not two classes. `out_left_count`: classes beyond the first
 * LK_PAGE_CLASSES_MAX, which are not in it. */
GPtrArray *lk_page_classes (const LkPage *page, guint by, guint *out_left_count);

/* Waits of a run, sorted. Returns: (transfer full) of gint64. */
GArray *lk_page_waits_sorted (const LkPageRun *run);
/* The p-th percentile (1 to 100) of sorted waits; 0 of none. */
gint64 lk_page_percentile (const GArray *waits, guint p);

#endif
