/* live/core/standby.c — see the header.
 *
 * `core` is a controller that has not begun: its engine and tables are kept as recovery makes them.
 * Its `journal_bytes` is what has been applied and agrees; of that the front part is durable, then
 * comes what is being appended, then `unwritten`.  `pending` has come and is not a whole batch yet:
 * it is kept in memory only.
 *
 * Source: log shipping with replay, as VMware FT (Scales et al. 2010) and the checks of
 * TigerBeetle's replicas do it; fencing tokens as in Kleppmann 2016. */
#include "live/core/standby.h"

#include "engine/assert.h"
#include "engine/bytes.h"
#include "engine/checked.h"
#include "engine/limits.h"
#include "live/core/controller_private.h"

/* A batch with its notes is never longer. */
#define PENDING_MAX_BYTES (1024u * 1024 * 1024)
/* With so much on its way to the disk no more is asked for. */
#define UNWRITTEN_MAX_BYTES (4u * 1024 * 1024)

struct _LkStandby {
  LkController *core;
  LkControllerFailure failure;
  LkMessage_kept_standby kept; /* as it is, or is about to be, on the disk */
  guint64 epoch;               /* of the controller that was heard last */
  GByteArray *pending;
  GByteArray *unwritten;
  guint64 unwritten_count; /* batches in it, the header counted as one */
  guint64 agreed_seq;      /* the last event of what agrees */
  LkDigestValue agreed_digest;
  guint64 append_token; /* 0: none is under way */
  guint64 appending_seq;
  LkDigestValue appending_digest;
  guint64 durable_seq;
  LkDigestValue durable_digest;
  guint64 controller_bytes; /* what the controller has, as far as is known */
  gint64 ask_us;            /* monotonic: when to say something again */
  LkStandbyStatus counts;   /* its counts only */
};

/* ---------------------------------------------------------------- saying */

/* Where the bytes begin that are wanted next. */
static guint64
wanted_bytes (const LkStandby *self)
{
  return self->core->journal_bytes + self->pending->len;
}

static void
send (const LkStandby *self, const LkMessage *message)
{
  lk_controller_send (self->core, LK_STANDBY_CONTROLLER, message);
}

static void
ask (LkStandby *self)
{
  LkMessage message = { .kind = LK_MESSAGE_FOLLOW };
  message.follow =
      (LkMessage_follow){ .term = self->kept.term, .offset_bytes = wanted_bytes (self) };
  send (self, &message);
}

static void
say_diverged (LkStandby *self)
{
  LkMessage message = { .kind = LK_MESSAGE_DIVERGED };
  message.diverged = (LkMessage_diverged){ .term = self->kept.term,
                                           .seq = self->kept.diverged_seq,
                                           .decision = self->kept.decision };
  send (self, &message);
}

/* Tells what is durable, and asks for what follows, unless the disk is behind. */
static void
answer (LkStandby *self)
{
  LkMessage message = { .kind = LK_MESSAGE_FOLLOWED };
  if (self->unwritten->len > UNWRITTEN_MAX_BYTES)
    return;
  message.followed = (LkMessage_followed){ .term = self->kept.term,
                                           .epoch = self->epoch,
                                           .offset_bytes = wanted_bytes (self),
                                           .seq = self->durable_seq,
                                           .digest_low = self->durable_digest.low,
                                           .digest_high = self->durable_digest.high };
  send (self, &message);
}

/* When more is there, or nothing is being made durable, whose end would be told in any case. */
static void
answer_soon (LkStandby *self)
{
  if (self->append_token == 0 || wanted_bytes (self) < self->controller_bytes)
    answer (self);
}

/* ---------------------------------------------------------------- the clock */

static gint64
monotonic_us (const LkStandby *self)
{
  const LkPortClock *clock = &self->core->ports.clock;
  return clock->ops->monotonic_us (clock->self);
}

/* Something is said again when nothing new has come for so long. */
static void
be_patient (LkStandby *self)
{
  const LkPortClock *clock = &self->core->ports.clock;
  self->ask_us = lk_time_add_us (monotonic_us (self), self->core->config.retry_us);
  clock->ops->wake_at_us (clock->self, self->ask_us);
}

void
lk_standby_woken (LkStandby *self)
{
  if (self->core == NULL || self->failure != LK_CONTROLLER_OK)
    return;
  if (monotonic_us (self) < self->ask_us) {
    const LkPortClock *clock = &self->core->ports.clock;
    clock->ops->wake_at_us (clock->self, self->ask_us);
    return;
  }
  if (self->kept.diverged_seq > 0)
    say_diverged (self);
  else if (self->unwritten->len <= UNWRITTEN_MAX_BYTES)
    ask (self);
  be_patient (self);
}

