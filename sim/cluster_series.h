/* sim/cluster_series.h — how full a machine of nodes is over time: CPUs, memory, GPUs and how much
 * of the free GPUs is of no use.
 *
 * What is in use is summed up exactly over time.  At every sample, and only then, the fragmentation
 * is measured: of the GPUs that are free, the part that a typical task could not use (Weng et al.,
 * USENIX ATC 2023; policies/fgd_measure.h).  Typical tasks are what was submitted so far, so that
 * two policies are measured by the same tasks at the same time.
 *
 * Samples go to cluster.csv in the directory of results, which appears with them. */
#ifndef LK_SIM_CLUSTER_SERIES_H
#define LK_SIM_CLUSTER_SERIES_H

#include <glib.h>

#include "engine/engine.h"

#define LK_CLUSTER_SERIES_CSV "cluster.csv"
#define LK_PLACEMENT_CSV "placement.csv"

/* What a job holds. */
typedef struct {
  guint32 cpus;
  gint64 memory_bytes;
  double gpus; /* shares are parts of one */
} LkHolding;

typedef struct {
  guint64 gpus;                /* of the machine */
  double gpu_allocation_ratio; /* mean over time from the first submit to the last end; NaN: none */
  double gpu_allocation_peak_ratio;
  double cpu_allocation_ratio;
  double memory_allocation_ratio;
  double fragmentation_ratio; /* mean over the samples, of all GPUs */
  guint64 samples;
} LkClusterTotals;

typedef struct _LkClusterSeries LkClusterSeries;

/* `path` NULL: nothing is written. Returns: (transfer full), or NULL when the file cannot be made.
 * */
LkClusterSeries *lk_cluster_series_new (const LkNodeTable *nodes, gint64 interval_us,
                                        const char *path, GError **error);
void lk_cluster_series_free (LkClusterSeries *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkClusterSeries, lk_cluster_series_free)

/* What the pieces of a running job hold. */
LkHolding lk_holding_of (const LkNodeTable *nodes, guint32 first_piece);

/* The clock goes on to `now_us`: what was held until then is counted, and samples that are due are
 * taken. Call before anything happens at that moment. */
gboolean lk_cluster_series_advance (LkClusterSeries *self, gint64 now_us,
                                    const LkEngineCounts *counts, GError **error);
void lk_cluster_series_submitted (LkClusterSeries *self, const LkDemand *demand);
void lk_cluster_series_started (LkClusterSeries *self, const LkHolding *holding);
void lk_cluster_series_ended (LkClusterSeries *self, const LkHolding *holding);

/* Completes the file. */
gboolean lk_cluster_series_finish (LkClusterSeries *self, LkClusterTotals *out_totals,
                                   GError **error);

#endif
