/* tests/live/client/squeue_test.c — squeue: its options, what is wrong with them in Slurm's words,
 * and jobs whose names would break lines. */
#include <string.h>

#include "tests/live/client_site.h"

/* Jobs 1 (runs), 2 (waits), and tasks 0 to 2 of 3, of ada. */
static ClientSite *
site_with_jobs (void)
{
  ClientSite *site = client_site_new ();
  client_site_run (site, "sbatch -J wide -n6 -t5 --mem=1024 --wrap true");
  client_site_run (site, "sbatch -J later -n2 -t5 --mem=1024 --wrap true");
  client_site_run (site, "sbatch -J many -n1 -t5 -a 0-2 --wrap true");
  return site;
}

static void
test_names_on_lines (void)
{
  g_autoptr (ClientSite) site = client_site_new ();
  client_site_run (site, "sbatch -J 'two\nlines\tmore' --comment 'a\nb' -n1 -t5 --wrap true");
  client_site_expect (site, "squeue -h -o '%i|%j|%k'", 0, "1|two?lines?more|a?b\n", "");
  client_site_expect (site, "squeue -h -O 'JobID:,Name:'", 0, "1two?lines?more\n", "");
}

/* As recorded: the users are told, and the table has no line. */
static void
test_users (void)
{
  g_autoptr (ClientSite) site = site_with_jobs ();
  client_site_expect (site, "squeue -u nosuchuser -o %i", 0, "JOBID\n",
                      "squeue: error: Invalid user: nosuchuser\n\n");
  client_site_expect (site, "squeue -h -u 1001,nosuchuser -o %i -S i -j 1", 0, "1\n",
                      "squeue: error: Invalid user: nosuchuser\n\n");
  client_site_expect (site, "squeue -h --notme -o %i", 0, "", "");
  client_site_become (site, 0);
  client_site_expect (site, "squeue -h --notme -o %i -S i -t R", 0, "1\n", "");
  client_site_expect (site, "squeue -h --me -o %i", 0, "", "");
}

static void
test_columns (void)
{
  g_autoptr (ClientSite) site = site_with_jobs ();
  /* Recorded by others: what is unknown is told, its text or what is behind it stays. */
  client_site_expect (site, "squeue -j 1 -o '%i|%.5?x|%j'", 0, "JOBID|%.5?x|NAME\n1|%.5?x|wide\n",
                      "squeue: error: Invalid job format specification: ?\n");
  client_site_expect (site, "squeue -j 1 -o '%i|%.5'", 0, "JOBID|%.5\n1|%.5\n",
                      "squeue: error: Invalid job format specification: .5\n");
  client_site_expect (site, "squeue -j 1 -O 'jobid:,nosuch:5;,name:6,'", 0,
                      "JOBID;NAME  \n1;wide  \n",
                      "squeue: error: Invalid job format specification: nosuch\n");
  client_site_expect (site, "squeue -h -j 1 -O 'JobID:,Name:%###,State:'", 0, "1wide%###RUNNING\n",
                      "");
  client_site_run (site, "squeue -j 1 -o %all");
  g_assert_nonnull (strstr (site->out, "|NODELIST(REASON)|"));
  g_assert_nonnull (strstr (site->out, "|wide|"));
  g_assert_cmpstr (site->err, ==, "");
  client_site_expect (site, "squeue -h -j 2 -o '%m'", 0, "1G\n", "");
  client_site_expect (site, "squeue -h -j 2 --noconvert -o '%m'", 0, "1024M\n", "");
  client_site_expect (site, "squeue -h -j 1 -O 'tres-alloc:,STDOUT:.30,STDIN:.12'", 0,
                      "cpu=6,mem=3072M,node=3,billing=6"
                      "       /users/ada/slurm-%j.out   /dev/null\n",
                      "");
  client_site_expect (site, "squeue -h -j 1 -o '%H %I %J %O %X %w %z'", 0,
                      "* * * 0 N/A (null) *:*:*\n", "");
}

