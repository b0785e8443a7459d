/* live/step/step.c — see step.h. */
#include "live/step/step.h"

#include <grp.h>
#include <paths.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void
lk_step_find_user (LkStep *step)
{
  const struct passwd *user = getpwuid (step->launch.launch.user_id);
  const struct group *group = getgrgid (step->launch.launch.group_id);
  step->has_user = user != NULL;
  step->user = g_strdup (user != NULL ? user->pw_name : "");
  step->home = g_strdup (user != NULL ? user->pw_dir : "/");
  step->shell = g_strdup (user != NULL && user->pw_shell[0] != '\0' ? user->pw_shell : _PATH_BSHELL);
  step->group = group != NULL ? g_strdup (group->gr_name)
                              : g_strdup_printf ("%u", step->launch.launch.group_id);
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
                       .user = step->user,
                       .group = step->group,
                       .home = step->home,
                       .shell = step->shell,
                       .devices_are_confined = step->confines_devices };
}

void
lk_step_log (const LkStep *step, const char *format, ...)
{
  va_list arguments;
  va_start (arguments, format);
  g_autofree char *text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  g_strdelimit (text, "\n\r", ' ');
  dprintf (2, "lockstep-step: %s: run %" G_GUINT64_FORMAT ": %s\n", step->node, step->run_id, text);
}
