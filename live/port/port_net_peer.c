/* live/port/port_net_peer.c — connections of the controller's network port: their limits, and how
 * they end. */
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

static void
cut_off_largest (LkNetOs *net)
{
  LkNetPeer *largest = NULL;
  for (guint i = 0; i < net->peers->len; i++) {
    LkNetPeer *peer = g_ptr_array_index (net->peers, i);
    if (largest == NULL || peer->memory_bytes > largest->memory_bytes)
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

/* Room for one more among all, and among those that are not attested. */
static gboolean
make_room (LkNetOs *net)
{
  gboolean is_full = net->peers->len >= net->limits.connection_count_max;
  if (!is_full && net->anonymous.length < net->limits.anonymous_count_max)
    return TRUE;
  net->counts.crowded_count++;
  lk_net_note (net, "there are too many connections");
  if (net->anonymous.length == 0)
    return FALSE;
  lk_net_peer_dismiss (net->anonymous.head->data, LK_FAREWELL_FULL);
  return TRUE;
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
