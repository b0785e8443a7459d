/* tests/engine/reservation_rules_test.c — what a reservation gets, who may use it, and when it is
 * refused, changed, replaced and removed.
 *
 * The machine: nodes n1 to n4 of four cores, two a100 GPUs on each of n1 and n2, the feature fast
 * on n3 and n4, three licences of matlab; partition `all`, and `few` of n1 and n2. */
#include "tests/engine/reservation_fixture.h"

static LkCluster *
site (void)
{
  LkCluster *cluster = lk_cluster_new ("rules");
  LkNodeSpec *node = node_fixture_add (cluster, "n[1-2]", 4, 100);
  lk_node_spec_add_gres (node, "gpu", "a100", 2);
  node = node_fixture_add (cluster, "n[3-4]", 4, 100);
  g_ptr_array_add (node->features, g_strdup ("fast"));
  lk_cluster_add_license (cluster, "matlab", 3);
  lk_cluster_add_partition (cluster, "all")->is_default = TRUE;
  LkPartitionSpec *few = lk_cluster_add_partition (cluster, "few");
  g_free (few->nodes);
  few->nodes = g_strdup ("n[1-2]");
  return cluster;
}

static void
start (LkFixture *self)
{
  g_autoptr (LkCluster) cluster = site ();
  node_fixture_init (self, cluster, "easy", "cons_tres");
}

/* ---------------------------------------------------------------- refusals and nodes */

/* One reservation, and what the engine answers. */
typedef struct {
  Reservation asked;
  const char *log;
} Case;

#define AT .start_s = 3600, .duration_s = 3600
#define REJECT(number) "reject 0 " G_STRINGIFY (number)

