/* tests/live/launch/task_exits_test.c — how tasks have ended, in Slurm's words. */
#include "live/client/step/task_exits.h"

#include <signal.h>

#define EXITED(code) ((code) << 8)

static GPtrArray *
nodes_new (const char *const *names, guint count)
{
  GPtrArray *nodes = g_ptr_array_new ();
  for (guint i = 0; i < count; i++)
    g_ptr_array_add (nodes, (gpointer)names[i]);
  return nodes;
}

static void
expect (GPtrArray *lines, const char *expected)
{
  g_ptr_array_add (lines, NULL);
  g_autofree char *text = g_strjoinv ("\n", (char **)lines->pdata);
  g_assert_cmpstr (text, ==, expected);
  g_ptr_array_set_size (lines, 0);
}

static void
test_words (void)
{
  static const char *const names[] = { "n1", "n1", "n2", "n2", "n2", "n3" };
  g_autoptr (GPtrArray) nodes = nodes_new (names, 6);
  g_autoptr (GPtrArray) lines = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (LkTaskExits) exits = lk_task_exits_new (nodes);
  lk_task_exits_states (exits, lines);
  expect (lines, "tasks 0-5: starting");
  for (guint32 i = 0; i < 6; i++)
    lk_task_exits_started (exits, i);
  lk_task_exits_add (exits, 5, EXITED (0), FALSE);
  lk_task_exits_tell (exits, TRUE, lines);
  expect (lines, "");
  g_assert_false (lk_task_exits_has_bad (exits));
  lk_task_exits_add (exits, 0, EXITED (3), FALSE);
  lk_task_exits_add (exits, 2, EXITED (3), FALSE);
  lk_task_exits_add (exits, 1, EXITED (3), FALSE);
  lk_task_exits_add (exits, 4, SIGKILL, FALSE);
  lk_task_exits_states (exits, lines);
  expect (lines, "task 3: running\ntasks 0-2,4: exited abnormally\ntask 5: exited");
  g_assert_true (lk_task_exits_has_news (exits));
  lk_task_exits_tell (exits, TRUE, lines);
  expect (lines, "n[1-2]: tasks 0-2: Exited with exit code 3\nn2: task 4: Killed");
  g_assert_false (lk_task_exits_has_news (exits));
  lk_task_exits_tell (exits, TRUE, lines);
  expect (lines, "");
  lk_task_exits_add (exits, 3, EXITED (9), TRUE);
  lk_task_exits_tell (exits, TRUE, lines);
  expect (lines, "n2: task 3: Out Of Memory");
  g_assert_cmpuint (lk_task_exits_count (exits), ==, 6);
  g_assert_cmpint (lk_task_exits_code (exits), ==, 128 + SIGKILL);
}

/* The second end of a task, and one of a task that is none, are nothing. */
static void
test_twice (void)
{
  static const char *const names[] = { "n1" };
  g_autoptr (GPtrArray) nodes = nodes_new (names, 1);
  g_autoptr (LkTaskExits) exits = lk_task_exits_new (nodes);
  lk_task_exits_add (exits, 0, EXITED (2), FALSE);
  lk_task_exits_add (exits, 0, EXITED (7), FALSE);
  lk_task_exits_add (exits, 1, EXITED (8), FALSE);
  lk_task_exits_started (exits, 1);
  g_assert_cmpuint (lk_task_exits_count (exits), ==, 1);
  g_assert_cmpint (lk_task_exits_code (exits), ==, 2);
}

/* What we have ended by a signal ourselves is no news. */
static void
test_ours (void)
{
  static const char *const names[] = { "n1", "n1" };
  g_autoptr (GPtrArray) nodes = nodes_new (names, 2);
  g_autoptr (GPtrArray) lines = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (LkTaskExits) exits = lk_task_exits_new (nodes);
  lk_task_exits_add (exits, 0, SIGINT, FALSE);
  lk_task_exits_add (exits, 1, EXITED (1), FALSE);
  g_assert_true (lk_task_exits_ended_by_signal (exits, SIGINT));
  g_assert_false (lk_task_exits_ended_by_signal (exits, SIGTERM));
  lk_task_exits_tell (exits, FALSE, lines);
  expect (lines, "n1: task 1: Exited with exit code 1");
  g_assert_cmpint (lk_task_exits_code (exits), ==, 128 + SIGINT);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/task-exits/tasks that end alike are told together", test_words);
  g_test_add_func ("/task-exits/a task ends once", test_twice);
  g_test_add_func ("/task-exits/signals of our own are not told", test_ours);
  return g_test_run ();
}
