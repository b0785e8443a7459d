/* tests/live/mail_letter_test.c — of what mail is sent, when, and in which words. */
#include "live/accounting/mail_letter.h"

#include <string.h>

#include "engine/codec.h"
#include "live/core/batch.h"

#define SECOND G_GINT64_CONSTANT (1000000)
#define HOUR (3600 * SECOND)
#define DAY (24 * HOUR)
/* All that --mail-type=ALL stands for. */
#define ALL                                                                                        \
  (LK_BATCH_MAIL_BEGIN | LK_BATCH_MAIL_END | LK_BATCH_MAIL_FAIL | LK_BATCH_MAIL_REQUEUE            \
   | LK_BATCH_MAIL_INVALID_DEPEND | LK_BATCH_MAIL_STAGE_OUT)
#define LIMITS                                                                                     \
  (LK_BATCH_MAIL_TIME_LIMIT | LK_BATCH_MAIL_TIME_LIMIT_90 | LK_BATCH_MAIL_TIME_LIMIT_80            \
   | LK_BATCH_MAIL_TIME_LIMIT_50)

/* Submitted on day 10, started an hour later, with a limit of ten hours. */
static LkMailFacts
facts_of (guint32 types, gint64 ran_us, guint state)
{
  LkMailFacts facts = { .job_id = 7,
                        .array_task = -1,
                        .types = types,
                        .name = "climb",
                        .partition = "main",
                        .account = "geo",
                        .work_dir = "/users/ada",
                        .state = state,
                        .submit_us = 10 * DAY,
                        .start_us = 10 * DAY + HOUR,
                        .limit_us = 10 * HOUR };
  facts.end_us = state != LK_JOB_RUNNING ? facts.start_us + ran_us : 0;
  return facts;
}

static guint32
due_of (const LkMailFacts *facts, gint64 ran_us)
{
  return lk_mail_due (facts, facts->start_us + ran_us, 0);
}

static void
test_begin_and_end (void)
{
  LkMailFacts facts = facts_of (ALL, 0, LK_JOB_RUNNING);
  g_assert_cmpuint (due_of (&facts, HOUR), ==, LK_BATCH_MAIL_BEGIN);
  facts.told = LK_BATCH_MAIL_BEGIN;
  g_assert_cmpuint (due_of (&facts, HOUR), ==, 0);
  g_assert_false (lk_mail_is_over (&facts, 0));
  static const struct {
    guint32 types;
    guint state;
    guint32 due;
  } ends[] = {
    { ALL, LK_JOB_COMPLETED, LK_BATCH_MAIL_END },
    { ALL, LK_JOB_CANCELLED, LK_BATCH_MAIL_END },
    { ALL, LK_JOB_FAILED, LK_BATCH_MAIL_FAIL },
    { ALL, LK_JOB_OUT_OF_MEMORY, LK_BATCH_MAIL_FAIL },
    /* Who wants no word of failures is told of an end all the same. */
    { LK_BATCH_MAIL_END, LK_JOB_FAILED, LK_BATCH_MAIL_END },
    { LK_BATCH_MAIL_FAIL, LK_JOB_COMPLETED, 0 },
    { LK_BATCH_MAIL_BEGIN, LK_JOB_COMPLETED, 0 },
  };
  for (guint i = 0; i < G_N_ELEMENTS (ends); i++) {
    facts = facts_of (ends[i].types, HOUR, ends[i].state);
    facts.told = LK_BATCH_MAIL_BEGIN;
    g_assert_cmpuint (due_of (&facts, 9 * HOUR), ==, ends[i].due);
  }
  facts = facts_of (ALL, HOUR, LK_JOB_REQUEUED);
  facts.is_requeued = TRUE;
  g_assert_cmpuint (due_of (&facts, 2 * HOUR), ==, LK_BATCH_MAIL_BEGIN | LK_BATCH_MAIL_REQUEUE);
  /* What was before the store was begun is not told. */
  facts = facts_of (ALL, HOUR, LK_JOB_COMPLETED);
  g_assert_cmpuint (lk_mail_due (&facts, 11 * DAY, 11 * DAY), ==, 0);
  g_assert_true (lk_mail_is_over (&facts, 0));
}

static void
test_limits (void)
{
  LkMailFacts facts = facts_of (LIMITS, 0, LK_JOB_RUNNING);
  g_assert_cmpuint (due_of (&facts, 5 * HOUR - SECOND), ==, 0);
  g_assert_cmpuint (due_of (&facts, 5 * HOUR), ==, LK_BATCH_MAIL_TIME_LIMIT_50);
  g_assert_cmpuint (due_of (&facts, 9 * HOUR), ==, LIMITS & ~(guint32)LK_BATCH_MAIL_TIME_LIMIT);
  g_assert_cmpuint (due_of (&facts, 10 * HOUR), ==, LIMITS);
  /* Time in which it was suspended does not count. */
  facts.suspended_us = 2 * HOUR;
  g_assert_cmpuint (due_of (&facts, 6 * HOUR), ==, 0);
  facts = facts_of (LIMITS, 0, LK_JOB_RUNNING);
  facts.limit_us = G_MAXINT64;
  g_assert_cmpuint (due_of (&facts, 1000 * DAY), ==, 0);
  /* Of one that has ended only that it was for the time. */
  facts = facts_of (LIMITS, 10 * HOUR, LK_JOB_TIMEOUT);
  g_assert_cmpuint (due_of (&facts, 11 * HOUR), ==, LK_BATCH_MAIL_TIME_LIMIT);
  facts = facts_of (LIMITS, 9 * HOUR, LK_JOB_COMPLETED);
  g_assert_cmpuint (due_of (&facts, 11 * HOUR), ==, 0);
}

