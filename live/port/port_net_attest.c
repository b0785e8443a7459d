/* live/port/port_net_attest.c — from a connection to a peer: the handshake, MUNGE, tokens, the
 * user's name, and that a node has one agent. */
#include <string.h>

#include "engine/assert.h"
#include "engine/checked.h"
#include "live/port/auth_munge.h"
#include "live/port/port_net_os_private.h"

static void finish (LkNetPeer *peer, LkHandshakeStep step, const GByteArray *reply);

static LkNetPeer *
peer_of (const LkNetOs *net, LkPeerId id)
{
  return g_hash_table_lookup (net->by_id, GUINT_TO_POINTER (id));
}

/* ---------------------------------------------------------------- MUNGE */

typedef struct {
  LkWork work;
  LkNetOs *net;
  LkPeerId id;
  char *socket;
  char *credential;
  GByteArray *content; /* NULL: it is not good */
  guint32 user_id;
  guint32 group_id;
  GError *error;
} MungeWork;

static void
munge_discard (LkWork *work)
{
  MungeWork *self = (MungeWork *)work;
  g_free (self->socket);
  g_free (self->credential);
  if (self->content != NULL) {
    explicit_bzero (self->content->data, self->content->len);
    g_byte_array_unref (self->content);
  }
  g_clear_error (&self->error);
  g_free (self);
}

static void
munge_ask (LkWork *work)
{
  MungeWork *self = (MungeWork *)work;
  self->content = lk_munge_decode (self->socket, self->credential, &self->user_id, &self->group_id,
                                   &self->error);
}

static void
munge_done (LkWork *work)
{
  MungeWork *self = (MungeWork *)work;
  LkNetPeer *peer = peer_of (self->net, self->id);
  if (self->error != NULL)
    lk_net_note (self->net, "%s", self->error->message);
  if (peer != NULL) {
    g_autoptr (GByteArray) reply = g_byte_array_new ();
    LkCredential credential = { .is_good = self->content != NULL,
                                .user_id = self->user_id,
                                .group_id = self->group_id };
    if (self->content != NULL)
      credential.bytes = (LkBytes){ self->content->data, self->content->len };
    finish (peer, lk_handshake_credential (peer->handshake, &credential, reply), reply);
  }
  munge_discard (work);
}

/* Nothing more is read from the peer meanwhile. */
static void
ask_munge (LkNetPeer *peer)
{
  LkBytes question = lk_handshake_question (peer->handshake);
  MungeWork *work = g_new0 (MungeWork, 1);
  work->work = (LkWork){ munge_ask, munge_done, munge_discard };
  work->net = peer->net;
  work->id = peer->who.id;
  work->socket = g_strdup (peer->net->munge_socket);
  work->credential = g_strndup ((const char *)question.bytes, question.length_bytes);
  lk_stream_pause (&peer->stream, TRUE);
  if (lk_worker_give (peer->net->worker, &work->work))
    return;
  munge_discard (&work->work);
  peer->net->counts.crowded_count++;
  lk_net_peer_dismiss (peer, LK_FAREWELL_FULL);
}

/* ---------------------------------------------------------------- tokens */

typedef struct {
  LkWork work;
  LkNetOs *net;
  LkPeerId id;
  LkTokenReader read;
  GByteArray *content;
  gboolean is_good;
  guint32 user_id;
  guint32 group_id;
  gint64 life_us;
  GError *error; /* NULL, and it is not good: the system knows no such user */
} TokenWork;

static void
token_discard (LkWork *work)
{
  TokenWork *self = (TokenWork *)work;
  g_byte_array_unref (self->content);
  g_clear_error (&self->error);
  g_free (self);
}

/* In a thread, as the system may ask other hosts for the user. */
static void
token_ask (LkWork *work)
{
  TokenWork *self = (TokenWork *)work;
  LkTokenClaims claims;
  gint64 now_s = g_get_real_time () / G_USEC_PER_SEC;
  if (!self->read ((LkBytes){ self->content->data, self->content->len }, now_s, &claims,
                   &self->error))
    return;
  self->is_good = lk_user_id_ask (claims.user, &self->user_id, &self->group_id);
  self->life_us = MIN (claims.end_s - now_s, G_MAXINT32) * G_USEC_PER_SEC;
  lk_token_claims_clear (&claims);
}

