/* sim/compare_show.c — a comparison as a table, as CSV and as JSON. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "sim/compare.h"
#include "sim/decimal.h"
#include "sim/duration.h"
#include "sim/text_wrap.h"
#include "sim/users/offered_load.h"

/* Which direction is better. */
typedef enum { NEITHER, LOWER, HIGHER } Better;

typedef struct {
  const char *label;
  LkSummaryFieldType type;
  gsize offset; /* in LkSummary */
  double scale; /* from the stored unit to the one shown */
  int decimals;
  Better better;
  gboolean is_time; /* seconds, when scaled */
} Row;

#define ROW_OF(label, type, member, scale, decimals, better, is_time)                              \
  {                                                                                                \
    label, LK_FIELD_##type, offsetof (LkSummary, member), scale, decimals, better, is_time         \
  }
#define ROW(label, type, member, scale, decimals, better)                                          \
  ROW_OF (label, type, member, scale, decimals, better, FALSE)
#define TIME(label, type, member, scale, decimals, better)                                         \
  ROW_OF (label, type, member, scale, decimals, better, TRUE)

static const Row rows[] = {
  ROW ("jobs", COUNT, metrics.jobs, 1, 0, NEITHER),
  ROW ("jobs measured", COUNT, metrics.jobs_measured, 1, 0, NEITHER),
  TIME ("mean wait", REAL, metrics.mean_wait_s, 1, 1, LOWER),
  TIME ("median wait", REAL, metrics.median_wait_s, 1, 1, LOWER),
  TIME ("95th pct wait", REAL, metrics.p95_wait_s, 1, 1, LOWER),
  TIME ("max wait", REAL, metrics.max_wait_s, 1, 1, LOWER),
  ROW ("mean bounded slowdown", REAL, metrics.mean_bounded_slowdown, 1, 3, LOWER),
  ROW ("median bounded slowdown", REAL, metrics.median_bounded_slowdown, 1, 3, LOWER),
  ROW ("95th pct bounded slowdown", REAL, metrics.p95_bounded_slowdown, 1, 3, LOWER),
  TIME ("makespan", SECONDS, metrics.makespan_us, 1e-6, 0, LOWER),
  ROW ("utilization, %", REAL, metrics.utilization, 100, 2, HIGHER),
  ROW ("backfilled jobs", COUNT, backfilled_jobs, 1, 0, NEITHER),
  ROW ("killed jobs", COUNT, killed_jobs, 1, 0, NEITHER),
};

#define LABEL_WIDTH_MIN 28
#define VALUE_WIDTH 14
#define CHANGE_WIDTH 9

static const LkComparedRun *
run_at (const LkComparison *self, guint index)
{
  return (const LkComparedRun *)g_ptr_array_index (self->runs, index);
}

static double
value_of (const LkSummary *summary, const Row *row)
{
  const char *place = (const char *)summary + row->offset;
  if (row->type == LK_FIELD_COUNT)
    return (double)*(const guint64 *)(const void *)place * row->scale;
  if (row->type == LK_FIELD_SECONDS)
    return (double)*(const gint64 *)(const void *)place * row->scale;
  return *(const double *)(const void *)place * row->scale;
}

/* Equal to the last bit, or both absent. */
static gboolean
is_same (double a, double b)
{
  return (isnan (a) && isnan (b)) || (a <= b && a >= b);
}

/* The better of two, where an absent one loses. */
static double
better_of (double a, double b, Better better)
{
  if (isnan (a) || isnan (b))
    return isnan (a) ? b : a;
  return better == LOWER ? MIN (a, b) : MAX (a, b);
}

/* Characters, where the format's widths count bytes. */
static void
append_padded (GString *out, const char *text, int width)
{
  int length = (int)g_utf8_strlen (text, -1);
  g_string_append_printf (out, "%*s%s", MAX (width - length, 0), "", text);
}

static char *
wait_label (const LkAccountWait *wait)
{
  g_autofree char *label = g_strdup_printf ("wait %s/%s", wait->account, wait->qos);
  return lk_duration_label (label);
}

/* Of the first column. */
static int
label_width (const LkComparison *self)
{
  glong width = LABEL_WIDTH_MIN;
  for (guint i = 0; i < self->runs->len; i++) {
    const GArray *waits = run_at (self, i)->summary->account_waits;
    for (guint w = 0; w < waits->len; w++) {
      g_autofree char *label = wait_label (&g_array_index (waits, LkAccountWait, w));
      width = MAX (width, g_utf8_strlen (label, -1));
    }
  }
  return (int)width;
}

