/* traces/decimal.c — see decimal.h. */
#include "traces/decimal.h"

#include "engine/assert.h"

#define DECIMALS_MAX 9u

/* Adds the digits from `*at` to `*mantissa`, at most `most` of them. FALSE: it does not fit. */
static gboolean
digits_take (const char **at, const char *end, guint most, gint64 *mantissa, guint *out_count)
{
  guint count = 0;
  for (; *at < end && g_ascii_isdigit (**at); (*at)++, count++) {
    if (count >= most)
      continue;
    if (__builtin_mul_overflow (*mantissa, 10, mantissa)
        || __builtin_add_overflow (*mantissa, **at - '0', mantissa))
      return FALSE;
  }
  *out_count = count;
  return TRUE;
}

static gint64
common_divisor (gint64 a, gint64 b)
{
  while (b != 0) {
    gint64 rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

static gint64
divide (gint64 value, gint64 by, LkRounding rounding)
{
  gint64 quotient = value / by;
  gint64 rest = value % by;
  if (rounding == LK_ROUND_UP)
    return quotient + (rest > 0 ? 1 : 0);
  /* Halves go away from zero. */
  if (rest >= by - rest)
    return quotient + 1;
  return -rest >= by + rest ? quotient - 1 : quotient;
}

gboolean
lk_decimal_parse (const char *bytes, gsize length_bytes, gint64 numerator, gint64 denominator,
                  LkRounding rounding, gint64 *out_value)
{
  LK_ASSERT (numerator > 0);
  LK_ASSERT (denominator > 0);
  const char *at = bytes;
  const char *end = bytes + length_bytes;
  gboolean is_negative = at < end && *at == '-';
  gint64 mantissa = 0;
  guint whole_count;
  guint decimal_count = 0;
  at += is_negative ? 1 : 0;
  if (!digits_take (&at, end, G_MAXUINT, &mantissa, &whole_count))
    return FALSE;
  if (at < end && *at == '.') {
    at++;
    if (!digits_take (&at, end, DECIMALS_MAX, &mantissa, &decimal_count))
      return FALSE;
  }
  if (at != end || whole_count + decimal_count == 0)
    return FALSE;
  for (guint i = 0; i < MIN (decimal_count, DECIMALS_MAX); i++)
    if (__builtin_mul_overflow (denominator, 10, &denominator))
      return FALSE;
  /* Else seconds with nine decimals would not fit when they become microseconds. */
  gint64 divisor = common_divisor (numerator, denominator);
  denominator /= divisor;
  LK_ASSERT (denominator > 0);
  if (__builtin_mul_overflow (mantissa, numerator / divisor, &mantissa))
    return FALSE;
  *out_value = divide (is_negative ? -mantissa : mantissa, denominator, rounding);
  return TRUE;
}
