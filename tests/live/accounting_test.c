/* tests/live/accounting_test.c — the journal of a controller as it comes out of the store: rows,
 * restarts, journals that were cut or replaced. */
#include <glib/gstdio.h>
#include <sqlite3.h>
#include <string.h>

#include "tests/live/books.h"

/* Rows of a query, "a|b\n" each. Returns: (transfer full). */
static char *
ask (const Books *self, const char *sql)
{
  sqlite3 *db;
  sqlite3_stmt *statement;
  GString *out = g_string_new (NULL);
  g_assert_cmpint (sqlite3_open_v2 (self->database, &db, SQLITE_OPEN_READONLY, NULL), ==,
                   SQLITE_OK);
  g_assert_cmpint (sqlite3_prepare_v2 (db, sql, -1, &statement, NULL), ==, SQLITE_OK);
  while (sqlite3_step (statement) == SQLITE_ROW) {
    for (int i = 0; i < sqlite3_column_count (statement); i++)
      g_string_append_printf (out, "%s%s", i > 0 ? "|" : "",
                              (const char *)sqlite3_column_text (statement, i));
    g_string_append_c (out, '\n');
  }
  sqlite3_finalize (statement);
  sqlite3_close (db);
  return g_string_free (out, FALSE);
}

static void
expect (const Books *self, const char *sql, const char *expected)
{
  g_autofree char *found = ask (self, sql);
  g_assert_cmpstr (found, ==, expected);
}

/* Everything but the kept engine, which is only a short cut. */
static char *
all_rows (const Books *self)
{
  static const char *const queries[] = { "SELECT * FROM jobs ORDER BY job_id, life",
                                         "SELECT * FROM usage", "SELECT * FROM events",
                                         "SELECT * FROM associations", "SELECT * FROM position" };
  GString *all = g_string_new (NULL);
  for (guint i = 0; i < G_N_ELEMENTS (queries); i++) {
    g_autofree char *rows = ask (self, queries[i]);
    g_string_append (all, rows);
  }
  return g_string_free (all, FALSE);
}

static void
test_rows (void)
{
  g_auto (Books) books = { NULL };
  books_init (&books);
  books_play (&books);
  books_write_journal (&books, G_MAXSIZE);
  books_follow_once (&books);
  expect (&books,
          "SELECT job_id, array_job_id, array_task, name, user_id, partition, state, run_id, nodes,"
          " cpus, node_list, exit_code, is_user_ended, ender_id, end_us > 0 FROM jobs"
          " ORDER BY job_id",
          "1|0|-1|good|1001|main|2|1|1|1|n1|0|0|0|1\n"
          "2|0|-1|bad|1001|main|3|2|2|4|n[2-3]|2|0|0|1\n"
          "3|0|-1|never|1001|main|5|0|0|0||0|1|1001|1\n"
          "4|0|-1|long|1001|main|1|3|1|1|n1|0|0|0|0\n"
          "5|5|1|many|1001|main|1|5|1|1|n3|0|0|0|0\n"
          "6|5|0|many|1001|main|1|4|1|1|n2|0|0|0|0\n");
  expect (&books,
          "SELECT (end_us - start_us) / 1000000, batch_cpus, limit_us, work_dir FROM jobs "
          "WHERE job_id <= 2",
          "10|1|300000000|/users/ada\n10|2|300000000|/users/ada\n");
  expect (&books, "SELECT submit_line FROM jobs WHERE job_id >= 5",
          "sbatch -J many -n1 -t5 -a 0-1 --wrap true\nsbatch -J many -n1 -t5 -a 0-1 --wrap true\n");
  expect (&books, "SELECT * FROM usage",
          "1|1|0|1500000|250000|4096|0|0\n2|2|1|1500001|250000|8192|1048576|40\n"
          "2|2|2|1500002|250000|12288|2097152|80\n");
  expect (&books, "SELECT kind, subject, detail, user_id FROM events WHERE kind = 'node_drain'",
          "node_drain|n3|fan|990\n");
  expect (&books, "SELECT SUM(cpu_s) FROM usage_by_hour", "50\n");
}

