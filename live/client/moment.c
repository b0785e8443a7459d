/* live/client/moment.c — see the header. */
#include "live/client/moment.h"

#include <string.h>
#include <time.h>

#include "traces/job_values.h"

#define TEXT_MAX_BYTES 64u

/* What has been read so far. */
typedef struct {
  const char *at;
  gboolean has_time;
  gboolean has_date;
  gboolean has_year;
  int hour;
  int minute;
  int second;
  int year;  /* with the century */
  int month; /* 1 to 12 */
  int day;
} Moment;

static gboolean
digits_take (Moment *self, guint count_min, guint count_max, int *out_number, guint *out_count)
{
  guint count = 0;
  int number = 0;
  for (; count < count_max && g_ascii_isdigit (self->at[count]); count++)
    number = number * 10 + (self->at[count] - '0');
  if (count < count_min)
    return FALSE;
  self->at += count;
  *out_number = number;
  *out_count = count;
  return TRUE;
}

static gboolean
two_take (Moment *self, int *out_number)
{
  guint count;
  return digits_take (self, 1, 2, out_number, &count);
}

/* ---------------------------------------------------------------- time of day */

static void
half_take (Moment *self)
{
  const char *at = self->at + strspn (self->at, " \t");
  gboolean is_pm = g_ascii_strncasecmp (at, "pm", 2) == 0;
  gboolean is_am = g_ascii_strncasecmp (at, "am", 2) == 0;
  if (!is_am && !is_pm)
    return;
  self->at = at + 2;
  if (is_pm && self->hour < 12)
    self->hour += 12;
  else if (is_am && self->hour == 12)
    self->hour = 0;
}

static gboolean
time_take (Moment *self)
{
  if (self->has_time || !two_take (self, &self->hour) || *self->at != ':')
    return FALSE;
  self->at++;
  if (!two_take (self, &self->minute))
    return FALSE;
  if (*self->at == ':') {
    self->at++;
    if (!two_take (self, &self->second))
      return FALSE;
  }
  self->has_time = TRUE;
  half_take (self);
  return self->hour < 24 && self->minute < 60 && self->second < 60;
}

/* ---------------------------------------------------------------- dates */

/* YYYY-MM-DD */
static gboolean
date_long_take (Moment *self)
{
  guint count;
  if (!digits_take (self, 4, 4, &self->year, &count) || *self->at != '-')
    return FALSE;
  self->at++;
  if (!two_take (self, &self->month) || *self->at != '-')
    return FALSE;
  self->at++;
  self->has_year = TRUE;
  return two_take (self, &self->day);
}

/* MMDD[YY] */
static gboolean
date_joined_take (Moment *self, gsize length)
{
  guint count;
  if (!digits_take (self, 2, 2, &self->month, &count)
      || !digits_take (self, 2, 2, &self->day, &count))
    return FALSE;
  self->has_year = length == 6;
  if (self->has_year && !digits_take (self, 2, 2, &self->year, &count))
    return FALSE;
  self->year += 2000;
  return TRUE;
}

/* MM/DD[/YY], or with dots */
static gboolean
date_split_take (Moment *self)
{
  guint count;
  if (!two_take (self, &self->month))
    return FALSE;
  char mark = *self->at++;
  if (!two_take (self, &self->day))
    return FALSE;
  if (*self->at != mark)
    return TRUE;
  self->at++;
  self->has_year = TRUE;
  if (!digits_take (self, 2, 4, &self->year, &count))
    return FALSE;
  self->year += count == 2 ? 2000 : 0;
  return count != 3;
}

static gboolean
date_take (Moment *self)
{
  gsize length = strspn (self->at, "0123456789");
  char mark = self->at[length];
  gboolean is_taken = FALSE;
  if (self->has_date)
    return FALSE;
  if (length == 4 && mark == '-')
    is_taken = date_long_take (self);
  else if (length == 4 || length == 6)
    is_taken = date_joined_take (self, length);
  else if (length > 0 && length <= 2 && (mark == '/' || mark == '.'))
    is_taken = date_split_take (self);
  self->has_date = TRUE;
  return is_taken && self->month >= 1 && self->month <= 12 && self->day >= 1 && self->day <= 31;
}

