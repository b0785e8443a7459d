/* tests/step/step_pmix_test.c — steps with a PMIx server: programs that are started by srun
 * --mpi=pmix over two nodes find each other. */
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
case_begin (Case *self, gboolean has_two)
{
  self->node = node_new ();
  step_site_init (&self->site, self->node);
  self->node->config.is_emulated = TRUE;
  if (has_two) {
    step_site_add_node (&self->site);
    self->site.second->config.is_emulated = TRUE;
    node_start (self->site.second);
  }
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
launch (Case *self, guint32 task_count, const char *program, const char *argument)
{
  StepJob job;
  step_job_init (&job, &self->site, task_count, "");
  g_byte_array_set_size (job.arguments, 0);
  lk_strings_append (job.arguments, program);
  if (argument != NULL)
    lk_strings_append (job.arguments, argument);
  lk_strings_append (job.environment, "HOME=/tmp");
  job.task.mpi = LK_STEP_MPI_PMIX;
  g_assert_true (step_site_launch (&self->site, 1, &job));
  step_job_clear (&job);
}

static void
wait_tasks (Case *self, guint count)
{
  for (guint i = 0; i < count; i++)
    step_site_wait_task (&self->site, i);
}

static void
check_all (const Case *self, guint count, const char *what)
{
  for (guint i = 0; i < count; i++) {
    g_autofree char *expected = g_strdup_printf ("task %u of %u: %s\n", i, count, what);
    g_assert_cmpstr (self->site.err[i]->str, ==, "");
    g_assert_cmpstr (self->site.out[i]->str, ==, expected);
    g_assert_cmpint (self->site.status[i], ==, 0);
  }
}

/* What each has put is gathered at a fence. */
static void
test_fence (void)
{
  for (int has_two = 0; has_two < 2; has_two++) {
    Case one;
    case_begin (&one, has_two != 0);
    launch (&one, 4, PMIX_CLIENT, "fence");
    wait_tasks (&one, 4);
    check_all (&one, 4, "fence is right");
    case_end (&one);
  }
}

/* An Open MPI program, which says the same. */
static void
test_mpi (void)
{
#ifdef MPI_HELLO
  for (int has_two = 0; has_two < 2; has_two++) {
    Case one;
    case_begin (&one, has_two != 0);
    launch (&one, 4, MPI_HELLO, NULL);
    wait_tasks (&one, 4);
    check_all (&one, 4, "sum is 6");
    case_end (&one);
  }
#else
  g_test_skip ("no mpicc here");
#endif
}

/* What nobody has gathered is asked for, where it is. */
static void
test_modex (void)
{
  Case one;
  case_begin (&one, TRUE);
  launch (&one, 4, PMIX_CLIENT, "modex");
  wait_tasks (&one, 4);
  check_all (&one, 4, "modex is right");
  case_end (&one);
}

/* One that aborts ends all, on all nodes. */
static void
test_abort (void)
{
  Case one;
  case_begin (&one, TRUE);
  launch (&one, 4, PMIX_CLIENT, "abort");
  wait_tasks (&one, 4);
  g_assert_nonnull (strstr (one.site.log->str, "PMIx abort"));
  case_end (&one);
}

/* Nothing of a server stays. */
static void
test_folders (void)
{
  Case one;
  case_begin (&one, FALSE);
  launch (&one, 2, PMIX_CLIENT, "folder");
  wait_tasks (&one, 2);
  step_site_wait_end (&one.site, 0);
  g_strchomp (one.site.out[0]->str);
  g_assert_true (g_str_has_prefix (one.site.out[0]->str, one.node->folder));
  g_assert_true (g_file_test (one.site.out[0]->str, G_FILE_TEST_IS_DIR));
  node_signal (one.node, 1, SIGKILL, FALSE);
  node_wait_end (one.node, 1, LK_STAGE_EPILOG);
  g_assert_false (g_file_test (one.site.out[0]->str, G_FILE_TEST_EXISTS));
  case_end (&one);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  signal (SIGPIPE, SIG_IGN);
  g_test_add_func ("/step_pmix/a fence gathers what tasks have put", test_fence);
  g_test_add_func ("/step_pmix/an Open MPI program runs over nodes", test_mpi);
  g_test_add_func ("/step_pmix/what was not gathered is asked for", test_modex);
  g_test_add_func ("/step_pmix/who aborts ends all", test_abort);
  g_test_add_func ("/step_pmix/a server leaves nothing behind", test_folders);
  return g_test_run ();
}
