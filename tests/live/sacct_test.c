/* tests/live/sacct_test.c — sacct: columns, lines, selections and texts, as a real Slurm prints
 * them (oracle/text/sacct*). */
#include <sqlite3.h>
#include <string.h>

#include "tests/live/books.h"
#include "tests/live/flat_json.h"

#define HEADING                                                                                    \
  "JobID           JobName  Partition    Account  AllocCPUS      State ExitCode \n"                \
  "------------ ---------- ---------- ---------- ---------- ---------- -------- \n"

static void
books_begin (Books *self)
{
  books_init (self);
  books_play (self);
  books_write_journal (self, G_MAXSIZE);
  books_follow_once (self);
}

static void
test_default (void)
{
  g_auto (Books) books = { NULL };
  books_begin (&books);
  client_site_expect (
      books.site, "sacct", 0,
      HEADING "1                  good       main                     1  COMPLETED      0:0 \n"
              "1.batch           batch                                1  COMPLETED      0:0 \n"
              "2                   bad       main                     4     FAILED      2:0 \n"
              "2.batch           batch                                2     FAILED      2:0 \n"
              "3                 never       main                     0 CANCELLED+      0:0 \n"
              "4                  long       main                     1    RUNNING      0:0 \n"
              "4.batch           batch                                1    RUNNING      0:0 \n"
              "5_0                many       main                     1    RUNNING      0:0 \n"
              "5_0.batch         batch                                1    RUNNING      0:0 \n"
              "5_1                many       main                     1    RUNNING      0:0 \n"
              "5_1.batch         batch                                1    RUNNING      0:0 \n",
      "");
  client_site_expect (books.site, "sacct -j 2 -b", 0,
                      "JobID             State ExitCode \n"
                      "------------ ---------- -------- \n"
                      "2                FAILED      2:0 \n"
                      "2.batch          FAILED      2:0 \n",
                      "");
  client_site_expect (books.site, "sacct -j 99999", 0, HEADING, "");
}

static void
test_columns (void)
{
  g_auto (Books) books = { NULL };
  books_begin (&books);
  client_site_expect (books.site, "sacct -j 5,3 -Xn -o jobid%-9,JobIDRaw%5,jobname%3,state%18", 0,
                      "3             3 ne+  CANCELLED by 1001 \n"
                      "5_0           6 ma+            RUNNING \n"
                      "5_1           5 ma+            RUNNING \n",
                      "");
  client_site_expect (
      books.site, "sacct -j 2 -nP -o jobid,nnodes,nodelist,start,end,elapsed,timelimit,cputimeraw",
      0,
      "2|2|n[2-3]|1970-01-01T00:16:40|1970-01-01T00:16:50|00:00:10|00:05:00|40\n"
      "2.batch|1|n2|1970-01-01T00:16:40|1970-01-01T00:16:50|00:00:10||20\n",
      "");
  client_site_expect (
      books.site, "sacct -j 2 -nP -o totalcpu,maxrss,averss,alloctres,reqtres,submitline,workdir",
      0,
      "00:03.500|||billing=4,cpu=4,mem=2G,node=2|billing=4,cpu=4,mem=2G,node=2|"
      "sbatch -J bad -N2 -n4 -t5 --wrap false|/users/ada\n"
      "00:03.500|12K|10K|cpu=2,node=1|||\n",
      "");
  client_site_expect (books.site, "sacct -j 2,1 -nP -o jobid,tresusageinmax,tresusageintot", 0,
                      "1||\n1.batch|cpu=00:00:01,mem=4K|cpu=00:00:01,mem=4K\n2||\n"
                      "2.batch|cpu=00:00:03,gres/gpumem=2048K,gres/gpuutil=80,mem=12K|"
                      "cpu=00:00:03,gres/gpumem=3072K,gres/gpuutil=120,mem=20K\n",
                      "");
  client_site_expect (books.site, "sacct -j 2 -XnP --units=T -o alloctres", 0,
                      "billing=4,cpu=4,mem=0.00T,node=2\n", "");
  client_site_expect (books.site, "sacct -j 2 -XnP --noconvert -o alloctres", 0,
                      "billing=4,cpu=4,mem=2048M,node=2\n", "");
  client_site_expect (books.site, "sacct -j 3 -XnP -o start,end,nodelist,elapsed", 0,
                      "None|1970-01-01T00:16:50|None assigned|00:00:00\n", "");
}

