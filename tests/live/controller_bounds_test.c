/* tests/live/controller_bounds_test.c — a controller with more than fits into one piece: batches,
 * snapshots and payloads of many MiB. */
#include <string.h>

#include "engine/bytes.h"
#include "engine/limits.h"
#include "live/core/controller_private.h"
#include "tests/live/controller_site.h"

static const ControlOptions options = { .snapshot_events = G_MAXUINT64, .session_count_max = 2000 };

/* Replies are held to the journal by reading it as a whole: here that would take long. */
static ControlSite *
site_started (void)
{
  ControlSite *site = control_site_new (&options);
  site->is_forged = TRUE;
  control_start_all (site);
  return site;
}

static LkEvent
job_of (guint32 flags)
{
  LkEvent event = { .kind = LK_EVENT_SUBMIT };
  event.submit.user_id = CONTROL_USER;
  event.submit.procs = event.submit.nodes_min = 1;
  event.submit.estimate_us = 3600 * CONTROL_SECOND_US;
  event.submit.flags = flags;
  return event;
}

/* Request 1 of a session. Does not settle. */
static void
submit_from (ControlSite *site, const LkPeer *peer, guint64 session, const LkEvent *event,
             const GByteArray *payload)
{
  LkMessage message = { .kind = LK_MESSAGE_SUBMIT };
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  lk_event_encode (event, bytes);
  message.submit = (LkMessage_submit){ .session = session,
                                       .request = 1,
                                       .event = { bytes->data, bytes->len },
                                       .payload = { payload->data, payload->len } };
  control_message (site, peer, &message);
}

static void
submit (ControlSite *site, guint64 session, const LkEvent *event, const GByteArray *payload)
{
  LkPeer ann = control_user (CONTROL_USER);
  submit_from (site, &ann, session, event, payload);
}

static GByteArray *
payload_of (guint length_bytes)
{
  GByteArray *payload = g_byte_array_new ();
  g_byte_array_set_size (payload, length_bytes);
  memset (payload->data, 'x', length_bytes);
  return payload;
}

static LkMessage_reply
reply_to (const ControlSite *site, guint number)
{
  LkMessage message;
  gboolean is_there =
      control_sent (site, CONTROL_USER_PEER (CONTROL_USER), LK_MESSAGE_REPLY, number, &message);
  g_assert_true (is_there);
  return message.reply;
}

/* To request 1 of a session. */
static LkMessage_reply
reply_of (const ControlSite *site, guint64 session)
{
  for (guint number = 0;; number++) {
    LkMessage_reply reply = reply_to (site, number);
    if (reply.session == session)
      return reply;
  }
}

static guint
reply_count (const ControlSite *site)
{
  guint count = 0;
  for (guint i = 0; i < site->sent->len; i++) {
    const ControlSent *sent = g_ptr_array_index (site->sent, i);
    count += sent->peer == CONTROL_USER_PEER (CONTROL_USER) ? 1 : 0;
  }
  return count;
}

/* The longest record of a journal. */
static guint32
longest_record_bytes (const GByteArray *journal)
{
  guint32 longest_bytes = 0;
  LkBytesReader reader = { journal->data + LK_JOURNAL_MAGIC_BYTES,
                           journal->len - LK_JOURNAL_MAGIC_BYTES, FALSE };
  while (reader.left_bytes > 0) {
    guint32 length_bytes = lk_take_u32 (&reader);
    lk_take_u32 (&reader);
    g_assert_nonnull (lk_take (&reader, length_bytes));
    longest_bytes = MAX (longest_bytes, length_bytes);
  }
  return longest_bytes;
}

/* So many held jobs with long texts at one instant. Equal texts would be kept once. */
static void
submit_long (ControlSite *site, guint64 count)
{
  g_autofree char *name = g_strnfill (LK_JOB_TEXT_MAX_BYTES, 'n');
  g_autoptr (GByteArray) none = g_byte_array_new ();
  LkEvent job = job_of (LK_REQUEST_HOLD);
  job.submit.name = job.submit.comment = lk_text (name);
  for (guint64 session = 1; session <= count; session++) {
    g_autofree char *number = g_strdup_printf ("%08" G_GUINT64_FORMAT, session);
    memcpy (name, number, strlen (number));
    submit (site, session, &job, none);
  }
}

/* What comes at one instant is more than a record may hold: it goes into several batches, and each
 * is answered when it is durable. */
