/* tests/live/standby_test.c — one standby, fed by hand with the journal of a real controller.
 *
 * The journal is that of a small simulated cluster; what the standby says is caught, and its disk
 * is looked at. */
#include <string.h>

#include "engine/assert.h"
#include "engine/bytes.h"
#include "live/port/port_term_sim.h"
#include "tests/dst/workload.h"
#include "tests/engine/seed.h"
#include "tests/property/storm_site.h"

#define SECOND_US ((gint64)G_USEC_PER_SEC)
#define START_US (G_GINT64_CONSTANT (1700000000) * SECOND_US)
#define TERM 3u
#define EPOCH 77u

/* ---------------------------------------------------------------- a journal */

static GByteArray *journal;
static LkControllerConfig config;
static LkJournalHeader header;
static DstWorkload *workload;

static void
on_answer (gpointer user, const DstAnswer *answer)
{
  (void)user;
  dst_workload_answered (workload, answer);
}

static void
make_journal (void)
{
  DstOptions options = {
    .seed = 5,
    .start_us = START_US,
    .setup = lk_storm_setup (0),
    .source = "standby",
    .controller = { .heartbeat_us = SECOND_US,
                    .node_timeout_us = 15 * SECOND_US,
                    .registration_wait_us = 5 * SECOND_US,
                    .retry_us = SECOND_US / 2,
                    .snapshot_events = 25,
                    .session_count_max = 1024 },
    .agent_retry_us = SECOND_US,
    .client_retry_us = 2 * SECOND_US,
    .client_count = 8,
    .watch = { .answered = on_answer },
  };
  DstWorkloadOptions work = { .seed = 6,
                              .is_crowded = TRUE,
                              .request_count = 60,
                              .pause_max_us = 4 * SECOND_US,
                              .script_max_us = 40 * SECOND_US };
  options.identities = dst_workload_identities (&options.identity_count);
  options.controller.administrator_user_id = options.identities[0].user_id;
  DstCluster *cluster = dst_cluster_new (&options);
  workload = dst_workload_new (cluster, &work);
  dst_run_for (cluster, 120 * SECOND_US);
  const GByteArray *bytes = lk_disk_sim_peek (cluster->hosts[0].disk, LK_CONTROLLER_JOURNAL);
  journal = g_byte_array_append (g_byte_array_new (), bytes->data, bytes->len);
  lk_setup_header (options.setup, options.source, &header);
  config = cluster->controller;
  config.header = &header;
  dst_cluster_free (cluster);
  dst_workload_free (workload);
}

static LkJournalCheckpoint
end_of (const GByteArray *bytes)
{
  LkJournalHeader read_header;
  const char *fault;
  LkEvent event;
  LkJournalCheckpoint checkpoint = { 0 };
  g_autoptr (LkJournalReader) reader =
      lk_journal_reader_new (bytes->data, bytes->len, &read_header, &fault);
  g_assert_nonnull (reader);
  while (lk_journal_reader_next (reader, &event) == LK_JOURNAL_EVENT)
    continue;
  g_assert_true (lk_journal_reader_checkpoint (reader, &checkpoint));
  return checkpoint;
}

/* ---------------------------------------------------------------- a standby */

typedef struct {
  LkWorld *world;
  LkClockSim *clock;
  LkDiskSim *disk;
  LkStandby *standby;
  LkController *core; /* once it is promoted */
  GPtrArray *said;    /* of GByteArray: messages */
  guint64 crash_at;
  gboolean has_crashed;
} Site;

static void
woken (gpointer user)
{
  Site *self = user;
  if (self->core != NULL)
    lk_controller_woken (self->core);
  else if (self->standby != NULL)
    lk_standby_woken (self->standby);
}

static void
disk_done (gpointer user, guint64 token, gboolean has_succeeded)
{
  Site *self = user;
  if (self->core != NULL)
    lk_controller_disk_done (self->core, token, has_succeeded);
  else if (self->standby != NULL)
    lk_standby_disk_done (self->standby, token, has_succeeded);
}

static void
crash (Site *self)
{
  lk_disk_sim_stop (self->disk, /* has_lost_power= */ TRUE);
  lk_clock_sim_stop (self->clock);
  g_clear_pointer (&self->standby, lk_standby_free);
  g_clear_pointer (&self->core, lk_controller_free);
  self->has_crashed = TRUE;
}