static void
append_label (const LkComparison *self, gboolean differs, const char *label, GString *out)
{
  int length = (int)g_utf8_strlen (label, -1);
  g_string_append_printf (out, "%c %s%*s", differs ? '!' : ' ', label, label_width (self) - length,
                          "");
}

static int
column_width (const LkComparedRun *run)
{
  return MAX (VALUE_WIDTH + 1 + CHANGE_WIDTH, (int)g_utf8_strlen (run->name, -1) + 2);
}

static void
append_value (GString *out, double value, int decimals, int width)
{
  char format[8];
  char text[64] = "-";
  g_snprintf (format, sizeof format, "%%.%df", decimals);
  if (!isnan (value))
    g_ascii_formatd (text, sizeof text, format, value);
  append_padded (out, text, width);
}

static void
append_change (GString *out, double first, double value)
{
  char text[64] = "";
  double change = (value - first) / fabs (first) * 100;
  if (isfinite (change) && !is_same (first, value))
    g_ascii_formatd (text, sizeof text, fabs (change) < 1000 ? "%+.1f" : "%+.0f", change);
  if (text[0] != '\0')
    g_strlcat (text, "%", sizeof text);
  append_padded (out, text, CHANGE_WIDTH);
}

/* One value of each run, as a line. */
static void
table_values (const LkComparison *self, const Row *row, const double *values, GString *out)
{
  double best = self->runs->len > 0 ? values[0] : NAN;
  gboolean differs = FALSE;
  for (guint i = 1; i < self->runs->len; i++) {
    differs = differs || !is_same (values[i], values[0]);
    best = better_of (best, values[i], row->better);
  }
  g_autofree char *label = row->is_time ? lk_duration_label (row->label) : g_strdup (row->label);
  append_label (self, differs, label, out);
  for (guint i = 0; i < self->runs->len; i++) {
    const LkComparedRun *run = run_at (self, i);
    gboolean is_best = differs && row->better != NEITHER && is_same (values[i], best);
    g_autofree char *time = lk_duration_cell (values[i], row->decimals);
    if (row->is_time)
      append_padded (out, time, column_width (run) - CHANGE_WIDTH - 1);
    else
      append_value (out, values[i], row->decimals, column_width (run) - CHANGE_WIDTH - 1);
    g_string_append_c (out, is_best ? '*' : ' ');
    append_change (out, values[0], values[i]);
  }
  g_string_append_c (out, '\n');
}

static void
table_row (const LkComparison *self, const Row *row, GString *out)
{
  g_autofree double *values = g_new (double, self->runs->len);
  for (guint i = 0; i < self->runs->len; i++)
    values[i] = value_of (run_at (self, i)->summary, row);
  table_values (self, row, values, out);
}

static const LkAccountWait *
wait_of (const LkSummary *summary, const LkAccountWait *like)
{
  for (guint i = 0; i < summary->account_waits->len; i++) {
    const LkAccountWait *wait = &g_array_index (summary->account_waits, LkAccountWait, i);
    if (strcmp (wait->account, like->account) == 0 && strcmp (wait->qos, like->qos) == 0)
      return wait;
  }
  return NULL;
}

/* Mean waits of accounts and QOS: those of the first run, then what only later ones have. */
static void
table_account_waits (const LkComparison *self, GString *out)
{
  g_autofree double *values = g_new (double, self->runs->len);
  for (guint i = 0; i < self->runs->len; i++) {
    const GArray *waits = run_at (self, i)->summary->account_waits;
    for (guint w = 0; w < waits->len; w++) {
      const LkAccountWait *like = &g_array_index (waits, LkAccountWait, w);
      gboolean is_told = FALSE;
      for (guint j = 0; j < self->runs->len; j++) {
        const LkAccountWait *wait = wait_of (run_at (self, j)->summary, like);
        is_told = is_told || (wait != NULL && j < i);
        values[j] = wait != NULL ? wait->mean_wait_s : (double)NAN;
      }
      g_autofree char *label = g_strdup_printf ("wait %s/%s", like->account, like->qos);
      const Row row = { .label = label, .decimals = 1, .better = LOWER, .is_time = TRUE };
      if (!is_told)
        table_values (self, &row, values, out);
    }
  }
}

