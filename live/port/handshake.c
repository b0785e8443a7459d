/* live/port/handshake.c — see the header. */
#include "live/port/handshake.h"

#include <string.h>

#include "engine/assert.h"
#include "engine/bytes.h"
#include "live/port/auth_token.h"
#include "live/port/error.h"

typedef enum { AWAITS_HELLO, AWAITS_CHALLENGE, AWAITS_PROOF, AWAITS_WELCOME, ASKS, OVER } State;

struct _LkHandshake {
  State state;
  gboolean is_server;
  LkHandshakeServer server;
  LkKeyring *keyring;
  GBytes *token_key;

  LkKeySubject subject; /* whom the client wants to be; its node is attested.node */
  LkAuthMethod method;
  GByteArray *hello; /* as sent, likewise the others */
  GByteArray *challenge;
  GByteArray *question; /* for MUNGE; of a token, HEAD.BODY */
  LkMac proof;          /* of the client by MUNGE, as it came */
  LkKey key;            /* under which the ends prove themselves */

  LkAttested attested;
  LkFarewell farewell;
};

const char *
lk_farewell_text (guint why)
{
  switch (why) {
#define X(NAME, number, text)                                                                      \
  case number:                                                                                     \
    return text;
    LK_FAREWELLS (X)
#undef X
  default:
    return "?";
  }
}

void
lk_farewell_encode (LkFarewell why, GByteArray *out_message)
{
  LkMessage message = { .kind = LK_MESSAGE_FAREWELL, .farewell = { .why = (guint8)why } };
  lk_message_encode (&message, out_message);
}

/* Decodes a message of this kind only. */
static gboolean
decode (LkBytes bytes, LkMessageKind kind, LkMessage *out_message)
{
  return bytes.length_bytes > 0 && bytes.bytes[0] == kind
         && lk_message_decode (bytes.bytes, bytes.length_bytes, out_message);
}

gboolean
lk_farewell_decode (LkBytes bytes, guint *out_why)
{
  LkMessage message;
  if (!decode (bytes, LK_MESSAGE_FAREWELL, &message))
    return FALSE;
  *out_why = message.farewell.why;
  return TRUE;
}

void
lk_handshake_free (LkHandshake *self)
{
  if (self == NULL)
    return;
  lk_keyring_unref (self->keyring);
  g_clear_pointer (&self->token_key, g_bytes_unref);
  g_byte_array_unref (self->hello);
  g_byte_array_unref (self->challenge);
  if (self->question->len > 0)
    explicit_bzero (self->question->data, self->question->len);
  g_byte_array_unref (self->question);
  explicit_bzero (self, sizeof *self);
  g_free (self);
}

static LkHandshake *
handshake_new (const LkKeyring *keyring)
{
  LkHandshake *self = g_new0 (LkHandshake, 1);
  self->keyring = keyring != NULL ? lk_keyring_ref ((LkKeyring *)keyring) : NULL;
  self->hello = g_byte_array_new ();
  self->challenge = g_byte_array_new ();
  self->question = g_byte_array_new ();
  self->subject.node = self->attested.node;
  return self;
}

/* ---------------------------------------------------------------- what both ends compute */

static LkBytes
bytes_of (const GByteArray *array)
{
  return (LkBytes){ array->data, array->len };
}

#define PROVES_CLIENT "lockstep client"
#define PROVES_SERVER "lockstep server"
#define BINDS_CREDENTIAL "lockstep credential"

/* What was said so far, under a name for what it proves. */
static LkMac
mac_of (const LkHandshake *self, const LkKey *key, const char *what)
{
  const LkBytes pieces[] = { lk_bytes_of_text (what), bytes_of (self->hello),
                             bytes_of (self->challenge) };
  return lk_mac (key, pieces, G_N_ELEMENTS (pieces));
}

/* What the server proves with, and what it says of the client. */
static LkMac
mac_of_welcome (const LkHandshake *self, const LkMessage_welcome *welcome)
{
  guint8 who[8];
  lk_put_u32 (who, welcome->user_id);
  lk_put_u32 (who + 4, welcome->group_id);
  const LkBytes pieces[] = { lk_bytes_of_text (PROVES_SERVER),
                             bytes_of (self->hello),
                             bytes_of (self->challenge),
                             { who, sizeof who } };
  return lk_mac (&self->key, pieces, G_N_ELEMENTS (pieces));
}

