/* sim/command_play.c — see command_play.h. */
#include "sim/command_play.h"

#include <string.h>

#include "engine/job_shown.h"
#include "engine/assert.h"
#include "engine/checked.h"
#include "engine/id_map.h"
#include "engine/refused_number.h"
#include "engine/update_settle.h"
#include "sim/command_accounts.h"
#include "sim/command_cluster.h"
#include "sim/command_list.h"
#include "sim/command_top.h"
#include "sim/command_update.h"
#include "sim/report_private.h"
#include "traces/command_cluster.h"
#include "traces/command_events.h"
#include "traces/command_job_keys.h"
#include "traces/command_refusal.h"
#include "traces/command_reservation.h"
#include "traces/job_values.h"

/* A job that was submitted, or a task that became a job of its own. */
typedef struct {
  guint32 id;
  guint32 array_job_id; /* 0: it is no task; */
  guint32 task;         /* else its index */
  guint32 het_leader;   /* 0: it is no component; */
  guint32 het_offset;   /* else which one */
  guint32 user;         /* number */
  const char *name;     /* NULL: none was given */
  const char *owner;    /* whose it is: the user of the command, unless he says --uid */
  const LkCommand *command;
  const LkJobOptions *options; /* of the command's: its component's */
} Job;

struct _LkCommandPlay {
  const LkCommandScript *script;
  guint next;          /* command */
  GPtrArray *users;    /* names, by number; borrowed */
  GArray *jobs;        /* of Job, by rising id but for the last tasks of arrays */
  LkIdMap place_by_id; /* of the last one of each number among them */
  GArray *answers;
  GStringChunk *texts;
  LkCommandLook look;
  gpointer look_user;
  gint64 spread_us;            /* each job runs longer by so much, times its number */
  const LkSetup *setup;        /* NULL: no command may change the machine */
  const LkSimControl *control; /* while a command runs */
};

/* ---------------------------------------------------------------- users and jobs */

static guint32
user_number (LkCommandPlay *self, const char *name)
{
  for (guint i = 0; i < self->users->len; i++)
    if (strcmp (g_ptr_array_index (self->users, i), name) == 0)
      return i;
  g_ptr_array_add (self->users, (gpointer)name);
  return self->users->len - 1;
}

static gboolean
is_admin (const LkCommandPlay *self, const char *user)
{
  return lk_command_is_admin (self->control, user);
}

/* The last one of this number: the last task of an array has the array's. */
static const Job *
job_find (const LkCommandPlay *self, guint32 id)
{
  guint32 place = id != 0 ? lk_id_map_find (&self->place_by_id, id) : LK_JOB_NONE;
  return place != LK_JOB_NONE ? &g_array_index (self->jobs, Job, place) : NULL;
}

static void
job_add (LkCommandPlay *self, const Job *job)
{
  if (job_find (self, job->id) != NULL)
    lk_id_map_remove (&self->place_by_id, job->id);
  lk_id_map_insert (&self->place_by_id, job->id, self->jobs->len);
  g_array_append_vals (self->jobs, job, 1);
}

static gboolean
is_in_system (const LkCommandPlay *self, guint32 id)
{
  return lk_engine_job_index (self->control->engine, id) != LK_JOB_NONE;
}

const char *
lk_command_play_job_name (const LkCommandPlay *self, guint32 job_id)
{
  const Job *job = job_find (self, job_id);
  if (job == NULL)
    return NULL;
  return job->name != NULL ? job->name : "wrap";
}

const char *
lk_command_play_job_user (const LkCommandPlay *self, guint32 job_id)
{
  const Job *job = job_find (self, job_id);
  return job != NULL ? job->owner : NULL;
}

gboolean
lk_command_play_job_task (const LkCommandPlay *self, guint32 job_id, guint32 *out_array_job_id,
                          guint32 *out_task)
{
  const Job *job = job_find (self, job_id);
  if (job == NULL || job->array_job_id == 0)
    return FALSE;
  *out_array_job_id = job->array_job_id;
  *out_task = job->task;
  return TRUE;
}

gboolean
lk_command_play_job_component (const LkCommandPlay *self, guint32 job_id, guint32 *out_leader,
                               guint32 *out_offset)
{
  const Job *job = job_find (self, job_id);
  if (job == NULL || job->het_leader == 0)
    return FALSE;
  *out_leader = job->het_leader;
  *out_offset = job->het_offset;
  return TRUE;
}