static const Case cases[] = {
  /* Nodes by name, all, by count, by feature, by partition. */
  { { AT, .name = "R", .nodes = "n[2-3]", .users = "alan" },
    "accept 0; R inactive n[2-3] 3600-7200; wake 3600" },
  { { AT, .name = "R", .nodes = "ALL", .users = "alan" },
    "accept 0; R inactive n[1-4] 3600-7200; wake 3600" },
  { { AT, .name = "R", .nodes = "ALL", .partition = "few", .flags = "PART_NODES", .users = "alan" },
    "accept 0; R inactive n[1-2] 3600-7200; wake 3600" },
  { { AT, .name = "R", .node_count = 2, .users = "alan" },
    "accept 0; R inactive n[1-2] 3600-7200; wake 3600" },
  { { AT, .name = "R", .node_count = 2, .features = "fast", .users = "alan" },
    "accept 0; R inactive n[3-4] 3600-7200; wake 3600" },
  { { AT, .name = "R", .tres = "node=1", .features = "fast", .users = "alan" },
    "accept 0; R inactive n3 3600-7200; wake 3600" },
  /* Parts. */
  { { AT, .name = "R", .core_count = 6, .users = "alan" },
    "accept 0; R inactive n[1-2] 3600-7200; wake 3600" },
  { { AT, .name = "R", .core_count = 6, .node_count = 3, .users = "alan" },
    "accept 0; R inactive n[1-3] 3600-7200; wake 3600" },
  { { AT, .name = "R", .tres = "gres/gpu:a100=3", .users = "alan" },
    "accept 0; R inactive n[1-2] 3600-7200; wake 3600" },
  { { AT, .name = "R", .tres = "cpu=2", .nodes = "n4", .users = "alan" },
    "accept 0; R inactive n4 3600-7200; wake 3600" },
  /* Licences alone. */
  { { AT, .name = "R", .licenses = "matlab:2", .flags = "ANY_NODES", .users = "alan" },
    "accept 0; R inactive  3600-7200; wake 3600" },
  { { AT, .name = "R", .tres = "license/matlab=3", .flags = "LICENSE_ONLY", .users = "alan" },
    "accept 0; R inactive  3600-7200; wake 3600" },
  /* Names are made of the first of who may use it, accounts first. */
  { { AT, .nodes = "n1", .users = "alan,bob" },
    "accept 0; alan_1 inactive n1 3600-7200; wake 3600" },
  { { AT, .nodes = "n1", .users = "alan", .accounts = "math" },
    "accept 0; math_1 inactive n1 3600-7200; wake 3600" },
  { { AT, .nodes = "n1", .qos = "high" }, "accept 0; high_1 inactive n1 3600-7200; wake 3600" },
  /* A year. */
  { { .name = "R", .start_s = 10, .duration_s = 31536000, .nodes = "n1", .users = "alan" },
    "accept 0; R inactive n1 10-31536010; wake 10" },
  /* What cannot be had at all. */
  { { AT, .name = "R", .nodes = "n5", .users = "alan" }, REJECT (15) },
  { { AT, .name = "R", .nodes = "n[", .users = "alan" }, REJECT (15) },
  { { AT, .name = "R", .nodes = "n3", .partition = "few", .users = "alan" }, REJECT (15) },
  { { AT, .name = "R", .node_count = 1, .partition = "none", .users = "alan" }, REJECT (13) },
  { { AT, .name = "R", .node_count = 1, .features = "slow", .users = "alan" }, REJECT (16) },
  { { AT, .name = "R", .licenses = "maple:1", .flags = "ANY_NODES", .users = "alan" },
    REJECT (18) },
  { { AT, .name = "R", .node_count = 5, .users = "alan" }, REJECT (30) },
  { { AT, .name = "R", .core_count = 17, .users = "alan" }, REJECT (30) },
  { { AT, .name = "R", .tres = "gres/gpu=5", .users = "alan" }, REJECT (30) },
  { { AT, .name = "R", .node_count = 3, .partition = "few", .users = "alan" }, REJECT (30) },
  /* What says nothing, or too much. */
  { { AT, .name = "R", .nodes = "n1" }, REJECT (44) },
  { { AT, .name = "R", .users = "alan" }, REJECT (45) },
  { { AT, .name = "R", .users = "alan", .flags = "ANY_NODES" }, REJECT (45) },
  { { AT, .name = "R,S", .nodes = "n1", .users = "alan" }, REJECT (33) },
  { { AT, .name = "R", .nodes = "n1", .users = "alan,-bob" }, REJECT (44) },
  { { AT, .name = "R", .nodes = "n1", .users = "alan,,bob" }, REJECT (44) },
  { { AT, .name = "R", .nodes = "n1", .users = "alan", .groups = "staff" }, REJECT (44) },
  { { AT, .name = "R", .nodes = "n1", .users = "alan", .flags = "SOMETIMES" }, REJECT (43) },
  { { AT, .name = "R", .nodes = "n1", .users = "alan", .flags = "DAILY,WEEKLY" }, REJECT (43) },
  { { AT, .name = "R", .node_count = 1, .users = "alan", .flags = "REPLACE,STATIC_ALLOC" },
    REJECT (43) },
  { { AT, .name = "R", .node_count = 1, .users = "alan", .flags = "REPLACE,MAINT" }, REJECT (43) },
  { { AT, .name = "R", .node_count = 1, .users = "alan", .flags = "MAINT,REPLACE_DOWN" },
    REJECT (43) },
  { { AT, .name = "R", .nodes = "n1", .users = "alan", .flags = "TIME_FLOAT,DAILY" }, REJECT (43) },
  { { AT, .name = "R", .tres = "mem=5", .users = "alan" }, REJECT (46) },
  { { AT, .name = "R", .tres = "cpu=0", .users = "alan" }, REJECT (46) },
  { { AT, .name = "R", .tres = "gres/gpu:v100=1", .users = "alan" }, REJECT (46) },
  { { AT, .name = "R", .node_count = 1, .features = "fast|slow", .users = "alan" }, REJECT (16) },
  /* Times. */
  { { .name = "R", .start_s = 3600, .nodes = "n1", .users = "alan" }, REJECT (39) },
  { { .name = "R", .start_s = -60, .duration_s = 60, .nodes = "n1", .users = "alan" },
    REJECT (39) },
  { { AT, .name = "R", .nodes = "n1", .users = "alan", .purge_s = -1 }, REJECT (39) },
};

static void
test_create (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    LkFixture self;
    start (&self);
    reservation_create (&self, 0, &cases[i].asked);
    if (strcmp (self.log->str, cases[i].log) != 0)
      g_error ("case %u: '%s' instead of '%s'", i, self.log->str, cases[i].log);
    fixture_clear (&self);
  }
}

/* Nothing would act on it, so it is not taken. */
static void
test_start_delay (void)
{
  LkFixture self;
  LkEvent event = { .kind = LK_EVENT_RESERVATION_CREATE };
  const Reservation r = { AT, .name = "R", .nodes = "n1", .users = "alan" };
  start (&self);
  RESERVATION_FILL (&event.reservation_create, &r);
  event.reservation_create.max_start_delay_us = 1;
  g_assert_cmpint (fixture_apply (&self, 0, &event), ==, LK_STATUS_OK);
  fixture_assert_log (&self, "reject 0 33");
  event.reservation_create.max_start_delay_us = -1;
  g_assert_cmpint (fixture_apply (&self, 0, &event), ==, LK_STATUS_OK);
  fixture_assert_log (&self, "reject 0 39");
  fixture_clear (&self);
}

