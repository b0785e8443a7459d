/* traces/job_values.c — see job_values.h. */
#include "traces/job_values.h"

#include <string.h>

#include "engine/policy.h"

#define MIB (G_GINT64_CONSTANT (1024) * 1024)
#define MINUTE_S G_GINT64_CONSTANT (60)
#define HOUR_S (60 * MINUTE_S)
#define DAY_S (24 * HOUR_S)

/* ---------------------------------------------------------------- numbers */

/* Digits at `*at`, at least one, worth at most `maximum`; moves behind them. */
static gboolean
take_number (const char **at, gint64 maximum, gint64 *out_number)
{
  gint64 number = 0;
  if (!g_ascii_isdigit (**at))
    return FALSE;
  for (; g_ascii_isdigit (**at); (*at)++) {
    number = number * 10 + (**at - '0');
    if (number > maximum)
      return FALSE;
  }
  *out_number = number;
  return TRUE;
}

static void
skip_blanks (const char **at)
{
  while (g_ascii_isspace (**at))
    (*at)++;
}

gboolean
lk_job_count_parse (const char *text, guint32 *out_count)
{
  gint64 number;
  if (!take_number (&text, G_MAXINT32, &number) || *text != '\0' || number == 0)
    return FALSE;
  *out_count = (guint32)number;
  return TRUE;
}

/* A number with k or m behind it and blanks around. */
static gboolean
take_nodes (const char **at, gint64 *out_number)
{
  gint64 number;
  skip_blanks (at);
  if (!take_number (at, G_MAXINT32, &number))
    return FALSE;
  char unit = g_ascii_tolower (**at);
  if (unit == 'k' || unit == 'm') {
    number *= unit == 'k' ? 1024 : 1024 * 1024;
    (*at)++;
  }
  skip_blanks (at);
  *out_number = number;
  return number <= G_MAXINT32;
}

gboolean
lk_job_nodes_parse (const char *text, guint32 *out_min, guint32 *out_max)
{
  gint64 min = 1;
  gint64 max;
  skip_blanks (&text);
  if (*text != '-' && !take_nodes (&text, &min))
    return FALSE;
  max = min;
  if (*text == '-') {
    text++;
    if (!take_nodes (&text, &max))
      return FALSE;
  }
  if (*text != '\0' || min == 0 || (max != 0 && max < min))
    return FALSE;
  *out_min = (guint32)min;
  *out_max = (guint32)max;
  return TRUE;
}

gboolean
lk_job_size_parse (const char *text, gint64 *out_bytes)
{
  static const char units[] = "KMGT";
  gint64 number;
  if (!take_number (&text, G_MAXINT64 / MIB, &number))
    return FALSE;
  gint64 factor = MIB;
  if (*text != '\0') {
    const char *unit = strchr (units, g_ascii_toupper (*text));
    if (unit == NULL)
      return FALSE;
    text++;
    if (g_ascii_toupper (*text) == 'B')
      text++;
    if (*unit == 'K')
      number = (number + 1023) / 1024;
    else
      factor <<= 10 * (unit - units - 1);
  }
  if (*text != '\0' || __builtin_mul_overflow (number, factor, &number))
    return FALSE;
  *out_bytes = number;
  return TRUE;
}

/* ---------------------------------------------------------------- times */

/* Numbers separated by colons, 1 to 3 of them. */
static guint
take_clock (const char **at, gint64 *out_numbers)
{
  guint count = 0;
  for (;;) {
    if (count == 3 || !take_number (at, G_MAXINT32, &out_numbers[count]))
      return 0;
    count++;
    if (**at != ':')
      return count;
    (*at)++;
  }
}

gboolean
lk_job_time_parse (const char *text, gint64 *out_time_us)
{
  if (g_ascii_strcasecmp (text, "UNLIMITED") == 0 || g_ascii_strcasecmp (text, "INFINITE") == 0
      || strcmp (text, "-1") == 0) {
    *out_time_us = LK_TIME_NEVER;
    return TRUE;
  }
  gint64 parts[3] = { 0, 0, 0 };
  gint64 time_s;
  guint count = take_clock (&text, parts);
  if (count == 1 && *text == '-') {
    gint64 clock[3] = { 0, 0, 0 };
    text++;
    if (*text != '\0' && take_clock (&text, clock) == 0)
      return FALSE;
    time_s = parts[0] * DAY_S + clock[0] * HOUR_S + clock[1] * MINUTE_S + clock[2];
  } else if (count == 3) {
    time_s = parts[0] * HOUR_S + parts[1] * MINUTE_S + parts[2];
  } else if (count > 0) {
    time_s = parts[0] * MINUTE_S + parts[1];
  } else {
    return FALSE;
  }
  if (*text != '\0' || time_s > G_MAXINT32 * MINUTE_S)
    return FALSE;
  *out_time_us = time_s * G_USEC_PER_SEC;
  return TRUE;
}

