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
  self->left = g_array_new (FALSE, FALSE, sizeof (LkEndedJob));
  self->unsettled = g_array_new (FALSE, FALSE, sizeof (guint32));
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
  g_array_unref (self->left);
  g_array_unref (self->unsettled);
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
  if (item->job_id != 0 && lk_dependencies_find (self, item->job_id) != LK_JOB_NONE)
    lk_dependents_add (dependents, item->job_id, id);
  lk_dependencies_add_due (self, waiter, item);
}

/* Of a job that has just left nobody is in the index one by one. */
void
lk_dependencies_remove_item (LkEngine *self, LkJobIndex waiter, const LkDependencyItem *item)
{
  LkDependents *dependents = self->dependencies->dependents;
  guint32 id = self->jobs.id[waiter];
  if (item->is_failed)
    return;
  if (item->job_id != 0 && lk_dependencies_find (self, item->job_id) != LK_JOB_NONE)
    lk_dependents_remove (dependents, item->job_id, id);
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

/* AFTER a start. */
LkVerdict
lk_dependencies_judge_start (const LkEngine *self, LkDependencyItem *item, gint64 start_us)
{
  item->due_us = lk_time_add_us (start_us, item->delay_us);
  return item->due_us <= self->view.now_us ? LK_VERDICT_SATISFIED : LK_VERDICT_WAITS;
}

LkVerdict
lk_dependencies_judge_ended (const LkEngine *self, LkDependencyItem *item, const LkEndedJob *ended)
{
  if (item->type == LK_DEPENDENCY_AFTER)
    return lk_dependencies_judge_start (self, item, ended->start_us);
  return judge_state ((LkDependencyType)item->type, (LkJobState)ended->state);
}

/* What a condition that is new says. */
LkVerdict
lk_dependencies_judge_new (LkEngine *self, LkJobIndex waiter, LkDependencyItem *item)
{
  LkDependencies *all = self->dependencies;
  if (item->type == LK_DEPENDENCY_SINGLETON)
    return lk_singletons_next (all->singletons, lk_dependencies_key (self, waiter))
                   == self->jobs.id[waiter]
               ? LK_VERDICT_SATISFIED
               : LK_VERDICT_WAITS;
  LkJobIndex awaited = lk_dependencies_find (self, item->job_id);
  if (awaited == LK_JOB_NONE) {
    const LkEndedJob *ended = lk_ended_find (all->ended, item->job_id, self->view.now_us);
    return ended != NULL ? lk_dependencies_judge_ended (self, item, ended) : LK_VERDICT_SATISFIED;
  }
  if (item->type == LK_DEPENDENCY_AFTER && !lk_dependencies_is_pending (self, awaited))
    return lk_dependencies_judge_start (self, item, self->jobs.start_us[awaited]);
  return LK_VERDICT_WAITS;
}

/* Nobody knows the job, and it matters how it ended. */
static gboolean
is_unknown (const LkEngine *self, const LkDependencyItem *item)
{
  if (item->type != LK_DEPENDENCY_AFTER_OK && item->type != LK_DEPENDENCY_AFTER_NOT_OK)
    return FALSE;
  return lk_dependencies_find (self, item->job_id) == LK_JOB_NONE
         && lk_ended_find (self->dependencies->ended, item->job_id, self->view.now_us) == NULL;
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
    LkJobIndex awaited = lk_dependencies_find (self, id);
    found = id == self->jobs.id[job];
    if (awaited == LK_JOB_NONE || lk_id_map_find (&seen, id) != LK_JOB_NONE)
      continue;
    lk_id_map_insert (&seen, id, 0);
    push_awaited (lk_dependencies_of (self, awaited), stack);
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
  for (guint i = 0; dependency != NULL && i < dependency->items->len; i++) {
    const LkDependencyItem *item = lk_dependency_item (dependency, i);
    if (item->job_id == self->jobs.id[job] || is_unknown (self, item))
      return LK_REJECT_DEPENDENCY_INVALID;
  }
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
    LkVerdict verdict = lk_dependencies_judge_new (self, job, lk_dependency_item (dependency, i));
    if (verdict == LK_VERDICT_SATISFIED && lk_dependency_satisfy (dependency, i)) {
      lk_dependency_free (dependency);
      return;
    }
    if (verdict == LK_VERDICT_FAILED)
      lk_dependency_fail (dependency, i);
  }
  lk_dependencies_attach (self, job, dependency);
  if (lk_dependency_is_failed (dependency))
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
