/* sim/page/page_grid.h — how much of the machine was in use where and when, however many jobs there
 * are: a table of bytes. */
#ifndef LK_SIM_PAGE_GRID_H
#define LK_SIM_PAGE_GRID_H

#include "sim/page/page.h"

/* Cells cover [begin_us, end_us] of the page and all rows of the run's machine, evenly. A cell is 0
 * when nothing was in use, else 1 to 255 for the part of its rows and time that was. */
typedef struct {
  guint row_count;
  guint column_count;
  gint64 begin_us;
  gint64 end_us;
  guint8 *cells; /* by row */
} LkPageGrid;

/* At most so many rows and columns. O(jobs * rows + cells). */
void lk_page_grid_init (LkPageGrid *self, const LkPage *page, const LkPageRun *run, guint row_limit,
                        guint column_limit);
void lk_page_grid_clear (LkPageGrid *self);

#endif
