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
#include "engine/engine_dependency.h"

#include "engine/assert.h"
#include "engine/checked.h"
#include "engine/dependency.h"
#include "engine/dependents.h"
#include "engine/ended.h"
#include "engine/engine_private.h"
#include "engine/singleton.h"

struct _LkDependencies {
  LkDependency **of_job; /* by LkJobIndex; owned; NULL: none is left */
  guint32 job_limit;
  guint32 count;
  LkDependents *dependents;
  LkEnded *ended;
  LkSingletons *singletons; /* of all jobs in the system; NULL until a job asks for it */
  /* Of the event being applied. */
  GArray *left;      /* of LkEndedJob for which somebody waits */
  GArray *unsettled; /* of guint32, ids of jobs whose dependency may stand otherwise now */
  gboolean is_deaf;
};

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

static inline LkDependency *
dependency_of (const LkEngine *self, LkJobIndex job)
{
  const LkDependencies *all = self->dependencies;
  return job < all->job_limit ? all->of_job[job] : NULL;
}

LkReason
lk_engine_dependency_reason (const LkEngine *self, LkJobIndex job)
{
  const LkDependency *dependency = dependency_of (self, job);
  if (dependency == NULL)
    return LK_REASON_NONE;
  return lk_dependency_is_failed (dependency) ? LK_REASON_DEPENDENCY_NEVER_SATISFIED
                                              : LK_REASON_DEPENDENCY;
}

static inline LkJobIndex
find (const LkEngine *self, guint32 job_id)
{
  return lk_id_map_find (&self->jobs.index_by_id, job_id);
}

static gboolean
is_pending (const LkEngine *self, LkJobIndex job)
{
  return lk_engine_is_in_line (self, job) || self->jobs.phase[job] == LK_PHASE_HELD;
}

static LkSingletonKey
key_of (const LkEngine *self, LkJobIndex job)
{
  return (LkSingletonKey){ self->jobs.user_id[job], lk_terms_asked (self->jobs.terms[job])->name };
}

/* ---------------------------------------------------------------- the index */

static void
add_due (LkEngine *self, LkJobIndex waiter, const LkDependencyItem *item)
{
  if (item->due_us != LK_TIME_NEVER)
    lk_dependents_add_due (self->dependencies->dependents, item->due_us, self->jobs.id[waiter]);
}

static void
remove_due (LkEngine *self, LkJobIndex waiter, const LkDependencyItem *item)
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
  if (item->job_id != 0 && find (self, item->job_id) != LK_JOB_NONE)
    lk_dependents_add (dependents, item->job_id, id);
  add_due (self, waiter, item);
}

