/* live/client/scontrol/scontrol_jobs.c — scontrol about jobs: each job that is named gets an event.
 *
 * What an update means stands in traces/command_job_keys.c; what follows from it, in
 * engine/update_settle.c, where the controller is. */
#include <string.h>

#include "engine/checked.h"
#include "engine/job_top.h"
#include "engine/limits.h"
#include "engine/policy.h"
#include "engine/task_set.h"
#include "live/client/scontrol/admin_comment.h"
#include "live/client/job_filter.h"
#include "live/client/refusal.h"
#include "live/client/scontrol/scontrol.h"
#include "traces/command_job_keys.h"

typedef struct {
  LkClient *client;
  LkCommand *command;
  GStringChunk *texts;
  LkEvent update;            /* of an update */
  const char *admin_comment; /* that it sets beside; NULL: none */
  gboolean is_comment_alone;
  int code;
} Work;

/* ---------------------------------------------------------------- one job */

/* Only what holds and releases says once more, behind a job that is refused, what kept it. */
static gboolean
says_again (LkCommandKind kind)
{
  return kind == LK_COMMAND_HOLD || kind == LK_COMMAND_UHOLD || kind == LK_COMMAND_RELEASE;
}

/* Text for a caller who may not change the job at all (the event was not written, seq is 0), and
 * for an owner who may not make this change. */
static const char *
denied_text (const Work *self, const LkMessage_reply *reply)
{
  guint64 changes = self->update.update.changes;
  if (reply->seq == 0
      && (says_again (self->command->kind) || self->command->kind == LK_COMMAND_UPDATE_JOB))
    return LK_REFUSAL_USER_ID;
  if (says_again (self->command->kind))
    return lk_refusal_text (reply->error);
  if (reply->seq != 0 && (changes & (G_GUINT64_CONSTANT (1) << LK_CHANGE_priority)) != 0)
    return "Changes to job priority are not persistent, change nice instead";
  return lk_refusal_text (reply->error);
}

/* What is stopped or put back has to run: recorded with jobs that wait. */
static const char *
not_running_text (const Work *self)
{
  LkCommandKind kind = self->command->kind;
  return kind == LK_COMMAND_SUSPEND || kind == LK_COMMAND_REQUEUE || kind == LK_COMMAND_REQUEUEHOLD
             ? "Job is pending execution"
             : lk_refusal_text (LK_REJECT_NOT_RUNNING);
}

static void
refused (Work *self, const char *job, const LkMessage_reply *reply)
{
  const char *text = lk_refusal_text (reply->error);
  if (reply->error == LK_REJECT_PERMISSION)
    text = denied_text (self, reply);
  else if (reply->error == LK_REJECT_NOT_RUNNING)
    text = not_running_text (self);
  self->code = LK_SCONTROL_FAILURE;
  fprintf (self->client->err, "%s for job %s\n", text, job);
  if (says_again (self->command->kind))
    fprintf (self->client->err, "slurm_suspend error:%s\n", text);
}

static LkEvent
event_of (const Work *self, guint32 id, LkText tasks)
{
  LkEvent event = { 0 };
  switch (self->command->kind) {
  case LK_COMMAND_HOLD:
  case LK_COMMAND_UHOLD:
    event.kind = LK_EVENT_HOLD;
    event.hold = (LkEvent_hold){ .job_id = id, .task_list = tasks };
    /* The controller knows whether he is one. */
    event.hold.by_admin = self->command->kind == LK_COMMAND_HOLD ? 1 : 0;
    break;
  case LK_COMMAND_RELEASE:
    event.kind = LK_EVENT_RELEASE;
    event.release = (LkEvent_release){ .job_id = id, .task_list = tasks };
    break;
  case LK_COMMAND_REQUEUE:
  case LK_COMMAND_REQUEUEHOLD:
    event.kind = LK_EVENT_REQUEUE;
    event.requeue = (LkEvent_requeue){ .job_id = id, .task_list = tasks };
    if (self->command->kind == LK_COMMAND_REQUEUEHOLD)
      event.requeue.hold = self->command->is_special ? 2 : 1;
    break;
  case LK_COMMAND_SUSPEND:
    event.kind = LK_EVENT_SUSPEND;
    event.suspend = (LkEvent_suspend){ .job_id = id, .task_list = tasks };
    break;
  case LK_COMMAND_RESUME:
    event.kind = LK_EVENT_RESUME;
    event.resume = (LkEvent_resume){ .job_id = id, .task_list = tasks };
    break;
  case LK_COMMAND_TOP:
    event.kind = LK_EVENT_UPDATE;
    event.update = (LkEvent_update){ .job_id = id, .by_admin = LK_UPDATE_TOP };
    break;
  default:
    event = self->update;
    event.update.job_id = id;
    event.update.task_list = tasks;
    break;
  }
  return event;
}

