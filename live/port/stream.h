/* live/port/stream.h — a connected socket in the loop as messages there and back.
 *
 * What is sent in one turn of the loop goes out as one write at its end; what the other end does
 * not take waits in a queue, whose bound is its owner's business (queue_bytes).  In one turn at
 * most 64 KiB are read, so that nobody keeps the loop to himself. */
#ifndef LK_LIVE_PORT_STREAM_H
#define LK_LIVE_PORT_STREAM_H

#include <glib.h>

#include "live/port/frame.h"
#include "live/port/handshake.h"
#include "live/port/loop.h"

typedef enum {
  LK_STREAM_LOST,    /* closed by the other end, or broken */
  LK_STREAM_GARBAGE, /* a frame that is empty, too long or forged */
} LkStreamEnd;

typedef struct _LkStream LkStream;
struct _LkStream {
  /* A message has come, borrowed for the call. The owner may close the stream. */
  void (*message) (gpointer user, LkBytes message);
  /* It has come to an end; the owner closes it. */
  void (*ended) (gpointer user, LkStreamEnd why);
  /* Its queue or what is held of messages has changed. NULL: nobody wants to know. */
  void (*moved) (gpointer user);
  gpointer user;

  LkLoop *loop;
  LkLoopFd fd;
  LkLoopCall flush;
  LkLoopCall wake; /* behind a pause */
  LkFrameReader reader;
  LkSeal seal;
  GByteArray *queue; /* NULL: empty */
  gsize queue_at_bytes;
  guint64 written_bytes; /* since it was opened */
  gboolean is_paused;
  gboolean is_behind; /* messages that are here wait for the next turn */
};

/* `self` is zero but for its functions. Takes the socket over, which is connected. FALSE: it could
 * not, and is closed. */
gboolean lk_stream_open (LkStream *self, LkLoop *loop, int socket, GError **error);
gboolean lk_stream_is_open (const LkStream *self);
/* What is in the queue is lost. Nothing is called any more. What was borrowed from it stays valid
 * until lk_stream_clear. */
void lk_stream_close (LkStream *self);
/* Of one that is closed. Not while it calls. */
void lk_stream_clear (LkStream *self);

/* Takes a frame of at least one byte to the queue. FALSE: it is longer than a message may be. */
gboolean lk_stream_send (LkStream *self, const guint8 *bytes, gsize length_bytes);
/* From the next frame on, both ways, and longer messages may come. */
void lk_stream_attest (LkStream *self, const LkAttested *attested, gsize max_bytes);
/* From the next frame on, see lk_frame_reader_set_limit. */
void lk_stream_limit (LkStream *self, LkFrameLimit limit);
/* Reads nothing any more, until told to again. */
void lk_stream_pause (LkStream *self, gboolean is_paused);
/* Writes what the other end takes, now. */
void lk_stream_flush (LkStream *self);

gsize lk_stream_queue_bytes (const LkStream *self);
gsize lk_stream_held_bytes (const LkStream *self);

#endif
