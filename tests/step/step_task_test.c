/* tests/step/step_task_test.c — TaskProlog, TaskEpilog, and the environment of a login. */
#include <sched.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "live/step/task_program.h"
#include "tests/step/process_node.h"

#define LOGIN_USER 54321u

static char *
path_of (const Node *node, const char *name)
{
  return g_build_filename (node->work, name, NULL);
}

/* A program in the user's folder. Returns: (transfer full). */
static char *
program (const Node *node, const char *name, const char *text)
{
  node_write (node, name, text, 0755);
  return path_of (node, name);
}

/* ---------------------------------------------------------------- lines */

static void
test_lines (void)
{
  g_autoptr (GPtrArray) environment = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GString) print = g_string_new (NULL);
  g_autofree char *text = g_strdup ("export A=1 2\nexport B=\nunset C\nprint  hello  you\n"
                                    "exportX=1\nexport =1\nexport D\nnoise\nexport A=3\n"
                                    "unset NOT_THERE\nprint last");
  for (const char *const *at = (const char *const[]){ "A=0", "C=1", "CC=1", NULL }; *at; at++)
    g_ptr_array_add (environment, g_strdup (*at));
  g_ptr_array_add (environment, NULL);
  lk_task_lines (text, environment, print);
  g_autofree char *all = g_strjoinv ("|", (char **)environment->pdata);
  g_assert_cmpstr (all, ==, "CC=1|B=|A=3");
  g_assert_cmpstr (print->str, ==, "hello  you\nlast\n");
}

/* ---------------------------------------------------------------- TaskProlog */

static void
test_prolog (void)
{
  g_autoptr (Node) node = node_new ();
  g_autofree char *prolog = program (node, "prolog",
                                     "#!/bin/sh\n"
                                     "echo export CONTEXT=$SLURM_SCRIPT_CONTEXT\n"
                                     "echo export JOB=$SLURM_JOB_ID\n"
                                     "echo export WHO=$(id -u) $(pwd)\n"
                                     "echo unset GIVEN\n"
                                     "echo print from the prolog\n"
                                     "echo dropped\n");
  g_autofree char *who = g_strdup_printf ("%u %s", geteuid (), node->work);
  node->config.task_prolog = prolog;
  node_start (node);
  NodeJob job = node_job (node, 1,
                          "#!/bin/sh\necho \"$CONTEXT,$JOB,$WHO,${GIVEN-none},"
                          "${SLURM_SCRIPT_CONTEXT-none}\"\n");
  static const char given[] = "GIVEN=1";
  job.batch.environment = (LkStrings){ (const guint8 *)given, sizeof given };
  job.batch.std_out = lk_bytes ("out");
  g_assert_cmpuint (node_play (node, &job).exit_code, ==, 0);
  g_autofree char *out = node_read (node, "out");
  g_autofree char *expected =
      g_strdup_printf ("from the prolog\nprolog_task,101,%s,none,none\n", who);
  g_assert_cmpstr (out, ==, expected);
}

/* With one that fails, or cannot be run, the task ends before it has begun. */
static void
test_prolog_fails (void)
{
  static const struct {
    const char *text;
    guint exit_code;
  } cases[] = { { "#!/bin/sh\nexit 7\n", 7 }, { "#!/bin/sh\nkill -9 $$\n", 1 }, { NULL, 1 } };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (Node) node = node_new ();
    g_autofree char *prolog =
        cases[i].text != NULL ? program (node, "prolog", cases[i].text) : path_of (node, "nothing");
    node->config.task_prolog = prolog;
    node_start (node);
    NodeJob job = node_job (node, 1, "#!/bin/sh\necho ran > ran\n");
    LkExit how = node_play (node, &job);
    g_assert_cmpuint (how.exit_code, ==, cases[i].exit_code);
    g_assert_cmpuint (how.trouble, ==, 0);
    g_assert_null (node_read (node, "ran"));
    g_assert_nonnull (strstr (node->log->str, "TaskProlog"));
  }
}

/* ---------------------------------------------------------------- TaskEpilog */

static void
test_epilog (void)
{
  g_autoptr (Node) node = node_new ();
  g_autofree char *epilog = program (node, "epilog",
                                     "#!/bin/sh\n"
                                     "echo $SLURM_SCRIPT_CONTEXT $SLURM_JOB_ID $(id -u) > told\n"
                                     "exit 3\n");
  node->config.task_epilog = epilog;
  node_start (node);
  NodeJob job = node_job (node, 1, "#!/bin/sh\nexit 5\n");
  g_assert_cmpuint (node_play (node, &job).exit_code, ==, 5);
  g_autofree char *told = node_read (node, "told");
  g_autofree char *expected = g_strdup_printf ("epilog_task 101 %u\n", geteuid ());
  g_assert_cmpstr (told, ==, expected);
  g_assert_nonnull (strstr (node->log->str, "TaskEpilog"));
}

