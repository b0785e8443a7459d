/* tests/engine/dependency_test.c — jobs that wait for others, one rule after another.
 *
 * The rules are those of Slurm's job_scheduler.c; that afterok of a job that nobody knows is
 * refused and afterany of one is not, and that a singleton is one of its user and name, were
 * observed on 26.05. */
#include <string.h>

#include "engine/dependency.h"
#include "engine/ended.h"
#include "engine/engine_dependency.h"
#include "engine/singleton.h"
#include "tests/engine/engine_fixture.h"

#define PASS(self, time_s) fixture_event (self, time_s, LK_EVENT_PASS, 0)
#define CANCEL(self, time_s, id) fixture_event (self, time_s, LK_EVENT_CANCEL, id)
#define TIMER(self, time_s) fixture_event (self, time_s, LK_EVENT_TIMER, 0)

/* ---------------------------------------------------------------- the text */

static char *
read_back (const char *text)
{
  LkDependency *dependency = NULL;
  GString *out = g_string_new (NULL);
  if (!lk_dependency_parse (lk_text (text), &dependency))
    g_string_append (out, "wrong");
  else if (dependency == NULL)
    g_string_append (out, "none");
  else
    lk_dependency_text (dependency, out);
  lk_dependency_free (dependency);
  return g_string_free (out, FALSE);
}

