/* live/accounting/place.h — where the journal and the accounting of a cluster lie, by its
 * slurm.conf.
 *
 * A cluster of `lockstep up` has both beside its configuration; any other one has its journal in
 * StateSaveLocation, and its accounting where lockstepd or its unit puts it: beside that folder, in
 * it, or in /var/cache/lockstep. */
#ifndef LK_LIVE_ACCOUNTING_PLACE_H
#define LK_LIVE_ACCOUNTING_PLACE_H

#include <glib.h>

#define LK_ACCOUNTING_STATE_DIR "/var/lib/lockstep"
#define LK_ACCOUNTING_CACHE_DIR "/var/cache/lockstep"

/* Both (transfer full). NULL: the configuration cannot be read. */
char *lk_accounting_place_journal (const char *conf_path, GError **error);
/* The first of these places in which there is a file; where there is none, that of lockstepd. */
char *lk_accounting_place_database (const char *conf_path, GError **error);

#endif