/* ---------------------------------------------------------------- answers */

static void
refuse (LkCommandPlay *self, const char *why)
{
  LkCommandAnswer *answer = &g_array_index (self->answers, LkCommandAnswer, self->answers->len - 1);
  if (answer->refused == NULL)
    answer->refused = why;
}

/* The same of one of several jobs, which the text then names. */
static void
refuse_job (LkCommandPlay *self, const LkCommand *command, guint32 id, const char *why)
{
  g_autofree char *text = command->jobs->len > 1 ? g_strdup_printf ("job %u: %s", id, why) : NULL;
  refuse (self, text != NULL ? g_string_chunk_insert (self->texts, text) : why);
}

/* Applies an event and notes why it is refused. */
static gboolean
apply (LkCommandPlay *self, const LkCommand *command, LkEvent *event)
{
  LkReject reject = self->control->apply (self->control->driver, event);
  if (reject != 0)
    refuse (self, lk_command_refusal (command, reject, self->texts));
  return reject == 0;
}

/* ---------------------------------------------------------------- sbatch */

static void
run_set (const LkCommandPlay *self, const LkCommandRun *run, LkSimJob *job)
{
  /* A run without end ends at the time limit. */
  job->run_us = run->run_us >= 0 ? MAX (1, run->run_us) : G_MAXINT64;
  if (run->run_us >= 0)
    job->run_us += self->spread_us * (gint64)job->number;
  job->exit_code = run->exit_code;
  job->exit_signal = run->signal;
  job->on_signal = run->on_signal;
  job->on_signal_exit_code = run->on_signal_exit_code;
}

/* Whose job it is. */
static const char *
owner_of (const LkCommand *command)
{
  const char *user = g_array_index (command->components, LkJobOptions, 0).user;
  return user != NULL ? user : command->user;
}

static void
submit_fill (LkCommandPlay *self, const LkCommand *command, const LkJobOptions *options,
             LkEvent_submit *submit)
{
  LkJobRequest request = options->request;
  LkJobTerms terms = options->terms;
  gint64 now_us = self->control->now_us;
  if (options->begin != NULL)
    lk_job_moment_parse (options->begin, now_us, &terms.begin_us);
  if (options->deadline != NULL)
    lk_job_moment_parse (options->deadline, now_us, &terms.deadline_us);
  request.user = lk_text (owner_of (command));
  /* slurmctld passes over what others than operators and administrators set. */
  if (!is_admin (self, command->user))
    request.priority = 0;
  /* Groups are not known: a user has the one that is called as he is. */
  if (request.group.length_bytes == 0 && strcmp (owner_of (command), "root") != 0)
    request.group = request.user;
  submit->user_id = user_number (self, owner_of (command));
  submit->procs = lk_job_request_cpus (&options->request);
  submit->estimate_us = MAX (0, options->limit_us);
  lk_submit_set_request (submit, &request);
  lk_submit_set_terms (submit, &terms);
}

static guint32
id_next (const LkCommandPlay *self)
{
  return MAX (*self->control->job_id_last + 1, lk_engine_job_id_next (self->control->engine));
}

/* Submits what one component asks for; `leader_id` is 0 for the first. Returns: its number, or 0
 * when it is refused, and with it the whole job. */
static guint32
submit_component (LkCommandPlay *self, const LkCommand *command, guint offset, guint32 leader_id)
{
  const GArray *components = command->components;
  const LkJobOptions *options = &g_array_index (components, LkJobOptions, offset);
  LkEvent event = { .kind = LK_EVENT_SUBMIT };
  submit_fill (self, command, options, &event.submit);
  event.submit.job_id = id_next (self);
  if (components->len > 1) {
    event.submit.het_leader = leader_id != 0 ? leader_id : event.submit.job_id;
    event.submit.het_offset = offset;
    event.submit.het_count = components->len;
  }
  LkSimJob sim_job = { .number = event.submit.job_id,
                       .submit_us = self->control->now_us,
                       .estimate_us = event.submit.estimate_us,
                       .procs = event.submit.procs,
                       .user_id = event.submit.user_id,
                       .job_name = options->job_name };
  run_set (self, lk_command_run (command, components->len > 1 ? offset : G_MAXUINT32), &sim_job);
  Job job = { .id = event.submit.job_id,
              .het_leader = event.submit.het_leader,
              .het_offset = event.submit.het_offset,
              .user = event.submit.user_id,
              .name = options->job_name,
              .owner = owner_of (command),
              .command = command,
              .options = options };
  job_add (self, &job);
  LkReject reject = self->control->submit (self->control->driver, &event, &sim_job);
  if (reject == 0 || lk_reject_keeps_number (reject, is_admin (self, command->user)))
    *self->control->job_id_last = job.id;
  if (reject == 0)
    return job.id;
  g_array_set_size (self->jobs, self->jobs->len - 1);
  lk_id_map_remove (&self->place_by_id, job.id);
  refuse (self, lk_command_refusal (command, reject, self->texts));
  return 0;
}