static void
test_gres (void)
{
  g_auto (Books) books = { NULL };
  books_init (&books);
  client_site_run (books.site, "sbatch -N2 -n2 -t5 --mem=100M --gres=gpu:1 --wrap true");
  books_write_journal (&books, G_MAXSIZE);
  books_follow_once (&books);
  client_site_expect (books.site, "sacct -XnP -o reqtres,alloctres", 0,
                      "billing=2,cpu=2,gres/gpu=2,mem=200M,node=2|"
                      "billing=2,cpu=2,gres/gpu=2,mem=200M,node=2\n",
                      "");
}

static void
test_parsable (void)
{
  g_auto (Books) books = { NULL };
  books_begin (&books);
  client_site_expect (books.site, "sacct -j 1.batch -p", 0,
                      "JobID|JobName|Partition|Account|AllocCPUS|State|ExitCode|\n"
                      "1.batch|batch|||1|COMPLETED|0:0|\n",
                      "");
  client_site_expect (books.site, "sacct -XP -o jobid,state --delimiter=; -j 1,3", 0,
                      "JobID;State\n1;COMPLETED\n3;CANCELLED by 1001\n", "");
}

/* The ids of jobs that a selection shows, as "1 2". */
static void
expect_ids (const Books *books, const char *options, const char *ids)
{
  g_autofree char *line = g_strconcat ("sacct -XnP -o jobidraw ", options, NULL);
  g_test_message ("%s", line);
  g_assert_cmpint (client_site_run (books->site, line), ==, 0);
  g_strdelimit (g_strchomp (books->site->out), "\n", ' ');
  g_assert_cmpstr (books->site->out, ==, ids);
}

static void
test_selections (void)
{
  g_auto (Books) books = { NULL };
  books_begin (&books);
  expect_ids (&books, "", "1 2 3 4 6 5");
  expect_ids (&books, "-j 5", "6 5");
  expect_ids (&books, "-j 5_0 -j 1", "1 6");
  expect_ids (&books, "-j 5,6,5_1,1", "1 6 5");
  expect_ids (&books, "-j 5_[0-1],2", "2 6 5");
  expect_ids (&books, "--name long,bad", "2 4");
  expect_ids (&books, "-N n3", "2 5");
  expect_ids (&books, "-r other", "");
  expect_ids (&books, "-u root", "");
  expect_ids (&books, "-u 1001 -r main", "1 2 3 4 6 5");
  expect_ids (&books, "-A physics", "");
  expect_ids (&books, "-M all -j 1", "1");
  /* With states and no time, now. */
  expect_ids (&books, "-s F,CD", "");
  expect_ids (&books, "-s r", "4 6 5");
  expect_ids (&books, "-s CA,FAILED -S 1970-01-01 -E now", "2 3");
  /* With both and no end, the moment of -S. */
  expect_ids (&books, "-s CA,FAILED -S 1970-01-01", "");
  expect_ids (&books, "-s PD -S 1970-01-01-00:16:41 -E now", "3 4 6 5");
  expect_ids (&books, "-S now-1hour", "1 2 3 4 6 5");
  expect_ids (&books, "-S now-2seconds", "4 6 5");
  expect_ids (&books, "-E 1970-01-01T00:16:45", "1 2 3");
}

/* One whom the machine does not know any more is found by the name that is kept with his jobs. */
static void
test_user_who_has_left (void)
{
  g_auto (Books) books = { NULL };
  sqlite3 *db;
  books_begin (&books);
  g_assert_cmpint (sqlite3_open (books.database, &db), ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_exec (db, "UPDATE jobs SET user_name = 'goneuser' WHERE job_id < 3",
                                 NULL, NULL, NULL),
                   ==, SQLITE_OK);
  sqlite3_close (db);
  expect_ids (&books, "-u goneuser", "1 2");
  client_site_expect (books.site, "sacct -u goneusers", 1, "",
                      "sacct: error: Invalid user id: goneusers\n");
}

