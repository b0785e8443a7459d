/* tests/live/auth_token_test.c — what makes a token a good one, and connections by token. */
#include "live/port/handshake.h"
#include "live/port/token_claims.h"

#include <sys/stat.h>
#include <string.h>
#include <unistd.h>

#define NOW_S 1800000000
#define SECRET "0123456789abcdef0123456789abcdef"
#define OTHER "0123456789abcdef0123456789abcdeg"
#define HEAD "{\"alg\":\"HS256\",\"typ\":\"JWT\"}"

static GBytes *
key_of (const char *secret)
{
  return g_bytes_new_static (secret, strlen (secret));
}

/* HEAD.BODY of what a forger may write. */
static GString *
content_of (const char *head, const char *body)
{
  GString *content = g_string_new (NULL);
  lk_token_base64_append (lk_bytes_of_text (head), content);
  g_string_append_c (content, '.');
  lk_token_base64_append (lk_bytes_of_text (body), content);
  return content;
}

static LkBytes
bytes_of (const GString *text)
{
  return (LkBytes){ (const guint8 *)text->str, (guint32)text->len };
}

/* ---------------------------------------------------------------- claims */

static void
test_claims (void)
{
  static const struct {
    const char *head;
    const char *body;
    const char *why; /* NULL: it is good */
  } rows[] = {
    { HEAD, "{\"exp\":1800000001,\"iat\":1799999999,\"sun\":\"ada\"}", NULL },
    { HEAD, "{\"exp\":1800000001.5,\"username\":\"ada\"}", NULL },
    { HEAD, "{\"exp\":1800000001,\"nbf\":1800000060,\"sun\":\"ada\"}", NULL },
    { HEAD, "{\"exp\":1800000000,\"sun\":\"ada\"}", "has expired" },
    { HEAD, "{\"sun\":\"ada\"}", "has no end" },
    { HEAD, "{\"exp\":null,\"sun\":\"ada\"}", "a time that is none" },
    { HEAD, "{\"exp\":\"1800000001\",\"sun\":\"ada\"}", "a time that is none" },
    { HEAD, "{\"exp\":-1,\"sun\":\"ada\"}", "a time that is none" },
    { HEAD, "{\"exp\":1e300,\"sun\":\"ada\"}", "a time that is none" },
    { HEAD, "{\"exp\":1900000000,\"nbf\":1800000061,\"sun\":\"ada\"}", "is of the future" },
    { HEAD, "{\"exp\":1900000000,\"iat\":1800000061,\"sun\":\"ada\"}", "is of the future" },
    { HEAD, "{\"exp\":1900000000}", "names no user" },
    { HEAD, "{\"exp\":1900000000,\"sun\":\"\"}", "names no user" },
    { HEAD, "{\"exp\":1900000000,\"sun\":0}", "names no user" },
    { HEAD, "[1900000000]", "two objects" },
    { HEAD, "", "two objects" },
    { "{\"alg\":\"none\"}", "{\"exp\":1900000000,\"sun\":\"ada\"}", "expected alg HS256" },
    { "{\"alg\":\"RS256\"}", "{\"exp\":1900000000,\"sun\":\"ada\"}", "expected alg HS256" },
    { "{\"alg\":\"hs256\"}", "{\"exp\":1900000000,\"sun\":\"ada\"}", "expected alg HS256" },
    { "{\"typ\":\"JWT\"}", "{\"exp\":1900000000,\"sun\":\"ada\"}", "expected alg HS256" },
    { "{\"alg\":\"HS256\",\"crit\":[\"b64\"]}", "{\"exp\":1900000000,\"sun\":\"ada\"}", "crit" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autoptr (GString) content = content_of (rows[i].head, rows[i].body);
    g_autoptr (GError) error = NULL;
    LkTokenClaims claims = { NULL };
    g_test_message ("%s %s", rows[i].head, rows[i].body);
    gboolean is_good = lk_token_claims_read (bytes_of (content), NOW_S, &claims, &error);
    g_assert_cmpint (is_good, ==, rows[i].why == NULL);
    if (is_good) {
      g_assert_cmpstr (claims.user, ==, "ada");
      g_assert_cmpint (claims.end_s, ==, NOW_S + 1);
    } else {
      g_assert_nonnull (strstr (error->message, rows[i].why));
    }
    lk_token_claims_clear (&claims);
  }
}

/* What is made is what is read; RFC 7515, appendix A.1, has the same signature from us. */
static void
test_made (void)
{
  static const char name[] = "o\"br\\ien \xc3\xa9";
  g_autoptr (GBytes) key = key_of (SECRET);
  g_autofree char *token = lk_token_make (key, name, NOW_S, NOW_S + 9);
  LkBytes content;
  LkKey signature;
  LkTokenClaims claims;
  g_autoptr (GError) error = NULL;
  lk_token_split (token, &content, &signature, &error);
  g_assert_no_error (error);
  LkKey ours = lk_token_signature (key, content);
  g_assert_cmpint (memcmp (ours.bytes, signature.bytes, sizeof ours.bytes), ==, 0);
  lk_token_claims_read (content, NOW_S, &claims, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (claims.user, ==, name);
  lk_token_claims_clear (&claims);
}

static void
test_rfc (void)
{
  static const char token[] =
      "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9."
      "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cn"
      "VlfQ.dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
  static const char secret[] =
      "AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow";
  g_autoptr (GByteArray) bytes = lk_token_base64_read (secret, strlen (secret));
  g_autoptr (GBytes) key = g_bytes_new (bytes->data, bytes->len);
  LkBytes content;
  LkKey signature;
  g_assert_true (lk_token_split (token, &content, &signature, NULL));
  LkKey ours = lk_token_signature (key, content);
  g_assert_cmpint (memcmp (ours.bytes, signature.bytes, sizeof ours.bytes), ==, 0);
}

static void
test_no_token (void)
{
  g_autofree char *longer = g_strnfill (LK_TOKEN_MAX_BYTES + 1, 'a');
  const char *const rows[] = { "", ".", "a.b", "a.b.", "a.b.c", "a.b.!!!!", longer };
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autoptr (GError) error = NULL;
    LkBytes content;
    LkKey signature;
    g_assert_false (lk_token_split (rows[i], &content, &signature, &error));
    g_assert_nonnull (strstr (error->message, "expected HEAD.BODY.SIGNATURE"));
  }
}

/* ---------------------------------------------------------------- the key */

static void
test_key (void)
{
  g_autofree char *folder = g_dir_make_tmp ("lk-token-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "key", NULL);
  static const struct {
    mode_t mode;
    gssize length_bytes;
    const char *why;
  } rows[] = {
    { 0600, 32, NULL },
    { 0640, 32, "its mode must be 0600" },
    { 0600, LK_TOKEN_KEY_MIN_BYTES - 1, "expected from 16" },
    { 0600, LK_TOKEN_KEY_MAX_BYTES + 1, "expected from 16" },
  };
  g_autofree char *text = g_strnfill (LK_TOKEN_KEY_MAX_BYTES + 1, 'k');
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autoptr (GError) error = NULL;
    g_assert_true (g_file_set_contents (path, text, rows[i].length_bytes, NULL));
    g_assert_cmpint (chmod (path, rows[i].mode), ==, 0);
    g_autoptr (GBytes) key = lk_token_key_load (path, &error);
    g_assert_cmpint (key != NULL, ==, rows[i].why == NULL);
    g_assert_true (key != NULL || strstr (error->message, rows[i].why) != NULL);
  }
  unlink (path);
  g_assert_null (lk_token_key_load (path, NULL));
  rmdir (folder);
}

/* ---------------------------------------------------------------- connections */

typedef struct {
  LkHandshake *client;
  LkHandshake *server;
  GByteArray *said;
  LkHandshakeStep step; /* of the server */
} Pair;

static void
pair_say (Pair *pair, gboolean to_server)
{
  g_autoptr (GByteArray) heard = pair->said;
  pair->said = g_byte_array_new ();
  LkHandshakeStep step = lk_handshake_take (to_server ? pair->server : pair->client,
                                            (LkBytes){ heard->data, heard->len }, pair->said);
  if (to_server)
    pair->step = step;
}

/* Up to where the server has heard the proof. */
static void
pair_init (Pair *pair, GBytes *key, const char *token, gboolean is_local)
{
  const LkHandshakeServer server = { .token_key = key, .is_local = is_local, .user_id = 7 };
  const LkHandshakeClient client = { .method = LK_AUTH_TOKEN,
                                     .kind = LK_PEER_USER,
                                     .token = token };
  *pair = (Pair){ .said = g_byte_array_new () };
  pair->server = lk_handshake_server_new (&server);
  pair->client = lk_handshake_client_new (&client, pair->said, NULL);
  g_assert_nonnull (pair->client);
  pair_say (pair, TRUE);
  if (pair->step != LK_HANDSHAKE_MORE)
    return;
  pair_say (pair, FALSE);
  /* The signature stays where it is. */
  g_autoptr (GString) wire = g_string_new_len ((const char *)pair->said->data, pair->said->len);
  g_assert_null (g_strstr_len (wire->str, (gssize)wire->len, strrchr (token, '.') + 1));
  pair_say (pair, TRUE);
}

static void
pair_clear (Pair *pair)
{
  lk_handshake_free (pair->client);
  lk_handshake_free (pair->server);
  g_byte_array_unref (pair->said);
}

static void
test_connects (void)
{
  g_autoptr (GBytes) key = key_of (SECRET);
  g_autofree char *token = lk_token_make (key, "ada", NOW_S, NOW_S + 9);
  for (guint is_local = 0; is_local < 2; is_local++) {
    const LkCredential says = { .is_good = TRUE, .user_id = 1001, .group_id = 77, .life_us = 9 };
    Pair pair;
    LkTokenClaims claims;
    pair_init (&pair, key, token, is_local == 1);
    g_assert_cmpint (pair.step, ==, LK_HANDSHAKE_CREDENTIAL);
    g_assert_true (
        lk_token_claims_read (lk_handshake_question (pair.server), NOW_S, &claims, NULL));
    g_assert_cmpstr (claims.user, ==, "ada");
    lk_token_claims_clear (&claims);
    g_byte_array_set_size (pair.said, 0);
    g_assert_cmpint (lk_handshake_credential (pair.server, &says, pair.said), ==,
                     LK_HANDSHAKE_DONE);
    pair_say (&pair, FALSE);
    const LkAttested *ends[] = { lk_handshake_attested (pair.client),
                                 lk_handshake_attested (pair.server) };
    g_assert_cmpuint (ends[1]->user_id, ==, 1001);
    g_assert_cmpint (ends[1]->life_us, ==, 9);
    g_assert_cmpint (memcmp (&ends[0]->send_key, &ends[1]->receive_key, sizeof (LkKey)), ==, 0);
    g_assert_cmpint (memcmp (&ends[0]->send_key, &ends[0]->receive_key, sizeof (LkKey)), !=, 0);
    pair_clear (&pair);
  }
}

/* Another key; a letter of the body, of the signature; no key at the server. */
static void
test_refused (void)
{
  g_autoptr (GBytes) key = key_of (SECRET);
  g_autoptr (GBytes) other = key_of (OTHER);
  g_autofree char *token = lk_token_make (key, "ada", NOW_S, NOW_S + 9);
  for (guint i = 0; i < 4; i++) {
    g_autofree char *changed = g_strdup (token);
    char *at = i == 1 ? strchr (changed, '.') + 5 : strrchr (changed, '.') + 5;
    if (i == 1 || i == 2)
      *at = *at == 'A' ? 'B' : 'A';
    Pair pair;
    pair_init (&pair, i == 0 ? other : i == 3 ? NULL : key, changed, FALSE);
    g_assert_cmpint (pair.step, ==, LK_HANDSHAKE_REFUSED);
    g_assert_cmpint (lk_handshake_farewell (pair.server), ==,
                     i == 3 ? LK_FAREWELL_METHOD : LK_FAREWELL_DENIED);
    pair_clear (&pair);
  }
}

/* A token makes nobody an agent or a standby. */
static void
test_roles (void)
{
  static const LkPeerKind kinds[] = { LK_PEER_AGENT, LK_PEER_STANDBY };
  g_autoptr (GBytes) key = key_of (SECRET);
  g_autofree char *token = lk_token_make (key, "root", NOW_S, NOW_S + 9);
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++) {
    const LkHandshakeServer server = { .token_key = key };
    const LkHandshakeClient client = {
      .method = LK_AUTH_TOKEN, .kind = kinds[i], .node = "n1", .token = token
    };
    Pair pair = { .said = g_byte_array_new () };
    pair.server = lk_handshake_server_new (&server);
    pair.client = lk_handshake_client_new (&client, pair.said, NULL);
    pair_say (&pair, TRUE);
    g_assert_cmpint (pair.step, ==, LK_HANDSHAKE_REFUSED);
    g_assert_cmpint (lk_handshake_farewell (pair.server), ==, LK_FAREWELL_ROLE);
    pair_clear (&pair);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/token/claims that are good, and why others are not", test_claims);
  g_test_add_func ("/token/what is made is what is read", test_made);
  g_test_add_func ("/token/signature is that of the standard's example", test_rfc);
  g_test_add_func ("/token/what is none is told", test_no_token);
  g_test_add_func ("/token/key is private and of some length", test_key);
  g_test_add_func ("/token/user connects, and the signature is not sent", test_connects);
  g_test_add_func ("/token/other keys and changed tokens are refused", test_refused);
  g_test_add_func ("/token/makes users only", test_roles);
  return g_test_run ();
}
