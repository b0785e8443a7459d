/* sim/study/plan_read.c — reads a plan from a page of YAML. See plan.h.
 *
 * A function that reads a value finds the cursor on the first event of the value and leaves it on
 * the last one.  The depth is bounded by the grammar. */
#include <math.h>
#include <string.h>

#include "engine/suggest.h"
#include "sim/error.h"
#include "sim/study/plan_private.h"
#include "traces/input.h"

/* Most elements of one list. */
#define LIST_MAX 10000u
#define WINDOWS_MAX 5000u

typedef struct {
  LkYamlCursor *cursor;
  LkStudyPlan *plan;
  const LkStudyReader *extra; /* may be NULL */
  guint64 value_count;        /* of all points so far */
  GError **error;
} Reader;

typedef gboolean (*ReadMember) (Reader *self, const char *key, gpointer target);

/* ---------------------------------------------------------------- small things */

static LkYamlKind
kind_here (const Reader *self)
{
  return lk_yaml_cursor_kind (self->cursor);
}

static const char *
text_here (const Reader *self)
{
  return lk_yaml_cursor_text (self->cursor);
}

static gboolean
next (const Reader *self)
{
  return lk_yaml_cursor_next (self->cursor, self->error);
}

static gboolean
expect_value (const Reader *self, const char *key)
{
  return lk_yaml_cursor_expect_value (self->cursor, key, self->error);
}

static gboolean
expect (const Reader *self, LkYamlKind kind, const char *key)
{
  LkYamlKind found = kind_here (self);
  if (found == kind)
    return TRUE;
  return lk_yaml_cursor_fail (self->cursor, self->error, "'%s' is %s; expected %s", key,
                              found == LK_YAML_SCALAR ? "one value"
                              : found == LK_YAML_LIST ? "a list"
                                                      : "a mapping",
                              kind == LK_YAML_LIST ? "a list" : "'key: value' pairs");
}

static gboolean
unknown_key (const Reader *self, const char *key, const char *const *known)
{
  g_autofree char *phrase = lk_suggest_phrase (key, known);
  return lk_yaml_cursor_fail (self->cursor, self->error, "unknown key '%s'%s", key, phrase);
}

/* A mapping whose keys are `known` (NULL: any), each read by `member`. */
static gboolean
read_mapping (Reader *self, const char *what, const char *const *known, ReadMember member,
              gpointer target)
{
  g_autoptr (GPtrArray) seen = g_ptr_array_new_with_free_func (g_free);
  if (!expect (self, LK_YAML_MAPPING, what) || !next (self))
    return FALSE;
  while (kind_here (self) != LK_YAML_MAPPING_END) {
    if (!lk_yaml_cursor_take_key (self->cursor, seen, self->error))
      return FALSE;
    const char *key = g_ptr_array_index (seen, seen->len - 1);
    if (known != NULL && !g_strv_contains (known, key))
      return unknown_key (self, key, known);
    if (!next (self) || !member (self, key, target) || !next (self))
      return FALSE;
  }
  return TRUE;
}

/* A list, each element read by `element`; `key` is its name. */
static gboolean
read_list (Reader *self, const char *key, ReadMember element, gpointer target)
{
  guint count = 0;
  if (!expect (self, LK_YAML_LIST, key) || !next (self))
    return FALSE;
  while (kind_here (self) != LK_YAML_LIST_END) {
    if (++count > LIST_MAX)
      return lk_yaml_cursor_fail (self->cursor, self->error, "'%s' has more than %u elements", key,
                                  LIST_MAX);
    if (!element (self, key, target) || !next (self))
      return FALSE;
  }
  return count > 0 || lk_yaml_cursor_fail (self->cursor, self->error, "'%s' is an empty list", key);
}

