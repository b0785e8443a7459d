/* sim/whatif/verb_whatif.c — see the header. */
#include "sim/whatif/verb_whatif.h"

#include <stdio.h>

#include "sim/verb.h"
#include "sim/whatif/ask.h"
#include "sim/whatif/calibration.h"
#include "sim/whatif/effect_show.h"

#define REPEAT 20u

typedef struct {
  LkAskOptions ask;
  char **sets;
  char **dos;
  char *conf;
  gboolean is_all;
} Options;

static const char description[] =
    "Takes a cluster as it stands at a moment of its journal, runs it forward twice, as it is and\n"
    "with a change, through the same futures, and tells who starts earlier and later and by how\n"
    "much, what it does to utilisation and waits, which limits jobs wait for, which jobs do not\n"
    "start and why, and which are refused. The state is only read, also that of a running\n"
    "cluster. Without a change both sides are the same.\n"
    "\n"
    "  --set order.weight_age=1000      a parameter of a policy in force (lockstep policy list)\n"
    "  --set order=fifo                 another policy\n"
    "  --set PriorityWeightAge=1000     a key of slurm.conf about priorities or\n"
    "                                   SchedulerParameters\n"
    "  --cluster new/slurm.conf         what a reload of this file would bring\n"
    "  --do 'scontrol create reservation ...'   a command of root: scontrol, sacctmgr, scancel\n"
    "\n"
    "Exit status: 0 an answer; 1 the journal cannot be read, or the change could not be made;\n"
    "2 wrong command line.\n"
    "\n"
    "Example: lockstep whatif --state run.journal --at 30d --set backfill=none --horizon 3d";

static void
options_clear (Options *self)
{
  lk_ask_options_clear (&self->ask);
  g_strfreev (self->sets);
  g_strfreev (self->dos);
  g_free (self->conf);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Options, options_clear)

static gboolean
parse_options (int argc, char **argv, Options *out, GError **error)
{
  const GOptionEntry entries[] = {
    { "set", 0, 0, G_OPTION_ARG_STRING_ARRAY, &out->sets,
      "Change a parameter (may be repeated; see below)", "KEY=VALUE" },
    { "cluster", 0, 0, G_OPTION_ARG_FILENAME, &out->conf, "Reload this slurm.conf", "FILE" },
    { "do", 0, 0, G_OPTION_ARG_STRING_ARRAY, &out->dos,
      "Run a command of root (may be repeated, in this order)", "COMMAND" },
    { "all", 0, 0, G_OPTION_ARG_NONE, &out->is_all, "Show all jobs", NULL },
    G_OPTION_ENTRY_NULL,
  };
  g_autoptr (GOptionContext) context =
      g_option_context_new ("- tell what a change would do to the queue");
  g_option_context_add_main_entries (context, entries, NULL);
  lk_ask_add_options (&out->ask, context);
  g_option_context_set_description (context, description);
  g_auto (GStrv) arguments = lk_verb_parse (context, argc, argv, 0, 0, error);
  return arguments != NULL;
}

static gboolean
answer (const Options *options, LkQuestion *question, double calibration, GError **error)
{
  LkChangeOptions wanted = { .sets = options->sets, .dos = options->dos, .conf = options->conf };
  g_autoptr (LkChangeSet) change = lk_change_set_new (question->state, &wanted, error);
  question->change = change;
  g_autoptr (GPtrArray) pairs = change != NULL ? lk_question_run (question, error) : NULL;
  if (pairs == NULL)
    return FALSE;
  g_autoptr (LkEffect) effect = lk_effect_new (pairs, question->state->moment_us);
  g_autoptr (GString) out = g_string_new (NULL);
  LkEffectShow show = { .question = question,
                        .pairs = pairs,
                        .effect = effect,
                        .calibration = calibration,
                        .is_all = options->is_all };
  if (options->ask.json) {
    lk_effect_json (&show, out);
    g_string_append_c (out, '\n');
  } else {
    lk_effect_text (&show, out);
  }
  fputs (out->str, stdout);
  return TRUE;
}

int
lk_verb_whatif (int argc, char **argv)
{
  g_auto (Options) options = { .sets = NULL };
  g_autoptr (GError) error = NULL;
  LkWhatifState state = { .path = NULL };
  LkQuestion question;
  double calibration;
  gboolean is_good = parse_options (argc, argv, &options, &error)
                     && lk_calibration_read (options.ask.calibration, &calibration, &error)
                     && lk_ask_open (&options.ask, REPEAT, &state, &question, &error)
                     && answer (&options, &question, calibration, &error);
  lk_whatif_state_close (&state);
  return is_good ? 0 : lk_verb_fail ("whatif", error);
}
