/* live/client/accounting/sacct.c — `sacct`: what has been run, as a table or as JSON.
 *
 * It asks no daemon: the file of `lockstep accounting` is read.  Looked for is accounting.sqlite in
 * $LOCKSTEP_DIR; else where that of $SLURM_CONF has it (live/accounting/place.h); else in the
 * directory of the laptop cluster, in /var/lib/lockstep and in
 * /var/cache/lockstep.
 *
 * Source: sacct(1), what a real Slurm printed (oracle/text). */
#include "live/client/accounting/sacct.h"

#include <stdlib.h>
#include <string.h>

#include "engine/assert.h"
#include "live/accounting/store.h"
#include "live/client/commands.h"
#include "live/client/json/accounting.h"
#include "live/client/options_help.h"
#include "live/client/accounting/sacct_filter.h"
#include "live/client/words.h"
#include "traces/table.h"

#define DEFAULT_FORMAT "jobid,jobname,partition,account,alloccpus,state,exitcode"
#define BRIEF_FORMAT "jobid,state,exitcode"
#define LONG_FORMAT                                                                                \
  "jobid,jobidraw,jobname,partition,maxvmsize,maxvmsizenode,maxvmsizetask,avevmsize,maxrss,"       \
  "maxrssnode,maxrsstask,averss,maxpages,maxpagesnode,maxpagestask,avepages,mincpu,mincpunode,"    \
  "mincputask,avecpu,ntasks,alloccpus,elapsed,state,exitcode,avecpufreq,reqcpufreqmin,"            \
  "reqcpufreqmax,reqcpufreqgov,reqmem,consumedenergy,maxdiskread,maxdiskreadnode,"                 \
  "maxdiskreadtask,avediskread,maxdiskwrite,maxdiskwritenode,maxdiskwritetask,avediskwrite,"       \
  "reqtres,alloctres,tresusageinave,tresusageinmax,tresusageinmaxn,tresusageinmaxt,"               \
  "tresusageinmin,tresusageinminn,tresusageinmint,tresusageintot,tresusageoutmax,"                 \
  "tresusageoutmaxn,tresusageoutmaxt,tresusageoutave,tresusageouttot"
#define HELP_COLUMNS 4
#define HELP_WIDTH 20

typedef struct {
  const LkClient *client;
  LkSacctAsked asked;
  const char *format;
  const char *clusters;
  LkFieldStyle style;
  LkJsonChoice json;
  gboolean is_help_format;
  gboolean is_long;
  gboolean of_scripts;
  gboolean of_environments;
  gboolean truncates;
  gboolean no_convert;
  gboolean expands;
  char unit;
  GArray *fields; /* of LkField */
} Sacct;

/* ---------------------------------------------------------------- options */

