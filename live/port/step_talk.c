/* live/port/step_talk.c — see the header. */
#include "live/port/step_talk.h"

#include <string.h>

#include "engine/assert.h"

/* Told when so much is out of the way, so that not every line is answered. */
#define TELL_BYTES (LK_STEP_WINDOW_BYTES / 4)

void
lk_step_talk_init (LkStepTalk *self, const LkStepAbout *about)
{
  *self = (LkStepTalk){ .about = *about,
                        .hello = g_byte_array_new (),
                        .other_index = about->side == LK_STEP_SIDE_NODE ? 0 : LK_STEP_ALL };
  lk_random_fill (self->nonce, sizeof self->nonce);
}

void
lk_step_talk_clear (LkStepTalk *self)
{
  g_clear_pointer (&self->hello, g_byte_array_unref);
  lk_key_clear (&self->about.key);
  lk_key_clear (&self->send_key);
  lk_key_clear (&self->receive_key);
}

void
lk_step_talk_begin (LkStepTalk *self, GByteArray *out_frame)
{
  if (self->about.side != LK_STEP_SIDE_NODE)
    return;
  const LkStepFrame hello = { .kind = LK_STEP_FRAME_HELLO,
                              .hello = { .version = LK_STEP_FRAME_VERSION,
                                         .job_id = self->about.job_id,
                                         .step_id = self->about.step_id,
                                         .node_index = self->about.node_index,
                                         .nonce = { self->nonce, sizeof self->nonce } } };
  g_byte_array_set_size (self->hello, 0);
  lk_step_frame_encode (&hello, self->hello);
  g_byte_array_append (out_frame, self->hello->data, self->hello->len);
}

/* ---------------------------------------------------------------- the handshake */

static void
make_keys (LkStepTalk *self, LkBytes challenge)
{
  const LkBytes pieces[] = { { self->hello->data, self->hello->len }, challenge };
  gboolean is_node = self->about.side == LK_STEP_SIDE_NODE;
  LkKey up = lk_mac_key (&self->about.key, "lockstep step stream, from the node", pieces, 2);
  LkKey down = lk_mac_key (&self->about.key, "lockstep step stream, to the node", pieces, 2);
  self->send_key = is_node ? up : down;
  self->receive_key = is_node ? down : up;
  lk_key_clear (&up);
  lk_key_clear (&down);
  self->is_sealed = TRUE;
}

static LkStepTalkStatus
take_hello (LkStepTalk *self, LkBytes bytes, const LkStepFrame_hello *hello, GByteArray *reply)
{
  if (hello->version != LK_STEP_FRAME_VERSION || hello->job_id != self->about.job_id
      || hello->step_id != self->about.step_id || hello->node_index >= self->about.node_count)
    return LK_STEP_TALK_REFUSED;
  const LkStepFrame challenge = { .kind = LK_STEP_FRAME_CHALLENGE,
                                  .challenge = { .version = LK_STEP_FRAME_VERSION,
                                                 .nonce = { self->nonce, sizeof self->nonce } } };
  guint begin = reply->len;
  lk_step_frame_encode (&challenge, reply);
  self->other_index = hello->node_index;
  g_byte_array_append (self->hello, bytes.bytes, bytes.length_bytes);
  make_keys (self, (LkBytes){ reply->data + begin, reply->len - begin });
  return LK_STEP_TALK_SEALS;
}

static LkStepTalkStatus
take_challenge (LkStepTalk *self, LkBytes bytes, const LkStepFrame_challenge *challenge)
{
  if (challenge->version != LK_STEP_FRAME_VERSION || self->hello->len == 0)
    return LK_STEP_TALK_REFUSED;
  make_keys (self, bytes);
  return LK_STEP_TALK_SEALS;
}

/* ---------------------------------------------------------------- what counts */

guint32
lk_step_talk_room_bytes (const LkStepTalk *self)
{
  return self->is_open ? LK_STEP_WINDOW_BYTES - self->sent_bytes : 0;
}