/* ---------------------------------------------------------------- TimeLimit+= */

static const LkCommandPair *
limit_step (const LkCommand *command)
{
  for (guint i = 0; i < command->pairs->len; i++) {
    const LkCommandPair *pair = &g_array_index (command->pairs, LkCommandPair, i);
    if (strcmp (pair->key, "timelimit") == 0 && pair->sign != '=')
      return pair;
  }
  return NULL;
}

/* Counts from the limit that the job has now. 0, or why not; FALSE: told. */
static gboolean
limit_settle (Work *self, guint32 id, LkEvent *event, guint *out_reject)
{
  const LkCommandPair *step =
      self->command->kind == LK_COMMAND_UPDATE_JOB ? limit_step (self->command) : NULL;
  LkClientFilter all = { .has_user = FALSE };
  g_autoptr (GError) error = NULL;
  *out_reject = 0;
  if (step == NULL)
    return TRUE;
  g_autoptr (GPtrArray) jobs = lk_filtered_jobs (self->client, &all, id, &error);
  if (jobs == NULL) {
    fprintf (self->client->err, "%s\n", error->message);
    return FALSE;
  }
  if (jobs->len == 0) {
    *out_reject = LK_REJECT_JOB_UNKNOWN;
    return TRUE;
  }
  gint64 limit_us = ((const LkJobRow *)g_ptr_array_index (jobs, 0))->job.limit_us;
  event->update.estimate_us = step->sign == '+'
                                  ? lk_time_add_us (limit_us, event->update.estimate_us)
                                  : limit_us - event->update.estimate_us;
  if (event->update.estimate_us <= 0)
    *out_reject = LK_REJECT_ESTIMATE_INVALID;
  return TRUE;
}

/* ---------------------------------------------------------------- suspended already */

static gboolean
is_asked (const LkJobRow *row, guint32 id, const LkTaskSet *tasks)
{
  if (row->job.array_job_id != id)
    return row->job.job_id == id;
  return tasks == NULL || lk_task_set_has (tasks, row->job.array_task);
}

/* Of the jobs, or tasks (NULL: all), that do not run some are suspended, and none waits. */
static gboolean
are_suspended (const Work *self, guint32 id, const char *task_list)
{
  const LkClientFilter all = { .has_user = FALSE };
  LkTaskSet tasks = { 0 };
  gboolean is_found = FALSE;
  gboolean waits = FALSE;
  g_autoptr (GPtrArray) jobs = lk_filtered_jobs (self->client, &all, id, NULL);
  if (jobs == NULL
      || (task_list != NULL && !lk_task_set_parse (lk_text (task_list), LK_LIMIT_TASKS, &tasks)))
    return FALSE;
  for (guint i = 0; i < jobs->len; i++) {
    const LkJobRow *row = g_ptr_array_index (jobs, i);
    if (!is_asked (row, id, task_list != NULL ? &tasks : NULL))
      continue;
    is_found = is_found || row->job.state == LK_JOB_SUSPENDED;
    waits = waits || row->job.state == LK_JOB_PENDING;
  }
  lk_task_set_clear (&tasks);
  return is_found && !waits;
}

/* ---------------------------------------------------------------- one of them */

/* To release what is not held, hold what runs, or suspend what is suspended is no fault. */
static gboolean
is_nothing (const Work *self, guint reject, guint32 id, const char *tasks)
{
  switch (self->command->kind) {
  case LK_COMMAND_RELEASE:
    return reject == LK_REJECT_NOT_HELD || reject == LK_REJECT_NOT_PENDING;
  case LK_COMMAND_HOLD:
  case LK_COMMAND_UHOLD:
    return reject == LK_REJECT_NOT_PENDING;
  case LK_COMMAND_SUSPEND:
    return reject == LK_REJECT_NOT_RUNNING && are_suspended (self, id, tasks);
  default:
    return FALSE;
  }
}

