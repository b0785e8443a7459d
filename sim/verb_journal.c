/* sim/verb_journal.c — looks at journals without running them. */
#include "sim/verb_journal.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sim/error.h"
#include "sim/journal_file.h"
#include "sim/journal_follow.h"
#include "sim/journal_names.h"
#include "sim/verb.h"

typedef struct {
  gboolean json;
  gboolean cut;
  gint64 first;
  gint64 limit;
  char **arguments;
} Options;

static const char description[] =
    "info   what was run, and how many events and decisions of each kind\n"
    "print  each event with its decisions as one line of JSON\n"
    "follow the same, and then each that comes, until it is interrupted; without FILE the\n"
    "       journal of the live cluster\n"
    "check  lengths, CRCs, content and order of all records, without running anything;\n"
    "       exit status 1 unless the journal is complete. A torn tail, as a crash leaves it,\n"
    "       can be cut off with --cut\n"
    "schema the documentation of the bytes, as Markdown (no FILE)\n"
    "\n"
    "Example: lockstep journal print run.journal --first 1000 --limit 20";

static gboolean
parse_options (int argc, char **argv, Options *out, GError **error)
{
  const GOptionEntry entries[] = {
    { "json", 0, 0, G_OPTION_ARG_NONE, &out->json, "Print info or check as JSON", NULL },
    { "cut", 0, 0, G_OPTION_ARG_NONE, &out->cut,
      "check: cut a torn or corrupt tail off behind the last whole record", NULL },
    { "first", 0, 0, G_OPTION_ARG_INT64, &out->first, "print, follow: begin with this event", "N" },
    { "limit", 0, 0, G_OPTION_ARG_INT64, &out->limit, "print, follow: at most this many events",
      "N" },
    G_OPTION_ENTRY_NULL,
  };
  g_autoptr (GOptionContext) context =
      g_option_context_new ("info|print|follow|check|schema [FILE] - look at a journal");
  g_option_context_add_main_entries (context, entries, NULL);
  g_option_context_set_description (context, description);
  out->arguments = lk_verb_parse (context, argc, argv, 1, 2, error);
  return out->arguments != NULL;
}

/* ---------------------------------------------------------------- info and check */

typedef struct {
  LkJournalState state;
  guint64 events[LK_EVENT_KIND_LIMIT];
  guint64 decisions[LK_DECISION_KIND_LIMIT];
  guint64 event_count;
  guint64 decision_count;
  guint64 seq_first;
  gint64 time_first_us;
  gint64 time_last_us;
  LkJournalCheckpoint checkpoint;
} Census;

static void
take_census (LkJournalReader *reader, Census *out)
{
  LkEvent event;
  LkDecision decision;
  *out = (Census){ .state = lk_journal_reader_next (reader, &event) };
  for (; out->state == LK_JOURNAL_EVENT; out->state = lk_journal_reader_next (reader, &event)) {
    if (out->event_count == 0) {
      out->seq_first = event.seq;
      out->time_first_us = event.time_us;
    }
    out->time_last_us = event.time_us;
    out->event_count++;
    out->events[event.kind]++;
    while (lk_journal_reader_decision (reader, &decision)) {
      out->decision_count++;
      out->decisions[decision.kind]++;
    }
    lk_journal_reader_checkpoint (reader, &out->checkpoint);
  }
}

static void
print_text_field (const char *label, LkText text)
{
  printf ("%-16s %.*s\n", label, (int)text.length_bytes, text.bytes);
}

/* The machine in one line, where it is one of nodes. */
static void
print_cluster (LkLongText text)
{
  LkClusterError error;
  if (text.length_bytes == 0)
    return;
  g_autoptr (LkCluster) cluster = lk_cluster_from_text (text.bytes, text.length_bytes, &error);
  if (cluster == NULL)
    printf ("%-16s unreadable: %s\n", "cluster", error.text);
  else
    printf ("%-16s %s: %u nodes, %" G_GUINT64_FORMAT " GPUs\n", "cluster", cluster->name,
            lk_cluster_node_count (cluster), lk_cluster_gres_count (cluster, "gpu"));
}

