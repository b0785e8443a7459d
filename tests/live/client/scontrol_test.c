/* tests/live/client/scontrol_test.c — scontrol write and show config, told fixed records. */
#include <glib/gstdio.h>
#include <string.h>

#include "engine/accounts.h"
#include "engine/engine.h"
#include "live/core/batch.h"
#include "tests/live/client/record_site.h"

static void
add_job (RecordSite *site, guint32 id, guint32 user_id, guint32 priority, LkBytes payload)
{
  LkRecord record = { .kind = LK_RECORD_JOB };
  record.job = (LkRecord_job){ .job_id = id,
                               .user_id = user_id,
                               .array_task = G_MAXUINT32,
                               .state = LK_JOB_PENDING,
                               .priority_now = priority,
                               .nice = 10,
                               .payload = payload };
  record_site_add (site, &record);
}

static void
test_write (void)
{
  g_autoptr (RecordSite) site = record_site_new ();
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  g_autofree char *folder = g_dir_make_tmp ("scontrol-XXXXXX", NULL);
  g_autofree char *file = g_build_filename (folder, "script", NULL);
  g_autofree char *line = g_strdup_printf ("scontrol write batch_script 5 %s", file);
  g_autofree char *told = g_strdup_printf ("batch script for job 5 written to %s\n", file);
  g_autofree char *content = NULL;
  LkBatch batch = { .script = { (const guint8 *)"#!/bin/sh\ntrue\n", 15 },
                    .work_dir = { (const guint8 *)"/", 1 } };
  lk_batch_encode (&batch, bytes);
  add_job (site, 5, 7, 1, (LkBytes){ bytes->data, bytes->len });
  add_job (site, 6, 7, 1, (LkBytes){ 0 }); /* whose script we may not see */
  record_site_expect (site, "scontrol write batch_script 5 -", 0, "#!/bin/sh\ntrue\n", "");
  record_site_expect (site, line, 0, told, "");
  g_assert_true (g_file_get_contents (file, &content, NULL, NULL));
  g_assert_cmpstr (content, ==, "#!/bin/sh\ntrue\n");
  g_unlink (file);
  g_rmdir (folder);
  site->records[LK_RECORD_JOB]->len = 0;
  add_job (site, 6, 7, 1, (LkBytes){ 0 });
  record_site_expect (site, "scontrol write batch_script 6 -", 0, "",
                      "job script retrieval failed: Invalid user id\n");
  record_site_expect (site, "scontrol write something", 1, "",
                      "invalid write argument:something\n");
}

/* As Slurm writes them, each on a line behind the others; and no option is passed over. */
static void
test_tres (void)
{
  g_autoptr (RecordSite) site = record_site_new ();
  LkRecord record = { .kind = LK_RECORD_JOB };
  record.job = (LkRecord_job){ .job_id = 7,
                               .array_task = G_MAXUINT32,
                               .state = LK_JOB_PENDING,
                               .gres = lk_text ("gpu:2,fpga:1"),
                               .gpus = lk_text ("a100:2") };
  record_site_add (site, &record);
  record_site_run (site, "scontrol show job 7");
  g_assert_true (g_str_has_suffix (site->out, "\n   TresPerJob=gres/gpu:a100:2\n"
                                              "   TresPerNode=gres/gpu:2,gres/fpga:1\n\n"));
  record_site_expect (site, "scontrol --json show config", 1, "",
                      "scontrol: error: show config has no JSON; job, node, partition, "
                      "reservation and licenses have\n");
}

