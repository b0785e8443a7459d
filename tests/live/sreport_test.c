/* tests/live/sreport_test.c — sreport: what a played cluster has used, in Slurm's tables; and when
 * its nodes were down (sacctmgr show event). */
#include <string.h>

#include "tests/live/books.h"

#define LINE "--------------------------------------------------------------------------------\n"

static void
books_begin (Books *self)
{
  books_init (self);
  books_play (self);
  books_write_journal (self, G_MAXSIZE);
  books_follow_once (self);
}

#define SPAN " start=1970-01-01 end=1970-01-01T01:00"
#define TITLE(NAME, LENGTH, UNIT)                                                                  \
  LINE NAME " 1970-01-01T00:00:00 - 1970-01-01T00:59:59" LENGTH "\n" UNIT "\n" LINE

/* 1 and 2 have held 1 and 4 CPUs for 10 s, three jobs hold one each for 5 s. */
static void
test_users (void)
{
  g_auto (Books) books = { NULL };
  books_begin (&books);
  client_site_expect (
      books.site, "sreport -t Seconds user top" SPAN, 0,
      TITLE ("Top 10 Users", " (3600 secs)",
             "Usage reported in CPU Seconds") "  Cluster     Login     Proper Name         Account "
                                              "    Used   Energy \n"
                                              "--------- --------- --------------- --------------- "
                                              "-------- -------- \n"
                                              "     site      1001                                 "
                                              "      65        0 \n",
      "");
  client_site_expect (books.site, "sreport -nP -t sec cluster UserUtil" SPAN, 0,
                      "site|1001|||65|0\n", "");
  client_site_expect (books.site, "sreport -np cluster AccountUtil format=login,used" SPAN, 0,
                      "|1|\n1001|1|\n", "");
  client_site_expect (books.site, "sreport -nP -t hours user top users=nobody" SPAN, 0, "", "");
  client_site_expect (books.site, "sreport -nP user top start=1970-01-02 end=1970-01-03", 0, "",
                      "");
}

/* Jobs of two users, two of them with a key. */
static void
test_wckeys (void)
{
  g_auto (Books) books = { NULL };
  books_init (&books);
  client_site_run (books.site, "sbatch -n1 -t5 --wckey=blue --wrap true");
  client_site_run (books.site, "sbatch -n2 -t5 --wckey=blue --wrap true");
  client_site_run (books.site, "sbatch -n1 -t5 --wckey=amber --wrap true");
  client_site_run (books.site, "sbatch -n1 -t5 --wrap true");
  control_wait_beating (books.site->control, 10 * CONTROL_SECOND_US, 7);
  books_write_journal (&books, G_MAXSIZE);
  books_follow_once (&books);
  client_site_expect (books.site, "sreport -nP -t sec cluster WCKeyUtil" SPAN, 0,
                      "site|amber|||10\nsite|amber|1001||10\n"
                      "site|blue|||30\nsite|blue|1001||30\n",
                      "");
  client_site_expect (books.site, "sreport -nP -t sec cluster UserUtilizationByWckey" SPAN, 0,
                      "site|1001||amber|10\nsite|1001||blue|30\n", "");
  client_site_expect (books.site, "sreport -t sec cluster UserUtilizationByWckey wckeys=amber" SPAN,
                      0,
                      TITLE ("Cluster/User/WCKey Utilization", " (3600 secs)",
                             "Usage reported in CPU Seconds") "  Cluster     Login     Proper Name "
                                                              "    WCKey     Used \n"
                                                              "--------- --------- --------------- "
                                                              "--------- -------- \n"
                                                              "     site      1001                 "
                                                              "    amber       10 \n",
                      "");
  client_site_expect (books.site, "sacctmgr show wckey", 0,
                      "     WCKey    Cluster       User \n---------- ---------- ---------- \n"
                      "     amber       site       1001 \n      blue       site       1001 \n",
                      "");
  client_site_expect (books.site, "sacctmgr -nP show wckeys wckeys=blue format=user,wckey", 0,
                      "1001|blue\n", "");
  g_assert_cmpint (client_site_run (books.site, "sacctmgr --json show wckeys wckeys=blue"), ==, 0);
  g_assert_nonnull (strstr (books.site->out, "\"name\": \"blue\""));
  g_assert_nonnull (strstr (books.site->out, "\"user\": \"1001\""));
  g_assert_nonnull (strstr (books.site->out, "\"cluster\": \"site\""));
  g_assert_null (strstr (books.site->out, "amber"));
  client_site_expect (books.site, "sacctmgr show wckeys colour=red", 1, "",
                      " Unknown condition: colour=red\n");
  client_site_expect (books.site, "sreport -nP -t sec job SizesByWckey grouping=2" SPAN, 0,
                      "site|amber|10|0|10|16.67%\nsite|blue|10|20|30|50.00%\n", "");
  client_site_expect (
      books.site, "sreport -t sec job SizesByAccountAndWckey grouping=2" SPAN, 0,
      TITLE ("Job Sizes", " (3600 secs)",
             "Time reported in Seconds") "  Cluster Account                   0-1 CPUs     >= "
                                         "2 CPUs Total Count % of cluster \n"
                                         "--------- -------------------- ------------- "
                                         "------------- ----------- ------------ \n"
                                         "     site :amber                          10         "
                                         "    0          10       16.67% \n"
                                         "     site :blue                           10         "
                                         "   20          30       50.00% \n",
      "");
}

