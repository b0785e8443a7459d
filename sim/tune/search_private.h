/* sim/tune/search_private.h — what the methods of a search share. */
#ifndef LK_SIM_TUNE_SEARCH_PRIVATE_H
#define LK_SIM_TUNE_SEARCH_PRIVATE_H

#include "sim/tune/search.h"

/* Worse than any score, and small enough that GSL can still calculate with it. */
#define LK_SEARCH_WORST 1e100

/* Into [0, 1], as between two mirrors. */
double lk_search_mirror (double value);
guint lk_search_calls_max (const LkSearch *self);
/* The starts, the best one first; empty when they could not be evaluated. Returns: (transfer full)
 * of LkSearchPoint. */
GArray *lk_search_starts (const LkSearch *self, const GArray *starts);

#endif
