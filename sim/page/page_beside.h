/* sim/page/page_beside.h — what stands beside the results of a run on nodes: placement.csv and
 * cluster.csv. */
#ifndef LK_SIM_PAGE_BESIDE_H
#define LK_SIM_PAGE_BESIDE_H

#include "sim/page/page_data.h"

/* Before the run is settled, as the lines of placement.csv are in the order of its jobs. Files that
 * are not there are passed over. */
gboolean lk_page_beside_load (LkPageRun *run, const char *directory, GError **error);

#endif
