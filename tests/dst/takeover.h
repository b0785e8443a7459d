/* tests/dst/takeover.h — a standby in the storm: it follows, and at some moment takes over.
 *
 * Part of the seeds have one.  There the controller waits for its standby, so that nothing that was
 * acknowledged may be lost, whatever else goes wrong.  The standby may come late, die with the
 * controller, or lose its disk and be made anew; then nobody promotes it before the controller has
 * seen that it has everything.  The old controller dies, or lives on beside the new one; it may
 * come back, as it was, and has to find out that it was superseded.
 *
 * It has a generator of its own: whoever draws from the others is not disturbed. */
#ifndef LK_TESTS_DST_TAKEOVER_H
#define LK_TESTS_DST_TAKEOVER_H

#include "tests/dst/cluster.h"
#include "tests/dst/findings.h"
#include "tests/engine/seed.h"

#define DST_TAKEOVER_FIRST 0u  /* the host that begins as the controller */
#define DST_TAKEOVER_SECOND 1u /* and the one that follows */

typedef struct {
  DstCluster *cluster;
  Seed seed;
  gboolean is_over;    /* nothing more is to go wrong */
  gboolean is_on;      /* the first is to be superseded: this is never taken back */
  gboolean was_remade; /* the standby, with an empty disk */
  guint64 term;        /* of the second */
} DstTakeover;

/* Has this seed of the storm a standby? */
gboolean dst_takeover_is_in (guint64 seed);
/* Begins; the cluster outlives the calls that it makes of it. */
void dst_takeover_begin (DstTakeover *self, DstCluster *cluster, guint64 seed);
/* Behind the last fault: what was begun comes to its end. */
void dst_takeover_end (DstTakeover *self);
/* Does a controller that was superseded know it, or is there none? */
gboolean dst_takeover_is_settled (const DstTakeover *self);
/* In the end: a controller that was superseded knows it. */
void dst_takeover_look (const DstTakeover *self, DstFindings *findings);

#endif
