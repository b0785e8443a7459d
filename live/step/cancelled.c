/* live/step/cancelled.c — see the header. */
#include "live/step/cancelled.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "live/core/message.h"
#include "live/step/enter.h"

#define WAITING_BYTES_MAX (64u << 10)

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

/* A regular file is written through the description that the job has, so that the job's own output
 * follows.  Any other file gets a description that never blocks; O_NONBLOCK on the job's one would
 * change what the job sees. */
static int
open_again (int file)
{
  char path[64];
  struct stat status;
  if (fstat (file, &status) == 0 && S_ISREG (status.st_mode))
    return file;
  g_snprintf (path, sizeof path, "/proc/self/fd/%d", file);
  return open (path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

/* Nothing but the file stays open: a writer that hangs keeps no stream of the supervisor's. */
G_NORETURN static void
be_writer (const LkStep *step, int file, const char *lines)
{
  lk_enter_default_signals ();
  if (dup2 (file, STDERR_FILENO) < 0 || close_range (STDERR_FILENO + 1, G_MAXINT, 0) != 0
      || lk_enter_user (step) != NULL)
    _exit (1);
  prctl (PR_SET_PDEATHSIG, SIGKILL);
  int own = open_again (STDERR_FILENO);
  if (own < 0)
    _exit (1);
  _exit (write (own, lines, strlen (lines)) < 0 ? 1 : 0);
}

static void
start (LkCancelledWriter *self, const LkStep *step, int file, const char *lines)
{
  pid_t pid = fork ();
  if (pid == 0)
    be_writer (step, file, lines);
  self->pid = MAX (pid, 0);
}

void
lk_cancelled_write (LkCancelledWriter *self, const LkStep *step, int file, const char *line)
{
  g_autofree char *whole = g_strdup_printf ("slurmstepd: error: %s\n", line);
  if (self->pid == 0) {
    start (self, step, file, whole);
    return;
  }
  if (self->waiting == NULL)
    self->waiting = g_string_new (NULL);
  if (self->waiting->len + strlen (whole) <= WAITING_BYTES_MAX)
    g_string_append (self->waiting, whole);
}

void
lk_cancelled_reaped (LkCancelledWriter *self, const LkStep *step, int file, pid_t pid)
{
  if (pid != self->pid)
    return;
  self->pid = 0;
  if (self->waiting == NULL)
    return;
  g_autofree char *lines = g_string_free (g_steal_pointer (&self->waiting), FALSE);
  start (self, step, file, lines);
}
