/* tests/live/site_test.c — what a site's files say, and all that is wrong with them. */
#include "live/site/site.h"

#include <glib/gstdio.h>
#include <string.h>

#include "live/site/settings_values.h"
#include "policies/registry.h"

static const char good_conf[] = "ClusterName=Rack\n"
                                "SlurmctldHost=head(10.0.0.1)\n"
                                "SlurmctldHost=spare\n"
                                "SlurmdTimeout=0\n"
                                "KillWait=5\n"
                                "Prolog=/etc/slurm/first\n"
                                "Prolog=/etc/slurm/second.d/*\n"
                                "PrologTimeout=UNLIMITED\n"
                                "EpilogTimeout=60\n"
                                "StateSaveLocation=/srv/state\n"
                                "SlurmdSpoolDir=/srv/%n/%h%%\n"
                                "AuthType=auth/key\n"
                                "PriorityType=priority/basic\n"
                                "NodeName=n[1-4] CPUs=8 RealMemory=1000\n"
                                "PartitionName=main Nodes=ALL Default=YES\n";

typedef struct {
  char *folder;
  GPtrArray *errors;
} Site;

static char *
path_of (const Site *self, const char *name)
{
  return g_build_filename (self->folder, name, NULL);
}

static void
file_put (const Site *self, const char *name, const char *text)
{
  g_autofree char *path = path_of (self, name);
  g_assert_true (g_file_set_contents (path, text, -1, NULL));
}

static void
setup (Site *self, gconstpointer unused)
{
  (void)unused;
  self->folder = g_dir_make_tmp ("lk-site-XXXXXX", NULL);
  self->errors = g_ptr_array_new_with_free_func (g_free);
  file_put (self, "slurm.conf", good_conf);
}

static void
teardown (Site *self, gconstpointer unused)
{
  static const char *const names[] = { "slurm.conf", "cgroup.conf", "gres.conf", "accounts",
                                       "job_container.conf" };
  (void)unused;
  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    g_autofree char *path = path_of (self, names[i]);
    g_remove (path);
  }
  g_assert_cmpint (g_rmdir (self->folder), ==, 0);
  g_ptr_array_unref (self->errors);
  g_free (self->folder);
}

static LkSite *
site_open (Site *self)
{
  g_autofree char *path = path_of (self, "slurm.conf");
  LkSiteOptions options = { .conf_path = path };
  return lk_site_new (&options, self->errors);
}

static gboolean
has_error (const Site *self, const char *end)
{
  for (guint i = 0; i < self->errors->len; i++)
    if (g_str_has_suffix (g_ptr_array_index (self->errors, i), end))
      return TRUE;
  return FALSE;
}

static void
test_settings (Site *self, gconstpointer unused)
{
  (void)unused;
  file_put (self, "cgroup.conf", "ConstrainCores=yes\nCgroupPlugin=cgroup/v1\n");
  g_autoptr (LkSite) site = site_open (self);
  g_assert_nonnull (site);
  const LkSiteSettings *settings = lk_site_settings (site);
  g_assert_cmpstr (settings->cluster_name, ==, "rack");
  g_assert_cmpuint (g_strv_length (settings->controller_hosts), ==, 2);
  g_assert_cmpuint (settings->controller_port, ==, 6817);
  g_assert_cmpint (settings->node_timeout_us, ==, LK_SITE_ENDLESS_US);
  g_assert_cmpint (settings->prolog_timeout_us, ==, LK_SITE_ENDLESS_US);
  g_assert_cmpint (settings->epilog_timeout_us, ==, 60 * G_USEC_PER_SEC);
  g_assert_cmpint (settings->login_timeout_us, ==, 120 * G_USEC_PER_SEC);
  g_assert_cmpint (settings->kill_wait_us, ==, 5 * G_USEC_PER_SEC);
  g_assert_cmpstr (settings->prolog[1], ==, "/etc/slurm/second.d/*");
  g_assert_cmpuint (settings->auth, ==, LK_SITE_AUTH_KEY);
  g_assert_cmpuint (settings->cgroup_plugin, ==, LK_SITE_CGROUP_V1);
  g_assert_true (settings->constrain_cores);
  g_assert_false (settings->constrain_memory);
  g_assert_cmpuint (settings->memory_min_mib, ==, 30);
  g_autofree char *spool = lk_site_path_expand (settings->spool_dir, "h", "n1");
  g_assert_cmpstr (spool, ==, "/srv/n1/h%");
}

