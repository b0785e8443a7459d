/* tests/sim/arguments_test.c — numbers, durations and ranges of a command line. */
#include "sim/arguments.h"

#include "sim/error.h"

#define US 1000000

static void
expect_usage (GError *error, const char *message)
{
  g_assert_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE);
  g_assert_cmpstr (error->message, ==, message);
  g_error_free (error);
}

static void
test_numbers (void)
{
  GError *error = NULL;
  gint64 number = 5;
  g_assert_true (lk_argument_number ("-n", "12", 1, 12, &number, &error));
  g_assert_cmpint (number, ==, 12);
  const char *bad[] = { "", "13", "0", "1x", " 1", "1.0", "99999999999999999999" };
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++) {
    g_autofree char *message =
        g_strdup_printf ("-n is '%s'; expected a whole number from 1 to 12", bad[i]);
    g_assert_false (lk_argument_number ("-n", bad[i], 1, 12, &number, &error));
    expect_usage (g_steal_pointer (&error), message);
  }
  g_assert_cmpint (number, ==, 12);
}

static void
test_ratios (void)
{
  GError *error = NULL;
  double ratio = 0;
  g_assert_true (lk_argument_ratio ("--scale-load", "1.25", &ratio, &error));
  g_assert_true (ratio == 1.25);
  const char *bad[] = { "", "0", "-1", "inf", "nan", "1,5", " 1", "1 " };
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++) {
    g_autofree char *message =
        g_strdup_printf ("--scale-load is '%s'; expected a number > 0", bad[i]);
    g_assert_false (lk_argument_ratio ("--scale-load", bad[i], &ratio, &error));
    expect_usage (g_steal_pointer (&error), message);
  }
}

static void
test_durations (void)
{
  const struct {
    const char *text;
    gint64 duration_us;
  } good[] = {
    { "0", 0 },
    { "90", 90 * US },
    { "45s", 45 * US },
    { "1.5h", G_GINT64_CONSTANT (5400) * US },
    { "30m", G_GINT64_CONSTANT (1800) * US },
    { "30min", G_GINT64_CONSTANT (1800) * US },
    { "7d", G_GINT64_CONSTANT (604800) * US },
    { "2w", G_GINT64_CONSTANT (1209600) * US },
    { "0.1d", G_GINT64_CONSTANT (8640) * US },
    { "0.000001", 1 },
    { "5ms", 5000 },
  };
  const char *bad[] = { "", "s", "-1", "1y", "1 h", ".", "1h30m", "9223372036855", "1e3" };
  gint64 duration_us = -5;
  GError *error = NULL;
  for (guint i = 0; i < G_N_ELEMENTS (good); i++) {
    g_assert_true (lk_argument_duration_us ("--warmup", good[i].text, &duration_us, &error));
    g_assert_cmpint (duration_us, ==, good[i].duration_us);
  }
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++) {
    g_autofree char *message = g_strdup_printf (
        "--warmup is '%s'; expected seconds >= 0, or a number with s, m, h, d or w", bad[i]);
    g_assert_false (lk_argument_duration_us ("--warmup", bad[i], &duration_us, &error));
    expect_usage (g_steal_pointer (&error), message);
  }
}

static void
test_ranges (void)
{
  const struct {
    const char *text;
    gint64 first;
    gint64 last;
  } good[] = {
    { "3:9", 3, 9 }, { "3:3", 3, 3 }, { "3:", 3, G_MAXINT64 }, { ":9", 0, 9 }, { "7", 7, 7 },
  };
  const char *bad[] = { "", ":", "a", "1:b", "1:2:3", "-1:2", "1-2" };
  gint64 first;
  gint64 last;
  GError *error = NULL;
  for (guint i = 0; i < G_N_ELEMENTS (good); i++) {
    g_assert_true (lk_argument_range ("--jobs", good[i].text, &first, &last, &error));
    g_assert_cmpint (first, ==, good[i].first);
    g_assert_cmpint (last, ==, good[i].last);
  }
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++) {
    g_autofree char *message = g_strdup_printf (
        "--jobs is '%s'; expected FIRST:LAST, FIRST:, :LAST or one number, whole and >= 0", bad[i]);
    g_assert_false (lk_argument_range ("--jobs", bad[i], &first, &last, &error));
    expect_usage (g_steal_pointer (&error), message);
  }
  g_assert_false (lk_argument_range ("--jobs", "3:2", &first, &last, &error));
  expect_usage (error, "--jobs is '3:2'; expected its first number not above its last");
}

static void
test_duration_ranges (void)
{
  gint64 begin_us;
  gint64 end_us;
  GError *error = NULL;
  g_assert_true (lk_argument_duration_range_us ("--time", "10:1m", &begin_us, &end_us, &error));
  g_assert_cmpint (begin_us, ==, 10 * US);
  g_assert_cmpint (end_us, ==, 60 * US);
  g_assert_true (lk_argument_duration_range_us ("--time", ":1d", &begin_us, &end_us, &error));
  g_assert_cmpint (begin_us, ==, G_MININT64);
  g_assert_true (lk_argument_duration_range_us ("--time", "1d:", &begin_us, &end_us, &error));
  g_assert_cmpint (end_us, ==, G_MAXINT64);
  g_assert_false (lk_argument_duration_range_us ("--time", "5:5", &begin_us, &end_us, &error));
  expect_usage (g_steal_pointer (&error), "--time is '5:5'; expected its beginning before its end");
  g_assert_false (lk_argument_duration_range_us ("--time", "5", &begin_us, &end_us, &error));
  expect_usage (error, "--time is '5'; expected BEGIN:END, BEGIN: or :END, in seconds or with s, "
                       "m, h, d or w");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/arguments/numbers keep to their bounds", test_numbers);
  g_test_add_func ("/arguments/ratios are above zero", test_ratios);
  g_test_add_func ("/arguments/durations take units and are exact", test_durations);
  g_test_add_func ("/arguments/ranges may be open", test_ranges);
  g_test_add_func ("/arguments/ranges of durations exclude their end", test_duration_ranges);
  return g_test_run ();
}
