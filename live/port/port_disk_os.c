/* live/port/port_disk_os.c — see the header.
 *
 * The file that was appended to last stays open, for it is the journal nearly always.  A file that
 * is opened may have been made by a process that died before its name was durable: so the directory
 * is made durable whenever one is opened for writing. */
#include "live/port/port_disk_os.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/assert.h"
#include "live/port/error.h"

#define FILE_MODE 0600
/* A file that will replace another one, as long as it is not whole. */
#define NEW_SUFFIX ".new"

typedef enum { APPEND, REPLACE, CUT } Operation;

typedef struct {
  Operation operation;
  char *name;
  guint8 *bytes;
  gsize length_bytes;
  guint64 token;
  gboolean has_succeeded;
  gint64 took_us;
} Request;

struct _LkDiskOs {
  LkLoop *loop;
  LkLoopFd event_fd;
  LkDiskOsDone done;
  void (*slow) (gpointer user, const char *name, gint64 took_us); /* NULL: not reported */
  gpointer user;
  int directory;
  char *path;         /* for people */
  char *read_failure; /* of the loop's thread */
  char *failure;      /* as it is shown; the same */

  pthread_t thread;
  /* Only the thread's: */
  int file; /* that was appended to last; -1: none */
  char *file_name;

  pthread_mutex_t lock; /* for all below */
  pthread_cond_t asked;
  pthread_cond_t idle;
  GQueue requests; /* of Request, that wait */
  GQueue carried;  /* of Request, that nobody was told of */
  gboolean is_working;
  gboolean is_ending;
  char *write_failure; /* NULL: none */
};

/* ---------------------------------------------------------------- what the thread does */

static gboolean
write_all (int fd, const guint8 *bytes, gsize length_bytes)
{
  while (length_bytes > 0) {
    ssize_t written = write (fd, bytes, length_bytes);
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0) {
      /* A disk that takes nothing and says nothing takes no more. */
      errno = written == 0 ? ENOSPC : errno;
      return FALSE;
    }
    bytes += written;
    length_bytes -= (gsize)written;
  }
  return TRUE;
}

static void
close_file (LkDiskOs *self)
{
  if (self->file >= 0)
    close (self->file);
  self->file = -1;
  g_clear_pointer (&self->file_name, g_free);
}

static int
open_plain (const LkDiskOs *self, const char *name, int flags)
{
  int fd = openat (self->directory, name, flags | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, FILE_MODE);
  struct stat status;
  if (fd < 0)
    return -1;
  if (fstat (fd, &status) == 0 && S_ISREG (status.st_mode))
    return fd;
  close (fd);
  errno = EINVAL;
  return -1;
}

static gboolean
open_for_append (LkDiskOs *self, const char *name)
{
  if (self->file >= 0 && strcmp (self->file_name, name) == 0)
    return TRUE;
  close_file (self);
  self->file = open_plain (self, name, O_WRONLY | O_APPEND | O_CREAT);
  if (self->file < 0)
    return FALSE;
  self->file_name = g_strdup (name);
  return fsync (self->directory) == 0;
}

static gboolean
carry_append (LkDiskOs *self, const Request *request)
{
  return open_for_append (self, request->name)
         && write_all (self->file, request->bytes, request->length_bytes)
         && fdatasync (self->file) == 0;
}

static gboolean
write_new (const LkDiskOs *self, const char *name, const Request *request)
{
  int fd = open_plain (self, name, O_WRONLY | O_CREAT | O_EXCL);
  if (fd < 0)
    return FALSE;
  gboolean is_written =
      write_all (fd, request->bytes, request->length_bytes) && fdatasync (fd) == 0;
  int error_number = errno;
  close (fd);
  errno = error_number;
  return is_written;
}

static gboolean
carry_replace (LkDiskOs *self, const Request *request)
{
  g_autofree char *new_name = g_strconcat (request->name, NEW_SUFFIX, NULL);
  if (unlinkat (self->directory, new_name, 0) != 0 && errno != ENOENT)
    return FALSE;
  if (!write_new (self, new_name, request)) {
    /* What is left of it fills the disk, and is nothing. */
    int error_number = errno;
    unlinkat (self->directory, new_name, 0);
    errno = error_number;
    return FALSE;
  }
  if (renameat (self->directory, new_name, self->directory, request->name) != 0)
    return FALSE;
  if (g_strcmp0 (self->file_name, request->name) == 0)
    close_file (self);
  return fsync (self->directory) == 0;
}