/* The one cluster by its name; files with what stands for their letters; partitions apart. */
static void
test_more (void)
{
  g_autoptr (ClientSite) site = site_with_jobs ();
  client_site_expect (site, "squeue -M linux -j 1 -o %i", 0, "CLUSTER: linux\nJOBID\n1\n", "");
  client_site_expect (site, "squeue -h -M all -j 1 -O cluster:,name:", 0, "linuxwide\n", "");
  client_site_expect (site, "squeue -h -j 1 --expand-patterns -O STDOUT:,STDERR:", 0,
                      "/users/ada/slurm-1.out/users/ada/slurm-1.out\n", "");
  client_site_expect (site, "squeue -h -j 3 -r --expand-patterns -O STDOUT:.28", 0,
                      "    /users/ada/slurm-3_0.out\n    /users/ada/slurm-3_1.out\n"
                      "    /users/ada/slurm-3_2.out\n",
                      "");
  client_site_expect (site, "squeue --only-job-state -j 1,2", 0,
                      "             JOBID ST\n                 2 PD\n                 1  R\n", "");
  client_site_expect (site, "squeue --only-job-state -h -t all -j 2 -o '%i %t'", 0, "2 PD\n", "");
  client_site_expect (site, "squeue -h --running-under=1 -o %i", 0, "1\n", "");
  client_site_expect (site, "squeue -h --running-over=1 -o %i", 0, "", "");
  client_site_expect (site, "squeue -h -P -j 1 -o '%i %P'", 0, "1 main\n", "");
  client_site_expect (site, "squeue -h --job 1 -o%i --nod 'n[1-3]' --use 1001", 0, "1\n", "");
  client_site_expect (site, "squeue -h -j 1 -O 'NumTasks:,tres-per-task: ,HetJobId:;,exit_code:'",
                      0, "6N/A N/A;0:0\n", "");
  client_site_expect (site,
                      "squeue -h -j 1 -O 'AllocSID:|,AssocID:|,DelayBoot:|,HetJobIDSet:|,"
                      "PreemptTime:|,Profile:|,Requeue:|,ResizeTime:|,SPerBoard:|,BoardsPerNode:'",
                      0, "0|0|0:00|N/A|N/A|NotSet|1|N/A|0|0\n", "");
  client_site_run (site, "squeue -h -j 1 -O StartTime:");
  g_autofree char *start = g_strdup (site->out);
  client_site_expect (site, "squeue -h -j 1 -O LastSchedEval:", 0, start, "");
  client_site_expect (site, "squeue -h -j 1 -o '%i\x1f%j{\"%t\"}'", 0, "1\x1fwide{\"R\"}\n", "");
  client_site_expect (
      site, "squeue -j 1 -h -l", 0,
      "                 1      main     wide     1001  RUNNING       0:00      5:00 "
      "     3 n[1-3]\n",
      "");
}

/* Whatever the order makes of it. */
static void
test_nice (void)
{
  g_autoptr (ClientSite) site = client_site_new ();
  client_site_run (site, "sbatch -n1 -t5 -H --nice=3 --wrap true");
  client_site_run (site, "sbatch -n1 -t5 -H --wrap true");
  client_site_expect (site, "squeue -h -S i -o '%i %y'", 0, "1 3\n2 0\n", "");
  client_site_run (site, "scontrol show job 1");
  g_assert_nonnull (strstr (site->out, " Nice=3 "));
  client_site_run (site, "scontrol update jobid=1 nice=7");
  client_site_expect (site, "squeue -h -j 1 -o %y", 0, "7\n", "");
}

/* As squeue(1) has it of -P: a line for each partition, and theirs goes before the job's own. */
static void
test_partitions (void)
{
  g_autoptr (ClientSite) site = site_with_jobs ();
  client_site_become (site, 0);
  client_site_run (site, "scontrol create partitionname=low priority=2 nodes=n1");
  client_site_run (site, "scontrol create partitionname=high priority=3 nodes=n1");
  client_site_run (site, "sbatch -n1 -t5 -H -p low,high --wrap true");
  client_site_run (site, "sbatch -n1 -t5 -H -p high,main --wrap true");
  client_site_expect (site, "squeue -h -j 4 -o '%i %P'", 0, "4 low,high\n", "");
  client_site_expect (site, "squeue -h -P -S -p,i -j 4,5 -o '%i %P'", 0,
                      "4 high\n5 high\n4 low\n5 main\n", "");
  client_site_expect (site, "squeue -h -P -S p,i -j 4,5 -p high,low -o '%i %P'", 0,
                      "4 low\n4 high\n5 high\n", "");
  client_site_expect (site, "squeue -h -P -j 1 -o '%i %P'", 0, "1 main\n", "");
}

