/* sim/main.c — the `lockstep` command: finds the verb and hands over. */
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/engine.h"
#include "engine/suggest.h"
#include "sim/gate/verb_gate.h"
#include "sim/page/verb_page.h"
#include "sim/seff/verb_seff.h"
#include "sim/study/verb_sweep.h"
#include "sim/top/verb_top.h"
#include "sim/tune/verb_tune.h"
#include "sim/verb.h"
#include "sim/verb_accounts.h"
#include "sim/verb_cluster.h"
#include "sim/verb_compare.h"
#include "sim/verb_import.h"
#include "sim/verb_journal.h"
#include "sim/verb_live.h"
#include "sim/verb_policy.h"
#include "sim/verb_replay.h"
#include "sim/verb_report.h"
#include "sim/verb_sim.h"
#include "sim/verb_trace.h"
#include "sim/verb_verify.h"
#include "sim/verb_why.h"
#include "sim/whatif/verb_calibrate.h"
#include "sim/whatif/verb_plan.h"
#include "sim/whatif/verb_whatif.h"

typedef struct {
  const char *name;
  int (*run) (int argc, char **argv);
  const char *help;
} Verb;

static const Verb verbs[] = {
  { "sim", lk_verb_sim, "replay a workload trace under a policy on a virtual machine" },
  { "sweep", lk_verb_sweep, "run many simulations by a plan, on all cores" },
  { "gate", lk_verb_gate, "hold simulations against a committed baseline, for a CI" },
  { "compare", lk_verb_compare, "compare the results of several runs in one table" },
  { "tune", lk_verb_tune, "look for better settings, and believe what held-out weeks show" },
  { "report", lk_verb_page, "make a page about one or several runs, to be opened in a browser" },
  { "cluster", lk_verb_cluster, "look at, check a description of a machine; list those built in" },
  { "accounts", lk_verb_accounts, "look at, check and convert accounts, QOS and their limits" },
  { "import", lk_verb_import, "describe a machine by the Slurm files of a site" },
  { "trace", lk_verb_trace, "look at, convert, filter a workload trace" },
  { "replay", lk_verb_replay, "re-apply a run's journal and verify its decisions" },
  { "verify", lk_verb_verify, "check a run's journal against what must hold of every schedule" },
  { "journal", lk_verb_journal, "look at a journal without running it" },
  { "why", lk_verb_why, "tell why a job of a journal waits, and what would let it start" },
  { "whatif", lk_verb_whatif, "tell what a change would do to the queue of a cluster" },
  { "plan", lk_verb_plan, "tell when a job would start, and whom it would delay" },
  { "calibrate", lk_verb_calibrate, "measure how far foretold start times are to be trusted" },
  { "seff", lk_verb_seff, "tell what jobs used of what they held, and what that cost in waiting" },
  { "sprio", lk_verb_sprio, "what priorities were made of at a moment of a recorded run" },
  { "sshare", lk_verb_sshare, "shares, use and fairshare at a moment of a recorded run" },
  { "squeue", lk_verb_squeue, "the queue at a moment of a recorded run" },
  { "top", lk_verb_top, "watch the queue, nodes and why jobs wait: of a cluster, or a journal" },
  { "policy", lk_verb_policy, "list and describe policies, verify a plugin" },
};

static void
print_help (FILE *to)
{
  fputs ("Usage: lockstep VERB [OPTIONS] ...\n"
         "\n"
         "A cluster scheduler whose policy engine also runs as a simulator.\n"
         "\n",
         to);
  for (gsize i = 0; i < G_N_ELEMENTS (verbs); i++)
    fprintf (to, "  %-10s %s\n", verbs[i].name, verbs[i].help);
  guint live_count;
  const LkLiveVerb *live = lk_live_verbs (&live_count);
  fputs ("\nA live cluster:\n\n", to);
  for (guint i = 0; i < live_count; i++)
    fprintf (to, "  %-10s %s\n", live[i].name, live[i].help);
  fputs ("\nlockstep VERB --help describes a verb; lockstep --version prints the version.\n", to);
}

static int
unknown_verb (const char *name)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  guint live_count;
  const LkLiveVerb *live = lk_live_verbs (&live_count);
  for (gsize i = 0; i < G_N_ELEMENTS (verbs); i++)
    g_ptr_array_add (names, (gpointer)verbs[i].name);
  for (guint i = 0; i < live_count; i++)
    g_ptr_array_add (names, (gpointer)live[i].name);
  g_ptr_array_add (names, NULL);
  const char *nearest = lk_suggest (name, (const char *const *)names->pdata);
  if (nearest != NULL)
    g_printerr ("lockstep: unknown verb '%s'; did you mean '%s'?\n", name, nearest);
  else
    g_printerr ("lockstep: unknown verb '%s'; see lockstep --help\n", name);
  return LK_EXIT_USAGE;
}

/* Output that could not be written, to a full disk say, must not pass for a success. */
static int
close_output (int code)
{
  if (fflush (stdout) == 0 && !ferror (stdout))
    return code;
  g_printerr ("lockstep: the output could not be written\n");
  return code != 0 ? code : LK_EXIT_FAILURE;
}

int
main (int argc, char **argv)
{
  setlocale (LC_CTYPE, ""); /* names of files in messages, and whether blocks can be drawn */
  if (argc < 2) {
    print_help (stderr);
    return LK_EXIT_USAGE;
  }
  if (strcmp (argv[1], "--help") == 0 || strcmp (argv[1], "-h") == 0
      || strcmp (argv[1], "help") == 0) {
    print_help (stdout);
    return close_output (0);
  }
  if (strcmp (argv[1], "--version") == 0) {
    puts ("lockstep " LK_ENGINE_VERSION);
    return close_output (0);
  }
  for (gsize i = 0; i < G_N_ELEMENTS (verbs); i++)
    if (strcmp (argv[1], verbs[i].name) == 0) {
      g_autofree char *name = g_strdup_printf ("lockstep %s", verbs[i].name);
      g_set_prgname (name);
      return close_output (verbs[i].run (argc - 1, argv + 1));
    }
  const LkLiveVerb *live = lk_live_verb_find (argv[1]);
  return live != NULL ? lk_live_verb_run (live, argc - 1, argv + 1) : unknown_verb (argv[1]);
}
