/* live/client/queue/squeue.c — `squeue`: the jobs in the system, as a table or as JSON.
 *
 * Source: squeue(1), what a real Slurm printed (oracle/text). */
#include "live/client/queue/squeue.h"

#include <pwd.h>
#include <stdlib.h>
#include <string.h>

#include "engine/bits.h"
#include "engine/job_shown.h"
#include "engine/task_set.h"
#include "live/client/queue/choices.h"
#include "live/client/commands.h"
#include "live/client/json/jobs.h"
#include "live/client/options.h"
#include "live/client/rounds.h"
#include "live/client/queue/squeue_match.h"
#include "live/client/queue/squeue_partitions.h"
#include "live/client/queue/squeue_steps.h"
#include "live/client/words.h"
#include "traces/job_values.h"

#define DEFAULT_FORMAT "%.18i %.9P %.8j %.8u %.2t %.10M %.6D %R"
#define LONG_FORMAT "%.18i %.9P %.8j %.8u %.8T %.10M %.9l %.6D %R"
#define START_FORMAT "%.18i %.9P %.8j %.8u %.2t %.19S %.6D %20Y %R"
#define STATE_FORMAT "%.18i %.2t"
#define DEFAULT_SORT "P,t,-p"
#define START_SORT "S"

typedef struct {
  const char *format_given; /* of -o, -O or the environment; borrowed, as all below */
  gboolean is_by_names;     /* it is one of -O */
  char *format;             /* what is made of it; owned */
  const char *sort;
  const char *jobs;
  const char *users;
  const char *states;
  const char *partitions;
  const char *names;
  const char *accounts;
  const char *qos;
  const char *nodes;
  const char *reservations;
  const char *licenses;
  const char *running_over;
  const char *running_under;
  gint64 over_us;  /* what these are; 0: not given */
  gint64 under_us; /* likewise */
  LkRounds rounds;
  const char *steps;
  gboolean of_steps;
  gboolean names_jobs;
  gboolean expands;
  gboolean by_partition;
  gboolean is_state_only;
  gboolean is_all_states;
  gboolean is_long;
  gboolean is_all;
  gboolean hides;
  gboolean by_start;
  gboolean by_task;
  LkJsonChoice json;
  gboolean is_mine;
  gboolean is_others;
  gboolean is_array_unique;
  gboolean no_convert;
  gboolean wants_names;
  gboolean wants_letters;
  gboolean wants_states;
  guint verbosity;
  gint64 state_set; /* bits of LkJobState */
} Options;

/* ---------------------------------------------------------------- options */

