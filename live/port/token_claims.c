/* live/port/token_claims.c — see the header. */
#include "live/port/token_claims.h"

#include <string.h>

#include <json-glib/json-glib.h>

#include "live/port/error.h"

#define ALGORITHM "HS256"

static gboolean
fail (GError **error, const char *why)
{
  g_set_error (error, LK_PORT_ERROR, LK_PORT_ERROR_REFUSED, "a token %s", why);
  return FALSE;
}

/* ---------------------------------------------------------------- reading */

/* An object of JSON in base64. Returns: (transfer full), or NULL: it is none. */
static JsonNode *
part_read (const char *text, gsize length_bytes)
{
  g_autoptr (GByteArray) bytes = lk_token_base64_read (text, length_bytes);
  g_autoptr (JsonParser) parser = json_parser_new_immutable ();
  if (bytes == NULL || !g_utf8_validate ((const char *)bytes->data, (gssize)bytes->len, NULL)
      || !json_parser_load_from_data (parser, (const char *)bytes->data, (gssize)bytes->len, NULL))
    return NULL;
  JsonNode *root = json_parser_get_root (parser);
  return root != NULL && JSON_NODE_HOLDS_OBJECT (root) ? json_node_ref (root) : NULL;
}

/* Borrowed; NULL: it is not there, or no text. */
static const char *
text_of (JsonObject *object, const char *name)
{
  JsonNode *node = json_object_get_member (object, name);
  return node != NULL && json_node_get_value_type (node) == G_TYPE_STRING
             ? json_node_get_string (node)
             : NULL;
}

/* A moment, whole or with a fraction; FALSE: it is there, and is none. */
static gboolean
moment_of (JsonObject *object, const char *name, gint64 fallback, gint64 *out_s)
{
  JsonNode *node = json_object_get_member (object, name);
  GType type = node != NULL ? json_node_get_value_type (node) : G_TYPE_INVALID;
  *out_s = fallback;
  if (node == NULL)
    return TRUE;
  if (type == G_TYPE_INT64) {
    *out_s = json_node_get_int (node);
    return *out_s >= 0;
  }
  double value = type == G_TYPE_DOUBLE ? json_node_get_double (node) : -1;
  if (!(value >= 0 && value <= (double)G_MAXINT32 * 1024))
    return FALSE;
  *out_s = (gint64)value;
  return TRUE;
}

static gboolean
body_read (JsonObject *body, gint64 now_s, LkTokenClaims *out_claims, GError **error)
{
  gint64 end_s;
  gint64 made_s;
  gint64 begin_s;
  const char *user = text_of (body, "sun");
  if (user == NULL)
    user = text_of (body, "username");
  if (!moment_of (body, "exp", -1, &end_s) || !moment_of (body, "iat", 0, &made_s)
      || !moment_of (body, "nbf", 0, &begin_s))
    return fail (error, "has a time that is none; expected seconds since 1970");
  if (end_s < 0)
    return fail (error, "has no end; expected the claim exp");
  if (end_s <= now_s)
    return fail (error, "has expired");
  if (MAX (made_s, begin_s) > now_s + LK_TOKEN_SKEW_S)
    return fail (error, "is of the future");
  if (user == NULL || *user == '\0')
    return fail (error, "names no user; expected the claim sun");
  *out_claims = (LkTokenClaims){ g_strdup (user), end_s };
  return TRUE;
}

gboolean
lk_token_claims_read (LkBytes content, gint64 now_s, LkTokenClaims *out_claims, GError **error)
{
  const char *text = (const char *)content.bytes;
  const char *dot = memchr (text, '.', content.length_bytes);
  gsize head_bytes = dot != NULL ? (gsize)(dot - text) : 0;
  if (dot == NULL)
    return fail (error, "is none; expected HEAD.BODY.SIGNATURE");
  g_autoptr (JsonNode) head = part_read (text, head_bytes);
  g_autoptr (JsonNode) body = part_read (dot + 1, content.length_bytes - head_bytes - 1);
  if (head == NULL || body == NULL)
    return fail (error, "is none; expected two objects of JSON");
  if (g_strcmp0 (text_of (json_node_get_object (head), "alg"), ALGORITHM) != 0)
    return fail (error, "is signed in another way; expected alg " ALGORITHM);
  if (json_object_has_member (json_node_get_object (head), "crit"))
    return fail (error, "asks for what is not understood here (crit)");
  return body_read (json_node_get_object (body), now_s, out_claims, error);
}

/* ---------------------------------------------------------------- making */

/* Returns: (transfer full). */
static char *
body_text (const char *user, gint64 now_s, gint64 end_s)
{
  g_autoptr (JsonObject) object = json_object_new ();
  g_autoptr (JsonNode) node = json_node_new (JSON_NODE_OBJECT);
  json_object_set_int_member (object, "exp", end_s);
  json_object_set_int_member (object, "iat", now_s);
  json_object_set_string_member (object, "sun", user);
  json_node_set_object (node, object);
  return json_to_string (node, /* pretty= */ FALSE);
}

char *
lk_token_make (GBytes *key, const char *user, gint64 now_s, gint64 end_s)
{
  static const char head[] = "{\"alg\":\"" ALGORITHM "\",\"typ\":\"JWT\"}";
  g_autofree char *body = body_text (user, now_s, end_s);
  GString *token = g_string_new (NULL);
  lk_token_base64_append (lk_bytes_of_text (head), token);
  g_string_append_c (token, '.');
  lk_token_base64_append (lk_bytes_of_text (body), token);
  LkKey signature =
      lk_token_signature (key, (LkBytes){ (const guint8 *)token->str, (guint32)token->len });
  g_string_append_c (token, '.');
  lk_token_base64_append ((LkBytes){ signature.bytes, sizeof signature.bytes }, token);
  lk_key_clear (&signature);
  return g_string_free (token, FALSE);
}
