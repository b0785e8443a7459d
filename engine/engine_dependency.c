/* engine/engine_dependency.c — jobs that wait for others.
 *
 * Who waits for a job in the system is known by its id (dependents.h), so that an end costs what
 * waits for it.  Ends are noted as they happen and told at the end of their event, oldest first and
 * by rising id: what is settled then may end further jobs, which come behind.
 *
 * Invariants: a job with conditions left is held; a condition that has not failed is in the index
 * as long as its job is in the system; one with a moment is among the moments.  So the index, the
 * moments and the groups of names follow from the jobs, and no snapshot holds them.
 *
 * Source: semantics of Slurm's job_scheduler.c (test_job_dependency, update_job_dependency). */
#include "engine/assert.h"
#include "engine/checked.h"
#include "engine/engine_dependency_private.h"

LkDependencies *
lk_dependencies_new (gint64 ended_age_us)
{
  LkDependencies *self = g_new0 (LkDependencies, 1);
  self->dependents = lk_dependents_new ();
  self->ended = lk_ended_new (ended_age_us);
  self->changed = g_array_new (FALSE, FALSE, sizeof (guint64));
  self->unsettled = g_array_new (FALSE, FALSE, sizeof (guint32));
  self->to_part = g_array_new (FALSE, FALSE, sizeof (guint32));
  return self;
}

void
lk_dependencies_free (LkDependencies *self)
{
  if (self == NULL)
    return;
  for (guint32 i = 0; i < self->job_limit; i++)
    lk_dependency_free (self->of_job[i]);
  g_free (self->of_job);
  lk_dependents_free (self->dependents);
  lk_ended_free (self->ended);
  lk_singletons_free (self->singletons);
  g_array_unref (self->changed);
  g_array_unref (self->unsettled);
  g_array_unref (self->to_part);
  g_free (self);
}

LkReason
lk_engine_dependency_reason (const LkEngine *self, LkJobIndex job)
{
  const LkDependency *dependency = lk_dependencies_of (self, job);
  if (dependency == NULL)
    return LK_REASON_NONE;
  return lk_dependency_is_failed (dependency) ? LK_REASON_DEPENDENCY_NEVER_SATISFIED
                                              : LK_REASON_DEPENDENCY;
}

/* ---------------------------------------------------------------- the index */

void
lk_dependencies_add_due (LkEngine *self, LkJobIndex waiter, const LkDependencyItem *item)
{
  if (item->due_us != LK_TIME_NEVER)
    lk_dependents_add_due (self->dependencies->dependents, item->due_us, self->jobs.id[waiter]);
}

void
lk_dependencies_remove_due (LkEngine *self, LkJobIndex waiter, const LkDependencyItem *item)
{
  if (item->due_us != LK_TIME_NEVER)
    lk_dependents_remove_due (self->dependencies->dependents, item->due_us, self->jobs.id[waiter]);
}

static void
add_item (LkEngine *self, LkJobIndex waiter, const LkDependencyItem *item)
{
  LkDependents *dependents = self->dependencies->dependents;
  guint32 id = self->jobs.id[waiter];
  if (item->is_failed)
    return;
  if (lk_dependencies_is_there (self, item))
    lk_dependents_add (dependents, lk_awaited (item->job_id, item->task), id);
  lk_dependencies_add_due (self, waiter, item);
}

void
lk_dependencies_remove_item (LkEngine *self, LkJobIndex waiter, const LkDependencyItem *item)
{
  LkDependents *dependents = self->dependencies->dependents;
  guint32 id = self->jobs.id[waiter];
  if (item->is_failed)
    return;
  if (lk_dependencies_is_there (self, item))
    lk_dependents_remove (dependents, lk_awaited (item->job_id, item->task), id);
  lk_dependencies_remove_due (self, waiter, item);
}

