/* sim/verb_compare.c — see verb_compare.h. */
#include "sim/verb_compare.h"

#include <stdio.h>

#include "sim/compare.h"
#include "sim/error.h"
#include "sim/verb.h"

#define RUN_COUNT_MAX 100
#define JOBS_LIMIT_DEFAULT 20

typedef struct {
  gboolean json;
  gboolean csv;
  gboolean jobs;
  int jobs_limit;
  char *sqlite_path;
  char **directories;
} Options;

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
    { "sqlite", 0, 0, G_OPTION_ARG_FILENAME, &options->sqlite_path,
      "Also write all runs and jobs into one database", "FILE" },
    G_OPTION_ENTRY_NULL
  };
  g_autoptr (GOptionContext) context =
      g_option_context_new ("DIR... - compare the results of several runs in one table");
  g_option_context_add_main_entries (context, entries, NULL);
  g_option_context_set_description (
      context, "Each DIR is what a run wrote with --out. The first one is what the others are held "
               "against.\n");
  options->directories = lk_verb_parse (context, argc, argv, 1, RUN_COUNT_MAX, error);
  if (options->directories == NULL)
    return FALSE;
  const char *wrong = NULL;
  if (options->json && options->csv)
    wrong = "--json and --csv exclude each other";
  else if (options->csv && options->jobs)
    wrong = "--jobs has no place in --csv; use --json";
  else if (options->jobs_limit < 1)
    wrong = "--jobs-limit must be at least 1";
  if (wrong != NULL)
    g_set_error_literal (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE, wrong);
  return wrong == NULL;
}

static gboolean
run (const Options *options, GError **error)
{
  g_autoptr (LkComparison) comparison =
      lk_comparison_new (options->directories, (guint)options->jobs_limit, error);
  if (comparison == NULL)
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
  Options options = { .jobs_limit = JOBS_LIMIT_DEFAULT };
  g_autoptr (GError) error = NULL;
  gboolean fine = parse (argc, argv, &options, &error) && run (&options, &error);
  g_free (options.sqlite_path);
  g_strfreev (options.directories);
  return fine ? 0 : lk_verb_fail ("compare", error);
}
