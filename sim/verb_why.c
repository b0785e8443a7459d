/* sim/verb_why.c — tells why a job waits at a moment of a journal, and what would let it start.
 *
 * What became of the job is read from the recorded decisions first; so a job that does not wait at
 * that moment costs no replay. */
#include "sim/verb_why.h"

#include <stdio.h>

#include "engine/assert.h"
#include "sim/arguments.h"
#include "sim/error.h"
#include "sim/journal_file.h"
#include "sim/journal_live.h"
#include "sim/journal_names.h"
#include "sim/replay.h"
#include "sim/report.h"
#include "sim/verb.h"
#include "sim/why.h"
#include "sim/why_history.h"
#include "sim/why_private.h"

typedef struct {
  char *at;
  gboolean json;
  char **plugins;
  char **arguments;
} Options;

typedef struct {
  const Options *options;
  const char *path; /* of the journal, as it is called in messages */
  LkJournalInput *input;
  LkJournalNames *names;
  LkWhyHistory history;
  const LkEngineConfig *config;
  guint64 until_seq;
  gint64 until_us;
  gboolean is_live;      /* the journal is the live cluster's */
  const LkWhyTurn *turn; /* the job's state at that moment */
  guint64 event_count;   /* up to then */
} Question;

static const char description[] =
    "Reports why a job waits: its state and reason, what blocks it and who has that, when it is\n"
    "going to start, and every single change (fewer nodes, a shorter time limit, another\n"
    "partition or QOS, a better place in the queue ...) that would let it start, the smallest\n"
    "first. Each change was tried on a copy of the scheduler, which replays the journal.\n"
    "\n"
    "JOB is as squeue prints it: 7, 7_3, 7_[1-5], 7+1; of a recorded run it is the job's number\n"
    "in its log. Where the journal has another number, both name the job, and both are printed:\n"
    "'7(log:5)'. 'id:7' is only the journal's number, 'log:5' only the log's.\n"
    "\n"
    "Without JOURNAL|DIR the live cluster is meant: its controller sends its journal, without\n"
    "scripts, to every user. With PrivateData it sends it to operators and administrators only;\n"
    "other users see state, reason and expected start of their own jobs. JOURNAL is the file of a\n"
    "run (lockstep sim --journal) or of a controller, DIR a directory with one.\n"
    "\n"
    "Without --at the moment is the last one at which the job waits: just before it starts, or\n"
    "the end of the journal; of a job that waits in the live cluster it is now.\n"
    "\n"
    "Exit status: 0 an answer; 1 there is no such job, or the journal cannot be read; 2 wrong\n"
    "command line; 3 the journal's decisions are not those that this program makes.\n"
    "\n"
    "Example: lockstep why 1234_7\n"
    "         lockstep why 1234 run.journal --at 7d";

static gboolean
parse_options (int argc, char **argv, Options *out, GError **error)
{
  const GOptionEntry entries[] = {
    { "at", 'a', 0, G_OPTION_ARG_STRING, &out->at,
      "The moment: behind event number N, or before the first event later than TIME (with a "
      "unit: 90m, 7d) of the trace's clock",
      "N|TIME" },
    { "json", 0, 0, G_OPTION_ARG_NONE, &out->json, "Print the answer as JSON", NULL },
    { "plugin", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &out->plugins,
      "Load a policy plugin that the journal needs (may be repeated)", "FILE.so" },
    G_OPTION_ENTRY_NULL,
  };
  g_autoptr (GOptionContext) context =
      g_option_context_new ("JOB [JOURNAL|DIR] - report why a job waits");
  g_option_context_add_main_entries (context, entries, NULL);
  g_option_context_set_description (context, description);
  out->arguments = lk_verb_parse (context, argc, argv, 1, 2, error);
  return out->arguments != NULL;
}

/* ---------------------------------------------------------------- a job that does not wait */

/* "RUNNING", or what stands for a job that is in no state. */
static const char *
state_word (const Question *self)
{
  if (self->turn != NULL)
    return lk_job_state_name (self->turn->state);
  return self->history.reject != 0 ? "REFUSED" : "NOT_SUBMITTED";
}

static gint64
since_us (const Question *self)
{
  return self->turn != NULL ? self->turn->time_us : self->history.submit_us;
}

