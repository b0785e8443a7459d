/* sim/audit.c — follows a journal event by event; see the header. */
#include "sim/audit.h"

#include <string.h>

#include "sim/audit_promises.h"

/* ---------------------------------------------------------------- findings */

#define X(NAME, name, what) name,
static const char *const rule_names[] = { LK_AUDIT_RULES (X) };
#undef X
#define X(NAME, name, what) what,
static const char *const rule_whats[] = { LK_AUDIT_RULES (X) };
#undef X

const char *
lk_audit_rule_name (LkAuditRule rule)
{
  return rule_names[rule];
}

const char *
lk_audit_rule_what (LkAuditRule rule)
{
  return rule_whats[rule];
}

void
lk_audit_find (LkAudit *self, LkAuditRule rule, const LkAuditJob *job, const char *format, ...)
{
  va_list arguments;
  if (self->findings->len >= self->finding_limit)
    return;
  va_start (arguments, format);
  g_autofree char *text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  LkAuditFinding finding = { .rule = self->looks_at_room ? LK_AUDIT_ROOM : rule,
                             .seq = self->event != NULL ? self->event->seq : 0,
                             .time_us = self->event != NULL ? self->event->time_us : 0,
                             .job_id = job != NULL ? job->id : 0,
                             .text = self->looks_at_room
                                         ? g_strconcat ("others go for it, and ", text, NULL)
                                         : g_steal_pointer (&text) };
  g_array_append_val (self->findings, finding);
}

/* ---------------------------------------------------------------- jobs */

LkAuditJob *
lk_audit_job (const LkAudit *self, guint32 job_id)
{
  return g_hash_table_lookup (self->jobs, GUINT_TO_POINTER (job_id));
}

static void
put_in_system (LkAudit *self, LkAuditJob *job)
{
  guint at = self->in_system->len;
  while (at > 0 && ((LkAuditJob *)g_ptr_array_index (self->in_system, at - 1))->id > job->id)
    at--;
  g_ptr_array_insert (self->in_system, (gint)at, job);
}

static LkAuditJob *
add_job (LkAudit *self, LkAuditJob *job)
{
  g_hash_table_insert (self->jobs, GUINT_TO_POINTER (job->id), job);
  put_in_system (self, job);
  lk_audit_note_group (self, job);
  return job;
}

/* Of a decision about a job that must be there. What is told of a job that comes may stand before
 * its being accepted. */
static LkAuditJob *
known_job (LkAudit *self, guint32 job_id, const char *decision)
{
  LkAuditJob *job = lk_audit_job (self, job_id);
  if (job == NULL && self->event->kind == AUDIT_EVENT_SUBMIT
      && self->event->submit.job_id == job_id)
    return add_job (self, lk_audit_job_new (self->event, job_id));
  if (job == NULL)
    lk_audit_find (self, LK_AUDIT_JOB, NULL, "%s of job %u, which was never submitted", decision,
                   job_id);
  return job;
}

static void
end_job (LkAudit *self, LkAuditJob *job, guint state)
{
  if (job->phase == LK_AUDIT_ENDED) {
    lk_audit_find (self, LK_AUDIT_FINAL, job, "it ends as %s and had ended as %s",
                   lk_audit_state_text (state), lk_audit_state_text (job->end_state));
    return;
  }
  lk_audit_job_give_back (job);
  job->phase = LK_AUDIT_ENDED;
  job->end_state = state;
  job->end_us = self->event->time_us;
  job->left_seq = self->event->seq;
  self->has_turned = TRUE;
  lk_audit_promise_take (job);
  g_ptr_array_remove (self->in_system, job);
  lk_audit_note_group (self, job);
}

/* ---------------------------------------------------------------- events */

static void
disturb (LkAudit *self)
{
  self->last_disturbed = self->event->seq;
}

/* The job, and of an array's id its tasks; with a list only those, and the job that stands for
 * tasks that wait if it names all of them.  Others that wait become jobs, and are changed then. */
static gboolean
is_target (const LkAuditJob *job, guint32 job_id, const LkAuditTasks *tasks)
{
  if (tasks->count == 0)
    return job->id == job_id || job->array_id == job_id;
  if (job->array_id != job_id)
    return FALSE;
  return job->waiting.count > 0 ? lk_audit_tasks_are_in (&job->waiting, tasks)
                                : lk_audit_tasks_has (tasks, job->task);
}

