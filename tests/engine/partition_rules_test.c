/* tests/engine/partition_rules_test.c — who may submit to a partition, whose limit an administrator
 * may pass, all cores where jobs share them; and what Slurm 22.05 takes that 26.05 refuses.
 *
 * Source: slurm.conf(5) RootOnly, AllowGroups, OverSubscribe; tests/oracle/sched, situations 52,
 * 53, 62, 75 and 77. */
#include "engine/schema.h"
#include "tests/engine/node_fixture.h"

static LkPartitionSpec *
add_part (LkCluster *cluster, const char *name)
{
  LkPartitionSpec *partition = lk_cluster_add_partition (cluster, name);
  partition->is_default = cluster->partitions->len == 1;
  return partition;
}

static LkCluster *
one_node (void)
{
  LkCluster *cluster = lk_cluster_new ("small");
  cluster->memory = FALSE;
  node_fixture_add (cluster, "n1", 4, 8000);
  return cluster;
}

static LkReject
submit (LkFixture *self, gint64 time_s, const LkJobRequest *request, const LkJobTerms *terms)
{
  LkEvent event = { .kind = LK_EVENT_SUBMIT };
  gboolean is_root =
      request->user.length_bytes == 4 && memcmp (request->user.bytes, "root", 4) == 0;
  event.submit.user_id = is_root ? 0 : 1;
  event.submit.procs = 1;
  event.submit.estimate_us = 60 * G_USEC_PER_SEC;
  lk_submit_set_request (&event.submit, request);
  lk_submit_set_terms (&event.submit, terms);
  node_fixture_skip (self);
  g_assert_cmpint (fixture_apply (self, time_s, &event), ==, LK_STATUS_OK);
  const char *reject = strstr (self->log->str, "reject 0 ");
  return reject != NULL ? (LkReject)g_ascii_strtoull (reject + strlen ("reject 0 "), NULL, 10) : 0;
}

static LkReject
submit_as (LkFixture *self, const char *user, const char *line)
{
  LkJobTerms terms = { 0 };
  LkJobRequest request = node_fixture_request (line);
  request.user = lk_text (user);
  request.group = lk_text (user);
  return submit (self, 0, &request, &terms);
}

/* ---------------------------------------------------------------- who may */

/* Unless limits of partitions are enforced, such a job is taken, and waits: so does 26.05. */
static void
test_access_waits (void)
{
  LkFixture self;
  LkJobInfo info;
  g_autoptr (LkCluster) cluster = one_node ();
  LkPartitionSpec *group = add_part (cluster, "group");
  g_free (group->allow_groups);
  group->allow_groups = g_strdup ("adm");
  node_fixture_init (&self, cluster, "easy", "cons_tres");
  g_assert_cmpint (submit_as (&self, "users,adm2", "-n1 -p group"), ==, 0);
  fixture_event (&self, 1, LK_EVENT_PASS, 0);
  g_assert_true (lk_engine_job (self.engine, 1, &info));
  g_assert_cmpint (info.state, ==, LK_JOB_PENDING);
  g_assert_cmpint (info.reason, ==, LK_REASON_ACCOUNT_NOT_ALLOWED);
  fixture_clear (&self);
}

static void
test_access (void)
{
  LkFixture self;
  g_autoptr (LkCluster) cluster = one_node ();
  cluster->enforce_limits = TRUE;
  add_part (cluster, "all");
  add_part (cluster, "root")->root_only = TRUE;
  LkPartitionSpec *group = add_part (cluster, "group");
  g_free (group->allow_groups);
  group->allow_groups = g_strdup ("adm,carol");
  node_fixture_init (&self, cluster, "easy", "cons_tres");
  g_assert_cmpint (submit_as (&self, "alice", "-n1"), ==, 0);
  g_assert_cmpint (submit_as (&self, "alice", "-n1 -p root"), ==, LK_REJECT_PARTITION_UNAVAILABLE);
  g_assert_cmpint (submit_as (&self, "root", "-n1 -p root"), ==, 0);
  g_assert_cmpint (submit_as (&self, "alice", "-n1 -p group"), ==, LK_REJECT_GROUP_DENIED);
  g_assert_cmpint (submit_as (&self, "carol", "-n1 -p group"), ==, 0);
  g_assert_cmpint (submit_as (&self, "users,adm", "-n1 -p group"), ==, 0);
  g_assert_cmpint (submit_as (&self, "users,adm2", "-n1 -p group"), ==, LK_REJECT_GROUP_DENIED);
  /* The user id decides, and one partition of several is enough. */
  g_assert_cmpint (submit_as (&self, "", "-n1 -p root"), ==, LK_REJECT_PARTITION_UNAVAILABLE);
  g_assert_cmpint (submit_as (&self, "alice", "-n1 -p all,root"), ==,
                   LK_REJECT_PARTITION_UNAVAILABLE);
  /* A workload may know no groups. */
  g_assert_cmpint (submit_as (&self, "", "-n1 -p group"), ==, 0);
  fixture_clear (&self);
}

