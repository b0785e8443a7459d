/* live/daemon/log.c — see the header. */
#include "live/daemon/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "live/core/log_limit.h"
#include "live/port/error.h"

static char *log_path;
static LkLogLevel log_level = LK_LOG_INFO;
static LkLogLimit log_limit;
/* Standard error as it was before the first log file, until the daemon has started; -1: none. */
static int terminal_fd = -1;

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
  log_level = (LkLogLevel)level;
  if (path == NULL || path[0] == '\0')
    return TRUE;
  int before = log_path == NULL ? fcntl (STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1) : -1;
  if (!use_file (path, error)) {
    if (before >= 0)
      close (before);
    return FALSE;
  }
  if (before >= 0)
    terminal_fd = before;
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

void
lk_log_started (void)
{
  if (terminal_fd >= 0)
    close (terminal_fd);
  terminal_fd = -1;
}

/* [2026-11-21T22:57:00.123], the local time, as Slurm's logs have it. */
static void
append_time (GString *line)
{
  g_autoptr (GDateTime) now = g_date_time_new_now_local ();
  g_autofree char *text = g_date_time_format (now, "%Y-%m-%dT%H:%M:%S");
  g_string_append_printf (line, "[%s.%03d] ", text, g_date_time_get_microsecond (now) / 1000);
}

/* Returns: the length of a character that a terminal prints and does not obey; 0: anything else. */
static gsize
shown_bytes (const char *at, gsize left_bytes)
{
  gunichar character = g_utf8_get_char_validated (at, (gssize)left_bytes);
  if (character == (gunichar)-1 || character == (gunichar)-2 || !g_unichar_isprint (character))
    return 0;
  return (gsize)(g_utf8_next_char (at) - at);
}

static void
append_escaped (GString *line, const char *text)
{
  gsize left_bytes = strlen (text);
  while (left_bytes > 0) {
    gsize bytes = shown_bytes (text, left_bytes);
    if (bytes > 0)
      g_string_append_len (line, text, (gssize)bytes);
    else
      g_string_append_printf (line, "\\x%02x", (guint)(guchar)*text);
    bytes = MAX (bytes, 1);
    text += bytes;
    left_bytes -= bytes;
  }
}

/* What cannot be logged is lost: a daemon goes on when its log is full. */
static void
write_bytes (int fd, const GString *line)
{
  ssize_t written;
  do
    written = write (fd, line->str, line->len);
  while (written < 0 && errno == EINTR);
}

/* Is the log the file that standard error was before? */
static gboolean
is_same_file (int fd)
{
  struct stat before;
  struct stat now;
  return fstat (fd, &before) == 0 && fstat (STDERR_FILENO, &now) == 0 && before.st_dev == now.st_dev
         && before.st_ino == now.st_ino;
}

static void
write_line (LkLogLevel level, const char *text)
{
  static const char *const prefixes[] = {
    "", "fatal: ", "error: ", "", "", "debug:  ", "debug2: ", "debug3: ", "debug4: ", "debug5: "
  };
  g_autoptr (GString) line = g_string_new (NULL);
  append_time (line);
  g_string_append (line, prefixes[level]);
  append_escaped (line, text);
  g_string_append_c (line, '\n');
  write_bytes (STDERR_FILENO, line);
  /* Who starts a daemon by hand sees why it does not start, as with slurmctld. */
  if (level == LK_LOG_FATAL && terminal_fd >= 0 && !is_same_file (terminal_fd))
    write_bytes (terminal_fd, line);
}

static void
write_suppressed (gint64 now_us)
{
  for (LkLogTopic topic = 0; topic < LK_LOG_TOPIC_COUNT; topic++) {
    guint64 count = lk_log_limit_flush (&log_limit, topic, now_us);
    g_autofree char *text =
        g_strdup_printf ("log: %" G_GUINT64_FORMAT " lines about %s suppressed: more than %u in a "
                         "second (LK_LOG_LINES_PER_S_MAX)",
                         count, lk_log_topic_name (topic), LK_LOG_LINES_PER_S_MAX);
    if (count > 0)
      write_line (LK_LOG_ERROR, text);
  }
}

static void
write_limited (LkLogTopic topic, LkLogLevel level, const char *text)
{
  gint64 now_us = g_get_monotonic_time ();
  if (level > log_level)
    return;
  write_suppressed (now_us);
  if (lk_log_limit_take (&log_limit, topic, now_us))
    write_line (level, text);
}

void
lk_log (LkLogLevel level, const char *format, ...)
{
  va_list arguments;
  if (level > log_level)
    return;
  va_start (arguments, format);
  g_autofree char *text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  /* How it ends is never suppressed. */
  if (level == LK_LOG_FATAL)
    write_line (level, text);
  else
    write_limited (LK_LOG_TOPIC_DAEMON, level, text);
}

void
lk_log_end (void)
{
  write_suppressed (G_MAXINT64);
}

/* ---------------------------------------------------------------- the port of the cores */

static LkLogLevel
port_level (void *self)
{
  (void)self;
  return log_level;
}

static void
port_set_level (void *self, LkLogLevel level)
{
  (void)self;
  log_level = level;
}

static void
port_write (void *self, LkLogTopic topic, LkLogLevel level, const char *line)
{
  (void)self;
  write_limited (topic, level, line);
}

LkPortLog
lk_log_port (void)
{
  static const LkPortLogOps ops = { .size = sizeof (LkPortLogOps),
                                    .level = port_level,
                                    .set_level = port_set_level,
                                    .write = port_write };
  return (LkPortLog){ &ops, NULL };
}
