/* tests/sim/results_test.c — the three files, their renaming, and what happens when they cannot be
 * written. */
#include <errno.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <locale.h>
#include <math.h>
#include <signal.h>
#include <sqlite3.h>
#include <string.h>
#include <sys/resource.h>

#include "sim/decimal.h"
#include "sim/error.h"
#include "sim/json_out.h"
#include "sim/results.h"
#include "sim/results_csv.h"
#include "sim/results_sqlite.h"

#define S G_GINT64_CONSTANT (1000000)

static const LkRunInfo info = { .trace = "dir/log \"a\".swf",
                                .cluster = "dir/cluster.yaml",
                                .order = "f1:origin_s=0",
                                .backfill = "easy:reservations=1",
                                .select = "pool",
                                .limit = "kill",
                                .tie_rule = "instant",
                                .estimates = "trace",
                                .users = "open",
                                .launch_latency = "0.1:0.2",
                                .limit_check = "",
                                .kill_wait = "",
                                .lead_us = 8000000,
                                .accounts = "accounts.yaml",
                                .limits = "slurm",
                                .preempt = "none",
                                .seed = 42,
                                .procs = 10 };

static const LkRunTotals totals = { .dropped_no_run = 3,
                                    .dropped_too_large = 1,
                                    .events = 12,
                                    .decisions = 8,
                                    .decision_digest = "0123456789abcdef0123456789abcdef" };

/* The schedule worked by hand in metrics_test.c, in order of completion, with a fraction added to
 * one time. */
static const LkJobRecord jobs[] = {
  { 7, 1, 2, 3, 10, FALSE, FALSE, 0, 0, 100 * S, 100 * S, "COMPLETED", "phys", "normal", NULL, NULL,
    FALSE },
  { 9, 1, -1, -1, 6, TRUE, TRUE, 20 * S, 100 * S, 105 * S, 5 * S, "TIMEOUT", "a,\"b\"", "", NULL,
    NULL, FALSE },
  { 8, 5, 2, 3, 4, FALSE, FALSE, 10 * S, 100 * S, 150 * S, 60 * S, "COMPLETED", "phys", "normal",
    NULL, NULL, FALSE },
  { 10, -1, 2, 3, 5, FALSE, FALSE, 200 * S + 250000, 200 * S + 250000, 300 * S + 1, 100 * S,
    "FAILED", NULL, NULL, NULL, NULL, FALSE },
};

static const char csv_expected[] =
    "job_id,user,group,partition,procs,submit_s,start_s,end_s,wait_s,run_s,estimate_s,"
    "bounded_slowdown,state,backfilled,account,qos\n"
    "7,1,2,3,10,0,0,100,0,100,100,1.000000,COMPLETED,0,phys,normal\n"
    "9,1,-1,-1,6,20,100,105,80,5,5,8.500000,TIMEOUT,1,\"a,\"\"b\"\"\",\n"
    "8,5,2,3,4,10,100,150,90,50,60,2.800000,COMPLETED,0,phys,normal\n"
    "10,-1,2,3,5,200.25,200.25,300.000001,0,99.750001,100,1.000000,FAILED,0,,\n";

static void
write_run (const LkRunInfo *run, const char *directory, LkSummary *out_summary)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LkResults) results = lk_results_new (run, directory, &error);
  g_assert_no_error (error);
  for (gsize i = 0; i < G_N_ELEMENTS (jobs); i++)
    g_assert_true (lk_results_add (results, &jobs[i], NULL));
  g_assert_true (lk_results_finish (results, &totals, out_summary, &error));
  g_assert_no_error (error);
}

static char *
read_text (const char *directory, const char *name)
{
  g_autofree char *path = g_build_filename (directory, name, NULL);
  char *text = NULL;
  g_file_get_contents (path, &text, NULL, NULL);
  return text;
}

static guint
count_files (const char *directory)
{
  g_autoptr (GDir) listing = g_dir_open (directory, 0, NULL);
  guint count = 0;
  while (g_dir_read_name (listing) != NULL)
    count++;
  return count;
}

