/* live/port/step_talk.h — what is said on a step stream (step_stream.h), without I/O: bytes of a
 * frame in, frames out.
 *
 * srun listens (lk_step_door), and says where in what it sends with the step.  Each node of the
 * step connects.  Both ends know the step's key, 32 bytes that srun has drawn and that nobody else
 * is told but the nodes:
 *
 *   node                                launcher
 *     HELLO (job, step, node, nonce) ->
 *                                    <-   CHALLENGE (nonce), WELCOME
 *     READY, STARTED ...             ->
 *
 * All frames behind CHALLENGE are sealed (frame.h) under keys made from the step's key, HELLO and
 * CHALLENGE, one a direction: so WELCOME and READY prove that each end knows the key, and nothing
 * of another connection is worth anything here.  It is not encrypted, as in Slurm.
 *
 * What tasks write and read counts: at most LK_STEP_WINDOW_BYTES of it are on the way in each
 * direction of a connection, until the other end says that they are out of its way (TAKEN).  So a
 * srun whose output nobody reads holds the tasks up, a task that does not read holds srun's input
 * up, nobody grows without bound, and signals and ends are never behind them in a queue. */
#ifndef LK_LIVE_PORT_STEP_TALK_H
#define LK_LIVE_PORT_STEP_TALK_H

#include <glib.h>

#include "live/core/step_frame.h"
#include "live/port/mac.h"

/* What may be on the way of what tasks write, and of what they read. */
#define LK_STEP_WINDOW_BYTES (256u * 1024)
/* Longest frame: what PMIx servers say to each other may be long. */
#define LK_STEP_FRAME_MAX_BYTES (8u * 1024 * 1024)

/* Whom to talk to. */
typedef struct {
  LkStepSide side; /* the own one */
  LkKey key;       /* of the step */
  guint32 job_id;
  guint32 step_id;
  guint32 node_index; /* the node's own; launcher: ignored */
  guint32 node_count; /* of the step: a launcher refuses an index beyond */
} LkStepAbout;

typedef enum {
  LK_STEP_TALK_MORE,    /* go on: a word of the handshake, or TAKEN */
  LK_STEP_TALK_SEALS,   /* likewise; `reply` goes out plain, and all behind it is sealed */
  LK_STEP_TALK_FRAME,   /* a frame for the owner */
  LK_STEP_TALK_REFUSED, /* the other end does not keep to this, or is not of this step */
} LkStepTalkStatus;

typedef struct {
  LkStepAbout about;
  guint8 nonce[LK_STEP_NONCE_BYTES];
  GByteArray *hello;   /* as it was sent */
  gboolean is_sealed;  /* keys are valid */
  gboolean is_open;    /* the other end has proved that it knows the key */
  guint32 other_index; /* launcher: which node it is, once it said HELLO */
  LkKey send_key;
  LkKey receive_key;
  guint32 sent_bytes;  /* of tasks, on the way to the other end */
  guint32 owed_bytes;  /* of tasks, that have come and are not out of the way */
  guint32 taken_bytes; /* out of the way, but not told yet */
} LkStepTalk;

void lk_step_talk_init (LkStepTalk *self, const LkStepAbout *about);
void lk_step_talk_clear (LkStepTalk *self);
/* What a node says first: appends the bytes of a frame. Nothing of a launcher. */
void lk_step_talk_begin (LkStepTalk *self, GByteArray *out_frame);
/* The bytes of a frame have come. `reply`: appended to, with SEALS. */
LkStepTalkStatus lk_step_talk_take (LkStepTalk *self, LkBytes bytes, GByteArray *reply,
                                    LkStepFrame *out_frame);
/* How many bytes of tasks may be sent now; 0 before the handshake is over. */
guint32 lk_step_talk_room_bytes (const LkStepTalk *self);
/* A frame that may be sent now is: bytes of tasks are counted. FALSE: it may not. */
gboolean lk_step_talk_note_sent (LkStepTalk *self, const LkStepFrame *frame);
/* Bytes of tasks are out of the way. TRUE: `out_frame` is to be sent. */
gboolean lk_step_talk_note_taken (LkStepTalk *self, guint32 count_bytes, LkStepFrame *out_frame);

#endif
