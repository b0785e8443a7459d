/* live/port/port_net_os.c — see the header; connections are port_net_peer.c's, who is at their
 * other end port_net_attest.c's. */
#include "live/port/port_net_os.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdarg.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "engine/assert.h"
#include "engine/checked.h"
#include "live/port/auth_munge.h"
#include "live/port/error.h"
#include "live/port/port_net_os_private.h"
#include "live/port/socket.h"

#define NOTE_US G_USEC_PER_SEC
/* Connections that a listener takes in a turn. */
#define ACCEPT_MAX 64u
#define ACCEPTS_AGAIN_US (100 * G_USEC_PER_SEC / 1000)
/* Descriptors that the process needs for all else. */
#define OTHER_DESCRIPTORS 128u

void
lk_net_note (LkNetOs *self, const char *format, ...)
{
  gint64 now_us = lk_loop_now_us (self->loop);
  if (self->note == NULL)
    return;
  if (self->noted_us != 0 && lk_time_since_us (now_us, self->noted_us) < NOTE_US) {
    self->unnoted_count++;
    return;
  }
  va_list arguments;
  va_start (arguments, format);
  g_autofree char *text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  if (self->unnoted_count > 0) {
    g_autofree char *more = g_strdup_printf ("%s (and %" G_GUINT64_FORMAT " more since the last)",
                                             text, self->unnoted_count);
    self->note (self->user, more);
  } else {
    self->note (self->user, text);
  }
  self->noted_us = now_us;
  self->unnoted_count = 0;
}

/* ---------------------------------------------------------------- listeners */

static void
set_accepting (LkNetOs *self, gboolean is_accepting)
{
  for (guint i = 0; i < self->listeners->len; i++) {
    LkNetListener *listener = g_ptr_array_index (self->listeners, i);
    lk_loop_change_fd (self->loop, &listener->fd, is_accepting ? LK_LOOP_READ : 0);
  }
}

static void
accept_again (gpointer user)
{
  set_accepting (user, TRUE);
}

/* Without a descriptor it would be told of the same connection again and again. */
static void
accept_later (LkNetOs *self)
{
  self->counts.crowded_count++;
  lk_net_note (self, "no connection can be accepted: %s", g_strerror (errno));
  set_accepting (self, FALSE);
  lk_loop_set_timer (self->loop, &self->accepts_again,
                     lk_time_add_us (lk_loop_now_us (self->loop), ACCEPTS_AGAIN_US));
}

static void
listener_ready (gpointer user, guint events)
{
  const LkNetListener *listener = user;
  (void)events;
  for (guint i = 0; i < ACCEPT_MAX; i++) {
    int accepted = accept4 (listener->fd.fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (accepted >= 0)
      lk_net_peer_begin (listener->net, accepted, listener->is_local);
    else if (errno == EAGAIN)
      return;
    else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
      accept_later (listener->net);
      return;
    }
    /* Else it is the fault of that connection. */
  }
}

static gboolean
add_listener (LkNetOs *self, const LkSocketAddress *address, guint32 mode, GError **error)
{
  int listening = lk_socket_listen (address, mode, error);
  if (listening < 0)
    return FALSE;
  LkNetListener *listener = g_new0 (LkNetListener, 1);
  listener->net = self;
  listener->is_local = address->path != NULL;
  listener->fd = (LkLoopFd){ .ready = listener_ready, .user = listener };
  if (!lk_loop_add_fd (self->loop, &listener->fd, listening, LK_LOOP_READ, error)) {
    close (listening);
    g_free (listener);
    return FALSE;
  }
  g_ptr_array_add (self->listeners, listener);
  return TRUE;
}

static gboolean
listen_at (LkNetOs *self, const char *text, guint32 mode, GError **error)
{
  g_autoptr (GArray) all = lk_address_resolve (text, error);
  gboolean is_done = all != NULL;
  for (guint i = 0; is_done && i < all->len; i++)
    is_done = add_listener (self, &g_array_index (all, LkSocketAddress, i), mode, error);
  if (!is_done)
    g_prefix_error (error, "address '%s': ", text);
  return is_done;
}

static gboolean
listen_at_all (LkNetOs *self, const LkNetOsOptions *options, GError **error)
{
  for (guint i = 0; options->addresses != NULL && options->addresses[i] != NULL; i++) {
    if (options->addresses[i][0] == '/') {
      g_set_error (error, LK_PORT_ERROR, LK_PORT_ERROR_USAGE,
                   "'%s' is no address of TCP; expected HOST:PORT", options->addresses[i]);
      return FALSE;
    }
    if (!listen_at (self, options->addresses[i], 0, error))
      return FALSE;
  }
  if (options->socket == NULL)
    return TRUE;
  g_autofree char *path = g_canonicalize_filename (options->socket, NULL);
  if (!listen_at (self, path, options->socket_mode != 0 ? options->socket_mode : 0666, error))
    return FALSE;
  self->socket = g_steal_pointer (&path);
  return TRUE;
}