/* Tasks that wait together and are named stand alone, those that there are not nowhere. */
static void
test_tasks (void)
{
  g_autoptr (ClientSite) site = site_with_jobs ();
  client_site_expect (site, "squeue -h -j 3 -o %i", 0, "3_[0-2]\n", "");
  client_site_expect (site, "squeue -h -j 3_1 -o '%i %K'", 0, "3_1 1\n", "");
  client_site_expect (site, "squeue -h -r -j 3_1 -o %i", 0, "3_1\n", "");
  client_site_expect (site, "squeue -h -j 3_0,3_2,3_7 -o %i", 0, "3_[0,2]\n", "");
  client_site_expect (site, "squeue -h -r -j 3_[1-9] -o %i", 0, "3_1\n3_2\n", "");
  client_site_expect (site, "squeue -h -j 3_1,3 -o %i", 0, "3_[0-2]\n", "");
  client_site_expect (site, "squeue -h -j 3_7 -o %i", 0, "", "");
  client_site_expect (site, "squeue -h -r -j 3_7 -o %i", 0, "", "");
  client_site_run (site, "squeue -j 3_1 --json=lockstep");
  g_assert_nonnull (strstr (site->out, "\"array_task\":1,"));
  client_site_run (site, "squeue -j 3_7 --json=lockstep");
  g_assert_null (strstr (site->out, "\"job_id\""));
}

static void
test_steps (void)
{
  g_autoptr (ClientSite) site = site_with_jobs ();
  client_site_expect (site, "squeue -s", 0,
                      "         STEPID     NAME PARTITION     USER      TIME NODELIST\n"
                      "        1.batch    batch      main     1001      0:00 n1\n",
                      "");
  client_site_expect (site, "squeue -h -s 1.batch -O stepid:,JobId:8,StepState:,numcpus:.4", 0,
                      "1.batch1       RUNNING   2\n", "");
  client_site_expect (site,
                      "squeue -s 1.batch -O 'CPUFreq:|,ResvPorts:|,tres-per-step:|,"
                      "tres-per-node:|,tres-per-task:|,mem-per-tres:'",
                      0,
                      "CPU_FREQ|RESERVED_PORTS|TRES_PER_STEP|TRES_PER_JOB|TRES_PER_TASK|"
                      "MEM_PER_TRES\nN/A|(null)|(null)|(null)|(null)|(null)\n",
                      "");
  client_site_expect (site, "squeue -h -s1.0 -o %i", 0, "", "");
  client_site_expect (site, "squeue -h -s -p nosuch", 0, "", "");
  client_site_expect (site, "squeue -h -s -u 1001 -w n1 -j 1 -o '%i %l %A'", 0,
                      "1.batch UNLIMITED 1\n", "");
  client_site_expect (site, "squeue -h -s -j 2", 0, "", "");
  client_site_expect (site, "squeue -s -o %q", 0, "%q\n%q\n",
                      "squeue: error: Invalid job step format specification: q\n");
  g_assert_cmpint (client_site_run (site, "squeue -s --json"), ==, 0);
  g_assert_nonnull (strstr (site->out, "\"id\": \"1.batch\""));
  g_assert_nonnull (strstr (site->out, "\"submit_line\""));
  g_assert_cmpint (client_site_run (site, "squeue -s1.0 --json=lockstep"), ==, 0);
  g_assert_null (strstr (site->out, "1.batch"));
  client_site_expect (site, "squeue -s --json -j", 1, "",
                      "squeue: error: Incompatible options --jobs and --steps\n");
}

