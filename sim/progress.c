/* sim/progress.c — see progress.h. */
#include "sim/progress.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "sim/error.h"

#define FIRST_US G_USEC_PER_SEC
#define EVERY_US (G_USEC_PER_SEC / 5)
#define DAY_S 86400

struct _LkProgress {
  FILE *stream;
  gint64 unix_start_s;
  gint64 begin_us;
  gint64 next_us;
  gsize shown_length; /* characters now on the line */
};

gboolean
lk_progress_mode_parse (const char *text, LkProgressMode *out_mode, GError **error)
{
  static const char *const names[] = { "auto", "always", "never" };
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (strcmp (text, names[i]) == 0) {
      *out_mode = (LkProgressMode)i;
      return TRUE;
    }
  g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE,
               "--progress is '%s'; expected auto, always or never", text);
  return FALSE;
}

LkProgress *
lk_progress_new (LkProgressMode mode, gint64 unix_start_s, FILE *stream)
{
  if (mode == LK_PROGRESS_NEVER)
    return NULL;
  if (mode == LK_PROGRESS_AUTO && isatty (fileno (stream)) != 1)
    return NULL;
  LkProgress *self = g_new0 (LkProgress, 1);
  self->stream = stream;
  self->unix_start_s = unix_start_s;
  self->begin_us = g_get_monotonic_time ();
  self->next_us = self->begin_us + FIRST_US;
  return self;
}

static void
show (LkProgress *self, const char *text)
{
  gsize length = strlen (text);
  int padding = length < self->shown_length ? (int)(self->shown_length - length) : 0;
  fprintf (self->stream, "\r%s%*s", text, padding, "");
  fflush (self->stream);
  self->shown_length = length;
}

void
lk_progress_free (LkProgress *self)
{
  if (self == NULL)
    return;
  if (self->shown_length > 0) {
    show (self, "");
    fputc ('\r', self->stream);
    fflush (self->stream);
  }
  g_free (self);
}

static void
append_date (GString *out, gint64 now_us, gint64 unix_start_s)
{
  gint64 now_s = now_us / G_USEC_PER_SEC;
  g_autoptr (GDateTime) date =
      unix_start_s < 0 ? NULL : g_date_time_new_from_unix_utc (unix_start_s + now_s);
  if (date != NULL)
    g_string_append_printf (out, "%04d-%02d-%02d %02d:%02d UTC", g_date_time_get_year (date),
                            g_date_time_get_month (date), g_date_time_get_day_of_month (date),
                            g_date_time_get_hour (date), g_date_time_get_minute (date));
  else
    g_string_append_printf (out, "day %" G_GINT64_FORMAT, now_s / DAY_S);
}

static void
append_duration (GString *out, double seconds)
{
  guint64 whole_s = (guint64)MIN (seconds, 3.6e8);
  if (whole_s >= 3600)
    g_string_append_printf (out, "%" G_GUINT64_FORMAT ":%02u:%02u", whole_s / 3600,
                            (guint)(whole_s / 60 % 60), (guint)(whole_s % 60));
  else
    g_string_append_printf (out, "%u:%02u", (guint)(whole_s / 60), (guint)(whole_s % 60));
}

void
lk_progress_format (const LkProgressPoint *point, gint64 unix_start_s, gint64 age_us, GString *out)
{
  double age_s = (double)MAX (age_us, 1) / 1e6;
  append_date (out, point->now_us, unix_start_s);
  if (point->bytes_total > 0) {
    double share = (double)point->bytes_read / (double)point->bytes_total;
    g_string_append_printf (out, "  %3.0f%% of the log", 100 * MIN (share, 1.0));
  }
  g_string_append_printf (out, "  %.0f events/s", (double)point->event_count / age_s);
  if (point->bytes_read > 0 && point->bytes_total > point->bytes_read) {
    double left = (double)(point->bytes_total - point->bytes_read) / (double)point->bytes_read;
    g_string_append (out, "  ");
    append_duration (out, ceil (age_s * left));
    g_string_append (out, " left");
  }
}

gboolean
lk_progress_is_due (const LkProgress *self)
{
  return self != NULL && g_get_monotonic_time () >= self->next_us;
}

void
lk_progress_tick_at (LkProgress *self, const LkProgressPoint *point, gint64 clock_us)
{
  if (self == NULL || clock_us < self->next_us)
    return;
  g_autoptr (GString) text = g_string_new (NULL);
  lk_progress_format (point, self->unix_start_s, clock_us - self->begin_us, text);
  show (self, text->str);
  self->next_us = clock_us + EVERY_US;
}

void
lk_progress_tick (LkProgress *self, const LkProgressPoint *point)
{
  if (self != NULL)
    lk_progress_tick_at (self, point, g_get_monotonic_time ());
}

void
lk_progress_say (LkProgress *self, const char *text)
{
  gint64 clock_us = g_get_monotonic_time ();
  if (self == NULL || clock_us < self->next_us)
    return;
  show (self, text);
  self->next_us = clock_us + EVERY_US;
}
