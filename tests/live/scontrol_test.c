/* tests/live/scontrol_test.c — scontrol: what each command asks for, and what is told. */
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include "tests/live/client_site.h"

static LkEvent
last (const ClientSite *site)
{
  LkEvent event;
  client_site_last_event ((ClientSite *)site, &event);
  return event;
}

static gboolean
says (LkText text, const char *expected)
{
  return text.length_bytes == strlen (expected)
         && memcmp (text.bytes, expected, text.length_bytes) == 0;
}

/* Jobs 1 (runs) and 2 (waits) of ada, asked by her. */
static ClientSite *
site_with_jobs (void)
{
  ClientSite *site = client_site_new ();
  client_site_run (site, "sbatch -J wide -n6 -t5 --nice=10 --wrap true");
  client_site_run (site, "sbatch -J a -N1-2 -n2 -c1 -t5 --wrap true");
  return site;
}

static void
test_jobs (void)
{
  g_autoptr (ClientSite) site = site_with_jobs ();
  client_site_expect (site, "scontrol hold 2", 0, "", "");
  g_assert_cmpuint (last (site).kind, ==, LK_EVENT_HOLD);
  client_site_expect (site, "scontrol release jobname=a", 0, "", "");
  g_assert_cmpuint (last (site).kind, ==, LK_EVENT_RELEASE);
  g_assert_cmpuint (last (site).release.by_user, ==, 1);
  client_site_expect (site, "scontrol hold 1", 0, "", "");
  client_site_expect (site, "scontrol release 1", 0, "", "");
  /* Recorded: what holds and releases says it once more, the others do not. */
  client_site_expect (site, "scontrol suspend 1", 1, "", "Access/permission denied for job 1\n");
  client_site_expect (site, "scontrol hold 77", 1, "",
                      "Invalid job id specified for job 77\n"
                      "slurm_suspend error:Invalid job id specified\n");
  client_site_become (site, 0);
  client_site_run (site, "scontrol hold 2");
  client_site_become (site, CONTROL_USER);
  client_site_expect (site, "scontrol release 2", 1, "",
                      "Access/permission denied for job 2\n"
                      "slurm_suspend error:Access/permission denied\n");
  client_site_become (site, 0);
  client_site_expect (site, "scontrol suspend 2", 1, "", "Job is pending execution for job 2\n");
  client_site_expect (site, "scontrol requeue 2", 1, "", "Job is pending execution for job 2\n");
  client_site_expect (site, "scontrol resume 1", 1, "", "Job is not suspended for job 1\n");
  client_site_expect (site, "scontrol suspend 1", 0, "", "");
  client_site_expect (site, "scontrol suspend 1", 0, "", "");
  client_site_expect (site, "scontrol suspend 1,2", 1, "", "Job is pending execution for job 2\n");
  client_site_expect (site, "scontrol resume 1", 0, "", "");
  /* Only of jobs that have begun and not ended. */
  client_site_expect (site, "scontrol requeue incomplete 2", 0, "", "");
  g_assert_cmpuint (last (site).kind, !=, LK_EVENT_REQUEUE);
  client_site_expect (site, "scontrol requeue Incomplete 77", 1, "",
                      "Invalid job id specified for job 77\n");
  client_site_expect (site, "scontrol requeuehold incomplete state=SpecialExit 1,2", 0, "", "");
  g_assert_cmpuint (last (site).requeue.hold, ==, 2);
  g_assert_cmpuint (last (site).requeue.job_id, ==, 1);
}

/* Of an array, too, but for tasks that wait. */
static void
test_suspend_twice (void)
{
  g_autoptr (ClientSite) site = client_site_new ();
  client_site_expect (site, "sbatch --parsable -n1 -t5 -a 0-2%2 --wrap true", 0, "1\n", "");
  client_site_become (site, 0);
  client_site_expect (site, "scontrol suspend 1_[0-1]", 0, "", "");
  client_site_expect (site, "scontrol suspend 1_1", 0, "", "");
  client_site_expect (site, "scontrol suspend 1_[0-1]", 0, "", "");
  client_site_expect (site, "scontrol suspend 1_2", 1, "",
                      "Job is pending execution for job 1_2\n");
  client_site_expect (site, "scontrol suspend 1", 1, "", "Job is pending execution for job 1\n");
  client_site_expect (site, "squeue -h -r -o %t", 0, "PD\nS\nS\n", "");
}

/* Slurm's counting: run time, and what is left of the limit, stop while the job is suspended; its
 * end moves at the resume. */
