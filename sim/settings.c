/* sim/settings.c — see the header.
 *
 * Command line and file are first brought into one list of texts, one for each setting, each with
 * the name of the place it came from; then every text is parsed, in the table's order, by the same
 * functions. */
#include "sim/settings.h"

#include <string.h>

#include "engine/suggest.h"
#include "sim/arguments.h"
#include "sim/config_file.h"
#include "sim/duration.h"
#include "sim/error.h"
#include "sim/settings_check.h"
#include "sim/statistics/shake.h"
#include "sim/verb.h"

/* A setting's text, and where it stood: "--order", or "run.yaml:3:8: order". */
typedef struct {
  char *text;
  char *place;
} Given;

typedef gboolean (*ParseSetting) (LkSettings *self, const Given *given, GError **error);

typedef struct {
  const char *name;
  gboolean is_flag;
  ParseSetting parse;
  const char *help;
  const char *value; /* what its value is called */
} Setting;

/* ---------------------------------------------------------------- one parser per kind of value */

static gboolean
take_text (char **target, const Given *given, GError **error)
{
  if (given->text[0] == '\0') {
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE, "%s is empty", given->place);
    return FALSE;
  }
  g_free (*target);
  *target = g_strdup (given->text);
  return TRUE;
}

static gboolean
take_flag (gboolean *target, const Given *given, GError **error)
{
  if (strcmp (given->text, "true") == 0 || strcmp (given->text, "false") == 0) {
    *target = given->text[0] == 't';
    return TRUE;
  }
  g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE, "%s is '%s'; expected true or false",
               given->place, given->text);
  return FALSE;
}

/* For a message that names the option already: where it stood, when that was in a file. */
static void
prefix_place (const Given *given, GError **error)
{
  if (!g_str_has_prefix (given->place, "--"))
    g_prefix_error (error, "%s: ", given->place);
}

/* Which of two words it is. */
static gboolean
take_choice (const char *const *words, const Given *given, gboolean *out_second, GError **error)
{
  for (int i = 0; i < 2; i++)
    if (strcmp (given->text, words[i]) == 0) {
      *out_second = i == 1;
      return TRUE;
    }
  const char *nearest = lk_suggest (given->text, words);
  g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE, "%s is '%s'; expected %s or %s%s%s%s",
               given->place, given->text, words[0], words[1],
               nearest != NULL ? "; did you mean '" : "", nearest != NULL ? nearest : "",
               nearest != NULL ? "'?" : "");
  return FALSE;
}

static const char *const limit_names[] = { "kill", "stretch", NULL };
static const char *const tie_rule_names[] = { "instant", "sequential", NULL };

/* ---------------------------------------------------------------- one parser per setting */

static gboolean
parse_trace (LkSettings *self, const Given *given, GError **error)
{
  return take_text (&self->trace_path, given, error);
}

static gboolean
parse_commands (LkSettings *self, const Given *given, GError **error)
{
  return take_text (&self->commands, given, error);
}

static gboolean
parse_procs (LkSettings *self, const Given *given, GError **error)
{
  gint64 procs;
  if (!lk_argument_number (given->place, given->text, 1, G_MAXINT32, &procs, error))
    return FALSE;
  self->trace.procs = (guint32)procs;
  return TRUE;
}

static gboolean
parse_cluster (LkSettings *self, const Given *given, GError **error)
{
  return take_text (&self->cluster_name, given, error);
}

static gboolean
parse_format (LkSettings *self, const Given *given, GError **error)
{
  const char *names[16] = { NULL };
  for (gsize i = 0; i + 1 < G_N_ELEMENTS (names); i++) {
    names[i] = lk_trace_format_name ((LkTraceFormat)i);
    if (names[i] == NULL)
      break;
    if (strcmp (names[i], given->text) == 0) {
      self->format = (LkTraceFormat)i;
      return TRUE;
    }
  }
  g_autofree char *phrase = lk_suggest_phrase (given->text, names);
  g_autofree char *all = g_strjoinv (", ", (char **)names);
  g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE, "%s is '%s'; expected one of %s%s",
               given->place, given->text, all, phrase);
  return FALSE;
}

static gboolean
parse_csv_map (LkSettings *self, const Given *given, GError **error)
{
  return take_text (&self->csv_map, given, error);
}

