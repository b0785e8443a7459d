/* sim/results_sqlite.c — see results_sqlite.h.
 *
 * The file is written once, in one transaction, and is thrown away on any error; so it needs no
 * rollback journal and no syncing.  Indexes are made when all rows are in.  The page cache is
 * bounded, so memory does not depend on the log. */
#include "sim/results_sqlite.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <math.h>
#include <sqlite3.h>
#include <string.h>

#include "engine/assert.h"
#include "sim/error.h"

#define SCHEMA_VERSION "6"

static const char open_sql[] =
    "PRAGMA page_size = 16384; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;"
    "PRAGMA locking_mode = EXCLUSIVE; PRAGMA cache_size = -8192; PRAGMA temp_store = FILE;"
    "PRAGMA user_version = " SCHEMA_VERSION ";";

/* run_key costs a byte a row where the text of run_id would cost thirty.  A job_id that is no
 * number ("123_4") is kept as text. */
static const char job_sql[] =
    "CREATE TABLE job_record (run_key INTEGER NOT NULL REFERENCES run, job_id INTEGER NOT NULL,"
    " user_id INTEGER, group_id INTEGER, partition_id INTEGER, procs INTEGER NOT NULL,"
    " submit_us INTEGER NOT NULL, start_us INTEGER NOT NULL, end_us INTEGER NOT NULL,"
    " estimate_us INTEGER NOT NULL, state TEXT NOT NULL, backfilled INTEGER NOT NULL,"
    " account TEXT NOT NULL, qos TEXT NOT NULL, requeued INTEGER NOT NULL);"
    "CREATE VIEW job_run AS SELECT r.run_id AS run_id, j.job_id AS job_id, j.user_id AS user,"
    " j.group_id AS \"group\", j.partition_id AS \"partition\", j.procs AS procs,"
    " j.submit_us / 1e6 AS submit_s, j.start_us / 1e6 AS start_s, j.end_us / 1e6 AS end_s,"
    " (j.start_us - j.submit_us) / 1e6 AS wait_s, (j.end_us - j.start_us) / 1e6 AS run_s,"
    " j.estimate_us / 1e6 AS estimate_s,"
    " max (1.0, 1.0 * (j.end_us - j.submit_us) / max (j.end_us - j.start_us, 10000000))"
    " AS bounded_slowdown, j.state AS state, j.backfilled AS backfilled, j.account AS account,"
    " j.qos AS qos, j.requeued AS requeued"
    " FROM job_record AS j JOIN run AS r ON r.run_key = j.run_key;"
    "CREATE VIEW job AS SELECT run_id, job_id, user, \"group\", \"partition\", procs, submit_s,"
    " start_s, end_s, wait_s, run_s, estimate_s, bounded_slowdown, state, backfilled, account, qos"
    " FROM job_run WHERE requeued = 0;";

static const char index_sql[] = "CREATE INDEX job_record_by_job ON job_record (run_key, job_id);"
                                "CREATE UNIQUE INDEX run_by_run_id ON run (run_id);";

struct _LkResultsSqlite {
  char *path;
  sqlite3 *db;
  sqlite3_stmt *insert_job;
};

static gboolean
fail (sqlite3 *db, const char *path, GError **error)
{
  g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_WRITE, "cannot write '%s': %s", path,
               sqlite3_errmsg (db));
  return FALSE;
}

static gboolean
execute (LkResultsSqlite *self, const char *sql, GError **error)
{
  if (sqlite3_exec (self->db, sql, NULL, NULL, NULL) != SQLITE_OK)
    return fail (self->db, self->path, error);
  return TRUE;
}

static const char *
column_type (LkSummaryFieldType type)
{
  switch (type) {
  case LK_FIELD_COUNT:
    return "INTEGER";
  case LK_FIELD_REAL:
  case LK_FIELD_SECONDS:
    return "REAL";
  default:
    return "TEXT";
  }
}