static void
update_job (LkAudit *self, LkAuditJob *job)
{
  lk_audit_job_update (job, self->event);
  lk_audit_note_group (self, job);
  lk_audit_note_group (self, NULL); /* its old name */
}

static void
change_job (LkAudit *self, LkAuditJob *job)
{
  const LkAuditEvent *event = self->event;
  job->changed_seq = event->seq;
  switch (event->kind) {
  case AUDIT_EVENT_HOLD:
    if (job->phase == LK_AUDIT_PENDING) {
      /* What an admin holds stays so when its user holds it, too. */
      job->is_held_by_admin = event->hold.by_admin != 0 || (job->is_held && job->is_held_by_admin);
      job->is_held = TRUE;
    }
    break;
  case AUDIT_EVENT_RELEASE:
    /* Of an array some may be held by an admin. */
    if (event->release.by_user == 0 || !job->is_held_by_admin)
      job->is_held = FALSE;
    break;
  case AUDIT_EVENT_UPDATE:
    /* Of an array some may refuse what others take: those that run, whatever says where they do. */
    if (job->array_id != 0 && job->phase != LK_AUDIT_PENDING)
      job->limit_us = 0;
    else
      update_job (self, job);
    break;
  default:
    break;
  }
}

/* What becomes of one component becomes of all; an update is for one. */
static guint32
het_of (const LkAudit *self, guint32 job_id)
{
  for (guint i = 0; self->event->kind != AUDIT_EVENT_UPDATE && i < self->in_system->len; i++) {
    const LkAuditJob *job = g_ptr_array_index (self->in_system, i);
    if (job->het_leader != 0 && (job->id == job_id || job->het_leader == job_id))
      return job->het_leader;
  }
  return 0;
}

static void
change_jobs (LkAudit *self, guint32 job_id, LkAuditText list)
{
  LkAuditTasks tasks = lk_audit_tasks_read (list);
  guint32 het_leader = het_of (self, job_id);
  for (guint i = 0; i < self->in_system->len; i++) {
    LkAuditJob *job = g_ptr_array_index (self->in_system, i);
    if (is_target (job, job_id, &tasks) || (het_leader != 0 && job->het_leader == het_leader))
      change_job (self, job);
  }
  lk_audit_tasks_clear (&tasks);
  disturb (self);
}

/* Tasks that are cancelled while they wait go without a word. */
static void
lose_tasks (LkAudit *self, const LkAudit_cancel *cancel)
{
  LkAuditTasks tasks = lk_audit_tasks_read (cancel->task_list);
  LkAuditJob *job = cancel->filter == 0 ? lk_audit_job (self, cancel->job_id) : NULL;
  if (job != NULL && !lk_audit_tasks_are_in (&job->waiting, &tasks)
      && lk_audit_tasks_remove_all (&job->waiting, &tasks) > 0) {
    job->lost_tasks = TRUE;
    lk_audit_promise_moved (self, job);
  }
  lk_audit_tasks_clear (&tasks);
}

/* Who asked to survive goes on without the node; others are told to go in the same event. */
static void
lose_node (LkAudit *self, guint32 node)
{
  const LkAuditNode *lost = &g_array_index (self->site.nodes, LkAuditNode, node);
  for (guint i = 0; i < self->in_system->len; i++) {
    LkAuditJob *job = g_ptr_array_index (self->in_system, i);
    for (guint j = 0; j < job->held->len; j++) {
      LkAuditHeld *held = &g_array_index (job->held, LkAuditHeld, j);
      if (held->node != node)
        continue;
      job->units -= MIN (job->units, held->cores->len * lost->cpus_per_core);
      job->memory_bytes = 0; /* how much of it is on its other nodes is not known */
      g_array_unref (held->cores);
      g_array_unref (held->gpus);
      g_array_remove_index (job->held, j);
      break;
    }
  }
}

static void
set_nodes (LkAudit *self, LkAuditText list, guint kind)
{
  g_autofree char *text = lk_audit_text_copy (list);
  g_autoptr (GPtrArray) names = lk_audit_hosts (text);
  for (guint i = 0; i < names->len; i++) {
    guint32 index = lk_audit_site_node (&self->site, g_ptr_array_index (names, i));
    if (index == G_MAXUINT32)
      continue;
    LkAuditNode *node = &g_array_index (self->site.nodes, LkAuditNode, index);
    if (kind == AUDIT_EVENT_NODE_DOWN)
      lose_node (self, index);
    node->is_down =
        kind == AUDIT_EVENT_NODE_DOWN || (node->is_down && kind == AUDIT_EVENT_NODE_DRAIN);
    node->is_drained =
        kind == AUDIT_EVENT_NODE_DRAIN || (node->is_drained && kind != AUDIT_EVENT_NODE_RESUME);
  }
  disturb (self);
}

