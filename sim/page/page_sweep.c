/* sim/page/page_sweep.c — which panels a sweep has, and the page about them. See page_sweep.h. */
#include "sim/page/page_sweep.h"

#include <math.h>
#include <string.h>

#include "sim/page/page_html.h"

#define PANELS_MAX 12u
#define COLUMNS_MAX 16u
#define RANGES 10u
#define LINES_MAX LK_PAGE_COLOURS
#define ROWS_MAX 200u

/* What is drawn along x and y, by number of axis; LK_SWEEP_NONE: nothing. */
typedef struct {
  guint x;
  guint y;
  gboolean is_lines;
} Layout;

/* Switches between light and dark; the theme of a page of runs is in page.js. */
static const char script[] =
    "<script>\n\"use strict\";\n(() => {\n"
    "const root = document.documentElement, button = document.getElementById(\"theme\");\n"
    "const media = matchMedia(\"(prefers-color-scheme: dark)\");\n"
    "const isDark = () => root.dataset.theme ? root.dataset.theme === \"dark\" : media.matches;\n"
    "const show = () => { button.textContent = isDark() ? \"Light\" : \"Dark\"; "
    "button.setAttribute(\"aria-label\", isDark() ? \"Use light colours\" : \"Use dark colours\"); "
    "};\n"
    "button.addEventListener(\"click\", () => { root.dataset.theme = isDark() ? \"light\" : "
    "\"dark\"; show(); });\n"
    "media.addEventListener(\"change\", show);\nshow();\n})();\n</script>\n";

static const LkSweepAxis *
axis_at (const LkSweepResults *self, guint index)
{
  return g_ptr_array_index (self->axes, index);
}

static const LkSweepPoint *
point_at (const LkSweepResults *self, guint index)
{
  return g_ptr_array_index (self->points, index);
}

/* ---------------------------------------------------------------- what goes where */

/* Choices come before conditions, numbers before names, many values before few. */
static gboolean
goes_before (const LkSweepAxis *a, const LkSweepAxis *b)
{
  if (a->is_condition != b->is_condition)
    return b->is_condition;
  if (a->is_number != b->is_number)
    return a->is_number;
  return a->values->len > b->values->len;
}

static guint
first_axis (const LkSweepResults *self, guint but)
{
  guint found = LK_SWEEP_NONE;
  for (guint i = 0; i < self->axes->len; i++)
    if (i != but
        && (found == LK_SWEEP_NONE || goes_before (axis_at (self, i), axis_at (self, found))))
      found = i;
  return found;
}

static Layout
layout_of (const LkSweepResults *self)
{
  guint a = first_axis (self, LK_SWEEP_NONE);
  guint b = a == LK_SWEEP_NONE ? a : first_axis (self, a);
  gboolean a_is_number = a != LK_SWEEP_NONE && axis_at (self, a)->is_number;
  gboolean b_is_number = b != LK_SWEEP_NONE && axis_at (self, b)->is_number;
  if (a_is_number && b_is_number)
    return (Layout){ a, b, FALSE };
  if (!a_is_number && !b_is_number)
    return (Layout){ b, a, FALSE };
  Layout out = { a_is_number ? a : b, a_is_number ? b : a, TRUE };
  if (out.y != LK_SWEEP_NONE && axis_at (self, out.y)->values->len > LINES_MAX)
    out.is_lines = FALSE;
  return out;
}

/* The panel of a point: the values of all axes that are not drawn. Returns: (transfer full). */
static char *
panel_text (const LkSweepResults *self, const Layout *layout, const LkSweepPoint *point)
{
  GString *text = g_string_new (NULL);
  for (guint i = 0; i < self->axes->len; i++) {
    if (i == layout->x || i == layout->y || point->places[i] == LK_SWEEP_NONE)
      continue;
    const LkSweepAxis *axis = axis_at (self, i);
    g_string_append_printf (text, "%s%s %s", text->len > 0 ? ", " : "", axis->name,
                            (const char *)g_ptr_array_index (axis->values, point->places[i]));
  }
  return g_string_free (text, FALSE);
}