gboolean
lk_step_talk_note_sent (LkStepTalk *self, const LkStepFrame *frame)
{
  guint32 load_bytes = lk_step_frame_load_bytes (frame);
  if (load_bytes > lk_step_talk_room_bytes (self))
    return FALSE;
  self->sent_bytes += load_bytes;
  return TRUE;
}

gboolean
lk_step_talk_note_taken (LkStepTalk *self, guint32 count_bytes, LkStepFrame *out_frame)
{
  LK_ASSERT (count_bytes <= self->owed_bytes);
  self->owed_bytes -= count_bytes;
  self->taken_bytes += count_bytes;
  if (self->taken_bytes == 0 || (self->taken_bytes < TELL_BYTES && self->owed_bytes > 0))
    return FALSE;
  *out_frame =
      (LkStepFrame){ .kind = LK_STEP_FRAME_TAKEN, .taken = { .count_bytes = self->taken_bytes } };
  self->taken_bytes = 0;
  return TRUE;
}

static LkStepTalkStatus
take_taken (LkStepTalk *self, const LkStepFrame_taken *taken)
{
  if (taken->count_bytes > self->sent_bytes)
    return LK_STEP_TALK_REFUSED;
  self->sent_bytes -= taken->count_bytes;
  return LK_STEP_TALK_MORE;
}

/* FALSE: more than it was let. */
static gboolean
note_load (LkStepTalk *self, const LkStepFrame *frame)
{
  guint32 load_bytes = lk_step_frame_load_bytes (frame);
  if (load_bytes > LK_STEP_WINDOW_BYTES - self->owed_bytes - self->taken_bytes)
    return FALSE;
  self->owed_bytes += load_bytes;
  return TRUE;
}

/* ---------------------------------------------------------------- frames */

/* The kind of the first sealed frame of the other end. */
static LkStepFrameKind
opening (const LkStepTalk *self)
{
  return self->about.side == LK_STEP_SIDE_NODE ? LK_STEP_FRAME_WELCOME : LK_STEP_FRAME_READY;
}

/* Once, and not later. */
static gboolean
is_of_handshake (LkStepFrameKind kind)
{
  return kind == LK_STEP_FRAME_HELLO || kind == LK_STEP_FRAME_CHALLENGE
         || kind == LK_STEP_FRAME_WELCOME || kind == LK_STEP_FRAME_READY;
}

static LkStepTalkStatus
take_sealed (LkStepTalk *self, const LkStepFrame *frame)
{
  if (!self->is_open) {
    self->is_open = frame->kind == opening (self);
    return self->is_open ? LK_STEP_TALK_FRAME : LK_STEP_TALK_REFUSED;
  }
  if (is_of_handshake (frame->kind))
    return LK_STEP_TALK_REFUSED;
  if (frame->kind == LK_STEP_FRAME_TAKEN)
    return take_taken (self, &frame->taken);
  return note_load (self, frame) ? LK_STEP_TALK_FRAME : LK_STEP_TALK_REFUSED;
}

LkStepTalkStatus
lk_step_talk_take (LkStepTalk *self, LkBytes bytes, GByteArray *reply, LkStepFrame *out_frame)
{
  LkStepFrame frame;
  if (!lk_step_frame_decode (bytes.bytes, bytes.length_bytes, &frame)
      || (lk_step_frame_sides (frame.kind) & ~(guint)self->about.side) == 0)
    return LK_STEP_TALK_REFUSED;
  if (!self->is_sealed) {
    if (frame.kind == LK_STEP_FRAME_HELLO)
      return take_hello (self, bytes, &frame.hello, reply);
    if (frame.kind == LK_STEP_FRAME_CHALLENGE)
      return take_challenge (self, bytes, &frame.challenge);
    return LK_STEP_TALK_REFUSED;
  }
  LkStepTalkStatus status = take_sealed (self, &frame);
  if (status == LK_STEP_TALK_FRAME)
    *out_frame = frame;
  return status;
}