static void
test_text (void)
{
  static const char *const cases[][2] = {
    { "", "none" },
    { "0", "none" },
    { "7", "afterany:7(unfulfilled)" },
    { "7:8", "afterany:7(unfulfilled),afterany:8(unfulfilled)" },
    { "afterok:7", "afterok:7(unfulfilled)" },
    { "AfterOK:7,afternotok:8:9",
      "afterok:7(unfulfilled),afternotok:8(unfulfilled),afternotok:9(unfulfilled)" },
    { "afterok:7?afterany:8", "afterok:7(unfulfilled)?afterany:8(unfulfilled)" },
    { "after:7+5:8", "after:7+5(unfulfilled),after:8(unfulfilled)" },
    { "aftercorr:7_3", "aftercorr:7_3(unfulfilled)" },
    { "afterok:7_*", "afterok:7(unfulfilled)" },
    { "singleton", "singleton(unfulfilled)" },
    { "afterany:4294967294,singleton", "afterany:4294967294(unfulfilled),singleton(unfulfilled)" },
    { "afterok:7,afterok:8?afterok:9", "wrong" },
    { "afterok", "wrong" },
    { "afterok:", "wrong" },
    { "afterok:0", "wrong" },
    { "afterok:7:", "wrong" },
    { "afterok:7,", "wrong" },
    { ",afterok:7", "wrong" },
    { "afterok:7 ", "wrong" },
    { "afterok:7+5", "wrong" },
    { "after:7+", "wrong" },
    { "after:7+-5", "wrong" },
    { "afterok:7_", "wrong" },
    { "afterok:x", "wrong" },
    { "afterok:4294967295", "wrong" },
    { "singleton:7", "wrong" },
    { "expand:7", "wrong" },
    { "afterburstbuffer:7", "wrong" },
    { "whenever:7", "wrong" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *text = read_back (cases[i][0]);
    g_assert_cmpstr (text, ==, cases[i][1]);
  }
}

static void
test_bytes (void)
{
  LkDependency *dependency = NULL;
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  g_assert_true (lk_dependency_parse (lk_text ("after:7+5?afterok:8_2?singleton"), &dependency));
  lk_dependency_fail (dependency, 1);
  lk_dependency_save (dependency, bytes);
  LkBytesReader reader = { bytes->data, bytes->len, FALSE };
  g_autoptr (LkDependency) again = lk_dependency_load (&reader);
  g_autoptr (GString) text = g_string_new (NULL);
  lk_dependency_text (again, text);
  g_assert_cmpstr (text->str, ==,
                   "after:7+5(unfulfilled)?afterok:8_2(failed)?singleton(unfulfilled)");
  g_assert_cmpuint (reader.left_bytes, ==, 0);
  for (guint length = 0; length < bytes->len; length++) {
    LkBytesReader cut = { bytes->data, length, FALSE };
    g_assert_null (lk_dependency_load (&cut));
  }
  lk_dependency_free (dependency);
}

/* ---------------------------------------------------------------- memory of those that ended */

static void
test_ended (void)
{
  LkEnded *ended = lk_ended_new (300);
  for (guint32 id = 1; id <= 5000; id++) {
    LkEndedJob job = { .id = id, .state = LK_JOB_COMPLETED, .start_us = id, .end_us = id };
    lk_ended_add (ended, &job);
    /* Asked for now and then, so that the map is behind, and made up for. */
    if (id % 7 != 0 || id <= 400)
      continue;
    g_assert_nonnull (lk_ended_find (ended, id, id));
    g_assert_nonnull (lk_ended_find (ended, id - 299, id));
    g_assert_null (lk_ended_find (ended, id - 300, id));
    g_assert_null (lk_ended_find (ended, id + 1, id));
    g_assert_cmpint (lk_ended_find (ended, id - 10, id)->end_us, ==, id - 10);
  }
  g_assert_null (lk_ended_find (ended, 5000, 5300));
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  g_autoptr (GByteArray) again = g_byte_array_new ();
  LkEnded *loaded = lk_ended_new (300);
  lk_ended_save (ended, bytes);
  g_assert_cmpuint (bytes->len, ==, 4 + 300 * 23);
  LkBytesReader reader = { bytes->data, bytes->len, FALSE };
  g_assert_true (lk_ended_load (loaded, &reader, 5000));
  lk_ended_save (loaded, again);
  g_assert_cmpuint (again->len, ==, bytes->len);
  g_assert_true (memcmp (again->data, bytes->data, bytes->len) == 0);
  lk_ended_free (loaded);
  lk_ended_free (ended);
}

static void
test_ended_for_ever (void)
{
  LkEnded *ended = lk_ended_new (0);
  LkEndedJob first = { .id = 1, .end_us = 1 };
  LkEndedJob second = { .id = 2, .end_us = G_MAXINT64 };
  lk_ended_add (ended, &first);
  lk_ended_add (ended, &second);
  g_assert_nonnull (lk_ended_find (ended, 1, G_MAXINT64));
  lk_ended_free (ended);
}

/* ---------------------------------------------------------------- groups of names */

static void
test_group (void)
{
  LkSingletons *all = lk_singletons_new ();
  LkSingletonKey a = { 1, lk_text ("a") };
  LkSingletonKey other_user = { 2, lk_text ("a") };
  lk_singletons_join (all, a, 5, FALSE);
  lk_singletons_join (all, a, 3, FALSE);
  lk_singletons_join (all, other_user, 1, FALSE);
  g_assert_cmpuint (lk_singletons_next (all, a), ==, 3);
  lk_singletons_join (all, a, 9, TRUE);
  g_assert_cmpuint (lk_singletons_next (all, a), ==, 0);
  lk_singletons_leave (all, a, 3);
  lk_singletons_leave (all, a, 9);
  g_assert_cmpuint (lk_singletons_next (all, a), ==, 5);
  g_assert_cmpuint (lk_singletons_next (all, (LkSingletonKey){ 1, lk_text ("") }), ==, 0);
  lk_singletons_leave (all, a, 5);
  g_assert_cmpuint (lk_singletons_count (all), ==, 1);
  lk_singletons_free (all);
}

/* ---------------------------------------------------------------- the engine */

typedef struct {
  const char *dependency;
  const char *array;
  const char *name;
  guint32 flags;
  guint32 user_id;
} Terms;

static void
submit_with (LkFixture *self, gint64 time_s, guint32 id, const Terms *terms)
{
  LkEvent event = { .kind = LK_EVENT_SUBMIT };
  event.submit.job_id = id;
  event.submit.user_id = terms->user_id;
  event.submit.procs = 1;
  event.submit.estimate_us = 1000 * G_USEC_PER_SEC;
  event.submit.dependency = lk_text (terms->dependency);
  event.submit.array = lk_text (terms->array);
  event.submit.name = lk_text (terms->name);
  event.submit.term_flags = terms->flags;
  g_assert_cmpint (fixture_apply (self, time_s, &event), ==, LK_STATUS_OK);
}

static void
submit (LkFixture *self, gint64 time_s, guint32 id, const char *dependency)
{
  submit_with (self, time_s, id, &(Terms){ .dependency = dependency });
}

static void
failed (LkFixture *self, gint64 time_s, guint32 id, guint8 exit_code)
{
  LkEvent event = { .kind = LK_EVENT_JOB_ENDED };
  event.job_ended.job_id = id;
  event.job_ended.exit_code = exit_code;
  g_assert_cmpint (fixture_apply (self, time_s, &event), ==, LK_STATUS_OK);
}

static void
scene (LkFixture *self)
{
  fixture_init (self, 10, "fifo", "easy");
  self->tells_places = TRUE;
}

/* A log that begins with what the test is not about. */
static void
forget (LkFixture *self)
{
  g_string_truncate (self->log, 0);
}

static void
assert_left (const LkFixture *self, guint32 job_id, const char *wanted)
{
  g_autoptr (GString) text = g_string_new (NULL);
  gboolean waits = lk_engine_dependency_text (self->engine, job_id, text);
  g_assert_cmpint (waits, ==, wanted != NULL);
  g_assert_cmpstr (text->str, ==, wanted != NULL ? wanted : "");
}

static void
test_after_any (void)
{
  LkFixture self;
  scene (&self);
  submit (&self, 0, 1, "");
  PASS (&self, 0);
  forget (&self);
  submit (&self, 1, 2, "afterany:1");
  fixture_assert_log (&self, "accept 2; PENDING 2 Dependency");
  g_assert_false (lk_engine_pass_wanted (self.engine));
  assert_left (&self, 2, "afterany:1(unfulfilled)");
  failed (&self, 10, 1, 3);
  fixture_assert_log (&self, "FAILED 1 NonZeroExitCode; PENDING 2 Priority");
  assert_left (&self, 2, NULL);
  PASS (&self, 10);
  fixture_assert_log (&self, "start 2");
  fixture_clear (&self);
}

static void
test_after_ok (void)
{
  LkFixture self;
  scene (&self);
  submit (&self, 0, 1, "");
  submit (&self, 0, 2, "");
  PASS (&self, 0);
  forget (&self);
  submit (&self, 1, 3, "afterok:1:2");
  fixture_ended (&self, 10, 1);
  assert_left (&self, 3, "afterok:2(unfulfilled)");
  fixture_assert_log (&self, "accept 3; PENDING 3 Dependency; COMPLETED 1");
  fixture_ended (&self, 11, 2);
  fixture_assert_log (&self, "COMPLETED 2; PENDING 3 Priority");
  fixture_clear (&self);
}

/* Semantics of jobs, section 12, test 4: afterok on a job that exits 3. */
static void
test_never_satisfied (void)
{
  LkFixture self;
  scene (&self);
  submit (&self, 0, 1, "");
  PASS (&self, 0);
  submit (&self, 1, 2, "afterok:1");
  submit (&self, 1, 3, "afternotok:1");
  forget (&self);
  failed (&self, 10, 1, 3);
  fixture_assert_log (&self, "FAILED 1 NonZeroExitCode; PENDING 2 DependencyNeverSatisfied; "
                             "PENDING 3 Priority");
  assert_left (&self, 2, "afterok:1(failed)");
  PASS (&self, 10);
  fixture_assert_log (&self, "start 3");
  /* It stays until somebody cancels it. */
  fixture_ended (&self, 20, 3);
  CANCEL (&self, 30, 2);
  fixture_assert_log (&self, "COMPLETED 3; accept 2; CANCELLED 2");
  fixture_clear (&self);
}

/* Cancelled jobs, and those that never ran, have not ended well. */
static void
test_cancelled_is_not_ok (void)
{
  LkFixture self;
  scene (&self);
  submit (&self, 0, 1, "");
  submit (&self, 0, 2, "afterok:1");
  submit (&self, 0, 3, "afternotok:1");
  submit (&self, 0, 4, "after:1");
  submit (&self, 0, 5, "afterany:1");
  forget (&self);
  CANCEL (&self, 5, 1);
  fixture_assert_log (&self, "accept 1; CANCELLED 1; PENDING 2 DependencyNeverSatisfied; "
                             "PENDING 3 Priority; PENDING 4 Priority; PENDING 5 Priority");
  fixture_clear (&self);
}

static void
test_kill_on_invalid (void)
{
  LkFixture self;
  scene (&self);
  submit (&self, 0, 1, "");
  PASS (&self, 0);
  submit_with (&self, 1, 2,
               &(Terms){ .dependency = "afterok:1", .flags = LK_TERM_KILL_INVALID_DEP });
  submit (&self, 1, 3, "afterok:2");
  submit (&self, 1, 4, "afternotok:3,afternotok:2");
  submit_with (&self, 1, 5,
               &(Terms){ .dependency = "afterok:2", .flags = LK_TERM_KILL_INVALID_DEP });
  forget (&self);
  /* What is cancelled for its dependency is waited for in turn. */
  failed (&self, 10, 1, 1);
  fixture_assert_log (&self, "FAILED 1 NonZeroExitCode; CANCELLED 2 DependencyNeverSatisfied; "
                             "PENDING 3 DependencyNeverSatisfied; "
                             "CANCELLED 5 DependencyNeverSatisfied");
  assert_left (&self, 4, "afternotok:3(unfulfilled)");
  /* One that can be told at once. */
  submit_with (&self, 11, 6,
               &(Terms){ .dependency = "afterok:1", .flags = LK_TERM_KILL_INVALID_DEP });
  fixture_assert_log (&self, "accept 6; PENDING 6 DependencyNeverSatisfied; "
                             "CANCELLED 6 DependencyNeverSatisfied");
  fixture_clear (&self);
}

static void
test_any_of (void)
{
  LkFixture self;
  scene (&self);
  for (guint32 id = 1; id <= 3; id++)
    submit (&self, 0, id, "");
  PASS (&self, 0);
  submit (&self, 1, 4, "afterok:1?afterok:2?afterok:3");
  submit (&self, 1, 5, "afterok:1?afterok:2");
  forget (&self);
  failed (&self, 10, 1, 1);
  fixture_assert_log (&self, "FAILED 1 NonZeroExitCode");
  assert_left (&self, 4, "afterok:1(failed)?afterok:2(unfulfilled)?afterok:3(unfulfilled)");
  failed (&self, 11, 2, 1);
  fixture_assert_log (&self, "FAILED 2 NonZeroExitCode; PENDING 5 DependencyNeverSatisfied");
  fixture_ended (&self, 12, 3);
  fixture_assert_log (&self, "COMPLETED 3; PENDING 4 Priority");
  fixture_clear (&self);
}

static void
test_after_start (void)
{
  LkFixture self;
  scene (&self);
  submit (&self, 0, 1, "");
  submit (&self, 0, 2, "after:1");
  submit (&self, 0, 3, "after:1+2");
  forget (&self);
  /* What waits for a start is let go by it, and may start at the same moment. */
  PASS (&self, 7);
  fixture_assert_log (&self, "start 1; wake 1007; PENDING 2 Priority; wake 7");
  TIMER (&self, 7);
  fixture_assert_log (&self, "wake 127");
  PASS (&self, 7);
  fixture_assert_log (&self, "start 2");
  fixture_ended (&self, 20, 1);
  TIMER (&self, 127);
  fixture_assert_log (&self, "COMPLETED 1; wake 1007; PENDING 3 Priority");
  fixture_clear (&self);
}

/* A job that went back to the queue has to start again. */
static void
test_after_requeue (void)
{
  LkFixture self;
  scene (&self);
  submit (&self, 0, 1, "");
  submit (&self, 0, 2, "after:1+2");
  PASS (&self, 0);
  forget (&self);
  fixture_event (&self, 60, LK_EVENT_REQUEUE, 1);
  fixture_event (&self, 60, LK_EVENT_HOLD, 1);
  forget (&self);
  TIMER (&self, 120);
  fixture_assert_log (&self, "");
  assert_left (&self, 2, "after:1+2(unfulfilled)");
  fixture_event (&self, 200, LK_EVENT_RELEASE, 1);
  PASS (&self, 200);
  fixture_assert_log (&self, "accept 1; PENDING 1 Priority; start 1; wake 1200; wake 320");
  TIMER (&self, 320);
  fixture_assert_log (&self, "wake 1200; PENDING 2 Priority");
  fixture_clear (&self);
}

/* Who comes later is judged by how others ended, as long as that is known. */
static void
test_remembered (void)
{
  LkFixture self;
  scene (&self);
  submit (&self, 0, 1, "");
  submit (&self, 0, 2, "");
  PASS (&self, 0);
  fixture_ended (&self, 10, 1);
  failed (&self, 20, 2, 1);
  forget (&self);
  submit (&self, 30, 3, "afterok:1,afternotok:2,after:1,afterany:2");
  fixture_assert_log (&self, "accept 3");
  submit (&self, 30, 4, "afterok:2");
  fixture_assert_log (&self, "accept 4; PENDING 4 DependencyNeverSatisfied");
  submit (&self, 30, 5, "after:2+1");
  fixture_assert_log (&self, "accept 5; PENDING 5 Dependency; wake 60");
  TIMER (&self, 60);
  fixture_assert_log (&self, "PENDING 5 Priority");
  /* MinJobAge is 300 s. */
  submit (&self, 309, 6, "afterok:1");
  fixture_assert_log (&self, "accept 6");
  submit (&self, 310, 7, "afterok:1");
  fixture_assert_log (&self, "reject 7 36");
  submit (&self, 310, 7, "afterany:1,after:1+60,aftercorr:1");
  fixture_assert_log (&self, "accept 7");
  submit (&self, 310, 8, "afternotok:1?afterany:2");
  fixture_assert_log (&self, "reject 8 36");
  fixture_clear (&self);
}

static void
test_refused (void)
{
  static const char *const texts[] = { "afterok:99",         "afternotok:99", "expand:1",
                                       "afterburstbuffer:1", "afterok:2",     "afterany:2",
                                       "afterok:1,x",        "1,1?1" };
  LkFixture self;
  scene (&self);
  submit (&self, 0, 1, "");
  forget (&self);
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++) {
    submit (&self, 1, 2, texts[i]);
    fixture_assert_log (&self, "reject 2 36");
  }
  submit (&self, 1, 2, "afterany:99");
  fixture_assert_log (&self, "accept 2");
  fixture_clear (&self);
}

