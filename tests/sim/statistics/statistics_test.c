/* tests/sim/statistics/statistics_test.c — intervals, indices of fairness and shaken runs against
 * numbers found by hand. */
#include <glib.h>
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "sim/error.h"
#include "sim/statistics/fairness.h"
#include "sim/statistics/paired.h"
#include "sim/statistics/run_names.h"
#include "sim/statistics/shake.h"
#include "sim/statistics/shaken.h"
#include "traces/source.h"

#define S G_GINT64_CONSTANT (1000000)

static const LkIntervalOptions options = { .replicate_count = 2000,
                                           .level_ratio = 0.95,
                                           .seed = 1 };

static void
near (double value, double expected, double by)
{
  if (!(fabs (value - expected) <= by))
    g_error ("%.9g is not within %.3g of %.9g", value, by, expected);
}

/* ---------------------------------------------------------------- names of runs */

static char *
joined_names (const LkRunFacts *runs, guint count)
{
  g_auto (GStrv) names = lk_run_names (runs, count);
  return g_strjoinv ("|", names);
}

#define FACTS(run_path, order, backfill)                                                           \
  {                                                                                                \
    .path = run_path, .values = {                                                                  \
      [LK_RUN_ASPECT_ORDER] = order,                                                               \
      [LK_RUN_ASPECT_BACKFILL] = backfill                                                          \
    }                                                                                              \
  }

static void
test_names_say_what_differs (void)
{
  const LkRunFacts said[] = { FACTS ("x/easy", "fifo", "easy:reservations=1"),
                              FACTS ("x/full", "fifo", "full:window=0") };
  const LkRunFacts days[] = { FACTS ("monday", "fifo", "easy:reservations=1"),
                              FACTS ("tuesday", "fifo", "none") };
  const LkRunFacts alike[] = { FACTS ("a/run", "multifactor:weight_age=1,weight_qos=0", "easy"),
                               FACTS ("b/run", "multifactor:weight_age=9,weight_qos=0", "easy"),
                               FACTS ("c/run", "sjf", "easy") };
  const LkRunFacts same[] = { FACTS ("a/run", "fifo", "easy"), FACTS ("b/run", "fifo", "easy"),
                              FACTS ("b/run", "fifo", "easy") };
  g_autofree char *names[] = { joined_names (said, 2), joined_names (days, 2),
                               joined_names (alike, 3), joined_names (same, 3) };
  g_assert_cmpstr (names[0], ==, "easy|full");
  g_assert_cmpstr (names[1], ==, "monday (easy)|tuesday (no backfill)");
  g_assert_cmpstr (names[2], ==, "multifactor weight_age=1|multifactor weight_age=9|sjf");
  g_assert_cmpstr (names[3], ==, "a/run|b/run|b/run #2");
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    g_free (g_steal_pointer (&names[i]));
}

static void
test_names_of_logs_and_machines (void)
{
  LkRunFacts runs[] = { FACTS ("one", "fifo", "easy"), FACTS ("two", "fifo", "easy") };
  runs[0].values[LK_RUN_ASPECT_TRACE] = "logs/KTH-SP2-1996-2.1-cln.swf.gz";
  runs[1].values[LK_RUN_ASPECT_TRACE] = "logs/SDSC-SP2.swf";
  runs[0].values[LK_RUN_ASPECT_PROCS] = "100";
  runs[1].values[LK_RUN_ASPECT_PROCS] = "128";
  g_autofree char *logs = joined_names (runs, 2);
  g_assert_cmpstr (logs, ==, "one (KTH-SP2-1996-2.1-cln)|two (SDSC-SP2)");
  runs[1].values[LK_RUN_ASPECT_TRACE] = runs[0].values[LK_RUN_ASPECT_TRACE];
  g_autofree char *machines = joined_names (runs, 2);
  g_assert_cmpstr (machines, ==, "one (100 processors)|two (128 processors)");
}

/* ---------------------------------------------------------------- verdicts in words */

typedef struct {
  gint64 first_wait_s;
  gint64 here_wait_s;
  guint day_count;
  gboolean has_noise;
} Days;

