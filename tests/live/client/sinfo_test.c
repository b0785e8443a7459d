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
add_node (RecordSite *site, const char *name, const char *reason, gint64 reason_s, gint64 mib)
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
                                 .memory_bytes = mib * 1024 * 1024,
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
  LkNodeSpec *nodes = lk_cluster_add_nodes (cluster, "n[6-9]");
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
  add_node (site, "n6", "", 0, 8000);
  add_node (site, "n7", "disk error", 998, 8000);
  add_node (site, "n8", "from before", 0, 8000);
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

static void
test_states (void)
{
  static const char valid[] =
      "sinfo: error: valid states: unknown,down,idle,allocated,mixed,future,drain,drained,draining,"
      "no_respond,reserved,planned,blocked,cloud,completing,powering_down,powered_down,power_down,"
      "powering_up,power_up,inval,fail,maint,reboot,reboot^,external,dynamic_future,dynamic_norm\n";
  g_autofree char *bad = g_strconcat ("sinfo: error: Bad state string: \"nosuch\"\n", valid, NULL);
  g_autoptr (RecordSite) site = site_new ();
  record_site_expect (site, "sinfo -h -N -o %N -t idle", 0, "n6\nn7\nn8\n", "");
  g_assert_cmpint (record_site_run (site, "sinfo -h -N -o %all -n n6"), ==, 0);
  g_assert_nonnull (strstr (site->out, "|n6|"));
  record_site_expect (site, "sinfo -h -N -o %N -t I", 0, "n6\nn7\nn8\n", "");
  record_site_expect (site, "sinfo -h -N -o %N -t 'idle&!drain'", 0, "n6\n", "");
  record_site_expect (site, "sinfo -h -N -o %N -t 'idle+~drain'", 0, "n6\n", "");
  record_site_expect (site, "sinfo -h -N -o %N -t drai", 0, "n7\nn8\n", "");
  record_site_expect (site, "sinfo -h -N -o %N -t idle,drained", 0, "n6\nn7\nn8\n", "");
  record_site_expect (site, "sinfo -h -N -o %N -t 'idle&drain'", 0, "n7\nn8\n", "");
  record_site_expect (site, "sinfo -h -N -o %N -t all", 0, "n6\nn7\nn8\n", "");
  record_site_expect (site, "sinfo -h -N -o %N --dead", 0, "", "");
  record_site_expect (site, "sinfo -vv -h -N -o %N -n n6", 0,
                      "-----------------------------\n"
                      "dead        = false\n"
                      "exact       = 0\n"
                      "filtering   = true\n"
                      "format      = %N\n"
                      "iterate     = 0\n"
                      "long        = false\n"
                      "no_header   = true\n"
                      "node_field  = false\n"
                      "node_format = true\n"
                      "nodes       = n6\n"
                      "part_field  = false\n"
                      "partition   = n/a\n"
                      "responding  = false\n"
                      "states      = (null)\n"
                      "sort        = (null)\n"
                      "summarize   = false\n"
                      "verbose     = 2\n"
                      "-----------------------------\n\nn6\n",
                      "");
  record_site_expect (site, "sinfo -h -N -o %N -r -n n7", 0, "n7\n", "");
  record_site_expect (site, "sinfo -t idle,nosuch", 1, "", bad);
}

static void
test_order (void)
{
  g_autoptr (RecordSite) site = site_new ();
  record_site_expect (site, "sinfo -h -N -o %N -S -N", 0, "n8\nn7\nn6\n", "");
  record_site_expect (site, "sinfo -h -o %t,%N -S '#P,t'", 0, "idle,n6\ndrain,n[7-8]\n", "");
  record_site_expect (site, "sinfo -h -o %t,%N -S=-t", 1, "",
                      "sinfo: error: Invalid sort specification: =\n");
  record_site_expect (site, "sinfo -S foo", 1, "", "sinfo: error: Invalid sort specification: o\n");
}

static void
test_columns (void)
{
  g_autoptr (RecordSite) site = site_new ();
  record_site_expect (site, "sinfo -n n6 -o '%N %q|%t'", 0, "NODELIST %q|STATE\nn6 %q|idle\n",
                      "Invalid node format specification: q\n");
  record_site_expect (site, "sinfo -n n6 -O nodelist:6,nosuch,statelong:", 0,
                      "NODELISTATE\nn6    idle\n",
                      "sinfo: error: Invalid job format specification: nosuch\n");
}

