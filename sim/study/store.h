/* sim/study/store.h — the results of a plan's runs in one SQLite file.
 *
 * Tables: `meta` (name, value); `plan` one row a run of the plan, in its order; `parameter` what is
 * varied in it; `result` one row a configuration, by its key; `cost` what it took on the clock;
 * `failure` runs that failed, and why. View `run` joins them: one row a run of the plan that has a
 * result, with a column for each parameter. docs/sweep.md describes them.
 *
 * Each result is a transaction of its own: whatever happens to the process, what was added is there
 * and nothing else. One process at a time writes to a file. */
#ifndef LK_SIM_STUDY_STORE_H
#define LK_SIM_STUDY_STORE_H

#include <glib.h>
#include <stdio.h>

#include "sim/study/run.h"

typedef struct _LkStudyStore LkStudyStore;

/* What an existing file had of the plan. */
typedef struct {
  gboolean is_new;
  gboolean plan_changed; /* since the file was written last */
  guint kept_count;      /* results of runs that the plan has */
  guint outside_count;   /* results of runs that it no longer has: kept, but not in view `run` */
} LkStudyStoreState;

/* Opens or creates a file for these runs. LK_SIM_ERROR_FORMAT when it is something else. Returns:
 * (transfer full). */
LkStudyStore *lk_study_store_open (const char *path, const GPtrArray *runs,
                                   LkStudyStoreState *out_state, GError **error);
void lk_study_store_free (LkStudyStore *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkStudyStore, lk_study_store_free)

/* Is the result of this configuration there? */
gboolean lk_study_store_has (const LkStudyStore *self, const char *key);

gboolean lk_study_store_add (LkStudyStore *self, const LkStudyRun *run, const LkStudyResult *result,
                             GError **error);
gboolean lk_study_store_add_failure (LkStudyStore *self, const LkStudyRun *run, const char *message,
                                     GError **error);

typedef enum { LK_STUDY_CSV, LK_STUDY_JSONL } LkStudyRowFormat;

/* Writes view `run`. */
gboolean lk_study_store_print (LkStudyStore *self, LkStudyRowFormat format, FILE *stream,
                               GError **error);

/* How many of all runs of view `run` are open loops at a load at which their waits mean little, and
 * the highest load of them (see sim/users/offered_load.h). */
gboolean lk_study_store_high_load (LkStudyStore *self, guint *out_count, guint *out_all_count,
                                   double *out_max_ratio, GError **error);

/* Makes a new file of several of one plan. LK_SIM_ERROR_FORMAT when they are of different plans, or
 * two have different results of one run. `out_missing_count`: runs of the plan without result; with
 * `whole_only` nothing is made then. */
gboolean lk_study_store_merge (char *const *paths, const char *to_path, gboolean whole_only,
                               guint *out_missing_count, GError **error);
/* Has the file a plan? FALSE where none is there, or its process has not written to it yet. */
gboolean lk_study_store_is_begun (const char *path, gboolean *out_begun, GError **error);
/* Does another process write to this file, or merge into it? */
gboolean lk_study_store_is_busy (const GError *error);
/* Opens a file to read it. Returns: (transfer full). */
LkStudyStore *lk_study_store_open_read (const char *path, GError **error);

#endif
