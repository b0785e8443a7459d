/* live/client/scontrol/scontrol.c — looks at the cluster and changes it: the commands, and what
 * they share.
 *
 * Source: scontrol(1); texts and exit codes as recorded with Slurm 26.05. */
#include "live/client/scontrol/scontrol.h"

#include <string.h>

#include "live/client/commands.h"
#include "live/client/json/things.h"
#include "live/client/moment.h"
#include "live/client/options_dump.h"
#include "live/client/options_help.h"
#include "live/client/refusal.h"
#include "live/client/rounds.h"
#include "live/client/scontrol/scontrol_more.h"
#include "live/client/scontrol/step_limit.h"
#include "traces/command_fail.h"
#include "traces/command_job_keys.h"
#include "traces/command_keys.h"
#include "traces/job_values.h"

#define EXIT_USAGE 1

static const LkClientOption options[] = {
  { "all", 'a', FALSE, LK_OPTION_ACTED_ON, "hidden partitions and their jobs, too" },
  { "cluster", 'M', TRUE, LK_OPTION_ACTED_ON, "as --clusters" },
  { "clusters", 'M', TRUE, LK_OPTION_ACTED_ON, "the cluster by name, or all: there is one" },
  { "details", 'd', FALSE, LK_OPTION_ACTED_ON, "show more" },
  { "federation", '\0', FALSE, LK_OPTION_HARMLESS, "there is one cluster" },
  { "future", 'F', FALSE, LK_OPTION_HARMLESS, "nodes that are not there are not known" },
  { "hide", '\0', FALSE, LK_OPTION_ACTED_ON, "not these, whatever SCONTROL_ALL says" },
  { "json", '\0', LK_OPTION_VALUE_MAY, LK_OPTION_ACTED_ON, LK_JSON_HELP },
  { "local", '\0', FALSE, LK_OPTION_HARMLESS, "there is one cluster" },
  { "oneliner", 'o', FALSE, LK_OPTION_ACTED_ON, "show each on one line" },
  { "quiet", 'Q', FALSE, LK_OPTION_ACTED_ON, "tell no errors of show" },
  { "sibling", '\0', FALSE, LK_OPTION_HARMLESS, "there are no federations" },
  { "uid", 'u', TRUE, LK_OPTION_REFUSED, "whoever asks is attested" },
  { "verbose", 'v', FALSE, LK_OPTION_ACTED_ON, "tell of when the records are, and how many" },
  { "yaml", '\0', LK_OPTION_VALUE_MAY, LK_OPTION_ACTED_ON, LK_YAML_HELP },
};

static gboolean
option_take (gpointer user, const LkClientOption *option, const char *value)
{
  LkScontrolOptions *self = user;
  if (option->letter == 'M')
    self->clusters = value;
  self->details += option->letter == 'd' ? 1 : 0;
  self->one_line = self->one_line || option->letter == 'o';
  self->all = option->letter == 'a' || (self->all && strcmp (option->name, "hide") != 0);
  self->is_quiet = self->is_quiet || option->letter == 'Q';
  self->is_verbose = self->is_verbose || option->letter == 'v';
  if (strcmp (option->name, "json") == 0 || strcmp (option->name, "yaml") == 0)
    lk_json_choice_take (&self->json, option->name, value);
  return TRUE;
}

/* ---------------------------------------------------------------- shared */

gboolean
lk_scontrol_send (LkClient *client, const LkEvent *event, guint *out_reject)
{
  LkMessage_reply reply;
  g_autoptr (GError) error = NULL;
  if (!lk_client_event (client, event, &reply, &error)) {
    fprintf (client->err, "%s\n", error->message);
    return FALSE;
  }
  *out_reject = reply.error;
  return TRUE;
}

gboolean
lk_scontrol_dates (const LkClient *client, LkCommand *command, const char *const *keys,
                   GStringChunk *texts, GError **error)
{
  for (guint i = 0; i < command->pairs->len; i++) {
    LkCommandPair *pair = &g_array_index (command->pairs, LkCommandPair, i);
    gint64 moment_us;
    if (pair->sign != '=' || !g_strv_contains (keys, pair->key)
        || lk_job_moment_parse (pair->value, client->now_us, &moment_us))
      continue;
    if (!lk_client_moment_parse (pair->value, client->now_us, TRUE, &moment_us))
      return lk_command_fail (error, "Invalid time specification (pos=0): %s", pair->value);
    g_autofree char *text = g_strdup_printf ("uts%" G_GINT64_FORMAT, moment_us / G_USEC_PER_SEC);
    pair->value = g_string_chunk_insert (texts, text);
  }
  return TRUE;
}

