/* engine/engine_dependency_hear.c — what happens to jobs, and those that wait for them.
 *
 * While an event is handled it is only noted who has left and who may stand otherwise; the end of
 * the event settles them (lk_engine_settle_dependents), so that nothing changes under the hands of
 * a handler or of a policy. */
#include "engine/assert.h"
#include "engine/engine_dependency_private.h"
#include "engine/engine_life.h"

/* ---------------------------------------------------------------- groups of names */

/* Somebody of the group has gone: it may be the turn of the next one, if that waits for it.  The
 * groups are made when they are asked for first; that they are there must not matter to others. */
static void
note_next (LkEngine *self, LkSingletonKey key)
{
  if (self->dependencies->is_deaf)
    return;
  guint32 next = lk_singletons_next (self->dependencies->singletons, key);
  const LkDependency *dependency =
      next != 0 ? lk_dependencies_of (self, lk_dependencies_find (self, next)) : NULL;
  if (dependency != NULL && lk_dependencies_ask_alone (dependency))
    g_array_append_val (self->dependencies->unsettled, next);
}

void
lk_engine_dependency_unname (LkEngine *self, LkJobIndex job)
{
  LkSingletons *singletons = self->dependencies->singletons;
  if (singletons == NULL)
    return;
  lk_singletons_leave (singletons, lk_dependencies_key (self, job), self->jobs.id[job]);
  note_next (self, lk_dependencies_key (self, job));
}

void
lk_engine_dependency_name (LkEngine *self, LkJobIndex job)
{
  LkSingletons *singletons = self->dependencies->singletons;
  if (singletons == NULL)
    return;
  lk_singletons_join (singletons, lk_dependencies_key (self, job), self->jobs.id[job],
                      !lk_dependencies_is_pending (self, job));
  note_next (self, lk_dependencies_key (self, job));
}

static void
move_in_group (LkEngine *self, LkJobIndex job, gboolean is_running)
{
  LkSingletons *singletons = self->dependencies->singletons;
  if (singletons == NULL)
    return;
  LkSingletonKey key = lk_dependencies_key (self, job);
  lk_singletons_leave (singletons, key, self->jobs.id[job]);
  lk_singletons_join (singletons, key, self->jobs.id[job], is_running);
  note_next (self, key);
}

/* ---------------------------------------------------------------- what happens to others */

/* The conditions at `at` and all others, where one will do, are no longer needed. */
static gboolean
satisfy (LkEngine *self, LkJobIndex waiter, guint at)
{
  LkDependency *dependency = lk_dependencies_of (self, waiter);
  if (dependency->is_any || dependency->items->len == 1) {
    lk_dependency_free (lk_dependencies_detach (self, waiter));
    return TRUE;
  }
  lk_dependencies_remove_item (self, waiter, lk_dependency_item (dependency, at));
  lk_dependency_satisfy (dependency, at);
  return FALSE;
}

/* TRUE: nothing is left of the dependency. */
static gboolean
carry_out (LkEngine *self, LkJobIndex waiter, guint at, LkVerdict verdict)
{
  LkDependency *dependency = lk_dependencies_of (self, waiter);
  if (verdict == LK_VERDICT_SATISFIED)
    return satisfy (self, waiter, at);
  if (verdict == LK_VERDICT_FAILED) {
    lk_dependencies_remove_item (self, waiter, lk_dependency_item (dependency, at));
    lk_dependency_fail (dependency, at);
  }
  return FALSE;
}

/* Looks anew at what the waiter waits for there. TRUE: something has come of it. */
static gboolean
hear (LkEngine *self, LkJobIndex waiter, guint64 awaited)
{
  gboolean is_other = FALSE;
  LkDependency *dependency = lk_dependencies_of (self, waiter);
  for (guint i = dependency->items->len; i-- > 0;) {
    LkDependencyItem *item = lk_dependency_item (dependency, i);
    if (lk_awaited (item->job_id, item->task) != awaited || item->is_failed)
      continue;
    lk_dependencies_remove_due (self, waiter, item);
    LkVerdict verdict = lk_dependencies_judge (self, waiter, item);
    lk_dependencies_add_due (self, waiter, item);
    is_other |= verdict != LK_VERDICT_WAITS;
    if (carry_out (self, waiter, i, verdict))
      return TRUE;
  }
  return is_other;
}