static void
remove_all (const char *directory)
{
  g_autoptr (GDir) listing = g_dir_open (directory, 0, NULL);
  const char *name;
  while ((name = g_dir_read_name (listing)) != NULL) {
    g_autofree char *path = g_build_filename (directory, name, NULL);
    g_unlink (path);
  }
  g_assert_cmpint (g_rmdir (directory), ==, 0);
}

static void
test_csv (void)
{
  g_autofree char *directory = g_dir_make_tmp ("results-XXXXXX", NULL);
  LkSummary summary;
  setlocale (LC_ALL, "de_DE.UTF-8");
  write_run (&info, directory, &summary);
  setlocale (LC_ALL, "C");
  g_autofree char *text = read_text (directory, LK_RESULTS_CSV);
  g_assert_cmpstr (text, ==, csv_expected);
  g_assert_cmpuint (count_files (directory), ==, 3);
  remove_all (directory);
}

static void
check_count (sqlite3 *db, const char *sql, int expected)
{
  sqlite3_stmt *statement = NULL;
  g_assert_cmpint (sqlite3_prepare_v2 (db, sql, -1, &statement, NULL), ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_step (statement), ==, SQLITE_ROW);
  g_assert_cmpint (sqlite3_column_int (statement, 0), ==, expected);
  sqlite3_finalize (statement);
}

/* A run that ended with a requeue has a row, counts nowhere, and is no job of its own. */
static void
test_runs (void)
{
  static const LkJobRecord runs[] = {
    { 7, 1, 2, 3, 10, TRUE, FALSE, 0, 10 * S, 40 * S, 100 * S, "PREEMPTED", "phys", "normal", NULL,
      "5_4", TRUE },
    { 7, 1, 2, 3, 10, FALSE, FALSE, 0, 50 * S, 150 * S, 100 * S, "COMPLETED", "phys", "normal",
      NULL, "5_4", FALSE },
  };
  static const char expected[] = "5_4,1,2,3,10,0,10,40,10,30,100,1.333333,PREEMPTED,1,phys,normal\n"
                                 "5_4,1,2,3,10,0,50,150,50,100,100,1.500000,COMPLETED,0,phys,normal"
                                 "\n";
  g_autofree char *directory = g_dir_make_tmp ("results-XXXXXX", NULL);
  g_autoptr (LkResults) results = lk_results_new (&info, directory, NULL);
  LkSummary summary;
  sqlite3 *db = NULL;
  for (gsize i = 0; i < G_N_ELEMENTS (runs); i++)
    g_assert_true (lk_results_add (results, &runs[i], NULL));
  g_assert_true (lk_results_finish (results, &totals, &summary, NULL));
  g_assert_cmpuint (summary.metrics.jobs, ==, 1);
  g_assert_cmpuint (summary.backfilled_jobs, ==, 0);
  g_assert_cmpfloat (summary.metrics.mean_wait_s, ==, 50);
  g_autofree char *text = read_text (directory, LK_RESULTS_CSV);
  g_assert_true (g_str_has_suffix (text, expected));
  g_autofree char *path = g_build_filename (directory, LK_RESULTS_SQLITE, NULL);
  g_assert_cmpint (sqlite3_open (path, &db), ==, SQLITE_OK);
  check_count (db, "SELECT count (*) FROM job WHERE job_id = '5_4'", 1);
  check_count (db, "SELECT start_s FROM job", 50);
  check_count (db, "SELECT count (*) FROM job_run WHERE job_id = '5_4'", 2);
  check_count (db, "SELECT end_s FROM job_run WHERE requeued = 1 AND state = 'PREEMPTED'", 40);
  sqlite3_close (db);
  remove_all (directory);
}