static void
append_run_columns (GString *sql)
{
  guint count;
  const LkSummaryField *fields = lk_summary_fields (&count);
  for (guint i = 0; i < count; i++)
    g_string_append_printf (sql, "%s%s", i > 0 ? ", " : "", fields[i].column);
}

static gboolean
create_tables (LkResultsSqlite *self, GError **error)
{
  guint count;
  const LkSummaryField *fields = lk_summary_fields (&count);
  g_autoptr (GString) sql = g_string_new ("CREATE TABLE run (run_key INTEGER PRIMARY KEY");
  for (guint i = 0; i < count; i++)
    g_string_append_printf (sql, ", %s %s", fields[i].column, column_type (fields[i].type));
  g_string_append (sql, ");");
  g_string_append (sql, job_sql);
  return execute (self, sql->str, error);
}

LkResultsSqlite *
lk_results_sqlite_new (const char *path, GError **error)
{
  if (g_unlink (path) != 0 && errno != ENOENT) {
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_WRITE, "cannot replace '%s': %s", path,
                 g_strerror (errno));
    return NULL;
  }
  g_autoptr (LkResultsSqlite) self = g_new0 (LkResultsSqlite, 1);
  self->path = g_strdup (path);
  int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
  static const char insert[] =
      "INSERT INTO job_record VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
  if (sqlite3_open_v2 (path, &self->db, flags, NULL) != SQLITE_OK) {
    fail (self->db, path, error);
    return NULL;
  }
  if (!execute (self, open_sql, error) || !execute (self, "BEGIN", error)
      || !create_tables (self, error))
    return NULL;
  if (sqlite3_prepare_v2 (self->db, insert, -1, &self->insert_job, NULL) != SQLITE_OK) {
    fail (self->db, path, error);
    return NULL;
  }
  return g_steal_pointer (&self);
}

void
lk_results_sqlite_free (LkResultsSqlite *self)
{
  if (self == NULL)
    return;
  sqlite3_finalize (self->insert_job);
  sqlite3_close (self->db);
  g_free (self->path);
  g_free (self);
}

gboolean
lk_results_sqlite_add (LkResultsSqlite *self, const LkJobRecord *record, GError **error)
{
  sqlite3_stmt *insert = self->insert_job;
  if (record->name != NULL)
    sqlite3_bind_text (insert, 1, record->name, -1, SQLITE_STATIC);
  else
    sqlite3_bind_int64 (insert, 1, record->job_id);
  sqlite3_bind_int64 (insert, 2, record->user);
  sqlite3_bind_int64 (insert, 3, record->group);
  sqlite3_bind_int64 (insert, 4, record->partition);
  sqlite3_bind_int64 (insert, 5, record->procs);
  sqlite3_bind_int64 (insert, 6, record->submit_us);
  sqlite3_bind_int64 (insert, 7, record->start_us);
  sqlite3_bind_int64 (insert, 8, record->end_us);
  sqlite3_bind_int64 (insert, 9, record->estimate_us);
  sqlite3_bind_text (insert, 10, record->state, -1, SQLITE_STATIC);
  sqlite3_bind_int (insert, 11, record->backfilled ? 1 : 0);
  sqlite3_bind_text (insert, 12, record->account != NULL ? record->account : "", -1, SQLITE_STATIC);
  sqlite3_bind_text (insert, 13, record->qos != NULL ? record->qos : "", -1, SQLITE_STATIC);
  sqlite3_bind_int (insert, 14, record->requeued ? 1 : 0);
  int status = sqlite3_step (insert);
  if (status != SQLITE_DONE || sqlite3_reset (insert) != SQLITE_OK)
    return fail (self->db, self->path, error);
  return TRUE;
}

gboolean
lk_results_sqlite_index (LkResultsSqlite *self, GError **error)
{
  return execute (self, index_sql, error);
}

