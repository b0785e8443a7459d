/* traces/yaml_text.c — texts and comments in YAML. See the header. */
#include "traces/yaml_text.h"

#include <string.h>

/* May it stand without quotes? Inside brackets less may. */
static gboolean
is_plain (const char *text, gboolean in_flow)
{
  static const char *const words[] = { "null", "Null", "NULL", NULL };
  if (!g_ascii_isalnum (text[0]) && (text[0] == '\0' || strchr ("_/+.", text[0]) == NULL))
    return FALSE;
  for (const char *at = text; *at != '\0'; at++)
    if (!g_ascii_isalnum (*at) && strchr ("_/+.-=@%*", *at) == NULL
        && (in_flow || strchr ("[],", *at) == NULL))
      return FALSE;
  return !g_strv_contains (words, text);
}

/* One that a double-quoted text may hold as it is. */
static gboolean
is_printable (gunichar letter)
{
  if (letter < 0xa0)
    return letter >= 0x20 && letter < 0x7f;
  return letter != 0x2028 && letter != 0x2029 && letter != 0xfeff
         && (letter < 0xfffe || letter > 0xffff);
}

static void
append_quoted (const char *text, GString *out)
{
  g_string_append_c (out, '"');
  for (const char *at = text; *at != '\0'; at = g_utf8_next_char (at)) {
    gunichar letter = g_utf8_get_char (at);
    if (letter == '"' || letter == '\\')
      g_string_append_printf (out, "\\%c", (char)letter);
    else if (letter == '\n')
      g_string_append (out, "\\n");
    else if (is_printable (letter))
      g_string_append_unichar (out, letter);
    else
      g_string_append_printf (out, "\\U%08x", letter);
  }
  g_string_append_c (out, '"');
}

void
lk_yaml_append_text (const char *text, gboolean in_flow, GString *out)
{
  if (is_plain (text, in_flow))
    g_string_append (out, text);
  else
    append_quoted (text, out);
}

/* Each line as a comment; what would end the line in YAML becomes a space. */
void
lk_yaml_append_comment (const char *comment, GString *out)
{
  g_autofree char *text = g_strchomp (g_strdup (comment));
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  for (char **line = lines; *line != NULL; line++) {
    g_string_append (out, **line == '\0' ? "#" : "# ");
    for (const char *at = *line; *at != '\0'; at = g_utf8_next_char (at)) {
      gunichar letter = g_utf8_get_char (at);
      g_string_append_unichar (out, is_printable (letter) ? letter : ' ');
    }
    g_string_append_c (out, '\n');
  }
}
