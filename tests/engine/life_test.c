/* tests/engine/life_test.c — the life of a job beside start and end: begin times and deadlines,
 * time limits that are late, signals, holds, requeues of every kind, how jobs end, partitions that
 * close, and who is cancelled.
 *
 * Sources: semantics of jobs, sections 2, 3, 8, 9 and 12; what was observed of Slurm 26.05. */
#include "tests/engine/life_fixture.h"

/* ---------------------------------------------------------------- begin times */

static void
test_begin (void)
{
  LkFixture self;
  LkJobTerms terms = { .begin_us = S (50) };
  life_init (&self, "easy");
  life_submit (&self, 10, 1, 10, 100, &terms);
  g_assert_cmpint (life_info (&self, 1).submit_us, ==, S (10));
  g_assert_cmpint (life_info (&self, 1).begin_us, ==, S (50));
  life_pass (&self, 10);
  fixture_assert_log (&self, "accept 1; PENDING 1 BeginTime; wake 50");
  /* A future begin time outlives a hold. */
  life_hold (&self, 20, 1, 0);
  life_release (&self, 21, 1, 1);
  fixture_assert_log (&self, "accept 1; PENDING 1 JobHeldUser; accept 1; PENDING 1 BeginTime");
  life_timer (&self, 50);
  life_pass (&self, 50);
  fixture_assert_log (&self, "PENDING 1 Priority; start 1; wake 150");
  terms.begin_us = S (10); /* it has gone by */
  life_submit (&self, 60, 2, 1, 100, &terms);
  g_assert_cmpint (life_info (&self, 2).begin_us, ==, S (60));
  fixture_assert_log (&self, "accept 2");
  fixture_clear (&self);
}

/* ---------------------------------------------------------------- deadlines */

static void
test_deadline (void)
{
  LkFixture self;
  LkJobTerms terms = { .deadline_us = S (200) };
  life_init (&self, "easy");
  life_submit (&self, 0, 1, 10, 150, NULL);
  life_pass (&self, 0);
  node_fixture_skip (&self);
  life_submit (&self, 1, 2, 10, 100, &terms); /* has to start by 100 */
  life_submit (&self, 1, 3, 10, 200, &terms);
  life_pass (&self, 1);
  fixture_assert_log (&self, "accept 2; wake 101; reject 3 39");
  g_assert_cmpint (life_info (&self, 2).deadline_us, ==, S (200));
  life_timer (&self, 100);
  g_assert_true (life_is_there (&self, 2));
  life_timer (&self, 101);
  fixture_assert_log (&self, "DEADLINE 2 DeadLine; wake 150");
  g_assert_false (life_is_there (&self, 2));
  fixture_clear (&self);
}

/* At its last moment a job may start; and held ones end like others. */
static void
test_last_moment (void)
{
  LkFixture self;
  LkJobTerms terms = { .deadline_us = S (200) };
  life_init (&self, "easy");
  life_submit (&self, 0, 1, 10, 90, NULL);
  life_pass (&self, 0);
  life_submit (&self, 1, 2, 5, 100, &terms);
  life_submit (&self, 1, 3, 5, 100, &terms);
  life_hold (&self, 1, 3, 0);
  fixture_ended (&self, 100, 1);
  node_fixture_skip (&self);
  life_pass (&self, 100);
  fixture_assert_log (&self, "start 2");
  /* A pass needs no timer to see it. */
  life_pass (&self, 102);
  fixture_assert_log (&self, "DEADLINE 3 DeadLine");
  fixture_clear (&self);
}

/* With a least time a job starts as long as that fits, for no longer than until its deadline. */
static void
test_time_min (gconstpointer backfill)
{
  LkFixture self;
  LkJobTerms terms = { .deadline_us = S (200), .time_min_us = S (20) };
  life_init (&self, backfill);
  life_submit (&self, 0, 1, 10, 160, NULL);
  life_pass (&self, 0);
  life_submit (&self, 1, 2, 10, 100, &terms);
  life_pass (&self, 1);
  node_fixture_skip (&self);
  fixture_ended (&self, 150, 1);
  life_pass (&self, 150);
  fixture_assert_log (&self, "COMPLETED 1; start 2");
  g_assert_cmpint (life_info (&self, 2).estimate_us, ==, S (50));
  g_assert_cmpint (life_info (&self, 2).expected_end_us, ==, S (200));
  life_submit (&self, 151, 3, 10, 10, NULL);
  life_pass (&self, 151);
  if (strcmp (backfill, "conservative") == 0)
    g_assert_cmpint (life_info (&self, 3).start_us, ==, S (200));
  /* When it is requeued it asks for what it asked for. */
  life_requeue (&self, 160, 2, 0);
  g_assert_cmpint (life_info (&self, 2).estimate_us, ==, S (100));
  fixture_clear (&self);
}

