/* tests/step/port_process_os_test.c — the process port with real supervisors: stages, signals, and
 * what becomes of a run when agent or supervisor is killed. */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "live/port/run_folder.h"
#include "tests/step/process_node.h"

/* Longer than a supervisor needs on a machine that is busy. */
#define ANSWER_MS 60000

static Node *
node_started (void)
{
  Node *node = node_new ();
  node_start (node);
  return node;
}

/* ---------------------------------------------------------------- stages */

static void
test_stages (void)
{
  g_autoptr (Node) node = node_started ();
  LkSupervised known;
  NodeJob job = node_job (node, 1, "#!/bin/sh\necho hello $1\necho oops >&2\nexit 7\n");
  g_autoptr (GByteArray) arguments = g_byte_array_new ();
  lk_strings_append (arguments, "a b");
  job.batch.arguments = (LkStrings){ arguments->data, arguments->len };
  g_assert_true (node_launch (node, &job));
  node_wait_end (node, 1, LK_STAGE_EPILOG);
  LkExit how = node_wait_end (node, 1, LK_STAGE_SCRIPT);
  g_assert_cmpuint (how.exit_code, ==, 7);
  g_assert_cmpuint (how.signal, ==, 0);
  g_assert_cmpuint (how.trouble, ==, 0);
  g_assert_cmpuint (how.max_rss_bytes, >, 0);
  g_assert_cmpuint (node->ends->len, ==, 3);
  g_assert_true (node_find (node, 1, &known));
  g_assert_cmpint (known.stage, ==, LK_STAGE_EPILOG);
  g_assert_true (known.has_ended);
  g_assert_cmpuint (known.script.exit_code, ==, 7);
  g_autofree char *output = node_read (node, "slurm-101.out");
  g_assert_cmpstr (output, ==, "hello a b\noops\n");
  node_forget (node, 1);
  g_assert_false (node_find (node, 1, &known));
  g_autofree char *spool = g_build_filename (node->folder, "spool", "1", NULL);
  g_autofree char *run = g_build_filename (node->folder, "runs", "1", NULL);
  g_assert_false (g_file_test (spool, G_FILE_TEST_EXISTS));
  g_assert_false (g_file_test (run, G_FILE_TEST_EXISTS));
}

static void
test_killed_script (void)
{
  g_autoptr (Node) node = node_started ();
  NodeJob job = node_job (node, 1, "#!/bin/sh\nkill -USR1 $$\nsleep 5\n");
  LkExit how = node_play (node, &job);
  g_assert_cmpuint (how.exit_code, ==, 0);
  g_assert_cmpuint (how.signal, ==, SIGUSR1);
}

/* No interpreter: as execve says. */
static void
test_no_interpreter (void)
{
  g_autoptr (Node) node = node_started ();
  NodeJob job = node_job (node, 1, "#!/nowhere/sh\n");
  LkExit how = node_play (node, &job);
  g_assert_cmpuint (how.exit_code, ==, 2);
  g_autofree char *output = node_read (node, "slurm-101.out");
  g_assert_nonnull (strstr (output, "No such file or directory"));
}

/* Nothing of a run is left when its script has ended, whatever it has tried. */
static void
test_leaves_nothing (void)
{
  static const char script[] = "#!/bin/bash\n"
                               "setsid bash -c 'trap \"\" TERM HUP; echo $$ > daemon; sleep 300' "
                               "</dev/null >/dev/null 2>&1 &\n"
                               "(env -i bash -c '(setsid sleep 301 & echo $! > orphan)' &)\n"
                               "while [ ! -s daemon ] || [ ! -s orphan ]; do sleep 0.01; done\n";
  for (guint i = 0; i < 3; i++) {
    g_autoptr (Node) node = node_new ();
    node->config.uses_no_cgroups = i == 1;
    node->config.is_emulated = i == 2;
    node_start (node);
    NodeJob job = node_job (node, 1, script);
    LkExit how = node_play (node, &job);
    g_assert_cmpuint (how.exit_code, ==, 0);
    g_assert_false (node_lives (node_pid (node, "daemon")));
    g_assert_false (node_lives (node_pid (node, "orphan")));
    g_assert_null (strstr (node->log->str, "is gone"));
  }
}

static void
test_usage (void)
{
  g_autoptr (Node) node = node_started ();
  NodeJob job =
      node_job (node, 1, "#!/bin/bash\nbash -c 'for ((i = 0; i < 100000; i++)); do :; done'\n");
  LkExit how = node_play (node, &job);
  g_assert_cmpint (how.user_cpu_us, >, 10000);
  g_assert_cmpint (how.user_cpu_us, <, 10000000);
  g_assert_cmpuint (how.max_rss_bytes, >, 500000);
}

