/* live/port/step_stream.c — see the header. */
#include "live/port/step_stream.h"

#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "engine/assert.h"
#include "engine/checked.h"
#include "live/port/error.h"
#include "live/port/socket.h"
#include "live/port/stream.h"

/* An address that has not answered for so long is passed over. */
#define CONNECT_MAX_US (20 * G_GINT64_CONSTANT (1000000))
/* So long the other end may take to prove who it is. */
#define HANDSHAKE_MAX_US (60 * G_GINT64_CONSTANT (1000000))
/* Connections that wait to be taken. */
#define BACKLOG 1024

struct _LkStepStream {
  LkLoop *loop;
  LkStepStreamOps ops;
  LkStepTalk talk;
  LkStream stream;
  LkLoopTimer timer;
  LkLoopCall reap;     /* frees it, when it calls its owner */
  LkLoopFd connecting; /* a socket that is being connected */
  GPtrArray *places;   /* of GArray of LkSocketAddress: to be tried */
  guint place;
  guint address;
  guint16 rows;
  guint16 columns;
  gboolean is_calling; /* the stream calls us: it may not be freed */
  gboolean is_freed;
};

/* ---------------------------------------------------------------- its end */

static void
destroy (LkStepStream *self)
{
  lk_stream_clear (&self->stream);
  lk_step_talk_clear (&self->talk);
  g_clear_pointer (&self->places, g_ptr_array_unref);
  g_free (self);
}

static void
reap (gpointer user)
{
  destroy (user);
}

void
lk_step_stream_free (LkStepStream *self)
{
  if (self == NULL)
    return;
  self->is_freed = TRUE;
  lk_loop_set_timer (self->loop, &self->timer, LK_TIME_NEVER);
  if (self->connecting.is_in) {
    lk_loop_remove_fd (self->loop, &self->connecting);
    close (self->connecting.fd);
  }
  lk_stream_close (&self->stream);
  if (self->is_calling)
    lk_loop_defer (self->loop, &self->reap);
  else
    destroy (self);
}

static void
end (LkStepStream *self, const char *why)
{
  lk_stream_close (&self->stream);
  lk_loop_set_timer (self->loop, &self->timer, LK_TIME_NEVER);
  self->ops.ended (self->ops.user, self, why);
}

/* ---------------------------------------------------------------- frames */

static void
put (LkStepStream *self, const LkStepFrame *frame)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  lk_step_frame_encode (frame, bytes);
  lk_stream_send (&self->stream, bytes->data, bytes->len);
}

/* From here on it is sealed. */
static void
seal (LkStepStream *self, const GByteArray *reply)
{
  LkAttested attested = { .method = LK_AUTH_KEY,
                          .send_key = self->talk.send_key,
                          .receive_key = self->talk.receive_key };
  const LkStepFrame welcome = { .kind = LK_STEP_FRAME_WELCOME,
                                .welcome = { .rows = self->rows, .columns = self->columns } };
  if (reply->len > 0)
    lk_stream_send (&self->stream, reply->data, reply->len);
  lk_stream_attest (&self->stream, &attested, LK_STEP_FRAME_MAX_BYTES);
  lk_key_clear (&attested.send_key);
  lk_key_clear (&attested.receive_key);
  if (self->talk.about.side == LK_STEP_SIDE_LAUNCHER)
    put (self, &welcome);
}

static void
take (LkStepStream *self, LkBytes message)
{
  g_autoptr (GByteArray) reply = g_byte_array_new ();
  LkStepFrame frame;
  guint32 room_bytes = lk_step_talk_room_bytes (&self->talk);
  switch (lk_step_talk_take (&self->talk, message, reply, &frame)) {
  case LK_STEP_TALK_MORE:
    break;
  case LK_STEP_TALK_SEALS:
    seal (self, reply);
    break;
  case LK_STEP_TALK_FRAME:
    lk_loop_set_timer (self->loop, &self->timer, LK_TIME_NEVER);
    self->ops.frame (self->ops.user, self, &frame);
    break;
  case LK_STEP_TALK_REFUSED:
    end (self, "the other end is not of this step, or says what it may not");
    return;
  }
  if (!self->is_freed && lk_step_talk_room_bytes (&self->talk) > room_bytes
      && self->ops.room != NULL)
    self->ops.room (self->ops.user, self);
}

static void
message (gpointer user, LkBytes bytes)
{
  LkStepStream *self = user;
  gboolean was_calling = self->is_calling;
  self->is_calling = TRUE;
  take (self, bytes);
  self->is_calling = was_calling;
}