static const LkClientOption options_known[] = {
  { "accounts", 'A', TRUE, LK_OPTION_ACTED_ON, "jobs of these accounts" },
  { "all", 'a', FALSE, LK_OPTION_ACTED_ON, "jobs in hidden partitions, too" },
  { "array", 'r', FALSE, LK_OPTION_ACTED_ON, "one line for each task of an array" },
  { "array-unique", '\0', FALSE, LK_OPTION_ACTED_ON,
    "of tasks of an array that wait only the first line" },
  { "cluster", 'M', TRUE, LK_OPTION_ACTED_ON, "as --clusters" },
  { "clusters", 'M', TRUE, LK_OPTION_ACTED_ON,
    "the cluster by name, or all: its name stands above" },
  { "expand-patterns", '\0', FALSE, LK_OPTION_ACTED_ON,
    "names of files with what stands for their % letters" },
  { "federation", '\0', FALSE, LK_OPTION_HARMLESS, "there is one cluster" },
  { "Format", 'O', TRUE, LK_OPTION_ACTED_ON, "columns: NAME[:[.]WIDTH][,...], see --helpFormat" },
  { "format", 'o', TRUE, LK_OPTION_ACTED_ON, "columns: %[.][WIDTH]LETTER, see --helpformat" },
  { "helpFormat", '\0', FALSE, LK_OPTION_ACTED_ON, "the names of all columns" },
  { "helpformat", '\0', FALSE, LK_OPTION_ACTED_ON, "the letters of all columns" },
  { "helpstate", '\0', FALSE, LK_OPTION_ACTED_ON, "the words of all states" },
  { "hide", '\0', FALSE, LK_OPTION_ACTED_ON,
    "no jobs in hidden partitions, whatever SQUEUE_ALL says" },
  { "iterate", 'i', TRUE, LK_OPTION_ACTED_ON, "the same again, every so many seconds" },
  { "jobs", 'j', LK_OPTION_VALUE_MAY, LK_OPTION_ACTED_ON, "these jobs, of an array all, or 7_3" },
  { "json", '\0', LK_OPTION_VALUE_MAY, LK_OPTION_ACTED_ON, LK_JSON_HELP },
  { "licenses", 'L', TRUE, LK_OPTION_ACTED_ON, "jobs that ask for one of these" },
  { "local", '\0', FALSE, LK_OPTION_HARMLESS, "there is one cluster" },
  { "long", 'l', FALSE, LK_OPTION_ACTED_ON, "the long report" },
  { "me", '\0', FALSE, LK_OPTION_ACTED_ON, "jobs of whoever asks" },
  { "name", 'n', TRUE, LK_OPTION_ACTED_ON, "jobs of these names" },
  { "noconvert", '\0', FALSE, LK_OPTION_ACTED_ON, "memory stays in M" },
  { "node", 'w', TRUE, LK_OPTION_ACTED_ON, "as --nodelist" },
  { "nodelist", 'w', TRUE, LK_OPTION_ACTED_ON, "jobs on one of these nodes" },
  { "nodes", 'w', TRUE, LK_OPTION_ACTED_ON, "as --nodelist" },
  { "noheader", 'h', FALSE, LK_OPTION_ACTED_ON, "no headings" },
  { "notme", '\0', FALSE, LK_OPTION_ACTED_ON, "jobs of all others" },
  { "only-job-state", '\0', FALSE, LK_OPTION_ACTED_ON,
    "jobs and their states, with no filter but --jobs and --states" },
  { "partitions", 'p', TRUE, LK_OPTION_ACTED_ON, "jobs of these partitions" },
  { "priority", 'P', FALSE, LK_OPTION_ACTED_ON, "a line for each partition that a job may have" },
  { "qos", 'q', TRUE, LK_OPTION_ACTED_ON, "jobs of these QOS" },
  { "reservation", 'R', TRUE, LK_OPTION_ACTED_ON, "jobs that ask for this reservation" },
  { "running-over", '\0', TRUE, LK_OPTION_ACTED_ON, "jobs that have run for longer than this" },
  { "running-under", '\0', TRUE, LK_OPTION_ACTED_ON, "jobs that have run for less than this" },
  { "sibling", '\0', FALSE, LK_OPTION_HARMLESS, "there are no federations" },
  { "sort", 'S', TRUE, LK_OPTION_ACTED_ON, "order: letters of columns, - before one: falling" },
  { "start", '\0', FALSE, LK_OPTION_ACTED_ON, "when jobs that wait are expected to start" },
  { "states", 't', TRUE, LK_OPTION_ACTED_ON, "PENDING, RUNNING, ..., or PD, R, ...; all" },
  { "steps", 's', LK_OPTION_VALUE_MAY, LK_OPTION_ACTED_ON, "steps of jobs, all or these: 7.0" },
  { "user", 'u', TRUE, LK_OPTION_ACTED_ON, "jobs of these users, by name or number" },
  { "users", 'u', TRUE, LK_OPTION_ACTED_ON, "as --user" },
  { "verbose", 'v', FALSE, LK_OPTION_ACTED_ON, "which options hold, first" },
  { "yaml", '\0', LK_OPTION_VALUE_MAY, LK_OPTION_ACTED_ON, LK_YAML_HELP },
};

