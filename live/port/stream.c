/* live/port/stream.c — see the header. */
#include "live/port/stream.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "engine/assert.h"

#define READ_BYTES 65536u
/* So many messages of a connection at most are taken in a turn: one that sends many does not hold
 * up the others. */
#define TURN_MESSAGES_MAX 8u
/* What is written is cut off the queue's front when there is so much of it. */
#define CUT_BYTES 262144u

gboolean
lk_stream_is_open (const LkStream *self)
{
  return self->fd.is_in;
}

gsize
lk_stream_queue_bytes (const LkStream *self)
{
  return self->queue != NULL ? self->queue->len - self->queue_at_bytes : 0;
}

gsize
lk_stream_held_bytes (const LkStream *self)
{
  return lk_frame_reader_held_bytes (&self->reader);
}

static void
has_moved (LkStream *self)
{
  if (self->moved != NULL)
    self->moved (self->user);
}

static void
update_events (LkStream *self, gboolean wants_write)
{
  guint events = (self->is_paused ? 0u : LK_LOOP_READ) | (wants_write ? LK_LOOP_WRITE : 0u);
  lk_loop_change_fd (self->loop, &self->fd, events);
}

/* ---------------------------------------------------------------- out */

static void
cut_queue (LkStream *self)
{
  if (self->queue_at_bytes == self->queue->len) {
    /* Silent peers hold nothing. */
    g_clear_pointer (&self->queue, g_byte_array_unref);
    self->queue_at_bytes = 0;
  } else if (self->queue_at_bytes >= CUT_BYTES) {
    g_byte_array_remove_range (self->queue, 0, (guint)self->queue_at_bytes);
    self->queue_at_bytes = 0;
  }
}

/* FALSE: the connection is broken. */
static gboolean
write_queue (LkStream *self)
{
  while (self->queue != NULL) {
    gssize put = send (self->fd.fd, self->queue->data + self->queue_at_bytes,
                       self->queue->len - self->queue_at_bytes, MSG_NOSIGNAL);
    if (put < 0 && errno == EINTR)
      continue;
    if (put < 0)
      return errno == EAGAIN;
    self->queue_at_bytes += (gsize)put;
    self->written_bytes += (gsize)put;
    cut_queue (self);
  }
  return TRUE;
}

static void
flush (gpointer user)
{
  LkStream *self = user;
  if (!write_queue (self)) {
    self->ended (self->user, LK_STREAM_LOST);
    return;
  }
  update_events (self, self->queue != NULL);
  has_moved (self);
}

void
lk_stream_flush (LkStream *self)
{
  lk_loop_remove_call (self->loop, &self->flush);
  /* Who is told of an end by this call would not expect it: the loop will see it. */
  if (write_queue (self))
    update_events (self, self->queue != NULL);
}

gboolean
lk_stream_send (LkStream *self, const guint8 *bytes, gsize length_bytes)
{
  LK_ASSERT (self->fd.is_in);
  if (length_bytes > LK_MESSAGE_MAX_BYTES)
    return FALSE;
  if (self->queue == NULL) {
    self->queue = g_byte_array_new ();
    lk_loop_defer (self->loop, &self->flush);
  }
  return lk_frame_append (self->queue, &self->seal, bytes, length_bytes);
}

/* ---------------------------------------------------------------- in */

static void
take_messages (LkStream *self)
{
  LkBytes message;
  LkFrameStatus status = LK_FRAME_NONE;
  guint count = 0;
  while (self->fd.is_in && !self->is_paused && count < TURN_MESSAGES_MAX
         && (status = lk_frame_reader_next (&self->reader, &message)) == LK_FRAME_WHOLE) {
    self->message (self->user, message);
    count++;
  }
  if (!self->fd.is_in)
    return;
  self->is_behind = count == TURN_MESSAGES_MAX && !self->is_paused;
  if (self->is_behind)
    lk_loop_defer (self->loop, &self->wake);
  if (status != LK_FRAME_NONE && status != LK_FRAME_WHOLE)
    self->ended (self->user, LK_STREAM_GARBAGE);
  else
    has_moved (self);
}

static void
read_some (LkStream *self)
{
  guint8 room[READ_BYTES];
  gssize got = recv (self->fd.fd, room, sizeof room, 0);
  if (got < 0 && (errno == EAGAIN || errno == EINTR))
    return;
  if (got <= 0) {
    self->ended (self->user, LK_STREAM_LOST);
    return;
  }
  lk_frame_reader_push (&self->reader, room, (gsize)got);
  take_messages (self);
}

static void
ready (gpointer user, guint events)
{
  LkStream *self = user;
  if ((events & LK_LOOP_WRITE) != 0)
    flush (self);
  if (!self->fd.is_in)
    return;
  if ((events & LK_LOOP_READ) != 0 && self->is_behind)
    return;
  if ((events & LK_LOOP_READ) != 0)
    read_some (self);
  else if ((events & LK_LOOP_CLOSED) != 0)
    self->ended (self->user, LK_STREAM_LOST);
}

/* What has come before a pause, or in an earlier turn. */
static void
resume (gpointer user)
{
  LkStream *self = user;
  take_messages (self);
}

void
lk_stream_pause (LkStream *self, gboolean is_paused)
{
  if (self->is_paused == is_paused || !self->fd.is_in)
    return;
  self->is_paused = is_paused;
  update_events (self, (self->fd.events & LK_LOOP_WRITE) != 0);
  /* What has come meanwhile is not announced again. */
  if (!is_paused)
    lk_loop_defer (self->loop, &self->wake);
}

/* ---------------------------------------------------------------- the stream */

gboolean
lk_stream_open (LkStream *self, LkLoop *loop, int socket, GError **error)
{
  self->loop = loop;
  self->fd = (LkLoopFd){ .ready = ready, .user = self };
  self->flush = (LkLoopCall){ .call = flush, .user = self };
  self->wake = (LkLoopCall){ .call = resume, .user = self };
  lk_frame_reader_init (&self->reader, LK_FRAME_ANONYMOUS_BYTES);
  if (lk_loop_add_fd (loop, &self->fd, socket, LK_LOOP_READ, error))
    return TRUE;
  close (socket);
  return FALSE;
}

void
lk_stream_close (LkStream *self)
{
  if (!self->fd.is_in)
    return;
  lk_loop_remove_call (self->loop, &self->flush);
  lk_loop_remove_call (self->loop, &self->wake);
  lk_loop_remove_fd (self->loop, &self->fd);
  close (self->fd.fd);
  g_clear_pointer (&self->queue, g_byte_array_unref);
  self->queue_at_bytes = 0;
}

void
lk_stream_clear (LkStream *self)
{
  LK_ASSERT (!self->fd.is_in);
  lk_frame_reader_clear (&self->reader);
  lk_key_clear (&self->seal.key);
}

void
lk_stream_limit (LkStream *self, LkFrameLimit limit)
{
  lk_frame_reader_set_limit (&self->reader, limit);
}

void
lk_stream_attest (LkStream *self, const LkAttested *attested, gsize max_bytes)
{
  lk_frame_reader_set_max (&self->reader, max_bytes);
  if (attested->method == LK_AUTH_LOCAL)
    return;
  lk_frame_reader_seal (&self->reader, &attested->receive_key);
  self->seal = (LkSeal){ .key = attested->send_key, .is_on = TRUE };
}
