/* tests/engine/reservation_flags_test.c — what each flag of a reservation does to jobs and to time.
 *
 * Four nodes n1 to n4 of two cores; a reservation R of n1 and n2 from 3600 to 7200 for alan, with
 * the flag in question.  The clock's zero is a Thursday.  Other flags: reservation_test.c and
 * reservation_rules_test.c. */
#include "tests/engine/reservation_fixture.h"

#define DAY_S 86400

static const Reservation r_alan = {
  .name = "R", .start_s = 3600, .duration_s = 3600, .nodes = "n[1-2]", .users = "alan"
};

static void
start (LkFixture *self)
{
  g_autoptr (LkCluster) cluster = lk_cluster_new ("four");
  node_fixture_add (cluster, "n[1-4]", 2, 100);
  node_fixture_init (self, cluster, "easy", "cons_tres");
}

static Reservation
flagged (const char *flags)
{
  Reservation r = r_alan;
  r.flags = flags;
  return r;
}

/* ---------------------------------------------------------------- coming again */

/* Behind its end, and behind that of the next one, it stands for another occurrence. */
static void
test_occurrences (void)
{
  const struct {
    const char *flags;
    gint64 next_s;
    gint64 second_s;
  } cases[] = {
    { "HOURLY", 7200, 10800 },
    { "DAILY", DAY_S + 3600, 2 * DAY_S + 3600 },
    { "WEEKLY", 7 * DAY_S + 3600, 14 * DAY_S + 3600 },
    /* Friday, then Monday; Saturday, then Sunday. */
    { "WEEKDAY", DAY_S + 3600, 4 * DAY_S + 3600 },
    { "WEEKEND", 2 * DAY_S + 3600, 3 * DAY_S + 3600 },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    LkFixture self;
    Reservation r = flagged (cases[i].flags);
    gint64 starts_s[] = { 3600, cases[i].next_s, cases[i].second_s };
    start (&self);
    reservation_create (&self, 0, &r);
    for (guint at = 0; at + 1 < G_N_ELEMENTS (starts_s); at++) {
      g_autofree char *next =
          g_strdup_printf ("R inactive n[1-2] %" G_GINT64_FORMAT "-%" G_GINT64_FORMAT,
                           starts_s[at + 1], starts_s[at + 1] + 3600);
      reservation_tick (&self, starts_s[at]);
      node_fixture_skip (&self);
      reservation_tick (&self, starts_s[at] + 3600);
      g_assert_nonnull (strstr (self.log->str, next));
    }
    /* Its job runs in the next one. */
    reservation_submit (&self, starts_s[1] + 3600, 1, "R", 60, "alan -N2 --exclusive");
    reservation_tick (&self, starts_s[2]);
    g_assert_cmpint (reservation_start_s (&self, 1), ==, starts_s[2]);
    fixture_clear (&self);
  }
}

/* ---------------------------------------------------------------- beside others */

/* Whether a job in S, which shares n1 with R, may start there. */
static void
test_overlap (void)
{
  const struct {
    const char *flags;  /* of S */
    const char *others; /* of R */
    gboolean starts;
  } cases[] = {
    { "OVERLAP", "", TRUE },
    { "MAINT", "", TRUE },
    { "MAINT", "MAINT", TRUE },
    { "OVERLAP", "MAINT", FALSE },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    LkFixture self;
    Reservation r = flagged (cases[i].others);
    Reservation s = flagged (cases[i].flags);
    s.name = "S";
    s.nodes = "n1";
    s.users = "bob";
    start (&self);
    reservation_create (&self, 0, &r);
    reservation_create (&self, 0, &s);
    reservation_submit (&self, 0, 1, "S", 60, "bob -N1 --exclusive");
    node_fixture_skip (&self);
    reservation_tick (&self, 3600);
    g_assert_cmpint (reservation_start_s (&self, 1), ==, cases[i].starts ? 3600 : -1);
    fixture_clear (&self);
  }
}

/* Nodes that are down may be in it, and stay. */
static void
test_maintenance (void)
{
  LkFixture self;
  Reservation r = flagged ("MAINT");
  r.nodes = NULL;
  r.node_count = 4;
  start (&self);
  node_fixture_node (&self, 0, LK_EVENT_NODE_DOWN, "n1");
  node_fixture_skip (&self);
  reservation_create (&self, 0, &r);
  g_assert_true (g_str_has_prefix (self.log->str, "accept 0; R inactive n[1-4] 3600-7200"));
  r.flags = "";
  r.name = "S";
  r.start_s = 7200;
  node_fixture_skip (&self);
  reservation_create (&self, 0, &r);
  fixture_assert_log (&self, "reject 0 30");
  fixture_clear (&self);
}

