/* sim/verb_report.c — what sprio, sshare and squeue would have printed at a moment of a recorded
 * run. */
#include "sim/verb_report.h"

#include <stdio.h>

#include "sim/error.h"
#include "sim/journal_file.h"
#include "sim/journal_names.h"
#include "sim/replay.h"
#include "sim/report.h"
#include "sim/show.h"
#include "sim/verb.h"

/* A clock that is later than this, 1980, counts from 1970: no log is of so many years. */
#define DATED_US (G_GINT64_CONSTANT (315532800) * G_USEC_PER_SEC)

typedef struct {
  LkReportOptions report;
  char *at;
  gboolean json;
  char **plugins;
  char **arguments;
} Options;

typedef struct {
  const Options *options;
  const LkEngineConfig *config; /* of the journal's header */
  const LkEngine *engine;       /* while a report is written */
  const LkJournalNames *names;
  gboolean has_accounts; /* they name the users */
  gint64 until_us;       /* LK_TIME_NEVER: that of the last event */
  GError *error;         /* there is no such report */
} Question;

static const char description[] =
    "Replays the journal up to a moment, and prints the table as Slurm 26.05 lays it out. JOBID "
    "is\n"
    "the job's number in its log; '7(log:5)' is job 7 of the journal and job 5 of the log. -j\n"
    "accepts both numbers, and 'id:7' or 'log:5' where 7 is also the log's number of another job.\n"
    "docs/reports.md describes the columns.\n"
    "\n"
    "Without --at the moment is that of the last event. At the end of a simulation all jobs have\n"
    "ended; 'lockstep sim --show' prints the same while it runs.\n"
    "\n"
    "Exit status: 0 done; 1 the journal cannot be read, or its run has nothing to report (sprio\n"
    "needs the order multifactor, sshare accounts); 2 wrong command line; 3 the journal's "
    "decisions\n"
    "are not those that this program makes.\n";

static gboolean
parse_options (Options *out, LkReportKind kind, char **argv, GError **error)
{
  const GOptionEntry entries[] = {
    { "at", 0, 0, G_OPTION_ARG_STRING, &out->at,
      "The moment: behind event number N, or TIME of the trace's clock (with a unit: 90m, 7d; or a "
      "date, of a log with dates)",
      "N|TIME" },
    { "json", 0, 0, G_OPTION_ARG_NONE, &out->json, "Print as JSON", NULL },
    { "plugin", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &out->plugins,
      "Load a policy plugin that the journal needs (may be repeated)", "FILE.so" },
    G_OPTION_ENTRY_NULL,
  };
  static const char *const summaries[LK_REPORT_KIND_COUNT] = {
    "JOURNAL - what the priorities of waiting jobs were made of",
    "JOURNAL - shares, use and fairshare of accounts and users",
    "JOURNAL - the jobs that waited and ran",
  };
  const LkReportUsage usage = {
    .entries = entries, .summary = summaries[kind], .description = description, .argument_count = 1
  };
  return lk_report_options_parse (&out->report, kind, &usage, argv, &out->arguments, error);
}

/* A bare number is an event; with a unit it is a time. */
static gboolean
parse_at (const char *text, LkReplayOptions *out, GError **error)
{
  out->until_seq = G_MAXUINT64;
  out->until_us = LK_TIME_NEVER;
  if (text == NULL
      || g_ascii_string_to_unsigned (text, 10, 0, G_MAXUINT64 - 1, &out->until_seq, NULL))
    return TRUE;
  /* The clock of logs with dates counts from 1970. */
  return lk_show_moment_parse ("--at", text, /* unix_start_s= */ 0, &out->until_us, error);
}

static const char *
user_name (gpointer user, guint32 job_id)
{
  LkJobInfo info;
  const Question *self = user;
  if (self->has_accounts || !lk_engine_job (self->engine, job_id, &info))
    return NULL;
  return lk_journal_names_user (self->names, info.user_id);
}

