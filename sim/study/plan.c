/* sim/study/plan.c — what a plan holds, and the command lines that follow from it. See plan.h. */
#include "sim/study/plan.h"

#include <string.h>

#include "engine/assert.h"
#include "engine/suggest.h"
#include "policies/registry.h"
#include "policies/spec.h"
#include "sim/error.h"
#include "sim/study/plan_private.h"

#define WEEK_US (G_GINT64_CONSTANT (7) * 86400 * G_USEC_PER_SEC)

/* What a plan says otherwise, or what makes no sense of many runs at once. */
static const char *const refused[] = { "trace",    "commands", "config",   "out",
                                       "batsim",   "journal",  "show",     "journal-standing",
                                       "at",       "json",     "help",     "help-all",
                                       "progress", "shake",    "shake-by", NULL };
static const char *const repeated[] = { "plugin", "map", NULL };
/* For suggestions alone: what there is is up to the verb. */
static const char *const usual[] = { "accounts",       "backfill",    "cluster", "columns",
                                     "compat",         "cooldown",    "csv-map", "estimates",
                                     "failures",       "format",      "jobs",    "kill-wait",
                                     "launch-latency", "lead",        "lenient", "limit",
                                     "limits",         "limit-check", "map",     "order",
                                     "plugin",         "preempt",     "procs",   "reservations",
                                     "sample",         "scale-load",  "seed",    "select",
                                     "sort",           "tie-rule",    "time",    "users",
                                     "warmup",         NULL };

/* ---------------------------------------------------------------- parts */

LkStudySetting *
lk_study_setting_new (const char *name, const char *value, LkYamlPlace place)
{
  LkStudySetting *self = g_new0 (LkStudySetting, 1);
  self->name = g_strdup (name);
  self->value = g_strdup (value);
  self->place = place;
  return self;
}

void
lk_study_setting_free (LkStudySetting *self)
{
  if (self == NULL)
    return;
  g_free (self->name);
  g_free (self->value);
  g_free (self);
}

GPtrArray *
lk_study_settings_new (void)
{
  return g_ptr_array_new_with_free_func ((GDestroyNotify)lk_study_setting_free);
}

LkStudyGroup *
lk_study_group_new (LkYamlPlace place)
{
  LkStudyGroup *self = g_new0 (LkStudyGroup, 1);
  self->settings = lk_study_settings_new ();
  self->place = place;
  return self;
}

static void
group_free (gpointer data)
{
  LkStudyGroup *self = data;
  g_free (self->name);
  g_ptr_array_unref (self->settings);
  g_clear_pointer (&self->points, g_ptr_array_unref);
  g_free (self);
}

void
lk_study_window_free (gpointer window)
{
  LkStudyWindow *self = window;
  g_free (self->name);
  g_free (self->role);
  g_free (self->time);
  g_free (self);
}

void
lk_study_parameter_free (gpointer parameter)
{
  LkStudyParameter *self = parameter;
  g_free (self->name);
  g_clear_pointer (&self->values, g_ptr_array_unref);
  g_free (self);
}

LkStudyPlan *
lk_study_plan_new (const char *path)
{
  LkStudyPlan *self = g_new0 (LkStudyPlan, 1);
  self->path = g_strdup (path);
  self->settings = lk_study_settings_new ();
  self->traces = g_ptr_array_new_with_free_func (group_free);
  self->windows = g_ptr_array_new_with_free_func (lk_study_window_free);
  self->policies = g_ptr_array_new_with_free_func (group_free);
  self->parameters = g_ptr_array_new_with_free_func (lk_study_parameter_free);
  self->points = g_ptr_array_new_with_free_func ((GDestroyNotify)g_ptr_array_unref);
  self->loads = g_ptr_array_new_with_free_func (g_free);
  self->seeds = g_ptr_array_new_with_free_func (g_free);
  return self;
}

void
lk_study_plan_free (LkStudyPlan *self)
{
  if (self == NULL)
    return;
  g_free (self->path);
  g_ptr_array_unref (self->settings);
  g_ptr_array_unref (self->traces);
  g_ptr_array_unref (self->windows);
  g_ptr_array_unref (self->policies);
  g_ptr_array_unref (self->parameters);
  g_ptr_array_unref (self->points);
  g_ptr_array_unref (self->loads);
  g_ptr_array_unref (self->seeds);
  g_free (self);
}

void
lk_study_plan_complete (LkStudyPlan *self)
{
  if (self->windows->len == 0) {
    LkStudyWindow *all = g_new0 (LkStudyWindow, 1);
    all->name = g_strdup ("all");
    g_ptr_array_add (self->windows, all);
  }
  if (self->policies->len == 0) {
    LkStudyGroup *plain = lk_study_group_new ((LkYamlPlace){ 1, 1 });
    plain->name = g_strdup ("default");
    g_ptr_array_add (self->policies, plain);
  }
  if (self->points->len == 0)
    g_ptr_array_add (self->points, lk_study_settings_new ());
}

