/* sim/tune/tune_show.c — what a search found, as a table, as JSON and as CSV. */
#include <math.h>
#include <string.h>

#include "engine/assert.h"
#include "sim/duration.h"
#include "sim/json_out.h"
#include "sim/tune/tune.h"

#define LABEL_WIDTH 34
#define NUMBER_WIDTH 14

static const LkTunePoint *
point_of (const LkTune *self, const LkTuneCandidate *candidate)
{
  return g_ptr_array_index (self->points, candidate->index);
}

static const LkTuneCandidate *
candidate_at (const LkTune *self, guint index)
{
  return &g_array_index (self->front, LkTuneCandidate, index);
}

static const LkTunePoint *
present_of (const LkTune *self)
{
  return g_ptr_array_index (self->points, 0);
}

char *
lk_tune_point_text (const GPtrArray *point)
{
  GString *text = g_string_new (point == NULL ? "present" : "");
  for (guint i = 0; point != NULL && i < point->len; i++) {
    const LkStudySetting *setting = g_ptr_array_index (point, i);
    g_string_append_printf (text, "%s%s=%s", i > 0 ? " " : "", setting->name, setting->value);
  }
  return g_string_free (text, FALSE);
}

static const char *
difference_text (const LkTuneGoal *goal, LkVerdict verdict)
{
  gboolean is_high_better = goal->measure->is_high_better;
  switch (verdict) {
  case LK_VERDICT_SAME:
    return "the same";
  case LK_VERDICT_TOO_FEW:
    return "too few to tell";
  case LK_VERDICT_NOTHING:
    return "no difference shown";
  case LK_VERDICT_LOWER:
    return is_high_better ? "worse" : "better";
  case LK_VERDICT_HIGHER:
    return is_high_better ? "better" : "worse";
  default:
    g_assert_not_reached ();
  }
}

static const char *
bound_text (const LkTuneGoal *goal)
{
  return goal->bound == LK_BOUND_AT_LEAST || goal->bound == LK_BOUND_AT_LEAST_PRESENT ? "at least"
                                                                                      : "at most";
}

/* ---------------------------------------------------------------- for people */

static void
append_number (GString *out, const LkTuneGoal *goal, double value, gboolean is_signed)
{
  if (lk_duration_is_column (goal->measure->name) && !*lk_duration_flag ()) {
    g_autofree char *time = is_signed ? lk_duration_change (value, 1) : lk_duration_cell (value, 1);
    g_string_append_printf (out, "%*s", NUMBER_WIDTH, time);
    return;
  }
  char text[64] = "-";
  const char *format = fabs (value) < 100 ? "%.4f" : "%.1f";
  const char *signed_format = fabs (value) < 100 ? "%+.4f" : "%+.1f";
  if (isfinite (value))
    g_ascii_formatd (text, sizeof text, is_signed ? signed_format : format, value);
  g_string_append_printf (out, "%*s", NUMBER_WIDTH, text);
}

static void
append_label (GString *out, const char *where, const LkTuneGoal *goal)
{
  g_autofree char *measure = lk_duration_column (goal->measure->name);
  g_autofree char *label = g_strconcat (measure, goal->label + strlen (goal->measure->name), NULL);
  int length = (int)g_utf8_strlen (label, -1);
  g_string_append_printf (out, "    %-9s %s%*s", where, label, MAX (LABEL_WIDTH - length, 1), "");
}

static void
append_difference (GString *out, const char *where, const LkTuneGoal *goal,
                   const LkTuneDifference *difference)
{
  const LkInterval *interval = &difference->interval;
  append_label (out, where, goal);
  append_number (out, goal, interval->first, FALSE);
  append_number (out, goal, interval->here, FALSE);
  append_number (out, goal, interval->difference, TRUE);
  append_number (out, goal, interval->low, TRUE);
  append_number (out, goal, interval->high, TRUE);
  g_string_append_printf (out, "  %s\n", difference_text (goal, difference->verdict));
}

static void
append_bound (GString *out, const char *where, const LkTuneGoal *goal, const double *values)
{
  double bound = lk_tune_bound (goal, values[0]);
  append_label (out, where, goal);
  append_number (out, goal, values[0], FALSE);
  append_number (out, goal, values[1], FALSE);
  g_string_append_printf (out, "  %s", bound_text (goal));
  append_number (out, goal, bound, FALSE);
  g_string_append_c (out, '\n');
}

