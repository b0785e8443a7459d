/* tests/policies/backfill_slurm_time_min_test.c — jobs with --time-min in Slurm's backfill: they
 * are tried with the least limit, and get back of their own what delays nobody.
 *
 * The situation of most tests: three of four nodes run until 600 s, and job 2 waits for all four.
 */
#include "tests/engine/reservation_fixture.h"
#include "tests/policies/backfill_slurm_fixture.h"

#define CYCLES_ONLY "sched_phase=6000000000,batch_sched_delay=3600"
#define S(seconds) ((gint64)(seconds)*G_USEC_PER_SEC)

typedef struct {
  guint32 id;
  guint32 nodes; /* 0: a job of one processor of a pool */
  gint64 limit_s;
  gint64 least_s;
  gint64 deadline_s;
  const char *array;
} Asked;

static void
submit (LkFixture *self, gint64 time_s, const Asked *asked)
{
  LkEvent event = { .kind = LK_EVENT_SUBMIT };
  event.submit.job_id = asked->id;
  event.submit.user_id = 1;
  event.submit.procs = 1;
  event.submit.estimate_us = S (asked->limit_s);
  event.submit.time_min_us = S (asked->least_s);
  event.submit.deadline_us = S (asked->deadline_s);
  event.submit.array = lk_text (asked->array != NULL ? asked->array : "");
  if (asked->nodes > 0) {
    g_autofree char *line = g_strdup_printf ("-N%u --exclusive", asked->nodes);
    LkJobRequest request = node_fixture_request (line);
    event.submit.procs = lk_job_request_cpus (&request);
    lk_submit_set_request (&event.submit, &request);
  }
  g_assert_cmpint (fixture_apply (self, time_s, &event), ==, LK_STATUS_OK);
}

static void
situation (LkFixture *self, LkCluster *cluster, const char *params)
{
  slurm_init (self, cluster, params);
  slurm_submit (self, 0, 1, 3, 600);
  slurm_run (self, 0);
  slurm_submit (self, 0, 2, 4, 600);
}

static void
assert_limit (const LkFixture *self, guint32 id, gint64 limit_s)
{
  slurm_assert_runs (self, id);
  g_assert_cmpint (slurm_job (self, id).estimate_us, ==, S (limit_s));
  g_assert_cmpint (slurm_job (self, id).expected_end_us, ==,
                   slurm_job (self, id).start_us + S (limit_s));
}

/* Started at 30 s, it has 570 s before what is reserved: nine minutes.  Where its least limit
 * reaches into that it waits. */
static void
test_lengthened (void)
{
  static const struct {
    const char *params;
    gint64 limit_s;
    gint64 least_s;
    gint64 runs_s; /* 0: it waits */
  } rows[] = {
    { CYCLES_ONLY, 1200, 300, 540 },
    { CYCLES_ONLY ",release=2205", 1200, 300, 300 },
    { CYCLES_ONLY, 420, 300, 420 },  /* it fits as it is */
    { CYCLES_ONLY, 1200, 545, 545 }, /* no less than the least */
    { CYCLES_ONLY, 1200, 570, 0 },
    { CYCLES_ONLY, 1200, 0, 0 },
    { CYCLES_ONLY ",bf_running_job_reserve=1", 1200, 300, 540 },
  };
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    LkFixture self;
    g_autoptr (LkCluster) cluster = slurm_cluster (4);
    situation (&self, cluster, rows[i].params);
    submit (
        &self, 0,
        &(Asked){ .id = 3, .nodes = 1, .limit_s = rows[i].limit_s, .least_s = rows[i].least_s });
    slurm_run (&self, 30);
    g_assert_cmpint (slurm_start_s (&self, 2), ==, 600);
    if (rows[i].runs_s > 0)
      assert_limit (&self, 3, rows[i].runs_s);
    else
      slurm_assert_waits (&self, 3, "Priority");
    slurm_run (&self, 90);
    g_assert_cmpint (slurm_start_s (&self, 2), ==, 600);
    fixture_clear (&self);
  }
}

/* Behind a job that waits for other nodes, it gets all that it asked for. */
static void
test_nothing_in_the_way (void)
{
  LkFixture self;
  g_autoptr (LkCluster) cluster = slurm_cluster (4);
  slurm_init (&self, cluster, CYCLES_ONLY);
  submit (&self, 0, &(Asked){ .id = 1, .nodes = 1, .limit_s = 1200, .least_s = 300 });
  slurm_run (&self, 30);
  assert_limit (&self, 1, 1200);
  fixture_clear (&self);
}

/* The main loop knows only the limit: it starts what can start with that. */
static void
test_main_loop (void)
{
  LkFixture self;
  g_autoptr (LkCluster) cluster = slurm_cluster (4);
  slurm_init (&self, cluster, "bf_interval=-1");
  submit (&self, 0, &(Asked){ .id = 1, .nodes = 1, .limit_s = 1200, .least_s = 300 });
  slurm_run (&self, 5);
  assert_limit (&self, 1, 1200);
  fixture_clear (&self);
}

