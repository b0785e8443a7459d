/* tests/engine/array_limits_test.c — each task of an array is a job to limits of accounts. */
#include "tests/engine/array_fixture.h"
#include "tests/engine/limits_site.h"

static void
site_init (Site *self, const char *limits)
{
  site_prepare (self, limits);
  site_start (self, "easy");
}

/* Of one CPU each, of alice. */
static void
submit_tasks (Site *self, guint32 id, const char *array)
{
  LkEvent event = { .kind = LK_EVENT_SUBMIT };
  event.submit.job_id = id;
  event.submit.procs = 1;
  event.submit.estimate_us = G_GINT64_CONSTANT (3600) * G_USEC_PER_SEC;
  event.submit.user = lk_text ("alice");
  event.submit.array = lk_text (array);
  g_assert_cmpint (fixture_apply (&self->fixture, self->now_s, &event), ==, LK_STATUS_OK);
}

/* MaxSubmitJobs counts tasks from the beginning, and those that were cancelled no more. */
static void
test_submitted (void)
{
  Site site;
  site_init (&site, "modify user alice set MaxSubmitJobs=5");
  g_autofree char *reason = g_strdup_printf ("%d", LK_REJECT_POLICY_LIMIT);
  submit_tasks (&site, 1, "0-5");
  assert_told (&site, "reject", 1, reason);
  submit_tasks (&site, 1, "0-3");
  assert_told (&site, "accept", 1, "");
  submit_tasks (&site, 2, "0-1");
  assert_told (&site, "reject", 2, reason);
  array_event (&site.fixture, 0, LK_EVENT_CANCEL, 1, "2");
  fixture_reload (&site.fixture);
  submit_tasks (&site, 3, "0-1");
  assert_told (&site, "accept", 3, "");
  pass (&site);
  submit_tasks (&site, 20, "");
  assert_told (&site, "reject", 20, reason);
  array_event (&site.fixture, 1, LK_EVENT_CANCEL, 1, "");
  site_clear (&site);
}

/* MaxJobs lets two tasks run; the others wait with its reason, and follow one by one. */
static void
test_running (void)
{
  Site site;
  site_init (&site, "modify user alice set MaxJobs=2");
  submit_tasks (&site, 1, "0-4");
  pass (&site);
  g_assert_cmpuint (lk_engine_array (site.fixture.engine, 1)->active_count, ==, 2);
  assert_waits (&site, 1, "AssocMaxJobsLimit");
  fixture_reload (&site.fixture);
  end (&site, 10, 2);
  g_assert_cmpuint (lk_engine_array (site.fixture.engine, 1)->active_count, ==, 2);
  assert_waits (&site, 1, "AssocMaxJobsLimit");
  g_assert_true (runs (&site, 4));
  site_clear (&site);
}

/* Tasks that age count as jobs that do; the books add up behind each event. */
static void
test_accruing (void)
{
  Site site;
  site_init (&site, "modify user alice set MaxJobsAccrue=3");
  submit_tasks (&site, 1, "0-2");
  submit_tasks (&site, 2, "0-9");
  fixture_reload (&site.fixture);
  array_event (&site.fixture, 0, LK_EVENT_HOLD, 1, "1");
  array_event (&site.fixture, 0, LK_EVENT_RELEASE, 1, "1");
  array_event (&site.fixture, 0, LK_EVENT_RELEASE, 2, "4-6");
  go_to (&site, 400);
  array_event (&site.fixture, 400, LK_EVENT_CANCEL, 1, "0");
  fixture_reload (&site.fixture);
  pass (&site);
  go_to (&site, 800);
  site_clear (&site);
}

static guint32
ageing (const Site *self)
{
  return lk_engine_book (self->fixture.engine)->view.associations[0].use.accruing;
}

static gint64
ages_from_s (const Site *self, guint32 id)
{
  const LkView *view = lk_engine_view (self->fixture.engine);
  gint64 from_us = view->jobs->accrue_us[lk_engine_job_index (self->fixture.engine, id)];
  return from_us == LK_TIME_NEVER ? -1 : from_us / G_USEC_PER_SEC;
}

/* What the limit of running tasks keeps back goes on ageing: of six tasks two run and four age,
 * from the submission on (recorded: AccrueTime of 4_[2-5%2]).  A hold ends that, as limits are
 * enforced, and an update does not. */
static void
test_throttled (void)
{
  Site site;
  const LkEvent_update longer = { .job_id = 1,
                                  .changes = 2,
                                  .estimate_us = G_GINT64_CONSTANT (7200) * G_USEC_PER_SEC };
  site_init (&site, "");
  submit_tasks (&site, 1, "0-5%2");
  g_assert_cmpuint (ageing (&site), ==, 6);
  go_to (&site, 10);
  pass (&site);
  assert_waits (&site, 1, "JobArrayTaskLimit");
  g_assert_cmpuint (ageing (&site), ==, 4);
  g_assert_cmpint (ages_from_s (&site, 1), ==, 0);
  fixture_reload (&site.fixture);
  fixture_update (&site.fixture, 20, &longer);
  g_assert_cmpuint (ageing (&site), ==, 4);
  array_event (&site.fixture, 30, LK_EVENT_HOLD, 1, "5");
  g_assert_cmpuint (ageing (&site), ==, 3);
  fixture_reload (&site.fixture);
  end (&site, 100, 2);
  g_assert_cmpuint (ageing (&site), ==, 2);
  g_assert_cmpint (ages_from_s (&site, 1), ==, 0);
  array_event (&site.fixture, 110, LK_EVENT_HOLD, 1, "");
  g_assert_cmpuint (ageing (&site), ==, 0);
  g_assert_cmpint (ages_from_s (&site, 1), ==, -1);
  site_clear (&site);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/array limits/tasks are submitted jobs", test_submitted);
  g_test_add_func ("/array limits/tasks are running jobs", test_running);
  g_test_add_func ("/array limits/tasks are ageing jobs", test_accruing);
  g_test_add_func ("/array limits/tasks that are kept back go on ageing", test_throttled);
  return g_test_run ();
}