static void
bind_field (sqlite3_stmt *statement, int at, const LkSummary *summary, const LkSummaryField *field)
{
  const char *place = (const char *)summary + field->offset;
  switch (field->type) {
  case LK_FIELD_TEXT:
    sqlite3_bind_text (statement, at, *(const char *const *)(const void *)place, -1, SQLITE_STATIC);
    break;
  case LK_FIELD_CHARS:
    sqlite3_bind_text (statement, at, place, -1, SQLITE_STATIC);
    break;
  case LK_FIELD_COUNT:
    /* SQLite's integers are signed; a seed above them keeps its bits. */
    sqlite3_bind_int64 (statement, at, (gint64) * (const guint64 *)(const void *)place);
    break;
  case LK_FIELD_REAL:
    sqlite3_bind_double (statement, at, *(const double *)(const void *)place);
    break;
  case LK_FIELD_SECONDS:
    sqlite3_bind_double (statement, at, (double)*(const gint64 *)(const void *)place / 1e6);
    break;
  default:
    g_assert_not_reached ();
  }
}

gboolean
lk_results_sqlite_commit (LkResultsSqlite *self, const LkSummary *summary, GError **error)
{
  guint count;
  const LkSummaryField *fields = lk_summary_fields (&count);
  g_autoptr (GString) sql = g_string_new ("INSERT INTO run VALUES (1");
  for (guint i = 0; i < count; i++)
    g_string_append (sql, ", ?");
  g_string_append_c (sql, ')');
  sqlite3_stmt *insert = NULL;
  if (sqlite3_prepare_v2 (self->db, sql->str, -1, &insert, NULL) != SQLITE_OK)
    return fail (self->db, self->path, error);
  for (guint i = 0; i < count; i++)
    bind_field (insert, (int)i + 1, summary, &fields[i]);
  int status = sqlite3_step (insert);
  gboolean fine = status == SQLITE_DONE || fail (self->db, self->path, error);
  sqlite3_finalize (insert);
  return fine && execute (self, "COMMIT", error);
}

/* ---------------------------------------------------------------- merging */

static gboolean
attach (LkResultsSqlite *self, const char *path, GError **error)
{
  sqlite3_stmt *statement = NULL;
  sqlite3_prepare_v2 (self->db, "ATTACH ? AS source", -1, &statement, NULL);
  sqlite3_bind_text (statement, 1, path, -1, SQLITE_STATIC);
  gboolean fine = sqlite3_step (statement) == SQLITE_DONE;
  if (!fine)
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_READ, "cannot open '%s': %s", path,
                 sqlite3_errmsg (self->db));
  sqlite3_finalize (statement);
  return fine;
}

/* run_key of the source is shifted behind those already there; `#n` counts how often the run_id
 * has been seen. */
static char *
merge_sql (void)
{
  g_autoptr (GString) columns = g_string_new (NULL);
  append_run_columns (columns);
  LK_ASSERT (g_str_has_prefix (columns->str, "run_id, "));
  const char *others = columns->str + strlen ("run_id, ");
  return g_strdup_printf (
      "CREATE TEMP TABLE shift AS SELECT coalesce (max (run_key), 0) AS by FROM main.run;"
      "INSERT INTO main.run (run_key, run_id, %s)"
      " SELECT run_key + (SELECT by FROM shift), run_id || (SELECT CASE count (*) WHEN 0 THEN ''"
      "  ELSE '#' || (count (*) + 1) END FROM main.run AS m"
      "  WHERE m.run_id = s.run_id"
      "  OR substr (m.run_id, 1, length (s.run_id) + 1) = s.run_id || '#'), %s FROM source.run AS "
      "s;"
      "INSERT INTO main.job_record SELECT run_key + (SELECT by FROM shift), job_id, user_id,"
      " group_id, partition_id, procs, submit_us, start_us, end_us, estimate_us, state, backfilled,"
      " account, qos, requeued FROM source.job_record;"
      "DROP TABLE shift;",
      others, others);
}

gboolean
lk_results_sqlite_merge (LkResultsSqlite *self, const char *path, GError **error)
{
  g_autofree char *sql = merge_sql ();
  /* ATTACH and DETACH work only between transactions. */
  return execute (self, "COMMIT", error) && attach (self, path, error)
         && execute (self, "BEGIN", error) && execute (self, sql, error)
         && execute (self, "COMMIT; DETACH source; BEGIN", error);
}

