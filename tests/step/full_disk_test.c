/* tests/step/full_disk_test.c — a node whose disk is full: what cannot be begun is refused, what
 * runs comes to its end; and how a script has ended is told when it could be written.
 *
 * The disk is a small one of memory, in a mount namespace of the test's own; skipped by whoever may
 * not make one. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/step/process_node.h"

static guint stuck_count;

static void
stuck (gpointer user, guint64 run_id, LkStuck why)
{
  (void)user;
  g_assert_cmpuint (run_id, ==, 1);
  g_assert_cmpint (why, ==, LK_STUCK_DISK);
  stuck_count++;
}

static void
await_stuck (Node *node, guint count)
{
  gint64 until_us = g_get_monotonic_time () + 60 * G_USEC_PER_SEC;
  while (stuck_count < count) {
    g_assert_cmpint (g_get_monotonic_time (), <, until_us);
    node_turn (node, 5000);
  }
}

/* Returns: (transfer full), the file that fills it. */
static char *
fill (const char *runs)
{
  static const char block[4096];
  char *path = g_build_filename (runs, ".fill", NULL);
  int file = open (path, O_CREAT | O_WRONLY, 0600);
  g_assert_cmpint (file, >=, 0);
  while (write (file, block, sizeof block) > 0)
    continue;
  close (file);
  return path;
}

static void
test_full (void)
{
  if (!node_has_mounts ())
    return;
  if (!g_test_subprocess ()) {
    g_test_trap_subprocess (NULL, 0, G_TEST_SUBPROCESS_INHERIT_STDERR);
    g_test_trap_assert_passed ();
    return;
  }
  g_assert_true (node_unshare_mounts ());
  g_autoptr (Node) node = node_new ();
  g_autofree char *runs = g_build_filename (node->folder, "runs", NULL);
  g_assert_cmpint (mkdir (runs, 0700), ==, 0);
  g_assert_cmpint (mount ("none", runs, "tmpfs", 0, "size=64k"), ==, 0);
  node_start (node);
  NodeJob job =
      node_job (node, 1, "#!/bin/sh\necho > ready\nuntil [ -e go ]; do sleep 0.01; done\nexit 5\n");
  g_assert_true (node_launch (node, &job));
  node_wait_file (node, "ready");
  g_autofree char *filling = fill (runs);
  NodeJob other = node_job (node, 2, "#!/bin/sh\n");
  g_assert_false (node_launch (node, &other));
  g_assert_nonnull (strstr (node->log->str, "No space left on device"));
  /* There is room for how it ends: it is written where something was before. */
  node_write (node, "go", "", 0644);
  g_assert_cmpuint (node_wait_end (node, 1, LK_STAGE_SCRIPT).exit_code, ==, 5);
  node_wait_end (node, 1, LK_STAGE_EPILOG);
  node_forget (node, 1);
  g_assert_cmpint (unlink (filling), ==, 0);
  node_stop (node);
  umount2 (runs, MNT_DETACH);
}

/* The disk takes no word of the agent's, when the supervisor and all that it kept are gone. */
static void
test_full_for_agent (void)
{
  if (!node_has_mounts ())
    return;
  if (!g_test_subprocess ()) {
    g_test_trap_subprocess (NULL, 0, G_TEST_SUBPROCESS_INHERIT_STDERR);
    g_test_trap_assert_passed ();
    return;
  }
  g_assert_true (node_unshare_mounts ());
  g_autoptr (Node) node = node_new ();
  g_autofree char *runs = g_build_filename (node->folder, "runs", NULL);
  g_autofree char *prolog = g_build_filename (node->work, "prolog", NULL);
  const char *const prologs[] = { prolog, NULL };
  g_assert_cmpint (mkdir (runs, 0700), ==, 0);
  g_assert_cmpint (mount ("none", runs, "tmpfs", 0, "size=64k"), ==, 0);
  node_write (node, "prolog", "#!/bin/sh\necho > ${0%/*}/ready\nexec sleep 1000\n", 0755);
  node->config.prologs = prologs;
  node->config.stuck = stuck;
  stuck_count = 0;
  node_start (node);
  NodeJob job = node_job (node, 1, "#!/bin/sh\n");
  g_assert_true (node_launch (node, &job));
  node_wait_file (node, "ready");
  g_autofree char *filling = fill (runs);
  kill (node_supervisor (node, 1), SIGKILL);
  await_stuck (node, 1);
  g_assert_cmpuint (node->ends->len, ==, 0);
  /* The next agent finds the same. */
  node_stop (node);
  stuck_count = 0;
  node_start (node);
  await_stuck (node, 1);
  g_assert_cmpint (unlink (filling), ==, 0);
  g_assert_cmpuint (node_wait_end (node, 1, LK_STAGE_PROLOG).signal, ==, SIGKILL);
  node_wait_end (node, 1, LK_STAGE_EPILOG);
  node_forget (node, 1);
  node_stop (node);
  umount2 (runs, MNT_DETACH);
}

/* Whatever it is that keeps it from being written. */
static void
test_not_written (void)
{
  g_autoptr (Node) node = node_new ();
  g_autofree char *stage = g_build_filename (node->folder, "runs", "1", "stage", NULL);
  g_autofree char *aside = g_build_filename (node->folder, "runs", "1", "aside", NULL);
  node->config.stuck = stuck;
  stuck_count = 0;
  node_start (node);
  NodeJob job =
      node_job (node, 1, "#!/bin/sh\necho > ready\nuntil [ -e go ]; do sleep 0.01; done\nexit 5\n");
  g_assert_true (node_launch (node, &job));
  node_wait_file (node, "ready");
  g_assert_cmpint (rename (stage, aside), ==, 0);
  g_assert_cmpint (mkdir (stage, 0700), ==, 0);
  guint ends = node->ends->len;
  node_write (node, "go", "", 0644);
  await_stuck (node, 1);
  /* Its script has ended, and nobody is told, but that the node is not well. */
  node_wait_log (node, "cannot write how a stage has ended");
  g_assert_cmpuint (node->ends->len, ==, ends);
  g_assert_cmpint (rmdir (stage), ==, 0);
  g_assert_cmpint (rename (aside, stage), ==, 0);
  g_assert_cmpuint (node_wait_end (node, 1, LK_STAGE_SCRIPT).exit_code, ==, 5);
  node_wait_end (node, 1, LK_STAGE_EPILOG);
  node_forget (node, 1);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/full disk/a run comes to its end", test_full);
  g_test_add_func ("/full disk/that a run was killed is told when there is room",
                   test_full_for_agent);
  g_test_add_func ("/full disk/an end is told when it can be written", test_not_written);
  return g_test_run ();
}
