/* live/client/submit/sbatch.c — submits a batch script. See sbatch.h. */
#include "live/client/submit/sbatch.h"
#include "live/client/submit/tres_per_task.h"

#include <string.h>

#include "engine/hostlist.h"
#include "live/client/commands.h"
#include "live/client/options_dump.h"
#include "live/client/refusal.h"
#include "live/client/rounds.h"
#include "live/client/spank_command.h"
#include "live/client/submit/host_file.h"
#include "live/client/submit/option_variables.h"
#include "live/client/words.h"
#include "traces/batch_script.h"
#include "traces/job_options.h"
#include "traces/job_values.h"

#define WAIT_FIRST_US (100 * 1000)
#define WAIT_MAX_US (2 * G_USEC_PER_SEC)

/* ---------------------------------------------------------------- words */

/* Of memory for each node, CPU and GPU only what is said last counts. */
static gboolean
is_memory (const char *word)
{
  return g_str_has_prefix (word, "--mem=") || g_str_has_prefix (word, "--mem-per-");
}

void
lk_sbatch_words_append (GPtrArray *words, char **more)
{
  gboolean has_memory = FALSE;
  for (guint i = 0; more[i] != NULL; i++)
    has_memory = has_memory || is_memory (more[i]);
  for (guint i = words->len; has_memory && i > 0; i--)
    if (is_memory (g_ptr_array_index (words, i - 1)))
      g_ptr_array_remove_index (words, i - 1);
  for (guint i = 0; more[i] != NULL; i++)
    g_ptr_array_add (words, g_strdup (more[i]));
}

static void
array_free (gpointer array)
{
  g_ptr_array_unref (array);
}

static void
strings_free (gpointer strings)
{
  g_strfreev (strings);
}

static gsize
name_bytes (const char *word)
{
  return strcspn (word, "=");
}

static gint
name_compare (gconstpointer a, gconstpointer b)
{
  const char *x = *(const char *const *)a;
  const char *y = *(const char *const *)b;
  int order = strncmp (x, y, MIN (name_bytes (x), name_bytes (y)));
  return order != 0 ? order : (int)name_bytes (x) - (int)name_bytes (y);
}

/* Of "--time=1" what stands behind its name: times in full. Returns: (transfer full). */
static char *
value_told (const char *word, guint same_count)
{
  gsize length = name_bytes (word);
  gint64 limit_us;
  if (word[length] != '=')
    return g_str_equal (word, "--verbose") ? g_strdup_printf ("%u", same_count) : g_strdup ("set");
  if ((g_str_has_prefix (word, "--time=") || g_str_has_prefix (word, "--time-min="))
      && lk_job_time_limit_parse (word + length + 1, &limit_us) && limit_us != LK_TIME_NEVER) {
    g_autoptr (GString) text = g_string_new (NULL);
    lk_word_long_duration (limit_us, text);
    return g_strdup (text->str);
  }
  return g_strdup (word + length + 1);
}

void
lk_sbatch_words_tell (const LkClient *client, GPtrArray *words)
{
  static const char rule[] = "-------------------- --------------------";
  guint same_count = 0;
  /* Those of one name stay in their order. */
  g_ptr_array_sort (words, name_compare);
  fprintf (client->err, "%s: defined options\n%s: %s\n", client->command, client->command, rule);
  for (guint i = 0; i < words->len; i++) {
    const char *word = g_ptr_array_index (words, i);
    gsize length = name_bytes (word);
    same_count++;
    if (i + 1 < words->len
        && name_compare (&g_ptr_array_index (words, i), &g_ptr_array_index (words, i + 1)) == 0)
      continue;
    g_autofree char *value = value_told (word, same_count);
    fprintf (client->err, "%s: %-20.*s: %s\n", client->command, (int)length - 2, word + 2, value);
    same_count = 0;
  }
  fprintf (client->err, "%s: %s\n%s: end of defined options\n", client->command, rule,
           client->command);
  fflush (client->err);
}

static gboolean
is_named (const char *word, const char *name)
{
  gsize length = strlen (name);
  return strncmp (word, name, length) == 0 && (word[length] == '=' || word[length] == '\0');
}

/* Does it say in numbers what --hint says in words? */
static gboolean
excludes_hint (const char *word)
{
  static const char *const names[] = { "--ntasks-per-core",  "--cores-per-socket",
                                       "--threads-per-core", "--sockets-per-node",
                                       "--extra-node-info",  "--cpu-bind" };
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (is_named (word, names[i]))
      return strcmp (word, "--cpu-bind=verbose") != 0;
  return FALSE;
}

