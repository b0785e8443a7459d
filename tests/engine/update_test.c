/* tests/engine/update_test.c — what a job asks for changes: which fields, of which jobs, by whom;
 * and that a refusal changes nothing. */
#include "tests/engine/life_fixture.h"

static void
update (LkFixture *self, gint64 time_s, LkEvent_update update)
{
  fixture_update (self, time_s, &update);
}

/* ---------------------------------------------------------------- a pending job of a pool */

static void
test_pending_pool (gconstpointer backfill)
{
  LkFixture self;
  life_init (&self, backfill);
  life_submit (&self, 0, 1, 10, 100, NULL);
  life_submit (&self, 1, 2, 8, 100, NULL);
  life_submit (&self, 2, 3, 4, 100, NULL);
  life_pass (&self, 2);
  node_fixture_skip (&self);
  update (&self, 3, (LkEvent_update){ .job_id = 2, .changes = CHANGES (procs), .procs = 6 });
  g_assert_cmpuint (life_info (&self, 2).procs, ==, 6);
  g_assert_cmpuint (life_info (&self, 2).units, ==, 6);
  g_assert_cmpint (life_info (&self, 2).submit_us, ==, S (1));
  update (&self, 4,
          (LkEvent_update){ .job_id = 2, .changes = CHANGES (estimate_us), .estimate_us = S (50) });
  fixture_assert_log (&self, "accept 2; accept 2");
  g_assert_cmpint (life_info (&self, 2).estimate_us, ==, S (50));
  fixture_ended (&self, 100, 1);
  life_pass (&self, 100);
  fixture_assert_log (&self, "COMPLETED 1; start 2; start 3");
  fixture_clear (&self);
}

static void
test_rights (void)
{
  LkFixture self;
  life_init (&self, "easy");
  life_submit (&self, 0, 1, 10, 100, NULL);
  node_fixture_skip (&self);
  LkEvent_update longer = { .job_id = 1, .changes = CHANGES (estimate_us), .estimate_us = S (101) };
  LkEvent_update nice = { .job_id = 1, .changes = CHANGES (nice), .nice = -1 };
  LkEvent_update priority = { .job_id = 1, .changes = CHANGES (priority), .priority = 7 };
  for (gint64 time_s = 0; time_s < 2; time_s++) {
    update (&self, time_s, longer);
    update (&self, time_s, nice);
    update (&self, time_s, priority);
    fixture_assert_log (&self, "reject 1 37; reject 1 37; reject 1 37");
    life_pass (&self, time_s); /* and again when it runs */
    node_fixture_skip (&self);
  }
  longer.by_admin = nice.by_admin = priority.by_admin = 1;
  update (&self, 2, longer);
  update (&self, 2, nice);
  update (&self, 2, priority);
  fixture_assert_log (&self, "accept 1; accept 1; accept 1");
  g_assert_cmpint (life_info (&self, 1).expected_end_us, ==, S (101));
  update (&self, 3,
          (LkEvent_update){ .job_id = 1, .changes = CHANGES (estimate_us), .estimate_us = S (20) });
  g_assert_cmpint (life_info (&self, 1).expected_end_us, ==, S (20));
  fixture_assert_log (&self, "accept 1; wake 20");
  fixture_clear (&self);
}

/* ---------------------------------------------------------------- begin time, hold, texts */