static gboolean
check_name (const Reader *self, const char *key, const char *name)
{
  gboolean good = name[0] != '\0' && strlen (name) <= LK_STUDY_NAME_MAX_BYTES
                  && g_utf8_validate (name, -1, NULL);
  for (const char *at = name; good && *at != '\0'; at++)
    good = !g_ascii_iscntrl (*at);
  return good
         || lk_yaml_cursor_fail (self->cursor, self->error,
                                 "'%s' is no name; expected 1 to %u bytes of plain text", key,
                                 LK_STUDY_NAME_MAX_BYTES);
}

static gboolean
read_name (Reader *self, const char *key, char **target)
{
  if (!expect_value (self, key) || !check_name (self, key, text_here (self)))
    return FALSE;
  g_free (*target);
  *target = g_strdup (text_here (self));
  return TRUE;
}

static gboolean
read_count (Reader *self, const char *key, guint64 maximum, guint64 *out_count)
{
  guint64 count;
  if (!expect_value (self, key))
    return FALSE;
  if (!g_ascii_string_to_unsigned (text_here (self), 10, 0, maximum, &count, NULL))
    return lk_yaml_cursor_fail (self->cursor, self->error,
                                "'%s' is '%s'; expected a whole number up to %" G_GUINT64_FORMAT,
                                key, text_here (self), maximum);
  *out_count = count;
  return TRUE;
}

static gboolean
number_of (const char *text, double *out_value)
{
  char *end;
  double value = g_ascii_strtod (text, &end);
  if (end == text || *end != '\0' || !isfinite (value))
    return FALSE;
  *out_value = value;
  return TRUE;
}

static gboolean
read_number (Reader *self, const char *key, double *out_value)
{
  if (!expect_value (self, key))
    return FALSE;
  return number_of (text_here (self), out_value)
         || lk_yaml_cursor_fail (self->cursor, self->error, "'%s' is '%s'; expected a number", key,
                                 text_here (self));
}

/* A:B with weeks from 1 on, or one week. */
static gboolean
read_weeks (Reader *self, const char *key, LkStudyWindow *window)
{
  guint64 first;
  guint64 last;
  if (!expect_value (self, key))
    return FALSE;
  g_auto (GStrv) parts = g_strsplit (text_here (self), "-", 2);
  const char *second = parts[0] != NULL && parts[1] != NULL ? parts[1] : parts[0];
  if (parts[0] == NULL || !g_ascii_string_to_unsigned (parts[0], 10, 1, 100000, &first, NULL)
      || !g_ascii_string_to_unsigned (second, 10, first, 100000, &last, NULL))
    return lk_yaml_cursor_fail (self->cursor, self->error,
                                "'%s' is '%s'; expected a week from 1 on, or FIRST-LAST", key,
                                text_here (self));
  window->week_first = (guint)first;
  window->week_last = (guint)last;
  return TRUE;
}

/* ---------------------------------------------------------------- settings */

static gboolean
add_setting (Reader *self, const char *key, GPtrArray *settings)
{
  if (!expect_value (self, key))
    return FALSE;
  g_ptr_array_add (
      settings, lk_study_setting_new (key, text_here (self), lk_yaml_cursor_place (self->cursor)));
  return TRUE;
}

static gboolean
add_repeated (Reader *self, const char *key, gpointer target)
{
  return add_setting (self, key, target);
}

static gboolean
read_setting (Reader *self, const char *key, gpointer target)
{
  g_autofree char *problem = lk_study_setting_problem (key);
  if (problem != NULL)
    return lk_yaml_cursor_fail (self->cursor, self->error, "%s", problem);
  if (lk_study_setting_repeats (key) && kind_here (self) == LK_YAML_LIST)
    return read_list (self, key, add_repeated, target);
  return add_setting (self, key, target);
}

static gboolean
read_point (Reader *self, const char *key, gpointer target)
{
  GPtrArray *point = lk_study_settings_new ();
  g_ptr_array_add (target, point);
  return read_mapping (self, key, NULL, read_setting, point);
}

/* ---------------------------------------------------------------- parameters */

