/* traces/generate.c — see generate.h. */
#include "traces/generate.h"

#include <math.h>

#include "engine/assert.h"
#include "traces/generate_private.h"
#include "traces/reader_private.h"

#define FIT_COUNT_MAX 6u
#define FIT_ERROR_RATIO 0.001
#define SCALE_MIN_RATIO 1e-9
#define SCALE_MAX_RATIO 1e9

void
lk_generator_free (LkGenerator *self)
{
  if (self != NULL)
    self->ops->free (self);
}

void
lk_generator_restart (LkGenerator *self, double gap_scale_ratio)
{
  LK_ASSERT (gap_scale_ratio > 0);
  self->last_number = 0;
  self->ops->restart (self, gap_scale_ratio);
}

gboolean
lk_generator_next (LkGenerator *self, LkTraceRecord *out_record)
{
  LkTraceRecord record;
  lk_record_init (&record);
  record.number = self->last_number + 1;
  if (!self->ops->next (self, &record))
    return FALSE;
  self->last_number = record.number;
  *out_record = record;
  return TRUE;
}

guint64
lk_generator_procs (const LkGenerator *self)
{
  return self->procs;
}

gint64
lk_generator_unix_start_s (const LkGenerator *self)
{
  return self->unix_start_s;
}

/* ---------------------------------------------------------------- load */

void
lk_generator_measure (LkGenerator *self, double gap_scale_ratio, const LkGenerateLimits *limits,
                      LkGenerateSums *out_sums)
{
  LkGenerateSums sums = { 0 };
  LkTraceRecord record;
  lk_generator_restart (self, gap_scale_ratio);
  while (sums.job_count < limits->job_max_count && lk_generator_next (self, &record)
         && record.submit_us < limits->submit_end_us) {
    if (sums.job_count++ == 0)
      sums.submit_first_us = record.submit_us;
    sums.submit_last_us = record.submit_us;
    if (record.run_us > 0 && record.procs > 0)
      sums.work_s += (double)record.run_us / G_USEC_PER_SEC * (double)record.procs;
  }
  *out_sums = sums;
}

double
lk_generate_load_ratio (const LkGenerator *self, const LkGenerateSums *sums)
{
  double span_s = (double)(sums->submit_last_us - sums->submit_first_us) / G_USEC_PER_SEC;
  return span_s > 0 && self->procs > 0 ? sums->work_s / (span_s * (double)self->procs) : 0;
}

gboolean
lk_generator_fit (LkGenerator *self, double load_ratio, const LkGenerateLimits *limits,
                  double *out_gap_scale_ratio, GError **error)
{
  double scale = 1;
  LK_ASSERT (load_ratio > 0);
  LK_ASSERT (self->procs > 0);
  /* Stretching by what is missing is exact but for the daily cycle and the jobs that a fixed end
   * lets in or leaves out. */
  for (guint i = 0; i < FIT_COUNT_MAX; i++) {
    LkGenerateSums sums;
    lk_generator_measure (self, scale, limits, &sums);
    double found = lk_generate_load_ratio (self, &sums);
    double better = scale * found / load_ratio;
    if (!(better > SCALE_MIN_RATIO && better < SCALE_MAX_RATIO)) {
      g_set_error (error, LK_TRACE_ERROR, LK_TRACE_ERROR_EMPTY,
                   "cannot give the log a load: its %" G_GUINT64_FORMAT
                   " jobs have no work, or all come at one moment; expected more jobs",
                   sums.job_count);
      return FALSE;
    }
    if (fabs (found / load_ratio - 1) < FIT_ERROR_RATIO)
      break;
    scale = better;
  }
  *out_gap_scale_ratio = scale;
  return TRUE;
}