static void
test_dependency (void)
{
  LkMailFacts facts = facts_of (ALL, 0, LK_JOB_PENDING);
  facts.start_us = facts.end_us = 0;
  facts.reason = LK_REASON_DEPENDENCY_NEVER_SATISFIED;
  g_assert_cmpuint (due_of (&facts, HOUR), ==, LK_BATCH_MAIL_INVALID_DEPEND);
}

static void
subject_is (const LkMailFacts *facts, guint32 type, const char *expected)
{
  g_autofree char *subject = lk_mail_subject (facts, type, facts->start_us + 26 * HOUR);
  g_assert_cmpstr (subject, ==, expected);
}

static void
test_subjects (void)
{
  LkMailFacts facts = facts_of (ALL, 0, LK_JOB_RUNNING);
  subject_is (&facts, LK_BATCH_MAIL_BEGIN, "Slurm Job_id=7 Name=climb Began, Queued time 01:00:00");
  subject_is (&facts, LK_BATCH_MAIL_TIME_LIMIT_80,
              "Slurm Job_id=7 Name=climb Reached 80% of time limit, Run time 1-02:00:00");
  facts = facts_of (ALL, 61 * SECOND, LK_JOB_COMPLETED);
  subject_is (&facts, LK_BATCH_MAIL_END,
              "Slurm Job_id=7 Name=climb Ended, Run time 00:01:01, COMPLETED, ExitCode 0");
  facts = facts_of (ALL, 61 * SECOND, LK_JOB_FAILED);
  facts.exit_code_max = facts.exit_code_min = 3;
  subject_is (&facts, LK_BATCH_MAIL_FAIL,
              "Slurm Job_id=7 Name=climb Failed, Run time 00:01:01, FAILED, ExitCode 3");
  facts.signal_max = 9;
  subject_is (&facts, LK_BATCH_MAIL_FAIL,
              "Slurm Job_id=7 Name=climb Failed, Run time 00:01:01, FAILED");
  facts = facts_of (ALL, 61 * SECOND, LK_JOB_COMPLETED);
  facts.array_job_id = 5;
  facts.array_task = 12;
  subject_is (&facts, LK_BATCH_MAIL_END,
              "Slurm Array Task Job_id=5_12 (7) Name=climb Ended, Run time 00:01:01, COMPLETED, "
              "ExitCode 0");
  facts.is_array = facts.is_mixed = TRUE;
  facts.exit_code_max = 3;
  subject_is (&facts, LK_BATCH_MAIL_END,
              "Slurm Array Summary Job_id=5_* (7) Name=climb Ended, Run time 00:01:01, Mixed, "
              "ExitCode [0-3]");
  /* No line of a letter's head comes from a name. */
  facts = facts_of (ALL, 0, LK_JOB_RUNNING);
  facts.name = "a\nBcc: all";
  subject_is (&facts, LK_BATCH_MAIL_BEGIN,
              "Slurm Job_id=7 Name=a?Bcc: all Began, Queued time 01:00:00");
}

static void
test_environment (void)
{
  LkMailFacts facts = facts_of (ALL, 61 * SECOND, LK_JOB_FAILED);
  facts.exit_code_max = facts.exit_code_min = 3;
  g_auto (GStrv) list = lk_mail_environment (&facts, LK_BATCH_MAIL_FAIL, "rack", "ada", 0);
  g_assert_cmpstr (g_environ_getenv (list, "SLURM_CLUSTER_NAME"), ==, "rack");
  g_assert_cmpstr (g_environ_getenv (list, "SLURM_JOB_ID"), ==, "7");
  g_assert_cmpstr (g_environ_getenv (list, "SLURM_JOB_USER"), ==, "ada");
  g_assert_cmpstr (g_environ_getenv (list, "SLURM_JOB_MAIL_TYPE"), ==, "Failed");
  g_assert_cmpstr (g_environ_getenv (list, "SLURM_JOB_STATE"), ==, "FAILED");
  g_assert_cmpstr (g_environ_getenv (list, "SLURM_JOB_EXIT_CODE_MAX"), ==, "3");
  g_assert_cmpstr (g_environ_getenv (list, "SLURM_ARRAY_JOB_ID"), ==, NULL);
}

/* A mail program opens files, and runs programs, where it is told to. */
static void
test_addresses (void)
{
  static const char *const good[] = { "ada", "ada@example.org", "a.b+c@d-e.org,bob" };
  static const char *const bad[] = { "",       "-Ex",   "a,-Ex", "|rm", "/etc/x",
                                     "a b",    "a\n",   ",a",    "a;b", "$(x)",
                                     "a@b\tc", "\"a\"", "~root", "a!b", "<a@b>" };
  for (guint i = 0; i < G_N_ELEMENTS (good); i++)
    g_assert_true (lk_mail_is_address (good[i]));
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    g_assert_false (lk_mail_is_address (bad[i]));
  g_autofree char *longer = g_strnfill (2000, 'a');
  g_assert_false (lk_mail_is_address (longer));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/mail/tells of beginning and end", test_begin_and_end);
  g_test_add_func ("/mail/tells of time that is used up", test_limits);
  g_test_add_func ("/mail/tells of dependencies that cannot be", test_dependency);
  g_test_add_func ("/mail/has Slurm's subjects", test_subjects);
  g_test_add_func ("/mail/tells its program what it is about", test_environment);
  g_test_add_func ("/mail/goes to people only", test_addresses);
  return g_test_run ();
}
