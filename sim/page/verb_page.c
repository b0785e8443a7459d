/* sim/page/verb_page.c — `lockstep report`: from results and accounting to a page and pictures. */
#include "sim/page/verb_page.h"

#include <stdio.h>

#include "sim/arguments.h"
#include "sim/error.h"
#include "sim/json_out.h"
#include "sim/page/page_export.h"
#include "sim/page/page_html.h"
#include "sim/page/page_load.h"
#include "sim/page/page_sweep.h"
#include "sim/run_check.h"
#include "sim/verb.h"
#include "traces/output.h"

#define JOBS_DEFAULT 100000
#define JOBS_MAX 1000000
#define SWEEP_LEVEL_RATIO 0.95

typedef struct {
  char *output;
  char *svg;
  char *png;
  char *timezone;
  char *title;
  char *jobs;
  gboolean dark;
  gboolean json;
  char **journals;
  char **plugins;
  char **paths;
  gint64 job_limit;
} Options;

static const char description[] =
    "Each DIR is what 'lockstep sim --out DIR' has left. A SQLITE is a results.sqlite, also one "
    "with\n"
    "several runs ('lockstep compare --sqlite'), or the accounting.sqlite of a live cluster.\n"
    "Several runs are shown side by side, against the first one. The file of a sweep (lockstep\n"
    "sweep -o) is shown alone: what each value of its parameters does to waits and utilization.\n"
    "\n"
    "Why jobs waited, and fairshare over time, are told by the run's journal: DIR/run.journal is\n"
    "taken unasked, others with --journal.\n"
    "\n"
    "The page needs no network and no other file. The same inputs give the same bytes.\n"
    "\n"
    "Exit status: 0 done; 1 an input cannot be read or an output not written; 2 wrong command "
    "line.\n"
    "\n"
    "Example: lockstep sim LOG --out run --journal run/run.journal && lockstep report run -o "
    "run.html";

static gboolean
check (Options *out, GError **error)
{
  const char *wrong = NULL;
  out->job_limit = JOBS_DEFAULT;
  if (out->output == NULL && out->svg == NULL && out->png == NULL)
    wrong = "nothing is to be written; give --output FILE, --svg DIR or --png DIR";
  else if (out->dark && out->svg == NULL && out->png == NULL)
    wrong = "--dark is for --svg and --png; the page itself has both";
  if (wrong != NULL)
    g_set_error_literal (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE, wrong);
  return wrong == NULL
         && (out->jobs == NULL
             || lk_argument_number ("--jobs", out->jobs, 0, JOBS_MAX, &out->job_limit, error));
}

static gboolean
parse (int argc, char **argv, Options *out, GError **error)
{
  const GOptionEntry entries[] = {
    { "output", 'o', 0, G_OPTION_ARG_FILENAME, &out->output,
      "The page (HTML); - is standard output", "FILE" },
    { "svg", 0, 0, G_OPTION_ARG_FILENAME, &out->svg, "Write each figure as DIR/NAME.svg", "DIR" },
    { "png", 0, 0, G_OPTION_ARG_FILENAME, &out->png,
      "Write each figure as DIR/NAME.png (needs rsvg-convert, of librsvg2-bin)", "DIR" },
    { "dark", 0, 0, G_OPTION_ARG_NONE, &out->dark, "Dark colours in --svg and --png", NULL },
    { "timezone", 0, 0, G_OPTION_ARG_STRING, &out->timezone,
      "Dates are of this zone: a name as Europe/Stockholm, or local (default UTC)", "ZONE" },
    { "title", 0, 0, G_OPTION_ARG_STRING, &out->title, "Heading of the page", "TEXT" },
    { "jobs", 0, 0, G_OPTION_ARG_STRING, &out->jobs,
      "Jobs that are drawn one by one, and have a story, of all runs (default 100000)", "N" },
    { "journal", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &out->journals,
      "The journal of one of the runs (may be repeated)", "FILE" },
    { "plugin", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &out->plugins,
      "Load a policy plugin that a journal needs (may be repeated)", "FILE.so" },
    { "json", 0, 0, G_OPTION_ARG_NONE, &out->json, "Print what was made as JSON", NULL },
    G_OPTION_ENTRY_NULL,
  };
  g_autoptr (GOptionContext) context = g_option_context_new (
      "DIR|SQLITE... - make a page about one or several runs, to be opened in a browser");
  g_option_context_add_main_entries (context, entries, NULL);
  g_option_context_set_description (context, description);
  out->paths = lk_verb_parse (context, argc, argv, 1, LK_PAGE_RUNS_MAX, error);
  return out->paths != NULL && check (out, error);
}

