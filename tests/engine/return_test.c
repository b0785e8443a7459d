/* tests/engine/return_test.c — jobs that have ended go back to the queue, as long as they are
 * remembered. */
#include "tests/engine/life_fixture.h"

static void
init (LkFixture *self, const LkCluster *cluster, gboolean requeues_ended)
{
  LkSetupOptions options = { .units_total = cluster == NULL ? 10 : 0,
                             .cluster = cluster,
                             .origin_us = LK_TIME_NEVER,
                             .order = "fifo",
                             .backfill = "easy",
                             .select = cluster == NULL ? "pool" : "cons_tres",
                             .requeues_ended = requeues_ended };
  fixture_init_with (self, &options);
  self->reloads = self->tells_places = TRUE;
}

static LkCluster *
two_nodes (gint64 age_s)
{
  LkCluster *cluster = lk_cluster_new ("two");
  node_fixture_add (cluster, "n[1-2]", 4, 8000);
  lk_cluster_add_partition (cluster, "all");
  cluster->requeue_delay_us = S (10);
  cluster->job_age_min_us = S (age_s);
  node_fixture_check (cluster);
  return cluster;
}

static void
submit_at (LkFixture *self, gint64 at_s, guint32 id, const char *line, const LkJobTerms *terms)
{
  LkEvent event = { .kind = LK_EVENT_SUBMIT };
  LkJobRequest request = node_fixture_request (line);
  event.submit = (LkEvent_submit){ .job_id = id, .user_id = 1, .estimate_us = S (100) };
  event.submit.procs = lk_job_request_cpus (&request);
  lk_submit_set_request (&event.submit, &request);
  lk_submit_set_terms (&event.submit, terms);
  g_assert_cmpint (fixture_apply (self, at_s, &event), ==, LK_STATUS_OK);
}

static void
submit_with (LkFixture *self, guint32 id, const char *line, const LkJobTerms *terms)
{
  submit_at (self, 0, id, line, terms);
}

/* It asks for what it asked for, after the delay, with one run more behind it. */
static void
test_returns (void)
{
  LkFixture self;
  g_autoptr (LkCluster) cluster = two_nodes (300);
  init (&self, cluster, TRUE);
  submit_with (&self, 1, "-n3 -w n2 --mem=100 --nice=7",
               &(LkJobTerms){ .name = lk_text ("name"), .comment = lk_text ("text") });
  node_fixture_pass (&self, 0);
  life_ended (&self, 50, 1, (LkEvent_job_ended){ .exit_code = 3 });
  g_assert_false (life_is_there (&self, 1));
  node_fixture_skip (&self);
  life_requeue (&self, 60, 1, 0);
  fixture_assert_log (&self, "requeue 1; PENDING 1 BeginTime; wake 70");
  LkJobInfo info = life_info (&self, 1);
  g_assert_cmpint (info.submit_us, ==, S (60));
  g_assert_cmpint (info.begin_us, ==, S (70));
  g_assert_cmpuint (info.restarts, ==, 1);
  g_assert_cmpstr (info.name, ==, "name");
  g_assert_cmpstr (info.comment, ==, "text");
  /* Only one that has ended, or started, can be. */
  life_requeue (&self, 61, 1, 0);
  fixture_assert_log (&self, "reject 1 8");
  life_timer (&self, 70);
  node_fixture_pass (&self, 70);
  fixture_assert_log (&self, "PENDING 1 Priority; start 1 n2; wake 170");
  /* And once more. */
  life_ended (&self, 80, 1, (LkEvent_job_ended){ 0 });
  node_fixture_skip (&self);
  life_requeue (&self, 81, 1, 0);
  fixture_assert_log (&self, "requeue 1; PENDING 1 BeginTime; wake 91");
  g_assert_cmpuint (life_info (&self, 1).restarts, ==, 2);
  fixture_clear (&self);
}

static void
test_holds (void)
{
  LkFixture self;
  g_autoptr (LkCluster) cluster = two_nodes (300);
  init (&self, cluster, TRUE);
  for (guint32 id = 1; id <= 2; id++)
    node_fixture_submit (&self, 0, id, 100, "-n1");
  node_fixture_pass (&self, 0);
  for (guint32 id = 1; id <= 2; id++)
    life_ended (&self, 1, id, (LkEvent_job_ended){ 0 });
  node_fixture_skip (&self);
  life_requeue (&self, 2, 1, 1);
  life_requeue (&self, 2, 2, 2);
  fixture_assert_log (&self,
                      "requeue 1; PENDING 1 JobHeldUser; requeue 2; SPECIAL_EXIT 2 JobHeldUser");
  life_release (&self, 20, 1, 1);
  node_fixture_pass (&self, 20);
  fixture_assert_log (&self, "accept 1; PENDING 1 Priority; start 1 n1");
  fixture_clear (&self);
}