gboolean
lk_job_time_limit_parse (const char *text, gint64 *out_limit_us)
{
  const gint64 minute_us = MINUTE_S * G_USEC_PER_SEC;
  gint64 time_us;
  if (!lk_job_time_parse (text, &time_us))
    return FALSE;
  if (time_us == 0)
    time_us = LK_TIME_NEVER;
  if (time_us != LK_TIME_NEVER)
    time_us = (time_us + minute_us - 1) / minute_us * minute_us;
  *out_limit_us = time_us;
  return TRUE;
}

/* ---------------------------------------------------------------- generic resources */

/* A number with an optional k, m or g. */
static gboolean
gres_count_parse (const char *at, gsize length_bytes, guint32 *out_count)
{
  const char *end = at + length_bytes;
  gint64 count;
  if (!take_number (&at, G_MAXUINT32, &count) || at > end)
    return FALSE;
  if (at < end) {
    static const char units[] = "KMG";
    const char *unit = strchr (units, g_ascii_toupper (*at));
    if (unit == NULL || at + 1 != end)
      return FALSE;
    count <<= 10 * (unit - units + 1);
  }
  if (count > G_MAXUINT32)
    return FALSE;
  *out_count = (guint32)count;
  return TRUE;
}

/* The bytes up to the next `separator` or to the end. */
static gsize
word_bytes (const char *at, const char *end, char separator)
{
  const char *found = memchr (at, separator, (gsize)(end - at));
  return (gsize)((found != NULL ? found : end) - at);
}

/* What is behind the name: [type][:count]. */
static gboolean
gres_rest_parse (const char *at, const char *end, LkJobGres *out_gres)
{
  gsize bytes = word_bytes (at, end, ':');
  if (bytes == 0)
    return FALSE;
  if (gres_count_parse (at, bytes, &out_gres->count))
    return at + bytes == end;
  /* A number that is too large is no type. */
  if (strspn (at, "0123456789") >= bytes)
    return FALSE;
  out_gres->type = at;
  out_gres->type_bytes = bytes;
  at += bytes;
  return at == end || gres_count_parse (at + 1, (gsize)(end - at - 1), &out_gres->count);
}

static gboolean
gres_is_word (const char *at, gsize length_bytes)
{
  for (gsize i = 0; i < length_bytes; i++)
    if (!g_ascii_isgraph (at[i]) || strchr ("=/()[]*&|", at[i]) != NULL)
      return FALSE;
  return length_bytes > 0;
}

static gboolean
gres_parse (const char *at, const char *end, const char *name, LkJobGres *out_gres)
{
  *out_gres = (LkJobGres){ .name = name, .count = 1 };
  if (name != NULL) {
    out_gres->name_bytes = strlen (name);
    return gres_rest_parse (at, end, out_gres)
           && (out_gres->type == NULL || gres_is_word (out_gres->type, out_gres->type_bytes));
  }
  if (end - at > 5 && strncmp (at, "gres", 4) == 0 && (at[4] == ':' || at[4] == '/'))
    at += 5;
  out_gres->name = at;
  out_gres->name_bytes = word_bytes (at, end, ':');
  at += out_gres->name_bytes;
  if (!gres_is_word (out_gres->name, out_gres->name_bytes))
    return FALSE;
  if (at == end)
    return TRUE;
  return gres_rest_parse (at + 1, end, out_gres)
         && (out_gres->type == NULL || gres_is_word (out_gres->type, out_gres->type_bytes));
}

gboolean
lk_job_gres_parse (const char *text, const char *name, GArray *out_list)
{
  guint kept_count = out_list->len;
  if (*text == '\0' || g_ascii_strcasecmp (text, "none") == 0)
    return TRUE;
  const char *at = text;
  const char *text_end = text + strlen (text);
  for (;;) {
    LkJobGres gres;
    const char *end = at + word_bytes (at, text_end, ',');
    if (!gres_parse (at, end, name, &gres)) {
      g_array_set_size (out_list, kept_count);
      return FALSE;
    }
    g_array_append_val (out_list, gres);
    if (end == text_end)
      return TRUE;
    at = end + 1;
  }
}