static void
test_begin_time (void)
{
  LkFixture self;
  life_init (&self, "easy");
  life_submit (&self, 0, 1, 10, 100, NULL);
  node_fixture_skip (&self);
  update (&self, 5,
          (LkEvent_update){ .job_id = 1, .changes = CHANGES (begin_us), .begin_us = S (50) });
  life_pass (&self, 6);
  fixture_assert_log (&self, "accept 1; PENDING 1 BeginTime; wake 50");
  g_assert_cmpint (life_info (&self, 1).begin_us, ==, S (50));
  /* Now, which is not before now. */
  update (&self, 7, (LkEvent_update){ .job_id = 1, .changes = CHANGES (begin_us), .begin_us = 1 });
  fixture_assert_log (&self, "accept 1; PENDING 1 Priority");
  g_assert_cmpint (life_info (&self, 1).begin_us, ==, S (7));
  life_pass (&self, 7);
  fixture_assert_log (&self, "start 1");
  update (&self, 8, (LkEvent_update){ .job_id = 1, .changes = CHANGES (begin_us), .begin_us = 9 });
  fixture_assert_log (&self, "reject 1 7");
  fixture_clear (&self);
}

static void
test_priority_zero_holds (void)
{
  LkFixture self;
  life_init (&self, "easy");
  life_submit (&self, 0, 1, 10, 100, NULL);
  node_fixture_skip (&self);
  update (&self, 1, (LkEvent_update){ .job_id = 1, .changes = CHANGES (priority) });
  life_pass (&self, 1);
  fixture_assert_log (&self, "accept 1; PENDING 1 JobHeldUser");
  life_release (&self, 2, 1, 1);
  update (&self, 2, (LkEvent_update){ .job_id = 1, .changes = CHANGES (priority), .by_admin = 1 });
  fixture_assert_log (&self, "accept 1; PENDING 1 Priority; accept 1; PENDING 1 JobHeldAdmin");
  fixture_clear (&self);
}

static void
test_texts (void)
{
  LkFixture self;
  life_init (&self, "easy");
  LkJobTerms terms = { .name = lk_text ("a"), .comment = lk_text ("first") };
  life_submit (&self, 0, 1, 10, 100, &terms);
  update (
      &self, 1,
      (LkEvent_update){ .job_id = 1, .changes = CHANGES (comment), .comment = lk_text ("second") });
  g_assert_cmpstr (life_info (&self, 1).name, ==, "a");
  g_assert_cmpstr (life_info (&self, 1).comment, ==, "second");
  life_pass (&self, 1);
  update (&self, 2,
          (LkEvent_update){
              .job_id = 1, .changes = CHANGES (name) | CHANGES (comment), .name = lk_text ("b") });
  g_assert_cmpstr (life_info (&self, 1).name, ==, "b");
  g_assert_cmpstr (life_info (&self, 1).comment, ==, "");
  fixture_clear (&self);
}

/* ---------------------------------------------------------------- nodes */

/* n1 and n2 of 4 cores with a feature and 2 GPUs, n3 of 8; partitions all, small (n1, an hour) and
 * shut (all, inactive). */
static LkCluster *
three_nodes (void)
{
  LkCluster *cluster = lk_cluster_new ("three");
  LkNodeSpec *node = node_fixture_add (cluster, "n[1-2]", 4, 8000);
  lk_node_spec_add_feature (node, "ib");
  lk_node_spec_add_gres (node, "gpu", "", 2);
  node_fixture_add (cluster, "n3", 8, 16000);
  lk_cluster_add_license (cluster, "cad", 2);
  lk_cluster_add_partition (cluster, "all");
  LkPartitionSpec *small = lk_cluster_add_partition (cluster, "small");
  g_free (small->nodes);
  small->nodes = g_strdup ("n1");
  small->time_max_us = S (3600);
  lk_cluster_add_partition (cluster, "shut")->state = LK_PARTITION_INACTIVE;
  cluster->enforce_limits = TRUE;
  return cluster;
}