static void
test_singleton (void)
{
  LkFixture self;
  Terms terms = { .name = "one", .dependency = "singleton", .user_id = 7 };
  Terms plain = { .name = "one", .user_id = 7 };
  Terms other = { .name = "one", .dependency = "singleton", .user_id = 8 };
  Terms unnamed = { .dependency = "singleton", .user_id = 7 };
  scene (&self);
  submit_with (&self, 0, 1, &plain);
  submit_with (&self, 0, 2, &terms);
  submit_with (&self, 0, 3, &terms);
  submit_with (&self, 0, 4, &other);
  submit_with (&self, 0, 5, &unnamed);
  fixture_assert_log (&self, "accept 1; accept 2; PENDING 2 Dependency; accept 3; "
                             "PENDING 3 Dependency; accept 4; accept 5");
  PASS (&self, 0);
  forget (&self);
  /* A later one that does not ask may go before; while it runs, no other begins. */
  submit_with (&self, 5, 6, &plain);
  PASS (&self, 5);
  fixture_ended (&self, 6, 1);
  fixture_assert_log (&self, "accept 6; start 6; COMPLETED 1");
  fixture_ended (&self, 7, 6);
  fixture_assert_log (&self, "COMPLETED 6; PENDING 2 Priority");
  CANCEL (&self, 8, 2);
  fixture_assert_log (&self, "accept 2; CANCELLED 2; PENDING 3 Priority");
  fixture_clear (&self);
}

