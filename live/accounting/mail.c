/* live/accounting/mail.c — see the header. */
#include "live/accounting/mail.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <signal.h>
#include <spawn.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/checked.h"
#include "live/accounting/mail_letter.h"
#include "live/accounting/store.h"
#include "live/core/batch.h"

#define SECOND_US G_GINT64_CONSTANT (1000000)
#define BUSY_MAX_MS 10000
/* Above all types: nothing more is to be sent. */
#define DONE (1u << 30)
/* A program that hangs is ended. */
#define PROGRAM_MAX_US (60 * SECOND_US)
#define TRIES_MAX 4u
/* What has happened so long before the store was begun is told all the same: the controller begins
 * before it. */
#define GRACE_US (60 * SECOND_US)

struct _LkMail {
  sqlite3 *db;
  char *program;
  char *domain;
  char *cluster;
  gint64 since_us;
  /* The letter that is under way, or is to be tried again. */
  pid_t pid; /* 0: none is */
  int fd;    /* of the process */
  gint64 begun_us;
  guint try_count; /* of this letter; 0: there is none */
  gint64 again_us; /* when to try it again */
  gint64 job_id;
  gint64 life;
  guint32 type;
};

/* ---------------------------------------------------------------- the store */

static gboolean
fail (const LkMail *self, GError **error)
{
  g_set_error (error, LK_ACCOUNTING_ERROR, LK_ACCOUNTING_ERROR_STORE, "mail: %s",
               sqlite3_errmsg (self->db));
  return FALSE;
}

static gboolean
execute (LkMail *self, const char *sql, GError **error)
{
  return sqlite3_exec (self->db, sql, NULL, NULL, NULL) == SQLITE_OK || fail (self, error);
}

/* Up to three numbers. Returns: NULL: see error. */
static sqlite3_stmt *
prepare (const LkMail *self, const char *sql, const gint64 *numbers, guint count, GError **error)
{
  sqlite3_stmt *statement = NULL;
  if (sqlite3_prepare_v2 (self->db, sql, -1, &statement, NULL) != SQLITE_OK) {
    fail (self, error);
    return NULL;
  }
  for (guint i = 0; i < count; i++)
    sqlite3_bind_int64 (statement, (int)i + 1, numbers[i]);
  return statement;
}

static gboolean
run (LkMail *self, const char *sql, const gint64 *numbers, guint count, GError **error)
{
  sqlite3_stmt *statement = prepare (self, sql, numbers, count, error);
  if (statement == NULL)
    return FALSE;
  gboolean is_good = sqlite3_step (statement) == SQLITE_DONE || fail (self, error);
  sqlite3_finalize (statement);
  return is_good;
}

static gboolean
note_told (LkMail *self, gint64 job_id, gint64 life, guint32 told, GError **error)
{
  const gint64 numbers[] = { told, job_id, life };
  return run (self, "UPDATE jobs SET mail_told = mail_told | ?1 WHERE job_id = ?2 AND life = ?3",
              numbers, G_N_ELEMENTS (numbers), error);
}

/* ---------------------------------------------------------------- what is to be told */

/* Rows of which something may have to be told: of arrays only the first one, unless each task is
 * wanted; of heterogeneous jobs the first component, as in Slurm (mail_job_info). */
#define WANTED                                                                                     \
  "SELECT job_id, life, array_job_id, array_task, mail_types, mail_told, user_id, name, "          \
  "partition,"                                                                                     \
  " account, work_dir, state, reason, submit_us, start_us, end_us, suspended_us, limit_us,"        \
  " exit_code, signal, mail_user, EXISTS (SELECT 1 FROM jobs AS next"                              \
  " WHERE next.job_id = jobs.job_id AND next.life > jobs.life)"                                    \
  " FROM jobs WHERE mail_types <> 0 AND mail_told < 1073741824 AND het_offset = 0"                 \
  " AND (start_us > 0 OR end_us > 0 OR reason <> 0 OR job_id = array_job_id)"                      \
  " ORDER BY job_id, life"
#define WHOLE                                                                                      \
  "SELECT MIN(CASE WHEN start_us > 0 THEN start_us END), MAX(end_us), SUM(end_us = 0),"            \
  " MIN(exit_code), MAX(exit_code), MAX(signal), MIN(state) <> MAX(state),"                        \
  " MAX(CASE WHEN state = 2 THEN 0 ELSE state END) FROM jobs AS task WHERE array_job_id = ?1"      \
  " AND NOT EXISTS (SELECT 1 FROM jobs AS next"                                                    \
  " WHERE next.job_id = task.job_id AND next.life > task.life)"

