/* sim/gate/verb_gate.c — see the header.
 *
 * The plan's runs are made on all cores; then, one after the other, each is timed against the
 * floor. What is written appears whole or not at all. */
#include "sim/gate/verb_gate.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sim/duration.h"
#include "sim/error.h"
#include "sim/gate/baseline.h"
#include "sim/gate/report.h"
#include "sim/gate/speed.h"
#include "sim/gate/starts.h"
#include "sim/progress.h"
#include "sim/study/pool.h"
#include "sim/verb.h"
#include "traces/input.h"
#include "traces/output.h"

#define STARTS_SUFFIX ".decisions.gz"
#define FILE_MAX_BYTES ((gsize)1 << 31)
#define THREADS_MAX 4096
#define CHANGES_DEFAULT 10
#define CHANGES_MAX 100000
#define TOLERANCE_DEFAULT_PERCENT 50.0
/* A run that seems slow is measured again so often before it is called so. */
#define SECOND_LOOKS 3

typedef struct {
  char *baseline_path;
  char *markdown_path;
  char *junit_path;
  char *progress_text;
  gboolean update;
  gboolean no_speed;
  double tolerance_percent;
  int thread_count;
  int changes_max;
  char **arguments;
  LkProgressMode progress;
} Options;

static void
options_clear (Options *self)
{
  g_free (self->baseline_path);
  g_free (self->markdown_path);
  g_free (self->junit_path);
  g_free (self->progress_text);
  g_strfreev (self->arguments);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Options, options_clear)

static const char description[] =
    "Runs all of the plan (see lockstep sweep) and holds decisions, metrics and speed against "
    "FILE,\n"
    "a text to be committed; FILE.decisions.gz beside it says which job started when. Prints a\n"
    "report in Markdown: which decisions changed first, and whose jobs wait longer or shorter.\n"
    "\n"
    "Speed is the time of a run over that of the floor, which only parses the log and puts the\n"
    "submit and the end of every job through a heap.\n"
    "\n"
    "Exit status: 0 as the baseline has it, 1 different, 2 trouble: a wrong command line,\n"
    "plan, log, plugin or baseline, or a report that cannot be written.\n"
    "\n"
    "Examples:\n"
    "  lockstep gate plan.yaml --baseline gate.txt --update\n"
    "  lockstep gate plan.yaml --baseline gate.txt --markdown gate.md --junit gate.xml\n";

/* What the gate writes must be none of the files that it reads, nor the other report. */
static gboolean
check_written (const Options *self, GError **error)
{
  g_autofree char *starts_path = g_strconcat (self->baseline_path, STARTS_SUFFIX, NULL);
  const LkVerbFile files[] = {
    { "PLAN.yaml", self->arguments[0], NULL, FALSE },
    { "--baseline", self->baseline_path, NULL, self->update },
    { "the list of decisions", starts_path, NULL, self->update },
    { "--markdown", self->markdown_path, NULL, TRUE },
    { "--junit", self->junit_path, NULL, TRUE },
  };
  return lk_verb_check_files (files, G_N_ELEMENTS (files), error);
}

static gboolean
check_options (Options *self, GError **error)
{
  const char *wrong = NULL;
  if (self->baseline_path == NULL)
    wrong = "expected --baseline FILE; see --help";
  else if (self->update && (self->markdown_path != NULL || self->junit_path != NULL))
    wrong = "--update compares nothing: --markdown and --junit have no place beside it";
  else if (self->thread_count < 0 || self->thread_count > THREADS_MAX)
    wrong = "-j must be from 1 to 4096";
  else if (self->changes_max < 0 || self->changes_max > CHANGES_MAX)
    wrong = "--changes must be from 0 to 100000";
  else if (!(self->tolerance_percent > 0) || !isfinite (self->tolerance_percent))
    wrong = "--speed-tolerance must be above 0";
  else if (self->tolerance_percent != TOLERANCE_DEFAULT_PERCENT && (self->no_speed || self->update))
    wrong = "--speed-tolerance has no place beside --no-speed or --update";
  if (wrong != NULL) {
    g_set_error_literal (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE, wrong);
    return FALSE;
  }
  return self->progress_text == NULL
         || lk_progress_mode_parse (self->progress_text, &self->progress, error);
}