static void
test_sizes (void)
{
  g_auto (Books) books = { NULL };
  books_begin (&books);
  expect_ids (&books, "-i 2", "2");
  expect_ids (&books, "--nnodes=1-2", "1 2 4 6 5");
  expect_ids (&books, "-I 2-9", "2");
  expect_ids (&books, "-k 5", "1 2 3 4 6 5");
  expect_ids (&books, "-k 6", "");
  expect_ids (&books, "-k 1 -K 00:05:00", "1 2 3 4 6 5");
  expect_ids (&books, "-k 1 -K 4", "");
  expect_ids (&books, "-K 1", "1 2 3 4 6 5");
  expect_ids (&books, "-x 1", "");
  client_site_expect (books.site, "sacct -i many", 1, "",
                      "sacct: error: Invalid count 'many': expected a number, or two with '-' "
                      "between\n");
  client_site_expect (books.site, "sacct -k soon", 1, "",
                      "sacct: error: Invalid time limit 'soon': expected minutes, or "
                      "[D-]HH:MM:SS\n");
}

/* Of a script: as they were asked for, and as it finds them. */
static void
test_files (void)
{
  g_auto (Books) books = { NULL };
  books_init (&books);
  client_site_run (books.site, "sbatch -J one -n1 -t5 -o %x-%j.%N -e errors --wrap true");
  client_site_run (books.site, "sbatch -J many -n1 -t5 -a 3 -i /in --wrap true");
  control_wait_beating (books.site->control, 5 * CONTROL_SECOND_US, 7);
  books_write_journal (&books, G_MAXSIZE);
  books_follow_once (&books);
  client_site_expect (books.site, "sacct -XnP -o jobid,stdin,stdout,stderr", 0,
                      "1|/dev/null|/users/ada/%x-%j.%N|/users/ada/errors\n"
                      "2_3|/in|/users/ada/slurm-%A_%a.out|/users/ada/slurm-%A_%a.out\n",
                      "");
  client_site_expect (books.site, "sacct -XnP --expand-patterns -o stdout,stderr", 0,
                      "/users/ada/one-1.n1|/users/ada/errors\n"
                      "/users/ada/slurm-2_3.out|/users/ada/slurm-2_3.out\n",
                      "");
}

/* A task that is cancelled before it has an id has a line of its own; the others wait on. */
static void
test_lost_tasks (void)
{
  g_auto (Books) books = { NULL };
  books_init (&books);
  client_site_run (books.site, "sbatch -J many -n1 -t5 -H -a 0-7 --wrap true");
  control_wait_beating (books.site->control, 5 * CONTROL_SECOND_US, 7);
  client_site_run (books.site, "scancel 1_[2,5]");
  books_write_journal (&books, G_MAXSIZE);
  books_follow_once (&books);
  client_site_expect (books.site, "sacct -j 1 -nP -o jobid,state,end", 0,
                      "1_2|CANCELLED by 1001|1970-01-01T00:16:45\n"
                      "1_5|CANCELLED by 1001|1970-01-01T00:16:45\n"
                      "1_[0-1,3-4,6-7]|PENDING|Unknown\n",
                      "");
  client_site_expect (books.site, "sacct -j 1_5 -nP -o jobid", 0, "1_5\n", "");
  client_site_run (books.site, "scancel 1_[0-7]");
  books_write_journal (&books, G_MAXSIZE);
  books_follow_once (&books);
  client_site_expect (books.site, "sacct -j 1 -nP -o jobid,state", 0,
                      "1_2|CANCELLED by 1001\n1_5|CANCELLED by 1001\n"
                      "1_[0-1,3-4,6-7]|CANCELLED by 1001\n",
                      "");
}

/* Others' jobs are shown to who asks for them: this is what Slurm does without PrivateData. */
static void
test_users (void)
{
  g_auto (Books) books = { NULL };
  books_begin (&books);
  client_site_become (books.site, CONTROL_USER + 1);
  expect_ids (&books, "", "");
  expect_ids (&books, "-a -s r", "4 6 5");
  expect_ids (&books, "-j 1", "1");
  client_site_become (books.site, 0);
  expect_ids (&books, "-s r", "4 6 5");
}

static void
test_requeued (void)
{
  g_auto (Books) books = { NULL };
  books_init (&books);
  client_site_run (books.site, "sbatch -J twice -n1 -t5 --requeue --wrap true");
  control_wait_beating (books.site->control, 5 * CONTROL_SECOND_US, 7);
  control_order (books.site->control, 600, LK_EVENT_REQUEUE, 1);
  books_write_journal (&books, G_MAXSIZE);
  books_follow_once (&books);
  client_site_expect (books.site, "sacct -nP -o jobid,state,restarts", 0, "1|PENDING|1\n", "");
  client_site_expect (books.site, "sacct -nPD -o jobid,state,restarts", 0,
                      "1|REQUEUED|0\n1.batch|CANCELLED|\n1|PENDING|1\n", "");
}

