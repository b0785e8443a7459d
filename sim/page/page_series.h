/* sim/page/page_series.h — amounts over time: means over each bin of the page. */
#ifndef LK_SIM_PAGE_SERIES_H
#define LK_SIM_PAGE_SERIES_H

#include "sim/page/page.h"

/* Sums amounts that hold for a time. */
typedef struct {
  const LkPageBins *bins; /* borrowed */
  double *full;           /* amount that comes or goes with a bin */
  double *part;           /* amount times the part of the bin that it holds for */
} LkPageSum;

void lk_page_sum_init (LkPageSum *self, const LkPageBins *bins);
/* `amount` from `from_us` until `until_us`, times of the page. O(1). */
void lk_page_sum_add (LkPageSum *self, gint64 from_us, gint64 until_us, double amount);
/* Returns: (transfer full) the mean of each bin; self is cleared. */
double *lk_page_sum_finish (LkPageSum *self);

/* When a job stops to hold what it has: its end, or the last moment of the run. Times of the page.
 * FALSE: it has not started. */
gboolean lk_page_job_span (const LkPageRun *run, const LkPageJob *job, gint64 *out_start_us,
                           gint64 *out_end_us);

/* Processors in use. */
double *lk_page_series_busy (const LkPage *page, const LkPageRun *run);
/* GPUs in use. */
double *lk_page_series_gpus (const LkPage *page, const LkPageRun *run);
/* Jobs that wait; without those of a job that runs and will be requeued. */
double *lk_page_series_waiting (const LkPage *page, const LkPageRun *run);
/* Processors in use by jobs with this text in this field. */
double *lk_page_series_of (const LkPage *page, const LkPageRun *run, LkPageField field,
                           guint32 name);

#endif
