/* traces/reader_sacct_json.c — logs that sacct --json printed, of Slurm 21.08 on.
 *
 * The text is held in memory (LK_READER_WHOLE_MAX_BYTES bound it); of its values, those of one job
 * at a time.  Taken is {"jobs": [...]} with whatever else beside it, or the list alone.  Job steps
 * are in their job here; they are counted.
 *
 * What changed between versions: numbers became {set, infinite, number}, the state a list of
 * strings, memory two members in place of one number with a mark.  All are understood everywhere.
 *
 * Not here: what a job becomes (sacct_job.h). */
#include <string.h>

#include "engine/policy.h"
#include "traces/job_fold.h"
#include "traces/json_scan.h"
#include "traces/json_values.h"
#include "traces/sacct_job.h"

#define SECOND_US G_GINT64_CONSTANT (1000000)
#define MIB (G_GINT64_CONSTANT (1024) * 1024)
/* Slurm's NO_VAL, INFINITE and their 16 relatives: no number that a job could have. */
#define MARK_MIN G_GINT64_CONSTANT (0xfffffff0)
#define MARK_INFINITE G_GINT64_CONSTANT (0xffffffff)
#define MARK_MAX MARK_INFINITE
/* Later than any moment or length of a job: as in sacct_values.c. */
#define SECONDS_MAX G_GINT64_CONSTANT (1000000000000)

typedef struct {
  LkReaderBase *base;
  LkSacctRules rules;
  GString *text;
  LkJsonScan scan; /* in the list of jobs */
  gboolean is_begun;
  JsonParser *parser;
  LkJobFold *fold;
  gboolean is_read;
} SacctJson;

static const char *const map_keys[] = { LK_SACCT_MAP_KEYS, NULL };

/* ---------------------------------------------------------------- the text */

static gboolean
has (const char *head, gsize length_bytes, const char *word)
{
  return g_strstr_len (head, (gssize)length_bytes, word) != NULL;
}

static gboolean
is_mine (const char *head, gsize length_bytes)
{
  LkJsonScan scan = { head, head + length_bytes, 1 };
  if (lk_json_scan_take (&scan, '{'))
    return TRUE;
  return lk_json_scan_take (&scan, '[') && has (head, length_bytes, "\"job_id\"");
}

static int
json_fail (const SacctJson *self, guint64 line_number, const char *what, GError **error)
{
  g_autofree char *text = lk_reader_one_line (what);
  g_set_error (error, LK_TRACE_ERROR, LK_TRACE_ERROR_SYNTAX,
               "trace '%s' line %" G_GUINT64_FORMAT ": %s; expected JSON as sacct --json prints it",
               lk_input_name (self->base->input), line_number, text);
  return -1;
}

/* Json-glib's own words, without their "<data>:1:2: Parse error: "; the first of these numbers is
 * the line in what it parsed, from 1. */
static const char *
parser_message (const GError *error, guint64 *out_line)
{
  static const char place[] = "<data>:";
  static const char before[] = "Parse error: ";
  const char *message = error->message;
  *out_line = 1;
  if (g_str_has_prefix (message, place))
    *out_line = MAX (g_ascii_strtoull (message + strlen (place), NULL, 10), 1);
  const char *found = strstr (message, before);
  return found ? found + strlen (before) : message;
}

/* Parses one part into the parser. */
static int
part_parse (SacctJson *self, const LkJsonPart *part, GError **error)
{
  g_autoptr (GError) wrong = NULL;
  if (json_parser_load_from_data (self->parser, part->value.bytes, (gssize)part->value.length_bytes,
                                  &wrong))
    return 1;
  guint64 line;
  const char *message = parser_message (wrong, &line);
  return json_fail (self, part->line_number + line - 1, message, error);
}

