/* tests/engine/reservation_test.c — advance reservations and the jobs around them.
 *
 * First the worked examples of the semantics of Slurm's reservations, with their numbers: four
 * nodes n1 to n4, now is 0, a reservation R of n1 and n2 from 3600 to 7200 for alan. */
#include "engine/job_shown.h"
#include "tests/engine/reservation_fixture.h"

static const Reservation r_alan = {
  .name = "R", .start_s = 3600, .duration_s = 3600, .nodes = "n[1-2]", .users = "alan"
};

static void
start_with (LkFixture *self, const char *backfill)
{
  g_autoptr (LkCluster) cluster = lk_cluster_new ("four");
  node_fixture_add (cluster, "n[1-4]", 2, 100);
  node_fixture_init (self, cluster, backfill, "cons_tres");
}

static void
start (LkFixture *self, const char *backfill, const Reservation *r)
{
  start_with (self, backfill);
  reservation_create (self, 0, r);
  node_fixture_skip (self);
}

/* ---------------------------------------------------------------- worked examples */

static const char *const policies[] = {
  "none", "easy", "conservative", "replan", "slurm:bf_interval=1,sched_interval=1", "full"
};

/* 1: 4 nodes for an hour end when R begins. */
static void
test_ends_in_time (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (policies); i++) {
    LkFixture self;
    start (&self, policies[i], &r_alan);
    reservation_submit (&self, 0, 1, "", 3600, "bob -N4 --exclusive");
    node_fixture_skip (&self);
    node_fixture_pass (&self, 0);
    g_assert_true (g_str_has_prefix (self.log->str, "start 1 n[1-4]"));
    fixture_clear (&self);
  }
}

/* 1: a minute longer, and it waits for the end of R. */
static void
test_waits_for_the_end (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (policies); i++) {
    LkFixture self;
    LkJobInfo info;
    start (&self, policies[i], &r_alan);
    reservation_submit (&self, 0, 1, "", 3660, "bob -N4 --exclusive");
    node_fixture_pass (&self, 0);
    g_assert_cmpint (reservation_reason (&self, 1), ==, LK_REASON_REQ_NODE_NOT_AVAIL);
    g_assert_true (lk_engine_job (self.engine, 1, &info));
    g_assert_cmpstr (lk_reason_text (info.reason_shown), ==,
                     "ReqNodeNotAvail, May be reserved for other job");
    if (g_str_equal (policies[i], "conservative"))
      g_assert_cmpint (reservation_start_s (&self, 1), ==, 7200);
    node_fixture_skip (&self);
    reservation_tick (&self, 3600);
    g_assert_null (strstr (self.log->str, "start"));
    reservation_tick (&self, 7200);
    g_assert_nonnull (strstr (self.log->str, "R gone n[1-2] 3600-7200"));
    g_assert_nonnull (strstr (self.log->str, "start 1 n[1-4]"));
    fixture_clear (&self);
  }
}

/* 1: nodes that are not R's are free. */
static void
test_beside (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (policies); i++) {
    LkFixture self;
    start (&self, policies[i], &r_alan);
    reservation_submit (&self, 0, 1, "", 7200, "bob -N2 --exclusive");
    node_fixture_skip (&self);
    node_fixture_pass (&self, 0);
    g_assert_true (g_str_has_prefix (self.log->str, "start 1 n[3-4]"));
    fixture_clear (&self);
  }
}

/* 2: a job in R waits for its start, may be longer than R, and is killed at its end. */
static void
test_inside (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (policies); i++) {
    LkFixture self;
    start (&self, policies[i], &r_alan);
    reservation_submit (&self, 100, 1, "R", 7200, "alan -N2 --exclusive");
    fixture_assert_log (&self, "accept 1; PENDING 1 Reservation");
    g_assert_cmpint (reservation_reason (&self, 1), ==, LK_REASON_RESERVATION);
    node_fixture_pass (&self, 100);
    fixture_assert_log (&self, "");
    reservation_tick (&self, 3600);
    fixture_assert_log (&self, "R active n[1-2] 3600-7200; PENDING 1 Priority; wake 7200; "
                               "start 1 n[1-2]");
    fixture_event (&self, 7200, LK_EVENT_TIMER, 0);
    fixture_assert_log (&self, "kill 1 6");
    fixture_ended (&self, 7200, 1);
    fixture_assert_log (&self, "TIMEOUT 1 TimeLimit; R gone n[1-2] 3600-7200");
    fixture_clear (&self);
  }
}