static gboolean
any_excludes_hint (const GPtrArray *words)
{
  for (guint i = 0; words != NULL && i < words->len; i++)
    if (excludes_hint (g_ptr_array_index (words, i)))
      return TRUE;
  return FALSE;
}

static gboolean
has_named (const GPtrArray *words, const char *name)
{
  for (guint i = 0; words != NULL && i < words->len; i++)
    if (is_named (g_ptr_array_index (words, i), name))
      return TRUE;
  return FALSE;
}

void
lk_sbatch_hint_settle (const LkClient *client, GPtrArray *words, const GPtrArray *own)
{
  gboolean is_told = has_named (words, "--verbose") || has_named (own, "--verbose");
  if (!has_named (words, "--hint") || (!any_excludes_hint (words) && !any_excludes_hint (own)))
    return;
  for (guint i = words->len; i-- > 0;)
    if (is_named (g_ptr_array_index (words, i), "--hint"))
      g_ptr_array_remove_index (words, i);
  if (is_told)
    fprintf (client->err,
             "%s: Following options are mutually exclusive with --hint: --ntasks-per-core, "
             "--cores-per-socket, --threads-per-core, --sockets-per-node, -B and --cpu-bind (other "
             "than --cpu-bind=verbose). Ignoring --hint.\n",
             client->command);
}

/* With -v. */
static void
options_tell (const LkSbatch *self)
{
  for (guint i = 0; lk_sbatch_value (self, "verbose") != NULL && i < self->components->len; i++) {
    g_autoptr (GPtrArray) words = g_ptr_array_new ();
    g_ptr_array_extend (words, g_ptr_array_index (self->components, i), NULL, NULL);
    lk_sbatch_words_tell (self->client, words);
  }
}

/* Options of plugins as the reader of options knows them. Returns: (transfer full) of
 * LkJobMoreOption. */
static GArray *
more_options (const LkClient *client)
{
  GArray *more = g_array_new (/* zero_terminated= */ TRUE, TRUE, sizeof (LkJobMoreOption));
  for (guint i = 0; client->spank != NULL && i < lk_spank_option_count (client->spank); i++) {
    const struct spank_option *option = lk_spank_option (client->spank, i);
    const LkJobMoreOption row = { option->name, (guint)option->has_arg };
    g_array_append_val (more, row);
  }
  return more;
}

static char **
words_read (const LkClient *client, const char *const *arguments, guint *out_count, GError **error)
{
  g_autoptr (GArray) more = more_options (client);
  return lk_job_options_words_more (arguments, (const LkJobMoreOption *)(gpointer)more->data,
                                    out_count, error);
}

/* Those of plugins are handed to them, and are none of ours. FALSE: told. */
static gboolean
plugin_words_take (LkClient *client, char **words)
{
  guint kept = 0;
  gboolean is_good = TRUE;
  for (guint i = 0; words[i] != NULL; i++) {
    gboolean is_plugins = FALSE;
    is_good = is_good && lk_spank_command_word (client, words[i], &is_plugins);
    if (is_plugins)
      g_free (words[i]);
    else
      words[kept++] = words[i];
  }
  words[kept] = NULL;
  return is_good;
}

/* The words of each component of the command line. Sets what is behind them. NULL: told. */
static GPtrArray *
line_read (LkSbatch *self, char **argv, int *out_code)
{
  g_autoptr (GPtrArray) components = g_ptr_array_new_with_free_func (strings_free);
  char **at = argv + 1;
  for (;;) {
    guint count;
    g_autoptr (GError) error = NULL;
    char **words = words_read (self->client, (const char *const *)at, &count, &error);
    if (words == NULL) {
      *out_code = lk_sbatch_option_error (self->client, error);
      return NULL;
    }
    g_ptr_array_add (components, words);
    at += count;
    if (*at == NULL || strcmp (*at, ":") != 0)
      break;
    at++;
  }
  self->script_name = *at;
  self->arguments = *at != NULL ? at + 1 : at;
  return g_steal_pointer (&components);
}

/* FALSE: told. */
static gboolean
source_append (const LkSbatch *self, GPtrArray *words, char **source)
{
  g_autoptr (GPtrArray) own = g_ptr_array_new_with_free_func (g_free);
  lk_sbatch_words_append (own, source);
  if (!lk_tres_per_task_settle (self->client, own))
    return FALSE;
  g_ptr_array_add (own, NULL);
  lk_sbatch_words_append (words, (char **)own->pdata);
  return TRUE;
}

