/* tests/live/handshake_test.c — the two ends of a handshake, without sockets: who becomes whom, and
 * what somebody in between can do, which is nothing. */
#include "live/port/handshake.h"

#include <string.h>

#include "live/port/frame.h"
#include "tests/live/assert_bytes.h"

#define HEX_A "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"
#define HEX_B "ff112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"
#define CLUSTER_A "lockstep-key-1 cluster " HEX_A "\n"
#define CLUSTER_B "lockstep-key-1 cluster " HEX_B "\n"
#define TRUSTED 500u

typedef struct {
  LkHandshake *client;
  LkHandshake *server;
  LkHandshakeStep client_step;
  LkHandshakeStep server_step;
  GByteArray *said[4]; /* HELLO, CHALLENGE, PROOF, WELCOME or FAREWELL, as they went */
  guint said_count;
} Pair;

static LkKeyring *
keys (const char *text)
{
  LkKeyring *keyring = lk_keyring_parse (text, strlen (text), NULL);
  g_assert_nonnull (keyring);
  return keyring;
}

static LkBytes
bytes_of (const GByteArray *array)
{
  return (LkBytes){ array->data, array->len };
}

static GByteArray *
say (Pair *pair)
{
  g_assert_cmpuint (pair->said_count, <, G_N_ELEMENTS (pair->said));
  return pair->said[pair->said_count++] = g_byte_array_new ();
}

static void
pair_init (Pair *pair, const LkHandshakeServer *server, const LkHandshakeClient *client)
{
  g_autoptr (GError) error = NULL;
  *pair = (Pair){ .client_step = LK_HANDSHAKE_MORE, .server_step = LK_HANDSHAKE_MORE };
  pair->server = lk_handshake_server_new (server);
  pair->client = lk_handshake_client_new (client, say (pair), &error);
  g_assert_no_error (error);
}

/* Until nobody has anything to say. */
static void
pair_run (Pair *pair)
{
  for (;;) {
    const GByteArray *heard = pair->said[pair->said_count - 1];
    gboolean is_server = pair->said_count % 2 == 1;
    GByteArray *reply = g_byte_array_new ();
    LkHandshakeStep step =
        lk_handshake_take (is_server ? pair->server : pair->client, bytes_of (heard), reply);
    *(is_server ? &pair->server_step : &pair->client_step) = step;
    if (reply->len == 0) {
      g_byte_array_unref (reply);
      return;
    }
    g_assert_cmpuint (pair->said_count, <, G_N_ELEMENTS (pair->said));
    pair->said[pair->said_count++] = reply;
  }
}

static void
pair_clear (Pair *pair)
{
  lk_handshake_free (pair->client);
  lk_handshake_free (pair->server);
  for (guint i = 0; i < pair->said_count; i++)
    g_byte_array_unref (pair->said[i]);
}

static void
assert_done (const Pair *pair)
{
  g_assert_cmpint (pair->server_step, ==, LK_HANDSHAKE_DONE);
  g_assert_cmpint (pair->client_step, ==, LK_HANDSHAKE_DONE);
  g_assert_cmpint (lk_handshake_attested (pair->client)->kind, ==, LK_PEER_CONTROLLER);
}

static void
assert_refused (const Pair *pair, LkFarewell why)
{
  g_assert_cmpint (pair->server_step, ==, LK_HANDSHAKE_REFUSED);
  g_assert_cmpint (lk_handshake_farewell (pair->server), ==, why);
  g_assert_cmpint (pair->client_step, ==, LK_HANDSHAKE_REFUSED);
  g_assert_cmpint (lk_handshake_farewell (pair->client), ==, why);
}

/* ---------------------------------------------------------------- local sockets */

