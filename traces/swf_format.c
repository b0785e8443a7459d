/* traces/swf_format.c — writes lines of the Standard Workload Format; declared in traces/swf.h.
 *
 * Columns are as wide as in the archive's cleaned logs and grow with the number in them.  What is
 * written reads back to the same LkSwfJob, microseconds included. */
#include "traces/swf.h"

#include <string.h>

#define US_PER_S G_GINT64_CONSTANT (1000000)
#define NUMBER_MAX_BYTES 32u

/* Writes a number in decimal so that it ends before `end`; returns where it begins. */
static char *
digits_write (char *end, guint64 magnitude, gboolean is_negative)
{
  do {
    *--end = (char)('0' + magnitude % 10);
    magnitude /= 10;
  } while (magnitude);
  if (is_negative)
    *--end = '-';
  return end;
}

static guint64
magnitude_of (gint64 value)
{
  return value < 0 ? 0 - (guint64)value : (guint64)value;
}

static char *
seconds_write (char *end, gint64 time_us)
{
  guint64 magnitude_us = magnitude_of (time_us);
  guint64 fraction_us = magnitude_us % (guint64)US_PER_S;
  if (fraction_us) {
    guint digit_count = 6;
    for (; fraction_us % 10 == 0; fraction_us /= 10)
      digit_count--;
    for (guint i = 0; i < digit_count; i++, fraction_us /= 10)
      *--end = (char)('0' + fraction_us % 10);
    *--end = '.';
  }
  return digits_write (end, magnitude_us / (guint64)US_PER_S, time_us < 0);
}

void
lk_swf_seconds_format (gint64 time_us, GString *out)
{
  char text[NUMBER_MAX_BYTES];
  char *end = text + sizeof text;
  char *start = seconds_write (end, time_us);
  g_string_append_len (out, start, end - start);
}

void
lk_swf_job_format (const LkSwfJob *job, GString *out)
{
  const struct {
    gint64 value;
    guint width;
    gboolean is_time;
  } columns[] = {
    { job->number, 5, FALSE },           { job->submit_us, 8, TRUE },
    { job->wait_us, 6, TRUE },           { job->run_us, 6, TRUE },
    { job->procs_used, 4, FALSE },       { job->cpu_us, 6, TRUE },
    { job->memory_kib, 5, FALSE },       { job->procs, 4, FALSE },
    { job->estimate_us, 6, TRUE },       { job->memory_requested_kib, 5, FALSE },
    { job->status, 2, FALSE },           { job->user_id, 3, FALSE },
    { job->group_id, 3, FALSE },         { job->application_id, 3, FALSE },
    { job->queue_id, 2, FALSE },         { job->partition_id, 2, FALSE },
    { job->preceding_number, 2, FALSE }, { job->think_us, 2, TRUE },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (columns); i++) {
    char text[NUMBER_MAX_BYTES];
    char *end = text + sizeof text;
    char *start = columns[i].is_time
                      ? seconds_write (end, columns[i].value)
                      : digits_write (end, magnitude_of (columns[i].value), columns[i].value < 0);
    gsize length_bytes = (gsize)(end - start);
    if (i > 0)
      g_string_append_c (out, ' ');
    for (gsize pad = length_bytes; pad < columns[i].width; pad++)
      g_string_append_c (out, ' ');
    g_string_append_len (out, start, (gssize)length_bytes);
  }
  g_string_append_c (out, '\n');
}

/* TRUE when the comment is "Key: ...", whatever its case. */
static gboolean
is_comment_of (const char *comment, const char *key)
{
  comment += strspn (comment, " \t");
  gsize length_bytes = strlen (key);
  return g_ascii_strncasecmp (comment, key, length_bytes) == 0 && comment[length_bytes] == ':';
}

/* TRUE when the line is left out of a changed header. */
static gboolean
is_comment_stale (const char *comment, const LkSwfHeaderChange *change)
{
  gboolean is_start =
      is_comment_of (comment, "StartTime") || is_comment_of (comment, "UnixStartTime");
  gboolean is_count = is_comment_of (comment, "MaxJobs") || is_comment_of (comment, "MaxRecords");
  return (change->unix_start_s >= 0 && is_start) || (change->without_job_counts && is_count);
}

void
lk_swf_header_format (const GPtrArray *comments, const LkSwfHeaderChange *change, const char *note,
                      GString *out)
{
  gboolean is_start_written = change->unix_start_s < 0;
  for (guint i = 0; i < comments->len; i++) {
    const char *comment = g_ptr_array_index (comments, i);
    if (!is_start_written && is_comment_of (comment, "UnixStartTime")) {
      g_string_append_printf (out, "; UnixStartTime: %" G_GINT64_FORMAT "\n", change->unix_start_s);
      is_start_written = TRUE;
    }
    if (!is_comment_stale (comment, change))
      g_string_append_printf (out, ";%s\n", comment);
  }
  if (!is_start_written)
    g_string_append_printf (out, "; UnixStartTime: %" G_GINT64_FORMAT "\n", change->unix_start_s);
  if (note)
    g_string_append_printf (out, "; Note: %s\n", note);
}