static void
test_requeue (void)
{
  g_auto (Books) books = { NULL };
  books_init (&books);
  client_site_run (books.site, "sbatch -J twice -n1 -t5 --requeue --wrap true");
  control_wait_beating (books.site->control, 5 * CONTROL_SECOND_US, 7);
  control_order (books.site->control, 600, LK_EVENT_REQUEUE, 1);
  books_end_run (&books, 0, 1, 1, 0);
  control_wait_beating (books.site->control, 300 * CONTROL_SECOND_US, 7);
  books_write_journal (&books, G_MAXSIZE);
  books_follow_once (&books);
  expect (&books, "SELECT life, state, run_id, end_us > 0, restarts, submit_line FROM jobs",
          "0|7|1|1|0|sbatch -J twice -n1 -t5 --requeue --wrap true\n"
          "1|1|2|0|1|sbatch -J twice -n1 -t5 --requeue --wrap true\n");
  /* It comes back held: that is so of what waits, and not of the run that has been. */
  client_site_run (books.site, "scontrol requeuehold 1");
  books_end_run (&books, 0, 2, 1, 0);
  control_wait_beating (books.site->control, 5 * CONTROL_SECOND_US, 7);
  books_write_journal (&books, G_MAXSIZE);
  books_follow_once (&books);
  expect (&books, "SELECT life, state, eligible_us > 0 FROM jobs", "0|7|1\n1|7|1\n2|0|0\n");
}

/* However often it is read on, and from where: the rows are those of one reading. */
static void
test_pieces (void)
{
  g_auto (Books) books = { NULL };
  books_init (&books);
  books_play (&books);
  books_write_journal (&books, G_MAXSIZE);
  books_follow_once (&books);
  g_autofree char *whole = all_rows (&books);
  gsize length = control_file (books.site->control, LK_CONTROLLER_JOURNAL)->len;
  g_unlink (books.database);
  g_autoptr (LkFollow) stays = NULL;
  for (gsize at = 1; at < length; at += length / 13) {
    books_write_journal (&books, at);
    books_follow_once (&books);
  }
  books_write_journal (&books, G_MAXSIZE);
  books_follow_once (&books);
  g_autofree char *pieces = all_rows (&books);
  g_assert_cmpstr (pieces, ==, whole);
  g_unlink (books.database);
  stays = books_follow (&books);
  for (gsize at = 1; at < length; at += length / 13) {
    books_write_journal (&books, at);
    books_catch_up (stays);
  }
  /* Somebody takes the file away. */
  g_unlink (books.database);
  books_write_journal (&books, G_MAXSIZE);
  books_catch_up (stays);
  g_autofree char *again = all_rows (&books);
  g_assert_cmpstr (again, ==, whole);
}

/* The engine is kept; who comes back goes on from there. */
static void
test_engine_kept (void)
{
  g_auto (Books) books = { NULL };
  g_autoptr (GError) error = NULL;
  books_init (&books);
  client_site_run (books.site, "sbatch -J first -n1 -t5 --wrap true");
  control_wait_beating (books.site->control, 5 * CONTROL_SECOND_US, 7);
  books_write_journal (&books, G_MAXSIZE);
  {
    g_autoptr (LkAccountingStore) store = lk_accounting_store_new (books.database, &error);
    g_autoptr (LkAccountingProjection) projection =
        lk_accounting_projection_new (store, NULL, &error);
    const GByteArray *bytes = control_file (books.site->control, LK_CONTROLLER_JOURNAL);
    LkJournalState state;
    for (guint i = 0; i < 2; i++) {
      guint64 at = lk_accounting_projection_offset (projection);
      g_assert_true (lk_accounting_projection_take (projection, bytes->data + at, bytes->len - at,
                                                    &state, &error));
    }
    g_assert_true (lk_accounting_projection_keep (projection, 1, &error));
  }
  expect (&books, "SELECT seq = (SELECT seq FROM position) FROM engine", "1\n");
  books_end_run (&books, 0, 1, 1, 0);
  client_site_run (books.site, "sbatch -J second -n1 -t5 --wrap true");
  control_wait_beating (books.site->control, 5 * CONTROL_SECOND_US, 7);
  books_write_journal (&books, G_MAXSIZE);
  books_follow_once (&books);
  expect (&books, "SELECT job_id, name, state, run_id FROM jobs ORDER BY job_id",
          "1|first|2|1\n2|second|1|2\n");
}

