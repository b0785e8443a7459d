/* sim/verb_compare.c — see verb_compare.h. */
#include "sim/verb_compare.h"

#include <stdio.h>

#include "sim/arguments.h"
#include "sim/compare.h"
#include "sim/duration.h"
#include "sim/error.h"
#include "sim/study/sweep_results.h"
#include "sim/verb.h"

#define RUN_COUNT_MAX 100
#define LIST_LIMIT_DEFAULT 20
#define REPLICATES_DEFAULT 1000
#define REPLICATES_MIN 100
#define SEED_DEFAULT 1
#define REPLICATES_MAX 100000
#define LEVEL_DEFAULT_RATIO 0.95
#define LEVEL_MIN_RATIO 0.5
#define LEVEL_MAX_RATIO 0.999
#define BLOCK_MIN_US (60 * G_USEC_PER_SEC)

typedef struct {
  gboolean json;
  gboolean csv;
  gboolean jobs;
  int jobs_limit;
  char *sqlite_path;
  gboolean no_intervals;
  char *by;
  char *block;
  char *level;
  int replicates;
  int seed;
  int groups_limit;
  LkPairedOptions paired;
  char **directories;
} Options;

static const char description[] =
    "Each DIR is what a run wrote with --out. The first one is what the others are held against.\n"
    "A SWEEP is a file of lockstep sweep -o: points of the plan by mean wait, against the best.\n"
    "\n"
    "Below the table: the difference of each run from the first, job by job, with the interval in\n"
    "which it lies when blocks of time are drawn anew, and \"no difference shown\" where that "
    "holds\n"
    "0. Runs that were made with lockstep sim --shake also tell it of shaken input.\n"
    "\n"
    "Exit status: 0 done, also where runs differ, 1 a DIR is not complete, 2 wrong command line.\n"
    "\n"
    "Examples:\n"
    "  lockstep compare easy full\n"
    "  lockstep compare easy full --by user,size --groups-limit 10\n"
    "  lockstep compare easy full --block 2d --json\n"
    "  lockstep compare sweep.sqlite\n";

static const char *
wrong_together (const Options *options)
{
  if (options->json && options->csv)
    return "--json and --csv exclude each other";
  if (options->csv && options->jobs)
    return "--jobs has no place in --csv; use --json";
  if (options->csv && options->by != NULL)
    return "--by has no place in --csv; use --json";
  if (options->no_intervals && options->by != NULL)
    return "--by and --no-intervals exclude each other";
  if (options->jobs_limit < 1)
    return "--jobs-limit must be at least 1";
  if (options->groups_limit < 1)
    return "--groups-limit must be at least 1";
  if (options->jobs_limit != LIST_LIMIT_DEFAULT && !options->jobs)
    return "--jobs-limit needs --jobs";
  if (options->groups_limit != LIST_LIMIT_DEFAULT && options->by == NULL)
    return "--groups-limit needs --by";
  if ((options->no_intervals || options->csv)
      && (options->block != NULL || options->level != NULL
          || options->replicates != REPLICATES_DEFAULT || options->seed != SEED_DEFAULT))
    return "--block, --level, --replicates and --seed are of intervals, which --no-intervals and "
           "--csv leave out";
  if (options->replicates < REPLICATES_MIN || options->replicates > REPLICATES_MAX)
    return "--replicates must be from 100 to 100000";
  return options->seed < 0 ? "--seed must be at least 0" : NULL;
}

/* The texts of the options about intervals, into what they mean. */
static gboolean
parse_paired (Options *options, GError **error)
{
  LkPairedOptions *paired = &options->paired;
  const char *wrong = wrong_together (options);
  if (wrong != NULL) {
    g_set_error_literal (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE, wrong);
    return FALSE;
  }
  *paired = (LkPairedOptions){ .interval = { .replicate_count = (guint)options->replicates,
                                             .level_ratio = LEVEL_DEFAULT_RATIO,
                                             .seed = (guint64)options->seed },
                               .group_limit = (guint)options->groups_limit };
  if (options->by != NULL && !lk_by_parse ("--by", options->by, &paired->by, error))
    return FALSE;
  if (options->level != NULL
      && !lk_argument_ratio ("--level", options->level, &paired->interval.level_ratio, error))
    return FALSE;
  if (paired->interval.level_ratio < LEVEL_MIN_RATIO
      || paired->interval.level_ratio > LEVEL_MAX_RATIO) {
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE,
                 "--level is '%s'; expected a part from 0.5 to 0.999", options->level);
    return FALSE;
  }
  if (options->block == NULL)
    return TRUE;
  if (!lk_argument_duration_us ("--block", options->block, &paired->block_us, error))
    return FALSE;
  if (paired->block_us >= BLOCK_MIN_US)
    return TRUE;
  g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE,
               "--block is '%s'; expected a time from 1m on", options->block);
  return FALSE;
}

