/* sim/statistics/paired_show.c — differences with their intervals as a table and as JSON. */
#include <math.h>
#include <string.h>

#include "engine/assert.h"
#include "sim/duration.h"
#include "sim/statistics/paired.h"
#include "sim/statistics/paired_private.h"

#define NAME_WIDTH_MIN 28
#define NUMBER_WIDTH 14

typedef struct {
  const char *label;
  const char *key;
  int decimals;
  gboolean is_time;
} MeasureText;

static const MeasureText measures[LK_PAIRED_COUNT] = {
  [LK_PAIRED_WAIT_MEAN] = { "mean wait", "mean_wait_s", 1, TRUE },
  [LK_PAIRED_WAIT_P95] = { "95th pct wait", "p95_wait_s", 1, TRUE },
  [LK_PAIRED_SLOWDOWN_MEAN] = { "mean bounded slowdown", "mean_bounded_slowdown", 3, FALSE },
  [LK_PAIRED_SLOWDOWN_P95] = { "95th pct bounded slowdown", "p95_bounded_slowdown", 3, FALSE },
};

static const char *
verdict_text (LkVerdict verdict)
{
  static const char *const texts[] = {
    [LK_VERDICT_SAME] = "the same",
    [LK_VERDICT_TOO_FEW] = "too few to tell",
    [LK_VERDICT_NOTHING] = "no difference shown",
    [LK_VERDICT_LOWER] = "lower",
    [LK_VERDICT_HIGHER] = "higher",
  };
  LK_ASSERT (verdict < G_N_ELEMENTS (texts));
  return texts[verdict];
}

/* ---------------------------------------------------------------- for people */

/* Characters, where the format's widths count bytes. */
static void
append_name (GString *out, const char *name, int width)
{
  int length = (int)g_utf8_strlen (name, -1);
  g_string_append_printf (out, "  %s%*s", name, MAX (width - length, 0), "");
}

static void
append_number (GString *out, double value, int decimals, gboolean is_signed)
{
  char format[16];
  char text[64] = "-";
  g_snprintf (format, sizeof format, is_signed ? "%%+.%df" : "%%.%df", decimals);
  if (isfinite (value))
    g_ascii_formatd (text, sizeof text, format, value);
  g_string_append_printf (out, "%*s", NUMBER_WIDTH, text);
}

/* Seconds, as people read them. */
static void
append_time (GString *out, double value, gboolean is_signed)
{
  g_autofree char *text = is_signed ? lk_duration_change (value, 1) : lk_duration_cell (value, 1);
  g_string_append_printf (out, "%*s", NUMBER_WIDTH, text);
}

static void
append_time_row (GString *out, const LkPairedRow *row)
{
  const LkInterval *interval = &row->interval;
  append_time (out, interval->first, FALSE);
  append_time (out, interval->here, FALSE);
  append_time (out, interval->difference, TRUE);
  append_time (out, interval->low, TRUE);
  append_time (out, interval->high, TRUE);
  g_string_append_printf (out, "  %s\n", verdict_text (row->verdict));
}

static void
append_row (GString *out, const LkPairedRow *row, int decimals)
{
  const LkInterval *interval = &row->interval;
  append_number (out, interval->first, decimals, FALSE);
  append_number (out, interval->here, decimals, FALSE);
  append_number (out, interval->difference, decimals, TRUE);
  append_number (out, interval->low, decimals, TRUE);
  append_number (out, interval->high, decimals, TRUE);
  g_string_append_printf (out, "  %s\n", verdict_text (row->verdict));
}

static void
append_head (GString *out, const char *what, int width)
{
  append_name (out, what, width);
  g_string_append_printf (out, "%*s%*s%*s%*s%*s\n", NUMBER_WIDTH, "first", NUMBER_WIDTH, "here",
                          NUMBER_WIDTH, "difference", NUMBER_WIDTH, "from", NUMBER_WIDTH, "to");
}

static void
append_level (const LkPaired *self, GString *out)
{
  char text[32];
  g_ascii_formatd (text, sizeof text, "%.4g", self->options.interval.level_ratio * 100);
  g_string_append_printf (out, "%s %% intervals", text);
}

