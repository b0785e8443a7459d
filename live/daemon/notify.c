/* live/daemon/notify.c — see the header. */
#include "live/daemon/notify.h"

#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

void
lk_notify (const char *format, ...)
{
  const char *path = g_getenv ("NOTIFY_SOCKET");
  struct sockaddr_un address = { .sun_family = AF_UNIX };
  va_list arguments;
  if (path == NULL || (path[0] != '/' && path[0] != '@')
      || strlen (path) >= sizeof address.sun_path)
    return;
  size_t length = strlen (path);
  memcpy (address.sun_path, path, length);
  if (path[0] == '@')
    address.sun_path[0] = '\0';
  /* Few notes have room there; a reader that does not read must not stop us. */
  const struct timeval wait = { .tv_sec = 2 };
  int fd = socket (AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0)
    return;
  setsockopt (fd, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof wait);
  va_start (arguments, format);
  g_autofree char *text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  /* Nobody is told of a failure: there is nothing that a daemon could do about it. */
  ssize_t sent = sendto (fd, text, strlen (text), MSG_NOSIGNAL, (const struct sockaddr *)&address,
                         (socklen_t)(offsetof (struct sockaddr_un, sun_path) + length));
  (void)sent;
  close (fd);
}

gint64
lk_notify_watchdog_us (void)
{
  const char *usec = g_getenv ("WATCHDOG_USEC");
  const char *pid = g_getenv ("WATCHDOG_PID");
  if (usec == NULL || (pid != NULL && g_ascii_strtoll (pid, NULL, 10) != getpid ()))
    return 0;
  return CLAMP (g_ascii_strtoll (usec, NULL, 10), 0, G_MAXINT64 / 4);
}