static void
reserve (LkDependencies *all, guint32 job_limit)
{
  if (all->job_limit >= job_limit)
    return;
  guint32 limit = MAX (job_limit, 2 * all->job_limit);
  all->of_job = g_renew (LkDependency *, all->of_job, limit);
  for (guint32 i = all->job_limit; i < limit; i++)
    all->of_job[i] = NULL;
  all->job_limit = limit;
}

/* Takes the dependency. */
void
lk_dependencies_attach (LkEngine *self, LkJobIndex job, LkDependency *dependency)
{
  LkDependencies *all = self->dependencies;
  reserve (all, job + 1);
  LK_ASSERT (all->of_job[job] == NULL);
  LK_ASSERT (dependency->items->len > 0);
  all->of_job[job] = dependency;
  all->count++;
  for (guint i = 0; i < dependency->items->len; i++)
    add_item (self, job, lk_dependency_item (dependency, i));
}

/* Returns: (transfer full), NULL: it had none. */
LkDependency *
lk_dependencies_detach (LkEngine *self, LkJobIndex job)
{
  LkDependencies *all = self->dependencies;
  LkDependency *dependency = lk_dependencies_of (self, job);
  if (dependency == NULL)
    return NULL;
  for (guint i = 0; i < dependency->items->len; i++)
    lk_dependencies_remove_item (self, job, lk_dependency_item (dependency, i));
  all->of_job[job] = NULL;
  all->count--;
  return dependency;
}

/* ---------------------------------------------------------------- groups of names */

/* Those in the system when the first of them asks to be alone. */
void
lk_dependencies_make_singletons (LkEngine *self)
{
  const LkJobTable *jobs = &self->jobs;
  LkDependencies *all = self->dependencies;
  if (all->singletons != NULL)
    return;
  all->singletons = lk_singletons_new ();
  for (LkJobIndex job = 0; job < jobs->limit; job++)
    if (jobs->phase[job] != LK_PHASE_FREE)
      lk_singletons_join (all->singletons, lk_dependencies_key (self, job), jobs->id[job],
                          !lk_dependencies_is_pending (self, job));
}

gboolean
lk_dependencies_ask_alone (const LkDependency *dependency)
{
  for (guint i = 0; i < dependency->items->len; i++)
    if (lk_dependency_item (dependency, i)->type == LK_DEPENDENCY_SINGLETON)
      return TRUE;
  return FALSE;
}

/* ---------------------------------------------------------------- tasks */

gboolean
lk_dependencies_is_there (const LkEngine *self, const LkDependencyItem *item)
{
  const LkArray *array = lk_arrays_find (&self->arrays, item->job_id);
  if (array != NULL)
    return item->task == LK_INDEX_NONE || !lk_task_set_has (&array->ended, item->task);
  return item->job_id != 0 && item->task == LK_INDEX_NONE
         && lk_dependencies_find (self, item->job_id) != LK_JOB_NONE;
}

gboolean
lk_dependencies_ask_tasks (const LkEngine *self, LkJobIndex job, const LkDependency *dependency)
{
  if (self->jobs.array_job_id[job] == 0)
    return FALSE;
  for (guint i = 0; i < dependency->items->len; i++) {
    const LkDependencyItem *item = lk_dependency_item (dependency, i);
    if (item->type == LK_DEPENDENCY_AFTER_CORR && item->task == LK_INDEX_NONE && !item->is_failed)
      return TRUE;
  }
  return FALSE;
}

/* ---------------------------------------------------------------- verdicts */

static LkVerdict
judge_state (LkDependencyType type, LkJobState state)
{
  switch (type) {
  case LK_DEPENDENCY_AFTER_OK:
  case LK_DEPENDENCY_AFTER_CORR:
    return state == LK_JOB_COMPLETED ? LK_VERDICT_SATISFIED : LK_VERDICT_FAILED;
  case LK_DEPENDENCY_AFTER_NOT_OK:
    return state == LK_JOB_COMPLETED ? LK_VERDICT_FAILED : LK_VERDICT_SATISFIED;
  default:
    return LK_VERDICT_SATISFIED;
  }
}

