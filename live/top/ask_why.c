/* live/top/ask_why.c — see the header.
 *
 * A living cluster's programs do not contain the simulator: its program is run, which stands beside
 * ours. */
#include "live/top/ask_why.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define WAIT_MAX_US (10 * (gint64)G_USEC_PER_SEC)
#define ANSWER_MAX_BYTES 65536u
#define HEADING "Blocked by\n"

/* Where it is from the folder of this program: in a build, installed, beside. */
static const char *const places[] = { "../sim/lockstep", "../../bin/lockstep", "lockstep" };

void
lk_top_why_clear (LkTopWhy *self)
{
  g_free (self->text);
  *self = (LkTopWhy){ 0 };
}

/* NULL: it is not there. Returns: (transfer full). */
static char *
program (void)
{
  g_autofree char *self = g_file_read_link ("/proc/self/exe", NULL);
  g_autofree char *folder = g_path_get_dirname (self != NULL ? self : "");
  for (guint i = 0; i < G_N_ELEMENTS (places); i++) {
    g_autofree char *path = g_build_filename (folder, places[i], NULL);
    if (access (path, X_OK) == 0)
      return g_steal_pointer (&path);
  }
  return NULL;
}

/* All that is written before `end_us`. FALSE: it is not at its end by then. */
static gboolean
read_all (int descriptor, gint64 end_us, GString *out)
{
  char bytes[4096];
  for (;;) {
    gint64 left_us = end_us - g_get_monotonic_time ();
    struct pollfd ready = { .fd = descriptor, .events = POLLIN };
    if (left_us <= 0 || out->len > ANSWER_MAX_BYTES)
      return FALSE;
    if (poll (&ready, 1, (int)(left_us / 1000) + 1) <= 0)
      continue;
    gssize length = read (descriptor, bytes, sizeof bytes);
    if (length > 0)
      g_string_append_len (out, bytes, length);
    else if (length == 0 || errno != EINTR)
      return length == 0;
  }
}

static gboolean
run (char **argv, GString *out)
{
  GPid child;
  int descriptor;
  int status = 0;
  if (!g_spawn_async_with_pipes (NULL, argv, NULL,
                                 G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_STDERR_TO_DEV_NULL, NULL, NULL,
                                 &child, NULL, &descriptor, NULL, NULL))
    return FALSE;
  gboolean is_whole = read_all (descriptor, g_get_monotonic_time () + WAIT_MAX_US, out);
  close (descriptor);
  if (!is_whole)
    kill (child, SIGKILL);
  while (waitpid (child, &status, 0) < 0 && errno == EINTR)
    continue;
  return is_whole && WIFEXITED (status) && WEXITSTATUS (status) == 0;
}

const char *
lk_top_why_ask (LkTopWhy *self, guint32 job_id, guint64 seq)
{
  if (self->text != NULL && self->job_id == job_id && self->seq == seq)
    return self->text;
  g_autofree char *path = program ();
  g_autofree char *job = g_strdup_printf ("%u", job_id);
  char *argv[] = { path, (char *)"why", job, NULL };
  g_autoptr (GString) answer = g_string_new (NULL);
  const char *begin = path != NULL && run (argv, answer) ? strstr (answer->str, HEADING) : NULL;
  lk_top_why_clear (self);
  *self = (LkTopWhy){ .job_id = job_id, .seq = seq, .text = g_strdup (begin != NULL ? begin : "") };
  return self->text;
}