static void
test_local (void)
{
  static const struct {
    guint32 user_id;
    LkPeerKind kind;
    gboolean may;
  } rows[] = {
    { 1001, LK_PEER_USER, TRUE },
    { 1001, LK_PEER_AGENT, FALSE },
    { 1001, LK_PEER_STANDBY, FALSE },
    { 1001, LK_PEER_CONTROLLER, FALSE },
    { 1001, LK_PEER_ANONYMOUS, FALSE },
    { 0, LK_PEER_USER, TRUE },
    { 0, LK_PEER_AGENT, TRUE },
    { 0, LK_PEER_STANDBY, TRUE },
    { 0, LK_PEER_CONTROLLER, FALSE },
    { TRUSTED, LK_PEER_USER, TRUE },
    { TRUSTED, LK_PEER_AGENT, TRUE },
    { TRUSTED, LK_PEER_STANDBY, TRUE },
    { TRUSTED, LK_PEER_CONTROLLER, FALSE },
  };
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    const LkHandshakeServer server = {
      .is_local = TRUE, .user_id = rows[i].user_id, .group_id = 77, .trusted_user_id = TRUSTED
    };
    /* Whatever user it claims to be is not read. */
    const LkHandshakeClient client = {
      .method = LK_AUTH_LOCAL, .kind = rows[i].kind, .node = "n1", .user_id = 0
    };
    Pair pair;
    pair_init (&pair, &server, &client);
    pair_run (&pair);
    if (rows[i].may) {
      const LkAttested *attested = lk_handshake_attested (pair.server);
      assert_done (&pair);
      g_assert_cmpint (attested->kind, ==, rows[i].kind);
      g_assert_cmpuint (attested->user_id, ==, rows[i].user_id);
      g_assert_cmpuint (attested->group_id, ==, 77);
      g_assert_cmpstr (attested->node, ==, rows[i].kind == LK_PEER_AGENT ? "n1" : "");
    } else {
      assert_refused (&pair, LK_FAREWELL_ROLE);
    }
    pair_clear (&pair);
  }
}

/* ---------------------------------------------------------------- keys */

/* Frames of both ends, across. */
static void
assert_sealed (const Pair *pair)
{
  const LkAttested *ends[] = { lk_handshake_attested (pair->client),
                               lk_handshake_attested (pair->server) };
  g_assert_cmpint (memcmp (&ends[0]->send_key, &ends[0]->receive_key, sizeof (LkKey)), !=, 0);
  for (guint i = 0; i < 2; i++)
    g_assert_cmpint (memcmp (&ends[i]->send_key, &ends[1 - i]->receive_key, sizeof (LkKey)), ==, 0);
}

static void
test_key (void)
{
  g_autoptr (LkKeyring) keyring = keys (CLUSTER_A);
  static const LkPeerKind kinds[] = { LK_PEER_USER, LK_PEER_AGENT, LK_PEER_STANDBY };
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++) {
    const LkHandshakeServer server = { .keyring = keyring };
    const LkHandshakeClient client = {
      .method = LK_AUTH_KEY, .kind = kinds[i], .node = "n1", .user_id = 1001, .keyring = keyring
    };
    Pair pair;
    pair_init (&pair, &server, &client);
    pair_run (&pair);
    assert_done (&pair);
    assert_sealed (&pair);
    const LkAttested *attested = lk_handshake_attested (pair.server);
    g_assert_cmpint (attested->kind, ==, kinds[i]);
    g_assert_false (attested->has_group_id);
    if (kinds[i] == LK_PEER_USER)
      g_assert_cmpuint (attested->user_id, ==, 1001);
    g_assert_true (lk_keyring_has_id (keyring, attested->key_id));
    pair_clear (&pair);
  }
}