/* What is written must be none of the runs, nor of their journals. */
static gboolean
check_output (const Options *options, GError **error)
{
  const LkVerbFile output = { "--output", options->output, NULL, TRUE };
  for (guint list = 0; list < 3; list++) {
    char **paths = list == 0 ? options->paths : list == 1 ? options->journals : options->plugins;
    for (guint i = 0; paths != NULL && paths[i] != NULL; i++) {
      gboolean is_run = list == 0 && g_file_test (paths[i], G_FILE_TEST_IS_DIR);
      g_autofree char *journal =
          is_run ? g_build_filename (paths[i], LK_PAGE_RUN_JOURNAL, NULL) : NULL;
      const LkVerbFile files[] = {
        output,
        { is_run ? "a run" : "an input", paths[i], is_run ? lk_run_result_names () : NULL, FALSE },
        { "the journal of a run", journal, NULL, FALSE },
      };
      if (!lk_verb_check_files (files, G_N_ELEMENTS (files), error))
        return FALSE;
    }
  }
  return TRUE;
}

static gboolean
write_text (const GString *text, const char *path, GError **error)
{
  g_autoptr (LkOutput) output = lk_output_new (path, error);
  return output != NULL && lk_output_write (output, text->str, text->len, error)
         && lk_output_close (output, error);
}

static gboolean
write_page (const LkPage *page, const GPtrArray *figures, const char *path, guint *out_kept_counts,
            gsize *out_length_bytes, GError **error)
{
  g_autoptr (GString) text = g_string_new (NULL);
  lk_page_html (page, figures, out_kept_counts, text);
  *out_length_bytes = text->len;
  return write_text (text, path, error);
}

static void
print_json (const Options *options, const LkPage *page, const GPtrArray *figures,
            const guint *kept_counts, gsize length_bytes)
{
  g_autoptr (GString) text = g_string_new (NULL);
  LkJsonOut json;
  lk_json_out_init (&json, text);
  lk_json_out_object_begin (&json, NULL);
  lk_json_out_text (&json, "page", options->output);
  lk_json_out_count (&json, "page_bytes", length_bytes);
  lk_json_out_array_begin (&json, "runs");
  for (guint i = 0; page != NULL && i < page->runs->len; i++) {
    const LkPageRun *run = lk_page_run (page, i);
    lk_json_out_object_begin (&json, NULL);
    lk_json_out_text (&json, "label", run->label);
    lk_json_out_count (&json, "jobs", run->jobs->len);
    lk_json_out_count (&json, "jobs_drawn", kept_counts[i]);
    lk_json_out_count (&json, "has_reasons", run->has_reasons ? 1 : 0);
    lk_json_out_object_end (&json);
  }
  lk_json_out_array_end (&json);
  lk_json_out_array_begin (&json, "figures");
  for (guint i = 0; i < figures->len; i++)
    lk_json_out_text (&json, NULL, ((const LkPageFigure *)g_ptr_array_index (figures, i))->name);
  lk_json_out_array_end (&json);
  lk_json_out_object_end (&json);
  /* Beside a page on standard output there is no room. */
  fputs (text->str, options->output != NULL && options->output[0] == '-' ? stderr : stdout);
  fputc ('\n', options->output != NULL && options->output[0] == '-' ? stderr : stdout);
}

