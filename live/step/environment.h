/* live/step/environment.h — what the processes of a run find in their environment.
 *
 * A batch script has what its user sent, and of SLURM_* and the like what this node knows: names
 * that are ours are taken out of what was sent first, so that nothing of an outer job is left.
 * A task of a step has what srun sends, and in its turn what the node knows of job, step and task.
 * Prolog and epilog, which may be root's, have an environment made from nothing, in which only
 * values, and no names, come from a user.
 *
 * Source: sbatch(1) "OUTPUT ENVIRONMENT VARIABLES", prolog_epilog.html. */
#ifndef LK_LIVE_STEP_ENVIRONMENT_H
#define LK_LIVE_STEP_ENVIRONMENT_H

#include "live/core/batch.h"
#include "live/core/port_process.h"
#include "live/core/step_task.h"
#include "live/port/run_share.h"
#include "live/step/mem_bind.h"

typedef struct {
  const LkMessage_launch *launch;
  const LkBatch *batch;
  const LkRunShare *share;
  const char *node;
  const char *configuration; /* NULL: none is told */
  const char *folder;        /* of the run: marks its processes */
  const char *job_key;       /* file with the key of the job; NULL: it has none */
  const char *user;
  const char *group;
  const char *home;
  const char *shell;
  const GPtrArray *login;        /* of char *: what a login gives; NULL: nobody has asked */
  guint8 derived_exit_code;      /* the highest of steps that have ended here */
  gboolean has_plugins;          /* what they say to prolog and epilog goes there, as SPANK_* */
  gboolean devices_are_confined; /* programs count those that they see from 0 */
} LkRunScene;

/* A task of a step. Borrowed. */
typedef struct {
  const LkMessage_step_launch *launch;
  const LkStepTask *needs;
  const char *nodes;      /* of the step, as a list */
  guint node_count;       /* likewise */
  const char *node_tasks; /* 2(x3),1 */
  const char *here;       /* its tasks here: 0,1,2 */
  const char *launcher;   /* host of its srun; NULL: none is told */
  const char *port;       /* of that */
  const char *bind_type;  /* "none", "mask_cpu:" */
  const char *bind_list;  /* masks */
  gboolean bind_verbose;  /* --cpu-bind=verbose */
  const LkMemBind *mem_bind;
  const GArray *step_gpus; /* of guint32: the step's here */
  const GArray *gpus;      /* what the task sees of them */
  guint cpus;              /* the step's, here */
  guint32 task;            /* number in the step */
  guint index;             /* here */
} LkTaskScene;

/* NAME=VALUE, NULL behind the last. Returns: (transfer full). */
GPtrArray *lk_environment_script (const LkRunScene *scene);
/* By the process that becomes the task. */
GPtrArray *lk_environment_task (const LkRunScene *scene, const LkTaskScene *task);
/* `how`: of the script, for an epilog; else NULL. */
GPtrArray *lk_environment_program (const LkRunScene *scene, const char *context, const LkExit *how);

#endif