static void
run_submit (LkCommandPlay *self, const LkCommand *command)
{
  guint32 leader_id = 0;
  if (command->refused != NULL) {
    refuse (self, command->refused);
    return;
  }
  if (strcmp (owner_of (command), command->user) != 0 && !is_admin (self, command->user)) {
    refuse (self, lk_reject_text (LK_REJECT_PERMISSION));
    return;
  }
  /* slurmctld makes a record to look when the job could start, and has used a number for it. */
  if (command->is_test) {
    *self->control->job_id_last = id_next (self);
    return;
  }
  for (guint i = 0; i < command->components->len; i++) {
    const LkJobOptions *options = &g_array_index (command->components, LkJobOptions, i);
    if (options->request.nice < 0 && !is_admin (self, command->user)) {
      refuse (self, "invalid --nice value");
      return;
    }
  }
  for (guint i = 0; i < command->components->len; i++) {
    guint32 job_id = submit_component (self, command, i, leader_id);
    if (job_id == 0)
      return;
    leader_id = leader_id != 0 ? leader_id : job_id;
  }
  g_array_index (self->answers, LkCommandAnswer, self->answers->len - 1).job_id = leader_id;
}

/* The task or component that it is; G_MAXUINT32: none. */
static guint32
part_of (const Job *job)
{
  if (job->array_job_id != 0)
    return job->task;
  return job->het_leader != 0 ? job->het_offset : G_MAXUINT32;
}

void
lk_command_play_returned (LkCommandPlay *self, guint32 job_id, LkSimJob *out_job)
{
  const Job *job = job_find (self, job_id);
  LK_ASSERT (job != NULL);
  *out_job = (LkSimJob){ .number = job_id,
                         .submit_us = self->control->now_us,
                         .estimate_us = MAX (0, job->options->limit_us),
                         .procs = lk_job_request_cpus (&job->options->request),
                         .user_id = job->user,
                         .job_name = job->name };
  run_set (self, lk_command_run (job->command, part_of (job)), out_job);
}

void
lk_command_play_task (LkCommandPlay *self, const LkDecision_task *decision, LkSimJob *job)
{
  guint32 job_id = decision->job_id, array_job_id = decision->array_job_id, task = decision->task;
  const Job *array = job_find (self, array_job_id);
  if (array == NULL)
    return;
  Job own = { .id = job_id,
              .array_job_id = array_job_id,
              .task = task,
              .user = array->user,
              .name = array->name,
              .owner = array->owner,
              .command = array->command,
              .options = array->options };
  job_add (self, &own);
  job->number = job_id;
  run_set (self, lk_command_run (own.command, task), job);
}

/* ---------------------------------------------------------------- scancel */

/* Is one of the partitions that the job may have, or has, in the list? */
static gboolean
partition_is_listed (const LkCommandPlay *self, const char *list, LkJobIndex job)
{
  LkReportState state = { .engine = self->control->engine };
  g_autoptr (GString) names = g_string_new (NULL);
  if (list == NULL)
    return TRUE;
  lk_job_partitions (state.engine, job, names);
  g_auto (GStrv) words = g_strsplit (names->str, ",", -1);
  for (guint i = 0; words[i] != NULL; i++)
    if (lk_command_is_listed (list, words[i]))
      return TRUE;
  return FALSE;
}

static gboolean
reservation_is_listed (const LkCommandPlay *self, const char *list, const Job *job)
{
  LkText asked = lk_engine_job_terms (self->control->engine, job->id)->reservation;
  g_autofree char *text = g_strndup (asked.length_bytes > 0 ? asked.bytes : "", asked.length_bytes);
  return lk_command_is_listed (list, text);
}

