/* tests/step/step_tasks_test.c — tasks of a step as real processes: what they write and read, how
 * they end, what becomes of them when others do. */
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/step/step_site.h"

typedef struct {
  Node *node;
  StepSite site;
} Case;

static void
case_begin (Case *self)
{
  self->node = node_new ();
  step_site_init (&self->site, self->node);
  node_start (self->node);
  step_site_begin_run (&self->site, 1);
}

static void
case_end (Case *self)
{
  step_site_clear (&self->site);
  node_free (self->node);
}

static void
launch (Case *self, guint32 task_count, const char *script)
{
  StepJob job;
  step_job_init (&job, &self->site, task_count, script);
  g_assert_true (step_site_launch (&self->site, 1, &job));
  step_job_clear (&job);
}

static void
test_output (void)
{
  Case one;
  case_begin (&one);
  launch (&one, 2, "echo out $SLURM_PROCID; echo err $SLURM_LOCALID >&2; exit $SLURM_PROCID");
  LkStepFound how = step_site_wait_end (&one.site, 0);
  g_assert_cmpstr (one.site.out[0]->str, ==, "out 0\n");
  g_assert_cmpstr (one.site.out[1]->str, ==, "out 1\n");
  g_assert_cmpstr (one.site.err[1]->str, ==, "err 1\n");
  g_assert_cmpint (WEXITSTATUS (one.site.status[1]), ==, 1);
  g_assert_cmpuint (how.exit_code, ==, 1);
  g_assert_cmpuint (how.signal, ==, 0);
  g_assert_cmpuint (how.trouble, ==, 0);
  g_assert_cmpuint (how.usage.counted_tasks, ==, 2);
  g_assert_cmpuint (how.usage.rss_max_bytes, >, 0);
  case_end (&one);
}

/* What all read, one reads, and when it is at its end. */
static void
test_input (void)
{
  Case one;
  case_begin (&one);
  launch (&one, 2, "cat; echo end");
  const LkStepFrame both = { .kind = LK_STEP_FRAME_IN,
                             .in = { LK_STEP_ALL, lk_bytes_of_text ("both\n") } };
  const LkStepFrame second = { .kind = LK_STEP_FRAME_IN, .in = { 1, lk_bytes_of_text ("one\n") } };
  const LkStepFrame end = { .kind = LK_STEP_FRAME_IN_EOF, .in_eof = { LK_STEP_ALL } };
  while (one.site.pids[1] == 0)
    node_turn (one.node, 10000);
  step_site_send (&one.site, &both);
  step_site_send (&one.site, &second);
  step_site_send (&one.site, &end);
  step_site_wait_end (&one.site, 0);
  g_assert_cmpstr (one.site.out[0]->str, ==, "both\nend\n");
  g_assert_cmpstr (one.site.out[1]->str, ==, "both\none\nend\n");
  case_end (&one);
}

/* A program that is not there ends as Slurm has it. */
static void
test_no_program (void)
{
  Case one;
  StepJob job;
  case_begin (&one);
  step_job_init (&job, &one.site, 1, "");
  g_byte_array_set_size (job.arguments, 0);
  lk_strings_append (job.arguments, "no-such-program");
  g_assert_true (step_site_launch (&one.site, 1, &job));
  step_job_clear (&job);
  LkStepFound how = step_site_wait_end (&one.site, 0);
  g_assert_cmpuint (how.exit_code, ==, 2);
  g_assert_cmpstr (one.site.err[0]->str, ==,
                   "slurmstepd: error: execve(): no-such-program: No such file or directory\n");
  case_end (&one);
}

/* A srun whose output nobody reads holds its tasks up, and gets all of it in the end. */
static void
test_held_up (void)
{
  Case one;
  case_begin (&one);
  one.site.holds = TRUE;
  launch (&one, 1, "head -c 3000000 /dev/zero; echo done >&2");
  while (one.site.held_bytes < LK_STEP_WINDOW_BYTES / 2)
    node_turn (one.node, 10000);
  node_turn (one.node, 300000);
  g_assert_cmpuint (one.site.held_bytes, <=, LK_STEP_WINDOW_BYTES);
  g_assert_false (one.site.has_ended[0]);
  one.site.holds = FALSE;
  lk_step_stream_take (g_ptr_array_index (one.site.streams, 0), one.site.held_bytes);
  step_site_wait_end (&one.site, 0);
  g_assert_cmpuint (one.site.out[0]->len, ==, 3000000);
  g_assert_cmpstr (one.site.err[0]->str, ==, "done\n");
  case_end (&one);
}

