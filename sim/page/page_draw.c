/* sim/page/page_draw.c — the ways to draw a figure, see page_figures.h. */
#include <math.h>
#include <string.h>

#include "sim/page/page_figures.h"
#include "sim/page/page_grid.h"
#include "sim/page/page_series.h"

#define ROW_PX 15.0
#define APART_PX 170.0
#define APART_MIN 2u
#define CHART_JOBS_MAX 3000u
#define CHART_PX 460.0
#define CHART_COLUMNS 240u
#define CHART_ROWS 100u
#define CHART_LABELS 10u
#define CHART_LABEL_CHARACTERS 9u

static guint
tick_count (const LkPlot *plot)
{
  return plot->size == LK_PLOT_WIDE ? 9 : 5;
}

/* A frame over the page's time, from 0 to a round number above `most`. */
static void
begin_over_time (const LkPage *page, const LkPageFigure *self, LkPlot *plot)
{
  g_autofree char *title = lk_page_clock_title (&page->clock);
  GArray *ticks = lk_page_value_ticks (self->most > 0 ? self->most : 1, 5);
  plot->x0 = (double)page->bins.begin_us;
  plot->x1 = (double)(page->bins.begin_us + page->bins.width_us * page->bins.count);
  plot->y1 = g_array_index (ticks, LkPageTick, ticks->len - 1).at;
  lk_plot_begin (plot);
  lk_plot_axis_y (plot, ticks, self->unit);
  lk_plot_axis_x (
      plot,
      lk_page_clock_ticks (&page->clock, (gint64)plot->x0, (gint64)plot->x1, tick_count (plot)),
      title);
}

static LkPlotSteps
steps_of (const LkPage *page, const double *values)
{
  return (LkPlotSteps){ values, page->bins.count, (double)page->bins.begin_us,
                        (double)page->bins.width_us };
}

/* Pairs of lines have one entry, of the first. */
static void
set_legend (const LkPageFigure *self, LkPlot *plot)
{
  if (self->is_dashed_odd || self->labels->len < 2)
    return;
  plot->legend = (const char *const *)self->labels->pdata;
  plot->legend_count = self->labels->len;
}

/* On a narrow screen more than two lines hide each other: a frame for each, of one scale. */
static void
draw_apart (const LkPage *page, const LkPageFigure *self, LkPlot *plot)
{
  for (guint i = 0; i < self->series->len; i++) {
    LkPlotSteps steps = steps_of (page, g_ptr_array_index (self->series, i));
    plot->height = APART_PX;
    plot->legend = (const char *const *)self->labels->pdata + i;
    plot->legend_first = i;
    plot->legend_count = 1;
    begin_over_time (page, self, plot);
    lk_plot_steps (plot, &steps, i, FALSE);
    lk_plot_end (plot);
  }
}

void
lk_page_draw_steps (const LkPage *page, const LkPageFigure *self, LkPlot *plot)
{
  g_autoptr (GPtrArray) legend = g_ptr_array_new ();
  if (plot->size == LK_PLOT_NARROW && !self->is_dashed_odd && self->series->len > APART_MIN) {
    draw_apart (page, self, plot);
    return;
  }
  set_legend (self, plot);
  if (self->is_dashed_odd) {
    for (guint i = 0; i < page->runs->len; i++)
      if (page->runs->len > 1)
        g_ptr_array_add (legend, lk_page_run (page, i)->label);
    plot->legend = (const char *const *)legend->pdata;
    plot->legend_count = legend->len;
  }
  begin_over_time (page, self, plot);
  for (guint i = 0; i < self->series->len; i++) {
    LkPlotSteps steps = steps_of (page, g_ptr_array_index (self->series, i));
    gboolean is_pair = self->is_dashed_odd;
    lk_plot_steps (plot, &steps, is_pair ? i / 2 : i, is_pair && i % 2 == 1);
  }
  lk_plot_end (plot);
}

void
lk_page_draw_stack (const LkPage *page, const LkPageFigure *self, LkPlot *plot)
{
  guint count = page->bins.count;
  g_autofree double *below = g_new0 (double, count);
  g_autofree double *above = g_new0 (double, count);
  set_legend (self, plot);
  begin_over_time (page, self, plot);
  for (guint i = 0; i < self->series->len; i++) {
    const double *values = g_ptr_array_index (self->series, i);
    for (guint k = 0; k < count; k++)
      above[k] = below[k] + values[k];
    LkPlotSteps steps = steps_of (page, above);
    lk_plot_area (plot, &steps, below, i);
    for (guint k = 0; k < count; k++)
      below[k] = above[k];
  }
  lk_plot_end (plot);
}

static void
draw_lines (const LkPageFigure *self, LkPlot *plot)
{
  for (guint i = 0; i < self->series->len; i++)
    lk_plot_line (plot, g_ptr_array_index (self->series, i),
                  g_array_index (self->lengths, guint, i), i, FALSE);
  lk_plot_end (plot);
}