/* ---------------------------------------------------------------- commands */

static int
run_ping (LkClient *client, const LkScontrolOptions *options_given, char **words)
{
  g_autoptr (GError) error = NULL;
  gint64 before_us = g_get_monotonic_time ();
  gboolean is_up = client->wire->ping (client->wire_self, &error);
  const LkJsonPing ping = { is_up, g_get_monotonic_time () - before_us };
  (void)words;
  int code;
  if (!lk_json_choice_settle_foreign (client, &options_given->json, &code))
    return code;
  if (options_given->json.is_wanted) {
    lk_json_ping (client, &options_given->json, &ping);
    return is_up ? 0 : EXIT_USAGE;
  }
  fprintf (client->out, "Slurmctld(primary) at %s is %s\n", client->host, is_up ? "UP" : "DOWN");
  return is_up ? 0 : EXIT_USAGE;
}

static int
run_version (LkClient *client, const LkScontrolOptions *unused, char **words)
{
  (void)unused;
  (void)words;
  fprintf (client->out, "slurm " LK_CLIENT_SLURM_VERSION "\n");
  return 0;
}

static int
run_show (LkClient *client, const LkScontrolOptions *shown, char **words)
{
  return lk_scontrol_show (client, shown, words + 1);
}

/* What is told in Slurm's words before the command is read. FALSE: told. */
static gboolean
words_check (const LkClient *client, char **words)
{
  static const char *const of_pairs[] = { "create", "delete", "update", NULL };
  if (words[1] != NULL)
    return TRUE;
  fprintf (client->err,
           g_strv_contains (of_pairs, words[0]) ? "too few arguments for %s keyword\n"
                                                : "too few arguments for keyword:%s\n",
           words[0]);
  return FALSE;
}

/* An update of that alone which says what is updated. */
static gboolean
changes_nothing (const LkCommand *command)
{
  return (command->kind == LK_COMMAND_UPDATE_JOB || command->kind == LK_COMMAND_UPDATE_NODE
          || command->kind == LK_COMMAND_UPDATE_PARTITION)
         && command->pairs->len == 1;
}

/* What changes something: read as in a script of commands. */
static int
run_change (LkClient *client, const LkScontrolOptions *unused, char **words)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GStringChunk) texts = g_string_chunk_new (512);
  g_autoptr (GPtrArray) whole = g_ptr_array_new ();
  (void)unused;
  if (!words_check (client, words))
    return EXIT_USAGE;
  if (strcmp (words[0], "update") == 0 && lk_scontrol_is_step_update (words + 1))
    return lk_scontrol_step_update (client, words + 1);
  g_ptr_array_add (whole, (gpointer) "scontrol");
  for (char **word = words; *word != NULL; word++)
    g_ptr_array_add (whole, *word);
  g_ptr_array_add (whole, NULL);
  g_autoptr (LkCommand) command = lk_command_new ((char **)whole->pdata, texts, &error);
  if (command == NULL) {
    fprintf (client->err, "%s\n", error->message);
    return EXIT_USAGE;
  }
  if (changes_nothing (command)) {
    fprintf (client->err, "No changes specified\n");
    return EXIT_USAGE;
  }
  return command->kind <= LK_COMMAND_UPDATE_JOB ? lk_scontrol_jobs (client, command)
                                                : lk_scontrol_site (client, command);
}

static void
take_reconfigured (gpointer user, const LkMessage_reconfigured *answer)
{
  LkReconfigured *out = user;
  out->error = answer->error;
  out->problems = g_strndup (answer->problems.bytes, answer->problems.length_bytes);
}

gboolean
lk_scontrol_reconfigure (LkClient *client, LkMessage_reconfigure *asked, LkReconfigured *out,
                         GError **error)
{
  return client->wire->reconfigure (client->wire_self, asked, take_reconfigured, out, error);
}

/* All that keeps it from coming into force is told, a line each. */
static int
run_reconfigure (LkClient *client, const LkScontrolOptions *unused, char **words)
{
  LkReconfigured answer = { 0 };
  LkMessage_reconfigure asked = { 0 };
  g_autoptr (GError) error = NULL;
  (void)unused;
  if (words[1] != NULL) {
    lk_client_error (client, "reconfigure: unexpected '%s': nodes are not reconfigured alone",
                     words[1]);
    return EXIT_USAGE;
  }
  if (!lk_scontrol_reconfigure (client, &asked, &answer, &error)) {
    lk_client_error (client, "slurm_reconfigure error: %s", error->message);
    return EXIT_USAGE;
  }
  if (answer.error != 0)
    fprintf (client->err, "slurm_reconfigure error:%s\n", lk_refusal_admin_text (answer.error));
  if (answer.problems[0] != '\0')
    fprintf (client->err, "%s\n", answer.problems);
  g_free (answer.problems);
  return answer.error != 0 ? EXIT_USAGE : 0;
}

