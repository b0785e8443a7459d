/* tests/live/controller_recovery_test.c — what a controller finds on its disk, and makes of it. */
#include <string.h>

#include "engine/bytes.h"
#include "engine/crc32c.h"
#include "live/core/controller_private.h"
#include "tests/live/controller_site.h"

static const ControlOptions seldom = { .snapshot_events = 1000, .session_count_max = 100 };
static const ControlOptions often = { .snapshot_events = 3, .session_count_max = 100 };

static void
submit_to (ControlSite *site, guint64 session, const char *script, const char *nodes)
{
  LkPeer ann = control_user (CONTROL_USER);
  LkEvent event = { .kind = LK_EVENT_SUBMIT };
  LkMessage message = { .kind = LK_MESSAGE_SUBMIT };
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  event.submit.user_id = CONTROL_USER;
  event.submit.procs = 1;
  event.submit.node_list = lk_text (nodes);
  event.submit.estimate_us = 3600 * CONTROL_SECOND_US;
  lk_event_encode (&event, bytes);
  message.submit = (LkMessage_submit){
    .session = session,
    .request = 1,
    .event = { bytes->data, bytes->len },
    .payload = { (const guint8 *)script, (guint32)strlen (script) },
  };
  control_message (site, &ann, &message);
  control_settle (site);
}

static void
submit_script (ControlSite *site, guint64 session, const char *script)
{
  submit_to (site, session, script, "");
}

/* Runs, waiting jobs, one that is being ended, requests that were refused. */
static ControlSite *
site_busy (const ControlOptions *options)
{
  ControlSite *site = control_site_new (options);
  control_start_all (site);
  submit_script (site, 1, "one");
  submit_script (site, 2, "two");
  control_submit (site, 3, 6, 0);
  control_order (site, 4, LK_EVENT_SIGNAL, 1);
  control_order (site, 5, LK_EVENT_CANCEL, 2);
  control_order (site, 6, LK_EVENT_CANCEL, 99);
  return site;
}

static void
copy_files (const ControlSite *from, ControlSite *to)
{
  for (guint i = 0; i < from->files->len; i++) {
    const ControlFile *file = g_ptr_array_index (from->files, i);
    control_set_file (to, file->name, file->bytes->data, file->bytes->len);
  }
  to->realtime_us = from->realtime_us;
}

static ControlSite *
site_copy (const ControlSite *from)
{
  ControlSite *site = control_site_new (&seldom);
  copy_files (from, site);
  return site;
}

static guint64
started_seq (ControlSite *site)
{
  g_assert_true (control_start (site, 0));
  lk_controller_check (site->core);
  return lk_controller_durable_seq (site->core);
}

/* ---------------------------------------------------------------- what survives */

static void
test_requests_survive (void)
{
  g_autoptr (ControlSite) site = site_busy (&seldom);
  LkMessage before;
  LkMessage after;
  LkPeerId admin = CONTROL_USER_PEER (CONTROL_ADMIN);
  g_assert_true (control_sent (site, admin, LK_MESSAGE_REPLY, 2, &before));
  guint16 code = before.reply.error;
  guint64 seq = before.reply.seq;
  g_assert_cmpuint (code, ==, LK_REJECT_JOB_UNKNOWN);
  guint64 last = lk_controller_durable_seq (site->core);
  control_crash (site, 0, 0);
  control_forget_sent (site);
  g_assert_cmpuint (started_seq (site), ==, last);
  control_submit (site, 3, 6, 0);
  g_assert_true (
      control_sent (site, CONTROL_USER_PEER (CONTROL_USER), LK_MESSAGE_REPLY, 0, &after));
  g_assert_cmpuint (after.reply.job_id, ==, 3);
  control_order (site, 6, LK_EVENT_CANCEL, 99);
  g_assert_true (control_sent (site, admin, LK_MESSAGE_REPLY, 0, &after));
  g_assert_cmpuint (after.reply.error, ==, code);
  g_assert_cmpuint (after.reply.seq, ==, seq);
  g_assert_cmpuint (lk_controller_durable_seq (site->core), ==, last);
}