/* ---------------------------------------------------------------- words */

static const struct {
  const char *word;
  int hour;    /* -1: it says no time, */
  int days;    /* but a day: so many from today */
  int minutes; /* behind the hour */
} words[] = {
  { "midnight", 0, -1, 0 }, { "noon", 12, -1, 0 },    { "elevenses", 11, -1, 0 },
  { "fika", 15, -1, 0 },    { "teatime", 16, -1, 0 }, { "today", -1, 0, 0 },
  { "tomorrow", -1, 1, 0 },
};

static gboolean
word_take (Moment *self, const struct tm *now, gboolean *out_is_known)
{
  for (guint i = 0; i < G_N_ELEMENTS (words); i++) {
    gsize length = strlen (words[i].word);
    if (g_ascii_strncasecmp (self->at, words[i].word, length) != 0)
      continue;
    *out_is_known = TRUE;
    self->at += length;
    if (words[i].hour >= 0) {
      gboolean is_first = !self->has_time;
      self->has_time = TRUE;
      self->hour = words[i].hour;
      self->minute = words[i].minutes;
      return is_first;
    }
    gboolean is_first = !self->has_date;
    self->has_date = self->has_year = TRUE;
    self->year = now->tm_year + 1900;
    self->month = now->tm_mon + 1;
    self->day = now->tm_mday + words[i].days;
    return is_first;
  }
  return TRUE;
}

static gboolean
part_take (Moment *self, const struct tm *now)
{
  gboolean is_word = FALSE;
  if (!word_take (self, now, &is_word))
    return FALSE;
  if (is_word)
    return TRUE;
  gsize length = strspn (self->at, "0123456789");
  return length <= 2 && self->at[length] == ':' ? time_take (self) : date_take (self);
}

/* ---------------------------------------------------------------- the whole */

static gint64
seconds_of (const Moment *self, const struct tm *now, int days)
{
  struct tm moment = { .tm_sec = self->second,
                       .tm_min = self->minute,
                       .tm_hour = self->hour,
                       .tm_mday = (self->has_date ? self->day : now->tm_mday) + days,
                       .tm_mon = self->has_date ? self->month - 1 : now->tm_mon,
                       .tm_year = self->has_year ? self->year - 1900 : now->tm_year,
                       .tm_isdst = -1 };
  return (gint64)mktime (&moment);
}

/* The next moment of its kind, where it does not say all of it. */
static gint64
settle (const Moment *self, const struct tm *now, gint64 now_s, gboolean is_ahead)
{
  gint64 seconds = seconds_of (self, now, 0);
  if (!is_ahead || seconds >= now_s)
    return seconds;
  if (!self->has_date)
    return seconds_of (self, now, 1);
  if (self->has_year)
    return seconds;
  struct tm next = *now;
  next.tm_year++;
  return seconds_of (self, &next, 0);
}

gboolean
lk_client_moment_parse (const char *text, gint64 now_us, gboolean is_ahead, gint64 *out_us)
{
  struct tm now;
  time_t now_s = (time_t)(now_us / G_USEC_PER_SEC);
  Moment moment = { .at = text };
  if (lk_job_moment_parse (text, now_us, out_us))
    return TRUE;
  if (strlen (text) > TEXT_MAX_BYTES || *text == '\0' || localtime_r (&now_s, &now) == NULL)
    return FALSE;
  while (*moment.at != '\0') {
    if (!part_take (&moment, &now))
      return FALSE;
    /* A dash or a T stands between a date and a time: "noon-tomorrow", too. */
    if ((*moment.at == 'T' || *moment.at == '-') && moment.has_date != moment.has_time
        && moment.at[1] != '\0')
      moment.at++;
    else if (*moment.at != '\0' && !g_ascii_isspace (*moment.at))
      return FALSE;
    moment.at += strspn (moment.at, " \t");
  }
  *out_us = settle (&moment, &now, (gint64)now_s, is_ahead) * G_USEC_PER_SEC;
  return TRUE;
}
