/* traces/reader_events.c — the event lists of the Slurm simulator of the University at Buffalo.
 *
 * One event is one line:
 *
 *   -dt SECONDS -e submit_batch_job | ARGUMENTS
 *
 * ARGUMENTS are those of sbatch (traces/job_options.h) and, among them, the simulator's own:
 * -sim-walltime SECONDS, how long the job runs; -jid N, its number; -cancel-in SECONDS, when it is
 * cancelled after its submission; and behind the script -sleep SECONDS, the same as -sim-walltime.
 * Empty lines and lines that begin with # are passed over.  Lines need not be in order.
 *
 * - submit is -dt. The number is -jid, else the digits of a job name jobid_N or job_N, else the
 *   place of the job in the list.
 * - A job without a run time, or with one below 0, or of a year and more, runs until its time
 *   limit. 0 is a run of no length: the simulator's tutorial calls it a run until the limit, but
 *   its code and the runs of a real Slurm that were recorded from the same list end such jobs at
 *   once.
 * - Processors are the CPUs that the job asks for.
 * - --begin, --deadline, --dependency, --array, --reservation and the like are the terms of the
 *   record (terms=none leaves them out).  A job of several components (":") becomes a record for
 *   each, named 1002+0, 1002+1; each runs as long as the line says.
 * - -H is left out: the list has no release. What nothing acts on is an error, and passed over with
 *   `lenient`, as are events of another kind.
 *
 * Source: ubccr-slurm-simulator, contribs/sim/sim_events.c of slurm_simulator and the readme of
 * slurm_sim_tools; Simakov et al., PMBS 2017. */
#include <string.h>

#include "engine/policy.h"
#include "traces/decimal.h"
#include "traces/job_options.h"
#include "traces/job_values.h"
#include "traces/reader_map.h"
#include "traces/reader_private.h"
#include "traces/sacct_values.h"

#define KIND_SUBMIT "submit_batch_job"
#define SHOWN_MAX_BYTES 60
#define SECONDS_MAX G_GINT64_CONSTANT (1000000000000)
#define YEAR_US (365 * 24 * 3600 * G_GINT64_CONSTANT (1000000))

typedef struct {
  LkReaderBase *base;
  gint64 place;        /* of the job in the list, from 1 */
  gboolean leaves_out; /* terms=none */
  GArray *components; /* of LkTraceRecord: those of the last line that are still to be handed out */
  guint component_next;
} Events;

/* What the simulator's own arguments say. */
typedef struct {
  gboolean has_run;
  gint64 run_us;
  gint64 number;    /* -1: not given */
  gint64 cancel_us; /* after the submission; -1: never */
} Own;

/* ---------------------------------------------------------------- what is such a list */

/* The first line that holds an event, or NULL. */
static const char *
first_event (const char *at, gsize length_bytes, gsize *out_bytes)
{
  const char *end = at + length_bytes;
  while (at < end) {
    const char *newline = memchr (at, '\n', (gsize)(end - at));
    const char *line_end = newline != NULL ? newline : end;
    while (at < line_end && g_ascii_isspace (*at))
      at++;
    if (at < line_end && *at != '#') {
      *out_bytes = (gsize)(line_end - at);
      return at;
    }
    at = newline != NULL ? newline + 1 : end;
  }
  return NULL;
}

static gboolean
events_is_mine (const char *head, gsize length_bytes)
{
  gsize line_bytes;
  const char *line = first_event (head, length_bytes, &line_bytes);
  return line != NULL && line_bytes > 4
         && (strncmp (line, "-dt ", 4) == 0 || strncmp (line, "-e ", 3) == 0
             || strncmp (line, "-dt\t", 4) == 0);
}

/* ---------------------------------------------------------------- words */

/* A number of seconds; below 0 only where `may_be_negative`. */
static gboolean
seconds_parse (const char *text, gboolean may_be_negative, gint64 *out_us)
{
  gint64 time_us;
  if (!lk_decimal_parse (text, strlen (text), G_USEC_PER_SEC, 1, LK_ROUND_NEAREST, &time_us)
      || (time_us < 0 && !may_be_negative) || time_us > SECONDS_MAX * G_USEC_PER_SEC)
    return FALSE;
  *out_us = time_us;
  return TRUE;
}

