/* sim/study/store.c — see store.h.
 *
 * The rollback journal of SQLite is used, not its write-ahead log: files may be on a network file
 * system. A lock file beside the database keeps a second sweep away; readers are not kept away. */
#include "sim/study/store.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "engine/assert.h"
#include "sim/error.h"
#include "sim/study/store_private.h"

#define FORMAT "1"
#define APPLICATION "lockstep sweep"
#define BUSY_MS 10000

static gboolean
fail (const LkStudyStore *self, GError **error)
{
  int code = sqlite3_errcode (self->db);
  gboolean other = code == SQLITE_NOTADB || code == SQLITE_CORRUPT;
  g_set_error (error, LK_SIM_ERROR,
               other                 ? LK_SIM_ERROR_FORMAT
               : code == SQLITE_BUSY ? LK_SIM_ERROR_RUN
                                     : LK_SIM_ERROR_WRITE,
               "'%s': %s", self->path, sqlite3_errmsg (self->db));
  return FALSE;
}

gboolean
lk_study_store_execute (LkStudyStore *self, const char *sql, GError **error)
{
  return sqlite3_exec (self->db, sql, NULL, NULL, NULL) == SQLITE_OK || fail (self, error);
}

sqlite3_stmt *
lk_study_store_prepare (LkStudyStore *self, const char *sql, GError **error)
{
  sqlite3_stmt *statement = NULL;
  if (sqlite3_prepare_v2 (self->db, sql, -1, &statement, NULL) == SQLITE_OK)
    return statement;
  fail (self, error);
  return NULL;
}

/* Runs a statement that gives no rows, and makes it ready again. */
gboolean
lk_study_store_step (LkStudyStore *self, sqlite3_stmt *statement, GError **error)
{
  gboolean good = sqlite3_step (statement) == SQLITE_DONE;
  if (!good)
    fail (self, error);
  sqlite3_reset (statement);
  return good;
}

void
lk_study_bind_text (sqlite3_stmt *statement, int index, const char *text)
{
  sqlite3_bind_text (statement, index, text, -1, SQLITE_TRANSIENT);
}

/* ---------------------------------------------------------------- the lock */

static gboolean
fail_lock (const LkStudyStore *self, int code, GError **error)
{
  if (code == EWOULDBLOCK)
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_RUN,
                 "'%s' is in use: another sweep writes to it", self->path);
  else
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_WRITE, "cannot lock '%s': %s", self->lock_path,
                 g_strerror (code));
  return FALSE;
}

/* Those of a store with this code: another has its lock, or is in the midst of a write. */
gboolean
lk_study_store_is_busy (const GError *error)
{
  return g_error_matches (error, LK_SIM_ERROR, LK_SIM_ERROR_RUN);
}

/* Whoever held the lock before takes its file away while it holds it: what was locked may be no
 * longer there, then once more. */
static gboolean
take_lock (LkStudyStore *self, GError **error)
{
  self->lock_path = g_strconcat (self->path, ".lock", NULL);
  for (guint attempt = 0; attempt < 100; attempt++) {
    struct stat held;
    struct stat there;
    self->lock_fd = open (self->lock_path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (self->lock_fd < 0)
      return fail_lock (self, errno, error);
    if (flock (self->lock_fd, LOCK_EX | LOCK_NB) != 0)
      return fail_lock (self, errno, error);
    if (fstat (self->lock_fd, &held) == 0 && stat (self->lock_path, &there) == 0
        && held.st_ino == there.st_ino) {
      self->has_lock = TRUE;
      return TRUE;
    }
    close (self->lock_fd);
    self->lock_fd = -1;
  }
  return fail_lock (self, EWOULDBLOCK, error);
}

/* ---------------------------------------------------------------- opening */

/* Did a process that was killed leave a transaction that must be rolled back before reading? */
static gboolean
is_interrupted (sqlite3 *db)
{
  return sqlite3_exec (db, "PRAGMA schema_version", NULL, NULL, NULL) != SQLITE_OK
         && sqlite3_extended_errcode (db) == SQLITE_READONLY_ROLLBACK;
}

/* Every handle waits for another process's short transaction, in attached files, too. */
static gboolean
open_with (LkStudyStore *self, int flags, GError **error)
{
  if (sqlite3_open_v2 (self->path, &self->db, flags, NULL) != SQLITE_OK)
    return fail (self, error);
  sqlite3_busy_timeout (self->db, BUSY_MS);
  return TRUE;
}

/* SQLite rolls back what a killed sweep left only for a handle that may write. */
static gboolean
open_database (LkStudyStore *self, int flags, GError **error)
{
  if (!open_with (self, flags, error))
    return FALSE;
  if ((flags & SQLITE_OPEN_READONLY) == 0 || !is_interrupted (self->db))
    return TRUE;
  g_clear_pointer (&self->db, sqlite3_close);
  if (!open_with (self, SQLITE_OPEN_READWRITE, error))
    return FALSE;
  if (!is_interrupted (self->db))
    return TRUE;
  g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_READ,
               "'%s' is of an interrupted sweep and may not be written to: give the command of the "
               "sweep again",
               self->path);
  return FALSE;
}

