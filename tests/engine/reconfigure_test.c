/* tests/engine/reconfigure_test.c — another configuration comes into force while jobs wait and run:
 * what follows, and what is refused.
 *
 * Behind each event the engine is replaced by what its snapshot gives (LkFixture.reloads), so that
 * a snapshot knows which configuration is in force. */
#include "tests/engine/node_fixture.h"

/* A cluster, and what is to become of it. */
typedef struct {
  LkFixture fixture;
  LkCluster *cluster;
  LkAccounts *accounts;
  const char *order;
  const char *backfill;
  const char *preempt;
  GPtrArray *setups; /* what was asked for, until the end */
} Site;

/* n1 and n2 of four cores with a GPU, m1 without; partitions a and b; a licence. */
static LkCluster *
describe (void)
{
  LkCluster *cluster = lk_cluster_new ("site");
  LkNodeSpec *nodes = node_fixture_add (cluster, "n[1-2]", 4, 8000);
  lk_node_spec_add_gres (nodes, "gpu", "", 1);
  lk_node_spec_add_feature (nodes, "fast");
  node_fixture_add (cluster, "m1", 4, 8000);
  lk_cluster_add_partition (cluster, "a")->is_default = TRUE;
  lk_cluster_add_partition (cluster, "b");
  lk_cluster_add_license (cluster, "lic", 2);
  return cluster;
}

static LkNodeSpec *
nodes_at (const Site *self, guint at)
{
  return g_ptr_array_index (self->cluster->nodes, at);
}

static LkPartitionSpec *
partition_at (const Site *self, guint at)
{
  return g_ptr_array_index (self->cluster->partitions, at);
}

static LkLicenseSpec *
license (const Site *self)
{
  return g_ptr_array_index (self->cluster->licenses, 0);
}

static void
set (char **text, const char *value)
{
  g_free (*text);
  *text = g_strdup (value);
}

static LkSetup *
make_setup (const Site *self)
{
  g_autoptr (GError) error = NULL;
  LkSetupOptions options = { .origin_us = LK_TIME_NEVER,
                             .order = self->order,
                             .backfill = self->backfill,
                             .select = "cons_tres",
                             .preempt = self->preempt,
                             .cluster = self->cluster,
                             .accounts = self->accounts };
  node_fixture_check (self->cluster);
  LkSetup *setup = lk_setup_new (self->fixture.registry, &options, &error);
  g_assert_no_error (error);
  return setup;
}

static void
site_init (Site *self)
{
  *self = (Site){ .cluster = describe (),
                  .order = "fifo",
                  .backfill = "easy",
                  .setups = g_ptr_array_new_with_free_func ((GDestroyNotify)lk_setup_free) };
}

static void
site_begin (Site *self)
{
  LkPolicyError error;
  self->fixture = (LkFixture){ .registry = lk_registry_new (), .log = g_string_new (NULL) };
  self->fixture.setup = make_setup (self);
  self->fixture.engine = lk_engine_new (lk_setup_config (self->fixture.setup), &error);
  self->fixture.tells_places = self->fixture.reloads = TRUE;
}

static void
site_clear (Site *self)
{
  g_ptr_array_unref (self->setups);
  lk_cluster_free (self->cluster);
  lk_accounts_free (self->accounts);
  fixture_clear (&self->fixture);
}

/* What keeps what the site has become from coming into force, a line each; then it is asked for. */
static char *
reconfigure (Site *self, gint64 time_s)
{
  LkJournalHeader header;
  LkEvent event = { .kind = LK_EVENT_RECONFIGURE };
  g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);
  LkSetup *setup = make_setup (self);
  g_ptr_array_add (self->setups, setup);
  lk_setup_header (setup, "test", &header);
  lk_engine_try_config (self->fixture.engine, &header, problems);
  lk_reconfigure_set_header (&event.reconfigure, &header);
  g_assert_cmpint (fixture_apply (&self->fixture, time_s, &event), ==, LK_STATUS_OK);
  g_ptr_array_add (problems, NULL);
  return g_strjoinv ("\n", (char **)problems->pdata);
}

