/* tests/sim/latency_test.c — what a launch adds to a run, and when time limits are looked at. */
#include "sim/latency.h"

#define SECOND G_USEC_PER_SEC

static void
test_launch (void)
{
  LkSimLatency latency = { .seed = 7 };
  g_autoptr (GError) error = NULL;
  gint64 sum_us = 0;
  g_assert_cmpint (lk_sim_latency_us (&latency, 1), ==, 0);
  g_assert_true (lk_sim_latency_parse_launch (&latency, "--launch-latency", "0.5", &error));
  g_assert_cmpint (lk_sim_latency_us (&latency, 1), ==, SECOND / 2);
  g_assert_true (lk_sim_latency_parse_launch (&latency, "--launch-latency", "1:3", &error));
  for (guint i = 0; i < 1000; i++) {
    gint64 drawn_us = lk_sim_latency_us (&latency, i);
    g_assert_cmpint (drawn_us, >=, SECOND);
    g_assert_cmpint (drawn_us, <=, 3 * SECOND);
    g_assert_cmpint (drawn_us, ==, lk_sim_latency_us (&latency, i));
    sum_us += drawn_us;
  }
  /* Of 1000 the mean is within 0.06 s of 2 s in all but one of a thousand seeds. */
  g_assert_cmpint (ABS (sum_us / 1000 - 2 * SECOND), <, SECOND / 16);
  g_assert_false (lk_sim_latency_parse_launch (&latency, "--launch-latency", "3:1", &error));
  g_assert_cmpstr (error->message, ==,
                   "--launch-latency is '3:1'; expected A:B with B not before A");
}

static void
test_check (void)
{
  LkSimLatency latency = { 0 };
  g_autoptr (GError) error = NULL;
  g_assert_cmpint (lk_sim_latency_check_us (&latency, 0, 77), ==, 77);
  g_assert_true (lk_sim_latency_parse_check (&latency, "--limit-check", "30:10", &error));
  g_assert_cmpint (lk_sim_latency_check_us (&latency, 100 * SECOND, 90 * SECOND), ==, 110 * SECOND);
  g_assert_cmpint (lk_sim_latency_check_us (&latency, 100 * SECOND, 110 * SECOND), ==,
                   110 * SECOND);
  g_assert_cmpint (lk_sim_latency_check_us (&latency, 100 * SECOND, 111 * SECOND), ==,
                   140 * SECOND);
  g_assert_true (lk_sim_latency_parse_check (&latency, "--limit-check", "60", &error));
  g_assert_cmpint (lk_sim_latency_check_us (&latency, 0, 61 * SECOND), ==, 120 * SECOND);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/latency/what a launch adds is in its range, and repeatable", test_launch);
  g_test_add_func ("/latency/limits are looked at each period", test_check);
  return g_test_run ();
}
