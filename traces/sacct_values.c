/* traces/sacct_values.c — see sacct_values.h. */
#include "traces/sacct_values.h"

#include <string.h>

#include "engine/policy.h"

#define SECOND_US G_GINT64_CONSTANT (1000000)
#define MINUTE_US (60 * SECOND_US)
/* Seconds that a moment or a length may have: 31,700 years, as in traces/source.c. */
#define SECONDS_MAX G_GINT64_CONSTANT (1000000000000)
#define MIB (G_GINT64_CONSTANT (1024) * 1024)
/* Slurm's array tasks have at most this index (MaxArraySize is at most 4000001). */
#define TASK_MAX 4000000

/* ---------------------------------------------------------------- spans */

LkSpan
lk_span (const char *string)
{
  return (LkSpan){ string, string ? strlen (string) : 0 };
}

gboolean
lk_span_is (LkSpan span, const char *word)
{
  if (strlen (word) != span.length_bytes)
    return FALSE;
  return span.length_bytes == 0 || g_ascii_strncasecmp (span.bytes, word, span.length_bytes) == 0;
}

LkSpan
lk_span_strip (LkSpan span)
{
  while (span.length_bytes > 0 && g_ascii_isspace (span.bytes[0])) {
    span.bytes++;
    span.length_bytes--;
  }
  while (span.length_bytes > 0 && g_ascii_isspace (span.bytes[span.length_bytes - 1]))
    span.length_bytes--;
  return span;
}

gboolean
lk_span_part (LkSpan *rest, char separator, LkSpan *out_part)
{
  if (!rest->bytes)
    return FALSE;
  const char *end = memchr (rest->bytes, separator, rest->length_bytes);
  *out_part = *rest;
  if (!end) {
    *rest = (LkSpan){ NULL, 0 };
    return TRUE;
  }
  out_part->length_bytes = (gsize)(end - rest->bytes);
  rest->length_bytes -= out_part->length_bytes + 1;
  rest->bytes = end + 1;
  return TRUE;
}

static gboolean
is_one_of (LkSpan span, const char *const *words)
{
  for (guint i = 0; words[i]; i++)
    if (lk_span_is (span, words[i]))
      return TRUE;
  return FALSE;
}

/* Digits off the front; FALSE when there are none or too many. */
static gboolean
take_digits (LkSpan *span, gint64 *out_number)
{
  gint64 number = 0;
  gsize i = 0;
  for (; i < span->length_bytes && g_ascii_isdigit (span->bytes[i]); i++)
    if (__builtin_mul_overflow (number, 10, &number)
        || __builtin_add_overflow (number, span->bytes[i] - '0', &number))
      return FALSE;
  if (i == 0)
    return FALSE;
  span->bytes += i;
  span->length_bytes -= i;
  *out_number = number;
  return TRUE;
}

static gboolean
take_char (LkSpan *span, char c)
{
  if (span->length_bytes == 0 || span->bytes[0] != c)
    return FALSE;
  span->bytes++;
  span->length_bytes--;
  return TRUE;
}

gboolean
lk_sacct_number (LkSpan span, gint64 *out_number)
{
  gint64 number;
  if (!take_digits (&span, &number) || span.length_bytes > 0)
    return FALSE;
  *out_number = number;
  return TRUE;
}

/* ---------------------------------------------------------------- moments */

/* Days from 1970-01-01 to a day of the Gregorian calendar (Hinnant, "chrono-compatible low-level
 * date algorithms", days_from_civil); the year is 1970 or later. */
static gint64
days_from_date (gint64 year, gint64 month, gint64 day)
{
  year -= month <= 2 ? 1 : 0;
  gint64 era = year / 400;
  gint64 year_of_era = year - era * 400;
  gint64 day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  gint64 day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  return era * 146097 + day_of_era - 719468;
}

/* Exactly `digits` digits and a number in a range. */
static gboolean
take_part (LkSpan *span, gsize digits, gint64 minimum, gint64 maximum, gint64 *out_number)
{
  LkSpan part = { span->bytes, MIN (digits, span->length_bytes) };
  if (part.length_bytes < digits || !lk_sacct_number (part, out_number))
    return FALSE;
  span->bytes += digits;
  span->length_bytes -= digits;
  return *out_number >= minimum && *out_number <= maximum;
}

