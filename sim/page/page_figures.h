/* sim/page/page_figures.h — the figures of a page: what is in each, and how it is drawn.
 *
 * Figures are made once, with their numbers; each can then be drawn wide or narrow, into a page or
 * as a picture that stands alone. */
#ifndef LK_SIM_PAGE_FIGURES_H
#define LK_SIM_PAGE_FIGURES_H

#include "sim/page/page_classes.h"
#include "sim/page/page_plot.h"

typedef struct _LkPageFigure LkPageFigure;
/* page_sweep.h */
typedef struct _LkPagePanel LkPagePanel;
void lk_page_panel_free (LkPagePanel *self);

struct _LkPageFigure {
  char *name; /* of a file, without its end: letters, digits, '-' */
  char *title;
  char *text;           /* what it shows, in a sentence or two; for readers and screen readers */
  char *unit;           /* of its values */
  gboolean is_chart;    /* the page has an interactive one in its place */
  const LkPageRun *run; /* of one run only; NULL: of all */
  void (*draw) (const LkPage *page, const LkPageFigure *self, LkPlot *plot);
  GPtrArray *labels;  /* of char *: what the colours are */
  GPtrArray *series;  /* of double *, one a label: of a value for each bin of the page, or points */
  GArray *lengths;    /* of guint: how many values or points are in each */
  gboolean is_by_bin; /* the series have a value for each bin */
  gboolean is_dashed_odd; /* lines come in pairs of one colour, the second one dashed */
  double most;            /* of the values */
  GPtrArray *classes;     /* of LkPageClass; NULL: none */
  LkPagePanel *panel;     /* of a sweep; NULL: none */
};

/* Without a name, title, text and unit. Returns: (transfer full). */
LkPageFigure *lk_page_figure_new (void);
void lk_page_figure_free (gpointer self);

/* Returns: (transfer full) of LkPageFigure *. `with_charts`: the charts of jobs, too. */
GPtrArray *lk_page_figures (const LkPage *page, gboolean with_charts);

/* Appends a whole <svg> element. */
void lk_page_figure_draw (const LkPage *page, const LkPageFigure *self, LkPlotSize size,
                          LkPlotStyle style, GString *out);

/* page_draw.c: the ways to draw. */
void lk_page_draw_steps (const LkPage *page, const LkPageFigure *self, LkPlot *plot);
void lk_page_draw_stack (const LkPage *page, const LkPageFigure *self, LkPlot *plot);
void lk_page_draw_lines (const LkPage *page, const LkPageFigure *self, LkPlot *plot);
void lk_page_draw_ecdf (const LkPage *page, const LkPageFigure *self, LkPlot *plot);
void lk_page_draw_boxes (const LkPage *page, const LkPageFigure *self, LkPlot *plot);
void lk_page_draw_chart (const LkPage *page, const LkPageFigure *self, LkPlot *plot);

#endif
