/* sim/page/page_load.c — see the header. */
#include "sim/page/page_load.h"

#include <string.h>

#include "sim/error.h"
#include "sim/page/page_accounting.h"
#include "sim/page/page_journal.h"
#include "sim/page/page_results.h"
#include "sim/results.h"

static void
run_free (gpointer run)
{
  lk_page_run_free (run);
}

static gboolean
has_table (sqlite3 *db, const char *name)
{
  sqlite3_stmt *statement = NULL;
  gboolean has =
      sqlite3_prepare_v2 (db, "SELECT 1 FROM sqlite_master WHERE name = ?", -1, &statement, NULL)
          == SQLITE_OK
      && sqlite3_bind_text (statement, 1, name, -1, SQLITE_STATIC) == SQLITE_OK
      && sqlite3_step (statement) == SQLITE_ROW;
  sqlite3_finalize (statement);
  return has;
}

static gboolean
load_database (sqlite3 *db, const char *source, const char *directory, GPtrArray *runs,
               GError **error)
{
  if (has_table (db, "job_record"))
    return lk_page_results_load (db, source, directory, runs, error);
  if (has_table (db, "jobs") && has_table (db, "position")) {
    LkPageRun *run = lk_page_accounting_load (db, source, error);
    if (run != NULL)
      g_ptr_array_add (runs, run);
    return run != NULL;
  }
  g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_FORMAT,
               "'%s' is neither results of lockstep sim nor accounting of a cluster%s%s", source,
               sqlite3_errcode (db) == SQLITE_NOTADB ? ": " : "",
               sqlite3_errcode (db) == SQLITE_NOTADB ? sqlite3_errmsg (db) : "");
  return FALSE;
}

static gboolean
load_file (const char *path, const char *source, const char *directory, GPtrArray *runs,
           GError **error)
{
  sqlite3 *db = NULL;
  gboolean fine = FALSE;
  if (sqlite3_open_v2 (path, &db, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK)
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_READ, "cannot open '%s': %s", path,
                 sqlite3_errmsg (db));
  else {
    sqlite3_busy_timeout (db, 10000); /* a live cluster writes beside us */
    /* What is read is of one moment, whatever is written meanwhile. */
    sqlite3_exec (db, "BEGIN", NULL, NULL, NULL);
    fine = load_database (db, source, directory, runs, error);
  }
  sqlite3_close (db);
  return fine;
}

/* The summary is the last file of a run to appear, and has to be of the same run. */
static gboolean
check_summary (const LkPageRun *run, const char *directory, GError **error)
{
  g_autofree char *path = g_build_filename (directory, LK_RESULTS_SUMMARY, NULL);
  g_autofree char *text = NULL;
  if (!g_file_get_contents (path, &text, NULL, error)) {
    g_prefix_error (error, "'%s' holds no complete results: ", directory);
    return FALSE;
  }
  g_autofree char *digest = g_strdup_printf ("\"%s\"", run->digest);
  if (strstr (text, digest) != NULL)
    return TRUE;
  g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_FORMAT,
               "'%s' holds no complete results: %s and %s are of different runs", directory,
               LK_RESULTS_SUMMARY, LK_RESULTS_SQLITE);
  return FALSE;
}

static gboolean
load_directory (const char *directory, const LkPageInputs *inputs, GPtrArray *runs, GError **error)
{
  LkPageJournal seen;
  g_autofree char *path = g_build_filename (directory, LK_RESULTS_SQLITE, NULL);
  g_autofree char *journal = g_build_filename (directory, LK_PAGE_RUN_JOURNAL, NULL);
  guint before = runs->len;
  if (!g_file_test (path, G_FILE_TEST_EXISTS)) {
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_FORMAT,
                 "'%s' holds no complete results: it has no %s", directory, LK_RESULTS_SQLITE);
    return FALSE;
  }
  if (!load_file (path, directory, directory, runs, error))
    return FALSE;
  if (runs->len == before) {
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_FORMAT, "'%s' holds no run", path);
    return FALSE;
  }
  LkPageRun *run = g_ptr_array_index (runs, before);
  if (!check_summary (run, directory, error))
    return FALSE;
  /* Another run's, or one that is being written, is not meant. */
  if (!g_file_test (journal, G_FILE_TEST_EXISTS) || !lk_page_journal_look (journal, &seen, NULL)
      || strcmp (seen.digest, run->digest) != 0)
    return TRUE;
  return lk_page_journal_read (run, journal, &seen, inputs->plugins, error);
}

/* ---------------------------------------------------------------- journals */

static LkPageRun *
find_run (const GPtrArray *runs, const LkPageJournal *seen)
{
  LkPageRun *live = NULL;
  guint live_count = 0;
  for (guint i = 0; i < runs->len; i++) {
    LkPageRun *run = g_ptr_array_index (runs, i);
    if (!run->is_live && strcmp (run->digest, seen->digest) == 0)
      return run;
    if (run->is_live) {
      live = run;
      live_count++;
    }
  }
  return live_count == 1 ? live : NULL;
}

static gboolean
load_journal (const char *path, const LkPageInputs *inputs, const GPtrArray *runs, GError **error)
{
  LkPageJournal seen;
  if (!lk_page_journal_look (path, &seen, error))
    return FALSE;
  LkPageRun *run = find_run (runs, &seen);
  if (run == NULL) {
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_RUN,
                 "journal '%s' is of none of these runs: its decisions have the digest %s", path,
                 seen.digest);
    return FALSE;
  }
  return lk_page_journal_read (run, path, &seen, inputs->plugins, error);
}

GPtrArray *
lk_page_load (const LkPageInputs *inputs, GError **error)
{
  g_autoptr (GPtrArray) runs = g_ptr_array_new_with_free_func (run_free);
  for (guint i = 0; inputs->paths[i] != NULL; i++) {
    const char *path = inputs->paths[i];
    gboolean fine = g_file_test (path, G_FILE_TEST_IS_DIR)
                        ? load_directory (path, inputs, runs, error)
                        : load_file (path, path, NULL, runs, error);
    if (!fine)
      return NULL;
  }
  if (runs->len > LK_PAGE_RUNS_MAX) {
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE,
                 "there are %u runs; a page shows at most %u", runs->len, LK_PAGE_RUNS_MAX);
    return NULL;
  }
  for (guint i = 0; inputs->journals != NULL && inputs->journals[i] != NULL; i++)
    if (!load_journal (inputs->journals[i], inputs, runs, error))
      return NULL;
  return g_steal_pointer (&runs);
}