static void
set_partition (LkAudit *self, const LkAudit_partition *change)
{
  char *name = lk_audit_text_copy (change->name);
  disturb (self);
  if (change->state == 1 || change->state == 3) {
    g_hash_table_add (self->closed, name);
    return;
  }
  g_hash_table_remove (self->closed, name);
  g_free (name);
}

/* What an event that was taken changes by itself; all else is told by decisions. */
static void
follow_event (LkAudit *self, const LkAuditEvent *event)
{
  switch (event->kind) {
  case AUDIT_EVENT_HOLD:
    change_jobs (self, event->hold.job_id, event->hold.task_list);
    break;
  case AUDIT_EVENT_RELEASE:
    change_jobs (self, event->release.job_id, event->release.task_list);
    break;
  case AUDIT_EVENT_UPDATE:
    change_jobs (self, event->update.job_id, event->update.task_list);
    break;
  case AUDIT_EVENT_CANCEL:
    lose_tasks (self, &event->cancel);
    break;
  case AUDIT_EVENT_NODE_DOWN:
    set_nodes (self, event->node_down.node, event->kind);
    break;
  case AUDIT_EVENT_NODE_UP:
    set_nodes (self, event->node_up.node, event->kind);
    break;
  case AUDIT_EVENT_NODE_DRAIN:
    set_nodes (self, event->node_drain.node, event->kind);
    break;
  case AUDIT_EVENT_NODE_RESUME:
    set_nodes (self, event->node_resume.node, event->kind);
    break;
  case AUDIT_EVENT_PARTITION:
    set_partition (self, &event->partition);
    break;
  case AUDIT_EVENT_ASSOCIATION:
    lk_audit_fix_accounts (self);
    lk_audit_site_change_association (&self->site, &event->association);
    disturb (self);
    break;
  case AUDIT_EVENT_QOS:
    lk_audit_fix_accounts (self);
    lk_audit_follow_qos (self, &event->qos);
    disturb (self);
    break;
  case AUDIT_EVENT_RECONFIGURE:
    lk_audit_reconfigure (self, &event->reconfigure);
    disturb (self);
    break;
  case AUDIT_EVENT_RESERVATION_CREATE:
  case AUDIT_EVENT_RESERVATION_UPDATE:
  case AUDIT_EVENT_RESERVATION_DELETE:
  case AUDIT_EVENT_REQUEUE:
  case AUDIT_EVENT_SUSPEND:
  case AUDIT_EVENT_RESUME:
    disturb (self);
    break;
  default:
    break;
  }
}

/* ---------------------------------------------------------------- decisions */

static void
follow_accept (LkAudit *self, const LkAuditDecided_accept *accept)
{
  const LkAuditEvent *event = self->event;
  if (event->kind != AUDIT_EVENT_SUBMIT) {
    follow_event (self, event);
    return;
  }
  LkAuditJob *job = lk_audit_job (self, accept->job_id);
  if (job == NULL)
    job = add_job (self, lk_audit_job_new (event, accept->job_id));
  else if (job->submit_seq != event->seq)
    lk_audit_find (self, LK_AUDIT_JOB, job, "its id is given once more");
  lk_audit_check_rights (self, job);
}

static void
follow_start (LkAudit *self, const LkAuditDecided_start *start)
{
  LkAuditJob *job = known_job (self, start->job_id, "start");
  if (job == NULL)
    return;
  if (job->phase != LK_AUDIT_PENDING) {
    lk_audit_find (self, LK_AUDIT_JOB, job, "it starts and is not pending");
    return;
  }
  self->start_count++;
  lk_audit_job_take (job, start, self->site.node_by_name);
  lk_audit_check_start (self, job, start->nodes);
  job->phase = LK_AUDIT_RUNNING;
  job->start_us = self->event->time_us;
  job->start_seq = self->event->seq;
  job->kill_why = 0;
  job->is_displaced = job->is_stopped = FALSE;
  job->was_resumed = FALSE;
  self->has_turned = TRUE;
}