/* A job that is put back into the queue stands before those of higher ids only. */
static void
test_singleton_requeue (void)
{
  LkFixture self;
  Terms terms = { .name = "one", .dependency = "singleton" };
  Terms plain = { .name = "one" };
  scene (&self);
  submit_with (&self, 0, 1, &plain);
  submit_with (&self, 0, 2, &terms);
  submit_with (&self, 0, 3, &plain);
  PASS (&self, 0);
  fixture_ended (&self, 1, 1);
  forget (&self);
  fixture_event (&self, 5, LK_EVENT_REQUEUE, 3);
  fixture_assert_log (&self, "requeue 3; REQUEUED 3; PENDING 3 BeginTime; PENDING 3 Priority; "
                             "PENDING 2 Priority");
  fixture_clear (&self);
}

/* What is held is the first to be said, and a dependency is satisfied while it is. */
static void
test_held (void)
{
  LkFixture self;
  scene (&self);
  submit (&self, 0, 1, "");
  submit (&self, 0, 2, "afterany:1");
  fixture_event (&self, 1, LK_EVENT_HOLD, 2);
  PASS (&self, 1);
  forget (&self);
  fixture_event (&self, 2, LK_EVENT_RELEASE, 2);
  fixture_assert_log (&self, "accept 2; PENDING 2 Dependency");
  fixture_event (&self, 3, LK_EVENT_HOLD, 2);
  forget (&self);
  fixture_ended (&self, 4, 1);
  fixture_assert_log (&self, "COMPLETED 1");
  fixture_event (&self, 5, LK_EVENT_RELEASE, 2);
  fixture_assert_log (&self, "accept 2; PENDING 2 Priority");
  fixture_clear (&self);
}