gboolean
lk_results_sqlite_merge_end (LkResultsSqlite *self, GError **error)
{
  return lk_results_sqlite_index (self, error) && execute (self, "COMMIT", error);
}

/* ---------------------------------------------------------------- reading */

struct _LkResultsReader {
  char *path;
  sqlite3 *db;
  sqlite3_stmt *jobs; /* NULL until the first is asked for */
  LkSummary summary;
  GArray *account_waits;
  GStringChunk *texts;
};

static void
set_read_error (const LkResultsReader *self, const char *what, GError **error)
{
  g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_FORMAT, "'%s' holds no complete results: %s",
               self->path, what);
}

static void
read_field (LkResultsReader *self, sqlite3_stmt *statement, int at, const LkSummaryField *field)
{
  char *place = (char *)&self->summary + field->offset;
  const char *text = (const char *)sqlite3_column_text (statement, at);
  text = text != NULL ? text : "";
  switch (field->type) {
  case LK_FIELD_TEXT:
    *(const char **)(void *)place = g_string_chunk_insert (self->texts, text);
    break;
  case LK_FIELD_CHARS: {
    gboolean is_digest = field->offset == offsetof (LkSummary, totals.decision_digest);
    g_strlcpy (place, text, is_digest ? LK_SUMMARY_DIGEST_BYTES : LK_SUMMARY_RUN_ID_BYTES);
    break;
  }
  case LK_FIELD_COUNT:
    *(guint64 *)(void *)place = (guint64)sqlite3_column_int64 (statement, at);
    break;
  case LK_FIELD_REAL:
    *(double *)(void *)place = sqlite3_column_type (statement, at) == SQLITE_NULL
                                   ? (double)NAN
                                   : sqlite3_column_double (statement, at);
    break;
  case LK_FIELD_SECONDS:
    *(gint64 *)(void *)place = llround (sqlite3_column_double (statement, at) * 1e6);
    break;
  default:
    g_assert_not_reached ();
  }
}

static gboolean
read_run (LkResultsReader *self, GError **error)
{
  guint count;
  const LkSummaryField *fields = lk_summary_fields (&count);
  g_autoptr (GString) sql = g_string_new ("SELECT ");
  append_run_columns (sql);
  g_string_append (sql, " FROM run");
  sqlite3_stmt *statement = NULL;
  gboolean fine = FALSE;
  if (sqlite3_prepare_v2 (self->db, sql->str, -1, &statement, NULL) != SQLITE_OK)
    set_read_error (self, sqlite3_errmsg (self->db), error);
  else if (sqlite3_step (statement) != SQLITE_ROW)
    set_read_error (self, "table run is empty", error);
  else {
    for (guint i = 0; i < count; i++)
      read_field (self, statement, (int)i, &fields[i]);
    fine = sqlite3_step (statement) == SQLITE_DONE;
    if (!fine)
      set_read_error (self, "table run has more than one row", error);
  }
  sqlite3_finalize (statement);
  return fine;
}

/* As the summary had it, from the jobs. */
static gboolean
read_account_waits (LkResultsReader *self, GError **error)
{
  static const char select[] =
      "SELECT account, qos, count (*), total (start_us - submit_us) / count (*) / 1e6,"
      " total (procs * 1.0 * (end_us - start_us)) / 3.6e9 FROM job_record"
      " WHERE account <> '' AND requeued = 0 GROUP BY account, qos ORDER BY account, qos";
  sqlite3_stmt *statement = NULL;
  self->account_waits = g_array_new (FALSE, FALSE, sizeof (LkAccountWait));
  self->summary.account_waits = self->account_waits;
  if (self->summary.info.accounts[0] == '\0')
    return TRUE;
  int status = sqlite3_prepare_v2 (self->db, select, -1, &statement, NULL);
  while (status == SQLITE_OK && sqlite3_step (statement) == SQLITE_ROW) {
    const char *account = (const char *)sqlite3_column_text (statement, 0);
    const char *qos = (const char *)sqlite3_column_text (statement, 1);
    LkAccountWait row = { .account = g_string_chunk_insert_const (self->texts, account),
                          .qos = g_string_chunk_insert_const (self->texts, qos),
                          .jobs = (guint64)sqlite3_column_int64 (statement, 2),
                          .mean_wait_s = sqlite3_column_double (statement, 3),
                          .cpu_hours = sqlite3_column_double (statement, 4) };
    g_array_append_val (self->account_waits, row);
  }
  sqlite3_finalize (statement);
  if (status != SQLITE_OK)
    set_read_error (self, sqlite3_errmsg (self->db), error);
  return status == SQLITE_OK;
}