/* A job runs no longer than until its deadline, and perhaps for no more than the least that will
 * do. */
static gint64
run_limit_us (const LkAuditJob *job)
{
  gint64 least_us = lk_audit_job_least_us (job);
  return job->deadline_us > 0 ? MIN (least_us, job->deadline_us - job->start_us) : least_us;
}

static void
follow_kill (LkAudit *self, const LkAuditDecided_kill *kill)
{
  LkAuditJob *job = known_job (self, kill->job_id, "kill");
  if (job == NULL)
    return;
  if (!lk_audit_is_running (job))
    lk_audit_find (self, LK_AUDIT_JOB, job, "it is told to end and does not run");
  else if (kill->why == AUDIT_KILL_TIME_LIMIT && job->limit_us > 0
           && self->event->time_us - job->start_us < run_limit_us (job))
    lk_audit_find (self, LK_AUDIT_TIME_LIMIT, job,
                   "it is ended for its time limit of %" G_GINT64_FORMAT
                   " s after %" G_GINT64_FORMAT " s",
                   run_limit_us (job) / G_USEC_PER_SEC,
                   (self->event->time_us - job->start_us) / G_USEC_PER_SEC);
  job->kill_why = kill->why;
}

/* By its id, that of its array, or that of the first component. */
static gboolean
is_asked_back (const LkAudit *self, const LkAuditJob *job)
{
  const LkAuditEvent *event = self->event;
  if ((self->header.requeues & LK_REQUEUES_ENDED) == 0 || event->kind != AUDIT_EVENT_REQUEUE)
    return FALSE;
  if (job->het_leader != 0)
    return event->requeue.job_id == job->het_leader;
  LkAuditTasks tasks = lk_audit_tasks_read (event->requeue.task_list);
  gboolean is_meant = is_target (job, event->requeue.job_id, &tasks);
  lk_audit_tasks_clear (&tasks);
  return is_meant;
}

/* A job that has ended comes back because somebody asks for it in time. */
static void
return_job (LkAudit *self, LkAuditJob *job)
{
  const LkAuditEvent *event = self->event;
  if (!is_asked_back (self, job))
    lk_audit_find (self, LK_AUDIT_FINAL, job, "it is requeued and had ended as %s",
                   lk_audit_state_text (job->end_state));
  else if (event->time_us - job->end_us >= self->site.job_age_us)
    lk_audit_find (self, LK_AUDIT_FINAL, job, "it is requeued %" G_GINT64_FORMAT " s after its end",
                   (event->time_us - job->end_us) / G_USEC_PER_SEC);
  g_free (job->dependency);
  job->dependency = g_strdup ("");
  job->is_held = FALSE;
  put_in_system (self, job);
}

static void
follow_requeue (LkAudit *self, const LkAuditDecided_requeue_job *requeue)
{
  LkAuditJob *job = known_job (self, requeue->job_id, "requeue");
  if (job == NULL)
    return;
  gboolean had_ended = job->phase == LK_AUDIT_ENDED;
  if (had_ended)
    return_job (self, job);
  else if (!lk_audit_is_running (job))
    lk_audit_find (self, LK_AUDIT_JOB, job, "it is requeued and does not run");
  if (!had_ended) {
    lk_audit_job_give_back (job);
    lk_audit_promise_take (job);
  }
  job->phase = LK_AUDIT_PENDING;
  job->is_requeued = !had_ended;
  self->has_turned = TRUE;
  job->restarts++;
  job->left_seq = self->event->seq;
  job->submit_us = self->event->time_us;
  job->begin_us = self->event->time_us + self->site.requeue_delay_us;
  lk_audit_note_group (self, job);
  disturb (self);
}

static gboolean
is_final (guint state)
{
  return state != AUDIT_STATE_PENDING && state != AUDIT_STATE_RUNNING
         && state != AUDIT_STATE_SUSPENDED && state != AUDIT_STATE_COMPLETING
         && state != AUDIT_STATE_SPECIAL_EXIT && state != AUDIT_STATE_REQUEUE_HOLD;
}

