/* sim/slurm_state/conf.h — the configuration that a running Slurm tells of itself: what its
 * slurm.conf would have to say for `scontrol show config, node, partition` to print what they
 * print, read as every slurm.conf is (traces/slurm_conf.h). */
#ifndef LK_SIM_SLURM_STATE_CONF_H
#define LK_SIM_SLURM_STATE_CONF_H

#include "engine/accounts.h"
#include "engine/cluster.h"
#include "sim/slurm_state/folder.h"

typedef struct {
  LkCluster *cluster;   /* partitions are up, nodes too */
  LkAccounts *accounts; /* NULL: none */
  char *order;          /* specifications of policies */
  char *backfill;
  char *preempt;
} LkStateConf;

/* `nodes` and `partitions` are the records of those files. Rows go to the folder's `told`. FALSE
 * with an error that names file, line and key as they were collected. */
gboolean lk_state_conf_read (LkStateConf *self, const LkStateFolder *folder, const GPtrArray *nodes,
                             const GPtrArray *partitions, GError **error);
void lk_state_conf_clear (LkStateConf *self);

#endif
