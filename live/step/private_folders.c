/* live/step/private_folders.c — see the header. */
#include "live/step/private_folders.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "live/port/folder_tree.h"

#define SHARED_MEMORY "/dev/shm"

static gboolean
is_wanted (const LkStep *step)
{
  return step->private_base != NULL && step->private_paths != NULL;
}

static char *
name_of (const LkStep *step)
{
  return g_strdup_printf ("%" G_GUINT64_FORMAT, step->run_id);
}

static int
open_folder (int parent, const char *name)
{
  return openat (parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

static gboolean
remove_from (int base, const LkStep *step)
{
  g_autofree char *name = name_of (step);
  return lk_folder_tree_remove (base, name);
}

/* In a folder that is ours alone. */
static gboolean
make_below (int run, const LkStep *step)
{
  gboolean is_good = TRUE;
  for (guint i = 0; is_good && step->private_paths[i] != NULL; i++) {
    g_autofree char *name = g_strdup_printf ("%u", i);
    is_good = mkdirat (run, name, 0700) == 0;
    int folder = is_good ? open_folder (run, name) : -1;
    is_good = folder >= 0 && fchmod (folder, 01777) == 0;
    if (folder >= 0)
      close (folder);
  }
  return is_good;
}

gboolean
lk_private_make (const LkStep *step)
{
  if (!is_wanted (step))
    return TRUE;
  g_autofree char *name = name_of (step);
  int base = open (step->private_base, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  gboolean is_good = base >= 0 && remove_from (base, step) && mkdirat (base, name, 0700) == 0;
  int run = is_good ? open_folder (base, name) : -1;
  is_good = run >= 0 && make_below (run, step);
  int error_number = errno;
  if (run >= 0)
    close (run);
  if (base >= 0)
    close (base);
  errno = error_number;
  return is_good;
}

gboolean
lk_private_remove (const LkStep *step)
{
  if (!is_wanted (step))
    return TRUE;
  int base = open (step->private_base, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  gboolean is_good = base >= 0 && remove_from (base, step);
  int error_number = errno;
  if (base >= 0)
    close (base);
  errno = error_number;
  return is_good;
}

/* ---------------------------------------------------------------- entering */

/* One of them may lie in another, or the base may: all are opened before any is mounted. */
static gboolean
open_all (const LkStep *step, GArray *folders)
{
  for (guint i = 0; step->private_paths[i] != NULL; i++) {
    g_autofree char *path =
        g_strdup_printf ("%s/%" G_GUINT64_FORMAT "/%u", step->private_base, step->run_id, i);
    int folder = open (path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder < 0)
      return FALSE;
    g_array_append_val (folders, folder);
  }
  return TRUE;
}

static gboolean
mount_one (const char *path, int folder)
{
  if (strcmp (path, SHARED_MEMORY) == 0)
    return mount ("tmpfs", path, "tmpfs", MS_NOSUID | MS_NODEV, "mode=1777") == 0;
  g_autofree char *source = g_strdup_printf ("/proc/self/fd/%d", folder);
  return mount (source, path, NULL, MS_BIND, NULL) == 0;
}

gboolean
lk_private_enter (const LkStep *step)
{
  if (!is_wanted (step))
    return TRUE;
  g_autoptr (GArray) folders = g_array_new (FALSE, FALSE, sizeof (int));
  gboolean is_good = unshare (CLONE_NEWNS) == 0
                     && mount (NULL, "/", NULL, MS_REC | MS_SLAVE, NULL) == 0
                     && open_all (step, folders);
  for (guint i = 0; is_good && step->private_paths[i] != NULL; i++)
    is_good = mount_one (step->private_paths[i], g_array_index (folders, int, i));
  int error_number = errno;
  for (guint i = 0; i < folders->len; i++)
    close (g_array_index (folders, int, i));
  errno = error_number;
  return is_good;
}