static void
append_block (const LkPaired *self, GString *out)
{
  char text[32];
  g_ascii_formatd (text, sizeof text, "%.6g", (double)self->options.block_us / 86400e6);
  g_string_append_printf (out, "%s day%s", text, strcmp (text, "1") == 0 ? "" : "s");
}

static int
table_width (const LkPairedTable *table)
{
  glong width = NAME_WIDTH_MIN;
  for (guint i = 0; i < table->groups->len; i++)
    width =
        MAX (width, g_utf8_strlen (g_array_index (table->groups, LkPairedGroup, i).name, -1) + 10);
  return (int)width;
}

static void
append_groups (GString *out, const LkPairedTable *table, gboolean is_wait)
{
  int width = table_width (table);
  g_autofree char *wait = lk_duration_label ("mean wait");
  g_string_append_printf (out, "by %s, %s\n", lk_by_name (table->by),
                          is_wait ? wait : "mean bounded slowdown");
  append_head (out, "(jobs)", width);
  for (guint i = 0; i < table->groups->len; i++) {
    const LkPairedGroup *group = &g_array_index (table->groups, LkPairedGroup, i);
    g_autofree char *name =
        g_strdup_printf ("%s (%" G_GUINT64_FORMAT ")", group->name, group->jobs);
    append_name (out, name, width);
    if (is_wait)
      append_time_row (out, &group->wait);
    else
      append_row (out, &group->slowdown, 3);
  }
  if (table->group_count > table->groups->len)
    g_string_append_printf (out, "  and %" G_GUINT64_FORMAT " with fewer jobs (--groups-limit)\n",
                            table->group_count - table->groups->len);
}

/* Of too few blocks there is none, and where nothing differs none can exclude 0. */
static gboolean
is_drawn (const LkPairedRow *row)
{
  return row->verdict != LK_VERDICT_TOO_FEW && row->verdict != LK_VERDICT_SAME;
}

static guint
interval_count (const GArray *groups)
{
  guint count = 0;
  for (guint i = 0; i < groups->len; i++) {
    const LkPairedGroup *group = &g_array_index (groups, LkPairedGroup, i);
    count += is_drawn (&group->wait) ? 1 : 0;
    count += is_drawn (&group->slowdown) ? 1 : 0;
  }
  return count;
}

/* Of many intervals some exclude 0 although nothing is behind it. */
static void
append_warning (const LkPaired *self, GString *out)
{
  guint count = 0;
  char text[32];
  for (guint t = 0; t < self->tables->len; t++)
    count += interval_count (g_array_index (self->tables, LkPairedTable, t).groups);
  if (count == 0)
    return;
  g_ascii_formatd (text, sizeof text, "%.1f",
                   (double)count * (1 - self->options.interval.level_ratio));
  g_string_append_printf (out,
                          "Of the %u intervals of groups about %s would exclude 0 by chance, if "
                          "no group differed.\n",
                          count, text);
}

static void
append_shaken (const LkPaired *self, GString *out)
{
  if (self->is_shaken_alone)
    g_string_append (out, "Caution: only one of the two runs has shaken runs (--shake): not "
                          "compared.\n");
  if (self->is_shaken_apart)
    g_string_append (out, "Caution: the shaken runs were not shaken alike (--shake, --shake-by, "
                          "--seed): not compared.\n");
  if (self->shaken->len == 0)
    return;
  g_string_append_printf (out, "shaken input, %u runs of each, ",
                          g_array_index (self->shaken, LkShakenRow, 0).row.interval.block_count);
  append_level (self, out);
  g_string_append (out, " of the mean difference\n");
  append_head (out, "", NAME_WIDTH_MIN);
  for (guint i = 0; i < self->shaken->len; i++) {
    const LkShakenRow *shaken = &g_array_index (self->shaken, LkShakenRow, i);
    g_autofree char *column = lk_duration_column (shaken->column);
    append_name (out, column, NAME_WIDTH_MIN);
    if (lk_duration_is_column (shaken->column))
      append_time_row (out, &shaken->row);
    else
      append_row (out, &shaken->row, fabs (shaken->row.interval.first) < 10 ? 4 : 1);
  }
}