static void
assert_taken (Site *self, gint64 time_s, const char *log)
{
  g_autofree char *problems = reconfigure (self, time_s);
  g_assert_cmpstr (problems, ==, "");
  fixture_assert_log (&self->fixture, log);
}

/* The old configuration stays whole: the state is as before but for the refusal. */
static void
assert_refused (Site *self, gint64 time_s, const char *expected)
{
  LkJournalHeader before;
  LkJournalHeader after;
  gboolean was_said = lk_engine_config_described (self->fixture.engine, &before);
  guint32 node_count = lk_engine_nodes (self->fixture.engine)->node_count;
  g_autofree char *problems = reconfigure (self, time_s);
  g_assert_cmpstr (problems, ==, expected);
  fixture_assert_log (&self->fixture, "reject 0 54");
  g_assert_cmpuint (lk_engine_nodes (self->fixture.engine)->node_count, ==, node_count);
  g_assert_cmpint (lk_engine_config_described (self->fixture.engine, &after), ==, was_said);
}

static LkReason
reason_of (const Site *self, guint32 job_id)
{
  LkJobInfo info;
  g_assert_true (lk_engine_job (self->fixture.engine, job_id, &info));
  return info.reason;
}

/* ---------------------------------------------------------------- what comes into force */

/* A node that was added takes a job that waits; what runs keeps its place. */
static void
test_node_added (void)
{
  Site self;
  site_init (&self);
  site_begin (&self);
  node_fixture_submit (&self.fixture, 0, 1, 300, "-N3 --exclusive");
  node_fixture_submit (&self.fixture, 0, 2, 300, "-n4");
  node_fixture_pass (&self.fixture, 0);
  fixture_assert_log (&self.fixture, "accept 1; accept 2; start 1 n[1-2],m1; wake 300");
  set (&nodes_at (&self, 0)->names, "n[1-3]");
  assert_taken (&self, 5, "accept 0");
  g_assert_cmpuint (lk_engine_nodes (self.fixture.engine)->node_count, ==, 4);
  g_assert_cmpuint (lk_engine_view (self.fixture.engine)->units_total, ==, 16);
  g_assert_true (lk_engine_pass_wanted (self.fixture.engine));
  node_fixture_pass (&self.fixture, 5);
  fixture_assert_log (&self.fixture, "start 2 n3");
  fixture_ended (&self.fixture, 9, 1);
  fixture_ended (&self.fixture, 9, 2);
  fixture_assert_log (&self.fixture, "COMPLETED 1; COMPLETED 2");
  site_clear (&self);
}

/* Who named no partition stays in the one that was the default. */
static void
test_partitions (void)
{
  Site self;
  site_init (&self);
  site_begin (&self);
  node_fixture_submit (&self.fixture, 0, 1, 300, "-N3 --exclusive");
  node_fixture_submit (&self.fixture, 0, 2, 300, "-n1");
  node_fixture_pass (&self.fixture, 0);
  node_fixture_skip (&self.fixture);
  lk_cluster_add_partition (self.cluster, "c");
  partition_at (&self, 0)->is_default = FALSE;
  partition_at (&self, 1)->is_default = TRUE;
  partition_at (&self, 0)->time_max_us = 100 * G_USEC_PER_SEC;
  /* Its limit is longer than its partition lets it run by now: it waits for another one. */
  assert_taken (&self, 5, "accept 0; PENDING 2 PartitionTimeLimit");
  node_fixture_submit (&self.fixture, 6, 3, 300, "-p c -n1");
  partition_at (&self, 0)->time_max_us = LK_TIME_NEVER;
  partition_at (&self, 1)->state = LK_PARTITION_DOWN;
  assert_taken (&self, 7, "accept 3; accept 0; PENDING 2 Priority");
  g_assert_cmpint (lk_engine_partition_state (self.fixture.engine, 1), ==, LK_PARTITION_DOWN);
  g_ptr_array_remove_index (self.cluster->partitions, 1);
  partition_at (&self, 0)->is_default = TRUE;
  assert_taken (&self, 8, "accept 0");
  fixture_ended (&self.fixture, 9, 1);
  node_fixture_pass (&self.fixture, 9);
  fixture_assert_log (&self.fixture, "COMPLETED 1; start 2 n1; start 3 n2");
  site_clear (&self);
}

