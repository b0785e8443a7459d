/* live/client/sacctmgr/sacctmgr.c — accounts and QOS: the verbs, and what they share.  See
 * sacctmgr.h. */
#include "live/client/sacctmgr/sacctmgr.h"

#include <string.h>

#include "live/client/commands.h"
#include "live/client/options_dump.h"
#include "live/client/options_help.h"

static const LkClientOption options[] = {
  { "associations", 's', FALSE, LK_OPTION_ACTED_ON, "show associations, too" },
  { "immediate", 'i', FALSE, LK_OPTION_ACTED_ON, "commit changes immediately, without asking" },
  { "json", '\0', LK_OPTION_VALUE_MAY, LK_OPTION_ACTED_ON, LK_JSON_HELP },
  { "noheader", 'n', FALSE, LK_OPTION_ACTED_ON, "show no header" },
  { "oneliner", 'o', FALSE, LK_OPTION_HARMLESS, "each thing is one line" },
  { "parsable", 'p', FALSE, LK_OPTION_ACTED_ON, "show with | behind each field" },
  { "parsable2", 'P', FALSE, LK_OPTION_ACTED_ON, "show with | between fields" },
  { "quiet", 'Q', FALSE, LK_OPTION_ACTED_ON, "tell nothing but errors" },
  { "readonly", 'r', FALSE, LK_OPTION_ACTED_ON, "nothing is changed: who asks for it is refused" },
  { "verbose", 'v', FALSE, LK_OPTION_HARMLESS, "all is told that there is to tell" },
  { "yaml", '\0', LK_OPTION_VALUE_MAY, LK_OPTION_ACTED_ON, LK_YAML_HELP },
};

static gboolean
option_take (gpointer user, const LkClientOption *option, const char *value)
{
  LkSacctmgrOptions *self = user;
  if (strcmp (option->name, "json") == 0 || strcmp (option->name, "yaml") == 0)
    lk_json_choice_take (&self->json, option->name, value);
  self->is_immediate = self->is_immediate || option->letter == 'i';
  self->is_quiet = self->is_quiet || option->letter == 'Q';
  self->is_readonly = self->is_readonly || option->letter == 'r';
  self->no_header = self->no_header || option->letter == 'n';
  self->parsable = self->parsable || option->letter == 'p';
  self->parsable2 = self->parsable2 || option->letter == 'P';
  self->associations = self->associations || option->letter == 's';
  return TRUE;
}

/* ---------------------------------------------------------------- verbs */

static int run_refused (LkClient *client, const LkSacctmgrOptions *unused, char **words);

const LkSacctmgrVerb lk_sacctmgr_verbs[] = {
  { "add", " create ", lk_sacctmgr_change, "account, user or qos NAME... [KEY=VALUE...]" },
  { "delete", " remove ", lk_sacctmgr_change, "account, user or qos [where] NAME..." },
  { "modify", " update ", lk_sacctmgr_change,
    "account, user or qos [where] NAME... set KEY=VALUE...; job where jobid=ID set "
    "AdminComment=TEXT" },
  { "dump", "", lk_sacctmgr_dump, "CLUSTER [file=FILE]: all accounts into a file" },
  { "list", " show ", lk_sacctmgr_show,
    "associations, accounts, clusters, config, events, problems, qos, transactions, tres, users or "
    "wckeys [[where] KEY=VALUE...] [format=...]" },
  { "load", "", lk_sacctmgr_load, "[file=]FILE [clean]: what dump has written" },
  { "archive", "", run_refused,
    "the file of accounting can be copied, and be made anew from the journal" },
  { "clear", "", run_refused, "there are no statistics of a slurmdbd" },
  { "ping", "", run_refused, "there is no slurmdbd; scontrol ping asks the controller" },
  { "reconfigure", "", run_refused,
    "there is no slurmdbd; scontrol reconfigure is for the controller" },
  { "shutdown", "", run_refused,
    "there is no slurmdbd; systemctl stop, or lockstep down, ends the daemons" },
  { NULL, NULL, NULL, NULL },
};

/* Names may be cut short to three letters. */
static const LkSacctmgrVerb *
verb_find (const char *word)
{
  g_autofree char *lower = g_ascii_strdown (word, -1);
  g_autofree char *whole = g_strdup_printf (" %s ", lower);
  g_autofree char *begun = g_strdup_printf (" %s", lower);
  for (const LkSacctmgrVerb *at = lk_sacctmgr_verbs; at->name != NULL; at++)
    if (strcmp (at->name, lower) == 0 || strstr (at->other_names, whole) != NULL)
      return at;
  for (const LkSacctmgrVerb *at = lk_sacctmgr_verbs; at->name != NULL && strlen (lower) >= 3; at++)
    if (g_str_has_prefix (at->name, lower) || strstr (at->other_names, begun) != NULL)
      return at;
  return NULL;
}