static void
test_signals (void)
{
  Case one;
  case_begin (&one);
  launch (&one, 2, "trap 'echo usr; exit 7' USR1; echo ready; while :; do sleep 0.05; done");
  step_site_wait_out (&one.site, 0, "ready");
  step_site_wait_out (&one.site, 1, "ready");
  const LkStepFrame usr = { .kind = LK_STEP_FRAME_SIGNAL, .signal = { 0, SIGUSR1 } };
  const LkStepFrame kill_all = { .kind = LK_STEP_FRAME_SIGNAL, .signal = { LK_STEP_ALL, SIGKILL } };
  step_site_send (&one.site, &usr);
  step_site_wait_task (&one.site, 0);
  g_assert_cmpint (WEXITSTATUS (one.site.status[0]), ==, 7);
  g_assert_false (one.site.has_ended[1]);
  step_site_send (&one.site, &kill_all);
  LkStepFound how = step_site_wait_end (&one.site, 0);
  g_assert_cmpuint (how.signal, ==, SIGKILL);
  g_assert_cmpuint (how.exit_code, ==, 7);
  case_end (&one);
}

/* The controller's: its srun is told why. */
static void
test_cancelled (void)
{
  Case one;
  case_begin (&one);
  launch (&one, 1, "echo ready; sleep 1000 & wait");
  step_site_wait_out (&one.site, 0, "ready");
  step_site_signal (&one.site, 1, 0, SIGTERM);
  LkStepFound how = step_site_wait_end (&one.site, 0);
  g_assert_cmpuint (how.signal, ==, SIGTERM);
  g_assert_nonnull (strstr (one.site.log->str, "*** STEP 101.0 ON n1 CANCELLED AT "));
  case_end (&one);
}

static void
test_time_limit (void)
{
  Case one;
  case_begin (&one);
  launch (&one, 1, "echo ready; sleep 1000 & wait");
  step_site_wait_out (&one.site, 0, "ready");
  one.node->why = LK_END_TIME_LIMIT;
  step_site_signal (&one.site, 1, 0, SIGTERM);
  step_site_wait_end (&one.site, 0);
  g_assert_true (g_regex_match_simple ("\\*\\*\\* STEP 101\\.0 ON n1 CANCELLED AT "
                                       "[-0-9]{10}T[:0-9]{8} DUE TO TIME LIMIT \\*\\*\\*",
                                       one.site.log->str, 0, 0));
  case_end (&one);
}

/* Words for the step; those for a job without a script reach nobody. */
static void
test_notified (void)
{
  Case one;
  case_begin (&one);
  LkPortProcess port = lk_process_os_port (one.node->port);
  LkMessage_run_notify words = { .run_id = 1, .words = lk_text ("mind %s the gap") };
  launch (&one, 1, "echo ready; while [ ! -e go ]; do sleep 0.02; done");
  step_site_wait_out (&one.site, 0, "ready");
  port.ops->notify (port.self, &words);
  words = (LkMessage_run_notify){ .run_id = 1, .step_id = 1, .words = lk_text ("elsewhere") };
  port.ops->notify (port.self, &words);
  step_site_signal (&one.site, 1, 0, SIGTERM);
  step_site_wait_end (&one.site, 0);
  g_assert_nonnull (strstr (one.site.log->str, "mind %s the gap"));
  g_assert_null (strstr (one.site.log->str, "elsewhere"));
  case_end (&one);
}

static void
test_bad_exit (void)
{
  Case one;
  StepJob job;
  case_begin (&one);
  step_job_init (&job, &one.site, 2,
                 "if [ $SLURM_PROCID = 1 ]; then exit 3; fi; echo on; sleep 1000 & wait");
  job.task.kill_on_bad_exit = 1;
  g_assert_true (step_site_launch (&one.site, 1, &job));
  step_job_clear (&job);
  LkStepFound how = step_site_wait_end (&one.site, 0);
  g_assert_cmpuint (how.exit_code, ==, 3);
  g_assert_cmpuint (how.signal, ==, SIGTERM);
  case_end (&one);
}

