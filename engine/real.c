/* engine/real.c — logarithms and powers of two with the same bits on every machine.
 *
 * Only + - * / on IEEE doubles, in an order that the source fixes; frexp and ldexp are done on the
 * bits.  The logarithm is 2 atanh ((m - 1) / (m + 1)) of the mantissa m in [sqrt 1/2, sqrt 2], as
 * fdlibm does it, but with the quotient and its product by 1 / ln 2 or 1 / ln 10 kept as the
 * unevaluated sum of two doubles, so that the only rounding that counts is the last one.  That is
 * also why powers of two and of ten come out exact: their logarithm is a double, and the sum is far
 * closer to it than to its neighbours.  exp2 takes out the nearest integer and sums the series of
 * e^y, with its first two terms kept apart.
 *
 * Invariants: round to nearest even; no contraction into fused multiply-add; no wider intermediate
 * results.  Not here: any state.  Source: Dekker, "A floating-point technique for extending the
 * available precision", 1971; the reduction of fdlibm's e_log.c (Sun, 1993). */
#include "engine/real.h"

#include <float.h>
#include <stdint.h>
#include <string.h>

#ifdef __FAST_MATH__
#error "engine/real.c needs IEEE arithmetic: compile it without -ffast-math"
#endif
_Static_assert(FLT_EVAL_METHOD == 0, "doubles must be computed as doubles");
_Static_assert(DBL_MANT_DIG == 53 && sizeof (double) == 8, "doubles must be IEEE binary64");

/* The unevaluated sum high + low, |low| at most half an ulp of high. */
typedef struct {
  double high;
  double low;
} TwoDouble;

static const TwoDouble ln_2 = { 0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56 };
static const TwoDouble one_by_ln_2 = { 0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56 };
static const TwoDouble one_by_ln_10 = { 0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57 };
/* The high part ends in 11 zero bits, so that its product by an exponent is exact. */
static const TwoDouble log10_2 = { 0x1.34413509f7800p-2, 0x1.fef311f12b358p-46 };

/* 2 / (2 k + 1) for k = 1 ...: the series of 2 atanh (s) / s in s^2, without its first term.  At
 * s^2 = 0.0295 the first term left out is below 2^-63 of the whole. */
static const double atanh_series[] = {
  2.0 / 3.0,  2.0 / 5.0,  2.0 / 7.0,  2.0 / 9.0,  2.0 / 11.0, 2.0 / 13.0,
  2.0 / 15.0, 2.0 / 17.0, 2.0 / 19.0, 2.0 / 21.0, 2.0 / 23.0,
};

/* 1 / k! for k = 2 ...: the series of e^y without its first two terms.  At y = 0.347 the first term
 * left out is below 2^-62. */
static const double exp_series[] = {
  1.0 / 2.0,         1.0 / 6.0,          1.0 / 24.0,          1.0 / 120.0,     1.0 / 720.0,
  1.0 / 5040.0,      1.0 / 40320.0,      1.0 / 362880.0,      1.0 / 3628800.0, 1.0 / 39916800.0,
  1.0 / 479001600.0, 1.0 / 6227020800.0, 1.0 / 87178291200.0,
};

#define INFINITE __builtin_inf ()
#define MANTISSA_MASK UINT64_C (0x000fffffffffffff)
#define ONE_BITS UINT64_C (0x3ff0000000000000)
#define SQRT_2_MANTISSA UINT64_C (0x6a09e667f3bcd)
#define EXPONENT_BIAS 1023
#define MANTISSA_BITS 52

static uint64_t
bits_of (double x)
{
  uint64_t bits;
  memcpy (&bits, &x, sizeof bits);
  return bits;
}

static double
double_of (uint64_t bits)
{
  double x;
  memcpy (&x, &bits, sizeof x);
  return x;
}

/* 2^k for k of a normal number. */
static double
power_of_two (int k)
{
  return double_of ((uint64_t)(k + EXPONENT_BIAS) << MANTISSA_BITS);
}

/* a + b exactly, for |a| >= |b| or a = 0. */
static TwoDouble
sum_ordered (double a, double b)
{
  double sum = a + b;
  return (TwoDouble){ sum, b - (sum - a) };
}

