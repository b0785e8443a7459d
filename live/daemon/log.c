/* live/daemon/log.c — see the header. */
#include "live/daemon/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <unistd.h>

#include "live/port/error.h"

static char *log_path;
static guint log_level = LK_LOG_INFO;

static gboolean
use_file (const char *path, GError **error)
{
  int fd = open (path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY, 0640);
  if (fd < 0 || dup2 (fd, STDERR_FILENO) < 0) {
    lk_port_error_set (error, errno, "cannot open the log '%s'", path);
    if (fd >= 0)
      close (fd);
    return FALSE;
  }
  if (fd != STDERR_FILENO)
    close (fd);
  return TRUE;
}

gboolean
lk_log_open (const char *path, guint level, GError **error)
{
  log_level = level;
  if (path == NULL || path[0] == '\0')
    return TRUE;
  if (!use_file (path, error))
    return FALSE;
  g_free (log_path);
  log_path = g_strdup (path);
  return TRUE;
}

void
lk_log_reopen (void)
{
  g_autoptr (GError) error = NULL;
  if (log_path != NULL && !use_file (log_path, &error))
    lk_log (LK_LOG_ERROR, "%s", error->message);
}

/* [2026-11-21T22:57:00.123], the local time, as Slurm's logs have it. */
static void
append_time (GString *line)
{
  g_autoptr (GDateTime) now = g_date_time_new_now_local ();
  g_autofree char *text = g_date_time_format (now, "%Y-%m-%dT%H:%M:%S");
  g_string_append_printf (line, "[%s.%03d] ", text, g_date_time_get_microsecond (now) / 1000);
}

void
lk_log (LkLogLevel level, const char *format, ...)
{
  static const char *const prefixes[] = { "", "fatal: ", "error: ", "", "", "debug: " };
  va_list arguments;
  if (level > log_level)
    return;
  g_autoptr (GString) line = g_string_new (NULL);
  append_time (line);
  g_string_append (line, prefixes[level]);
  gsize begin = line->len;
  va_start (arguments, format);
  g_string_append_vprintf (line, format, arguments);
  va_end (arguments);
  for (gsize i = begin; i < line->len; i++)
    if (g_ascii_iscntrl (line->str[i]))
      line->str[i] = '?';
  g_string_append_c (line, '\n');
  /* What cannot be logged is lost: a daemon goes on when its log is full. */
  ssize_t written;
  do
    written = write (STDERR_FILENO, line->str, line->len);
  while (written < 0 && errno == EINTR);
}
