/* sim/slurm_state/shares.h — what each user has used, as `sshare -l -P -a` tells it. */
#ifndef LK_SIM_SLURM_STATE_SHARES_H
#define LK_SIM_SLURM_STATE_SHARES_H

#include "engine/accounts.h"
#include "sim/slurm_state/folder.h"

/* Puts the raw use of users into `accounts` (NULL: there are none, which is told where the file is
 * there). FALSE with an error that names file and line. */
gboolean lk_state_shares_read (const LkStateFolder *folder, LkAccounts *accounts, GError **error);

#endif