LkStudyStore *
lk_study_store_new (const char *path, int flags, GError **error)
{
  g_autoptr (LkStudyStore) self = g_new0 (LkStudyStore, 1);
  self->path = g_strdup (path);
  self->lock_fd = -1;
  if ((flags & SQLITE_OPEN_CREATE) != 0 && !take_lock (self, error))
    return NULL;
  return open_database (self, flags, error) ? g_steal_pointer (&self) : NULL;
}

void
lk_study_store_free (LkStudyStore *self)
{
  if (self == NULL)
    return;
  g_clear_pointer (&self->insert_result, sqlite3_finalize);
  g_clear_pointer (&self->insert_cost, sqlite3_finalize);
  sqlite3_close (self->db);
  if (self->has_lock)
    g_unlink (self->lock_path);
  if (self->lock_fd >= 0)
    close (self->lock_fd);
  g_clear_pointer (&self->keys, g_hash_table_unref);
  g_free (self->lock_path);
  g_free (self->path);
  g_free (self);
}

static const char *
column_type (LkSummaryFieldType type)
{
  return type == LK_FIELD_COUNT                              ? "INTEGER"
         : type == LK_FIELD_REAL || type == LK_FIELD_SECONDS ? "REAL"
                                                             : "TEXT";
}

/* Another version of the program may know other numbers of a run: then it is another format. */
static char *
format_text (void)
{
  guint count;
  const LkStudyColumn *columns = lk_study_columns (&count);
  GString *text = g_string_new (FORMAT);
  for (guint i = 0; i < count; i++)
    g_string_append_printf (text, " %s", columns[i].name);
  return g_string_free (text, FALSE);
}

gboolean
lk_study_store_begin (LkStudyStore *self, GError **error)
{
  return lk_study_store_execute (self, "PRAGMA synchronous = FULL; BEGIN IMMEDIATE", error);
}

gboolean
lk_study_store_create (LkStudyStore *self, GError **error)
{
  guint count;
  const LkStudyColumn *columns = lk_study_columns (&count);
  g_autoptr (GString) sql = g_string_new (
      "CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT NOT NULL);"
      "CREATE TABLE IF NOT EXISTS plan (position INTEGER PRIMARY KEY, key TEXT NOT NULL,"
      " log TEXT NOT NULL, log_window TEXT NOT NULL, policy TEXT NOT NULL, point TEXT NOT NULL,"
      " load REAL NOT NULL, arguments TEXT NOT NULL);"
      "CREATE TABLE IF NOT EXISTS parameter (position INTEGER NOT NULL, name TEXT NOT NULL,"
      " value NUMERIC NOT NULL, PRIMARY KEY (position, name));"
      "CREATE TABLE IF NOT EXISTS cost (key TEXT PRIMARY KEY, wall_s REAL NOT NULL);"
      "CREATE TABLE IF NOT EXISTS failure (key TEXT PRIMARY KEY, message TEXT NOT NULL);"
      "CREATE TABLE IF NOT EXISTS result (key TEXT PRIMARY KEY");
  for (guint i = 0; i < count; i++)
    g_string_append_printf (sql, ", %s %s", columns[i].name, column_type (columns[i].type));
  g_autofree char *format = format_text ();
  g_string_append_printf (sql,
                          "); INSERT OR IGNORE INTO meta VALUES ('application', '" APPLICATION
                          "'), ('format', '%s');",
                          format);
  return lk_study_store_execute (self, sql->str, error);
}