LkResultsReader *
lk_results_reader_new (const char *path, GError **error)
{
  g_autoptr (LkResultsReader) self = g_new0 (LkResultsReader, 1);
  self->path = g_strdup (path);
  self->texts = g_string_chunk_new (256);
  if (sqlite3_open_v2 (path, &self->db, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK) {
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_READ, "cannot open '%s': %s", path,
                 sqlite3_errmsg (self->db));
    return NULL;
  }
  if (!read_run (self, error) || !read_account_waits (self, error))
    return NULL;
  return g_steal_pointer (&self);
}

void
lk_results_reader_free (LkResultsReader *self)
{
  if (self == NULL)
    return;
  sqlite3_finalize (self->jobs);
  g_clear_pointer (&self->account_waits, g_array_unref);
  sqlite3_close (self->db);
  g_string_chunk_free (self->texts);
  g_free (self->path);
  g_free (self);
}

const LkSummary *
lk_results_reader_summary (const LkResultsReader *self)
{
  return &self->summary;
}

/* Few names, each kept once. */
static const char *
text_of (LkResultsReader *self, int column)
{
  const char *text = (const char *)sqlite3_column_text (self->jobs, column);
  return g_string_chunk_insert_const (self->texts, text != NULL ? text : "");
}

int
lk_results_reader_next (LkResultsReader *self, LkResultsStart *out_start, GError **error)
{
  static const char select[] =
      "SELECT job_id, submit_us, start_us, end_us, procs, user_id, group_id, partition_id, account,"
      " qos FROM job_record"
      " WHERE run_key = 1 AND requeued = 0 ORDER BY job_id, submit_us, rowid";
  if (self->jobs == NULL
      && sqlite3_prepare_v2 (self->db, select, -1, &self->jobs, NULL) != SQLITE_OK) {
    set_read_error (self, sqlite3_errmsg (self->db), error);
    return -1;
  }
  int status = sqlite3_step (self->jobs);
  if (status == SQLITE_DONE)
    return 0;
  if (status != SQLITE_ROW) {
    set_read_error (self, sqlite3_errmsg (self->db), error);
    return -1;
  }
  out_start->name[0] = '\0';
  if (sqlite3_column_type (self->jobs, 0) == SQLITE_TEXT)
    g_strlcpy (out_start->name, (const char *)sqlite3_column_text (self->jobs, 0),
               sizeof out_start->name);
  out_start->job_id = sqlite3_column_int64 (self->jobs, 0);
  out_start->submit_us = sqlite3_column_int64 (self->jobs, 1);
  out_start->start_us = sqlite3_column_int64 (self->jobs, 2);
  out_start->end_us = sqlite3_column_int64 (self->jobs, 3);
  out_start->procs = (guint64)sqlite3_column_int64 (self->jobs, 4);
  out_start->user = sqlite3_column_int64 (self->jobs, 5);
  out_start->group = sqlite3_column_int64 (self->jobs, 6);
  out_start->partition = sqlite3_column_int64 (self->jobs, 7);
  out_start->account = text_of (self, 8);
  out_start->qos = text_of (self, 9);
  return 1;
}

void
lk_results_reader_rewind (LkResultsReader *self)
{
  if (self->jobs != NULL)
    sqlite3_reset (self->jobs);
}