static void
tell (LkEngine *self, guint64 awaited)
{
  LkDependencies *all = self->dependencies;
  LkDependencyItem item = { .job_id = (guint32)(awaited >> 32), .task = (guint32)awaited };
  g_autoptr (GArray) waiters = lk_dependents_of (all->dependents, awaited);
  if (!lk_dependencies_is_there (self, &item))
    lk_dependents_forget (all->dependents, awaited);
  for (guint i = 0; i < waiters->len; i++) {
    guint32 id = g_array_index (waiters, guint32, i);
    LkJobIndex waiter = lk_dependencies_find (self, id);
    if (waiter != LK_JOB_NONE && lk_dependencies_of (self, waiter) != NULL
        && hear (self, waiter, awaited))
      g_array_append_val (all->unsettled, id);
  }
}

static void
note (LkEngine *self, guint32 job_id, guint32 task)
{
  LkDependencies *all = self->dependencies;
  guint64 awaited = lk_awaited (job_id, task);
  if (!all->is_deaf && lk_dependents_has (all->dependents, awaited))
    g_array_append_val (all->changed, awaited);
}

/* A job stands otherwise: by itself, as a task, and perhaps as the last that makes its array. */
static void
note_job (LkEngine *self, LkJobIndex job)
{
  guint32 id = self->jobs.id[job];
  guint32 array_id = self->jobs.array_job_id[job];
  if (lk_dependents_count (self->dependencies->dependents) == 0)
    return;
  if (id != array_id)
    note (self, id, LK_INDEX_NONE);
  if (array_id == 0)
    return;
  note (self, array_id, LK_INDEX_NONE);
  if (self->jobs.array_task[job] != LK_TASK_NONE)
    note (self, array_id, self->jobs.array_task[job]);
}

void
lk_engine_dependency_started (LkEngine *self, LkJobIndex job)
{
  move_in_group (self, job, /* is_running= */ TRUE);
  note_job (self, job);
  lk_dependencies_note_part (self, job);
}

void
lk_engine_dependency_stopped (LkEngine *self, LkJobIndex job)
{
  move_in_group (self, job, /* is_running= */ FALSE);
  note_job (self, job);
}

void
lk_engine_dependency_lost (LkEngine *self, guint32 array_job_id, const LkTaskSet *tasks)
{
  const LkArray *array = lk_arrays_find (&self->arrays, array_job_id);
  if (array->record != LK_JOB_NONE)
    lk_dependencies_note_part (self, array->record);
  if (lk_dependents_count (self->dependencies->dependents) == 0)
    return;
  for (guint32 task = tasks->low; task != LK_TASK_NONE; task = lk_task_set_next (tasks, task))
    if (lk_task_set_has (tasks, task))
      note (self, array_job_id, task);
  note (self, array_job_id, LK_INDEX_NONE);
}

void
lk_engine_dependency_left (LkEngine *self, LkJobIndex job)
{
  const LkJobTable *jobs = &self->jobs;
  LkDependencies *all = self->dependencies;
  gint64 now_us = self->view.now_us;
  gboolean is_pending = lk_dependencies_is_pending (self, job);
  LkEndedJob ended = { .id = jobs->id[job],
                       .state = (guint8)self->told_state,
                       .start_us = is_pending ? now_us : jobs->start_us[job],
                       .end_us = now_us };
  LK_ASSERT (self->told_job == job);
  lk_dependency_free (lk_dependencies_detach (self, job));
  lk_engine_dependency_unname (self, job);
  if (all->is_deaf)
    return;
  ended.ask = lk_engine_ask_of (self, job);
  lk_dependencies_note_part (self, job);
  /* The id of an array means all of it: lk_engine_dependency_array_over.  The task that has it can
   * be looked for only if it can come back. */
  if (ended.id != jobs->array_job_id[job] || ended.ask != NULL)
    lk_ended_add (all->ended, &ended);
  if (lk_engine_is_record (self, job))
    lk_engine_dependency_lost (self, ended.id, &lk_engine_array_of (self, job)->waiting);
  note_job (self, job);
}

