/* tests/policies/backfill_slurm_test.c — Slurm's main loop and backfill, by worked examples.
 *
 * The numbers are those of Slurm's documentation and of runs of Slurm 26.05 (docs/fidelity.md). */
#include "policies/backfill_slurm.h"

#include "tests/policies/backfill_slurm_fixture.h"

/* No full main loop but the first, and no backfill. */
#define NO_BACKFILL "bf_interval=-1,sched_interval=600,sched_phase=600000000"

/* ---------------------------------------------------------------- the main loop */

/* default_queue_depth=2: three of six are looked at. */
static void
test_depth (void)
{
  LkFixture self;
  g_autoptr (LkCluster) cluster = slurm_cluster (6);
  slurm_init (&self, cluster, NO_BACKFILL ",default_queue_depth=2");
  for (guint32 id = 1; id <= 6; id++)
    slurm_submit (&self, 0, id, 1, 600);
  slurm_run (&self, 0);
  for (guint32 id = 1; id <= 3; id++)
    slurm_assert_runs (&self, id);
  for (guint32 id = 5; id <= 6; id++)
    slurm_assert_waits (&self, id, "Priority");
  g_assert_cmpint (slurm_job (&self, 4).state, ==, LK_JOB_PENDING);
  /* The full loop sees them all. */
  slurm_run (&self, 600);
  for (guint32 id = 4; id <= 6; id++)
    g_assert_cmpint (slurm_start_s (&self, id), ==, 600);
  fixture_clear (&self);
}

/* P, the default, and Q, with all nodes. */
static void
two_partitions (LkCluster *cluster)
{
  const char *const names[] = { "p", "q" };
  for (guint i = 0; i < 2; i++) {
    LkPartitionSpec *partition = lk_cluster_add_partition (cluster, names[i]);
    partition->is_default = i == 0;
    g_free (partition->nodes);
    partition->nodes = g_strdup ("ALL");
  }
}

/* P and Q have the same four nodes. One is idle, and nobody gets it. */
static void
test_blocked_partition (void)
{
  LkFixture self;
  g_autoptr (LkCluster) cluster = slurm_cluster (4);
  two_partitions (cluster);
  slurm_init (&self, cluster, "bf_interval=-1");
  slurm_submit (&self, 0, 1, 3, 6000);
  slurm_run (&self, 0);
  slurm_assert_runs (&self, 1);
  node_fixture_submit (&self, 1, 2, 600, "-N2 --exclusive -p p");
  node_fixture_submit (&self, 1, 3, 600, "-N1 --exclusive -p p");
  node_fixture_submit (&self, 1, 4, 600, "-N1 --exclusive -p q");
  slurm_run (&self, 120);
  slurm_assert_waits (&self, 2, "Resources");
  slurm_assert_waits (&self, 3, "Priority");
  slurm_assert_waits (&self, 4, "Resources");
  fixture_clear (&self);
}

/* A job that names its nodes keeps only these back. */
static void
test_required_nodes (void)
{
  LkFixture self;
  g_autoptr (LkCluster) cluster = slurm_cluster (3);
  slurm_init (&self, cluster, "bf_interval=-1");
  slurm_submit (&self, 0, 1, 1, 6000);
  slurm_run (&self, 0);
  node_fixture_submit (&self, 1, 2, 600, "-N1 --exclusive -w n1");
  node_fixture_submit (&self, 1, 3, 600, "-N1 --exclusive");
  slurm_run (&self, 10);
  slurm_assert_waits (&self, 2, "Resources");
  slurm_assert_runs (&self, 3);
  /* Nodes that are not there keep nobody else. */
  node_fixture_node (&self, 11, LK_EVENT_NODE_DRAIN, "n1");
  node_fixture_submit (&self, 12, 4, 600, "-N1 --exclusive");
  slurm_run (&self, 20);
  slurm_assert_waits (&self, 2, "ReqNodeNotAvail");
  slurm_assert_runs (&self, 4);
  fixture_clear (&self);
}

