/* tests/dst/storm_test.c — storms over the whole live system, by seed.
 *
 * LK_DST_SEEDS=N runs N seeds, from LK_DST_FIRST on, and with LK_DST_STOP=1 none behind the first
 * that finds something.  LK_DST_SEED=N runs one, and with LK_DST_LOG=1 tells all that happens in it
 * and walks all invariants at each instant.  Seeds that once found something are always run. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/dst/storm.h"

/* Under a sanitizer everything takes ten times as long: all of them with LK_TEST_LONG only. */
#if defined(__SANITIZE_ADDRESS__)
#define SEEDS (g_getenv ("LK_TEST_LONG") != NULL ? 2000u : 400u)
#else
#define SEEDS 2000u
#endif

/* See docs/testing.md for what they found. */
static const guint64 regression_seeds[] = { 6,      61,     255,    411,     744,     803,   806,
                                            977,    2207,   8683,   10106,   13475,   69246, 73677,
                                            164168, 174838, 307883, 5032223, 20005668 };

static char command[256];

static void
on_abort (int number)
{
  ssize_t written = write (STDERR_FILENO, command, strlen (command));
  (void)written;
  signal (number, SIG_DFL);
  raise (number);
}

static void
tell (gpointer user, gint64 now_us, const char *line)
{
  (void)user;
  printf ("%12.6f %s\n", (double)(now_us - G_GINT64_CONSTANT (1700000000000000)) / 1e6, line);
}

/* FALSE: something was found. */
static gboolean
run_seed (guint64 seed)
{
  DstStormResult result;
  DstFindings findings;
  DstStormOptions options = { .seed = seed, .tell = g_getenv ("LK_DST_LOG") != NULL ? tell : NULL };
  g_snprintf (command, sizeof (command), "LK_DST_LOG=1 LK_DST_SEED=%" G_GUINT64_FORMAT " %s\n",
              seed, g_get_prgname ());
  dst_findings_init (&findings);
  dst_storm_run (&options, &result, &findings);
  g_test_message ("seed %" G_GUINT64_FORMAT ", site %u, %s: %" G_GUINT64_FORMAT
                  " events, %" G_GUINT64_FORMAT " messages, %" G_GUINT64_FORMAT
                  " runs, %" G_GUINT64_FORMAT " steps, %" G_GUINT64_FORMAT " starts%s",
                  seed, result.site, result.faults, result.event_count, result.message_count,
                  result.run_count, result.step_count, result.start_count,
                  result.has_refused ? ", journal refused" : "");
  for (guint i = 0; i < findings.lines->len; i++)
    g_printerr ("seed %" G_GUINT64_FORMAT ", site %u: %s\n", seed, result.site,
                (const char *)g_ptr_array_index (findings.lines, i));
  if (findings.count > 0) {
    g_printerr ("%s", command);
    g_test_fail ();
  }
  gboolean is_good = findings.count == 0;
  dst_findings_clear (&findings);
  g_free (result.faults);
  return is_good;
}

static guint64
number_of (const char *name, guint64 otherwise)
{
  const char *text = g_getenv (name);
  return text != NULL ? g_ascii_strtoull (text, NULL, 10) : otherwise;
}

static void
test_storms (void)
{
  guint64 first = number_of ("LK_DST_SEED", number_of ("LK_DST_FIRST", 1));
  guint64 count = g_getenv ("LK_DST_SEED") != NULL ? 1 : number_of ("LK_DST_SEEDS", SEEDS);
  gboolean stops = g_getenv ("LK_DST_STOP") != NULL;
  for (guint64 seed = first; seed < first + count; seed++)
    if (!run_seed (seed) && stops)
      break;
}

static void
test_regressions (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (regression_seeds); i++)
    run_seed (regression_seeds[i]);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  signal (SIGABRT, on_abort);
  signal (SIGSEGV, on_abort);
  if (g_getenv ("LK_DST_SEED") == NULL)
    g_test_add_func ("/dst/seeds that found something find nothing", test_regressions);
  g_test_add_func ("/dst/storms", test_storms);
  return g_test_run ();
}