static void
test_suspend_times (void)
{
  g_autoptr (ClientSite) site = client_site_new ();
  static const char times[] = "squeue -h -j 1 -o '%t %M %L'";
  client_site_run (site, "sbatch -n1 -t5 --wrap true");
  client_site_become (site, 0);
  control_wait_beating (site->control, 20 * CONTROL_SECOND_US, 7);
  client_site_expect (site, times, 0, "R 0:20 4:40\n", "");
  client_site_run (site, "scontrol show job 1");
  g_assert_nonnull (strstr (site->out, " SuspendTime=None SecsPreSuspend=0 "));
  client_site_run (site, "squeue -h -j 1 -o %e");
  g_autofree char *end = g_strdup (site->out);

  client_site_expect (site, "scontrol suspend 1", 0, "", "");
  control_wait_beating (site->control, 40 * CONTROL_SECOND_US, 7);
  client_site_expect (site, times, 0, "S 0:20 4:40\n", "");
  client_site_expect (site, "squeue -h -j 1 -o %e", 0, end, "");
  client_site_run (site, "scontrol show job 1");
  g_assert_nonnull (strstr (site->out, " RunTime=00:00:20 "));
  g_assert_nonnull (strstr (site->out, " SecsPreSuspend=20 "));
  g_assert_null (strstr (site->out, "SuspendTime=None"));
  client_site_run (site, "squeue --json -j 1");
  const char *ran = strstr (site->out, "\"pre_sus_time\": {");
  g_assert_nonnull (ran);
  g_assert_true (g_str_has_prefix (strstr (ran, "\"number\""), "\"number\": 20\n"));

  client_site_expect (site, "scontrol resume 1", 0, "", "");
  control_wait_beating (site->control, 5 * CONTROL_SECOND_US, 7);
  client_site_expect (site, times, 0, "R 0:25 4:35\n", "");
  client_site_run (site, "squeue -h -j 1 -o %e");
  g_assert_cmpstr (site->out, !=, end);
  client_site_run (site, "scontrol show job 1");
  g_assert_nonnull (strstr (site->out, " SecsPreSuspend=20 "));
}

static void
test_requeuehold (void)
{
  g_autoptr (ClientSite) site = site_with_jobs ();
  client_site_become (site, 0);
  client_site_expect (site, "scontrol requeuehold 1", 0, "", "");
  g_assert_cmpuint (last (site).requeue.hold, ==, 1);
}

static void
test_update (void)
{
  g_autoptr (ClientSite) site = site_with_jobs ();
  client_site_expect (site, "scontrol update jobid=2 numtasks=3 name=b", 0, "", "");
  g_assert_cmpuint (last (site).update.procs, ==, 3);
  client_site_expect (site, "scontrol update JobId=2 NumNodes=1", 0, "", "");
  g_assert_cmpuint (last (site).update.nodes_max, ==, 2);
  /* Key and value may be two words. */
  client_site_expect (site, "scontrol update jobid 2 numtasks 2 name=b", 0, "", "");
  g_assert_cmpuint (last (site).update.procs, ==, 2);
  client_site_expect (site, "scontrol update job=1 timelimit-=2", 0, "", "");
  g_assert_cmpint (last (site).update.estimate_us, ==, 180 * CONTROL_SECOND_US);
  client_site_expect (site, "scontrol update jobid=2 starttime=2099-01-02T03:04:05", 0, "", "");
  g_assert_cmpint (last (site).update.begin_us, ==,
                   G_GINT64_CONSTANT (4071006245) * CONTROL_SECOND_US);
  /* Which is no moment is not taken for this one, in which the job would start. */
  client_site_expect (site, "scontrol update jobid=2 starttime=tomorow", 1, "",
                      "Invalid time specification (pos=0): tomorow\nRequest aborted\n");
  client_site_expect (site, "scontrol update jobid=2 deadline=now+1zz", 1, "",
                      "Invalid time specification (pos=0): now+1zz\nRequest aborted\n");
  client_site_expect (site, "scontrol update jobid=2 starttime=now+1hour", 0, "", "");
  client_site_expect (site, "scontrol update jobid=1 timelimit=99", 1, "",
                      "Access/permission denied for job 1\n");
  /* A stranger may not change the job at all; staff and the owner see the reason. */
  client_site_become (site, CONTROL_USER + 1);
  client_site_expect (site, "scontrol update jobid=1 timelimit=9", 1, "",
                      "Invalid user id for job 1\n");
  client_site_become (site, CONTROL_USER);
  client_site_expect (site, "scontrol update jobid=1 nice=5", 1, "",
                      "Access/permission denied for job 1\n");
  client_site_expect (
      site, "scontrol update jobid=1 priority=5", 1, "",
      "Changes to job priority are not persistent, change nice instead for job 1\n");
  client_site_expect (site, "scontrol update jobid=1 nosuch=1", 1, "",
                      "Update of this parameter is not supported: nosuch=1\nRequest aborted\n");
  client_site_expect (site, "scontrol update jobid=1 JobName=", 1, "",
                      "JobName is empty; expected a name of the job\nRequest aborted\n");
  client_site_expect (site, "squeue -h -j 1 -o %j", 0, "wide\n", "");
  client_site_become (site, 0);
  client_site_expect (site, "scontrol update jobid=1 timelimit=99", 0, "", "");
  g_assert_cmpuint (last (site).update.by_admin, ==, 1);
}

/* A job that is cancelled keeps the dependency that it waited for, and the reason. */
static void
test_dependencies (void)
{
  g_autoptr (ClientSite) site = site_with_jobs ();
  client_site_run (site, "sbatch -d afterok:1 -n1 -t5 --wrap true");
  client_site_run (site, "sbatch -d afterok:2 --kill-on-invalid-dep=yes -n1 -t5 --wrap true");
  client_site_expect (site, "scancel 3", 0, "", "");
  client_site_run (site, "scontrol show job 3");
  g_assert_nonnull (strstr (site->out, " Dependency=afterok:1(unfulfilled)\n"));
  client_site_expect (site, "scancel 2", 0, "", "");
  client_site_run (site, "scontrol show job 4");
  g_assert_nonnull (strstr (site->out, "   JobState=CANCELLED Reason=DependencyNeverSatisfied "
                                       "Dependency=afterok:2(failed)\n"));
}