void
lk_engine_dependency_array_over (LkEngine *self, const LkArray *array)
{
  LkDependencies *all = self->dependencies;
  gint64 now_us = self->view.now_us;
  /* An array that was refused has never been. */
  if (all->is_deaf || array->array_job_id > self->job_id_last)
    return;
  LkEndedJob ended = { .id = array->array_job_id,
                       .state = lk_array_is_completed (array) ? LK_JOB_COMPLETED : LK_JOB_FAILED,
                       .start_us =
                           array->start_last_us != G_MININT64 ? array->start_last_us : now_us,
                       .end_us = now_us,
                       .tasks = g_new (LkEndedTasks, 1) };
  lk_task_set_copy (&array->ended, &ended.tasks->ended);
  lk_task_set_copy (&array->completed, &ended.tasks->completed);
  ended.tasks->throttle = array->throttle;
  lk_ended_add (all->ended, &ended);
  note (self, array->array_job_id, LK_INDEX_NONE);
}

void
lk_engine_dependency_special_exit (LkEngine *self, LkJobIndex job)
{
  LkDependencies *all = self->dependencies;
  guint64 awaited = lk_awaited (self->jobs.id[job], LK_INDEX_NONE);
  if (!lk_dependents_has (all->dependents, awaited))
    return;
  g_autoptr (GArray) waiters = lk_dependents_of (all->dependents, awaited);
  for (guint i = 0; i < waiters->len; i++) {
    guint32 id = g_array_index (waiters, guint32, i);
    LkJobIndex waiter = lk_dependencies_find (self, id);
    LkDependency *dependency = lk_dependencies_of (self, waiter);
    for (guint k = dependency->items->len; k-- > 0;) {
      const LkDependencyItem *item = lk_dependency_item (dependency, k);
      if (item->type == LK_DEPENDENCY_AFTER_NOT_OK && !item->is_failed
          && lk_awaited (item->job_id, item->task) == awaited && satisfy (self, waiter, k))
        break;
    }
    g_array_append_val (all->unsettled, id);
  }
}

/* ---------------------------------------------------------------- moments */

gint64
lk_engine_next_dependency_us (const LkEngine *self)
{
  return lk_dependents_next_due_us (self->dependencies->dependents);
}

void
lk_engine_dependency_due (LkEngine *self)
{
  LkDependencies *all = self->dependencies;
  gint64 due_us;
  guint32 id;
  while (lk_dependents_take_due (all->dependents, self->view.now_us, &due_us, &id)) {
    guint at = 0;
    LkJobIndex waiter = lk_dependencies_find (self, id);
    LkDependency *dependency = lk_dependencies_of (self, waiter);
    while (lk_dependency_item (dependency, at)->due_us != due_us)
      at++;
    lk_dependency_item (dependency, at)->due_us = LK_TIME_NEVER;
    satisfy (self, waiter, at);
    g_array_append_val (all->unsettled, id);
  }
}

/* ---------------------------------------------------------------- tasks of their own */

/* Each aftercorr of a job that is one task of an array means the task of the same index; where
 * there is none, all of the other. */