/* Whatever tasks leave behind goes with the last of them. */
static void
test_left_behind (void)
{
  Case one;
  case_begin (&one);
  launch (&one, 1, "setsid sleep 1000 & echo $! > left; exit 0");
  step_site_wait_end (&one.site, 0);
  node_wait_death (node_pid (one.node, "left"));
  case_end (&one);
}

/* Who has lost his srun ends his tasks, who may go on does. */
static void
test_srun_lost (void)
{
  Case one;
  case_begin (&one);
  launch (&one, 1, "trap 'echo term > told; exit 0' TERM; echo ready; sleep 1000 & wait");
  step_site_wait_out (&one.site, 0, "ready");
  step_site_hang_up (&one.site);
  step_site_wait_end (&one.site, 0);
  node_wait_file (one.node, "told");
  case_end (&one);
}

static void
test_forsaken (void)
{
  Case one;
  StepJob job;
  case_begin (&one);
  step_job_init (&job, &one.site, 1,
                 "echo ready; while [ ! -e go ]; do sleep 0.05; echo x; done; echo went > went");
  job.task.is_forsaken = 1;
  g_assert_true (step_site_launch (&one.site, 1, &job));
  step_job_clear (&job);
  step_site_wait_out (&one.site, 0, "ready");
  step_site_hang_up (&one.site);
  node_turn (one.node, 200000);
  node_write (one.node, "go", "", 0644);
  g_assert_cmpuint (step_site_wait_end (&one.site, 0).exit_code, ==, 0);
  node_wait_file (one.node, "went");
  case_end (&one);
}

static void
note (void *user, const LkStepFound *step)
{
  *(LkStepFound *)user = *step;
}

/* Without an agent a step goes on, and how it has ended is found by the next one. */
static void
test_agent_gone (void)
{
  Case one;
  case_begin (&one);
  launch (&one, 1, "echo ready; while [ ! -e go ]; do sleep 0.05; done; exit 4");
  step_site_wait_out (&one.site, 0, "ready");
  node_stop (one.node);
  node_write (one.node, "go", "", 0644);
  step_site_wait_task (&one.site, 0);
  node_start (one.node);
  LkStepFound how = { 0 };
  LkPortProcess port = lk_process_os_port (one.node->port);
  while (!how.has_ended) {
    node_turn (one.node, 10000);
    port.ops->step_list (port.self, note, &how);
  }
  g_assert_cmpuint (how.exit_code, ==, 4);
  step_site_forget (&one.site, 1, 0);
  how = (LkStepFound){ 0 };
  port.ops->step_list (port.self, note, &how);
  g_assert_cmpuint (how.run_id, ==, 0);
  case_end (&one);
}

/* The end of the run is the end of its steps, which is told first. */
static void
test_run_ends (void)
{
  Case one;
  case_begin (&one);
  launch (&one, 1, "echo ready; sleep 1000 & wait");
  step_site_wait_out (&one.site, 0, "ready");
  node_signal (one.node, 1, SIGKILL, FALSE);
  node_wait_end (one.node, 1, LK_STAGE_SCRIPT);
  g_assert_cmpuint (one.site.ends->len, ==, 1);
  g_assert_cmpuint (g_array_index (one.site.ends, LkStepFound, 0).signal, ==, SIGKILL);
  /* What its srun hears of it is whole. */
  step_site_wait_end (&one.site, 0);
  g_assert_true (one.site.has_ended[0]);
  g_assert_cmpint (WTERMSIG (one.site.status[0]), ==, SIGKILL);
  case_end (&one);
}

/* A job that is cancelled asks its steps first; their srun hears why, and how they have ended. */
static void
test_run_cancelled (void)
{
  Case one;
  case_begin (&one);
  launch (&one, 1, "trap 'echo term; exit 6' TERM; echo ready; while :; do sleep 0.05; done");
  step_site_wait_out (&one.site, 0, "ready");
  one.node->why = LK_END_PREEMPTED;
  node_signal (one.node, 1, SIGTERM, FALSE);
  node_wait_end (one.node, 1, LK_STAGE_SCRIPT);
  LkStepFound how = step_site_wait_end (&one.site, 0);
  g_assert_cmpuint (how.exit_code, ==, 6);
  g_assert_cmpint (WEXITSTATUS (one.site.status[0]), ==, 6);
  g_assert_nonnull (strstr (one.site.out[0]->str, "term\n"));
  g_assert_nonnull (strstr (one.site.log->str, "*** STEP 101.0 ON n1 CANCELLED AT "));
  g_assert_nonnull (strstr (one.site.log->str, " DUE TO PREEMPTION ***"));
  case_end (&one);
}

