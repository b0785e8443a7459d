/* tests/live/client/sacctmgr_show_test.c — sacctmgr show, told the accounts of a real Slurm, prints
 * what that one printed (tests/fixtures/slurm-text); and what is dumped can be loaded. */
#include <glib/gstdio.h>
#include <pwd.h>
#include <sqlite3.h>
#include <string.h>

#include "engine/accounts.h"
#include "engine/cluster.h"
#include "tests/live/client/record_site.h"
#include "traces/accounts_script.h"

#define FOLDER LK_SOURCE_DIR "/tests/fixtures/slurm-text/"

static char *
recorded (const char *name)
{
  char *text = NULL;
  g_autofree char *path = g_strconcat (FOLDER, name, NULL);
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  return text;
}

static RecordSite *
site_new (void)
{
  RecordSite *site = record_site_new ();
  g_autofree char *script = recorded ("accounts");
  g_auto (GStrv) lines = g_strsplit (script, "\n", -1);
  LkAccounts *accounts = lk_accounts_new ("oracle");
  g_autoptr (GString) text = g_string_new (NULL);
  lk_accounts_add_tres (accounts, "gres/gpu");
  lk_accounts_add_tres (accounts, "gres/gpumem");
  lk_accounts_add_tres (accounts, "gres/gpuutil");
  LkAssociationSpec *root = g_ptr_array_index (accounts->associations, 0);
  g_free (root->qos);
  root->qos = g_strdup ("normal");
  for (guint i = 0; lines[i][0] != '\0'; i++) {
    g_autoptr (GError) error = NULL;
    LkAccounts *next = lk_accounts_script_apply (accounts, lines[i], &error);
    g_assert_no_error (error);
    lk_accounts_free (accounts);
    accounts = next;
  }
  lk_accounts_text (accounts, text);
  lk_accounts_free (accounts);
  record_site_set_accounts (site, text->str);
  return site;
}

static void
test_recorded (void)
{
  static const char *const lines[][2] = {
    { "sacctmgr show assoc", "sacctmgr-assoc.out" },
    { "sacctmgr list associations where", "sacctmgr-assoc.out" },
    { "sacctmgr -P show assoc", "sacctmgr-assoc-P.out" },
    { "sacctmgr show assoc tree format=Account%20,User,Share,QOS%20,DefaultQOS",
      "sacctmgr-assoc-tree.out" },
    { "sacctmgr show account", "sacctmgr-account.out" },
    { "sacctmgr show account withassoc", "sacctmgr-account-s.out" },
    { "sacctmgr show user", "sacctmgr-user.out" },
    { "sacctmgr show user -s", "sacctmgr-user-s.out" },
    { "sacctmgr show qos", "sacctmgr-qos.out" },
    { "sacctmgr show tres", "sacctmgr-tres.out" },
  };
  g_autoptr (RecordSite) site = site_new ();
  for (guint i = 0; i < G_N_ELEMENTS (lines); i++) {
    g_autofree char *expected = recorded (lines[i][1]);
    record_site_expect (site, lines[i][0], 0, expected, "");
  }
}

