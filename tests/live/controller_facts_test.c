/* tests/live/controller_facts_test.c — what a launch says of its job, and what of a run's use is in
 * the journal. */
#include <string.h>

#include "tests/live/controller_site.h"

static ControlSite *
site_started (guint64 snapshot_events)
{
  ControlOptions options = { .snapshot_events = snapshot_events, .session_count_max = 8 };
  ControlSite *site = control_site_new (&options);
  control_start_all (site);
  control_forget_sent (site);
  return site;
}

static void
submit (ControlSite *site, guint64 session, const LkEvent_submit *asked)
{
  LkEvent event = { .kind = LK_EVENT_SUBMIT };
  event.submit = *asked;
  event.submit.user_id = CONTROL_USER;
  event.submit.estimate_us = 3600 * CONTROL_SECOND_US;
  control_ask (site, CONTROL_USER, session, 1, &event);
  control_settle (site);
}

static gboolean
is_text (const char *bytes, guint32 length_bytes, const char *expected)
{
  return length_bytes == strlen (expected) && memcmp (bytes, expected, length_bytes) == 0;
}

#define assert_text(text, expected)                                                                \
  g_assert_true (is_text ((text).bytes, (text).length_bytes, expected))

static void
test_names (void)
{
  g_autoptr (ControlSite) site = site_started (1000);
  LkMessage launch;
  LkEvent_submit asked = { .procs = 4, .tasks = 4, .cpus_per_task = 1, .tasks_per_node = 2 };
  asked.nodes_min = 2;
  asked.name = lk_text ("sim \"x\"");
  asked.comment = lk_text ("for people");
  submit (site, 1, &asked);
  g_assert_true (control_sent (site, CONTROL_AGENT_PEER (1), LK_MESSAGE_LAUNCH, 0, &launch));
  assert_text (launch.launch.job_name, "sim \"x\"");
  g_assert_cmpuint (launch.launch.partition.length_bytes, >, 0);
  assert_text (launch.launch.comment, "for people");
  assert_text (launch.launch.cpus, "2(x2)");
  assert_text (launch.launch.memory, "1073741824(x2)");
  g_assert_cmpuint (launch.launch.tasks, ==, 4);
  g_assert_cmpuint (launch.launch.cpus_per_task, ==, 1);
  g_assert_cmpuint (launch.launch.tasks_per_node, ==, 2);
  g_assert_cmpuint (launch.launch.array_count, ==, 0);
  g_assert_cmpint (launch.launch.start_us, >, 0);
  g_assert_cmpint (launch.launch.end_us, ==, launch.launch.start_us + 3600 * CONTROL_SECOND_US);
}

static void
assert_span (const LkMessage_launch *launch)
{
  g_assert_cmpuint (launch->array_job_id, ==, 1);
  g_assert_cmpuint (launch->array_count, ==, 4);
  g_assert_cmpuint (launch->array_min, ==, 0);
  g_assert_cmpuint (launch->array_max, ==, 11);
  g_assert_cmpuint (launch->array_step, ==, 3);
}

/* Each task is told the same, the last one too, when all the others have ended. */
static void
test_array (void)
{
  g_autoptr (ControlSite) site = site_started (1000);
  LkEvent_submit asked = { .procs = 2 };
  asked.array = lk_text ("0,3,6,11");
  submit (site, 1, &asked);
  guint seen = 0;
  for (guint round = 0; round < 4; round++) {
    g_autoptr (GArray) ended = g_array_new (FALSE, FALSE, sizeof (LkRunReport));
    for (guint node = 0; node < CONTROL_NODES; node++) {
      LkMessage message;
      for (guint i = 0;
           control_sent (site, CONTROL_AGENT_PEER (node), LK_MESSAGE_LAUNCH, i, &message);
           i++, seen++) {
        assert_span (&message.launch);
        LkRunReport how = { .run_id = message.launch.run_id, .job_id = message.launch.job_id };
        g_array_append_val (ended, how);
      }
    }
    control_forget_sent (site);
    for (guint i = 0; i < ended->len; i++)
      control_run_ended (site, i, &g_array_index (ended, LkRunReport, i), "");
    if (ended->len == 0)
      control_wait_beating (site, 30 * CONTROL_SECOND_US, 7);
  }
  g_assert_cmpuint (seen, ==, 4);
}