static void
on_write (gpointer user, const char *name, guint64 write_index, gboolean is_done)
{
  Site *self = user;
  (void)name;
  if (write_index == self->crash_at && !is_done)
    crash (self);
}

static gboolean
send_message (void *user, LkPeerId peer, const guint8 *bytes, gsize length_bytes)
{
  Site *self = user;
  g_assert_cmpuint (peer, ==, LK_STANDBY_CONTROLLER);
  g_ptr_array_add (self->said,
                   g_byte_array_append (g_byte_array_new (), bytes, (guint)length_bytes));
  return TRUE;
}

static const LkPortNetOps net_ops = { .size = sizeof net_ops, .send = send_message };

static LkControllerPorts
ports_of (Site *self)
{
  return (LkControllerPorts){ .clock = lk_clock_sim_port (self->clock),
                              .net = { &net_ops, self },
                              .disk = lk_disk_sim_port (self->disk),
                              .term = lk_term_sim_port () };
}

static LkControllerFailure
start (Site *self)
{
  LkControllerFailure failure;
  LkControllerPorts ports = ports_of (self);
  self->standby = lk_standby_new (&config, &ports, &failure);
  self->has_crashed = FALSE;
  return failure;
}

static void
bytes_free (gpointer bytes)
{
  g_byte_array_unref (bytes);
}

static void
site_init (Site *self, guint64 seed)
{
  *self = (Site){ .world = lk_world_new (seed, START_US),
                  .said = g_ptr_array_new_with_free_func (bytes_free) };
  self->clock = lk_clock_sim_new (self->world, woken, self);
  self->disk = lk_disk_sim_new (self->world, "standby", disk_done, self);
  lk_disk_sim_set_hook (self->disk, on_write, self);
  g_assert_cmpint (start (self), ==, LK_CONTROLLER_OK);
}

static void
site_clear (Site *self)
{
  lk_standby_free (self->standby);
  lk_controller_free (self->core);
  lk_world_free (self->world);
  lk_clock_sim_free (self->clock);
  lk_disk_sim_free (self->disk);
  g_ptr_array_unref (self->said);
}

static void
run_for (Site *self, gint64 duration_us)
{
  gint64 until_us = lk_world_now_us (self->world) + duration_us;
  while (lk_world_next_us (self->world) <= until_us)
    lk_world_step (self->world);
  if (self->standby != NULL)
    lk_standby_check (self->standby);
}

/* The last message of this kind; FALSE: there was none. */
static gboolean
last_said (const Site *self, LkMessageKind kind, LkMessage *out_message)
{
  for (guint i = self->said->len; i > 0; i--) {
    const GByteArray *bytes = g_ptr_array_index (self->said, i - 1);
    g_assert_true (lk_message_decode (bytes->data, bytes->len, out_message));
    if (out_message->kind == kind)
      return TRUE;
  }
  return FALSE;
}

/* A piece of a journal, as a controller with this term sends it. */
static void
feed_as (Site *self, guint64 term, const GByteArray *bytes, gsize begin, gsize end)
{
  static const LkPeer controller = { .id = LK_STANDBY_CONTROLLER, .kind = LK_PEER_CONTROLLER };
  g_autoptr (GByteArray) encoded = g_byte_array_new ();
  LkMessage message = { .kind = LK_MESSAGE_JOURNAL };
  message.journal =
      (LkMessage_journal){ .term = term,
                           .epoch = EPOCH,
                           .offset_bytes = begin,
                           .durable_bytes = bytes->len,
                           .content = { bytes->data + begin, (guint32)(end - begin) } };
  lk_message_encode (&message, encoded);
  if (self->standby != NULL)
    lk_standby_message (self->standby, &controller, encoded->data, encoded->len);
}

static void
feed (Site *self, gsize begin, gsize end)
{
  feed_as (self, TERM, journal, begin, end);
}

static LkStandbyStatus
status_of (const Site *self)
{
  LkStandbyStatus status;
  lk_standby_status (self->standby, &status);
  return status;
}

