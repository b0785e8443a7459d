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
  g_test_add_func ("/step_tasks/a bad end ends the others", test_bad_exit);
  g_test_add_func ("/step_tasks/nothing is left behind", test_left_behind);
  g_test_add_func ("/step_tasks/without its srun a step is ended", test_srun_lost);
  g_test_add_func ("/step_tasks/unless it may go on", test_forsaken);
  g_test_add_func ("/step_tasks/a step outlives the agent", test_agent_gone);
  g_test_add_func ("/step_tasks/a run takes its steps with it", test_run_ends);
  g_test_add_func ("/step_tasks/without a srun none is begun", test_nobody_listens);
  return g_test_run ();
}
