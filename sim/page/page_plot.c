/* sim/page/page_plot.c — see the header. */
#include "sim/page/page_plot.h"

#include <math.h>
#include <string.h>

#define LINE_PX 16.0
#define WIDE_PX 960.0
#define NARROW_PX 380.0
#define CHARACTER_PX 6.6 /* of the font at 12 px, about */

/* The same colours as in page.css. */
static const char *const light[LK_PAGE_COLOURS] = { "#0067a5", "#c44e00", "#00805c", "#a3508a",
                                                    "#7a6200", "#5a5fc0", "#a8323a", "#4d6a78" };
static const char *const dark[LK_PAGE_COLOURS] = { "#58b4f0", "#f59454", "#3fc79a", "#e08cc8",
                                                   "#d6b93c", "#a3a6f5", "#f28b90", "#9fb9c6" };

/* ---------------------------------------------------------------- text */

void
lk_plot_escape (GString *out, const char *text)
{
  g_autofree char *valid = g_utf8_make_valid (text, -1);
  for (const char *at = valid; *at != '\0'; at = g_utf8_next_char (at)) {
    gunichar character = g_utf8_get_char (at);
    if (character == '&')
      g_string_append (out, "&amp;");
    else if (character == '<')
      g_string_append (out, "&lt;");
    else if (character == '>')
      g_string_append (out, "&gt;");
    else if (character == '"')
      g_string_append (out, "&quot;");
    else if (character == '\'')
      g_string_append (out, "&#39;");
    else if (character < 0x20 || (character >= 0x7f && character < 0xa0)
             || (character & 0xfffe) == 0xfffe)
      g_string_append (out, "\357\277\275");
    else
      g_string_append_unichar (out, character);
  }
}

char *
lk_plot_shorten (const char *text, guint count_max)
{
  g_autofree char *valid = g_utf8_make_valid (text, -1);
  if (g_utf8_strlen (valid, -1) <= (glong)count_max)
    return g_steal_pointer (&valid);
  g_autofree char *begin = g_utf8_substring (valid, 0, (glong)count_max - 1);
  return g_strconcat (begin, "\342\200\246", NULL);
}

static void
put (LkPlot *self, double value)
{
  char text[LK_PAGE_NUMBER_BYTES];
  lk_page_number (value, 1, text);
  g_string_append (self->out, text);
}

/* NAME="VALUE" with a space before it. */
static void
attribute (LkPlot *self, const char *name, double value)
{
  g_string_append_printf (self->out, " %s=\"", name);
  put (self, value);
  g_string_append_c (self->out, '"');
}

void
lk_plot_text (LkPlot *self, double x, double y, const char *anchor, const char *text)
{
  g_string_append (self->out, "<text");
  attribute (self, "x", x);
  attribute (self, "y", y);
  g_string_append_printf (self->out, " text-anchor=\"%s\">", anchor);
  lk_plot_escape (self->out, text);
  g_string_append (self->out, "</text>");
}

void
lk_plot_box (LkPlot *self, LkPlotBox box, const char *classes)
{
  g_string_append_printf (self->out, "<rect class=\"%s\"", classes);
  attribute (self, "x", box.x);
  attribute (self, "y", box.y);
  attribute (self, "width", MAX (0.1, box.width));
  attribute (self, "height", MAX (0.1, box.height));
  g_string_append (self->out, "/>");
}

void
lk_plot_rule (LkPlot *self, LkPlotBox line, const char *classes)
{
  g_string_append_printf (self->out, "<path class=\"%s\" d=\"M", classes);
  put (self, line.x);
  g_string_append_c (self->out, ' ');
  put (self, line.y);
  g_string_append_c (self->out, 'L');
  put (self, line.x + line.width);
  g_string_append_c (self->out, ' ');
  put (self, line.y + line.height);
  g_string_append (self->out, "\"/>");
}

/* ---------------------------------------------------------------- frame */