/* ---------------------------------------------------------------- the disk */

static guint64
next_token (LkStandby *self)
{
  return ++self->core->token_last;
}

static void
write_kept (LkStandby *self)
{
  const LkPortDisk *disk = &self->core->ports.disk;
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  LkMessage message = { .kind = LK_MESSAGE_KEPT_STANDBY, .kept_standby = self->kept };
  lk_message_encode (&message, bytes);
  disk->ops->replace (disk->self, LK_STANDBY_FILE, bytes->data, bytes->len, next_token (self));
}

static void
append (LkStandby *self)
{
  const LkPortDisk *disk = &self->core->ports.disk;
  g_autoptr (GByteArray) bytes = g_steal_pointer (&self->unwritten);
  self->unwritten = g_byte_array_new ();
  /* Of several batches a crash may leave any: whoever reads them must know that it is no damage. */
  if (self->unwritten_count > 1) {
    self->kept.append_from_bytes = self->core->journal_bytes - bytes->len;
    self->kept.append_to_bytes = self->core->journal_bytes;
    write_kept (self);
  }
  self->unwritten_count = 0;
  self->append_token = next_token (self);
  self->appending_seq = self->agreed_seq;
  self->appending_digest = self->agreed_digest;
  disk->ops->append (disk->self, LK_CONTROLLER_JOURNAL, bytes->data, bytes->len,
                     self->append_token);
}

/* All that has come meanwhile goes into one append. */
static void
commit (LkStandby *self)
{
  if (self->append_token != 0 || self->unwritten->len == 0)
    return;
  append (self);
  /* Behind the append, whose events it holds: the disk keeps the order.  What has diverged is no
   * state to go on from. */
  if (self->kept.diverged_seq == 0)
    lk_controller_write_snapshot (self->core);
}

static void
appended (LkStandby *self)
{
  self->append_token = 0;
  self->durable_seq = self->appending_seq;
  self->durable_digest = self->appending_digest;
  commit (self);
  if (self->kept.diverged_seq == 0)
    answer (self);
}

void
lk_standby_disk_done (LkStandby *self, guint64 token, gboolean has_succeeded)
{
  if (self->core == NULL || self->failure != LK_CONTROLLER_OK)
    return;
  if (!has_succeeded)
    self->failure = LK_CONTROLLER_DISK_FAILED;
  else if (token == self->append_token)
    appended (self);
  else if (token == self->core->snapshot_token)
    self->core->snapshot_token = 0;
}

/* ---------------------------------------------------------------- applying */

static void
drop_pending (LkStandby *self)
{
  g_byte_array_set_size (self->pending, 0);
}

static void
diverge (LkStandby *self, const LkReplayFault *fault)
{
  self->kept.diverged_seq = fault->seq;
  self->kept.decision = fault->decision;
  drop_pending (self);
  write_kept (self);
  say_diverged (self);
}

/* What is spoilt on its way, or on the controller's disk, is asked for again at the next retry. */
static void
find_damaged (LkStandby *self)
{
  self->counts.damaged_count++;
  drop_pending (self);
}

/* So much of what is pending agrees, so many batches. */
static void
accept (LkStandby *self, gsize good_bytes, guint64 batch_count)
{
  if (good_bytes == 0)
    return;
  self->unwritten_count += batch_count + (self->core->journal_bytes == 0 ? 1 : 0);
  g_byte_array_append (self->unwritten, self->pending->data, (guint)good_bytes);
  g_byte_array_remove_range (self->pending, 0, (guint)good_bytes);
  self->core->journal_bytes += good_bytes;
  self->agreed_seq = self->core->seq;
  self->agreed_digest = lk_engine_digest (self->core->engine);
  commit (self);
}

/* Has the header come to its end? What is no header counts as one, and is found out then. */
static gboolean
has_header (const LkStandby *self)
{
  LkBytesReader bytes = { self->pending->data, self->pending->len, FALSE };
  lk_take (&bytes, LK_JOURNAL_MAGIC_BYTES);
  guint32 body_bytes = lk_take_u32 (&bytes);
  lk_take_u32 (&bytes);
  return !bytes.failed && (body_bytes > LK_LIMIT_RECORD_BYTES || bytes.left_bytes >= body_bytes);
}