/* What has no licences is passed; so is who is too young or of too low a priority to block. */
static void
test_passed_freely (void)
{
  LkFixture self;
  g_autoptr (LkCluster) cluster = slurm_cluster (2);
  lk_cluster_add_license (cluster, "cad", 1);
  slurm_init (&self, cluster, "bf_interval=-1,bf_min_age_reserve=100");
  node_fixture_submit (&self, 0, 1, 6000, "-N1 --exclusive -L cad");
  slurm_run (&self, 0);
  node_fixture_submit (&self, 1, 2, 600, "-N1 -n1 -L cad");
  node_fixture_submit (&self, 1, 3, 600, "-N2 --exclusive");
  node_fixture_submit (&self, 1, 4, 600, "-N1 -n1");
  slurm_run (&self, 10);
  slurm_assert_waits (&self, 2, "Licenses");
  slurm_assert_waits (&self, 3, "Resources");
  slurm_assert_runs (&self, 4);
  /* Now it is old enough. */
  node_fixture_submit (&self, 130, 5, 600, "-N1 -n1");
  slurm_run (&self, 150);
  slurm_assert_waits (&self, 5, "Priority");
  fixture_clear (&self);
}

static void
test_start_limits (void)
{
  LkFixture self;
  g_autoptr (LkCluster) cluster = slurm_cluster (4);
  slurm_init (&self, cluster, "bf_interval=-1,sched_max_job_start=2,partition_job_depth=3");
  for (guint32 id = 1; id <= 4; id++)
    slurm_submit (&self, 0, id, 1, 600);
  slurm_run (&self, 0);
  slurm_assert_runs (&self, 2);
  g_assert_cmpint (slurm_job (&self, 3).state, ==, LK_JOB_PENDING);
  slurm_run (&self, 60);
  g_assert_cmpint (slurm_job (&self, 4).state, ==, LK_JOB_PENDING);
  fixture_clear (&self);
}

/* ---------------------------------------------------------------- when what runs */

/* Submits wait for a tick, three seconds behind the last; the end of a job does not. */
static void
test_triggers (void)
{
  LkFixture self;
  g_autoptr (LkCluster) cluster = slurm_cluster (3);
  slurm_init (&self, cluster, NO_BACKFILL ",tick_phase=500000");
  slurm_submit (&self, 0, 1, 3, 600);
  slurm_run (&self, 20);
  g_assert_cmpint (slurm_job (&self, 1).start_us, ==, 500000);
  slurm_submit (&self, 20, 2, 1, 600);
  slurm_submit (&self, 20, 3, 1, 600);
  slurm_run (&self, 40);
  fixture_ended (&self, 40, 1);
  slurm_run (&self, 40);
  g_assert_cmpint (slurm_start_s (&self, 2), ==, 40);
  g_assert_cmpint (slurm_start_s (&self, 3), ==, 40);
  slurm_submit (&self, 41, 4, 1, 600);
  slurm_run (&self, 42);
  g_assert_cmpint (slurm_job (&self, 4).start_us, ==, 41500000);
  slurm_submit (&self, 42, 5, 1, 600);
  slurm_run (&self, 43);
  fixture_ended (&self, 43, 2);
  slurm_run (&self, 43);
  g_assert_cmpint (slurm_start_s (&self, 5), ==, 43);
  fixture_clear (&self);
}

static void
test_defer (void)
{
  LkFixture self;
  g_autoptr (LkCluster) cluster = slurm_cluster (1);
  slurm_init (&self, cluster, NO_BACKFILL ",tick_phase=500000,defer=1");
  slurm_submit (&self, 0, 1, 1, 600);
  slurm_submit (&self, 0, 2, 1, 600);
  slurm_run (&self, 10);
  fixture_ended (&self, 10, 1);
  slurm_run (&self, 20);
  g_assert_cmpint (slurm_job (&self, 2).start_us, ==, 10500000);
  fixture_clear (&self);
}