/* Only where the site says so may users order their jobs. */
static void
test_top (void)
{
  g_autoptr (ClientSite) site = site_with_jobs ();
  client_site_expect (site, "scontrol top 2", 1, "", "Access/permission denied for job 2\n");
  client_site_become (site, 0);
  client_site_expect (site, "scontrol top 77", 1, "", "Invalid job id specified for job 77\n");
  client_site_expect (site, "scontrol top 1", 1, "",
                      "Job is no longer pending execution for job 1\n");
  /* Its order has no priorities. */
  client_site_expect (site, "scontrol top 2", 1, "",
                      "Requested operation is presently disabled for job 2\n");
}

static void
test_nodes (void)
{
  g_autoptr (ClientSite) site = client_site_new ();
  client_site_expect (site, "scontrol update node=n1 state=drain reason=x", 1, "",
                      "slurm_update error: Invalid user id\n");
  client_site_become (site, 0);
  client_site_expect (site, "scontrol update NodeName=n[1-2] State=DRAIN Reason='two words'", 0, "",
                      "");
  g_assert_cmpuint (last (site).kind, ==, LK_EVENT_NODE_DRAIN);
  g_assert_true (says (last (site).node_drain.node, "n[1-2]"));
  g_assert_true (says (last (site).node_drain.reason, "two words"));
  client_site_expect (site, "scontrol update node=n1 state=resume", 0, "", "");
  client_site_expect (site, "scontrol update node=n1 state=resume", 1, "",
                      "slurm_update error: Invalid node state transition\n");
  client_site_expect (site, "scontrol update node=n2 state=idle", 0, "", "");
  g_assert_cmpuint (last (site).kind, ==, LK_EVENT_NODE_RESUME);
  g_assert_true (says (last (site).node_resume.node, "n2"));
  client_site_expect (
      site, "scontrol update node=n1 state=drain", 1, "",
      "You must specify a reason when DOWNING or DRAINING a node. Request denied\n");
  client_site_expect (site, "scontrol update node=n1 state=purple", 1, "",
                      "Invalid input: state=purple\nRequest aborted\n"
                      "Valid states are: DOWN DRAIN FAIL RESUME UNDRAIN\n"
                      "Not all states are valid given a node's prior state\n");
  client_site_expect (site, "scontrol update node=zz state=resume", 1, "",
                      "slurm_update error: Invalid node name specified\n");
  client_site_expect (site, "scontrol update partitionname=main state=down", 0, "", "");
  g_assert_cmpuint (last (site).partition.state, ==, 1);
}

/* Alone only of what is out of service, and not of a node of which nobody knows what runs there. */
static void
test_node_reason (void)
{
  g_autoptr (ClientSite) site = client_site_new ();
  client_site_become (site, 0);
  client_site_expect (site, "scontrol update node=n1 state=drain reason=a", 0, "", "");
  client_site_expect (site, "scontrol update node=n2 state=down reason=a", 0, "", "");
  client_site_expect (site, "scontrol update node=n[1-2],n1 reason=b", 0, "", "");
  g_assert_cmpint (client_site_run (site, "sinfo -h -N -n n1,n2 -o %N,%T,%E,%u"), ==, 0);
  g_assert_cmpstr (site->out, ==, "n1,drained,b,root\nn2,down,b,root\n");
  client_site_expect (site, "scontrol update node=n1 weight=7 reason='two words'", 0, "", "");
  client_site_expect (site, "sinfo -h -N -n n1 -o %w,%E", 0, "7,two words\n", "");
  client_site_expect (site, "scontrol update node=n1,n3 reason=c", 1, "",
                      "slurm_update error: Invalid node state specified\n"
                      "node 'n3' is in service; expected State=DRAIN, DOWN or FAIL, too\n");
  client_site_expect (site, "scontrol update node=n1,zz reason=c", 1, "",
                      "slurm_update error: Invalid node name specified\n");
  client_site_expect (site, "scontrol update node=n1 reason+=c", 1, "",
                      "'reason+=c' adds to a list or takes from it; expected KEY=VALUE\n"
                      "Request aborted\n");
  client_site_expect (site, "sinfo -h -N -n n1 -o %E", 0, "two words\n", "");
  control_crash (site->control, 0, 0);
  g_assert_true (control_start (site->control, 0));
  client_site_become (site, 0);
  client_site_expect (
      site, "scontrol update node=n[1-2] reason=d", 1, "",
      "slurm_update error: Invalid node state specified\n"
      "node 'n2' is down and silent; expected State=DOWN, too, if nothing runs there\n");
  client_site_become (site, 1000);
  client_site_expect (site, "scontrol update node=n1 reason=d", 1, "",
                      "slurm_update error: Invalid user id\n");
}

