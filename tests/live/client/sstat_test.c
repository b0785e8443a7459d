/* tests/live/client/sstat_test.c — sstat, told of fixed steps. */
#include <string.h>

#include "engine/job_shown.h"
#include "tests/live/client/record_site.h"

#define COLUMNS "-P -o JobID,MaxRSS,MaxRSSNode,MaxRSSTask,AveRSS,MinCPU,AveCPU,NTasks,Nodelist"
#define HEADING "JobID|MaxRSS|MaxRSSNode|MaxRSSTask|AveRSS|MinCPU|AveCPU|NTasks|Nodelist\n"

static void
add (RecordSite *site, guint32 job_id, guint32 step_id, guint32 counted_tasks)
{
  LkRecord record = { .kind = LK_RECORD_STEP };
  LkRecord_step *step = &record.step;
  step->job_id = job_id;
  step->step_id = step_id;
  step->state = LK_JOB_RUNNING;
  step->task_count = 4;
  step->node_count = 2;
  step->node_names = (LkLongText){ "n[1-2]", 6 };
  step->tres = lk_text ("cpu=4,mem=500M,node=2");
  step->counted_tasks = counted_tasks;
  step->user_cpu_us = 7 * (gint64)G_USEC_PER_SEC;
  step->system_cpu_us = (gint64)G_USEC_PER_SEC;
  step->cpu_min_us = (gint64)G_USEC_PER_SEC;
  step->rss_sum_bytes = 4 << 20;
  step->rss_max_bytes = 3 << 20;
  step->rss_max_node = 1;
  step->rss_max_task = 3;
  record_site_add (site, &record);
}

static RecordSite *
site_new (void)
{
  RecordSite *site = record_site_new ();
  add (site, 7, 0, 4);
  add (site, 7, 2, 0);
  add (site, 7, G_MAXUINT32, 0);
  add (site, 8, G_MAXUINT32, 0);
  return site;
}

static void
test_which (void)
{
  g_autoptr (RecordSite) site = site_new ();
  record_site_expect (site, "sstat -j 7 " COLUMNS, 0,
                      HEADING "7.0|3072K|n2|3|1024K|00:00:01|00:00:02|4|n[1-2]\n", "");
  record_site_expect (site, "sstat -n -P -j7.2 -o JobID,MaxRSS,NTasks", 0, "7.2||4\n", "");
  record_site_expect (site, "sstat -n -P -o JobID,AllocTRES 7", 0, "7.0|cpu=4,mem=500M,node=2\n",
                      "");
  record_site_expect (site, "sstat -n -P -o JobID -j 7.2 8.batch ignored", 0, "8.batch\n7.2\n", "");
  record_site_expect (site, "sstat -n -p -a -j 7,8 -o JobID", 0, "7.0|\n7.2|\n7.batch|\n8.batch|\n",
                      "");
  record_site_expect (site, "sstat -n -P -j 8.batch --format=jobid", 0, "8.batch\n", "");
  record_site_expect (site, "sstat -n -P -j 8,9 --format=jobid", 0, "",
                      "sstat: error: no steps running for job 8\n"
                      "sstat: error: no steps running for job 9\n");
  record_site_expect (site, "sstat -n -P -j 7.1 --format=jobid", 0, "", "");
}

static void
test_layout (void)
{
  g_autoptr (RecordSite) site = site_new ();
  record_site_expect (site, "sstat -j 7.0 -o jobid,maxrss%6,maxrsstask,ntasks --noconvert", 0,
                      "JobID        MaxRSS MaxRSSTask   NTasks \n"
                      "------------ ------ ---------- -------- \n"
                      "7.0           3072K          3        4 \n",
                      "");
  g_assert_cmpint (record_site_run (site, "sstat -j 7.0"), ==, 0);
  g_assert_true (g_str_has_prefix (site->out, "JobID         AllocTRES  MaxVMSize "));
  g_assert_cmpint (record_site_run (site, "sstat --helpformat"), ==, 0);
  g_assert_true (g_str_has_prefix (
      site->out,
      "AllocTRES           AveCPU              AveCPUFreq          AveDiskRead        \n"));
}

static void
test_errors (void)
{
  g_autoptr (RecordSite) site = site_new ();
  record_site_expect (site, "sstat", 1, "", "sstat: error: You didn't give me any jobs to stat.\n");
  record_site_expect (site, "sstat -j x", 1, "", "sstat: fatal: Bad job/step specified: x\n");
  record_site_expect (site, "sstat -j 7.x", 1, "", "sstat: fatal: Bad job/step specified: 7.x\n");
  record_site_expect (site, "sstat -j 7 -o nothing%4", 1, "",
                      "sstat: error: Invalid field requested: \"nothing\"\n");
  record_site_expect (site, "sstat -j 7 more", 1, "",
                      "sstat: fatal: Bad job/step specified: more\n");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/sstat/of a job it is the first step, or all", test_which);
  g_test_add_func ("/sstat/columns have their names and widths", test_layout);
  g_test_add_func ("/sstat/what is wrong is told", test_errors);
  return g_test_run ();
}
