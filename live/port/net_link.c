/* live/port/net_link.c — see the header.
 *
 * One attempt goes through all controllers and all that their names stand for: resolve, connect,
 * handshake.  Where one of these fails, the next address is tried; behind the last one it waits. */
#include "live/port/net_link.h"

#include <string.h>
#include <unistd.h>

#include "engine/assert.h"
#include "engine/checked.h"
#include "live/port/auth_munge.h"
#include "live/port/error.h"
#include "live/port/socket.h"
#include "live/port/stream.h"
#include "live/port/worker.h"

/* A connection that has lasted so long was a good one: the next wait is short again. */
#define GOOD_US (5 * G_USEC_PER_SEC)
/* One over which the controller has spoken was good, too, but it may end all at once, as where a
 * controller dies of what agents tell it: behind it the waits are so much longer than the shortest
 * one at most, so that restarts in a row keep a node away for a second and not for ten. */
#define SPOKEN_WAIT_FACTOR 10

struct _LkNetLink {
  LkLoop *loop;
  char **controllers;
  LkPeerKind kind;
  char *node;
  LkAuthMethod method;
  LkKeyring *keyring;
  char *munge_socket;
  guint32 controller_user_id;
  gint64 retry_min_us;
  gint64 retry_max_us;
  gint64 connect_max_us;
  gsize queue_max_bytes;
  void (*message) (gpointer user, const LkPeer *peer, const guint8 *bytes, gsize length_bytes);
  void (*changed) (gpointer user, gboolean is_connected, const char *why);
  gpointer user;

  LkWorker *worker;  /* NULL: nothing had to be asked for yet */
  guint64 attempt;   /* counts what is asked of the worker: answers to others are late */
  guint controller;  /* which of them */
  GArray *addresses; /* of LkSocketAddress: what it stands for */
  guint address;     /* which of them */
  LkLoopFd connecting;
  LkStream stream;
  LkHandshake *handshake;
  gboolean is_connected;
  gboolean has_spoken; /* the controller, since then */
  gint64 connected_us;
  gint64 retry_us;
  LkLoopTimer timer; /* to try again, or of the attempt */
  char **told;       /* by controller: why it was not reached, as told; NULL: not told */
};

static void next_address (LkNetLink *self);
static void begin_round (gpointer user);

/* ---------------------------------------------------------------- failing */

static void
tell_failure (LkNetLink *self, const char *why)
{
  char **told = &self->told[self->controller];
  g_autofree char *text = g_strdup_printf ("%s: %s", self->controllers[self->controller], why);
  if (g_strcmp0 (*told, text) == 0)
    return;
  g_free (*told);
  *told = g_strdup (text);
  if (self->changed != NULL)
    self->changed (self->user, FALSE, text);
}

static void
forget_told (LkNetLink *self)
{
  for (guint i = 0; self->controllers[i] != NULL; i++)
    g_clear_pointer (&self->told[i], g_free);
}

/* Ends what is under way, without a word. */
static void
stop (LkNetLink *self)
{
  self->attempt++;
  self->is_connected = FALSE;
  lk_loop_set_timer (self->loop, &self->timer, LK_TIME_NEVER);
  if (self->connecting.is_in) {
    lk_loop_remove_fd (self->loop, &self->connecting);
    close (self->connecting.fd);
  }
  lk_stream_close (&self->stream);
}

static gint64
draw_wait_us (LkNetLink *self)
{
  guint32 chance;
  gint64 wait_us = self->retry_us;
  lk_random_fill ((guint8 *)&chance, sizeof chance);
  self->retry_us = MIN (2 * self->retry_us, self->retry_max_us);
  return wait_us / 2 + (gint64)(chance % (guint32)MIN (wait_us / 2 + 1, G_MAXUINT32));
}

static void
wait_for_round (LkNetLink *self)
{
  self->timer.due = begin_round;
  lk_loop_set_timer (self->loop, &self->timer,
                     lk_time_add_us (lk_loop_now_us (self->loop), draw_wait_us (self)));
}

/* This address is no good: what about the next one? */
static void
address_failed (LkNetLink *self, const char *why)
{
  tell_failure (self, why);
  stop (self);
  self->address++;
  next_address (self);
}

static void
connection_lost (LkNetLink *self, const char *why, guint farewell)
{
  gint64 lasted_us = lk_time_since_us (lk_loop_now_us (self->loop), self->connected_us);
  if (!self->is_connected) {
    address_failed (self, why);
    return;
  }
  tell_failure (self, why);
  stop (self);
  if (farewell == LK_FAREWELL_REPLACED)
    self->retry_us = self->retry_max_us;
  else if (farewell == LK_FAREWELL_EXPIRED || lasted_us >= GOOD_US)
    self->retry_us = self->retry_min_us;
  else if (self->has_spoken)
    self->retry_us = MIN (self->retry_us, SPOKEN_WAIT_FACTOR * self->retry_min_us);
  wait_for_round (self);
}

