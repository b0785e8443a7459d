/* live/port/auth_token.c — see the header. */
#include "live/port/auth_token.h"

#include <string.h>

#include "engine/assert.h"
#include "live/port/auth_key.h"
#include "live/port/error.h"

void
lk_token_claims_clear (LkTokenClaims *self)
{
  g_clear_pointer (&self->user, g_free);
}

/* ---------------------------------------------------------------- base64 */

void
lk_token_base64_append (LkBytes bytes, GString *out)
{
  g_autofree char *text = g_base64_encode (bytes.bytes, bytes.length_bytes);
  for (const char *at = text; *at != '\0' && *at != '='; at++)
    g_string_append_c (out, *at == '+' ? '-' : *at == '/' ? '_' : *at);
}

GByteArray *
lk_token_base64_read (const char *text, gsize length_bytes)
{
  gsize made_bytes = 0;
  if (length_bytes == 0 || length_bytes > LK_TOKEN_MAX_BYTES || length_bytes % 4 == 1)
    return NULL;
  g_autoptr (GString) usual = g_string_sized_new (length_bytes + 4);
  for (gsize i = 0; i < length_bytes; i++) {
    if (!g_ascii_isalnum (text[i]) && text[i] != '-' && text[i] != '_')
      return NULL;
    g_string_append_c (usual, text[i] == '-' ? '+' : text[i] == '_' ? '/' : text[i]);
  }
  while (usual->len % 4 != 0)
    g_string_append_c (usual, '=');
  guchar *made = g_base64_decode (usual->str, &made_bytes);
  return g_byte_array_new_take (made, made_bytes);
}

/* ---------------------------------------------------------------- the key */

static void
forget (gpointer data)
{
  GByteArray *bytes = data;
  explicit_bzero (bytes->data, bytes->len);
  g_byte_array_unref (bytes);
}

GBytes *
lk_token_key_load (const char *path, GError **error)
{
  char room[LK_TOKEN_KEY_MAX_BYTES + 1];
  gsize length_bytes = 0;
  if (!lk_key_file_read (path, room, sizeof room, &length_bytes, error))
    return NULL;
  if (length_bytes < LK_TOKEN_KEY_MIN_BYTES || length_bytes > LK_TOKEN_KEY_MAX_BYTES) {
    explicit_bzero (room, sizeof room);
    g_set_error (error, LK_PORT_ERROR, LK_PORT_ERROR_FORMAT,
                 "key file '%s': expected from %u to %u bytes", path, LK_TOKEN_KEY_MIN_BYTES,
                 LK_TOKEN_KEY_MAX_BYTES);
    return NULL;
  }
  GByteArray *bytes = g_byte_array_sized_new ((guint)length_bytes);
  g_byte_array_append (bytes, (const guint8 *)room, (guint)length_bytes);
  explicit_bzero (room, sizeof room);
  return g_bytes_new_with_free_func (bytes->data, bytes->len, forget, bytes);
}

LkKey
lk_token_signature (GBytes *key, LkBytes content)
{
  LkKey signature;
  gsize key_bytes = 0;
  gsize made_bytes = sizeof signature.bytes;
  const guint8 *secret = g_bytes_get_data (key, &key_bytes);
  GHmac *hmac = g_hmac_new (G_CHECKSUM_SHA256, secret, key_bytes);
  g_hmac_update (hmac, content.bytes, (gssize)content.length_bytes);
  g_hmac_get_digest (hmac, signature.bytes, &made_bytes);
  g_hmac_unref (hmac);
  LK_ASSERT (made_bytes == sizeof signature.bytes);
  return signature;
}

/* ---------------------------------------------------------------- a token */

gboolean
lk_token_split (const char *token, LkBytes *out_content, LkKey *out_signature, GError **error)
{
  gsize length_bytes = strnlen (token, LK_TOKEN_MAX_BYTES + 1);
  const char *last = strrchr (token, '.');
  g_autoptr (GByteArray) signature = NULL;
  if (length_bytes <= LK_TOKEN_MAX_BYTES && last != NULL && last != token)
    signature = lk_token_base64_read (last + 1, strlen (last + 1));
  if (signature == NULL || signature->len != sizeof out_signature->bytes) {
    g_set_error (error, LK_PORT_ERROR, LK_PORT_ERROR_REFUSED,
                 "SLURM_JWT is no token; expected HEAD.BODY.SIGNATURE, signed by HS256, of %u "
                 "bytes at most",
                 LK_TOKEN_MAX_BYTES);
    return FALSE;
  }
  *out_content = (LkBytes){ (const guint8 *)token, (guint32)(last - token) };
  memcpy (out_signature->bytes, signature->data, sizeof out_signature->bytes);
  return TRUE;
}
