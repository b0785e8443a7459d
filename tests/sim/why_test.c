/* tests/sim/why_test.c — why a job waits, when it will start, and what would let it start now.
 *
 * Machines are small enough for every answer to be worked out by hand. */
#include "sim/why.h"

#include <string.h>

#include "sim/why_history.h"
#include "sim/why_private.h"
#include "tests/engine/reservation_fixture.h"

#define IDS 16u

/* ---------------------------------------------------------------- asking */

/* What was submitted, by id. */
static LkEvent_submit asked_of[IDS];

static void
submit (LkFixture *self, gint64 time_s, LkEvent_submit submit)
{
  LkEvent event = { .kind = LK_EVENT_SUBMIT, .submit = submit };
  g_assert_cmpuint (submit.job_id, <, IDS);
  asked_of[submit.job_id] = submit;
  g_assert_cmpint (fixture_apply (self, time_s, &event), ==, LK_STATUS_OK);
}

static void
submit_procs (LkFixture *self, guint32 id, guint32 procs, gint64 estimate_s)
{
  submit (
      self, 0,
      (LkEvent_submit){
          .job_id = id, .user_id = 7, .procs = procs, .estimate_us = estimate_s * G_USEC_PER_SEC });
}

static void
submit_line (LkFixture *self, guint32 id, gint64 estimate_s, const char *line)
{
  LkJobRequest request = node_fixture_request (line);
  LkEvent_submit event = { .job_id = id,
                           .user_id = 7,
                           .procs = lk_job_request_cpus (&request),
                           .estimate_us = estimate_s * G_USEC_PER_SEC };
  lk_submit_set_request (&event, &request);
  submit (self, 0, event);
}

static LkWhy *
why_of (const LkFixture *self, guint32 id)
{
  LkWhyInput input = { lk_setup_config (self->setup), self->engine, &asked_of[id], NULL };
  return lk_why_new (&input);
}

static void
append (GString *out, const char *text)
{
  g_string_append_printf (out, "%s%s", out->len > 0 ? "; " : "", text);
}

typedef struct {
  const char *blockers; /* their texts */
  const char *changes;
  gint64 start_s; /* -1: never, or it is not known */
} Answer;

static void
assert_answer (const LkFixture *self, guint32 id, Answer expected)
{
  g_autoptr (LkWhy) why = why_of (self, id);
  g_autoptr (GString) blockers = g_string_new (NULL);
  g_autoptr (GString) changes = g_string_new (NULL);
  for (guint i = 0; i < why->blockers->len; i++)
    append (blockers, ((LkWhyBlocker *)g_ptr_array_index (why->blockers, i))->text);
  for (guint i = 0; i < why->changes->len; i++)
    append (changes, ((LkWhyChange *)g_ptr_array_index (why->changes, i))->text);
  g_assert_cmpstr (blockers->str, ==, expected.blockers);
  g_assert_cmpstr (changes->str, ==, expected.changes);
  if (expected.start_s < 0)
    g_assert_cmpint (why->start, !=, LK_WHY_START_AT);
  else
    g_assert_cmpint (why->start_us, ==, expected.start_s * G_USEC_PER_SEC);
}

/* ---------------------------------------------------------------- a pool */

/* Of 10 processors job 1 has 6 until 100; job 2 wants 8, so then; job 3 wants 4. */
static void
three_jobs (LkFixture *self, const char *order, const char *backfill)
{
  fixture_init (self, 10, order, backfill);
  submit_procs (self, 1, 6, 100);
  submit_procs (self, 2, 8, 100);
  submit_procs (self, 3, 4, 110);
  node_fixture_pass (self, 0);
}

/* It may end with job 1, or take the two that job 2 leaves over, or go before it. */
static void
test_backfill (void)
{
  LkFixture self;
  three_jobs (&self, "fifo", "easy");
  assert_answer (&self, 3,
                 (Answer){ "1 job goes before it: 2 (7)",
                           "time limit 00:01:40 instead of 00:01:50; "
                           "processors 2 instead of 4; "
                           "place 1 in the queue instead of 2, before job 2",
                           200 });
  assert_answer (
      &self, 2,
      (Answer){ "4 of 10 processors are free, it asks for 8", "processors 4 instead of 8", 100 });
  fixture_clear (&self);
}

