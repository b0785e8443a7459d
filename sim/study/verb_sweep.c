/* sim/study/verb_sweep.c — see the header: plan, store and pool brought together. */
#include "sim/study/verb_sweep.h"

#include <stdio.h>
#include <string.h>

#include "sim/error.h"
#include "sim/progress.h"
#include "sim/study/pool.h"
#include "sim/study/shard.h"
#include "sim/study/store.h"
#include "sim/users/offered_load.h"
#include "sim/verb.h"

#define MERGE_MAX 10000
#define THREADS_MAX 4096
/* Of a process of mpirun for another one that merges: ten minutes. */
#define MERGE_ATTEMPTS 6000
#define MERGE_PAUSE_US 100000

typedef struct {
  char *out_path;
  char *shard_text;
  char *progress_text;
  gboolean csv;
  gboolean jsonl;
  gboolean dry_run;
  int thread_count;
  char **arguments;
  LkStudyShard shard;
  gboolean is_rank; /* one of the processes of mpirun */
  LkProgressMode progress;
} Options;

static void
options_clear (Options *self)
{
  g_free (self->out_path);
  g_free (self->shard_text);
  g_free (self->progress_text);
  g_strfreev (self->arguments);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Options, options_clear)

static const char description[] =
    "PLAN.yaml says which logs, windows, policies, parameters, load levels and seeds are\n"
    "combined; its settings have the names that they have as options of lockstep sim. FILE\n"
    "is an SQLite database: each run is there once it has ended, so that a sweep that was\n"
    "stopped goes on where it was when the same command is given again.\n"
    "\n"
    "lockstep sweep merge A B ... -o FILE makes one file of those of several shards. Under\n"
    "mpirun each process runs its share into FILE.K-of-N, and the last one merges them.\n"
    "\n"
    "Exit status: 0 done, 1 a run failed or a file cannot be written, 2 wrong command line\n"
    "or plan.\n"
    "\n"
    "Examples:\n"
    "  lockstep sweep plan.yaml -o sweep.sqlite\n"
    "  lockstep sweep plan.yaml -o sweep.sqlite --csv > sweep.csv\n"
    "  lockstep sweep plan.yaml -o part-1.sqlite --shard 1/4\n"
    "  lockstep sweep merge part-*.sqlite -o sweep.sqlite\n";

static gboolean
check (Options *self, GError **error)
{
  const char *wrong = NULL;
  if (self->csv && self->jsonl)
    wrong = "--csv and --jsonl exclude each other";
  else if (self->out_path == NULL && !self->dry_run)
    wrong = "expected -o FILE; see --help";
  else if (self->dry_run && (self->out_path != NULL || self->csv || self->jsonl))
    wrong = "--dry-run writes nothing: -o, --csv and --jsonl have no place beside it";
  else if (self->thread_count < 0 || self->thread_count > THREADS_MAX)
    wrong = "-j must be from 1 to 4096";
  if (wrong != NULL) {
    g_set_error_literal (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE, wrong);
    return FALSE;
  }
  self->shard = (LkStudyShard){ .index = 0, .count = 1 };
  if (self->shard_text != NULL && !lk_study_shard_parse (self->shard_text, &self->shard, error))
    return FALSE;
  self->is_rank = self->shard_text == NULL && lk_study_shard_of_rank (&self->shard);
  if (self->is_rank && (self->csv || self->jsonl)) {
    g_set_error_literal (
        error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE,
        "--csv and --jsonl have no place under mpirun; print them from FILE later");
    return FALSE;
  }
  return self->progress_text == NULL
         || lk_progress_mode_parse (self->progress_text, &self->progress, error);
}

