/* sim/tune/goal.c — see goal.h. Reading is as in sim/study/plan_read.c: a function that reads a
 * value finds the cursor on its first event and leaves it on its last. */
#include "sim/tune/goal.h"

#include <math.h>
#include <string.h>

#include "engine/assert.h"
#include "engine/suggest.h"
#include "sim/arguments.h"
#include "sim/error.h"

#define BLOCK_MIN_US (60 * G_USEC_PER_SEC)
#define ROLE_TRAINING "training"
#define ROLE_HELD_OUT "held-out"

static const LkMeasure measures[] = {
  { "mean_wait_s", LK_MEASURE_WAIT_MEAN, FALSE },
  { "p95_wait_s", LK_MEASURE_WAIT_P95, FALSE },
  { "max_wait_s", LK_MEASURE_WAIT_MAX, FALSE },
  { "mean_bounded_slowdown", LK_MEASURE_SLOWDOWN_MEAN, FALSE },
  { "p95_bounded_slowdown", LK_MEASURE_SLOWDOWN_P95, FALSE },
  { "utilization", LK_MEASURE_OF_RUN, TRUE },
  { "makespan_s", LK_MEASURE_OF_RUN, FALSE },
  { "gini_users", LK_MEASURE_OF_RUN, FALSE },
  { "jain_users", LK_MEASURE_OF_RUN, TRUE },
  { "gini_accounts", LK_MEASURE_OF_RUN, FALSE },
  { "jain_accounts", LK_MEASURE_OF_RUN, TRUE },
  { "gpu_fragmentation", LK_MEASURE_OF_RUN, FALSE },
  { "gpu_allocation", LK_MEASURE_OF_RUN, TRUE },
  { "cpu_allocation", LK_MEASURE_OF_RUN, TRUE },
};

static const char *const method_names[] = { "nsga2", "nelder-mead", "annealing", NULL };

typedef struct {
  LkTuneGoals *goals;
  LkYamlCursor *cursor;
  GError **error;
} Reader;

typedef gboolean (*ReadMember) (Reader *self, const char *key, gpointer target);

/* ---------------------------------------------------------------- parts */

static void
class_free (gpointer data)
{
  LkTuneClass *self = data;
  g_free (self->name);
  g_free (self->account);
  g_free (self->qos);
  g_free (self);
}

static void
goal_free (gpointer data)
{
  LkTuneGoal *self = data;
  g_free (self->label);
  g_free (self->class_name);
  g_free (self);
}

LkTuneGoals *
lk_tune_goals_new (void)
{
  LkTuneGoals *self = g_new0 (LkTuneGoals, 1);
  *self = (LkTuneGoals){ .evaluations = 100, .population = 16, .seed = 1, .level_ratio = 0.95 };
  self->classes = g_ptr_array_new_with_free_func (class_free);
  self->objectives = g_ptr_array_new_with_free_func (goal_free);
  self->constraints = g_ptr_array_new_with_free_func (goal_free);
  return self;
}

void
lk_tune_goals_free (LkTuneGoals *self)
{
  if (self == NULL)
    return;
  g_ptr_array_unref (self->classes);
  g_ptr_array_unref (self->objectives);
  g_ptr_array_unref (self->constraints);
  g_free (self);
}

const char *
lk_tune_method_name (LkTuneMethod method)
{
  LK_ASSERT (method < G_N_ELEMENTS (method_names) - 1);
  return method_names[method];
}

gboolean
lk_tune_window_is_training (const LkStudyWindow *window)
{
  return strcmp (window->role, ROLE_TRAINING) == 0;
}

static gboolean
is_in_class (const LkTuneClass *self, const LkJobRecord *record)
{
  gint64 run_us = record->end_us - record->start_us;
  return record->procs >= self->procs_first && record->procs <= self->procs_last
         && run_us >= self->run_begin_us && run_us < self->run_end_us
         && (self->user < 0 || record->user == self->user)
         && (self->partition < 0 || record->partition == self->partition)
         && (self->account == NULL || g_strcmp0 (record->account, self->account) == 0)
         && (self->qos == NULL || g_strcmp0 (record->qos, self->qos) == 0);
}