static void
make_session (LkHandshake *self)
{
  const LkBytes said[] = { bytes_of (self->hello), bytes_of (self->challenge) };
  LkKey session = lk_mac_key (&self->key, "lockstep session", said, G_N_ELEMENTS (said));
  LkKey up = lk_mac_key (&session, "client to server", NULL, 0);
  LkKey down = lk_mac_key (&session, "server to client", NULL, 0);
  self->attested.send_key = self->is_server ? down : up;
  self->attested.receive_key = self->is_server ? up : down;
  lk_key_clear (&session);
  lk_key_clear (&up);
  lk_key_clear (&down);
}

static void
encode (const LkMessage *message, GByteArray *keep, GByteArray *out_reply)
{
  guint begin = out_reply->len;
  lk_message_encode (message, out_reply);
  if (keep != NULL)
    g_byte_array_append (keep, out_reply->data + begin, out_reply->len - begin);
}

static void
put_nonce (guint8 *nonce, LkBytes *out_bytes)
{
  lk_random_fill (nonce, LK_NONCE_BYTES);
  *out_bytes = (LkBytes){ nonce, LK_NONCE_BYTES };
}

static LkHandshakeStep
refuse (LkHandshake *self, LkFarewell why, GByteArray *out_reply)
{
  self->state = OVER;
  self->farewell = why;
  if (self->is_server)
    lk_farewell_encode (why, out_reply);
  return LK_HANDSHAKE_REFUSED;
}

/* ---------------------------------------------------------------- the server */

LkHandshake *
lk_handshake_server_new (const LkHandshakeServer *options)
{
  LkHandshake *self = handshake_new (options->keyring);
  self->is_server = TRUE;
  self->server = *options;
  self->server.keyring = NULL;
  self->server.token_key = NULL;
  if (options->token_key != NULL)
    self->token_key = g_bytes_ref (options->token_key);
  self->state = AWAITS_HELLO;
  return self;
}

static gboolean
is_accepted (const LkHandshake *self, guint method)
{
  switch (method) {
  case LK_AUTH_LOCAL:
    return self->server.is_local;
  case LK_AUTH_KEY:
    return self->keyring != NULL;
  case LK_AUTH_MUNGE:
    return self->server.accepts_munge;
  case LK_AUTH_TOKEN:
    return self->token_key != NULL;
  default:
    return FALSE;
  }
}

static gboolean
take_node (LkHandshake *self, const char *name, gsize length_bytes)
{
  if (length_bytes >= sizeof self->attested.node || !lk_node_name_is_valid (name, length_bytes))
    return FALSE;
  memcpy (self->attested.node, name, length_bytes);
  return TRUE;
}

/* RUN/NODE */
static gboolean
take_run (LkHandshake *self, LkText name)
{
  const char *slash = name.length_bytes > 0 ? memchr (name.bytes, '/', name.length_bytes) : NULL;
  if (slash == NULL)
    return FALSE;
  gsize number_bytes = (gsize)(slash - name.bytes);
  g_autofree char *number = g_strndup (name.bytes, number_bytes);
  return g_ascii_string_to_unsigned (number, 10, 1, G_MAXUINT64, &self->subject.run_id, NULL)
         && take_node (self, slash + 1, name.length_bytes - number_bytes - 1);
}

/* Is it somebody whom one may want to be? Keeps who. A token is a user's, whoever that is; only a
 * key attests a job. */
static gboolean
take_subject (LkHandshake *self, const LkMessage_hello *hello)
{
  if (hello->method == LK_AUTH_TOKEN && hello->peer != LK_PEER_USER)
    return FALSE;
  self->subject.kind = (LkPeerKind)hello->peer;
  self->subject.user_id = hello->user_id;
  switch (hello->peer) {
  case LK_PEER_USER:
  case LK_PEER_STANDBY:
    return hello->node.length_bytes == 0;
  case LK_PEER_AGENT:
    return take_node (self, hello->node.bytes, hello->node.length_bytes);
  case LK_PEER_JOB:
    return hello->method == LK_AUTH_KEY && take_run (self, hello->node);
  default:
    return FALSE;
  }
}

