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
  int fd = open_lock (directory, O_RDWR | O_CREAT);
  if (fd >= 0 && fcntl (fd, F_SETLK, &lock) == 0 && fstat (fd, &status) == 0) {
    if (out_file != NULL)
      *out_file = (LkLockFile){ status.st_dev, status.st_ino };
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