/* ---------------------------------------------------------------- prolog and epilog */

static void
test_prolog (void)
{
  g_autoptr (Node) node = node_new ();
  g_autofree char *prolog = g_build_filename (node->work, "prolog", NULL);
  g_autofree char *epilog = g_build_filename (node->work, "epilog", NULL);
  const char *prologs[] = { prolog, NULL };
  const char *epilogs[] = { epilog, NULL };
  g_autofree char *text = g_strdup_printf ("#!/bin/sh\ncd %s\nenv > environment\n", node->work);
  g_autofree char *after = g_strdup_printf (
      "#!/bin/sh\necho $SLURM_JOB_EXIT_CODE2 $SLURM_SCRIPT_CONTEXT $SLURM_JOB_DERIVED_EC > "
      "%s/after\n",
      node->work);
  node_write (node, "prolog", text, 0755);
  node_write (node, "epilog", after, 0755);
  node->config.prologs = prologs;
  node->config.epilogs = epilogs;
  node_start (node);
  NodeJob job = node_job (node, 1, "#!/bin/sh\nexit 3\n");
  g_autoptr (GByteArray) sent = g_byte_array_new ();
  lk_strings_append (sent, "LD_PRELOAD=/tmp/evil.so");
  lk_strings_append (sent, "BASH_ENV=/tmp/evil");
  lk_strings_append (sent, "PATH=/tmp/evil");
  job.batch.environment = (LkStrings){ sent->data, sent->len };
  job.launch.job_name = lk_text ("x\nLD_PRELOAD=/tmp/evil.so");
  job.launch.comment = lk_text ("for people");
  job.launch.constraint = lk_text ("fast&big");
  job.launch.licenses = lk_text ("matlab:1");
  g_assert_cmpuint (node_play (node, &job).exit_code, ==, 3);
  g_autofree char *environment = node_read (node, "environment");
  g_autofree char *said = node_read (node, "after");
  g_assert_nonnull (strstr (environment, "SLURM_JOB_ID=101\n"));
  g_assert_nonnull (strstr (environment, "SLURM_SCRIPT_CONTEXT=prolog_slurmd\n"));
  /* The name of a job may hold a line: it is a value all the same. */
  g_assert_nonnull (strstr (environment, "SLURM_JOB_NAME=x\nLD_PRELOAD"));
  g_assert_nonnull (strstr (environment, "SLURM_JOB_COMMENT=for people\n"));
  g_assert_nonnull (strstr (environment, "SLURM_JOB_CONSTRAINTS=fast&big\n"));
  g_assert_nonnull (strstr (environment, "SLURM_JOB_LICENSES=matlab:1\n"));
  g_assert_null (strstr (environment, "BASH_ENV"));
  g_assert_null (strstr (environment, "PATH=/tmp/evil\n"));
  g_assert_cmpstr (said, ==, "3:0 epilog_slurmd 0\n");
}

static void
test_prolog_fails (void)
{
  g_autoptr (Node) node = node_new ();
  const char *prologs[] = { "/bin/false", NULL };
  node->config.prologs = prologs;
  node_start (node);
  NodeJob job = node_job (node, 1, "#!/bin/sh\necho ran > ran\n");
  node_play (node, &job);
  LkExit how = node_wait_end (node, 1, LK_STAGE_PROLOG);
  g_assert_cmpuint (how.exit_code, ==, 1);
  g_autofree char *ran = node_read (node, "ran");
  g_assert_null (ran);
}

static void
test_prolog_is_late (void)
{
  g_autoptr (Node) node = node_new ();
  g_autofree char *prolog = g_build_filename (node->work, "prolog", NULL);
  const char *prologs[] = { prolog, NULL };
  node_write (node, "prolog", "#!/bin/sh\nsleep 300\n", 0755);
  node->config.prologs = prologs;
  node->config.prolog_timeout_us = 100000;
  node_start (node);
  NodeJob job = node_job (node, 1, "#!/bin/sh\n");
  node_play (node, &job);
  LkExit how = node_wait_end (node, 1, LK_STAGE_PROLOG);
  g_assert_cmpuint (how.signal, ==, SIGKILL);
}

/* ---------------------------------------------------------------- signals */