/* What scontrol has set stays, unless the description says something else than before. */
static void
test_states (void)
{
  Site self;
  LkEvent event = { .kind = LK_EVENT_PARTITION };
  site_init (&self);
  site_begin (&self);
  event.partition.name = lk_text ("a");
  event.partition.state = LK_PARTITION_DOWN;
  fixture_apply (&self.fixture, 0, &event);
  node_fixture_node (&self.fixture, 0, LK_EVENT_NODE_DRAIN, "n2");
  node_fixture_skip (&self.fixture);
  set (&nodes_at (&self, 0)->names, "n[1-4]");
  assert_taken (&self, 1, "accept 0");
  g_assert_cmpint (lk_engine_partition_state (self.fixture.engine, 0), ==, LK_PARTITION_DOWN);
  g_assert_cmpuint (lk_engine_nodes (self.fixture.engine)->flags[1], ==, LK_NODE_DRAIN);
  g_assert_cmpuint (lk_engine_nodes (self.fixture.engine)->flags[2], ==, 0);
  partition_at (&self, 0)->state = LK_PARTITION_DRAIN;
  assert_taken (&self, 2, "accept 0");
  g_assert_cmpint (lk_engine_partition_state (self.fixture.engine, 0), ==, LK_PARTITION_DRAIN);
  site_clear (&self);
}

/* Another order, at once; other weights of the same, too. */
static void
test_policies (void)
{
  Site self;
  site_init (&self);
  site_begin (&self);
  node_fixture_submit (&self.fixture, 0, 1, 300, "-N3 --exclusive");
  node_fixture_pass (&self.fixture, 0);
  node_fixture_submit (&self.fixture, 1, 2, 200, "-N3 --exclusive");
  node_fixture_submit (&self.fixture, 2, 3, 100, "-N3 --exclusive");
  node_fixture_skip (&self.fixture);
  self.order = "sjf";
  self.backfill = "full";
  assert_taken (&self, 3, "accept 0");
  fixture_ended (&self.fixture, 4, 1);
  node_fixture_pass (&self.fixture, 4);
  fixture_assert_log (&self.fixture, "COMPLETED 1; start 3 n[1-2],m1; wake 104");
  node_fixture_submit (&self.fixture, 5, 4, 10, "-N3 --exclusive");
  self.order = "multifactor:weight_age=1000,max_age_s=100";
  assert_taken (&self, 6, "accept 4; accept 0");
  fixture_ended (&self.fixture, 7, 3);
  node_fixture_pass (&self.fixture, 7);
  g_assert_nonnull (strstr (self.fixture.log->str, "start 2"));
  site_clear (&self);
}

/* Limits of licences and nodes that nobody is in the way of. */
static void
test_machine_changed (void)
{
  Site self;
  site_init (&self);
  site_begin (&self);
  node_fixture_submit (&self.fixture, 0, 1, 300, "-n1 -L lic:2");
  node_fixture_submit (&self.fixture, 0, 2, 300, "-n1 -L lic:2");
  node_fixture_submit (&self.fixture, 0, 3, 300, "-n1 -C new");
  node_fixture_pass (&self.fixture, 0);
  fixture_assert_log (&self.fixture, "accept 1; accept 2; reject 3 16; start 1 n1; wake 300");
  license (&self)->count = 4;
  lk_node_spec_add_feature (nodes_at (&self, 1), "new");
  nodes_at (&self, 1)->cpus = nodes_at (&self, 1)->cores_per_socket = 16;
  nodes_at (&self, 1)->memory_bytes = 16000 * MIB;
  assert_taken (&self, 1, "accept 0");
  node_fixture_submit (&self.fixture, 1, 3, 300, "-n9 -C new");
  node_fixture_pass (&self.fixture, 1);
  fixture_assert_log (&self.fixture, "accept 3; start 2 n2; start 3 m1");
  /* Idle nodes go. */
  fixture_ended (&self.fixture, 2, 3);
  node_fixture_skip (&self.fixture);
  g_ptr_array_remove_index (self.cluster->nodes, 1);
  set (&nodes_at (&self, 0)->names, "n[0-2]");
  assert_taken (&self, 3, "accept 0");
  fixture_ended (&self.fixture, 4, 1);
  fixture_ended (&self.fixture, 4, 2);
  site_clear (&self);
}

