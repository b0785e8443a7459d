/* sim/decimal.h — numbers as decimal text, fast and the same under every locale.
 *
 * Each function writes at `out`, without a terminator, and returns the end of what it wrote. */
#ifndef LK_SIM_DECIMAL_H
#define LK_SIM_DECIMAL_H

#include <glib.h>
#include <string.h>

/* Room that any of these needs at most. */
#define LK_DECIMAL_MAX_BYTES 32u

static inline char *
lk_decimal_u64 (char *out, guint64 value)
{
  char digits[20];
  guint at = sizeof digits;
  do {
    digits[--at] = (char)('0' + value % 10);
    value /= 10;
  } while (value != 0);
  memcpy (out, digits + at, sizeof digits - at);
  return out + (sizeof digits - at);
}

static inline char *
lk_decimal_i64 (char *out, gint64 value)
{
  if (value >= 0)
    return lk_decimal_u64 (out, (guint64)value);
  *out = '-';
  return lk_decimal_u64 (out + 1, 0 - (guint64)value);
}

/* Six digits, leading zeros kept. `value` < 1000000. */
static inline char *
lk_decimal_micro (char *out, guint32 value)
{
  for (guint i = 6; i-- > 0; value /= 10)
    out[i] = (char)('0' + value % 10);
  return out + 6;
}

/* Microseconds as seconds: an integer when whole, else with a fraction that does not end in 0. */
static inline char *
lk_decimal_seconds (char *out, gint64 time_us)
{
  guint64 magnitude_us = time_us < 0 ? 0 - (guint64)time_us : (guint64)time_us;
  if (time_us < 0)
    *out++ = '-';
  out = lk_decimal_u64 (out, magnitude_us / 1000000);
  guint32 fraction = (guint32)(magnitude_us % 1000000);
  if (fraction == 0)
    return out;
  *out++ = '.';
  out = lk_decimal_micro (out, fraction);
  while (out[-1] == '0')
    out--;
  return out;
}

#endif