/* A pool has no nodes to set aside. */
static void
test_pool (void)
{
  LkFixture self;
  const Reservation r = { AT, .name = "R", .node_count = 1, .users = "alan" };
  fixture_init (&self, 4, "fifo", "easy");
  reservation_create (&self, 0, &r);
  fixture_assert_log (&self, "reject 0 1");
  fixture_clear (&self);
}

/* ---------------------------------------------------------------- beside others */

static const Reservation r_alan = { AT, .name = "R", .nodes = "n[1-2]", .users = "alan" };

/* ReqResv: a job that gives up its reservation cannot stay among such partitions. */
static void
test_required (void)
{
  LkFixture self;
  g_autoptr (LkCluster) cluster = site ();
  lk_cluster_add_partition (cluster, "kept")->reservation_required = TRUE;
  LkEvent_update none = { .job_id = 1,
                          .changes = G_GUINT64_CONSTANT (1) << LK_CHANGE_reservation,
                          .reservation = lk_text ("") };
  node_fixture_init (&self, cluster, "easy", "cons_tres");
  reservation_create (&self, 0, &r_alan);
  node_fixture_skip (&self);
  reservation_submit (&self, 0, 1, "R", 60, "alan -N1 -p all,kept");
  g_assert_nonnull (strstr (self.log->str, "accept 1"));
  node_fixture_skip (&self);
  fixture_update (&self, 0, &none);
  fixture_assert_log (&self, "reject 1 37");
  none.changes |= G_GUINT64_CONSTANT (1) << LK_CHANGE_partition;
  none.partition = lk_text ("all");
  fixture_update (&self, 0, &none);
  g_assert_nonnull (strstr (self.log->str, "accept 1"));
  fixture_clear (&self);
}

/* Nodes of one are none of another that meets it in time. */
static void
test_beside_others (void)
{
  LkFixture self;
  Reservation other = { AT, .name = "S", .nodes = "n2", .users = "bob" };
  start (&self);
  reservation_create (&self, 0, &r_alan);
  node_fixture_skip (&self);
  reservation_create (&self, 0, &r_alan);
  fixture_assert_log (&self, "reject 0 32");
  reservation_create (&self, 0, &other);
  fixture_assert_log (&self, "reject 0 30");
  other.start_s = 7200;
  reservation_create (&self, 0, &other);
  fixture_assert_log (&self, "accept 0; S inactive n2 7200-10800");
  other = (Reservation){ AT, .name = "T", .nodes = "n2", .users = "bob", .flags = "OVERLAP" };
  reservation_create (&self, 0, &other);
  fixture_assert_log (&self, "accept 0; T inactive n2 3600-7200");
  other = (Reservation){ AT, .name = "U", .nodes = "ALL", .users = "root", .flags = "MAINT" };
  reservation_create (&self, 0, &other);
  fixture_assert_log (&self, "accept 0; U inactive n[1-4] 3600-7200");
  /* Those that are left. */
  other = (Reservation){ AT, .name = "V", .node_count = 2, .users = "bob" };
  reservation_create (&self, 0, &other);
  fixture_assert_log (&self, "accept 0; V inactive n[3-4] 3600-7200");
  other.name = "W";
  reservation_create (&self, 0, &other);
  fixture_assert_log (&self, "reject 0 30");
  fixture_clear (&self);
}

/* Occurrences of a week are compared: one on the next day meets a daily one. */
static void
test_beside_daily (void)
{
  LkFixture self;
  Reservation daily = r_alan;
  Reservation later = { .name = "S", .duration_s = 60, .nodes = "n1", .users = "bob" };
  daily.flags = "DAILY";
  start (&self);
  reservation_create (&self, 0, &daily);
  node_fixture_skip (&self);
  later.start_s = 2 * 86400 + 7199;
  reservation_create (&self, 0, &later);
  fixture_assert_log (&self, "reject 0 30");
  later.start_s = 2 * 86400 + 7200;
  reservation_create (&self, 0, &later);
  fixture_assert_log (&self, "accept 0; S inactive n1 180000-180060");
  fixture_clear (&self);
}