static void
table_starts (const LkComparison *self, GString *out)
{
  gboolean differs = FALSE;
  for (guint i = 1; i < self->runs->len; i++)
    differs = differs || run_at (self, i)->moved_count > 0;
  append_label (self, differs, "jobs that start differently", out);
  for (guint i = 0; i < self->runs->len; i++) {
    const LkComparedRun *run = run_at (self, i);
    double share = 100.0 * (double)run->moved_count / (double)MAX (run->paired_count, 1);
    char text[32] = "";
    append_value (out, i == 0 ? (double)NAN : (double)run->moved_count, 0,
                  column_width (run) - CHANGE_WIDTH - 1);
    g_string_append_c (out, ' ');
    if (i > 0)
      g_ascii_formatd (text, sizeof text, "%.1f", share);
    if (i > 0)
      g_strlcat (text, "%", sizeof text);
    append_padded (out, text, CHANGE_WIDTH);
  }
  g_string_append_c (out, '\n');
}

static void
append_runs (const LkComparison *self, GString *out)
{
  int width = 0;
  for (guint i = 0; i < self->runs->len; i++)
    width = MAX (width, (int)g_utf8_strlen (run_at (self, i)->name, -1));
  for (guint i = 0; i < self->runs->len; i++) {
    const LkComparedRun *run = run_at (self, i);
    const LkRunInfo *info = &run->summary->info;
    g_autoptr (GString) text = g_string_new (NULL);
    g_string_append (out, run->name);
    append_padded (out, "", width + 2 - (int)g_utf8_strlen (run->name, -1));
    g_string_append_printf (text, "order %s, backfill %s, select %s, digest %.8s", info->order,
                            info->backfill, info->select, run->summary->totals.decision_digest);
    if (g_str_has_prefix (info->users, "closed"))
      g_string_append_printf (text, ", users %s", info->users);
    lk_text_wrap (out, text->str, (guint)width + 2);
  }
}

/* What has to be equal for two schedules to be comparable. */
static const char *const shared_columns[] = { "trace",     "procs",          "limit_rule",
                                              "tie_rule",  "estimates",      "users",
                                              "jobs",      "window_begin_s", "warmup_s",
                                              "cooldown_s" };

static gboolean
field_equal (const LkSummaryField *field, const LkSummary *a, const LkSummary *b)
{
  const char *place_a = (const char *)a + field->offset;
  const char *place_b = (const char *)b + field->offset;
  if (field->type == LK_FIELD_TEXT)
    return strcmp (*(const char *const *)(const void *)place_a,
                   *(const char *const *)(const void *)place_b)
           == 0;
  /* The numbers are all of eight bytes. */
  return memcmp (place_a, place_b, 8) == 0;
}

static gboolean
all_equal (const LkComparison *self, const LkSummaryField *field)
{
  for (guint i = 1; i < self->runs->len; i++)
    if (!field_equal (field, run_at (self, 0)->summary, run_at (self, i)->summary))
      return FALSE;
  return TRUE;
}

/* An open loop whose waits may be without bound. */
static void
append_load_cautions (const LkComparison *self, GString *out)
{
  for (guint i = 0; i < self->runs->len; i++) {
    const LkComparedRun *run = run_at (self, i);
    const LkSummary *summary = run->summary;
    double ratio = summary->totals.offered_load_ratio;
    if (g_strcmp0 (summary->info.users, "open") == 0
        && lk_offered_load_misleads (ratio, summary->metrics.jobs, summary->metrics.makespan_us))
      g_string_append_printf (out,
                              "Caution: the log of %s offers %.0f %% of what the machine can do, "
                              "and its jobs come however long others wait.\n",
                              run->name, 100 * ratio);
  }
}

