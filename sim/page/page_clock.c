/* sim/page/page_clock.c — see the header. */
#include "sim/page/page_clock.h"

#include <math.h>
#include <string.h>

#include "engine/real.h"
#include "sim/error.h"

#define MINUTE_S 60
#define HOUR_S 3600
#define DAY_S 86400
#define TICKS_MAX 64u

static const char *const month_names[] = { "Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                           "Jul", "Aug", "Sep", "Oct", "Nov", "Dec" };

gboolean
lk_page_clock_set_zone (LkPageClock *self, const char *name, GError **error)
{
  g_clear_pointer (&self->zone, g_time_zone_unref);
  g_free (self->zone_name);
  self->zone_name = g_strdup (name);
  if (strcmp (name, "UTC") == 0)
    self->zone = g_time_zone_new_utc ();
  else if (strcmp (name, "local") == 0)
    self->zone = g_time_zone_new_local ();
  else
    self->zone = g_time_zone_new_identifier (name);
  if (self->zone == NULL)
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE,
                 "--timezone '%s' is not a time zone; expected a name such as Europe/Stockholm, "
                 "UTC, or local",
                 name);
  return self->zone != NULL;
}

void
lk_page_clock_clear (LkPageClock *self)
{
  g_clear_pointer (&self->zone, g_time_zone_unref);
  g_clear_pointer (&self->zone_name, g_free);
}

static gint64
floor_div (gint64 value, gint64 by)
{
  return value / by - (value % by < 0);
}

/* NULL beyond the years that have dates. */
static GDateTime *
date_of (const LkPageClock *self, gint64 time_us)
{
  g_autoptr (GDateTime) utc = g_date_time_new_from_unix_utc (floor_div (time_us, G_USEC_PER_SEC));
  return utc != NULL ? g_date_time_to_timezone (utc, self->zone) : NULL;
}

char *
lk_page_clock_moment (const LkPageClock *self, gint64 time_us)
{
  g_autoptr (GDateTime) date = self->zone != NULL ? date_of (self, time_us) : NULL;
  if (date != NULL)
    return g_strdup_printf ("%04d-%02d-%02d %02d:%02d:%02d", g_date_time_get_year (date),
                            g_date_time_get_month (date), g_date_time_get_day_of_month (date),
                            g_date_time_get_hour (date), g_date_time_get_minute (date),
                            g_date_time_get_second (date));
  gint64 time_s = floor_div (time_us, G_USEC_PER_SEC);
  gint64 day = floor_div (time_s, DAY_S);
  gint64 rest_s = time_s - day * DAY_S;
  return g_strdup_printf ("day %" G_GINT64_FORMAT ", %02d:%02d:%02d", day, (int)(rest_s / HOUR_S),
                          (int)(rest_s / MINUTE_S % 60), (int)(rest_s % 60));
}

char *
lk_page_clock_title (const LkPageClock *self)
{
  if (self->zone == NULL)
    return g_strdup ("time since the first submission");
  g_autofree char *begin = lk_page_clock_moment (self, self->begin_us);
  g_autofree char *end = lk_page_clock_moment (self, self->end_us);
  return g_strdup_printf ("%.10s to %.10s, %s", begin, end, self->zone_name);
}

void
lk_page_number (double value, int decimals, char out_text[LK_PAGE_NUMBER_BYTES])
{
  char format[8];
  if (!(fabs (value) < 1e15)) {
    g_strlcpy (out_text, "-", LK_PAGE_NUMBER_BYTES);
    return;
  }
  g_snprintf (format, sizeof format, "%%.%df", decimals);
  g_ascii_formatd (out_text, (int)LK_PAGE_NUMBER_BYTES, format, value);
  if (strchr (out_text, '.') != NULL) {
    gsize length = strlen (out_text);
    while (out_text[length - 1] == '0')
      out_text[--length] = '\0';
    if (out_text[length - 1] == '.')
      out_text[length - 1] = '\0';
  }
  if (strcmp (out_text, "-0") == 0)
    g_strlcpy (out_text, "0", LK_PAGE_NUMBER_BYTES);
}

/* ---------------------------------------------------------------- ticks of dates */

static void
add_tick (GArray *ticks, double at, const char *text)
{
  LkPageTick tick = { .at = at };
  g_strlcpy (tick.text, text, sizeof tick.text);
  if (ticks->len < TICKS_MAX)
    g_array_append_val (ticks, tick);
}

/* Each shorter than a day divides it. */
static const gint64 steps_s[] = { 1,         2,          5,          10,         15,          30,
                                  60,        120,        300,        600,        900,         1800,
                                  HOUR_S,    2 * HOUR_S, 3 * HOUR_S, 6 * HOUR_S, 12 * HOUR_S, DAY_S,
                                  2 * DAY_S, 7 * DAY_S,  14 * DAY_S };
static const int steps_months[] = { 1, 2, 3, 6, 12, 24, 60, 120, 240, 600, 1200 };

