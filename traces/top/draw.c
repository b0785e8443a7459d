/* traces/top/draw.c — the frame of the screen, what is text, and the help. */
#include <string.h>

#include "traces/top/model_private.h"

/* What a line that goes on below begins with there. */
#define TEXT_INDENT 13u

/* ---------------------------------------------------------------- frame */

static void
draw_title (const LkTopModel *self, LkTopScreen *screen)
{
  g_autoptr (GString) right = g_string_new (NULL);
  LkTopPlace bar = { 0, 0, screen->columns, LK_TOP_STYLE_BAR };
  lk_top_screen_fill (screen, bar);
  if (self->facts != NULL)
    lk_top_facts_moment (self->facts, self->facts->now_us, right);
  if (self->facts != NULL && !self->is_live)
    g_string_append_printf (right, "  event %" G_GUINT64_FORMAT "/%" G_GUINT64_FORMAT,
                            self->facts->seq, self->facts->seq_last);
  g_string_append (right, self->is_busy                        ? "  [working]"
                          : self->is_live && self->is_paused   ? "  [paused]"
                          : !self->is_live && !self->is_paused ? "  [playing]"
                                                               : "");
  guint right_width = MIN (lk_top_screen_width (screen, right->str) + 1, screen->columns);
  guint left_max = screen->columns - right_width;
  bar.columns_max = left_max;
  guint used = lk_top_screen_put (screen, bar, " lockstep top  ");
  bar.column = used;
  bar.columns_max = left_max > used ? left_max - used : 0;
  lk_top_screen_put (screen, bar, self->facts != NULL ? self->facts->title : "");
  bar.column = left_max;
  bar.columns_max = right_width - 1;
  lk_top_screen_put_right (screen, bar, right->str);
}

static void
draw_tabs (const LkTopModel *self, LkTopScreen *screen)
{
  static const char *const names[] = { "1 Overview", "2 Queue", "3 Nodes", "4 Job", "5 Log" };
  LkTopPlace place = { 1, 1, screen->columns, LK_TOP_STYLE_DIM };
  for (guint i = 0; i < LK_TOP_PANE_COUNT; i++) {
    place.style = i == (guint)self->pane ? LK_TOP_STYLE_SELECTED : LK_TOP_STYLE_PLAIN;
    g_autofree char *tab = g_strdup_printf (i == (guint)self->pane ? "[%s]" : " %s ", names[i]);
    place.column += lk_top_screen_put (screen, place, tab) + 1;
  }
}

static char *
footer_text (const LkTopModel *self)
{
  guint list = self->pane == LK_TOP_PANE_OVERVIEW ? LK_TOP_PANE_QUEUE : self->pane;
  if (self->mode == LK_TOP_MODE_FILTER)
    return g_strdup_printf ("filter: %s_", self->lists[list].filter);
  if (self->mode == LK_TOP_MODE_CONFIRM)
    return g_strdup_printf ("cancel job %s? y: yes, any other key: no", self->cancel_label);
  if (self->message != NULL)
    return g_strdup (self->message);
  return g_strdup (self->is_live ? "?:help  q:quit  1-5:pane  Enter:job  /:filter  s:sort  "
                                   "c:cancel  space:pause"
                                 : "?:help  q:quit  1-5:pane  Enter:job  /:filter  s:sort  "
                                   "[ ]:time  space:play");
}

static void
draw_footer (const LkTopModel *self, LkTopScreen *screen)
{
  LkTopPlace bar = { 0, screen->rows - 1, screen->columns, LK_TOP_STYLE_BAR };
  g_autofree char *text = footer_text (self);
  if (self->mode == LK_TOP_MODE_CONFIRM)
    bar.style = LK_TOP_STYLE_BAD;
  else if (self->message != NULL)
    bar.style = LK_TOP_STYLE_WARN;
  lk_top_screen_fill (screen, bar);
  bar.column = 1;
  lk_top_screen_put (screen, bar, text);
}

