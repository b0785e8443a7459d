/* tests/engine/accounts_nodes_test.c — accounts on a machine of nodes: what is counted for jobs
 * that were placed, limits on it, QOS of partitions, lists of partitions. */
#include "tests/engine/node_fixture.h"
#include "tests/engine/reservation_fixture.h"

/* n1 to n4 with 4 cores, 8000 MiB and two GPUs each; account phys with alice and bob. */
typedef struct {
  LkFixture fixture;
  LkCluster *cluster;
  LkAccounts *accounts;
} Site;

static void
site_prepare (Site *self)
{
  self->cluster = lk_cluster_new ("four");
  LkNodeSpec *nodes = node_fixture_add (self->cluster, "n[1-4]", 4, 8000);
  lk_node_spec_add_gres (nodes, "gpu", "", 2);
  self->accounts = lk_accounts_new ("four");
  lk_accounts_add_tres (self->accounts, "gres/gpu");
  lk_accounts_add_account (self->accounts, "phys", "root");
  lk_accounts_add_user (self->accounts, "alice", "phys", "");
  lk_accounts_add_user (self->accounts, "bob", "phys", "");
  self->accounts->half_life_us = 0;
  self->accounts->reset = LK_RESET_YEARLY;
  self->accounts->enforce = LK_ENFORCE_LIMITS | LK_ENFORCE_QOS;
}

static void
site_start (Site *self)
{
  LkAccountsError error;
  LkSetupOptions options = { .origin_us = LK_TIME_NEVER,
                             .order = "fifo",
                             .backfill = "easy",
                             .select = "cons_tres",
                             .cluster = self->cluster,
                             .accounts = self->accounts };
  node_fixture_check (self->cluster);
  if (!lk_accounts_check (self->accounts, &error))
    g_error ("%s: %s", error.member, error.text);
  fixture_init_with (&self->fixture, &options);
  self->fixture.tells_places = TRUE;
}

static void
site_clear (Site *self)
{
  fixture_clear (&self->fixture);
  lk_cluster_free (self->cluster);
  lk_accounts_free (self->accounts);
}

static void
submit (Site *self, guint32 id, const char *user, gint64 estimate_s, const char *line)
{
  LkEvent event = { .kind = LK_EVENT_SUBMIT };
  LkJobRequest request = node_fixture_request (line);
  request.user = lk_text (user);
  event.submit.job_id = id;
  event.submit.procs = lk_job_request_cpus (&request);
  event.submit.estimate_us = estimate_s * G_USEC_PER_SEC;
  lk_submit_set_request (&event.submit, &request);
  g_assert_cmpint (fixture_apply (&self->fixture, 0, &event), ==, LK_STATUS_OK);
}

static void
set_limit (Site *self, const char *user, guint32 kind, guint32 tres, guint64 value)
{
  lk_limits_set (lk_accounts_find (self->accounts, "phys", user, "")->limits, kind, tres, TRUE,
                 value);
}

static const LkUse *
use_of (const Site *self, const char *user)
{
  const LkBook *book = lk_engine_book (self->fixture.engine);
  const LkAssociationSpec *wanted = lk_accounts_find (book->spec, "phys", user, "");
  for (guint32 i = 0; i < book->view.association_count; i++)
    if (g_ptr_array_index (book->spec->associations, i) == wanted)
      return &book->view.associations[i].use;
  g_assert_not_reached ();
}

/* ---------------------------------------------------------------- what is counted */

static void
test_counted (void)
{
  Site site;
  site_prepare (&site);
  set_limit (&site, "", LK_LIMIT_GRP_TRES, LK_TRES_NODE, 3);
  site_start (&site);
  submit (&site, 1, "alice", 60, "-n2 --mem=1000 --gres=gpu:1");
  submit (&site, 2, "bob", 60, "-n1 --mem=500");
  submit (&site, 3, "bob", 60, "-N1 -n4 --mem-per-cpu=100");
  node_fixture_pass (&site.fixture, 0);
  const LkUse *phys = use_of (&site, "");
  g_assert_cmpuint (phys->running, ==, 3);
  g_assert_cmpuint (phys->tres[LK_TRES_CPU], ==, 7);
  g_assert_cmpuint (phys->tres[LK_TRES_MEMORY], ==, 1900);
  g_assert_cmpuint (phys->tres[LK_TRES_BILLING], ==, 7);
  g_assert_cmpuint (phys->tres[LK_TRES_FIXED], ==, 1);
  /* Two jobs share n1: the group has two nodes, bob has two, alice one. */
  g_assert_cmpuint (phys->tres[LK_TRES_NODE], ==, 2);
  g_assert_cmpuint (use_of (&site, "bob")->tres[LK_TRES_NODE], ==, 2);
  g_assert_cmpuint (use_of (&site, "alice")->tres[LK_TRES_NODE], ==, 1);
  g_assert_cmpuint (phys->tres_run_s[LK_TRES_CPU], ==, 7 * 60);
  fixture_ended (&site.fixture, 30, 1);
  g_assert_cmpuint (phys->tres[LK_TRES_NODE], ==, 2);
  g_assert_cmpfloat (phys->usage, ==, 60);
  g_assert_cmpfloat (phys->tres_s[LK_TRES_MEMORY], ==, 30000);
  fixture_ended (&site.fixture, 40, 3);
  g_assert_cmpuint (phys->tres[LK_TRES_NODE], ==, 1);
  fixture_ended (&site.fixture, 50, 2);
  g_assert_cmpuint (phys->tres[LK_TRES_NODE], ==, 0);
  g_assert_cmpuint (phys->tres_run_s[LK_TRES_CPU], ==, 0);
  site_clear (&site);
}

