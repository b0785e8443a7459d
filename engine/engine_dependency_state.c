/* engine/engine_dependency_state.c — what jobs wait for as text and as bytes, and what must hold.
 */
#include "engine/assert.h"
#include "engine/engine_dependency_private.h"

gboolean
lk_engine_dependency_text (const LkEngine *self, guint32 job_id, GString *out)
{
  LkJobIndex job = lk_dependencies_find (self, job_id);
  const LkDependency *dependency = job != LK_JOB_NONE ? lk_dependencies_of (self, job) : NULL;
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
    const LkDependency *dependency = lk_dependencies_of (self, job);
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
    LkJobIndex job = lk_dependencies_find (self, id);
    if (dependency == NULL || id <= id_last || job == LK_JOB_NONE
        || self->jobs.phase[job] != LK_PHASE_HELD) {
      lk_dependency_free (dependency);
      return FALSE;
    }
    id_last = id;
    lk_dependencies_attach (self, job, dependency);
    if (lk_dependencies_ask_alone (dependency))
      lk_dependencies_make_singletons (self);
  }
  lk_dependencies_find_parts (self);
  return !reader->failed;
}

/* How many conditions of the job are in the index, and have a moment. */
static void
check_items (const LkEngine *self, LkJobIndex job, guint32 *waits, guint32 *dues)
{
  guint32 failed_count = 0;
  const LkDependency *dependency = lk_dependencies_of (self, job);
  LK_ASSERT (self->jobs.phase[job] == LK_PHASE_HELD);
  LK_ASSERT (dependency->items->len > 0);
  for (guint i = 0; i < dependency->items->len; i++) {
    const LkDependencyItem *item = lk_dependency_item (dependency, i);
    failed_count += item->is_failed ? 1 : 0;
    if (item->is_failed)
      continue;
    gboolean is_there = lk_dependencies_is_there (self, item);
    LK_ASSERT (!is_there
               || lk_dependents_has (self->dependencies->dependents,
                                     lk_awaited (item->job_id, item->task)));
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
      LK_ASSERT (lk_dependencies_of (self, job) == NULL);
      continue;
    }
    if (all->singletons != NULL)
      LK_ASSERT (lk_singletons_has (all->singletons, lk_dependencies_key (self, job),
                                    self->jobs.id[job], !lk_dependencies_is_pending (self, job)));
    if (lk_dependencies_of (self, job) == NULL)
      continue;
    count++;
    check_items (self, job, &waits, &dues);
  }
  LK_ASSERT (count == all->count);
  LK_ASSERT (waits == lk_dependents_count (all->dependents));
  LK_ASSERT (dues == lk_dependents_due_count (all->dependents));
  LK_ASSERT (all->singletons == NULL || lk_singletons_count (all->singletons) == self->jobs.count);
  LK_ASSERT (all->changed->len == 0);
  LK_ASSERT (all->unsettled->len == 0);
  lk_dependencies_check_parts (self);
}