/* Nothing, "Z", "+0100" or "+01:00". */
static gboolean
take_zone (LkSpan span, gint64 *out_offset_s)
{
  gint64 hours;
  gint64 minutes;
  *out_offset_s = 0;
  if (span.length_bytes == 0 || (span.length_bytes == 1 && span.bytes[0] == 'Z'))
    return TRUE;
  gboolean is_west = span.bytes[0] == '-';
  if (!is_west && span.bytes[0] != '+')
    return FALSE;
  take_char (&span, span.bytes[0]);
  if (!take_part (&span, 2, 0, 23, &hours))
    return FALSE;
  take_char (&span, ':');
  if (!take_part (&span, 2, 0, 59, &minutes) || span.length_bytes > 0)
    return FALSE;
  *out_offset_s = (hours * 60 + minutes) * (is_west ? -60 : 60);
  return TRUE;
}

static gboolean
date_time_parse (LkSpan span, gint64 *out_time_us)
{
  gint64 year, month, day, hour, minute, second, offset_s;
  if (!take_part (&span, 4, 1970, 9999, &year) || !take_char (&span, '-')
      || !take_part (&span, 2, 1, 12, &month) || !take_char (&span, '-')
      || !take_part (&span, 2, 1, 31, &day) || !(take_char (&span, 'T') || take_char (&span, ' '))
      || !take_part (&span, 2, 0, 23, &hour) || !take_char (&span, ':')
      || !take_part (&span, 2, 0, 59, &minute) || !take_char (&span, ':')
      || !take_part (&span, 2, 0, 60, &second) || !take_zone (span, &offset_s))
    return FALSE;
  gint64 time_s =
      ((days_from_date (year, month, day) * 24 + hour) * 60 + minute) * 60 + second - offset_s;
  if (time_s < 0)
    return FALSE;
  *out_time_us = time_s * SECOND_US;
  return TRUE;
}

gboolean
lk_sacct_time_us (LkSpan span, gint64 *out_time_us)
{
  static const char *const unknown[] = { "", "Unknown", "None", "N/A", NULL };
  gint64 time_s;
  span = lk_span_strip (span);
  if (is_one_of (span, unknown)) {
    *out_time_us = -1;
    return TRUE;
  }
  if (!lk_sacct_number (span, &time_s))
    return date_time_parse (span, out_time_us);
  if (time_s > SECONDS_MAX)
    return FALSE;
  /* Slurm stores 0 for a moment that has not come. */
  *out_time_us = time_s == 0 ? -1 : time_s * SECOND_US;
  return TRUE;
}

/* ---------------------------------------------------------------- lengths */

/* ".125" as microseconds; further digits are cut off. */
static gboolean
take_fraction_us (LkSpan *span, gint64 *out_fraction_us)
{
  gint64 unit_us = SECOND_US;
  *out_fraction_us = 0;
  if (!take_char (span, '.'))
    return TRUE;
  if (span->length_bytes == 0)
    return FALSE;
  while (span->length_bytes > 0 && g_ascii_isdigit (span->bytes[0])) {
    unit_us /= 10;
    *out_fraction_us += (span->bytes[0] - '0') * unit_us;
    take_char (span, span->bytes[0]);
  }
  return TRUE;
}

/* [D-][[H:]M:]S[.f]; a bare number is refused. */
static gboolean
clock_parse (LkSpan span, gint64 *out_duration_us)
{
  gint64 days = 0;
  gint64 part = 0;
  gint64 seconds = 0;
  gint64 fraction_us;
  guint count = 0;
  if (!take_digits (&span, &part))
    return FALSE;
  gboolean has_days = take_char (&span, '-');
  if (has_days) {
    days = part;
    if (!take_digits (&span, &part))
      return FALSE;
  }
  for (count = 1;; count++) {
    if (part > SECONDS_MAX || seconds > SECONDS_MAX / 60)
      return FALSE;
    seconds = seconds * 60 + part;
    if (count == 3 || !take_char (&span, ':'))
      break;
    if (!take_digits (&span, &part))
      return FALSE;
  }
  /* With days come hours, minutes and seconds, of which the last may be missing. */
  for (; has_days && count < 3; count++)
    seconds *= 60;
  if (count < 2 || days > SECONDS_MAX / 86400 || !take_fraction_us (&span, &fraction_us)
      || span.length_bytes > 0)
    return FALSE;
  seconds += days * 86400;
  if (seconds > SECONDS_MAX)
    return FALSE;
  *out_duration_us = seconds * SECOND_US + fraction_us;
  return TRUE;
}

