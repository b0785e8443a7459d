/* tests/property/array_test.c — random arrays and operations on them against a simple model: what
 * is accepted, which tasks start and in which order, under which ids, and what is left. */
#include "tests/engine/array_fixture.h"
#include "tests/engine/seed.h"
#include "tests/property/array_model.h"

#define SEEDS 40u
#define STEPS 250u
#define UNITS 9u

typedef struct {
  LkFixture fixture;
  ArrayModel model;
  Seed seed;
  gint64 now_s;
} Run;

static guint32
draw (Run *self, guint32 limit)
{
  return seed_below (&self->seed, limit);
}

/* ---------------------------------------------------------------- texts */

/* The mask as a list: each run of tasks as a range, or each second task of one with a step. */
static char *
text_of (Run *self, guint32 mask)
{
  GString *text = g_string_new (NULL);
  for (guint32 task = 0; task < MODEL_TASKS; task++) {
    guint32 last = task;
    if ((mask >> task & 1) == 0)
      continue;
    guint32 step = 1 + draw (self, 2);
    while (last + step < MODEL_TASKS && (mask >> (last + step) & 1) != 0)
      last += step;
    g_string_append_printf (text, text->len > 0 ? ",%u" : "%u", task);
    if (last > task)
      g_string_append_printf (text, step > 1 ? "-%u:%u" : "-%u", last, step);
    if (step == 1)
      task = last;
  }
  if (draw (self, 4) == 0) {
    g_string_prepend_c (text, '[');
    g_string_append_c (text, ']');
  }
  return g_string_free (text, FALSE);
}

static guint32
any_mask (Run *self)
{
  guint32 mask = (guint32)seed_next (&self->seed) & ((1u << MODEL_TASKS) - 1);
  if (draw (self, 2) == 0)
    mask &= (guint32)seed_next (&self->seed) & (guint32)seed_next (&self->seed);
  return mask != 0 ? mask : 1;
}

/* ---------------------------------------------------------------- checks */

static gboolean
was_accepted (const Run *self)
{
  return g_str_has_prefix (self->fixture.log->str, "accept")
         || strstr (self->fixture.log->str, "; accept") != NULL;
}

/* Starts and splits of the log, as the model writes them. */
static char *
starts_of (const Run *self)
{
  g_auto (GStrv) parts = g_strsplit (self->fixture.log->str, "; ", -1);
  GString *starts = g_string_new (NULL);
  for (guint i = 0; parts[i] != NULL; i++)
    if (g_str_has_prefix (parts[i], "task") || g_str_has_prefix (parts[i], "start"))
      g_string_append_printf (starts, "%s; ", parts[i]);
  return g_string_free (starts, FALSE);
}

static void
check_task (const Run *self, const LkArray *array, const ModelTask *task, guint32 number)
{
  static const LkTaskStanding standings[] = { [MODEL_TASK_NONE] = LK_TASK_UNKNOWN,
                                              [MODEL_TASK_WAITS] = LK_TASK_WAITING,
                                              [MODEL_TASK_PENDING] = LK_TASK_JOB,
                                              [MODEL_TASK_RUNS] = LK_TASK_JOB };
  guint32 job_id = 0;
  LkTaskStanding standing = lk_engine_task_standing (self->fixture.engine, array, number, &job_id);
  if (task->state == MODEL_TASK_OVER) {
    g_assert_true (standing == LK_TASK_COMPLETED || standing == LK_TASK_FAILED);
    return;
  }
  g_assert_cmpint (standing, ==, standings[task->state]);
  if (standing != LK_TASK_JOB)
    return;
  LkJobInfo info;
  g_assert_cmpuint (job_id, ==, task->id);
  g_assert_true (lk_engine_job (self->fixture.engine, job_id, &info));
  if (task->state != MODEL_TASK_RUNS)
    g_assert_cmpint (info.state, ==, LK_JOB_PENDING);
  else if (info.state != LK_JOB_COMPLETING) /* told to end */
    g_assert_cmpint (info.state, ==, LK_JOB_RUNNING);
}

static void
check_record (const Run *self, const ModelArray *expected)
{
  LkJobInfo info;
  if (array_model_mask (expected, MODEL_TASK_WAITS) == 0)
    return;
  g_assert_true (lk_engine_job (self->fixture.engine, expected->id, &info));
  g_assert_cmpint (info.reason == LK_REASON_HELD_USER, ==, expected->is_held);
  g_assert_cmpint (info.reason == LK_REASON_ARRAY_TASK_LIMIT, ==,
                   !expected->is_held && array_model_is_full (expected));
}

