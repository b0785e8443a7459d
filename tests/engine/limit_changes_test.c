/* tests/engine/limit_changes_test.c — jobs that wait for limits while others are held, cancelled,
 * requeued and changed, nodes are lost and time goes by; and several limits at once. */
#include "tests/engine/limits_site.h"

/* ---------------------------------------------------------------- what the others do */

#define ONE_JOB "modify user alice set MaxJobs=1"

/* Of several that wait at one limit as many start as fit, in their order. */
static void
test_several_wait (void)
{
  Site site;
  site_prepare (&site, "modify account phys set GrpTRES=cpu=8");
  site_start (&site, "none");
  submit (&site, 1, "alice -n8");
  pass (&site);
  submit (&site, 2, "bob -n4");
  submit (&site, 3, "alice -n6");
  submit (&site, 4, "gil -n4");
  submit (&site, 5, "gil -n1");
  pass (&site);
  end (&site, 10, 1);
  g_assert_true (runs (&site, 2));
  assert_waits (&site, 3, "AssocGrpCpuLimit");
  g_assert_true (runs (&site, 4));
  assert_waits (&site, 5, "AssocGrpCpuLimit");
  end (&site, 20, 4);
  assert_waits (&site, 3, "AssocGrpCpuLimit");
  g_assert_true (runs (&site, 5));
  site_clear (&site);
}

/* The place that a held job would have taken goes to the next one. */
static void
test_hold (void)
{
  Site site;
  site_prepare (&site, ONE_JOB);
  site_start (&site, "none");
  submit (&site, 1, "alice");
  submit (&site, 2, "alice");
  submit (&site, 3, "alice");
  pass (&site);
  happens (&site, 5, LK_EVENT_HOLD, 2);
  assert_waits (&site, 2, "JobHeldUser");
  end (&site, 10, 1);
  g_assert_true (runs (&site, 3));
  happens (&site, 15, LK_EVENT_RELEASE, 2);
  assert_waits (&site, 2, "AssocMaxJobsLimit");
  end (&site, 20, 3);
  g_assert_true (runs (&site, 2));
  site_clear (&site);
}

/* The cause goes away while the job is held: it starts when it is released. */
static void
test_hold_meanwhile (void)
{
  Site site;
  site_prepare (&site, ONE_JOB);
  site_start (&site, "none");
  submit (&site, 1, "alice");
  submit (&site, 2, "alice");
  pass (&site);
  happens (&site, 5, LK_EVENT_HOLD, 2);
  end (&site, 10, 1);
  assert_waits (&site, 2, "JobHeldUser");
  happens (&site, 15, LK_EVENT_RELEASE, 2);
  g_assert_true (runs (&site, 2));
  site_clear (&site);
}

static void
test_cancel (void)
{
  Site site;
  site_prepare (&site, ONE_JOB " GrpSubmitJobs=3");
  site_start (&site, "none");
  submit (&site, 1, "alice");
  submit (&site, 2, "alice");
  submit (&site, 3, "alice");
  pass (&site);
  happens (&site, 5, LK_EVENT_CANCEL, 2); /* one that waits: there is room for another */
  submit (&site, 4, "alice");
  assert_told (&site, "accept", 4, "");
  happens (&site, 10, LK_EVENT_CANCEL, 1); /* the one that runs, which takes until it has ended */
  assert_waits (&site, 3, "AssocMaxJobsLimit");
  end (&site, 12, 1);
  g_assert_true (runs (&site, 3));
  assert_waits (&site, 4, "AssocMaxJobsLimit");
  site_clear (&site);
}

/* A job that goes back to the queue makes room, and then waits as the others do. */
static void
test_requeue (void)
{
  Site site;
  site_prepare (&site, ONE_JOB);
  site_start (&site, "none");
  submit (&site, 1, "alice");
  submit (&site, 2, "alice");
  pass (&site);
  happens (&site, 10, LK_EVENT_REQUEUE, 1);
  g_assert_true (runs (&site, 2));
  go_to (&site, 200);
  assert_waits (&site, 1, "AssocMaxJobsLimit");
  end (&site, 210, 2);
  g_assert_true (runs (&site, 1));
  site_clear (&site);
}

/* A job that goes on without one of its nodes has fewer CPUs from then on. */
static void
test_node_lost (void)
{
  Site site;
  site_prepare (&site, "modify account phys set GrpTRES=cpu=64");
  site_start (&site, "none");
  submit (&site, 1, "alice -N2 -n64 --no-kill");
  submit (&site, 2, "bob -n32");
  pass (&site);
  assert_waits (&site, 2, "AssocGrpCpuLimit");
  go_to (&site, 10);
  node_fixture_node (&site.fixture, 10, LK_EVENT_NODE_DOWN, "n2");
  g_assert_true (runs (&site, 1));
  pass_if_wanted (&site);
  g_assert_true (runs (&site, 2));
  site_clear (&site);
}