static void
test_config (void)
{
  g_autoptr (RecordSite) site = record_site_new ();
  g_autofree char *folder = g_dir_make_tmp ("scontrol-XXXXXX", NULL);
  g_autofree char *file = g_build_filename (folder, "slurm.conf", NULL);
  record_site_set_order (site, "fifo");
  record_site_expect (site, "scontrol show config", 1, "",
                      "slurm_load_ctl_conf error: there is no configuration\n");
  g_assert_true (g_file_set_contents (file,
                                      "ClusterName=oracle\nSlurmctldHost=vm(127.0.0.1)\n"
                                      "minjobage=600 # seconds\nSlurmctldHost=spare\n"
                                      "SchedulerType=sched/backfill\n"
                                      "SelectTypeParameters=CR_CPU\nSomethingElse=7\n"
                                      "NodeName=n1\nPartitionName=main Nodes=n1\n",
                                      -1, NULL));
  site->client.conf_path = file;
  g_assert_cmpint (record_site_run (site, "scontrol show config"), ==, 0);
  g_assert_true (g_str_has_prefix (site->out, "Configuration data as of 1970-01-01T00:16:40\n"));
  g_assert_true (g_str_has_suffix (site->out, "\n\nSlurmctld(primary) at login is UP\n"));
  static const char *const lines[] = {
    "\nClusterName             = oracle\n",  "\nMaxArraySize            = 1001\n",
    "\nMinJobAge               = 600 sec\n", "\nPriorityType            = priority/basic\n",
    "\nSchedulerType           = (null)\n", /* the controller tells of none */
    "\nSelectTypeParameters    = CR_CPU\n",  "\nSlurmctldHost[0]        = vm(127.0.0.1)\n",
    "\nSlurmctldHost[1]        = spare\n",   "\nSomethingElse           = 7\n",
  };
  for (guint i = 0; i < G_N_ELEMENTS (lines); i++)
    g_assert_nonnull (strstr (site->out, lines[i]));
  g_assert_null (strstr (site->out, "NodeName"));
  /* What nobody has said and the controller does not tell is not made up. */
  g_assert_null (strstr (site->out, "StateSaveLocation"));
  g_assert_null (strstr (site->out, "SlurmUser"));
  /* The daemons of this host, which is called login. */
  record_site_expect (site, "scontrol show daemons", 0, "\n", "");
  LkRecord node = { .kind = LK_RECORD_NODE, .node = { .name = lk_text ("login") } };
  record_site_add (site, &node);
  g_assert_true (
      g_file_set_contents (file, "SlurmctldHost=vm\nSlurmctldHost=login(10.0.0.1)\n", -1, NULL));
  record_site_expect (site, "scontrol show daemons", 0, "slurmctld slurmd\n", "");
  record_site_expect (site, "scontrol show daemons n1", 1, "",
                      "too many arguments for keyword:show\n");
  g_unlink (file);
  g_rmdir (folder);
}

static void
add_use (RecordSite *site, LkUseScope scope, guint32 place, const char *name)
{
  static const char tres[] = "cpu=4,mem=500";
  static const char seconds[] = "cpu=180,mem=60";
  static const char left[] = "cpu=120,mem=0";
  LkRecord record = { .kind = LK_RECORD_USE };
  record.use = (LkRecord_use){ .scope = (guint8)scope,
                               .place = place,
                               .name = lk_text (name),
                               .running = 1,
                               .submitted = 6,
                               .accruing = 2,
                               .usage = 90,
                               .wall_s = 90,
                               .tres = { tres, sizeof tres - 1 },
                               .tres_s = { seconds, sizeof seconds - 1 },
                               .tres_run_s = { left, sizeof left - 1 } };
  record_site_add (site, &record);
}

