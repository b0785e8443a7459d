/* engine/bytes.h — the primitive types of the canonical encoding: little-endian, fixed width,
 * bounds first.
 *
 * Writers need the room to be there (sizes are computed first).  The reader keeps a sticky failure
 * flag, so that a decoder reads all its fields and asks once. */
#ifndef LK_ENGINE_BYTES_H
#define LK_ENGINE_BYTES_H

#include <glib.h>
#include <string.h>

static inline guint8 *
lk_put_u8 (guint8 *at, guint8 value)
{
  *at = value;
  return at + 1;
}

static inline guint8 *
lk_put_u16 (guint8 *at, guint16 value)
{
  value = GUINT16_TO_LE (value);
  memcpy (at, &value, sizeof value);
  return at + sizeof value;
}

static inline guint8 *
lk_put_u32 (guint8 *at, guint32 value)
{
  value = GUINT32_TO_LE (value);
  memcpy (at, &value, sizeof value);
  return at + sizeof value;
}

static inline guint8 *
lk_put_u64 (guint8 *at, guint64 value)
{
  value = GUINT64_TO_LE (value);
  memcpy (at, &value, sizeof value);
  return at + sizeof value;
}

static inline guint8 *
lk_put_i64 (guint8 *at, gint64 value)
{
  return lk_put_u64 (at, (guint64)value);
}

static inline void
lk_append_u8 (GByteArray *out, guint8 value)
{
  g_byte_array_append (out, &value, 1);
}

static inline void
lk_append_u32 (GByteArray *out, guint32 value)
{
  guint8 bytes[4];
  lk_put_u32 (bytes, value);
  g_byte_array_append (out, bytes, sizeof bytes);
}

static inline void
lk_append_u64 (GByteArray *out, guint64 value)
{
  guint8 bytes[8];
  lk_put_u64 (bytes, value);
  g_byte_array_append (out, bytes, sizeof bytes);
}

static inline void
lk_append_i64 (GByteArray *out, gint64 value)
{
  lk_append_u64 (out, (guint64)value);
}

typedef struct {
  const guint8 *at;
  gsize left_bytes;
  gboolean failed; /* a read went past the end, or a value was not canonical */
} LkBytesReader;

static inline const guint8 *
lk_take (LkBytesReader *reader, gsize length_bytes)
{
  if (reader->failed || reader->left_bytes < length_bytes) {
    reader->failed = TRUE;
    return NULL;
  }
  const guint8 *at = reader->at;
  reader->at += length_bytes;
  reader->left_bytes -= length_bytes;
  return at;
}

static inline guint8
lk_take_u8 (LkBytesReader *reader)
{
  const guint8 *at = lk_take (reader, 1);
  return at != NULL ? *at : 0;
}

static inline guint16
lk_take_u16 (LkBytesReader *reader)
{
  guint16 value = 0;
  const guint8 *at = lk_take (reader, sizeof value);
  if (at != NULL)
    memcpy (&value, at, sizeof value);
  return GUINT16_FROM_LE (value);
}

static inline guint32
lk_take_u32 (LkBytesReader *reader)
{
  guint32 value = 0;
  const guint8 *at = lk_take (reader, sizeof value);
  if (at != NULL)
    memcpy (&value, at, sizeof value);
  return GUINT32_FROM_LE (value);
}

static inline guint64
lk_take_u64 (LkBytesReader *reader)
{
  guint64 value = 0;
  const guint8 *at = lk_take (reader, sizeof value);
  if (at != NULL)
    memcpy (&value, at, sizeof value);
  return GUINT64_FROM_LE (value);
}

static inline gint64
lk_take_i64 (LkBytesReader *reader)
{
  return (gint64)lk_take_u64 (reader);
}

#endif
