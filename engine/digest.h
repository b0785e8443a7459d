/* engine/digest.h — a running 128-bit digest.
 *
 * SipHash-1-3 with a fixed key and 128-bit output (Aumasson & Bernstein 2012), fed in 64-bit
 * little-endian words.  It finds differences; it is no protection against someone who wants two
 * runs to look alike. */
#ifndef LK_ENGINE_DIGEST_H
#define LK_ENGINE_DIGEST_H

#include <glib.h>

typedef struct {
  guint64 v[4];
  guint64 byte_count;
} LkDigest;

typedef struct {
  guint64 low;
  guint64 high;
} LkDigestValue;

void lk_digest_init (LkDigest *self);
/* Absorbs a piece. The pieces' limits count: absorbing "ab" is not absorbing "a", then "b". */
void lk_digest_add (LkDigest *self, const guint8 *bytes, gsize length_bytes);
/* The value so far; self can go on. */
LkDigestValue lk_digest_value (const LkDigest *self);
gboolean lk_digest_value_equal (LkDigestValue a, LkDigestValue b);

#define LK_DIGEST_TEXT_BYTES 33u
/* 32 hexadecimal digits, high half first. */
void lk_digest_value_text (LkDigestValue value, char out_text[LK_DIGEST_TEXT_BYTES]);

#endif
