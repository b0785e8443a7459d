/* sim/page/page_pair.h — the runs of a page held against each other: which jobs and users are the
 * same in two runs, and how sure a difference between them is. */
#ifndef LK_SIM_PAGE_PAIR_H
#define LK_SIM_PAGE_PAIR_H

#include "sim/page/page_data.h"

#define LK_PAGE_LEVEL_RATIO 0.95

/* A user whom one run knows by the number in the log and another one by name gets the name in
 * both.  Runs of one log only, and numbers that have one name only. */
void lk_page_match_users (GPtrArray *runs);

/* Fills `paired` of all runs but the first, as `lockstep compare` does: the same numbers. Fails
 * when there are too many blocks of time. */
gboolean lk_page_pair (GPtrArray *runs, GError **error);

#endif