static void
append_verdict (const LkTune *self, const LkTuneCandidate *candidate, GString *out)
{
  const char *label = lk_tune_goal (self, candidate->reason)->label;
  switch (candidate->verdict) {
  case LK_TUNE_HOLDS:
    g_string_append (out, "    holds on the held-out weeks\n");
    break;
  case LK_TUNE_CLAIMS_NOTHING:
    g_string_append (out, "    nothing is shown to be better in training\n");
    break;
  case LK_TUNE_NOT_SHOWN:
    g_string_append_printf (out,
                            "    does not hold: %s is not shown to be better on the held-out "
                            "weeks\n",
                            label);
    break;
  case LK_TUNE_WORSE:
    g_string_append_printf (out, "    does not hold: %s is worse on the held-out weeks\n", label);
    break;
  case LK_TUNE_CONSTRAINT:
    g_string_append_printf (out,
                            "    does not hold: the constraint on %s fails on the held-out "
                            "weeks\n",
                            label);
    break;
  default:
    g_assert_not_reached ();
  }
}

static void
append_candidate (const LkTune *self, guint index, GString *out)
{
  const LkTuneCandidate *candidate = candidate_at (self, index);
  const LkTunePoint *point = point_of (self, candidate);
  guint objective_count = self->goals->objectives->len;
  g_autofree char *text = lk_tune_point_text (point->point);
  g_string_append_printf (out, "\n%3u %s\n", index + 1, text);
  for (guint i = 0; i < objective_count; i++) {
    append_difference (out, "training", lk_tune_goal (self, i), &candidate->training[i]);
    append_difference (out, "held out", lk_tune_goal (self, i), &candidate->held_out[i]);
  }
  for (guint i = objective_count; i < objective_count + self->goals->constraints->len; i++) {
    const double training[] = { present_of (self)->values[i], point->values[i] };
    const double held_out[] = { self->present_held_out[i], candidate->held_out_values[i] };
    append_bound (out, "training", lk_tune_goal (self, i), training);
    append_bound (out, "held out", lk_tune_goal (self, i), held_out);
  }
  append_verdict (self, candidate, out);
}

static void
append_level (GString *out, double level_ratio)
{
  char text[32];
  g_ascii_formatd (text, sizeof text, "%.5g", level_ratio * 100);
  g_string_append_printf (out, "%s %%", text);
}

static void
append_head (const LkTune *self, GString *out)
{
  const LkTuneGoals *goals = self->goals;
  g_string_append_printf (
      out, "%s: %s, %u settings run in %u training windows; %u held-out windows\n",
      self->plan->path, lk_tune_method_name (goals->method), self->points->len - 1,
      lk_tune_bench_case_count (self->bench, TRUE), lk_tune_bench_case_count (self->bench, FALSE));
  g_string_append_printf (out, "Pareto front: %u settings", self->front_count);
  if (self->front_count > self->front->len)
    g_string_append_printf (out, ", the %u farthest apart are told", self->front->len);
  g_string_append (out, "; intervals of the difference from the present settings: ");
  append_level (out, goals->level_ratio);
  g_string_append (out, " in training, ");
  append_level (out, self->held_out_level_ratio);
  g_string_append (out, " held out\n");
  g_string_append_printf (out, "    %-9s %-*s%*s%*s%*s%*s%*s\n", "", LABEL_WIDTH, "", NUMBER_WIDTH,
                          "present", NUMBER_WIDTH, "here", NUMBER_WIDTH, "difference", NUMBER_WIDTH,
                          "from", NUMBER_WIDTH, "to");
}