static gboolean
parse (Options *self, int argc, char **argv, GError **error)
{
  self->tolerance_percent = TOLERANCE_DEFAULT_PERCENT;
  self->changes_max = CHANGES_DEFAULT;
  const GOptionEntry entries[] = {
    { "baseline", 0, 0, G_OPTION_ARG_FILENAME, &self->baseline_path,
      "What the runs are held against", "FILE" },
    { "update", 0, 0, G_OPTION_ARG_NONE, &self->update,
      "Write FILE and FILE.decisions.gz from the runs as they are now", NULL },
    { "markdown", 0, 0, G_OPTION_ARG_FILENAME, &self->markdown_path, "Write the report here, too",
      "FILE" },
    { "junit", 0, 0, G_OPTION_ARG_FILENAME, &self->junit_path,
      "Write the report as JUnit XML, for a CI", "FILE" },
    { "speed-tolerance", 0, 0, G_OPTION_ARG_DOUBLE, &self->tolerance_percent,
      "How much slower than the baseline is still good (default 50)", "PERCENT" },
    { "no-speed", 0, 0, G_OPTION_ARG_NONE, &self->no_speed, "Do not measure speed", NULL },
    { "changes", 0, 0, G_OPTION_ARG_INT, &self->changes_max,
      "Jobs, users ... listed of each run that differs (default 10)", "N" },
    { "jobs", 'j', 0, G_OPTION_ARG_INT, &self->thread_count,
      "Simulations at a time (default: one for each core)", "N" },
    { "progress", 0, 0, G_OPTION_ARG_STRING, &self->progress_text,
      "Progress line: on a terminal (auto, the default), always, or never", "auto|always|never" },
    LK_DURATION_ENTRY,
    G_OPTION_ENTRY_NULL
  };
  g_autoptr (GOptionContext) context =
      g_option_context_new ("PLAN.yaml - hold simulations against a committed baseline");
  g_option_context_add_main_entries (context, entries, NULL);
  g_option_context_set_description (context, description);
  self->arguments = lk_verb_parse (context, argc, argv, 1, 1, error);
  return self->arguments != NULL && check_options (self, error) && check_written (self, error);
}

/* ---------------------------------------------------------------- the runs as they are now */

typedef struct {
  const Options *options;
  LkStudyRunner *runner;
  const GPtrArray *runs; /* of LkStudyRun */
  LkGateBaseline *now;   /* a run each */
  GPtrArray *starts;     /* of LkGateStarts, a run each */
  LkProgress *progress;
  guint ended_count;
} Gate;

static char *
name_of (const LkStudyRun *run)
{
  g_autoptr (GString) name = g_string_new (NULL);
  const LkStudyChoice *choice = &run->choice;
  g_string_append_printf (name, "%s/%s/%s", choice->trace->name, choice->window->name,
                          choice->policy->name);
  if (run->point_text[0] != '\0')
    g_string_append_printf (name, " %s", run->point_text);
  if (choice->load != NULL)
    g_string_append_printf (name, " load=%s", choice->load);
  if (choice->seed != NULL)
    g_string_append_printf (name, " seed=%s", choice->seed);
  for (char *at = name->str; *at != '\0'; at++)
    *at = g_ascii_iscntrl (*at) ? ' ' : *at;
  return g_strdup (name->str);
}

static char *
command_of (const LkStudyRun *run)
{
  g_autoptr (GString) line = g_string_new (run->arguments[0]);
  for (guint i = 1; run->arguments[i] != NULL; i++) {
    g_autofree char *quoted = lk_study_quote (run->arguments[i]);
    g_string_append_printf (line, " %s", quoted);
  }
  for (char *at = line->str; *at != '\0'; at++)
    *at = g_ascii_iscntrl (*at) ? ' ' : *at;
  return g_strdup (line->str);
}

static void
prepare (gpointer user, const LkStudyRun *run, LkStudyJobs *out_jobs)
{
  const Gate *self = user;
  out_jobs->job_ended = lk_gate_starts_take;
  out_jobs->user = g_ptr_array_index (self->starts, run->index);
}