static LkAccounts *
make_accounts (void)
{
  LkAccountsError error;
  LkAccounts *accounts = lk_accounts_new ("site");
  LkAssociationSpec *phys = lk_accounts_add_account (accounts, "phys", NULL);
  lk_limits_set (phys->limits, LK_LIMIT_GRP_JOBS, 0, TRUE, 1);
  lk_accounts_add_user (accounts, "ann", "phys", "");
  accounts->enforce = LK_ENFORCE_ASSOCIATIONS | LK_ENFORCE_LIMITS;
  gboolean is_good = lk_accounts_check (accounts, &error);
  g_assert_true (is_good);
  return accounts;
}

static void
submit_of_ann (Site *self, gint64 time_s, guint32 id)
{
  LkEvent event = { .kind = LK_EVENT_SUBMIT };
  LkJobRequest request = node_fixture_request ("-n1");
  event.submit.job_id = id;
  event.submit.user_id = 7;
  event.submit.procs = 1;
  event.submit.estimate_us = 100 * G_USEC_PER_SEC;
  request.user = lk_text ("ann");
  lk_submit_set_request (&event.submit, &request);
  fixture_apply (&self->fixture, time_s, &event);
}

/* Settings of accounts follow; QOS and associations are those that events have left, whatever the
 * description says. */
static void
test_accounts (void)
{
  Site self;
  LkEvent event = { .kind = LK_EVENT_QOS };
  site_init (&self);
  self.accounts = make_accounts ();
  site_begin (&self);
  event.qos.operation = 0;
  event.qos.name = lk_text ("gold");
  g_autoptr (LkAccounts) scratch = lk_accounts_new ("x");
  g_autoptr (GString) text = g_string_new (NULL);
  lk_accounts_qos_text (scratch, lk_accounts_add_qos (scratch, "gold"), text);
  event.qos.record = (LkLongText){ text->str, (guint32)text->len };
  fixture_apply (&self.fixture, 0, &event);
  submit_of_ann (&self, 0, 1);
  submit_of_ann (&self, 0, 2);
  node_fixture_pass (&self.fixture, 0);
  g_assert_cmpint (reason_of (&self, 2), ==, LK_REASON_ASSOC_GRP_JOBS);
  node_fixture_skip (&self.fixture);
  self.accounts->enforce = LK_ENFORCE_ASSOCIATIONS;
  lk_accounts_add_tres (self.accounts, "gres/gpu");
  g_autofree char *problems = reconfigure (&self, 1);
  g_assert_cmpstr (problems, ==, "");
  g_assert_nonnull (lk_accounts_find_qos (lk_engine_accounts (self.fixture.engine), "gold"));
  g_assert_cmpuint (lk_engine_accounts (self.fixture.engine)->enforce, ==, LK_ENFORCE_ASSOCIATIONS);
  node_fixture_pass (&self.fixture, 1);
  g_assert_nonnull (strstr (self.fixture.log->str, "start 2"));
  node_fixture_skip (&self.fixture);
  g_ptr_array_remove_index (self.accounts->tres, self.accounts->tres->len - 1);
  assert_refused (&self, 2,
                  "accounts: TRES 'gres/gpu' is counted, and stays so at its place; others may be "
                  "added behind");
  g_clear_pointer (&self.accounts, lk_accounts_free);
  assert_refused (&self, 3, "accounts: they cannot be left out while there are jobs and use");
  site_clear (&self);
}

/* ---------------------------------------------------------------- what is refused */

