/* live/port/frame.c — see the header. */
#include "live/port/frame.h"

#include <string.h>

#include "engine/assert.h"
#include "engine/bytes.h"

/* A buffer is kept from frame to frame up to this size: ten thousand silent peers hold nothing. */
#define KEPT_BYTES 4096u

static LkMac
seal_mac (LkSeal *seal, LkBytes message)
{
  guint8 number[8];
  lk_put_u64 (number, seal->frame_count++);
  const LkBytes pieces[] = { { number, sizeof number }, message };
  return lk_mac (&seal->key, pieces, G_N_ELEMENTS (pieces));
}

gboolean
lk_frame_append (GByteArray *out, LkSeal *seal, const guint8 *bytes, gsize length_bytes)
{
  LK_ASSERT (length_bytes > 0); /* every message begins with its kind */
  if (length_bytes > LK_MESSAGE_MAX_BYTES)
    return FALSE;
  lk_append_u32 (out, (guint32)length_bytes);
  g_byte_array_append (out, bytes, (guint)length_bytes);
  if (seal->is_on) {
    LkMac mac = seal_mac (seal, (LkBytes){ bytes, (guint32)length_bytes });
    g_byte_array_append (out, mac.bytes, sizeof mac.bytes);
  }
  return TRUE;
}

void
lk_frame_reader_init (LkFrameReader *self, gsize max_bytes)
{
  *self = (LkFrameReader){ 0 };
  lk_frame_reader_set_max (self, max_bytes);
}

void
lk_frame_reader_clear (LkFrameReader *self)
{
  g_clear_pointer (&self->bytes, g_byte_array_unref);
  lk_key_clear (&self->seal.key);
}

void
lk_frame_reader_set_max (LkFrameReader *self, gsize max_bytes)
{
  LK_ASSERT (max_bytes <= LK_MESSAGE_MAX_BYTES);
  self->max_bytes = max_bytes;
}

void
lk_frame_reader_set_limit (LkFrameReader *self, LkFrameLimit limit)
{
  self->limit = limit;
}

void
lk_frame_reader_seal (LkFrameReader *self, const LkKey *key)
{
  self->seal = (LkSeal){ .key = *key, .is_on = TRUE };
}

/* Gives back what was taken. */
static void
forget_taken (LkFrameReader *self)
{
  if (self->at_bytes == 0)
    return;
  if (self->at_bytes < self->bytes->len)
    g_byte_array_remove_range (self->bytes, 0, (guint)self->at_bytes);
  else if (self->bytes->len > KEPT_BYTES)
    g_clear_pointer (&self->bytes, g_byte_array_unref);
  else
    g_byte_array_set_size (self->bytes, 0);
  self->at_bytes = 0;
}

void
lk_frame_reader_push (LkFrameReader *self, const guint8 *bytes, gsize length_bytes)
{
  if (self->failure != LK_FRAME_NONE || length_bytes == 0)
    return;
  if (self->bytes == NULL)
    self->bytes = g_byte_array_new ();
  forget_taken (self);
  g_byte_array_append (self->bytes, bytes, (guint)length_bytes);
}

gsize
lk_frame_reader_held_bytes (const LkFrameReader *self)
{
  return self->bytes != NULL ? self->bytes->len - self->at_bytes : 0;
}

static LkFrameStatus
fail (LkFrameReader *self, LkFrameStatus failure)
{
  self->failure = failure;
  g_clear_pointer (&self->bytes, g_byte_array_unref);
  self->at_bytes = 0;
  return failure;
}

static gboolean
is_over_limit (const LkFrameReader *self, gsize length_bytes)
{
  if (self->limit == NULL || lk_frame_reader_held_bytes (self) <= LK_FRAME_LENGTH_BYTES)
    return FALSE;
  return length_bytes > self->limit (self->bytes->data[self->at_bytes + LK_FRAME_LENGTH_BYTES]);
}

LkFrameStatus
lk_frame_reader_next (LkFrameReader *self, LkBytes *out_message)
{
  if (self->failure != LK_FRAME_NONE)
    return self->failure;
  gsize held_bytes = lk_frame_reader_held_bytes (self);
  if (held_bytes < LK_FRAME_LENGTH_BYTES) {
    if (held_bytes == 0 && self->bytes != NULL)
      forget_taken (self);
    return LK_FRAME_NONE;
  }
  const guint8 *at = self->bytes->data + self->at_bytes;
  LkBytesReader reader = { at, held_bytes, FALSE };
  guint32 length_bytes = lk_take_u32 (&reader);
  if (length_bytes == 0)
    return fail (self, LK_FRAME_EMPTY);
  if (length_bytes > self->max_bytes || is_over_limit (self, length_bytes))
    return fail (self, LK_FRAME_OVERSIZE);
  gsize seal_bytes = self->seal.is_on ? LK_MAC_BYTES : 0;
  if (reader.left_bytes < length_bytes + seal_bytes)
    return LK_FRAME_NONE;
  LkBytes message = { reader.at, length_bytes };
  if (self->seal.is_on) {
    LkMac mac = seal_mac (&self->seal, message);
    if (!lk_mac_is (&mac, (LkBytes){ reader.at + length_bytes, LK_MAC_BYTES }))
      return fail (self, LK_FRAME_FORGED);
  }
  self->at_bytes += LK_FRAME_LENGTH_BYTES + length_bytes + seal_bytes;
  *out_message = message;
  return LK_FRAME_WHOLE;
}