static void
append_style (LkPlot *self)
{
  gboolean is_dark = self->style == LK_PLOT_DARK;
  const char *const *colours = is_dark ? dark : light;
  GString *out = self->out;
  g_string_append_printf (
      out,
      "<style>text{font:12px sans-serif;fill:%s}.grid{stroke:%s;fill:none}"
      ".axis{stroke:%s;fill:none}.line{fill:none;stroke-width:1.6}"
      ".dash{stroke-dasharray:5 3}.area{opacity:.85}.back{fill:%s}.rest{fill:%s}"
      ".mark{fill:none;stroke:%s;stroke-width:2}"
      ".h0{opacity:.04}.h1{opacity:.09}.h2{opacity:.14}.h3{opacity:.19}.h4{opacity:.24}"
      ".h5{opacity:.29}.h6{opacity:.35}.h7{opacity:.41}.h8{opacity:.47}.h9{opacity:.54}"
      ".g0{opacity:.12}.g1{opacity:.25}.g2{opacity:.4}.g3{opacity:.55}"
      ".ink{fill:%s}.dot{fill:%s;stroke:%s}",
      is_dark ? "#e6e6e6" : "#1c1c1c", is_dark ? "#3a3f45" : "#dddddd",
      is_dark ? "#8a9199" : "#777777", is_dark ? "#14171a" : "#ffffff",
      is_dark ? "#8a9199" : "#777777", is_dark ? "#e6e6e6" : "#1c1c1c",
      is_dark ? "#e6e6e6" : "#1c1c1c", is_dark ? "#e6e6e6" : "#1c1c1c",
      is_dark ? "#14171a" : "#ffffff");
  for (guint i = 0; i < LK_PAGE_COLOURS; i++)
    g_string_append_printf (out, ".s%u{stroke:%s}.f%u{fill:%s}", i, colours[i], i, colours[i]);
  g_string_append (out, "</style><rect class=\"back\" width=\"100%\" height=\"100%\"/>");
}

/* Returns the height that the legend has taken. */
static double
append_legend (LkPlot *self, double top)
{
  double x = 4;
  double y = top + LINE_PX - 4;
  guint character_count = self->size == LK_PLOT_WIDE ? 48 : 34;
  for (guint i = 0; i < self->legend_count; i++) {
    g_autofree char *text = lk_plot_shorten (self->legend[i], character_count);
    char classes[8];
    double width = 22 + CHARACTER_PX * (double)g_utf8_strlen (text, -1) + 14;
    if (x > 4 && x + width > self->width) {
      x = 4;
      y += LINE_PX;
    }
    g_snprintf (classes, sizeof classes, "f%u", (self->legend_first + i) % LK_PAGE_COLOURS);
    lk_plot_box (self, (LkPlotBox){ x, y - 9, 12, 10 }, classes);
    lk_plot_text (self, x + 17, y, "start", text);
    x += width;
  }
  return self->legend_count > 0 ? y + 6 - top : 0;
}

void
lk_plot_begin (LkPlot *self)
{
  GString *out = self->out;
  double top = 6;
  self->width = self->size == LK_PLOT_WIDE ? WIDE_PX : NARROW_PX;
  double height = self->height > 0 ? self->height : self->size == LK_PLOT_WIDE ? 280 : 240;
  gsize at = out->len;
  if (self->style != LK_PLOT_INLINE) {
    append_style (self);
    lk_plot_text (self, 4, 20, "start", self->title);
    top = 28;
  }
  top += append_legend (self, top);
  self->frame_left = self->left > 0 ? self->left : 46;
  self->frame_right = self->width - 14;
  self->frame_top = top + (self->is_bare ? 6 : 26);
  self->frame_bottom = self->frame_top + height - 72;
  g_autoptr (GString) head = g_string_new (NULL);
  g_string_append_printf (head,
                          "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" "
                          "viewBox=\"0 0 %d %d\" ",
                          (int)self->width, (int)(self->frame_bottom + 44));
  if (self->style == LK_PLOT_INLINE)
    g_string_append_printf (head, "style=\"max-width:%dpx\" ", (int)(self->width * 1.25));
  else
    g_string_append_printf (head, "width=\"%d\" height=\"%d\" ", (int)self->width,
                            (int)(self->frame_bottom + 44));
  g_string_append_printf (head, "data-frame=\"%d %d %d %d\" aria-label=\"", (int)self->frame_left,
                          (int)self->frame_right, (int)self->frame_top, (int)self->frame_bottom);
  lk_plot_escape (head, self->title);
  g_string_append (head, ". ");
  lk_plot_escape (head, self->text);
  g_string_append (head, "\">");
  g_string_insert_len (out, (gssize)at, head->str, (gssize)head->len);
}

void
lk_plot_end (LkPlot *self)
{
  g_string_append (self->out, "</svg>");
}

double
lk_plot_x (const LkPlot *self, double x)
{
  return self->frame_left
         + (x - self->x0) / (self->x1 - self->x0) * (self->frame_right - self->frame_left);
}

double
lk_plot_y (const LkPlot *self, double y)
{
  return self->frame_bottom
         - (y - self->y0) / (self->y1 - self->y0) * (self->frame_bottom - self->frame_top);
}