static int run_help (LkClient *client, const LkScontrolOptions *unused, char **words);
static int run_refused (LkClient *client, const LkScontrolOptions *unused, char **words);

static const struct {
  const char *name;
  LkScontrolRun run;
  const char *help; /* of what is refused: why */
} commands[] = {
  { "completing", lk_scontrol_completing, "jobs that are over and not yet gone from their nodes" },
  { "create", run_change,
    "reservation KEY=VALUE...: sets capacity aside; partitionname=NAME KEY=VALUE...: adds it" },
  { "delete", run_change, "reservation=NAME or partitionname=NAME: gives it up" },
  { "errnumstr", lk_scontrol_errnumstr, "NUMBER: what an error's number means" },
  { "help", run_help, "these words" },
  { "hold", run_change, "JOB...: may not start" },
  { "listpids", lk_scontrol_listpids, "[JOB[.STEP]]: processes of jobs on this machine" },
  { "notify", lk_scontrol_notify,
    "JOB[.STEP] MESSAGE: into the errors of the job's script, or by the sruns of its steps" },
  { "pidinfo", lk_scontrol_pidinfo, "PID: the job of a process on this machine, and its end" },
  { "ping", run_ping, "is there a controller?" },
  { "reconfigure", run_reconfigure, "the configuration is read anew, and comes into force" },
  { "release", run_change, "JOB...: may start again" },
  { "requeue", run_change,
    "[incomplete] JOB...: goes back to the queue; only what has begun and not ended" },
  { "requeuehold", run_change,
    "[incomplete] [state=specialexit] JOB...: the same, and is held; as SPECIAL_EXIT" },
  { "resume", run_change, "JOB...: a suspended job goes on" },
  { "setdebug", lk_scontrol_setdebug,
    "LEVEL: how much the controller logs, until the configuration is read again" },
  { "show", run_show, "THING [NAME]: see below" },
  { "suspend", run_change, "JOB...: is stopped" },
  { "token", lk_scontrol_token, "[username=NAME] [lifespan=SECONDS]: a JSON Web Token" },
  { "uhold", run_change, "JOB...: is held, and its user may release it" },
  { "top", run_change, "JOB,...: go before all others of their user" },
  { "update", run_change,
    "JobId=, StepId=, NodeName=, PartitionName= or ReservationName=, KEY=VALUE...: changes it" },
  { "version", run_version, "whose commands these are like" },
  { "wait_job", lk_scontrol_wait_job, "JOB: until it runs" },
  { "write", lk_scontrol_write, "batch_script JOB [FILE|-]: the script of a job" },
  { "abort", run_refused, "it would lose what is not yet on the disk; stop the daemon" },
  { "cancel_reboot", run_refused, "nodes are not booted from here" },
  { "cluster", run_refused, "there is one cluster" },
  { "getent", run_refused, "ask getent(1) on the node" },
  { "listjobs", run_refused, "squeue -w NODE tells them" },
  { "liststeps", run_refused, "scontrol show steps tells them" },
  { "power", run_refused, "nodes are always on" },
  { "reboot", run_refused, "nodes are not booted from here" },
  { "schedloglevel", run_refused, "there is no log of the scheduler; lockstep why tells of a job" },
  { "setdebugflags", run_refused, "there are no flags of debugging" },
  { "shutdown", run_refused, "systemctl stop, or lockstep down, ends the daemons" },
  { "takeover", run_refused, "no program of a standby exists, see docs/standby.md" },
};

static int
run_refused (LkClient *client, const LkScontrolOptions *unused, char **words)
{
  (void)unused;
  for (guint i = 0; i < G_N_ELEMENTS (commands); i++)
    if (strcmp (commands[i].name, words[0]) == 0)
      lk_client_error (client, "%s is not implemented: %s", words[0], commands[i].help);
  return EXIT_USAGE;
}

/* As scontrol: a name may be cut short to three letters while it means one command. */
static int
command_find (const char *word)
{
  int found = -1;
  g_autofree char *lower = g_ascii_strdown (word, -1);
  for (guint i = 0; i < G_N_ELEMENTS (commands); i++) {
    if (strcmp (commands[i].name, lower) == 0)
      return (int)i;
    if (strlen (lower) < 3 || !g_str_has_prefix (commands[i].name, lower))
      continue;
    if (found >= 0)
      return -1;
    found = (int)i;
  }
  return found;
}

