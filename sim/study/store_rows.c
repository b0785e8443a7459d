/* sim/study/store_rows.c — the rows of a store as CSV and JSON lines, and several stores as one.
 * See store.h. */
#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>

#include "sim/error.h"
#include "sim/json_out.h"
#include "sim/study/store_private.h"
#include "sim/users/offered_load.h"

/* ---------------------------------------------------------------- rows */

static void
append_csv (GString *out, const char *text)
{
  if (strpbrk (text, ",\"\r\n") == NULL) {
    g_string_append (out, text);
    return;
  }
  g_string_append_c (out, '"');
  for (const char *at = text; *at != '\0'; at++)
    g_string_append_printf (out, *at == '"' ? "\"\"" : "%c", *at);
  g_string_append_c (out, '"');
}

static void
append_csv_value (GString *out, sqlite3_stmt *row, int index)
{
  char real[LK_REAL_TEXT_BYTES];
  switch (sqlite3_column_type (row, index)) {
  case SQLITE_NULL:
    return;
  case SQLITE_FLOAT:
    lk_real_text (sqlite3_column_double (row, index), real);
    g_string_append (out, real);
    return;
  default:
    append_csv (out, (const char *)sqlite3_column_text (row, index));
  }
}

static void
csv_row (sqlite3_stmt *row, GString *out)
{
  for (int i = 0; i < sqlite3_column_count (row); i++) {
    if (i > 0)
      g_string_append_c (out, ',');
    append_csv_value (out, row, i);
  }
  g_string_append_c (out, '\n');
}

static void
json_row (sqlite3_stmt *row, GString *out)
{
  LkJsonOut json;
  lk_json_out_init (&json, out);
  lk_json_out_object_begin (&json, NULL);
  for (int i = 0; i < sqlite3_column_count (row); i++) {
    const char *name = sqlite3_column_name (row, i);
    switch (sqlite3_column_type (row, i)) {
    case SQLITE_INTEGER:
      lk_json_out_integer (&json, name, sqlite3_column_int64 (row, i));
      break;
    case SQLITE_FLOAT:
      lk_json_out_real (&json, name, sqlite3_column_double (row, i));
      break;
    default:
      lk_json_out_text (&json, name, (const char *)sqlite3_column_text (row, i));
    }
  }
  lk_json_out_object_end (&json);
  /* One line: newlines inside texts are escaped, so these are between members. */
  char *to = out->str;
  const char *at = out->str;
  while (*at != '\0') {
    gboolean is_break = *at == '\n';
    *to++ = is_break ? ' ' : *at;
    at++;
    while (is_break && *at == ' ')
      at++;
  }
  g_string_truncate (out, (gsize)(to - out->str));
  while (out->len > 0 && out->str[out->len - 1] == ' ')
    g_string_truncate (out, out->len - 1);
  g_string_append_c (out, '\n');
}

gboolean
lk_study_store_print (LkStudyStore *self, LkStudyRowFormat format, FILE *stream, GError **error)
{
  sqlite3_stmt *rows = lk_study_store_prepare (self, "SELECT * FROM run ORDER BY position", error);
  if (rows == NULL)
    return FALSE;
  g_autoptr (GString) line = g_string_new (NULL);
  for (int i = 0; format == LK_STUDY_CSV && i < sqlite3_column_count (rows); i++) {
    if (i > 0)
      g_string_append_c (line, ',');
    append_csv (line, sqlite3_column_name (rows, i));
  }
  if (line->len > 0)
    fprintf (stream, "%s\n", line->str);
  int state;
  while ((state = sqlite3_step (rows)) == SQLITE_ROW) {
    g_string_truncate (line, 0);
    if (format == LK_STUDY_CSV)
      csv_row (rows, line);
    else
      json_row (rows, line);
    fputs (line->str, stream);
  }
  sqlite3_finalize (rows);
  if (state == SQLITE_DONE)
    return TRUE;
  g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_READ, "'%s': %s", self->path,
               sqlite3_errmsg (self->db));
  return FALSE;
}

gboolean
lk_study_store_high_load (LkStudyStore *self, guint *out_count, guint *out_all_count,
                          double *out_max_ratio, GError **error)
{
  char *sql = sqlite3_mprintf (
      "SELECT count(*), max(offered_load), (SELECT count(*) FROM run) "
      "FROM run WHERE users = 'open' AND offered_load >= %f AND jobs >= %u AND makespan_s >= %lld",
      LK_OFFERED_LOAD_HIGH_RATIO, LK_OFFERED_LOAD_JOBS_MIN, (long long)LK_OFFERED_LOAD_SPAN_MIN_S);
  sqlite3_stmt *row = lk_study_store_prepare (self, sql, error);
  sqlite3_free (sql);
  if (row == NULL)
    return FALSE;
  gboolean good = sqlite3_step (row) == SQLITE_ROW;
  if (good) {
    *out_count = (guint)sqlite3_column_int64 (row, 0);
    *out_max_ratio = sqlite3_column_double (row, 1);
    *out_all_count = (guint)sqlite3_column_int64 (row, 2);
  } else
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_READ, "'%s': %s", self->path,
                 sqlite3_errmsg (self->db));
  sqlite3_finalize (row);
  return good;
}

/* ---------------------------------------------------------------- merging */

static gint64
number_of (LkStudyStore *self, const char *sql, GError **error)
{
  sqlite3_stmt *statement = lk_study_store_prepare (self, sql, error);
  gint64 number = -1;
  if (statement == NULL)
    return -1;
  if (sqlite3_step (statement) == SQLITE_ROW)
    number = sqlite3_column_int64 (statement, 0);
  else
    lk_study_store_step (self, statement, error);
  sqlite3_finalize (statement);
  return number;
}

