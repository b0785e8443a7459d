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
  g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (number), "'%s': %s", path,
               g_strerror (number));
  return NULL;
}

/* What is written behind the size that was seen first is left for the next time. */
static char *
read_end (int descriptor, gint64 size_bytes, gsize bytes_max)
{
  gint64 from = size_bytes > (gint64)bytes_max ? size_bytes - (gint64)bytes_max : 0;
  char *text = g_malloc (bytes_max + 1);
  gsize have = 0;
  while (have < bytes_max) {
    ssize_t got = pread (descriptor, text + have, bytes_max - have, (off_t)(from + (gint64)have));
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
  char *line = from > 0 ? strchr (text, '\n') : NULL;
  if (line != NULL)
    memmove (text, line + 1, strlen (line + 1) + 1);
  return text;
}

char *
lk_top_tail_read (const char *path, gsize bytes_max, GError **error)
{
  struct stat status;
  int descriptor = open (path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
  if (descriptor < 0)
    return fail (path, errno, error);
  char *text = NULL;
  if (fstat (descriptor, &status) != 0)
    fail (path, errno, error);
  else if (!S_ISREG (status.st_mode))
    g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_INVAL, "'%s' is no regular file", path);
  else
    text = read_end (descriptor, status.st_size, bytes_max);
  close (descriptor);
  return text;
}