/* Within a day: the same times each day, whatever the zone did that night. */
static void
tick_times (const LkPageClock *self, gint64 range_us[2], gint64 step_s, GArray *ticks)
{
  g_autoptr (GDateTime) first = date_of (self, range_us[0]);
  int year = g_date_time_get_year (first);
  int month = g_date_time_get_month (first);
  int day_of_month = g_date_time_get_day_of_month (first);
  g_autoptr (GDateTime) noon = g_date_time_new_utc (year, month, day_of_month, 12, 0, 0);
  double last = -HUGE_VAL;
  for (int day = 0; day < 64; day++) {
    g_autoptr (GDateTime) date = g_date_time_add_days (noon, day);
    for (gint64 s = 0; s < DAY_S; s += step_s) {
      char text[24];
      g_autoptr (GDateTime) at =
          g_date_time_new (self->zone, g_date_time_get_year (date), g_date_time_get_month (date),
                           g_date_time_get_day_of_month (date), (int)(s / HOUR_S),
                           (int)(s / 60 % 60), (double)(s % 60));
      double at_us = at != NULL ? (double)g_date_time_to_unix (at) * 1e6 : last;
      if (at_us > (double)range_us[1])
        return;
      if (at_us < (double)range_us[0] || at_us <= last)
        continue;
      last = at_us;
      if (s == 0)
        g_snprintf (text, sizeof text, "%d %s", g_date_time_get_day_of_month (date),
                    month_names[g_date_time_get_month (date) - 1]);
      else if (step_s >= MINUTE_S)
        g_snprintf (text, sizeof text, "%02d:%02d", (int)(s / HOUR_S), (int)(s / 60 % 60));
      else
        g_snprintf (text, sizeof text, "%02d:%02d:%02d", (int)(s / HOUR_S), (int)(s / 60 % 60),
                    (int)(s % 60));
      add_tick (ticks, at_us, text);
    }
  }
}

/* Midnights, every so many days; weeks begin on Monday. */
static void
tick_days (const LkPageClock *self, gint64 range_us[2], int step_days, GArray *ticks)
{
  g_autoptr (GDateTime) first = date_of (self, range_us[0]);
  GDate date;
  g_date_clear (&date, 1);
  g_date_set_dmy (&date, (GDateDay)g_date_time_get_day_of_month (first),
                  (GDateMonth)g_date_time_get_month (first),
                  (GDateYear)g_date_time_get_year (first));
  /* Day 1 of GDate, of year 1, was a Monday. */
  while ((g_date_get_julian (&date) - 1) % (guint)step_days != 0)
    g_date_subtract_days (&date, 1);
  for (guint i = 0; i < TICKS_MAX; i++, g_date_add_days (&date, (guint)step_days)) {
    char text[24];
    g_autoptr (GDateTime) at =
        g_date_time_new (self->zone, g_date_get_year (&date), (int)g_date_get_month (&date),
                         g_date_get_day (&date), 0, 0, 0);
    gint64 at_us = at != NULL ? g_date_time_to_unix (at) * G_USEC_PER_SEC : range_us[0] - 1;
    if (at_us > range_us[1])
      return;
    g_snprintf (text, sizeof text, "%d %s", g_date_get_day (&date),
                month_names[g_date_get_month (&date) - 1]);
    if (at_us >= range_us[0])
      add_tick (ticks, (double)at_us, text);
  }
}

static void
tick_months (const LkPageClock *self, gint64 range_us[2], int step, GArray *ticks)
{
  g_autoptr (GDateTime) first = date_of (self, range_us[0]);
  int month = g_date_time_get_year (first) * 12 + g_date_time_get_month (first) - 1;
  month -= month % step;
  for (guint i = 0; i < TICKS_MAX; i++, month += step) {
    char text[24];
    g_autoptr (GDateTime) at = g_date_time_new (self->zone, month / 12, month % 12 + 1, 1, 0, 0, 0);
    if (at == NULL)
      continue;
    gint64 at_us = g_date_time_to_unix (at) * G_USEC_PER_SEC;
    if (at_us > range_us[1])
      return;
    if (step % 12 == 0 || month % 12 == 0)
      g_snprintf (text, sizeof text, "%d", month / 12);
    else
      g_snprintf (text, sizeof text, "%s", month_names[month % 12]);
    if (at_us >= range_us[0])
      add_tick (ticks, (double)at_us, text);
  }
}

/* ---------------------------------------------------------------- ticks since the beginning */

static void
tick_elapsed (gint64 range_us[2], gint64 step_s, GArray *ticks)
{
  gint64 step_us = step_s * G_USEC_PER_SEC;
  gint64 at_us = floor_div (range_us[0] + step_us - 1, step_us) * step_us;
  for (; at_us <= range_us[1]; at_us += step_us) {
    char text[24];
    gint64 at_s = at_us / G_USEC_PER_SEC;
    const char *unit = step_s >= DAY_S ? "d" : step_s >= HOUR_S ? "h" : step_s >= 60 ? "min" : "s";
    gint64 unit_s = step_s >= DAY_S ? DAY_S : step_s >= HOUR_S ? HOUR_S : step_s >= 60 ? 60 : 1;
    g_snprintf (text, sizeof text, "%" G_GINT64_FORMAT " %s", at_s / unit_s, unit);
    add_tick (ticks, (double)at_us, text);
  }
}