/* Options that only keep their value, */
static const struct {
  const char *name; /* NULL: by its letter */
  char letter;
  gsize offset;
} values[] = {
  { NULL, 'A', G_STRUCT_OFFSET (Options, accounts) },
  { NULL, 'M', G_STRUCT_OFFSET (Options, rounds.clusters) },
  { NULL, 'i', G_STRUCT_OFFSET (Options, rounds.iterate) },
  { NULL, 'j', G_STRUCT_OFFSET (Options, jobs) },
  { NULL, 'L', G_STRUCT_OFFSET (Options, licenses) },
  { NULL, 'n', G_STRUCT_OFFSET (Options, names) },
  { NULL, 'w', G_STRUCT_OFFSET (Options, nodes) },
  { NULL, 'p', G_STRUCT_OFFSET (Options, partitions) },
  { NULL, 'q', G_STRUCT_OFFSET (Options, qos) },
  { NULL, 'R', G_STRUCT_OFFSET (Options, reservations) },
  { "running-over", '\0', G_STRUCT_OFFSET (Options, running_over) },
  { "running-under", '\0', G_STRUCT_OFFSET (Options, running_under) },
  { NULL, 's', G_STRUCT_OFFSET (Options, steps) },
  { NULL, 'S', G_STRUCT_OFFSET (Options, sort) },
  { NULL, 't', G_STRUCT_OFFSET (Options, states) },
  { NULL, 'u', G_STRUCT_OFFSET (Options, users) },
};
/* and those that only say yes. */
static const struct {
  const char *name;
  gsize offset;
} switches[] = {
  { "all", G_STRUCT_OFFSET (Options, is_all) },
  { "array", G_STRUCT_OFFSET (Options, by_task) },
  { "array-unique", G_STRUCT_OFFSET (Options, is_array_unique) },
  { "expand-patterns", G_STRUCT_OFFSET (Options, expands) },
  { "helpFormat", G_STRUCT_OFFSET (Options, wants_names) },
  { "helpformat", G_STRUCT_OFFSET (Options, wants_letters) },
  { "helpstate", G_STRUCT_OFFSET (Options, wants_states) },
  { "hide", G_STRUCT_OFFSET (Options, hides) },
  { "long", G_STRUCT_OFFSET (Options, is_long) },
  { "me", G_STRUCT_OFFSET (Options, is_mine) },
  { "noconvert", G_STRUCT_OFFSET (Options, no_convert) },
  { "noheader", G_STRUCT_OFFSET (Options, rounds.no_heading) },
  { "notme", G_STRUCT_OFFSET (Options, is_others) },
  { "only-job-state", G_STRUCT_OFFSET (Options, is_state_only) },
  { "priority", G_STRUCT_OFFSET (Options, by_partition) },
  { "start", G_STRUCT_OFFSET (Options, by_start) },
};

static gboolean
option_take (gpointer user, const LkClientOption *option, const char *value)
{
  Options *self = user;
  for (gsize i = 0; i < G_N_ELEMENTS (values); i++)
    if (values[i].name != NULL ? strcmp (values[i].name, option->name) == 0
                               : values[i].letter == option->letter)
      G_STRUCT_MEMBER (const char *, self, values[i].offset) = value;
  for (gsize i = 0; i < G_N_ELEMENTS (switches); i++)
    if (strcmp (switches[i].name, option->name) == 0)
      G_STRUCT_MEMBER (gboolean, self, switches[i].offset) = TRUE;
  if (strcmp (option->name, "json") == 0 || strcmp (option->name, "yaml") == 0)
    lk_json_choice_take (&self->json, option->name, value);
  /* The list of -j may stand in a word of its own, as in Slurm. */
  self->names_jobs = self->names_jobs || option->letter == 'j';
  self->of_steps = self->of_steps || option->letter == 's';
  self->verbosity += option->letter == 'v' ? 1 : 0;
  if (option->letter == 'o' || option->letter == 'O') {
    self->format_given = value;
    self->is_by_names = option->letter == 'O';
  }
  return TRUE;
}

/* What the environment says where an option does not. */
static const char *
or_variable (const LkClient *client, const char *value, const char *name)
{
  return value != NULL ? value : lk_client_variable (client, name);
}

