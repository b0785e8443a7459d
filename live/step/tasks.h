/* live/step/tasks.h — the process that runs the tasks of one step on a node: a child of the keeper.
 *
 * It is the user's from its beginning: the switch comes before it reads what its srun says, opens a
 * file, or makes a terminal; so neither the stream (step_stream.h) nor PMIx is ever served with
 * other rights than the user's own.  The keeper, which stays who it is, ends what it cannot, and
 * writes down how it has ended.
 *
 * It begins the tasks when the srun has proved who it is; passes on what they write and read, and
 * how they end; and ends them when the srun is lost, unless the step is to go on without it. */
#ifndef LK_LIVE_STEP_TASKS_H
#define LK_LIVE_STEP_TASKS_H

#include "live/port/step_folder.h"
#include "live/step/step.h"

/* A step that is to begin here; what does not say otherwise is borrowed. */
typedef struct {
  const LkMessage_step_launch *launch;
  const LkStepRoom *room;
  LkCgroup *group; /* of the step, made; (transfer full). NULL: there is none */
} LkTasksPlan;

/* By the child of the keeper that becomes it. */
G_NORETURN void lk_tasks_run (LkStep *step, const LkTasksPlan *plan, int keeper);

#endif
