/* engine/engine_dependency_split.c — a task that is split off its array waits for what the array
 * waits for. */
#include "engine/engine_dependency_private.h"

static LkDependency *
copy (const LkDependency *from)
{
  LkDependency *self = lk_dependency_new (from->is_any);
  g_array_append_vals (self->items, from->items->data, from->items->len);
  self->failed_count = from->failed_count;
  return self;
}

void
lk_engine_dependency_split (LkEngine *self, LkJobIndex record, LkJobIndex job)
{
  const LkDependency *dependency = lk_dependencies_of (self, record);
  if (self->dependencies->singletons != NULL)
    lk_singletons_join (self->dependencies->singletons, lk_dependencies_key (self, job),
                        self->jobs.id[job], /* is_running= */ FALSE);
  if (dependency == NULL)
    return;
  lk_dependencies_attach (self, job, copy (dependency));
  /* Of one that is split off before a look behind the event. */
  if (self->config.backfill->says_looks && lk_dependencies_ask_tasks (self, record, dependency)) {
    g_array_append_val (self->dependencies->unsettled, self->jobs.id[job]);
    lk_dependencies_note_part (self, record);
  }
}

void
lk_engine_dependency_rejoin (LkEngine *self, LkJobIndex job)
{
  lk_dependency_free (lk_dependencies_detach (self, job));
  if (self->dependencies->singletons != NULL)
    lk_singletons_leave (self->dependencies->singletons, lk_dependencies_key (self, job),
                         self->jobs.id[job]);
}
