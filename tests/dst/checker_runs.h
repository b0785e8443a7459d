/* tests/dst/checker_runs.h — what really runs on nodes: nothing twice, only on what was granted.
 *
 * It watches the supervisors of runs, and holds what it has seen against the journal in the end: a
 * run that began had been decided, on these nodes, cores and devices, and runs what was submitted.
 * Runs that live at the same time share no core and no device, but where one of them was suspended,
 * or the partition shares cores. */
#ifndef LK_TESTS_DST_CHECKER_RUNS_H
#define LK_TESTS_DST_CHECKER_RUNS_H

#include "live/port/port_process_sim.h"
#include "tests/dst/history.h"

typedef struct {
  GPtrArray *seen;  /* of DstSeenRun, owned: a run on a node, as they began */
  GPtrArray *live;  /* of those, the ones that live */
  GHashTable *keys; /* "run node" of all of them */
  GArray *clashes;  /* of DstRunClash */
  GPtrArray *tasks; /* of DstRunTask, owned: what runs were launched with */
  guint64 step;     /* counts beginnings and ends */
  DstFindings *findings;
} DstCheckerRuns;

void dst_checker_runs_init (DstCheckerRuns *self, DstFindings *findings);
void dst_checker_runs_clear (DstCheckerRuns *self);
/* A run is launched: of the planner of the cluster. */
void dst_checker_runs_launched (DstCheckerRuns *self, const LkMessage_launch *launch);
/* Of the watch of the cluster. */
void dst_checker_runs_begun (DstCheckerRuns *self, const LkProcessSimRun *run);
void dst_checker_runs_over (DstCheckerRuns *self, const LkProcessSimRun *run);

/* What the site lets runs share. */
typedef struct {
  gboolean shares_cores;
  guint32 pool_units; /* of a counted pool; 0: it is none */
} DstRunRules;
void dst_checker_runs_look (const DstCheckerRuns *self, const DstHistory *history,
                            const DstRunRules *rules);
guint dst_checker_runs_live_count (const DstCheckerRuns *self);
/* Number of the i-th that lives. */
guint64 dst_checker_runs_live (const DstCheckerRuns *self, guint i);
gboolean dst_checker_runs_lives (const DstCheckerRuns *self, guint64 run_id, const char *node);

#endif
