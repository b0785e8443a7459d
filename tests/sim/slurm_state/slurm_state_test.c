/* tests/sim/slurm_state/slurm_state_test.c — records of scontrol, and whether a state that was
 * imported goes on as Slurm has said that it would. */
#include <string.h>

#include <glib.h>
#include <glib/gstdio.h>

#include "policies/registry.h"
#include "sim/journal_file.h"
#include "sim/slurm_state/play.h"

#define FIXTURES LK_SOURCE_DIR "/tests/fixtures/slurm-state/"
#define PASSES_MAX 100000

/* ---------------------------------------------------------------- records */

static GPtrArray *
read_jobs (const char *text, GError **error)
{
  g_autoptr (GBytes) bytes = g_bytes_new (text, strlen (text));
  return lk_state_records_read (&lk_state_job_kind, "jobs.txt", bytes, error);
}

static void
test_lines (void)
{
  g_autoptr (GPtrArray) jobs =
      read_jobs ("JobId=1 JobName=a b UserId=ann(1)\n   Nodes=n1 CPU_IDs=0 Mem=5 GRES=\n"
                 "   Nodes=n2 CPU_IDs=1 Mem=6 GRES=\n\nJobId=2 JobName=c Reason=None\n",
                 NULL);
  g_assert_cmpuint (jobs->len, ==, 2);
  const LkStateRecord *one = g_ptr_array_index (jobs, 0);
  const LkStateRecord *two = g_ptr_array_index (jobs, 1);
  g_assert_cmpstr (lk_state_record_text (one, "JobName"), ==, "a b");
  g_assert_cmpstr (lk_state_record_text (one, "UserId"), ==, "ann(1)");
  g_assert_cmpuint (two->place.line_number, ==, 5);
  g_assert_cmpstr (lk_state_record_text (two, "Reason"), ==, "None");
  g_assert_null (lk_state_record_value (two, "Reason"));
}

static void
test_free_text (void)
{
  g_autoptr (GPtrArray) jobs = read_jobs (
      "JobId=1 JobState=RUNNING Command=/a b JobState=PENDING WorkDir=/x Comment=JobId=9\n", NULL);
  const LkStateRecord *one = g_ptr_array_index (jobs, 0);
  g_assert_cmpstr (lk_state_record_text (one, "JobState"), ==, "RUNNING");
  g_assert_cmpstr (lk_state_record_text (one, "Comment"), ==, "JobId=9");
}

static void
expect_error (const char *text, const char *message)
{
  g_autoptr (GError) error = NULL;
  g_assert_null (read_jobs (text, &error));
  g_assert_nonnull (error);
  g_assert_nonnull (strstr (error->message, message));
}

static void
test_wrong_lines (void)
{
  expect_error ("JobId=1 JobName=x JobState=RUNNING JobState=PENDING\n",
                "jobs.txt:1: JobId=1: JobState stands there twice");
  expect_error ("\nslurm_load_jobs error: refused\n",
                "jobs.txt:2: found 'slurm_load_jobs error: refused'; expected a line that begins "
                "with JobId=");
  expect_error ("  UserId=ann(1)\n", "jobs.txt:1: expected a line that begins with JobId=");
  expect_error ("JobId=1 JobName=\xff\n", "jobs.txt:1: expected text in UTF-8");
}

/* ---------------------------------------------------------------- what comes after */

/* An engine that stands at the end of a journal, and goes on as time goes by. */
typedef struct {
  LkRegistry *registry;
  LkSetup *setup;
  LkEngine *engine;
  guint64 seq;
  gint64 now_us;
  GArray *over; /* of guint32: jobs that are to end now */
} Future;

static void
decide (void *user, const LkEvent *cause, const LkDecision *decision)
{
  Future *self = user;
  (void)cause;
  if (decision->kind == LK_DECISION_KILL)
    g_array_append_val (self->over, decision->kill.job_id);
}

static void
apply (Future *self, LkEvent *event)
{
  LkSink sink = { decide, self };
  event->seq = ++self->seq;
  event->time_us = self->now_us;
  g_assert_cmpint (lk_engine_apply (self->engine, event, &sink), ==, LK_STATUS_OK);
}

static void
future_open (Future *self, const char *path)
{
  LkEvent event;
  LkJournalInput input;
  LkPolicyError policy_error;
  g_autoptr (GError) error = NULL;
  g_assert_true (lk_journal_input_open (&input, path, &error));
  self->over = g_array_new (FALSE, FALSE, sizeof (guint32));
  self->registry = lk_registry_new ();
  self->setup = lk_setup_new_from_header (self->registry, &input.header, &error);
  g_assert_no_error (error);
  self->engine = lk_engine_new (lk_setup_config (self->setup), &policy_error);
  g_assert_nonnull (self->engine);
  while (lk_journal_reader_next (input.reader, &event) == LK_JOURNAL_EVENT) {
    self->now_us = event.time_us;
    apply (self, &event);
    lk_engine_check (self->engine);
  }
  lk_journal_input_close (&input);
}