static void
test_ids (void)
{
  static const char *const ids[] = { "1_0", "123_4", "123+1", "12_3+4" };
  static const char *const others[] = {
    "", "123", "a_1", "1_", "1+", "1_2_3", "1_2x", "job-7", "_1"
  };
  for (gsize i = 0; i < G_N_ELEMENTS (ids); i++)
    g_assert_true (lk_job_name_is_id (ids[i]));
  for (gsize i = 0; i < G_N_ELEMENTS (others); i++)
    g_assert_false (lk_job_name_is_id (others[i]));
}

static void
test_summary (void)
{
  g_autofree char *parent = g_dir_make_tmp ("results-XXXXXX", NULL);
  g_autofree char *directory = g_build_filename (parent, "made", NULL);
  LkSummary summary;
  write_run (&info, directory, &summary);
  g_assert_cmpuint (summary.backfilled_jobs, ==, 1);
  g_assert_cmpuint (summary.killed_jobs, ==, 1);
  g_autofree char *text = read_text (directory, LK_RESULTS_SUMMARY);
  static const char *const parts[] = {
    "{\n  \"run_id\": \"f1+easy@01234567\",\n",
    "  \"trace\": \"dir/log \\\"a\\\".swf\",\n",
    "  \"jobs\": 4,\n",
    "  \"dropped\": {\n    \"no_run\": 3,\n    \"no_procs\": 0,\n    \"too_large\": 1,\n"
    "    \"negative_submit\": 0,\n    \"not_selected\": 0,\n    \"not_started\": 0,\n"
    "    \"not_ended\": 0,\n    \"cancelled\": 0,\n    \"refused\": 0\n  },\n",
    "  \"accounts\": \"accounts.yaml\",\n  \"limits\": \"slurm\",\n",
    ("      \"account\": \"phys\",\n      \"qos\": \"normal\",\n      \"jobs\": 2,\n"
     "      \"mean_wait_s\": 45,\n      \"cpu_hours\": 0.3333333333333333\n"),
    "  \"mean_wait_s\": 42.5,\n",
    "  \"p95_bounded_slowdown\": 8.5,\n",
    "  \"makespan_s\": 300.000001,\n",
    "  \"decision_digest\": \"0123456789abcdef0123456789abcdef\",\n"
  };
  for (gsize i = 0; i < G_N_ELEMENTS (parts); i++)
    g_assert_nonnull (strstr (text, parts[i]));
  g_assert_true (g_str_has_suffix (text, "\n}\n"));
  remove_all (directory);
  remove_all (parent);
}

static void
check_view_row (sqlite3 *db)
{
  sqlite3_stmt *statement = NULL;
  static const char sql[] =
      "SELECT run_id, job_id, user, \"group\", \"partition\", procs, submit_s,"
      " start_s, end_s, wait_s, run_s, estimate_s, bounded_slowdown, state,"
      " backfilled FROM job WHERE job_id = 9";
  g_assert_cmpint (sqlite3_prepare_v2 (db, sql, -1, &statement, NULL), ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_step (statement), ==, SQLITE_ROW);
  g_assert_cmpstr ((const char *)sqlite3_column_text (statement, 0), ==, "f1+easy@01234567");
  static const double expected[] = { 9, 1, -1, -1, 6, 20, 100, 105, 80, 5, 5, 8.5 };
  for (int i = 0; i < (int)G_N_ELEMENTS (expected); i++)
    g_assert_cmpfloat (sqlite3_column_double (statement, i + 1), ==, expected[i]);
  g_assert_cmpstr ((const char *)sqlite3_column_text (statement, 13), ==, "TIMEOUT");
  g_assert_cmpint (sqlite3_column_int (statement, 14), ==, 1);
  g_assert_cmpint (sqlite3_step (statement), ==, SQLITE_DONE);
  sqlite3_finalize (statement);
}