/* A limit that was raised while the job runs does not move its deadline. */
static void
test_deadline_ends_running (void)
{
  LkFixture self;
  LkJobTerms terms = { .deadline_us = S (200) };
  life_init (&self, "easy");
  life_submit (&self, 0, 1, 10, 100, &terms);
  life_pass (&self, 0);
  LkEvent_update longer = {
    .job_id = 1, .by_admin = 1, .changes = CHANGES (estimate_us), .estimate_us = S (500)
  };
  fixture_update (&self, 1, &longer);
  life_timer (&self, 100);
  node_fixture_skip (&self);
  life_timer (&self, 200);
  fixture_ended (&self, 201, 1);
  fixture_assert_log (&self, "kill 1 4; DEADLINE 1 DeadLine");
  fixture_clear (&self);
}

/* ---------------------------------------------------------------- time limits that are late */

static LkCluster *
one_node (void)
{
  LkCluster *cluster = lk_cluster_new ("one");
  node_fixture_add (cluster, "n1", 8, 8000);
  lk_cluster_add_partition (cluster, "main");
  return cluster;
}

static void
start_nodes (LkFixture *self, LkCluster *cluster)
{
  node_fixture_init (self, cluster, "easy", "cons_tres");
  self->reloads = TRUE;
}

/* Semantics 12.1: looked at every 30 s, a limit at 600 ends the job then, one at 601 at 630. */
static void
test_scan (void)
{
  LkFixture self;
  g_autoptr (LkCluster) cluster = one_node ();
  cluster->time_scan_us = S (30);
  start_nodes (&self, cluster);
  node_fixture_submit (&self, 0, 1, 600, "-n1 --mem=1");
  node_fixture_submit (&self, 0, 2, 601, "-n1 --mem=1");
  node_fixture_submit (&self, 0, 3, 601, "-n1 --mem=1");
  node_fixture_pass (&self, 0);
  node_fixture_skip (&self);
  life_timer (&self, 600);
  fixture_assert_log (&self, "kill 1 1; wake 630");
  /* One that ends by itself, late, is TIMEOUT too; at its limit it is not. */
  fixture_ended (&self, 601, 3);
  fixture_assert_log (&self, "COMPLETED 3");
  node_fixture_submit (&self, 602, 4, 10, "-n1 --mem=1");
  node_fixture_pass (&self, 602);
  node_fixture_skip (&self);
  fixture_ended (&self, 613, 4);
  fixture_assert_log (&self, "TIMEOUT 4 TimeLimit");
  life_timer (&self, 630);
  fixture_assert_log (&self, "kill 2 1");
  fixture_clear (&self);
}

static void
test_over_time (void)
{
  LkFixture self;
  g_autoptr (LkCluster) cluster = one_node ();
  LkPartitionSpec *late = lk_cluster_add_partition (cluster, "late");
  late->over_time_limit_us = S (60);
  start_nodes (&self, cluster);
  node_fixture_submit (&self, 0, 1, 100, "-n1 --mem=1 -p late");
  node_fixture_submit (&self, 0, 2, 120, "-n1 --mem=1");
  node_fixture_submit (&self, 0, 3, 100, "-n1 --mem=1 -p late");
  node_fixture_pass (&self, 0);
  g_assert_cmpint (life_info (&self, 1).expected_end_us, ==, S (100));
  node_fixture_skip (&self);
  life_timer (&self, 120);
  fixture_assert_log (&self, "kill 2 1; wake 160");
  fixture_ended (&self, 130, 3); /* in time, as far as anybody looks */
  life_timer (&self, 160);
  fixture_ended (&self, 160, 1);
  fixture_assert_log (&self, "COMPLETED 3; kill 1 1; TIMEOUT 1 TimeLimit");
  fixture_clear (&self);
}

/* ---------------------------------------------------------------- signals */

