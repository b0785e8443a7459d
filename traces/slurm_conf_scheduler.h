/* traces/slurm_conf_scheduler.h — what comes of each option of SchedulerParameters. */
#ifndef LK_TRACES_SLURM_CONF_SCHEDULER_H
#define LK_TRACES_SLURM_CONF_SCHEDULER_H

#include "traces/slurm_conf_private.h"

/* Notes on the pair, option by option, what acts, where, and what does not, and why. */
void lk_slurm_scheduler_words_note (const LkSlurmPair *pair);

#endif