void
lk_paired_print (const LkPaired *self, const char *first_label, const char *label, GString *out)
{
  g_string_append_printf (out,
                          "\n%s against %s, %" G_GUINT64_FORMAT " paired jobs in %u blocks of ",
                          label, first_label, self->jobs, self->block_count);
  append_block (self, out);
  g_string_append (out, ", ");
  append_level (self, out);
  g_string_append_printf (out, " by bootstrap (%u sets)\n", self->options.interval.replicate_count);
  append_head (out, "", NAME_WIDTH_MIN);
  for (guint i = 0; i < LK_PAIRED_COUNT; i++) {
    g_autofree char *measure =
        measures[i].is_time ? lk_duration_label (measures[i].label) : g_strdup (measures[i].label);
    append_name (out, measure, NAME_WIDTH_MIN);
    if (measures[i].is_time)
      append_time_row (out, &self->rows[i]);
    else
      append_row (out, &self->rows[i], measures[i].decimals);
  }
  for (guint t = 0; t < self->tables->len; t++) {
    const LkPairedTable *table = &g_array_index (self->tables, LkPairedTable, t);
    append_groups (out, table, TRUE);
    append_groups (out, table, FALSE);
  }
  append_warning (self, out);
  append_shaken (self, out);
}

/* ---------------------------------------------------------------- in a sentence */

gboolean
lk_paired_nobody_waits (const LkPaired *self)
{
  const LkInterval *wait = &self->rows[LK_PAIRED_WAIT_MEAN].interval;
  return self->jobs > 0 && !(wait->first > 0) && !(wait->here > 0);
}

#define TIMES_MIN_RATIO 3.0 /* from here on "3.2 times", not "220 % longer" */

/* "2.3 % longer", "3.2 times as long". */
static void
append_ratio (GString *out, double ratio)
{
  char text[64];
  double share = 100 * (ratio - 1);
  if (ratio >= TIMES_MIN_RATIO) {
    g_ascii_formatd (text, sizeof text, ratio < 9.95 ? "%.1f" : "%.0f", ratio);
    g_string_append_printf (out, "%s times as long", text);
    return;
  }
  g_ascii_formatd (text, sizeof text, fabs (share) < 9.95 ? "%.1f" : "%.0f", fabs (share));
  g_string_append_printf (out, "%s %% %s", text, share < 0 ? "less" : "longer");
}

static void
append_means (GString *out, const LkInterval *wait)
{
  g_autofree char *here = lk_duration_text ((gint64)round (wait->here) * G_USEC_PER_SEC);
  g_autofree char *first = lk_duration_text ((gint64)round (wait->first) * G_USEC_PER_SEC);
  g_string_append_printf (out, "mean wait %s instead of %s", here, first);
}

/* "95 % interval 47 % less to 12 % less"; the difference where there are no ratios. */
static void
append_interval (const LkPaired *self, const LkInterval *wait, GString *out)
{
  append_level (self, out);
  g_string_truncate (out, out->len - 1); /* one of them */
  if (isfinite (wait->ratio_low)) {
    g_string_append_c (out, ' ');
    append_ratio (out, wait->ratio_low);
    g_string_append (out, " to ");
    append_ratio (out, wait->ratio_high);
    return;
  }
  g_autofree char *low = lk_duration_change (wait->low, 1);
  g_autofree char *high = lk_duration_change (wait->high, 1);
  g_string_append_printf (out, " %s to %s", low, high);
}

static void
append_doubt (const LkPaired *self, const LkPairedRow *row, const char *first_label, GString *out)
{
  const LkInterval *wait = &row->interval;
  g_string_append (out, "jobs wait ");
  append_ratio (out, wait->here / wait->first);
  g_string_append_printf (out, " %s in %s, ",
                          wait->here >= TIMES_MIN_RATIO * wait->first ? "as" : "than", first_label);
  if (row->verdict == LK_VERDICT_TOO_FEW) {
    g_string_append (out, "with too few days to say how sure that is; ");
    append_means (out, wait);
    return;
  }
  append_interval (self, wait, out);
  g_string_append (out,
                   row->verdict == LK_VERDICT_NOTHING ? ", so no difference is shown; " : "; ");
  append_means (out, wait);
}