/* A reader that stands behind what has been applied; NULL: the journal is not of our kind. */
static LkJournalReader *
reader_new (const LkStandby *self)
{
  const GByteArray *pending = self->pending;
  LkEngineCounts counts;
  LkJournalHeader header;
  const char *fault;
  if (self->core->journal_bytes == 0) {
    LkJournalReader *reader = lk_journal_reader_new (pending->data, pending->len, &header, &fault);
    if (reader != NULL && !lk_controller_header_fits (self->core, &header))
      g_clear_pointer (&reader, lk_journal_reader_free);
    return reader;
  }
  lk_engine_counts (self->core->engine, &counts);
  LkJournalCheckpoint checkpoint = { .seq = self->core->seq,
                                     .decision_count = counts.decision_count,
                                     .digest = lk_engine_digest (self->core->engine) };
  return lk_journal_reader_new_inside (pending->data, pending->len, &checkpoint);
}

/* TRUE: it is good, as far as can be said. */
static gboolean
take_content (LkStandby *self, const LkBytes *content)
{
  LkJournalState state = LK_JOURNAL_CUT;
  LkReplayFault fault;
  g_byte_array_append (self->pending, content->bytes, content->length_bytes);
  if (self->core->journal_bytes == 0 && !has_header (self))
    return TRUE;
  g_autoptr (LkJournalReader) reader = reader_new (self);
  if (reader == NULL) {
    self->failure = LK_CONTROLLER_JOURNAL_OTHER;
    return FALSE;
  }
  guint64 batch_count = self->core->batch_count;
  if (!lk_controller_replay (self->core, reader, &state, &fault)) {
    diverge (self, &fault);
    return FALSE;
  }
  accept (self, lk_journal_reader_good_bytes (reader), self->core->batch_count - batch_count);
  if (state == LK_JOURNAL_CUT
      || (state == LK_JOURNAL_TORN && self->pending->len <= PENDING_MAX_BYTES))
    return TRUE;
  find_damaged (self);
  return FALSE;
}

/* ---------------------------------------------------------------- hearing */

/* Another controller: what the one before has sent that was not whole is not known to be of its
 * journal. */
static void
take_term (LkStandby *self, guint64 term)
{
  self->kept.term = term;
  self->epoch = 0;
  self->controller_bytes = 0;
  drop_pending (self);
  write_kept (self);
}

/* What was durable when it was sent to us is so no more: its disk has lied. */
static void
find_ahead (LkStandby *self)
{
  if (self->kept.is_ahead)
    return;
  self->kept.is_ahead = 1;
  write_kept (self);
}

static void
on_journal (LkStandby *self, const LkMessage_journal *journal)
{
  if (journal->term < self->kept.term) {
    self->counts.refused_count++;
    return;
  }
  if (journal->term > self->kept.term)
    take_term (self, journal->term);
  if (journal->offset_bytes != wanted_bytes (self))
    return;
  if (journal->durable_bytes < journal->offset_bytes)
    find_ahead (self);
  if (self->kept.is_ahead)
    return;
  self->epoch = MAX (self->epoch, journal->epoch);
  self->controller_bytes = MAX (self->controller_bytes, journal->durable_bytes);
  be_patient (self);
  if (journal->content.length_bytes == 0 || take_content (self, &journal->content))
    answer_soon (self);
}

void
lk_standby_message (LkStandby *self, const LkPeer *peer, const guint8 *bytes, gsize length_bytes)
{
  LkMessage message;
  if (self->core == NULL || self->failure != LK_CONTROLLER_OK)
    return;
  if (peer->kind != LK_PEER_CONTROLLER || !lk_message_decode (bytes, length_bytes, &message)
      || message.kind != LK_MESSAGE_JOURNAL)
    self->counts.refused_count++;
  else if (self->kept.diverged_seq == 0)
    on_journal (self, &message.journal);
}

/* ---------------------------------------------------------------- beginning and end */

/* What was read may not be durable, as when a controller begins (controller_journal.c): a process
 * before us may have died before it was.  Until this is done nothing is told to be. */
static void
sync_journal (LkStandby *self)
{
  const LkPortDisk *disk = &self->core->ports.disk;
  static const guint8 nothing[1] = { 0 };
  self->append_token = next_token (self);
  disk->ops->append (disk->self, LK_CONTROLLER_JOURNAL, nothing, 0, self->append_token);
}