/* A script that ends before its steps: they are asked, too. */
static void
test_script_ends (void)
{
  Case one = { .node = node_new () };
  step_site_init (&one.site, one.node);
  node_start (one.node);
  NodeJob run =
      node_job (one.node, 1, "#!/bin/sh\nwhile [ ! -e go ]; do sleep 0.02; done; exit 3\n");
  g_assert_true (node_launch (one.node, &run));
  node_wait_end (one.node, 1, LK_STAGE_PROLOG);
  launch (&one, 1, "trap 'echo term; exit 6' TERM; echo ready; while :; do sleep 0.05; done");
  step_site_wait_out (&one.site, 0, "ready");
  node_write (one.node, "go", "", 0644);
  g_assert_cmpuint (node_wait_end (one.node, 1, LK_STAGE_SCRIPT).exit_code, ==, 3);
  g_assert_cmpuint (step_site_wait_end (&one.site, 0).exit_code, ==, 6);
  case_end (&one);
}

static void
test_nobody_listens (void)
{
  Case one;
  StepJob job;
  case_begin (&one);
  step_job_init (&job, &one.site, 1, "echo ran > ran");
  job.task.addresses = lk_text ("127.0.0.1:1");
  g_assert_true (step_site_launch (&one.site, 1, &job));
  step_job_clear (&job);
  LkStepFound how = step_site_wait_end (&one.site, 0);
  g_assert_cmpuint (how.trouble, ==, LK_TROUBLE_LAUNCH_FAILURE);
  g_assert_null (node_read (one.node, "ran"));
  case_end (&one);
}

/* ---------------------------------------------------------------- what a task finds */

/* What is asked for in `job`, with its output in place of a stream. */
static void
play (Case *self, StepJob *job)
{
  g_assert_true (step_site_launch (&self->site, 1, job));
  step_job_clear (job);
  step_site_wait_end (&self->site, 0);
}

static void
test_environment (void)
{
  static const char *const expected[] = {
    "SLURM_JOB_ID=101\n",
    "SLURM_STEP_ID=0\n",
    "SLURM_STEPID=0\n",
    "SLURM_PROCID=1\n",
    "SLURM_LOCALID=1\n",
    "SLURM_NODEID=0\n",
    "SLURM_GTIDS=0,1\n",
    "SLURM_NTASKS=2\n",
    "SLURM_NPROCS=2\n",
    "SLURM_STEP_NUM_TASKS=2\n",
    "SLURM_STEP_NUM_NODES=1\n",
    "SLURM_STEP_NODELIST=n1\n",
    "SLURM_STEP_TASKS_PER_NODE=2\n",
    "SLURM_TASKS_PER_NODE=2\n",
    "SLURMD_NODENAME=n1\n",
    "SLURM_LAUNCH_NODE_IPADDR=127.0.0.1\n",
    "SLURM_CPU_BIND=quiet,none\n",
    "SLURM_CPU_BIND_TYPE=none\n",
    "SLURM_MPI_TYPE=none\n",
    "SLURM_UMASK=0027\n",
    "SLURM_DISTRIBUTION=block\n",
    "SLURM_CPUS_ON_NODE=2\n",
    "SLURM_STEP_GPUS=2,5\n",
    "SLURM_GPUS_ON_NODE=2\n",
    "CUDA_VISIBLE_DEVICES=5\n",
    "MINE=kept\n",
    "MASK 0027\n",
    "SLURM_CPUS_PER_TASK=3\n",
    "HOSTNAME=of-srun\n",
  };
  Case one;
  StepJob job;
  case_begin (&one);
  step_job_init (&job, &one.site, 2, "env; echo TASK $$ of $SLURM_TASK_PID; echo MASK $(umask)");
  job.task.umask = 027;
  lk_strings_append (job.environment, "MINE=kept");
  lk_strings_append (job.environment, "HOSTNAME=of-srun");
  lk_strings_append (job.environment, "SLURM_STEP_ID=77");
  job.gres = "gpu:2,5";
  job.cpus_per_task = 3;
  job.task.gpus_per_task = 1;
  play (&one, &job);
  for (guint i = 0; i < G_N_ELEMENTS (expected); i++) {
    g_test_message ("%s", expected[i]);
    g_assert_nonnull (strstr (one.site.out[1]->str, expected[i]));
  }
  g_assert_nonnull (strstr (one.site.out[0]->str, "CUDA_VISIBLE_DEVICES=2\n"));
  g_assert_null (strstr (one.site.out[1]->str, "SLURM_STEP_ID=77"));
  g_autofree char *pid = g_strdup_printf ("TASK %u of %u\n", one.site.pids[1], one.site.pids[1]);
  g_assert_nonnull (strstr (one.site.out[1]->str, pid));
  case_end (&one);
}

