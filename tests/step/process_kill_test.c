/* tests/step/process_kill_test.c — SIGKILL for an agent at each of its system calls, and for a
 * supervisor at any time: a script is run once, its run ends, and nothing of it is left.
 *
 * Of the system calls only some are tried; LK_KILL_EVERY=1 tries all. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "live/port/process_tree.h"
#include "tests/step/process_node.h"

#define STRIDE_DEFAULT 23u

static const char script[] = "#!/bin/sh\necho ran >> ran\nexit 5\n";

/* ---------------------------------------------------------------- an agent to be killed */

G_NORETURN static void
be_agent (Node *node)
{
  NodeJob job = node_job (node, 1, script);
  ptrace (PTRACE_TRACEME, 0, NULL, NULL);
  raise (SIGSTOP);
  node_start (node);
  node_play (node, &job);
  _exit (0);
}

/* Lets it go on up to a system call. TRUE: it is there, and was killed; FALSE: it has ended. */
static gboolean
kill_at (pid_t pid, guint call)
{
  int status;
  g_assert_cmpint (waitpid (pid, &status, 0), ==, pid);
  g_assert_true (WIFSTOPPED (status));
  ptrace (PTRACE_SETOPTIONS, pid, NULL, PTRACE_O_EXITKILL | PTRACE_O_TRACESYSGOOD);
  int pass_on = 0;
  for (guint i = 0; i < call;) {
    g_assert_cmpint (ptrace (PTRACE_SYSCALL, pid, NULL, pass_on), ==, 0);
    g_assert_cmpint (waitpid (pid, &status, 0), ==, pid);
    if (!WIFSTOPPED (status))
      return FALSE;
    gboolean is_call = WSTOPSIG (status) == (SIGTRAP | 0x80);
    pass_on = is_call ? 0 : WSTOPSIG (status);
    i += is_call ? 1 : 0;
  }
  kill (pid, SIGKILL);
  g_assert_cmpint (waitpid (pid, &status, 0), ==, pid);
  return TRUE;
}

/* ---------------------------------------------------------------- what must hold then */

static guint
times_run (const Node *node)
{
  g_autofree char *ran = node_read (node, "ran");
  return ran != NULL ? (guint)strlen (ran) / (guint)strlen ("ran\n") : 0;
}

/* It ends by itself when it may forget its run. */
static void
assert_no_supervisor (Node *node)
{
  for (guint i = 0; i < 6000 && node_supervisor (node, 1) != 0; i++)
    g_usleep (10000);
  g_assert_cmpint (node_supervisor (node, 1), ==, 0);
}

static void
assert_nothing_left (Node *node)
{
  assert_no_supervisor (node);
  g_autofree char *folder = g_build_filename (node->folder, "runs", "1", NULL);
  const LkProcessMark mark = { LK_RUN_MARK, folder, (guint32)getuid () };
  g_autoptr (GArray) marked = lk_process_marked (&mark);
  g_assert_cmpuint (marked->len, ==, 0);
  g_assert_false (g_file_test (folder, G_FILE_TEST_EXISTS));
}

/* As the core would: it goes on with what it finds; what it does not find was never begun, and is
 * launched by the controller once more. */
static LkExit
go_on (Node *node)
{
  LkSupervised known;
  NodeJob job = node_job (node, 1, script);
  if (!node_find (node, 1, &known)) {
    g_assert_true (node_launch (node, &job));
  } else if (known.has_ended) {
    if (known.stage < LK_STAGE_EPILOG)
      node_begin (node, 1, known.stage == LK_STAGE_PROLOG ? LK_STAGE_SCRIPT : LK_STAGE_EPILOG);
    else {
      node_forget (node, 1);
      return known.script;
    }
  }
  node_wait_end (node, 1, LK_STAGE_EPILOG);
  g_assert_true (node_find (node, 1, &known));
  node_forget (node, 1);
  return known.script;
}

static guint
stride (void)
{
  const char *text = g_getenv ("LK_KILL_EVERY");
  return text != NULL ? (guint)MAX (g_ascii_strtoull (text, NULL, 10), 1) : STRIDE_DEFAULT;
}

static void
test_agent (void)
{
  gboolean was_killed = TRUE;
  guint count = 0;
  for (guint call = 1; was_killed; call += stride (), count++) {
    g_autoptr (Node) node = node_new ();
    LkSupervised known;
    pid_t pid = fork ();
    if (pid == 0)
      be_agent (node);
    was_killed = kill_at (pid, call);
    node_start (node);
    /* Forgotten: its agent has told how it ended. */
    if (!node_find (node, 1, &known) && times_run (node) == 1) {
      assert_no_supervisor (node);
      continue;
    }
    LkExit how = go_on (node);
    g_assert_cmpuint (how.exit_code, ==, 5);
    g_assert_cmpuint (times_run (node), ==, 1);
    assert_nothing_left (node);
  }
  g_assert_cmpuint (count, >, 5);
}

/* ---------------------------------------------------------------- a supervisor to be killed */

static void
test_supervisor (void)
{
  for (guint i = 0; i < 12; i++) {
    g_autoptr (Node) node = node_new ();
    NodeJob job = node_job (
        node, 1, "#!/bin/sh\necho ran >> ran\n(setsid sleep 300 &)\nsleep 0.01\nexit 5\n");
    node->config.uses_no_cgroups = i % 2 == 1;
    node_start (node);
    g_assert_true (node_launch (node, &job));
    g_usleep (i * 1500);
    int pid = node_supervisor (node, 1);
    if (pid > 0)
      kill (pid, SIGKILL);
    node_wait_end (node, 1, LK_STAGE_EPILOG);
    g_assert_cmpuint (times_run (node), <=, 1);
    node_forget (node, 1);
    assert_nothing_left (node);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/process kill/an agent may die at any system call", test_agent);
  g_test_add_func ("/process kill/a supervisor may die at any time", test_supervisor);
  return g_test_run ();
}