/* A script that could not be begun has none. */
static void
test_no_epilog (void)
{
  g_autoptr (Node) node = node_new ();
  g_autofree char *epilog = program (node, "epilog", "#!/bin/sh\necho ran > told\n");
  node->config.task_epilog = epilog;
  node_start (node);
  NodeJob job = node_job (node, 1, "#!/bin/sh\n");
  job.batch.std_out = lk_bytes ("/proc/such/folder");
  g_assert_cmpuint (node_play (node, &job).signal, ==, 53);
  g_assert_null (node_read (node, "told"));
}

/* ---------------------------------------------------------------- logins */

/* In a namespace of this process there is a user with a profile. FALSE: that cannot be. */
static gboolean
make_user (const Node *node)
{
  g_autofree char *home = path_of (node, "home");
  g_autofree char *passwd = path_of (node, "passwd");
  g_autofree char *text = NULL;
  g_assert_true (g_file_get_contents ("/etc/passwd", &text, NULL, NULL));
  g_autofree char *more =
      g_strdup_printf ("%slogin-test:*:%u:%u::%s:/bin/sh\n", text, LOGIN_USER, LOGIN_USER, home);
  if (!node_has_mounts () || !node_unshare_mounts ())
    return FALSE;
  node_write (node, "passwd", more, 0644);
  g_assert_cmpint (mkdir (home, 0755), ==, 0);
  node_write (node, "home/.profile",
              "echo noise\nexport FROM_PROFILE='of a\nlogin'\nexport GIVEN=profile\n"
              "export SLURM_JOB_ID=7\nsleep ${LONG_LOGIN:-0} &\n",
              0644);
  g_assert_cmpint (chown (home, LOGIN_USER, LOGIN_USER), ==, 0);
  return mount (passwd, "/etc/passwd", NULL, MS_BIND, NULL) == 0;
}

static void
forget_user (void)
{
  g_assert_cmpint (umount2 ("/etc/passwd", MNT_DETACH), ==, 0);
}

static void
test_login (void)
{
  g_autoptr (Node) node = node_new ();
  if (!make_user (node))
    return;
  node->config.login_timeout_us = 60 * G_USEC_PER_SEC;
  node_start (node);
  static const char given[] = "GIVEN=sent";
  const guint modes[] = { LK_BATCH_EXPORT_NONE, LK_BATCH_EXPORT_LOGIN, LK_BATCH_EXPORT_ALL,
                          LK_BATCH_EXPORT_NIL };
  for (guint i = 0; i < G_N_ELEMENTS (modes); i++) {
    NodeJob job = node_job (node, i + 1,
                            "#!/bin/sh\necho \"${FROM_PROFILE-none} ${GIVEN-none} $SLURM_JOB_ID"
                            " ${HOME-none} ${PWD:+there}\"\n");
    job.launch.user_id = job.launch.group_id = LOGIN_USER;
    job.batch.environment = (LkStrings){ (const guint8 *)given, sizeof given };
    job.batch.export_mode = (guint8)modes[i];
    job.batch.std_out = lk_bytes ("out");
    g_assert_cmpuint (node_play (node, &job).exit_code, ==, 0);
    g_autofree char *out = node_read (node, "out");
    gboolean has_login = i < 2;
    g_autofree char *home = path_of (node, "home");
    g_autofree char *expected =
        g_strdup_printf ("%s sent %u %s there\n", has_login ? "of a\nlogin" : "none", 101 + i,
                         i < 3 ? home : "none");
    g_assert_cmpstr (out, ==, expected);
  }
  forget_user ();
}

/* A login that takes too long gives nothing, and the job runs with what it has. */
static void
test_long_login (void)
{
  g_autoptr (Node) node = node_new ();
  if (!make_user (node))
    return;
  node_write (node, "home/.profile", "export FROM_PROFILE=1\nsleep 1000\n", 0644);
  node->config.login_timeout_us = 100000;
  node_start (node);
  NodeJob job = node_job (node, 1, "#!/bin/sh\necho ${FROM_PROFILE-none} $HOME\n");
  job.launch.user_id = job.launch.group_id = LOGIN_USER;
  job.batch.export_mode = LK_BATCH_EXPORT_NONE;
  job.batch.std_out = lk_bytes ("out");
  g_assert_cmpuint (node_play (node, &job).exit_code, ==, 0);
  g_autofree char *out = node_read (node, "out");
  g_autofree char *expected = g_strdup_printf ("none %s/home\n", node->work);
  g_assert_cmpstr (out, ==, expected);
  g_assert_nonnull (strstr (node->log->str, "environment of a login"));
  forget_user ();
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/step task/lines of a TaskProlog", test_lines);
  g_test_add_func ("/step task/a TaskProlog changes the environment", test_prolog);
  g_test_add_func ("/step task/a TaskProlog that fails ends the task", test_prolog_fails);
  g_test_add_func ("/step task/a TaskEpilog changes no end", test_epilog);
  g_test_add_func ("/step task/no TaskEpilog without a script", test_no_epilog);
  g_test_add_func ("/step task/a login gives what was not sent", test_login);
  g_test_add_func ("/step task/a login has its time", test_long_login);
  return g_test_run ();
}
