/* tests/policies/backfill_slurm_plan_test.c — what else the backfill cycle of `slurm` plans:
 * several tasks of an array, licences, what runs, what advance reservations keep.
 *
 * By worked numbers; jobs take whole nodes unless they say otherwise, cycles come at 0 and 30 s.
 * Source: slurm.conf(5), bf_max_job_array_resv, bf_licenses, bf_running_job_reserve. */
#include "policies/backfill_slurm.h"

#include "tests/engine/array_fixture.h"
#include "tests/engine/reservation_fixture.h"
#include "tests/policies/backfill_slurm_fixture.h"

/* ---------------------------------------------------------------- tasks of an array */

static void
submit_array (LkFixture *self, gint64 time_s, guint32 id, const char *array, guint32 nodes)
{
  g_autofree char *line = g_strdup_printf ("-N%u --exclusive", nodes);
  LkJobRequest request = node_fixture_request (line);
  LkEvent event = { .kind = LK_EVENT_SUBMIT };
  event.submit.job_id = id;
  event.submit.user_id = 1;
  event.submit.procs = lk_job_request_cpus (&request);
  event.submit.estimate_us = 600 * G_USEC_PER_SEC;
  lk_submit_set_request (&event.submit, &request);
  event.submit.array = lk_text (array);
  g_assert_cmpint (fixture_apply (self, time_s, &event), ==, LK_STATUS_OK);
}

/* Four nodes are in use until 600. Six tasks of two nodes and 10 min wait, then a job of one node,
 * of another user: two tasks go at 600, 1200 and 1800 each, if they are planned. */
static void
test_array_tasks (void)
{
  static const struct {
    const char *params;
    const char *array;
    gint64 array_s;
    gint64 job_s;
  } rows[] = {
    { "", "0-5", 600, 2400 },
    { "bf_max_job_array_resv=0", "0-5", -1, 600 },
    { "bf_max_job_array_resv=1", "0-5", 600, 600 },
    { "bf_max_job_array_resv=2", "0-5", 600, 1200 },
    { "bf_max_job_array_resv=3", "0-5", 600, 1200 },
    { "bf_max_job_array_resv=4", "0-5", 600, 1800 },
    { "", "0-3", 600, 1800 },
    { "", "0-5%2", 600, 1200 },
    /* 22.05: the last task is told, and the array's limit does not count. */
    { "release=2205", "0-5%2", 1800, 2400 },
    /* Each task counts. */
    { "bf_max_job_user=3", "0-5", 600, 1200 },
    { "bf_job_part_count_reserve=3", "0-5", 600, -1 },
    { "bf_max_job_test=2", "0-5", 600, -1 },
  };
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    LkFixture self;
    g_autoptr (LkCluster) cluster = slurm_cluster (4);
    slurm_cycles (&self, cluster, rows[i].params);
    slurm_submit (&self, 0, 1, 4, 600);
    slurm_run (&self, 0);
    submit_array (&self, 0, 2, rows[i].array, 2);
    node_fixture_submit_of (&self, 0, 9, /* user_id= */ 2, 600, "-N1 --exclusive");
    slurm_run (&self, 30);
    g_assert_cmpint (slurm_start_s (&self, 2), ==, rows[i].array_s);
    g_assert_cmpint (slurm_start_s (&self, 9), ==, rows[i].job_s);
    fixture_clear (&self);
  }
}

/* What starts at once is not counted: two tasks on idle nodes, and two reservations. */
static void
test_array_starts (void)
{
  LkFixture self;
  g_autoptr (LkCluster) cluster = slurm_cluster (4);
  slurm_cycles (&self, cluster, "bf_max_job_array_resv=2");
  slurm_submit (&self, 0, 1, 2, 600);
  slurm_run (&self, 0);
  submit_array (&self, 0, 2, "0-5", 1);
  node_fixture_submit_of (&self, 0, 9, /* user_id= */ 2, 600, "-N1 --exclusive");
  slurm_run (&self, 30);
  LkEngineCounts counts;
  lk_engine_counts (self.engine, &counts);
  g_assert_cmpuint (counts.running_count, ==, 3);
  g_assert_cmpint (slurm_start_s (&self, 2), ==, 600);
  g_assert_cmpint (slurm_start_s (&self, 9), ==, 630);
  fixture_clear (&self);
}