static const char *
text_at (sqlite3_stmt *row, int column)
{
  const char *text = (const char *)sqlite3_column_text (row, column);
  return text != NULL ? text : "";
}

/* Texts are those of the row, until the next step. */
static void
read_facts (sqlite3_stmt *row, LkMailFacts *out)
{
  *out = (LkMailFacts){ .job_id = (guint32)sqlite3_column_int64 (row, 0),
                        .array_job_id = (guint32)sqlite3_column_int64 (row, 2),
                        .array_task = sqlite3_column_int64 (row, 3),
                        .types = (guint32)sqlite3_column_int64 (row, 4),
                        .told = (guint32)sqlite3_column_int64 (row, 5),
                        .user_id = (guint32)sqlite3_column_int64 (row, 6),
                        .name = text_at (row, 7),
                        .partition = text_at (row, 8),
                        .account = text_at (row, 9),
                        .work_dir = text_at (row, 10),
                        .state = (guint)sqlite3_column_int64 (row, 11),
                        .reason = (guint)sqlite3_column_int64 (row, 12),
                        .submit_us = sqlite3_column_int64 (row, 13),
                        .start_us = sqlite3_column_int64 (row, 14),
                        .end_us = sqlite3_column_int64 (row, 15),
                        .suspended_us = sqlite3_column_int64 (row, 16),
                        .limit_us = sqlite3_column_int64 (row, 17),
                        .exit_code_min = sqlite3_column_int64 (row, 18),
                        .exit_code_max = sqlite3_column_int64 (row, 18),
                        .signal_max = sqlite3_column_int64 (row, 19),
                        .is_requeued = sqlite3_column_int64 (row, 21) != 0 };
}

static gboolean
is_task (const LkMailFacts *facts)
{
  return facts->array_job_id != 0 && (facts->types & LK_BATCH_MAIL_ARRAY_TASKS) == 0;
}

/* What has become of all tasks. It ends when the last has. */
static gboolean
read_array (LkMail *self, LkMailFacts *facts, GError **error)
{
  const gint64 numbers[] = { facts->array_job_id };
  sqlite3_stmt *row = prepare (self, WHOLE, numbers, 1, error);
  if (row == NULL)
    return FALSE;
  if (sqlite3_step (row) == SQLITE_ROW) {
    gboolean is_over = sqlite3_column_int64 (row, 2) == 0;
    facts->is_array = TRUE;
    facts->is_requeued = FALSE;
    facts->limit_us = G_MAXINT64;
    facts->suspended_us = 0;
    facts->start_us = sqlite3_column_int64 (row, 0);
    facts->end_us = is_over ? sqlite3_column_int64 (row, 1) : 0;
    facts->exit_code_min = sqlite3_column_int64 (row, 3);
    facts->exit_code_max = sqlite3_column_int64 (row, 4);
    facts->signal_max = sqlite3_column_int64 (row, 5);
    facts->is_mixed = is_over && sqlite3_column_int64 (row, 6) != 0;
    gint64 worst = sqlite3_column_int64 (row, 7);
    facts->state = worst != 0 ? (guint)worst : LK_JOB_COMPLETED;
  }
  sqlite3_finalize (row);
  return TRUE;
}

/* ---------------------------------------------------------------- a letter */

/* Returns: (transfer full), NULL: there is nobody to write to. */
static char *
address_of (const LkMail *self, const LkMailFacts *facts, const char *given)
{
  const struct passwd *user = getpwuid (facts->user_id);
  g_autofree char *address = NULL;
  if (given[0] != '\0')
    address = g_strdup (given);
  else if (user != NULL)
    address =
        g_strdup_printf ("%s%s%s", user->pw_name, self->domain[0] != '\0' ? "@" : "", self->domain);
  if (address != NULL && lk_mail_is_address (address))
    return g_steal_pointer (&address);
  fprintf (stderr, "mail: job %u: nobody can be written to\n", facts->job_id);
  return NULL;
}