/* Of a job that has just left nobody is in the index one by one. */
static void
remove_item (LkEngine *self, LkJobIndex waiter, const LkDependencyItem *item)
{
  LkDependents *dependents = self->dependencies->dependents;
  guint32 id = self->jobs.id[waiter];
  if (item->is_failed)
    return;
  if (item->job_id != 0 && find (self, item->job_id) != LK_JOB_NONE)
    lk_dependents_remove (dependents, item->job_id, id);
  remove_due (self, waiter, item);
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
static void
attach (LkEngine *self, LkJobIndex job, LkDependency *dependency)
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
static LkDependency *
detach (LkEngine *self, LkJobIndex job)
{
  LkDependencies *all = self->dependencies;
  LkDependency *dependency = dependency_of (self, job);
  if (dependency == NULL)
    return NULL;
  for (guint i = 0; i < dependency->items->len; i++)
    remove_item (self, job, lk_dependency_item (dependency, i));
  all->of_job[job] = NULL;
  all->count--;
  return dependency;
}

/* ---------------------------------------------------------------- groups of names */

/* Those in the system when the first of them asks to be alone. */
static void
make_singletons (LkEngine *self)
{
  const LkJobTable *jobs = &self->jobs;
  LkDependencies *all = self->dependencies;
  if (all->singletons != NULL)
    return;
  all->singletons = lk_singletons_new ();
  for (LkJobIndex job = 0; job < jobs->limit; job++)
    if (jobs->phase[job] != LK_PHASE_FREE)
      lk_singletons_join (all->singletons, key_of (self, job), jobs->id[job],
                          !is_pending (self, job));
}

static gboolean
asks_to_be_alone (const LkDependency *dependency)
{
  for (guint i = 0; i < dependency->items->len; i++)
    if (lk_dependency_item (dependency, i)->type == LK_DEPENDENCY_SINGLETON)
      return TRUE;
  return FALSE;
}

/* Somebody of the group has gone: it may be the turn of the next one. */
static void
note_next (LkEngine *self, LkSingletonKey key)
{
  if (self->dependencies->is_deaf)
    return;
  guint32 next = lk_singletons_next (self->dependencies->singletons, key);
  if (next != 0 && dependency_of (self, find (self, next)) != NULL)
    g_array_append_val (self->dependencies->unsettled, next);
}

void
lk_engine_dependency_unname (LkEngine *self, LkJobIndex job)
{
  LkSingletons *singletons = self->dependencies->singletons;
  if (singletons == NULL)
    return;
  lk_singletons_leave (singletons, key_of (self, job), self->jobs.id[job]);
  note_next (self, key_of (self, job));
}

void
lk_engine_dependency_name (LkEngine *self, LkJobIndex job)
{
  LkSingletons *singletons = self->dependencies->singletons;
  if (singletons == NULL)
    return;
  lk_singletons_join (singletons, key_of (self, job), self->jobs.id[job], !is_pending (self, job));
  note_next (self, key_of (self, job));
}

static void
move_in_group (LkEngine *self, LkJobIndex job, gboolean is_running)
{
  LkSingletons *singletons = self->dependencies->singletons;
  if (singletons == NULL)
    return;
  LkSingletonKey key = key_of (self, job);
  lk_singletons_leave (singletons, key, self->jobs.id[job]);
  lk_singletons_join (singletons, key, self->jobs.id[job], is_running);
  note_next (self, key);
}

/* ---------------------------------------------------------------- verdicts */

typedef enum { WAITS, SATISFIED, FAILED } Verdict;

static Verdict
judge_state (LkDependencyType type, LkJobState state)
{
  switch (type) {
  case LK_DEPENDENCY_AFTER_OK:
  case LK_DEPENDENCY_AFTER_CORR:
    return state == LK_JOB_COMPLETED ? SATISFIED : FAILED;
  case LK_DEPENDENCY_AFTER_NOT_OK:
    return state == LK_JOB_COMPLETED ? FAILED : SATISFIED;
  default:
    return SATISFIED;
  }
}

/* AFTER a start. */
static Verdict
judge_start (const LkEngine *self, LkDependencyItem *item, gint64 start_us)
{
  item->due_us = lk_time_add_us (start_us, item->delay_us);
  return item->due_us <= self->view.now_us ? SATISFIED : WAITS;
}

static Verdict
judge_ended (const LkEngine *self, LkDependencyItem *item, const LkEndedJob *ended)
{
  if (item->type == LK_DEPENDENCY_AFTER)
    return judge_start (self, item, ended->start_us);
  return judge_state ((LkDependencyType)item->type, (LkJobState)ended->state);
}

/* What a condition that is new says. */
static Verdict
judge_new (LkEngine *self, LkJobIndex waiter, LkDependencyItem *item)
{
  LkDependencies *all = self->dependencies;
  if (item->type == LK_DEPENDENCY_SINGLETON)
    return lk_singletons_next (all->singletons, key_of (self, waiter)) == self->jobs.id[waiter]
               ? SATISFIED
               : WAITS;
  LkJobIndex awaited = find (self, item->job_id);
  if (awaited == LK_JOB_NONE) {
    const LkEndedJob *ended = lk_ended_find (all->ended, item->job_id, self->view.now_us);
    return ended != NULL ? judge_ended (self, item, ended) : SATISFIED;
  }
  if (item->type == LK_DEPENDENCY_AFTER && !is_pending (self, awaited))
    return judge_start (self, item, self->jobs.start_us[awaited]);
  return WAITS;
}

/* Nobody knows the job, and it matters how it ended. */
static gboolean
is_unknown (const LkEngine *self, const LkDependencyItem *item)
{
  if (item->type != LK_DEPENDENCY_AFTER_OK && item->type != LK_DEPENDENCY_AFTER_NOT_OK)
    return FALSE;
  return find (self, item->job_id) == LK_JOB_NONE
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
    LkJobIndex awaited = find (self, id);
    found = id == self->jobs.id[job];
    if (awaited == LK_JOB_NONE || lk_id_map_find (&seen, id) != LK_JOB_NONE)
      continue;
    lk_id_map_insert (&seen, id, 0);
    push_awaited (dependency_of (self, awaited), stack);
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
  if (asks_to_be_alone (dependency))
    make_singletons (self);
  for (guint i = dependency->items->len; i-- > 0;) {
    Verdict verdict = judge_new (self, job, lk_dependency_item (dependency, i));
    if (verdict == SATISFIED && lk_dependency_satisfy (dependency, i)) {
      lk_dependency_free (dependency);
      return;
    }
    if (verdict == FAILED)
      lk_dependency_fail (dependency, i);
  }
  attach (self, job, dependency);
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
    lk_singletons_join (self->dependencies->singletons, key_of (self, job), self->jobs.id[job],
                        /* is_running= */ FALSE);
  take_up (self, job, dependency);
  return 0;
}

LkReject
lk_engine_set_dependency (LkEngine *self, LkJobIndex job, LkText text)
{
  LkDependency *dependency = NULL;
  LK_ASSERT (is_pending (self, job));
  LkReject reject = read_text (self, job, text, &dependency);
  if (reject == 0 && dependency != NULL && is_circular (self, job, dependency)) {
    lk_dependency_free (dependency);
    reject = LK_REJECT_DEPENDENCY_INVALID;
  }
  if (reject != 0)
    return reject;
  lk_dependency_free (detach (self, job));
  take_up (self, job, dependency);
  return 0;
}

/* ---------------------------------------------------------------- what happens to others */

/* The conditions at `at` and all others, where one will do, are no longer needed. */
static gboolean
satisfy (LkEngine *self, LkJobIndex waiter, guint at)
{
  LkDependency *dependency = dependency_of (self, waiter);
  if (dependency->is_any || dependency->items->len == 1) {
    lk_dependency_free (detach (self, waiter));
    return TRUE;
  }
  remove_item (self, waiter, lk_dependency_item (dependency, at));
  lk_dependency_satisfy (dependency, at);
  return FALSE;
}

/* TRUE: nothing is left of the dependency. */
static gboolean
carry_out (LkEngine *self, LkJobIndex waiter, guint at, Verdict verdict)
{
  LkDependency *dependency = dependency_of (self, waiter);
  if (verdict == SATISFIED)
    return satisfy (self, waiter, at);
  if (verdict == FAILED) {
    remove_item (self, waiter, lk_dependency_item (dependency, at));
    lk_dependency_fail (dependency, at);
  }
  return FALSE;
}

static void
hear_end (LkEngine *self, LkJobIndex waiter, const LkEndedJob *ended)
{
  LkDependency *dependency = dependency_of (self, waiter);
  for (guint i = dependency->items->len; i-- > 0;) {
    LkDependencyItem *item = lk_dependency_item (dependency, i);
    if (item->job_id != ended->id || item->is_failed)
      continue;
    remove_due (self, waiter, item);
    Verdict verdict = judge_ended (self, item, ended);
    add_due (self, waiter, item);
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
    LkJobIndex waiter = find (self, id);
    if (waiter == LK_JOB_NONE || dependency_of (self, waiter) == NULL)
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
    LkJobIndex waiter = find (self, g_array_index (waiters, guint32, i));
    LkDependency *dependency = dependency_of (self, waiter);
    for (guint k = 0; k < dependency->items->len; k++) {
      LkDependencyItem *item = lk_dependency_item (dependency, k);
      if (item->type != LK_DEPENDENCY_AFTER || item->job_id != self->jobs.id[job])
        continue;
      remove_due (self, waiter, item);
      judge_start (self, item, self->jobs.start_us[job]);
      add_due (self, waiter, item);
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
                       .start_us = is_pending (self, job) ? now_us : self->jobs.start_us[job],
                       .end_us = now_us };
  LK_ASSERT (self->told_job == job);
  lk_dependency_free (detach (self, job));
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
    LkJobIndex waiter = find (self, id);
    LkDependency *dependency = dependency_of (self, waiter);
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
  LkJobIndex awaited = find (self, item->job_id);
  return awaited == LK_JOB_NONE || !is_pending (self, awaited);
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
    LkJobIndex waiter = find (self, id);
    LkDependency *dependency = dependency_of (self, waiter);
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
  LkDependency *dependency = dependency_of (self, job);
  for (guint i = dependency->items->len; i-- > 0;)
    if (lk_dependency_item (dependency, i)->type == LK_DEPENDENCY_SINGLETON
        && carry_out (self, job, i, judge_new (self, job, lk_dependency_item (dependency, i))))
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
  LkJobIndex job = find (self, job_id);
  if (job == LK_JOB_NONE || !is_pending (self, job))
    return;
  if (dependency_of (self, job) != NULL)
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

/* ---------------------------------------------------------------- copies */

gpointer
lk_engine_dependency_hide (LkEngine *self, LkJobIndex job)
{
  self->dependencies->is_deaf = TRUE;
  return detach (self, job);
}

void
lk_engine_dependency_show (LkEngine *self, LkJobIndex job, gpointer hidden)
{
  self->dependencies->is_deaf = FALSE;
  if (job == LK_JOB_NONE)
    lk_dependency_free (hidden);
  else if (hidden != NULL)
    attach (self, job, hidden);
}

/* ---------------------------------------------------------------- bytes, and what must hold */

gboolean
lk_engine_dependency_text (const LkEngine *self, guint32 job_id, GString *out)
{
  LkJobIndex job = find (self, job_id);
  const LkDependency *dependency = job != LK_JOB_NONE ? dependency_of (self, job) : NULL;
  if (dependency == NULL)
    return FALSE;
  lk_dependency_text (dependency, out);
  return TRUE;
}

void
lk_engine_save_dependencies (const LkEngine *self, GByteArray *out)
{
  const LkDependencies *all = self->dependencies;
  lk_ended_save (all->ended, out);
  lk_append_u32 (out, all->count);
  if (all->count == 0)
    return;
  g_autoptr (GArray) jobs = lk_job_table_sorted (&self->jobs);
  for (guint i = 0; i < jobs->len; i++) {
    LkJobIndex job = g_array_index (jobs, LkJobIndex, i);
    const LkDependency *dependency = dependency_of (self, job);
    if (dependency == NULL)
      continue;
    lk_append_u32 (out, self->jobs.id[job]);
    lk_dependency_save (dependency, out);
  }
}

gboolean
lk_engine_load_dependencies (LkEngine *self, LkBytesReader *reader)
{
  guint32 id_last = 0;
  if (!lk_ended_load (self->dependencies->ended, reader, self->view.now_us))
    return FALSE;
  guint32 count = lk_take_u32 (reader);
  for (guint32 i = 0; i < count && !reader->failed; i++) {
    guint32 id = lk_take_u32 (reader);
    LkDependency *dependency = lk_dependency_load (reader);
    LkJobIndex job = find (self, id);
    if (dependency == NULL || id <= id_last || job == LK_JOB_NONE
        || self->jobs.phase[job] != LK_PHASE_HELD) {
      lk_dependency_free (dependency);
      return FALSE;
    }
    id_last = id;
    attach (self, job, dependency);
    if (asks_to_be_alone (dependency))
      make_singletons (self);
  }
  return !reader->failed;
}

/* How many conditions of the job are in the index, and have a moment. */
static void
check_items (const LkEngine *self, LkJobIndex job, guint32 *waits, guint32 *dues)
{
  guint32 failed_count = 0;
  const LkDependency *dependency = dependency_of (self, job);
  LK_ASSERT (self->jobs.phase[job] == LK_PHASE_HELD);
  LK_ASSERT (dependency->items->len > 0);
  for (guint i = 0; i < dependency->items->len; i++) {
    const LkDependencyItem *item = lk_dependency_item (dependency, i);
    failed_count += item->is_failed ? 1 : 0;
    if (item->is_failed)
      continue;
    gboolean is_there = item->job_id != 0 && find (self, item->job_id) != LK_JOB_NONE;
    LK_ASSERT (!is_there || lk_dependents_has (self->dependencies->dependents, item->job_id));
    *waits += is_there ? 1 : 0;
    *dues += item->due_us != LK_TIME_NEVER ? 1 : 0;
  }
  LK_ASSERT (dependency->failed_count == failed_count);
}

void
lk_engine_check_dependencies (const LkEngine *self)
{
  const LkDependencies *all = self->dependencies;
  guint32 count = 0, waits = 0, dues = 0;
  for (LkJobIndex job = 0; job < self->jobs.limit; job++) {
    if (self->jobs.phase[job] == LK_PHASE_FREE) {
      LK_ASSERT (dependency_of (self, job) == NULL);
      continue;
    }
    if (all->singletons != NULL)
      LK_ASSERT (lk_singletons_has (all->singletons, key_of (self, job), self->jobs.id[job],
                                    !is_pending (self, job)));
    if (dependency_of (self, job) == NULL)
      continue;
    count++;
    check_items (self, job, &waits, &dues);
  }
  LK_ASSERT (count == all->count);
  LK_ASSERT (waits == lk_dependents_count (all->dependents));
  LK_ASSERT (dues == lk_dependents_due_count (all->dependents));
  LK_ASSERT (all->singletons == NULL || lk_singletons_count (all->singletons) == self->jobs.count);
  LK_ASSERT (all->left->len == 0);
  LK_ASSERT (all->unsettled->len == 0);
}