/* On a counted pool as on nodes: units for nodes. */
static void
test_array_in_pool (void)
{
  LkFixture self;
  fixture_init (&self, 4, "fifo", "slurm:" SLURM_CYCLES ",bf_max_job_array_resv=3");
  fixture_submit (&self, 0, 1, 4, 600);
  slurm_run (&self, 0);
  array_submit (&self, 0, 2, 2, 600, "0-5");
  fixture_submit (&self, 0, 9, 4, 600);
  slurm_run (&self, 30);
  g_assert_cmpint (slurm_start_s (&self, 2), ==, 600);
  g_assert_cmpint (slurm_start_s (&self, 9), ==, 1800);
  fixture_clear (&self);
}

/* ---------------------------------------------------------------- licences */

/* One of two licences is in use until 600. A needs both for 10 min; B and C need one for 20 and 5
 * min. */
static void
test_licenses (void)
{
  static const struct {
    const char *params;
    gint64 a_s;
    gint64 b_s;
    gint64 c_s;
  } rows[] = {
    { "", -1, 30, -1 },
    { "bf_licenses=1", 600, 1200, 30 },
  };
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    LkFixture self;
    g_autoptr (LkCluster) cluster = slurm_cluster (4);
    lk_cluster_add_license (cluster, "cad", 2);
    slurm_cycles (&self, cluster, rows[i].params);
    node_fixture_submit (&self, 0, 1, 600, "-N1 --exclusive -L cad");
    slurm_run (&self, 0);
    node_fixture_submit (&self, 0, 2, 600, "-N1 --exclusive -L cad:2");
    node_fixture_submit (&self, 0, 3, 1200, "-N1 --exclusive -L cad");
    node_fixture_submit (&self, 0, 4, 300, "-N1 --exclusive -L cad");
    slurm_run (&self, 30);
    slurm_assert_waits (&self, 2, "Licenses");
    g_assert_cmpint (slurm_start_s (&self, 2), ==, rows[i].a_s);
    g_assert_cmpint (slurm_start_s (&self, 3), ==, rows[i].b_s);
    g_assert_cmpint (slurm_start_s (&self, 4), ==, rows[i].c_s);
    fixture_clear (&self);
  }
}

/* A job holds licences also where it shares its node, which it does not hold. Its end is rounded
 * up, as of 22.05 down. */
static void
test_license_ends (void)
{
  static const struct {
    const char *params;
    gint64 licensed_s;
  } rows[] = { { "bf_licenses=1", 600 }, { "bf_licenses=1,release=2205", 540 } };
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    LkFixture self;
    g_autoptr (LkCluster) cluster = slurm_cluster (2);
    lk_cluster_add_license (cluster, "cad", 1);
    slurm_cycles (&self, cluster, rows[i].params);
    node_fixture_submit (&self, 0, 1, 570, "-n1 -L cad");
    slurm_run (&self, 0);
    node_fixture_submit (&self, 0, 2, 600, "-n1 -L cad");
    slurm_submit (&self, 0, 3, 2, 600);
    slurm_run (&self, 30);
    g_assert_cmpint (slurm_start_s (&self, 2), ==, rows[i].licensed_s);
    fixture_clear (&self);
  }
}

/* The main loop ends at a job that lacks licences. */
static void
test_license_stop (void)
{
  for (guint i = 0; i < 2; i++) {
    LkFixture self;
    g_autoptr (LkCluster) cluster = slurm_cluster (3);
    lk_cluster_add_license (cluster, "cad", 1);
    slurm_init (&self, cluster, i == 0 ? "bf_interval=-1" : "bf_interval=-1,bf_licenses=1");
    node_fixture_submit (&self, 0, 1, 600, "-N1 --exclusive -L cad");
    slurm_run (&self, 0);
    node_fixture_submit (&self, 1, 2, 600, "-N1 --exclusive -L cad");
    slurm_submit (&self, 1, 3, 1, 600);
    slurm_run (&self, 10);
    slurm_assert_waits (&self, 2, "Licenses");
    if (i == 0)
      slurm_assert_runs (&self, 3);
    else
      g_assert_cmpint (slurm_job (&self, 3).state, ==, LK_JOB_PENDING);
    fixture_clear (&self);
  }
}