/* Returns: 0, or an error number. */
static int
spawn (LkMail *self, const char *subject, const char *address, char **environment)
{
  const char *const arguments[] = { self->program, "-s", subject, address, NULL };
  posix_spawn_file_actions_t files;
  posix_spawnattr_t how;
  sigset_t none;
  sigset_t all;
  sigemptyset (&none);
  sigfillset (&all);
  posix_spawn_file_actions_init (&files);
  posix_spawn_file_actions_addopen (&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2 (&files, STDERR_FILENO, STDOUT_FILENO);
  posix_spawnattr_init (&how);
  posix_spawnattr_setflags (&how,
                            POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  posix_spawnattr_setsigmask (&how, &none);
  posix_spawnattr_setsigdefault (&how, &all);
  int result =
      posix_spawn (&self->pid, self->program, &files, &how, (char **)arguments, environment);
  posix_spawn_file_actions_destroy (&files);
  posix_spawnattr_destroy (&how);
  if (result != 0) {
    self->pid = 0;
    return result;
  }
  self->fd = (int)syscall (SYS_pidfd_open, self->pid, 0);
  return 0;
}

static gint64
wait_us (guint try_count)
{
  static const gint64 waits_us[TRIES_MAX] = { SECOND_US, SECOND_US, 10 * SECOND_US,
                                              60 * SECOND_US };
  return waits_us[MIN (try_count, TRIES_MAX - 1)];
}

/* Tried again later, or given up. */
static gboolean
failed (LkMail *self, const char *why, gint64 now_us, GError **error)
{
  gboolean is_over = self->try_count >= TRIES_MAX;
  fprintf (stderr, "mail: job %" G_GINT64_FORMAT ": %s %s%s\n", self->job_id, self->program, why,
           is_over ? "; given up" : "");
  self->again_us = now_us + wait_us (self->try_count);
  if (!is_over)
    return TRUE;
  self->try_count = 0;
  return note_told (self, self->job_id, self->life, self->type, error);
}

/* One letter of those that are due, the earliest kind first. FALSE: see error. */
static gboolean
begin_letter (LkMail *self, const LkMailFacts *facts, guint32 type, const char *given,
              gint64 now_us, GError **error)
{
  const struct passwd *user = getpwuid (facts->user_id);
  g_autofree char *name = g_strdup (user != NULL ? user->pw_name : "");
  g_autofree char *address = address_of (self, facts, given);
  if (address == NULL)
    return note_told (self, self->job_id, self->life, DONE, error);
  g_autofree char *subject = lk_mail_subject (facts, type, now_us);
  g_auto (GStrv) environment = lk_mail_environment (facts, type, self->cluster, name, now_us);
  self->type = type;
  self->try_count++;
  self->begun_us = now_us;
  int result = spawn (self, subject, address, environment);
  return result == 0 || failed (self, g_strerror (result), now_us, error);
}

/* ---------------------------------------------------------------- looking */

/* Which of those that are due is told first. */
static guint32
first_of (guint32 due)
{
  static const guint32 order[] = { LK_BATCH_MAIL_BEGIN, LK_BATCH_MAIL_TIME_LIMIT_50,
                                   LK_BATCH_MAIL_TIME_LIMIT_80, LK_BATCH_MAIL_TIME_LIMIT_90,
                                   LK_BATCH_MAIL_TIME_LIMIT };
  for (guint i = 0; i < G_N_ELEMENTS (order); i++)
    if ((due & order[i]) != 0)
      return order[i];
  return due & -due;
}

/* One row. `out_has_begun`: a letter of it. */
static gboolean
look_at (LkMail *self, sqlite3_stmt *row, gint64 now_us, gboolean *out_has_begun, GError **error)
{
  LkMailFacts facts;
  gint64 job_id = sqlite3_column_int64 (row, 0);
  gint64 life = sqlite3_column_int64 (row, 1);
  read_facts (row, &facts);
  if (is_task (&facts) && (facts.job_id != facts.array_job_id || life > 0))
    return note_told (self, job_id, life, DONE, error);
  if (is_task (&facts) && !read_array (self, &facts, error))
    return FALSE;
  guint32 due = lk_mail_due (&facts, now_us, self->since_us);
  if (lk_mail_is_over (&facts, due))
    return note_told (self, job_id, life, DONE, error);
  if (due == 0)
    return TRUE;
  *out_has_begun = TRUE;
  if (job_id != self->job_id || life != self->life || self->type != first_of (due))
    self->try_count = 0;
  self->job_id = job_id;
  self->life = life;
  return begin_letter (self, &facts, first_of (due), text_at (row, 20), now_us, error);
}

static gboolean
begin_next (LkMail *self, gint64 now_us, GError **error)
{
  sqlite3_stmt *rows = prepare (self, WANTED, NULL, 0, error);
  gboolean has_begun = FALSE;
  gboolean is_good = rows != NULL;
  int step = SQLITE_DONE;
  while (is_good && !has_begun && (step = sqlite3_step (rows)) == SQLITE_ROW)
    is_good = look_at (self, rows, now_us, &has_begun, error);
  if (is_good && step != SQLITE_DONE && step != SQLITE_ROW)
    is_good = fail (self, error);
  sqlite3_finalize (rows);
  return is_good;
}

static gboolean
take_end (LkMail *self, int status, gint64 now_us, GError **error)
{
  self->pid = 0;
  if (self->fd >= 0)
    close (self->fd);
  self->fd = -1;
  g_autofree char *why = WIFEXITED (status)
                             ? g_strdup_printf ("has failed with status %d", WEXITSTATUS (status))
                             : g_strdup_printf ("was ended by signal %d", WTERMSIG (status));
  if (status != 0)
    return failed (self, why, now_us, error);
  self->try_count = 0;
  return note_told (self, self->job_id, self->life, self->type, error);
}

gboolean
lk_mail_look (LkMail *self, gint64 now_us, GError **error)
{
  int status = 0;
  if (self->pid != 0) {
    if (now_us - self->begun_us >= PROGRAM_MAX_US)
      kill (-self->pid, SIGKILL);
    if (waitpid (self->pid, &status, WNOHANG) != self->pid)
      return TRUE;
    if (!take_end (self, status, now_us, error))
      return FALSE;
  }
  if (self->try_count > 0 && now_us < self->again_us)
    return TRUE;
  return begin_next (self, now_us, error);
}

int
lk_mail_fd (const LkMail *self)
{
  return self->fd;
}

/* ---------------------------------------------------------------- beginning and end */

/* Since when all is told: since the store was first looked at for mail. */
static gboolean
read_since (LkMail *self, GError **error)
{
  const gint64 now[] = { g_get_real_time () - GRACE_US };
  sqlite3_stmt *row = NULL;
  if (!execute (self,
                "CREATE TABLE IF NOT EXISTS mail (one INTEGER PRIMARY KEY, since_us INTEGER);"
                "CREATE INDEX IF NOT EXISTS jobs_by_mail ON jobs (job_id, life)"
                " WHERE mail_types <> 0 AND mail_told < 1073741824",
                error)
      || !run (self, "INSERT OR IGNORE INTO mail VALUES (1, ?1)", now, 1, error))
    return FALSE;
  row = prepare (self, "SELECT since_us, (SELECT name FROM cluster) FROM mail", NULL, 0, error);
  if (row == NULL)
    return FALSE;
  if (sqlite3_step (row) == SQLITE_ROW) {
    self->since_us = sqlite3_column_int64 (row, 0);
    self->cluster = g_strdup (text_at (row, 1));
  }
  sqlite3_finalize (row);
  return TRUE;
}

LkMail *
lk_mail_new (const LkMailOptions *options, GError **error)
{
  g_autoptr (LkMail) self = g_new0 (LkMail, 1);
  self->fd = -1;
  self->program = g_strdup (options->program);
  self->domain = g_strdup (options->domain);
  g_autofree char *real = realpath (options->database, NULL);
  if (sqlite3_open_v2 (real != NULL ? real : options->database, &self->db,
                       SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOFOLLOW, NULL)
      != SQLITE_OK) {
    fail (self, error);
    return NULL;
  }
  sqlite3_busy_timeout (self->db, BUSY_MAX_MS);
  return read_since (self, error) ? g_steal_pointer (&self) : NULL;
}

void
lk_mail_free (LkMail *self)
{
  if (self == NULL)
    return;
  if (self->pid != 0) {
    kill (-self->pid, SIGKILL);
    while (waitpid (self->pid, NULL, 0) < 0 && errno == EINTR)
      continue;
  }
  if (self->fd >= 0)
    close (self->fd);
  sqlite3_close (self->db);
  g_free (self->program);
  g_free (self->domain);
  g_free (self->cluster);
  g_free (self);
}