void
lk_paired_verdict (const LkPaired *self, const char *first_label, const char *label, GString *out)
{
  const LkPairedRow *row = &self->rows[LK_PAIRED_WAIT_MEAN];
  const LkInterval *wait = &row->interval;
  g_string_append_printf (out, "%s: ", label);
  if (self->jobs == 0)
    g_string_append_printf (out, "shares no job with %s", first_label);
  else if (lk_paired_nobody_waits (self))
    g_string_append_printf (out, "no job waits, nor in %s", first_label);
  else if (row->verdict == LK_VERDICT_SAME)
    g_string_append_printf (out, "each job waits as long as in %s", first_label);
  else if (wait->first > 0)
    append_doubt (self, row, first_label, out);
  else {
    g_autofree char *here = lk_duration_text ((gint64)round (wait->here) * G_USEC_PER_SEC);
    g_string_append_printf (out, "mean wait %s; in %s no job waits", here, first_label);
  }
}

/* ---------------------------------------------------------------- JSON */

static const char *
verdict_word (LkVerdict verdict)
{
  static const char *const words[] = { [LK_VERDICT_SAME] = "same",
                                       [LK_VERDICT_TOO_FEW] = "too_few",
                                       [LK_VERDICT_NOTHING] = "no_difference_shown",
                                       [LK_VERDICT_LOWER] = "lower",
                                       [LK_VERDICT_HIGHER] = "higher" };
  LK_ASSERT (verdict < G_N_ELEMENTS (words));
  return words[verdict];
}

static void
row_json (const LkPairedRow *row, const char *key, LkJsonOut *json)
{
  lk_json_out_object_begin (json, key);
  lk_json_out_real (json, "first", row->interval.first);
  lk_json_out_real (json, "here", row->interval.here);
  lk_json_out_real (json, "difference", row->interval.difference);
  lk_json_out_real (json, "low", row->interval.low);
  lk_json_out_real (json, "high", row->interval.high);
  lk_json_out_real (json, "ratio_low", row->interval.ratio_low);
  lk_json_out_real (json, "ratio_high", row->interval.ratio_high);
  lk_json_out_count (json, "blocks", row->interval.block_count);
  lk_json_out_text (json, "verdict", verdict_word (row->verdict));
  lk_json_out_object_end (json);
}

static void
table_json (const LkPairedTable *table, LkJsonOut *json)
{
  lk_json_out_object_begin (json, NULL);
  lk_json_out_text (json, "by", lk_by_name (table->by));
  lk_json_out_count (json, "group_count", table->group_count);
  lk_json_out_array_begin (json, "groups");
  for (guint i = 0; i < table->groups->len; i++) {
    const LkPairedGroup *group = &g_array_index (table->groups, LkPairedGroup, i);
    lk_json_out_object_begin (json, NULL);
    lk_json_out_text (json, "name", group->name);
    lk_json_out_count (json, "jobs", group->jobs);
    row_json (&group->wait, "mean_wait_s", json);
    row_json (&group->slowdown, "mean_bounded_slowdown", json);
    lk_json_out_object_end (json);
  }
  lk_json_out_array_end (json);
  lk_json_out_object_end (json);
}

void
lk_paired_json (const LkPaired *self, LkJsonOut *json)
{
  lk_json_out_object_begin (json, "paired");
  lk_json_out_count (json, "jobs", self->jobs);
  lk_json_out_count (json, "blocks", self->block_count);
  lk_json_out_seconds (json, "block_s", self->options.block_us);
  lk_json_out_real (json, "level", self->options.interval.level_ratio);
  lk_json_out_count (json, "replicates", self->options.interval.replicate_count);
  lk_json_out_count (json, "seed", self->options.interval.seed);
  for (guint i = 0; i < LK_PAIRED_COUNT; i++)
    row_json (&self->rows[i], measures[i].key, json);
  lk_json_out_array_begin (json, "tables");
  for (guint t = 0; t < self->tables->len; t++)
    table_json (&g_array_index (self->tables, LkPairedTable, t), json);
  lk_json_out_array_end (json);
  lk_json_out_object_begin (json, "shaken");
  for (guint i = 0; i < self->shaken->len; i++) {
    const LkShakenRow *shaken = &g_array_index (self->shaken, LkShakenRow, i);
    row_json (&shaken->row, shaken->column, json);
  }
  lk_json_out_object_end (json);
  lk_json_out_object_end (json);
}
