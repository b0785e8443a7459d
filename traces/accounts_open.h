/* traces/accounts_open.h — accounts from a file of whatever kind, and what slurm.conf says of them.
 *
 * A dump (traces/accounts_dump.h) has a first line `Title - 'name'`; a page of YAML
 * (traces/accounts_yaml.h) one `key:`, `---` or `{`; all else is a script
 * (traces/accounts_script.h).  Errors are LK_TRACE_ERROR and one line. */
#ifndef LK_TRACES_ACCOUNTS_OPEN_H
#define LK_TRACES_ACCOUNTS_OPEN_H

#include <glib.h>

#include "engine/accounts.h"
#include "traces/conf_pairs.h"
#include "traces/trace_error.h"

/* Returns: (transfer full), checked; NULL on failure. */
LkAccounts *lk_accounts_open (const char *path, GError **error);
/* The same, and on behind lines of a dump or script that are wrong, which go to `faults`. NULL: an
 * error ended it, or there are faults, and then `error` is not set. */
LkAccounts *lk_accounts_open_all (const char *path, LkFaults *faults, GError **error);
/* The same from bytes. `lines` (NULL: not wanted) gets an LkAccountsLine (traces/accounts_edit.h)
 * for each line of a dump or script. */
LkAccounts *lk_accounts_read (const char *name, GBytes *bytes, GPtrArray *lines, GError **error);

/* Puts what slurm.conf says (its Include files too) into checked accounts: the name of the cluster,
 * AccountingStorageEnforce, AccountingStorageTRES, the decay of use, and how jobs are billed and
 * age. What was found in `self` before is gone afterwards. FALSE, with `self` as it was: a value is
 * wrong. */
gboolean lk_accounts_apply_slurm_conf (LkAccounts *self, const char *conf_path, GError **error);
/* The same from what was read: all that is wrong goes to its faults, if it has such. */
gboolean lk_accounts_apply_conf (LkAccounts *self, const LkConfPairs *conf, GError **error);
/* The same from bytes. */
gboolean lk_accounts_apply_slurm_conf_bytes (LkAccounts *self, const char *name, GBytes *bytes,
                                             GError **error);
/* Accounts as they are, under the settings that files have of all of them: TRES of `now` stay at
 * their places, those of `read` come behind. Returns: (transfer full). */
LkAccounts *lk_accounts_under (const LkAccounts *now, const LkAccounts *read);
/* The order policy that slurm.conf asks for, as a specification: "basic", or
 * "multifactor:weight_age=1000,...", which is also that of a file without PriorityType. Returns:
 * (transfer full); NULL on failure. */
char *lk_slurm_conf_order (const char *conf_path, GError **error);
/* The same from what was read: all that is wrong goes to its faults, if it has such. */
char *lk_slurm_conf_order_of (const LkConfPairs *conf, GError **error);

#endif
