/* tests/engine/het_test.c — components of a heterogeneous job start together, and what becomes of
 * one becomes of all. */
#include "tests/engine/het_fixture.h"

/* ---------------------------------------------------------------- together or not at all */

static void
test_together (gconstpointer backfill)
{
  LkFixture self;
  fixture_init (&self, 10, "fifo", backfill);
  fixture_submit (&self, 0, 1, 5, 50);
  PASS (&self, 0);
  fixture_assert_log (&self, "accept 1; start 1; wake 50");
  submit_two (&self, 1, 2);
  fixture_assert_log (&self, "accept 2; PENDING 2; accept 3; PENDING 3");
  /* There is room for either, and not for both. */
  PASS (&self, 1);
  fixture_assert_log (&self, "");
  fixture_reload (&self);
  fixture_ended (&self, 9, 1);
  PASS (&self, 9);
  fixture_assert_log (&self, "COMPLETED 1; start 2; start 3");
  fixture_reload (&self);
  fixture_ended (&self, 20, 2);
  fixture_submit (&self, 20, 4, 6, 10);
  PASS (&self, 20);
  fixture_assert_log (&self, "COMPLETED 2; accept 4; start 4; wake 30");
  fixture_clear (&self);
}

static void
test_incomplete (void)
{
  LkFixture self;
  fixture_init (&self, 10, "fifo", "easy");
  component (&self, 0, 1, 0, 3, 1);
  component (&self, 0, 1, 1, 3, 1);
  forget (&self);
  PASS (&self, 0);
  fixture_assert_log (&self, "");
  /* Others pass it. */
  fixture_reload (&self);
  component (&self, 0, 1, 2, 3, 1);
  PASS (&self, 0);
  fixture_assert_log (&self, "accept 3; PENDING 3; start 1; start 2; start 3; wake 100");
  fixture_clear (&self);
}

static void
test_refused (void)
{
  LkFixture self;
  fixture_init (&self, 10, "fifo", "easy");
  component (&self, 0, 1, 1, 2, 1); /* its leader's id is no job's */
  fixture_assert_log (&self, "reject 2 12");
  component (&self, 0, 1, 0, 1, 1);
  component (&self, 0, 1, 0, 129, 1);
  fixture_assert_log (&self, "reject 1 12; reject 1 12");
  /* With one that is refused all that came before it go, and what comes behind it has no leader. */
  component (&self, 0, 1, 0, 3, 1);
  component (&self, 0, 1, 1, 3, 1);
  component (&self, 0, 1, 2, 3, 11);
  fixture_assert_log (&self, "accept 1; PENDING 1; accept 2; PENDING 2; reject 3 6; CANCELLED 1; "
                             "CANCELLED 2");
  component (&self, 0, 3, 0, 3, 1);
  component (&self, 0, 3, 1, 3, 11);
  component (&self, 0, 3, 2, 3, 1);
  fixture_assert_log (&self, "accept 3; PENDING 3; reject 4 6; CANCELLED 3; reject 5 12");
  component (&self, 0, 5, 0, 2, 1);
  component (&self, 0, 5, 1, 3, 1);
  fixture_assert_log (&self, "accept 5; PENDING 5; reject 6 12; CANCELLED 5");
  fixture_clear (&self);
}

/* What is not whole at the end of its moment, or when another job comes, is none. */
static void
test_too_late (void)
{
  LkFixture self;
  fixture_init (&self, 10, "fifo", "easy");
  component (&self, 0, 1, 0, 2, 1);
  PASS (&self, 0);
  fixture_reload (&self);
  component (&self, 1, 1, 1, 2, 1);
  fixture_assert_log (&self, "accept 1; PENDING 1; CANCELLED 1; reject 2 12");
  component (&self, 1, 2, 0, 2, 1);
  fixture_submit (&self, 1, 3, 1, 50);
  fixture_assert_log (&self, "accept 2; PENDING 2; CANCELLED 2; accept 3");
  component (&self, 1, 4, 0, 2, 1);
  PASS (&self, 2);
  fixture_assert_log (&self, "accept 4; PENDING 4; CANCELLED 4; start 3; wake 52");
  fixture_clear (&self);
}

