/* tests/live/steps/controller_steps_test.c — steps of jobs, as the controller keeps them: what they
 * get, what is sent for them, how they end, and what a crash leaves of them. */
#include <string.h>

#include "live/core/record.h"
#include "live/core/step_task.h"
#include "tests/live/controller_site.h"

static const ControlOptions seldom = { .snapshot_events = 1000, .session_count_max = 100 };
static const ControlOptions often = { .snapshot_events = 1, .session_count_max = 100 };

#define USER_PEER CONTROL_USER_PEER (CONTROL_USER)

/* ---------------------------------------------------------------- a job that runs */

static LkMessage
agent_message (const ControlSite *site, guint node, LkMessageKind kind)
{
  LkMessage message = { .kind = kind };
  /* All that agents send begins with the node and the epoch. */
  message.run_started.node = lk_text (control_agent (node).name);
  message.run_started.epoch = control_epoch (site, node);
  return message;
}

static void
say (ControlSite *site, guint node, const LkMessage *message)
{
  LkPeer agent = control_agent (node);
  control_message (site, &agent, message);
  control_settle (site);
}

static void
run_starts (ControlSite *site, guint node, guint64 run_id)
{
  LkMessage message = agent_message (site, node, LK_MESSAGE_RUN_STARTED);
  message.run_started.run_id = run_id;
  say (site, node, &message);
}

/* Job 1 has both CPUs of each of so many nodes; its run is 1. */
static ControlSite *
site_with_job (const ControlOptions *options, guint node_count)
{
  ControlSite *site = control_site_new (options);
  control_start_all (site);
  control_submit (site, 1, node_count * CONTROL_CPUS, 0);
  for (guint node = 0; node < node_count; node++)
    run_starts (site, node, 1);
  control_forget_sent (site);
  return site;
}

/* ---------------------------------------------------------------- requests */

static void
ask_as (ControlSite *site, guint32 user_id, guint64 request, const LkMessage_step_create *wanted)
{
  LkPeer user = control_user (user_id);
  g_autoptr (GByteArray) payload = g_byte_array_new ();
  LkStepTask task = { .work_dir = lk_bytes ("/tmp") };
  LkMessage message = { .kind = LK_MESSAGE_STEP_CREATE, .step_create = *wanted };
  lk_step_task_encode (&task, payload);
  message.step_create.session = 7;
  message.step_create.request = request;
  message.step_create.job_id = wanted->job_id != 0 ? wanted->job_id : 1;
  message.step_create.payload = (LkBytes){ payload->data, payload->len };
  control_message (site, &user, &message);
  control_settle (site);
}

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
  ask_as (site, CONTROL_USER, request, wanted);
  g_autofree char *found = answer (site, USER_PEER);
  g_assert_cmpstr (found, ==, expected);
}

static const LkMessage_step_create any = { 0 };
static const LkMessage_step_create one_task = { .tasks = 1, .flags = LK_STEP_FLAG_EXACT };

static guint
launches (const ControlSite *site, guint node)
{
  return control_sent_count (site, CONTROL_AGENT_PEER (node), LK_MESSAGE_STEP_LAUNCH);
}

static guint
sent_to (const ControlSite *site, guint node, LkMessageKind kind)
{
  return control_sent_count (site, CONTROL_AGENT_PEER (node), kind);
}

static void
step_starts (ControlSite *site, guint node, guint32 step_id)
{
  LkMessage message = agent_message (site, node, LK_MESSAGE_STEP_STARTED);
  message.step_started.run_id = 1;
  message.step_started.step_id = step_id;
  say (site, node, &message);
}

static void
step_ends (ControlSite *site, guint node, const LkStepReport *how)
{
  LkMessage message = agent_message (site, node, LK_MESSAGE_STEP_ENDED);
  message.step_ended.run_id = 1;
  message.step_ended.step_id = how->step_id;
  message.step_ended.state = LK_STEP_ENDED;
  message.step_ended.exit_code = how->exit_code;
  message.step_ended.signal = how->signal;
  message.step_ended.counted_tasks = how->counted_tasks;
  message.step_ended.rss_max_bytes = how->rss_max_bytes;
  message.step_ended.rss_max_task = how->rss_max_task;
  message.step_ended.user_cpu_us = how->user_cpu_us;
  say (site, node, &message);
}

