/* live/core/step_frame.c — see the header; only what a field may hold is said of it by name. */
#include "live/core/step_frame.h"

#include "engine/assert.h"
#include "live/core/bytes_field.h"

#define SIGNAL_MAX 64u

/* ---------------------------------------------------------------- values */

static gboolean
is_chunk (LkBytes bytes)
{
  return bytes.length_bytes > 0 && bytes.length_bytes <= LK_STEP_CHUNK_BYTES;
}

/* A frame of these bytes is one that somebody may send. */
static gboolean
is_good (const LkStepFrame *frame)
{
  switch (frame->kind) {
  case LK_STEP_FRAME_HELLO:
    return frame->hello.nonce.length_bytes == LK_STEP_NONCE_BYTES;
  case LK_STEP_FRAME_CHALLENGE:
    return frame->challenge.nonce.length_bytes == LK_STEP_NONCE_BYTES;
  case LK_STEP_FRAME_OUT:
    return is_chunk (frame->out.bytes);
  case LK_STEP_FRAME_ERR:
    return is_chunk (frame->err.bytes);
  case LK_STEP_FRAME_IN:
    return is_chunk (frame->in.bytes);
  case LK_STEP_FRAME_TASK_EXIT:
    return frame->task_exit.oom <= 1;
  case LK_STEP_FRAME_LOG:
    return frame->log.is_error <= 1;
  case LK_STEP_FRAME_TAKEN:
    return frame->taken.count_bytes > 0;
  case LK_STEP_FRAME_SIGNAL:
    return frame->signal.signal > 0 && frame->signal.signal <= SIGNAL_MAX;
  case LK_STEP_FRAME_WINDOW:
    return frame->window.rows > 0 && frame->window.columns > 0;
  case LK_STEP_FRAME_DONE:
    return frame->done.kills <= 1;
  default:
    return TRUE;
  }
}

guint32
lk_step_frame_load_bytes (const LkStepFrame *frame)
{
  switch (frame->kind) {
  case LK_STEP_FRAME_OUT:
    return frame->out.bytes.length_bytes;
  case LK_STEP_FRAME_ERR:
    return frame->err.bytes.length_bytes;
  case LK_STEP_FRAME_IN:
    return frame->in.bytes.length_bytes;
  default:
    return 0;
  }
}

/* ---------------------------------------------------------------- bytes */

static gsize
size_of_frame (const LkStepFrame *frame)
{
  gsize size = 1;
  switch (frame->kind) {
#define X(NAME, number, lower, sides, help)                                                        \
  case LK_STEP_FRAME_##NAME: {                                                                     \
    const LkStepFrame_##lower *fields = &frame->lower;                                             \
    LK_STEP_FRAME_##NAME##_FIELDS (SIZE_FIELD) return size;                                        \
  }
    LK_STEP_FRAMES (X)
#undef X
  }
  LK_UNREACHABLE ("a kind of the schema");
  return 0;
}

void
lk_step_frame_encode (const LkStepFrame *frame, GByteArray *out)
{
  LK_ASSERT (is_good (frame));
  guint begin = out->len;
  g_byte_array_set_size (out, begin + (guint)size_of_frame (frame));
  guint8 *at = lk_put_u8 (out->data + begin, (guint8)frame->kind);
  switch (frame->kind) {
#define X(NAME, number, lower, sides, help)                                                        \
  case LK_STEP_FRAME_##NAME: {                                                                     \
    const LkStepFrame_##lower *fields = &frame->lower;                                             \
    LK_STEP_FRAME_##NAME##_FIELDS (PUT_FIELD) break;                                               \
  }
    LK_STEP_FRAMES (X)
#undef X
  }
  LK_ASSERT (at == out->data + out->len);
}