static gboolean
parse_columns (LkSettings *self, const Given *given, GError **error)
{
  return take_text (&self->columns, given, error);
}

static gboolean
parse_failures (LkSettings *self, const Given *given, GError **error)
{
  return take_text (&self->failures, given, error);
}

static gboolean
parse_reservations (LkSettings *self, const Given *given, GError **error)
{
  return take_text (&self->reservations, given, error);
}

static gboolean
parse_sample (LkSettings *self, const Given *given, GError **error)
{
  if (!lk_argument_duration_us (given->place, given->text, &self->sample_us, error))
    return FALSE;
  self->has_sample = TRUE;
  if (self->sample_us >= G_USEC_PER_SEC)
    return TRUE;
  g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE, "%s is '%s'; expected a time from 1s on",
               given->place, given->text);
  return FALSE;
}

static gboolean
parse_accounts (LkSettings *self, const Given *given, GError **error)
{
  return take_text (&self->accounts, given, error);
}

static gboolean
parse_compat (LkSettings *self, const Given *given, GError **error)
{
  gboolean is_old;
  if (!take_choice (lk_compat_words (), given, &is_old, error))
    return FALSE;
  self->compat = is_old ? LK_COMPAT_SLURM_22_05 : LK_COMPAT_SLURM_26_05;
  self->has_compat = TRUE;
  return TRUE;
}

static gboolean
parse_limits (LkSettings *self, const Given *given, GError **error)
{
  return take_text (&self->limits, given, error);
}

static gboolean
parse_preempt (LkSettings *self, const Given *given, GError **error)
{
  return take_text (&self->preempt, given, error);
}

static gboolean
parse_show (LkSettings *self, const Given *given, GError **error)
{
  return take_text (&self->show, given, error);
}

static gboolean
parse_at (LkSettings *self, const Given *given, GError **error)
{
  return take_text (&self->at, given, error);
}

static gboolean
parse_order (LkSettings *self, const Given *given, GError **error)
{
  self->has_order = TRUE;
  return take_text (&self->order, given, error);
}

static gboolean
parse_backfill (LkSettings *self, const Given *given, GError **error)
{
  self->has_backfill = TRUE;
  return take_text (&self->backfill, given, error);
}

static gboolean
parse_select (LkSettings *self, const Given *given, GError **error)
{
  self->has_select = TRUE;
  return take_text (&self->select, given, error);
}

static gboolean
parse_limit (LkSettings *self, const Given *given, GError **error)
{
  return take_choice (limit_names, given, &self->stretch, error);
}

static gboolean
parse_tie_rule (LkSettings *self, const Given *given, GError **error)
{
  gboolean sequential;
  if (!take_choice (tie_rule_names, given, &sequential, error))
    return FALSE;
  self->tie_rule = sequential ? LK_TIE_SEQUENTIAL : LK_TIE_INSTANT;
  return TRUE;
}

static gboolean
parse_seed (LkSettings *self, const Given *given, GError **error)
{
  gint64 seed;
  if (!lk_argument_number (given->place, given->text, 0, G_MAXUINT32, &seed, error))
    return FALSE;
  self->seed = (guint64)seed;
  return TRUE;
}

static gboolean
parse_lead (LkSettings *self, const Given *given, GError **error)
{
  return lk_argument_duration_us (given->place, given->text, &self->lead_us, error);
}

static gboolean
parse_launch_latency (LkSettings *self, const Given *given, GError **error)
{
  return lk_sim_latency_parse_launch (&self->latency, given->place, given->text, error)
         && take_text (&self->launch_latency, given, error);
}

static gboolean
parse_limit_check (LkSettings *self, const Given *given, GError **error)
{
  return lk_sim_latency_parse_check (&self->latency, given->place, given->text, error)
         && take_text (&self->limit_check, given, error);
}

static gboolean
parse_kill_wait (LkSettings *self, const Given *given, GError **error)
{
  return lk_argument_duration_us (given->place, given->text, &self->latency.kill_wait_us, error)
         && take_text (&self->kill_wait, given, error);
}

/* Behind the seed in the table, because the model is made with it. */
static gboolean
parse_estimates (LkSettings *self, const Given *given, GError **error)
{
  if (!lk_estimates_parse (given->text, self->seed, &self->estimates, error)) {
    prefix_place (given, error);
    return FALSE;
  }
  return take_text (&self->estimates_text, given, error);
}

