/* tests/policies/backfill_slurm_limits_test.c — who may hold others up under the backfill policy
 * `slurm`, and what of accounts its cycles count.
 *
 * Rows run under the main loop alone and under backfill alone, on the site of limits_site.h: eight
 * nodes, all in the default partition.  Source: slurm.conf(5), SchedulerParameters; sacctmgr(1),
 * MinPrioThreshold and NoReserve. */
#include "tests/engine/limits_site.h"
#include "tests/policies/backfill_slurm_fixture.h"

#define MAIN_ALONE "bf_interval=-1"
#define BACKFILL_ALONE "sched_interval=-1"

static void
begin (Site *self, const char *limits, const char *loops, const char *params)
{
  g_autofree char *backfill =
      g_strconcat ("slurm:", loops, params[0] != '\0' ? "," : "", params, NULL);
  site_prepare (self, limits);
  site_start (self, backfill);
}

static void
come (Site *self, gint64 time_s, guint32 id, const char *line)
{
  self->now_s = time_s;
  submit (self, id, line);
}

/* ---------------------------------------------------------------- a limit holds others up */

/* Alice may run one job; her second wants two nodes, and is followed by one that wants the
 * seven idle ones. */
static void
limited (Site *self, const char *loops, const char *params)
{
  begin (self, "modify user alice set MaxJobs=1", loops, params);
  come (self, 0, 1, "alice -N1 --exclusive");
  slurm_run (&self->fixture, 10);
  slurm_assert_runs (&self->fixture, 1);
  come (self, 11, 2, "alice -N2 --exclusive");
  come (self, 11, 3, "carol -N7 --exclusive");
  slurm_run (&self->fixture, 60);
  slurm_assert_waits (&self->fixture, 2, "AssocMaxJobsLimit");
}

static void
test_limit_stops_main (void)
{
  Site self;
  limited (&self, MAIN_ALONE, "");
  slurm_assert_runs (&self.fixture, 3);
  site_clear (&self);
  limited (&self, MAIN_ALONE, "assoc_limit_stop=1");
  slurm_assert_waits (&self.fixture, 3, "Priority");
  site_clear (&self);
}

/* What a limit keeps could start now: it gets its nodes 500 s from now, which at 40 s is from 540
 * to 4140 s. Each cycle moves that on. */
static void
test_limit_stops_backfill (void)
{
  Site self;
  limited (&self, BACKFILL_ALONE, "");
  g_assert_cmpint (slurm_start_s (&self.fixture, 3), ==, 30);
  site_clear (&self);
  limited (&self, BACKFILL_ALONE, "assoc_limit_stop=1,bf_phase=10000000");
  g_assert_cmpint (slurm_job (&self.fixture, 3).state, ==, LK_JOB_PENDING);
  g_assert_cmpint (slurm_start_s (&self.fixture, 3), ==, 4140);
  /* From 70 s eight minutes end behind 540 s; from 100 s before 600 s. */
  come (&self, 61, 4, "carol -N7 --exclusive -t 8");
  slurm_run (&self.fixture, 120);
  g_assert_cmpint (slurm_job (&self.fixture, 4).state, ==, LK_JOB_RUNNING);
  g_assert_cmpint (slurm_start_s (&self.fixture, 4), ==, 100);
  site_clear (&self);
}

/* ---------------------------------------------------------------- who may not hold others up */

typedef struct {
  const char *limits;
  const char *params;
  const char *first;  /* wants all nodes, while one is in use for an hour */
  gboolean is_passed; /* by a job of two hours on one node? */
} Row;

