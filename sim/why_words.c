/* sim/why_words.c — numbers as people read them. */
#include "sim/why_private.h"

#include <string.h>

#define US_PER_S G_GINT64_CONSTANT (1000000)
#define DAY_S G_GINT64_CONSTANT (86400)
/* Later moments are dates: seconds since 1970. 1990. */
#define DATE_MIN_S G_GINT64_CONSTANT (631152000)

char *
lk_why_duration_text (gint64 duration_us)
{
  if (duration_us == LK_TIME_NEVER)
    return g_strdup ("ever");
  gint64 whole_s = duration_us / US_PER_S;
  gint64 rest_us = duration_us % US_PER_S;
  GString *out = g_string_new (NULL);
  if (whole_s >= DAY_S)
    g_string_append_printf (out, "%" G_GINT64_FORMAT "-", whole_s / DAY_S);
  g_string_append_printf (out, "%02d:%02d:%02d", (int)(whole_s % DAY_S / 3600),
                          (int)(whole_s % 3600 / 60), (int)(whole_s % 60));
  if (rest_us > 0)
    g_string_append_printf (out, ".%06d", (int)rest_us);
  return g_string_free (out, FALSE);
}

char *
lk_why_moment_text (gint64 at_us)
{
  if (at_us == LK_TIME_NEVER)
    return g_strdup ("never");
  gint64 whole_s = at_us / US_PER_S;
  g_autofree char *meaning = NULL;
  if (whole_s >= DATE_MIN_S) {
    g_autoptr (GDateTime) date = g_date_time_new_from_unix_utc (whole_s);
    meaning = date != NULL ? g_date_time_format (date, "%Y-%m-%d %H:%M:%S UTC") : NULL;
  } else if (at_us >= 60 * US_PER_S) {
    meaning = lk_why_duration_text (at_us);
  }
  GString *out = g_string_new (NULL);
  g_string_append_printf (out, "%" G_GINT64_FORMAT, whole_s);
  if (at_us % US_PER_S != 0)
    g_string_append_printf (out, ".%06d", (int)(at_us % US_PER_S));
  g_string_append (out, "s");
  if (meaning != NULL)
    g_string_append_printf (out, " (%s)", meaning);
  return g_string_free (out, FALSE);
}

char *
lk_why_memory_text (gint64 bytes)
{
  static const char suffixes[] = { 'K', 'M', 'G', 'T' };
  guint unit = 0;
  if (bytes % 1024 != 0)
    return g_strdup_printf ("%" G_GINT64_FORMAT " bytes", bytes);
  bytes /= 1024;
  while (unit + 1 < G_N_ELEMENTS (suffixes) && bytes != 0 && bytes % 1024 == 0) {
    bytes /= 1024;
    unit++;
  }
  return g_strdup_printf ("%" G_GINT64_FORMAT "%c", bytes, suffixes[unit]);
}

char *
lk_why_amount_text (guint64 amount, const char *unit)
{
  if (strcmp (unit, "MiB") == 0 && amount <= G_MAXINT64 >> 20)
    return lk_why_memory_text ((gint64)(amount << 20));
  if (strcmp (unit, "minutes") == 0 && amount <= G_MAXINT64 / (60 * US_PER_S))
    return lk_why_duration_text ((gint64)amount * 60 * US_PER_S);
  if (strcmp (unit, "TRES-minutes") == 0)
    return g_strdup_printf ("%" G_GUINT64_FORMAT " minutes", amount);
  return g_strdup_printf ("%" G_GUINT64_FORMAT "%s%s", amount, unit[0] != '\0' ? " " : "", unit);
}
