/* tests/live/client/sinfo_test.c — who has set the reason of a node, and when; as recorded with a
 * Slurm 26.05. */
#include <string.h>

#include "engine/cluster.h"
#include "tests/live/client/record_site.h"

static LkText
text_of (const char *string)
{
  return (LkText){ string, (guint16)strlen (string) };
}

static void
add_node (RecordSite *site, const char *name, const char *reason, gint64 reason_s)
{
  LkRecord record = { .kind = LK_RECORD_NODE };
  record.node = (LkRecord_node){ .name = text_of (name),
                                 .state = text_of (reason[0] != '\0' ? "DRAINED" : "IDLE"),
                                 .flags = reason[0] != '\0' ? LK_NODE_DRAIN : 0,
                                 .is_responding = 1,
                                 .reason = text_of (reason),
                                 .reason_user_id = 0,
                                 .reason_us = reason_s * G_USEC_PER_SEC,
                                 .sockets = 1,
                                 .cores_per_socket = 4,
                                 .cpus = 4,
                                 .cpus_usable = 4,
                                 .memory_bytes = G_GINT64_CONSTANT (8000) * 1024 * 1024,
                                 .weight = 1,
                                 .partitions = { "gpu", 3 } };
  record_site_add (site, &record);
}

static RecordSite *
site_new (void)
{
  RecordSite *site = record_site_new ();
  g_autoptr (LkCluster) cluster = lk_cluster_new ("oracle");
  g_autoptr (GString) text = g_string_new (NULL);
  LkClusterError error;
  LkNodeSpec *nodes = lk_cluster_add_nodes (cluster, "n[6-8]");
  LkRecord record = { .kind = LK_RECORD_CLUSTER };
  nodes->cpus = nodes->cores_per_socket = 4;
  lk_cluster_add_partition (cluster, "gpu");
  g_assert_true (lk_cluster_check (cluster, &error));
  lk_cluster_text (cluster, text);
  record.cluster.canonical = (LkBytes){ (const guint8 *)text->str, (guint32)text->len };
  record_site_add (site, &record);
  record = (LkRecord){ .kind = LK_RECORD_PARTITION };
  record.partition = (LkRecord_partition){
    .name = text_of ("gpu"), .node_count = 3, .cpu_count = 12, .node_names = { "n[6-8]", 6 }
  };
  record_site_add (site, &record);
  add_node (site, "n6", "", 0);
  add_node (site, "n7", "disk error", 998);
  add_node (site, "n8", "from before", 0);
  return site;
}

static void
test_reasons (void)
{
  g_autoptr (RecordSite) site = site_new ();
  record_site_expect (site, "sinfo -R", 0,
                      "REASON               USER      TIMESTAMP           NODELIST\n"
                      "disk error           root      1970-01-01T00:16:38 n7\n"
                      "from before          Unknown   Unknown             n8\n",
                      "");
  record_site_expect (site, "sinfo -Rl", 0,
                      "Thu Jan 01 00:16:40 1970\n"
                      "REASON               USER         TIMESTAMP           STATE  NODELIST\n"
                      "disk error           root(0)      1970-01-01T00:16:38 drain  n7\n"
                      "from before          Unknown      Unknown             drain  n8\n",
                      "");
  record_site_expect (site, "sinfo -h -N -o %N|%E|%H|%T -n n6,n7", 0,
                      "n6|none|Unknown|idle\nn7|disk error|1970-01-01T00:16:38|drained\n", "");
}

static void
test_show (void)
{
  g_autoptr (RecordSite) site = site_new ();
  g_assert_cmpint (record_site_run (site, "scontrol show node n7"), ==, 0);
  g_assert_nonnull (strstr (site->out, "\n   Reason=disk error [root@1970-01-01T00:16:38]\n"));
  g_assert_cmpint (record_site_run (site, "scontrol show node n8"), ==, 0);
  g_assert_nonnull (strstr (site->out, "\n   Reason=from before\n"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/sinfo/tells who has set a reason, and when", test_reasons);
  g_test_add_func ("/sinfo/so does scontrol show node", test_show);
  return g_test_run ();
}