static void
append_cautions (const LkComparison *self, GString *out)
{
  guint count;
  const LkSummaryField *fields = lk_summary_fields (&count);
  const char *separator = "Caution: the runs do not share ";
  for (guint i = 0; i < G_N_ELEMENTS (shared_columns); i++)
    for (guint f = 0; f < count; f++)
      if (strcmp (fields[f].column, shared_columns[i]) == 0 && !all_equal (self, &fields[f])) {
        g_string_append_printf (out, "%s%s", separator, fields[f].key);
        separator = ", ";
      }
  if (separator[0] == ',')
    g_string_append (out, ".\n");
  for (guint i = 1; i < self->runs->len; i++) {
    const LkComparedRun *run = run_at (self, i);
    if (run->missing_count + run->added_count > 0)
      g_string_append_printf (out,
                              "Caution: %s lacks %" G_GUINT64_FORMAT
                              " jobs of the first run and has %" G_GUINT64_FORMAT " others.\n",
                              run->name, run->missing_count, run->added_count);
  }
  append_load_cautions (self, out);
}

static void
append_seconds (GString *out, gint64 time_us, int width)
{
  char text[LK_DECIMAL_MAX_BYTES + 1];
  *lk_decimal_seconds (text, time_us) = '\0';
  append_padded (out, text, width);
}

static void
append_later (GString *out, gint64 later_us)
{
  g_autofree char *text = lk_duration_change ((double)later_us / 1e6, 0);
  if (*lk_duration_flag ())
    append_seconds (out, later_us, 16);
  else
    append_padded (out, text, 16);
}

static void
append_jobs (const LkComparison *self, GString *out)
{
  for (guint i = 1; i < self->runs->len; i++) {
    const LkComparedRun *run = run_at (self, i);
    g_string_append_printf (out,
                            "\n%s: %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT
                            " jobs start at another time than in %s\n",
                            run->name, run->moved_count, run->paired_count, run_at (self, 0)->name);
    if (run->moved_count == 0)
      continue;
    g_autofree char *later = lk_duration_label ("later by");
    g_string_append_printf (out, "%12s%16s%16s%16s%16s\n", "job_id", "submit_s", "first start_s",
                            "start_s", later);
    for (guint j = 0; j < run->differences->len; j++) {
      const LkStartDifference *row = &g_array_index (run->differences, LkStartDifference, j);
      if (row->name[0] != '\0')
        append_padded (out, row->name, 12);
      else
        g_string_append_printf (out, "%12" G_GINT64_FORMAT, row->job_id);
      append_seconds (out, row->submit_us, 16);
      append_seconds (out, row->first_start_us, 16);
      append_seconds (out, row->start_us, 16);
      append_later (out, row->start_us - row->first_start_us);
      g_string_append_c (out, '\n');
    }
    if (run->moved_count > run->differences->len)
      g_string_append_printf (out, "%12s and %" G_GUINT64_FORMAT " more\n", "...",
                              run->moved_count - run->differences->len);
  }
}

/* What it comes to, before the numbers. */
static void
append_verdicts (const LkComparison *self, GString *out)
{
  for (guint i = 1; i < self->runs->len; i++) {
    if (run_at (self, i)->paired == NULL)
      continue;
    lk_paired_verdict (run_at (self, i)->paired, run_at (self, 0)->name, run_at (self, i)->name,
                       out);
    g_string_append (out, ".\n");
  }
  if (lk_comparison_nobody_waits (self))
    g_string_append (out, LK_NOBODY_WAITS "\n");
  g_string_append_c (out, '\n');
}

void
lk_comparison_table (const LkComparison *self, gboolean with_jobs, GString *out)
{
  append_verdicts (self, out);
  append_runs (self, out);
  g_string_append_printf (out, "\n  %-*s", label_width (self), "");
  for (guint i = 0; i < self->runs->len; i++) {
    const LkComparedRun *run = run_at (self, i);
    append_padded (out, run->name, column_width (run) - CHANGE_WIDTH - 1);
    append_padded (out, "", CHANGE_WIDTH + 1);
  }
  g_string_append_c (out, '\n');
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    table_row (self, &rows[i], out);
  table_account_waits (self, out);
  if (self->runs->len > 1) {
    table_starts (self, out);
    g_string_append (out, "\n* best   ! differs between runs   percentages: against the first "
                          "run\n");
    append_cautions (self, out);
  }
  if (with_jobs)
    append_jobs (self, out);
  for (guint i = 1; i < self->runs->len; i++)
    if (run_at (self, i)->paired != NULL)
      lk_paired_print (run_at (self, i)->paired, run_at (self, 0)->name, run_at (self, i)->name,
                       out);
}

/* ---------------------------------------------------------------- for programs */

