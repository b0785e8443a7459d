/* traces/preempt_conf.h — the preempt policy that a slurm.conf asks for.
 *
 * From PreemptType, PreemptMode, PreemptParameters, PreemptExemptTime, KillWait,
 * MessageTimeout, and the options of SchedulerParameters that older versions have.  Source:
 * slurm.conf(5). */
#ifndef LK_TRACES_PREEMPT_CONF_H
#define LK_TRACES_PREEMPT_CONF_H

#include <glib.h>

#include "traces/conf_pairs.h"
#include "traces/trace_error.h"

/* As a specification: "none", or "qos:mode=requeue,...". Returns: (transfer full); NULL on failure,
 * LK_TRACE_ERROR. */
char *lk_slurm_conf_preempt (const char *conf_path, GError **error);
/* The same from what was read: all that is wrong goes to its faults, if it has such. */
char *lk_slurm_conf_preempt_of (const LkConfPairs *conf, GError **error);

#endif