/* Job 7 waited 0 s and held 10 processors for 100 s; job 8 90 s, and 4 for 50 s. */
static void
check_account_waits (const GArray *waits)
{
  g_assert_cmpuint (waits->len, ==, 2);
  const LkAccountWait *first = &g_array_index (waits, LkAccountWait, 0);
  const LkAccountWait *second = &g_array_index (waits, LkAccountWait, 1);
  g_assert_cmpstr (first->account, ==, "a,\"b\"");
  g_assert_cmpstr (first->qos, ==, "");
  g_assert_cmpstr (second->account, ==, "phys");
  g_assert_cmpstr (second->qos, ==, "normal");
  g_assert_cmpuint (second->jobs, ==, 2);
  g_assert_cmpfloat (second->mean_wait_s, ==, 45.0);
  g_assert_cmpfloat (second->cpu_hours, ==, 1200.0 / 3600.0);
}

static void
test_sqlite (void)
{
  g_autofree char *directory = g_dir_make_tmp ("results-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (directory, LK_RESULTS_SQLITE, NULL);
  LkSummary written;
  write_run (&info, directory, &written);
  sqlite3 *db = NULL;
  g_assert_cmpint (sqlite3_open_v2 (path, &db, SQLITE_OPEN_READONLY, NULL), ==, SQLITE_OK);
  check_view_row (db);
  sqlite3_close (db);

  g_autoptr (LkResultsReader) reader = lk_results_reader_new (path, NULL);
  const LkSummary *read = lk_results_reader_summary (reader);
  g_autoptr (GString) a = g_string_new (NULL);
  g_autoptr (GString) b = g_string_new (NULL);
  check_account_waits (read->account_waits);
  /* What belonged to the writer is gone. */
  written.info = info;
  written.account_waits = read->account_waits;
  lk_summary_json (&written, a);
  lk_summary_json (read, b);
  g_assert_cmpstr (a->str, ==, b->str);
  LkResultsStart start;
  static const gint64 ids[] = { 7, 8, 9, 10 };
  for (gsize i = 0; i < G_N_ELEMENTS (ids); i++) {
    g_assert_cmpint (lk_results_reader_next (reader, &start, NULL), ==, 1);
    g_assert_cmpint (start.job_id, ==, ids[i]);
  }
  g_assert_cmpint (start.start_us, ==, 200 * S + 250000);
  g_assert_cmpint (lk_results_reader_next (reader, &start, NULL), ==, 0);
  remove_all (directory);
}

static void
test_no_directory (void)
{
  LkSummary summary;
  write_run (&info, NULL, &summary);
  g_assert_cmpuint (summary.metrics.jobs, ==, 4);
  g_assert_cmpfloat (summary.wall_s, >, 0);
  g_assert_cmpuint (summary.peak_rss_bytes, >, 0);
}

static void
test_abandoned (void)
{
  g_autofree char *parent = g_dir_make_tmp ("results-XXXXXX", NULL);
  g_autofree char *directory = g_build_filename (parent, "out", NULL);
  LkResults *results = lk_results_new (&info, directory, NULL);
  g_assert_true (lk_results_add (results, &jobs[0], NULL));
  lk_results_free (results);
  g_assert_false (g_file_test (directory, G_FILE_TEST_EXISTS));

  LkSummary summary;
  write_run (&info, directory, &summary);
  results = lk_results_new (&info, directory, NULL);
  for (guint i = 0; i < 2000; i++)
    g_assert_true (lk_results_add (results, &jobs[0], NULL));
  lk_results_free (results);
  g_assert_cmpuint (count_files (directory), ==, 3);
  g_autofree char *text = read_text (directory, LK_RESULTS_CSV);
  g_assert_cmpstr (text, ==, csv_expected);
  remove_all (directory);
  remove_all (parent);
}

static void
test_window_error (void)
{
  g_autofree char *directory = g_dir_make_tmp ("results-XXXXXX", NULL);
  LkRunInfo cut = info;
  cut.warmup_us = 1000 * S;
  LkSummary summary;
  g_autoptr (GError) error = NULL;
  LkResults *results = lk_results_new (&cut, directory, NULL);
  g_assert_true (lk_results_add (results, &jobs[0], NULL));
  g_assert_false (lk_results_finish (results, &totals, &summary, &error));
  g_assert_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE);
  lk_results_free (results);
  g_assert_cmpuint (count_files (directory), ==, 0);
  g_assert_cmpint (g_rmdir (directory), ==, 0);
}

