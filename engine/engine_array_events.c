/* engine/engine_array_events.c — events that mean an array, or some of its tasks.
 *
 * An event names jobs by an id and a list of tasks.  The id of an array without a list means its
 * record and all its tasks; any other id means that job only.  Such an event is carried out job by
 * job as if there were one event for each, and is accepted once if it can be carried out for any.
 * Tasks that are still in the record are split off first where they are to differ from the others;
 * where they are cancelled they are just taken out.  A task that is split off and then refused is
 * put back, so that a refused event changes nothing.
 *
 * Source: semantics of scancel(1), scontrol(1) for arrays (Slurm's job_str_signal,
 * update_job_str). */
#include "engine/assert.h"
#include "engine/engine_array.h"
#include "engine/engine_life.h"

/* Kinds of events that have LK_JOB_TARGET_FIELDS. */
#define TARGET_KINDS(X)                                                                            \
  X (UPDATE, update)                                                                               \
  X (CANCEL, cancel)                                                                               \
  X (HOLD, hold)                                                                                   \
  X (RELEASE, release)                                                                             \
  X (REQUEUE, requeue)                                                                             \
  X (SIGNAL, signal)                                                                               \
  X (SUSPEND, suspend)                                                                             \
  X (RESUME, resume)

#define THROTTLE_BIT (G_GUINT64_CONSTANT (1) << LK_CHANGE_array)

/* FALSE: the event names no job in this way. */
static gboolean
target_of (const LkEvent *event, guint32 *out_job_id, LkText *out_task_list)
{
  switch (event->kind) {
#define X(NAME, lower)                                                                             \
  case LK_EVENT_##NAME:                                                                            \
    *out_job_id = event->lower.job_id;                                                             \
    *out_task_list = event->lower.task_list;                                                       \
    break;
    TARGET_KINDS (X)
#undef X
  default:
    return FALSE;
  }
  return event->kind != LK_EVENT_CANCEL || event->cancel.filter == 0;
}

static void
set_target (LkEvent *event, guint32 job_id)
{
  switch (event->kind) {
#define X(NAME, lower)                                                                             \
  case LK_EVENT_##NAME:                                                                            \
    event->lower.job_id = job_id;                                                                  \
    event->lower.task_list = (LkText){ NULL, 0 };                                                  \
    break;
    TARGET_KINDS (X)
#undef X
  default:
    LK_UNREACHABLE ("the kind has a target");
  }
}

static gboolean
sets_throttle (const LkEvent *event)
{
  return event->kind == LK_EVENT_UPDATE && (event->update.changes & THROTTLE_BIT) != 0;
}

/* Where a job was amended, the id of an array may be that of a job which is none of its tasks. */
static gboolean
names_array (const LkEngine *self, guint32 job_id)
{
  if (lk_arrays_find (&self->arrays, job_id) == NULL)
    return FALSE;
  LkJobIndex job = lk_id_map_find (&self->jobs.index_by_id, job_id);
  return job == LK_JOB_NONE || self->jobs.array_job_id[job] == job_id;
}

gboolean
lk_engine_array_is_meant (const LkEngine *self, const LkEvent *event)
{
  guint32 job_id;
  LkText task_list;
  return target_of (event, &job_id, &task_list)
         && (task_list.length_bytes > 0 || sets_throttle (event) || names_array (self, job_id));
}

/* ---------------------------------------------------------------- one by one */

/* An event that is carried out for several jobs. */
typedef struct {
  const LkEvent *event;
  gboolean is_done; /* for one at least */
  LkReject reject;  /* else why not for the first */
} Round;

/* Returns whether it was carried out. */
static gboolean
apply_to (LkEngine *self, Round *round, guint32 job_id)
{
  LkEvent event = *round->event;
  set_target (&event, job_id);
  LkReject reject = lk_engine_dispatch (self, &event);
  round->is_done |= reject == 0;
  if (round->reject == 0)
    round->reject = reject;
  return reject == 0;
}

/* Ids first: what happens to one may be the end of others. Of all members, or of those in
 * `tasks`. */
static void
apply_to_members (LkEngine *self, Round *round, const LkArray *array, const LkTaskSet *tasks)
{
  g_autoptr (GArray) jobs = lk_engine_array_members (self, array);
  guint count = 0;
  for (guint i = 0; i < jobs->len; i++) {
    LkJobIndex job = g_array_index (jobs, LkJobIndex, i);
    if (tasks == NULL || lk_task_set_has (tasks, self->jobs.array_task[job]))
      g_array_index (jobs, guint32, count++) = self->jobs.id[job];
  }
  for (guint i = 0; i < count; i++)
    apply_to (self, round, g_array_index (jobs, guint32, i));
}

/* Tasks that have ended can be requeued, all (NULL) or those in `tasks`. */
static void
apply_to_ended (LkEngine *self, Round *round, const LkTaskSet *tasks)
{
  if (round->event->kind != LK_EVENT_REQUEUE)
    return;
  LkReject reject = lk_engine_return_tasks (self, &round->event->requeue, tasks);
  round->is_done |= reject == 0;
  /* Most often there are none. */
  if (round->reject == 0 && reject != LK_REJECT_JOB_UNKNOWN && reject != LK_REJECT_TASK_UNKNOWN)
    round->reject = reject;
}

/* ---------------------------------------------------------------- tasks in the record */