const LkStudyWindow *
lk_study_plan_window (const LkStudyPlan *self, const char *name, GError **error)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  for (guint i = 0; i < self->windows->len; i++) {
    const LkStudyWindow *window = g_ptr_array_index (self->windows, i);
    if (strcmp (window->name, name) == 0)
      return window;
    g_ptr_array_add (names, window->name);
  }
  g_ptr_array_add (names, NULL);
  g_autofree char *phrase = lk_suggest_phrase (name, (const char *const *)names->pdata);
  g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE, "%s: there is no window '%s'%s", self->path,
               name, phrase);
  return NULL;
}

/* ---------------------------------------------------------------- names of settings */

/* The seam of SEAM.PARAMETER, and where the parameter stands; 0: it is no such name. */
static guint32
seam_of (const char *name, const char **out_parameter)
{
  const char *dot = strchr (name, '.');
  if (dot == NULL)
    return 0;
  g_autofree char *seam = g_strndup (name, (gsize)(dot - name));
  *out_parameter = dot + 1;
  return lk_seam_from_name (seam);
}

char *
lk_study_setting_problem (const char *name)
{
  const char *parameter;
  gboolean has_dot = strchr (name, '.') != NULL;
  if (g_strv_contains (refused, name))
    return g_strdup_printf ("'%s' has no place here", name);
  if (has_dot && seam_of (name, &parameter) == 0)
    return g_strdup_printf ("'%s': expected SETTING, or a parameter as order.NAME, backfill.NAME, "
                            "select.NAME, limits.NAME or preempt.NAME",
                            name);
  const char *at = name;
  while (g_ascii_isalnum (*at) || *at == '-' || *at == '_' || (has_dot && *at == '.'))
    at++;
  if (*at == '\0' && g_ascii_isalpha (name[0]) && at[-1] != '.')
    return NULL;
  return g_strdup_printf ("'%s' is no setting of lockstep sim", name);
}

gboolean
lk_study_setting_repeats (const char *name)
{
  return g_strv_contains (repeated, name);
}

/* ---------------------------------------------------------------- command lines */

/* Settings of a run by name, in order of their first appearance; those that repeat are all there.
 */
typedef struct {
  const LkStudyPlan *plan;
  GPtrArray *settings; /* of LkStudySetting, own */
} Line;

static LkStudySetting *
line_find (const Line *self, const char *name)
{
  for (guint i = 0; i < self->settings->len; i++) {
    LkStudySetting *setting = g_ptr_array_index (self->settings, i);
    if (strcmp (setting->name, name) == 0)
      return setting;
  }
  return NULL;
}

static void
line_set (Line *self, const LkStudySetting *given)
{
  LkStudySetting *there =
      lk_study_setting_repeats (given->name) ? NULL : line_find (self, given->name);
  if (there == NULL) {
    g_ptr_array_add (self->settings,
                     lk_study_setting_new (given->name, given->value, given->place));
    return;
  }
  g_free (there->value);
  there->value = g_strdup (given->value);
  there->place = given->place;
}

/* SEAM.PARAMETER changes the specification that stands there. */
static gboolean
line_set_parameter (Line *self, const LkStudySetting *given, GError **error)
{
  const char *parameter;
  guint32 seam = seam_of (given->name, &parameter);
  LK_ASSERT (seam != 0);
  LkStudySetting *there = line_find (self, lk_seam_name (seam));
  g_autofree char *name = NULL;
  g_autofree char *arguments = NULL;
  if (there == NULL) {
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE,
                 "%s:%u:%u: %s: no '%s' is set whose parameter this could be", self->plan->path,
                 given->place.line, given->place.column, given->name, lk_seam_name (seam));
    return FALSE;
  }
  if (!lk_spec_split (there->value, &name, &arguments, error)) {
    g_prefix_error (error, "%s:%u:%u: ", self->plan->path, there->place.line, there->place.column);
    return FALSE;
  }
  g_autoptr (GString) change = g_string_new (name);
  g_string_append_printf (change, ":%s=", parameter);
  lk_spec_append_text (change, given->value);
  g_autofree char *base =
      g_strdup_printf ("%s%s%s", name, arguments[0] != '\0' ? ":" : "", arguments);
  char *merged = lk_spec_merge (base, change->str);
  g_free (there->value);
  there->value = merged;
  there->place = given->place;
  return TRUE;
}

static gboolean
line_add (Line *self, const GPtrArray *settings, GError **error)
{
  const char *parameter;
  /* A parameter belongs to the policy that the same list names, wherever that stands in it. */
  for (guint i = 0; settings != NULL && i < settings->len; i++) {
    const LkStudySetting *setting = g_ptr_array_index (settings, i);
    if (seam_of (setting->name, &parameter) == 0)
      line_set (self, setting);
  }
  for (guint i = 0; settings != NULL && i < settings->len; i++) {
    const LkStudySetting *setting = g_ptr_array_index (settings, i);
    if (seam_of (setting->name, &parameter) != 0 && !line_set_parameter (self, setting, error))
      return FALSE;
  }
  return TRUE;
}

