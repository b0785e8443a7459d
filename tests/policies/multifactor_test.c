/* tests/policies/multifactor_test.c — the order `multifactor`: factors, the sum, cycles and state
 * (semantics/02 sections 1 and 1.3 to 1.4). */
#include <math.h>

#include "policies/multifactor_settings.h"
#include "policies/orders.h"
#include "policies/priority_factors.h"
#include "policies/tres_weights.h"
#include "tests/policies/priority_fixture.h"

#define DAY_S G_GINT64_CONSTANT (86400)

static const LkOrderPolicy *const policy = &lk_order_multifactor;

static guint32
key_of (const PriorityFixture *fixture, void *instance, LkJobIndex job)
{
  return (guint32)policy->key (instance, &fixture->view, job);
}

static LkPriorityParts
explain (const PriorityFixture *fixture, void *instance, LkJobIndex job, guint32 partition)
{
  LkPriorityParts parts = { .size = sizeof parts };
  g_assert_cmpint (policy->explain (instance, &fixture->view, job, partition, &parts), ==, 1);
  return parts;
}

static void
set_time_s (PriorityFixture *fixture, gint64 now_s)
{
  fixture->view.now_us = now_s * G_USEC_PER_SEC;
}

/* ---------------------------------------------------------------- factors */

static void
test_job_size (void)
{
  const guint32 small = LK_JOB_SIZE_FAVOR_SMALL;
  const guint32 relative = LK_JOB_SIZE_RELATIVE_TO_TIME;
  const struct {
    LkJobSize size;
    guint32 flags;
    double factor;
  } worked[] = {
    { { 1, 8, 60, 10, 160 }, 0, 0.075 },
    { { 1, 8, 60, 10, 160 }, small, 0.925 },
    { { 4, 64, 60, 10, 160 }, 0, 0.4 },
    { { 4, 64, 60, 10, 160 }, small, 0.6 },
    { { 1, 8, 60, 10, 160 }, relative, 16.0 / 60 / 160 },
    { { 10, 160, 1, 10, 160 }, relative, 1.0 },
    { { 1, 8, 60, 10, 160 }, relative | small, 1.0 - 16.0 / 60 / 160 },
    { { 10, 160, 1, 10, 160 }, relative | small, 0.0 },
    /* More processors than its nodes have on average. */
    { { 1, 32, 10, 10, 160 }, relative, 32.0 / 10 / 160 },
    { { 4, 0, 60, 10, 160 }, 0, 0.4 },
    { { 4, 0, 60, 10, 160 }, small, 0.6 },
    /* More nodes than there are now. */
    { { 12, 192, 60, 10, 160 }, 0, 1.0 },
    { { 12, 192, 60, 10, 160 }, small, 0.0 },
    { { 1, 8, 60, 0, 160 }, 0, 0.0 },
    { { 1, 8, 60, 10, 0 }, relative, 0.0 },
    { { 1, 160, 4294967295.0, 10, 160 }, relative, 1.0 / 4294967295.0 },
    { { 10, 160, 0, 10, 160 }, relative, 1.0 },
  };
  for (guint i = 0; i < G_N_ELEMENTS (worked); i++) {
    double factor = lk_priority_size (&worked[i].size, worked[i].flags);
    g_test_message ("row %u", i);
    g_assert_cmpfloat (fabs (factor - worked[i].factor), <=, 1e-15);
  }
}

static void
test_age (void)
{
  g_assert_true (lk_priority_age (100, 200, 1000) == 0.0);
  g_assert_true (lk_priority_age (200, 200, 1000) == 0.0);
  g_assert_true (lk_priority_age (200, LK_TIME_NEVER, 1000) == 0.0);
  g_assert_true (lk_priority_age (700, 200, 1000) == 0.5);
  g_assert_true (lk_priority_age (1200, 200, 1000) == 1.0);
  g_assert_true (lk_priority_age (9999, 200, 1000) == 1.0);
  g_assert_true (lk_priority_age (INT64_MAX - 1, INT64_MIN, 1000) == 1.0);
  /* In whole seconds the quotient is that of seconds. */
  g_assert_true (lk_priority_age (43200000000, 0, 604800000000) == 43200.0 / 604800.0);
}

/* ---------------------------------------------------------------- the sum */