static int
run_refused (LkClient *client, const LkSacctmgrOptions *unused, char **words)
{
  (void)unused;
  const LkSacctmgrVerb *verb = verb_find (words[0]);
  lk_client_error (client, "%s is not implemented: %s", verb->name, verb->help);
  return LK_SACCTMGR_FAILURE;
}

/* Which things a verb is for. */
static const struct {
  const char *verb;
  const char *things[12]; /* ends with NULL */
} entities[] = {
  { "add", { "account", "cluster", "qos", "user" } },
  { "delete", { "account", "cluster", "qos", "user" } },
  { "modify", { "account", "cluster", "job", "qos", "user" } },
  { "list",
    { "associations", "accounts", "clusters", "config", "events", "qos", "transactions", "tres",
      "users" } },
};

static void
commands_tell (FILE *out)
{
  fputs ("\n    Valid <COMMAND> values are:\n", out);
  for (const LkSacctmgrVerb *at = lk_sacctmgr_verbs; at->name != NULL; at++)
    fprintf (out, "     %-12s %s%s\n", at->name, at->run == run_refused ? "not implemented: " : "",
             at->help);
  fputs ("\n    <ENTITY> may be, with its command:\n", out);
  for (gsize i = 0; i < G_N_ELEMENTS (entities); i++)
    for (const char *const *thing = entities[i].things; *thing != NULL; thing++)
      fprintf (out, "     %s %s\n", entities[i].verb, *thing);
  fputs ("\n    <SPECS> are different for each command entity pair: see sacctmgr(1)\n", out);
}

static void
verbs_dump (const LkClient *client)
{
  for (const LkSacctmgrVerb *at = lk_sacctmgr_verbs; at->name != NULL; at++)
    lk_options_dump_word (client, "verb", at->name,
                          at->run == run_refused ? LK_OPTION_REFUSED : LK_OPTION_ACTED_ON,
                          at->help);
}

static const LkOptionHelp told = { .call = "[<OPTION>] [<COMMAND>]",
                                   .title = "Valid <OPTION> values are:",
                                   .is_long = TRUE,
                                   .more = commands_tell };

int
lk_sacctmgr (LkClient *client, int argc, char **argv)
{
  LkSacctmgrOptions given = { 0 };
  LkOptionSet set = { .usage = "[OPTIONS] VERB THING [WORD...]",
                      .options = options,
                      .count = G_N_ELEMENTS (options),
                      .take = option_take,
                      .h_is_help = TRUE,
                      .help = &told,
                      .user = &given };
  gboolean wants_dump = lk_options_dump_is_wanted (argc, argv);
  int count = lk_options_parse (client, &set, argc, argv);
  if (wants_dump)
    verbs_dump (client);
  if (count < 0)
    return count == -1 ? LK_SACCTMGR_FAILURE : 0;
  if (count == 0) {
    lk_client_error (client, "no command; there is no interactive mode");
    return LK_SACCTMGR_FAILURE;
  }
  if (!lk_json_choice_settle_foreign (client, &given.json, &count))
    return count;
  const LkSacctmgrVerb *verb = verb_find (argv[1]);
  if (verb != NULL && given.is_readonly
      && (verb->run == lk_sacctmgr_change || verb->run == lk_sacctmgr_load)) {
    fprintf (client->err, "Can't run this command in readonly mode.\n");
    return LK_SACCTMGR_FAILURE;
  }
  if (verb != NULL)
    return verb->run (client, &given, argv + 1);
  fprintf (client->err, "invalid keyword: %s\n", argv[1]);
  return LK_SACCTMGR_FAILURE;
}

void
lk_sacctmgr_markdown (GString *out)
{
  g_string_append (out, "| Verb | What it is about |\n|---|---|\n");
  for (const LkSacctmgrVerb *at = lk_sacctmgr_verbs; at->name != NULL; at++)
    g_string_append_printf (out, "| `%s` | %s%s |\n", at->name,
                            at->run == run_refused ? "an error: " : "", at->help);
  g_string_append_c (out, '\n');
  lk_options_markdown (options, G_N_ELEMENTS (options), out);
}