static void
test_warn (void)
{
  LkFixture self;
  LkJobTerms terms = { .warn_signal = 10,
                       .warn_before_us = S (30),
                       .term_flags = LK_TERM_WARN_BATCH };
  life_init (&self, "easy");
  life_submit (&self, 0, 1, 5, 100, &terms);
  terms.term_flags = 0;
  life_submit (&self, 0, 2, 5, 20, &terms); /* shorter than that: at once */
  life_pass (&self, 0);
  fixture_assert_log (&self, "accept 1; accept 2; start 1; start 2; wake 0");
  life_timer (&self, 0);
  fixture_assert_log (&self, "signal 2 10; wake 20");
  fixture_ended (&self, 10, 2);
  life_timer (&self, 70);
  life_timer (&self, 71); /* once */
  fixture_assert_log (&self, "COMPLETED 2; signal 1 10 batch; wake 100");
  /* Not while it is suspended; and again before a new limit. */
  LkEvent_update longer = {
    .job_id = 1, .by_admin = 1, .changes = CHANGES (estimate_us), .estimate_us = S (150)
  };
  fixture_update (&self, 80, &longer);
  fixture_event (&self, 90, LK_EVENT_SUSPEND, 1);
  life_timer (&self, 120);
  fixture_event (&self, 190, LK_EVENT_RESUME, 1);
  node_fixture_skip (&self);
  life_timer (&self, 219);
  life_timer (&self, 220);
  fixture_assert_log (&self, "signal 1 10 batch; wake 250");
  fixture_clear (&self);
}

/* Looked at every 30 s, it is sent in the scan before it would be too late: in [t, t + 60] s. */
static void
test_warn_scan (void)
{
  LkFixture self;
  LkEvent event = { .kind = LK_EVENT_SUBMIT };
  LkJobTerms terms = { .warn_signal = 10, .warn_before_us = S (100) };
  g_autoptr (LkCluster) cluster = one_node ();
  cluster->time_scan_us = S (30);
  start_nodes (&self, cluster);
  event.submit = (LkEvent_submit){ .job_id = 1, .procs = 1, .estimate_us = S (605) };
  lk_submit_set_terms (&event.submit, &terms);
  fixture_apply (&self, 0, &event);
  node_fixture_pass (&self, 0);
  fixture_assert_log (&self, "accept 1; start 1 n1; wake 480"); /* 605 - 130 = 475 */
  life_timer (&self, 480);
  fixture_assert_log (&self, "signal 1 10; wake 630");
  fixture_clear (&self);
}

static void
send_signal (LkFixture *self, gint64 time_s, guint32 id, guint8 number)
{
  LkEvent event = { .kind = LK_EVENT_SIGNAL };
  event.signal = (LkEvent_signal){ .job_id = id, .signal = number, .batch_only = 1 };
  g_assert_cmpint (fixture_apply (self, time_s, &event), ==, LK_STATUS_OK);
}

static void
test_signal (void)
{
  LkFixture self;
  life_init (&self, "easy");
  life_submit (&self, 0, 1, 5, 100, NULL);
  send_signal (&self, 0, 1, 12);
  send_signal (&self, 0, 7, 12);
  life_pass (&self, 0);
  send_signal (&self, 1, 1, 12);
  send_signal (&self, 1, 1, 0);
  send_signal (&self, 1, 1, 65);
  fixture_assert_log (&self, "accept 1; reject 1 66; reject 7 2; start 1; wake 100; accept 1; "
                             "signal 1 12 batch; reject 1 12; reject 1 12");
  fixture_clear (&self);
}

/* As measured with slurmctld 22.05.8: STOPPED from SIGSTOP to SIGCONT or a suspend, not by SIGTSTP,
 * and no signal for a suspended job.  The copy from a snapshot after each event knows it, too. */
static void
test_stop (void)
{
  LkFixture self;
  life_init (&self, "easy");
  self.reloads = TRUE;
  life_submit (&self, 0, 1, 5, 100, NULL);
  life_pass (&self, 0);
  send_signal (&self, 1, 1, 20);
  g_assert_false (life_info (&self, 1).is_sigstopped);
  send_signal (&self, 2, 1, 19);
  g_assert_true (life_info (&self, 1).is_sigstopped);
  g_assert_cmpint (life_info (&self, 1).state, ==, LK_JOB_RUNNING);
  send_signal (&self, 3, 1, 10);
  g_assert_true (life_info (&self, 1).is_sigstopped);
  send_signal (&self, 4, 1, 18);
  g_assert_false (life_info (&self, 1).is_sigstopped);
  send_signal (&self, 5, 1, 19);
  fixture_event (&self, 6, LK_EVENT_SUSPEND, 1);
  g_assert_false (life_info (&self, 1).is_sigstopped);
  node_fixture_skip (&self);
  send_signal (&self, 7, 1, 19);
  send_signal (&self, 7, 1, 10);
  fixture_assert_log (&self, "reject 1 66; reject 1 66");
  fixture_event (&self, 8, LK_EVENT_RESUME, 1);
  g_assert_false (life_info (&self, 1).is_sigstopped);
  send_signal (&self, 9, 1, 19);
  life_requeue (&self, 10, 1, 0);
  g_assert_false (life_info (&self, 1).is_sigstopped);
  fixture_clear (&self);
}

