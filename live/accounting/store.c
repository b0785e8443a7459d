/* live/accounting/store.c — see the header.
 *
 * In WAL mode, so that who reads never waits and never holds up who writes.  The auxiliary files
 * are left there at the end, for readers who may not make them (sqlite.org/wal.html, 5). */
#include "live/accounting/store.h"

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUSY_MAX_MS 10000
/* Everybody may read: whose jobs sacct shows to whom is its choice. */
#define FILE_MODE 0644
#define WAL_MAX_BYTES 16777216

GQuark
lk_accounting_error_quark (void)
{
  return g_quark_from_static_string ("lk-accounting-error");
}

#define F(group, type, name, help)                                                                 \
  { LK_ACCOUNTING_##group, LK_ACCOUNTING_##type, #name, offsetof (LkAccountingJob, name), help },
const LkAccountingField lk_accounting_job_fields[] = { LK_ACCOUNTING_JOB_FIELDS (F) };
#undef F
const guint lk_accounting_job_field_count = G_N_ELEMENTS (lk_accounting_job_fields);

typedef enum {
  AGAIN,
  TASK,
  USAGE,
  GPU_USAGE,
  STEP,
  STEP_ENDED,
  RESERVATION,
  RESERVATION_ENDED,
  EVENT,
  ACCOUNT,
  ENGINE,
  POSITION,
  STATEMENT_COUNT
} Statement;

/* The newest life of job ?1. */
#define NEWEST "(SELECT MAX(life) FROM jobs WHERE job_id = ?1)"

/* What tasks have from their array, and other lives of a job from the one before. */
#define COPIED                                                                                     \
  "work_dir, submit_line, submit_host, wckey, std_in, std_out, std_err, kind, mail_types,"         \
  " mail_user, priority, asked_nodes, asked_cpus, asked_tres"
/* Tasks have also waited for what their array has. */
#define COPIED_TASK COPIED ", reason"

/* Of steps: columns as they are made, named, given and set. */
#define COLUMN_integer(name) ", " #name " INTEGER NOT NULL DEFAULT 0"
#define COLUMN_text(name) ", " #name " TEXT NOT NULL DEFAULT ''"
#define COLUMN(type, name, help) COLUMN_##type (name)
#define NAME(type, name, help) ", " #name
#define PLACE(type, name, help) ", ?"
#define SET(type, name, help) ", " #name " = ?"

static const char *const statement_texts[STATEMENT_COUNT] = {
  [AGAIN] = "INSERT INTO jobs (job_id, life, " COPIED ") SELECT ?1, IFNULL(" NEWEST
            " + 1, 0), " COPIED " FROM jobs WHERE job_id = ?2 ORDER BY life DESC LIMIT 1",
  [TASK] = "INSERT INTO jobs (job_id, life, " COPIED_TASK ") SELECT ?1, IFNULL(" NEWEST
           " + 1, 0), " COPIED_TASK " FROM jobs WHERE job_id = ?2 ORDER BY life DESC LIMIT 1",
  [USAGE] = "INSERT OR REPLACE INTO usage VALUES (?1, ?2, ?3, ?4, ?5, ?6, 0, 0)",
  [GPU_USAGE] = "UPDATE usage SET max_gpu_memory_bytes = ?3, max_gpu_percent = ?4"
                " WHERE run_id = ?1 AND node = ?2",
  [STEP] = "INSERT OR REPLACE INTO steps (one" LK_ACCOUNTING_STEP_BEGIN_FIELDS (
      NAME) ") VALUES (0" LK_ACCOUNTING_STEP_BEGIN_FIELDS (PLACE) ")",
  [STEP_ENDED] = "UPDATE steps SET one = 0" LK_ACCOUNTING_STEP_END_FIELDS (
      SET) " WHERE run_id = ? AND step_id = ?",
  [RESERVATION] = "INSERT OR REPLACE INTO reservations VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
  [RESERVATION_ENDED] = "UPDATE reservations SET end_us = ?2"
                        " WHERE number = ?1 AND start_us <= ?2 AND end_us > ?2",
  [EVENT] = "INSERT INTO events VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
  [ACCOUNT] = "INSERT INTO associations VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
  [ENGINE] = "INSERT OR REPLACE INTO engine VALUES"
             " (1, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
  [POSITION] = "INSERT OR REPLACE INTO position VALUES (1, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
};

#define POSITION_COLUMNS                                                                           \
  "(one INTEGER PRIMARY KEY, offset_bytes INTEGER, seq INTEGER, decision_count INTEGER,"           \
  " digest_low INTEGER, digest_high INTEGER, run_id_last INTEGER, term INTEGER,"                   \
  " config_low INTEGER, config_high INTEGER"

/* Of each hour and who: what was allocated in it, of runs that have ended. */
#define HOURS                                                                                      \
  "CREATE VIEW usage_by_hour AS WITH RECURSIVE"                                                    \
  " piece (hour_us, account, qos, user_id, cpus, start_us, end_us) AS ("                           \
  "SELECT start_us / 3600000000 * 3600000000, account, qos, user_id, cpus, start_us, end_us"       \
  " FROM jobs WHERE start_us > 0 AND end_us > start_us UNION ALL"                                  \
  " SELECT hour_us + 3600000000, account, qos, user_id, cpus, start_us, end_us FROM piece"         \
  " WHERE hour_us + 3600000000 < end_us)"                                                          \
  " SELECT hour_us, account, qos, user_id, COUNT(*) AS runs,"                                      \
  " SUM(cpus * (MIN(end_us, hour_us + 3600000000) - MAX(start_us, hour_us))) / 1000000 AS cpu_s"   \
  " FROM piece GROUP BY hour_us, account, qos, user_id;"

static const char tables[] =
    "CREATE TABLE position " POSITION_COLUMNS ");"
    "CREATE TABLE engine " POSITION_COLUMNS ", bytes BLOB);"
    "CREATE TABLE cluster (name TEXT);"
    "CREATE TABLE usage (run_id INTEGER, job_id INTEGER, node INTEGER, user_cpu_us INTEGER,"
    " system_cpu_us INTEGER, max_rss_bytes INTEGER, max_gpu_memory_bytes INTEGER,"
    " max_gpu_percent INTEGER, PRIMARY KEY (run_id, node)) WITHOUT ROWID;"
    "CREATE TABLE steps (one INTEGER" LK_ACCOUNTING_STEP_FIELDS (
        COLUMN) ", PRIMARY KEY (run_id, step_id)) WITHOUT ROWID;"
                "CREATE TABLE events (seq INTEGER PRIMARY KEY, time_us INTEGER, kind TEXT, subject "
                "TEXT,"
                " detail TEXT, user_id INTEGER);"
                "CREATE TABLE reservations (number INTEGER, start_us INTEGER, end_us INTEGER,"
                " cpus INTEGER, node_count INTEGER, name TEXT, nodes TEXT,"
                " PRIMARY KEY (number, start_us)) WITHOUT ROWID;"
                "CREATE TABLE associations (id INTEGER PRIMARY KEY, account TEXT, user TEXT, "
                "partition TEXT,"
                " parent TEXT, shares INTEGER, qos TEXT, is_default INTEGER);"
                "CREATE UNIQUE INDEX jobs_by_id ON jobs (job_id, life);"
                "CREATE INDEX jobs_by_family ON jobs (family_id);"
                "CREATE INDEX jobs_by_end ON jobs (end_us);" HOURS;

struct _LkAccountingStore {
  sqlite3 *db;
  int lock_fd; /* -1: none */
  ino_t inode;
  sqlite3_stmt *statements[STATEMENT_COUNT];
  sqlite3_stmt *submit;
  sqlite3_stmt *lost_task;
  sqlite3_stmt *groups[LK_ACCOUNTING_GROUP_COUNT]; /* NULL: that is not set alone */
  LkAccountingPosition position;
  char *failure; /* the first in this transaction; NULL: none */
};

/* ---------------------------------------------------------------- statements */

static gboolean
fail (LkAccountingStore *self, GError **error)
{
  g_set_error (error, LK_ACCOUNTING_ERROR, LK_ACCOUNTING_ERROR_STORE, "accounting: %s",
               self->failure != NULL ? self->failure : sqlite3_errmsg (self->db));
  g_clear_pointer (&self->failure, g_free);
  return FALSE;
}

static void
note_failure (LkAccountingStore *self)
{
  if (self->failure == NULL)
    self->failure = g_strdup (sqlite3_errmsg (self->db));
}

static void
execute (LkAccountingStore *self, const char *sql)
{
  if (self->failure == NULL && sqlite3_exec (self->db, sql, NULL, NULL, NULL) != SQLITE_OK)
    note_failure (self);
}

static void
step (LkAccountingStore *self, sqlite3_stmt *statement)
{
  if (self->failure == NULL && sqlite3_step (statement) != SQLITE_DONE)
    note_failure (self);
  sqlite3_reset (statement);
}

static void
bind_text (sqlite3_stmt *statement, int at, const char *text)
{
  sqlite3_bind_text (statement, at, text, -1, SQLITE_STATIC);
}

static void
bind_u64 (sqlite3_stmt *statement, int at, guint64 value)
{
  sqlite3_bind_int64 (statement, at, (gint64)value);
}

static void
prepare (LkAccountingStore *self, const char *sql, sqlite3_stmt **out_statement)
{
  if (self->failure == NULL
      && sqlite3_prepare_v3 (self->db, sql, -1, SQLITE_PREPARE_PERSISTENT, out_statement, NULL)
             != SQLITE_OK)
    note_failure (self);
}

/* The first moment counts, until it is taken back; one that is to come is given negative, and
 * counts at once. */
#define SET_ELIGIBLE                                                                               \
  " eligible_us = CASE WHEN ?2 <= 0 THEN -?2 WHEN eligible_us = 0 THEN ?2 ELSE eligible_us END"

/* The first that is known. */
#define SET_FIRST " priority = CASE WHEN priority = 0 THEN ?2 ELSE priority END"

/* "UPDATE jobs SET a = ?2, ... WHERE job_id = ?1 AND life = ..." */
static void
prepare_group (LkAccountingStore *self, LkAccountingGroup group)
{
  g_autoptr (GString) sql = g_string_new ("UPDATE jobs SET");
  int at = 2;
  gboolean is_own = group == LK_ACCOUNTING_ELIGIBLE || group == LK_ACCOUNTING_FIRST;
  if (is_own)
    g_string_append (sql, group == LK_ACCOUNTING_ELIGIBLE ? SET_ELIGIBLE : SET_FIRST);
  for (guint i = 0; !is_own && i < lk_accounting_job_field_count; i++)
    if (lk_accounting_job_fields[i].group == group) {
      g_string_append_printf (sql, "%s %s = ?%d", at > 2 ? "," : "",
                              lk_accounting_job_fields[i].name, at);
      at++;
    }
  g_string_append (sql, " WHERE job_id = ?1 AND life = " NEWEST);
  /* What comes behind its end is of the next life. */
  if (group == LK_ACCOUNTING_REASON || group == LK_ACCOUNTING_ELIGIBLE)
    g_string_append (sql, " AND end_us = 0");
  prepare (self, sql->str, &self->groups[group]);
}

static void
prepare_submit (LkAccountingStore *self)
{
  g_autoptr (GString) names = g_string_new ("INSERT INTO jobs (job_id");
  g_autoptr (GString) values = g_string_new (") VALUES (?1");
  int at = 2;
  for (guint i = 0; i < lk_accounting_job_field_count; i++)
    if (lk_accounting_job_fields[i].group == LK_ACCOUNTING_BATCH) {
      g_string_append_printf (names, ", %s", lk_accounting_job_fields[i].name);
      g_string_append_printf (values, ", ?%d", at++);
    }
  g_string_append_printf (names, "%s)", values->str);
  prepare (self, names->str, &self->submit);
}

/* The row of the array, but for what is told of the task: all that its submission and its wait have
 * made of it.  Nobody writes mail for it. */
static void
prepare_lost_task (LkAccountingStore *self)
{
  static const struct {
    const char *name;
    const char *value;
  } own[] = { { "life", "-1 - ?2" }, { "array_task", "?2" }, { "array_tasks", "''" },
              { "state", "?3" },     { "end_us", "?4" },     { "is_user_ended", "?5" },
              { "ender_id", "?6" },  { "mail_types", "0" } };
  g_autoptr (GString) names = g_string_new ("INSERT OR REPLACE INTO jobs (");
  g_autoptr (GString) values = g_string_new (") SELECT ");
  for (guint i = 0; i < lk_accounting_job_field_count; i++) {
    const char *name = lk_accounting_job_fields[i].name;
    const char *value = name;
    for (guint j = 0; j < G_N_ELEMENTS (own); j++)
      if (strcmp (own[j].name, name) == 0)
        value = own[j].value;
    g_string_append_printf (names, "%s%s", i > 0 ? ", " : "", name);
    g_string_append_printf (values, "%s%s", i > 0 ? ", " : "", value);
  }
  g_string_append_printf (names, "%s FROM jobs WHERE job_id = ?1 AND life = " NEWEST, values->str);
  prepare (self, names->str, &self->lost_task);
}

static void
prepare_all (LkAccountingStore *self)
{
  for (guint i = 0; i < STATEMENT_COUNT; i++)
    prepare (self, statement_texts[i], &self->statements[i]);
  prepare_submit (self);
  prepare_lost_task (self);
  for (LkAccountingGroup group = LK_ACCOUNTING_FIRST; group < LK_ACCOUNTING_GROUP_COUNT; group++)
    prepare_group (self, group);
}

/* ---------------------------------------------------------------- tables */

static gint64
number_of (LkAccountingStore *self, const char *sql)
{
  sqlite3_stmt *statement = NULL;
  gint64 value = 0;
  if (sqlite3_prepare_v2 (self->db, sql, -1, &statement, NULL) == SQLITE_OK
      && sqlite3_step (statement) == SQLITE_ROW)
    value = sqlite3_column_int64 (statement, 0);
  sqlite3_finalize (statement);
  return value;
}

static void
make_tables (LkAccountingStore *self)
{
  g_autoptr (GString) sql = g_string_new ("CREATE TABLE jobs (");
  for (guint i = 0; i < lk_accounting_job_field_count; i++) {
    const LkAccountingField *field = &lk_accounting_job_fields[i];
    g_string_append_printf (sql, "%s%s %s NOT NULL DEFAULT %s", i > 0 ? ", " : "", field->name,
                            field->type == LK_ACCOUNTING_text ? "TEXT" : "INTEGER",
                            field->type == LK_ACCOUNTING_text ? "''" : "0");
  }
  g_string_append (sql, ");");
  execute (self, "BEGIN IMMEDIATE");
  execute (self, sql->str);
  execute (self, tables);
  g_string_printf (sql, "PRAGMA user_version = %d; COMMIT", LK_ACCOUNTING_VERSION);
  execute (self, sql->str);
}

static void
read_position (sqlite3_stmt *row, int at, LkAccountingPosition *out)
{
  *out = (LkAccountingPosition){
    .offset_bytes = (guint64)sqlite3_column_int64 (row, at),
    .seq = (guint64)sqlite3_column_int64 (row, at + 1),
    .decision_count = (guint64)sqlite3_column_int64 (row, at + 2),
    .digest = { (guint64)sqlite3_column_int64 (row, at + 3),
                (guint64)sqlite3_column_int64 (row, at + 4) },
    .run_id_last = (guint64)sqlite3_column_int64 (row, at + 5),
    .term = (guint64)sqlite3_column_int64 (row, at + 6),
    .config = { (guint64)sqlite3_column_int64 (row, at + 7),
                (guint64)sqlite3_column_int64 (row, at + 8) },
  };
}

static void
load_position (LkAccountingStore *self)
{
  sqlite3_stmt *statement = NULL;
  if (sqlite3_prepare_v2 (self->db, "SELECT * FROM position", -1, &statement, NULL) == SQLITE_OK
      && sqlite3_step (statement) == SQLITE_ROW)
    read_position (statement, 1, &self->position);
  sqlite3_finalize (statement);
}

static gboolean
refuse_file (const char *path, const char *why, GError **error)
{
  g_set_error (error, LK_ACCOUNTING_ERROR, LK_ACCOUNTING_ERROR_STORE, "cannot open '%s': %s", path,
               why);
  return FALSE;
}

/* SQLite would make it by the umask, and through a link.  One writes: each knows what the last
 * transaction was of. */
static gboolean
make_file (LkAccountingStore *self, const char *path, GError **error)
{
  struct stat made;
  self->lock_fd = open (path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, FILE_MODE);
  if (self->lock_fd < 0 || fchmod (self->lock_fd, FILE_MODE) != 0
      || fstat (self->lock_fd, &made) != 0)
    return refuse_file (path, g_strerror (errno), error);
  self->inode = made.st_ino;
  if (flock (self->lock_fd, LOCK_EX | LOCK_NB) != 0)
    return refuse_file (path, "another process writes it", error);
  return TRUE;
}

static void
remove_files (const char *path)
{
  static const char *const behind[] = { "", "-wal", "-shm" };
  for (guint i = 0; i < G_N_ELEMENTS (behind); i++) {
    g_autofree char *name = g_strconcat (path, behind[i], NULL);
    unlink (name);
  }
}

static gboolean
open_file (LkAccountingStore *self, const char *path, GError **error)
{
  int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOFOLLOW;
  int persists = 1;
  if (!make_file (self, path, error))
    return FALSE;
  g_autofree char *real = realpath (path, NULL);
  if (real == NULL || sqlite3_open_v2 (real, &self->db, flags, NULL) != SQLITE_OK)
    return fail (self, error);
  sqlite3_busy_timeout (self->db, BUSY_MAX_MS);
  sqlite3_file_control (self->db, NULL, SQLITE_FCNTL_PERSIST_WAL, &persists);
  execute (self,
           "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;"
           "PRAGMA temp_store = MEMORY; PRAGMA journal_size_limit = " G_STRINGIFY (WAL_MAX_BYTES));
  return self->failure == NULL ? TRUE : fail (self, error);
}

static void
close_file (LkAccountingStore *self)
{
  for (guint i = 0; i < STATEMENT_COUNT; i++)
    sqlite3_finalize (self->statements[i]);
  for (guint i = 0; i < LK_ACCOUNTING_GROUP_COUNT; i++)
    sqlite3_finalize (self->groups[i]);
  sqlite3_finalize (self->submit);
  sqlite3_finalize (self->lost_task);
  sqlite3_close (self->db);
  /* Only now: closing it takes the locks of SQLite away (POSIX). */
  if (self->lock_fd >= 0)
    close (self->lock_fd);
  g_free (self->failure);
}

LkAccountingStore *
lk_accounting_store_new (const char *path, GError **error)
{
  g_autoptr (LkAccountingStore) self = g_new0 (LkAccountingStore, 1);
  self->lock_fd = -1;
  if (!open_file (self, path, error))
    return NULL;
  gint64 version = number_of (self, "PRAGMA user_version");
  if (version != 0 && version != LK_ACCOUNTING_VERSION) {
    close_file (self);
    *self = (LkAccountingStore){ .lock_fd = -1 };
    remove_files (path);
    if (!open_file (self, path, error))
      return NULL;
    version = 0;
  }
  if (version == 0)
    make_tables (self);
  prepare_all (self);
  if (self->failure != NULL) {
    fail (self, error);
    return NULL;
  }
  load_position (self);
  return g_steal_pointer (&self);
}

void
lk_accounting_store_free (LkAccountingStore *self)
{
  if (self == NULL)
    return;
  close_file (self);
  g_free (self);
}

gboolean
lk_accounting_store_is_at (const LkAccountingStore *self, const char *path)
{
  struct stat found;
  return stat (path, &found) == 0 && found.st_ino == self->inode;
}

/* ---------------------------------------------------------------- transactions */

void
lk_accounting_store_position (const LkAccountingStore *self, LkAccountingPosition *out_position)
{
  *out_position = self->position;
}

void
lk_accounting_store_begin (LkAccountingStore *self)
{
  execute (self, "BEGIN IMMEDIATE");
}

static int
bind_position (sqlite3_stmt *statement, const LkAccountingPosition *position)
{
  const guint64 values[] = { position->offset_bytes,   position->seq,
                             position->decision_count, position->digest.low,
                             position->digest.high,    position->run_id_last,
                             position->term,           position->config.low,
                             position->config.high };
  for (guint i = 0; i < G_N_ELEMENTS (values); i++)
    bind_u64 (statement, (int)i + 1, values[i]);
  return (int)G_N_ELEMENTS (values) + 1;
}

gboolean
lk_accounting_store_commit (LkAccountingStore *self, const LkAccountingPosition *position,
                            GError **error)
{
  bind_position (self->statements[POSITION], position);
  step (self, self->statements[POSITION]);
  execute (self, "COMMIT");
  if (self->failure != NULL) {
    if (sqlite3_get_autocommit (self->db) == 0)
      sqlite3_exec (self->db, "ROLLBACK", NULL, NULL, NULL);
    return fail (self, error);
  }
  self->position = *position;
  return TRUE;
}

void
lk_accounting_store_abort (LkAccountingStore *self)
{
  if (sqlite3_get_autocommit (self->db) == 0)
    sqlite3_exec (self->db, "ROLLBACK", NULL, NULL, NULL);
  g_clear_pointer (&self->failure, g_free);
}

void
lk_accounting_store_clear (LkAccountingStore *self)
{
  execute (self, "DELETE FROM jobs; DELETE FROM usage; DELETE FROM steps; DELETE FROM events;"
                 "DELETE FROM reservations;"
                 "DELETE FROM associations; DELETE FROM cluster; DELETE FROM engine;"
                 "DELETE FROM position");
}

/* ---------------------------------------------------------------- rows */

static void
bind_group (sqlite3_stmt *statement, LkAccountingGroup group, const LkAccountingJob *job)
{
  int at = 2;
  for (guint i = 0; i < lk_accounting_job_field_count; i++) {
    const LkAccountingField *field = &lk_accounting_job_fields[i];
    const void *place = (const guint8 *)job + field->offset_bytes;
    if (field->group != group)
      continue;
    if (field->type == LK_ACCOUNTING_text)
      bind_text (statement, at++, *(const char *const *)place);
    else
      sqlite3_bind_int64 (statement, at++, *(const gint64 *)place);
  }
}

void
lk_accounting_store_submit (LkAccountingStore *self, const LkAccountingJob *job)
{
  sqlite3_bind_int64 (self->submit, 1, job->job_id);
  bind_group (self->submit, LK_ACCOUNTING_BATCH, job);
  step (self, self->submit);
}

void
lk_accounting_store_again (LkAccountingStore *self, guint32 job_id, guint32 from_job_id)
{
  sqlite3_stmt *statement = self->statements[job_id == from_job_id ? AGAIN : TASK];
  sqlite3_bind_int64 (statement, 1, job_id);
  sqlite3_bind_int64 (statement, 2, from_job_id);
  step (self, statement);
}

void
lk_accounting_store_lost_task (LkAccountingStore *self, guint32 array_job_id,
                               const LkAccountingJob *job)
{
  sqlite3_bind_int64 (self->lost_task, 1, array_job_id);
  sqlite3_bind_int64 (self->lost_task, 2, job->array_task);
  sqlite3_bind_int64 (self->lost_task, 3, job->state);
  sqlite3_bind_int64 (self->lost_task, 4, job->end_us);
  sqlite3_bind_int64 (self->lost_task, 5, job->is_user_ended);
  sqlite3_bind_int64 (self->lost_task, 6, job->ender_id);
  step (self, self->lost_task);
}

void
lk_accounting_store_set (LkAccountingStore *self, guint32 job_id, LkAccountingGroup group,
                         const LkAccountingJob *job)
{
  sqlite3_stmt *statement = self->groups[group];
  sqlite3_bind_int64 (statement, 1, job_id);
  bind_group (statement, group, job);
  step (self, statement);
}

void
lk_accounting_store_usage (LkAccountingStore *self, const LkAccountingUsage *usage)
{
  sqlite3_stmt *statement = self->statements[USAGE];
  bind_u64 (statement, 1, usage->run_id);
  sqlite3_bind_int64 (statement, 2, usage->job_id);
  sqlite3_bind_int64 (statement, 3, usage->node);
  sqlite3_bind_int64 (statement, 4, usage->user_cpu_us);
  sqlite3_bind_int64 (statement, 5, usage->system_cpu_us);
  sqlite3_bind_int64 (statement, 6, usage->max_rss_bytes);
  step (self, statement);
}

void
lk_accounting_store_gpu_usage (LkAccountingStore *self, const LkAccountingGpuUsage *usage)
{
  sqlite3_stmt *statement = self->statements[GPU_USAGE];
  bind_u64 (statement, 1, usage->run_id);
  sqlite3_bind_int64 (statement, 2, usage->node);
  sqlite3_bind_int64 (statement, 3, usage->max_gpu_memory_bytes);
  sqlite3_bind_int64 (statement, 4, usage->max_gpu_percent);
  step (self, statement);
}

#define BIND_integer(name) sqlite3_bind_int64 (statement, at++, row->name);
#define BIND_text(name) bind_text (statement, at++, row->name);
#define BIND(type, name, help) BIND_##type (name)

void
lk_accounting_store_step (LkAccountingStore *self, const LkAccountingStep *row)
{
  sqlite3_stmt *statement = self->statements[STEP];
  int at = 1;
  LK_ACCOUNTING_STEP_BEGIN_FIELDS (BIND)
  step (self, statement);
}

void
lk_accounting_store_step_ended (LkAccountingStore *self, const LkAccountingStep *row)
{
  sqlite3_stmt *statement = self->statements[STEP_ENDED];
  int at = 1;
  LK_ACCOUNTING_STEP_END_FIELDS (BIND)
  sqlite3_bind_int64 (statement, at, row->run_id);
  sqlite3_bind_int64 (statement, at + 1, row->step_id);
  step (self, statement);
}

void
lk_accounting_store_reservation (LkAccountingStore *self, const LkAccountingReservation *row)
{
  sqlite3_stmt *statement = self->statements[RESERVATION];
  const gint64 counts[] = { row->number, row->start_us, row->end_us, row->cpus, row->node_count };
  for (guint i = 0; i < G_N_ELEMENTS (counts); i++)
    sqlite3_bind_int64 (statement, (int)i + 1, counts[i]);
  bind_text (statement, 6, row->name);
  bind_text (statement, 7, row->nodes);
  step (self, statement);
}

void
lk_accounting_store_reservation_ended (LkAccountingStore *self, guint32 number, gint64 at_us)
{
  sqlite3_stmt *statement = self->statements[RESERVATION_ENDED];
  sqlite3_bind_int64 (statement, 1, number);
  sqlite3_bind_int64 (statement, 2, at_us);
  step (self, statement);
}

void
lk_accounting_store_event (LkAccountingStore *self, const LkAccountingEvent *event)
{
  sqlite3_stmt *statement = self->statements[EVENT];
  bind_u64 (statement, 1, event->seq);
  sqlite3_bind_int64 (statement, 2, event->time_us);
  bind_text (statement, 3, event->kind);
  bind_text (statement, 4, event->subject);
  bind_text (statement, 5, event->detail);
  sqlite3_bind_int64 (statement, 6, event->user_id);
  step (self, statement);
}

void
lk_accounting_store_accounts (LkAccountingStore *self, const LkAccounts *accounts)
{
  sqlite3_stmt *statement = self->statements[ACCOUNT];
  execute (self, "DELETE FROM associations");
  for (guint i = 0; i < accounts->associations->len; i++) {
    const LkAssociationSpec *spec = g_ptr_array_index (accounts->associations, i);
    const char *texts[] = { spec->account, spec->user, spec->partition, spec->parent };
    sqlite3_bind_int64 (statement, 1, (gint64)i + 1);
    for (guint at = 0; at < G_N_ELEMENTS (texts); at++)
      bind_text (statement, (int)at + 2, texts[at]);
    sqlite3_bind_int64 (statement, 6, spec->shares);
    bind_text (statement, 7, spec->qos);
    sqlite3_bind_int64 (statement, 8, spec->is_default ? 1 : 0);
    step (self, statement);
  }
}

void
lk_accounting_store_cluster (LkAccountingStore *self, const char *name)
{
  sqlite3_stmt *statement = NULL;
  execute (self, "DELETE FROM cluster");
  prepare (self, "INSERT INTO cluster VALUES (?1)", &statement);
  bind_text (statement, 1, name);
  step (self, statement);
  sqlite3_finalize (statement);
}

/* ---------------------------------------------------------------- the engine */

void
lk_accounting_store_keep_engine (LkAccountingStore *self, const GByteArray *bytes,
                                 const LkAccountingPosition *position)
{
  sqlite3_stmt *statement = self->statements[ENGINE];
  int at = bind_position (statement, position);
  sqlite3_bind_blob64 (statement, at, bytes->data, bytes->len, SQLITE_STATIC);
  step (self, statement);
}

GBytes *
lk_accounting_store_engine (LkAccountingStore *self, LkAccountingPosition *out_position)
{
  sqlite3_stmt *statement = NULL;
  GBytes *bytes = NULL;
  if (sqlite3_prepare_v2 (self->db, "SELECT * FROM engine", -1, &statement, NULL) == SQLITE_OK
      && sqlite3_step (statement) == SQLITE_ROW) {
    read_position (statement, 1, out_position);
    gsize length = (gsize)sqlite3_column_bytes (statement, 10);
    bytes = g_bytes_new (sqlite3_column_blob (statement, 10), length);
  }
  sqlite3_finalize (statement);
  return bytes;
}

/* ---------------------------------------------------------------- documentation */

void
lk_accounting_markdown (GString *out)
{
  g_string_append (out, "| column | type | what it is |\n|---|---|---|\n");
  for (guint i = 0; i < lk_accounting_job_field_count; i++) {
    const LkAccountingField *field = &lk_accounting_job_fields[i];
    g_string_append_printf (out, "| `%s` | %s | %s |\n", field->name,
                            field->type == LK_ACCOUNTING_text ? "text" : "integer", field->help);
  }
}

#define ROW_OF_FIELD(type, name, help) "| `" #name "` | " #type " | " help " |\n"

void
lk_accounting_steps_markdown (GString *out)
{
  g_string_append (
      out,
      "| column | type | what it is |\n|---|---|---|\n" LK_ACCOUNTING_STEP_FIELDS (ROW_OF_FIELD));
}