/* As long as jobs wait, cycles keep to their period; else the next one comes at the first look that
 * finds a change. */
static void
test_cycle_times (void)
{
  LkFixture self;
  g_autoptr (LkCluster) cluster = slurm_cluster (2);
  slurm_init (&self, cluster, "sched_interval=-1,bf_phase=250000");
  slurm_submit (&self, 0, 1, 1, 600);
  slurm_run (&self, 1);
  g_assert_cmpint (slurm_job (&self, 1).start_us, ==, 250000);
  slurm_submit (&self, 70, 2, 2, 600);
  slurm_run (&self, 100);
  g_assert_cmpint (slurm_start_s (&self, 2), ==, 600);
  slurm_submit (&self, 101, 3, 1, 60);
  slurm_run (&self, 135);
  g_assert_cmpint (slurm_job (&self, 3).start_us, ==, 130250000);
  fixture_clear (&self);
}

/* ---------------------------------------------------------------- the backfill cycle */

/* Four nodes; job 1 has n1 to n3 until 600. A 4 nodes of 10 min, B 1 of 5, C 1 of 20, D 3 of 1. */
static void
example (LkFixture *self, LkCluster *cluster, const char *params)
{
  slurm_init (self, cluster, params);
  slurm_submit (self, 0, 1, 3, 600);
  slurm_run (self, 0);
  slurm_assert_runs (self, 1);
}

static void
test_example (void)
{
  LkFixture self;
  g_autoptr (LkCluster) cluster = slurm_cluster (4);
  example (&self, cluster, SLURM_CYCLES);
  slurm_submit (&self, 0, 2, 4, 600);
  slurm_submit (&self, 0, 3, 1, 300);
  slurm_submit (&self, 0, 4, 1, 1200);
  slurm_submit (&self, 0, 5, 3, 60);
  slurm_run (&self, 30);
  g_assert_cmpint (slurm_start_s (&self, 2), ==, 600);
  slurm_assert_runs (&self, 3);
  g_assert_cmpint (slurm_start_s (&self, 4), ==, 1200);
  g_assert_cmpint (slurm_start_s (&self, 5), ==, 1200);
  fixture_clear (&self);
}

/* A job that would end just when a reservation begins is refused. */
static void
test_inclusive_end (void)
{
  for (gint64 limit_s = 569; limit_s <= 570; limit_s++) {
    LkFixture self;
    g_autoptr (LkCluster) cluster = slurm_cluster (4);
    example (&self, cluster, SLURM_CYCLES);
    slurm_submit (&self, 0, 2, 4, 600);
    slurm_submit (&self, 0, 3, 1, limit_s);
    slurm_run (&self, 30);
    g_assert_cmpint (slurm_start_s (&self, 2), ==, 600);
    g_assert_cmpint (slurm_start_s (&self, 3), ==, limit_s == 569 ? 30 : 1200);
    fixture_clear (&self);
  }
}

/* Beyond the window a job has an estimate, and protects nothing. */
static void
test_window (void)
{
  LkFixture self;
  g_autoptr (LkCluster) cluster = slurm_cluster (8);
  slurm_init (&self, cluster, "bf_window=10," SLURM_CYCLES);
  slurm_submit (&self, 0, 1, 4, 700);
  slurm_run (&self, 0);
  slurm_submit (&self, 0, 2, 8, 600);
  slurm_submit (&self, 0, 3, 4, 3600);
  slurm_run (&self, 30);
  g_assert_cmpint (slurm_start_s (&self, 2), ==, 700);
  slurm_assert_runs (&self, 3);
  fixture_clear (&self);
}

/* Counts of jobs that are tested, started, reserved: row by row, which of jobs 2 to 5 run behind a
 * cycle. Job 2 waits for all nodes; the others fit before it. */
