/* engine/engine_array.c — tasks leave the record of their array: to start, to be changed, to end.
 *
 * A task that is split off gets a copy of the record's row under the next id of the engine; what
 * accounts count does not change by that, because a record counts as many jobs as it stands for.
 * At the limit of tasks that may run at once the record is held with the reason JobArrayTaskLimit;
 * tasks that wait as jobs of their own are held behind the event.  Slurm makes the eligible time
 * anew then, so the age of what is held begins anew.
 *
 * Source: semantics of job arrays (Slurm's job_array_split, job_array_post_sched). */
#include "engine/engine_array.h"

#include "engine/assert.h"
#include "engine/engine_life.h"
#include "engine/limits.h"

/* ---------------------------------------------------------------- submission */

static guint32
index_limit (const LkEngine *self)
{
  return self->config.cluster != NULL ? self->config.cluster->array_size_max : LK_LIMIT_TASKS;
}

LkReject
lk_engine_array_submit (LkEngine *self, LkJobIndex job)
{
  LkJobTable *jobs = &self->jobs;
  LkText text = lk_terms_asked (jobs->terms[job])->array;
  LkTaskSet tasks;
  guint32 throttle;
  if (text.length_bytes == 0)
    return 0;
  if (!lk_task_set_parse_array (text, index_limit (self), &tasks, &throttle))
    return LK_REJECT_ARRAY_INVALID;
  /* Each task is a job, and needs an id of its own some day. */
  guint64 waiting_count = self->arrays.waiting_count + tasks.count;
  if (jobs->count + waiting_count > LK_LIMIT_JOBS || waiting_count > G_MAXUINT32 - jobs->id[job]) {
    lk_task_set_clear (&tasks);
    return LK_REJECT_TOO_MANY_JOBS;
  }
  LkArray *array = lk_arrays_add (&self->arrays, jobs->id[job], &tasks, throttle);
  array->record = job;
  jobs->array_job_id[job] = jobs->id[job];
  jobs->array_task[job] = LK_TASK_NONE;
  jobs->array_rank[job] = lk_array_rank (array);
  return 0;
}

guint64
lk_engine_job_count (const LkEngine *self)
{
  guint64 count = self->jobs.count + self->arrays.waiting_count;
  /* A record stands for tasks that wait, and is none of them. */
  for (guint i = 0; i < self->arrays.items->len; i++) {
    const LkArray *array = g_ptr_array_index (self->arrays.items, i);
    count -= array->record != LK_JOB_NONE ? 1 : 0;
  }
  return count;
}

LkTaskStanding
lk_engine_task_standing (const LkEngine *self, const LkArray *array, guint32 task,
                         guint32 *out_job_id)
{
  if (lk_task_set_has (&array->waiting, task))
    return LK_TASK_WAITING;
  if (lk_task_set_has (&array->ended, task))
    return lk_task_set_has (&array->completed, task) ? LK_TASK_COMPLETED : LK_TASK_FAILED;
  LkJobIndex job =
      task < LK_LIMIT_TASKS ? lk_id_map_find (&array->member_by_task, task + 1) : LK_JOB_NONE;
  if (job == LK_JOB_NONE)
    return LK_TASK_UNKNOWN;
  *out_job_id = self->jobs.id[job];
  return LK_TASK_JOB;
}

guint32
lk_engine_task_count (const LkEngine *self, LkJobIndex job)
{
  return lk_engine_is_record (self, job) ? lk_engine_array_of (self, job)->waiting.count : 1;
}

uint32_t
lk_host_job_tasks (const LkView *view, LkJobIndex job)
{
  return lk_engine_task_count (view->engine, job);
}

uint32_t
lk_host_job_tasks_allowed (const LkView *view, LkJobIndex job)
{
  guint32 count = lk_engine_task_count (view->engine, job);
  if (!lk_engine_is_record (view->engine, job))
    return count;
  const LkArray *array = lk_engine_array_of (view->engine, job);
  if (array->throttle == 0)
    return count;
  return MIN (count, array->throttle - MIN (array->throttle, array->active_count));
}

/* ---------------------------------------------------------------- a task becomes a job */