/* Without backfilling nothing but its place helps; that of job 2 is not its own to give. */
static void
test_no_backfill (void)
{
  LkFixture self;
  three_jobs (&self, "fifo", "none");
  assert_answer (&self, 3,
                 (Answer){ "1 job goes before it: 2 (7)",
                           "place 1 in the queue instead of 2, before job 2", 200 });
  fixture_clear (&self);
}

/* Where the order looks at what is asked for, a smaller job goes first. */
static void
test_order_follows (void)
{
  LkFixture self;
  fixture_init (&self, 10, "smallest", "none");
  submit_procs (&self, 1, 6, 100);
  node_fixture_pass (&self, 0);
  submit_procs (&self, 2, 5, 100);
  submit_procs (&self, 3, 8, 100);
  node_fixture_pass (&self, 0);
  assert_answer (&self, 3,
                 (Answer){ "4 of 10 processors are free, it asks for 8; 1 job goes before it: "
                           "2 (7)",
                           "processors 4 instead of 8", 200 });
  fixture_clear (&self);
}

/* A planned start is told beside the expected one. */
static void
test_planned (void)
{
  LkFixture self;
  three_jobs (&self, "fifo", "conservative");
  g_autoptr (LkWhy) why = why_of (&self, 3);
  g_assert_cmpint (why->planned_us, ==, 200 * G_USEC_PER_SEC);
  g_assert_cmpint (why->start_us, ==, 200 * G_USEC_PER_SEC);
  g_assert_cmpuint (why->place, ==, 2);
  g_assert_cmpuint (why->queue_count, ==, 2);
  fixture_clear (&self);
}

/* The place that is told is the furthest back that works: behind job 2, which takes 5 at 100 and
 * leaves 5, but not behind job 3, which takes those. */
static void
test_place (void)
{
  LkFixture self;
  fixture_init (&self, 10, "fifo", "conservative");
  submit_procs (&self, 1, 6, 100);
  submit_procs (&self, 2, 5, 100);
  submit_procs (&self, 3, 5, 100);
  submit_procs (&self, 4, 4, 150);
  node_fixture_pass (&self, 0);
  assert_answer (&self, 4,
                 (Answer){ "2 jobs go before it: 2 (7), 3 (7)",
                           "time limit 00:01:00 instead of 00:02:30; "
                           "place 2 in the queue instead of 3, before job 3",
                           200 });
  fixture_clear (&self);
}

static void
test_held (void)
{
  LkFixture self;
  fixture_init (&self, 10, "fifo", "easy");
  submit_procs (&self, 1, 6, 100);
  fixture_event (&self, 0, LK_EVENT_HOLD, 1);
  node_fixture_pass (&self, 0);
  assert_answer (&self, 1, (Answer){ "its user holds it", "being released", -1 });
  fixture_clear (&self);
}

/* A moment between a submit and its pass. */
static void
test_before_the_pass (void)
{
  LkFixture self;
  fixture_init (&self, 10, "fifo", "easy");
  submit_procs (&self, 1, 6, 100);
  assert_answer (&self, 1, (Answer){ "", "nothing but the next pass", 0 });
  fixture_clear (&self);
}

/* The engine that is asked is left as it was. */
static void
test_engine_is_untouched (void)
{
  LkFixture self;
  g_autoptr (GByteArray) before = g_byte_array_new ();
  g_autoptr (GByteArray) after = g_byte_array_new ();
  three_jobs (&self, "fifo", "conservative");
  lk_engine_save (self.engine, before);
  lk_why_free (why_of (&self, 3));
  lk_engine_save (self.engine, after);
  g_assert_cmpuint (before->len, ==, after->len);
  g_assert_true (memcmp (before->data, after->data, before->len) == 0);
  fixture_clear (&self);
}

/* A job that was amended keeps its place: the unchanged one does not start, nor does it fall
 * behind. */