/* What was not durable was not answered, and is carried out when it comes again. */
static void
test_lost_request (void)
{
  g_autoptr (ControlSite) site = site_busy (&seldom);
  site->disk_waits = TRUE;
  control_forget_sent (site);
  control_submit (site, 7, 1, 0);
  control_crash (site, 0, 0);
  site->disk_waits = FALSE;
  g_assert_cmpuint (site->sent->len, ==, 0);
  g_assert_true (control_start (site, 0));
  control_submit (site, 7, 1, 0);
  LkMessage reply;
  g_assert_true (
      control_sent (site, CONTROL_USER_PEER (CONTROL_USER), LK_MESSAGE_REPLY, 0, &reply));
  g_assert_cmpuint (reply.reply.job_id, ==, 4);
}

/* A run that no agent knows any more is launched again, with what was submitted. */
static void
test_payload_survives (void)
{
  g_autoptr (ControlSite) site = site_busy (&seldom);
  LkMessage launch;
  control_crash (site, 0, 0);
  control_forget_sent (site);
  g_assert_true (control_start (site, 0));
  for (guint node = 0; node < CONTROL_NODES; node++)
    control_register (site, node, 2, NULL, 0);
  g_assert_true (control_sent (site, CONTROL_AGENT_PEER (0), LK_MESSAGE_LAUNCH, 0, &launch));
  g_assert_cmpuint (launch.launch.run_id, ==, 1);
  g_assert_cmpuint (launch.launch.payload.length_bytes, ==, 3);
  g_assert_true (memcmp (launch.launch.payload.bytes, "one", 3) == 0);
}

static gboolean
journal_has (const ControlSite *site, const char *text)
{
  const GByteArray *journal = control_file (site, "journal");
  gsize length = strlen (text);
  for (gsize at = 0; at + length <= journal->len; at++)
    if (memcmp (journal->data + at, text, length) == 0)
      return TRUE;
  return FALSE;
}

/* What was refused is remembered, and not what it would have run; nor is it found again. */
static void
test_refused_submit (void)
{
  g_autoptr (ControlSite) site = control_site_new (&seldom);
  LkPeerId user = CONTROL_USER_PEER (CONTROL_USER);
  LkMessage before;
  LkMessage after;
  control_start_all (site);
  submit_script (site, 1, "what is accepted");
  control_forget_sent (site);
  submit_to (site, 2, "what is refused", "nowhere");
  submit_script (site, 3, "what comes behind");
  g_assert_true (control_sent (site, user, LK_MESSAGE_REPLY, 0, &before));
  g_assert_cmpuint (before.reply.error, !=, 0);
  guint16 error = before.reply.error;
  g_assert_true (journal_has (site, "what is accepted"));
  g_assert_false (journal_has (site, "what is refused"));
  g_assert_true (journal_has (site, "what comes behind"));
  control_crash (site, 0, 0);
  control_forget_sent (site);
  g_assert_true (control_start (site, 0));
  lk_controller_check (site->core);
  submit_to (site, 2, "what is refused", "nowhere");
  g_assert_true (control_sent (site, user, LK_MESSAGE_REPLY, 0, &after));
  g_assert_cmpuint (after.reply.error, ==, error);
}

/* It may have run: where its node knows nothing of it any more, as without the folder of its runs,
 * it is lost, as it would have been without the start.  So too from a snapshot. */
static void
test_begun_is_lost (void)
{
  const ControlOptions *options[] = { &seldom, &often };
  for (guint i = 0; i < G_N_ELEMENTS (options); i++) {
    g_autoptr (ControlSite) site = control_site_new (options[i]);
    LkPeer agent = control_agent (0);
    LkMessage started = { .kind = LK_MESSAGE_RUN_STARTED };
    control_start_all (site);
    control_submit (site, 1, 1, 0);
    control_submit (site, 2, 1, 0); /* nobody has begun that one */
    started.run_started.node = lk_text (agent.name);
    started.run_started.epoch = control_epoch (site, 0);
    started.run_started.run_id = 1;
    control_message (site, &agent, &started);
    for (guint64 session = 3; session < 10; session++)
      control_submit (site, session, 6, 0);
    control_crash (site, 0, 0);
    control_forget_sent (site);
    guint64 last = started_seq (site);
    guint64 launched = 0;
    for (guint node = 0; node < CONTROL_NODES; node++) {
      LkMessage launch;
      control_register (site, node, 2, NULL, 0);
      for (guint n = 0;
           control_sent (site, CONTROL_AGENT_PEER (node), LK_MESSAGE_LAUNCH, n, &launch); n++)
        launched |= G_GUINT64_CONSTANT (1) << launch.launch.run_id;
    }
    g_assert_cmpuint (launched & 6, ==, 4); /* run 2, and not run 1 */
    g_autofree char *events = control_events (site, last + 1);
    g_assert_true (g_str_has_prefix (events, "job_ended"));
  }
}