typedef struct {
  LkStudyHow how;
  guint64 sample_count;
  guint64 seed;
  GPtrArray *parameters; /* of LkStudyParameter */
  GPtrArray *points;     /* of LK_STUDY_LIST */
} Parameters;

static gboolean
read_text (Reader *self, const char *key, gpointer target)
{
  if (!expect_value (self, key))
    return FALSE;
  g_ptr_array_add (target, g_strdup (text_here (self)));
  return TRUE;
}

static gboolean
read_range_member (Reader *self, const char *key, gpointer target)
{
  LkStudyParameter *parameter = target;
  if (strcmp (key, "scale") == 0) {
    if (!expect_value (self, key))
      return FALSE;
    parameter->is_log = strcmp (text_here (self), "log") == 0;
    return parameter->is_log || strcmp (text_here (self), "linear") == 0
           || lk_yaml_cursor_fail (self->cursor, self->error,
                                   "'scale' is '%s'; expected linear or log", text_here (self));
  }
  double *value = strcmp (key, "from") == 0 ? &parameter->from
                  : strcmp (key, "to") == 0 ? &parameter->to
                                            : &parameter->step;
  if (!read_number (self, key, value))
    return FALSE;
  if (strpbrk (text_here (self), ".eE") != NULL)
    parameter->is_integer = FALSE;
  return TRUE;
}

static gboolean
check_range (Reader *self, const LkStudyParameter *parameter)
{
  const char *problem = NULL;
  if (isnan (parameter->from) || isnan (parameter->to))
    problem = "a range needs 'from' and 'to'";
  else if (!(parameter->from < parameter->to))
    problem = "'from' must be below 'to'";
  else if (parameter->is_log && !(parameter->from > 0))
    problem = "with scale log 'from' must be above 0";
  else if (parameter->is_log && parameter->step > 0)
    problem = "'step' goes with scale linear";
  else if (parameter->step < 0)
    problem = "'step' must be above 0";
  else if (parameter->step > 0 && (parameter->to - parameter->from) / parameter->step > LIST_MAX)
    problem = "the range has too many steps";
  return problem == NULL
         || lk_yaml_cursor_fail_at (self->cursor, parameter->place, self->error, "'%s': %s",
                                    parameter->name, problem);
}

static gboolean
read_parameter (Reader *self, const char *key, gpointer target)
{
  static const char *const known[] = { "from", "to", "step", "scale", NULL };
  g_autofree char *problem = lk_study_setting_problem (key);
  if (problem != NULL)
    return lk_yaml_cursor_fail (self->cursor, self->error, "%s", problem);
  LkStudyParameter *parameter = g_new0 (LkStudyParameter, 1);
  g_ptr_array_add (target, parameter);
  parameter->name = g_strdup (key);
  parameter->place = lk_yaml_cursor_place (self->cursor);
  if (kind_here (self) == LK_YAML_MAPPING) {
    parameter->from = NAN;
    parameter->to = NAN;
    parameter->is_integer = TRUE;
    return read_mapping (self, key, known, read_range_member, parameter)
           && check_range (self, parameter);
  }
  parameter->values = g_ptr_array_new_with_free_func (g_free);
  return read_list (self, key, read_text, parameter->values);
}

static gboolean
read_how (Reader *self, const char *key, LkStudyHow *out_how)
{
  static const char *const words[] = { "grid", "random", "latin", "list", NULL };
  if (!expect_value (self, key))
    return FALSE;
  for (guint i = 0; words[i] != NULL; i++)
    if (strcmp (words[i], text_here (self)) == 0) {
      *out_how = (LkStudyHow)i;
      return TRUE;
    }
  g_autofree char *phrase = lk_suggest_phrase (text_here (self), words);
  return lk_yaml_cursor_fail (self->cursor, self->error,
                              "'how' is '%s'; expected grid, random, latin or list%s",
                              text_here (self), phrase);
}

