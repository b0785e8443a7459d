/* traces/yaml_cursor.c — see yaml_cursor.h. */
#include "traces/yaml_cursor.h"

#include <string.h>
#include <yaml.h>

#include "engine/assert.h"

/* Of one message; what a page says may be of any length. */
#define MESSAGE_MAX_CHARACTERS 400

struct _LkYamlCursor {
  const char *name;
  GQuark domain;
  int code;
  yaml_parser_t parser;
  yaml_event_t event; /* the current one */
  gboolean has_event;
};

/* ---------------------------------------------------------------- errors */

static LkYamlPlace
place_of (const yaml_mark_t *mark)
{
  LkYamlPlace place = { (guint)mark->line + 1, (guint)mark->column + 1 };
  return place;
}

/* One line, not endless. */
static void
tidy_text (char *text)
{
  for (char *at = text; *at != '\0'; at++)
    if (g_ascii_iscntrl (*at))
      *at = ' ';
  if (g_utf8_strlen (text, -1) > MESSAGE_MAX_CHARACTERS)
    memcpy (g_utf8_offset_to_pointer (text, MESSAGE_MAX_CHARACTERS - 3), "...", 4);
}

static void
set_error (const LkYamlCursor *self, LkYamlPlace place, GError **error, const char *format,
           va_list arguments)
{
  g_autofree char *raw = g_strdup_vprintf (format, arguments);
  /* What was cut elsewhere may end inside a letter. */
  g_autofree char *text = g_utf8_make_valid (raw, -1);
  tidy_text (text);
  g_set_error (error, self->domain, self->code, "%s:%u:%u: %s", self->name, place.line,
               place.column, text);
}

gboolean
lk_yaml_cursor_fail (const LkYamlCursor *self, GError **error, const char *format, ...)
{
  va_list arguments;
  va_start (arguments, format);
  set_error (self, lk_yaml_cursor_place (self), error, format, arguments);
  va_end (arguments);
  return FALSE;
}

gboolean
lk_yaml_cursor_fail_at (const LkYamlCursor *self, LkYamlPlace place, GError **error,
                        const char *format, ...)
{
  va_list arguments;
  va_start (arguments, format);
  set_error (self, place, error, format, arguments);
  va_end (arguments);
  return FALSE;
}

/* What libyaml found wrong, where it found it. */
static gboolean
fail_parser (const LkYamlCursor *self, GError **error)
{
  const yaml_parser_t *parser = &self->parser;
  const char *problem = parser->problem == NULL ? "not YAML" : parser->problem;
  if (parser->error == YAML_READER_ERROR) {
    g_set_error (error, self->domain, self->code, "%s: byte %" G_GSIZE_FORMAT ": %s", self->name,
                 parser->problem_offset, problem);
    return FALSE;
  }
  return lk_yaml_cursor_fail_at (self, place_of (&parser->problem_mark), error, "%s%s%s", problem,
                                 parser->context == NULL ? "" : " ",
                                 parser->context == NULL ? "" : parser->context);
}

/* ---------------------------------------------------------------- events */

static gboolean
fail_if_decorated (const LkYamlCursor *self, const yaml_char_t *anchor, const yaml_char_t *tag,
                   GError **error)
{
  if (anchor != NULL)
    return lk_yaml_cursor_fail (self, error, "anchors are not supported here");
  /* The "!" of a quoted scalar is no tag that anyone wrote. */
  if (tag != NULL && strcmp ((const char *)tag, "!") != 0)
    return lk_yaml_cursor_fail (self, error, "tags are not supported here");
  return TRUE;
}

static gboolean
check_event (const LkYamlCursor *self, GError **error)
{
  const yaml_event_t *event = &self->event;
  switch (event->type) {
  case YAML_ALIAS_EVENT:
    return lk_yaml_cursor_fail (self, error, "aliases are not supported here");
  case YAML_SCALAR_EVENT:
    if (strlen ((const char *)event->data.scalar.value) != event->data.scalar.length)
      return lk_yaml_cursor_fail (self, error, "a value with a NUL byte");
    return fail_if_decorated (self, event->data.scalar.anchor, event->data.scalar.tag, error);
  case YAML_SEQUENCE_START_EVENT:
    return fail_if_decorated (self, event->data.sequence_start.anchor,
                              event->data.sequence_start.tag, error);
  case YAML_MAPPING_START_EVENT:
    return fail_if_decorated (self, event->data.mapping_start.anchor, event->data.mapping_start.tag,
                              error);
  default:
    return TRUE;
  }
}

gboolean
lk_yaml_cursor_next (LkYamlCursor *self, GError **error)
{
  if (self->has_event)
    yaml_event_delete (&self->event);
  self->has_event = FALSE;
  if (yaml_parser_parse (&self->parser, &self->event) == 0)
    return fail_parser (self, error);
  self->has_event = TRUE;
  return check_event (self, error);
}