/* What the engine knows nothing of. FALSE: the controller cannot be asked. */
static gboolean
comment_work (Work *self, guint32 id, const char *shown)
{
  guint16 refused = 0;
  g_autoptr (GError) error = NULL;
  if (!lk_admin_comment_tell (self->client, id, self->admin_comment, &refused, &error)) {
    fprintf (self->client->err, "%s\n", error->message);
    self->code = LK_SCONTROL_FAILURE;
    return FALSE;
  }
  if (refused == 0)
    return TRUE;
  self->code = LK_SCONTROL_FAILURE;
  fprintf (self->client->err, "%s for job %s\n", lk_step_error_text (refused), shown);
  return TRUE;
}

/* FALSE: the controller cannot be asked. */
static gboolean
job_work (Work *self, guint32 id, const char *tasks, const char *shown)
{
  guint reject = 0;
  LkMessage_reply reply = { 0 };
  g_autoptr (GError) error = NULL;
  LkEvent event = event_of (self, id, lk_text (tasks));
  if (self->admin_comment != NULL && !comment_work (self, id, shown))
    return FALSE;
  if (self->is_comment_alone)
    return TRUE;
  gboolean is_settled = limit_settle (self, id, &event, &reject);
  reply.error = (guint16)reject;
  if (is_settled && reject == 0 && !lk_client_event (self->client, &event, &reply, &error)) {
    fprintf (self->client->err, "%s\n", error->message);
    is_settled = FALSE;
  }
  if (!is_settled) {
    self->code = LK_SCONTROL_FAILURE;
    return FALSE;
  }
  reject = reply.error;
  if (reject != 0 && !is_nothing (self, reject, id, tasks))
    refused (self, shown, &reply);
  return TRUE;
}

/* ---------------------------------------------------------------- all of them */

/* As "requeue incomplete" means them: they have begun, and not ended. */
static gboolean
is_incomplete (const LkJobRow *job)
{
  return job->job.state == LK_JOB_RUNNING || job->job.state == LK_JOB_SUSPENDED;
}

/* The id of a task may be that of its array, too: it is named as one of those. */
static gboolean
running_work (Work *self, const LkJobRow *row)
{
  const LkRecord_job *job = &row->job;
  g_autofree char *shown = lk_job_row_name (row);
  g_autofree char *task = g_strdup_printf ("%u", job->array_task);
  return job->array_job_id != 0 ? job_work (self, job->array_job_id, task, shown)
                                : job_work (self, job->job_id, NULL, shown);
}

/* Of a job, an array or some of its tasks those that are incomplete. */
static gboolean
incomplete_work (Work *self, const LkCommandJob *asked, const char *name)
{
  const LkClientFilter all = { .has_user = FALSE };
  LkMessage_reply reply = { .error = LK_REJECT_JOB_UNKNOWN };
  LkTaskSet tasks = { 0 };
  gboolean goes_on = TRUE;
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) jobs =
      lk_filtered_jobs (self->client, &all, asked->id + (guint32)MAX (0, asked->component), &error);
  if (jobs == NULL) {
    fprintf (self->client->err, "%s\n", error->message);
    self->code = LK_SCONTROL_FAILURE;
    return FALSE;
  }
  if (asked->task != NULL && !lk_task_set_parse (lk_text (asked->task), LK_LIMIT_TASKS, &tasks))
    reply.error = LK_REJECT_ARRAY_INVALID;
  if (jobs->len == 0 || reply.error == LK_REJECT_ARRAY_INVALID)
    refused (self, name, &reply);
  for (guint i = 0; i < jobs->len && goes_on; i++) {
    const LkJobRow *job = g_ptr_array_index (jobs, i);
    if (!is_incomplete (job)
        || (asked->task != NULL && !lk_task_set_has (&tasks, job->job.array_task)))
      continue;
    goes_on = running_work (self, job);
  }
  lk_task_set_clear (&tasks);
  return goes_on;
}

