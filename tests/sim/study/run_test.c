/* tests/sim/study/run_test.c */
#include "sim/study/run.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#define KTH LK_SOURCE_DIR "/traces/data/KTH-SP2-1996-2.1-cln.swf.gz"

static GPtrArray *
runs_of (LkStudyRunner *runner, const char *text, LkStudyPlan **out_plan, GError **error)
{
  *out_plan = lk_study_plan_read_bytes ("p.yaml", (const guint8 *)text, strlen (text), NULL, error);
  return *out_plan != NULL ? lk_study_runs_new (*out_plan, runner, error) : NULL;
}

static const char page[] = "traces: [" KTH "]\n"
                           "windows: [{name: w, weeks: 1-4, each: week}]\n"
                           "settings: {backfill: easy}\n"
                           "policies: [{name: sjf, order: sjf}, {name: fifo, order: fifo}]\n";

static void
count_job (gpointer user, const LkJobRecord *record, const LkSimResult *result)
{
  g_assert_cmpint (record->job_id, ==, result->job.number);
  (*(guint64 *)user)++;
}

/* The window is what --time makes of it: the numbers are those of the verb. */
static void
results_by_name (void)
{
  g_autoptr (LkStudyRunner) runner = lk_study_runner_new ();
  g_autoptr (LkStudyPlan) plan = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) runs = runs_of (runner, page, &plan, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (runs->len, ==, 8);
  const LkStudyRun *run = g_ptr_array_index (runs, 2); /* week 2, sjf */
  guint64 job_count = 0;
  LkStudyJobs jobs = { .job_ended = count_job, .user = &job_count };
  g_autoptr (LkStudyResult) result = lk_study_runner_run (runner, run->arguments, &jobs, &error);
  g_assert_no_error (error);
  g_assert_cmpfloat (lk_study_result_number (result, "jobs"), ==, (double)job_count);
  g_assert_cmpuint (job_count, >, 100);
  g_assert_cmpfloat (lk_study_result_number (result, "mean_wait_s"), ==,
                     lk_study_result_summary (result)->metrics.mean_wait_s);
  g_assert_cmpstr (lk_study_result_text (result, "order"), ==, "sjf:threshold_s=0");
  g_assert_cmpuint (strlen (lk_study_result_text (result, "decision_digest")), ==, 32);
  g_assert_true (isnan (lk_study_result_number (result, "order")));
  g_assert_null (lk_study_result_text (result, "mean_wait_s"));
  g_assert_true (lk_study_result_has_number ("utilization"));
  g_assert_false (lk_study_result_has_number ("utilisation"));
}

typedef struct {
  LkStudyRunner *runner;
  const GPtrArray *runs;
  gint next; /* atomic */
  char digests[8][LK_DIGEST_TEXT_BYTES];
} Work;

static gpointer
work (gpointer data)
{
  Work *self = data;
  for (;;) {
    guint index = (guint)g_atomic_int_add (&self->next, 1);
    if (index >= self->runs->len)
      return NULL;
    const LkStudyRun *run = g_ptr_array_index (self->runs, index);
    g_autoptr (GError) error = NULL;
    g_autoptr (LkStudyResult) result =
        lk_study_runner_run (self->runner, run->arguments, NULL, &error);
    g_assert_no_error (error);
    g_strlcpy (self->digests[index], lk_study_result_text (result, "decision_digest"),
               LK_DIGEST_TEXT_BYTES);
  }
}

static void
threads_do_not_disturb (void)
{
  g_autoptr (LkStudyRunner) runner = lk_study_runner_new ();
  g_autoptr (LkStudyPlan) plan = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) runs = runs_of (runner, page, &plan, &error);
  Work alone = { .runner = runner, .runs = runs };
  Work together = { .runner = runner, .runs = runs };
  GThread *threads[4];
  g_assert_no_error (error);
  work (&alone);
  for (guint t = 0; t < 4; t++)
    threads[t] = g_thread_new ("run", work, &together);
  for (guint t = 0; t < 4; t++)
    g_thread_join (threads[t]);
  for (guint i = 0; i < 8; i++)
    g_assert_cmpstr (alone.digests[i], ==, together.digests[i]);
  g_assert_cmpstr (alone.digests[0], !=, alone.digests[1]);
}

static void
keys_tell_configurations (void)
{
  g_autoptr (LkStudyRunner) runner = lk_study_runner_new ();
  g_autoptr (GError) error = NULL;
  g_autofree char *log = NULL;
  int fd = g_file_open_tmp ("study-XXXXXX.swf", &log, &error);
  g_assert_no_error (error);
  g_close (fd, NULL);
  g_assert_true (g_file_set_contents (log, "1\n", -1, NULL));
  char *lines[][6] = {
    { "sim", "--order=sjf", "--backfill=easy", "--", log, NULL },
    { "sim", "--backfill=easy", "--order=sjf", "--", log, NULL },
    { "sim", "--backfill=easy", "--order=fifo", "--", log, NULL },
    { "sim", "--plugin=a", "--plugin=b", "--", log, NULL },
    { "sim", "--plugin=b", "--plugin=a", "--", log, NULL },
  };
  char keys[6][LK_DIGEST_TEXT_BYTES];
  for (guint i = 0; i < 5; i++)
    g_assert_true (lk_study_runner_key (runner, lines[i], keys[i], NULL));
  g_assert_true (g_file_set_contents (log, "2\n", -1, NULL));
  g_autoptr (LkStudyRunner) later = lk_study_runner_new ();
  g_assert_true (lk_study_runner_key (later, lines[0], keys[5], NULL));
  g_assert_cmpstr (keys[0], ==, keys[1]);
  g_assert_cmpstr (keys[0], !=, keys[2]);
  g_assert_cmpstr (keys[3], !=, keys[4]);
  g_assert_cmpstr (keys[0], !=, keys[5]);
  g_unlink (log);
}

static void
wrong_settings_are_told_before (void)
{
  static const struct {
    const char *settings;
    const char *message;
  } cases[] = {
    { "{odrer: sjf}", "p.yaml:2:19: 'odrer' is no setting of lockstep sim; did you mean 'order'?" },
    { "{order: sfj}", "p.yaml:2:19: order 'sfj': no such policy; did you mean 'sjf'?" },
    { "{order: sjf, order.x: 1}",
      "p.yaml:2:33: order 'sjf': no parameter 'x'; there are: threshold_s" },
    { "{procs: many}",
      "p.yaml:2:19: --procs is 'many'; expected a whole number from 1 to 2147483647" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (LkStudyRunner) runner = lk_study_runner_new ();
    g_autoptr (LkStudyPlan) plan = NULL;
    g_autoptr (GError) error = NULL;
    g_autofree char *text =
        g_strdup_printf ("traces: [" KTH "]\nsettings: %s\n", cases[i].settings);
    g_autoptr (GPtrArray) runs = runs_of (runner, text, &plan, &error);
    g_assert_null (runs);
    g_assert_nonnull (error);
    g_assert_cmpstr (error->message, ==, cases[i].message);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/study/results have the names of the summary", results_by_name);
  g_test_add_func ("/study/threads do not disturb each other", threads_do_not_disturb);
  g_test_add_func ("/study/a key is that of a configuration", keys_tell_configurations);
  g_test_add_func ("/study/wrong settings are told before anything runs",
                   wrong_settings_are_told_before);
  return g_test_run ();
}