/* ---------------------------------------------------------------- the journal */

static void
test_torn_tail (void)
{
  g_autoptr (ControlSite) site = site_busy (&seldom);
  gsize good_bytes = control_file (site, LK_CONTROLLER_JOURNAL)->len;
  guint64 last = lk_controller_durable_seq (site->core);
  control_submit (site, 7, 1, LK_REQUEST_HOLD);
  const GByteArray *journal = control_file (site, LK_CONTROLLER_JOURNAL);
  for (gsize length_bytes = good_bytes; length_bytes < journal->len; length_bytes++) {
    g_autoptr (ControlSite) other = site_copy (site);
    g_byte_array_set_size (control_file (other, LK_CONTROLLER_JOURNAL), (guint)length_bytes);
    g_assert_cmpuint (started_seq (other), ==, last);
    g_assert_cmpuint (control_file (other, LK_CONTROLLER_JOURNAL)->len, ==, good_bytes);
    control_submit (other, 7, 1, LK_REQUEST_HOLD);
    g_assert_cmpuint (lk_controller_durable_seq (other->core), ==, last + 1);
  }
}

static void
test_first_append_torn (void)
{
  g_autoptr (ControlSite) site = control_site_new (&seldom);
  site->disk_waits = TRUE;
  g_assert_true (control_start (site, 0));
  control_disk_done (site, TRUE);
  control_settle (site);
  g_assert_cmpuint (site->writes->len, ==, 1);
  control_crash (site, 0, 30);
  site->disk_waits = FALSE;
  g_assert_cmpuint (control_file (site, LK_CONTROLLER_JOURNAL)->len, ==, 30);
  control_start_all (site);
  control_submit (site, 1, 1, 0);
  g_autofree char *events = control_events (site, 1);
  g_assert_cmpstr (events, ==, "submit pass");
}

static LkControllerFailure
start_failure (ControlSite *site)
{
  g_assert_false (control_start (site, 0));
  return site->failure;
}

/* Where the header of a journal ends. */
static guint
batches_begin (const GByteArray *journal)
{
  LkBytesReader header = { journal->data + LK_JOURNAL_MAGIC_BYTES, 4, FALSE };
  return LK_JOURNAL_MAGIC_BYTES + 8 + lk_take_u32 (&header);
}

static void
test_damage (void)
{
  g_autoptr (ControlSite) site = site_busy (&seldom);
  guint first = batches_begin (control_file (site, LK_CONTROLLER_JOURNAL));
  for (guint at = first; at < first + 40; at++) {
    g_autoptr (ControlSite) other = site_copy (site);
    control_file (other, LK_CONTROLLER_JOURNAL)->data[at] ^= 0x10;
    g_assert_cmpint (start_failure (other), ==, LK_CONTROLLER_JOURNAL_CORRUPT);
  }
}

static void
test_other_configuration (void)
{
  static const ControlOptions pool = { .is_pool = TRUE,
                                       .snapshot_events = 1000,
                                       .session_count_max = 100 };
  g_autoptr (ControlSite) site = site_busy (&seldom);
  g_autoptr (ControlSite) other = control_site_new (&pool);
  copy_files (site, other);
  g_assert_cmpint (start_failure (other), ==, LK_CONTROLLER_JOURNAL_OTHER);
}

