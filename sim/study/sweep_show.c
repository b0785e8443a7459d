/* sim/study/sweep_show.c — the results of a sweep as text, CSV and JSON. See sweep_results.h. */
#include <math.h>
#include <string.h>

#include "sim/duration.h"
#include "sim/json_out.h"
#include "sim/study/sweep_results.h"
#include "sim/text_wrap.h"

#define SHOWN_MAX 20u
#define LABEL_WIDTH_MAX 36
#define VALUE_WIDTH 11
#define INTERVAL_WIDTH 28

static const LkSweepPoint *
point_at (const LkSweepResults *self, guint index)
{
  return g_ptr_array_index (self->points, index);
}

static char *
number_text (double value, int decimals)
{
  char format[8];
  char text[64] = "-";
  g_snprintf (format, sizeof format, "%%.%df", decimals);
  if (!isnan (value))
    g_ascii_formatd (text, sizeof text, format, value);
  return g_strdup (text);
}

char *
lk_sweep_value_text (LkSweepMetric metric, double value)
{
  if (lk_sweep_metrics[metric].is_time)
    return lk_duration_cell (value, 1);
  g_autofree char *number = number_text (value, metric == LK_SWEEP_UTILIZATION ? 2 : 3);
  return g_strdup_printf ("%s%s", number,
                          metric == LK_SWEEP_UTILIZATION && !isnan (value) ? " %" : "");
}

/* The name of an axis without its seam, where no other axis has that: "reservations". */
static const char *
short_name (const LkSweepResults *self, guint index)
{
  const char *name = ((const LkSweepAxis *)g_ptr_array_index (self->axes, index))->name;
  const char *tail = strrchr (name, '.');
  for (guint i = 0; tail != NULL && i < self->axes->len; i++) {
    const LkSweepAxis *other = g_ptr_array_index (self->axes, i);
    if (i != index && (g_str_has_suffix (other->name, tail) || strcmp (other->name, tail + 1) == 0))
      return name;
  }
  return tail != NULL ? tail + 1 : name;
}

char *
lk_sweep_point_text (const LkSweepResults *self, const LkSweepPoint *point, gboolean conditions)
{
  GString *text = g_string_new (NULL);
  for (guint i = 0; i < self->axes->len; i++) {
    const LkSweepAxis *axis = g_ptr_array_index (self->axes, i);
    if (axis->is_condition != conditions || point->places[i] == LK_SWEEP_NONE)
      continue;
    g_string_append_printf (text, "%s%s %s", text->len > 0 ? ", " : "", short_name (self, i),
                            (const char *)g_ptr_array_index (axis->values, point->places[i]));
  }
  return g_string_free (text, FALSE);
}

/* ---------------------------------------------------------------- the verdict */

/* Best first; then in the order of the plan. */
typedef struct {
  guint index;
  double value;
} Ranked;

static gint
compare_ranked (gconstpointer a, gconstpointer b)
{
  const Ranked *x = a;
  const Ranked *y = b;
  if (isnan (x->value) != isnan (y->value))
    return isnan (x->value) ? 1 : -1;
  if (x->value < y->value || x->value > y->value)
    return x->value < y->value ? -1 : 1;
  return x->index < y->index ? -1 : x->index > y->index;
}

GArray *
lk_sweep_rank (const LkSweepResults *self, guint condition)
{
  GArray *out = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autoptr (GArray) ranked = g_array_new (FALSE, FALSE, sizeof (Ranked));
  for (guint i = 0; i < self->points->len; i++) {
    Ranked one = { i, point_at (self, i)->means[LK_SWEEP_WAIT_MEAN] };
    if (point_at (self, i)->condition == condition)
      g_array_append_val (ranked, one);
  }
  g_array_sort (ranked, compare_ranked);
  for (guint i = 0; i < ranked->len; i++)
    g_array_append_val (out, g_array_index (ranked, Ranked, i).index);
  return out;
}

static gboolean
is_shown_to_differ (const LkSweepPoint *point)
{
  const LkInterval *interval = &point->from_best[LK_SWEEP_WAIT_MEAN];
  return interval->has_interval && interval->low > 0;
}