/* A standby fences the controller by its term.  For MUNGE root of any node is root here, so that a
 * standby needs a key or a local socket. */
static gboolean
may_be_subject (const LkHandshake *self, guint32 user_id)
{
  if (self->subject.kind == LK_PEER_USER)
    return TRUE;
  if (self->subject.kind == LK_PEER_STANDBY && self->method == LK_AUTH_MUNGE)
    return FALSE;
  return user_id == 0 || user_id == self->server.trusted_user_id;
}

/* Whom the system, MUNGE or a token attests may be a user; who may be more is trusted. */
static LkHandshakeStep
welcome_user (LkHandshake *self, guint32 user_id, guint32 group_id, GByteArray *out_reply)
{
  LkMessage message = { .kind = LK_MESSAGE_WELCOME };
  LkMac mac;
  if (!may_be_subject (self, user_id))
    return refuse (self, LK_FAREWELL_ROLE, out_reply);
  self->attested.user_id = user_id;
  self->attested.group_id = group_id;
  self->attested.has_group_id = TRUE;
  if (self->method == LK_AUTH_TOKEN) {
    message.welcome.user_id = user_id;
    message.welcome.group_id = group_id;
  }
  if (self->method != LK_AUTH_LOCAL) {
    mac = mac_of_welcome (self, &message.welcome);
    message.welcome.mac = (LkBytes){ mac.bytes, sizeof mac.bytes };
    make_session (self);
  }
  self->attested.kind = self->subject.kind;
  self->attested.method = self->method;
  encode (&message, NULL, out_reply);
  self->state = OVER;
  return LK_HANDSHAKE_DONE;
}

static LkHandshakeStep
take_hello (LkHandshake *self, LkBytes bytes, GByteArray *out_reply)
{
  LkMessage message;
  if (!decode (bytes, LK_MESSAGE_HELLO, &message))
    return refuse (self, LK_FAREWELL_GARBAGE, out_reply);
  const LkMessage_hello *hello = &message.hello;
  if (hello->version != LK_NET_VERSION)
    return refuse (self, LK_FAREWELL_VERSION, out_reply);
  if (!is_accepted (self, hello->method))
    return refuse (self, LK_FAREWELL_METHOD, out_reply);
  if (!take_subject (self, hello))
    return refuse (self, LK_FAREWELL_ROLE, out_reply);
  self->method = (LkAuthMethod)hello->method;
  if (self->method == LK_AUTH_LOCAL)
    return welcome_user (self, self->server.user_id, self->server.group_id, out_reply);
  if (hello->nonce.length_bytes != LK_NONCE_BYTES)
    return refuse (self, LK_FAREWELL_GARBAGE, out_reply);
  g_byte_array_append (self->hello, bytes.bytes, bytes.length_bytes);
  guint8 nonce[LK_NONCE_BYTES];
  LkMessage challenge = { .kind = LK_MESSAGE_CHALLENGE };
  put_nonce (nonce, &challenge.challenge.nonce);
  encode (&challenge, self->challenge, out_reply);
  self->state = AWAITS_PROOF;
  return LK_HANDSHAKE_MORE;
}

/* Which of our keys was it? */
static LkHandshakeStep
take_key_proof (LkHandshake *self, const LkMessage_proof *proof, GByteArray *out_reply)
{
  gboolean is_good = FALSE;
  for (guint i = 0; !is_good && i < lk_keyring_count (self->keyring); i++) {
    if (!lk_keyring_key (self->keyring, i, &self->subject, &self->key))
      continue;
    LkMac mac = mac_of (self, &self->key, PROVES_CLIENT);
    is_good = lk_mac_is (&mac, proof->mac);
    self->attested.key_id = lk_keyring_id (self->keyring, i);
  }
  if (!is_good)
    return refuse (self, LK_FAREWELL_DENIED, out_reply);
  LkMessage message = { .kind = LK_MESSAGE_WELCOME };
  LkMac mac = mac_of_welcome (self, &message.welcome);
  message.welcome.mac = (LkBytes){ mac.bytes, sizeof mac.bytes };
  make_session (self);
  self->attested.kind = self->subject.kind;
  self->attested.method = LK_AUTH_KEY;
  gboolean is_of_user = self->subject.kind == LK_PEER_USER || self->subject.kind == LK_PEER_JOB;
  self->attested.user_id = is_of_user ? self->subject.user_id : 0;
  self->attested.run_id = self->subject.run_id;
  encode (&message, NULL, out_reply);
  self->state = OVER;
  return LK_HANDSHAKE_DONE;
}