static void
test_errors (void)
{
  g_autoptr (RecordSite) site = site_new ();
  record_site_expect (site, "sinfo --json=foo", 1, "",
                      "sinfo: error: --json=foo: expected v0.0.42 to v0.0.45, lockstep or "
                      "list\n");
  record_site_expect (site, "sinfo --nosuch", 1, "",
                      "sinfo: unrecognized option '--nosuch'\n"
                      "Try \"sinfo --help\" for more information\n");
  record_site_expect (site, "sinfo -M other", 1, "",
                      "sinfo: error: 'other' can't be reached now, or it is an invalid entry for "
                      "--cluster.  Use 'sacctmgr list clusters' to see available clusters.\n"
                      "sinfo: fatal: Could not get cluster information\n");
  record_site_expect (site, "sinfo -i 0", 1, "",
                      "sinfo: error: --iterate=0: expected a number of seconds, 1 or more\n");
  record_site_expect (site, "sinfo -l -o %N", 1, "",
                      "sinfo: fatal: Options -o(--format) and -l(--long) are mutually exclusive. "
                      "Please remove one and retry.\n");
  record_site_expect (
      site, "sinfo -a -p gpu", 1, "",
      "sinfo: error: Conflicting options, -a and -p, specified. Please choose one or "
      "the other.\n");
  record_site_set_variable (site, "SINFO_PARTITION=gpu");
  g_assert_cmpint (record_site_run (site, "sinfo -a"), ==, 0);
  record_site_set_variable (site, "SINFO_ALL=1");
  record_site_expect (site, "sinfo -p gpu", 1, "",
                      "sinfo: error: Conflicting options, SINFO_ALL and SINFO_PARTITION, "
                      "specified. Please choose one or the other.\n");
}

static void
test_names_unknown (void)
{
  g_autoptr (RecordSite) site = site_new ();
  record_site_expect (site, "sinfo -n 'n[1-'", 1, "",
                      "sinfo: error: 'n[1-' invalid entry for --nodes\n");
  record_site_expect (site, "sinfo -h -p nosuch", 0, "", "");
  record_site_expect (site, "sinfo -T", 0, "No reservations in the system\n", "");
  g_assert_cmpint (record_site_run (site, "sinfo --help"), ==, 0);
  g_assert_nonnull (strstr (site->out, "changes nothing: there is one cluster"));
}

/* What is not shown parts nothing: neither partitions, nor sizes without --exact. */
static void
test_together (void)
{
  g_autoptr (RecordSite) site = site_new ();
  add_node (site, "n9", "", 0, 16000);
  record_site_expect (site, "sinfo -h -o %C", 0, "0/8/8/16\n", "");
  record_site_expect (site, "sinfo -h -o %D,%c,%m,%N", 0, "4,4,8000+,n[6-9]\n", "");
  record_site_expect (site, "sinfo -h -e -o %D,%m", 0, "3,8000\n1,16000\n", "");
  record_site_expect (site, "sinfo -h -o %P,%t,%D -t down", 0, "gpu*,n/a,0\n", "");
  record_site_expect (site, "sinfo -h -o %t,%D -t down", 0, "", "");
  record_site_expect (site, "sinfo -N -n n6", 0,
                      "NODELIST   NODES PARTITION STATE \nn6             1      gpu* idle  \n", "");
  record_site_expect (site, "sinfo -h -M all -o %N", 0, "n[6-9]\n", "");
  record_site_expect (site, "sinfo -M linux -o %D -n n6", 0, "CLUSTER: linux\nNODES\n1\n", "");
  record_site_expect (site, "sinfo -h -n n6 -O cluster:,statecomplete:,version:3,comment:", 0,
                      "linuxidleN/A(null)\n", "");
}

/* As recorded. */
static void
test_reservations (void)
{
  g_autoptr (RecordSite) site = site_new ();
  LkRecord record = { .kind = LK_RECORD_RESERVATION };
  record.reservation = (LkRecord_reservation){ .reservation_name = text_of ("maint"),
                                               .from_us = G_GINT64_CONSTANT (3600) * G_USEC_PER_SEC,
                                               .to_us = G_GINT64_CONSTANT (7200) * G_USEC_PER_SEC,
                                               .node_names = { "n8", 2 } };
  record_site_add (site, &record);
  record_site_expect (
      site, "sinfo -T", 0,
      "RESV_NAME     STATE           START_TIME             END_TIME     DURATION  NODELIST\n"
      "maint      INACTIVE  1970-01-01T01:00:00  1970-01-01T02:00:00     01:00:00  n8\n",
      "");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/sinfo/tells who has set a reason, and when", test_reasons);
  g_test_add_func ("/sinfo/states may be cut short, and are Slurm's", test_states);
  g_test_add_func ("/sinfo/lines stand as asked", test_order);
  g_test_add_func ("/sinfo/nodes are together where nothing shown parts them", test_together);
  g_test_add_func ("/sinfo/columns that there are not are told", test_columns);
  g_test_add_func ("/sinfo/errors are Slurm's", test_errors);
  g_test_add_func ("/sinfo/names that are unknown or broken", test_names_unknown);
  g_test_add_func ("/sinfo/reservations", test_reservations);
  g_test_add_func ("/sinfo/so does scontrol show node", test_show);
  return g_test_run ();
}
