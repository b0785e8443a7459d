/* engine/digest.c — SipHash-1-3 in its 128-bit variant, as a stream of length-prefixed pieces.
 *
 * Each piece is its length in one word and then its bytes in words, the last one filled up with
 * zeros; one compression round a word, three finalisation rounds.  The key is fixed: equal input
 * gives equal digests everywhere. */
#include "engine/digest.h"

#include <string.h>

#define ROTATE(x, bits) (((x) << (bits)) | ((x) >> (64 - (bits))))

static inline void
sip_round (guint64 v[4])
{
  v[0] += v[1];
  v[1] = ROTATE (v[1], 13) ^ v[0];
  v[0] = ROTATE (v[0], 32);
  v[2] += v[3];
  v[3] = ROTATE (v[3], 16) ^ v[2];
  v[0] += v[3];
  v[3] = ROTATE (v[3], 21) ^ v[0];
  v[2] += v[1];
  v[1] = ROTATE (v[1], 17) ^ v[2];
  v[2] = ROTATE (v[2], 32);
}

static inline void
absorb (guint64 v[4], guint64 word)
{
  v[3] ^= word;
  sip_round (v);
  v[0] ^= word;
}

void
lk_digest_init (LkDigest *self)
{
  /* "lockstep" and "decision" as the key, on SipHash's constants. */
  const guint64 key_low = 0x6c6f636b73746570u;
  const guint64 key_high = 0x6465636973696f6eu;
  self->v[0] = key_low ^ 0x736f6d6570736575u;
  self->v[1] = key_high ^ 0x646f72616e646f6du ^ 0xeeu;
  self->v[2] = key_low ^ 0x6c7967656e657261u;
  self->v[3] = key_high ^ 0x7465646279746573u;
  self->byte_count = 0;
}

void
lk_digest_add (LkDigest *self, const guint8 *bytes, gsize length_bytes)
{
  guint64 v[4] = { self->v[0], self->v[1], self->v[2], self->v[3] };
  guint64 word;
  gsize left_bytes = length_bytes;

  absorb (v, length_bytes);
  for (; left_bytes >= sizeof word; bytes += sizeof word, left_bytes -= sizeof word) {
    memcpy (&word, bytes, sizeof word);
    absorb (v, GUINT64_FROM_LE (word));
  }
  if (left_bytes > 0) {
    word = 0;
    memcpy (&word, bytes, left_bytes);
    absorb (v, GUINT64_FROM_LE (word));
  }
  memcpy (self->v, v, sizeof v);
  self->byte_count += length_bytes;
}

LkDigestValue
lk_digest_value (const LkDigest *self)
{
  LkDigestValue value;
  guint64 v[4] = { self->v[0], self->v[1], self->v[2], self->v[3] };

  absorb (v, self->byte_count);
  v[2] ^= 0xeeu;
  for (int i = 0; i < 3; i++)
    sip_round (v);
  value.low = v[0] ^ v[1] ^ v[2] ^ v[3];
  v[1] ^= 0xddu;
  for (int i = 0; i < 3; i++)
    sip_round (v);
  value.high = v[0] ^ v[1] ^ v[2] ^ v[3];
  return value;
}

gboolean
lk_digest_value_equal (LkDigestValue a, LkDigestValue b)
{
  return a.low == b.low && a.high == b.high;
}

static char *
hex_digits (guint64 value, char *at)
{
  for (int shift = 60; shift >= 0; shift -= 4)
    *at++ = "0123456789abcdef"[(value >> shift) & 15];
  return at;
}

void
lk_digest_value_text (LkDigestValue value, char out_text[LK_DIGEST_TEXT_BYTES])
{
  char *at = hex_digits (value.high, out_text);
  at = hex_digits (value.low, at);
  *at = '\0';
}
