/* live/check/source.h — a configuration to be looked at: a slurm.conf with what lies beside it, or
 * what is in force by the journal of a controller.
 *
 * A journal is replayed to its end, so that what came later (scontrol reconfigure, sacctmgr) is in
 * it, and what runs and waits is known; it may be written meanwhile. */
#ifndef LK_LIVE_CHECK_SOURCE_H
#define LK_LIVE_CHECK_SOURCE_H

#include <glib.h>

#include "engine/engine.h"
#include "live/site/site.h"

typedef struct {
  const char *accounts_path; /* these are as of LkSiteOptions */
  char *const *plugin_paths;
  const char *order;
  const char *backfill;
  const char *select;
  const char *preempt;
} LkCheckOptions;

typedef struct _LkCheckSource LkCheckSource;

/* A slurm.conf. Associations and QOS are `accounts_now`, if that is not NULL. What is wrong goes to
 * `faults`. Returns: (transfer full), or NULL. */
LkCheckSource *lk_check_source_read (const char *conf_path, const LkCheckOptions *options,
                                     const LkAccounts *accounts_now, LkFaults *faults);
/* A journal, a folder of a controller or of `lockstep up`, a slurm.conf or a folder with one.
 * Returns: (transfer full); NULL with `error`, or, of a slurm.conf, with `faults`. */
LkCheckSource *lk_check_source_open (const char *path, const LkCheckOptions *options,
                                     LkFaults *faults, GError **error);
void lk_check_source_free (LkCheckSource *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkCheckSource, lk_check_source_free)

/* As the header of a journal that would begin with it. */
const LkJournalHeader *lk_check_source_header (const LkCheckSource *self);
/* Of a journal, at its end; else NULL. */
const LkEngine *lk_check_source_engine (const LkCheckSource *self);
/* Of a slurm.conf; else NULL. */
const LkSite *lk_check_source_site (const LkCheckSource *self);
/* Of LkThing* (things.h). Returns: (transfer full). */
GPtrArray *lk_check_source_things (const LkCheckSource *self);

#endif
