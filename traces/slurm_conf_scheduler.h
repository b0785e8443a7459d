/* traces/slurm_conf_scheduler.h — what comes of each option of SchedulerParameters. */
#ifndef LK_TRACES_SLURM_CONF_SCHEDULER_H
#define LK_TRACES_SLURM_CONF_SCHEDULER_H

#include "traces/conf_pairs.h"
#include "traces/slurm_conf_private.h"

/* Notes on the pair, option by option, what acts, where, and what does not, and why. */
void lk_slurm_scheduler_words_note (const LkSlurmPair *pair);

/* Is the word among SchedulerParameters? */
gboolean lk_slurm_scheduler_has (const LkConfPairs *conf, const char *word);
/* The number that follows `word` ("max_script_size=") there; not changed where `word` is missing.
 * Returns FALSE when it is no whole number, 1 or more. */
gboolean lk_slurm_scheduler_number (const LkConfPairs *conf, const char *word, guint64 *number);
/* What a run does not heed, for a warning: "site/slurm.conf:6: SchedulerParameters: ...".  The
 * options of the policy `slurm` are heeded where the run has it. Returns: (transfer
 * full); NULL: all is heeded, or the file cannot be read. */
char *lk_slurm_scheduler_unheeded (const char *conf_path, gboolean is_backfill_slurm);
/* The same of what was read. */
char *lk_slurm_scheduler_unheeded_of (const LkConfPairs *conf, gboolean is_backfill_slurm);

#endif