/* The key of a connection by token. */
static LkKey
token_key (LkKey *signature)
{
  LkKey key = lk_mac_key (signature, "lockstep token", NULL, 0);
  lk_key_clear (signature);
  return key;
}

/* Whoever has the signature that we make of it has got it from who has our key. */
static LkHandshakeStep
take_token_proof (LkHandshake *self, const LkMessage_proof *proof, GByteArray *out_reply)
{
  if (proof->credential.length_bytes == 0 || proof->credential.length_bytes > LK_TOKEN_MAX_BYTES)
    return refuse (self, LK_FAREWELL_GARBAGE, out_reply);
  LkKey signature = lk_token_signature (self->token_key, proof->credential);
  self->key = token_key (&signature);
  LkMac mac = mac_of (self, &self->key, PROVES_CLIENT);
  if (!lk_mac_is (&mac, proof->mac))
    return refuse (self, LK_FAREWELL_DENIED, out_reply);
  g_byte_array_append (self->question, proof->credential.bytes, proof->credential.length_bytes);
  self->state = ASKS;
  return LK_HANDSHAKE_CREDENTIAL;
}

static LkHandshakeStep
take_proof (LkHandshake *self, LkBytes bytes, GByteArray *out_reply)
{
  LkMessage message;
  if (!decode (bytes, LK_MESSAGE_PROOF, &message) || message.proof.mac.length_bytes != LK_MAC_BYTES)
    return refuse (self, LK_FAREWELL_GARBAGE, out_reply);
  const LkMessage_proof *proof = &message.proof;
  if (self->method == LK_AUTH_KEY)
    return take_key_proof (self, proof, out_reply);
  if (self->method == LK_AUTH_TOKEN)
    return take_token_proof (self, proof, out_reply);
  /* A text without an end in it: MUNGE reads it as one. */
  if (proof->credential.length_bytes == 0
      || memchr (proof->credential.bytes, 0, proof->credential.length_bytes) != NULL)
    return refuse (self, LK_FAREWELL_GARBAGE, out_reply);
  memcpy (self->proof.bytes, proof->mac.bytes, sizeof self->proof.bytes);
  g_byte_array_append (self->question, proof->credential.bytes, proof->credential.length_bytes);
  self->state = ASKS;
  return LK_HANDSHAKE_CREDENTIAL;
}

/* The key of the connection, and the MAC that binds it to the connection. */
#define CREDENTIAL_BYTES (LK_KEY_BYTES + LK_MAC_BYTES)

static LkHandshakeStep
credential_decoded (LkHandshake *self, const LkCredential *credential, GByteArray *out_reply)
{
  if (!credential->is_good || credential->bytes.length_bytes != CREDENTIAL_BYTES)
    return refuse (self, LK_FAREWELL_DENIED, out_reply);
  const guint8 *bytes = credential->bytes.bytes;
  memcpy (self->key.bytes, bytes, LK_KEY_BYTES);
  LkMac binding = mac_of (self, &self->key, BINDS_CREDENTIAL);
  LkMac proof = mac_of (self, &self->key, PROVES_CLIENT);
  if (!lk_mac_is (&binding, (LkBytes){ bytes + LK_KEY_BYTES, LK_MAC_BYTES })
      || !lk_mac_is (&proof, (LkBytes){ self->proof.bytes, LK_MAC_BYTES }))
    return refuse (self, LK_FAREWELL_DENIED, out_reply);
  return welcome_user (self, credential->user_id, credential->group_id, out_reply);
}

