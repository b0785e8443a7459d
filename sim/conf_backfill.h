/* sim/conf_backfill.h — what a slurm.conf says of scheduling, for who knows the policies: values
 * that are wrong are told with file and line, and what a run does not heed is told once. */
#ifndef LK_SIM_CONF_BACKFILL_H
#define LK_SIM_CONF_BACKFILL_H

#include <stdio.h>

#include <glib.h>

/* lk_slurm_conf_backfill with the bounds that the policy's parameters have. Returns: (transfer
 * full); NULL on failure. */
char *lk_conf_backfill (const char *conf_path, GError **error);

/* One line to `stream` if the slurm.conf has options of SchedulerParameters that the run does not
 * heed; nothing when `cluster_name` (may be NULL) is no slurm.conf. */
void lk_conf_backfill_warn (const char *cluster_name, const char *backfill, FILE *stream);

#endif