static void
follow_notice (LkAudit *self, const LkAuditDecided_notice *notice)
{
  LkAuditJob *job = known_job (self, notice->job_id, "notice");
  if (job == NULL || !is_final (notice->state)) {
    if (job != NULL
        && (notice->state == AUDIT_STATE_PENDING || notice->state == AUDIT_STATE_SPECIAL_EXIT)
        && (notice->reason == AUDIT_REASON_HELD_USER
            || notice->reason == AUDIT_REASON_HELD_ADMIN)) {
      job->is_held = TRUE;
      job->is_held_by_admin = notice->reason == AUDIT_REASON_HELD_ADMIN;
    }
    return;
  }
  if (job->is_requeued)
    job->is_requeued = FALSE; /* it was its run that ended so */
  else
    end_job (self, job, notice->state);
}

static void
follow_task (LkAudit *self, const LkAuditDecided_task *task)
{
  LkAuditJob *array = known_job (self, task->array_job_id, "task");
  if (array == NULL)
    return;
  if (!lk_audit_tasks_has (&array->waiting, task->task))
    lk_audit_find (self, LK_AUDIT_ARRAY, array, "its task %u does not wait", task->task);
  else if (self->event->kind == AUDIT_EVENT_PASS
           && lk_audit_tasks_any_below (&array->waiting, task->task))
    lk_audit_find (self, LK_AUDIT_ARRAY, array, "its task %u starts before one below", task->task);
  lk_audit_promise_take (array);
  lk_audit_tasks_remove (&array->waiting, task->task);
  if (task->job_id == task->array_job_id) {
    if (array->waiting.count > 0)
      lk_audit_find (self, LK_AUDIT_ARRAY, array, "its task %u is not the last", task->task);
    lk_audit_tasks_clear (&array->waiting);
    array->task = task->task;
    g_ptr_array_add (self->tasks, array);
    return;
  }
  if (lk_audit_job (self, task->job_id) != NULL) {
    lk_audit_find (self, LK_AUDIT_JOB, array, "the id %u of its task %u was given before",
                   task->job_id, task->task);
    return;
  }
  LkAuditJob *job = lk_audit_job_split (array, task->job_id, task->task);
  job->known_seq = self->event->seq;
  add_job (self, job);
  change_job (self, job);
  g_ptr_array_add (self->tasks, job);
}

static void
follow_preempt (LkAudit *self, const LkAuditDecided_preempt *preempt)
{
  LkAuditJob *job = known_job (self, preempt->job_id, "preempt");
  if (job != NULL && !lk_audit_is_running (job))
    lk_audit_find (self, LK_AUDIT_PREEMPT, job, "it is preempted and does not run");
  else if (job != NULL)
    lk_audit_follow_preempt (self, job, preempt);
  disturb (self);
}

static gboolean
is_suspended_by_hand (const LkAudit *self, const LkAuditJob *job)
{
  const LkAuditEvent *event = self->event;
  return event->kind == AUDIT_EVENT_SUSPEND
         && (event->suspend.job_id == job->id || event->suspend.job_id == job->array_id);
}

static void
follow_suspension (LkAudit *self, guint32 job_id, gboolean stops)
{
  LkAuditJob *job = known_job (self, job_id, stops ? "suspend" : "resume");
  if (job == NULL)
    return;
  if (job->phase != (stops ? LK_AUDIT_RUNNING : LK_AUDIT_SUSPENDED))
    lk_audit_find (self, LK_AUDIT_JOB, job,
                   stops ? "it is suspended and does not run"
                         : "it is resumed and is not suspended");
  else
    job->phase = stops ? LK_AUDIT_SUSPENDED : LK_AUDIT_RUNNING;
  job->is_stopped = stops && !is_suspended_by_hand (self, job);
  self->has_turned = TRUE;
  job->was_resumed |= !stops;
  disturb (self);
}

static void
follow_decision (LkAudit *self, const LkAuditDecision *decision)
{
  switch (decision->kind) {
  case AUDIT_ACCEPT:
    follow_accept (self, &decision->accept);
    break;
  case AUDIT_START:
    follow_start (self, &decision->start);
    break;
  case AUDIT_KILL:
    follow_kill (self, &decision->kill);
    break;
  case AUDIT_REQUEUE_JOB:
    follow_requeue (self, &decision->requeue_job);
    break;
  case AUDIT_NOTICE:
    follow_notice (self, &decision->notice);
    break;
  case AUDIT_TASK:
    follow_task (self, &decision->task);
    break;
  case AUDIT_PREEMPT:
    follow_preempt (self, &decision->preempt);
    break;
  case AUDIT_ROOM:
    lk_audit_follow_room (self, &decision->room);
    break;
  case AUDIT_SUSPEND_JOB:
    follow_suspension (self, decision->suspend_job.job_id, TRUE);
    break;
  case AUDIT_RESUME_JOB:
    follow_suspension (self, decision->resume_job.job_id, FALSE);
    break;
  case AUDIT_RESERVATION:
    lk_audit_follow_reservation (self, &decision->reservation);
    break;
  case AUDIT_STANDING:
    lk_audit_take_standing (self, &decision->standing);
    break;
  case AUDIT_WAKE:
    self->wakes_at_once |= decision->wake.at_us <= self->event->time_us;
    break;
  default:
    break;
  }
}

