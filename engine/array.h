/* engine/array.h — arrays of jobs: one job for all tasks that wait, until they are split off.
 *
 * An array of tasks comes in as one job, its record, which stands for all of them: one row of the
 * table and one place in the queue, however many they are.  A task that starts, or that an event
 * changes by itself, is split off: it becomes a job of its own with an id that the engine gives,
 * and the record stands for the rest.  The record itself becomes the last task, so that this one
 * has the array's id.  Tasks are split off in the order of their indices.
 *
 * Readers (dependencies, reports) may count on this: an LkArray is there from the submission until
 * the end of the event with which its last task leaves; each of its tasks is at any time exactly
 * one of waiting (in `waiting`), a job (in `members`), or ended (in `ended`, and in `completed` too
 * if it ended as COMPLETED).  lk_engine_remove_job brings the sets up to date before anybody else
 * is told that a job leaves.  Tasks that are cancelled while they wait end without ever having been
 * a job: lk_engine_array_lose is where to hear of them.
 *
 * Source: semantics of Slurm's job_array_split, job_array_post_sched (src/slurmctld/job_mgr.c). */
#ifndef LK_ENGINE_ARRAY_H
#define LK_ENGINE_ARRAY_H

#include <glib.h>

#include "engine/id_map.h"
#include "engine/policy.h"
#include "engine/task_set.h"

typedef struct {
  guint32 array_job_id;
  guint32 throttle;     /* most tasks that run at once; 0: no limit */
  guint32 place;        /* in LkArrays.items */
  guint32 active_count; /* tasks that have started and not ended */
  LkJobIndex record;    /* stands for the waiting tasks; LK_JOB_NONE: none wait */
  LkTaskSet waiting;
  LkTaskSet ended;
  LkTaskSet completed;
  GArray *members; /* LkJobIndex of tasks that are jobs of their own, pending or running; in no
                           order: jobs->array_task says which they are */
  LkIdMap member_by_task; /* of task + 1 */
  gint64 start_last_us;   /* when a task was last started; G_MININT64: none ever */
  gboolean is_to_part;    /* engine_dependency_part.c has noted it */
} LkArray;

typedef struct {
  LkIdMap place_by_id;
  GPtrArray *items;      /* of LkArray*, owned; no order */
  GPtrArray *over;       /* those whose last task left in the event that is being applied */
  GArray *unsettled;     /* of guint32: ids of arrays of which pending tasks may stand otherwise */
  GArray *unranked;      /* likewise, of arrays that may have become one task to wait, or more */
  guint64 waiting_count; /* tasks in all records */
  guint32 throttled_count; /* arrays that have a limit */
} LkArrays;

/* What has become of one task. */
typedef enum {
  LK_TASK_UNKNOWN,   /* the array has no such task */
  LK_TASK_WAITING,   /* it is in the record */
  LK_TASK_JOB,       /* it is a job of its own */
  LK_TASK_COMPLETED, /* it has ended well */
  LK_TASK_FAILED     /* it has ended in any other way, or was cancelled */
} LkTaskStanding;

void lk_arrays_init (LkArrays *self);
void lk_arrays_clear (LkArrays *self);
/* NULL: no array has this id. O(1). Valid as long as the array is there. */
LkArray *lk_arrays_find (const LkArrays *self, guint32 array_job_id);
/* No array has this id. Takes the set. */
LkArray *lk_arrays_add (LkArrays *self, guint32 array_job_id, LkTaskSet *waiting, guint32 throttle);
/* It is read no more behind the event. */
void lk_arrays_retire (LkArrays *self, LkArray *array);
/* Behind an event. */
void lk_arrays_drop_over (LkArrays *self);

static inline gboolean
lk_array_is_full (const LkArray *self)
{
  return self->throttle != 0 && self->active_count >= self->throttle;
}
/* All of its tasks have ended, */
static inline gboolean
lk_array_is_over (const LkArray *self)
{
  return self->waiting.count == 0 && self->members->len == 0;
}
/* and all well. */
static inline gboolean
lk_array_is_completed (const LkArray *self)
{
  return lk_array_is_over (self) && self->completed.count == self->ended.count;
}

#endif
