/* tests/property/array_model.c — see the header. */
#include "tests/property/array_model.h"

void
array_model_init (ArrayModel *self, guint32 units)
{
  *self = (ArrayModel){ .units_free = units };
  self->arrays = g_array_new (FALSE, TRUE, sizeof (ModelArray));
}

void
array_model_clear (ArrayModel *self)
{
  g_array_unref (self->arrays);
}

guint32
array_model_mask (const ModelArray *array, ModelTaskState state)
{
  guint32 mask = 0;
  for (guint32 task = 0; task < MODEL_TASKS; task++)
    mask |= array->tasks[task].state == state ? 1u << task : 0;
  return mask;
}

static guint
count (guint32 mask)
{
  return (guint)__builtin_popcount (mask);
}

gboolean
array_model_is_full (const ModelArray *array)
{
  return array->throttle > 0
         && count (array_model_mask (array, MODEL_TASK_RUNS)) >= array->throttle;
}

static void
drop_over (ArrayModel *self)
{
  for (guint i = self->arrays->len; i-- > 0;) {
    const ModelArray *array = &g_array_index (self->arrays, ModelArray, i);
    if ((array_model_mask (array, MODEL_TASK_WAITS) | array_model_mask (array, MODEL_TASK_PENDING)
         | array_model_mask (array, MODEL_TASK_RUNS))
        == 0)
      g_array_remove_index (self->arrays, i);
  }
}

/* The array of this id, or that of which the job with this id is a task: `*out_mask` is 0 or the
 * task then.  NULL: neither is there. */
static ModelArray *
find (ArrayModel *self, guint32 job_id, guint32 *out_mask)
{
  *out_mask = 0;
  for (guint i = 0; i < self->arrays->len; i++)
    if (g_array_index (self->arrays, ModelArray, i).id == job_id)
      return &g_array_index (self->arrays, ModelArray, i);
  for (guint i = 0; i < self->arrays->len; i++) {
    ModelArray *array = &g_array_index (self->arrays, ModelArray, i);
    for (guint32 task = 0; task < MODEL_TASKS; task++)
      if (array->tasks[task].id == job_id && array->tasks[task].state != MODEL_TASK_OVER) {
        *out_mask = 1u << task;
        return array;
      }
  }
  return NULL;
}

/* ---------------------------------------------------------------- events */

guint32
array_model_submit (ArrayModel *self, const ModelArray *asked, guint32 mask)
{
  ModelArray array = *asked;
  array.id = ++self->id_last;
  for (guint32 task = 0; task < MODEL_TASKS; task++)
    array.tasks[task].state = (mask >> task & 1) != 0 ? MODEL_TASK_WAITS : MODEL_TASK_NONE;
  g_array_append_val (self->arrays, array);
  return array.id;
}

static gboolean
hold_task (ModelTask *task, gboolean is_held)
{
  /* A task that runs is held for when it is requeued. */
  gboolean may_hold = task->state == MODEL_TASK_PENDING || task->state == MODEL_TASK_RUNS;
  if (is_held ? !may_hold : !task->is_held)
    return FALSE;
  task->is_held = is_held;
  return TRUE;
}

static gboolean
hold_waiting (ArrayModel *self, ModelArray *array, guint32 mask, gboolean is_held)
{
  if (!is_held && !array->is_held)
    return FALSE;
  if (mask == array_model_mask (array, MODEL_TASK_WAITS)) {
    array->is_held = is_held;
    return TRUE;
  }
  for (guint32 task = 0; task < MODEL_TASKS; task++)
    if ((mask >> task & 1) != 0)
      array->tasks[task] = (ModelTask){ MODEL_TASK_PENDING, ++self->id_last, is_held };
  return TRUE;
}

