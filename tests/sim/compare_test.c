/* tests/sim/compare_test.c — runs side by side: what differs, what is best, and what is no run at
 * all. */
#include <glib.h>
#include <glib/gstdio.h>
#include <sqlite3.h>
#include <string.h>

#include "sim/compare.h"
#include "sim/error.h"

#define S G_GINT64_CONSTANT (1000000)

typedef struct {
  char *parent;
  char *slow;
  char *fast;
} Fixture;

static void
add (LkResults *results, gint64 job_id, gint64 submit_s, gint64 start_s, gint64 run_s)
{
  LkJobRecord record = { .job_id = job_id,
                         .procs = 4,
                         .submit_us = submit_s * S,
                         .start_us = start_s * S,
                         .end_us = (start_s + run_s) * S,
                         .estimate_us = run_s * S,
                         .backfilled = start_s == 10,
                         .state = "COMPLETED" };
  g_assert_true (lk_results_add (results, &record, NULL));
}

/* Job 2 waits for job 1, or starts beside it; job 5 appears twice in the log. */
static void
write_run (const char *directory, const char *backfill, gint64 second_start_s, const char *digest)
{
  LkRunInfo info = { .trace = "log.swf",
                     .order = "fifo",
                     .backfill = backfill,
                     .select = "pool",
                     .limit = "kill",
                     .tie_rule = "instant",
                     .estimates = "trace",
                     .procs = 8 };
  LkRunTotals totals = { .events = 8, .decisions = 4 };
  LkSummary summary;
  g_strlcpy (totals.decision_digest, digest, sizeof totals.decision_digest);
  g_autoptr (LkResults) results = lk_results_new (&info, directory, NULL);
  add (results, 1, 0, 0, 100);
  add (results, 2, 10, second_start_s, 90);
  add (results, 5, 200, 200, 10);
  add (results, 5, 210, 210, 40);
  g_assert_true (lk_results_finish (results, &totals, &summary, NULL));
}

static void
set_up (Fixture *fixture, gconstpointer data)
{
  (void)data;
  fixture->parent = g_dir_make_tmp ("compare-XXXXXX", NULL);
  fixture->slow = g_build_filename (fixture->parent, "slow", NULL);
  fixture->fast = g_build_filename (fixture->parent, "fast", NULL);
  write_run (fixture->slow, "none", 100, "aaaaaaaabbbbbbbbccccccccdddddddd");
  write_run (fixture->fast, "easy", 10, "eeeeeeeebbbbbbbbccccccccdddddddd");
}

static void
remove_all (const char *directory)
{
  g_autoptr (GDir) listing = g_dir_open (directory, 0, NULL);
  const char *name;
  while ((name = g_dir_read_name (listing)) != NULL) {
    g_autofree char *path = g_build_filename (directory, name, NULL);
    if (g_file_test (path, G_FILE_TEST_IS_DIR))
      remove_all (path);
    else
      g_unlink (path);
  }
  g_rmdir (directory);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  (void)data;
  remove_all (fixture->parent);
  g_free (fixture->parent);
  g_free (fixture->slow);
  g_free (fixture->fast);
}

static LkComparison *
compare (const char *a, const char *b)
{
  char *directories[] = { (char *)a, (char *)b, NULL };
  g_autoptr (GError) error = NULL;
  LkComparison *comparison = lk_comparison_new (directories, 20, &error);
  g_assert_no_error (error);
  return comparison;
}

static void
has_line (const char *text, const char *pattern)
{
  g_autoptr (GRegex) regex = g_regex_new (pattern, G_REGEX_MULTILINE, (GRegexMatchFlags)0, NULL);
  if (!g_regex_match (regex, text, (GRegexMatchFlags)0, NULL))
    g_error ("no line matches %s in\n%s", pattern, text);
}

static void
test_table (Fixture *fixture, gconstpointer data)
{
  (void)data;
  g_autoptr (LkComparison) comparison = compare (fixture->slow, fixture->fast);
  g_autoptr (GString) text = g_string_new (NULL);
  lk_comparison_table (comparison, TRUE, text);
  has_line (text->str,
            "^slow \\(no backfill\\)  order fifo, backfill none, select pool, digest aaaaaaaa$");
  has_line (text->str, "^  jobs +4 +4 *$");
  has_line (text->str, "^! mean wait +22\\.5 s +0 s\\* +-100\\.0%$");
  has_line (text->str, "^! mean bounded slowdown +1\\.250 +1\\.000\\* +-20\\.0%$");
  has_line (text->str, "^  makespan +4 min 10 s +4 min 10 s *$");
  has_line (text->str, "^! jobs that start differently +- +1 +25\\.0%$");
  has_line (text->str, "^ +2 +10 +100 +10 +-1 min 30 s$");
  has_line (text->str, "^fast \\(easy\\): 1 of 4 jobs start at another time than in slow \\(no ");
  g_assert_null (strstr (text->str, "Caution"));
}

static void
test_formats (Fixture *fixture, gconstpointer data)
{
  (void)data;
  g_autoptr (LkComparison) comparison = compare (fixture->slow, fixture->fast);
  g_autoptr (GString) text = g_string_new (NULL);
  lk_comparison_csv (comparison, text);
  has_line (text->str, "^field,slow,fast$");
  has_line (text->str, "^backfill_policy,none,easy$");
  has_line (text->str, "^mean_wait_s,22\\.5,0$");
  has_line (text->str, "^started_differently,0,1$");
  g_string_truncate (text, 0);
  lk_comparison_json (comparison, TRUE, text);
  has_line (text->str, "^      \"label\": \"fast\",$");
  has_line (text->str, "^        \"started_differently\": 1,$");
  has_line (text->str, "^            \"first_start_s\": 100,$");
}

