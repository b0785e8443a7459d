/* tests/step/cgroup_device_test.c — devices that a group of version 2 may not open, where there is
 * a hierarchy of it; else skipped. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "live/port/cgroup_device.h"

/* Where hierarchies of version 2 are mounted, alone or beside version 1. */
static const char *const mounts[] = { "/sys/fs/cgroup/unified", "/sys/fs/cgroup" };

/* Returns: (transfer full), NULL: there is none that we may write to. */
static char *
make_group (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (mounts); i++) {
    g_autofree char *mark = g_build_filename (mounts[i], "cgroup.subtree_control", NULL);
    g_autofree char *group = g_strdup_printf ("%s/lockstep-test-%d", mounts[i], getpid ());
    if (access (mark, W_OK) == 0 && mkdir (group, 0755) == 0)
      return g_steal_pointer (&group);
  }
  return NULL;
}

/* In the group: 0, or the error number of an open. */
static int
open_within (const char *group, const char *device)
{
  int status;
  pid_t pid = fork ();
  if (pid == 0) {
    g_autofree char *procs = g_build_filename (group, "cgroup.procs", NULL);
    int file = open (procs, O_WRONLY);
    if (file < 0 || write (file, "0", 1) != 1)
      _exit (255);
    _exit (open (device, O_RDWR) >= 0 ? 0 : errno);
  }
  g_assert_cmpint (waitpid (pid, &status, 0), ==, pid);
  g_assert_true (WIFEXITED (status));
  return WEXITSTATUS (status);
}

static void
test_denied (void)
{
  static const char *const paths[] = { "/dev/full", "/dev/urandom" };
  g_autofree char *group = make_group ();
  g_autoptr (GArray) denied = g_array_new (FALSE, FALSE, sizeof (struct stat));
  if (group == NULL) {
    g_test_skip ("no control group of version 2 can be made here");
    return;
  }
  for (guint i = 0; i < G_N_ELEMENTS (paths); i++) {
    struct stat about;
    g_assert_cmpint (stat (paths[i], &about), ==, 0);
    g_array_append_val (denied, about);
  }
  int before = open_within (group, "/dev/full");
  gboolean is_loaded = lk_cgroup_device_program (group, denied);
  int full = open_within (group, "/dev/full");
  int urandom = open_within (group, "/dev/urandom");
  int zero = open_within (group, "/dev/zero");
  rmdir (group);
  g_assert_cmpint (before, ==, 0);
  if (!is_loaded) {
    g_test_skip ("the kernel takes no program for devices here");
    return;
  }
  g_assert_cmpint (full, ==, EPERM);
  g_assert_cmpint (urandom, ==, EPERM);
  g_assert_cmpint (zero, ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cgroup device/what is denied cannot be opened, what is not can", test_denied);
  return g_test_run ();
}