/* A process in a job is attested as that: whose, in which run, and on which node. */
static void
test_job_key (void)
{
  static const char *const forged[] = { "job 18 1001 n1", "job 17 0 n1", "job 17 1001 n2",
                                        "user 1001", "agent n1" };
  const LkKeySubject job = { LK_PEER_JOB, "n1", 1001, 17 };
  g_autoptr (LkKeyring) cluster = keys (CLUSTER_A);
  g_autofree char *text = lk_keyring_derive (cluster, &job, NULL);
  g_autoptr (LkKeyring) theirs = keys (text);
  const LkHandshakeServer server = { .keyring = cluster };
  LkHandshakeClient client = { .method = LK_AUTH_KEY,
                               .kind = LK_PEER_JOB,
                               .node = "n1",
                               .user_id = 1001,
                               .run_id = 17,
                               .keyring = theirs };
  Pair pair;
  pair_init (&pair, &server, &client);
  pair_run (&pair);
  assert_done (&pair);
  assert_sealed (&pair);
  const LkAttested *attested = lk_handshake_attested (pair.server);
  g_assert_cmpint (attested->kind, ==, LK_PEER_JOB);
  g_assert_cmpuint (attested->user_id, ==, 1001);
  g_assert_cmpuint (attested->run_id, ==, 17);
  g_assert_cmpstr (attested->node, ==, "n1");
  pair_clear (&pair);
  for (guint i = 0; i < G_N_ELEMENTS (forged); i++) {
    g_autofree char *line = g_strdup_printf ("lockstep-key-1 %s%s", forged[i], strrchr (text, ' '));
    g_autoptr (LkKeyring) ring = keys (line);
    LkKeySubject subject = { .user_id = 1001, .node = "n1" };
    client.keyring = ring;
    if (lk_keyring_job (ring, &subject))
      client.kind = LK_PEER_JOB;
    else
      client.kind = i == 3 ? LK_PEER_USER : LK_PEER_AGENT;
    client.node = client.kind == LK_PEER_USER ? NULL : subject.node;
    client.user_id = subject.user_id;
    client.run_id = subject.run_id;
    pair_init (&pair, &server, &client);
    pair_run (&pair);
    assert_refused (&pair, LK_FAREWELL_DENIED);
    pair_clear (&pair);
  }
}

/* Each pair of keys of client and server. */
static void
test_two_keys (void)
{
  static const struct {
    const char *client;
    const char *server;
    gboolean fits;
  } rows[] = {
    { CLUSTER_A, CLUSTER_A, TRUE },
    { CLUSTER_A, CLUSTER_B, FALSE },
    /* The controller has the new key and the old one. */
    { CLUSTER_A, CLUSTER_B CLUSTER_A, TRUE },
    { CLUSTER_B, CLUSTER_B CLUSTER_A, TRUE },
    { CLUSTER_B CLUSTER_A, CLUSTER_B CLUSTER_A, TRUE },
    /* And then the new one only. */
    { CLUSTER_B CLUSTER_A, CLUSTER_B, TRUE },
    { CLUSTER_A CLUSTER_B, CLUSTER_B, FALSE },
  };
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autoptr (LkKeyring) ours = keys (rows[i].server);
    g_autoptr (LkKeyring) theirs = keys (rows[i].client);
    const LkHandshakeServer server = { .keyring = ours };
    const LkHandshakeClient client = { .method = LK_AUTH_KEY,
                                       .kind = LK_PEER_STANDBY,
                                       .keyring = theirs };
    Pair pair;
    pair_init (&pair, &server, &client);
    pair_run (&pair);
    if (rows[i].fits)
      assert_done (&pair);
    else
      assert_refused (&pair, LK_FAREWELL_DENIED);
    pair_clear (&pair);
  }
}

/* The key of a node is no key of another node, nor of a user or a standby: not even for somebody
 * who takes its bytes for those of another key. */
