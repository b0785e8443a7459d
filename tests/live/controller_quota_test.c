/* tests/live/controller_quota_test.c — one user, whatever he sends, leaves the others their share:
 * jobs, bytes and requests are bounded, and answers come in rounds. */
#include <string.h>

#include "live/core/batch.h"
#include "live/core/controller_private.h"
#include "live/core/record.h"
#include "tests/live/controller_site.h"

static const ControlOptions options = { .snapshot_events = G_MAXUINT64, .session_count_max = 2000 };

/* Replies are held to the journal by reading it as a whole: here that would take long. */
static ControlSite *
site_bounded (const LkPortSiteBounds *bounds)
{
  ControlSite *site = control_site_new (&options);
  site->is_forged = TRUE;
  site->config.bounds = *bounds;
  control_start_all (site);
  return site;
}

static ControlSite *
site_started (void)
{
  return site_bounded (&(LkPortSiteBounds){ 0 });
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
  g_assert_cmpuint (lk_engine_job_count (lk_controller_engine (site->core)), ==, 0);
}

/* The error of the last reply. */
static guint
last_error (const ControlSite *site)
{
  return reply_to (site, reply_count (site) - 1).error;
}

/* A held job, "": no array. Returns: why it is refused. */
static guint
submit_held (ControlSite *site, guint64 session, const char *array)
{
  g_autoptr (GByteArray) payload = payload_of (1);
  LkEvent event = job_of (LK_REQUEST_HOLD);
  event.submit.array = lk_text (array);
  submit (site, session, &event, payload);
  control_settle (site);
  return last_error (site);
}

/* MaxJobCount: a task is a job, and one that has ended is one as long as it is shown. */
static void
test_job_count (void)
{
  g_autoptr (ControlSite) site = site_bounded (&(LkPortSiteBounds){ .job_max_count = 8 });
  guint64 session = 1;
  g_assert_cmpuint (submit_held (site, session++, "0-7"), ==, LK_REJECT_QUEUE_FULL);
  g_assert_cmpuint (submit_held (site, session++, "0-4"), ==, 0);
  g_assert_cmpuint (submit_held (site, session++, ""), ==, 0);
  g_assert_cmpuint (submit_held (site, session++, "0-1"), ==, LK_REJECT_QUEUE_FULL);
  g_assert_cmpuint (submit_held (site, session++, ""), ==, 0);
  g_assert_cmpuint (submit_held (site, session++, ""), ==, LK_REJECT_QUEUE_FULL);
  control_order (site, session++, LK_EVENT_CANCEL, 3);
  g_assert_cmpuint (submit_held (site, session++, ""), ==, LK_REJECT_QUEUE_FULL);
  /* MinJobAge later it is shown no more; a replay asks nobody. */
  control_wait (site, 400 * CONTROL_SECOND_US);
  g_assert_cmpuint (submit_held (site, session++, ""), ==, 0);
  g_assert_cmpuint (submit_held (site, session++, ""), ==, LK_REJECT_QUEUE_FULL);
  site->config.bounds.job_max_count = 1;
  control_crash (site, 0, 0);
  g_assert_true (control_start (site, 0));
  g_assert_cmpuint (lk_engine_job_count (lk_controller_engine (site->core)), ==, 7);
}

#define LARGE_BYTES (4u * 1024 * 1024)

/* Held jobs of a user whose payloads differ. Returns: how many were refused so. */
static guint
submit_large (ControlSite *site, guint32 user_id, guint64 first_session, guint reject)
{
  guint refused_count = 0;
  g_autoptr (GByteArray) payload = payload_of (LARGE_BYTES);
  LkEvent event = job_of (LK_REQUEST_HOLD);
  LkPeer peer = control_user (user_id);
  event.submit.user_id = user_id;
  for (guint64 session = first_session; session < first_session + 25; session++) {
    LkMessage message;
    payload->data[0] = (guint8)session;
    payload->data[1] = (guint8)user_id;
    control_forget_sent (site);
    submit_as (site, &peer, session, &event, payload);
    control_settle (site);
    g_assert_true (control_sent (site, peer.id, LK_MESSAGE_REPLY, 0, &message));
    g_assert_true (message.reply.error == 0 || message.reply.error == reject);
    refused_count += message.reply.error != 0 ? 1 : 0;
  }
  return refused_count;
}

/* What a user's jobs bring is bounded, whether the controller has seen it come or has read it from
 * its disk, and others are not touched by it as long as there is room for all. */