/* A job a day. */
static gboolean
feed_days (gpointer source, LkJoinFunc joined, gpointer user, GError **error)
{
  const Days *days = source;
  (void)error;
  for (guint i = 0; i < days->day_count; i++) {
    gint64 noise_s = days->has_noise ? (i % 2 == 0 ? 3000 : -3000) : 0;
    LkResultsStart first = { .job_id = i, .submit_us = i * 86400 * S, .account = "", .qos = "" };
    LkResultsStart here = first;
    first.start_us = first.submit_us + days->first_wait_s * S;
    here.start_us = here.submit_us + (days->here_wait_s + noise_s) * S;
    first.end_us = first.start_us + 60 * S;
    here.end_us = here.start_us + 60 * S;
    joined (user, &first, &here);
  }
  return TRUE;
}

static char *
verdict_of (Days days)
{
  const LkPairedOptions paired_options = { .interval = options };
  const LkPairedSource source = { .feed = feed_days, .source = &days, .end_us = G_MAXINT64 };
  g_autoptr (LkPaired) paired = lk_paired_new_from (&paired_options, &source, NULL);
  GString *out = g_string_new (NULL);
  lk_paired_verdict (paired, "X", "EASY", out);
  return g_string_free (out, FALSE);
}

static void
test_verdicts_in_words (void)
{
  const struct {
    Days days;
    const char *text;
  } cases[] = {
    { { 10000, 6800, 40, FALSE },
      "EASY: jobs wait 32 % less than in X, 95 % interval 32 % less to 32 % less; mean wait "
      "1 h 53 min instead of 2 h 46 min" },
    { { 5000, 5000, 40, FALSE }, "EASY: each job waits as long as in X" },
    { { 0, 0, 40, FALSE }, "EASY: no job waits, nor in X" },
    { { 0, 60, 40, FALSE }, "EASY: mean wait 1 min; in X no job waits" },
    { { 100, 330, 40, FALSE },
      "EASY: jobs wait 3.3 times as long as in X, 95 % interval 3.3 times as long to 3.3 times as "
      "long; mean wait 5 min 30 s instead of 1 min 40 s" },
    { { 10000, 6800, 3, FALSE },
      "EASY: jobs wait 32 % less than in X, with too few days to say how sure that is; mean wait "
      "1 h 53 min instead of 2 h 46 min" },
    { { 5000, 5000, 0, FALSE }, "EASY: shares no job with X" },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *text = verdict_of (cases[i].days);
    g_assert_cmpstr (text, ==, cases[i].text);
  }
  g_autofree char *noise = verdict_of ((Days){ 5000, 5010, 40, TRUE });
  g_assert_nonnull (strstr (noise, "so no difference is shown"));
}

/* ---------------------------------------------------------------- fairness */

/* Of 1, 2, 3: the six distances between two of them sum to 8, 2 n sum x is 36; (1+2+3)^2 is 36, n
 * times the sum of squares 42. */
static void
test_indices (void)
{
  double values[] = { 3, 1, 2 };
  double even[] = { 4, 4, 4, 4 };
  double one[] = { 0, 0, 0, 7 };
  double zero[] = { 0, 0 };
  near (lk_jain (values, 3), 36.0 / 42.0, 1e-15);
  near (lk_gini (values, 3), 8.0 / 36.0, 1e-15);
  near (lk_jain (even, 4), 1, 0);
  near (lk_gini (even, 4), 0, 0);
  near (lk_jain (one, 4), 0.25, 1e-15);
  near (lk_gini (one, 4), 0.75, 1e-15);
  g_assert_true (isnan (lk_jain (zero, 2)));
  g_assert_true (isnan (lk_gini (zero, 0)));
}