/* All panels, in the order of the plan. Returns: (transfer full) of char *. */
static GPtrArray *
panels_of (const LkSweepResults *self, const Layout *layout)
{
  GPtrArray *panels = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GHashTable) known = g_hash_table_new (g_str_hash, g_str_equal);
  for (guint i = 0; i < self->points->len; i++) {
    char *text = panel_text (self, layout, point_at (self, i));
    if (g_hash_table_contains (known, text)) {
      g_free (text);
      continue;
    }
    g_hash_table_add (known, text);
    g_ptr_array_add (panels, text);
  }
  return panels;
}

/* ---------------------------------------------------------------- a panel */

void
lk_page_panel_free (LkPagePanel *self)
{
  if (self == NULL)
    return;
  g_free (self->x_title);
  g_free (self->y_title);
  g_ptr_array_unref (self->x_labels);
  g_ptr_array_unref (self->y_labels);
  g_free (self->x_places);
  g_free (self->values);
  g_free (self);
}

/* Many numbers are put together in ranges of as many values each, which begin at their labels. */
static guint
cell_of (const LkSweepAxis *axis, guint place, gboolean is_whole)
{
  guint count = axis->values->len;
  if (place == LK_SWEEP_NONE || is_whole || !axis->is_number || count <= COLUMNS_MAX)
    return place == LK_SWEEP_NONE ? count : place;
  return (guint)((guint64)place * RANGES / count);
}

static gboolean
is_in_ranges (const LkSweepAxis *axis)
{
  return axis->is_number && axis->values->len > COLUMNS_MAX;
}

/* Labels of the cells along an axis, with "-" at the end where some points have no value. */
static GPtrArray *
labels_of (const LkSweepResults *self, guint index, gboolean is_whole)
{
  GPtrArray *labels = g_ptr_array_new_with_free_func (g_free);
  if (index == LK_SWEEP_NONE) {
    g_ptr_array_add (labels, g_strdup (""));
    return labels;
  }
  const LkSweepAxis *axis = axis_at (self, index);
  for (guint i = 0; i < axis->values->len; i++)
    if (cell_of (axis, i, is_whole) == labels->len)
      g_ptr_array_add (labels, g_strdup (g_ptr_array_index (axis->values, i)));
  if (is_whole || is_in_ranges (axis))
    return labels;
  for (guint i = 0; i < self->points->len; i++)
    if (point_at (self, i)->places[index] == LK_SWEEP_NONE) {
      g_ptr_array_add (labels, g_strdup ("-"));
      break;
    }
  return labels;
}

static char *
axis_title (const LkSweepResults *self, guint index, gboolean is_whole)
{
  if (index == LK_SWEEP_NONE)
    return g_strdup ("");
  const LkSweepAxis *axis = axis_at (self, index);
  return g_strdup_printf ("%s%s", axis->name,
                          !is_whole && is_in_ranges (axis) ? ", ranges that begin at" : "");
}

/* From 0 to 1, by logarithms where numbers differ by orders of magnitude. Returns: (transfer
 * full). */
static double *
places_of (const GPtrArray *labels)
{
  double *places = g_new (double, labels->len);
  double first = g_ascii_strtod (g_ptr_array_index (labels, 0), NULL);
  double last = g_ascii_strtod (g_ptr_array_index (labels, labels->len - 1), NULL);
  gboolean is_log = first > 0 && last / first >= 30;
  for (guint i = 0; i < labels->len; i++) {
    double value = g_ascii_strtod (g_ptr_array_index (labels, i), NULL);
    double width = is_log ? log (last / first) : last - first;
    double at = is_log ? log (value / first) : value - first;
    places[i] = width > 0 ? at / width : 0.5;
  }
  return places;
}