static const struct {
  const char *what;
  LkEvent_update update;
  const char *start; /* where it starts then; NULL: not now */
} fields[] = {
  { "nothing that matters", { .changes = CHANGES (comment), .comment = { "x", 1 } }, "n3" },
  { "tasks", { .changes = CHANGES (tasks), .tasks = 2 }, "n1" },
  { "CPUs for a task", { .changes = CHANGES (cpus_per_task), .cpus_per_task = 2 }, "n[1,3]" },
  { "nodes",
    { .changes = CHANGES (nodes_min) | CHANGES (nodes_max), .nodes_min = 2, .nodes_max = 2 },
    "n[1,3]" },
  { "node list",
    { .changes = CHANGES (node_list) | CHANGES (tasks), .node_list = { "n2", 2 }, .tasks = 1 },
    NULL },
  { "excluded nodes",
    { .changes = CHANGES (exclude) | CHANGES (tasks), .exclude = { "n3", 2 }, .tasks = 2 },
    "n1" },
  { "a feature",
    { .changes = CHANGES (constraint) | CHANGES (tasks), .constraint = { "ib", 2 }, .tasks = 3 },
    "n1" },
  { "GPUs",
    { .changes = CHANGES (gres) | CHANGES (tasks), .gres = { "gpu:1", 5 }, .tasks = 1 },
    "n1" },
  { "memory",
    { .changes = CHANGES (present) | CHANGES (memory_per_node_bytes) | CHANGES (tasks),
      .present = LK_REQUEST_HAS_MEMORY_PER_NODE,
      .tasks = 2,
      .memory_per_node_bytes = 9000 * MIB },
    "n3" },
  { "licences", { .changes = CHANGES (licenses), .licenses = { "cad:2", 5 } }, NULL },
  { "exclusive", { .changes = CHANGES (flags), .flags = LK_REQUEST_EXCLUSIVE }, "n3" },
  { "partition",
    { .changes = CHANGES (partition) | CHANGES (tasks), .partition = { "small", 5 }, .tasks = 4 },
    "n1" },
};

/* n2 is full, and one licence is taken. */
static void
begin_fields (LkFixture *self, LkCluster *cluster)
{
  node_fixture_init (self, cluster, "easy", "cons_tres");
  self->reloads = TRUE;
  node_fixture_submit (self, 0, 1, 100, "-w n2 -N1 -n4 --mem=100 -L cad");
  node_fixture_pass (self, 0);
  node_fixture_submit (self, 1, 2, 100, "-n5 --mem=100");
  node_fixture_skip (self);
}

static void
test_fields (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (fields); i++) {
    LkFixture self;
    g_autoptr (LkCluster) cluster = three_nodes ();
    g_test_message ("%s", fields[i].what);
    begin_fields (&self, cluster);
    LkEvent_update change = fields[i].update;
    change.job_id = 2;
    update (&self, 2, change);
    node_fixture_pass (&self, 2);
    if (fields[i].start == NULL)
      fixture_assert_log (&self, "accept 2");
    else {
      g_autofree char *wanted = g_strdup_printf ("accept 2; start 2 %s", fields[i].start);
      fixture_assert_log (&self, wanted);
    }
    fixture_clear (&self);
  }
}

static const struct {
  LkEvent_update update;
  guint reject;
} refusals[] = {
  { { .changes = CHANGES (partition), .partition = { "none", 4 } }, 13 },
  { { .changes = CHANGES (partition), .partition = { "shut", 4 } }, 14 },
  { { .changes = CHANGES (node_list), .node_list = { "n9", 2 } }, 15 },
  { { .changes = CHANGES (constraint), .constraint = { "zz", 2 } }, 16 },
  { { .changes = CHANGES (gres), .gres = { "tpu", 3 } }, 17 },
  { { .changes = CHANGES (licenses), .licenses = { "x", 1 } }, 18 },
  { { .changes = CHANGES (estimate_us), .estimate_us = -1 }, 5 },
  { { .changes = CHANGES (procs), .procs = 0 }, 4 },
  { { .changes = CHANGES (gres), .gres = { "gpu:3", 5 } }, 21 },
  { { .changes = CHANGES (deadline_us), .deadline_us = S (101) }, 39 },
  { { .changes = CHANGES (time_min_us), .time_min_us = S (101) }, 56 },
  { { .changes = CHANGES (begin_us), .begin_us = -1 }, 39 },
  { { .changes = CHANGES (warn_signal), .warn_signal = 65 }, 12 },
  { { .changes = CHANGES (het_count), .het_count = 2 }, 11 },
};

