/* sim/statistics/join.h — the jobs of two runs side by side.
 *
 * Jobs are paired by their number in the trace, or by their name where they have one ("123_4"); a
 * number that a log uses twice pairs in order of submission.  Runs that scale the load, or shake
 * the input, submit the same job at another time: so the submit time does not decide. */
#ifndef LK_SIM_STATISTICS_JOIN_H
#define LK_SIM_STATISTICS_JOIN_H

#include "sim/results_sqlite.h"

/* Of a job of both runs, or of one: the other is NULL then. Borrowed for the call. */
typedef void (*LkJoinFunc) (gpointer user, const LkResultsStart *first, const LkResultsStart *here);

/* Each job of either run once, by number, named ones behind. The readers are rewound and must be
 * two. Fails when a file cannot be read. */
gboolean lk_results_join (LkResultsReader *first, LkResultsReader *here, LkJoinFunc function,
                          gpointer user, GError **error);

#endif