void
lk_dependencies_name_tasks (LkEngine *self, LkJobIndex job)
{
  guint32 task = self->jobs.array_task[job];
  if (lk_engine_is_record (self, job))
    task = lk_task_set_first (&lk_engine_array_of (self, job)->waiting);
  LkDependency *dependency = lk_dependencies_detach (self, job);
  for (guint i = dependency->items->len; i-- > 0;) {
    LkDependencyItem *item = lk_dependency_item (dependency, i);
    if (item->type != LK_DEPENDENCY_AFTER_CORR || item->task != LK_INDEX_NONE || item->is_failed)
      continue;
    item->task = task;
    if (!lk_dependencies_is_known (self, item))
      *item = (LkDependencyItem){ .job_id = item->job_id,
                                  .task = LK_INDEX_NONE,
                                  .due_us = LK_TIME_NEVER,
                                  .type = LK_DEPENDENCY_AFTER_OK };
    LkVerdict verdict = lk_dependencies_judge (self, job, item);
    if (verdict == LK_VERDICT_SATISFIED && lk_dependency_satisfy (dependency, i)) {
      lk_dependency_free (dependency);
      return;
    }
    if (verdict == LK_VERDICT_FAILED)
      lk_dependency_fail (dependency, i);
  }
  lk_dependencies_attach (self, job, dependency);
}

/* ---------------------------------------------------------------- at the end of an event */

/* Is it the only one of its name now? */
static void
try_alone (LkEngine *self, LkJobIndex job)
{
  LkDependency *dependency = lk_dependencies_of (self, job);
  for (guint i = dependency->items->len; i-- > 0;)
    if (lk_dependency_item (dependency, i)->type == LK_DEPENDENCY_SINGLETON
        && carry_out (self, job, i,
                      lk_dependencies_judge (self, job, lk_dependency_item (dependency, i))))
      return;
}

static gboolean
is_cancelled_when_invalid (const LkEngine *self, LkJobIndex job)
{
  guint32 flags = lk_terms_asked (self->jobs.terms[job])->term_flags;
  if ((flags & LK_TERM_KILL_INVALID_DEP) != 0)
    return TRUE;
  return (flags & LK_TERM_KEEP_INVALID_DEP) == 0 && self->config.cluster != NULL
         && self->config.cluster->kill_invalid_depend;
}

static void
cancel (LkEngine *self, LkJobIndex job)
{
  if (lk_engine_is_in_line (self, job))
    lk_engine_dequeue (self, job);
  else
    lk_engine_let_go (self, job);
  lk_engine_emit_notice (self, job, LK_JOB_CANCELLED, LK_REASON_DEPENDENCY_NEVER_SATISFIED);
  lk_engine_remove_job (self, job);
}

void
lk_dependencies_settle (LkEngine *self, guint32 job_id)
{
  LkJobIndex job = lk_dependencies_find (self, job_id);
  if (job == LK_JOB_NONE || !lk_dependencies_is_pending (self, job))
    return;
  if (lk_dependencies_of (self, job) != NULL
      && lk_dependencies_ask_tasks (self, job, lk_dependencies_of (self, job)))
    lk_dependencies_part (self, job);
  if (lk_dependencies_of (self, job) != NULL)
    try_alone (self, job);
  if (lk_engine_dependency_reason (self, job) == LK_REASON_DEPENDENCY_NEVER_SATISFIED
      && is_cancelled_when_invalid (self, job))
    cancel (self, job);
  else
    lk_engine_settle (self, job);
}

void
lk_engine_settle_dependents (LkEngine *self)
{
  LkDependencies *all = self->dependencies;
  guint told_count = 0;
  guint settled_count = 0;
  lk_engine_dependency_due (self);
  if (all->changed->len == 0 && all->unsettled->len == 0) {
    if (lk_engine_next_dependency_us (self) < self->wake_us)
      lk_engine_ask_wake (self);
    return;
  }
  while (told_count < all->changed->len || settled_count < all->unsettled->len)
    if (settled_count < all->unsettled->len)
      lk_dependencies_settle (self, g_array_index (all->unsettled, guint32, settled_count++));
    else
      tell (self, g_array_index (all->changed, guint64, told_count++));
  g_array_set_size (all->changed, 0);
  g_array_set_size (all->unsettled, 0);
  /* What a pass has let go may start in one of its own, at the same moment. */
  if (self->event->kind == LK_EVENT_PASS && self->changed)
    self->policy_wake_us = self->view.now_us;
  lk_engine_ask_wake (self);
}
