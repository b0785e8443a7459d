/* tests/property/accounts_model.h — accounts and limits by the book, counted anew for every
 * question.
 *
 * It looks on while an engine runs and learns from events and decisions alone who runs what.  Of
 * the engine it knows only how much a pending job is taken to ask for on nodes, on what a running
 * one lies, and the fairshare factor.  From the words of the pages on resource_limits and qos it
 * says of every start whether a limit forbids it, of every job kept from starting whether one still
 * does, of every running job whether it must end, and what everybody has used.  Aborts where the
 * engine says otherwise. */
#ifndef LK_TESTS_PROPERTY_ACCOUNTS_MODEL_H
#define LK_TESTS_PROPERTY_ACCOUNTS_MODEL_H

#include "tests/property/accounts_workload.h"

typedef struct _LkAccountsModel LkAccountsModel;

/* `head_starts`: the first in the queue never waits for what is free. Returns: (transfer full). */
LkAccountsModel *lk_accounts_model_new (const LkAccountsWorkload *workload, gboolean head_starts);
void lk_accounts_model_free (LkAccountsModel *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkAccountsModel, lk_accounts_model_free)

LkMachineWatch lk_accounts_model_watch (LkAccountsModel *self);

/* Jobs that were kept from starting, and that were ended, by a limit. */
guint lk_accounts_model_blocked_count (const LkAccountsModel *self);
guint lk_accounts_model_killed_count (const LkAccountsModel *self);

#endif