guint16
lk_net_os_tcp_port (const LkNetOs *self, guint index)
{
  const LkNetListener *listener = g_ptr_array_index (self->listeners, index);
  union {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
  } address = { .v6 = { 0 } };
  socklen_t length_bytes = sizeof address;
  int result = getsockname (listener->fd.fd, &address.any, &length_bytes);
  LK_ASSERT (result == 0);
  return g_ntohs (address.any.sa_family == AF_INET6 ? address.v6.sin6_port : address.v4.sin_port);
}

/* ---------------------------------------------------------------- the port */

static gboolean
send_message (void *user, LkPeerId id, const guint8 *bytes, gsize length_bytes)
{
  LkNetOs *self = user;
  LkNetPeer *peer = g_hash_table_lookup (self->by_id, GUINT_TO_POINTER (id));
  if (peer != NULL && peer->is_named)
    return lk_net_peer_send (peer, bytes, length_bytes);
  self->counts.lost_count++;
  return length_bytes <= LK_MESSAGE_MAX_BYTES;
}

static void
cut (void *user, LkPeerId id)
{
  LkNetOs *self = user;
  LkNetPeer *peer = g_hash_table_lookup (self->by_id, GUINT_TO_POINTER (id));
  if (peer != NULL)
    lk_net_peer_close (peer);
}

static const LkPortNetOps net_ops = {
  .size = sizeof (LkPortNetOps),
  .send = send_message,
  .cut = cut,
};

LkPortNet
lk_net_os_port (LkNetOs *self)
{
  return (LkPortNet){ &net_ops, self };
}

void
lk_net_os_flush (LkNetOs *self)
{
  for (guint i = 0; i < self->peers->len; i++) {
    LkNetPeer *peer = g_ptr_array_index (self->peers, i);
    lk_stream_flush (&peer->stream);
  }
}

void
lk_net_os_set_keyring (LkNetOs *self, LkKeyring *keyring)
{
  LkKeyring *before = self->keyring;
  self->keyring = keyring != NULL ? lk_keyring_ref (keyring) : NULL;
  lk_keyring_unref (before);
  /* From the last one, as closing puts the last one in the place of the closed. */
  for (guint i = self->peers->len; i > 0; i--) {
    LkNetPeer *peer = g_ptr_array_index (self->peers, i - 1);
    if (!peer->is_attested && peer->handshake != NULL && !peer->is_local)
      lk_net_peer_dismiss (peer, LK_FAREWELL_EXPIRED);
    else if (peer->is_attested && peer->attested.method == LK_AUTH_KEY
             && (keyring == NULL || !lk_keyring_has_id (keyring, peer->attested.key_id)))
      lk_net_peer_dismiss (peer, LK_FAREWELL_EXPIRED);
  }
}

static LkAuthMethod
method_of (const LkNetPeer *peer)
{
  if (peer->is_attested)
    return peer->attested.method;
  return peer->handshake != NULL ? lk_handshake_method (peer->handshake) : LK_AUTH_LOCAL;
}

void
lk_net_os_set_token_key (LkNetOs *self, GBytes *key)
{
  g_autoptr (GBytes) before = self->token_key;
  self->token_key = key != NULL ? g_bytes_ref (key) : NULL;
  if (before != NULL && key != NULL && g_bytes_equal (before, key))
    return;
  for (guint i = self->peers->len; i > 0; i--) {
    LkNetPeer *peer = g_ptr_array_index (self->peers, i - 1);
    if (method_of (peer) == LK_AUTH_TOKEN)
      lk_net_peer_dismiss (peer, LK_FAREWELL_EXPIRED);
  }
}

void
lk_net_os_counts (const LkNetOs *self, LkNetCounts *out_counts)
{
  *out_counts = self->counts;
  out_counts->connection_count = self->peers->len;
  out_counts->anonymous_count = self->anonymous.length;
  out_counts->agent_count = g_hash_table_size (self->agents);
}

/* ---------------------------------------------------------------- begin and end */