static void
test_amend (void)
{
  LkFixture self;
  LkJobInfo info;
  three_jobs (&self, "fifo", "none");
  node_fixture_pass (&self, 50);
  LkEvent_submit changed = asked_of[2];
  changed.procs = 9;
  g_assert_cmpint (lk_engine_amend (self.engine, &changed), ==, 0);
  g_autoptr (GArray) ids = lk_engine_queue_ids (self.engine);
  g_assert_cmpuint (g_array_index (ids, guint32, 0), ==, 2);
  g_assert_true (lk_engine_job (self.engine, 2, &info));
  g_assert_cmpuint (info.procs, ==, 9);
  g_assert_cmpint (info.submit_us, ==, 0);
  /* A running job, one that is not there, one that is too large; the next id is free. */
  changed.job_id = 1;
  g_assert_cmpint (lk_engine_amend (self.engine, &changed), ==, LK_REJECT_NOT_PENDING);
  changed.job_id = 9;
  g_assert_cmpint (lk_engine_amend (self.engine, &changed), ==, LK_REJECT_JOB_UNKNOWN);
  changed.job_id = 2;
  changed.procs = 11;
  g_assert_cmpint (lk_engine_amend (self.engine, &changed), ==, LK_REJECT_TOO_LARGE);
  g_assert_false (lk_engine_job (self.engine, 2, &info));
  fixture_submit (&self, 50, 4, 1, 10);
  g_assert_true (lk_engine_job (self.engine, 4, &info));
  fixture_clear (&self);
}

/* ---------------------------------------------------------------- nodes */

/* big: n1 and n2 with 4 cores, 8000 MiB and 4 GPUs; small: n3; one licence. */
static LkCluster *
two_partitions (void)
{
  LkCluster *cluster = lk_cluster_new ("two");
  lk_node_spec_add_gres (node_fixture_add (cluster, "n[1-2]", 4, 8000), "gpu", "", 4);
  node_fixture_add (cluster, "n3", 4, 8000);
  LkPartitionSpec *big = lk_cluster_add_partition (cluster, "big");
  LkPartitionSpec *small = lk_cluster_add_partition (cluster, "small");
  big->nodes = (g_free (big->nodes), g_strdup ("n[1-2]"));
  small->nodes = (g_free (small->nodes), g_strdup ("n3"));
  big->is_default = TRUE;
  cluster->memory_per_node_default_bytes = 1000 * MIB;
  lk_cluster_add_license (cluster, "lic", 1);
  return cluster;
}

static void
init_nodes (LkFixture *self, const char *first)
{
  g_autoptr (LkCluster) cluster = two_partitions ();
  node_fixture_init (self, cluster, "easy", "cons_tres");
  submit_line (self, 1, 600, first);
  node_fixture_pass (self, 0);
}

static void
ask (LkFixture *self, const char *line, Answer expected)
{
  submit_line (self, 2, 600, line);
  node_fixture_pass (self, 0);
  assert_answer (self, 2, expected);
  fixture_clear (self);
}

static void
test_other_partition (void)
{
  LkFixture self;
  init_nodes (&self, "-N2 --exclusive");
  /* The licence is free, and so nothing that blocks. */
  ask (&self, "-n1 -L lic",
       (Answer){ "it needs 1 node; of 2 that could serve it, 0 can now, 2 taken by one job",
                 "partition small instead of big", 600 });
}

/* A job of one task could do with the free node; fewer tasks would not need the other one. */
static void
test_fewer_nodes (void)
{
  LkFixture self;
  init_nodes (&self, "-N1 --exclusive");
  ask (&self, "-N2 -n8",
       (Answer){ "it needs 2 nodes with 8 CPUs in all; of 2 that could serve it, 1 can now "
                 "(4 CPUs), 1 taken by one job",
                 "nodes 1 instead of 2", 600 });
}

static void
test_fewer_cpus (void)
{
  LkFixture self;
  init_nodes (&self, "-N2 -n4 --ntasks-per-node=2");
  ask (&self, "-n6",
       (Answer){ "it needs 1 node with 6 CPUs in all; of 2 that could serve it, 2 can now (4 CPUs)",
                 "tasks 4 instead of 6", 600 });
}

static void
test_less_memory (void)
{
  LkFixture self;
  init_nodes (&self, "-N2 -n2 --mem=5000");
  ask (&self, "-n1 --mem=4000",
       (Answer){ "it needs 1 node; of 2 that could serve it, 0 can now, 2 short of memory",
                 "partition small instead of big; memory 3000M instead of 4000M", 600 });
}

