/* live/site/site.h — a site as its files describe it: slurm.conf with its Include files, gres.conf,
 * topology.conf or topology.yaml and cgroup.conf beside it, and accounts.
 *
 * Accounts stand in a file of their own: what `sacctmgr dump` writes, a script of sacctmgr
 * commands, or a page of YAML.  Where none is named it is the file `accounts` beside slurm.conf, if
 * that is there; else nobody is told from another.
 *
 * The policies are those that slurm.conf asks for; one that is given here goes before it, with the
 * parameters of slurm.conf where it is the same policy.
 *
 * Everything that is wrong is told, as far as it can be found out in one go.  Not here: what runs
 * of it. */
#ifndef LK_LIVE_SITE_SITE_H
#define LK_LIVE_SITE_SITE_H

#include <glib.h>

#include "engine/engine.h"
#include "live/site/settings.h"
#include "traces/faults.h"

typedef struct {
  const char *conf_path;
  const char *accounts_path; /* NULL: see above */
  char *const *plugin_paths; /* shared objects of policies, ending with NULL; NULL: none */
  const char *order;         /* specifications of policies; NULL: what slurm.conf says */
  const char *backfill;
  const char *select;
  const char *preempt;
  gboolean tells_standing; /* LkEngineConfig.tells_standing */
  /* QOS and associations as they are, which go before those of the file; their TRES stay at their
   * places. NULL: the file's. */
  const LkAccounts *accounts_now;
  /* The cluster runs without accounts, as those of earlier versions began without the file. */
  gboolean runs_without_accounts;
} LkSiteOptions;

typedef struct _LkSite LkSite;

/* Reads all. Appends to `errors` (of char *, transfer full) what is wrong, each a line that begins
 * with "FILE:LINE: ", file after file, in the order of their lines. Returns: (transfer full); NULL
 * when there was an error. */
LkSite *lk_site_new (const LkSiteOptions *options, GPtrArray *errors);
/* The same; warnings go to `faults`, too, also when there is an error. */
LkSite *lk_site_read (const LkSiteOptions *options, LkFaults *faults);
/* The machine, accounts and policies as a journal began with them, so that it can be read on
 * whatever the files say now; the settings are those of slurm.conf as it is. */
LkSite *lk_site_new_from_header (const LkSiteOptions *options, const LkJournalHeader *header,
                                 GPtrArray *errors);
void lk_site_free (LkSite *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkSite, lk_site_free)

/* All valid as long as self; requeues_ended and requeues_at_end are on. */
const LkEngineConfig *lk_site_engine (const LkSite *self);
/* Of a new journal; its source is the name of the cluster. */
const LkJournalHeader *lk_site_header (const LkSite *self);
const LkSiteSettings *lk_site_settings (const LkSite *self);
/* The files of a node's GPUs, as gres.conf names them, by their index; see
 * lk_slurm_import_device_files. Returns: (transfer full). */
GPtrArray *lk_site_gpu_files (const LkSite *self, const char *node, const LkNodeSpec *spec);
/* SchedulerParameters has enable_user_top. */
gboolean lk_site_users_may_top (const LkSite *self);
/* SchedulerParameters has max_script_size; Slurm's default where it has not. */
guint64 lk_site_script_max_bytes (const LkSite *self);
/* Lines for a log: keys and options that are not heeded. Of char *. */
const GPtrArray *lk_site_warnings (const LkSite *self);

#endif
