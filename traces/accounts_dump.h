/* traces/accounts_dump.h — accounts as `sacctmgr dump` writes and `sacctmgr load` reads them.
 *
 * Lines `Title - 'name':Key=Value:...` of QOS, Cluster, Parent, Account and User, in this order;
 * what follows a Parent line is below that account, which must be above.  A dump knows nothing of
 * what is enforced, of decay, nor of use before: these have their defaults.  Names are put in lower
 * case; FairShare 2147483647 is parent; QOS='+a,-b' changes what the parent has.
 *
 * Errors are LK_TRACE_ERROR and one line: "FILE:LINE: ...".  Source: sacctmgr(1). */
#ifndef LK_TRACES_ACCOUNTS_DUMP_H
#define LK_TRACES_ACCOUNTS_DUMP_H

#include <glib.h>

#include "engine/accounts.h"
#include "traces/faults.h"

/* `lines` (NULL: not wanted) gets an LkAccountsLine for each line. Returns: (transfer full),
 * checked; NULL on failure. */
LkAccounts *lk_accounts_dump_read (const char *name, GBytes *bytes, GPtrArray *lines,
                                   GError **error);
/* The same, and on behind lines that are wrong, which go to `faults` (NULL: as above). Where there
 * are such, NULL is returned, and `error` is not set. */
LkAccounts *lk_accounts_dump_read_all (const char *name, GBytes *bytes, GPtrArray *lines,
                                       LkFaults *faults, GError **error);
/* Does a line begin as one of a dump? `out_rest` gets what is behind the title. Returns: the title,
 * or NULL. */
const char *lk_accounts_dump_title (const char *line, const char **out_rest);

/* Appends a dump of checked accounts, which reads back to the same but for what a dump does not
 * know: settings, TRES without a limit, use. FALSE, with `out` as it was: a text that no dump can
 * hold. */
gboolean lk_accounts_dump_write (const LkAccounts *accounts, GString *out, GError **error);

#endif