static void
test_key_of_another (void)
{
  static const struct {
    LkKeySubject subject;
    const char *word;
  } others[] = {
    { { .kind = LK_PEER_AGENT, .node = "n2" }, "agent n2" },
    { { .kind = LK_PEER_USER, .user_id = 0 }, "user 0" },
    { { .kind = LK_PEER_STANDBY }, "standby" },
    { { .kind = LK_PEER_AGENT, .node = "n3" }, "cluster" },
  };
  const LkKeySubject n1 = { .kind = LK_PEER_AGENT, .node = "n1" };
  g_autoptr (LkKeyring) cluster = keys (CLUSTER_A);
  g_autofree char *text = lk_keyring_derive (cluster, &n1, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (others); i++) {
    g_autofree char *forged =
        g_strdup_printf ("lockstep-key-1 %s%s", others[i].word, strrchr (text, ' '));
    g_autoptr (LkKeyring) theirs = keys (forged);
    const LkHandshakeServer server = { .keyring = cluster };
    const LkHandshakeClient client = { .method = LK_AUTH_KEY,
                                       .kind = others[i].subject.kind,
                                       .node = others[i].subject.node,
                                       .user_id = others[i].subject.user_id,
                                       .keyring = theirs };
    Pair pair;
    pair_init (&pair, &server, &client);
    pair_run (&pair);
    assert_refused (&pair, LK_FAREWELL_DENIED);
    pair_clear (&pair);
  }
}

static void
test_no_key (void)
{
  g_autoptr (LkKeyring) keyring = keys ("lockstep-key-1 agent n1 " HEX_A);
  g_autoptr (GByteArray) hello = g_byte_array_new ();
  LkHandshakeClient client = {
    .method = LK_AUTH_KEY, .kind = LK_PEER_AGENT, .node = "n2", .keyring = keyring
  };
  g_assert_null (lk_handshake_client_new (&client, hello, NULL));
  client.node = "n/1";
  g_assert_null (lk_handshake_client_new (&client, hello, NULL));
  client.keyring = NULL;
  client.kind = LK_PEER_USER;
  g_assert_null (lk_handshake_client_new (&client, hello, NULL));
  g_assert_cmpuint (hello->len, ==, 0);
}

/* ---------------------------------------------------------------- what a server accepts */

static void
test_methods (void)
{
  g_autoptr (LkKeyring) keyring = keys (CLUSTER_A);
  static const LkAuthMethod methods[] = { LK_AUTH_LOCAL, LK_AUTH_KEY, LK_AUTH_MUNGE };
  for (guint accepted = 0; accepted < 8; accepted++)
    for (guint i = 0; i < G_N_ELEMENTS (methods); i++) {
      const LkHandshakeServer server = { .keyring = (accepted & 2) != 0 ? keyring : NULL,
                                         .accepts_munge = (accepted & 4) != 0,
                                         .is_local = (accepted & 1) != 0,
                                         .user_id = 1001 };
      const LkHandshakeClient client = { .method = methods[i],
                                         .kind = LK_PEER_USER,
                                         .keyring = keyring };
      Pair pair;
      pair_init (&pair, &server, &client);
      g_autoptr (GByteArray) reply = g_byte_array_new ();
      LkHandshakeStep step = lk_handshake_take (pair.server, bytes_of (pair.said[0]), reply);
      g_assert_cmpint (step == LK_HANDSHAKE_REFUSED, ==, (accepted & 1u << i) == 0);
      if (step == LK_HANDSHAKE_REFUSED)
        g_assert_cmpint (lk_handshake_farewell (pair.server), ==, LK_FAREWELL_METHOD);
      pair_clear (&pair);
    }
}

