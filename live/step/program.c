/* live/step/program.c — see the header. */
#include "live/step/program.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "engine/checked.h"

/* How often to look whether it has ended, where it says nothing. */
#define LOOK_MS 20

static gint64
now_us (void)
{
  struct timespec now;
  clock_gettime (CLOCK_MONOTONIC, &now);
  return (gint64)now.tv_sec * G_USEC_PER_SEC + now.tv_nsec / 1000;
}

G_NORETURN static void
become (const LkProgram *program, int output)
{
  int nothing = open ("/dev/null", O_RDWR | O_CLOEXEC);
  setsid ();
  if (nothing < 0 || dup2 (nothing, 0) < 0 || dup2 (output, 1) < 0
      || (program->is_quiet && dup2 (nothing, 2) < 0))
    _exit (126);
  execve (program->arguments[0], (char *const *)program->arguments,
          (char *const *)program->environment);
  _exit (127);
}

/* All that is there to be read. FALSE: it is at its end. */
static gboolean
read_some (int input, gsize bytes_max, GByteArray *out)
{
  guint8 bytes[4096];
  gssize count;
  while ((count = read (input, bytes, sizeof bytes)) != 0) {
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return errno == EAGAIN;
    if (out->len < bytes_max)
      g_byte_array_append (out, bytes, (guint)MIN ((gsize)count, bytes_max - out->len));
  }
  return FALSE;
}

/* TRUE: it has ended. */
static gboolean
has_ended (pid_t pid, int *out_status)
{
  pid_t ended;
  do
    ended = waitpid (pid, out_status, WNOHANG);
  while (ended < 0 && errno == EINTR);
  return ended != 0;
}

/* FALSE: its time is up. */
static gboolean
listen_to (pid_t pid, int input, const LkProgram *program, GByteArray *out, int *out_status)
{
  gint64 deadline_us = lk_time_add_us (now_us (), program->time_max_us);
  struct pollfd polled = { .fd = input, .events = POLLIN };
  while (!has_ended (pid, out_status)) {
    if (now_us () >= deadline_us)
      return FALSE;
    poll (&polled, 1, LOOK_MS);
    if (polled.fd >= 0 && !read_some (input, program->bytes_max, out))
      polled.fd = -1;
  }
  read_some (input, program->bytes_max, out);
  return TRUE;
}

GByteArray *
lk_program_read (const LkProgram *program, int *out_status)
{
  int pipes[2];
  GByteArray *out = g_byte_array_new ();
  pid_t pid = -1;
  if (pipe2 (pipes, O_CLOEXEC) == 0) {
    pid = fork ();
    if (pid == 0)
      become (program, pipes[1]);
    close (pipes[1]);
    fcntl (pipes[0], F_SETFL, O_NONBLOCK);
  }
  gboolean is_good = pid > 0 && listen_to (pid, pipes[0], program, out, out_status);
  int error_number = pid > 0 ? ETIMEDOUT : errno;
  if (pid > 0 && !is_good) {
    kill (-pid, SIGKILL);
    while (waitpid (pid, out_status, 0) < 0 && errno == EINTR)
      continue;
  }
  if (pid > 0)
    close (pipes[0]);
  if (is_good) {
    g_byte_array_append (out, (const guint8 *)"", 1);
    g_byte_array_set_size (out, out->len - 1);
    return out;
  }
  g_byte_array_unref (out);
  errno = error_number;
  return NULL;
}
