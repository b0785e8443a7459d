/* live/client/squeue.c — `squeue`: the jobs in the system, as a table or as JSON.
 *
 * Source: squeue(1), what a real Slurm printed (oracle/text). */
#include "live/client/squeue.h"

#include <getopt.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "engine/bits.h"
#include "engine/hostlist.h"
#include "engine/task_set.h"
#include "live/client/commands.h"
#include "live/client/words.h"

#define DEFAULT_FORMAT "%.18i %.9P %.8j %.8u %.2t %.10M %.6D %R"
#define LONG_FORMAT "%.18i %.9P %.8j %.8u %.8T %.10M %.9l %.6D %R"
#define START_FORMAT "%.18i %.9P %.8j %.8u %.2t %.19S %.6D %20Y %R"
#define DEFAULT_SORT "P,t,-p"
#define START_SORT "S"

typedef struct {
  char *format; /* of -o; owned */
  char *sort;   /* borrowed, as all below */
  char *jobs;
  char *users;
  char *states;
  char *partitions;
  char *names;
  char *accounts;
  char *qos;
  char *nodes;
  char *reservations;
  char *licenses;
  gboolean is_all_states;
  gboolean no_heading;
  gboolean is_long;
  gboolean by_start;
  gboolean by_task;
  gboolean is_json;
  gboolean is_mine;
  gint64 state_set; /* bits of LkJobState */
} Options;

/* ---------------------------------------------------------------- options */

enum { JSON = 256, ME, START, HELP, NO_CONVERT, LOCAL };

static const struct option long_options[] = {
  { "account", required_argument, NULL, 'A' },
  { "all", no_argument, NULL, 'a' },
  { "array", no_argument, NULL, 'r' },
  { "Format", required_argument, NULL, 'O' },
  { "format", required_argument, NULL, 'o' },
  { "help", no_argument, NULL, HELP },
  { "hide", no_argument, NULL, LOCAL },
  { "jobs", optional_argument, NULL, 'j' },
  { "json", optional_argument, NULL, JSON },
  { "licenses", required_argument, NULL, 'L' },
  { "local", no_argument, NULL, LOCAL },
  { "long", no_argument, NULL, 'l' },
  { "me", no_argument, NULL, ME },
  { "name", required_argument, NULL, 'n' },
  { "noconvert", no_argument, NULL, NO_CONVERT },
  { "node", required_argument, NULL, 'w' },
  { "nodelist", required_argument, NULL, 'w' },
  { "nodes", required_argument, NULL, 'w' },
  { "noheader", no_argument, NULL, 'h' },
  { "partition", required_argument, NULL, 'p' },
  { "qos", required_argument, NULL, 'q' },
  { "reservation", required_argument, NULL, 'R' },
  { "sort", required_argument, NULL, 'S' },
  { "start", no_argument, NULL, START },
  { "states", required_argument, NULL, 't' },
  { "usage", no_argument, NULL, HELP },
  { "user", required_argument, NULL, 'u' },
  { "verbose", no_argument, NULL, 'v' },
  { "version", no_argument, NULL, 'V' },
  { NULL, 0, NULL, 0 },
};

static const char help_text[] =
    "Usage: squeue [OPTIONS]\n"
    "  -A, --account=account(s)        those of these accounts; all: a comma separated list\n"
    "  -a, --all                       jobs in hidden partitions, too: there are none\n"
    "  -h, --noheader                  no headers on output\n"
    "  -j, --jobs=job(s)               these jobs, of an array all tasks, or 7_3\n"
    "      --json                      as JSON\n"
    "  -l, --long                      long report\n"
    "  -L, --licenses=(license names)  those that ask for one of these\n"
    "      --me                        those of yourself\n"
    "  -n, --name=job_name(s)          those of these names\n"
    "      --noconvert                 memory is not converted: it never is, if that loses digits\n"
    "  -o, --format=format             columns: %[.][width]letter, see docs/commands.md\n"
    "  -O, --Format=format             columns: name[:[.]width][,...]\n"
    "  -p, --partition=partition(s)    those of these partitions\n"
    "  -q, --qos=qos(s)                those of these QOS\n"
    "  -R, --reservation=name          those that ask for this reservation\n"
    "  -r, --array                     one line for each task of an array\n"
    "  -S, --sort=fields               order: letters of columns, - before one: falling\n"
    "      --start                     when pending jobs are expected to start\n"
    "  -t, --states=states             PENDING, RUNNING, ..., or short: PD, R, ...; all\n"
    "  -u, --user=user_name(s)         those of these users\n"
    "  -V, --version                   version information\n"
    "  -w, --nodelist=hostlist         those on one of these nodes\n";

