/* tests/traces/random_test.c — the generator's known answers, its streams, and what GSL makes of
 * it. */
#include "traces/random.h"

#include <gsl/gsl_randist.h>
#include <math.h>

#define DRAW_COUNT 200000u

/* Counter, key and answer as in tests/kat_vectors of Random123, the authors' own code. */
static void
test_known_answers (void)
{
  const struct {
    guint32 counter[4];
    guint32 key[2];
    guint32 answer[4];
  } cases[] = {
    { { 0, 0, 0, 0 }, { 0, 0 }, { 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8 } },
    { { 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff },
      { 0xffffffff, 0xffffffff },
      { 0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd } },
    { { 0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344 },
      { 0xa4093822, 0x299f31d0 },
      { 0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1 } },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    guint32 words[4];
    lk_random_block ((guint64)cases[i].key[1] << 32 | cases[i].key[0],
                     (guint64)cases[i].counter[3] << 32 | cases[i].counter[2],
                     (guint64)cases[i].counter[1] << 32 | cases[i].counter[0], words);
    for (guint w = 0; w < 4; w++)
      g_assert_cmphex (words[w], ==, cases[i].answer[w]);
  }
}

static void
test_order_of_words (void)
{
  g_autoptr (gsl_rng) random = lk_random_new (7, 9);
  for (guint64 block = 0; block < 100; block++) {
    guint32 words[4];
    lk_random_block (7, 9, block, words);
    for (guint w = 0; w < 4; w++)
      g_assert_cmphex (gsl_rng_get (random), ==, words[w]);
  }
}

static void
test_seek (void)
{
  g_autoptr (gsl_rng) random = lk_random_new (1, 2);
  g_autoptr (gsl_rng) other = lk_random_new (3, 4);
  for (guint i = 0; i < 4 * 250 + 3; i++)
    gsl_rng_get (random);
  gsl_rng_get (random);
  lk_random_seek (other, 1, 2, 251);
  for (guint i = 0; i < 100; i++)
    g_assert_cmphex (gsl_rng_get (random), ==, gsl_rng_get (other));
}

/* Correlation of two streams' reals; of independent ones it has a standard deviation of 1 / sqrt
 * (n) = 0.0022. */
static double
correlation (guint64 seed_a, guint64 stream_a, guint64 seed_b, guint64 stream_b)
{
  g_autoptr (gsl_rng) a = lk_random_new (seed_a, stream_a);
  g_autoptr (gsl_rng) b = lk_random_new (seed_b, stream_b);
  double sum = 0;
  for (guint i = 0; i < DRAW_COUNT; i++)
    sum += (gsl_rng_uniform (a) - 0.5) * (gsl_rng_uniform (b) - 0.5) * 12;
  return sum / DRAW_COUNT;
}

static void
test_streams (void)
{
  g_assert_cmpfloat_with_epsilon (correlation (1, 1, 1, 1), 1, 0.02);
  g_assert_cmpfloat_with_epsilon (correlation (1, 1, 1, 2), 0, 0.01);
  g_assert_cmpfloat_with_epsilon (correlation (1, 1, 2, 1), 0, 0.01);
  g_assert_cmpfloat_with_epsilon (
      correlation (1, LK_STREAM_NODES, G_GUINT64_CONSTANT (1) << 32, LK_STREAM_NODES), 0, 0.01);
}

/* 256 bins of the reals: chi-square with 255 degrees of freedom has mean 255 and standard deviation
 * 22.6. */
static void
test_uniform (void)
{
  g_autoptr (gsl_rng) random = lk_random_new (5, 0);
  guint counts[256] = { 0 };
  guint odd_count = 0;
  for (guint i = 0; i < DRAW_COUNT; i++) {
    double value = gsl_rng_uniform (random);
    g_assert_cmpfloat (value, >=, 0);
    g_assert_cmpfloat (value, <, 1);
    counts[(guint)(value * 256)]++;
    odd_count += (guint64)ldexp (value, 53) & 1; /* the last of 53 bits is there too */
  }
  double expected = DRAW_COUNT / 256.0;
  double chi_square = 0;
  for (guint i = 0; i < 256; i++)
    chi_square += (counts[i] - expected) * (counts[i] - expected) / expected;
  g_assert_cmpfloat (chi_square, >, 180);
  g_assert_cmpfloat (chi_square, <, 340);
  g_assert_cmpfloat_with_epsilon (odd_count / (double)DRAW_COUNT, 0.5, 0.01);
}

static void
test_gsl (void)
{
  gsl_rng *random = gsl_rng_alloc (lk_random_type);
  gsl_rng_set (random, 11);
  double sum = 0;
  double square_sum = 0;
  for (guint i = 0; i < DRAW_COUNT; i++) {
    double value = gsl_ran_gamma (random, 4.2, 0.94);
    sum += value;
    square_sum += value * value;
  }
  double mean = sum / DRAW_COUNT;
  g_assert_cmpfloat_with_epsilon (mean, 4.2 * 0.94, 0.03);
  g_assert_cmpfloat_with_epsilon (square_sum / DRAW_COUNT - mean * mean, 4.2 * 0.94 * 0.94, 0.1);
  g_autoptr (gsl_rng) same = lk_random_new (11, 0);
  gsl_rng_set (random, 11);
  for (guint i = 0; i < 10; i++)
    g_assert_cmphex (gsl_rng_get (random), ==, gsl_rng_get (same));
  gsl_rng_free (random);
}

static void
test_below (void)
{
  g_autoptr (gsl_rng) random = lk_random_new (3, 3);
  guint counts[7] = { 0 };
  for (guint i = 0; i < DRAW_COUNT; i++)
    counts[lk_random_below (random, 7)]++;
  for (guint i = 0; i < 7; i++)
    g_assert_cmpfloat_with_epsilon (counts[i] / (double)DRAW_COUNT, 1 / 7.0, 0.004);
  g_assert_cmpuint (lk_random_below (random, 1), ==, 0);
  /* Three quarters of all numbers: taken without rejecting, the lowest third would come half the
   * time. */
  guint64 quarter = G_GUINT64_CONSTANT (1) << 62;
  guint low_count = 0;
  for (guint i = 0; i < DRAW_COUNT; i++) {
    guint64 value = lk_random_below (random, 3 * quarter);
    g_assert_cmpuint (value, <, 3 * quarter);
    low_count += value < quarter;
  }
  g_assert_cmpfloat_with_epsilon (low_count / (double)DRAW_COUNT, 1 / 3.0, 0.005);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/traces/random/gives the published answers", test_known_answers);
  g_test_add_func ("/traces/random/hands out the words of a block in order", test_order_of_words);
  g_test_add_func ("/traces/random/goes to any place of a stream at once", test_seek);
  g_test_add_func ("/traces/random/has streams and seeds that do not resemble each other",
                   test_streams);
  g_test_add_func ("/traces/random/draws reals of 53 bits evenly", test_uniform);
  g_test_add_func ("/traces/random/feeds the distributions of GSL", test_gsl);
  g_test_add_func ("/traces/random/draws whole numbers below a bound evenly", test_below);
  return g_test_run ();
}