/* Jobs that may still run when it begins. */
static void
test_beside_jobs (void)
{
  LkFixture self;
  Reservation r = r_alan;
  start (&self);
  reservation_submit (&self, 0, 1, "", 3601, "bob -N1 -w n2 --exclusive");
  node_fixture_pass (&self, 0);
  node_fixture_skip (&self);
  reservation_create (&self, 0, &r);
  fixture_assert_log (&self, "reject 0 30");
  r.start_s = 3601;
  reservation_create (&self, 0, &r);
  fixture_assert_log (&self, "accept 0; R inactive n[1-2] 3601-7201");
  r = (Reservation){ AT, .name = "S", .nodes = "n2", .users = "bob" };
  r.start_s = 0;
  r.flags = "IGNORE_JOBS";
  reservation_create (&self, 0, &r);
  g_assert_true (g_str_has_prefix (self.log->str, "accept 0; S inactive n2 0-3600"));
  node_fixture_skip (&self);
  /* Nodes on which nothing runs are picked first. */
  r = (Reservation){ .start_s = 20000, .duration_s = 60, .name = "T", .users = "bob" };
  r.node_count = 3;
  reservation_create (&self, 0, &r);
  fixture_assert_log (&self, "accept 0; T inactive n[1,3-4] 20000-20060");
  fixture_clear (&self);
}

/* ---------------------------------------------------------------- who */

/* 0: the job may ask for it. */
static void
assert_may (const Reservation *r, const char *line, LkReject expected)
{
  LkFixture self;
  g_autofree char *refused = g_strdup_printf ("reject 1 %d", expected);
  start (&self);
  reservation_create (&self, 0, r);
  node_fixture_skip (&self);
  reservation_submit (&self, 0, 1, "R", 60, line);
  if (expected == 0)
    fixture_assert_log (&self, "accept 1; PENDING 1 Reservation");
  else
    fixture_assert_log (&self, refused);
  fixture_clear (&self);
}

static void
test_who (void)
{
  Reservation r = { AT, .name = "R", .nodes = "n[1-2]" };
  r.users = "alan,3";
  assert_may (&r, "alan -N1", 0);
  assert_may (&r, "carol -N1", 0);
  assert_may (&r, "root -N1", 0);
  assert_may (&r, "bob -N1", LK_REJECT_RESERVATION_DENIED);
  r.users = "-alan,-3";
  assert_may (&r, "alan -N1", LK_REJECT_RESERVATION_DENIED);
  assert_may (&r, "carol -N1", LK_REJECT_RESERVATION_DENIED);
  assert_may (&r, "bob -N1", 0);
  /* Both must agree. */
  r.users = "alan,bob";
  r.accounts = "math";
  assert_may (&r, "alan -N1 -A math", 0);
  assert_may (&r, "alan -N1 -A bio", LK_REJECT_RESERVATION_DENIED);
  assert_may (&r, "carol -N1 -A math", LK_REJECT_RESERVATION_DENIED);
  r.accounts = "-math";
  assert_may (&r, "alan -N1 -A math", LK_REJECT_RESERVATION_DENIED);
  assert_may (&r, "bob -N1 -A bio", 0);
  r = (Reservation){ AT, .name = "R", .nodes = "n1", .groups = "staff" };
  assert_may (&r, "alan -N1 --gid staff", 0);
  assert_may (&r, "alan -N1 --gid guests", LK_REJECT_RESERVATION_DENIED);
  assert_may (&r, "alan -N1 --gid guests,staff", 0);
  r.groups = "-staff";
  assert_may (&r, "alan -N1 --gid guests", 0);
  assert_may (&r, "alan -N1 --gid guests,staff", LK_REJECT_RESERVATION_DENIED);
  /* An unknown group or user may be the denied one; an id is always known. */
  assert_may (&r, "alan -N1", LK_REJECT_RESERVATION_DENIED);
  r.groups = NULL;
  r.users = "-alan";
  assert_may (&r, " -N1", LK_REJECT_RESERVATION_DENIED);
  r.users = "-3";
  assert_may (&r, " -N1", 0);
  r.users = "-4";
  assert_may (&r, " -N1", LK_REJECT_RESERVATION_DENIED);
  r = (Reservation){ AT, .name = "S", .nodes = "n1", .groups = "staff" };
  assert_may (&r, "alan -N1 --gid staff", LK_REJECT_RESERVATION_UNKNOWN);
}

/* QOS and partitions are looked at when a job is to start: others ask, and wait. */
static void
test_who_starts (void)
{
  LkFixture self;
  const Reservation r = { AT, .name = "R", .nodes = "n[1-2]", .partitions = "few" };
  start (&self);
  reservation_create (&self, 0, &r);
  reservation_submit (&self, 0, 1, "R", 60, "alan -N1 --exclusive");
  reservation_submit (&self, 0, 2, "R", 60, "alan -N1 --exclusive -p few");
  node_fixture_skip (&self);
  reservation_tick (&self, 3600);
  g_assert_nonnull (strstr (self.log->str, "start 2 backfilled n1"));
  g_assert_null (strstr (self.log->str, "start 1"));
  g_assert_cmpint (reservation_reason (&self, 1), ==, LK_REASON_RESERVATION);
  fixture_clear (&self);
}

