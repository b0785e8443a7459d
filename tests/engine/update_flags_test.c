/* tests/engine/update_flags_test.c — single bits of a job's flags change, and the end of a job that
 * runs. */
#include "tests/engine/life_fixture.h"

static void
update (LkFixture *self, gint64 time_s, LkEvent_update update)
{
  fixture_update (self, time_s, &update);
}

static void
stop_and_go (LkFixture *self, gint64 time_s, LkEventKind kind)
{
  LkEvent event = { .kind = kind };
  event.suspend.job_id = 1; /* of a resume, too */
  g_assert_cmpint (fixture_apply (self, time_s, &event), ==, LK_STATUS_OK);
}

static void
test_end (void)
{
  LkFixture self;
  LkEvent_update end = { .job_id = 1, .changes = CHANGES (estimate_us), .end_us = S (50) };
  life_init (&self, "easy");
  life_submit (&self, 0, 1, 10, 100, NULL);
  node_fixture_skip (&self);
  update (&self, 1, end);
  fixture_assert_log (&self, "reject 1 8");
  life_pass (&self, 10);
  node_fixture_skip (&self);
  end.end_us = S (10) - 1;
  update (&self, 10, end);
  end.end_us = S (111);
  update (&self, 10, end);
  fixture_assert_log (&self, "reject 1 39; reject 1 37");
  end.end_us = S (50);
  update (&self, 11, end);
  g_assert_cmpint (life_info (&self, 1).expected_end_us, ==, S (50));
  g_assert_cmpint (life_info (&self, 1).estimate_us, ==, S (40));
  end.by_admin = 1;
  end.end_us = S (200);
  update (&self, 12, end);
  g_assert_cmpint (life_info (&self, 1).expected_end_us, ==, S (200));
  node_fixture_skip (&self);
  /* One that is suspended goes on as long behind its resumption. */
  stop_and_go (&self, 20, LK_EVENT_SUSPEND);
  stop_and_go (&self, 50, LK_EVENT_RESUME);
  g_assert_cmpint (life_info (&self, 1).expected_end_us, ==, S (230));
  end.end_us = S (60);
  update (&self, 51, end);
  g_assert_cmpint (life_info (&self, 1).expected_end_us, ==, S (60));
  g_assert_cmpint (life_info (&self, 1).estimate_us, ==, S (20));
  node_fixture_skip (&self);
  life_timer (&self, 60);
  fixture_assert_log (&self, "kill 1 1");
  fixture_clear (&self);
}

static void
test_form (void)
{
  LkFixture self;
  life_init (&self, "easy");
  life_submit (&self, 0, 1, 10, 100, NULL);
  life_pass (&self, 0);
  node_fixture_skip (&self);
  update (&self, 1, (LkEvent_update){ .job_id = 1, .changes = CHANGES (name), .end_us = S (20) });
  update (&self, 1, (LkEvent_update){ .job_id = 1, .changes = CHANGES (name), .flags_mask = 1 });
  update (&self, 1,
          (LkEvent_update){ .job_id = 1, .changes = CHANGES (name), .term_flags_mask = 1 });
  fixture_assert_log (&self, "reject 1 11; reject 1 11; reject 1 11");
  fixture_clear (&self);
}

/* The request as it is kept. */
static guint32
flags_of (const LkFixture *self, guint32 id)
{
  LkJobRequest asked;
  guint32 procs;
  lk_request_asked (lk_engine_job_request (self->engine, id), &asked, &procs);
  return asked.flags;
}

static const struct {
  guint32 mask;
  guint32 flags;
  guint8 by_admin;
  guint reject;
  guint32 after;
} masks[] = {
  { LK_REQUEST_NO_REQUEUE, LK_REQUEST_NO_REQUEUE, 0, 0,
    LK_REQUEST_CONTIGUOUS | LK_REQUEST_EXCLUSIVE | LK_REQUEST_NO_REQUEUE },
  { LK_REQUEST_CONTIGUOUS, 0, 0, 0, LK_REQUEST_EXCLUSIVE },
  { LK_REQUEST_OVERSUBSCRIBE | LK_REQUEST_EXCLUSIVE, LK_REQUEST_OVERSUBSCRIBE, 0,
    LK_REJECT_PERMISSION, LK_REQUEST_CONTIGUOUS | LK_REQUEST_EXCLUSIVE },
  { LK_REQUEST_OVERSUBSCRIBE | LK_REQUEST_EXCLUSIVE, LK_REQUEST_OVERSUBSCRIBE, 1, 0,
    LK_REQUEST_CONTIGUOUS | LK_REQUEST_OVERSUBSCRIBE },
  /* Bits outside of the mask say nothing. */
  { LK_REQUEST_NO_KILL, LK_REQUEST_NO_KILL | LK_REQUEST_OVERSUBSCRIBE, 0, 0,
    LK_REQUEST_CONTIGUOUS | LK_REQUEST_EXCLUSIVE | LK_REQUEST_NO_KILL },
};