static void
join (LkEngine *self, LkArray *array, LkJobIndex job, guint32 task)
{
  self->jobs.array_task[job] = task;
  self->jobs.array_rank[job] = task;
  self->jobs.array_place[job] = array->members->len;
  g_array_append_val (array->members, job);
  lk_id_map_insert (&array->member_by_task, task + 1, job);
}

static void
leave (LkEngine *self, LkArray *array, LkJobIndex job)
{
  LkJobIndex *members = (LkJobIndex *)(gpointer)array->members->data;
  guint32 place = self->jobs.array_place[job];
  LkJobIndex last = members[array->members->len - 1];
  LK_ASSERT (members[place] == job);
  lk_id_map_remove (&array->member_by_task, self->jobs.array_task[job] + 1);
  members[place] = last;
  self->jobs.array_place[last] = place;
  g_array_set_size (array->members, array->members->len - 1);
}

static void
take_waiting (LkEngine *self, LkArray *array, guint32 task)
{
  lk_task_set_remove (&array->waiting, task);
  self->arrays.waiting_count--;
}

/* What the job asks for, but for the array. */
static LkTerms *
terms_of_task (const LkEngine *self, LkJobIndex record)
{
  LkJobTerms terms = *lk_terms_asked (self->jobs.terms[record]);
  terms.array = lk_text ("");
  return lk_terms_new (&terms);
}

static void
copy_count (LkEngine *self, LkJobIndex record, LkJobIndex job)
{
  LkBook *book = self->book;
  lk_book_reserve_jobs (book, self->jobs.limit);
  book->job_counts[job] = book->job_counts[record];
  memcpy (lk_book_job_tres (book, job), lk_book_job_tres (book, record),
          book->tres_count * sizeof (guint64));
}

/* A row like the record's, on no list. */
static LkJobIndex
copy_record (LkEngine *self, LkJobIndex record)
{
  LkJobTable *jobs = &self->jobs;
  guint32 id = ++self->job_id_last;
  LkJobIndex job = lk_job_table_add (jobs, id);
  self->view.job_index_limit = jobs->limit;
#define C(type, name, wire) jobs->name[job] = jobs->name[record];
  LK_JOB_COLUMNS (C)
#undef C
  jobs->id[job] = id;
  jobs->phase[job] = LK_PHASE_HELD; /* until it is on a list */
  jobs->wait_noted[job] = LK_WAIT_NONE;
  jobs->reason_left[job] = 0;
  jobs->request[job] = jobs->request[record];
  if (jobs->request[job] != LK_JOB_NONE)
    lk_machine_share (self->machine, jobs->request[job]);
  jobs->terms[job] = terms_of_task (self, record);
  if (self->book != NULL)
    copy_count (self, record, job);
  lk_engine_dependency_split (self, record, job);
  lk_engine_split_reservations (self, record, job);
  lk_engine_watch_deadline (self, job);
  if (self->preemption != NULL) {
    lk_engine_set_level (self, job);
    /* The room that was made was for this task. */
    lk_engine_preempt_forget (self, record);
  }
  return job;
}

static LkJobIndex
split_off (LkEngine *self, LkJobIndex record, guint32 task)
{
  LkArray *array = lk_engine_array_of (self, record);
  LK_ASSERT (array->waiting.count > 1);
  LkJobIndex job = copy_record (self, record);
  take_waiting (self, array, task);
  lk_engine_array_unrank (self, array);
  join (self, array, job, task);
  return job;
}

static void
tell_task (LkEngine *self, LkJobIndex job)
{
  LkDecision decision = { .kind = LK_DECISION_TASK, .job = job };
  decision.task.job_id = self->jobs.id[job];
  decision.task.array_job_id = self->jobs.array_job_id[job];
  decision.task.task = self->jobs.array_task[job];
  lk_engine_emit (self, &decision);
}

LkJobIndex
lk_engine_array_next (LkEngine *self, LkJobIndex record)
{
  LkArray *array = lk_engine_array_of (self, record);
  guint32 task = lk_task_set_first (&array->waiting);
  LkJobIndex job = record;
  if (array->waiting.count > 1) {
    job = split_off (self, record, task);
  } else {
    /* In the queue it is looked for by its task. */
    lk_engine_leave_queue (self, record);
    self->jobs.phase[record] = LK_PHASE_HELD;
    take_waiting (self, array, task);
    array->record = LK_JOB_NONE;
    join (self, array, record, task);
  }
  tell_task (self, job);
  return job;
}

