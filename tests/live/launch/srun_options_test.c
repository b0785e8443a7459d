/* tests/live/launch/srun_options_test.c — srun before there is a step: options, texts, codes; those
 * of Debian's Slurm 22.05 were recorded. */
#include <string.h>

#include "live/client/step/srun.h"
#include "tests/live/client_site.h"

static void
test_wrong (void)
{
  static const struct {
    const char *line;
    int code;
    const char *err;
  } cases[] = {
    { "srun", 1, "srun: fatal: No command given to execute.\n" },
    { "srun -n x true", 1, "srun: error: Invalid numeric value \"x\" for --ntasks.\n" },
    { "srun -W x true", 1, "srun: error: Invalid numeric value \"x\" for --wait.\n" },
    { "srun --open-mode=z true", 255, "srun: error: Invalid --open-mode specification\n" },
    { "srun --multi-prog /nosuch", 1,
      "srun: error: Could not open multi_prog config file /nosuch\n" },
    { "srun --cpu-freq=zz true", 255,
      "srun: error: unrecognized --cpu-freq argument \"zz\"\n"
      "srun: error: Invalid --cpu-freq argument\n" },
    { "srun -w n[1 true", 1,
      "srun: error: Unable to allocate resources: Invalid node name specified\n" },
    { "srun --no true", 255,
      "srun: option '--no' is ambiguous; possibilities: '--no-allocate' '--no-kill' "
      "'--nodefile' '--nodelist' '--nodes'\n"
      "Try \"srun --help\" for more information\n" },
    { "srun --mpi=foo true", 1,
      "srun: error: Invalid MPI type 'foo', --mpi=list for acceptable types\n" },
    { "srun -Y true", 255,
      "srun: invalid option -- 'Y'\nTry \"srun --help\" for more information\n" },
    { "srun --send-libs true", 255,
      "srun: error: --send-libs is not implemented: copy libraries first, with sbcast\n" },
    { "srun -p nosuch true", 1,
      "srun: error: invalid partition specified: nosuch\n"
      "srun: error: Unable to allocate resources: Invalid partition name specified\n" },
    { "srun --jobid=99 true", 1,
      "srun: error: Unable to confirm allocation for job 99: Invalid job id specified\n"
      "srun: Check SLURM_JOB_ID environment variable. Expired or invalid job 99\n" },
  };
  g_autoptr (ClientSite) site = client_site_new ();
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    client_site_expect (site, cases[i].line, cases[i].code, "", cases[i].err);
}

static void
test_list (void)
{
  g_autoptr (ClientSite) site = client_site_new ();
  client_site_expect (site, "srun --mpi=list", 0,
                      "MPI plugin types are...\n\tnone\n\tpmi2\n\tpmix\n"
                      "specific pmix plugin versions available: pmix_v4\n",
                      "");
}

/* Within a job its variables are options, and the job is asked for. */
static void
test_within (void)
{
  static char *variables[] = { (char *)"SLURM_JOB_ID=12", NULL };
  g_autoptr (ClientSite) site = client_site_new ();
  site->client.environment = variables;
  client_site_expect (site, "srun true", 1, "",
                      "srun: error: Unable to confirm allocation for job 12: Invalid job id "
                      "specified\n"
                      "srun: Check SLURM_JOB_ID environment variable. Expired or invalid job 12\n");
}

/* The srun of one component runs as any other, and its program is not passed our variable. */
static void
test_component (void)
{
  static const char *const variables[] = { "A=1", "LOCKSTEP_HET_GROUP=1", "B=2", NULL };
  g_autoptr (ClientSite) site = client_site_new ();
  g_auto (GStrv) environment = g_strdupv ((char **)variables);
  char *argv[] = { (char *)"srun", (char *)"--het-group=1", (char *)"true", NULL };
  int code = -1;
  site->client.environment = environment;
  g_assert_false (lk_srun_het (&site->client, argv, &code));
  g_assert_cmpint (code, ==, -1);
  g_assert_true (site->client.environment == environment);
  g_assert_cmpstr (environment[0], ==, "A=1");
  g_assert_cmpstr (environment[1], ==, "B=2");
  g_assert_null (environment[2]);
}

static void
test_files (void)
{
  g_assert_cmpint (lk_srun_file_of (NULL).kind, ==, LK_SRUN_FILE_ALL);
  g_assert_cmpint (lk_srun_file_of ("ALL").kind, ==, LK_SRUN_FILE_ALL);
  g_assert_cmpint (lk_srun_file_of ("none").kind, ==, LK_SRUN_FILE_NONE);
  g_assert_cmpint (lk_srun_file_of ("17").kind, ==, LK_SRUN_FILE_TASK);
  g_assert_cmpuint (lk_srun_file_of ("17").task, ==, 17);
  g_assert_cmpint (lk_srun_file_of ("out-%j").kind, ==, LK_SRUN_FILE_PATH);
  g_assert_cmpint (lk_srun_file_of ("out-%3t").kind, ==, LK_SRUN_FILE_NODE);
}

static void
test_trial (void)
{
  g_autoptr (ClientSite) site = client_site_new ();
  g_assert_cmpint (client_site_run (site, "srun --test-only -n2 true"), ==, 0);
  g_assert_true (g_str_has_prefix (site->err, "srun: Job 1 to start at "));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/srun/what is wrong is told as Slurm does", test_wrong);
  g_test_add_func ("/srun/--mpi=list", test_list);
  g_test_add_func ("/srun/within a job its variables count", test_within);
  g_test_add_func ("/srun/within a component it runs as any other", test_component);
  g_test_add_func ("/srun/where files are", test_files);
  g_test_add_func ("/srun/--test-only submits nothing", test_trial);
  return g_test_run ();
}