/* Remembered up to MinJobAge behind the end; where that is for ever, not at all. */
static void
test_age (void)
{
  static const struct {
    gint64 age_s;
    gint64 at_s;
    gboolean requeues_ended;
    const char *log;
  } cases[] = {
    { 300, 349, TRUE, "requeue 1; PENDING 1 BeginTime" },
    { 300, 350, TRUE, "reject 1 2" },
    { 300, 60, FALSE, "reject 1 2" },
    { 0, 60, TRUE, "reject 1 2" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    LkFixture self;
    g_autoptr (LkCluster) cluster = two_nodes (cases[i].age_s);
    init (&self, cluster, cases[i].requeues_ended);
    node_fixture_submit (&self, 0, 1, 100, "-n1");
    node_fixture_pass (&self, 0);
    life_ended (&self, 50, 1, (LkEvent_job_ended){ 0 });
    node_fixture_skip (&self);
    life_requeue (&self, cases[i].at_s, 1, 0);
    fixture_assert_log (&self, cases[i].log);
    fixture_clear (&self);
  }
}

static void
test_refusals (void)
{
  LkFixture self;
  g_autoptr (LkCluster) cluster = two_nodes (300);
  init (&self, cluster, TRUE);
  node_fixture_submit (&self, 0, 1, 100, "-n1 --no-requeue");
  submit_with (&self, 2, "-n1 --no-requeue", &(LkJobTerms){ .array = lk_text ("0-1") });
  submit_with (&self, 3, "-n1", &(LkJobTerms){ .deadline_us = S (101) });
  node_fixture_pass (&self, 0);
  LkEvent cancel = { .kind = LK_EVENT_CANCEL };
  for (guint32 id = 1; id <= 3; id++) {
    cancel.cancel.job_id = id;
    g_assert_cmpint (fixture_apply (&self, 1, &cancel), ==, LK_STATUS_OK);
  }
  for (guint32 id = 1; id <= 4; id++)
    fixture_ended (&self, 1, id);
  node_fixture_skip (&self);
  life_requeue (&self, 2, 1, 0);
  life_requeue (&self, 2, 2, 0);
  life_requeue (&self, 2, 9, 0);
  life_requeue (&self, 2, 3, 3);
  life_requeue (&self, 2, 3, 0);
  fixture_assert_log (&self, "reject 1 40; reject 2 40; reject 9 2; reject 3 12; reject 3 39");
  fixture_clear (&self);
}

static void
requeue_tasks (LkFixture *self, gint64 at_s, guint32 id, const char *tasks)
{
  LkEvent event = { .kind = LK_EVENT_REQUEUE };
  event.requeue = (LkEvent_requeue){ .job_id = id, .task_list = lk_text (tasks) };
  g_assert_cmpint (fixture_apply (self, at_s, &event), ==, LK_STATUS_OK);
}

static void
end_jobs (LkFixture *self, gint64 at_s, guint32 first, guint32 last)
{
  for (guint32 id = first; id <= last; id++)
    fixture_ended (self, at_s, id);
  node_fixture_skip (self);
}

/* Tasks of which the array is there: by its id, by their own, all of them. */
static void
test_tasks (void)
{
  LkFixture self;
  g_autoptr (LkCluster) cluster = two_nodes (300);
  init (&self, cluster, TRUE);
  submit_with (&self, 1, "-n2 --mem=10", &(LkJobTerms){ .array = lk_text ("0-5%4") });
  node_fixture_pass (&self, 0);
  end_jobs (&self, 50, 2, 4);
  g_assert_cmpuint (lk_engine_array (self.engine, 1)->ended.count, ==, 3);
  /* One that waits in the record, one that runs and one that there is not are none. */
  requeue_tasks (&self, 60, 1, "5,7");
  fixture_assert_log (&self, "reject 1 8");
  requeue_tasks (&self, 60, 1, "7");
  fixture_assert_log (&self, "reject 1 35");
  requeue_tasks (&self, 60, 1, "1");
  fixture_assert_log (&self, "requeue 3; PENDING 3 BeginTime; wake 70");
  const LkArray *array = lk_engine_array (self.engine, 1);
  g_assert_cmpuint (array->ended.count, ==, 2);
  g_assert_cmpuint (array->completed.count, ==, 2);
  g_assert_cmpuint (life_info (&self, 3).restarts, ==, 1);
  life_requeue (&self, 61, 2, 0);
  fixture_assert_log (&self, "requeue 2; PENDING 2 BeginTime");
  requeue_tasks (&self, 62, 1, "0-1");
  fixture_assert_log (&self, "reject 1 8");
  /* That which runs, and that which has ended. */
  life_requeue (&self, 63, 1, 0);
  fixture_assert_log (&self, "requeue 5; REQUEUED 5; PENDING 5 BeginTime; "
                             "requeue 4; PENDING 4 BeginTime");
  g_assert_cmpuint (lk_engine_array (self.engine, 1)->ended.count, ==, 0);
  fixture_clear (&self);
}

/* The first to come back brings the array, with its limit; those who wait for it wait again. */
static void
test_array_over (void)
{
  LkFixture self;
  g_autoptr (LkCluster) cluster = two_nodes (300);
  init (&self, cluster, TRUE);
  submit_with (&self, 1, "-n2", &(LkJobTerms){ .array = lk_text ("0-2%1") });
  for (guint32 id = 2; id <= 4; id++) {
    node_fixture_pass (&self, 10 * id);
    end_jobs (&self, 10 * id + 1, id < 4 ? id : 1, id < 4 ? id : 1);
  }
  g_assert_null (lk_engine_array (self.engine, 1));
  guint32 user_id = 0;
  g_assert_true (lk_engine_ended_user (self.engine, 1, &user_id));
  g_assert_cmpuint (user_id, ==, 1);
  requeue_tasks (&self, 50, 1, "3");
  requeue_tasks (&self, 50, 9, "0");
  fixture_assert_log (&self, "reject 1 35; reject 9 2");
  requeue_tasks (&self, 50, 1, "[1-2]");
  fixture_assert_log (&self, "requeue 3; PENDING 3 BeginTime; "
                             "requeue 1; PENDING 1 BeginTime; wake 60");
  g_assert_cmpuint (lk_engine_array (self.engine, 1)->throttle, ==, 1);
  g_assert_cmpuint (lk_engine_array (self.engine, 1)->ended.count, ==, 1);
  submit_at (&self, 50, 9, "-n1", &(LkJobTerms){ .dependency = lk_text ("afterok:1") });
  node_fixture_skip (&self);
  life_timer (&self, 60);
  node_fixture_pass (&self, 60);
  fixture_assert_log (&self, "PENDING 1 Priority; PENDING 3 Priority; start 3 n1; "
                             "PENDING 1 JobArrayTaskLimit; wake 160; wake 60");
  fixture_ended (&self, 61, 3);
  node_fixture_pass (&self, 61);
  end_jobs (&self, 62, 1, 1);
  g_assert_null (lk_engine_array (self.engine, 1));
  node_fixture_pass (&self, 62);
  fixture_assert_log (&self, "start 9 n1");
  /* Of a task that ended twice the last run counts; all of them at once. */
  life_requeue (&self, 63, 1, 1);
  fixture_assert_log (&self, "requeue 2; PENDING 2 JobHeldUser; requeue 3; PENDING 3 JobHeldUser; "
                             "requeue 1; PENDING 1 JobHeldUser");
  g_assert_cmpuint (life_info (&self, 1).restarts, ==, 2);
  g_assert_cmpuint (life_info (&self, 2).restarts, ==, 1);
  fixture_clear (&self);
}

static void
submit_het (LkFixture *self, gint64 at_s, guint32 leader, const char *line)
{
  const guint32 count = 2;
  for (guint32 i = 0; i < count; i++)
    submit_at (self, at_s, leader + i, line,
               &(LkJobTerms){ .het_leader = leader, .het_offset = i, .het_count = count });
}

/* Together, when the first one is named; jobs that came behind them may be there. */
static void
test_components (void)
{
  LkFixture self;
  g_autoptr (LkCluster) cluster = two_nodes (300);
  init (&self, cluster, TRUE);
  submit_het (&self, 0, 1, "-n3 --mem=10");
  node_fixture_pass (&self, 0);
  end_jobs (&self, 10, 1, 1);
  /* Before the last one has ended only that is there to be requeued. */
  life_requeue (&self, 20, 2, 0);
  node_fixture_skip (&self);
  life_timer (&self, 30);
  node_fixture_pass (&self, 30);
  end_jobs (&self, 40, 2, 2);
  submit_het (&self, 40, 3, "-n4 --hold");
  node_fixture_skip (&self);
  life_requeue (&self, 50, 2, 0);
  fixture_assert_log (&self, "reject 2 52");
  life_requeue (&self, 50, 1, 0);
  fixture_assert_log (&self, "requeue 1; PENDING 1 BeginTime; "
                             "requeue 2; PENDING 2 BeginTime; wake 60");
  life_requeue (&self, 51, 1, 0);
  fixture_assert_log (&self, "reject 1 8");
  life_timer (&self, 60);
  node_fixture_pass (&self, 60);
  g_assert_cmpuint (life_info (&self, 1).state, ==, LK_JOB_RUNNING);
  g_assert_cmpuint (life_info (&self, 2).state, ==, LK_JOB_RUNNING);
  fixture_clear (&self);
}

/* One of them may not be submitted now, or is forgotten: none is, and nothing changes. */
static void
test_components_refused (void)
{
  LkFixture self;
  g_autoptr (LkCluster) cluster = two_nodes (300);
  init (&self, cluster, TRUE);
  submit_with (&self, 1, "-n1 --mem=10", &(LkJobTerms){ .het_leader = 1, .het_count = 2 });
  submit_with (
      &self, 2, "-n1 --mem=10",
      &(LkJobTerms){ .het_leader = 1, .het_offset = 1, .het_count = 2, .deadline_us = S (110) });
  submit_het (&self, 0, 3, "-n1 --mem=10");
  node_fixture_pass (&self, 0);
  end_jobs (&self, 10, 1, 3);
  end_jobs (&self, 11, 4, 4);
  LkEngineCounts counts;
  life_requeue (&self, 20, 1, 0);
  fixture_assert_log (&self, "reject 1 39");
  lk_engine_counts (self.engine, &counts);
  g_assert_cmpuint (counts.pending_count, ==, 0);
  g_assert_false (life_is_there (&self, 1));
  life_requeue (&self, 310, 3, 0);
  fixture_assert_log (&self, "reject 3 2");
  fixture_clear (&self);
}

/* A counted pool; a job that was cancelled while it waited; its dependency is over. */
static void
test_pool (void)
{
  LkFixture self;
  LkJobTerms terms = { .dependency = lk_text ("afterok:1") };
  init (&self, NULL, TRUE);
  life_submit (&self, 0, 1, 10, 100, NULL);
  life_submit (&self, 0, 2, 4, 100, &terms);
  life_pass (&self, 0);
  LkEvent cancel = { .kind = LK_EVENT_CANCEL };
  cancel.cancel.job_id = 2;
  g_assert_cmpint (fixture_apply (&self, 1, &cancel), ==, LK_STATUS_OK);
  node_fixture_skip (&self);
  life_requeue (&self, 2, 2, 0);
  fixture_assert_log (&self, "requeue 2; PENDING 2 BeginTime; PENDING 2 Priority");
  g_assert_cmpuint (life_info (&self, 2).procs, ==, 4);
  fixture_ended (&self, 3, 1);
  life_pass (&self, 3);
  fixture_assert_log (&self, "COMPLETED 1; start 2");
  fixture_clear (&self);
}

/* What users have submitted counts it again. */
static void
test_accounts (void)
{
  Site site;
  LkFixture *self = &site.fixture;
  site_prepare (&site, "modify user alice set maxsubmitjobs=1");
  site.requeues_ended = TRUE;
  site_start (&site, "easy");
  self->reloads = TRUE;
  submit (&site, 1, "alice -n2 -t 10");
  pass (&site);
  fixture_ended (self, 100, 1);
  node_fixture_skip (self);
  life_requeue (self, 101, 1, 0);
  fixture_assert_log (self, "requeue 1; PENDING 1 BeginTime; wake 222");
  const LkHolder *root = lk_book_holder (lk_engine_book (self->engine), 0);
  g_assert_cmpuint (root->use->submitted, ==, 1);
  site_clear (&site);
}

/* ---------------------------------------------------------------- when the run has ended */

/* Job 1 runs on all nodes, and job 2 waits for them; runs take time to end. */
static void
site_at_end (Site *self)
{
  site_prepare (self, "");
  self->requeues_at_end = TRUE;
  site_start (self, "easy");
  self->fixture.reloads = TRUE;
  submit (self, 1, "alice -N8 --exclusive -t 10");
  pass (self);
  submit (self, 2, "alice -N8 --exclusive -t 10");
  pass_if_wanted (self);
  node_fixture_skip (&self->fixture);
}

static LkJobState
state_of (Site *self, guint32 id)
{
  return life_info (&self->fixture, id).state;
}

/* As in Slurm it is COMPLETING on its nodes until its run has ended, and pending after that. */
static void
test_requeue_at_end (void)
{
  Site site;
  site_at_end (&site);
  go_to (&site, 10);
  life_requeue (&site.fixture, 10, 1, 0);
  pass_if_wanted (&site);
  fixture_assert_log (&site.fixture, "kill 1 7");
  g_assert_cmpint (state_of (&site, 1), ==, LK_JOB_COMPLETING);
  g_assert_false (runs (&site, 2));
  /* Once more, to be held: it is killed no later. */
  go_to (&site, 11);
  life_requeue (&site.fixture, 11, 1, 1);
  node_fixture_skip (&site.fixture);
  end (&site, 40, 1);
  fixture_assert_log (&site.fixture, "requeue 1; REQUEUED 1; PENDING 1 JobHeldUser; "
                                     "start 2 n[1-8]");
  g_assert_cmpint (life_info (&site.fixture, 1).submit_us, ==, 40 * G_USEC_PER_SEC);
  site_clear (&site);
}

static void
test_special_at_end (void)
{
  Site site;
  site_at_end (&site);
  go_to (&site, 10);
  life_requeue (&site.fixture, 10, 1, 2);
  g_assert_cmpint (state_of (&site, 1), ==, LK_JOB_COMPLETING);
  end (&site, 40, 1);
  g_assert_cmpint (state_of (&site, 1), ==, LK_JOB_SPECIAL_EXIT);
  g_assert_true (runs (&site, 2));
  site_clear (&site);
}

/* scancel of one that is to go back ends it for good. */
static void
test_cancel_before_end (void)
{
  Site site;
  site_at_end (&site);
  go_to (&site, 10);
  life_requeue (&site.fixture, 10, 1, 0);
  happens (&site, 11, LK_EVENT_CANCEL, 1);
  fixture_assert_log (&site.fixture, "kill 1 7; accept 1; kill 1 2");
  end (&site, 40, 1);
  fixture_assert_log (&site.fixture, "CANCELLED 1; start 2 n[1-8]");
  site_clear (&site);
}

/* It loses the node that has failed, and keeps the others until its run has ended there. */
static void
test_node_failed_at_end (void)
{
  Site site;
  site_at_end (&site);
  submit (&site, 3, "alice -N1 --exclusive -t 10");
  node_fixture_skip (&site.fixture);
  go_to (&site, 10);
  node_fixture_node (&site.fixture, 10, LK_EVENT_NODE_DOWN, "n3");
  pass_if_wanted (&site);
  assert_told (&site, "kill", 1, "8");
  g_assert_cmpint (state_of (&site, 1), ==, LK_JOB_COMPLETING);
  g_assert_false (runs (&site, 3));
  go_to (&site, 11);
  node_fixture_node (&site.fixture, 11, LK_EVENT_NODE_DOWN, "n4");
  end (&site, 40, 1);
  assert_told (&site, "NODE_FAIL", 1, "NodeDown");
  assert_told (&site, "PENDING", 1, "BeginTime");
  g_assert_true (runs (&site, 3));
  site_clear (&site);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/return/a job that has ended waits again", test_returns);
  g_test_add_func ("/return/held, and as SPECIAL_EXIT", test_holds);
  g_test_add_func ("/return/as long as it is remembered", test_age);
  g_test_add_func ("/return/what does not come back", test_refusals);
  g_test_add_func ("/return/tasks of an array", test_tasks);
  g_test_add_func ("/return/tasks of an array that is over", test_array_over);
  g_test_add_func ("/return/components together", test_components);
  g_test_add_func ("/return/components together or not at all", test_components_refused);
  g_test_add_func ("/return/a counted pool", test_pool);
  g_test_add_func ("/return/it counts as submitted", test_accounts);
  g_test_add_func ("/return/requeued when the run has ended", test_requeue_at_end);
  g_test_add_func ("/return/as SPECIAL_EXIT when the run has ended", test_special_at_end);
  g_test_add_func ("/return/cancelled before the run has ended", test_cancel_before_end);
  g_test_add_func ("/return/after a node failure when the run has ended", test_node_failed_at_end);
  return g_test_run ();
}