/* How many nodes they have, of the association of the user in phys. */
static guint64
nodes_of (const Site *self, const char *user)
{
  const LkBook *book = lk_engine_book (self->fixture.engine);
  const LkUse *wanted = use_of (self, user);
  guint64 nodes[16];
  g_assert_cmpuint (book->holders->len, <=, G_N_ELEMENTS (nodes));
  lk_engine_book_nodes (self->fixture.engine, 0, book->holders->len, nodes);
  for (guint32 i = 0; i < book->holders->len; i++) {
    guint64 alone;
    lk_engine_book_nodes (self->fixture.engine, i, 1, &alone);
    g_assert_cmpuint (alone, ==, nodes[i]);
  }
  for (guint32 i = 0; i < book->view.association_count; i++)
    if (&book->view.associations[i].use == wanted)
      return nodes[i];
  g_assert_not_reached ();
}

/* Nobody limits nodes: the books add them up, and who asks is told each node once. */
static void
test_nodes_asked (void)
{
  Site site;
  site_prepare (&site);
  site_start (&site);
  submit (&site, 1, "alice", 60, "-n2 --mem=1000");
  submit (&site, 2, "bob", 60, "-n1 --mem=500");
  submit (&site, 3, "bob", 60, "-N1 -n4 --mem-per-cpu=100");
  submit (&site, 4, "bob", 60, "-n1 --mem=100");
  g_assert_cmpuint (nodes_of (&site, ""), ==, 0);
  node_fixture_pass (&site.fixture, 0);
  g_assert_cmpuint (use_of (&site, "")->tres[LK_TRES_NODE], ==, 4);
  g_assert_cmpuint (nodes_of (&site, ""), ==, 2);
  g_assert_cmpuint (nodes_of (&site, "bob"), ==, 2);
  g_assert_cmpuint (nodes_of (&site, "alice"), ==, 1);
  fixture_ended (&site.fixture, 40, 3);
  g_assert_cmpuint (nodes_of (&site, "bob"), ==, 1);
  site_clear (&site);
}

/* A job that goes on without a node has less from then on. */
static void
test_lost_node (void)
{
  Site site;
  site_prepare (&site);
  site_start (&site);
  submit (&site, 1, "alice", 600, "-N2 -n8 --mem=100 --no-kill");
  node_fixture_pass (&site.fixture, 0);
  g_assert_cmpuint (use_of (&site, "")->tres[LK_TRES_CPU], ==, 8);
  node_fixture_node (&site.fixture, 10, LK_EVENT_NODE_DOWN, "n2");
  g_assert_cmpuint (use_of (&site, "")->tres[LK_TRES_CPU], ==, 4);
  g_assert_cmpuint (use_of (&site, "")->running, ==, 1);
  fixture_ended (&site.fixture, 20, 1);
  g_assert_cmpfloat (use_of (&site, "")->usage, ==, 8 * 10 + 4 * 10);
  site_clear (&site);
}

/* Who waits for what it had need not wait for its end. */
static void
test_lost_node_frees (void)
{
  Site site;
  site_prepare (&site);
  set_limit (&site, "", LK_LIMIT_GRP_TRES, LK_TRES_CPU, 8);
  site_start (&site);
  submit (&site, 1, "alice", 600, "-N2 -n8 --mem=100 --no-kill");
  node_fixture_pass (&site.fixture, 0);
  submit (&site, 2, "bob", 60, "-n4 --mem=1");
  g_string_truncate (site.fixture.log, 0);
  node_fixture_node (&site.fixture, 10, LK_EVENT_NODE_DOWN, "n2");
  g_assert_true (lk_engine_pass_wanted (site.fixture.engine));
  node_fixture_pass (&site.fixture, 10);
  g_assert_nonnull (strstr (site.fixture.log->str, "start 2"));
  site_clear (&site);
}