static gboolean
parse (Options *self, int argc, char **argv, GError **error)
{
  const GOptionEntry entries[] = {
    { "out", 'o', 0, G_OPTION_ARG_FILENAME, &self->out_path,
      "The database of the results; what it has is not run again", "FILE" },
    { "jobs", 'j', 0, G_OPTION_ARG_INT, &self->thread_count,
      "Simulations at a time (default: one for each core)", "N" },
    { "shard", 0, 0, G_OPTION_ARG_STRING, &self->shard_text,
      "Only every N-th run, from the K-th on; array: as the array job says that this is a task of",
      "K/N|array" },
    { "csv", 0, 0, G_OPTION_ARG_NONE, &self->csv, "Print all results as CSV", NULL },
    { "jsonl", 0, 0, G_OPTION_ARG_NONE, &self->jsonl, "Print all results as JSON, one a line",
      NULL },
    { "dry-run", 'n', 0, G_OPTION_ARG_NONE, &self->dry_run,
      "Print the runs of the plan as command lines of lockstep sim, and run none", NULL },
    { "progress", 0, 0, G_OPTION_ARG_STRING, &self->progress_text,
      "Progress line: on a terminal (auto, the default), always, or never", "auto|always|never" },
    G_OPTION_ENTRY_NULL
  };
  g_autoptr (GOptionContext) context =
      g_option_context_new ("PLAN.yaml - run all combinations of a plan on all cores");
  g_option_context_add_main_entries (context, entries, NULL);
  g_option_context_set_description (context, description);
  self->arguments = lk_verb_parse (context, argc, argv, 1, 1, error);
  return self->arguments != NULL && check (self, error);
}

/* ---------------------------------------------------------------- running */

typedef struct {
  LkStudyStore *store;
  LkProgress *progress;
  guint wanted_count;
  guint ended_count;
  guint failed_count;
  gint64 begin_us;
} Sweep;

static void
tell_progress (Sweep *self)
{
  double age_s = (double)(g_get_monotonic_time () - self->begin_us) / 1e6;
  double each_s = age_s / self->ended_count;
  g_autofree char *text = g_strdup_printf (
      "%u of %u runs  %.1f runs/s  %.0f s left", self->ended_count, self->wanted_count,
      self->ended_count / MAX (age_s, 1e-6), each_s * (self->wanted_count - self->ended_count));
  lk_progress_say (self->progress, text);
}

static gboolean
run_ended (gpointer user, const LkStudyRun *run, const LkStudyResult *result, const GError *failure,
           GError **error)
{
  Sweep *self = user;
  self->ended_count++;
  tell_progress (self);
  if (result != NULL)
    return lk_study_store_add (self->store, run, result, error);
  self->failed_count++;
  g_printerr ("lockstep sweep: run %u (log %s, window %s, policy %s%s%s) failed: %s\n", run->index,
              run->choice.trace->name, run->choice.window->name, run->choice.policy->name,
              run->point_text[0] != '\0' ? ", " : "", run->point_text, failure->message);
  return lk_study_store_add_failure (self->store, run, failure->message, error);
}

static void
tell_state (const char *path, const LkStudyStoreState *state)
{
  if (state->plan_changed)
    g_printerr ("lockstep sweep: the plan, its files or lockstep have changed since '%s' was "
                "written: %u of its results are of this plan, %u are kept but no longer shown\n",
                path, state->kept_count, state->outside_count);
}

/* Those of the shard that are not there yet. Returns: (transfer container). */
static GPtrArray *
missing_runs (const GPtrArray *runs, const LkStudyStore *store, const LkStudyShard *shard)
{
  g_autoptr (GPtrArray) ordered = lk_study_pool_order (runs);
  GPtrArray *missing = g_ptr_array_new ();
  for (guint i = 0; i < ordered->len; i++) {
    LkStudyRun *run = g_ptr_array_index (ordered, i);
    if (run->index % shard->count == shard->index && !lk_study_store_has (store, run->key))
      g_ptr_array_add (missing, run);
  }
  return missing;
}

static gboolean
fail_runs (const Sweep *self, GError **error)
{
  if (self->failed_count > 0)
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_RUN, "%u of %u runs failed", self->failed_count,
                 self->wanted_count);
  return self->failed_count == 0;
}