/* ---------------------------------------------------------------- parts and licences */

/* Six cores: four of n1 and two of n2. Others have the rest, and no such node whole. */
static void
test_cores (void)
{
  LkFixture self;
  const Reservation r = { .name = "R", .duration_s = 3600, .core_count = 6, .users = "alan" };
  start (&self);
  reservation_create (&self, 0, &r);
  reservation_submit (&self, 0, 1, "", 60, "bob -n2 -w n2 --mem=10");
  reservation_submit (&self, 0, 2, "R", 60, "alan -n6 --mem=10");
  node_fixture_skip (&self);
  node_fixture_pass (&self, 0);
  g_assert_nonnull (strstr (self.log->str, "start 1 n2"));
  g_assert_nonnull (strstr (self.log->str, "start 2 n[1-2]"));
  fixture_ended (&self, 1, 1);
  fixture_ended (&self, 1, 2);
  reservation_submit (&self, 1, 3, "", 60, "bob -N1 -w n2 --exclusive --mem=10");
  reservation_submit (&self, 1, 4, "", 60, "bob -N1 -n3 -w n2 --mem=10");
  node_fixture_skip (&self);
  node_fixture_pass (&self, 1);
  g_assert_null (strstr (self.log->str, "start"));
  fixture_clear (&self);
}

/* Three GPUs: both of n1 and the first of n2. */
static void
test_gpus (void)
{
  LkFixture self;
  const Reservation r = {
    .name = "R", .duration_s = 3600, .tres = "gres/gpu:a100=3", .users = "alan"
  };
  start (&self);
  reservation_create (&self, 0, &r);
  reservation_submit (&self, 0, 1, "", 60, "bob -n1 --gres=gpu:2 --mem=10");
  reservation_submit (&self, 0, 2, "", 60, "bob -n1 --gres=gpu:1 --mem=10");
  reservation_submit (&self, 0, 3, "", 60, "bob -n4 -w n1 --mem=10");
  reservation_submit (&self, 0, 4, "R", 60, "alan -n1 --gres=gpu:1 -w n2 --mem=10");
  node_fixture_skip (&self);
  node_fixture_pass (&self, 0);
  g_assert_null (strstr (self.log->str, "start 1"));
  node_fixture_skip (&self);
  fixture_event (&self, 0, LK_EVENT_CANCEL, 1);
  node_fixture_pass (&self, 0);
  g_assert_cmpint (reservation_start_s (&self, 2), ==, 0);
  g_assert_cmpint (reservation_start_s (&self, 3), ==, 0);
  g_assert_cmpint (reservation_start_s (&self, 4), ==, 0);
  fixture_clear (&self);
}

/* Two of three licences: one is left to others, but none while its own job holds one, as Slurm does
 * not lessen what is set aside by what the reservation's own jobs hold. */
static void
test_licenses (void)
{
  LkFixture self;
  const Reservation r = {
    .name = "R", .duration_s = 3600, .licenses = "matlab:2", .flags = "ANY_NODES", .users = "alan"
  };
  start (&self);
  reservation_create (&self, 0, &r);
  reservation_submit (&self, 0, 1, "", 60, "bob -n1 -L matlab:1 --mem=10");
  node_fixture_pass (&self, 0);
  g_assert_cmpint (reservation_start_s (&self, 1), ==, 0);
  reservation_submit (&self, 1, 2, "R", 60, "alan -n1 -L matlab:2 --mem=10");
  reservation_submit (&self, 1, 3, "", 60, "bob -n1 -L matlab:1 --mem=10");
  node_fixture_pass (&self, 1);
  g_assert_cmpint (reservation_start_s (&self, 2), ==, 1);
  fixture_ended (&self, 10, 1);
  node_fixture_pass (&self, 10);
  g_assert_cmpint (reservation_reason (&self, 3), ==, LK_REASON_LICENSES);
  fixture_ended (&self, 20, 2);
  node_fixture_skip (&self);
  node_fixture_pass (&self, 20);
  g_assert_nonnull (strstr (self.log->str, "start 3"));
  fixture_clear (&self);
}

/* ---------------------------------------------------------------- update, delete, purge */

#define CHANGE(field) (1u << FIELD_##field)
#define X(type, name, help) FIELD_##name,
enum { LK_RESERVATION_FIELDS (X) FIELD_COUNT };
#undef X