static const Row thresholds[] = {
  { "", "", "bob --priority=50", FALSE },
  { "", "bf_min_prio_reserve=100", "bob --priority=50", TRUE },
  { "", "bf_min_prio_reserve=100", "bob --priority=100", FALSE },
  { "modify qos q set MinPrioThreshold=100", "", "bob -q q --priority=50", TRUE },
  { "modify qos q set MinPrioThreshold=100", "", "bob -q q --priority=100", FALSE },
  { "modify qos q set MinPrioThreshold=100", "", "bob --priority=50", FALSE },
  { "modify user bob set MinPrioThreshold=100", "", "bob --priority=50", TRUE },
  { "modify account phys set MinPrioThreshold=100", "", "bob --priority=50", TRUE },
  /* The QOS goes before the association, and this before the parameter. */
  { "modify qos q set MinPrioThreshold=100;modify user bob set MinPrioThreshold=10", "",
    "bob -q q --priority=50", TRUE },
  { "modify qos q set MinPrioThreshold=10;modify user bob set MinPrioThreshold=100", "",
    "bob -q q --priority=50", FALSE },
  { "modify user bob set MinPrioThreshold=10", "bf_min_prio_reserve=100", "bob --priority=50",
    FALSE },
};

static void
run_row (const Row *row, const char *loops)
{
  Site self;
  begin (&self, row->limits, loops, row->params);
  come (&self, 0, 1, "alice -N1 --exclusive");
  slurm_run (&self.fixture, 0);
  g_autofree char *first = g_strconcat (row->first, " -N8 --exclusive", NULL);
  come (&self, 1, 2, first);
  come (&self, 1, 3, "carol -N1 --exclusive -t 120");
  slurm_run (&self.fixture, 60);
  g_assert_cmpint (slurm_job (&self.fixture, 2).state, ==, LK_JOB_PENDING);
  g_assert_cmpint (slurm_job (&self.fixture, 3).state, ==,
                   row->is_passed ? LK_JOB_RUNNING : LK_JOB_PENDING);
  site_clear (&self);
}

static void
test_thresholds (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (thresholds); i++) {
    run_row (&thresholds[i], MAIN_ALONE);
    run_row (&thresholds[i], BACKFILL_ALONE);
  }
}

/* NoReserve is backfill's alone. */
static void
test_no_reserve (void)
{
  Row row = { "modify qos q set Flags+=NoReserve", "", "bob -q q", FALSE };
  run_row (&row, MAIN_ALONE);
  row.is_passed = TRUE;
  run_row (&row, BACKFILL_ALONE);
}

/* ---------------------------------------------------------------- jobs that a cycle looks at */

/* Two jobs of alice and one of bob, behind one of alice that waits for all nodes: which of jobs 3
 * to 5 run? The association goes before the user. */
static void
test_counts_of_associations (void)
{
  static const struct {
    const char *params;
    const char *runs;
  } rows[] = {
    { "", "345" },
    { "bf_max_job_assoc=1", "5" },
    { "bf_max_job_assoc=2", "35" },
    { "bf_max_job_assoc=2,bf_max_job_user=1", "35" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    Site self;
    g_autoptr (GString) runs = g_string_new (NULL);
    begin (&self, "", BACKFILL_ALONE, rows[i].params);
    come (&self, 0, 1, "carol -N1 --exclusive");
    slurm_run (&self.fixture, 0);
    come (&self, 1, 2, "alice -N8 --exclusive");
    come (&self, 1, 3, "alice -N1 --exclusive -t 2");
    come (&self, 1, 4, "alice -N1 --exclusive -t 2");
    come (&self, 1, 5, "bob -N1 --exclusive -t 2");
    slurm_run (&self.fixture, 30);
    for (guint32 id = 2; id <= 5; id++)
      if (slurm_job (&self.fixture, id).state == LK_JOB_RUNNING)
        g_string_append_printf (runs, "%u", id);
    g_assert_cmpstr (runs->str, ==, rows[i].runs);
    site_clear (&self);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/slurm/with assoc_limit_stop a limit closes the partition",
                   test_limit_stops_main);
  g_test_add_func ("/slurm/with assoc_limit_stop a limited job reserves",
                   test_limit_stops_backfill);
  g_test_add_func ("/slurm/below a threshold of priority nobody is held up", test_thresholds);
  g_test_add_func ("/slurm/a QOS with NoReserve reserves nothing", test_no_reserve);
  g_test_add_func ("/slurm/jobs of an association that a cycle looks at",
                   test_counts_of_associations);
  return g_test_run ();
}