static void
test_payload_bytes (void)
{
  const LkPortSiteBounds bounds = { .user_payload_max_bytes = 10 * LARGE_BYTES,
                                    .payload_max_bytes = 13 * LARGE_BYTES };
  g_autoptr (ControlSite) site = site_bounded (&bounds);
  g_autoptr (GByteArray) state = g_byte_array_new ();
  g_assert_cmpuint (submit_large (site, CONTROL_USER, 1, LK_REJECT_USER_PAYLOADS_FULL), ==, 15);
  g_assert_cmpuint (submit_large (site, CONTROL_USER + 1, 1, LK_REJECT_PAYLOADS_FULL), ==, 22);
  lk_controller_save (site->core, state);
  g_autoptr (LkController) other = lk_controller_make (&site->config, &(LkControllerPorts){ 0 });
  g_assert_true (lk_controller_load (other, state->data, state->len));
  control_crash (site, 0, 0);
  g_assert_true (control_start (site, 0));
  const LkController *cores[] = { site->core, other };
  for (guint i = 0; i < G_N_ELEMENTS (cores); i++) {
    const LkPayloads *payloads = cores[i]->payload_parts;
    g_assert_cmpuint (lk_payloads_user_bytes (payloads, CONTROL_USER), ==, 10 * LARGE_BYTES);
    g_assert_cmpuint (lk_payloads_user_bytes (payloads, CONTROL_USER + 1), ==, 3 * LARGE_BYTES);
    g_assert_cmpuint (lk_payloads_bytes (payloads), ==, 13 * LARGE_BYTES);
  }
}

/* max_script_size */
static void
test_script_size (void)
{
  g_autoptr (ControlSite) site = site_bounded (&(LkPortSiteBounds){ .script_max_bytes = 100 });
  LkEvent event = job_of (LK_REQUEST_HOLD);
  for (guint script_bytes = 100; script_bytes <= 101; script_bytes++) {
    g_autoptr (GByteArray) script = payload_of (script_bytes);
    g_autoptr (GByteArray) payload = g_byte_array_new ();
    const LkBatch batch = { .script = { script->data, script->len }, .work_dir = lk_bytes ("/") };
    lk_batch_encode (&batch, payload);
    submit (site, script_bytes, &event, payload);
    control_settle (site);
    g_assert_cmpuint (last_error (site), ==, script_bytes > 100 ? LK_REJECT_SCRIPT_TOO_LONG : 0);
  }
}

/* Returns: how many of ten questions of a user are answered. */
static guint
ask_ten (ControlSite *site, guint32 user_id)
{
  guint answered_count = 0;
  LkPeer peer = control_user (user_id);
  for (guint i = 0; i < 10; i++) {
    LkMessage message = { .kind = LK_MESSAGE_STATE_QUERY,
                          .state_query = { .record = LK_RECORD_CONTROLLER } };
    control_forget_sent (site);
    control_message (site, &peer, &message);
    control_settle (site);
    g_assert_true (control_sent (site, peer.id, LK_MESSAGE_STATE_PAGE, 0, &message));
    answered_count += message.state_page.error != LK_REJECT_RATE_LIMITED ? 1 : 0;
  }
  return answered_count;
}

/* rl_enable: a user has as many requests as there are tokens in the bucket. */
static void
test_rate (void)
{
  const LkPortSiteBounds bounds = {
    .rate_bucket_count = 5, .rate_refill_count = 2, .rate_period_s = 3, .rate_table_count = 2
  };
  g_autoptr (ControlSite) site = site_bounded (&bounds);
  g_assert_cmpuint (ask_ten (site, 1), ==, 5);
  g_assert_cmpuint (ask_ten (site, 2), ==, 5);
  g_assert_cmpuint (ask_ten (site, CONTROL_ADMIN), ==, 10);
  /* Users that the table has no room for have one bucket. */
  g_assert_cmpuint (ask_ten (site, 3), ==, 5);
  g_assert_cmpuint (ask_ten (site, 4), ==, 0);
  control_wait (site, 2 * CONTROL_SECOND_US);
  g_assert_cmpuint (ask_ten (site, 1), ==, 0);
  control_wait (site, 1 * CONTROL_SECOND_US);
  g_assert_cmpuint (ask_ten (site, 1), ==, 2);
  control_wait (site, 100 * CONTROL_SECOND_US);
  g_assert_cmpuint (ask_ten (site, 1), ==, 5);
  /* Requests count too, and are carried out when their client asks again. */
  g_assert_cmpuint (submit_held (site, 1, ""), ==, 0);
  for (guint64 session = 2; session <= 5; session++)
    g_assert_cmpuint (submit_held (site, session, ""), ==, 0);
  g_assert_cmpuint (submit_held (site, 6, ""), ==, LK_REJECT_RATE_LIMITED);
  control_wait (site, 3 * CONTROL_SECOND_US);
  g_assert_cmpuint (submit_held (site, 6, ""), ==, 0);
}

/* ---------------------------------------------------------------- turns */