/* What an advance reservation keeps from 600 to 1200 a job of 11 min cannot have before; one of
 * 5 min can, and in that time alan, for whom it is. */
static void
test_licenses_set_aside (void)
{
  LkFixture self;
  g_autoptr (LkCluster) cluster = slurm_cluster (4);
  const Reservation course = { .name = "course",
                               .start_s = 600,
                               .duration_s = 600,
                               .licenses = "cad:1",
                               .users = "alan",
                               .flags = "LICENSE_ONLY" };
  lk_cluster_add_license (cluster, "cad", 1);
  slurm_init (&self, cluster, "sched_interval=-1,bf_licenses=1");
  reservation_create (&self, 0, &course);
  reservation_submit (&self, 0, 1, "", 660, "bob -N1 --exclusive -L cad");
  reservation_submit (&self, 0, 2, "", 300, "bob -N1 --exclusive -L cad");
  reservation_submit (&self, 0, 3, "course", 300, "alan -N1 --exclusive -L cad");
  slurm_run (&self, 30);
  g_assert_cmpint (slurm_start_s (&self, 1), ==, 1200);
  g_assert_cmpint (slurm_start_s (&self, 2), ==, 0);
  slurm_run (&self, 300);
  fixture_ended (&self, 300, 2);
  slurm_run (&self, 630);
  g_assert_cmpint (slurm_start_s (&self, 3), ==, 600);
  g_assert_cmpint (slurm_start_s (&self, 1), ==, 1200);
  fixture_clear (&self);
}

/* ---------------------------------------------------------------- what runs */

/* What the cycle itself has started holds its node, too, to a multiple of the resolution. */
static void
test_started_holds (void)
{
  static const struct {
    const char *params;
    gint64 start_s;
  } rows[] = { { "sched_interval=-1", 585 },
               { "sched_interval=-1,bf_running_job_reserve=1", 600 } };
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    LkFixture self;
    g_autoptr (LkCluster) cluster = slurm_cluster (2);
    slurm_init (&self, cluster, rows[i].params);
    slurm_submit (&self, 0, 1, 2, 20);
    slurm_run (&self, 0);
    slurm_submit (&self, 0, 2, 1, 555);
    slurm_submit (&self, 0, 3, 2, 600);
    fixture_ended (&self, 20, 1);
    slurm_run (&self, 30);
    g_assert_cmpint (slurm_start_s (&self, 2), ==, 30);
    g_assert_cmpint (slurm_start_s (&self, 3), ==, rows[i].start_s);
    fixture_clear (&self);
  }
}

/* One that can be displaced holds no nodes. */
static void
test_preemptable_holds_nothing (void)
{
  static const struct {
    const char *preempt;
    gint64 start_s;
  } rows[] = { { "none", 600 }, { "partition_prio:mode=cancel", 570 } };
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    LkFixture self;
    g_autoptr (LkCluster) cluster = slurm_cluster (2);
    LkSetupOptions options = { .origin_us = LK_TIME_NEVER,
                               .order = "fifo",
                               .backfill = "slurm:" SLURM_CYCLES ",bf_running_job_reserve=1",
                               .select = "cons_tres",
                               .preempt = rows[i].preempt,
                               .cluster = cluster };
    node_fixture_check (cluster);
    fixture_init_with (&self, &options);
    slurm_submit (&self, 0, 1, 1, 570);
    slurm_run (&self, 0);
    slurm_submit (&self, 0, 2, 2, 600);
    slurm_run (&self, 30);
    g_assert_cmpint (slurm_start_s (&self, 2), ==, rows[i].start_s);
    fixture_clear (&self);
  }
}

/* ---------------------------------------------------------------- ends of running jobs */

/* Ends at 100 s on n1, 140 s on n2 and 400 s on n3; the job can have n1 and n3.  The end at 140 s
 * is within the window, so that one end more on the job's nodes counts, however late. */
