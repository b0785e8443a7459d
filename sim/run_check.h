/* sim/run_check.h — what is looked at before and behind a run of a log. */
#ifndef LK_SIM_RUN_CHECK_H
#define LK_SIM_RUN_CHECK_H

#include <glib.h>

#include "sim/settings.h"
#include "sim/summary.h"

/* Names of the files that a run leaves in --out; ends with NULL. */
const char *const *lk_run_result_names (void);
/* Results and journal must replace nothing that the run reads, nor each other. */
gboolean lk_run_check_files (const LkSettings *settings, GError **error);
/* A run in which the machine refused every job tells nothing but why. */
gboolean lk_run_check_any (const LkTraceSource *source, const LkRunTotals *totals, GError **error);

#endif
