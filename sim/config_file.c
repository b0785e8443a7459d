/* sim/config_file.c — see config_file.h.
 *
 * libyaml's events are read one by one and each is refused at its own place when it does not
 * belong there. The depth is bounded by the grammar: file mapping, policy mapping, order
 * mapping.
 *
 * Source: YAML 1.1; a plain empty scalar, `~` and `null` are no value. */
#include "sim/config_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <yaml.h>

#include "policies/spec.h"
#include "engine/suggest.h"
#include "sim/error.h"

static const char *const list_keys[] = { "plugin", "map", NULL };
static const char *const policy_keys[] = { "order", "backfill", "select", NULL };

typedef struct {
  const char *path;
  const char *const *known_keys;
  yaml_parser_t parser;
  yaml_event_t event; /* the current one */
  gboolean has_event;
  GPtrArray *pairs;
  GError **error;
} Reader;

static void
pair_free (gpointer data)
{
  LkConfigPair *pair = data;
  g_free (pair->key);
  g_free (pair->value);
  g_free (pair);
}

/* ---------------------------------------------------------------- errors and events */

static gboolean fail_at (Reader *self, const yaml_mark_t *mark, const char *format, ...)
    G_GNUC_PRINTF (3, 4);

static gboolean
fail_at (Reader *self, const yaml_mark_t *mark, const char *format, ...)
{
  va_list arguments;
  va_start (arguments, format);
  g_autofree char *text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  g_set_error (self->error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE,
               "%s:%" G_GSIZE_FORMAT ":%" G_GSIZE_FORMAT ": %s", self->path, mark->line + 1,
               mark->column + 1, text);
  return FALSE;
}

/* What libyaml found wrong, at the place where it found it. */
static gboolean
fail_parser (Reader *self)
{
  const yaml_parser_t *parser = &self->parser;
  yaml_mark_t mark = parser->problem_mark;
  const char *problem = parser->problem == NULL ? "not YAML" : parser->problem;
  if (parser->error == YAML_READER_ERROR) {
    g_set_error (self->error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE, "%s: byte %" G_GSIZE_FORMAT ": %s",
                 self->path, parser->problem_offset, problem);
    return FALSE;
  }
  return fail_at (self, &mark, "%s%s%s", problem, parser->context == NULL ? "" : " ",
                  parser->context == NULL ? "" : parser->context);
}

static gboolean
fail_if_decorated (Reader *self, const yaml_char_t *anchor, const yaml_char_t *tag)
{
  if (anchor != NULL)
    return fail_at (self, &self->event.start_mark, "anchors are not supported here");
  /* The "!" of a quoted scalar is no tag that anyone wrote. */
  if (tag != NULL && strcmp ((const char *)tag, "!") != 0)
    return fail_at (self, &self->event.start_mark, "tags are not supported here");
  return TRUE;
}

static gboolean
check_event (Reader *self)
{
  const yaml_event_t *event = &self->event;
  switch (event->type) {
  case YAML_ALIAS_EVENT:
    return fail_at (self, &event->start_mark, "aliases are not supported here");
  case YAML_SCALAR_EVENT:
    if (strlen ((const char *)event->data.scalar.value) != event->data.scalar.length)
      return fail_at (self, &event->start_mark, "a value with a NUL byte");
    return fail_if_decorated (self, event->data.scalar.anchor, event->data.scalar.tag);
  case YAML_SEQUENCE_START_EVENT:
    return fail_if_decorated (self, event->data.sequence_start.anchor,
                              event->data.sequence_start.tag);
  case YAML_MAPPING_START_EVENT:
    return fail_if_decorated (self, event->data.mapping_start.anchor,
                              event->data.mapping_start.tag);
  default:
    return TRUE;
  }
}

static gboolean
next (Reader *self)
{
  if (self->has_event)
    yaml_event_delete (&self->event);
  self->has_event = FALSE;
  if (yaml_parser_parse (&self->parser, &self->event) == 0)
    return fail_parser (self);
  self->has_event = TRUE;
  return check_event (self);
}

/* ---------------------------------------------------------------- scalars */

static const char *
scalar_text (const Reader *self)
{
  return (const char *)self->event.data.scalar.value;
}

static gboolean
scalar_is_null (const Reader *self)
{
  static const char *const nulls[] = { "", "~", "null", "Null", "NULL", NULL };
  gboolean is_plain = self->event.data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
  return is_plain && g_strv_contains (nulls, scalar_text (self));
}