static void
append_quoted (GString *out, const char *text)
{
  if (strpbrk (text, ",\"\r\n") == NULL) {
    g_string_append (out, text);
    return;
  }
  g_string_append_c (out, '"');
  for (const char *at = text; *at != '\0'; at++) {
    if (*at == '"')
      g_string_append_c (out, '"');
    g_string_append_c (out, *at);
  }
  g_string_append_c (out, '"');
}

static void
append_field (GString *out, const LkSummary *summary, const LkSummaryField *field)
{
  const char *place = (const char *)summary + field->offset;
  char text[LK_REAL_TEXT_BYTES];
  switch (field->type) {
  case LK_FIELD_TEXT:
    append_quoted (out, *(const char *const *)(const void *)place);
    break;
  case LK_FIELD_CHARS:
    append_quoted (out, place);
    break;
  case LK_FIELD_COUNT:
    g_string_append_printf (out, "%" G_GUINT64_FORMAT, *(const guint64 *)(const void *)place);
    break;
  case LK_FIELD_SECONDS:
    append_seconds (out, *(const gint64 *)(const void *)place, 0);
    break;
  case LK_FIELD_REAL:
    lk_real_text (*(const double *)(const void *)place, text);
    g_string_append (out, isfinite (*(const double *)(const void *)place) ? text : "");
    break;
  default:
    g_assert_not_reached ();
  }
}

void
lk_comparison_csv (const LkComparison *self, GString *out)
{
  guint count;
  const LkSummaryField *fields = lk_summary_fields (&count);
  g_string_append (out, "field");
  for (guint i = 0; i < self->runs->len; i++) {
    g_string_append_c (out, ',');
    append_quoted (out, run_at (self, i)->label);
  }
  for (guint f = 0; f < count; f++) {
    g_string_append_printf (out, "\n%s", fields[f].column);
    for (guint i = 0; i < self->runs->len; i++) {
      g_string_append_c (out, ',');
      append_field (out, run_at (self, i)->summary, &fields[f]);
    }
  }
  g_string_append (out, "\nstarted_differently");
  for (guint i = 0; i < self->runs->len; i++)
    g_string_append_printf (out, ",%" G_GUINT64_FORMAT, run_at (self, i)->moved_count);
  g_string_append_c (out, '\n');
}

static void
differences_json (const LkComparedRun *run, LkJsonOut *json)
{
  lk_json_out_array_begin (json, "different_starts");
  for (guint i = 0; i < run->differences->len; i++) {
    const LkStartDifference *row = &g_array_index (run->differences, LkStartDifference, i);
    lk_json_out_object_begin (json, NULL);
    if (row->name[0] != '\0')
      lk_json_out_text (json, "job_id", row->name);
    else
      lk_json_out_integer (json, "job_id", row->job_id);
    lk_json_out_seconds (json, "submit_s", row->submit_us);
    lk_json_out_seconds (json, "first_start_s", row->first_start_us);
    lk_json_out_seconds (json, "start_s", row->start_us);
    lk_json_out_object_end (json);
  }
  lk_json_out_array_end (json);
}

void
lk_comparison_json (const LkComparison *self, gboolean with_jobs, GString *out)
{
  LkJsonOut json;
  lk_json_out_init (&json, out);
  lk_json_out_object_begin (&json, NULL);
  lk_json_out_array_begin (&json, "runs");
  for (guint i = 0; i < self->runs->len; i++) {
    const LkComparedRun *run = run_at (self, i);
    lk_json_out_object_begin (&json, NULL);
    lk_json_out_text (&json, "label", run->label);
    lk_json_out_text (&json, "name", run->name);
    lk_json_out_text (&json, "directory", run->directory);
    lk_summary_json_members (run->summary, &json);
    lk_json_out_object_begin (&json, "against_first");
    lk_json_out_count (&json, "paired", i == 0 ? run->summary->metrics.jobs : run->paired_count);
    lk_json_out_count (&json, "started_differently", run->moved_count);
    lk_json_out_count (&json, "missing", run->missing_count);
    lk_json_out_count (&json, "added", run->added_count);
    if (run->paired != NULL)
      lk_paired_json (run->paired, &json);
    if (with_jobs)
      differences_json (run, &json);
    lk_json_out_object_end (&json);
    lk_json_out_object_end (&json);
  }
  lk_json_out_array_end (&json);
  lk_json_out_object_end (&json);
}
