/* sim/study/run.c — see run.h.
 *
 * What is shared is under one lock, which is held while a log is read: two runs of one log that
 * begin together read it once. Logs stay until the runner goes; a study has few. */
#include "sim/study/run.h"

#include <math.h>
#include <string.h>

#include "engine/assert.h"
#include "sim/error.h"
#include "sim/settings.h"
#include "traces/input.h"

/* Of one log, as text. */
#define LOG_MAX_BYTES ((gsize)1 << 40)

typedef struct {
  GString *text; /* NULL: it could not be read */
  GError *error; /* then */
} Log;

struct _LkStudyRunner {
  GMutex mutex;
  GHashTable *logs;    /* path -> Log */
  GHashTable *digests; /* path -> text of the digest of its content */
  GHashTable *firsts;  /* key of a command line -> gint64, first submit */
};

struct _LkStudyResult {
  LkSummary summary; /* its texts are in `chunk` */
  GStringChunk *chunk;
};

static void
log_free (gpointer data)
{
  Log *self = data;
  if (self->text != NULL)
    g_string_free (self->text, TRUE);
  g_clear_error (&self->error);
  g_free (self);
}

LkStudyRunner *
lk_study_runner_new (void)
{
  LkStudyRunner *self = g_new0 (LkStudyRunner, 1);
  g_mutex_init (&self->mutex);
  self->logs = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, log_free);
  self->digests = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  self->firsts = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  return self;
}

void
lk_study_runner_free (LkStudyRunner *self)
{
  if (self == NULL)
    return;
  g_hash_table_unref (self->logs);
  g_hash_table_unref (self->digests);
  g_hash_table_unref (self->firsts);
  g_mutex_clear (&self->mutex);
  g_free (self);
}

/* ---------------------------------------------------------------- logs */

static Log *
log_read (const char *path)
{
  Log *self = g_new0 (Log, 1);
  g_autoptr (LkInput) input = lk_input_new (path, &self->error);
  self->text = g_string_new (NULL);
  if (input != NULL && lk_input_rest (input, LOG_MAX_BYTES, self->text, &self->error))
    return self;
  g_string_free (self->text, TRUE);
  self->text = NULL;
  return self;
}

/* (transfer none), as long as self. */
static const GString *
log_of (LkStudyRunner *self, const char *path, GError **error)
{
  g_mutex_lock (&self->mutex);
  Log *log = g_hash_table_lookup (self->logs, path);
  if (log == NULL) {
    log = log_read (path);
    g_hash_table_insert (self->logs, g_strdup (path), log);
  }
  g_mutex_unlock (&self->mutex);
  if (log->text == NULL && error != NULL)
    *error = g_error_copy (log->error);
  return log->text;
}

static gboolean
parse (LkSettings *out_settings, char *const *arguments, GError **error)
{
  /* GOption moves the pointers, not the texts. */
  g_auto (GStrv) texts = g_strdupv ((char **)arguments);
  guint count = g_strv_length (texts);
  g_autofree char **argv = g_memdup2 (texts, (count + 1) * sizeof *texts);
  if (!lk_settings_parse (out_settings, (int)count, argv, error))
    return FALSE;
  if (out_settings->trace_path != NULL)
    return TRUE;
  lk_settings_clear (out_settings);
  g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE, "the run has no log");
  return FALSE;
}

/* ---------------------------------------------------------------- one run */

typedef struct {
  const LkStudyJobs *jobs;
  LkStudyResult *result;
} Run;

static LkStudyResult *
result_new (const LkSummary *summary)
{
  LkStudyResult *self = g_new0 (LkStudyResult, 1);
  guint field_count;
  const LkSummaryField *fields = lk_summary_fields (&field_count);
  self->chunk = g_string_chunk_new (512);
  self->summary = *summary;
  for (guint i = 0; i < field_count; i++) {
    const char **text = (const char **)((guint8 *)&self->summary + fields[i].offset);
    if (fields[i].type == LK_FIELD_TEXT && *text != NULL)
      *text = g_string_chunk_insert_const (self->chunk, *text);
  }
  self->summary.account_waits = NULL;
  return self;
}

void
lk_study_result_free (LkStudyResult *self)
{
  if (self == NULL)
    return;
  g_string_chunk_free (self->chunk);
  g_free (self);
}

static void
run_done (gpointer user, const LkSummary *summary)
{
  Run *self = user;
  self->result = result_new (summary);
}

static void
run_job_ended (gpointer user, const LkJobRecord *record, const LkSimResult *result)
{
  const Run *self = user;
  self->jobs->job_ended (self->jobs->user, record, result);
}

static gboolean
run_is_stopped (gpointer user)
{
  const Run *self = user;
  return self->jobs->is_stopped (self->jobs->user);
}

