/* tests/engine/suspend_test.c — a job is stopped and goes on: what it gives away and what it keeps,
 * its time limit, its account's use.
 *
 * The engine is replaced by a copy from its snapshot after each event. */
#include "tests/engine/limits_site.h"

static LkJobInfo
info_of (const LkFixture *self, guint32 id)
{
  LkJobInfo info;
  g_assert_true (lk_engine_job (self->engine, id, &info));
  return info;
}

/* ---------------------------------------------------------------- a counted pool */

static void
test_pool (gconstpointer backfill)
{
  LkFixture self;
  fixture_init (&self, 10, "fifo", backfill);
  self.reloads = TRUE;
  fixture_submit (&self, 0, 1, 8, 100);
  fixture_event (&self, 0, LK_EVENT_PASS, 0);
  fixture_submit (&self, 10, 2, 6, 50);
  fixture_event (&self, 10, LK_EVENT_PASS, 0);
  fixture_assert_log (&self, "accept 1; start 1; wake 100; accept 2");
  fixture_event (&self, 40, LK_EVENT_SUSPEND, 1);
  g_assert_cmpint (info_of (&self, 1).state, ==, LK_JOB_SUSPENDED);
  g_assert_cmpint (info_of (&self, 1).expected_end_us, ==, LK_TIME_NEVER);
  fixture_event (&self, 40, LK_EVENT_PASS, 0);
  fixture_assert_log (&self, "accept 1; suspend 1; SUSPENDED 1; start 2; wake 90");
  /* Two processors too few. */
  fixture_event (&self, 50, LK_EVENT_RESUME, 1);
  fixture_assert_log (&self, "reject 1 30");
  /* The limit does not come while it is suspended. */
  fixture_event (&self, 90, LK_EVENT_TIMER, 0);
  fixture_assert_log (&self, "kill 2 1");
  fixture_ended (&self, 91, 2);
  fixture_event (&self, 100, LK_EVENT_RESUME, 1);
  fixture_assert_log (&self, "TIMEOUT 2; accept 1; resume 1; RUNNING 1; wake 160");
  g_assert_cmpint (info_of (&self, 1).state, ==, LK_JOB_RUNNING);
  g_assert_cmpint (info_of (&self, 1).expected_end_us, ==, 160 * G_USEC_PER_SEC);
  fixture_event (&self, 160, LK_EVENT_TIMER, 0);
  fixture_assert_log (&self, "kill 1 1");
  g_assert_cmpint (info_of (&self, 1).state, ==, LK_JOB_COMPLETING);
  fixture_clear (&self);
}

/* A plan with a promise that a resumed job breaks is made anew. */
static void
test_resume_beside_reservations (void)
{
  LkFixture self;
  fixture_init (&self, 10, "fifo", "conservative");
  self.reloads = TRUE;
  fixture_submit (&self, 0, 1, 8, 100);
  fixture_event (&self, 0, LK_EVENT_PASS, 0);
  fixture_event (&self, 10, LK_EVENT_SUSPEND, 1);
  fixture_submit (&self, 10, 2, 2, 90);
  fixture_submit (&self, 10, 3, 9, 10);
  fixture_event (&self, 10, LK_EVENT_PASS, 0);
  g_assert_cmpint (info_of (&self, 3).start_us, ==, 100 * G_USEC_PER_SEC);
  fixture_event (&self, 50, LK_EVENT_RESUME, 1);
  fixture_event (&self, 50, LK_EVENT_PASS, 0);
  g_assert_cmpint (info_of (&self, 1).expected_end_us, ==, 140 * G_USEC_PER_SEC);
  g_assert_cmpint (info_of (&self, 3).start_us, ==, 140 * G_USEC_PER_SEC);
  fixture_clear (&self);
}