/* ---------------------------------------------------------------- the journal, and what is told */

/* All notes of steps, as "+0 -0:COMPLETED". Returns: (transfer full). */
static char *
notes (const ControlSite *site)
{
  const GByteArray *file = control_file (site, LK_CONTROLLER_JOURNAL);
  LkJournalHeader header;
  const char *fault;
  LkEvent event;
  const guint8 *bytes;
  gsize length_bytes;
  LkMessage note;
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (LkJournalReader) reader =
      lk_journal_reader_new (file->data, file->len, &header, &fault);
  while (lk_journal_reader_next (reader, &event) == LK_JOURNAL_EVENT)
    while (lk_journal_reader_note (reader, &bytes, &length_bytes)) {
      g_assert_true (lk_message_decode (bytes, length_bytes, &note));
      const char *space = text->len > 0 ? " " : "";
      if (note.kind == LK_MESSAGE_KEPT_STEP)
        g_string_append_printf (text, "%s+%u", space, note.kept_step.step_id);
      else if (note.kind == LK_MESSAGE_KEPT_STEP_ENDED)
        g_string_append_printf (text, "%s-%u:%s:%u:%u", space, note.kept_step_ended.step_id,
                                lk_job_state_name ((LkJobState)note.kept_step_ended.state),
                                note.kept_step_ended.exit_code, note.kept_step_ended.signal);
      else if (note.kind == LK_MESSAGE_KEPT_COMPLETE)
        g_string_append_printf (text, "%scomplete", space);
    }
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static void
assert_notes (const ControlSite *site, const char *expected)
{
  g_autofree char *found = notes (site);
  g_assert_cmpstr (found, ==, expected);
}

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
  g_assert_true (control_sent (site, USER_PEER, LK_MESSAGE_STATE_PAGE, 0, &message));
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
  g_autoptr (ControlSite) site = site_with_job (&seldom, 2);
  LkMessage launch;
  assert_answer (site, 1, &any, "0: n1 t0 c2 [0-1] n2 t1 c2 [0-1]");
  for (guint node = 0; node < 2; node++) {
    g_assert_true (
        control_sent (site, CONTROL_AGENT_PEER (node), LK_MESSAGE_STEP_LAUNCH, 0, &launch));
    g_assert_cmpuint (launch.step_launch.place, ==, node);
    g_assert_cmpuint (launch.step_launch.tasks, ==, 2);
    g_assert_cmpuint (launch.step_launch.run_id, ==, 1);
    g_assert_cmpuint (launch.step_launch.payload.length_bytes, >, 0);
    g_assert_cmpint (launch.step_launch.kill_wait_us, ==, 30 * CONTROL_SECOND_US);
  }
  assert_notes (site, "+0");
  g_autofree char *steps = told (site);
  g_assert_cmpstr (steps, ==, "0 n[1-2] cpu=4,mem=2048M,node=2; b cpu=2,mem=1024M,node=1");
  step_starts (site, 0, 0);
  step_starts (site, 1, 0);
  step_ends (site, 0, &(LkStepReport){ .exit_code = 3 });
  g_assert_cmpuint (sent_to (site, 0, LK_MESSAGE_STEP_FORGET), ==, 0);
  step_ends (site, 1, &(LkStepReport){ .exit_code = 2 });
  assert_notes (site, "+0 -0:FAILED:3:0");
  g_assert_cmpuint (sent_to (site, 0, LK_MESSAGE_STEP_FORGET), ==, 1);
  g_assert_cmpuint (sent_to (site, 1, LK_MESSAGE_STEP_FORGET), ==, 1);
  /* Its agent has not heard it. */
  step_ends (site, 1, &(LkStepReport){ .exit_code = 2 });
  g_assert_cmpuint (sent_to (site, 1, LK_MESSAGE_STEP_FORGET), ==, 2);
  assert_notes (site, "+0 -0:FAILED:3:0");
  lk_controller_check (site->core);
}