static void
ask_state (ControlSite *site, const LkPeer *peer, LkRecordKind record, const GByteArray *event)
{
  LkMessage message = { .kind = LK_MESSAGE_STATE_QUERY,
                        .state_query = { .record = (guint8)record } };
  if (event != NULL)
    message.state_query.event = (LkBytes){ event->data, event->len };
  control_message (site, peer, &message);
}

/* Pages that were sent to the peers of a user with this error. */
static guint
page_count (const ControlSite *site, guint32 first_peer, guint peer_count, guint error)
{
  guint count = 0;
  for (guint i = 0; i < peer_count; i++) {
    LkMessage page;
    for (guint number = 0;
         control_sent (site, first_peer + i, LK_MESSAGE_STATE_PAGE, number, &page); number++)
      count += page.state_page.error == error ? 1 : 0;
  }
  return count;
}

static void
next_turn (ControlSite *site)
{
  site->monotonic_us++;
  site->realtime_us++;
  lk_controller_woken (site->core);
  control_settle (site);
}

#define FLOOD_PEERS 12u
#define FLOOD_EACH 100u
#define FLOOD_WAITING 64u

/* The submit of a user's trial. Returns: (transfer full). */
static GByteArray *
trial_of (guint32 user_id)
{
  GByteArray *bytes = g_byte_array_new ();
  LkEvent event = job_of (0);
  event.submit.user_id = user_id;
  lk_event_encode (&event, bytes);
  return bytes;
}

/* A user asks for many trials by many connections.  Until another one has his answers the
 * controller runs one trial of the first, and answers a question at once. */
static void
test_trial_flood (void)
{
  g_autoptr (ControlSite) site = site_started ();
  g_autoptr (GByteArray) flood = trial_of (CONTROL_USER);
  g_autoptr (GByteArray) trial = trial_of (CONTROL_USER + 1);
  const guint32 first = 20000;
  LkPeer other = control_user (CONTROL_USER + 1);
  for (guint i = 0; i < FLOOD_PEERS * FLOOD_EACH; i++) {
    LkPeer peer = control_user (CONTROL_USER);
    peer.id = first + i % FLOOD_PEERS;
    ask_state (site, &peer, LK_RECORD_TRIAL, flood);
  }
  g_assert_cmpuint (page_count (site, first, FLOOD_PEERS, 0), ==, 0);
  g_assert_cmpuint (page_count (site, first, FLOOD_PEERS, LK_REJECT_BUSY), ==,
                    FLOOD_PEERS * FLOOD_EACH - FLOOD_WAITING);
  ask_state (site, &other, LK_RECORD_JOB, NULL);
  g_assert_cmpuint (page_count (site, other.id, 1, 0), ==, 1);
  ask_state (site, &other, LK_RECORD_TRIAL, trial);
  control_settle (site);
  g_assert_cmpuint (page_count (site, first, FLOOD_PEERS, 0), ==, 1);
  next_turn (site);
  g_assert_cmpuint (page_count (site, other.id, 1, 0), ==, 2);
  g_assert_cmpuint (page_count (site, first, FLOOD_PEERS, 0), ==, 1);
  for (guint turn = 0; turn < FLOOD_WAITING; turn++)
    next_turn (site);
  g_assert_cmpuint (page_count (site, first, FLOOD_PEERS, 0), ==, FLOOD_WAITING);
}

/* Pages of the queue and of the journal: one answer of a user at once, the others one a turn. */
static void
test_query_flood (void)
{
  g_autoptr (ControlSite) site = site_started ();
  LkPeer peer = control_user (CONTROL_USER);
  LkPeer other = control_user (CONTROL_USER + 1);
  for (guint i = 0; i < FLOOD_EACH; i++)
    ask_state (site, &peer, i % 2 == 0 ? LK_RECORD_JOB : LK_RECORD_JOURNAL, NULL);
  g_assert_cmpuint (page_count (site, peer.id, 1, 0), ==, 1);
  for (guint i = 0; i < 2; i++)
    ask_state (site, &other, LK_RECORD_JOB, NULL);
  g_assert_cmpuint (page_count (site, other.id, 1, 0), ==, 1);
  control_settle (site);
  next_turn (site);
  g_assert_cmpuint (page_count (site, other.id, 1, 0), ==, 2);
  g_assert_cmpuint (page_count (site, peer.id, 1, 0), <=, 2);
}

/* A trial is followed by no other for three times as long as it took. */
static void
test_trial_share (void)
{
  g_autoptr (ControlSite) site = site_started ();
  g_autoptr (GByteArray) trial = trial_of (CONTROL_USER);
  LkPeer peer = control_user (CONTROL_USER);
  site->work_us = 1000;
  for (guint i = 0; i < 2; i++)
    ask_state (site, &peer, LK_RECORD_TRIAL, trial);
  control_settle (site);
  g_assert_cmpuint (page_count (site, peer.id, 1, 0), ==, 1);
  gint64 from_us = site->monotonic_us;
  while (page_count (site, peer.id, 1, 0) == 1)
    next_turn (site);
  g_assert_cmpint (site->monotonic_us - from_us, >=, 3 * site->work_us);
  g_assert_cmpint (site->monotonic_us - from_us, <=, 100 * site->work_us);
}