/* Slowdowns 1 and 3 of user 1 (mean 2), 4 of user 2; account a has 1 and 4, b has 3. */
static void
test_fairness_of_jobs (void)
{
  LkFairnessIndices indices;
  g_autoptr (LkFairness) fairness = lk_fairness_new ();
  lk_fairness_indices (fairness, &indices);
  g_assert_true (isnan (indices.users_gini) && isnan (indices.accounts_jain));
  lk_fairness_add (fairness, 1, "a", 0, 100 * S);
  lk_fairness_add (fairness, 1, "b", 200 * S, 100 * S);
  lk_fairness_add (fairness, 2, "a", 300 * S, 100 * S);
  lk_fairness_add (fairness, 0, "", 900 * S, 100 * S);
  lk_fairness_add (fairness, -1, NULL, 900 * S, 100 * S);
  lk_fairness_indices (fairness, &indices);
  near (indices.users_jain, 36.0 / (2 * 20), 1e-12);
  near (indices.users_gini, 4.0 / (2 * 2 * 6), 1e-12);
  near (indices.accounts_jain, 5.5 * 5.5 / (2 * (2.5 * 2.5 + 9)), 1e-12);
  near (indices.accounts_gini, 1.0 / (2 * 2 * 5.5), 1e-12);
}

/* ---------------------------------------------------------------- intervals */

/* Differences 1, 2, 3, 4: standard deviation 1.290994, and Student's t is 3.182446 for 3 degrees of
 * freedom. */
static void
test_student (void)
{
  LkInterval interval;
  LkPair pairs[] = { { 0, 10, 11 }, { 1, 10, 12 }, { 2, 10, 13 }, { 3, 10, 14 } };
  lk_interval_student (0.95, pairs, 4, &interval);
  near (interval.first, 10, 0);
  near (interval.difference, 2.5, 1e-12);
  near (interval.low, 2.5 - 3.182446 * 1.290994 / 2, 1e-5);
  near (interval.high, 2.5 + 3.182446 * 1.290994 / 2, 1e-5);
  g_assert_cmpint (lk_interval_verdict (&interval, FALSE), ==, LK_VERDICT_HIGHER);
  lk_interval_student (0.95, pairs, 2, &interval);
  g_assert_false (interval.has_interval);
  g_assert_cmpint (lk_interval_verdict (&interval, FALSE), ==, LK_VERDICT_TOO_FEW);
  g_assert_cmpint (lk_interval_verdict (&interval, TRUE), ==, LK_VERDICT_SAME);
}

/* 400 independent blocks whose differences are 0.1 + 1 and 0.1 - 1 in turn: the mean is 0.1 with a
 * standard error of 1/20, so the interval is about 0.1 -+ 1.96 / 20. */
static void
test_bootstrap_of_a_mean (void)
{
  LkInterval interval;
  LkPair pairs[400];
  for (guint i = 0; i < 400; i++)
    pairs[i] = (LkPair){ .block = i, .first = 5, .here = 5.1 + (i % 2 == 0 ? 1 : -1) };
  lk_interval_bootstrap (&options, LK_STATISTIC_MEAN, pairs, 400, 400, &interval);
  near (interval.difference, 0.1, 1e-9);
  near (interval.low, 0.1 - 1.96 / 20, 0.01);
  near (interval.high, 0.1 + 1.96 / 20, 0.01);
  g_assert_cmpint (lk_interval_verdict (&interval, FALSE), ==, LK_VERDICT_HIGHER);
  g_assert_cmpuint (interval.block_count, ==, 400);
}

/* A hundred equal jobs in each block know no more than one does: that blocks are drawn and not
 * jobs. */
static void
test_bootstrap_draws_blocks (void)
{
  LkInterval alone;
  LkInterval many;
  LkPair one[10];
  LkPair hundred[1000];
  for (guint i = 0; i < 10; i++)
    one[i] = (LkPair){ .block = i, .first = i, .here = 2.0 * i };
  for (guint i = 0; i < 1000; i++)
    hundred[i] = one[i / 100];
  lk_interval_bootstrap (&options, LK_STATISTIC_MEAN, one, 10, 10, &alone);
  lk_interval_bootstrap (&options, LK_STATISTIC_MEAN, hundred, 1000, 10, &many);
  near (many.low, alone.low, 1e-9);
  near (many.high, alone.high, 1e-9);
  g_assert_true (alone.high - alone.low > 2);
}

/* A block that weighs nothing still takes its turn, and where every block says the same there is no
 * doubt. */