/* How what is waited for stands. */
typedef struct {
  enum { UNKNOWN, PENDING, STARTED, ENDED } phase;
  gint64 start_us;  /* of STARTED and ENDED */
  LkJobState state; /* of ENDED */
} Target;

static Target
target_ended (LkJobState state, gint64 start_us)
{
  return (Target){ .phase = ENDED, .start_us = start_us, .state = state };
}

static Target
target_job (const LkEngine *self, LkJobIndex job)
{
  if (lk_dependencies_is_pending (self, job))
    return (Target){ .phase = PENDING };
  return (Target){ .phase = STARTED, .start_us = self->jobs.start_us[job] };
}

/* When a task that ended was started is not known: as the last one. */
static Target
target_task (const LkEngine *self, const LkArray *array, guint32 task)
{
  guint32 job_id = 0;
  switch (lk_engine_task_standing (self, array, task, &job_id)) {
  case LK_TASK_WAITING:
    return (Target){ .phase = PENDING };
  case LK_TASK_JOB:
    return target_job (self, lk_dependencies_find (self, job_id));
  case LK_TASK_COMPLETED:
    return target_ended (LK_JOB_COMPLETED, array->start_last_us);
  case LK_TASK_FAILED:
    return target_ended (LK_JOB_FAILED, array->start_last_us != G_MININT64 ? array->start_last_us
                                                                           : self->view.now_us);
  default:
    return (Target){ .phase = UNKNOWN };
  }
}

/* An array has started when all its tasks have. */
static Target
target_array (const LkArray *array)
{
  if (array->waiting.count > 0 || array->members->len > array->active_count)
    return (Target){ .phase = PENDING };
  return (Target){ .phase = STARTED, .start_us = array->start_last_us };
}

static Target
target_remembered (const LkEndedJob *ended, guint32 task)
{
  if (task == LK_INDEX_NONE)
    return target_ended ((LkJobState)ended->state, ended->start_us);
  if (ended->tasks == NULL || !lk_task_set_has (&ended->tasks->ended, task))
    return (Target){ .phase = UNKNOWN };
  gboolean is_well = lk_task_set_has (&ended->tasks->completed, task);
  return target_ended (is_well ? LK_JOB_COMPLETED : LK_JOB_FAILED, ended->start_us);
}

const LkEndedJob *
lk_engine_dependency_ended (LkEngine *self, guint32 job_id)
{
  return lk_ended_find (self->dependencies->ended, job_id, self->view.now_us);
}

void
lk_engine_dependency_tasks (LkEngine *self, guint32 array_job_id, GPtrArray *out_asks)
{
  lk_ended_tasks_of (self->dependencies->ended, array_job_id, self->view.now_us, out_asks);
}

static Target
target_of (const LkEngine *self, guint32 job_id, guint32 task)
{
  static const Target unknown = { .phase = UNKNOWN };
  const LkArray *array = lk_arrays_find (&self->arrays, job_id);
  if (array != NULL)
    return task != LK_INDEX_NONE ? target_task (self, array, task) : target_array (array);
  LkJobIndex job = lk_dependencies_find (self, job_id);
  if (job != LK_JOB_NONE)
    return task != LK_INDEX_NONE ? unknown : target_job (self, job);
  const LkEndedJob *ended = lk_ended_find (self->dependencies->ended, job_id, self->view.now_us);
  return ended != NULL ? target_remembered (ended, task) : unknown;
}

