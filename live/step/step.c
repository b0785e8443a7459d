/* live/step/step.c — see step.h. */
#include "live/step/step.h"

#include <grp.h>
#include <paths.h>
#include <pwd.h>
#include <stdarg.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

void
lk_step_find_user (LkStep *step)
{
  const struct passwd *user = getpwuid (step->launch.launch.user_id);
  const struct group *group = getgrgid (step->launch.launch.group_id);
  step->has_user = user != NULL;
  step->user = g_strdup (user != NULL ? user->pw_name : "");
  step->home = g_strdup (user != NULL ? user->pw_dir : "/");
  step->shell =
      g_strdup (user != NULL && user->pw_shell[0] != '\0' ? user->pw_shell : _PATH_BSHELL);
  step->group = group != NULL ? g_strdup (group->gr_name)
                              : g_strdup_printf ("%u", step->launch.launch.group_id);
}

char *
lk_step_group_name (guint32 step_id)
{
  return g_strdup_printf ("step_%u", step_id);
}

LkCgroup *
lk_step_group (const LkStep *step)
{
  return step->part != NULL ? step->part : step->cgroup;
}

/* The agent has one to make keys from. */
static gboolean
has_key (const LkStep *step)
{
  return step->job_key != NULL && access (step->job_key, F_OK) == 0;
}

LkRunScene
lk_step_scene (const LkStep *step)
{
  return (LkRunScene){ .launch = &step->launch.launch,
                       .batch = &step->batch,
                       .share = &step->share,
                       .node = step->node,
                       .configuration = step->configuration,
                       .folder = step->folder_path,
                       .job_key = has_key (step) ? step->job_key : NULL,
                       .user = step->user,
                       .group = step->group,
                       .home = step->home,
                       .shell = step->shell,
                       .derived_exit_code = step->derived_exit_code,
                       .devices_are_confined = step->confines_devices,
                       .has_plugins = lk_step_has_plugins (step) };
}

/* Whoever calls: supervisor, keeper, or what is about to be a job. Without an agent nobody reads
 * it. */
void
lk_step_log (const LkStep *step, const char *format, ...)
{
  char line[LK_STEP_LINE_BYTES];
  va_list arguments;
  va_start (arguments, format);
  g_autofree char *text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  for (char *at = text; *at != '\0'; at++)
    if (g_ascii_iscntrl (*at))
      *at = ' ';
  g_snprintf (line, sizeof line, LK_STEP_LOG "%s", text);
  if (step->agent >= 0)
    send (step->agent, line, strlen (line), MSG_NOSIGNAL | MSG_DONTWAIT);
}

gboolean
lk_step_has_script (const LkStep *step)
{
  return step->launch.launch.runs_script != 0 && step->batch.kind == LK_BATCH_KIND_SCRIPT;
}

gboolean
lk_step_confine_devices (const LkStep *step, LkCgroup *group, const GArray *gpus,
                         gboolean has_shares)
{
  g_autoptr (GPtrArray) denied = g_ptr_array_new ();
  for (guint i = 0; step->confines_devices && step->devices != NULL && step->devices[i] != NULL;
       i++) {
    gboolean is_ours = has_shares && step->share.share_gpu == i;
    for (guint j = 0; j < gpus->len; j++)
      is_ours = is_ours || g_array_index (gpus, guint32, j) == i;
    if (!is_ours && step->devices[i][0] != '\0')
      g_ptr_array_add (denied, step->devices[i]);
  }
  return denied->len == 0
         || lk_cgroup_deny_devices (group, (const char *const *)denied->pdata, denied->len);
}

gboolean
lk_step_has_plugins (const LkStep *step)
{
  return step->plugstack != NULL && access (step->plugstack, F_OK) == 0;
}