/* Finds the first start that was decided, and puts it on another node, with a right CRC. */
static void
move_start (GByteArray *journal)
{
  gsize at = LK_JOURNAL_MAGIC_BYTES;
  while (at < journal->len) {
    LkBytesReader frame = { journal->data + at, 8, FALSE };
    guint32 length_bytes = lk_take_u32 (&frame);
    guint8 *body = journal->data + at + 8;
    LkCrc32c crc;
    lk_crc32c_init (&crc);
    for (guint32 i = 0; body[0] == 2 && i + 2 < length_bytes; i++) {
      if (memcmp (body + i, "n1", 2) != 0)
        continue;
      body[i + 1] = '2';
      lk_put_u32 (journal->data + at + 4, lk_crc32c (&crc, body, length_bytes));
      return;
    }
    at += 8 + length_bytes;
  }
  g_assert_not_reached ();
}

static void
test_diverges (void)
{
  g_autoptr (ControlSite) site = site_busy (&seldom);
  g_autoptr (ControlSite) other = site_copy (site);
  move_start (control_file (other, LK_CONTROLLER_JOURNAL));
  g_assert_cmpint (start_failure (other), ==, LK_CONTROLLER_DIVERGED);
}

static void
test_reading_fails (void)
{
  g_autoptr (ControlSite) site = site_busy (&seldom);
  g_autoptr (ControlSite) other = site_copy (site);
  other->reads_fail = TRUE;
  g_assert_cmpint (start_failure (other), ==, LK_CONTROLLER_DISK_FAILED);
  other->reads_fail = FALSE;
  control_file (other, LK_CONTROLLER_START)->data[0] ^= 1;
  g_assert_cmpint (start_failure (other), ==, LK_CONTROLLER_JOURNAL_CORRUPT);
}

/* ---------------------------------------------------------------- snapshots */

static GByteArray *
saved (ControlSite *site)
{
  GByteArray *bytes = g_byte_array_new ();
  g_assert_true (control_start (site, 0));
  lk_controller_check (site->core);
  lk_controller_save (site->core, bytes);
  return bytes;
}

/* Number of the last event in a snapshot. */
static guint64
snapshot_seq (const ControlSite *site, guint number)
{
  const GByteArray *file = control_file (site, lk_controller_snapshot_names[number]);
  guint64 offset = 0;
  LkJournalCheckpoint checkpoint;
  return lk_controller_snapshot_seq (file->data, file->len, &offset, &checkpoint);
}

/* The newest, the older one, and none at all leave the same. */
static void
test_snapshots (void)
{
  g_autoptr (ControlSite) site = site_busy (&often);
  g_assert_cmpuint (snapshot_seq (site, 0), >, 0);
  g_assert_cmpuint (snapshot_seq (site, 1), >, 0);
  guint newest = snapshot_seq (site, 0) > snapshot_seq (site, 1) ? 0 : 1;
  const char *names[] = { NULL, lk_controller_snapshot_names[newest],
                          lk_controller_snapshot_names[1 - newest] };
  g_autoptr (ControlSite) whole = site_copy (site);
  g_autoptr (GByteArray) expected = saved (whole);
  g_autoptr (ControlSite) damaged = site_copy (site);
  for (guint i = 1; i < G_N_ELEMENTS (names); i++) {
    GByteArray *file = control_file (damaged, names[i]);
    file->data[file->len / 2] ^= 1;
    g_autoptr (ControlSite) other = site_copy (damaged);
    g_autoptr (GByteArray) bytes = saved (other);
    g_assert_cmpuint (bytes->len, ==, expected->len);
    g_assert_true (memcmp (bytes->data, expected->data, bytes->len) == 0);
  }
}

/* A snapshot of events that the journal has not is not used. */
static void
test_snapshot_ahead (void)
{
  g_autoptr (ControlSite) site = site_busy (&often);
  g_autoptr (ControlSite) other = site_copy (site);
  GByteArray *journal = control_file (other, LK_CONTROLLER_JOURNAL);
  g_byte_array_set_size (journal, batches_begin (journal) + 310);
  guint64 seq = started_seq (other);
  g_assert_cmpuint (seq, >, 0);
  g_assert_cmpuint (seq, <, snapshot_seq (site, 0));
  g_assert_cmpuint (seq, <, snapshot_seq (site, 1));
}