static void
test_fewer_gpus (void)
{
  LkFixture self;
  init_nodes (&self, "-N2 -n2 --gres=gpu:1");
  ask (&self, "-n1 --gres=gpu:4",
       (Answer){ "it needs 1 node; of 2 that could serve it, 0 can now, 2 short of GPUs",
                 "GPUs (or other resources) per node 3 instead of 4", 600 });
}

static void
test_license (void)
{
  LkFixture self;
  init_nodes (&self, "-n1 -L lic");
  ask (&self, "-n1 -L lic",
       (Answer){ "1 of 1 licences lic are in use, it asks for 1; by 1 (7) 1; it needs 1 node; of 2 "
                 "that could serve it, 2 can now (7 CPUs)",
                 "without the licences lic", 600 });
}

/* Nobody knows when a node comes back. */
static void
test_required_node (void)
{
  LkFixture self;
  init_nodes (&self, "-n1");
  node_fixture_node (&self, 0, LK_EVENT_NODE_DRAIN, "n2");
  ask (&self, "-n1 -w n2",
       (Answer){ "nodes that it asks for take no jobs: n2 DRAINED (disk); it needs 1 node; of 2 "
                 "that could serve it, 1 can now (3 CPUs), 1 down or drained",
                 "without the nodes n2", -1 });
}

/* Behind a failure of its node a job may not start for a while. */
static void
test_begin_time (void)
{
  LkFixture self;
  init_nodes (&self, "-n1");
  node_fixture_node (&self, 0, LK_EVENT_NODE_DOWN, "n1");
  node_fixture_pass (&self, 0);
  assert_answer (&self, 1, (Answer){ "it may not start before 121s (00:02:01)", "", 121 });
  fixture_clear (&self);
}

/* Four nodes, and a reservation of two of them for an hour, an hour from now. */
static void
init_reserved (LkFixture *self, const char *users)
{
  const Reservation r = {
    .name = "R", .start_s = 3600, .duration_s = 3600, .nodes = "n[1-2]", .users = users
  };
  g_autoptr (LkCluster) cluster = lk_cluster_new ("four");
  node_fixture_add (cluster, "n[1-4]", 2, 100);
  node_fixture_init (self, cluster, "easy", "cons_tres");
  reservation_create (self, 0, &r);
}

static void
test_own_reservation (void)
{
  LkFixture self;
  LkJobRequest request = node_fixture_request ("-N1 --exclusive");
  LkEvent_submit event = {
    .job_id = 1, .user_id = 7, .procs = 1, .estimate_us = G_GINT64_CONSTANT (60) * G_USEC_PER_SEC
  };
  lk_submit_set_request (&event, &request);
  event.reservation = lk_text ("R");
  init_reserved (&self, "7");
  submit (&self, 0, event);
  assert_answer (
      &self, 1,
      (Answer){ "it waits for reservation R, which begins at 3600s (01:00:00)", "", 3600 });
  fixture_clear (&self);
}

static void
test_reservation_of_others (void)
{
  LkFixture self;
  init_reserved (&self, "8");
  submit_line (&self, 1, 7200, "-N4 --exclusive");
  node_fixture_pass (&self, 0);
  assert_answer (&self, 1,
                 (Answer){ "n[1-2] are set aside by reservation R from 3600s (01:00:00) to 7200s "
                           "(02:00:00)",
                           "time limit 01:00:00 instead of 02:00:00; nodes 2 instead of 4", 7200 });
  fixture_clear (&self);
}

/* A job that is accepted although its partition does not let it run so long. */
static void
test_beyond_the_partition (void)
{
  LkFixture self;
  g_autoptr (LkCluster) cluster = two_partitions ();
  cluster->enforce_limits = FALSE;
  ((LkPartitionSpec *)g_ptr_array_index (cluster->partitions, 0))->time_max_us =
      300 * (gint64)G_USEC_PER_SEC;
  node_fixture_init (&self, cluster, "easy", "cons_tres");
  ask (&self, "-n1",
       (Answer){ "as it is it can never start here (PartitionTimeLimit)",
                 "partition small instead of big; time limit 00:05:00 instead of 00:10:00", -1 });
}

