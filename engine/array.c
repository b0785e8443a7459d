/* engine/array.c — see the header: the arrays that there are. */
#include "engine/array.h"

#include "engine/assert.h"

static void
array_free (gpointer user)
{
  LkArray *self = user;
  lk_task_set_clear (&self->waiting);
  lk_task_set_clear (&self->ended);
  lk_task_set_clear (&self->completed);
  g_array_unref (self->members);
  lk_id_map_clear (&self->member_by_task);
  g_free (self);
}

void
lk_arrays_init (LkArrays *self)
{
  *self = (LkArrays){ 0 };
  lk_id_map_init (&self->place_by_id);
  self->items = g_ptr_array_new ();
  self->over = g_ptr_array_new_with_free_func (array_free);
  self->unsettled = g_array_new (FALSE, FALSE, sizeof (guint32));
  self->unranked = g_array_new (FALSE, FALSE, sizeof (guint32));
}

void
lk_arrays_clear (LkArrays *self)
{
  for (guint i = 0; i < self->items->len; i++)
    array_free (g_ptr_array_index (self->items, i));
  g_ptr_array_unref (self->items);
  g_ptr_array_unref (self->over);
  g_array_unref (self->unsettled);
  g_array_unref (self->unranked);
  lk_id_map_clear (&self->place_by_id);
  *self = (LkArrays){ 0 };
}

LkArray *
lk_arrays_find (const LkArrays *self, guint32 array_job_id)
{
  if (self->items->len == 0)
    return NULL;
  guint32 place = lk_id_map_find (&self->place_by_id, array_job_id);
  return place != LK_JOB_NONE ? g_ptr_array_index (self->items, place) : NULL;
}

LkArray *
lk_arrays_add (LkArrays *self, guint32 array_job_id, LkTaskSet *waiting, guint32 throttle)
{
  LkArray *array = g_new0 (LkArray, 1);
  *array = (LkArray){ .array_job_id = array_job_id,
                      .throttle = throttle,
                      .place = self->items->len,
                      .record = LK_JOB_NONE,
                      .waiting = *waiting,
                      .members = g_array_new (FALSE, FALSE, sizeof (LkJobIndex)),
                      .start_last_us = G_MININT64 };
  lk_id_map_init (&array->member_by_task);
  *waiting = (LkTaskSet){ 0 };
  lk_id_map_insert (&self->place_by_id, array_job_id, array->place);
  g_ptr_array_add (self->items, array);
  self->waiting_count += array->waiting.count;
  self->throttled_count += throttle != 0;
  return array;
}

void
lk_arrays_retire (LkArrays *self, LkArray *array)
{
  LK_ASSERT (g_ptr_array_index (self->items, array->place) == array);
  LkArray *last = g_ptr_array_index (self->items, self->items->len - 1);
  lk_id_map_remove (&self->place_by_id, array->array_job_id);
  if (last != array) {
    lk_id_map_remove (&self->place_by_id, last->array_job_id);
    lk_id_map_insert (&self->place_by_id, last->array_job_id, array->place);
    self->items->pdata[array->place] = last;
    last->place = array->place;
  }
  g_ptr_array_set_size (self->items, (gint)self->items->len - 1);
  self->waiting_count -= array->waiting.count;
  self->throttled_count -= array->throttle != 0;
  g_ptr_array_add (self->over, array);
}

void
lk_arrays_drop_over (LkArrays *self)
{
  if (self->over->len > 0)
    g_ptr_array_set_size (self->over, 0);
}