static void
check_arrays (const Run *self)
{
  g_assert_cmpuint (lk_engine_view (self->fixture.engine)->units_free, ==, self->model.units_free);
  g_assert_cmpuint (lk_engine_job_id_next (self->fixture.engine), ==, self->model.id_last + 1);
  guint known = 0;
  for (guint32 id = 1; id <= self->model.id_last; id++)
    known += lk_engine_array (self->fixture.engine, id) != NULL;
  g_assert_cmpuint (known, ==, self->model.arrays->len);
  for (guint i = 0; i < self->model.arrays->len; i++) {
    const ModelArray *expected = &g_array_index (self->model.arrays, ModelArray, i);
    const LkArray *array = lk_engine_array (self->fixture.engine, expected->id);
    g_assert_nonnull (array);
    for (guint32 task = 0; task < MODEL_TASKS; task++)
      check_task (self, array, &expected->tasks[task], task);
    check_record (self, expected);
  }
}

/* ---------------------------------------------------------------- operations */

static guint32
any_id (Run *self)
{
  guint32 back = draw (self, 14);
  if (self->model.arrays->len > 0 && draw (self, 2) == 0)
    return g_array_index (self->model.arrays, ModelArray, draw (self, self->model.arrays->len)).id;
  return self->model.id_last > back ? self->model.id_last - back : 1;
}

static void
submit (Run *self)
{
  guint32 mask = any_mask (self);
  ModelArray asked = { .submit_s = self->now_s,
                       .procs = 1 + draw (self, 4),
                       .throttle = draw (self, 2) * draw (self, 5) };
  g_autofree char *list = text_of (self, mask);
  g_autofree char *text =
      asked.throttle > 0 ? g_strdup_printf ("%s%%%u", list, asked.throttle) : g_strdup (list);
  guint32 id = array_model_submit (&self->model, &asked, mask);
  array_submit (&self->fixture, self->now_s, draw (self, 2) * id, asked.procs, 1000, text);
  g_assert_true (was_accepted (self));
}

static void
change (Run *self)
{
  static const LkEventKind kinds[] = { LK_EVENT_CANCEL, LK_EVENT_HOLD, LK_EVENT_RELEASE,
                                       LK_EVENT_RELEASE };
  LkEventKind kind = kinds[draw (self, G_N_ELEMENTS (kinds))];
  guint32 id = any_id (self);
  guint32 mask = draw (self, 3) > 0 ? any_mask (self) : 0;
  g_autofree char *text = text_of (self, mask);
  gboolean expected = kind == LK_EVENT_CANCEL
                          ? array_model_cancel (&self->model, id, mask)
                          : array_model_hold (&self->model, id, mask, kind == LK_EVENT_HOLD);
  array_event (&self->fixture, self->now_s, kind, id, mask != 0 ? text : "");
  g_assert_cmpint (was_accepted (self), ==, expected);
}

static void
throttle (Run *self)
{
  guint32 id = any_id (self);
  guint32 limit = draw (self, 4);
  g_autofree char *text = g_strdup_printf ("%%%u", limit);
  gboolean expected = array_model_throttle (&self->model, id, limit);
  array_throttle (&self->fixture, self->now_s, id, text);
  g_assert_cmpint (was_accepted (self), ==, expected);
}

/* One of those that run ends. */
static void
end (Run *self)
{
  g_autoptr (GArray) ids = g_array_new (FALSE, FALSE, sizeof (guint32));
  for (guint i = 0; i < self->model.arrays->len; i++) {
    const ModelArray *array = &g_array_index (self->model.arrays, ModelArray, i);
    for (guint32 task = 0; task < MODEL_TASKS; task++)
      if (array->tasks[task].state == MODEL_TASK_RUNS)
        g_array_append_val (ids, array->tasks[task].id);
  }
  if (ids->len == 0)
    return;
  guint32 id = g_array_index (ids, guint32, draw (self, ids->len));
  array_model_ended (&self->model, id);
  fixture_ended (&self->fixture, self->now_s, id);
}

static void
pass (Run *self)
{
  g_autoptr (GString) expected = g_string_new (NULL);
  array_model_pass (&self->model, expected);
  fixture_event (&self->fixture, self->now_s, LK_EVENT_PASS, 0);
  g_autofree char *starts = starts_of (self);
  g_assert_cmpstr (starts, ==, expected->str);
}

static void
step (Run *self)
{
  g_string_truncate (self->fixture.log, 0);
  switch (draw (self, 8)) {
  case 0:
    submit (self);
    break;
  case 1:
    change (self);
    break;
  case 2:
    throttle (self);
    break;
  case 3:
    fixture_reload (&self->fixture);
    break;
  case 4:
  case 5:
    pass (self);
    break;
  default:
    end (self);
  }
  check_arrays (self);
  self->now_s += draw (self, 2);
}

static void
test_model (void)
{
  for (guint64 number = 1; number <= SEEDS; number++) {
    Run run = { .seed = { number } };
    g_test_message ("seed %" G_GUINT64_FORMAT, number);
    fixture_init (&run.fixture, UNITS, "fifo", "none");
    array_model_init (&run.model, UNITS);
    for (guint i = 0; i < STEPS; i++)
      step (&run);
    fixture_clear (&run.fixture);
    array_model_clear (&run.model);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/array/random arrays do as a simple model does", test_model);
  return g_test_run ();
}