static gboolean
passes (const LkCommandPlay *self, const Job *job, const LkCommand *command)
{
  const LkCommandFilter *filter = &command->filter;
  const char *name = job->name;
  LkJobIndex index = lk_engine_job_index (self->control->engine, job->id);
  LkJobInfo info;
  if (index == LK_JOB_NONE || !lk_engine_job (self->control->engine, job->id, &info))
    return FALSE;
  return lk_command_is_listed (filter->users, job->owner)
         && lk_command_is_listed (filter->names, name != NULL ? name : "wrap")
         && lk_command_state_is_listed (filter->states, info.state)
         && lk_command_is_listed (filter->accounts, lk_command_account_of (self->control, index))
         && lk_command_is_listed (filter->qos, lk_command_qos_of (self->control, index))
         && partition_is_listed (self, filter->partitions, index)
         && reservation_is_listed (self, filter->reservations, job)
         && (!filter->is_mine || strcmp (job->owner, command->user) == 0);
}

static gboolean
has_filter (const LkCommandFilter *filter)
{
  return filter->users != NULL || filter->names != NULL || filter->partitions != NULL
         || filter->accounts != NULL || filter->qos != NULL || filter->states != NULL
         || filter->reservations != NULL || filter->is_mine;
}

static gboolean
may_change (const LkCommandPlay *self, const LkCommand *command, const Job *job)
{
  return is_admin (self, command->user) || strcmp (job->owner, command->user) == 0;
}

static void
cancel_one (LkCommandPlay *self, const LkCommand *command, guint32 id, const char *task)
{
  const LkCommandFilter *filter = &command->filter;
  LkEvent event = { .kind = LK_EVENT_CANCEL };
  event.cancel.job_id = id;
  event.cancel.task_list = lk_text (task);
  if (filter->signal != 0) {
    event = (LkEvent){ .kind = LK_EVENT_SIGNAL };
    event.signal.job_id = id;
    event.signal.task_list = lk_text (task);
    event.signal.signal = filter->signal;
    event.signal.batch_only = filter->to_batch != FALSE;
  }
  LkReject reject = self->control->apply (self->control->driver, &event);
  /* What is not there is not told of. */
  if (reject != 0 && reject != LK_REJECT_TASK_UNKNOWN && reject != LK_REJECT_JOB_UNKNOWN)
    refuse (self, lk_reject_text (reject));
}

/* All that pass; of those of others it is told that they may not be. */
static void
cancel_filtered (LkCommandPlay *self, const LkCommand *command)
{
  g_autoptr (GArray) ids = g_array_new (FALSE, FALSE, sizeof (guint32));
  for (guint i = 0; i < self->jobs->len; i++) {
    const Job *job = &g_array_index (self->jobs, Job, i);
    if (!passes (self, job, command))
      continue;
    if (may_change (self, command, job))
      g_array_append_val (ids, job->id);
    else
      refuse (self, lk_reject_text (LK_REJECT_PERMISSION));
  }
  for (guint i = 0; i < ids->len; i++)
    cancel_one (self, command, g_array_index (ids, guint32, i), NULL);
}

static void
run_cancel (LkCommandPlay *self, const LkCommand *command)
{
  if (command->refused != NULL) {
    refuse (self, command->refused);
    return;
  }
  /* Slurm reads no list there. */
  if (command->filter.users != NULL && strchr (command->filter.users, ',') != NULL) {
    refuse (self, "invalid user name");
    return;
  }
  for (guint i = 0; i < command->jobs->len; i++) {
    const LkCommandJob *asked = &g_array_index (command->jobs, LkCommandJob, i);
    guint32 id = asked->id + (guint32)MAX (0, asked->component);
    const Job *job = job_find (self, id);
    /* To cancel what is not there is no fault for Slurm either. */
    if (job == NULL || (has_filter (&command->filter) && !passes (self, job, command)))
      continue;
    if (!may_change (self, command, job))
      refuse (self, lk_reject_text (LK_REJECT_PERMISSION));
    else
      cancel_one (self, command, id, asked->task);
  }
  if (command->jobs->len == 0)
    cancel_filtered (self, command);
}

/* ---------------------------------------------------------------- scontrol of jobs */

