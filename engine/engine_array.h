/* engine/engine_array.h — arrays of jobs in the engine (engine/array.h), for the engine_*.c files
 * only. */
#ifndef LK_ENGINE_ENGINE_ARRAY_H
#define LK_ENGINE_ENGINE_ARRAY_H

#include "engine/array.h"
#include "engine/engine_private.h"

/* NULL: the job is of no array. */
static inline LkArray *
lk_engine_array_of (const LkEngine *self, LkJobIndex job)
{
  guint32 id = self->jobs.array_job_id[job];
  return id != 0 ? lk_arrays_find (&self->arrays, id) : NULL;
}
/* Does the job stand for tasks that wait? */
static inline gboolean
lk_engine_is_record (const LkEngine *self, LkJobIndex job)
{
  return self->jobs.array_job_id[job] != 0 && self->jobs.array_task[job] == LK_TASK_NONE;
}

/* ---------------------------------------------------------------- engine_array.c */

/* As LkHost.job_tasks and job_tasks_allowed. */
uint32_t lk_host_job_tasks (const LkView *view, LkJobIndex job);
uint32_t lk_host_job_tasks_allowed (const LkView *view, LkJobIndex job);

/* Makes the array that a job, which has just been put into the table, asks for. */
LkReject lk_engine_array_submit (LkEngine *self, LkJobIndex job);
/* Splits the record's next task off to be started, and tells so. Returns the job that it is: the
 * record itself for the last one. It is in no queue. */
LkJobIndex lk_engine_array_next (LkEngine *self, LkJobIndex record);
/* Splits a task off that goes on waiting, as the record does; the record keeps others.  Told behind
 * the next acceptance. */
LkJobIndex lk_engine_array_split (LkEngine *self, LkJobIndex record, guint32 task);
/* Takes that back: nothing has been told. */
void lk_engine_array_rejoin (LkEngine *self, LkJobIndex job);
/* Waiting tasks end as CANCELLED; the record keeps others. */
void lk_engine_array_lose (LkEngine *self, LkArray *array, const LkTaskSet *tasks);
void lk_engine_array_set_throttle (LkEngine *self, LkArray *array, guint32 throttle);

/* A job of an array has started, and is not active any more. */
void lk_engine_array_started (LkEngine *self, LkJobIndex job);
void lk_engine_array_stopped (LkEngine *self, LkJobIndex job);
/* Behind the start of a task in a pass: does the record stay in the queue? */
gboolean lk_engine_array_goes_on (LkEngine *self, LkJobIndex record);
/* A job of an array leaves, as its last notice told; and its row is given up. */
void lk_engine_array_left (LkEngine *self, LkJobIndex job);
void lk_engine_array_forget (LkEngine *self, LkJobIndex job);
/* A job that has just been taken in is a task of the array that had ended. */
void lk_engine_array_return (LkEngine *self, LkJobIndex job, guint32 array_job_id, guint32 task);
/* Behind an event: pending tasks that may start now, or may no more. */
void lk_engine_array_settle_all (LkEngine *self);
/* Tells of the task that was split off last. */
void lk_engine_array_tell_split (LkEngine *self);

/* ---------------------------------------------------------------- engine_array_rank.c */

/* As which task the job that stands for the tasks of the array that wait ranks. */
guint32 lk_array_rank (const LkArray *array);
/* Tasks have left the record: behind the event it ranks anew. */
void lk_engine_array_unrank (LkEngine *self, const LkArray *array);
/* Behind an event. */
void lk_engine_array_rank_all (LkEngine *self);

/* ---------------------------------------------------------------- engine_array_events.c */

/* Does the event mean more than one job, or tasks? */
gboolean lk_engine_array_is_meant (const LkEngine *self, const LkEvent *event);
/* Carries it out for each of them. */
LkReject lk_engine_array_event (LkEngine *self, const LkEvent *event);

/* ---------------------------------------------------------------- engine_array_bytes.c */

void lk_engine_check_arrays (const LkEngine *self);
void lk_engine_save_arrays (const LkEngine *self, GByteArray *out);
/* Before the jobs; a job of which the row was read; behind all jobs. */
gboolean lk_engine_load_arrays (LkEngine *self, LkBytesReader *reader);
gboolean lk_engine_load_task (LkEngine *self, LkJobIndex job);
gboolean lk_engine_arrays_agree (const LkEngine *self);

#endif