static int
word_fail (const Events *self, const char *name, const char *value, const char *expected,
           GError **error)
{
  if (value == NULL)
    return lk_reader_fail (self->base, error, "%s is the last word; expected %s behind it", name,
                           expected);
  return lk_reader_fail (self->base, error, "%s is '%.*s'; expected %s", name, SHOWN_MAX_BYTES,
                         value, expected);
}

/* The words before the bar: when and what. */
static gboolean
head_parse (const Events *self, char **words, gint64 *out_submit_us, const char **out_kind,
            GError **error)
{
  gint64 submit_us = -1;
  const char *kind = NULL;
  for (char **word = words; *word != NULL; word++) {
    if (strcmp (*word, "-dt") == 0) {
      if (word[1] == NULL || !seconds_parse (word[1], FALSE, &submit_us)) {
        word_fail (self, "-dt", word[1], "seconds from 0 to 1000000000000", error);
        return FALSE;
      }
      word++;
    } else if (strcmp (*word, "-e") == 0 && word[1] != NULL) {
      kind = *++word;
    } else {
      word_fail (self, "a word before '|'", *word, "-dt SECONDS or -e " KIND_SUBMIT, error);
      return FALSE;
    }
  }
  if (submit_us < 0 || kind == NULL) {
    lk_reader_fail (self->base, error, "no %s before '|'; expected -dt SECONDS -e " KIND_SUBMIT,
                    kind == NULL ? "-e" : "-dt");
    return FALSE;
  }
  *out_submit_us = submit_us;
  *out_kind = kind;
  return TRUE;
}

/* Takes one of the simulator's own arguments. */
static gboolean
own_take (const Events *self, const char *name, const char *value, Own *own, GError **error)
{
  static const char number_expected[] = "a number from 1 to 9223372036854775807";
  static const char run_expected[] = "seconds, or -1 for a run until the time limit";
  static const char cancel_expected[] = "seconds after the submission";
  const char *expected = strcmp (name, "-jid") == 0         ? number_expected
                         : strcmp (name, "-cancel-in") == 0 ? cancel_expected
                                                            : run_expected;
  gboolean is_good = value != NULL;
  if (is_good && expected == number_expected)
    is_good = g_ascii_string_to_signed (value, 10, 1, G_MAXINT64, &own->number, NULL);
  else if (is_good && expected == cancel_expected)
    is_good = seconds_parse (value, FALSE, &own->cancel_us);
  else if (is_good)
    own->has_run = is_good = seconds_parse (value, TRUE, &own->run_us);
  if (!is_good)
    word_fail (self, name, value, expected, error);
  return is_good;
}

/* Sorts the words into the simulator's own arguments and sbatch's, which stay in `words` with a
 * NULL behind them; the others are freed. */
static gboolean
own_split (const Events *self, char **words, Own *own, GError **error)
{
  static const char *const names[] = { "-sim-walltime", "-jid", "-cancel-in", "-sleep", NULL };
  gboolean is_good = TRUE;
  char **kept = words;
  for (char **word = words; *word != NULL; word++) {
    if (!g_strv_contains (names, *word)) {
      *kept++ = *word;
      continue;
    }
    is_good = is_good && own_take (self, *word, word[1], own, error);
    g_free (*word);
    if (word[1] != NULL)
      g_free (*++word);
  }
  *kept = NULL;
  return is_good;
}

/* ---------------------------------------------------------------- jobs */

/* Of "jobid_7" or "job_7"; -1 of any other name. */
static gint64
name_number (const char *name)
{
  gint64 number;
  if (name == NULL)
    return -1;
  if (g_str_has_prefix (name, "jobid_"))
    name += strlen ("jobid_");
  else if (g_str_has_prefix (name, "job_"))
    name += strlen ("job_");
  return g_ascii_string_to_signed (name, 10, 1, G_MAXINT64, &number, NULL) ? number : -1;
}

static gboolean
run_fill (const Events *self, const Own *own, LkTraceRecord *record, GError **error)
{
  gboolean runs_to_limit = !own->has_run || own->run_us < 0 || own->run_us >= YEAR_US;
  if (runs_to_limit && (record->limit_us < 0 || record->limit_us == LK_TIME_NEVER)) {
    lk_reader_fail (self->base, error,
                    "the job runs until its time limit and has none; expected -sim-walltime "
                    "SECONDS or -t TIME");
    return FALSE;
  }
  record->run_us = runs_to_limit ? record->limit_us : own->run_us;
  record->state = runs_to_limit || (record->limit_us >= 0 && record->run_us > record->limit_us)
                      ? LK_RECORD_TIMEOUT
                      : LK_RECORD_COMPLETED;
  return TRUE;
}