/* ---------------------------------------------------------------- accounts */

/* In phys alice and bob, in chem alice; QOS normal and high. */
static LkAccounts *
two_accounts (void)
{
  LkAccounts *accounts = lk_accounts_new ("test");
  lk_accounts_add_account (accounts, "phys", "root");
  lk_accounts_add_account (accounts, "chem", "root");
  lk_accounts_add_user (accounts, "alice", "phys", "");
  lk_accounts_add_user (accounts, "bob", "phys", "");
  lk_accounts_add_user (accounts, "alice", "chem", "");
  lk_accounts_add_qos (accounts, "high");
  accounts->enforce = LK_ENFORCE_ASSOCIATIONS | LK_ENFORCE_LIMITS | LK_ENFORCE_QOS;
  return accounts;
}

static void
init_with (LkFixture *self, const char *order, LkAccounts *accounts)
{
  LkAccountsError error;
  if (!lk_accounts_check (accounts, &error))
    g_error ("%s: %s", error.member, error.text);
  LkSetupOptions options = { .units_total = 10,
                             .origin_us = LK_TIME_NEVER,
                             .order = order,
                             .backfill = "easy",
                             .select = "pool",
                             .accounts = accounts };
  fixture_init_with (self, &options);
}

/* A user may have 4 CPUs in normal, phys two jobs. */
static void
init_accounts (LkFixture *self, const char *order)
{
  g_autoptr (LkAccounts) accounts = two_accounts ();
  lk_limits_set (lk_accounts_find_qos (accounts, "normal")->limits, LK_LIMIT_MAX_TRES_PER_USER,
                 LK_TRES_CPU, TRUE, 4);
  lk_limits_set (lk_accounts_find (accounts, "phys", "", "")->limits, LK_LIMIT_GRP_JOBS, 0, TRUE,
                 2);
  init_with (self, order, accounts);
}

static void
submit_user (LkFixture *self, guint32 id, guint32 procs, const char *user)
{
  submit (self, 0,
          (LkEvent_submit){ .job_id = id,
                            .procs = procs,
                            .estimate_us = 3600 * (gint64)G_USEC_PER_SEC,
                            .user = lk_text (user) });
}

static void
test_limits (void)
{
  LkFixture self;
  init_accounts (&self, "fifo");
  submit_user (&self, 1, 3, "alice");
  submit_user (&self, 2, 2, "bob");
  submit_user (&self, 3, 2, "alice");
  node_fixture_pass (&self, 0);
  /* Both limits hold; each change alone leaves one. */
  assert_answer (&self, 3,
                 (Answer){ "GrpJobs is 2 jobs for account phys: 2 run; by 1 (alice, phys), "
                           "2 (bob, phys); "
                           "MaxTRESPerUser is 4 cpu for user alice in QOS normal: 3 cpu in use, it "
                           "asks for 2 cpu; by 1 (alice, phys) 3 cpu",
                           "", 3600 });
  fixture_ended (&self, 10, 2);
  node_fixture_pass (&self, 10);
  assert_answer (&self, 3,
                 (Answer){ "MaxTRESPerUser is 4 cpu for user alice in QOS normal: 3 cpu in use, it "
                           "asks for 2 cpu; by 1 (alice, phys) 3 cpu",
                           "QOS high instead of normal; processors 1 instead of 2", 3600 });
  g_autoptr (LkWhy) why = why_of (&self, 3);
  g_assert_cmpint (why->info.reason, ==, LK_REASON_QOS_MAX_PER_USER_CPU);
  g_assert_cmpuint (why->place, ==, 0);
  g_assert_cmpstr (why->account, ==, "phys");
  fixture_clear (&self);
}

static void
test_other_account (void)
{
  LkFixture self;
  init_accounts (&self, "fifo");
  LkEvent_submit in_chem = { .job_id = 4,
                             .procs = 1,
                             .estimate_us = G_USEC_PER_SEC,
                             .user = lk_text ("alice"),
                             .account = lk_text ("chem") };
  submit_user (&self, 1, 1, "bob");
  submit_user (&self, 2, 1, "bob");
  submit_user (&self, 3, 1, "alice");
  submit (&self, 0, in_chem);
  node_fixture_pass (&self, 0);
  assert_answer (&self, 3,
                 (Answer){ "GrpJobs is 2 jobs for account phys: 2 run; by 1 (bob, phys), "
                           "2 (bob, phys)",
                           "account chem instead of phys", 3600 });
  fixture_clear (&self);
}