static void
take_environment (const LkClient *client, Options *self)
{
  if (self->format_given == NULL && !self->is_long && !self->by_start && !self->of_steps) {
    self->format_given = lk_client_variable (client, "SQUEUE_FORMAT");
    self->is_by_names = self->format_given == NULL;
    self->format_given = or_variable (client, self->format_given, "SQUEUE_FORMAT2");
  }
  self->is_all |= lk_client_variable (client, "SQUEUE_ALL") != NULL;
  self->is_all &= !self->hides;
  self->by_task |= lk_client_variable (client, "SQUEUE_ARRAY") != NULL;
  self->by_partition |= lk_client_variable (client, "SQUEUE_PRIORITY") != NULL;
  self->is_array_unique |= lk_client_variable (client, "SQUEUE_ARRAY_UNIQUE") != NULL;
  self->sort = or_variable (client, self->sort, "SQUEUE_SORT");
  self->states = or_variable (client, self->states, "SQUEUE_STATES");
  self->users = or_variable (client, self->users, "SQUEUE_USERS");
  self->names = or_variable (client, self->names, "SQUEUE_NAMES");
  self->accounts = or_variable (client, self->accounts, "SQUEUE_ACCOUNT");
  self->partitions = or_variable (client, self->partitions, "SQUEUE_PARTITION");
  self->qos = or_variable (client, self->qos, "SQUEUE_QOS");
  self->licenses = or_variable (client, self->licenses, "SQUEUE_LICENSES");
}

static void
format_read (const LkClient *client, Options *self)
{
  const LkFormatSet *known = self->of_steps ? &lk_squeue_step_formats : &lk_squeue_formats;
  if (self->format_given != NULL)
    self->format = self->is_by_names ? lk_format_of_names (client, known, self->format_given)
                                     : lk_format_of_letters (client, known, self->format_given);
}

/* ---------------------------------------------------------------- states */

static const char state_words[] =
    "pending,running,suspended,completed,cancelled,failed,timeout,node_fail,"
    "preempted,boot_fail,deadline,out_of_memory,completing,configuring,"
    "expediting,resizing,resv_del_hold,requeued,requeue_fed,requeue_hold,"
    "revoked,signaling,special_exit,stage_out,stopped";

static int
refuse_state (const LkClient *client, const char *word)
{
  lk_client_error (client, "Invalid job state specified: %s", word);
  lk_client_error (client, "Valid job states include: %s\n", state_words);
  return 1;
}

/* Words that Slurm has and we never are in: nothing matches them. */
static gboolean
is_foreign_state (const char *word)
{
  return lk_word_is_listed ("configuring,cf,expediting,ex,resizing,rs,resv_del_hold,rd,requeue_fed,"
                            "rf,revoked,rv,signaling,si,stage_out,so",
                            word);
}

static int
parse_states (const LkClient *client, Options *self)
{
  LkJobState state;
  if (self->states == NULL) {
    self->state_set = 1 << LK_JOB_PENDING | 1 << LK_JOB_COMPLETING | 1 << LK_JOB_REQUEUED
                      | 1 << LK_JOB_REQUEUE_HOLD | 1 << LK_JOB_SPECIAL_EXIT;
    if (!self->by_start)
      self->state_set |= 1 << LK_JOB_RUNNING | 1 << LK_JOB_SUSPENDED | 1 << LK_JOB_STOPPED;
    else
      self->state_set = 1 << LK_JOB_PENDING;
    return -1;
  }
  g_auto (GStrv) words = g_strsplit (self->states, ",", -1);
  for (guint i = 0; words[i] != NULL; i++)
    if (g_ascii_strcasecmp (words[i], "all") == 0)
      self->is_all_states = TRUE;
    else if (lk_state_parse (words[i], &state))
      self->state_set |= (gint64)1 << state;
    else if (!is_foreign_state (words[i]))
      return refuse_state (client, words[i]);
  return -1;
}

static gboolean
wants_state (const Options *self, const LkJobRow *row)
{
  if (self->is_all_states)
    return TRUE;
  if (row->job.is_completing != 0 && (self->state_set & 1 << LK_JOB_COMPLETING) != 0)
    return TRUE;
  return (self->state_set >> lk_job_state_shown (row->job.state, row->job.is_sigstopped != 0) & 1)
         != 0;
}

/* Are jobs that have ended asked for? Those that complete are, and one that is named is known. */
static gboolean
wants_ended (const Options *self)
{
  return self->is_all_states || self->jobs == NULL || self->states != NULL
         || strchr (self->jobs, ',') == NULL;
}

/* ---------------------------------------------------------------- which jobs */

static gboolean
wants_text (const char *list, const char *bytes, gsize length_bytes)
{
  if (list == NULL)
    return TRUE;
  g_autofree char *word = g_strndup (bytes, length_bytes);
  return lk_word_is_listed (list, word);
}

