/* sim/whatif/snapshot.c — see the header.
 *
 * 8 magic bytes, u32 CRC-32C of what follows, then records, of which the first is the state: u32
 * length, u8 kind, u64 length of the journal, u64 number of the last event. */
#include "sim/whatif/snapshot.h"

#include <string.h>

#include "engine/bytes.h"
#include "engine/crc32c.h"

#define MAGIC "LKCSNAP1"
#define MAGIC_BYTES 8u
#define KIND_STATE 82u

static guint64
seq_of (const guint8 *bytes, gsize length_bytes)
{
  LkCrc32c crc;
  if (length_bytes < MAGIC_BYTES || memcmp (bytes, MAGIC, MAGIC_BYTES) != 0)
    return 0;
  LkBytesReader reader = { bytes + MAGIC_BYTES, length_bytes - MAGIC_BYTES, FALSE };
  guint32 wanted = lk_take_u32 (&reader);
  lk_crc32c_init (&crc);
  if (lk_crc32c (&crc, reader.at, reader.left_bytes) != wanted)
    return 0;
  lk_take_u32 (&reader);
  if (lk_take_u8 (&reader) != KIND_STATE)
    return 0;
  lk_take_u64 (&reader);
  return lk_take_u64 (&reader);
}

guint64
lk_whatif_snapshot_seq (const char *path)
{
  GMappedFile *mapping = g_mapped_file_new (path, FALSE, NULL);
  guint64 seq = 0;
  if (mapping == NULL)
    return 0;
  if (g_mapped_file_get_length (mapping) > 0)
    seq = seq_of ((const guint8 *)g_mapped_file_get_contents (mapping),
                  g_mapped_file_get_length (mapping));
  g_mapped_file_unref (mapping);
  return seq;
}