static void
test_apart (void)
{
  g_autoptr (ControlSite) site = site_with_job (&seldom, 1);
  assert_answer (site, 1, &one_task, "0: n1 t0 c1 [0]");
  assert_answer (site, 2, &one_task, "1: n1 t0 c1 [1]");
  assert_answer (site, 3, &one_task, "Requested nodes are busy");
  LkMessage_step_create over = { .tasks = 2, .flags = LK_STEP_FLAG_OVERLAP };
  assert_answer (site, 4, &over, "2: n1 t0-1 c2 [0-1]");
  step_starts (site, 0, 0);
  step_ends (site, 0, &(LkStepReport){ .step_id = 0 });
  assert_answer (site, 5, &one_task, "3: n1 t0 c1 [0]");
  LkMessage_step_create three = { .tasks = 3 };
  assert_answer (site, 6, &three, "More processors requested than permitted");
  lk_controller_check (site->core);
}

/* One that comes again is one; what it needs goes with each launch until all have begun. */
static void
test_again (void)
{
  g_autoptr (ControlSite) site = site_with_job (&seldom, 1);
  assert_answer (site, 1, &any, "0: n1 t0 c2 [0-1]");
  assert_answer (site, 1, &any, "0: n1 t0 c2 [0-1]");
  g_assert_cmpuint (launches (site, 0), ==, 1);
  control_wait (site, 6 * CONTROL_SECOND_US);
  g_assert_cmpuint (launches (site, 0), ==, 1); /* of the last instant */
  step_starts (site, 0, 0);
  control_forget_sent (site);
  control_wait (site, 11 * CONTROL_SECOND_US);
  g_assert_cmpuint (launches (site, 0), ==, 0);
  step_ends (site, 0, &(LkStepReport){ .step_id = 0 });
  assert_answer (site, 1, &any, "0: n1 t0 c2 [0-1]");
  assert_notes (site, "+0 -0:COMPLETED:0:0");
}

static void
test_refused (void)
{
  g_autoptr (ControlSite) site = site_with_job (&seldom, 1);
  LkMessage_step_create other = { .job_id = 77 };
  assert_answer (site, 1, &other, "Invalid job id specified");
  ask_as (site, 1002, 1, &any);
  g_autofree char *denied = answer (site, CONTROL_USER_PEER (1002));
  g_assert_cmpstr (denied, ==, "Access/permission denied");
  control_submit (site, 2, 6, 0);
  other.job_id = 2;
  assert_answer (site, 2, &other, "Job is pending execution");
  control_order (site, 3, LK_EVENT_CANCEL, 1);
  assert_answer (site, 3, &any, "Job/step already completing or completed");
}

/* ---------------------------------------------------------------- ends */

static void
test_usage (void)
{
  g_autoptr (ControlSite) site = site_with_job (&seldom, 2);
  ask_as (site, CONTROL_USER, 1, &any);
  step_starts (site, 0, 0);
  step_starts (site, 1, 0);
  LkMessage usage = agent_message (site, 1, LK_MESSAGE_STEP_USAGE);
  usage.step_usage.run_id = 1;
  usage.step_usage.counted_tasks = 1;
  usage.step_usage.rss_max_bytes = 500;
  usage.step_usage.rss_max_task = 1;
  say (site, 1, &usage);
  step_ends (site, 0,
             &(LkStepReport){ .counted_tasks = 1, .rss_max_bytes = 300, .user_cpu_us = 20 });
  LkPeer user = control_user (CONTROL_USER);
  LkMessage query = { .kind = LK_MESSAGE_STATE_QUERY };
  query.state_query.record = LK_RECORD_STEP;
  query.state_query.job_id = 1;
  control_forget_sent (site);
  control_message (site, &user, &query);
  control_settle (site);
  LkMessage page;
  LkRecord record;
  g_assert_true (control_sent (site, USER_PEER, LK_MESSAGE_STATE_PAGE, 0, &page));
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
  g_autoptr (ControlSite) site = site_with_job (&seldom, 1);
  ask_as (site, CONTROL_USER, 1, &any);
  step_starts (site, 0, 0);
  control_run_ended (site, 0, &(LkRunReport){ .run_id = 1, .job_id = 1 }, "");
  control_settle (site);
  assert_notes (site, "+0 -0:CANCELLED:0:9");
  lk_controller_check (site->core);
}

