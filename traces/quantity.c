/* traces/quantity.c — see quantity.h.
 *
 * Numbers are read digit by digit into integers that are checked at each step; no floating point
 * takes part, so that a fraction is exact or refused. */
#include "traces/quantity.h"

#include <string.h>

#include "engine/cluster.h"

#define SECOND_US G_GINT64_CONSTANT (1000000)
#define MINUTE_US (60 * SECOND_US)
#define HOUR_US (60 * MINUTE_US)
#define DAY_US (24 * HOUR_US)
#define KIB G_GINT64_CONSTANT (1024)

typedef struct {
  const char *name;
  gint64 factor;
} Unit;

/* Rising, the name to write first of equals. */
static const Unit size_units[] = {
  { "B", 1 },
  { "KiB", KIB },
  { "MiB", KIB *KIB },
  { "GiB", KIB *KIB *KIB },
  { "TiB", KIB *KIB *KIB *KIB },
  { "PiB", KIB *KIB *KIB *KIB *KIB },
  { "K", KIB },
  { "M", KIB *KIB },
  { "G", KIB *KIB *KIB },
  { "T", KIB *KIB *KIB *KIB },
  { "P", KIB *KIB *KIB *KIB *KIB },
};
#define SIZE_UNIT_WRITTEN_COUNT 6u

static const Unit time_units[] = {
  { "s", SECOND_US }, { "m", MINUTE_US }, { "h", HOUR_US }, { "d", DAY_US }, { "w", 7 * DAY_US },
};

/* ---------------------------------------------------------------- numbers */

static gboolean
add_digit (gint64 *number, char digit)
{
  return !__builtin_mul_overflow (*number, 10, number)
         && !__builtin_add_overflow (*number, digit - '0', number);
}

/* Digits at `*at`, at least one; moves behind them. */
static gboolean
take_digits (const char **at, gint64 *out_number)
{
  gint64 number = 0;
  if (!g_ascii_isdigit (**at))
    return FALSE;
  for (; g_ascii_isdigit (**at); (*at)++)
    if (!add_digit (&number, **at))
      return FALSE;
  *out_number = number;
  return TRUE;
}

/* A number, maybe with a fraction, as a numerator over a power of ten. */
typedef struct {
  gint64 numerator;
  gint64 denominator;
} Decimal;

static gboolean
take_decimal (const char **at, Decimal *out)
{
  Decimal value = { 0, 1 };
  if (!take_digits (at, &value.numerator))
    return FALSE;
  if (**at == '.') {
    (*at)++;
    if (!g_ascii_isdigit (**at))
      return FALSE;
    for (; g_ascii_isdigit (**at); (*at)++)
      if (!add_digit (&value.numerator, **at)
          || __builtin_mul_overflow (value.denominator, 10, &value.denominator))
        return FALSE;
  }
  *out = value;
  return TRUE;
}

static const Unit *
find_unit (const Unit *units, gsize count, const char *name)
{
  for (gsize i = 0; i < count; i++)
    if (g_ascii_strcasecmp (units[i].name, name) == 0)
      return &units[i];
  return NULL;
}

/* Everything from `text` on: a number and one of the units. Fails when it is not whole or does not
 * fit. */
static gboolean
parse_with_unit (const char *text, const Unit *units, gsize unit_count, gint64 *out_value)
{
  Decimal value;
  const char *at = text;
  if (!take_decimal (&at, &value))
    return FALSE;
  const Unit *unit = find_unit (units, unit_count, at);
  gint64 whole;
  gint64 rest;
  if (unit == NULL
      || __builtin_mul_overflow (value.numerator / value.denominator, unit->factor, &whole)
      || __builtin_mul_overflow (value.numerator % value.denominator, unit->factor, &rest)
      || rest % value.denominator != 0
      || __builtin_add_overflow (whole, rest / value.denominator, &whole))
    return FALSE;
  *out_value = whole;
  return TRUE;
}

static gboolean
is_unlimited (const char *text)
{
  return g_ascii_strcasecmp (text, "unlimited") == 0 || g_ascii_strcasecmp (text, "infinite") == 0;
}

/* ---------------------------------------------------------------- sizes */

gboolean
lk_quantity_bytes_parse (const char *text, gint64 *out_bytes)
{
  if (strcmp (text, "0") == 0) {
    *out_bytes = 0;
    return TRUE;
  }
  return parse_with_unit (text, size_units, G_N_ELEMENTS (size_units), out_bytes);
}

void
lk_quantity_bytes_format (gint64 bytes, GString *out)
{
  if (bytes == 0) {
    g_string_append_c (out, '0');
    return;
  }
  guint best = 0;
  while (best + 1 < SIZE_UNIT_WRITTEN_COUNT && bytes % size_units[best + 1].factor == 0)
    best++;
  g_string_append_printf (out, "%" G_GINT64_FORMAT "%s", bytes / size_units[best].factor,
                          size_units[best].name);
}