static void
future_close (Future *self)
{
  lk_engine_free (self->engine);
  lk_setup_free (self->setup);
  lk_registry_free (self->registry);
  g_array_unref (self->over);
}

/* Jobs run to their limits. Until the job has started, and when. */
static gint64
start_of (Future *self, guint32 job_id)
{
  LkJobInfo info;
  for (guint i = 0; i < PASSES_MAX; i++) {
    LkEvent pass = { .kind = LK_EVENT_PASS };
    LkEvent timer = { .kind = LK_EVENT_TIMER };
    for (guint at = 0; at < self->over->len; at++) {
      LkEvent end = { .kind = LK_EVENT_JOB_ENDED };
      end.job_ended.job_id = g_array_index (self->over, guint32, at);
      apply (self, &end);
    }
    g_array_set_size (self->over, 0);
    if (lk_engine_pass_wanted (self->engine))
      apply (self, &pass);
    g_assert_true (lk_engine_job (self->engine, job_id, &info));
    if (info.state == LK_JOB_RUNNING)
      return info.start_us;
    gint64 next_us = lk_engine_wake_us (self->engine);
    g_assert_cmpint (next_us, !=, LK_TIME_NEVER);
    self->now_us = MAX (self->now_us, next_us);
    apply (self, &timer);
  }
  g_assert_not_reached ();
}

/* A fixture as a journal. Returns: (transfer full) its path. */
static char *
import (const char *name, LkStatePlayed *out_played)
{
  LkStateCollected collected;
  g_autoptr (GError) error = NULL;
  g_autofree char *from = g_strconcat (FIXTURES, name, NULL);
  g_autofree char *folder = g_dir_make_tmp ("lockstep-state-test-XXXXXX", NULL);
  char *path = g_build_filename (folder, "state.journal", NULL);
  g_assert_true (lk_state_collected_open (&collected, from, NULL, &error));
  g_assert_no_error (error);
  g_assert_true (lk_state_play (&collected, path, out_played, &error));
  g_assert_no_error (error);
  lk_state_collected_close (&collected);
  return path;
}

static void
remove_journal (char *path)
{
  g_autofree char *folder = g_path_get_dirname (path);
  g_assert_cmpint (g_unlink (path), ==, 0);
  g_assert_cmpint (g_rmdir (folder), ==, 0);
  g_free (path);
}

static gint64
moment (const char *text)
{
  gint64 us = 0;
  g_autoptr (GTimeZone) zone = g_time_zone_new_utc ();
  g_assert_true (lk_state_moment_parse (text, zone, &us));
  return us;
}

/* `squeue --start` of the recorded cluster said so of the jobs that it had planned. */
static void
test_starts_as_recorded (void)
{
  LkStatePlayed played;
  Future future = { 0 };
  char *path = import ("text-26.05", &played);
  g_assert_cmpuint (played.running_count, ==, 6);
  g_assert_cmpuint (played.left_count, ==, 0);
  future_open (&future, path);
  gint64 later_us = start_of (&future, 13);
  gint64 wide_us = start_of (&future, 10);
  g_assert_cmpint (ABS (later_us - moment ("2026-11-21T03:36:37")), <=, 60 * G_USEC_PER_SEC);
  g_assert_cmpint (ABS (wide_us - moment ("2026-11-21T04:06:32")), <=, 60 * G_USEC_PER_SEC);
  future_close (&future);
  remove_journal (path);
}

/* In a reservation, and kept away by one: job 45 wants nodes that are free at 18:00, when their
 * maintenance begins, which ends at 20:00. */
static void
test_reservations_are_heeded (void)
{
  LkStatePlayed played;
  Future future = { 0 };
  char *path = import ("site-22.05", &played);
  g_assert_cmpuint (played.reservation_count, ==, 2);
  g_assert_cmpuint (played.left_count, ==, 0);
  future_open (&future, path);
  g_assert_cmpint (start_of (&future, 42), <, moment ("2026-11-20T14:00:00"));
  gint64 whole_us = start_of (&future, 45);
  g_assert_cmpint (ABS (whole_us - moment ("2026-11-20T20:00:00")), <=, 60 * G_USEC_PER_SEC);
  future_close (&future);
  remove_journal (path);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/slurm-state/a record is a line and what is indented below it", test_lines);
  g_test_add_func ("/slurm-state/what looks like a key in free text is none", test_free_text);
  g_test_add_func ("/slurm-state/lines that cannot be read are told", test_wrong_lines);
  g_test_add_func ("/slurm-state/jobs start when Slurm said they would", test_starts_as_recorded);
  g_test_add_func ("/slurm-state/reservations let in and keep away", test_reservations_are_heeded);
  return g_test_run ();
}
