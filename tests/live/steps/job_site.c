/* tests/live/steps/job_site.c — see the header. */
#include "tests/live/steps/job_site.h"

#include "live/core/step_task.h"

const ControlOptions job_site_seldom = { .snapshot_events = 1000, .session_count_max = 100 };
const ControlOptions job_site_often = { .snapshot_events = 1, .session_count_max = 100 };

const LkMessage_step_create job_site_any = { 0 };
const LkMessage_step_create job_site_one_task = { .tasks = 1, .flags = LK_STEP_FLAG_EXACT };

LkMessage
job_site_message (const ControlSite *site, guint node, LkMessageKind kind)
{
  LkMessage message = { .kind = kind };
  /* All that agents send begins with the node and the epoch. */
  message.run_started.node = lk_text (control_agent (node).name);
  message.run_started.epoch = control_epoch (site, node);
  return message;
}

void
job_site_say (ControlSite *site, guint node, const LkMessage *message)
{
  LkPeer agent = control_agent (node);
  control_message (site, &agent, message);
  control_settle (site);
}

static void
run_starts (ControlSite *site, guint node, guint64 run_id)
{
  LkMessage message = job_site_message (site, node, LK_MESSAGE_RUN_STARTED);
  message.run_started.run_id = run_id;
  job_site_say (site, node, &message);
}

/* Job 1 has both CPUs of each of so many nodes; its run is 1. */
ControlSite *
job_site_new (const ControlOptions *options, guint node_count)
{
  ControlSite *site = control_site_new (options);
  control_start_all (site);
  control_submit (site, 1, node_count * CONTROL_CPUS, 0);
  for (guint node = 0; node < node_count; node++)
    run_starts (site, node, 1);
  control_forget_sent (site);
  return site;
}

void
job_site_ask (ControlSite *site, guint32 user_id, guint64 request,
              const LkMessage_step_create *wanted)
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

guint
job_site_sent (const ControlSite *site, guint node, LkMessageKind kind)
{
  return control_sent_count (site, CONTROL_AGENT_PEER (node), kind);
}

void
job_site_step_starts (ControlSite *site, guint node, guint32 step_id)
{
  LkMessage message = job_site_message (site, node, LK_MESSAGE_STEP_STARTED);
  message.step_started.run_id = 1;
  message.step_started.step_id = step_id;
  job_site_say (site, node, &message);
}

void
job_site_step_ends (ControlSite *site, guint node, const LkStepReport *how)
{
  LkMessage message = job_site_message (site, node, LK_MESSAGE_STEP_ENDED);
  message.step_ended.run_id = 1;
  message.step_ended.step_id = how->step_id;
  message.step_ended.state = LK_STEP_ENDED;
  message.step_ended.exit_code = how->exit_code;
  message.step_ended.signal = how->signal;
  message.step_ended.counted_tasks = how->counted_tasks;
  message.step_ended.rss_max_bytes = how->rss_max_bytes;
  message.step_ended.rss_max_task = how->rss_max_task;
  message.step_ended.user_cpu_us = how->user_cpu_us;
  job_site_say (site, node, &message);
}

/* All notes of steps, as "+0 -0:COMPLETED". Returns: (transfer full). */
char *
job_site_notes (const ControlSite *site)
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

void
job_site_assert_notes (const ControlSite *site, const char *expected)
{
  g_autofree char *found = job_site_notes (site);
  g_assert_cmpstr (found, ==, expected);
}

/* The agent of node 0 registers with run 1 and these steps. */
void
job_site_report (ControlSite *site, const LkStepReport *steps, guint count)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  g_autoptr (GByteArray) runs = g_byte_array_new ();
  LkRunReport run = { .run_id = 1, .job_id = 1, .state = LK_RUN_RUNNING };
  LkMessage message = { .kind = LK_MESSAGE_REGISTER };
  message.register_node.node = lk_text ("n1");
  message.register_node.agent_id = 5;
  job_site_say (site, 0, &message);
  for (guint i = 0; i < count; i++)
    lk_step_report_append (&steps[i], bytes);
  lk_run_report_append (&run, runs);
  message = job_site_message (site, 0, LK_MESSAGE_REPORT);
  message.report = (LkMessage_report){ .node = lk_text ("n1"),
                                       .agent_id = 5,
                                       .epoch = control_epoch (site, 0),
                                       .cpus = CONTROL_CPUS,
                                       .memory_bytes = CONTROL_MEMORY_BYTES,
                                       .gres = lk_text (CONTROL_GRES),
                                       .runs = { runs->data, runs->len },
                                       .steps = { bytes->data, bytes->len } };
  job_site_say (site, 0, &message);
}