/* ---------------------------------------------------------------- holds */

static void
test_holds (void)
{
  LkFixture self;
  life_init (&self, "easy");
  life_submit (&self, 0, 1, 5, 100, NULL);
  life_hold (&self, 1, 1, 1);
  fixture_assert_log (&self, "accept 1; accept 1; PENDING 1 JobHeldAdmin");
  life_hold (&self, 2, 1, 0); /* stays the administrator's */
  life_release (&self, 3, 1, 1);
  fixture_assert_log (&self, "accept 1; reject 1 37");
  life_release (&self, 4, 1, 0);
  life_release (&self, 5, 1, 0);
  fixture_assert_log (&self, "accept 1; PENDING 1 Priority; reject 1 9");
  fixture_clear (&self);
}

/* A hold of a job that runs comes into force when it is requeued. */
static void
test_hold_of_running (void)
{
  LkFixture self;
  life_init (&self, "easy");
  life_submit (&self, 0, 1, 5, 100, NULL);
  life_pass (&self, 0);
  node_fixture_skip (&self);
  life_hold (&self, 1, 1, 1);
  g_assert_cmpint (life_info (&self, 1).state, ==, LK_JOB_RUNNING);
  life_requeue (&self, 2, 1, 0);
  fixture_assert_log (&self, "accept 1; requeue 1; REQUEUED 1; PENDING 1 JobHeldAdmin");
  life_release (&self, 3, 1, 0);
  life_pass (&self, 3);
  life_hold (&self, 4, 1, 0);
  life_release (&self, 4, 1, 1);
  life_requeue (&self, 5, 1, 0);
  g_assert_cmpuint (life_info (&self, 1).restarts, ==, 2);
  g_assert_cmpint (life_info (&self, 1).reason, ==, LK_REASON_RESOURCES);
  fixture_clear (&self);
}

/* ---------------------------------------------------------------- requeue */

/* Semantics 12.3: SubmitTime 1000, Reason BeginTime, EligibleTime 1121. */
static void
test_requeue (void)
{
  LkFixture self;
  g_autoptr (LkCluster) cluster = one_node ();
  start_nodes (&self, cluster);
  node_fixture_submit (&self, 0, 1, 5000, "-n1 --mem=1");
  node_fixture_pass (&self, 0);
  node_fixture_skip (&self);
  life_requeue (&self, 1000, 1, 0);
  fixture_assert_log (&self, "requeue 1; REQUEUED 1; PENDING 1 BeginTime; wake 1121");
  LkJobInfo info = life_info (&self, 1);
  g_assert_cmpint (info.submit_us, ==, S (1000));
  g_assert_cmpint (info.begin_us, ==, S (1121));
  g_assert_cmpint (info.reason, ==, LK_REASON_BEGIN_TIME);
  g_assert_cmpuint (info.restarts, ==, 1);
  life_requeue (&self, 1001, 1, 0);
  fixture_assert_log (&self, "reject 1 8");
  fixture_clear (&self);
}

static void
test_requeue_and_hold (void)
{
  LkFixture self;
  life_init (&self, "easy");
  for (guint8 hold = 1; hold <= 2; hold++) {
    guint32 id = hold;
    life_submit (&self, hold, id, 5, 100, NULL);
    life_pass (&self, hold);
    node_fixture_skip (&self);
    life_requeue (&self, hold, id, hold);
    if (hold == 1)
      fixture_assert_log (&self, "requeue 1; REQUEUED 1; PENDING 1 JobHeldUser");
    else
      fixture_assert_log (&self, "requeue 2; REQUEUED 2; SPECIAL_EXIT 2 JobHeldUser");
    LkJobInfo info = life_info (&self, id);
    g_assert_cmpint (info.state, ==, hold == 1 ? LK_JOB_PENDING : LK_JOB_SPECIAL_EXIT);
    life_release (&self, hold, id, 1);
    g_assert_cmpint (life_info (&self, id).state, ==, LK_JOB_PENDING);
    life_hold (&self, hold, id, 0);
  }
  life_requeue (&self, 5, 1, 3);
  fixture_clear (&self);
}

