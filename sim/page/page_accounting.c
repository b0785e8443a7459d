/* sim/page/page_accounting.c — see the header. */
#include "sim/page/page_accounting.h"

#include <string.h>

#include "engine/codec.h"
#include "sim/error.h"
#include "sim/metrics.h"
#include "sim/page/page_place.h"

/* Jobs that a user submitted before accounting knew the user have no name: they get the one of the
 * user's other jobs. */
static const char select_jobs[] =
    "SELECT job_id, array_job_id, array_task, het_leader, het_offset,"
    " CASE WHEN user_name = '' THEN ifnull (known.only_name, '') ELSE user_name END, jobs.user_id,"
    " account, qos, partition, name, state, asked_cpus, cpus, allocated_tres, submit_us, start_us, "
    "end_us,"
    " limit_us, node_list, reason, is_backfilled"
    " FROM jobs LEFT JOIN (SELECT user_id, max(user_name) AS only_name FROM jobs WHERE user_name "
    "<> ''"
    " GROUP BY user_id HAVING min(user_name) = max(user_name)) AS known"
    " ON known.user_id = jobs.user_id ORDER BY submit_us, job_id, life";

enum {
  JOB_ID,
  ARRAY_ID,
  ARRAY_TASK,
  HET_LEADER,
  HET_OFFSET,
  USER_NAME,
  USER_ID,
  ACCOUNT,
  QOS,
  PARTITION,
  NAME,
  STATE,
  ASKED_CPUS,
  CPUS,
  TRES,
  SUBMIT,
  START,
  END,
  LIMIT,
  NODE_LIST,
  REASON,
  BACKFILLED
};

static const char *
text_at (sqlite3_stmt *statement, int at)
{
  const char *text = (const char *)sqlite3_column_text (statement, at);
  return text != NULL ? text : "";
}

/* 0 is none. */
static gint64
moment_at (sqlite3_stmt *statement, int at)
{
  gint64 time_us = sqlite3_column_int64 (statement, at);
  return time_us > 0 ? time_us : LK_TIME_NEVER;
}

static guint32
read_id (LkPageRun *run, sqlite3_stmt *statement)
{
  gint64 array = sqlite3_column_int64 (statement, ARRAY_ID);
  gint64 task = sqlite3_column_int64 (statement, ARRAY_TASK);
  gint64 leader = sqlite3_column_int64 (statement, HET_LEADER);
  g_autofree char *text = NULL;
  if (array > 0 && task >= 0)
    text = g_strdup_printf ("%" G_GINT64_FORMAT "_%" G_GINT64_FORMAT, array, task);
  else if (leader > 0)
    text = g_strdup_printf ("%" G_GINT64_FORMAT "+%" G_GINT64_FORMAT, leader,
                            (gint64)sqlite3_column_int64 (statement, HET_OFFSET));
  return lk_page_names_add (&run->names, text);
}

/* "cpu=4,gres/gpu=2": the GPUs of all types. */
static guint32
gpus_of (const char *tres)
{
  const char *found = strstr (tres, "gres/gpu=");
  if (found == NULL || (found != tres && found[-1] != ','))
    return 0;
  return (guint32)MIN (g_ascii_strtoull (found + strlen ("gres/gpu="), NULL, 10), 4000000) * 1000;
}

static void
read_wait (LkPageRun *run, LkPageJob *job, sqlite3_stmt *statement)
{
  guint32 reason = (guint32)sqlite3_column_int64 (statement, REASON);
  if (reason == 0 || job->start_us == LK_TIME_NEVER || job->start_us <= job->submit_us)
    return;
  /* Accounting keeps the last reason only; how long it held is not told. */
  LkPageWait wait = { reason, 0 };
  g_array_append_val (run->waits, wait);
}

static void
read_job (LkPageRun *run, LkPagePlacer *placer, sqlite3_stmt *statement)
{
  const char *user = text_at (statement, USER_NAME);
  const char *wrong = NULL;
  gint64 cpus = sqlite3_column_int64 (statement, CPUS);
  guint state = (guint)sqlite3_column_int64 (statement, STATE);
  LkPageJob job = {
    .number = sqlite3_column_int64 (statement, JOB_ID),
    .id = read_id (run, statement),
    .title = lk_page_names_add (&run->names, text_at (statement, NAME)),
    .fields = { [LK_PAGE_USER] = lk_page_names_add (
                    &run->names, *user != '\0' ? user : text_at (statement, USER_ID)),
                [LK_PAGE_ACCOUNT] = lk_page_names_add (&run->names, text_at (statement, ACCOUNT)),
                [LK_PAGE_QOS] = lk_page_names_add (&run->names, text_at (statement, QOS)),
                [LK_PAGE_PARTITION] =
                    lk_page_names_add (&run->names, text_at (statement, PARTITION)) },
    .procs = (guint32)(cpus > 0 ? cpus : sqlite3_column_int64 (statement, ASKED_CPUS)),
    .gpus_milli = gpus_of (text_at (statement, TRES)),
    .submit_us = sqlite3_column_int64 (statement, SUBMIT),
    .start_us = moment_at (statement, START),
    .end_us = moment_at (statement, END),
    .limit_us = moment_at (statement, LIMIT),
    .state = lk_page_names_add (&run->names, lk_job_state_name (state)),
    .is_backfilled = sqlite3_column_int (statement, BACKFILLED) != 0,
    .is_requeued = state == LK_JOB_REQUEUED,
  };
  lk_page_placer_add (placer, &job, text_at (statement, NODE_LIST), &wrong);
  job.wait_first = run->waits->len;
  read_wait (run, &job, statement);
  job.wait_count = run->waits->len - job.wait_first;
  g_array_append_val (run->jobs, job);
}