/* What may be wrong with a HELLO. */
static void
test_hello (void)
{
  static const guint8 nonce[LK_NONCE_BYTES];
#define NONCE                                                                                      \
  {                                                                                                \
    nonce, LK_NONCE_BYTES                                                                          \
  }
  static const struct {
    LkMessage_hello hello;
    LkFarewell why;
  } rows[] = {
    { { 2, LK_PEER_USER, LK_AUTH_KEY, 1, { "", 0 }, NONCE }, LK_FAREWELL_VERSION },
    { { 0, LK_PEER_USER, LK_AUTH_KEY, 1, { "", 0 }, NONCE }, LK_FAREWELL_VERSION },
    { { 1, LK_PEER_USER, 0, 1, { "", 0 }, NONCE }, LK_FAREWELL_METHOD },
    { { 1, LK_PEER_USER, 4, 1, { "", 0 }, NONCE }, LK_FAREWELL_METHOD },
    { { 1, LK_PEER_USER, LK_AUTH_LOCAL, 0, { "", 0 }, NONCE }, LK_FAREWELL_METHOD },
    { { 1, LK_PEER_ANONYMOUS, LK_AUTH_KEY, 1, { "", 0 }, NONCE }, LK_FAREWELL_ROLE },
    { { 1, LK_PEER_CONTROLLER, LK_AUTH_KEY, 1, { "", 0 }, NONCE }, LK_FAREWELL_ROLE },
    { { 1, LK_PEER_JOB, LK_AUTH_KEY, 1, { "", 0 }, NONCE }, LK_FAREWELL_ROLE },
    { { 1, LK_PEER_JOB, LK_AUTH_KEY, 1, { "n1", 2 }, NONCE }, LK_FAREWELL_ROLE },
    { { 1, LK_PEER_JOB, LK_AUTH_KEY, 1, { "/n1", 3 }, NONCE }, LK_FAREWELL_ROLE },
    { { 1, LK_PEER_JOB, LK_AUTH_KEY, 1, { "0/n1", 4 }, NONCE }, LK_FAREWELL_ROLE },
    { { 1, LK_PEER_JOB, LK_AUTH_KEY, 1, { "-1/n1", 5 }, NONCE }, LK_FAREWELL_ROLE },
    { { 1, LK_PEER_JOB, LK_AUTH_KEY, 1, { "17/", 3 }, NONCE }, LK_FAREWELL_ROLE },
    { { 1, LK_PEER_JOB, LK_AUTH_KEY, 1, { "17/n/1", 6 }, NONCE }, LK_FAREWELL_ROLE },
    { { 1, 6, LK_AUTH_KEY, 1, { "", 0 }, NONCE }, LK_FAREWELL_ROLE },
    { { 1, LK_PEER_USER, LK_AUTH_KEY, 1, { "n1", 2 }, NONCE }, LK_FAREWELL_ROLE },
    { { 1, LK_PEER_AGENT, LK_AUTH_KEY, 1, { "", 0 }, NONCE }, LK_FAREWELL_ROLE },
    { { 1, LK_PEER_AGENT, LK_AUTH_KEY, 1, { "n/1", 3 }, NONCE }, LK_FAREWELL_ROLE },
    { { 1, LK_PEER_AGENT, LK_AUTH_KEY, 1, { "n\0", 2 }, NONCE }, LK_FAREWELL_GARBAGE },
    { { 1, LK_PEER_USER, LK_AUTH_KEY, 1, { "", 0 }, { nonce, 31 } }, LK_FAREWELL_GARBAGE },
    { { 1, LK_PEER_USER, LK_AUTH_KEY, 1, { "", 0 }, { NULL, 0 } }, LK_FAREWELL_GARBAGE },
  };
  g_autoptr (LkKeyring) keyring = keys (CLUSTER_A);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    const LkHandshakeServer options = { .keyring = keyring };
    g_autoptr (LkHandshake) server = lk_handshake_server_new (&options);
    g_autoptr (GByteArray) hello = g_byte_array_new ();
    g_autoptr (GByteArray) reply = g_byte_array_new ();
    const LkMessage message = { .kind = LK_MESSAGE_HELLO, .hello = rows[i].hello };
    guint why;
    lk_message_encode (&message, hello);
    g_assert_cmpint (lk_handshake_take (server, bytes_of (hello), reply), ==, LK_HANDSHAKE_REFUSED);
    g_assert_cmpint (lk_handshake_farewell (server), ==, rows[i].why);
    g_assert_true (lk_farewell_decode (bytes_of (reply), &why));
    g_assert_cmpuint (why, ==, rows[i].why);
  }
}

