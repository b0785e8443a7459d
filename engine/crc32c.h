/* engine/crc32c.h — CRC-32C (Castagnoli, RFC 3720 appendix B.4), for the journal's records. */
#ifndef LK_ENGINE_CRC32C_H
#define LK_ENGINE_CRC32C_H

#include <glib.h>

/* Tables for sixteen bytes a step; 16 KiB, made once by whoever writes or reads records. */
typedef struct {
  guint32 table[16][256];
  gboolean has_instruction; /* the processor computes it itself: same result, faster */
} LkCrc32c;

void lk_crc32c_init (LkCrc32c *self);
/* CRC of the bytes; "123456789" gives 0xe3069283. */
guint32 lk_crc32c (const LkCrc32c *self, const guint8 *bytes, gsize length_bytes);

#endif
