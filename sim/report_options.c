/* sim/report_options.c — the command lines of the reports. */
#include <string.h>

#include "engine/suggest.h"
#include "sim/error.h"
#include "sim/report.h"
#include "sim/verb.h"

#define ENTRIES_MAX 32u

/* As GOption leaves them. */
typedef struct {
  char *users;
  char *accounts;
  char *partitions;
  char *jobs;
  char *states;
  gboolean unused;
} Texts;

#define FLAG(name, letter, member, help)                                                           \
  {                                                                                                \
    name, letter, 0, G_OPTION_ARG_NONE, &(member), help, NULL                                      \
  }
#define TEXT(name, letter, member, help, value)                                                    \
  {                                                                                                \
    name, letter, 0, G_OPTION_ARG_STRING, &(member), help, value                                   \
  }

static guint
add_entries (GOptionEntry *out, guint count, const GOptionEntry *entries)
{
  for (; entries != NULL && entries->long_name != NULL && count + 1 < ENTRIES_MAX; entries++)
    out[count++] = *entries;
  return count;
}

static guint
add_sprio (LkReportOptions *self, Texts *texts, GOptionEntry *out)
{
  const GOptionEntry entries[] = {
    FLAG ("long", 'l', self->is_long, "All columns"),
    FLAG ("norm", 'n', self->normalized, "The factors themselves, not times their weights"),
    FLAG ("weights", 'w', self->weights, "The weights instead of jobs"),
    FLAG ("noheader", 'h', self->no_heading, "No heading"),
    TEXT ("format", 'o', self->format, "Columns, such as '%.15i %9r %.10Y'", "FORMAT"),
    TEXT ("jobs", 'j', texts->jobs, "Only these jobs", "ID,..."),
    TEXT ("user", 'u', texts->users, "Only jobs of these users", "NAME,..."),
    TEXT ("partition", 'p', texts->partitions, "Only jobs of these partitions", "NAME,..."),
    G_OPTION_ENTRY_NULL,
  };
  return add_entries (out, 0, entries);
}

static guint
add_sshare (LkReportOptions *self, Texts *texts, GOptionEntry *out)
{
  const GOptionEntry entries[] = {
    FLAG ("all", 'a', self->all_users, "All users; else accounts and user root"),
    FLAG ("long", 'l', self->is_long, "All columns"),
    FLAG ("partition", 'm', self->by_partition, "The partitions of associations, too"),
    FLAG ("parsable2", 'P', self->parsable2, "Columns divided by |"),
    FLAG ("parsable", 'p', self->parsable, "Columns divided by |, with one at the end"),
    FLAG ("noheader", 'n', self->no_heading, "No heading"),
    FLAG ("Users", 'U', self->only_users, "Only users, no accounts"),
    TEXT ("user", 'u', texts->users, "Only these users, and accounts", "NAME,..."),
    TEXT ("accounts", 'A', texts->accounts, "Only these accounts", "NAME,..."),
    TEXT ("format", 'o', self->format, "Columns by name: Account,User%20,FairShare", "FORMAT"),
    G_OPTION_ENTRY_NULL,
  };
  return add_entries (out, 0, entries);
}

static guint
add_squeue (LkReportOptions *self, Texts *texts, GOptionEntry *out)
{
  const GOptionEntry entries[] = {
    FLAG ("long", 'l', self->is_long, "States in words, and time limits"),
    FLAG ("noheader", 'h', self->no_heading, "No heading"),
    FLAG ("all", 'a', texts->unused, "All partitions, as always"),
    FLAG ("array", 'r', self->by_task, "A row for each task of an array that waits"),
    FLAG ("start", 0, self->by_start, "When and where pending jobs are planned to start"),
    TEXT ("format", 'o', self->format, "Columns, such as '%.18i %.9P %Q %r'", "FORMAT"),
    TEXT ("sort", 'S', self->sort, "By which columns, - falling (default P,t,-p)", "LETTERS"),
    TEXT ("jobs", 'j', texts->jobs, "Only these jobs", "ID,..."),
    TEXT ("user", 'u', texts->users, "Only jobs of these users", "NAME,..."),
    TEXT ("account", 'A', texts->accounts, "Only jobs of these accounts", "NAME,..."),
    TEXT ("partition", 'p', texts->partitions, "Only jobs of these partitions", "NAME,..."),
    TEXT ("states", 't', texts->states, "Only jobs in these states: PD, R", "STATE,..."),
    G_OPTION_ENTRY_NULL,
  };
  return add_entries (out, 0, entries);
}

static char **
words_of (char *text)
{
  char **words = text != NULL ? g_strsplit (text, ",", -1) : NULL;
  g_free (text);
  return words;
}

/* Slurm's words for states; of those that are none here there are just no jobs. */
static gboolean
check_states (char *const *states, GError **error)
{
  static const char *const known[] = {
    "ALL", "PD", "PENDING",   "R",  "RUNNING", "S",  "SUSPENDED", "CG",  "COMPLETING",
    "CD",  "CA", "CANCELLED", "F",  "FAILED",  "TO", "TIMEOUT",   "NF",  "NODE_FAIL",
    "PR",  "BF", "PREEMPTED", "DL", "CF",      "RQ", "DEADLINE",  "OOM", "OUT_OF_MEMORY",
    "ST",  "SE", "STOPPED",   "RV", "REVOKED", "RS", "RESIZING",  "SI",  "COMPLETED",
    "SO",  NULL,
  };
  for (guint i = 0; states != NULL && states[i] != NULL; i++) {
    g_autofree char *word = g_ascii_strup (states[i], -1);
    if (!g_strv_contains (known, word)) {
      g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE, "invalid job state '%s'", states[i]);
      return FALSE;
    }
  }
  return TRUE;
}

