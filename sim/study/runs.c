/* sim/study/runs.c — all runs of a plan. See run.h. */
#include <string.h>

#include "sim/error.h"
#include "sim/study/run.h"

static void
run_free (gpointer data)
{
  LkStudyRun *self = data;
  g_free (self->point_text);
  g_strfreev (self->arguments);
  g_free (self);
}

static char *
point_text (const GPtrArray *point)
{
  GString *text = g_string_new (NULL);
  for (guint i = 0; i < point->len; i++) {
    const LkStudySetting *setting = g_ptr_array_index (point, i);
    g_string_append_printf (text, "%s%s=%s", i > 0 ? " " : "", setting->name, setting->value);
  }
  return g_string_free (text, FALSE);
}

/* What decides whether a run can be had: all but which jobs come and when. */
static char *
setup_text (char *const *arguments)
{
  static const char *const aside[] = { "--time=", "--scale-load=", "--seed=", NULL };
  GString *text = g_string_new (NULL);
  for (guint i = 1; arguments[i] != NULL; i++) {
    gboolean is_aside = FALSE;
    for (guint k = 0; aside[k] != NULL; k++)
      is_aside = is_aside || g_str_has_prefix (arguments[i], aside[k]);
    if (!is_aside)
      g_string_append_printf (text, "%s\n", arguments[i]);
  }
  return g_string_free (text, FALSE);
}

typedef struct {
  const LkStudyPlan *plan;
  LkStudyRunner *runner;
  GHashTable *checked; /* set of setup_text */
  GPtrArray *runs;
} Expansion;

static gboolean
check_once (Expansion *self, const LkStudyRun *run, GError **error)
{
  char *setup = setup_text (run->arguments);
  if (!g_hash_table_add (self->checked, setup))
    return TRUE;
  if (lk_study_check (run->arguments, error))
    return TRUE;
  lk_study_prefix_place (self->plan, &run->choice, error);
  return FALSE;
}

static gboolean
add_run (Expansion *self, const LkStudyChoice *choice, GError **error)
{
  LkStudyRun *run = g_new0 (LkStudyRun, 1);
  run->index = self->runs->len;
  run->choice = *choice;
  run->point_text = point_text (choice->point);
  g_ptr_array_add (self->runs, run);
  if (self->runs->len > LK_STUDY_RUNS_MAX) {
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE, "%s: more than %u runs", self->plan->path,
                 LK_STUDY_RUNS_MAX);
    return FALSE;
  }
  run->arguments = lk_study_arguments (self->plan, choice, error);
  return run->arguments != NULL && check_once (self, run, error)
         && lk_study_runner_key (self->runner, run->arguments, run->key, error);
}

/* An element of a list of texts that may be empty, which stands for NULL. */
static const char *
text_at (const GPtrArray *texts, guint index)
{
  return index < texts->len ? g_ptr_array_index (texts, index) : NULL;
}

static gboolean
add_points (Expansion *self, LkStudyChoice choice, GError **error)
{
  const LkStudyPlan *plan = self->plan;
  const GPtrArray *points = choice.policy->points != NULL ? choice.policy->points : plan->points;
  for (guint p = 0; p < points->len; p++)
    for (guint l = 0; l < MAX (plan->loads->len, 1); l++)
      for (guint s = 0; s < MAX (plan->seeds->len, 1); s++) {
        choice.point = g_ptr_array_index (points, p);
        choice.load = text_at (plan->loads, l);
        choice.seed = text_at (plan->seeds, s);
        if (!add_run (self, &choice, error))
          return FALSE;
      }
  return TRUE;
}

static gboolean
add_all (Expansion *self, GError **error)
{
  const LkStudyPlan *plan = self->plan;
  for (guint t = 0; t < plan->traces->len; t++)
    for (guint w = 0; w < plan->windows->len; w++)
      for (guint p = 0; p < plan->policies->len; p++) {
        LkStudyChoice choice = { .trace = g_ptr_array_index (plan->traces, t),
                                 .window = g_ptr_array_index (plan->windows, w),
                                 .policy = g_ptr_array_index (plan->policies, p) };
        if (!lk_study_runner_first_submit (self->runner, plan, &choice, error)
            || !add_points (self, choice, error))
          return FALSE;
      }
  return TRUE;
}

GPtrArray *
lk_study_runs_new (const LkStudyPlan *plan, LkStudyRunner *runner, GError **error)
{
  g_autoptr (GPtrArray) runs = g_ptr_array_new_with_free_func (run_free);
  Expansion self = { .plan = plan, .runner = runner, .runs = runs };
  self.checked = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  gboolean good = add_all (&self, error);
  g_hash_table_unref (self.checked);
  return good ? g_steal_pointer (&runs) : NULL;
}

char *
lk_study_quote (const char *argument)
{
  gboolean is_plain = argument[0] != '\0';
  for (const char *at = argument; *at != '\0'; at++)
    is_plain = is_plain && (g_ascii_isalnum (*at) || strchr ("-_=./:,+@%", *at) != NULL);
  return is_plain ? g_strdup (argument) : g_shell_quote (argument);
}