/* One unit for all panels of a metric. */
static void
choose_unit (LkPagePanel *self, const LkSweepResults *results, LkSweepMetric metric)
{
  static const struct {
    const char *name;
    double length_s;
  } units[] = { { "d", 86400 }, { "h", 3600 }, { "min", 60 }, { "s", 1 } };
  double most = 0;
  for (guint i = 0; i < results->points->len; i++)
    most = MAX (most, point_at (results, i)->means[metric]);
  self->unit = metric == LK_SWEEP_UTILIZATION ? "%" : "";
  self->scale = 1;
  for (guint i = 0; lk_sweep_metrics[metric].is_time && i < G_N_ELEMENTS (units); i++) {
    self->unit = units[i].name;
    self->scale = 1 / units[i].length_s;
    if (most >= 2 * units[i].length_s)
      return;
  }
}

/* The mean of the points in each cell. */
static void
fill_cells (LkPagePanel *self, const LkSweepResults *results, const Layout *layout,
            const char *panel, LkSweepMetric metric)
{
  gsize column_count = self->x_labels->len;
  gsize count = column_count * self->y_labels->len;
  g_autofree guint *counts = g_new0 (guint, count);
  self->values = g_new0 (double, count);
  for (guint i = 0; i < results->points->len; i++) {
    const LkSweepPoint *point = point_at (results, i);
    g_autofree char *text = panel_text (results, layout, point);
    guint column =
        layout->x == LK_SWEEP_NONE
            ? 0
            : cell_of (axis_at (results, layout->x), point->places[layout->x], layout->is_lines);
    guint row = layout->y == LK_SWEEP_NONE ? 0
                                           : cell_of (axis_at (results, layout->y),
                                                      point->places[layout->y], layout->is_lines);
    if (strcmp (text, panel) != 0 || isnan (point->means[metric]) || column >= column_count
        || row >= self->y_labels->len)
      continue;
    self->values[row * column_count + column] += point->means[metric];
    counts[row * column_count + column]++;
  }
  for (gsize i = 0; i < count; i++)
    self->values[i] = counts[i] > 0 ? self->values[i] * self->scale / counts[i] : NAN;
}

static LkPagePanel *
panel_new (const LkSweepResults *results, const Layout *layout, const char *panel,
           LkSweepMetric metric)
{
  LkPagePanel *self = g_new0 (LkPagePanel, 1);
  self->is_lines = layout->is_lines;
  self->is_more_better = lk_sweep_metrics[metric].is_more_better;
  self->marks_best = (layout->x == LK_SWEEP_NONE || !axis_at (results, layout->x)->is_condition)
                     && (layout->y == LK_SWEEP_NONE || !axis_at (results, layout->y)->is_condition);
  self->x_labels = labels_of (results, layout->x, layout->is_lines);
  self->y_labels = labels_of (results, layout->y, layout->is_lines);
  self->x_title = axis_title (results, layout->x, layout->is_lines);
  self->y_title = axis_title (results, layout->y, layout->is_lines);
  if (self->is_lines)
    self->x_places = places_of (self->x_labels);
  choose_unit (self, results, metric);
  fill_cells (self, results, layout, panel, metric);
  return self;
}

/* ---------------------------------------------------------------- figures */

/* "mean_wait_s" as the name of a file: "mean-wait", "mean-wait-2". */
static char *
figure_name (LkSweepMetric metric, guint index, guint count)
{
  g_autofree char *name = g_strdup (lk_sweep_metrics[metric].column);
  g_strdelimit (name, "_", '-');
  if (g_str_has_suffix (name, "-s"))
    name[strlen (name) - 2] = '\0';
  return count > 1 ? g_strdup_printf ("%s-%u", name, index + 1) : g_strdup (name);
}