static void
test_same (Fixture *fixture, gconstpointer data)
{
  (void)data;
  g_autoptr (LkComparison) comparison = compare (fixture->slow, fixture->slow);
  g_autoptr (GString) text = g_string_new (NULL);
  lk_comparison_table (comparison, FALSE, text);
  has_line (text->str, "^  mean wait +22\\.5 s +22\\.5 s *$");
  has_line (text->str, "^  jobs that start differently +- +0 +0\\.0%$");
  /* Equal last parts: the whole paths are the labels. */
  g_assert_nonnull (strstr (text->str, fixture->slow));
}

static void
test_other_jobs (Fixture *fixture, gconstpointer data)
{
  (void)data;
  g_autofree char *other = g_build_filename (fixture->parent, "other", NULL);
  LkRunInfo info = { .trace = "second.swf",
                     .order = "fifo",
                     .backfill = "none",
                     .select = "pool",
                     .limit = "kill",
                     .tie_rule = "instant",
                     .estimates = "trace",
                     .procs = 8 };
  LkRunTotals totals = { .decision_digest = "00" };
  LkSummary summary;
  g_autoptr (LkResults) results = lk_results_new (&info, other, NULL);
  add (results, 3, 10, 10, 90);
  add (results, 5, 200, 200, 10);
  g_assert_true (lk_results_finish (results, &totals, &summary, NULL));
  g_autoptr (LkComparison) comparison = compare (fixture->slow, other);
  const LkComparedRun *run = (const LkComparedRun *)g_ptr_array_index (comparison->runs, 1);
  g_assert_cmpuint (run->paired_count, ==, 1);
  g_assert_cmpuint (run->missing_count, ==, 3);
  g_assert_cmpuint (run->added_count, ==, 1);
  g_autoptr (GString) text = g_string_new (NULL);
  lk_comparison_table (comparison, FALSE, text);
  has_line (text->str, "^Caution: the runs do not share .*trace.*jobs");
  has_line (text->str,
            "^Caution: other \\(second\\) lacks 3 jobs of the first run and has 1 others\\.$");
}

static void
test_merge (Fixture *fixture, gconstpointer data)
{
  (void)data;
  g_autofree char *merged = g_build_filename (fixture->parent, "all.sqlite", NULL);
  g_autoptr (LkComparison) comparison = compare (fixture->slow, fixture->fast);
  g_autoptr (GError) error = NULL;
  g_assert_true (lk_comparison_merge (comparison, merged, &error));
  g_assert_no_error (error);
  sqlite3 *db = NULL;
  sqlite3_stmt *statement = NULL;
  static const char sql[] = "SELECT count (*) FROM job AS a JOIN job AS b USING (job_id, submit_s)"
                            " WHERE a.run_id < b.run_id AND a.start_s <> b.start_s";
  g_assert_cmpint (sqlite3_open (merged, &db), ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_prepare_v2 (db, sql, -1, &statement, NULL), ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_step (statement), ==, SQLITE_ROW);
  g_assert_cmpint (sqlite3_column_int (statement, 0), ==, 1);
  sqlite3_finalize (statement);
  sqlite3_close (db);
  g_autofree char *source = g_build_filename (fixture->fast, LK_RESULTS_SQLITE, NULL);
  g_assert_false (lk_comparison_merge (comparison, source, &error));
  g_assert_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE);
}

static void
fails (const char *first, const char *directory, const char *message)
{
  char *directories[] = { (char *)first, (char *)directory, NULL };
  g_autoptr (GError) error = NULL;
  g_assert_null (lk_comparison_new (directories, 20, &error));
  g_assert_nonnull (error);
  g_assert_cmpint (error->domain == LK_SIM_ERROR, ==, TRUE);
  g_assert_nonnull (strstr (error->message, directory));
  if (strstr (error->message, message) == NULL)
    g_error ("'%s' lacks '%s'", error->message, message);
}

static void
test_incomplete (Fixture *fixture, gconstpointer data)
{
  (void)data;
  g_autofree char *summary = g_build_filename (fixture->fast, LK_RESULTS_SUMMARY, NULL);
  g_autofree char *database = g_build_filename (fixture->fast, LK_RESULTS_SQLITE, NULL);
  g_autofree char *missing = g_build_filename (fixture->parent, "missing", NULL);
  fails (fixture->slow, missing, "not a directory of results");
  fails (fixture->slow, summary, "it is a file");
  g_assert_true (g_file_set_contents (summary, "{}", -1, NULL));
  fails (fixture->slow, fixture->fast, "different runs");
  g_unlink (summary);
  fails (fixture->slow, fixture->fast, "it has no summary.json");
  g_assert_true (g_file_set_contents (database, "rubbish rubbish rubbish", -1, NULL));
  fails (fixture->slow, fixture->fast, "not a database");
  g_unlink (database);
  fails (fixture->slow, fixture->fast, "it has no results.sqlite");
}

#define TEST(name, function)                                                                       \
  g_test_add ("/sim/compare/" name, Fixture, NULL, set_up, function, tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  TEST ("marks what differs and what is best", test_table);
  TEST ("writes all fields as CSV and JSON", test_formats);
  TEST ("finds no difference between equal runs", test_same);
  TEST ("says when runs are of different logs", test_other_jobs);
  TEST ("merges the runs into one database", test_merge);
  TEST ("refuses a directory without complete results", test_incomplete);
  return g_test_run ();
}
