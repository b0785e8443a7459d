/* tests/dst/checkers.h — all checkers together, for a cluster whose watch calls them. */
#ifndef LK_TESTS_DST_CHECKERS_H
#define LK_TESTS_DST_CHECKERS_H

#include "tests/dst/checker_answers.h"
#include "tests/dst/checker_ends.h"
#include "tests/dst/checker_journal.h"
#include "tests/dst/checker_records.h"
#include "tests/dst/checker_rest.h"
#include "tests/dst/checker_runs.h"

typedef struct {
  DstFindings *findings;
  DstCheckerAnswers answers;
  DstCheckerRuns runs;
  DstCheckerEnds ends;
} DstCheckers;

void dst_checkers_init (DstCheckers *self, DstFindings *findings);
void dst_checkers_clear (DstCheckers *self);
/* Of the watch of the cluster. */
void dst_checkers_run_over (DstCheckers *self, const LkProcessSimRun *run);
/* When nothing is left to be done; `host` is up. Fills `out_history`, which the caller clears. */
void dst_checkers_look (const DstCheckers *self, const DstHost *host, DstHistory *out_history);

#endif