static void
test_nodes_refused (void)
{
  Site self;
  site_init (&self);
  site_begin (&self);
  node_fixture_submit (&self.fixture, 0, 1, 300, "-N2 --exclusive -w n[1-2] --mem=7000");
  node_fixture_pass (&self.fixture, 0);
  node_fixture_skip (&self.fixture);
  /* All at once. */
  set (&nodes_at (&self, 0)->names, "n2");
  nodes_at (&self, 0)->cores_per_socket = 2;
  nodes_at (&self, 0)->cpus = 2;
  nodes_at (&self, 0)->memory_bytes = 1000 * MIB;
  ((LkGresSpec *)g_ptr_array_index (nodes_at (&self, 0)->gres, 0))->count = 2;
  assert_refused (&self, 1,
                  "node 'n1' cannot go: job 1 runs there\n"
                  "node 'n2' cannot have other sockets, cores or threads: job 1 runs there\n"
                  "node 'n2' cannot have other GPUs: job 1 runs there\n"
                  "node 'n2' cannot have so little memory: job 1 runs there\n"
                  "job 1: no such node");
  lk_cluster_free (self.cluster);
  self.cluster = lk_cluster_new ("site");
  node_fixture_add (self.cluster, "m1", 4, 8000);
  LkNodeSpec *nodes = node_fixture_add (self.cluster, "n[1-2]", 4, 8000);
  lk_node_spec_add_gres (nodes, "gpu", "", 1);
  lk_cluster_add_partition (self.cluster, "a")->is_default = TRUE;
  assert_refused (&self, 2, "node 'm1' stands before 'n2' now: their order stays");
  site_clear (&self);
}

static void
test_jobs_refused (void)
{
  Site self;
  site_init (&self);
  site_begin (&self);
  node_fixture_submit (&self.fixture, 0, 1, 300, "-n1 -p b -L lic:2");
  node_fixture_submit (&self.fixture, 0, 2, 300, "-N2 -p b,a");
  node_fixture_submit (&self.fixture, 0, 3, 300, "-n1 -C fast --hold");
  node_fixture_pass (&self.fixture, 0);
  node_fixture_skip (&self.fixture);
  g_ptr_array_remove_index (self.cluster->partitions, 1);
  license (&self)->count = 1;
  g_ptr_array_set_size (nodes_at (&self, 0)->features, 0);
  assert_refused (&self, 1,
                  "partition 'b' cannot go: job 1 and 1 more are in it\n"
                  "licence 'lic': 2 are in use, and there would be 1\n"
                  "job 3: no node has this feature");
  site_clear (&self);
}

/* What is set aside keeps its nodes. */
static void
test_reservation_refused (void)
{
  Site self;
  LkEvent event = { .kind = LK_EVENT_RESERVATION_CREATE };
  site_init (&self);
  site_begin (&self);
  event.reservation_create.name = lk_text ("maint");
  event.reservation_create.start_us = 1000 * G_USEC_PER_SEC;
  event.reservation_create.duration_us = 1000 * G_USEC_PER_SEC;
  event.reservation_create.nodes = lk_text ("m1");
  event.reservation_create.users = lk_text ("root");
  fixture_apply (&self.fixture, 0, &event);
  node_fixture_skip (&self.fixture);
  g_ptr_array_remove_index (self.cluster->nodes, 1);
  assert_refused (&self, 1, "node 'm1' cannot go: reservation 'maint' has it");
  node_fixture_add (self.cluster, "m[0-2]", 4, 8000);
  assert_taken (&self, 2, "accept 0");
  g_assert_cmpuint (lk_engine_nodes (self.fixture.engine)->node_count, ==, 5);
  site_clear (&self);
}

static void
test_preempt_refused (void)
{
  Site self;
  site_init (&self);
  self.preempt = "partition_prio:mode=suspend,gang=1,slice_s=30";
  partition_at (&self, 1)->priority_tier = 2;
  for (guint i = 0; i < 2; i++) {
    partition_at (&self, i)->oversubscribe = LK_OVERSUBSCRIBE_FORCE;
    partition_at (&self, i)->oversubscribe_jobs = 1;
  }
  site_begin (&self);
  node_fixture_submit (&self.fixture, 0, 1, 300, "-n12 --mem=100");
  node_fixture_pass (&self.fixture, 0);
  node_fixture_submit (&self.fixture, 1, 2, 300, "-n12 -p b --mem=100");
  node_fixture_pass (&self.fixture, 1);
  node_fixture_pass (&self.fixture, 1);
  g_assert_nonnull (strstr (self.fixture.log->str, "suspend 1"));
  node_fixture_skip (&self.fixture);
  self.preempt = "none";
  assert_refused (&self, 2, "jobs cannot stop to take turns while job 1 waits for its turn");
  /* Other slices, at once. */
  self.preempt = "partition_prio:mode=suspend,gang=1,slice_s=60";
  g_autofree char *problems = reconfigure (&self, 3);
  g_assert_cmpstr (problems, ==, "");
  site_clear (&self);
}