static void
test_update (void)
{
  LkFixture self;
  Reservation r = r_alan;
  start (&self);
  reservation_create (&self, 0, &r);
  node_fixture_skip (&self);
  /* Only the field that is named changes. */
  r = (Reservation){ .name = "R", .users = "bob" };
  reservation_update (&self, 0, CHANGE (users), &r);
  fixture_assert_log (&self, "accept 0; R inactive n[1-2] 3600-7200");
  reservation_submit (&self, 0, 1, "R", 60, "alan -N1");
  fixture_assert_log (&self, "reject 1 29");
  r.duration_s = 7200;
  reservation_update (&self, 0, CHANGE (duration_us), &r);
  fixture_assert_log (&self, "accept 0; R inactive n[1-2] 3600-10800");
  r.nodes = "n[3-4]";
  reservation_update (&self, 0, CHANGE (nodes), &r);
  fixture_assert_log (&self, "accept 0; R inactive n[3-4] 3600-10800");
  /* What cannot be had leaves all as it was. */
  r.nodes = "n9";
  reservation_update (&self, 0, CHANGE (nodes), &r);
  fixture_assert_log (&self, "reject 0 15");
  r.users = "";
  reservation_update (&self, 0, CHANGE (users), &r);
  fixture_assert_log (&self, "reject 0 44");
  reservation_update (&self, 0, 0, &r);
  fixture_assert_log (&self, "reject 0 11");
  reservation_update (&self, 0, 1u << FIELD_COUNT, &r);
  fixture_assert_log (&self, "reject 0 11");
  r.name = "S";
  reservation_update (&self, 0, CHANGE (users), &r);
  fixture_assert_log (&self, "reject 0 28");
  reservation_submit (&self, 1, 2, "R", 60, "bob -N2 --exclusive");
  reservation_tick (&self, 3600);
  g_assert_nonnull (strstr (self.log->str, "start 2 n[3-4]"));
  fixture_clear (&self);
}

/* A new end holds for who runs in it. */
static void
test_update_of_end (void)
{
  LkFixture self;
  Reservation r = r_alan;
  start (&self);
  reservation_create (&self, 0, &r);
  reservation_submit (&self, 0, 1, "R", 36000, "alan -N1");
  reservation_tick (&self, 3600);
  r.duration_s = 1800;
  node_fixture_skip (&self);
  reservation_update (&self, 3600, CHANGE (duration_us), &r);
  reservation_tick (&self, 5399);
  g_assert_null (strstr (self.log->str, "kill"));
  reservation_tick (&self, 5400);
  g_assert_nonnull (strstr (self.log->str, "kill 1 6"));
  fixture_ended (&self, 5400, 1);
  fixture_clear (&self);
}

/* One of counted nodes stays where its jobs are. */
static void
test_update_keeps_nodes (void)
{
  LkFixture self;
  Reservation r = { .name = "R", .duration_s = 3600, .node_count = 2, .users = "alan" };
  start (&self);
  reservation_create (&self, 0, &r);
  reservation_submit (&self, 0, 1, "R", 36000, "alan -N1 --exclusive");
  node_fixture_pass (&self, 0);
  r.duration_s = 7200;
  node_fixture_skip (&self);
  reservation_update (&self, 10, CHANGE (duration_us), &r);
  g_assert_true (g_str_has_prefix (self.log->str, "accept 0; R active n[1-2] 0-7200"));
  r.node_count = 3;
  node_fixture_skip (&self);
  reservation_update (&self, 10, CHANGE (node_count), &r);
  g_assert_true (g_str_has_prefix (self.log->str, "accept 0; R active n[1-3] 0-7200"));
  fixture_clear (&self);
}

/* Not while one waits for it, nor while one runs in it. */
static void
test_delete (void)
{
  LkFixture self;
  start (&self);
  reservation_create (&self, 0, &r_alan);
  reservation_submit (&self, 0, 1, "R", 60, "alan -N1");
  node_fixture_skip (&self);
  reservation_delete (&self, 0, "S");
  fixture_assert_log (&self, "reject 0 28");
  reservation_delete (&self, 0, "R");
  fixture_assert_log (&self, "reject 0 31");
  reservation_tick (&self, 3600);
  node_fixture_skip (&self);
  reservation_delete (&self, 3600, "R");
  fixture_assert_log (&self, "reject 0 31");
  fixture_ended (&self, 3601, 1);
  node_fixture_skip (&self);
  reservation_delete (&self, 3601, "R");
  fixture_assert_log (&self, "accept 0; R gone n[1-2] 3600-7200");
  fixture_clear (&self);
}

