/* live/core/step_frame.h — frames of the step stream as structs and as canonical bytes; made from
 * step_frame_schema.h.
 *
 * One value has one encoding, and the decoder accepts nothing else.  What is decoded is borrowed
 * from the input. */
#ifndef LK_LIVE_CORE_STEP_FRAME_H
#define LK_LIVE_CORE_STEP_FRAME_H

#include <glib.h>

#include "engine/codec.h"
#include "live/core/bytes.h"
#include "live/core/step_frame_schema.h"

/* All tasks of a node, or all nodes. */
#define LK_STEP_ALL G_MAXUINT32
/* Most bytes of a task in one frame. */
#define LK_STEP_CHUNK_BYTES 16384u
#define LK_STEP_NONCE_BYTES 32u

#define X(NAME, bit, who) LK_STEP_SIDE_##NAME = 1u << bit,
typedef enum { LK_STEP_SIDES (X) } LkStepSide;
#undef X

#define X(NAME, number, lower, sides, help) LK_STEP_FRAME_##NAME = number,
typedef enum { LK_STEP_FRAMES (X) } LkStepFrameKind;
#undef X

#define X(NAME, number, lower, sides, help)                                                        \
  typedef struct {                                                                                 \
    LK_STEP_FRAME_##NAME##_FIELDS (LK_MEMBER)                                                      \
  } LkStepFrame_##lower;
LK_STEP_FRAMES (X)
#undef X

typedef struct {
  LkStepFrameKind kind;
#define X(NAME, number, lower, sides, help) LkStepFrame_##lower lower;
  union {
    LK_STEP_FRAMES (X)
  };
#undef X
} LkStepFrame;

#define X(NAME, number, help) LK_STEP_PMIX_##NAME = number,
typedef enum { LK_STEP_PMIX_KINDS (X) } LkStepPmixKind;
#undef X

/* A word between PMIx servers. */
typedef struct {
  LK_STEP_PMIX_FIELDS (LK_MEMBER)
} LkStepPmixWord;

void lk_step_pmix_word_encode (const LkStepPmixWord *word, GByteArray *out);
/* FALSE: the bytes are no word; then `out_word` is untouched. Borrows from the input. */
gboolean lk_step_pmix_word_decode (const guint8 *bytes, gsize length_bytes,
                                   LkStepPmixWord *out_word);

/* Appends the canonical bytes. */
void lk_step_frame_encode (const LkStepFrame *frame, GByteArray *out);
/* FALSE: the bytes are not one canonical frame with values in range; then `out_frame` is untouched.
 */
gboolean lk_step_frame_decode (const guint8 *bytes, gsize length_bytes, LkStepFrame *out_frame);
/* Who may say it: set of LkStepSide; 0: it is no kind. */
guint lk_step_frame_sides (guint kind);
/* Bytes of tasks in it, which count against what may be sent (OUT, ERR, IN); else 0. */
guint32 lk_step_frame_load_bytes (const LkStepFrame *frame);
/* As in the schema; "?" for a number that is none. */
const char *lk_step_frame_name (guint kind);
/* The documentation of the bytes, as Markdown. */
void lk_step_frame_markdown (GString *out);

#endif
