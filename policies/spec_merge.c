/* policies/spec_merge.c — one specification with the parameters of another. See spec.h. */
#include "policies/spec.h"

#include <string.h>

/* The end of a piece of a list: a comma outside quotes and parentheses, or the end. */
static const char *
piece_end (const char *at)
{
  guint depth = 0;
  gboolean is_quoted = FALSE;
  for (; *at != '\0' && (*at != ',' || is_quoted || depth > 0); at++) {
    if (is_quoted && *at == '\\' && at[1] != '\0')
      at++;
    else if (*at == '"')
      is_quoted = !is_quoted;
    else if (!is_quoted && *at == '(')
      depth++;
    else if (!is_quoted && *at == ')' && depth > 0)
      depth--;
  }
  return at;
}

/* Does a list of key=value name the key of `piece`? */
static gboolean
names_key (const char *list, const char *piece)
{
  gsize key_bytes = strcspn (piece, "=") + 1;
  for (const char *at = list; *at != '\0';) {
    if (strncmp (at, piece, key_bytes) == 0)
      return TRUE;
    at = piece_end (at);
    at += *at == ',' ? 1 : 0;
  }
  return FALSE;
}

char *
lk_spec_merge (const char *base, const char *spec)
{
  gsize name_bytes = strcspn (base, ":");
  const char *own = spec + name_bytes;
  if (strncmp (base, spec, name_bytes) != 0 || (*own != '\0' && *own != ':')
      || base[name_bytes] == '\0')
    return g_strdup (spec);
  GString *merged = g_string_new_len (base, (gssize)name_bytes);
  g_string_append_c (merged, ':');
  own += *own == ':' ? 1 : 0;
  g_string_append (merged, own);
  for (const char *at = base + name_bytes + 1; *at != '\0';) {
    const char *end = piece_end (at);
    if (!names_key (own, at)) {
      if (merged->str[merged->len - 1] != ':')
        g_string_append_c (merged, ',');
      g_string_append_len (merged, at, end - at);
    }
    at = end + (*end == ',' ? 1 : 0);
  }
  return g_string_free (merged, FALSE);
}
