/* traces/top/draw_table.c — the queue and the nodes. */
#include "traces/top/model_private.h"

/* ---------------------------------------------------------------- tables */

/* Columns of the screen that a column of a table has; 0: it is not shown. */
static guint
column_width (const LkTopColumn *column, guint at, guint columns)
{
  if (columns < column->from_columns || at >= columns)
    return 0;
  guint width = columns >= LK_TOP_WIDE_COLUMNS ? column->wide_width : column->width;
  return width == 0 ? columns - at : MIN (width, columns - at);
}

static void
draw_heading (const LkTopModel *self, LkTopScreen *screen, LkTopArea area)
{
  guint count;
  const LkTopColumn *columns = lk_top_columns (self->pane, &count);
  const LkTopList *list = &self->lists[self->pane];
  guint at = 1;
  for (guint i = 1; i < count; i++) {
    LkTopPlace place = { at, area.row, column_width (&columns[i], at, area.columns),
                         LK_TOP_STYLE_BOLD };
    if (place.columns_max == 0)
      continue;
    g_autofree char *sorted =
        list->sort == i ? g_strconcat (columns[i].heading, list->is_falling ? "-" : "+", NULL)
                        : g_strdup (columns[i].heading);
    if (columns[i].is_right)
      lk_top_screen_put_right (screen, place, sorted);
    else
      lk_top_screen_put (screen, place, sorted);
    at += place.columns_max + 1;
  }
}

/* One line that tells what is seen of how much. */
static void
draw_counts (const LkTopModel *self, LkTopScreen *screen, LkTopArea area, const char *what)
{
  const LkTopList *list = &self->lists[self->pane];
  guint all = self->pane == LK_TOP_PANE_QUEUE ? self->facts->jobs->len : self->facts->nodes->len;
  g_autoptr (GString) text = g_string_new (NULL);
  if (self->pane == LK_TOP_PANE_QUEUE)
    g_string_append_printf (text, "%u running, %u pending   ", self->facts->running_count,
                            self->facts->pending_count);
  g_string_append_printf (text, "%u of %u %s", list->rows->len, all, what);
  if (list->filter[0] != '\0')
    g_string_append_printf (text, " with filter: %s", list->filter);
  LkTopPlace place = { 1, area.row, area.columns - 1, LK_TOP_STYLE_DIM };
  lk_top_screen_put (screen, place, text->str);
}

/* Scrolls as little as is needed to have the selected row on the screen. Returns: rows for rows. */
static guint
scroll (LkTopList *list, LkTopArea area)
{
  guint rows = area.rows > 2 ? area.rows - 2 : 0;
  if (list->row < list->first)
    list->first = list->row;
  else if (rows > 0 && list->row >= list->first + rows)
    list->first = list->row - rows + 1;
  if (list->first + rows > list->rows->len)
    list->first = list->rows->len > rows ? list->rows->len - rows : 0;
  return rows;
}

/* ---------------------------------------------------------------- queue */

static LkTopStyle
job_style (const LkTopJob *job)
{
  return job->is_pending ? LK_TOP_STYLE_WARN : job->is_over ? LK_TOP_STYLE_DIM : LK_TOP_STYLE_GOOD;
}

static void
draw_job_row (const LkTopModel *self, LkTopScreen *screen, guint row, const LkTopJob *job)
{
  guint count;
  guint at = 1;
  const LkTopColumn *columns = lk_top_columns (LK_TOP_PANE_QUEUE, &count);
  for (guint i = 1; i < count; i++) {
    g_autoptr (GString) text = g_string_new (NULL);
    LkTopPlace place = { at, row, column_width (&columns[i], at, screen->columns),
                         job_style (job) };
    if (place.columns_max == 0)
      continue;
    lk_top_job_cell (self->facts, job, i, text);
    if (columns[i].is_right)
      lk_top_screen_put_right (screen, place, text->str);
    else
      lk_top_screen_put (screen, place, text->str);
    at += place.columns_max + 1;
  }
}

static void
draw_job_rows (LkTopModel *self, LkTopScreen *screen, LkTopArea area)
{
  LkTopList *list = &self->lists[LK_TOP_PANE_QUEUE];
  guint rows = scroll (list, area);
  for (guint i = 0; i < rows && list->first + i < list->rows->len; i++) {
    guint index = g_array_index (list->rows, guint, list->first + i);
    guint row = area.row + 2 + i;
    draw_job_row (self, screen, row, &g_array_index (self->facts->jobs, LkTopJob, index));
    if (list->first + i != list->row)
      continue;
    lk_top_screen_tint (screen, (LkTopPlace){ 0, row, area.columns, LK_TOP_STYLE_SELECTED });
    lk_top_screen_put (screen, (LkTopPlace){ 0, row, 1, LK_TOP_STYLE_SELECTED }, ">");
  }
}

void
lk_top_draw_queue (LkTopModel *self, LkTopScreen *screen, LkTopArea area)
{
  draw_counts (self, screen, area, "jobs");
  if (area.rows < 2)
    return;
  draw_heading (self, screen, (LkTopArea){ area.row + 1, 1, area.columns });
  draw_job_rows (self, screen, area);
}