static gboolean
read_parameters_member (Reader *self, const char *key, gpointer target)
{
  Parameters *parameters = target;
  if (strcmp (key, "how") == 0)
    return read_how (self, key, &parameters->how);
  if (strcmp (key, "samples") == 0)
    return read_count (self, key, LK_STUDY_RUNS_MAX, &parameters->sample_count);
  if (strcmp (key, "seed") == 0)
    return read_count (self, key, G_MAXUINT32, &parameters->seed);
  if (strcmp (key, "points") == 0)
    return read_list (self, key, read_point, parameters->points);
  return read_mapping (self, key, NULL, read_parameter, parameters->parameters);
}

static const char *
parameters_problem (const Parameters *self)
{
  gboolean is_drawn = self->how == LK_STUDY_RANDOM || self->how == LK_STUDY_LATIN;
  if (self->how == LK_STUDY_LIST)
    return self->points->len == 0      ? "how: list needs 'points'"
           : self->parameters->len > 0 ? "how: list has no 'values'"
           : self->sample_count > 0    ? "how: list has no 'samples'"
                                       : NULL;
  if (self->points->len > 0)
    return "'points' need how: list";
  if (self->parameters->len == 0)
    return "'values' are missing";
  if (is_drawn && self->sample_count == 0)
    return "how: random and latin need 'samples'";
  return !is_drawn && self->sample_count > 0 ? "how: grid has no 'samples'" : NULL;
}

/* Fills what the plan, or a policy of it, varies; `out_points` (transfer full). */
static gboolean
read_parameters (Reader *self, const char *key, Parameters *parameters, GPtrArray **out_points)
{
  static const char *const known[] = { "how", "samples", "seed", "values", "points", NULL };
  LkYamlPlace place = lk_yaml_cursor_place (self->cursor);
  if (!read_mapping (self, key, known, read_parameters_member, parameters))
    return FALSE;
  const char *problem = parameters_problem (parameters);
  if (problem != NULL)
    return lk_yaml_cursor_fail_at (self->cursor, place, self->error, "'%s': %s", key, problem);
  if (parameters->how == LK_STUDY_LIST) {
    *out_points = g_ptr_array_ref (parameters->points);
    return TRUE;
  }
  LkStudySampling sampling = { .how = parameters->how,
                               .sample_count = (guint)parameters->sample_count,
                               .seed = parameters->seed,
                               .parameters = parameters->parameters,
                               .values_max = LK_STUDY_VALUES_MAX - self->value_count };
  g_autofree char *wrong = NULL;
  *out_points = lk_study_points_new (&sampling, &wrong);
  if (*out_points != NULL)
    self->value_count += (guint64)(*out_points)->len * parameters->parameters->len;
  return *out_points != NULL
         || lk_yaml_cursor_fail_at (self->cursor, place, self->error, "'%s': %s", key, wrong);
}

static void
parameters_init (Parameters *self)
{
  *self = (Parameters){ .seed = 1 };
  self->parameters = g_ptr_array_new_with_free_func (lk_study_parameter_free);
  self->points = g_ptr_array_new_with_free_func ((GDestroyNotify)g_ptr_array_unref);
}

static void
parameters_clear (Parameters *self)
{
  g_ptr_array_unref (self->parameters);
  g_ptr_array_unref (self->points);
}

static gboolean
read_plan_parameters (Reader *self, const char *key)
{
  LkStudyPlan *plan = self->plan;
  Parameters parameters;
  parameters_init (&parameters);
  GPtrArray *points = NULL;
  gboolean good = read_parameters (self, key, &parameters, &points);
  if (good) {
    g_ptr_array_unref (plan->points);
    plan->points = points;
    plan->how = parameters.how;
    plan->sample_count = (guint)parameters.sample_count;
    plan->point_seed = parameters.seed;
    g_ptr_array_unref (plan->parameters);
    plan->parameters = g_ptr_array_ref (parameters.parameters);
  }
  parameters_clear (&parameters);
  return good;
}

/* ---------------------------------------------------------------- traces and policies */

