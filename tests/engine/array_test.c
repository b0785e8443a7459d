/* tests/engine/array_test.c — arrays of jobs: one job until they are split. */
#include "tests/engine/array_fixture.h"

#define PASS(self, time_s) fixture_event (self, time_s, LK_EVENT_PASS, 0)

static void
init (LkFixture *self, guint32 units)
{
  fixture_init (self, units, "fifo", "easy");
}

static char *
waiting_of (const LkFixture *self, guint32 id)
{
  GString *text = g_string_new (NULL);
  const LkArray *array = lk_engine_array (self->engine, id);
  if (array != NULL)
    lk_task_set_text (&array->waiting, text);
  return g_string_free (text, FALSE);
}

#define assert_waiting(self, id, expected)                                                         \
  do {                                                                                             \
    g_autofree char *waiting = waiting_of (self, id);                                              \
    g_assert_cmpstr (waiting, ==, expected);                                                       \
  } while (0)

/* ---------------------------------------------------------------- ids */

/* Semantics 12.2: array 10 of 0-2, next id 11: task 0 is job 11, task 1 job 12, task 2 job 10. */
static void
test_ids (void)
{
  LkFixture f;
  init (&f, 3);
  array_submit (&f, 0, 10, 1, 100, "0-2");
  PASS (&f, 0);
  fixture_assert_log (&f, "accept 10; task 11 10_0; start 11; task 12 10_1; start 12; "
                          "task 10 10_2; start 10; wake 100");
  fixture_clear (&f);
}

/* The recording 11-array-limit: two arrays of at most three and any number of tasks at once; ids,
 * order and throttle as squeue and sacct told them. */
static void
test_recorded (void)
{
  LkFixture f;
  init (&f, 24);
  array_submit (&f, 0, 1, 1, 120, "0-9%3");
  array_submit (&f, 0, 2, 1, 120, "1-7:2,10");
  fixture_assert_log (&f, "accept 1; accept 2");
  PASS (&f, 1);
  fixture_assert_log (&f, "task 3 1_0; start 3; task 4 1_1; start 4; task 5 1_2; start 5; "
                          "PENDING 1; task 6 2_1; start 6; task 7 2_3; start 7; task 8 2_5; "
                          "start 8; task 9 2_7; start 9; task 2 2_10; start 2; wake 121");
  LkJobInfo info;
  g_assert_true (lk_engine_job (f.engine, 1, &info));
  g_assert_cmpint (info.reason, ==, LK_REASON_ARRAY_TASK_LIMIT);
  g_assert_cmpuint (info.array_job_id, ==, 1);
  g_assert_cmpuint (info.array_task, ==, LK_TASK_NONE);
  array_event (&f, 2, LK_EVENT_CANCEL, 2, "10");
  array_event (&f, 2, LK_EVENT_CANCEL, 1, "[8-9]");
  fixture_assert_log (&f, "accept 2; kill 2 2; accept 1");
  assert_waiting (&f, 1, "3-7");
  for (guint32 id = 3; id <= 5; id++)
    fixture_ended (&f, 4, id);
  fixture_assert_log (&f, "COMPLETED 3; PENDING 1; COMPLETED 4; COMPLETED 5");
  array_throttle (&f, 4, 1, "%5");
  PASS (&f, 4);
  fixture_assert_log (&f, "accept 1; task 10 1_3; start 10; task 11 1_4; start 11; task 12 1_5; "
                          "start 12; task 13 1_6; start 13; task 1 1_7; start 1");
  fixture_clear (&f);
}

/* Without an id the engine gives the next one; split tasks and submits share the row of ids. */
static void
test_engine_gives_ids (void)
{
  LkFixture f;
  init (&f, 2);
  array_submit (&f, 0, 0, 1, 100, "5,7,9");
  PASS (&f, 0);
  fixture_assert_log (&f, "accept 1; task 2 1_5; start 2; task 3 1_7; start 3; wake 100");
  g_assert_cmpuint (lk_engine_job_id_next (f.engine), ==, 4);
  fixture_submit (&f, 1, 3, 1, 100);
  array_submit (&f, 1, 0, 1, 100, "");
  fixture_assert_log (&f, "reject 3 3; accept 4");
  fixture_clear (&f);
}

