/* sim/text_wrap.c — see the header. */
#include "sim/text_wrap.h"

#include <string.h>

/* The bytes of the longest beginning of at most `count_max` characters after which a line may
 * end; of a word that is longer, the whole word. */
static gsize
line_bytes (const char *text, guint count_max)
{
  const char *best = NULL;
  guint count = 0;
  for (const char *at = text; *at != '\0'; at = g_utf8_next_char (at)) {
    gboolean is_end = at > text && (*at == ' ' || at[-1] == ',') && at[-1] != ' ';
    if (is_end && (count <= count_max || best == NULL))
      best = at;
    if (count > count_max && best != NULL)
      return (gsize)(best - text);
    count++;
  }
  return count > count_max && best != NULL ? (gsize)(best - text) : strlen (text);
}

void
lk_text_wrap (GString *out, const char *text, guint indent)
{
  g_autofree char *valid = g_utf8_make_valid (text, -1);
  for (const char *at = valid;;) {
    gsize bytes = line_bytes (at, LK_TEXT_COLUMNS - MIN (indent, LK_TEXT_COLUMNS / 2));
    g_string_append_len (out, at, (gssize)bytes);
    g_string_append_c (out, '\n');
    at += bytes;
    while (*at == ' ')
      at++;
    if (*at == '\0')
      return;
    g_string_append_printf (out, "%*s", (int)indent, "");
  }
}
