/* sim/run_check.c — see run_check.h. */
#include "sim/run_check.h"

#include <sys/stat.h>

#include "sim/cluster_series.h"
#include "sim/error.h"
#include "sim/placement_csv.h"
#include "sim/results.h"

static gboolean
is_same_file (const char *a, const char *b)
{
  struct stat status_a;
  struct stat status_b;
  return stat (a, &status_a) == 0 && stat (b, &status_b) == 0 && status_a.st_ino == status_b.st_ino
         && status_a.st_dev == status_b.st_dev;
}

gboolean
lk_run_check_journal_path (const LkSettings *settings, GError **error)
{
  const char *wrong = NULL;
  g_autofree char *directory = g_path_get_dirname (settings->journal_path);
  g_autofree char *name = g_path_get_basename (settings->journal_path);
  const char *const result_names[] = { LK_RESULTS_CSV,
                                       LK_RESULTS_SQLITE,
                                       LK_RESULTS_SUMMARY,
                                       LK_RESULTS_BATSIM,
                                       LK_PLACEMENT_CSV,
                                       LK_CLUSTER_SERIES_CSV,
                                       NULL };
  if (is_same_file (settings->journal_path, settings->trace_path))
    wrong = "is the TRACE itself";
  else if (settings->out_path != NULL && g_strv_contains (result_names, name)
           && is_same_file (directory, settings->out_path))
    wrong = "is the name of a result in --out";
  if (wrong != NULL)
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE, "--journal '%s' %s",
                 settings->journal_path, wrong);
  return wrong == NULL;
}

gboolean
lk_run_check_any (const LkTraceSource *source, const LkRunTotals *totals, GError **error)
{
  LkTraceCounts counts;
  lk_trace_source_counts (source, &counts);
  guint64 refused = totals->dropped_refused + totals->dropped_too_large;
  if (counts.kept == 0 || counts.kept > refused - counts.dropped.too_large)
    return TRUE;
  guint most = LK_REJECT_TOO_LARGE;
  for (guint reject = 0; reject < LK_REJECT_LIMIT; reject++)
    if (totals->refused[reject] > totals->refused[most])
      most = reject;
  g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_RUN,
               "the machine refused all %" G_GUINT64_FORMAT " jobs, most of them because: %s%s",
               counts.kept, lk_reject_text (most),
               most == LK_REJECT_PARTITION_UNKNOWN ? " (--map partition=none leaves it to the "
                                                     "machine)"
                                                   : "");
  return FALSE;
}