/* ---------------------------------------------------------------- text */

/* How many bytes of a line fit into a row: up to a blank, where there is one. */
static gsize
row_bytes (const LkTopScreen *screen, const char *line, guint columns)
{
  const char *end = line;
  const char *blank = NULL;
  if (lk_top_screen_width (screen, line) <= columns)
    return strlen (line);
  for (guint used = 0; *end != '\0';) {
    const char *next = end + 1;
    while ((*next & 0xc0) == 0x80)
      next++;
    g_autofree char *character = g_strndup (end, (gsize)(next - end));
    used += lk_top_screen_width (screen, character);
    if (used > columns)
      break;
    /* Not within what a line begins with, where nothing would be left to show. */
    if (*end == ' ' && end > line + TEXT_INDENT)
      blank = end;
    end = next;
  }
  end = blank != NULL ? blank : end > line ? end : line + 1;
  return (gsize)(end - line);
}

/* Lines that are too long go on below. Returns: (transfer full) of char*. */
static GPtrArray *
wrap (const LkTopScreen *screen, const char *text, guint columns)
{
  GPtrArray *rows = g_ptr_array_new_with_free_func (g_free);
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++) {
    const char *at = lines[i];
    gsize bytes = row_bytes (screen, at, columns);
    g_ptr_array_add (rows, g_strndup (at, bytes));
    for (at += bytes; *at != '\0'; at += bytes) {
      at += strspn (at, " ");
      bytes = row_bytes (screen, at, columns > 2 * TEXT_INDENT ? columns - TEXT_INDENT : columns);
      g_autofree char *rest = g_strndup (at, bytes);
      if (bytes > 0)
        g_ptr_array_add (rows, g_strdup_printf ("%*s%s", (int)TEXT_INDENT, "", rest));
    }
  }
  while (rows->len > 0 && *(const char *)g_ptr_array_index (rows, rows->len - 1) == '\0')
    g_ptr_array_set_size (rows, (gint)rows->len - 1);
  return rows;
}

static void
draw_lines (LkTopModel *self, LkTopScreen *screen, LkTopArea area, const char *text)
{
  LkTopList *list = &self->lists[LK_TOP_PANE_JOB];
  guint columns = area.columns > 2 ? area.columns - 2 : 1;
  g_autoptr (GPtrArray) rows = wrap (screen, text, columns);
  guint first_max = rows->len > area.rows ? rows->len - area.rows : 0;
  list->row = MIN (list->row, first_max);
  for (guint i = 0; i < area.rows && list->row + i < rows->len; i++) {
    const char *line = g_ptr_array_index (rows, list->row + i);
    LkTopPlace place = { 1, area.row + i, columns,
                         line[0] == ' ' ? LK_TOP_STYLE_PLAIN : LK_TOP_STYLE_BOLD };
    lk_top_screen_put (screen, place, line);
  }
}

void
lk_top_draw_job (LkTopModel *self, LkTopScreen *screen, LkTopArea area)
{
  LkTopPlace place = { 1, area.row, area.columns - 1, LK_TOP_STYLE_DIM };
  if (self->job_id == 0)
    lk_top_screen_put (screen, place, "no job is selected: choose one in the queue (2)");
  else if (self->detail == NULL || self->detail_id != self->job_id)
    lk_top_screen_put (screen, place, "looking ...");
  else
    draw_lines (self, screen, area, self->detail);
}