/* sacct reports what went wrong in a list beside that of the jobs. */
static gboolean
errors_check (SacctJson *self, const LkJsonPart *errors, GError **error)
{
  if (part_parse (self, errors, error) < 0)
    return FALSE;
  JsonNode *root = json_parser_get_root (self->parser);
  if (!root || !JSON_NODE_HOLDS_ARRAY (root))
    return TRUE;
  JsonArray *list = json_node_get_array (root);
  if (json_array_get_length (list) == 0)
    return TRUE;
  JsonNode *first = json_array_get_element (list, 0);
  LkSpan text = { NULL, 0 };
  if (JSON_NODE_HOLDS_OBJECT (first)
      && (!lk_json_text (json_node_get_object (first), "description", &text)
          || text.length_bytes == 0))
    lk_json_text (json_node_get_object (first), "error", &text);
  g_autofree char *line =
      lk_reader_one_line (text.length_bytes > 0 ? text.bytes : "without a description");
  g_set_error (error, LK_TRACE_ERROR, LK_TRACE_ERROR_EMPTY,
               "trace '%s' has no jobs, and sacct reported an error in it: %s",
               lk_input_name (self->base->input), line);
  return FALSE;
}

/* Is there no element in the list? */
static gboolean
is_list_empty (LkSpan list)
{
  LkJsonScan scan = { list.bytes + 1, list.bytes + list.length_bytes, 1 };
  return lk_json_scan_take (&scan, ']');
}

/* Finds the list of jobs in {"jobs": [...], ...}. */
static gboolean
object_open (SacctJson *self, GError **error)
{
  LkJsonPart part;
  LkJsonPart jobs = { .line_number = 0 };
  LkJsonPart errors = { .line_number = 0 };
  const char *wrong;
  gboolean is_begun = FALSE;
  int got;
  while ((got = lk_json_scan_part (&self->scan, '}', &is_begun, &part, &wrong)) == 1) {
    if (part.key.length_bytes == 4 && memcmp (part.key.bytes, "jobs", 4) == 0)
      jobs = part;
    else if (part.key.length_bytes == 6 && memcmp (part.key.bytes, "errors", 6) == 0)
      errors = part;
  }
  if (got < 0)
    return json_fail (self, self->scan.line_number, wrong, error) == 0;
  if (!lk_json_scan_is_end (&self->scan))
    return json_fail (self, self->scan.line_number, "something behind the last bracket", error)
           == 0;
  if (jobs.line_number == 0 || jobs.value.bytes[0] != '[')
    return json_fail (self, 1, "there is no list \"jobs\"", error) == 0;
  if (errors.line_number > 0 && is_list_empty (jobs.value) && !errors_check (self, &errors, error))
    return FALSE;
  self->scan = (LkJsonScan){ jobs.value.bytes + 1, jobs.value.bytes + jobs.value.length_bytes,
                             jobs.line_number };
  return TRUE;
}

static gboolean
text_open (SacctJson *self, GError **error)
{
  if (!lk_input_rest (self->base->input, LK_READER_WHOLE_MAX_BYTES, self->text, error))
    return FALSE;
  self->scan = (LkJsonScan){ self->text->str, self->text->str + self->text->len, 1 };
  if (lk_json_scan_take (&self->scan, '{'))
    return object_open (self, error);
  if (lk_json_scan_take (&self->scan, '['))
    return TRUE;
  return json_fail (self, self->scan.line_number, "no object and no list", error) == 0;
}

static void
json_close (gpointer data)
{
  SacctJson *self = data;
  if (self->text)
    g_string_free (self->text, TRUE);
  g_object_unref (self->parser);
  lk_job_fold_free (self->fold);
  g_free (self);
}

static gpointer
json_open (LkReaderBase *base, GError **error)
{
  SacctJson *self = g_new0 (SacctJson, 1);
  self->base = base;
  base->element = "job";
  base->has_dates = TRUE;
  self->text = g_string_new (NULL);
  self->parser = json_parser_new_immutable ();
  self->fold = lk_job_fold_new (base);
  if (lk_sacct_rules_init (&self->rules, base, error) && text_open (self, error))
    return self;
  json_close (self);
  return NULL;
}