static void
test_batches (void)
{
  const guint count = LK_LIMIT_RECORD_BYTES / LK_MESSAGE_PAYLOAD_MAX_BYTES + 2;
  g_autoptr (ControlSite) site = site_started ();
  g_autoptr (GByteArray) payload = payload_of (LK_MESSAGE_PAYLOAD_MAX_BYTES);
  LkEvent job = job_of (LK_REQUEST_HOLD);
  site->disk_waits = TRUE;
  for (guint64 session = 1; session <= count; session++)
    submit (site, session, &job, payload);
  control_settle (site);
  g_assert_cmpuint (site->writes->len, ==, 1);
  for (guint i = 0; i < 10 && site->writes->len > 0; i++) {
    control_disk_done (site, TRUE);
    control_settle (site);
  }
  g_assert_cmpuint (site->writes->len, ==, 0);
  g_assert_cmpuint (reply_count (site), ==, count);
  guint64 last = lk_controller_durable_seq (site->core);
  g_assert_cmpuint (longest_record_bytes (control_file (site, LK_CONTROLLER_JOURNAL)), <,
                    LK_LIMIT_RECORD_BYTES);
  site->disk_waits = FALSE;
  control_crash (site, 0, 0);
  g_assert_true (control_start (site, 0));
  g_assert_cmpuint (lk_controller_durable_seq (site->core), ==, last);
  LkEngineCounts counts;
  lk_engine_counts (lk_controller_engine (site->core), &counts);
  g_assert_cmpuint (counts.pending_count, ==, count);
}

/* An engine whose state is longer than any message comes back from a snapshot. */
static void
test_snapshot (void)
{
  g_autoptr (ControlSite) site = site_started ();
  g_autoptr (GByteArray) state = g_byte_array_new ();
  g_autoptr (GByteArray) again = g_byte_array_new ();
  submit_long (site, LK_MESSAGE_MAX_BYTES / (2 * LK_JOB_TEXT_MAX_BYTES) + 10);
  control_settle (site);
  lk_controller_save (site->core, state);
  g_assert_cmpuint (state->len, >, LK_MESSAGE_MAX_BYTES);
  g_autoptr (LkController) other = lk_controller_make (&site->config, &(LkControllerPorts){ 0 });
  g_assert_true (lk_controller_load (other, state->data, state->len));
  lk_controller_check (other);
  other->journal_bytes = site->core->journal_bytes; /* recovery fills it in */
  lk_controller_save (other, again);
  g_assert_cmpuint (again->len, ==, state->len);
  g_assert_true (memcmp (again->data, state->data, state->len) == 0);
}

/* What is accepted can be launched: the launch says more than the submit did, and is a message. */
static void
test_payload (void)
{
  g_autoptr (ControlSite) site = site_started ();
  g_autoptr (GByteArray) payload = payload_of (LK_MESSAGE_PAYLOAD_MAX_BYTES);
  LkEvent job = job_of (0);
  LkMessage launch;
  submit (site, 1, &job, payload);
  control_settle (site);
  g_assert_cmpuint (reply_to (site, 0).error, ==, 0);
  g_assert_true (control_sent (site, CONTROL_AGENT_PEER (0), LK_MESSAGE_LAUNCH, 0, &launch));
  g_assert_cmpuint (launch.launch.payload.length_bytes, ==, payload->len);
  g_byte_array_append (payload, (const guint8 *)"x", 1);
  submit (site, 2, &job, payload);
  control_settle (site);
  g_assert_cmpuint (reply_to (site, 1).error, ==, LK_REJECT_TOO_LONG);
  g_assert_cmpuint (reply_to (site, 1).seq, ==, 0);
}

/* Texts come back in launches, also those that an update brings. */
static void
test_texts (void)
{
  g_autoptr (ControlSite) site = site_started ();
  g_autoptr (GByteArray) none = g_byte_array_new ();
  g_autofree char *name = g_strnfill (LK_JOB_TEXT_MAX_BYTES + 1, 'n');
  LkEvent job = job_of (LK_REQUEST_HOLD);
  job.submit.name = (LkText){ name, LK_JOB_TEXT_MAX_BYTES };
  submit (site, 1, &job, none);
  job.submit.name.length_bytes++;
  submit (site, 2, &job, none);
  LkEvent update = { .kind = LK_EVENT_UPDATE };
  update.update.job_id = 1;
  update.update.changes = G_GUINT64_CONSTANT (1) << LK_CHANGE_comment;
  update.update.comment = (LkText){ name, LK_JOB_TEXT_MAX_BYTES };
  control_settle (site);
  control_ask (site, CONTROL_USER, 3, 1, &update);
  update.update.comment.length_bytes++;
  control_ask (site, CONTROL_USER, 4, 1, &update);
  control_settle (site);
  static const LkReject expected[] = { 0, LK_REJECT_TOO_LONG, 0, LK_REJECT_TOO_LONG };
  for (guint64 session = 1; session <= G_N_ELEMENTS (expected); session++)
    g_assert_cmpuint (reply_of (site, session).error, ==, expected[session - 1]);
}