/* Nothing but the message that is awaited, and nothing behind the end. */
static void
test_other_kinds (void)
{
  g_autoptr (LkKeyring) keyring = keys (CLUSTER_A);
  const LkHandshakeServer options = { .keyring = keyring };
  for (guint kind = 0; kind < 256; kind++) {
    g_autoptr (LkHandshake) server = lk_handshake_server_new (&options);
    g_autoptr (GByteArray) reply = g_byte_array_new ();
    const guint8 bytes[] = { (guint8)kind, 0, 0, 0, 0 };
    for (guint again = 0; again < 2; again++) {
      g_assert_cmpint (lk_handshake_take (server, (LkBytes){ bytes, sizeof bytes }, reply), ==,
                       LK_HANDSHAKE_REFUSED);
      g_assert_cmpint (lk_handshake_farewell (server), ==, LK_FAREWELL_GARBAGE);
    }
  }
}

/* ---------------------------------------------------------------- in between */

static void
key_pair (Pair *pair, LkKeyring *keyring)
{
  const LkHandshakeServer server = { .keyring = keyring };
  const LkHandshakeClient client = {
    .method = LK_AUTH_KEY, .kind = LK_PEER_AGENT, .node = "n1", .keyring = keyring
  };
  pair_init (pair, &server, &client);
}

/* Each bit of each message: one of the ends says no. */
static void
test_changed (void)
{
  g_autoptr (LkKeyring) keyring = keys (CLUSTER_A);
  for (guint which = 0; which < 4; which++) {
    gsize bits = G_MAXSIZE;
    for (gsize bit = 0; bit < bits; bit += 3) {
      Pair pair;
      GByteArray *heard;
      key_pair (&pair, keyring);
      for (guint i = 0; i < 4 && pair.server_step != LK_HANDSHAKE_REFUSED
                        && pair.client_step != LK_HANDSHAKE_REFUSED;
           i++) {
        heard = pair.said[i];
        if (i == which) {
          bits = 8 * (gsize)heard->len;
          heard->data[bit / 8] ^= (guint8)(1u << bit % 8);
        }
        GByteArray *reply = g_byte_array_new ();
        LkHandshakeStep step =
            lk_handshake_take (i % 2 == 0 ? pair.server : pair.client, bytes_of (heard), reply);
        *(i % 2 == 0 ? &pair.server_step : &pair.client_step) = step;
        if (pair.said_count < G_N_ELEMENTS (pair.said))
          pair.said[pair.said_count++] = reply;
        else
          g_byte_array_unref (reply);
      }
      g_assert_true (pair.server_step == LK_HANDSHAKE_REFUSED
                     || pair.client_step == LK_HANDSHAKE_REFUSED);
      pair_clear (&pair);
    }
  }
}

/* What was said in one handshake is worth nothing in another. */
static void
test_replayed (void)
{
  g_autoptr (LkKeyring) keyring = keys (CLUSTER_A);
  Pair before;
  key_pair (&before, keyring);
  pair_run (&before);
  assert_done (&before);
  g_assert_cmpuint (before.said_count, ==, 4);
  const LkHandshakeServer options = { .keyring = keyring };
  g_autoptr (LkHandshake) server = lk_handshake_server_new (&options);
  g_autoptr (GByteArray) reply = g_byte_array_new ();
  g_assert_cmpint (lk_handshake_take (server, bytes_of (before.said[0]), reply), ==,
                   LK_HANDSHAKE_MORE);
  g_assert_cmpint (lk_handshake_take (server, bytes_of (before.said[2]), reply), ==,
                   LK_HANDSHAKE_REFUSED);
  g_assert_cmpint (lk_handshake_farewell (server), ==, LK_FAREWELL_DENIED);
  /* Nor can somebody play the controller to a client with it. */
  Pair other;
  key_pair (&other, keyring);
  g_byte_array_set_size (reply, 0);
  g_assert_cmpint (lk_handshake_take (other.client, bytes_of (before.said[1]), reply), ==,
                   LK_HANDSHAKE_MORE);
  g_assert_cmpint (lk_handshake_take (other.client, bytes_of (before.said[3]), reply), ==,
                   LK_HANDSHAKE_REFUSED);
  pair_clear (&other);
  pair_clear (&before);
}