/* Behind a promotion, too, a snapshot is what it was written for. */
static void
test_snapshot_of_later_term (void)
{
  g_autoptr (ControlSite) site = control_site_new (&seldom);
  g_autoptr (GByteArray) snapshot = g_byte_array_new ();
  g_assert_true (control_start (site, 3));
  for (guint node = 0; node < CONTROL_NODES; node++)
    control_register (site, node, 1, NULL, 0);
  control_submit (site, 1, 1, 0);
  lk_controller_save (site->core, snapshot);
  g_autoptr (LkController) core = lk_controller_make (&site->config, &(LkControllerPorts){ 0 });
  g_assert_true (lk_controller_load (core, snapshot->data, snapshot->len));
  lk_controller_check (core);
}

/* ---------------------------------------------------------------- forged snapshots */

static void
forge_nothing (LkMessage *record)
{
  (void)record;
}

static void
forge_seq (LkMessage *record)
{
  record->kept_state.seq++;
}

static gint64 forged_wake_us; /* what stands in the bytes of its engine */

static void
forge_digest (LkMessage *record)
{
  record->kept_state.digest_low++;
}

static void
forge_run_id_last (LkMessage *record)
{
  record->kept_state.run_id_last = G_MAXUINT64;
}

static void
forge_run_id (LkMessage *record)
{
  record->kept_run.run_id = 1000;
}

static void
forge_start (LkMessage *record)
{
  record->kept_run.start_seq = 1000;
}

static void
forge_end (LkMessage *record)
{
  record->kept_run.end_seq = 1;
}

static void
forge_job (LkMessage *record)
{
  record->kept_run.job_id = 3;
}

static void
forge_node_count (LkMessage *record)
{
  record->kept_run.node_count = G_MAXUINT32;
}

static void
forge_node (LkMessage *record)
{
  record->kept_run_node.node = CONTROL_NODES;
}

static void
forge_order (LkMessage *record)
{
  record->kept_order.seq = 1000;
}

static void
forge_session (LkMessage *record)
{
  record->kept_session.seq = 1000;
}

typedef struct {
  LkMessageKind kind;
  void (*forge) (LkMessage *record);
  guint copies;
  gboolean is_good;
} Forgery;

/* With the first record of that kind changed, and so often. */
static GByteArray *
forged (const GByteArray *snapshot, const Forgery *what)
{
  GByteArray *out = g_byte_array_new ();
  LkBytesReader records = { snapshot->data + 12, snapshot->len - 12, FALSE };
  gboolean is_done = FALSE;
  LkCrc32c crc;
  g_byte_array_append (out, snapshot->data, 12);
  while (records.left_bytes > 0) {
    LkMessage record;
    guint32 length_bytes = lk_take_u32 (&records);
    g_assert_true (lk_message_decode (lk_take (&records, length_bytes), length_bytes, &record));
    guint copies = 1;
    if (record.kind == what->kind && !is_done) {
      copies = what->copies;
      is_done = TRUE;
      what->forge (&record);
    }
    for (guint i = 0; i < copies; i++) {
      guint begin = out->len;
      lk_append_u32 (out, 0);
      lk_message_encode (&record, out);
      lk_put_u32 (out->data + begin, out->len - begin - 4);
    }
  }
  g_assert_true (is_done);
  lk_crc32c_init (&crc);
  lk_put_u32 (out->data + 8, lk_crc32c (&crc, out->data + 12, out->len - 12));
  return out;
}

/* All of it comes back, of what is being ended too. */
static void
test_saved_again (void)
{
  g_autoptr (ControlSite) site = site_busy (&seldom);
  g_autoptr (GByteArray) before = g_byte_array_new ();
  g_autoptr (GByteArray) after = g_byte_array_new ();
  g_autoptr (LkController) core = lk_controller_make (&site->config, &(LkControllerPorts){ 0 });
  lk_controller_save (site->core, before);
  g_assert_true (lk_controller_load (core, before->data, before->len));
  core->journal_bytes = site->core->journal_bytes;
  lk_controller_check (core);
  lk_controller_save (core, after);
  g_assert_cmpuint (after->len, ==, before->len);
  g_assert_true (memcmp (after->data, before->data, after->len) == 0);
}

