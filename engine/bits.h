/* engine/bits.h — sets of small numbers as arrays of 64-bit words, bit i of word i / 64.
 *
 * Lengths are in words and are the caller's to know. */
#ifndef LK_ENGINE_BITS_H
#define LK_ENGINE_BITS_H

#include <glib.h>

static inline guint32
lk_bits_words (guint32 bit_count)
{
  return (bit_count + 63) / 64;
}

static inline gboolean
lk_bits_has (const guint64 *set, guint32 bit)
{
  return (set[bit / 64] >> (bit % 64)) & 1;
}

static inline void
lk_bits_add (guint64 *set, guint32 bit)
{
  set[bit / 64] |= G_GUINT64_CONSTANT (1) << (bit % 64);
}

static inline void
lk_bits_remove (guint64 *set, guint32 bit)
{
  set[bit / 64] &= ~(G_GUINT64_CONSTANT (1) << (bit % 64));
}

/* Members of one word. In steps that every processor has: the compiler's own would be a call. */
static inline guint32
lk_bits_count_word (guint64 word)
{
  word -= (word >> 1) & G_GUINT64_CONSTANT (0x5555555555555555);
  word = (word & G_GUINT64_CONSTANT (0x3333333333333333))
         + ((word >> 2) & G_GUINT64_CONSTANT (0x3333333333333333));
  word = (word + (word >> 4)) & G_GUINT64_CONSTANT (0x0f0f0f0f0f0f0f0f);
  return (guint32)((word * G_GUINT64_CONSTANT (0x0101010101010101)) >> 56);
}

static inline guint32
lk_bits_count (const guint64 *set, guint32 word_count)
{
  guint32 count = 0;
  for (guint32 i = 0; i < word_count; i++)
    count += lk_bits_count_word (set[i]);
  return count;
}

/* The first member that is not below `from`, or `word_count` * 64. */
static inline guint32
lk_bits_next (const guint64 *set, guint32 word_count, guint32 from)
{
  guint32 word = from / 64;
  if (word >= word_count)
    return word_count * 64;
  guint64 rest = set[word] & (~G_GUINT64_CONSTANT (0) << (from % 64));
  while (rest == 0) {
    if (++word == word_count)
      return word_count * 64;
    rest = set[word];
  }
  return word * 64 + (guint32)__builtin_ctzll (rest);
}

/* The mask of the members of one word that lie in [from, to), counted from the word's first. */
static inline guint64
lk_bits_range (guint32 from, guint32 to)
{
  guint64 below_to = to >= 64 ? ~G_GUINT64_CONSTANT (0) : (G_GUINT64_CONSTANT (1) << to) - 1;
  return from >= 64 ? 0 : below_to & (~G_GUINT64_CONSTANT (0) << from);
}

/* How many members lie in [from, to). */
static inline guint32
lk_bits_count_range (const guint64 *set, guint32 from, guint32 to)
{
  guint32 count = 0;
  for (guint32 word = from / 64; word * 64 < to; word++) {
    guint32 base = word * 64;
    guint64 mask = lk_bits_range (from > base ? from - base : 0, to - base);
    count += lk_bits_count_word (set[word] & mask);
  }
  return count;
}

#endif