/* The user's programs around a task, and the site's. */
static void
test_prologs (void)
{
  Case one;
  StepJob job;
  case_begin (&one);
  node_write (one.node, "prolog", "#!/bin/sh\necho export WORD=said\necho print before\n", 0755);
  node_write (one.node, "epilog", "#!/bin/sh\necho $SLURM_PROCID $SLURM_SCRIPT_CONTEXT >> ends\n",
              0755);
  g_autofree char *prolog = g_build_filename (one.node->work, "prolog", NULL);
  g_autofree char *epilog = g_build_filename (one.node->work, "epilog", NULL);
  step_job_init (&job, &one.site, 1, "echo $WORD");
  job.task.task_prolog = lk_bytes (prolog);
  job.task.task_epilog = lk_bytes (epilog);
  play (&one, &job);
  g_assert_cmpstr (one.site.out[0]->str, ==, "before\nsaid\n");
  g_autofree char *ends = node_read (one.node, "ends");
  g_assert_cmpstr (ends, ==, "0 epilog_task\n");
  case_end (&one);
}

static void
test_files (void)
{
  Case one;
  StepJob job;
  case_begin (&one);
  node_write (one.node, "in-1", "read", 0644);
  node_write (one.node, "in-0", "", 0644);
  step_job_init (&job, &one.site, 2, "cat; echo out; echo err >&2");
  job.task.std_in = lk_bytes ("in-%t");
  job.task.std_out = lk_bytes ("%N-%s-%2t.out");
  job.task.std_err = lk_bytes ("%J-%t.err");
  play (&one, &job);
  g_autofree char *out = node_read (one.node, "n1-0-01.out");
  g_autofree char *err = node_read (one.node, "101.0-1.err");
  g_assert_cmpstr (out, ==, "readout\n");
  g_assert_cmpstr (err, ==, "err\n");
  g_assert_cmpstr (one.site.out[0]->str, ==, "");
  case_end (&one);
}

/* One file for both, and the task before each line. */
static void
test_labels (void)
{
  Case one;
  StepJob job;
  case_begin (&one);
  step_job_init (&job, &one.site, 1, "echo a; echo b");
  job.task.std_out = lk_bytes ("out-%t");
  job.task.is_labelled = 1;
  play (&one, &job);
  g_autofree char *out = node_read (one.node, "out-0");
  g_assert_cmpstr (out, ==, "0: a\n0: b\n");
  case_end (&one);
}

/* A file that cannot be opened: only its task fails. */
static void
test_no_file (void)
{
  Case one;
  StepJob job;
  case_begin (&one);
  step_job_init (&job, &one.site, 2, "echo ran");
  job.task.std_out = lk_bytes ("/proc/no-folder-%t/out");
  g_assert_true (step_site_launch (&one.site, 1, &job));
  step_job_clear (&job);
  LkStepFound how = step_site_wait_end (&one.site, 0);
  g_assert_cmpuint (how.exit_code, ==, 1);
  g_assert_nonnull (strstr (one.site.log->str, "Could not open stdout file "));
  case_end (&one);
}

static void
test_programs (void)
{
  static const char file[] = "0 /bin/echo first %t\n* /bin/echo other %o\n";
  Case one;
  StepJob job;
  case_begin (&one);
  step_job_init (&job, &one.site, 3, "");
  g_byte_array_set_size (job.arguments, 0);
  lk_strings_append (job.arguments, "more");
  job.task.multi_prog = lk_bytes (file);
  play (&one, &job);
  g_assert_cmpstr (one.site.out[0]->str, ==, "first 0 more\n");
  g_assert_cmpstr (one.site.out[2]->str, ==, "other 2 more\n");
  case_end (&one);
}

