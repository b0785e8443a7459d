/* tests/live/scancel_test.c — scancel: whose end is asked for, in how many requests, and what is
 * told. */
#include "engine/limits.h"
#include "tests/live/client_site.h"

/* Jobs 1 (runs), 2 and 3 (wait) of ada, 4 (waits) of root. */
static ClientSite *
site_with_jobs (void)
{
  ClientSite *site = client_site_new ();
  client_site_run (site, "sbatch -J wide -n6 -t5 --wrap true");
  client_site_run (site, "sbatch -J a -n6 -t5 --wrap true");
  client_site_run (site, "sbatch -J b -n6 -t5 --wrap true");
  client_site_become (site, 0);
  client_site_run (site, "sbatch -J root -n6 -t5 --wrap true");
  client_site_become (site, CONTROL_USER);
  site->request_count = 0;
  return site;
}

static gboolean
is_there (const ClientSite *site, guint32 job_id)
{
  const LkEngine *engine = lk_controller_engine (site->control->core);
  LkJobIndex job = lk_engine_job_index (engine, job_id);
  return job != LK_JOB_NONE;
}

static void
test_ids (void)
{
  g_autoptr (ClientSite) site = site_with_jobs ();
  client_site_expect (site, "scancel 2", 0, "", "");
  g_assert_false (is_there (site, 2));
  client_site_expect (site, "scancel 2 99999", 0, "", "");
  client_site_expect (site, "scancel -v 3", 0, "", "scancel: Terminating job 3\n");
  g_assert_false (is_there (site, 3));
  client_site_expect (site, "scancel 4", 210, "",
                      "scancel: error: Kill job error on job id 4: Access/permission denied\n");
  client_site_expect (site, "scancel -Q 4", 210, "", "");
  g_assert_true (is_there (site, 4));
}

static void
test_wckeys (void)
{
  g_autoptr (ClientSite) site = site_with_jobs ();
  client_site_run (site, "sbatch --wckey=blue -n6 -t5 --wrap true");
  client_site_run (site, "sbatch --wckey=red -n6 -t5 --wrap true");
  client_site_expect (site, "scancel -v --wckey=green", 0, "",
                      "scancel: error: No active jobs match ALL job filters, including: "
                      "wckey=green \n");
  client_site_expect (site, "scancel -v --wckey=green,blue", 0, "", "scancel: Terminating job 5\n");
  g_assert_false (is_there (site, 5));
  g_assert_true (is_there (site, 6));
  g_assert_true (is_there (site, 2));
}

/* What needs no end is told to who asks for more. */
static void
test_told (void)
{
  LkEvent event;
  g_autoptr (ClientSite) site = site_with_jobs ();
  client_site_expect (site, "scancel 99999", 0, "", "");
  client_site_expect (site, "scancel -v 99999", 0, "",
                      "scancel: Terminating job 99999\n"
                      "scancel: error: Kill job error on job id 99999: Invalid job id specified\n");
  client_site_expect (site, "scancel -i 99999", 0, "",
                      "scancel: error: Kill job error on job id 99999: Invalid job id specified\n");
  client_site_expect (site, "scancel -Q -i 99999", 0, "", "");
  client_site_expect (site, "scancel -v -n none -p main", 0, "",
                      "scancel: error: No active jobs match ALL job filters, including: "
                      "job_name=none partition=main \n");
  client_site_expect (site, "scancel -n none", 0, "", "");
  client_site_expect (site, "scancel -v -b -s STOP 1", 0, "",
                      "scancel: Signal 19 to batch job 1\n");
  client_site_last_event (site, &event);
  g_assert_cmpuint (event.signal.batch_only, ==, 1);
  /* A step that is not to end stays, whatever there is of it. */
  site->input = "n\n";
  client_site_expect (site, "scancel -i 1.0", 0,
                      "Cancel step_id=1.0 name=wide partition=main [y/n]? ", "");
}

static void
test_filters (void)
{
  g_autoptr (ClientSite) site = site_with_jobs ();
  client_site_expect (site, "scancel -n a", 0, "", "");
  g_assert_false (is_there (site, 2));
  g_assert_true (is_there (site, 3));
  /* What others have is refused, and then one's own is meant. */
  g_assert_cmpuint (site->request_count, ==, 2);
  client_site_expect (site, "scancel -t PD", 0, "", "");
  g_assert_false (is_there (site, 3));
  g_assert_true (is_there (site, 4));
  site->request_count = 0;
  client_site_become (site, 0);
  client_site_expect (site, "scancel -t PD,R -p main", 0, "", "");
  g_assert_false (is_there (site, 4));
  client_site_expect (site, "scancel -v -n wide", 0, "", "scancel: Terminating job 1\n");
}