static void
append_next (const Question *self, GString *out)
{
  const LkWhyTurn *next =
      self->turn != NULL ? lk_why_history_behind (&self->history, self->turn) : NULL;
  if (next == NULL)
    return;
  g_autofree char *moment = lk_why_moment_text (next->time_us);
  g_string_append_printf (out, "It is %s at %s.\n", lk_job_state_name (next->state), moment);
}

static void
append_state (const Question *self, GString *out)
{
  g_autofree char *since = lk_why_moment_text (since_us (self));
  g_autofree char *submit = lk_why_moment_text (self->history.submit_us);
  g_string_append (out, "Job ");
  lk_journal_names_append_job (self->names, self->history.job_id, out);
  if (self->turn != NULL)
    g_string_append_printf (out, " is %s since %s; it was submitted at %s.\n",
                            lk_job_state_name (self->turn->state), since, submit);
  else if (self->history.reject != 0)
    g_string_append_printf (out, " was refused at %s: %s.\n", submit,
                            lk_reject_text (self->history.reject));
  else
    g_string_append_printf (out, " is submitted only at %s.\n", submit);
  if (self->turn != NULL && self->options->at == NULL && self->history.pending_seq == 0)
    g_string_append (out, "It never waited: it started at once.\n");
  append_next (self, out);
}

/* ---------------------------------------------------------------- answers */

static void
json_begin (const Question *self, LkJsonOut *json)
{
  const char *log_id = lk_journal_names_log_id (self->names, self->history.job_id);
  lk_json_out_object_begin (json, NULL);
  lk_json_out_count (json, "job", self->history.job_id);
  if (log_id != NULL)
    lk_json_out_text (json, "log_id", log_id);
  lk_json_out_text (json, "state", state_word (self));
  lk_json_out_integer (json, "since_us", since_us (self));
}

static void
json_end (const Question *self, LkJsonOut *json)
{
  const LkWhyTurn *next =
      self->turn != NULL ? lk_why_history_behind (&self->history, self->turn) : NULL;
  lk_json_out_text (json, "next_state", next != NULL ? lk_job_state_name (next->state) : NULL);
  if (next != NULL)
    lk_json_out_integer (json, "next_us", next->time_us);
  lk_json_out_object_end (json);
}

static void
answer_state (const Question *self)
{
  LkJsonOut json;
  g_autoptr (GString) out = g_string_new (NULL);
  if (!self->options->json) {
    append_state (self, out);
    fputs (out->str, stdout);
    return;
  }
  lk_json_out_init (&json, out);
  json_begin (self, &json);
  lk_json_out_integer (&json, "submit_us", self->history.submit_us);
  lk_json_out_text (&json, "reject",
                    self->history.reject != 0 ? lk_reject_text (self->history.reject) : NULL);
  json_end (self, &json);
  puts (out->str);
}

static void
answer_why (const Question *self, const LkWhy *why)
{
  LkJsonOut json;
  g_autoptr (GString) out = g_string_new (NULL);
  if (!self->options->json) {
    lk_why_text (why, out);
    append_next (self, out);
    fputs (out->str, stdout);
    return;
  }
  lk_json_out_init (&json, out);
  json_begin (self, &json);
  lk_json_out_count (&json, "event", self->event_count);
  lk_json_out_integer (&json, "time_us", why->now_us);
  lk_why_json (why, &json);
  json_end (self, &json);
  puts (out->str);
}

/* ---------------------------------------------------------------- the moment */

/* A bare number is an event; with a unit it is a time. Without either, the last moment at which the
 * job waits, or the end. */
static gboolean
find_moment (Question *self, GError **error)
{
  const char *at = self->options->at;
  self->until_seq = G_MAXUINT64;
  self->until_us = LK_TIME_NEVER;
  if (at != NULL) {
    if (!g_ascii_string_to_unsigned (at, 10, 0, G_MAXUINT64 - 1, &self->until_seq, NULL)
        && !lk_argument_duration_us ("--at", at, &self->until_us, error))
      return FALSE;
  } else if (self->history.pending_seq > 0) {
    self->until_seq = self->history.pending_seq;
  }
  self->turn = lk_why_history_at (&self->history, self->until_seq, self->until_us);
  return TRUE;
}