/* A suspended job that is requeued is held. */
static void
test_requeue_suspended (void)
{
  LkFixture self;
  life_init (&self, "easy");
  life_submit (&self, 0, 1, 5, 100, NULL);
  life_pass (&self, 0);
  fixture_event (&self, 1, LK_EVENT_SUSPEND, 1);
  node_fixture_skip (&self);
  life_requeue (&self, 2, 1, 0);
  fixture_assert_log (&self, "requeue 1; REQUEUED 1; PENDING 1 JobHeldUser");
  fixture_clear (&self);
}

static void
test_no_requeue (void)
{
  LkFixture self;
  LkJobTerms interactive = { .term_flags = LK_TERM_INTERACTIVE };
  g_autoptr (LkCluster) cluster = one_node ();
  cluster->memory = FALSE;
  start_nodes (&self, cluster);
  node_fixture_submit (&self, 0, 1, 100, "-n1 --mem=1 --no-requeue");
  life_submit (&self, 0, 2, 1, 100, &interactive);
  node_fixture_pass (&self, 0);
  node_fixture_skip (&self);
  for (guint32 id = 1; id <= 2; id++) {
    life_requeue (&self, 1, id, 0);
    life_ended (&self, 1, id, (LkEvent_job_ended){ .trouble = LK_TROUBLE_LAUNCH_FAILURE });
  }
  fixture_assert_log (&self, "reject 1 40; FAILED 1 JobLaunchFailure; reject 2 40; "
                             "FAILED 2 JobLaunchFailure");
  fixture_clear (&self);
}

/* RequeueExit, RequeueExitHold. */
static void
test_requeue_by_exit (void)
{
  LkFixture self;
  g_autoptr (LkCluster) cluster = one_node ();
  g_free (cluster->requeue_exit);
  g_free (cluster->requeue_exit_hold);
  cluster->requeue_exit = g_strdup ("5-7");
  cluster->requeue_exit_hold = g_strdup ("7,200");
  cluster->memory = FALSE;
  start_nodes (&self, cluster);
  const LkJobTerms interactive = { .term_flags = LK_TERM_INTERACTIVE };
  for (guint32 id = 1; id <= 6; id++)
    node_fixture_submit (&self, 0, id, 100, id == 6 ? "-n1 --mem=1 --no-requeue" : "-n1 --mem=1");
  life_submit (&self, 0, 7, 1, 100, &interactive);
  node_fixture_pass (&self, 0);
  node_fixture_skip (&self);
  life_ended (&self, 1, 1, (LkEvent_job_ended){ .exit_code = 5 });
  fixture_assert_log (&self, "requeue 1; REQUEUED 1 NonZeroExitCode; PENDING 1 BeginTime");
  life_ended (&self, 1, 2, (LkEvent_job_ended){ .exit_code = 7 });
  fixture_assert_log (&self, "requeue 2; REQUEUED 2 NonZeroExitCode; SPECIAL_EXIT 2 JobHeldUser");
  life_ended (&self, 1, 3, (LkEvent_job_ended){ .exit_code = 8 });
  life_ended (&self, 1, 4, (LkEvent_job_ended){ .exit_code = 5, .cancelled = 1 });
  life_ended (&self, 1, 5, (LkEvent_job_ended){ .signal = 5 });
  fixture_assert_log (&self, "FAILED 3 NonZeroExitCode; CANCELLED 4; FAILED 5 RaisedSignal");
  /* Whatever the job says of requeues; but it must have a script. */
  life_ended (&self, 1, 6, (LkEvent_job_ended){ .exit_code = 5 });
  life_ended (&self, 1, 7, (LkEvent_job_ended){ .exit_code = 5 });
  fixture_assert_log (&self, "requeue 6; REQUEUED 6 NonZeroExitCode; PENDING 6 BeginTime; "
                             "FAILED 7 NonZeroExitCode");
  fixture_clear (&self);
}