static gboolean
read_group_member (Reader *self, const char *key, gpointer target)
{
  LkStudyGroup *group = target;
  if (strcmp (key, "name") == 0)
    return read_name (self, key, &group->name);
  if (strcmp (key, "parameters") == 0) {
    Parameters parameters;
    parameters_init (&parameters);
    gboolean good = read_parameters (self, key, &parameters, &group->points);
    parameters_clear (&parameters);
    return good;
  }
  if (strcmp (key, "trace") == 0)
    return add_setting (self, key, group->settings);
  return read_setting (self, key, group->settings);
}

static const LkStudySetting *
setting_of (const LkStudyGroup *group, const char *name)
{
  for (guint i = 0; i < group->settings->len; i++) {
    const LkStudySetting *setting = g_ptr_array_index (group->settings, i);
    if (strcmp (setting->name, name) == 0)
      return setting;
  }
  return NULL;
}

static gboolean
check_unique (Reader *self, const GPtrArray *groups, const LkStudyGroup *group)
{
  for (guint i = 0; i < groups->len; i++) {
    const LkStudyGroup *other = g_ptr_array_index (groups, i);
    if (other != group && strcmp (other->name, group->name) == 0)
      return lk_yaml_cursor_fail_at (self->cursor, group->place, self->error,
                                     "the name '%s' is given twice", group->name);
  }
  return TRUE;
}

/* A log is named by its file, without what stands behind the first dot. */
static char *
name_of_log (const char *path)
{
  char *name = g_path_get_basename (path);
  char *dot = strchr (name + 1, '.');
  if (name[0] != '\0' && dot != NULL)
    *dot = '\0';
  if (strlen (name) > LK_STUDY_NAME_MAX_BYTES)
    name[LK_STUDY_NAME_MAX_BYTES] = '\0';
  return name;
}

static gboolean
read_trace (Reader *self, const char *key, gpointer target)
{
  GPtrArray *traces = target;
  LkStudyGroup *group = lk_study_group_new (lk_yaml_cursor_place (self->cursor));
  g_ptr_array_add (traces, group);
  if (kind_here (self) == LK_YAML_SCALAR) {
    if (!add_setting (self, "trace", group->settings))
      return FALSE;
  } else if (!read_mapping (self, key, NULL, read_group_member, group))
    return FALSE;
  const LkStudySetting *log = setting_of (group, "trace");
  if (log == NULL || group->points != NULL || strcmp (log->value, "-") == 0)
    return lk_yaml_cursor_fail_at (self->cursor, group->place, self->error,
                                   log == NULL             ? "a log without 'trace: FILE'"
                                   : group->points != NULL ? "a log has no 'parameters'"
                                                           : "'trace' must be a file");
  if (group->name == NULL)
    group->name = name_of_log (log->value);
  return check_unique (self, traces, group);
}

static gboolean
read_policy (Reader *self, const char *key, gpointer target)
{
  GPtrArray *policies = target;
  LkStudyGroup *group = lk_study_group_new (lk_yaml_cursor_place (self->cursor));
  g_ptr_array_add (policies, group);
  if (!read_mapping (self, key, NULL, read_group_member, group))
    return FALSE;
  if (group->name == NULL || setting_of (group, "trace") != NULL)
    return lk_yaml_cursor_fail_at (self->cursor, group->place, self->error,
                                   group->name == NULL ? "a policy without 'name'"
                                                       : "a policy has no 'trace'");
  return check_unique (self, policies, group);
}

/* ---------------------------------------------------------------- windows */

typedef struct {
  LkStudyWindow *window;
  gboolean each; /* one for each of its weeks */
} WindowReading;