/* The current event must be a scalar with a value. */
static gboolean
expect_value (Reader *self, const char *key)
{
  const yaml_event_t *event = &self->event;
  if (event->type != YAML_SCALAR_EVENT)
    return fail_at (self, &event->start_mark, "'%s' is a %s; expected one value", key,
                    event->type == YAML_SEQUENCE_START_EVENT ? "list" : "mapping");
  if (scalar_is_null (self))
    return fail_at (self, &event->start_mark, "'%s' has no value", key);
  return TRUE;
}

/* The current event must be a key that is not in `seen`; takes it into `seen`. */
static gboolean
take_key (Reader *self, GPtrArray *seen)
{
  const yaml_event_t *event = &self->event;
  if (event->type != YAML_SCALAR_EVENT)
    return fail_at (self, &event->start_mark, "a key must be plain text");
  const char *key = scalar_text (self);
  if (g_ptr_array_find_with_equal_func (seen, key, g_str_equal, NULL))
    return fail_at (self, &event->start_mark, "key '%s' is given twice", key);
  g_ptr_array_add (seen, g_strdup (key));
  return TRUE;
}

static void
add_pair (Reader *self, const char *key, const char *value, const yaml_mark_t *mark)
{
  LkConfigPair *pair = g_new0 (LkConfigPair, 1);
  pair->key = g_strdup (key);
  pair->value = g_strdup (value);
  pair->line = (guint)mark->line + 1;
  pair->column = (guint)mark->column + 1;
  g_ptr_array_add (self->pairs, pair);
}

/* ---------------------------------------------------------------- policies */

/* Appends `,key=value` of the current event: a scalar, or with `nested` a mapping as a
 * specification. */
static gboolean policy_text (Reader *self, const char *key, gboolean nested, GString *out);

static gboolean
parameter_text (Reader *self, const char *key, gboolean nested, GString *out)
{
  if (nested && self->event.type == YAML_MAPPING_START_EVENT) {
    g_autoptr (GString) inner = g_string_new (NULL);
    if (!policy_text (self, key, /* nested= */ FALSE, inner))
      return FALSE;
    g_string_append (out, inner->str);
    return TRUE;
  }
  if (!expect_value (self, key))
    return FALSE;
  /* Text may run over lines; a specification does not. */
  g_autofree char *text = g_strdup (scalar_text (self));
  lk_spec_append_text (out, g_strstrip (g_strdelimit (text, "\t\n\r", ' ')));
  return TRUE;
}

/* The current event opens a mapping {name: N, key: value ...}; appends N(key=value,...). */
static gboolean
policy_text (Reader *self, const char *key, gboolean nested, GString *out)
{
  g_autoptr (GPtrArray) seen = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GString) arguments = g_string_new (NULL);
  g_autofree char *name = NULL;
  yaml_mark_t start = self->event.start_mark;
  if (!next (self))
    return FALSE;
  while (self->event.type != YAML_MAPPING_END_EVENT) {
    if (!take_key (self, seen) || !next (self))
      return FALSE;
    const char *inner = g_ptr_array_index (seen, seen->len - 1);
    if (strcmp (inner, "name") == 0) {
      if (!expect_value (self, "name"))
        return FALSE;
      name = g_strdup (scalar_text (self));
    } else {
      g_string_append_printf (arguments, "%s%s=", arguments->len == 0 ? "" : ",", inner);
      if (!parameter_text (self, inner, nested, arguments))
        return FALSE;
    }
    if (!next (self))
      return FALSE;
  }
  if (name == NULL)
    return fail_at (self, &start, "'%s' is a mapping without a 'name'", key);
  g_string_append (out, name);
  if (arguments->len > 0)
    g_string_append_printf (out, "(%s)", arguments->str);
  return TRUE;
}

/* ---------------------------------------------------------------- the file's mapping */

static gboolean
read_list (Reader *self, const char *key)
{
  if (!next (self))
    return FALSE;
  while (self->event.type != YAML_SEQUENCE_END_EVENT) {
    if (!expect_value (self, key))
      return FALSE;
    add_pair (self, key, scalar_text (self), &self->event.start_mark);
    if (!next (self))
      return FALSE;
  }
  return TRUE;
}

