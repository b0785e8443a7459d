/* live/core/agent_term.c — the highest term that an agent has seen, and that it is durable before
 * anything is done in its name.
 *
 * Else an agent that dies could listen to an earlier controller again, whose orders the later one
 * knows nothing of.  Messages that bring a higher term wait for the disk. */

#include "engine/bytes.h"
#include "engine/crc32c.h"
#include "live/core/agent_private.h"

/* The term, its proof, and the CRC-32C of these bytes.  Earlier versions wrote no proof. */
#define TERM_FILE_BYTES 28u
#define TERM_ALONE_BYTES 12u
/* Messages that wait at once; what comes beyond is dropped, and comes again. */
#define HELD_MAX 1024u

/* Terms change seldom enough to make the tables each time. */
static guint32
crc_of (const guint8 *bytes, gsize length_bytes)
{
  LkCrc32c crc;
  lk_crc32c_init (&crc);
  return lk_crc32c (&crc, bytes, length_bytes);
}

gboolean
lk_agent_term_read (LkAgent *self)
{
  gboolean has_failed = FALSE;
  g_autoptr (GByteArray) content =
      self->ports.disk.ops->read (self->ports.disk.self, LK_AGENT_TERM_FILE, &has_failed);
  if (content == NULL)
    return !has_failed;
  LkBytesReader reader = { content->data, content->len, FALSE };
  LkTermProof proof = { 0, 0 };
  guint64 term = lk_take_u64 (&reader);
  if (content->len != TERM_ALONE_BYTES) {
    proof.low = lk_take_u64 (&reader);
    proof.high = lk_take_u64 (&reader);
  }
  guint32 crc = lk_take_u32 (&reader);
  if (reader.failed || reader.left_bytes > 0
      || crc != crc_of (content->data, content->len - sizeof crc))
    return FALSE;
  self->term = self->term_seen = self->proven_term = term;
  self->proof = proof;
  return TRUE;
}

static LkTermProof
proof_of (const LkAgent *self, guint64 term)
{
  return self->proven_term == term ? self->proof : (LkTermProof){ 0, 0 };
}

LkTermProof
lk_agent_term_proof (const LkAgent *self)
{
  return proof_of (self, self->term);
}

/* One that comes after the term was written is not: without it, a restarted agent only lacks what
 * stops an earlier controller, until it hears of the later one again. */
void
lk_agent_term_prove (LkAgent *self, const LkMessage_registered *message)
{
  self->proven_term = message->term;
  self->proof = (LkTermProof){ message->proof_low, message->proof_high };
}

/* Nothing may be touched behind it: the disk may call back at once. */
static void
write_term (LkAgent *self)
{
  guint8 bytes[TERM_FILE_BYTES];
  LkTermProof proof = proof_of (self, self->term_seen);
  guint8 *at = lk_put_u64 (bytes, self->term_seen);
  at = lk_put_u64 (at, proof.low);
  at = lk_put_u64 (at, proof.high);
  lk_put_u32 (at, crc_of (bytes, sizeof bytes - sizeof (guint32)));
  self->term_writing = self->term_seen;
  self->ports.disk.ops->replace (self->ports.disk.self, LK_AGENT_TERM_FILE, bytes, sizeof bytes,
                                 ++self->token_last);
}

static void
drop_held (LkAgent *self)
{
  g_ptr_array_set_size (self->held, 0);
  self->held_bytes = 0;
}

void
lk_agent_hold (LkAgent *self, guint64 term, const guint8 *bytes, gsize length_bytes)
{
  if (term > self->term_seen)
    drop_held (self);
  self->term_seen = term;
  if (self->held->len < HELD_MAX && length_bytes <= LK_MESSAGE_MAX_BYTES - self->held_bytes) {
    GByteArray *copy = g_byte_array_sized_new ((guint)length_bytes);
    g_byte_array_append (copy, bytes, (guint)length_bytes);
    g_ptr_array_add (self->held, copy);
    self->held_bytes += length_bytes;
  }
  if (self->term_writing == 0)
    write_term (self);
}

static void
act_on_held (LkAgent *self)
{
  g_autoptr (GPtrArray) held = g_steal_pointer (&self->held);
  self->held = g_ptr_array_new_with_free_func ((GDestroyNotify)g_byte_array_unref);
  self->held_bytes = 0;
  for (guint i = 0; i < held->len; i++) {
    const GByteArray *bytes = g_ptr_array_index (held, i);
    LkMessage message;
    gboolean is_good = lk_message_decode (bytes->data, bytes->len, &message);
    LK_ASSERT (is_good);
    lk_agent_act (self, &message);
  }
}

void
lk_agent_term_done (LkAgent *self, guint64 token, gboolean has_succeeded)
{
  if (self->term_writing == 0 || token != self->token_last)
    return;
  if (!has_succeeded) {
    drop_held (self);
    self->has_failed = TRUE;
    return;
  }
  self->term = self->term_writing;
  self->term_writing = 0;
  /* Whoever registered us had a lower one. */
  lk_agent_unregister (self);
  if (self->term_seen > self->term)
    write_term (self);
  else
    act_on_held (self);
}
