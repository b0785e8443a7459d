/* sim/page/page_results.c — see the header. */
#include "sim/page/page_results.h"

#include "sim/error.h"
#include "sim/page/page_beside.h"

static const struct {
  const char *column;
  double factor;
} metrics[LK_PAGE_METRIC_COUNT] = {
#define X(NAME, column, text, unit, better, factor) { column, factor },
  LK_PAGE_METRICS (X)
#undef X
};

static gboolean
fail (sqlite3 *db, const char *source, GError **error)
{
  g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_FORMAT,
               "'%s' cannot be read as the results of a simulation: %s", source,
               sqlite3_errmsg (db));
  return FALSE;
}

static const char *
text_at (sqlite3_stmt *statement, int at)
{
  const char *text = (const char *)sqlite3_column_text (statement, at);
  return text != NULL ? text : "";
}

static char *
policies_text (sqlite3_stmt *statement, int at)
{
  GString *out = g_string_new (NULL);
  static const char *const words[] = { "order", "backfill", "select" };
  for (int i = 0; i < (int)G_N_ELEMENTS (words); i++)
    g_string_append_printf (out, "%s%s %s", i > 0 ? ", " : "", words[i],
                            text_at (statement, at + i));
  return g_string_free (out, FALSE);
}

/* The columns before the metrics. */
enum {
  RUN_KEY,
  RUN_ID,
  DIGEST,
  TRACE,
  CLUSTER,
  PROCS,
  UNIX_START,
  ORDER,
  WINDOW_BEGIN = ORDER + 3,
  WINDOW_END,
  FACTS,
  METRICS = FACTS + LK_RUN_ASPECT_COUNT
};

static LkPageRun *
read_run (sqlite3_stmt *statement, const char *source)
{
  LkPageRun *run = lk_page_run_new (source);
  run->run_id = g_strdup (text_at (statement, RUN_ID));
  run->digest = g_strdup (text_at (statement, DIGEST));
  run->trace = g_strdup (text_at (statement, TRACE));
  run->machine = g_strdup (text_at (statement, CLUSTER));
  run->procs = (guint64)sqlite3_column_int64 (statement, PROCS);
  run->unix_start_us = sqlite3_column_int64 (statement, UNIX_START) * G_USEC_PER_SEC;
  run->policies = policies_text (statement, ORDER);
  run->window_begin_us = (gint64)(sqlite3_column_double (statement, WINDOW_BEGIN) * 1e6);
  run->window_end_us = (gint64)(sqlite3_column_double (statement, WINDOW_END) * 1e6);
  for (int i = 0; i < LK_RUN_ASPECT_COUNT; i++)
    run->facts[i] = g_strdup (text_at (statement, FACTS + i));
  for (int i = 0; i < LK_PAGE_METRIC_COUNT; i++) {
    if (sqlite3_column_type (statement, METRICS + i) != SQLITE_NULL)
      run->metrics[i] = sqlite3_column_double (statement, METRICS + i) * metrics[i].factor;
  }
  return run;
}

static guint32
add_number (LkPageRun *run, sqlite3_stmt *statement, int at)
{
  return sqlite3_column_int64 (statement, at) > 0
             ? lk_page_names_add (&run->names, text_at (statement, at))
             : LK_PAGE_NONE;
}

static void
read_job (LkPageRun *run, sqlite3_stmt *statement)
{
  LkPageJob job = {
    .number = sqlite3_column_int64 (statement, 0),
    .user_number = sqlite3_column_int64 (statement, 1),
    .id = sqlite3_column_type (statement, 0) == SQLITE_TEXT
              ? lk_page_names_add (&run->names, text_at (statement, 0))
              : LK_PAGE_NONE,
    .title = LK_PAGE_NONE,
    .fields = { [LK_PAGE_USER] = add_number (run, statement, 1),
                [LK_PAGE_PARTITION] = add_number (run, statement, 2),
                [LK_PAGE_ACCOUNT] = lk_page_names_add (&run->names, text_at (statement, 10)),
                [LK_PAGE_QOS] = lk_page_names_add (&run->names, text_at (statement, 11)) },
    .procs = (guint32)sqlite3_column_int64 (statement, 3),
    .submit_us = sqlite3_column_int64 (statement, 4),
    .start_us = sqlite3_column_int64 (statement, 5),
    .end_us = sqlite3_column_int64 (statement, 6),
    .limit_us = sqlite3_column_int64 (statement, 7),
    .state = lk_page_names_add (&run->names, text_at (statement, 8)),
    .is_backfilled = sqlite3_column_int (statement, 9) != 0,
    .is_requeued = sqlite3_column_int (statement, 12) != 0,
  };
  g_array_append_val (run->jobs, job);
}

static gboolean
read_jobs (sqlite3 *db, gint64 run_key, LkPageRun *run, GError **error)
{
  static const char select[] =
      "SELECT job_id, user_id, partition_id, procs, submit_us, start_us, end_us, estimate_us,"
      " state, backfilled, account, qos, requeued FROM job_record WHERE run_key = ? ORDER BY rowid";
  sqlite3_stmt *statement = NULL;
  if (sqlite3_prepare_v2 (db, select, -1, &statement, NULL) != SQLITE_OK)
    return fail (db, run->source, error);
  sqlite3_bind_int64 (statement, 1, run_key);
  int status;
  while ((status = sqlite3_step (statement)) == SQLITE_ROW)
    read_job (run, statement);
  sqlite3_finalize (statement);
  return status == SQLITE_DONE || fail (db, run->source, error);
}

static gboolean
load_run (sqlite3 *db, gint64 run_key, const char *directory, LkPageRun *run, GError **error)
{
  if (!read_jobs (db, run_key, run, error))
    return FALSE;
  if (directory != NULL && !lk_page_beside_load (run, directory, error))
    return FALSE;
  lk_page_run_settle (run);
  return TRUE;
}

gboolean
lk_page_results_load (sqlite3 *db, const char *source, const char *directory, GPtrArray *runs,
                      GError **error)
{
  g_autoptr (GString) sql =
      g_string_new ("SELECT run_key, run_id, decision_digest, trace, cluster, procs, unix_start_s,"
                    " order_policy, backfill_policy, select_policy, window_begin_s, window_end_s");
  for (guint i = 0; i < LK_RUN_ASPECT_COUNT; i++)
    g_string_append_printf (sql, ", %s", lk_run_aspect_column ((LkRunAspect)i));
  for (guint i = 0; i < LK_PAGE_METRIC_COUNT; i++)
    g_string_append_printf (sql, ", %s", metrics[i].column);
  g_string_append (sql, " FROM run ORDER BY run_key");
  sqlite3_stmt *statement = NULL;
  if (sqlite3_prepare_v2 (db, sql->str, -1, &statement, NULL) != SQLITE_OK)
    return fail (db, source, error);
  gboolean fine = TRUE;
  int status = SQLITE_DONE;
  while (fine && (status = sqlite3_step (statement)) == SQLITE_ROW) {
    LkPageRun *run = read_run (statement, source);
    g_ptr_array_add (runs, run);
    fine = load_run (db, sqlite3_column_int64 (statement, RUN_KEY), directory, run, error);
  }
  sqlite3_finalize (statement);
  return fine && (status == SQLITE_DONE || fail (db, source, error));
}
