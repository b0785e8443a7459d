/* live/port/frame.h — messages in a stream of bytes.
 *
 * A frame is u32 length, little-endian, and that many bytes: one message.  On a sealed stream 32
 * bytes follow: an HMAC-SHA256 over the number of the frame in this direction of this connection,
 * and the message.  So a frame that was changed, left out, repeated, put elsewhere in the stream,
 * or taken from another connection or direction is refused, before anybody looks into the
 * message.
 *
 * A frame that is empty or longer than the other end may send is refused as soon as its length is
 * there.  Room is made for what has come, never for what was announced. */
#ifndef LK_LIVE_PORT_FRAME_H
#define LK_LIVE_PORT_FRAME_H

#include <glib.h>

#include "live/port/mac.h"

/* The longest message of whom nobody knows yet. */
#define LK_FRAME_ANONYMOUS_BYTES 4096u
#define LK_FRAME_LENGTH_BYTES 4u

/* Of one direction of a connection. */
typedef struct {
  LkKey key;
  guint64 frame_count; /* so far */
  gboolean is_on;
} LkSeal;

/* Appends a frame with a message of at least one byte. FALSE: it is longer than
 * LK_MESSAGE_MAX_BYTES, and nothing was appended. */
gboolean lk_frame_append (GByteArray *out, LkSeal *seal, const guint8 *bytes, gsize length_bytes);

typedef enum {
  LK_FRAME_NONE, /* no whole one has come yet */
  LK_FRAME_WHOLE,
  LK_FRAME_OVERSIZE,
  LK_FRAME_EMPTY,
  LK_FRAME_FORGED, /* the seal is not right */
} LkFrameStatus;

/* Most bytes of a message, by its first one. */
typedef gsize (*LkFrameLimit) (guint first);

typedef struct {
  GByteArray *bytes; /* that have come; NULL: none */
  gsize at_bytes;    /* what was taken of them */
  gsize max_bytes;
  LkFrameLimit limit; /* NULL: none but that */
  LkSeal seal;
  LkFrameStatus failure; /* then nothing more is taken; LK_FRAME_NONE: none */
} LkFrameReader;

void lk_frame_reader_init (LkFrameReader *self, gsize max_bytes);
void lk_frame_reader_clear (LkFrameReader *self);
/* From the next frame on a message that is longer is refused as soon as its first byte has come. */
void lk_frame_reader_set_limit (LkFrameReader *self, LkFrameLimit limit);
/* Longer messages from the next frame on. */
void lk_frame_reader_set_max (LkFrameReader *self, gsize max_bytes);
/* From the next frame on. `key` is copied. */
void lk_frame_reader_seal (LkFrameReader *self, const LkKey *key);
void lk_frame_reader_push (LkFrameReader *self, const guint8 *bytes, gsize length_bytes);
/* The next message, valid until the next call. After a failure it stays the same. */
LkFrameStatus lk_frame_reader_next (LkFrameReader *self, LkBytes *out_message);
/* What has come and was not taken. */
gsize lk_frame_reader_held_bytes (const LkFrameReader *self);

#endif