LkVerdict
lk_dependencies_judge (const LkEngine *self, LkJobIndex waiter, LkDependencyItem *item)
{
  if (item->type == LK_DEPENDENCY_SINGLETON) {
    guint32 next =
        lk_singletons_next (self->dependencies->singletons, lk_dependencies_key (self, waiter));
    return next == self->jobs.id[waiter] ? LK_VERDICT_SATISFIED : LK_VERDICT_WAITS;
  }
  Target target = target_of (self, item->job_id, item->task);
  item->due_us = LK_TIME_NEVER;
  if (target.phase == UNKNOWN)
    return LK_VERDICT_SATISFIED;
  /* It is not yet said which task it means: that does not matter when all have ended well.  An id
   * that nobody has is settled before that: tasks that are split off for it may be given it. */
  if (item->type == LK_DEPENDENCY_AFTER_CORR && item->task == LK_INDEX_NONE
      && self->jobs.array_job_id[waiter] != 0)
    return target.phase == ENDED && target.state == LK_JOB_COMPLETED ? LK_VERDICT_SATISFIED
                                                                     : LK_VERDICT_WAITS;
  if (target.phase == PENDING)
    return LK_VERDICT_WAITS;
  if (item->type == LK_DEPENDENCY_AFTER) {
    item->due_us = lk_time_add_us (target.start_us, item->delay_us);
    return item->due_us <= self->view.now_us ? LK_VERDICT_SATISFIED : LK_VERDICT_WAITS;
  }
  return target.phase == STARTED ? LK_VERDICT_WAITS
                                 : judge_state ((LkDependencyType)item->type, target.state);
}

gboolean
lk_dependencies_is_known (const LkEngine *self, const LkDependencyItem *item)
{
  return target_of (self, item->job_id, item->task).phase != UNKNOWN;
}

/* Nobody knows the job, and it matters how it ended, which it does not up to 22.05; or it would
 * wait for itself. */
static gboolean
is_refused (const LkEngine *self, LkJobIndex job, const LkDependencyItem *item)
{
  if (item->job_id != 0
      && (item->job_id == self->jobs.id[job] || item->job_id == self->jobs.array_job_id[job]))
    return TRUE;
  return (item->type == LK_DEPENDENCY_AFTER_OK || item->type == LK_DEPENDENCY_AFTER_NOT_OK)
         && !lk_dependencies_is_known (self, item) && !lk_engine_is_old (self);
}

/* ---------------------------------------------------------------- in circles */

static void
push_awaited (const LkDependency *dependency, GArray *stack)
{
  for (guint i = 0; dependency != NULL && i < dependency->items->len; i++) {
    const LkDependencyItem *item = lk_dependency_item (dependency, i);
    if (item->job_id != 0 && !item->is_failed)
      g_array_append_val (stack, item->job_id);
  }
}

/* What a job, or any task of an array, waits for. */
static void
push_awaited_by (const LkEngine *self, guint32 job_id, GArray *stack)
{
  LkJobIndex job = lk_dependencies_find (self, job_id);
  const LkArray *array = lk_arrays_find (&self->arrays, job_id);
  if (job != LK_JOB_NONE)
    push_awaited (lk_dependencies_of (self, job), stack);
  for (guint i = 0; array != NULL && i < array->members->len; i++)
    push_awaited (lk_dependencies_of (self, g_array_index (array->members, LkJobIndex, i)), stack);
}

/* Would the job, by way of others, wait for itself? Cost O(conditions on the way). */
static gboolean
is_circular (const LkEngine *self, LkJobIndex job, const LkDependency *dependency)
{
  LkIdMap seen;
  gboolean found = FALSE;
  g_autoptr (GArray) stack = g_array_new (FALSE, FALSE, sizeof (guint32));
  lk_id_map_init (&seen);
  push_awaited (dependency, stack);
  while (stack->len > 0 && !found) {
    guint32 id = g_array_index (stack, guint32, stack->len - 1);
    g_array_set_size (stack, stack->len - 1);
    found = id == self->jobs.id[job] || id == self->jobs.array_job_id[job];
    if (lk_id_map_find (&seen, id) != LK_JOB_NONE)
      continue;
    lk_id_map_insert (&seen, id, 0);
    push_awaited_by (self, id, stack);
  }
  lk_id_map_clear (&seen);
  return found;
}