static LkPageFigure *
figure_of (const LkSweepResults *results, const Layout *layout, const char *panel,
           LkSweepMetric metric)
{
  LkPageFigure *self = lk_page_figure_new ();
  const LkSweepMetricInfo *info = &lk_sweep_metrics[metric];
  self->panel = panel_new (results, layout, panel, metric);
  self->title = g_strdup_printf ("%s%s%s", info->text, panel[0] != '\0' ? ": " : "", panel);
  self->unit = g_strdup (self->panel->unit);
  self->text = g_strdup_printf (
      "%s%s%s. %s%s", info->text, self->unit[0] != '\0' ? " in " : "", self->unit,
      layout->is_lines ? "Each dot is a point of the sweep" : "The stronger the colour the better",
      !self->panel->marks_best ? "."
      : layout->is_lines       ? "; the largest is the best."
                               : "; the best cell has a frame.");
  self->draw = lk_page_draw_panel;
  return self;
}

static void
add_figures (LkPageSweep *self, const Layout *layout, const GPtrArray *panels, LkSweepMetric metric)
{
  guint count = MIN (panels->len, PANELS_MAX);
  for (guint i = 0; i < count; i++) {
    guint number = metric;
    LkPageFigure *figure = figure_of (self->results, layout, g_ptr_array_index (panels, i), metric);
    figure->name = figure_name (metric, i, count);
    g_ptr_array_add (self->figures, figure);
    g_array_append_val (self->metrics, number);
  }
}

LkPageSweep *
lk_page_sweep_new (const LkSweepResults *results)
{
  LkPageSweep *self = g_new0 (LkPageSweep, 1);
  Layout layout = layout_of (results);
  g_autoptr (GPtrArray) panels = panels_of (results, &layout);
  self->results = results;
  self->figures = g_ptr_array_new_with_free_func (lk_page_figure_free);
  self->metrics = g_array_new (FALSE, FALSE, sizeof (guint));
  self->left_out_count = panels->len - MIN (panels->len, PANELS_MAX);
  for (guint metric = 0; metric < LK_SWEEP_METRIC_COUNT; metric++)
    add_figures (self, &layout, panels, metric);
  return self;
}

void
lk_page_sweep_free (LkPageSweep *self)
{
  if (self == NULL)
    return;
  g_ptr_array_unref (self->figures);
  g_array_unref (self->metrics);
  g_free (self);
}

/* ---------------------------------------------------------------- the page */

static void
verdicts (const LkSweepResults *self, GString *out)
{
  g_autoptr (GPtrArray) texts = lk_sweep_verdicts (self);
  g_string_append (out, "<div id=\"verdict\"><ul class=\"verdict\">\n");
  for (guint i = 0; i < texts->len; i++) {
    g_string_append (out, "<li>");
    lk_plot_escape (out, g_ptr_array_index (texts, i));
    g_string_append (out, "</li>\n");
  }
  g_string_append (out, "</ul></div>\n");
}

/* One panel is drawn for the width of the screen, several next to each other. */
static void
metric_section (const LkPageSweep *self, LkSweepMetric metric, GString *out)
{
  guint count = self->figures->len / LK_SWEEP_METRIC_COUNT;
  g_autofree char *name = figure_name (metric, 0, 1);
  lk_page_html_heading (out, name, lk_sweep_metrics[metric].text);
  if (count > 1)
    g_string_append (out, "<div class=\"panels\">\n");
  for (guint i = metric * count; i < (metric + 1) * count; i++) {
    const LkPageFigure *figure = g_ptr_array_index (self->figures, i);
    if (count == 1) {
      lk_page_html_figure (NULL, figure, out);
      continue;
    }
    g_string_append (out, "<figure><h3>");
    lk_plot_escape (out, figure->title);
    g_string_append (out, "</h3>");
    lk_page_figure_draw (NULL, figure, LK_PLOT_NARROW, LK_PLOT_INLINE, out);
    g_string_append (out, "<figcaption>");
    lk_plot_escape (out, figure->text);
    g_string_append (out, "</figcaption></figure>\n");
  }
  if (count > 1)
    g_string_append (out, "</div>\n");
  if (self->left_out_count > 0)
    g_string_append_printf (out, "<p class=\"note\">%u more panels are not drawn.</p>\n",
                            self->left_out_count);
  g_string_append (out, "</section>\n");
}