static gboolean
read_window_member (Reader *self, const char *key, gpointer target)
{
  WindowReading *reading = target;
  LkStudyWindow *window = reading->window;
  if (strcmp (key, "name") == 0)
    return read_name (self, key, &window->name);
  if (strcmp (key, "role") == 0)
    return read_name (self, key, &window->role);
  if (strcmp (key, "weeks") == 0)
    return read_weeks (self, key, window);
  if (!expect_value (self, key))
    return FALSE;
  if (strcmp (key, "time") == 0) {
    window->time = g_strdup (text_here (self));
    return TRUE;
  }
  reading->each = strcmp (text_here (self), "week") == 0;
  return reading->each
         || lk_yaml_cursor_fail (self->cursor, self->error, "'each' is '%s'; expected week",
                                 text_here (self));
}

static gboolean
add_window (Reader *self, LkStudyWindow *window, LkYamlPlace place)
{
  GPtrArray *windows = self->plan->windows;
  gboolean twice = FALSE;
  for (guint i = 0; i < windows->len; i++) {
    const LkStudyWindow *other = g_ptr_array_index (windows, i);
    twice = twice || strcmp (other->name, window->name) == 0;
  }
  g_ptr_array_add (windows, window);
  if (windows->len > WINDOWS_MAX)
    return lk_yaml_cursor_fail_at (self->cursor, place, self->error, "more than %u windows",
                                   WINDOWS_MAX);
  return !twice
         || lk_yaml_cursor_fail_at (self->cursor, place, self->error,
                                    "the name '%s' is given twice", window->name);
}

static gboolean
add_weeks (Reader *self, LkStudyWindow *all, LkYamlPlace place)
{
  gboolean good = TRUE;
  for (guint week = all->week_first; good && week <= all->week_last; week++) {
    LkStudyWindow *window = g_new0 (LkStudyWindow, 1);
    window->name = g_strdup_printf ("%s-%u", all->name, week);
    window->role = g_strdup (all->role);
    window->week_first = week;
    window->week_last = week;
    good = add_window (self, window, place);
  }
  lk_study_window_free (all);
  return good;
}

static gboolean
read_window (Reader *self, const char *key, gpointer target)
{
  static const char *const known[] = { "name", "role", "time", "weeks", "each", NULL };
  LkYamlPlace place = lk_yaml_cursor_place (self->cursor);
  WindowReading reading = { .window = g_new0 (LkStudyWindow, 1) };
  LkStudyWindow *window = reading.window;
  (void)target;
  gboolean good = read_mapping (self, key, known, read_window_member, &reading);
  const char *problem = window->name == NULL ? "a window without 'name'"
                        : window->time != NULL && window->week_first != 0
                            ? "'time' and 'weeks' both say when; give one"
                        : reading.each && window->week_first == 0 ? "'each: week' needs 'weeks'"
                                                                  : NULL;
  if (good && problem == NULL)
    return reading.each ? add_weeks (self, window, place) : add_window (self, window, place);
  lk_study_window_free (window);
  return good && lk_yaml_cursor_fail_at (self->cursor, place, self->error, "%s", problem);
}

/* ---------------------------------------------------------------- the page */

static gboolean
read_load (Reader *self, const char *key, gpointer target)
{
  double load = 0;
  if (!read_number (self, key, &load))
    return FALSE;
  if (!(load > 0))
    return lk_yaml_cursor_fail (self->cursor, self->error, "'%s' is '%s'; expected above 0", key,
                                text_here (self));
  return read_text (self, key, target);
}

static gboolean
read_seed (Reader *self, const char *key, gpointer target)
{
  guint64 seed;
  return read_count (self, key, G_MAXUINT32, &seed) && read_text (self, key, target);
}