/* a * b exactly, for values far from overflow and underflow. */
static TwoDouble
product (double a, double b)
{
  const double splitter = 134217729.0; /* 2^27 + 1 */
  double a_scaled = splitter * a;
  double b_scaled = splitter * b;
  double a_high = a_scaled - (a_scaled - a);
  double b_high = b_scaled - (b_scaled - b);
  double a_low = a - a_high;
  double b_low = b - b_high;
  double high = a * b;
  double low = ((a_high * b_high - high) + a_high * b_low + a_low * b_high) + a_low * b_low;
  return (TwoDouble){ high, low };
}

static TwoDouble
product_two (TwoDouble a, TwoDouble b)
{
  TwoDouble result = product (a.high, b.high);
  result.low += a.high * b.low + a.low * b.high;
  return result;
}

static double
polynomial (const double *coefficients, int count, double x)
{
  double sum = coefficients[count - 1];
  for (int k = count - 2; k >= 0; k--)
    sum = sum * x + coefficients[k];
  return sum;
}
#define POLYNOMIAL(table, x) polynomial (table, (int)(sizeof (table) / sizeof *(table)), x)

/* x = mantissa * 2^exponent, mantissa in [sqrt 1/2, sqrt 2]. For x positive and finite. */
static double
split_exponent (double x, int *out_exponent)
{
  int exponent = 0;
  if (x < DBL_MIN) {
    x *= 0x1p54;
    exponent = -54;
  }
  uint64_t bits = bits_of (x);
  uint64_t mantissa = bits & MANTISSA_MASK;
  exponent += (int)(bits >> MANTISSA_BITS) - EXPONENT_BIAS;
  uint64_t halved = mantissa > SQRT_2_MANTISSA ? 1 : 0;
  *out_exponent = exponent + (int)halved;
  return double_of ((ONE_BITS - (halved << MANTISSA_BITS)) | mantissa);
}

/* Natural logarithm of m in [sqrt 1/2, sqrt 2], to about 2^-58 of itself. */
static TwoDouble
log_of_mantissa (double m)
{
  double f = m - 1.0;
  double t_high = m + 1.0;
  double t_low = m - (t_high - 1.0);
  double s_high = f / t_high;
  TwoDouble back = product (s_high, t_high);
  double s_low = (((f - back.high) - back.low) - s_high * t_low) / t_high;
  double z = s_high * s_high;
  double rest = s_high * (z * POLYNOMIAL (atanh_series, z)) + 2.0 * (s_low + s_low * z);
  return sum_ordered (2.0 * s_high, rest);
}

/* What a logarithm answers without computing, or 0 when it must compute. */
static int
is_special (double x, double *out_result)
{
  if (x != x || x == INFINITE)
    *out_result = x;
  else if (x <= 0.0)
    *out_result = -INFINITE;
  else
    return 0;
  return 1;
}

double
lk_real_log2 (double x)
{
  double special;
  if (is_special (x, &special))
    return special;
  int exponent;
  double m = split_exponent (x, &exponent);
  TwoDouble part = product_two (log_of_mantissa (m), one_by_ln_2);
  /* The part is at most 1/2 in size, so the exponent is the larger unless it is 0. */
  TwoDouble sum = sum_ordered ((double)exponent, part.high);
  return sum.high + (sum.low + part.low);
}

double
lk_real_log10 (double x)
{
  double special;
  if (is_special (x, &special))
    return special;
  int exponent;
  double m = split_exponent (x, &exponent);
  TwoDouble part = product_two (log_of_mantissa (m), one_by_ln_10);
  double n = (double)exponent;
  TwoDouble sum = sum_ordered (n * log10_2.high, part.high);
  return sum.high + (sum.low + (part.low + n * log10_2.low));
}

/* 2^r for |r| <= 1/2. */
static double
exp2_of_fraction (double r)
{
  TwoDouble y = product (r, ln_2.high);
  y.low += r * ln_2.low;
  double rest = y.high * y.high * POLYNOMIAL (exp_series, y.high) + y.low * (1.0 + y.high);
  TwoDouble sum = sum_ordered (1.0, y.high);
  return sum.high + (sum.low + rest);
}

double
lk_real_exp2 (double x)
{
  if (x != x)
    return x;
  if (x >= 1024.0)
    return INFINITE;
  if (x < -1075.0)
    return 0.0;
  int k = (int)(x < 0.0 ? x - 0.5 : x + 0.5);
  /* Both scalings are by powers of two, and only the last can round: in the subnormals, once.  The
   * first result must stay normal for that, m being at least sqrt 1/2. */
  double m = exp2_of_fraction (x - (double)k);
  if (k < -1020)
    return m * power_of_two (k + 128) * 0x1p-128;
  return m * power_of_two (k - 1) * 2.0;
}