/* Who had what is used up, as far as it was counted for them; it decays until the limit holds no
 * more: 700 minutes to below 600 in a day's half, that is ln (700/600) / (0.693 / 86400 s), at the
 * next cycle. */
static void
test_used_up (void)
{
  LkFixture self;
  g_autoptr (LkAccounts) accounts = two_accounts ();
  LkTresValue much = { LK_TRES_CPU, 500 * 60 };
  LkTresValue less = { LK_TRES_CPU, 200 * 60 };
  accounts->half_life_us = 86400 * (gint64)G_USEC_PER_SEC;
  g_array_append_val (lk_accounts_find (accounts, "phys", "alice", "")->usage_tres, less);
  g_array_append_val (lk_accounts_find (accounts, "phys", "bob", "")->usage_tres, much);
  lk_limits_set (lk_accounts_find (accounts, "phys", "", "")->limits, LK_LIMIT_GRP_TRES_MINS,
                 LK_TRES_CPU, TRUE, 600);
  init_with (&self, "fifo", accounts);
  submit_user (&self, 1, 1, "alice");
  node_fixture_pass (&self, 0);
  assert_answer (&self, 1,
                 (Answer){ "GrpTRESMins of cpu is 600 minutes for account phys: 700 minutes are "
                           "used up; by (bob, phys) 500 minutes, (alice, phys) 200 minutes",
                           "account chem instead of phys", 19500 });
  fixture_clear (&self);
}

/* Its time limit may be at most 30 minutes in normal. */
static void
test_alone (void)
{
  LkFixture self;
  g_autoptr (LkAccounts) accounts = two_accounts ();
  lk_limits_set (lk_accounts_find_qos (accounts, "normal")->limits, LK_LIMIT_MAX_WALL_PER_JOB, 0,
                 TRUE, 30);
  init_with (&self, "fifo", accounts);
  submit_user (&self, 1, 1, "bob");
  node_fixture_pass (&self, 0);
  assert_answer (&self, 1,
                 (Answer){ "MaxWallDurationPerJob is 00:30:00 for QOS normal: it asks for 01:00:00",
                           "QOS high instead of normal; time limit 00:30:00 instead of 01:00:00",
                           -1 });
  fixture_clear (&self);
}

/* With Slurm's priorities the parts are told, and the priority to be beaten. */
static void
test_multifactor (void)
{
  LkFixture self;
  init_accounts (&self, "multifactor:weight_job_size=1000");
  submit_user (&self, 1, 4, "alice");
  node_fixture_pass (&self, 0);
  submit (&self, 0,
          (LkEvent_submit){ .job_id = 2,
                            .procs = 8,
                            .estimate_us = 3600 * (gint64)G_USEC_PER_SEC,
                            .user = lk_text ("bob"),
                            .qos = lk_text ("high") });
  submit (&self, 0,
          (LkEvent_submit){ .job_id = 3,
                            .procs = 4,
                            .estimate_us = 7200 * (gint64)G_USEC_PER_SEC,
                            .user = lk_text ("bob") });
  node_fixture_pass (&self, 0);
  g_autoptr (LkWhy) why = why_of (&self, 3);
  g_assert_true (why->has_parts);
  g_assert_cmpuint (why->parts.priority, ==, 400);
  g_autoptr (GString) text = g_string_new (NULL);
  lk_why_text (why, text);
  g_assert_nonnull (strstr (text->str, "  priority   400 = job size 400\n"));
  g_assert_nonnull (strstr (text->str, "1 job goes before it: 2 (bob, phys) 800\n"));
  g_assert_nonnull (strstr (text->str, "(priority above 800, now 400)\n"));
  fixture_clear (&self);
}

/* ---------------------------------------------------------------- words */