/* A terminal of a size, which changes; others have nothing. */
static void
test_terminal (void)
{
  Case one;
  StepJob job;
  case_begin (&one);
  step_job_init (&job, &one.site, 2,
                 "trap 'stty size; exit 5' WINCH; tty; stty size; while :; do sleep 0.05; done");
  job.task.has_terminal = 1;
  job.task.rows = 30;
  job.task.columns = 101;
  g_assert_true (step_site_launch (&one.site, 1, &job));
  step_job_clear (&job);
  step_site_wait_out (&one.site, 0, "30 101\r\n");
  g_assert_nonnull (strstr (one.site.out[0]->str, "/dev/pts/"));
  const LkStepFrame window = { .kind = LK_STEP_FRAME_WINDOW, .window = { 40, 80 } };
  const LkStepFrame end = { .kind = LK_STEP_FRAME_SIGNAL, .signal = { 1, SIGKILL } };
  step_site_send (&one.site, &window);
  step_site_wait_out (&one.site, 0, "40 80\r\n");
  step_site_wait_task (&one.site, 0);
  g_assert_cmpint (WEXITSTATUS (one.site.status[0]), ==, 5);
  step_site_send (&one.site, &end);
  step_site_wait_end (&one.site, 0);
  g_assert_cmpstr (one.site.out[1]->str, ==, "");
  case_end (&one);
}

/* What is typed there is read, and ^C is a signal. */
static void
test_typed (void)
{
  Case one;
  StepJob job;
  case_begin (&one);
  step_job_init (&job, &one.site, 1,
                 "trap 'echo caught; exit 0' INT; read x; echo got $x; "
                 "while :; do sleep 0.05; done");
  job.task.has_terminal = 1;
  g_assert_true (step_site_launch (&one.site, 1, &job));
  step_job_clear (&job);
  const LkStepFrame word = { .kind = LK_STEP_FRAME_IN, .in = { 0, lk_bytes_of_text ("word\r") } };
  const LkStepFrame control = { .kind = LK_STEP_FRAME_IN, .in = { 0, lk_bytes_of_text ("\x03") } };
  while (one.site.pids[0] == 0)
    node_turn (one.node, 10000);
  step_site_send (&one.site, &word);
  step_site_wait_out (&one.site, 0, "got word");
  step_site_send (&one.site, &control);
  step_site_wait_out (&one.site, 0, "caught");
  step_site_wait_end (&one.site, 0);
  case_end (&one);
}

/* Half a line comes with the rest of it, unless it is to come at once. */
static void
test_lines (void)
{
  for (guint8 is_unbuffered = 0; is_unbuffered < 2; is_unbuffered++) {
    Case one;
    StepJob job;
    case_begin (&one);
    step_job_init (
        &job, &one.site, 1,
        "printf half; echo ready >&2; while [ ! -e go ]; do sleep 0.02; done; echo rest");
    job.task.is_unbuffered = is_unbuffered;
    g_assert_true (step_site_launch (&one.site, 1, &job));
    step_job_clear (&job);
    while (strstr (one.site.err[0]->str, "ready") == NULL)
      node_turn (one.node, 10000);
    node_turn (one.node, 50000);
    g_assert_cmpstr (one.site.out[0]->str, ==, is_unbuffered != 0 ? "half" : "");
    node_write (one.node, "go", "", 0644);
    step_site_wait_end (&one.site, 0);
    g_assert_cmpstr (one.site.out[0]->str, ==, "halfrest\n");
    case_end (&one);
  }
}

static void
test_bound (void)
{
  Case one;
  StepJob job;
  case_begin (&one);
  step_job_init (&job, &one.site, 1,
                 "grep Cpus_allowed_list /proc/self/status; "
                 "echo $SLURM_CPU_BIND");
  job.task.cpu_bind = lk_text ("verbose,map_cpu:0");
  play (&one, &job);
  g_assert_cmpstr (one.site.out[0]->str, ==, "Cpus_allowed_list:\t0\nverbose,mask_cpu:0x1\n");
  g_assert_true (g_str_has_prefix (one.site.err[0]->str, "cpu-bind=MASK - n1, task  0  0 ["));
  g_assert_nonnull (strstr (one.site.err[0]->str, "]: mask 0x1 set\n"));
  case_end (&one);
}

