/* tests/step/record_test.c — what an agent finds of a run whose record is not whole: what was told
 * to have ended is never begun by the next agent, and no job has ended well that has not run.
 *
 * No supervisor begins here (/bin/false), and what is in the way of the record keeps it from being
 * written, as a disk does that fails. */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "live/port/run_folder.h"
#include "tests/step/process_node.h"

static const char script[] = "#!/bin/sh\necho ran >> ran\n";

/* Returns: (transfer full). */
static char *
path_in_runs (const Node *node, const char *name)
{
  return g_build_filename (node->folder, "runs", name, NULL);
}

static void
block (const Node *node, const char *name)
{
  g_autofree char *path = path_in_runs (node, name);
  g_assert_cmpint (g_mkdir_with_parents (path, 0700), ==, 0);
}

static void
unblock (const Node *node, const char *name)
{
  g_autofree char *path = path_in_runs (node, name);
  g_assert_cmpint (rmdir (path), ==, 0);
}

static int
folder_open (const Node *node, guint64 run_id)
{
  g_autofree char *path = path_in_runs (node, "");
  int runs = open (path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  int folder = lk_run_folder_open (runs, run_id);
  g_assert_cmpint (folder, >=, 0);
  close (runs);
  return folder;
}

static Node *
node_without_supervisors (void)
{
  Node *node = node_new ();
  node->config.step_program = "/bin/false";
  node->goes_on = FALSE;
  node_start (node);
  return node;
}

/* As its successor, whose supervisors begin. */
static void
next_agent (Node *node)
{
  node_stop (node);
  node->config.step_program = NODE_STEP_PROGRAM;
  node->goes_on = TRUE;
  node_start (node);
}

static void
assert_never_ran (const Node *node)
{
  g_autofree char *ran = node_read (node, "ran");
  g_assert_null (ran);
}

/* ---------------------------------------------------------------- told, and never begun */

static void
test_recorded (void)
{
  g_autoptr (Node) node = node_without_supervisors ();
  NodeJob job = node_job (node, 1, script);
  LkSupervised known;
  g_assert_true (node_launch (node, &job));
  g_assert_cmpuint (node_wait_end (node, 1, LK_STAGE_PROLOG).trouble, ==,
                    LK_TROUBLE_LAUNCH_FAILURE);
  next_agent (node);
  g_assert_true (node_find (node, 1, &known));
  g_assert_true (known.has_ended);
  g_assert_cmpint (known.stage, ==, LK_STAGE_PROLOG);
  g_assert_cmpuint (known.prolog.trouble, ==, LK_TROUBLE_LAUNCH_FAILURE);
  node_begin (node, 1, LK_STAGE_EPILOG);
  node_wait_end (node, 1, LK_STAGE_EPILOG);
  node_forget (node, 1);
  assert_never_ran (node);
}

/* The folder goes, where it takes no record. */
static void
test_unrecorded (void)
{
  g_autoptr (Node) node = node_without_supervisors ();
  NodeJob job = node_job (node, 1, script);
  LkSupervised known;
  g_assert_true (node_launch (node, &job));
  block (node, "1/prolog.new");
  g_assert_cmpuint (node_wait_end (node, 1, LK_STAGE_PROLOG).trouble, ==,
                    LK_TROUBLE_LAUNCH_FAILURE);
  LkPortProcess port = lk_process_os_port (node->port);
  g_assert_false (port.ops->begin (port.self, 1, LK_STAGE_EPILOG));
  next_agent (node);
  g_assert_false (node_find (node, 1, &known));
  node_turn (node, 100000);
  assert_never_ran (node);
}

/* Where it does neither, nobody is told until it does. */
static void
test_untold (void)
{
  g_autoptr (Node) node = node_without_supervisors ();
  NodeJob job = node_job (node, 1, script);
  g_assert_true (node_launch (node, &job));
  block (node, "1/prolog.new");
  block (node, "old-1/full");
  node_wait_log (node, "cannot write that it could not be begun");
  node_turn (node, 50000);
  g_assert_cmpuint (node->ends->len, ==, 0);
  unblock (node, "1/prolog.new");
  g_assert_cmpuint (node_wait_end (node, 1, LK_STAGE_PROLOG).trouble, ==,
                    LK_TROUBLE_LAUNCH_FAILURE);
  unblock (node, "old-1/full");
  node_begin (node, 1, LK_STAGE_EPILOG);
  node_wait_end (node, 1, LK_STAGE_EPILOG);
  node_forget (node, 1);
}

/* Nobody was told: the next agent may begin it. */
static void
test_untold_begins (void)
{
  g_autoptr (Node) node = node_without_supervisors ();
  NodeJob job = node_job (node, 1, script);
  g_assert_true (node_launch (node, &job));
  next_agent (node);
  node_wait_end (node, 1, LK_STAGE_EPILOG);
  g_assert_cmpuint (node_wait_end (node, 1, LK_STAGE_SCRIPT).exit_code, ==, 0);
  g_autofree char *ran = node_read (node, "ran");
  g_assert_cmpstr (ran, ==, "ran\n");
  node_forget (node, 1);
}

/* ---------------------------------------------------------------- what is missing has not run */

/* An epilog behind which no script is on record: there was none. */
static void
test_no_script (void)
{
  g_autoptr (Node) node = node_new ();
  NodeJob job = node_job (node, 1, script);
  LkSupervised known;
  node->goes_on = FALSE;
  node_start (node);
  g_assert_true (node_launch (node, &job));
  node_wait_end (node, 1, LK_STAGE_PROLOG);
  node_begin (node, 1, LK_STAGE_EPILOG);
  node_wait_end (node, 1, LK_STAGE_EPILOG);
  node_stop (node);
  node_start (node);
  g_assert_true (node_find (node, 1, &known));
  g_assert_cmpint (known.stage, ==, LK_STAGE_EPILOG);
  g_assert_true (known.is_unbegun);
  assert_never_ran (node);
  node_forget (node, 1);
}

/* What has its end on record was begun, though the mark was lost: it is not begun again. */
static void
test_no_mark (void)
{
  g_autoptr (Node) node = node_without_supervisors ();
  NodeJob job = node_job (node, 1, script);
  const LkExit failed = { .trouble = LK_TROUBLE_LAUNCH_FAILURE };
  LkSupervised known;
  g_assert_true (node_launch (node, &job));
  int folder = folder_open (node, 1);
  g_assert_cmpuint (lk_run_folder_stage (folder), ==, 0);
  g_assert_true (lk_run_folder_set_end (folder, LK_STAGE_PROLOG, &(LkExit){ 0 }));
  g_assert_cmpuint (lk_run_folder_stage (folder), ==, LK_STAGE_PROLOG);
  g_assert_true (lk_run_folder_set_end (folder, LK_STAGE_SCRIPT, &failed));
  g_assert_cmpuint (lk_run_folder_stage (folder), ==, LK_STAGE_SCRIPT);
  close (folder);
  next_agent (node);
  g_assert_true (node_find (node, 1, &known));
  g_assert_cmpint (known.stage, ==, LK_STAGE_SCRIPT);
  g_assert_true (known.has_ended);
  g_assert_cmpuint (known.script.trouble, ==, LK_TROUBLE_LAUNCH_FAILURE);
  node_begin (node, 1, LK_STAGE_EPILOG);
  node_wait_end (node, 1, LK_STAGE_EPILOG);
  node_forget (node, 1);
  assert_never_ran (node);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/record/what could not be begun is on record before it is told", test_recorded);
  g_test_add_func ("/record/without a record the folder goes", test_unrecorded);
  g_test_add_func ("/record/without either nobody is told", test_untold);
  g_test_add_func ("/record/what nobody was told of may begin", test_untold_begins);
  g_test_add_func ("/record/an epilog without a script behind it had none", test_no_script);
  g_test_add_func ("/record/an end counts without its mark", test_no_mark);
  return g_test_run ();
}