static gboolean
fail_merge (const char *path, const char *what, GError **error)
{
  g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_FORMAT, "'%s' %s", path, what);
  return FALSE;
}

/* Adds the file attached as `other`. */
static gboolean
add_attached (LkStudyStore *self, const char *path, gboolean is_first, GError **error)
{
  static const char take_plan[] = "INSERT INTO plan SELECT * FROM other.plan;"
                                  "INSERT INTO parameter SELECT * FROM other.parameter;";
  static const char plans_differ[] =
      "SELECT count(*) FROM (SELECT * FROM (SELECT position, key FROM plan EXCEPT SELECT "
      "position, key FROM other.plan) UNION ALL SELECT * FROM (SELECT position, key FROM "
      "other.plan EXCEPT SELECT position, key FROM plan))";
  static const char results_differ[] =
      "SELECT count(*) FROM result AS a JOIN other.result AS b ON a.key = b.key WHERE "
      "a.decision_digest <> b.decision_digest";
  static const char take_results[] = "INSERT OR IGNORE INTO result SELECT * FROM other.result;"
                                     "INSERT OR IGNORE INTO cost SELECT * FROM other.cost;"
                                     "INSERT OR IGNORE INTO failure SELECT * FROM other.failure;"
                                     "DELETE FROM failure WHERE key IN (SELECT key FROM result);";
  if (is_first && !lk_study_store_execute (self, take_plan, error))
    return FALSE;
  gint64 differ = number_of (self, plans_differ, error);
  if (differ != 0)
    return differ > 0 && fail_merge (path, "is of another plan than the first file", error);
  differ = number_of (self, results_differ, error);
  if (differ != 0)
    return differ > 0 && fail_merge (path, "has other results of runs that are there twice", error);
  return lk_study_store_execute (self, take_results, error);
}

static gboolean
add_file (LkStudyStore *self, const char *path, gboolean is_first, GError **error)
{
  /* It must be there and ours before it is attached, which would create it. */
  g_autoptr (LkStudyStore) other = lk_study_store_open_read (path, error);
  if (other == NULL)
    return FALSE;
  char *attach = sqlite3_mprintf ("ATTACH %Q AS other", path);
  gboolean good = lk_study_store_execute (self, attach, error);
  sqlite3_free (attach);
  if (!good)
    return FALSE;
  good = lk_study_store_execute (self, "BEGIN", error) && add_attached (self, path, is_first, error)
         && lk_study_store_execute (self, "COMMIT", error);
  if (!good)
    lk_study_store_execute (self, "ROLLBACK", NULL);
  return lk_study_store_execute (self, "DETACH other", good ? error : NULL) && good;
}

static gboolean
add_files (LkStudyStore *self, char *const *paths, guint *out_missing_count, GError **error)
{
  gboolean is_new;
  if (!lk_study_store_check_ours (self, &is_new, error) || !lk_study_store_begin (self, error)
      || !lk_study_store_create (self, error) || !lk_study_store_execute (self, "COMMIT", error))
    return FALSE;
  for (guint i = 0; paths[i] != NULL; i++)
    if (!add_file (self, paths[i], i == 0, error))
      return FALSE;
  gint64 missing = number_of (
      self, "SELECT count(DISTINCT key) FROM plan WHERE key NOT IN (SELECT key FROM result)",
      error);
  if (missing < 0)
    return FALSE;
  *out_missing_count = (guint)missing;
  return lk_study_store_make_view (self, error);
}

/* A file of another kind would be lost; an empty one is no loss. */
static gboolean
check_target (const char *path, GError **error)
{
  gboolean is_empty;
  if (!g_file_test (path, G_FILE_TEST_EXISTS))
    return TRUE;
  g_autoptr (LkStudyStore) target = lk_study_store_new (path, SQLITE_OPEN_READONLY, error);
  return target != NULL && lk_study_store_check_ours (target, &is_empty, error);
}

gboolean
lk_study_store_is_begun (const char *path, gboolean *out_begun, GError **error)
{
  gboolean is_new = TRUE;
  *out_begun = FALSE;
  if (!g_file_test (path, G_FILE_TEST_EXISTS))
    return TRUE;
  g_autoptr (LkStudyStore) self = lk_study_store_new (path, SQLITE_OPEN_READONLY, error);
  if (self == NULL || !lk_study_store_check_ours (self, &is_new, error))
    return FALSE;
  *out_begun = !is_new;
  return TRUE;
}

gboolean
lk_study_store_merge (char *const *paths, const char *to_path, gboolean whole_only,
                      guint *out_missing_count, GError **error)
{
  g_autofree char *partial = g_strconcat (to_path, ".partial", NULL);
  if (!check_target (to_path, error))
    return FALSE;
  g_autoptr (LkStudyStore) self =
      lk_study_store_new (partial, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, error);
  if (self == NULL) /* then the partial file may be another's */
    return FALSE;
  /* The lock is kept until the file has its name, or is gone. */
  gboolean good =
      lk_study_store_empty (self, error) && add_files (self, paths, out_missing_count, error);
  gboolean wanted = good && (*out_missing_count == 0 || !whole_only);
  if (wanted && g_rename (partial, to_path) != 0) {
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_WRITE, "cannot write '%s': %s", to_path,
                 g_strerror (errno));
    good = FALSE;
  }
  if (!good || !wanted)
    g_unlink (partial);
  return good;
}
