/* live/site/settings_values.h — values of slurm.conf that Slurm knows by another text than the
 * daemons, or that they heed in part. */
#ifndef LK_LIVE_SITE_SETTINGS_VALUES_H
#define LK_LIVE_SITE_SETTINGS_VALUES_H

#include "traces/conf_pairs.h"
#include "traces/faults.h"

/* The value to be read in place of the pair's, with a warning where that is not all of what Slurm
 * would do; NULL: the pair's own.  Returns: (transfer none), for the life of the program. */
const char *lk_site_value_of (const LkSlurmPair *pair, LkFaults *faults);

#endif