/* Slurm's old form of levels is a number; 0 is quiet, 9 is debug5. */
static void
test_log_levels (Site *self, gconstpointer unused)
{
  (void)unused;
  file_put (self, "slurm.conf",
            "ClusterName=c\nSlurmctldDebug=3\nSlurmdDebug=9\nNodeName=n1\n"
            "PartitionName=main Nodes=ALL\n");
  g_autoptr (LkSite) site = site_open (self);
  g_assert_nonnull (site);
  g_assert_cmpuint (lk_site_settings (site)->controller_log_level, ==, LK_SITE_LOG_INFO);
  g_assert_cmpuint (lk_site_settings (site)->agent_log_level, ==, LK_SITE_LOG_DEBUG5);
  file_put (self, "slurm.conf", "ClusterName=c\nSlurmctldDebug=10\nNodeName=n1\n");
  g_assert_null (site_open (self));
  g_assert_cmpuint (self->errors->len, ==, 1);
  g_assert_nonnull (strstr (g_ptr_array_index (self->errors, 0),
                            "slurm.conf:2: SlurmctldDebug: there is no '10'"));
}

/* PrologTimeout and EpilogTimeout go before the key that is for both. */
static void
test_timeouts (Site *self, gconstpointer unused)
{
  (void)unused;
  file_put (self, "slurm.conf",
            "ClusterName=c\nPrologEpilogTimeout=7\nEpilogTimeout=60\nNodeName=n1\n"
            "PartitionName=main Nodes=ALL\n");
  g_autoptr (LkSite) site = site_open (self);
  g_assert_nonnull (site);
  const LkSiteSettings *settings = lk_site_settings (site);
  g_assert_cmpint (settings->prolog_timeout_us, ==, 7 * G_USEC_PER_SEC);
  g_assert_cmpint (settings->epilog_timeout_us, ==, 60 * G_USEC_PER_SEC);
}

static void
test_container (Site *self, gconstpointer unused)
{
  (void)unused;
  file_put (self, "slurm.conf",
            "ClusterName=c\nJobContainerType=job_container/tmpfs\nNodeName=n1\n"
            "PartitionName=main Nodes=ALL\n");
  g_assert_null (site_open (self));
  g_assert_true (has_error (self, "job_container/tmpfs needs"));
  file_put (self, "job_container.conf", "AutoBasePath=true BasePath=/srv/%n\nDirs=/tmp,shm\n");
  g_assert_null (site_open (self));
  g_assert_true (has_error (self, "absolute paths with commas between"));
  file_put (self, "job_container.conf", "AutoBasePath=true BasePath=/srv/%n\nShared=yes\n");
  g_autoptr (LkSite) site = site_open (self);
  g_assert_nonnull (site);
  g_assert_true (lk_site_settings (site)->makes_container_base);
  g_assert_cmpstr (lk_site_settings (site)->container_dirs, ==, "/tmp,/dev/shm");
  const GPtrArray *warnings = lk_site_warnings (site);
  g_assert_true (
      g_str_has_suffix (g_ptr_array_index (warnings, warnings->len - 1), "effect here: Shared"));
}

static void
files_are (Site *self, const char *gres, const char *gres_conf, const char *expected)
{
  g_autofree char *conf = g_strdup_printf ("ClusterName=c\nGresTypes=gpu\n"
                                           "NodeName=n[1-2] CPUs=8 Gres=%s\n"
                                           "PartitionName=main Nodes=ALL\n",
                                           gres);
  file_put (self, "slurm.conf", conf);
  file_put (self, "gres.conf", gres_conf);
  g_autoptr (LkSite) site = site_open (self);
  g_assert_nonnull (site);
  const LkCluster *cluster = lk_site_engine (site)->cluster;
  g_autoptr (GPtrArray) files =
      lk_site_gpu_files (site, "n1", g_ptr_array_index (cluster->nodes, 0));
  g_ptr_array_add (files, NULL);
  g_autofree char *all = g_strjoinv (" ", (char **)files->pdata);
  g_assert_cmpstr (all, ==, expected);
}

