/* tests/engine/het_plan_test.c — a heterogeneous job has a start of its own in the plan: it is
 * shown, nobody behind it delays it, and who is given back time moves it to an earlier one. */
#include "engine/engine_private.h"
#include "engine/plan.h"
#include "tests/engine/het_fixture.h"

/* Six of ten processors are taken until 50 s; then there is room for both components. */
static void
wait_for_room (LkFixture *self, const char *order, const char *backfill)
{
  fixture_init (self, 10, order, backfill);
  fixture_submit (self, 0, 1, 6, 50);
  PASS (self, 0);
  submit_two (self, 1, 2);
  PASS (self, 1);
  g_assert_cmpint (planned_s (self, 2), ==, 50);
  g_assert_cmpint (planned_s (self, 3), ==, 50);
  fixture_reload (self);
  g_assert_cmpint (planned_s (self, 3), ==, 50);
  forget (self);
}

static void
test_reserves (gconstpointer backfill)
{
  LkFixture self;
  wait_for_room (&self, "fifo", backfill);
  /* One would end before, the other not, and one has room beside them. */
  fixture_submit (&self, 2, 4, 4, 20);
  fixture_submit (&self, 2, 5, 4, 200);
  PASS (&self, 2);
  g_assert_nonnull (strstr (self.log->str, "start 4"));
  g_assert_null (strstr (self.log->str, "start 5"));
  fixture_ended (&self, 22, 4);
  fixture_submit (&self, 22, 6, 3, 100);
  forget (&self);
  fixture_reload (&self);
  PASS (&self, 22);
  g_assert_nonnull (strstr (self.log->str, "start 6"));
  g_assert_cmpint (planned_s (&self, 2), ==, 50);
  fixture_ended (&self, 50, 1);
  forget (&self);
  PASS (&self, 50);
  g_assert_true (g_str_has_prefix (self.log->str, "start 2; start 3"));
  fixture_clear (&self);
}

static void
test_earlier (gconstpointer backfill)
{
  LkFixture self;
  wait_for_room (&self, "fifo", backfill);
  fixture_submit (&self, 2, 4, 4, 20);
  PASS (&self, 2);
  fixture_ended (&self, 10, 1);
  PASS (&self, 10);
  /* What is left lacks one processor until 22 s. */
  g_assert_cmpint (planned_s (&self, 2), ==, 22);
  g_assert_cmpint (planned_s (&self, 3), ==, 22);
  fixture_reload (&self);
  forget (&self);
  fixture_ended (&self, 15, 4);
  PASS (&self, 15);
  g_assert_true (g_str_has_prefix (self.log->str, "COMPLETED 4; start 2; start 3"));
  fixture_clear (&self);
}

/* One that leaves gives its place back. */
static void
test_gives_back (gconstpointer backfill)
{
  LkFixture self;
  wait_for_room (&self, "fifo", backfill);
  fixture_submit (&self, 2, 4, 10, 30);
  PASS (&self, 2);
  g_assert_cmpint (planned_s (&self, 4), ==, 160);
  fixture_event (&self, 3, LK_EVENT_HOLD, 3);
  g_assert_cmpint (planned_s (&self, 2), ==, -1);
  fixture_reload (&self);
  PASS (&self, 3);
  g_assert_cmpint (planned_s (&self, 4), ==, 50);
  fixture_event (&self, 4, LK_EVENT_RELEASE, 2);
  PASS (&self, 4);
  g_assert_cmpint (planned_s (&self, 2), ==, g_str_equal (backfill, "full") ? 50 : 80);
  fixture_event (&self, 5, LK_EVENT_CANCEL, 2);
  PASS (&self, 5);
  g_assert_cmpint (planned_s (&self, 4), ==, 50);
  fixture_clear (&self);
}

/* `full` plans in the order of the queue, `conservative` in that of arrival. */
static void
test_order (gconstpointer backfill)
{
  LkFixture self;
  gboolean is_full = g_str_equal (backfill, "full");
  fixture_init (&self, 10, "sjf", backfill);
  fixture_submit (&self, 0, 1, 10, 50);
  PASS (&self, 0);
  fixture_submit (&self, 1, 2, 10, 500);
  PASS (&self, 1);
  g_assert_cmpint (planned_s (&self, 2), ==, 50);
  submit_two (&self, 2, 3);
  PASS (&self, 2);
  g_assert_cmpint (planned_s (&self, 3), ==, is_full ? 50 : 550);
  g_assert_cmpint (planned_s (&self, 2), ==, is_full ? 160 : 50);
  fixture_reload (&self);
  /* It comes before both. */
  fixture_submit (&self, 3, 5, 10, 20);
  PASS (&self, 3);
  g_assert_cmpint (planned_s (&self, 5), ==, is_full ? 50 : 660);
  g_assert_cmpint (planned_s (&self, 4), ==, is_full ? 70 : 550);
  fixture_clear (&self);
}