static void
print_info (const LkJournalInput *input, const Census *census)
{
  const LkJournalHeader *header = &input->header;
  g_autofree char *state = lk_journal_state_text (census->state, input->reader);
  char digest[LK_DIGEST_TEXT_BYTES];
  lk_digest_value_text (census->checkpoint.digest, digest);
  printf ("%-16s %u\n", "format", header->format);
  print_text_field ("engine", header->engine_version);
  printf ("%-16s %u\n", "units", header->units_total);
  print_cluster (header->cluster);
  print_text_field ("order", header->order);
  print_text_field ("backfill", header->backfill);
  print_text_field ("select", header->select);
  print_text_field ("source", header->source);
  printf ("%-16s %s\n%-16s %s\n", "state", state, "digest", digest);
  printf ("%-16s %.6f to %.6f s\n", "time", (double)census->time_first_us / 1e6,
          (double)census->time_last_us / 1e6);
  printf ("%-16s %" G_GSIZE_FORMAT "\n", "bytes", input->length_bytes);
  printf ("%-16s %" G_GUINT64_FORMAT "\n", "events", census->event_count);
  for (guint kind = 0; kind < LK_EVENT_KIND_LIMIT; kind++)
    if (census->events[kind] > 0)
      printf ("  %-14s %" G_GUINT64_FORMAT "\n", lk_event_kind_name (kind), census->events[kind]);
  printf ("%-16s %" G_GUINT64_FORMAT "\n", "decisions", census->decision_count);
  for (guint kind = 0; kind < LK_DECISION_KIND_LIMIT; kind++)
    if (census->decisions[kind] > 0)
      printf ("  %-14s %" G_GUINT64_FORMAT "\n", lk_decision_kind_name (kind),
              census->decisions[kind]);
}

static void
print_info_json (const LkJournalInput *input, const Census *census)
{
  g_autoptr (GString) header = g_string_new (NULL);
  g_autofree char *state = lk_journal_state_text (census->state, input->reader);
  char digest[LK_DIGEST_TEXT_BYTES];
  const char *separator = "";
  lk_journal_header_json (&input->header, header);
  lk_digest_value_text (census->checkpoint.digest, digest);
  printf (
      "{\"header\":%s,\"state\":\"%s\",\"complete\":%s,\"digest\":\"%s\",\"bytes\":%" G_GSIZE_FORMAT
      ",\"time_first_us\":%" G_GINT64_FORMAT ",\"time_last_us\":%" G_GINT64_FORMAT ",\"events\":{",
      header->str, state, census->state == LK_JOURNAL_END ? "true" : "false", digest,
      input->length_bytes, census->time_first_us, census->time_last_us);
  for (guint kind = 0; kind < LK_EVENT_KIND_LIMIT; kind++)
    if (census->events[kind] > 0) {
      printf ("%s\"%s\":%" G_GUINT64_FORMAT, separator, lk_event_kind_name (kind),
              census->events[kind]);
      separator = ",";
    }
  printf ("},\"decisions\":{");
  separator = "";
  for (guint kind = 0; kind < LK_DECISION_KIND_LIMIT; kind++)
    if (census->decisions[kind] > 0) {
      printf ("%s\"%s\":%" G_GUINT64_FORMAT, separator, lk_decision_kind_name (kind),
              census->decisions[kind]);
      separator = ",";
    }
  printf ("}}\n");
}

static int
info (const Options *options, LkJournalInput *input)
{
  Census census;
  take_census (input->reader, &census);
  if (options->json)
    print_info_json (input, &census);
  else
    print_info (input, &census);
  return census.state == LK_JOURNAL_CORRUPT ? LK_EXIT_FAILURE : 0;
}

static gboolean
cut_tail (const char *path, gsize good_bytes, GError **error)
{
  if (truncate (path, (off_t)good_bytes) == 0)
    return TRUE;
  g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_WRITE, "journal '%s': cannot be cut: %s", path,
               g_strerror (errno));
  return FALSE;
}

static int
check (const Options *options, LkJournalInput *input, GError **error)
{
  Census census;
  const char *path = options->arguments[1];
  take_census (input->reader, &census);
  g_autofree char *state = lk_journal_state_text (census.state, input->reader);
  if (options->json)
    print_info_json (input, &census);
  else
    printf ("%s: %s, %" G_GUINT64_FORMAT " events and %" G_GUINT64_FORMAT
            " decisions in whole records\n",
            path, state, census.event_count, census.decision_count);
  if (census.seq_first > 1)
    g_printerr ("%s: begins at event %" G_GUINT64_FORMAT ": what came before is not in it\n", path,
                census.seq_first);
  gsize good_bytes = lk_journal_reader_good_bytes (input->reader);
  if (options->cut && good_bytes < input->length_bytes) {
    gsize cut_bytes = input->length_bytes - good_bytes;
    lk_journal_input_close (input); /* the mapping must not outlive what it shows */
    if (!cut_tail (path, good_bytes, error))
      return -1;
    g_printerr ("%s: cut %" G_GSIZE_FORMAT " bytes off\n", path, cut_bytes);
  }
  return census.state == LK_JOURNAL_END && census.seq_first <= 1 ? 0 : LK_EXIT_FAILURE;
}

/* ---------------------------------------------------------------- print */

/* A submit event is printed with the number that its job has in the log, where that is not its
 * id: journals have it in a note, and not in the event. */