/* Somebody without the key sends a client what it has said itself. */
static void
test_reflected (void)
{
  g_autoptr (LkKeyring) keyring = keys (CLUSTER_A);
  static const guint8 nonce[LK_NONCE_BYTES];
  Pair pair;
  LkMessage message = { .kind = LK_MESSAGE_CHALLENGE, .challenge = { { nonce, sizeof nonce } } };
  g_autoptr (GByteArray) challenge = g_byte_array_new ();
  g_autoptr (GByteArray) proof = g_byte_array_new ();
  g_autoptr (GByteArray) welcome = g_byte_array_new ();
  key_pair (&pair, keyring);
  lk_message_encode (&message, challenge);
  g_assert_cmpint (lk_handshake_take (pair.client, bytes_of (challenge), proof), ==,
                   LK_HANDSHAKE_MORE);
  LkMessage said;
  g_assert_true (lk_message_decode (proof->data, proof->len, &said));
  message = (LkMessage){ .kind = LK_MESSAGE_WELCOME, .welcome = { said.proof.mac } };
  lk_message_encode (&message, welcome);
  g_byte_array_set_size (challenge, 0);
  g_assert_cmpint (lk_handshake_take (pair.client, bytes_of (welcome), challenge), ==,
                   LK_HANDSHAKE_REFUSED);
  pair_clear (&pair);
}

/* A server without the key cannot make a client believe it by leaving steps out. */
static void
test_skipped (void)
{
  g_autoptr (LkKeyring) keyring = keys (CLUSTER_A);
  Pair pair;
  const LkMessage message = { .kind = LK_MESSAGE_WELCOME };
  g_autoptr (GByteArray) welcome = g_byte_array_new ();
  g_autoptr (GByteArray) reply = g_byte_array_new ();
  key_pair (&pair, keyring);
  lk_message_encode (&message, welcome);
  g_assert_cmpint (lk_handshake_take (pair.client, bytes_of (welcome), reply), ==,
                   LK_HANDSHAKE_REFUSED);
  pair_clear (&pair);
}

/* ---------------------------------------------------------------- MUNGE */

/* Up to what the server asks MUNGE, perhaps with another proof beside the credential;
 * `out_content` is what the client puts into that. */
static void
munge_pair (Pair *pair, LkPeerKind kind, gboolean is_changed, GByteArray *out_content)
{
  const LkHandshakeServer server = { .accepts_munge = TRUE, .trusted_user_id = TRUSTED };
  const LkHandshakeClient client = { .method = LK_AUTH_MUNGE, .kind = kind, .node = "n1" };
  g_autoptr (GByteArray) challenge = g_byte_array_new ();
  g_autoptr (GByteArray) proof = g_byte_array_new ();
  pair_init (pair, &server, &client);
  g_assert_cmpint (lk_handshake_take (pair->server, bytes_of (pair->said[0]), challenge), ==,
                   LK_HANDSHAKE_MORE);
  g_assert_cmpint (lk_handshake_take (pair->client, bytes_of (challenge), proof), ==,
                   LK_HANDSHAKE_CREDENTIAL);
  LkBytes content = lk_handshake_question (pair->client);
  g_byte_array_append (out_content, content.bytes, content.length_bytes);
  const LkCredential made = { .is_good = TRUE, .bytes = lk_bytes_of_text ("MUNGE:x:") };
  g_assert_cmpint (lk_handshake_credential (pair->client, &made, proof), ==, LK_HANDSHAKE_MORE);
  g_byte_array_set_size (challenge, 0);
  if (is_changed)
    proof->data[proof->len - 1] ^= 1;
  g_assert_cmpint (lk_handshake_take (pair->server, bytes_of (proof), challenge), ==,
                   LK_HANDSHAKE_CREDENTIAL);
  LkBytes asked = lk_handshake_question (pair->server);
  assert_bytes (asked, "MUNGE:x:", 8);
}