/* Where there are no accounts an update knows of no user's name. */
static void
test_update_to_root (void)
{
  LkFixture self;
  g_autoptr (LkCluster) cluster = one_node ();
  add_part (cluster, "all");
  add_part (cluster, "root")->root_only = TRUE;
  node_fixture_init (&self, cluster, "easy", "cons_tres");
  g_assert_cmpint (submit_as (&self, "alice", "-n1"), ==, 0);
  LkEvent_update move = { .job_id = 1,
                          .changes = G_GUINT64_CONSTANT (1) << LK_CHANGE_partition,
                          .partition = { "root", 4 } };
  const LkEvent_update tasks = { .job_id = 1,
                                 .changes = G_GUINT64_CONSTANT (1) << LK_CHANGE_tasks,
                                 .tasks = 2 };
  node_fixture_skip (&self);
  fixture_update (&self, 0, &move);
  move.partition = lk_text ("all,root");
  fixture_update (&self, 0, &move);
  fixture_assert_log (&self, "reject 1 42; reject 1 42");
  move.by_admin = 1;
  fixture_update (&self, 0, &move);
  fixture_update (&self, 0, &tasks);
  fixture_assert_log (&self, "accept 1; accept 1");
  move.partition = lk_text ("root");
  fixture_update (&self, 0, &move);
  fixture_update (&self, 0, &tasks);
  fixture_assert_log (&self, "accept 1; accept 1");
  fixture_clear (&self);
}

/* ReqResv: in such a partition there is no job without a reservation. */
static void
test_reservation_required (void)
{
  LkFixture self;
  g_autoptr (LkCluster) cluster = one_node ();
  add_part (cluster, "all");
  add_part (cluster, "kept")->reservation_required = TRUE;
  node_fixture_init (&self, cluster, "easy", "cons_tres");
  g_assert_cmpint (submit_as (&self, "alice", "-n1"), ==, 0);
  g_assert_cmpint (submit_as (&self, "alice", "-n1 -p kept"), ==, LK_REJECT_PERMISSION);
  const LkJobTerms terms = { .reservation = lk_text ("none") };
  LkJobRequest request = node_fixture_request ("-n1 -p kept");
  g_assert_cmpint (submit (&self, 0, &request, &terms), ==, LK_REJECT_RESERVATION_UNKNOWN);
  /* A job may start in each of several, so each counts. */
  g_assert_cmpint (submit_as (&self, "alice", "-n1 -p all,kept"), ==, LK_REJECT_PERMISSION);
  g_assert_cmpint (submit_as (&self, "alice", "-n1 -p kept,all"), ==, LK_REJECT_PERMISSION);
  const LkEvent_update move = { .job_id = 1,
                                .changes = G_GUINT64_CONSTANT (1) << LK_CHANGE_partition,
                                .partition = lk_text ("all,kept") };
  node_fixture_skip (&self);
  fixture_update (&self, 0, &move);
  fixture_assert_log (&self, "reject 1 37");
  fixture_clear (&self);
}

/* ---------------------------------------------------------------- an administrator's limit */

static void
set_limit (LkFixture *self, guint32 id, gint64 limit_s, guint8 by_admin)
{
  LkEvent event = { .kind = LK_EVENT_UPDATE };
  event.update.job_id = id;
  event.update.changes = G_GUINT64_CONSTANT (1) << LK_CHANGE_estimate_us;
  event.update.estimate_us = limit_s * G_USEC_PER_SEC;
  event.update.by_admin = by_admin;
  g_assert_cmpint (fixture_apply (self, 1, &event), ==, LK_STATUS_OK);
}

static void
assert_waits (const LkFixture *self, guint32 id, LkReason reason)
{
  LkJobInfo info;
  g_assert_true (lk_engine_job (self->engine, id, &info));
  g_assert_cmpint (info.state, ==, LK_JOB_PENDING);
  g_assert_cmpstr (lk_reason_name (info.reason), ==, lk_reason_name (reason));
}