/* Names of users and groups come from the system of the controller's machine. */
static void
test_names (void)
{
  g_autoptr (ControlSite) site = site_started ();
  g_autoptr (GByteArray) none = g_byte_array_new ();
  LkEvent job = job_of (LK_REQUEST_HOLD);
  LkPeer ann = control_user (CONTROL_USER);
  ann.groups = "f\xfcr";
  submit_from (site, &ann, 1, &job, none);
  ann.groups = "f\xc3\xbcr";
  submit_from (site, &ann, 2, &job, none);
  control_settle (site);
  g_assert_cmpuint (reply_of (site, 1).error, ==, LK_REJECT_REQUEST_INVALID);
  g_assert_cmpuint (reply_of (site, 2).error, ==, 0);
}

/* Lists of more names than there are nodes are not expanded; what is written out may repeat. */
static void
test_node_lists (void)
{
  static const struct {
    const char *list;
    LkReject error;
  } rows[] = { { "n[1-3]", 0 },
               { "n2,n2,n2,n2,n2", 0 },
               { "n[1-1000000]", LK_REJECT_NODE_UNKNOWN },
               { "n[1-3],n[1-3],n[1-3],n[1-3]", 0 },
               { "n[1-3][1-9][1-9]", LK_REJECT_NODE_UNKNOWN },
               { "n[", LK_REJECT_REQUEST_INVALID } };
  g_autoptr (GByteArray) none = g_byte_array_new ();
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autoptr (ControlSite) site = site_started ();
    LkEvent event = job_of (LK_REQUEST_HOLD);
    guint64 before_seq = lk_controller_durable_seq (site->core);
    event.submit.node_list = lk_text (rows[i].list);
    submit (site, 1, &event, none);
    control_settle (site);
    g_assert_cmpuint (reply_of (site, 1).error, ==, rows[i].error);
    if (rows[i].error == LK_REJECT_NODE_UNKNOWN)
      g_assert_cmpuint (lk_controller_durable_seq (site->core), ==, before_seq);
  }
}

/* Licences of a reservation come in two lists, and are one. */
static void
test_licenses (void)
{
  g_autoptr (ControlSite) site = site_started ();
  g_autoptr (GString) licenses = g_string_new ("a");
  LkEvent event = { .kind = LK_EVENT_RESERVATION_CREATE };
  while (licenses->len + 2 <= G_MAXUINT16)
    g_string_append (licenses, ",a");
  event.reservation_create.name = lk_text ("maintenance");
  event.reservation_create.start_us = site->realtime_us + 3600 * CONTROL_SECOND_US;
  event.reservation_create.duration_us = 3600 * CONTROL_SECOND_US;
  event.reservation_create.users = lk_text ("somebody");
  event.reservation_create.licenses = lk_text (licenses->str);
  event.reservation_create.tres = lk_text ("license/b=1");
  control_ask (site, CONTROL_ADMIN, 1, 1, &event);
  control_settle (site);
  LkMessage message;
  LkPeerId peer = CONTROL_USER_PEER (CONTROL_ADMIN);
  g_assert_true (control_sent (site, peer, LK_MESSAGE_REPLY, 0, &message));
  g_assert_cmpuint (message.reply.error, ==, LK_REJECT_RESERVATION_TRES);
}

/* ---------------------------------------------------------------- launches */

/* A request as no door lets it in: a heterogeneous job whose launch is longer than a message.  Such
 * ones are in the journals of earlier versions. */
static void
submit_overlong (ControlSite *site, guint32 flags)
{
  g_autoptr (GByteArray) payload = payload_of (LK_MESSAGE_MAX_BYTES - 1000);
  g_autofree char *name = g_strnfill (60000, 'n');
  LkInboxEntry entry = { .is_request = TRUE,
                         .user_id = CONTROL_USER,
                         .session = 77,
                         .request = 1,
                         .event_count = 2,
                         .payload_bytes = payload->len };
  g_autoptr (GByteArray) bytes = entry.bytes = g_byte_array_new ();
  for (guint32 i = 0; i < entry.event_count; i++) {
    LkEvent event = job_of (flags);
    event.submit.name = lk_text (name);
    event.submit.procs = CONTROL_CPUS;
    event.submit.het_offset = i;
    event.submit.het_count = entry.event_count;
    lk_event_encode (&event, bytes);
  }
  g_byte_array_append (bytes, payload->data, payload->len);
  lk_controller_apply_request (site->core, &entry);
}

static LkJobInfo
job (const ControlSite *site, guint32 job_id)
{
  LkJobInfo info;
  gboolean is_there = lk_engine_job (lk_controller_engine (site->core), job_id, &info);
  g_assert_true (is_there);
  return info;
}

static void
assert_held (const ControlSite *site, guint32 job_id)
{
  g_assert_cmpuint (job (site, job_id).state, ==, LK_JOB_PENDING);
  g_assert_cmpuint (job (site, job_id).reason_shown, ==, LK_REASON_HOLD_MAX_REQUEUE);
}