/* What is reserved for one that waits is as long as its least limit. */
static void
test_reserves_the_least (void)
{
  LkFixture self;
  g_autoptr (LkCluster) cluster = slurm_cluster (4);
  slurm_init (&self, cluster, CYCLES_ONLY);
  slurm_submit (&self, 0, 1, 3, 600);
  slurm_run (&self, 0);
  submit (&self, 0, &(Asked){ .id = 2, .nodes = 4, .limit_s = 6000, .least_s = 600 });
  slurm_submit (&self, 0, 3, 4, 600);
  slurm_run (&self, 30);
  g_assert_cmpint (slurm_start_s (&self, 2), ==, 600);
  g_assert_cmpint (slurm_start_s (&self, 3), ==, 1200);
  g_assert_cmpint (slurm_job (&self, 2).estimate_us, ==, S (6000));
  fixture_clear (&self);
}

/* Advance reservations of its nodes, and its deadline, end it, too. */
static void
test_other_bounds (void)
{
  LkFixture self;
  g_autoptr (LkCluster) cluster = slurm_cluster (4);
  Reservation maint = { .name = "maint",
                        .start_s = 500,
                        .duration_s = 600,
                        .nodes = "n4",
                        .users = "alan",
                        .flags = "MAINT" };
  situation (&self, cluster, CYCLES_ONLY);
  reservation_create (&self, 0, &maint);
  submit (&self, 0, &(Asked){ .id = 3, .nodes = 1, .limit_s = 1200, .least_s = 300 });
  slurm_run (&self, 30);
  assert_limit (&self, 3, 420);
  fixture_clear (&self);

  situation (&self, cluster, CYCLES_ONLY);
  submit (&self, 0,
          &(Asked){ .id = 3, .nodes = 1, .limit_s = 1200, .least_s = 300, .deadline_s = 400 });
  slurm_run (&self, 30);
  assert_limit (&self, 3, 370);
  fixture_clear (&self);
}

/* Each task of an array on its own; what waits keeps its limit. */
static void
test_array (void)
{
  LkFixture self;
  g_autoptr (LkCluster) cluster = slurm_cluster (5);
  situation (&self, cluster, CYCLES_ONLY);
  submit (&self, 0,
          &(Asked){ .id = 4, .nodes = 1, .limit_s = 1200, .least_s = 300, .array = "0-2" });
  slurm_run (&self, 30);
  /* Of nodes n4 and n5 job 2 needs one. */
  guint count = 0;
  gint64 limits_s = 0;
  for (guint32 id = 4; id <= 6; id++) {
    LkJobInfo info;
    if (!lk_engine_job (self.engine, id, &info))
      continue;
    if (info.state == LK_JOB_RUNNING) {
      count++;
      limits_s += info.estimate_us / G_USEC_PER_SEC;
    } else {
      g_assert_cmpint (info.estimate_us, ==, S (1200));
    }
  }
  g_assert_cmpuint (count, ==, 2);
  g_assert_cmpint (limits_s, ==, 540 + 1200);
  fixture_clear (&self);
}

/* When it is requeued it asks for what it asked for. */
static void
test_requeue (void)
{
  LkFixture self;
  LkEvent event = { .kind = LK_EVENT_REQUEUE };
  g_autoptr (LkCluster) cluster = slurm_cluster (4);
  situation (&self, cluster, CYCLES_ONLY);
  submit (&self, 0, &(Asked){ .id = 3, .nodes = 1, .limit_s = 1200, .least_s = 300 });
  slurm_run (&self, 30);
  assert_limit (&self, 3, 540);
  event.requeue.job_id = 3;
  g_assert_cmpint (fixture_apply (&self, 40, &event), ==, LK_STATUS_OK);
  g_assert_cmpint (slurm_job (&self, 3).estimate_us, ==, S (1200));
  fixture_clear (&self);
}

/* On a pool the moment at which it ends counts, too: 570 s would be one too many. */
static void
test_pool (void)
{
  LkFixture self;
  fixture_init (&self, 4, "fifo", "slurm:" CYCLES_ONLY);
  fixture_submit (&self, 0, 1, 3, 600);
  slurm_run (&self, 0);
  fixture_submit (&self, 0, 2, 4, 600);
  submit (&self, 0, &(Asked){ .id = 3, .limit_s = 1200, .least_s = 300 });
  slurm_run (&self, 30);
  g_assert_cmpint (slurm_start_s (&self, 2), ==, 600);
  assert_limit (&self, 3, 540);
  fixture_clear (&self);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/time-min/a job gets what delays nobody", test_lengthened);
  g_test_add_func ("/time-min/with nothing in the way it is its limit", test_nothing_in_the_way);
  g_test_add_func ("/time-min/the main loop knows only the limit", test_main_loop);
  g_test_add_func ("/time-min/the least is reserved", test_reserves_the_least);
  g_test_add_func ("/time-min/reservations and deadlines bound it", test_other_bounds);
  g_test_add_func ("/time-min/each task on its own", test_array);
  g_test_add_func ("/time-min/a requeue gives the limit back", test_requeue);
  g_test_add_func ("/time-min/a counted pool", test_pool);
  return g_test_run ();
}