static void
test_admin_limit (void)
{
  LkFixture self;
  g_autoptr (LkCluster) cluster = one_node ();
  add_part (cluster, "short")->time_max_us = 100 * G_USEC_PER_SEC;
  node_fixture_init (&self, cluster, "easy", "cons_tres");
  self.reloads = TRUE;
  node_fixture_submit (&self, 0, 1, 100, "-N1 --exclusive");
  node_fixture_pass (&self, 0);
  node_fixture_submit (&self, 0, 2, 200, "-N1");
  node_fixture_submit (&self, 0, 3, 100, "-N1");
  assert_waits (&self, 2, LK_REASON_PARTITION_TIME_LIMIT);
  set_limit (&self, 3, 300, 1);
  assert_waits (&self, 3, LK_REASON_RESOURCES);
  set_limit (&self, 2, 200, 1);
  assert_waits (&self, 2, LK_REASON_RESOURCES);
  /* What its user sets again is his own. */
  set_limit (&self, 3, 200, 0);
  assert_waits (&self, 3, LK_REASON_PARTITION_TIME_LIMIT);
  fixture_clear (&self);
}

/* Where limits are enforced the job stays where it is. */
static void
test_enforced_limit (void)
{
  LkFixture self;
  LkEvent event = { .kind = LK_EVENT_UPDATE };
  g_autoptr (LkCluster) cluster = one_node ();
  cluster->enforce_limits = TRUE;
  add_part (cluster, "long");
  add_part (cluster, "short")->time_max_us = 100 * G_USEC_PER_SEC;
  node_fixture_init (&self, cluster, "easy", "cons_tres");
  node_fixture_submit (&self, 0, 1, 200, "-N1");
  node_fixture_skip (&self);
  event.update.job_id = 1;
  event.update.changes = G_GUINT64_CONSTANT (1) << LK_CHANGE_partition;
  event.update.partition = lk_text ("short");
  g_assert_cmpint (fixture_apply (&self, 1, &event), ==, LK_STATUS_OK);
  g_assert_cmpstr (self.log->str, ==, "reject 1 20");
  fixture_clear (&self);
}

/* ---------------------------------------------------------------- several partitions */

/* "fast" comes first and has a short limit; each has a node of its own. */
static void
two_init (LkFixture *self, const char *backfill)
{
  g_autoptr (LkCluster) cluster = one_node ();
  node_fixture_add (cluster, "n2", 4, 8000);
  LkPartitionSpec *main = add_part (cluster, "main");
  LkPartitionSpec *fast = add_part (cluster, "fast");
  g_free (main->nodes);
  main->nodes = g_strdup ("n1");
  g_free (fast->nodes);
  fast->nodes = g_strdup ("n2");
  fast->priority_tier = 10;
  fast->time_max_us = 100 * G_USEC_PER_SEC;
  node_fixture_init (self, cluster, backfill, "cons_tres");
}

static void
set_state (LkFixture *self, gint64 time_s, const char *partition, LkPartitionState state)
{
  LkEvent event = { .kind = LK_EVENT_PARTITION };
  event.partition.name = lk_text (partition);
  event.partition.state = (guint8)state;
  g_assert_cmpint (fixture_apply (self, time_s, &event), ==, LK_STATUS_OK);
}

static LkReason
pass_and_reason (LkFixture *self, gint64 time_s, guint32 job_id)
{
  LkJobInfo info;
  fixture_event (self, time_s, LK_EVENT_PASS, 0);
  lk_engine_check (self->engine);
  g_assert_true (lk_engine_job (self->engine, job_id, &info));
  return info.state == LK_JOB_PENDING ? info.reason : LK_REASON_NONE;
}

static void
assert_on (const LkFixture *self, guint32 job_id, const char *node)
{
  g_autofree char *start = g_strdup_printf ("start %u %s", job_id, node);
  g_assert_nonnull (strstr (self->log->str, start));
}

