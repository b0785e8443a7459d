/* live/core/bytes_field.h — the field type `bytes` of messages and of batch jobs: size, put, take,
 * JSON.  Beside engine/codec_fields.h, and for the same users. */
#ifndef LK_LIVE_CORE_BYTES_FIELD_H
#define LK_LIVE_CORE_BYTES_FIELD_H

#include "engine/codec_fields.h"
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

#endif
