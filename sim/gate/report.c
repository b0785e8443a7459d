/* sim/gate/report.c — see report.h. */
#include "sim/gate/report.h"

#include <math.h>
#include <string.h>

#include "sim/duration.h"

gboolean
lk_gate_check_is_good (const LkGateCheck *check)
{
  return check->before != NULL && check->now != NULL && !check->decisions_differ
         && !check->metrics_differ && !check->is_slow;
}

guint
lk_gate_report_bad_count (const LkGateReport *self)
{
  guint count = 0;
  for (guint i = 0; i < self->checks->len; i++)
    count += lk_gate_check_is_good (g_ptr_array_index (self->checks, i)) ? 0 : 1;
  return count;
}

/* ---------------------------------------------------------------- pieces of Markdown */

/* A cell of a table: nothing in it may end it, or begin anything else. */
static void
cell (GString *out, const char *text)
{
  g_string_append (out, " ");
  for (const char *at = text; *at != '\0'; at++) {
    if (strchr ("|\\`*_<>[]#", *at) != NULL)
      g_string_append_c (out, '\\');
    g_string_append_c (out, *at);
  }
  g_string_append (out, " |");
}

static void
cell_seconds (GString *out, double seconds)
{
  g_autofree char *text = lk_duration_cell (seconds, 1);
  cell (out, text);
}

static void
cell_change (GString *out, double seconds)
{
  g_autofree char *text = lk_duration_change (seconds, 1);
  cell (out, text);
}

/* Seconds of the log's clock; "-" for a start that is not there. */
static void
cell_start (GString *out, const LkGateStart *start)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE] = "-";
  if (start != NULL) {
    double start_s = (double)start->start_us / 1e6;
    g_ascii_formatd (text, sizeof text, start->start_us % G_USEC_PER_SEC == 0 ? "%.0f" : "%.6f",
                     start_s);
  }
  cell (out, text);
}

static void
code_line (GString *out, const char *label, const char *text)
{
  g_string_append_printf (out, "    %s  %s\n", label, text);
}

static const char *
verdict (const LkGateCheck *check)
{
  if (check->before == NULL)
    return "not in the baseline";
  if (check->now == NULL)
    return "no longer in the plan";
  if (check->decisions_differ)
    return "DIFFERENT";
  return check->metrics_differ ? "same, other metrics" : "same";
}

static void
speed_cell (const LkGateReport *self, const LkGateCheck *check, GString *out)
{
  char now[G_ASCII_DTOSTR_BUF_SIZE];
  char before[G_ASCII_DTOSTR_BUF_SIZE];
  double now_ratio = check->now != NULL ? check->now->speed_ratio : NAN;
  double before_ratio = check->before != NULL ? check->before->speed_ratio : NAN;
  if (!self->with_speed || isnan (now_ratio)) {
    cell (out, "-");
    return;
  }
  g_ascii_formatd (now, sizeof now, "%.2f", now_ratio);
  if (isnan (before_ratio)) {
    cell (out, now);
    return;
  }
  g_ascii_formatd (before, sizeof before, "%.2f", before_ratio);
  g_autofree char *text =
      g_strdup_printf ("%s, was %s%s", now, before, check->is_slow ? ": SLOWER" : "");
  cell (out, text);
}

/* ---------------------------------------------------------------- one run */

static void
show_changes (const LkGateReport *self, const LkGateDifference *difference, GString *out)
{
  guint count = MIN (difference->changes->len, self->changes_max);
  g_string_append_printf (out,
                          "%" G_GUINT64_FORMAT " jobs start at another time, %" G_GUINT64_FORMAT
                          " on other nodes at the same time, %" G_GUINT64_FORMAT
                          " no longer, %" G_GUINT64_FORMAT " newly.\n",
                          difference->moved_count, difference->placed_count, difference->gone_count,
                          difference->new_count);
  if (count == 0)
    return;
  g_string_append_printf (out,
                          "The first %u, in seconds of the log's clock:\n\n"
                          "| job | user | processors | submitted | started before | starts now |"
                          " nodes before | nodes now |\n|---|---|---|---|---|---|---|---|\n",
                          count);
  for (guint i = 0; i < count; i++) {
    const LkGateChange *change = &g_array_index (difference->changes, LkGateChange, i);
    const LkGateStart *known = change->after;
    g_autofree char *user =
        known != NULL ? g_strdup_printf ("%" G_GINT64_FORMAT, known->user) : g_strdup ("-");
    g_autofree char *procs = known != NULL ? g_strdup_printf ("%u", known->procs) : g_strdup ("-");
    LkGateStart submitted = { .start_us = known != NULL ? known->submit_us : 0 };
    g_string_append_c (out, '|');
    cell (out, known != NULL ? known->job : change->before->job);
    cell (out, user);
    cell (out, procs);
    cell_start (out, known != NULL ? &submitted : NULL);
    cell_start (out, change->before);
    cell_start (out, change->after);
    cell (out, change->before != NULL ? change->before->nodes : "-");
    cell (out, change->after != NULL ? change->after->nodes : "-");
    g_string_append_c (out, '\n');
  }
}