/* How many other points may be as good; appends nothing where there are no intervals. */
static void
append_doubt (const LkSweepResults *self, const GArray *ranked, GString *out)
{
  guint near_count = 0;
  guint interval_count = 0;
  for (guint i = 1; i < ranked->len; i++) {
    const LkSweepPoint *point = point_at (self, g_array_index (ranked, guint, i));
    interval_count += point->from_best[LK_SWEEP_WAIT_MEAN].has_interval ? 1 : 0;
    near_count += is_shown_to_differ (point) ? 0 : 1;
  }
  if (ranked->len < 2)
    return;
  if (interval_count == 0)
    g_string_append (out, "; too few runs to say how sure that is");
  else if (near_count == 0)
    g_string_append (out, "; all others are shown to be longer");
  else
    g_string_append_printf (out, "; %u of %u others not shown to be longer", near_count,
                            ranked->len - 1);
}

static char *
verdict (const LkSweepResults *self, guint condition)
{
  GString *out = g_string_new (NULL);
  g_autoptr (GArray) ranked = lk_sweep_rank (self, condition);
  const LkSweepPoint *best = point_at (self, g_array_index (ranked, guint, 0));
  const LkSweepPoint *worst = point_at (self, g_array_index (ranked, guint, ranked->len - 1));
  g_autofree char *where = lk_sweep_point_text (self, best, TRUE);
  g_autofree char *choice = lk_sweep_point_text (self, best, FALSE);
  g_autofree char *least = lk_sweep_value_text (LK_SWEEP_WAIT_MEAN, best->means[0]);
  g_autofree char *most = lk_sweep_value_text (LK_SWEEP_WAIT_MEAN, worst->means[0]);
  g_string_append_printf (out, "%s%s", where, where[0] != '\0' ? ": " : "");
  if (choice[0] == '\0')
    g_string_append_printf (out, "%sean wait %s", where[0] != '\0' ? "m" : "M", least);
  else
    g_string_append_printf (out, "%sean wait is least with %s: %s, most: %s",
                            where[0] != '\0' ? "m" : "M", choice, least, most);
  append_doubt (self, ranked, out);
  g_string_append_c (out, '.');
  return g_string_free (out, FALSE);
}

GPtrArray *
lk_sweep_verdicts (const LkSweepResults *self)
{
  GPtrArray *out = g_ptr_array_new_with_free_func (g_free);
  if (self->result_count < self->plan_count)
    g_ptr_array_add (out,
                     g_strdup_printf ("Incomplete: %u of %u runs of the plan are missing, and "
                                      "what follows is without them. The command of the "
                                      "sweep, given again, runs them.",
                                      self->plan_count - self->result_count, self->plan_count));
  for (guint i = 0; i < self->condition_count; i++)
    g_ptr_array_add (out, verdict (self, i));
  if (self->high_load_count > 0)
    g_ptr_array_add (
        out, g_strdup_printf ("Caution: in %u of %u runs the log offers 90 %% or more of "
                              "what the machine can do; their waits may grow without bound.",
                              self->high_load_count, self->result_count));
  return out;
}

/* ---------------------------------------------------------------- for people */

static void
append_left (GString *out, const char *text, int width)
{
  g_string_append_printf (out, "%s%*s", text, MAX (width - (int)g_utf8_strlen (text, -1), 0), "");
}

static void
append_right (GString *out, const char *text, int width)
{
  g_string_append_printf (out, "%*s%s", MAX (width - (int)g_utf8_strlen (text, -1), 0), "", text);
}

char *
lk_sweep_interval_text (const LkSweepPoint *point)
{
  const LkInterval *interval = &point->from_best[LK_SWEEP_WAIT_MEAN];
  if (point->is_best[LK_SWEEP_WAIT_MEAN])
    return g_strdup ("best");
  if (!interval->has_interval)
    return lk_duration_change (interval->difference, 1);
  g_autofree char *low = lk_duration_change (interval->low, 1);
  g_autofree char *high = lk_duration_change (interval->high, 1);
  return g_strdup_printf ("%s to %s", low, high);
}