void
lk_page_draw_lines (const LkPage *page, const LkPageFigure *self, LkPlot *plot)
{
  set_legend (self, plot);
  begin_over_time (page, self, plot);
  draw_lines (self, plot);
}

/* ---------------------------------------------------------------- waits */

/* An axis of waits; sets x0 and x1. */
static GArray *
wait_axis (const LkPageFigure *self, LkPlot *plot)
{
  GArray *ticks = lk_page_wait_ticks ((gint64)self->most);
  plot->x0 = 0;
  plot->x1 = MAX (lk_page_wait_place ((gint64)self->most), g_array_index (ticks, LkPageTick, 1).at);
  return ticks;
}

/* Behind its longest wait a line goes on, so that it is seen where nobody waited. */
static void
draw_ecdf_line (const LkPageFigure *self, LkPlot *plot, guint i)
{
  guint count = g_array_index (self->lengths, guint, i);
  const double *points = g_ptr_array_index (self->series, i);
  if (count == 0)
    return;
  g_autofree double *longer = g_new (double, 2 * (gsize)(count + 1));
  memcpy (longer, points, 2 * count * sizeof (double));
  longer[2 * (gsize)count] = plot->x1;
  longer[2 * (gsize)count + 1] = 100;
  lk_plot_line (plot, longer, count + 1, i, FALSE);
}

void
lk_page_draw_ecdf (const LkPage *page, const LkPageFigure *self, LkPlot *plot)
{
  (void)page;
  set_legend (self, plot);
  GArray *ticks = wait_axis (self, plot);
  plot->y1 = 100;
  lk_plot_begin (plot);
  lk_plot_axis_y (plot, lk_page_value_ticks (100, 5), self->unit);
  lk_plot_axis_x (plot, ticks, "waited at most");
  for (guint i = 0; i < self->series->len; i++)
    draw_ecdf_line (self, plot, i);
  lk_plot_end (plot);
}

/* `top` is where its line of ROW_PX begins. */
static void
draw_box (LkPlot *plot, const LkPageWaits *waits, guint colour, double top)
{
  char filled[12];
  char line[12];
  double middle = top + ROW_PX / 2;
  double x5 = lk_plot_x (plot, lk_page_wait_place (waits->p5_us));
  double x25 = lk_plot_x (plot, lk_page_wait_place (waits->p25_us));
  double x50 = lk_plot_x (plot, lk_page_wait_place (waits->median_us));
  double x75 = lk_plot_x (plot, lk_page_wait_place (waits->p75_us));
  double x95 = lk_plot_x (plot, lk_page_wait_place (waits->p95_us));
  double mean = lk_plot_x (plot, lk_page_wait_place (waits->mean_us));
  if (waits->job_count == 0)
    return;
  g_snprintf (filled, sizeof filled, "area f%u", colour % LK_PAGE_COLOURS);
  g_snprintf (line, sizeof line, "line s%u", colour % LK_PAGE_COLOURS);
  lk_plot_rule (plot, (LkPlotBox){ x5, middle, x95 - x5, 0 }, line);
  lk_plot_box (plot, (LkPlotBox){ x25, top + 3, MAX (1, x75 - x25), ROW_PX - 6 }, filled);
  lk_plot_box (plot, (LkPlotBox){ x50 - 1, top + 1, 2.5, ROW_PX - 2 }, "ink");
  lk_plot_box (plot, (LkPlotBox){ mean - 2.5, middle - 2.5, 5, 5 }, "dot");
}

void
lk_page_draw_boxes (const LkPage *page, const LkPageFigure *self, LkPlot *plot)
{
  guint run_count = page->runs->len;
  double step = ROW_PX * run_count + 8;
  gboolean is_wide = plot->size == LK_PLOT_WIDE;
  set_legend (self, plot);
  plot->is_bare = TRUE;
  plot->left = is_wide ? 230 : 118;
  plot->height = step * self->classes->len + 72;
  GArray *ticks = wait_axis (self, plot);
  lk_plot_begin (plot);
  lk_plot_axis_x (plot, ticks, self->unit);
  for (guint i = 0; i < self->classes->len; i++) {
    const LkPageClass *class = g_ptr_array_index (self->classes, i);
    double top = plot->frame_top + step * i + 4;
    g_autofree char *name = lk_plot_shorten (class->label, is_wide ? 18 : 14);
    g_autofree char *label = is_wide ? g_strdup_printf ("%s (%" G_GUINT64_FORMAT " job%s)", name,
                                                        class->job_count / run_count,
                                                        class->job_count == run_count ? "" : "s")
                                     : g_strdup (name);
    lk_plot_text (plot, plot->frame_left - 8, top + ROW_PX * run_count / 2 + 4, "end", label);
    for (guint run = 0; run < run_count; run++)
      draw_box (plot, &class->waits[run], run, top + ROW_PX * run);
  }
  lk_plot_end (plot);
}

/* ---------------------------------------------------------------- the chart of jobs */

/* Largest first, as they cover what is behind them; then in order of submission. */
typedef struct {
  guint index;
  double area;
} Area;