static gboolean
run_missing (const Options *options, LkStudyRunner *runner, const GPtrArray *missing,
             LkStudyStore *store, GError **error)
{
  Sweep sweep = { .store = store,
                  .wanted_count = missing->len,
                  .begin_us = g_get_monotonic_time () };
  LkStudyPoolOptions pool = { .thread_count = (guint)options->thread_count,
                              .ended = run_ended,
                              .user = &sweep };
  sweep.progress = lk_progress_new (options->progress, -1, stderr);
  gboolean good = lk_study_pool_run (runner, missing, &pool, error);
  lk_progress_free (sweep.progress);
  return good && fail_runs (&sweep, error);
}

static gboolean
print_lines (const GPtrArray *runs, const LkStudyShard *shard)
{
  for (guint i = 0; i < runs->len; i++) {
    const LkStudyRun *run = g_ptr_array_index (runs, i);
    if (run->index % shard->count != shard->index)
      continue;
    g_print ("lockstep");
    for (guint a = 0; run->arguments[a] != NULL; a++) {
      g_autofree char *quoted = lk_study_quote (run->arguments[a]);
      g_print (" %s", quoted);
    }
    g_print ("\n");
  }
  return TRUE;
}

static char *
rank_path (const Options *options, guint index)
{
  return g_strdup_printf ("%s.%u-of-%u", options->out_path, index + 1, options->shard.count);
}

/* Waits of an open loop mean little where the log offers more than the machine can do. */
static gboolean
warn_of_load (LkStudyStore *store, GError **error)
{
  guint count = 0;
  guint all_count = 0;
  double max_ratio = 0;
  if (!lk_study_store_high_load (store, &count, &all_count, &max_ratio, error))
    return FALSE;
  if (count > 0)
    g_printerr ("lockstep sweep: warning: in %u of %u runs the log offers %.0f %% or more of what "
                "the machine can do (up to %.0f %%), and its jobs come however long others wait: "
                "their waits may grow without bound (docs/closed-loop.md)\n",
                count, all_count, 100 * LK_OFFERED_LOAD_HIGH_RATIO, 100 * max_ratio);
  return TRUE;
}

/* Where all parts were whole before, each process merges them, and the first one tells it. */
static gboolean
tell_merged (const Options *options, guint run_count, guint done_count, GError **error)
{
  if (done_count == 0 && options->shard.index > 0 && options->shard.index < run_count)
    return TRUE;
  g_print ("%u runs in the plan; process %u of %u has put them together in %s\n", run_count,
           options->shard.index + 1, options->shard.count, options->out_path);
  g_autoptr (LkStudyStore) whole = lk_study_store_open_read (options->out_path, error);
  return whole != NULL && warn_of_load (whole, error);
}

/* Whoever finds all parts whole puts them together: the last one does, perhaps another, too. */
static gboolean
merge_ranks (const Options *options, guint run_count, guint done_count, GError **error)
{
  g_autoptr (GPtrArray) paths = g_ptr_array_new_with_free_func (g_free);
  guint missing_count;
  for (guint i = 0; i < options->shard.count; i++) {
    gboolean is_begun;
    g_ptr_array_add (paths, rank_path (options, i));
    if (!lk_study_store_is_begun (g_ptr_array_index (paths, i), &is_begun, error))
      return FALSE;
    if (!is_begun)
      return TRUE;
  }
  g_ptr_array_add (paths, NULL);
  for (guint attempt = 0;; attempt++) {
    g_autoptr (GError) failure = NULL;
    if (lk_study_store_merge ((char *const *)paths->pdata, options->out_path,
                              /* whole_only= */ TRUE, &missing_count, &failure))
      return missing_count > 0 || tell_merged (options, run_count, done_count, error);
    if (!lk_study_store_is_busy (failure) || attempt >= MERGE_ATTEMPTS) {
      g_propagate_error (error, g_steal_pointer (&failure));
      return FALSE;
    }
    g_usleep (MERGE_PAUSE_US);
  }
}