/* More often than MaxBatchRequeue: held; a release begins anew. */
static void
test_launch_failures (void)
{
  LkFixture self;
  g_autoptr (LkCluster) cluster = one_node ();
  const LkEvent_job_ended failure = { .trouble = LK_TROUBLE_LAUNCH_FAILURE };
  cluster->max_batch_requeue = 1;
  cluster->requeue_delay_us = 0;
  start_nodes (&self, cluster);
  node_fixture_submit (&self, 0, 1, 100, "-n1 --mem=1");
  node_fixture_pass (&self, 0);
  node_fixture_skip (&self);
  life_ended (&self, 1, 1, failure);
  node_fixture_pass (&self, 1);
  fixture_assert_log (&self, "requeue 1; REQUEUED 1 JobLaunchFailure; PENDING 1 BeginTime; "
                             "PENDING 1 Priority; start 1 n1");
  life_ended (&self, 2, 1, failure);
  node_fixture_pass (&self, 2);
  fixture_assert_log (&self, "requeue 1; REQUEUED 1 JobLaunchFailure; PENDING 1 JobHoldMaxRequeue");
  g_assert_cmpuint (life_info (&self, 1).restarts, ==, 2);
  life_release (&self, 3, 1, 1);
  node_fixture_pass (&self, 3);
  life_ended (&self, 4, 1, failure);
  g_assert_cmpint (life_info (&self, 1).reason, !=, LK_REASON_HOLD_MAX_REQUEUE);
  fixture_clear (&self);
}

static void
test_prolog_failure (gconstpointer holds)
{
  LkFixture self;
  g_autoptr (LkCluster) cluster = one_node ();
  cluster->hold_prolog_failure = holds != NULL;
  start_nodes (&self, cluster);
  node_fixture_submit (&self, 0, 1, 100, "-n1 --mem=1");
  node_fixture_pass (&self, 0);
  node_fixture_skip (&self);
  life_ended (&self, 1, 1, (LkEvent_job_ended){ .trouble = LK_TROUBLE_PROLOG_FAILURE });
  g_assert_cmpint (life_info (&self, 1).reason, ==,
                   holds != NULL ? LK_REASON_HELD_USER : LK_REASON_BEGIN_TIME);
  fixture_clear (&self);
}

/* ---------------------------------------------------------------- how jobs end */

static const struct {
  LkEvent_job_ended ended;
  const char *notice;
} endings[] = {
  { { 0 }, "COMPLETED 1" },
  { { .exit_code = 3 }, "FAILED 1 NonZeroExitCode" },
  { { .signal = 9 }, "FAILED 1 RaisedSignal" },
  { { .exit_code = 1, .signal = 15 }, "FAILED 1 RaisedSignal" },
  { { .trouble = LK_TROUBLE_OUT_OF_MEMORY }, "OUT_OF_MEMORY 1 OutOfMemory" },
  { { .trouble = LK_TROUBLE_BOOT_FAILURE }, "BOOT_FAIL 1 NodeDown" },
  { { .trouble = LK_TROUBLE_LAUNCH_FAILURE }, "FAILED 1 JobLaunchFailure" },
  { { .cancelled = 1, .signal = 15 }, "CANCELLED 1" },
};

static void
test_endings (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (endings); i++) {
    LkFixture self;
    LkJobTerms interactive = { .term_flags = LK_TERM_INTERACTIVE };
    life_init (&self, "easy");
    life_submit (&self, 0, 1, 1, 100, &interactive);
    life_pass (&self, 0);
    node_fixture_skip (&self);
    life_ended (&self, 1, 1, endings[i].ended);
    fixture_assert_log (&self, endings[i].notice);
    fixture_clear (&self);
  }
}

/* Why it was told to end comes before how it did. */
static void
test_ending_by_order (void)
{
  LkFixture self;
  life_init (&self, "easy");
  life_submit (&self, 0, 1, 1, 100, NULL);
  life_submit (&self, 0, 2, 1, 200, NULL);
  life_pass (&self, 0);
  life_timer (&self, 100);
  g_assert_cmpint (life_info (&self, 1).state, ==, LK_JOB_COMPLETING);
  fixture_event (&self, 100, LK_EVENT_CANCEL, 1); /* too late to be cancelled */
  fixture_event (&self, 100, LK_EVENT_CANCEL, 2);
  node_fixture_skip (&self);
  life_ended (&self, 101, 1, (LkEvent_job_ended){ .signal = 15 });
  life_ended (&self, 101, 2, (LkEvent_job_ended){ .signal = 15 });
  fixture_assert_log (&self, "TIMEOUT 1 TimeLimit; CANCELLED 2");
  fixture_clear (&self);
}