static void
stream_ended (gpointer user, LkStreamEnd why)
{
  LkStepStream *self = user;
  self->is_calling = TRUE;
  end (self, why == LK_STREAM_LOST ? "the connection is lost"
                                   : "the other end does not know the key of the step");
  self->is_calling = FALSE;
}

/* ---------------------------------------------------------------- connecting */

static void try_next (LkStepStream *self);

static void
begin_talk (LkStepStream *self, int socket)
{
  g_autoptr (GByteArray) hello = g_byte_array_new ();
  lk_socket_tune (socket);
  lk_loop_set_timer (self->loop, &self->timer,
                     lk_time_add_us (lk_loop_now_us (self->loop), HANDSHAKE_MAX_US));
  if (!lk_stream_open (&self->stream, self->loop, socket, NULL)) {
    try_next (self);
    return;
  }
  lk_step_talk_begin (&self->talk, hello);
  lk_stream_send (&self->stream, hello->data, hello->len);
}

static void
connected (gpointer user, guint events)
{
  LkStepStream *self = user;
  int socket = self->connecting.fd;
  (void)events;
  lk_loop_remove_fd (self->loop, &self->connecting);
  if (lk_socket_fault (socket) == 0) {
    begin_talk (self, socket);
    return;
  }
  close (socket);
  try_next (self);
}

/* NULL: there is none left. */
static const LkSocketAddress *
next_address (LkStepStream *self)
{
  while (self->place < self->places->len) {
    const GArray *place = g_ptr_array_index (self->places, self->place);
    if (self->address < place->len)
      return &g_array_index (place, LkSocketAddress, self->address++);
    self->place++;
    self->address = 0;
  }
  return NULL;
}

static void
try_next (LkStepStream *self)
{
  const LkSocketAddress *address;
  while ((address = next_address (self)) != NULL) {
    int socket = lk_socket_connect (address, NULL);
    if (socket >= 0
        && lk_loop_add_fd (self->loop, &self->connecting, socket, LK_LOOP_WRITE, NULL)) {
      lk_loop_set_timer (self->loop, &self->timer,
                         lk_time_add_us (lk_loop_now_us (self->loop), CONNECT_MAX_US));
      return;
    }
    if (socket >= 0)
      close (socket);
  }
  /* Also when the first call finds none: the owner hears of it from the loop. */
  self->place = G_MAXUINT;
  lk_loop_set_timer (self->loop, &self->timer, lk_loop_now_us (self->loop));
}

static void
due (gpointer user)
{
  LkStepStream *self = user;
  if (self->connecting.is_in) {
    lk_loop_remove_fd (self->loop, &self->connecting);
    close (self->connecting.fd);
    try_next (self);
  } else if (self->place == G_MAXUINT) {
    end (self, "nobody can be reached at the addresses of the launcher");
  } else {
    end (self, "the other end has taken too long");
  }
}

/* ---------------------------------------------------------------- made */

static LkStepStream *
stream_new (LkLoop *loop, const LkStepAbout *about, const LkStepStreamOps *ops)
{
  LkStepStream *self = g_new0 (LkStepStream, 1);
  self->loop = loop;
  self->ops = *ops;
  self->stream = (LkStream){ .message = message, .ended = stream_ended, .user = self };
  self->timer = (LkLoopTimer){ .due = due, .user = self };
  self->reap = (LkLoopCall){ .call = reap, .user = self };
  self->connecting = (LkLoopFd){ .ready = connected, .user = self };
  lk_step_talk_init (&self->talk, about);
  return self;
}

LkStepStream *
lk_step_stream_connect (LkLoop *loop, const LkStepAbout *about, const char *const *addresses,
                        const LkStepStreamOps *ops, GError **error)
{
  g_autoptr (GPtrArray) places = g_ptr_array_new_with_free_func ((GDestroyNotify)g_array_unref);
  g_autoptr (GError) fault = NULL;
  for (guint i = 0; addresses != NULL && addresses[i] != NULL; i++) {
    GArray *place = lk_address_resolve (addresses[i], fault == NULL ? &fault : NULL);
    if (place != NULL)
      g_ptr_array_add (places, place);
  }
  if (places->len == 0) {
    if (fault != NULL)
      g_propagate_error (error, g_steal_pointer (&fault));
    else
      g_set_error (error, LK_PORT_ERROR, LK_PORT_ERROR_USAGE, "no address of a launcher is known");
    return NULL;
  }
  LkStepStream *self = stream_new (loop, about, ops);
  self->places = g_steal_pointer (&places);
  try_next (self);
  return self;
}

