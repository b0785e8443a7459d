/* live/client/accounting/sacct_book.c — rows of the file that accounting is kept in.
 *
 * Only read: whoever may read the file may ask, and needs nothing that runs. */
#include <grp.h>
#include <pwd.h>
#include <sqlite3.h>
#include <string.h>

#include "engine/assert.h"
#include "engine/codec.h"
#include "live/accounting/place.h"
#include "live/accounting/store.h"
#include "live/client/accounting/sacct.h"

#define BUSY_MAX_MS 5000

typedef struct {
  LkSacctBook *book;
  sqlite3 *db;
  GHashTable *users; /* interned names by id */
  GHashTable *groups;
  GHashTable *associations; /* numbers by "account/user/partition" */
} Reader;

void
lk_sacct_book_clear (LkSacctBook *self)
{
  if (self->jobs == NULL)
    return;
  g_ptr_array_unref (self->jobs);
  g_string_chunk_free (self->texts);
  g_free (self->cluster);
}

/* ---------------------------------------------------------------- where it is */

char *
lk_sacct_book_path (const LkClient *client)
{
  const char *named = lk_client_variable (client, "LOCKSTEP_DIR");
  const char *state = lk_client_variable (client, "XDG_STATE_HOME");
  const char *home = lk_client_variable (client, "HOME");
  g_autofree char *own = NULL;
  const char *conf_path = lk_client_variable (client, "SLURM_CONF");
  if (named != NULL && *named != '\0')
    return g_build_filename (named, LK_ACCOUNTING_FILE, NULL);
  if (conf_path != NULL && *conf_path != '\0') {
    char *path = lk_accounting_place_database (conf_path, NULL);
    return path != NULL ? path : g_build_filename (conf_path, LK_ACCOUNTING_FILE, NULL);
  }
  if (state != NULL && *state != '\0')
    own = g_build_filename (state, "lockstep", LK_ACCOUNTING_FILE, NULL);
  else if (home != NULL)
    own = g_build_filename (home, ".local", "state", "lockstep", LK_ACCOUNTING_FILE, NULL);
  if (own != NULL && g_file_test (own, G_FILE_TEST_EXISTS))
    return g_steal_pointer (&own);
  if (g_file_test (LK_ACCOUNTING_STATE_DIR "/" LK_ACCOUNTING_FILE, G_FILE_TEST_EXISTS))
    return g_strdup (LK_ACCOUNTING_STATE_DIR "/" LK_ACCOUNTING_FILE);
  return g_strdup (LK_ACCOUNTING_CACHE_DIR "/" LK_ACCOUNTING_FILE);
}