static void
token_done (LkWork *work)
{
  TokenWork *self = (TokenWork *)work;
  LkNetPeer *peer = peer_of (self->net, self->id);
  if (!self->is_good)
    lk_net_note (self->net, "%s",
                 self->error != NULL ? self->error->message
                                     : "a token names a user whom this machine does not know");
  if (peer != NULL) {
    g_autoptr (GByteArray) reply = g_byte_array_new ();
    const LkCredential credential = { .is_good = self->is_good,
                                      .user_id = self->user_id,
                                      .group_id = self->group_id,
                                      .life_us = self->life_us };
    finish (peer, lk_handshake_credential (peer->handshake, &credential, reply), reply);
  }
  token_discard (work);
}

/* Nothing more is read from the peer meanwhile. */
static void
ask_token (LkNetPeer *peer)
{
  LkBytes content = lk_handshake_question (peer->handshake);
  TokenWork *work = g_new0 (TokenWork, 1);
  work->work = (LkWork){ token_ask, token_done, token_discard };
  work->net = peer->net;
  work->id = peer->who.id;
  work->read = peer->net->token_read;
  work->content = g_byte_array_new ();
  g_byte_array_append (work->content, content.bytes, content.length_bytes);
  lk_stream_pause (&peer->stream, TRUE);
  if (lk_worker_give (peer->net->worker, &work->work))
    return;
  token_discard (&work->work);
  peer->net->counts.crowded_count++;
  lk_net_peer_dismiss (peer, LK_FAREWELL_FULL);
}

/* ---------------------------------------------------------------- names */

typedef struct {
  LkWork work;
  LkNetOs *net;
  LkPeerId id;
  guint32 user_id;
  LkUserName name;
  gboolean is_told;
} NameWork;

static void
name_discard (LkWork *work)
{
  NameWork *self = (NameWork *)work;
  lk_user_name_clear (&self->name);
  g_free (self);
}

static void
name_ask (LkWork *work)
{
  NameWork *self = (NameWork *)work;
  self->is_told = lk_user_name_ask (self->user_id, &self->name);
}

/* The core hears of it from now on. */
static void
begin_to_hear (LkNetPeer *peer)
{
  peer->is_named = TRUE;
  lk_stream_pause (&peer->stream, FALSE);
}

static void
take_name (LkNetPeer *peer, const LkUserName *name)
{
  /* Whoever speaks by a key for a user whom this machine does not know has no group either. */
  if (!peer->attested.has_group_id && !name->is_known) {
    peer->net->counts.denied_count++;
    lk_net_note (peer->net, "user %u has a key, but is no user of this machine",
                 peer->attested.user_id);
    lk_net_peer_dismiss (peer, LK_FAREWELL_ROLE);
    return;
  }
  peer->who.group_id = peer->attested.has_group_id ? peer->attested.group_id : name->group_id;
  peer->who.name = peer->name = g_strdup (name->name);
  peer->who.groups = peer->groups = g_strdup (name->groups);
  begin_to_hear (peer);
}

static void
name_done (LkWork *work)
{
  NameWork *self = (NameWork *)work;
  LkNetPeer *peer = peer_of (self->net, self->id);
  if (self->is_told)
    lk_user_names_keep (self->net->names, self->user_id, &self->name,
                        lk_loop_now_us (self->net->loop));
  if (peer != NULL && self->is_told)
    take_name (peer, &self->name);
  else if (peer != NULL)
    lk_net_peer_dismiss (peer, LK_FAREWELL_FULL);
  name_discard (work);
}

static void
name_user (LkNetPeer *peer)
{
  const LkUserName *kept =
      lk_user_names_find (peer->net->names, peer->who.user_id, lk_loop_now_us (peer->net->loop));
  if (kept != NULL) {
    take_name (peer, kept);
    return;
  }
  NameWork *work = g_new0 (NameWork, 1);
  work->work = (LkWork){ name_ask, name_done, name_discard };
  work->net = peer->net;
  work->id = peer->who.id;
  work->user_id = peer->who.user_id;
  lk_stream_pause (&peer->stream, TRUE);
  if (lk_worker_give (peer->net->worker, &work->work))
    return;
  name_discard (&work->work);
  peer->net->counts.crowded_count++;
  lk_net_peer_dismiss (peer, LK_FAREWELL_FULL);
}

/* ---------------------------------------------------------------- peers */

/* Of two agents of a node the newer one counts: the older one's host may not even know that its
 * connection is gone. */