static void
test_bootstrap_without_doubt (void)
{
  LkInterval interval;
  LkPair pairs[16];
  for (guint i = 0; i < 16; i++)
    pairs[i] = (LkPair){ .block = i * 2, .first = i + 1.0, .here = i + 1.0 - 3 };
  lk_interval_bootstrap (&options, LK_STATISTIC_MEAN, pairs, 16, 40, &interval);
  near (interval.low, -3, 1e-9);
  near (interval.high, -3, 1e-9);
  g_assert_cmpint (lk_interval_verdict (&interval, FALSE), ==, LK_VERDICT_LOWER);
}

/* Where each wait is half of the first one, the ratio is certain, though the difference is not. */
static void
test_bootstrap_of_a_ratio (void)
{
  LkInterval interval;
  LkPair pairs[16];
  for (guint i = 0; i < 16; i++)
    pairs[i] = (LkPair){ .block = i, .first = 2.0 * i + 2, .here = i + 1.0 };
  lk_interval_bootstrap (&options, LK_STATISTIC_MEAN, pairs, 16, 16, &interval);
  near (interval.ratio_low, 0.5, 1e-12);
  near (interval.ratio_high, 0.5, 1e-12);
  g_assert_cmpfloat (interval.low, <, interval.high);
  for (guint i = 0; i < 16; i++)
    pairs[i].first = i == 0 ? 1 : 0;
  lk_interval_bootstrap (&options, LK_STATISTIC_MEAN, pairs, 16, 16, &interval);
  g_assert_true (isnan (interval.ratio_low));
}

/* Nearest rank: of 1 to 100 the 95th, of 1 to 10 the 10th. */
static void
test_bootstrap_of_a_percentile (void)
{
  LkInterval interval;
  LkPair pairs[100];
  for (guint i = 0; i < 100; i++)
    pairs[i] = (LkPair){ .block = i % 10, .first = 100 - i, .here = 0 };
  lk_interval_bootstrap (&options, LK_STATISTIC_P95, pairs, 100, 10, &interval);
  near (interval.first, 95, 0);
  near (interval.here, 0, 0);
  lk_interval_bootstrap (&options, LK_STATISTIC_P95, &pairs[90], 10, 10, &interval);
  near (interval.first, 10, 0);
  g_assert_true (interval.low >= -10 && interval.high <= -1);
}

static void
test_bootstrap_with_too_little (void)
{
  LkInterval interval;
  LkPair pairs[7];
  for (guint i = 0; i < 7; i++)
    pairs[i] = (LkPair){ .block = i, .first = 1, .here = 2 };
  lk_interval_bootstrap (&options, LK_STATISTIC_MEAN, pairs, 7, 7, &interval);
  near (interval.difference, 1, 0);
  g_assert_false (interval.has_interval);
  g_assert_true (isnan (interval.low));
  lk_interval_bootstrap (&options, LK_STATISTIC_P95, pairs, 0, 0, &interval);
  g_assert_true (isnan (interval.first));
}

static void
test_verdicts (void)
{
  LkInterval interval = { .has_interval = TRUE, .low = -1, .high = 1 };
  g_assert_cmpint (lk_interval_verdict (&interval, FALSE), ==, LK_VERDICT_NOTHING);
  interval.high = 0;
  g_assert_cmpint (lk_interval_verdict (&interval, FALSE), ==, LK_VERDICT_NOTHING);
  interval.high = -0.5;
  g_assert_cmpint (lk_interval_verdict (&interval, FALSE), ==, LK_VERDICT_LOWER);
}

/* ---------------------------------------------------------------- groups */

static void
test_by (void)
{
  guint32 by = 0;
  static const char *const bad[] = { "", "user,", "usr", "user,user", "user,,size", " user" };
  g_assert_true (lk_by_parse ("--by", "user,size", &by, NULL));
  g_assert_cmpuint (by, ==, 1u << LK_BY_USER | 1u << LK_BY_SIZE);
  for (gsize i = 0; i < G_N_ELEMENTS (bad); i++) {
    g_autoptr (GError) error = NULL;
    g_assert_false (lk_by_parse ("--by", bad[i], &by, &error));
    g_assert_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE);
    g_assert_true (g_str_has_prefix (error->message, "--by "));
  }
}

/* ---------------------------------------------------------------- shaking */