GArray *
lk_page_clock_ticks (const LkPageClock *self, gint64 begin_us, gint64 end_us, guint count_max)
{
  GArray *ticks = g_array_new (FALSE, TRUE, sizeof (LkPageTick));
  gint64 range_us[2] = { begin_us, end_us };
  double span_s = (double)(end_us - begin_us) / 1e6;
  gboolean has_dates = self->zone != NULL;
  for (gsize i = 0; i < G_N_ELEMENTS (steps_s); i++) {
    if (span_s / (double)steps_s[i] > (double)(count_max - 1))
      continue;
    if (!has_dates)
      tick_elapsed (range_us, steps_s[i], ticks);
    else if (steps_s[i] < DAY_S)
      tick_times (self, range_us, steps_s[i], ticks);
    else
      tick_days (self, range_us, (int)(steps_s[i] / DAY_S), ticks);
    return ticks;
  }
  for (gsize i = 0; i < G_N_ELEMENTS (steps_months); i++) {
    double step_s = steps_months[i] * 30.4 * DAY_S;
    if (span_s / step_s > (double)(count_max - 1))
      continue;
    if (has_dates)
      tick_months (self, range_us, steps_months[i], ticks);
    else
      tick_elapsed (range_us, steps_months[i] * (gint64)30 * DAY_S, ticks);
    return ticks;
  }
  return ticks;
}

/* ---------------------------------------------------------------- ticks of numbers */

GArray *
lk_page_value_ticks (double most, guint count_max)
{
  static const double parts[] = { 5, 2 };
  GArray *ticks = g_array_new (FALSE, TRUE, sizeof (LkPageTick));
  double unit = 1;
  while (unit * count_max < most)
    unit *= 10;
  while (unit * count_max >= most)
    unit /= 10;
  double step = unit * 10;
  for (guint i = 0; i < G_N_ELEMENTS (parts); i++)
    if (unit * parts[i] * count_max >= most * (1 - 1e-9))
      step = unit * parts[i];
  guint count = (guint)ceil (most / step - 1e-9);
  for (guint i = 0; i <= count; i++) {
    char text[LK_PAGE_NUMBER_BYTES];
    lk_page_number (step * i, 6, text);
    add_tick (ticks, step * i, text);
  }
  return ticks;
}

double
lk_page_wait_place (gint64 wait_us)
{
  return lk_real_log2 (1 + (double)wait_us / 1e6);
}

GArray *
lk_page_wait_ticks (gint64 most_us)
{
  static const struct {
    gint64 at_s;
    const char *text;
  } marks[] = { { 0, "0" },
                { 10, "10 s" },
                { 60, "1 min" },
                { 600, "10 min" },
                { HOUR_S, "1 h" },
                { 6 * HOUR_S, "6 h" },
                { DAY_S, "1 d" },
                { 7 * DAY_S, "7 d" },
                { 30 * DAY_S, "30 d" },
                { 365 * DAY_S, "1 year" },
                { 3650 * (gint64)DAY_S, "10 years" } };
  GArray *ticks = g_array_new (FALSE, TRUE, sizeof (LkPageTick));
  for (gsize i = 0; i < G_N_ELEMENTS (marks); i++) {
    add_tick (ticks, lk_page_wait_place (marks[i].at_s * G_USEC_PER_SEC), marks[i].text);
    if (i > 0 && marks[i].at_s * G_USEC_PER_SEC >= most_us)
      break;
  }
  return ticks;
}

GArray *
lk_page_clock_offsets (const LkPageClock *self)
{
  GArray *offsets = g_array_new (FALSE, FALSE, sizeof (gint64));
  gint64 first_s = floor_div (self->begin_us, G_USEC_PER_SEC);
  gint64 last_s = floor_div (self->end_us, G_USEC_PER_SEC);
  gint64 at_s = first_s;
  int before = self->zone != NULL
                   ? g_time_zone_find_interval (self->zone, G_TIME_TYPE_UNIVERSAL, first_s)
                   : 0;
  gint64 offset_s = self->zone != NULL ? g_time_zone_get_offset (self->zone, before) : 0;
  g_array_append_val (offsets, first_s);
  g_array_append_val (offsets, offset_s);
  /* Zones change on the hour, or at least the quarter; a look at each one finds all of them. */
  for (; self->zone != NULL && at_s <= last_s && offsets->len < 1000;
       at_s = (floor_div (at_s, 900) + 1) * 900) {
    int interval = g_time_zone_find_interval (self->zone, G_TIME_TYPE_UNIVERSAL, at_s);
    if (interval == before)
      continue;
    before = interval;
    offset_s = g_time_zone_get_offset (self->zone, interval);
    g_array_append_val (offsets, at_s);
    g_array_append_val (offsets, offset_s);
  }
  return offsets;
}