static void
assert_has_all (const Site *self)
{
  LkMessage message;
  LkJournalCheckpoint last = end_of (journal);
  LkStandbyStatus status = status_of (self);
  const GByteArray *kept = lk_disk_sim_peek (self->disk, LK_CONTROLLER_JOURNAL);
  g_assert_cmpuint (status.seq, ==, last.seq);
  g_assert_cmpuint (status.durable_seq, ==, last.seq);
  g_assert_cmpuint (status.journal_bytes, ==, journal->len);
  g_assert_cmpuint (status.left_bytes, ==, 0);
  g_assert_cmpuint (kept->len, ==, journal->len);
  g_assert_true (memcmp (kept->data, journal->data, kept->len) == 0);
  g_assert_true (
      lk_digest_value_equal (lk_engine_digest (lk_standby_engine (self->standby)), last.digest));
  g_assert_true (last_said (self, LK_MESSAGE_FOLLOWED, &message));
  g_assert_cmpuint (message.followed.term, ==, TERM);
  g_assert_cmpuint (message.followed.epoch, ==, EPOCH);
  g_assert_cmpuint (message.followed.seq, ==, last.seq);
  g_assert_cmpuint (message.followed.offset_bytes, ==, journal->len);
  g_assert_cmpuint (message.followed.digest_low, ==, last.digest.low);
  g_assert_cmpuint (message.followed.digest_high, ==, last.digest.high);
}

/* ---------------------------------------------------------------- following */

static void
test_pieces (void)
{
  static const guint32 sizes[] = { 7, 100, 3000, 1u << 20 };
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
    Site site;
    Seed seed = { i };
    site_init (&site, 1);
    for (gsize at = 0; at < journal->len;) {
      gsize wanted = at + 1 + seed_below (&seed, sizes[i]);
      gsize end = MIN (wanted, journal->len);
      feed (&site, at, end);
      if (seed_below (&seed, 2) == 0)
        run_for (&site, 0);
      at = end;
    }
    run_for (&site, 0);
    assert_has_all (&site);
    site_clear (&site);
  }
}

/* Told only when it is durable; what follows is asked for sooner. */
static void
test_durable (void)
{
  Site site;
  LkMessage message;
  LkDiskSimFaults slow = { .request_min_us = 1000, .request_max_us = 1000 };
  gsize half = journal->len / 2;
  site_init (&site, 1);
  lk_disk_sim_set_faults (site.disk, &slow);
  feed (&site, 0, half);
  g_assert_true (last_said (&site, LK_MESSAGE_FOLLOWED, &message));
  g_assert_cmpuint (message.followed.offset_bytes, ==, half);
  g_assert_cmpuint (message.followed.seq, ==, 0);
  feed (&site, half, journal->len);
  g_assert_true (last_said (&site, LK_MESSAGE_FOLLOWED, &message));
  g_assert_cmpuint (message.followed.seq, ==, 0);
  g_assert_cmpuint (status_of (&site).seq, ==, end_of (journal).seq);
  g_assert_cmpuint (status_of (&site).durable_seq, ==, 0);
  run_for (&site, 10000);
  assert_has_all (&site);
  site_clear (&site);
}

static void
test_place (void)
{
  Site site;
  LkMessage message;
  gsize third = journal->len / 3;
  site_init (&site, 1);
  g_assert_true (last_said (&site, LK_MESSAGE_FOLLOW, &message));
  g_assert_cmpuint (message.follow.offset_bytes, ==, 0);
  feed (&site, 0, third);
  feed (&site, 0, third);
  feed (&site, third / 2, 2 * third);
  feed (&site, 2 * third, journal->len);
  run_for (&site, 0);
  g_assert_cmpuint (status_of (&site).journal_bytes, <=, third);
  /* It says again where it stands. */
  run_for (&site, config.retry_us);
  g_assert_true (last_said (&site, LK_MESSAGE_FOLLOW, &message));
  g_assert_cmpuint (message.follow.offset_bytes, ==, third);
  g_assert_cmpuint (message.follow.term, ==, TERM);
  feed (&site, third, journal->len);
  run_for (&site, 0);
  assert_has_all (&site);
  site_clear (&site);
}

static gsize
header_bytes (void)
{
  LkJournalHeader read_header;
  const char *fault;
  g_autoptr (LkJournalReader) reader =
      lk_journal_reader_new (journal->data, journal->len, &read_header, &fault);
  return lk_journal_reader_good_bytes (reader);
}

