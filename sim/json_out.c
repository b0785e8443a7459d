/* sim/json_out.c — see json_out.h. */
#include "sim/json_out.h"

#include <math.h>

#include "engine/assert.h"
#include "sim/decimal.h"

void
lk_json_out_init (LkJsonOut *self, GString *text)
{
  self->text = text;
  self->depth = 0;
  self->is_first = TRUE;
}

static void
append_escaped (GString *text, const char *value)
{
  g_autofree char *valid = g_utf8_make_valid (value, -1);
  g_string_append_c (text, '"');
  for (const char *at = valid; *at != '\0'; at++) {
    guchar byte = (guchar)*at;
    if (byte == '"' || byte == '\\') {
      g_string_append_c (text, '\\');
      g_string_append_c (text, *at);
    } else if (byte < 0x20)
      g_string_append_printf (text, "\\u%04x", byte);
    else
      g_string_append_c (text, *at);
  }
  g_string_append_c (text, '"');
}

static void
new_line (LkJsonOut *self)
{
  g_string_append_c (self->text, '\n');
  for (guint i = 0; i < self->depth; i++)
    g_string_append (self->text, "  ");
}

/* What stands before a value. */
static void
begin_value (LkJsonOut *self, const char *key)
{
  if (!self->is_first)
    g_string_append_c (self->text, ',');
  if (self->depth > 0)
    new_line (self);
  self->is_first = FALSE;
  if (key == NULL)
    return;
  append_escaped (self->text, key);
  g_string_append (self->text, ": ");
}

static void
begin_group (LkJsonOut *self, const char *key, char bracket)
{
  begin_value (self, key);
  g_string_append_c (self->text, bracket);
  self->depth++;
  self->is_first = TRUE;
}

static void
end_group (LkJsonOut *self, char bracket)
{
  LK_ASSERT (self->depth > 0);
  self->depth--;
  if (!self->is_first)
    new_line (self);
  g_string_append_c (self->text, bracket);
  self->is_first = FALSE;
  if (self->depth == 0)
    g_string_append_c (self->text, '\n');
}

void
lk_json_out_object_begin (LkJsonOut *self, const char *key)
{
  begin_group (self, key, '{');
}

void
lk_json_out_object_end (LkJsonOut *self)
{
  end_group (self, '}');
}

void
lk_json_out_array_begin (LkJsonOut *self, const char *key)
{
  begin_group (self, key, '[');
}

void
lk_json_out_array_end (LkJsonOut *self)
{
  end_group (self, ']');
}

void
lk_json_out_text (LkJsonOut *self, const char *key, const char *value)
{
  begin_value (self, key);
  if (value == NULL)
    g_string_append (self->text, "null");
  else
    append_escaped (self->text, value);
}

void
lk_json_out_count (LkJsonOut *self, const char *key, guint64 value)
{
  begin_value (self, key);
  g_string_append_printf (self->text, "%" G_GUINT64_FORMAT, value);
}

void
lk_json_out_integer (LkJsonOut *self, const char *key, gint64 value)
{
  begin_value (self, key);
  g_string_append_printf (self->text, "%" G_GINT64_FORMAT, value);
}

void
lk_json_out_real (LkJsonOut *self, const char *key, double value)
{
  char text[LK_REAL_TEXT_BYTES];
  begin_value (self, key);
  lk_real_text (value, text);
  g_string_append (self->text, isfinite (value) ? text : "null");
}

void
lk_json_out_seconds (LkJsonOut *self, const char *key, gint64 time_us)
{
  char text[LK_DECIMAL_MAX_BYTES];
  begin_value (self, key);
  g_string_append_len (self->text, text, lk_decimal_seconds (text, time_us) - text);
}

void
lk_real_text (double value, char out_text[LK_REAL_TEXT_BYTES])
{
  static const char *const formats[] = { "%.15g", "%.16g", "%.17g" };
  for (guint i = 0; i < G_N_ELEMENTS (formats); i++) {
    g_ascii_formatd (out_text, LK_REAL_TEXT_BYTES, formats[i], value);
    double back = g_ascii_strtod (out_text, NULL);
    if (!(back < value) && !(back > value))
      return;
  }
}
