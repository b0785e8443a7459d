/* live/port/folder_tree.c — see the header. */
#include "live/port/folder_tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Folders that one call removes: a bound against users who make more meanwhile. */
#define FOLDERS_MAX (1u << 20)

typedef struct {
  int top;
  guint64 moved_count;
  int fault; /* the first; 0: none */
} Tree;

static void
note_fault (Tree *self)
{
  if (self->fault == 0)
    self->fault = errno;
}

/* Renamed to a name that nothing there has, until one is found. */
static void
bring_to_top (Tree *self, int folder, const char *name)
{
  char moved[32];
  do
    g_snprintf (moved, sizeof moved, "moved-%" G_GUINT64_FORMAT, self->moved_count++);
  while (faccessat (self->top, moved, F_OK, AT_SYMLINK_NOFOLLOW) == 0);
  if (renameat (folder, name, self->top, moved) != 0)
    note_fault (self);
}

/* What is no folder goes, and what is one goes from `folder` to the top, or from the top. */
static void
take_entry (Tree *self, int folder, const char *name)
{
  if (unlinkat (folder, name, 0) == 0 || errno == ENOENT)
    return;
  if (errno != EISDIR && errno != EPERM) {
    note_fault (self);
    return;
  }
  if (unlinkat (folder, name, AT_REMOVEDIR) == 0)
    return;
  if (errno != ENOTEMPTY && errno != EEXIST)
    note_fault (self);
  else if (folder != self->top)
    bring_to_top (self, folder, name);
}

/* Descriptors that the user has of it make nothing in it any more. */
static gboolean
lock (int folder)
{
  return (geteuid () != 0 || fchown (folder, 0, 0) == 0) && fchmod (folder, 0700) == 0;
}

/* Takes each entry once. */
static void
empty_folder (Tree *self, int folder)
{
  if (!lock (folder)) {
    note_fault (self);
    return;
  }
  int copy = openat (folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *all = copy >= 0 ? fdopendir (copy) : NULL;
  const struct dirent *entry;
  if (all == NULL) {
    note_fault (self);
    return;
  }
  while ((entry = readdir (all)) != NULL)
    if (strcmp (entry->d_name, ".") != 0 && strcmp (entry->d_name, "..") != 0)
      take_entry (self, folder, entry->d_name);
  closedir (all);
}

/* The first folder in the top, -1: there is none. */
static int
open_first (const Tree *self, char *out_name, gsize size)
{
  int copy = openat (self->top, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *all = copy >= 0 ? fdopendir (copy) : NULL;
  const struct dirent *entry;
  int found = -1;
  while (all != NULL && found < 0 && (entry = readdir (all)) != NULL) {
    if (strcmp (entry->d_name, ".") == 0 || strcmp (entry->d_name, "..") == 0)
      continue;
    g_strlcpy (out_name, entry->d_name, size);
    found = openat (self->top, entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  }
  if (all != NULL)
    closedir (all);
  return found;
}

/* With all that is in it. */
static gboolean
remove_now (int parent, const char *name)
{
  char below[NAME_MAX + 1];
  Tree self = { .top = openat (parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) };
  guint left = FOLDERS_MAX;
  if (self.top < 0)
    return errno == ENOENT;
  empty_folder (&self, self.top);
  for (int folder; self.fault == 0 && (folder = open_first (&self, below, sizeof below)) >= 0;) {
    empty_folder (&self, folder);
    close (folder);
    errno = EBUSY;
    if (left-- == 0 || unlinkat (self.top, below, AT_REMOVEDIR) != 0)
      note_fault (&self);
  }
  close (self.top);
  if (self.fault == 0 && unlinkat (parent, name, AT_REMOVEDIR) == 0)
    return TRUE;
  errno = self.fault != 0 ? self.fault : errno;
  return FALSE;
}

gboolean
lk_folder_tree_remove (int parent, const char *name)
{
  g_autofree char *removed = g_strconcat (name, ".removed", NULL);
  struct stat status;
  if (!remove_now (parent, removed))
    return FALSE;
  if (fstatat (parent, name, &status, AT_SYMLINK_NOFOLLOW) != 0)
    return errno == ENOENT;
  errno = ENOTDIR;
  if (!S_ISDIR (status.st_mode))
    return FALSE;
  if (renameat (parent, name, parent, removed) != 0)
    return errno == ENOENT;
  return remove_now (parent, removed);
}