/* Refused, and the engine goes on as if there had been a cancel of nobody. */
static void
test_refusals (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (refusals); i++) {
    LkFixture self, other;
    g_autoptr (LkCluster) cluster = three_nodes ();
    LkEvent_update change = refusals[i].update;
    g_autofree char *wanted = g_strdup_printf ("reject 2 %u", refusals[i].reject);
    begin_fields (&self, cluster);
    begin_fields (&other, cluster);
    change.job_id = 2;
    update (&self, 2, change);
    fixture_assert_log (&self, wanted);
    fixture_event (&other, 2, LK_EVENT_CANCEL, 77);
    fixture_assert_log (&other, "reject 77 2");
    node_fixture_pass (&self, 2);
    node_fixture_pass (&other, 2);
    g_assert_cmpstr (self.log->str, ==, other.log->str);
    fixture_clear (&self);
    fixture_clear (&other);
  }
}

/* ---------------------------------------------------------------- a job that runs on nodes */

static void
test_running (void)
{
  LkFixture self;
  g_autoptr (LkCluster) cluster = three_nodes ();
  node_fixture_init (&self, cluster, "conservative", "cons_tres");
  self.reloads = TRUE;
  node_fixture_submit (&self, 0, 1, 100, "-w n2 -N1 -n4 --mem=100");
  node_fixture_submit (&self, 0, 2, 100, "-w n2 -N1 -n4 --mem=100");
  node_fixture_pass (&self, 0);
  g_assert_cmpint (life_info (&self, 2).start_us, ==, S (100));
  node_fixture_skip (&self);
  /* The plan follows the limit. */
  update (
      &self, 10,
      (LkEvent_update){
          .job_id = 1, .changes = CHANGES (estimate_us), .by_admin = 1, .estimate_us = S (150) });
  node_fixture_pass (&self, 10);
  g_assert_cmpint (life_info (&self, 2).start_us, ==, S (150));
  update (&self, 11,
          (LkEvent_update){ .job_id = 1, .changes = CHANGES (estimate_us), .estimate_us = S (60) });
  node_fixture_pass (&self, 11);
  g_assert_cmpint (life_info (&self, 2).start_us, ==, S (60));
  node_fixture_skip (&self);
  /* What would touch its place may not change. */
  update (&self, 12,
          (LkEvent_update){
              .job_id = 1, .changes = CHANGES (constraint), .constraint = lk_text ("ib") });
  update (
      &self, 12,
      (LkEvent_update){ .job_id = 1, .changes = CHANGES (flags), .flags = LK_REQUEST_EXCLUSIVE });
  fixture_assert_log (&self, "reject 1 7; reject 1 7");
  /* Whether it may be requeued may. */
  update (
      &self, 13,
      (LkEvent_update){ .job_id = 1, .changes = CHANGES (flags), .flags = LK_REQUEST_NO_REQUEUE });
  life_requeue (&self, 13, 1, 0);
  fixture_assert_log (&self, "accept 1; reject 1 40");
  /* A limit that has passed ends it. */
  update (&self, 14,
          (LkEvent_update){ .job_id = 1, .changes = CHANGES (estimate_us), .estimate_us = S (5) });
  life_timer (&self, 14);
  fixture_assert_log (&self, "accept 1; wake 14; kill 1 1; wake 60");
  fixture_clear (&self);
}

/* ---------------------------------------------------------------- accounts */

