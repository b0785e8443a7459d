/* sim/page/page_summary.c — the summary of a page: what the runs are, and their metrics side by
 * side.  Declared in page_html.h. */
#include <math.h>
#include <string.h>

#include "sim/duration.h"
#include "sim/page/page_html.h"
#include "sim/page/page_pair.h"
#include "sim/statistics/paired.h"

static const struct {
  const char *text;
  const char *unit;
  int better;
} metrics[LK_PAGE_METRIC_COUNT] = {
#define X(NAME, column, text, unit, better, factor) { text, unit, better },
  LK_PAGE_METRICS (X)
#undef X
};

#define MACHINE_ROW 1u /* behind which the policies are told */

static void
row_begin (GString *out, const char *heading)
{
  g_string_append (out, "<tr><th scope=\"row\">");
  lk_plot_escape (out, heading);
  g_string_append (out, "</th>");
}

/* The colour of a run. */
static void
append_key (GString *out, guint index)
{
  g_string_append_printf (out,
                          "<svg class=\"key\" viewBox=\"0 0 12 12\" aria-hidden=\"true\">"
                          "<rect class=\"f%u\" width=\"12\" height=\"12\"/></svg> ",
                          index % LK_PAGE_COLOURS);
}

/* Each cell has its run's name, which a narrow screen shows in the place of the table's head. */
static void
cell_begin (const LkPage *page, guint index, const char *classes, GString *out)
{
  g_string_append_printf (out, "<td class=\"%s\">", classes);
  if (page->runs->len == 1)
    return;
  g_string_append (out, "<span class=\"of\" aria-hidden=\"true\">");
  append_key (out, index);
  lk_plot_escape (out, lk_page_run (page, index)->label);
  g_string_append (out, "</span>");
}

static void
text_cell (const LkPage *page, guint index, const char *text, GString *out)
{
  cell_begin (page, index, "words", out);
  lk_plot_escape (out, *text != '\0' ? text : "\342\200\223");
  g_string_append (out, "</td>");
}

static char *
machine_text (const LkPageRun *run)
{
  if (run->is_live)
    return g_strdup_printf ("live cluster %s", run->machine);
  if (run->machine[0] == '\0')
    return g_strdup_printf ("a pool of %" G_GUINT64_FORMAT " processors", run->procs);
  return g_strdup_printf ("%s, %" G_GUINT64_FORMAT " processors", run->machine, run->procs);
}

static char *
period_text (const LkPage *page, const LkPageRun *run)
{
  g_autofree char *begin = lk_page_clock_moment (&page->clock, run->begin_us + run->shift_us);
  g_autofree char *end = lk_page_clock_moment (&page->clock, run->end_us + run->shift_us);
  return g_strdup_printf ("%s to %s%s%s", begin, end, page->clock.zone != NULL ? " " : "",
                          page->clock.zone != NULL ? page->clock.zone_name : "");
}

typedef char *(*Describe) (const LkPage *page, const LkPageRun *run);

static char *
describe_machine (const LkPage *page, const LkPageRun *run)
{
  (void)page;
  return machine_text (run);
}

static char *
describe_trace (const LkPage *page, const LkPageRun *run)
{
  (void)page;
  return g_path_get_basename (run->trace[0] != '\0' ? run->trace : run->source);
}

static char *
describe_digest (const LkPage *page, const LkPageRun *run)
{
  (void)page;
  return g_strndup (run->digest, 8);
}

/* Names only; all parameters fold out. */
static void
policies_cell (const LkPage *page, guint index, GString *out)
{
  const LkPageRun *run = lk_page_run (page, index);
  g_autoptr (GString) names = g_string_new (NULL);
  gboolean is_parameter = FALSE;
  guint depth = 0;
  for (const char *at = run->policies; *at != '\0'; at++) {
    depth += *at == '(';
    is_parameter = depth > 0 || *at == ':' || (is_parameter && !g_str_has_prefix (at, ", "));
    depth -= *at == ')' && depth > 0;
    if (!is_parameter)
      g_string_append_c (names, *at);
  }
  if (strcmp (names->str, run->policies) == 0) {
    text_cell (page, index, run->policies, out);
    return;
  }
  cell_begin (page, index, "words", out);
  g_string_append (out, "<details><summary>");
  lk_plot_escape (out, names->str);
  g_string_append (out, "</summary>");
  lk_plot_escape (out, run->policies);
  g_string_append (out, "</details></td>");
}

