/* live/port/cgroup_thaw.c — see the header. */
#include "live/port/cgroup_thaw.h"

#include <fcntl.h>
#include <glib.h>
#include <string.h>
#include <unistd.h>

/* The hierarchy of the freezer: lines of /proc/PID/cgroup are number, controllers, path. Returns:
 * (transfer full), a path within it, NULL: there is none. */
static char *
freezer_path (pid_t pid)
{
  g_autofree char *file = g_strdup_printf ("/proc/%d/cgroup", (int)pid);
  g_autofree char *text = NULL;
  if (!g_file_get_contents (file, &text, NULL, NULL))
    return NULL;
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++) {
    g_auto (GStrv) parts = g_strsplit (lines[i], ":", 3);
    if (g_strv_length (parts) != 3)
      continue;
    g_auto (GStrv) controllers = g_strsplit (parts[1], ",", -1);
    if (g_strv_contains ((const char *const *)controllers, "freezer"))
      return g_strdup (parts[2]);
  }
  return NULL;
}

/* Lines of /proc/self/mounts: device, place, type, options. Returns: (transfer full). */
static char *
freezer_mount (void)
{
  g_autofree char *text = NULL;
  if (!g_file_get_contents ("/proc/self/mounts", &text, NULL, NULL))
    return NULL;
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++) {
    g_auto (GStrv) words = g_strsplit (lines[i], " ", 5);
    if (g_strv_length (words) < 4 || strcmp (words[2], "cgroup") != 0)
      continue;
    g_auto (GStrv) options = g_strsplit (words[3], ",", -1);
    if (g_strv_contains ((const char *const *)options, "freezer"))
      return g_strdup (words[1]);
  }
  return NULL;
}

static void
thaw (const char *mount, const char *group)
{
  static const char word[] = "THAWED";
  g_autofree char *path = g_strdup_printf ("%s%s/freezer.state", mount, group);
  int file = open (path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
  if (file < 0)
    return;
  /* What is not thawed does not die, and whoever waits for that says so. */
  gssize count = write (file, word, strlen (word));
  (void)count;
  close (file);
}

/* The length of a group's path up to the end of the part that names a run; 0: no part does. */
static gsize
run_end (const char *group)
{
  const char *name = strstr (group, "/run_");
  if (name == NULL || !g_ascii_isdigit (name[strlen ("/run_")]))
    return 0;
  const char *end = strchr (name + 1, '/');
  return end != NULL ? (gsize)(end - group) : strlen (group);
}

/* What is mounted may begin anywhere above the run. Returns: (transfer full), NULL: it does not. */
static char *
find_group (const char *mount, const char *group)
{
  for (const char *at = group; at != NULL && run_end (at) > 0; at = strchr (at + 1, '/')) {
    g_autofree char *path = g_strdup_printf ("%s%s/freezer.state", mount, at);
    if (access (path, F_OK) == 0)
      return g_strdup (at);
  }
  return NULL;
}

void
lk_cgroup_thaw_run_of (pid_t pid)
{
  g_autofree char *mount = freezer_mount ();
  g_autofree char *whole = freezer_path (pid);
  g_autofree char *group = mount != NULL && whole != NULL ? find_group (mount, whole) : NULL;
  gsize end = group != NULL ? run_end (group) : 0;
  while (group != NULL && strlen (group) >= end) {
    thaw (mount, group);
    *strrchr (group, '/') = '\0';
  }
}
