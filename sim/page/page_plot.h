/* sim/page/page_plot.h — pictures in SVG: a frame with axes, and lines, areas, bars in it.
 *
 * Colours are classes (s0 ... s7 for lines, f0 ... f7 for areas); the page's style sheet, or that
 * of a picture that stands alone, says what they are.  All text is escaped. */
#ifndef LK_SIM_PAGE_PLOT_H
#define LK_SIM_PAGE_PLOT_H

#include "sim/page/page_clock.h"

#define LK_PAGE_COLOURS 8u

/* How wide: for a desk, for a hand. */
typedef enum { LK_PLOT_WIDE, LK_PLOT_NARROW, LK_PLOT_SIZE_COUNT } LkPlotSize;
/* In a page; alone, light or dark. */
typedef enum { LK_PLOT_INLINE, LK_PLOT_LIGHT, LK_PLOT_DARK } LkPlotStyle;

typedef struct {
  GString *out;
  LkPlotStyle style;
  LkPlotSize size;
  const char *title;
  const char *text;   /* says in words what is to be seen */
  double height;      /* of all; 0: the usual one */
  double left;        /* room for the labels of rows; 0: for numbers */
  gboolean is_bare;   /* there is no title above the frame */
  guint legend_first; /* the colour of the first one */
  guint legend_count;
  const char *const *legend; /* NULL: none; colours count from `legend_first` */
  double x0, x1;             /* what the frame shows */
  double y0, y1;
  /* Set by lk_plot_begin: the frame. */
  double width;
  double frame_left, frame_right, frame_top, frame_bottom;
} LkPlot;

/* Appends text, escaped for XML and HTML; control characters become U+FFFD. */
void lk_plot_escape (GString *out, const char *text);
/* At most so many characters, with an ellipsis. Returns: (transfer full). */
char *lk_plot_shorten (const char *text, guint count_max);

void lk_plot_begin (LkPlot *self);
void lk_plot_end (LkPlot *self);

double lk_plot_x (const LkPlot *self, double x);
double lk_plot_y (const LkPlot *self, double y);

/* Axes with their marks (freed). `title` below or above the axis. */
void lk_plot_axis_x (LkPlot *self, GArray *ticks, const char *title);
void lk_plot_axis_y (LkPlot *self, GArray *ticks, const char *title);

/* Steps: values[i] holds from x0 + i * step. NaN: a gap. Dashed: a second line of a colour. */
typedef struct {
  const double *values;
  guint count;
  double begin;
  double step;
} LkPlotSteps;
void lk_plot_steps (LkPlot *self, const LkPlotSteps *steps, guint colour, gboolean is_dashed);
/* The area between two; `below` may be NULL: the axis. */
void lk_plot_area (LkPlot *self, const LkPlotSteps *steps, const double *below, guint colour);
/* A line through points, x and y in turn. */
void lk_plot_line (LkPlot *self, const double *points, guint point_count, guint colour,
                   gboolean is_dashed);

/* In pixels. `classes` is ours. */
typedef struct {
  double x, y, width, height;
} LkPlotBox;
void lk_plot_box (LkPlot *self, LkPlotBox box, const char *classes);
void lk_plot_rule (LkPlot *self, LkPlotBox line, const char *classes);
void lk_plot_text (LkPlot *self, double x, double y, const char *anchor, const char *text);

#endif
