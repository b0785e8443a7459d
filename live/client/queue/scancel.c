/* live/client/queue/scancel.c — ends jobs, or signals them.
 *
 * What the controller can tell by itself goes as one request for all jobs that are meant; else the
 * jobs are asked for and picked here, and each is a request.  Source: scancel(1); texts and exit
 * codes as recorded with Slurm 26.05. */
#include <pwd.h>
#include <signal.h>
#include <string.h>

#include "engine/assert.h"
#include "engine/limits.h"
#include "live/client/commands.h"
#include "live/client/job_filter.h"
#include "live/client/options.h"
#include "live/client/refusal.h"
#include "live/client/rounds.h"
#include "live/client/queue/scancel.h"
#include "traces/job_values.h"

#define EXIT_USAGE 1

typedef struct {
  LkClient *client;
  LkClientFilter filter;
  const char *user; /* as it was named; NULL: not */
  guint8 signal;    /* 0: end the job */
  const char *clusters;
  gboolean to_batch; /* the script alone */
  gboolean to_all;   /* script and steps */
  gboolean is_quiet;
  gboolean is_verbose;
  gboolean asks;
  int code;
} Cancel;

static const LkClientOption options[] = {
  { "account", 'A', TRUE, LK_OPTION_ACTED_ON, "jobs of these accounts" },
  { "admin-comment", '\0', TRUE, LK_OPTION_REFUSED,
    "scontrol update JobId= AdminComment= says it" },
  { "batch", 'b', FALSE, LK_OPTION_ACTED_ON, "the signal is for the batch script" },
  { "clusters", 'M', TRUE, LK_OPTION_ACTED_ON, "the cluster by name, or all: there is one" },
  { "cron", 'c', FALSE, LK_OPTION_REFUSED, "there is no scrontab" },
  { "ctld", '\0', FALSE, LK_OPTION_HARMLESS, "the controller always picks the jobs that it can" },
  { "full", 'f', FALSE, LK_OPTION_ACTED_ON, "the signal is for script and steps" },
  { "hurry", 'H', FALSE, LK_OPTION_HARMLESS, "there are no burst buffers to stage out" },
  { "interactive", 'i', FALSE, LK_OPTION_ACTED_ON, "ask before each job" },
  { "jobname", '\0', TRUE, LK_OPTION_ACTED_ON, "as --name" },
  { "me", '\0', FALSE, LK_OPTION_ACTED_ON, "jobs of whoever asks" },
  { "name", 'n', TRUE, LK_OPTION_ACTED_ON, "jobs of these names" },
  { "nodelist", 'w', TRUE, LK_OPTION_ACTED_ON, "jobs that run on one of these nodes" },
  { "partition", 'p', TRUE, LK_OPTION_ACTED_ON, "jobs of these partitions" },
  { "qos", 'q', TRUE, LK_OPTION_ACTED_ON, "jobs of these QOS" },
  { "quiet", 'Q', FALSE, LK_OPTION_ACTED_ON, "errors about single jobs are not told" },
  { "reservation", 'R', TRUE, LK_OPTION_ACTED_ON, "jobs that asked for these reservations" },
  { "sibling", '\0', TRUE, LK_OPTION_REFUSED, "there are no federations" },
  { "signal", 's', TRUE, LK_OPTION_ACTED_ON, "a signal by name or number, instead of the end" },
  { "state", 't', TRUE, LK_OPTION_ACTED_ON, "PENDING, RUNNING or SUSPENDED jobs" },
  { "user", 'u', TRUE, LK_OPTION_ACTED_ON, "jobs of this user" },
  { "verbose", 'v', FALSE, LK_OPTION_ACTED_ON, "each job is told" },
  { "wckey", '\0', TRUE, LK_OPTION_ACTED_ON, "jobs with one of these wckeys" },
};

void
lk_scancel_markdown (GString *out)
{
  lk_options_markdown (options, G_N_ELEMENTS (options), out);
}

/* ---------------------------------------------------------------- options */