static void
test_two_writers (void)
{
  g_autofree char *directory = g_dir_make_tmp ("results-XXXXXX", NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (LkResults) first = lk_results_new (&info, directory, NULL);
  g_assert_null (lk_results_new (&info, directory, &error));
  g_assert_error (error, LK_SIM_ERROR, LK_SIM_ERROR_WRITE);
  g_assert_nonnull (strstr (error->message, "another run"));
  LkSummary summary;
  g_assert_true (lk_results_finish (first, &totals, &summary, NULL));
  remove_all (directory);
}

static void
test_uncreatable (void)
{
  g_autofree char *directory = g_dir_make_tmp ("results-XXXXXX", NULL);
  g_autofree char *deep = g_build_filename (directory, "a", "b", NULL);
  g_autofree char *file = g_build_filename (directory, "file", NULL);
  g_assert_true (g_file_set_contents (file, "x", 1, NULL));
  const char *const bad[] = { deep, file, "/proc/results" };
  for (gsize i = 0; i < G_N_ELEMENTS (bad); i++) {
    g_autoptr (GError) error = NULL;
    g_assert_null (lk_results_new (&info, bad[i], &error));
    g_assert_error (error, LK_SIM_ERROR, LK_SIM_ERROR_WRITE);
    g_assert_nonnull (strstr (error->message, bad[i]));
  }
  remove_all (directory);
}

/* A limit on the size of files stands for a full disk. */
static void
test_disk_full (void)
{
  g_autofree char *directory = g_dir_make_tmp ("results-XXXXXX", NULL);
  struct rlimit old;
  g_assert_cmpint (getrlimit (RLIMIT_FSIZE, &old), ==, 0);
  signal (SIGXFSZ, SIG_IGN);
  for (rlim_t limit_bytes = 20000; limit_bytes < 2000000; limit_bytes *= 3) {
    struct rlimit small = { limit_bytes, old.rlim_max };
    LkSummary summary;
    g_autoptr (GError) error = NULL;
    setrlimit (RLIMIT_FSIZE, &small);
    LkResults *results = lk_results_new (&info, directory, &error);
    gboolean fine = results != NULL;
    for (guint i = 0; fine && i < 100000; i++)
      fine = lk_results_add (results, &jobs[i % 4], &error);
    fine = fine && lk_results_finish (results, &totals, &summary, &error);
    lk_results_free (results);
    setrlimit (RLIMIT_FSIZE, &old);
    g_assert_false (fine);
    g_assert_error (error, LK_SIM_ERROR, LK_SIM_ERROR_WRITE);
    g_assert_nonnull (strstr (error->message, directory));
    g_assert_cmpuint (count_files (directory), ==, 0);
  }
  g_assert_cmpint (g_rmdir (directory), ==, 0);
}

/* The numbers of jobs.csv are rounded half up from the exact quotient. */
static void
test_rounding (void)
{
  static const struct {
    gint64 wait_us;
    gint64 run_us;
    const char *text;
  } cases[] = {
    { 20 * S, 30 * S, ",1.666667," },    { 9999999, 10 * S, ",2.000000," },
    { 9999994, 10 * S, ",1.999999," },   { 0, 1, ",1.000000," },
    { 15 * S, 5 * S, ",2.000000," },     { 9000000000 * S, 3, ",900000000.000000," },
    { 1, 9000000000 * S, ",1.000000," }, { 2000000000 * S, 6000000000 * S, ",1.333333," }
  };
  g_autofree char *directory = g_dir_make_tmp ("results-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (directory, "rounding.csv", NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    LkJobRecord record = { .start_us = cases[i].wait_us,
                           .end_us = cases[i].wait_us + cases[i].run_us,
                           .state = "COMPLETED" };
    LkResultsCsv *csv = lk_results_csv_new (path, NULL);
    g_assert_true (lk_results_csv_add (csv, &record, NULL));
    g_assert_true (lk_results_csv_flush (csv, NULL));
    lk_results_csv_free (csv);
    g_autofree char *text = read_text (directory, "rounding.csv");
    if (strstr (text, cases[i].text) == NULL)
      g_error ("no %s in %s", cases[i].text, text);
  }
  remove_all (directory);
}