static gboolean
parse_jobs (LkSettings *self, const Given *given, GError **error)
{
  return lk_argument_range (given->place, given->text, &self->trace.jobs_first,
                            &self->trace.jobs_last, error);
}

static gboolean
parse_time (LkSettings *self, const Given *given, GError **error)
{
  return lk_argument_duration_range_us (given->place, given->text, &self->trace.time_begin_us,
                                        &self->trace.time_end_us, error);
}

/* Beyond these all jobs come at one instant, or further apart than the clock reaches. */
static gboolean
parse_scale_load (LkSettings *self, const Given *given, GError **error)
{
  return lk_argument_ratio_range (given->place, given->text, 1e-3, 1e6,
                                  &self->trace.load_scale_ratio, error);
}

static gboolean
parse_warmup (LkSettings *self, const Given *given, GError **error)
{
  return lk_argument_duration_us (given->place, given->text, &self->warmup_us, error);
}

static gboolean
parse_cooldown (LkSettings *self, const Given *given, GError **error)
{
  return lk_argument_duration_us (given->place, given->text, &self->cooldown_us, error);
}

static gboolean
parse_sort (LkSettings *self, const Given *given, GError **error)
{
  return take_flag (&self->trace.sort, given, error);
}

static gboolean
parse_lenient (LkSettings *self, const Given *given, GError **error)
{
  return take_flag (&self->trace.lenient, given, error);
}

static gboolean
parse_out (LkSettings *self, const Given *given, GError **error)
{
  return take_text (&self->out_path, given, error);
}

static gboolean
parse_shake (LkSettings *self, const Given *given, GError **error)
{
  gint64 count;
  if (!lk_argument_number (given->place, given->text, 0, LK_SHAKE_COUNT_MAX, &count, error))
    return FALSE;
  self->shake_count = (guint)count;
  return TRUE;
}

static gboolean
parse_shake_by (LkSettings *self, const Given *given, GError **error)
{
  self->has_shake_by = TRUE;
  return lk_argument_duration_us (given->place, given->text, &self->shake_by_us, error);
}

static gboolean
parse_users (LkSettings *self, const Given *given, GError **error)
{
  return lk_users_options_parse (&self->users, given->place, given->text, error);
}

static gboolean
parse_journal (LkSettings *self, const Given *given, GError **error)
{
  return take_text (&self->journal_path, given, error);
}

static gboolean
parse_journal_standing (LkSettings *self, const Given *given, GError **error)
{
  return take_flag (&self->journal_standing, given, error);
}

static gboolean
parse_batsim (LkSettings *self, const Given *given, GError **error)
{
  return take_flag (&self->batsim, given, error);
}

static gboolean
parse_json (LkSettings *self, const Given *given, GError **error)
{
  return take_flag (&self->json, given, error);
}

static gboolean
parse_progress (LkSettings *self, const Given *given, GError **error)
{
  if (lk_progress_mode_parse (given->text, &self->progress, error))
    return TRUE;
  prefix_place (given, error);
  return FALSE;
}