/* ---------------------------------------------------------------- the run */

static void
finding_clear (gpointer finding)
{
  g_free (((LkAuditFinding *)finding)->text);
}

static void
init (LkAudit *self, guint finding_limit)
{
  self->jobs = g_hash_table_new_full (NULL, NULL, NULL, lk_audit_job_free);
  self->in_system = g_ptr_array_new ();
  self->promises = g_sequence_new (NULL);
  self->tasks = g_ptr_array_new ();
  self->singletons = g_ptr_array_new ();
  self->regrouped = g_ptr_array_new ();
  self->rooms = g_ptr_array_new_with_free_func (lk_audit_room_free);
  self->displaced = g_ptr_array_new ();
  self->reservations = g_ptr_array_new_with_free_func (lk_audit_reservation_free);
  self->closed = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self->findings = g_array_new (FALSE, FALSE, sizeof (LkAuditFinding));
  g_array_set_clear_func (self->findings, finding_clear);
  self->finding_limit = finding_limit;
}

static void
read_header (LkAudit *self)
{
  lk_audit_site_init (&self->site, &self->header);
  lk_audit_read_policies (self);
  for (guint i = 0; i < self->site.partitions->len; i++) {
    const LkAuditPartition *partition = &g_array_index (self->site.partitions, LkAuditPartition, i);
    if (!partition->is_open)
      g_hash_table_add (self->closed, g_strdup (partition->name));
  }
}

/* Jobs that the end of a whole run leaves behind. */
static void
check_end (LkAudit *self)
{
  for (guint i = 0; i < self->in_system->len; i++)
    lk_audit_find (self, LK_AUDIT_FINAL, g_ptr_array_index (self->in_system, i),
                   "the run has ended and it has not");
}

static void
follow (LkAudit *self, LkAuditJournal *journal)
{
  LkAuditEvent event;
  LkAuditDecision decision;
  while (lk_audit_journal_event (journal, &event)) {
    self->event = &event;
    self->wakes_at_once = FALSE;
    self->event_count++;
    while (lk_audit_journal_decision (journal, &decision)) {
      self->decision_count++;
      follow_decision (self, &decision);
    }
    lk_audit_follow_singletons (self);
    lk_audit_check_turns (self);
    if (event.kind == AUDIT_EVENT_PASS) {
      self->pass_count++;
      lk_audit_check_het (self);
      lk_audit_check_rooms (self);
      lk_audit_check_pass (self);
    }
  }
  self->event = NULL;
}

gboolean
lk_audit_run (LkAudit *self, const guint8 *bytes, gsize length_bytes, guint finding_limit,
              char **out_error)
{
  LkAuditJournal journal;
  *self = (LkAudit){ 0 };
  init (self, finding_limit);
  gboolean is_open = lk_audit_journal_open (&journal, bytes, length_bytes, &self->header);
  read_header (self);
  if (is_open)
    follow (self, &journal);
  if (is_open && journal.is_complete && journal.error[0] == '\0')
    check_end (self);
  *out_error = journal.error[0] != '\0' ? g_strdup (journal.error) : NULL;
  return *out_error == NULL;
}

void
lk_audit_clear (LkAudit *self)
{
  lk_audit_site_clear (&self->site);
  g_free (self->backfill);
  g_ptr_array_unref (self->in_system);
  g_ptr_array_unref (self->tasks);
  g_ptr_array_unref (self->singletons);
  g_ptr_array_unref (self->regrouped);
  g_ptr_array_unref (self->rooms);
  g_ptr_array_unref (self->displaced);
  g_sequence_free (self->promises);
  g_hash_table_unref (self->jobs);
  g_ptr_array_unref (self->reservations);
  g_hash_table_unref (self->closed);
  g_array_unref (self->findings);
}