static gboolean
run_ended (gpointer user, const LkStudyRun *run, const LkStudyResult *result, const GError *failure,
           GError **error)
{
  Gate *self = user;
  LkGateRun *now = g_ptr_array_index (self->now->runs, run->index);
  self->ended_count++;
  g_autofree char *text = g_strdup_printf ("%u of %u runs", self->ended_count, self->runs->len);
  lk_progress_say (self->progress, text);
  if (result == NULL) {
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_RUN, "run '%s': %s", now->name,
                 failure->message);
    return FALSE;
  }
  now->decisions = g_strdup (lk_study_result_text (result, "decision_digest"));
  for (guint m = 0; m < LK_GATE_METRIC_COUNT; m++) {
    char number[LK_REAL_TEXT_BYTES] = "-";
    double value = lk_study_result_number (result, lk_gate_metric_name (m));
    if (isfinite (value))
      lk_real_text (value, number);
    now->metrics[m] = g_strdup (number);
  }
  return TRUE;
}

static gboolean
make_rows (Gate *self, GError **error)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
  for (guint i = 0; i < self->runs->len; i++) {
    const LkStudyRun *run = g_ptr_array_index (self->runs, i);
    LkGateRun *now = lk_gate_run_new ();
    now->name = name_of (run);
    now->command = command_of (run);
    g_ptr_array_add (self->now->runs, now);
    g_ptr_array_add (self->starts, lk_gate_starts_new ());
    if (g_hash_table_add (seen, now->name))
      continue;
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE, "%s: two runs are named '%s'",
                 self->options->arguments[0], now->name);
    return FALSE;
  }
  return TRUE;
}

static gboolean
run_all (Gate *self, GError **error)
{
  LkStudyPoolOptions pool = { .thread_count = (guint)self->options->thread_count,
                              .prepare = prepare,
                              .ended = run_ended,
                              .user = self };
  self->progress = lk_progress_new (self->options->progress, -1, stderr);
  gboolean good = lk_study_pool_run (self->runner, self->runs, &pool, error);
  g_clear_pointer (&self->progress, lk_progress_free);
  return good;
}

/* ---------------------------------------------------------------- speed */

static gboolean
is_slow (const Options *options, const LkGateRun *before, double ratio)
{
  return before != NULL && !isnan (before->speed_ratio) && !isnan (ratio)
         && ratio > before->speed_ratio * (1 + options->tolerance_percent / 100);
}

/* One that seems slow gets more looks: only the least of all rounds counts. */
static gboolean
measure_run (Gate *self, guint index, const LkGateRun *before, GError **error)
{
  const LkStudyRun *run = g_ptr_array_index (self->runs, index);
  LkGateRun *now = g_ptr_array_index (self->now->runs, index);
  LkGateSpeed speed = { 0 };
  for (guint look = 0; look <= SECOND_LOOKS; look++) {
    if (!lk_gate_speed_measure (&speed, self->runner, run->arguments, error))
      return FALSE;
    now->speed_ratio = lk_gate_speed_ratio (&speed);
    if (!is_slow (self->options, before, now->speed_ratio))
      break;
  }
  return TRUE;
}

static gboolean
measure_all (Gate *self, const LkGateBaseline *before, GError **error)
{
  gboolean good = TRUE;
  if (self->options->no_speed)
    return TRUE;
  self->progress = lk_progress_new (self->options->progress, -1, stderr);
  for (guint i = 0; good && i < self->runs->len; i++) {
    const LkGateRun *now = g_ptr_array_index (self->now->runs, i);
    g_autofree char *text = g_strdup_printf ("speed of %u of %u runs", i, self->runs->len);
    lk_progress_say (self->progress, text);
    good = measure_run (self, i, before != NULL ? lk_gate_baseline_find (before, now->name) : NULL,
                        error);
  }
  g_clear_pointer (&self->progress, lk_progress_free);
  return good;
}

/* ---------------------------------------------------------------- files */

static gboolean
write_file (const char *path, const GString *text, GError **error)
{
  g_autoptr (LkOutput) output = lk_output_new (path, error);
  return output != NULL && lk_output_write (output, text->str, text->len, error)
         && lk_output_close (output, error);
}