static void
test_refused (void)
{
  LkFixture f;
  init (&f, 2);
  array_submit (&f, 0, 1, 1, 100, "0-");
  array_submit (&f, 0, 1, 3, 100, "0-9");
  array_submit (&f, 0, 1, 1, 100, "0-4000001");
  array_submit (&f, 0, G_MAXUINT32 - 1, 1, 100, "0-3");
  fixture_assert_log (&f, "reject 1 34; reject 1 6; reject 1 34; reject 4294967294 10");
  array_submit (&f, 0, 1, 1, 100, "0-3");
  /* Tasks that wait need ids above. */
  fixture_submit (&f, 0, G_MAXUINT32 - 3, 1, 100);
  fixture_assert_log (&f, "accept 1; reject 4294967292 10");
  fixture_submit (&f, 0, G_MAXUINT32 - 4, 1, 100);
  fixture_assert_log (&f, "accept 4294967291");
  PASS (&f, 0);
  fixture_clear (&f);
}

/* ---------------------------------------------------------------- in a pass */

/* When one task does not fit, the rest is skipped: the next job is tried. */
static void
test_skips_rest (void)
{
  LkFixture f;
  init (&f, 5);
  array_submit (&f, 0, 1, 2, 100, "0-5");
  fixture_submit (&f, 0, 2, 1, 50);
  fixture_submit (&f, 0, 3, 1, 50);
  PASS (&f, 0);
  fixture_assert_log (&f, "accept 1; accept 2; accept 3; task 4 1_0; start 4; task 5 1_1; start 5; "
                          "start 2 backfilled; wake 50");
  assert_waiting (&f, 1, "2-5");
  fixture_clear (&f);
}

/* Behind the head's reservation tasks are backfilled one after the other. */
static void
test_backfilled (void)
{
  static const char *const policies[] = { "easy", "easy(reservations=2)", "conservative", "full",
                                          "replan" };
  for (guint i = 0; i < G_N_ELEMENTS (policies); i++) {
    LkFixture f;
    fixture_init (&f, 4, "fifo", policies[i]);
    g_test_message ("%s", policies[i]);
    fixture_submit (&f, 0, 1, 2, 100);
    fixture_submit (&f, 0, 2, 4, 100);
    array_submit (&f, 0, 3, 1, 100, "0-4");
    g_string_truncate (f.log, 0);
    PASS (&f, 0);
    g_assert_true (g_str_has_prefix (f.log->str,
                                     "start 1; task 4 3_0; start 4 backfilled; task 5 3_1; "
                                     "start 5 backfilled"));
    assert_waiting (&f, 3, "2-4");
    fixture_reload (&f);
    fixture_clear (&f);
  }
}

/* One task fits beside the reservations of those before, and the next does not, though as many
 * processors are free: it gets a reservation of its own, and who comes behind is asked. */
static void
test_backfill_ends (void)
{
  static const char *const policies[] = { "easy", "easy(reservations=3)", "conservative", "full",
                                          "replan" };
  for (guint i = 0; i < G_N_ELEMENTS (policies); i++) {
    LkFixture f;
    fixture_init (&f, 5, "fifo", policies[i]);
    g_test_message ("%s", policies[i]);
    fixture_submit (&f, 0, 1, 2, 100);
    fixture_submit (&f, 0, 2, 4, 100);
    array_submit (&f, 0, 3, 1, 200, "0-4");
    fixture_submit (&f, 0, 4, 1, 50);
    g_string_truncate (f.log, 0);
    PASS (&f, 0);
    fixture_assert_log (&f, "start 1; task 5 3_0; start 5 backfilled; start 4 backfilled; wake 50");
    assert_waiting (&f, 3, "1-4");
    fixture_reload (&f);
    fixture_clear (&f);
  }
}

/* All policies start the tasks of a lone array as they fit, and come to its end. */
static void
test_runs_through (void)
{
  static const char *const policies[] = {
    "none",   "easy",  "easy(reservations=3)", "easy(order=sjf)", "conservative", "full",
    "replan", "slurm",
  };
  for (guint i = 0; i < G_N_ELEMENTS (policies); i++) {
    LkFixture f;
    guint32 running[3];
    fixture_init (&f, 3, "fifo", policies[i]);
    array_submit (&f, 0, 1, 1, 100, "0-10%2");
    for (gint64 time_s = 0; lk_engine_array (f.engine, 1) != NULL; time_s += 10) {
      PASS (&f, time_s);
      const LkArray *array = lk_engine_array (f.engine, 1);
      guint count = array->members->len;
      g_assert_cmpuint (count, >=, 1);
      g_assert_cmpuint (count, <=, 2);
      for (guint k = 0; k < count; k++)
        running[k] =
            lk_engine_view (f.engine)->jobs->id[g_array_index (array->members, LkJobIndex, k)];
      for (guint k = 0; k < count; k++)
        fixture_ended (&f, time_s + 10, running[k]);
      fixture_reload (&f);
    }
    fixture_clear (&f);
  }
}

