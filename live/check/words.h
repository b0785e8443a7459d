/* live/check/words.h — changes in words, with the keys and units that slurm.conf and sacctmgr have.
 */
#ifndef LK_LIVE_CHECK_WORDS_H
#define LK_LIVE_CHECK_WORDS_H

#include <glib.h>

#include "live/check/differences.h"

/* "partition long: MaxTime changes from 1:00:00 to UNLIMITED". Returns: (transfer full). */
char *lk_difference_words (const LkDifference *change);
/* The names of the things, as a hostlist where they are nodes. Returns: (transfer full). */
char *lk_difference_names (const LkDifference *change);
/* What the member is called in the files: "MaxTime"; where they have none, its own name. Returns:
 * (transfer full); NULL: the change is of the whole. */
char *lk_difference_key (const LkDifference *change);
/* A value of the change's member for people; `value` NULL: "nothing". Returns: (transfer full). */
char *lk_difference_value (const LkDifference *change, const char *value);

#endif