/* Without a plan it passes nobody, and nobody passes it. */
static void
test_order (void)
{
  LkFixture self;
  fixture_init (&self, 10, "fifo", "none");
  fixture_submit (&self, 0, 1, 5, 50);
  PASS (&self, 0);
  fixture_submit (&self, 1, 2, 6, 50);
  component (&self, 1, 3, 0, 2, 1);
  component (&self, 1, 3, 1, 2, 1);
  forget (&self);
  PASS (&self, 1);
  fixture_assert_log (&self, "");
  fixture_ended (&self, 2, 1);
  fixture_submit (&self, 2, 5, 4, 50);
  forget (&self);
  PASS (&self, 2);
  fixture_assert_log (&self, "start 2; start 3; start 4");
  fixture_clear (&self);
}

/* It keeps out of what is reserved for others. */
static void
test_reserved (gconstpointer backfill)
{
  LkFixture self;
  fixture_init (&self, 10, "fifo", backfill);
  fixture_submit (&self, 0, 1, 5, 50);
  fixture_submit (&self, 0, 2, 10, 50);
  component (&self, 0, 3, 0, 2, 1);
  component (&self, 0, 3, 1, 2, 1);
  PASS (&self, 0);
  forget (&self);
  fixture_ended (&self, 50, 1);
  PASS (&self, 50);
  fixture_assert_log (&self, "COMPLETED 1; start 2");
  fixture_ended (&self, 60, 2);
  PASS (&self, 60);
  fixture_assert_log (&self, "COMPLETED 2; start 3; start 4");
  fixture_ended (&self, 70, 3);
  fixture_ended (&self, 71, 4);
  PASS (&self, 71);
  fixture_clear (&self);
}

/* ---------------------------------------------------------------- what becomes of one */

static void
test_events (void)
{
  LkFixture self;
  fixture_init (&self, 10, "fifo", "conservative");
  submit_two (&self, 0, 1);
  forget (&self);
  fixture_event (&self, 0, LK_EVENT_HOLD, 2);
  fixture_assert_log (&self, "accept 2; PENDING 1; PENDING 2");
  PASS (&self, 0);
  fixture_event (&self, 1, LK_EVENT_RELEASE, 1);
  fixture_assert_log (&self, "accept 1; PENDING 1; PENDING 2");
  PASS (&self, 1);
  fixture_assert_log (&self, "start 1; start 2; wake 101");
  fixture_event (&self, 2, LK_EVENT_REQUEUE, 2);
  fixture_assert_log (&self, "requeue 1; REQUEUED 1; PENDING 1; "
                             "requeue 2; REQUEUED 2; PENDING 2");
  PASS (&self, 2);
  fixture_assert_log (&self, "start 1; start 2");
  fixture_event (&self, 3, LK_EVENT_CANCEL, 2);
  fixture_assert_log (&self, "accept 2; kill 1 2; kill 2 2");
  fixture_ended (&self, 3, 1);
  fixture_ended (&self, 3, 2);
  submit_two (&self, 4, 3);
  forget (&self);
  fixture_event (&self, 4, LK_EVENT_CANCEL, 3);
  fixture_assert_log (&self, "accept 3; CANCELLED 3; CANCELLED 4");
  fixture_event (&self, 4, LK_EVENT_CANCEL, 4);
  fixture_assert_log (&self, "reject 4 2");
  fixture_clear (&self);
}

/* A dependency that cannot come true ends one; the other goes with it. */
static void
test_dependency (void)
{
  LkFixture self;
  fixture_init (&self, 10, "fifo", "easy");
  fixture_submit (&self, 0, 1, 1, 50);
  PASS (&self, 0);
  component (&self, 1, 2, 0, 2, 1);
  LkEvent event = { .kind = LK_EVENT_SUBMIT };
  event.submit.job_id = 3;
  event.submit.user_id = 1;
  event.submit.procs = 1;
  event.submit.estimate_us = 10 * G_USEC_PER_SEC;
  event.submit.het_leader = 2;
  event.submit.het_offset = 1;
  event.submit.het_count = 2;
  event.submit.dependency = lk_text ("afternotok:1");
  event.submit.term_flags = LK_TERM_KILL_INVALID_DEP;
  fixture_apply (&self, 1, &event);
  PASS (&self, 1);
  forget (&self);
  fixture_ended (&self, 2, 1);
  fixture_assert_log (&self, "COMPLETED 1; CANCELLED 3; CANCELLED 2");
  fixture_clear (&self);
}