static const LkClientOption options[] = {
  { "accounts", 'A', TRUE, LK_OPTION_ACTED_ON, "jobs of these accounts" },
  { "allusers", 'a', FALSE, LK_OPTION_ACTED_ON, "jobs of all users; else your own" },
  { "allclusters", 'L', FALSE, LK_OPTION_HARMLESS, "there is one cluster" },
  { "allocations", 'X', FALSE, LK_OPTION_ACTED_ON, "jobs only, not their steps" },
  { "batch-script", 'B', FALSE, LK_OPTION_ACTED_ON,
    "the script of a job, as long as the controller knows it" },
  { "brief", 'b', FALSE, LK_OPTION_ACTED_ON, "job, state and exit code" },
  { "clusters", 'M', TRUE, LK_OPTION_ACTED_ON, "all, or the name of the one that there is" },
  { "completion", 'c', FALSE, LK_OPTION_REFUSED, "there is no job completion plugin" },
  { "delimiter", '\0', TRUE, LK_OPTION_ACTED_ON, "between the fields of -p and -P; else a bar" },
  { "duplicates", 'D', FALSE, LK_OPTION_ACTED_ON, "all runs of a job that was requeued" },
  { "endtime", 'E', TRUE, LK_OPTION_ACTED_ON,
    "jobs that were there before; else now, or with -s and -S then" },
  { "env-vars", '\0', FALSE, LK_OPTION_ACTED_ON,
    "the environment of a job, as long as the controller knows it" },
  { "expand-patterns", '\0', FALSE, LK_OPTION_ACTED_ON,
    "StdIn, StdOut and StdErr with what stands for % in them" },
  { "federation", '\0', FALSE, LK_OPTION_HARMLESS, "there is one cluster" },
  { "format", 'o', TRUE, LK_OPTION_ACTED_ON, "columns: NAME[%[-]WIDTH],..., or ALL" },
  { "group", 'g', TRUE, LK_OPTION_ACTED_ON, "jobs of these groups" },
  { "gid", '\0', TRUE, LK_OPTION_ACTED_ON, "as --group" },
  { "helpformat", 'e', FALSE, LK_OPTION_ACTED_ON, "the names of all columns" },
  { "jobs", 'j', TRUE, LK_OPTION_ACTED_ON, "these: ID, ID_TASK, ID+OFFSET, each with .batch" },
  { "json", '\0', LK_OPTION_VALUE_MAY, LK_OPTION_ACTED_ON, LK_JSON_HELP },
  { "local", '\0', FALSE, LK_OPTION_HARMLESS, "there is one cluster" },
  { "long", 'l', FALSE, LK_OPTION_ACTED_ON, "many columns" },
  { "name", '\0', TRUE, LK_OPTION_ACTED_ON, "jobs of these names" },
  { "ncpus", 'I', TRUE, LK_OPTION_ACTED_ON, "jobs that had so many CPUs: MIN[-MAX]" },
  { "nnodes", 'i', TRUE, LK_OPTION_ACTED_ON, "jobs that had so many nodes: MIN[-MAX]" },
  { "noconvert", '\0', FALSE, LK_OPTION_ACTED_ON, "memory stays in M, and MaxRSS in K" },
  { "nodelist", 'N', TRUE, LK_OPTION_ACTED_ON, "jobs that ran on one of these" },
  { "noheader", 'n', FALSE, LK_OPTION_ACTED_ON, "no headings" },
  { "parsable", 'p', FALSE, LK_OPTION_ACTED_ON, "fields with a bar behind each" },
  { "parsable2", 'P', FALSE, LK_OPTION_ACTED_ON, "fields with a bar between them" },
  { "partition", 'r', TRUE, LK_OPTION_ACTED_ON, "jobs of these partitions" },
  { "qos", 'q', TRUE, LK_OPTION_ACTED_ON, "jobs of these QOS" },
  { "starttime", 'S', TRUE, LK_OPTION_ACTED_ON, "jobs that were there behind; else today's" },
  { "state", 's', TRUE, LK_OPTION_ACTED_ON, "jobs that were in one of these states in that time" },
  { "timelimit-max", 'K', TRUE, LK_OPTION_ACTED_ON,
    "jobs with this time limit at most; with -k alone" },
  { "timelimit-min", 'k', TRUE, LK_OPTION_ACTED_ON,
    "jobs with this time limit; with -K, with this one at least" },
  { "truncate", 'T', FALSE, LK_OPTION_ACTED_ON, "times are cut to those of -S and -E" },
  { "uid", '\0', TRUE, LK_OPTION_ACTED_ON, "as --user" },
  { "units", '\0', TRUE, LK_OPTION_ACTED_ON, "memory in K, M, G, T or P" },
  { "user", 'u', TRUE, LK_OPTION_ACTED_ON, "jobs of these users" },
  { "verbose", 'v', FALSE, LK_OPTION_HARMLESS, "there is no more to tell" },
  { "wckeys", 'W', TRUE, LK_OPTION_ACTED_ON, "jobs of these keys" },
  { "associations", 'x', TRUE, LK_OPTION_ACTED_ON, "jobs of these, by number" },
  { "yaml", '\0', LK_OPTION_VALUE_MAY, LK_OPTION_ACTED_ON, LK_YAML_HELP },
};