/* 3: more nodes than R has: it waits, and is not held. */
static void
test_too_large_for_it (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (policies); i++) {
    LkFixture self;
    start (&self, policies[i], &r_alan);
    reservation_submit (&self, 100, 1, "R", 600, "alan -N3 --exclusive");
    reservation_tick (&self, 3600);
    g_assert_null (strstr (self.log->str, "start"));
    g_assert_cmpint (reservation_reason (&self, 1), ==, LK_REASON_RESOURCES);
    node_fixture_skip (&self);
    reservation_tick (&self, 7200);
    g_assert_nonnull (strstr (self.log->str, "PENDING 1 ReservationDeleted; R gone"));
    fixture_clear (&self);
  }
}

/* 4: with FLEX it also takes other nodes, and at once. */
static void
test_flex (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (policies); i++) {
    LkFixture self;
    Reservation flex = r_alan;
    flex.flags = "FLEX";
    start (&self, policies[i], &flex);
    reservation_submit (&self, 100, 1, "R", 36000, "alan -N3 --exclusive");
    node_fixture_skip (&self);
    node_fixture_pass (&self, 100);
    g_assert_true (g_str_has_prefix (self.log->str, "start 1 n[1-3]"));
    /* It may go on behind the end. */
    node_fixture_skip (&self);
    reservation_tick (&self, 3600);
    reservation_tick (&self, 7200);
    g_assert_null (strstr (self.log->str, "kill"));
    fixture_ended (&self, 8000, 1);
    g_assert_nonnull (strstr (self.log->str, "R gone"));
    fixture_clear (&self);
  }
}

/* 5: maintenance of all nodes. */
static void
test_maintenance (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (policies); i++) {
    LkFixture self;
    LkJobInfo info;
    const Reservation maint = { .name = "M",
                                .start_s = 3600,
                                .duration_s = 3600,
                                .nodes = "ALL",
                                .users = "root",
                                .flags = "MAINT,IGNORE_JOBS" };
    start (&self, policies[i], &maint);
    reservation_submit (&self, 0, 1, "", 1800, "bob -N1 --exclusive");
    reservation_submit (&self, 0, 2, "", 5400, "bob -N1 --exclusive");
    node_fixture_skip (&self);
    node_fixture_pass (&self, 0);
    g_assert_nonnull (strstr (self.log->str, "start 1 n1"));
    g_assert_null (strstr (self.log->str, "start 2"));
    g_assert_cmpint (reservation_reason (&self, 2), ==, LK_REASON_REQ_NODE_NOT_AVAIL);
    g_assert_true (lk_engine_job (self.engine, 2, &info));
    g_assert_cmpstr (lk_reason_text (info.reason_shown), ==,
                     "ReqNodeNotAvail, Reserved for maintenance");
    g_assert_cmpstr (lk_reason_word (info.reason_shown), ==, "ReqNodeNotAvail");
    reservation_tick (&self, 7200);
    g_assert_nonnull (strstr (self.log->str, "start 2 n"));
    fixture_clear (&self);
  }
}

/* 6: behind its end a daily one stands for the next day. */
static void
test_daily (void)
{
  LkFixture self;
  Reservation daily = r_alan;
  daily.flags = "DAILY";
  start (&self, "easy", &daily);
  reservation_submit (&self, 0, 1, "R", 60, "alan -N3 --exclusive");
  reservation_tick (&self, 3600);
  node_fixture_skip (&self);
  reservation_tick (&self, 7200);
  fixture_assert_log (&self, "R inactive n[1-2] 90000-93600; PENDING 1 Reservation; wake 90000");
  reservation_tick (&self, 90000);
  g_assert_true (g_str_has_prefix (self.log->str, "R active n[1-2] 90000-93600"));
  fixture_clear (&self);
}