static void
set_limits (LkNetLimits *limits)
{
  struct rlimit files;
#define USUAL(name, value)                                                                         \
  if (limits->name == 0)                                                                           \
    limits->name = (value);
  USUAL (connection_count_max, 65536)
  USUAL (anonymous_count_max, 256)
  USUAL (user_connection_count_max, 1024)
  USUAL (login_grace_us, 10 * G_USEC_PER_SEC)
  USUAL (stall_us, 60 * G_USEC_PER_SEC)
  USUAL (session_max_us, 24 * 3600 * (gint64)G_USEC_PER_SEC)
  USUAL (queue_max_bytes, 64u * 1024 * 1024)
  USUAL (memory_max_bytes, 1024u * 1024 * 1024)
#undef USUAL
  if (getrlimit (RLIMIT_NOFILE, &files) == 0 && files.rlim_cur != RLIM_INFINITY) {
    guint64 room = files.rlim_cur > 2 * OTHER_DESCRIPTORS ? files.rlim_cur - OTHER_DESCRIPTORS
                                                          : OTHER_DESCRIPTORS;
    limits->connection_count_max = (guint)MIN (limits->connection_count_max, room);
  }
  /* One user alone keeps nobody out. */
  limits->user_connection_count_max =
      MIN (limits->user_connection_count_max, MAX (limits->connection_count_max / 4, 1));
  limits->anonymous_count_max =
      MIN (limits->anonymous_count_max, MAX (limits->connection_count_max / 4, 1));
}

static void
reap (gpointer user)
{
  LkNetOs *self = user;
  g_ptr_array_set_size (self->closed, 0);
}

static void
peer_free (gpointer data)
{
  LkNetPeer *peer = data;
  lk_stream_clear (&peer->stream);
  lk_handshake_free (peer->handshake);
  g_free (peer->name);
  g_free (peer->groups);
  g_free (peer);
}

LkNetOs *
lk_net_os_new (const LkNetOsOptions *options, GError **error)
{
  if (options->accepts_munge && !lk_munge_is_there (error))
    return NULL;
  LkNetOs *self = g_new0 (LkNetOs, 1);
  self->loop = options->loop;
  self->trusted_user_id = options->trusted_user_id;
  self->keyring = options->keyring != NULL ? lk_keyring_ref (options->keyring) : NULL;
  self->accepts_munge = options->accepts_munge;
  self->token_key = options->token_key != NULL ? g_bytes_ref (options->token_key) : NULL;
  self->token_read = options->token_read;
  self->munge_socket = g_strdup (options->munge_socket);
  self->limits = options->limits;
  set_limits (&self->limits);
  self->message = options->message;
  self->note = options->note;
  self->user = options->user;
  self->listeners = g_ptr_array_new ();
  self->accepts_again = (LkLoopTimer){ .due = accept_again, .user = self };
  self->peers = g_ptr_array_new ();
  self->by_id = g_hash_table_new (g_direct_hash, g_direct_equal);
  self->agents = g_hash_table_new (g_str_hash, g_str_equal);
  self->user_counts = g_hash_table_new (g_direct_hash, g_direct_equal);
  g_queue_init (&self->anonymous);
  self->closed = g_ptr_array_new_with_free_func (peer_free);
  self->reap = (LkLoopCall){ .call = reap, .user = self };
  self->names = lk_user_names_new ();
  /* One that waits for MUNGE must not hold up those that ask for names. */
  self->worker = lk_worker_new (self->loop, LK_WORKER_THREADS_MAX, error);
  if (self->worker != NULL && listen_at_all (self, options, error))
    return self;
  lk_net_os_free (self);
  return NULL;
}

static void
close_listeners (LkNetOs *self)
{
  for (guint i = 0; i < self->listeners->len; i++) {
    LkNetListener *listener = g_ptr_array_index (self->listeners, i);
    lk_loop_remove_fd (self->loop, &listener->fd);
    close (listener->fd.fd);
    g_free (listener);
  }
  g_ptr_array_unref (self->listeners);
  if (self->socket != NULL)
    unlink (self->socket);
}

void
lk_net_os_free (LkNetOs *self)
{
  if (self == NULL)
    return;
  lk_worker_free (self->worker);
  close_listeners (self);
  while (self->peers->len > 0)
    lk_net_peer_close (g_ptr_array_index (self->peers, self->peers->len - 1));
  lk_loop_remove_call (self->loop, &self->reap);
  lk_loop_set_timer (self->loop, &self->accepts_again, LK_TIME_NEVER);
  g_ptr_array_unref (self->closed);
  g_ptr_array_unref (self->peers);
  g_hash_table_unref (self->by_id);
  g_hash_table_unref (self->agents);
  g_hash_table_unref (self->user_counts);
  lk_user_names_free (self->names);
  lk_keyring_unref (self->keyring);
  g_clear_pointer (&self->token_key, g_bytes_unref);
  g_free (self->munge_socket);
  g_free (self->socket);
  g_free (self);
}