LkYamlKind
lk_yaml_cursor_kind (const LkYamlCursor *self)
{
  switch (self->has_event ? self->event.type : YAML_NO_EVENT) {
  case YAML_SCALAR_EVENT:
    return LK_YAML_SCALAR;
  case YAML_SEQUENCE_START_EVENT:
    return LK_YAML_LIST;
  case YAML_SEQUENCE_END_EVENT:
    return LK_YAML_LIST_END;
  case YAML_MAPPING_START_EVENT:
    return LK_YAML_MAPPING;
  case YAML_MAPPING_END_EVENT:
    return LK_YAML_MAPPING_END;
  default:
    return LK_YAML_END;
  }
}

LkYamlPlace
lk_yaml_cursor_place (const LkYamlCursor *self)
{
  LkYamlPlace start = { 1, 1 };
  return self->has_event ? place_of (&self->event.start_mark) : start;
}

const char *
lk_yaml_cursor_text (const LkYamlCursor *self)
{
  LK_ASSERT (lk_yaml_cursor_kind (self) == LK_YAML_SCALAR);
  return (const char *)self->event.data.scalar.value;
}

gboolean
lk_yaml_cursor_is_null (const LkYamlCursor *self)
{
  static const char *const nulls[] = { "", "~", "null", "Null", "NULL", NULL };
  return lk_yaml_cursor_kind (self) == LK_YAML_SCALAR
         && self->event.data.scalar.style == YAML_PLAIN_SCALAR_STYLE
         && g_strv_contains (nulls, lk_yaml_cursor_text (self));
}

/* ---------------------------------------------------------------- what must be there */

gboolean
lk_yaml_cursor_expect_value (const LkYamlCursor *self, const char *key, GError **error)
{
  LkYamlKind kind = lk_yaml_cursor_kind (self);
  if (kind != LK_YAML_SCALAR)
    return lk_yaml_cursor_fail (self, error, "'%s' is a %s; expected one value", key,
                                kind == LK_YAML_LIST ? "list" : "mapping");
  if (lk_yaml_cursor_is_null (self))
    return lk_yaml_cursor_fail (self, error, "'%s' has no value", key);
  return TRUE;
}

gboolean
lk_yaml_cursor_take_key (const LkYamlCursor *self, GPtrArray *seen, GError **error)
{
  if (lk_yaml_cursor_kind (self) != LK_YAML_SCALAR)
    return lk_yaml_cursor_fail (self, error, "a key must be plain text");
  const char *key = lk_yaml_cursor_text (self);
  if (seen->len >= LK_YAML_KEYS_MAX)
    return lk_yaml_cursor_fail (self, error, "more than %u keys", LK_YAML_KEYS_MAX);
  if (g_ptr_array_find_with_equal_func (seen, key, g_str_equal, NULL))
    return lk_yaml_cursor_fail (self, error, "key '%s' is given twice", key);
  g_ptr_array_add (seen, g_strdup (key));
  return TRUE;
}

/* ---------------------------------------------------------------- the document */

/* The begin of the stream, of the document, and what is first in it. */
gboolean
lk_yaml_cursor_open (LkYamlCursor *self, GError **error)
{
  if (!lk_yaml_cursor_next (self, error) || !lk_yaml_cursor_next (self, error))
    return FALSE;
  if (self->event.type == YAML_STREAM_END_EVENT)
    return TRUE;
  if (!lk_yaml_cursor_next (self, error))
    return FALSE;
  /* An empty document has one empty scalar. */
  return !lk_yaml_cursor_is_null (self) || lk_yaml_cursor_next (self, error);
}

gboolean
lk_yaml_cursor_close (LkYamlCursor *self, GError **error)
{
  while (self->event.type != YAML_STREAM_END_EVENT) {
    if (!lk_yaml_cursor_next (self, error))
      return FALSE;
    if (self->event.type == YAML_DOCUMENT_START_EVENT)
      return lk_yaml_cursor_fail (self, error, "a second document; expected one");
  }
  return TRUE;
}

LkYamlCursor *
lk_yaml_cursor_new (const char *name, const guint8 *bytes, gsize length_bytes, GQuark domain,
                    int code)
{
  LkYamlCursor *self = g_new0 (LkYamlCursor, 1);
  self->name = name;
  self->domain = domain;
  self->code = code;
  /* It only fails for want of memory, which ends us everywhere else too. */
  int is_ready = yaml_parser_initialize (&self->parser);
  LK_ASSERT (is_ready == 1);
  /* libyaml takes no NULL, not even for no bytes. */
  yaml_parser_set_input_string (&self->parser, length_bytes == 0 ? (const guint8 *)"" : bytes,
                                length_bytes);
  return self;
}

void
lk_yaml_cursor_free (LkYamlCursor *self)
{
  if (self == NULL)
    return;
  if (self->has_event)
    yaml_event_delete (&self->event);
  yaml_parser_delete (&self->parser);
  g_free (self);
}