static gboolean
states_check (const Cancel *self)
{
  const char *list = self->filter.lists.states;
  g_auto (GStrv) words = g_strsplit (list != NULL ? list : "", ",", -1);
  for (guint i = 0; words[i] != NULL; i++) {
    guint8 state;
    if (lk_client_state_parse (words[i], &state))
      continue;
    fprintf (self->client->err,
             "Invalid job state specified: %s\n"
             "Valid job states are PENDING, RUNNING, and SUSPENDED\n",
             words[i]);
    return FALSE;
  }
  return TRUE;
}

static gboolean
user_find (Cancel *self)
{
  guint64 number;
  const struct passwd *found = getpwnam (self->user);
  if (found == NULL
      && !g_ascii_string_to_unsigned (self->user, 10, 0, G_MAXUINT32 - 1, &number, NULL)) {
    lk_client_error (self->client, "Invalid user name: %s", self->user);
    return FALSE;
  }
  self->filter.has_user = TRUE;
  self->filter.user_id = found != NULL ? found->pw_uid : (guint32)number;
  return TRUE;
}

/* Where a list of the filter is kept; NULL: the option is none. */
static const char **
list_of (LkCommandFilter *lists, const char *name)
{
  const struct {
    const char *name;
    const char **list;
  } known[] = { { "account", &lists->accounts },
                { "jobname", &lists->names },
                { "name", &lists->names },
                { "nodelist", &lists->nodes },
                { "partition", &lists->partitions },
                { "qos", &lists->qos },
                { "reservation", &lists->reservations },
                { "state", &lists->states } };
  for (guint i = 0; i < G_N_ELEMENTS (known); i++)
    if (strcmp (known[i].name, name) == 0)
      return known[i].list;
  return NULL;
}

static gboolean
option_take (gpointer user, const LkClientOption *option, const char *value)
{
  Cancel *self = user;
  LK_ASSERT (self != NULL);
  const char **list = list_of (&self->filter.lists, option->name);
  if (list != NULL)
    *list = value;
  else if (strcmp (option->name, "user") == 0)
    self->user = value;
  else if (strcmp (option->name, "wckey") == 0)
    self->filter.wckeys = value;
  else if (strcmp (option->name, "signal") == 0 && !lk_job_signal_parse (value, &self->signal)) {
    lk_client_error (self->client, "Unknown job signal: %s", value);
    return FALSE;
  }
  self->filter.lists.is_mine = self->filter.lists.is_mine || strcmp (option->name, "me") == 0;
  self->to_batch = self->to_batch || option->letter == 'b';
  if (option->letter == 'M')
    self->clusters = value;
  self->to_all = self->to_all || option->letter == 'f';
  self->is_quiet = self->is_quiet || option->letter == 'Q';
  self->is_verbose = self->is_verbose || option->letter == 'v';
  self->asks = self->asks || option->letter == 'i';
  return TRUE;
}

static void
variables_take (Cancel *self)
{
  LkCommandFilter *lists = &self->filter.lists;
  const LkClient *client = self->client;
  lists->accounts = lk_client_variable (client, "SCANCEL_ACCOUNT");
  lists->names = lk_client_variable (client, "SCANCEL_NAME");
  lists->partitions = lk_client_variable (client, "SCANCEL_PARTITION");
  lists->qos = lk_client_variable (client, "SCANCEL_QOS");
  lists->states = lk_client_variable (client, "SCANCEL_STATE");
  self->user = lk_client_variable (client, "SCANCEL_USER");
  self->filter.wckeys = lk_client_variable (client, "SCANCEL_WCKEY");
  self->to_batch = lk_client_variable (client, "SCANCEL_BATCH") != NULL;
  self->to_all = lk_client_variable (client, "SCANCEL_FULL") != NULL;
  self->asks = lk_client_variable (client, "SCANCEL_INTERACTIVE") != NULL;
  self->is_verbose = lk_client_variable (client, "SCANCEL_VERBOSE") != NULL;
}

static gboolean
has_lists (const LkClientFilter *filter)
{
  const LkCommandFilter *lists = &filter->lists;
  return filter->wckeys != NULL || lists->names != NULL || lists->partitions != NULL
         || lists->accounts != NULL || lists->qos != NULL || lists->reservations != NULL
         || lists->nodes != NULL || lists->states != NULL;
}

