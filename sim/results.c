/* sim/results.c — see results.h.
 *
 * Temporary names are fixed (NAME.partial), so that what a killed run has left is replaced by the
 * next one instead of piling up; the lock on jobs.csv.partial keeps two runs apart.  The old
 * summary.json goes away before anything is renamed, so that a crash among the renames cannot
 * leave a summary beside another run's jobs. */
#include "sim/results.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "engine/assert.h"
#include "engine/engine.h"
#include "sim/error.h"
#include "sim/results_batsim.h"
#include "sim/results_csv.h"
#include "sim/results_sqlite.h"
#include "sim/statistics/shaken.h"

#define PARTIAL ".partial"

struct _LkResults {
  LkRunInfo info; /* texts are owned */
  LkSpool *spool;
  LkAccountWaits *waits;
  LkFairness *fairness;
  GArray *wait_rows; /* of `waits`, at the end; NULL before */
  guint64 backfilled_count;
  guint64 killed_count;
  gint64 wall_begin_us;
  gboolean is_finished;

  char *directory; /* NULL: nothing is written */
  gboolean directory_made;
  LkResultsCsv *csv;
  LkResultsSqlite *sqlite;
  LkResultsBatsim *batsim; /* NULL: not wanted */
};

static char *
path_in (const LkResults *self, const char *name, const char *suffix)
{
  return g_strconcat (self->directory, G_DIR_SEPARATOR_S, name, suffix, NULL);
}

static gboolean
make_directory (LkResults *self, GError **error)
{
  if (g_mkdir (self->directory, 0777) == 0) {
    self->directory_made = TRUE;
    return TRUE;
  }
  int cause = errno;
  if (cause == EEXIST && g_file_test (self->directory, G_FILE_TEST_IS_DIR))
    return TRUE;
  g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_WRITE,
               "cannot create the directory '%s' for results: %s", self->directory,
               g_strerror (cause));
  return FALSE;
}

static gboolean
open_files (LkResults *self, GError **error)
{
  if (!make_directory (self, error))
    return FALSE;
  g_autofree char *csv_path = path_in (self, LK_RESULTS_CSV, PARTIAL);
  g_autofree char *sqlite_path = path_in (self, LK_RESULTS_SQLITE, PARTIAL);
  self->csv = lk_results_csv_new (csv_path, error);
  if (self->csv == NULL)
    return FALSE;
  self->sqlite = lk_results_sqlite_new (sqlite_path, error);
  return self->sqlite != NULL;
}

LkResults *
lk_results_new (const LkRunInfo *info, const char *directory, GError **error)
{
  g_autoptr (LkResults) self = g_new0 (LkResults, 1);
  self->info = *info;
  self->info.cluster = g_strdup (info->cluster);
  self->info.accounts = g_strdup (info->accounts != NULL ? info->accounts : "");
  self->info.limits = g_strdup (info->limits != NULL ? info->limits : "");
  self->info.preempt = g_strdup (info->preempt != NULL ? info->preempt : "none");
  self->info.trace = g_strdup (info->trace);
  self->info.order = g_strdup (info->order);
  self->info.backfill = g_strdup (info->backfill);
  self->info.select = g_strdup (info->select);
  self->info.limit = g_strdup (info->limit);
  self->info.tie_rule = g_strdup (info->tie_rule);
  self->info.estimates = g_strdup (info->estimates);
  self->info.users = g_strdup (info->users != NULL ? info->users : "");
  self->info.launch_latency = g_strdup (info->launch_latency != NULL ? info->launch_latency : "");
  self->info.limit_check = g_strdup (info->limit_check != NULL ? info->limit_check : "");
  self->info.kill_wait = g_strdup (info->kill_wait != NULL ? info->kill_wait : "");
  self->wall_begin_us = info->wall_begin_us != 0 ? info->wall_begin_us : g_get_monotonic_time ();
  self->directory = g_strdup (directory);
  self->waits = lk_account_waits_new ();
  self->fairness = lk_fairness_new ();
  self->spool = lk_spool_new (LK_SPOOL_LIMIT_DEFAULT_BYTES, directory);
  if (directory != NULL && !open_files (self, error))
    return NULL;
  return g_steal_pointer (&self);
}

void
lk_results_want_batsim (LkResults *self)
{
  LK_ASSERT (self->directory != NULL);
  LK_ASSERT (self->batsim == NULL);
  g_autofree char *workload_name = g_path_get_basename (self->info.trace);
  self->batsim = lk_results_batsim_new (workload_name);
}