/* Is the task one of the array's? */
static gboolean
has_task (const LkWhyHistory *history)
{
  LkTaskSet tasks = { 0 };
  guint32 throttle;
  gboolean has = lk_task_set_parse_array (history->asked.array, LK_LIMIT_TASKS, &tasks, &throttle)
                 && lk_task_set_has (&tasks, history->task);
  lk_task_set_clear (&tasks);
  return has;
}

static gboolean
read_history (Question *self, const LkWhyJobId *id, GError **error)
{
  guint32 job_id = id->job_id;
  LkWhyHistory *history = &self->history;
  lk_why_history_read (history, self->input->reader, id);
  if (history->is_submitted && history->array_job_id != 0 && !has_task (history)) {
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_READ, "job %u has no task %u", job_id,
                 history->task);
    return FALSE;
  }
  if (history->is_submitted)
    return TRUE;
  if (self->history.job_id_last == 0)
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_READ,
                 "there is no job %u in the journal: it has no jobs", job_id);
  else
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_READ,
                 "there is no job %u in the journal; the last one is %u", job_id,
                 self->history.job_id_last);
  return FALSE;
}

/* What stands behind the last whole record is not looked at. */
static void
warn_of_end (const Question *self)
{
  if (self->history.end != LK_JOURNAL_CORRUPT && self->history.end != LK_JOURNAL_TORN)
    return;
  g_autofree char *text = lk_journal_state_text (self->history.end, self->input->reader);
  g_printerr ("%s: %s; what comes behind is not known\n", self->path, text);
}

/* ---------------------------------------------------------------- the replay */

/* Between two events; now in a live cluster, where nothing has happened since the last event. */
static gint64
moment_us (const Question *self, const LkEngine *engine)
{
  LkEngineCounts counts;
  lk_engine_counts (engine, &counts);
  if (self->options->at != NULL)
    return self->until_us != LK_TIME_NEVER ? MIN (self->until_us, self->history.last_us)
                                           : counts.now_us;
  gboolean still_waits =
      self->is_live && lk_why_history_behind (&self->history, self->turn) == NULL;
  return still_waits ? MAX (counts.now_us, g_get_real_time ()) : counts.now_us;
}

/* The engine at the moment of the question.  NULL: the engine is there, or its timers have ended
 * the job by then, which the journal does not say yet. */
static LkEngine *
engine_later (const Question *self, const LkEngine *engine)
{
  LkEngineCounts counts;
  LkJobInfo info;
  gint64 at_us = moment_us (self, engine);
  guint32 job_id = lk_why_history_job_at (&self->history, self->event_count);
  lk_engine_counts (engine, &counts);
  if (at_us <= counts.now_us)
    return NULL;
  g_autoptr (LkEngine) later = lk_report_engine_at (engine, self->config, at_us);
  gboolean waits = lk_engine_job (later, job_id, &info)
                   && (info.state == LK_JOB_PENDING || info.state == LK_JOB_SPECIAL_EXIT);
  return waits ? g_steal_pointer (&later) : NULL;
}

static void
arrive (gpointer user, const LkEngine *engine)
{
  Question *self = user;
  LkEngineCounts counts;
  lk_engine_counts (engine, &counts);
  self->event_count = counts.event_count;
  g_autoptr (LkEngine) later = engine_later (self, engine);
  LkEvent_submit asked = self->history.asked;
  asked.job_id = lk_why_history_job_at (&self->history, self->event_count);
  /* What a task asks for is asked for by a job of its own from then on. */
  if (self->history.array_job_id != 0 && asked.job_id == self->history.job_id
      && self->event_count >= self->history.task_seq)
    asked.array = lk_text ("");
  LkWhyInput input = { self->config, later != NULL ? later : engine, &asked, self->names };
  g_autoptr (LkWhy) why = lk_why_new (&input);
  answer_why (self, why);
}

static int
replay (Question *self, LkJournalReader *reader)
{
  LkReplayReport report;
  LkReplayOptions options = { .config = self->config,
                              .reader = reader,
                              .until_seq = self->until_seq,
                              .until_us = self->until_us,
                              .arrive = arrive,
                              .user = self };
  lk_replay_run (&options, &report);
  if (report.outcome != LK_REPLAY_SAME)
    g_printerr ("lockstep why: the journal's decisions are not those that are made now; see "
                "lockstep replay\n%s",
                report.difference->str);
  int code = report.outcome == LK_REPLAY_SAME ? 0 : LK_EXIT_DIFFERS;
  lk_replay_report_clear (&report);
  return code;
}