static void
test_accounts (void)
{
  Site site;
  site_prepare (&site, "modify user alice set maxjobs=1;modify qos q set maxwall=2:00:00");
  site_start (&site, "easy");
  LkFixture *self = &site.fixture;
  self->reloads = TRUE;
  submit (&site, 1, "alice -n1");
  submit (&site, 2, "alice -n1");
  pass (&site);
  assert_waits (&site, 2, "AssocMaxJobsLimit");
  /* In another QOS, under no limit of jobs: still alice's association. */
  update (self, 1, (LkEvent_update){ .job_id = 2, .changes = CHANGES (qos), .qos = lk_text ("q") });
  pass_if_wanted (&site);
  assert_waits (&site, 2, "AssocMaxJobsLimit");
  LkJobIndex job = lk_engine_job_index (self->engine, 2);
  const LkBook *book = lk_engine_book (self->engine);
  g_assert_cmpuint (lk_engine_view (self->engine)->jobs->qos[job], ==,
                    lk_book_find_qos (book, lk_text ("q")));
  g_assert_cmpuint (book->qos[lk_book_find_qos (book, lk_text ("q"))].use.submitted, ==, 1);
  update (self, 2,
          (LkEvent_update){ .job_id = 2, .changes = CHANGES (qos), .qos = lk_text ("none") });
  update (
      self, 2,
      (LkEvent_update){ .job_id = 2, .changes = CHANGES (account), .account = lk_text ("none") });
  g_assert_nonnull (strstr (self->log->str, "reject 2 26"));
  /* A time limit above that of its QOS keeps it. */
  fixture_ended (self, 3, 1);
  update (
      self, 3,
      (LkEvent_update){
          .job_id = 2, .changes = CHANGES (estimate_us), .by_admin = 1, .estimate_us = S (7260) });
  site.now_s = 3;
  pass_if_wanted (&site);
  assert_waits (&site, 2, "QOSMaxWallDurationPerJobLimit");
  update (
      self, 4,
      (LkEvent_update){ .job_id = 2, .changes = CHANGES (estimate_us), .estimate_us = S (7200) });
  site.now_s = 4;
  pass_if_wanted (&site);
  g_assert_true (runs (&site, 2));
  site_clear (&site);
}

/* What is booked for the rest of a job follows its limit. */
static void
test_booked (void)
{
  Site site;
  site_prepare (&site, "");
  site_start (&site, "easy");
  LkFixture *self = &site.fixture;
  self->reloads = TRUE;
  submit (&site, 1, "alice -n2 -t 10");
  pass (&site);
  update (
      self, 60,
      (LkEvent_update){ .job_id = 1, .changes = CHANGES (estimate_us), .estimate_us = S (300) });
  const LkHolder *root = lk_book_holder (lk_engine_book (self->engine), 0);
  g_assert_cmpuint (root->run_s[LK_TRES_CPU], ==, 600);
  update (
      self, 60,
      (LkEvent_update){
          .job_id = 1, .changes = CHANGES (estimate_us), .by_admin = 1, .estimate_us = S (900) });
  root = lk_book_holder (lk_engine_book (self->engine), 0);
  g_assert_cmpuint (root->run_s[LK_TRES_CPU], ==, 1800);
  fixture_ended (self, 100, 1);
  root = lk_book_holder (lk_engine_book (self->engine), 0);
  g_assert_cmpuint (root->run_s[LK_TRES_CPU], ==, 0);
  site_clear (&site);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/update/a pending job of a pool: easy", "easy", test_pending_pool);
  g_test_add_data_func ("/update/a pending job of a pool: conservative", "conservative",
                        test_pending_pool);
  g_test_add_func ("/update/what only administrators may", test_rights);
  g_test_add_func ("/update/begin time", test_begin_time);
  g_test_add_func ("/update/priority 0 holds", test_priority_zero_holds);
  g_test_add_func ("/update/name and comment", test_texts);
  g_test_add_func ("/update/each field of a request", test_fields);
  g_test_add_func ("/update/a refusal changes nothing", test_refusals);
  g_test_add_func ("/update/a running job", test_running);
  g_test_add_func ("/update/account and QOS", test_accounts);
  g_test_add_func ("/update/what is booked follows the limit", test_booked);
  return g_test_run ();
}
