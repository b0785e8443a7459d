/* live/port/port_net_peer.c — connections of the controller's network port: their limits, and how
 * they end. */
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "engine/assert.h"
#include "engine/checked.h"
#include "live/port/port_net_os_private.h"
#include "live/port/socket.h"

/* ---------------------------------------------------------------- the end */

static void
uncount_user (LkNetPeer *peer)
{
  LkNetOs *net = peer->net;
  gpointer user = GUINT_TO_POINTER (peer->user_id);
  guint count = GPOINTER_TO_UINT (g_hash_table_lookup (net->user_counts, user));
  LK_ASSERT (count > 0);
  if (count > 1)
    g_hash_table_insert (net->user_counts, user, GUINT_TO_POINTER (count - 1));
  else
    g_hash_table_remove (net->user_counts, user);
}

static void
forget_peer (LkNetPeer *peer)
{
  LkNetOs *net = peer->net;
  LkNetPeer *last = g_ptr_array_index (net->peers, net->peers->len - 1);
  LK_ASSERT (g_ptr_array_index (net->peers, peer->index) == peer);
  net->peers->pdata[peer->index] = last;
  last->index = peer->index;
  g_ptr_array_set_size (net->peers, (int)net->peers->len - 1);
  g_hash_table_remove (net->by_id, GUINT_TO_POINTER (peer->who.id));
  if (peer->who.kind == LK_PEER_AGENT && peer->name != NULL
      && g_hash_table_lookup (net->agents, peer->name) == peer)
    g_hash_table_remove (net->agents, peer->name);
  if (!peer->is_attested)
    g_queue_unlink (&net->anonymous, &peer->anonymous);
  if (peer->is_counted)
    uncount_user (peer);
  net->counts.memory_bytes -= peer->memory_bytes;
}

void
lk_net_peer_close (LkNetPeer *peer)
{
  LkNetOs *net = peer->net;
  if (!lk_stream_is_open (&peer->stream))
    return;
  lk_stream_close (&peer->stream);
  lk_loop_set_timer (net->loop, &peer->deadline, LK_TIME_NEVER);
  lk_loop_set_timer (net->loop, &peer->stall, LK_TIME_NEVER);
  forget_peer (peer);
  /* Its message may be in the hands of whoever has closed it. */
  g_ptr_array_add (net->closed, peer);
  lk_loop_defer (net->loop, &net->reap);
}

void
lk_net_peer_dismiss (LkNetPeer *peer, LkFarewell why)
{
  g_autoptr (GByteArray) message = g_byte_array_new ();
  if (!lk_stream_is_open (&peer->stream))
    return;
  lk_farewell_encode (why, message);
  lk_stream_send (&peer->stream, message->data, message->len);
  lk_stream_flush (&peer->stream);
  lk_net_peer_close (peer);
}

/* ---------------------------------------------------------------- memory */

static void
cut_off_slow (LkNetPeer *peer)
{
  peer->net->counts.slow_count++;
  lk_net_note (peer->net, "%s %s was cut off: it does not read what is sent",
               peer->who.kind == LK_PEER_AGENT ? "the agent of" : "a connection of",
               peer->name != NULL ? peer->name : "somebody");
  lk_net_peer_close (peer);
}

/* The whole cluster needs these: users' connections go first. */
static gboolean
is_cut_last (const LkNetPeer *peer)
{
  return peer->is_attested && peer->who.kind != LK_PEER_USER && peer->who.kind != LK_PEER_JOB;
}

/* Adds up the memory of each user. Returns: (transfer full), of gsize, by user id. */
static GHashTable *
user_memory (const LkNetOs *net)
{
  GHashTable *users = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  for (guint i = 0; i < net->peers->len; i++) {
    const LkNetPeer *peer = g_ptr_array_index (net->peers, i);
    gpointer user = GUINT_TO_POINTER (peer->user_id);
    gsize *bytes = g_hash_table_lookup (users, user);
    if (peer->memory_bytes == 0 || is_cut_last (peer))
      continue;
    if (bytes == NULL)
      g_hash_table_insert (users, user, bytes = g_new0 (gsize, 1));
    *bytes += peer->memory_bytes;
  }
  return users;
}