static const Setting settings[] = {
  { "trace", FALSE, parse_trace, NULL, NULL }, /* on the command line: the argument */
  { "commands", FALSE, parse_commands,
    "A script of Slurm commands instead of a log, played on --cluster", "FILE" },
  { "procs", FALSE, parse_procs,
    "Processors of the machine (default: the log's MaxProcs, else MaxNodes, else the most that its "
    "jobs used at once, with a warning)",
    "N" },
  { "cluster", FALSE, parse_cluster,
    "Machine of nodes: a cluster.yaml, a slurm.conf, or a preset (lockstep cluster presets)",
    "FILE|PRESET" },
  { "format", FALSE, parse_format, "Format of the log (default: told by its content)",
    "swf|sacct|sacct-json|events|csv" },
  { "csv-map", FALSE, parse_csv_map,
    "What the columns of a CSV log mean: a built-in map or a file (default: told by its header)",
    "NAME|FILE.yaml" },
  { "columns", FALSE, parse_columns, "Columns of sacct text without a header line",
    "JobID|Submit|..." },
  { "failures", FALSE, parse_failures, "Nodes fail: by a model, or as a list says; needs --cluster",
    "mtbf=30d,mttr=4h,...|FILE.csv" },
  { "reservations", FALSE, parse_reservations,
    "Advance reservations, one a line, as for scontrol create reservation; needs --cluster",
    "FILE" },
  { "sample", FALSE, parse_sample,
    "With --cluster: how often its use and fragmentation are looked at (default 6h)", "TIME" },
  { "accounts", FALSE, parse_accounts,
    "Accounts, users and QOS: a page of YAML, a sacctmgr dump or a script of sacctmgr commands; "
    "or the users and groups of the log with equal shares. What a slurm.conf given with --cluster "
    "says of them holds, too",
    "FILE|from-log" },
  { "compat", FALSE, parse_compat,
    "With --accounts: whose rules hold where versions of Slurm differ: slurm-26.05 (default) or "
    "slurm-22.05",
    "VERSION" },
  { "limits", FALSE, parse_limits, "What limits of accounts do (default slurm); needs --accounts",
    "NAME[:key=value,...]" },
  { "preempt", FALSE, parse_preempt,
    "Who displaces whom (default none; with a slurm.conf what that says): none, gang, qos (needs "
    "--accounts) or partition_prio",
    "NAME[:key=value,...]" },
  { "order", FALSE, parse_order,
    "Queue order (default fifo; with --accounts and a slurm.conf what that says)",
    "NAME[:key=value,...]" },
  { "backfill", FALSE, parse_backfill,
    "Backfilling (default full; with --commands slurm); slurm takes what it is not told from a "
    "slurm.conf",
    "NAME[:key=value,...]" },
  { "select", FALSE, parse_select,
    "Placement (default what --cluster says, as SelectType and TopologyPlugin of a slurm.conf; "
    "without --cluster pool)",
    "NAME[:key=value,...]" },
  { "limit", FALSE, parse_limit,
    "A job longer than its estimate is killed at it (kill, the default), or that is raised "
    "(stretch)",
    "kill|stretch" },
  { "tie-rule", FALSE, parse_tie_rule,
    "Events of one second: one pass behind all of them (instant, the default), or one by one as "
    "pyss does (sequential)",
    "instant|sequential" },
  { "lead", FALSE, parse_lead,
    "The machine begins so long before the first submit: its periods, such as that of the decay "
    "of use, count from there (default 0)",
    "TIME" },
  { "launch-latency", FALSE, parse_launch_latency,
    "A job holds its nodes for so much longer than it runs, or for a random time from A to B "
    "(default 0)",
    "A[:B]" },
  { "limit-check", FALSE, parse_limit_check,
    "Time limits are looked at once in this time, from PHASE behind the first submit on, as "
    "Slurm does each 30 s (default: each acts at its moment)",
    "PERIOD[:PHASE]" },
  { "kill-wait", FALSE, parse_kill_wait,
    "A job that is told to end holds its nodes for so much longer, or until its own end; Slurm "
    "allows KillWait, 30 s (default 0)",
    "TIME" },
  { "seed", FALSE, parse_seed, "Seed of the random models (default 1)", "N" },
  { "estimates", FALSE, parse_estimates,
    "Time limits: those of the log (default), the run times, "
    "run time times a random factor of 1 to F+1, or round "
    "values as users give them",
    "trace|exact|factor:F|tsafrir" },
  { "users", FALSE, parse_users,
    "Jobs come when they came (open, the default), or as their user's jobs before them end "
    "(closed)",
    "open|closed[:think=TIME,abandon=TIME]" },
  { "jobs", FALSE, parse_jobs, "Only jobs with these numbers, both ends included", "A:B" },
  { "time", FALSE, parse_time,
    "Only jobs submitted in [A, B) of the log's clock: seconds, or with a unit (12h, 30d)", "A:B" },
  { "scale-load", FALSE, parse_scale_load, "Divide the times between submits by F", "F" },
  { "warmup", FALSE, parse_warmup, "Leave this much out of the metrics at the beginning", "TIME" },
  { "cooldown", FALSE, parse_cooldown, "Leave this much out of the metrics at the end", "TIME" },
  { "sort", TRUE, parse_sort, "Read the whole log first and sort it by submit time", NULL },
  { "lenient", TRUE, parse_lenient,
    "Accept lines with more than 18 fields and times below -1, and count them", NULL },
  { "out", FALSE, parse_out, "Write jobs.csv, summary.json and results.sqlite into DIR", "DIR" },
  { "shake", FALSE, parse_shake,
    "With --out: run N more times with each submit moved at random, and write their summaries to "
    "shaken.csv, for lockstep compare",
    "N" },
  { "shake-by", FALSE, parse_shake_by, "How far a submit is moved at most (default 1m)", "TIME" },
  { "batsim", TRUE, parse_batsim,
    "With --out: write batsim_jobs.csv too, for Evalys and other tools that plot Batsim's results",
    NULL },
  { "journal", FALSE, parse_journal, "Write the run's journal, for lockstep replay", "FILE" },
  { "journal-standing", TRUE, parse_journal_standing,
    "Tell in the journal, behind each pass, how each pending job stands, for lockstep verify",
    NULL },
  { "show", FALSE, parse_show,
    "Print what Slurm's commands would show: sprio,sshare,squeue, or with options of theirs: "
    "'sprio -l; sshare -a'",
    "REPORTS" },
  { "at", FALSE, parse_at,
    "When, for --show (default at the last submit): seconds of the log's clock, with a unit (12h, "
    "30d), since the first submit (+12h), or dates",
    "TIME,..." },
  { "json", TRUE, parse_json, "Print the summary as JSON", NULL },
  { "progress", FALSE, parse_progress,
    "Progress line: on a terminal for runs over a second (auto, the default), always, or never",
    "auto|always|never" },
};
#define SETTING_COUNT G_N_ELEMENTS (settings)