static LkHandshakeStep
token_read (LkHandshake *self, const LkCredential *credential, GByteArray *out_reply)
{
  if (!credential->is_good)
    return refuse (self, LK_FAREWELL_DENIED, out_reply);
  self->attested.life_us = credential->life_us;
  return welcome_user (self, credential->user_id, credential->group_id, out_reply);
}

/* ---------------------------------------------------------------- the client */

/* Keeps what of the token is sent, and the key that the rest makes. */
static gboolean
take_token (LkHandshake *self, const char *token, GError **error)
{
  LkBytes content;
  LkKey signature;
  if (!lk_token_split (token, &content, &signature, error))
    return FALSE;
  g_byte_array_append (self->question, content.bytes, content.length_bytes);
  self->key = token_key (&signature);
  return TRUE;
}

/* Who it wants to be. FALSE: a node has no such name, or no key speaks for it. */
static gboolean
settle_subject (LkHandshake *self, const LkHandshakeClient *options, GError **error)
{
  static const char *const names[] = {
    [LK_PEER_USER] = "this user", [LK_PEER_STANDBY] = "a standby", [LK_PEER_JOB] = "this job"
  };
  const char *node = options->node != NULL ? options->node : "";
  gboolean has_node = options->kind == LK_PEER_AGENT || options->kind == LK_PEER_JOB;
  if (has_node && !lk_node_name_is_valid (node, strlen (node))) {
    g_set_error (error, LK_PORT_ERROR, LK_PORT_ERROR_USAGE, "'%s' is no name of a node", node);
    return FALSE;
  }
  if (has_node)
    g_strlcpy (self->attested.node, node, sizeof self->attested.node);
  self->method = options->method;
  self->subject.kind = options->kind;
  self->subject.user_id = options->user_id;
  self->subject.run_id = options->run_id;
  gboolean has_key = FALSE;
  for (guint i = 0; self->keyring != NULL && !has_key && i < lk_keyring_count (self->keyring); i++)
    has_key = lk_keyring_key (self->keyring, i, &self->subject, &self->key);
  if (self->method != LK_AUTH_KEY || has_key)
    return TRUE;
  g_set_error (error, LK_PORT_ERROR, LK_PORT_ERROR_REFUSED,
               "there is no key here that speaks for %s",
               options->kind == LK_PEER_AGENT ? node : names[options->kind]);
  return FALSE;
}

LkHandshake *
lk_handshake_client_new (const LkHandshakeClient *options, GByteArray *out_message, GError **error)
{
  g_autoptr (LkHandshake) self = handshake_new (options->keyring);
  guint8 nonce[LK_NONCE_BYTES];
  LkMessage message = { .kind = LK_MESSAGE_HELLO,
                        .hello = { .version = LK_NET_VERSION,
                                   .peer = (guint8)options->kind,
                                   .method = (guint8)options->method,
                                   .user_id = options->user_id } };
  if (!settle_subject (self, options, error))
    return NULL;
  g_autofree char *run =
      options->kind == LK_PEER_JOB
          ? g_strdup_printf ("%" G_GUINT64_FORMAT "/%s", options->run_id, self->attested.node)
          : NULL;
  message.hello.node = lk_text (run != NULL ? run : self->attested.node);
  if (self->method == LK_AUTH_TOKEN && !take_token (self, options->token, error))
    return NULL;
  put_nonce (nonce, &message.hello.nonce);
  encode (&message, self->hello, out_message);
  self->state = self->method == LK_AUTH_LOCAL ? AWAITS_WELCOME : AWAITS_CHALLENGE;
  return g_steal_pointer (&self);
}

static LkHandshakeStep
send_proof (LkHandshake *self, LkBytes credential, GByteArray *out_reply)
{
  LkMac mac = mac_of (self, &self->key, PROVES_CLIENT);
  LkMessage message = { .kind = LK_MESSAGE_PROOF,
                        .proof = { credential, { mac.bytes, sizeof mac.bytes } } };
  encode (&message, NULL, out_reply);
  self->state = AWAITS_WELCOME;
  return LK_HANDSHAKE_MORE;
}

