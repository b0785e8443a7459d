/* tests/step/process_tree_test.c — what is below several processes, by one look at all. */
#include "live/port/process_tree.h"

#include <fcntl.h>
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
  g_assert_cmpuint (lk_process_signal_tree (getpid (), SIGKILL), ==, 4);
  for (guint i = 0; i < 2; i++)
    g_assert_cmpint (waitpid (parents[i], NULL, 0), ==, parents[i]);
}

/* A process of a user that carries a mark, and is it by now. */
static pid_t
begin_marked (uid_t user, const char *mark)
{
  int running[2];
  char *const arguments[] = { "sleep", "1000", NULL };
  char *const environment[] = { (char *)mark, NULL };
  g_assert_cmpint (pipe2 (running, O_CLOEXEC), ==, 0);
  pid_t pid = fork ();
  if (pid == 0) {
    if (setresgid (user, user, user) != 0 || setresuid (user, user, user) != 0)
      _exit (1);
    prctl (PR_SET_PDEATHSIG, SIGKILL);
    execve ("/bin/sleep", arguments, environment);
    _exit (1);
  }
  close (running[1]);
  g_assert_cmpint (read (running[0], &pid, 1), ==, 0);
  close (running[0]);
  return pid;
}

static gboolean
lives (pid_t pid)
{
  return waitpid (pid, NULL, WNOHANG) == 0;
}

/* Any user can put the mark of a run into an environment: only the run's own user is believed. */
static void
test_marked (void)
{
  const LkProcessMark mark = { LK_RUN_MARK, "/such/run", 65534 };
  if (getuid () != 0) {
    g_test_skip ("needs root");
    return;
  }
  pid_t own = begin_marked (65534, LK_RUN_MARK "=/such/run");
  pid_t other = begin_marked (1, LK_RUN_MARK "=/such/run");
  g_autoptr (GArray) pids = lk_process_marked (&mark);
  g_assert_cmpuint (pids->len, ==, 1);
  g_assert_true (has (pids, own));
  g_assert_cmpuint (lk_process_signal_marked (&mark, SIGKILL), ==, 1);
  g_assert_cmpint (waitpid (own, NULL, 0), ==, own);
  g_assert_true (lives (other));
  kill (other, SIGKILL);
  g_assert_cmpint (waitpid (other, NULL, 0), ==, other);
}

typedef struct {
  pid_t pid;
  guint count;
  guint count_max;
} Listed;

static GArray *
list_first (gconstpointer user)
{
  Listed *self = (Listed *)user;
  GArray *pids = g_array_new (FALSE, FALSE, sizeof (pid_t));
  return self->count++ < self->count_max ? g_array_append_val (pids, self->pid) : pids;
}

static gboolean
is_pending (int number)
{
  sigset_t pending;
  g_assert_cmpint (sigpending (&pending), ==, 0);
  return sigismember (&pending, number) == 1;
}

/* A process that is not listed the second time gets no signal: its pid may be another one's. */
static void
test_listed_again (void)
{
  Listed gone = { getpid (), 0, 1 };
  Listed there = { getpid (), 0, 2 };
  sigset_t blocked;
  int number;
  sigemptyset (&blocked);
  sigaddset (&blocked, SIGUSR1);
  g_assert_cmpint (sigprocmask (SIG_BLOCK, &blocked, NULL), ==, 0);
  g_assert_cmpuint (lk_process_signal (list_first, &gone, SIGUSR1), ==, 1);
  g_assert_false (is_pending (SIGUSR1));
  g_assert_cmpuint (lk_process_signal (list_first, &there, SIGUSR1), ==, 1);
  g_assert_true (is_pending (SIGUSR1));
  g_assert_cmpint (sigwait (&blocked, &number), ==, 0);
  g_assert_cmpint (sigprocmask (SIG_UNBLOCK, &blocked, NULL), ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/process_tree/what is below each of several, by one look", test_below);
  g_test_add_func ("/process_tree/a mark counts in processes of its user only", test_marked);
  g_test_add_func ("/process_tree/a signal is for what is still listed", test_listed_again);
  return g_test_run ();
}