static LkEvent
job_event (LkCommandPlay *self, const LkCommand *command, guint32 id, LkText tasks)
{
  guint8 by_admin = is_admin (self, command->user) ? 1 : 0;
  LkEvent event = { 0 };
  switch (command->kind) {
  case LK_COMMAND_HOLD:
  case LK_COMMAND_UHOLD:
    event.kind = LK_EVENT_HOLD;
    event.hold = (LkEvent_hold){ .job_id = id, .task_list = tasks };
    event.hold.by_admin = command->kind == LK_COMMAND_HOLD ? by_admin : 0;
    break;
  case LK_COMMAND_RELEASE:
    event.kind = LK_EVENT_RELEASE;
    event.release = (LkEvent_release){ .job_id = id, .task_list = tasks, .by_user = !by_admin };
    break;
  case LK_COMMAND_REQUEUE:
  case LK_COMMAND_REQUEUEHOLD:
    event.kind = LK_EVENT_REQUEUE;
    event.requeue = (LkEvent_requeue){ .job_id = id, .task_list = tasks };
    /* Of incomplete jobs only: what has ended never comes back here. */
    if (command->kind == LK_COMMAND_REQUEUEHOLD)
      event.requeue.hold = command->is_special ? 2 : 1;
    break;
  case LK_COMMAND_SUSPEND:
    event.kind = LK_EVENT_SUSPEND;
    event.suspend = (LkEvent_suspend){ .job_id = id, .task_list = tasks };
    break;
  default:
    LK_ASSERT (command->kind == LK_COMMAND_RESUME);
    event.kind = LK_EVENT_RESUME;
    event.resume = (LkEvent_resume){ .job_id = id, .task_list = tasks };
    break;
  }
  return event;
}

/* Calls for each job that the command names and its user may change. */
typedef void (*JobWork) (LkCommandPlay *self, const LkCommand *command, guint32 id, LkText tasks);

static void
one_job (LkCommandPlay *self, const LkCommand *command, const Job *job, const char *task,
         JobWork work)
{
  gboolean is_for_admin = command->kind == LK_COMMAND_SUSPEND || command->kind == LK_COMMAND_RESUME;
  if (!may_change (self, command, job) || (is_for_admin && !is_admin (self, command->user)))
    refuse (self, lk_reject_text (LK_REJECT_PERMISSION));
  else
    work (self, command, job->id, lk_text (task));
}

static void
each_job (LkCommandPlay *self, const LkCommand *command, JobWork work)
{
  for (guint i = 0; i < command->jobs->len; i++) {
    const LkCommandJob *asked = &g_array_index (command->jobs, LkCommandJob, i);
    guint count = self->jobs->len;
    if (asked->name == NULL) {
      const Job *job = job_find (self, asked->id + (guint32)MAX (0, asked->component));
      if (job == NULL)
        refuse (self, lk_reject_text (LK_REJECT_JOB_UNKNOWN));
      else
        one_job (self, command, job, asked->task, work);
      continue;
    }
    gboolean is_found = FALSE;
    LK_ASSERT (count == 0 || self->jobs->data != NULL);
    for (guint j = 0; j < count; j++) {
      const Job *job = &g_array_index (self->jobs, Job, j);
      if (g_strcmp0 (job->name, asked->name) == 0 && is_in_system (self, job->id)) {
        one_job (self, command, job, NULL, work);
        is_found = TRUE;
      }
    }
    if (!is_found)
      refuse (self, lk_reject_text (LK_REJECT_JOB_UNKNOWN));
  }
}

static void
job_work (LkCommandPlay *self, const LkCommand *command, guint32 id, LkText tasks)
{
  LkEvent event = job_event (self, command, id, tasks);
  LkReject reject = self->control->apply (self->control->driver, &event);
  /* To release what is not held is no fault. */
  if (reject != 0 && !(command->kind == LK_COMMAND_RELEASE && reject == LK_REJECT_NOT_HELD))
    refuse_job (self, command, id, lk_reject_text (reject));
}

static void
top_work (LkCommandPlay *self, const LkCommand *command, guint32 id, LkText tasks)
{
  (void)command;
  (void)tasks;
  LkReject reject =
      is_in_system (self, id) ? lk_command_top (self->control, id) : LK_REJECT_JOB_UNKNOWN;
  if (reject != 0)
    refuse (self, lk_reject_text (reject));
}