/* What the files have said is changed, by staff, and is in force behind a restart. */
static void
test_partitions (void)
{
  static const char line[] = "scontrol -o show partition debug";
  g_autoptr (ClientSite) site = client_site_new ();
  client_site_expect (site, "scontrol create partitionname=debug nodes=n1", 1, "",
                      "Error creating the partition: Invalid user id\n");
  client_site_become (site, 0);
  client_site_expect (site,
                      "scontrol create PartitionName=debug Nodes=n[1-2] MaxTime=10 PriorityTier=7 "
                      "Hidden=no Default=no",
                      0, "", "");
  g_assert_cmpuint (last (site).kind, ==, LK_EVENT_RECONFIGURE);
  g_assert_cmpint (client_site_run (site, line), ==, 0);
  g_assert_nonnull (strstr (site->out, " MaxTime=00:10:00 "));
  g_assert_nonnull (strstr (site->out, " Nodes=n[1-2] PriorityJobFactor=1 PriorityTier=7 "));
  g_assert_nonnull (strstr (site->out, " Default=NO "));
  client_site_expect (site, "scontrol create partition=debug nodes=n1", 1, "",
                      "Error creating the partition: Invalid partition name specified\n"
                      "name 'debug' is there already\n");
  client_site_expect (site, "scontrol update partition=debug maxtime=1:00:00 default=yes maxn=2", 0,
                      "", "");
  g_assert_cmpint (client_site_run (site, line), ==, 0);
  g_assert_nonnull (strstr (site->out, " MaxNodes=2 MaxTime=01:00:00 "));
  g_assert_nonnull (strstr (site->out, " PriorityTier=7 "));
  g_assert_nonnull (strstr (site->out, " Default=YES "));
  client_site_expect (site, "scontrol update partition=debug default=no", 0, "", "");
  g_assert_cmpint (client_site_run (site, line), ==, 0);
  g_assert_nonnull (strstr (site->out, " Default=NO "));
  client_site_expect (site, "scontrol update partition=debug default=yes", 0, "", "");
  client_site_expect (site, "sbatch --parsable -n1 --wrap true", 0, "1\n", "");
  client_site_expect (site, "scontrol delete partitionname=debug", 1, "",
                      "delete_partition partitionname=debug: Partition is in use\n"
                      "partition 'debug' cannot go: job 1 is in it\n");
  client_site_expect (site, "scancel 1", 0, "", "");
  control_settle (site->control);
}

static void
crash (ClientSite *site, guint64 snapshot_events)
{
  control_crash (site->control, G_MAXUINT, 0);
  site->control->config.snapshot_events = snapshot_events;
  control_start_all (site->control);
  client_site_become (site, 0);
}

/* Only staff may say something of a job; it is told as long as the job is known, and so it is
 * behind a crash, by the journal and by a snapshot. */
static void
test_admin_comment (void)
{
  g_autoptr (ClientSite) site = client_site_new ();
  client_site_expect (site, "sbatch --parsable -n1 --comment=mine --wrap true", 0, "1\n", "");
  g_assert_cmpint (client_site_run (site, "scontrol update jobid=1 admincomment=x"), ==, 1);
  client_site_become (site, 0);
  client_site_expect (site, "scontrol update jobid=1 admincomment='two words' name=other", 0, "",
                      "");
  g_assert_cmpint (client_site_run (site, "scontrol show job 1"), ==, 0);
  g_assert_nonnull (strstr (site->out, "\n   AdminComment=two words\n   Comment=mine\n"));
  g_assert_nonnull (strstr (site->out, "JobName=other\n"));
  for (guint64 snapshot_events = 1; snapshot_events < 3; snapshot_events++) {
    client_site_expect (site, "squeue -h -O admin_comment:10,comment:5", 0, "two words mine \n",
                        "");
    crash (site, snapshot_events);
    client_site_expect (site, "scontrol update jobid=1 name=any", 0, "", "");
    control_settle (site->control);
    crash (site, snapshot_events);
  }
  client_site_expect (site, "squeue -h -O admin_comment:10,comment:5", 0, "two words mine \n", "");
  client_site_expect (site, "scontrol update jobid=1 admincomment=", 0, "", "");
  g_assert_cmpint (client_site_run (site, "scontrol show job 1"), ==, 0);
  g_assert_null (strstr (site->out, "AdminComment"));
}

/* Nodes+= and Nodes-= say what comes to those of the partition, and what goes. */
static void
test_partition_nodes (void)
{
  g_autoptr (ClientSite) site = client_site_new ();
  client_site_become (site, 0);
  client_site_expect (site, "scontrol create partitionname=debug nodes=n1", 0, "", "");
  client_site_expect (site, "scontrol update partition=debug nodes+=n[1-2]", 0, "", "");
  client_site_expect (site, "sinfo -h -p debug -o %N", 0, "n[1-2]\n", "");
  client_site_expect (site, "scontrol update partition=debug nodes-=n1 maxnodes=1", 0, "", "");
  client_site_expect (site, "sinfo -h -p debug -o %N/%s", 0, "n2/1\n", "");
  client_site_expect (site, "scontrol update partition=debug nodes-=n1", 1, "",
                      "slurm_update error: Invalid node name specified\n");
  client_site_expect (site, "scontrol update partition=debug maxnodes+=1", 1, "",
                      "'maxnodes+=1' adds to a list or takes from it; expected KEY=VALUE with all "
                      "of it\nRequest aborted\n");
}

/* Who is not root is told of a hidden partition, and of jobs there, only when he asks for it. */
static void
test_partition_hidden (void)
{
  g_autoptr (ClientSite) site = client_site_new ();
  client_site_become (site, 0);
  client_site_expect (site, "scontrol create partitionname=debug nodes=n1 hidden=yes", 0, "", "");
  client_site_expect (site, "sinfo -h -o %R", 0, "main\ndebug\n", "");
  client_site_become (site, 1000);
  client_site_expect (site, "sbatch -p debug --wrap true", 0, "Submitted batch job 1\n", "");
  client_site_expect (site, "sinfo -h -o %R", 0, "main\n", "");
  client_site_expect (site, "sinfo -a -h -o %R", 0, "main\ndebug\n", "");
  client_site_expect (site, "sinfo -p debug -h -o %R", 0, "debug\n", "");
  client_site_expect (site, "squeue -h -o %i", 0, "", "");
  client_site_expect (site, "squeue -a -h -o %i", 0, "1\n", "");
  client_site_expect (site, "squeue -p debug -h -o %i", 0, "1\n", "");
  client_site_expect (site, "squeue -j 1 -h -o %i", 0, "1\n", "");
  client_site_expect (site, "scontrol show job", 0, "No jobs in the system\n", "");
  g_assert_cmpint (client_site_run (site, "scontrol -o show partition"), ==, 0);
  g_assert_null (strstr (site->out, "PartitionName=debug"));
  g_assert_cmpint (client_site_run (site, "scontrol -a -o show partition"), ==, 0);
  g_assert_nonnull (strstr (site->out, "PartitionName=debug"));
  g_assert_nonnull (strstr (site->out, "Hidden=YES"));
}