/* A right CRC says nothing of what a snapshot says. */
static void
test_forged_snapshots (void)
{
  static const Forgery forgeries[] = {
    { LK_MESSAGE_KEPT_RUN, forge_nothing, 1, TRUE },
    { LK_MESSAGE_KEPT_STATE, forge_seq, 1, FALSE },
    { LK_MESSAGE_KEPT_STATE, forge_digest, 1, FALSE },
    { LK_MESSAGE_KEPT_STATE, forge_run_id_last, 1, FALSE },
    { LK_MESSAGE_KEPT_STATE, forge_nothing, 2, FALSE },
    { LK_MESSAGE_KEPT_RUN, forge_nothing, 0, FALSE },
    { LK_MESSAGE_KEPT_RUN, forge_nothing, 2, FALSE },
    { LK_MESSAGE_KEPT_RUN, forge_run_id, 1, FALSE },
    { LK_MESSAGE_KEPT_RUN, forge_start, 1, FALSE },
    { LK_MESSAGE_KEPT_RUN, forge_end, 1, FALSE },
    { LK_MESSAGE_KEPT_RUN, forge_job, 1, FALSE },
    { LK_MESSAGE_KEPT_RUN, forge_node_count, 1, FALSE },
    { LK_MESSAGE_KEPT_RUN_NODE, forge_node, 1, FALSE },
    { LK_MESSAGE_KEPT_RUN_NODE, forge_nothing, 2, FALSE },
    { LK_MESSAGE_KEPT_ORDER, forge_order, 1, FALSE },
    { LK_MESSAGE_KEPT_ORDER, forge_nothing, 0, FALSE },
    { LK_MESSAGE_KEPT_SESSION, forge_session, 1, FALSE },
  };
  g_autoptr (ControlSite) site = site_busy (&seldom);
  g_autoptr (GByteArray) snapshot = g_byte_array_new ();
  lk_controller_save (site->core, snapshot);
  for (guint i = 0; i < G_N_ELEMENTS (forgeries); i++) {
    g_autoptr (GByteArray) bytes = forged (snapshot, &forgeries[i]);
    g_autoptr (LkController) core = lk_controller_make (&site->config, &(LkControllerPorts){ 0 });
    g_test_message ("forgery %u", i);
    g_assert_cmpint (lk_controller_load (core, bytes->data, bytes->len), ==, forgeries[i].is_good);
  }
}

/* The engine has forgotten for when it has asked to be woken, and so asks once more. */
static void
forge_wake (LkMessage *record)
{
  static guint8 *engine = NULL;
  LkCrc32c crc;
  LkBytes *kept = &record->kept_state.engine;
  guint8 wake[8];
  guint at = 0;
  g_free (engine);
  engine = g_memdup2 (kept->bytes, kept->length_bytes);
  lk_put_u64 (wake, (guint64)forged_wake_us);
  while (memcmp (engine + at, wake, sizeof wake) != 0)
    g_assert_cmpuint (++at + sizeof wake, <, kept->length_bytes);
  lk_put_u64 (engine + at, (guint64)LK_TIME_NEVER);
  lk_crc32c_init (&crc);
  lk_put_u32 (engine + kept->length_bytes - 4, lk_crc32c (&crc, engine, kept->length_bytes - 4));
  kept->bytes = engine;
}

static void
keep_forged (ControlSite *site, guint number)
{
  static const Forgery forgery = { LK_MESSAGE_KEPT_STATE, forge_wake, 1, TRUE };
  g_autoptr (GByteArray) snapshot = g_byte_array_new ();
  forged_wake_us = lk_engine_wake_us (lk_controller_engine (site->core));
  g_assert_cmpint (forged_wake_us, <, LK_TIME_NEVER);
  lk_controller_save (site->core, snapshot);
  g_autoptr (GByteArray) bytes = forged (snapshot, &forgery);
  g_autoptr (LkController) core = lk_controller_make (&site->config, &(LkControllerPorts){ 0 });
  g_assert_true (lk_controller_load (core, bytes->data, bytes->len));
  control_set_file (site, lk_controller_snapshot_names[number], bytes->data, bytes->len);
}