/* By the number that the engine gives each device. */
static void
test_gpu_files (Site *self, gconstpointer unused)
{
  (void)unused;
  files_are (self, "gpu:2", "Name=gpu File=/dev/a[0-1]\n", "/dev/a0 /dev/a1");
  files_are (self, "gpu:2", "NodeName=n2 Name=gpu File=/dev/a[0-1]\n", "");
  files_are (self, "gpu:2", "NodeName=n[1-2] Name=gpu File=/dev/b\nName=gpu File=/dev/a\n",
             "/dev/b /dev/a");
  files_are (self, "gpu:x:1,gpu:y:2",
             "Name=gpu Type=y File=/dev/y[3-4]\nName=gpu Type=x File=/dev/x0\n",
             "/dev/x0 /dev/y3 /dev/y4");
  /* More than slurm.conf has are none of the node. */
  files_are (self, "gpu:1", "Name=gpu File=/dev/a[0-1]\n", "/dev/a0");
  files_are (self, "gpu:2", "AutoDetect=nvml\n", "");
}

static void
test_hosts (void)
{
  static const char *const wrong[] = { "", "(a)", "a(", "a()", "a(b)c", "a)", "a b", "a,b" };
  char *name = NULL;
  char *address = NULL;
  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++)
    g_assert_false (lk_site_host_split (wrong[i], &name, &address));
  g_assert_true (lk_site_host_split ("head(10.0.0.1)", &name, &address));
  g_assert_cmpstr (name, ==, "head");
  g_assert_cmpstr (address, ==, "10.0.0.1");
  g_free (name);
  g_free (address);
  g_assert_true (lk_site_host_split ("head", &name, &address));
  g_assert_cmpstr (address, ==, "head");
  g_free (name);
  g_free (address);
}

static void
test_engine (Site *self, gconstpointer unused)
{
  (void)unused;
  g_autoptr (LkSite) site = site_open (self);
  g_assert_nonnull (site);
  const LkEngineConfig *engine = lk_site_engine (site);
  const LkJournalHeader *header = lk_site_header (site);
  g_assert_cmpuint (engine->units_total, ==, 32);
  /* Nobody has an association but root, so that sacctmgr can add some. */
  g_assert_nonnull (engine->accounts);
  g_assert_cmpuint (engine->accounts->associations->len, ==, 2);
  g_assert_true (engine->requeues_ended);
  g_assert_false (engine->tells_standing);
  g_assert_cmpstr (engine->backfill->base.name, ==, "slurm");
  g_assert_cmpstr (engine->order->base.name, ==, "basic");
  LkDigestValue digest = lk_engine_config_digest (engine);
  g_assert_cmpuint (header->config_digest_low, ==, digest.low);
  g_assert_cmpuint (header->config_digest_high, ==, digest.high);
}

/* The machine comes from the header, whatever slurm.conf says now. */
static void
test_header (Site *self, gconstpointer unused)
{
  (void)unused;
  g_autofree char *path = path_of (self, "slurm.conf");
  LkSiteOptions options = { .conf_path = path };
  g_autoptr (LkSite) site = site_open (self);
  file_put (self, "slurm.conf",
            "KillWait=7\nNodeName=other CPUs=1\nPartitionName=main Nodes=ALL\n");
  g_autoptr (LkSite) again =
      lk_site_new_from_header (&options, lk_site_header (site), self->errors);
  g_assert_nonnull (again);
  g_assert_cmpuint (lk_site_engine (again)->units_total, ==, 32);
  g_assert_cmpint (lk_site_settings (again)->kill_wait_us, ==, 7 * G_USEC_PER_SEC);
  g_assert_cmpuint (lk_site_header (again)->config_digest_low, ==,
                    lk_site_header (site)->config_digest_low);
}

static void
test_accounts (Site *self, gconstpointer unused)
{
  (void)unused;
  file_put (self, "accounts",
            "sacctmgr -i add cluster rack\n"
            "sacctmgr -i add account physics cluster=rack\n"
            "sacctmgr -i add user ada account=physics cluster=rack\n");
  g_autoptr (LkSite) site = site_open (self);
  for (guint i = 0; i < self->errors->len; i++)
    g_test_message ("%s", (char *)g_ptr_array_index (self->errors, i));
  g_assert_nonnull (site);
  g_assert_nonnull (lk_site_engine (site)->accounts);
  g_assert_nonnull (lk_site_engine (site)->limits);
}

