/* tests/dst/storm.h — one seed of the storm: a cluster, a workload with everything on, faults, and
 * all checkers.
 *
 * While requests come, whatever the seed has chosen goes wrong.  Then faults stop: all parts must
 * agree.  Then all work is cancelled: nothing may be left, and the journal is read from its
 * beginning.  A seed gives the same run, byte for byte. */
#ifndef LK_TESTS_DST_STORM_H
#define LK_TESTS_DST_STORM_H

#include "live/port/world_sim.h"
#include "tests/dst/findings.h"

typedef struct {
  guint64 seed;
  LkWorldTell tell; /* of each line of the log; NULL: none */
} DstStormOptions;

/* What a seed came to. */
typedef struct {
  guint site;
  char *faults; /* names of kinds; owned */
  guint64 event_count;
  guint64 message_count;
  guint64 run_count;
  guint64 step_count;
  guint64 start_count;  /* of the controller */
  guint64 digest;       /* of the whole run */
  gboolean has_refused; /* its journal was damaged, and the controller has said so */
} DstStormResult;

void dst_storm_run (const DstStormOptions *options, DstStormResult *out_result,
                    DstFindings *findings);

#endif
