/* tests/live/controller_quota_test.c — one user, whatever he sends, leaves the others their share:
 * what one user may send. */
#include <string.h>

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
submit_as (ControlSite *site, const LkPeer *peer, guint64 session, const LkEvent *event,
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
  submit_as (site, &ann, session, event, payload);
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

/* ---------------------------------------------------------------- users */

/* A user in a namespace has ids of which the controller's machine knows no name. */
static void
test_nameless (void)
{
  g_autoptr (ControlSite) site = site_started ();
  g_autoptr (GByteArray) payload = payload_of (1);
  LkEvent event = job_of (0);
  LkPeer peer = control_user (CONTROL_USER);
  event.submit.user = lk_text ("somebody");
  peer.name = NULL;
  submit_as (site, &peer, 1, &event, payload);
  control_settle (site);
  g_assert_cmpuint (reply_to (site, 0).error, ==, LK_REJECT_USER_UNKNOWN);
  LkEngineCounts counts;
  lk_engine_counts (lk_controller_engine (site->core), &counts);
  g_assert_cmpuint (counts.pending_count, ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/quota/a user without a name submits nothing", test_nameless);
  return g_test_run ();
}