/* ---------------------------------------------------------------- the handshake */

typedef struct {
  LkWork work;
  LkNetLink *link;
  guint64 attempt;
  char *text; /* to resolve; or the socket of munged */
  guint32 reader_user_id;
  GByteArray *content; /* of the credential; NULL: it is to resolve */
  char *credential;
  GArray *addresses;
  GError *error;
} LinkWork;

static void
work_discard (LkWork *work)
{
  LinkWork *self = (LinkWork *)work;
  g_free (self->text);
  if (self->content != NULL) {
    explicit_bzero (self->content->data, self->content->len);
    g_byte_array_unref (self->content);
  }
  g_free (self->credential);
  g_clear_pointer (&self->addresses, g_array_unref);
  g_clear_error (&self->error);
  g_free (self);
}

/* FALSE: there is no thread to be had. */
static gboolean
give (LkNetLink *self, LinkWork *work)
{
  /* Most links need none, and there may be ten thousand in a process. */
  if (self->worker == NULL)
    self->worker = lk_worker_new (self->loop, 1, NULL);
  work->link = self;
  work->attempt = ++self->attempt;
  work->work.discard = work_discard;
  if (self->worker != NULL && lk_worker_give (self->worker, &work->work))
    return TRUE;
  work_discard (&work->work);
  return FALSE;
}

static void finish (LkNetLink *self, LkHandshakeStep step, const GByteArray *reply);

static void
munge_ask (LkWork *work)
{
  LinkWork *self = (LinkWork *)work;
  self->credential =
      lk_munge_encode (self->text, (LkBytes){ self->content->data, self->content->len },
                       self->reader_user_id, &self->error);
}

static void
munge_done (LkWork *work)
{
  LinkWork *done = (LinkWork *)work;
  LkNetLink *self = done->link;
  if (done->attempt == self->attempt && done->credential != NULL) {
    g_autoptr (GByteArray) reply = g_byte_array_new ();
    const LkCredential credential = { .is_good = TRUE,
                                      .bytes = lk_bytes_of_text (done->credential) };
    finish (self, lk_handshake_credential (self->handshake, &credential, reply), reply);
  } else if (done->attempt == self->attempt) {
    address_failed (self, done->error->message);
  }
  work_discard (work);
}

static void
ask_munge (LkNetLink *self)
{
  LkBytes question = lk_handshake_question (self->handshake);
  LinkWork *work = g_new0 (LinkWork, 1);
  work->work.work = munge_ask;
  work->work.done = munge_done;
  work->text = g_strdup (self->munge_socket);
  work->reader_user_id = self->controller_user_id;
  work->content = g_byte_array_new ();
  g_byte_array_append (work->content, question.bytes, question.length_bytes);
  if (!give (self, work))
    address_failed (self, "there is no thread to ask MUNGE");
}

static void
become_connected (LkNetLink *self)
{
  lk_stream_attest (&self->stream, lk_handshake_attested (self->handshake), LK_MESSAGE_MAX_BYTES);
  lk_stream_limit (&self->stream, lk_message_max_bytes);
  g_clear_pointer (&self->handshake, lk_handshake_free);
  lk_loop_set_timer (self->loop, &self->timer, LK_TIME_NEVER);
  self->is_connected = TRUE;
  self->has_spoken = FALSE;
  self->connected_us = lk_loop_now_us (self->loop);
  forget_told (self);
  if (self->changed != NULL)
    self->changed (self->user, TRUE, NULL);
}

static void
finish (LkNetLink *self, LkHandshakeStep step, const GByteArray *reply)
{
  if (reply->len > 0)
    lk_stream_send (&self->stream, reply->data, reply->len);
  switch (step) {
  case LK_HANDSHAKE_MORE:
    break;
  case LK_HANDSHAKE_CREDENTIAL:
    ask_munge (self);
    break;
  case LK_HANDSHAKE_DONE:
    become_connected (self);
    break;
  case LK_HANDSHAKE_REFUSED:
    address_failed (self, lk_farewell_text (lk_handshake_farewell (self->handshake)));
    break;
  }
}

static void
message_came (gpointer user, LkBytes message)
{
  LkNetLink *self = user;
  guint why;
  if (!self->is_connected) {
    g_autoptr (GByteArray) reply = g_byte_array_new ();
    finish (self, lk_handshake_take (self->handshake, message, reply), reply);
  } else if (lk_farewell_decode (message, &why)) {
    connection_lost (self, lk_farewell_text (why), why);
  } else {
    const LkPeer controller = { .kind = LK_PEER_CONTROLLER, .user_id = LK_MUNGE_ANYONE };
    self->has_spoken = TRUE;
    self->message (self->user, &controller, message.bytes, message.length_bytes);
  }
}