static void
rename_job (LkCommandPlay *self, guint32 id, LkText name)
{
  for (guint i = 0; i < self->jobs->len; i++) {
    Job *job = &g_array_index (self->jobs, Job, i);
    if (job->id == id)
      job->name = g_string_chunk_insert_len (self->texts, name.bytes, name.length_bytes);
  }
}

static void
update_work (LkCommandPlay *self, const LkCommand *command, guint32 id, LkText tasks)
{
  LkEvent event;
  g_autoptr (GError) error = NULL;
  if (!lk_command_update_event (command, self->control->now_us, self->texts, &event, &error)) {
    refuse (self, g_string_chunk_insert (self->texts, error->message));
    return;
  }
  if (!lk_command_settle_limit (command, self->control->engine, id, &event.update)) {
    refuse (self, lk_command_refusal (command, LK_REJECT_ESTIMATE_INVALID, self->texts));
    return;
  }
  event.update.job_id = id;
  event.update.task_list = tasks;
  event.update.by_admin = is_admin (self, command->user) ? 1 : 0;
  lk_update_settle (self->control->engine, &event.update);
  LkReject reject = self->control->apply (self->control->driver, &event);
  if (reject != 0)
    refuse_job (self, command, id, lk_command_refusal (command, reject, self->texts));
  else if ((event.update.changes & (G_GUINT64_CONSTANT (1) << LK_CHANGE_name)) != 0)
    rename_job (self, id, event.update.name);
}

/* ---------------------------------------------------------------- scontrol of other things */

/* What only an administrator may do. FALSE, with `error`: the command cannot be understood. */
static gboolean
site_event (const LkCommand *command, gint64 now_us, LkEvent *out_event, GError **error)
{
  if (command->kind == LK_COMMAND_UPDATE_NODE)
    return lk_command_node_event (command, out_event, error);
  if (command->kind == LK_COMMAND_UPDATE_PARTITION)
    return lk_command_partition_event (command, out_event, error);
  return lk_command_reservation_event (command, now_us, out_event, error);
}

static void
run_site (LkCommandPlay *self, const LkCommand *command)
{
  g_autoptr (GError) error = NULL;
  LkEvent event;
  const char *why = NULL;
  if (lk_command_lacks_reason (command))
    refuse (self, "a node is set down or drained without Reason; expected Reason= too");
  else if (!is_admin (self, command->user))
    refuse (self, lk_reject_text (LK_REJECT_PERMISSION));
  else if (lk_command_resumes_nothing (command, self->control->engine))
    refuse (self, lk_reject_text (LK_REJECT_NODE_STATE));
  else if (lk_command_changes_cluster (command)
           && ((why = lk_command_cluster (command, self->control, self->setup, self->texts)) != NULL
               || !lk_command_sets_node_state (command)))
    refuse (self, why); /* NULL: it is not */
  else if (!site_event (command, self->control->now_us, &event, &error)
           || (event.kind == LK_EVENT_RESERVATION_UPDATE
               && !lk_command_settle_reservation (command, self->control->engine,
                                                  self->control->now_us, self->texts,
                                                  &event.reservation_update, &error)))
    refuse (self, g_string_chunk_insert (self->texts, error->message));
  else
    apply (self, command, &event);
}

static void
run_sacctmgr (LkCommandPlay *self, const LkCommand *command)
{
  const char *why = is_admin (self, command->user)
                        ? lk_command_accounts (command, self->control, self->texts)
                        : lk_reject_text (LK_REJECT_PERMISSION);
  if (why != NULL)
    refuse (self, why);
}

/* ---------------------------------------------------------------- the script */

static void
run_command (LkCommandPlay *self, const LkCommand *command)
{
  switch (command->kind) {
  case LK_COMMAND_SUBMIT:
    run_submit (self, command);
    break;
  case LK_COMMAND_CANCEL:
    run_cancel (self, command);
    break;
  case LK_COMMAND_SQUEUE:
    if (self->look != NULL)
      self->look (self->look_user, command->label, self->control);
    break;
  case LK_COMMAND_SACCTMGR:
    run_sacctmgr (self, command);
    break;
  case LK_COMMAND_UPDATE_JOB:
    each_job (self, command, update_work);
    break;
  case LK_COMMAND_TOP:
    each_job (self, command, top_work);
    break;
  case LK_COMMAND_UPDATE_NODE:
  case LK_COMMAND_UPDATE_PARTITION:
  case LK_COMMAND_UPDATE_RESERVATION:
  case LK_COMMAND_CREATE_RESERVATION:
  case LK_COMMAND_DELETE_RESERVATION:
  case LK_COMMAND_CREATE_PARTITION:
  case LK_COMMAND_DELETE_PARTITION:
    run_site (self, command);
    break;
  case LK_COMMAND_UNREAD:
    refuse (self, command->passed_over);
    break;
  default:
    each_job (self, command, job_work);
    break;
  }
}