static void
test_moves (void)
{
  LkShake shake = { .seed = 7, .by_us = 3 * S };
  LkShake other = { .seed = 8, .by_us = 3 * S };
  guint counts[7] = { 0 };
  guint differing = 0;
  for (guint64 place = 0; place < 7000; place++) {
    gint64 move_us = lk_shake_move_us (&shake, place);
    g_assert_cmpint (move_us % S, ==, 0);
    g_assert_cmpint (ABS (move_us), <=, 3 * S);
    counts[move_us / S + 3]++;
    differing += move_us != lk_shake_move_us (&other, place);
  }
  /* 1000 of each, with a standard deviation of 29. */
  for (guint i = 0; i < 7; i++)
    near (counts[i], 1000, 150);
  near (differing, 6000, 300);
}

static gint64
move_by_place (gconstpointer user, guint64 place)
{
  const gint64 *moves_us = user;
  return moves_us[place];
}

static void
check_moved (const char *log, const gint64 *moves_us, const char *expected)
{
  LkTraceOptions trace;
  LkTraceJob job;
  g_autoptr (GError) error = NULL;
  g_autoptr (GString) text = g_string_new (NULL);
  lk_trace_options_init (&trace);
  trace.procs = 4;
  trace.move_us = move_by_place;
  trace.move_most_us = 10 * S;
  trace.move_user = moves_us;
  g_autoptr (LkTraceSource) source =
      lk_trace_source_new_from_bytes ("log", (const guint8 *)log, strlen (log), &trace, &error);
  g_assert_no_error (error);
  while (lk_trace_source_next (source, &job, &error) == 1)
    g_string_append_printf (text, "%" G_GINT64_FORMAT "@%" G_GINT64_FORMAT " ", job.number,
                            job.submit_us / S);
  g_assert_no_error (error);
  g_assert_cmpstr (text->str, ==, expected);
}

static void
test_a_moved_log_is_in_order (void)
{
  static const gint64 moves_us[] = { -9 * S, 9 * S, 1 * S, -10 * S };
  check_moved ("1 5 0 10 1 -1 -1 1 20 -1 1 1 1 -1 1 1 -1 -1\n"
               "2 10 0 10 1 -1 -1 1 20 -1 1 1 1 -1 1 1 -1 -1\n"
               "3 12 0 10 1 -1 -1 1 20 -1 1 1 1 -1 1 1 -1 -1\n"
               "4 30 0 10 1 -1 -1 1 20 -1 1 1 1 -1 1 1 -1 -1\n",
               moves_us, "1@0 3@13 2@19 4@20 ");
}

#define EVENT(at, words) "-dt " #at " -e submit_batch_job | -sim-walltime 9 -t 1 " words " x\n"

/* Job 12 waits for 11, and 13 and 14 are free; 11 moves as far as it can. The components of 21 stay
 * side by side, by the first one's move. */
static void
test_what_belongs_together_moves_together (void)
{
  static const gint64 moves_us[] = { 10 * S, -10 * S, -10 * S, 0, 5 * S, -7 * S };
  check_moved (EVENT (100, "-jid 11") EVENT (100, "-jid 12 -d afterok:11") EVENT (105, "-jid 13")
                   EVENT (106, "-jid 14") EVENT (300, "-jid 21 -n1 : -n1"),
               moves_us, "13@95 14@106 11@110 12@110 21@305 21@305 ");
}

/* ---------------------------------------------------------------- shaken runs */

static void
add_shaken (LkShaken *shaken, guint64 seed, double mean_wait_s)
{
  LkSummary summary = { 0 };
  summary.metrics.mean_wait_s = mean_wait_s;
  summary.metrics.p95_wait_s = NAN;
  lk_shaken_add (shaken, seed, 60 * S, &summary);
}

static LkShaken *
shaken_of (const char *directory, double first, double second)
{
  g_autoptr (LkShaken) shaken = lk_shaken_new ();
  g_autoptr (GError) error = NULL;
  add_shaken (shaken, G_MAXUINT64, first);
  add_shaken (shaken, 2, second);
  g_assert_true (lk_shaken_write (shaken, directory, &error));
  g_assert_no_error (error);
  LkShaken *read = lk_shaken_read (directory, &error);
  g_assert_no_error (error);
  return read;
}

