/* live/client/json/indent.c — see the header. */
#include "live/client/json/indent.h"

#include <string.h>

#include "engine/assert.h"

#define DEPTH_MAX 64u

static void
line_begin (const LkJsonIndent *self, GString *out)
{
  static const char blanks[2 * DEPTH_MAX + 1] =
      "                                                                "
      "                                                                ";
  if (self->is_compact)
    return;
  g_string_append_c (out, '\n');
  g_string_append_len (out, blanks, 2 * self->depth);
}

/* So much of it stands in a text and is none of its ends or escapes. */
static gsize
plain_length (const char *bytes, gsize length_bytes)
{
  gsize length = 0;
  while (length < length_bytes && bytes[length] != '"' && bytes[length] != '\\'
         && bytes[length] != '/')
    length++;
  return length;
}

/* Returns: how many bytes of the text it has taken. */
static gsize
text_take (LkJsonIndent *self, const char *bytes, gsize length_bytes, GString *out)
{
  gsize length = self->is_escaped ? 0 : plain_length (bytes, length_bytes);
  if (length > 0) {
    g_string_append_len (out, bytes, (gssize)length);
    return length;
  }
  if (!self->is_escaped && *bytes == '/')
    g_string_append_c (out, '\\');
  g_string_append_c (out, *bytes);
  self->is_text = self->is_escaped || *bytes != '"';
  self->is_escaped = !self->is_escaped && *bytes == '\\';
  return 1;
}

static void
close_take (LkJsonIndent *self, char c, GString *out)
{
  LK_ASSERT (self->depth > 0);
  self->depth--;
  self->is_open = FALSE;
  line_begin (self, out);
  g_string_append_c (out, c);
}

static void
mark_take (LkJsonIndent *self, char c, GString *out)
{
  if (self->is_open)
    line_begin (self, out);
  self->is_open = c == '{' || c == '[';
  self->is_text = c == '"';
  g_string_append_c (out, c);
  if (self->is_open) {
    LK_ASSERT (self->depth < DEPTH_MAX);
    self->depth++;
  } else if (c == ',') {
    line_begin (self, out);
  } else if (c == ':' && !self->is_compact) {
    g_string_append_c (out, ' ');
  }
}

void
lk_json_indent (LkJsonIndent *self, const char *bytes, gsize length_bytes, GString *out)
{
  gsize at = 0;
  while (at < length_bytes) {
    char c = bytes[at];
    if (self->is_text) {
      at += text_take (self, bytes + at, length_bytes - at, out);
      continue;
    }
    at++;
    if (c == '}' || c == ']')
      close_take (self, c, out);
    else if (c != ' ' && (c != '\n' || self->depth == 0))
      mark_take (self, c, out);
  }
}
