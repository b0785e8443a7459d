/* sim/page/page_export.h — figures as files of their own. */
#ifndef LK_SIM_PAGE_EXPORT_H
#define LK_SIM_PAGE_EXPORT_H

#include "sim/page/page_figures.h"

/* NAME.svg of each figure in a directory, which is made if it is missing (its parent is not). Each
 * file appears whole or not at all. */
gboolean lk_page_export_svg (const LkPage *page, const GPtrArray *figures, const char *directory,
                             LkPlotStyle style, GError **error);

/* NAME.png, twice as fine, drawn by rsvg-convert of librsvg, which has to be installed. */
gboolean lk_page_export_png (const LkPage *page, const GPtrArray *figures, const char *directory,
                             LkPlotStyle style, GError **error);
/* Fails, with what to install, when it is not. */
gboolean lk_page_export_can_png (GError **error);

#endif