void
lk_top_draw_log (LkTopModel *self, LkTopScreen *screen, LkTopArea area)
{
  LkTopList *list = &self->lists[LK_TOP_PANE_LOG];
  LkTopPlace place = { 1, area.row, area.columns - 1, LK_TOP_STYLE_DIM };
  if (list->rows->len == 0) {
    lk_top_screen_put (screen, place,
                       list->filter[0] != '\0' ? "no line fits the filter" : "nothing yet");
    return;
  }
  /* The selected line is the last one that is seen. */
  guint seen = MIN (area.rows, list->rows->len);
  list->row = MAX (list->row, seen - 1);
  guint first = list->row + 1 - seen;
  place.style = LK_TOP_STYLE_PLAIN;
  for (guint i = 0; i < seen; i++) {
    guint index = g_array_index (list->rows, guint, first + i);
    place.row = area.row + i;
    lk_top_screen_put (screen, place, g_ptr_array_index (self->facts->log, index));
  }
}

void
lk_top_draw_help (const LkTopModel *self, LkTopScreen *screen, LkTopArea area)
{
  static const char *const lines[] = {
    "1 2 3 4 5    overview, queue, nodes, job, log; Tab: the next one",
    "arrows, j k  move; PgUp PgDn Home End as well",
    "Enter        what the selected job is, and why it waits; Esc: back",
    "/            filter: words that must all fit; user= partition= state= reason=",
    "             account= qos= look at one thing; Enter keeps it, Esc takes it back",
    "Esc          no filter",
    "s            sort by the next column; r: the other way round",
    "m            nodes as a map, a character each",
    "q            quit",
    "?            this page; any key leaves it",
  };
  static const char *const live_lines[] = {
    "c            cancel the selected job; asks first",
    "space        stand still; again: go on",
  };
  static const char *const journal_lines[] = {
    "[ ]          back and forward in time; { }: ten times as far",
    ", .          one event back and forward",
    "( )          to the first event, to the last one",
    "space        play; again: stand still",
  };
  const char *const *own = self->is_live ? live_lines : journal_lines;
  guint own_count = self->is_live ? G_N_ELEMENTS (live_lines) : G_N_ELEMENTS (journal_lines);
  LkTopPlace place = { 2, area.row, area.columns > 2 ? area.columns - 2 : 0, LK_TOP_STYLE_BOLD };
  lk_top_screen_put (screen, place, "Keys");
  place.style = LK_TOP_STYLE_PLAIN;
  for (guint i = 0; i < G_N_ELEMENTS (lines) + own_count && i + 1 < area.rows; i++) {
    place.row = area.row + 1 + i;
    lk_top_screen_put (screen, place, i < own_count ? own[i] : lines[i - own_count]);
  }
}

/* ---------------------------------------------------------------- all of it */

static void
draw_pane (LkTopModel *self, LkTopScreen *screen, LkTopArea area)
{
  LkTopPlace place = { 1, area.row, area.columns - 1, LK_TOP_STYLE_DIM };
  if (self->mode == LK_TOP_MODE_HELP)
    lk_top_draw_help (self, screen, area);
  else if (self->facts == NULL)
    lk_top_screen_put (screen, place, "asking ...");
  else if (self->pane == LK_TOP_PANE_OVERVIEW)
    lk_top_draw_overview (self, screen, area);
  else if (self->pane == LK_TOP_PANE_QUEUE)
    lk_top_draw_queue (self, screen, area);
  else if (self->pane == LK_TOP_PANE_NODES)
    lk_top_draw_nodes (self, screen, area);
  else if (self->pane == LK_TOP_PANE_JOB)
    lk_top_draw_job (self, screen, area);
  else
    lk_top_draw_log (self, screen, area);
}

void
lk_top_model_draw (LkTopModel *self, LkTopScreen *screen)
{
  LkTopArea area = { LK_TOP_ROWS_ABOVE, 0, screen->columns };
  draw_title (self, screen);
  if (screen->rows > LK_TOP_ROWS_ABOVE + LK_TOP_ROWS_BELOW) {
    draw_tabs (self, screen);
    area.rows = screen->rows - LK_TOP_ROWS_ABOVE - LK_TOP_ROWS_BELOW;
    draw_pane (self, screen, area);
  }
  if (screen->rows > 1)
    draw_footer (self, screen);
}