LkJobIndex
lk_engine_array_split (LkEngine *self, LkJobIndex record, guint32 task)
{
  LkJobIndex job = split_off (self, record, task);
  LK_ASSERT (self->split_task == LK_JOB_NONE);
  self->split_task = job;
  self->jobs.hold_reason[job] = LK_REASON_NONE;
  if (lk_engine_is_in_line (self, record))
    lk_engine_enqueue (self, job);
  else
    lk_engine_keep (self, job, (LkReason)self->jobs.hold_reason[record]);
  return job;
}

void
lk_engine_array_rejoin (LkEngine *self, LkJobIndex job)
{
  LkArray *array = lk_engine_array_of (self, job);
  LK_ASSERT (self->split_task == job);
  LK_ASSERT (self->jobs.id[job] == self->job_id_last);
  self->split_task = LK_JOB_NONE;
  if (lk_engine_is_in_line (self, job))
    lk_engine_dequeue (self, job);
  else
    lk_engine_let_go (self, job);
  if (self->book != NULL)
    lk_engine_count_accruing (self, job, self->book->job_counts[array->record].is_accruing);
  lk_engine_dependency_rejoin (self, job);
  lk_task_set_add (&array->waiting, self->jobs.array_task[job]);
  self->arrays.waiting_count++;
  lk_engine_unwatch_deadline (self, job);
  lk_engine_forget_job (self, job);
  self->job_id_last--;
}

void
lk_engine_array_tell_split (LkEngine *self)
{
  LkJobIndex job = self->split_task;
  self->split_task = LK_JOB_NONE;
  tell_task (self, job);
}

/* ---------------------------------------------------------------- starts and ends */

static void
unsettle (LkEngine *self, const LkArray *array)
{
  g_array_append_val (self->arrays.unsettled, array->array_job_id);
}

void
lk_engine_array_started (LkEngine *self, LkJobIndex job)
{
  LkArray *array = lk_engine_array_of (self, job);
  array->active_count++;
  array->start_last_us = self->view.now_us;
  if (lk_array_is_full (array))
    unsettle (self, array);
}

void
lk_engine_array_stopped (LkEngine *self, LkJobIndex job)
{
  LkArray *array = lk_engine_array_of (self, job);
  LK_ASSERT (array->active_count > 0);
  if (lk_array_is_full (array))
    unsettle (self, array);
  array->active_count--;
}

gboolean
lk_engine_array_goes_on (LkEngine *self, LkJobIndex record)
{
  if (!lk_engine_is_record (self, record))
    return FALSE;
  if (!lk_array_is_full (lk_engine_array_of (self, record)))
    return TRUE;
  /* Nobody else has more room by that. */
  gboolean changed = self->changed;
  lk_engine_settle (self, record);
  self->changed = changed;
  return FALSE;
}

void
lk_engine_array_set_throttle (LkEngine *self, LkArray *array, guint32 throttle)
{
  self->arrays.throttled_count -= array->throttle != 0;
  self->arrays.throttled_count += throttle != 0;
  array->throttle = throttle;
  unsettle (self, array);
}

void
lk_engine_array_lose (LkEngine *self, LkArray *array, const LkTaskSet *tasks)
{
  LK_ASSERT (tasks->count < array->waiting.count);
  if (self->book != NULL)
    lk_engine_account_lost (self, array->record, tasks->count);
  for (guint32 task = tasks->low; task != LK_TASK_NONE; task = lk_task_set_next (tasks, task)) {
    if (!lk_task_set_has (tasks, task))
      continue;
    take_waiting (self, array, task);
    lk_task_set_add (&array->ended, task);
  }
  lk_engine_array_unrank (self, array);
  lk_engine_dependency_lost (self, array->array_job_id, tasks);
}

