/* engine/engine_dependency_hear.c — what happens to jobs, and those that wait for them.
 *
 * While an event is handled it is only noted who has left and who may stand otherwise; the end of
 * the event settles them (lk_engine_settle_dependents), so that nothing changes under the hands of
 * a handler or of a policy. */
#include "engine/assert.h"
#include "engine/engine_dependency_private.h"

/* ---------------------------------------------------------------- groups of names */

/* Somebody of the group has gone: it may be the turn of the next one. */
static void
note_next (LkEngine *self, LkSingletonKey key)
{
  if (self->dependencies->is_deaf)
    return;
  guint32 next = lk_singletons_next (self->dependencies->singletons, key);
  if (next != 0 && lk_dependencies_of (self, lk_dependencies_find (self, next)) != NULL)
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

static void
hear_end (LkEngine *self, LkJobIndex waiter, const LkEndedJob *ended)
{
  LkDependency *dependency = lk_dependencies_of (self, waiter);
  for (guint i = dependency->items->len; i-- > 0;) {
    LkDependencyItem *item = lk_dependency_item (dependency, i);
    if (item->job_id != ended->id || item->is_failed)
      continue;
    lk_dependencies_remove_due (self, waiter, item);
    LkVerdict verdict = lk_dependencies_judge_ended (self, item, ended);
    lk_dependencies_add_due (self, waiter, item);
    if (carry_out (self, waiter, i, verdict))
      return;
  }
}

static void
tell_end (LkEngine *self, const LkEndedJob *ended)
{
  LkDependencies *all = self->dependencies;
  g_autoptr (GArray) waiters = lk_dependents_of (all->dependents, ended->id);
  lk_dependents_forget (all->dependents, ended->id);
  for (guint i = 0; i < waiters->len; i++) {
    guint32 id = g_array_index (waiters, guint32, i);
    LkJobIndex waiter = lk_dependencies_find (self, id);
    if (waiter == LK_JOB_NONE || lk_dependencies_of (self, waiter) == NULL)
      continue;
    hear_end (self, waiter, ended);
    g_array_append_val (all->unsettled, id);
  }
}

void
lk_engine_dependency_started (LkEngine *self, LkJobIndex job)
{
  LkDependencies *all = self->dependencies;
  move_in_group (self, job, /* is_running= */ TRUE);
  if (!lk_dependents_has (all->dependents, self->jobs.id[job]))
    return;
  g_autoptr (GArray) waiters = lk_dependents_of (all->dependents, self->jobs.id[job]);
  for (guint i = 0; i < waiters->len; i++) {
    LkJobIndex waiter = lk_dependencies_find (self, g_array_index (waiters, guint32, i));
    LkDependency *dependency = lk_dependencies_of (self, waiter);
    for (guint k = 0; k < dependency->items->len; k++) {
      LkDependencyItem *item = lk_dependency_item (dependency, k);
      if (item->type != LK_DEPENDENCY_AFTER || item->job_id != self->jobs.id[job])
        continue;
      lk_dependencies_remove_due (self, waiter, item);
      lk_dependencies_judge_start (self, item, self->jobs.start_us[job]);
      lk_dependencies_add_due (self, waiter, item);
    }
  }
}

void
lk_engine_dependency_stopped (LkEngine *self, LkJobIndex job)
{
  move_in_group (self, job, /* is_running= */ FALSE);
}

void
lk_engine_dependency_left (LkEngine *self, LkJobIndex job)
{
  LkDependencies *all = self->dependencies;
  gint64 now_us = self->view.now_us;
  LkEndedJob ended = { .id = self->jobs.id[job],
                       .state = (guint8)self->told_state,
                       .start_us = lk_dependencies_is_pending (self, job)
                                       ? now_us
                                       : self->jobs.start_us[job],
                       .end_us = now_us };
  LK_ASSERT (self->told_job == job);
  lk_dependency_free (lk_dependencies_detach (self, job));
  lk_engine_dependency_unname (self, job);
  if (all->is_deaf)
    return;
  lk_ended_add (all->ended, &ended);
  if (lk_dependents_has (all->dependents, ended.id))
    g_array_append_val (all->left, ended);
}

void
lk_engine_dependency_special_exit (LkEngine *self, LkJobIndex job)
{
  LkDependencies *all = self->dependencies;
  guint32 awaited_id = self->jobs.id[job];
  if (!lk_dependents_has (all->dependents, awaited_id))
    return;
  g_autoptr (GArray) waiters = lk_dependents_of (all->dependents, awaited_id);
  for (guint i = 0; i < waiters->len; i++) {
    guint32 id = g_array_index (waiters, guint32, i);
    LkJobIndex waiter = lk_dependencies_find (self, id);
    LkDependency *dependency = lk_dependencies_of (self, waiter);
    for (guint k = dependency->items->len; k-- > 0;) {
      const LkDependencyItem *item = lk_dependency_item (dependency, k);
      if (item->type == LK_DEPENDENCY_AFTER_NOT_OK && item->job_id == awaited_id
          && satisfy (self, waiter, k))
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

/* A job that has gone back to the queue has not started. */
static gboolean
has_started (const LkEngine *self, const LkDependencyItem *item)
{
  LkJobIndex awaited = lk_dependencies_find (self, item->job_id);
  return awaited == LK_JOB_NONE || !lk_dependencies_is_pending (self, awaited);
}

void
lk_engine_dependency_due (LkEngine *self)
{
  LkDependencies *all = self->dependencies;
  gint64 now_us = self->view.now_us;
  gint64 due_us;
  guint32 id;
  while (lk_dependents_take_due (all->dependents, now_us, &due_us, &id)) {
    guint at = 0;
    LkJobIndex waiter = lk_dependencies_find (self, id);
    LkDependency *dependency = lk_dependencies_of (self, waiter);
    while (lk_dependency_item (dependency, at)->due_us != due_us)
      at++;
    LkDependencyItem *item = lk_dependency_item (dependency, at);
    item->due_us = LK_TIME_NEVER;
    if (has_started (self, item)) {
      satisfy (self, waiter, at);
      g_array_append_val (all->unsettled, id);
    }
  }
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
                      lk_dependencies_judge_new (self, job, lk_dependency_item (dependency, i))))
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

static void
settle (LkEngine *self, guint32 job_id)
{
  LkJobIndex job = lk_dependencies_find (self, job_id);
  if (job == LK_JOB_NONE || !lk_dependencies_is_pending (self, job))
    return;
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
  if (all->left->len == 0 && all->unsettled->len == 0) {
    if (lk_engine_next_dependency_us (self) < self->wake_us)
      lk_engine_ask_wake (self);
    return;
  }
  while (told_count < all->left->len || settled_count < all->unsettled->len)
    if (settled_count < all->unsettled->len) {
      settle (self, g_array_index (all->unsettled, guint32, settled_count++));
    } else {
      LkEndedJob ended = g_array_index (all->left, LkEndedJob, told_count++);
      tell_end (self, &ended);
    }
  g_array_set_size (all->left, 0);
  g_array_set_size (all->unsettled, 0);
  /* What a pass has let go may start in one of its own, at the same moment. */
  if (self->event->kind == LK_EVENT_PASS && self->changed)
    self->policy_wake_us = self->view.now_us;
  lk_engine_ask_wake (self);
}