/* Ten nodes of 16, a partition of factor 10 beside one of 20, a QOS of 30 beside one of 100, and
 * five users of whom the job's has a fairshare of 0.6. */
static PriorityFixture *
worked_fixture (gint64 nice)
{
  PriorityFixture *fixture = priority_fixture_new (10, 16);
  fixture->partitions[0].priority_job_factor = 10;
  priority_fixture_partition (fixture, 1, 20);
  fixture->qos[0].priority = 30;
  priority_fixture_qos (fixture, 100);
  for (guint i = 0; i < 5; i++)
    priority_fixture_user (fixture, 0, 1, 100.0 * (i + 1));
  priority_fixture_job (fixture, &(PriorityJob){ .association = 3, /* the third of five: 0.6 */
                                                 .nodes = 4,
                                                 .procs = 64,
                                                 .limit_min = 60,
                                                 .nice = nice });
  set_time_s (fixture, 43200);
  return fixture;
}

static void *
worked_instance (const char *flags)
{
  return priority_new ("weight_age", "1000", "weight_fairshare", "10000", "weight_job_size", "500",
                       "weight_partition", "2000", "weight_qos", "3000", "flags", flags, NULL);
}

static void
test_worked_sum (void)
{
  const struct {
    gint64 nice;
    guint32 priority;
  } worked[] = { { 100, 8071 }, { 9000, 1 }, { -100, 8271 }, { -4294967295, G_MAXUINT32 } };
  for (guint i = 0; i < G_N_ELEMENTS (worked); i++) {
    g_autoptr (PriorityFixture) fixture = worked_fixture (worked[i].nice);
    void *instance = worked_instance ("");
    priority_fixture_cycle (fixture, instance);
    LkPriorityParts parts = explain (fixture, instance, 0, LK_INDEX_NONE);
    g_assert_cmpuint (parts.priority, ==, worked[i].priority);
    g_assert_cmpfloat (fabs (parts.age_term - 71.428571), <, 1e-6);
    g_assert_true (parts.fairshare_factor == 0.6);
    g_assert_true (parts.fairshare_term == 6000.0);
    g_assert_true (parts.job_size_term == 200.0);
    g_assert_true (parts.partition_term == 1000.0);
    g_assert_true (parts.qos_term == 900.0);
    g_assert_true (parts.tres_term == 0.0 && parts.association_term == 0.0);
    g_assert_true (parts.job_size_weight == 500.0 && parts.tres_weights == NULL);
    g_assert_cmpint (parts.nice, ==, worked[i].nice);
    policy->base.destroy (instance);
  }
}

static void
test_key (void)
{
  g_autoptr (PriorityFixture) fixture = worked_fixture (100);
  void *instance = worked_instance ("");
  guint32 fast = priority_fixture_partition (fixture, 5, 20);
  g_assert_cmpint (policy->key (instance, &fixture->view, 0), ==,
                   (G_GINT64_CONSTANT (1) << 32) + 8071);
  fixture->partition[0] = fast;
  g_assert_cmpint (policy->key (instance, &fixture->view, 0), ==,
                   (G_GINT64_CONSTANT (5) << 32) + 9071);
  /* As it would be in the first partition. */
  g_assert_cmpuint (explain (fixture, instance, 0, 0).priority, ==, 8071);
  g_assert_cmpuint (explain (fixture, instance, 0, fast).priority, ==, 9071);
  fixture->site[0] = -1000;
  g_assert_cmpuint (key_of (fixture, instance, 0), ==, 8071);
  fixture->direct[0] = 77;
  g_assert_cmpint (policy->key (instance, &fixture->view, 0), ==,
                   (G_GINT64_CONSTANT (5) << 32) + 77);
  LkPriorityParts parts = explain (fixture, instance, 0, LK_INDEX_NONE);
  g_assert_cmpuint (parts.priority, ==, 77);
  g_assert_true (parts.age_factor == 0.0 && parts.fairshare_factor == 0.0
                 && parts.partition_factor == 0.0);
  fixture->direct[0] = 0;
  g_assert_cmpuint (key_of (fixture, instance, 0), ==, 8071);
  /* What is kept out of the queue has its priority all the same. */
  fixture->phase[0] = LK_PHASE_HELD;
  g_assert_cmpuint (explain (fixture, instance, 0, LK_INDEX_NONE).priority, ==, 8071);
  policy->base.destroy (instance);
}