void
lk_plot_axis_x (LkPlot *self, GArray *ticks, const char *title)
{
  double last_end = -HUGE_VAL;
  double height = self->frame_bottom - self->frame_top;
  for (guint i = 0; i < ticks->len; i++) {
    const LkPageTick *tick = &g_array_index (ticks, LkPageTick, i);
    double x = lk_plot_x (self, tick->at);
    double half = CHARACTER_PX / 2 * (double)strlen (tick->text);
    if (x < self->frame_left - 0.5 || x > self->frame_right + 0.5)
      continue;
    lk_plot_rule (self, (LkPlotBox){ x, self->frame_top, 0, height }, "grid");
    if (x - half < last_end || x + half > self->width)
      continue;
    lk_plot_text (self, x, self->frame_bottom + 16, "middle", tick->text);
    last_end = x + half + 6;
  }
  double width = self->frame_right - self->frame_left;
  lk_plot_rule (self, (LkPlotBox){ self->frame_left, self->frame_bottom, width, 0 }, "axis");
  lk_plot_text (self, (self->frame_left + self->frame_right) / 2, self->frame_bottom + 34, "middle",
                title);
  g_array_unref (ticks);
}

void
lk_plot_axis_y (LkPlot *self, GArray *ticks, const char *title)
{
  double width = self->frame_right - self->frame_left;
  for (guint i = 0; i < ticks->len; i++) {
    const LkPageTick *tick = &g_array_index (ticks, LkPageTick, i);
    double y = lk_plot_y (self, tick->at);
    if (y < self->frame_top - 0.5 || y > self->frame_bottom + 0.5)
      continue;
    lk_plot_rule (self, (LkPlotBox){ self->frame_left, y, width, 0 }, "grid");
    lk_plot_text (self, self->frame_left - 6, y + 4, "end", tick->text);
  }
  lk_plot_text (self, 4, self->frame_top - 13, "start", title);
  g_array_unref (ticks);
}

/* ---------------------------------------------------------------- lines */

static void
point (LkPlot *self, char command, double x, double y)
{
  g_string_append_c (self->out, command);
  put (self, x);
  g_string_append_c (self->out, ' ');
  put (self, y);
}

static void
line_begin (LkPlot *self, guint colour, gboolean is_dashed)
{
  g_string_append_printf (self->out, "<path class=\"line s%u%s\" d=\"", colour % LK_PAGE_COLOURS,
                          is_dashed ? " dash" : "");
}

void
lk_plot_steps (LkPlot *self, const LkPlotSteps *steps, guint colour, gboolean is_dashed)
{
  gboolean is_open = FALSE;
  double last = 0;
  line_begin (self, colour, is_dashed);
  for (guint i = 0; i < steps->count; i++) {
    double value = steps->values[i];
    double x = lk_plot_x (self, steps->begin + steps->step * i);
    if (!isnan (value)) {
      double y = lk_plot_y (self, value);
      gboolean is_same = is_open && fabs (y - last) < 0.05;
      if (!is_open)
        point (self, 'M', x, y);
      else if (!is_same) {
        g_string_append_c (self->out, 'H');
        put (self, x);
        g_string_append_c (self->out, 'V');
        put (self, y);
      }
      last = y;
    }
    gboolean ends = i + 1 == steps->count || isnan (steps->values[i + 1]);
    if (!isnan (value) && ends) {
      g_string_append_c (self->out, 'H');
      put (self, MIN (self->frame_right, lk_plot_x (self, steps->begin + steps->step * (i + 1))));
    }
    is_open = !isnan (value);
  }
  g_string_append (self->out, "\"/>");
}

void
lk_plot_area (LkPlot *self, const LkPlotSteps *steps, const double *below, guint colour)
{
  g_string_append_printf (self->out, "<path class=\"area f%u\" d=\"", colour % LK_PAGE_COLOURS);
  for (guint i = 0; i < steps->count; i++) {
    double x = lk_plot_x (self, steps->begin + steps->step * i);
    double end = lk_plot_x (self, steps->begin + steps->step * (i + 1));
    double y = lk_plot_y (self, steps->values[i]);
    point (self, i == 0 ? 'M' : 'L', x, y);
    point (self, 'L', MIN (self->frame_right, end), y);
  }
  for (guint i = steps->count; i > 0; i--) {
    double x = lk_plot_x (self, steps->begin + steps->step * (i - 1));
    double end = lk_plot_x (self, steps->begin + steps->step * i);
    double y = below != NULL ? lk_plot_y (self, below[i - 1]) : self->frame_bottom;
    point (self, 'L', MIN (self->frame_right, end), y);
    point (self, 'L', x, y);
  }
  g_string_append (self->out, "Z\"/>");
}

void
lk_plot_line (LkPlot *self, const double *points, guint point_count, guint colour,
              gboolean is_dashed)
{
  gboolean is_open = FALSE;
  line_begin (self, colour, is_dashed);
  for (guint i = 0; i < point_count; i++) {
    double y = points[2 * i + 1];
    if (!isnan (y))
      point (self, is_open ? 'L' : 'M', lk_plot_x (self, points[2 * i]), lk_plot_y (self, y));
    is_open = !isnan (y);
  }
  g_string_append (self->out, "\"/>");
}