/* ---------------------------------------------------------------- one job */

/* What is not there, or is over, needs no end: told to who asks for more. */
static void
unknown_told (const Cancel *self, const char *job)
{
  if ((self->is_verbose || self->asks) && !self->is_quiet)
    lk_client_error (self->client, "Kill job error on job id %s: %s", job,
                     lk_refusal_text (LK_REJECT_JOB_UNKNOWN));
}

static void
refused (Cancel *self, const char *job, guint reject)
{
  if (reject == LK_REJECT_JOB_UNKNOWN || reject == LK_REJECT_TASK_UNKNOWN) {
    unknown_told (self, job);
    return;
  }
  self->code = (int)(lk_refusal_number (reject) & 0xff);
  if (!self->is_quiet)
    lk_client_error (self->client, "Kill job error on job id %s: %s", job,
                     lk_refusal_text (reject));
}

/* FALSE: the controller cannot be asked; told. */
static gboolean
send (Cancel *self, const LkEvent *event, guint *out_reject)
{
  LkMessage_reply reply;
  g_autoptr (GError) error = NULL;
  if (!lk_client_event (self->client, event, &reply, &error)) {
    lk_client_error (self->client, "%s", error->message);
    self->code = EXIT_USAGE;
    return FALSE;
  }
  *out_reject = reply.error;
  return TRUE;
}

static guint8
target (const Cancel *self)
{
  if (self->to_all)
    return LK_SIGNAL_TO_ALL;
  return self->to_batch ? LK_SIGNAL_TO_BATCH : LK_SIGNAL_TO_STEPS;
}

static gboolean
end_job (Cancel *self, guint32 job_id, const char *tasks, const char *shown)
{
  guint reject;
  LkEvent event = { .kind = LK_EVENT_CANCEL };
  event.cancel.job_id = job_id;
  event.cancel.task_list = lk_text (tasks);
  if (self->signal != 0 || self->to_batch) {
    event = (LkEvent){ .kind = LK_EVENT_SIGNAL };
    event.signal = (LkEvent_signal){ .job_id = job_id,
                                     .task_list = lk_text (tasks),
                                     .signal = self->signal != 0 ? self->signal : 15,
                                     .batch_only = target (self) };
  }
  if (self->is_verbose && self->signal != 0)
    fprintf (self->client->err, "scancel: Signal %u to %sjob %s\n", self->signal,
             self->to_batch ? "batch " : "", shown);
  else if (self->is_verbose)
    fprintf (self->client->err, "scancel: Terminating job %s\n", shown);
  if (!send (self, &event, &reject))
    return FALSE;
  if (reject != 0)
    refused (self, shown, reject);
  return TRUE;
}

/* ---------------------------------------------------------------- picked here */

/* `step`: of a step of the job, as it was given; NULL: the job. */
static gboolean
confirms (const Cancel *self, const LkJobRow *row, const char *step)
{
  char answer[16];
  if (!self->asks)
    return TRUE;
  g_autofree char *name = lk_job_row_name (row);
  const LkRecord_job *job = &row->job;
  fprintf (self->client->out, "Cancel %s=%s name=%.*s partition=%.*s [y/n]? ",
           step != NULL ? "step_id" : "job_id", step != NULL ? step : name,
           (int)job->name.length_bytes, job->name.bytes, (int)job->partitions.length_bytes,
           job->partitions.bytes);
  fflush (self->client->out);
  return fgets (answer, sizeof answer, self->client->in) != NULL
         && g_ascii_tolower (answer[0]) == 'y';
}

/* Is it the job, or a part of it, that is meant? NULL: all are. */
static gboolean
is_meant (const LkCommandJob *asked, const LkRecord_job *job)
{
  guint64 task;
  if (asked == NULL || (asked->task == NULL && asked->component < 0))
    return TRUE;
  if (asked->component >= 0)
    return job->het_leader == asked->id && job->het_offset == (guint32)asked->component;
  if (job->array_task == G_MAXUINT32)
    return FALSE;
  g_auto (GStrv) ranges = g_strsplit (asked->task, ",", -1);
  for (guint i = 0; ranges[i] != NULL; i++) {
    char *dash = strchr (ranges[i], '-');
    guint64 high;
    if (dash != NULL)
      *dash = '\0';
    if (g_ascii_string_to_unsigned (ranges[i], 10, 0, G_MAXUINT32, &task, NULL)
        && g_ascii_string_to_unsigned (dash != NULL ? dash + 1 : ranges[i], 10, 0, G_MAXUINT32,
                                       &high, NULL)
        && job->array_task >= task && job->array_task <= high)
      return TRUE;
  }
  return FALSE;
}