/* Asks, as a request of that number; the answer may wait. */
static void
ask_signal (ControlSite *site, guint64 request, guint32 step_id, guint8 signal)
{
  LkPeer user = control_user (CONTROL_USER);
  LkMessage message = { .kind = LK_MESSAGE_STEP_SIGNAL };
  message.step_signal = (LkMessage_step_signal){
    .session = 7, .request = request, .job_id = 1, .step_id = step_id, .signal = signal
  };
  control_forget_sent (site);
  control_message (site, &user, &message);
  control_settle (site);
}

static void
signal_step (ControlSite *site, guint32 step_id, guint8 signal, guint16 error)
{
  static guint64 request = 99;
  LkMessage message;
  ask_signal (site, request++, step_id, signal);
  g_assert_true (control_sent (site, USER_PEER, LK_MESSAGE_STEP_REPLY, 0, &message));
  g_assert_cmpuint (message.step_reply.error, ==, error);
}

/* The number of the order that node 0 was sent last; its signal has to be this one. */
static guint64
order_sent (const ControlSite *site, guint8 signal)
{
  LkMessage kill;
  g_assert_cmpuint (sent_to (site, 0, LK_MESSAGE_STEP_KILL), ==, 1);
  g_assert_true (control_sent (site, CONTROL_AGENT_PEER (0), LK_MESSAGE_STEP_KILL, 0, &kill));
  g_assert_cmpuint (kill.step_kill.signal, ==, signal);
  return kill.step_kill.seq;
}

static void
step_hears (ControlSite *site, guint64 seq)
{
  LkMessage heard = agent_message (site, 0, LK_MESSAGE_STEP_HEARD);
  heard.step_heard.run_id = 1;
  heard.step_heard.seq = seq;
  control_forget_sent (site);
  say (site, 0, &heard);
}

static void
test_signals (void)
{
  g_autoptr (ControlSite) site = site_with_job (&seldom, 1);
  LkMessage kill;
  ask_as (site, CONTROL_USER, 1, &any);
  step_starts (site, 0, 0);
  signal_step (site, 5, 10, LK_STEP_ERROR_INVALID_STEP_ID);
  signal_step (site, 0, 10, 0);
  g_assert_true (control_sent (site, CONTROL_AGENT_PEER (0), LK_MESSAGE_STEP_KILL, 0, &kill));
  g_assert_cmpuint (kill.step_kill.signal, ==, 10);
  step_hears (site, kill.step_kill.seq);
  control_wait (site, 11 * CONTROL_SECOND_US);
  g_assert_cmpuint (sent_to (site, 0, LK_MESSAGE_STEP_KILL), ==, 0);
  signal_step (site, G_MAXUINT32, 0, 0);
  g_assert_true (control_sent (site, CONTROL_AGENT_PEER (0), LK_MESSAGE_STEP_KILL, 0, &kill));
  g_assert_cmpuint (kill.step_kill.seq, ==, 0);
  step_ends (site, 0, &(LkStepReport){ .signal = 15 });
  signal_step (site, 0, 10, LK_STEP_ERROR_ALREADY_DONE);
  assert_notes (site, "+0 -0:CANCELLED:0:15");
}

