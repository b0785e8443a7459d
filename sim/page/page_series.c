/* sim/page/page_series.c — see the header. */
#include "sim/page/page_series.h"

void
lk_page_sum_init (LkPageSum *self, const LkPageBins *bins)
{
  self->bins = bins;
  self->full = g_new0 (double, bins->count + 1);
  self->part = g_new0 (double, bins->count + 1);
}

void
lk_page_sum_add (LkPageSum *self, gint64 from_us, gint64 until_us, double amount)
{
  const LkPageBins *bins = self->bins;
  gint64 end_us = bins->begin_us + bins->width_us * bins->count;
  gint64 from = CLAMP (from_us, bins->begin_us, end_us) - bins->begin_us;
  gint64 until = CLAMP (until_us, bins->begin_us, end_us) - bins->begin_us;
  if (until <= from)
    return;
  guint first = (guint)(from / bins->width_us);
  guint last = (guint)(until / bins->width_us);
  double width = (double)bins->width_us;
  /* From the first bin on, less what had not begun; until the last one, and what is left of it. */
  self->full[first] += amount;
  self->full[last] -= amount;
  self->part[first] -= amount * (double)(from % bins->width_us) / width;
  self->part[last] += amount * (double)(until % bins->width_us) / width;
}

double *
lk_page_sum_finish (LkPageSum *self)
{
  double level = 0;
  double *means = g_new (double, self->bins->count);
  for (guint i = 0; i < self->bins->count; i++) {
    level += self->full[i];
    means[i] = MAX (0, level + self->part[i]);
  }
  g_free (self->full);
  g_free (self->part);
  return means;
}

gboolean
lk_page_job_span (const LkPageRun *run, const LkPageJob *job, gint64 *out_start_us,
                  gint64 *out_end_us)
{
  if (job->start_us == LK_TIME_NEVER)
    return FALSE;
  gint64 end_us = job->end_us != LK_TIME_NEVER ? job->end_us : run->end_us;
  *out_start_us = job->start_us + run->shift_us;
  *out_end_us = end_us + run->shift_us;
  return TRUE;
}

double *
lk_page_series_of (const LkPage *page, const LkPageRun *run, LkPageField field, guint32 name)
{
  LkPageSum sum;
  gint64 start_us;
  gint64 end_us;
  lk_page_sum_init (&sum, &page->bins);
  for (guint i = 0; i < run->jobs->len; i++) {
    const LkPageJob *job = lk_page_run_job (run, i);
    if ((field == LK_PAGE_FIELD_COUNT || job->fields[field] == name)
        && lk_page_job_span (run, job, &start_us, &end_us))
      lk_page_sum_add (&sum, start_us, end_us, job->procs);
  }
  return lk_page_sum_finish (&sum);
}

double *
lk_page_series_busy (const LkPage *page, const LkPageRun *run)
{
  return lk_page_series_of (page, run, LK_PAGE_FIELD_COUNT, LK_PAGE_NONE);
}

double *
lk_page_series_gpus (const LkPage *page, const LkPageRun *run)
{
  LkPageSum sum;
  gint64 start_us;
  gint64 end_us;
  lk_page_sum_init (&sum, &page->bins);
  for (guint i = 0; i < run->jobs->len; i++) {
    const LkPageJob *job = lk_page_run_job (run, i);
    if (job->gpus_milli > 0 && lk_page_job_span (run, job, &start_us, &end_us))
      lk_page_sum_add (&sum, start_us, end_us, job->gpus_milli / 1000.0);
  }
  return lk_page_sum_finish (&sum);
}

/* A run that ended with a requeue is part of the time between submission and the last start. In
 * accounting the wait begins anew with each life, and there is nothing to take off. */
static void
add_waiting (LkPageSum *sum, const LkPageRun *run, const LkPageJob *job)
{
  gint64 submit_us = job->submit_us + run->shift_us;
  gint64 start_us = 0;
  gint64 end_us = 0;
  gboolean has_started = lk_page_job_span (run, job, &start_us, &end_us);
  if (!job->is_requeued || run->is_live)
    lk_page_sum_add (sum, submit_us, submit_us + lk_page_job_wait_us (run, job), 1);
  else if (has_started)
    lk_page_sum_add (sum, start_us, end_us, -1);
}

double *
lk_page_series_waiting (const LkPage *page, const LkPageRun *run)
{
  LkPageSum sum;
  lk_page_sum_init (&sum, &page->bins);
  for (guint i = 0; i < run->jobs->len; i++)
    add_waiting (&sum, run, lk_page_run_job (run, i));
  return lk_page_sum_finish (&sum);
}