static void
become_agent (LkNetPeer *peer)
{
  LkNetOs *net = peer->net;
  LkNetPeer *before = g_hash_table_lookup (net->agents, peer->attested.node);
  if (before != NULL) {
    net->counts.replaced_count++;
    lk_net_peer_dismiss (before, LK_FAREWELL_REPLACED);
  }
  peer->who.name = peer->name = g_strdup (peer->attested.node);
  g_hash_table_insert (net->agents, peer->name, peer);
  begin_to_hear (peer);
}

/* A token's user is heard no longer than the token is good. */
static gint64
session_us (const LkNetPeer *peer)
{
  gint64 max_us = peer->net->limits.session_max_us;
  return peer->attested.life_us > 0 ? MIN (peer->attested.life_us, max_us) : max_us;
}

static void
become_peer (LkNetPeer *peer)
{
  LkNetOs *net = peer->net;
  net->counts.attested_count++;
  peer->is_attested = TRUE;
  g_queue_unlink (&net->anonymous, &peer->anonymous);
  peer->who.kind = peer->attested.kind;
  /* An agent of root is no user. */
  gboolean is_of_user = peer->who.kind == LK_PEER_USER || peer->who.kind == LK_PEER_JOB;
  peer->who.user_id = is_of_user ? peer->attested.user_id : LK_MUNGE_ANYONE;
  if (peer->who.kind == LK_PEER_JOB) {
    peer->who.run_id = peer->attested.run_id;
    peer->who.node = peer->attested.node;
  }
  gint64 end_us = LK_TIME_NEVER;
  if (peer->attested.method != LK_AUTH_LOCAL)
    end_us = lk_time_add_us (lk_loop_now_us (net->loop), session_us (peer));
  lk_loop_set_timer (net->loop, &peer->deadline, end_us);
  if (peer->who.kind == LK_PEER_AGENT) {
    become_agent (peer);
  } else if (peer->who.kind == LK_PEER_STANDBY) {
    begin_to_hear (peer);
  } else if (lk_net_peer_count_user (peer, peer->who.user_id)) {
    name_user (peer);
  } else {
    net->counts.crowded_count++;
    lk_net_peer_dismiss (peer, LK_FAREWELL_FULL);
  }
}

static void
refused (LkNetPeer *peer)
{
  LkFarewell why = lk_handshake_farewell (peer->handshake);
  if (why == LK_FAREWELL_GARBAGE)
    peer->net->counts.garbage_count++;
  else
    peer->net->counts.denied_count++;
  if (peer->is_local)
    lk_net_note (peer->net, "a connection of user %u was refused: %s", peer->user_id,
                 lk_farewell_text (why));
  else
    lk_net_note (peer->net, "a connection by TCP was refused: %s", lk_farewell_text (why));
  lk_stream_flush (&peer->stream);
  lk_net_peer_close (peer);
}

static void
finish (LkNetPeer *peer, LkHandshakeStep step, const GByteArray *reply)
{
  if (reply->len > 0)
    lk_stream_send (&peer->stream, reply->data, reply->len);
  switch (step) {
  case LK_HANDSHAKE_MORE:
    return;
  case LK_HANDSHAKE_CREDENTIAL:
    if (lk_handshake_method (peer->handshake) == LK_AUTH_TOKEN)
      ask_token (peer);
    else
      ask_munge (peer);
    return;
  case LK_HANDSHAKE_REFUSED:
    refused (peer);
    return;
  case LK_HANDSHAKE_DONE:
    break;
  }
  peer->attested = *lk_handshake_attested (peer->handshake);
  lk_stream_attest (&peer->stream, &peer->attested, LK_MESSAGE_MAX_BYTES);
  lk_stream_limit (&peer->stream, lk_message_max_bytes);
  lk_key_clear (&peer->attested.send_key);
  lk_key_clear (&peer->attested.receive_key);
  g_clear_pointer (&peer->handshake, lk_handshake_free);
  become_peer (peer);
}

void
lk_net_attest_begin (LkNetPeer *peer)
{
  const LkHandshakeServer options = { .keyring = peer->is_local ? NULL : peer->net->keyring,
                                      .accepts_munge = !peer->is_local && peer->net->accepts_munge,
                                      .token_key = peer->net->token_key,
                                      .is_local = peer->is_local,
                                      .user_id = peer->user_id,
                                      .group_id = peer->group_id,
                                      .trusted_user_id = peer->net->trusted_user_id };
  peer->handshake = lk_handshake_server_new (&options);
}

void
lk_net_attest_take (LkNetPeer *peer, LkBytes message)
{
  g_autoptr (GByteArray) reply = g_byte_array_new ();
  finish (peer, lk_handshake_take (peer->handshake, message, reply), reply);
}
