/* engine/crc32c.c — by the processor's own instruction where there is one (SSE 4.2), else by
 * slicing by sixteen (Kounavis & Berry 2005). */
#include "engine/crc32c.h"

#include <string.h>

#include "engine/assert.h"

#define POLYNOMIAL_REFLECTED 0x82f63b78u

#ifdef __x86_64__
static gboolean
processor_has_instruction (void)
{
  return __builtin_cpu_supports ("sse4.2") != 0;
}

__attribute__ ((target ("sse4.2"))) static guint32
crc_by_instruction (const guint8 *bytes, gsize length_bytes)
{
  guint64 crc = ~0u;
  for (; length_bytes >= 8; bytes += 8, length_bytes -= 8) {
    guint64 word;
    memcpy (&word, bytes, sizeof word);
    crc = __builtin_ia32_crc32di (crc, word);
  }
  guint32 tail = (guint32)crc;
  for (; length_bytes > 0; bytes++, length_bytes--)
    tail = __builtin_ia32_crc32qi (tail, *bytes);
  return ~tail;
}
#else
static gboolean
processor_has_instruction (void)
{
  return FALSE;
}

static guint32
crc_by_instruction (const guint8 *bytes, gsize length_bytes)
{
  (void)bytes;
  (void)length_bytes;
  LK_UNREACHABLE ("there is no such instruction");
}
#endif

void
lk_crc32c_init (LkCrc32c *self)
{
  self->has_instruction = processor_has_instruction ();
  for (guint32 i = 0; i < 256; i++) {
    guint32 crc = i;
    for (int bit = 0; bit < 8; bit++)
      crc = (crc >> 1) ^ ((crc & 1) != 0 ? POLYNOMIAL_REFLECTED : 0);
    self->table[0][i] = crc;
  }
  for (int slice = 1; slice < 16; slice++)
    for (guint32 i = 0; i < 256; i++) {
      guint32 crc = self->table[slice - 1][i];
      self->table[slice][i] = (crc >> 8) ^ self->table[0][crc & 255];
    }
}

/* CRC contribution of one 32-bit word whose bytes are `slice` + 3 ... `slice` bytes before the end
 * of the step. */
static inline guint32
word_crc (const LkCrc32c *self, guint32 word, int slice)
{
  return self->table[slice + 3][word & 255] ^ self->table[slice + 2][(word >> 8) & 255]
         ^ self->table[slice + 1][(word >> 16) & 255] ^ self->table[slice][word >> 24];
}

guint32
lk_crc32c (const LkCrc32c *self, const guint8 *bytes, gsize length_bytes)
{
  guint32 crc = ~0u;
  if (self->has_instruction)
    return crc_by_instruction (bytes, length_bytes);
  for (; length_bytes >= 16; bytes += 16, length_bytes -= 16) {
    guint32 word[4];
    memcpy (word, bytes, sizeof word);
    crc = word_crc (self, GUINT32_FROM_LE (word[0]) ^ crc, 12)
          ^ word_crc (self, GUINT32_FROM_LE (word[1]), 8)
          ^ word_crc (self, GUINT32_FROM_LE (word[2]), 4)
          ^ word_crc (self, GUINT32_FROM_LE (word[3]), 0);
  }
  for (; length_bytes > 0; bytes++, length_bytes--)
    crc = (crc >> 8) ^ self->table[0][(crc ^ *bytes) & 255];
  return ~crc;
}