static void
append_recommended (const LkTune *self, GString *out)
{
  if (self->recommended < 0) {
    g_string_append (out, "\nRecommended: nothing. Keep the present settings.\n");
    return;
  }
  const LkTuneCandidate *candidate = candidate_at (self, (guint)self->recommended);
  const GPtrArray *point = point_of (self, candidate)->point;
  g_autofree char *text = lk_tune_point_text (point);
  g_auto (GStrv) arguments = lk_tune_bench_arguments (self->bench, point, FALSE, NULL);
  g_string_append_printf (out,
                          "\nRecommended: %d, %s\nAs in the first held-out window:\n    lockstep",
                          self->recommended + 1, text);
  for (guint i = 0; arguments != NULL && arguments[i] != NULL; i++) {
    g_autofree char *quoted = g_shell_quote (arguments[i]);
    gboolean is_plain = strspn (arguments[i], "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                              "0123456789-_=:,./+@")
                        == strlen (arguments[i]);
    g_string_append_printf (out, " %s", is_plain ? arguments[i] : quoted);
  }
  g_string_append_c (out, '\n');
}

void
lk_tune_print (const LkTune *self, GString *out)
{
  append_head (self, out);
  for (guint i = 0; i < self->front->len; i++)
    append_candidate (self, i, out);
  if (self->front->len == 0)
    g_string_append (out, "\nNo setting that was run is better than the present ones and keeps the "
                          "constraints.\n");
  append_recommended (self, out);
}

/* ---------------------------------------------------------------- JSON */

static const char *
verdict_word (LkTuneVerdict verdict)
{
  static const char *const words[] = { [LK_TUNE_HOLDS] = "holds",
                                       [LK_TUNE_CLAIMS_NOTHING] = "claims_nothing",
                                       [LK_TUNE_NOT_SHOWN] = "not_shown",
                                       [LK_TUNE_WORSE] = "worse",
                                       [LK_TUNE_CONSTRAINT] = "constraint" };
  LK_ASSERT (verdict < G_N_ELEMENTS (words));
  return words[verdict];
}

static void
difference_json (const LkTuneGoal *goal, const char *key, const LkTuneDifference *difference,
                 LkJsonOut *json)
{
  const LkInterval *interval = &difference->interval;
  lk_json_out_object_begin (json, key);
  lk_json_out_real (json, "present", interval->first);
  lk_json_out_real (json, "here", interval->here);
  lk_json_out_real (json, "difference", interval->difference);
  lk_json_out_real (json, "low", interval->low);
  lk_json_out_real (json, "high", interval->high);
  lk_json_out_count (json, "blocks", interval->block_count);
  lk_json_out_text (json, "says", difference_text (goal, difference->verdict));
  lk_json_out_object_end (json);
}

static void
settings_json (const GPtrArray *point, LkJsonOut *json)
{
  lk_json_out_object_begin (json, "settings");
  for (guint i = 0; i < point->len; i++) {
    const LkStudySetting *setting = g_ptr_array_index (point, i);
    lk_json_out_text (json, setting->name, setting->value);
  }
  lk_json_out_object_end (json);
}

static void
constraint_json (const LkTune *self, const LkTuneCandidate *candidate, guint index, LkJsonOut *json)
{
  const LkTuneGoal *goal = lk_tune_goal (self, index);
  lk_json_out_object_begin (json, NULL);
  lk_json_out_text (json, "measure", goal->label);
  lk_json_out_text (json, "bound", bound_text (goal));
  lk_json_out_real (json, "training", point_of (self, candidate)->values[index]);
  lk_json_out_real (json, "training_bound", lk_tune_bound (goal, present_of (self)->values[index]));
  lk_json_out_real (json, "held_out", candidate->held_out_values[index]);
  lk_json_out_real (json, "held_out_bound", lk_tune_bound (goal, self->present_held_out[index]));
  lk_json_out_object_end (json);
}

static void
candidate_json (const LkTune *self, guint index, LkJsonOut *json)
{
  const LkTuneCandidate *candidate = candidate_at (self, index);
  guint objective_count = self->goals->objectives->len;
  lk_json_out_object_begin (json, NULL);
  lk_json_out_count (json, "number", index + 1);
  settings_json (point_of (self, candidate)->point, json);
  lk_json_out_array_begin (json, "objectives");
  for (guint i = 0; i < objective_count; i++) {
    const LkTuneGoal *goal = lk_tune_goal (self, i);
    lk_json_out_object_begin (json, NULL);
    lk_json_out_text (json, "measure", goal->label);
    difference_json (goal, "training", &candidate->training[i], json);
    difference_json (goal, "held_out", &candidate->held_out[i], json);
    lk_json_out_object_end (json);
  }
  lk_json_out_array_end (json);
  lk_json_out_array_begin (json, "constraints");
  for (guint i = 0; i < self->goals->constraints->len; i++)
    constraint_json (self, candidate, objective_count + i, json);
  lk_json_out_array_end (json);
  lk_json_out_real (json, "gain", candidate->gain);
  lk_json_out_text (json, "verdict", verdict_word (candidate->verdict));
  lk_json_out_text (json, "because",
                    candidate->verdict == LK_TUNE_HOLDS
                            || candidate->verdict == LK_TUNE_CLAIMS_NOTHING
                        ? NULL
                        : lk_tune_goal (self, candidate->reason)->label);
  lk_json_out_object_end (json);
}

/* `number` of the front; null when nothing is recommended. */
static void
recommended_json (const LkTune *self, LkJsonOut *json)
{
  if (self->recommended < 0) {
    lk_json_out_text (json, "recommended", NULL);
    return;
  }
  const GPtrArray *point = point_of (self, candidate_at (self, (guint)self->recommended))->point;
  g_auto (GStrv) arguments = lk_tune_bench_arguments (self->bench, point, FALSE, NULL);
  lk_json_out_object_begin (json, "recommended");
  lk_json_out_count (json, "number", (guint64)self->recommended + 1);
  settings_json (point, json);
  lk_json_out_array_begin (json, "held_out_command");
  for (guint i = 0; arguments != NULL && arguments[i] != NULL; i++)
    lk_json_out_text (json, NULL, arguments[i]);
  lk_json_out_array_end (json);
  lk_json_out_object_end (json);
}

void
lk_tune_json (const LkTune *self, GString *out)
{
  LkJsonOut json;
  lk_json_out_init (&json, out);
  lk_json_out_object_begin (&json, NULL);
  lk_json_out_text (&json, "plan", self->plan->path);
  lk_json_out_text (&json, "method", lk_tune_method_name (self->goals->method));
  lk_json_out_count (&json, "seed", self->goals->seed);
  lk_json_out_count (&json, "evaluations", self->points->len - 1);
  lk_json_out_count (&json, "training_windows", lk_tune_bench_case_count (self->bench, TRUE));
  lk_json_out_count (&json, "held_out_windows", lk_tune_bench_case_count (self->bench, FALSE));
  lk_json_out_real (&json, "level", self->goals->level_ratio);
  lk_json_out_real (&json, "held_out_level", self->held_out_level_ratio);
  lk_json_out_count (&json, "front_count", self->front_count);
  lk_json_out_array_begin (&json, "front");
  for (guint i = 0; i < self->front->len; i++)
    candidate_json (self, i, &json);
  lk_json_out_array_end (&json);
  recommended_json (self, &json);
  lk_json_out_object_end (&json);
}

/* ---------------------------------------------------------------- CSV */

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
append_real (GString *out, double value)
{
  char text[LK_REAL_TEXT_BYTES] = "";
  if (isfinite (value))
    lk_real_text (value, text);
  g_string_append_printf (out, ",%s", text);
}

void
lk_tune_points_csv (const LkTune *self, GString *out)
{
  guint count = self->goals->objectives->len + self->goals->constraints->len;
  g_string_append (out, "settings");
  for (guint i = 0; i < count; i++) {
    const LkTuneGoal *goal = lk_tune_goal (self, i);
    g_autofree char *name =
        g_strdup_printf ("%s%s", goal->bound == LK_BOUND_NONE ? "" : "constraint ", goal->label);
    g_string_append_c (out, ',');
    append_quoted (out, name);
  }
  g_string_append (out, ",violation\n");
  for (guint p = 0; p < self->points->len; p++) {
    const LkTunePoint *point = g_ptr_array_index (self->points, p);
    g_autofree char *text = lk_tune_point_text (point->point);
    append_quoted (out, text);
    for (guint i = 0; i < count; i++)
      append_real (out, point->values[i]);
    append_real (out, point->score.violation);
    g_string_append_c (out, '\n');
  }
}

static void
append_front_row (const LkTune *self, guint index, guint objective, GString *out)
{
  const LkTuneCandidate *candidate = candidate_at (self, index);
  const LkTuneGoal *goal = lk_tune_goal (self, objective);
  const LkTuneDifference *both[] = { &candidate->training[objective],
                                     &candidate->held_out[objective] };
  g_autofree char *text = lk_tune_point_text (point_of (self, candidate)->point);
  for (guint i = 0; i < G_N_ELEMENTS (both); i++) {
    const LkInterval *interval = &both[i]->interval;
    g_string_append_printf (out, "%u,", index + 1);
    append_quoted (out, text);
    g_string_append_c (out, ',');
    append_quoted (out, goal->label);
    g_string_append_printf (out, ",%s", i == 0 ? "training" : "held-out");
    append_real (out, interval->first);
    append_real (out, interval->here);
    append_real (out, interval->difference);
    append_real (out, interval->low);
    append_real (out, interval->high);
    g_string_append_printf (out, ",%s,%s,%d\n", difference_text (goal, both[i]->verdict),
                            verdict_word (candidate->verdict),
                            self->recommended == (gint)index ? 1 : 0);
  }
}

void
lk_tune_front_csv (const LkTune *self, GString *out)
{
  g_string_append (out, "number,settings,objective,windows,present,here,difference,low,high,says,"
                        "verdict,recommended\n");
  for (guint i = 0; i < self->front->len; i++)
    for (guint objective = 0; objective < self->goals->objectives->len; objective++)
      append_front_row (self, i, objective, out);
}