/* Five minutes, or what was said, since it began or its last job ended. */
static void
test_purge (void)
{
  LkFixture self;
  Reservation r = r_alan;
  r.flags = "PURGE_COMP";
  start (&self);
  reservation_create (&self, 0, &r);
  reservation_tick (&self, 3600);
  reservation_tick (&self, 3899);
  g_assert_null (strstr (self.log->str, "gone"));
  reservation_tick (&self, 3900);
  g_assert_nonnull (strstr (self.log->str, "R gone"));
  r.start_s = 4000;
  r.purge_s = 60;
  node_fixture_skip (&self);
  reservation_create (&self, 3900, &r);
  reservation_submit (&self, 3900, 1, "R", 600, "alan -N1");
  reservation_tick (&self, 4000);
  reservation_tick (&self, 4300);
  fixture_ended (&self, 4300, 1);
  reservation_tick (&self, 4359);
  g_assert_null (strstr (self.log->str, "gone"));
  reservation_tick (&self, 4360);
  g_assert_nonnull (strstr (self.log->str, "R gone"));
  fixture_clear (&self);
}

/* ---------------------------------------------------------------- replace, float, over-run */

/* Nodes that were counted are replaced when they are down; with REPLACE also when they are used. */
static void
test_replace (void)
{
  LkFixture self;
  Reservation r = { AT, .name = "R", .node_count = 2, .users = "alan" };
  start (&self);
  reservation_create (&self, 0, &r);
  node_fixture_skip (&self);
  node_fixture_node (&self, 1, LK_EVENT_NODE_DOWN, "n1");
  g_assert_nonnull (strstr (self.log->str, "R inactive n[2-3] 3600-7200"));
  fixture_clear (&self);

  r.flags = "STATIC_ALLOC";
  start (&self);
  reservation_create (&self, 0, &r);
  node_fixture_skip (&self);
  node_fixture_node (&self, 1, LK_EVENT_NODE_DOWN, "n1");
  g_assert_null (strstr (self.log->str, "R inactive"));
  fixture_clear (&self);

  r.flags = "REPLACE";
  start (&self);
  reservation_create (&self, 0, &r);
  reservation_tick (&self, 3600);
  reservation_submit (&self, 3600, 1, "R", 60, "alan -N1 --exclusive");
  node_fixture_skip (&self);
  reservation_tick (&self, 3600);
  reservation_tick (&self, 3601);
  g_assert_nonnull (strstr (self.log->str, "start 1 n1"));
  g_assert_nonnull (strstr (self.log->str, "R active n[2-3] 3600-7200"));
  fixture_clear (&self);
}

/* Always an hour away: jobs up to an hour run, longer ones do not, and nobody may use it. */
static void
test_float (void)
{
  LkFixture self;
  Reservation r = r_alan;
  r.nodes = "ALL";
  r.flags = "TIME_FLOAT";
  start (&self);
  reservation_create (&self, 100, &r);
  g_assert_true (g_str_has_prefix (self.log->str, "accept 0; R inactive n[1-4] 3700-7300"));
  node_fixture_skip (&self);
  reservation_submit (&self, 100, 1, "R", 60, "alan -N1");
  fixture_assert_log (&self, "reject 1 29");
  reservation_submit (&self, 100, 2, "", 3601, "bob -N1 --exclusive");
  reservation_submit (&self, 100, 3, "", 3600, "bob -N1 --exclusive");
  node_fixture_skip (&self);
  reservation_tick (&self, 100);
  g_assert_nonnull (strstr (self.log->str, "start 3"));
  reservation_submit (&self, 100000, 4, "", 3600, "bob -N1 --exclusive");
  reservation_tick (&self, 100000);
  g_assert_null (strstr (self.log->str, "start 2"));
  g_assert_nonnull (strstr (self.log->str, "start 4"));
  fixture_clear (&self);
}

/* ResvOverRun is added to its end. */
static void
test_over_run (void)
{
  LkFixture self;
  g_autoptr (LkCluster) cluster = site ();
  cluster->reservation_over_run_us = 120 * G_USEC_PER_SEC;
  node_fixture_init (&self, cluster, "easy", "cons_tres");
  reservation_create (&self, 0, &r_alan);
  reservation_submit (&self, 0, 1, "R", 36000, "alan -N1");
  reservation_submit (&self, 0, 2, "R", 60, "alan -N3");
  reservation_tick (&self, 3600);
  node_fixture_skip (&self);
  reservation_tick (&self, 7200);
  g_assert_null (strstr (self.log->str, "kill"));
  g_assert_null (strstr (self.log->str, "gone"));
  g_assert_cmpint (reservation_reason (&self, 2), ==, LK_REASON_RESERVATION_INVALID);
  reservation_tick (&self, 7319);
  g_assert_null (strstr (self.log->str, "kill"));
  reservation_tick (&self, 7320);
  g_assert_nonnull (strstr (self.log->str, "kill 1 6"));
  fixture_ended (&self, 7320, 1);
  g_assert_nonnull (strstr (self.log->str, "R gone"));
  fixture_clear (&self);
}

