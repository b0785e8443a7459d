/* live/client/json/shape.c — see the header. */
#include "live/client/json/shape.h"

#include <string.h>

#include "engine/assert.h"
#include "live/client/json/shapes.h"
#include "live/client/words.h"

#define DEPTH_MAX 24u

/* ---------------------------------------------------------------- reading a shape's text */

typedef struct {
  const char *name;
  gsize name_bytes;
  gboolean is_there; /* in this version */
} Member;

/* "name@43-44:", and the blanks before it. FALSE: the object ends. */
static gboolean
member_read (const char **at, guint version, Member *out)
{
  while (**at == ' ')
    (*at)++;
  if (**at == '}')
    return FALSE;
  guint64 first = 0;
  guint64 last = G_MAXUINT;
  char *end = (char *)(gpointer)*at;
  out->name = *at;
  out->name_bytes = strcspn (*at, "@:");
  end += out->name_bytes;
  if (*end == '@') {
    end++;
    first = g_ascii_isdigit (*end) ? g_ascii_strtoull (end, &end, 10) : 0;
    if (*end == '-')
      last = g_ascii_strtoull (end + 1, &end, 10);
  }
  LK_ASSERT (*end == ':');
  out->is_there = version >= first && version <= last;
  *at = end + 1;
  return TRUE;
}

/* The name behind "$". */
static const char *
name_read (const char **at)
{
  gsize length = strspn (*at, "abcdefghijklmnopqrstuvwxyz_");
  g_autofree char *name = g_strndup (*at, length);
  const char *text = lk_shape_named (name);
  LK_ASSERT (text != NULL);
  *at += length;
  return text;
}

static void
value_skip (const char **at)
{
  guint depth = 0;
  do {
    char c = *(*at)++;
    LK_ASSERT (c != '\0');
    if (c == '{' || c == '[')
      depth++;
    else if (c == '}' || c == ']')
      depth--;
    else if (c == '$')
      *at += strspn (*at, "abcdefghijklmnopqrstuvwxyz_");
  } while (depth > 0);
  if (**at == '?')
    (*at)++;
}

/* ---------------------------------------------------------------- the writer */

/* A piece of text, and what is filled in behind it. */
typedef struct {
  char *text;
  gsize text_bytes;
  LkShapePut put; /* NULL: nothing */
} Piece;

struct _LkShape {
  GArray *pieces; /* of Piece */
};

typedef struct {
  LkShape *shape;
  guint version;
  const LkShapeMember *members;
  GString *path;
  GString *text; /* of the piece that is being made */
  guint found_count;
} Maker;

static void
piece_end (Maker *self, LkShapePut put)
{
  Piece piece = { g_strndup (self->text->str, self->text->len), self->text->len, put };
  g_array_append_val (self->shape->pieces, piece);
  g_string_truncate (self->text, 0);
}

static LkShapePut
put_find (Maker *self)
{
  for (const LkShapeMember *at = self->members; at->path != NULL; at++)
    if (strcmp (at->path, self->path->str) == 0) {
      self->found_count++;
      return at->put;
    }
  return NULL;
}

static const char *
empty_of (char type)
{
  switch (type) {
  case 's':
    return "\"\"";
  case 'i':
    return "0";
  case 'r':
    return "0.0";
  case 'b':
    return "false";
  case 'n':
    return "{\"set\":false,\"infinite\":false,\"number\":0}";
  case 'f':
    return "{\"set\":false,\"infinite\":false,\"number\":0.0}";
  default:
    LK_ASSERT (type == 'E' || type == 'a');
    return "[]";
  }
}

static void value_make (Maker *self, const char **at, guint depth);

static void
member_make (Maker *self, const Member *member, const char **at, guint depth)
{
  gsize path_bytes = self->path->len;
  if (path_bytes > 0)
    g_string_append_c (self->path, '.');
  g_string_append_len (self->path, member->name, (gssize)member->name_bytes);
  LkShapePut put = put_find (self);
  if (!member->is_there) {
    value_skip (at);
  } else {
    if (self->text->len == 0 || self->text->str[self->text->len - 1] != '{')
      g_string_append_c (self->text, ',');
    g_string_append_printf (self->text, "\"%.*s\":", (int)member->name_bytes, member->name);
    if (put != NULL) {
      piece_end (self, put);
      value_skip (at);
    } else {
      value_make (self, at, depth);
    }
  }
  g_string_truncate (self->path, path_bytes);
}

/* Of what nobody fills: objects with all their members, and arrays without any. */
static void
value_make (Maker *self, const char **at, guint depth)
{
  char c = **at;
  Member member;
  LK_ASSERT (depth < DEPTH_MAX);
  if (c == '[') {
    g_string_append (self->text, "[]");
    value_skip (at);
    return;
  }
  (*at)++;
  if (c == '$') {
    const char *named = name_read (at);
    value_make (self, &named, depth + 1);
  } else if (c == '{') {
    g_string_append_c (self->text, '{');
    while (member_read (at, self->version, &member))
      member_make (self, &member, at, depth + 1);
    (*at)++;
    g_string_append_c (self->text, '}');
  } else {
    g_string_append (self->text, **at == '?' ? "null" : empty_of (c));
  }
  if (**at == '?')
    (*at)++;
}

static void
piece_clear (gpointer given)
{
  g_free (((Piece *)given)->text);
}