static LkHandshakeStep
take_challenge (LkHandshake *self, LkBytes bytes, GByteArray *out_reply)
{
  LkMessage message;
  if (!decode (bytes, LK_MESSAGE_CHALLENGE, &message)
      || message.challenge.nonce.length_bytes != LK_NONCE_BYTES)
    return refuse (self, LK_FAREWELL_GARBAGE, out_reply);
  g_byte_array_append (self->challenge, bytes.bytes, bytes.length_bytes);
  if (self->method == LK_AUTH_KEY)
    return send_proof (self, (LkBytes){ 0 }, out_reply);
  if (self->method == LK_AUTH_TOKEN)
    return send_proof (self, bytes_of (self->question), out_reply);
  lk_random_fill (self->key.bytes, sizeof self->key.bytes);
  LkMac binding = mac_of (self, &self->key, BINDS_CREDENTIAL);
  g_byte_array_append (self->question, self->key.bytes, sizeof self->key.bytes);
  g_byte_array_append (self->question, binding.bytes, sizeof binding.bytes);
  self->state = ASKS;
  return LK_HANDSHAKE_CREDENTIAL;
}

static LkHandshakeStep
credential_made (LkHandshake *self, const LkCredential *credential, GByteArray *out_reply)
{
  if (!credential->is_good)
    return refuse (self, LK_FAREWELL_DENIED, out_reply);
  return send_proof (self, credential->bytes, out_reply);
}

static LkHandshakeStep
take_welcome (LkHandshake *self, LkBytes bytes, GByteArray *out_reply)
{
  LkMessage message;
  if (!decode (bytes, LK_MESSAGE_WELCOME, &message))
    return refuse (self, LK_FAREWELL_GARBAGE, out_reply);
  if (self->method != LK_AUTH_LOCAL) {
    LkMac mac = mac_of_welcome (self, &message.welcome);
    if (!lk_mac_is (&mac, message.welcome.mac))
      return refuse (self, LK_FAREWELL_DENIED, out_reply);
    make_session (self);
  }
  self->attested.kind = LK_PEER_CONTROLLER;
  self->attested.user_id = message.welcome.user_id;
  self->attested.group_id = message.welcome.group_id;
  self->attested.method = self->method;
  self->state = OVER;
  return LK_HANDSHAKE_DONE;
}

/* ---------------------------------------------------------------- both */

LkHandshakeStep
lk_handshake_take (LkHandshake *self, LkBytes message, GByteArray *out_reply)
{
  guint why;
  if (!self->is_server && lk_farewell_decode (message, &why)) {
    self->state = OVER;
    self->farewell = why >= LK_FAREWELL_VERSION && why <= LK_FAREWELL_LATE ? (LkFarewell)why
                                                                           : LK_FAREWELL_GARBAGE;
    return LK_HANDSHAKE_REFUSED;
  }
  switch (self->state) {
  case AWAITS_HELLO:
    return take_hello (self, message, out_reply);
  case AWAITS_PROOF:
    return take_proof (self, message, out_reply);
  case AWAITS_CHALLENGE:
    return take_challenge (self, message, out_reply);
  case AWAITS_WELCOME:
    return take_welcome (self, message, out_reply);
  case ASKS:
  case OVER:
    break;
  }
  return refuse (self, LK_FAREWELL_GARBAGE, out_reply);
}

LkBytes
lk_handshake_question (const LkHandshake *self)
{
  LK_ASSERT (self->state == ASKS);
  return bytes_of (self->question);
}

LkAuthMethod
lk_handshake_method (const LkHandshake *self)
{
  return self->method;
}

LkHandshakeStep
lk_handshake_credential (LkHandshake *self, const LkCredential *credential, GByteArray *out_reply)
{
  LK_ASSERT (self->state == ASKS);
  if (!self->is_server)
    return credential_made (self, credential, out_reply);
  return self->method == LK_AUTH_TOKEN ? token_read (self, credential, out_reply)
                                       : credential_decoded (self, credential, out_reply);
}

const LkAttested *
lk_handshake_attested (const LkHandshake *self)
{
  LK_ASSERT (self->state == OVER);
  LK_ASSERT (self->farewell == 0);
  return &self->attested;
}

LkFarewell
lk_handshake_farewell (const LkHandshake *self)
{
  LK_ASSERT (self->farewell != 0);
  return self->farewell;
}