/* A policy that plans a job in one partition takes the first that is open and allows the job. */
static void
test_several (gconstpointer backfill)
{
  LkFixture self;
  two_init (&self, backfill);
  node_fixture_skip (&self);
  node_fixture_submit (&self, 0, 1, 50, "-n1 -p main,fast");
  node_fixture_submit (&self, 0, 2, 200, "-n1 -p fast,main");
  g_assert_cmpint (pass_and_reason (&self, 0, 2), ==, LK_REASON_NONE);
  assert_on (&self, 1, "n2");
  assert_on (&self, 2, "n1");
  /* It is judged again when a partition closes or opens, and when the job changes. */
  node_fixture_submit (&self, 1, 3, 50, "-n1 -p fast,main --exclusive");
  set_state (&self, 2, "fast", LK_PARTITION_DOWN);
  g_assert_cmpint (pass_and_reason (&self, 2, 3), !=, LK_REASON_PARTITION_DOWN);
  set_state (&self, 3, "main", LK_PARTITION_DOWN);
  g_assert_cmpint (pass_and_reason (&self, 3, 3), ==, LK_REASON_PARTITION_DOWN);
  node_fixture_submit (&self, 4, 4, 200, "-n1 -p fast,main --exclusive");
  g_assert_cmpint (pass_and_reason (&self, 4, 4), ==, LK_REASON_PARTITION_DOWN);
  set_state (&self, 5, "fast", LK_PARTITION_UP);
  g_assert_cmpint (pass_and_reason (&self, 5, 4), ==, LK_REASON_PARTITION_DOWN);
  const LkEvent_update shorter = { .job_id = 4,
                                   .changes = G_GUINT64_CONSTANT (1) << LK_CHANGE_estimate_us,
                                   .estimate_us = 20 * G_USEC_PER_SEC };
  fixture_update (&self, 6, &shorter);
  g_assert_cmpint (pass_and_reason (&self, 6, 4), !=, LK_REASON_PARTITION_DOWN);
  fixture_ended (&self, 7, 1);
  g_assert_cmpint (pass_and_reason (&self, 7, 3), ==, LK_REASON_NONE);
  assert_on (&self, 3, "n2");
  fixture_clear (&self);
}

/* Drained partitions take no jobs; one that takes them is enough. */
static void
test_several_closed (void)
{
  LkFixture self;
  two_init (&self, "full");
  set_state (&self, 0, "fast", LK_PARTITION_INACTIVE);
  g_assert_cmpint (submit_as (&self, "alice", "-n1 -p fast"), ==, LK_REJECT_PARTITION_CLOSED);
  g_assert_cmpint (submit_as (&self, "alice", "-n1 -p fast,main"), ==, 0);
  g_assert_cmpint (pass_and_reason (&self, 1, 1), ==, LK_REASON_NONE);
  fixture_clear (&self);
}

/* A drained partition starts the jobs that it has, but gets no others. */
static void
test_several_drained (gconstpointer backfill)
{
  LkFixture self;
  LkEvent_update move = { .job_id = 5,
                          .changes = G_GUINT64_CONSTANT (1) << LK_CHANGE_partition,
                          .partition = lk_text ("fast,main") };
  const LkEvent_update shorter = { .job_id = 3,
                                   .changes = G_GUINT64_CONSTANT (1) << LK_CHANGE_estimate_us,
                                   .estimate_us = 20 * G_USEC_PER_SEC };
  const LkEvent_update tasks = { .job_id = 3,
                                 .changes = G_GUINT64_CONSTANT (1) << LK_CHANGE_tasks,
                                 .tasks = 2 };
  two_init (&self, backfill);
  node_fixture_submit (&self, 0, 3, 50, "-n1 -p fast,main");
  set_state (&self, 0, "fast", LK_PARTITION_DRAIN);
  node_fixture_submit (&self, 0, 4, 50, "-n1 -p fast,main");
  fixture_update (&self, 0, &shorter);
  fixture_update (&self, 0, &tasks);
  node_fixture_submit (&self, 0, 5, 50, "-n1 -p main");
  node_fixture_skip (&self);
  fixture_update (&self, 0, &move);
  fixture_assert_log (&self, "accept 5");
  move.partition = lk_text ("fast");
  fixture_update (&self, 0, &move);
  fixture_assert_log (&self, "reject 5 14");
  g_assert_cmpint (pass_and_reason (&self, 1, 4), ==, LK_REASON_NONE);
  assert_on (&self, 3, "n2");
  assert_on (&self, 4, "n1");
  assert_on (&self, 5, "n1");
  fixture_clear (&self);
}

/* ---------------------------------------------------------------- all cores, shared */