static void
test_words (void)
{
  static const struct {
    gint64 us;
    const char *text;
  } durations[] = { { 0, "00:00:00" },
                    { 3661 * G_GINT64_CONSTANT (1000000), "01:01:01" },
                    { 90061 * G_GINT64_CONSTANT (1000000), "1-01:01:01" },
                    { 1500000, "00:00:01.500000" },
                    { LK_TIME_NEVER, "ever" } };
  for (guint i = 0; i < G_N_ELEMENTS (durations); i++) {
    g_autofree char *text = lk_why_duration_text (durations[i].us);
    g_assert_cmpstr (text, ==, durations[i].text);
  }
  g_autofree char *date = lk_why_moment_text (G_GINT64_CONSTANT (1504673144) * 1000000);
  g_assert_cmpstr (date, ==, "1504673144s (2017-09-06 04:45:44 UTC)");
  g_autofree char *early = lk_why_moment_text (59000000);
  g_assert_cmpstr (early, ==, "59s");
  g_autofree char *never = lk_why_moment_text (LK_TIME_NEVER);
  g_assert_cmpstr (never, ==, "never");
  g_autofree char *memory = lk_why_memory_text (3 * G_GINT64_CONSTANT (1073741824));
  g_assert_cmpstr (memory, ==, "3G");
  g_autofree char *odd = lk_why_memory_text (1025);
  g_assert_cmpstr (odd, ==, "1025 bytes");
  g_autofree char *mib = lk_why_amount_text (1536, "MiB");
  g_assert_cmpstr (mib, ==, "1536M");
  g_autofree char *wall = lk_why_amount_text (61, "minutes");
  g_assert_cmpstr (wall, ==, "01:01:00");
}

static void
test_job_ids (void)
{
  static const struct {
    const char *text;
    guint32 job_id; /* 0: refused */
    guint32 task;
  } rows[] = {
    { "7", 7, LK_TASK_NONE },
    { "7_3", 7, 3 },
    { "7_0", 7, 0 },
    { "7_[1-5]", 7, LK_TASK_NONE },
    { "7_[1,3-5%2]", 7, LK_TASK_NONE },
    { "7+1", 8, LK_TASK_NONE },
    { "0", 0, 0 },
    { "", 0, 0 },
    { "_3", 0, 0 },
    { "7_", 0, 0 },
    { "7_x", 0, 0 },
    { "7_[1", 0, 0 },
    { "7+", 0, 0 },
    { "7+-1", 0, 0 },
    { "7.0", 0, 0 },
    { "-7", 0, 0 },
    { " 7", 0, 0 },
    { "4294967294+9", 0, 0 },
  };
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    LkWhyJobId id = { 0, 0 };
    g_assert_cmpint (lk_why_job_id_parse (rows[i].text, &id), ==, rows[i].job_id != 0);
    g_assert_cmpuint (id.job_id, ==, rows[i].job_id);
    g_assert_cmpuint (id.task, ==, rows[i].task);
  }
}

/* ---------------------------------------------------------------- names in a journal */

static void
keep_bytes (gpointer user, const guint8 *bytes, gsize length_bytes)
{
  g_byte_array_append (user, bytes, (guint)length_bytes);
}

static void
write_note (LkJournalWriter *writer, const char *bytes, gsize length_bytes)
{
  lk_journal_writer_note (writer, (const guint8 *)bytes, length_bytes);
}

/* One submit, with notes that a journal could have: bytes of others are never printed. */
static void
write_names (LkJournalWriter *writer)
{
  LkEvent event = { .seq = 1, .kind = LK_EVENT_SUBMIT, .submit = { .job_id = 7, .procs = 1 } };
  lk_journal_names_write (writer, 7, "100_5");
  lk_journal_names_write (writer, 7, "101");     /* only the first one counts */
  lk_journal_names_write (writer, 8, "");        /* no number */
  lk_journal_names_write (writer, 9, "\033[2J"); /* would clear a terminal */
  write_note (writer, "\0\12\0\0", 4);           /* ends within the id */
  lk_journal_writer_event (writer, &event, &(LkDecided){ 0 });
  lk_journal_writer_commit (writer, 0, (LkDigestValue){ 0 });
}

