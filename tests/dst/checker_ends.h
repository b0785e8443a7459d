/* tests/dst/checker_ends.h — how a run has ended on its node is how the journal has it.
 *
 * What is known of an end between the agent's word and the event that records it lives in the
 * controller's memory only: there it is easily lost, and nothing else would notice.  The event that
 * ends a job has to name the exit code and the signal of its batch script, as the supervisor has
 * seen them; what kept a run from its script, that trouble.  Where the node with the script has
 * lost its power, or was taken from a job that goes on without it, the end may be told as one of a
 * script that was killed, but not as a good one. */
#ifndef LK_TESTS_DST_CHECKER_ENDS_H
#define LK_TESTS_DST_CHECKER_ENDS_H

#include "live/port/port_process_sim.h"
#include "tests/dst/history.h"

typedef struct {
  GArray *ends; /* of DstSeenEnd, by the order in which they came */
  DstFindings *findings;
} DstCheckerEnds;

void dst_checker_ends_init (DstCheckerEnds *self, DstFindings *findings);
void dst_checker_ends_clear (DstCheckerEnds *self);
/* Of the watch of the cluster. */
void dst_checker_ends_over (DstCheckerEnds *self, const LkProcessSimRun *run);
void dst_checker_ends_look (const DstCheckerEnds *self, const DstHistory *history);

#endif
