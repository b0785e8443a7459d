/* sim/page/page_heat.c — draws the panels of a sweep: heat maps and lines. See page_sweep.h. */
#include <math.h>
#include <string.h>

#include "sim/page/page_sweep.h"

#define CELL_PX 30.0
#define CHARACTER_PX 7.0
#define SHADES 10u
#define LABEL_MAX_PX 190.0
#define LABEL_NARROW_MAX_PX 104.0
#define DOT_PX 5.0
#define LINES_LABELS_MAX 9u
#define LEAST_STEPS 8 /* so many values of a panel look different */
#define DECIMALS_MAX 3

/* The best and the worst value of a panel; NaN: it has none. */
typedef struct {
  double best;
  double worst;
} Range;

static Range
range_of (const LkPagePanel *panel)
{
  Range range = { NAN, NAN };
  for (guint i = 0; i < panel->x_labels->len * panel->y_labels->len; i++) {
    double value = panel->is_more_better ? -panel->values[i] : panel->values[i];
    if (isnan (value))
      continue;
    if (!(value >= range.best))
      range.best = value;
    if (!(value <= range.worst))
      range.worst = value;
  }
  if (panel->is_more_better)
    range = (Range){ -range.best, -range.worst };
  return range;
}

/* 0 for the worst, SHADES - 1 for the best. */
static guint
shade_of (const Range *range, double value)
{
  double width = range->best - range->worst;
  double part = fabs (width) > 0 ? (value - range->worst) / width : 1;
  return (guint)CLAMP (part * SHADES, 0, SHADES - 1);
}

static gboolean
is_equal (double a, double b)
{
  return a <= b && a >= b;
}

/* Three digits of the largest value, and more where the values differ by less. */
static int
decimals_of (const Range *range)
{
  double most = MAX (fabs (range->best), fabs (range->worst));
  double step = fabs (range->best - range->worst) / LEAST_STEPS;
  int decimals = most >= 99.95 ? 0 : most >= 9.995 ? 1 : 2;
  int needed = 0;
  for (; step > 0 && step < 1 && needed < DECIMALS_MAX; step *= 10)
    needed++;
  return MAX (decimals, needed);
}

static double
longest_px (const GPtrArray *labels)
{
  glong longest = 0;
  for (guint i = 0; i < labels->len; i++)
    longest = MAX (longest, g_utf8_strlen (g_ptr_array_index (labels, i), -1));
  return CHARACTER_PX * (double)longest;
}

/* ---------------------------------------------------------------- heat maps */

static void
draw_cell (LkPlot *plot, const LkPlotBox *box, const Range *range, double value, gboolean is_marked)
{
  char classes[16];
  char text[LK_PAGE_NUMBER_BYTES];
  if (isnan (value))
    return;
  g_snprintf (classes, sizeof classes, "f0 h%u", shade_of (range, value));
  lk_plot_box (plot, *box, classes);
  if (is_equal (value, range->best) && is_marked)
    lk_plot_box (plot, (LkPlotBox){ box->x + 1, box->y + 1, box->width - 2, box->height - 2 },
                 "mark");
  int decimals = decimals_of (range);
  do
    lk_page_number (value, decimals, text);
  while (CHARACTER_PX * (double)strlen (text) > box->width && decimals-- > 0);
  if (CHARACTER_PX * (double)strlen (text) <= box->width)
    lk_plot_text (plot, box->x + box->width / 2, box->y + box->height / 2 + 4, "middle", text);
}

/* As many as have room without touching. */
static void
draw_x_labels (LkPlot *plot, const LkPagePanel *panel, double width)
{
  guint characters = (guint)MAX (2, width * (panel->x_labels->len > 4 ? 1 : 2) / CHARACTER_PX);
  double last_end = -HUGE_VAL;
  for (guint i = 0; i < panel->x_labels->len; i++) {
    g_autofree char *label =
        lk_plot_shorten (g_ptr_array_index (panel->x_labels, i), MAX (characters, 5));
    double half = CHARACTER_PX / 2 * (double)g_utf8_strlen (label, -1);
    double x = plot->frame_left + width * (i + 0.5);
    if (x - half < last_end || x + half > plot->width)
      continue;
    lk_plot_text (plot, x, plot->frame_bottom + 16, "middle", label);
    last_end = x + half + 4;
  }
}

