/* sim/page/page_place.h — on which rows of the Gantt chart jobs are drawn. */
#ifndef LK_SIM_PAGE_PLACE_H
#define LK_SIM_PAGE_PLACE_H

#include "sim/page/page_data.h"

/* Gathers the nodes of jobs as they are read, and then numbers them by name. */
typedef struct {
  LkPageNames nodes;
  GArray *numbers;  /* of guint32: nodes of all jobs, in the order of the calls */
  GPtrArray *names; /* scratch */
} LkPagePlacer;

void lk_page_placer_init (LkPagePlacer *self);
void lk_page_placer_clear (LkPagePlacer *self);

/* Sets the places of a job from a hostlist, for now. FALSE: it is none, and `out_wrong` says why.
 */
gboolean lk_page_placer_add (LkPagePlacer *self, LkPageJob *job, const char *hostlist,
                             const char **out_wrong);
/* Names the rows of `run`, in the order in which people count (n2 before n10), and settles the
 * places of its jobs. Does nothing where no node was told. */
void lk_page_placer_finish (LkPagePlacer *self, LkPageRun *run);

/* A counted pool has no nodes: its processors are numbered, and each job is drawn on the lowest
 * that are free. */
void lk_page_place_pool (LkPageRun *run);

#endif
