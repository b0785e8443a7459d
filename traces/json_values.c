/* traces/json_values.c — see json_values.h. */
#include "traces/json_values.h"

#include <string.h>

JsonNode *
lk_json_node (JsonObject *object, const char *path)
{
  char name[64];
  JsonNode *node = NULL;
  for (const char *at = path; at;) {
    const char *dot = strchr (at, '.');
    g_strlcpy (name, at, MIN (sizeof name, dot ? (gsize)(dot - at) + 1 : sizeof name));
    if (node && !JSON_NODE_HOLDS_OBJECT (node))
      return NULL;
    node = json_object_get_member (node ? json_node_get_object (node) : object, name);
    if (!node || JSON_NODE_HOLDS_NULL (node))
      return NULL;
    at = dot ? dot + 1 : NULL;
  }
  return node;
}

static LkJsonFound
plain_number (JsonNode *node, gint64 *out_number)
{
  GType type = json_node_get_value_type (node);
  if (type == G_TYPE_INT64) {
    *out_number = json_node_get_int (node);
    return LK_JSON_NUMBER;
  }
  if (type == G_TYPE_DOUBLE) {
    double value = json_node_get_double (node);
    if (!(value > -9e18 && value < 9e18))
      return LK_JSON_WRONG;
    *out_number = (gint64)value;
    return LK_JSON_NUMBER;
  }
  if (type != G_TYPE_STRING)
    return LK_JSON_WRONG;
  LkSpan text = lk_span (json_node_get_string (node));
  if (text.length_bytes == 0)
    return LK_JSON_MISSING;
  return lk_sacct_number (text, out_number) ? LK_JSON_NUMBER : LK_JSON_WRONG;
}

static gboolean
is_true (JsonObject *object, const char *name)
{
  JsonNode *node = json_object_get_member (object, name);
  return node && JSON_NODE_HOLDS_VALUE (node) && json_node_get_value_type (node) == G_TYPE_BOOLEAN
         && json_node_get_boolean (node);
}

LkJsonFound
lk_json_number (JsonObject *object, const char *path, gint64 *out_number)
{
  JsonNode *node = lk_json_node (object, path);
  if (!node)
    return LK_JSON_MISSING;
  if (JSON_NODE_HOLDS_OBJECT (node)) {
    JsonObject *number = json_node_get_object (node);
    if (is_true (number, "infinite"))
      return LK_JSON_INFINITE;
    JsonNode *set = json_object_get_member (number, "set");
    if (set && !is_true (number, "set"))
      return LK_JSON_MISSING;
    node = json_object_get_member (number, "number");
    if (!node || JSON_NODE_HOLDS_NULL (node))
      return set ? LK_JSON_MISSING : LK_JSON_WRONG;
  }
  return JSON_NODE_HOLDS_VALUE (node) ? plain_number (node, out_number) : LK_JSON_WRONG;
}

static gboolean
is_string (JsonNode *node)
{
  return node && JSON_NODE_HOLDS_VALUE (node) && json_node_get_value_type (node) == G_TYPE_STRING;
}

gboolean
lk_json_text (JsonObject *object, const char *path, LkSpan *out_text)
{
  JsonNode *node = lk_json_node (object, path);
  if (node && JSON_NODE_HOLDS_ARRAY (node)) {
    JsonArray *list = json_node_get_array (node);
    node = json_array_get_length (list) > 0 ? json_array_get_element (list, 0) : NULL;
  }
  *out_text = (LkSpan){ NULL, 0 };
  if (!node)
    return TRUE;
  if (!is_string (node))
    return FALSE;
  *out_text = lk_span (json_node_get_string (node));
  return TRUE;
}

gboolean
lk_json_has_text (JsonObject *object, const char *path, const char *word)
{
  JsonNode *node = lk_json_node (object, path);
  if (is_string (node))
    return g_ascii_strcasecmp (json_node_get_string (node), word) == 0;
  if (!node || !JSON_NODE_HOLDS_ARRAY (node))
    return FALSE;
  JsonArray *list = json_node_get_array (node);
  for (guint i = 0; i < json_array_get_length (list); i++) {
    JsonNode *element = json_array_get_element (list, i);
    if (is_string (element) && g_ascii_strcasecmp (json_node_get_string (element), word) == 0)
      return TRUE;
  }
  return FALSE;
}

JsonArray *
lk_json_list (JsonObject *object, const char *path)
{
  JsonNode *node = lk_json_node (object, path);
  return node && JSON_NODE_HOLDS_ARRAY (node) ? json_node_get_array (node) : NULL;
}
