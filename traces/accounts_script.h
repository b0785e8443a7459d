/* traces/accounts_script.h — accounts as the commands of sacctmgr that make them.
 *
 * One command a line, with or without `sacctmgr -i` before it: add (create), modify (update) ...
 * set ... where ..., delete (remove), of account, user, qos and cluster.  They act on what a new
 * database has.  Lines that only look (list, show) are passed over, and so are those about other
 * things (coordinator, event, resource, wckey ...), which are told apart in what was read.
 *
 * No shell reads them: its letters outside quotes are refused.  Where a cluster was added, lines
 * that name another are refused.
 *
 * As with sacctmgr, what a change is about may come before or behind what is set; without it all
 * accounts, users or QOS are meant.  A user is added to the accounts named, else to its
 * DefaultAccount.  Errors are LK_TRACE_ERROR and one line: "FILE:LINE: ...".  Source: sacctmgr(1).
 */
#ifndef LK_TRACES_ACCOUNTS_SCRIPT_H
#define LK_TRACES_ACCOUNTS_SCRIPT_H

#include <glib.h>

#include "engine/accounts.h"
#include "traces/faults.h"

/* `lines` (NULL: not wanted) gets an LkAccountsLine for each line. Returns: (transfer full),
 * checked; NULL on failure. */
LkAccounts *lk_accounts_script_read (const char *name, GBytes *bytes, GPtrArray *lines,
                                     GError **error);
/* The same, and on behind lines that are wrong, which go to `faults` (NULL: as above). Where there
 * are such, NULL is returned, and `error` is not set. */
LkAccounts *lk_accounts_script_read_all (const char *name, GBytes *bytes, GPtrArray *lines,
                                         LkFaults *faults, GError **error);

/* What one command, without what belongs to a shell, makes of accounts.  A QOS is deleted whatever
 * names it; a limit of a TRES that the accounts do not have is refused. Returns: (transfer full),
 * checked; NULL on failure, with a message that names no line. */
LkAccounts *lk_accounts_script_apply (const LkAccounts *accounts, const char *command,
                                      GError **error);
/* Do the words, which begin with sacctmgr, add, change or delete accounts, users or QOS? */
gboolean lk_accounts_script_is_change (char *const *words);

#endif
