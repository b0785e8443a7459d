/* sim/seff/seff.c — what is read of a job, and what follows from it. See the header. */
#include "sim/seff/seff.h"

#include <pwd.h>
#include <sqlite3.h>
#include <string.h>

#include "engine/codec.h"
#include "sim/error.h"

static const char select_jobs[] =
    "SELECT j.job_id, j.array_job_id, j.array_task, j.het_leader, j.restarts, j.name, j.user_name,"
    " j.user_id, j.account, j.partition, j.state, j.exit_code, j.submit_us, j.start_us, j.end_us,"
    " j.suspended_us, j.suspend_us, j.limit_us, j.nodes, j.cpus, j.allocated_tres,"
    " COUNT(u.node), IFNULL(SUM(u.user_cpu_us) + SUM(u.system_cpu_us), 0),"
    " IFNULL(MAX(u.max_rss_bytes), 0), IFNULL(SUM(u.max_rss_bytes), 0),"
    " IFNULL(MAX(u.max_gpu_percent), 0), IFNULL(SUM(u.max_gpu_memory_bytes), 0)"
    " FROM jobs AS j LEFT JOIN usage AS u ON u.run_id = j.run_id AND j.run_id != 0"
    " WHERE (j.job_id = ?1 OR (j.array_job_id = ?1 AND j.array_task >= 0))"
    " AND (?2 < 0 OR (j.array_job_id = ?1 AND j.array_task = ?2))"
    " AND j.life = (SELECT MAX(life) FROM jobs WHERE job_id = j.job_id)"
    " GROUP BY j.job_id, j.life ORDER BY j.array_task, j.job_id";

enum {
  JOB_ID,
  ARRAY_ID,
  ARRAY_TASK,
  HET_LEADER,
  RESTARTS,
  NAME,
  USER_NAME,
  USER_ID,
  ACCOUNT,
  PARTITION,
  STATE,
  EXIT_CODE,
  SUBMIT,
  START,
  END,
  SUSPENDED,
  SUSPEND,
  LIMIT,
  NODES,
  CPUS,
  TRES,
  USAGE_NODES,
  CPU_TIME,
  MEMORY_MAX,
  MEMORY_SUM,
  GPU_MAX,
  GPU_MEMORY
};

const char *
lk_seff_ask_word (LkSeffAskKind kind)
{
#define X(NAME, word) word,
  static const char *const words[] = { LK_SEFF_ASKS (X) };
#undef X
  return words[kind];
}

/* ---------------------------------------------------------------- what follows */

gint64
lk_seff_run_us (const LkSeffJob *self)
{
  gint64 end_us = self->suspend_us != 0 ? self->suspend_us
                  : self->end_us != 0   ? self->end_us
                                        : self->now_us;
  return self->start_us != 0 ? MAX (end_us - self->start_us - self->suspended_us, 0) : 0;
}

gint64
lk_seff_wait_us (const LkSeffJob *self)
{
  gint64 until_us = self->start_us != 0 ? self->start_us
                    : self->end_us != 0 ? self->end_us
                                        : self->now_us;
  return MAX (until_us - self->submit_us, 0);
}

static double
percent (double part, double whole)
{
  return whole > 0 ? 100 * part / whole : -1;
}

double
lk_seff_cpu_percent (const LkSeffJob *self)
{
  double held_us = (double)lk_seff_run_us (self) * (double)self->cpus;
  return self->usage_nodes > 0 ? percent ((double)self->cpu_us, held_us) : -1;
}

double
lk_seff_memory_percent (const LkSeffJob *self)
{
  return self->usage_nodes > 0
             ? percent ((double)self->memory_sum_bytes, (double)self->memory_bytes)
             : -1;
}

double
lk_seff_time_percent (const LkSeffJob *self)
{
  if (self->limit_us == G_MAXINT64 || self->start_us == 0)
    return -1;
  return percent ((double)lk_seff_run_us (self), (double)self->limit_us);
}

char *
lk_seff_label (const LkSeffJob *self)
{
  if (self->array_job_id != 0 && self->array_task >= 0)
    return g_strdup_printf ("%" G_GINT64_FORMAT "_%" G_GINT64_FORMAT, self->array_job_id,
                            self->array_task);
  return g_strdup_printf ("%" G_GINT64_FORMAT, self->job_id);
}

/* ---------------------------------------------------------------- reading */

static void
ask_clear (gpointer data)
{
  LkSeffAsk *self = data;
  g_free (self->from);
  g_free (self->to);
}

static void
job_free (gpointer data)
{
  LkSeffJob *self = data;
  g_free (self->name);
  g_free (self->user);
  g_free (self->account);
  g_free (self->partition);
  g_free (self->state);
  g_free (self->no_cost);
  g_array_unref (self->asks);
  g_free (self);
}

static char *
text_at (sqlite3_stmt *row, int at)
{
  const char *text = (const char *)sqlite3_column_text (row, at);
  return g_strdup (text != NULL ? text : "");
}

