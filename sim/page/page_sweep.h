/* sim/page/page_sweep.h — the page of `lockstep report` about a sweep.
 *
 * A panel is a picture of one metric over one or two axes: a heat map, or lines where only one axis
 * is of numbers.  More axes than that make a panel for each combination of their values. */
#ifndef LK_SIM_PAGE_SWEEP_H
#define LK_SIM_PAGE_SWEEP_H

#include "sim/page/page_figures.h"
#include "sim/study/sweep_results.h"

typedef struct {
  const LkSweepResults *results;
  GPtrArray *figures;   /* of LkPageFigure, by metric */
  GArray *metrics;      /* of guint: the metric of each figure */
  guint left_out_count; /* panels of each metric for which there is no room */
} LkPageSweep;

/* `results` is borrowed for life. */
LkPageSweep *lk_page_sweep_new (const LkSweepResults *results);
void lk_page_sweep_free (LkPageSweep *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkPageSweep, lk_page_sweep_free)

/* Appends the whole file. `title` NULL: the name of the sweep's file. */
void lk_page_sweep_html (const LkPageSweep *self, const char *title, GString *out);

/* ---------------------------------------------------------------- panels */

/* What a panel shows.  Cells are by row; NaN where there is no point. */
struct _LkPagePanel {
  const char *unit;  /* of the values as drawn: "h", "%", "" */
  double scale;      /* from the metric's value to it */
  gboolean is_lines; /* rows are lines over the columns, which are numbers */
  gboolean is_more_better;
  gboolean marks_best; /* not where a condition is drawn, in which the easier one wins */
  char *x_title;
  char *y_title;       /* "" where there is one row without a name */
  GPtrArray *x_labels; /* of char * */
  GPtrArray *y_labels;
  double *x_places; /* of lines: from 0 to 1 */
  double *values;   /* scaled */
};

/* page_heat.c: for LkPageFigure's draw. */
void lk_page_draw_panel (const LkPage *page, const LkPageFigure *self, LkPlot *plot);

#endif