/* SIGKILL is the end at once, with nothing before it. */
static void
test_killed (void)
{
  g_autoptr (ControlSite) site = site_with_job (&seldom, 1);
  LkMessage kill;
  ask_as (site, CONTROL_USER, 1, &any);
  step_starts (site, 0, 0);
  signal_step (site, 0, 9, 0);
  g_assert_true (control_sent (site, CONTROL_AGENT_PEER (0), LK_MESSAGE_STEP_KILL, 0, &kill));
  g_assert_cmpuint (kill.step_kill.seq, ==, 0);
  g_assert_cmpint (kill.step_kill.kill_wait_us, ==, 0);
  step_ends (site, 0, &(LkStepReport){ .signal = 9 });
  assert_notes (site, "+0 -0:CANCELLED:0:9");
}

/* With the last order to a node to end a step. */
static guint8
why_sent (const ControlSite *site, guint node)
{
  LkMessage kill;
  g_assert_true (control_sent (site, CONTROL_AGENT_PEER (node), LK_MESSAGE_STEP_KILL, 0, &kill));
  return kill.step_kill.why;
}

static void
test_limit (void)
{
  g_autoptr (ControlSite) site = site_with_job (&seldom, 1);
  LkMessage_step_create want = { .limit_us = 20 * CONTROL_SECOND_US };
  ask_as (site, CONTROL_USER, 1, &want);
  step_starts (site, 0, 0);
  control_forget_sent (site);
  control_wait_beating (site, 15 * CONTROL_SECOND_US, 7);
  g_assert_cmpuint (sent_to (site, 0, LK_MESSAGE_STEP_KILL), ==, 0);
  control_wait_beating (site, 6 * CONTROL_SECOND_US, 7);
  control_forget_sent (site);
  control_wait (site, 6 * CONTROL_SECOND_US);
  g_assert_cmpuint (why_sent (site, 0), ==, LK_END_TIME_LIMIT);
  step_ends (site, 0, &(LkStepReport){ .signal = 15 });
  assert_notes (site, "+0 -0:TIMEOUT:0:15");
}

/* Of a node that is down it is ended elsewhere, too. */
static void
test_node_lost (void)
{
  g_autoptr (ControlSite) site = site_with_job (&seldom, 2);
  ask_as (site, CONTROL_USER, 1, &any);
  step_starts (site, 0, 0);
  step_starts (site, 1, 0);
  control_order_node (site, 9, LK_EVENT_NODE_DOWN, 1, "gone");
  lk_controller_check (site->core);
  g_autofree char *found = notes (site);
  g_assert_true (g_str_has_prefix (found, "+0"));
}

static void
test_complete (void)
{
  g_autoptr (ControlSite) site = site_with_job (&seldom, 1);
  LkPeer user = control_user (CONTROL_USER);
  LkMessage message = { .kind = LK_MESSAGE_JOB_COMPLETE };
  message.job_complete =
      (LkMessage_job_complete){ .session = 7, .request = 5, .job_id = 1, .exit_code = 4 };
  site->disk_waits = TRUE;
  control_message (site, &user, &message);
  control_settle (site);
  g_assert_cmpuint (control_sent_count (site, USER_PEER, LK_MESSAGE_STEP_REPLY), ==, 0);
  g_assert_cmpuint (sent_to (site, 0, LK_MESSAGE_TERMINATE), ==, 0);
  site->disk_waits = FALSE;
  control_settle (site);
  g_assert_cmpuint (control_sent_count (site, USER_PEER, LK_MESSAGE_STEP_REPLY), ==, 1);
  g_assert_cmpuint (sent_to (site, 0, LK_MESSAGE_TERMINATE), ==, 1);
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
  assert_notes (site, "complete");
}

/* ---------------------------------------------------------------- behind a crash */

