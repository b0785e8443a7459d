/* tests/engine/real_test.c — the engine's real functions against libm in extended precision.
 *
 * The error is measured in units of the last place of the true result.  The last test pins the bits
 * of many results, so that a compiler or a machine that computes differently is found out. */
#include "engine/real.h"

#include <float.h>
#include <glib.h>
#include <math.h>
#include <string.h>

#define SAMPLE_COUNT 400000
#define ULP_MAX 1.0L

typedef double (*Real) (double x);
typedef long double (*RealLong) (long double x);

static double
double_of (guint64 bits)
{
  double x;
  memcpy (&x, &bits, sizeof x);
  return x;
}

static guint64
bits_of (double x)
{
  guint64 bits;
  memcpy (&bits, &x, sizeof bits);
  return bits;
}

/* Vigna's splitmix64: the same values on every machine. */
static guint64
next_random (guint64 *state)
{
  guint64 z = (*state += G_GUINT64_CONSTANT (0x9e3779b97f4a7c15));
  z = (z ^ (z >> 30)) * G_GUINT64_CONSTANT (0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * G_GUINT64_CONSTANT (0x94d049bb133111eb);
  return z ^ (z >> 31);
}

static double
random_between (guint64 *state, double low, double high)
{
  return low + (high - low) * ((double)(next_random (state) >> 11) * 0x1p-53);
}

static long double
ulp_of (long double value)
{
  int exponent;
  frexpl (value, &exponent);
  return ldexpl (1.0L, MAX (exponent - 53, -1074));
}

static long double
error_ulp (double got, long double wanted)
{
  if (wanted == 0.0L)
    return got == 0.0 ? 0.0L : HUGE_VALL;
  return fabsl ((long double)got - wanted) / ulp_of (wanted);
}

static void
check_close (const char *name, double x, double got, long double wanted, long double *worst)
{
  long double error = error_ulp (got, wanted);
  if (!(error < ULP_MAX))
    g_error ("%s (%a) = %a, should be %La: %Lg ulp off", name, x, got, wanted, error);
  *worst = MAX (*worst, error);
}

static void
check_log (const char *name, Real log, RealLong log_true)
{
  guint64 state = 1;
  long double worst = 0.0L;
  for (guint i = 0; i < SAMPLE_COUNT; i++) {
    /* Any positive finite number, subnormals too. */
    double any = double_of (next_random (&state) % bits_of (INFINITY));
    check_close (name, any, log (any), log_true (any), &worst);
    double small = double_of (next_random (&state) % (bits_of (DBL_MIN)));
    if (i % 8 == 0 && small > 0.0)
      check_close (name, small, log (small), log_true (small), &worst);
    /* Near 1, where the result loses its exponent. */
    double near = 1.0 + ldexp (random_between (&state, -1.0, 1.0), -(int)(i % 52) - 1);
    check_close (name, near, log (near), log_true (near), &worst);
    /* What schedulers have: processors, seconds. */
    double count = (double)(next_random (&state) % 10000000 + 1);
    if (i % 2 == 0)
      check_close (name, count, log (count), log_true (count), &worst);
  }
  g_test_message ("%s: worst error %.4Lf ulp", name, worst);
}

static void
test_log2_close (void)
{
  check_log ("log2", lk_real_log2, log2l);
}

static void
test_log10_close (void)
{
  check_log ("log10", lk_real_log10, log10l);
}

static void
test_exp2_close (void)
{
  guint64 state = 2;
  long double worst = 0.0L;
  for (guint i = 0; i < SAMPLE_COUNT; i++) {
    double any = random_between (&state, -1075.0, 1024.0);
    check_close ("exp2", any, lk_real_exp2 (any), exp2l (any), &worst);
    double small = random_between (&state, -1.0, 1.0);
    check_close ("exp2", small, lk_real_exp2 (small), exp2l (small), &worst);
    double tiny = ldexp (random_between (&state, -1.0, 1.0), -(int)(i % 1070));
    check_close ("exp2", tiny, lk_real_exp2 (tiny), exp2l (tiny), &worst);
  }
  g_test_message ("exp2: worst error %.4Lf ulp", worst);
}

static void
test_powers_of_two (void)
{
  for (int k = -1074; k <= 1023; k++) {
    g_assert_true (lk_real_log2 (ldexp (1.0, k)) == (double)k);
    g_assert_true (lk_real_exp2 ((double)k) == ldexp (1.0, k));
  }
}

static void
test_powers_of_ten (void)
{
  double power = 1.0;
  for (int k = 0; k <= 22; k++, power *= 10.0)
    g_assert_true (lk_real_log10 (power) == (double)k);
}

static void
test_log_edges (void)
{
  const Real logs[] = { lk_real_log2, lk_real_log10 };
  for (guint i = 0; i < G_N_ELEMENTS (logs); i++) {
    g_assert_true (logs[i](0.0) == -INFINITY);
    g_assert_true (logs[i](-0.0) == -INFINITY);
    g_assert_true (logs[i](-1.0) == -INFINITY);
    g_assert_true (logs[i](-INFINITY) == -INFINITY);
    g_assert_true (logs[i](INFINITY) == INFINITY);
    g_assert_true (isnan (logs[i](NAN)));
    g_assert_cmpuint (bits_of (logs[i](1.0)), ==, 0);
  }
  long double worst = 0.0L;
  const double edges[] = { double_of (1), DBL_MIN, nextafter (DBL_MIN, 0.0), DBL_MAX };
  for (guint i = 0; i < G_N_ELEMENTS (edges); i++) {
    check_close ("log2", edges[i], lk_real_log2 (edges[i]), log2l (edges[i]), &worst);
    check_close ("log10", edges[i], lk_real_log10 (edges[i]), log10l (edges[i]), &worst);
  }
}

static void
test_exp2_edges (void)
{
  g_assert_true (lk_real_exp2 (INFINITY) == INFINITY);
  g_assert_true (lk_real_exp2 (1024.0) == INFINITY);
  g_assert_true (lk_real_exp2 (1e300) == INFINITY);
  g_assert_true (isfinite (lk_real_exp2 (nextafter (1024.0, 0.0))));
  g_assert_cmpuint (bits_of (lk_real_exp2 (-INFINITY)), ==, 0);
  g_assert_cmpuint (bits_of (lk_real_exp2 (-1e300)), ==, 0);
  g_assert_cmpuint (bits_of (lk_real_exp2 (-1075.5)), ==, 0);
  g_assert_cmpuint (bits_of (lk_real_exp2 (-1075.0)), ==, 0);
  g_assert_cmpuint (bits_of (lk_real_exp2 (nextafter (-1075.0, 0.0))), ==, 1);
  g_assert_true (lk_real_exp2 (0.0) == 1.0);
  g_assert_true (lk_real_exp2 (-0.0) == 1.0);
  g_assert_true (isnan (lk_real_exp2 (NAN)));
}

/* A step down anywhere would swap two jobs. Steps of one ulp, where the mantissa's halves meet. */
static void
test_monotonic (void)
{
  const double centres[] = { 0.5, M_SQRT1_2, 1.0, M_SQRT2, 2.0, 3.0, 1000.0, 1e22 };
  for (guint i = 0; i < G_N_ELEMENTS (centres); i++) {
    guint64 first = bits_of (centres[i]) - 2000;
    for (guint64 bits = first; bits < first + 4000; bits++) {
      double x = double_of (bits);
      double above = double_of (bits + 1);
      g_assert_true (lk_real_log2 (x) <= lk_real_log2 (above));
      g_assert_true (lk_real_log10 (x) <= lk_real_log10 (above));
      g_assert_true (lk_real_exp2 (x) <= lk_real_exp2 (above));
    }
  }
}

/* FNV-1a over whole words. */
static guint64
mix (guint64 digest, double value)
{
  return (digest ^ bits_of (value)) * G_GUINT64_CONSTANT (0x100000001b3);
}

static void
test_same_bits (void)
{
  guint64 state = 3;
  guint64 digest = G_GUINT64_CONSTANT (0xcbf29ce484222325);
  for (guint i = 0; i < 100000; i++) {
    double any = double_of (next_random (&state) % bits_of (INFINITY));
    digest = mix (digest, lk_real_log2 (any));
    digest = mix (digest, lk_real_log10 (any));
    digest = mix (digest, lk_real_exp2 (random_between (&state, -1080.0, 1025.0)));
  }
  g_assert_cmphex (digest, ==, G_GUINT64_CONSTANT (0xadf0df84a0da20d4));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/real/log2 is within one ulp of the true value", test_log2_close);
  g_test_add_func ("/real/log10 is within one ulp of the true value", test_log10_close);
  g_test_add_func ("/real/exp2 is within one ulp of the true value", test_exp2_close);
  g_test_add_func ("/real/powers of two are exact", test_powers_of_two);
  g_test_add_func ("/real/log10 of powers of ten is exact", test_powers_of_ten);
  g_test_add_func ("/real/logarithms answer zero negative and infinite numbers", test_log_edges);
  g_test_add_func ("/real/exp2 overflows and underflows as it should", test_exp2_edges);
  g_test_add_func ("/real/functions never step down", test_monotonic);
  g_test_add_func ("/real/the bits are those of every other machine", test_same_bits);
  return g_test_run ();
}
