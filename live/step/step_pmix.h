/* live/step/step_pmix.h — the PMIx server of a step on a node (srun --mpi=pmix).
 *
 * It is libpmix, opened only for steps that ask for it, in the process of the step's tasks, with
 * the rights of the user.  What the servers of the nodes have to say to each other, to gather at a
 * fence and to look up what a rank has published, travels through the srun (PMIX_UP, PMIX_DOWN):
 * at a fence each server sends what its tasks have put to the first one of those that take part,
 * which sends all of it back to each.
 *
 * Sources: PMIx 4 (pmix_server.h); Slurm's plugins/mpi/pmix. */
#ifndef LK_LIVE_STEP_STEP_PMIX_H
#define LK_LIVE_STEP_STEP_PMIX_H

#include "live/core/bytes.h"
#include "live/port/loop.h"

typedef struct _LkStepPmix LkStepPmix;

/* The step. Borrowed for the call, but for `user`. */
typedef struct {
  guint32 job_id;
  guint32 step_id;
  guint32 user_id;
  guint32 group_id;
  guint32 node_index;
  GPtrArray *nodes;      /* of char *: names of the step's nodes */
  GPtrArray *node_tasks; /* of GArray of guint32: which tasks each has */
  guint32 task_count;
  const char *folder; /* the user's, empty: what the server has on the disk */
  /* Called from the loop. For a node, or LK_STEP_ALL. */
  void (*send) (gpointer user, guint32 node_index, LkBytes bytes);
  /* A task wants the step ended. */
  void (*abort) (gpointer user, int status, const char *why);
  gpointer user;
} LkStepPmixConfig;

/* NULL: there is no libpmix here, or it refuses; `out_fault` is a text for the user. It lives
 * as long as the process. */
LkStepPmix *lk_step_pmix_new (LkLoop *loop, const LkStepPmixConfig *config, char **out_fault);
/* What a task finds in its environment: NAME=VALUE are set, before what is NULL behind the last. */
void lk_step_pmix_environment (LkStepPmix *self, guint32 task, GPtrArray *environment);
/* What another node has sent. */
void lk_step_pmix_take (LkStepPmix *self, guint32 node_index, LkBytes bytes);

#endif
