/* engine/engine_dependency_part.c — arrays of which each task waits for a task of its own
 * (aftercorr).
 *
 * They are split into their tasks.  Under a policy that says when it looks at the queue
 * (LkBackfillPolicy.says_looks) that is when it does, and no more of them than so many wait as jobs
 * of their own; under others at once.  Until then the record waits for all of the other array.
 *
 * Which arrays a look would part follows from the jobs: the list here has at least these, and no
 * snapshot holds it.  Source: observed on Slurm 22.05, whatever bb_array_stage_cnt. */
#include "engine/assert.h"
#include "engine/engine_dependency_private.h"
#include "engine/engine_life.h"

/* Tasks that wait as jobs of their own. */
#define PARTED_MAX 10u

static gboolean
asks_tasks (const LkEngine *self, const LkArray *array)
{
  const LkDependency *dependency =
      array->record != LK_JOB_NONE ? lk_dependencies_of (self, array->record) : NULL;
  return dependency != NULL && lk_dependencies_ask_tasks (self, array->record, dependency);
}

/* Would a look find something to do? The last task is not split off. */
static gboolean
may_part (const LkEngine *self, const LkArray *array)
{
  return asks_tasks (self, array)
         && (array->waiting.count == 1 || array->members->len - array->active_count < PARTED_MAX);
}

static gboolean
note (LkEngine *self, LkArray *array)
{
  if (array->is_to_part || !self->config.backfill->says_looks || !asks_tasks (self, array))
    return FALSE;
  array->is_to_part = TRUE;
  g_array_append_val (self->dependencies->to_part, array->array_job_id);
  return TRUE;
}

void
lk_dependencies_note_part (LkEngine *self, LkJobIndex job)
{
  LkArray *array = lk_engine_array_of (self, job);
  if (array != NULL && note (self, array))
    self->changed = TRUE;
}

/* Slurm splits an array off task by task. */
static void
part_at_once (LkEngine *self, LkJobIndex record)
{
  LkArray *array = lk_engine_array_of (self, record);
  while (array->waiting.count > 1) {
    LkJobIndex job = lk_engine_array_split (self, record, lk_task_set_first (&array->waiting));
    lk_engine_array_tell_split (self);
    lk_dependencies_name_tasks (self, job);
    g_array_append_val (self->dependencies->unsettled, self->jobs.id[job]);
  }
  lk_dependencies_name_tasks (self, record);
}

void
lk_dependencies_part (LkEngine *self, LkJobIndex job)
{
  if (!lk_engine_is_record (self, job))
    lk_dependencies_name_tasks (self, job);
  else if (!self->config.backfill->says_looks)
    part_at_once (self, job);
  else if (note (self, lk_engine_array_of (self, job)))
    lk_engine_machine_changed (self);
}

void
lk_dependencies_find_parts (LkEngine *self)
{
  for (guint i = 0; i < self->arrays.items->len; i++) {
    LkArray *array = g_ptr_array_index (self->arrays.items, i);
    if (may_part (self, array))
      note (self, array);
  }
}

void
lk_dependencies_check_parts (const LkEngine *self)
{
  for (guint i = 0; self->config.backfill->says_looks && i < self->arrays.items->len; i++) {
    const LkArray *array = g_ptr_array_index (self->arrays.items, i);
    LK_ASSERT (array->is_to_part || !may_part (self, array));
  }
}

/* ---------------------------------------------------------------- a look */

static LkArray *
array_to_part (const LkEngine *self, guint i)
{
  return lk_arrays_find (&self->arrays, g_array_index (self->dependencies->to_part, guint32, i));
}

int32_t
lk_pass_wants_look (void *pass)
{
  const LkEngine *self = pass;
  for (guint i = 0; i < self->dependencies->to_part->len; i++) {
    const LkArray *array = array_to_part (self, i);
    if (array != NULL && may_part (self, array))
      return 1;
  }
  return 0;
}

static void
part (LkEngine *self, LkArray *array)
{
  array->is_to_part = FALSE;
  while (may_part (self, array)) {
    LkJobIndex job = array->record;
    if (array->waiting.count > 1) {
      job = lk_engine_array_split (self, job, lk_task_set_first (&array->waiting));
      lk_engine_array_tell_split (self);
    }
    lk_dependencies_name_tasks (self, job);
    lk_dependencies_settle (self, self->jobs.id[job]);
  }
}

static gint
compare_ids (gconstpointer a, gconstpointer b)
{
  guint32 id_a = *(const guint32 *)a;
  guint32 id_b = *(const guint32 *)b;
  return (id_a > id_b) - (id_a < id_b);
}

void
lk_pass_begin_look (void *pass)
{
  LkEngine *self = pass;
  LkDependencies *all = self->dependencies;
  LK_ASSERT (self->in_pass);
  if (all->to_part->len == 0)
    return;
  g_autoptr (GArray) ids = all->to_part;
  all->to_part = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_array_sort (ids, compare_ids);
  for (guint i = 0; i < ids->len; i++) {
    LkArray *array = lk_arrays_find (&self->arrays, g_array_index (ids, guint32, i));
    if (array != NULL)
      part (self, array);
  }
}
