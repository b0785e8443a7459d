/* live/step/step_pmi.h — the PMI server of a step on a node (srun --mpi=pmi2).
 *
 * Programs speak PMI-2 with it (Slurm's libpmi2), or PMI-1 (MPICH), each over a descriptor of its
 * own, PMI_FD.  What is put is gathered at fences, in which all tasks of the step take part, by the
 * server of the first node, through the srun, as those of PMIx do (step_pmix.h); names that are
 * published are kept there, too, as long as the step lives.
 *
 * Not here: spawning and connecting, and rings: they are answered by an error.
 * Sources: pmi2.h; MPICH's wire protocols (pmi_word.h). */
#ifndef LK_LIVE_STEP_STEP_PMI_H
#define LK_LIVE_STEP_STEP_PMI_H

#include "live/step/step_pmix.h"

typedef struct _LkStepPmi LkStepPmi;

/* Of the configuration `folder` is not used. It lives as long as the process. */
LkStepPmi *lk_step_pmi_new (LkLoop *loop, const LkStepPmixConfig *config);
/* Returns: the end of a task, which it inherits, and which the caller closes; -1: see errno. */
int lk_step_pmi_connect (LkStepPmi *self, guint32 task);
/* What a task finds in its environment, before what is NULL behind the last. `fd` -1: no PMI_FD. */
void lk_step_pmi_environment (const LkStepPmi *self, guint32 task, int fd, GPtrArray *environment);
/* What another node has sent. */
void lk_step_pmi_take (LkStepPmi *self, guint32 node_index, LkBytes bytes);
/* On which node each task is, "(vector,(0,2,4))": from 0, two nodes with four tasks each.
 * `node_tasks` is of GArray of guint32. Returns: (transfer full). */
char *lk_step_pmi_mapping (const GPtrArray *node_tasks, guint32 task_count);

#endif