/* Takes over the controller that has been made from the disk. */
static LkStandby *
begin (LkController *core)
{
  LkStandby *self = g_new0 (LkStandby, 1);
  self->core = core;
  self->kept = core->follow;
  self->pending = g_byte_array_new ();
  self->unwritten = g_byte_array_new ();
  self->appending_seq = self->agreed_seq = core->snapshot_seq = core->seq;
  self->appending_digest = self->agreed_digest = lk_engine_digest (core->engine);
  if (core->journal_bytes > 0)
    sync_journal (self);
  if (self->kept.diverged_seq > 0)
    say_diverged (self);
  else
    ask (self);
  be_patient (self);
  return self;
}

LkStandby *
lk_standby_new (const LkControllerConfig *config, const LkControllerPorts *ports,
                LkControllerFailure *out_failure)
{
  LkControllerFailure failure = LK_CONTROLLER_POLICY;
  g_autoptr (LkController) core = lk_controller_make (config, ports);
  if (core != NULL)
    failure = lk_controller_recover (&core);
  if (failure == LK_CONTROLLER_OK && core->term > core->follow.term)
    failure = LK_CONTROLLER_FORMER;
  *out_failure = failure;
  return failure == LK_CONTROLLER_OK ? begin (g_steal_pointer (&core)) : NULL;
}

void
lk_standby_free (LkStandby *self)
{
  if (self == NULL)
    return;
  lk_controller_free (self->core);
  g_byte_array_unref (self->pending);
  g_byte_array_unref (self->unwritten);
  g_free (self);
}

static LkControllerFailure
why_not (const LkStandby *self, guint64 term)
{
  if (self->failure != LK_CONTROLLER_OK)
    return self->failure;
  if (self->kept.diverged_seq > 0)
    return LK_CONTROLLER_DIVERGED;
  if (self->core->journal_bytes == 0)
    return LK_CONTROLLER_EMPTY;
  /* Not the last one: whoever held that may still do so. */
  if (term == 0 || term <= self->kept.term || term > LK_CONTROLLER_TERM_MAX)
    return LK_CONTROLLER_FENCED;
  return LK_CONTROLLER_OK;
}

LkController *
lk_standby_promote (LkStandby *self, guint64 term, LkControllerFailure *out_failure)
{
  LK_ASSERT (self->core != NULL);
  *out_failure = why_not (self, term);
  if (*out_failure != LK_CONTROLLER_OK)
    return NULL;
  /* The controller opens when its start is durable: as the disk keeps the order, so is this. */
  if (self->unwritten->len > 0)
    append (self);
  LkController *core = g_steal_pointer (&self->core);
  core->follow = self->kept;
  *out_failure = lk_controller_begin (core, term);
  LK_ASSERT (*out_failure == LK_CONTROLLER_OK);
  return core;
}

/* ---------------------------------------------------------------- looking in */

LkControllerFailure
lk_standby_failure (const LkStandby *self)
{
  return self->failure;
}

void
lk_standby_status (const LkStandby *self, LkStandbyStatus *out_status)
{
  *out_status = self->counts;
  out_status->term = self->kept.term;
  out_status->durable_seq = self->durable_seq;
  out_status->diverged_seq = self->kept.diverged_seq;
  out_status->diverged_decision = self->kept.decision;
  out_status->is_ahead = self->kept.is_ahead;
  if (self->core == NULL)
    return;
  out_status->seq = self->agreed_seq;
  out_status->journal_bytes = self->core->journal_bytes;
  if (self->controller_bytes > self->core->journal_bytes)
    out_status->left_bytes = self->controller_bytes - self->core->journal_bytes;
}

const LkEngine *
lk_standby_engine (const LkStandby *self)
{
  return self->core != NULL ? lk_controller_engine (self->core) : NULL;
}

void
lk_standby_check (const LkStandby *self)
{
  if (self->core == NULL)
    return;
  /* Behind a divergence the tables are those of the event before, at best. */
  if (self->kept.diverged_seq == 0)
    lk_controller_check (self->core);
  LK_ASSERT (self->durable_seq <= self->appending_seq);
  LK_ASSERT (self->appending_seq <= self->agreed_seq);
  LK_ASSERT (self->agreed_seq == self->core->seq || self->kept.diverged_seq > 0);
  LK_ASSERT (self->append_token != 0 || self->unwritten->len == 0);
  LK_ASSERT (self->append_token != 0 || self->durable_seq == self->appending_seq);
  LK_ASSERT (self->unwritten->len <= self->core->journal_bytes);
  LK_ASSERT (self->kept.diverged_seq == 0 || self->pending->len == 0);
}