LkStudyResult *
lk_study_runner_run (LkStudyRunner *self, char *const *arguments, const LkStudyJobs *jobs,
                     GError **error)
{
  LkSettings settings;
  Run run = { .jobs = jobs };
  if (!parse (&settings, arguments, error))
    return NULL;
  const GString *log = log_of (self, settings.trace_path, error);
  LkSimHooks hooks = {
    .log_bytes = log != NULL ? (const guint8 *)log->str : NULL,
    .log_length_bytes = log != NULL ? log->len : 0,
    .job_ended = jobs != NULL && jobs->job_ended != NULL ? run_job_ended : NULL,
    .is_stopped = jobs != NULL && jobs->is_stopped != NULL ? run_is_stopped : NULL,
    .done = run_done,
    .user = &run,
  };
  gboolean done = log != NULL && lk_sim_settings_run (&settings, &hooks, error);
  lk_settings_clear (&settings);
  if (done)
    return run.result;
  lk_study_result_free (run.result);
  return NULL;
}

gboolean
lk_study_check (char *const *arguments, GError **error)
{
  LkSettings settings;
  if (!parse (&settings, arguments, error))
    return FALSE;
  gboolean good = lk_sim_settings_check (&settings, error);
  lk_settings_clear (&settings);
  return good;
}

/* ---------------------------------------------------------------- weeks */

gboolean
lk_study_runner_each (LkStudyRunner *self, char *const *arguments,
                      gboolean (*take) (gpointer user, const LkTraceJob *job), gpointer user,
                      GError **error)
{
  LkSettings settings;
  if (!parse (&settings, arguments, error))
    return FALSE;
  const GString *log = log_of (self, settings.trace_path, error);
  LkSimHooks hooks = { 0 };
  if (log != NULL) {
    hooks.log_bytes = (const guint8 *)log->str;
    hooks.log_length_bytes = log->len;
  }
  gboolean good = log != NULL && lk_sim_settings_each (&settings, &hooks, take, user, error);
  lk_settings_clear (&settings);
  return good;
}

static gboolean
take_first (gpointer user, const LkTraceJob *job)
{
  *(gint64 *)user = job->submit_us;
  return FALSE;
}

gboolean
lk_study_runner_first_submit (LkStudyRunner *self, const LkStudyPlan *plan, LkStudyChoice *choice,
                              GError **error)
{
  if (choice->window == NULL || choice->window->week_first == 0) {
    choice->first_submit_us = 0;
    return TRUE;
  }
  /* The policy may set what of the log is read, too; what is varied does not move weeks. */
  LkStudyChoice whole = { .trace = choice->trace, .policy = choice->policy };
  g_auto (GStrv) arguments = lk_study_arguments (plan, &whole, error);
  if (arguments == NULL)
    return FALSE;
  g_autofree char *key = g_strjoinv ("\n", arguments);
  g_mutex_lock (&self->mutex);
  const gint64 *known = g_hash_table_lookup (self->firsts, key);
  g_mutex_unlock (&self->mutex);
  if (known == NULL) {
    gint64 *first_us = g_new0 (gint64, 1);
    if (!lk_study_runner_each (self, arguments, take_first, first_us, error)) {
      g_free (first_us);
      lk_study_prefix_place (plan, &whole, error);
      return FALSE;
    }
    choice->first_submit_us = *first_us;
    g_mutex_lock (&self->mutex);
    g_hash_table_replace (self->firsts, g_steal_pointer (&key), first_us);
    g_mutex_unlock (&self->mutex);
    return TRUE;
  }
  choice->first_submit_us = *known;
  return TRUE;
}

/* ---------------------------------------------------------------- keys */

/* Of the content of a file; "" when it is none. (transfer none). */
static const char *
file_digest (LkStudyRunner *self, const char *path, GError **error)
{
  g_mutex_lock (&self->mutex);
  const char *known = g_hash_table_lookup (self->digests, path);
  g_mutex_unlock (&self->mutex);
  if (known != NULL)
    return known;
  if (!g_file_test (path, G_FILE_TEST_IS_REGULAR))
    return "";
  g_autoptr (GMappedFile) file = g_mapped_file_new (path, FALSE, error);
  if (file == NULL)
    return NULL;
  char *text = g_compute_checksum_for_data (G_CHECKSUM_SHA256,
                                            (const guchar *)g_mapped_file_get_contents (file),
                                            g_mapped_file_get_length (file));
  g_mutex_lock (&self->mutex);
  g_hash_table_replace (self->digests, g_strdup (path), text);
  g_mutex_unlock (&self->mutex);
  return text;
}

static int
compare_texts (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *)a, *(const char *const *)b);
}

/* Arguments in order of their names; those that repeat stay in theirs, which may matter. */
static GPtrArray *
sorted_arguments (char *const *arguments)
{
  GPtrArray *sorted = g_ptr_array_new ();
  for (guint i = 1; arguments[i] != NULL; i++)
    if (!g_str_has_prefix (arguments[i], "--plugin=") && !g_str_has_prefix (arguments[i], "--map="))
      g_ptr_array_add (sorted, arguments[i]);
  g_ptr_array_sort (sorted, compare_texts);
  for (guint i = 1; arguments[i] != NULL; i++)
    if (g_str_has_prefix (arguments[i], "--plugin=") || g_str_has_prefix (arguments[i], "--map="))
      g_ptr_array_add (sorted, arguments[i]);
  return sorted;
}

static void
add_text (LkDigest *digest, const char *text)
{
  lk_digest_add (digest, (const guint8 *)text, strlen (text));
}

