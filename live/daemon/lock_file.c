/* live/daemon/lock_file.c — see the header. */
#include "live/daemon/lock_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "live/port/error.h"

/* Descriptors, with commas between: in the environment of the program that comes next. */
#define LEFT "LOCKSTEP_LOCKS"

static int
open_lock (const char *directory, int flags)
{
  g_autofree char *path = g_build_filename (directory, LK_LOCK_FILE_NAME, NULL);
  return open (path, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
}

static void
write_number (int fd)
{
  g_autofree char *text = g_strdup_printf ("%d\n", (int)getpid ());
  gsize length_bytes = strlen (text);
  /* For people only: the lock is held without it. */
  if (ftruncate (fd, 0) == 0 && write (fd, text, length_bytes) != (ssize_t)length_bytes)
    return;
}

/* ---------------------------------------------------------------- over an exec */

/* A lock that this process holds. */
typedef struct {
  int fd;
  dev_t device;
  ino_t inode;
} Held;

/* Those that it takes, and those that the program before it in this process has left it. */
static GArray *
all_held (void)
{
  static GArray *held = NULL;
  if (held != NULL)
    return held;
  held = g_array_new (FALSE, FALSE, sizeof (Held));
  g_auto (GStrv) numbers = g_strsplit (g_getenv (LEFT) != NULL ? g_getenv (LEFT) : "", ",", -1);
  for (guint i = 0; numbers[i] != NULL; i++) {
    struct stat status;
    Held left = { .fd = (int)g_ascii_strtoull (numbers[i], NULL, 10) };
    if (left.fd <= STDERR_FILENO || fstat (left.fd, &status) != 0
        || fcntl (left.fd, F_SETFD, FD_CLOEXEC) != 0)
      continue;
    left.device = status.st_dev;
    left.inode = status.st_ino;
    g_array_append_val (held, left);
  }
  g_unsetenv (LEFT);
  return held;
}

void
lk_lock_files_leave (void)
{
  g_autoptr (GString) numbers = g_string_new (NULL);
  GArray *held = all_held ();
  for (guint i = 0; i < held->len; i++) {
    int fd = g_array_index (held, Held, i).fd;
    if (fcntl (fd, F_SETFD, 0) == 0)
      g_string_append_printf (numbers, "%s%d", numbers->len > 0 ? "," : "", fd);
  }
  g_setenv (LEFT, numbers->str, TRUE);
}

/* That of the directory, if it was left to us: a second descriptor, once closed, would let go of
 * the lock. -1: it was not. */
static int
left_lock (const char *directory)
{
  g_autofree char *path = g_build_filename (directory, LK_LOCK_FILE_NAME, NULL);
  GArray *held = all_held ();
  struct stat status;
  if (lstat (path, &status) != 0)
    return -1;
  for (guint i = 0; i < held->len; i++) {
    const Held *left = &g_array_index (held, Held, i);
    if (left->device == status.st_dev && left->inode == status.st_ino)
      return left->fd;
  }
  return -1;
}

static void
note_held (int fd, const struct stat *status)
{
  Held held = { fd, status->st_dev, status->st_ino };
  g_array_append_val (all_held (), held);
}

/* ---------------------------------------------------------------- the lock */

gboolean
lk_lock_file_is_there (const LkLockFile *file, const char *directory)
{
  g_autofree char *path = g_build_filename (directory, LK_LOCK_FILE_NAME, NULL);
  struct stat status;
  return lstat (path, &status) == 0 && status.st_dev == file->device
         && status.st_ino == file->inode;
}

gboolean
lk_lock_file_take (const char *directory, LkLockFile *out_file, GError **error)
{
  struct stat status;
  struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
  int left = left_lock (directory);
  int fd = left >= 0 ? left : open_lock (directory, O_RDWR | O_CREAT);
  if (fd >= 0 && fcntl (fd, F_SETLK, &lock) == 0 && fstat (fd, &status) == 0) {
    if (out_file != NULL)
      *out_file = (LkLockFile){ status.st_dev, status.st_ino };
    if (left < 0)
      note_held (fd, &status);
    write_number (fd); /* it stays open: closing it would let go of the lock */
    return TRUE;
  }
  if (fd >= 0 && (errno == EAGAIN || errno == EACCES))
    g_set_error (error, LK_PORT_ERROR, LK_PORT_ERROR_REFUSED,
                 "the directory '%s' is in use by process %d", directory,
                 (int)lk_lock_file_holder (directory));
  else
    lk_port_error_set (error, errno, "cannot lock '%s/" LK_LOCK_FILE_NAME "'", directory);
  if (fd >= 0)
    close (fd);
  return FALSE;
}

pid_t
lk_lock_file_holder (const char *directory)
{
  struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
  int fd = open_lock (directory, O_RDWR);
  if (fd < 0)
    return 0;
  gboolean is_held = fcntl (fd, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
  close (fd);
  return is_held && lock.l_pid > 0 ? lock.l_pid : 0;
}

int
lk_lock_file_open_holder (const char *directory)
{
  pid_t holder = lk_lock_file_holder (directory);
  if (holder == 0)
    return -1;
  int pidfd = (int)syscall (SYS_pidfd_open, holder, 0);
  /* He may have died in between, and his number be another's: then he holds nothing any more. */
  if (pidfd >= 0 && lk_lock_file_holder (directory) == holder)
    return pidfd;
  if (pidfd >= 0)
    close (pidfd);
  return -1;
}
