/* live/site/settings_values.h — values of slurm.conf that Slurm knows by another text than the
 * daemons, or that they heed in part. */
#ifndef LK_LIVE_SITE_SETTINGS_VALUES_H
#define LK_LIVE_SITE_SETTINGS_VALUES_H

#include "traces/conf_pairs.h"
#include "traces/faults.h"

/* The value to be read in place of the pair's, with a warning where that is not all of what Slurm
 * would do; NULL: the pair's own.  Returns: (transfer none), for the life of the program. */
const char *lk_site_value_of (const LkSlurmPair *pair, LkFaults *faults);

/* What SlurmctldParameters says of what users may keep, and how often they may ask. */
typedef struct {
  gboolean has_rate; /* rl_enable */
  guint64 bucket_count;
  guint64 refill_count;
  guint64 period_s;
  guint64 table_count;
  guint64 user_payload_mib; /* 0: no limit; so is the next one */
  guint64 payload_mib;
} LkSiteBounds;
/* FALSE: one of these words has no such value, and `out_word` (transfer full) is it; others are not
 * heeded. */
gboolean lk_site_bounds_read (const char *parameters, LkSiteBounds *out_bounds, char **out_word);
void lk_site_bounds_check (const char *parameters, const char *conf_path, LkFaults *faults);

#endif
