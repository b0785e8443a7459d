/* tests/dst/workload.h — users and an administrator who ask for anything, at random.
 *
 * Events are drawn as in storms over a bare engine (tests/property/storm_event.h), with everything
 * on; who asks for them is mostly someone who may.  Numbers come from a generator of its own, so
 * that a seed asks the same whatever else goes wrong, as far as the answers are the same.  When the
 * administrator says that a node is down, that is true: it loses its power first, and comes back
 * some time after that was acknowledged. */
#ifndef LK_TESTS_DST_WORKLOAD_H
#define LK_TESTS_DST_WORKLOAD_H

#include "tests/dst/cluster.h"

typedef struct {
  guint64 seed;
  gboolean is_crowded; /* most requests are submits of jobs that can start */
  guint request_count; /* how many requests; then it is over */
  gint64 pause_max_us; /* between two of them; many come at once */
  gint64 script_max_us;
  gboolean has_queries; /* before each request somebody may ask how everything stands */
} DstWorkloadOptions;

typedef struct _DstWorkload DstWorkload;

/* The identities that it needs: options of the cluster. The first is the administrator, whose
 * number is LkControllerConfig.administrator_user_id. */
const DstIdentity *dst_workload_identities (guint *out_count);

/* Begins at once. The cluster, whose watch must call dst_workload_answered, outlives it. */
DstWorkload *dst_workload_new (DstCluster *cluster, const DstWorkloadOptions *options);
/* Once the world makes no calls any more. */
void dst_workload_free (DstWorkload *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (DstWorkload, dst_workload_free)

void dst_workload_answered (DstWorkload *self, const DstAnswer *answer);
/* Has everything been asked for? */
gboolean dst_workload_is_over (const DstWorkload *self);

/* The administrator puts nodes and partitions back into service and cancels all that is left. May
 * be called again: some requests may come before their time. */
void dst_workload_wind_down (DstWorkload *self);

#endif