/* What counts is what the job gets: where only two cores of each node are free, more nodes and
 * memory than on an empty machine. */
static void
test_place (void)
{
  static const struct {
    const char *limits;
    const char *job;
    const char *reason;
  } places[] = {
    { "modify account phys set GrpTRES=node=2", "bob -n4", "AssocGrpNodeLimit" },
    { "modify account phys set GrpTRES=mem=1500", "bob -n4 --mem=1000", "AssocGrpMemLimit" },
    { "modify qos q set MaxTRESPerUser=mem=1500", "bob -q q -n4 --mem=1000",
      "QOSMaxMemoryPerUser" },
    { "modify account root set MaxTRESPerJob=mem=1500", "bob -n4 --mem=1000", "AssocMaxMemPerJob" },
  };
  static const char *const backfills[] = { "none", "easy", "conservative", "full", "replan" };
  for (guint i = 0; i < G_N_ELEMENTS (places) * G_N_ELEMENTS (backfills); i++) {
    Site site;
    guint place = i / G_N_ELEMENTS (backfills);
    site_prepare (&site, places[place].limits);
    site_start (&site, backfills[i % G_N_ELEMENTS (backfills)]);
    submit (&site, 1, "carol -N8 -n240 --ntasks-per-node=30");
    submit (&site, 2, "alice");
    pass (&site);
    g_assert_true (runs (&site, 1) && runs (&site, 2));
    submit (&site, 3, places[place].job);
    submit (&site, 4, "carol");
    pass_if_wanted (&site);
    assert_told (&site, "PENDING", 3, places[place].reason);
    assert_waits (&site, 3, places[place].reason);
    g_assert_true (runs (&site, 4));
    end (&site, 10, 1);
    g_assert_true (runs (&site, 3));
    site_clear (&site);
  }
}

/* The reason is that of the first limit as things stand, also of a job that can never start. */
static void
test_reason_follows (void)
{
  Site site;
  site_prepare (&site, "modify account phys set GrpJobs=1;"
                       "modify user alice set MaxTRESPerJob=cpu=2");
  site_start (&site, "none");
  submit (&site, 1, "alice -n3");
  assert_waits (&site, 1, "AssocMaxCpuPerJobLimit");
  submit (&site, 2, "bob -n3");
  pass (&site);
  assert_waits (&site, 1, "AssocGrpJobsLimit");
  end (&site, 10, 2);
  assert_waits (&site, 1, "AssocMaxCpuPerJobLimit");
  site_clear (&site);
}

/* A job in the queue comes under a limit by a longer time limit, and out of it again. */
static void
test_update_there_and_back (void)
{
  Site site;
  site_prepare (&site, "modify user alice set MaxWall=60");
  site_start (&site, "none");
  submit (&site, 1, "carol -N8 --exclusive");
  submit (&site, 2, "alice");
  submit (&site, 3, "bob");
  pass (&site);
  assert_waits (&site, 2, "Resources");
  update_limit (&site, 5, 2, 3601);
  assert_waits (&site, 2, "AssocMaxWallDurationPerJobLimit");
  end (&site, 10, 1);
  g_assert_true (runs (&site, 3));
  assert_waits (&site, 2, "AssocMaxWallDurationPerJobLimit");
  update_limit (&site, 15, 2, 3600);
  g_assert_true (runs (&site, 2));
  site_clear (&site);
}

/* ---------------------------------------------------------------- time */

/* Day 20000 ends 800 seconds after the job has. */
static void
test_reset (void)
{
  const gint64 midnight_s = G_GINT64_CONSTANT (20001) * 86400;
  Site site;
  site_prepare (&site, "modify account phys set GrpTRESMins=cpu=10");
  site.accounts->reset = LK_RESET_DAILY;
  site_start (&site, "none");
  site.now_s = midnight_s - 1000;
  submit (&site, 1, "alice -n4");
  pass (&site);
  end (&site, midnight_s - 800, 1);
  submit (&site, 2, "bob");
  assert_waits (&site, 2, "AssocGrpCPUMinutesLimit");
  wait_for (&site, 2, midnight_s - 1);
  assert_waits (&site, 2, "AssocGrpCPUMinutesLimit");
  wait_for (&site, 2, midnight_s + 300);
  g_assert_true (runs (&site, 2));
  site_clear (&site);
}