static void
append_time (GString *out, gint64 time_us)
{
  g_string_append_printf (out, "%" G_GINT64_FORMAT ".%06" G_GINT64_FORMAT, time_us / G_USEC_PER_SEC,
                          time_us % G_USEC_PER_SEC);
}

static void
line_add_text (Line *self, const char *name, const char *value)
{
  LkStudySetting setting = { .name = (char *)name, .value = (char *)value, .place = { 1, 1 } };
  if (value != NULL)
    line_set (self, &setting);
}

static void
line_add_window (Line *self, const LkStudyChoice *choice)
{
  const LkStudyWindow *window = choice->window;
  if (window == NULL)
    return;
  line_add_text (self, "time", window->time);
  if (window->week_first == 0)
    return;
  g_autoptr (GString) time = g_string_new (NULL);
  append_time (time, choice->first_submit_us + (window->week_first - 1) * WEEK_US);
  g_string_append_c (time, ':');
  append_time (time, choice->first_submit_us + window->week_last * WEEK_US);
  line_add_text (self, "time", time->str);
}

/* All that is set, but for the log itself. */
static gboolean
line_fill (Line *self, const LkStudyChoice *choice, GError **error)
{
  if (!line_add (self, self->plan->settings, error)
      || !line_add (self, choice->trace->settings, error)
      || (choice->policy != NULL && !line_add (self, choice->policy->settings, error)))
    return FALSE;
  line_add_window (self, choice);
  line_add_text (self, "scale-load", choice->load);
  line_add_text (self, "seed", choice->seed);
  return line_add (self, choice->point, error);
}

/* What stands for a setting on the command line; NULL: nothing. */
static char *
option_of (const LkStudySetting *setting)
{
  if (strcmp (setting->value, "true") == 0)
    return g_strdup_printf ("--%s", setting->name);
  if (strcmp (setting->value, "false") == 0)
    return NULL;
  return g_strdup_printf ("--%s=%s", setting->name, setting->value);
}

char **
lk_study_arguments (const LkStudyPlan *self, const LkStudyChoice *choice, GError **error)
{
  g_autoptr (GPtrArray) settings = lk_study_settings_new ();
  Line line = { .plan = self, .settings = settings };
  const char *log = NULL;
  if (!line_fill (&line, choice, error))
    return NULL;
  GPtrArray *arguments = g_ptr_array_new ();
  g_ptr_array_add (arguments, g_strdup ("sim"));
  for (guint i = 0; i < settings->len; i++) {
    const LkStudySetting *setting = g_ptr_array_index (settings, i);
    char *option = strcmp (setting->name, "trace") == 0 ? NULL : option_of (setting);
    if (strcmp (setting->name, "trace") == 0)
      log = setting->value;
    if (option != NULL)
      g_ptr_array_add (arguments, option);
  }
  LK_ASSERT (log != NULL);
  g_ptr_array_add (arguments, g_strdup ("--"));
  g_ptr_array_add (arguments, g_strdup (log));
  g_ptr_array_add (arguments, NULL);
  return (char **)g_ptr_array_free (arguments, FALSE);
}

/* ---------------------------------------------------------------- places of errors */

/* Which setting a message speaks of; NULL: none. */
static const LkStudySetting *
setting_named (const Line *line, const char *message)
{
  for (guint i = 0; i < line->settings->len; i++) {
    const LkStudySetting *setting = g_ptr_array_index (line->settings, i);
    g_autofree char *option = g_strdup_printf ("--%s", setting->name);
    const char *at = strstr (message, option);
    gsize length_bytes = strlen (option);
    if (at != NULL && !g_ascii_isalnum (at[length_bytes]) && at[length_bytes] != '-')
      return setting;
    if (lk_seam_from_name (setting->name) != 0 && g_str_has_prefix (message, setting->name)
        && strchr (": '", message[strlen (setting->name)]) != NULL)
      return setting;
  }
  return NULL;
}

void
lk_study_prefix_place (const LkStudyPlan *self, const LkStudyChoice *choice, GError **error)
{
  g_autoptr (GPtrArray) settings = lk_study_settings_new ();
  Line line = { .plan = self, .settings = settings };
  if (error == NULL || g_str_has_prefix ((*error)->message, self->path))
    return;
  line_fill (&line, choice, NULL);
  const LkStudySetting *setting = setting_named (&line, (*error)->message);
  if (setting == NULL) {
    g_prefix_error (error, "%s: log '%s', window '%s', policy '%s': ", self->path,
                    choice->trace->name, choice->window != NULL ? choice->window->name : "all",
                    choice->policy != NULL ? choice->policy->name : "default");
    return;
  }
  if ((*error)->domain == G_OPTION_ERROR && !g_strv_contains (usual, setting->name)) {
    g_autofree char *phrase = lk_suggest_phrase (setting->name, usual);
    g_clear_error (error);
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE,
                 "%s:%u:%u: '%s' is no setting of lockstep sim%s", self->path, setting->place.line,
                 setting->place.column, setting->name, phrase);
    return;
  }
  g_prefix_error (error, "%s:%u:%u: ", self->path, setting->place.line, setting->place.column);
}