/* However many jobs there are, it is one request. */
static void
test_all (void)
{
  g_autoptr (ClientSite) site = client_site_new ();
  for (guint i = 0; i < 50; i++)
    client_site_run (site, "sbatch -t5 --wrap true");
  site->request_count = 0;
  client_site_expect (site, "scancel --me -t PD", 0, "", "");
  g_assert_cmpuint (site->request_count, ==, 1);
  g_assert_false (is_there (site, 50));
}

static void
test_signal (void)
{
  LkEvent event;
  g_autoptr (ClientSite) site = site_with_jobs ();
  client_site_expect (site, "scancel 1 -s USR1", 0, "", "");
  client_site_last_event (site, &event);
  g_assert_cmpuint (event.kind, ==, LK_EVENT_SIGNAL);
  g_assert_cmpuint (event.signal.signal, ==, 10);
  g_assert_cmpuint (event.signal.batch_only, ==, LK_SIGNAL_TO_STEPS);
  client_site_expect (site, "scancel --full 1 -s USR1", 0, "", "");
  client_site_last_event (site, &event);
  g_assert_cmpuint (event.signal.batch_only, ==, LK_SIGNAL_TO_ALL);
  client_site_expect (site, "scancel -b --signal=TERM --me --state=RUNNING", 0, "", "");
  client_site_last_event (site, &event);
  g_assert_cmpuint (event.signal.job_id, ==, 1);
  g_assert_cmpuint (event.signal.signal, ==, 15);
  g_assert_cmpuint (event.signal.batch_only, ==, LK_SIGNAL_TO_BATCH);
}

static void
test_parts (void)
{
  LkEvent event;
  g_autoptr (ClientSite) site = client_site_new ();
  client_site_run (site, "sbatch -a 0-9 -n6 -t5 --wrap true");
  client_site_expect (site, "scancel 1_[3,7-9]", 0, "", "");
  client_site_last_event (site, &event);
  g_assert_cmpuint (event.cancel.job_id, ==, 1);
  g_assert_cmpint (event.cancel.task_list.length_bytes, ==, 5);
  site->input = "n\n";
  client_site_run (site, "scancel -i 1");
  g_assert_true (is_there (site, 1));
  site->input = "y\ny\n";
  client_site_run (site, "scancel -i 1");
  g_assert_false (is_there (site, 1));
}

static void
test_errors (void)
{
  static const struct {
    const char *line;
    int code;
    const char *err;
  } cases[] = {
    { "scancel abc", 1, "scancel: error: Invalid job id abc\n" },
    { "scancel", 1, "scancel: error: No job identification provided\n" },
    { "scancel -s FOO 1", 1, "scancel: error: Unknown job signal: FOO\n" },
    { "scancel -t XX -u root", 1,
      "Invalid job state specified: XX\nValid job states are PENDING, RUNNING, and SUSPENDED\n" },
    { "scancel -u nobody-at-all", 1, "scancel: error: Invalid user name: nobody-at-all\n" },
    { "scancel --nonsense", 1,
      "scancel: unrecognized option '--nonsense'\n"
      "Try \"scancel --help\" for more information\n" },
  };
  g_autoptr (ClientSite) site = client_site_new ();
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    client_site_expect (site, cases[i].line, cases[i].code, "", cases[i].err);
  g_autofree char *name = g_strnfill (70000, 'x');
  g_autofree char *line = g_strdup_printf ("scancel -n %s", name);
  client_site_expect (site, line, 1, "",
                      "scancel: error: an argument is longer than 65535 bytes\n");
  g_assert_cmpuint (site->request_count, ==, 0);
  site->is_down = TRUE;
  client_site_expect (site, "scancel 1", 1, "",
                      "scancel: error: Unable to contact slurm controller (connect failure)\n");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/scancel/what is over or not there is told to who asks for more", test_told);
  g_test_add_func ("/scancel/jobs are picked by their wckey", test_wckeys);
  g_test_add_func ("/scancel/jobs are named by their ids", test_ids);
  g_test_add_func ("/scancel/jobs are picked by what they are", test_filters);
  g_test_add_func ("/scancel/all of somebody's jobs are one request", test_all);
  g_test_add_func ("/scancel/signals go to all of a job, or to its script", test_signal);
  g_test_add_func ("/scancel/parts of a job can be meant, and it can ask", test_parts);
  g_test_add_func ("/scancel/errors are Slurm's", test_errors);
  return g_test_run ();
}
