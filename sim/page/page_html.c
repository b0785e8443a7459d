/* sim/page/page_html.c — see the header. */
#include "sim/page/page_html.h"

#include <math.h>
#include <string.h>

#include "sim/duration.h"
#include "sim/json_out.h"
#include "sim/page/page_pack.h"

#define FIRST_FIGURE "waits"

static const char head[] =
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<meta name=\"color-scheme\" content=\"light dark\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
    "style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:\">\n"
    "<link rel=\"icon\" href=\"data:,\">\n";

/* The chart's controls and canvas; the script fills in what depends on the run. */
static const char chart[] =
    "<div class=\"controls\" id=\"chart-controls\">\n"
    "<label>Run <select id=\"chart-run\"></select></label>\n"
    "<label>Rows <select id=\"chart-rows\"><option value=\"place\">by node</option>"
    "<option value=\"job\">by job</option></select></label>\n"
    "<label>Colour <select id=\"chart-colour\"></select></label>\n"
    "<label>Find job <input id=\"chart-find\" size=\"9\" autocomplete=\"off\" "
    "spellcheck=\"false\"></label>\n"
    "<span class=\"buttons\"><button type=\"button\" id=\"chart-in\" aria-label=\"Zoom in\">+"
    "</button><button type=\"button\" id=\"chart-out\" aria-label=\"Zoom "
    "out\">\342\210\222</button>"
    "<button type=\"button\" id=\"chart-all\">All</button></span>\n"
    "</div>\n"
    "<div id=\"chart-legend\" class=\"legend\"></div>\n"
    "<div class=\"chart\"><canvas id=\"chart\" tabindex=\"0\" role=\"application\" "
    "aria-label=\"Chart of jobs over time\" aria-describedby=\"chart-help\"></canvas>"
    "<div id=\"chart-tip\" class=\"tip\" hidden></div></div>\n"
    "<p id=\"chart-help\" class=\"note\">Drag to move. Zoom: the buttons, two fingers, the wheel "
    "with "
    "Ctrl, or + and \342\210\222. Arrows move, Home shows all, N and P go to the next and previous "
    "job, and a click or Enter tells a job's story.</p>\n"
    "<p id=\"chart-note\" class=\"note\"></p>\n"
    "<div id=\"story\" class=\"story\" aria-live=\"polite\"><p>Choose a job to see its story.</p>"
    "</div>\n";

void
lk_page_html_heading (GString *out, const char *id, const char *title)
{
  g_string_append_printf (out, "<section id=\"%s\" aria-labelledby=\"%s-h\">\n<h2 id=\"%s-h\">", id,
                          id, id);
  lk_plot_escape (out, title);
  g_string_append (out, "</h2>\n");
}

/* ---------------------------------------------------------------- numbers of a figure */

static void
duration_cell (GString *out, gint64 duration_us)
{
  g_autofree char *text = lk_duration_text (duration_us);
  g_string_append_printf (out, "<td>%s</td>", text);
}

static void
waits_row (const LkPage *page, const LkPageClass *class, guint run, GString *out)
{
  const LkPageWaits *waits = &class->waits[run];
  g_string_append (out, "<tr><th scope=\"row\">");
  lk_plot_escape (out, class->label);
  g_string_append (out, "</th><td class=\"words\">");
  lk_plot_escape (out, lk_page_run (page, run)->label);
  g_string_append_printf (out, "</td><td>%" G_GUINT64_FORMAT "</td>", waits->job_count);
  duration_cell (out, waits->mean_us);
  duration_cell (out, waits->p5_us);
  duration_cell (out, waits->p25_us);
  duration_cell (out, waits->median_us);
  duration_cell (out, waits->p75_us);
  duration_cell (out, waits->p95_us);
  g_string_append (out, "</tr>\n");
}

static void
waits_table (const LkPage *page, const LkPageFigure *figure, GString *out)
{
  g_string_append (
      out, "<details><summary>Numbers</summary><div class=\"scroll\" tabindex=\"0\">"
           "<table><thead><tr><th scope=\"col\">Class</th><th scope=\"col\">Run</th>"
           "<th scope=\"col\">Jobs</th><th scope=\"col\">Mean</th><th scope=\"col\">5 %</th>"
           "<th scope=\"col\">25 %</th><th scope=\"col\">Median</th>"
           "<th scope=\"col\">75 %</th><th scope=\"col\">95 %</th></tr></thead>\n<tbody>\n");
  for (guint i = 0; i < figure->classes->len; i++)
    for (guint run = 0; run < page->runs->len; run++)
      waits_row (page, g_ptr_array_index (figure->classes, i), run, out);
  g_string_append (out, "</tbody></table></div></details>\n");
}