static char *
letters_only (const LkClient *client, const char *format, int *out_code)
{
  char *field = NULL;
  char *converted = lk_squeue_long_format (format, &field);
  if (converted == NULL) {
    lk_client_error (client, "Invalid job format specification: %s", field);
    *out_code = 1;
  }
  g_free (field);
  return converted;
}

/* Options that only keep their value, */
static const struct {
  int option;
  gsize offset;
} values[] = {
  { 'A', G_STRUCT_OFFSET (Options, accounts) },     { 'j', G_STRUCT_OFFSET (Options, jobs) },
  { 'L', G_STRUCT_OFFSET (Options, licenses) },     { 'n', G_STRUCT_OFFSET (Options, names) },
  { 'p', G_STRUCT_OFFSET (Options, partitions) },   { 'q', G_STRUCT_OFFSET (Options, qos) },
  { 'R', G_STRUCT_OFFSET (Options, reservations) }, { 'S', G_STRUCT_OFFSET (Options, sort) },
  { 't', G_STRUCT_OFFSET (Options, states) },       { 'u', G_STRUCT_OFFSET (Options, users) },
  { 'w', G_STRUCT_OFFSET (Options, nodes) },
};
/* and those that only say yes. */
static const struct {
  int option;
  gsize offset;
} switches[] = {
  { 'h', G_STRUCT_OFFSET (Options, no_heading) }, { 'l', G_STRUCT_OFFSET (Options, is_long) },
  { 'r', G_STRUCT_OFFSET (Options, by_task) },    { JSON, G_STRUCT_OFFSET (Options, is_json) },
  { ME, G_STRUCT_OFFSET (Options, is_mine) },     { START, G_STRUCT_OFFSET (Options, by_start) },
};

static gboolean
take_simple (Options *self, int option)
{
  for (gsize i = 0; i < G_N_ELEMENTS (values); i++)
    if (values[i].option == option) {
      G_STRUCT_MEMBER (char *, self, values[i].offset) = optarg;
      return TRUE;
    }
  for (gsize i = 0; i < G_N_ELEMENTS (switches); i++)
    if (switches[i].option == option) {
      G_STRUCT_MEMBER (gboolean, self, switches[i].offset) = TRUE;
      return TRUE;
    }
  return option == 'a' || option == 'v' || option == LOCAL || option == NO_CONVERT;
}

/* Returns: -1 to go on, else the exit code. */
static int
take_option (const LkClient *client, Options *self, int option)
{
  int code = -1;
  if (take_simple (self, option))
    return code;
  switch (option) {
  case 'o':
  case 'O':
    g_free (self->format);
    self->format = option == 'o' ? g_strdup (optarg) : letters_only (client, optarg, &code);
    return code;
  case 'V':
    fprintf (client->out, "slurm " LK_CLIENT_SLURM_VERSION "\n");
    return 0;
  case HELP:
    fputs (help_text, client->out);
    return 0;
  default:
    fprintf (client->err, "Try \"squeue --help\" for more information\n");
    return 1;
  }
}

/* What the environment says where an option does not. */
static char *
or_variable (const LkClient *client, char *value, const char *name)
{
  return value != NULL ? value : (char *)(gpointer)lk_client_variable (client, name);
}

static int
take_environment (const LkClient *client, Options *self)
{
  int code = -1;
  const char *long_format = lk_client_variable (client, "SQUEUE_FORMAT2");
  if (self->format == NULL && !self->is_long && !self->by_start) {
    if (lk_client_variable (client, "SQUEUE_FORMAT") != NULL)
      self->format = g_strdup (lk_client_variable (client, "SQUEUE_FORMAT"));
    else if (long_format != NULL)
      self->format = letters_only (client, long_format, &code);
  }
  self->by_task |= lk_client_variable (client, "SQUEUE_ARRAY") != NULL;
  self->sort = or_variable (client, self->sort, "SQUEUE_SORT");
  self->states = or_variable (client, self->states, "SQUEUE_STATES");
  self->users = or_variable (client, self->users, "SQUEUE_USERS");
  self->names = or_variable (client, self->names, "SQUEUE_NAMES");
  self->accounts = or_variable (client, self->accounts, "SQUEUE_ACCOUNT");
  self->partitions = or_variable (client, self->partitions, "SQUEUE_PARTITION");
  self->qos = or_variable (client, self->qos, "SQUEUE_QOS");
  self->licenses = or_variable (client, self->licenses, "SQUEUE_LICENSES");
  return code;
}

/* ---------------------------------------------------------------- states */

static int
refuse_state (const LkClient *client, const char *word)
{
  lk_client_error (client, "Invalid job state specified: %s", word);
  lk_client_error (client, "Valid job states include: "
                           "pending,running,suspended,completed,cancelled,failed,timeout,node_fail,"
                           "preempted,boot_fail,deadline,out_of_memory,completing,configuring,"
                           "expediting,resizing,resv_del_hold,requeued,requeue_fed,requeue_hold,"
                           "revoked,signaling,special_exit,stage_out,stopped");
  return 1;
}

