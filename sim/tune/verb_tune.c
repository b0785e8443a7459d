/* sim/tune/verb_tune.c — see verb_tune.h. */
#include "sim/tune/verb_tune.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <unistd.h>

#include "sim/duration.h"
#include "sim/error.h"
#include "sim/progress.h"
#include "sim/tune/tune.h"
#include "sim/verb.h"

#define THREADS_MAX 1024

typedef struct {
  gboolean json;
  int threads; /* 0: one for each core */
  char *out;
  char *progress;
  LkProgressMode progress_mode;
  char **arguments;
} Options;

static const char description[] =
    "PLAN.yaml says which logs and windows, what to vary, and in 'tune' what should be better;\n"
    "see docs/tune.md. Recommended is only what the held-out windows show to be better.\n"
    "\n"
    "Exit status: 0 done, also when nothing is recommended, 1 failure, 2 wrong command line or "
    "plan.\n"
    "\n"
    "Examples:\n"
    "  lockstep tune kth.yaml\n"
    "  lockstep tune kth.yaml -j 8 -o tuned --json\n";

static gboolean
parse (int argc, char **argv, Options *options, GError **error)
{
  const GOptionEntry entries[] = {
    { "json", 0, 0, G_OPTION_ARG_NONE, &options->json, "Print one JSON object", NULL },
    { "jobs", 'j', 0, G_OPTION_ARG_INT, &options->threads,
      "Simulations at a time (default: one for each core); changes no result", "N" },
    { "out", 'o', 0, G_OPTION_ARG_FILENAME, &options->out,
      "Also write points.csv, front.csv and tune.json into DIR", "DIR" },
    { "progress", 0, 0, G_OPTION_ARG_STRING, &options->progress,
      "Progress line: on a terminal (auto, the default), always, or never", "auto|always|never" },
    LK_DURATION_ENTRY,
    G_OPTION_ENTRY_NULL
  };
  g_autoptr (GOptionContext) context = g_option_context_new (
      "PLAN.yaml - look for better settings, and believe what held-out weeks show");
  g_option_context_add_main_entries (context, entries, NULL);
  g_option_context_set_description (context, description);
  options->arguments = lk_verb_parse (context, argc, argv, 1, 1, error);
  if (options->arguments == NULL || !lk_duration_check (options->json, error))
    return FALSE;
  if (options->threads < 0 || options->threads > THREADS_MAX) {
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE, "-j is %d; expected 1 to %d",
                 options->threads, THREADS_MAX);
    return FALSE;
  }
  if (options->threads == 0)
    options->threads = (int)MIN (g_get_num_processors (), THREADS_MAX);
  return options->progress == NULL
         || lk_progress_mode_parse (options->progress, &options->progress_mode, error);
}

/* ---------------------------------------------------------------- progress */

static void
told (gpointer user, guint run_count, guint run_max)
{
  const Options *options = user;
  gboolean is_shown = options->progress_mode == LK_PROGRESS_ALWAYS
                      || (options->progress_mode == LK_PROGRESS_AUTO && isatty (STDERR_FILENO));
  if (is_shown)
    g_printerr ("\r\033[Ksettings run: %u of at most %u", run_count, run_max);
}

static void
progress_end (const Options *options)
{
  if (options->progress_mode == LK_PROGRESS_ALWAYS
      || (options->progress_mode == LK_PROGRESS_AUTO && isatty (STDERR_FILENO)))
    g_printerr ("\r\033[K");
}

/* ---------------------------------------------------------------- files */

static gboolean
write_file (const char *directory, const char *name, const GString *text, GError **error)
{
  g_autofree char *path = g_build_filename (directory, name, NULL);
  g_autoptr (GError) cause = NULL;
  if (g_file_set_contents (path, text->str, (gssize)text->len, &cause))
    return TRUE;
  g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_WRITE, "cannot write '%s': %s", path,
               cause->message);
  return FALSE;
}

/* Before the search, which may take long. */
static gboolean
make_directory (const char *directory, GError **error)
{
  if (directory == NULL || g_mkdir (directory, 0777) == 0
      || (errno == EEXIST && g_file_test (directory, G_FILE_TEST_IS_DIR)))
    return TRUE;
  g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_WRITE, "cannot create the directory '%s': %s",
               directory, g_strerror (errno));
  return FALSE;
}

static const char points_csv[] = "points.csv";
static const char front_csv[] = "front.csv";
static const char tune_json[] = "tune.json";

/* What is written must be neither the plan nor one of its logs. */
static gboolean
check_files (const Options *options, const LkStudyPlan *plan, GError **error)
{
  static const char *const names[] = { points_csv, front_csv, tune_json, NULL };
  LkVerbFile files[] = {
    { "PLAN.yaml", options->arguments[0], NULL, FALSE },
    { "--out", options->out, names, TRUE },
  };
  gboolean is_good = lk_verb_check_files (files, G_N_ELEMENTS (files), error);
  files[0].what = "a file of the plan";
  for (guint i = 0; is_good && i < plan->traces->len; i++) {
    const GPtrArray *settings =
        ((const LkStudyGroup *)g_ptr_array_index (plan->traces, i))->settings;
    for (guint s = 0; is_good && s < settings->len; s++) {
      files[0].path = ((const LkStudySetting *)g_ptr_array_index (settings, s))->value;
      is_good = lk_verb_check_files (files, G_N_ELEMENTS (files), error);
    }
  }
  return is_good;
}

static gboolean
write_files (const LkTune *tune, const char *directory, GError **error)
{
  g_autoptr (GString) points = g_string_new (NULL);
  g_autoptr (GString) front = g_string_new (NULL);
  g_autoptr (GString) json = g_string_new (NULL);
  if (directory == NULL)
    return TRUE;
  lk_tune_points_csv (tune, points);
  lk_tune_front_csv (tune, front);
  lk_tune_json (tune, json);
  return write_file (directory, points_csv, points, error)
         && write_file (directory, front_csv, front, error)
         && write_file (directory, tune_json, json, error);
}

/* ---------------------------------------------------------------- the verb */

static gboolean
tune (Options *options, GError **error)
{
  g_autoptr (LkTuneGoals) goals = lk_tune_goals_new ();
  g_autoptr (LkStudyPlan) plan = lk_tune_plan_read (options->arguments[0], goals, error);
  if (plan == NULL || !check_files (options, plan, error) || !make_directory (options->out, error))
    return FALSE;
  g_autoptr (LkTuneBench) bench = lk_tune_bench_new (plan, goals, (guint)options->threads, error);
  if (bench == NULL)
    return FALSE;
  g_autoptr (LkTune) found = lk_tune_run (plan, goals, bench, told, options, error);
  progress_end (options);
  if (found == NULL || !write_files (found, options->out, error))
    return FALSE;
  g_autoptr (GString) text = g_string_new (NULL);
  if (options->json)
    lk_tune_json (found, text);
  else
    lk_tune_print (found, text);
  fwrite (text->str, 1, text->len, stdout);
  lk_factor_warn (lk_tune_bench_constant_factors (bench), lk_tune_bench_has_accounts (bench),
                  "tune", stderr);
  return TRUE;
}

int
lk_verb_tune (int argc, char **argv)
{
  Options options = { .progress_mode = LK_PROGRESS_AUTO };
  g_autoptr (GError) error = NULL;
  gboolean fine = parse (argc, argv, &options, &error) && tune (&options, &error);
  g_free (options.out);
  g_free (options.progress);
  g_strfreev (options.arguments);
  return fine ? 0 : lk_verb_fail ("tune", error);
}