/* Is `a` to be cut off rather than `b`? */
static gboolean
goes_before (GHashTable *users, const LkNetPeer *a, const LkNetPeer *b)
{
  if (is_cut_last (a) || is_cut_last (b))
    return is_cut_last (a) ? is_cut_last (b) && a->memory_bytes > b->memory_bytes : TRUE;
  const gsize *of_a = g_hash_table_lookup (users, GUINT_TO_POINTER (a->user_id));
  const gsize *of_b = g_hash_table_lookup (users, GUINT_TO_POINTER (b->user_id));
  return *of_a != *of_b ? *of_a > *of_b : a->memory_bytes > b->memory_bytes;
}

/* One user's many connections count together, so that they do not drive out those of others. */
static void
cut_off_largest (LkNetOs *net)
{
  LkNetPeer *largest = NULL;
  g_autoptr (GHashTable) users = user_memory (net);
  for (guint i = 0; i < net->peers->len; i++) {
    LkNetPeer *peer = g_ptr_array_index (net->peers, i);
    if (peer->memory_bytes > 0 && (largest == NULL || goes_before (users, peer, largest)))
      largest = peer;
  }
  if (largest != NULL)
    cut_off_slow (largest);
}

void
lk_net_peer_moved (gpointer user)
{
  LkNetPeer *peer = user;
  LkNetOs *net = peer->net;
  gsize queue_bytes = lk_stream_queue_bytes (&peer->stream);
  gsize memory_bytes = queue_bytes + lk_stream_held_bytes (&peer->stream);
  net->counts.memory_bytes += memory_bytes - peer->memory_bytes;
  peer->memory_bytes = memory_bytes;
  if (queue_bytes == 0)
    lk_loop_set_timer (net->loop, &peer->stall, LK_TIME_NEVER);
  else if (peer->stall.position == 0) {
    peer->stall_written_bytes = peer->stream.written_bytes;
    lk_loop_set_timer (net->loop, &peer->stall,
                       lk_time_add_us (lk_loop_now_us (net->loop), net->limits.stall_us));
  }
  if (queue_bytes > net->limits.queue_max_bytes)
    cut_off_slow (peer);
  else if (net->counts.memory_bytes > net->limits.memory_max_bytes)
    cut_off_largest (net);
}

/* It has had its time to read something. */
static void
stall_due (gpointer user)
{
  LkNetPeer *peer = user;
  if (peer->stream.written_bytes == peer->stall_written_bytes)
    cut_off_slow (peer);
  else
    lk_net_peer_moved (peer);
}

gboolean
lk_net_peer_send (LkNetPeer *peer, const guint8 *bytes, gsize length_bytes)
{
  gboolean is_sent = lk_stream_send (&peer->stream, bytes, length_bytes);
  lk_net_peer_moved (peer);
  return is_sent;
}

/* ---------------------------------------------------------------- the beginning */

gboolean
lk_net_peer_count_user (LkNetPeer *peer, guint32 user_id)
{
  LkNetOs *net = peer->net;
  gpointer user = GUINT_TO_POINTER (user_id);
  guint count = GPOINTER_TO_UINT (g_hash_table_lookup (net->user_counts, user));
  if (peer->is_counted || user_id == 0 || user_id == net->trusted_user_id)
    return TRUE;
  if (count >= net->limits.user_connection_count_max)
    return FALSE;
  g_hash_table_insert (net->user_counts, user, GUINT_TO_POINTER (count + 1));
  peer->user_id = user_id;
  peer->is_counted = TRUE;
  return TRUE;
}

static void
message_came (gpointer user, LkBytes message)
{
  LkNetPeer *peer = user;
  if (!peer->is_attested)
    lk_net_attest_take (peer, message);
  else
    peer->net->message (peer->net->user, &peer->who, message.bytes, message.length_bytes);
}

static void
stream_ended (gpointer user, LkStreamEnd why)
{
  LkNetPeer *peer = user;
  if (why == LK_STREAM_GARBAGE) {
    peer->net->counts.garbage_count++;
    lk_net_note (peer->net, "a connection of %s was closed: what was sent could not be read",
                 peer->name != NULL ? peer->name : "somebody");
    lk_net_peer_dismiss (peer, LK_FAREWELL_GARBAGE);
  } else {
    lk_net_peer_close (peer);
  }
}

static void
deadline_due (gpointer user)
{
  LkNetPeer *peer = user;
  if (peer->is_attested) {
    peer->net->counts.expired_count++;
    lk_net_peer_dismiss (peer, LK_FAREWELL_EXPIRED);
  } else {
    peer->net->counts.late_count++;
    lk_net_peer_dismiss (peer, LK_FAREWELL_LATE);
  }
}