/* All jobs of a name. */
static gboolean
named_work (Work *self, const char *name)
{
  LkClientFilter filter = { .lists.names = name };
  guint count = 0;
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) jobs = lk_filtered_jobs (self->client, &filter, 0, &error);
  if (jobs == NULL) {
    fprintf (self->client->err, "%s\n", error->message);
    self->code = LK_SCONTROL_FAILURE;
    return FALSE;
  }
  for (guint i = 0; i < jobs->len; i++) {
    const LkJobRow *job = g_ptr_array_index (jobs, i);
    g_autofree char *shown = lk_job_row_name (job);
    if (!lk_job_row_passes (job, &filter))
      continue;
    count++;
    if (self->command->is_incomplete && !is_incomplete (job))
      continue;
    if (!(self->command->is_incomplete ? running_work (self, job)
                                       : job_work (self, job->job.job_id, NULL, shown)))
      return FALSE;
  }
  LkMessage_reply unknown = { .error = LK_REJECT_JOB_UNKNOWN };
  if (count == 0)
    refused (self, name, &unknown);
  return TRUE;
}

static char *
shown_of (const LkCommandJob *job)
{
  if (job->task != NULL)
    return g_strdup_printf (strpbrk (job->task, ",-") != NULL ? "%u_[%s]" : "%u_%s", job->id,
                            job->task);
  return job->component >= 0 ? g_strdup_printf ("%u+%d", job->id, job->component)
                             : g_strdup_printf ("%u", job->id);
}

static gboolean
one_work (Work *self, const LkCommandJob *job, const char *shown)
{
  if (job->name != NULL)
    return named_work (self, job->name);
  if (self->command->is_incomplete)
    return incomplete_work (self, job, shown);
  return job_work (self, job->id + (guint32)MAX (0, job->component), job->task, shown);
}

static void
all_work (Work *self)
{
  for (guint i = 0; i < self->command->jobs->len; i++) {
    const LkCommandJob *job = &g_array_index (self->command->jobs, LkCommandJob, i);
    g_autofree char *shown = shown_of (job);
    if (!one_work (self, job, shown))
      return;
  }
}

/* The pair that is no parameter of a job; NULL: all are. */
static const LkCommandPair *
unknown_pair (const LkCommand *command)
{
  for (guint i = 0; i < command->pairs->len; i++) {
    const LkCommandPair *pair = &g_array_index (command->pairs, LkCommandPair, i);
    if (strcmp (pair->key, "jobid") != 0 && lk_command_job_key_changes (pair->key) == 0)
      return pair;
  }
  return NULL;
}

/* Takes it out of the pairs. */
static void
take_admin_comment (Work *self)
{
  GArray *pairs = self->command->pairs;
  for (guint i = pairs->len; i > 0; i--) {
    const LkCommandPair *pair = &g_array_index (pairs, LkCommandPair, i - 1);
    if (strcmp (pair->key, "admincomment") != 0 || pair->sign != '=')
      continue;
    self->admin_comment = pair->value;
    g_array_remove_index (pairs, i - 1);
  }
  self->is_comment_alone = self->admin_comment != NULL && pairs->len == 1;
}

static gboolean
update_read (Work *self)
{
  static const char *const dates[] = { "starttime", "eligibletime", "deadline", "endtime", NULL };
  g_autoptr (GError) error = NULL;
  take_admin_comment (self);
  if (self->is_comment_alone)
    return TRUE;
  const LkCommandPair *unknown = unknown_pair (self->command);
  if (unknown != NULL) {
    fprintf (self->client->err, "Update of this parameter is not supported: %s\nRequest aborted\n",
             unknown->given);
    return FALSE;
  }
  if (lk_scontrol_dates (self->client, self->command, dates, self->texts, &error)
      && lk_command_update_event (self->command, self->client->now_us, self->texts, &self->update,
                                  &error))
    return TRUE;
  fprintf (self->client->err, "%s\nRequest aborted\n", error->message);
  return FALSE;
}

int
lk_scontrol_jobs (LkClient *client, LkCommand *command)
{
  Work self = { .client = client, .command = command, .texts = g_string_chunk_new (512) };
  if (command->kind == LK_COMMAND_UPDATE_JOB && !update_read (&self)) {
    self.code = LK_SCONTROL_FAILURE;
  } else {
    all_work (&self);
  }
  g_string_chunk_free (self.texts);
  return self.code;
}