/* Each as a job of its own; when the first is refused, all would be. */
static void
apply_to_split (LkEngine *self, Round *round, const LkArray *array, const LkTaskSet *tasks)
{
  LkJobIndex record = array->record;
  /* A task that joins the queue is told of, so that this is seen before. */
  if (round->event->kind == LK_EVENT_RELEASE && self->jobs.held_by[record] == LK_HELD_BY_NOBODY) {
    round->reject = LK_REJECT_NOT_HELD;
    return;
  }
  for (guint32 task = lk_task_set_has (tasks, 0) ? 0 : lk_task_set_next (tasks, 0);
       task != LK_TASK_NONE; task = lk_task_set_next (tasks, task)) {
    LkJobIndex job = lk_engine_array_split (self, record, task);
    if (!apply_to (self, round, self->jobs.id[job])) {
      lk_engine_array_rejoin (self, job);
      return;
    }
  }
}

static void
apply_to_waiting (LkEngine *self, Round *round, LkArray *array, const LkTaskSet *tasks)
{
  if (tasks->count == array->waiting.count) {
    apply_to (self, round, self->jobs.id[array->record]);
    return;
  }
  switch (round->event->kind) {
  case LK_EVENT_CANCEL:
    lk_engine_accept (self, array->record);
    lk_engine_array_lose (self, array, tasks);
    round->is_done = TRUE;
    break;
  case LK_EVENT_UPDATE:
  case LK_EVENT_HOLD:
  case LK_EVENT_RELEASE:
    apply_to_split (self, round, array, tasks);
    break;
  default:
    round->reject =
        round->event->kind == LK_EVENT_SIGNAL ? LK_REJECT_NOT_NOW : LK_REJECT_NOT_RUNNING;
  }
}

/* Takes out of `wanted` those that wait. */
static void
take_common (LkTaskSet *wanted, const LkTaskSet *waiting, LkTaskSet *out_common)
{
  *out_common = (LkTaskSet){ 0 };
  for (guint32 task = lk_task_set_first (wanted); task != LK_TASK_NONE;
       task = lk_task_set_next (wanted, task))
    if (lk_task_set_has (waiting, task)) {
      lk_task_set_add (out_common, task);
      lk_task_set_remove (wanted, task);
    }
}

static LkReject
apply_to_tasks (LkEngine *self, Round *round, LkArray *array, LkText task_list)
{
  LkTaskSet wanted;
  LkTaskSet waiting;
  if (!lk_task_set_parse (task_list, LK_LIMIT_TASKS, &wanted))
    return LK_REJECT_ARRAY_INVALID;
  take_common (&wanted, &array->waiting, &waiting);
  if (waiting.count > 0)
    apply_to_waiting (self, round, array, &waiting);
  /* What happened to the first may have been the end of the array. */
  array = lk_arrays_find (&self->arrays, array->array_job_id);
  if (array != NULL && wanted.count > 0)
    apply_to_members (self, round, array, &wanted);
  if (array != NULL && wanted.count > 0)
    apply_to_ended (self, round, &wanted);
  lk_task_set_clear (&wanted);
  lk_task_set_clear (&waiting);
  if (!round->is_done && round->reject == 0)
    return LK_REJECT_TASK_UNKNOWN;
  return 0;
}

static LkReject
finish (const Round *round)
{
  return round->is_done ? 0 : round->reject;
}

/* ---------------------------------------------------------------- the event */

static LkReject
apply_to_array (LkEngine *self, const LkEvent *event, LkArray *array, LkText task_list)
{
  Round round = { .event = event };
  if (task_list.length_bytes > 0) {
    LkReject reject = apply_to_tasks (self, &round, array, task_list);
    return reject != 0 ? reject : finish (&round);
  }
  guint32 id = array->array_job_id;
  if (array->record != LK_JOB_NONE)
    apply_to (self, &round, self->jobs.id[array->record]);
  array = lk_arrays_find (&self->arrays, id);
  if (array != NULL)
    apply_to_members (self, &round, array, NULL);
  if (array != NULL)
    apply_to_ended (self, &round, NULL);
  return finish (&round);
}

/* Tasks of an array that is over. */
static LkReject
return_listed (LkEngine *self, const LkEvent_requeue *event)
{
  LkTaskSet wanted;
  if (!lk_task_set_parse (event->task_list, LK_LIMIT_TASKS, &wanted))
    return LK_REJECT_ARRAY_INVALID;
  LkReject reject = lk_engine_return_tasks (self, event, &wanted);
  lk_task_set_clear (&wanted);
  return reject;
}

/* What of an update is not the limit of running tasks comes first: it may be refused. */
static LkReject
update_throttle (LkEngine *self, const LkEvent *event, LkArray *array, LkText task_list)
{
  LkEvent rest = *event;
  guint32 throttle;
  if (array == NULL || task_list.length_bytes > 0
      || !lk_task_set_parse_throttle (event->update.array, &throttle))
    return LK_REJECT_ARRAY_INVALID;
  rest.update.changes &= ~THROTTLE_BIT;
  if (rest.update.changes != 0) {
    LkReject reject = apply_to_array (self, &rest, array, task_list);
    if (reject != 0)
      return reject;
  }
  lk_engine_accept (self, array->record);
  lk_engine_array_set_throttle (self, array, throttle);
  return 0;
}

LkReject
lk_engine_array_event (LkEngine *self, const LkEvent *event)
{
  guint32 job_id = 0;
  LkText task_list = { NULL, 0 };
  target_of (event, &job_id, &task_list);
  LkArray *array = lk_arrays_find (&self->arrays, job_id);
  if (array == NULL && lk_id_map_find (&self->jobs.index_by_id, job_id) == LK_JOB_NONE)
    return event->kind == LK_EVENT_REQUEUE ? return_listed (self, &event->requeue)
                                           : LK_REJECT_JOB_UNKNOWN;
  if (sets_throttle (event))
    return update_throttle (self, event, array, task_list);
  if (array == NULL)
    return LK_REJECT_TASK_UNKNOWN;
  return apply_to_array (self, event, array, task_list);
}