static void
test_signals (void)
{
  g_autoptr (Node) node = node_started ();
  NodeJob job = node_job (node, 1,
                          "#!/bin/bash\ntrap 'echo usr1 >> heard' USR1\n"
                          "trap 'echo term >> heard; exit 9' TERM\n"
                          "bash -c 'trap \"echo child >> heard\" USR1; echo $$ > child; "
                          "while :; do sleep 0.02; done' &\n"
                          "while [ ! -s child ]; do sleep 0.01; done; echo $$ > ready\n"
                          "while :; do sleep 0.02; done\n");
  g_assert_true (node_launch (node, &job));
  node_wait_file (node, "ready");
  node_signal (node, 1, SIGUSR1, /* batch_only= */ TRUE);
  node_wait_file (node, "heard");
  node_turn (node, 100000);
  g_autofree char *heard = node_read (node, "heard");
  g_assert_cmpstr (heard, ==, "usr1\n");
  node_signal (node, 1, SIGTERM, /* batch_only= */ TRUE);
  LkExit how = node_wait_end (node, 1, LK_STAGE_SCRIPT);
  g_assert_cmpuint (how.exit_code, ==, 9);
  g_assert_false (node_lives (node_pid (node, "child")));
}

/* What is in the file for errors of a job that is ended so; it leaves standard error behind. */
static void
assert_told (guint8 signal, gboolean batch_only, guint8 why, const char *pattern)
{
  g_autoptr (Node) node = node_started ();
  NodeJob job = node_job (node, 1,
                          "#!/bin/sh\necho begun >&2; exec 2> /dev/null\n"
                          "echo $$ > pid; while :; do sleep 0.02; done\n");
  job.batch.std_err = lk_bytes ("errors");
  g_assert_true (node_launch (node, &job));
  node_wait_file (node, "pid");
  node->why = why;
  node_signal (node, 1, signal, batch_only);
  node->why = 0;
  node_signal (node, 1, SIGKILL, /* batch_only= */ FALSE);
  node_wait_end (node, 1, LK_STAGE_SCRIPT);
  g_autofree char *errors = node_read (node, "errors");
  if (!g_regex_match_simple (pattern, errors, 0, 0))
    g_test_message ("%s is not %s", errors, pattern);
  g_assert_true (g_regex_match_simple (pattern, errors, 0, 0));
}

#define TOLD "^begun\nslurmstepd: error: \\*\\*\\* JOB 101 ON n1 CANCELLED AT [-0-9]{10}T[:0-9]{8}"
#define TOLD_END " \\*\\*\\*\n$"

/* Once, and why, as slurmstepd does. */
static void
test_told (void)
{
  assert_told (SIGTERM, FALSE, 0, TOLD TOLD_END);
  assert_told (SIGKILL, FALSE, 0, TOLD TOLD_END);
  assert_told (SIGTERM, FALSE, LK_END_TIME_LIMIT, TOLD " DUE TO TIME LIMIT" TOLD_END);
  assert_told (SIGTERM, FALSE, LK_END_PREEMPTED, TOLD " DUE TO PREEMPTION" TOLD_END);
  assert_told (SIGTERM, FALSE, LK_END_REQUEUED, TOLD " DUE TO JOB REQUEUE" TOLD_END);
  assert_told (SIGTERM, FALSE, LK_END_NODE_FAILURE,
               TOLD " DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS" TOLD_END);
}

/* Words go where the errors of the script go, whatever it has done with its own. */
static void
test_notified (void)
{
  g_autoptr (Node) node = node_started ();
  NodeJob job = node_job (node, 1,
                          "#!/bin/sh\nexec 2> /dev/null\n"
                          "echo $$ > pid; while :; do sleep 0.02; done\n");
  job.batch.std_err = lk_bytes ("errors");
  LkPortProcess port = lk_process_os_port (node->port);
  const LkMessage_run_notify words = { .run_id = 1,
                                       .step_id = G_MAXUINT32,
                                       .words = lk_text ("mind %s the gap") };
  g_assert_true (node_launch (node, &job));
  node_wait_file (node, "pid");
  port.ops->notify (port.self, &words);
  node_signal (node, 1, SIGKILL, /* batch_only= */ FALSE);
  node_wait_end (node, 1, LK_STAGE_SCRIPT);
  g_autofree char *errors = node_read (node, "errors");
  g_assert_true (g_str_has_prefix (errors, "slurmstepd: error: mind %s the gap\n"));
}