static void
cell (GString *out, const char *text, gboolean is_best)
{
  g_string_append_printf (out, "<td%s>", is_best ? " class=\"best\"" : "");
  lk_plot_escape (out, text);
  g_string_append (out, "</td>");
}

static void
point_row (const LkSweepResults *self, const LkSweepPoint *point, GString *out)
{
  const LkInterval *interval = &point->from_best[LK_SWEEP_WAIT_MEAN];
  g_string_append (out, "<tr>");
  for (guint axis = 0; axis < self->axes->len; axis++) {
    guint place = point->places[axis];
    const char *text =
        place == LK_SWEEP_NONE ? "-" : g_ptr_array_index (axis_at (self, axis)->values, place);
    g_string_append (out, axis == 0 ? "<th scope=\"row\">" : "<td>");
    lk_plot_escape (out, text);
    g_string_append (out, axis == 0 ? "</th>" : "</td>");
  }
  for (guint metric = 0; metric < LK_SWEEP_METRIC_COUNT; metric++) {
    g_autofree char *text = lk_sweep_value_text (metric, point->means[metric]);
    cell (out, text, point->is_best[metric]);
  }
  g_autofree char *range = lk_sweep_interval_text (point);
  cell (out, interval->block_count > 0 ? range : "-", FALSE);
  g_string_append (out, "</tr>\n");
}

static void
points_section (const LkSweepResults *self, GString *out)
{
  lk_page_html_heading (out, "points", "Points");
  g_string_append (out, "<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
                        "aria-label=\"Points\"><table class=\"points\"><thead><tr>");
  for (guint axis = 0; axis < self->axes->len; axis++) {
    g_string_append (out, "<th scope=\"col\">");
    lk_plot_escape (out, axis_at (self, axis)->name);
    g_string_append (out, "</th>");
  }
  for (guint metric = 0; metric < LK_SWEEP_METRIC_COUNT; metric++)
    g_string_append_printf (out, "<th scope=\"col\">%s</th>", lk_sweep_metrics[metric].text);
  g_string_append (out, "<th scope=\"col\">Mean wait from the best, 95 %</th></tr></thead>\n"
                        "<tbody>\n");
  guint row_count = 0;
  for (guint condition = 0; condition < self->condition_count; condition++) {
    g_autoptr (GArray) ranked = lk_sweep_rank (self, condition);
    for (guint i = 0; i < ranked->len && row_count < ROWS_MAX; i++, row_count++)
      point_row (self, point_at (self, g_array_index (ranked, guint, i)), out);
  }
  g_string_append (out, "</tbody></table></div>\n<p class=\"note\">");
  g_string_append_printf (out,
                          "By mean wait; in bold the best of each condition (log, load). Each "
                          "value is the mean of up to %u run%s.",
                          self->repetition_count, self->repetition_count == 1 ? "" : "s");
  if (self->points->len > ROWS_MAX)
    g_string_append_printf (out, " The first %u of %u points; lockstep compare --csv has all.",
                            ROWS_MAX, self->points->len);
  g_string_append (out, "</p>\n</section>\n");
}

void
lk_page_sweep_html (const LkPageSweep *self, const char *title, GString *out)
{
  g_autofree char *name = g_path_get_basename (self->results->path);
  g_autofree char *shown = g_filename_display_name (name);
  lk_page_html_begin (title != NULL ? title : shown, out);
  g_string_append (out, "<nav aria-label=\"Figures\">");
  for (guint metric = 0; metric < LK_SWEEP_METRIC_COUNT; metric++) {
    g_autofree char *id = figure_name (metric, 0, 1);
    lk_page_html_link (out, id, lk_sweep_metrics[metric].text);
  }
  lk_page_html_link (out, "points", "Points");
  g_string_append (out, "</nav>\n<main>\n");
  verdicts (self->results, out);
  for (guint metric = 0; metric < LK_SWEEP_METRIC_COUNT; metric++)
    metric_section (self, metric, out);
  points_section (self->results, out);
  g_string_append (out, "</main>\n");
  g_string_append (out, script);
  g_string_append (out, "</body>\n</html>\n");
}
