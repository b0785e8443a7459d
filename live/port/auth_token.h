/* live/port/auth_token.h — JSON Web Tokens (RFC 7519), by which a user is known who has no key and
 * no MUNGE: HS256 and nothing else, under the site's key.
 *
 * A token is HEAD.BODY.SIGNATURE, and its signature is HMAC-SHA256 of HEAD.BODY.  Only HEAD.BODY
 * goes over the wire: the signature is what both ends know, the controller because it can make it,
 * and the keys of the connection are made from it (handshake.h).  So who listens on the way cannot
 * use a token, a controller without the key cannot pretend to be one, and nothing of a token is
 * looked into before whoever sends it has shown that he has the signature.
 *
 * What is in HEAD and BODY is token_claims.h's. */
#ifndef LK_LIVE_PORT_AUTH_TOKEN_H
#define LK_LIVE_PORT_AUTH_TOKEN_H

#include <glib.h>

#include "live/port/mac.h"

#define LK_TOKEN_MAX_BYTES 2048u
#define LK_TOKEN_KEY_MIN_BYTES 16u
#define LK_TOKEN_KEY_MAX_BYTES 4096u

/* What a token says. */
typedef struct {
  char *user;   /* by name */
  gint64 end_s; /* since 1970: from then on it is worth nothing */
} LkTokenClaims;
/* Takes HEAD.BODY apart, whose signature is right. FALSE: it is not good now. `out_claims` is
 * cleared with lk_token_claims_clear. Safe in any thread. */
typedef gboolean (*LkTokenReader) (LkBytes content, gint64 now_s, LkTokenClaims *out_claims,
                                   GError **error);
void lk_token_claims_clear (LkTokenClaims *self);

/* The key, which is all the bytes of a file that nobody but its owner may read. Returns: (transfer
 * full); forgotten when it is freed. */
GBytes *lk_token_key_load (const char *path, GError **error);
/* The signature of HEAD.BODY. */
LkKey lk_token_signature (GBytes *key, LkBytes content);
/* HEAD.BODY of a token, borrowed from it, and its signature. */
gboolean lk_token_split (const char *token, LkBytes *out_content, LkKey *out_signature,
                         GError **error);

/* Base64 with - and _ and without padding: RFC 7515, appendix C. */
void lk_token_base64_append (LkBytes bytes, GString *out);
/* Returns: (transfer full); NULL: it is none. */
GByteArray *lk_token_base64_read (const char *text, gsize length_bytes);

#endif