/* A list, or FIRST-LAST. */
static gboolean
read_seeds (Reader *self, const char *key, GPtrArray *seeds)
{
  guint64 first;
  guint64 last;
  if (kind_here (self) != LK_YAML_SCALAR)
    return read_list (self, key, read_seed, seeds);
  if (!expect_value (self, key))
    return FALSE;
  g_auto (GStrv) parts = g_strsplit (text_here (self), "-", 2);
  const char *second = parts[0] != NULL && parts[1] != NULL ? parts[1] : parts[0];
  if (parts[0] == NULL || !g_ascii_string_to_unsigned (parts[0], 10, 0, G_MAXUINT32, &first, NULL)
      || !g_ascii_string_to_unsigned (second, 10, first, MIN (first + LIST_MAX, G_MAXUINT32), &last,
                                      NULL))
    return lk_yaml_cursor_fail (self->cursor, self->error,
                                "'%s' is '%s'; expected a list of whole numbers, or FIRST-LAST",
                                key, text_here (self));
  for (guint64 seed = first; seed <= last; seed++)
    g_ptr_array_add (seeds, g_strdup_printf ("%" G_GUINT64_FORMAT, seed));
  return TRUE;
}

static gboolean
read_key (Reader *self, const char *key, gpointer target)
{
  LkStudyPlan *plan = target;
  if (self->extra != NULL && g_strv_contains (self->extra->keys, key))
    return self->extra->read (self->extra->user, key, self->cursor, self->error);
  if (strcmp (key, "settings") == 0)
    return read_mapping (self, key, NULL, read_setting, plan->settings);
  if (strcmp (key, "traces") == 0)
    return read_list (self, key, read_trace, plan->traces);
  if (strcmp (key, "windows") == 0)
    return read_list (self, key, read_window, plan->windows);
  if (strcmp (key, "policies") == 0)
    return read_list (self, key, read_policy, plan->policies);
  if (strcmp (key, "parameters") == 0)
    return read_plan_parameters (self, key);
  if (strcmp (key, "load") == 0)
    return read_list (self, key, read_load, plan->loads);
  return read_seeds (self, key, plan->seeds);
}

static gboolean
read_page (Reader *self)
{
  static const char *const own[] = { "settings",   "traces", "windows", "policies",
                                     "parameters", "load",   "seeds",   NULL };
  g_autoptr (GPtrArray) known = g_ptr_array_new ();
  for (guint i = 0; own[i] != NULL; i++)
    g_ptr_array_add (known, (gpointer)own[i]);
  for (guint i = 0; self->extra != NULL && self->extra->keys[i] != NULL; i++)
    g_ptr_array_add (known, (gpointer)self->extra->keys[i]);
  g_ptr_array_add (known, NULL);
  if (!lk_yaml_cursor_open (self->cursor, self->error))
    return FALSE;
  if (kind_here (self) == LK_YAML_END)
    return lk_yaml_cursor_fail (self->cursor, self->error, "the plan is empty");
  if (!read_mapping (self, "plan", (const char *const *)known->pdata, read_key, self->plan))
    return FALSE;
  if (self->plan->traces->len == 0)
    return lk_yaml_cursor_fail (self->cursor, self->error, "the plan has no 'traces'");
  return next (self) && lk_yaml_cursor_close (self->cursor, self->error);
}

LkStudyPlan *
lk_study_plan_read_bytes (const char *path, const guint8 *bytes, gsize length_bytes,
                          const LkStudyReader *reader, GError **error)
{
  g_autoptr (LkStudyPlan) plan = lk_study_plan_new (path);
  g_autoptr (LkYamlCursor) cursor =
      lk_yaml_cursor_new (path, bytes, length_bytes, LK_SIM_ERROR, LK_SIM_ERROR_USAGE);
  Reader self = { .cursor = cursor, .plan = plan, .extra = reader, .error = error };
  if (!read_page (&self))
    return NULL;
  lk_study_plan_complete (plan);
  return g_steal_pointer (&plan);
}

LkStudyPlan *
lk_study_plan_read (const char *path, const LkStudyReader *reader, GError **error)
{
  g_autoptr (LkInput) input = lk_input_new_of ("plan", path, error);
  g_autoptr (GString) text = g_string_new (NULL);
  if (input == NULL || !lk_input_rest (input, LK_STUDY_PLAN_MAX_BYTES, text, error))
    return NULL;
  return lk_study_plan_read_bytes (path, (const guint8 *)text->str, text->len, reader, error);
}