static void
stream_ended (gpointer user, LkStreamEnd why)
{
  LkNetLink *self = user;
  connection_lost (self,
                   why == LK_STREAM_LOST ? "the connection was lost"
                                         : "what the other end has sent could not be read",
                   0);
}

/* ---------------------------------------------------------------- connecting */

static void
begin_handshake (LkNetLink *self, int socket)
{
  const LkSocketAddress *address = &g_array_index (self->addresses, LkSocketAddress, self->address);
  const LkHandshakeClient options = { .method =
                                          address->path != NULL ? LK_AUTH_LOCAL : self->method,
                                      .kind = self->kind,
                                      .node = self->node,
                                      .keyring = self->keyring };
  g_autoptr (GByteArray) hello = g_byte_array_new ();
  g_autoptr (GError) error = NULL;
  g_clear_pointer (&self->handshake, lk_handshake_free);
  if (address->path != NULL && !lk_socket_is_controller (socket, self->controller_user_id)) {
    close (socket);
    address_failed (self, "whoever listens there may not be the controller");
    return;
  }
  lk_stream_clear (&self->stream);
  self->stream = (LkStream){ .message = message_came, .ended = stream_ended, .user = self };
  self->handshake = lk_handshake_client_new (&options, hello, &error);
  if (self->handshake == NULL) {
    close (socket);
    address_failed (self, error->message);
  } else if (!lk_stream_open (&self->stream, self->loop, socket, &error)) {
    address_failed (self, error->message);
  } else {
    lk_stream_send (&self->stream, hello->data, hello->len);
  }
}

static void
connecting_ready (gpointer user, guint events)
{
  LkNetLink *self = user;
  int socket = self->connecting.fd;
  int fault = lk_socket_fault (socket);
  (void)events;
  lk_loop_remove_fd (self->loop, &self->connecting);
  if (fault == 0) {
    begin_handshake (self, socket);
    return;
  }
  close (socket);
  address_failed (self, g_strerror (fault));
}

static void
connect_late (gpointer user)
{
  address_failed (user, "it does not answer");
}

static void
resolve_ask (LkWork *work)
{
  LinkWork *self = (LinkWork *)work;
  self->addresses = lk_address_resolve (self->text, &self->error);
}

static void
take_addresses (LkNetLink *self, GArray *addresses, const GError *error)
{
  if (addresses == NULL)
    tell_failure (self, error != NULL ? error->message : "there is no thread to ask for its name");
  self->addresses =
      addresses != NULL ? addresses : g_array_new (FALSE, FALSE, sizeof (LkSocketAddress));
  self->address = 0;
  next_address (self);
}

static void
resolve_done (LkWork *work)
{
  LinkWork *done = (LinkWork *)work;
  LkNetLink *self = done->link;
  if (done->attempt == self->attempt)
    take_addresses (self, g_steal_pointer (&done->addresses), done->error);
  work_discard (work);
}

/* What does the present controller's name stand for? */
static void
resolve (LkNetLink *self)
{
  const char *text = self->controllers[self->controller];
  g_autoptr (GError) error = NULL;
  if (!lk_address_is_name (text)) {
    GArray *addresses = lk_address_resolve (text, &error);
    take_addresses (self, addresses, error);
    return;
  }
  LinkWork *work = g_new0 (LinkWork, 1);
  work->work.work = resolve_ask;
  work->work.done = resolve_done;
  work->text = g_strdup (text);
  if (!give (self, work))
    take_addresses (self, NULL, NULL);
}

static void
try_next (gpointer user)
{
  next_address (user);
}

static void
next_address (LkNetLink *self)
{
  g_autoptr (GError) error = NULL;
  if (self->address >= self->addresses->len) {
    g_clear_pointer (&self->addresses, g_array_unref);
    self->controller++;
    if (self->controllers[self->controller] != NULL)
      resolve (self);
    else
      wait_for_round (self);
    return;
  }
  int socket =
      lk_socket_connect (&g_array_index (self->addresses, LkSocketAddress, self->address), &error);
  self->timer.due = connect_late;
  lk_loop_set_timer (self->loop, &self->timer,
                     lk_time_add_us (lk_loop_now_us (self->loop), self->connect_max_us));
  self->connecting = (LkLoopFd){ .ready = connecting_ready, .user = self };
  if (socket >= 0 && lk_loop_add_fd (self->loop, &self->connecting, socket, LK_LOOP_WRITE, &error))
    return;
  if (socket >= 0)
    close (socket);
  tell_failure (self, error->message);
  self->address++;
  /* The next one in the next turn, as there may be many. */
  self->timer.due = try_next;
  lk_loop_set_timer (self->loop, &self->timer, lk_loop_now_us (self->loop));
}