/* 7: jobs are attracted as long as they end before it does. */
static void
test_magnetic (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (policies); i++) {
    LkFixture self;
    Reservation magnetic = r_alan;
    magnetic.flags = "MAGNETIC";
    start (&self, policies[i], &magnetic);
    reservation_tick (&self, 3600);
    reservation_submit (&self, 3600, 1, "", 3660, "alan -N2 --exclusive");
    reservation_submit (&self, 3600, 2, "", 3600, "alan -N2 --exclusive");
    reservation_submit (&self, 3600, 3, "", 60, "bob -N1 --exclusive");
    node_fixture_skip (&self);
    node_fixture_pass (&self, 3600);
    g_assert_nonnull (strstr (self.log->str, "start 1 n[3-4]"));
    g_assert_nonnull (strstr (self.log->str, "start 2 n[1-2]"));
    g_assert_null (strstr (self.log->str, "start 3"));
    fixture_clear (&self);
  }
}

/* What an array asks for, its tasks do: when they start, when they are held, and when the
 * reservation goes. */
static void
test_array (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (policies); i++) {
    LkFixture self;
    LkEvent array = { .kind = LK_EVENT_SUBMIT };
    LkEvent hold = { .kind = LK_EVENT_HOLD };
    start (&self, policies[i], &r_alan);
    array.submit.job_id = 1;
    array.submit.estimate_us = G_GINT64_CONSTANT (7200) * G_USEC_PER_SEC;
    array.submit.reservation = lk_text ("R");
    array.submit.array = lk_text ("0-4");
    reservation_submit_asked (&self, 0, &array, "alan -N1 --exclusive");
    hold.hold.job_id = 1;
    hold.hold.task_list = lk_text ("4");
    g_assert_cmpint (fixture_apply (&self, 1, &hold), ==, LK_STATUS_OK);
    g_assert_nonnull (strstr (self.log->str, "task 2 1_4"));
    reservation_tick (&self, 3599);
    g_assert_null (strstr (self.log->str, "start"));
    reservation_tick (&self, 3600);
    g_assert_nonnull (strstr (self.log->str, "task 3 1_0; start 3 n1"));
    g_assert_nonnull (strstr (self.log->str, "task 4 1_1; start 4 n2"));
    g_assert_null (strstr (self.log->str, "task 5"));
    fixture_event (&self, 3601, LK_EVENT_RELEASE, 2);
    reservation_tick (&self, 3601);
    g_assert_null (strstr (self.log->str, "start 2"));
    node_fixture_skip (&self);
    reservation_tick (&self, 7200);
    g_assert_nonnull (strstr (self.log->str, "kill 3 "));
    g_assert_nonnull (strstr (self.log->str, "kill 4 "));
    fixture_ended (&self, 7200, 3);
    fixture_ended (&self, 7200, 4);
    reservation_tick (&self, 7200);
    g_assert_cmpint (reservation_reason (&self, 1), ==, LK_REASON_RESERVATION_INVALID);
    g_assert_cmpint (reservation_reason (&self, 2), ==, LK_REASON_RESERVATION_INVALID);
    lk_engine_check (self.engine);
    fixture_clear (&self);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/reservation/a job that ends when it begins starts", test_ends_in_time);
  g_test_add_func ("/reservation/a longer one waits for its end", test_waits_for_the_end);
  g_test_add_func ("/reservation/other nodes are free", test_beside);
  g_test_add_func ("/reservation/a job inside runs from its start to its end", test_inside);
  g_test_add_func ("/reservation/a job too large for it waits", test_too_large_for_it);
  g_test_add_func ("/reservation/flex takes other nodes at any time", test_flex);
  g_test_add_func ("/reservation/maintenance blocks longer jobs", test_maintenance);
  g_test_add_func ("/reservation/a daily one comes again", test_daily);
  g_test_add_func ("/reservation/a magnetic one attracts jobs that end in it", test_magnetic);
  g_test_add_func ("/reservation/tasks of an array ask for what it asks for", test_array);
  return g_test_run ();
}