static void
test_window_past_other_nodes (void)
{
  static const struct {
    const char *exclude;
    gint64 start_s;
  } rows[] = { { "n2", 400 }, { "n3", 140 } };
  static const gint64 ends_s[] = { 100, 140, 400 };
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    LkFixture self;
    g_autoptr (LkCluster) cluster = slurm_cluster (3);
    g_autofree char *line = g_strdup_printf ("-N1 --exclusive -x %s", rows[i].exclude);
    slurm_cycles (&self, cluster, "slurm_window=1,release=2205");
    for (guint32 k = 0; k < 3; k++)
      slurm_submit (&self, 0, k + 1, 1, ends_s[k]);
    slurm_run (&self, 0);
    node_fixture_submit (&self, 0, 9, 600, line);
    slurm_run (&self, 30);
    g_assert_cmpint (slurm_start_s (&self, 9), ==, rows[i].start_s);
    fixture_clear (&self);
  }
}

/* ---------------------------------------------------------------- advance reservations */

/* Two nodes are in use until 600 s, and set aside from 700 to 1310 s.  A job of 400 s does not meet
 * that when it is tried, and is planned into it; one of 800 s does, and is tried again in the
 * second after 1310 s, rounded up to a minute; one that names a node goes on at the end itself. */
static void
test_set_aside (void)
{
  static const struct {
    gint64 limit_s;
    const char *line;
    gint64 start_s;
  } rows[] = { { 400, "-N1 --exclusive", 600 },
               { 800, "-N1 --exclusive", 1321 },
               { 800, "-N1 --exclusive -w n1", 1310 } };
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    LkFixture self;
    g_autoptr (LkCluster) cluster = slurm_cluster (3);
    Reservation maint = { .name = "maint",
                          .start_s = 700,
                          .duration_s = 610,
                          .nodes = "n[1-2]",
                          .users = "1",
                          .flags = "IGNORE_JOBS" };
    slurm_cycles (&self, cluster, "");
    slurm_submit (&self, 0, 1, 2, 600);
    slurm_submit (&self, 0, 2, 1, 6000);
    slurm_run (&self, 0);
    reservation_create (&self, 0, &maint);
    node_fixture_submit_of (&self, 0, 3, /* user_id= */ 2, rows[i].limit_s, rows[i].line);
    slurm_run (&self, 30);
    g_assert_cmpint (slurm_start_s (&self, 3), ==, rows[i].start_s);
    fixture_clear (&self);
  }
}

/* Of one node some cores are set aside: a job of whole nodes is not planned there. */
static void
test_cores_set_aside (void)
{
  static const struct {
    const char *line;
    gint64 start_s;
  } rows[] = { { "-N1 -n1", 600 }, { "-N1 --exclusive", 900 } };
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    LkFixture self;
    g_autoptr (LkCluster) cluster = slurm_cluster (2);
    Reservation some = { .name = "some",
                         .start_s = 700,
                         .duration_s = 6000,
                         .nodes = "n1",
                         .core_count = 2,
                         .users = "1",
                         .flags = "IGNORE_JOBS" };
    slurm_cycles (&self, cluster, "");
    node_fixture_submit (&self, 0, 1, 600, "-N1 --exclusive -w n1");
    node_fixture_submit (&self, 0, 2, 900, "-N1 --exclusive -w n2");
    slurm_run (&self, 0);
    reservation_create (&self, 0, &some);
    node_fixture_submit_of (&self, 0, 3, /* user_id= */ 2, 800, rows[i].line);
    slurm_run (&self, 30);
    g_assert_cmpint (slurm_start_s (&self, 3), ==, rows[i].start_s);
    fixture_clear (&self);
  }
}

/* ---------------------------------------------------------------- slots */

/* From 100 s on n1 is reserved, from 200 s n2, from 300 s nothing is.  A try that meets the first
 * slot only finds no node given back: the last one up to 22.05.  That nodes come back which are not
 * in the set says nothing. */