/* Jobs come from the hosts of AllocNodes only, and with a reservation where ReqResv says so. */
static void
test_partition_doors (void)
{
  static const char denied[] =
      "sbatch: error: Batch job submission failed: Access/permission denied\n";
  g_autoptr (ClientSite) site = client_site_new ();
  client_site_become (site, 0);
  client_site_expect (site, "scontrol create partitionname=debug nodes=n1 allocnodes=gate[1-2]", 0,
                      "", "");
  client_site_expect (site, "sbatch -p debug --wrap true", 1, "", denied);
  client_site_expect (site, "sbatch -p main,debug --wrap true", 1, "", denied);
  client_site_expect (site, "sbatch --wrap true", 0, "Submitted batch job 1\n", "");
  client_site_expect (site, "scontrol update partition=debug allocnodes=gate1,login", 0, "", "");
  client_site_expect (site, "sinfo -h -p debug -O allocnodes:12", 0, "gate1,login \n", "");
  client_site_expect (site, "sbatch -p debug --wrap true", 0, "Submitted batch job 2\n", "");
  client_site_expect (site, "scontrol update partition=debug allocnodes=ALL reqresv=yes", 0, "",
                      "");
  client_site_expect (site, "sbatch -p debug --wrap true", 1, "", denied);
  client_site_expect (site, "sbatch -H --wrap true", 0, "Submitted batch job 3\n", "");
  client_site_expect (site, "scontrol update jobid=3 partition=debug", 1, "",
                      "Access/permission denied for job 3\n");
  g_assert_cmpint (client_site_run (site, "scontrol -o show partition debug"), ==, 0);
  g_assert_nonnull (strstr (site->out, "ReqResv=YES"));
}

static void
test_partition_words (void)
{
  g_autoptr (ClientSite) site = client_site_new ();
  client_site_become (site, 0);
  client_site_expect (site, "scontrol create partitionname=debug nodes=n1", 0, "", "");
  client_site_expect (site, "scontrol update partition=debug nodes=n[1-9]", 1, "",
                      "slurm_update error: Invalid node name specified\n"
                      "nodes holds 'n4'; expected names of nodes, or ALL\n");
  client_site_expect (site, "scontrol update partition=debug powerdownonidle=yes", 1, "",
                      "'powerdownonidle=yes' is not supported; expected NO\nRequest aborted\n");
  client_site_expect (site, "scontrol update partition=debug preemptmode=suspend,later", 1, "",
                      "PreemptMode is 'suspend,later'; expected OFF, CANCEL, REQUEUE, SUSPEND or "
                      "GANG\nRequest aborted\n");
  client_site_expect (site, "scontrol update partition=debug PreemptMode=Gang,Suspend", 0, "", "");
  client_site_expect (site, "scontrol update partition=debug preemptmode=", 0, "", "");
  g_assert_cmpint (client_site_run (site, "scontrol update partition=debug maxtime=soon"), ==, 1);
  g_assert_nonnull (strstr (site->err, "maxtime is 'soon'; expected "));
  g_assert_cmpint (client_site_run (site, "scontrol update partition=debug colour=red"), ==, 1);
  g_assert_nonnull (strstr (site->err, "Update of this parameter is not supported: colour=red; "));
  client_site_expect (site, "scontrol update partition=zz maxtime=5", 1, "",
                      "slurm_update error: Invalid partition name specified\n");
  client_site_expect (site, "scontrol delete partition=debug", 0, "", "");
  client_site_expect (site, "scontrol delete partition=debug", 1, "",
                      "delete_partition partition=debug: Invalid partition name specified\n");
  g_assert_cmpint (client_site_run (site, "scontrol delete partition=main"), ==, 1);
  g_assert_nonnull (strstr (site->err, "is the only partition"));
}

static void
test_node_words (void)
{
  g_autoptr (ClientSite) site = client_site_new ();
  client_site_become (site, 0);
  client_site_expect (site, "scontrol update nodename=n2 weight=9 availablefeatures=a,b", 0, "",
                      "");
  g_assert_cmpint (client_site_run (site, "scontrol -o show node n2"), ==, 0);
  g_assert_nonnull (strstr (site->out, " AvailableFeatures=a,b ActiveFeatures=a,b "));
  g_assert_nonnull (strstr (site->out, " Weight=9 "));
  g_assert_cmpint (client_site_run (site, "scontrol -o show node n1"), ==, 0);
  g_assert_nonnull (strstr (site->out, " Weight=1 "));
  client_site_expect (site, "scontrol update nodename=ALL weight=3 state=drain reason=fan", 0, "",
                      "");
  g_assert_cmpuint (last (site).kind, ==, LK_EVENT_NODE_DRAIN);
  client_site_expect (site, "scontrol update nodename=zz weight=3", 1, "",
                      "slurm_update error: Invalid node name specified\n");
  g_assert_cmpint (client_site_run (site, "scontrol update nodename=n1 activefeatures=c"), ==, 1);
  g_assert_nonnull (strstr (site->err, "expected AvailableFeatures= with the same"));
  client_site_expect (site, "scontrol update nodename=n1 weight=heavy", 1, "",
                      "Weight is 'heavy'; expected a whole number\nRequest aborted\n");
}