static void
test_sender (void)
{
  static const LkPeer user = { .id = 9, .kind = LK_PEER_USER, .user_id = 0, .name = "root" };
  Site site;
  gsize first = header_bytes ();
  site_init (&site, 1);
  lk_standby_message (site.standby, &user, journal->data, 10);
  g_assert_cmpuint (status_of (&site).refused_count, ==, 1);
  feed (&site, 0, first);
  run_for (&site, 0);
  feed_as (&site, TERM - 1, journal, first, journal->len);
  g_assert_cmpuint (status_of (&site).refused_count, ==, 2);
  /* The term outlives it. */
  crash (&site);
  g_assert_cmpint (start (&site), ==, LK_CONTROLLER_OK);
  g_assert_cmpuint (status_of (&site).term, ==, TERM);
  feed_as (&site, TERM - 1, journal, status_of (&site).journal_bytes, journal->len);
  g_assert_cmpuint (status_of (&site).refused_count, ==, 1);
  feed_as (&site, TERM + 1, journal, status_of (&site).journal_bytes, journal->len);
  run_for (&site, 0);
  g_assert_cmpuint (status_of (&site).term, ==, TERM + 1);
  g_assert_cmpuint (status_of (&site).seq, ==, end_of (journal).seq);
  site_clear (&site);
}

/* It loses its power at each of its writes, whatever is left of them, and goes on. */
static void
test_crash (void)
{
  gboolean has_crashed = TRUE;
  for (guint64 write = 1; has_crashed; write++) {
    Site site;
    Seed seed = { write };
    site_init (&site, write);
    site.crash_at = write;
    has_crashed = FALSE;
    while (site.standby == NULL || status_of (&site).durable_seq < end_of (journal).seq) {
      if (site.standby == NULL) {
        has_crashed = TRUE;
        g_assert_cmpint (start (&site), ==, LK_CONTROLLER_OK);
        g_assert_cmpuint (status_of (&site).journal_bytes, <=, journal->len);
        /* A term that is not durable has no bytes. */
        g_assert_true (status_of (&site).term == TERM || status_of (&site).journal_bytes == 0);
      }
      LkMessage message = { 0 };
      gsize at = 0;
      run_for (&site, config.retry_us);
      if (site.standby == NULL)
        continue;
      if (last_said (&site, LK_MESSAGE_FOLLOW, &message))
        at = message.follow.offset_bytes;
      guint32 limit_bytes = seed_below (&seed, 2) == 0 ? 1000 : 20000;
      gsize end = at + 1 + seed_below (&seed, limit_bytes);
      feed (&site, at, MIN (end, journal->len));
      run_for (&site, 0);
    }
    assert_has_all (&site);
    site_clear (&site);
  }
}

/* Only its process dies, in the midst of an append: the next one finds what was written, and a loss
 * of power may still take that. TRUE: it has found something of the kind. */
static gboolean
finds_undurable (guint64 seed)
{
  Site site;
  LkMessage message;
  LkDiskSimFaults slow = { .request_min_us = 1000, .request_max_us = 1000 };
  site_init (&site, seed);
  lk_disk_sim_set_faults (site.disk, &slow);
  feed (&site, 0, journal->len);
  run_for (&site, 2500); /* what is kept is, and the append is under way */
  lk_disk_sim_stop (site.disk, /* has_lost_power= */ FALSE);
  lk_clock_sim_stop (site.clock);
  g_clear_pointer (&site.standby, lk_standby_free);
  g_assert_cmpint (start (&site), ==, LK_CONTROLLER_OK);
  gsize found_bytes = status_of (&site).journal_bytes;
  gboolean is_undurable =
      found_bytes > lk_disk_sim_durable_bytes (site.disk, LK_CONTROLLER_JOURNAL);
  g_ptr_array_set_size (site.said, 0);
  feed (&site, found_bytes, journal->len);
  g_assert_cmpuint (status_of (&site).durable_seq, ==, 0);
  if (last_said (&site, LK_MESSAGE_FOLLOWED, &message))
    g_assert_cmpuint (message.followed.seq, ==, 0);
  run_for (&site, 10000);
  assert_has_all (&site);
  site_clear (&site);
  return is_undurable;
}