/* Who waits for it is not held when it is over. */
static void
test_no_hold (void)
{
  LkFixture self;
  Reservation r = r_alan;
  r.flags = "NO_HOLD_JOBS_AFTER";
  start (&self);
  reservation_create (&self, 0, &r);
  reservation_submit (&self, 0, 1, "R", 60, "alan -N3 --exclusive");
  reservation_tick (&self, 3600);
  node_fixture_skip (&self);
  reservation_tick (&self, 7200);
  g_assert_nonnull (strstr (self.log->str, "start 1 n[1-3]"));
  fixture_clear (&self);
}

/* Numbers of made names never come again. */
static void
test_names (void)
{
  LkFixture self;
  Reservation r = { AT, .nodes = "n1", .users = "alan" };
  start (&self);
  reservation_create (&self, 0, &r);
  reservation_delete (&self, 0, "alan_1");
  node_fixture_skip (&self);
  reservation_create (&self, 0, &r);
  g_assert_true (g_str_has_prefix (self.log->str, "accept 0; alan_2 inactive n1"));
  fixture_clear (&self);
}

/* Recorded of 22.05 (67-reservations): too few nodes in one that is on refuse the job. Before it is
 * on, of others, and under 26.05, it waits. */
static void
test_too_few_nodes (void)
{
  static const struct {
    guint32 compat;
    gint64 start_s;
    const char *line;
    gboolean is_refused;
  } rows[] = {
    { LK_COMPAT_SLURM_22_05, 0, "alan -N3", TRUE },
    { LK_COMPAT_SLURM_22_05, 0, "alan -N2-3", FALSE },
    { LK_COMPAT_SLURM_22_05, 0, "alan -N2 -p few", FALSE },
    { LK_COMPAT_SLURM_22_05, 3600, "alan -N3", FALSE },
    { LK_COMPAT_SLURM_26_05, 0, "alan -N3", FALSE },
  };
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    LkFixture self;
    LkJobInfo info;
    Reservation two = { .name = "R",
                        .start_s = rows[i].start_s,
                        .duration_s = 3600,
                        .nodes = "n[1-2]",
                        .users = "alan" };
    g_autoptr (LkCluster) cluster = site ();
    cluster->compat = rows[i].compat;
    node_fixture_init (&self, cluster, "easy", "cons_tres");
    reservation_create (&self, 0, &two);
    reservation_submit (&self, 0, 1, "R", 60, rows[i].line);
    g_assert_cmpint (lk_engine_job (self.engine, 1, &info), ==, !rows[i].is_refused);
    fixture_clear (&self);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/reservation/rules/what it gets, and why not", test_create);
  g_test_add_func ("/reservation/rules/a start that may be late is refused", test_start_delay);
  g_test_add_func ("/reservation/rules/a pool has none", test_pool);
  g_test_add_func ("/reservation/rules/a partition may require one", test_required);
  g_test_add_func ("/reservation/rules/two share no nodes", test_beside_others);
  g_test_add_func ("/reservation/rules/occurrences of a week are compared", test_beside_daily);
  g_test_add_func ("/reservation/rules/running jobs are in the way", test_beside_jobs);
  g_test_add_func ("/reservation/rules/who may ask for it", test_who);
  g_test_add_func ("/reservation/rules/who may start in it", test_who_starts);
  g_test_add_func ("/reservation/rules/cores", test_cores);
  g_test_add_func ("/reservation/rules/gpus", test_gpus);
  g_test_add_func ("/reservation/rules/licences", test_licenses);
  g_test_add_func ("/reservation/rules/update", test_update);
  g_test_add_func ("/reservation/rules/a new end", test_update_of_end);
  g_test_add_func ("/reservation/rules/nodes that are kept", test_update_keeps_nodes);
  g_test_add_func ("/reservation/rules/delete", test_delete);
  g_test_add_func ("/reservation/rules/purge", test_purge);
  g_test_add_func ("/reservation/rules/replace", test_replace);
  g_test_add_func ("/reservation/rules/ahead of the clock", test_float);
  g_test_add_func ("/reservation/rules/over-run", test_over_run);
  g_test_add_func ("/reservation/rules/jobs are not held behind it", test_no_hold);
  g_test_add_func ("/reservation/rules/too few nodes", test_too_few_nodes);
  g_test_add_func ("/reservation/rules/names are made once", test_names);
  return g_test_run ();
}
