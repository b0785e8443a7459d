/* tests/sim/progress_test.c — what is shown, when, and where not. */
#include <glib.h>
#include <stdio.h>
#include <string.h>

#include "sim/error.h"
#include "sim/progress.h"

#define S G_GINT64_CONSTANT (1000000)

static const LkProgressPoint half = {
  .now_us = 86400LL * 3 * S, .event_count = 3000000, .bytes_read = 50, .bytes_total = 100
};

static char *
text_of (FILE *stream)
{
  char text[512];
  rewind (stream);
  gsize length = fread (text, 1, sizeof text, stream);
  return g_strndup (text, length);
}

static void
test_format (void)
{
  g_autoptr (GString) line = g_string_new (NULL);
  lk_progress_format (&half, 0, 2 * S, line);
  g_assert_cmpstr (line->str, ==,
                   "1970-01-04 00:00 UTC   50% of the log  1500000 events/s  0:02 left");
  g_string_truncate (line, 0);
  lk_progress_format (&half, -1, 5000 * S, line);
  g_assert_cmpstr (line->str, ==, "day 3   50% of the log  600 events/s  1:23:20 left");
  LkProgressPoint unknown = half;
  unknown.bytes_total = 0;
  g_string_truncate (line, 0);
  lk_progress_format (&unknown, -1, S, line);
  g_assert_cmpstr (line->str, ==, "day 3  3000000 events/s");
}

static void
test_rate (void)
{
  FILE *stream = tmpfile ();
  gint64 now_us = g_get_monotonic_time ();
  LkProgress *progress = lk_progress_new (LK_PROGRESS_ALWAYS, -1, stream);
  lk_progress_tick (progress, &half);
  lk_progress_tick_at (progress, &half, now_us + S / 2);
  g_assert_cmpint (ftell (stream), ==, 0);
  guint shown_count = 0;
  for (guint i = 0; i < 1000; i++) {
    glong before_bytes = ftell (stream);
    lk_progress_tick_at (progress, &half, now_us + 2 * S + i * S / 1000);
    shown_count += ftell (stream) > before_bytes;
  }
  g_assert_cmpuint (shown_count, ==, 5);
  lk_progress_free (progress);
  g_autofree char *text = text_of (stream);
  g_assert_nonnull (strstr (text, "\rday 3   50% of the log"));
  g_assert_true (g_str_has_suffix (text, "   \r"));
  fclose (stream);
}

static void
test_silent (void)
{
  FILE *stream = tmpfile ();
  g_assert_null (lk_progress_new (LK_PROGRESS_AUTO, 0, stream));
  g_assert_null (lk_progress_new (LK_PROGRESS_NEVER, 0, stream));
  lk_progress_tick (NULL, &half);
  lk_progress_free (NULL);
  LkProgress *brief = lk_progress_new (LK_PROGRESS_ALWAYS, 0, stream);
  lk_progress_tick (brief, &half);
  lk_progress_free (brief);
  g_assert_cmpint (ftell (stream), ==, 0);
  fclose (stream);
}

static void
test_mode (void)
{
  LkProgressMode mode = LK_PROGRESS_AUTO;
  g_autoptr (GError) error = NULL;
  g_assert_true (lk_progress_mode_parse ("never", &mode, NULL));
  g_assert_cmpint (mode, ==, LK_PROGRESS_NEVER);
  g_assert_true (lk_progress_mode_parse ("always", &mode, NULL));
  g_assert_cmpint (mode, ==, LK_PROGRESS_ALWAYS);
  g_assert_false (lk_progress_mode_parse ("yes", &mode, &error));
  g_assert_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/sim/progress/shows date, share, rate and time left", test_format);
  g_test_add_func ("/sim/progress/is rewritten five times a second and cleared", test_rate);
  g_test_add_func ("/sim/progress/writes nothing into a pipe or for a brief run", test_silent);
  g_test_add_func ("/sim/progress/refuses a mode that does not exist", test_mode);
  return g_test_run ();
}