/* ---------------------------------------------------------------- a dependency is asked for */

static LkReject
read_text (const LkEngine *self, LkJobIndex job, LkText text, LkDependency **out_dependency)
{
  g_autoptr (LkDependency) dependency = NULL;
  if (!lk_dependency_parse (text, &dependency))
    return LK_REJECT_DEPENDENCY_INVALID;
  for (guint i = 0; dependency != NULL && i < dependency->items->len; i++)
    if (is_refused (self, job, lk_dependency_item (dependency, i)))
      return LK_REJECT_DEPENDENCY_INVALID;
  *out_dependency = g_steal_pointer (&dependency);
  return 0;
}

/* Takes the dependency: the job waits for what is not yet so. */
static void
take_up (LkEngine *self, LkJobIndex job, LkDependency *dependency)
{
  LkDependencies *all = self->dependencies;
  if (dependency == NULL)
    return;
  if (lk_dependencies_ask_alone (dependency))
    lk_dependencies_make_singletons (self);
  for (guint i = dependency->items->len; i-- > 0;) {
    LkVerdict verdict = lk_dependencies_judge (self, job, lk_dependency_item (dependency, i));
    if (verdict == LK_VERDICT_SATISFIED && lk_dependency_satisfy (dependency, i)) {
      lk_dependency_free (dependency);
      return;
    }
    if (verdict == LK_VERDICT_FAILED)
      lk_dependency_fail (dependency, i);
  }
  lk_dependencies_attach (self, job, dependency);
  if (lk_dependency_is_failed (dependency) || lk_dependencies_ask_tasks (self, job, dependency))
    g_array_append_val (all->unsettled, self->jobs.id[job]);
}

LkReject
lk_engine_dependency_submit (LkEngine *self, LkJobIndex job)
{
  LkDependency *dependency = NULL;
  LkReject reject = 0;
  LkText text = lk_terms_asked (self->jobs.terms[job])->dependency;
  if (text.length_bytes > 0)
    reject = read_text (self, job, text, &dependency);
  if (reject != 0)
    return reject;
  if (self->dependencies->singletons != NULL)
    lk_singletons_join (self->dependencies->singletons, lk_dependencies_key (self, job),
                        self->jobs.id[job],
                        /* is_running= */ FALSE);
  take_up (self, job, dependency);
  return 0;
}

LkReject
lk_engine_set_dependency (LkEngine *self, LkJobIndex job, LkText text)
{
  LkDependency *dependency = NULL;
  LK_ASSERT (lk_dependencies_is_pending (self, job));
  LkReject reject = read_text (self, job, text, &dependency);
  if (reject == 0 && dependency != NULL && is_circular (self, job, dependency)) {
    lk_dependency_free (dependency);
    reject = LK_REJECT_DEPENDENCY_INVALID;
  }
  if (reject != 0)
    return reject;
  lk_dependency_free (lk_dependencies_detach (self, job));
  take_up (self, job, dependency);
  return 0;
}

void
lk_engine_dependency_asked (LkEngine *self, LkJobIndex job)
{
  const LkDependency *dependency = lk_dependencies_of (self, job);
  if (dependency != NULL && lk_dependency_is_failed (dependency))
    g_array_append_val (self->dependencies->unsettled, self->jobs.id[job]);
}

/* ---------------------------------------------------------------- copies */

gpointer
lk_engine_dependency_hide (LkEngine *self, LkJobIndex job)
{
  self->dependencies->is_deaf = TRUE;
  return lk_dependencies_detach (self, job);
}

void
lk_engine_dependency_show (LkEngine *self, LkJobIndex job, gpointer hidden)
{
  self->dependencies->is_deaf = FALSE;
  if (job == LK_JOB_NONE)
    lk_dependency_free (hidden);
  else if (hidden != NULL)
    lk_dependencies_attach (self, job, hidden);
}
