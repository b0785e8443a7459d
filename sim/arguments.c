/* sim/arguments.c — see arguments.h. */
#include "sim/arguments.h"

#include <math.h>
#include <string.h>

#include "sim/error.h"

#define US_PER_S G_GINT64_CONSTANT (1000000)

static gboolean
argument_fail (const char *option, const char *text, const char *expected, GError **error)
{
  g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE, "%s is '%s'; expected %s", option, text,
               expected);
  return FALSE;
}

gboolean
lk_argument_number (const char *option, const char *text, gint64 minimum, gint64 maximum,
                    gint64 *out_number, GError **error)
{
  /* GLib's own message does not name the option. */
  if (g_ascii_string_to_signed (text, 10, minimum, maximum, out_number, NULL))
    return TRUE;
  g_autofree char *expected =
      maximum == G_MAXINT64
          ? g_strdup_printf ("a whole number >= %" G_GINT64_FORMAT, minimum)
          : g_strdup_printf ("a whole number from %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT,
                             minimum, maximum);
  return argument_fail (option, text, expected, error);
}

gboolean
lk_argument_ratio (const char *option, const char *text, double *out_ratio, GError **error)
{
  char *end;
  double ratio = g_ascii_strtod (text, &end);
  if (end == text || *end != '\0' || g_ascii_isspace (*text) || !isfinite (ratio) || ratio <= 0)
    return argument_fail (option, text, "a number > 0", error);
  *out_ratio = ratio;
  return TRUE;
}

gboolean
lk_argument_ratio_range (const char *option, const char *text, double min, double max,
                         double *out_ratio, GError **error)
{
  double ratio;
  if (!lk_argument_ratio (option, text, &ratio, error))
    return FALSE;
  if (ratio < min || ratio > max) {
    g_autofree char *expected = g_strdup_printf ("a number from %.10g to %.10g", min, max);
    return argument_fail (option, text, expected, error);
  }
  *out_ratio = ratio;
  return TRUE;
}

/* 0 when the text is no unit. */
static gint64
unit_us (const char *text)
{
  static const struct {
    const char *name;
    gint64 duration_us;
  } units[] = {
    { "", US_PER_S },         { "s", US_PER_S },         { "m", 60 * US_PER_S },
    { "h", 3600 * US_PER_S }, { "d", 86400 * US_PER_S }, { "w", 7 * 86400 * US_PER_S },
    { "min", 60 * US_PER_S }, { "ms", US_PER_S / 1000 }, { "us", 1 },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (units); i++)
    if (strcmp (text, units[i].name) == 0)
      return units[i].duration_us;
  return 0;
}

/* Whole and fraction are taken apart, so that 0.1d is exactly 8640 s. */
static gboolean
duration_parse (const char *text, gint64 *out_duration_us)
{
  gint64 whole = 0;
  gint64 fraction = 0;
  gint64 fraction_scale = 1;
  guint digit_count = 0;
  for (; g_ascii_isdigit (*text); text++, digit_count++)
    if (__builtin_mul_overflow (whole, 10, &whole)
        || __builtin_add_overflow (whole, *text - '0', &whole))
      return FALSE;
  if (*text == '.')
    for (text++; g_ascii_isdigit (*text); text++, digit_count++)
      if (fraction_scale < US_PER_S) {
        fraction = fraction * 10 + (*text - '0');
        fraction_scale *= 10;
      }
  gint64 unit = unit_us (text);
  if (digit_count == 0 || unit == 0 || __builtin_mul_overflow (whole, unit, &whole))
    return FALSE;
  return !__builtin_add_overflow (whole, fraction * unit / fraction_scale, out_duration_us);
}

gboolean
lk_argument_duration_us (const char *option, const char *text, gint64 *out_duration_us,
                         GError **error)
{
  gint64 duration_us;
  if (!duration_parse (text, &duration_us))
    return argument_fail (option, text, "seconds >= 0, or a number with s, m, h, d or w", error);
  *out_duration_us = duration_us;
  return TRUE;
}

gboolean
lk_argument_range (const char *option, const char *text, gint64 *out_first, gint64 *out_last,
                   GError **error)
{
  static const char expected[] = "FIRST:LAST, FIRST:, :LAST or one number, whole and >= 0";
  g_auto (GStrv) ends = g_strsplit (text, ":", -1);
  guint end_count = g_strv_length (ends);
  gint64 first = 0;
  gint64 last = G_MAXINT64;
  if (end_count == 0 || end_count > 2 || strcmp (text, ":") == 0)
    return argument_fail (option, text, expected, error);
  const char *last_text = ends[end_count - 1];
  if (*ends[0] != '\0' && !g_ascii_string_to_signed (ends[0], 10, 0, G_MAXINT64, &first, NULL))
    return argument_fail (option, text, expected, error);
  if (*last_text != '\0' && !g_ascii_string_to_signed (last_text, 10, 0, G_MAXINT64, &last, NULL))
    return argument_fail (option, text, expected, error);
  if (first > last)
    return argument_fail (option, text, "its first number not above its last", error);
  *out_first = first;
  *out_last = last;
  return TRUE;
}

gboolean
lk_argument_duration_range_us (const char *option, const char *text, gint64 *out_begin_us,
                               gint64 *out_end_us, GError **error)
{
  static const char expected[] = "BEGIN:END, BEGIN: or :END, in seconds or with s, m, h, d or w";
  g_auto (GStrv) ends = g_strsplit (text, ":", -1);
  gint64 begin_us = G_MININT64;
  gint64 end_us = G_MAXINT64;
  if (g_strv_length (ends) != 2 || strcmp (text, ":") == 0)
    return argument_fail (option, text, expected, error);
  if ((*ends[0] != '\0' && !duration_parse (ends[0], &begin_us))
      || (*ends[1] != '\0' && !duration_parse (ends[1], &end_us)))
    return argument_fail (option, text, expected, error);
  if (begin_us >= end_us)
    return argument_fail (option, text, "its beginning before its end", error);
  *out_begin_us = begin_us;
  *out_end_us = end_us;
  return TRUE;
}