/* The lists of two baselines are told apart by the digests. */
static char *
starts_name (const LkGateRun *run)
{
  return g_strdup_printf ("%s %s", run->decisions, run->name);
}

static gboolean
update (Gate *self, GError **error)
{
  const char *path = self->options->baseline_path;
  g_autofree char *starts_path = g_strconcat (path, STARTS_SUFFIX, NULL);
  g_autoptr (GString) baseline = g_string_new (NULL);
  g_autoptr (GString) starts = g_string_new (NULL);
  if (!measure_all (self, NULL, error))
    return FALSE;
  lk_gate_baseline_append (self->now, baseline);
  for (guint i = 0; i < self->runs->len; i++) {
    g_autofree char *name = starts_name (g_ptr_array_index (self->now->runs, i));
    lk_gate_starts_append (g_ptr_array_index (self->starts, i), name, starts);
  }
  /* The list first: a baseline never stands beside an older list that it fits. */
  if (!write_file (starts_path, starts, error) || !write_file (path, baseline, error))
    return FALSE;
  g_print ("%u runs; wrote %s and %s\n", self->runs->len, path, starts_path);
  return TRUE;
}

/* (transfer full); NULL with an error. */
static GString *
read_file (const char *what, const char *path, GError **error)
{
  g_autoptr (LkInput) input = lk_input_new_of (what, path, error);
  g_autoptr (GString) text = g_string_new (NULL);
  if (input == NULL || !lk_input_rest (input, FILE_MAX_BYTES, text, error))
    return NULL;
  return g_steal_pointer (&text);
}

static LkGateBaseline *
read_baseline (const char *path, GError **error)
{
  g_autoptr (GString) text = read_file ("baseline", path, error);
  if (text == NULL) {
    if (!g_file_test (path, G_FILE_TEST_EXISTS))
      g_prefix_error (error, "--update makes a baseline: ");
    return NULL;
  }
  return lk_gate_baseline_read (path, text->str, text->len, error);
}

/* ---------------------------------------------------------------- comparing */

typedef struct {
  Gate *gate;
  LkGateBaseline *before;
  GHashTable *starts_before; /* NULL: there is no list */
  char *starts_problem;      /* then, or when it is of another baseline */
  GPtrArray *checks;         /* of LkGateCheck */
} Comparison;

static void
check_free (gpointer data)
{
  LkGateCheck *self = data;
  lk_gate_difference_free ((LkGateDifference *)self->difference);
  g_free (self);
}

static void
comparison_clear (Comparison *self)
{
  g_clear_pointer (&self->before, lk_gate_baseline_free);
  g_clear_pointer (&self->starts_before, g_hash_table_unref);
  g_clear_pointer (&self->checks, g_ptr_array_unref);
  g_free (self->starts_problem);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Comparison, comparison_clear)

/* Its absence is no failure: it only makes the report poorer. */
static gboolean
read_starts (Comparison *self, GError **error)
{
  g_autofree char *path = g_strconcat (self->gate->options->baseline_path, STARTS_SUFFIX, NULL);
  if (!g_file_test (path, G_FILE_TEST_EXISTS)) {
    self->starts_problem = g_strdup_printf ("'%s' is not there", path);
    return TRUE;
  }
  g_autoptr (GString) text = read_file ("list of decisions", path, error);
  if (text == NULL)
    return FALSE;
  self->starts_before = lk_gate_starts_read (path, text->str, text->len, error);
  return self->starts_before != NULL;
}

static LkGateDifference *
difference_of (Comparison *self, const LkGateRun *before, LkGateStarts *after)
{
  g_autofree char *name = starts_name (before);
  LkGateStarts *starts =
      self->starts_before != NULL ? g_hash_table_lookup (self->starts_before, name) : NULL;
  if (starts != NULL)
    return lk_gate_difference_new (starts, after);
  if (self->starts_problem == NULL)
    self->starts_problem = g_strdup_printf ("'%s" STARTS_SUFFIX "' is of another baseline",
                                            self->gate->options->baseline_path);
  return NULL;
}