static void
test_counts (void)
{
  static const struct {
    const char *params;
    const char *runs;
  } rows[] = {
    { "", "345" },
    { "bf_max_job_test=1", "" },
    { "bf_max_job_test=3", "34" },
    { "bf_max_job_start=2", "34" },
    { "bf_max_job_part=2", "3" },
    { "bf_max_job_user=3", "34" },
    { "bf_max_job_user_part=1", "" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    LkFixture self;
    g_autoptr (LkCluster) cluster = slurm_cluster (4);
    g_autoptr (GString) runs = g_string_new (NULL);
    slurm_cycles (&self, cluster, rows[i].params);
    slurm_submit (&self, 0, 1, 1, 600);
    slurm_run (&self, 0);
    slurm_submit (&self, 0, 2, 4, 600);
    for (guint32 id = 3; id <= 5; id++)
      slurm_submit (&self, 0, id, 1, 120);
    slurm_run (&self, 30);
    for (guint32 id = 2; id <= 5; id++)
      if (slurm_job (&self, id).state == LK_JOB_RUNNING)
        g_string_append_printf (runs, "%u", id);
    g_assert_cmpstr (runs->str, ==, rows[i].runs);
    fixture_clear (&self);
  }
}

/* The same of partitions and users: job 2 waits for all nodes, the next three are of another
 * partition or another user. */
static void
test_counts_apart (void)
{
  static const struct {
    const char *params;
    const char *runs;
  } rows[] = {
    { "bf_max_job_part=1", "4" },
    { "bf_max_job_part=2", "34" },
    { "bf_max_job_user=1", "5" },
    { "bf_max_job_user_part=1", "45" },
  };
  static const struct {
    guint32 user;
    const char *line;
  } jobs[] = { { 1, "-p p" }, { 1, "-p q" }, { 2, "-p p" } };
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    LkFixture self;
    g_autoptr (LkCluster) cluster = slurm_cluster (4);
    g_autofree char *params = g_strconcat (SLURM_CYCLES ",", rows[i].params, NULL);
    g_autoptr (GString) runs = g_string_new (NULL);
    two_partitions (cluster);
    slurm_init (&self, cluster, params);
    slurm_submit (&self, 0, 1, 1, 600);
    slurm_run (&self, 0);
    slurm_submit (&self, 0, 2, 4, 600);
    for (guint32 k = 0; k < G_N_ELEMENTS (jobs); k++)
      node_fixture_submit_of (&self, 0, 3 + k, jobs[k].user, 120, jobs[k].line);
    slurm_run (&self, 30);
    for (guint32 id = 2; id <= 5; id++)
      if (slurm_job (&self, id).state == LK_JOB_RUNNING)
        g_string_append_printf (runs, "%u", id);
    g_assert_cmpstr (runs->str, ==, rows[i].runs);
    fixture_clear (&self);
  }
}

/* The cycle ends with the reservation that finds the table full. */
static void
test_full_table (void)
{
  LkFixture self;
  g_autoptr (LkCluster) cluster = slurm_cluster (4);
  example (&self, cluster, SLURM_CYCLES ",bf_node_space_size=2");
  slurm_submit (&self, 0, 2, 4, 600);
  slurm_submit (&self, 0, 3, 1, 60);
  slurm_submit (&self, 0, 4, 4, 600);
  slurm_submit (&self, 0, 5, 1, 60);
  slurm_run (&self, 30);
  slurm_assert_runs (&self, 3);
  g_assert_cmpint (slurm_start_s (&self, 4), ==, 1200);
  fixture_ended (&self, 50, 3);
  slurm_run (&self, 60);
  g_assert_cmpint (slurm_start_s (&self, 5), ==, -1);
  fixture_clear (&self);
}

