/* traces/json_scan.c — see json_scan.h. */
#include "traces/json_scan.h"

#include <string.h>

static gboolean
is_one_of (char c, const char *characters)
{
  return c != '\0' && strchr (characters, c);
}

static void
skip_blanks (LkJsonScan *self)
{
  for (; self->at < self->end && is_one_of (*self->at, " \t\r\n"); self->at++)
    self->line_number += *self->at == '\n' ? 1 : 0;
}

gboolean
lk_json_scan_take (LkJsonScan *self, char c)
{
  skip_blanks (self);
  if (self->at == self->end || *self->at != c)
    return FALSE;
  self->at++;
  return TRUE;
}

gboolean
lk_json_scan_is_end (LkJsonScan *self)
{
  skip_blanks (self);
  return self->at == self->end;
}

/* Stands behind the opening quote; moves behind the closing one. */
static gboolean
skip_string (LkJsonScan *self)
{
  for (; self->at < self->end; self->at++) {
    if (*self->at == '"') {
      self->at++;
      return TRUE;
    }
    self->line_number += *self->at == '\n' ? 1 : 0;
    if (*self->at == '\\' && self->at + 1 < self->end)
      self->at++;
  }
  return FALSE;
}

/* Stands on a bracket; moves behind the one that closes it. */
static const char *
skip_brackets (LkJsonScan *self)
{
  char closers[LK_JSON_DEPTH_MAX];
  guint depth = 0;
  while (self->at < self->end) {
    char c = *self->at++;
    self->line_number += c == '\n' ? 1 : 0;
    if (c == '"') {
      if (!skip_string (self))
        return "a string without an end";
    } else if (c == '{' || c == '[') {
      if (depth == LK_JSON_DEPTH_MAX)
        return "brackets that are nested too deep";
      closers[depth++] = c == '{' ? '}' : ']';
    } else if (c == '}' || c == ']') {
      if (closers[--depth] != c)
        return "a bracket that closes another kind of bracket";
      if (depth == 0)
        return NULL;
    }
  }
  return "a bracket that is not closed: the text ends too early";
}

const char *
lk_json_scan_value (LkJsonScan *self, LkSpan *out_value, guint64 *out_line_number)
{
  const char *wrong = NULL;
  skip_blanks (self);
  const char *begin = self->at;
  *out_line_number = self->line_number;
  if (begin == self->end)
    return "nothing where a value should be: the text ends too early";
  if (*begin == '{' || *begin == '[') {
    wrong = skip_brackets (self);
  } else if (*begin == '"') {
    self->at++;
    wrong = skip_string (self) ? NULL : "a string without an end";
  } else {
    while (self->at < self->end && (g_ascii_isalnum (*self->at) || is_one_of (*self->at, "+-.")))
      self->at++;
    wrong = self->at > begin ? NULL : "something that is no value";
  }
  *out_value = (LkSpan){ begin, (gsize)(self->at - begin) };
  return wrong;
}

/* "key": */
static const char *
key_scan (LkJsonScan *self, LkSpan *out_key)
{
  if (!lk_json_scan_take (self, '"'))
    return "no name where a member should be";
  const char *begin = self->at;
  if (!skip_string (self))
    return "a string without an end";
  *out_key = (LkSpan){ begin, (gsize)(self->at - begin) - 1 };
  return lk_json_scan_take (self, ':') ? NULL : "no colon behind the name of a member";
}

int
lk_json_scan_part (LkJsonScan *self, char close, gboolean *is_begun, LkJsonPart *out_part,
                   const char **out_wrong)
{
  if (lk_json_scan_take (self, close))
    return 0;
  *out_wrong = NULL;
  if (*is_begun && !lk_json_scan_take (self, ','))
    *out_wrong = "no comma between two values";
  *is_begun = TRUE;
  if (!*out_wrong && close == '}')
    *out_wrong = key_scan (self, &out_part->key);
  if (!*out_wrong)
    *out_wrong = lk_json_scan_value (self, &out_part->value, &out_part->line_number);
  return *out_wrong ? -1 : 1;
}
