/* sim/page/page.h — one page about one or several runs: `lockstep report`.
 *
 * Made in steps: the runs are read (page_load.h), put on one clock, drawn as figures
 * (page_figures.h), and written as one HTML file (page_html.h) or as files of pictures
 * (page_export.h).  All of it is a function of the inputs and options: the same bytes each time. */
#ifndef LK_SIM_PAGE_H
#define LK_SIM_PAGE_H

#include "sim/page/page_clock.h"
#include "sim/page/page_data.h"

#define LK_PAGE_BINS_MAX 600u

/* Time in pieces of one length, a round one. */
typedef struct {
  gint64 begin_us;
  gint64 width_us;
  guint count;
} LkPageBins;

typedef struct {
  GPtrArray *runs; /* of LkPageRun */
  LkPageClock clock;
  LkPageBins bins;
  char *title;
  guint job_limit; /* drawn one by one, of all runs */
} LkPage;

/* Takes over the runs, which have been read, and gives them labels and one clock. `title` NULL:
 * made from the labels. Fails when `timezone` is none, or there is no job. */
typedef struct {
  GPtrArray *runs; /* (transfer full) */
  const char *timezone;
  const char *title;
  guint job_limit;
} LkPageOptions;
LkPage *lk_page_new (const LkPageOptions *options, GError **error);
void lk_page_free (LkPage *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkPage, lk_page_free)

static inline const LkPageRun *
lk_page_run (const LkPage *self, guint index)
{
  return g_ptr_array_index (self->runs, index);
}

/* Round pieces, at most `count_max`, that cover [begin_us, end_us]. */
LkPageBins lk_page_bins (gint64 begin_us, gint64 end_us, guint count_max);

#endif