static void
test_errors (Site *self, gconstpointer unused)
{
  (void)unused;
  file_put (self, "slurm.conf",
            "KillWait=soon\n"
            "SlurmctldPort=99999\n"
            "AuthType=auth/magic\n"
            "Prolog=relative\n"
            "SlurmctldHost=a(b\n"
            "PreemptMode=maybe\n"
            "PriorityWeightAge=-3\n"
            "SchedulerParameters=bf_interval=never\n"
            "NodeName=n1 CPUs=x\n"
            "NodeName=n2 RealMemory=y\n"
            "PartitionName=main Nodes=ALL\n");
  file_put (self, "cgroup.conf", "ConstrainCores=perhaps\n");
  file_put (self, "accounts", "sacctmgr nonsense\n");
  g_assert_null (site_open (self));
  static const char *const lines[] = { ":1:", ":2:", ":3:", ":4:", ":5:",
                                       ":6:", ":7:", ":8:", ":9:", ":10:" };
  for (guint i = 0; i < G_N_ELEMENTS (lines); i++) {
    g_autofree char *place = g_strconcat ("slurm.conf", lines[i], NULL);
    guint count = 0;
    for (guint j = 0; j < self->errors->len; j++)
      count += strstr (g_ptr_array_index (self->errors, j), place) != NULL ? 1 : 0;
    g_assert_cmpuint (count, ==, 1);
  }
  g_assert_true (has_error (self, "KillWait is 'soon'; expected a whole number from 0 to "
                                  "4294967295"));
  g_assert_cmpuint (self->errors->len, ==, 12);
}

/* Nothing else is told when lines of partitions and topologies are wrong, one by one. */
static void
test_parts (Site *self, gconstpointer unused)
{
  (void)unused;
  file_put (self, "slurm.conf",
            "NodeName=n1 CPUs=1\n"
            "PartitionName=a Nodes=nowhere\n"
            "PartitionName=b Nodes=n1 MaxTime=x\n"
            "PartitionName=c Nodes=n1\n"
            "TopologyPlugin=topology/fractal\n");
  g_assert_null (site_open (self));
  g_assert_cmpuint (self->errors->len, ==, 3);
}

static void
test_warnings (Site *self, gconstpointer unused)
{
  (void)unused;
  file_put (self, "slurm.conf",
            "SchedulerParameters=nonsense\n"
            "MpiDefault=pmix\n"
            "NodeName=n1 CPUs=1\n"
            "PartitionName=a Nodes=n1\n");
  g_autoptr (LkSite) site = site_open (self);
  g_assert_nonnull (site);
  const GPtrArray *warnings = lk_site_warnings (site);
  g_assert_cmpuint (warnings->len, ==, 2);
  g_assert_nonnull (strstr (g_ptr_array_index (warnings, 0), "without effect here: MpiDefault"));
  g_assert_nonnull (strstr (g_ptr_array_index (warnings, 1), "nonsense"));
}