/* By the name that is kept with the job, else by that which the machine knows, else the number. */
static char *
user_of (sqlite3_stmt *row)
{
  g_autofree char *kept = text_at (row, USER_NAME);
  if (kept[0] != '\0')
    return g_steal_pointer (&kept);
  const struct passwd *known = getpwuid ((uid_t)sqlite3_column_int64 (row, USER_ID));
  return known != NULL ? g_strdup (known->pw_name) : text_at (row, USER_ID);
}

/* "mem" of "cpu=4,mem=500M": bytes, as accounting writes MiB; else a count. */
static gint64
tres_of (const char *list, const char *name)
{
  g_auto (GStrv) parts = g_strsplit (list, ",", -1);
  gsize length = strlen (name);
  for (guint i = 0; parts[i] != NULL; i++) {
    char *end;
    if (strncmp (parts[i], name, length) != 0 || parts[i][length] != '=')
      continue;
    gint64 value = g_ascii_strtoll (parts[i] + length + 1, &end, 10);
    return *end == 'M' ? value << 20 : value;
  }
  return 0;
}

static LkSeffJob *
job_read (sqlite3_stmt *row)
{
  LkSeffJob *self = g_new0 (LkSeffJob, 1);
  g_autofree char *tres = text_at (row, TRES);
  struct {
    gint64 *place;
    int at;
  } numbers[] = {
    { &self->job_id, JOB_ID },
    { &self->array_job_id, ARRAY_ID },
    { &self->array_task, ARRAY_TASK },
    { &self->het_leader, HET_LEADER },
    { &self->restarts, RESTARTS },
    { &self->exit_code, EXIT_CODE },
    { &self->submit_us, SUBMIT },
    { &self->start_us, START },
    { &self->end_us, END },
    { &self->suspended_us, SUSPENDED },
    { &self->suspend_us, SUSPEND },
    { &self->limit_us, LIMIT },
    { &self->nodes, NODES },
    { &self->cpus, CPUS },
    { &self->usage_nodes, USAGE_NODES },
    { &self->cpu_us, CPU_TIME },
    { &self->memory_max_bytes, MEMORY_MAX },
    { &self->memory_sum_bytes, MEMORY_SUM },
    { &self->gpu_max_percent, GPU_MAX },
    { &self->gpu_memory_bytes, GPU_MEMORY },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (numbers); i++)
    *numbers[i].place = sqlite3_column_int64 (row, numbers[i].at);
  self->name = text_at (row, NAME);
  self->user = user_of (row);
  self->account = text_at (row, ACCOUNT);
  self->partition = text_at (row, PARTITION);
  self->state = g_strdup (lk_job_state_name ((guint)sqlite3_column_int (row, STATE)));
  self->memory_bytes = tres_of (tres, "mem");
  self->gpus = tres_of (tres, "gres/gpu");
  self->now_us = g_get_real_time ();
  self->asks = g_array_new (FALSE, FALSE, sizeof (LkSeffAsk));
  g_array_set_clear_func (self->asks, ask_clear);
  return self;
}

/* "7", "7_3". */
static gboolean
word_parse (const char *word, gint64 *out_id, gint64 *out_task, GError **error)
{
  char *end;
  *out_id = g_ascii_strtoll (word, &end, 10);
  *out_task = -1;
  if (*end == '_' && g_ascii_isdigit (end[1]))
    *out_task = g_ascii_strtoll (end + 1, &end, 10);
  if (end != word && *end == '\0' && *out_id > 0)
    return TRUE;
  g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE,
               "'%s' is no job; expected its number, or that of an array and a task: 7_3", word);
  return FALSE;
}

static gboolean
jobs_add (sqlite3 *db, const char *path, const char *word, GPtrArray *jobs, GError **error)
{
  sqlite3_stmt *row = NULL;
  gint64 id;
  gint64 task;
  guint before = jobs->len;
  if (!word_parse (word, &id, &task, error))
    return FALSE;
  int code = sqlite3_prepare_v2 (db, select_jobs, -1, &row, NULL);
  if (code == SQLITE_OK) {
    sqlite3_bind_int64 (row, 1, id);
    sqlite3_bind_int64 (row, 2, task);
    while ((code = sqlite3_step (row)) == SQLITE_ROW)
      g_ptr_array_add (jobs, job_read (row));
  }
  sqlite3_finalize (row);
  if (code != SQLITE_DONE)
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_READ, "accounting '%s': %s", path,
                 sqlite3_errmsg (db));
  else if (jobs->len == before)
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_RUN, "accounting '%s': there is no job %s", path,
                 word);
  else
    return TRUE;
  return FALSE;
}

GPtrArray *
lk_seff_read (const char *path, char **words, GError **error)
{
  g_autoptr (GPtrArray) jobs = g_ptr_array_new_with_free_func (job_free);
  sqlite3 *db = NULL;
  gboolean is_good = sqlite3_open_v2 (path, &db, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK;
  if (!is_good)
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_READ, "accounting '%s': %s", path,
                 sqlite3_errmsg (db));
  for (guint i = 0; is_good && words[i] != NULL; i++)
    is_good = jobs_add (db, path, words[i], jobs, error);
  sqlite3_close (db);
  return is_good ? g_steal_pointer (&jobs) : NULL;
}