static void
names_fill (Events *self, const LkJobOptions *options, const Own *own, LkTraceRecord *record)
{
  LkReaderBase *base = self->base;
  self->place++;
  record->number = own->number > 0 ? own->number : name_number (options->job_name);
  if (record->number < 0)
    record->number = self->place;
  record->job_name = options->job_name;
  record->user = lk_reader_string (base, options->user);
  record->user_id = lk_reader_number (base, LK_NAMES_USER, record->user);
  record->group =
      lk_reader_text (base, options->request.group.bytes, options->request.group.length_bytes);
  record->group_id = lk_reader_number (base, LK_NAMES_GROUP, record->group);
}

static guint32
partition_number (LkReaderBase *base, const LkJobRequest *request)
{
  return lk_reader_number (
      base, LK_NAMES_PARTITION,
      lk_reader_text (base, request->partition.bytes, request->partition.length_bytes));
}

/* "1002+1". */
static const char *
component_name (LkReaderBase *base, gint64 number, guint offset)
{
  char name[48];
  int length = g_snprintf (name, sizeof name, "%" G_GINT64_FORMAT "+%u", number, offset);
  return lk_reader_text_once (base, name, (gsize)length);
}

/* A moment as sbatch takes it, on the clock of the list. */
static gboolean
moment_fill (const Events *self, const char *name, const char *text, gint64 submit_us,
             gint64 *out_us, GError **error)
{
  if (text == NULL)
    return TRUE;
  if (lk_job_moment_parse (text, submit_us, out_us)
      || (lk_sacct_time_us (lk_span (text), out_us) && *out_us >= 0))
    return TRUE;
  word_fail (self, name, text, "now, now+COUNT[UNIT] or a date", error);
  return FALSE;
}

static gboolean
terms_fill (const Events *self, const LkJobOptions *options, gboolean is_component,
            LkTraceRecord *record, GError **error)
{
  LkJobTerms terms = options->terms;
  if (self->leaves_out)
    return TRUE;
  if (!moment_fill (self, "--begin", options->begin, record->submit_us, &terms.begin_us, error)
      || !moment_fill (self, "--deadline", options->deadline, record->submit_us, &terms.deadline_us,
                       error))
    return FALSE;
  terms.comment = (LkText){ 0 };
  terms.het_count = is_component ? 1 : 0;
  record->terms = lk_reader_terms (self->base, &terms);
  return TRUE;
}

/* Nothing acts on it, whatever the list is read for. */
static gboolean
options_check (const Events *self, const LkJobOptions *options, GError **error)
{
  const char *left = options->unsupported_beside_terms;
  if (left == NULL || self->base->options.lenient)
    return TRUE;
  lk_reader_fail (self->base, error,
                  "nothing acts on --%.*s; expected jobs without it (--lenient passes over it)",
                  (int)strcspn (left, ","), left);
  return FALSE;
}

/* One component, or the whole job. */
static gboolean
component_fill (Events *self, const LkJobOptions *options, const Own *own, LkTraceRecord *record,
                GError **error)
{
  record->limit_us = options->limit_us;
  record->request = options->request;
  record->request.flags &= ~(guint32)LK_REQUEST_HOLD;
  record->procs = lk_job_request_cpus (&options->request);
  if (!options_check (self, options, error) || !run_fill (self, own, record, error))
    return FALSE;
  if (own->cancel_us >= 0) {
    record->end_us = record->submit_us + own->cancel_us;
    record->state = LK_RECORD_CANCELLED;
  }
  return TRUE;
}