static void
test_errors (void)
{
  static const struct {
    const char *line;
    int code;
    const char *err;
  } cases[] = {
    { "squeue --json=foo", 1,
      "squeue: error: --json=foo: expected v0.0.42 to v0.0.45, lockstep or list\n" },
    { "squeue --nosuch", 1,
      "squeue: unrecognized option '--nosuch'\n"
      "Try \"squeue --help\" for more information\n" },
    { "squeue -S i,? -h", 1, "squeue: error: Invalid sort specification: ?\n" },
    { "squeue -i no", 1, "squeue: error: --iterate=no: expected a number of seconds, 1 or more\n" },
    { "squeue -M other", 1,
      "squeue: error: 'other' can't be reached now, or it is an invalid entry for --cluster.  Use "
      "'sacctmgr list clusters' to see available clusters.\n"
      "squeue: fatal: Could not get cluster information\n" },
    { "squeue -l -o %i", 1,
      "squeue: fatal: Options -o(--format) and -l(--long) are mutually exclusive. Please remove "
      "one "
      "and retry.\n" },
    { "squeue --only-job-state -u root", 1,
      "squeue: fatal: Option --only-job-state only works alone, with -j (--jobs) and/or -t "
      "(--states) parameters, parameters for cluster/federation selection, and the printing "
      "options.\n" },
    { "squeue --sta", 1,
      "squeue: option '--sta' is ambiguous; possibilities: '--start' '--states'\n"
      "Try \"squeue --help\" for more information\n" },
    { "squeue --running-over=x", 1, "squeue: fatal: Invalid time limit specification\n" },
    { "squeue -j abc", 1, "squeue: error: Invalid job id: abc\n" },
    { "squeue -j 77", 1, "slurm_load_jobs error: Invalid job id specified\n" },
    { "squeue nonsense", 1,
      "squeue: error: Unrecognized option: nonsense\n"
      "Try \"squeue --help\" for more information\n" },
  };
  g_autoptr (ClientSite) site = site_with_jobs ();
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    client_site_expect (site, cases[i].line, cases[i].code, "", cases[i].err);
  /* One that has ended is known, and not shown. */
  client_site_run (site, "scancel 2");
  client_site_expect (site, "squeue -j 2 -t all -h -o %t", 0, "CA\n", "");
  client_site_expect (site, "squeue -j 2 -o %i", 0, "JOBID\n", "");
  /* A partition that there is not has no jobs; a node that there is not is an error. */
  client_site_expect (site, "squeue -p nosuch -o %i", 0, "JOBID\n", "");
  client_site_expect (site, "squeue -w n1,zz9,zz9 -o %i", 1, "",
                      "squeue: error: Invalid node name zz9\n");
  client_site_expect (site, "squeue -h -w n1,n1 -o %i", 0, "1\n", "");
}

/* What squeue, scontrol and JSON show between SIGSTOP and SIGCONT. */
static void
test_stopped (void)
{
  static const char refused[] =
      "scancel: error: Kill job error on job id 2: Job can not be altered "
      "now, try again later\n";
  g_autoptr (ClientSite) site = site_with_jobs ();
  client_site_expect (site, "scancel -s STOP 1", 0, "", "");
  client_site_expect (site, "squeue -h -j 1 -o '%t %T'", 0, "ST STOPPED\n", "");
  client_site_expect (site, "squeue -h -t st -o %i", 0, "1\n", "");
  client_site_expect (site, "squeue -h -t R -o %i", 0, "", "");
  client_site_run (site, "scontrol show job 1");
  g_assert_nonnull (strstr (site->out, "JobState=STOPPED "));
  client_site_run (site, "squeue -j 1 --json");
  g_assert_nonnull (strstr (site->out, "\"RUNNING\",\n"));
  g_assert_nonnull (strstr (site->out, "\"STOPPED\"\n"));
  client_site_expect (site, "scancel -s CONT 1", 0, "", "");
  client_site_expect (site, "squeue -h -t R -o '%i %T'", 0, "1 RUNNING\n", "");
  client_site_expect (site, "scancel -s STOP 2", 2020 & 0xff, "", refused);
}

/* All three kinds are in --help, each with its reason. */
static void
test_help (void)
{
  g_autoptr (ClientSite) site = client_site_new ();
  g_assert_cmpint (client_site_run (site, "squeue --help"), ==, 0);
  g_assert_nonnull (strstr (site->out, "  -j, --jobs[=VALUE]"));
  g_assert_nonnull (strstr (site->out, "changes nothing: there is one cluster"));
  g_assert_nonnull (strstr (site->out, "steps of jobs, all or these: 7.0"));
  g_assert_cmpint (client_site_run (site, "squeue --helpstate"), ==, 0);
  g_assert_true (g_str_has_prefix (site->out, "pending\nrunning\n"));
  g_assert_cmpint (client_site_run (site, "squeue --helpformat"), ==, 0);
  g_assert_nonnull (strstr (site->out, "%i  JOBID\n"));
  g_assert_cmpuint (site->request_count, ==, 0);
}

static void
test_verbose (void)
{
  g_autoptr (ClientSite) site = site_with_jobs ();
  g_assert_cmpint (client_site_run (site, "squeue -v -j 1 -p batch -h -o %i"), ==, 0);
  g_assert_true (g_str_has_prefix (site->out, "-----------------------------\n"
                                              "all         = true\n"
                                              "array       = false\n"
                                              "federation  = false\n"
                                              "format      = %i\n"
                                              "iterate     = 0\n"
                                              "job_flag    = 1\n"
                                              "jobs        = 1\n"
                                              "licenses    = (null)\n"));
  g_assert_nonnull (strstr (site->out, "\nverbose     = 1\n"
                                       "-----------------------------\n\n\n"));
  g_assert_cmpint (client_site_run (site, "squeue -v --json"), ==, 0);
  g_assert_true (g_str_has_prefix (site->out, "{"));
}