/* Limits, what counts in them, and what was used. */
static void
test_assoc (void)
{
  g_autoptr (RecordSite) site = record_site_new ();
  g_autoptr (LkAccounts) accounts = lk_accounts_new ("oracle");
  g_autoptr (GString) text = g_string_new (NULL);
  lk_accounts_add_account (accounts, "phys", "root");
  LkAssociationSpec *user = lk_accounts_add_user (accounts, "zz", "phys", "");
  user->is_default = TRUE;
  lk_limits_set (user->limits, LK_LIMIT_GRP_JOBS, 0, TRUE, 3);
  lk_limits_set (user->limits, LK_LIMIT_MAX_SUBMIT_JOBS, 0, TRUE, 9);
  lk_limits_set (user->limits, LK_LIMIT_MAX_TRES_PER_JOB, LK_TRES_MEMORY, TRUE, 2048);
  lk_accounts_text (accounts, text);
  record_site_set_accounts (site, text->str);
  add_use (site, LK_USE_ASSOCIATION, 2, "");
  add_use (site, LK_USE_ASSOCIATION, 3, "");
  add_use (site, LK_USE_QOS, 0, "");
  add_use (site, LK_USE_USER_IN_QOS, 0, "zz");
  g_assert_cmpint (record_site_run (site, "scontrol show assoc_mgr users=zz accounts=phys"), ==, 0);
  g_assert_nonnull (strstr (site->out, "UserName=zz DefAccount=phys DefWckey= AdminLevel=None\n"));
  g_assert_nonnull (strstr (site->out, "ClusterName=oracle Account=phys UserName= Partition="));
  g_assert_nonnull (strstr (site->out, "\n    ParentAccount=root(1) Lineage=/phys/ DefAssoc=No\n"
                                       "    GrpJobs=N(1) GrpJobsAccrue=N(2)\n"
                                       "    GrpSubmitJobs=N(6) GrpWall=N(1.50)\n"
                                       "    GrpTRES=cpu=N(4),mem=N(500),"));
  g_assert_nonnull (strstr (site->out, "\n    ParentAccount= Lineage=/phys/0-zz/ DefAssoc=Yes\n"
                                       "    GrpJobs=3(1) GrpJobsAccrue=N(2)\n"));
  g_assert_nonnull (strstr (site->out, "\n    GrpTRESMins=cpu=N(3),"));
  g_assert_nonnull (strstr (site->out, "\n    GrpTRESRunMins=cpu=N(2),"));
  g_assert_nonnull (strstr (site->out, " MaxSubmitJobs=9(6) MaxWallPJ=\n    MaxTRESPJ=mem=2048\n"));
  g_assert_nonnull (
      strstr (site->out, "\nQOS=normal(1)\n    UsageRaw=90.000000\n    GrpJobs=N(1)"));
  g_assert_nonnull (strstr (site->out,
                            "\n    Account Limits\n        No Accounts\n    User Limits\n"
                            "      zz\n        MaxJobsPU=N(1) MaxJobsAccruePU=N(2) "
                            "MaxSubmitJobsPU=N(6)\n        MaxTRESPU=cpu=N(4),"));
  g_assert_null (strstr (site->out, " Account=root"));
  g_assert_cmpint (record_site_run (site, "scontrol show assoc_mgr user=nobody account=phys"), ==,
                   0);
  g_assert_null (strstr (site->out, "UserName=zz"));
  g_assert_nonnull (strstr (site->out, "    User Limits\n        No Users\n"));
  g_assert_cmpint (record_site_run (site, "scontrol show assoc_mgr flags=qos"), ==, 0);
  g_assert_null (strstr (site->out, "Association Records"));
  record_site_expect (site, "scontrol show assoc_mgr x=1", 1, "",
                      "scontrol: error: show assoc_mgr: 'x=1'; expected users=, accounts=, qos= or "
                      "flags=\n");
}

/* That of the script stands beside the highest of its steps. */
static void
test_derived (void)
{
  g_autoptr (RecordSite) site = record_site_new ();
  LkRecord record = { .kind = LK_RECORD_JOB };
  record.job = (LkRecord_job){ .job_id = 7,
                               .array_task = G_MAXUINT32,
                               .state = LK_JOB_FAILED,
                               .exit_code = 1,
                               .derived_exit_code = 123,
                               .derived_signal = 2 };
  record_site_add (site, &record);
  g_assert_cmpint (record_site_run (site, "scontrol -d show job 7"), ==, 0);
  g_assert_nonnull (strstr (site->out, " ExitCode=1:0\n   DerivedExitCode=123:2\n   RunTime="));
  g_assert_cmpint (record_site_run (site, "scontrol show job 7"), ==, 0);
  g_assert_null (strstr (site->out, "Derived"));
  record_site_expect (site, "squeue -h -j 7 -t all -O derivedec:", 0, "123:2\n", "");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/scontrol/write gives the script of a job", test_write);
  g_test_add_func ("/scontrol/show assoc_mgr has limits and what counts", test_assoc);
  g_test_add_func ("/scontrol/show job tells what is asked of TRES", test_tres);
  g_test_add_func ("/scontrol/-d tells what exit code the steps had", test_derived);
  g_test_add_func ("/scontrol/show config has what is set, and the rest", test_config);
  return g_test_run ();
}
