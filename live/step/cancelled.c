/* live/step/cancelled.c — see the header. */
#include "live/step/cancelled.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "live/core/message.h"

static const char *
because (guint8 why)
{
  switch (why) {
#define X(NAME, number, help, says)                                                                \
  case number:                                                                                     \
    return says;
    LK_END_WHYS (X)
#undef X
  default:
    return "";
  }
}

char *
lk_cancelled_line (const char *what, const char *node, guint8 why)
{
  g_autoptr (GDateTime) now = g_date_time_new_now_local ();
  g_autofree char *at = g_date_time_format (now, "%Y-%m-%dT%H:%M:%S");
  return g_strdup_printf ("*** %s ON %s CANCELLED AT %s%s ***", what, node, at, because (why));
}

/* A pipe that takes anything takes a whole line, as that is shorter than PIPE_BUF. */
void
lk_cancelled_write (int file, const char *line)
{
  struct pollfd polled = { .fd = file, .events = POLLOUT };
  g_autofree char *whole = g_strdup_printf ("slurmstepd: error: %s\n", line);
  if (poll (&polled, 1, 0) != 1 || polled.revents != POLLOUT)
    return;
  gssize written = write (file, whole, strlen (whole));
  (void)written;
}
