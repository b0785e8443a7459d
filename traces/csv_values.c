/* traces/csv_values.c — see csv_values.h. */
#include "traces/csv_values.h"

#include <string.h>

#include "engine/policy.h"
#include "traces/decimal.h"

#define KIB G_GINT64_CONSTANT (1024)
#define MIB (KIB * KIB)
#define GIB (KIB * MIB)
#define TIB (KIB * GIB)
#define S_US G_GINT64_CONSTANT (1000000)
#define DAY_S G_GINT64_CONSTANT (86400)
#define DAY_US (DAY_S * S_US)
#define YEAR_MAX 9999

typedef enum {
  WAY_DECIMAL, /* a number times numerator / denominator */
  WAY_DATE,
  WAY_CLOCK, /* [days-][hours:]minutes:seconds */
  WAY_SLURM, /* a size with K, M, G or T, in MiB without */
} Way;

struct _LkCsvUnit {
  const char *name;
  LkCsvKind kind;
  Way way;
  gint64 numerator;
};

/* For each kind the one that stands for none given comes first. */
static const LkCsvUnit units[] = {
  { "s", LK_CSV_MOMENT, WAY_DECIMAL, S_US },
  { "ms", LK_CSV_MOMENT, WAY_DECIMAL, S_US / 1000 },
  { "us", LK_CSV_MOMENT, WAY_DECIMAL, 1 },
  { "min", LK_CSV_MOMENT, WAY_DECIMAL, 60 * S_US },
  { "h", LK_CSV_MOMENT, WAY_DECIMAL, 3600 * S_US },
  { "d", LK_CSV_MOMENT, WAY_DECIMAL, DAY_US },
  { "date", LK_CSV_MOMENT, WAY_DATE, 0 },
  { "s", LK_CSV_SPAN, WAY_DECIMAL, S_US },
  { "ms", LK_CSV_SPAN, WAY_DECIMAL, S_US / 1000 },
  { "us", LK_CSV_SPAN, WAY_DECIMAL, 1 },
  { "min", LK_CSV_SPAN, WAY_DECIMAL, 60 * S_US },
  { "h", LK_CSV_SPAN, WAY_DECIMAL, 3600 * S_US },
  { "d", LK_CSV_SPAN, WAY_DECIMAL, DAY_US },
  { "clock", LK_CSV_SPAN, WAY_CLOCK, 0 },
  { "one", LK_CSV_COUNT, WAY_DECIMAL, 1000 },
  { "percent", LK_CSV_COUNT, WAY_DECIMAL, 10 },
  { "milli", LK_CSV_COUNT, WAY_DECIMAL, 1 },
  { "B", LK_CSV_SIZE, WAY_DECIMAL, 1 },
  { "KiB", LK_CSV_SIZE, WAY_DECIMAL, KIB },
  { "MiB", LK_CSV_SIZE, WAY_DECIMAL, MIB },
  { "GiB", LK_CSV_SIZE, WAY_DECIMAL, GIB },
  { "TiB", LK_CSV_SIZE, WAY_DECIMAL, TIB },
  { "kB", LK_CSV_SIZE, WAY_DECIMAL, 1000 },
  { "MB", LK_CSV_SIZE, WAY_DECIMAL, 1000000 },
  { "GB", LK_CSV_SIZE, WAY_DECIMAL, 1000000000 },
  { "TB", LK_CSV_SIZE, WAY_DECIMAL, G_GINT64_CONSTANT (1000000000000) },
  { "slurm", LK_CSV_SIZE, WAY_SLURM, 0 },
};

const LkCsvUnit *
lk_csv_unit (LkCsvKind kind, const char *name)
{
  for (gsize i = 0; i < G_N_ELEMENTS (units); i++)
    if (units[i].kind == kind && strcmp (units[i].name, name) == 0)
      return &units[i];
  return NULL;
}

const char **
lk_csv_unit_names (LkCsvKind kind)
{
  const char **names = g_new0 (const char *, G_N_ELEMENTS (units) + 1);
  guint count = 0;
  for (gsize i = 0; i < G_N_ELEMENTS (units); i++)
    if (units[i].kind == kind)
      names[count++] = units[i].name;
  return names;
}

gboolean
lk_csv_unit_is_date (const LkCsvUnit *unit)
{
  return unit->way == WAY_DATE;
}

/* ---------------------------------------------------------------- dates */

typedef struct {
  gint64 year, month, day, hour, minute, second, fraction_us, zone_s;
} Date;

/* 1 to `digits_max` digits worth `minimum` to `maximum`. */
static gboolean
number_take (LkSpan *rest, guint digits_max, gint64 minimum, gint64 maximum, gint64 *out_number)
{
  gint64 number = 0;
  guint count = 0;
  for (; count < digits_max && rest->length_bytes > 0 && g_ascii_isdigit (*rest->bytes); count++) {
    number = number * 10 + (*rest->bytes - '0');
    rest->bytes++;
    rest->length_bytes--;
  }
  *out_number = number;
  return count > 0 && number >= minimum && number <= maximum;
}

static gboolean
byte_take (LkSpan *rest, char byte)
{
  if (rest->length_bytes == 0 || *rest->bytes != byte)
    return FALSE;
  rest->bytes++;
  rest->length_bytes--;
  return TRUE;
}

static gboolean
fraction_take (LkSpan *rest, gint64 *out_us)
{
  gint64 scale = S_US / 10;
  gboolean is_any = FALSE;
  *out_us = 0;
  for (; rest->length_bytes > 0 && g_ascii_isdigit (*rest->bytes); scale /= 10) {
    *out_us += (*rest->bytes - '0') * scale;
    byte_take (rest, *rest->bytes);
    is_any = TRUE;
  }
  return is_any;
}