static void
show_groups (const LkGateReport *self, const char *title, const GPtrArray *groups, GString *out)
{
  guint count = MIN (groups->len, self->changes_max);
  g_autofree char *before = lk_duration_label ("mean wait before");
  g_autofree char *now = lk_duration_label ("now");
  g_autofree char *change = lk_duration_label ("change");
  if (count == 0)
    return;
  g_string_append_printf (out,
                          "\n| %s | jobs | moved | %s | %s | %s |\n|---|---|---|---|---|---|\n",
                          title, before, now, change);
  for (guint i = 0; i < count; i++) {
    const LkGateGroup *group = g_ptr_array_index (groups, i);
    g_autofree char *jobs = g_strdup_printf ("%" G_GUINT64_FORMAT, group->job_count);
    g_autofree char *moved = g_strdup_printf ("%" G_GUINT64_FORMAT, group->moved_count);
    g_string_append_c (out, '|');
    cell (out, group->name);
    cell (out, jobs);
    cell (out, moved);
    cell_seconds (out, group->before_mean_s);
    cell_seconds (out, group->after_mean_s);
    cell_change (out, group->after_mean_s - group->before_mean_s);
    g_string_append_c (out, '\n');
  }
  if (groups->len > count)
    g_string_append_printf (out, "\nand %u more.\n", groups->len - count);
}

static void
show_metrics (const LkGateCheck *check, GString *out)
{
  gboolean any = FALSE;
  for (guint m = 0; m < LK_GATE_METRIC_COUNT; m++) {
    if (strcmp (check->before->metrics[m], check->now->metrics[m]) == 0)
      continue;
    if (!any)
      g_string_append (out, "\n| metric | before | now |\n|---|---|---|\n");
    any = TRUE;
    g_string_append_c (out, '|');
    cell (out, lk_gate_metric_name (m));
    cell (out, check->before->metrics[m]);
    cell (out, check->now->metrics[m]);
    g_string_append_c (out, '\n');
  }
}

static void
show_run (const LkGateReport *self, const LkGateCheck *check, GString *out)
{
  g_string_append_printf (out, "\n## %s\n\n", check->name);
  if (check->before == NULL || check->now == NULL) {
    g_string_append_printf (out, "%s; `--update` writes the baseline anew.\n",
                            check->before == NULL ? "The baseline does not know this run"
                                                  : "The plan no longer has this run");
    return;
  }
  if (strcmp (check->before->command, check->now->command) != 0) {
    g_string_append (out, "Its settings have changed:\n\n");
    code_line (out, "before", check->before->command);
    code_line (out, "now   ", check->now->command);
    g_string_append_c (out, '\n');
  }
  if (check->is_slow) {
    char tolerance[G_ASCII_DTOSTR_BUF_SIZE];
    g_ascii_formatd (tolerance, sizeof tolerance, "%.0f", self->tolerance_percent);
    g_string_append_printf (out,
                            "It takes longer, held against the floor, than the baseline and %s %% "
                            "of it.\n\n",
                            tolerance);
  }
  if (check->decisions_differ && check->difference != NULL && check->difference->changes->len == 0)
    g_string_append (out, "All jobs start when and where they did; other decisions differ, such as "
                          "what is killed, requeued or refused.\n");
  else if (check->difference != NULL)
    show_changes (self, check->difference, out);
  else if (check->decisions_differ && self->starts_problem != NULL)
    g_string_append_printf (out, "Which decisions differ cannot be told: %s.\n",
                            self->starts_problem);
  if (check->difference != NULL) {
    show_groups (self, "whom it meets", check->difference->users, out);
    show_groups (self, "account", check->difference->accounts, out);
    show_groups (self, "jobs of", check->difference->sizes, out);
  }
  show_metrics (check, out);
}