/* ---------------------------------------------------------------- times */

/* Adds `count` times `unit_us`. */
static gboolean
add_time (gint64 *sum_us, gint64 count, gint64 unit_us)
{
  gint64 part_us;
  return !__builtin_mul_overflow (count, unit_us, &part_us)
         && !__builtin_add_overflow (*sum_us, part_us, sum_us);
}

/* Slurm's forms. What the numbers between the colons are depends on how many there are and on
 * whether days stand before them: "1:30" is minutes and seconds, "1-1:30" has hours and minutes. */
static gboolean
parse_clock (const char *text, gint64 *out_time_us)
{
  static const gint64 after_days[] = { HOUR_US, MINUTE_US, SECOND_US };
  static const gint64 alone[][3] = { { MINUTE_US },
                                     { MINUTE_US, SECOND_US },
                                     { HOUR_US, MINUTE_US, SECOND_US } };
  gint64 parts[3] = { 0 };
  gint64 time_us = 0;
  guint count = 0;
  const char *at = text;
  if (!take_digits (&at, &parts[0]))
    return FALSE;
  gboolean has_days = *at == '-';
  if (has_days) {
    at++;
    if (!add_time (&time_us, parts[0], DAY_US) || !take_digits (&at, &parts[0]))
      return FALSE;
  }
  for (count = 1; *at == ':' && count < 3; count++) {
    at++;
    if (!take_digits (&at, &parts[count]))
      return FALSE;
  }
  const gint64 *units_us = has_days ? after_days : alone[count - 1];
  for (guint i = 0; i < count; i++)
    if (!add_time (&time_us, parts[i], units_us[i]))
      return FALSE;
  if (*at != '\0')
    return FALSE;
  *out_time_us = time_us;
  return TRUE;
}

gboolean
lk_quantity_time_parse (const char *text, gint64 *out_time_us)
{
  gint64 time_us;
  if (is_unlimited (text)) {
    *out_time_us = LK_TIME_NEVER;
    return TRUE;
  }
  if (!parse_clock (text, &time_us)
      && !parse_with_unit (text, time_units, G_N_ELEMENTS (time_units), &time_us))
    return FALSE;
  if (time_us == LK_TIME_NEVER)
    return FALSE;
  *out_time_us = time_us;
  return TRUE;
}

gboolean
lk_quantity_span_parse (const char *text, gint64 *out_span_us)
{
  gint64 span_us;
  gboolean is_bare = text[strspn (text, "0123456789")] == '\0';
  if (!lk_quantity_time_parse (text, &span_us) || (is_bare && span_us != 0))
    return FALSE;
  *out_span_us = span_us;
  return TRUE;
}

/* Seconds with as many digits behind the point as they need. */
static void
format_seconds (gint64 time_us, GString *out)
{
  g_string_append_printf (out, "%" G_GINT64_FORMAT, time_us / SECOND_US);
  gint64 rest_us = time_us % SECOND_US;
  if (rest_us != 0) {
    g_string_append_printf (out, ".%06" G_GINT64_FORMAT, rest_us);
    while (out->str[out->len - 1] == '0')
      g_string_truncate (out, out->len - 1);
  }
  g_string_append_c (out, 's');
}

void
lk_quantity_time_format (gint64 time_us, GString *out)
{
  if (time_us == LK_TIME_NEVER) {
    g_string_append (out, "unlimited");
    return;
  }
  if (time_us % SECOND_US != 0 || (time_us < HOUR_US && time_us % MINUTE_US != 0)) {
    format_seconds (time_us, out);
    return;
  }
  if (time_us == 0) {
    g_string_append_c (out, '0');
    return;
  }
  if (time_us < HOUR_US) {
    g_string_append_printf (out, "%" G_GINT64_FORMAT "m", time_us / MINUTE_US);
    return;
  }
  if (time_us >= DAY_US)
    g_string_append_printf (out, "%" G_GINT64_FORMAT "-", time_us / DAY_US);
  g_string_append_printf (out, "%02d:%02d:%02d", (int)(time_us % DAY_US / HOUR_US),
                          (int)(time_us % HOUR_US / MINUTE_US),
                          (int)(time_us % MINUTE_US / SECOND_US));
}

/* ---------------------------------------------------------------- counts */

gboolean
lk_quantity_count_parse (const char *text, gboolean may_be_unlimited, guint32 *out_count)
{
  gint64 number;
  const char *at = text;
  if (may_be_unlimited && is_unlimited (text)) {
    *out_count = LK_COUNT_UNLIMITED;
    return TRUE;
  }
  if (!take_digits (&at, &number) || *at != '\0' || number >= LK_COUNT_UNLIMITED)
    return FALSE;
  *out_count = (guint32)number;
  return TRUE;
}

void
lk_quantity_count_format (guint32 count, GString *out)
{
  if (count == LK_COUNT_UNLIMITED)
    g_string_append (out, "unlimited");
  else
    g_string_append_printf (out, "%u", count);
}