static void
test_refusals (void)
{
  LkFixture self;
  fixture_init (&self, 10, "fifo", "easy");
  self.reloads = TRUE;
  fixture_submit (&self, 0, 1, 8, 100);
  fixture_event (&self, 0, LK_EVENT_SUSPEND, 1); /* pending */
  fixture_event (&self, 0, LK_EVENT_RESUME, 1);
  fixture_event (&self, 0, LK_EVENT_SUSPEND, 7);
  fixture_event (&self, 0, LK_EVENT_PASS, 0);
  fixture_event (&self, 0, LK_EVENT_RESUME, 1); /* running */
  fixture_assert_log (&self, "accept 1; reject 1 8; reject 1 38; reject 7 2; start 1; wake 100; "
                             "reject 1 38");
  fixture_event (&self, 1, LK_EVENT_SUSPEND, 1);
  fixture_event (&self, 1, LK_EVENT_SUSPEND, 1); /* again */
  fixture_event (&self, 2, LK_EVENT_CANCEL, 1);
  fixture_event (&self, 2, LK_EVENT_RESUME, 1); /* told to end */
  fixture_ended (&self, 2, 1);
  fixture_assert_log (&self, "accept 1; suspend 1; SUSPENDED 1; reject 1 8; accept 1; kill 1 2; "
                             "reject 1 38; CANCELLED 1");
  fixture_clear (&self);
}

/* What the user has used stands still: 8 processors for 10 s, none for 30 s, again for 5 s. */
static void
test_user_usage (void)
{
  LkFixture self;
  fixture_init (&self, 10, "fifo", "easy");
  self.reloads = TRUE;
  fixture_submit (&self, 0, 1, 8, 100);
  fixture_event (&self, 0, LK_EVENT_PASS, 0);
  fixture_event (&self, 10, LK_EVENT_SUSPEND, 1);
  fixture_event (&self, 40, LK_EVENT_RESUME, 1);
  fixture_event (&self, 45, LK_EVENT_TIMER, 0);
  const LkView *view = lk_engine_view (self.engine);
  g_assert_cmpfloat (view->host->user_usage (view, 1), ==, 120.0);
  fixture_ended (&self, 50, 1);
  view = lk_engine_view (self.engine);
  g_assert_cmpfloat (view->host->user_usage (view, 1), ==, 160.0);
  fixture_clear (&self);
}

/* ---------------------------------------------------------------- nodes */

static LkCluster *
two_nodes (void)
{
  LkCluster *cluster = lk_cluster_new ("two");
  LkNodeSpec *node = node_fixture_add (cluster, "n[1-2]", 4, 8000);
  lk_node_spec_add_gres (node, "gpu", "", 2);
  lk_cluster_add_license (cluster, "cad", 2);
  return cluster;
}

/* Its CPUs go to others; memory, GPUs and licences do not. */
static void
test_keeps_all_but_cpus (gconstpointer backfill)
{
  LkFixture self;
  g_autoptr (LkCluster) cluster = two_nodes ();
  node_fixture_init (&self, cluster, backfill, "cons_tres");
  self.reloads = TRUE;
  node_fixture_submit (&self, 0, 1, 100, "-w n1 -N1 -n4 --mem=5000 --gres=gpu:1 -L cad:2");
  node_fixture_pass (&self, 0);
  fixture_event (&self, 10, LK_EVENT_SUSPEND, 1);
  node_fixture_skip (&self);
  node_fixture_submit (&self, 10, 2, 100, "-w n1 -N1 -n1 --mem=4000");
  node_fixture_submit (&self, 10, 3, 100, "-w n1 -N1 -n1 --mem=100 --gres=gpu:2");
  node_fixture_submit (&self, 10, 4, 100, "-w n1 -N1 -n1 --mem=100 -L cad");
  node_fixture_pass (&self, 10);
  fixture_assert_log (&self, "accept 2; accept 3; accept 4");
  for (guint32 id = 2; id <= 4; id++)
    fixture_event (&self, 10, LK_EVENT_CANCEL, id);
  node_fixture_skip (&self);
  node_fixture_submit (&self, 11, 5, 100, "-w n1 -N1 -n3 --mem=3000 --gres=gpu:1");
  node_fixture_pass (&self, 11);
  fixture_assert_log (&self, "accept 5; start 5 n1");
  fixture_event (&self, 20, LK_EVENT_RESUME, 1);
  fixture_assert_log (&self, "reject 1 30");
  fixture_ended (&self, 30, 5);
  fixture_event (&self, 30, LK_EVENT_RESUME, 1);
  fixture_assert_log (&self, "COMPLETED 5; accept 1; resume 1; RUNNING 1");
  g_assert_cmpint (info_of (&self, 1).expected_end_us, ==, 120 * G_USEC_PER_SEC);
  node_fixture_submit (&self, 31, 6, 10, "-w n1 -N1 -n1 --mem=100");
  node_fixture_pass (&self, 31);
  fixture_assert_log (&self, "accept 6");
  fixture_ended (&self, 40, 1);
  node_fixture_pass (&self, 40);
  fixture_assert_log (&self, "COMPLETED 1; start 6 n1; wake 50");
  fixture_clear (&self);
}