/* ---------------------------------------------------------------- events */

/* All of an array: what waits goes, what runs is told to end. */
static void
test_cancel_array (void)
{
  LkFixture f;
  init (&f, 2);
  array_submit (&f, 0, 1, 1, 100, "0-9");
  PASS (&f, 0);
  g_string_truncate (f.log, 0);
  array_event (&f, 1, LK_EVENT_CANCEL, 1, "");
  fixture_assert_log (&f, "accept 1; CANCELLED 1; kill 2 2; kill 3 2");
  fixture_ended (&f, 1, 2);
  fixture_ended (&f, 1, 3);
  array_event (&f, 2, LK_EVENT_CANCEL, 1, "");
  fixture_assert_log (&f, "CANCELLED 2; CANCELLED 3; reject 1 2");
  fixture_clear (&f);
}

static void
test_cancel_tasks (void)
{
  LkFixture f;
  guint32 job_id = 0;
  init (&f, 2);
  array_submit (&f, 0, 1, 1, 100, "0-9");
  PASS (&f, 0);
  g_string_truncate (f.log, 0);
  array_event (&f, 1, LK_EVENT_CANCEL, 1, "1,4-6,99");
  fixture_assert_log (&f, "accept 1; kill 3 2");
  assert_waiting (&f, 1, "2-3,7-9");
  const LkArray *array = lk_engine_array (f.engine, 1);
  g_assert_cmpint (lk_engine_task_standing (f.engine, array, 5, &job_id), ==, LK_TASK_FAILED);
  g_assert_cmpint (lk_engine_task_standing (f.engine, array, 7, &job_id), ==, LK_TASK_WAITING);
  g_assert_cmpint (lk_engine_task_standing (f.engine, array, 99, &job_id), ==, LK_TASK_UNKNOWN);
  g_assert_cmpint (lk_engine_task_standing (f.engine, array, 1, &job_id), ==, LK_TASK_JOB);
  g_assert_cmpuint (job_id, ==, 3);
  fixture_ended (&f, 1, 2);
  array = lk_engine_array (f.engine, 1);
  g_assert_cmpint (lk_engine_task_standing (f.engine, array, 0, &job_id), ==, LK_TASK_COMPLETED);
  g_string_truncate (f.log, 0);
  array_event (&f, 1, LK_EVENT_CANCEL, 1, "5");
  array_event (&f, 1, LK_EVENT_CANCEL, 1, "5-");
  array_event (&f, 1, LK_EVENT_CANCEL, 3, "1");
  array_event (&f, 1, LK_EVENT_CANCEL, 77, "1");
  fixture_assert_log (&f, "reject 1 35; reject 1 34; reject 3 35; reject 77 2");
  /* A list of all that wait is the record. */
  array_event (&f, 1, LK_EVENT_CANCEL, 1, "2-9");
  fixture_assert_log (&f, "accept 1; CANCELLED 1");
  fixture_clear (&f);
}

/* The id of a task that was split off means that task; the id that the last one has, the array. */
static void
test_ids_in_events (void)
{
  LkFixture f;
  init (&f, 3);
  array_submit (&f, 0, 1, 1, 100, "0-2");
  PASS (&f, 0);
  g_string_truncate (f.log, 0);
  fixture_event (&f, 1, LK_EVENT_CANCEL, 2);
  fixture_assert_log (&f, "accept 2; kill 2 2");
  fixture_event (&f, 1, LK_EVENT_CANCEL, 1);
  fixture_assert_log (&f, "accept 1; kill 3 2; kill 1 2");
  fixture_ended (&f, 1, 1);
  fixture_assert_log (&f, "CANCELLED 1");
  fixture_clear (&f);
}