static void
policies_row (const LkPage *page, GString *out)
{
  row_begin (out, "Policies");
  for (guint i = 0; i < page->runs->len; i++)
    policies_cell (page, i, out);
  g_string_append (out, "</tr>\n");
}

static void
facts (const LkPage *page, GString *out)
{
  static const struct {
    const char *heading;
    Describe describe;
  } rows[] = { { "From", describe_trace },
               { "Machine", describe_machine },
               { "Time", period_text },
               { "Decision digest", describe_digest } };
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++) {
    row_begin (out, rows[i].heading);
    for (guint k = 0; k < page->runs->len; k++) {
      g_autofree char *text = rows[i].describe (page, lk_page_run (page, k));
      text_cell (page, k, text, out);
    }
    g_string_append (out, "</tr>\n");
    if (i == MACHINE_ROW)
      policies_row (page, out);
  }
}

/* ---------------------------------------------------------------- metrics */

static char *
metric_text (double value, const char *unit)
{
  char text[LK_PAGE_NUMBER_BYTES];
  if (isnan (value))
    return g_strdup ("\342\200\223");
  if (strcmp (unit, "s") == 0)
    return lk_duration_text ((gint64)(value * 1e6 + 0.5));
  if (strcmp (unit, "%") == 0) {
    lk_page_number (value, 2, text);
    return g_strconcat (text, " %", NULL);
  }
  lk_page_number (value, strcmp (unit, "x") == 0 ? 2 : 0, text);
  return g_strdup (text);
}

/* Better than all that differ; several may be alike. */
static gboolean
is_best (const LkPage *page, guint metric, double value)
{
  gboolean differs = FALSE;
  if (metrics[metric].better == 0 || isnan (value))
    return FALSE;
  for (guint i = 0; i < page->runs->len; i++) {
    double other = lk_page_run (page, i)->metrics[metric];
    if (isnan (other))
      return FALSE;
    if ((other - value) * metrics[metric].better > 0)
      return FALSE;
    differs = differs || other < value || other > value;
  }
  return differs;
}

/* What is compared job by job. */
static const LkPairedRow *
paired_row (const LkPageRun *run, guint metric)
{
  if (run->paired == NULL)
    return NULL;
  switch (metric) {
  case LK_PAGE_METRIC_WAIT_MEAN:
    return &run->paired->rows[LK_PAIRED_WAIT_MEAN];
  case LK_PAGE_METRIC_WAIT_P95:
    return &run->paired->rows[LK_PAIRED_WAIT_P95];
  case LK_PAGE_METRIC_SLOWDOWN_MEAN:
    return &run->paired->rows[LK_PAIRED_SLOWDOWN_MEAN];
  case LK_PAGE_METRIC_SLOWDOWN_P95:
    return &run->paired->rows[LK_PAIRED_SLOWDOWN_P95];
  default:
    return NULL;
  }
}

/* "-10" or "+14", of a ratio of both means. */
static char *
change_text (double ratio)
{
  char text[LK_PAGE_NUMBER_BYTES];
  lk_page_number (100 * (ratio - 1), 1, text);
  return g_strconcat (ratio > 1 ? "+" : "", text, NULL);
}

/* "95 %: -10 to +14 %": of the ratio in each drawn set, as in the verdict, so that it ends at 100 %
 * less; the interval of the difference, over one mean, would not. */
static void
append_interval (const LkPageRun *run, guint metric, GString *out)
{
  const LkPairedRow *row = paired_row (run, metric);
  if (row == NULL || !isfinite (row->interval.ratio_low))
    return;
  g_autofree char *low = change_text (row->interval.ratio_low);
  g_autofree char *high = change_text (row->interval.ratio_high);
  g_string_append_printf (out, "<small class=\"interval\">%.0f %%: %s to %s %%</small>",
                          100 * LK_PAGE_LEVEL_RATIO, low, high);
}

static void
metric_cell (const LkPage *page, guint index, guint metric, GString *out)
{
  double value = lk_page_run (page, index)->metrics[metric];
  double first = lk_page_run (page, 0)->metrics[metric];
  g_autofree char *text = metric_text (value, metrics[metric].unit);
  gboolean best = is_best (page, metric, value);
  cell_begin (page, index, best ? "best" : "value", out);
  lk_plot_escape (out, text);
  if (best)
    g_string_append (out, " <span title=\"best of these runs\" aria-label=\"best\">*</span>");
  if (index > 0 && fabs (value - first) > 0 && fabs (first) > 0) {
    char change[LK_PAGE_NUMBER_BYTES];
    lk_page_number (100 * (value - first) / fabs (first), 1, change);
    g_string_append_printf (out, "<small>%s%s %%</small>", value > first ? "+" : "", change);
  }
  append_interval (lk_page_run (page, index), metric, out);
  g_string_append (out, "</td>");
}