/* What is printed at the end. */
static gboolean
conclude (const Options *options, LkStudyStore *store, guint run_count, guint done_count,
          GError **error)
{
  if (options->is_rank)
    return merge_ranks (options, run_count, done_count, error);
  if (!warn_of_load (store, error))
    return FALSE;
  if (options->csv || options->jsonl)
    return lk_study_store_print (store, options->csv ? LK_STUDY_CSV : LK_STUDY_JSONL, stdout,
                                 error);
  g_print ("%u runs in the plan, %u done now; results are in %s\n", run_count, done_count,
           options->out_path);
  return TRUE;
}

static gboolean
sweep (const Options *options, GError **error)
{
  LkStudyStoreState state;
  g_autoptr (LkStudyRunner) runner = lk_study_runner_new ();
  g_autoptr (LkStudyPlan) plan = lk_study_plan_read (options->arguments[0], NULL, error);
  g_autoptr (GPtrArray) runs = plan != NULL ? lk_study_runs_new (plan, runner, error) : NULL;
  if (runs == NULL)
    return FALSE;
  if (options->dry_run)
    return print_lines (runs, &options->shard);
  g_autofree char *path =
      options->is_rank ? rank_path (options, options->shard.index) : g_strdup (options->out_path);
  g_autoptr (LkStudyStore) store = lk_study_store_open (path, runs, &state, error);
  if (store == NULL)
    return FALSE;
  tell_state (path, &state);
  g_autoptr (GPtrArray) missing = missing_runs (runs, store, &options->shard);
  return run_missing (options, runner, missing, store, error)
         && conclude (options, store, runs->len, missing->len, error);
}

/* ---------------------------------------------------------------- merge */

static gboolean
merge (int argc, char **argv, GError **error)
{
  g_autofree char *out_path = NULL;
  gboolean csv = FALSE;
  gboolean jsonl = FALSE;
  const GOptionEntry entries[] = {
    { "out", 'o', 0, G_OPTION_ARG_FILENAME, &out_path, "The database to make", "FILE" },
    { "csv", 0, 0, G_OPTION_ARG_NONE, &csv, "Print all results as CSV", NULL },
    { "jsonl", 0, 0, G_OPTION_ARG_NONE, &jsonl, "Print all results as JSON, one a line", NULL },
    G_OPTION_ENTRY_NULL
  };
  g_autoptr (GOptionContext) context =
      g_option_context_new ("merge FILE... - make one database of those of several shards");
  g_option_context_add_main_entries (context, entries, NULL);
  g_auto (GStrv) paths = lk_verb_parse (context, argc, argv, 1, MERGE_MAX, error);
  guint missing_count;
  if (paths == NULL)
    return FALSE;
  if (out_path == NULL || (csv && jsonl)) {
    g_set_error_literal (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE,
                         out_path == NULL ? "expected -o FILE; see --help"
                                          : "--csv and --jsonl exclude each other");
    return FALSE;
  }
  for (guint i = 0; paths[i] != NULL; i++) {
    const LkVerbFile files[] = {
      { "a FILE to merge", paths[i], NULL, FALSE },
      { "--out", out_path, NULL, TRUE },
    };
    if (!lk_verb_check_files (files, G_N_ELEMENTS (files), error))
      return FALSE;
  }
  if (!lk_study_store_merge (paths, out_path, /* whole_only= */ FALSE, &missing_count, error))
    return FALSE;
  if (missing_count > 0)
    g_printerr ("lockstep sweep: %u runs of the plan have no result yet\n", missing_count);
  if (!csv && !jsonl)
    return TRUE;
  g_autoptr (LkStudyStore) store = lk_study_store_open_read (out_path, error);
  return store != NULL
         && lk_study_store_print (store, csv ? LK_STUDY_CSV : LK_STUDY_JSONL, stdout, error);
}

int
lk_verb_sweep (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  g_auto (Options) options = { 0 };
  if (argc > 1 && strcmp (argv[1], "merge") == 0)
    return merge (argc - 1, argv + 1, &error) ? 0 : lk_verb_fail ("sweep", error);
  if (parse (&options, argc, argv, &error) && sweep (&options, &error))
    return 0;
  return lk_verb_fail ("sweep", error);
}
