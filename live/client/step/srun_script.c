/* live/client/step/srun_script.c — --prolog and --epilog of srun: programs that it runs itself,
 * before and behind its step, with the arguments of the tasks.
 *
 * Source: srun(1). */
#include <errno.h>
#include <unistd.h>

#include "live/client/step/srun.h"

/* The program hears of signals as any. */
static void
signals_clear (gpointer user)
{
  sigset_t none;
  (void)user;
  sigemptyset (&none);
  sigprocmask (SIG_SETMASK, &none, NULL);
  signal (SIGPIPE, SIG_DFL);
}

/* Returns: (transfer full), to be freed by g_strfreev. */
static char **
environment_of (const LkSrun *self, const char *context)
{
  char **environment = lk_launch_environment (&self->launch, &self->job);
  environment = g_environ_setenv (environment, "SLURM_SCRIPT_CONTEXT", context, TRUE);
  /* There is no step yet before the prolog. */
  if (self->task_count == 0)
    return environment;
  g_autofree char *step = g_strdup_printf ("%u", self->step_id);
  g_autofree char *tasks = g_strdup_printf ("%u", self->task_count);
  environment = g_environ_setenv (environment, "SLURM_STEP_ID", step, TRUE);
  environment = g_environ_setenv (environment, "SLURM_STEPID", step, TRUE);
  return g_environ_setenv (environment, "SLURM_STEP_NUM_TASKS", tasks, TRUE);
}

void
lk_srun_script_run (const LkSrun *self, const char *option, const char *context)
{
  const char *path = lk_launch_value (&self->launch, option);
  g_autoptr (GError) error = NULL;
  if (path == NULL || *path == '\0' || g_ascii_strcasecmp (path, "none") == 0)
    return;
  if (access (path, R_OK | X_OK) != 0) {
    lk_launch_info (&self->launch, "Access denied for %s: %s", path, g_strerror (errno));
    return;
  }
  g_autoptr (GPtrArray) arguments = g_ptr_array_new ();
  g_ptr_array_add (arguments, (gpointer)path);
  for (char **at = self->launch.arguments; *at != NULL; at++)
    g_ptr_array_add (arguments, *at);
  g_ptr_array_add (arguments, NULL);
  g_auto (GStrv) environment = environment_of (self, context);
  fflush (NULL);
  if (!g_spawn_sync (NULL, (char **)arguments->pdata, environment, G_SPAWN_DEFAULT, signals_clear,
                     NULL, NULL, NULL, NULL, &error))
    lk_client_error (self->launch.submission.client, "--%s: %s", option, error->message);
}