void
lk_engine_array_left (LkEngine *self, LkJobIndex job)
{
  LkArray *array = lk_engine_array_of (self, job);
  guint32 task = self->jobs.array_task[job];
  if (task != LK_TASK_NONE) {
    lk_task_set_add (&array->ended, task);
    if (self->told_state == LK_JOB_COMPLETED)
      lk_task_set_add (&array->completed, task);
    return;
  }
  for (task = lk_task_set_first (&array->waiting); task != LK_TASK_NONE;
       task = lk_task_set_next (&array->waiting, task))
    lk_task_set_add (&array->ended, task);
}

void
lk_engine_array_forget (LkEngine *self, LkJobIndex job)
{
  LkArray *array = lk_engine_array_of (self, job);
  if (self->jobs.array_task[job] != LK_TASK_NONE) {
    leave (self, array, job);
  } else {
    self->arrays.waiting_count -= array->waiting.count;
    lk_task_set_clear (&array->waiting);
    array->record = LK_JOB_NONE;
  }
  if (!lk_array_is_over (array))
    return;
  lk_engine_dependency_array_over (self, array);
  lk_arrays_retire (&self->arrays, array);
}

/* An array that was over, as it is remembered. */
static LkArray *
revive (LkEngine *self, guint32 array_job_id)
{
  const LkEndedJob *whole = lk_engine_dependency_ended (self, array_job_id);
  LkTaskSet none = { 0 };
  LK_ASSERT (whole != NULL && whole->tasks != NULL);
  LkArray *array = lk_arrays_add (&self->arrays, array_job_id, &none, whole->tasks->throttle);
  lk_task_set_copy (&whole->tasks->ended, &array->ended);
  lk_task_set_copy (&whole->tasks->completed, &array->completed);
  array->start_last_us = whole->start_us;
  return array;
}

void
lk_engine_array_return (LkEngine *self, LkJobIndex job, guint32 array_job_id, guint32 task)
{
  LkArray *array = lk_arrays_find (&self->arrays, array_job_id);
  if (array == NULL)
    array = revive (self, array_job_id);
  lk_task_set_remove (&array->ended, task);
  if (lk_task_set_has (&array->completed, task))
    lk_task_set_remove (&array->completed, task);
  self->jobs.array_job_id[job] = array_job_id;
  join (self, array, job, task);
}

/* ---------------------------------------------------------------- the limit of running tasks */

static gint
compare_ids (gconstpointer a, gconstpointer b)
{
  guint32 id_a = *(const guint32 *)a;
  guint32 id_b = *(const guint32 *)b;
  return (id_a > id_b) - (id_a < id_b);
}

static gint
compare_tasks (gconstpointer a, gconstpointer b, gpointer user)
{
  const LkEngine *self = user;
  guint32 task_a = self->jobs.array_task[*(const LkJobIndex *)a];
  guint32 task_b = self->jobs.array_task[*(const LkJobIndex *)b];
  return (task_a > task_b) - (task_a < task_b);
}

GArray *
lk_engine_array_members (const LkEngine *self, const LkArray *array)
{
  GArray *jobs = g_array_sized_new (FALSE, FALSE, sizeof (LkJobIndex), array->members->len);
  g_array_append_vals (jobs, array->members->data, array->members->len);
  g_array_sort_with_data (jobs, compare_tasks, (gpointer)self);
  return jobs;
}

static void
settle (LkEngine *self, const LkArray *array)
{
  if (array->record != LK_JOB_NONE)
    lk_engine_settle (self, array->record);
  if (array->members->len == array->active_count)
    return;
  g_autoptr (GArray) jobs = lk_engine_array_members (self, array);
  for (guint i = 0; i < jobs->len; i++) {
    LkJobIndex job = g_array_index (jobs, LkJobIndex, i);
    if (lk_engine_is_pending (self, job))
      lk_engine_settle (self, job);
  }
}

void
lk_engine_array_settle_all (LkEngine *self)
{
  GArray *ids = self->arrays.unsettled;
  guint32 before = 0;
  g_array_sort (ids, compare_ids);
  for (guint i = 0; i < ids->len; i++) {
    guint32 id = g_array_index (ids, guint32, i);
    const LkArray *array = id != before ? lk_arrays_find (&self->arrays, id) : NULL;
    before = id;
    if (array != NULL)
      settle (self, array);
  }
  g_array_set_size (ids, 0);
}