static void
print_report (gpointer user, const LkEngine *engine)
{
  Question *self = user;
  const LkReportOptions *options = &self->options->report;
  g_autoptr (GString) text = g_string_new (NULL);
  LkEngineCounts counts;
  lk_engine_counts (engine, &counts);
  gint64 at_us = self->until_us != LK_TIME_NEVER ? self->until_us : counts.now_us;
  if (at_us == G_MININT64)
    at_us = 0; /* before the first event */
  g_autoptr (LkEngine) later = lk_report_engine_at (engine, self->config, at_us);
  /* That in force: an event may have brought another than the header's. */
  const LkEngineConfig *config = lk_engine_config (later);
  if (!lk_report_check (config, options, &self->error))
    return;
  self->engine = later;
  LkReportState state = { .engine = later,
                          .config = config,
                          .user_name = user_name,
                          .names = self->names,
                          .user = self,
                          .at_us = at_us,
                          .unix_start_s = at_us >= DATED_US ? 0 : -1 };
  if (self->options->json) {
    LkJsonOut json;
    lk_json_out_init (&json, text);
    lk_report_json (&state, options, NULL, &json);
  } else {
    lk_report_write (&state, options, text);
  }
  fputs (text->str, stdout);
}

/* What went wrong with the journal, on standard error. */
static int
tell_outcome (const char *verb, const LkReplayReport *report, const LkJournalReader *reader)
{
  if (report->outcome != LK_REPLAY_SAME) {
    g_printerr ("lockstep %s: the journal's decisions are not those made now, from event "
                "%" G_GUINT64_FORMAT " on; see lockstep replay\n",
                verb, report->difference_seq);
    return LK_EXIT_DIFFERS;
  }
  if (report->state != LK_JOURNAL_CORRUPT)
    return 0;
  g_autofree char *state = lk_journal_state_text (report->state, reader);
  g_printerr ("lockstep %s: the journal is %s\n", verb, state);
  return LK_EXIT_FAILURE;
}

static int
run (const Options *options, LkJournalInput *input, GError **error)
{
  LkReplayReport report;
  LkReplayOptions replay = { .reader = input->reader };
  if (!parse_at (options->at, &replay, error))
    return -1;
  g_autoptr (LkRegistry) registry = lk_verb_registry (options->plugins, error);
  if (registry == NULL)
    return -1;
  g_autoptr (LkSetup) setup = lk_setup_new_from_header (registry, &input->header, error);
  if (setup == NULL)
    return -1;
  g_autoptr (LkJournalNames) names = lk_journal_names_read (input);
  Question question = { .options = options,
                        .config = lk_setup_config (setup),
                        .names = names,
                        .has_accounts = input->header.accounts.length_bytes > 0,
                        .until_us = replay.until_us };
  replay.config = question.config;
  replay.arrive = print_report;
  replay.user = &question;
  lk_replay_run (&replay, &report);
  int code = tell_outcome (lk_report_kind_name (options->report.kind), &report, input->reader);
  lk_replay_report_clear (&report);
  if (question.error == NULL)
    return code;
  g_propagate_error (error, question.error);
  return -1;
}

static int
verb (LkReportKind kind, char **argv)
{
  Options options = { 0 };
  LkJournalInput input = { 0 };
  g_autoptr (GError) error = NULL;
  int code = -1;
  /* GOption takes words out of the list that it is given. */
  g_autofree char **words = g_memdup2 (argv, (g_strv_length (argv) + 1) * sizeof *argv);
  if (parse_options (&options, kind, words, &error)
      && lk_journal_input_open (&input, options.arguments[0], &error))
    code = run (&options, &input, &error);
  if (input.reader != NULL)
    lk_journal_input_close (&input);
  lk_report_options_clear (&options.report);
  g_free (options.at);
  g_strfreev (options.plugins);
  g_strfreev (options.arguments);
  return code >= 0 ? code : lk_verb_fail (lk_report_kind_name (kind), error);
}

int
lk_verb_sprio (int argc, char **argv)
{
  (void)argc;
  return verb (LK_REPORT_SPRIO, argv);
}

int
lk_verb_sshare (int argc, char **argv)
{
  (void)argc;
  return verb (LK_REPORT_SSHARE, argv);
}

int
lk_verb_squeue (int argc, char **argv)
{
  (void)argc;
  return verb (LK_REPORT_SQUEUE, argv);
}