/* What is set aside, and of it what its job holds; all of it, whatever the time of the report. */
static void
test_reservations (void)
{
  g_auto (Books) books = { NULL };
  books_init (&books);
  client_site_become (books.site, 0);
  client_site_run (books.site, "scontrol create reservation reservationname=x starttime=now "
                               "duration=10 nodes=n1 users=root");
  client_site_run (books.site, "sbatch -n1 -t5 --reservation=x --wrap true");
  control_wait_beating (books.site->control, 20 * CONTROL_SECOND_US, 7);
  books_write_journal (&books, G_MAXSIZE);
  books_follow_once (&books);
  client_site_expect (books.site, "sreport -nP -t sec -T cpu,node reservation utilization" SPAN, 0,
                      "site|x|1970-01-01T00:16:40|1970-01-01T00:26:40|cpu|20|1180\n"
                      "site|x|1970-01-01T00:16:40|1970-01-01T00:26:40|node|20|580\n",
                      "");
  client_site_expect (
      books.site, "sreport -t percent reservation util names=x" SPAN, 0,
      TITLE ("Reservation Utilization", "",
             "Usage reported in Percentage of Total") "  Cluster      Name               Start     "
                                                      "            End      TRES Name Allocated    "
                                                      "  Idle \n"
                                                      "--------- --------- ------------------- "
                                                      "------------------- -------------- "
                                                      "--------- --------- \n"
                                                      "     site         x 1970-01-01T00:16:40 "
                                                      "1970-01-01T00:26:40            cpu     "
                                                      "1.67%    98.33% \n",
      "");
  client_site_expect (books.site, "sreport -nP reservation util names=y" SPAN, 0, "", "");
  books_end_run (&books, 0, 1, 1, 0);
  client_site_run (books.site, "scontrol delete reservation=x");
  books_write_journal (&books, G_MAXSIZE);
  books_follow_once (&books);
  /* Given up, it has ended. */
  client_site_expect (books.site,
                      "sreport -nP -t sec reservation util format=name,totaltime,trescount" SPAN, 0,
                      "x|20|2\n", "");
}

static void
test_cluster (void)
{
  g_auto (Books) books = { NULL };
  books_begin (&books);
  const char *begin = "site|65|0|0|";
  g_assert_cmpint (client_site_run (books.site, "sreport -nP -t sec cluster utilization" SPAN), ==,
                   0);
  g_assert_true (g_str_has_prefix (books.site->out, begin));
  /* Six CPUs for the 15 s since the first job came, not since midnight. */
  g_assert_true (g_str_has_suffix (books.site->out, "|90\n"));
  client_site_expect (
      books.site, "sreport -t s cluster util cluster=other" SPAN, 0,
      TITLE ("Cluster Utilization", "",
             "Usage reported in CPU Seconds") "  Cluster Allocate     Down PLND Dow     Idle  "
                                              "Planned Reported \n"
                                              "--------- -------- -------- -------- -------- "
                                              "-------- -------- \n",
      "");
}

