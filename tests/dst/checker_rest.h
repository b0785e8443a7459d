/* tests/dst/checker_rest.h — once faults have stopped, the controller, the agents and what really
 * lives agree; once all work is done or cancelled, nothing of it is left anywhere. */
#ifndef LK_TESTS_DST_CHECKER_REST_H
#define LK_TESTS_DST_CHECKER_REST_H

#include "tests/dst/checker_runs.h"
#include "tests/dst/cluster.h"

/* Behind an instant, long enough after the last fault. */
void dst_checker_rest_agree (const DstHost *host, const DstCheckerRuns *runs,
                             DstFindings *findings);
/* Is nothing left to be done? */
gboolean dst_checker_rest_is_idle (const DstHost *host);
/* Tells what is left. */
void dst_checker_rest_look (const DstHost *host, const DstCheckerRuns *runs, DstFindings *findings);

#endif