static void
test_shaken_runs_are_read_back (void)
{
  g_autofree char *directory = g_dir_make_tmp ("shaken-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (directory, LK_SHAKEN_CSV, NULL);
  g_autoptr (LkShaken) none = lk_shaken_read (directory, NULL);
  g_assert_cmpuint (lk_shaken_count (none), ==, 0);
  g_autoptr (LkShaken) first = shaken_of (directory, 1.5, 0.1);
  g_autoptr (LkShaken) here = shaken_of (directory, 2, 1e-9);
  g_assert_true (lk_shaken_is_alike (first, here));
  g_assert_false (lk_shaken_is_alike (first, none));
  g_autoptr (GArray) pairs = lk_shaken_pairs (first, here, "mean_wait_s");
  g_assert_cmpuint (pairs->len, ==, 2);
  near (g_array_index (pairs, LkPair, 0).first, 1.5, 0);
  near (g_array_index (pairs, LkPair, 1).here, 1e-9, 0);
  g_autoptr (GArray) absent = lk_shaken_pairs (first, here, "p95_wait_s");
  g_assert_true (isnan (g_array_index (absent, LkPair, 0).first));
  g_unlink (path);
  g_rmdir (directory);
}

static void
test_what_is_no_list_of_shaken_runs (void)
{
  g_autofree char *directory = g_dir_make_tmp ("shaken-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (directory, LK_SHAKEN_CSV, NULL);
  g_autofree char *good = NULL;
  lk_shaken_free (shaken_of (directory, 1, 2));
  g_assert_true (g_file_get_contents (path, &good, NULL, NULL));
  const char *row = strchr (good, '\n') + 1;
  g_autofree char *short_row = g_strdup_printf ("%.*s1,2\n", (int)(row - good), good);
  g_autofree char *bad_seed =
      g_strdup_printf ("%.*s1,x%s", (int)(row - good), good, strchr (row + 2, ','));
  const struct {
    const char *text;
    const char *says;
  } cases[] = { { "", "line 1: the header" },
                { "a,b\n", "line 1: the header" },
                { short_row, "line 2: the number of fields is '2'" },
                { bad_seed, "line 2: shake_seed is 'x'" } };
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GError) error = NULL;
    g_assert_true (g_file_set_contents (path, cases[i].text, -1, NULL));
    g_assert_null (lk_shaken_read (directory, &error));
    g_assert_error (error, LK_SIM_ERROR, LK_SIM_ERROR_FORMAT);
    if (strstr (error->message, cases[i].says) == NULL)
      g_error ("'%s' does not say '%s'", error->message, cases[i].says);
  }
  g_unlink (path);
  g_rmdir (directory);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/fairness/indices", test_indices);
  g_test_add_func ("/fairness/of jobs", test_fairness_of_jobs);
  g_test_add_func ("/interval/student", test_student);
  g_test_add_func ("/interval/bootstrap of a mean", test_bootstrap_of_a_mean);
  g_test_add_func ("/interval/blocks are drawn", test_bootstrap_draws_blocks);
  g_test_add_func ("/interval/without doubt", test_bootstrap_without_doubt);
  g_test_add_func ("/interval/bootstrap of a ratio", test_bootstrap_of_a_ratio);
  g_test_add_func ("/interval/bootstrap of a percentile", test_bootstrap_of_a_percentile);
  g_test_add_func ("/interval/too little", test_bootstrap_with_too_little);
  g_test_add_func ("/interval/verdicts", test_verdicts);
  g_test_add_func ("/by/names", test_by);
  g_test_add_func ("/names/say what differs", test_names_say_what_differs);
  g_test_add_func ("/names/of logs and machines", test_names_of_logs_and_machines);
  g_test_add_func ("/verdict/in words", test_verdicts_in_words);
  g_test_add_func ("/shake/moves", test_moves);
  g_test_add_func ("/shake/a moved log is in order", test_a_moved_log_is_in_order);
  g_test_add_func ("/shake/what belongs together moves together",
                   test_what_belongs_together_moves_together);
  g_test_add_func ("/shaken/read back", test_shaken_runs_are_read_back);
  g_test_add_func ("/shaken/bad files", test_what_is_no_list_of_shaken_runs);
  return g_test_run ();
}