static const char **
list_of (Sacct *self, const char *name)
{
  const struct {
    const char *name;
    const char **place;
  } lists[] = {
    { "accounts", &self->asked.accounts },
    { "associations", &self->asked.associations },
    { "endtime", &self->asked.end },
    { "group", &self->asked.groups },
    { "gid", &self->asked.groups },
    { "name", &self->asked.names },
    { "ncpus", &self->asked.cpu_counts },
    { "nnodes", &self->asked.node_counts },
    { "nodelist", &self->asked.nodes },
    { "partition", &self->asked.partitions },
    { "qos", &self->asked.qos },
    { "starttime", &self->asked.start },
    { "state", &self->asked.states },
    { "timelimit-max", &self->asked.limit_max },
    { "timelimit-min", &self->asked.limit_min },
    { "uid", &self->asked.users },
    { "user", &self->asked.users },
    { "wckeys", &self->asked.wckeys },
    { "format", &self->format },
    { "delimiter", &self->style.delimiter },
    { "clusters", &self->clusters },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (lists); i++)
    if (strcmp (lists[i].name, name) == 0)
      return lists[i].place;
  return NULL;
}

/* Lists of -j, with commas in brackets that end none, may come more than once. */
static void
add_jobs (Sacct *self, const char *list)
{
  const char *begin = list;
  gboolean is_inside = FALSE;
  if (self->asked.jobs == NULL)
    self->asked.jobs = g_ptr_array_new_with_free_func (g_free);
  for (const char *at = list;; at++) {
    is_inside = *at == '[' || (is_inside && *at != ']');
    if (*at != '\0' && (*at != ',' || is_inside))
      continue;
    if (at > begin)
      g_ptr_array_add (self->asked.jobs, g_strndup (begin, (gsize)(at - begin)));
    begin = at + 1;
    if (*at == '\0')
      return;
  }
}

static gboolean
fatal (const Sacct *self, const char *text)
{
  fprintf (self->client->err, "%s: fatal: %s\n", self->client->command, text);
  return FALSE;
}

static gboolean
take_unit (Sacct *self, const char *value)
{
  self->unit = value[0];
  if (value[0] != '\0' && value[1] == '\0' && strchr ("KMGTP", value[0]) != NULL)
    return TRUE;
  return fatal (self, "Invalid unit type");
}

static void
take_flag (Sacct *self, char letter)
{
  switch (letter) {
  case 'a':
    self->asked.is_everybody = TRUE;
    break;
  case 'X':
    self->asked.shows_jobs_only = TRUE;
    break;
  case 'D':
    self->asked.shows_duplicates = TRUE;
    break;
  case 'B':
    self->of_scripts = TRUE;
    break;
  case 'T':
    self->truncates = TRUE;
    break;
  case 'b':
    self->format = BRIEF_FORMAT;
    break;
  case 'l':
    self->is_long = TRUE;
    break;
  case 'e':
    self->is_help_format = TRUE;
    break;
  case 'n':
    self->style.no_heading = TRUE;
    break;
  case 'p':
    self->style.is_parsable = TRUE;
    break;
  case 'P':
    self->style.is_parsable2 = TRUE;
    break;
  default:
    break;
  }
}

static gboolean
option_take (gpointer user, const LkClientOption *option, const char *value)
{
  Sacct *self = user;
  LK_ASSERT (self != NULL);
  const char **list = list_of (self, option->name);
  if (list != NULL)
    *list = value;
  else if (strcmp (option->name, "jobs") == 0)
    add_jobs (self, value);
  else if (strcmp (option->name, "units") == 0)
    return take_unit (self, value);
  else if (strcmp (option->name, "json") == 0 || strcmp (option->name, "yaml") == 0)
    lk_json_choice_take (&self->json, option->name, value);
  else if (strcmp (option->name, "env-vars") == 0)
    self->of_environments = TRUE;
  else if (strcmp (option->name, "noconvert") == 0)
    self->no_convert = TRUE;
  else if (strcmp (option->name, "expand-patterns") == 0)
    self->expands = TRUE;
  else
    take_flag (self, option->letter);
  return TRUE;
}

/* ---------------------------------------------------------------- columns */