/* Its owner had said that it is over before anybody else did. */
static void
test_ending_complete_before (void)
{
  LkFixture self;
  LkJobTerms interactive = { .term_flags = LK_TERM_INTERACTIVE };
  life_init (&self, "easy");
  life_submit (&self, 0, 1, 1, 100, &interactive);
  life_submit (&self, 0, 2, 1, 100, &interactive);
  life_pass (&self, 0);
  fixture_event (&self, 1, LK_EVENT_CANCEL, 1);
  fixture_event (&self, 1, LK_EVENT_CANCEL, 2);
  node_fixture_skip (&self);
  life_ended (&self, 2, 1, (LkEvent_job_ended){ .trouble = LK_TROUBLE_COMPLETE_BEFORE });
  life_ended (&self, 2, 2,
              (LkEvent_job_ended){ .exit_code = 3, .trouble = LK_TROUBLE_COMPLETE_BEFORE });
  fixture_assert_log (&self, "COMPLETED 1; FAILED 2 NonZeroExitCode");
  fixture_clear (&self);
}

/* 22.05 has one word for both. */
static void
test_older_words (void)
{
  Site site;
  site_prepare (&site, "");
  site.accounts->compat = LK_COMPAT_SLURM_22_05;
  site_start (&site, "easy");
  submit (&site, 1, "alice -n1");
  pass (&site);
  node_fixture_skip (&site.fixture);
  life_ended (&site.fixture, 1, 1, (LkEvent_job_ended){ .signal = 9 });
  fixture_assert_log (&site.fixture, "FAILED 1 NonZeroExitCode");
  site_clear (&site);
}

/* ---------------------------------------------------------------- partitions */

static void
test_partitions (void)
{
  LkFixture self;
  g_autoptr (LkCluster) cluster = one_node ();
  lk_cluster_add_partition (cluster, "other");
  start_nodes (&self, cluster);
  node_fixture_submit (&self, 0, 1, 100, "-n8 --mem=1");
  node_fixture_submit (&self, 0, 2, 100, "-n8 --mem=1");
  node_fixture_submit (&self, 0, 3, 100, "-n8 --mem=1 -p other");
  node_fixture_pass (&self, 0);
  node_fixture_skip (&self);
  life_partition (&self, 1, "main", LK_PARTITION_DOWN);
  fixture_assert_log (&self, "accept 0; PENDING 2 PartitionDown");
  node_fixture_submit (&self, 2, 4, 100, "-n1 --mem=1"); /* it takes jobs */
  life_partition (&self, 3, "main", LK_PARTITION_INACTIVE);
  node_fixture_submit (&self, 4, 5, 100, "-n1 --mem=1");
  fixture_assert_log (&self, "accept 4; PENDING 4 PartitionDown; accept 0; "
                             "PENDING 2 PartitionInactive; PENDING 4 PartitionInactive; "
                             "reject 5 14");
  fixture_ended (&self, 5, 1);
  node_fixture_pass (&self, 5);
  fixture_assert_log (&self, "COMPLETED 1; start 3 n1");
  life_partition (&self, 6, "main", LK_PARTITION_DRAIN);
  node_fixture_submit (&self, 6, 5, 100, "-n1 --mem=1");
  fixture_assert_log (&self, "accept 0; PENDING 2 Priority; PENDING 4 Priority; reject 5 14");
  life_partition (&self, 7, "main", LK_PARTITION_UP);
  life_partition (&self, 7, "none", LK_PARTITION_UP);
  life_partition (&self, 7, "main", (LkPartitionState)4);
  fixture_assert_log (&self, "accept 0; reject 0 13; reject 0 12");
  fixture_clear (&self);
}

/* ---------------------------------------------------------------- cancel by filter */

static void
cancel (LkFixture *self, gint64 time_s, LkEvent_cancel cancel)
{
  LkEvent event = { .kind = LK_EVENT_CANCEL };
  event.cancel = cancel;
  g_assert_cmpint (fixture_apply (self, time_s, &event), ==, LK_STATUS_OK);
}