/* What its agent has told of a machine; of one that was never there, nothing. */
static void
test_node_machine (void)
{
  g_autoptr (ClientSite) site = client_site_new ();
  g_assert_cmpint (client_site_run (site, "scontrol show node n2"), ==, 0);
  g_assert_nonnull (strstr (site->out, "\n   NodeAddr=n2 NodeHostName=rack7 Version=0.9"
                                       "\n   OS=Linux 6.1 \n   RealMemory="));
  g_assert_nonnull (strstr (site->out, "\n   BootTime=1970-01-01T00:01:40 "
                                       "SlurmdStartTime=1970-01-01T00:02:40\n   CfgTRES="));
  client_site_expect (site, "sinfo -h -N -n n2 -o %v", 0, "0.9\n", "");
  g_assert_cmpint (client_site_run (site, "scontrol --json show node n2"), ==, 0);
  g_assert_nonnull (strstr (site->out, "\"hostname\": \"rack7\""));
  g_assert_nonnull (strstr (site->out, "\"operating_system\": \"Linux 6.1\""));
  control_crash (site->control, G_MAXUINT, 0);
  g_assert_true (control_start (site->control, 0));
  client_site_become (site, 0);
  g_assert_cmpint (client_site_run (site, "scontrol -o show node n2"), ==, 0);
  g_assert_nonnull (strstr (site->out, " NodeAddr=n2 NodeHostName=n2 RealMemory="));
  g_assert_nonnull (strstr (site->out, " BootTime=None SlurmdStartTime=None CfgTRES="));
}

/* Who has set a reason and when is known behind a restart, too. */
static void
test_reasons (void)
{
  g_autoptr (ClientSite) site = client_site_new ();
  client_site_become (site, 0);
  client_site_expect (site, "scontrol update NodeName=n2 State=DRAIN Reason=x", 0, "", "");
  client_site_run (site, "sinfo -h -N -o %N,%U,%H");
  g_autofree char *before = g_strdup (site->out);
  g_assert_nonnull (strstr (before, "n2,root(0),1970-01-01T00:1"));
  g_assert_nonnull (strstr (before, "n1,Unknown,Unknown\n"));
  control_crash (site->control, 0, 0);
  g_assert_true (control_start (site->control, 0));
  for (guint node = 0; node < CONTROL_NODES; node++)
    control_register (site->control, node, 2, NULL, 0);
  client_site_expect (site, "sinfo -h -N -o %N,%U,%H", 0, before, "");
}

static void
test_reservations (void)
{
  g_autoptr (ClientSite) site = client_site_new ();
  client_site_become (site, 0);
  client_site_expect (site, "scontrol create reservation starttime=now duration=10 nodes=n1", 1, "",
                      "scontrol: error: Either Users/Groups, AllowedPartitions, QOS and/or "
                      "Accounts must be specified.  No reservation created.\n");
  client_site_expect (
      site, "scontrol create reservation starttime=now+1hour duration=10 nodes=n1 users=root", 0,
      "Reservation created: root_1\n", "");
  client_site_expect (site,
                      "scontrol create reservationname=x starttime=now+1hour duration=10 nodes=n2 "
                      "users=root flags=maint",
                      0, "Reservation created: x\n", "");
  client_site_expect (site, "scontrol update reservationname=x nodes+=n3", 0,
                      "Reservation updated.\n", "");
  g_assert_true (says (last (site).reservation_update.nodes, "n[2-3]"));
  /* Keys may be as short as Slurm's; users have to be there. */
  client_site_expect (site, "scontrol update reservationname=x user=nosuchuser", 1, "",
                      "slurm_update error: Invalid user id\n");
  client_site_expect (site, "scontrol create res start=now+1hour dur=10 nodes=n3 user=nosuchuser",
                      1, "", "Error creating the reservation: Invalid user id\n");
  client_site_expect (site, "scontrol update res=x user=root,0", 0, "Reservation updated.\n", "");
  g_assert_true (says (last (site).reservation_update.users, "root,0"));
  client_site_expect (site, "scontrol delete reservation=x", 0, "", "");
  client_site_expect (site, "scontrol delete reservation=zz", 1, "",
                      "delete_reservation reservation=zz: Requested reservation is invalid\n");
}