static gboolean
make (const Options *options, const LkPage *page, GError **error)
{
  guint kept_counts[LK_PAGE_RUNS_MAX] = { 0 };
  gsize length_bytes = 0;
  LkPlotStyle style = options->dark ? LK_PLOT_DARK : LK_PLOT_LIGHT;
  g_autoptr (GPtrArray) figures = lk_page_figures (page, TRUE);
  if (options->output != NULL
      && !write_page (page, figures, options->output, kept_counts, &length_bytes, error))
    return FALSE;
  if (options->svg != NULL && !lk_page_export_svg (page, figures, options->svg, style, error))
    return FALSE;
  if (options->png != NULL && !lk_page_export_png (page, figures, options->png, style, error))
    return FALSE;
  if (options->json)
    print_json (options, page, figures, kept_counts, length_bytes);
  return TRUE;
}

/* ---------------------------------------------------------------- sweeps */

static gboolean
write_sweep (const Options *options, const LkPageSweep *page, gsize *out_length_bytes,
             GError **error)
{
  LkPlotStyle style = options->dark ? LK_PLOT_DARK : LK_PLOT_LIGHT;
  g_autoptr (GString) text = g_string_new (NULL);
  lk_page_sweep_html (page, options->title, text);
  *out_length_bytes = text->len;
  return (options->output == NULL || write_text (text, options->output, error))
         && (options->svg == NULL
             || lk_page_export_svg (NULL, page->figures, options->svg, style, error))
         && (options->png == NULL
             || lk_page_export_png (NULL, page->figures, options->png, style, error));
}

static gboolean
run_sweep (const Options *options, GError **error)
{
  gsize length_bytes;
  if (options->paths[1] != NULL || options->journals != NULL) {
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE,
                 "a page about a sweep is of one file alone: give no other run and no --journal");
    return FALSE;
  }
  g_autoptr (LkSweepResults) results =
      lk_sweep_results_open (options->paths[0], SWEEP_LEVEL_RATIO, error);
  if (results == NULL)
    return FALSE;
  g_autoptr (LkPageSweep) page = lk_page_sweep_new (results);
  if (!write_sweep (options, page, &length_bytes, error))
    return FALSE;
  if (options->json)
    print_json (options, NULL, page->figures, NULL, length_bytes);
  return TRUE;
}

static gboolean
run (const Options *options, GError **error)
{
  const LkPageInputs inputs = { options->paths, options->journals, options->plugins };
  /* Before a long work, not behind it. */
  if (!check_output (options, error))
    return FALSE;
  if (options->png != NULL && !lk_page_export_can_png (error))
    return FALSE;
  for (guint i = 0; options->paths[i] != NULL; i++)
    if (lk_sweep_results_is_file (options->paths[i]))
      return run_sweep (options, error);
  GPtrArray *runs = lk_page_load (&inputs, error);
  if (runs == NULL)
    return FALSE;
  const LkPageOptions page_options = { .runs = runs,
                                       .timezone =
                                           options->timezone != NULL ? options->timezone : "UTC",
                                       .title = options->title,
                                       .job_limit = (guint)options->job_limit };
  g_autoptr (LkPage) page = lk_page_new (&page_options, error);
  return page != NULL && make (options, page, error);
}

int
lk_verb_page (int argc, char **argv)
{
  Options options = { 0 };
  g_autoptr (GError) error = NULL;
  gboolean fine = parse (argc, argv, &options, &error) && run (&options, &error);
  g_free (options.output);
  g_free (options.svg);
  g_free (options.png);
  g_free (options.timezone);
  g_free (options.title);
  g_free (options.jobs);
  g_strfreev (options.journals);
  g_strfreev (options.plugins);
  g_strfreev (options.paths);
  return fine ? 0 : lk_verb_fail ("report", error);
}
