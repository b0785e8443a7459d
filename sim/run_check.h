/* sim/run_check.h — what is looked at before and behind a run of a log. */
#ifndef LK_SIM_RUN_CHECK_H
#define LK_SIM_RUN_CHECK_H

#include <glib.h>

#include "sim/settings.h"
#include "sim/summary.h"

/* A journal must not replace the log, nor land among the results that this run will write. */
gboolean lk_run_check_journal_path (const LkSettings *settings, GError **error);
/* A run in which the machine refused every job tells nothing but why. */
gboolean lk_run_check_any (const LkTraceSource *source, const LkRunTotals *totals, GError **error);

#endif
