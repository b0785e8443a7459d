/* live/step/step_plugins.c — see the header. */
#include "live/step/step_plugins.h"

#include <grp.h>
#include <stdio.h>
#include <unistd.h>

#include "live/step/enter.h"

#define KEPT_MAX 64u
#define GROUPS_MAX 65536

typedef struct {
  LkSpankLevel level;
  char *line;
} Kept;

struct _LkStepPlugins {
  const LkStep *step;
  LkSpank *spank;
  GArray *kept;   /* of Kept */
  LkSpankLog say; /* NULL: nobody listens yet */
  gpointer user;
  LkSpankTask *tasks;
};

/* ---------------------------------------------------------------- lines */

/* Errors are for the log of the node, too. */
static void
hear (gpointer user, LkSpankLevel level, const char *line)
{
  LkStepPlugins *self = user;
  if (level > LK_SPANK_LOG_INFO)
    return;
  if (level == LK_SPANK_LOG_ERROR)
    lk_step_log (self->step, "%s", line);
  if (self->say != NULL) {
    self->say (self->user, level, line);
  } else if (self->kept->len < KEPT_MAX) {
    const Kept kept = { level, g_strdup (line) };
    g_array_append_val (self->kept, kept);
  }
}

void
lk_step_plugins_listen (LkStepPlugins *self, LkSpankLog say, gpointer user)
{
  self->say = say;
  self->user = user;
  for (guint i = 0; i < self->kept->len; i++) {
    const Kept *kept = &g_array_index (self->kept, Kept, i);
    say (user, kept->level, kept->line);
    g_free (kept->line);
  }
  g_array_set_size (self->kept, 0);
}

void
lk_step_plugins_write (gpointer user, LkSpankLevel level, const char *line)
{
  (void)user;
  dprintf (STDERR_FILENO, "%s%s%s\n", level == LK_SPANK_LOG_PLAIN ? "" : "slurmstepd: ",
           level == LK_SPANK_LOG_ERROR ? "error: " : "", line);
}

/* ---------------------------------------------------------------- the scene */

static GPtrArray *
environment_of (LkStrings strings)
{
  GPtrArray *list = g_ptr_array_new ();
  const char *variable;
  while ((variable = lk_strings_next (&strings)) != NULL)
    g_ptr_array_add (list, g_strdup (variable));
  g_ptr_array_add (list, NULL);
  return list;
}

static void
groups_fill (const LkStep *step, LkSpankScene *scene)
{
  int count = GROUPS_MAX;
  gid_t *groups = g_new (gid_t, GROUPS_MAX);
  if (!step->has_user
      || getgrouplist (step->user, step->launch.launch.group_id, groups, &count) < 0)
    count = 0;
  scene->groups = groups;
  scene->group_count = (guint)count;
}

static void
scene_fill (LkStepPlugins *self, guint32 step_id, LkStrings environment)
{
  const LkStep *step = self->step;
  const LkMessage_launch *launch = &step->launch.launch;
  LkSpankScene *scene = lk_spank_scene (self->spank);
  *scene = (LkSpankScene){ .has_user = TRUE,
                           .user_id = launch->user_id,
                           .group_id = launch->group_id,
                           .has_job = TRUE,
                           .job_id = launch->job_id,
                           .has_step = TRUE,
                           .step_id = step_id,
                           .environment = environment_of (environment),
                           .node_count = step->share.node_count,
                           .node_index = step->share.node_index,
                           .cpus = step->share.cpus,
                           .cpus_per_task = 1,
                           .job_cores = lk_number_list (step->share.cores),
                           .job_memory_mib = step->share.memory_bytes >> 20,
                           .step_memory_mib = step->share.memory_bytes >> 20,
                           .restarts = launch->restarts,
                           .array_job_id = launch->array_job_id,
                           .array_task = launch->array_task,
                           .task = -1 };
  scene->step_cores = scene->job_cores;
  groups_fill (step, scene);
}

LkSpankScene *
lk_step_plugins_scene (LkStepPlugins *self)
{
  return lk_spank_scene (self->spank);
}

LkSpankTask *
lk_step_plugins_set_tasks (LkStepPlugins *self, guint count)
{
  LkSpankScene *scene = lk_spank_scene (self->spank);
  self->tasks = g_new0 (LkSpankTask, count);
  scene->tasks = self->tasks;
  scene->tasks_here = count;
  return self->tasks;
}

LkSpankTask *
lk_step_plugins_scene_task (LkStepPlugins *self, guint index)
{
  return &self->tasks[index];
}