static gboolean
check_jobs (char *const *jobs, GError **error)
{
  for (guint i = 0; jobs != NULL && jobs[i] != NULL; i++)
    if (!lk_journal_names_is_job (jobs[i])) {
      g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE, "invalid job id '%s'", jobs[i]);
      return FALSE;
    }
  return TRUE;
}

static gboolean
parse (LkReportOptions *self, const LkReportUsage *usage, char **argv, char ***out_arguments,
       GError **error)
{
  GOptionEntry entries[ENTRIES_MAX] = { { 0 } };
  Texts texts = { 0 };
  guint count = self->kind == LK_REPORT_SPRIO    ? add_sprio (self, &texts, entries)
                : self->kind == LK_REPORT_SSHARE ? add_sshare (self, &texts, entries)
                : self->kind == LK_REPORT_SQUEUE ? add_squeue (self, &texts, entries)
                                                 : 0; /* the report of reservations has none */
  add_entries (entries, count, usage->entries);
  g_autoptr (GOptionContext) context = g_option_context_new (usage->summary);
  g_option_context_add_main_entries (context, entries, NULL);
  g_option_context_set_description (context, usage->description);
  g_option_context_set_help_enabled (context, usage->entries != NULL);
  g_auto (GStrv) arguments = lk_verb_parse (context, (int)g_strv_length (argv), argv,
                                            usage->argument_count, usage->argument_count, error);
  self->users = words_of (texts.users);
  self->accounts = words_of (texts.accounts);
  self->partitions = words_of (texts.partitions);
  self->jobs = words_of (texts.jobs);
  self->states = words_of (texts.states);
  if (arguments == NULL || !check_states (self->states, error) || !check_jobs (self->jobs, error))
    return FALSE;
  if (out_arguments != NULL)
    *out_arguments = g_steal_pointer (&arguments);
  return TRUE;
}

gboolean
lk_report_options_parse (LkReportOptions *self, LkReportKind kind, const LkReportUsage *usage,
                         char **argv, char ***out_arguments, GError **error)
{
  *self = (LkReportOptions){ .kind = kind };
  if (parse (self, usage, argv, out_arguments, error))
    return TRUE;
  lk_report_options_clear (self);
  return FALSE;
}

void
lk_report_options_clear (LkReportOptions *self)
{
  g_clear_pointer (&self->format, g_free);
  g_clear_pointer (&self->sort, g_free);
  g_clear_pointer (&self->users, g_strfreev);
  g_clear_pointer (&self->accounts, g_strfreev);
  g_clear_pointer (&self->partitions, g_strfreev);
  g_clear_pointer (&self->jobs, g_strfreev);
  g_clear_pointer (&self->states, g_strfreev);
}

/* ---------------------------------------------------------------- lists of commands */

static void
options_free (gpointer user)
{
  LkReportOptions *self = user;
  lk_report_options_clear (self);
  g_free (self);
}

static gboolean
kind_of (const char *name, LkReportKind *out_kind, GError **error)
{
  static const LkReportKind kinds[] = { LK_REPORT_SPRIO, LK_REPORT_SSHARE, LK_REPORT_SQUEUE,
                                        LK_REPORT_RESERVATIONS, LK_REPORT_SQUEUE };
  const char *names[] = { "sprio", "sshare", "squeue", "reservations", "queue", NULL };
  for (guint i = 0; names[i] != NULL; i++)
    if (strcmp (names[i], name) == 0) {
      *out_kind = kinds[i];
      return TRUE;
    }
  g_autofree char *phrase = lk_suggest_phrase (name, names);
  g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE, "there is no report '%s'%s", name, phrase);
  return FALSE;
}

/* One command, as a shell would take it apart. */
static gboolean
add_command (GPtrArray *list, const char *text, GError **error)
{
  const LkReportUsage usage = { 0 };
  g_auto (GStrv) argv = NULL;
  LkReportKind kind;
  if (!g_shell_parse_argv (text, NULL, &argv, error)) {
    (*error)->domain = LK_SIM_ERROR;
    (*error)->code = LK_SIM_ERROR_USAGE;
    return FALSE;
  }
  if (!kind_of (argv[0], &kind, error))
    return FALSE;
  LkReportOptions *options = g_new0 (LkReportOptions, 1);
  g_ptr_array_add (list, options);
  g_autofree char **words = g_memdup2 (argv, (g_strv_length (argv) + 1) * sizeof *argv);
  return lk_report_options_parse (options, kind, &usage, words, NULL, error);
}

GPtrArray *
lk_report_list_parse (const char *text, GError **error)
{
  g_autoptr (GPtrArray) list = g_ptr_array_new_with_free_func (options_free);
  /* Commas divide only where there are no options, which may have commas of their own. */
  const char *divider = strpbrk (text, " ;") != NULL ? ";" : ",";
  g_auto (GStrv) commands = g_strsplit (text, divider, -1);
  for (guint i = 0; commands[i] != NULL; i++) {
    g_strstrip (commands[i]);
    if (commands[i][0] == '\0') {
      g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE,
                   "a report is missing; expected such as 'sprio -l; squeue'");
      return NULL;
    }
    if (!add_command (list, commands[i], error))
      return NULL;
  }
  return g_steal_pointer (&list);
}