guint32
lk_tune_classes_of (const LkTuneGoals *self, const LkJobRecord *record)
{
  guint32 bits = 1;
  for (guint i = 0; i < self->classes->len; i++)
    if (is_in_class (g_ptr_array_index (self->classes, i), record))
      bits |= 2u << i;
  return bits;
}

/* ---------------------------------------------------------------- reading */

static const char *
text_here (const Reader *self)
{
  return lk_yaml_cursor_text (self->cursor);
}

static gboolean
read_mapping (Reader *self, const char *what, const char *const *known, ReadMember member,
              gpointer target)
{
  g_autoptr (GPtrArray) seen = g_ptr_array_new_with_free_func (g_free);
  if (lk_yaml_cursor_kind (self->cursor) != LK_YAML_MAPPING)
    return lk_yaml_cursor_fail (self->cursor, self->error, "'%s': expected 'key: value' pairs",
                                what);
  if (!lk_yaml_cursor_next (self->cursor, self->error))
    return FALSE;
  while (lk_yaml_cursor_kind (self->cursor) != LK_YAML_MAPPING_END) {
    if (!lk_yaml_cursor_take_key (self->cursor, seen, self->error))
      return FALSE;
    const char *key = g_ptr_array_index (seen, seen->len - 1);
    if (!g_strv_contains (known, key)) {
      g_autofree char *phrase = lk_suggest_phrase (key, known);
      return lk_yaml_cursor_fail (self->cursor, self->error, "unknown key '%s'%s", key, phrase);
    }
    if (!lk_yaml_cursor_next (self->cursor, self->error) || !member (self, key, target)
        || !lk_yaml_cursor_next (self->cursor, self->error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
read_list (Reader *self, const char *key, guint count_max, ReadMember element, gpointer target)
{
  guint count = 0;
  if (lk_yaml_cursor_kind (self->cursor) != LK_YAML_LIST)
    return lk_yaml_cursor_fail (self->cursor, self->error, "'%s': expected a list", key);
  if (!lk_yaml_cursor_next (self->cursor, self->error))
    return FALSE;
  while (lk_yaml_cursor_kind (self->cursor) != LK_YAML_LIST_END) {
    if (++count > count_max)
      return lk_yaml_cursor_fail (self->cursor, self->error, "'%s' has more than %u elements", key,
                                  count_max);
    if (!element (self, key, target) || !lk_yaml_cursor_next (self->cursor, self->error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
read_number (Reader *self, const char *key, double *out_number)
{
  char *end;
  if (!lk_yaml_cursor_expect_value (self->cursor, key, self->error))
    return FALSE;
  double number = g_ascii_strtod (text_here (self), &end);
  if (end == text_here (self) || *end != '\0' || !isfinite (number))
    return lk_yaml_cursor_fail (self->cursor, self->error, "'%s' is '%s'; expected a number", key,
                                text_here (self));
  *out_number = number;
  return TRUE;
}

static gboolean
read_count (Reader *self, const char *key, guint64 minimum, guint64 maximum, guint64 *out_count)
{
  if (!lk_yaml_cursor_expect_value (self->cursor, key, self->error))
    return FALSE;
  if (g_ascii_string_to_unsigned (text_here (self), 10, minimum, maximum, out_count, NULL))
    return TRUE;
  return lk_yaml_cursor_fail (self->cursor, self->error,
                              "'%s' is '%s'; expected a whole number from %" G_GUINT64_FORMAT
                              " to %" G_GUINT64_FORMAT,
                              key, text_here (self), minimum, maximum);
}

static gboolean
read_text (Reader *self, const char *key, char **target)
{
  if (!lk_yaml_cursor_expect_value (self->cursor, key, self->error))
    return FALSE;
  if (text_here (self)[0] == '\0')
    return lk_yaml_cursor_fail (self->cursor, self->error, "'%s' is empty", key);
  g_free (*target);
  *target = g_strdup (text_here (self));
  return TRUE;
}

/* An error of a command line's value, with its place in front. */
static gboolean
take_place (Reader *self, GError *cause)
{
  gboolean good = cause == NULL;
  if (!good)
    lk_yaml_cursor_fail (self->cursor, self->error, "%s", cause->message);
  g_clear_error (&cause);
  return good;
}

/* ---------------------------------------------------------------- classes */

static gboolean
read_class_member (Reader *self, const char *key, gpointer target)
{
  LkTuneClass *into = target;
  GError *cause = NULL;
  guint64 number;
  if (strcmp (key, "name") == 0)
    return read_text (self, key, &into->name);
  if (strcmp (key, "account") == 0)
    return read_text (self, key, &into->account);
  if (strcmp (key, "qos") == 0)
    return read_text (self, key, &into->qos);
  if (strcmp (key, "user") == 0 || strcmp (key, "partition") == 0) {
    if (!read_count (self, key, 0, G_MAXUINT32, &number))
      return FALSE;
    *(strcmp (key, "user") == 0 ? &into->user : &into->partition) = (gint64)number;
    return TRUE;
  }
  if (!lk_yaml_cursor_expect_value (self->cursor, key, self->error))
    return FALSE;
  if (strcmp (key, "procs") == 0)
    lk_argument_range ("'procs'", text_here (self), &into->procs_first, &into->procs_last, &cause);
  else
    lk_argument_duration_range_us ("'run'", text_here (self), &into->run_begin_us,
                                   &into->run_end_us, &cause);
  return take_place (self, cause);
}

static gboolean
read_class (Reader *self, const char *key, gpointer target)
{
  static const char *const known[] = { "name",    "procs", "run",       "user",
                                       "account", "qos",   "partition", NULL };
  LkTuneClass *into = g_new0 (LkTuneClass, 1);
  LkYamlPlace place = lk_yaml_cursor_place (self->cursor);
  *into = (LkTuneClass){ .procs_last = G_MAXINT64,
                         .run_begin_us = G_MININT64,
                         .run_end_us = G_MAXINT64,
                         .user = -1,
                         .partition = -1 };
  g_ptr_array_add (target, into);
  if (!read_mapping (self, key, known, read_class_member, into))
    return FALSE;
  if (into->name == NULL)
    return lk_yaml_cursor_fail_at (self->cursor, place, self->error, "a class without 'name'");
  for (guint i = 0; i + 1 < self->goals->classes->len; i++) {
    const LkTuneClass *other = g_ptr_array_index (self->goals->classes, i);
    if (strcmp (other->name, into->name) == 0)
      return lk_yaml_cursor_fail_at (self->cursor, place, self->error,
                                     "the class '%s' is given twice", into->name);
  }
  return TRUE;
}

/* ---------------------------------------------------------------- objectives, constraints */

static gboolean
read_measure (Reader *self, const char *key, LkTuneGoal *goal)
{
  const char *names[G_N_ELEMENTS (measures) + 1] = { NULL };
  if (!lk_yaml_cursor_expect_value (self->cursor, key, self->error))
    return FALSE;
  for (gsize i = 0; i < G_N_ELEMENTS (measures); i++) {
    names[i] = measures[i].name;
    if (strcmp (measures[i].name, text_here (self)) == 0)
      goal->measure = &measures[i];
  }
  if (goal->measure != NULL)
    return TRUE;
  g_autofree char *all = g_strjoinv (", ", (char **)names);
  g_autofree char *phrase = lk_suggest_phrase (text_here (self), names);
  return lk_yaml_cursor_fail (self->cursor, self->error, "'%s' is '%s'; expected one of %s%s", key,
                              text_here (self), all, phrase);
}

static gboolean
read_goal_member (Reader *self, const char *key, gpointer target)
{
  static const struct {
    const char *key;
    LkBoundKind bound;
  } bounds[] = { { "at_least", LK_BOUND_AT_LEAST },
                 { "at_most", LK_BOUND_AT_MOST },
                 { "at_least_present", LK_BOUND_AT_LEAST_PRESENT },
                 { "at_most_present", LK_BOUND_AT_MOST_PRESENT } };
  LkTuneGoal *goal = target;
  if (strcmp (key, "measure") == 0)
    return read_measure (self, key, goal);
  if (strcmp (key, "class") == 0)
    return read_text (self, key, &goal->class_name);
  if (goal->bound != LK_BOUND_NONE)
    return lk_yaml_cursor_fail (self->cursor, self->error,
                                "a constraint has one bound; write another for '%s'", key);
  for (gsize i = 0; i < G_N_ELEMENTS (bounds); i++)
    if (strcmp (key, bounds[i].key) == 0)
      goal->bound = bounds[i].bound;
  return read_number (self, key, &goal->limit);
}

static LkTuneGoal *
goal_new (const Reader *self, GPtrArray *into)
{
  LkTuneGoal *goal = g_new0 (LkTuneGoal, 1);
  goal->place = lk_yaml_cursor_place (self->cursor);
  g_ptr_array_add (into, goal);
  return goal;
}

static gboolean
read_goal (Reader *self, const char *key, const char *const *known, LkTuneGoal *goal)
{
  if (!read_mapping (self, key, known, read_goal_member, goal))
    return FALSE;
  if (goal->measure == NULL)
    return lk_yaml_cursor_fail_at (self->cursor, goal->place, self->error, "'measure' is missing");
  return goal->class_name == NULL || goal->measure->kind != LK_MEASURE_OF_RUN
         || lk_yaml_cursor_fail_at (self->cursor, goal->place, self->error,
                                    "%s is of whole runs, not of a class", goal->measure->name);
}

/* The bootstrap says nothing of a largest value (Efron and Tibshirani 1993, section 7.4). */
static gboolean
check_objective (Reader *self, const LkTuneGoal *goal)
{
  return goal->measure->kind != LK_MEASURE_WAIT_MAX
         || lk_yaml_cursor_fail_at (self->cursor, goal->place, self->error,
                                    "%s has no interval: use it as a constraint",
                                    goal->measure->name);
}

static gboolean
read_objective (Reader *self, const char *key, gpointer target)
{
  static const char *const known[] = { "measure", "class", NULL };
  LkTuneGoal *goal = goal_new (self, target);
  if (lk_yaml_cursor_kind (self->cursor) == LK_YAML_SCALAR)
    return read_measure (self, key, goal) && check_objective (self, goal);
  return read_goal (self, key, known, goal) && check_objective (self, goal);
}

static gboolean
read_constraint (Reader *self, const char *key, gpointer target)
{
  static const char *const known[] = { "measure",          "class",           "at_least", "at_most",
                                       "at_least_present", "at_most_present", NULL };
  LkTuneGoal *goal = goal_new (self, target);
  if (!read_goal (self, key, known, goal))
    return FALSE;
  return goal->bound != LK_BOUND_NONE
         || lk_yaml_cursor_fail_at (self->cursor, goal->place, self->error,
                                    "a constraint needs at_least, at_most, at_least_present or "
                                    "at_most_present");
}

/* ---------------------------------------------------------------- the key */

static gboolean
read_method (Reader *self, const char *key)
{
  if (!lk_yaml_cursor_expect_value (self->cursor, key, self->error))
    return FALSE;
  for (guint i = 0; method_names[i] != NULL; i++)
    if (strcmp (method_names[i], text_here (self)) == 0) {
      self->goals->method = (LkTuneMethod)i;
      return TRUE;
    }
  g_autofree char *phrase = lk_suggest_phrase (text_here (self), method_names);
  return lk_yaml_cursor_fail (self->cursor, self->error,
                              "'method' is '%s'; expected nsga2, nelder-mead or annealing%s",
                              text_here (self), phrase);
}

static gboolean
read_population (Reader *self, const char *key)
{
  guint64 count;
  if (!read_count (self, key, 4, 1000, &count))
    return FALSE;
  self->goals->population = (guint)count;
  return count % 2 == 0
         || lk_yaml_cursor_fail (self->cursor, self->error, "'%s' is odd; expected an even number",
                                 key);
}

static gboolean
read_level (Reader *self, const char *key)
{
  if (!read_number (self, key, &self->goals->level_ratio))
    return FALSE;
  return (self->goals->level_ratio >= 0.5 && self->goals->level_ratio <= 0.999)
         || lk_yaml_cursor_fail (self->cursor, self->error,
                                 "'level' is '%s'; expected a part from 0.5 to 0.999",
                                 text_here (self));
}

static gboolean
read_block (Reader *self, const char *key)
{
  GError *cause = NULL;
  if (!lk_yaml_cursor_expect_value (self->cursor, key, self->error))
    return FALSE;
  lk_argument_duration_us ("'block'", text_here (self), &self->goals->block_us, &cause);
  if (!take_place (self, cause))
    return FALSE;
  return self->goals->block_us >= BLOCK_MIN_US
         || lk_yaml_cursor_fail (self->cursor, self->error, "'block' is '%s'; expected from 1m on",
                                 text_here (self));
}

static gboolean
read_member (Reader *self, const char *key, gpointer target)
{
  LkTuneGoals *goals = self->goals;
  guint64 count = goals->evaluations;
  (void)target;
  if (strcmp (key, "method") == 0)
    return read_method (self, key);
  if (strcmp (key, "population") == 0)
    return read_population (self, key);
  if (strcmp (key, "level") == 0)
    return read_level (self, key);
  if (strcmp (key, "block") == 0)
    return read_block (self, key);
  if (strcmp (key, "seed") == 0)
    return read_count (self, key, 0, G_MAXUINT32, &goals->seed);
  if (strcmp (key, "classes") == 0)
    return read_list (self, key, LK_TUNE_CLASSES_MAX, read_class, goals->classes);
  if (strcmp (key, "objectives") == 0)
    return read_list (self, key, LK_SEARCH_OBJECTIVES_MAX, read_objective, goals->objectives);
  if (strcmp (key, "constraints") == 0)
    return read_list (self, key, LK_TUNE_CONSTRAINTS_MAX, read_constraint, goals->constraints);
  gboolean good = read_count (self, key, 1, LK_TUNE_BUDGET_MAX, &count);
  goals->evaluations = (guint)count;
  return good;
}

/* Twice the same objective would count twice when one setting is recommended. */
static gboolean
check_once (Reader *self, guint index)
{
  const LkTuneGoal *goal = g_ptr_array_index (self->goals->objectives, index);
  for (guint i = 0; i < index; i++) {
    const LkTuneGoal *other = g_ptr_array_index (self->goals->objectives, i);
    if (strcmp (goal->label, other->label) == 0)
      return lk_yaml_cursor_fail_at (self->cursor, goal->place, self->error,
                                     "the objective %s is given twice", goal->label);
  }
  return TRUE;
}

static gboolean
find_class (Reader *self, LkTuneGoal *goal)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  goal->label = goal->class_name == NULL
                    ? g_strdup (goal->measure->name)
                    : g_strdup_printf ("%s of %s", goal->measure->name, goal->class_name);
  if (goal->class_name == NULL)
    return TRUE;
  for (guint i = 0; i < self->goals->classes->len; i++) {
    const LkTuneClass *known = g_ptr_array_index (self->goals->classes, i);
    goal->job_class = i;
    if (strcmp (known->name, goal->class_name) == 0)
      return TRUE;
    g_ptr_array_add (names, known->name);
  }
  g_ptr_array_add (names, NULL);
  g_autofree char *phrase = lk_suggest_phrase (goal->class_name, (const char *const *)names->pdata);
  return lk_yaml_cursor_fail_at (self->cursor, goal->place, self->error, "there is no class '%s'%s",
                                 goal->class_name, phrase);
}

static gboolean
read_tune (gpointer user, const char *key, LkYamlCursor *cursor, GError **error)
{
  static const char *const known[] = { "method",      "evaluations", "population", "seed",
                                       "level",       "block",       "classes",    "objectives",
                                       "constraints", NULL };
  Reader self = { .goals = user, .cursor = cursor, .error = error };
  LkYamlPlace place = lk_yaml_cursor_place (cursor);
  if (!read_mapping (&self, key, known, read_member, NULL))
    return FALSE;
  const char *problem =
      self.goals->objectives->len == 0 ? "'objectives' are missing"
      : self.goals->method != LK_TUNE_NSGA2 && self.goals->objectives->len > 1
          ? "nelder-mead and annealing have one objective; several need method: nsga2"
          : NULL;
  if (problem != NULL)
    return lk_yaml_cursor_fail_at (cursor, place, error, "%s", problem);
  for (guint i = 0; i < self.goals->objectives->len; i++)
    if (!find_class (&self, g_ptr_array_index (self.goals->objectives, i))
        || !check_once (&self, i))
      return FALSE;
  for (guint i = 0; i < self.goals->constraints->len; i++)
    if (!find_class (&self, g_ptr_array_index (self.goals->constraints, i)))
      return FALSE;
  return TRUE;
}

/* ---------------------------------------------------------------- the plan as a whole */

static gboolean
check_windows (const LkStudyPlan *plan, GError **error)
{
  guint training_count = 0;
  for (guint i = 0; i < plan->windows->len; i++) {
    const LkStudyWindow *window = g_ptr_array_index (plan->windows, i);
    gboolean is_training = g_strcmp0 (window->role, ROLE_TRAINING) == 0;
    training_count += is_training ? 1 : 0;
    if (is_training || g_strcmp0 (window->role, ROLE_HELD_OUT) == 0)
      continue;
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE,
                 "%s: window '%s': role is '%s'; expected " ROLE_TRAINING " or " ROLE_HELD_OUT,
                 plan->path, window->name, window->role != NULL ? window->role : "");
    return FALSE;
  }
  if (training_count > 0 && training_count < plan->windows->len)
    return TRUE;
  g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE,
               "%s: expected windows with role " ROLE_TRAINING
               " and others with role " ROLE_HELD_OUT,
               plan->path);
  return FALSE;
}

static gboolean
check_plan (const LkStudyPlan *plan, const LkTuneGoals *goals, GError **error)
{
  const char *problem = NULL;
  if (goals->objectives->len == 0)
    problem = "expected a key 'tune' with objectives";
  else if (plan->policies->len > 1)
    problem = "expected one policy at most: the present settings";
  else if (((const LkStudyGroup *)g_ptr_array_index (plan->policies, 0))->points != NULL)
    problem = "expected 'parameters' of the plan, not of its policy";
  else if (plan->parameters->len == 0 || plan->parameters->len > LK_SEARCH_DIMENSION_MAX)
    problem = "expected 1 to 16 'parameters' with values to search";
  if (problem == NULL)
    return check_windows (plan, error);
  g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE, "%s: %s", plan->path, problem);
  return FALSE;
}

static LkStudyPlan *
checked (LkStudyPlan *plan, const LkTuneGoals *goals, GError **error)
{
  if (plan == NULL || check_plan (plan, goals, error))
    return plan;
  lk_study_plan_free (plan);
  return NULL;
}

static const char *const keys[] = { "tune", NULL };

LkStudyPlan *
lk_tune_plan_read (const char *path, LkTuneGoals *self, GError **error)
{
  LkStudyReader reader = { .keys = keys, .read = read_tune, .user = self };
  return checked (lk_study_plan_read (path, &reader, error), self, error);
}

LkStudyPlan *
lk_tune_plan_read_bytes (const char *path, const guint8 *bytes, gsize length_bytes,
                         LkTuneGoals *self, GError **error)
{
  LkStudyReader reader = { .keys = keys, .read = read_tune, .user = self };
  return checked (lk_study_plan_read_bytes (path, bytes, length_bytes, &reader, error), self,
                  error);
}