/* The agent of node 0 registers with run 1 and these steps. */
static void
report_steps (ControlSite *site, const LkStepReport *steps, guint count)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  g_autoptr (GByteArray) runs = g_byte_array_new ();
  LkRunReport run = { .run_id = 1, .job_id = 1, .state = LK_RUN_RUNNING };
  LkMessage message = { .kind = LK_MESSAGE_REGISTER };
  message.register_node.node = lk_text ("n1");
  message.register_node.agent_id = 5;
  say (site, 0, &message);
  for (guint i = 0; i < count; i++)
    lk_step_report_append (&steps[i], bytes);
  lk_run_report_append (&run, runs);
  message = agent_message (site, 0, LK_MESSAGE_REPORT);
  message.report = (LkMessage_report){ .node = lk_text ("n1"),
                                       .agent_id = 5,
                                       .epoch = control_epoch (site, 0),
                                       .cpus = CONTROL_CPUS,
                                       .memory_bytes = CONTROL_MEMORY_BYTES,
                                       .gres = lk_text (CONTROL_GRES),
                                       .runs = { runs->data, runs->len },
                                       .steps = { bytes->data, bytes->len } };
  say (site, 0, &message);
}

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
  g_assert_true (control_sent (site, USER_PEER, LK_MESSAGE_STATE_PAGE, 0, &message));
  LkBytes left = message.state_page.records;
  g_assert_true (lk_record_next (&left, LK_RECORD_JOB, &record));
  g_assert_cmpuint (record.job.derived_exit_code, ==, exit_code);
  g_assert_cmpuint (record.job.derived_signal, ==, signal);
}

static void
crash_with (const ControlOptions *options)
{
  g_autoptr (ControlSite) site = site_with_job (options, 1);
  assert_answer (site, 1, &one_task, "0: n1 t0 c1 [0]");
  assert_answer (site, 2, &one_task, "1: n1 t0 c1 [1]");
  step_starts (site, 0, 0);
  step_starts (site, 0, 1);
  LkMessage_step_create over = { .tasks = 1, .flags = LK_STEP_FLAG_OVERLAP };
  ask_as (site, CONTROL_USER, 3, &over);
  step_starts (site, 0, 2);
  step_ends (site, 0, &(LkStepReport){ .step_id = 2, .exit_code = 4 });
  assert_derived (site, 4, 0);
  control_crash (site, 0, 0);
  control_forget_sent (site);
  g_assert_true (control_start (site, 0));
  lk_controller_check (site->core);
  /* Of two that ran one runs; one was ended before, and its agent waits to hear so. */
  LkStepReport there[] = { { .run_id = 1, .step_id = 1, .state = LK_STEP_RUNNING },
                           { .run_id = 1, .step_id = 2, .state = LK_STEP_ENDED } };
  report_steps (site, there, 2);
  assert_notes (site, "+0 +1 +2 -2:FAILED:4:0 -0:CANCELLED:0:9");
  g_assert_cmpuint (sent_to (site, 0, LK_MESSAGE_STEP_FORGET), ==, 1);
  assert_answer (site, 1001, &one_task, "3: n1 t0 c1 [0]");
  assert_answer (site, 2, &one_task, "1: n1 t0 c1 [1]");
  lk_controller_check (site->core);
  assert_derived (site, 4, 0);
}

static void
test_crash (void)
{
  crash_with (&seldom);
}

static void
test_snapshot (void)
{
  crash_with (&often);
}

/* What was launched and not begun is launched again, by a controller that knows what it needs. */
static void
test_agent_restarts (void)
{
  g_autoptr (ControlSite) site = site_with_job (&seldom, 1);
  ask_as (site, CONTROL_USER, 1, &one_task);
  ask_as (site, CONTROL_USER, 2, &one_task);
  step_starts (site, 0, 1);
  control_forget_sent (site);
  report_steps (site, NULL, 0);
  LkMessage launch;
  g_assert_cmpuint (launches (site, 0), ==, 1);
  g_assert_true (control_sent (site, CONTROL_AGENT_PEER (0), LK_MESSAGE_STEP_LAUNCH, 0, &launch));
  g_assert_cmpuint (launch.step_launch.step_id, ==, 0);
  assert_notes (site, "+0 +1 -1:CANCELLED:0:9");
  /* One that nobody knows is told to end. */
  LkStepReport stray = { .run_id = 1, .step_id = 9, .state = LK_STEP_RUNNING };
  control_forget_sent (site);
  LkMessage beat = { .kind = LK_MESSAGE_REGISTER };
  beat.register_node.node = lk_text ("n1");
  beat.register_node.agent_id = 6;
  say (site, 0, &beat);
  report_steps (site, &stray, 1);
  g_assert_cmpuint (sent_to (site, 0, LK_MESSAGE_STEP_KILL), ==, 1);
}