static gboolean
read_names (LkJournalNames *names, const GByteArray *bytes, LkEvent *out_event)
{
  g_autoptr (LkJournalReader) reader =
      lk_journal_reader_new_inside (bytes->data, bytes->len, &(LkJournalCheckpoint){ 0 });
  g_assert_cmpint (lk_journal_reader_next (reader, out_event), ==, LK_JOURNAL_EVENT);
  return lk_journal_names_add (names, reader, out_event);
}

static void
test_names (void)
{
  LkEvent event;
  guint32 id = 0;
  g_autoptr (GError) error = NULL;
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  g_autoptr (LkJournalNames) names = lk_journal_names_new ();
  g_autoptr (LkJournalWriter) writer = lk_journal_writer_new (NULL, 1, keep_bytes, bytes);
  write_names (writer);
  g_assert_false (read_names (names, bytes, &event));
  g_assert_cmpstr (lk_journal_names_log_id (names, 7), ==, "100_5");
  g_assert_null (lk_journal_names_log_id (names, 8));
  g_assert_null (lk_journal_names_log_id (names, 9));
  g_assert_true (lk_journal_names_find (names, "100_5", &id, &error));
  g_assert_cmpuint (id, ==, 7);
  g_assert_false (lk_journal_names_find (names, "101", &id, &error) && id == 7);
  g_assert_true (lk_journal_names_is_same (names, 7, "id:7"));
  g_assert_false (lk_journal_names_is_same (names, 7, "log:7"));
}

static void
test_notes_of_a_controller (void)
{
  LkEvent event = { .seq = 1, .kind = LK_EVENT_SUBMIT, .submit = { .job_id = 7, .procs = 1 } };
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  g_autoptr (LkJournalNames) names = lk_journal_names_new ();
  g_autoptr (LkJournalWriter) writer = lk_journal_writer_new (NULL, 1, keep_bytes, bytes);
  write_note (writer, "\120\7\0\0\0005", 6);
  lk_journal_writer_event (writer, &event, &(LkDecided){ 0 });
  lk_journal_writer_commit (writer, 0, (LkDigestValue){ 0 });
  g_assert_true (read_names (names, bytes, &event));
  g_assert_null (lk_journal_names_log_id (names, 7));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/why/a job that could be backfilled", test_backfill);
  g_test_add_func ("/why/nobody is backfilled", test_no_backfill);
  g_test_add_func ("/why/an order that looks at the size", test_order_follows);
  g_test_add_func ("/why/a plan", test_planned);
  g_test_add_func ("/why/the furthest place that works", test_place);
  g_test_add_func ("/why/a held job", test_held);
  g_test_add_func ("/why/before the pass", test_before_the_pass);
  g_test_add_func ("/why/the engine is left as it was", test_engine_is_untouched);
  g_test_add_func ("/why/an amended job keeps its place", test_amend);
  g_test_add_func ("/why/another partition", test_other_partition);
  g_test_add_func ("/why/fewer nodes", test_fewer_nodes);
  g_test_add_func ("/why/fewer tasks", test_fewer_cpus);
  g_test_add_func ("/why/less memory", test_less_memory);
  g_test_add_func ("/why/fewer GPUs", test_fewer_gpus);
  g_test_add_func ("/why/a licence", test_license);
  g_test_add_func ("/why/a node that is drained", test_required_node);
  g_test_add_func ("/why/a job that may not begin yet", test_begin_time);
  g_test_add_func ("/why/a reservation that it asks for", test_own_reservation);
  g_test_add_func ("/why/a reservation of others", test_reservation_of_others);
  g_test_add_func ("/why/beyond the limit of a partition", test_beyond_the_partition);
  g_test_add_func ("/why/limits", test_limits);
  g_test_add_func ("/why/another account", test_other_account);
  g_test_add_func ("/why/a limit on what was used", test_used_up);
  g_test_add_func ("/why/a limit of a single job", test_alone);
  g_test_add_func ("/why/priorities of Slurm", test_multifactor);
  g_test_add_func ("/why/words", test_words);
  g_test_add_func ("/why/numbers of jobs as squeue prints them", test_job_ids);
  g_test_add_func ("/why/numbers of the log in a journal", test_names);
  g_test_add_func ("/why/notes of a controller name no jobs", test_notes_of_a_controller);
  return g_test_run ();
}
