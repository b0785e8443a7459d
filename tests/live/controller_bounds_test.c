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
submit (ControlSite *site, guint64 session, const LkEvent *event, const GByteArray *payload)
{
  LkPeer ann = control_user (CONTROL_USER);
  LkMessage message = { .kind = LK_MESSAGE_SUBMIT };
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  lk_event_encode (event, bytes);
  message.submit = (LkMessage_submit){ .session = session,
                                       .request = 1,
                                       .event = { bytes->data, bytes->len },
                                       .payload = { payload->data, payload->len } };
  control_message (site, &ann, &message);
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

#define NAME_BYTES 60000u

/* So many held jobs with long names at one instant. Equal names would be kept once. */
static void
submit_long (ControlSite *site, guint64 count)
{
  g_autofree char *name = g_strnfill (NAME_BYTES, 'n');
  g_autoptr (GByteArray) none = g_byte_array_new ();
  LkEvent job = job_of (LK_REQUEST_HOLD);
  job.submit.name = lk_text (name);
  for (guint64 session = 1; session <= count; session++) {
    name[session] = 'N';
    submit (site, session, &job, none);
  }
}

/* What comes at one instant is more than a record may hold: it goes into several batches, and each
 * is answered when it is durable. */
static void
test_batches (void)
{
  const guint count = LK_LIMIT_RECORD_BYTES / NAME_BYTES + 50;
  g_autoptr (ControlSite) site = site_started ();
  site->disk_waits = TRUE;
  submit_long (site, count);
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
  submit_long (site, LK_MESSAGE_MAX_BYTES / NAME_BYTES + 10);
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
  g_assert_cmpuint (reply_to (site, 1).error, ==, LK_REJECT_REQUEST_INVALID);
  g_assert_cmpuint (reply_to (site, 1).seq, ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/bounds/an instant of more than a record is several batches", test_batches);
  g_test_add_func ("/bounds/a snapshot may be longer than any message", test_snapshot);
  g_test_add_func ("/bounds/what is accepted can be launched", test_payload);
  return g_test_run ();
}