/* A job without association or QOS, and everybody without accounts. */
static void
test_without_accounts (void)
{
  g_autoptr (PriorityFixture) fixture = worked_fixture (0);
  void *instance = worked_instance ("");
  fixture->association[0] = LK_INDEX_NONE;
  fixture->job_qos[0] = LK_INDEX_NONE;
  g_assert_cmpuint (key_of (fixture, instance, 0), ==, 71 + 200 + 1000);
  policy->base.destroy (instance);

  instance = worked_instance ("");
  fixture->view.accounts = NULL;
  priority_fixture_cycle (fixture, instance);
  g_assert_cmpuint (priority_fixture_priority (fixture, instance, 0), ==, 71 + 200 + 1000);
  LkShareParts parts = { .size = sizeof parts };
  g_assert_cmpint (policy->explain_share (instance, &fixture->view, 0, &parts), ==, 0);
  policy->base.destroy (instance);
}

/* A pool whose host fills none of the newer columns: 64 of 160 processors. */
static void
test_pool (void)
{
  g_autoptr (PriorityFixture) fixture = worked_fixture (0);
  void *instance = worked_instance ("");
  fixture->columns = (LkJobColumns){ .id = fixture->id,
                                     .procs = fixture->procs,
                                     .submit_us = fixture->submit_us,
                                     .estimate_us = fixture->estimate_us,
                                     .phase = fixture->phase };
  fixture->view.accounts = NULL;
  fixture->view.cluster = NULL;
  fixture->view.partitions = NULL;
  fixture->view.active_node_count = 160;
  g_assert_cmpint (policy->key (instance, &fixture->view, 0), ==,
                   (G_GINT64_CONSTANT (1) << 32) + 71 + 200 + 2000);
  policy->base.destroy (instance);
}

static void
test_versions (void)
{
  g_autoptr (PriorityFixture) fixture = priority_fixture_new (10, 16);
  void *instance = priority_new ("weight_job_size", "1000", NULL);
  priority_fixture_job (fixture,
                        &(PriorityJob){ .association = LK_INDEX_NONE, .nodes = 4, .procs = 64 });
  fixture->view.active_node_count = 8;
  g_assert_cmpuint (key_of (fixture, instance, 0), ==, 450);
  fixture->accounts.compat = LK_COMPAT_SLURM_22_05;
  g_assert_cmpuint (key_of (fixture, instance, 0), ==, 400);
  fixture->view.cluster = NULL;
  g_assert_cmpuint (key_of (fixture, instance, 0), ==, 400);
  policy->base.destroy (instance);
}

/* A job without a time limit has that of its partition. */
static void
test_limit_of_partition (void)
{
  g_autoptr (PriorityFixture) fixture = priority_fixture_new (10, 16);
  void *instance =
      priority_new ("weight_job_size", "1000000", "flags", "SMALL_RELATIVE_TO_TIME", NULL);
  priority_fixture_job (fixture, &(PriorityJob){ .association = LK_INDEX_NONE, .procs = 16 });
  g_assert_cmpuint (key_of (fixture, instance, 0), ==, 1);
  fixture->partitions[0].time_max_us = 10 * 60 * G_USEC_PER_SEC;
  g_assert_cmpuint (key_of (fixture, instance, 0), ==, 10000);
  policy->base.destroy (instance);
}