/* A snapshot from which the events behind it are decided otherwise is no reason not to start. */
static void
test_misleading_snapshots (void)
{
  g_autoptr (ControlSite) site = site_busy (&seldom);
  keep_forged (site, 0);
  control_submit (site, 7, 1, 0);
  g_autoptr (ControlSite) one = site_copy (site);
  keep_forged (site, 1);
  control_submit (site, 8, 1, 0);
  g_autoptr (ControlSite) plain = site_copy (site);
  for (guint i = 0; i < LK_CONTROLLER_SNAPSHOTS; i++)
    control_remove_file (plain, lk_controller_snapshot_names[i]);
  g_autoptr (GByteArray) expected = saved (plain);
  g_autoptr (ControlSite) two = site_copy (site);
  g_autoptr (GByteArray) after_two = saved (two);
  g_assert_cmpuint (after_two->len, ==, expected->len);
  g_assert_true (memcmp (after_two->data, expected->data, expected->len) == 0);
  g_assert_true (control_start (one, 0));
}

/* ---------------------------------------------------------------- runs */

/* What runs says its report: behind a start nothing is launched that may live. */
static void
test_runs_survive (void)
{
  g_autoptr (ControlSite) site = site_busy (&seldom);
  g_autoptr (GByteArray) snapshot = g_byte_array_new ();
  LkRunReport alive[] = { { .run_id = 1, .job_id = 1, .state = LK_RUN_RUNNING },
                          { .run_id = 2, .job_id = 2, .state = LK_RUN_RUNNING } };
  LkMessage message;
  lk_controller_save (site->core, snapshot);
  control_set_file (site, lk_controller_snapshot_names[0], snapshot->data, snapshot->len);
  control_crash (site, 0, 0);
  control_forget_sent (site);
  g_assert_true (control_start (site, 0));
  control_register (site, 0, 1, &alive[0], 1);
  control_register (site, 1, 1, &alive[1], 1);
  for (guint node = 0; node < 2; node++)
    g_assert_cmpuint (control_sent_count (site, CONTROL_AGENT_PEER (node), LK_MESSAGE_LAUNCH), ==,
                      0);
  /* The cancelled one is told to end, the signal for the other is sent again. */
  g_assert_true (control_sent (site, CONTROL_AGENT_PEER (1), LK_MESSAGE_TERMINATE, 0, &message));
  g_assert_cmpuint (message.terminate.run_id, ==, 2);
  g_assert_true (control_sent (site, CONTROL_AGENT_PEER (0), LK_MESSAGE_RUN_SIGNAL, 0, &message));
  g_assert_cmpuint (message.run_signal.run_id, ==, 1);
}

/* The agent of the first node reports run 1 to a controller that has just begun, and gets an order:
 * its number. */
static guint64
ordered_number (ControlSite *site)
{
  static const LkRunReport alive = { .run_id = 1, .job_id = 1, .state = LK_RUN_RUNNING };
  LkMessage message;
  control_forget_sent (site);
  control_register (site, 0, 7, &alive, 1);
  g_assert_true (control_sent (site, CONTROL_AGENT_PEER (0), LK_MESSAGE_RUN_SIGNAL, 0, &message));
  return message.run_signal.seq;
}