/* The words of the script, the environment and the command line, component by component. */
static int
words_join (LkSbatch *self, const GPtrArray *line)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) script =
      lk_batch_script_arguments (self->script->data, self->script->len, &error);
  g_autoptr (GPtrArray) variables = g_ptr_array_new_with_free_func (g_free);
  if (script == NULL)
    return lk_sbatch_option_error (self->client, error);
  if (!lk_option_variables_check (self->client))
    return LK_SBATCH_FAILURE;
  lk_sbatch_variables (self->client, variables);
  g_ptr_array_add (variables, NULL);
  g_ptr_array_set_size (self->components, 0);
  for (guint i = 0; i < MAX (script->len, line->len); i++) {
    guint count;
    GPtrArray *words = g_ptr_array_new_with_free_func (g_free);
    g_ptr_array_add (self->components, words);
    const GPtrArray *lines = i < script->len ? g_ptr_array_index (script, i) : NULL;
    g_auto (GStrv) of_script =
        lines != NULL ? words_read (self->client, (const char *const *)lines->pdata, &count, &error)
                      : g_new0 (char *, 1);
    if (of_script == NULL)
      return lk_sbatch_option_error (self->client, error);
    if (lines != NULL && g_ptr_array_index (lines, count) != NULL) {
      lk_client_error (self->client, "Invalid directive found in batch script: %s",
                       (const char *)g_ptr_array_index (lines, count));
      return LK_SBATCH_USAGE;
    }
    if (!plugin_words_take (self->client, of_script)
        || (i < line->len && !plugin_words_take (self->client, g_ptr_array_index (line, i))))
      return LK_SBATCH_FAILURE;
    if (!source_append (self, words, of_script)
        || !source_append (self, words, (char **)variables->pdata)
        || (i < line->len && !source_append (self, words, g_ptr_array_index (line, i))))
      return LK_SBATCH_USAGE;
    lk_sbatch_plane_fill (self->client, words);
  }
  return 0;
}

/* ---------------------------------------------------------------- --wait */

typedef struct {
  gboolean is_over; /* all that were seen */
  guint seen_count;
  int code;
} Waited;

static void
waited_take (gpointer user, const LkRecord *record)
{
  Waited *self = user;
  const LkRecord_job *job = &record->job;
  gboolean is_over = job->state != LK_JOB_PENDING && job->state != LK_JOB_RUNNING
                     && job->state != LK_JOB_SUSPENDED && job->state != LK_JOB_SPECIAL_EXIT;
  int code = job->exit_code != 0 ? job->exit_code : job->signal != 0 ? 128 + job->signal : 0;
  if (is_over && code == 0 && job->state != LK_JOB_COMPLETED)
    code = LK_SBATCH_FAILURE;
  self->seen_count++;
  self->is_over = self->is_over && is_over;
  self->code = MAX (self->code, code);
}

/* Until the job, all its tasks and components, have ended. Returns: the highest of their codes. */
static int
wait_for (const LkClient *client, guint32 job_id)
{
  LkClientQuery query = { .kind = LK_RECORD_JOB, .job_id = job_id, .with_ended = TRUE };
  for (gint64 pause_us = WAIT_FIRST_US;; pause_us = MIN (2 * pause_us, WAIT_MAX_US)) {
    g_autoptr (GError) error = NULL;
    Waited waited = { .is_over = TRUE };
    if (!lk_client_query (client, &query, waited_take, &waited, &error)) {
      lk_client_error (client, "%s", error->message);
      return LK_SBATCH_FAILURE;
    }
    if (waited.is_over)
      return waited.seen_count > 0 ? waited.code : LK_SBATCH_FAILURE;
    g_usleep ((gulong)pause_us);
  }
}

/* ---------------------------------------------------------------- the whole */

/* Only staff may give a nice below 0. */
static gboolean
is_pushed (const GArray *events)
{
  for (guint i = 0; i < events->len; i++)
    if (g_array_index (events, LkEvent, i).submit.nice < 0)
      return TRUE;
  return FALSE;
}