static gboolean
take_format (Sacct *self)
{
  const char *format = self->format;
  if (format == NULL)
    format = lk_client_variable (self->client, "SACCT_FORMAT");
  if (format == NULL)
    format = DEFAULT_FORMAT;
  if (g_ascii_strcasecmp (format, "ALL") == 0) {
    for (const LkField *at = lk_sacct_fields; at->name != NULL; at++)
      g_array_append_val (self->fields, *at);
    return TRUE;
  }
  g_autofree char *wrong = NULL;
  if (lk_fields_parse (lk_sacct_fields, format, self->fields, &wrong))
    return TRUE;
  wrong[strcspn (wrong, "%")] = '\0';
  if (g_ascii_strcasecmp (wrong, "AllocGRES") == 0)
    return fatal (self, "AllocGRES has been removed, please use AllocTRES");
  if (g_ascii_strcasecmp (wrong, "ReqGRES") == 0)
    return fatal (self, "ReqGRES has been removed, please use ReqTRES");
  lk_client_error (self->client, "Invalid field requested: \"%s\"", wrong);
  return FALSE;
}

static int
print_columns (const LkClient *client)
{
  for (guint i = 0; lk_sacct_fields[i].name != NULL; i++)
    fprintf (client->out, "%-*s%s", HELP_WIDTH - 1, lk_sacct_fields[i].name,
             i % HELP_COLUMNS == HELP_COLUMNS - 1 || lk_sacct_fields[i + 1].name == NULL ? "\n"
                                                                                         : " ");
  return 0;
}

/* ---------------------------------------------------------------- the table */

static void
append_steps (const Sacct *self, const LkSacctReport *report, const LkSacctFilter *filter,
              const LkSacctJob *job, GString *out)
{
  for (guint i = 0; job->steps != NULL && i < job->steps->len; i++) {
    const LkAccountingStep *step = &g_array_index (job->steps, LkAccountingStep, i);
    LkSacctJob as = lk_sacct_step_job (job, step);
    LkSacctRow row = { .job = &as, .is_batch = TRUE, .step = step };
    if (lk_sacct_filter_wants_step (filter, job, step->step_id))
      lk_fields_row (&self->style, self->fields, report, &row, out);
  }
}

static void
append_table (const Sacct *self, const LkSacctReport *report, const LkSacctFilter *filter,
              const GPtrArray *jobs, GString *out)
{
  lk_fields_heading (&self->style, self->fields, out);
  for (guint i = 0; i < jobs->len; i++) {
    LkSacctRow row = { .job = g_ptr_array_index (jobs, i) };
    if (lk_sacct_filter_wants_job (filter, row.job))
      lk_fields_row (&self->style, self->fields, report, &row, out);
    if (lk_sacct_filter_wants_batch (filter, row.job)) {
      LkSacctJob batch = lk_sacct_batch_job (row.job);
      LkSacctRow line = { .job = &batch, .is_batch = TRUE };
      lk_fields_row (&self->style, self->fields, report, &line, out);
    }
    append_steps (self, report, filter, row.job, out);
  }
}

/* ---------------------------------------------------------------- the order */

/* Where an array stands: by array, the lowest id of the tasks that have left it.  The last one has
 * the id of the array itself, and so the array then stands there. Returns: (transfer full). */
static GHashTable *
array_places (const GPtrArray *jobs)
{
  GHashTable *places = g_hash_table_new (NULL, NULL);
  for (guint i = 0; i < jobs->len; i++) {
    const LkAccountingJob *job = &((const LkSacctJob *)g_ptr_array_index (jobs, i))->job;
    gpointer array = GINT_TO_POINTER ((gint)job->array_job_id);
    if (job->array_job_id == 0 || job->array_task < 0 || job->life < 0)
      continue;
    gint known = GPOINTER_TO_INT (g_hash_table_lookup (places, array));
    if (known == 0 || job->job_id < known)
      g_hash_table_insert (places, array, GINT_TO_POINTER ((gint)job->job_id));
  }
  return places;
}

static gint64
place_of (GHashTable *places, const LkAccountingJob *job)
{
  gint found = job->array_job_id == 0 ? 0
                                      : GPOINTER_TO_INT (g_hash_table_lookup (
                                          places, GINT_TO_POINTER ((gint)job->array_job_id)));
  return found != 0 ? found : job->job_id;
}

/* By id; the tasks of an array together, by number, and behind them those that wait, as recorded
 * with a Slurm 26.05. */
