/* traces/random.c — see random.h. Names of constants are those of the paper. */
#include "traces/random.h"

#include "engine/assert.h"

#define ROUND_COUNT 10u
#define PHILOX_M0 0xD2511F53u /* multipliers of the two halves */
#define PHILOX_M1 0xCD9E8D57u
#define PHILOX_W0 0x9E3779B9u /* what the key goes up by: the golden ratio, sqrt (3) - 1 */
#define PHILOX_W1 0xBB67AE85u
#define WORD_COUNT 4u

typedef struct {
  guint64 seed;
  guint64 stream;
  guint64 block_index; /* of the next block */
  guint32 words[WORD_COUNT];
  guint32 used_count; /* of them */
} State;

void
lk_random_block (guint64 seed, guint64 stream, guint64 block_index, guint32 out_words[4])
{
  guint32 c0 = (guint32)block_index;
  guint32 c1 = (guint32)(block_index >> 32);
  guint32 c2 = (guint32)stream;
  guint32 c3 = (guint32)(stream >> 32);
  guint32 k0 = (guint32)seed;
  guint32 k1 = (guint32)(seed >> 32);
  for (guint i = 0; i < ROUND_COUNT; i++) {
    guint64 p0 = (guint64)PHILOX_M0 * c0;
    guint64 p1 = (guint64)PHILOX_M1 * c2;
    c0 = (guint32)(p1 >> 32) ^ c1 ^ k0;
    c1 = (guint32)p1;
    c2 = (guint32)(p0 >> 32) ^ c3 ^ k1;
    c3 = (guint32)p0;
    k0 += PHILOX_W0;
    k1 += PHILOX_W1;
  }
  out_words[0] = c0;
  out_words[1] = c1;
  out_words[2] = c2;
  out_words[3] = c3;
}

static inline guint32
word_next (State *self)
{
  if (self->used_count == WORD_COUNT) {
    lk_random_block (self->seed, self->stream, self->block_index++, self->words);
    self->used_count = 0;
  }
  return self->words[self->used_count++];
}

/* ---------------------------------------------------------------- for GSL */

static void
state_set (void *state, unsigned long seed)
{
  State *self = state;
  *self = (State){ .seed = seed, .used_count = WORD_COUNT };
}

static unsigned long
state_get (void *state)
{
  return word_next (state);
}

static double
state_get_double (void *state)
{
  guint64 high = word_next (state) >> 5;
  guint64 low = word_next (state) >> 6;
  return (double)((high << 26) | low) * 0x1p-53;
}

static const gsl_rng_type philox = {
  .name = "philox4x32_10",
  .max = 0xFFFFFFFFu,
  .min = 0,
  .size = sizeof (State),
  .set = state_set,
  .get = state_get,
  .get_double = state_get_double,
};

const gsl_rng_type *const lk_random_type = &philox;

gsl_rng *
lk_random_new (guint64 seed, guint64 stream)
{
  gsl_rng *random = gsl_rng_alloc (&philox);
  lk_random_seek (random, seed, stream, 0);
  return random;
}

void
lk_random_seek (gsl_rng *random, guint64 seed, guint64 stream, guint64 block_index)
{
  LK_ASSERT (random->type == &philox);
  State *self = random->state;
  *self = (State){
    .seed = seed, .stream = stream, .block_index = block_index, .used_count = WORD_COUNT
  };
}

guint64
lk_random_below (gsl_rng *random, guint64 count)
{
  LK_ASSERT (count >= 1);
  /* Numbers from the last, incomplete turn of `count` would make some results likelier. */
  guint64 rejected_count = (G_MAXUINT64 % count + 1) % count;
  for (;;) {
    guint64 high = gsl_rng_get (random);
    guint64 value = (high << 32) | gsl_rng_get (random);
    if (value <= G_MAXUINT64 - rejected_count)
      return value % count;
  }
}