gboolean
lk_study_runner_key (LkStudyRunner *self, char *const *arguments,
                     char out_key[LK_DIGEST_TEXT_BYTES], GError **error)
{
  LkDigest digest;
  g_autoptr (GPtrArray) sorted = sorted_arguments (arguments);
  lk_digest_init (&digest);
  add_text (&digest, LK_ENGINE_VERSION);
  for (guint i = 0; i < sorted->len; i++) {
    const char *argument = g_ptr_array_index (sorted, i);
    const char *value = strchr (argument, '=');
    const char *path =
        g_str_has_prefix (argument, "--") ? (value != NULL ? value + 1 : "") : argument;
    const char *content = file_digest (self, path, error);
    if (content == NULL)
      return FALSE;
    add_text (&digest, argument);
    add_text (&digest, content);
  }
  lk_digest_value_text (lk_digest_value (&digest), out_key);
  return TRUE;
}

/* ---------------------------------------------------------------- results by name */

static const LkSummaryField *
field_of (const char *name)
{
  guint field_count;
  const LkSummaryField *fields = lk_summary_fields (&field_count);
  for (guint i = 0; i < field_count; i++)
    if (strcmp (fields[i].column, name) == 0
        || (fields[i].group == NULL && strcmp (fields[i].key, name) == 0))
      return &fields[i];
  return NULL;
}

static gboolean
is_number (const LkSummaryField *field)
{
  return field->type != LK_FIELD_TEXT && field->type != LK_FIELD_CHARS;
}

gboolean
lk_study_result_has_number (const char *name)
{
  const LkSummaryField *field = field_of (name);
  return field != NULL && is_number (field);
}

const char **
lk_study_result_names (void)
{
  guint field_count;
  const LkSummaryField *fields = lk_summary_fields (&field_count);
  GPtrArray *names = g_ptr_array_new ();
  for (guint i = 0; i < field_count; i++)
    if (is_number (&fields[i]))
      g_ptr_array_add (names, (gpointer)fields[i].column);
  g_ptr_array_add (names, NULL);
  return (const char **)g_ptr_array_free (names, FALSE);
}

double
lk_study_result_number (const LkStudyResult *self, const char *name)
{
  const LkSummaryField *field = field_of (name);
  if (field == NULL)
    return NAN;
  const guint8 *at = (const guint8 *)&self->summary + field->offset;
  switch (field->type) {
  case LK_FIELD_COUNT:
    return (double)*(const guint64 *)(gconstpointer)at;
  case LK_FIELD_REAL:
    return *(const double *)(gconstpointer)at;
  case LK_FIELD_SECONDS:
    return (double)*(const gint64 *)(gconstpointer)at / 1e6;
  default:
    return NAN;
  }
}

const char *
lk_study_result_text (const LkStudyResult *self, const char *name)
{
  const LkSummaryField *field = field_of (name);
  if (field == NULL || is_number (field))
    return NULL;
  const guint8 *at = (const guint8 *)&self->summary + field->offset;
  return field->type == LK_FIELD_CHARS ? (const char *)at : *(const char *const *)(gconstpointer)at;
}

double
lk_study_result_wall_s (const LkStudyResult *self)
{
  return self->summary.wall_s;
}

static gpointer
columns_new (gpointer data)
{
  static const char *const costs[] = { "wall_s", "jobs_per_s", "peak_rss_bytes", NULL };
  guint field_count;
  const LkSummaryField *fields = lk_summary_fields (&field_count);
  GArray *columns = g_array_new (FALSE, FALSE, sizeof (LkStudyColumn));
  (void)data;
  for (guint i = 0; i < field_count; i++) {
    LkStudyColumn column = { .name = fields[i].column, .type = fields[i].type };
    if (!g_strv_contains (costs, column.name))
      g_array_append_val (columns, column);
  }
  return columns;
}

const LkStudyColumn *
lk_study_columns (guint *out_count)
{
  static GOnce once = G_ONCE_INIT;
  const GArray *columns = g_once (&once, columns_new, NULL);
  *out_count = columns->len;
  return (const LkStudyColumn *)(gconstpointer)columns->data;
}

char **
lk_study_result_texts (const LkStudyResult *self)
{
  guint count;
  const LkStudyColumn *columns = lk_study_columns (&count);
  char **texts = g_new0 (char *, count + 1);
  for (guint i = 0; i < count; i++) {
    char number[LK_REAL_TEXT_BYTES] = "";
    double value = lk_study_result_number (self, columns[i].name);
    if (columns[i].type == LK_FIELD_TEXT || columns[i].type == LK_FIELD_CHARS) {
      const char *text = lk_study_result_text (self, columns[i].name);
      texts[i] = g_strdup (text != NULL ? text : "");
      continue;
    }
    if (columns[i].type == LK_FIELD_COUNT)
      g_snprintf (number, sizeof number, "%.0f", value);
    else if (isfinite (value))
      lk_real_text (value, number);
    texts[i] = g_strdup (number);
  }
  return texts;
}

const LkSummary *
lk_study_result_summary (const LkStudyResult *self)
{
  return &self->summary;
}