/* Values of Slurm that the daemons know by another text, or heed in part. */
static void
test_values (Site *self, gconstpointer unused)
{
  (void)unused;
  static const struct {
    const char *line;
    const char *warning; /* NULL: none */
    guint auth;
    guint health;
    guint port;
  } cases[] = {
    { "AuthType=auth/none", "AuthType=auth/none: no daemon is believed without a proof",
      LK_SITE_AUTH_MUNGE, LK_SITE_HEALTH_ANY, 6817 },
    { "AuthType=auth/slurm", "AuthType=auth/slurm: auth/key is used", LK_SITE_AUTH_KEY,
      LK_SITE_HEALTH_ANY, 6817 },
    { "AuthType=\"\"", NULL, LK_SITE_AUTH_MUNGE, LK_SITE_HEALTH_ANY, 6817 },
    { "SlurmctldPort=6820-6830", "SlurmctldPort=6820-6830: the controller listens on the first",
      LK_SITE_AUTH_MUNGE, LK_SITE_HEALTH_ANY, 6820 },
    { "HealthCheckNodeState=IDLE,CYCLE", "CYCLE is without effect", LK_SITE_AUTH_MUNGE,
      LK_SITE_HEALTH_IDLE, 6817 },
    { "HealthCheckNodeState=Alloc,Mixed", NULL, LK_SITE_AUTH_MUNGE, LK_SITE_HEALTH_ALLOC, 6817 },
    { "HealthCheckNodeState=IDLE,ALLOC", NULL, LK_SITE_AUTH_MUNGE, LK_SITE_HEALTH_ANY, 6817 },
    { "HealthCheckNodeState=CYCLE", "CYCLE is without effect", LK_SITE_AUTH_MUNGE,
      LK_SITE_HEALTH_ANY, 6817 },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *text =
        g_strdup_printf ("%s\nNodeName=n1 CPUs=1\nPartitionName=a Nodes=n1\n", cases[i].line);
    file_put (self, "slurm.conf", text);
    g_autoptr (LkSite) site = site_open (self);
    g_assert_nonnull (site);
    const LkSiteSettings *settings = lk_site_settings (site);
    const GPtrArray *warnings = lk_site_warnings (site);
    g_assert_cmpuint (settings->auth, ==, cases[i].auth);
    g_assert_cmpuint (settings->health_state, ==, cases[i].health);
    g_assert_cmpuint (settings->controller_port, ==, cases[i].port);
    g_assert_cmpuint (warnings->len, ==, cases[i].warning != NULL ? 1 : 0);
    if (cases[i].warning != NULL)
      g_assert_nonnull (strstr (g_ptr_array_index (warnings, 0), cases[i].warning));
  }
  file_put (self, "slurm.conf", "HealthCheckNodeState=IDLE,BUSY\nNodeName=n1\n");
  g_assert_null (site_open (self));
  file_put (self, "slurm.conf", "SlurmctldPort=6830-6820\nNodeName=n1\n");
  g_assert_null (site_open (self));
}

/* The beginnings of messages behind the folder, in this order, and no others. */
static void
errors_are (Site *self, const char *const *expected)
{
  guint count = g_strv_length ((char **)expected);
  g_assert_null (site_open (self));
  for (guint i = 0; i < self->errors->len; i++)
    g_test_message ("%s", (const char *)g_ptr_array_index (self->errors, i));
  g_assert_cmpuint (self->errors->len, ==, count);
  for (guint i = 0; i < count; i++) {
    const char *error = g_ptr_array_index (self->errors, i);
    g_assert_true (g_str_has_prefix (error, self->folder));
    error += strlen (self->folder) + 1;
    g_assert_true (g_str_has_prefix (error, expected[i]));
  }
}

/* Readers, files and stages hide nothing of each other, and nothing is told that only follows. */
static void
test_whole (Site *self, gconstpointer unused)
{
  (void)unused;
  file_put (self, "slurm.conf",
            "SlurmctldHots=a\n"
            "what is this\n"
            "PriorityWeightQOS=x\n"
            "NodeNme=n[5-6] CPUs=4 Foo=1\n"
            "NodeName=n[1-4] CPUs=x RealMemory=y State=Z Gres=fpga:1\n"
            "Include nowhere.conf\n"
            "PartitionName=main Nodes=n[1-5],zz MaxTime=never State=gone MaxTme=1\n"
            "PriorityWeightAge=-1\n"
            "SchedulerParameters=bf_interval=never,bf_window=z\n"
            "PreemptMode=maybe,GANGG\n");
  file_put (self, "cgroup.conf", "ConstrainCors=yes\nConstrainRAMSpace=perhaps\n");
  file_put (self, "gres.conf", "Name=gpu Fil=/dev/x\nName=gpu Count=zz\n");
  file_put (self, "accounts",
            "sacctmgr -i add account a clusterr=rack\nsacctmgr -i add user u account=b\n");
  static const char *const expected[] = {
    "slurm.conf:1: SlurmctldHots: no version of Slurm has this key; did you mean 'SlurmctldHost'?",
    "slurm.conf:2: 'what' is not KEY=VALUE",
    "slurm.conf:3: PriorityWeightQOS is 'x'",
    "slurm.conf:4: NodeNme: no version of Slurm has this key; did you mean 'NodeName'?",
    "slurm.conf:5: NodeName=n[1-4]: CPUs is 'x'",
    "slurm.conf:5: NodeName=n[1-4]: RealMemory is 'y'",
    "slurm.conf:5: NodeName=n[1-4]: State is 'Z'",
    "slurm.conf:5: NodeName=n[1-4]: Gres: 'fpga' is not among GresTypes",
    "slurm.conf:6: Include: cannot read",
    "slurm.conf:7: PartitionName=main: MaxTme: no version of Slurm has this key",
    "slurm.conf:7: PartitionName=main: MaxTime is 'never'",
    "slurm.conf:7: PartitionName=main: State is 'gone'",
    "slurm.conf:8: PriorityWeightAge is '-1'",
    "slurm.conf:9: SchedulerParameters: bf_interval is 'never'",
    "slurm.conf:9: SchedulerParameters: bf_window is 'z'",
    "slurm.conf:10: PreemptMode: there is no 'maybe'",
    "slurm.conf:10: PreemptMode: there is no 'GANGG'",
    "cgroup.conf:1: ConstrainCors: no version of Slurm has this key; did you mean "
    "'ConstrainCores'?",
    "cgroup.conf:2: ConstrainRAMSpace is 'perhaps'",
    "gres.conf:1: Name=gpu: Fil: no version of Slurm has this key; did you mean 'File'?",
    "gres.conf:2: Name=gpu: Count is 'zz'",
    "accounts:1: ",
    "accounts:2: there is no account 'b'",
    NULL,
  };
  errors_are (self, expected);
}