/* ---------------------------------------------------------------- limits */

typedef struct {
  const char *rule;
  const char *user; /* whose limit; "" the account's */
  guint32 kind;
  guint32 tres;
  guint64 value;
  const char *line;
  const char *log;
} Row;

static const Row rows[] = {
  { "cpus of a job", "alice", LK_LIMIT_MAX_TRES_PER_JOB, LK_TRES_CPU, 3, "-n4 --mem=1",
    "PENDING 1 AssocMaxCpuPerJobLimit; accept 1" },
  { "memory of a group", "", LK_LIMIT_GRP_TRES, LK_TRES_MEMORY, 999, "-n1 --mem=1000",
    "PENDING 1 AssocGrpMemLimit; accept 1" },
  { "gpus of a group", "", LK_LIMIT_GRP_TRES, LK_TRES_FIXED, 1, "-n1 --mem=1 --gres=gpu:2",
    "PENDING 1 AssocGrpGRES; accept 1" },
  { "gpus in all", "", LK_LIMIT_GRP_TRES, LK_TRES_FIXED, 1, "-n2 --mem=1 --gpus=2",
    "PENDING 1 AssocGrpGRES; accept 1" },
  { "whole nodes count whole", "", LK_LIMIT_GRP_TRES, LK_TRES_CPU, 3, "-n1 --mem=1 --exclusive",
    "PENDING 1 AssocGrpCpuLimit; accept 1" },
  { "nodes of a job", "alice", LK_LIMIT_MAX_TRES_PER_JOB, LK_TRES_NODE, 1, "-N2 --mem=1",
    "PENDING 1 AssocMaxNodePerJobLimit; accept 1" },
  { "as many nodes as are allowed", "alice", LK_LIMIT_MAX_TRES_PER_JOB, LK_TRES_NODE, 2,
    "-N1-4 -n4 --mem=1", "accept 1; start 1 n[1-2]; wake 60" },
  { "cpus of a node", "alice", LK_LIMIT_MAX_TRES_PER_NODE, LK_TRES_CPU, 3, "-N1 -n4 --mem=1",
    "PENDING 1 AssocMaxCpuPerNode; accept 1" },
  { "minutes of a job", "alice", LK_LIMIT_MAX_TRES_MINS_PER_JOB, LK_TRES_CPU, 3, "-n4 --mem=1",
    "PENDING 1 AssocMaxCpuMinutesPerJobLimit; accept 1" },
  { "minutes of running jobs", "", LK_LIMIT_GRP_TRES_RUN_MINS, LK_TRES_CPU, 3, "-n4 --mem=1",
    "PENDING 1 AssocGrpCPURunMinutesLimit; accept 1" },
  { "just allowed", "", LK_LIMIT_GRP_TRES, LK_TRES_CPU, 4, "-n4 --mem=1",
    "accept 1; start 1 n1; wake 60" },
};

static void
test_limit (gconstpointer data)
{
  const Row *row = data;
  Site site;
  site_prepare (&site);
  set_limit (&site, row->user, row->kind, row->tres, row->value);
  site_start (&site);
  submit (&site, 1, "alice", 60, row->line);
  node_fixture_pass (&site.fixture, 0);
  fixture_assert_log (&site.fixture, row->log);
  site_clear (&site);
}

/* Nodes that the group has already are no more: a second job may share them, but not a third that
 * needs another one. */
static void
test_shared_nodes (void)
{
  Site site;
  site_prepare (&site);
  set_limit (&site, "", LK_LIMIT_GRP_TRES, LK_TRES_NODE, 1);
  site_start (&site);
  submit (&site, 1, "alice", 60, "-n2 --mem=1");
  submit (&site, 2, "bob", 60, "-n2 --mem=1");
  submit (&site, 3, "bob", 60, "-n1 --mem=1");
  node_fixture_skip (&site.fixture);
  node_fixture_pass (&site.fixture, 0);
  fixture_assert_log (&site.fixture,
                      "start 1 n1; start 2 n1; PENDING 3 AssocGrpNodeLimit; wake 60");
  fixture_ended (&site.fixture, 10, 1);
  node_fixture_pass (&site.fixture, 10);
  fixture_assert_log (&site.fixture, "COMPLETED 1; start 3 n1");
  site_clear (&site);
}

/* ---------------------------------------------------------------- partitions */

static LkPartitionSpec *
add_partition (Site *self, const char *name, guint32 tier, const char *qos)
{
  LkPartitionSpec *partition = lk_cluster_add_partition (self->cluster, name);
  partition->priority_tier = tier;
  g_free (partition->nodes);
  partition->nodes = g_strdup ("ALL");
  g_free (partition->qos);
  partition->qos = g_strdup (qos);
  return partition;
}