static gboolean
read_jobs (sqlite3 *db, LkPageRun *run, GError **error)
{
  sqlite3_stmt *statement = NULL;
  LkPagePlacer placer;
  int status = sqlite3_prepare_v2 (db, select_jobs, -1, &statement, NULL);
  lk_page_placer_init (&placer);
  while (status == SQLITE_OK && sqlite3_step (statement) == SQLITE_ROW)
    read_job (run, &placer, statement);
  /* Of a statement that could not be prepared there is nothing to finalize. */
  status = statement != NULL ? sqlite3_finalize (statement) : status;
  if (status == SQLITE_OK)
    lk_page_placer_finish (&placer, run);
  else
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_FORMAT,
                 "'%s' cannot be read as the accounting of a cluster: %s", run->source,
                 sqlite3_errmsg (db));
  lk_page_placer_clear (&placer);
  return status == SQLITE_OK;
}

static char *
cluster_name (sqlite3 *db)
{
  sqlite3_stmt *statement = NULL;
  char *name = NULL;
  if (sqlite3_prepare_v2 (db, "SELECT name FROM cluster", -1, &statement, NULL) == SQLITE_OK
      && sqlite3_step (statement) == SQLITE_ROW)
    name = g_strdup (text_at (statement, 0));
  sqlite3_finalize (statement);
  return name != NULL ? name : g_strdup ("");
}

/* ---------------------------------------------------------------- metrics */

static gboolean
count_jobs (LkPageRun *run, LkSpool *spool, GError **error)
{
  double counts[LK_PAGE_METRIC_COUNT] = { 0 };
  for (guint i = 0; i < run->jobs->len; i++) {
    const LkPageJob *job = lk_page_run_job (run, i);
    if (job->is_requeued)
      counts[LK_PAGE_METRIC_REQUEUED]++;
    else if (job->start_us == LK_TIME_NEVER)
      counts[LK_PAGE_METRIC_UNSTARTED]++;
    if (job->is_requeued || job->start_us == LK_TIME_NEVER)
      continue;
    const char *state = lk_page_names_text (&run->names, job->state);
    counts[LK_PAGE_METRIC_BACKFILLED] += job->is_backfilled;
    counts[LK_PAGE_METRIC_KILLED] += strcmp (state, lk_job_state_name (LK_JOB_TIMEOUT)) == 0;
    gint64 end_us = job->end_us != LK_TIME_NEVER ? job->end_us : run->end_us;
    LkSpoolRecord record = { .start_us = job->start_us,
                             .wait_us = lk_page_job_wait_us (run, job),
                             .run_us = MAX (0, end_us - job->start_us),
                             .procs = job->procs };
    if (!lk_spool_add (spool, &record, error))
      return FALSE;
  }
  run->metrics[LK_PAGE_METRIC_BACKFILLED] = counts[LK_PAGE_METRIC_BACKFILLED];
  run->metrics[LK_PAGE_METRIC_KILLED] = counts[LK_PAGE_METRIC_KILLED];
  run->metrics[LK_PAGE_METRIC_UNSTARTED] = counts[LK_PAGE_METRIC_UNSTARTED];
  run->metrics[LK_PAGE_METRIC_REQUEUED] = counts[LK_PAGE_METRIC_REQUEUED];
  return TRUE;
}

static gboolean
compute_metrics (LkPageRun *run, GError **error)
{
  LkMetrics metrics;
  const LkMetricsOptions options = { .procs = 1 }; /* how many there are is not told */
  g_autoptr (LkSpool) spool = lk_spool_new (LK_SPOOL_LIMIT_DEFAULT_BYTES, NULL);
  if (!count_jobs (run, spool, error) || !lk_metrics_compute (spool, &options, &metrics, error))
    return FALSE;
  run->metrics[LK_PAGE_METRIC_JOBS] = (double)metrics.jobs;
  run->metrics[LK_PAGE_METRIC_WAIT_MEAN] = metrics.mean_wait_s;
  run->metrics[LK_PAGE_METRIC_WAIT_MEDIAN] = metrics.median_wait_s;
  run->metrics[LK_PAGE_METRIC_WAIT_P95] = metrics.p95_wait_s;
  run->metrics[LK_PAGE_METRIC_WAIT_MAX] = metrics.max_wait_s;
  run->metrics[LK_PAGE_METRIC_SLOWDOWN_MEAN] = metrics.mean_bounded_slowdown;
  run->metrics[LK_PAGE_METRIC_SLOWDOWN_MEDIAN] = metrics.median_bounded_slowdown;
  run->metrics[LK_PAGE_METRIC_SLOWDOWN_P95] = metrics.p95_bounded_slowdown;
  run->metrics[LK_PAGE_METRIC_MAKESPAN] = (double)metrics.makespan_us / 1e6;
  return TRUE;
}

LkPageRun *
lk_page_accounting_load (sqlite3 *db, const char *source, GError **error)
{
  g_autoptr (LkPageRun) run = lk_page_run_new (source);
  run->is_live = TRUE;
  run->unix_start_us = 0;
  run->run_id = g_strdup ("");
  run->digest = g_strdup ("");
  run->trace = g_strdup ("");
  run->policies = g_strdup ("");
  run->machine = cluster_name (db);
  if (!read_jobs (db, run, error))
    return NULL;
  lk_page_run_settle (run);
  return compute_metrics (run, error) ? g_steal_pointer (&run) : NULL;
}