static void
print_event (LkJournalReader *reader, const LkEvent *event, const LkJournalNames *names,
             GString *line)
{
  LkDecision decision;
  const char *log_id =
      event->kind == LK_EVENT_SUBMIT ? lk_journal_names_log_id (names, event->submit.job_id) : NULL;
  g_string_assign (line, "{\"event\":");
  lk_event_json (event, line);
  if (log_id != NULL)
    g_string_append_printf (line, ",\"log_id\":\"%s\"", log_id);
  g_string_append (line, ",\"decisions\":[");
  while (lk_journal_reader_decision (reader, &decision)) {
    if (line->str[line->len - 1] != '[')
      g_string_append_c (line, ',');
    lk_decision_json (&decision, line);
  }
  g_string_append (line, "]}");
  puts (line->str);
}

static int
print (const Options *options, LkJournalInput *input)
{
  LkEvent event;
  gint64 printed = 0;
  g_autoptr (GString) line = g_string_new (NULL);
  g_autoptr (LkJournalNames) names = lk_journal_names_new ();
  LkJournalState state = lk_journal_reader_next (input->reader, &event);
  for (; state == LK_JOURNAL_EVENT && (options->limit < 0 || printed < options->limit);
       state = lk_journal_reader_next (input->reader, &event)) {
    lk_journal_names_add (names, input->reader, &event);
    if (event.seq < (guint64)MAX (options->first, 0))
      continue;
    print_event (input->reader, &event, names, line);
    printed++;
  }
  if (state == LK_JOURNAL_EVENT || state == LK_JOURNAL_END)
    return 0;
  g_autofree char *text = lk_journal_state_text (state, input->reader);
  g_printerr ("lockstep journal: '%s': %s\n", options->arguments[1], text);
  return state == LK_JOURNAL_CORRUPT ? LK_EXIT_FAILURE : 0;
}

/* ---------------------------------------------------------------- follow */

typedef struct {
  const Options *options;
  GString *line;
  LkJournalNames *names;
  gint64 printed;
} Following;

static gboolean
follow_take (gpointer user, LkJournalReader *reader, const LkEvent *event)
{
  Following *self = user;
  const Options *options = self->options;
  if (options->limit >= 0 && self->printed >= options->limit)
    return FALSE;
  lk_journal_names_add (self->names, reader, event);
  if (event->seq >= (guint64)MAX (options->first, 0)) {
    print_event (reader, event, self->names, self->line);
    self->printed++;
  }
  return !ferror (stdout) && (options->limit < 0 || self->printed < options->limit);
}

static void
follow_rest (gpointer user)
{
  (void)user;
  fflush (stdout);
}

static int
follow (const Options *options, GError **error)
{
  g_autoptr (GString) line = g_string_new (NULL);
  g_autoptr (LkJournalNames) names = lk_journal_names_new ();
  g_autofree char *live = options->arguments[1] == NULL ? lk_journal_live_path () : NULL;
  Following self = { options, line, names, 0 };
  return lk_journal_follow (live != NULL ? live : options->arguments[1], follow_take, follow_rest,
                            &self, error)
             ? 0
             : -1;
}

static int
print_schema (void)
{
  g_autoptr (GString) text = g_string_new (NULL);
  lk_schema_markdown (text);
  fputs (text->str, stdout);
  return 0;
}

/* ---------------------------------------------------------------- the verb */

static int
run (const Options *options, LkJournalInput *input, GError **error)
{
  const char *action = options->arguments[0];
  if (strcmp (action, "schema") == 0)
    return print_schema ();
  if (strcmp (action, "follow") == 0)
    return follow (options, error);
  if (strcmp (action, "info") != 0 && strcmp (action, "print") != 0
      && strcmp (action, "check") != 0) {
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE,
                 "unknown action '%s'; expected info, print, follow, check or schema", action);
    return -1;
  }
  if (options->arguments[1] == NULL) {
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE, "%s needs a journal; see --help", action);
    return -1;
  }
  if (!lk_journal_input_open (input, options->arguments[1], error))
    return -1;
  if (strcmp (action, "info") == 0)
    return info (options, input);
  if (strcmp (action, "print") == 0)
    return print (options, input);
  return check (options, input, error);
}

int
lk_verb_journal (int argc, char **argv)
{
  Options options = { .limit = -1 };
  LkJournalInput input = { 0 };
  g_autoptr (GError) error = NULL;
  int code = -1;
  if (parse_options (argc, argv, &options, &error))
    code = run (&options, &input, &error);
  if (code < 0)
    code = lk_verb_fail ("journal", error);
  lk_journal_input_close (&input);
  g_strfreev (options.arguments);
  return code;
}