static void
test_which (void)
{
  g_autoptr (RecordSite) site = site_new ();
  record_site_expect (site, "sacctmgr -n -s list user bob format=account%12", 0, "        phys \n",
                      "");
  record_site_expect (site, "sacctmgr -n -s list user bob 'format=\"account%12\"'", 0,
                      "        phys \n", "");
  record_site_expect (site,
                      "sacctmgr -nP show users withassoc format=account,qos where user=dave "
                      "cluster=oracle",
                      0, "chem|deny,high,normal\n", "");
  record_site_expect (
      site, "sacctmgr -nP show problem user=dave", 0,
      getpwnam ("dave") == NULL ? "oracle|chem|dave|User does not have a uid\n" : "", "");
  record_site_expect (site, "sacctmgr list Association format=account -P -n user=alice", 0,
                      "phys\n", "");
  record_site_expect (site, "sacctmgr show assoc -n -P cluster=other format=user", 0, "", "");
  record_site_expect (site, "sacctmgr -nP show assoc account=chem wopl format=user,maxwall", 0,
                      "|00:30:00\ncarol|\ndave|\n", "");
  record_site_expect (site, "sacctmgr -nP show assoc tree account=chem format=account,lineage", 0,
                      " chem|/chem/\n  chem|/chem/0-carol/\n  chem|/chem/0-dave/\n", "");
  record_site_expect (site, "sacctmgr -nP show qos high,deny format=name,maxtrespu,flags,id", 0,
                      "high|cpu=8||2\ndeny|cpu=3|DenyOnLimit|3\n", "");
  /* Widths of columns that the default listing of QOS makes wider (sacctmgr/common.c of 26.05). */
  record_site_expect (site, "sacctmgr show qos deny format=name,flags,maxtresrunminspu,minprio", 0,
                      "      Name                Flags MaxTRESRunMinsPU MinPrioThres \n"
                      "---------- -------------------- ---------------- ------------ \n"
                      "      deny          DenyOnLimit                               \n",
                      "");
  record_site_expect (site, "sacctmgr -n show assoc tree account=chem format=account,user", 0,
                      " chem                           \n  chem                    carol \n"
                      "  chem                     dave \n",
                      "");
  record_site_expect (site, "sacctmgr -np show account chem format=acc,desc,org", 0,
                      "chem|chemistry|org1|\n", "");
  record_site_expect (site,
                      "sacctmgr show assoc format=User,Account,GrpCPU,GrpMem,GrpJobs,"
                      "GrpSubmit --noheader --parsable2 user=bob",
                      0, "bob|phys||||\n", "");
  record_site_expect (site, "sacctmgr show runaway", 0, "Runaway Jobs: No runaway jobs found\n",
                      "");
}

