/* sim/duration.c — see the header. */
#include "sim/duration.h"

#include <math.h>
#include <string.h>

#include "sim/error.h"

#define MINUTE_S 60
#define HOUR_S 3600
#define DAY_S 86400
#define LONGEST_S 9e12 /* what microseconds in 64 bits can hold */

/* How cells are shown is a matter of the whole command. */
static gboolean has_seconds;

gboolean *
lk_duration_flag (void)
{
  return &has_seconds;
}

gboolean
lk_duration_check (gboolean is_for_programs, GError **error)
{
  if (!is_for_programs || !has_seconds)
    return TRUE;
  g_set_error_literal (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE,
                       "--seconds is for tables; --json and --csv have seconds always");
  return FALSE;
}

static char *
number_text (double value, int decimals)
{
  char format[8];
  char text[64];
  g_snprintf (format, sizeof format, "%%.%df", decimals);
  g_ascii_formatd (text, sizeof text, format, value);
  return g_strdup (text);
}

/* Without zeros at its end. */
static char *
seconds_text (gint64 duration_us)
{
  char *text = number_text ((double)duration_us / 1e6, 3);
  gsize length = strlen (text);
  while (text[length - 1] == '0')
    text[--length] = '\0';
  if (text[length - 1] == '.')
    text[length - 1] = '\0';
  char *with_unit = g_strconcat (text, " s", NULL);
  g_free (text);
  return with_unit;
}

static char *
magnitude_text (gint64 duration_us)
{
  static const struct {
    gint64 unit_s;
    const char *unit;
    const char *next;
    gint64 next_s;
  } units[] = { { DAY_S, "d", "h", HOUR_S },
                { HOUR_S, "h", "min", MINUTE_S },
                { MINUTE_S, "min", "s", 1 } };
  gint64 whole_s = duration_us / G_USEC_PER_SEC;
  for (gsize i = 0; i < G_N_ELEMENTS (units); i++) {
    gint64 rest = whole_s % units[i].unit_s / units[i].next_s;
    if (whole_s < units[i].unit_s)
      continue;
    if (rest == 0)
      return g_strdup_printf ("%" G_GINT64_FORMAT " %s", whole_s / units[i].unit_s, units[i].unit);
    return g_strdup_printf ("%" G_GINT64_FORMAT " %s %" G_GINT64_FORMAT " %s",
                            whole_s / units[i].unit_s, units[i].unit, rest, units[i].next);
  }
  return seconds_text (duration_us);
}

char *
lk_duration_text (gint64 duration_us)
{
  if (duration_us >= 0)
    return magnitude_text (duration_us);
  g_autofree char *magnitude =
      magnitude_text (duration_us == G_MININT64 ? G_MAXINT64 : -duration_us);
  return g_strconcat ("-", magnitude, NULL);
}

/* Rounded to tenths of a second, as tables show no less. */
static char *
people_text (double duration_s)
{
  if (fabs (duration_s) >= LONGEST_S)
    return number_text (duration_s, 0);
  return lk_duration_text ((gint64)round (duration_s * 10) * 100000);
}

char *
lk_duration_cell (double duration_s, int decimals)
{
  if (!isfinite (duration_s))
    return g_strdup ("-");
  return has_seconds ? number_text (duration_s, decimals) : people_text (duration_s);
}

char *
lk_duration_change (double duration_s, int decimals)
{
  g_autofree char *text = lk_duration_cell (duration_s, decimals);
  return isfinite (duration_s) && text[0] != '-' ? g_strconcat ("+", text, NULL)
                                                 : g_steal_pointer (&text);
}

char *
lk_duration_label (const char *label)
{
  return has_seconds ? g_strconcat (label, ", s", NULL) : g_strdup (label);
}

gboolean
lk_duration_is_column (const char *column)
{
  return g_str_has_suffix (column, "_s");
}

char *
lk_duration_column (const char *column)
{
  gsize length = strlen (column);
  return g_strndup (column, lk_duration_is_column (column) && !has_seconds ? length - 2 : length);
}