static gint
compare_areas (gconstpointer a, gconstpointer b)
{
  const Area *x = a;
  const Area *y = b;
  if (x->area > y->area || x->area < y->area)
    return x->area > y->area ? -1 : 1;
  return x->index < y->index ? -1 : x->index > y->index;
}

static void
draw_job (LkPlot *plot, const LkPageRun *run, const LkPageJob *job, guint colour)
{
  gint64 start_us = 0;
  gint64 end_us = 0;
  char classes[8];
  lk_page_job_span (run, job, &start_us, &end_us);
  double x = lk_plot_x (plot, (double)start_us);
  double width = lk_plot_x (plot, (double)end_us) - x;
  g_snprintf (classes, sizeof classes, "f%u", colour % LK_PAGE_COLOURS);
  for (guint32 i = 0; i < job->place_count; i++) {
    const LkPagePlace *place = &g_array_index (run->places, LkPagePlace, job->place_first + i);
    double top = lk_plot_y (plot, (double)run->row_count - place->first);
    double bottom = lk_plot_y (plot, (double)run->row_count - place->first - place->count);
    lk_plot_box (plot, (LkPlotBox){ x, top, width, bottom - top }, classes);
  }
}

/* How much of each cell is in use, in grey. */
static void
draw_shade (const LkPage *page, LkPlot *plot, const LkPageRun *run)
{
  LkPageGrid grid;
  lk_page_grid_init (&grid, page, run, CHART_ROWS, CHART_COLUMNS);
  double width = (plot->frame_right - plot->frame_left) / grid.column_count;
  double height = (plot->frame_bottom - plot->frame_top) / grid.row_count;
  for (guint i = 0; i < grid.row_count * grid.column_count; i++) {
    if (grid.cells[i] == 0)
      continue;
    guint row = i / grid.column_count;
    LkPlotBox box = { plot->frame_left + width * (i % grid.column_count),
                      plot->frame_top + height * row, width, height };
    char classes[24];
    g_snprintf (classes, sizeof classes, "rest g%u", grid.cells[i] / 64u);
    lk_plot_box (plot, box, classes);
  }
  lk_page_grid_clear (&grid);
}

/* 1, 2, 5, 10, 20 ...: the first that makes at most CHART_LABELS of the rows. */
static guint
label_step (guint row_count)
{
  guint step = 1;
  for (guint i = 0; (row_count - 1) / step >= CHART_LABELS; i++)
    step = i % 3 == 1 ? step / 2 * 5 : step * 2;
  return step;
}

/* Next to the middle of some rows: round numbers. */
static void
draw_row_labels (LkPlot *plot, const LkPageRun *run)
{
  guint step = label_step (MAX (1, run->row_count));
  for (guint row = 0; row < run->row_count; row += step) {
    g_autofree char *number = g_strdup_printf ("%u", row);
    g_autofree char *text = lk_plot_shorten (
        run->rows->len > 0 ? g_ptr_array_index (run->rows, row) : number, CHART_LABEL_CHARACTERS);
    lk_plot_text (plot, plot->frame_left - 6,
                  MAX (plot->frame_top + 9, lk_plot_y (plot, run->row_count - row - 0.5) + 4),
                  "end", text);
  }
}

void
lk_page_draw_chart (const LkPage *page, const LkPageFigure *self, LkPlot *plot)
{
  const LkPageRun *run = self->run;
  g_autoptr (GArray) areas = g_array_new (FALSE, FALSE, sizeof (Area));
  g_autofree char *title = lk_page_clock_title (&page->clock);
  for (guint i = 0; i < run->jobs->len; i++) {
    const LkPageJob *job = lk_page_run_job (run, i);
    gint64 start_us = 0;
    gint64 end_us = 0;
    if (!lk_page_job_span (run, job, &start_us, &end_us) || job->place_count == 0)
      continue;
    Area area = { i, (double)job->procs * (double)(end_us - start_us) };
    g_array_append_val (areas, area);
  }
  g_array_sort (areas, compare_areas);
  plot->height = CHART_PX;
  plot->left = 72;
  plot->x0 = (double)page->bins.begin_us;
  plot->x1 = (double)(page->bins.begin_us + page->bins.width_us * page->bins.count);
  plot->y1 = MAX (1, run->row_count);
  lk_plot_begin (plot);
  lk_plot_text (plot, 4, plot->frame_top - 13, "start", self->unit);
  lk_plot_axis_x (
      plot,
      lk_page_clock_ticks (&page->clock, (gint64)plot->x0, (gint64)plot->x1, tick_count (plot)),
      title);
  draw_row_labels (plot, run);
  if (areas->len > CHART_JOBS_MAX)
    draw_shade (page, plot, run);
  for (guint i = 0; i < MIN (areas->len, CHART_JOBS_MAX); i++) {
    guint index = g_array_index (areas, Area, i).index;
    draw_job (plot, run, lk_page_run_job (run, index), index);
  }
  lk_plot_end (plot);
}