static void
munge_says (Pair *pair, guint32 user_id, const GByteArray *content)
{
  const LkCredential says = { .is_good = content != NULL,
                              .user_id = user_id,
                              .group_id = 77,
                              .bytes = content != NULL ? bytes_of (content) : (LkBytes){ 0 } };
  GByteArray *welcome = say (pair);
  g_autoptr (GByteArray) nothing = g_byte_array_new ();
  pair->server_step = lk_handshake_credential (pair->server, &says, welcome);
  pair->client_step = lk_handshake_take (pair->client, bytes_of (welcome), nothing);
}

static void
test_munge (void)
{
  static const struct {
    guint32 user_id;
    LkPeerKind kind;
    gboolean may;
  } rows[] = {
    { 1001, LK_PEER_USER, TRUE },        { 1001, LK_PEER_AGENT, FALSE },
    { 1001, LK_PEER_STANDBY, FALSE },    { 0, LK_PEER_AGENT, TRUE },
    { TRUSTED, LK_PEER_AGENT, TRUE },    { 0, LK_PEER_STANDBY, FALSE },
    { TRUSTED, LK_PEER_STANDBY, FALSE },
  };
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autoptr (GByteArray) content = g_byte_array_new ();
    Pair pair;
    munge_pair (&pair, rows[i].kind, /* is_changed= */ FALSE, content);
    munge_says (&pair, rows[i].user_id, content);
    if (rows[i].may) {
      assert_done (&pair);
      assert_sealed (&pair);
      g_assert_cmpuint (lk_handshake_attested (pair.server)->user_id, ==, rows[i].user_id);
      g_assert_cmpuint (lk_handshake_attested (pair.server)->group_id, ==, 77);
    } else {
      assert_refused (&pair, LK_FAREWELL_ROLE);
    }
    pair_clear (&pair);
  }
}

/* A credential of another connection, a shortened one, a changed one, none, and a good one of
 * somebody else, who does not know what is in it. */
static void
test_munge_other (void)
{
  g_autoptr (GByteArray) before = g_byte_array_new ();
  Pair pair;
  munge_pair (&pair, LK_PEER_USER, /* is_changed= */ FALSE, before);
  pair_clear (&pair);
  for (guint i = 0; i < 5; i++) {
    g_autoptr (GByteArray) content = g_byte_array_new ();
    munge_pair (&pair, LK_PEER_USER, i == 4, content);
    if (i == 1)
      g_byte_array_set_size (content, content->len - 1);
    if (i == 2)
      content->data[content->len - 1] ^= 1;
    munge_says (&pair, 1001, i == 0 ? before : i == 3 ? NULL : content);
    assert_refused (&pair, LK_FAREWELL_DENIED);
    pair_clear (&pair);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/handshake/local socket attests the user, and who may be more", test_local);
  g_test_add_func ("/handshake/key proves both ends to each other", test_key);
  g_test_add_func ("/handshake/a job is attested by its key", test_job_key);
  g_test_add_func ("/handshake/two keys are accepted, the first is used", test_two_keys);
  g_test_add_func ("/handshake/key of one subject is none of another", test_key_of_another);
  g_test_add_func ("/handshake/client without a key does not begin", test_no_key);
  g_test_add_func ("/handshake/only methods that the server accepts", test_methods);
  g_test_add_func ("/handshake/hello that is not right is refused", test_hello);
  g_test_add_func ("/handshake/no other message is read", test_other_kinds);
  g_test_add_func ("/handshake/no bit can be changed in between", test_changed);
  g_test_add_func ("/handshake/nothing can be used again", test_replayed);
  g_test_add_func ("/handshake/proof of a client is none of a server", test_reflected);
  g_test_add_func ("/handshake/no step can be left out", test_skipped);
  g_test_add_func ("/handshake/munge attests the user, and who may be more", test_munge);
  g_test_add_func ("/handshake/munge's credential counts for one connection", test_munge_other);
  return g_test_run ();
}