static gboolean
parse (int argc, char **argv, Options *options, GError **error)
{
  const GOptionEntry entries[] = {
    { "json", 0, 0, G_OPTION_ARG_NONE, &options->json, "Print one JSON object", NULL },
    { "csv", 0, 0, G_OPTION_ARG_NONE, &options->csv, "Print CSV: a line a field, a column a run",
      NULL },
    { "jobs", 0, 0, G_OPTION_ARG_NONE, &options->jobs,
      "Also list jobs that start at another time than in the first run", NULL },
    { "jobs-limit", 0, 0, G_OPTION_ARG_INT, &options->jobs_limit,
      "List at most N of them a run (default 20)", "N" },
    { "by", 0, 0, G_OPTION_ARG_STRING, &options->by,
      "Also tell differences by user, group, account, qos, partition, size (processors)",
      "WHAT,..." },
    { "groups-limit", 0, 0, G_OPTION_ARG_INT, &options->groups_limit,
      "Tell of at most N of them, those with the most jobs (default 20)", "N" },
    { "block", 0, 0, G_OPTION_ARG_STRING, &options->block,
      "Length of the blocks of time that are drawn (default 1w where there are 20 of them, else "
      "1d)",
      "TIME" },
    { "level", 0, 0, G_OPTION_ARG_STRING, &options->level, "Level of the intervals (default 0.95)",
      "P" },
    { "replicates", 0, 0, G_OPTION_ARG_INT, &options->replicates,
      "How often blocks are drawn (default 1000)", "N" },
    { "seed", 0, 0, G_OPTION_ARG_INT, &options->seed, "Seed of the drawing (default 1)", "N" },
    { "no-intervals", 0, 0, G_OPTION_ARG_NONE, &options->no_intervals,
      "Only the table: needs no memory for jobs", NULL },
    { "sqlite", 0, 0, G_OPTION_ARG_FILENAME, &options->sqlite_path,
      "Also write all runs and jobs into one database", "FILE" },
    LK_DURATION_ENTRY,
    G_OPTION_ENTRY_NULL
  };
  g_autoptr (GOptionContext) context =
      g_option_context_new ("DIR...|SWEEP - compare the results of several runs in one table");
  g_option_context_add_main_entries (context, entries, NULL);
  g_option_context_set_description (context, description);
  options->directories = lk_verb_parse (context, argc, argv, 1, RUN_COUNT_MAX, error);
  return options->directories != NULL && lk_duration_check (options->json || options->csv, error)
         && parse_paired (options, error);
}

/* The options of a comparison of runs that say nothing about a sweep; NULL: none is given. */
static const char *
wrong_with_sweep (const Options *options)
{
  if (options->directories[1] != NULL)
    return "the file of a sweep is compared alone: give nothing else";
  if (options->jobs || options->by != NULL || options->block != NULL || options->no_intervals
      || options->sqlite_path != NULL || options->replicates != REPLICATES_DEFAULT)
    return "of the file of a sweep only --json, --csv, --level and --seconds apply";
  return NULL;
}

static gboolean
run_sweep (const Options *options, GError **error)
{
  const char *wrong = wrong_with_sweep (options);
  if (wrong != NULL) {
    g_set_error_literal (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE, wrong);
    return FALSE;
  }
  g_autoptr (LkSweepResults) results =
      lk_sweep_results_open (options->directories[0], options->paired.interval.level_ratio, error);
  if (results == NULL)
    return FALSE;
  g_autoptr (GString) text = g_string_new (NULL);
  if (options->json)
    lk_sweep_json (results, text);
  else if (options->csv)
    lk_sweep_csv (results, text);
  else
    lk_sweep_table (results, text);
  fwrite (text->str, 1, text->len, stdout);
  return TRUE;
}

static gboolean
run (const Options *options, GError **error)
{
  for (guint i = 0; options->directories[i] != NULL; i++)
    if (lk_sweep_results_is_file (options->directories[i]))
      return run_sweep (options, error);
  g_autoptr (LkComparison) comparison =
      lk_comparison_new (options->directories, (guint)options->jobs_limit, error);
  if (comparison == NULL)
    return FALSE;
  if (!options->no_intervals && !options->csv
      && !lk_comparison_pair (comparison, &options->paired, error))
    return FALSE;
  if (options->sqlite_path != NULL
      && !lk_comparison_merge (comparison, options->sqlite_path, error))
    return FALSE;
  g_autoptr (GString) text = g_string_new (NULL);
  if (options->json)
    lk_comparison_json (comparison, options->jobs, text);
  else if (options->csv)
    lk_comparison_csv (comparison, text);
  else
    lk_comparison_table (comparison, options->jobs, text);
  fwrite (text->str, 1, text->len, stdout);
  return TRUE;
}

int
lk_verb_compare (int argc, char **argv)
{
  Options options = { .jobs_limit = LIST_LIMIT_DEFAULT,
                      .groups_limit = LIST_LIMIT_DEFAULT,
                      .replicates = REPLICATES_DEFAULT,
                      .seed = SEED_DEFAULT };
  g_autoptr (GError) error = NULL;
  gboolean fine = parse (argc, argv, &options, &error) && run (&options, &error);
  g_free (options.sqlite_path);
  g_free (options.by);
  g_free (options.block);
  g_free (options.level);
  g_strfreev (options.directories);
  return fine ? 0 : lk_verb_fail ("compare", error);
}
