/* sim/page/page_html.h — the page itself: one HTML file that needs nothing else, of any network or
 * folder.
 *
 * Style (page.css) and script (page.js) are part of the program and are written into the page. What
 * comes from the inputs is either escaped text, or packed data that the script only ever shows as
 * text. */
#ifndef LK_SIM_PAGE_HTML_H
#define LK_SIM_PAGE_HTML_H

#include "sim/page/page_figures.h"

/* Made from page.css and page.js when the program is built. */
extern const char lk_page_css[];
extern const char lk_page_js[];

/* Appends the whole file. `out_kept_counts` has room for all runs: jobs that are drawn one by one.
 */
void lk_page_html (const LkPage *page, const GPtrArray *figures, guint *out_kept_counts,
                   GString *out);

/* Pieces of a page: its head up to the heading, the head of a section, a link to a section, and a
 * figure for wide and narrow screens. */
void lk_page_html_begin (const char *title, GString *out);
void lk_page_html_heading (GString *out, const char *id, const char *title);
void lk_page_html_link (GString *out, const char *id, const char *title);
void lk_page_html_figure (const LkPage *page, const LkPageFigure *figure, GString *out);

/* page_summary.c: in a sentence or two, which run is better and how sure that is; of one run what
 * it came to. */
void lk_page_verdict (const LkPage *page, GString *out);
/* The table of what the runs are and came to. */
void lk_page_summary (const LkPage *page, GString *out);

#endif