/* Who does not read what is told holds up nobody: a pipe without a reader, and one that is full. */
static void
test_told_nobody (void)
{
  g_autoptr (Node) node = node_started ();
  g_autofree char *pipe_path = g_build_filename (node->work, "pipe", NULL);
  NodeJob job = node_job (node, 1,
                          "#!/bin/sh\nyes >&2 &\n"
                          "echo $$ > pid; while :; do sleep 0.02; done\n");
  job.batch.std_err = lk_bytes ("pipe");
  g_assert_cmpint (mkfifo (pipe_path, 0600), ==, 0);
  int reader = open (pipe_path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  g_assert_cmpint (reader, >=, 0);
  g_assert_true (node_launch (node, &job));
  node_wait_file (node, "pid");
  node_turn (node, 100000);
  node_signal (node, 1, SIGTERM, /* batch_only= */ FALSE);
  node_signal (node, 1, SIGKILL, /* batch_only= */ FALSE);
  g_assert_cmpuint (node_wait_end (node, 1, LK_STAGE_SCRIPT).signal, !=, 0);
  close (reader);
}

/* Signals that come when a script has just ended change nothing of how it has: its keeper goes
 * without having read them. */
static void
test_late_signals (void)
{
  g_autoptr (Node) node = node_started ();
  NodeJob job = node_job (node, 1,
                          "#!/bin/sh\necho $PPID > keeper; echo $$ > pid\n"
                          "until [ -e go ]; do sleep 0.01; done\nexit 3\n");
  g_assert_true (node_launch (node, &job));
  node_wait_file (node, "pid");
  int pid = node_pid (node, "pid");
  int keeper = node_pid (node, "keeper");
  g_assert_cmpint (kill (keeper, SIGSTOP), ==, 0);
  node_write (node, "go", "", 0644);
  node_wait_death (pid);
  for (guint i = 0; i < 8; i++)
    node_signal (node, 1, SIGCONT, FALSE);
  node_turn (node, 100000);
  g_assert_cmpint (kill (keeper, SIGCONT), ==, 0);
  LkExit how = node_wait_end (node, 1, LK_STAGE_SCRIPT);
  g_assert_cmpuint (how.signal, ==, 0);
  g_assert_cmpuint (how.exit_code, ==, 3);
  node_wait_end (node, 1, LK_STAGE_EPILOG);
  node_forget (node, 1);
}

static goffset
size_of (const char *path)
{
  struct stat about;
  g_assert_cmpint (stat (path, &about), ==, 0);
  return about.st_size;
}

/* A file to which something is written again and again: until nothing is for a while. */
static void
wait_still (Node *node, const char *path)
{
  for (guint i = 0; i < 300; i++) {
    goffset before = size_of (path);
    node_turn (node, 200000);
    if (size_of (path) == before)
      return;
  }
  g_assert_not_reached ();
}

static void
wait_growth (Node *node, const char *path)
{
  goffset before = size_of (path);
  for (guint i = 0; i < 6000 && size_of (path) == before; i++)
    node_turn (node, 10000);
  g_assert_cmpint (size_of (path), >, before);
}

/* A process that is stopped does nothing, and can be ended. */
static void
check_stop (gboolean uses_no_cgroups)
{
  g_autoptr (Node) node = node_new ();
  node->config.uses_no_cgroups = uses_no_cgroups;
  node_start (node);
  NodeJob job = node_job (node, 1,
                          "#!/bin/bash\n(trap '' CONT; while :; do echo >> ticks; "
                          "sleep 0.01; done) &\nwait\n");
  g_autofree char *ticks = g_build_filename (node->work, "ticks", NULL);
  g_assert_true (node_launch (node, &job));
  node_wait_file (node, "ticks");
  node_signal (node, 1, SIGSTOP, FALSE);
  wait_still (node, ticks);
  node_signal (node, 1, SIGCONT, FALSE);
  wait_growth (node, ticks);
  node_signal (node, 1, SIGSTOP, FALSE);
  node_signal (node, 1, SIGKILL, FALSE);
  g_assert_cmpuint (node_wait_end (node, 1, LK_STAGE_SCRIPT).signal, ==, SIGKILL);
  node_wait_end (node, 1, LK_STAGE_EPILOG);
  node_forget (node, 1);
}

static void
test_stop (void)
{
  check_stop (FALSE);
  check_stop (TRUE);
}

/* Where the script does not run, a run lasts until it is ended. */
static void
test_without_script (void)
{
  g_autoptr (Node) node = node_started ();
  NodeJob job = node_job (node, 1, "#!/bin/sh\necho ran > ran\n");
  job.launch.runs_script = 0;
  g_assert_true (node_launch (node, &job));
  node_wait_end (node, 1, LK_STAGE_PROLOG);
  node_turn (node, 200000);
  node_signal (node, 1, SIGUSR1, FALSE);
  node_turn (node, 50000);
  g_assert_cmpuint (node->ends->len, ==, 1);
  node_signal (node, 1, SIGTERM, FALSE);
  g_assert_cmpuint (node_wait_end (node, 1, LK_STAGE_SCRIPT).signal, ==, SIGTERM);
  node_wait_end (node, 1, LK_STAGE_EPILOG);
  g_autofree char *ran = node_read (node, "ran");
  g_assert_null (ran);
  node_forget (node, 1);
}

/* ---------------------------------------------------------------- deaths */

/* The agent goes and comes back while the script runs. */
static void
test_agent_dies (void)
{
  g_autoptr (Node) node = node_started ();
  LkSupervised known;
  NodeJob job = node_job (
      node, 1, "#!/bin/sh\necho $$ > pid\nuntil [ -e go ]; do sleep 0.01; done\nexit 5\n");
  g_assert_true (node_launch (node, &job));
  node_wait_file (node, "pid");
  node_stop (node);
  node_start (node);
  g_assert_true (node_find (node, 1, &known));
  g_assert_cmpint (known.stage, ==, LK_STAGE_SCRIPT);
  g_assert_false (known.has_ended);
  g_assert_false (known.is_lost);
  g_assert_true (known.runs_script);
  g_assert_cmpuint (known.job_id, ==, 101);
  g_assert_true (node_lives (node_pid (node, "pid")));
  node_write (node, "go", "", 0644);
  g_assert_cmpuint (node_wait_end (node, 1, LK_STAGE_SCRIPT).exit_code, ==, 5);
  node_wait_end (node, 1, LK_STAGE_EPILOG);
  node_forget (node, 1);
}

/* What ended while there was no agent is found. */
static void
test_ended_unheard (void)
{
  g_autoptr (Node) node = node_started ();
  LkSupervised known;
  NodeJob job = node_job (
      node, 1, "#!/bin/sh\necho $$ > pid\nuntil [ -e go ]; do sleep 0.01; done\nexit 5\n");
  g_assert_true (node_launch (node, &job));
  node_wait_file (node, "pid");
  node_stop (node);
  int pid = node_pid (node, "pid");
  node_write (node, "go", "", 0644);
  node_wait_death (pid);
  node_wait_record (node, 1, LK_STAGE_SCRIPT);
  node_start (node);
  g_assert_true (node_find (node, 1, &known));
  g_assert_cmpint (known.stage, ==, LK_STAGE_SCRIPT);
  g_assert_true (known.has_ended);
  g_assert_cmpuint (known.script.exit_code, ==, 5);
  node_begin (node, 1, LK_STAGE_EPILOG);
  node_wait_end (node, 1, LK_STAGE_EPILOG);
  node_forget (node, 1);
}

/* Orders come twice, late, or out of their turn, from agents that came one after the other. */
static void
test_repeated_orders (void)
{
  g_autoptr (Node) node = node_started ();
  node->goes_on = FALSE;
  NodeJob job = node_job (node, 1, "#!/bin/sh\necho ran >> ran\n");
  g_assert_true (node_launch (node, &job));
  node_wait_end (node, 1, LK_STAGE_PROLOG);
  node_begin (node, 1, LK_STAGE_SCRIPT);
  node_stop (node);
  g_usleep (200000);
  node_start (node);
  LkSupervised known;
  g_assert_true (node_find (node, 1, &known));
  if (known.stage == LK_STAGE_PROLOG)
    node_begin (node, 1, LK_STAGE_SCRIPT);
  if (!known.has_ended)
    node_wait_end (node, 1, LK_STAGE_SCRIPT);
  g_autofree char *ran = node_read (node, "ran");
  g_assert_cmpstr (ran, ==, "ran\n");
  node_begin (node, 1, LK_STAGE_EPILOG);
  node_wait_end (node, 1, LK_STAGE_EPILOG);
  node_forget (node, 1);
}

/* A line that the supervisor says to who talks to it. */
static void
ask (int stream, const void *order, gsize length_bytes, LkStage *out_stage, LkExit *out_how)
{
  char line[LK_STEP_LINE_BYTES];
  g_assert_cmpint (send (stream, order, length_bytes, MSG_NOSIGNAL), ==, (gssize)length_bytes);
  struct pollfd answer = { .fd = stream, .events = POLLIN };
  g_assert_cmpint (poll (&answer, 1, ANSWER_MS), ==, 1);
  gssize count = recv (stream, line, sizeof line - 1, MSG_DONTWAIT);
  g_assert_cmpint (count, >, 0);
  line[count] = '\0';
  g_assert_true (lk_run_end_scan (line, out_stage, out_how));
}

/* A supervisor listens when it sees that its agent is gone. */
static int
connect_to_supervisor (int folder)
{
  for (guint i = 0; i < 6000; i++) {
    int stream = lk_run_folder_connect (folder);
    if (stream >= 0)
      return stream;
    g_usleep (10000);
  }
  g_assert_not_reached ();
}

/* A script that was passed over never runs, whoever asks for it, and however. */
static void
test_orders_out_of_turn (void)
{
  static const guint8 nonsense[][5] = { { 99, 2, 0, 0 }, { 1, 9, 0, 0 }, { 1, 0, 0, 0 }, { 0 } };
  g_autoptr (Node) node = node_started ();
  g_autofree char *runs = g_build_filename (node->folder, "runs", NULL);
  LkStepOrder order = { .what = LK_STEP_BEGIN, .stage = LK_STAGE_SCRIPT };
  LkSupervised known;
  LkStage stage;
  LkExit how;
  node->goes_on = FALSE;
  NodeJob job = node_job (node, 1, "#!/bin/sh\necho ran >> ran\n");
  g_assert_true (node_launch (node, &job));
  node_wait_end (node, 1, LK_STAGE_PROLOG);
  node_begin (node, 1, LK_STAGE_EPILOG);
  node_wait_end (node, 1, LK_STAGE_EPILOG);
  node_stop (node);
  int all = open (runs, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  int folder = lk_run_folder_open (all, 1);
  int stream = connect_to_supervisor (folder);
  for (guint i = 0; i < G_N_ELEMENTS (nonsense); i++)
    send (stream, nonsense[i], i == 3 ? 5 : 4, MSG_NOSIGNAL);
  close (stream);
  stream = connect_to_supervisor (folder);
  /* What it says to who comes, and then what it answers. */
  ask (stream, &(LkStepOrder){ .what = LK_STEP_SIGNAL, .signal = SIGKILL }, sizeof order, &stage,
       &how);
  g_assert_cmpint (stage, ==, LK_STAGE_EPILOG);
  ask (stream, &order, sizeof order, &stage, &how);
  g_assert_cmpint (stage, ==, LK_STAGE_SCRIPT);
  g_assert_cmpuint (how.signal, ==, SIGKILL);
  close (stream);
  close (folder);
  close (all);
  node_start (node);
  g_assert_true (node_find (node, 1, &known));
  g_assert_cmpint (known.stage, ==, LK_STAGE_EPILOG);
  g_assert_true (known.is_unbegun);
  g_autofree char *ran = node_read (node, "ran");
  g_assert_null (ran);
  node_forget (node, 1);
}

/* An agent that dies when it has given a folder its other name has said nothing: the supervisor
 * goes by itself, and the next agent finds no run. */
static void
test_forgotten_unheard (void)
{
  g_autoptr (Node) node = node_started ();
  g_autofree char *run = g_build_filename (node->folder, "runs", "1", NULL);
  g_autofree char *old = g_build_filename (node->folder, "runs", "old-1", NULL);
  LkSupervised known;
  NodeJob job = node_job (node, 1, "#!/bin/sh\n");
  g_assert_true (node_launch (node, &job));
  node_wait_end (node, 1, LK_STAGE_EPILOG);
  int supervisor = node_supervisor (node, 1);
  g_assert_cmpint (supervisor, >, 0);
  g_assert_cmpint (rename (run, old), ==, 0);
  node_stop (node);
  for (guint i = 0; i < 6000 && node_lives (supervisor); i++)
    g_usleep (10000);
  g_assert_false (node_lives (supervisor));
  node_start (node);
  g_assert_false (node_find (node, 1, &known));
  g_assert_false (g_file_test (old, G_FILE_TEST_EXISTS));
}

static void
check_supervisor_killed (gboolean uses_no_cgroups, gboolean kills_keeper)
{
  g_autoptr (Node) node = node_new ();
  g_autofree char *epilog = g_build_filename (node->work, "epilog", NULL);
  g_autofree char *text =
      g_strdup_printf ("#!/bin/sh\necho $SLURM_JOB_EXIT_CODE2 > %s/after\n", node->work);
  const char *epilogs[] = { epilog, NULL };
  node_write (node, "epilog", text, 0755);
  node->config.uses_no_cgroups = uses_no_cgroups;
  node->config.epilogs = epilogs;
  node_start (node);
  NodeJob job = node_job (node, 1,
                          "#!/bin/bash\n(setsid bash -c 'trap \"\" TERM HUP; echo $$ > daemon; "
                          "sleep 300' &)\nwhile [ ! -s daemon ]; do sleep 0.01; done\n"
                          "echo $PPID > keeper; echo $$ > pid\nsleep 300\n");
  g_assert_true (node_launch (node, &job));
  node_wait_file (node, "pid");
  int supervisor = node_supervisor (node, 1);
  int keeper = node_pid (node, "keeper");
  g_assert_cmpint (supervisor, >, 0);
  g_assert_cmpint (supervisor, !=, keeper);
  if (kills_keeper)
    kill (keeper, SIGSTOP);
  kill (supervisor, SIGKILL);
  if (kills_keeper)
    kill (keeper, SIGKILL);
  g_assert_cmpuint (node_wait_end (node, 1, LK_STAGE_SCRIPT).signal, ==, SIGKILL);
  g_assert_false (node_lives (node_pid (node, "pid")));
  g_assert_false (node_lives (node_pid (node, "daemon")));
  /* Another one runs the epilog. */
  g_assert_cmpuint (node_wait_end (node, 1, LK_STAGE_EPILOG).exit_code, ==, 0);
  g_autofree char *after = node_read (node, "after");
  g_assert_cmpstr (after, ==, "0:9\n");
  node_forget (node, 1);
}

static void
test_supervisor_dies (void)
{
  check_supervisor_killed (FALSE, FALSE);
  check_supervisor_killed (TRUE, FALSE);
}

static void
test_both_die (void)
{
  check_supervisor_killed (FALSE, TRUE);
  check_supervisor_killed (TRUE, TRUE);
}

static void
test_keeper_dies (void)
{
  g_autoptr (Node) node = node_new ();
  node->config.uses_no_cgroups = TRUE;
  node_start (node);
  NodeJob job = node_job (node, 1,
                          "#!/bin/bash\nsetsid sleep 300 &\necho $! > daemon\necho $PPID > keeper\n"
                          "echo $$ > pid\nsleep 300\n");
  g_assert_true (node_launch (node, &job));
  node_wait_file (node, "pid");
  kill (node_pid (node, "keeper"), SIGKILL);
  g_assert_cmpuint (node_wait_end (node, 1, LK_STAGE_SCRIPT).signal, ==, SIGKILL);
  g_assert_false (node_lives (node_pid (node, "pid")));
  g_assert_false (node_lives (node_pid (node, "daemon")));
  node_wait_end (node, 1, LK_STAGE_EPILOG);
  node_forget (node, 1);
}

/* Agent and supervisor go together; the agent that comes finds a run that has ended. */
static void
test_all_die (void)
{
  g_autoptr (Node) node = node_started ();
  NodeJob job = node_job (node, 1, "#!/bin/sh\necho $$ > pid\nsleep 300\n");
  g_assert_true (node_launch (node, &job));
  node_wait_file (node, "pid");
  node_stop (node);
  kill (node_supervisor (node, 1), SIGKILL);
  node_start (node);
  g_assert_cmpuint (node_wait_end (node, 1, LK_STAGE_SCRIPT).signal, ==, SIGKILL);
  g_assert_false (node_lives (node_pid (node, "pid")));
  node_wait_end (node, 1, LK_STAGE_EPILOG);
  node_forget (node, 1);
}

/* The machine has booted: nothing runs, and what is known counts. */
static void
check_boot (const char *script, LkStage stage, guint8 exit_code)
{
  g_autoptr (Node) node = node_started ();
  LkSupervised known;
  g_autofree char *about = g_build_filename (node->folder, "runs", "1", "launch", NULL);
  node->goes_on = stage != LK_STAGE_EPILOG;
  NodeJob job = node_job (node, 1, script);
  g_assert_true (node_launch (node, &job));
  if (stage == LK_STAGE_EPILOG) {
    node_wait_end (node, 1, LK_STAGE_PROLOG);
    node_begin (node, 1, LK_STAGE_SCRIPT);
    node_wait_end (node, 1, LK_STAGE_SCRIPT);
  } else
    node_wait_file (node, "pid");
  node_stop (node);
  kill (node_supervisor (node, 1), SIGKILL);
  g_usleep (100000);
  g_assert_true (
      g_file_set_contents (about, "run 1 101 1 00000000-0000-0000-0000-000000000000\n", -1, NULL));
  node_start (node);
  g_assert_true (node_find (node, 1, &known));
  g_assert_true (known.is_lost);
  g_assert_true (known.has_ended);
  g_assert_cmpint (known.stage, ==, stage);
  g_assert_cmpuint (known.script.exit_code, ==, exit_code);
  LkPortProcess port = lk_process_os_port (node->port);
  if (stage != LK_STAGE_EPILOG)
    g_assert_false (port.ops->begin (port.self, 1, LK_STAGE_EPILOG));
  node_forget (node, 1);
  g_assert_false (node_find (node, 1, &known));
}

static void
test_boot (void)
{
  check_boot ("#!/bin/sh\necho $$ > pid\nsleep 300\n", LK_STAGE_SCRIPT, 0);
  check_boot ("#!/bin/sh\nexit 6\n", LK_STAGE_EPILOG, 6);
}

/* ---------------------------------------------------------------- refusals */

static void
test_one_agent (void)
{
  g_autoptr (Node) node = node_started ();
  g_autoptr (GError) error = NULL;
  int status;
  pid_t pid = fork ();
  if (pid == 0) {
    gboolean is_refused = lk_process_os_new (&node->config, node->loop, NULL, NULL, &error) == NULL
                          && strstr (error->message, "another agent") != NULL;
    _exit (is_refused ? 0 : 1);
  }
  g_assert_cmpint (waitpid (pid, &status, 0), ==, pid);
  g_assert_cmpint (status, ==, 0);
}

static void
test_no_program (void)
{
  g_autoptr (Node) node = node_new ();
  g_autoptr (GError) error = NULL;
  node->config.step_program = "/nowhere/lockstep-step";
  g_assert_null (lk_process_os_new (&node->config, node->loop, NULL, NULL, &error));
  g_assert_nonnull (error);
}

/* A supervisor that cannot even begin: the prolog has failed, and nothing is waited for. */
static void
test_no_supervisor (void)
{
  g_autoptr (Node) node = node_new ();
  node->config.step_program = "/bin/false";
  node_start (node);
  node->goes_on = FALSE;
  NodeJob job = node_job (node, 1, "#!/bin/sh\n");
  g_assert_true (node_launch (node, &job));
  LkExit how = node_wait_end (node, 1, LK_STAGE_PROLOG);
  g_assert_cmpuint (how.trouble, ==, LK_TROUBLE_LAUNCH_FAILURE);
  node_begin (node, 1, LK_STAGE_EPILOG);
  node_wait_end (node, 1, LK_STAGE_EPILOG);
  node_forget (node, 1);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/process os/a run goes from stage to stage", test_stages);
  g_test_add_func ("/process os/a signal that ends a script is told", test_killed_script);
  g_test_add_func ("/process os/a script without interpreter ends", test_no_interpreter);
  g_test_add_func ("/process os/nothing of a run is left", test_leaves_nothing);
  g_test_add_func ("/process os/what was used is counted", test_usage);
  g_test_add_func ("/process os/prolog and epilog know the job and nothing else", test_prolog);
  g_test_add_func ("/process os/a prolog that fails is told, and no script runs",
                   test_prolog_fails);
  g_test_add_func ("/process os/a prolog has its time", test_prolog_is_late);
  g_test_add_func ("/process os/a signal reaches the script, or all", test_signals);
  g_test_add_func ("/process os/a job is told that it is cancelled, and why", test_told);
  g_test_add_func ("/process os/a job is told words in its errors", test_notified);
  g_test_add_func ("/process os/who does not read that holds up nobody", test_told_nobody);
  g_test_add_func ("/process os/late signals change no end", test_late_signals);
  g_test_add_func ("/process os/a run stops, goes on, and ends", test_stop);
  g_test_add_func ("/process os/a supervisor goes that was forgotten unheard",
                   test_forgotten_unheard);
  g_test_add_func ("/process os/a node without the script waits", test_without_script);
  g_test_add_func ("/process os/runs outlive the agent", test_agent_dies);
  g_test_add_func ("/process os/what ended without an agent is found", test_ended_unheard);
  g_test_add_func ("/process os/an order that comes twice is carried out once",
                   test_repeated_orders);
  g_test_add_func ("/process os/orders out of turn run nothing", test_orders_out_of_turn);
  g_test_add_func ("/process os/a run ends with its supervisor", test_supervisor_dies);
  g_test_add_func ("/process os/a run ends with its supervisor and keeper", test_both_die);
  g_test_add_func ("/process os/a run ends with its keeper", test_keeper_dies);
  g_test_add_func ("/process os/a run ends when agent and supervisor go", test_all_die);
  g_test_add_func ("/process os/a boot ends all", test_boot);
  g_test_add_func ("/process os/a directory has one agent", test_one_agent);
  g_test_add_func ("/process os/without the program there is no port", test_no_program);
  g_test_add_func ("/process os/without a supervisor a run ends", test_no_supervisor);
  return g_test_run ();
}