/* A file that is not there, or is not so long, is as it should be. */
static gboolean
carry_cut (LkDiskOs *self, const Request *request)
{
  struct stat status;
  close_file (self);
  int fd = open_plain (self, request->name, O_WRONLY);
  if (fd < 0)
    return errno == ENOENT;
  off_t length = (off_t)request->length_bytes;
  gboolean is_cut = fstat (fd, &status) == 0
                    && (status.st_size <= length || ftruncate (fd, length) == 0) && fsync (fd) == 0
                    && fsync (self->directory) == 0;
  int error_number = errno;
  close (fd);
  errno = error_number;
  return is_cut;
}

static gboolean
carry_out (LkDiskOs *self, const Request *request)
{
  switch (request->operation) {
  case APPEND:
    return carry_append (self, request);
  case REPLACE:
    return carry_replace (self, request);
  case CUT:
    return carry_cut (self, request);
  }
  return FALSE;
}

static char *
failure_text (const LkDiskOs *self, const Request *request, int error_number)
{
  static const char *const verbs[] = { "append to", "replace", "cut off" };
  return g_strdup_printf ("cannot %s '%s/%s': %s", verbs[request->operation], self->path,
                          request->name, g_strerror (error_number));
}

/* With the lock, which it gives away while it works. */
static void
carry_next (LkDiskOs *self)
{
  const guint64 one = 1;
  Request *request = g_queue_pop_head (&self->requests);
  if (self->write_failure == NULL) {
    self->is_working = TRUE;
    pthread_mutex_unlock (&self->lock);
    gint64 from_us = g_get_monotonic_time ();
    errno = 0;
    request->has_succeeded = carry_out (self, request);
    char *failure = request->has_succeeded ? NULL : failure_text (self, request, errno);
    request->took_us = g_get_monotonic_time () - from_us;
    pthread_mutex_lock (&self->lock);
    self->write_failure = failure;
    self->is_working = FALSE;
  }
  g_queue_push_tail (&self->carried, request);
  ssize_t written = write (self->event_fd.fd, &one, sizeof one);
  LK_ASSERT (written == (ssize_t)sizeof one);
}

static void *
run_thread (void *user)
{
  LkDiskOs *self = user;
  pthread_mutex_lock (&self->lock);
  for (;;) {
    while (g_queue_is_empty (&self->requests) && !self->is_ending) {
      pthread_cond_broadcast (&self->idle);
      pthread_cond_wait (&self->asked, &self->lock);
    }
    if (g_queue_is_empty (&self->requests))
      break;
    carry_next (self);
  }
  pthread_mutex_unlock (&self->lock);
  close_file (self);
  return NULL;
}

/* ---------------------------------------------------------------- what the loop does */

static void
request_free (gpointer data)
{
  Request *request = data;
  g_free (request->name);
  g_free (request->bytes);
  g_free (request);
}

static void
carried_ready (gpointer user, guint events)
{
  LkDiskOs *self = user;
  guint64 count;
  (void)events;
  ssize_t got = read (self->event_fd.fd, &count, sizeof count);
  LK_ASSERT (got == (ssize_t)sizeof count || errno == EAGAIN);
  for (;;) {
    pthread_mutex_lock (&self->lock);
    Request *request = g_queue_pop_head (&self->carried);
    pthread_mutex_unlock (&self->lock);
    if (request == NULL)
      return;
    if (self->slow != NULL && request->took_us > LK_DISK_OS_SLOW_US)
      self->slow (self->user, request->name, request->took_us);
    guint64 token = request->token;
    gboolean has_succeeded = request->has_succeeded;
    request_free (request);
    self->done (self->user, token, has_succeeded);
  }
}

/* Of one directory, and none of those that we make ourselves. */
static void
check_name (const char *name)
{
  LK_ASSERT (name[0] != '\0');
  LK_ASSERT (name[0] != '.');
  LK_ASSERT (strchr (name, '/') == NULL);
  LK_ASSERT (!g_str_has_suffix (name, NEW_SUFFIX));
}

static void
ask (LkDiskOs *self, Request asked, const char *name, const guint8 *bytes)
{
  check_name (name);
  asked.name = g_strdup (name);
  asked.bytes = g_memdup2 (bytes, bytes != NULL ? asked.length_bytes : 0);
  pthread_mutex_lock (&self->lock);
  g_queue_push_tail (&self->requests, g_memdup2 (&asked, sizeof asked));
  pthread_cond_signal (&self->asked);
  pthread_mutex_unlock (&self->lock);
}