gint64
lk_command_play_next_us (LkCommandPlay *self)
{
  return self->next < lk_command_script_count (self->script)
             ? lk_command_script_at (self->script, self->next)->time_us
             : LK_TIME_NEVER;
}

void
lk_command_play_act (LkCommandPlay *self, const LkSimControl *control)
{
  const LkCommand *command = lk_command_script_at (self->script, self->next++);
  LkCommandAnswer answer = { .command = command };
  self->control = control;
  g_array_append_val (self->answers, answer);
  run_command (self, command);
  self->control = NULL;
}

void
lk_command_play_describe (LkCommandPlay *self, const LkSetup *setup)
{
  self->setup = setup;
}

void
lk_command_play_spread (LkCommandPlay *self, gint64 spread_us)
{
  self->spread_us = spread_us;
}

void
lk_command_play_know (LkCommandPlay *self, const LkEngine *engine, LkJobIndex index)
{
  const LkJobColumns *jobs = lk_engine_view (engine)->jobs;
  LkJobInfo info;
  lk_engine_job (engine, jobs->id[index], &info);
  Job job = { .id = info.id,
              .array_job_id = info.array_task != LK_TASK_NONE ? info.array_job_id : 0,
              .task = info.array_task,
              .het_leader = info.het_leader,
              .het_offset = info.het_offset,
              .name = g_string_chunk_insert (self->texts, info.name),
              .owner = g_string_chunk_insert (self->texts, lk_job_user (engine, index)) };
  job_add (self, &job);
}

void
lk_command_play_on_look (LkCommandPlay *self, LkCommandLook look, gpointer user)
{
  self->look = look;
  self->look_user = user;
}

const GArray *
lk_command_play_answers (const LkCommandPlay *self)
{
  return self->answers;
}

/* Whether all commands can be understood is seen before the first one runs. */
static gboolean
check (LkCommandPlay *self, const LkCommand *command, GError **error)
{
  LkEvent event;
  LkClusterChange change = { 0 };
  if (command->kind == LK_COMMAND_UPDATE_JOB)
    return lk_command_update_event (command, 0, self->texts, &event, error);
  if (lk_command_changes_cluster (command)
      && (!lk_command_cluster_change (command, self->texts, &change, error)
          || !lk_command_sets_node_state (command)))
    return change.operation != LK_CLUSTER_CHANGE_NONE;
  return command->kind < LK_COMMAND_UPDATE_NODE || command->kind >= LK_COMMAND_SQUEUE
         || site_event (command, 0, &event, error);
}

LkCommandPlay *
lk_command_play_new (const LkCommandScript *script, GError **error)
{
  g_autoptr (LkCommandPlay) self = g_new0 (LkCommandPlay, 1);
  self->script = script;
  self->users = g_ptr_array_new ();
  g_ptr_array_add (self->users, (gpointer) "root"); /* has number 0 */
  self->jobs = g_array_new (FALSE, FALSE, sizeof (Job));
  lk_id_map_init (&self->place_by_id);
  self->answers = g_array_new (FALSE, FALSE, sizeof (LkCommandAnswer));
  self->texts = g_string_chunk_new (4096);
  /* In a tolerant script each command is refused for itself. */
  for (guint i = 0; i < lk_command_script_count (script); i++) {
    const LkCommand *command = lk_command_script_at (script, i);
    if (lk_command_script_is_tolerant (script) || check (self, command, error))
      continue;
    g_prefix_error (error, "%s:%" G_GUINT64_FORMAT ": ", lk_command_script_name (script),
                    command->line_number);
    return NULL;
  }
  return g_steal_pointer (&self);
}

void
lk_command_play_free (LkCommandPlay *self)
{
  if (self == NULL)
    return;
  g_ptr_array_unref (self->users);
  g_array_unref (self->jobs);
  lk_id_map_clear (&self->place_by_id);
  g_array_unref (self->answers);
  g_string_chunk_free (self->texts);
  g_free (self);
}
