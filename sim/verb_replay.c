/* sim/verb_replay.c — re-applies a journal's events and verifies its decisions. */
#include "sim/verb_replay.h"

#include <stdio.h>

#include "sim/arguments.h"
#include "sim/error.h"
#include "sim/journal_file.h"
#include "sim/replay.h"
#include "sim/verb.h"

typedef struct {
  char *until;
  gboolean print;
  gboolean json;
  char **plugins;
  char **arguments;
} Options;

static const char description[] =
    "Builds an engine with the configuration in the journal's header, applies the recorded\n"
    "events, and compares every decision with the recorded one.\n"
    "\n"
    "Exit status: 0 the same decisions; 1 the journal cannot be read, or its end is torn or "
    "corrupt; 2 wrong\n"
    "command line; 3 a decision differs (its number, both decisions and the job are printed).\n"
    "A journal without an end, as a crash leaves it, is verified up to its last whole record.\n"
    "\n"
    "Example: lockstep replay run.journal --until 7d --print | tail -n 1";

static gboolean
parse_options (int argc, char **argv, Options *out, GError **error)
{
  const GOptionEntry entries[] = {
    { "until", 'u', 0, G_OPTION_ARG_STRING, &out->until,
      "Stop behind event number N, or before the first event later than TIME (with a unit: 90m, "
      "7d) of the trace's clock; print the state there",
      "N|TIME" },
    { "print", 'p', 0, G_OPTION_ARG_NONE, &out->print,
      "Print each event with its decisions as one line of JSON", NULL },
    { "json", 0, 0, G_OPTION_ARG_NONE, &out->json, "Print the outcome as JSON", NULL },
    { "plugin", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &out->plugins,
      "Load a policy plugin that the journal needs (may be repeated)", "FILE.so" },
    G_OPTION_ENTRY_NULL,
  };
  g_autoptr (GOptionContext) context =
      g_option_context_new ("JOURNAL - re-apply a run and verify its decisions");
  g_option_context_add_main_entries (context, entries, NULL);
  g_option_context_set_description (context, description);
  out->arguments = lk_verb_parse (context, argc, argv, 1, 1, error);
  return out->arguments != NULL;
}

/* A bare number is an event; with a unit it is a time. */
static gboolean
parse_until (const char *text, LkReplayOptions *out, GError **error)
{
  out->until_seq = G_MAXUINT64;
  out->until_us = LK_TIME_NEVER;
  if (text == NULL
      || g_ascii_string_to_unsigned (text, 10, 0, G_MAXUINT64 - 1, &out->until_seq, NULL))
    return TRUE;
  return lk_argument_duration_us ("--until", text, &out->until_us, error);
}

static void
print_line (gpointer user, const char *line)
{
  (void)user;
  puts (line);
}

/* Bytes after the last whole record are no record: nothing is known of what they were. */
static gboolean
is_damaged (const LkReplayReport *report)
{
  return report->state == LK_JOURNAL_CORRUPT || report->state == LK_JOURNAL_TORN;
}

static void
print_state (const LkReplayReport *report)
{
  if (report->counts.event_count == 0) {
    printf ("state there: before the first event\n");
    return;
  }
  printf ("state there: time %.6f s, %u units free, %u jobs pending, %u running\n",
          (double)report->counts.now_us / 1e6, report->counts.units_free,
          report->counts.pending_count, report->counts.running_count);
}

static void
print_outcome (const LkReplayReport *report, const LkJournalReader *reader)
{
  char digest[LK_DIGEST_TEXT_BYTES];
  g_autofree char *state = lk_journal_state_text (report->state, reader);
  lk_digest_value_text (report->digest, digest);
  if (report->outcome != LK_REPLAY_SAME) {
    printf ("%s at event %" G_GUINT64_FORMAT "\n%s",
            report->outcome == LK_REPLAY_REFUSED ? "REFUSED" : "DIFFERENT", report->difference_seq,
            report->difference->str);
    return;
  }
  if (is_damaged (report))
    printf ("NOT WHOLE, the same only up to there: ");
  else if (report->counts.event_count == 0)
    printf ("nothing to verify: ");
  else
    printf ("same decisions: ");
  printf ("%" G_GUINT64_FORMAT " events, %" G_GUINT64_FORMAT " decisions, digest %s, journal %s\n",
          report->counts.event_count, report->counts.decision_count, digest,
          report->state == LK_JOURNAL_EVENT ? "read as far as asked" : state);
  if (report->state == LK_JOURNAL_EVENT)
    print_state (report);
}

static void
print_outcome_json (const LkReplayReport *report, const LkJournalReader *reader)
{
  char digest[LK_DIGEST_TEXT_BYTES];
  g_autofree char *state = lk_journal_state_text (report->state, reader);
  g_autofree char *difference = g_strescape (report->difference->str, NULL);
  lk_digest_value_text (report->digest, digest);
  printf ("{\"same\":%s,\"events\":%" G_GUINT64_FORMAT ",\"decisions\":%" G_GUINT64_FORMAT
          ",\"digest\":\"%s\",\"journal\":\"%s\",\"now_us\":%" G_GINT64_FORMAT
          ",\"units_free\":%u,\"pending\":%u,\"running\":%u,\"difference_seq\":%" G_GUINT64_FORMAT
          ",\"difference\":\"%s\"}\n",
          report->outcome == LK_REPLAY_SAME ? "true" : "false", report->counts.event_count,
          report->counts.decision_count, digest, state, report->counts.now_us,
          report->counts.units_free, report->counts.pending_count, report->counts.running_count,
          report->difference_seq, difference);
}

static int
exit_code (const LkReplayReport *report)
{
  if (report->outcome != LK_REPLAY_SAME)
    return LK_EXIT_DIFFERS;
  return is_damaged (report) ? LK_EXIT_FAILURE : 0;
}

static int
run (const Options *options, LkJournalInput *input, GError **error)
{
  LkReplayReport report;
  LkReplayOptions replay = { .reader = input->reader };
  if (!parse_until (options->until, &replay, error))
    return -1;
  g_autoptr (LkRegistry) registry = lk_verb_registry (options->plugins, error);
  if (registry == NULL)
    return -1;
  g_autoptr (LkSetup) setup = lk_setup_new_from_header (registry, &input->header, error);
  if (setup == NULL)
    return -1;
  replay.config = lk_setup_config (setup);
  replay.print = options->print ? print_line : NULL;
  lk_replay_run (&replay, &report);
  if (options->json)
    print_outcome_json (&report, input->reader);
  else
    print_outcome (&report, input->reader);
  int code = exit_code (&report);
  lk_replay_report_clear (&report);
  return code;
}

int
lk_verb_replay (int argc, char **argv)
{
  Options options = { 0 };
  LkJournalInput input = { 0 };
  g_autoptr (GError) error = NULL;
  int code = -1;
  if (parse_options (argc, argv, &options, &error)
      && lk_journal_input_open (&input, options.arguments[0], &error))
    code = run (&options, &input, &error);
  if (code < 0)
    code = lk_verb_fail ("replay", error);
  lk_journal_input_close (&input);
  g_strfreev (options.plugins);
  g_strfreev (options.arguments);
  g_free (options.until);
  return code;
}