sqlite3 *
lk_sacct_book_open (const LkClient *client)
{
  g_autofree char *path = lk_sacct_book_path (client);
  sqlite3 *db = NULL;
  lk_sacct_book_await (client, path);
  if (!g_file_test (path, G_FILE_TEST_EXISTS)) {
    lk_client_error (client, "there is no '%s': lockstep accounting follow makes it", path);
    return NULL;
  }
  if (sqlite3_open_v2 (path, &db, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK) {
    lk_client_error (client, "%s: %s", path, sqlite3_errmsg (db));
    sqlite3_close (db);
    return NULL;
  }
  sqlite3_busy_timeout (db, BUSY_MAX_MS);
  return db;
}

/* ---------------------------------------------------------------- names */

static const char *
named (GHashTable *known, gint64 id, const char *name)
{
  g_autofree char *number = g_strdup_printf ("%" G_GINT64_FORMAT, id);
  const char *found = g_intern_string (name != NULL ? name : number);
  g_hash_table_insert (known, GUINT_TO_POINTER ((guint32)id), (gpointer)found);
  return found;
}

static const char *
user_name (const Reader *self, const LkAccountingJob *job)
{
  const char *known;
  LK_ASSERT (job->user_name != NULL);
  if (job->user_name[0] != '\0')
    return job->user_name;
  known = g_hash_table_lookup (self->users, GUINT_TO_POINTER ((guint32)job->user_id));
  if (known != NULL)
    return known;
  const struct passwd *entry = getpwuid ((uid_t)job->user_id);
  return named (self->users, job->user_id, entry != NULL ? entry->pw_name : NULL);
}

static const char *
group_name (const Reader *self, const LkAccountingJob *job)
{
  const char *known = g_hash_table_lookup (self->groups, GUINT_TO_POINTER ((guint32)job->group_id));
  if (known != NULL)
    return known;
  const struct group *entry = getgrgid ((gid_t)job->group_id);
  return named (self->groups, job->group_id, entry != NULL ? entry->gr_name : NULL);
}

/* ---------------------------------------------------------------- rows */

static gboolean
fail (const Reader *self, GError **error)
{
  g_set_error (error, g_quark_from_static_string ("lk-sacct"), 1, "accounting: %s",
               sqlite3_errmsg (self->db));
  return FALSE;
}

/* The columns of jobs by name, as a file may have been made by another version. */
static char *
query_text (const LkSacctRange *range)
{
  GString *sql = g_string_new ("SELECT ");
  for (guint i = 0; i < lk_accounting_job_field_count; i++)
    g_string_append_printf (sql, "jobs.%s, ", lk_accounting_job_fields[i].name);
  g_string_append (sql, "IFNULL(SUM(u.user_cpu_us), 0), IFNULL(SUM(u.system_cpu_us), 0),"
                        " IFNULL(MAX(u.max_rss_bytes), 0), IFNULL(SUM(u.max_rss_bytes), 0),"
                        " IFNULL(MAX(u.max_gpu_memory_bytes), 0),"
                        " IFNULL(SUM(u.max_gpu_memory_bytes), 0),"
                        " IFNULL(MAX(u.max_gpu_percent), 0), IFNULL(SUM(u.max_gpu_percent), 0),"
                        " COUNT(u.node) FROM jobs LEFT JOIN usage AS u"
                        " ON u.run_id = jobs.run_id AND jobs.run_id != 0 WHERE ");
  if (range->job_ids != NULL)
    g_string_append (sql, "(jobs.job_id = ?1 OR jobs.family_id = ?1)");
  else
    g_string_append (sql, "(jobs.end_us = 0 OR jobs.end_us >= ?2)");
  g_string_append (sql, " AND jobs.submit_us <= ?3 AND (?4 < 0 OR jobs.user_id = ?4)"
                        " GROUP BY jobs.job_id, jobs.life ORDER BY jobs.job_id, jobs.life");
  return g_string_free (sql, FALSE);
}

static gboolean
read_associations (const Reader *self, GError **error)
{
  sqlite3_stmt *statement = NULL;
  int status;
  if (sqlite3_prepare_v2 (self->db,
                          "SELECT id, account || '/' || user || '/' || partition FROM associations",
                          -1, &statement, NULL)
      != SQLITE_OK)
    return fail (self, error);
  while ((status = sqlite3_step (statement)) == SQLITE_ROW)
    g_hash_table_insert (self->associations,
                         g_strdup ((const char *)sqlite3_column_text (statement, 1)),
                         GINT_TO_POINTER (sqlite3_column_int (statement, 0)));
  sqlite3_finalize (statement);
  return status == SQLITE_DONE || fail (self, error);
}

/* One of its partition goes before one of all. */
static gint64
association_of (const Reader *self, const LkAccountingJob *job)
{
  g_autofree char *own = g_strjoin ("/", job->account, job->user_name, job->partition, NULL);
  g_autofree char *any = g_strjoin ("/", job->account, job->user_name, "", NULL);
  gpointer found = g_hash_table_lookup (self->associations, own);
  if (found == NULL)
    found = g_hash_table_lookup (self->associations, any);
  return GPOINTER_TO_INT (found);
}

static const char *
text_of (const Reader *self, sqlite3_stmt *row, int at)
{
  const char *text = (const char *)sqlite3_column_text (row, at);
  return g_string_chunk_insert_const (self->book->texts, text != NULL ? text : "");
}

static void
job_free (gpointer data)
{
  LkSacctJob *job = data;
  if (job != NULL && job->steps != NULL)
    g_array_unref (job->steps);
  g_free (job);
}

static void
take_row (const Reader *self, sqlite3_stmt *row)
{
  LkSacctJob *out = g_new0 (LkSacctJob, 1);
  int at = 0;
  for (guint i = 0; i < lk_accounting_job_field_count; i++, at++) {
    const LkAccountingField *field = &lk_accounting_job_fields[i];
    void *place = (guint8 *)&out->job + field->offset_bytes;
    if (field->type == LK_ACCOUNTING_integer)
      *(gint64 *)place = sqlite3_column_int64 (row, at);
    else
      *(const char **)place = text_of (self, row, at);
  }
  out->usage = (LkSacctUsage){ .user_cpu_us = sqlite3_column_int64 (row, at),
                               .system_cpu_us = sqlite3_column_int64 (row, at + 1),
                               .max_rss_bytes = sqlite3_column_int64 (row, at + 2),
                               .sum_rss_bytes = sqlite3_column_int64 (row, at + 3),
                               .max_gpu_memory_bytes = sqlite3_column_int64 (row, at + 4),
                               .sum_gpu_memory_bytes = sqlite3_column_int64 (row, at + 5),
                               .max_gpu_percent = sqlite3_column_int64 (row, at + 6),
                               .sum_gpu_percent = sqlite3_column_int64 (row, at + 7),
                               .node_count = sqlite3_column_int64 (row, at + 8) };
  out->user = user_name (self, &out->job);
  out->group = group_name (self, &out->job);
  out->association_id = association_of (self, &out->job);
  g_ptr_array_add (self->book->jobs, out);
}

static gboolean
read_rows (const Reader *self, sqlite3_stmt *statement, GError **error)
{
  int status;
  while ((status = sqlite3_step (statement)) == SQLITE_ROW)
    take_row (self, statement);
  sqlite3_reset (statement);
  return status == SQLITE_DONE || fail (self, error);
}

static gboolean
read_each (const Reader *self, const LkSacctRange *range, sqlite3_stmt *statement, GError **error)
{
  for (guint i = 0; i < range->job_ids->len; i++) {
    sqlite3_bind_int64 (statement, 1, g_array_index (range->job_ids, gint64, i));
    if (!read_rows (self, statement, error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
read_jobs (const Reader *self, const LkSacctRange *range, GError **error)
{
  sqlite3_stmt *statement = NULL;
  g_autofree char *sql = query_text (range);
  if (sqlite3_prepare_v2 (self->db, sql, -1, &statement, NULL) != SQLITE_OK)
    return fail (self, error);
  sqlite3_bind_int64 (statement, 3, range->to_us);
  sqlite3_bind_int64 (statement, 4, range->user_id);
  if (range->job_ids == NULL)
    sqlite3_bind_int64 (statement, 2, range->from_us);
  gboolean is_good = range->job_ids != NULL ? read_each (self, range, statement, error)
                                            : read_rows (self, statement, error);
  sqlite3_finalize (statement);
  return is_good;
}

static gint
compare_jobs (gconstpointer a, gconstpointer b)
{
  const LkAccountingJob *x = &(*(const LkSacctJob *const *)a)->job;
  const LkAccountingJob *y = &(*(const LkSacctJob *const *)b)->job;
  if (x->job_id != y->job_id)
    return x->job_id < y->job_id ? -1 : 1;
  return (x->life > y->life) - (x->life < y->life);
}

/* What two of the ids mean was read twice. */
static void
sort_jobs (GPtrArray *jobs)
{
  guint kept = 0;
  g_ptr_array_sort (jobs, compare_jobs);
  for (guint i = 0; i < jobs->len; i++) {
    if (kept > 0 && compare_jobs (&jobs->pdata[kept - 1], &jobs->pdata[i]) == 0)
      job_free (jobs->pdata[i]);
    else
      jobs->pdata[kept++] = jobs->pdata[i];
  }
  for (guint i = kept; i < jobs->len; i++)
    jobs->pdata[i] = NULL;
  g_ptr_array_set_size (jobs, (int)kept);
}

/* ---------------------------------------------------------------- steps */

#define NAME(type, name, help) ", " #name
#define TAKE_integer sqlite3_column_int64 (row, at++)
#define TAKE_text text_of (self, row, at++)
#define TAKE(type, name, help) step.name = TAKE_##type;

static void
take_step (const Reader *self, sqlite3_stmt *row, LkSacctJob *job)
{
  LkAccountingStep step;
  int at = 1;
  LK_ACCOUNTING_STEP_FIELDS (TAKE)
  if (job->steps == NULL)
    job->steps = g_array_new (FALSE, FALSE, sizeof (LkAccountingStep));
  g_array_append_val (job->steps, step);
}

static gboolean
read_steps (const Reader *self, GError **error)
{
  sqlite3_stmt *statement = NULL;
  int status = SQLITE_DONE;
  if (sqlite3_prepare_v2 (self->db,
                          "SELECT one" LK_ACCOUNTING_STEP_FIELDS (
                              NAME) " FROM steps WHERE run_id = ?1 ORDER BY step_id",
                          -1, &statement, NULL)
      != SQLITE_OK)
    return fail (self, error);
  for (guint i = 0; i < self->book->jobs->len && status == SQLITE_DONE; i++) {
    LkSacctJob *job = g_ptr_array_index (self->book->jobs, i);
    sqlite3_bind_int64 (statement, 1, job->job.run_id);
    while (job->job.run_id != 0 && (status = sqlite3_step (statement)) == SQLITE_ROW)
      take_step (self, statement, job);
    sqlite3_reset (statement);
  }
  sqlite3_finalize (statement);
  return status == SQLITE_DONE || fail (self, error);
}

LkSacctJob
lk_sacct_batch_job (const LkSacctJob *job)
{
  LkSacctJob as = *job;
  for (guint i = 0; job->steps != NULL && i < job->steps->len; i++) {
    const LkAccountingStep *step = &g_array_index (job->steps, LkAccountingStep, i);
    as.usage.user_cpu_us = MAX (as.usage.user_cpu_us - step->user_cpu_us, 0);
    as.usage.system_cpu_us = MAX (as.usage.system_cpu_us - step->system_cpu_us, 0);
  }
  return as;
}

LkSacctJob
lk_sacct_step_job (const LkSacctJob *job, const LkAccountingStep *step)
{
  LkSacctJob as = *job;
  as.job.start_us = step->start_us;
  as.job.end_us = step->end_us;
  as.job.suspended_us = as.job.suspend_us = 0;
  as.job.state = step->end_us != 0 ? step->state : LK_JOB_RUNNING;
  as.job.exit_code = step->exit_code;
  as.job.signal = step->signal;
  as.job.nodes = step->nodes;
  as.job.batch_cpus = step->cpus;
  as.job.allocated_tres = step->allocated_tres;
  as.usage = (LkSacctUsage){ .user_cpu_us = step->user_cpu_us,
                             .system_cpu_us = step->system_cpu_us,
                             .max_rss_bytes = step->rss_max_bytes,
                             .sum_rss_bytes = step->rss_sum_bytes,
                             .max_gpu_memory_bytes = step->gpu_memory_max_bytes,
                             .sum_gpu_memory_bytes = step->gpu_memory_max_bytes,
                             .max_gpu_percent = step->gpu_percent_max,
                             .sum_gpu_percent = step->gpu_percent_max,
                             .node_count = step->counted_tasks };
  return as;
}

char *
lk_sacct_book_cluster (sqlite3 *db)
{
  sqlite3_stmt *statement = NULL;
  char *name = NULL;
  if (sqlite3_prepare_v2 (db, "SELECT name FROM cluster", -1, &statement, NULL) == SQLITE_OK
      && sqlite3_step (statement) == SQLITE_ROW)
    name = g_strdup ((const char *)sqlite3_column_text (statement, 0));
  sqlite3_finalize (statement);
  return name != NULL ? name : g_strdup ("");
}

gboolean
lk_sacct_book_has_user (const char *path, const char *name)
{
  static const char sql[] = "SELECT 1 FROM associations WHERE user = ?1"
                            " UNION ALL SELECT 1 FROM jobs WHERE user_name = ?1";
  sqlite3 *db = NULL;
  sqlite3_stmt *statement = NULL;
  gboolean has = FALSE;
  if (sqlite3_open_v2 (path, &db, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK
      && sqlite3_busy_timeout (db, BUSY_MAX_MS) == SQLITE_OK
      && sqlite3_prepare_v2 (db, sql, -1, &statement, NULL) == SQLITE_OK) {
    sqlite3_bind_text (statement, 1, name, -1, SQLITE_STATIC);
    has = sqlite3_step (statement) == SQLITE_ROW;
  }
  sqlite3_finalize (statement);
  sqlite3_close (db);
  return has;
}

static gboolean
read_all (Reader *self, const char *path, const LkSacctRange *range, GError **error)
{
  if (sqlite3_open_v2 (path, &self->db, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK)
    return fail (self, error);
  sqlite3_busy_timeout (self->db, BUSY_MAX_MS);
  self->book->cluster = lk_sacct_book_cluster (self->db);
  if (!read_associations (self, error) || !read_jobs (self, range, error))
    return FALSE;
  sort_jobs (self->book->jobs);
  return read_steps (self, error);
}

gboolean
lk_sacct_book_read (LkSacctBook *self, const char *path, const LkSacctRange *range, GError **error)
{
  Reader reader = { .book = self,
                    .users = g_hash_table_new (NULL, NULL),
                    .groups = g_hash_table_new (NULL, NULL),
                    .associations = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL) };
  *self = (LkSacctBook){ .jobs = g_ptr_array_new_with_free_func (job_free),
                         .texts = g_string_chunk_new (4096) };
  gboolean is_good = read_all (&reader, path, range, error);
  sqlite3_close (reader.db);
  g_hash_table_unref (reader.users);
  g_hash_table_unref (reader.groups);
  g_hash_table_unref (reader.associations);
  return is_good;
}