/* ---------------------------------------------------------------- values */

/* What takes parts of a job out of its object, as long as nothing is wrong. */
typedef struct {
  const SacctJson *reader;
  JsonObject *object;
  GError **error;
  gboolean has_failed;
} Taking;

static void
taking_fail (Taking *self, const char *path, const char *expected)
{
  if (!self->has_failed)
    lk_reader_fail (self->reader->base, self->error, "%s is not %s", path, expected);
  self->has_failed = TRUE;
}

static LkJsonFound
take_number (Taking *self, const char *path, gint64 *out_number)
{
  gint64 number = -1;
  LkJsonFound found = lk_json_number (self->object, path, &number);
  if (found == LK_JSON_WRONG)
    taking_fail (self, path, "a number; expected one, plain or as {set, infinite, number}");
  /* The marks for "no value" were plain numbers once. */
  if (found == LK_JSON_NUMBER && number >= MARK_MIN && number <= MARK_MAX)
    return number == MARK_INFINITE ? LK_JSON_INFINITE : LK_JSON_MISSING;
  if (found == LK_JSON_NUMBER)
    *out_number = number;
  return found;
}

static void
take_time (Taking *self, const char *path, gint64 *out_us)
{
  gint64 seconds = -1;
  LkJsonFound found = take_number (self, path, &seconds);
  if (found == LK_JSON_NUMBER && seconds > SECONDS_MAX)
    taking_fail (self, path, "a time in seconds");
  else if (found == LK_JSON_NUMBER && seconds >= 0)
    *out_us = seconds * SECOND_US;
}

/* A moment that has not come is 0. */
static void
take_moment (Taking *self, const char *path, gint64 *out_us)
{
  gint64 time_us = 0;
  take_time (self, path, &time_us);
  if (time_us > 0)
    *out_us = time_us;
}

static void
take_text (Taking *self, const char *path, LkSpan *out_text)
{
  if (!lk_json_text (self->object, path, out_text))
    taking_fail (self, path, "a string; expected one");
}

static void
take_times (Taking *self, LkSacctJob *job)
{
  gint64 minutes = -1;
  take_moment (self, "time.submission", &job->submit_us);
  take_moment (self, "time.eligible", &job->eligible_us);
  take_moment (self, "time.start", &job->start_us);
  take_moment (self, "time.end", &job->end_us);
  take_time (self, "time.elapsed", &job->elapsed_us);
  take_time (self, "time.suspended", &job->suspended_us);
  LkJsonFound found = take_number (self, "time.limit", &minutes);
  if (found == LK_JSON_INFINITE)
    job->limit_us = LK_TIME_NEVER;
  else if (found == LK_JSON_NUMBER && minutes > 0 && minutes <= SECONDS_MAX / 60)
    job->limit_us = minutes * 60 * SECOND_US;
}

/* Of requested or allocated. */
static void
take_tres (Taking *self, const char *path, LkTres *tres)
{
  JsonArray *list = lk_json_list (self->object, path);
  if (!list && lk_json_node (self->object, path))
    taking_fail (self, path, "a list; expected one of {type, name, count}");
  for (guint i = 0; list && i < json_array_get_length (list); i++) {
    JsonNode *node = json_array_get_element (list, i);
    LkSpan type;
    LkSpan name;
    gint64 count = -1;
    if (!JSON_NODE_HOLDS_OBJECT (node)) {
      taking_fail (self, path, "a list of objects; expected {type, name, count}");
      return;
    }
    JsonObject *item = json_node_get_object (node);
    if (lk_json_text (item, "type", &type) && lk_json_text (item, "name", &name)
        && lk_json_number (item, "count", &count) != LK_JSON_WRONG)
      lk_tres_add (tres, type, name, count);
    else
      taking_fail (self, path, "a list of {type, name, count}");
  }
}