gboolean
lk_sacct_duration_us (LkSpan span, gint64 *out_duration_us)
{
  static const char *const unknown[] = { "", "Unknown", "None", "N/A", "INVALID", NULL };
  span = lk_span_strip (span);
  if (is_one_of (span, unknown)) {
    *out_duration_us = -1;
    return TRUE;
  }
  return clock_parse (span, out_duration_us);
}

gboolean
lk_sacct_limit_us (LkSpan span, gboolean is_minutes, gint64 *out_limit_us)
{
  static const char *const unknown[] = { "",    "Partition_Limit", "Unknown", "None",
                                         "N/A", "INVALID",         NULL };
  static const char *const unlimited[] = { "UNLIMITED", "INFINITE", NULL };
  gint64 minutes;
  span = lk_span_strip (span);
  if (is_one_of (span, unknown) || is_one_of (span, unlimited)) {
    *out_limit_us = is_one_of (span, unlimited) ? LK_TIME_NEVER : -1;
    return TRUE;
  }
  if (!is_minutes || !lk_sacct_number (span, &minutes))
    return clock_parse (span, out_limit_us);
  if (minutes > SECONDS_MAX / 60)
    return FALSE;
  *out_limit_us = minutes * MINUTE_US;
  return TRUE;
}

/* ---------------------------------------------------------------- sizes */

/* Power of 1024 of a unit letter, or -1. */
static int
unit_power (char letter)
{
  static const char letters[] = "KMGTPE";
  const char *at = letter ? strchr (letters, g_ascii_toupper (letter)) : NULL;
  return at ? (int)(at - letters) + 1 : -1;
}

gboolean
lk_sacct_size_bytes (LkSpan span, gint64 unit_bytes, gint64 *out_bytes)
{
  gint64 whole;
  gint64 numerator = 0;
  gint64 denominator = 1;
  if (!take_digits (&span, &whole))
    return FALSE;
  if (take_char (&span, '.'))
    for (; span.length_bytes > 0 && g_ascii_isdigit (span.bytes[0]); take_char (&span, *span.bytes))
      if (denominator < 1000000) {
        numerator = numerator * 10 + (span.bytes[0] - '0');
        denominator *= 10;
      }
  if (span.length_bytes > 0) {
    int power = unit_power (span.bytes[0]);
    if (power < 0 || span.length_bytes > 1)
      return FALSE;
    unit_bytes = G_GINT64_CONSTANT (1) << (10 * power);
  }
  gint64 bytes;
  /* The fraction is below one unit, so that its product with a millionth of it fits. */
  gint64 rest = unit_bytes / denominator * numerator
                + (unit_bytes % denominator * numerator + denominator / 2) / denominator;
  if (__builtin_mul_overflow (whole, unit_bytes, &bytes)
      || __builtin_add_overflow (bytes, rest, &bytes))
    return FALSE;
  *out_bytes = bytes;
  return TRUE;
}

LkMemoryKind
lk_sacct_memory_unmark (guint64 *mib, LkMemoryKind unmarked)
{
  if (*mib & LK_SACCT_MEMORY_PER_CPU) {
    *mib &= ~LK_SACCT_MEMORY_PER_CPU;
    return LK_MEMORY_PER_CPU;
  }
  if (*mib & LK_SACCT_MEMORY_PER_CPU_OLD && *mib < 2 * LK_SACCT_MEMORY_PER_CPU_OLD) {
    *mib &= ~LK_SACCT_MEMORY_PER_CPU_OLD;
    return LK_MEMORY_PER_CPU;
  }
  return unmarked;
}

/* The number of MiB of a text without a fraction and without a unit or with M. */
static gboolean
plain_mib (LkSpan span, guint64 *out_mib)
{
  guint64 mib = 0;
  if (span.length_bytes > 0 && g_ascii_toupper (span.bytes[span.length_bytes - 1]) == 'M')
    span.length_bytes--;
  if (span.length_bytes == 0)
    return FALSE;
  for (gsize i = 0; i < span.length_bytes; i++)
    if (!g_ascii_isdigit (span.bytes[i]) || __builtin_mul_overflow (mib, 10, &mib)
        || __builtin_add_overflow (mib, (guint64)(span.bytes[i] - '0'), &mib))
      return FALSE;
  *out_mib = mib;
  return TRUE;
}