static void
begin_round (gpointer user)
{
  LkNetLink *self = user;
  self->controller = 0;
  g_clear_pointer (&self->addresses, g_array_unref);
  resolve (self);
}

/* ---------------------------------------------------------------- the port */

static gboolean
send_message (void *user, LkPeerId peer, const guint8 *bytes, gsize length_bytes)
{
  LkNetLink *self = user;
  LK_ASSERT (peer == 0);
  if (!self->is_connected)
    return length_bytes <= LK_MESSAGE_MAX_BYTES;
  if (!lk_stream_send (&self->stream, bytes, length_bytes))
    return FALSE;
  if (lk_stream_queue_bytes (&self->stream) > self->queue_max_bytes)
    connection_lost (self, "the controller does not read what is sent", 0);
  return TRUE;
}

static const LkPortNetOps net_ops = {
  .size = sizeof (LkPortNetOps),
  .send = send_message,
};

LkPortNet
lk_net_link_port (LkNetLink *self)
{
  return (LkPortNet){ &net_ops, self };
}

gboolean
lk_net_link_is_connected (const LkNetLink *self)
{
  return self->is_connected;
}

void
lk_net_link_set_keyring (LkNetLink *self, LkKeyring *keyring)
{
  LkKeyring *before = self->keyring;
  self->keyring = keyring != NULL ? lk_keyring_ref (keyring) : NULL;
  lk_keyring_unref (before);
}

/* Can there be a connection at all? */
static gboolean
check_options (const LkNetLinkOptions *options, GError **error)
{
  gboolean has_tcp = FALSE;
  for (guint i = 0; options->controllers[i] != NULL; i++) {
    if (!lk_address_check (options->controllers[i], error))
      return FALSE;
    has_tcp = has_tcp || options->controllers[i][0] != '/';
  }
  if (options->controllers[0] == NULL) {
    g_set_error (error, LK_PORT_ERROR, LK_PORT_ERROR_USAGE, "no controller is named");
    return FALSE;
  }
  if (has_tcp && options->method == LK_AUTH_MUNGE)
    return lk_munge_is_there (error);
  const LkHandshakeClient client = { .method = has_tcp ? LK_AUTH_KEY : LK_AUTH_LOCAL,
                                     .kind = options->kind,
                                     .node = options->node,
                                     .keyring = options->keyring };
  g_autoptr (GByteArray) hello = g_byte_array_new ();
  g_autoptr (LkHandshake) handshake = lk_handshake_client_new (&client, hello, error);
  return handshake != NULL;
}

LkNetLink *
lk_net_link_new (const LkNetLinkOptions *options, GError **error)
{
  if (!check_options (options, error))
    return NULL;
  LkNetLink *self = g_new0 (LkNetLink, 1);
  self->loop = options->loop;
  self->controllers = g_strdupv ((char **)options->controllers);
  self->told = g_new0 (char *, g_strv_length (self->controllers));
  self->kind = options->kind;
  self->node = g_strdup (options->node);
  self->method = options->method;
  self->keyring = options->keyring != NULL ? lk_keyring_ref (options->keyring) : NULL;
  self->munge_socket = g_strdup (options->munge_socket);
  self->controller_user_id = options->controller_user_id;
#define OR_USUAL(name, value) self->name = options->name != 0 ? options->name : (value)
  OR_USUAL (retry_min_us, 100 * G_USEC_PER_SEC / 1000);
  OR_USUAL (retry_max_us, 10 * G_USEC_PER_SEC);
  OR_USUAL (connect_max_us, 10 * G_USEC_PER_SEC);
  OR_USUAL (queue_max_bytes, 64u * 1024 * 1024);
#undef OR_USUAL
  self->retry_us = self->retry_min_us;
  self->message = options->message;
  self->changed = options->changed;
  self->user = options->user;
  self->timer = (LkLoopTimer){ .due = begin_round, .user = self };
  lk_loop_set_timer (self->loop, &self->timer, lk_loop_now_us (self->loop));
  return self;
}

void
lk_net_link_free (LkNetLink *self)
{
  if (self == NULL)
    return;
  stop (self);
  lk_worker_free (self->worker);
  lk_stream_clear (&self->stream);
  lk_handshake_free (self->handshake);
  g_clear_pointer (&self->addresses, g_array_unref);
  lk_keyring_unref (self->keyring);
  forget_told (self);
  g_free (self->told);
  g_strfreev (self->controllers);
  g_free (self->node);
  g_free (self->munge_socket);
  g_free (self);
}