/* A file of accounting in the folder that LOCKSTEP_DIR names. */
static char *
book_new (RecordSite *site)
{
  sqlite3 *db;
  char *folder = g_dir_make_tmp ("lk-sacctmgr-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "accounting.sqlite", NULL);
  g_autofree char *variable = g_strconcat ("LOCKSTEP_DIR=", folder, NULL);
  record_site_set_variable (site, variable);
  g_assert_cmpint (sqlite3_open (path, &db), ==, SQLITE_OK);
  g_assert_cmpint (
      sqlite3_exec (
          db,
          "CREATE TABLE events (seq INTEGER PRIMARY KEY, time_us INTEGER, kind TEXT, subject TEXT,"
          " detail TEXT, user_id INTEGER);"
          "INSERT INTO events VALUES (1, 60000000, 'add qos', 'q2', 'qos q2 priority=5\n', 0);"
          "INSERT INTO events VALUES (2, 70000000, 'node_down', 'n1', 'x', 0);"
          "INSERT INTO events VALUES (3, 80000000, 'change association', 'phys/ada/', 'a b', -1);"
          "INSERT INTO events VALUES (4, 90000000, 'delete qos', 'q2', '', 0)",
          NULL, NULL, NULL),
      ==, SQLITE_OK);
  sqlite3_close (db);
  return folder;
}

static void
test_transactions (void)
{
  g_autoptr (RecordSite) site = site_new ();
  g_autofree char *folder = book_new (site);
  g_autofree char *path = g_build_filename (folder, "accounting.sqlite", NULL);
  record_site_expect (
      site, "sacctmgr show txn", 0,
      "               Time               Action      Actor                Where                 "
      "Info \n"
      "------------------- -------------------- ---------- -------------------- "
      "-------------------- \n"
      "1970-01-01T00:01:00              Add QOS       root              name=q2    qos q2 "
      "priority=5 \n"
      "1970-01-01T00:01:20  Modify Associations   lockstep account=phys,user=a+                  "
      "a b \n"
      "1970-01-01T00:01:30           Remove QOS       root              name=q2                  "
      "    \n",
      "");
  record_site_expect (site,
                      "sacctmgr -nP list transactions start=00:61:10-01/01/70 actor=root "
                      "format=where,action",
                      1, "", " Unknown condition: start=00:61:10-01/01/70\n");
  record_site_expect (site,
                      "sacctmgr -nP list transactions start=1970-01-01T00:01:10 actor=root "
                      "format=where,action",
                      0, "name=q2|Remove QOS\n", "");
  g_remove (path);
  g_rmdir (folder);
}

static void
test_config (void)
{
  g_autoptr (RecordSite) site = site_new ();
  g_autofree char *folder = book_new (site);
  g_autofree char *path = g_build_filename (folder, "accounting.sqlite", NULL);
  g_autofree char *expected = g_strdup_printf (
      "Configuration data as of 1970-01-01T00:16:40\n"
      "AccountingStorageEnforce = none\n"
      "AccountingStorageTRES    = cpu,mem,energy,node,billing,fs/disk,vmem,pages,gres/gpu,"
      "gres/gpumem,gres/gpuutil\n"
      "ClusterName              = oracle\n"
      "SLURM_CONF               = (null)\n"
      "SLURM_VERSION            = 26.05.3\n"
      "StorageLoc               = %s\n"
      "StorageState             = present\n"
      "StorageType              = sqlite\n",
      path);
  record_site_expect (site, "sacctmgr show config", 0, expected, "");
  g_remove (path);
  g_rmdir (folder);
}

/* A cluster and its TRES are there without accounts, which are told to be missing. */
static void
test_no_accounts (void)
{
  g_autoptr (RecordSite) site = record_site_new ();
  g_autoptr (LkCluster) cluster = lk_cluster_new ("bare");
  g_autoptr (GString) text = g_string_new (NULL);
  LkClusterError error;
  LkNodeSpec *nodes = lk_cluster_add_nodes (cluster, "n[1-2]");
  LkRecord record = { .kind = LK_RECORD_CLUSTER };
  lk_node_spec_add_gres (nodes, "gpu", "a", 1);
  g_assert_true (lk_cluster_check (cluster, &error));
  lk_cluster_text (cluster, text);
  record.cluster.canonical = (LkBytes){ (const guint8 *)text->str, (guint32)text->len };
  record_site_add (site, &record);
  record = (LkRecord){ .kind = LK_RECORD_PARTITION };
  record.partition.name = (LkText){ "main", 4 };
  record_site_add (site, &record);
  record_site_expect (site, "sacctmgr -nP show cluster format=cluster", 0, "bare\n", "");
  record_site_expect (site, "sacctmgr -nP show tres", 0,
                      "cpu||1\nmem||2\nenergy||3\nnode||4\nbilling||5\nfs|disk|6\nvmem||7\n"
                      "pages||8\ngres|gpu|1001\ngres|gpumem|1002\ngres|gpuutil|1003\n",
                      "");
  record_site_expect (site, "sacctmgr show assoc", 1, "",
                      "sacctmgr: error: this cluster has no accounts: it begins with them when "
                      "a file accounts is beside its slurm.conf\n");
}

static void
test_wrong (void)
{
  g_autoptr (RecordSite) site = site_new ();
  record_site_expect (site, "sacctmgr show assoc format=nonsense", 1, "",
                      " Unknown field 'nonsense'\n");
  record_site_expect (site, "sacctmgr show assoc colour=red", 1, "",
                      " Unknown condition: colour=red\n Use keyword 'set' to modify value\n");
  g_assert_cmpint (record_site_run (site, "sacctmgr show nonsense"), ==, 1);
  g_assert_true (g_str_has_prefix (site->err, "No valid entity in list command\n"));
  record_site_expect (site, "sacctmgr --json show event", 1, "",
                      "sacctmgr: error: show event has no JSON\n");
  record_site_expect (site, "sacctmgr --json=lockstep show assoc", 1, "",
                      "sacctmgr: error: --json=lockstep: there is no such form of this; expected "
                      "v0.0.42 to v0.0.45\n");
}

static void
test_dump (void)
{
  g_autoptr (RecordSite) site = site_new ();
  g_autofree char *folder = g_dir_make_tmp ("sacctmgr-XXXXXX", NULL);
  g_autofree char *file = g_build_filename (folder, "dump", NULL);
  g_autofree char *dump = g_strdup_printf ("sacctmgr dump oracle file=%s", file);
  g_autofree char *load = g_strdup_printf ("sacctmgr -i load file=%s", file);
  g_autofree char *clean = g_strdup_printf ("sacctmgr -i load %s clean", file);
  g_autofree char *wrong = g_strdup_printf ("sacctmgr: error: %s:6: 'Nonsense - 'x'' begins no "
                                            "line of a dump; expected QOS, Cluster, Parent, "
                                            "Account or User, as in Account - 'name':...\n",
                                            file);
  record_site_expect (site, dump, 0, "", "");
  /* What is there already is nothing new. */
  record_site_expect (site, load, 0, " Nothing new added.\n", "");
  record_site_expect (site, clean, 0, " Nothing new added.\n", "");
  g_assert_cmpuint (site->request_count, ==, 0);
  g_assert_true (g_file_set_contents (file,
                                      "QOS - 'normal':Description='Normal QOS default'\n"
                                      "QOS - 'high':Priority=100:MaxWall=60:"
                                      "MaxTRESPerUser=cpu=8\n"
                                      "Cluster - 'oracle':Fairshare=1:QOS='normal'\n"
                                      "Parent - 'root'\n"
                                      "User - 'root':DefaultAccount='root':"
                                      "AdminLevel='Administrator'\n"
                                      "Account - 'chem':Fairshare=9:QOS='+high'\n"
                                      "Account - 'bio':Fairshare=2\n"
                                      "Parent - 'bio'\n"
                                      "User - 'eve':DefaultAccount='bio'\n",
                                      -1, NULL));
  record_site_expect (site, load, 0,
                      " Modifying QOS high\n Modifying account chem\n Adding account bio\n"
                      " Adding account bio, user eve\n",
                      "");
  g_assert_cmpuint (site->request_count, ==, 4);
  g_assert_cmpint (record_site_run (site, clean), ==, 0);
  g_assert_nonnull (strstr (site->out, " Deleting account phys\n"));
  g_assert_true (g_file_set_contents (file,
                                      "Cluster - 'oracle':Fairshare=1\n"
                                      "Parent - 'root'\n"
                                      "Account - 'chem'\n"
                                      "\n"
                                      "# a comment\n"
                                      "Nonsense - 'x'\n",
                                      -1, NULL));
  record_site_expect (site, load, 1, "", wrong);
  record_site_expect (site, "sacctmgr dump other", 1, "",
                      " error: There is no cluster 'other'; this one is 'oracle'\n");
  record_site_expect (site, "sacctmgr dump", 1, "", " We need a cluster to dump.\n");
  g_unlink (file);
  g_rmdir (folder);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/sacctmgr/show prints what a real one printed", test_recorded);
  g_test_add_func ("/sacctmgr/show picks what is asked for", test_which);
  g_test_add_func ("/sacctmgr show/who has changed what", test_transactions);
  g_test_add_func ("/sacctmgr show/what accounting is made of", test_config);
  g_test_add_func ("/sacctmgr show/a cluster without accounts", test_no_accounts);
  g_test_add_func ("/sacctmgr/show tells what is wrong", test_wrong);
  g_test_add_func ("/sacctmgr/what is dumped can be loaded", test_dump);
  return g_test_run ();
}