static guint
launches (const ControlSite *site)
{
  guint count = 0;
  for (guint node = 0; node < CONTROL_NODES; node++)
    count += control_sent_count (site, CONTROL_AGENT_PEER (node), LK_MESSAGE_LAUNCH);
  return count;
}

/* The agents of all nodes have nothing left of their runs. */
static void
end_all (ControlSite *site, guint64 run_count)
{
  for (guint64 run_id = 1; run_id <= run_count; run_id++)
    for (guint node = 0; node < CONTROL_NODES; node++) {
      LkRunReport gone = { .run_id = run_id, .state = LK_RUN_ENDED, .signal = 9 };
      control_run_ended (site, node, &gone, "");
    }
  control_settle (site);
}

static void
test_overlong_launch (void)
{
  g_autoptr (ControlSite) site = site_started ();
  submit_overlong (site, 0);
  control_settle (site);
  end_all (site, 2);
  assert_held (site, 1);
  /* The others wait for it. */
  g_assert_cmpuint (job (site, 2).state, ==, LK_JOB_PENDING);
  /* The next job is not in its way. */
  g_autoptr (GByteArray) none = g_byte_array_new ();
  LkEvent next = job_of (0);
  control_forget_sent (site);
  submit (site, 1, &next, none);
  control_settle (site);
  g_assert_cmpuint (launches (site), ==, 1);
}

/* One that may not be requeued fails. */
static void
test_overlong_failed (void)
{
  g_autoptr (ControlSite) site = site_started ();
  LkJobInfo info;
  submit_overlong (site, LK_REQUEST_NO_REQUEUE);
  control_settle (site);
  end_all (site, 2);
  g_assert_false (lk_engine_job (lk_controller_engine (site->core), 1, &info));
}

/* The journal ends with the start of such a job. */
static void
test_overlong_journal (void)
{
  g_autoptr (ControlSite) site = site_started ();
  site->disk_waits = TRUE;
  submit_overlong (site, 0);
  while (lk_controller_settle (site->core))
    continue;
  control_crash (site, 100, 0);
  site->disk_waits = FALSE;
  g_assert_true (control_start (site, 0));
  g_assert_cmpuint (job (site, 1).state, ==, LK_JOB_RUNNING);
  for (guint node = 0; node < CONTROL_NODES; node++)
    control_register (site, node, node + 1, NULL, 0);
  end_all (site, 2);
  assert_held (site, 1);
  g_assert_cmpuint (job (site, 2).state, ==, LK_JOB_PENDING);
  control_crash (site, 100, 0);
  g_assert_true (control_start (site, 0));
  assert_held (site, 1);
}

/* Where the launch of a job stops the controller for another reason. */
static void
test_skipped_launch (void)
{
  g_autoptr (ControlSite) site = site_started ();
  g_autoptr (GByteArray) none = g_byte_array_new ();
  LkEvent event = job_of (0);
  submit (site, 1, &event, none);
  control_settle (site);
  g_assert_cmpuint (job (site, 1).state, ==, LK_JOB_RUNNING);
  control_crash (site, 100, 0);
  control_forget_sent (site);
  g_assert_true (control_start (site, 0));
  g_assert_false (lk_controller_skip_launch (site->core, 2));
  g_assert_true (lk_controller_skip_launch (site->core, 1));
  for (guint node = 0; node < CONTROL_NODES; node++)
    control_register (site, node, node + 1, NULL, 0);
  g_assert_cmpuint (launches (site), ==, 0);
  g_assert_cmpuint (control_sent_count (site, CONTROL_AGENT_PEER (0), LK_MESSAGE_TERMINATE), ==, 1);
  end_all (site, 1);
  assert_held (site, 1);
  g_assert_false (lk_controller_skip_launch (site->core, 1));
  control_crash (site, 100, 0);
  g_assert_true (control_start (site, 0));
  assert_held (site, 1);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/bounds/an instant of more than a record is several batches", test_batches);
  g_test_add_func ("/bounds/a snapshot may be longer than any message", test_snapshot);
  g_test_add_func ("/bounds/what is accepted can be launched", test_payload);
  g_test_add_func ("/bounds/texts of jobs are short", test_texts);
  g_test_add_func ("/bounds/names that are not UTF-8 cost their user a submit", test_names);
  g_test_add_func ("/bounds/two lists of licences have room in one", test_licenses);
  g_test_add_func ("/bounds/lists name no more nodes than there are", test_node_lists);
  g_test_add_func ("/bounds/a job is held whose launch is too long", test_overlong_launch);
  g_test_add_func ("/bounds/or has failed", test_overlong_failed);
  g_test_add_func ("/bounds/a journal with such a job is cured", test_overlong_journal);
  g_test_add_func ("/bounds/an administrator skips a launch", test_skipped_launch);
  return g_test_run ();
}