static void
test_tres (void)
{
  g_autoptr (PriorityFixture) fixture = priority_fixture_new (10, 16);
  const char *weights = "CPU=1000,Mem=-.5,GRES/gpu=30000,gres/none=7";
  void *instance = priority_new ("weight_tres", weights, NULL);
  void *raw = priority_new ("weight_tres", weights, "flags", "NO_NORMAL_TRES", NULL);
  priority_fixture_job (
      fixture,
      &(PriorityJob){
          .association = LK_INDEX_NONE,
          .procs = 8,
          .tres = { [LK_TRES_CPU] = 40, [LK_TRES_MEMORY] = 800, [LK_TRES_NODE] = 3, [8] = 2 } });
  fixture->tres_total[LK_TRES_CPU] = 160;
  fixture->tres_total[LK_TRES_MEMORY] = 1000;
  fixture->tres_total[LK_TRES_NODE] = 10;
  fixture->tres_total[8] = 20;
  g_assert_cmpuint (key_of (fixture, instance, 0), ==, 3249); /* 250 - 0.4 + 3000 */
  LkPriorityParts parts = explain (fixture, instance, 0, LK_INDEX_NONE);
  g_assert_cmpfloat (fabs (parts.tres_term - 3249.6), <, 1e-9);
  g_assert_true (parts.tres_weights[LK_TRES_CPU] == 1000.0 && parts.tres_weights[8] == 30000.0);
  g_assert_true (parts.tres_factors[LK_TRES_CPU] == 0.25 && parts.tres_factors[8] == 0.1);
  g_assert_true (parts.tres_factors[LK_TRES_NODE] == 0.0);
  g_assert_cmpuint (key_of (fixture, raw, 0), ==, 40000 - 400 + 60000);
  /* Of what its partition does not have a job asks for nothing. */
  fixture->tres_total[8] = 0;
  g_assert_cmpuint (key_of (fixture, instance, 0), ==, 249);
  policy->base.destroy (instance);
  policy->base.destroy (raw);
}

/* ---------------------------------------------------------------- when */

static void
test_age_in_steps (void)
{
  g_autoptr (PriorityFixture) fixture = priority_fixture_new (1, 1);
  void *instance = priority_new ("weight_age", "604800", NULL);
  priority_fixture_job (fixture, &(PriorityJob){ .association = 0, .procs = 1 });
  g_assert_cmpuint (key_of (fixture, instance, 0), ==, 1);
  set_time_s (fixture, 300);
  g_assert_cmpuint (priority_fixture_priority (fixture, instance, 0), ==, 1);
  priority_fixture_cycle (fixture, instance);
  set_time_s (fixture, 400);
  g_assert_cmpuint (priority_fixture_priority (fixture, instance, 0), ==, 300);
  fixture->accrue_us[0] = 350 * G_USEC_PER_SEC;
  priority_fixture_cycle (fixture, instance);
  g_assert_cmpuint (priority_fixture_priority (fixture, instance, 0), ==, 50);
  policy->base.destroy (instance);
}

/* Ages that count all the time need no new keys: who has waited longer stays ahead by what it had
 * waited, wherever the last cycle was. */
static void
test_age_continuous (void)
{
  g_autoptr (PriorityFixture) fixture = priority_fixture_new (1, 1);
  void *instance =
      priority_new ("weight_age", "604800", "weight_qos", "0", "calc", "continuous", NULL);
  for (guint i = 0; i < 3; i++)
    priority_fixture_job (fixture, &(PriorityJob){ .association = 0, .procs = 1 });
  fixture->nice[0] = fixture->nice[1] = fixture->nice[2] = -1000;
  set_time_s (fixture, 300);
  fixture->accrue_us[0] = 0;
  fixture->accrue_us[1] = 290 * G_USEC_PER_SEC;
  gint64 first = policy->key (instance, &fixture->view, 0);
  gint64 second = policy->key (instance, &fixture->view, 1);
  g_assert_cmpint (first - second, ==, 290 << 15);
  set_time_s (fixture, 450);
  fixture->accrue_us[2] = 450 * G_USEC_PER_SEC;
  gint64 third = policy->key (instance, &fixture->view, 2);
  g_assert_cmpint (second - third, ==, 160 << 15);
  g_assert_cmpuint (priority_fixture_priority (fixture, instance, 0), ==, 1450);
  g_assert_cmpuint (priority_fixture_priority (fixture, instance, 1), ==, 1160);
  g_assert_cmpuint (priority_fixture_priority (fixture, instance, 2), ==, 1000);
  set_time_s (fixture, 600);
  priority_fixture_cycle (fixture, instance);
  g_assert_cmpint (policy->key (instance, &fixture->view, 0), ==,
                   ((gint64)1 << 47) + ((gint64)1600 << 15));
  policy->base.destroy (instance);
}