gboolean
lk_sacct_memory (LkSpan span, LkMemoryKind *out_kind, gint64 *out_bytes)
{
  LkMemoryKind kind = LK_MEMORY_TOTAL;
  guint64 mib;
  span = lk_span_strip (span);
  char suffix = span.length_bytes > 0 ? g_ascii_tolower (span.bytes[span.length_bytes - 1]) : '\0';
  if (suffix == 'n' || suffix == 'c') {
    kind = suffix == 'n' ? LK_MEMORY_PER_NODE : LK_MEMORY_PER_CPU;
    span.length_bytes--;
  }
  if (span.length_bytes == 0 || suffix == '?') {
    *out_kind = LK_MEMORY_UNKNOWN;
    return TRUE;
  }
  if (!plain_mib (span, &mib)) {
    *out_kind = kind;
    return lk_sacct_size_bytes (span, MIB, out_bytes);
  }
  kind = lk_sacct_memory_unmark (&mib, kind);
  if (mib > (guint64)(G_MAXINT64 / MIB))
    return FALSE;
  *out_kind = kind;
  *out_bytes = (gint64)mib * MIB;
  return TRUE;
}

/* ---------------------------------------------------------------- states */

typedef struct {
  const char *name;
  const char *code;
  LkRecordState state;
} State;

static const State states[] = {
  { "PENDING", "PD", LK_RECORD_PENDING },         { "RUNNING", "R", LK_RECORD_RUNNING },
  { "SUSPENDED", "S", LK_RECORD_RUNNING },        { "COMPLETED", "CD", LK_RECORD_COMPLETED },
  { "CANCELLED", "CA", LK_RECORD_CANCELLED },     { "FAILED", "F", LK_RECORD_FAILED },
  { "TIMEOUT", "TO", LK_RECORD_TIMEOUT },         { "NODE_FAIL", "NF", LK_RECORD_NODE_FAIL },
  { "PREEMPTED", "PR", LK_RECORD_PREEMPTED },     { "BOOT_FAIL", "BF", LK_RECORD_FAILED },
  { "DEADLINE", "DL", LK_RECORD_TIMEOUT },        { "OUT_OF_MEMORY", "OOM", LK_RECORD_FAILED },
  { "REQUEUED", "RQ", LK_RECORD_REQUEUED },       { "REQUEUE_HOLD", "RH", LK_RECORD_REQUEUED },
  { "REQUEUE_FED", "RF", LK_RECORD_REQUEUED },    { "SPECIAL_EXIT", "SE", LK_RECORD_REQUEUED },
  { "COMPLETING", "CG", LK_RECORD_RUNNING },      { "CONFIGURING", "CF", LK_RECORD_RUNNING },
  { "STAGE_OUT", "SO", LK_RECORD_RUNNING },       { "STOPPED", "ST", LK_RECORD_RUNNING },
  { "SIGNALING", "SI", LK_RECORD_RUNNING },       { "RESIZING", "RS", LK_RECORD_REQUEUED },
  { "REVOKED", "RV", LK_RECORD_CANCELLED },       { "RESV_DEL_HOLD", "RD", LK_RECORD_PENDING },
  { "POWER_UP_NODE", "PO", LK_RECORD_RUNNING },   { "LAUNCH_FAILED", "LF", LK_RECORD_FAILED },
  { "RECONFIG_FAIL", "RC", LK_RECORD_NODE_FAIL }, { "EXPEDITING", "EX", LK_RECORD_PENDING },
};

static gboolean
is_word (LkSpan span)
{
  for (gsize i = 0; i < span.length_bytes; i++)
    if (!g_ascii_isalpha (span.bytes[i]) && span.bytes[i] != '_')
      return FALSE;
  return span.length_bytes > 0;
}

static const State *
state_find (LkSpan word, gboolean is_cut)
{
  for (gsize i = 0; i < G_N_ELEMENTS (states); i++) {
    const State *state = &states[i];
    if (!is_cut && (lk_span_is (word, state->name) || lk_span_is (word, state->code)))
      return state;
    if (is_cut && strlen (state->name) >= word.length_bytes
        && g_ascii_strncasecmp (state->name, word.bytes, word.length_bytes) == 0)
      return state;
  }
  return NULL;
}