static void
append_point (const LkSweepPoint *point, const char *label, int label_width, GString *out)
{
  g_autofree char *interval = lk_sweep_interval_text (point);
  append_left (out, label, label_width);
  for (guint metric = 0; metric < LK_SWEEP_METRIC_COUNT; metric++) {
    if (metric == LK_SWEEP_WAIT_P95)
      continue;
    g_autofree char *text = lk_sweep_value_text (metric, point->means[metric]);
    append_right (out, text, metric == LK_SWEEP_UTILIZATION ? 10 : VALUE_WIDTH);
    g_string_append_c (out, point->is_best[metric] ? '*' : ' ');
    if (metric == LK_SWEEP_WAIT_MEAN)
      append_right (out, interval, INTERVAL_WIDTH);
  }
  g_strchomp (out->str);
  out->len = strlen (out->str);
  g_string_append_c (out, '\n');
}

/* The labels of a condition's points that are shown. Returns: (transfer full). */
static GPtrArray *
labels_of (const LkSweepResults *self, const GArray *ranked, int *out_width)
{
  GPtrArray *labels = g_ptr_array_new_with_free_func (g_free);
  *out_width = 8;
  for (guint i = 0; i < MIN (ranked->len, SHOWN_MAX); i++) {
    const LkSweepPoint *point = point_at (self, g_array_index (ranked, guint, i));
    char *label = lk_sweep_point_text (self, point, FALSE);
    *out_width = MAX (*out_width, (int)g_utf8_strlen (label, -1) + 1);
    g_ptr_array_add (labels, label);
  }
  return labels;
}

static void
append_condition (const LkSweepResults *self, guint condition, GString *out)
{
  int width;
  g_autoptr (GArray) ranked = lk_sweep_rank (self, condition);
  g_autoptr (GPtrArray) labels = labels_of (self, ranked, &width);
  const LkSweepPoint *best = point_at (self, g_array_index (ranked, guint, 0));
  g_autofree char *where = lk_sweep_point_text (self, best, TRUE);
  g_string_append_c (out, '\n');
  /* Long labels are on lines of their own. */
  gboolean is_apart = width > LABEL_WIDTH_MAX;
  append_left (out, where, is_apart ? 8 : width);
  append_right (out, "mean wait", VALUE_WIDTH);
  append_right (out, "from the best, 95 %", INTERVAL_WIDTH + 1);
  append_right (out, "slowdown", VALUE_WIDTH + 1);
  append_right (out, "use", 11);
  g_string_append_c (out, '\n');
  for (guint i = 0; i < labels->len; i++) {
    const char *label = g_ptr_array_index (labels, i);
    if (is_apart)
      lk_text_wrap (out, label, 0);
    append_point (point_at (self, g_array_index (ranked, guint, i)), is_apart ? "" : label,
                  is_apart ? 8 : width, out);
  }
  if (ranked->len > SHOWN_MAX)
    g_string_append_printf (out, "... and %u more; --csv has all\n", ranked->len - SHOWN_MAX);
}

void
lk_sweep_table (const LkSweepResults *self, GString *out)
{
  g_autoptr (GPtrArray) verdicts = lk_sweep_verdicts (self);
  for (guint i = 0; i < verdicts->len; i++)
    lk_text_wrap (out, g_ptr_array_index (verdicts, i), 0);
  for (guint i = 0; i < self->condition_count; i++)
    append_condition (self, i, out);
  g_string_append (out, "\n* best   ");
  if (self->repetition_count < 2)
    g_string_append (out, "Each value is of one run.\n");
  else
    g_string_append_printf (out,
                            "Means of %u runs (windows, seeds); Student's intervals of pairs.\n",
                            self->repetition_count);
}

/* ---------------------------------------------------------------- for programs */

static const char *
value_at (const LkSweepResults *self, const LkSweepPoint *point, guint axis)
{
  const LkSweepAxis *one = g_ptr_array_index (self->axes, axis);
  return point->places[axis] == LK_SWEEP_NONE
             ? NULL
             : g_ptr_array_index (one->values, point->places[axis]);
}