/* When its moment has gone by nobody takes its place. */
static void
test_late (gconstpointer backfill)
{
  LkFixture self;
  wait_for_room (&self, "fifo", backfill);
  fixture_submit (&self, 40, 4, 10, 50);
  PASS (&self, 40);
  fixture_reload (&self);
  fixture_ended (&self, 60, 1);
  forget (&self);
  PASS (&self, 60);
  g_assert_true (g_str_has_prefix (self.log->str, "start 2; start 3"));
  fixture_clear (&self);
}

/* ---------------------------------------------------------------- on nodes */

/* The first would take the nodes that only the second can use. */
static void
test_choice (gconstpointer backfill)
{
  Site site;
  site_prepare (&site, "");
  site_start (&site, backfill);
  submit_as (&site, 0, 1, 0, "-N 6 --exclusive");
  submit_as (&site, 0, 1, 1, "-N 2 -w n[1-2] --exclusive");
  forget (&site.fixture);
  PASS (&site.fixture, 0);
  g_assert_true (g_str_has_prefix (site.fixture.log->str, "start 1 n[3-8]; start 2 n[1-2]"));
  site_clear (&site);
}

/* Both could run at once on what is there, though not now: they have one moment. */
static void
test_nodes (gconstpointer backfill)
{
  Site site;
  site_prepare (&site, "");
  site_start (&site, backfill);
  submit_as (&site, 0, 1, 0, "-N 5 --exclusive");
  submit_as (&site, 0, 1, 1, "-N 3 --exclusive");
  submit_as (&site, 0, 3, 0, "-N 1 --exclusive");
  submit_as (&site, 0, 3, 1, "-N 7 --exclusive");
  PASS (&site.fixture, 0);
  g_assert_cmpint (planned_s (&site.fixture, 3), ==, 100);
  g_assert_cmpint (planned_s (&site.fixture, 4), ==, 100);
  fixture_reload (&site.fixture);
  fixture_ended (&site.fixture, 20, 1);
  PASS (&site.fixture, 20);
  g_assert_cmpint (planned_s (&site.fixture, 3), ==, 100);
  fixture_ended (&site.fixture, 100, 2);
  forget (&site.fixture);
  PASS (&site.fixture, 100);
  g_assert_true (g_str_has_prefix (site.fixture.log->str, "start 3 n1; start 4 n[2-8]"));
  site_clear (&site);
}

/* All components are told to stand where the first one does, whatever their own QOS, as long as
 * they wait and when they start. */
static void
test_level (gconstpointer backfill)
{
  Site site;
  site_prepare (&site, "modify qos q set preempt=few");
  site.preempt = "qos:mode=cancel";
  site.tells_standing = TRUE;
  site_start (&site, backfill);
  submit (&site, 1, "carol -N8 --exclusive");
  PASS (&site.fixture, 0);
  submit_as (&site, 0, 2, 0, "-N 1 -q q");
  submit_as (&site, 0, 2, 1, "-N 1");
  submit_as (&site, 0, 4, 0, "-N 1");
  submit_as (&site, 0, 4, 1, "-N 1 -q q");
  forget (&site.fixture);
  PASS (&site.fixture, 0);
  for (guint32 id = 2; id <= 5; id++)
    assert_told (&site, "standing", id, id < 4 ? "level 1" : "level 0");
  forget (&site.fixture);
  fixture_reload (&site.fixture);
  fixture_ended (&site.fixture, 20, 1);
  PASS (&site.fixture, 20);
  for (guint32 id = 2; id <= 5; id++) {
    assert_told (&site, "standing", id, id < 4 ? "level 1" : "level 0");
    assert_told (&site, "start", id, "");
  }
  site_clear (&site);
}

/* ---------------------------------------------------------------- Slurm's loops */

