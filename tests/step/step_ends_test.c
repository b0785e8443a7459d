/* tests/step/step_ends_test.c — how steps end: beside the end of their run, when their tasks have
 * no time, and when what they leave is not theirs any more. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/step/step_site.h"

/* The first argument of this program when it is what a task starts. */
#define OTHER "--other"

typedef struct {
  Node *node;
  StepSite site;
} Case;

static void
case_begin (Case *self, guint32 user_id)
{
  self->node = node_new ();
  step_site_init (&self->site, self->node);
  self->site.user_id = user_id;
  node_start (self->node);
}

static void
case_end (Case *self)
{
  step_site_clear (&self->site);
  node_free (self->node);
}

static void
launch (Case *self, const char *script)
{
  StepJob job;
  step_job_init (&job, &self->site, 1, script);
  g_assert_true (step_site_launch (&self->site, 1, &job));
  step_job_clear (&job);
}

/* The script ends as soon as srun knows, and before the step's process is gone: how the step has
 * ended stays so. */
static void
test_script_behind (void)
{
  const LkStepFrame done = { .kind = LK_STEP_FRAME_DONE };
  Case one;
  case_begin (&one, 0);
  one.site.lingers = TRUE;
  NodeJob run = node_job (one.node, 1, "#!/bin/sh\nwhile [ ! -e go ]; do sleep 0.02; done\n");
  g_assert_true (node_launch (one.node, &run));
  node_wait_end (one.node, 1, LK_STAGE_PROLOG);
  launch (&one, "echo done");
  while (one.site.over_count == 0)
    node_turn (one.node, 1000);
  node_write (one.node, "go", "", 0644);
  while (one.site.ends->len == 0)
    node_turn (one.node, 1000);
  step_site_send (&one.site, &done);
  g_assert_cmpuint (node_wait_end (one.node, 1, LK_STAGE_SCRIPT).signal, ==, 0);
  LkStepFound how = step_site_wait_end (&one.site, 0);
  g_assert_cmpuint (how.signal, ==, 0);
  g_assert_cmpuint (how.exit_code, ==, 0);
  g_assert_cmpuint (how.trouble, ==, 0);
  g_assert_cmpuint (one.site.ends->len, ==, 1);
  case_end (&one);
}

/* What a task leaves is gone when srun hears of the end. */
static void
test_left (void)
{
  const LkStepFrame done = { .kind = LK_STEP_FRAME_DONE };
  Case one;
  case_begin (&one, 0);
  one.site.lingers = TRUE;
  step_site_begin_run (&one.site, 1);
  launch (&one, "sleep 1000 < /dev/null > /dev/null 2>&1 & echo $! > left");
  while (one.site.over_count == 0)
    node_turn (one.node, 1000);
  g_assert_cmpint (kill (node_pid (one.node, "left"), 0), !=, 0);
  step_site_send (&one.site, &done);
  step_site_wait_end (&one.site, 0);
  case_end (&one);
}

/* KillWait is the site's: who has none is not asked. */
static void
test_no_time (void)
{
  Case one;
  case_begin (&one, 0);
  one.site.kill_wait_us = 0;
  step_site_begin_run (&one.site, 1);
  launch (&one, "trap 'echo term > told; exit 3' TERM; echo ready; while :; do sleep 0.02; done");
  step_site_wait_out (&one.site, 0, "ready");
  step_site_hang_up (&one.site);
  g_assert_cmpuint (step_site_wait_end (&one.site, 0).signal, ==, SIGKILL);
  g_assert_null (node_read (one.node, "told"));
  case_end (&one);
}

/* Likewise behind the end of the script: who does not end is killed, and its srun hears of it. */
static void
test_deaf (void)
{
  Case one;
  case_begin (&one, 0);
  one.site.kill_wait_us = 200000;
  NodeJob run = node_job (one.node, 1, "#!/bin/sh\nwhile [ ! -e go ]; do sleep 0.02; done\n");
  g_assert_true (node_launch (one.node, &run));
  node_wait_end (one.node, 1, LK_STAGE_PROLOG);
  launch (&one, "trap '' TERM; echo ready; while :; do sleep 0.02; done");
  step_site_wait_out (&one.site, 0, "ready");
  node_write (one.node, "go", "", 0644);
  node_wait_end (one.node, 1, LK_STAGE_SCRIPT);
  g_assert_cmpuint (step_site_wait_end (&one.site, 0).signal, ==, SIGKILL);
  g_assert_true (one.site.has_ended[0]);
  g_assert_cmpint (WTERMSIG (one.site.status[0]), ==, SIGKILL);
  case_end (&one);
}

/* A program that has become root's is none of the user's any more, who cannot kill it. */
static void
test_not_ours (void)
{
  if (geteuid () != 0) {
    g_test_skip ("only root runs jobs of others");
    return;
  }
  Case one;
  case_begin (&one, 65534);
  g_autofree char *program = g_build_filename (one.node->work, "other", NULL);
  g_autofree char *content = NULL;
  gsize length_bytes;
  g_assert_true (g_file_get_contents ("/proc/self/exe", &content, &length_bytes, NULL));
  g_assert_true (g_file_set_contents (program, content, (gssize)length_bytes, NULL));
  g_assert_cmpint (chmod (program, 04755), ==, 0);
  step_site_begin_run (&one.site, 1);
  launch (&one, "./other " OTHER " & echo $! > left; while [ ! -e became ]; do sleep 0.02; done");
  node_wait_file (one.node, "became");
  g_autofree char *became = node_read (one.node, "became");
  if (became[0] != '0') {
    g_test_skip ("programs here become nobody else's");
  } else {
    g_assert_cmpuint (step_site_wait_end (&one.site, 0).exit_code, ==, 0);
    node_wait_death (node_pid (one.node, "left"));
  }
  case_end (&one);
}

static int
be_other (void)
{
  int is_other = setreuid (0, 0) == 0;
  g_file_set_contents ("became.new", is_other ? "0\n" : "no\n", -1, NULL);
  int failed = rename ("became.new", "became");
  for (guint i = 0; is_other && failed == 0 && i < 1000; i++)
    sleep (1);
  return failed;
}

int
main (int argc, char **argv)
{
  if (argc > 1 && strcmp (argv[1], OTHER) == 0)
    return be_other ();
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/step_ends/what has ended is not ended again by its run", test_script_behind);
  g_test_add_func ("/step_ends/what a task leaves has gone at the end", test_left);
  g_test_add_func ("/step_ends/without KillWait nobody is asked", test_no_time);
  g_test_add_func ("/step_ends/who does not hear is killed with the run", test_deaf);
  g_test_add_func ("/step_ends/what is not the user's any more is killed, too", test_not_ours);
  return g_test_run ();
}