/* ---------------------------------------------------------------- bringing the texts together */

typedef struct {
  Given given[SETTING_COUNT];
  char *texts[SETTING_COUNT]; /* as GOption leaves them */
  gboolean flags[SETTING_COUNT];
  char *config_path;
  char **plugins;
  char **map;
  char **arguments;
} Input;

static void
input_clear (Input *self)
{
  for (gsize i = 0; i < SETTING_COUNT; i++) {
    g_free (self->given[i].text);
    g_free (self->given[i].place);
    g_free (self->texts[i]);
  }
  g_free (self->config_path);
  g_strfreev (self->plugins);
  g_strfreev (self->map);
  g_strfreev (self->arguments);
}

static const char description[] =
    "TRACE is a log: Standard Workload Format, sacct text or JSON, UBCCR events, or CSV; plain, "
    ".gz\n"
    "or .zst; - is standard input.\n"
    "Every long option but --config and --seconds can also stand in FILE.yaml under its name, with "
    "trace for\n"
    "the TRACE; what the command line says goes first. lockstep policy list shows the policies.\n"
    "\n"
    "Exit status: 0 done, 1 failure (a bad log, a full disk), 2 wrong command line.\n"
    "\n"
    "Examples:\n"
    "  lockstep sim KTH-SP2.swf.gz --order sjf --backfill easy --out sjf-easy\n"
    "  lockstep sim KTH-SP2.swf.gz --order 'expr:(wait+estimate)/estimate' --json\n"
    "  lockstep sim jobs.sacct --cluster slurm.conf --order fifo --backfill slurm\n"
    "  lockstep sim jobs.sacct --cluster slurm.conf --accounts dump.cfg --show 'sprio -l' --at 2d\n"
    "  lockstep sim KTH-SP2.swf.gz --backfill 'easy:order=sjf,reservations=2' --journal run.jnl\n";