static void
test_found (void)
{
  gboolean has_found = FALSE;
  for (guint64 seed = 1; seed <= 20; seed++)
    has_found = finds_undurable (seed) || has_found;
  g_assert_true (has_found);
}

/* ---------------------------------------------------------------- what is wrong */

/* The journal again, with other decisions for one event. */
typedef struct {
  guint64 seq;
  guint32 decision;
} Plant;

static void
take_bytes (gpointer user, const guint8 *bytes, gsize length_bytes)
{
  g_byte_array_append (user, bytes, (guint)length_bytes);
}

/* As it was, but for the digests behind the plant. */
static GByteArray *
forge (const Plant *plant)
{
  GByteArray *out = g_byte_array_new ();
  LkJournalHeader read_header;
  const char *fault;
  LkEvent event;
  g_autoptr (LkJournalReader) reader =
      lk_journal_reader_new (journal->data, journal->len, &read_header, &fault);
  g_autoptr (LkJournalWriter) writer = lk_journal_writer_new (&read_header, 1, take_bytes, out);
  while (lk_journal_reader_next (reader, &event) == LK_JOURNAL_EVENT) {
    const guint8 *note;
    gsize note_bytes;
    LkJournalCheckpoint checkpoint;
    LkDecision decision;
    g_autoptr (GByteArray) decisions = g_byte_array_new ();
    guint32 count = 0;
    while (lk_journal_reader_note (reader, &note, &note_bytes))
      lk_journal_writer_note (writer, note, note_bytes);
    for (; lk_journal_reader_decision (reader, &decision); count++) {
      if (event.seq == plant->seq && count == plant->decision
          && decision.kind == LK_DECISION_ACCEPT)
        decision.accept.job_id++;
      else if (event.seq == plant->seq && count == plant->decision)
        decision = (LkDecision){ .kind = LK_DECISION_ACCEPT, .accept = { .job_id = 4711 } };
      lk_decision_encode (&decision, decisions);
    }
    LkDecided decided = { .bytes = decisions->data,
                          .length_bytes = decisions->len,
                          .count = count };
    lk_journal_writer_event (writer, &event, &decided);
    if (lk_journal_reader_checkpoint (reader, &checkpoint))
      lk_journal_writer_commit (writer, checkpoint.decision_count, checkpoint.digest);
  }
  return out;
}

/* An event in the middle with at least two decisions. */
static Plant
place_to_plant (void)
{
  LkJournalHeader read_header;
  const char *fault;
  LkEvent event;
  guint64 last = end_of (journal).seq;
  g_autoptr (LkJournalReader) reader =
      lk_journal_reader_new (journal->data, journal->len, &read_header, &fault);
  while (lk_journal_reader_next (reader, &event) == LK_JOURNAL_EVENT)
    if (event.seq > last / 2 && lk_journal_reader_decided (reader).count >= 2)
      return (Plant){ .seq = event.seq, .decision = 1 };
  g_assert_not_reached ();
}

static void
assert_alarm (Site *site, const Plant *plant)
{
  LkMessage message;
  LkControllerFailure failure;
  LkStandbyStatus status = status_of (site);
  g_assert_cmpuint (status.diverged_seq, ==, plant->seq);
  g_assert_cmpuint (status.diverged_decision, ==, plant->decision);
  g_assert_true (last_said (site, LK_MESSAGE_DIVERGED, &message));
  g_assert_cmpuint (message.diverged.seq, ==, plant->seq);
  g_assert_cmpuint (message.diverged.decision, ==, plant->decision);
  g_assert_null (lk_standby_promote (site->standby, 1000, &failure));
  g_assert_cmpint (failure, ==, LK_CONTROLLER_DIVERGED);
}