static gboolean
wants_any (const char *list, const char *bytes, gsize length_bytes)
{
  if (list == NULL)
    return TRUE;
  g_autofree char *words = g_strndup (bytes, length_bytes);
  g_auto (GStrv) each = g_strsplit_set (words, ",", -1);
  for (guint i = 0; each[i] != NULL; i++) {
    each[i][strcspn (each[i], ":")] = '\0';
    if (lk_word_is_listed (list, each[i]))
      return TRUE;
  }
  return FALSE;
}

/* Users that there are not are told, and nobody is asked for in their place. */
static void
users_check (const LkClient *client, const Options *self)
{
  g_auto (GStrv) words = g_strsplit (self->users != NULL ? self->users : "", ",", -1);
  for (guint i = 0; words[i] != NULL; i++) {
    guint64 number;
    gboolean is_number =
        g_ascii_string_to_unsigned (words[i], 10, 0, G_MAXUINT32 - 1, &number, NULL);
    if (*words[i] != '\0' && !is_number && getpwnam (words[i]) == NULL)
      lk_client_error (client, "Invalid user: %s\n", words[i]);
  }
}

static gboolean
wants_user (const LkClient *client, const Options *self, const LkJobRow *row)
{
  if (self->is_mine && row->job.user_id != client->user_id)
    return FALSE;
  if (self->is_others && row->job.user_id == client->user_id)
    return FALSE;
  if (self->users == NULL || lk_word_is_listed (self->users, row->user))
    return TRUE;
  g_autofree char *number = g_strdup_printf ("%u", row->job.user_id);
  return lk_word_is_listed (self->users, number);
}

/* Only of what runs. */
static gboolean
wants_length (const LkClient *client, const Options *self, const LkJobRow *row)
{
  gint64 used_us = lk_job_row_used_us (row, client->now_us);
  if (self->over_us == 0 && self->under_us == 0)
    return TRUE;
  return row->job.state == LK_JOB_RUNNING && (self->over_us == 0 || used_us >= self->over_us)
         && (self->under_us == 0 || used_us < self->under_us);
}

/* Jobs in hidden partitions are told of to root, and to who asks for all, or for them or for their
 * partition. */
static gboolean
may_show (const LkClient *client, const Options *self, const LkRecord_job *job)
{
  return job->is_hidden == 0 || self->is_all || client->user_id == 0 || self->jobs != NULL
         || self->partitions != NULL;
}

static void
filter (const LkClient *client, const Options *self, const GPtrArray *jobs, GHashTable *nodes,
        GPtrArray *rows)
{
  guint kept = 0;
  for (guint i = 0; i < rows->len; i++) {
    LkJobRow *row = g_ptr_array_index (rows, i);
    const LkRecord_job *job = &row->job;
    if (may_show (client, self, job) && wants_state (self, row) && lk_squeue_wants_job (jobs, job)
        && wants_user (client, self, row)
        && wants_text (self->names, job->name.bytes, job->name.length_bytes)
        && wants_text (self->accounts, job->account_name.bytes, job->account_name.length_bytes)
        && wants_text (self->qos, job->qos_name.bytes, job->qos_name.length_bytes)
        && wants_any (self->partitions, job->partitions.bytes, job->partitions.length_bytes)
        && wants_any (self->reservations, job->reservations.bytes, job->reservations.length_bytes)
        && wants_any (self->licenses, job->licenses.bytes, job->licenses.length_bytes)
        && wants_length (client, self, row) && lk_squeue_wants_node (nodes, job)) {
      LkJobRow *narrow = lk_squeue_narrow (jobs, row);
      if (narrow != NULL)
        g_free (row);
      rows->pdata[i] = NULL;
      rows->pdata[kept++] = narrow != NULL ? narrow : row;
    } else {
      g_free (row);
      rows->pdata[i] = NULL;
    }
  }
  g_ptr_array_set_size (rows, (int)kept);
}

/* ---------------------------------------------------------------- tasks */