static void
append (void *user, const char *name, const guint8 *bytes, gsize length_bytes, guint64 token)
{
  Request request = { .operation = APPEND, .length_bytes = length_bytes, .token = token };
  ask (user, request, name, bytes);
}

static void
replace (void *user, const char *name, const guint8 *bytes, gsize length_bytes, guint64 token)
{
  Request request = { .operation = REPLACE, .length_bytes = length_bytes, .token = token };
  ask (user, request, name, bytes);
}

static void
cut (void *user, const char *name, guint64 length_bytes, guint64 token)
{
  LK_ASSERT (length_bytes <= G_MAXINT64);
  Request request = { .operation = CUT, .length_bytes = length_bytes, .token = token };
  ask (user, request, name, NULL);
}

static GByteArray *
reading_failed (LkDiskOs *self, const char *name, int error_number, gboolean *out_failed)
{
  g_free (self->read_failure);
  self->read_failure =
      g_strdup_printf ("cannot read '%s/%s': %s", self->path, name, g_strerror (error_number));
  *out_failed = TRUE;
  return NULL;
}

/* Up to so many bytes, from where they begin. -1: the system says no. */
static ssize_t
read_at (int fd, guint8 *bytes, gsize length_bytes, guint64 offset_bytes)
{
  gsize got_bytes = 0;
  while (got_bytes < length_bytes) {
    ssize_t got =
        pread (fd, bytes + got_bytes, length_bytes - got_bytes, (off_t)(offset_bytes + got_bytes));
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return -1;
    if (got == 0)
      break;
    got_bytes += (gsize)got;
  }
  return (ssize_t)got_bytes;
}

/* The file's bytes from an offset; -1: errno says why not. */
static ssize_t
read_open (int fd, guint64 offset_bytes, gsize length_bytes, guint8 **out_bytes)
{
  struct stat status;
  if (fstat (fd, &status) != 0)
    return -1;
  guint64 size_bytes = (guint64)status.st_size;
  guint64 left_bytes = size_bytes > offset_bytes ? size_bytes - offset_bytes : 0;
  gsize wanted_bytes = (gsize)MIN (left_bytes, length_bytes);
  guint8 *bytes = wanted_bytes < G_MAXUINT ? g_try_malloc (wanted_bytes + 1) : NULL;
  if (bytes == NULL) {
    errno = EFBIG;
    return -1;
  }
  ssize_t got = read_at (fd, bytes, wanted_bytes, offset_bytes);
  if (got < 0)
    g_free (bytes);
  else
    *out_bytes = bytes;
  return got;
}

static GByteArray *
read_part (void *user, const char *name, guint64 offset_bytes, gsize length_bytes,
           gboolean *out_failed)
{
  LkDiskOs *self = user;
  guint8 *bytes;
  check_name (name);
  *out_failed = FALSE;
  int fd = open_plain (self, name, O_RDONLY);
  if (fd < 0)
    return errno == ENOENT ? NULL : reading_failed (self, name, errno, out_failed);
  ssize_t got = read_open (fd, offset_bytes, length_bytes, &bytes);
  int error_number = errno;
  close (fd);
  if (got < 0)
    return reading_failed (self, name, error_number, out_failed);
  return g_byte_array_new_take (bytes, (gsize)got);
}

static GByteArray *
read_file (void *user, const char *name, gboolean *out_failed)
{
  return read_part (user, name, 0, G_MAXSIZE, out_failed);
}

/* ---- a file as it lies in the system's memory */

typedef struct {
  gpointer bytes;
  gsize length_bytes;
} Mapping;

static void
mapping_free (gpointer data)
{
  Mapping *mapping = data;
  munmap (mapping->bytes, mapping->length_bytes);
  g_free (mapping);
}

/* NULL: errno says why not. */
static GBytes *
map_open (int fd)
{
  struct stat status;
  if (fstat (fd, &status) != 0)
    return NULL;
  if (status.st_size == 0)
    return g_bytes_new (NULL, 0);
  Mapping mapping = { .length_bytes = (gsize)status.st_size };
  mapping.bytes = mmap (NULL, mapping.length_bytes, PROT_READ, MAP_PRIVATE, fd, 0);
  if (mapping.bytes == MAP_FAILED)
    return NULL;
  return g_bytes_new_with_free_func (mapping.bytes, mapping.length_bytes, mapping_free,
                                     g_memdup2 (&mapping, sizeof mapping));
}

