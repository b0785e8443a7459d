/* live/client/accounting/accounts.h — the accounts of the cluster as they stand. */
#ifndef LK_LIVE_CLIENT_ACCOUNTING_ACCOUNTS_H
#define LK_LIVE_CLIENT_ACCOUNTING_ACCOUNTS_H

#include "engine/accounts.h"
#include "live/client/client.h"

/* Returns: (transfer full); NULL: there are none, or nobody tells; told. */
LkAccounts *lk_client_accounts (const LkClient *client);

/* The same where there may be none: then NULL. FALSE: nobody tells; told. */
gboolean lk_client_accounts_or_none (const LkClient *client, LkAccounts **out_accounts);

/* Names of the TRES that Slurm lists after all others as soon as it counts gres/gpu: what steps are
 * measured to use of GPUs.  No job is ever allocated any.  Ends with NULL; empty without GPUs, and
 * where the accounts name these TRES themselves. */
const char *const *lk_client_measured_tres (const LkAccounts *accounts);

#endif