/* A node that is down counts as down, from when it is until it is up. */
static void
test_down (void)
{
  g_auto (Books) books = { NULL };
  books_init (&books);
  client_site_become (books.site, 0);
  client_site_expect (books.site, "scontrol update nodename=n3 state=down reason=x", 0, "", "");
  control_wait (books.site->control, 20 * CONTROL_SECOND_US);
  books_write_journal (&books, G_MAXSIZE);
  books_follow_once (&books);
  g_assert_cmpint (
      client_site_run (books.site, "sreport -nP -t sec cluster util" SPAN " format=down,allocated"),
      ==, 0);
  g_autofree char *down = g_strdup_printf ("%u|0\n", 20 * CONTROL_CPUS);
  g_assert_cmpstr (books.site->out, ==, down);
  client_site_expect (books.site, "sacctmgr show event", 0,
                      "   Cluster NodeName                  TimeStart             TimeEnd  State "
                      "                        Reason       User \n"
                      "---------- --------------- ------------------- ------------------- ------ "
                      "------------------------------ ---------- \n"
                      "      site n3              1970-01-01T00:16:40             Unknown   DOWN "
                      "                             x    root(0) \n",
                      "");
  client_site_expect (books.site, "sacctmgr -nP show events nodes=n[1-2]", 0, "", "");
  client_site_expect (books.site, "sacctmgr -nP show event format=node,duration,state", 0,
                      "n3|00:00:20|DOWN\n", "");
  client_site_expect (books.site, "sacctmgr show event colour=red", 1, "",
                      " Unknown condition: colour=red\n");
}

static void
test_sizes (void)
{
  g_auto (Books) books = { NULL };
  books_begin (&books);
  client_site_expect (books.site, "sreport -nP -t sec job sizes grouping=2,4" SPAN, 0,
                      "site||25|0|40|65|72.22%\n", "");
  client_site_expect (books.site, "sreport -nP job sizes printjobcount grouping=2,4" SPAN, 0,
                      "site||4|0|1|5|72.22%\n", "");
  client_site_run (books.site, "sreport job sizesbyaccount grouping=2" SPAN);
  g_assert_nonnull (strstr (books.site->out,
                            "  Cluster   Account      0-1 CPUs     >= 2 CPUs Total Count "
                            "% of cluster \n"
                            "--------- --------- ------------- ------------- ----------- "
                            "------------ \n"));
}

static void
test_wrong (void)
{
  g_auto (Books) books = { NULL };
  books_begin (&books);
  client_site_expect (books.site, "sreport cluster nonsense", 1, "",
                      "Not valid report cluster nonsense\n");
  client_site_expect (books.site, "sreport -t weeks user top", 1, "",
                      "sreport: error: Invalid time format: weeks\n");
  client_site_expect (books.site, "sreport user top start=then", 1, "",
                      " Invalid time specification: then\n");
  client_site_expect (books.site, "sreport user top colour=red", 1, "",
                      " Unknown condition: colour=red\nUse keyword set to modify value\n");
  client_site_expect (books.site, "sreport user top format=colour", 1, "",
                      " Unknown field 'colour'\n");
  client_site_expect (books.site, "sreport -T colour user top", 1, "",
                      "sreport: fatal: No valid TRES given\n");
}