/* A disk that fails while it is looked at ends the process. */
static GBytes *
view (void *user, const char *name, gboolean *out_failed)
{
  LkDiskOs *self = user;
  check_name (name);
  *out_failed = FALSE;
  int fd = open_plain (self, name, O_RDONLY);
  if (fd < 0 && errno == ENOENT)
    return NULL;
  GBytes *bytes = fd >= 0 ? map_open (fd) : NULL;
  int error_number = errno;
  if (fd >= 0)
    close (fd);
  if (bytes == NULL)
    reading_failed (self, name, error_number, out_failed);
  return bytes;
}

/* Waits until the thread has nothing to do, so that what was asked for before comes before, and
 * the file is not one that it holds open. */
static void
remove_file (void *user, const char *name)
{
  LkDiskOs *self = user;
  check_name (name);
  pthread_mutex_lock (&self->lock);
  while (!g_queue_is_empty (&self->requests) || self->is_working)
    pthread_cond_wait (&self->idle, &self->lock);
  if (self->write_failure == NULL && unlinkat (self->directory, name, 0) == 0)
    close_file (self);
  pthread_mutex_unlock (&self->lock);
}

static const LkPortDiskOps disk_ops = {
  .size = sizeof (LkPortDiskOps),
  .append = append,
  .replace = replace,
  .cut = cut,
  .read = read_file,
  .read_part = read_part,
  .view = view,
  .remove = remove_file,
};

/* ---------------------------------------------------------------- the disk */

static gboolean
open_all (LkDiskOs *self, GError **error)
{
  self->directory = open (self->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (self->directory < 0) {
    lk_port_error_set (error, errno, "cannot open the directory '%s'", self->path);
    return FALSE;
  }
  int fd = eventfd (0, EFD_NONBLOCK | EFD_CLOEXEC);
  if (fd < 0) {
    lk_port_error_set (error, errno, "cannot make an eventfd");
    return FALSE;
  }
  self->event_fd.fd = fd;
  if (!lk_loop_add_fd (self->loop, &self->event_fd, fd, LK_LOOP_READ, error))
    return FALSE;
  int result = pthread_create (&self->thread, NULL, run_thread, self);
  if (result != 0)
    lk_port_error_set (error, result, "cannot make a thread for the disk");
  return result == 0;
}

static void
free_parts (LkDiskOs *self)
{
  lk_loop_remove_fd (self->loop, &self->event_fd);
  if (self->event_fd.fd >= 0)
    close (self->event_fd.fd);
  if (self->directory >= 0)
    close (self->directory);
  pthread_mutex_destroy (&self->lock);
  pthread_cond_destroy (&self->asked);
  pthread_cond_destroy (&self->idle);
  g_queue_clear_full (&self->carried, request_free);
  g_free (self->write_failure);
  g_free (self->read_failure);
  g_free (self->failure);
  g_free (self->path);
  g_free (self);
}

LkDiskOs *
lk_disk_os_new (LkLoop *loop, const char *directory, LkDiskOsDone done, gpointer user,
                GError **error)
{
  LkDiskOs *self = g_new0 (LkDiskOs, 1);
  self->loop = loop;
  self->event_fd = (LkLoopFd){ .ready = carried_ready, .user = self, .fd = -1 };
  self->done = done;
  self->user = user;
  self->path = g_strdup (directory);
  self->directory = self->file = -1;
  pthread_mutex_init (&self->lock, NULL);
  pthread_cond_init (&self->asked, NULL);
  pthread_cond_init (&self->idle, NULL);
  g_queue_init (&self->requests);
  g_queue_init (&self->carried);
  if (open_all (self, error))
    return self;
  free_parts (self);
  return NULL;
}

void
lk_disk_os_free (LkDiskOs *self)
{
  if (self == NULL)
    return;
  pthread_mutex_lock (&self->lock);
  self->is_ending = TRUE;
  pthread_cond_signal (&self->asked);
  pthread_mutex_unlock (&self->lock);
  int result = pthread_join (self->thread, NULL);
  LK_ASSERT (result == 0);
  free_parts (self);
}

void
lk_disk_os_report_slow (LkDiskOs *self,
                        void (*slow) (gpointer user, const char *name, gint64 took_us))
{
  self->slow = slow;
}

LkPortDisk
lk_disk_os_port (LkDiskOs *self)
{
  return (LkPortDisk){ &disk_ops, self };
}

const char *
lk_disk_os_failure (LkDiskOs *self)
{
  pthread_mutex_lock (&self->lock);
  g_free (self->failure);
  self->failure = g_strdup (self->write_failure);
  pthread_mutex_unlock (&self->lock);
  return self->failure != NULL ? self->failure : self->read_failure;
}
