/* live/client/words.c — see the header. */
#include "live/client/words.h"

#include <string.h>
#include <time.h>

#define TIME_MAX_BYTES 256
#define MIB_BYTES (1024 * 1024)
#define DAY_S (24 * 3600)
#define TASKS_DEFAULT_BYTES 64
#define TASKS_MAX_BYTES 4096
#define SLUID_DIGITS 13
#define SLUID_BITS 5
/* A cluster's own bits; Slurm's are from 2 on. */
#define SLUID_CLUSTER (G_GUINT64_CONSTANT (2) << 52)
#define SLUID_SEQUENCE_BITS 10

/* ---------------------------------------------------------------- moments */

/* SLURM_TIME_FORMAT=relative, as squeue(1) has it. */
static const char *
relative_format (gint64 now_us, const struct tm *then)
{
  struct tm today;
  time_t now = (time_t)(now_us / G_USEC_PER_SEC);
  if (localtime_r (&now, &today) == NULL || today.tm_year != then->tm_year)
    return "%-d %b %Y";
  int days = then->tm_yday - today.tm_yday;
  if (days == 0)
    return "%H:%M:%S";
  if (days == 1 || days == -1)
    return days > 0 ? "Tomorr %H:%M" : "Ystday %H:%M";
  return days > 1 && days < 7 ? "%a %H:%M" : "%-d %b %H:%M";
}

void
lk_word_time (const LkClient *client, gint64 time_us, const char *never, GString *out)
{
  const char *format = lk_client_variable (client, "SLURM_TIME_FORMAT");
  char text[TIME_MAX_BYTES];
  struct tm parts;
  if (time_us == G_MAXINT64 || time_us == 0) {
    g_string_append (out, never);
    return;
  }
  time_t moment = (time_t)(time_us / G_USEC_PER_SEC);
  if (localtime_r (&moment, &parts) == NULL)
    return;
  if (g_strcmp0 (format, "relative") == 0)
    format = relative_format (client->now_us, &parts);
  else if (format == NULL || strchr (format, '%') == NULL)
    format = "%Y-%m-%dT%H:%M:%S";
  if (strftime (text, sizeof text, format, &parts) > 0)
    g_string_append (out, text);
}

void
lk_word_long_duration (gint64 duration_us, GString *out)
{
  if (duration_us == G_MAXINT64) {
    g_string_append (out, "UNLIMITED");
    return;
  }
  gint64 whole_s = MAX (duration_us, 0) / G_USEC_PER_SEC;
  if (whole_s >= DAY_S)
    g_string_append_printf (out, "%" G_GINT64_FORMAT "-", whole_s / DAY_S);
  g_string_append_printf (out, "%02d:%02d:%02d", (int)(whole_s % DAY_S / 3600),
                          (int)(whole_s % 3600 / 60), (int)(whole_s % 60));
}

/* ---------------------------------------------------------------- amounts, texts */

void
lk_word_memory (gint64 bytes, GString *out)
{
  static const char units[] = "MGTP";
  gint64 value = bytes / MIB_BYTES;
  guint unit = 0;
  for (; value != 0 && value % 1024 == 0 && units[unit + 1] != '\0'; unit++)
    value /= 1024;
  /* Halves of a unit are exact, too, as Slurm has it. */
  if (value > 1024 && value % 512 == 0 && units[unit + 1] != '\0')
    g_string_append_printf (out, "%" G_GINT64_FORMAT ".50%c", value / 1024, units[unit + 1]);
  else if (value == 0)
    g_string_append_c (out, '0');
  else
    g_string_append_printf (out, "%" G_GINT64_FORMAT "%c", value, units[unit]);
}

static void
append (const void *bytes, gsize length_bytes, const char *none, GString *out)
{
  if (length_bytes == 0)
    g_string_append (out, none);
  else
    g_string_append_len (out, bytes, (gssize)length_bytes);
}

void
lk_word_text (LkText text, const char *none, GString *out)
{
  append (text.bytes, text.length_bytes, none, out);
}

void
lk_word_long_text (LkLongText text, const char *none, GString *out)
{
  append (text.bytes, text.length_bytes, none, out);
}

void
lk_word_bytes (LkBytes bytes, const char *none, GString *out)
{
  append (bytes.bytes, bytes.length_bytes, none, out);
}