/* Seen from within, as the kernel has it; and a task that cannot have its memory does not run. */
static void
test_memory (void)
{
  if (!g_file_test ("/proc/self/numa_maps", G_FILE_TEST_EXISTS)
      || !g_file_test ("/sys/devices/system/node/node0", G_FILE_TEST_EXISTS)) {
    g_test_skip ("the kernel knows of no NUMA nodes");
    return;
  }
  Case one;
  StepJob job;
  case_begin (&one);
  step_job_init (&job, &one.site, 1,
                 "sed -n 's/^[0-9a-f]* \\([a-z]*:[0-9]*\\) .*/\\1/p;q' /proc/self/numa_maps; "
                 "echo $SLURM_MEM_BIND $SLURM_MEM_BIND_LIST");
  job.task.mem_bind = lk_text ("verbose,map_mem:0");
  play (&one, &job);
  g_assert_cmpstr (one.site.out[0]->str, ==, "bind:0\nverbose,map_mem:0 0\n");
  g_assert_true (g_str_has_prefix (one.site.err[0]->str, "mem-bind=MAP - n1, task  0  0 ["));
  g_assert_nonnull (strstr (one.site.err[0]->str, "]: mask 0x1 set\n"));
  case_end (&one);
  case_begin (&one);
  step_job_init (&job, &one.site, 1, "echo runs");
  job.task.mem_bind = lk_text ("map_mem:1000");
  play (&one, &job);
  g_assert_cmpstr (one.site.out[0]->str, ==, "");
  g_assert_nonnull (strstr (one.site.err[0]->str, "NUMA node 1000 does not exist"));
  case_end (&one);
}

/* Somebody else hears it from there on; what he sends is read if he may. */
static void
test_listener (void)
{
  static guint8 key[LK_KEY_BYTES];
  memset (key, 0x5a, sizeof key);
  Case one;
  case_begin (&one);
  launch (&one, 1, "read x; echo got $x");
  while (one.site.pids[0] == 0)
    node_turn (one.node, 10000);
  g_autofree char *address = g_strdup_printf ("127.0.0.1:%u", lk_step_door_port (one.site.door));
  LkPortProcess port = lk_process_os_port (one.node->port);
  const LkMessage_step_listen listen = {
    .run_id = 1, .addresses = lk_text (address), .key = { key, sizeof key }, .may_write = 1
  };
  port.ops->step_listen (port.self, &listen);
  one.site.pids[0] = 0;
  while (one.site.pids[0] == 0)
    node_turn (one.node, 10000);
  g_assert_cmpuint (one.site.streams->len, ==, 2);
  const LkStepFrame word = { .kind = LK_STEP_FRAME_IN, .in = { 0, lk_bytes_of_text ("word\n") } };
  lk_step_stream_send (g_ptr_array_index (one.site.streams, 1), &word);
  step_site_wait_end (&one.site, 0);
  /* Both hear it, and they are one here. */
  g_assert_cmpstr (one.site.out[0]->str, ==, "got word\ngot word\n");
  case_end (&one);
}

/* Whoever runs the tasks, and serves the stream, has no rights but the user's, and none that he
 * could get back; nor may he be looked into. */
static void
test_user (void)
{
  if (geteuid () != 0) {
    g_test_skip ("only root runs jobs of others");
    return;
  }
  Case one = { .node = node_new () };
  step_site_init (&one.site, one.node);
  one.site.user_id = 65534;
  node_start (one.node);
  step_site_begin_run (&one.site, 1);
  launch (&one, 1,
          "grep -h -E '^(Uid|Gid|CapEff|CapPrm):' /proc/$PPID/status /proc/self/status;"
          "cat /proc/$PPID/environ 2>/dev/null && echo seen; id -u > mine");
  step_site_wait_end (&one.site, 0);
  g_assert_cmpstr (one.site.out[0]->str, ==,
                   "Uid:\t65534\t65534\t65534\t65534\nGid:\t65534\t65534\t65534\t65534\n"
                   "CapPrm:\t0000000000000000\nCapEff:\t0000000000000000\n"
                   "Uid:\t65534\t65534\t65534\t65534\nGid:\t65534\t65534\t65534\t65534\n"
                   "CapPrm:\t0000000000000000\nCapEff:\t0000000000000000\n");
  g_autofree char *mine = node_read (one.node, "mine");
  g_assert_cmpstr (mine, ==, "65534\n");
  case_end (&one);
}