void
lk_gate_report_markdown (const LkGateReport *self, GString *out)
{
  guint bad_count = lk_gate_report_bad_count (self);
  if (bad_count == 0)
    g_string_append_printf (out, "# Gate: passed\n\n%u runs are as the baseline has them.\n\n",
                            self->checks->len);
  else
    g_string_append_printf (out,
                            "# Gate: FAILED\n\n%u of %u runs are not as the baseline has "
                            "them.\n\n",
                            bad_count, self->checks->len);
  g_autofree char *wait = lk_duration_label ("mean wait");
  g_string_append_printf (out, "| run | decisions | %s | time, x floor |\n|---|---|---|---|\n",
                          wait);
  for (guint i = 0; i < self->checks->len; i++) {
    const LkGateCheck *check = g_ptr_array_index (self->checks, i);
    const LkGateRun *known = check->now != NULL ? check->now : check->before;
    g_string_append_c (out, '|');
    cell (out, check->name);
    cell (out, verdict (check));
    if (strcmp (known->metrics[LK_GATE_MEAN_WAIT], "-") != 0)
      cell_seconds (out, g_ascii_strtod (known->metrics[LK_GATE_MEAN_WAIT], NULL));
    else
      cell (out, "-");
    speed_cell (self, check, out);
    g_string_append_c (out, '\n');
  }
  for (guint i = 0; i < self->checks->len; i++)
    if (!lk_gate_check_is_good (g_ptr_array_index (self->checks, i)))
      show_run (self, g_ptr_array_index (self->checks, i), out);
}

/* ---------------------------------------------------------------- JUnit */

static void
junit_case (GString *out, const char *name, const char *kind, const char *failure,
            const char *details)
{
  /* What XML cannot hold at all was refused in names. */
  g_autofree char *escaped = g_markup_escape_text (name, -1);
  g_string_append_printf (out, "    <testcase classname=\"lockstep.gate.%s\" name=\"%s\"", kind,
                          escaped);
  if (failure == NULL) {
    g_string_append (out, "/>\n");
    return;
  }
  g_autofree char *message = g_markup_escape_text (failure, -1);
  g_autofree char *text = g_markup_escape_text (details, -1);
  g_string_append_printf (out, ">\n      <failure message=\"%s\">%s</failure>\n    </testcase>\n",
                          message, text);
}

static void
junit_run (const LkGateReport *self, const LkGateCheck *check, GString *out)
{
  g_autoptr (GString) details = g_string_new (NULL);
  gboolean differs = check->before == NULL || check->now == NULL || check->decisions_differ
                     || check->metrics_differ;
  if (!lk_gate_check_is_good (check))
    show_run (self, check, details);
  junit_case (out, check->name, "decisions", differs ? verdict (check) : NULL, details->str);
  if (self->with_speed && check->before != NULL && check->now != NULL)
    junit_case (out, check->name, "speed", check->is_slow ? "slower than the baseline" : NULL,
                details->str);
}

void
lk_gate_report_junit (const LkGateReport *self, GString *out)
{
  guint case_count = 0;
  guint failure_count = 0;
  g_autoptr (GString) cases = g_string_new (NULL);
  for (guint i = 0; i < self->checks->len; i++)
    junit_run (self, g_ptr_array_index (self->checks, i), cases);
  for (const char *at = cases->str; (at = strstr (at, "<testcase ")) != NULL; at++)
    case_count++;
  for (const char *at = cases->str; (at = strstr (at, "<failure ")) != NULL; at++)
    failure_count++;
  g_string_append_printf (out,
                          "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
                          "  <testsuite name=\"lockstep gate\" tests=\"%u\" failures=\"%u\">\n"
                          "%s  </testsuite>\n</testsuites>\n",
                          case_count, failure_count, cases->str);
}