/* Behind the first reservations of a partition jobs only start now. */
static void
test_reserve_counts (void)
{
  LkFixture self;
  g_autoptr (LkCluster) cluster = slurm_cluster (4);
  example (&self, cluster, SLURM_CYCLES ",bf_job_part_count_reserve=1");
  slurm_submit (&self, 0, 2, 4, 600);
  slurm_submit (&self, 0, 3, 4, 600);
  slurm_submit (&self, 0, 4, 1, 300);
  slurm_run (&self, 30);
  g_assert_cmpint (slurm_start_s (&self, 2), ==, 600);
  g_assert_cmpint (slurm_start_s (&self, 3), ==, -1);
  slurm_assert_runs (&self, 4);
  fixture_clear (&self);
}

/* Two of four cores of n1 are in use until 600: a job of two cores shares the node with it now, but
 * not once the whole node is reserved for another. */
static void
test_whole_nodes_reserved (void)
{
  LkFixture self;
  g_autoptr (LkCluster) cluster = slurm_cluster (1);
  slurm_init (&self, cluster, SLURM_CYCLES);
  node_fixture_submit (&self, 0, 1, 600, "-n2");
  slurm_run (&self, 0);
  node_fixture_submit (&self, 0, 2, 600, "-n3");
  node_fixture_submit (&self, 0, 3, 600, "-n1");
  node_fixture_submit (&self, 0, 4, 300, "-n1");
  slurm_run (&self, 30);
  g_assert_cmpint (slurm_start_s (&self, 2), ==, 600);
  g_assert_cmpint (slurm_start_s (&self, 3), ==, 1200);
  slurm_assert_runs (&self, 4);
  fixture_clear (&self);
}

/* Ends at 100, 110 and 130 s: one by one, or together with the first window. */
static void
test_windows (void)
{
  static const struct {
    const char *params;
    gint64 start_s;
  } rows[] = {
    { "slurm_window=0,release=2205", 100 },
    { "release=2605", 100 },
    { "release=2205", 130 },
  };
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    LkFixture self;
    g_autoptr (LkCluster) cluster = slurm_cluster (3);
    slurm_cycles (&self, cluster, rows[i].params);
    slurm_submit (&self, 0, 1, 1, 100);
    slurm_submit (&self, 0, 2, 1, 110);
    slurm_submit (&self, 0, 3, 1, 130);
    slurm_run (&self, 0);
    slurm_submit (&self, 0, 4, 1, 600);
    slurm_run (&self, 30);
    g_assert_cmpint (slurm_start_s (&self, 4), ==, rows[i].start_s);
    fixture_clear (&self);
  }
}

/* Of n2 and n3, n3 is free first, at 120 s. A job on n1 ends at 130 s, within the window to 180 s;
 * behind it Slurm takes the end of n2, too, and of both nodes the job gets the first. */
static void
test_windows_pass_others (void)
{
  static const struct {
    const char *params;
    gint64 start_s;
  } rows[] = { { "slurm_window=0", 120 }, { "slurm_window=1", 400 }, { "release=2205", 400 } };
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    LkFixture self;
    g_autoptr (LkCluster) cluster = slurm_cluster (3);
    slurm_cycles (&self, cluster, rows[i].params);
    slurm_submit (&self, 0, 1, 1, 130);
    slurm_submit (&self, 0, 2, 1, 400);
    slurm_submit (&self, 0, 3, 1, 120);
    slurm_run (&self, 0);
    node_fixture_submit (&self, 0, 4, 600, "-x n1");
    slurm_run (&self, 30);
    g_assert_cmpint (slurm_start_s (&self, 4), ==, rows[i].start_s);
    fixture_clear (&self);
  }
}

/* Ends at 100, 220, 235 and 250 s, of which two are needed. Behind the first window, to 150 s,
 * doubled ones reach to 240 s (120 + 120), those that grow by 10 s to 220 s (120 + 100), by 50 s to
 * 250 s (120 + 130); the last end in the window counts. */