static gboolean
read_value (Reader *self, const char *key)
{
  yaml_mark_t mark = self->event.start_mark;
  if (self->event.type == YAML_SEQUENCE_START_EVENT && g_strv_contains (list_keys, key))
    return read_list (self, key);
  if (self->event.type == YAML_MAPPING_START_EVENT && g_strv_contains (policy_keys, key)) {
    g_autoptr (GString) spec = g_string_new (NULL);
    if (!policy_text (self, key, /* nested= */ TRUE, spec))
      return FALSE;
    add_pair (self, key, spec->str, &mark);
    return TRUE;
  }
  if (!expect_value (self, key))
    return FALSE;
  add_pair (self, key, scalar_text (self), &mark);
  return TRUE;
}

static gboolean
read_mapping (Reader *self)
{
  g_autoptr (GPtrArray) seen = g_ptr_array_new_with_free_func (g_free);
  if (!next (self))
    return FALSE;
  while (self->event.type != YAML_MAPPING_END_EVENT) {
    if (!take_key (self, seen))
      return FALSE;
    const char *key = g_ptr_array_index (seen, seen->len - 1);
    if (!g_strv_contains (self->known_keys, key)) {
      g_autofree char *phrase = lk_suggest_phrase (key, self->known_keys);
      return fail_at (self, &self->event.start_mark, "unknown key '%s'%s", key, phrase);
    }
    if (!next (self) || !read_value (self, key) || !next (self))
      return FALSE;
  }
  return TRUE;
}

/* One document that is a mapping, or no document at all. */
static gboolean
read_stream (Reader *self)
{
  if (!next (self) || !next (self))
    return FALSE;
  if (self->event.type == YAML_STREAM_END_EVENT)
    return TRUE;
  if (!next (self))
    return FALSE;
  gboolean is_empty = self->event.type == YAML_SCALAR_EVENT && scalar_is_null (self);
  if (!is_empty && self->event.type != YAML_MAPPING_START_EVENT)
    return fail_at (self, &self->event.start_mark, "expected 'key: value' lines");
  if (!is_empty && !read_mapping (self))
    return FALSE;
  /* The end of the document, then the end of the stream. */
  if (!next (self) || !next (self))
    return FALSE;
  if (self->event.type != YAML_STREAM_END_EVENT)
    return fail_at (self, &self->event.start_mark, "a second document; expected one");
  return TRUE;
}

static GByteArray *
read_bytes (const char *path, GError **error)
{
  FILE *file = fopen (path, "rbe");
  if (file == NULL) {
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_READ, "configuration '%s': cannot be opened: %s",
                 path, g_strerror (errno));
    return NULL;
  }
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  guint8 chunk[65536];
  gsize taken;
  while (bytes->len <= LK_CONFIG_FILE_MAX_BYTES
         && (taken = fread (chunk, 1, sizeof chunk, file)) > 0)
    g_byte_array_append (bytes, chunk, (guint)taken);
  gboolean failed = ferror (file) != 0;
  int code = errno;
  fclose (file);
  if (failed) {
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_READ, "configuration '%s': cannot be read: %s",
                 path, g_strerror (code));
    return NULL;
  }
  if (bytes->len > LK_CONFIG_FILE_MAX_BYTES) {
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_READ, "%s: larger than %u bytes", path,
                 LK_CONFIG_FILE_MAX_BYTES);
    return NULL;
  }
  return g_steal_pointer (&bytes);
}

gboolean
lk_config_file_read (const char *path, const char *const *known_keys, GPtrArray **out_pairs,
                     GError **error)
{
  g_autoptr (GByteArray) bytes = read_bytes (path, error);
  if (bytes == NULL)
    return FALSE;
  Reader reader = { .path = path, .known_keys = known_keys, .error = error };
  if (yaml_parser_initialize (&reader.parser) == 0) {
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_READ, "%s: the YAML reader cannot be set up",
                 path);
    return FALSE;
  }
  g_autoptr (GPtrArray) pairs = g_ptr_array_new_with_free_func (pair_free);
  reader.pairs = pairs;
  /* libyaml takes no NULL, not even for no bytes. */
  const guint8 *input = bytes->len == 0 ? (const guint8 *)"" : bytes->data;
  yaml_parser_set_input_string (&reader.parser, input, bytes->len);
  gboolean good = read_stream (&reader);
  if (reader.has_event)
    yaml_event_delete (&reader.event);
  yaml_parser_delete (&reader.parser);
  if (good)
    *out_pairs = g_steal_pointer (&pairs);
  return good;
}