LkStepStream *
lk_step_stream_accept (LkLoop *loop, const LkStepAbout *about, int socket,
                       const LkStepStreamOps *ops, GError **error)
{
  LkStepStream *self = stream_new (loop, about, ops);
  lk_socket_tune (socket);
  if (!lk_stream_open (&self->stream, loop, socket, error)) {
    destroy (self);
    return NULL;
  }
  lk_loop_set_timer (loop, &self->timer, lk_time_add_us (lk_loop_now_us (loop), HANDSHAKE_MAX_US));
  return self;
}

/* ---------------------------------------------------------------- used */

gboolean
lk_step_stream_is_open (const LkStepStream *self)
{
  return self->talk.is_open && lk_stream_is_open (&self->stream);
}

guint32
lk_step_stream_node (const LkStepStream *self)
{
  return self->talk.other_index;
}

void
lk_step_stream_send (LkStepStream *self, const LkStepFrame *frame)
{
  gboolean has_room = lk_step_talk_note_sent (&self->talk, frame);
  LK_ASSERT (has_room);
  if (lk_stream_is_open (&self->stream))
    put (self, frame);
}

guint32
lk_step_stream_room_bytes (const LkStepStream *self)
{
  return lk_stream_is_open (&self->stream) ? lk_step_talk_room_bytes (&self->talk) : 0;
}

void
lk_step_stream_take (LkStepStream *self, guint32 count_bytes)
{
  LkStepFrame frame;
  if (lk_step_talk_note_taken (&self->talk, count_bytes, &frame)
      && lk_stream_is_open (&self->stream))
    put (self, &frame);
}

gsize
lk_step_stream_queue_bytes (const LkStepStream *self)
{
  return lk_stream_queue_bytes (&self->stream);
}

void
lk_step_stream_set_window (LkStepStream *self, guint16 rows, guint16 columns)
{
  self->rows = rows;
  self->columns = columns;
}

void
lk_step_stream_flush (LkStepStream *self)
{
  if (lk_stream_is_open (&self->stream))
    lk_stream_flush (&self->stream);
}

/* ---------------------------------------------------------------- the door */

struct _LkStepDoor {
  LkLoop *loop;
  LkLoopFd part;
  void (*came) (gpointer user, int socket);
  gpointer user;
  guint16 port;
};

static void
knock (gpointer user, guint events)
{
  LkStepDoor *self = user;
  (void)events;
  int socket = accept4 (self->part.fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (socket >= 0)
    self->came (self->user, socket);
}

/* Both families at one socket, where the system has IPv6. */
static int
open_door (void)
{
  const struct sockaddr_in6 any6 = { .sin6_family = AF_INET6 };
  const struct sockaddr_in any4 = { .sin_family = AF_INET };
  int no = 0;
  int door = socket (AF_INET6, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (door >= 0 && setsockopt (door, IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof no) == 0
      && bind (door, (const struct sockaddr *)&any6, sizeof any6) == 0)
    return door;
  if (door >= 0)
    close (door);
  door = socket (AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (door >= 0 && bind (door, (const struct sockaddr *)&any4, sizeof any4) == 0)
    return door;
  if (door >= 0)
    close (door);
  return -1;
}

static guint16
port_of (int door)
{
  union {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
  } address = { .v6 = { .sin6_family = AF_UNSPEC } };
  socklen_t size = sizeof address;
  if (getsockname (door, &address.any, &size) != 0)
    return 0;
  return GUINT16_FROM_BE (address.any.sa_family == AF_INET6 ? address.v6.sin6_port
                                                            : address.v4.sin_port);
}

LkStepDoor *
lk_step_door_new (LkLoop *loop, void (*came) (gpointer user, int socket), gpointer user,
                  GError **error)
{
  g_autofree LkStepDoor *self = g_new0 (LkStepDoor, 1);
  int door = open_door ();
  self->loop = loop;
  self->came = came;
  self->user = user;
  self->part = (LkLoopFd){ .ready = knock, .user = self };
  self->port = door >= 0 && listen (door, BACKLOG) == 0 ? port_of (door) : 0;
  if (self->port == 0) {
    lk_port_error_set (error, errno, "cannot listen for the nodes of a step");
    if (door >= 0)
      close (door);
    return NULL;
  }
  if (!lk_loop_add_fd (loop, &self->part, door, LK_LOOP_READ, error)) {
    close (door);
    return NULL;
  }
  return g_steal_pointer (&self);
}

guint16
lk_step_door_port (const LkStepDoor *self)
{
  return self->port;
}

void
lk_step_door_free (LkStepDoor *self)
{
  if (self == NULL)
    return;
  lk_loop_remove_fd (self->loop, &self->part);
  close (self->part.fd);
  g_free (self);
}