static void
set_memory (LkSacctJob *job, LkMemoryKind kind, gint64 mib)
{
  if (mib <= 0 || mib > G_MAXINT64 / MIB)
    return;
  job->memory_kind = kind;
  job->memory_bytes = mib * MIB;
}

/* One number with a mark, or one of two members. */
static void
take_memory (Taking *self, LkSacctJob *job)
{
  gint64 mib = 0;
  if (take_number (self, "required.memory_per_cpu", &mib) == LK_JSON_NUMBER && mib > 0) {
    set_memory (job, LK_MEMORY_PER_CPU, mib);
    return;
  }
  if (take_number (self, "required.memory_per_node", &mib) == LK_JSON_NUMBER && mib > 0) {
    set_memory (job, LK_MEMORY_PER_NODE, mib);
    return;
  }
  if (take_number (self, "required.memory", &mib) != LK_JSON_NUMBER)
    return;
  guint64 marked = (guint64)mib;
  LkMemoryKind kind = lk_sacct_memory_unmark (&marked, LK_MEMORY_PER_NODE);
  set_memory (job, kind, (gint64)marked);
}

static void
take_resources (Taking *self, LkSacctJob *job)
{
  take_number (self, "required.CPUs", &job->cpus);
  take_number (self, "allocation_nodes", &job->nodes_allocated);
  take_tres (self, "tres.requested", &job->requested);
  take_tres (self, "tres.allocated", &job->allocated);
  take_memory (self, job);
}