/* Jobs run on into it, and its own wait for them. */
static void
test_ignore_jobs (void)
{
  LkFixture self;
  Reservation r = flagged ("IGNORE_JOBS");
  start (&self);
  reservation_submit (&self, 0, 1, "", 5000, "bob -N4 --exclusive");
  node_fixture_pass (&self, 0);
  reservation_create (&self, 0, &r);
  reservation_submit (&self, 0, 2, "R", 60, "alan -N2 --exclusive");
  reservation_submit (&self, 0, 3, "", 3000, "bob -N4 --exclusive");
  node_fixture_skip (&self);
  reservation_tick (&self, 3600);
  g_assert_null (strstr (self.log->str, "kill"));
  g_assert_null (strstr (self.log->str, "start"));
  fixture_ended (&self, 5000, 1);
  reservation_tick (&self, 5000);
  g_assert_cmpint (reservation_start_s (&self, 2), ==, 5000);
  g_assert_cmpint (reservation_start_s (&self, 3), ==, -1);
  fixture_clear (&self);
}

/* ---------------------------------------------------------------- other nodes, other times */

/* Its jobs run on any nodes while it lasts, and others on none of its own. */
static void
test_any_nodes (void)
{
  LkFixture self;
  Reservation r = flagged ("ANY_NODES");
  start (&self);
  reservation_create (&self, 0, &r);
  reservation_submit (&self, 0, 1, "R", 7200, "alan -N4 --exclusive");
  reservation_submit (&self, 0, 2, "", 5400, "bob -N3 --exclusive");
  node_fixture_pass (&self, 0);
  g_assert_cmpint (reservation_start_s (&self, 1), ==, -1);
  g_assert_cmpint (reservation_reason (&self, 1), ==, LK_REASON_RESERVATION);
  g_assert_cmpint (reservation_start_s (&self, 2), ==, -1);
  node_fixture_skip (&self);
  reservation_tick (&self, 3600);
  g_assert_nonnull (strstr (self.log->str, "start 1 n[1-4]"));
  node_fixture_skip (&self);
  reservation_tick (&self, 7200);
  g_assert_nonnull (strstr (self.log->str, "kill 1 6"));
  fixture_clear (&self);
}

/* Its jobs start before it begins, run on other nodes, and go on behind its end. */
static void
test_flex (void)
{
  LkFixture self;
  Reservation r = flagged ("FLEX");
  start (&self);
  reservation_create (&self, 0, &r);
  reservation_submit (&self, 0, 1, "R", 36000, "alan -N3 --exclusive");
  node_fixture_skip (&self);
  reservation_tick (&self, 0);
  g_assert_nonnull (strstr (self.log->str, "start 1 n[1-3]"));
  reservation_submit (&self, 1, 2, "", 5400, "bob -N1 --exclusive");
  reservation_tick (&self, 3600);
  reservation_tick (&self, 7200);
  reservation_tick (&self, 7300);
  g_assert_null (strstr (self.log->str, "kill"));
  g_assert_nonnull (strstr (self.log->str, "start 2 n4"));
  fixture_ended (&self, 8000, 1);
  g_assert_nonnull (strstr (self.log->str, "R gone"));
  fixture_clear (&self);
}

/* Nodes on which its jobs start stay its own: no other takes their place. */
static void
test_static (void)
{
  LkFixture self;
  Reservation r = flagged ("STATIC_ALLOC");
  r.nodes = NULL;
  r.node_count = 2;
  start (&self);
  reservation_create (&self, 0, &r);
  reservation_submit (&self, 0, 1, "R", 60, "alan -N1 --exclusive");
  reservation_submit (&self, 0, 2, "", 7200, "bob -N3 --exclusive");
  node_fixture_skip (&self);
  reservation_tick (&self, 3600);
  g_assert_nonnull (strstr (self.log->str, "start 1 n1"));
  node_fixture_node (&self, 3601, LK_EVENT_NODE_DRAIN, "n2");
  reservation_tick (&self, 3601);
  g_assert_null (strstr (self.log->str, "R active n[1,3]"));
  g_assert_null (strstr (self.log->str, "start 2"));
  fixture_clear (&self);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/reservation/flags/one that recurs comes again", test_occurrences);
  g_test_add_func ("/reservation/flags/who sees whom where two share nodes", test_overlap);
  g_test_add_func ("/reservation/flags/maintenance takes nodes that are down", test_maintenance);
  g_test_add_func ("/reservation/flags/jobs run on into it", test_ignore_jobs);
  g_test_add_func ("/reservation/flags/any nodes while it lasts", test_any_nodes);
  g_test_add_func ("/reservation/flags/flex knows no times", test_flex);
  g_test_add_func ("/reservation/flags/static keeps its nodes", test_static);
  return g_test_run ();
}