/* Alice's account has used most, until another has: five users, of whom she is then the fourth. */
static void
test_usage_threshold (void)
{
  Site site;
  site_prepare (&site, "modify qos q set UsageThreshold=0.3 Flags=EnforceUsageThreshold");
  lk_accounts_find (site.accounts, "phys", "alice", "")->usage = 1000;
  site.order = "multifactor";
  site_start (&site, "none");
  submit (&site, 1, "carol -n32");
  pass (&site);
  submit (&site, 2, "alice -q q");
  assert_waits (&site, 2, "QOSUsageThreshold");
  submit (&site, 3, "alice");
  pass (&site);
  g_assert_true (runs (&site, 3));
  assert_waits (&site, 2, "QOSUsageThreshold");
  wait_for (&site, 2, 300);
  g_assert_true (runs (&site, 2));
  site_clear (&site);
}

/* ---------------------------------------------------------------- several limits */

/* QOS q: 100 CPUs, 4 GPUs and 3 jobs of a user; account phys: 50 CPUs; alice: 1 job.  In q run two
 * jobs of alice with 10 CPUs and a GPU each, and 70 CPUs of others. */
static void
worked_example (Site *self, const char *flags)
{
  g_autofree char *limits =
      g_strdup_printf ("modify qos q set GrpTRES=cpu=100 MaxTRESPU=gres/gpu=4 MaxJobsPU=3%s;"
                       "modify account phys set GrpTRES=cpu=50;"
                       "modify user alice set MaxSubmitJobs=5 MaxJobs=1",
                       flags);
  site_prepare (self, limits);
  site_start (self, "none");
  submit (self, 1, "alice -q q -n10 --gpus=1");
  submit (self, 2, "alice -q q -n10 --gpus=1");
  submit (self, 3, "carol -q q -n70");
  pass (self);
  g_assert_true (runs (self, 1) && runs (self, 2) && runs (self, 3));
}

static void
test_worked_example (void)
{
  static const struct {
    const char *job;
    const char *reason; /* "": it starts */
  } asks[] = {
    { "alice -q q -n8", "" }, /* beyond the account's 50: the QOS owns CPUs */
    { "alice -q q -n11", "QOSGrpCpuLimit" },
    { "alice -q q -n1 --gpus=3", "QOSMaxGRESPerUser" },
    { "alice -q q -n200", "QOSGrpCpuLimit" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (asks); i++) {
    Site site;
    worked_example (&site, "");
    submit (&site, 4, asks[i].job);
    pass (&site);
    assert_waits (&site, 4, asks[i].reason);
    g_assert_true (runs (&site, 4) == (asks[i].reason[0] == '\0'));
    site_clear (&site);
  }
}

static void
test_worked_example_denied (void)
{
  g_autofree char *reason = g_strdup_printf ("%d", LK_REJECT_POLICY_LIMIT);
  Site site;
  worked_example (&site, " Flags=DenyOnLimit");
  submit (&site, 4, "alice -q q -n200");
  assert_told (&site, "reject", 4, reason);
  submit (&site, 5, "alice -q q -n11"); /* fits when others have ended */
  assert_waits (&site, 5, "QOSGrpCpuLimit");
  end (&site, 10, 1);
  g_assert_true (runs (&site, 5));
  site_clear (&site);
}

/* Safe: the job waits until what is left suffices for the whole of it. */
static void
test_safe (void)
{
  Site site;
  site_prepare (&site, "modify account phys set GrpTRESMins=cpu=100");
  site.accounts->enforce |= LK_ENFORCE_SAFE;
  site_start (&site, "none");
  submit (&site, 1, "alice -t 60");
  submit (&site, 2, "bob -t 41");
  submit (&site, 3, "carol");
  pass (&site);
  g_assert_true (runs (&site, 1));
  assert_waits (&site, 2, "AssocGrpCPUMinutesLimit");
  g_assert_true (runs (&site, 3));
  end (&site, 600, 1); /* after ten of the sixty minutes that it had booked */
  g_assert_true (runs (&site, 2));
  site_clear (&site);
}

int
main (int argc, char **argv)
{
  static const struct {
    const char *path;
    GTestFunc test;
  } tests[] = {
    { "of several that wait as many start as fit", test_several_wait },
    { "a held job's place goes to the next one", test_hold },
    { "a held job starts when it is released", test_hold_meanwhile },
    { "cancelled jobs make room", test_cancel },
    { "a requeued job makes room and waits", test_requeue },
    { "a lost node makes room", test_node_lost },
    { "what counts is what the job gets", test_place },
    { "the reason is that of now", test_reason_follows },
    { "a time limit is changed and changed back", test_update_there_and_back },
    { "use is set to 0 at midnight", test_reset },
    { "UsageThreshold", test_usage_threshold },
    { "several limits at once", test_worked_example },
    { "several limits at once, with DenyOnLimit", test_worked_example_denied },
    { "safe", test_safe },
  };
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (tests); i++) {
    g_autofree char *path = g_strdup_printf ("/limit changes/%s", tests[i].path);
    g_test_add_func (path, tests[i].test);
  }
  return g_test_run ();
}
