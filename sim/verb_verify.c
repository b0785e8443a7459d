/* sim/verb_verify.c — checks a journal's decisions without the engine that made them. */
#include "sim/verb_verify.h"

#include <stdio.h>

#include "sim/audit.h"
#include "sim/error.h"
#include "sim/journal_file.h"
#include "sim/journal_names.h"
#include "sim/json_out.h"
#include "sim/verb.h"

#define FINDINGS_SHOWN 20

typedef struct {
  gboolean json;
  gboolean rules;
  gint64 limit;
  char **arguments;
} Options;

static const char description[] =
    "Follows the journal's events and decisions with a model of its own, which shares no code "
    "with\n"
    "the engine, and checks rules that hold of every schedule: nothing is granted twice, nobody\n"
    "starts against a hold, a limit, a dependency, a licence or a reservation, every job ends "
    "once.\n"
    "Of a run with --journal-standing it checks also that no promise was broken for a lower job,\n"
    "that nobody is passed who could start, and that each pending job has a reason that is true.\n"
    "\n"
    "Exit status: 0 nothing found; 1 the journal cannot be read; 2 wrong command line; 3 "
    "findings.\n"
    "\n"
    "Example: lockstep sim LOG --journal run.journal --journal-standing && lockstep verify "
    "run.journal";

static gboolean
parse_options (int argc, char **argv, Options *out, GError **error)
{
  const GOptionEntry entries[] = {
    { "json", 0, 0, G_OPTION_ARG_NONE, &out->json, "Print what was checked and found as JSON",
      NULL },
    { "rules", 0, 0, G_OPTION_ARG_NONE, &out->rules, "Print the rules (no JOURNAL) and exit",
      NULL },
    { "limit", 0, 0, G_OPTION_ARG_INT64, &out->limit, "Findings to print at most (default 20)",
      "N" },
    G_OPTION_ENTRY_NULL,
  };
  g_autoptr (GOptionContext) context =
      g_option_context_new ("JOURNAL - check a run against what must hold of every schedule");
  g_option_context_add_main_entries (context, entries, NULL);
  g_option_context_set_description (context, description);
  out->limit = FINDINGS_SHOWN;
  out->arguments = lk_verb_parse (context, argc, argv, 0, 1, error);
  return out->arguments != NULL;
}

static int
print_rules (void)
{
  for (guint rule = 0; rule < LK_AUDIT_RULE_COUNT; rule++)
    printf ("%-12s %s\n", lk_audit_rule_name (rule), lk_audit_rule_what (rule));
  return 0;
}

static void
print_finding (const LkAuditFinding *finding, const LkJournalNames *names)
{
  g_autoptr (GString) job = g_string_new (NULL);
  printf ("event %" G_GUINT64_FORMAT ", %.6f s, ", finding->seq, (double)finding->time_us / 1e6);
  lk_journal_names_append_job (names, finding->job_id, job);
  if (finding->job_id != 0)
    printf ("job %s: ", job->str);
  printf ("%s [%s]\n", finding->text, lk_audit_rule_name (finding->rule));
}

static void
print_plain (const LkAudit *audit, const LkJournalNames *names)
{
  for (guint i = 0; i < audit->findings->len; i++)
    print_finding (&g_array_index (audit->findings, LkAuditFinding, i), names);
  printf ("%s: %" G_GUINT64_FORMAT " events, %" G_GUINT64_FORMAT " decisions, %" G_GUINT64_FORMAT
          " starts, %" G_GUINT64_FORMAT " passes%s\n",
          audit->findings->len == 0 ? "nothing found" : "findings", audit->event_count,
          audit->decision_count, audit->start_count, audit->pass_count,
          audit->header.tells_standing != 0 ? ", with how jobs stood" : "");
}

static void
put_finding (LkJsonOut *json, const LkAuditFinding *finding, const LkJournalNames *names)
{
  const char *log_id = lk_journal_names_log_id (names, finding->job_id);
  lk_json_out_object_begin (json, NULL);
  lk_json_out_text (json, "rule", lk_audit_rule_name (finding->rule));
  lk_json_out_count (json, "event", finding->seq);
  lk_json_out_integer (json, "time_us", finding->time_us);
  lk_json_out_count (json, "job_id", finding->job_id);
  if (log_id != NULL)
    lk_json_out_text (json, "log_id", log_id);
  lk_json_out_text (json, "text", finding->text);
  lk_json_out_object_end (json);
}

static void
print_json (const LkAudit *audit, const LkJournalNames *names)
{
  g_autoptr (GString) text = g_string_new (NULL);
  LkJsonOut json;
  lk_json_out_init (&json, text);
  lk_json_out_object_begin (&json, NULL);
  lk_json_out_count (&json, "events", audit->event_count);
  lk_json_out_count (&json, "decisions", audit->decision_count);
  lk_json_out_count (&json, "starts", audit->start_count);
  lk_json_out_count (&json, "passes", audit->pass_count);
  lk_json_out_count (&json, "standing", audit->header.tells_standing);
  lk_json_out_array_begin (&json, "findings");
  for (guint i = 0; i < audit->findings->len; i++)
    put_finding (&json, &g_array_index (audit->findings, LkAuditFinding, i), names);
  lk_json_out_array_end (&json);
  lk_json_out_object_end (&json);
  puts (text->str);
}

static gboolean
verify (const Options *options, int *out_exit, GError **error)
{
  LkAudit audit;
  g_autofree char *wrong = NULL;
  g_autoptr (GMappedFile) file = lk_journal_map (options->arguments[0], error);
  if (file == NULL)
    return FALSE;
  gboolean is_read =
      lk_audit_run (&audit, (const guint8 *)g_mapped_file_get_contents (file),
                    g_mapped_file_get_length (file), (guint)MAX (1, options->limit), &wrong);
  /* Only findings name jobs; the numbers of a log are not looked for without any. */
  g_autoptr (LkJournalNames) names =
      audit.findings->len > 0 ? lk_journal_names_read_file (options->arguments[0], NULL) : NULL;
  if (options->json)
    print_json (&audit, names);
  else if (is_read || audit.event_count > 0)
    print_plain (&audit, names);
  *out_exit = audit.findings->len > 0 ? LK_EXIT_DIFFERS : 0;
  lk_audit_clear (&audit);
  if (!is_read)
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_RUN, "%s: %s", options->arguments[0], wrong);
  return is_read;
}

int
lk_verb_verify (int argc, char **argv)
{
  Options options = { 0 };
  g_autoptr (GError) error = NULL;
  int exit_status = 0;
  if (!parse_options (argc, argv, &options, &error))
    return lk_verb_fail ("verify", error);
  if (options.rules)
    exit_status = print_rules ();
  else if (options.arguments[0] == NULL)
    g_set_error (&error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE, "a journal is needed");
  else
    verify (&options, &exit_status, &error);
  g_strfreev (options.arguments);
  return error != NULL ? lk_verb_fail ("verify", error) : exit_status;
}