static void
remove_partial (const LkResults *self, const char *name)
{
  g_autofree char *path = path_in (self, name, PARTIAL);
  g_unlink (path);
}

/* Only removes what this run holds: without the lock of the CSV file nothing in the directory is
 * its own. */
static void
abandon (LkResults *self)
{
  if (self->csv != NULL) {
    remove_partial (self, LK_RESULTS_SUMMARY);
    remove_partial (self, LK_RESULTS_SQLITE);
    remove_partial (self, LK_RESULTS_BATSIM);
    remove_partial (self, LK_RESULTS_CSV);
  }
  if (self->directory_made)
    g_rmdir (self->directory);
}

void
lk_results_free (LkResults *self)
{
  if (self == NULL)
    return;
  lk_results_sqlite_free (self->sqlite);
  lk_results_batsim_free (self->batsim);
  lk_spool_free (self->spool);
  lk_account_waits_free (self->waits);
  lk_fairness_free (self->fairness);
  g_clear_pointer (&self->wait_rows, g_array_unref);
  if (!self->is_finished && self->directory != NULL)
    abandon (self);
  lk_results_csv_free (self->csv);
  g_free ((char *)self->info.trace);
  g_free ((char *)self->info.cluster);
  g_free ((char *)self->info.accounts);
  g_free ((char *)self->info.limits);
  g_free ((char *)self->info.preempt);
  g_free ((char *)self->info.order);
  g_free ((char *)self->info.backfill);
  g_free ((char *)self->info.select);
  g_free ((char *)self->info.limit);
  g_free ((char *)self->info.tie_rule);
  g_free ((char *)self->info.estimates);
  g_free ((char *)self->info.users);
  g_free ((char *)self->info.launch_latency);
  g_free ((char *)self->info.limit_check);
  g_free ((char *)self->info.kill_wait);
  g_free (self->directory);
  g_free (self);
}

static gboolean
skip_number (const char **at)
{
  const char *first = *at;
  while (g_ascii_isdigit (**at))
    (*at)++;
  return *at > first;
}

gboolean
lk_job_name_is_id (const char *name)
{
  const char *at = name;
  if (!skip_number (&at) || (*at != '_' && *at != '+'))
    return FALSE;
  if (*at == '_' && (at++, !skip_number (&at)))
    return FALSE;
  if (*at == '+' && (at++, !skip_number (&at)))
    return FALSE;
  return *at == '\0' && (gsize)(at - name) <= LK_JOB_NAME_MAX_BYTES;
}

static gboolean
add_rows (LkResults *self, const LkJobRecord *record, GError **error)
{
  if (self->directory == NULL)
    return TRUE;
  if (self->batsim != NULL && !record->requeued)
    lk_results_batsim_add (self->batsim, record, record->allocated);
  return lk_results_csv_add (self->csv, record, error)
         && lk_results_sqlite_add (self->sqlite, record, error);
}

gboolean
lk_results_add (LkResults *self, const LkJobRecord *record, GError **error)
{
  LK_ASSERT (!self->is_finished);
  LK_ASSERT (record->submit_us <= record->start_us);
  LK_ASSERT (record->start_us <= record->end_us);
  if (record->requeued)
    return add_rows (self, record, error);
  LkSpoolRecord spooled = {
    .start_us = record->start_us,
    .wait_us = record->start_us - record->submit_us,
    .run_us = record->end_us - record->start_us,
    .procs = record->procs,
  };
  self->backfilled_count += record->backfilled ? 1 : 0;
  self->killed_count += record->killed ? 1 : 0;
  lk_account_waits_add (self->waits, record->account, record->qos, spooled.wait_us, spooled.run_us,
                        record->procs);
  lk_fairness_add (self->fairness, record->user, record->account, spooled.wait_us, spooled.run_us);
  return lk_spool_add (self->spool, &spooled, error) && add_rows (self, record, error);
}

/* VmHWM of /proc counts this program alone; getrusage also what the process was before it became
 * this program. */
static guint64
peak_rss_bytes (void)
{
  g_autofree char *status = NULL;
  struct rusage usage;
  if (g_file_get_contents ("/proc/self/status", &status, NULL, NULL)) {
    const char *line = strstr (status, "\nVmHWM:");
    guint64 kib = line == NULL ? 0 : g_ascii_strtoull (line + strlen ("\nVmHWM:"), NULL, 10);
    if (kib > 0)
      return kib * 1024;
  }
  return getrusage (RUSAGE_SELF, &usage) == 0 ? (guint64)usage.ru_maxrss * 1024 : 0;
}

