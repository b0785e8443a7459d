/* tests/step/step_pmix_test.c — steps with a PMIx server: programs that are started by srun
 * --mpi=pmix over two nodes find each other. */
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/step/mpi_case.h"

/* What each has put is gathered at a fence. */
static void
test_fence (void)
{
  for (int has_two = 0; has_two < 2; has_two++) {
    MpiCase one;
    mpi_case_begin (&one, LK_STEP_MPI_PMIX, has_two != 0);
    mpi_case_play (&one, 4, PMIX_CLIENT, "fence");
    mpi_case_check (&one, 4, "fence is right");
    mpi_case_end (&one);
  }
}

/* An Open MPI program, which says the same. */
static void
test_mpi (void)
{
#ifdef MPI_HELLO
  for (int has_two = 0; has_two < 2; has_two++) {
    MpiCase one;
    mpi_case_begin (&one, LK_STEP_MPI_PMIX, has_two != 0);
    mpi_case_play (&one, 4, MPI_HELLO, NULL);
    mpi_case_check (&one, 4, "sum is 6");
    mpi_case_end (&one);
  }
#else
  g_test_skip ("no mpicc here");
#endif
}

/* What nobody has gathered is asked for, where it is. */
static void
test_modex (void)
{
  MpiCase one;
  mpi_case_begin (&one, LK_STEP_MPI_PMIX, TRUE);
  mpi_case_play (&one, 4, PMIX_CLIENT, "modex");
  mpi_case_check (&one, 4, "modex is right");
  mpi_case_end (&one);
}

/* One that aborts ends all, on all nodes. */
static void
test_abort (void)
{
  MpiCase one;
  mpi_case_begin (&one, LK_STEP_MPI_PMIX, TRUE);
  mpi_case_play (&one, 4, PMIX_CLIENT, "abort");
  g_assert_nonnull (strstr (one.site.log->str, "PMIx abort"));
  mpi_case_end (&one);
}

/* Nothing of a server stays. */
static void
test_folders (void)
{
  MpiCase one;
  mpi_case_begin (&one, LK_STEP_MPI_PMIX, FALSE);
  mpi_case_play (&one, 2, PMIX_CLIENT, "folder");
  step_site_wait_end (&one.site, 0);
  g_strchomp (one.site.out[0]->str);
  g_assert_true (g_str_has_prefix (one.site.out[0]->str, one.node->folder));
  g_assert_true (g_file_test (one.site.out[0]->str, G_FILE_TEST_IS_DIR));
  node_signal (one.node, 1, SIGKILL, FALSE);
  node_wait_end (one.node, 1, LK_STAGE_EPILOG);
  g_assert_false (g_file_test (one.site.out[0]->str, G_FILE_TEST_EXISTS));
  mpi_case_end (&one);
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
