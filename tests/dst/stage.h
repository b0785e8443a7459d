/* tests/dst/stage.h — a cluster without faults of its own, and all checkers, for stories. */
#ifndef LK_TESTS_DST_STAGE_H
#define LK_TESTS_DST_STAGE_H

#include "tests/dst/checkers.h"
#include "tests/dst/workload.h"

#define DST_STAGE_START_US (G_GINT64_CONSTANT (1700000000) * G_USEC_PER_SEC)
#define DST_STAGE_CLIENTS 8u
/* Sites of storms: a counted pool, and six nodes n[1-4] and m[1-2] of four cores. */
#define DST_STAGE_POOL 1u
#define DST_STAGE_NODES 5u
/* The same nodes, with accounts. */
#define DST_STAGE_ACCOUNTS 8u

typedef struct {
  DstCluster *cluster;
  DstCheckers checkers;
  DstFindings findings;
  /* How a run behaves, beyond its payload; NULL: as that says. */
  void (*plan) (const LkMessage_launch *launch, LkProcessSimPlan *plan);
} DstStage;

void dst_stage_init (DstStage *self, guint site);
void dst_stage_clear (DstStage *self);
void dst_stage_run_for_s (DstStage *self, guint seconds);
/* Until nothing is left to be done, for a while at most. */
void dst_stage_run_to_rest (DstStage *self);
/* Asks as a client for his own; fills in whose the job is. */
void dst_stage_submit (DstStage *self, guint client, LkEvent *events, guint event_count,
                       gint64 script_us);
/* Everything holds: else the test fails, and `what` is told. Fills `out_history`, which the caller
 * clears, unless it is NULL. */
void dst_stage_look (DstStage *self, const char *what, DstHistory *out_history);

#endif