/* Queries of just under 1 MiB: four of a user wait, and 64 in all. A nameless user's trial does not
 * wait, and all nameless users have the share of one. */
static void
test_query_bytes (void)
{
  g_autoptr (ControlSite) site = site_started ();
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  g_byte_array_set_size (bytes, 1024 * 1024 - 1024);
  memset (bytes->data, 0, bytes->len);
  const guint32 nameless_id = 1000 * 1000;
  LkPeer peer = control_user (nameless_id);
  peer.name = NULL;
  ask_state (site, &peer, LK_RECORD_TRIAL, bytes);
  g_assert_cmpuint (page_count (site, peer.id, 1, LK_REJECT_USER_UNKNOWN), ==, 1);
  for (guint32 user = 0; user < 10; user++) {
    peer.user_id = nameless_id + user;
    ask_state (site, &peer, LK_RECORD_JOB, bytes);
    ask_state (site, &peer, LK_RECORD_JOB, bytes);
  }
  g_assert_cmpuint (site->core->turn.waiting->len, ==, 4);
  for (guint32 user = 0; user < 20; user++) {
    peer = control_user (CONTROL_USER + user);
    for (guint i = 0; i < 5; i++)
      ask_state (site, &peer, LK_RECORD_TRIAL, bytes);
    g_assert_cmpuint (site->core->turn.waiting->len, ==, MIN (4 + 4 * (user + 1), 64));
  }
  g_assert_cmpuint (page_count (site, peer.id, 1, LK_REJECT_BUSY), ==, 5);
}

/* The record of the only trial that was answered. */
static LkRecord
trial_answer (const ControlSite *site, const LkPeer *peer)
{
  LkMessage message;
  LkRecord record;
  g_assert_true (control_sent (site, peer->id, LK_MESSAGE_STATE_PAGE, 0, &message));
  LkBytes left = message.state_page.records;
  g_assert_true (lk_record_next (&left, message.state_page.record, &record));
  return record;
}

/* The monotonic clock stands still while a trial runs, as it does within an iteration of the
 * daemon's loop: the trial's limit expires all the same. */
static void
test_trial_limit (void)
{
  static const struct {
    gint64 work_us;
    guint8 is_known;
  } rows[] = { { 1, 1 }, { 101 * 1000, 0 }, { -1, 0 } };
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autoptr (ControlSite) site = site_started ();
    g_autoptr (GByteArray) trial = trial_of (CONTROL_USER);
    LkPeer peer = control_user (CONTROL_USER);
    site->work_us = rows[i].work_us;
    ask_state (site, &peer, LK_RECORD_TRIAL, trial);
    control_settle (site);
    g_assert_cmpuint (trial_answer (site, &peer).trial.is_known, ==, rows[i].is_known);
  }
}

/* The wall clock is set by a day while a trial runs: the next one does not wait for days. */
static void
test_trial_clock_jump (void)
{
  g_autoptr (ControlSite) site = site_started ();
  g_autoptr (GByteArray) trial = trial_of (CONTROL_USER);
  LkPeer peer = control_user (CONTROL_USER);
  for (guint i = 0; i < 2; i++)
    ask_state (site, &peer, LK_RECORD_TRIAL, trial);
  site->work_us = 86400 * CONTROL_SECOND_US;
  control_settle (site);
  site->work_us = 0;
  g_assert_cmpuint (page_count (site, peer.id, 1, 0), ==, 1);
  site->monotonic_us += 60 * CONTROL_SECOND_US;
  next_turn (site);
  g_assert_cmpuint (page_count (site, peer.id, 1, 0), ==, 2);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/quota/jobs are counted", test_job_count);
  g_test_add_func ("/quota/payloads are counted by user", test_payload_bytes);
  g_test_add_func ("/quota/a script may be so long", test_script_size);
  g_test_add_func ("/quota/a user may ask so often", test_rate);
  g_test_add_func ("/quota/trials of one user hold up no other", test_trial_flood);
  g_test_add_func ("/quota/questions of one user hold up no other", test_query_flood);
  g_test_add_func ("/quota/trials have a part of the time", test_trial_share);
  g_test_add_func ("/quota/bytes of queries that wait are bounded", test_query_bytes);
  g_test_add_func ("/quota/a trial ends at its limit", test_trial_limit);
  g_test_add_func ("/quota/a jump of the clock postpones no trial", test_trial_clock_jump);
  g_test_add_func ("/quota/a user without a name submits nothing", test_nameless);
  return g_test_run ();
}