gboolean
lk_sacct_state (LkSpan span, LkRecordState *out_state, gboolean *out_is_resizing)
{
  LkSpan rest = lk_span_strip (span);
  LkSpan word;
  if (!lk_span_part (&rest, ' ', &word))
    return FALSE;
  gboolean is_cut = word.length_bytes > 0 && word.bytes[word.length_bytes - 1] == '+';
  word.length_bytes -= is_cut ? 1 : 0;
  if (!is_word (word))
    return FALSE;
  const State *state = state_find (word, is_cut);
  *out_state = state ? state->state : LK_RECORD_UNKNOWN;
  *out_is_resizing = state && strcmp (state->name, "RESIZING") == 0;
  return TRUE;
}

gboolean
lk_sacct_exit (LkSpan span, guint8 *out_code, guint8 *out_signal)
{
  gint64 code;
  gint64 signal = 0;
  if (!take_digits (&span, &code) || (take_char (&span, ':') && !take_digits (&span, &signal))
      || span.length_bytes > 0)
    return FALSE;
  *out_code = (guint8)MIN (code, 255);
  *out_signal = (guint8)MIN (signal, 255);
  return TRUE;
}

/* ---------------------------------------------------------------- ids */

/* What follows the underscore: a number, a list in brackets, or one whose brackets are cut off. */
static gboolean
take_array (LkSpan *span, LkSacctId *id)
{
  if (!take_char (span, '['))
    return take_digits (span, &id->array_task);
  const char *end = memchr (span->bytes, ']', span->length_bytes);
  gsize length_bytes = end ? (gsize)(end - span->bytes) : span->length_bytes;
  id->tasks = (LkSpan){ span->bytes, length_bytes };
  if (!lk_sacct_tasks_are_valid (id->tasks))
    return FALSE;
  length_bytes += end ? 1 : 0;
  span->bytes += length_bytes;
  span->length_bytes -= length_bytes;
  return TRUE;
}

static gboolean
is_step_character (char c)
{
  return g_ascii_isalnum (c) || c == '_' || c == '+' || c == '.' || c == '-';
}

gboolean
lk_sacct_id (LkSpan span, LkSacctId *out_id)
{
  LkSacctId id = { .array_task = -1, .het_offset = -1 };
  span = lk_span_strip (span);
  if (!take_digits (&span, &id.number) || id.number == 0)
    return FALSE;
  if (take_char (&span, '_') && !take_array (&span, &id))
    return FALSE;
  if (take_char (&span, '+') && !take_digits (&span, &id.het_offset))
    return FALSE;
  id.is_step = take_char (&span, '.');
  for (gsize i = 0; id.is_step && i < span.length_bytes; i++)
    if (!is_step_character (span.bytes[i]))
      return FALSE;
  if (id.is_step ? span.length_bytes == 0 : span.length_bytes > 0)
    return FALSE;
  *out_id = id;
  return TRUE;
}

gboolean
lk_sacct_task_range (LkSpan *rest, LkTaskRange *out_range)
{
  gint64 first;
  gint64 last;
  gint64 step = 1;
  LkSpan part;
  if (!lk_span_part (rest, ',', &part) || !take_digits (&part, &first))
    return FALSE;
  last = first;
  if ((take_char (&part, '-') && !take_digits (&part, &last))
      || (take_char (&part, ':') && !take_digits (&part, &step)))
    return FALSE;
  /* Behind a percent sign stands how many may run at once; behind that, nothing. */
  gboolean is_plain = part.length_bytes == 0 || part.bytes[0] == '%' || part.bytes[0] == '.';
  if (!is_plain || first > last || last > TASK_MAX || step < 1 || step > TASK_MAX)
    return FALSE;
  *out_range = (LkTaskRange){ (guint32)first, (guint32)last, (guint32)step };
  return TRUE;
}

gboolean
lk_sacct_tasks_are_valid (LkSpan tasks)
{
  LkTaskRange range;
  gint64 count = 0;
  while (count <= TASK_MAX + 1 && lk_sacct_task_range (&tasks, &range))
    count += (range.last - range.first) / range.step + 1;
  return count >= 1 && count <= TASK_MAX + 1;
}