/* A pool may have more units, and no fewer than are in use. */
static void
test_pool (void)
{
  LkFixture self;
  LkJournalHeader header;
  LkEvent event = { .kind = LK_EVENT_RECONFIGURE };
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);
  fixture_init (&self, 4, "fifo", "easy");
  fixture_submit (&self, 0, 1, 4, 100);
  fixture_event (&self, 0, LK_EVENT_PASS, 0);
  fixture_assert_log (&self, "accept 1; start 1; wake 100");
  LkSetupOptions options = { .units_total = 3,
                             .origin_us = LK_TIME_NEVER,
                             .order = "fifo",
                             .backfill = "easy",
                             .select = "pool" };
  g_autoptr (LkSetup) less = lk_setup_new (self.registry, &options, &error);
  options.units_total = 8;
  g_autoptr (LkSetup) more = lk_setup_new (self.registry, &options, &error);
  lk_setup_header (less, "test", &header);
  lk_engine_try_config (self.engine, &header, problems);
  g_assert_cmpuint (problems->len, ==, 1);
  g_assert_cmpstr (g_ptr_array_index (problems, 0), ==, "job 1 cannot go on as it is");
  lk_setup_header (more, "test", &header);
  lk_reconfigure_set_header (&event.reconfigure, &header);
  fixture_apply (&self, 1, &event);
  fixture_submit (&self, 1, 2, 4, 100);
  fixture_event (&self, 1, LK_EVENT_PASS, 0);
  fixture_assert_log (&self, "accept 0; accept 2; start 2");
  fixture_clear (&self);
}

/* A header that nobody can make a configuration of, and an engine that nobody makes any for. */
static void
test_unknown (void)
{
  Site self;
  LkPolicyError error;
  LkJournalHeader header;
  g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);
  site_init (&self);
  site_begin (&self);
  lk_setup_header (self.fixture.setup, "test", &header);
  header.order_version = 99;
  lk_engine_try_config (self.fixture.engine, &header, problems);
  g_assert_cmpuint (problems->len, ==, 1);
  g_assert_nonnull (strstr (g_ptr_array_index (problems, 0), "version 99"));
  LkEngineConfig config = *lk_setup_config (self.fixture.setup);
  config.maker = NULL;
  g_autoptr (LkEngine) alone = lk_engine_new (&config, &error);
  lk_engine_try_config (alone, &header, problems);
  g_assert_cmpstr (g_ptr_array_index (problems, 1), ==, "nobody here makes configurations");
  site_clear (&self);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/reconfigure/a node that is added takes jobs", test_node_added);
  g_test_add_func ("/reconfigure/partitions come, change and go", test_partitions);
  g_test_add_func ("/reconfigure/what somebody has set stays", test_states);
  g_test_add_func ("/reconfigure/policies follow at once", test_policies);
  g_test_add_func ("/reconfigure/nodes and licences change", test_machine_changed);
  g_test_add_func ("/reconfigure/accounts keep what is in them", test_accounts);
  g_test_add_func ("/reconfigure/nodes in use stay", test_nodes_refused);
  g_test_add_func ("/reconfigure/what jobs ask for stays known", test_jobs_refused);
  g_test_add_func ("/reconfigure/what is set aside stays", test_reservation_refused);
  g_test_add_func ("/reconfigure/turns are not cut off", test_preempt_refused);
  g_test_add_func ("/reconfigure/a pool grows", test_pool);
  g_test_add_func ("/reconfigure/nothing comes of what is not known", test_unknown);
  return g_test_run ();
}