/* Does one name nodes by a list that is none? */
static gboolean
has_wrong_nodes (const GArray *events)
{
  for (guint i = 0; i < events->len; i++) {
    const LkEvent_submit *submit = &g_array_index (events, LkEvent, i).submit;
    const LkText lists[] = { submit->node_list, submit->exclude };
    for (guint j = 0; j < G_N_ELEMENTS (lists); j++) {
      g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
      if (lists[j].length_bytes > 0
          && !lk_hostlist_expand (lists[j].bytes, lists[j].length_bytes, names, NULL))
        return TRUE;
    }
  }
  return FALSE;
}

static const char *
refusal_of (const GArray *events, guint reject)
{
  if (reject == LK_REJECT_PERMISSION && is_pushed (events))
    return "Invalid --nice value";
  if (reject == LK_REJECT_REQUEST_INVALID && has_wrong_nodes (events))
    reject = LK_REJECT_NODE_UNKNOWN;
  /* A deadline that cannot be met. */
  return lk_refusal_text (reject == LK_REJECT_TIME_INVALID ? LK_REJECT_ESTIMATE_INVALID : reject);
}

const char *
lk_sbatch_failure (const LkClient *client)
{
  if (strcmp (client->command, "salloc") == 0)
    return "Job submit/allocate failed";
  return strcmp (client->command, "srun") == 0 ? "Unable to allocate resources"
                                               : "Batch job submission failed";
}

static void
partition_take (gpointer user, const LkRecord *record)
{
  LkText name = record->partition.name;
  g_hash_table_add (user, g_strndup (name.bytes, name.length_bytes));
}

/* Which of those that were asked for there is not; nothing where the controller is silent. */
static void
partitions_tell (const LkClient *client, const LkEvent_submit *submit)
{
  g_autoptr (GHashTable) known = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autofree char *list = g_strndup (submit->partition.bytes, submit->partition.length_bytes);
  g_auto (GStrv) words = g_strsplit (list, ",", -1);
  g_autoptr (GString) unknown = g_string_new (NULL);
  LkClientQuery query = { .kind = LK_RECORD_PARTITION };
  if (!lk_client_query (client, &query, partition_take, known, NULL))
    return;
  for (guint i = 0; words[i] != NULL; i++)
    if (*words[i] != '\0' && !g_hash_table_contains (known, words[i]))
      g_string_append_printf (unknown, "%s%s", unknown->len > 0 ? "," : "", words[i]);
  if (unknown->len > 0)
    lk_client_error (client, "invalid partition specified: %s", unknown->str);
}

void
lk_sbatch_refusal_tell (const LkClient *client, const GArray *events, const LkMessage_reply *reply)
{
  guint reject = reply->error;
  if (reply->limit != 0)
    lk_client_error (client, "%s", lk_reason_name (reply->limit));
  if (reject == LK_REJECT_NODE_CONFIG)
    lk_sbatch_shape_tell (client, events);
  if (reject == LK_REJECT_PARTITION_UNKNOWN)
    for (guint i = 0; i < events->len; i++)
      partitions_tell (client, &g_array_index (events, LkEvent, i).submit);
  if (reject == LK_REJECT_GRES_UNKNOWN)
    /* sbatch itself looks at GresTypes. */
    lk_client_error (client, "%s", lk_refusal_text (reject));
  else
    lk_client_error (client, "%s: %s", lk_sbatch_failure (client), refusal_of (events, reject));
}

/* `cluster`: of -M; NULL: nobody has named one. */
static void
submitted_tell (const LkSbatch *self, guint32 job_id, const char *cluster)
{
  FILE *out = self->client->out;
  if (lk_sbatch_value (self, "parsable") != NULL)
    fprintf (out, "%u%s%s\n", job_id, cluster != NULL ? ";" : "", cluster != NULL ? cluster : "");
  else if (lk_sbatch_value (self, "quiet") == NULL)
    fprintf (out, "Submitted batch job %u%s%s\n", job_id, cluster != NULL ? " on cluster " : "",
             cluster != NULL ? cluster : "");
  fflush (out);
}

