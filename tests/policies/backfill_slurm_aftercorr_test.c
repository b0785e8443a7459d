/* tests/policies/backfill_slurm_aftercorr_test.c — an array of which each task waits for a task of
 * another one, under Slurm's scheduling: it is split when the queue is looked at, ten tasks at most
 * that wait.  The numbers are those that Slurm 22.05 gave. */
#include "tests/engine/array_fixture.h"
#include "tests/policies/backfill_slurm_fixture.h"

static void
submit (LkFixture *self, gint64 time_s, guint32 id, const char *array, const char *dependency,
        gboolean is_held)
{
  LkEvent event = { .kind = LK_EVENT_SUBMIT };
  event.submit.job_id = id;
  event.submit.procs = 1;
  event.submit.estimate_us = 600 * G_USEC_PER_SEC;
  event.submit.array = lk_text (array);
  event.submit.dependency = lk_text (dependency);
  event.submit.flags = is_held ? LK_REQUEST_HOLD : 0;
  g_assert_cmpint (fixture_apply (self, time_s, &event), ==, LK_STATUS_OK);
}

static guint32
id_last (const LkFixture *self)
{
  return lk_engine_job_id_next (self->engine) - 1;
}

/* As squeue tells them. */
static LkTaskStanding
standing (const LkFixture *self, guint32 array_job_id, guint32 task, guint32 *out_job_id)
{
  const LkArray *array = lk_engine_array (self->engine, array_job_id);
  *out_job_id = 0;
  return array != NULL ? lk_engine_task_standing (self->engine, array, task, out_job_id)
                       : LK_TASK_UNKNOWN;
}

static guint32
job_of (const LkFixture *self, guint32 array_job_id, guint32 task)
{
  guint32 id;
  LkTaskStanding found = standing (self, array_job_id, task, &id);
  return found == LK_TASK_JOB ? id : 0;
}

static void
init (LkFixture *self, guint32 units)
{
  fixture_init (self, units, "fifo", "slurm:bf_interval=1,sched_interval=2,batch_sched_delay=1");
  self->reloads = TRUE;
}

static void
end (LkFixture *self, gint64 time_s, guint32 id, guint8 exit_code)
{
  LkEvent event = { .kind = LK_EVENT_JOB_ENDED };
  event.job_ended.job_id = id;
  event.job_ended.exit_code = exit_code;
  g_assert_cmpint (fixture_apply (self, time_s, &event), ==, LK_STATUS_OK);
}

/* What is submitted before the next look has the next number; then ten tasks are split off, and no
 * more while these wait. */
static void
test_ten (void)
{
  LkFixture self;
  init (&self, 10);
  submit (&self, 0, 1, "0-9", "", FALSE);
  slurm_run (&self, 2);
  g_assert_cmpuint (id_last (&self), ==, 10);
  submit (&self, 2, 11, "0-39", "aftercorr:1", FALSE);
  g_assert_cmpuint (id_last (&self), ==, 11);
  submit (&self, 2, 12, "", "", TRUE);
  slurm_run (&self, 4);
  g_assert_cmpuint (id_last (&self), ==, 22);
  for (guint32 task = 0; task < 10; task++)
    g_assert_cmpuint (job_of (&self, 11, task), ==, 13 + task);
  g_assert_cmpuint (job_of (&self, 11, 10), ==, 0);
  slurm_assert_waits (&self, 11, "Dependency");
  slurm_assert_waits (&self, 13, "Dependency");
  slurm_run (&self, 20);
  g_assert_cmpuint (id_last (&self), ==, 22);
  /* A task that starts makes room for the next one, one that cannot start makes none. */
  guint32 first = job_of (&self, 1, 0);
  guint32 second = job_of (&self, 1, 1);
  end (&self, 21, first, 0);
  slurm_run (&self, 24);
  slurm_assert_runs (&self, 13);
  g_assert_cmpuint (job_of (&self, 11, 10), ==, 23);
  end (&self, 25, second, 1);
  slurm_run (&self, 28);
  slurm_assert_waits (&self, 14, "DependencyNeverSatisfied");
  g_assert_cmpuint (id_last (&self), ==, 23);
  fixture_clear (&self);
}

/* Ten tasks are nine jobs more, and the array itself; whether they are held or not. */
static void
test_few (void)
{
  for (guint held = 0; held < 2; held++) {
    LkFixture self;
    guint32 id;
    init (&self, 10);
    submit (&self, 0, 1, "", "", FALSE);
    slurm_run (&self, 2);
    submit (&self, 2, 2, "0-9", "aftercorr:1", held != 0);
    slurm_run (&self, 4);
    g_assert_cmpuint (id_last (&self), ==, 11);
    g_assert_cmpint (standing (&self, 2, 9, &id), ==, LK_TASK_WAITING);
    slurm_assert_waits (&self, 3, held != 0 ? "JobHeldUser" : "Dependency");
    fixture_clear (&self);
  }
}

/* When the other array has ended well as a whole, it does not matter which task waits for which. */
static void
test_whole (void)
{
  LkFixture self;
  init (&self, 30);
  submit (&self, 0, 1, "0-1", "", FALSE);
  slurm_run (&self, 2);
  submit (&self, 2, 3, "0-29", "aftercorr:1", FALSE);
  slurm_run (&self, 4);
  g_assert_cmpuint (id_last (&self), ==, 13);
  end (&self, 5, 1, 0);
  end (&self, 5, 2, 0);
  slurm_run (&self, 9);
  for (guint32 task = 0; task < 30; task++)
    slurm_assert_runs (&self, job_of (&self, 3, task));
  fixture_clear (&self);
}

/* A task that is changed by itself before the look waits for its own task at once. */
static void
test_split_before (void)
{
  LkFixture self;
  init (&self, 10);
  submit (&self, 0, 1, "0-9", "", FALSE);
  slurm_run (&self, 2);
  submit (&self, 2, 11, "0-39", "aftercorr:1", FALSE);
  array_event (&self, 2, LK_EVENT_HOLD, 11, "5");
  array_event (&self, 2, LK_EVENT_RELEASE, 11, "5");
  g_assert_cmpuint (job_of (&self, 11, 5), ==, 12);
  end (&self, 3, job_of (&self, 1, 5), 0);
  slurm_run (&self, 6);
  slurm_assert_runs (&self, 12);
  g_assert_cmpuint (id_last (&self), ==, 22);
  fixture_clear (&self);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/aftercorr/ten tasks are split off with the next look", test_ten);
  g_test_add_func ("/aftercorr/few tasks are split off", test_few);
  g_test_add_func ("/aftercorr/the whole array has ended well", test_whole);
  g_test_add_func ("/aftercorr/a task is split off before", test_split_before);
  return g_test_run ();
}
