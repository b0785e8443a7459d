/* live/step/environment.h — what the processes of a run find in their environment.
 *
 * A batch script has what its user sent, and of SLURM_* and the like what this node knows: names
 * that are ours are taken out of what was sent first, so that nothing of an outer job is left.
 * Prolog and epilog, which may be root's, have an environment made from nothing, in which only
 * values, and no names, come from a user.
 *
 * Source: sbatch(1) "OUTPUT ENVIRONMENT VARIABLES", prolog_epilog.html. */
#ifndef LK_LIVE_STEP_ENVIRONMENT_H
#define LK_LIVE_STEP_ENVIRONMENT_H

#include "live/core/batch.h"
#include "live/core/port_process.h"
#include "live/port/run_share.h"

typedef struct {
  const LkMessage_launch *launch;
  const LkBatch *batch;
  const LkRunShare *share;
  const char *node;
  const char *configuration; /* NULL: none is told */
  const char *folder;        /* of the run: marks its processes */
  const char *user;
  const char *group;
  const char *home;
  const char *shell;
  const GPtrArray *login;        /* of char *: what a login gives; NULL: nobody has asked */
  gboolean devices_are_confined; /* programs count those that they see from 0 */
} LkRunScene;

/* NAME=VALUE, NULL behind the last. Returns: (transfer full). */
GPtrArray *lk_environment_script (const LkRunScene *scene);
/* `how`: of the script, for an epilog; else NULL. */
GPtrArray *lk_environment_program (const LkRunScene *scene, const char *context, const LkExit *how);

#endif