static void
test_hold_tasks (void)
{
  LkFixture f;
  init (&f, 2);
  array_submit (&f, 0, 1, 1, 100, "0-4");
  g_string_truncate (f.log, 0);
  array_event (&f, 0, LK_EVENT_HOLD, 1, "1-2");
  fixture_assert_log (&f, "accept 1; task 2 1_1; PENDING 2; task 3 1_2; PENDING 3");
  fixture_reload (&f);
  PASS (&f, 0);
  fixture_assert_log (&f, "task 4 1_0; start 4; task 5 1_3; start 5; wake 100");
  array_event (&f, 1, LK_EVENT_RELEASE, 1, "1-2");
  fixture_ended (&f, 1, 4);
  g_string_truncate (f.log, 0);
  /* A task that is a job of its own comes before those that are not. */
  PASS (&f, 1);
  fixture_assert_log (&f, "start 2");
  fixture_clear (&f);
}

/* What is refused changes nothing: the tasks are where they were, and no id is used up. */
static void
test_refused_split (void)
{
  static const char *const policies[] = { "easy", "conservative", "full" };
  for (guint i = 0; i < G_N_ELEMENTS (policies); i++) {
    LkFixture f;
    fixture_init (&f, 2, "fifo", policies[i]);
    array_submit (&f, 0, 1, 1, 100, "0-4");
    g_string_truncate (f.log, 0);
    array_event (&f, 0, LK_EVENT_RELEASE, 1, "1-2");
    fixture_assert_log (&f, "reject 1 9");
    assert_waiting (&f, 1, "0-4");
    g_assert_cmpuint (lk_engine_job_id_next (f.engine), ==, 2);
    array_event (&f, 0, LK_EVENT_REQUEUE, 1, "3");
    fixture_assert_log (&f, "reject 1 8");
    fixture_reload (&f);
    fixture_clear (&f);
  }
}

static void
test_hold_array (void)
{
  LkFixture f;
  init (&f, 1);
  array_submit (&f, 0, 1, 1, 100, "0-4");
  PASS (&f, 0);
  g_string_truncate (f.log, 0);
  array_event (&f, 1, LK_EVENT_HOLD, 1, "");
  fixture_assert_log (&f, "accept 1; PENDING 1");
  fixture_ended (&f, 1, 2);
  PASS (&f, 1);
  fixture_assert_log (&f, "COMPLETED 2");
  array_event (&f, 2, LK_EVENT_RELEASE, 1, "");
  PASS (&f, 2);
  fixture_assert_log (&f, "accept 1; PENDING 1; task 3 1_1; start 3");
  fixture_clear (&f);
}

/* A task that is requeued stays a job of its own; on a counted pool it waits for no moment. */
static void
test_requeue_task (void)
{
  LkFixture f;
  init (&f, 2);
  array_submit (&f, 0, 1, 1, 100, "0-4%2");
  PASS (&f, 0);
  g_string_truncate (f.log, 0);
  array_event (&f, 1, LK_EVENT_REQUEUE, 1, "0");
  g_assert_true (g_str_has_prefix (f.log->str, "accept 1; requeue 2; REQUEUED 2")
                 || g_str_has_prefix (f.log->str, "requeue 2; REQUEUED 2"));
  LkJobInfo info;
  g_assert_true (lk_engine_job (f.engine, 2, &info));
  g_assert_cmpuint (info.array_task, ==, 0);
  g_assert_cmpint (info.state, ==, LK_JOB_PENDING);
  fixture_reload (&f);
  fixture_clear (&f);
}

/* ---------------------------------------------------------------- the limit of running tasks */

static void
test_throttle_changes (void)
{
  LkFixture f;
  init (&f, 10);
  array_submit (&f, 0, 1, 1, 100, "0-9%2");
  PASS (&f, 0);
  fixture_assert_log (&f,
                      "accept 1; task 2 1_0; start 2; task 3 1_1; start 3; PENDING 1; wake 100");
  array_throttle (&f, 1, 1, "%3");
  fixture_assert_log (&f, "accept 1; PENDING 1");
  PASS (&f, 1);
  fixture_assert_log (&f, "task 4 1_2; start 4; PENDING 1");
  array_throttle (&f, 2, 1, "%1");
  fixture_ended (&f, 2, 2);
  fixture_ended (&f, 2, 3);
  fixture_assert_log (&f, "accept 1; COMPLETED 2; COMPLETED 3");
  array_throttle (&f, 3, 1, "%0");
  fixture_assert_log (&f, "accept 1; PENDING 1");
  PASS (&f, 3);
  assert_waiting (&f, 1, "");
  g_string_truncate (f.log, 0);
  array_throttle (&f, 4, 1, "5");
  array_throttle (&f, 4, 5, "%5");
  array_throttle (&f, 4, 99, "%5");
  fixture_assert_log (&f, "reject 1 34; reject 5 34; reject 99 2");
  fixture_clear (&f);
}