/* A job that is held was at no time there, unless it is named; it has no priority, and the reason
 * is that of the wait before the start. */
/* What a job was submitted with, and its times cut to those that are asked for. */
static void
test_scripts (void)
{
  static const char script[] = "#!/bin/sh\n# This script was created by sbatch --wrap.\n\ntrue\n";
  static const char line[] =
      "--------------------------------------------------------------------------------\n";
  g_auto (Books) books = { NULL };
  books_init (&books);
  g_autofree char *told = g_strconcat ("Batch Script for 1\n", line, script, NULL);
  client_site_run (books.site, "sbatch -J one -n1 -t5 --wrap true");
  control_wait_beating (books.site->control, 5 * CONTROL_SECOND_US, 7);
  books_write_journal (&books, G_MAXSIZE);
  books_follow_once (&books);
  client_site_expect (books.site, "sacct -B -j 1", 0, told, "");
  client_site_expect (books.site, "sacct -nB -j 1", 0, script, "");
  client_site_expect (books.site, "sacct -nB -j 7", 0, "", "");
  g_assert_cmpint (client_site_run (books.site, "sacct --env-vars -j 1"), ==, 0);
  g_assert_true (g_str_has_prefix (books.site->out,
                                   "Environment used for 1 (must be batch to display)\n-----"));
  client_site_expect (books.site, "sacct -B --env-vars -j 1", 1, "",
                      "sacct: fatal: Options --batch-script and --env-vars are mutually "
                      "exclusive\n");
  client_site_expect (books.site, "sacct -nPX -j 1 -o end", 0, "Unknown\n", "");
  g_assert_cmpint (client_site_run (books.site, "sacct -nPXT -j 1 -o end"), ==, 0);
  g_assert_true (g_str_has_prefix (books.site->out, "1970-01-01T00:"));
}

static void
test_held (void)
{
  g_auto (Books) books = { NULL };
  books_init (&books);
  client_site_run (books.site, "sbatch -J held -H -n1 -t5 --wrap true");
  books_write_journal (&books, G_MAXSIZE);
  books_follow_once (&books);
  client_site_expect (books.site, "sacct -nPX -o jobid", 0, "", "");
  client_site_expect (books.site, "sacct -j 1 -nPX -o jobid,eligible,priority,reason,flags", 0,
                      "1|Unknown|0|None|StartReceived\n", "");
  /* It does not wait for nodes, which is what is asked for by the state. */
  client_site_expect (books.site, "sacct -j 1 -nPX -s PD -o jobid", 0, "", "");
  control_wait_beating (books.site->control, 20 * CONTROL_SECOND_US, 7);
  client_site_run (books.site, "scontrol release 1");
  books_write_journal (&books, G_MAXSIZE);
  books_follow_once (&books);
  client_site_expect (books.site, "sacct -nPX -o jobid,submit,eligible,start,reason", 0,
                      "1|1970-01-01T00:16:40|1970-01-01T00:17:00|1970-01-01T00:17:00|JobHeldUser\n",
                      "");
  client_site_expect (books.site, "sacct -j 1 -nPX -s PD -S 1970-01-01T00:16:40 -E now -o jobid", 0,
                      "1\n", "");
  client_site_expect (
      books.site, "sacct -j 1 -nPX -s PD -S 1970-01-01T00:16:40 -E 1970-01-01T00:16:50 -o jobid", 0,
      "", "");
}

/* A job that starts within a second runs in that second, and one that begins then did not wait. */
static void
test_seconds (void)
{
  g_auto (Books) books = { NULL };
  books_init (&books);
  control_wait_beating (books.site->control, CONTROL_SECOND_US / 2, 7);
  client_site_run (books.site, "sbatch -n1 -t5 --wrap true");
  control_wait_beating (books.site->control, 20 * CONTROL_SECOND_US, 7);
  books_write_journal (&books, G_MAXSIZE);
  books_follow_once (&books);
  client_site_expect (books.site, "sacct -nPX -o start", 0, "1970-01-01T00:16:40\n", "");
  expect_ids (&books, "-s R -S 1970-01-01T00:16:40", "1");
  expect_ids (&books, "-s PD -S 1970-01-01T00:16:40", "");
  expect_ids (&books, "-s R -S 1970-01-01T00:16:39", "");
  client_site_expect (books.site, "sacct -S 1970-01-01T00:16:50 -E 1970-01-01T00:16:49", 1, "",
                      "sacct: error: Start time (1970-01-01T00:16:50) requested is after end time "
                      "(1970-01-01T00:16:49).\n");
}

