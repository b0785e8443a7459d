/* sim/slurm_state/collected.h — all that was collected of a Slurm cluster, read. */
#ifndef LK_SIM_SLURM_STATE_COLLECTED_H
#define LK_SIM_SLURM_STATE_COLLECTED_H

#include "sim/slurm_state/conf.h"
#include "sim/slurm_state/job.h"
#include "sim/slurm_state/past.h"

typedef struct {
  LkStateFolder folder;
  GStringChunk *texts;
  GPtrArray *nodes; /* of LkStateRecord*; so are the next ones */
  GPtrArray *partitions;
  GPtrArray *reservations;
  GPtrArray *job_records;
  LkStateConf conf;
  GArray *jobs;     /* of LkStateJob: those that wait, run or are suspended, by id */
  guint over_count; /* jobs that have ended */
  LkStatePast past; /* what sacct knows of those */
} LkStateCollected;

/* Moments without a time zone are those of `zone`; NULL: UTC. FALSE with an error that names file,
 * line and key; then `self` is clear. */
gboolean lk_state_collected_open (LkStateCollected *self, const char *path, GTimeZone *zone,
                                  GError **error);
void lk_state_collected_close (LkStateCollected *self);

#endif