static gboolean
has_metric (const LkPage *page, guint metric)
{
  for (guint i = 0; i < page->runs->len; i++) {
    double value = lk_page_run (page, i)->metrics[metric];
    if (!isnan (value) && (value > 0 || metric <= LK_PAGE_METRIC_MAKESPAN))
      return TRUE;
  }
  return FALSE;
}

void
lk_page_summary (const LkPage *page, GString *out)
{
  g_string_append (out, "<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
                        "aria-label=\"Summary of the runs\"><table class=\"summary\">\n<thead><tr>"
                        "<td></td>");
  for (guint i = 0; i < page->runs->len; i++) {
    g_string_append (out, "<th scope=\"col\">");
    append_key (out, i);
    lk_plot_escape (out, lk_page_run (page, i)->label);
    g_string_append (out, "</th>");
  }
  g_string_append (out, "</tr></thead>\n<tbody>\n");
  facts (page, out);
  for (guint metric = 0; metric < LK_PAGE_METRIC_COUNT; metric++) {
    if (!has_metric (page, metric))
      continue;
    row_begin (out, metrics[metric].text);
    for (guint i = 0; i < page->runs->len; i++)
      metric_cell (page, i, metric, out);
    g_string_append (out, "</tr>\n");
  }
  g_string_append (out, "</tbody></table></div>\n");
  if (page->runs->len > 1)
    g_string_append (out, "<p class=\"note\">* is the best of a row; percentages are against the "
                          "first run. 95 %: the interval in which the change lies when days or "
                          "weeks of the log are drawn again, as lockstep compare has it; where it "
                          "includes 0, no difference is shown.</p>\n");
}

/* ---------------------------------------------------------------- in a sentence */

static gboolean
nobody_waits (const LkPage *page)
{
  for (guint i = 0; i < page->runs->len; i++)
    if (!(lk_page_run (page, i)->metrics[LK_PAGE_METRIC_WAIT_MAX] <= 0))
      return FALSE;
  return TRUE;
}

/* Of one run: there is nothing to hold it against. */
static void
append_outcome (const LkPageRun *run, GString *out)
{
  g_autofree char *mean = metric_text (run->metrics[LK_PAGE_METRIC_WAIT_MEAN], "s");
  g_autofree char *median = metric_text (run->metrics[LK_PAGE_METRIC_WAIT_MEDIAN], "s");
  g_autofree char *p95 = metric_text (run->metrics[LK_PAGE_METRIC_WAIT_P95], "s");
  g_autofree char *use = metric_text (run->metrics[LK_PAGE_METRIC_UTILIZATION], "%");
  g_autofree char *jobs = metric_text (run->metrics[LK_PAGE_METRIC_JOBS], "");
  g_string_append_printf (out,
                          "%s jobs waited %s on average, half of them at most %s, 95 %% at most "
                          "%s",
                          jobs, mean, median, p95);
  if (!isnan (run->metrics[LK_PAGE_METRIC_UTILIZATION]))
    g_string_append_printf (out, "; utilization %s", use);
}

void
lk_page_verdict (const LkPage *page, GString *out)
{
  g_string_append (out, "<section id=\"verdict\" aria-label=\"Verdict\"><ul class=\"verdict\">\n");
  for (guint i = page->runs->len > 1 ? 1 : 0; i < page->runs->len; i++) {
    const LkPageRun *run = lk_page_run (page, i);
    g_autoptr (GString) text = g_string_new (NULL);
    if (run->paired != NULL)
      lk_paired_verdict (run->paired, lk_page_run (page, 0)->label, run->label, text);
    else
      append_outcome (run, text);
    g_string_append (out, "<li>");
    append_key (out, i);
    lk_plot_escape (out, text->str);
    g_string_append (out, ".</li>\n");
  }
  if (nobody_waits (page))
    g_string_append (out, "<li>" LK_NOBODY_WAITS "</li>\n");
  g_string_append (out, "</ul></section>\n");
}