static gboolean
read_command_line (Input *self, int argc, char **argv, GError **error)
{
  GOptionEntry entries[SETTING_COUNT + 5] = { { 0 } };
  gsize count = 0;
  for (gsize i = 1; i < SETTING_COUNT; i++)
    entries[count++] = (GOptionEntry){
      .long_name = settings[i].name,
      .arg = settings[i].is_flag ? G_OPTION_ARG_NONE : G_OPTION_ARG_STRING,
      .arg_data = settings[i].is_flag ? (gpointer)&self->flags[i] : (gpointer)&self->texts[i],
      .description = settings[i].help,
      .arg_description = settings[i].value,
    };
  entries[count++] = (GOptionEntry){ .long_name = "plugin",
                                     .arg = G_OPTION_ARG_FILENAME_ARRAY,
                                     .arg_data = &self->plugins,
                                     .description = "Load a policy plugin (may be repeated)",
                                     .arg_description = "FILE.so" };
  entries[count++] = (GOptionEntry){ .long_name = "map",
                                     .arg = G_OPTION_ARG_STRING_ARRAY,
                                     .arg_data = &self->map,
                                     .description = "Override a rule by which the log is read "
                                                    "(may be repeated): procs=gpus",
                                     .arg_description = "KEY=VALUE" };
  entries[count++] = (GOptionEntry){ .long_name = "config",
                                     .arg = G_OPTION_ARG_FILENAME,
                                     .arg_data = &self->config_path,
                                     .description = "Take settings from a file",
                                     .arg_description = "FILE.yaml" };
  entries[count++] = (GOptionEntry)LK_DURATION_ENTRY;
  g_autoptr (GOptionContext) context =
      g_option_context_new ("TRACE - replay a log under a policy on a virtual machine");
  g_option_context_add_main_entries (context, entries, NULL);
  g_option_context_set_description (context, description);
  self->arguments = lk_verb_parse (context, argc, argv, 0, 1, error);
  return self->arguments != NULL;
}

static void
give (Given *given, const char *text, char *place)
{
  g_free (given->text);
  g_free (given->place);
  given->text = g_strdup (text);
  given->place = place;
}

static gboolean
read_file (Input *self, LkSettings *out, GError **error)
{
  const char *keys[SETTING_COUNT + 3] = { "plugin" };
  g_autoptr (GPtrArray) pairs = NULL;
  for (gsize i = 0; i < SETTING_COUNT; i++)
    keys[i + 1] = settings[i].name;
  keys[SETTING_COUNT + 1] = "map";
  if (self->config_path == NULL)
    return TRUE;
  if (!lk_config_file_read (self->config_path, keys, &pairs, error))
    return FALSE;
  for (guint p = 0; p < pairs->len; p++) {
    const LkConfigPair *pair = g_ptr_array_index (pairs, p);
    if (strcmp (pair->key, "plugin") == 0)
      g_ptr_array_add (out->plugins, g_strdup (pair->value));
    if (strcmp (pair->key, "map") == 0)
      g_ptr_array_add (out->map, g_strdup (pair->value));
    for (gsize i = 0; i < SETTING_COUNT; i++)
      if (strcmp (pair->key, settings[i].name) == 0)
        give (&self->given[i], pair->value,
              g_strdup_printf ("%s:%u:%u: %s", self->config_path, pair->line, pair->column,
                               pair->key));
  }
  return TRUE;
}

/* The command line goes over what the file said. */
static void
merge (Input *self, LkSettings *out)
{
  for (gsize i = 0; i < SETTING_COUNT; i++) {
    const char *text = self->flags[i] ? "true" : self->texts[i];
    if (text != NULL)
      give (&self->given[i], text, g_strdup_printf ("--%s", settings[i].name));
  }
  if (self->arguments[0] != NULL)
    give (&self->given[0], self->arguments[0], g_strdup ("TRACE"));
  for (guint i = 0; self->plugins != NULL && self->plugins[i] != NULL; i++)
    g_ptr_array_add (out->plugins, g_strdup (self->plugins[i]));
  for (guint i = 0; self->map != NULL && self->map[i] != NULL; i++)
    g_ptr_array_add (out->map, g_strdup (self->map[i]));
  g_ptr_array_add (out->map, NULL);
}

static void
set_defaults (LkSettings *self)
{
  *self = (LkSettings){ 0 };
  lk_trace_options_init (&self->trace);
  self->plugins = g_ptr_array_new_with_free_func (g_free);
  self->map = g_ptr_array_new_with_free_func (g_free);
  self->places = g_ptr_array_new_with_free_func (g_free);
  self->order = g_strdup ("fifo");
  self->backfill = g_strdup ("full");
  self->select = g_strdup ("pool");
  self->seed = 1;
  self->users.think_us = -1;
  self->shake_by_us = LK_SHAKE_BY_DEFAULT_US;
  self->sample_us = G_GINT64_CONSTANT (6) * 3600 * G_USEC_PER_SEC;
}