static void
test_all_cores (void)
{
  LkFixture self;
  g_autoptr (LkCluster) cluster = one_node ();
  LkPartitionSpec *shared = add_part (cluster, "shared");
  shared->oversubscribe = LK_OVERSUBSCRIBE_FORCE;
  shared->oversubscribe_jobs = 2;
  node_fixture_init (&self, cluster, "easy", "cons_tres");
  self.tells_details = TRUE;
  node_fixture_submit (&self, 0, 1, 100, "-n2");
  node_fixture_submit (&self, 0, 2, 100, "-n1 --exclusive");
  node_fixture_submit (&self, 0, 3, 100, "-n1 --exclusive");
  node_fixture_skip (&self);
  node_fixture_pass (&self, 0);
  g_test_message ("%s", self.log->str);
  g_assert_nonnull (strstr (self.log->str, "start 1 n1 n1=0-1"));
  g_assert_nonnull (strstr (self.log->str, "start 2 n1 n1=0-3"));
  g_assert_null (strstr (self.log->str, "start 3"));
  /* Two cores are free twice, two once. */
  fixture_ended (&self, 10, 2);
  node_fixture_skip (&self);
  node_fixture_pass (&self, 10);
  g_assert_nonnull (strstr (self.log->str, "start 3 n1 n1=0-3"));
  fixture_clear (&self);
}

/* ---------------------------------------------------------------- 22.05 */

static void
run_old (guint32 compat, gboolean is_taken)
{
  LkFixture self;
  g_autoptr (LkCluster) cluster = one_node ();
  cluster->compat = compat;
  node_fixture_init (&self, cluster, "easy", "cons_tres");
  LkJobRequest request = node_fixture_request ("-n1");
  LkJobTerms late = { .deadline_us = 40 * G_USEC_PER_SEC };
  LkJobTerms unknown = { .dependency = lk_text ("afterok:99") };
  LkJobTerms past = { .deadline_us = 5 * G_USEC_PER_SEC };
  g_assert_cmpint (submit (&self, 10, &request, &late), ==, is_taken ? 0 : LK_REJECT_TIME_INVALID);
  g_assert_cmpint (submit (&self, 10, &request, &unknown), ==,
                   is_taken ? 0 : LK_REJECT_DEPENDENCY_INVALID);
  g_assert_cmpint (submit (&self, 10, &request, &past), ==, LK_REJECT_TIME_INVALID);
  LkJobTerms apart = { .begin_us = 50 * G_USEC_PER_SEC, .deadline_us = 45 * G_USEC_PER_SEC };
  g_assert_cmpint (submit (&self, 10, &request, &apart), ==, LK_REJECT_TIME_INVALID);
  LkJobTerms least = { .time_min_us = G_GINT64_CONSTANT (7200) * G_USEC_PER_SEC };
  g_assert_cmpint (submit (&self, 10, &request, &least), ==, LK_REJECT_TIME_MIN_INVALID);
  node_fixture_skip (&self);
  node_fixture_pass (&self, 10);
  g_assert_true ((strstr (self.log->str, "DEADLINE 1") != NULL) == is_taken);
  g_assert_true ((strstr (self.log->str, "start 2 n1") != NULL) == is_taken);
  fixture_clear (&self);
}

static void
test_old (void)
{
  run_old (LK_COMPAT_SLURM_22_05, TRUE);
  run_old (LK_COMPAT_SLURM_26_05, FALSE);
}

int
main (int argc, char **argv)
{
  static const char *const policies[] = { "none", "easy", "conservative", "replan", "full" };
  static const char *const drained[] = { "full", "slurm" };
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/partition rules/root and groups may be alone in it", test_access);
  g_test_add_func ("/partition rules/an update opens none that is root's", test_update_to_root);
  g_test_add_func ("/partition rules/a reservation is required", test_reservation_required);
  g_test_add_func ("/partition rules/who may not use it waits", test_access_waits);
  g_test_add_func ("/partition rules/an administrator passes its time limit", test_admin_limit);
  g_test_add_func ("/partition rules/its time limit may be enforced", test_enforced_limit);
  for (guint i = 0; i < G_N_ELEMENTS (policies); i++) {
    g_autofree char *path =
        g_strconcat ("/partition rules/of several one will do: ", policies[i], NULL);
    g_test_add_data_func (path, policies[i], test_several);
  }
  g_test_add_func ("/partition rules/of several one must take jobs", test_several_closed);
  for (guint i = 0; i < G_N_ELEMENTS (drained); i++) {
    g_autofree char *path =
        g_strconcat ("/partition rules/a drained one gets no new jobs: ", drained[i], NULL);
    g_test_add_data_func (path, drained[i], test_several_drained);
  }
  g_test_add_func ("/partition rules/exclusive takes all cores where they are shared",
                   test_all_cores);
  g_test_add_func ("/partition rules/22.05 takes what it will refuse later", test_old);
  return g_test_run ();
}
