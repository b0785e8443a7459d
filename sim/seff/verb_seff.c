/* sim/seff/verb_seff.c — see the header. */
#include "sim/seff/verb_seff.h"

#include <stdio.h>

#include "sim/journal_follow.h"
#include "sim/seff/seff.h"
#include "sim/verb.h"

#define JOBS_MAX 10000
#define ACCOUNTING "accounting.sqlite"

typedef struct {
  char *state;
  char *accounting;
  char **plugins;
  gboolean json;
  gboolean is_ascii;
  gboolean no_cost;
  char **words;
} Options;

static const char description[] =
    "Shows what each job used of the time, CPUs, memory and GPUs that it held, and with how much\n"
    "less it would have done. Then the journal is run again from the moment at which the job "
    "came,\n"
    "with the smaller ask and all else as it was: how much earlier it would have started is what\n"
    "the ask has cost. JOB is its number, or ARRAY_TASK; of an array without a task all that have\n"
    "started.\n"
    "\n"
    "Exit status: 0 an answer; 1 there is no such job, or a file cannot be read; 2 wrong command\n"
    "line.\n"
    "\n"
    "Example: lockstep seff 1234 1240_7";

static void
options_clear (Options *self)
{
  g_free (self->state);
  g_free (self->accounting);
  g_strfreev (self->plugins);
  g_strfreev (self->words);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Options, options_clear)

static gboolean
parse_options (int argc, char **argv, Options *out, GError **error)
{
  const GOptionEntry entries[] = {
    { "state", 's', 0, G_OPTION_ARG_FILENAME, &out->state,
      "A journal, or the directory of a controller or of a laptop cluster (default: the live "
      "cluster of whoever asks)",
      "JOURNAL|DIR" },
    { "accounting", 0, 0, G_OPTION_ARG_FILENAME, &out->accounting,
      "Its accounting (default: " ACCOUNTING " beside it)", "FILE" },
    { "no-cost", 0, 0, G_OPTION_ARG_NONE, &out->no_cost,
      "Leave out what the ask has cost: no journal is read", NULL },
    { "ascii", 0, 0, G_OPTION_ARG_NONE, &out->is_ascii, "Bars of plain letters", NULL },
    { "json", 0, 0, G_OPTION_ARG_NONE, &out->json, "Print the answer as JSON", NULL },
    { "plugin", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &out->plugins,
      "Load a policy plugin that the journal needs (may be repeated)", "FILE.so" },
    G_OPTION_ENTRY_NULL,
  };
  g_autoptr (GOptionContext) context =
      g_option_context_new ("JOB... - tell what jobs used of what they held, and what that cost");
  g_option_context_add_main_entries (context, entries, NULL);
  g_option_context_set_description (context, description);
  out->words = lk_verb_parse (context, argc, argv, 1, JOBS_MAX, error);
  return out->words != NULL;
}

/* The first of these places in which there is a file: in the folder, above it, where units put it;
 * where there is none, the first. Returns: (transfer full). */
static char *
accounting_of (const char *state)
{
  gboolean is_folder = g_file_test (state, G_FILE_TEST_IS_DIR);
  g_autofree char *folder = is_folder ? g_strdup (state) : g_path_get_dirname (state);
  g_autofree char *above = g_path_get_dirname (folder);
  const char *const folders[] = { folder, above, "/var/cache/lockstep" };
  for (guint i = 0; i < G_N_ELEMENTS (folders); i++) {
    g_autofree char *path = g_build_filename (folders[i], ACCOUNTING, NULL);
    if (g_file_test (path, G_FILE_TEST_EXISTS))
      return g_steal_pointer (&path);
  }
  return g_build_filename (folder, ACCOUNTING, NULL);
}

static void
show (const Options *options, const GPtrArray *jobs)
{
  g_autoptr (GString) out = g_string_new (NULL);
  gboolean is_ascii = options->is_ascii || !g_get_charset (NULL);
  if (options->json)
    lk_seff_json (jobs, out);
  for (guint i = 0; !options->json && i < jobs->len; i++) {
    if (i > 0)
      g_string_append_c (out, '\n');
    lk_seff_text (g_ptr_array_index (jobs, i), is_ascii, out);
  }
  fputs (out->str, stdout);
}

static gboolean
answer (const Options *options, GError **error)
{
  g_autofree char *state =
      options->state != NULL ? g_strdup (options->state) : lk_journal_live_path ();
  g_autofree char *path =
      options->accounting != NULL ? g_strdup (options->accounting) : accounting_of (state);
  g_autoptr (GPtrArray) jobs = lk_seff_read (path, options->words, error);
  if (jobs == NULL)
    return FALSE;
  for (guint i = 0; !options->no_cost && i < jobs->len; i++)
    if (!lk_seff_cost (g_ptr_array_index (jobs, i), state, options->plugins, error))
      return FALSE;
  show (options, jobs);
  return TRUE;
}

int
lk_verb_seff (int argc, char **argv)
{
  g_auto (Options) options = { .state = NULL };
  g_autoptr (GError) error = NULL;
  gboolean is_good = parse_options (argc, argv, &options, &error) && answer (&options, &error);
  return is_good ? 0 : lk_verb_fail ("seff", error);
}