/* Each of the tasks that wait together as a row of its own; too many of them as they are. */
static void
add_tasks (const LkJobRow *row, GPtrArray *rows)
{
  LkTaskSet tasks;
  if (!lk_squeue_tasks (&row->job, &tasks)) {
    g_ptr_array_add (rows, lk_job_row_copy (row));
    return;
  }
  guint32 task = lk_task_set_first (&tasks);
  for (; task != LK_TASK_NONE; task = lk_task_set_next (&tasks, task)) {
    LkJobRow *copy = lk_job_row_copy (row);
    copy->job.array_task = task;
    g_ptr_array_add (rows, copy);
  }
  lk_task_set_clear (&tasks);
}

static GPtrArray *
by_task (GPtrArray *rows)
{
  GPtrArray *out = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < rows->len; i++) {
    const LkJobRow *row = g_ptr_array_index (rows, i);
    if (row->job.array_job_id != 0 && row->job.array_task == G_MAXUINT32)
      add_tasks (row, out);
    else
      g_ptr_array_add (out, lk_job_row_copy (row));
  }
  g_ptr_array_unref (rows);
  return out;
}

/* Keeps of the lines of an array that wait the first. */
static void
drop_alike (GPtrArray *rows)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  guint kept = 0;
  for (guint i = 0; i < rows->len; i++) {
    LkJobRow *row = g_ptr_array_index (rows, i);
    guint32 array = row->job.state == LK_JOB_PENDING ? row->job.array_job_id : 0;
    rows->pdata[i] = NULL;
    if (array == 0 || g_hash_table_add (seen, GUINT_TO_POINTER (array)))
      rows->pdata[kept++] = row;
    else
      g_free (row);
  }
  g_ptr_array_set_size (rows, (int)kept);
}

/* ---------------------------------------------------------------- the command */

static const char *
format_of (const Options *self)
{
  if (self->format != NULL)
    return self->format;
  if (self->is_state_only)
    return STATE_FORMAT;
  return self->by_start ? START_FORMAT : self->is_long ? LONG_FORMAT : DEFAULT_FORMAT;
}

/* Does the table tell the cluster's name? */
static gboolean
wants_cluster (const Options *self)
{
  return strchr (format_of (self), (guchar)LK_SQUEUE_CLUSTER) != NULL;
}