void
lk_page_html_figure (const LkPage *page, const LkPageFigure *figure, GString *out)
{
  static const char *const sizes[] = { "wide", "narrow" };
  g_string_append (out, "<figure>\n");
  for (guint size = 0; size < LK_PLOT_SIZE_COUNT; size++) {
    g_string_append_printf (out, "<div class=\"%s\">", sizes[size]);
    lk_page_figure_draw (page, figure, size, LK_PLOT_INLINE, out);
    g_string_append (out, "</div>\n");
  }
  g_string_append (out, "<figcaption>");
  lk_plot_escape (out, figure->text);
  g_string_append (out, "</figcaption>\n");
  if (figure->is_by_bin)
    g_string_append (out, "<p class=\"readout\" aria-hidden=\"true\">&nbsp;</p>\n");
  g_string_append (out, "</figure>\n");
}

static void
figure_section (const LkPage *page, const LkPageFigure *figure, GString *out)
{
  lk_page_html_heading (out, figure->name, figure->title);
  lk_page_html_figure (page, figure, out);
  if (figure->classes != NULL)
    waits_table (page, figure, out);
  g_string_append (out, "</section>\n");
}

/* ---------------------------------------------------------------- data */

/* Two decimals do for what is read off a picture. */
static void
write_values (LkJsonOut *json, const double *values, guint count)
{
  lk_json_out_array_begin (json, NULL);
  for (guint i = 0; i < count; i++)
    lk_json_out_real (json, NULL, isnan (values[i]) ? values[i] : round (values[i] * 100) / 100);
  lk_json_out_array_end (json);
}

static void
write_figure (const LkPage *page, const LkPageFigure *figure, LkJsonOut *json)
{
  lk_json_out_object_begin (json, NULL);
  lk_json_out_text (json, "name", figure->name);
  lk_json_out_text (json, "unit", figure->unit);
  lk_json_out_integer (json, "begin_us", page->bins.begin_us);
  lk_json_out_integer (json, "width_us", page->bins.width_us);
  lk_json_out_array_begin (json, "labels");
  for (guint i = 0; i < figure->labels->len; i++)
    lk_json_out_text (json, NULL, g_ptr_array_index (figure->labels, i));
  lk_json_out_array_end (json);
  lk_json_out_array_begin (json, "values");
  for (guint i = 0; i < figure->series->len; i++)
    write_values (json, g_ptr_array_index (figure->series, i), page->bins.count);
  lk_json_out_array_end (json);
  lk_json_out_object_end (json);
}

/* In a script element nothing may look like its end. */
static void
append_json (GString *out, const char *json)
{
  for (; *json != '\0'; json++) {
    if (*json == '<')
      g_string_append (out, "\\u003c");
    else
      g_string_append_c (out, *json);
  }
}

static void
page_data (const LkPage *page, const GPtrArray *figures, GString *out)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GArray) offsets = lk_page_clock_offsets (&page->clock);
  LkJsonOut json;
  lk_json_out_init (&json, text);
  lk_json_out_object_begin (&json, NULL);
  lk_json_out_text (&json, "zone", page->clock.zone != NULL ? page->clock.zone_name : NULL);
  lk_json_out_integer (&json, "begin_us", page->clock.begin_us);
  lk_json_out_integer (&json, "end_us", page->clock.end_us);
  lk_json_out_array_begin (&json, "offsets_s");
  for (guint i = 0; i < offsets->len; i++)
    lk_json_out_integer (&json, NULL, g_array_index (offsets, gint64, i));
  lk_json_out_array_end (&json);
  lk_json_out_array_begin (&json, "labels");
  for (guint i = 0; i < page->runs->len; i++)
    lk_json_out_text (&json, NULL, lk_page_run (page, i)->label);
  lk_json_out_array_end (&json);
  lk_json_out_array_begin (&json, "columns");
#define X(name, sign) lk_json_out_text (&json, NULL, #name "/" #sign);
  LK_PAGE_COLUMNS (X)
#undef X
  lk_json_out_array_end (&json);
  lk_json_out_array_begin (&json, "figures");
  for (guint i = 0; i < figures->len; i++) {
    const LkPageFigure *figure = g_ptr_array_index (figures, i);
    if (figure->is_by_bin)
      write_figure (page, figure, &json);
  }
  lk_json_out_array_end (&json);
  lk_json_out_object_end (&json);
  g_string_append (out, "<script type=\"application/json\" id=\"page-data\">");
  append_json (out, text->str);
  g_string_append (out, "</script>\n");
}

