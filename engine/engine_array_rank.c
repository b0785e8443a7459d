/* engine/engine_array_rank.c — where in the queue an array stands.
 *
 * Tasks of one array rank by their index.  The record, which stands for all tasks that wait, ranks
 * behind those that were split off, as long as it stands for more than one: the last one ranks as
 * the task that it is.  So a task that was split off and waits, because it alone was changed, does
 * not pass the last one that was not.  Places in the queue change behind the event, not during a
 * pass.
 *
 * Source: Slurm's build_job_queue and sort_job_queue2, which compare array_task_id, and recorded
 * situations. */
#include "engine/engine_array.h"
#include "engine/engine_private.h"

guint32
lk_array_rank (const LkArray *array)
{
  const LkTaskSet *waiting = &array->waiting;
  if (waiting->count != 1)
    return LK_TASK_NONE;
  return lk_task_set_has (waiting, waiting->low) ? waiting->low
                                                 : lk_task_set_next (waiting, waiting->low);
}

void
lk_engine_array_unrank (LkEngine *self, const LkArray *array)
{
  if (array->waiting.count == 1)
    g_array_append_val (self->arrays.unranked, array->array_job_id);
}

/* To another place, as the same job: what was promised to it stays. */
static void
move (LkEngine *self, LkJobIndex job, guint32 rank)
{
  const LkBackfillPolicy *backfill = self->config.backfill;
  lk_rank_remove (self->queue, job);
  if (self->backfill_queue != NULL)
    lk_rank_remove (self->backfill_queue, job);
  self->jobs.array_rank[job] = rank;
  lk_rank_insert (self->queue, job);
  if (self->backfill_queue != NULL)
    lk_rank_insert (self->backfill_queue, job);
  if (backfill->order_changed != NULL)
    backfill->order_changed (self->instances[LK_INSTANCE_BACKFILL].self, &self->view);
  self->changed = TRUE;
}

static void
rank_anew (LkEngine *self, const LkArray *array)
{
  LkJobIndex record = array->record;
  guint32 rank = lk_array_rank (array);
  if (self->jobs.array_rank[record] == rank)
    return;
  /* Only those that were split off and wait may come to lie behind it. */
  if (self->jobs.phase[record] == LK_PHASE_QUEUED && array->members->len > array->active_count)
    move (self, record, rank);
  else
    self->jobs.array_rank[record] = rank;
}

void
lk_engine_array_rank_all (LkEngine *self)
{
  GArray *ids = self->arrays.unranked;
  for (guint i = 0; i < ids->len; i++) {
    const LkArray *array = lk_arrays_find (&self->arrays, g_array_index (ids, guint32, i));
    if (array != NULL && array->record != LK_JOB_NONE)
      rank_anew (self, array);
  }
  g_array_set_size (ids, 0);
}