gboolean
lk_step_frame_decode (const guint8 *bytes, gsize length_bytes, LkStepFrame *out_frame)
{
  LkBytesReader reader = { bytes, length_bytes, FALSE };
  LkStepFrame frame = { 0 };
  guint8 kind = lk_take_u8 (&reader);
  switch (kind) {
#define X(NAME, number, lower, sides, help)                                                        \
  case number: {                                                                                   \
    LkStepFrame_##lower *fields = &frame.lower;                                                    \
    frame.kind = LK_STEP_FRAME_##NAME;                                                             \
    LK_STEP_FRAME_##NAME##_FIELDS (TAKE_FIELD) break;                                              \
  }
    LK_STEP_FRAMES (X)
#undef X
  default:
    return FALSE;
  }
  if (reader.failed || reader.left_bytes > 0 || !is_good (&frame))
    return FALSE;
  *out_frame = frame;
  return TRUE;
}

guint
lk_step_frame_sides (guint kind)
{
  switch (kind) {
#define X(NAME, number, lower, sides, help)                                                        \
  case number:                                                                                     \
    return sides;
    LK_STEP_FRAMES (X)
#undef X
  default:
    return 0;
  }
}

const char *
lk_step_frame_name (guint kind)
{
  switch (kind) {
#define X(NAME, number, lower, sides, help)                                                        \
  case number:                                                                                     \
    return #lower;
    LK_STEP_FRAMES (X)
#undef X
  default:
    return "?";
  }
}

/* ---------------------------------------------------------------- PMIx servers */

void
lk_step_pmix_word_encode (const LkStepPmixWord *fields, GByteArray *out)
{
  gsize size = 0;
  LK_STEP_PMIX_FIELDS (SIZE_FIELD)
  guint begin = out->len;
  g_byte_array_set_size (out, begin + (guint)size);
  guint8 *at = out->data + begin;
  LK_STEP_PMIX_FIELDS (PUT_FIELD)
  LK_ASSERT (at == out->data + out->len);
}

gboolean
lk_step_pmix_word_decode (const guint8 *bytes, gsize length_bytes, LkStepPmixWord *out_word)
{
  LkBytesReader reader = { bytes, length_bytes, FALSE };
  LkStepPmixWord word = { 0 };
  LkStepPmixWord *fields = &word;
  LK_STEP_PMIX_FIELDS (TAKE_FIELD)
  if (reader.failed || reader.left_bytes > 0 || word.kind < LK_STEP_PMIX_FENCE_UP
      || word.kind > LK_STEP_PMIX_NAME_ANSWER || word.tasks.length_bytes % sizeof (guint32) != 0)
    return FALSE;
  *out_word = word;
  return TRUE;
}

/* ---------------------------------------------------------------- documentation */

#define ROW_FIELD(type, name, help)                                                                \
  g_string_append (out, "| `" #name "` | " #type " | " help " |\n");

static void
append_sides (GString *out, guint sides)
{
  const char *separator = "";
#define X(NAME, bit, who)                                                                          \
  if ((sides & LK_STEP_SIDE_##NAME) != 0) {                                                        \
    g_string_append_printf (out, "%s" who, separator);                                             \
    separator = "; ";                                                                              \
  }
  LK_STEP_SIDES (X)
#undef X
}

void
lk_step_frame_markdown (GString *out)
{
#define X(NAME, number, lower, sides, help)                                                        \
  g_string_append (out, "\n### " #number " " #lower "\n\n" help ".\n\nFrom: ");                    \
  append_sides (out, sides);                                                                       \
  g_string_append (out, ".\n\n| field | type | meaning |\n|---|---|---|\n");                       \
  LK_STEP_FRAME_##NAME##_FIELDS (ROW_FIELD)
  LK_STEP_FRAMES (X)
#undef X
  g_string_append (out, "\n## Words between PMI servers\n\n| kind | meaning |\n|---|---|\n");
#define X(NAME, number, help) g_string_append (out, "| " #number " | " help " |\n");
  LK_STEP_PMIX_KINDS (X)
#undef X
  g_string_append (out, "\n| field | type | meaning |\n|---|---|---|\n");
  LK_STEP_PMIX_FIELDS (ROW_FIELD)
}