/* ---------------------------------------------------------------- nodes */

static LkTopStyle
load_style (double ratio)
{
  return ratio >= 0.9 ? LK_TOP_STYLE_BAD : ratio >= 0.5 ? LK_TOP_STYLE_WARN : LK_TOP_STYLE_GOOD;
}

/* A bar and, behind it, the same in numbers. */
static void
draw_load (LkTopScreen *screen, LkTopPlace place, double ratio, const char *text)
{
  guint width = lk_top_screen_width (screen, text) + 1;
  guint numbers = MAX (width, 6);
  if (place.columns_max > numbers + 2) {
    LkTopPlace bar = place;
    bar.columns_max -= numbers;
    bar.style = load_style (ratio);
    lk_top_screen_bar (screen, bar, ratio);
    place.column += bar.columns_max + 1;
    place.columns_max = numbers - 1;
  }
  lk_top_screen_put_right (screen, place, text);
}

static double
ratio_of (double part, double whole)
{
  return whole > 0 ? part / whole : 0.0;
}

static void
draw_node_cell (LkTopScreen *screen, LkTopPlace place, const LkTopNode *node, guint column)
{
  guint count;
  g_autoptr (GString) text = g_string_new (NULL);
  const LkTopColumn *columns = lk_top_columns (LK_TOP_PANE_NODES, &count);
  const char *heading = columns[column].heading;
  lk_top_node_cell (node, column, text);
  if (g_str_equal (heading, "CPU"))
    draw_load (screen, place, ratio_of (node->cpus_used_count, node->cpu_count), text->str);
  else if (g_str_equal (heading, "MEMORY") && node->memory_bytes > 0)
    draw_load (screen, place,
               ratio_of ((double)node->memory_used_bytes, (double)node->memory_bytes), text->str);
  else if (g_str_equal (heading, "GPU") && node->gpu_count > 0)
    draw_load (screen, place, ratio_of (node->gpus_used_count, node->gpu_count), text->str);
  else if (columns[column].is_right)
    lk_top_screen_put_right (screen, place, text->str);
  else
    lk_top_screen_put (screen, place, text->str);
}

static void
draw_node_row (LkTopScreen *screen, guint row, const LkTopNode *node)
{
  guint count;
  guint at = 1;
  const LkTopColumn *columns = lk_top_columns (LK_TOP_PANE_NODES, &count);
  for (guint i = 1; i < count; i++) {
    LkTopPlace place = { at, row, column_width (&columns[i], at, screen->columns),
                         node->is_unusable ? LK_TOP_STYLE_BAD : LK_TOP_STYLE_PLAIN };
    if (place.columns_max == 0)
      continue;
    draw_node_cell (screen, place, node, i);
    at += place.columns_max + 1;
  }
}

/* A character for each node: how many of its CPUs are in use; x: it takes no jobs. */
static void
draw_node_map (const LkTopModel *self, LkTopScreen *screen, LkTopArea area)
{
  const LkTopList *list = &self->lists[LK_TOP_PANE_NODES];
  guint columns = area.columns > 2 ? area.columns - 2 : 1;
  guint rows = area.rows > 1 ? area.rows - 1 : 0;
  for (guint i = 0; i < list->rows->len && i / columns < rows; i++) {
    const LkTopNode *node =
        &g_array_index (self->facts->nodes, LkTopNode, g_array_index (list->rows, guint, i));
    double ratio = ratio_of (node->cpus_used_count, node->cpu_count);
    LkTopPlace place = { 1 + i % columns, area.row + 1 + i / columns, 1, load_style (ratio) };
    if (node->is_unusable)
      place.style = LK_TOP_STYLE_BAD;
    const char *level = ratio > 0 ? lk_top_screen_level (screen, ratio) : ".";
    lk_top_screen_put (screen, place, node->is_unusable ? "x" : ratio > 0 ? level : "_");
  }
}

void
lk_top_draw_nodes (LkTopModel *self, LkTopScreen *screen, LkTopArea area)
{
  LkTopList *list = &self->lists[LK_TOP_PANE_NODES];
  LkTopPlace none = { 1, area.row, area.columns - 1, LK_TOP_STYLE_DIM };
  if (self->facts->nodes->len == 0) {
    lk_top_screen_put (screen, none, "the machine is a pool of processors: it has no nodes");
    return;
  }
  draw_counts (self, screen, area, "nodes");
  if (self->is_map) {
    draw_node_map (self, screen, area);
    return;
  }
  if (area.rows < 2)
    return;
  draw_heading (self, screen, (LkTopArea){ area.row + 1, 1, area.columns });
  guint rows = scroll (list, area);
  for (guint i = 0; i < rows && list->first + i < list->rows->len; i++) {
    guint index = g_array_index (list->rows, guint, list->first + i);
    draw_node_row (screen, area.row + 2 + i, &g_array_index (self->facts->nodes, LkTopNode, index));
    if (list->first + i == list->row)
      lk_top_screen_put (screen, (LkTopPlace){ 0, area.row + 2 + i, 1, LK_TOP_STYLE_SELECTED },
                         ">");
  }
}