/* Each file on its own: one that fails must not rely on the other failing too. */
static void
test_each_disk_full (void)
{
  g_autofree char *directory = g_dir_make_tmp ("results-XXXXXX", NULL);
  g_autofree char *csv_path = g_build_filename (directory, "a.csv", NULL);
  g_autofree char *sqlite_path = g_build_filename (directory, "a.sqlite", NULL);
  g_autoptr (GError) csv_error = NULL;
  g_autoptr (GError) sqlite_error = NULL;
  struct rlimit old;
  getrlimit (RLIMIT_FSIZE, &old);
  struct rlimit small = { 300000, old.rlim_max };
  signal (SIGXFSZ, SIG_IGN);
  LkResultsCsv *csv = lk_results_csv_new (csv_path, NULL);
  LkResultsSqlite *sqlite = lk_results_sqlite_new (sqlite_path, NULL);
  setrlimit (RLIMIT_FSIZE, &small);
  for (guint i = 0; csv_error == NULL && i < 100000; i++)
    lk_results_csv_add (csv, &jobs[0], &csv_error);
  gboolean fine = TRUE;
  for (guint i = 0; fine && i < 1000000; i++)
    fine = lk_results_sqlite_add (sqlite, &jobs[0], &sqlite_error);
  setrlimit (RLIMIT_FSIZE, &old);
  g_assert_error (csv_error, LK_SIM_ERROR, LK_SIM_ERROR_WRITE);
  g_assert_nonnull (strstr (csv_error->message, csv_path));
  g_assert_error (sqlite_error, LK_SIM_ERROR, LK_SIM_ERROR_WRITE);
  g_assert_nonnull (strstr (sqlite_error->message, sqlite_path));
  lk_results_csv_free (csv);
  lk_results_sqlite_free (sqlite);
  remove_all (directory);
}

static void
test_merge (void)
{
  g_autofree char *directory = g_dir_make_tmp ("results-XXXXXX", NULL);
  g_autofree char *source = g_build_filename (directory, LK_RESULTS_SQLITE, NULL);
  g_autofree char *merged = g_build_filename (directory, "merged.sqlite", NULL);
  LkSummary summary;
  write_run (&info, directory, &summary);
  g_autoptr (GError) error = NULL;
  LkResultsSqlite *out = lk_results_sqlite_new (merged, &error);
  for (guint i = 0; i < 3; i++)
    lk_results_sqlite_merge (out, source, &error);
  g_assert_no_error (error);
  g_assert_true (lk_results_sqlite_merge_end (out, &error));
  lk_results_sqlite_free (out);

  sqlite3 *db = NULL;
  sqlite3_stmt *statement = NULL;
  g_assert_cmpint (sqlite3_open (merged, &db), ==, SQLITE_OK);
  static const char sql[] =
      "SELECT run_id, count (*), sum (wait_s) FROM job GROUP BY run_id ORDER BY 1";
  static const char *const run_ids[] = { "f1+easy@01234567", "f1+easy@01234567#2",
                                         "f1+easy@01234567#3" };
  g_assert_cmpint (sqlite3_prepare_v2 (db, sql, -1, &statement, NULL), ==, SQLITE_OK);
  for (gsize i = 0; i < G_N_ELEMENTS (run_ids); i++) {
    g_assert_cmpint (sqlite3_step (statement), ==, SQLITE_ROW);
    g_assert_cmpstr ((const char *)sqlite3_column_text (statement, 0), ==, run_ids[i]);
    g_assert_cmpint (sqlite3_column_int (statement, 1), ==, 4);
    g_assert_cmpfloat (sqlite3_column_double (statement, 2), ==, 170.0);
  }
  g_assert_cmpint (sqlite3_step (statement), ==, SQLITE_DONE);
  sqlite3_finalize (statement);
  sqlite3_close (db);
  remove_all (directory);
}