static void
test_masks (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (masks); i++) {
    LkFixture self;
    g_autoptr (LkCluster) cluster = lk_cluster_new ("two");
    node_fixture_add (cluster, "n[1-2]", 4, 8000);
    lk_cluster_add_partition (cluster, "all");
    node_fixture_init (&self, cluster, "easy", "cons_tres");
    self.reloads = TRUE;
    node_fixture_submit (&self, 1, 1, 100, "-N2 --contiguous --exclusive");
    node_fixture_skip (&self);
    update (&self, 2,
            (LkEvent_update){ .job_id = 1,
                              .changes = CHANGES (flags),
                              .flags = masks[i].flags,
                              .flags_mask = masks[i].mask,
                              .by_admin = masks[i].by_admin });
    g_autofree char *wanted = masks[i].reject == 0
                                  ? g_strdup ("accept 1")
                                  : g_strdup_printf ("reject 1 %u", masks[i].reject);
    fixture_assert_log (&self, wanted);
    g_assert_cmpuint (flags_of (&self, 1), ==, masks[i].after);
    fixture_clear (&self);
  }
}

/* Nor may a user have neighbours. */
static void
test_contiguous (void)
{
  LkFixture self;
  g_autoptr (LkCluster) cluster = lk_cluster_new ("two");
  node_fixture_add (cluster, "n[1-2]", 4, 8000);
  lk_cluster_add_partition (cluster, "all");
  node_fixture_init (&self, cluster, "easy", "cons_tres");
  node_fixture_submit (&self, 1, 1, 100, "-N2");
  node_fixture_skip (&self);
  LkEvent_update change = { .job_id = 1,
                            .changes = CHANGES (flags),
                            .flags = LK_REQUEST_CONTIGUOUS,
                            .flags_mask = LK_REQUEST_CONTIGUOUS };
  update (&self, 2, change);
  change.by_admin = 1;
  update (&self, 2, change);
  fixture_assert_log (&self, "reject 1 37; accept 1");
  fixture_clear (&self);
}

/* A signal for the script becomes one for all processes. */
static void
test_signal (void)
{
  LkFixture self;
  LkJobTerms terms = { .term_flags = LK_TERM_WARN_BATCH,
                       .warn_signal = 10,
                       .warn_before_us = S (30) };
  life_init (&self, "easy");
  life_submit (&self, 0, 1, 10, 100, &terms);
  life_pass (&self, 0);
  node_fixture_skip (&self);
  update (&self, 1,
          (LkEvent_update){ .job_id = 1,
                            .changes = CHANGES (term_flags) | CHANGES (warn_signal)
                                       | CHANGES (warn_before_us),
                            .term_flags_mask = LK_TERM_WARN_BATCH,
                            .warn_signal = 12,
                            .warn_before_us = S (60) });
  node_fixture_skip (&self);
  life_timer (&self, 40);
  fixture_assert_log (&self, "signal 1 12; wake 100");
  fixture_clear (&self);
}

/* Whoever waits for what cannot come any more goes as soon as that is wanted. */
static void
test_invalid_dependency (void)
{
  LkFixture self;
  LkJobTerms terms = { .dependency = lk_text ("afternotok:1") };
  LkEvent_update update_event = { .job_id = 2,
                                  .changes = CHANGES (term_flags),
                                  .term_flags_mask = LK_TERM_KILL_INVALID_DEP,
                                  .term_flags = LK_TERM_KILL_INVALID_DEP };
  life_init (&self, "easy");
  life_submit (&self, 0, 1, 10, 100, NULL);
  life_submit (&self, 0, 2, 10, 100, &terms);
  terms.dependency = lk_text ("afterany:2");
  life_submit (&self, 0, 3, 10, 100, &terms);
  life_pass (&self, 0);
  life_ended (&self, 10, 1, (LkEvent_job_ended){ 0 });
  node_fixture_skip (&self);
  update (&self, 20, update_event);
  fixture_assert_log (&self, "accept 2; CANCELLED 2 DependencyNeverSatisfied; "
                             "PENDING 3 Priority");
  fixture_clear (&self);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/update/the end of a job that runs", test_end);
  g_test_add_func ("/update/a mask of what does not change is refused", test_form);
  g_test_add_func ("/update/bits of flags", test_masks);
  g_test_add_func ("/update/neighbours are for administrators", test_contiguous);
  g_test_add_func ("/update/the signal before the limit", test_signal);
  g_test_add_func ("/update/what cannot come any more", test_invalid_dependency);
  return g_test_run ();
}
