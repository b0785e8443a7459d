/* traces/accounts_changes.h — what to tell an engine so that its accounts become others.
 *
 * Events come in an order in which each can be taken: what is deleted first, so that nothing has
 * changed when it is still in use; then QOS, then associations.  Each event is tried on a copy as
 * the engine would take it, so that what follows from one by itself is not told again.
 *
 * Not here: what an event means (engine/accounts_change.h). */
#ifndef LK_TRACES_ACCOUNTS_CHANGES_H
#define LK_TRACES_ACCOUNTS_CHANGES_H

#include <glib.h>

#include "engine/accounts.h"
#include "engine/codec.h"

/* Takes an event, whose number and time are not filled in, and whose texts are borrowed for the
 * call. 0, or why it is refused. */
typedef LkReject (*LkAccountsTell) (gpointer user, LkEvent *event);

/* Both are checked and have the same TRES; of what was used only that it is 0 now can be told.
 * Returns 0; or why an event was refused, behind which no other was told. */
LkReject lk_accounts_tell_changes (const LkAccounts *from, const LkAccounts *to,
                                   LkAccountsTell tell, gpointer user);

#endif