/* Tasks that wait as jobs of their own count, too, and are held with the record. */
static void
test_throttle_of_members (void)
{
  static const char *const policies[] = { "easy", "conservative", "full", "replan", "slurm" };
  for (guint i = 0; i < G_N_ELEMENTS (policies); i++) {
    LkFixture f;
    LkJobInfo info;
    fixture_init (&f, 10, "fifo", policies[i]);
    array_submit (&f, 0, 1, 1, 100, "0-9%2");
    array_event (&f, 0, LK_EVENT_HOLD, 1, "7-8");
    array_event (&f, 0, LK_EVENT_RELEASE, 1, "7-8");
    fixture_reload (&f);
    PASS (&f, 0);
    for (guint32 id = 1; id <= 5; id++) {
      gboolean waits = id == 1 || id > 3;
      if (!lk_engine_job (f.engine, id, &info))
        continue;
      if (info.state == LK_JOB_PENDING)
        g_assert_cmpint (info.reason, ==, LK_REASON_ARRAY_TASK_LIMIT);
      g_assert_true (waits || info.state == LK_JOB_RUNNING);
    }
    g_assert_cmpuint (lk_engine_array (f.engine, 1)->active_count, ==, 2);
    fixture_reload (&f);
    fixture_clear (&f);
  }
}

/* ---------------------------------------------------------------- order */

/* Of two arrays that came at once the one with the lower id goes first; and its tasks, whichever
 * jobs they are, by index. */
static void
test_order (void)
{
  LkFixture f;
  init (&f, 1);
  array_submit (&f, 0, 1, 1, 100, "0-5");
  array_submit (&f, 0, 2, 1, 100, "0-1");
  array_event (&f, 0, LK_EVENT_HOLD, 1, "5");
  array_event (&f, 0, LK_EVENT_HOLD, 1, "3");
  array_event (&f, 0, LK_EVENT_RELEASE, 1, "3,5");
  g_string_truncate (f.log, 0);
  g_autoptr (GArray) ids = lk_engine_queue_ids (f.engine);
  static const guint32 expected[] = { 4, 3, 1, 2 };
  g_assert_cmpuint (ids->len, ==, G_N_ELEMENTS (expected));
  for (guint i = 0; i < ids->len; i++)
    g_assert_cmpuint (g_array_index (ids, guint32, i), ==, expected[i]);
  fixture_clear (&f);
}

static void
assert_queue (const LkFixture *self, const char *expected)
{
  g_autoptr (GArray) ids = lk_engine_queue_ids (self->engine);
  g_autoptr (GString) text = g_string_new (NULL);
  for (guint i = 0; i < ids->len; i++)
    g_string_append_printf (text, "%s%u", i > 0 ? " " : "", g_array_index (ids, guint32, i));
  g_assert_cmpstr (text->str, ==, expected);
}

/* The last task that was not split off lies where it belongs, whatever made it the last one; so the
 * recording 91-running-updates has it, where tasks 3 and 4 of 1-4 were changed. */
static void
test_order_of_last (void)
{
  static const char *const policies[] = { "easy", "full", "conservative", "slurm" };
  for (guint i = 0; i < G_N_ELEMENTS (policies); i++) {
    LkFixture f;
    fixture_init (&f, 1, "fifo", policies[i]);
    array_submit (&f, 0, 1, 1, 100, "0-4");
    fixture_submit (&f, 0, 2, 1, 100);
    array_event (&f, 0, LK_EVENT_HOLD, 1, "1,4");
    array_event (&f, 0, LK_EVENT_RELEASE, 1, "1,4");
    assert_queue (&f, "3 4 1 2"); /* 1_1, 1_4, 1_[0,2-3] */
    array_event (&f, 0, LK_EVENT_CANCEL, 1, "0");
    assert_queue (&f, "3 4 1 2");
    array_event (&f, 0, LK_EVENT_CANCEL, 1, "3");
    assert_queue (&f, "3 1 4 2");
    fixture_reload (&f);
    assert_queue (&f, "3 1 4 2");
    fixture_clear (&f);
  }
}

