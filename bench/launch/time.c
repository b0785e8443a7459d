/* bench/launch/time.c — how long from a command to the first instruction of what it begins.
 *
 *   launch_time STAMPS COUNT PAUSE_MS COMMAND [ARGUMENT...]
 *
 * Begins a command again and again, each time when the last one's stamp has come and PAUSE_MS have
 * passed; prints for each the microseconds from before the fork to its stamp
 * (bench/launch/stamp.c), and to the end of the command. */
#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <glib.h>

#define NS_PER_S G_GINT64_CONSTANT (1000000000)
#define LOOK_NS 200000
#define WAIT_MAX_S 60
#define COUNT_MAX 100000

extern char **environ;

static gint64
now_ns (void)
{
  struct timespec now;
  clock_gettime (CLOCK_MONOTONIC, &now);
  return now.tv_sec * NS_PER_S + now.tv_nsec;
}

static void
pause_ns (gint64 duration_ns)
{
  struct timespec left = { duration_ns / NS_PER_S, duration_ns % NS_PER_S };
  while (nanosleep (&left, &left) != 0 && errno == EINTR)
    continue;
}

/* The last line of the file once it is longer than `length_bytes`, which follows; below 0: it does
 * not come. */
static gint64
wait_stamp (const char *path, off_t *length_bytes)
{
  struct stat status;
  gint64 end_ns = now_ns () + WAIT_MAX_S * NS_PER_S;
  while (stat (path, &status) == 0 && status.st_size == *length_bytes) {
    if (now_ns () > end_ns)
      return -1;
    pause_ns (LOOK_NS);
  }
  g_autofree char *text = NULL;
  gint64 stamp_ns;
  if (!g_file_get_contents (path, &text, NULL, NULL) || (off_t)strlen (text) <= *length_bytes)
    return -1;
  char *line = g_strchomp (text + *length_bytes);
  *length_bytes = status.st_size;
  return g_ascii_string_to_signed (line, 10, 0, G_MAXINT64, &stamp_ns, NULL) ? stamp_ns : -1;
}

/* FALSE: it has failed, which has been told. */
static gboolean
launch_one (const char *stamps, char **command, off_t *length_bytes)
{
  pid_t child;
  int result;
  gint64 begin_ns = now_ns ();
  int failure = posix_spawnp (&child, command[0], NULL, NULL, command, environ);
  if (failure != 0) {
    fprintf (stderr, "launch_time: cannot run '%s': %s\n", command[0], g_strerror (failure));
    return FALSE;
  }
  while (waitpid (child, &result, 0) < 0 && errno == EINTR)
    continue;
  gint64 ended_ns = now_ns ();
  if (!WIFEXITED (result) || WEXITSTATUS (result) != 0) {
    fprintf (stderr, "launch_time: '%s' has failed\n", command[0]);
    return FALSE;
  }
  gint64 stamp_ns = wait_stamp (stamps, length_bytes);
  if (stamp_ns < 0) {
    fprintf (stderr, "launch_time: no stamp came within %d s\n", WAIT_MAX_S);
    return FALSE;
  }
  printf ("%.1f %.1f\n", (double)(stamp_ns - begin_ns) / 1000.0,
          (double)(ended_ns - begin_ns) / 1000.0);
  return TRUE;
}

int
main (int argc, char **argv)
{
  guint64 count;
  guint64 pause_ms;
  off_t length_bytes = 0;
  if (argc < 5 || !g_ascii_string_to_unsigned (argv[2], 10, 1, COUNT_MAX, &count, NULL)
      || !g_ascii_string_to_unsigned (argv[3], 10, 0, COUNT_MAX, &pause_ms, NULL)) {
    fprintf (stderr, "Usage: launch_time STAMPS COUNT PAUSE_MS COMMAND [ARGUMENT...]\n");
    return 2;
  }
  for (guint64 i = 0; i < count; i++) {
    if (!launch_one (argv[1], argv + 4, &length_bytes))
      return 1;
    pause_ns ((gint64)pause_ms * 1000000);
  }
  return 0;
}
