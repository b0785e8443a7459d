/* live/core/controller_standby.c — the journal goes to a standby as it becomes durable.
 *
 * A standby says where the bytes that it wants begin, and gets them in pieces of which one is under
 * way at a time; its answer asks for the next.  What is lost is asked for again by the standby.
 *
 * The bytes come from the file, not from memory: what the disk has spoilt does not pass the
 * standby's checks, and so is not taken for durable on both.
 *
 * Each following has an epoch of its own, as each registration of an agent has, and answers carry
 * it: a late word of a standby whose disk was since lost counts for nothing. */
#include "engine/assert.h"
#include "live/core/controller_private.h"

#define PIECE_BYTES (1024u * 1024)

static void
send_piece (LkController *self, const guint8 *bytes, gsize length_bytes)
{
  LkMessage message = { .kind = LK_MESSAGE_JOURNAL };
  message.journal = (LkMessage_journal){ .term = self->term,
                                         .epoch = self->standby_epoch,
                                         .offset_bytes = self->standby_has_bytes,
                                         .durable_bytes = self->durable_bytes,
                                         .content = { bytes, (guint32)length_bytes } };
  self->standby_sent_bytes = self->standby_has_bytes + length_bytes;
  lk_controller_send (self, self->standby, &message);
}

/* What is durable and was not sent, as far as it fits; that may be nothing. */
static void
send_next (LkController *self)
{
  gboolean has_failed = FALSE;
  const LkPortDisk *disk = &self->ports.disk;
  guint64 left_bytes = self->durable_bytes - self->standby_has_bytes;
  gsize piece_bytes = (gsize)MIN (left_bytes, PIECE_BYTES);
  if (piece_bytes == 0) {
    send_piece (self, NULL, 0);
    return;
  }
  g_autoptr (GByteArray) bytes = disk->ops->read_part (
      disk->self, LK_CONTROLLER_JOURNAL, self->standby_has_bytes, piece_bytes, &has_failed);
  if (bytes != NULL && bytes->len == piece_bytes)
    send_piece (self, bytes->data, bytes->len);
  else
    lk_controller_fail (self, LK_CONTROLLER_DISK_FAILED);
}

void
lk_controller_feed_standby (LkController *self)
{
  if (self->has_standby && self->standby_sent_bytes == self->standby_has_bytes
      && self->standby_has_bytes < self->durable_bytes)
    send_next (self);
}

/* One that asks for what it has had may have lost it: what it has told before counts no more, until
 * it is told again. */
static gboolean
is_same_standby (const LkController *self, const LkPeer *peer, const LkMessage_follow *follow)
{
  return self->has_standby && self->standby == peer->id
         && follow->offset_bytes >= self->standby_has_bytes;
}

static void
on_follow (LkController *self, const LkPeer *peer, const LkMessage_follow *follow)
{
  if (!is_same_standby (self, peer, follow)) {
    self->standby = peer->id;
    self->standby_epoch = lk_controller_next_epoch (self);
    self->standby_seq = 0;
    self->counts.diverged_seq = self->counts.diverged_decision = 0;
  }
  self->standby_has_bytes = follow->offset_bytes;
  self->has_standby = follow->offset_bytes <= self->durable_bytes;
  /* One that has more than we have is told so. */
  if (self->has_standby)
    send_next (self);
  else
    send_piece (self, NULL, 0);
}

static void
on_diverged (LkController *self, const LkMessage_diverged *diverged)
{
  self->has_standby = FALSE;
  self->counts.diverged_seq = diverged->seq;
  self->counts.diverged_decision = diverged->decision;
}

static void
on_followed (LkController *self, const LkPeer *peer, const LkMessage_followed *followed)
{
  LkDigestValue digest = { followed->digest_low, followed->digest_high };
  if (!self->has_standby || peer->id != self->standby || followed->term != self->term
      || followed->epoch != self->standby_epoch || followed->offset_bytes > self->durable_bytes)
    return;
  if (followed->seq > 0 && followed->seq == self->seq
      && !lk_digest_value_equal (digest, lk_engine_digest (self->engine))) {
    on_diverged (self, &(LkMessage_diverged){ .seq = followed->seq });
    return;
  }
  self->standby_has_bytes = MAX (self->standby_has_bytes, followed->offset_bytes);
  self->standby_sent_bytes = MAX (self->standby_sent_bytes, self->standby_has_bytes);
  self->standby_seq = MAX (self->standby_seq, MIN (followed->seq, self->durable_seq));
  lk_controller_release (self);
  lk_controller_feed_standby (self);
}

/* The highest term that the standby tells of; 0: it does not. */
static guint64
told_term (const LkMessage *message)
{
  if (message->kind == LK_MESSAGE_FOLLOW)
    return message->follow.term;
  return message->kind == LK_MESSAGE_DIVERGED ? message->diverged.term : 0;
}

void
lk_controller_standby_message (LkController *self, const LkPeer *peer, const LkMessage *message)
{
  if (told_term (message) > self->term)
    lk_controller_fail (self, LK_CONTROLLER_FENCED);
  else if (message->kind == LK_MESSAGE_FOLLOW)
    on_follow (self, peer, &message->follow);
  else if (message->kind == LK_MESSAGE_FOLLOWED)
    on_followed (self, peer, &message->followed);
  else if (message->kind == LK_MESSAGE_DIVERGED)
    on_diverged (self, &message->diverged);
}