/* With -v: nothing is meant by the filter. */
static void
none_told (const Cancel *self)
{
  const LkCommandFilter *lists = &self->filter.lists;
  const struct {
    const char *name;
    const char *value;
  } filters[] = { { "account", lists->accounts },  { "job_name", lists->names },
                  { "nodelist", lists->nodes },    { "partition", lists->partitions },
                  { "qos", lists->qos },           { "reservation", lists->reservations },
                  { "state", lists->states },      { "user", self->user },
                  { "wckey", self->filter.wckeys } };
  g_autoptr (GString) told = g_string_new (NULL);
  for (guint i = 0; i < G_N_ELEMENTS (filters); i++)
    if (filters[i].value != NULL)
      g_string_append_printf (told, "%s=%s ", filters[i].name, filters[i].value);
  if (self->is_verbose && told->len > 0)
    lk_client_error (self->client, "No active jobs match ALL job filters, including: %s",
                     told->str);
}

/* What is over is nobody's to end, also while it is not yet gone from its nodes. */
static gboolean
is_over (const LkRecord_job *job)
{
  return job->is_completing != 0 || lk_job_state_is_end (job->state);
}

/* Of all jobs, or of those of an id (`asked` not NULL, which is `given`). */
static gboolean
end_picked (Cancel *self, const LkCommandJob *asked, const char *given)
{
  guint living_count = 0;
  guint ended_count = 0;
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) jobs =
      lk_filtered_jobs (self->client, &self->filter, asked != NULL ? asked->id : 0, &error);
  if (jobs == NULL) {
    lk_client_error (self->client, "%s", error->message);
    self->code = EXIT_USAGE;
    return FALSE;
  }
  for (guint i = 0; i < jobs->len; i++) {
    const LkJobRow *row = g_ptr_array_index (jobs, i);
    const LkRecord_job *job = &row->job;
    if (!is_meant (asked, job) || is_over (job))
      continue;
    living_count++;
    if (!lk_job_row_passes (row, &self->filter) || ++ended_count == 0
        || !confirms (self, row, NULL))
      continue;
    /* A component goes with the whole job. */
    if (job->het_leader != 0 && job->het_offset != 0 && asked == NULL && self->signal == 0)
      continue;
    g_autofree char *shown = lk_job_row_name (row);
    if (!end_job (self, job->job_id, NULL, shown))
      return FALSE;
  }
  if (asked != NULL && living_count == 0)
    unknown_told (self, given);
  else if (ended_count == 0)
    none_told (self);
  return TRUE;
}

/* ---------------------------------------------------------------- picked by the controller */

/* A filter of the event, of one word each; FALSE: the controller cannot tell that. */
static gboolean
filter_fill (const Cancel *self, LkEvent_cancel *cancel)
{
  const LkCommandFilter *lists = &self->filter.lists;
  const struct {
    const char *list;
    guint32 bit;
    LkText *text;
  } texts[] = { { lists->names, LK_FILTER_NAME, &cancel->name },
                { lists->partitions, LK_FILTER_PARTITION, &cancel->partition },
                { lists->accounts, LK_FILTER_ACCOUNT, &cancel->account },
                { lists->qos, LK_FILTER_QOS, &cancel->qos },
                { lists->reservations, LK_FILTER_RESERVATION, &cancel->reservation },
                { lists->nodes, LK_FILTER_NODE_LIST, &cancel->node_list } };
  if (self->filter.wckeys != NULL) /* stands in what was submitted, which it does not look into */
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++) {
    if (texts[i].list == NULL)
      continue;
    if (strlen (texts[i].list) > G_MAXUINT16)
      return FALSE;
    if (texts[i].bit != LK_FILTER_NODE_LIST && strchr (texts[i].list, ',') != NULL)
      return FALSE;
    cancel->filter |= texts[i].bit;
    *texts[i].text = lk_text (texts[i].list);
  }
  if (lists->states != NULL) {
    cancel->filter |= LK_FILTER_STATE;
    if (!lk_client_state_parse (lists->states, &cancel->state))
      return FALSE;
  }
  if (self->filter.has_user) {
    cancel->filter |= LK_FILTER_USER_ID;
    cancel->user_id = self->filter.user_id;
  }
  return cancel->filter != 0;
}