/* Words that Slurm has and we never are in: nothing matches them. */
static gboolean
is_foreign_state (const char *word)
{
  return lk_word_is_listed ("configuring,cf,expediting,ex,resizing,rs,resv_del_hold,rd,requeue_fed,"
                            "rf,revoked,rv,signaling,si,stage_out,so,stopped,st",
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
      self->state_set |= 1 << LK_JOB_RUNNING | 1 << LK_JOB_SUSPENDED;
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
  return (self->state_set >> row->job.state & 1) != 0;
}

/* Are jobs that have ended among what is asked for? Those that complete are, by default. */
static gboolean
wants_ended (const Options *self)
{
  return self->is_all_states || self->jobs == NULL || self->states != NULL;
}

/* ---------------------------------------------------------------- which jobs */

/* "7", "7_3", "7_[1-4]", "7+1". FALSE: it is none. */
static gboolean
parse_job (const char *text, guint32 *out_id, char **out_behind)
{
  guint64 value = g_ascii_strtoull (text, out_behind, 10);
  *out_id = (guint32)value;
  return *out_behind != text && value > 0 && value < G_MAXUINT32
         && (**out_behind == '\0' || **out_behind == '_' || **out_behind == '+');
}

static gboolean
is_job (const char *word, const LkRecord_job *job)
{
  char *behind;
  guint32 id;
  LkTaskSet tasks = { 0 };
  if (!parse_job (word, &id, &behind))
    return FALSE;
  if (*behind == '\0')
    return job->job_id == id || job->array_job_id == id || job->het_leader == id;
  if (*behind == '+')
    return job->het_leader == id && job->het_offset == g_ascii_strtoull (behind + 1, NULL, 10);
  if (job->array_job_id != id || !lk_task_set_parse (lk_text (behind + 1), LK_LIMIT_TASKS, &tasks))
    return FALSE;
  gboolean is_in = job->array_task == G_MAXUINT32 || lk_task_set_has (&tasks, job->array_task);
  lk_task_set_clear (&tasks);
  return is_in;
}

/* A list whose commas in brackets are no ends. Returns: (transfer full). */
static GPtrArray *
split_jobs (const char *list)
{
  GPtrArray *words = g_ptr_array_new_with_free_func (g_free);
  const char *begin = list;
  gboolean is_inside = FALSE;
  for (const char *at = list;; at++) {
    is_inside = *at == '[' || (is_inside && *at != ']');
    if (*at != '\0' && (*at != ',' || is_inside))
      continue;
    if (at > begin)
      g_ptr_array_add (words, g_strndup (begin, (gsize)(at - begin)));
    begin = at + 1;
    if (*at == '\0')
      return words;
  }
}

static gboolean
wants_job (const GPtrArray *jobs, const LkRecord_job *job)
{
  for (guint i = 0; jobs != NULL && i < jobs->len; i++)
    if (is_job (g_ptr_array_index (jobs, i), job))
      return TRUE;
  return jobs == NULL;
}

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

static gboolean
wants_user (const LkClient *client, const Options *self, const LkJobRow *row)
{
  if (self->is_mine && row->job.user_id != client->user_id)
    return FALSE;
  if (self->users == NULL || lk_word_is_listed (self->users, row->user))
    return TRUE;
  g_autofree char *number = g_strdup_printf ("%u", row->job.user_id);
  return lk_word_is_listed (self->users, number);
}

static gboolean
wants_node (GHashTable *nodes, const LkRecord_job *job)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  if (nodes == NULL)
    return TRUE;
  lk_hostlist_expand (job->node_names.bytes, job->node_names.length_bytes, names, NULL);
  for (guint i = 0; i < names->len; i++)
    if (g_hash_table_contains (nodes, g_ptr_array_index (names, i)))
      return TRUE;
  return FALSE;
}

static GHashTable *
node_set (const LkClient *client, const char *list, int *out_code)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  const char *fault;
  if (!lk_hostlist_expand (list, strlen (list), names, &fault)) {
    lk_client_error (client, "Invalid node name specified: %s", list);
    *out_code = 1;
    return NULL;
  }
  GHashTable *set = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  for (guint i = 0; i < names->len; i++)
    g_hash_table_add (set, g_ptr_array_index (names, i));
  return set;
}

