/* engine/accounts_change.h — what an ASSOCIATION or QOS event makes of accounts.
 *
 * The one place that knows what such an event means for the description alone; what follows for
 * jobs and use is the engine's (engine/engine_accounts_change.c).  A change that would leave
 * something that does not hang together (lk_accounts_check) is refused.
 *
 * - An association is deleted with all that is below it; who coordinated an account that goes does
 *   so no more.  A QOS that is deleted is taken out of all lists.  One that is all that a list has
 *   is not deleted (ACCOUNTS_IN_USE): an empty list is that of the account above, and in the end
 *   all QOS, so that somebody could use more than before.
 * - The default account of a user is moved by setting is_default of another one.
 * - TRES stay those of the beginning: a limit of another is refused.
 *
 * Source: sacctmgr(1). */
#ifndef LK_ENGINE_ACCOUNTS_CHANGE_H
#define LK_ENGINE_ACCOUNTS_CHANGE_H

#include <glib.h>

#include "engine/accounts.h"
#include "engine/accounts_fields.h"
#include "engine/codec.h"

typedef enum {
  LK_ACCOUNTS_ADD,
  LK_ACCOUNTS_CHANGE,
  LK_ACCOUNTS_DELETE,
} LkAccountsOperation;

/* Bits of `changes`: LK_QOS_CHANGE_priority is the number of that of `priority`. */
enum {
#define X(type, member, help) LK_QOS_CHANGE_##member,
  LK_QOS_FIELDS (X) LK_QOS_CHANGE_COUNT
#undef X
};
enum {
#define X(type, member, help) LK_ASSOCIATION_CHANGE_##member,
  LK_ASSOCIATION_FIELDS (X) LK_ASSOCIATION_CHANGE_COUNT
#undef X
};

/* 0, and `self` is checked; or why it is refused, and `self` is to be thrown away. */
LkReject lk_accounts_change_qos (LkAccounts *self, const LkEvent_qos *event);
LkReject lk_accounts_change_association (LkAccounts *self, const LkEvent_association *event);

/* Whose list of QOS would be one of all above it, if this QOS went; NULL: nobody's. */
const LkAssociationSpec *lk_accounts_qos_sole_user (const LkAccounts *self, const char *name);

/* Would the event, if it were taken, give a user the AdminLevel Administrator?  That only
 * administrators may: sacctmgr(1). `accounts` are those that it is for. */
gboolean lk_accounts_makes_admin (const LkAccounts *accounts, const LkEvent_association *event);
/* Does the event forget what was used? */
gboolean lk_accounts_forgets_use (const LkEvent_association *event);

#endif