/* All that the filter means in one request. Whoever may not end the jobs of others ends his own. */
static gboolean
end_filtered (Cancel *self)
{
  guint reject;
  LkEvent event = { .kind = LK_EVENT_CANCEL };
  if (self->signal != 0 || self->to_batch || self->asks || self->is_verbose
      || !filter_fill (self, &event.cancel))
    return end_picked (self, NULL, NULL);
  if (!send (self, &event, &reject))
    return FALSE;
  if (reject == LK_REJECT_PERMISSION && !self->filter.has_user) {
    event.cancel.filter |= LK_FILTER_USER_ID;
    event.cancel.user_id = self->client->user_id;
    if (!send (self, &event, &reject))
      return FALSE;
  }
  if (reject != 0 && reject != LK_REJECT_JOB_UNKNOWN) {
    self->code = (int)(lk_refusal_number (reject) & 0xff);
    lk_client_error (self->client, "%s", lk_refusal_text (reject));
  }
  return TRUE;
}

/* ---------------------------------------------------------------- the whole */

static gboolean
end_named (Cancel *self, const LkCommandJob *asked, const char *shown)
{
  if (has_lists (&self->filter) || self->filter.has_user || self->asks)
    return end_picked (self, asked, shown);
  guint32 id = asked->id + (guint32)MAX (0, asked->component);
  return end_job (self, id, asked->task, shown);
}

/* ---------------------------------------------------------------- steps */

static void
reply_take (gpointer user, const LkMessage *message)
{
  *(guint *)user = message->kind == LK_MESSAGE_STEP_REPLY ? message->step_reply.error
                                                          : LK_STEP_ERROR_INVALID_REQUEST;
}

/* FALSE: the controller cannot be asked; told. */
static gboolean
end_step (Cancel *self, guint32 job_id, guint32 step_id, const char *shown)
{
  const LkClient *client = self->client;
  guint refusal = LK_STEP_ERROR_NONE;
  g_autoptr (GError) error = NULL;
  LkMessage request = { .kind = LK_MESSAGE_STEP_SIGNAL };
  request.step_signal.job_id = job_id;
  request.step_signal.step_id = step_id;
  request.step_signal.signal = self->signal;
  if (self->is_verbose && self->signal != 0)
    fprintf (client->err, "scancel: Signal %u to step %s\n", self->signal, shown);
  else if (self->is_verbose)
    fprintf (client->err, "scancel: Terminating step %s\n", shown);
  if (!client->wire->exchange (client->wire_self, &request, reply_take, &refusal, &error)) {
    lk_client_error (client, "%s", error->message);
    self->code = EXIT_USAGE;
    return FALSE;
  }
  if (refusal == LK_STEP_ERROR_NONE)
    return TRUE;
  if (!self->is_quiet)
    lk_client_error (client, "Kill job error on job step id %s: %s", shown,
                     lk_step_error_text (refusal));
  self->code = EXIT_USAGE;
  return TRUE;
}

/* The job that a step is of: by its own number, also where it is a task or a component.  FALSE: it
 * cannot be told, or who asks does not want it. */
