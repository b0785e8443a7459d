/* tests/dst/checker_steps.h — steps of jobs: none is begun twice on a node, no two of a run have a
 * core of it at the same time unless one overlaps, and each that was noted in the journal has ended
 * there once, and on its nodes. */
#ifndef LK_TESTS_DST_CHECKER_STEPS_H
#define LK_TESTS_DST_CHECKER_STEPS_H

#include "live/port/port_process_sim.h"
#include "tests/dst/findings.h"

typedef struct {
  GArray *begun; /* of parts of steps, as they began on nodes */
  DstFindings *findings;
} DstCheckerSteps;

void dst_checker_steps_init (DstCheckerSteps *self, DstFindings *findings);
void dst_checker_steps_clear (DstCheckerSteps *self);
/* Of the watch of the cluster. */
void dst_checker_steps_begun (DstCheckerSteps *self, const LkProcessSimStep *step);
void dst_checker_steps_over (DstCheckerSteps *self, const LkProcessSimStep *step);
/* When nothing is left to be done, of a journal. Returns: steps that it knows. */
guint dst_checker_steps_look (const DstCheckerSteps *self, const guint8 *journal,
                              gsize journal_bytes);

#endif
