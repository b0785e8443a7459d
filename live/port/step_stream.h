/* live/port/step_stream.h — the stream between a step's process on a node and its srun, or an
 * sattach: output, input, signals, ends of tasks, PMIx.
 *
 * How that goes, and who proves what to whom, is in step_talk.h; here is one such with a socket in
 * a loop, and where srun listens.
 *
 * How srun uses it: lk_step_door_new, the address into the step; `came` of the door takes each
 * connection by lk_step_stream_accept.  It calls `frame` for each frame but those of the handshake
 * and TAKEN, beginning with READY.  Behind OUT and ERR lk_step_stream_take says that the bytes are
 * out of the way.  IN is sent only as far as lk_step_stream_room_bytes lets; `room` tells that
 * there is more again.  PMIX_UP goes to the node that it names (LK_STEP_ALL: to each, with the
 * sender) as PMIX_DOWN with the number of the sender.  Behind NODE_END of a node it is sent DONE,
 * and its connection ends. */
#ifndef LK_LIVE_PORT_STEP_STREAM_H
#define LK_LIVE_PORT_STEP_STREAM_H

#include <glib.h>

#include "live/port/loop.h"
#include "live/port/step_talk.h"

typedef struct _LkStepStream LkStepStream;

/* Called from the loop; each may free the stream. */
typedef struct {
  /* The first is READY (launcher) or WELCOME (node). Borrowed for the call. */
  void (*frame) (gpointer user, LkStepStream *stream, const LkStepFrame *frame);
  /* More bytes of tasks may be sent. NULL: nobody waits for it. */
  void (*room) (gpointer user, LkStepStream *stream);
  /* The other end is gone, or was refused; the owner frees the stream. */
  void (*ended) (gpointer user, LkStepStream *stream, const char *why);
  gpointer user;
} LkStepStreamOps;

/* A node connects to one of these addresses (socket.h), the first that takes it; `about` is copied.
 * It may be long until then: `frame` tells. NULL: none can be tried. Returns: (transfer full). */
LkStepStream *lk_step_stream_connect (LkLoop *loop, const LkStepAbout *about,
                                      const char *const *addresses, const LkStepStreamOps *ops,
                                      GError **error);
/* A launcher with a connection that its door has taken, which is its own from here on. NULL: the
 * loop has no room. Returns: (transfer full). */
LkStepStream *lk_step_stream_accept (LkLoop *loop, const LkStepAbout *about, int socket,
                                     const LkStepStreamOps *ops, GError **error);
void lk_step_stream_free (LkStepStream *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkStepStream, lk_step_stream_free)

/* TRUE: the other end has proved that it knows the key, and is there. */
gboolean lk_step_stream_is_open (const LkStepStream *self);
/* Launcher: which node; LK_STEP_ALL: it has not said so yet. */
guint32 lk_step_stream_node (const LkStepStream *self);
/* Only when it is open. Bytes of tasks must fit into the room. */
void lk_step_stream_send (LkStepStream *self, const LkStepFrame *frame);
guint32 lk_step_stream_room_bytes (const LkStepStream *self);
void lk_step_stream_take (LkStepStream *self, guint32 count_bytes);
/* What waits for the other end to read it: control frames only grow this. */
gsize lk_step_stream_queue_bytes (const LkStepStream *self);
/* The size of the terminal that WELCOME tells; before a connection comes. Launcher only. */
void lk_step_stream_set_window (LkStepStream *self, guint16 rows, guint16 columns);
/* Writes what the other end takes, now: before the process ends. */
void lk_step_stream_flush (LkStepStream *self);

/* ---- where a launcher listens */

typedef struct _LkStepDoor LkStepDoor;

/* On a port that is free, of all addresses (of IPv6 and IPv4); `came` gets each connection, and
 * owns the socket. Returns: (transfer full), NULL: it cannot. */
LkStepDoor *lk_step_door_new (LkLoop *loop, void (*came) (gpointer user, int socket), gpointer user,
                              GError **error);
guint16 lk_step_door_port (const LkStepDoor *self);
void lk_step_door_free (LkStepDoor *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkStepDoor, lk_step_door_free)

#endif