static void
append_csv_text (GString *out, const char *text)
{
  g_auto (GStrv) parts = g_strsplit (text, "\"", -1);
  g_autofree char *doubled = g_strjoinv ("\"\"", parts);
  if (strpbrk (text, ",\"\r\n") == NULL)
    g_string_append (out, text);
  else
    g_string_append_printf (out, "\"%s\"", doubled);
}

static void
append_csv_real (GString *out, double value)
{
  char text[LK_REAL_TEXT_BYTES] = "";
  if (isfinite (value))
    lk_real_text (value, text);
  g_string_append_printf (out, ",%s", text);
}

void
lk_sweep_csv (const LkSweepResults *self, GString *out)
{
  for (guint i = 0; i < self->axes->len; i++) {
    append_csv_text (out, ((const LkSweepAxis *)g_ptr_array_index (self->axes, i))->name);
    g_string_append_c (out, ',');
  }
  g_string_append (out, "runs");
  for (guint metric = 0; metric < LK_SWEEP_METRIC_COUNT; metric++)
    g_string_append_printf (out, ",%s,%s_from_best,%s_low,%s_high", lk_sweep_metrics[metric].column,
                            lk_sweep_metrics[metric].column, lk_sweep_metrics[metric].column,
                            lk_sweep_metrics[metric].column);
  g_string_append_c (out, '\n');
  for (guint i = 0; i < self->points->len; i++) {
    const LkSweepPoint *point = point_at (self, i);
    for (guint axis = 0; axis < self->axes->len; axis++) {
      const char *text = value_at (self, point, axis);
      append_csv_text (out, text != NULL ? text : "");
      g_string_append_c (out, ',');
    }
    g_string_append_printf (out, "%u", point->run_count);
    for (guint metric = 0; metric < LK_SWEEP_METRIC_COUNT; metric++) {
      double factor = lk_sweep_metrics[metric].factor;
      append_csv_real (out, point->means[metric] / factor);
      append_csv_real (out, point->from_best[metric].difference / factor);
      append_csv_real (out, point->from_best[metric].low / factor);
      append_csv_real (out, point->from_best[metric].high / factor);
    }
    g_string_append_c (out, '\n');
  }
}

static void
json_point (const LkSweepResults *self, const LkSweepPoint *point, LkJsonOut *json)
{
  lk_json_out_object_begin (json, NULL);
  lk_json_out_object_begin (json, "point");
  for (guint axis = 0; axis < self->axes->len; axis++)
    lk_json_out_text (json, ((const LkSweepAxis *)g_ptr_array_index (self->axes, axis))->name,
                      value_at (self, point, axis));
  lk_json_out_object_end (json);
  lk_json_out_count (json, "runs", point->run_count);
  for (guint metric = 0; metric < LK_SWEEP_METRIC_COUNT; metric++) {
    double factor = lk_sweep_metrics[metric].factor;
    const LkInterval *interval = &point->from_best[metric];
    lk_json_out_object_begin (json, lk_sweep_metrics[metric].column);
    lk_json_out_real (json, "mean", point->means[metric] / factor);
    lk_json_out_count (json, "is_best", point->is_best[metric] ? 1 : 0);
    lk_json_out_real (json, "from_best", interval->difference / factor);
    lk_json_out_real (json, "low", interval->low / factor);
    lk_json_out_real (json, "high", interval->high / factor);
    lk_json_out_object_end (json);
  }
  lk_json_out_object_end (json);
}

void
lk_sweep_json (const LkSweepResults *self, GString *out)
{
  LkJsonOut json;
  lk_json_out_init (&json, out);
  lk_json_out_object_begin (&json, NULL);
  lk_json_out_text (&json, "sweep", self->path);
  lk_json_out_count (&json, "plan", self->plan_count);
  lk_json_out_count (&json, "results", self->result_count);
  lk_json_out_count (&json, "repetitions", self->repetition_count);
  lk_json_out_array_begin (&json, "points");
  for (guint i = 0; i < self->points->len; i++)
    json_point (self, point_at (self, i), &json);
  lk_json_out_array_end (&json);
  lk_json_out_object_end (&json);
  g_string_append_c (out, '\n');
}