static void
draw_heat (const LkPagePanel *panel, LkPlot *plot)
{
  guint column_count = panel->x_labels->len;
  guint row_count = panel->y_labels->len;
  Range range = range_of (panel);
  double label_max = plot->size == LK_PLOT_WIDE ? LABEL_MAX_PX : LABEL_NARROW_MAX_PX;
  double label_px = MIN (longest_px (panel->y_labels), label_max);
  plot->left = label_px + 14;
  plot->height = CELL_PX * row_count + 72;
  lk_plot_begin (plot);
  double width = (plot->frame_right - plot->frame_left) / column_count;
  for (guint row = 0; row < row_count; row++) {
    double top = plot->frame_top + CELL_PX * row;
    g_autofree char *label = lk_plot_shorten (g_ptr_array_index (panel->y_labels, row),
                                              (guint)(label_max / CHARACTER_PX));
    lk_plot_text (plot, plot->frame_left - 6, top + CELL_PX / 2 + 4, "end", label);
    for (guint column = 0; column < column_count; column++) {
      LkPlotBox box = { plot->frame_left + width * column, top, width - 1, CELL_PX - 1 };
      draw_cell (plot, &box, &range, panel->values[row * column_count + column], panel->marks_best);
    }
  }
  draw_x_labels (plot, panel, width);
  lk_plot_text (plot, 4, plot->frame_top - 13, "start", panel->y_title);
  lk_plot_text (plot, (plot->frame_left + plot->frame_right) / 2, plot->frame_bottom + 34, "middle",
                panel->x_title);
  lk_plot_end (plot);
}

/* ---------------------------------------------------------------- lines */

static GArray *
x_ticks (const LkPagePanel *panel)
{
  GArray *ticks = g_array_new (FALSE, TRUE, sizeof (LkPageTick));
  guint step = (panel->x_labels->len - 1) / LINES_LABELS_MAX + 1;
  for (guint i = 0; i < panel->x_labels->len; i += step) {
    LkPageTick tick = { .at = panel->x_places[i] };
    g_strlcpy (tick.text, g_ptr_array_index (panel->x_labels, i), sizeof tick.text);
    g_array_append_val (ticks, tick);
  }
  return ticks;
}

static void
draw_line (const LkPagePanel *panel, LkPlot *plot, guint row, const Range *range)
{
  guint count = panel->x_labels->len;
  const double *values = panel->values + (gsize)row * count;
  g_autofree double *points = g_new (double, 2 * (gsize)count);
  char classes[8];
  g_snprintf (classes, sizeof classes, "f%u", row % LK_PAGE_COLOURS);
  for (guint i = 0; i < count; i++) {
    points[2 * i] = panel->x_places[i];
    points[2 * i + 1] = values[i];
  }
  lk_plot_line (plot, points, count, row, FALSE);
  for (guint i = 0; i < count; i++) {
    if (isnan (values[i]))
      continue;
    gboolean is_best = panel->marks_best && is_equal (values[i], range->best);
    double size = is_best ? 2 * DOT_PX : DOT_PX;
    LkPlotBox box = { lk_plot_x (plot, panel->x_places[i]) - size / 2,
                      lk_plot_y (plot, values[i]) - size / 2, size, size };
    lk_plot_box (plot, box, classes);
  }
}

static void
draw_lines (const LkPagePanel *panel, LkPlot *plot)
{
  Range range = range_of (panel);
  double most = MAX (range.best, range.worst);
  GArray *ticks = lk_page_value_ticks (most > 0 ? most : 1, 5);
  plot->x0 = -0.02;
  plot->x1 = 1.02;
  plot->y1 = g_array_index (ticks, LkPageTick, ticks->len - 1).at;
  if (panel->y_labels->len > 1) {
    plot->legend = (const char *const *)panel->y_labels->pdata;
    plot->legend_count = panel->y_labels->len;
  }
  lk_plot_begin (plot);
  lk_plot_axis_y (plot, ticks, panel->unit);
  lk_plot_axis_x (plot, x_ticks (panel), panel->x_title);
  for (guint row = 0; row < panel->y_labels->len; row++)
    draw_line (panel, plot, row, &range);
  lk_plot_end (plot);
}

void
lk_page_draw_panel (const LkPage *page, const LkPageFigure *self, LkPlot *plot)
{
  (void)page;
  if (self->panel->is_lines)
    draw_lines (self->panel, plot);
  else
    draw_heat (self->panel, plot);
}