/* A node that a suspended job had to itself stays closed. */
static void
test_exclusive (void)
{
  LkFixture self;
  g_autoptr (LkCluster) cluster = two_nodes ();
  node_fixture_init (&self, cluster, "easy", "cons_tres");
  self.reloads = TRUE;
  node_fixture_submit (&self, 0, 1, 100, "-w n1 -N1 -n1 --exclusive --mem=100");
  node_fixture_pass (&self, 0);
  fixture_event (&self, 10, LK_EVENT_SUSPEND, 1);
  node_fixture_skip (&self);
  node_fixture_submit (&self, 10, 2, 100, "-w n1 -N1 -n1 --mem=100");
  node_fixture_pass (&self, 10);
  fixture_assert_log (&self, "accept 2");
  fixture_event (&self, 10, LK_EVENT_RESUME, 1);
  fixture_assert_log (&self, "accept 1; resume 1; RUNNING 1");
  fixture_clear (&self);
}

/* What it keeps while it is stopped is taken for ever, and is free again at its end once it goes
 * on: for a plan that has been kept all the while, as for a new one. */
static void
test_plan_beside_resumed (gconstpointer reloads)
{
  LkFixture self;
  g_autoptr (LkCluster) cluster = two_nodes ();
  node_fixture_init (&self, cluster, "conservative", "cons_tres");
  self.reloads = GPOINTER_TO_INT (reloads);
  node_fixture_submit (&self, 0, 1, 100, "-w n1 -N1 -n2 --mem=100 --gres=gpu:2");
  node_fixture_pass (&self, 0);
  fixture_event (&self, 10, LK_EVENT_SUSPEND, 1);
  node_fixture_submit (&self, 10, 2, 100, "-w n1 -N1 -n1 --mem=100 --gres=gpu:1");
  node_fixture_pass (&self, 10);
  g_assert_cmpint (info_of (&self, 2).start_us, ==, LK_TIME_NEVER);
  fixture_event (&self, 50, LK_EVENT_RESUME, 1);
  node_fixture_pass (&self, 50);
  g_assert_cmpint (info_of (&self, 1).expected_end_us, ==, 140 * G_USEC_PER_SEC);
  g_assert_cmpint (info_of (&self, 2).start_us, ==, 140 * G_USEC_PER_SEC);
  fixture_clear (&self);
}

