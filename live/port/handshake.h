/* live/port/handshake.h — how two ends of a connection come to know who is who; without I/O.
 *
 *   client                                   server
 *     HELLO (who it wants to be, nonce)  ->
 *                                        <-    CHALLENGE (nonce)              by key and by MUNGE
 *     PROOF (credential, MAC)            ->
 *                                        <-    WELCOME (MAC)                  or FAREWELL (why not)
 *
 * On a local socket the system says who the client is, and WELCOME follows HELLO.
 *
 * By key: both MACs are under the key of whom the client wants to be (auth_key.h), over HELLO and
 * CHALLENGE as they were sent.  By MUNGE: the credential holds a key that was drawn for this
 * connection, which only the controller's user can take out, and a MAC of HELLO and CHALLENGE; so
 * it is worth nothing anywhere else, and who answers under that key is the controller.  By token:
 * the credential is HEAD.BODY of a token, both MACs are under a key made from its signature
 * (auth_token.h), and only behind that somebody looks into it.  In all of these cases the frames
 * that follow are sealed (frame.h) under keys of this connection, one for each direction.
 *
 * What a nobody sends is decoded only if it is of the one kind that is awaited.  What is attested
 * is in LkAttested, and nothing that a message claims is in it unproven. */
#ifndef LK_LIVE_PORT_HANDSHAKE_H
#define LK_LIVE_PORT_HANDSHAKE_H

#include <glib.h>

#include "live/core/port_net.h"
#include "live/port/auth_key.h"

#define LK_NET_VERSION 1u

/* X (NAME, number, what it is). */
#define LK_AUTH_METHODS(X)                                                                         \
  X (LOCAL, 1, "the system attests it: a local socket")                                            \
  X (KEY, 2, "a key of the cluster")                                                               \
  X (MUNGE, 3, "a credential of MUNGE")                                                            \
  X (TOKEN, 4, "a JSON Web Token: a user only")
#define X(NAME, number, help) LK_AUTH_##NAME = number,
typedef enum { LK_AUTH_METHODS (X) } LkAuthMethod;
#undef X

/* Why a connection ends: X (NAME, number, text). */
#define LK_FAREWELLS(X)                                                                            \
  X (VERSION, 1, "the other end speaks another version")                                           \
  X (METHOD, 2, "this way of authentication is not accepted there")                                \
  X (DENIED, 3, "the key or credential is not accepted")                                           \
  X (ROLE, 4, "whoever is attested may not be what he wants to be")                                \
  X (GARBAGE, 5, "what was sent could not be read")                                                \
  X (FULL, 6, "there are too many connections")                                                    \
  X (REPLACED, 7, "another agent of the same node has connected")                                  \
  X (EXPIRED, 8, "the session is over: connect again")                                             \
  X (LATE, 9, "it has taken too long")
#define X(NAME, number, text) LK_FAREWELL_##NAME = number,
typedef enum { LK_FAREWELLS (X) } LkFarewell;
#undef X
/* "?" for a number that is none. */
const char *lk_farewell_text (guint why);

/* What the server has of the other end. Borrowed, but for the keys. */
typedef struct {
  const LkKeyring *keyring; /* NULL: no keys are accepted */
  gboolean accepts_munge;
  GBytes *token_key; /* NULL: no tokens are accepted */
  gboolean is_local; /* user_id, group_id are what the system says of the client */
  guint32 user_id;
  guint32 group_id;
  guint32 trusted_user_id; /* who besides root may be an agent or a standby without a key */
} LkHandshakeServer;

/* What the client wants. Borrowed, but for the keyring. */
typedef struct {
  LkAuthMethod method;
  LkPeerKind kind;  /* user, agent, standby or job */
  const char *node; /* of an agent, or of a job by key */
  guint32 user_id;  /* of a user or a job by key */
  guint64 run_id;   /* of a job by key */
  const LkKeyring *keyring;
  const char *token; /* by token */
} LkHandshakeClient;

/* Who is at the other end, and how what follows is sealed. */
typedef struct {
  LkPeerKind kind;
  LkAuthMethod method;
  guint32 user_id;
  guint32 group_id;
  gboolean has_group_id; /* by key nobody tells it */
  char node[256];        /* of an agent, or of a job */
  guint64 run_id;        /* of a job */
  guint64 key_id;        /* by key: of which it was made */
  gint64 life_us;        /* by token: for how long it is good; else 0 */
  LkKey send_key;        /* not on a local socket */
  LkKey receive_key;
} LkAttested;

typedef enum {
  LK_HANDSHAKE_MORE, /* the reply is to be sent, if there is one, and the next message awaited */
  LK_HANDSHAKE_CREDENTIAL, /* MUNGE is to be asked, or whose a token is: lk_handshake_credential */
  LK_HANDSHAKE_DONE,       /* the reply is to be sent; then it is as attested */
  LK_HANDSHAKE_REFUSED,    /* the reply says why, if there is one */
} LkHandshakeStep;

typedef struct _LkHandshake LkHandshake;

LkHandshake *lk_handshake_server_new (const LkHandshakeServer *options);
/* `out_message`: HELLO. Returns: (transfer full), or NULL: no key there speaks for it. */
LkHandshake *lk_handshake_client_new (const LkHandshakeClient *options, GByteArray *out_message,
                                      GError **error);
void lk_handshake_free (LkHandshake *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkHandshake, lk_handshake_free)

/* A message has come. `out_reply` is appended to. */
LkHandshakeStep lk_handshake_take (LkHandshake *self, LkBytes message, GByteArray *out_reply);

/* What MUNGE is to be asked: of the server, who sent this credential, and what is in it; of the
 * client, a credential with this in it. By token, of the server: HEAD.BODY of a token whose
 * signature is right. Valid until there is an answer. */
LkBytes lk_handshake_question (const LkHandshake *self);
LkAuthMethod lk_handshake_method (const LkHandshake *self);
/* What is answered. */
typedef struct {
  gboolean is_good;
  guint32 user_id; /* of the server only */
  guint32 group_id;
  LkBytes bytes;  /* what was in it; of the client, the credential; nothing by token */
  gint64 life_us; /* of a token */
} LkCredential;
LkHandshakeStep lk_handshake_credential (LkHandshake *self, const LkCredential *credential,
                                         GByteArray *out_reply);

/* When it is done. Valid as long as it. Of the client: kind
 * LK_PEER_CONTROLLER, and the keys; by token, as whom it is known there. */
const LkAttested *lk_handshake_attested (const LkHandshake *self);
/* When it was refused. */
LkFarewell lk_handshake_farewell (const LkHandshake *self);

/* A message that says why the connection ends. */
void lk_farewell_encode (LkFarewell why, GByteArray *out_message);
/* FALSE: it is none. */
gboolean lk_farewell_decode (LkBytes message, guint *out_why);

#endif