static void
test_linear_windows (void)
{
  static const struct {
    gint64 step_s;
    gint64 start_s;
  } rows[] = { { 0, 235 }, { 10, 220 }, { 50, 250 } };
  static const gint64 ends_s[] = { 100, 220, 235, 250 };
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    LkFixture self;
    g_autoptr (LkCluster) cluster = slurm_cluster (4);
    g_autofree char *params = g_strdup_printf (SLURM_CYCLES ",release=2205,"
                                                            "bf_window_linear=%" G_GINT64_FORMAT,
                                               rows[i].step_s);
    slurm_init (&self, cluster, params);
    for (guint32 k = 0; k < 4; k++)
      slurm_submit (&self, 0, k + 1, 1, ends_s[k]);
    slurm_run (&self, 0);
    slurm_submit (&self, 0, 5, 2, 600);
    slurm_run (&self, 30);
    g_assert_cmpint (slurm_start_s (&self, 5), ==, rows[i].start_s);
    fixture_clear (&self);
  }
}

/* The running job's reservation ends at a multiple of the resolution, 600 s; a job that shares its
 * node has none. */
static void
test_running_reserve (void)
{
  static const struct {
    const char *params;
    const char *running;
    gint64 start_s;
  } rows[] = {
    { "", "-N1 --exclusive", 570 },
    { ",bf_running_job_reserve=1", "-N1 --exclusive", 600 },
    { ",bf_running_job_reserve=1,release=2205", "-N1 --exclusive", 570 },
    { ",bf_running_job_reserve=1", "-n1", 570 },
  };
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    LkFixture self;
    g_autoptr (LkCluster) cluster = slurm_cluster (2);
    g_autofree char *params = g_strconcat (SLURM_CYCLES, rows[i].params, NULL);
    slurm_init (&self, cluster, params);
    node_fixture_submit (&self, 0, 1, 570, rows[i].running);
    slurm_run (&self, 0);
    slurm_submit (&self, 0, 2, 2, 600);
    slurm_run (&self, 30);
    g_assert_cmpint (slurm_start_s (&self, 2), ==, rows[i].start_s);
    fixture_clear (&self);
  }
}

/* ---------------------------------------------------------------- a counted pool */

static void
test_pool (void)
{
  LkFixture self;
  fixture_init (&self, 4, "fifo", "slurm:" SLURM_CYCLES);
  fixture_submit (&self, 0, 1, 3, 600);
  slurm_run (&self, 0);
  fixture_submit (&self, 0, 2, 4, 600);
  fixture_submit (&self, 0, 3, 1, 300);
  fixture_submit (&self, 0, 4, 1, 1200);
  fixture_submit (&self, 0, 5, 3, 60);
  slurm_run (&self, 30);
  g_assert_cmpint (slurm_start_s (&self, 2), ==, 600);
  slurm_assert_runs (&self, 3);
  g_assert_cmpint (slurm_start_s (&self, 4), ==, 1200);
  g_assert_cmpint (slurm_start_s (&self, 5), ==, 1200);
  fixture_clear (&self);
}

/* ---------------------------------------------------------------- slots and times */

static void
assert_interval (gboolean is_old, gint64 start_s, gint64 duration_s, gint64 begin_s, gint64 end_s)
{
  LkSlurmSettings settings = { .bf_resolution_us = 60 * G_USEC_PER_SEC, .is_old = is_old };
  gint64 from_us;
  gint64 to_us;
  lk_slurm_interval (&settings, start_s * G_USEC_PER_SEC, duration_s * G_USEC_PER_SEC, &from_us,
                     &to_us);
  g_assert_cmpint (from_us, ==, begin_s * G_USEC_PER_SEC);
  g_assert_cmpint (to_us, ==, end_s * G_USEC_PER_SEC);
}

static void
test_interval (void)
{
  assert_interval (FALSE, 30, 120, 0, 180);
  assert_interval (TRUE, 30, 120, 0, 120);
  assert_interval (FALSE, 60, 120, 60, 180);
  assert_interval (TRUE, 30, 20, 0, 60);
  assert_interval (FALSE, -30, 10, -60, 0);
}