gboolean
lk_study_store_empty (LkStudyStore *self, GError **error)
{
  g_clear_pointer (&self->db, sqlite3_close);
  if (g_unlink (self->path) != 0 && errno != ENOENT) {
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_WRITE, "cannot replace '%s': %s", self->path,
                 g_strerror (errno));
    return FALSE;
  }
  return open_database (self, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, error);
}

/* A database that is not ours is left as it is. */
gboolean
lk_study_store_check_ours (LkStudyStore *self, gboolean *out_is_new, GError **error)
{
  sqlite3_stmt *any = lk_study_store_prepare (self, "SELECT count(*) FROM sqlite_master", error);
  if (any == NULL)
    return FALSE;
  gboolean is_read = sqlite3_step (any) == SQLITE_ROW;
  gboolean is_new = is_read && sqlite3_column_int (any, 0) == 0;
  if (!is_read)
    fail (self, error);
  sqlite3_finalize (any);
  *out_is_new = is_new;
  if (!is_read || is_new)
    return is_read;
  sqlite3_stmt *ours = NULL;
  g_autofree char *format = format_text ();
  char *sql = sqlite3_mprintf ("SELECT count(*) FROM meta WHERE (name = 'application' AND value ="
                               " '" APPLICATION "') OR (name = 'format' AND value = %Q)",
                               format);
  gboolean good = sqlite3_prepare_v2 (self->db, sql, -1, &ours, NULL) == SQLITE_OK
                  && sqlite3_step (ours) == SQLITE_ROW && sqlite3_column_int (ours, 0) == 2;
  sqlite3_free (sql);
  sqlite3_finalize (ours);
  if (!good)
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_FORMAT,
                 "'%s' is no file of sweep results, or one of another version of lockstep",
                 self->path);
  return good;
}

gboolean
lk_study_store_read_keys (LkStudyStore *self, GError **error)
{
  sqlite3_stmt *statement = lk_study_store_prepare (self, "SELECT key FROM result", error);
  self->keys = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  if (statement == NULL)
    return FALSE;
  int state;
  while ((state = sqlite3_step (statement)) == SQLITE_ROW)
    g_hash_table_add (self->keys, g_strdup ((const char *)sqlite3_column_text (statement, 0)));
  sqlite3_finalize (statement);
  return state == SQLITE_DONE || fail (self, error);
}

/* ---------------------------------------------------------------- the plan */

static double
load_of (char *const *arguments)
{
  for (guint i = 0; arguments[i] != NULL; i++)
    if (g_str_has_prefix (arguments[i], "--scale-load="))
      return g_ascii_strtod (strchr (arguments[i], '=') + 1, NULL);
  return 1;
}