/* A long chain of jobs that cancel each other ends in one event. */
static void
test_chain (void)
{
  LkFixture self;
  Terms terms = { .flags = LK_TERM_KILL_INVALID_DEP };
  LkEngineCounts counts;
  scene (&self);
  submit (&self, 0, 1, "");
  for (guint32 id = 2; id <= 300; id++) {
    g_autofree char *dependency = g_strdup_printf ("afterok:%u", id - 1);
    terms.dependency = dependency;
    submit_with (&self, 0, id, &terms);
  }
  CANCEL (&self, 1, 1);
  lk_engine_counts (self.engine, &counts);
  g_assert_cmpuint (counts.pending_count, ==, 0);
  fixture_clear (&self);
}

/* Whoever would wait for himself by way of others is refused. */
static void
test_circles (void)
{
  static const char *const wrong[] = { "afterok:1", "afterany:4", "after:9,afterany:3?7",
                                       "afterok:2,afterany:3" };
  LkFixture self;
  scene (&self);
  submit (&self, 0, 1, "");
  fixture_event (&self, 0, LK_EVENT_HOLD, 1);
  submit (&self, 0, 2, "afterany:1");
  submit (&self, 0, 3, "afterok:2");
  submit (&self, 0, 4, "singleton,after:3+5,afternotok:3:3");
  LkJobIndex job = lk_engine_job_index (self.engine, 1);
  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++)
    g_assert_cmpint (lk_engine_set_dependency (self.engine, job, lk_text (wrong[i])), ==,
                     LK_REJECT_DEPENDENCY_INVALID);
  assert_left (&self, 1, NULL);
  job = lk_engine_job_index (self.engine, 4);
  g_assert_cmpint (lk_engine_set_dependency (self.engine, job, lk_text ("afterany:1?after:2")), ==,
                   0);
  assert_left (&self, 4, "afterany:1(unfulfilled)?after:2(unfulfilled)");
  fixture_clear (&self);
}