/* Users of the local socket, IPv4 addresses and /64 networks of IPv6: one number for all. */
static guint64
source_of (int socket, const LkNetPeer *peer)
{
  struct sockaddr_storage address = { 0 };
  socklen_t length_bytes = sizeof address;
  guint64 source = 0;
  if (peer->is_local)
    return G_GUINT64_CONSTANT (0xfffe) << 32 | peer->user_id;
  if (getpeername (socket, (struct sockaddr *)&address, &length_bytes) != 0)
    return 0;
  if (address.ss_family == AF_INET)
    return G_GUINT64_CONSTANT (0xffff) << 32
           | ((const struct sockaddr_in *)&address)->sin_addr.s_addr;
  memcpy (&source, &((const struct sockaddr_in6 *)&address)->sin6_addr, sizeof source);
  return source;
}

/* The oldest of the source that has the most, so that one source drives out only its own. */
static LkNetPeer *
most_crowded (const LkNetOs *net)
{
  guint most = 0;
  LkNetPeer *found = NULL;
  g_autoptr (GHashTable) counts = g_hash_table_new (g_int64_hash, g_int64_equal);
  for (const GList *at = net->anonymous.head; at != NULL; at = at->next) {
    LkNetPeer *peer = at->data;
    guint count = GPOINTER_TO_UINT (g_hash_table_lookup (counts, &peer->source)) + 1;
    g_hash_table_insert (counts, &peer->source, GUINT_TO_POINTER (count));
    most = MAX (most, count);
  }
  for (const GList *at = net->anonymous.head; at != NULL && found == NULL; at = at->next) {
    LkNetPeer *peer = at->data;
    if (GPOINTER_TO_UINT (g_hash_table_lookup (counts, &peer->source)) == most)
      found = peer;
  }
  return found;
}

/* Room for one more among all, and among those that are not attested. */
static gboolean
make_room (LkNetOs *net)
{
  gboolean is_full = net->peers->len >= net->limits.connection_count_max;
  if (!is_full && net->anonymous.length < net->limits.anonymous_count_max)
    return TRUE;
  net->counts.crowded_count++;
  lk_net_note (net, "there are too many connections");
  LkNetPeer *peer = most_crowded (net);
  if (peer != NULL)
    lk_net_peer_dismiss (peer, LK_FAREWELL_FULL);
  return peer != NULL;
}

static LkPeerId
new_id (LkNetOs *net)
{
  do
    net->id_last++;
  while (net->id_last == 0 || g_hash_table_contains (net->by_id, GUINT_TO_POINTER (net->id_last)));
  return net->id_last;
}

static LkNetPeer *
peer_new (LkNetOs *net, gboolean is_local)
{
  LkNetPeer *peer = g_new0 (LkNetPeer, 1);
  peer->net = net;
  peer->is_local = is_local;
  peer->stream.message = message_came;
  peer->stream.ended = stream_ended;
  peer->stream.moved = lk_net_peer_moved;
  peer->stream.user = peer;
  peer->deadline = (LkLoopTimer){ .due = deadline_due, .user = peer };
  peer->stall = (LkLoopTimer){ .due = stall_due, .user = peer };
  peer->anonymous.data = peer;
  return peer;
}

void
lk_net_peer_begin (LkNetOs *net, int socket, gboolean is_local)
{
  g_autofree LkNetPeer *peer = peer_new (net, is_local);
  net->counts.accepted_count++;
  if ((is_local && !lk_socket_peer (socket, &peer->user_id, &peer->group_id)) || !make_room (net)) {
    close (socket);
    return;
  }
  if (!is_local)
    lk_socket_tune (socket);
  peer->source = source_of (socket, peer);
  if (!lk_stream_open (&peer->stream, net->loop, socket, NULL)) {
    net->counts.crowded_count++;
    return;
  }
  LkNetPeer *begun = g_steal_pointer (&peer);
  begun->who.id = new_id (net);
  begun->index = net->peers->len;
  g_ptr_array_add (net->peers, begun);
  g_hash_table_insert (net->by_id, GUINT_TO_POINTER (begun->who.id), begun);
  g_queue_push_tail_link (&net->anonymous, &begun->anonymous);
  lk_loop_set_timer (net->loop, &begun->deadline,
                     lk_time_add_us (lk_loop_now_us (net->loop), net->limits.login_grace_us));
  lk_net_attest_begin (begun);
  if (is_local && !lk_net_peer_count_user (begun, begun->user_id)) {
    net->counts.crowded_count++;
    lk_net_peer_dismiss (begun, LK_FAREWELL_FULL);
  }
}