static void
test_decimal (void)
{
  static const struct {
    gint64 time_us;
    const char *text;
  } cases[] = { { 0, "0" },
                { 1, "0.000001" },
                { -1, "-0.000001" },
                { 1500000, "1.5" },
                { -1000000, "-1" },
                { 100 * S, "100" },
                { 10 * S + 10, "10.00001" },
                { G_MAXINT64, "9223372036854.775807" },
                { G_MININT64, "-9223372036854.775808" } };
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    char text[LK_DECIMAL_MAX_BYTES + 1];
    *lk_decimal_seconds (text, cases[i].time_us) = '\0';
    g_assert_cmpstr (text, ==, cases[i].text);
  }
}

static void
test_json (void)
{
  g_autoptr (GString) text = g_string_new (NULL);
  LkJsonOut json;
  lk_json_out_init (&json, text);
  lk_json_out_object_begin (&json, NULL);
  lk_json_out_text (&json, "a\"b", "tab\t\\ \x01 \xc3\xa9 \xff");
  lk_json_out_text (&json, "none", NULL);
  lk_json_out_real (&json, "tenth", 0.1);
  lk_json_out_real (&json, "third", 1.0 / 3.0);
  lk_json_out_real (&json, "nan", (double)NAN);
  lk_json_out_integer (&json, "low", G_MININT64);
  lk_json_out_count (&json, "high", G_MAXUINT64);
  lk_json_out_array_begin (&json, "list");
  lk_json_out_seconds (&json, NULL, 1500000);
  lk_json_out_array_end (&json);
  lk_json_out_array_begin (&json, "empty");
  lk_json_out_array_end (&json);
  lk_json_out_object_end (&json);
  g_assert_cmpstr (text->str, ==,
                   "{\n  \"a\\\"b\": \"tab\\u0009\\\\ \\u0001 \xc3\xa9 \xef\xbf\xbd\",\n"
                   "  \"none\": null,\n  \"tenth\": 0.1,\n  \"third\": 0.3333333333333333,\n"
                   "  \"nan\": null,\n  \"low\": -9223372036854775808,\n"
                   "  \"high\": 18446744073709551615,\n  \"list\": [\n    1.5\n  ],\n"
                   "  \"empty\": []\n}\n");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/sim/decimal/writes seconds without trailing zeros", test_decimal);
  g_test_add_func ("/sim/json/escapes text and keeps numbers exact", test_json);
  g_test_add_func ("/sim/results/writes jobs.csv as documented under any locale", test_csv);
  g_test_add_func ("/sim/results/has a row for each run and counts the job once", test_runs);
  g_test_add_func ("/sim/results/knows the ids of tasks and components", test_ids);
  g_test_add_func ("/sim/results/makes the directory and writes summary.json", test_summary);
  g_test_add_func ("/sim/results/writes a database that reads back the same", test_sqlite);
  g_test_add_func ("/sim/results/makes a summary without a directory", test_no_directory);
  g_test_add_func ("/sim/results/leaves older results alone when a run is abandoned",
                   test_abandoned);
  g_test_add_func ("/sim/results/leaves nothing when the window is empty", test_window_error);
  g_test_add_func ("/sim/results/keeps two runs out of one directory", test_two_writers);
  g_test_add_func ("/sim/results/names the directory that cannot be written", test_uncreatable);
  g_test_add_func ("/sim/results/leaves nothing when the disk is full", test_disk_full);
  g_test_add_func ("/sim/results/notices each file that cannot be written", test_each_disk_full);
  g_test_add_func ("/sim/results/rounds slowdowns from exact quotients", test_rounding);
  g_test_add_func ("/sim/results/merges runs with equal names under different ones", test_merge);
  return g_test_run ();
}
