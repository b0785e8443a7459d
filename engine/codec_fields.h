/* engine/codec_fields.h — one operation per field type of a schema: size, put, take, JSON.
 *
 * For the codecs that are made from schema tables (engine/codec.c, live/core/message.c) and for
 * nobody else: a codec expands a table's fields to size_TYPE, lk_put_TYPE, lk_take_TYPE and
 * json_TYPE. */
#ifndef LK_ENGINE_CODEC_FIELDS_H
#define LK_ENGINE_CODEC_FIELDS_H

#include <string.h>

#include "engine/bytes.h"
#include "engine/codec.h"

static inline gsize
size_u8 (guint8 value)
{
  (void)value;
  return 1;
}
static inline gsize
size_u16 (guint16 value)
{
  (void)value;
  return 2;
}
static inline gsize
size_u32 (guint32 value)
{
  (void)value;
  return 4;
}
static inline gsize
size_u64 (guint64 value)
{
  (void)value;
  return 8;
}
static inline gsize
size_i64 (gint64 value)
{
  (void)value;
  return 8;
}
static inline gsize
size_text (LkText value)
{
  return sizeof (guint16) + value.length_bytes;
}

static inline guint8 *
lk_put_text (guint8 *at, LkText value)
{
  at = lk_put_u16 (at, value.length_bytes);
  if (value.length_bytes > 0)
    memcpy (at, value.bytes, value.length_bytes);
  return at + value.length_bytes;
}

static inline LkText
lk_take_text (LkBytesReader *reader)
{
  LkText value = { NULL, 0 };
  guint16 length_bytes = lk_take_u16 (reader);
  const guint8 *at = lk_take (reader, length_bytes);
  if (at == NULL)
    return value;
  if (!g_utf8_validate_len ((const char *)at, length_bytes, NULL)) {
    reader->failed = TRUE;
    return value;
  }
  value.bytes = (const char *)at;
  value.length_bytes = length_bytes;
  return value;
}

static inline gsize
size_long_text (LkLongText value)
{
  return sizeof (guint32) + value.length_bytes;
}

static inline guint8 *
lk_put_long_text (guint8 *at, LkLongText value)
{
  at = lk_put_u32 (at, value.length_bytes);
  if (value.length_bytes > 0)
    memcpy (at, value.bytes, value.length_bytes);
  return at + value.length_bytes;
}

static inline LkLongText
lk_take_long_text (LkBytesReader *reader)
{
  LkLongText value = { NULL, 0 };
  guint32 length_bytes = lk_take_u32 (reader);
  const guint8 *at = lk_take (reader, length_bytes);
  if (at == NULL)
    return value;
  if (!g_utf8_validate_len ((const char *)at, length_bytes, NULL)) {
    reader->failed = TRUE;
    return value;
  }
  value.bytes = (const char *)at;
  value.length_bytes = length_bytes;
  return value;
}

static inline void
json_key (GString *out, const char *name)
{
  if (out->len > 0 && out->str[out->len - 1] != '{')
    g_string_append_c (out, ',');
  g_string_append_c (out, '"');
  g_string_append (out, name);
  g_string_append (out, "\":");
}

static inline void
json_u64 (GString *out, const char *name, guint64 value)
{
  json_key (out, name);
  g_string_append_printf (out, "%" G_GUINT64_FORMAT, value);
}
static inline void
json_u8 (GString *out, const char *name, guint8 value)
{
  json_u64 (out, name, value);
}
static inline void
json_u16 (GString *out, const char *name, guint16 value)
{
  json_u64 (out, name, value);
}
static inline void
json_u32 (GString *out, const char *name, guint32 value)
{
  json_u64 (out, name, value);
}
static inline void
json_i64 (GString *out, const char *name, gint64 value)
{
  json_key (out, name);
  g_string_append_printf (out, "%" G_GINT64_FORMAT, value);
}

static inline void
json_quote (GString *out, const char *bytes, gsize length_bytes)
{
  g_string_append_c (out, '"');
  for (gsize i = 0; i < length_bytes; i++) {
    guchar c = (guchar)bytes[i];
    if (c == '"' || c == '\\')
      g_string_append_printf (out, "\\%c", c);
    else if (c < 0x20)
      g_string_append_printf (out, "\\u%04x", c);
    else
      g_string_append_c (out, (char)c);
  }
  g_string_append_c (out, '"');
}

static inline void
json_text (GString *out, const char *name, LkText value)
{
  json_key (out, name);
  json_quote (out, value.bytes, value.length_bytes);
}

static inline void
json_long_text (GString *out, const char *name, LkLongText value)
{
  json_key (out, name);
  json_quote (out, value.bytes, value.length_bytes);
}

#define SIZE_FIELD(type, name, help) size += size_##type (fields->name);
#define PUT_FIELD(type, name, help) at = lk_put_##type (at, fields->name);
#define TAKE_FIELD(type, name, help) fields->name = lk_take_##type (&reader);
#define JSON_FIELD(type, name, help) json_##type (out, #name, fields->name);

#endif