/* ---------------------------------------------------------------- on nodes, with limits */

static void
test_nodes (gconstpointer backfill)
{
  Site site;
  site_prepare (&site, "");
  site_start (&site, backfill);
  submit_as (&site, 0, 1, 0, "-N 5 --exclusive");
  submit_as (&site, 0, 1, 1, "-N 3 --exclusive --gres gpu:1");
  submit_as (&site, 0, 3, 0, "-N 7");
  submit_as (&site, 0, 3, 1, "-N 1 --exclusive");
  forget (&site.fixture);
  PASS (&site.fixture, 0);
  g_assert_true (g_str_has_prefix (site.fixture.log->str, "start 1 n[1-5]; start 2 n[6-8]; wake"));
  forget (&site.fixture);
  /* One node is lost: both go back. */
  fixture_reload (&site.fixture);
  node_fixture_node (&site.fixture, 5, LK_EVENT_NODE_DOWN, "n8");
  g_assert_nonnull (strstr (site.fixture.log->str, "NODE_FAIL 2 NodeDown"));
  g_assert_nonnull (strstr (site.fixture.log->str, "REQUEUED 1"));
  forget (&site.fixture);
  PASS (&site.fixture, 5);
  g_assert_null (strstr (site.fixture.log->str, "start"));
  site_clear (&site);
}

static void
test_limits (void)
{
  Site site;
  site_prepare (&site, "modify account phys set grptres=cpu=6");
  site_start (&site, "easy");
  submit_as (&site, 0, 1, 0, "-n 4");
  submit_as (&site, 0, 1, 1, "-n 3");
  submit_as (&site, 0, 3, 0, "-n 4");
  submit_as (&site, 0, 3, 1, "-n 2");
  forget (&site.fixture);
  PASS (&site.fixture, 0);
  /* Each by itself would do. */
  fixture_assert_log (&site.fixture,
                      "PENDING 2 AssocGrpCpuLimit; start 3 n1; start 4 n2; wake 100");
  site_clear (&site);
}

/* What one can never have keeps the other, too. */
static void
test_stuck (void)
{
  Site site;
  site_prepare (&site, "");
  LkPartitionSpec *partition = lk_cluster_add_partition (site.cluster, "short");
  partition->time_max_us = 50 * G_USEC_PER_SEC;
  site_start (&site, "easy");
  submit_as (&site, 0, 1, 0, "-n 4");
  submit_as (&site, 0, 1, 1, "-n 4 -p short");
  fixture_assert_log (&site.fixture,
                      "accept 1; PENDING 1 Resources; accept 2; PENDING 2 PartitionTimeLimit; "
                      "PENDING 1 PartitionTimeLimit");
  PASS (&site.fixture, 0);
  fixture_assert_log (&site.fixture, "");
  fixture_reload (&site.fixture);
  site_clear (&site);
}

int
main (int argc, char **argv)
{
  static const char *const policies[] = {
    "none", "easy", "conservative", "replan", "full", "slurm"
  };
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (policies); i++) {
    g_autofree char *path = g_strdup_printf ("/het/together, %s", policies[i]);
    g_autofree char *on_nodes = g_strdup_printf ("/het/on nodes, %s", policies[i]);
    /* Slurm's own loops are another matter: tests/engine/het_plan_test.c. */
    if (!g_str_equal (policies[i], "slurm"))
      g_test_add_data_func (path, policies[i], test_together);
    g_test_add_data_func (on_nodes, policies[i], test_nodes);
  }
  g_test_add_data_func ("/het/what is reserved, conservative", "conservative", test_reserved);
  g_test_add_data_func ("/het/what is reserved, full", "full", test_reserved);
  g_test_add_data_func ("/het/what is reserved, easy", "easy", test_reserved);
  g_test_add_func ("/het/waits for all components", test_incomplete);
  g_test_add_func ("/het/components that do not follow each other are refused", test_refused);
  g_test_add_func ("/het/components that come too late", test_too_late);
  g_test_add_func ("/het/nobody before it is passed", test_order);
  g_test_add_func ("/het/held, released, requeued, cancelled together", test_events);
  g_test_add_func ("/het/a dependency that fails ends all", test_dependency);
  g_test_add_func ("/het/limits count each component", test_limits);
  g_test_add_func ("/het/one that can never run keeps all", test_stuck);
  return g_test_run ();
}