static void
diverge (gint64 disk_us)
{
  Site site;
  LkDiskSimFaults slow = { .request_min_us = disk_us, .request_max_us = disk_us };
  LkMessage message;
  LkControllerFailure failure;
  Plant plant = place_to_plant ();
  g_autoptr (GByteArray) other = forge (&plant);
  site_init (&site, 1);
  lk_disk_sim_set_faults (site.disk, &slow);
  for (gsize at = 0; at < other->len; at += 200) {
    feed_as (&site, TERM, other, at, MIN (at + 200, other->len));
    run_for (&site, 0);
  }
  run_for (&site, 100 * disk_us);
  assert_alarm (&site, &plant);
  /* It keeps what it has: all before that event agreed. */
  const GByteArray *kept = lk_disk_sim_peek (site.disk, LK_CONTROLLER_JOURNAL);
  g_assert_cmpuint (end_of (kept).seq, <, plant.seq);
  g_assert_cmpuint (end_of (kept).seq, ==, status_of (&site).durable_seq);
  g_assert_true (memcmp (kept->data, journal->data, kept->len) == 0);
  /* It says so again and again, and the good journal does not make it forget. */
  g_ptr_array_set_size (site.said, 0);
  feed (&site, kept->len, journal->len);
  run_for (&site, config.retry_us);
  assert_alarm (&site, &plant);
  crash (&site);
  g_ptr_array_set_size (site.said, 0);
  g_assert_cmpint (start (&site), ==, LK_CONTROLLER_OK);
  assert_alarm (&site, &plant);
  g_assert_true (lk_digest_value_equal (lk_engine_digest (lk_standby_engine (site.standby)),
                                        end_of (kept).digest));
  g_assert_false (last_said (&site, LK_MESSAGE_FOLLOW, &message));
  crash (&site);
  LkControllerPorts ports = ports_of (&site);
  g_assert_null (lk_controller_new (&config, &ports, 1000, &failure));
  g_assert_cmpint (failure, ==, LK_CONTROLLER_DIVERGED);
  site_clear (&site);
}

/* While its disk is as fast as it can be, and with earlier events on their way to it. */
static void
test_divergence (void)
{
  diverge (0);
  diverge (1000);
}

/* Bytes that are spoilt are no divergence: they are asked for again. */
static void
test_damage (void)
{
  for (guint64 i = 1; i < 40; i++) {
    Site site;
    LkMessage message;
    Seed seed = { i };
    g_autoptr (GByteArray) spoilt = g_byte_array_new ();
    g_byte_array_append (spoilt, journal->data, journal->len);
    gsize half = journal->len / 2;
    spoilt->data[half + seed_below (&seed, (guint32)(journal->len - half))] ^=
        (guint8)(1u << seed_below (&seed, 8));
    site_init (&site, i);
    feed (&site, 0, half);
    run_for (&site, 0);
    feed_as (&site, TERM, spoilt, half, spoilt->len);
    run_for (&site, 0);
    g_assert_cmpuint (status_of (&site).diverged_seq, ==, 0);
    g_assert_cmpuint (status_of (&site).durable_seq, <, end_of (journal).seq);
    crash (&site); /* nothing of it has come to the disk; a length too great waits for the rest */
    g_assert_cmpint (start (&site), ==, LK_CONTROLLER_OK);
    g_assert_true (last_said (&site, LK_MESSAGE_FOLLOW, &message));
    feed (&site, message.follow.offset_bytes, journal->len);
    run_for (&site, 0);
    assert_has_all (&site);
    site_clear (&site);
  }
}

static void
test_other (void)
{
  Site site;
  LkJournalHeader other = header;
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  other.config_digest_low ^= 1;
  lk_journal_writer_free (lk_journal_writer_new (&other, 1, take_bytes, bytes));
  site_init (&site, 1);
  feed_as (&site, TERM, bytes, 0, 20);
  g_assert_cmpint (lk_standby_failure (site.standby), ==, LK_CONTROLLER_OK);
  feed_as (&site, TERM, bytes, 20, bytes->len);
  g_assert_cmpint (lk_standby_failure (site.standby), ==, LK_CONTROLLER_JOURNAL_OTHER);
  site_clear (&site);
}

/* The controller has lost what it had sent: that is said, and this is the better copy. */
static void
test_ahead (void)
{
  Site site;
  LkControllerFailure failure;
  g_autoptr (GByteArray) shorter = g_byte_array_new ();
  g_byte_array_append (shorter, journal->data, journal->len);
  site_init (&site, 1);
  feed (&site, 0, journal->len);
  run_for (&site, 0);
  g_assert_false (status_of (&site).is_ahead);
  g_byte_array_set_size (shorter, journal->len - 5);
  feed_as (&site, TERM, shorter, journal->len, journal->len);
  g_assert_true (status_of (&site).is_ahead);
  run_for (&site, 0);
  crash (&site);
  g_assert_cmpint (start (&site), ==, LK_CONTROLLER_OK);
  g_assert_true (status_of (&site).is_ahead);
  site.core = lk_standby_promote (site.standby, TERM + 1, &failure);
  g_assert_nonnull (site.core);
  site_clear (&site);
}