/* What the engine checks of the whole is told of each part of it. */
static void
test_together (Site *self, gconstpointer unused)
{
  (void)unused;
  file_put (self, "slurm.conf",
            "ClusterName=c\n"
            "NodeName=n1 CPUs=1\n"
            "PartitionName=a Nodes=n1 MinNodes=3 MaxNodes=2\n"
            "PartitionName=b Nodes=n1 MinNodes=5 MaxNodes=4\n"
            "PartitionName=c Nodes=n1,n7,n8\n"
            "DownNodes=n9 State=DOWN\n");
  static const char *const first[] = {
    "slurm.conf:5: PartitionName=c: Nodes: there is no NodeName for 'n7'",
    "slurm.conf:5: PartitionName=c: Nodes: there is no NodeName for 'n8'",
    "slurm.conf:6: DownNodes=n9: DownNodes: there is no NodeName for 'n9'",
    NULL,
  };
  const char *const all[] = { "slurm.conf:3: PartitionName=a: MaxNodes: is 2",
                              "slurm.conf:4: PartitionName=b: MaxNodes: is 4",
                              first[0],
                              first[1],
                              first[2],
                              NULL };
  errors_are (self, all);
}

/* What cannot be read may have described what seems to be missing. */
static void
test_follows (Site *self, gconstpointer unused)
{
  (void)unused;
  static const char *const unread[][2] = {
    { "NodeName n[1-4] CPUs=4", "slurm.conf:2: 'NodeName' is not KEY=VALUE" },
    { "NodeName=n[1-4 CPUs=4", "slurm.conf:2: NodeName=n[1-4" },
    { "NodeNme=n[1-4] CPUs=4", "slurm.conf:2: NodeNme: no version of Slurm" },
    { "Include gone.conf", "slurm.conf:2: Include: cannot read" },
    { "NodeName=n[1-4] CPUs=\"4", "slurm.conf:2: CPUs has a quote" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (unread); i++) {
    g_autofree char *text = g_strdup_printf ("ClusterName=c\n%s\nDownNodes=n4\n"
                                             "PartitionName=main Nodes=n[1-3]\n",
                                             unread[i][0]);
    const char *const expected[] = { unread[i][1], NULL };
    g_ptr_array_set_size (self->errors, 0);
    file_put (self, "slurm.conf", text);
    errors_are (self, expected);
  }
}

static void
test_containers (Site *self, gconstpointer unused)
{
  (void)unused;
  file_put (self, "slurm.conf",
            "ClusterName=c\nJobContainerType=job_container/tmpfs\nNodeName=n[1-4]\n"
            "PartitionName=main Nodes=ALL\n");
  file_put (self, "job_container.conf",
            "BasePath=/srv/all\nNodeName=n[1-2] BasePath=/nvme/%n AutoBasePath=yes\n"
            "NodeName=n3 Dirs=/tmp\n");
  g_autoptr (LkSite) site = site_open (self);
  g_assert_nonnull (site);
  const LkSiteSettings *settings = lk_site_settings (site);
  LkSiteFolders folders = lk_site_folders_of (settings, "n2");
  g_assert_cmpstr (folders.base, ==, "/nvme/%n");
  g_assert_true (folders.makes_base);
  g_assert_cmpstr (folders.dirs, ==, "/tmp,/dev/shm");
  folders = lk_site_folders_of (settings, "n3");
  g_assert_cmpstr (folders.base, ==, "/srv/all");
  g_assert_cmpstr (folders.dirs, ==, "/tmp");
  g_assert_false (folders.makes_base);
  folders = lk_site_folders_of (settings, "n4");
  g_assert_cmpstr (folders.base, ==, "/srv/all");
  g_assert_cmpstr (folders.dirs, ==, "/tmp,/dev/shm");
  guint64 digest = lk_site_settings_digest (settings);
  file_put (self, "job_container.conf",
            "BasePath=/srv/all\nNodeName=n[1-2] BasePath=/nvme/%n AutoBasePath=yes\n"
            "NodeName=n3 Dirs=/dev/shm\n");
  g_autoptr (LkSite) other = site_open (self);
  g_assert_nonnull (other);
  g_assert_cmpuint (lk_site_settings_digest (lk_site_settings (other)), !=, digest);
}

static void
test_containers_wrong (Site *self, gconstpointer unused)
{
  (void)unused;
  file_put (self, "slurm.conf",
            "ClusterName=c\nJobContainerType=job_container/tmpfs\nNodeName=n[1-4]\n"
            "PartitionName=main Nodes=ALL\n");
  file_put (self, "job_container.conf",
            "NodeName=n[ BasePath=/nvme\nNodeName=n3 Dirs=tmp BasePath=x BaseParh=y\n");
  static const char *const expected[] = {
    "job_container.conf: BasePath is missing",
    "job_container.conf:1: NodeName is 'n['",
    "job_container.conf:2: BasePath is 'x'; expected an absolute path",
    "job_container.conf:2: Dirs has 'tmp'",
    "job_container.conf:2: BaseParh: no version of Slurm has this key; did you mean 'BasePath'?",
    NULL,
  };
  errors_are (self, expected);
}

static void
test_tokens (void)
{
  static const struct {
    const char *parameters;
    gboolean is_good;
    const char *key;
    gboolean are_trusted;
    guint64 life_max_s;
  } rows[] = {
    { "", TRUE, NULL, FALSE, 0 },
    { "jwt_key=/etc/jwt.key", TRUE, "/etc/jwt.key", FALSE, 0 },
    { "disable_token_creation,jwt_key=/k", TRUE, "/k", TRUE, 0 },
    { "jwt_key=/a,max_token_lifespan=3600,jwt_key=/b", TRUE, "/b", FALSE, 3600 },
    { "jwt_key=jwt.key", FALSE, NULL, FALSE, 0 },
    { "jwks=/etc/jwks.json", FALSE, NULL, FALSE, 0 },
    { "max_token_lifespan=0", FALSE, NULL, FALSE, 0 },
    { "jwt_key=/k,rubbish", FALSE, NULL, FALSE, 0 },
  };
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    LkSiteTokens tokens = { NULL };
    g_assert_cmpint (lk_site_tokens_read (rows[i].parameters, &tokens), ==, rows[i].is_good);
    g_assert_cmpstr (tokens.key, ==, rows[i].key);
    g_assert_cmpint (tokens.are_trusted, ==, rows[i].are_trusted);
    g_assert_cmpuint (tokens.life_max_s, ==, rows[i].life_max_s);
    g_free (tokens.key);
  }
}