/* As Slurm says it, with what was expected. */
static void
test_missing_words (void)
{
  static const char *const lines[][2] = {
    { "scontrol update", "too few arguments for update keyword\n" },
    { "scontrol create", "too few arguments for create keyword\n" },
    { "scontrol delete", "too few arguments for delete keyword\n" },
    { "scontrol hold", "too few arguments for keyword:hold\n" },
    { "scontrol suspend", "too few arguments for keyword:suspend\n" },
    { "scontrol requeue incomplete", "no job is named; expected a number or JobName=\n" },
    { "scontrol update jobid=1", "No changes specified\n" },
    { "scontrol update node=n1", "No changes specified\n" },
    { "scontrol update partition=main", "No changes specified\n" },
    { "scontrol update foo", "Invalid input: foo; expected KEY=VALUE\n" },
    { "scontrol update foo=1", "No valid entity in update command; expected JobId=, NodeName=, "
                               "PartitionName= or ReservationName=\n" },
    { "scontrol update node=n1 Foo=1",
      "Update of this parameter is not supported: Foo=1; there are: nodename, state, reason, "
      "weight, features, availablefeatures, activefeatures\nRequest aborted\n" },
    { "scontrol update node=n1 Reason=x Foo=1",
      "Update of this parameter is not supported: Foo=1; there are: nodename, state, reason, "
      "weight, features, availablefeatures, activefeatures\nRequest aborted\n" },
    { "scontrol create reservation start=now dur=1 user=root nodecnt=1 flags=MAINT,FOO",
      "scontrol: error: Error parsing flags MAINT,FOO.  No reservation created.\n" },
    { "scontrol create reservation start=now dur=1 user=root nodecnt=x",
      "scontrol: error: nodecnt is 'x'; expected a whole number from 1 to 2147483647.  No "
      "reservation "
      "created.\n" },
    { "scontrol update reservation=r dur=x",
      "scontrol: error: duration is 'x'; expected minutes, minutes:seconds, "
      "hours:minutes:seconds, days-hours[:minutes[:seconds]] or UNLIMITED.  No reservation "
      "update.\n" },
    { "scontrol update reservation=r flags+=FOO",
      "scontrol: error: Error parsing flags FOO.  No reservation update.\n" },
  };
  g_autoptr (ClientSite) site = client_site_new ();
  client_site_become (site, 0);
  client_site_expect (site,
                      "scontrol create reservation=r start=now+1hour dur=1 user=root nodecnt=1", 0,
                      "Reservation created: r\n", "");
  for (guint i = 0; i < G_N_ELEMENTS (lines); i++)
    client_site_expect (site, lines[i][0], 1, "", lines[i][1]);
}

static void
test_setdebug (void)
{
  g_autoptr (ClientSite) site = client_site_new ();
  client_site_expect (site, "scontrol setdebug debug2", 1, "",
                      "slurm_set_debug_level error: Access/permission denied\n");
  g_assert_cmpuint (site->control->log_level, ==, LK_LOG_QUIET);
  client_site_become (site, 0);
  client_site_expect (site, "scontrol setdebug debug2", 0, "", "");
  g_assert_cmpuint (site->control->log_level, ==, LK_LOG_DEBUG2);
  client_site_expect (site, "scontrol setdebug 3", 0, "", "");
  g_assert_cmpuint (site->control->log_level, ==, LK_LOG_INFO);
  client_site_expect (site, "scontrol setdebug", 1, "", "too few arguments for keyword:setdebug\n");
  client_site_expect (site, "scontrol setdebug loud", 1, "", "invalid debug level: loud\n");
  client_site_expect (site, "scontrol setdebug 10", 1, "", "invalid debug level: 10\n");
}

static void
test_words (void)
{
  static char *variables[] = { (char *)"SLURM_JOB_NODELIST=n[1-2]", NULL };
  g_autoptr (ClientSite) site = client_site_new ();
  client_site_expect (site, "scontrol show hostnames n[1-3,5,08-10]", 0,
                      "n1\nn2\nn3\nn5\nn08\nn09\nn10\n", "");
  client_site_expect (site, "scontrol show hostlist n1,n2,n3,n5,m07,m08", 0, "n[1-3,5],m[07-08]\n",
                      "");
  client_site_expect (site, "scontrol show hostlistsorted n3,n1,n2", 0, "n[1-3]\n", "");
  client_site_expect (site, "scontrol show hostnames", 1, "", "no hostlist provided\n");
  site->client.environment = variables;
  client_site_expect (site, "scontrol show hostname", 0, "n1\nn2\n", "");
  client_site_expect (site, "scontrol shutdown", 1, "",
                      "scontrol: error: shutdown is not implemented: systemctl stop, or lockstep "
                      "down, ends the daemons\n");
  client_site_expect (site, "scontrol frobnicate", 1, "", "invalid keyword: frobnicate\n");
  client_site_expect (site, "scontrol reconfigure n1", 1, "",
                      "scontrol: error: reconfigure: unexpected 'n1': nodes are not reconfigured "
                      "alone\n");
  client_site_expect (site, "scontrol show nonsense", 1, "",
                      "invalid entity:nonsense for keyword:show \n");
  client_site_expect (site, "scontrol ping", 0, "Slurmctld(primary) at login is UP\n", "");
  client_site_expect (site, "scontrol version", 0, "slurm 26.05.3\n", "");
  site->is_down = TRUE;
  client_site_expect (site, "scontrol ping", 1, "Slurmctld(primary) at login is DOWN\n", "");
}

/* A task that waits with others is shown with them. */
static void
test_waiting_task (void)
{
  g_autoptr (ClientSite) site = client_site_new ();
  client_site_run (site, "sbatch -H -a 0-6:2%2 -n1 -t5 --wrap true");
  g_assert_cmpint (client_site_run (site, "scontrol -o show job 1_4"), ==, 0);
  g_assert_true (g_str_has_prefix (site->out, "JobId=1 ArrayJobId=1 ArrayTaskId=4 "));
  /* 0 is any job. */
  g_assert_cmpint (client_site_run (site, "scontrol -o show job 0_4"), ==, 0);
  g_assert_true (g_str_has_prefix (site->out, "JobId=1 ArrayJobId=1 ArrayTaskId=4 "));
  client_site_expect (site, "scontrol show step 1.0", 1, "Job step 1.0 not found\n", "");
  client_site_expect (site, "scontrol show step 99.0", 1, "",
                      "slurm_get_job_steps error: Invalid job id specified\n");
  client_site_expect (site, "scontrol show job 1_3", 1, "",
                      "slurm_load_jobs error: Invalid job id specified\n");
}

