/* sim/page/page_accounting.h — the accounting of a live cluster (docs/accounting.md) as a run. */
#ifndef LK_SIM_PAGE_ACCOUNTING_H
#define LK_SIM_PAGE_ACCOUNTING_H

#include <sqlite3.h>

#include "sim/page/page_data.h"

/* Jobs that wait or run are taken up to the last moment that the database knows of. Its waits and
 * slowdowns are computed here, by the definitions of sim/metrics.h. Returns: (transfer full),
 * settled. */
LkPageRun *lk_page_accounting_load (sqlite3 *db, const char *source, GError **error);

#endif