static void
commands_print (FILE *out)
{
  fprintf (out, "\n    Valid <COMMAND> values are:\n");
  for (guint i = 0; i < G_N_ELEMENTS (commands); i++)
    fprintf (out, "     %-14s %s%s\n", commands[i].name,
             commands[i].run == run_refused ? "not implemented: " : "", commands[i].help);
  fprintf (out, "\n    show <ENTITY> [<ID>], where <ENTITY> may be:\n");
  for (const LkScontrolShow *at = lk_scontrol_shows; at->name != NULL; at++)
    fprintf (out, "     %-16s %s\n", at->name, at->help);
}

static int
run_help (LkClient *client, const LkScontrolOptions *unused, char **words)
{
  (void)unused;
  (void)words;
  fprintf (client->out, "scontrol [<OPTION>] [<COMMAND>]\n");
  commands_print (client->out);
  return 0;
}

/* Of a job those that can be changed, and the one that names it. */
static void
keys_dump (const LkClient *client)
{
  static const char *const kinds[] = { [LK_KEYS_JOB] = "key of jobs",
                                       [LK_KEYS_NODE] = "key of nodes",
                                       [LK_KEYS_PARTITION] = "key of partitions",
                                       [LK_KEYS_RESERVATION] = "key of reservations" };
  for (guint of = 0; of < G_N_ELEMENTS (kinds); of++) {
    const char *key;
    for (guint i = 0; (key = lk_command_key_at (of, i)) != NULL; i++)
      if (of != LK_KEYS_JOB || i == 0 || lk_command_job_key_changes (key) != 0)
        lk_options_dump_word (client, kinds[of], key, LK_OPTION_ACTED_ON, "");
  }
}

static void
commands_dump (const LkClient *client)
{
  for (guint i = 0; i < G_N_ELEMENTS (commands); i++)
    lk_options_dump_word (client, "command", commands[i].name,
                          commands[i].run == run_refused ? LK_OPTION_REFUSED : LK_OPTION_ACTED_ON,
                          commands[i].help);
  for (const LkScontrolShow *at = lk_scontrol_shows; at->name != NULL; at++)
    lk_options_dump_word (client, "show", at->name, LK_OPTION_ACTED_ON, at->help);
  keys_dump (client);
}

static int
run (LkClient *client, const LkScontrolOptions *given, char **words)
{
  int found = command_find (words[0]);
  if (found < 0) {
    fprintf (client->err, "invalid keyword: %s\n", words[0]);
    return EXIT_USAGE;
  }
  words[0] = (char *)commands[found].name;
  return commands[found].run (client, given, words);
}

static const LkOptionHelp told = { .call = "[<OPTION>] [<COMMAND>]",
                                   .title = "Valid <OPTION> values are:",
                                   .is_long = TRUE,
                                   .more = commands_print };

int
lk_scontrol (LkClient *client, int argc, char **argv)
{
  LkScontrolOptions given = { 0 };
  LkOptionSet set = { .usage = "[OPTIONS] COMMAND [WORD...]",
                      .options = options,
                      .count = G_N_ELEMENTS (options),
                      .take = option_take,
                      .h_is_help = TRUE,
                      .help = &told,
                      .user = &given };
  gboolean wants_dump = lk_options_dump_is_wanted (argc, argv);
  g_autofree char *cluster = NULL;
  given.all = lk_client_variable (client, "SCONTROL_ALL") != NULL;
  int count = lk_options_parse (client, &set, argc, argv);
  if (wants_dump)
    commands_dump (client);
  if (count < 0)
    return count == -1 ? EXIT_USAGE : 0;
  if (!lk_json_choice_settle (client, &given.json, &count))
    return count;
  if (!lk_client_clusters_check (client, given.clusters, &cluster))
    return EXIT_USAGE;
  return argv[1] == NULL ? lk_scontrol_talk (client, &given, run) : run (client, &given, argv + 1);
}

void
lk_scontrol_markdown (GString *out)
{
  g_string_append (out, "| Command | What it does |\n|---|---|\n");
  for (guint i = 0; i < G_N_ELEMENTS (commands); i++)
    g_string_append_printf (out, "| `%s` | %s%s |\n", commands[i].name,
                            commands[i].run == run_refused ? "an error: " : "", commands[i].help);
  g_string_append (out, "\n| `show` | What it shows |\n|---|---|\n");
  for (const LkScontrolShow *at = lk_scontrol_shows; at->name != NULL; at++)
    g_string_append_printf (out, "| `%s` | %s |\n", at->name, at->help);
  g_string_append_c (out, '\n');
  lk_options_markdown (options, G_N_ELEMENTS (options), out);
}
