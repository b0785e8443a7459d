/* tests/live/client/scontrol_test.c — scontrol write and show config, told fixed records. */
#include <glib/gstdio.h>
#include <string.h>

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
    "\nSchedulerType           = (null)\n", /* the controller has told of none, whatever is written */
    "\nSelectTypeParameters    = CR_CPU\n",  "\nSlurmctldHost[0]        = vm(127.0.0.1)\n",
    "\nSlurmctldHost[1]        = spare\n",   "\nSomethingElse           = 7\n",
  };
  for (guint i = 0; i < G_N_ELEMENTS (lines); i++)
    g_assert_nonnull (strstr (site->out, lines[i]));
  g_assert_null (strstr (site->out, "NodeName"));
  /* What nobody has said and the controller does not tell is not made up. */
  g_assert_null (strstr (site->out, "StateSaveLocation"));
  g_assert_null (strstr (site->out, "SlurmUser"));
  g_unlink (file);
  g_rmdir (folder);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/scontrol/write gives the script of a job", test_write);
  g_test_add_func ("/scontrol/show config has what is set, and the rest", test_config);
  return g_test_run ();
}