static gint
compare_shown (gconstpointer a, gconstpointer b, gpointer places)
{
  const LkAccountingJob *x = &(*(const LkSacctJob *const *)a)->job;
  const LkAccountingJob *y = &(*(const LkSacctJob *const *)b)->job;
  gint64 keys_x[] = { place_of (places, x), x->array_task >= 0 ? x->array_task : G_MAXINT64,
                      x->job_id, x->life };
  gint64 keys_y[] = { place_of (places, y), y->array_task >= 0 ? y->array_task : G_MAXINT64,
                      y->job_id, y->life };
  for (guint i = 0; i < G_N_ELEMENTS (keys_x); i++)
    if (keys_x[i] != keys_y[i])
      return keys_x[i] < keys_y[i] ? -1 : 1;
  return 0;
}

static void
put_in_order (GPtrArray *jobs)
{
  g_autoptr (GHashTable) places = array_places (jobs);
  g_ptr_array_sort_with_data (jobs, compare_shown, places);
}

/* ---------------------------------------------------------------- the command */

/* As if it had been there between -S and -E alone (as_mysql_jobacct_process.c of Slurm). */
static void
truncate_times (const LkSacctFilter *filter, const LkClient *client, LkAccountingJob *job)
{
  gint64 to_us = MIN (filter->to_us, client->now_us);
  if (job->start_us != 0 && job->start_us < filter->from_us)
    job->start_us = filter->from_us;
  if (job->end_us == 0 || job->end_us > to_us)
    job->end_us = to_us;
  if (job->start_us == 0)
    job->start_us = job->end_us;
}

/* Of several lives the last, unless all are wanted. Returns: (transfer container). */
static GPtrArray *
wanted (const LkSacctFilter *filter, const LkSacctBook *book)
{
  GPtrArray *jobs = g_ptr_array_new ();
  for (guint i = 0; i < book->jobs->len; i++) {
    LkSacctJob *job = g_ptr_array_index (book->jobs, i);
    const LkSacctJob *next = i + 1 < book->jobs->len ? g_ptr_array_index (book->jobs, i + 1) : NULL;
    if (next != NULL && next->job.job_id == job->job.job_id && job->job.life >= 0
        && !filter->asked->shows_duplicates)
      continue;
    if (lk_sacct_filter_wants (filter, job))
      g_ptr_array_add (jobs, job);
  }
  put_in_order (jobs);
  return jobs;
}

static gboolean
print_batches (const Sacct *self, const GPtrArray *jobs)
{
  gboolean is_good = TRUE;
  for (guint i = 0; is_good && i < jobs->len; i++)
    is_good = lk_sacct_batch_print (self->client, g_ptr_array_index (jobs, i),
                                    self->of_environments, self->style.no_heading);
  return is_good;
}

/* FALSE: told. */
static gboolean
print_book (const Sacct *self, const LkSacctFilter *filter, const LkSacctBook *book)
{
  LkSacctReport report = { .client = self->client,
                           .cluster = book->cluster,
                           .unit = self->unit,
                           .no_convert = self->no_convert,
                           .expands = self->expands };
  g_autoptr (GPtrArray) jobs = wanted (filter, book);
  for (guint i = 0; self->truncates && i < jobs->len; i++)
    truncate_times (filter, self->client, &((LkSacctJob *)g_ptr_array_index (jobs, i))->job);
  g_autoptr (GString) out = g_string_new (NULL);
  if (self->json.is_wanted) {
    lk_json_accounting (&report, &self->json, jobs);
    return TRUE;
  }
  if (self->of_scripts || self->of_environments)
    return print_batches (self, jobs);
  append_table (self, &report, filter, jobs, out);
  fwrite (out->str, 1, out->len, self->client->out);
  return TRUE;
}

/* There is one. */
static gboolean
is_cluster (const Sacct *self, const LkSacctBook *book)
{
  if (self->clusters == NULL || lk_word_is_listed (self->clusters, "all")
      || lk_word_is_listed (self->clusters, book->cluster))
    return TRUE;
  lk_client_error (self->client,
                   "'%s' can't be reached now, or it is an invalid entry for "
                   "--cluster.",
                   self->clusters);
  return FALSE;
}

