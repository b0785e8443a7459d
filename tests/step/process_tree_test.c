/* tests/step/process_tree_test.c — what is below several processes, by one look at all. */
#include "live/port/process_tree.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* With a child of its own, whose number it tells; both wait to be killed, at the latest with us. */
static pid_t
begin_family (pid_t *out_child)
{
  int told[2];
  g_assert_cmpint (pipe (told), ==, 0);
  pid_t pid = fork ();
  if (pid == 0) {
    prctl (PR_SET_PDEATHSIG, SIGKILL);
    pid_t child = fork ();
    if (child == 0)
      prctl (PR_SET_PDEATHSIG, SIGKILL);
    if (child > 0 && write (told[1], &child, sizeof child) != (gssize)sizeof child)
      _exit (1);
    for (;;)
      pause ();
  }
  g_assert_cmpint (read (told[0], out_child, sizeof *out_child), ==, sizeof *out_child);
  close (told[0]);
  close (told[1]);
  return pid;
}

static gboolean
has (const GArray *pids, pid_t pid)
{
  for (guint i = 0; i < pids->len; i++)
    if (g_array_index (pids, pid_t, i) == pid)
      return TRUE;
  return FALSE;
}

static void
test_below (void)
{
  pid_t children[2];
  pid_t parents[2] = { begin_family (&children[0]), begin_family (&children[1]) };
  g_autoptr (GArray) all = lk_process_all ();
  g_autoptr (GArray) ours = lk_process_below (all, getpid ());
  g_autoptr (GArray) tree = lk_process_tree (getpid ());
  g_assert_cmpuint (ours->len, ==, 4);
  g_assert_cmpuint (tree->len, ==, 4);
  for (guint i = 0; i < 2; i++) {
    g_autoptr (GArray) below = lk_process_below (all, parents[i]);
    g_autoptr (GArray) nothing = lk_process_below (all, children[i]);
    g_assert_true (has (ours, parents[i]) && has (ours, children[i]));
    g_assert_true (has (tree, parents[i]) && has (tree, children[i]));
    g_assert_cmpuint (below->len, ==, 1);
    g_assert_true (has (below, children[i]));
    g_assert_cmpuint (nothing->len, ==, 0);
  }
  lk_process_signal_all (ours, SIGKILL);
  for (guint i = 0; i < 2; i++)
    g_assert_cmpint (waitpid (parents[i], NULL, 0), ==, parents[i]);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/process_tree/what is below each of several, by one look", test_below);
  return g_test_run ();
}