gboolean
array_model_hold (ArrayModel *self, guint32 job_id, guint32 mask, gboolean is_held)
{
  guint32 own_mask;
  gboolean is_done = FALSE;
  ModelArray *array = find (self, job_id, &own_mask);
  if (array == NULL || (own_mask != 0 && mask != 0))
    return FALSE;
  guint32 meant = own_mask | mask;
  meant = meant != 0 ? meant : G_MAXUINT32;
  guint32 waiting = own_mask == 0 ? array_model_mask (array, MODEL_TASK_WAITS) & meant : 0;
  guint32 others = meant & ~waiting;
  if (waiting != 0)
    is_done |= hold_waiting (self, array, waiting, is_held);
  for (guint32 task = 0; task < MODEL_TASKS; task++)
    if ((others >> task & 1) != 0 && array->tasks[task].state != MODEL_TASK_OVER)
      is_done |= hold_task (&array->tasks[task], is_held);
  return is_done;
}

gboolean
array_model_cancel (ArrayModel *self, guint32 job_id, guint32 mask)
{
  guint32 own_mask;
  gboolean is_done = FALSE;
  ModelArray *array = find (self, job_id, &own_mask);
  if (array == NULL || (own_mask != 0 && mask != 0))
    return FALSE;
  guint32 meant = own_mask | mask;
  meant = meant != 0 ? meant : G_MAXUINT32;
  for (guint32 task = 0; task < MODEL_TASKS; task++) {
    ModelTaskState state = array->tasks[task].state;
    if ((meant >> task & 1) == 0 || state == MODEL_TASK_NONE || state == MODEL_TASK_OVER)
      continue;
    is_done = TRUE;
    if (state != MODEL_TASK_RUNS)
      array->tasks[task].state = MODEL_TASK_OVER;
  }
  drop_over (self);
  return is_done;
}

gboolean
array_model_throttle (ArrayModel *self, guint32 job_id, guint32 throttle)
{
  guint32 own_mask;
  ModelArray *array = find (self, job_id, &own_mask);
  if (array == NULL || own_mask != 0)
    return FALSE;
  array->throttle = throttle;
  return TRUE;
}

void
array_model_ended (ArrayModel *self, guint32 job_id)
{
  for (guint i = 0; i < self->arrays->len; i++) {
    ModelArray *array = &g_array_index (self->arrays, ModelArray, i);
    for (guint32 task = 0; task < MODEL_TASKS; task++)
      if (array->tasks[task].id == job_id && array->tasks[task].state == MODEL_TASK_RUNS) {
        array->tasks[task].state = MODEL_TASK_OVER;
        self->units_free += array->procs;
      }
  }
  drop_over (self);
}

/* ---------------------------------------------------------------- the pass */

/* The next task of an array: jobs of their own first. MODEL_TASKS: none may start. */
static guint32
next_task (const ModelArray *array)
{
  if (array_model_is_full (array))
    return MODEL_TASKS;
  for (guint32 task = 0; task < MODEL_TASKS; task++)
    if (array->tasks[task].state == MODEL_TASK_PENDING && !array->tasks[task].is_held)
      return task;
  for (guint32 task = 0; task < MODEL_TASKS && !array->is_held; task++)
    if (array->tasks[task].state == MODEL_TASK_WAITS)
      return task;
  return MODEL_TASKS;
}

/* Which of those that may start goes first: the order of their submission, which is that of ids. */
static ModelArray *
next_array (ArrayModel *self)
{
  for (guint i = 0; i < self->arrays->len; i++)
    if (next_task (&g_array_index (self->arrays, ModelArray, i)) != MODEL_TASKS)
      return &g_array_index (self->arrays, ModelArray, i);
  return NULL;
}

void
array_model_pass (ArrayModel *self, GString *out)
{
  ModelArray *array = next_array (self);
  for (; array != NULL && array->procs <= self->units_free; array = next_array (self)) {
    guint32 at = next_task (array);
    ModelTask *task = &array->tasks[at];
    if (task->state == MODEL_TASK_WAITS) {
      gboolean is_last = count (array_model_mask (array, MODEL_TASK_WAITS)) == 1;
      task->id = is_last ? array->id : ++self->id_last;
      g_string_append_printf (out, "task %u %u_%u; ", task->id, array->id, at);
    }
    g_string_append_printf (out, "start %u; ", task->id);
    task->state = MODEL_TASK_RUNS;
    task->is_held = FALSE;
    self->units_free -= array->procs;
  }
}
