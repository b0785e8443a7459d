/* sim/run_accounts.h — accounts of a run: from which files they come, which order they bring, and
 * whose the jobs of a log are. */
#ifndef LK_SIM_RUN_ACCOUNTS_H
#define LK_SIM_RUN_ACCOUNTS_H

#include <glib.h>

#include "engine/accounts.h"
#include "sim/settings.h"
#include "traces/clean.h"
#include "traces/reader.h"

/* Accounts of a file; what a slurm.conf says of them, if `cluster_name` (may be NULL) is one, is
 * put in. Returns: (transfer full), checked; NULL on failure. */
LkAccounts *lk_run_accounts_open (const char *path, const char *cluster_name, GError **error);

/* The name that stands for the log itself in place of a file of accounts. */
#define LK_RUN_ACCOUNTS_FROM_LOG "from-log"

/* Accounts made of the users of a log: each has one share in each account in which it has jobs.  A
 * job's account is the one that the log names, else "g" and the number of its group, else "log".
 * The default account of a user is that of most of its jobs.  Nothing is enforced, use decays as by
 * Slurm's defaults.  Users and accounts whose names Slurm's accounts cannot have are left out, and
 * counted.  Reads the whole log.  Returns: (transfer full), checked; NULL on failure. */
LkAccounts *lk_run_accounts_from_log (LkTraceReader *reader, guint64 *out_left_out_count,
                                      GError **error);

/* Prints that warning. */
void lk_run_accounts_warn_left_out (const char *verb, guint64 count);

/* How the settings have the log read. Borrows from them. */
LkReaderOptions lk_run_reader_options (const LkSettings *settings);
/* The accounts of the settings: of their file, or of their log.  `log_bytes` (NULL: read from the
 * log's path) is the text of the log. Returns: (transfer full), checked; NULL on failure. */
LkAccounts *lk_run_accounts (const LkSettings *settings, const guint8 *log_bytes,
                             gsize log_length_bytes, GError **error);

/* The order of the run: that of the settings; with accounts or commands and a slurm.conf, what that
 * says if none was given.  Parameters that a given order of the same name leaves out are those of
 * the slurm.conf. Returns: (transfer full); NULL on failure. */
char *lk_run_order (const LkSettings *settings, GError **error);

/* Who displaces whom: what the settings say; with a slurm.conf, what that says if nothing was
 * given. Parameters as for the order. Returns: (transfer full); NULL on failure. */
char *lk_run_preempt (const LkSettings *settings, GError **error);

/* Placement: what the settings say; else what the machine says (SelectType and TopologyPlugin of a
 * slurm.conf), a pool without one. `cluster` may be NULL. Returns: (transfer none). */
const char *lk_run_select (const LkSettings *settings, const LkCluster *cluster);

/* The backfill policy of the run: that of the settings. Parameters that a given `slurm` leaves out
 * are those of the slurm.conf, if there is one. Returns: (transfer full); NULL on failure. */
char *lk_run_backfill (const LkSettings *settings, GError **error);

/* Names as accounts have them, kept for a run. */
typedef struct _LkRunNames LkRunNames;
/* `accounts` is borrowed for life; NULL: none. */
LkRunNames *lk_run_names_new (const LkAccounts *accounts);
void lk_run_names_free (LkRunNames *self);
/* What a job requests, with a user for a job that has only a number of one, "u12", and names in
 * lower case.  A job without an account is of "g3", where 3 is the number of its group, if the
 * accounts have its user there.  Returns: (transfer none), for the life of self. */
const LkJobRequest *lk_run_names_request (LkRunNames *self, const LkTraceJob *job);

#endif