static gboolean
write_run (LkStudyStore *self, const LkStudyRun *run, sqlite3_stmt *plan, sqlite3_stmt *parameter,
           GError **error)
{
  g_autoptr (GString) arguments = g_string_new (run->arguments[0]);
  for (guint i = 1; run->arguments[i] != NULL; i++) {
    g_autofree char *quoted = lk_study_quote (run->arguments[i]);
    g_string_append_printf (arguments, " %s", quoted);
  }
  sqlite3_bind_int64 (plan, 1, run->index);
  lk_study_bind_text (plan, 2, run->key);
  lk_study_bind_text (plan, 3, run->choice.trace->name);
  lk_study_bind_text (plan, 4, run->choice.window->name);
  lk_study_bind_text (plan, 5, run->choice.policy->name);
  lk_study_bind_text (plan, 6, run->point_text);
  sqlite3_bind_double (plan, 7, load_of (run->arguments));
  lk_study_bind_text (plan, 8, arguments->str);
  if (!lk_study_store_step (self, plan, error))
    return FALSE;
  for (guint i = 0; i < run->choice.point->len; i++) {
    const LkStudySetting *setting = g_ptr_array_index (run->choice.point, i);
    sqlite3_bind_int64 (parameter, 1, run->index);
    lk_study_bind_text (parameter, 2, setting->name);
    lk_study_bind_text (parameter, 3, setting->value);
    if (!lk_study_store_step (self, parameter, error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
write_runs (LkStudyStore *self, const GPtrArray *runs, GError **error)
{
  sqlite3_stmt *plan =
      lk_study_store_prepare (self, "INSERT INTO plan VALUES (?, ?, ?, ?, ?, ?, ?, ?)", error);
  sqlite3_stmt *parameter =
      plan != NULL ? lk_study_store_prepare (self, "INSERT INTO parameter VALUES (?, ?, ?)", error)
                   : NULL;
  gboolean good = parameter != NULL;
  for (guint i = 0; good && i < runs->len; i++)
    good = write_run (self, g_ptr_array_index (runs, i), plan, parameter, error);
  sqlite3_finalize (plan);
  sqlite3_finalize (parameter);
  return good;
}

/* View `run`: the names of what is varied become columns. */
gboolean
lk_study_store_make_view (LkStudyStore *self, GError **error)
{
  guint count;
  const LkStudyColumn *columns = lk_study_columns (&count);
  g_autoptr (GString) sql = g_string_new ("DROP VIEW IF EXISTS run; CREATE VIEW run AS SELECT"
                                          " p.position, p.log, p.log_window, p.policy, p.load");
  sqlite3_stmt *names = lk_study_store_prepare (
      self, "SELECT name FROM parameter GROUP BY name ORDER BY name", error);
  if (names == NULL)
    return FALSE;
  while (sqlite3_step (names) == SQLITE_ROW) {
    /* The name of a parameter holds a dot, which no other column's does. */
    const char *name = (const char *)sqlite3_column_text (names, 0);
    char *column = sqlite3_mprintf (", (SELECT value FROM parameter AS q WHERE q.position ="
                                    " p.position AND q.name = '%q') AS \"%s%w\"",
                                    name, strchr (name, '.') != NULL ? "" : "varied.", name);
    g_string_append (sql, column);
    sqlite3_free (column);
  }
  sqlite3_finalize (names);
  for (guint i = 0; i < count; i++)
    g_string_append_printf (sql, ", r.%s", columns[i].name);
  g_string_append (sql, ", p.key FROM plan AS p JOIN result AS r ON r.key = p.key;");
  return lk_study_store_execute (self, sql->str, error);
}

/* Is the plan of the file the one of these runs? */
static gboolean
same_plan (LkStudyStore *self, const GPtrArray *runs, gboolean *out_same, GError **error)
{
  guint64 count = 0;
  sqlite3_stmt *statement =
      lk_study_store_prepare (self, "SELECT position, key FROM plan ORDER BY position", error);
  if (statement == NULL)
    return FALSE;
  gboolean same = TRUE;
  for (; sqlite3_step (statement) == SQLITE_ROW; count++) {
    gint64 position = sqlite3_column_int64 (statement, 0);
    const LkStudyRun *run =
        position >= 0 && position < runs->len ? g_ptr_array_index (runs, (guint)position) : NULL;
    same = same && run != NULL
           && strcmp (run->key, (const char *)sqlite3_column_text (statement, 1)) == 0;
  }
  sqlite3_finalize (statement);
  *out_same = same && count == runs->len;
  return TRUE;
}

static void
count_results (const LkStudyStore *self, const GPtrArray *runs, LkStudyStoreState *state)
{
  g_autoptr (GHashTable) planned = g_hash_table_new (g_str_hash, g_str_equal);
  for (guint i = 0; i < runs->len; i++) {
    LkStudyRun *run = g_ptr_array_index (runs, i);
    if (g_hash_table_add (planned, run->key) && g_hash_table_contains (self->keys, run->key))
      state->kept_count++;
  }
  state->outside_count = g_hash_table_size (self->keys) - state->kept_count;
}

static gboolean
replace_plan (LkStudyStore *self, const GPtrArray *runs, GError **error)
{
  return lk_study_store_execute (self, "DELETE FROM plan; DELETE FROM parameter;", error)
         && write_runs (self, runs, error) && lk_study_store_make_view (self, error);
}

/* Makes what is not there, in a transaction: whoever merges sees no file that has tables and the
 * plan not yet. */
static gboolean
make_plan (LkStudyStore *self, const GPtrArray *runs, LkStudyStoreState *state, GError **error)
{
  gboolean same = FALSE;
  if (!lk_study_store_create (self, error) || !lk_study_store_read_keys (self, error)
      || !same_plan (self, runs, &same, error))
    return FALSE;
  state->plan_changed = !state->is_new && !same;
  count_results (self, runs, state);
  return same || replace_plan (self, runs, error);
}

LkStudyStore *
lk_study_store_open (const char *path, const GPtrArray *runs, LkStudyStoreState *out_state,
                     GError **error)
{
  g_autoptr (LkStudyStore) self =
      lk_study_store_new (path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, error);
  LkStudyStoreState state = { 0 };
  if (self == NULL || !lk_study_store_check_ours (self, &state.is_new, error)
      || !lk_study_store_begin (self, error))
    return NULL;
  if (!make_plan (self, runs, &state, error) || !lk_study_store_execute (self, "COMMIT", error)) {
    lk_study_store_execute (self, "ROLLBACK", NULL);
    return NULL;
  }
  *out_state = state;
  return g_steal_pointer (&self);
}

LkStudyStore *
lk_study_store_open_read (const char *path, GError **error)
{
  gboolean is_new = FALSE;
  g_autoptr (LkStudyStore) self = lk_study_store_new (path, SQLITE_OPEN_READONLY, error);
  if (self == NULL || !lk_study_store_check_ours (self, &is_new, error))
    return NULL;
  if (is_new) {
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_FORMAT, "'%s' has no plan: it is empty", path);
    return NULL;
  }
  return lk_study_store_read_keys (self, error) ? g_steal_pointer (&self) : NULL;
}

gboolean
lk_study_store_has (const LkStudyStore *self, const char *key)
{
  return g_hash_table_contains (self->keys, key);
}

/* ---------------------------------------------------------------- results */

static gboolean
prepare_inserts (LkStudyStore *self, GError **error)
{
  guint count;
  if (self->insert_cost != NULL)
    return TRUE;
  lk_study_columns (&count);
  g_autoptr (GString) sql = g_string_new ("INSERT INTO result VALUES (?");
  for (guint i = 0; i < count; i++)
    g_string_append (sql, ", ?");
  g_string_append (sql, ")");
  self->insert_result = lk_study_store_prepare (self, sql->str, error);
  if (self->insert_result != NULL)
    self->insert_cost =
        lk_study_store_prepare (self, "INSERT OR REPLACE INTO cost VALUES (?, ?)", error);
  return self->insert_cost != NULL;
}

static gboolean
insert (LkStudyStore *self, const char *key, const LkStudyResult *result, GError **error)
{
  g_auto (GStrv) texts = lk_study_result_texts (result);
  lk_study_bind_text (self->insert_result, 1, key);
  for (int i = 0; texts[i] != NULL; i++)
    if (texts[i][0] != '\0')
      lk_study_bind_text (self->insert_result, i + 2, texts[i]);
    else
      sqlite3_bind_null (self->insert_result, i + 2);
  lk_study_bind_text (self->insert_cost, 1, key);
  sqlite3_bind_double (self->insert_cost, 2, lk_study_result_wall_s (result));
  char *forget = sqlite3_mprintf ("DELETE FROM failure WHERE key = %Q", key);
  gboolean good = lk_study_store_step (self, self->insert_result, error)
                  && lk_study_store_step (self, self->insert_cost, error)
                  && lk_study_store_execute (self, forget, error);
  sqlite3_free (forget);
  return good;
}

gboolean
lk_study_store_add (LkStudyStore *self, const LkStudyRun *run, const LkStudyResult *result,
                    GError **error)
{
  LK_ASSERT (!lk_study_store_has (self, run->key));
  if (!prepare_inserts (self, error) || !lk_study_store_execute (self, "BEGIN IMMEDIATE", error))
    return FALSE;
  if (insert (self, run->key, result, error) && lk_study_store_execute (self, "COMMIT", error)) {
    g_hash_table_add (self->keys, g_strdup (run->key));
    return TRUE;
  }
  lk_study_store_execute (self, "ROLLBACK", NULL);
  return FALSE;
}

gboolean
lk_study_store_add_failure (LkStudyStore *self, const LkStudyRun *run, const char *message,
                            GError **error)
{
  char *sql = sqlite3_mprintf ("INSERT OR REPLACE INTO failure VALUES (%Q, %Q)", run->key, message);
  gboolean good = lk_study_store_execute (self, sql, error);
  sqlite3_free (sql);
  return good;
}