/* ---------------------------------------------------------------- all of it */

/* The figure at the top of a page on several runs. */
static gboolean
is_first (const LkPage *page, const LkPageFigure *figure)
{
  return page->runs->len > 1 && strcmp (figure->name, FIRST_FIGURE) == 0;
}

void
lk_page_html_link (GString *out, const char *id, const char *title)
{
  g_string_append_printf (out, " <a href=\"#%s\">", id);
  lk_plot_escape (out, title);
  g_string_append (out, "</a>");
}

static void
navigation (const LkPage *page, const GPtrArray *figures, GString *out)
{
  gboolean is_comparison = page->runs->len > 1;
  g_string_append (out, "<nav aria-label=\"Figures\">");
  for (guint pass = 0; pass < 2; pass++) {
    for (guint i = 0; i < figures->len; i++) {
      const LkPageFigure *figure = g_ptr_array_index (figures, i);
      if (!figure->is_chart && is_first (page, figure) == (pass == 0))
        lk_page_html_link (out, figure->name, figure->title);
    }
    if (pass == 0) {
      lk_page_html_link (out, is_comparison ? "summary" : "jobs",
                         is_comparison ? "Summary" : "Jobs");
      lk_page_html_link (out, is_comparison ? "jobs" : "summary",
                         is_comparison ? "Jobs" : "Summary");
    }
  }
  g_string_append (out, "</nav>\n");
}

void
lk_page_html_begin (const char *title, GString *out)
{
  g_string_append (out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
  g_string_append (out, head);
  g_string_append (out, "<title>");
  lk_plot_escape (out, title);
  g_string_append (out, "</title>\n<style>\n");
  g_string_append (out, lk_page_css);
  g_string_append (out, "</style>\n</head>\n<body>\n<header><h1>");
  lk_plot_escape (out, title);
  g_string_append (out, "</h1><button type=\"button\" id=\"theme\">Dark</button></header>\n");
}

static void
body_begin (const LkPage *page, const GPtrArray *figures, GString *out)
{
  lk_page_html_begin (page->title, out);
  navigation (page, figures, out);
  g_string_append (out, "<main>\n<noscript><p class=\"note\">The chart of jobs needs JavaScript; "
                        "all else is below.</p></noscript>\n");
}

static void
summary_section (const LkPage *page, GString *out)
{
  lk_page_html_heading (out, "summary", "Summary");
  lk_page_summary (page, out);
  g_string_append (out, "</section>\n");
}

static void
jobs_section (GString *out)
{
  lk_page_html_heading (out, "jobs", "Jobs");
  g_string_append (out, chart);
  g_string_append (out, "</section>\n");
}

/* A chart is what is seen first: of several runs how long jobs waited, of one its jobs. */
static void
sections (const LkPage *page, const GPtrArray *figures, GString *out)
{
  lk_page_verdict (page, out);
  for (guint i = 0; i < figures->len; i++) {
    const LkPageFigure *figure = g_ptr_array_index (figures, i);
    if (is_first (page, figure))
      figure_section (page, figure, out);
  }
  if (page->runs->len > 1)
    summary_section (page, out);
  jobs_section (out);
  if (page->runs->len == 1)
    summary_section (page, out);
  for (guint i = 0; i < figures->len; i++) {
    const LkPageFigure *figure = g_ptr_array_index (figures, i);
    if (!figure->is_chart && !is_first (page, figure))
      figure_section (page, figure, out);
  }
}

void
lk_page_html (const LkPage *page, const GPtrArray *figures, guint *out_kept_counts, GString *out)
{
  body_begin (page, figures, out);
  sections (page, figures, out);
  g_string_append (out, "</main>\n");
  page_data (page, figures, out);
  for (guint i = 0; i < page->runs->len; i++) {
    guint limit = page->job_limit / page->runs->len;
    g_autofree char *packed =
        lk_page_pack (page, lk_page_run (page, i), limit, &out_kept_counts[i]);
    g_string_append_printf (out,
                            "<script type=\"application/octet-stream\" id=\"run-%u\">%s"
                            "</script>\n",
                            i, packed);
  }
  g_string_append (out, "<script>\n");
  g_string_append (out, lk_page_js);
  g_string_append (out, "</script>\n</body>\n</html>\n");
}