static void
filter (const LkClient *client, const Options *self, const GPtrArray *jobs, GHashTable *nodes,
        GPtrArray *rows)
{
  guint kept = 0;
  for (guint i = 0; i < rows->len; i++) {
    LkJobRow *row = g_ptr_array_index (rows, i);
    const LkRecord_job *job = &row->job;
    if (wants_state (self, row) && wants_job (jobs, job) && wants_user (client, self, row)
        && wants_text (self->names, job->name.bytes, job->name.length_bytes)
        && wants_text (self->accounts, job->account_name.bytes, job->account_name.length_bytes)
        && wants_text (self->qos, job->qos_name.bytes, job->qos_name.length_bytes)
        && wants_any (self->partitions, job->partitions.bytes, job->partitions.length_bytes)
        && wants_any (self->reservations, job->reservations.bytes, job->reservations.length_bytes)
        && wants_any (self->licenses, job->licenses.bytes, job->licenses.length_bytes)
        && wants_node (nodes, job)) {
      rows->pdata[i] = NULL;
      rows->pdata[kept++] = row;
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
  LkLongText list = row->job.array_tasks;
  gsize length = 0;
  LkTaskSet tasks = { 0 };
  while (length < list.length_bytes && list.bytes[length] != '%')
    length++;
  LkText text = { list.bytes, (guint16)MIN (length, G_MAXUINT16) };
  if (length > G_MAXUINT16 || !lk_task_set_parse (text, LK_LIMIT_TASKS, &tasks)) {
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

/* ---------------------------------------------------------------- the command */

static void
print_moment (const LkClient *client, GString *out)
{
  char text[64];
  time_t now = (time_t)(client->now_us / G_USEC_PER_SEC);
  struct tm parts;
  if (localtime_r (&now, &parts) != NULL
      && strftime (text, sizeof text, "%a %b %d %H:%M:%S %Y", &parts) > 0)
    g_string_append_printf (out, "%s\n", text);
}

static const char *
format_of (const Options *self)
{
  if (self->format != NULL)
    return self->format;
  return self->by_start ? START_FORMAT : self->is_long ? LONG_FORMAT : DEFAULT_FORMAT;
}

static int
print_rows (const LkClient *client, const Options *self, GPtrArray *rows)
{
  const char *keys = self->sort != NULL ? self->sort : self->by_start ? START_SORT : DEFAULT_SORT;
  const LkSqueueReport report = { client, client->now_us };
  g_autoptr (GString) out = g_string_new (NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (LkTableLayout) layout =
      lk_table_layout_new (lk_squeue_columns, format_of (self), &error);
  if (layout == NULL) {
    lk_client_error (client, "%s", error->message);
    return 1;
  }
  if (!lk_squeue_is_order (keys)) {
    lk_client_error (client, "Invalid sort specification: %s", keys);
    return 1;
  }
  lk_squeue_sort (&report, keys, rows);
  if (self->is_json) {
    lk_squeue_json (client, rows);
  } else {
    if (self->is_long && self->format == NULL)
      print_moment (client, out);
    if (!self->no_heading)
      lk_table_layout_heading (layout, out);
    for (guint i = 0; i < rows->len; i++)
      lk_table_layout_row (layout, &report, g_ptr_array_index (rows, i), out);
  }
  fwrite (out->str, 1, out->len, client->out);
  return 0;
}

/* Does the table show what was submitted? */
static gboolean
wants_payload (const Options *self)
{
  return self->is_json || strstr (format_of (self), "Z") != NULL
         || strstr (format_of (self), "o") != NULL;
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
    if (!parse_job (g_ptr_array_index (jobs, i), &query->job_id, &behind)) {
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
run (const LkClient *client, Options *self)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) jobs = self->jobs != NULL ? split_jobs (self->jobs) : NULL;
  LkClientQuery query;
  int code = parse_states (client, self);
  g_autoptr (GHashTable) nodes = self->nodes != NULL ? node_set (client, self->nodes, &code) : NULL;
  if (code >= 0)
    return code;
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
  if (self->by_task)
    rows = by_task (rows);
  code = print_rows (client, self, rows);
  g_ptr_array_unref (rows);
  return code;
}

int
lk_squeue (LkClient *client, int argc, char **argv)
{
  Options options = { 0 };
  int option;
  int code = -1;
  gboolean names_jobs = FALSE;
  optind = 0;
  while (code < 0
         && (option =
                 getopt_long (argc, argv, "A:ahj::lL:n:o:O:p:q:rR:S:t:u:vVw:", long_options, NULL))
                != -1) {
    code = take_option (client, &options, option);
    names_jobs = names_jobs || option == 'j';
  }
  /* The list of -j may stand in a word of its own, as in Slurm. */
  if (code < 0 && names_jobs && options.jobs == NULL && optind < argc)
    options.jobs = argv[optind++];
  if (code < 0 && optind < argc) {
    lk_client_error (client, "Unrecognized option: %s", argv[optind]);
    fprintf (client->err, "Try \"squeue --help\" for more information\n");
    code = 1;
  }
  if (code < 0)
    code = take_environment (client, &options);
  if (code < 0)
    code = run (client, &options);
  g_free (options.format);
  return code;
}