/* 0: there is none. */
static gsize
tasks_limit_bytes (const LkClient *client)
{
  const char *text = lk_client_variable (client, "SLURM_BITSTR_LEN");
  gint64 limit = text != NULL ? g_ascii_strtoll (text, NULL, 10) : TASKS_DEFAULT_BYTES;
  return limit < 0 ? TASKS_DEFAULT_BYTES : (gsize)MIN (limit, TASKS_MAX_BYTES);
}

/* Slurm prints the list into a buffer of that size, which needs room for a comma and an end, and
 * puts dots over the end of what does not fit; a throttle stands behind them. A list with a step,
 * "0-12:2", is told whole. */
void
lk_word_tasks (const LkClient *client, LkLongText tasks, GString *out)
{
  static const char dots[] = "...";
  gsize limit = tasks_limit_bytes (client);
  gsize list_bytes = 0;
  gboolean has_step = FALSE;
  for (; list_bytes < tasks.length_bytes && tasks.bytes[list_bytes] != '%'; list_bytes++)
    has_step = has_step || tasks.bytes[list_bytes] == ':';
  if (limit == 0 || has_step || list_bytes + 2 < limit) {
    lk_word_raw (out, tasks.bytes, tasks.length_bytes);
    return;
  }
  gsize dot_count = MIN (limit - 1, strlen (dots));
  lk_word_raw (out, tasks.bytes, limit - 1 - dot_count);
  lk_word_raw (out, dots, dot_count);
  lk_word_raw (out, tasks.bytes + list_bytes, tasks.length_bytes - list_bytes);
}

gboolean
lk_word_is_listed (const char *list, const char *word)
{
  gsize word_bytes = strlen (word);
  for (const char *at = list; *at != '\0';) {
    gsize length = strcspn (at, ",");
    if (length == word_bytes && g_ascii_strncasecmp (at, word, length) == 0)
      return TRUE;
    at += length;
    at += *at == ',' ? 1 : 0;
  }
  return FALSE;
}

/* A name or a comment can be any bytes, and one that is no UTF-8 would spoil the document. */
void
lk_word_json (const char *bytes, gsize length_bytes, GString *out)
{
  gsize done = 0; /* so many are told */
  g_autofree char *valid = NULL;
  if (length_bytes > 0 && !g_utf8_validate_len (bytes, length_bytes, NULL)) {
    valid = g_utf8_make_valid (bytes, (gssize)length_bytes);
    bytes = valid;
    length_bytes = strlen (valid);
  }
  lk_word_raw (out, "\"", 1);
  for (gsize i = 0; i < length_bytes; i++) {
    guchar c = (guchar)bytes[i];
    if (c >= 0x20 && c != '"' && c != '\\')
      continue;
    lk_word_raw (out, bytes + done, i - done);
    g_string_append_printf (out, c < 0x20 ? "\\u%04x" : "\\%c", c);
    done = i + 1;
  }
  lk_word_raw (out, bytes + done, length_bytes - done);
  lk_word_raw (out, "\"", 1);
}

void
lk_word_number (gint64 value, GString *out)
{
  char digits[24];
  char *at = digits + sizeof digits;
  guint64 rest = value < 0 ? -(guint64)value : (guint64)value;
  do
    *--at = (char)('0' + rest % 10);
  while ((rest /= 10) > 0);
  if (value < 0)
    *--at = '-';
  lk_word_raw (out, at, (gsize)(digits + sizeof digits - at));
}

/* Source: src/common/sluid.c of Slurm: in Crockford's base 32 the cluster, the millisecond, and ten
 * bits that part what came in it, here of the job's id. */
void
lk_word_sluid (gint64 submit_us, guint32 job_id, GString *out)
{
  static const char digits[] = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
  guint64 value = SLUID_CLUSTER | (guint64)(submit_us / 1000) << SLUID_SEQUENCE_BITS
                  | (job_id & ((1u << SLUID_SEQUENCE_BITS) - 1));
  g_string_append_c (out, 's');
  for (int i = SLUID_DIGITS - 1; i >= 0; i--)
    g_string_append_c (out, digits[value >> (SLUID_BITS * i) & 0x1f]);
}