/* The journal was cut behind a power failure, and went on otherwise; or it is another one. */
static void
test_other_journal (void)
{
  g_auto (Books) books = { NULL };
  g_auto (Books) others = { NULL };
  books_init (&books);
  books_init (&others);
  books_play (&books);
  client_site_run (others.site, "sbatch -J other -n2 -t5 --wrap true");
  control_wait_beating (others.site->control, 5 * CONTROL_SECOND_US, 7);
  books_write_journal (&books, G_MAXSIZE);
  books_follow_once (&books);
  const GByteArray *shorter = control_file (others.site->control, LK_CONTROLLER_JOURNAL);
  g_assert_true (
      g_file_set_contents (books.journal, (const char *)shorter->data, shorter->len, NULL));
  books_follow_once (&books);
  expect (&books, "SELECT job_id, name FROM jobs", "1|other\n");
  books_write_journal (&books, G_MAXSIZE);
  books_follow_once (&books);
  expect (&books, "SELECT COUNT(*) FROM jobs", "6\n");
}

static void
test_damage (void)
{
  g_auto (Books) books = { NULL };
  g_autoptr (GError) error = NULL;
  books_init (&books);
  books_play (&books);
  const GByteArray *bytes = control_file (books.site->control, LK_CONTROLLER_JOURNAL);
  g_autofree char *copy = g_memdup2 (bytes->data, bytes->len);
  copy[bytes->len / 2] ^= 1;
  g_assert_true (g_file_set_contents (books.journal, copy, bytes->len, NULL));
  {
    g_autoptr (LkFollow) follow = books_follow (&books);
    g_assert_false (lk_follow_catch_up (follow, &error));
    g_assert_error (error, LK_ACCOUNTING_ERROR, LK_ACCOUNTING_ERROR_JOURNAL);
    g_clear_error (&error);
    /* One writes. */
    LkFollowOptions options = { .journal = books.journal, .database = books.database };
    g_assert_null (lk_follow_new (&options, &error));
    g_assert_error (error, LK_ACCOUNTING_ERROR, LK_ACCOUNTING_ERROR_STORE);
    g_clear_error (&error);
  }
  /* Of another format. */
  copy[bytes->len / 2] ^= 1;
  copy[17] ^= 1;
  g_assert_true (g_file_set_contents (books.journal, copy, bytes->len, NULL));
  {
    g_autoptr (LkFollow) follow = books_follow (&books);
    g_assert_false (lk_follow_catch_up (follow, &error));
    g_assert_error (error, LK_ACCOUNTING_ERROR, LK_ACCOUNTING_ERROR_JOURNAL);
    g_clear_error (&error);
  }
  g_assert_true (g_file_set_contents (books.journal, "no journal at all", -1, NULL));
  g_autoptr (LkFollow) follow = books_follow (&books);
  g_assert_false (lk_follow_catch_up (follow, &error));
  g_assert_error (error, LK_ACCOUNTING_ERROR, LK_ACCOUNTING_ERROR_JOURNAL);
}

static void
test_page (void)
{
  g_autofree char *path = g_build_filename (LK_SOURCE_DIR, "docs", "accounting.md", NULL);
  g_autofree char *page = NULL;
  g_autoptr (GString) table = g_string_new (NULL);
  lk_accounting_markdown (table);
  g_assert_true (g_file_get_contents (path, &page, NULL, NULL));
  if (strstr (page, table->str) == NULL)
    g_test_message ("%s", table->str);
  g_assert_nonnull (strstr (page, table->str));
  g_string_truncate (table, 0);
  lk_accounting_steps_markdown (table);
  if (strstr (page, table->str) == NULL)
    g_test_message ("%s", table->str);
  g_assert_nonnull (strstr (page, table->str));
}

int
main (int argc, char **argv)
{
  g_setenv ("TZ", "UTC", TRUE);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/accounting/each run of a job is a row", test_rows);
  g_test_add_func ("/accounting/a requeue begins another row", test_requeue);
  g_test_add_func ("/accounting/pieces of the journal give the rows of the whole", test_pieces);
  g_test_add_func ("/accounting/who comes back goes on from the engine that was kept",
                   test_engine_kept);
  g_test_add_func ("/accounting/another journal makes it anew", test_other_journal);
  g_test_add_func ("/accounting/damage is told, and one writes", test_damage);
  g_test_add_func ("/accounting/the page has all columns", test_page);
  return g_test_run ();
}
