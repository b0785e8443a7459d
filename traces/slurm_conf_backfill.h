/* traces/slurm_conf_backfill.h — the backfill policy that a slurm.conf asks for. */
#ifndef LK_TRACES_SLURM_CONF_BACKFILL_H
#define LK_TRACES_SLURM_CONF_BACKFILL_H

#include <glib.h>

#include "traces/slurm_conf_lines.h"

/* Is SchedulerType, where it stands, one that Slurm has? FALSE with an LK_TRACE_ERROR. */
gboolean lk_slurm_conf_scheduler_check (const char *conf_path, GError **error);

/* Knows which values the parameters of the policy may have: what is expected of one that cannot be,
 * "an integer from 1 to 9" (transfer full); NULL: it can be. */
typedef struct {
  char *(*expectation) (gpointer user, const char *parameter, const char *value);
  gpointer user;
} LkSlurmOptionCheck;

/* SchedulerType and SchedulerParameters as a specification of the policy `slurm`:
 * "slurm:bf_interval=60,...", or "slurm" where they say nothing.  Options that are no parameter of
 * the policy are passed over; of one that stands twice the first counts, as in Slurm.  `check` may
 * be NULL. Returns: (transfer full); NULL with an LK_TRACE_ERROR. */
char *lk_slurm_conf_backfill (const char *conf_path, const LkSlurmOptionCheck *check,
                              GError **error);
/* The same from what was read; all that is wrong goes to `faults`, if there are such. */
char *lk_slurm_conf_backfill_of (const LkSlurmLines *lines, const LkSlurmOptionCheck *check,
                                 LkFaults *faults, GError **error);

/* Is this option of SchedulerParameters, NAME or NAME=VALUE, one that becomes a parameter? */
gboolean lk_slurm_conf_backfill_takes (const char *word);
/* The names of those, ending with NULL. Returns: (transfer container). */
const char **lk_slurm_conf_backfill_names (void);

#endif