/* The QOS of a partition limits who runs in it; a job counts in both. */
static void
test_partition_qos (void)
{
  Site site;
  site_prepare (&site);
  add_partition (&site, "main", 1, "")->is_default = TRUE;
  add_partition (&site, "few", 1, "few");
  lk_limits_set (lk_accounts_add_qos (site.accounts, "few")->limits, LK_LIMIT_MAX_JOBS_PER_USER, 0,
                 TRUE, 1);
  site_start (&site);
  submit (&site, 1, "alice", 60, "-n1 --mem=1 -p few");
  submit (&site, 2, "alice", 60, "-n1 --mem=1 -p few");
  submit (&site, 3, "alice", 60, "-n1 --mem=1");
  node_fixture_skip (&site.fixture);
  node_fixture_pass (&site.fixture, 0);
  fixture_assert_log (&site.fixture, "start 1 n1; PENDING 2 QOSMaxJobsPerUserLimit; start 3 n1; "
                                     "wake 60");
  fixture_ended (&site.fixture, 10, 1);
  node_fixture_pass (&site.fixture, 10);
  fixture_assert_log (&site.fixture, "COMPLETED 1; start 2 n1");
  site_clear (&site);
}

static void
test_partition_list (void)
{
  Site site;
  site_prepare (&site);
  add_partition (&site, "low", 1, "")->is_default = TRUE;
  add_partition (&site, "high", 9, "");
  site_start (&site);
  submit (&site, 1, "alice", 60, "-n1 --mem=1 -p low,high");
  submit (&site, 2, "alice", 60, "-n1 --mem=1 -p low,nowhere");
  const LkRequest *request = lk_engine_job_request (site.fixture.engine, 1);
  g_assert_cmpuint (request->partition, ==, 1);
  g_assert_cmpuint (request->partitions->len, ==, 2);
  g_autofree char *expected =
      g_strdup_printf ("accept 1; reject 2 %d", LK_REJECT_PARTITION_UNKNOWN);
  fixture_assert_log (&site.fixture, expected);
  site_clear (&site);
}

/* Without a time limit a job gets what its limits allow. */
static void
test_time_limit (void)
{
  Site site;
  LkJobInfo info;
  site_prepare (&site);
  set_limit (&site, "alice", LK_LIMIT_MAX_WALL_PER_JOB, 0, 3);
  site_start (&site);
  submit (&site, 1, "alice", 0, "-n1 --mem=1");
  g_assert_true (lk_engine_job (site.fixture.engine, 1, &info));
  g_assert_cmpint (info.estimate_us, ==, G_GINT64_CONSTANT (180) * G_USEC_PER_SEC);
  site_clear (&site);
}

/* An account that there is not may use nothing, so that nobody means it. */
static void
test_reservation_accounts (void)
{
  Site site;
  const guint32 changes = 1u << 10; /* accounts */
  site_prepare (&site);
  site.accounts->enforce |= LK_ENFORCE_ASSOCIATIONS;
  site_start (&site);
  Reservation asked = { .name = "r", .start_s = 10, .duration_s = 60, .nodes = "n1" };
  asked.accounts = "phys,nosuch";
  reservation_create (&site.fixture, 0, &asked);
  g_assert_nonnull (strstr (site.fixture.log->str, "reject 0 25"));
  g_string_truncate (site.fixture.log, 0);
  asked.accounts = "phys";
  reservation_create (&site.fixture, 0, &asked);
  g_assert_null (strstr (site.fixture.log->str, "reject"));
  asked.accounts = "nosuch";
  reservation_update (&site.fixture, 0, changes, &asked);
  g_assert_nonnull (strstr (site.fixture.log->str, "reject 0 25"));
  site_clear (&site);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/accounts on nodes/what is counted", test_counted);
  g_test_add_func ("/accounts on nodes/each node once for who asks", test_nodes_asked);
  g_test_add_func ("/accounts on nodes/a lost node", test_lost_node);
  g_test_add_func ("/accounts on nodes/a lost node lets others start", test_lost_node_frees);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autofree char *path = g_strdup_printf ("/accounts on nodes/%s", rows[i].rule);
    g_test_add_data_func (path, &rows[i], test_limit);
  }
  g_test_add_func ("/accounts on nodes/shared nodes", test_shared_nodes);
  g_test_add_func ("/accounts on nodes/QOS of a partition", test_partition_qos);
  g_test_add_func ("/accounts on nodes/list of partitions", test_partition_list);
  g_test_add_func ("/accounts on nodes/a reservation is for accounts that there are",
                   test_reservation_accounts);
  g_test_add_func ("/accounts on nodes/time limit by limits", test_time_limit);
  return g_test_run ();
}