static int
run_filter (const Sacct *self, const LkSacctFilter *filter)
{
  g_autofree char *path = lk_sacct_book_path (self->client);
  g_autoptr (GError) error = NULL;
  LkSacctBook book = { 0 };
  LkSacctRange range;
  lk_sacct_book_await (self->client, path);
  if (!g_file_test (path, G_FILE_TEST_EXISTS)) {
    fprintf (self->client->err, "Slurm accounting storage is disabled\n");
    lk_client_error (self->client, "there is no '%s': lockstep accounting follow makes it", path);
    return 1;
  }
  lk_sacct_filter_range (filter, &range);
  gboolean is_good = lk_sacct_book_read (&book, path, &range, &error);
  g_clear_pointer (&range.job_ids, g_array_unref);
  if (!is_good)
    lk_client_error (self->client, "%s", error->message);
  is_good = is_good && is_cluster (self, &book)
            && lk_sacct_filter_check_who (filter, self->client, path)
            && print_book (self, filter, &book);
  lk_sacct_book_clear (&book);
  return is_good ? 0 : 1;
}

/* FALSE: they do not go together; told. */
static gboolean
options_agree (const Sacct *self)
{
  if ((self->of_scripts || self->of_environments) && self->asked.jobs == NULL)
    return fatal (self, self->of_scripts ? "When requesting job scripts you must also request "
                                           "specific jobs with the '-j' option."
                                         : "When requesting job environment you must also request "
                                           "specific jobs with the '-j' option.");
  if (self->of_scripts && self->of_environments)
    return fatal (self, "Options --batch-script and --env-vars are mutually exclusive");
  if (self->is_long && self->format != NULL)
    return fatal (self, "Options -o(--format) and -l(--long) are mutually exclusive. Please remove "
                        "one and retry.");
  return TRUE;
}

static int
run (Sacct *self)
{
  LkSacctFilter filter;
  if (self->is_help_format)
    return print_columns (self->client);
  if (!options_agree (self))
    return 1;
  if (self->is_long)
    self->format = LONG_FORMAT;
  if (!take_format (self))
    return 1;
  int code =
      lk_sacct_filter_init (&filter, self->client, &self->asked) ? run_filter (self, &filter) : 1;
  lk_sacct_filter_clear (&filter);
  return code;
}

void
lk_sacct_markdown (GString *out)
{
  lk_options_markdown (options, G_N_ELEMENTS (options), out);
}

static void
moments_tell (FILE *out)
{
  fputs (
      "\n  valid start/end time formats are...\n"
      "     HH:MM[:SS] [AM|PM], MMDD[YY] or MM/DD[/YY] or MM.DD[.YY] with [-HH:MM[:SS]] behind,\n"
      "     YYYY-MM-DD[THH:MM[:SS]], today, midnight, noon, now[{+|-}COUNT[UNIT]]\n",
      out);
}

static const LkOptionHelp told = { .call = "[<OPTION>]",
                                   .title = "Valid <OPTION> values are:",
                                   .is_long = TRUE,
                                   .usage = "[options]\n\tUse --help for help",
                                   .more = moments_tell };

int
lk_sacct (LkClient *client, int argc, char **argv)
{
  Sacct self = { .client = client, .fields = g_array_new (FALSE, FALSE, sizeof (LkField)) };
  LkOptionSet set = { .usage = "[OPTIONS]",
                      .options = options,
                      .count = G_N_ELEMENTS (options),
                      .take = option_take,
                      .h_is_help = TRUE,
                      .help = &told,
                      .user = &self };
  int count = lk_options_parse (client, &set, argc, argv);
  int code = count == -1 ? 1 : 0;
  if (count > 0) {
    lk_client_error (client, "Unknown arguments:");
    for (int i = 1; i <= count; i++)
      lk_client_error (client, " %s", argv[i]);
    code = 1;
  } else if (count == 0 && lk_json_choice_settle (client, &self.json, &code)) {
    code = run (&self);
  }
  g_array_unref (self.fields);
  if (self.asked.jobs != NULL)
    g_ptr_array_unref (self.asked.jobs);
  return code;
}
