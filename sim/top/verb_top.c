/* sim/top/verb_top.c — see the header. */
#include "sim/top/verb_top.h"

#include "sim/error.h"
#include "sim/top/journal_facts.h"
#include "sim/verb.h"
#include "sim/verb_live.h"
#include "traces/top/run.h"

typedef struct {
  LkTopOptions top;
  char *at;
  char **plugins;
  char **arguments;
} Options;

static const LkLiveVerb live_top = { "top", "lockstep-top", FALSE, NULL };

static void
options_clear (Options *self)
{
  lk_top_options_clear (&self->top);
  g_free (self->at);
  g_strfreev (self->plugins);
  g_strfreev (self->arguments);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Options, options_clear)

static gboolean
parse_options (Options *out, char **argv, GError **error)
{
  const GOptionEntry entries[] = {
    { "at", 0, 0, G_OPTION_ARG_STRING, &out->at,
      "Of a journal, the moment to begin with: behind event number N, or TIME of its clock (with a "
      "unit: 90m, 7d; or a date); the end without it",
      "N|TIME" },
    { "plugin", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &out->plugins,
      "Load a policy plugin that the journal needs (may be repeated)", "FILE.so" },
    G_OPTION_ENTRY_NULL,
  };
  g_autoptr (GOptionContext) context =
      g_option_context_new ("[JOURNAL] - the queue, the nodes and why jobs wait, on a terminal");
  g_option_context_add_main_entries (context, entries, NULL);
  lk_top_options_add (&out->top, context);
  out->arguments = lk_verb_parse (context, (int)g_strv_length (argv), argv, 0, 1, error);
  if (out->arguments == NULL)
    return FALSE;
  if (out->arguments[0] == NULL && (out->at != NULL || out->plugins != NULL)) {
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE,
                 "%s is of a journal, and none is named: a living cluster has no other time than "
                 "now",
                 out->at != NULL ? "--at" : "--plugin");
    return FALSE;
  }
  return TRUE;
}

static int
run (const Options *options, GError **error)
{
  g_autoptr (LkTopJournal) journal =
      lk_top_journal_new (options->arguments[0], options->plugins, options->at, error);
  if (journal == NULL)
    return -1;
  return lk_top_run (&lk_top_journal_source, journal, &options->top, error) ? 0 : -1;
}

int
lk_verb_top (int argc, char **argv)
{
  g_auto (Options) options = { .at = NULL };
  g_autoptr (GError) error = NULL;
  /* GOption takes words out of the list that it is given. */
  g_autofree char **words = g_memdup2 (argv, ((gsize)argc + 1) * sizeof *argv);
  if (!parse_options (&options, words, &error))
    return lk_verb_fail ("top", error);
  if (options.arguments[0] == NULL)
    return lk_live_verb_run (&live_top, argc, argv);
  int code = run (&options, &error);
  if (code >= 0)
    return code;
  code = lk_verb_fail ("top", error);
  return g_error_matches (error, LK_TOP_ERROR, LK_TOP_ERROR_USAGE) ? LK_EXIT_USAGE : code;
}