/* Without a command it asks for them. */
static void
test_talk (void)
{
  g_autoptr (ClientSite) site = site_with_jobs ();
  site->input = "ping\n\n!!\nversion\nq\nversion\n";
  client_site_expect (site, "scontrol", 0,
                      "scontrol: Slurmctld(primary) at login is UP\n"
                      "scontrol: scontrol: scontrol: slurm 26.05.3\n"
                      "scontrol: ",
                      "");
  site->input = "!!\nfrobnicate\n'\n# said\nhold 2";
  client_site_expect (site, "scontrol", 1,
                      "scontrol: scontrol: scontrol: scontrol: scontrol: "
                      "scontrol: ",
                      "invalid keyword: frobnicate\nscontrol: error: Text ended before matching "
                      "quote was found for '. (The text was “'”)\n");
  g_assert_cmpuint (last (site).kind, ==, LK_EVENT_HOLD);
  site->input = "oneliner\nverbose\nshow partition=main\nquiet\nshow PartitionName main\nexit\n";
  g_assert_cmpint (client_site_run (site, "scontrol"), ==, 0);
  static const char told[] = "scontrol: scontrol: scontrol: last_update_time=";
  g_assert_true (g_str_has_prefix (site->out, told));
  const char *first = strstr (site->out, ", records=1\nPartitionName=main AllowGroups=");
  g_assert_nonnull (first);
  g_assert_nonnull (strstr (first + 20, "\nscontrol: scontrol: PartitionName=main AllowGroups="));
  g_assert_cmpint (client_site_run (site, "scontrol help"), ==, 0);
  g_assert_nonnull (strstr (site->out, "Valid <COMMAND> values are:\n"));
}

/* The job of a process is told by its environment. */
static void
test_pidinfo (void)
{
  g_autoptr (GError) error = NULL;
  g_auto (GStrv) variables = g_environ_setenv (NULL, "SLURM_JOB_ID", "1", TRUE);
  static char *const words[] = { (char *)"/bin/sleep", (char *)"600", NULL };
  g_autoptr (ClientSite) site = site_with_jobs ();
  GPid pid;
  g_assert_true (g_spawn_async (NULL, (char **)words, variables, G_SPAWN_DO_NOT_REAP_CHILD, NULL,
                                NULL, &pid, &error));
  g_autofree char *line = g_strdup_printf ("scontrol pidinfo %d", (int)pid);
  int code = client_site_run (site, line);
  kill (pid, SIGKILL);
  g_assert_cmpint (waitpid (pid, NULL, 0), ==, pid);
  g_assert_cmpint (code, ==, 0);
  g_assert_true (g_str_has_prefix (site->out, "Slurm JobId=1 ends at "));
  g_assert_nonnull (strstr (site->out, "\nJob remaining time is 300\n"));
  g_autofree char *none = g_strdup_printf ("Slurm job id not found for pid %d\n", (int)pid);
  client_site_expect (site, line, 1, "", none);
  client_site_expect (site, "scontrol pidinfo x", 1, "",
                      "scontrol: error: pidinfo: 'x' is no number of a process\n");
  client_site_expect (site, "scontrol pidinfo", 1, "", "too few arguments for keyword:pidinfo\n");
}

int
main (int argc, char **argv)
{
  g_setenv ("TZ", "UTC", TRUE);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/scontrol/jobs are held, released, stopped and requeued", test_jobs);
  g_test_add_func ("/scontrol/a suspended job may be suspended", test_suspend_twice);
  g_test_add_func ("/scontrol/run time and limit stop while a job is suspended",
                   test_suspend_times);
  g_test_add_func ("/scontrol/a job is requeued and held", test_requeuehold);
  g_test_add_func ("/scontrol/jobs change, and what follows is settled", test_update);
  g_test_add_func ("/scontrol/a cancelled job keeps its dependency", test_dependencies);
  g_test_add_func ("/scontrol/top is for who may", test_top);
  g_test_add_func ("/scontrol/nodes and partitions go in and out of service", test_nodes);
  g_test_add_func ("/scontrol/the reason of a node changes alone", test_node_reason);
  g_test_add_func ("/scontrol/a partition is made, changed and deleted", test_partitions);
  g_test_add_func ("/scontrol/what staff say of a job is told", test_admin_comment);
  g_test_add_func ("/scontrol/nodes come to a partition and go", test_partition_nodes);
  g_test_add_func ("/scontrol/a hidden partition", test_partition_hidden);
  g_test_add_func ("/scontrol/from where and how jobs come to a partition", test_partition_doors);
  g_test_add_func ("/scontrol/words about partitions that are wrong", test_partition_words);
  g_test_add_func ("/scontrol/weight and features of nodes change", test_node_words);
  g_test_add_func ("/scontrol/the machine of a node is told", test_node_machine);
  g_test_add_func ("/scontrol/who has set a reason is remembered", test_reasons);
  g_test_add_func ("/scontrol/reservations come, change and go", test_reservations);
  g_test_add_func ("/scontrol/what is missing or unknown is said", test_missing_words);
  g_test_add_func ("/scontrol/setdebug changes the level of the log", test_setdebug);
  g_test_add_func ("/scontrol/lists of nodes, and words that are none", test_words);
  g_test_add_func ("/scontrol/a task that waits is shown with the others", test_waiting_task);
  g_test_add_func ("/scontrol/commands are asked for where none is given", test_talk);
  g_test_add_func ("/scontrol/the job of a process and its end are told", test_pidinfo);
  return g_test_run ();
}