/* `text` stands behind the bar. */
static gboolean
job_fill (Events *self, const char *text, LkTraceRecord *record, GError **error)
{
  LkReaderBase *base = self->base;
  g_autoptr (GError) wrong = NULL;
  g_autoptr (GArray) components = g_array_new (FALSE, FALSE, sizeof (LkJobOptions));
  Own own = { .number = -1, .cancel_us = -1 };
  g_auto (GStrv) words = lk_job_options_split (text, &wrong);
  if (words != NULL && !own_split (self, words, &own, error))
    return FALSE;
  if (words == NULL
      || !lk_job_options_parse_components ((const char *const *)words, base->texts, components,
                                           &wrong)) {
    lk_reader_fail (base, error, "%s", wrong->message);
    return FALSE;
  }
  names_fill (self, &g_array_index (components, LkJobOptions, 0), &own, record);
  LkTraceRecord whole = *record;
  for (guint i = 0; i < components->len; i++) {
    const LkJobOptions *options = &g_array_index (components, LkJobOptions, i);
    LkTraceRecord part = whole;
    part.partition_id = partition_number (base, &options->request);
    if (components->len > 1)
      part.name = component_name (base, whole.number, i);
    if (!component_fill (self, options, &own, &part, error)
        || !terms_fill (self, options, components->len > 1, &part, error))
      return FALSE;
    if (i == 0)
      *record = part;
    else
      g_array_append_val (self->components, part);
  }
  return TRUE;
}

/* 1: a job; 0: an event to pass over; -1: error. */
static int
line_read (Events *self, char *line, LkTraceRecord *record, GError **error)
{
  char *bar = strchr (line, '|');
  if (bar == NULL)
    return lk_reader_fail (self->base, error,
                           "'%.*s' has no '|'; expected -dt SECONDS -e " KIND_SUBMIT " | ARGUMENTS",
                           SHOWN_MAX_BYTES, line);
  *bar = '\0';
  const char *kind;
  g_autoptr (GError) wrong = NULL;
  g_auto (GStrv) words = lk_job_options_split (line, &wrong);
  if (words == NULL)
    return lk_reader_fail (self->base, error, "%s", wrong->message);
  if (!head_parse (self, words, &record->submit_us, &kind, error))
    return -1;
  if (strcmp (kind, KIND_SUBMIT) == 0)
    return job_fill (self, bar + 1, record, error) ? 1 : -1;
  if (self->base->options.lenient)
    return 0;
  return lk_reader_fail (self->base, error,
                         "the event is '%.*s'; expected " KIND_SUBMIT
                         " (--lenient passes over others)",
                         SHOWN_MAX_BYTES, kind);
}

/* ---------------------------------------------------------------- the format */

static const char *const map_keys[] = { "terms", NULL };

static gpointer
events_open (LkReaderBase *base, GError **error)
{
  static const char *const words[] = { "log", "none", NULL };
  guint choice;
  if (!lk_reader_map_choice (base, "terms", words, &choice, error))
    return NULL;
  Events *self = g_new0 (Events, 1);
  self->base = base;
  self->leaves_out = choice == 1;
  self->components = g_array_new (FALSE, FALSE, sizeof (LkTraceRecord));
  return self;
}

static void
events_close (gpointer data)
{
  Events *self = data;
  g_array_unref (self->components);
  g_free (self);
}

/* The next component of the last line. */
static gboolean
component_take (Events *self, LkTraceRecord *out_record)
{
  if (self->component_next == self->components->len) {
    g_array_set_size (self->components, 0);
    self->component_next = 0;
    return FALSE;
  }
  *out_record = g_array_index (self->components, LkTraceRecord, self->component_next);
  self->component_next++;
  return TRUE;
}

static int
events_next (gpointer data, LkTraceRecord *out_record, GError **error)
{
  Events *self = data;
  if (component_take (self, out_record))
    return 1;
  for (;;) {
    const char *bytes;
    gsize length_bytes;
    int got = lk_input_line (self->base->input, &bytes, &length_bytes, error);
    if (got <= 0)
      return got;
    self->base->line_number = lk_input_line_number (self->base->input);
    if (memchr (bytes, '\0', length_bytes) != NULL)
      return lk_reader_fail (self->base, error, "a NUL byte; expected text");
    g_autofree char *line = g_strstrip (g_strndup (bytes, length_bytes));
    if (*line == '\0' || *line == '#')
      continue;
    got = line_read (self, line, out_record, error);
    if (got != 0)
      return got;
    self->base->counts.skipped_count++;
    lk_record_init (out_record);
  }
}

const LkReaderOps lk_reader_events = {
  .format = LK_FORMAT_EVENTS,
  .is_mine = events_is_mine,
  .map_keys = map_keys,
  .open = events_open,
  .next = events_next,
  .close = events_close,
};