/* Only the cycle starts it, and in the main loop nobody passes it. */
static void
test_slurm (void)
{
  LkFixture self;
  fixture_init (&self, 10, "fifo", "slurm:bf_resolution=1");
  fixture_submit (&self, 0, 1, 6, 50);
  PASS (&self, 0);
  submit_two (&self, 1, 2);
  fixture_submit (&self, 1, 4, 4, 10);
  fixture_submit (&self, 1, 5, 4, 100);
  forget (&self);
  PASS (&self, 3);
  g_assert_null (strstr (self.log->str, "start"));
  PASS (&self, 30);
  g_assert_nonnull (strstr (self.log->str, "start 4"));
  g_assert_null (strstr (self.log->str, "start 5"));
  g_assert_cmpint (planned_s (&self, 2), ==, 50);
  g_assert_cmpint (planned_s (&self, 3), ==, 50);
  fixture_reload (&self);
  fixture_ended (&self, 40, 4);
  fixture_ended (&self, 50, 1);
  forget (&self);
  PASS (&self, 50);
  g_assert_null (strstr (self.log->str, "start"));
  PASS (&self, 60);
  g_assert_nonnull (strstr (self.log->str, "start 2; start 3"));
  fixture_clear (&self);
}

/* No node serves two components. */
static void
test_slurm_nodes (void)
{
  Site site;
  site_prepare (&site, "");
  site_start (&site, "slurm");
  submit_as (&site, 0, 1, 0, "-N 1 -n 1");
  submit_as (&site, 0, 1, 1, "-N 1 -n 1");
  submit_as (&site, 0, 3, 0, "-N 1 -n 1 -w n5");
  submit_as (&site, 0, 3, 1, "-N 1 -n 1 -w n5");
  forget (&site.fixture);
  PASS (&site.fixture, 0);
  g_assert_nonnull (strstr (site.fixture.log->str, "start 1 n1; start 2 n2"));
  g_assert_null (strstr (site.fixture.log->str, "start 3"));
  site_clear (&site);
}

static void
test_builtin (void)
{
  LkFixture self;
  fixture_init (&self, 10, "fifo", "slurm:bf_interval=-1");
  component (&self, 0, 1, 0, 2, 1);
  fixture_assert_log (&self, "reject 1 40");
  fixture_clear (&self);
}

static void
add_all (const char *name, const char *const *policies, void (*test) (gconstpointer policy))
{
  for (guint i = 0; policies[i] != NULL; i++) {
    g_autofree char *path = g_strdup_printf ("/het-plan/%s, %s", name, policies[i]);
    g_test_add_data_func (path, policies[i], test);
  }
}

/* Components that can never run beside each other are given up when nothing is left to wait for. */
static void
test_never (void)
{
  Site site;
  site_prepare (&site, "");
  site_start (&site, "full");
  submit_as (&site, 0, 1, 0, "-N 2 --exclusive");
  submit_as (&site, 0, 1, 1, "-N 3 --exclusive");
  PASS (&site.fixture, 0);
  submit_as (&site, 1, 3, 0, "-N 1 --exclusive");
  submit_as (&site, 1, 3, 1, "-N 8 --exclusive");
  PASS (&site.fixture, 1);
  g_assert_cmpint (planned_s (&site.fixture, 3), ==, -1);
  guint64 made_count = 0;
  const GPtrArray *plans = site.fixture.engine->plans;
  for (guint i = 0; i < plans->len; i++)
    made_count += ((const LkPlan *)g_ptr_array_index (plans, i))->made_count;
  g_assert_cmpuint (made_count, <, 16);
  fixture_reload (&site.fixture);
  site_clear (&site);
}

int
main (int argc, char **argv)
{
  static const char *const all[] = { "easy", "replan", "conservative", "full", NULL };
  static const char *const kept[] = { "conservative", "full", NULL };
  g_test_init (&argc, &argv, NULL);
  add_all ("nobody delays it", all, test_reserves);
  add_all ("it moves to an earlier start", all, test_earlier);
  add_all ("a moment that has gone by", kept, test_late);
  add_all ("it gives its place back", kept, test_gives_back);
  add_all ("its place in the order", kept, test_order);
  add_all ("each has the first choice", all, test_choice);
  add_all ("one moment on nodes", all, test_nodes);
  add_all ("where they stand", all, test_level);
  g_test_add_func ("/het-plan/in Slurm's loops", test_slurm);
  g_test_add_func ("/het-plan/no node for two in Slurm's cycle", test_slurm_nodes);
  g_test_add_func ("/het-plan/refused under sched-builtin", test_builtin);
  g_test_add_func ("/het-plan/never beside each other", test_never);
  return g_test_run ();
}
