/* live/step/output.c — see the header. */
#include "live/step/output.h"

#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* As in the kernel. */
#define LINKS_MAX 40u

typedef struct {
  int folder; /* where we are */
  char *left; /* the way from here */
  guint link_count;
} Walk;

static int
open_top (const char *path)
{
  return open (path[0] == '/' ? "/" : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
}

/* Goes on from another folder, which is ours from now on. FALSE: there is none. */
static gboolean
enter (Walk *self, int folder)
{
  if (folder < 0)
    return FALSE;
  close (self->folder);
  self->folder = folder;
  return TRUE;
}

/* The next name on the way is taken off it. Returns: (transfer full), "": there is none. */
static char *
take_name (Walk *self, gboolean *out_is_last)
{
  const char *begin = self->left + strspn (self->left, "/");
  gsize length = strcspn (begin, "/");
  char *name = g_strndup (begin, length);
  char *left = g_strdup (begin + length);
  g_free (self->left);
  self->left = left;
  *out_is_last = left[0] == '\0';
  return name;
}

static gboolean
is_trusted (const Walk *self, const struct stat *link)
{
  struct stat folder;
  return link->st_uid == geteuid () || link->st_uid == 0
         || (fstat (self->folder, &folder) == 0 && link->st_uid == folder.st_uid);
}

/* Puts what a link says in its place. FALSE: it is not to be followed; see errno. */
static gboolean
follow (Walk *self, int link, const struct stat *status)
{
  char target[PATH_MAX];
  errno = EACCES;
  if (!is_trusted (self, status))
    return FALSE;
  errno = ELOOP;
  if (++self->link_count > LINKS_MAX)
    return FALSE;
  gssize length = readlinkat (link, "", target, sizeof target - 1);
  if (length < 0)
    return FALSE;
  target[length] = '\0';
  if (target[0] == '/' && !enter (self, open_top (target)))
    return FALSE;
  char *left = g_strconcat (target, self->left, NULL);
  g_free (self->left);
  self->left = left;
  return TRUE;
}

typedef enum { ARRIVED, ON_THE_WAY, NOWHERE } Step;

/* A folder on the way to a file that is to be made is made, too, as Slurm does since 23.02. Whoever
 * makes it at the same time does no harm. */
static int
open_on_the_way (const Walk *self, const char *name, gboolean makes_folder)
{
  const int flags = O_PATH | O_NOFOLLOW | O_CLOEXEC;
  int next = openat (self->folder, name, flags);
  if (next >= 0 || errno != ENOENT || !makes_folder)
    return next;
  if (mkdirat (self->folder, name, 0777) != 0 && errno != EEXIST)
    return -1;
  return openat (self->folder, name, flags);
}

/* One name further. ARRIVED: `name` is that of the file in the folder, and no link. */
static Step
go (Walk *self, const char *name, gboolean is_last, gboolean makes_folders)
{
  struct stat status;
  int next = open_on_the_way (self, name, makes_folders && !is_last);
  if (next < 0)
    return is_last && errno == ENOENT ? ARRIVED : NOWHERE;
  Step step = NOWHERE;
  if (fstat (next, &status) == 0) {
    if (S_ISLNK (status.st_mode))
      step = follow (self, next, &status) ? ON_THE_WAY : NOWHERE;
    else if (is_last)
      step = ARRIVED;
    else if (enter (self, fcntl (next, F_DUPFD_CLOEXEC, 0)))
      step = ON_THE_WAY;
  }
  int error_number = errno;
  close (next);
  errno = error_number;
  return step;
}

static int
walk (Walk *self, int flags, mode_t mode)
{
  for (;;) {
    gboolean is_last;
    g_autofree char *name = take_name (self, &is_last);
    errno = EISDIR;
    if (name[0] == '\0')
      return -1;
    switch (go (self, name, is_last, (flags & O_CREAT) != 0)) {
    case ARRIVED:
      return openat (self->folder, name, flags | O_NOFOLLOW, mode);
    case NOWHERE:
      return -1;
    case ON_THE_WAY:
      break;
    }
  }
}

int
lk_output_open (const char *path, int flags, mode_t mode)
{
  Walk self = { .folder = open_top (path) };
  if (self.folder < 0)
    return -1;
  self.left = g_strdup (path);
  int file = walk (&self, flags, mode);
  int error_number = errno;
  g_free (self.left);
  close (self.folder);
  errno = error_number;
  return file;
}