static int
submit (LkSbatch *self)
{
  LkClient *client = self->client;
  LkMessage_reply reply;
  g_autoptr (GError) error = NULL;
  g_autoptr (GByteArray) payload = g_byte_array_new ();
  g_autoptr (GArray) events = g_array_new (FALSE, FALSE, sizeof (LkEvent));
  g_autofree char *cluster = NULL;
  if (!lk_client_clusters_check (client, lk_sbatch_value (self, "clusters"), &cluster))
    return LK_SBATCH_FAILURE;
  int wrong = lk_sbatch_events (self, events);
  if (wrong == 0 && lk_sbatch_value (self, "test-only") != NULL)
    return lk_sbatch_trial (client, events);
  if (wrong == 0)
    wrong = lk_sbatch_payload (self, payload);
  if (wrong != 0)
    return wrong;
  LkBytes bytes = { payload->data, payload->len };
  if (!lk_client_submit (client, events, bytes, &reply, &error)) {
    lk_client_error (client, "Batch job submission failed: %s", error->message);
    return LK_SBATCH_FAILURE;
  }
  if (reply.error != 0) {
    lk_sbatch_refusal_tell (client, events, &reply);
    return LK_SBATCH_FAILURE;
  }
  submitted_tell (self, reply.job_id, cluster);
  return lk_sbatch_value (self, "wait") != NULL ? wait_for (client, reply.job_id) : 0;
}

/* --help and the like, which need no script. TRUE: done. */
static gboolean
tell_self (LkSbatch *self)
{
  FILE *out = self->client->out;
  if (lk_sbatch_value (self, "help") != NULL)
    lk_sbatch_help (self->client);
  else if (lk_sbatch_value (self, "usage") != NULL)
    lk_sbatch_usage (self->client);
  else if (lk_sbatch_value (self, "version") != NULL)
    fprintf (out, "slurm " LK_CLIENT_SLURM_VERSION "\n");
  else
    return FALSE;
  return TRUE;
}

static int
run (LkSbatch *self, char **argv)
{
  int code = 0;
  g_autoptr (GPtrArray) line = line_read (self, argv, &code);
  if (line == NULL)
    return code;
  for (guint i = 0; i < line->len; i++) {
    GPtrArray *words = g_ptr_array_new_with_free_func (g_free);
    g_ptr_array_add (self->components, words);
    lk_sbatch_words_append (words, g_ptr_array_index (line, i));
  }
  if (tell_self (self))
    return 0;
  g_autofree char *wrap = g_strdup (lk_sbatch_value (self, "wrap"));
  if (wrap != NULL && self->script_name != NULL) {
    lk_client_error (self->client, "Script arguments not permitted with --wrap option");
    return LK_SBATCH_FAILURE;
  }
  if (!lk_sbatch_script_read (self, wrap))
    return LK_SBATCH_FAILURE;
  code = words_join (self, line);
  if (code != 0)
    return code;
  for (guint i = 0; i < self->components->len; i++) {
    GPtrArray *words = g_ptr_array_index (self->components, i);
    lk_sbatch_hint_settle (self->client, words, NULL);
    if (!lk_host_file_settle (self->client, words))
      return LK_SBATCH_USAGE;
  }
  LkSbatchBinds binds = lk_sbatch_binds_check (self);
  if (binds != LK_SBATCH_BINDS_GOOD)
    return binds == LK_SBATCH_BINDS_TOLD ? 0 : LK_SBATCH_USAGE;
  options_tell (self);
  self->client->is_verbose = lk_sbatch_value (self, "verbose") != NULL;
  return lk_spank_command_ready (self->client) ? submit (self) : LK_SBATCH_FAILURE;
}

void
lk_sbatch_init (LkSbatch *self, LkClient *client)
{
  *self = (LkSbatch){ .client = client,
                      .texts = g_string_chunk_new (1024),
                      .components = g_ptr_array_new_with_free_func (array_free),
                      .script = g_byte_array_new (),
                      .options = g_array_new (FALSE, FALSE, sizeof (LkJobOptions)),
                      .name_default = "sbatch" };
}

void
lk_sbatch_clear (LkSbatch *self)
{
  g_string_chunk_free (self->texts);
  g_ptr_array_unref (self->components);
  g_byte_array_unref (self->script);
  g_array_unref (self->options);
  g_free (self->submit_line);
  g_free (self->script_path);
}

int
lk_sbatch (LkClient *client, int argc, char **argv)
{
  if (lk_options_dump_is_wanted (argc, argv)) {
    lk_sbatch_dump (client);
    return 0;
  }
  LkSbatch self;
  lk_sbatch_init (&self, client);
  lk_sbatch_variables_begin (client);
  self.submit_line = g_strjoinv (" ", argv);
  int code =
      lk_spank_command_begin (client, S_CTX_ALLOCATOR) ? run (&self, argv) : LK_SBATCH_FAILURE;
  lk_spank_command_end (client);
  lk_sbatch_clear (&self);
  return code;
}