static void
add_check (Comparison *self, guint index)
{
  const Gate *gate = self->gate;
  LkGateCheck *check = g_new0 (LkGateCheck, 1);
  check->now = g_ptr_array_index (gate->now->runs, index);
  check->name = check->now->name;
  check->before = lk_gate_baseline_find (self->before, check->name);
  g_ptr_array_add (self->checks, check);
  if (check->before == NULL)
    return;
  check->decisions_differ = strcmp (check->before->decisions, check->now->decisions) != 0;
  for (guint m = 0; m < LK_GATE_METRIC_COUNT; m++)
    check->metrics_differ =
        check->metrics_differ || strcmp (check->before->metrics[m], check->now->metrics[m]) != 0;
  check->is_slow = is_slow (gate->options, check->before, check->now->speed_ratio);
  if (check->decisions_differ)
    check->difference =
        difference_of (self, check->before, g_ptr_array_index (gate->starts, index));
}

static void
add_gone (Comparison *self)
{
  for (guint i = 0; i < self->before->runs->len; i++) {
    const LkGateRun *before = g_ptr_array_index (self->before->runs, i);
    if (lk_gate_baseline_find (self->gate->now, before->name) != NULL)
      continue;
    LkGateCheck *check = g_new0 (LkGateCheck, 1);
    check->name = before->name;
    check->before = before;
    g_ptr_array_add (self->checks, check);
  }
}

static gboolean
write_reports (const Comparison *self, guint *out_bad_count, GError **error)
{
  const Options *options = self->gate->options;
  LkGateReport report = { .checks = self->checks,
                          .changes_max = (guint)options->changes_max,
                          .tolerance_percent = options->tolerance_percent,
                          .with_speed = !options->no_speed,
                          .starts_problem = self->starts_problem };
  g_autoptr (GString) markdown = g_string_new (NULL);
  g_autoptr (GString) junit = g_string_new (NULL);
  lk_gate_report_markdown (&report, markdown);
  lk_gate_report_junit (&report, junit);
  *out_bad_count = lk_gate_report_bad_count (&report);
  g_print ("%s", markdown->str);
  return (options->markdown_path == NULL || write_file (options->markdown_path, markdown, error))
         && (options->junit_path == NULL || write_file (options->junit_path, junit, error));
}

static gboolean
compare (Gate *gate, LkGateBaseline *before, guint *out_bad_count, GError **error)
{
  g_auto (Comparison) self = { .gate = gate, .before = before };
  self.checks = g_ptr_array_new_with_free_func (check_free);
  if (!read_starts (&self, error) || !measure_all (gate, before, error))
    return FALSE;
  for (guint i = 0; i < gate->runs->len; i++)
    add_check (&self, i);
  add_gone (&self);
  return write_reports (&self, out_bad_count, error);
}

/* ---------------------------------------------------------------- the verb */

static gboolean
gate (const Options *options, guint *out_bad_count, GError **error)
{
  g_autoptr (LkStudyRunner) runner = lk_study_runner_new ();
  g_autoptr (LkStudyPlan) plan = lk_study_plan_read (options->arguments[0], NULL, error);
  g_autoptr (GPtrArray) runs = plan != NULL ? lk_study_runs_new (plan, runner, error) : NULL;
  /* A baseline that cannot be read is told before anything runs. */
  g_autoptr (LkGateBaseline) before =
      runs != NULL && !options->update ? read_baseline (options->baseline_path, error) : NULL;
  if (runs == NULL || (!options->update && before == NULL))
    return FALSE;
  g_autoptr (LkGateBaseline) now = lk_gate_baseline_new ();
  g_autoptr (GPtrArray) starts =
      g_ptr_array_new_with_free_func ((GDestroyNotify)lk_gate_starts_free);
  Gate self = { .options = options, .runner = runner, .runs = runs, .now = now, .starts = starts };
  if (!make_rows (&self, error) || !run_all (&self, error))
    return FALSE;
  return options->update ? update (&self, error)
                         : compare (&self, g_steal_pointer (&before), out_bad_count, error);
}

int
lk_verb_gate (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  g_auto (Options) options = { 0 };
  guint bad_count = 0;
  if (!parse (&options, argc, argv, &error) || !gate (&options, &bad_count, &error)) {
    lk_verb_fail ("gate", error);
    return LK_EXIT_USAGE;
  }
  return bad_count > 0 ? LK_EXIT_FAILURE : 0;
}