static void
measure_cost (const LkResults *self, LkSummary *summary)
{
  gint64 wall_us = MAX (g_get_monotonic_time () - self->wall_begin_us, 1);
  summary->wall_s = (double)wall_us / 1e6;
  summary->jobs_per_s = (double)summary->metrics.jobs / summary->wall_s;
  summary->peak_rss_bytes = peak_rss_bytes ();
}

static gboolean
write_summary (LkResults *self, const LkSummary *summary, GError **error)
{
  g_autofree char *path = path_in (self, LK_RESULTS_SUMMARY, PARTIAL);
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GError) cause = NULL;
  lk_summary_json (summary, text);
  if (g_file_set_contents (path, text->str, (gssize)text->len, &cause))
    return TRUE;
  g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_WRITE, "cannot write '%s': %s", path,
               cause->message);
  return FALSE;
}

static gboolean
rename_result (const LkResults *self, const char *name, GError **error)
{
  g_autofree char *from = path_in (self, name, PARTIAL);
  g_autofree char *to = path_in (self, name, "");
  if (g_rename (from, to) == 0)
    return TRUE;
  g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_WRITE, "cannot rename '%s' to '%s': %s", from, to,
               g_strerror (errno));
  return FALSE;
}

static gboolean
remove_old (const LkResults *self, const char *name, GError **error)
{
  g_autofree char *path = path_in (self, name, "");
  if (g_unlink (path) == 0 || errno == ENOENT)
    return TRUE;
  g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_WRITE, "cannot replace '%s': %s", path,
               g_strerror (errno));
  return FALSE;
}

static gboolean
rename_results (const LkResults *self, GError **error)
{
  /* An older run's table must not stand beside this one's. */
  if (!remove_old (self, LK_RESULTS_SUMMARY, error) || !remove_old (self, LK_RESULTS_BATSIM, error)
      || !remove_old (self, LK_SHAKEN_CSV, error))
    return FALSE;
  return rename_result (self, LK_RESULTS_CSV, error)
         && rename_result (self, LK_RESULTS_SQLITE, error)
         && (self->batsim == NULL || rename_result (self, LK_RESULTS_BATSIM, error))
         && rename_result (self, LK_RESULTS_SUMMARY, error);
}

static gboolean
write_batsim (LkResults *self, GError **error)
{
  g_autofree char *path = path_in (self, LK_RESULTS_BATSIM, PARTIAL);
  return self->batsim == NULL || lk_results_batsim_write (self->batsim, path, error);
}

static gboolean
complete_files (LkResults *self, LkSummary *summary, GError **error)
{
  if (!lk_results_csv_flush (self->csv, error) || !lk_results_sqlite_index (self->sqlite, error))
    return FALSE;
  measure_cost (self, summary);
  if (!lk_results_sqlite_commit (self->sqlite, summary, error))
    return FALSE;
  g_clear_pointer (&self->sqlite, lk_results_sqlite_free);
  return write_batsim (self, error) && write_summary (self, summary, error)
         && rename_results (self, error);
}

gboolean
lk_results_finish (LkResults *self, const LkRunTotals *totals, LkSummary *out_summary,
                   GError **error)
{
  LK_ASSERT (!self->is_finished);
  LkMetricsOptions options = { .procs = self->info.procs,
                               .warmup_us = self->info.warmup_us,
                               .cooldown_us = self->info.cooldown_us };
  LkSummary summary = { .lockstep_version = LK_ENGINE_VERSION,
                        .info = self->info,
                        .totals = *totals,
                        .backfilled_jobs = self->backfilled_count,
                        .killed_jobs = self->killed_count };
  if (self->wait_rows == NULL)
    self->wait_rows = lk_account_waits_rows (self->waits);
  summary.account_waits = self->wait_rows;
  lk_fairness_indices (self->fairness, &summary.fairness);
  if (!lk_metrics_compute (self->spool, &options, &summary.metrics, error))
    return FALSE;
  lk_summary_name (&summary);
  measure_cost (self, &summary);
  if (self->directory != NULL && !complete_files (self, &summary, error))
    return FALSE;
  self->is_finished = TRUE;
  *out_summary = summary;
  return TRUE;
}