static void
test_next_try (void)
{
  static const struct {
    gboolean gives_up;
    gint64 duration_s;
    guint64 nodes;
    gint64 next_s;
  } rows[] = {
    { TRUE, 50, 0xf, LK_TIME_NEVER },
    { FALSE, 50, 0xf, 300 },
    { TRUE, 150, 0xf, 300 },
    { TRUE, 150, 0xc, LK_TIME_NEVER },
    { FALSE, 450, 0xc, LK_TIME_NEVER },
  };
  guint64 all = 0xf;
  guint64 first = 0x1;
  guint64 second = 0x2;
  const LkSlurmHold long_hold = { &first, NULL };
  const LkSlurmHold short_hold = { &second, NULL };
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    guint64 nodes = rows[i].nodes;
    LkSlurmSlots slots;
    lk_slurm_slots_init (&slots, &all, 1, 0, 1000);
    slots.gives_up = rows[i].gives_up;
    lk_slurm_slots_reserve (&slots, 100, 300, &long_hold);
    lk_slurm_slots_reserve (&slots, 200, 300, &short_hold);
    g_assert_cmpint (lk_slurm_slots_limit (&slots, 0, rows[i].duration_s, 1, &nodes), ==,
                     rows[i].next_s);
    lk_slurm_slots_clear (&slots);
  }
}

static void
test_slots (void)
{
  guint64 all = 0x3;
  guint64 none = 0;
  const guint32 total[] = { 2, 5 };
  const guint32 one[] = { 1, 0 };
  const guint32 two[] = { 2, 0 };
  const LkSlurmHold hold = { &none, one };
  const LkSlurmHold wish = { &none, two };
  LkSlurmSlots slots;
  lk_slurm_slots_init (&slots, &all, 1, 0, 1000);
  lk_slurm_slots_plan_licenses (&slots, total, 2);
  lk_slurm_slots_reserve (&slots, 100, 300, &hold);
  g_assert_cmpuint (slots.slots->len, ==, 3);
  g_assert_cmpint (lk_slurm_slots_licensed_us (&slots, 0, 50, two), ==, 0);
  /* As of nodes the end counts. */
  g_assert_cmpint (lk_slurm_slots_licensed_us (&slots, 0, 99, two), ==, 0);
  g_assert_cmpint (lk_slurm_slots_licensed_us (&slots, 0, 100, two), ==, 300);
  g_assert_cmpint (lk_slurm_slots_licensed_us (&slots, 0, 100, one), ==, 0);
  g_assert_false (lk_slurm_slots_overlap (&slots, 0, 100, &wish));
  g_assert_true (lk_slurm_slots_overlap (&slots, 0, 101, &wish));
  g_assert_false (lk_slurm_slots_overlap (&slots, 0, 101, &hold));
  /* Not equal, so they stay two. */
  lk_slurm_slots_reserve (&slots, 300, 400, &wish);
  g_assert_cmpuint (slots.slots->len, ==, 4);
  g_assert_cmpint (lk_slurm_slots_licensed_us (&slots, 0, 200, two), ==, 400);
  lk_slurm_slots_reserve (&slots, 400, 1000, &hold);
  g_assert_cmpint (lk_slurm_slots_licensed_us (&slots, 0, 200, two), ==, LK_TIME_NEVER);
  lk_slurm_slots_clear (&slots);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/slurm-plan/so many tasks of an array have reservations", test_array_tasks);
  g_test_add_func ("/slurm-plan/tasks that start are not counted", test_array_starts);
  g_test_add_func ("/slurm-plan/tasks are planned in a pool, too", test_array_in_pool);
  g_test_add_func ("/slurm-plan/licences are reserved", test_licenses);
  g_test_add_func ("/slurm-plan/licences are held to a rounded end", test_license_ends);
  g_test_add_func ("/slurm-plan/the main loop ends where licences are lacking", test_license_stop);
  g_test_add_func ("/slurm-plan/licences that are set aside are not planned",
                   test_licenses_set_aside);
  g_test_add_func ("/slurm-plan/what a cycle started holds its nodes", test_started_holds);
  g_test_add_func ("/slurm-plan/what can be displaced holds none", test_preemptable_holds_nothing);
  g_test_add_func ("/slurm-plan/windows go by ends on other nodes, too",
                   test_window_past_other_nodes);
  g_test_add_func ("/slurm-plan/a plan may lie in a later advance reservation", test_set_aside);
  g_test_add_func ("/slurm-plan/whole nodes are not planned where cores are set aside",
                   test_cores_set_aside);
  g_test_add_func ("/slurm-plan/a try is followed by one where nodes come back", test_next_try);
  g_test_add_func ("/slurm-plan/slots lose the licences of a reservation", test_slots);
  return g_test_run ();
}