static void
test_incr_only (void)
{
  g_autoptr (PriorityFixture) fixture = worked_fixture (0);
  void *instance = worked_instance ("INCR_ONLY");
  priority_fixture_cycle (fixture, instance);
  g_assert_cmpuint (priority_fixture_priority (fixture, instance, 0), ==, 8171);
  fixture->nice[0] = 500;
  g_assert_cmpuint (key_of (fixture, instance, 0), ==, 8171);
  priority_fixture_cycle (fixture, instance);
  g_assert_cmpuint (priority_fixture_priority (fixture, instance, 0), ==, 8171);
  fixture->nice[0] = -500;
  priority_fixture_cycle (fixture, instance);
  g_assert_cmpuint (priority_fixture_priority (fixture, instance, 0), ==, 8671);
  /* Another job at its index, and a job that was held, begin anew. */
  fixture->nice[0] = 500;
  fixture->phase[0] = LK_PHASE_HELD;
  priority_fixture_cycle (fixture, instance);
  fixture->phase[0] = LK_PHASE_QUEUED;
  g_assert_cmpuint (key_of (fixture, instance, 0), ==, 7671);
  fixture->nice[0] = 1000;
  fixture->id[0] = 99;
  g_assert_cmpuint (key_of (fixture, instance, 0), ==, 7171);
  policy->base.destroy (instance);
}

static void
test_calculate_running (void)
{
  static const char *const flags[] = { "", "CALCULATE_RUNNING" };
  for (guint i = 0; i < 2; i++) {
    g_autoptr (PriorityFixture) fixture = worked_fixture (0);
    void *instance = worked_instance (flags[i]);
    priority_fixture_cycle (fixture, instance);
    fixture->phase[0] = LK_PHASE_RUNNING;
    set_time_s (fixture, 7 * DAY_S);
    priority_fixture_cycle (fixture, instance);
    g_assert_cmpuint (priority_fixture_priority (fixture, instance, 0), ==, i == 0 ? 8171 : 9100);
    policy->base.destroy (instance);
  }
}

/* What a cycle takes over is what would be calculated anew, whatever has changed. */
static void
test_take_over (void)
{
  g_autoptr (PriorityFixture) fixture = worked_fixture (0);
  void *instance = worked_instance ("");
  for (guint step = 0; step < 8; step++) {
    set_time_s (fixture, 50000 + 300 * (gint64)step);
    if (step == 2)
      fixture->partitions[1].priority_job_factor = 40;
    if (step == 4)
      fixture->view.active_node_count = 5;
    if (step == 5)
      fixture->qos[1].priority = 60;
    if (step == 7) {
      fixture->jobs[0].nodes = 1;
      key_of (fixture, instance, 0);
    }
    priority_fixture_cycle (fixture, instance);
    void *fresh = worked_instance ("");
    priority_fixture_cycle (fixture, fresh);
    g_assert_cmpuint (priority_fixture_priority (fixture, instance, 0), ==,
                      priority_fixture_priority (fixture, fresh, 0));
    policy->base.destroy (fresh);
  }
  policy->base.destroy (instance);
}

/* A job that comes between two cycles has the fairshare of the last one. */
static void
test_between_cycles (void)
{
  g_autoptr (PriorityFixture) fixture = worked_fixture (0);
  void *instance = worked_instance ("");
  g_assert_cmpuint (key_of (fixture, instance, 0), ==, 8171);
  priority_fixture_use (fixture, 3, 1e6);
  g_assert_cmpuint (key_of (fixture, instance, 0), ==, 8171);
  /* A user that was added since has none yet. */
  guint32 added = priority_fixture_user (fixture, 0, 1, 0);
  fixture->association[0] = added;
  g_assert_cmpuint (key_of (fixture, instance, 0), ==, 2171);
  priority_fixture_cycle (fixture, instance);
  g_assert_cmpuint (priority_fixture_priority (fixture, instance, 0), ==, 12171);
  policy->base.destroy (instance);
}

/* ---------------------------------------------------------------- state */

static void
assert_same (const GByteArray *a, const GByteArray *b)
{
  g_assert_cmpuint (a->len, ==, b->len);
  g_assert_cmpint (memcmp (a->data, b->data, a->len), ==, 0);
}

/* Asking how things stand changes nothing. */
static void
test_asking (void)
{
  static const char *const flags[] = { "", "NO_FAIR_TREE", "DEPTH_OBLIVIOUS" };
  for (guint i = 0; i < G_N_ELEMENTS (flags); i++) {
    g_autoptr (PriorityFixture) fixture = worked_fixture (0);
    void *instance = worked_instance (flags[i]);
    for (guint cycles = 0; cycles < 2; cycles++) {
      g_autoptr (GByteArray) before = priority_fixture_save (fixture, policy, instance);
      for (guint32 index = 0; index < fixture->accounts.association_count; index++)
        priority_fixture_share (fixture, instance, index);
      explain (fixture, instance, 0, 1);
      g_autoptr (GByteArray) after = priority_fixture_save (fixture, policy, instance);
      assert_same (before, after);
      priority_fixture_cycle (fixture, instance);
    }
    policy->base.destroy (instance);
  }
}

