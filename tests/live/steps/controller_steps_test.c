/* tests/live/steps/controller_steps_test.c — steps of jobs, as the controller keeps them: what they
 * get, what is sent for them, how they end, and what a crash leaves of them. */
#include <string.h>

#include "live/core/record.h"
#include "live/core/step_layout.h"
#include "live/core/step_task.h"
#include "tests/live/steps/job_site.h"

/* ---------------------------------------------------------------- requests */

/* The last answer, in short. Returns: (transfer full). */
static char *
answer (const ControlSite *site, LkPeerId peer)
{
  guint count = control_sent_count (site, peer, LK_MESSAGE_STEP_CREATED);
  LkMessage message;
  LkStepPlace place;
  g_autoptr (GString) text = g_string_new (NULL);
  if (count == 0 || !control_sent (site, peer, LK_MESSAGE_STEP_CREATED, count - 1, &message))
    return g_strdup ("nothing");
  if (message.step_created.error != 0)
    return g_strdup (lk_step_error_text (message.step_created.error));
  g_string_append_printf (text, "%u:", message.step_created.step_id);
  while (lk_step_place_next (&message.step_created.places, &place)) {
    g_string_append_printf (text, " %.*s t%.*s c%u [%.*s]", place.node.length_bytes,
                            place.node.bytes, (int)place.tasks.length_bytes, place.tasks.bytes,
                            place.cpus, (int)place.cores.length_bytes, place.cores.bytes);
    if (place.gres.length_bytes > 0)
      g_string_append_printf (text, " %.*s", place.gres.length_bytes, place.gres.bytes);
  }
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static void
assert_answer (ControlSite *site, guint64 request, const LkMessage_step_create *wanted,
               const char *expected)
{
  job_site_ask (site, CONTROL_USER, request, wanted);
  g_autofree char *found = answer (site, JOB_SITE_PEER);
  g_assert_cmpstr (found, ==, expected);
}

static LkLongText
long_text (const char *text)
{
  return (LkLongText){ text, (guint32)strlen (text) };
}

static guint
launches (const ControlSite *site, guint node)
{
  return control_sent_count (site, CONTROL_AGENT_PEER (node), LK_MESSAGE_STEP_LAUNCH);
}

/* ---------------------------------------------------------------- the journal, and what is told */

/* The steps of job 1 that are told of, by number; b: the script. Returns: (transfer full). */
static char *
told (ControlSite *site)
{
  LkPeer user = control_user (CONTROL_USER);
  LkMessage message = { .kind = LK_MESSAGE_STATE_QUERY };
  LkRecord record;
  g_autoptr (GString) text = g_string_new (NULL);
  message.state_query.request = 1;
  message.state_query.record = LK_RECORD_STEP;
  control_forget_sent (site);
  control_message (site, &user, &message);
  control_settle (site);
  g_assert_true (control_sent (site, JOB_SITE_PEER, LK_MESSAGE_STATE_PAGE, 0, &message));
  LkBytes left = message.state_page.records;
  while (lk_record_next (&left, LK_RECORD_STEP, &record)) {
    if (record.step.step_id == G_MAXUINT32)
      g_string_append_printf (text, "b %.*s", record.step.tres.length_bytes,
                              record.step.tres.bytes);
    else
      g_string_append_printf (
          text, "%u %.*s %.*s; ", record.step.step_id, (int)record.step.node_names.length_bytes,
          record.step.node_names.bytes, record.step.tres.length_bytes, record.step.tres.bytes);
  }
  g_assert_cmpuint (left.length_bytes, ==, 0);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/* ---------------------------------------------------------------- what they get */

/* The job has no devices: it asked for none. */
static void
test_created (void)
{
  g_autoptr (ControlSite) site = job_site_new (&job_site_seldom, 2);
  LkMessage launch;
  assert_answer (site, 1, &job_site_any, "0: n1 t0 c2 [0-1] n2 t1 c2 [0-1]");
  for (guint node = 0; node < 2; node++) {
    g_assert_true (
        control_sent (site, CONTROL_AGENT_PEER (node), LK_MESSAGE_STEP_LAUNCH, 0, &launch));
    g_assert_cmpuint (launch.step_launch.place, ==, node);
    g_assert_cmpuint (launch.step_launch.tasks, ==, 2);
    g_assert_cmpuint (launch.step_launch.run_id, ==, 1);
    g_assert_cmpuint (launch.step_launch.payload.length_bytes, >, 0);
    g_assert_cmpint (launch.step_launch.kill_wait_us, ==, 30 * CONTROL_SECOND_US);
  }
  job_site_assert_notes (site, "+0");
  g_autofree char *steps = told (site);
  g_assert_cmpstr (steps, ==, "0 n[1-2] cpu=4,mem=2048M,node=2; b cpu=2,mem=1024M,node=1");
  job_site_step_starts (site, 0, 0);
  job_site_step_starts (site, 1, 0);
  job_site_step_ends (site, 0, &(LkStepReport){ .exit_code = 3 });
  g_assert_cmpuint (job_site_sent (site, 0, LK_MESSAGE_STEP_FORGET), ==, 0);
  job_site_step_ends (site, 1, &(LkStepReport){ .exit_code = 2 });
  job_site_assert_notes (site, "+0 -0:FAILED:3:0");
  g_assert_cmpuint (job_site_sent (site, 0, LK_MESSAGE_STEP_FORGET), ==, 1);
  g_assert_cmpuint (job_site_sent (site, 1, LK_MESSAGE_STEP_FORGET), ==, 1);
  /* Its agent has not heard it. */
  job_site_step_ends (site, 1, &(LkStepReport){ .exit_code = 2 });
  g_assert_cmpuint (job_site_sent (site, 1, LK_MESSAGE_STEP_FORGET), ==, 2);
  job_site_assert_notes (site, "+0 -0:FAILED:3:0");
  lk_controller_check (site->core);
}

static void
test_apart (void)
{
  g_autoptr (ControlSite) site = job_site_new (&job_site_seldom, 1);
  assert_answer (site, 1, &job_site_one_task, "0: n1 t0 c1 [0]");
  assert_answer (site, 2, &job_site_one_task, "1: n1 t0 c1 [1]");
  assert_answer (site, 3, &job_site_one_task, "Requested nodes are busy");
  LkMessage_step_create over = { .tasks = 2, .flags = LK_STEP_FLAG_OVERLAP };
  assert_answer (site, 4, &over, "2: n1 t0-1 c2 [0-1]");
  job_site_step_starts (site, 0, 0);
  job_site_step_ends (site, 0, &(LkStepReport){ .step_id = 0 });
  assert_answer (site, 5, &job_site_one_task, "3: n1 t0 c1 [0]");
  LkMessage_step_create three = { .tasks = 3 };
  assert_answer (site, 6, &three, "More processors requested than permitted");
  lk_controller_check (site->core);
}

/* One that comes again is one; what it needs goes with each launch until all have begun. */
static void
test_again (void)
{
  g_autoptr (ControlSite) site = job_site_new (&job_site_seldom, 1);
  assert_answer (site, 1, &job_site_any, "0: n1 t0 c2 [0-1]");
  assert_answer (site, 1, &job_site_any, "0: n1 t0 c2 [0-1]");
  g_assert_cmpuint (launches (site, 0), ==, 1);
  control_wait (site, 6 * CONTROL_SECOND_US);
  g_assert_cmpuint (launches (site, 0), ==, 1); /* of the last instant */
  job_site_step_starts (site, 0, 0);
  control_forget_sent (site);
  control_wait (site, 11 * CONTROL_SECOND_US);
  g_assert_cmpuint (launches (site, 0), ==, 0);
  job_site_step_ends (site, 0, &(LkStepReport){ .step_id = 0 });
  assert_answer (site, 1, &job_site_any, "0: n1 t0 c2 [0-1]");
  job_site_assert_notes (site, "+0 -0:COMPLETED:0:0");
}

static void
test_refused (void)
{
  g_autoptr (ControlSite) site = job_site_new (&job_site_seldom, 1);
  LkMessage_step_create other = { .job_id = 77 };
  assert_answer (site, 1, &other, "Invalid job id specified");
  job_site_ask (site, 1002, 1, &job_site_any);
  g_autofree char *denied = answer (site, CONTROL_USER_PEER (1002));
  g_assert_cmpstr (denied, ==, "Access/permission denied");
  control_submit (site, 2, 6, 0);
  other.job_id = 2;
  assert_answer (site, 2, &other, "Job is pending execution");
  control_order (site, 3, LK_EVENT_CANCEL, 1);
  assert_answer (site, 3, &job_site_any, "Job/step already completing or completed");
}

/* Slurm's MaxTasksPerNode, also where tasks share CPUs. */
static void
test_task_count (void)
{
  g_autoptr (ControlSite) site = job_site_new (&job_site_seldom, 2);
  LkMessage_step_create wanted = { .node_min = 2,
                                   .tasks = 2 * LK_STEP_NODE_TASKS_MAX,
                                   .distribution = LK_STEP_DISTRIBUTION_CYCLIC,
                                   .flags = LK_STEP_FLAG_OVERCOMMIT | LK_STEP_FLAG_OVERLAP };
  assert_answer (site, 1, &wanted, "0: n1 t0+2*512 c2 [0-1] n2 t1+2*512 c2 [0-1]");
  wanted.tasks++;
  assert_answer (site, 2, &wanted, "Task count specification invalid");
  wanted.tasks = LK_STEP_TASKS_MAX;
  assert_answer (site, 3, &wanted, "Task count specification invalid");
}

/* Lists of more names than the cluster has nodes are not expanded. */
static void
test_node_names (void)
{
  g_autoptr (ControlSite) site = job_site_new (&job_site_seldom, 2);
  LkMessage_step_create wanted = { .exclude = long_text ("n[2-1000000]"), .tasks = 1 };
  assert_answer (site, 1, &wanted, "Invalid node name specified");
  wanted.exclude = long_text ("n2,n2,n2,n2,n2");
  assert_answer (site, 2, &wanted, "0: n1 t0 c2 [0-1]");
  wanted = (LkMessage_step_create){ .nodelist = long_text ("n[1-1000000]"),
                                    .distribution = LK_STEP_DISTRIBUTION_ARBITRARY };
  assert_answer (site, 3, &wanted, "Invalid node name specified");
}

/* What is longer than a message in all is answered in pages. */
static void
test_pages (void)
{
  enum { COUNT = 10, LINE_BYTES = 2 * 1024 * 1024 };
  g_autoptr (ControlSite) site = job_site_new (&job_site_seldom, 1);
  g_autofree char *line = g_strnfill (LINE_BYTES, 'l');
  LkMessage_step_create wanted = { .tasks = 1,
                                   .flags = LK_STEP_FLAG_OVERLAP,
                                   .submit_line = { line, LINE_BYTES } };
  LkMessage query = { .kind = LK_MESSAGE_STATE_QUERY };
  LkMessage page;
  LkPeer user = control_user (CONTROL_USER);
  guint32 step_count = 0;
  gboolean has_batch = FALSE;
  for (guint64 request = 1; request <= COUNT; request++)
    job_site_ask (site, CONTROL_USER, request, &wanted);
  query.state_query.record = LK_RECORD_STEP;
  do {
    LkRecord record;
    control_forget_sent (site);
    control_message (site, &user, &query);
    control_settle (site);
    g_assert_true (control_sent (site, JOB_SITE_PEER, LK_MESSAGE_STATE_PAGE, 0, &page));
    g_assert_cmpuint (page.state_page.error, ==, 0);
    LkBytes left = page.state_page.records;
    while (lk_record_next (&left, LK_RECORD_STEP, &record)) {
      g_assert_false (has_batch);
      has_batch = record.step.step_id == G_MAXUINT32;
      g_assert_true (has_batch || record.step.step_id == step_count++);
    }
    query.state_query.from = page.state_page.next;
    query.state_query.from_step = page.state_page.next_step;
  } while (query.state_query.from != 0);
  g_assert_cmpuint (step_count, ==, COUNT);
  g_assert_true (has_batch);
}

/* A step whose launch would be too long is not created. */
static void
test_too_long (void)
{
  g_autoptr (ControlSite) site = job_site_new (&job_site_seldom, 1);
  g_autofree char *line = g_strnfill (LK_MESSAGE_PAYLOAD_MAX_BYTES, 'l');
  LkMessage_step_create wanted = { .submit_line = { line, LK_MESSAGE_PAYLOAD_MAX_BYTES } };
  assert_answer (site, 1, &wanted, "Pathname of a file, directory or other parameter too long");
  wanted.submit_line.length_bytes -= 1024;
  assert_answer (site, 2, &wanted, "0: n1 t0 c2 [0-1]");
}

/* ---------------------------------------------------------------- ends */

static void
test_usage (void)
{
  g_autoptr (ControlSite) site = job_site_new (&job_site_seldom, 2);
  job_site_ask (site, CONTROL_USER, 1, &job_site_any);
  job_site_step_starts (site, 0, 0);
  job_site_step_starts (site, 1, 0);
  LkMessage usage = job_site_message (site, 1, LK_MESSAGE_STEP_USAGE);
  usage.step_usage.run_id = 1;
  usage.step_usage.counted_tasks = 1;
  usage.step_usage.rss_max_bytes = 500;
  usage.step_usage.rss_max_task = 1;
  job_site_say (site, 1, &usage);
  job_site_step_ends (
      site, 0, &(LkStepReport){ .counted_tasks = 1, .rss_max_bytes = 300, .user_cpu_us = 20 });
  LkPeer user = control_user (CONTROL_USER);
  LkMessage query = { .kind = LK_MESSAGE_STATE_QUERY };
  query.state_query.record = LK_RECORD_STEP;
  query.state_query.job_id = 1;
  control_forget_sent (site);
  control_message (site, &user, &query);
  control_settle (site);
  LkMessage page;
  LkRecord record;
  g_assert_true (control_sent (site, JOB_SITE_PEER, LK_MESSAGE_STATE_PAGE, 0, &page));
  LkBytes left = page.state_page.records;
  g_assert_true (lk_record_next (&left, LK_RECORD_STEP, &record));
  g_assert_cmpuint (record.step.rss_max_bytes, ==, 500);
  g_assert_cmpuint (record.step.rss_max_node, ==, 1);
  g_assert_cmpuint (record.step.counted_tasks, ==, 2);
  g_assert_cmpint (record.step.user_cpu_us, ==, 20);
}

/* A step does not outlive its run: its end is told before that of the job. */
static void
test_run_ends (void)
{
  g_autoptr (ControlSite) site = job_site_new (&job_site_seldom, 1);
  job_site_ask (site, CONTROL_USER, 1, &job_site_any);
  job_site_step_starts (site, 0, 0);
  control_run_ended (site, 0, &(LkRunReport){ .run_id = 1, .job_id = 1 }, "");
  control_settle (site);
  job_site_assert_notes (site, "+0 -0:CANCELLED:0:9");
  lk_controller_check (site->core);
}

/* Of a node that is down it is ended elsewhere, too. */
static void
test_node_lost (void)
{
  g_autoptr (ControlSite) site = job_site_new (&job_site_seldom, 2);
  job_site_ask (site, CONTROL_USER, 1, &job_site_any);
  job_site_step_starts (site, 0, 0);
  job_site_step_starts (site, 1, 0);
  control_order_node (site, 9, LK_EVENT_NODE_DOWN, 1, "gone");
  lk_controller_check (site->core);
  g_autofree char *found = job_site_notes (site);
  g_assert_true (g_str_has_prefix (found, "+0"));
}

static void
test_complete (void)
{
  g_autoptr (ControlSite) site = job_site_new (&job_site_seldom, 1);
  LkPeer user = control_user (CONTROL_USER);
  LkMessage message = { .kind = LK_MESSAGE_JOB_COMPLETE };
  message.job_complete =
      (LkMessage_job_complete){ .session = 7, .request = 5, .job_id = 1, .exit_code = 4 };
  site->disk_waits = TRUE;
  control_message (site, &user, &message);
  control_settle (site);
  g_assert_cmpuint (control_sent_count (site, JOB_SITE_PEER, LK_MESSAGE_STEP_REPLY), ==, 0);
  g_assert_cmpuint (job_site_sent (site, 0, LK_MESSAGE_TERMINATE), ==, 0);
  site->disk_waits = FALSE;
  control_settle (site);
  g_assert_cmpuint (control_sent_count (site, JOB_SITE_PEER, LK_MESSAGE_STEP_REPLY), ==, 1);
  g_assert_cmpuint (job_site_sent (site, 0, LK_MESSAGE_TERMINATE), ==, 1);
  control_crash (site, 0, 0);
  g_assert_true (control_start (site, 0));
  LkRunReport ended = { .run_id = 1, .job_id = 1, .state = LK_RUN_ENDED, .signal = 15 };
  for (guint node = 0; node < CONTROL_NODES; node++)
    control_register (site, node, 2, &ended, node == 0 ? 1 : 0);
  control_settle (site);
  LkJobInfo info;
  g_assert_false (lk_engine_job (lk_controller_engine (site->core), 1, &info));
  g_autofree char *events = control_events (site, 1);
  g_assert_nonnull (strstr (events, "job_ended"));
  job_site_assert_notes (site, "complete");
}

/* What is told of job 1, and whether more of it is there. */
static void
assert_job (ControlSite *site, LkJobState state, guint is_completing, guint exit_code)
{
  LkPeer user = control_user (CONTROL_USER);
  LkMessage message = { .kind = LK_MESSAGE_STATE_QUERY };
  LkRecord record;
  message.state_query.request = 1;
  message.state_query.record = LK_RECORD_JOB;
  message.state_query.job_id = 1;
  message.state_query.with_ended = 1;
  control_forget_sent (site);
  control_message (site, &user, &message);
  control_settle (site);
  g_assert_true (control_sent (site, JOB_SITE_PEER, LK_MESSAGE_STATE_PAGE, 0, &message));
  LkBytes left = message.state_page.records;
  g_assert_true (lk_record_next (&left, LK_RECORD_JOB, &record));
  g_assert_cmpuint (record.job.state, ==, state);
  g_assert_cmpuint (record.job.is_completing, ==, is_completing);
  g_assert_cmpuint (record.job.exit_code, ==, exit_code);
}

/* "srun true; scancel --me": who cancels first counts, the owner who says that it is over, too. */
static void
cancel_and_complete (gboolean is_cancelled_first, guint8 exit_code, LkJobState state)
{
  g_autoptr (ControlSite) site = job_site_new (&job_site_seldom, 1);
  LkPeer user = control_user (CONTROL_USER);
  LkMessage message = { .kind = LK_MESSAGE_JOB_COMPLETE };
  message.job_complete =
      (LkMessage_job_complete){ .session = 7, .request = 5, .job_id = 1, .exit_code = exit_code };
  if (is_cancelled_first)
    control_order (site, 2, LK_EVENT_CANCEL, 1);
  control_message (site, &user, &message);
  control_settle (site);
  if (!is_cancelled_first)
    assert_job (site, state, 1, exit_code);
  if (!is_cancelled_first)
    control_order (site, 2, LK_EVENT_CANCEL, 1);
  control_crash (site, 0, 0);
  g_assert_true (control_start (site, 0));
  LkRunReport ended = { .run_id = 1, .job_id = 1, .state = LK_RUN_ENDED, .signal = 15 };
  for (guint node = 0; node < CONTROL_NODES; node++)
    control_register (site, node, 2, &ended, node == 0 ? 1 : 0);
  control_settle (site);
  assert_job (site, state, 0, exit_code);
}

static void
test_complete_counts (void)
{
  cancel_and_complete (/* is_cancelled_first= */ FALSE, 0, LK_JOB_COMPLETED);
  cancel_and_complete (/* is_cancelled_first= */ FALSE, 4, LK_JOB_FAILED);
  cancel_and_complete (/* is_cancelled_first= */ TRUE, 4, LK_JOB_CANCELLED);
}

/* How many seconds a step was suspended before, and whether it is now. */
static void
assert_suspended (ControlSite *site, guint32 step_id, gint64 earlier_s, gboolean is_suspended)
{
  LkPeer user = control_user (CONTROL_USER);
  LkMessage message = { .kind = LK_MESSAGE_STATE_QUERY };
  LkRecord record = { .step.step_id = G_MAXUINT32 };
  message.state_query =
      (LkMessage_state_query){ .request = 1, .record = LK_RECORD_STEP, .with_ended = 1 };
  control_forget_sent (site);
  control_message (site, &user, &message);
  control_settle (site);
  g_assert_true (control_sent (site, JOB_SITE_PEER, LK_MESSAGE_STATE_PAGE, 0, &message));
  LkBytes left = message.state_page.records;
  while (record.step.step_id != step_id)
    g_assert_true (lk_record_next (&left, LK_RECORD_STEP, &record));
  g_assert_cmpint (record.step.suspended_us / CONTROL_SECOND_US, ==, earlier_s);
  g_assert_cmpint (record.step.suspend_us != G_MAXINT64, ==, is_suspended);
}

/* As in Slurm the time of a step stops while its job is suspended, and starts at 0 for one that is
 * created after a resume. */
static void
suspend_steps (const ControlOptions *options)
{
  g_autoptr (ControlSite) site = job_site_new (options, 1);
  job_site_ask (site, CONTROL_USER, 1, &job_site_one_task);
  job_site_step_starts (site, 0, 0);
  control_order (site, 2, LK_EVENT_SUSPEND, 1);
  control_wait (site, 5 * CONTROL_SECOND_US);
  assert_suspended (site, 0, 0, TRUE);
  control_order (site, 3, LK_EVENT_RESUME, 1);
  assert_suspended (site, 0, 5, FALSE);
  job_site_ask (site, CONTROL_USER, 2, &job_site_one_task);
  job_site_step_starts (site, 0, 1);
  assert_suspended (site, 1, 0, FALSE);
  control_order (site, 4, LK_EVENT_SUSPEND, 1);
  control_wait (site, 2 * CONTROL_SECOND_US);
  control_order (site, 5, LK_EVENT_RESUME, 1);
  job_site_step_ends (site, 0, &(LkStepReport){ .step_id = 0 });
  assert_suspended (site, 0, 7, FALSE);
  assert_suspended (site, 1, 2, FALSE);
  control_crash (site, 0, 0);
  g_assert_true (control_start (site, 0));
  LkStepReport there = { .run_id = 1, .step_id = 1, .state = LK_STEP_RUNNING };
  job_site_report (site, &there, 1);
  assert_suspended (site, 1, 2, FALSE);
}

static void
test_suspended (void)
{
  suspend_steps (&job_site_seldom);
  suspend_steps (&job_site_often);
}

/* ---------------------------------------------------------------- behind a crash */

static void
assert_derived (ControlSite *site, guint exit_code, guint signal)
{
  LkPeer user = control_user (CONTROL_USER);
  LkMessage message = { .kind = LK_MESSAGE_STATE_QUERY };
  LkRecord record;
  message.state_query.request = 1;
  message.state_query.record = LK_RECORD_JOB;
  message.state_query.job_id = 1;
  control_forget_sent (site);
  control_message (site, &user, &message);
  control_settle (site);
  g_assert_true (control_sent (site, JOB_SITE_PEER, LK_MESSAGE_STATE_PAGE, 0, &message));
  LkBytes left = message.state_page.records;
  g_assert_true (lk_record_next (&left, LK_RECORD_JOB, &record));
  g_assert_cmpuint (record.job.derived_exit_code, ==, exit_code);
  g_assert_cmpuint (record.job.derived_signal, ==, signal);
}

static void
crash_with (const ControlOptions *options)
{
  g_autoptr (ControlSite) site = job_site_new (options, 1);
  assert_answer (site, 1, &job_site_one_task, "0: n1 t0 c1 [0]");
  assert_answer (site, 2, &job_site_one_task, "1: n1 t0 c1 [1]");
  job_site_step_starts (site, 0, 0);
  job_site_step_starts (site, 0, 1);
  LkMessage_step_create over = { .tasks = 1, .flags = LK_STEP_FLAG_OVERLAP };
  job_site_ask (site, CONTROL_USER, 3, &over);
  job_site_step_starts (site, 0, 2);
  job_site_step_ends (site, 0, &(LkStepReport){ .step_id = 2, .exit_code = 4 });
  assert_derived (site, 4, 0);
  control_crash (site, 0, 0);
  control_forget_sent (site);
  g_assert_true (control_start (site, 0));
  lk_controller_check (site->core);
  /* Of two that ran one runs; one was ended before, and its agent waits to hear so. */
  LkStepReport there[] = { { .run_id = 1, .step_id = 1, .state = LK_STEP_RUNNING },
                           { .run_id = 1, .step_id = 2, .state = LK_STEP_ENDED } };
  job_site_report (site, there, 2);
  job_site_assert_notes (site, "+0 +1 +2 -2:FAILED:4:0 -0:CANCELLED:0:9");
  g_assert_cmpuint (job_site_sent (site, 0, LK_MESSAGE_STEP_FORGET), ==, 1);
  assert_answer (site, 1001, &job_site_one_task, "3: n1 t0 c1 [0]");
  assert_answer (site, 2, &job_site_one_task, "1: n1 t0 c1 [1]");
  lk_controller_check (site->core);
  assert_derived (site, 4, 0);
}

static void
test_crash (void)
{
  crash_with (&job_site_seldom);
}

static void
test_snapshot (void)
{
  crash_with (&job_site_often);
}

/* What was launched and not begun is launched again, by a controller that knows what it needs. */
static void
test_agent_restarts (void)
{
  g_autoptr (ControlSite) site = job_site_new (&job_site_seldom, 1);
  job_site_ask (site, CONTROL_USER, 1, &job_site_one_task);
  job_site_ask (site, CONTROL_USER, 2, &job_site_one_task);
  job_site_step_starts (site, 0, 1);
  control_forget_sent (site);
  job_site_report (site, NULL, 0);
  LkMessage launch;
  g_assert_cmpuint (launches (site, 0), ==, 1);
  g_assert_true (control_sent (site, CONTROL_AGENT_PEER (0), LK_MESSAGE_STEP_LAUNCH, 0, &launch));
  g_assert_cmpuint (launch.step_launch.step_id, ==, 0);
  job_site_assert_notes (site, "+0 +1 -1:CANCELLED:0:9");
  /* One that nobody knows is told to end. */
  LkStepReport stray = { .run_id = 1, .step_id = 9, .state = LK_STEP_RUNNING };
  control_forget_sent (site);
  LkMessage beat = { .kind = LK_MESSAGE_REGISTER };
  beat.register_node.node = lk_text ("n1");
  beat.register_node.agent_id = 6;
  job_site_say (site, 0, &beat);
  job_site_report (site, &stray, 1);
  g_assert_cmpuint (job_site_sent (site, 0, LK_MESSAGE_STEP_KILL), ==, 1);
}

/* Nothing is told, and nothing launched, that a crash could take back. */
static void
test_durable (void)
{
  g_autoptr (ControlSite) site = job_site_new (&job_site_seldom, 1);
  site->disk_waits = TRUE;
  job_site_ask (site, CONTROL_USER, 1, &job_site_any);
  g_autofree char *early = answer (site, JOB_SITE_PEER);
  g_assert_cmpstr (early, ==, "nothing");
  g_assert_cmpuint (launches (site, 0), ==, 0);
  site->disk_waits = FALSE;
  control_settle (site);
  g_autofree char *late = answer (site, JOB_SITE_PEER);
  g_assert_cmpstr (late, ==, "0: n1 t0 c2 [0-1]");
  g_assert_cmpuint (launches (site, 0), ==, 1);
}

static void
test_pool (void)
{
  static const ControlOptions pool = { .is_pool = TRUE,
                                       .snapshot_events = 1000,
                                       .session_count_max = 100 };
  g_autoptr (ControlSite) site = control_site_new (&pool);
  control_start_all (site);
  control_submit (site, 1, 3, 0);
  assert_answer (site, 1, &job_site_one_task, "0: pool t0 c1 []");
  LkMessage_step_create three = { .tasks = 3, .flags = LK_STEP_FLAG_EXACT };
  assert_answer (site, 2, &three, "Requested nodes are busy");
  three.tasks = 4;
  assert_answer (site, 3, &three, "More processors requested than permitted");
  lk_controller_check (site->core);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/steps/are created, launched, ended and forgotten", test_created);
  g_test_add_func ("/steps/have what they get for themselves", test_apart);
  g_test_add_func ("/steps/are created once", test_again);
  g_test_add_func ("/steps/are refused", test_refused);
  g_test_add_func ("/steps/a node has at most 512 tasks of one", test_task_count);
  g_test_add_func ("/steps/lists name no more nodes than there are", test_node_names);
  g_test_add_func ("/steps/an answer of any length comes in pages", test_pages);
  g_test_add_func ("/steps/one that would not fit is not created", test_too_long);
  g_test_add_func ("/steps/tell what they use", test_usage);
  g_test_add_func ("/steps/end with their run", test_run_ends);
  g_test_add_func ("/steps/end where a node is lost", test_node_lost);
  g_test_add_func ("/steps/an allocation is needed no more", test_complete);
  g_test_add_func ("/steps/an allocation that is complete is not cancelled", test_complete_counts);
  g_test_add_func ("/steps/stop their time while the job is suspended", test_suspended);
  g_test_add_func ("/steps/survive a crash of the controller", test_crash);
  g_test_add_func ("/steps/survive it by a snapshot", test_snapshot);
  g_test_add_func ("/steps/are launched again by an agent that comes back", test_agent_restarts);
  g_test_add_func ("/steps/are durable before anybody hears of them", test_durable);
  g_test_add_func ("/steps/share a pool", test_pool);
  return g_test_run ();
}
