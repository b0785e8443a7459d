/* live/top/tail.c — the end of a file that somebody else writes. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "live/top/live_detail.h"

static char *
fail (const char *path, int number, GError **error)
{
  g_set_error (error, G_FILE_ERROR, (gint)g_file_error_from_errno (number), "'%s': %s", path,
               g_strerror (number));
  return NULL;
}

/* A regular file that is there; below 0 with an error: it is none. */
static int
file_open (const char *path, struct stat *out_status, GError **error)
{
  int descriptor = open (path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
  if (descriptor < 0 || fstat (descriptor, out_status) != 0) {
    fail (path, errno, error);
  } else if (!S_ISREG (out_status->st_mode)) {
    g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_INVAL, "'%s' is no regular file", path);
  } else {
    return descriptor;
  }
  if (descriptor >= 0)
    close (descriptor);
  return -1;
}

/* What is written behind the size that was seen first is left for the next time. */
static char *
read_range (int descriptor, gint64 from, gsize length_bytes)
{
  char *text = g_malloc (length_bytes + 1);
  gsize have = 0;
  while (have < length_bytes) {
    ssize_t got =
        pread (descriptor, text + have, length_bytes - have, (off_t)(from + (gint64)have));
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      break;
    have += (gsize)got;
  }
  /* A NUL would end the text. */
  for (gsize i = 0; i < have; i++)
    if (text[i] == '\0')
      text[i] = '?';
  text[have] = '\0';
  return text;
}

/* A line of which the beginning was not read. */
static void
drop_first_line (char *text)
{
  const char *line = strchr (text, '\n');
  if (line != NULL)
    memmove (text, line + 1, strlen (line + 1) + 1);
}

char *
lk_top_tail_read (const char *path, gsize bytes_max, GError **error)
{
  struct stat status;
  int descriptor = file_open (path, &status, error);
  if (descriptor < 0)
    return NULL;
  gint64 from = MAX (0, (gint64)status.st_size - (gint64)bytes_max);
  char *text = read_range (descriptor, from, (gsize)(status.st_size - from));
  if (from > 0)
    drop_first_line (text);
  close (descriptor);
  return text;
}

char *
lk_top_tail_next (LkTopTail *self, const char *path)
{
  struct stat status;
  int descriptor = file_open (path, &status, NULL);
  if (descriptor < 0)
    return NULL;
  gboolean is_same = self->inode == (guint64)status.st_ino && status.st_size >= self->read_bytes;
  gint64 oldest = MAX (0, (gint64)status.st_size - (gint64)LK_TOP_TAIL_BYTES);
  gint64 from = is_same ? MAX (self->read_bytes, oldest) : oldest;
  gboolean is_within = from > 0 && !(is_same && from == self->read_bytes);
  char *text = read_range (descriptor, from, (gsize)(status.st_size - from));
  close (descriptor);
  /* The last line may not be whole yet; one without an end is not waited for. */
  char *end = strrchr (text, '\n');
  if (end != NULL)
    end[1] = '\0';
  else if (strlen (text) < LK_TOP_TAIL_BYTES)
    text[0] = '\0';
  self->inode = (guint64)status.st_ino;
  self->read_bytes = from + (gint64)strlen (text);
  if (is_within)
    drop_first_line (text);
  return text;
}