/* A launch that is sent after a restart says what it said before, from a snapshot and without. */
static void
check_restart (guint64 snapshot_events)
{
  g_autoptr (ControlSite) site = site_started (snapshot_events);
  LkMessage before;
  LkMessage after;
  LkEvent_submit asked = { .procs = 2, .tasks = 2 };
  asked.name = lk_text ("again");
  asked.array = lk_text ("2-8:2");
  submit (site, 1, &asked);
  g_assert_true (control_sent (site, CONTROL_AGENT_PEER (0), LK_MESSAGE_LAUNCH, 0, &before));
  g_autoptr (GByteArray) a = g_byte_array_new ();
  before.launch.epoch = 0;
  lk_message_encode (&before, a);
  control_crash (site, G_MAXUINT, 0);
  control_start_all (site);
  g_assert_true (control_sent (site, CONTROL_AGENT_PEER (0), LK_MESSAGE_LAUNCH, 0, &after));
  g_autoptr (GByteArray) b = g_byte_array_new ();
  after.launch.epoch = 0;
  lk_message_encode (&after, b);
  g_assert_cmpuint (a->len, ==, b->len);
  g_assert_true (memcmp (a->data, b->data, a->len) == 0);
  g_assert_cmpuint (after.launch.array_step, ==, 2);
}

static void
test_restart (void)
{
  check_restart (1);
  check_restart (1000);
}

/* ---------------------------------------------------------------- use */

static guint
usage_notes (const ControlSite *site, LkMessage_kept_usage *out_last)
{
  const GByteArray *journal = control_file (site, LK_CONTROLLER_JOURNAL);
  LkJournalHeader header;
  LkEvent event;
  const char *fault;
  guint count = 0;
  g_autoptr (LkJournalReader) reader =
      lk_journal_reader_new (journal->data, journal->len, &header, &fault);
  while (lk_journal_reader_next (reader, &event) == LK_JOURNAL_EVENT) {
    const guint8 *bytes;
    gsize length_bytes;
    LkMessage note;
    while (lk_journal_reader_note (reader, &bytes, &length_bytes)) {
      g_assert_true (lk_message_decode (bytes, length_bytes, &note));
      if (note.kind != LK_MESSAGE_KEPT_USAGE)
        continue;
      *out_last = note.kept_usage;
      count++;
    }
  }
  return count;
}

static void
test_usage (void)
{
  g_autoptr (ControlSite) site = site_started (1000);
  LkMessage_kept_usage last = { 0 };
  LkRunReport how = { .run_id = 1, .job_id = 1, .user_cpu_us = 7, .max_rss_bytes = 4096 };
  control_submit (site, 1, 2, 0);
  control_run_ended (site, 0, &how, "");
  control_run_ended (site, 0, &how, "");
  g_assert_cmpuint (usage_notes (site, &last), ==, 1);
  g_assert_cmpuint (last.run_id, ==, 1);
  g_assert_cmpuint (last.job_id, ==, 1);
  g_assert_cmpuint (last.node, ==, 0);
  g_assert_cmpint (last.user_cpu_us, ==, 7);
  g_assert_cmpint (last.system_cpu_us, ==, 0);
  g_assert_cmpuint (last.max_rss_bytes, ==, 4096);
  /* The journal is read again with it in. */
  control_crash (site, G_MAXUINT, 0);
  g_assert_true (control_start (site, 0));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/controller facts/names and counts are the engine's", test_names);
  g_test_add_func ("/controller facts/all tasks are told of the same array", test_array);
  g_test_add_func ("/controller facts/a restart changes none of them", test_restart);
  g_test_add_func ("/controller facts/use is noted once", test_usage);
  return g_test_run ();
}
