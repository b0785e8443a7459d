/* sim/run_check.c — see run_check.h. */
#include "sim/run_check.h"

#include "sim/cluster_series.h"
#include "sim/error.h"
#include "sim/placement_csv.h"
#include "sim/results.h"
#include "sim/statistics/shaken.h"
#include "sim/verb.h"

const char *const *
lk_run_result_names (void)
{
  static const char *const names[] = {
    LK_RESULTS_CSV,   LK_RESULTS_SQLITE,     LK_RESULTS_SUMMARY, LK_RESULTS_BATSIM,
    LK_PLACEMENT_CSV, LK_CLUSTER_SERIES_CSV, LK_SHAKEN_CSV,      NULL,
  };
  return names;
}

gboolean
lk_run_check_files (const LkSettings *settings, GError **error)
{
  const LkVerbFile files[] = {
    { "the TRACE", settings->trace_path, NULL, FALSE },
    { "--commands", settings->commands, NULL, FALSE },
    { "--cluster", settings->cluster_name, NULL, FALSE },
    { "--accounts", settings->accounts, NULL, FALSE },
    { "--csv-map", settings->csv_map, NULL, FALSE },
    { "--failures", settings->failures, NULL, FALSE },
    { "--reservations", settings->reservations, NULL, FALSE },
    { "--out", settings->out_path, lk_run_result_names (), TRUE },
    { "--journal", settings->journal_path, NULL, TRUE },
  };
  return lk_verb_check_files (files, G_N_ELEMENTS (files), error);
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
