/* engine/engine_array_bytes.c — arrays of jobs as bytes and back, and whether they add up.
 *
 * In a snapshot an array is its limit and its sets of tasks; which job is its record, and which are
 * its members, the rows of the jobs tell. */
#include "engine/assert.h"
#include "engine/bits.h"
#include "engine/engine_array.h"

/* ---------------------------------------------------------------- check */

static void
check_members (const LkEngine *self, const LkArray *array)
{
  guint32 active_count = 0;
  for (guint i = 0; i < array->members->len; i++) {
    LkJobIndex job = g_array_index (array->members, LkJobIndex, i);
    guint32 task = self->jobs.array_task[job];
    LK_ASSERT (self->jobs.array_job_id[job] == array->array_job_id);
    LK_ASSERT (self->jobs.array_place[job] == i);
    LK_ASSERT (self->jobs.array_rank[job] == task);
    LK_ASSERT (!lk_task_set_has (&array->waiting, task));
    LK_ASSERT (!lk_task_set_has (&array->ended, task));
    LK_ASSERT (!lk_array_is_full (array) || !lk_engine_is_in_line (self, job));
    active_count += !lk_engine_is_pending (self, job);
  }
  LK_ASSERT (active_count == array->active_count);
}

static void
check_array (const LkEngine *self, const LkArray *array)
{
  LK_ASSERT ((array->record != LK_JOB_NONE) == (array->waiting.count > 0));
  LK_ASSERT (!lk_array_is_over (array));
  if (array->record != LK_JOB_NONE) {
    LK_ASSERT (self->jobs.id[array->record] == array->array_job_id);
    LK_ASSERT (lk_engine_is_record (self, array->record));
    LK_ASSERT (self->jobs.array_rank[array->record] == lk_array_rank (array));
    LK_ASSERT (lk_engine_is_pending (self, array->record));
    LK_ASSERT (!lk_array_is_full (array) || !lk_engine_is_in_line (self, array->record));
  }
  LK_ASSERT (lk_task_set_count_common (&array->waiting, &array->ended) == 0);
  LK_ASSERT (lk_task_set_count_common (&array->completed, &array->ended) == array->completed.count);
  LK_ASSERT (array->waiting.count
             == lk_bits_count (array->waiting.words, array->waiting.word_count));
  check_members (self, array);
}

void
lk_engine_check_arrays (const LkEngine *self)
{
  const LkArrays *arrays = &self->arrays;
  guint64 waiting_count = 0;
  guint32 throttled_count = 0;
  guint32 listed_count = 0;
  guint32 job_count = 0;
  for (guint i = 0; i < arrays->items->len; i++) {
    const LkArray *array = g_ptr_array_index (arrays->items, i);
    LK_ASSERT (lk_arrays_find (arrays, array->array_job_id) == array);
    check_array (self, array);
    waiting_count += array->waiting.count;
    throttled_count += array->throttle != 0;
    listed_count += array->members->len + (array->record != LK_JOB_NONE);
  }
  for (LkJobIndex job = 0; job < self->jobs.limit; job++)
    job_count += self->jobs.phase[job] != LK_PHASE_FREE && self->jobs.array_job_id[job] != 0;
  LK_ASSERT (job_count == listed_count);
  LK_ASSERT (waiting_count == arrays->waiting_count);
  LK_ASSERT (throttled_count == arrays->throttled_count);
  LK_ASSERT (self->job_id_last <= G_MAXUINT32 - waiting_count);
  LK_ASSERT (arrays->over->len == 0);
  LK_ASSERT (arrays->unsettled->len == 0);
  LK_ASSERT (arrays->unranked->len == 0);
  LK_ASSERT (self->split_task == LK_JOB_NONE);
}

/* ---------------------------------------------------------------- save */

static gint
compare_arrays (gconstpointer a, gconstpointer b)
{
  const LkArray *array_a = *(LkArray *const *)a;
  const LkArray *array_b = *(LkArray *const *)b;
  return (array_a->array_job_id > array_b->array_job_id)
         - (array_a->array_job_id < array_b->array_job_id);
}