static void
check_restored (PriorityFixture *fixture, const char *flags, const GByteArray *bytes,
                void *instance)
{
  void *restored = worked_instance (flags);
  g_assert_cmpint (policy->base.load (restored, &fixture->view, bytes->data, bytes->len), ==, 1);
  for (LkJobIndex job = 0; job < fixture->view.job_index_limit; job++)
    g_assert_cmpuint (priority_fixture_priority (fixture, restored, job), ==,
                      priority_fixture_priority (fixture, instance, job));
  for (guint32 i = 0; i < fixture->accounts.association_count; i++) {
    LkShareParts was = priority_fixture_share (fixture, instance, i);
    LkShareParts is = priority_fixture_share (fixture, restored, i);
    g_assert_cmpint (memcmp (&was, &is, sizeof was), ==, 0);
  }
  set_time_s (fixture, 90000);
  priority_fixture_use (fixture, 2, 12345);
  for (LkJobIndex job = 0; job < fixture->view.job_index_limit; job++)
    g_assert_cmpint (policy->key (restored, &fixture->view, job), ==,
                     policy->key (instance, &fixture->view, job));
  priority_fixture_cycle (fixture, restored);
  priority_fixture_cycle (fixture, instance);
  g_autoptr (GByteArray) after = priority_fixture_save (fixture, policy, instance);
  g_autoptr (GByteArray) after_restored = priority_fixture_save (fixture, policy, restored);
  assert_same (after, after_restored);
  policy->base.destroy (restored);
}

static void
test_state (void)
{
  static const char *const flags[] = { "", "NO_FAIR_TREE", "DEPTH_OBLIVIOUS+INCR_ONLY" };
  for (guint i = 0; i < G_N_ELEMENTS (flags); i++) {
    g_autoptr (PriorityFixture) fixture = worked_fixture (0);
    void *instance = worked_instance (flags[i]);
    for (guint32 user = 1; user < 6; user++)
      priority_fixture_job (fixture, &(PriorityJob){ .association = user, .procs = user });
    priority_fixture_cycle (fixture, instance);
    set_time_s (fixture, 43300);
    LkJobIndex late =
        priority_fixture_job (fixture, &(PriorityJob){ .association = 2, .procs = 3 });
    key_of (fixture, instance, late);
    g_autoptr (GByteArray) bytes = priority_fixture_save (fixture, policy, instance);
    for (guint32 length = 0; length < bytes->len; length++) {
      void *broken = worked_instance (flags[i]);
      g_assert_cmpint (policy->base.load (broken, &fixture->view, bytes->data, length), ==, 0);
      policy->base.destroy (broken);
    }
    check_restored (fixture, flags[i], bytes, instance);
    policy->base.destroy (instance);
  }
}

/* State of jobs or associations that are not there, or twice. */
static void
test_broken_state (void)
{
  g_autoptr (PriorityFixture) fixture = worked_fixture (0);
  void *instance = worked_instance ("");
  key_of (fixture, instance, 0);
  g_autoptr (GByteArray) bytes = priority_fixture_save (fixture, policy, instance);
  const struct {
    guint at;
    guint8 value;
  } wrong[] = { { 12, 9 }, { 8, 2 }, { 36, 7 } };
  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++) {
    guint8 right = bytes->data[wrong[i].at];
    void *broken = worked_instance ("");
    bytes->data[wrong[i].at] = wrong[i].value;
    g_assert_cmpint (policy->base.load (broken, &fixture->view, bytes->data, bytes->len), ==, 0);
    bytes->data[wrong[i].at] = right;
    policy->base.destroy (broken);
  }
  policy->base.destroy (instance);
  policy->base.destroy (NULL);
}

/* ---------------------------------------------------------------- parameters */