static void
take_names (Taking *self, LkSacctJob *job)
{
  const struct {
    const char *path;
    LkSpan *to;
  } texts[] = {
    { "cluster", &job->cluster },
    { "user", &job->user },
    { "group", &job->group },
    { "account", &job->account },
    { "qos", &job->qos },
    { "partition", &job->partition },
    { "constraints", &job->constraint },
    { "licenses", &job->licenses },
    { "name", &job->job_name },
    { "nodes", &job->node_list },
    { "submit_line", &job->submit_line },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    take_text (self, texts[i].path, texts[i].to);
  if (job->user.length_bytes == 0)
    take_text (self, "association.user", &job->user);
  /* Of a job without one it was the number 0 once. */
  lk_json_text (self->object, "reservation.name", &job->reservation);
}

/* Task 0 of an array is a number like any other where numbers can be missing, and null where they
 * could not yet. */
static void
take_id (Taking *self, LkSacctJob *job)
{
  gint64 array_number = 0;
  gint64 task = -1;
  gint64 het_number = 0;
  gint64 het_offset = -1;
  LkSpan tasks = { NULL, 0 };
  if (take_number (self, "job_id", &job->number) != LK_JSON_NUMBER || job->number <= 0)
    taking_fail (self, "job_id", "there; expected a number of at least 1");
  take_number (self, "array.job_id", &array_number);
  take_number (self, "array.task_id", &task);
  take_text (self, "array.task", &tasks);
  take_number (self, "het.job_id", &het_number);
  take_number (self, "het.job_offset", &het_offset);
  job->id = (LkSacctId){ .number = job->number, .array_task = -1, .het_offset = -1 };
  if (array_number > 0 && task >= 0) {
    job->id.number = array_number;
    job->id.array_task = task;
  } else if (array_number > 0 && tasks.length_bytes > 0) {
    job->id.number = array_number;
    job->id.tasks = tasks;
    if (!lk_sacct_tasks_are_valid (tasks))
      taking_fail (self, "array.task", "a list of tasks; expected one such as 0-9,15%4");
  } else if (het_number > 0 && het_offset >= 0) {
    job->id.number = het_number;
    job->id.het_offset = het_offset;
  }
}

static void
take_state (Taking *self, LkSacctJob *job)
{
  static const char *const requeued[] = { "REQUEUED", "REQUEUE_HOLD", "REQUEUE_FED",
                                          "SPECIAL_EXIT" };
  gint64 code = 0;
  gint64 signal = 0;
  LkSpan state = { NULL, 0 };
  take_text (self, "state.current", &state);
  if (state.length_bytes > 0 && !lk_sacct_state (state, &job->state, &job->is_resizing))
    taking_fail (self, "state.current", "a state; expected one such as COMPLETED");
  for (gsize i = 0; i < G_N_ELEMENTS (requeued); i++)
    if (lk_json_has_text (self->object, "state.current", requeued[i]))
      job->state = LK_RECORD_REQUEUED;
  job->is_resizing = lk_json_has_text (self->object, "state.current", "RESIZING");
  take_number (self, "exit_code.return_code", &code);
  take_number (self, "exit_code.signal.signal_id", &signal);
  take_number (self, "exit_code.signal.id", &signal);
  job->exit_code = (guint8)CLAMP (code, 0, 255);
  job->exit_signal = (guint8)CLAMP (signal, 0, 255);
}

/* ---------------------------------------------------------------- jobs */

static gboolean
object_take (SacctJson *self, JsonObject *object, LkSacctJob *job, GError **error)
{
  Taking taking = { .reader = self, .object = object, .error = error };
  JsonArray *steps = lk_json_list (object, "steps");
  lk_sacct_job_init (job);
  take_id (&taking, job);
  take_state (&taking, job);
  take_times (&taking, job);
  take_resources (&taking, job);
  take_names (&taking, job);
  if (job->submit_us < 0)
    taking_fail (&taking, "time.submission", "a time; expected seconds since 1970");
  if (taking.has_failed)
    return FALSE;
  self->base->counts.step_count += steps ? json_array_get_length (steps) : 0;
  return TRUE;
}

static gboolean
job_take (SacctJson *self, GError **error)
{
  LkSacctJob job;
  LkFoldRow row;
  JsonNode *root = json_parser_get_root (self->parser);
  if (!root || !JSON_NODE_HOLDS_OBJECT (root)) {
    lk_reader_fail (self->base, error, "it is no object; expected one");
    return FALSE;
  }
  if (!object_take (self, json_node_get_object (root), &job, error))
    return FALSE;
  lk_record_init (&row.record);
  lk_sacct_job_record (&job, &self->rules, self->base, &row.record);
  row.cluster = job.cluster;
  row.tasks = job.id.tasks;
  row.is_resizing = job.is_resizing;
  return lk_job_fold_add (self->fold, &row, error);
}

/* The next element of the list: 1, 0 or -1. */
static int
element_read (SacctJson *self, GError **error)
{
  LkJsonPart part;
  const char *wrong;
  g_autoptr (GError) job_error = NULL;
  int got = lk_json_scan_part (&self->scan, ']', &self->is_begun, &part, &wrong);
  if (got == 0)
    return 0;
  if (got < 0)
    return json_fail (self, self->scan.line_number, wrong, error);
  self->base->line_number++;
  if (part_parse (self, &part, error) < 0)
    return -1;
  if (job_take (self, &job_error))
    return 1;
  if (self->base->options.lenient) {
    self->base->counts.skipped_count++;
    return 1;
  }
  g_propagate_error (error, g_steal_pointer (&job_error));
  return -1;
}

static int
json_next (gpointer data, LkTraceRecord *out_record, GError **error)
{
  SacctJson *self = data;
  int got = self->is_read ? 0 : 1;
  while (got == 1)
    got = element_read (self, error);
  if (got < 0)
    return -1;
  if (!self->is_read)
    g_string_free (g_steal_pointer (&self->text), TRUE);
  self->is_read = TRUE;
  return lk_job_fold_next (self->fold, out_record) ? 1 : 0;
}

const LkReaderOps lk_reader_sacct_json = {
  .format = LK_FORMAT_SACCT_JSON,
  .is_mine = is_mine,
  .map_keys = map_keys,
  .open = json_open,
  .next = json_next,
  .close = json_close,
};