static int
print_rows (const LkClient *client, const Options *self, GPtrArray **inout_rows)
{
  GPtrArray *rows = *inout_rows;
  const char *keys = self->sort != NULL ? self->sort : self->by_start ? START_SORT : DEFAULT_SORT;
  g_autofree char *cluster = wants_cluster (self) ? lk_client_cluster_name (client) : NULL;
  const LkSqueueReport told = { .client = client,
                                .now_us = client->now_us,
                                .no_convert = self->no_convert,
                                .expands = self->expands,
                                .cluster = cluster };
  g_autoptr (GString) out = g_string_new (NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (LkTableLayout) layout =
      lk_table_layout_new (lk_squeue_columns, format_of (self), &error);
  if (layout == NULL) {
    lk_client_error (client, "%s", error->message);
    return 1;
  }
  if (!lk_squeue_is_order (client, keys))
    return 1;
  /* Slurm's squeue --json does not sort: it has the order of the controller. */
  if (self->json.is_wanted && !self->json.is_own && self->sort == NULL)
    lk_job_rows_sort_as_created (rows);
  else
    lk_squeue_sort (&told, keys, rows);
  if (self->by_task)
    *inout_rows = rows = by_task (rows);
  if (self->is_array_unique)
    drop_alike (rows);
  if (self->json.is_wanted) {
    lk_json_jobs (client, &self->json, rows);
  } else {
    if (!self->rounds.no_heading)
      lk_table_layout_heading (layout, out);
    for (guint i = 0; i < rows->len; i++)
      lk_table_layout_row (layout, &told, g_ptr_array_index (rows, i), out);
  }
  fwrite (out->str, 1, out->len, client->out);
  return 0;
}

/* Does the table show what was submitted? */
static gboolean
wants_payload (const Options *self)
{
  return self->json.is_wanted || strpbrk (format_of (self), LK_SQUEUE_SUBMITTED) != NULL;
}

static gboolean
fill_query (const LkClient *client, const Options *self, const GPtrArray *jobs,
            LkClientQuery *query)
{
  char *behind;
  const struct passwd *user = NULL;
  *query = (LkClientQuery){ .kind = LK_RECORD_JOB,
                            .with_ended = wants_ended (self),
                            .with_payload = wants_payload (self),
                            .is_brief = TRUE };
  for (guint i = 0; jobs != NULL && i < jobs->len; i++)
    if (!lk_squeue_parse_job (g_ptr_array_index (jobs, i), &query->job_id, &behind)) {
      lk_client_error (client, "Invalid job id: %s", (char *)g_ptr_array_index (jobs, i));
      return FALSE;
    }
  if (jobs != NULL && jobs->len != 1)
    query->job_id = 0;
  if (self->users != NULL && strchr (self->users, ',') == NULL)
    user = getpwnam (self->users);
  query->by_user = self->is_mine || user != NULL;
  query->user_id = self->is_mine ? client->user_id : user != NULL ? user->pw_uid : 0;
  return TRUE;
}

static int
report_steps (const LkClient *client, const Options *self, GHashTable *nodes)
{
  g_autofree char *own = g_strdup_printf ("%u", client->user_id);
  return lk_squeue_steps (client, &(LkSqueueSteps){ .format = self->format,
                                                    .sort = self->sort,
                                                    .jobs = self->jobs,
                                                    .steps = self->steps,
                                                    .users = self->is_mine ? own : self->users,
                                                    .partitions = self->partitions,
                                                    .nodes = nodes,
                                                    .json = &self->json,
                                                    .no_heading = self->rounds.no_heading });
}

static int
report (LkClient *client, gpointer user)
{
  const Options *self = user;
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) jobs = self->jobs != NULL ? lk_squeue_split_jobs (self->jobs) : NULL;
  LkClientQuery query;
  int code = -1;
  g_autoptr (GHashTable) nodes =
      self->nodes != NULL ? lk_squeue_node_set (client, self->nodes, &code) : NULL;
  if (code >= 0)
    return code;
  if (self->of_steps)
    return report_steps (client, self, nodes);
  if (!fill_query (client, self, jobs, &query))
    return 1;
  GPtrArray *rows = lk_job_rows (client, &query, &error);
  if (rows == NULL) {
    lk_client_error (client, "%s", error->message);
    return 1;
  }
  if (query.job_id != 0 && rows->len == 0) {
    fprintf (client->err, "slurm_load_jobs error: Invalid job id specified\n");
    g_ptr_array_unref (rows);
    return 1;
  }
  filter (client, self, jobs, nodes, rows);
  code = self->by_partition && !lk_squeue_by_partition (client, self->partitions, &rows)
             ? 1
             : print_rows (client, self, &rows);
  g_ptr_array_unref (rows);
  return code;
}

/* TRUE: done. */
static gboolean
tell_self (const LkClient *client, const Options *self)
{
  if (self->wants_letters || self->wants_names) {
    lk_format_help (client, self->of_steps ? &lk_squeue_step_formats : &lk_squeue_formats,
                    self->wants_names);
    return TRUE;
  }
  if (!self->wants_states)
    return FALSE;
  g_auto (GStrv) words = g_strsplit (state_words, ",", -1);
  for (guint i = 0; words[i] != NULL; i++)
    fprintf (client->out, "%s\n", words[i]);
  return TRUE;
}

static gboolean
fatal (const LkClient *client, const char *text)
{
  fprintf (client->err, "%s: fatal: %s\n", client->command, text);
  return FALSE;
}

/* FALSE: they do not go together; told. */
static gboolean
options_agree (const LkClient *client, const Options *self)
{
  gboolean has_filter = self->users != NULL || self->partitions != NULL || self->names != NULL
                        || self->accounts != NULL || self->qos != NULL || self->nodes != NULL
                        || self->reservations != NULL || self->licenses != NULL || self->is_mine
                        || self->is_others || self->by_start || self->is_long || self->by_partition
                        || self->running_over != NULL || self->running_under != NULL
                        || self->sort != NULL;
  if (self->is_long && self->format_given != NULL && !self->is_by_names)
    return fatal (client, "Options -o(--format) and -l(--long) are mutually exclusive. Please "
                          "remove one and retry.");
  if (self->of_steps && self->names_jobs && self->jobs == NULL) {
    lk_client_error (client, "Incompatible options --jobs and --steps");
    return FALSE;
  }
  if (self->is_state_only && has_filter)
    return fatal (client, "Option --only-job-state only works alone, with -j (--jobs) and/or -t "
                          "(--states) parameters, parameters for cluster/federation selection, "
                          "and the printing options.");
  return TRUE;
}