/* A suspended job loses its node like a running one. */
static void
test_node_down (void)
{
  LkFixture self;
  g_autoptr (LkCluster) cluster = two_nodes ();
  node_fixture_init (&self, cluster, "easy", "cons_tres");
  self.reloads = TRUE;
  node_fixture_submit (&self, 0, 1, 100, "-N2 -n4 --mem=100 --no-kill");
  node_fixture_submit (&self, 0, 2, 100, "-w n1 -N1 -n1 --mem=100 --no-requeue");
  node_fixture_pass (&self, 0);
  fixture_event (&self, 10, LK_EVENT_SUSPEND, 1);
  fixture_event (&self, 10, LK_EVENT_SUSPEND, 2);
  node_fixture_skip (&self);
  node_fixture_node (&self, 20, LK_EVENT_NODE_DOWN, "n1");
  fixture_assert_log (&self, "accept 0; NODE_FAIL 2 NodeDown");
  fixture_event (&self, 30, LK_EVENT_RESUME, 1);
  fixture_assert_log (&self, "accept 1; resume 1; RUNNING 1");
  fixture_ended (&self, 40, 1);
  LkEngineCounts counts;
  lk_engine_counts (self.engine, &counts);
  g_assert_cmpuint (counts.units_free, ==, 8);
  fixture_clear (&self);
}

/* ---------------------------------------------------------------- accounts */

/* It counts as a running job, but is charged nothing, and what is booked for it stays. */
static void
test_accounts (void)
{
  Site site;
  site_prepare (&site, "modify user alice set maxjobs=1");
  site_start (&site, "easy");
  LkFixture *self = &site.fixture;
  self->reloads = TRUE;
  submit (&site, 1, "alice -n32 --mem=1000 -t 20");
  pass (&site);
  fixture_event (self, 100, LK_EVENT_SUSPEND, 1);
  fixture_event (self, 600, LK_EVENT_TIMER, 0);
  const LkHolder *root = lk_book_holder (lk_engine_book (self->engine), 0);
  g_assert_cmpuint (root->use->running, ==, 1);
  g_assert_cmpuint (root->tres[LK_TRES_CPU], ==, 32);
  g_assert_cmpfloat (root->use->usage, ==, 3200.0);
  g_assert_cmpuint (root->run_s[LK_TRES_CPU], ==, 32 * 1100);
  site.now_s = 650;
  submit (&site, 2, "alice -n1");
  pass (&site);
  assert_waits (&site, 2, "AssocMaxJobsLimit");
  fixture_event (self, 700, LK_EVENT_RESUME, 1);
  fixture_ended (self, 750, 1);
  root = lk_book_holder (lk_engine_book (self->engine), 0);
  g_assert_cmpfloat (root->use->usage, ==, 4800.0);
  g_assert_cmpuint (root->use->running, ==, 0);
  g_assert_cmpuint (root->run_s[LK_TRES_CPU], ==, 0);
  site_clear (&site);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/suspend/a pool gets the processors, and the limit waits: easy", "easy",
                        test_pool);
  g_test_add_data_func ("/suspend/a pool gets the processors, and the limit waits: conservative",
                        "conservative", test_pool);
  g_test_add_data_func ("/suspend/a pool gets the processors, and the limit waits: replan",
                        "replan", test_pool);
  g_test_add_func ("/suspend/a plan is made anew when a job is resumed",
                   test_resume_beside_reservations);
  g_test_add_func ("/suspend/refusals", test_refusals);
  g_test_add_func ("/suspend/the use of its user stands still", test_user_usage);
  g_test_add_data_func ("/suspend/memory, GPUs and licences are kept: easy", "easy",
                        test_keeps_all_but_cpus);
  g_test_add_data_func ("/suspend/memory, GPUs and licences are kept: conservative", "conservative",
                        test_keeps_all_but_cpus);
  g_test_add_func ("/suspend/an exclusive node stays closed", test_exclusive);
  g_test_add_data_func ("/suspend/a kept plan counts on the end of a resumed job",
                        GINT_TO_POINTER (FALSE), test_plan_beside_resumed);
  g_test_add_data_func ("/suspend/a plan behind a snapshot counts on the end of a resumed job",
                        GINT_TO_POINTER (TRUE), test_plan_beside_resumed);
  g_test_add_func ("/suspend/a node goes down", test_node_down);
  g_test_add_func ("/suspend/accounts are charged nothing", test_accounts);
  return g_test_run ();
}