/* Nothing is told, and nothing launched, that a crash could take back. */
static void
test_durable (void)
{
  g_autoptr (ControlSite) site = site_with_job (&seldom, 1);
  site->disk_waits = TRUE;
  ask_as (site, CONTROL_USER, 1, &any);
  g_autofree char *early = answer (site, USER_PEER);
  g_assert_cmpstr (early, ==, "nothing");
  g_assert_cmpuint (launches (site, 0), ==, 0);
  site->disk_waits = FALSE;
  control_settle (site);
  g_autofree char *late = answer (site, USER_PEER);
  g_assert_cmpstr (late, ==, "0: n1 t0 c2 [0-1]");
  g_assert_cmpuint (launches (site, 0), ==, 1);
}

/* ---------------------------------------------------------------- signals behind a crash */

/* The controller dies and comes back, and its agent tells that step 0 runs. */
static void
crash_beside_step (ControlSite *site)
{
  LkStepReport there = { .run_id = 1, .state = LK_STEP_RUNNING };
  control_crash (site, 0, 0);
  control_forget_sent (site);
  g_assert_true (control_start (site, 0));
  lk_controller_check (site->core);
  report_steps (site, &there, 1);
}

/* What was answered is sent again, by its number, until its agent has heard it; and then never. */
static void
signal_with (const ControlOptions *options)
{
  g_autoptr (ControlSite) site = site_with_job (options, 1);
  ask_as (site, CONTROL_USER, 1, &one_task);
  step_starts (site, 0, 0);
  signal_step (site, 0, 10, 0);
  guint64 usr1 = order_sent (site, 10);
  signal_step (site, 0, 12, 0);
  g_assert_cmpuint (sent_to (site, 0, LK_MESSAGE_STEP_KILL), ==, 0); /* one after the other */
  crash_beside_step (site);
  g_assert_cmpuint (order_sent (site, 10), ==, usr1);
  step_hears (site, usr1);
  guint64 usr2 = order_sent (site, 12);
  g_assert_cmpuint (usr2, >, usr1);
  step_hears (site, usr2);
  crash_beside_step (site);
  g_assert_cmpuint (sent_to (site, 0, LK_MESSAGE_STEP_KILL), ==, 0);
  signal_step (site, 0, 10, 0);
  g_assert_cmpuint (order_sent (site, 10), >, usr2);
}

static void
test_signal_crash (void)
{
  signal_with (&seldom);
}

static void
test_signal_snapshot (void)
{
  signal_with (&often);
}

/* So is its end, with the time that it has to it. */
static void
end_with (const ControlOptions *options, guint8 signal, gint64 kill_wait_us)
{
  g_autoptr (ControlSite) site = site_with_job (options, 1);
  LkMessage kill;
  ask_as (site, CONTROL_USER, 1, &one_task);
  step_starts (site, 0, 0);
  signal_step (site, 0, 10, 0);
  signal_step (site, 0, signal, 0);
  crash_beside_step (site);
  g_assert_cmpuint (order_sent (site, 0), ==, 0);
  g_assert_true (control_sent (site, CONTROL_AGENT_PEER (0), LK_MESSAGE_STEP_KILL, 0, &kill));
  g_assert_cmpint (kill.step_kill.kill_wait_us, ==, kill_wait_us);
  g_assert_cmpuint (kill.step_kill.why, ==, 0);
  step_ends (site, 0, &(LkStepReport){ .signal = 15 });
  assert_notes (site, "+0 -0:CANCELLED:0:15");
}