static void
test_bounds (void)
{
  static const struct {
    const char *parameters;
    const char *wrong;
    gboolean has_rate;
    guint64 bucket_count;
    guint64 user_payload_mib;
  } rows[] = {
    { "", NULL, FALSE, 30, 256 },
    { "rl_enable", NULL, TRUE, 30, 256 },
    { "enable_configless,rl_enable, rl_bucket_size=7", NULL, TRUE, 7, 256 },
    { "user_payload_mib=0,payload_mib=10", NULL, FALSE, 30, 0 },
    { "rl_bucket_size=0", "rl_bucket_size=0", FALSE, 0, 0 },
    { "rl_enable,rl_refill_rate=x", "rl_refill_rate=x", FALSE, 0, 0 },
    { "user_payload_mib=-1", "user_payload_mib=-1", FALSE, 0, 0 },
  };
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    LkSiteBounds bounds = { 0 };
    g_autofree char *word = NULL;
    g_assert_cmpint (lk_site_bounds_read (rows[i].parameters, &bounds, &word), ==,
                     rows[i].wrong == NULL);
    g_assert_cmpstr (word, ==, rows[i].wrong);
    g_assert_cmpint (bounds.has_rate, ==, rows[i].has_rate);
    g_assert_cmpuint (bounds.bucket_count, ==, rows[i].bucket_count);
    g_assert_cmpuint (bounds.user_payload_mib, ==, rows[i].user_payload_mib);
  }
}