/* A controller of a lower term may have sent an order that this journal does not have. */
static void
test_orders_of_terms (void)
{
  const ControlOptions *options[] = { &seldom, &often };
  for (guint i = 0; i < G_N_ELEMENTS (options); i++) {
    guint64 above = G_GUINT64_CONSTANT (1) << 32;
    g_autoptr (ControlSite) old = control_site_new (options[i]);
    g_autoptr (ControlSite) site = control_site_new (options[i]);
    LkPeer agent = control_agent (0);
    LkMessage heard = { .kind = LK_MESSAGE_RUN_HEARD };
    control_start_all (old);
    control_submit (old, 1, 1, 0);
    copy_files (old, site);
    control_order (old, 2, LK_EVENT_SIGNAL, 1);
    g_assert_cmpuint (ordered_number (old), ==, 1);
    g_assert_true (control_start (site, 2)); /* which knows nothing of that */
    control_order (site, 2, LK_EVENT_SIGNAL, 1);
    control_order (site, 3, LK_EVENT_SIGNAL, 1);
    g_assert_cmpuint (ordered_number (site), ==, above + 1);
    heard.run_heard.node = lk_text (agent.name);
    heard.run_heard.epoch = control_epoch (site, 0);
    heard.run_heard.run_id = 1;
    heard.run_heard.seq = 1; /* of the order before: no answer */
    control_forget_sent (site);
    control_message (site, &agent, &heard);
    g_assert_cmpuint (control_sent_count (site, agent.id, LK_MESSAGE_RUN_SIGNAL), ==, 0);
    heard.run_heard.seq = above + 1;
    control_message (site, &agent, &heard);
    LkMessage next;
    g_assert_true (control_sent (site, agent.id, LK_MESSAGE_RUN_SIGNAL, 0, &next));
    g_assert_cmpuint (next.run_signal.seq, ==, above + 2);
    control_crash (site, 0, 0);
    g_assert_true (control_start (site, 0));
    g_assert_cmpuint (ordered_number (site), ==, above + 1);
  }
}

/* ---------------------------------------------------------------- epochs */

static void
test_epochs_rise (void)
{
  g_autoptr (ControlSite) site = control_site_new (&seldom);
  guint64 last = 0;
  for (guint i = 0; i < 3; i++) {
    control_start_all (site);
    g_assert_cmpuint (control_epoch (site, 0), >, last);
    last = control_epoch (site, 2);
    control_crash (site, 0, 0);
  }
}

/* As long as that a controller has begun is not durable it is not there. */
static void
test_start_is_durable (void)
{
  g_autoptr (ControlSite) site = control_site_new (&seldom);
  site->disk_waits = TRUE;
  g_assert_true (control_start (site, 0));
  control_register (site, 0, 1, NULL, 0);
  control_submit (site, 1, 1, 0);
  g_assert_cmpuint (site->sent->len, ==, 0);
  control_disk_done (site, TRUE);
  control_register (site, 0, 1, NULL, 0);
  g_assert_cmpuint (control_sent_count (site, CONTROL_AGENT_PEER (0), LK_MESSAGE_REPORTED), ==, 1);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/recovery/answers requests as before", test_requests_survive);
  g_test_add_func ("/recovery/knows nothing of what was not durable", test_lost_request);
  g_test_add_func ("/recovery/keeps what was submitted", test_payload_survives);
  g_test_add_func ("/recovery/does not keep what was refused", test_refused_submit);
  g_test_add_func ("/recovery/loses what was begun and is reported no more", test_begun_is_lost);
  g_test_add_func ("/recovery/cuts off a torn tail", test_torn_tail);
  g_test_add_func ("/recovery/begins anew when the first append is torn", test_first_append_torn);
  g_test_add_func ("/recovery/refuses damage in the middle", test_damage);
  g_test_add_func ("/recovery/refuses another configuration", test_other_configuration);
  g_test_add_func ("/recovery/refuses what it would decide otherwise", test_diverges);
  g_test_add_func ("/recovery/refuses what it cannot read", test_reading_fails);
  g_test_add_func ("/recovery/comes to the same from any snapshot", test_snapshots);
  g_test_add_func ("/recovery/loads what it saves", test_saved_again);
  g_test_add_func ("/recovery/takes no snapshot that does not fit together", test_forged_snapshots);
  g_test_add_func ("/recovery/goes on without a snapshot that misleads", test_misleading_snapshots);
  g_test_add_func ("/recovery/uses no snapshot that is ahead", test_snapshot_ahead);
  g_test_add_func ("/recovery/uses snapshots of later terms", test_snapshot_of_later_term);
  g_test_add_func ("/recovery/lets runs live", test_runs_survive);
  g_test_add_func ("/recovery/numbers orders above those of lower terms", test_orders_of_terms);
  g_test_add_func ("/recovery/gives out rising epochs", test_epochs_rise);
  g_test_add_func ("/recovery/says nothing before its start is durable", test_start_is_durable);
  return g_test_run ();
}