GByteArray *
lk_step_plugins_environment (LkStepPlugins *self)
{
  const GPtrArray *list = lk_spank_scene (self->spank)->environment;
  GByteArray *bytes = g_byte_array_new ();
  for (guint i = 0; i + 1 < list->len; i++)
    lk_strings_append (bytes, g_ptr_array_index (list, i));
  return bytes;
}

/* ---------------------------------------------------------------- beginning */

/* Options of the job are in the environment that it brings. */
static gboolean
begin (LkStepPlugins *self)
{
  const GPtrArray *environment = lk_spank_scene (self->spank)->environment;
  lk_spank_job_read (self->spank, (const char *const *)environment->pdata);
  if (lk_spank_call (self->spank, LK_SPANK_INIT) && lk_spank_job_options (self->spank)
      && lk_spank_call (self->spank, LK_SPANK_INIT_POST_OPT))
    return TRUE;
  hear (self, LK_SPANK_LOG_ERROR, "Plugin stack initialization failed.");
  return FALSE;
}

LkStepPlugins *
lk_step_plugins_new (const LkStep *step, guint32 step_id, LkStrings environment,
                     gboolean *out_is_good)
{
  g_autoptr (GError) error = NULL;
  *out_is_good = TRUE;
  if (!lk_step_has_plugins (step))
    return NULL;
  LkStepPlugins *self = g_new0 (LkStepPlugins, 1);
  const LkSpankOptions options = {
    .context = S_CTX_REMOTE, .plugstack = step->plugstack, .log = hear, .log_user = self
  };
  self->step = step;
  self->kept = g_array_new (FALSE, FALSE, sizeof (Kept));
  self->spank = lk_spank_load (&options, &error);
  if (self->spank == NULL) {
    hear (self, LK_SPANK_LOG_ERROR, error->message);
    *out_is_good = FALSE;
    return self;
  }
  if (lk_spank_is_empty (self->spank))
    return NULL;
  scene_fill (self, step_id, environment);
  *out_is_good = begin (self);
  return self;
}

/* ---------------------------------------------------------------- calling */

gboolean
lk_step_plugins_has (const LkStepPlugins *self, LkSpankHook hook)
{
  return lk_spank_has (self->spank, hook);
}

gboolean
lk_step_plugins_call (LkStepPlugins *self, LkSpankHook hook)
{
  return lk_spank_call (self->spank, hook);
}

gboolean
lk_step_plugins_call_as_root (LkStepPlugins *self, LkSpankHook hook)
{
  if (!lk_spank_has (self->spank, hook))
    return TRUE;
  lk_enter_root_again ();
  gboolean is_good = lk_spank_call (self->spank, hook);
  lk_enter_user_again (self->step);
  return is_good;
}

gboolean
lk_step_plugins_enter_task (LkStepPlugins *self)
{
  lk_enter_root_again ();
  if (!lk_spank_call (self->spank, LK_SPANK_TASK_INIT_PRIVILEGED))
    return FALSE;
  const char *lack = lk_enter_user (self->step);
  if (lack != NULL)
    hear (self, LK_SPANK_LOG_ERROR, lack);
  return lack == NULL;
}

/* ---------------------------------------------------------------- around a job */

gboolean
lk_step_plugins_job (const LkStep *step, gboolean is_prolog)
{
  LkStepPlugins self = { .step = step, .kept = g_array_new (FALSE, FALSE, sizeof (Kept)) };
  const LkSpankOptions options = {
    .context = S_CTX_JOB_SCRIPT, .plugstack = step->plugstack, .log = hear, .log_user = &self
  };
  g_autoptr (GError) error = NULL;
  self.spank = lk_spank_load (&options, &error);
  if (self.spank == NULL) {
    hear (&self, LK_SPANK_LOG_ERROR, error->message);
    return FALSE;
  }
  LkSpankScene *scene = lk_spank_scene (self.spank);
  g_autoptr (GPtrArray) environment = environment_of (step->batch.environment);
  scene->has_user = scene->has_job = TRUE;
  scene->user_id = step->launch.launch.user_id;
  scene->group_id = step->launch.launch.group_id;
  scene->job_id = step->launch.launch.job_id;
  lk_spank_job_read (self.spank, (const char *const *)environment->pdata);
  return lk_spank_job_options (self.spank)
         && lk_spank_call (self.spank, is_prolog ? LK_SPANK_JOB_PROLOG : LK_SPANK_JOB_EPILOG);
}
