/* traces/random.h — the one source of random numbers of generators and models.
 *
 * Philox4x32-10 (Salmon, Moraes, Dror & Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC
 * 2011): a keyed mixing of a counter, so that any number of any stream can be had without drawing
 * those before it.  The key is the seed.  Of the counter's 128 bits the high 64 are the stream and
 * the low 64 the number of the block of four words in it.  Streams of one seed, and equal streams
 * of two seeds, are independent of each other: what one part of a program draws never moves what
 * another part gets.
 *
 * It is a gsl_rng, so that GSL's distributions draw from it.  The words do not depend on the
 * machine; what GSL makes of them goes through libm.
 *
 * Not here: secrets.  Not for the engine or policies either, which draw nothing. */
#ifndef LK_TRACES_RANDOM_H
#define LK_TRACES_RANDOM_H

#include <glib.h>
#include <gsl/gsl_rng.h>

/* Who draws from which stream.  The numbers are for ever: another one makes other logs of the same
 * seed. */
typedef enum {
  LK_STREAM_LUBLIN = 1, /* and the next three, one for each type of jobs */
  LK_STREAM_LUBLIN_SIDE = 5,
  LK_STREAM_ESTIMATES = 6,
  LK_STREAM_ARRIVALS = 7,
  LK_STREAM_SIZES = 8,
  LK_STREAM_RUN_TIMES = 9,
  LK_STREAM_RESAMPLE_USERS = 10,
  LK_STREAM_RESAMPLE_WEEKS = 11,
  LK_STREAM_LAUNCH = 12,
  LK_STREAM_SHAKE = 13,
  LK_STREAM_FUTURE_RUNS = 14,
  LK_STREAM_FUTURE_DAYS = 15,
  /* From here on one for each parameter of a plan. */
  LK_STREAM_STUDY = 1 << 20,
  /* From here on one for each node. */
  LK_STREAM_NODES = 1 << 30,
} LkRandomStream;

/* Four words of key `seed` and counter. */
void lk_random_block (guint64 seed, guint64 stream, guint64 block_index, guint32 out_words[4]);

/* A generator at the beginning of a stream. Returns: (transfer full), to be freed with
 * gsl_rng_free. */
gsl_rng *lk_random_new (guint64 seed, guint64 stream);

/* Moves a generator of lk_random_new to the first word of a block of a stream. */
void lk_random_seek (gsl_rng *random, guint64 seed, guint64 stream, guint64 block_index);

/* For gsl_rng_alloc: stream 0 of the seed that gsl_rng_set gives. Words have 32 bits; reals in
 * [0, 1) have 53, from two words. */
extern const gsl_rng_type *const lk_random_type;

/* A whole number in [0, count), each as likely. `count` >= 1. */
guint64 lk_random_below (gsl_rng *random, guint64 count);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (gsl_rng, gsl_rng_free)

#endif
