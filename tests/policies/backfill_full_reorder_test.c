/* tests/policies/backfill_full_reorder_test.c — when `full` makes its plan anew, as the order of
 * the queue has changed by itself.
 *
 * Ten processors are taken until 1000 s.  Job 2 of an hour comes at 0 s, job 3 of a minute at 10 s,
 * both of all processors.  By xfactor, (wait + estimate) / estimate, the first goes before the
 * second at first, and soon behind it: (60 + 60) / 60 = 2 at 70 s, where the other has
 * (70 + 3600) / 3600 = 1.02. */
#include "tests/engine/engine_fixture.h"

static gint64
planned_s (const LkFixture *self, guint32 job_id)
{
  LkJobInfo info;
  g_assert_true (lk_engine_job (self->engine, job_id, &info));
  return info.start_us == LK_TIME_NEVER ? -1 : info.start_us / G_USEC_PER_SEC;
}

static void
pass (LkFixture *self, gint64 time_s)
{
  fixture_event (self, time_s, LK_EVENT_PASS, 0);
}

static void
begin (LkFixture *self, const char *order, const char *backfill)
{
  fixture_init (self, 10, order, backfill);
  fixture_submit (self, 0, 1, 10, 1000);
  fixture_submit (self, 0, 2, 10, 3600);
  pass (self, 0);
  fixture_submit (self, 10, 3, 10, 60);
  pass (self, 10);
  g_assert_cmpint (planned_s (self, 2), ==, 1000);
  g_assert_cmpint (planned_s (self, 3), ==, 4600);
}

static void
test_rows (void)
{
  static const struct {
    const char *order;
    const char *backfill;
    gint64 looked_s;
    gint64 start_2_s;
    gint64 start_3_s;
  } rows[] = {
    { "xfactor", "full:reorder=1", 59, 1000, 4600 },  /* the plan is not that old yet */
    { "xfactor", "full:reorder=1", 60, 1060, 1000 },  /* it is made anew */
    { "xfactor", "full:reorder=0", 900, 1000, 4600 }, /* never */
    { "xfactor", "full", 900, 1000, 4600 },           /* an hour, if nothing else is said */
    { "fifo", "full:reorder=1", 900, 1000, 4600 },    /* the order has not changed */
  };
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    LkFixture self;
    begin (&self, rows[i].order, rows[i].backfill);
    fixture_reload (&self);
    pass (&self, rows[i].looked_s);
    g_test_message ("row %u", i);
    g_assert_cmpint (planned_s (&self, 2), ==, rows[i].start_2_s);
    g_assert_cmpint (planned_s (&self, 3), ==, rows[i].start_3_s);
    fixture_clear (&self);
  }
}

/* The age is that of the plan: a change is acted on when the plan is old enough, and what was made
 * anew is young again. */
static void
test_age (void)
{
  LkFixture self;
  begin (&self, "xfactor", "full:reorder=1");
  pass (&self, 60);
  g_assert_cmpint (planned_s (&self, 3), ==, 1000);
  /* Of half a minute: it has passed job 2 by 100 s, and has no place before it until 120 s. */
  fixture_submit (&self, 70, 4, 10, 30);
  pass (&self, 70);
  gint64 first_s = planned_s (&self, 4);
  pass (&self, 119);
  g_assert_cmpint (planned_s (&self, 4), ==, first_s);
  pass (&self, 120);
  fixture_reload (&self);
  g_assert_cmpint (planned_s (&self, 4), ==, 1060);
  g_assert_cmpint (planned_s (&self, 2), ==, 1090);
  fixture_clear (&self);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/backfill-full/a plan is made anew once the order has changed", test_rows);
  g_test_add_func ("/backfill-full/and not before it is old enough", test_age);
  return g_test_run ();
}