static void
test_cluster_says (void)
{
  static const guint32 flags[] = { 0, LK_TERM_KEEP_INVALID_DEP };
  g_autoptr (LkCluster) cluster = lk_cluster_new ("c");
  LkClusterError error;
  LkFixture self;
  lk_cluster_add_nodes (cluster, "n[1-4]");
  cluster->kill_invalid_depend = TRUE;
  cluster->job_age_min_us = 10 * G_USEC_PER_SEC;
  g_assert_true (lk_cluster_check (cluster, &error));
  LkSetupOptions options = { .cluster = cluster,
                             .units_total = 4,
                             .origin_us = LK_TIME_NEVER,
                             .order = "fifo",
                             .backfill = "easy",
                             .select = "linear" };
  fixture_init_with (&self, &options);
  submit (&self, 0, 1, "");
  for (guint32 i = 0; i < G_N_ELEMENTS (flags); i++)
    submit_with (&self, 0, 2 + i, &(Terms){ .dependency = "afterok:1", .flags = flags[i] });
  self.tells_places = TRUE;
  forget (&self);
  CANCEL (&self, 1, 1);
  fixture_assert_log (&self, "accept 1; CANCELLED 1; CANCELLED 2 DependencyNeverSatisfied; "
                             "PENDING 3 DependencyNeverSatisfied");
  submit (&self, 10, 4, "afternotok:1");
  submit (&self, 11, 5, "afternotok:1");
  fixture_assert_log (&self, "accept 4; reject 5 36");
  fixture_clear (&self);
}