/* Its user may kill it: then the step has ended so, and nothing is left of it. */
static void
test_killed (void)
{
  Case one;
  case_begin (&one);
  launch (&one, 1, "sleep 1000 & echo $! > left; kill -9 $PPID; wait");
  LkStepFound how = step_site_wait_end (&one.site, 0);
  g_assert_cmpuint (how.signal, ==, SIGKILL);
  node_wait_death (node_pid (one.node, "left"));
  case_end (&one);
}

/* Two steps of a run beside each other. */
static void
test_beside (void)
{
  Case one;
  StepJob job;
  case_begin (&one);
  for (guint i = 0; i < 2; i++) {
    step_job_init (&job, &one.site, 1,
                   "echo > there$SLURM_STEP_ID; "
                   "while [ ! -e there0 -o ! -e there1 ]; do sleep 0.02; done");
    job.step_id = i;
    job.task.is_forsaken = 1;
    job.task.addresses = lk_text ("");
    g_assert_true (step_site_launch (&one.site, 1, &job));
    g_assert_false (step_site_launch (&one.site, 1, &job));
    step_job_clear (&job);
  }
  g_assert_cmpuint (step_site_wait_end (&one.site, 0).exit_code, ==, 0);
  g_assert_cmpuint (step_site_wait_end (&one.site, 1).exit_code, ==, 0);
  case_end (&one);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  signal (SIGPIPE, SIG_IGN);
  g_test_add_func ("/step_tasks/what tasks write and how they end is told", test_output);
  g_test_add_func ("/step_tasks/tasks read what is meant for them", test_input);
  g_test_add_func ("/step_tasks/a program that is not there is told of", test_no_program);
  g_test_add_func ("/step_tasks/a slow srun holds its tasks up", test_held_up);
  g_test_add_func ("/step_tasks/signals reach one task, and all", test_signals);
  g_test_add_func ("/step_tasks/a cancelled step says so", test_cancelled);
  g_test_add_func ("/step_tasks/a srun is told of the time limit", test_time_limit);
  g_test_add_func ("/step_tasks/a srun is told words", test_notified);
  g_test_add_func ("/step_tasks/a bad end ends the others", test_bad_exit);
  g_test_add_func ("/step_tasks/nothing is left behind", test_left_behind);
  g_test_add_func ("/step_tasks/without its srun a step is ended", test_srun_lost);
  g_test_add_func ("/step_tasks/unless it may go on", test_forsaken);
  g_test_add_func ("/step_tasks/a step outlives the agent", test_agent_gone);
  g_test_add_func ("/step_tasks/a run takes its steps with it", test_run_ends);
  g_test_add_func ("/step_tasks/a cancelled run asks its steps first", test_run_cancelled);
  g_test_add_func ("/step_tasks/so does a script that ends before them", test_script_ends);
  g_test_add_func ("/step_tasks/without a srun none is begun", test_nobody_listens);
  g_test_add_func ("/step_tasks/a task finds what the node knows", test_environment);
  g_test_add_func ("/step_tasks/programs run around a task", test_prologs);
  g_test_add_func ("/step_tasks/each task has its files", test_files);
  g_test_add_func ("/step_tasks/lines in files say whose they are", test_labels);
  g_test_add_func ("/step_tasks/a file that cannot be opened is told of", test_no_file);
  g_test_add_func ("/step_tasks/each task has its program", test_programs);
  g_test_add_func ("/step_tasks/one has a terminal, with its size", test_terminal);
  g_test_add_func ("/step_tasks/what is typed is read", test_typed);
  g_test_add_func ("/step_tasks/output comes by lines, or at once", test_lines);
  g_test_add_func ("/step_tasks/tasks run where they are bound", test_bound);
  g_test_add_func ("/step_tasks/a task has its memory where it is told", test_memory);
  g_test_add_func ("/step_tasks/others listen, too", test_listener);
  g_test_add_func ("/step_tasks/all of it is the user's", test_user);
  g_test_add_func ("/step_tasks/who kills it ends the step", test_killed);
  g_test_add_func ("/step_tasks/steps run beside each other", test_beside);
  return g_test_run ();
}
