/* tests/sim/gate/baseline_test.c */
#include "sim/gate/baseline.h"

#include <math.h>
#include <string.h>

#include "sim/error.h"

#define RUN(name)                                                                                  \
  "\n[" name "]\ncommand = sim -- a.swf\ndecisions = 0123456789abcdef0123456789abcdef\njobs = "    \
  "2\njobs_measured = 2\n"                                                                         \
  "mean_wait_s = 1.5\nmedian_wait_s = 0\np95_wait_s = 3\nmax_wait_s = 3\n"                         \
  "mean_bounded_slowdown = 1\np95_bounded_slowdown = 1\nutilization = 0.5\nmakespan_s = 20\n"      \
  "backfilled_jobs = 0\nkilled_jobs = 0\nunstarted_jobs = -\n"
#define HEAD "# Baseline of lockstep gate; --update makes it anew.\nformat = 1\n"

static LkGateBaseline *
read_text (const char *text, GError **error)
{
  return lk_gate_baseline_read ("b.txt", text, strlen (text), error);
}

static void
reads_back (void)
{
  static const char text[] = HEAD RUN ("kth/all/easy x=[1]") "speed = 6.25\n" RUN ("kth/all/sjf");
  g_autoptr (GError) error = NULL;
  g_autoptr (LkGateBaseline) baseline = read_text (text, &error);
  g_autoptr (GString) again = g_string_new (NULL);
  g_assert_no_error (error);
  lk_gate_baseline_append (baseline, again);
  g_assert_cmpstr (again->str, ==, text);
  const LkGateRun *easy = lk_gate_baseline_find (baseline, "kth/all/easy x=[1]");
  const LkGateRun *sjf = lk_gate_baseline_find (baseline, "kth/all/sjf");
  g_assert_cmpfloat (easy->speed_ratio, ==, 6.25);
  g_assert_cmpstr (easy->metrics[LK_GATE_MEAN_WAIT], ==, "1.5");
  g_assert_cmpstr (lk_gate_metric_name (LK_GATE_MEAN_WAIT), ==, "mean_wait_s");
  g_assert_true (isnan (sjf->speed_ratio));
  g_assert_null (lk_gate_baseline_find (baseline, "kth/all"));
}

static void
errors_have_places (void)
{
  static const struct {
    const char *text;
    const char *message;
  } cases[] = {
    { "", "b.txt:0: expected 'format = 1'" },
    { "[a]\n", "b.txt:1: expected 'format = 1' first" },
    { "format = 2\n", "b.txt:1: 'format' is '2'; this lockstep knows 1" },
    { "jobs = 2\n", "b.txt:1: 'jobs' stands before any [run]" },
    { HEAD "[a\n", "b.txt:3: '[a': expected [NAME]" },
    { HEAD "[a]\nnonsense\n", "b.txt:4: expected 'key = value'" },
    { HEAD "[a]\njbos = 1\n", "b.txt:4: unknown key 'jbos'; did you mean 'jobs'?" },
    { HEAD "[a]\njobs = 1\njobs = 1\n", "b.txt:5: 'jobs' is given twice" },
    { HEAD "[a]\nspeed = -1\n", "b.txt:4: 'speed' is '-1'; expected a number above 0" },
    { HEAD "[a]\njobs = 1\n", "b.txt:4: run 'a' has no 'command'" },
    { HEAD RUN ("a") RUN ("a"), "b.txt:21: run 'a' is there twice" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GError) error = NULL;
    g_autoptr (LkGateBaseline) baseline = read_text (cases[i].text, &error);
    g_assert_null (baseline);
    g_assert_error (error, LK_SIM_ERROR, LK_SIM_ERROR_FORMAT);
    g_assert_cmpstr (error->message, ==, cases[i].message);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/baseline/what is written reads back to the same bytes", reads_back);
  g_test_add_func ("/baseline/errors say where", errors_have_places);
  return g_test_run ();
}