static gboolean
read_length (const LkClient *client, const char *text, gint64 *out_us)
{
  *out_us = 0;
  return text == NULL || (lk_job_time_limit_parse (text, out_us) && *out_us > 0)
         || fatal (client, "Invalid time limit specification");
}

/* What is asked for, before anybody is asked. FALSE: told. */
static gboolean
settle (const LkClient *client, Options *self)
{
  if (!options_agree (client, self) || !read_length (client, self->running_over, &self->over_us)
      || !read_length (client, self->running_under, &self->under_us))
    return FALSE;
  take_environment (client, self);
  if (parse_states (client, self) >= 0)
    return FALSE;
  users_check (client, self);
  format_read (client, self);
  self->rounds.tells_date = (self->is_long || self->verbosity > 0) && !self->json.is_wanted;
  self->rounds.no_heading |= self->json.is_wanted;
  return TRUE;
}

static void
tell_options (const LkClient *client, const Options *self)
{
  g_autofree char *verbosity = g_strdup_printf ("%u", self->verbosity);
  const char *format = self->format_given != NULL ? self->format_given
                       : self->by_start           ? START_FORMAT
                                                  : NULL;
  const LkChoice choices[] = {
    { "all        ", lk_choice_yes (self->is_all || self->partitions != NULL) },
    { "array      ", lk_choice_yes (self->by_task) },
    { "federation ", lk_choice_yes (FALSE) },
    { "format     ", format },
    { "iterate    ", self->rounds.iterate != NULL ? self->rounds.iterate : "0" },
    { "job_flag   ", self->names_jobs ? "1" : "0" },
    { "jobs       ", self->jobs },
    { "licenses   ", self->licenses },
    { "local      ", lk_choice_yes (FALSE) },
    { "names      ", self->names },
    { "nodes      ", self->nodes != NULL ? self->nodes : "" },
    { "partitions ", self->partitions },
    { "priority   ", lk_choice_yes (self->by_partition) },
    { "reservation", self->reservations },
    { "sibling     ", lk_choice_yes (FALSE) },
    { "sort       ", self->sort != NULL || !self->by_start ? self->sort : START_SORT },
    { "start_flag ", self->by_start ? "1" : "0" },
    { "states     ", self->states },
    { "step_flag  ", self->of_steps ? "1" : "0" },
    { "steps      ", self->steps },
    { "users      ", self->users },
    { "verbose    ", verbosity },
  };
  lk_choices_print (client, choices, G_N_ELEMENTS (choices));
  fputc ('\n', client->out);
}

int
lk_squeue (LkClient *client, int argc, char **argv)
{
  Options options = { 0 };
  const LkOptionSet set = { .usage = "[OPTIONS]",
                            .options = options_known,
                            .count = G_N_ELEMENTS (options_known),
                            .take = option_take,
                            .user = &options };
  int count = lk_options_parse (client, &set, argc, argv);
  char **rest = argv + 1;
  if (count < 0)
    return count == -1 ? 1 : 0;
  if (options.names_jobs && options.jobs == NULL && count > 0)
    options.jobs = *rest++;
  else if (options.of_steps && options.steps == NULL && count > 0)
    options.steps = *rest++;
  if (*rest != NULL) {
    lk_client_error (client, "Unrecognized option: %s", *rest);
    fprintf (client->err, "Try \"squeue --help\" for more information\n");
    return 1;
  }
  if (tell_self (client, &options))
    return 0;
  if (!lk_json_choice_settle (client, &options.json, &count))
    return count;
  int code = 1;
  gboolean is_good = settle (client, &options);
  if (is_good && options.verbosity > 0 && !options.json.is_wanted)
    tell_options (client, &options);
  if (is_good)
    code = lk_rounds_run (client, &options.rounds, report, &options);
  g_free (options.format);
  return code;
}

void
lk_squeue_markdown (GString *out)
{
  lk_options_markdown (options_known, G_N_ELEMENTS (options_known), out);
  g_string_append_c (out, '\n');
  lk_format_markdown (&lk_squeue_formats, out);
}