static void
test_slots (void)
{
  guint64 all = 0xf;
  guint64 low = 0x3;
  guint64 nodes = 0xf;
  const LkSlurmHold hold = { &low, NULL };
  LkSlurmSlots slots;
  lk_slurm_slots_init (&slots, &all, 1, 0, 1000);
  lk_slurm_slots_reserve (&slots, 100, 300, &hold);
  g_assert_cmpuint (slots.slots->len, ==, 3);
  /* The end of the interval counts. */
  g_assert_cmpint (lk_slurm_slots_limit (&slots, 0, 100, 1, &nodes), ==, 300);
  g_assert_cmpuint (nodes, ==, 0xc);
  nodes = 0xf;
  lk_slurm_slots_limit (&slots, 0, 99, 1, &nodes);
  g_assert_cmpuint (nodes, ==, 0xf);
  nodes = 0xf;
  g_assert_cmpint (lk_slurm_slots_limit (&slots, 300, 600, 1, &nodes), ==, LK_TIME_NEVER);
  g_assert_cmpuint (nodes, ==, 0xf);
  /* But an overlap is one only before it. */
  g_assert_false (lk_slurm_slots_overlap (&slots, 0, 100, &hold));
  g_assert_true (lk_slurm_slots_overlap (&slots, 0, 101, &hold));
  g_assert_false (lk_slurm_slots_overlap (&slots, 300, 400, &hold));
  /* Neighbours that are equal become one. */
  lk_slurm_slots_reserve (&slots, 300, 400, &hold);
  g_assert_cmpuint (slots.slots->len, ==, 3);
  lk_slurm_slots_clear (&slots);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/slurm/a partial loop looks at one job more than its depth", test_depth);
  g_test_add_func ("/slurm/a job that lacks room closes its partition and takes its nodes",
                   test_blocked_partition);
  g_test_add_func ("/slurm/a job that names nodes keeps only these back", test_required_nodes);
  g_test_add_func ("/slurm/licences and youth keep nobody back", test_passed_freely);
  g_test_add_func ("/slurm/a main loop starts so many jobs", test_start_limits);
  g_test_add_func ("/slurm/submits wait for a tick and ends do not", test_triggers);
  g_test_add_func ("/slurm/with defer ends wait as well", test_defer);
  g_test_add_func ("/slurm/cycles keep their period while jobs wait", test_cycle_times);
  g_test_add_func ("/slurm/the backfill cycle as in the worked example", test_example);
  g_test_add_func ("/slurm/no job ends just when a reservation begins", test_inclusive_end);
  g_test_add_func ("/slurm/beyond the window nothing is reserved", test_window);
  g_test_add_func ("/slurm/a cycle tests and starts so many jobs", test_counts);
  g_test_add_func ("/slurm/a cycle tests so many jobs of each", test_counts_apart);
  g_test_add_func ("/slurm/a full table ends the cycle", test_full_table);
  g_test_add_func ("/slurm/a partition has so many reservations", test_reserve_counts);
  g_test_add_func ("/slurm/whole nodes are reserved", test_whole_nodes_reserved);
  g_test_add_func ("/slurm/ends are looked at in windows", test_windows);
  g_test_add_func ("/slurm/after a job on other nodes the next end is taken, too",
                   test_windows_pass_others);
  g_test_add_func ("/slurm/windows grow by so much", test_linear_windows);
  g_test_add_func ("/slurm/running jobs reserve their nodes", test_running_reserve);
  g_test_add_func ("/slurm/a counted pool is planned in units", test_pool);
  g_test_add_func ("/slurm/reservations are rounded", test_interval);
  g_test_add_func ("/slurm/slots lose the nodes of a reservation", test_slots);
  return g_test_run ();
}