void
lk_job_gres_format (const GArray *list, gboolean with_names, GString *out)
{
  const char *separator = "";
  for (guint i = 0; i < list->len; i++) {
    const LkJobGres *gres = &g_array_index (list, LkJobGres, i);
    if (gres->count == 0)
      continue;
    g_string_append (out, separator);
    separator = ",";
    if (with_names)
      g_string_append_printf (out, "%.*s:", (int)gres->name_bytes, gres->name);
    if (gres->type != NULL)
      g_string_append_printf (out, "%.*s:", (int)gres->type_bytes, gres->type);
    g_string_append_printf (out, "%u", gres->count);
  }
}

guint32
lk_job_gres_count (const GArray *list, const char *name)
{
  guint64 count = 0;
  for (guint i = 0; i < list->len; i++) {
    const LkJobGres *gres = &g_array_index (list, LkJobGres, i);
    if (gres->name_bytes == strlen (name) && memcmp (gres->name, name, gres->name_bytes) == 0)
      count += gres->count;
  }
  return (guint32)MIN (count, G_MAXUINT32);
}

/* ---------------------------------------------------------------- moments and signals */

gboolean
lk_job_moment_parse (const char *text, gint64 now_us, gint64 *out_us)
{
  static const struct {
    const char *name;
    gint64 seconds;
  } units[] = {
    { "seconds", 1 }, { "minutes", 60 }, { "hours", 3600 }, { "days", 86400 }, { "weeks", 604800 }
  };
  guint64 count;
  if (g_str_has_prefix (text, "uts")) {
    if (!g_ascii_string_to_unsigned (text + 3, 10, 0, G_MAXINT64 / G_USEC_PER_SEC, &count, NULL))
      return FALSE;
    *out_us = (gint64)count * G_USEC_PER_SEC;
    return TRUE;
  }
  if (g_ascii_strncasecmp (text, "now", 3) != 0 || (text[3] != '\0' && !strchr ("+-", text[3])))
    return FALSE;
  if (text[3] == '\0') {
    *out_us = now_us;
    return TRUE;
  }
  gsize digits = strspn (text + 4, "0123456789");
  g_autofree char *number = g_strndup (text + 4, digits);
  const char *unit = text + 4 + digits;
  gint64 seconds = *unit == '\0' ? 1 : 0;
  for (guint i = 0; *unit != '\0' && i < G_N_ELEMENTS (units); i++)
    if (g_ascii_strncasecmp (units[i].name, unit, strlen (unit)) == 0)
      seconds = units[i].seconds;
  if (seconds == 0 || !g_ascii_string_to_unsigned (number, 10, 0, G_MAXINT32, &count, NULL))
    return FALSE;
  gint64 away_us = (gint64)count * seconds * G_USEC_PER_SEC;
  /* Before the beginning of all time is at its beginning. */
  *out_us = text[3] == '+' ? now_us + away_us : MAX (now_us - away_us, 1);
  return TRUE;
}

gboolean
lk_job_signal_parse (const char *text, guint8 *out_signal)
{
  static const struct {
    const char *name;
    guint8 number;
  } known[] = {
    { "HUP", 1 },   { "INT", 2 },   { "QUIT", 3 },  { "ABRT", 6 },  { "KILL", 9 },
    { "USR1", 10 }, { "USR2", 12 }, { "ALRM", 14 }, { "TERM", 15 }, { "CONT", 18 },
    { "STOP", 19 }, { "TSTP", 20 }, { "URG", 23 },  { "XCPU", 24 },
  };
  guint64 number;
  if (g_ascii_string_to_unsigned (text, 10, 1, 64, &number, NULL)) {
    *out_signal = (guint8)number;
    return TRUE;
  }
  if (g_ascii_strncasecmp (text, "SIG", 3) == 0)
    text += 3;
  for (guint i = 0; i < G_N_ELEMENTS (known); i++)
    if (g_ascii_strcasecmp (text, known[i].name) == 0) {
      *out_signal = known[i].number;
      return TRUE;
    }
  return FALSE;
}
