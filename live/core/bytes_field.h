/* live/core/bytes_field.h — the field types of messages, batch jobs and tasks of steps that are
 * bytes: size, put, take, JSON.  Beside engine/codec_fields.h, and for the same users. */
#ifndef LK_LIVE_CORE_BYTES_FIELD_H
#define LK_LIVE_CORE_BYTES_FIELD_H

#include "engine/codec_fields.h"
#include <string.h>

#include "live/core/bytes.h"

static inline gsize
size_bytes (LkBytes value)
{
  return sizeof (guint32) + value.length_bytes;
}

static inline guint8 *
lk_put_bytes (guint8 *at, LkBytes value)
{
  at = lk_put_u32 (at, value.length_bytes);
  if (value.length_bytes > 0)
    memcpy (at, value.bytes, value.length_bytes);
  return at + value.length_bytes;
}

static inline LkBytes
lk_take_bytes (LkBytesReader *reader)
{
  LkBytes value = { NULL, 0 };
  guint32 length_bytes = lk_take_u32 (reader);
  const guint8 *at = lk_take (reader, length_bytes);
  if (at != NULL)
    value = (LkBytes){ at, length_bytes };
  return value;
}

static inline void
json_bytes (GString *out, const char *name, LkBytes value)
{
  json_key (out, name);
  g_string_append_printf (out, "{\"length_bytes\":%u}", value.length_bytes);
}

/* ---------------------------------------------------------------- paths and lists of strings */

#define size_path size_bytes
#define lk_put_path lk_put_bytes
#define size_strings size_bytes
#define lk_put_strings lk_put_bytes
#define json_strings json_bytes

static inline gboolean
is_path (LkPath value)
{
  return value.length_bytes <= LK_PATH_MAX_BYTES
         && (value.length_bytes == 0 || memchr (value.bytes, 0, value.length_bytes) == NULL);
}

static inline gboolean
is_strings (LkStrings value)
{
  return value.length_bytes == 0 || value.bytes[value.length_bytes - 1] == 0;
}

static inline LkPath
lk_take_path (LkBytesReader *reader)
{
  LkPath value = lk_take_bytes (reader);
  reader->failed = reader->failed || !is_path (value);
  return value;
}

static inline LkStrings
lk_take_strings (LkBytesReader *reader)
{
  LkStrings value = lk_take_bytes (reader);
  reader->failed = reader->failed || !is_strings (value);
  return value;
}

/* What is no UTF-8 in a path is shown as U+FFFD. */
static inline void
json_path (GString *out, const char *name, LkPath value)
{
  json_key (out, name);
  g_autofree char *shown = g_utf8_make_valid (
      value.length_bytes > 0 ? (const char *)value.bytes : "", (gssize)value.length_bytes);
  json_quote (out, shown, strlen (shown));
}

#endif