/* Z, or +hh:mm, +hhmm, +hh with either sign. */
static gboolean
zone_take (LkSpan *rest, gint64 *out_s)
{
  gint64 hours;
  gint64 minutes = 0;
  gint64 sign = 1;
  *out_s = 0;
  if (byte_take (rest, 'Z'))
    return TRUE;
  if (byte_take (rest, '-'))
    sign = -1;
  else if (!byte_take (rest, '+'))
    return FALSE;
  if (!number_take (rest, 2, 0, 23, &hours))
    return FALSE;
  if ((byte_take (rest, ':') || rest->length_bytes > 0) && !number_take (rest, 2, 0, 59, &minutes))
    return FALSE;
  *out_s = sign * (hours * 3600 + minutes * 60);
  return TRUE;
}

/* One conversion of a form: the letter behind the percent sign. */
static gboolean
conversion_take (char letter, LkSpan *rest, Date *date)
{
  switch (letter) {
  case 'Y':
    return number_take (rest, 4, 1, YEAR_MAX, &date->year);
  case 'm':
    return number_take (rest, 2, 1, 12, &date->month);
  case 'd':
    return number_take (rest, 2, 1, 31, &date->day);
  case 'H':
    return number_take (rest, 2, 0, 24, &date->hour);
  case 'M':
    return number_take (rest, 2, 0, 59, &date->minute);
  case 'S':
    return number_take (rest, 2, 0, 60, &date->second);
  case 'f':
    return fraction_take (rest, &date->fraction_us);
  case 'z':
    return zone_take (rest, &date->zone_s);
  case 'F':
    return conversion_take ('Y', rest, date) && byte_take (rest, '-')
           && conversion_take ('m', rest, date) && byte_take (rest, '-')
           && conversion_take ('d', rest, date);
  case 'T':
    return conversion_take ('H', rest, date) && byte_take (rest, ':')
           && conversion_take ('M', rest, date) && byte_take (rest, ':')
           && conversion_take ('S', rest, date);
  default:
    return byte_take (rest, letter);
  }
}

gboolean
lk_csv_date_form_check (const char *form)
{
  gboolean has_day = FALSE;
  for (; *form != '\0'; form++) {
    if (*form != '%')
      continue;
    form++;
    if (*form == '\0' || strchr ("YmdHMSfFTz%", *form) == NULL)
      return FALSE;
    has_day = has_day || *form == 'F' || *form == 'd';
  }
  return has_day;
}

/* Days from 1970-01-01 to this day of the Gregorian calendar. Source: Hinnant, "chrono-compatible
 * low-level date algorithms". */
static gint64
days_from_civil (gint64 year, gint64 month, gint64 day)
{
  year -= month <= 2 ? 1 : 0;
  gint64 era = year / 400; /* years are not negative */
  gint64 year_of_era = year - era * 400;
  gint64 day_of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
  gint64 day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  return era * 146097 + day_of_era - 719468;
}

static gboolean
date_parse (const char *form, LkSpan rest, gint64 *out_us)
{
  Date date = { .year = 1970, .month = 1, .day = 1 };
  for (; *form != '\0'; form++) {
    if (g_ascii_isspace (*form)) {
      while (rest.length_bytes > 0 && g_ascii_isspace (*rest.bytes))
        byte_take (&rest, *rest.bytes);
      continue;
    }
    gboolean is_conversion = *form == '%';
    form += is_conversion ? 1 : 0;
    if (is_conversion ? !conversion_take (*form, &rest, &date) : !byte_take (&rest, *form))
      return FALSE;
  }
  if (rest.length_bytes > 0)
    return FALSE;
  gint64 days = days_from_civil (date.year, date.month, date.day);
  gint64 seconds = date.hour * 3600 + date.minute * 60 + date.second - date.zone_s;
  /* The 31st of a month of 30 days is the first of the next. */
  gint64 next = date.month == 12 ? days_from_civil (date.year + 1, 1, 1)
                                 : days_from_civil (date.year, date.month + 1, 1);
  if (days >= next || seconds - DAY_S > -date.zone_s)
    return FALSE;
  *out_us = (days * DAY_S + seconds) * S_US + date.fraction_us;
  return TRUE;
}

/* ---------------------------------------------------------------- values */

static gboolean
is_unlimited (LkSpan cell)
{
  return (cell.length_bytes == 9 && g_ascii_strncasecmp (cell.bytes, "UNLIMITED", 9) == 0)
         || (cell.length_bytes == 8 && g_ascii_strncasecmp (cell.bytes, "INFINITE", 8) == 0);
}

gboolean
lk_csv_value_parse (const LkCsvUnit *unit, const char *form, LkSpan cell, gint64 *out_value)
{
  gint64 value;
  gboolean is_good;
  if (unit->kind == LK_CSV_SPAN && is_unlimited (cell)) {
    *out_value = LK_TIME_NEVER;
    return TRUE;
  }
  switch (unit->way) {
  case WAY_DATE:
    is_good = form != NULL ? date_parse (form, cell, &value) : lk_sacct_time_us (cell, &value);
    break;
  case WAY_CLOCK:
    is_good = lk_sacct_duration_us (cell, &value);
    break;
  case WAY_SLURM:
    is_good = lk_sacct_size_bytes (cell, MIB, &value);
    break;
  default:
    is_good = lk_decimal_parse (
        cell.bytes, cell.length_bytes, unit->numerator, 1,
        unit->kind == LK_CSV_COUNT || unit->kind == LK_CSV_SIZE ? LK_ROUND_UP : LK_ROUND_NEAREST,
        &value);
  }
  if (is_good)
    *out_value = value;
  return is_good;
}