/* What if the tasks that wait asked for less?  The next one is taken for all of them, and those
 * that run are left alone. */
static void
test_amended (void)
{
  LkFixture f;
  LkJobInfo info;
  LkEvent_submit asked = { .job_id = 1, .procs = 1, .estimate_us = 100 * G_USEC_PER_SEC };
  asked.array = lk_text ("0-9");
  init (&f, 5);
  array_submit (&f, 0, 1, 2, 100, "0-9");
  PASS (&f, 0);
  assert_waiting (&f, 1, "2-9");
  g_assert_cmpint (lk_engine_amend (f.engine, &asked), ==, 0);
  lk_engine_check (f.engine);
  g_string_truncate (f.log, 0);
  PASS (&f, 0);
  fixture_assert_log (&f, "start 1");
  g_assert_true (lk_engine_job (f.engine, 1, &info));
  g_assert_cmpuint (info.array_job_id, ==, 0);
  g_assert_cmpuint (lk_engine_array (f.engine, 1)->active_count, ==, 2);
  fixture_reload (&f);
  fixture_clear (&f);
}

/* A task that waits as a job of its own, and the last one, which has the array's id. */
static void
test_task_amended (void)
{
  LkFixture f;
  LkEvent_submit asked = { .procs = 1, .estimate_us = 100 * G_USEC_PER_SEC };
  init (&f, 4);
  array_submit (&f, 0, 1, 2, 100, "0-1");
  PASS (&f, 0);
  array_event (&f, 1, LK_EVENT_REQUEUE, 1, "0-1");
  for (guint32 id = 1; id <= 2; id++) {
    asked.job_id = id;
    g_assert_cmpint (lk_engine_amend (f.engine, &asked), ==, 0);
    lk_engine_check (f.engine);
  }
  g_assert_null (lk_engine_array (f.engine, 1));
  fixture_clear (&f);
}

/* A million tasks come in as one job. */
static void
test_million (void)
{
  LkFixture f;
  LkEngineCounts counts;
  init (&f, 4);
  array_submit (&f, 0, 1, 1, 100, "0-999999");
  lk_engine_counts (f.engine, &counts);
  g_assert_cmpuint (counts.pending_count, ==, 1);
  g_assert_cmpuint (lk_engine_array (f.engine, 1)->waiting.count, ==, 1000000);
  PASS (&f, 0);
  g_assert_cmpuint (lk_engine_array (f.engine, 1)->waiting.count, ==, 999996);
  fixture_reload (&f);
  fixture_clear (&f);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/array/the last task has the id of the array", test_ids);
  g_test_add_func ("/array/ids, order and limit as Slurm recorded them", test_recorded);
  g_test_add_func ("/array/the engine gives ids", test_engine_gives_ids);
  g_test_add_func ("/array/refuses what is no array", test_refused);
  g_test_add_func ("/array/a task that does not fit ends the array's turn", test_skips_rest);
  g_test_add_func ("/array/tasks are backfilled one by one", test_backfilled);
  g_test_add_func ("/array/a task may fit and the next not", test_backfill_ends);
  g_test_add_func ("/array/every policy runs an array through", test_runs_through);
  g_test_add_func ("/array/is cancelled as a whole", test_cancel_array);
  g_test_add_func ("/array/tasks are cancelled", test_cancel_tasks);
  g_test_add_func ("/array/the id of a task means that task", test_ids_in_events);
  g_test_add_func ("/array/held tasks are jobs of their own", test_hold_tasks);
  g_test_add_func ("/array/what is refused splits nothing off", test_refused_split);
  g_test_add_func ("/array/is held as a whole", test_hold_array);
  g_test_add_func ("/array/a requeued task stays a job", test_requeue_task);
  g_test_add_func ("/array/the limit changes", test_throttle_changes);
  g_test_add_func ("/array/the limit counts tasks that are jobs", test_throttle_of_members);
  g_test_add_func ("/array/tasks lie in the queue where their array does", test_order);
  g_test_add_func ("/array/the last task lies where it belongs", test_order_of_last);
  g_test_add_func ("/array/may be asked about as if it were otherwise", test_amended);
  g_test_add_func ("/array/so may its tasks", test_task_amended);
  g_test_add_func ("/array/a million tasks are one job", test_million);
  return g_test_run ();
}