/* What was asked for, without what whole nodes add to it. */
static void
test_asked (void)
{
  g_auto (Books) books = { NULL };
  books_init (&books);
  client_site_run (books.site, "sbatch -N2 --exclusive -t5 --wrap true");
  books_write_journal (&books, G_MAXSIZE);
  books_follow_once (&books);
  client_site_expect (books.site, "sacct -nPX -o reqcpus,reqnodes,reqtres,alloccpus", 0,
                      "2|2|billing=2,cpu=2,mem=2G,node=2|4\n", "");
}

static void
test_faults (void)
{
  g_auto (Books) books = { NULL };
  books_init (&books);
  g_assert_cmpint (client_site_run (books.site, "sacct"), ==, 1);
  g_assert_true (g_str_has_prefix (books.site->err, "Slurm accounting storage is disabled\n"));
  books_play (&books);
  books_write_journal (&books, G_MAXSIZE);
  books_follow_once (&books);
  g_assert_cmpint (client_site_run (books.site, "sacct -X -P -o ALL"), ==, 0);
  g_assert_true (g_str_has_prefix (books.site->out, "Account|AdminComment|"));
  g_assert_nonnull (strstr (books.site->out, "|WCKeyID|WorkDir\n"));
  client_site_expect (books.site, "sacct -o nosuch", 1, "",
                      "sacct: error: Invalid field requested: \"nosuch\"\n");
  client_site_expect (books.site, "sacct -S notatime", 1, "",
                      "Invalid time specification (pos=0): notatime\n");
  client_site_expect (books.site, "sacct -s nonsense", 1, "",
                      "sacct: fatal: unrecognized job state value nonsense\n");
  client_site_expect (books.site, "sacct -u 1001,nosuchuser", 1, "",
                      "sacct: error: Invalid user id: nosuchuser\n");
  client_site_expect (books.site, "sacct -g nosuchgroup", 1, "",
                      "sacct: error: Invalid group id: nosuchgroup\n");
  client_site_expect (books.site, "sacct -j x", 1, "", "sacct: error: Invalid job id: x\n");
  client_site_expect (books.site, "sacct --units=Q", 1, "", "sacct: fatal: Invalid unit type\n");
  client_site_expect (
      books.site, "sacct -B", 1, "",
      "sacct: fatal: When requesting job scripts you must also request specific jobs "
      "with the '-j' option.\n");
  client_site_expect (books.site, "sacct -l -o jobid", 1, "",
                      "sacct: fatal: Options -o(--format) and -l(--long) are mutually exclusive. "
                      "Please remove one and retry.\n");
  client_site_expect (books.site, "sacct --format=Allocgres", 1, "",
                      "sacct: fatal: AllocGRES has been removed, please use AllocTRES\n");
  client_site_expect (books.site, "sacct -V", 0, "slurm 26.05.3\n", "");
}

static void
test_json (void)
{
  g_auto (Books) books = { NULL };
  books_begin (&books);
  g_assert_cmpint (client_site_run (books.site, "sacct --json -j 2"), ==, 0);
  flat_json (books.site->out);
  g_assert_nonnull (strstr (books.site->out, "\"job_id\":2,\"name\":\"bad\""));
  g_assert_nonnull (strstr (books.site->out, "\"state\":{\"current\":[\"FAILED\"]"));
  g_assert_nonnull (strstr (books.site->out, "\"id\":\"2.batch\""));
  g_assert_nonnull (strstr (books.site->out, "{\"type\":\"mem\",\"name\":\"\",\"id\":2,"
                                             "\"count\":2048}"));
}