/* The history has read the journal to its end: it is read anew. */
static int
explain (Question *self, GError **error)
{
  const char *fault = NULL;
  LkJournalHeader header;
  g_autoptr (LkRegistry) registry = lk_verb_registry (self->options->plugins, error);
  if (registry == NULL)
    return -1;
  g_autoptr (LkSetup) setup = lk_setup_new_from_header (registry, &self->input->header, error);
  if (setup == NULL)
    return -1;
  const char *bytes = g_mapped_file_get_contents (self->input->mapping);
  g_autoptr (LkJournalReader) reader =
      lk_journal_reader_new ((const guint8 *)bytes, self->input->length_bytes, &header, &fault);
  LK_ASSERT (reader != NULL); /* it has been read before */
  self->config = lk_setup_config (setup);
  return replay (self, reader);
}

/* The one that is named, that in a directory, or that of the live cluster. Returns: (transfer
 * full), what to call it; NULL on failure. */
static char *
open_journal (const Options *options, LkJournalInput *input, gboolean *out_is_refused,
              GError **error)
{
  const char *named = options->arguments[1];
  g_autofree char *path = named != NULL ? lk_journal_in (named) : NULL;
  g_auto (LkJournalLive) live = { NULL };
  if (path != NULL)
    return lk_journal_input_open (input, path, error) ? g_steal_pointer (&path) : NULL;
  gboolean is_open = lk_journal_live_open (&live, error);
  *out_is_refused = live.is_refused;
  if (!is_open || !lk_journal_input_open (input, live.path, error))
    return NULL;
  return live.is_copy ? g_strdup ("the controller's journal") : g_strdup (live.path);
}

/* PrivateData: what blocks a job would show the jobs of others, so this is all there is. */
static int
answer_own (const LkWhyJobId *id, GError **error)
{
  g_autofree char *text = lk_journal_live_own_job (id, error);
  if (text == NULL)
    return -1;
  fputs (text, stdout);
  puts ("PrivateData hides jobs of others: only operators and administrators see what blocks a "
        "job, and what would let it start");
  return 0;
}

static int
fail_name (const char *name, GError **error)
{
  g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE, LK_JOURNAL_NAMES_NO_JOB, name);
  return -1;
}

static int
run (const Options *options, LkJournalInput *input, GError **error)
{
  Question question = { .options = options, .input = input };
  const char *name = options->arguments[0];
  LkWhyJobId id;
  int code = -1;
  gboolean is_id = lk_why_job_id_parse (name, &id);
  if (!is_id && !lk_journal_names_is_job (name))
    return fail_name (name, error);
  gboolean is_refused = FALSE;
  g_autofree char *path = open_journal (options, input, &is_refused, error);
  if (path == NULL && is_refused && options->at == NULL && !options->json && is_id) {
    g_clear_error (error);
    return answer_own (&id, error);
  }
  if (path == NULL)
    return -1;
  question.path = path;
  question.is_live = options->arguments[1] == NULL;
  g_autoptr (LkJournalNames) names = lk_journal_names_read (input);
  g_autofree char *resolved = lk_journal_names_resolve (names, name, error);
  if (resolved == NULL)
    return -1;
  if (!lk_why_job_id_parse (resolved, &id))
    return fail_name (name, error);
  question.names = names;
  if (read_history (&question, &id, error) && find_moment (&question, error)) {
    warn_of_end (&question);
    code = 0;
    if (question.turn != NULL && question.turn->state == LK_JOB_PENDING)
      code = explain (&question, error);
    else
      answer_state (&question);
  }
  lk_why_history_clear (&question.history);
  return code;
}

int
lk_verb_why (int argc, char **argv)
{
  Options options = { 0 };
  LkJournalInput input = { 0 };
  g_autoptr (GError) error = NULL;
  int code = -1;
  if (parse_options (argc, argv, &options, &error))
    code = run (&options, &input, &error);
  if (code < 0)
    code = lk_verb_fail ("why", error);
  lk_journal_input_close (&input);
  g_strfreev (options.plugins);
  g_strfreev (options.arguments);
  g_free (options.at);
  return code;
}