static void
test_arrays (void)
{
  g_autoptr (ClientSite) site = site_with_jobs ();
  client_site_expect (site, "squeue -h -j 3 -o %i", 0, "3_[0-2]\n", "");
  client_site_expect (site, "squeue -h -j3 -r -o %i -S i", 0, "3_0\n3_1\n3_2\n", "");
  client_site_expect (site, "squeue -h --jobs=3 -r --array-unique -o %i -S i", 0, "3_0\n", "");
}

/* Each name of a member with its value as far as the next comma or brace, in order. */
static char *
members (const char *json, const char *name)
{
  GString *found = g_string_new (NULL);
  for (const char *at = strstr (json, name); at != NULL; at = strstr (at + 1, name)) {
    const char *value = at + strlen (name);
    g_string_append_printf (found, "%.*s ", (int)strcspn (value, ",}"), value);
  }
  return g_string_free (found, FALSE);
}

/* Recorded (oracle/rest, get-jobs-44): tasks that were split off come before the record of those
 * that wait; a job that waits has no resources, and the exit code of one that ended well. */
static void
test_json (void)
{
  g_autoptr (ClientSite) site = client_site_new ();
  g_autofree char *environment = g_strdup ("SLURM_JSON=compact");
  char *variables[] = { environment, NULL };
  client_site_run (site, "sbatch -J many -n1 -t5 --mem=10 -a 0-3%2 --wrap true");
  client_site_run (site, "sbatch -J held -H -n3 -t5 --mem=10 --wrap true");
  site->client.environment = variables;
  g_assert_cmpint (client_site_run (site, "squeue --json"), ==, 0);
  g_autofree char *order =
      members (site->out, "\"job_id\":{\"set\":true,\"infinite\":false,\"number\":");
  g_assert_cmpstr (order, ==, "2 3 1 4 ");
  g_autofree char *limits =
      members (site->out, "\"array_max_tasks\":{\"set\":true,\"infinite\":false,\"number\":");
  g_assert_cmpstr (limits, ==, "2 2 2 0 ");
  g_autofree char *nodes =
      members (site->out, "\"max_nodes\":{\"set\":true,\"infinite\":false,\"number\":");
  g_assert_cmpstr (nodes, ==, "0 0 1 3 ");
  g_autofree char *codes = members (site->out, "\"exit_code\":{\"status\":");
  g_assert_cmpstr (codes, ==, "[\"SUCCESS\"] [\"SUCCESS\"] [\"SUCCESS\"] [\"SUCCESS\"] ");
  g_autofree char *resources = members (site->out, "\"job_resources\":");
  g_assert_true (g_str_has_suffix (resources, " null null "));
  /* All cores of the node, by what the job holds of them. */
  g_autofree char *cores = members (site->out, "\"status\":[\"UNALLOCATED\"");
  g_assert_cmpuint (strlen (cores), ==, 2 * (CONTROL_CPUS - 1) * 2);
  /* An order that is asked for wins. */
  client_site_run (site, "squeue --json -S -i");
  g_autofree char *sorted =
      members (site->out, "\"job_id\":{\"set\":true,\"infinite\":false,\"number\":");
  g_assert_cmpstr (sorted, ==, "4 1 3 2 ");
}

int
main (int argc, char **argv)
{
  g_setenv ("TZ", "UTC", TRUE);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/squeue/a name with line breaks stays on its line", test_names_on_lines);
  g_test_add_func ("/squeue/users that there are not are told", test_users);
  g_test_add_func ("/squeue/columns have letters and names", test_columns);
  g_test_add_func ("/squeue/clusters, files and partitions are told as asked", test_more);
  g_test_add_func ("/squeue/nice is what was asked for", test_nice);
  g_test_add_func ("/squeue/partitions have lines, and those of higher tiers come first",
                   test_partitions);
  g_test_add_func ("/squeue/JSON has the order and the values of slurmctld", test_json);
  g_test_add_func ("/squeue/tasks that wait together stand alone when named", test_tasks);
  g_test_add_func ("/squeue/steps are told as asked", test_steps);
  g_test_add_func ("/squeue/errors are Slurm's", test_errors);
  g_test_add_func ("/squeue/help has all kinds of options", test_help);
  g_test_add_func ("/squeue/a job that SIGSTOP was sent to", test_stopped);
  g_test_add_func ("/squeue/with -v options are told first", test_verbose);
  g_test_add_func ("/squeue/tasks are lines, or one is", test_arrays);
  return g_test_run ();
}