/* ---------------------------------------------------------------- arrays */

static void
cancel_tasks (LkFixture *self, gint64 time_s, guint32 id, const char *tasks)
{
  LkEvent event = { .kind = LK_EVENT_CANCEL };
  event.cancel.job_id = id;
  event.cancel.task_list = lk_text (tasks);
  g_assert_cmpint (fixture_apply (self, time_s, &event), ==, LK_STATUS_OK);
}

/* As recorded on 26.05: an array of which one task fails, another array that corresponds to it. */
static void
test_after_corr (void)
{
  LkFixture self;
  scene (&self);
  submit_with (&self, 0, 1, &(Terms){ .array = "1-7:2" });
  PASS (&self, 0);
  fixture_assert_log (&self, "accept 1; task 2 1_1; start 2; task 3 1_3; start 3; task 4 1_5; "
                             "start 4; task 1 1_7; start 1; wake 1000");
  submit (&self, 1, 14, "afterok:1");
  fixture_assert_log (&self, "accept 14; PENDING 14 Dependency");
  submit_with (&self, 1, 15, &(Terms){ .array = "1-7:2", .dependency = "aftercorr:1" });
  fixture_assert_log (&self, "accept 15; PENDING 15 Dependency; task 16 15_1; task 17 15_3; "
                             "task 18 15_5");
  assert_left (&self, 15, "aftercorr:1_7(unfulfilled)");
  assert_left (&self, 17, "aftercorr:1_3(unfulfilled)");
  fixture_ended (&self, 4, 1);
  fixture_assert_log (&self, "COMPLETED 1; PENDING 15 Priority");
  failed (&self, 4, 4, 1);
  fixture_assert_log (&self, "FAILED 4 NonZeroExitCode; PENDING 18 DependencyNeverSatisfied");
  fixture_ended (&self, 5, 2);
  fixture_assert_log (&self, "COMPLETED 2; PENDING 16 Priority");
  fixture_ended (&self, 6, 3);
  fixture_assert_log (&self, "COMPLETED 3; PENDING 14 DependencyNeverSatisfied; "
                             "PENDING 17 Priority");
  fixture_clear (&self);
}

/* An id that nobody has is settled before the array that names it is split, which may give it
 * out. */
static void
test_after_corr_of_nobody (void)
{
  LkFixture self;
  scene (&self);
  submit_with (&self, 0, 1, &(Terms){ .array = "0-1", .dependency = "aftercorr:2" });
  fixture_assert_log (&self, "accept 1");
  submit_with (&self, 0, 2, &(Terms){ .array = "0-3", .dependency = "aftercorr:1,aftercorr:3" });
  fixture_assert_log (&self, "accept 2; PENDING 2 Dependency; task 3 2_0; task 4 2_1; task 5 2_2");
  assert_left (&self, 3, "aftercorr:1_0(unfulfilled)");
  assert_left (&self, 2, "afterok:1(unfulfilled)");
  submit_with (&self, 0, 9,
               &(Terms){ .array = "0-2", .name = "one", .dependency = "aftercorr:10,singleton" });
  submit_with (&self, 0, 10, &(Terms){ .array = "0-2", .dependency = "afterany:2,aftercorr:11" });
  assert_left (&self, 10, "afterany:2(unfulfilled)");
  lk_engine_check (self.engine);
  PASS (&self, 0);
  lk_engine_check (self.engine);
  fixture_clear (&self);
}

