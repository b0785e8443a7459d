/* live/client/step/srun_hosts.c — SLURM_HOSTFILE: a file that names the node of each task.
 *
 * Source: srun(1), SLURM_HOSTFILE. */
#include <string.h>

#include "live/client/step/srun.h"
#include "live/client/submit/host_file.h"

#define TASKS_MAX LK_HOST_FILE_NAMES_MAX

static void
word_add (LkSrun *self, const char *option, guint count)
{
  if (!lk_launch_has (&self->launch, option))
    g_ptr_array_add (lk_launch_words (&self->launch), g_strdup_printf ("--%s=%u", option, count));
}

int
lk_srun_hosts_read (LkSrun *self)
{
  const LkClient *client = self->launch.submission.client;
  const char *path = lk_client_variable (client, "SLURM_HOSTFILE");
  const char *tasks = lk_launch_value (&self->launch, "ntasks");
  g_autofree char *text = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) hosts = g_ptr_array_new_with_free_func (g_free);
  guint count;
  if (path == NULL || lk_launch_has (&self->launch, "nodelist"))
    return 0;
  guint wrong = 0;
  if (!g_file_get_contents (path, &text, NULL, &error))
    lk_client_error (client, "SLURM_HOSTFILE: %s", error->message);
  else if ((wrong = lk_host_file_lines (text, hosts)) != 0)
    lk_client_error (client, "Invalid hostfile %s contents on line %u", path, wrong);
  else if (hosts->len == 0 || hosts->len > TASKS_MAX
           || (tasks != NULL && g_ascii_strtoull (tasks, NULL, 10) > hosts->len))
    lk_client_error (client, "Too few NodeNames in Slurm Hostfile");
  else {
    if (tasks != NULL)
      g_ptr_array_set_size (hosts, (gint)MAX (1, g_ascii_strtoull (tasks, NULL, 10)));
    g_autofree char *names = lk_host_file_names (hosts, &count);
    g_ptr_array_add (hosts, NULL);
    self->hosts = g_strjoinv (",", (char **)hosts->pdata);
    g_ptr_array_add (lk_launch_words (&self->launch), g_strconcat ("--nodelist=", names, NULL));
    word_add (self, "ntasks", hosts->len - 1);
    word_add (self, "nodes", count);
    return 0;
  }
  lk_client_error (client, "Failure getting NodeNames from hostfile");
  return lk_launch_exit_code (client, "SLURM_EXIT_ERROR");
}
