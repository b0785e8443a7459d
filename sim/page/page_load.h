/* sim/page/page_load.h — reads what a page is made of. */
#ifndef LK_SIM_PAGE_LOAD_H
#define LK_SIM_PAGE_LOAD_H

#include "sim/page/page_data.h"

/* The journal in a directory of results that is read without being named. */
#define LK_PAGE_RUN_JOURNAL "run.journal"

typedef struct {
  char **paths;    /* directories of results, results.sqlite, accounting.sqlite */
  char **journals; /* of some of the runs; NULL: none */
  char **plugins;  /* that journals need; NULL: none */
} LkPageInputs;

/* A journal is that of the run with its digest, else that of the one live cluster; one that is
 * called run.journal in a directory of results is taken unasked, if it is that run's. Fails when an
 * input is not of a complete run, or a journal of none. Returns: (transfer full) of LkPageRun. */
GPtrArray *lk_page_load (const LkPageInputs *inputs, GError **error);

#endif