/* ---------------------------------------------------------------- promotion */

static LkControllerFailure
why_not (Site *site, guint64 term)
{
  LkControllerFailure failure;
  g_assert_null (lk_standby_promote (site->standby, term, &failure));
  return failure;
}

static void
test_promotion (void)
{
  Site site;
  LkControllerFailure failure;
  LkJournalCheckpoint last = end_of (journal);
  site_init (&site, 1);
  g_assert_cmpint (why_not (&site, TERM + 1), ==, LK_CONTROLLER_EMPTY);
  feed (&site, 0, journal->len);
  g_assert_cmpint (why_not (&site, 0), ==, LK_CONTROLLER_FENCED);
  g_assert_cmpint (why_not (&site, TERM), ==, LK_CONTROLLER_FENCED);
  g_assert_cmpint (why_not (&site, (guint64)LK_CONTROLLER_TERM_MAX + 1), ==, LK_CONTROLLER_FENCED);
  /* Its appends are on their way still. */
  site.core = lk_standby_promote (site.standby, TERM + 1, &failure);
  g_assert_nonnull (site.core);
  g_assert_null (lk_standby_engine (site.standby));
  feed (&site, journal->len, journal->len);
  lk_standby_woken (site.standby);
  g_assert_cmpuint (lk_controller_term (site.core), ==, TERM + 1);
  g_assert_true (
      lk_digest_value_equal (lk_engine_digest (lk_controller_engine (site.core)), last.digest));
  run_for (&site, 0);
  while (lk_controller_settle (site.core))
    run_for (&site, 0);
  lk_controller_check (site.core);
  crash (&site);
  /* The disk is a controller's from now on. */
  LkControllerPorts ports = ports_of (&site);
  g_assert_cmpint (start (&site), ==, LK_CONTROLLER_FORMER);
  site.core = lk_controller_new (&config, &ports, 0, &failure);
  g_assert_nonnull (site.core);
  g_assert_cmpuint (lk_controller_term (site.core), ==, TERM + 1);
  site_clear (&site);
}

/* A controller does not begin on a standby's disk by mistake, but may be told to. */
static void
test_cold (void)
{
  Site site;
  LkControllerFailure failure;
  LkControllerPorts ports;
  site_init (&site, 1);
  feed (&site, 0, journal->len);
  run_for (&site, 0);
  crash (&site);
  ports = ports_of (&site);
  g_assert_null (lk_controller_new (&config, &ports, 0, &failure));
  g_assert_cmpint (failure, ==, LK_CONTROLLER_FENCED);
  g_assert_null (lk_controller_new (&config, &ports, TERM, &failure));
  g_assert_cmpint (failure, ==, LK_CONTROLLER_FENCED);
  site.core = lk_controller_new (&config, &ports, TERM + 1, &failure);
  g_assert_nonnull (site.core);
  g_assert_true (lk_digest_value_equal (lk_engine_digest (lk_controller_engine (site.core)),
                                        end_of (journal).digest));
  site_clear (&site);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  make_journal ();
  g_test_add_func ("/standby/follows a journal in pieces of any size", test_pieces);
  g_test_add_func ("/standby/answers for what is durable", test_durable);
  g_test_add_func ("/standby/drops bytes that are not in their place, and asks again", test_place);
  g_test_add_func ("/standby/hears controllers only, and the highest term only", test_sender);
  g_test_add_func ("/standby/goes on after a loss of power at any write", test_crash);
  g_test_add_func ("/standby/makes durable what it finds before it tells of it", test_found);
  g_test_add_func ("/standby/raises an alarm at the first decision that differs", test_divergence);
  g_test_add_func ("/standby/asks again for what is damaged", test_damage);
  g_test_add_func ("/standby/refuses the journal of another configuration", test_other);
  g_test_add_func ("/standby/says that the controller has lost something", test_ahead);
  g_test_add_func ("/standby/is promoted with a term above all", test_promotion);
  g_test_add_func ("/standby/keeps a controller off its disk", test_cold);
  int result = g_test_run ();
  g_byte_array_unref (journal);
  return result;
}