void
lk_engine_save_arrays (const LkEngine *self, GByteArray *out)
{
  const GPtrArray *items = self->arrays.items;
  g_autoptr (GPtrArray) sorted = g_ptr_array_sized_new (items->len);
  for (guint i = 0; i < items->len; i++)
    g_ptr_array_add (sorted, g_ptr_array_index (items, i));
  g_ptr_array_sort (sorted, compare_arrays);
  lk_append_u32 (out, sorted->len);
  for (guint i = 0; i < sorted->len; i++) {
    const LkArray *array = g_ptr_array_index (sorted, i);
    lk_append_u32 (out, array->array_job_id);
    lk_append_u32 (out, array->throttle);
    lk_append_i64 (out, array->start_last_us);
    lk_task_set_save (&array->waiting, out);
    lk_task_set_save (&array->ended, out);
    lk_task_set_save (&array->completed, out);
  }
}

/* ---------------------------------------------------------------- load */

static gboolean
load_sets (LkArray *array, LkBytesReader *reader)
{
  return lk_task_set_load (reader, &array->ended) && lk_task_set_load (reader, &array->completed)
         && lk_task_set_count_common (&array->waiting, &array->ended) == 0
         && lk_task_set_count_common (&array->completed, &array->ended) == array->completed.count;
}

gboolean
lk_engine_load_arrays (LkEngine *self, LkBytesReader *reader)
{
  guint32 count = lk_take_u32 (reader);
  guint32 id_last = 0;
  for (guint32 i = 0; i < count && !reader->failed; i++) {
    guint32 id = lk_take_u32 (reader);
    guint32 throttle = lk_take_u32 (reader);
    gint64 start_last_us = lk_take_i64 (reader);
    LkTaskSet waiting;
    if (reader->failed || id <= id_last || id > self->job_id_last
        || start_last_us > self->view.now_us || !lk_task_set_load (reader, &waiting))
      return FALSE;
    LkArray *array = lk_arrays_add (&self->arrays, id, &waiting, throttle);
    array->start_last_us = start_last_us;
    if (!load_sets (array, reader))
      return FALSE;
    id_last = id;
  }
  return !reader->failed && self->arrays.waiting_count <= G_MAXUINT32 - self->job_id_last;
}

gboolean
lk_engine_load_task (LkEngine *self, LkJobIndex job)
{
  LkJobTable *jobs = &self->jobs;
  guint32 task = jobs->array_task[job];
  if (jobs->array_job_id[job] == 0)
    return task == 0;
  LkArray *array = lk_engine_array_of (self, job);
  if (array == NULL)
    return FALSE;
  if (task == LK_TASK_NONE) {
    if (jobs->id[job] != jobs->array_job_id[job] || !lk_engine_is_pending (self, job)
        || array->waiting.count == 0)
      return FALSE;
    array->record = job;
    jobs->array_rank[job] = lk_array_rank (array);
    return TRUE;
  }
  if (task >= LK_LIMIT_TASKS || lk_task_set_has (&array->waiting, task)
      || lk_task_set_has (&array->ended, task) || jobs->id[job] < jobs->array_job_id[job]
      || lk_id_map_find (&array->member_by_task, task + 1) != LK_JOB_NONE)
    return FALSE;
  jobs->array_rank[job] = task;
  jobs->array_place[job] = array->members->len;
  g_array_append_val (array->members, job);
  lk_id_map_insert (&array->member_by_task, task + 1, job);
  array->active_count += !lk_engine_is_pending (self, job);
  return TRUE;
}

/* Is every task in one place, and nobody in line for whom there is no room? */
static gboolean
array_agrees (const LkEngine *self, const LkArray *array)
{
  gboolean is_full = lk_array_is_full (array);
  gboolean agrees =
      (array->record != LK_JOB_NONE) == (array->waiting.count > 0) && !lk_array_is_over (array)
      && (array->record == LK_JOB_NONE || !is_full || !lk_engine_is_in_line (self, array->record));
  LkTaskSet seen = { 0 };
  for (guint i = 0; i < array->members->len; i++) {
    LkJobIndex job = g_array_index (array->members, LkJobIndex, i);
    agrees &= !lk_task_set_has (&seen, self->jobs.array_task[job])
              && (!is_full || !lk_engine_is_in_line (self, job));
    lk_task_set_add (&seen, self->jobs.array_task[job]);
  }
  lk_task_set_clear (&seen);
  return agrees;
}

gboolean
lk_engine_arrays_agree (const LkEngine *self)
{
  for (guint i = 0; i < self->arrays.items->len; i++)
    if (!array_agrees (self, g_ptr_array_index (self->arrays.items, i)))
      return FALSE;
  return TRUE;
}
