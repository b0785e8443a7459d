/* tests/step/step_stuck_test.c — processes that do not die: they are told of, and nothing is said
 * to be over before they are gone.
 *
 * Such a process is one in a frozen control group of version 1 that is not its run's; where there
 * is none, or the test is not root, this is skipped. */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/step/process_node.h"

#define FREEZER "/sys/fs/cgroup/freezer"

static guint stuck_count;

static void
stuck (gpointer user, guint64 run_id, LkStuck why)
{
  (void)user;
  g_assert_cmpint (why, ==, LK_STUCK_UNKILLABLE);
  g_assert_cmpuint (run_id, ==, 1);
  stuck_count++;
}

static gboolean
write_to (const char *folder, const char *name, const char *text)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  return g_file_set_contents_full (path, text, -1, G_FILE_SET_CONTENTS_NONE, 0644, NULL);
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

static void
test_stuck (void)
{
  g_autofree char *group = g_strdup_printf (FREEZER "/lockstep-test-%d", getpid ());
  if (geteuid () != 0 || mkdir (group, 0755) != 0) {
    g_test_skip ("no freezer of version 1 here");
    return;
  }
  g_autoptr (Node) node = node_new ();
  node_write (node, "program",
              "#!/bin/sh\necho $SLURM_JOB_ID $SLURM_SCRIPT_CONTEXT >> ${0%/*}/told\n", 0755);
  g_autofree char *program = g_build_filename (node->work, "program", NULL);
  node->config.stuck = stuck;
  node->config.unkillable_us = 50000;
  node->config.unkillable_program = program;
  /* A frozen group of its own would be thawed. */
  node->config.uses_no_cgroups = TRUE;
  node_start (node);
  NodeJob job = node_job (node, 1, "#!/bin/sh\nsleep 1000 &\necho $! > pid\nwait\n");
  stuck_count = 0;
  g_assert_true (node_launch (node, &job));
  node_wait_file (node, "pid");
  g_autofree char *pid = g_strdup_printf ("%d", node_pid (node, "pid"));
  g_assert_true (write_to (group, "cgroup.procs", pid));
  g_assert_true (write_to (group, "freezer.state", "FROZEN"));
  node_signal (node, 1, SIGKILL, FALSE);
  await_stuck (node, 1);
  node_wait_file (node, "told");
  /* Whoever comes later is told, too. */
  node_stop (node);
  node_start (node);
  await_stuck (node, 2);
  g_assert_cmpuint (node->ends->len, ==, 1); /* the prolog's */
  g_assert_true (node_lives (node_pid (node, "pid")));
  g_assert_true (write_to (group, "freezer.state", "THAWED"));
  g_assert_cmpuint (node_wait_end (node, 1, LK_STAGE_SCRIPT).signal, ==, SIGKILL);
  node_wait_end (node, 1, LK_STAGE_EPILOG);
  node_forget (node, 1);
  g_autofree char *told = node_read (node, "told");
  g_assert_cmpstr (told, ==, "101 unkillable_step\n");
  g_assert_nonnull (strstr (node->log->str, "does not die"));
  while (rmdir (group) != 0 && errno == EBUSY)
    node_turn (node, 5000);
}

/* What dies in time is none. */
static void
test_killed (void)
{
  g_autoptr (Node) node = node_new ();
  node->config.stuck = stuck;
  node->config.unkillable_us = 60 * G_USEC_PER_SEC;
  node_start (node);
  NodeJob job =
      node_job (node, 1, "#!/bin/sh\ntrap '' TERM\necho $$ > pid\nwhile :; do sleep 1; done\n");
  stuck_count = 0;
  g_assert_true (node_launch (node, &job));
  node_wait_file (node, "pid");
  node_signal (node, 1, SIGKILL, FALSE);
  node_wait_end (node, 1, LK_STAGE_EPILOG);
  node_forget (node, 1);
  g_assert_cmpuint (stuck_count, ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/step stuck/a process that does not die is told of", test_stuck);
  g_test_add_func ("/step stuck/one that dies is not", test_killed);
  return g_test_run ();
}
