/* sim/run_accounts.h — accounts of a run: from which files they come, which order they bring, and
 * whose the jobs of a log are. */
#ifndef LK_SIM_RUN_ACCOUNTS_H
#define LK_SIM_RUN_ACCOUNTS_H

#include <glib.h>

#include "engine/accounts.h"
#include "sim/settings.h"
#include "traces/clean.h"

/* Accounts of a file; what a slurm.conf says of them, if `cluster_name` (may be NULL) is one, is
 * put in. Returns: (transfer full), checked; NULL on failure. */
LkAccounts *lk_run_accounts_open (const char *path, const char *cluster_name, GError **error);

/* The order of the run: that of the settings; with accounts or commands and a slurm.conf, what that
 * says if none was given.  Parameters that a given order of the same name leaves out are those of
 * the slurm.conf. Returns: (transfer full); NULL on failure. */
char *lk_run_order (const LkSettings *settings, GError **error);

/* Who displaces whom: what the settings say; with a slurm.conf, what that says if nothing was
 * given. Parameters as for the order. Returns: (transfer full); NULL on failure. */
char *lk_run_preempt (const LkSettings *settings, GError **error);

/* The backfill policy of the run: that of the settings. Parameters that a given `slurm` leaves out
 * are those of the slurm.conf, if there is one. Returns: (transfer full); NULL on failure. */
char *lk_run_backfill (const LkSettings *settings, GError **error);

/* Names as accounts have them, kept for a run. */
typedef struct _LkRunNames LkRunNames;
LkRunNames *lk_run_names_new (void);
void lk_run_names_free (LkRunNames *self);
/* What a job asks for, with a user for who has only a number, "u12", and names in lower case.
 * Returns: (transfer none), for the life of self. */
const LkJobRequest *lk_run_names_request (LkRunNames *self, const LkTraceJob *job);

#endif