/* A line for each TRES; -T, or SREPORT_TRES where it is not given. */
static void
test_tres (void)
{
  g_auto (Books) books = { NULL };
  books_begin (&books);
  client_site_expect (books.site, "sreport -nP -t sec user top -T CPU,node,colour" SPAN, 0,
                      "site|1001|||cpu|65\nsite|1001|||node|45\n", "");
  client_site_expect (
      books.site, "sreport -t s cluster util -T cpu cluster=other" SPAN, 0,
      TITLE ("Cluster Utilization", "",
             "Usage reported in TRES Seconds") "  Cluster      TRES Name Allocate     Down PLND "
                                               "Dow     Idle  Planned Reported \n"
                                               "--------- -------------- -------- -------- "
                                               "-------- -------- -------- -------- \n",
      "");
  client_site_run (books.site, "sreport -nP -t s cluster util -T cpu,node,gres/gpu" SPAN);
  g_auto (GStrv) lines = g_strsplit (books.site->out, "\n", -1);
  g_assert_cmpuint (g_strv_length (lines), ==, 4);
  g_assert_true (g_str_has_prefix (lines[0], "site|cpu|65|0|0|"));
  g_assert_true (g_str_has_suffix (lines[0], "|90"));
  /* Three nodes with two GPUs each, for 15 s. */
  g_assert_true (g_str_has_suffix (lines[1], "|45"));
  g_assert_true (g_str_has_prefix (lines[2], "site|gres/gpu|0|0|0|"));
  g_assert_true (g_str_has_suffix (lines[2], "|90"));
  client_site_expect (books.site, "sreport -nP -t sec job sizes grouping=2 -T cpu" SPAN, 0,
                      "site||25|40|65|72.22%\n", "");
  client_site_expect (books.site, "sreport -nP -t sec job sizes grouping=2 -T cpu,mem" SPAN, 1, "",
                      " Job report only supports a single --tres type.\n"
                      " Generate a separate report for each TRES type.\n");
  static const char title[] = TITLE ("Job Sizes by Wckey", " (3600 secs)",
                                     "TRES type is cpu\nTime reported in Percentage of Total");
  client_site_run (books.site, "sreport -t percent job sizesbywckey -T cpu" SPAN);
  g_assert_true (g_str_has_prefix (books.site->out, title));
  client_site_run (books.site, "sreport job sizesbywckey printjobcount" SPAN);
  g_assert_nonnull (strstr (books.site->out, "secs)\nUnits are in number of jobs ran\n---"));
  /* Without times: yesterday, and today until one o'clock. */
  client_site_run (books.site, "sreport job sizesbyaccount");
  g_assert_nonnull (strstr (books.site->out, "T00:00:00 - "));
  g_assert_nonnull (strstr (books.site->out, "T00:59:59 (90000 secs)\nTime reported in Minutes\n"));
  char **environment =
      g_environ_setenv (g_strdupv (books.environment), "SREPORT_TRES", "node", TRUE);
  books.site->client.environment = environment;
  client_site_expect (books.site, "sreport -nP -t sec user top" SPAN, 0, "site|1001|||node|45\n",
                      "");
  books.site->client.environment = books.environment;
  g_strfreev (environment);
}

/* What staff say of a job that is over is told when accounting has read it. */
static void
test_admin_comment (void)
{
  g_auto (Books) books = { NULL };
  books_begin (&books);
  client_site_expect (books.site,
                      "sacctmgr -i update job where jobid=1 set AdminComment=JS1:ab=", 1, "",
                      " Error with request: Access/permission denied\n");
  client_site_become (books.site, 0);
  client_site_run (books.site, "sacctmgr -i update job where jobid=1 set AdminComment=JS1:ab=");
  g_assert_cmpstr (books.site->err, ==, "");
  g_assert_true (
      g_str_has_prefix (books.site->out, " Modified jobs...\n  1 submitted at 1970-01-"));
  books_write_journal (&books, G_MAXSIZE);
  books_follow_once (&books);
  client_site_expect (books.site, "sacct -anXP -j 1,2 -o jobid,admincomment -S 1970-01-01", 0,
                      "1|JS1:ab=\n2|\n", "");
  client_site_expect (books.site, "sacctmgr -i modify job jobid=99 set admincomment=x", 1,
                      "  Nothing modified\n", "");
  client_site_expect (books.site, "sacctmgr -i modify job where jobid=x set admincomment=x", 1, "",
                      " Bad jobid x\n");
  client_site_expect (books.site, "sacctmgr -i modify job set admincomment=x", 1, "",
                      " You need to specify at least one jobid\n");
  client_site_expect (books.site, "sacctmgr -i modify job jobid=1", 1, "",
                      " You didn't give me anything to set\n");
}

int
main (int argc, char **argv)
{
  g_setenv ("TZ", "UTC", TRUE);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/sreport/reservations are held", test_reservations);
  g_test_add_func ("/sreport/keys have used something, too", test_wckeys);
  g_test_add_func ("/sreport/who has used what", test_users);
  g_test_add_func ("/sreport/a line for each TRES", test_tres);
  g_test_add_func ("/sreport/sacct tells what staff say of a job", test_admin_comment);
  g_test_add_func ("/sreport/what became of all CPU time", test_cluster);
  g_test_add_func ("/sreport/nodes that were down", test_down);
  g_test_add_func ("/sreport/how large jobs were", test_sizes);
  g_test_add_func ("/sreport/what is wrong is told", test_wrong);
  return g_test_run ();
}