static void
test_end_crash (void)
{
  end_with (&seldom, 0, 30 * CONTROL_SECOND_US);
  end_with (&often, 0, 30 * CONTROL_SECOND_US);
  end_with (&seldom, 9, 0);
  end_with (&often, 9, 0);
}

/* Neither the answer nor the signal goes out before it is durable. */
static void
test_signal_durable (void)
{
  g_autoptr (ControlSite) site = site_with_job (&seldom, 1);
  ask_as (site, CONTROL_USER, 1, &one_task);
  step_starts (site, 0, 0);
  static const guint8 signals[] = { 10, 0 };
  for (guint i = 0; i < G_N_ELEMENTS (signals); i++) {
    site->disk_waits = TRUE;
    ask_signal (site, 10 + i, 0, signals[i]);
    g_assert_cmpuint (sent_to (site, 0, LK_MESSAGE_STEP_KILL), ==, 0);
    g_assert_cmpuint (control_sent_count (site, USER_PEER, LK_MESSAGE_STEP_REPLY), ==, 0);
    site->disk_waits = FALSE;
    control_settle (site);
    g_assert_cmpuint (sent_to (site, 0, LK_MESSAGE_STEP_KILL), ==, 1);
    g_assert_cmpuint (control_sent_count (site, USER_PEER, LK_MESSAGE_STEP_REPLY), ==, 1);
  }
}

/* A request that comes again, as its answer was lost, is one signal; behind a crash, too. */
static void
test_signal_again (void)
{
  g_autoptr (ControlSite) site = site_with_job (&seldom, 1);
  ask_as (site, CONTROL_USER, 1, &one_task);
  step_starts (site, 0, 0);
  ask_signal (site, 10, 0, 10);
  guint64 usr1 = order_sent (site, 10);
  ask_signal (site, 10, 0, 10);
  g_assert_cmpuint (control_sent_count (site, USER_PEER, LK_MESSAGE_STEP_REPLY), ==, 1);
  crash_beside_step (site);
  ask_signal (site, 10, 0, 10);
  g_assert_cmpuint (control_sent_count (site, USER_PEER, LK_MESSAGE_STEP_REPLY), ==, 1);
  step_hears (site, usr1);
  g_assert_cmpuint (sent_to (site, 0, LK_MESSAGE_STEP_KILL), ==, 0);
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
  assert_answer (site, 1, &one_task, "0: pool t0 c1 []");
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
  g_test_add_func ("/steps/tell what they use", test_usage);
  g_test_add_func ("/steps/end with their run", test_run_ends);
  g_test_add_func ("/steps/hear signals", test_signals);
  g_test_add_func ("/controller_steps/are killed at once by SIGKILL", test_killed);
  g_test_add_func ("/steps/end at their time limit", test_limit);
  g_test_add_func ("/steps/end where a node is lost", test_node_lost);
  g_test_add_func ("/steps/an allocation is needed no more", test_complete);
  g_test_add_func ("/steps/survive a crash of the controller", test_crash);
  g_test_add_func ("/steps/survive it by a snapshot", test_snapshot);
  g_test_add_func ("/steps/are launched again by an agent that comes back", test_agent_restarts);
  g_test_add_func ("/steps/are durable before anybody hears of them", test_durable);
  g_test_add_func ("/steps/hear a signal behind a crash, and once", test_signal_crash);
  g_test_add_func ("/steps/hear a signal behind a snapshot, and once", test_signal_snapshot);
  g_test_add_func ("/steps/end behind a crash, when that was asked for", test_end_crash);
  g_test_add_func ("/steps/hear no signal before it is durable", test_signal_durable);
  g_test_add_func ("/steps/hear a signal once that is asked for twice", test_signal_again);
  g_test_add_func ("/steps/share a pool", test_pool);
  return g_test_run ();
}