static const struct {
  LkEvent_cancel cancel;
  const char *log;
} filters[] = {
  { { .filter = LK_FILTER_USER_ID, .user_id = 2 }, "accept 0; kill 2 2; CANCELLED 4" },
  { { .filter = LK_FILTER_USER_ID | LK_FILTER_STATE, .user_id = 2, .state = LK_JOB_PENDING },
    "accept 0; CANCELLED 4" },
  { { .filter = LK_FILTER_STATE, .state = LK_JOB_RUNNING }, "accept 0; kill 1 2; kill 2 2" },
  { { .filter = LK_FILTER_PARTITION, .partition = { "other", 5 } }, "accept 0; CANCELLED 3" },
  { { .filter = LK_FILTER_NODE_LIST, .node_list = { "n[2-9]", 6 } }, "accept 0; kill 2 2" },
  { { .filter = LK_FILTER_ACCOUNT, .account = { "phys", 4 } }, "accept 0; CANCELLED 3" },
  { { .filter = LK_FILTER_QOS, .qos = { "high", 4 } }, "accept 0; CANCELLED 4" },
  { { .filter = LK_FILTER_NAME, .name = { "probe", 5 } }, "accept 0; CANCELLED 5" },
  { { .filter = LK_FILTER_RESERVATION, .reservation = { "r", 1 } }, "accept 0" },
  { { .filter = LK_FILTER_JOB_ID | LK_FILTER_STATE, .job_id = 1, .state = LK_JOB_PENDING },
    "accept 1" },
  { { .filter = LK_FILTER_JOB_ID, .job_id = 1 }, "accept 1; kill 1 2" },
  { { .filter = 1 << 9 }, "reject 0 11" },
  { { .filter = LK_FILTER_NODE_LIST, .node_list = { "n[", 2 } }, "reject 0 15" },
};

static void
test_cancel_by_filter (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (filters); i++) {
    LkFixture self;
    LkJobTerms probe = { .name = lk_text ("probe") };
    g_autoptr (LkCluster) cluster = lk_cluster_new ("two");
    node_fixture_add (cluster, "n[1-2]", 4, 8000);
    lk_cluster_add_partition (cluster, "main");
    lk_cluster_add_partition (cluster, "other");
    start_nodes (&self, cluster);
    node_fixture_submit_of (&self, 0, 1, 1, 100, "-w n1 -n4 -N1 --mem=1");
    node_fixture_submit_of (&self, 0, 2, 2, 100, "-w n2 -n4 -N1 --mem=1");
    node_fixture_submit_of (&self, 0, 3, 1, 100, "-n4 --mem=1 -p other -A phys");
    node_fixture_submit_of (&self, 0, 4, 2, 100, "-n4 --mem=1 --qos=high");
    life_submit (&self, 0, 5, 1, 100, &probe);
    node_fixture_pass (&self, 0);
    node_fixture_skip (&self);
    cancel (&self, 1, filters[i].cancel);
    fixture_assert_log (&self, filters[i].log);
    fixture_clear (&self);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/life/begin time", test_begin);
  g_test_add_func ("/life/a deadline that cannot be met", test_deadline);
  g_test_add_func ("/life/the last moment before a deadline", test_last_moment);
  g_test_add_data_func ("/life/a least time: easy", "easy", test_time_min);
  g_test_add_data_func ("/life/a least time: conservative", "conservative", test_time_min);
  g_test_add_func ("/life/a deadline ends a running job", test_deadline_ends_running);
  g_test_add_func ("/life/time limits looked at every 30 s", test_scan);
  g_test_add_func ("/life/OverTimeLimit", test_over_time);
  g_test_add_func ("/life/a signal before the limit", test_warn);
  g_test_add_func ("/life/a signal before the limit, looked at every 30 s", test_warn_scan);
  g_test_add_func ("/life/a signal", test_signal);
  g_test_add_func ("/life/SIGSTOP and SIGCONT", test_stop);
  g_test_add_func ("/life/holds", test_holds);
  g_test_add_func ("/life/a hold of a running job", test_hold_of_running);
  g_test_add_func ("/life/requeue", test_requeue);
  g_test_add_func ("/life/requeue and hold", test_requeue_and_hold);
  g_test_add_func ("/life/requeue of a suspended job", test_requeue_suspended);
  g_test_add_func ("/life/jobs that are not requeued", test_no_requeue);
  g_test_add_func ("/life/requeue by exit code", test_requeue_by_exit);
  g_test_add_func ("/life/launch failures", test_launch_failures);
  g_test_add_data_func ("/life/a failed prolog holds", "", test_prolog_failure);
  g_test_add_data_func ("/life/a failed prolog", NULL, test_prolog_failure);
  g_test_add_func ("/life/how jobs end", test_endings);
  g_test_add_func ("/life/orders come first", test_ending_by_order);
  g_test_add_func ("/life/orders do not count for what was complete", test_ending_complete_before);
  g_test_add_func ("/life/the words of 22.05", test_older_words);
  g_test_add_func ("/life/partitions open and close", test_partitions);
  g_test_add_func ("/life/cancel by filter", test_cancel_by_filter);
  return g_test_run ();
}
