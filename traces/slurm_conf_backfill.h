/* traces/slurm_conf_backfill.h — the backfill policy that a slurm.conf asks for. */
#ifndef LK_TRACES_SLURM_CONF_BACKFILL_H
#define LK_TRACES_SLURM_CONF_BACKFILL_H

#include <glib.h>

/* Is SchedulerType, where it stands, one that Slurm has? FALSE with an LK_TRACE_ERROR. */
gboolean lk_slurm_conf_scheduler_check (const char *conf_path, GError **error);

/* SchedulerType and SchedulerParameters as a specification of the policy `slurm`:
 * "slurm:bf_interval=60,...", or "slurm" where they say nothing.  Options that are no parameter of
 * the policy are passed over. Returns: (transfer full); NULL with an LK_TRACE_ERROR. */
char *lk_slurm_conf_backfill (const char *conf_path, GError **error);

/* Is this option of SchedulerParameters, NAME or NAME=VALUE, one that becomes a parameter? */
gboolean lk_slurm_conf_backfill_takes (const char *word);

#endif