/* Numbers above 4 MiB are as 4 MiB; what is no number is an error. */
static void
test_script_size (Site *self, gconstpointer unused)
{
  static const struct {
    const char *parameters;
    guint64 max_bytes; /* 0: refused */
  } rows[] = {
    { "defer", 4194304 },
    { "defer,Max_Script_Size=70000", 70000 },
    { "max_script_size=8388608", 4194304 },
    { "max_script_size=64K", 0 },
    { "max_script_size=0", 0 },
    { "max_script_size=", 0 },
  };
  (void)unused;
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autofree char *text = g_strdup_printf ("SchedulerParameters=%s\n"
                                             "NodeName=n1 CPUs=1\n"
                                             "PartitionName=a Nodes=n1\n",
                                             rows[i].parameters);
    file_put (self, "slurm.conf", text);
    g_ptr_array_set_size (self->errors, 0);
    g_autoptr (LkSite) site = site_open (self);
    g_assert_cmpint (site != NULL, ==, rows[i].max_bytes != 0);
    if (site != NULL)
      g_assert_cmpuint (lk_site_script_max_bytes (site), ==, rows[i].max_bytes);
    else
      g_assert_true (has_error (self, "expected max_script_size as a whole number of bytes, 1 or "
                                      "more"));
  }
}

static void
test_page (void)
{
  g_autofree char *path = g_build_filename (LK_SOURCE_DIR, "docs", "site.md", NULL);
  g_autofree char *page = NULL;
  g_autoptr (GString) table = g_string_new (NULL);
  lk_site_settings_markdown (table);
  g_assert_true (g_file_get_contents (path, &page, NULL, NULL));
  if (strstr (page, table->str) == NULL)
    g_test_message ("%s", table->str);
  g_assert_nonnull (strstr (page, table->str));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define SITE_TEST(path, function) g_test_add (path, Site, NULL, setup, function, teardown)
  SITE_TEST ("/site/settings are read in their units, with Slurm's defaults", test_settings);
  SITE_TEST ("/site/gres.conf names the files of GPUs", test_gpu_files);
  SITE_TEST ("/site/jobs may have folders of their own", test_container);
  SITE_TEST ("/site/levels of logs are words or numbers", test_log_levels);
  SITE_TEST ("/site/one key gives the time of prologs and epilogs", test_timeouts);
  g_test_add_func ("/site/a host has a name and perhaps an address", test_hosts);
  g_test_add_func ("/site/AuthAltParameters says how there are tokens", test_tokens);
  SITE_TEST ("/site/machine and policies are those of slurm.conf", test_engine);
  SITE_TEST ("/site/a journal's header gives its machine again", test_header);
  SITE_TEST ("/site/accounts stand in a file beside slurm.conf", test_accounts);
  SITE_TEST ("/site/all errors are told, each with its line, and once", test_errors);
  SITE_TEST ("/site/partitions and topology are looked at apart", test_parts);
  SITE_TEST ("/site/what is not heeded is told", test_warnings);
  SITE_TEST ("/site/max_script_size is a number of bytes", test_script_size);
  SITE_TEST ("/site/values that Slurm knows by another text", test_values);
  SITE_TEST ("/site/all files and readers tell what is wrong, in the order of lines", test_whole);
  SITE_TEST ("/site/what is wrong only together is told of each part", test_together);
  SITE_TEST ("/site/what only follows from something is not told", test_follows);
  SITE_TEST ("/site/nodes may have folders of their own", test_containers);
  SITE_TEST ("/site/what is wrong with these is told", test_containers_wrong);
  g_test_add_func ("/site/what users may keep and how often they may ask", test_bounds);
  g_test_add_func ("/site/the page has the table of keys", test_page);
  return g_test_run ();
}