/* What the script of Slurm's contribs prints of the same numbers. */
static void
test_seff (void)
{
  g_auto (Books) books = { NULL };
  books_begin (&books);
  client_site_expect (books.site, "seff 2", 0,
                      "Job ID: 2\nCluster: site\nUser/Group: 1001/1001\n"
                      "State: FAILED (exit code 2)\nNodes: 2\nCores per node: 2\n"
                      "CPU Utilized: 00:00:04\n"
                      "CPU Efficiency: 10.00% of 00:00:40 core-walltime\n"
                      "Job Wall-clock time: 00:00:10\nMemory Utilized: 20.00 KB\n"
                      "Memory Efficiency: 0.00% of 2.00 GB (1.00 GB/node)\n"
                      "The task which had the largest memory consumption differs by 120.00% from "
                      "the average task max memory consumption\n",
                      "");
  client_site_expect (books.site, "seff 99", 2, "", "Job not found.\n");
  client_site_expect (books.site, "seff x", 2, "", "Job not found.\n");
  client_site_expect (books.site, "seff -v", 1, "seff Version 2.1\n", "");
  g_assert_cmpint (client_site_run (books.site, "seff"), ==, 1);
  g_assert_true (g_str_has_prefix (books.site->out, "Usage: seff [Options] <Jobid>\n"));
  g_assert_cmpint (client_site_run (books.site, "seff 4"), ==, 0);
  g_assert_nonnull (strstr (books.site->out, "\nState: RUNNING\n"));
  g_assert_nonnull (strstr (books.site->out, "\nWARNING: Efficiency statistics can only"));
}

/* Run time does not count while a job is suspended: before its resume, after it, and at its end. */
static void
test_suspended (void)
{
  static const char line[] = "sacct -XnP -j 4 -o State,Elapsed,Suspended";
  g_auto (Books) books = { NULL };
  books_begin (&books);
  ControlSite *control = books.site->control;
  client_site_become (books.site, 0);
  client_site_run (books.site, "scontrol suspend 4");
  control_wait_beating (control, 40 * CONTROL_SECOND_US, 7);
  books_write_journal (&books, G_MAXSIZE);
  books_follow_once (&books);
  client_site_expect (books.site, line, 0, "SUSPENDED|00:00:05|00:00:40\n", "");
  client_site_run (books.site, "scontrol resume 4");
  control_wait_beating (control, 10 * CONTROL_SECOND_US, 7);
  books_write_journal (&books, G_MAXSIZE);
  books_follow_once (&books);
  client_site_expect (books.site, line, 0, "RUNNING|00:00:15|00:00:40\n", "");
  client_site_run (books.site, "scontrol suspend 4");
  control_wait_beating (control, 20 * CONTROL_SECOND_US, 7);
  books_end_run (&books, 0, 3, 4, 0);
  control_wait_beating (control, 20 * CONTROL_SECOND_US, 7);
  books_write_journal (&books, G_MAXSIZE);
  books_follow_once (&books);
  client_site_expect (books.site, line, 0, "COMPLETED|00:00:15|00:01:00\n", "");
}

static void
test_help_format (void)
{
  g_auto (Books) books = { NULL };
  books_init (&books);
  g_assert_cmpint (client_site_run (books.site, "sacct -e"), ==, 0);
  g_assert_true (g_str_has_prefix (books.site->out, "Account             AdminComment "));
  g_assert_cmpint (client_site_run (books.site, "sacct --help"), ==, 0);
}

int
main (int argc, char **argv)
{
  g_setenv ("TZ", "UTC", TRUE);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/sacct/a user who has left is known by his jobs", test_user_who_has_left);
  g_test_add_func ("/sacct/what a job was submitted with is told", test_scripts);
  g_test_add_func ("/sacct/jobs are chosen by their size", test_sizes);
  g_test_add_func ("/sacct/the files of a script are told", test_files);
  g_test_add_func ("/sacct/tasks that were cancelled while they waited are told", test_lost_tasks);
  g_test_add_func ("/sacct/a job and its step are lines", test_default);
  g_test_add_func ("/sacct/columns have names and widths", test_columns);
  g_test_add_func ("/sacct/devices are TRES", test_gres);
  g_test_add_func ("/sacct/parsable lines are not cut", test_parsable);
  g_test_add_func ("/sacct/jobs are selected", test_selections);
  g_test_add_func ("/sacct/users see their own unless they ask for others", test_users);
  g_test_add_func ("/sacct/runs before a requeue are shown by -D", test_requeued);
  g_test_add_func ("/sacct/a job is where it was in whole seconds", test_seconds);
  g_test_add_func ("/sacct/a held job is not eligible", test_held);
  g_test_add_func ("/sacct/what was asked for is told as it was", test_asked);
  g_test_add_func ("/sacct/what is wrong is told", test_faults);
  g_test_add_func ("/sacct/JSON has Slurm's members", test_json);
  g_test_add_func ("/sacct/seff prints what Slurm's script does", test_seff);
  g_test_add_func ("/sacct/time in which a job was suspended is apart", test_suspended);
  g_test_add_func ("/sacct/columns are listed", test_help_format);
  return g_test_run ();
}
