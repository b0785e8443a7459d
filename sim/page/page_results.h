/* sim/page/page_results.h — the runs of a results.sqlite, and what stands beside it.
 *
 * A directory of results holds one run, with placement.csv and cluster.csv where it was one on
 * nodes; a database that `lockstep compare --sqlite` has made holds several, and nothing beside
 * it. */
#ifndef LK_SIM_PAGE_RESULTS_H
#define LK_SIM_PAGE_RESULTS_H

#include <sqlite3.h>

#include "sim/page/page_data.h"

/* Appends the runs of an open database, settled, to `runs`. `directory` holds the other files;
 * NULL: there are none. */
gboolean lk_page_results_load (sqlite3 *db, const char *source, const char *directory,
                               GPtrArray *runs, GError **error);

#endif