static void
test_refused (void)
{
  const struct {
    const char *name;
    const char *value;
    const char *error;
  } wrong[] = {
    { "flags", "INCR_ONLY+FAIR_TREE",
      "unknown flag 'FAIR_TREE'; known: CALCULATE_RUNNING DEPTH_OBLIVIOUS INCR_ONLY NO_FAIR_TREE "
      "NO_NORMAL_ALL NO_NORMAL_ASSOC NO_NORMAL_PART NO_NORMAL_QOS NO_NORMAL_TRES "
      "SMALL_RELATIVE_TO_TIME" },
    { "fair_tree_ties", "merged", "fair_tree_ties must be slurm or documented" },
    { "calc", "always", "calc must be period or continuous" },
    { "weight_tres", "cpu", "weight_tres: expected NAME=WEIGHT, separated by commas" },
    { "weight_tres", "=1", "weight_tres: expected NAME=WEIGHT, separated by commas" },
    { "weight_tres", "cpu=1,mem=", "weight_tres: a weight is a number" },
    { "weight_tres", "cpu=nan", "weight_tres: a weight is a number" },
    { "weight_tres", "cpu=1e16", "weight_tres: a weight is a number" },
    { "weight_tres", "cpu=1G",
      "weight_tres: a weight is a number; only that of mem may end with K, M, G or T" },
    { "weight_tres", "a23456789a23456789a23456789a23456789a23456789a23456789a23456789abcd=1",
      "weight_tres: the name of a resource is too long" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++) {
    LkPolicyError error = { "" };
    g_assert_null (priority_try_new (&error, wrong[i].name, wrong[i].value));
    g_assert_cmpstr (error.text, ==, wrong[i].error);
  }
}

static void
test_memory_units (void)
{
  const struct {
    const char *text;
    double weight;
  } units[] = { { "Mem=2", 2 },
                { "mem=2M", 2 },
                { "MEM=2K", 2048 },
                { "Mem=2G", 2.0 / 1024 },
                { "Mem=2t", 2.0 / 1048576 } };
  for (guint i = 0; i < G_N_ELEMENTS (units); i++) {
    g_autoptr (GArray) weights = g_array_new (FALSE, FALSE, sizeof (LkTresWeight));
    g_assert_null (lk_tres_weights_parse (units[i].text, weights));
    g_assert_true (g_array_index (weights, LkTresWeight, 0).weight == units[i].weight);
  }
}

static void
test_flag_names (void)
{
  LkPolicyError error = { "" };
#define X(NAME, bit)                                                                               \
  {                                                                                                \
    void *instance = priority_try_new (&error, "flags", #NAME);                                    \
    g_assert_nonnull (instance);                                                                   \
    policy->base.destroy (instance);                                                               \
  }
  LK_PRIORITY_FLAGS (X)
#undef X
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/multifactor/sizes are the worked numbers", test_job_size);
  g_test_add_func ("/multifactor/ages", test_age);
  g_test_add_func ("/multifactor/the worked sum", test_worked_sum);
  g_test_add_func ("/multifactor/keys are tier and priority", test_key);
  g_test_add_func ("/multifactor/jobs without association or accounts", test_without_accounts);
  g_test_add_func ("/multifactor/a counted pool", test_pool);
  g_test_add_func ("/multifactor/22.05 counts all nodes", test_versions);
  g_test_add_func ("/multifactor/no time limit is that of the partition", test_limit_of_partition);
  g_test_add_func ("/multifactor/weights of TRES", test_tres);
  g_test_add_func ("/multifactor/ages grow in steps", test_age_in_steps);
  g_test_add_func ("/multifactor/ages that count all the time", test_age_continuous);
  g_test_add_func ("/multifactor/INCR_ONLY never lowers", test_incr_only);
  g_test_add_func ("/multifactor/CALCULATE_RUNNING", test_calculate_running);
  g_test_add_func ("/multifactor/what a cycle takes over is right", test_take_over);
  g_test_add_func ("/multifactor/between cycles fairshare stands still", test_between_cycles);
  g_test_add_func ("/multifactor/asking changes nothing", test_asking);
  g_test_add_func ("/multifactor/state survives save and load", test_state);
  g_test_add_func ("/multifactor/state that cannot be is refused", test_broken_state);
  g_test_add_func ("/multifactor/values that cannot be are refused", test_refused);
  g_test_add_func ("/multifactor/weights of memory by unit", test_memory_units);
  g_test_add_func ("/multifactor/every flag has its name", test_flag_names);
  return g_test_run ();
}
