/* sim/page/page_grid.c — see the header. */
#include "sim/page/page_grid.h"

#include "sim/page/page_series.h"

/* Adds a place's rows to each row of the grid that it touches, by how much of that it covers. */
static void
add_place (LkPageSum *sums, guint grid_rows, const LkPageRun *run, LkPagePlace place,
           const gint64 span_us[2])
{
  double scale = (double)grid_rows / run->row_count;
  double top = place.first * scale;
  double bottom = (place.first + place.count) * scale;
  for (guint row = (guint)top; row < grid_rows && row < bottom; row++) {
    double part = MIN (bottom, row + 1.0) - MAX (top, row);
    if (part > 0)
      lk_page_sum_add (&sums[row], span_us[0], span_us[1], part);
  }
}

void
lk_page_grid_init (LkPageGrid *self, const LkPage *page, const LkPageRun *run, guint row_limit,
                   guint column_limit)
{
  LkPageBins bins = lk_page_bins (page->clock.begin_us, page->clock.end_us, column_limit);
  self->row_count = MIN (row_limit, MAX (1, run->row_count));
  self->column_count = bins.count;
  self->begin_us = bins.begin_us;
  self->end_us = bins.begin_us + bins.width_us * bins.count;
  self->cells = g_malloc ((gsize)self->row_count * bins.count);
  g_autofree LkPageSum *sums = g_new (LkPageSum, self->row_count);
  for (guint row = 0; row < self->row_count; row++)
    lk_page_sum_init (&sums[row], &bins);
  for (guint i = 0; i < run->jobs->len; i++) {
    const LkPageJob *job = lk_page_run_job (run, i);
    gint64 span_us[2];
    if (!lk_page_job_span (run, job, &span_us[0], &span_us[1]))
      continue;
    for (guint32 k = 0; k < job->place_count; k++)
      add_place (sums, self->row_count, run,
                 g_array_index (run->places, LkPagePlace, job->place_first + k), span_us);
  }
  for (guint row = 0; row < self->row_count; row++) {
    g_autofree double *means = lk_page_sum_finish (&sums[row]);
    /* Several jobs share a node: it is in use, not twice as much. Less than a thousandth is what
     * sums leave behind. */
    for (guint column = 0; column < bins.count; column++)
      self->cells[(gsize)row * bins.count + column] =
          means[column] < 0.001 ? 0 : (guint8)(1 + MIN (1, means[column]) * 254);
  }
}

void
lk_page_grid_clear (LkPageGrid *self)
{
  g_clear_pointer (&self->cells, g_free);
}