LkShape *
lk_shape_new (const char *text, guint version, const LkShapeMember *members)
{
  Maker maker = { .shape = g_new0 (LkShape, 1),
                  .version = version,
                  .members = members,
                  .path = g_string_new (NULL),
                  .text = g_string_new (NULL) };
  guint count = 0;
  while (members[count].path != NULL)
    count++;
  maker.shape->pieces = g_array_new (FALSE, FALSE, sizeof (Piece));
  g_array_set_clear_func (maker.shape->pieces, piece_clear);
  value_make (&maker, &text, 0);
  piece_end (&maker, NULL);
  LK_ASSERT (*text == '\0');
  LK_ASSERT (maker.found_count >= count);
  g_string_free (maker.path, TRUE);
  g_string_free (maker.text, TRUE);
  return maker.shape;
}

void
lk_shape_free (LkShape *self)
{
  if (self == NULL)
    return;
  g_array_unref (self->pieces);
  g_free (self);
}

void
lk_shape_write (const LkShape *self, gconstpointer report, gconstpointer row, GString *out)
{
  for (guint i = 0; i < self->pieces->len; i++) {
    const Piece *piece = &g_array_index (self->pieces, Piece, i);
    lk_word_raw (out, piece->text, piece->text_bytes);
    if (piece->put != NULL)
      piece->put (out, report, row);
  }
}

/* ---------------------------------------------------------------- its schema */

static void schema_make (const char **at, guint version, guint depth, GString *out);

static void
object_schema (const char **at, guint version, guint depth, GString *out)
{
  g_autoptr (GString) required = g_string_new (NULL);
  Member member;
  g_string_append (out, "{\"type\":\"object\",\"properties\":{");
  gsize before = out->len;
  while (member_read (at, version, &member)) {
    if (!member.is_there) {
      value_skip (at);
      continue;
    }
    g_string_append_printf (out, "%s\n\"%.*s\":", out->len > before ? "," : "",
                            (int)member.name_bytes, member.name);
    g_string_append_printf (required, "%s\"%.*s\"", required->len > 0 ? "," : "",
                            (int)member.name_bytes, member.name);
    schema_make (at, version, depth + 1, out);
  }
  (*at)++;
  g_string_append_printf (out, "},\"required\":[%s],\"additionalProperties\":false}",
                          required->str);
}

static const char *
schema_of (char type)
{
  switch (type) {
  case 's':
    return "{\"type\":\"string\"}";
  case 'i':
    return "{\"type\":\"integer\"}";
  case 'r':
    return "{\"type\":\"number\"}";
  case 'b':
    return "{\"type\":\"boolean\"}";
  case 'n':
    return "{\"$ref\":\"#/$defs/number\"}";
  case 'f':
    return "{\"$ref\":\"#/$defs/real\"}";
  case 'E':
    return "{\"$ref\":\"#/$defs/words\"}";
  default:
    LK_ASSERT (type == 'a');
    return "{\"type\":\"array\",\"items\":{\"type\":\"string\"}}";
  }
}

static void
schema_make (const char **at, guint version, guint depth, GString *out)
{
  const char *begin = *at;
  value_skip (at);
  const char *inner = begin + 1;
  gboolean may_be_null = (*at)[-1] == '?';
  LK_ASSERT (depth < DEPTH_MAX);
  if (may_be_null)
    g_string_append (out, "{\"anyOf\":[{\"type\":\"null\"},");
  if (*begin == '{') {
    object_schema (&inner, version, depth, out);
  } else if (*begin == '[') {
    g_string_append (out, "{\"type\":\"array\",\"items\":");
    schema_make (&inner, version, depth + 1, out);
    g_string_append_c (out, '}');
  } else if (*begin == '$') {
    gsize length = strspn (inner, "abcdefghijklmnopqrstuvwxyz_");
    g_string_append_printf (out, "{\"$ref\":\"#/$defs/%.*s\"}", (int)length, inner);
  } else {
    g_string_append (out, schema_of (*begin));
  }
  if (may_be_null)
    g_string_append (out, "]}");
}

void
lk_shape_schema (const char *text, guint version, GString *out)
{
  schema_make (&text, version, 0, out);
}

void
lk_shape_schema_named (guint version, GString *out)
{
  g_string_append (
      out, "{\"words\":{\"type\":\"array\",\"items\":{\"type\":\"string\",\"minLength\":1}},\n"
           "\"number\":{\"type\":\"object\",\"properties\":{\"set\":{\"type\":\"boolean\"},"
           "\"infinite\":{\"type\":\"boolean\"},\"number\":{\"type\":\"integer\"}},"
           "\"required\":[\"set\",\"infinite\",\"number\"],\"additionalProperties\":false},\n"
           "\"real\":{\"type\":\"object\",\"properties\":{\"set\":{\"type\":\"boolean\"},"
           "\"infinite\":{\"type\":\"boolean\"},\"number\":{\"type\":\"number\"}},"
           "\"required\":[\"set\",\"infinite\",\"number\"],\"additionalProperties\":false}");
  for (const LkShapeName *at = lk_shape_names; at->name != NULL; at++) {
    g_string_append_printf (out, ",\n\"%s\":", at->name);
    lk_shape_schema (at->text, version, out);
  }
  g_string_append_c (out, '}');
}