/* Settings that a run of commands has; the others are about logs and their results. */
static gboolean
check_commands (const LkSettings *self, const Input *input, GError **error)
{
  static const char *const known[] = {
    "commands",  "cluster",        "accounts",    "compat",
    "limits",    "order",          "backfill",    "select",
    "journal",   "show",           "at",          "seed",
    "kill-wait", "launch-latency", "limit-check", "journal-standing",
    NULL
  };
  for (gsize i = 0; self->commands != NULL && i < SETTING_COUNT; i++) {
    if (input->given[i].text == NULL || g_strv_contains (known, settings[i].name))
      continue;
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE, "%s has no place beside --commands",
                 input->given[i].place);
    return FALSE;
  }
  return TRUE;
}

static gboolean
parse_given (LkSettings *self, const Input *input, GError **error)
{
  for (gsize i = 0; i < SETTING_COUNT; i++)
    if (input->given[i].text != NULL) {
      if (!g_str_has_prefix (input->given[i].place, "--"))
        g_ptr_array_add (self->places, g_strdup (input->given[i].place));
      if (!settings[i].parse (self, &input->given[i], error))
        return FALSE;
    }
  if (self->commands != NULL && !self->has_backfill) /* a script is of Slurm's commands */
    take_text (&self->backfill, &(Given){ .text = "slurm" }, error);
  self->latency.seed = self->seed;
  if (!lk_settings_check_together (self, error) || !check_commands (self, input, error))
    return FALSE;
  if (self->estimates == NULL) {
    self->estimates_text = g_strdup ("trace");
    return lk_estimates_parse ("trace", self->seed, &self->estimates, error);
  }
  return TRUE;
}

gboolean
lk_settings_parse (LkSettings *self, int argc, char **argv, GError **error)
{
  Input input = { 0 };
  set_defaults (self);
  gboolean good = read_command_line (&input, argc, argv, error) && read_file (&input, self, error);
  if (good) {
    merge (&input, self);
    good = parse_given (self, &input, error);
  }
  input_clear (&input);
  if (!good)
    lk_settings_clear (self);
  return good;
}

void
lk_settings_clear (LkSettings *self)
{
  g_clear_pointer (&self->trace_path, g_free);
  g_clear_pointer (&self->commands, g_free);
  g_clear_pointer (&self->cluster_name, g_free);
  g_clear_pointer (&self->csv_map, g_free);
  g_clear_pointer (&self->columns, g_free);
  g_clear_pointer (&self->failures, g_free);
  g_clear_pointer (&self->reservations, g_free);
  g_clear_pointer (&self->accounts, g_free);
  g_clear_pointer (&self->limits, g_free);
  g_clear_pointer (&self->preempt, g_free);
  g_clear_pointer (&self->show, g_free);
  g_clear_pointer (&self->at, g_free);
  g_clear_pointer (&self->map, g_ptr_array_unref);
  g_clear_pointer (&self->plugins, g_ptr_array_unref);
  g_clear_pointer (&self->places, g_ptr_array_unref);
  g_clear_pointer (&self->order, g_free);
  g_clear_pointer (&self->backfill, g_free);
  g_clear_pointer (&self->select, g_free);
  g_clear_pointer (&self->launch_latency, g_free);
  g_clear_pointer (&self->limit_check, g_free);
  g_clear_pointer (&self->kill_wait, g_free);
  g_clear_pointer (&self->estimates_text, g_free);
  g_clear_pointer (&self->estimates, lk_estimates_free);
  g_clear_pointer (&self->out_path, g_free);
  g_clear_pointer (&self->journal_path, g_free);
}

void
lk_settings_prefix_place (const LkSettings *self, GError **error)
{
  /* The registry's messages begin with the seam; the places end with it: "run.yaml:3:8: order". */
  for (guint i = 0; i < self->places->len; i++) {
    const char *place = g_ptr_array_index (self->places, i);
    const char *name = strrchr (place, ' ');
    gsize position_bytes = name != NULL ? (gsize)(name + 1 - place) : 0;
    if (name == NULL || !g_str_has_prefix ((*error)->message, name + 1))
      continue;
    g_prefix_error (error, "%.*s", (int)position_bytes, place);
    return;
  }
}

const char *
lk_settings_limit_name (const LkSettings *self)
{
  return limit_names[self->stretch ? 1 : 0];
}

const char *
lk_settings_tie_rule_name (const LkSettings *self)
{
  return tie_rule_names[self->tie_rule == LK_TIE_SEQUENTIAL ? 1 : 0];
}