static gboolean
job_of_step (Cancel *self, const LkCommandJob *asked, const char *given, guint32 *out_id)
{
  gboolean is_wanted = TRUE;
  LkClientQuery query = { .kind = LK_RECORD_JOB, .job_id = asked->id };
  g_autoptr (GError) error = NULL;
  *out_id = asked->id + (guint32)MAX (0, asked->component);
  if (asked->task == NULL && !self->asks)
    return TRUE;
  g_autoptr (GPtrArray) rows = lk_job_rows (self->client, &query, &error);
  for (guint i = 0; rows != NULL && i < rows->len; i++) {
    const LkJobRow *row = g_ptr_array_index (rows, i);
    if (!is_meant (asked, &row->job))
      continue;
    *out_id = row->job.job_id;
    is_wanted = confirms (self, row, given);
  }
  if (rows == NULL) {
    lk_client_error (self->client, "%s", error->message);
    self->code = EXIT_USAGE;
  }
  return rows != NULL && is_wanted;
}

/* "7.0", "7_4.0", "7.batch"; the dot is a NUL by now. */
static gboolean
step_take (Cancel *self, const LkCommandJob *asked, const char *step, const char *shown)
{
  guint64 number;
  guint32 job_id;
  if (!job_of_step (self, asked, shown, &job_id))
    return self->code == 0; /* the next one */
  if (strcmp (step, "batch") == 0) {
    self->to_batch = TRUE;
    return end_job (self, job_id, NULL, shown);
  }
  if (g_ascii_string_to_unsigned (step, 10, 0, G_MAXUINT32 - 1, &number, NULL))
    return end_step (self, job_id, (guint32)number, shown);
  lk_client_error (self->client, "Invalid job id %s", shown);
  self->code = EXIT_USAGE;
  return FALSE;
}

/* The jobs of an argument. */
static gboolean
argument_take (Cancel *self, char *argument)
{
  g_autofree char *whole = g_strdup (argument);
  char *step = strrchr (argument, '.');
  char *words[] = { (char *)"scontrol", (char *)"requeue", argument, NULL };
  g_autoptr (GStringChunk) texts = g_string_chunk_new (256);
  if (step != NULL)
    *step++ = '\0';
  g_autoptr (LkCommand) command = lk_command_new (words, texts, NULL);
  if (command == NULL) {
    lk_client_error (self->client, "Invalid job id %s", whole);
    self->code = EXIT_USAGE;
    return FALSE;
  }
  for (guint i = 0; i < command->jobs->len; i++) {
    const LkCommandJob *asked = &g_array_index (command->jobs, LkCommandJob, i);
    g_autofree char *shown =
        command->jobs->len == 1 ? g_strdup (argument) : g_strdup_printf ("%u", asked->id);
    gboolean goes_on =
        step != NULL ? step_take (self, asked, step, whole) : end_named (self, asked, shown);
    if (!goes_on)
      return FALSE;
  }
  return TRUE;
}

static void
run (Cancel *self, int count, char **arguments)
{
  /* To the whole of a job this one is its end. */
  if (self->signal == SIGKILL && !self->to_batch)
    self->signal = 0;
  if (!states_check (self) || (self->user != NULL && !user_find (self))) {
    self->code = EXIT_USAGE;
    return;
  }
  if (self->filter.lists.is_mine && !self->filter.has_user) {
    self->filter.has_user = TRUE;
    self->filter.user_id = self->client->user_id;
  }
  if (count == 0 && !has_lists (&self->filter) && !self->filter.has_user) {
    lk_client_error (self->client, "No job identification provided");
    self->code = EXIT_USAGE;
    return;
  }
  if (count == 0)
    end_filtered (self);
  for (int i = 0; i < count; i++)
    if (!argument_take (self, arguments[i]))
      return;
}

int
lk_scancel (LkClient *client, int argc, char **argv)
{
  Cancel self = { .client = client };
  LkOptionSet set = { .usage = "[OPTIONS] [JOB_ID[_ARRAY_ID][.STEP_ID]...]",
                      .operands = "[job_id[_array_id][.step_id]]",
                      .options = options,
                      .count = G_N_ELEMENTS (options),
                      .take = option_take,
                      .user = &self };
  variables_take (&self);
  int count = lk_options_parse (client, &set, argc, argv);
  g_autofree char *cluster = NULL;
  if (count < 0)
    return count == -1 ? EXIT_USAGE : 0;
  if (!lk_client_clusters_check (client, self.clusters, &cluster))
    return EXIT_USAGE;
  run (&self, count, argv + 1);
  return self.code;
}
