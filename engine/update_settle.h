/* engine/update_settle.h — what follows from an update of a job beside what it says: slurmctld's
 * part of `scontrol update`, before the event is written and applied.
 *
 * - Where the number of processors changes it is counted anew, from all that the job asks for then
 *   (lk_job_request_cpus).
 * - A fewest number of nodes that comes without a most number leaves that, unless it is below.
 *
 * Nothing is done on a counted pool, nor where there is no such job: the engine refuses that.
 * Source: src/slurmctld/job_mgr.c (_update_job). */
#ifndef LK_ENGINE_UPDATE_SETTLE_H
#define LK_ENGINE_UPDATE_SETTLE_H

#include "engine/engine.h"

void lk_update_settle (const LkEngine *engine, LkEvent_update *update);

#endif