/* A whole array has ended when all its tasks have, and well when all have ended well. */
static void
test_whole_array (void)
{
  LkFixture self;
  scene (&self);
  submit_with (&self, 0, 1, &(Terms){ .array = "0-3%2" });
  submit (&self, 0, 10, "after:1");
  submit (&self, 0, 11, "afterany:1");
  submit (&self, 0, 12, "afterok:1_1");
  submit (&self, 0, 13, "afternotok:1_*");
  submit (&self, 0, 14, "afternotok:1_3");
  PASS (&self, 0);
  forget (&self);
  fixture_ended (&self, 1, 16);
  PASS (&self, 1);
  fixture_assert_log (&self, "COMPLETED 16; PENDING 1 Priority; PENDING 12 Priority; "
                             "task 17 1_2; start 17; PENDING 1 JobArrayTaskLimit; start 12");
  cancel_tasks (&self, 2, 1, "3");
  fixture_assert_log (&self, "accept 1; CANCELLED 1; PENDING 14 Priority; PENDING 10 Priority");
  fixture_ended (&self, 3, 15);
  fixture_assert_log (&self, "COMPLETED 15");
  fixture_ended (&self, 4, 17);
  fixture_assert_log (&self, "COMPLETED 17; PENDING 11 Priority; PENDING 13 Priority");
  /* It is remembered, task by task. */
  submit (&self, 5, 20, "afterok:1_2,afternotok:1_3,afternotok:1,aftercorr:1_1");
  fixture_assert_log (&self, "accept 20");
  submit (&self, 5, 21, "afterok:1");
  fixture_assert_log (&self, "accept 21; PENDING 21 DependencyNeverSatisfied");
  submit (&self, 5, 22, "afterok:1_9");
  fixture_assert_log (&self, "reject 22 36");
  submit_with (&self, 5, 22, &(Terms){ .array = "2-3", .dependency = "aftercorr:1" });
  fixture_assert_log (&self, "accept 22; PENDING 22 Dependency; task 23 22_2; PENDING 22 "
                             "DependencyNeverSatisfied; PENDING 23 Priority");
  fixture_clear (&self);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/dependency/the text is read as sbatch does", test_text);
  g_test_add_func ("/dependency/what is left survives as bytes", test_bytes);
  g_test_add_func ("/dependency/jobs that ended are remembered for a while", test_ended);
  g_test_add_func ("/dependency/or for ever", test_ended_for_ever);
  g_test_add_func ("/dependency/the next of a name is the first when none runs", test_group);
  g_test_add_func ("/dependency/afterany waits for any end", test_after_any);
  g_test_add_func ("/dependency/afterok waits for all to end well", test_after_ok);
  g_test_add_func ("/dependency/what fails is never satisfied", test_never_satisfied);
  g_test_add_func ("/dependency/a cancelled job has not ended well", test_cancelled_is_not_ok);
  g_test_add_func ("/dependency/jobs may be cancelled for it", test_kill_on_invalid);
  g_test_add_func ("/dependency/one of several will do", test_any_of);
  g_test_add_func ("/dependency/after waits for a start and some time", test_after_start);
  g_test_add_func ("/dependency/a start that was taken back is none", test_after_requeue);
  g_test_add_func ("/dependency/ends are remembered for those who come later", test_remembered);
  g_test_add_func ("/dependency/what cannot be is refused", test_refused);
  g_test_add_func ("/dependency/a singleton runs alone under its name", test_singleton);
  g_test_add_func ("/dependency/a requeued job counts by its id again", test_singleton_requeue);
  g_test_add_func ("/dependency/a held job says that it is held", test_held);
  g_test_add_func ("/dependency/a chain of cancellations is one event", test_chain);
  g_test_add_func ("/dependency/nobody waits for himself", test_circles);
  g_test_add_func ("/dependency/the cluster says what becomes of the others", test_cluster_says);
  g_test_add_func ("/dependency/tasks wait for the tasks of their index", test_after_corr);
  g_test_add_func ("/dependency/tasks do not wait for an id that nobody has",
                   test_after_corr_of_nobody);
  g_test_add_func ("/dependency/an array is waited for whole or by task", test_whole_array);
  return g_test_run ();
}
